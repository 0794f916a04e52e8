"""New tensors from shapes and ranges."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor, tensor_of
from runtime.core.primitive import (
    REALS,
    Memory,
    Order,
    Primitive,
    bind,
    flat,
    row,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.core.shapes import Shape, is_known, merge_shapes
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import TensorType
from runtime.core.workspace import Workspace, opened, placed
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import one_of, static_int
from runtime.ops.batching import elementwise
from runtime.ops.blockwise import counted
from runtime.ops.define import axis_in, dims_of, fill_dims, type_of_dims, zeroed
from runtime.ops.math import as_fractions


def _checked(shape: Any) -> Any:
    if any(dim is not None and dim < 0 for dim in shape or ()):
        raise wrong_value(f"a shape has no negative dimensions: {shape}")
    return shape


def _fill_kernel(value: Any, *dims: Any, shape: Shape, out: Any = None) -> Any:
    if value.shape:
        raise wrong_value(f"the value must be a scalar, got shape {value.shape}")
    wanted = _checked(fill_dims(shape, dims))
    try:
        made = placed(out, wanted, value.dtype)
    except ValueError:
        raise wrong_value(f"shape {wanted} has more elements than an array can hold") from None
    made.fill(value[()])  # a text, not the array that holds it
    return made


def _fill_infer(value: TensorType, *dims: TensorType, shape: Shape) -> TensorType:
    if value.shape not in ((), None):
        raise wrong_value(f"Fill: the value must be a scalar, got {value}")
    return type_of_dims(value.dtype, _checked(shape), dims)


fill_p: Primitive = row(
    "fill", _fill_kernel, _fill_infer, signature="A,i*->A", op_type="Fill", keep_inputs=(),
    gradient=lambda op, g: (ops.reduce_sum(g), *[None] * (len(op.inputs) - 1)),
    samples=(sample("", shape=(2, 3)), sample("", shape=())), order=Order.C,
    finds_shape=True, instruction="fill",
)  # fmt: skip


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` with the scalar `value` everywhere.

    >>> rt.fill([2, 2], 7).numpy().tolist()
    [[7, 7], [7, 7]]
    """
    static, dynamic = dims_of(dims)
    return bind(fill_p, convert_to_tensor(value), *dynamic, shape=static)  # type: ignore[no-any-return]


def _zero(dtype: DType) -> Any:
    return np.array(b"", object) if dtype is dtypes.string else dtype.np_dtype.type(0)


def _one(dtype: DType) -> Any:
    if dtype is dtypes.string:
        raise wrong_dtype("there is no string that stands for 1")
    return dtype.np_dtype.type(1)


