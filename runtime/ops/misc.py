"""The less common ops: truncating division, bits of other dtypes, partitions, sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Memory, Primitive, bind, row, sample, wrong_dtype, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.core.workspace import Workspace, opened
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import listed, static_int, static_ints
from runtime.ops.blockwise import numbers, own
from runtime.ops.checks import below
from runtime.ops.define import Op, axis_in, binary
from runtime.ops.indexing import getitem
from runtime.ops.joining import same_dtypes
from runtime.ops.math import integer_safe

if TYPE_CHECKING:
    import numpy.typing as npt


def _truncated(a: Any, b: Any, out: Any = None) -> Any:
    rest = np.fmod(a, b, out=out)
    whole = np.subtract(a, rest, own(rest))
    if a.dtype.kind != "f":
        return np.floor_divide(whole, b, own(whole))
    made = np.divide(whole, b, own(whole))
    # There is no rest of what is infinite, nor by zero.
    unclear = np.isnan(made)
    if not unclear.any():
        return made
    if not made.ndim:
        return np.trunc(np.divide(a, b))
    np.copyto(made, np.trunc(np.divide(a, b)), where=unclear)
    return made


_DIVISIONS = (sample("2,3", "2,3:+"), sample("4:i9", "4:i4+"))
truncatediv: Op = binary(
    "truncatediv", integer_safe(_truncated), "R,R->R", op_type="TruncateDiv", fallible=True,
    reads="", gradient=lambda a, b, y, g: (None, None), samples=_DIVISIONS,
    doc="x / y rounded towards zero.",
    example=("int(rt.truncatediv(-3, 2))", "-1"),
)  # fmt: skip
truncatemod: Op = binary(
    "truncatemod", integer_safe(np.fmod), "R,R->R", op_type="TruncateMod", fallible=True,
    gradient=lambda a, b, y, g: (g, -g * ops.truncatediv(a, b)), samples=_DIVISIONS,
    doc="The remainder of truncatediv, with the sign of x.",
    example=("int(rt.truncatemod(-3, 2))", "-1"),
)  # fmt: skip


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y for floating-point tensors.

    >>> float(rt.realdiv(3., 2.))
    1.5
    """
    return ops.divide_real(x, y)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` with another dtype; what that cannot hold becomes its smallest or largest number.

    The infinite does, too, where `value` is real: the nearest number of both dtypes.
    Of complex numbers both parts do, or the real part alone where `dtype` is not complex.

    >>> rt.saturate_cast([300, -1], rt.uint8).numpy().tolist()
    [255, 0]
    """
    x, wanted = convert_to_tensor(value), as_dtype(dtype)
    if x.dtype.is_complex and wanted.is_complex:
        if wanted.size >= x.dtype.size:
            return ops.cast(x, wanted)
        part = wanted.real_dtype
        return ops.complex(saturate_cast(ops.real(x), part), saturate_cast(ops.imag(x), part))
    if x.dtype.is_complex and wanted is not dtypes.bool:
        x = ops.real(x)
    if wanted.is_complex:
        return ops.cast(saturate_cast(x, wanted.real_dtype), wanted)
    if dtypes.bool in (x.dtype, wanted):
        return ops.cast(x, wanted)
    if x.dtype.is_integer and wanted.min <= x.dtype.min and x.dtype.max <= wanted.max:
        return ops.cast(x, wanted)
    low = max(x.dtype.min, wanted.min)
    high = min(x.dtype.max, wanted.max)
    kind = x.dtype.np_dtype
    low, high = _inside(low, wanted, kind, up=True), _inside(high, wanted, kind, up=False)
    return ops.cast(ops.clip_by_value(x, low, high), wanted)


def _inside(bound: Any, wanted: DType, kind: Any, up: bool) -> Any:
    """`bound` in the dtype of the values, moved inwards where rounding took it out of the range."""
    value = np.asarray(bound).astype(kind)
    if (
        kind.kind == "f"
        and wanted.is_integer
        and int(value) not in range(wanted.min, wanted.max + 1)
    ):
        return np.nextafter(value, kind.type(0))
    return value


def _bitcast_kernel(x: Any, *, dtype: DType) -> Any:
    x = np.ascontiguousarray(x).reshape(np.shape(x))
    old, new = x.dtype.itemsize, dtype.np_dtype.itemsize
    if old < new and (not x.shape or x.shape[-1] != new // old):
        raise wrong_value(f"the last dimension of shape {x.shape} must be {new // old}")
    if old > new:
        return x[..., np.newaxis].view(dtype.np_dtype)
    return x.view(dtype.np_dtype) if old == new else x.view(dtype.np_dtype)[..., 0]


def _bitcast_infer(x: TensorType, *, dtype: DType) -> TensorType:
    old, new = x.dtype.np_dtype.itemsize, dtype.np_dtype.itemsize
    if dtypes.string in (x.dtype, dtype):
        raise wrong_dtype("Bitcast: strings have no fixed bits")
    if x.shape is None or old == new:
        return TensorType(dtype, x.shape)
    if old > new:
        return TensorType(dtype, (*x.shape, old // new))
    if not x.shape or x.shape[-1] not in (None, new // old):
        raise wrong_value(f"Bitcast: the last dimension of {x} must be {new // old}")
    return TensorType(dtype, x.shape[:-1])


bitcast_p: Primitive = row(
    "bitcast", _bitcast_kernel, _bitcast_infer, op_type="Bitcast", keep_inputs=(),
    gradient=lambda op, g: (None,), samples=(sample("2,3:f4", dtype=dtypes.int32),),
    memory=Memory.VIEWS,
)  # fmt: skip


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bits read as another dtype.

    >>> int(rt.bitcast(1., rt.int32))
    1065353216
    """
    return bind(bitcast_p, convert_to_tensor(input), dtype=as_dtype(type))  # type: ignore[no-any-return]


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Tensors with the same values.

    >>> [int(x) for x in rt.identity_n([1, 2])]
    [1, 2]
    """
    return [ops.identity(x) for x in listed(input, "input")]


def get_static_value(tensor: Any, partial: bool = False) -> npt.NDArray[Any] | None:
    """The value as an ndarray where it is known already (eager tensors, constants), else None.

    >>> rt.get_static_value(rt.constant([1, 2])).tolist()
    [1, 2]
    """
    value = convert_to_tensor(tensor).static_value
    return None if value is None else np.array(value)


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The slices begin:end:strides of each axis; bit i of a mask changes what entry i means.

    begin_mask and end_mask ignore a bound, ellipsis_mask and new_axis_mask stand for `...` and
    `None`, shrink_axis_mask takes the one element at `begin`.

    >>> rt.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
    [1, 3]
    """
    starts, stops = static_ints(begin, "begin"), static_ints(end, "end")
    begin_mask, end_mask = static_int(begin_mask, "begin_mask"), static_int(end_mask, "end_mask")
    ellipsis_mask = static_int(ellipsis_mask, "ellipsis_mask")
    new_axis_mask = static_int(new_axis_mask, "new_axis_mask")
    shrink_axis_mask = static_int(shrink_axis_mask, "shrink_axis_mask")
    steps = [1] * len(starts) if strides is None else static_ints(strides, "strides")
    if not len(starts) == len(stops) == len(steps):
        raise wrong_value(
            f"begin, end and strides must have equally many entries, not {len(starts)}, "
            f"{len(stops)} and {len(steps)}"
        )
    key: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(start)
        else:
            key.append(
                slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step)
            )
    return getitem(convert_to_tensor(input_), tuple(key))


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """For positions in a flattened tensor of shape `dims`, the index along each axis, as rows.

    InvalidArgumentError for a position that is not in such a tensor.

    >>> rt.unravel_index([3], [2, 2]).numpy().tolist()
    [[1], [1]]
    """
    flat = convert_to_tensor(indices)
    sizes = convert_to_tensor(dims, flat.dtype)
    flat = below(flat, ops.reduce_prod(sizes), "unravel_index", "indices")
    steps = ops.cumprod(sizes, exclusive=True, reverse=True)
    if flat.ndim is None:
        ones = ops.fill(ops.expand_dims(ops.rank(flat), 0), 1)
        extra: Any = ops.concat([[-1], ones], 0)
    else:
        extra = [-1] + [1] * flat.ndim
    return ops.expand_dims(flat, 0) // ops.reshape(steps, extra) % ops.reshape(sizes, extra)


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data` sorted into lists by the number that `partitions` gives each.

    InvalidArgumentError for a number that is not in `range(num_partitions)`.

    >>> [x.numpy().tolist() for x in rt.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [[1, 3], [2]]
    """
    x, numbers = convert_to_tensor(data), convert_to_tensor(partitions, dtype_hint=dtypes.int32)
    count = static_int(num_partitions, "num_partitions")
    if count < 1:
        raise wrong_value(f"num_partitions must be positive, got {count}")
    if not numbers.dtype.is_integer:
        raise wrong_dtype(f"partitions must be integers, not {numbers.dtype.name}")
    if numbers.ndim == 0:
        x, numbers = ops.expand_dims(x, 0), ops.expand_dims(numbers, 0)
    numbers = below(numbers, count, "dynamic_partition", "partitions")
    return [ops.boolean_mask(x, ops.equal(numbers, i)) for i in range(count)]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """One tensor whose row `indices[m][i]` is `data[m][i]`.

    The last one wins where several name a row.

    >>> rt.dynamic_stitch([[0], [1]], [[7], [8]]).numpy().tolist()
    [7, 8]
    """
    at_each = [convert_to_tensor(i, dtype_hint=dtypes.int32) for i in listed(indices, "indices")]
    given = same_dtypes(listed(data, "data"))
    if len(at_each) != len(given):
        raise wrong_value(f"there are {len(at_each)} lists of indices for {len(given)} of data")
    places = [ops.reshape(i, (-1,)) for i in at_each]
    rows = []
    for i, x in zip(at_each, given, strict=True):
        rest = ops.shape(x)[i.ndim :]
        rows.append(ops.reshape(x, ops.concat([[ops.size(i)], rest], 0)))
    at, values = ops.concat(places, 0), ops.concat(rows, 0)
    count = ops.reduce_max(ops.concat([at, ops.cast([-1], at.dtype)], 0)) + 1
    start = ops.zeros(_with_length(values, count), values.dtype)
    return ops.tensor_scatter_nd_update(start, ops.expand_dims(at, -1), values)


def _with_length(x: Tensor, count: Any) -> Any:
    """The shape of `x` with another first dimension, as far as it is known."""
    if x.static_shape is None:
        return ops.concat([[count], ops.shape(x)[1:]], 0)
    rest = enumerate(x.static_shape[1:], 1)
    return [count, *[ops.shape(x)[at] if dim is None else dim for at, dim in rest]]


def _reverse_kernel(
    x: Any, lengths: Any, *, seq_axis: int, batch_axis: int, out: Any = None,
    work: Workspace | None = None,
) -> Any:  # fmt: skip
    size = x.shape[seq_axis]
    if np.any((lengths < 0) | (lengths > size)) or lengths.shape != (x.shape[batch_axis],):
        raise errors.InvalidArgumentError(f"lengths {lengths} do not fit shape {x.shape}")
    made = np.empty(x.shape, x.dtype) if out is None else out
    front, target = x, made
    if (batch_axis % x.ndim, seq_axis % x.ndim) != (0, 1):
        front, target = [np.moveaxis(y, (batch_axis, seq_axis), (0, 1)) for y in (x, made)]
    if len(lengths) > max(8, x.size >> 11):
        # Strings are objects, which are in no workspace.
        _reverse_short(front, lengths, target, opened(None if x.dtype.hasobject else work))
        return made
    for n, given, reversed in zip(lengths.tolist(), front, target, strict=True):
        reversed[:n] = given[:n][::-1]
        reversed[n:] = given[n:]
    return made


def _reverse_short(x: Any, lengths: Any, out: Any, work: Workspace) -> None:
    """The same of many short sequences at once."""
    if not x.size:
        return
    given = x if x.flags.c_contiguous else work.copied(x)
    picked = out if out.flags.c_contiguous else work.like(out)
    rows = given.reshape(x.shape[0] * x.shape[1], -1)
    order = _reversed_places(lengths, x.shape[1], work)
    np.take(rows, order, 0, out=picked.reshape(rows.shape), mode="clip")
    if picked is not out:
        np.copyto(out, picked)


def _reversed_places(lengths: Any, size: int, work: Workspace) -> Any:
    """Returns the source of each element of the sequences, one behind the other."""
    place, row = numbers(size, work), numbers(len(lengths), work)
    last = work.copied(lengths, np.int64)
    last -= 1
    order = work.array((len(lengths), size), np.int64)
    np.subtract(last[:, np.newaxis], place, out=order)
    np.copyto(order, place, where=np.less(order, 0, out=work.array(order.shape, np.bool_)))
    row *= size
    order += row[:, np.newaxis]
    return order.reshape(-1)


def _reverse_shape(shape: Shape, lengths: Shape, *, seq_axis: int, batch_axis: int) -> Shape:
    if shape is not None:
        place = axis_in(batch_axis, len(shape))
        axis_in(seq_axis, len(shape))
        (count,) = lengths if lengths and len(lengths) == 1 else (None,)
        return (*shape[:place], shape[place] if count is None else count, *shape[place + 1 :])
    return shape


reverse_sequence_p: Primitive = row(
    "reverse_sequence", _reverse_kernel, signature="A,I->A", shape=_reverse_shape,
    op_type="ReverseSequence", fallible=True, keep_inputs=(1,),
    gradient=lambda op, g: (bind(reverse_sequence_p, g, op.inputs[1], **op.params), None),
    samples=(sample("2,4", [1, 3], seq_axis=1, batch_axis=0),),
)  # fmt: skip


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int = 1, batch_axis: int = 0, name: str | None = None
) -> Tensor:
    """Each sequence of a batch with its first `seq_lengths[i]` elements reversed.

    >>> rt.reverse_sequence([[1, 2, 3]], [2], seq_axis=1).numpy().tolist()
    [[2, 1, 3]]
    """
    x, lengths = convert_to_tensor(input), convert_to_tensor(seq_lengths)
    return bind(reverse_sequence_p, x, lengths, seq_axis=seq_axis, batch_axis=batch_axis)  # type: ignore[no-any-return]
