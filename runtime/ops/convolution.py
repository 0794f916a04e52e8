"""Convolutions: the rows, their gradients as ops of their own, and the public functions.

A convolution is linear in its input and in its filter, so that three ops (the convolution, its
gradient for the input and its gradient for the filter) are each other's gradients, to any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Order, Primitive, bind, row, sample, wrong_shape, wrong_value
from runtime.core.shapes import Shape, compatible, is_known, merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops.convolution_kernels import (
    convolve,
    convolve_for_filter,
    convolve_for_input,
    depthwise,
    depthwise_for_filter,
    depthwise_for_input,
    kernel_of,
)
from runtime.ops.define import dims_of, matched
from runtime.ops.windows import (
    Padding,
    Sizes,
    channels_first,
    checked_rank,
    padding_of,
    positions,
    spatial,
)

Rule = Callable[..., Any]

# Shapes


def _conv_shape(x: Shape, w: Shape, **geometry: Any) -> Shape:
    rank = len(geometry["strides"])
    checked_rank(x, rank + 2, "the input")
    checked_rank(w, rank + 2, "the filter")
    if w is None:
        return (None if x is None else x[0], *[None] * (rank + 1))
    if 0 in w[:-1]:
        raise wrong_value(f"the filter must not be empty, got shape {w}")
    if x is None:
        return (None, *[None] * rank, w[-1])
    _check_channels(x, w)
    return (x[0], *positions(x[1:-1], w[:-2], **geometry), w[-1])


def _check_channels(x: tuple[int | None, ...], w: tuple[int | None, ...]) -> None:
    depth, per_group, made = x[-1], w[-2], w[-1]
    if depth is None or per_group is None:
        return
    if depth % per_group:
        raise wrong_value(
            f"the input's {depth} channels are no multiple of the filter's {per_group}: "
            f"shapes {x} and {w}"
        )
    if made is not None and depth and made % (depth // per_group):
        raise wrong_value(
            f"the filter's {made} output channels do not divide into {depth // per_group} groups: "
            f"shapes {x} and {w}"
        )


def _gradient_shapes(rank: int, result: Rule) -> tuple[Rule, Rule]:
    """The shape rules of a convolution's gradients, for its input and for its filter."""

    def of_input(w: Shape, g: Shape, *dims: Shape, shape: Shape, **geometry: Any) -> Shape:
        made = of_rank(shape, "the input's shape")
        _check_result(result(made, w, **geometry), g, made)
        return made

    def of_filter(x: Shape, g: Shape, *dims: Shape, shape: Shape, **geometry: Any) -> Shape:
        made = of_rank(shape, "the filter's shape")
        _check_result(result(x, made, **geometry), g, x)
        return made

    def of_rank(shape: Shape, what: str) -> Shape:
        checked_rank(shape, rank + 2, what)
        return (None,) * (rank + 2) if shape is None else shape

    return of_input, of_filter


def _check_result(expected: Shape, g: Shape, of: Shape) -> None:
    try:
        merge_shapes(expected, g)
    except ValueError:
        raise wrong_value(
            f"a convolution of shape {of} has a result of shape {expected}, which {g} is not"
        ) from None


def _geometry(op: Any) -> dict[str, Any]:
    return {key: op.params[key] for key in ("strides", "padding", "dilations")}


def like(shape_of: Any) -> tuple[tuple[Any, ...], Shape]:
    """For an op that is told a shape: what it is told at run time, and what is static."""
    static = shape_of.static_shape
    return () if is_known(static) else (ops.shape(shape_of),), static


def _needed(op: Any, place: int) -> bool:
    needed = getattr(op, "needed", None)
    return needed is None or bool(needed[place])


def _flops(made: tuple[int, ...], window: tuple[int, ...]) -> int:
    """A product and a sum for each element that a convolution makes, and each in its window."""
    return 2 * math.prod(made) * math.prod(window)