def zeros(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """A tensor of zeros (False, or empty strings).

    >>> rt.zeros([2]).numpy().tolist()
    [0.0, 0.0]
    """
    return _filled(shape, _zero(as_dtype(dtype)))


def ones(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """A tensor of ones (True).

    >>> rt.ones([2], rt.int32).numpy().tolist()
    [1, 1]
    """
    return _filled(shape, _one(as_dtype(dtype)))


def _filled(shape: Any, value: Any) -> Tensor:
    static, dynamic = dims_of(shape)
    if state.run is not None and not dynamic:
        if static is not None and any(dim < 0 for dim in static):  # type: ignore[operator]
            raise errors.InvalidValueError(
                None, "Fill", f"Fill: a shape has no negative dimensions: {static}"
            )
        try:
            return EagerTensor(np.full(cast("tuple[int, ...]", static), value, value.dtype))
        except (ValueError, MemoryError):
            pass  # bind computes it again, and explains
    return bind(fill_p, tensor_of(value), *dynamic, shape=static)  # type: ignore[no-any-return]


def _like(name: str, op_type: str, value: Any, instruction: str) -> Any:
    def kernel(x: Any, *, dtype: DType, out: Any = None) -> Any:
        if out is None:
            return np.full(np.shape(x), value(dtype), dtype.np_dtype)
        out.fill(value(dtype))
        return out

    return row(
        name, kernel, signature="A->dtype", shape=lambda shape, *, dtype: shape, op_type=op_type,
        batching=elementwise, of_shape=True,
        keep_inputs=(), gradient=flat,
        samples=(sample("2,3", dtype=dtypes.float32),), order=Order.C,
        instruction=instruction,
    )  # fmt: skip


zeros_like_p: Primitive = _like("zeros_like", "ZerosLike", _zero, "zeros")
ones_like_p: Primitive = _like("ones_like", "OnesLike", _one, "ones")


def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros with the shape of `input`, and its dtype unless another is asked for.

    >>> rt.zeros_like([1, 2]).numpy().tolist()
    [0, 0]
    """
    return _filled_like(zeros_like_p, input, dtype)


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones with the shape of `input`, and its dtype unless another is asked for.

    >>> rt.ones_like([1., 2.]).numpy().tolist()
    [1.0, 1.0]
    """
    return _filled_like(ones_like_p, input, dtype)


def _filled_like(primitive: Any, like: Any, dtype: Any) -> Tensor:
    x = convert_to_tensor(like)
    wanted = x.dtype if dtype is None else as_dtype(dtype)
    return bind(primitive, x, dtype=wanted)  # type: ignore[no-any-return]


def _eye_kernel(*dims: Any, shape: Shape, dtype: DType, out: Any = None) -> Any:
    rows, columns = _checked(fill_dims(shape, dims))
    made = zeroed((rows, columns), dtype.np_dtype, out)
    made.reshape(-1)[: columns * columns : columns + 1] = _one(dtype)
    return made


eye_p: Primitive = row(
    "eye", _eye_kernel, lambda *dims, shape, dtype: TensorType(dtype, _checked(shape)),
    signature="i*->dtype", op_type="Eye", keep_inputs=(),
    gradient=lambda op, g: [None] * len(op.inputs),
    samples=(sample(shape=(2, 3), dtype=dtypes.float32),),
)  # fmt: skip


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The identity matrix, possibly repeated for a batch.

    >>> rt.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    static, dynamic = dims_of([num_rows, num_rows if num_columns is None else num_columns])
    matrix: Tensor = bind(eye_p, *dynamic, shape=static, dtype=as_dtype(dtype))
    if batch_shape is None:
        return matrix
    batch, of_batch = dims_of(batch_shape)
    if batch is None or of_batch:
        full = ops.concat(
            [ops.cast(convert_to_tensor(batch_shape), dtypes.int32), ops.shape(matrix)], 0
        )
        return ops.broadcast_to(matrix, full)
    if static is not None and None not in static:
        return ops.broadcast_to(matrix, (*batch, *static))
    return ops.broadcast_to(matrix, [*batch, *ops.unstack(ops.shape(matrix), 2)])


# Ranges


def _range_kernel(start: Any, limit: Any, delta: Any, *, length: int | None) -> Any:
    if problem := _wrong_way(start, limit, delta):
        raise errors.InvalidValueError(problem)
    if length == 0:
        # Passes give this length to a range of which nobody reads an element.
        return np.empty(0, start.dtype)
    if start.dtype.kind in "iu":
        # NumPy computes the length in floating point; Python's range is exact.
        count = len(range_of(int(start), int(limit), int(delta)))
        return start + np.arange(count, dtype=start.dtype) * delta
    arange: Any = np.arange
    return arange(start, limit, delta, start.dtype)


range_of = range


def _wrong_way(start: Any, limit: Any, delta: Any) -> str | None:
    if delta == 0:
        return "Requires delta != 0"
    if delta > 0 and start > limit:
        return f"Requires start <= limit when delta > 0: {start}/{limit}"
    if delta < 0 and start < limit:
        return f"Requires start >= limit when delta < 0: {start}/{limit}"
    return None


def _range_shape(start: Shape, limit: Shape, delta: Shape, *, length: int | None) -> Shape:
    for shape in (start, limit, delta):
        if shape not in ((), None):
            raise wrong_value(f"the ends of a range must be scalars, got shape {shape}")
    return (length,)


range_p: Primitive = row(
    "range", _range_kernel, signature="R,R,R->R", shape=_range_shape, op_type="Range",
    fallible=True, keep_inputs=(), gradient=lambda op, g: (None, None, None), samples=(),
    memory=Memory.READS,
    instruction="range",
)  # fmt: skip


def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
) -> Tensor:
    """The numbers from `start` up to, not including, `limit` by steps of `delta`.

    With one argument only, that is `limit`, and they start from 0.

    Raises InvalidArgumentError (while tracing, where the numbers are known) if `delta`
    leads away from `limit`.

    >>> rt.range(3).numpy().tolist()
    [0, 1, 2]
    """
    if limit is None:
        start, limit = 0, start
    ends = _range_ends((start, limit, delta), None if dtype is None else as_dtype(dtype))
    known = [end.static_value for end in ends]
    length = None
    if ends[0].dtype.np_dtype in REALS and all(
        value is not None and np.ndim(value) == 0 for value in known
    ):
        if problem := _wrong_way(*known):
            raise wrong_value(problem)
        length = _length(*known)
    return bind(range_p, *ends, length=length)  # type: ignore[no-any-return]


def _length(start: Any, limit: Any, delta: Any) -> int:
    if start.dtype.kind in "iu":
        return len(range_of(int(start), int(limit), int(delta)))
    steps = (limit - start) / delta
    if not np.isfinite(steps):
        raise wrong_value(f"a range from {start} to {limit} by steps of {delta} has no length")
    return max(0, int(np.ceil(steps)))


_RANKED = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)


