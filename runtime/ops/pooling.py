"""Pooling: the largest or the mean element of each window, and the gradients as ops of their
own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    TABLE,
    Order,
    Primitive,
    bind,
    row,
    sample,
    wrong_shape,
    wrong_value,
)
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.ops.arguments import one_of, static_ints
from runtime.ops.convolution import in_layout, like
from runtime.ops.define import Example, Op, converted, named, zeroed
from runtime.ops.ordering_kernels import shared_numbers
from runtime.ops.windows import (
    CHANNELS_LAST,
    Padding,
    Sizes,
    channels_first,
    checked_rank,
    cropped,
    padded,
    padded_sizes,
    padding_of,
    pads_of,
    positions,
    spatial,
    taps,
)


def _pooled_shape(
    x: Shape, *, ksize: Sizes, strides: Sizes, padding: Padding, dilations: Sizes
) -> Shape:
    rank = len(ksize)
    checked_rank(x, rank + 2, "the input")
    if x is None:
        return (None,) * (rank + 2)
    return (x[0], *positions(x[1:-1], ksize, strides, padding, dilations), x[-1])


def _checked_result(x: Shape, g: Shape, **geometry: Any) -> None:
    expected = _pooled_shape(x, **geometry)
    try:
        merge_shapes(expected, g)
    except ValueError:
        raise wrong_value(
            f"pooling of shape {x} has a result of shape {expected}, not {g}"
        ) from None


class _Window:
    """The geometry of one pooling of an array of given sizes."""

    __slots__ = ("dilations", "ksize", "pads", "places", "sizes", "strides")

    def __init__(
        self, sizes: Sizes, ksize: Sizes, strides: Sizes, padding: Padding, dilations: Sizes
    ) -> None:
        self.sizes = sizes
        self.ksize = ksize
        self.strides = strides
        self.dilations = dilations
        self.pads = pads_of(sizes, ksize, strides, padding, dilations)
        self.places: Any = positions(sizes, ksize, strides, padding, dilations)

    def cuts(self) -> Any:
        """The slice of the padded array for each element of the window."""
        for _, cut in taps(self.ksize, (self.strides, self.dilations), self.places):
            yield cut

    def combined(self, x: Any, combine: Any, out: Any, work: Workspace) -> None:
        """The elements of each window of a padded array combined, along one axis after the
        other.
        """
        shape, last = list(x.shape), len(self.ksize)
        for axis, (k, n) in enumerate(zip(self.ksize, self.places, strict=True), 1):
            stride, dilation = self.strides[axis - 1], self.dilations[axis - 1]
            first, *parts = [x[self._cut(axis, i * dilation, n, stride)] for i in range(k)]
            shape[axis] = n
            x = out if axis == last else work.array(shape, x.dtype)
            if not parts:
                np.copyto(x, first)
            for part in parts:
                combine(first, part, out=x)
                first = x

    @staticmethod
    def _cut(axis: int, start: int, count: int, stride: int) -> tuple[slice, ...]:
        stop = start + (count - 1) * stride + 1 if count else start
        return (slice(None),) * axis + (slice(start, stop, stride),)

    def zeros(self, batch: int, channels: int, dtype: Any, work: Workspace) -> Any:
        """A padded array of zeros."""
        return work.zeros((batch, *padded_sizes(self.sizes, self.pads), channels), dtype)


def _result(shape: Any, dtype: Any, out: Any) -> Any:
    return np.empty(shape, dtype) if out is None else out


# The largest


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _max_pool_kernel(
    x: Any, *, out: Any = None, work: Workspace | None = None, **geometry: Any
) -> Any:
    made = _result(_pooled_shape(x.shape, **geometry), x.dtype, out)
    window, work = _Window(x.shape[1:-1], **geometry), opened(work)
    window.combined(padded(x, window.pads, work, _lowest(x.dtype)), np.maximum, made, work)
    return made


def _chosen(window: _Window, x: Any, y: Any, work: Workspace) -> Any:
    """For each element of the window where it is the first that equals the largest, and its
    slice.
    """
    x = padded(x, window.pads, work, _lowest(x.dtype))
    free, hit = work.array(y.shape, bool), work.array(y.shape, bool)
    free.fill(True)
    for cut in window.cuts():
        np.equal(x[cut], y, out=hit)
        np.logical_and(hit, free, out=hit)
        np.logical_xor(free, hit, out=free)
        yield cut, hit


def _max_pool_grad_kernel(
    x: Any, y: Any, g: Any, *, out: Any = None, work: Workspace | None = None, **geometry: Any
) -> Any:
    made = _result(_max_pool_grad_shape(x.shape, y.shape, g.shape, **geometry), g.dtype, out)
    window, work = _Window(x.shape[1:-1], **geometry), opened(work)
    full = window.zeros(x.shape[0], x.shape[-1], g.dtype, work)
    for cut, hit in _chosen(window, x, y, work):
        np.add(full[cut], g, out=full[cut], where=hit)
    np.copyto(made, cropped(full, window.pads, window.sizes))
    return made


def _max_pool_grad_shape(x: Shape, y: Shape, g: Shape, **geometry: Any) -> Shape:
    _checked_result(x, y, **geometry)
    _checked_result(x, g, **geometry)
    return x


def _max_pool_pick_kernel(
    x: Any, y: Any, h: Any, *, out: Any = None, work: Workspace | None = None, **geometry: Any
) -> Any:
    made = zeroed(_max_pool_pick_shape(x.shape, y.shape, h.shape, **geometry), h.dtype, out)
    window, work = _Window(x.shape[1:-1], **geometry), opened(work)
    h = padded(h, window.pads, work)
    for cut, hit in _chosen(window, x, y, work):
        np.add(made, h[cut], out=made, where=hit)
    return made


def _max_pool_pick_shape(x: Shape, y: Shape, h: Shape, **geometry: Any) -> Shape:
    _checked_result(x, y, **geometry)
    merge_shapes(x, h)
    return merge_shapes(y, _pooled_shape(x, **geometry))


# The mean


def _counts(window: _Window, dtype: Any, work: Workspace) -> Any:
    """Returns the number of elements of each window inside of the array, by place."""
    inside = window.zeros(1, 1, dtype, work)
    cropped(inside, window.pads, window.sizes)[...] = 1
    made = work.zeros((1, *window.places, 1), dtype)
    for cut in window.cuts():
        made += inside[cut]
    return np.maximum(made, 1, out=made)


def _divide(total: Any, window: _Window, out: Any, work: Workspace) -> None:
    """Sums over windows by how many elements each has."""
    if any(before or after for before, after in window.pads):
        np.divide(total, _counts(window, total.dtype, work), out=out)
    else:
        np.multiply(total, total.dtype.type(1 / math.prod(window.ksize)), out=out)


def _avg_pool_kernel(
    x: Any, *, out: Any = None, work: Workspace | None = None, **geometry: Any
) -> Any:
    made = _result(_pooled_shape(x.shape, **geometry), x.dtype, out)
    window, work = _Window(x.shape[1:-1], **geometry), opened(work)
    half = x.dtype.char == "e"
    total = work.array(made.shape, np.float32) if half else made
    wide = padded(work.copied(x, np.float32) if half else x, window.pads, work)
    window.combined(wide, np.add, total, work)
    _divide(total, window, total, work)
    return converted(total, x.dtype, made) if half else made


def _avg_pool_grad_kernel(
    g: Any, *dims: Any, shape: Shape, out: Any = None, work: Workspace | None = None,
    **geometry: Any,
) -> Any:  # fmt: skip
    whole: Any = tuple(dims[0].tolist()) if dims else shape
    _checked_result(whole, g.shape, **geometry)
    window, work = _Window(whole[1:-1], **geometry), opened(work)
    full = window.zeros(whole[0], whole[-1], g.dtype, work)
    share = work.array(g.shape, g.dtype)
    _divide(g, window, share, work)
    for cut in window.cuts():
        full[cut] += share
    made = _result(whole, g.dtype, out)
    np.copyto(made, cropped(full, window.pads, window.sizes))
    return made


def _avg_pool_grad_shape(g: Shape, *dims: Shape, shape: Shape, **geometry: Any) -> Shape:
    made = (None,) * (len(geometry["ksize"]) + 2) if shape is None else shape
    _checked_result(made, g, **geometry)
    return made


# Rows


def _geometry(op: Any) -> dict[str, Any]:
    return {key: op.params[key] for key in ("ksize", "strides", "padding", "dilations")}


def _sampled(
    ksize: int, strides: int, padding: Padding, rank: int, dilations: int = 1
) -> dict[str, Any]:
    return {
        "ksize": (ksize,) * rank, "strides": (strides,) * rank, "padding": padding,
        "dilations": (dilations,) * rank,
    }  # fmt: skip


_SAMPLES = {
    2: (
        ("2,4,5,2", "2,2,2,2", _sampled(2, 2, "VALID", 2)),
        ("1,4,5,2", "1,4,5,2", _sampled(3, 1, "SAME", 2)),
        ("1,3,4,1", "1,2,3,1", _sampled(2, 1, "VALID", 2)),
        ("1,5,3,2", "1,3,2,2", _sampled(3, 2, ((1, 1), (1, 1)), 2)),
    ),
    3: (("1,2,3,4,1", "1,1,2,2,1", _sampled(2, 2, "SAME", 3)),),
}


def _max_pool_rows(rank: int, suffix: str) -> Primitive:
    def gradient(op: Any, g: Any) -> Any:
        return (bind(spread, op.inputs[0], op.outputs[0], g, **_geometry(op)),)

    def spread_gradient(op: Any, h: Any) -> Any:
        x, y, _ = op.inputs
        return None, None, bind(pick, x, y, h, **_geometry(op))

    def pick_gradient(op: Any, g: Any) -> Any:
        x, y, _ = op.inputs
        return None, None, bind(spread, x, y, g, **_geometry(op))

    samples = _SAMPLES[rank]
    pool = row(
        f"max_pool{rank}d", _max_pool_kernel, signature="R->R", shape=_pooled_shape,
        op_type=f"MaxPool{suffix}", gradient=gradient, keep_outputs=(0,),
        samples=tuple(sample(x, **geometry) for x, _, geometry in samples), order=Order.C,
        instruction="largest_of_windows",
    )  # fmt: skip
    spread = row(
        f"max_pool{rank}d_grad", _max_pool_grad_kernel, signature="R,R,R->R",
        shape=_max_pool_grad_shape, op_type=f"MaxPool{suffix}Grad", gradient=spread_gradient,
        keep_inputs=(0, 1),
        samples=tuple(sample(x, y, y, **geometry) for x, y, geometry in samples), order=Order.C,
        instruction="largest_of_windows_grad",
    )  # fmt: skip
    pick = row(
        f"max_pool{rank}d_grad_grad", _max_pool_pick_kernel, signature="R,R,R->R",
        shape=_max_pool_pick_shape, op_type=f"MaxPool{suffix}GradGrad", gradient=pick_gradient,
        keep_inputs=(0, 1),
        samples=tuple(sample(x, y, x, **geometry) for x, y, geometry in samples), order=Order.C,
    )  # fmt: skip
    return pool


def _avg_pool_rows(rank: int, suffix: str) -> Primitive:
    def gradient(op: Any, g: Any) -> Any:
        dims, shape = like(op.inputs[0])
        return (bind(spread, g, *dims, shape=shape, **_geometry(op)),)

    def spread_gradient(op: Any, h: Any) -> Any:
        return bind(pool, h, **_geometry(op)), *[None] * (len(op.inputs) - 1)

    samples = _SAMPLES[rank]
    pool = row(
        f"avg_pool{rank}d", _avg_pool_kernel, signature="G->G", shape=_pooled_shape,
        op_type=f"AvgPool{suffix}", gradient=gradient, keep_inputs=(),
        samples=tuple(sample(x, **geometry) for x, _, geometry in samples), order=Order.C,
        instruction="mean_of_windows",
    )  # fmt: skip
    spread = row(
        f"avg_pool{rank}d_grad", _avg_pool_grad_kernel, signature="G,i*->G",
        shape=_avg_pool_grad_shape, op_type=f"AvgPool{suffix}Grad", gradient=spread_gradient,
        keep_inputs=(),
        samples=tuple(
            sample(y, shape=tuple(map(int, x.split(","))), **geometry) for x, y, geometry in samples
        ), order=Order.C, instruction="mean_of_windows_grad",
    )  # fmt: skip
    return pool


_MAX = {2: _max_pool_rows(2, ""), 3: _max_pool_rows(3, "3D")}
_AVG = {2: _avg_pool_rows(2, ""), 3: _avg_pool_rows(3, "3D")}


def _argmax_kernel(
    x: Any, *, batched: bool, dtype: Any, out: tuple[Any, Any] = (None, None),
    work: Workspace | None = None, **geometry: Any,
) -> Any:  # fmt: skip
    y = _max_pool_kernel(x, out=out[0], work=work, **geometry)
    window, work = _Window(x.shape[1:-1], **geometry), opened(work)
    flat = padded(_places(x.shape, batched, dtype.np_dtype, work), window.pads, work)
    place = zeroed(y.shape, dtype.np_dtype, out[1])
    product = work.array(y.shape, dtype.np_dtype)
    for cut, hit in _chosen(window, x, y, work):
        place += np.multiply(flat[cut], hit, out=product)
    return y, place


def _places(shape: Any, batched: bool, dtype: Any, work: Workspace) -> Any:
    """The place of each element in its image, or in the batch of images."""
    sizes = shape if batched else (1, *shape[1:])
    return shared_numbers(math.prod(sizes), work, dtype).reshape(sizes)


def _argmax_shape(x: Shape, *, batched: bool, dtype: Any, **geometry: Any) -> Any:
    made = _pooled_shape(x, **geometry)
    return made, made


def _argmax_gradient(op: Any, g: Any, *rest: Any) -> Any:
    return (bind(TABLE["max_pool2d_grad"], op.inputs[0], op.outputs[0], g, **_geometry(op)),)


max_pool_with_argmax_p = row(
    "max_pool_with_argmax", _argmax_kernel, signature="R->R,dtype", shape=_argmax_shape,
    op_type="MaxPoolWithArgmax", gradient=_argmax_gradient, keep_outputs=(0,),
    samples=(sample("1,4,5,2", batched=False, dtype=dtypes.int64, **_sampled(2, 2, "SAME", 2)),),
    order=Order.C,
)  # fmt: skip


# Public functions


def _pool(
    rows: dict[int, Primitive], rank: int, input: Any, ksize: Any, strides: Any, padding: Any,
    data_format: str | None, dilations: Any = None,
) -> Tensor:  # fmt: skip
    x = convert_to_tensor(input)
    first = channels_first(data_format, rank)
    if rank == 2 and not first and _is_over_channels(ksize):
        return _over_channels(rows, x, static_ints(ksize, "ksize"), static_ints(strides, "strides"))
    geometry: dict[str, Any] = {
        "ksize": spatial(ksize, rank, "ksize", first),
        "strides": spatial(strides, rank, "strides", first),
        "padding": padding_of(padding, rank, first),
        "dilations": spatial(dilations, rank, "dilations", first),
    }
    _check_padding(geometry["padding"], geometry["ksize"])
    if x.ndim is not None and x.ndim != rank + 2:
        raise wrong_value(
            f"pooling over {rank} axes needs a tensor of rank {rank + 2}, got shape {x.shape}"
        )
    if rank == 1:
        geometry = _flat(geometry)
        return in_layout(
            x, 1, first,
            lambda x: ops.squeeze(bind(rows[2], ops.expand_dims(x, 1), **geometry), [1]),
        )  # fmt: skip
    return in_layout(x, rank, first, lambda x: bind(rows[rank], x, **geometry))


def _is_over_channels(ksize: Any) -> bool:
    sizes = static_ints(ksize, "ksize")
    return len(sizes) == 4 and sizes[3] > 1


def _over_channels(rows: dict[int, Primitive], x: Tensor, ksize: Sizes, strides: Sizes) -> Tensor:
    """Pooling of so many channels each, beginning with the first."""
    steps = tuple(strides) * (4 if len(strides) == 1 else 1)
    if (*ksize[:3], *steps) != ((1,) * 6 + (ksize[3],)):
        raise errors.UnimplementedError(
            "pooling over channels takes windows that are 1 along the other axes, and stand side "
            f"by side: ksize {list(ksize)} and strides {list(strides)} do not"
        )
    channels = x.shape[-1] if x.ndim == 4 else None
    if channels is None or channels % ksize[3]:
        raise errors.UnimplementedError(
            f"pooling over channels needs a tensor of rank 4 with a known multiple of {ksize[3]} "
            f"channels, got shape {x.shape}"
        )
    lines = ops.reshape(x, [-1, channels, 1])
    pooled = _pool(rows, 1, lines, ksize[3], ksize[3], "VALID", None)
    shape = ops.concat([ops.shape(x)[:3], [channels // ksize[3]]], 0)
    made = ops.reshape(pooled, shape)
    made.set_shape([*x.shape[:3], channels // ksize[3]])
    return made


def _flat(geometry: dict[str, Any]) -> dict[str, Any]:
    """One axis as the second of two."""
    padding = geometry["padding"]
    return {
        **{key: (1, *geometry[key]) for key in ("ksize", "strides", "dilations")},
        "padding": padding if isinstance(padding, str) else ((0, 0), *padding),
    }


def _check_padding(padding: Padding, ksize: Sizes) -> None:
    if isinstance(padding, str):
        return
    for pair, k in zip(padding, ksize, strict=True):
        if max(pair) >= k:
            raise wrong_value(f"padding {pair} must be smaller than the window's size {k}")


def _rank_of(x: Tensor, what: str) -> int:
    if x.ndim is None or not 3 <= x.ndim <= 5:
        raise wrong_shape(f"{what} needs a tensor of known rank 3, 4 or 5, got shape {x.shape}", x)
    return x.ndim - 2


def _public(rows: dict[int, Primitive], rank: int, name: str, doc: str, example: Example) -> Op:
    def function(
        input: Any, ksize: Any, strides: Any, padding: Any,
        data_format: str | None = CHANNELS_LAST[rank - 1], name: str | None = None,
    ) -> Tensor:  # fmt: skip
        return _pool(rows, rank, input, ksize, strides, padding, data_format)

    return named(function, name, doc, example)


def _any_rank(rows: dict[int, Primitive], name: str, doc: str, example: Example) -> Op:
    def function(
        input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None,
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        x = convert_to_tensor(input)
        return _pool(rows, _rank_of(x, public), x, ksize, strides, padding, data_format)

    public = name
    return named(function, name, doc, example)


_LARGEST = "The largest element of each window"
_MEAN = "The mean of each window"
max_pool: Op = _any_rank(
    _MAX, "max_pool",
    f"{_LARGEST}, over 1 to 3 spatial axes by the rank of `input`; see `max_pool2d`.",
    example=(
        'rt.nn.max_pool([[[[0.], [1.]], [[2.], [3.]]]], 2, 1, "VALID").numpy().tolist()',
        "[[[[3.0]]]]",
    ),
)  # fmt: skip
max_pool1d: Op = _public(
    _MAX, 1, "max_pool1d", f"{_LARGEST} of (batch, width, channels); see `max_pool2d`.",
    example=(
        'rt.nn.max_pool1d([[[0.], [1.], [2.], [3.]]], 2, 2, "VALID").numpy().tolist()',
        "[[[1.0], [3.0]]]",
    ),
)  # fmt: skip
max_pool2d: Op = _public(
    _MAX, 2, "max_pool2d",
    f"""{_LARGEST} of (batch, height, width, channels).

    `ksize` and `strides` are one number or a list, `padding` is "VALID", "SAME" or a list of four
    pairs smaller than the window; what is padded is never chosen. ValueError for wrong arguments.

    `ksize` and `strides` of [1, 1, 1, n] take the largest of n channels; UnimplementedError for
    other windows over channels.
    """,
    example=(
        'rt.nn.max_pool2d([[[[0.], [1.]], [[2.], [3.]]]], 2, 1, "VALID").numpy().tolist()',
        "[[[[3.0]]]]",
    ),
)  # fmt: skip
max_pool3d: Op = _public(
    _MAX, 3, "max_pool3d",
    f"{_LARGEST} of (batch, depth, height, width, channels); see `max_pool2d`.",
    example=(
        'rt.nn.max_pool3d(rt.ones([1, 2, 2, 2, 1]), 2, 1, "VALID").numpy().tolist()',
        "[[[[[1.0]]]]]",
    ),
)  # fmt: skip
avg_pool: Op = _any_rank(
    _AVG, "avg_pool",
    f"{_MEAN}, over 1 to 3 spatial axes by the rank of `input`; see `avg_pool2d`.",
    example=(
        'rt.nn.avg_pool([[[[0.], [1.]], [[2.], [3.]]]], 2, 1, "VALID").numpy().tolist()',
        "[[[[1.5]]]]",
    ),
)  # fmt: skip
avg_pool1d: Op = _public(
    _AVG, 1, "avg_pool1d", f"{_MEAN} of (batch, width, channels); see `avg_pool2d`.",
    example=(
        'rt.nn.avg_pool1d([[[0.], [1.], [2.], [3.]]], 2, 2, "VALID").numpy().tolist()',
        "[[[0.5], [2.5]]]",
    ),
)  # fmt: skip
avg_pool2d: Op = _public(
    _AVG, 2, "avg_pool2d",
    f"""{_MEAN} of (batch, height, width, channels); what is padded does not count.

    Floating-point tensors only. The arguments are those of `max_pool2d`.
    """,
    example=(
        'rt.nn.avg_pool2d([[[[0.], [1.]], [[2.], [3.]]]], 2, 1, "VALID").numpy().tolist()',
        "[[[[1.5]]]]",
    ),
)  # fmt: skip
avg_pool3d: Op = _public(
    _AVG, 3, "avg_pool3d",
    f"{_MEAN} of (batch, depth, height, width, channels); see `avg_pool2d`.",
    example=(
        'rt.nn.avg_pool3d(rt.ones([1, 2, 2, 2, 1]), 2, 1, "VALID").numpy().tolist()',
        "[[[[[1.0]]]]]",
    ),
)  # fmt: skip


def pool(
    input: Any, window_shape: Any, pooling_type: str, strides: Any = None, padding: Any = "VALID",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Pooling of the type "MAX" or "AVG", over 1 to 3 spatial axes, with dilations.

    >>> rt.nn.pool([[[0.], [1.], [2.], [3.]]], [2], "AVG", [2]).numpy().tolist()
    [[[0.5], [2.5]]]
    """
    kinds = {"MAX": _MAX, "AVG": _AVG}
    rows = kinds[one_of(pooling_type, "pooling_type", kinds)]
    x = convert_to_tensor(input)
    rank = _rank_of(x, "pool")
    return _pool(rows, rank, x, window_shape, strides, padding, data_format, dilations)


