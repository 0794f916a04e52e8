"""Reductions along axes, their cumulative forms, and the ways back from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.identities import of_known_shape
from runtime.core.primitive import (
    TABLE,
    Memory,
    Primitive,
    Sample,
    bind,
    row,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.core.shapes import Shape, as_shape, broadcast, is_known, merge_shapes
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.dtypes import as_dtype
from runtime.ops import batching, run_time_axes
from runtime.ops.arguments import axes_or_tensor, axis_or_tensor, listed
from runtime.ops.checks import checked
from runtime.ops.define import Example, Op, axes_in, axis_in, converted, copied, fill_dims, named
from runtime.ops.gathering import gathered
from runtime.ops.joining import joined

Axis = tuple[int, ...] | None
REDUCED = (
    sample("2,3", axis=None, keepdims=False),
    sample("2,3,4", axis=(1,), keepdims=False),
    sample("2,3,4", axis=(0, 2), keepdims=True),
    sample("", axis=None, keepdims=False),
)


def reduced_shape(shape: Shape, *, axis: Axis, keepdims: bool, **params: Any) -> Shape:
    """Shape rule of reductions; axis None reduces all."""
    if shape is None:
        return () if axis is None and not keepdims else None
    rank = len(shape)
    gone = set(range(rank)) if axis is None else axes_in(axis, rank)
    if keepdims:
        return tuple(1 if i in gone else dim for i, dim in enumerate(shape))
    return tuple(dim for i, dim in enumerate(shape) if i not in gone)


def _axis_of(axis: Any) -> Axis | Tensor:
    return None if axis is None else axes_or_tensor(axis)


def restore(value: Any, like: Any, axis: Axis, keepdims: bool) -> Any:
    """`value`, a reduction of `like` along `axis`, with the reduced axes put back as 1."""
    if keepdims or axis == ():
        return value
    rank = like.ndim
    if axis is None:
        if rank is None:
            return value
        return ops.reshape(value, (1,) * rank)
    if rank is None:
        sizes = ops.shape(like)
        gone = ops.floormod(convert_to_tensor([[i] for i in axis]), ops.size(sizes))
        return ops.reshape(value, ops.tensor_scatter_nd_update(sizes, gone, [1] * len(axis)))
    for i in sorted(axis_in(i, rank) for i in axis):
        value = ops.expand_dims(value, i)
    return value


def _spread(op: Any, g: Any) -> Any:
    """`g` repeated over the axes that the reduction summed."""
    x = op.inputs[0]
    return ops.broadcast_like(restore(g, x, op.params["axis"], op.params["keepdims"]), x)


def reduction(
    name: str,
    kernel: Callable[..., Any],
    signature: str,
    *,
    op_type: str,
    doc: str,
    example: Example,
    gradient: Callable[[Any, Any], Any] | None = None,
    keep_inputs: tuple[int, ...] | None = None,
    keep_outputs: tuple[int, ...] = (),
    samples: tuple[Sample, ...] = REDUCED,
) -> Callable[..., Tensor]:
    """The public function and row of a reduction whose kernel takes `axis` and `keepdims`."""
    primitive = row(
        name, kernel, signature=signature, shape=reduced_shape, op_type=op_type, gradient=gradient,
        keep_inputs=keep_inputs, keep_outputs=keep_outputs, samples=samples,
        batching=batching.along_axes, instruction="reduce_" + name,
    )  # fmt: skip
    return named(_reduction_function(primitive), "reduce_" + name, doc, example)


def _reduction_function(primitive: Primitive) -> Callable[..., Tensor]:
    def function(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
    ) -> Tensor:
        x = convert_to_tensor(input_tensor, dtype_hint=primitive.hint)
        chosen = _axis_of(axis)
        if isinstance(chosen, Tensor):
            return run_time_axes.reduced(function, x, chosen, keepdims)
        return bind(primitive, x, axis=chosen, keepdims=bool(keepdims))  # type: ignore[no-any-return]

    return function


_add_reduce: Any = np.add.reduce


def _sum_kernel(x: Any, *, axis: Axis, keepdims: bool, out: Any = None) -> Any:
    if axis is not None and x.size > _MANY and x.dtype.char in "fd":
        return _sum_of_many(x, axis, keepdims, out)
    if x.dtype.char == "e":
        # Rounded once: of more than 2048 ones the others would be lost.
        return converted(_add_reduce(x, axis, np.float32, None, keepdims), x.dtype, out)
    return _add_reduce(x, axis, x.dtype, out, keepdims)


# From how many elements on a sum is worth a closer look, and the length of rows that add up fast.
_MANY, _LONG = 1 << 13, 512


def _sum_of_many(x: Any, axis: tuple[int, ...], keepdims: bool, out: Any) -> Any:
    """NumPy adds short rows, such as those of a few channels, ten times slower than long ones:
    they are added as long ones first.
    """
    block = _block_of_rows(x, axis)
    if block is None:
        return _add_reduce(x, axis, x.dtype, out, keepdims)
    outer, count, length = block
    rows, joined = x.reshape(block), _LONG // length
    whole = count // joined * joined
    long = _add_reduce(rows[:, :whole].reshape(outer, whole // joined, joined * length), 1)
    into = None if out is None else out.reshape(outer, length)
    total = _add_reduce(long.reshape(outer, joined, length), 1, None, into)
    if whole < count:
        total += _add_reduce(rows[:, whole:], 1)
    gone = {i % x.ndim for i in axis}
    kept = [1 if i in gone else dim for i, dim in enumerate(x.shape) if keepdims or i not in gone]
    return total.reshape(kept)


def _block_of_rows(x: Any, axis: tuple[int, ...]) -> tuple[int, int, int] | None:
    """(outer, rows, length) where neighbouring axes of an array in C order are summed over short
    rows; None elsewhere.
    """
    places = sorted({i % x.ndim for i in axis if -x.ndim <= i < x.ndim})
    neighbours = len(places) > 0 and places[-1] - places[0] + 1 == len(places) == len(axis)
    if not neighbours or not x.flags.c_contiguous:
        return None
    length = prod(x.shape[places[-1] + 1 :])
    count = prod(x.shape[i] for i in places)
    if not 1 < length <= _LONG // 4 or count < 2 * _LONG // length:
        return None
    return prod(x.shape[: places[0]]), count, length


sum_p: Primitive = row(
    "sum", _sum_kernel, signature="N->N", shape=reduced_shape, op_type="Sum", keep_inputs=(),
    gradient=lambda op, g: (_spread(op, g),), samples=REDUCED, batching=batching.along_axes,
    instruction="reduce_sum",
)  # fmt: skip
_SUMMED = sum_p.accepted


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The sum of the elements along `axis` (an int or several; None: all). Keeps the dtype.

    >>> int(rt.reduce_sum([[1, 2], [3, 4]]))
    10
    """
    run = state.run
    if run is not None and axis is None and not keepdims and type(input_tensor) is EagerTensor:
        raw = input_tensor.raw
        if raw.dtype in _SUMMED and raw.dtype.char != "e":
            return EagerTensor(run(_add_reduce, raw, None, raw.dtype))
    x, chosen = convert_to_tensor(input_tensor), _axis_of(axis)
    if isinstance(chosen, Tensor):
        return run_time_axes.reduced(reduce_sum, x, chosen, keepdims)
    return bind(sum_p, x, axis=chosen, keepdims=bool(keepdims))  # type: ignore[no-any-return]