def _range_ends(ends: tuple[Any, ...], dtype: DType | None) -> list[Tensor]:
    tensors = [convert_to_tensor(end, dtype_hint=dtype) for end in ends]
    if dtype is None:
        # The widest of the dtypes given; Python numbers are as wide as their default.
        found = {t.dtype for t in tensors}
        dtype = max(found, key=_RANKED.index) if found <= set(_RANKED) else tensors[1].dtype
    return [ops.cast(t, dtype) for t in tensors]


def _linspace_kernel(
    start: Any, stop: Any, *dims: Any, shape: Shape, axis: int, out: Any = None,
    work: Workspace | None = None,
) -> Any:  # fmt: skip
    (num,) = fill_dims(shape, dims)
    if num < 0:
        raise wrong_value(f"requires num >= 0, got {num}")
    merge_shapes(start.shape, stop.shape)
    if out is None or start.ndim:
        return np.linspace(start, stop, num, dtype=start.dtype, axis=axis)
    return _spaced(start, stop - start, stop, out, opened(work))


def _spaced(start: Any, width: Any, stop: Any, out: Any, work: Workspace) -> Any:
    """The steps of np.linspace, between two numbers."""
    np.copyto(out, counted(work.array(out.shape, np.int64)), casting="unsafe")
    gaps = max(out.size - 1, 1)
    step = width / gaps
    if step == 0:
        # A width so small that a gap has no number.
        out /= gaps
        step = width
    out *= step
    out += start
    if out.size > 1:
        out[-1] = stop
    return out


def _linspace_shape(start: Shape, stop: Shape, *dims: Shape, shape: Shape, axis: int) -> Shape:
    ends = merge_shapes(start, stop)
    if ends is None:
        return None
    place = axis_in(axis, len(ends) + 1)
    (num,) = shape or (None,)
    if num is not None and num < 0:
        raise wrong_value(f"requires num >= 0, got {num}")
    return (*ends[:place], num, *ends[place:])


def _linspace_gradient(op: Any, g: Any) -> Any:
    axis, extra = op.params["axis"], [None] * (len(op.inputs) - 2)
    place = axis_in(axis, g.ndim)
    num = ops.shape(g)[place]
    steps = ops.cast(range(num), g.dtype) / ops.cast(ops.maximum(num - 1, 1), g.dtype)
    weights = ops.reshape(steps, [-1] + [1] * (g.ndim - 1 - place))
    return (ops.reduce_sum(g * (1 - weights), place), ops.reduce_sum(g * weights, place), *extra)