def _family(
    name: str, op_type: str, rank: int, result: Rule, kernels: tuple[Rule, Rule, Rule],
    samples: Any, in_window: slice, instruction: str = "",
) -> tuple[Primitive, Primitive, Primitive]:  # fmt: skip
    """The rows of a convolution over `rank` axes and of its two gradients.

    `result` is the shape rule of the convolution; the dimensions `in_window` of a filter are those
    that one element of a result is summed over.
    """

    def bind_convolution(x: Any, w: Any, geometry: Any) -> Any:
        return bind(convolution, x, w, **geometry)

    def bind_input(w: Any, g: Any, x: Any, geometry: Any) -> Any:
        dims, shape = like(x)
        return bind(for_input, w, g, *dims, shape=shape, **geometry)

    def bind_filter(x: Any, g: Any, w: Any, geometry: Any) -> Any:
        dims, shape = like(w)
        return bind(for_filter, x, g, *dims, shape=shape, **geometry)

    def gradient(op: Any, g: Any) -> Any:
        (x, w), geometry = op.inputs, _geometry(op)
        # The gradient for the first layer's input is as dear as the others, and mostly not asked
        # for.
        of_x = bind_input(w, g, x, geometry) if _needed(op, 0) else None
        return of_x, bind_filter(x, g, w, geometry) if _needed(op, 1) else None

    def input_gradient(op: Any, h: Any) -> Any:
        (w, g, *dims), geometry = op.inputs, _geometry(op)
        return (
            bind_filter(h, g, w, geometry), bind_convolution(h, w, geometry), *[None] * len(dims)
        )  # fmt: skip

    def filter_gradient(op: Any, h: Any) -> Any:
        (x, g, *dims), geometry = op.inputs, _geometry(op)
        return (
            bind_input(h, g, x, geometry), bind_convolution(x, h, geometry), *[None] * len(dims)
        )  # fmt: skip

    input_shape, filter_shape = _gradient_shapes(rank, result)
    convolve, convolve_for_input, convolve_for_filter = kernels
    convolution = row(
        name, kernel_of(convolve, result), signature="R,R->R", shape=result, op_type=op_type,
        gradient=gradient, order=Order.C, instruction=instruction,
        samples=tuple(sample(x, w, **geometry) for x, w, _, geometry in samples),
        flops=lambda x, w, y, **_: _flops(y, w[in_window]),
    )  # fmt: skip
    for_input = row(
        f"{name}_backprop_input", kernel_of(convolve_for_input, input_shape),
        signature="R,R,i*->R", shape=input_shape, op_type=f"{op_type}BackpropInput",
        gradient=input_gradient, keep_inputs=(0, 1), order=Order.C,
        instruction=instruction and f"{instruction}_for_input",
        samples=tuple(
            sample(w, g, shape=_numbers(x), **geometry) for x, w, g, geometry in samples
        ),
        flops=lambda w, g, *_, **__: _flops(g, w[in_window]),
    )  # fmt: skip
    for_filter = row(
        f"{name}_backprop_filter", kernel_of(convolve_for_filter, filter_shape),
        signature="R,R,i*->R", shape=filter_shape, op_type=f"{op_type}BackpropFilter",
        gradient=filter_gradient, keep_inputs=(0, 1), order=Order.C,
        instruction=instruction and f"{instruction}_for_filter",
        samples=tuple(
            sample(x, g, shape=_numbers(w), **geometry) for x, w, g, geometry in samples
        ),
        flops=lambda x, g, *dims_and_w, **_: _flops(g, dims_and_w[-1][in_window]),
    )  # fmt: skip
    return convolution, for_input, for_filter


def _numbers(shape: str) -> tuple[int, ...]:
    return tuple(map(int, shape.split(",")))


def _sampled(strides: int, padding: Padding, dilations: int, rank: int) -> dict[str, Any]:
    return {"strides": (strides,) * rank, "padding": padding, "dilations": (dilations,) * rank}