def _count(x: Any, axis: Axis) -> Any:
    shape = x.static_shape
    if is_known(shape):
        chosen = shape if axis is None else [shape[i] for i in axis]
        return int(np.prod(chosen, dtype=np.int64))
    sizes = ops.shape(x)
    if axis is not None:
        sizes = gathered(sizes, np.asarray(axis), 0, 0, True)
    return ops.cast(bind(prod_p, sizes, axis=None, keepdims=False), x.dtype)


def _mean_kernel(x: Any, *, axis: Axis, keepdims: bool, out: Any = None) -> Any:
    wide = _WIDE.get(x.dtype.char, x.dtype)
    into = out if wide is x.dtype and x.dtype.kind in "fc" else None
    total = _sum_kernel(x.astype(wide, copy=False), axis=axis, keepdims=keepdims, out=into)
    count = x.size // (total.size or 1)
    if x.dtype.kind in "fc":
        mean = np.divide(total, count or np.nan, out=into)
        return mean if wide is x.dtype else mean.astype(x.dtype)
    if not count:
        return total.astype(x.dtype)
    return ((total - np.fmod(total, count)) // count).astype(x.dtype)


# What sums of short numbers are made in.
_WIDE: dict[str, Any] = {
    "e": np.dtype(np.float32),
    **dict.fromkeys("bhi", np.dtype(np.int64)),
    **dict.fromkeys("BHI", np.dtype(np.uint64)),
}
reduce_mean: Op = reduction(
    "mean", _mean_kernel, "N->N", op_type="Mean", keep_inputs=(),
    gradient=lambda op, g: (_spread(op, g) / _count(op.inputs[0], op.params["axis"]),),
    doc="The mean along `axis` (None: of all elements). Keeps the dtype: integers are truncated.",
    example=("rt.reduce_mean([[1., 2.], [3., 4.]], axis=0).numpy().tolist()", "[2.0, 3.0]"),
)  # fmt: skip


def _extremum(op: Any, g: Any) -> Any:
    x, y = op.inputs[0], op.outputs[0]
    axis, keepdims = op.params["axis"], op.params["keepdims"]
    chosen = ops.cast(ops.equal(x, restore(y, x, axis, keepdims)), x.dtype)
    shares = bind(sum_p, chosen, axis=axis, keepdims=True)
    return (chosen / shares * restore(g, x, axis, keepdims),)


def _extremum_kernel(ufunc: Any, lowest: bool) -> Callable[..., Any]:
    def kernel(x: Any, *, axis: Axis, keepdims: bool, out: Any = None) -> Any:
        # NumPy refuses to reduce nothing; the neutral element answers that.
        if np.size(x) == 0:
            return ufunc.reduce(x, axis, None, out, keepdims, _limit(x.dtype, lowest))
        return ufunc.reduce(x, axis, None, out, keepdims)

    return kernel


def _limit(dtype: Any, lowest: bool) -> Any:
    if dtype.kind == "f":
        return dtype.type(-np.inf if lowest else np.inf)
    return np.iinfo(dtype).min if lowest else np.iinfo(dtype).max


reduce_max: Op = reduction(
    "max", _extremum_kernel(np.maximum, True), "R->R", op_type="Max", gradient=_extremum,
    keep_outputs=(0,), doc="The largest element along `axis` (None: of all).",
    example=("int(rt.reduce_max([1, 2]))", "2"),
)  # fmt: skip
reduce_min: Op = reduction(
    "min", _extremum_kernel(np.minimum, False), "R->R", op_type="Min", gradient=_extremum,
    keep_outputs=(0,), doc="The smallest element along `axis` (None: of all).",
    example=("int(rt.reduce_min([1, 2]))", "1"),
)  # fmt: skip


def _prod_gradient(op: Any, g: Any) -> Any:
    """g times the product of all *other* elements: right where elements are 0, and twice
    differentiable.
    """
    x, axis = op.inputs[0], op.params["axis"]
    g = restore(g, x, axis, op.params["keepdims"])
    rank = x.ndim
    if rank is None:
        raise wrong_value(
            "the gradient of reduce_prod needs a tensor of known rank: use ensure_shape"
        )
    gone = sorted(range(rank) if axis is None else {axis_in(i, rank) for i in axis})
    kept = [i for i in range(rank) if i not in gone]
    order = kept + gone
    turned = ops.transpose(x, order)
    sizes = ops.shape(turned)
    rows = ops.reshape(turned, ops.concat([sizes[: len(kept)], [-1]], 0))
    others = ops.cumprod(rows, axis=-1, exclusive=True) * ops.cumprod(
        rows, axis=-1, exclusive=True, reverse=True
    )
    back = ops.transpose(ops.reshape(others, sizes), np.argsort(order).tolist())
    return (g * ops.conj(back),)


reduce_prod: Op = reduction(
    "prod", lambda x, *, axis, keepdims, out=None: np.prod(x, axis, x.dtype, out, keepdims),
    "N->N", op_type="Prod", gradient=_prod_gradient,
    doc="The product of the elements along `axis` (None: of all). Keeps the dtype.",
    example=("int(rt.reduce_prod([1, 2, 3]))", "6"),
)  # fmt: skip
prod_p = TABLE["prod"]


_TRUTHS = (
    sample("2,3:b", axis=None, keepdims=False),
    sample("2,3:b", axis=(-1,), keepdims=True),
)
reduce_all: Op = reduction(
    "all", lambda x, *, axis, keepdims, out=None: np.all(x, axis, out, keepdims),
    "B->bool", op_type="All", keep_inputs=(), samples=_TRUTHS,
    doc="True if all elements along `axis` (None: everywhere) are.",
    example=("bool(rt.reduce_all([True, False]))", "False"),
)  # fmt: skip
reduce_any: Op = reduction(
    "any", lambda x, *, axis, keepdims, out=None: np.any(x, axis, out, keepdims),
    "B->bool", op_type="Any", keep_inputs=(), samples=_TRUTHS,
    doc="True if any element along `axis` (None: anywhere) is.",
    example=("bool(rt.reduce_any([True, False]))", "True"),
)  # fmt: skip


def _centred_square(x: Tensor, axis: Axis) -> Tensor:
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise wrong_dtype(f"input must be real or complex numbers, not {x.dtype.name}")
    distance = x - reduce_mean(x, axis, True)
    return ops.square(ops.abs(distance) if x.dtype.is_complex else distance)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The variance (of the whole population) along `axis`; TypeError for integers.

    >>> float(rt.math.reduce_variance([1., 3.]))
    1.0
    """
    x, chosen = convert_to_tensor(input_tensor), _axis_of(axis)
    if isinstance(chosen, Tensor):
        return run_time_axes.reduced(reduce_variance, x, chosen, keepdims)
    return reduce_mean(_centred_square(x, chosen), chosen, keepdims)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation (of the whole population) along `axis`; TypeError for integers.

    >>> float(rt.math.reduce_std([1., 3.]))
    1.0
    """
    return ops.sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares along `axis`; of integers, rounded down.

    >>> float(rt.math.reduce_euclidean_norm([3., 4.]))
    5.0
    """
    x = convert_to_tensor(input_tensor)
    total = reduce_sum(x * ops.conj(x), axis, keepdims)
    if not x.dtype.is_integer:
        return ops.sqrt(total)
    return ops.cast(ops.sqrt(ops.cast(total, dtypes.float64)), x.dtype)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) along `axis`, without overflow.

    >>> round(float(rt.reduce_logsumexp([0., 0.])), 3)
    0.693
    """
    x, chosen = convert_to_tensor(input_tensor), _axis_of(axis)
    if isinstance(chosen, Tensor):
        return run_time_axes.reduced(reduce_logsumexp, x, chosen, keepdims)
    top = ops.stop_gradient(reduce_max(x, chosen, True))
    top = ops.where(ops.is_finite(top), top, ops.zeros_like(top))
    result = ops.log(reduce_sum(ops.exp(x - top), chosen, True)) + top
    return result if keepdims else _drop(result, chosen)


def _drop(x: Tensor, axis: Axis) -> Tensor:
    return ops.reshape(x, ()) if axis is None else ops.squeeze(x, axis)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Counts the elements along `axis` (None: of all) that are not zero, not false or not empty.

    >>> int(rt.math.count_nonzero([0, 2]))
    1
    """
    x = convert_to_tensor(input)
    nothing = convert_to_tensor("" if x.dtype is dtypes.string else np.zeros((), x.dtype.np_dtype))
    return reduce_sum(ops.cast(ops.not_equal(x, nothing), dtype), axis, keepdims)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of zeros among all elements, as float32.

    >>> float(rt.math.zero_fraction([0., 2.]))
    0.5
    """
    x = convert_to_tensor(value)
    zeros = ops.cast(ops.equal(x, ops.zeros_like(x)), dtypes.float32)
    return reduce_mean(zeros)


# The transpose of broadcasting


def _sum_to_kernel(x: Any, *dims: Any, shape: Shape, out: Any = None) -> Any:
    wanted = tuple(dims[0].tolist()) if dims else fill_dims(shape, ())
    if broadcast(x.shape, wanted) != x.shape:
        raise wrong_value(f"shape {x.shape} cannot be summed to {wanted}")
    extra = x.ndim - len(wanted)
    axes = tuple(range(extra)) + tuple(
        extra + i for i, dim in enumerate(wanted) if dim == 1 and x.shape[extra + i] != 1
    )
    if not axes:
        return x if out is None else copied(x, out)
    if out is not None:
        out = out.reshape([n for axis, n in enumerate(x.shape) if axis not in axes])
    return _sum_kernel(x, axis=axes, keepdims=False, out=out).reshape(wanted)


def _sum_to_shape(x: Shape, *dims: Shape, shape: Shape) -> Shape:
    if x is not None and shape is not None:
        broadcast(x, shape)
    return shape


def _sum_to_memory(inputs: Sequence[Any], outputs: Sequence[Any]) -> Memory:
    """A sum over nothing hands on its input."""
    wanted = inputs[0].shape, outputs[0].shape
    sums = all(map(is_known, wanted)) and wanted[0] != wanted[1]
    return Memory.READS if sums else Memory.ALIASES


sum_to_p: Primitive = row(
    "sum_to", _sum_to_kernel, signature="N,i*->N", shape=_sum_to_shape, op_type="SumTo",
    gradient=lambda op, g: (ops.broadcast_like(g, op.inputs[0]), *[None] * (len(op.inputs) - 1)),
    keep_inputs=(), samples=(sample("2,3", shape=(3,)), sample("4,2,3", shape=(2, 1))),
    memory=_sum_to_memory, identities=(of_known_shape,), batching=batching.sum_to,
    instruction="sum_to",
)  # fmt: skip


# Cumulative forms


def cumulative(ufunc: Any) -> Callable[..., Any]:
    """The kernel that accumulates `ufunc` along an axis."""

    def kernel(
        x: Any, *, axis: int, exclusive: bool, reverse: bool, out: Any = None
    ) -> Any:  # fmt: skip
        if not (exclusive or reverse):
            return ufunc.accumulate(x, axis, x.dtype, out)
        made = np.empty(x.shape, x.dtype) if out is None else out
        given, total = (np.flip(x, axis), np.flip(made, axis)) if reverse else (x, made)
        if exclusive:
            before = (slice(None),) * axis_in(axis, x.ndim)
            total[(*before, slice(1))] = ufunc.identity
            given, total = given[(*before, slice(-1))], total[(*before, slice(1, None))]
        ufunc.accumulate(given, axis, x.dtype, total)
        return made

    return kernel


def cumulative_shape(shape: Shape, *, axis: int, **params: Any) -> Shape:
    if shape is not None:
        axis_in(axis, len(shape))
    return shape


CUMULATED = (
    sample("3", axis=0, exclusive=False, reverse=False),
    sample("2,3", axis=1, exclusive=True, reverse=False),
    sample("2,3", axis=0, exclusive=False, reverse=True),
    sample("2,3", axis=-1, exclusive=True, reverse=True),
)


def _cumsum_gradient(op: Any, g: Any) -> Any:
    params = op.params
    back = cumsum(g, params["axis"], params["exclusive"], not params["reverse"])
    return (back,)


cumsum_p: Primitive = row(
    "cumsum", cumulative(np.add), signature="N->N", shape=cumulative_shape, op_type="Cumsum",
    gradient=_cumsum_gradient, keep_inputs=(), samples=CUMULATED, batching=batching.along_axis,
    instruction="running_sum",
)  # fmt: skip


def _cumprod_gradient(op: Any, g: Any) -> Any:
    """d out[k] / d x[j] is the product of the other elements up to k: a matrix with zeros where x
    has them.
    """
    x, params = op.inputs[0], op.params
    rank = x.ndim
    if rank is None:
        raise wrong_value("the gradient of cumprod needs a tensor of known rank: use ensure_shape")
    axis = axis_in(params["axis"], rank)
    order = [i for i in range(rank) if i != axis] + [axis]
    x, g = ops.transpose(x, order), ops.transpose(g, order)
    if params["reverse"]:
        x, g = ops.reverse(x, [-1]), ops.reverse(g, [-1])
    n = ops.shape(x)[-1]
    eye = ops.eye(n, dtype=x.dtype)
    # row j: x with element j replaced by 1; its running products are d out / d x[j] from j on
    rows = ops.expand_dims(x, -2) * (1 - eye) + eye
    products = ops.conj(cumprod(rows, -1, params["exclusive"]))
    position = ops.range(n)
    first = ops.expand_dims(position, -1) + (1 if params["exclusive"] else 0)
    reached = ops.cast(ops.greater_equal(ops.expand_dims(position, 0), first), x.dtype)
    result = reduce_sum(products * reached * ops.expand_dims(g, -2), -1)
    if params["reverse"]:
        result = ops.reverse(result, [-1])
    return (ops.transpose(result, np.argsort(order).tolist()),)


cumprod_p: Primitive = row(
    "cumprod", cumulative(np.multiply), signature="N->N", shape=cumulative_shape,
    op_type="Cumprod", gradient=_cumprod_gradient, samples=CUMULATED,
    instruction="running_prod",
)  # fmt: skip


def running(primitive: Primitive, x: Any, axis: Any, exclusive: bool, reverse: bool) -> Tensor:
    """A cumulative op along an axis, which may be a tensor."""
    given, place = convert_to_tensor(x), axis_or_tensor(axis, True)
    if isinstance(place, Tensor):
        return run_time_axes.kept(
            lambda y, front: running(primitive, y, front[0], exclusive, reverse), given, place
        )
    return bind(  # type: ignore[no-any-return]
        primitive, given, axis=place, exclusive=bool(exclusive), reverse=bool(reverse)
    )


def cumsum(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running sums along `axis`.

    `exclusive` leaves the element itself out, `reverse` runs from the end.

    >>> rt.cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    """
    return running(cumsum_p, x, axis, exclusive, reverse)


def cumprod(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """Running products along `axis`.

    `exclusive` leaves the element itself out, `reverse` runs from the end.

    >>> rt.math.cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return running(cumprod_p, x, axis, exclusive, reverse)


_NO_TENSOR = "add_n needs at least one tensor"


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape and dtype.

    >>> rt.add_n([[1, 2], [3, 4]]).numpy().tolist()
    [4, 6]
    """
    whole = joined(inputs, 0, stacked=True, none=_NO_TENSOR)
    if whole is not None:
        return reduce_sum(whole, 0)
    tensors = [convert_to_tensor(x) for x in listed(inputs, "inputs")]
    if not tensors:
        raise wrong_value(_NO_TENSOR)
    total = tensors[0]
    if total.dtype is dtypes.string:
        raise wrong_dtype("add_n: strings are joined by strings.join")
    for tensor in tensors[1:]:
        total = ops.add(total, _shaped_as(total, tensor))
    return total


def _shaped_as(like: Tensor, x: Tensor) -> Tensor:
    """`x`, which must have the shape of another tensor: they are not broadcast."""
    if is_known(like.static_shape) and is_known(x.static_shape):
        if like.static_shape != x.static_shape:
            raise wrong_value(f"add_n: shapes {like.shape} and {x.shape} are not the same")
        return x
    same = ops.equal(ops.shape(x), ops.shape(like))
    return checked(x, ops.reduce_all(same), "add_n", "an input has another shape than the first")


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of several tensors of one shape and dtype, which `shape` and `tensor_dtype` may say.

    ValueError for a shape that does not fit them, TypeError for another dtype.

    >>> rt.math.accumulate_n([[1, 2], [3, 4]], [2], rt.int32).numpy().tolist()
    [4, 6]
    """
    total = add_n(inputs)
    merge_shapes(as_shape(shape), total.static_shape)
    if tensor_dtype is not None and as_dtype(tensor_dtype) is not total.dtype:
        raise wrong_dtype(f"tensor_dtype is {tensor_dtype}, but inputs are {total.dtype.name}")
    return total