linspace_p: Primitive = row(
    "linspace", _linspace_kernel, signature="G,G,i*->G", shape=_linspace_shape, op_type="LinSpace",
    gradient=_linspace_gradient, keep_inputs=(),
    samples=(sample("", "", shape=(5,), axis=0), sample("2", "2", shape=(3,), axis=1)),
    order=Order.PERMUTED,
)  # fmt: skip


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: Any = 0) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included, along a new axis.

    Integers become the floats that `/` makes of them.

    >>> rt.linspace(0., 1., 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    first, last = as_fractions(start, stop)
    if first.dtype.is_complex:
        parts = [(part(first), part(last)) for part in (ops.real, ops.imag)]
        real, imag = [linspace(*ends, num, axis=axis) for ends in parts]
        return ops.complex(real, imag)
    if first.static_shape != last.static_shape or not is_known(first.static_shape):
        shape = ops.shape(first + last)
        first, last = ops.broadcast_to(first, shape), ops.broadcast_to(last, shape)
    static, dynamic = dims_of([num])
    place = static_int(axis, "axis")
    return bind(linspace_p, first, last, *dynamic, shape=static, axis=place)  # type: ignore[no-any-return]


lin_space = linspace


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """Each vector repeated over the grid of all.

    With 'xy' the first two axes are exchanged, with 'ij' not.

    >>> [x.numpy().tolist() for x in rt.meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    indexing = one_of(indexing, "indexing", ("xy", "ij"))
    vectors = [convert_to_tensor(arg) for arg in args]
    sizes = [ops.size(vector) for vector in vectors]
    places = list(range_of(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = 1, 0
        sizes[:2] = sizes[1], sizes[0]
    grids = []
    for vector, place in zip(vectors, places, strict=True):
        shape = [-1 if i == place else 1 for i in range_of(len(vectors))]
        grids.append(ops.broadcast_to(ops.reshape(vector, shape), sizes))
    return grids


def _positions_kernel(
    indices: Any, depth: Any, *, length: int | None, dtype: DType, out: Any = None
) -> Any:
    if depth < 0:
        raise errors.InvalidValueError(f"depth must be non-negative, got {depth}")
    return np.arange(depth, dtype=dtype.np_dtype) if out is None else counted(out)


def _positions_shape(
    indices: Shape, depth: Shape, *, length: int | None, dtype: DType
) -> Shape:  # fmt: skip
    if depth not in ((), None):
        raise wrong_value(f"depth must be a scalar, got shape {depth}")
    return (length,)


one_hot_positions_p: Primitive = row(
    "one_hot_positions", _positions_kernel, signature="I,i->dtype", shape=_positions_shape,
    op_type="OneHot", fallible=True, keep_inputs=(), gradient=flat,
    samples=(), instruction="positions",
)  # fmt: skip


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None,
    dtype: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """For each index a vector of length `depth` with `on_value` there and `off_value` elsewhere.

    An index outside of 0 .. depth - 1 gives `off_value` only. The vectors lie along `axis`
    (default: the last). InvalidArgumentError for a negative depth.

    >>> rt.one_hot([0, 2], 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x = convert_to_tensor(indices, dtype_hint=dtypes.int32)
    on, off = _hot_values(on_value, off_value, None if dtype is None else as_dtype(dtype))
    place, rank = -1 if axis is None else static_int(axis, "axis"), x.ndim
    if place < -1 or on.ndim or off.ndim:
        raise wrong_value(
            "one_hot: axis is -1 or an index from the front, on_value and off_value are scalars; "
            f"got axis {place} and values of shapes {on.shape} and {off.shape}"
        )
    if rank is not None:
        place = axis_in(place, rank + 1)
    elif place != -1:
        raise wrong_value("one_hot along another axis than the last needs indices of known rank")
    count = convert_to_tensor(depth, dtype_hint=dtypes.int32)
    if not count.dtype.is_integer:
        raise wrong_dtype(f"depth must be an integer, not {count.dtype.name}")
    known = count.static_value
    # int32 or int64: a narrower dtype may not hold the depth.
    kind = x.dtype if x.dtype is dtypes.int32 else dtypes.int64
    length = None if known is None or np.ndim(known) or known < 0 else int(known)
    positions = bind(one_hot_positions_p, x, count, length=length, dtype=kind)
    if rank is not None:
        positions = ops.reshape(positions, [-1] + [1] * (rank - place))
    return ops.where(ops.equal(ops.expand_dims(ops.cast(x, kind), place), positions), on, off)


def _hot_values(on: Any, off: Any, dtype: DType | None) -> tuple[Tensor, Tensor]:
    given = [value for value in (on, off) if value is not None]
    if dtype is None:
        found = [convert_to_tensor(value).dtype for value in given] or [dtypes.float32]
        dtype = found[0]
        if found[-1] is not dtype:
            raise wrong_dtype(
                f"one_hot: on_value has dtype {dtype.name}, off_value has {found[-1].name}; "
                "name one with dtype="
            )
    return convert_to_tensor(1 if on is None else on, _weak(on, dtype)), convert_to_tensor(
        0 if off is None else off, _weak(off, dtype)
    )


def _weak(value: Any, dtype: DType) -> DType:
    return dtype


def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None
) -> Tensor:
    """For each length n a row whose first n elements are true, the others false.

    >>> rt.sequence_mask([1, 3], 3).numpy().tolist()
    [[True, False, False], [True, True, True]]
    """
    x = convert_to_tensor(lengths)
    if maxlen is None:
        maxlen = ops.maximum(ops.reduce_max(x), 0)
    limit = convert_to_tensor(maxlen, dtype_hint=x.dtype)
    positions = range(ops.cast(0, limit.dtype), limit, ops.cast(1, limit.dtype))
    mask = ops.less(positions, ops.expand_dims(ops.cast(x, limit.dtype), -1))
    return mask if as_dtype(dtype) is dtypes.bool else ops.cast(mask, dtype)