# (input, filter, result, geometry) in the notation of samples
_SAMPLES = {
    2: (
        ("2,4,5,2", "3,2,2,3", "2,4,5,3", _sampled(1, "SAME", 1, 2)),
        ("1,5,4,2", "2,2,2,1", "1,2,2,1", _sampled(2, "VALID", 1, 2)),
        ("1,4,3,2", "2,2,1,2", "1,5,2,2", _sampled(1, ((1, 1), (0, 0)), 1, 2)),
        ("1,4,4,9", "2,2,9,1", "1,2,2,1", _sampled(1, "VALID", 2, 2)),
        ("1,4,3,8", "2,2,8,1", "1,2,2,1", _sampled(2, "SAME", 1, 2)),
    ),
    3: (("1,3,3,2,2", "2,2,2,2,2", "1,2,2,1,2", _sampled(1, "VALID", 1, 3)),),
}
_KERNELS = convolve, convolve_for_input, convolve_for_filter
conv2d_p, conv2d_backprop_input_p, _ = _family(
    "conv2d", "Conv2D", 2, _conv_shape, _KERNELS, _SAMPLES[2], slice(-1), "convolution"
)
conv3d_p, conv3d_backprop_input_p, _ = _family(
    "conv3d", "Conv3D", 3, _conv_shape, _KERNELS, _SAMPLES[3], slice(-1), "convolution"
)
_CONV = {2: conv2d_p, 3: conv3d_p}
_BACKPROP_INPUT = {2: conv2d_backprop_input_p, 3: conv3d_backprop_input_p}


# Depthwise


def _depthwise_shape(x: Shape, w: Shape, **geometry: Any) -> Shape:
    checked_rank(x, 4, "the input")
    checked_rank(w, 4, "the filter")
    if w is None:
        return (None if x is None else x[0], None, None, None)
    if 0 in w:
        raise wrong_value(f"the filter must not be empty, got shape {w}")
    made = None if w[2] is None or w[3] is None else w[2] * w[3]
    if x is None:
        return (None, None, None, made)
    if None not in (x[3], w[2]) and x[3] != w[2]:
        raise wrong_value(f"the input has {x[3]} channels, the filter {w[2]}: shapes {x} and {w}")
    return (x[0], *positions(x[1:-1], w[:-2], **geometry), made)


_DEPTHWISE = (
    ("1,4,3,2", "2,2,2,3", "1,4,3,6", _sampled(1, "SAME", 1, 2)),
    ("2,5,4,3", "2,2,3,1", "2,2,2,3", _sampled(2, "VALID", 1, 2)),
)
depthwise_conv2d_p, _, _ = _family(
    "depthwise_conv2d", "DepthwiseConv2dNative", 2, _depthwise_shape,
    (depthwise, depthwise_for_input, depthwise_for_filter), _DEPTHWISE, slice(-2),
    "convolution_by_channels",
)  # fmt: skip


# Layouts


def channels_last(x: Tensor, rank: int) -> Tensor:
    """(batch, channels, *spatial) turned to (batch, *spatial, channels)."""
    return ops.transpose(x, (0, *range(2, rank + 2), 1))


def channels_in_front(x: Tensor, rank: int) -> Tensor:
    """(batch, *spatial, channels) turned to (batch, channels, *spatial)."""
    return ops.transpose(x, (0, rank + 1, *range(1, rank + 1)))