class MaxPoolWithArgmax(NamedTuple):
    """The largest elements of windows, and their places."""

    output: Tensor
    argmax: Tensor


def max_pool_with_argmax(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64, include_batch_in_index: bool = False, name: str | None = None,
) -> MaxPoolWithArgmax:  # fmt: skip
    """The largest element of each window, `output`, and its place, `argmax`.

    That is in the flattened image (or the flattened batch of images).

    >>> picture = rt.reshape(rt.range(4.), [1, 2, 2, 1])
    >>> [x.numpy().tolist() for x in rt.nn.max_pool_with_argmax(picture, 2, 1, "VALID")]
    [[[[[3.0]]]], [[[[3]]]]]
    """
    if channels_first(data_format, 2):
        raise wrong_value('max_pool_with_argmax takes data_format "NHWC" only')
    wanted = dtypes.as_dtype(output_dtype)
    if wanted not in (dtypes.int32, dtypes.int64):
        raise wrong_value(f"output_dtype must be int32 or int64, got {wanted.name}")
    return MaxPoolWithArgmax(*bind(
        max_pool_with_argmax_p, convert_to_tensor(input), batched=bool(include_batch_in_index),
        dtype=wanted, ksize=spatial(ksize, 2, "ksize"), strides=spatial(strides, 2, "strides"),
        padding=padding_of(padding, 2), dilations=(1, 1),
    ))  # fmt: skip