def in_layout(x: Tensor, rank: int, first: bool, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """`compute(x)`, which wants the channels last, for any layout and any number of batch axes."""
    lead = None if x.ndim is None or x.ndim <= rank + 2 else x.ndim - rank - 1
    batch = None if lead is None else ops.shape(x)[:lead]
    if lead is not None:
        x = ops.reshape(x, ops.concat([[-1], ops.shape(x)[lead:]], 0))
    made = compute(channels_last(x, rank) if first else x)
    made = channels_in_front(made, rank) if first else made
    if batch is None:
        return made
    return ops.reshape(made, ops.concat([batch, ops.shape(made)[1:]], 0))


# Public functions


def _convolved(
    rank: int, input: Any, filters: Any, strides: Any, padding: Any, data_format: str | None,
    dilations: Any,
) -> Tensor:  # fmt: skip
    x, w = matched(input, filters)
    first = channels_first(data_format, rank)
    steps = spatial(strides, rank, "strides", first)
    spread = spatial(dilations, rank, "dilations", first)
    around = padding_of(padding, rank, first)
    if rank == 1:
        return in_layout(x, 1, first, lambda x: _flat(x, w, steps, around, spread))
    return in_layout(
        x, rank, first,
        lambda x: bind(_CONV[rank], x, w, strides=steps, padding=around, dilations=spread),
    )  # fmt: skip


def _flat(x: Tensor, w: Tensor, strides: Sizes, padding: Padding, dilations: Sizes) -> Tensor:
    """A convolution over one axis, as one over two of which the first has size 1."""
    made = bind(
        conv2d_p, ops.expand_dims(x, 1), ops.expand_dims(w, 0), strides=(1, *strides),
        padding=padding if isinstance(padding, str) else ((0, 0), *padding),
        dilations=(1, *dilations),
    )  # fmt: skip
    return ops.squeeze(made, [1])


def conv1d(
    input: Any, filters: Any, stride: Any, padding: Any, data_format: str | None = "NWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The convolution of (batch, width, channels) with filters (width, channels, out channels).

    See `conv2d`; `data_format` is "NWC" or "NCW".

    >>> line = [[[0.], [1.], [2.], [3.]]]
    >>> rt.nn.conv1d(line, rt.ones([2, 1, 1]), 1, "VALID").numpy().tolist()
    [[[1.0], [3.0], [5.0]]]
    """
    return _convolved(1, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str | None = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The convolution of images with filters.

    Images are (batch, height, width, channels), filters (height, width, channels, out channels).

    `padding` is "VALID" (none), "SAME" (zeros, so that a stride of 1 keeps the size) or a list of
    four pairs; `strides` and `dilations` are one number or a list; more axes in front count as
    batch. Filters with fewer channels than the input convolve it in groups. `data_format` is "NHWC"
    or "NCHW". Raises errors.InvalidArgumentError for shapes that do not fit, ValueError for wrong
    arguments.

    >>> picture = [[[[0.], [1.]], [[2.], [3.]]]]
    >>> rt.nn.conv2d(picture, rt.ones([2, 2, 1, 1]), 1, "VALID").numpy().tolist()
    [[[[6.0]]]]
    """
    return _convolved(2, input, filters, strides, padding, data_format, dilations)


def conv3d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: str | None = "NDHWC",
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The convolution of volumes with five-dimensional filters.

    Volumes are (batch, depth, height, width, channels); see `conv2d`.

    >>> cube, filters = rt.ones([1, 2, 2, 2, 1]), rt.ones([2, 2, 2, 1, 1])
    >>> rt.nn.conv3d(cube, filters, [1] * 5, "VALID").numpy().tolist()
    [[[[[8.0]]]]]
    """
    return _convolved(3, input, filters, strides, padding, data_format, dilations)


def _spatial_rank(x: Tensor, w: Tensor, what: str) -> int:
    for tensor in (w, x):
        if tensor.ndim is not None:
            rank = tensor.ndim - 2
            if 1 <= rank <= 3:
                return rank
            raise wrong_value(
                f"{what} works over 1 to 3 spatial axes, got shapes {x.shape} and {w.shape}"
            )
    raise wrong_shape(f"{what} needs a filter of known rank", w)


def convolution(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution over as many axes as the filters have (1 to 3); see `conv2d`.

    >>> line = [[[0.], [1.], [2.], [3.]]]
    >>> rt.nn.convolution(line, rt.ones([2, 1, 1]), padding="VALID").numpy().tolist()
    [[[1.0], [3.0], [5.0]]]
    """
    x, w = matched(input, filters)
    rank = _spatial_rank(x, w, "convolution")
    return _convolved(rank, x, w, strides, padding, data_format, dilations)


def _transposed(
    rank: int, input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any,
    data_format: str | None, dilations: Any,
) -> Tensor:  # fmt: skip
    g, w = matched(input, filters)
    checked_rank(g.static_shape, rank + 2, "the input")
    checked_rank(w.static_shape, rank + 2, "the filter")
    first = channels_first(data_format, rank)
    steps = spatial(strides, rank, "strides", first)
    spread = spatial(dilations, rank, "dilations", first)
    around = padding_of(padding, rank, first)
    static, vector = _output_shape(output_shape, g, w, rank, first)
    if first:
        g = channels_last(g, rank)
    if rank == 1:
        g, w = ops.expand_dims(g, 1), ops.expand_dims(w, 0)
        static = None if static is None else (static[0], 1, *static[1:])
        vector = tuple(ops.concat([v[:1], [1], v[1:]], 0) for v in vector)
        steps, spread = (1, *steps), (1, *spread)
        around = around if isinstance(around, str) else ((0, 0), *around)
    made: Tensor = bind(
        _BACKPROP_INPUT[max(rank, 2)], w, g, *vector, shape=static, strides=steps, padding=around,
        dilations=spread,
    )  # fmt: skip
    made = ops.squeeze(made, [1]) if rank == 1 else made
    return channels_in_front(made, rank) if first else made


def _output_shape(
    given: Any, g: Tensor, w: Tensor, rank: int, first: bool
) -> tuple[Shape, tuple[Tensor, ...]]:
    """The shape of a result, channels last: what is static of it, and the whole where that is not
    all.
    """
    static, dynamic = dims_of(given)
    if static is not None and len(static) == rank:
        sizes = list(given) if isinstance(given, list | tuple) else list(static)
        ends = [_dim(g, 0), _dim(w, -2)]
        given = [*ends, *sizes] if first else [ends[0], *sizes, ends[1]]
        static, dynamic = dims_of(given)
    if static is not None and len(static) != rank + 2:
        raise wrong_value(f"output_shape must have {rank + 2} entries, got {list(static)}")
    order = [0, *range(2, rank + 2), 1] if first else list(range(rank + 2))
    if not dynamic:
        assert static is not None
        return tuple(static[i] for i in order), ()
    vector = ops.cast(convert_to_tensor(given), dtypes.int32)
    vector = ops.gather(vector, np.asarray(order)) if first else vector
    return None if static is None else tuple(static[i] for i in order), (vector,)


def _dim(x: Tensor, axis: int) -> Any:
    shape = x.static_shape
    known = None if shape is None else shape[axis]
    return ops.shape(x)[axis] if known is None else known


def conv1d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str | None = "NWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `conv1d`; filters are (width, out channels, channels).

    >>> line = [[[0.], [1.], [2.], [3.]]]
    >>> rt.nn.conv1d_transpose(line, rt.ones([2, 1, 1]), [1, 5, 1], 1, "VALID").numpy().tolist()
    [[[0.0], [1.0], [3.0], [5.0], [3.0]]]
    """
    return _transposed(1, input, filters, output_shape, strides, padding, data_format, dilations)


def conv2d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str | None = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `conv2d` as a linear map.

    Filters are (height, width, out channels, channels).

    `output_shape` is the whole shape or its spatial part; a `conv2d` of it must have the shape of
    `input`.

    >>> picture = [[[[0.], [1.]], [[2.], [3.]]]]
    >>> made = rt.nn.conv2d_transpose(picture, rt.ones([2, 2, 1, 1]), [1, 3, 3, 1], 1, "VALID")
    >>> made[0, :, :, 0].numpy().tolist()
    [[0.0, 1.0, 1.0], [2.0, 6.0, 4.0], [2.0, 5.0, 3.0]]
    """
    return _transposed(2, input, filters, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str | None = "NDHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `conv3d`; see `conv2d_transpose`.

    >>> cube, filters = rt.ones([1, 2, 2, 2, 1]), rt.ones([2, 2, 2, 1, 1])
    >>> rt.nn.conv3d_transpose(cube, filters, [1, 3, 3, 3, 1], 1, "VALID").shape
    TensorShape([1, 3, 3, 3, 1])
    """
    return _transposed(3, input, filters, output_shape, strides, padding, data_format, dilations)


def conv_transpose(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose of `convolution`, over as many axes as the filters have.

    >>> line = [[[0.], [1.], [2.], [3.]]]
    >>> rt.nn.conv_transpose(line, rt.ones([2, 1, 1]), [1, 5, 1], 1, "VALID").numpy().tolist()
    [[[0.0], [1.0], [3.0], [5.0], [3.0]]]
    """
    g, w = matched(input, filters)
    rank = _spatial_rank(g, w, "conv_transpose")
    return _transposed(rank, g, w, output_shape, strides, padding, data_format, dilations)


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, data_format: str | None = None,
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each channel convolved by itself: filters are (height, width, channels, multiplier).

    The result has channels times multiplier channels. See `conv2d` for the other arguments.

    >>> picture = [[[[0.], [1.]], [[2.], [3.]]]]
    >>> rt.nn.depthwise_conv2d(picture, rt.ones([2, 2, 1, 1]), [1] * 4, "VALID").numpy().tolist()
    [[[[6.0]]]]
    """
    x, w = matched(input, filter)
    first = channels_first(data_format, 2)
    geometry = {
        "strides": spatial(strides, 2, "strides", first),
        "padding": padding_of(padding, 2, first),
        "dilations": spatial(dilations, 2, "dilations", first),
    }
    return in_layout(x, 2, first, lambda x: bind(depthwise_conv2d_p, x, w, **geometry))


def separable_conv2d(
    input: Any, depthwise_filter: Any, pointwise_filter: Any, strides: Any, padding: Any,
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A depthwise convolution followed by one with filters of size 1, which mixes the channels.

    >>> picture, depthwise = [[[[0.], [1.]], [[2.], [3.]]]], rt.ones([2, 2, 1, 1])
    >>> made = rt.nn.separable_conv2d(picture, depthwise, rt.ones([1, 1, 1, 1]), [1] * 4, "VALID")
    >>> made.numpy().tolist()
    [[[[6.0]]]]
    """
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    mixing = convert_to_tensor(pointwise_filter)
    if not compatible(mixing.static_shape, (1, 1, None, None)):
        raise wrong_value(f"the pointwise_filter must be [1, 1, in, out], got {mixing.shape}")
    mixing = ops.ensure_shape(mixing, (1, 1, None, None))
    return conv2d(between, mixing, 1, "VALID", data_format or "NHWC")


def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """`conv2d` with stride 1 and dilations `rate`.

    >>> picture, filters = rt.ones([1, 3, 3, 1]), rt.ones([2, 2, 1, 1])
    >>> rt.nn.atrous_conv2d(picture, filters, 2, "VALID").numpy().tolist()
    [[[[4.0]]]]
    """
    return conv2d(value, filters, 1, padding, dilations=rate)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The transpose of `atrous_conv2d`.

    >>> picture, filters = rt.ones([1, 2, 2, 1]), rt.ones([2, 2, 1, 1])
    >>> rt.nn.atrous_conv2d_transpose(picture, filters, [1, 4, 4, 1], 2, "VALID").shape
    TensorShape([1, 4, 4, 1])
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
