"""Sorting, searching, and what is found by it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
import runtime.ops.ordering_kernels as kernels
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    Order,
    Primitive,
    bind,
    row,
    sample,
    wrong_shape,
    wrong_value,
)
from runtime.core.shapes import Shape, compatible, is_known
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.dtypes import DType, as_dtype
from runtime.ops import run_time_axes
from runtime.ops.arguments import axis_or_tensor, integer_dtype, one_of, static_int
from runtime.ops.blockwise import PIECE, numbers
from runtime.ops.checks import checked
from runtime.ops.define import axis_in, converted

# Largest and smallest positions


def _position_shape(shape: Shape, *, axis: int, dtype: DType) -> Shape:
    if shape is None:
        return None
    place = axis_in(axis, len(shape))
    if shape[place] == 0:
        raise wrong_value(f"axis {axis} has no elements")
    return shape[:place] + shape[place + 1 :]


def _position(name: str, op_type: str, best: np.ufunc, find: Any) -> Any:
    positions = kernels.extremes(best, find)

    def kernel(
        x: Any, *, axis: int, dtype: DType, out: Any = None, work: Workspace | None = None
    ) -> Any:
        return positions(x, axis_in(axis, np.ndim(x)), dtype.np_dtype, out, work)

    return row(
        name, kernel, signature="O->dtype", shape=_position_shape, op_type=op_type, keep_inputs=(),
        gradient=lambda op, g: (None,),
        samples=(
            sample("2,3", axis=0, dtype=dtypes.int64), sample("2,3", axis=-1, dtype=dtypes.int32),
        ), order=Order.C, instruction=name,
    )  # fmt: skip


argmax_p: Primitive = _position("argmax", "ArgMax", np.maximum, np.ndarray.argmax)
argmin_p: Primitive = _position("argmin", "ArgMin", np.minimum, np.ndarray.argmin)


def _placed(primitive: Primitive, input: Any, axis: Any, output_type: Any) -> Tensor:
    x, place = convert_to_tensor(input), 0 if axis is None else axis_or_tensor(axis)
    if isinstance(place, Tensor):
        return run_time_axes.reduced(
            lambda y, front, _: _placed(primitive, y, front[0], output_type), x, place
        )
    return bind(primitive, x, axis=place, dtype=integer_dtype(output_type, "output_type"))  # type: ignore[no-any-return]


def argmax(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The position of the first largest element along `axis` (default 0).

    >>> int(rt.argmax([3, 1, 2]))
    0
    """
    return _placed(argmax_p, input, axis, output_type)


def argmin(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The position of the first smallest element along `axis` (default 0).

    >>> int(rt.argmin([3, 1, 2]))
    1
    """
    return _placed(argmin_p, input, axis, output_type)


# Sorting


def _argsort_kernel(
    x: Any, *, axis: int, descending: bool, out: Any = None, work: Workspace | None = None
) -> Any:
    return kernels.argsort(x, axis_in(axis, np.ndim(x)), descending, out, work)


def _ranked(shape: Shape, *, axis: int, descending: bool) -> Shape:
    if shape is not None:
        axis_in(axis, len(shape))
    return shape


_SORTED = (
    sample("5", axis=0, descending=False),
    sample("2,4", axis=-1, descending=True),
    sample("3,2", axis=0, descending=False),
)
argsort_p: Primitive = row(
    "argsort", _argsort_kernel, signature="O->int32", shape=_ranked, op_type="ArgSort",
    gradient=lambda op, g: (None,), keep_inputs=(), samples=_SORTED, order=Order.C,
    instruction="argsort",
)  # fmt: skip


def _sort_kernel(
    x: Any, *, axis: int, descending: bool, out: Any = None, work: Workspace | None = None
) -> Any:
    return kernels.sort(x, axis_in(axis, np.ndim(x)), descending, out, work)


def _sort_gradient(op: Any, g: Any) -> Any:
    x, params = op.inputs[0], op.params
    order = bind(argsort_p, x, **params)
    return (_put_back(g, order, x, params["axis"]),)


def _put_back(g: Any, indices: Any, x: Any, axis: int) -> Any:
    """`g` added where `indices` took it from along `axis`, row by row."""
    rank = x.ndim
    if rank is None:
        return _put_back_in_rows(g, indices, x, axis)
    axis = axis_in(axis, rank)
    if axis != rank - 1:
        turn = [i for i in range(rank) if i != axis] + [axis]
        back = np.argsort(turn).tolist()
        g, indices, x = (ops.transpose(t, turn) for t in (g, indices, x))
        return ops.transpose(ops.gather_gradient(g, indices, x, rank - 1, rank - 1), back)
    return ops.gather_gradient(g, indices, x, rank - 1, rank - 1)


def _put_back_in_rows(g: Any, indices: Any, x: Any, axis: int) -> Any:
    if axis != -1:
        raise wrong_value(
            f"the gradient of sort along axis {axis} needs values of known rank: sort along axis "
            "-1, or set_shape before"
        )
    dims = ops.shape(x)
    count = ops.reduce_prod(dims[:-1])
    g, indices, rows = (ops.reshape(each, [count, ops.shape(each)[-1]]) for each in (g, indices, x))
    return ops.reshape(ops.gather_gradient(g, indices, rows, 1, 1), dims)


sort_p: Primitive = row(
    "sort", _sort_kernel, signature="R->R", shape=_ranked, op_type="Sort",
    gradient=_sort_gradient, samples=_SORTED, order=Order.C, instruction="sort",
)  # fmt: skip


def _direction(direction: str) -> bool:
    return one_of(direction, "direction", ("ASCENDING", "DESCENDING")) == "DESCENDING"


def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements sorted along `axis`, 'ASCENDING' or 'DESCENDING'.

    >>> rt.sort([3, 1, 2]).numpy().tolist()
    [1, 2, 3]
    """
    place = static_int(axis, "axis")
    return bind(  # type: ignore[no-any-return]
        sort_p, convert_to_tensor(values), axis=place, descending=_direction(direction)
    )


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The positions (int32) that sort the elements along `axis`; always stable.

    >>> rt.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]
    """
    place = static_int(axis, "axis")
    return bind(  # type: ignore[no-any-return]
        argsort_p, convert_to_tensor(values), axis=place, descending=_direction(direction)
    )


class TopKV2(NamedTuple):
    """The largest elements and where they are."""

    values: Tensor
    indices: Tensor


def _top_k_kernel(
    x: Any, *, k: int, dtype: DType, out: tuple[Any, Any] = (None, None),
    work: Workspace | None = None,
) -> Any:  # fmt: skip
    if not 0 <= k <= x.shape[-1]:
        raise wrong_value(f"input must have at least {k} columns, got shape {x.shape}")
    return kernels.top_k(x, k, dtype.np_dtype, out, work)


def _top_k_shape(shape: Shape, *, k: int, dtype: DType) -> tuple[Shape, Shape]:
    if shape is None:
        return None, None
    if not shape or (shape[-1] is not None and not 0 <= k <= shape[-1]):
        raise wrong_value(f"input must have at least {k} columns, got shape {shape}")
    return (*shape[:-1], k), (*shape[:-1], k)


def _top_k_gradient(op: Any, g: Any, _: Any) -> Any:
    x = op.inputs[0]
    if g is None:
        return (None,)
    return (_put_back(g, op.outputs[1], x, -1),)


top_k_p: Primitive = row(
    "top_k", _top_k_kernel, signature="R->R,dtype", shape=_top_k_shape, op_type="TopKV2",
    gradient=_top_k_gradient, keep_inputs=(), keep_outputs=(1,),
    samples=(sample("5", k=2, dtype=dtypes.int32), sample("2,4", k=3, dtype=dtypes.int64)),
    order=Order.C,
    instruction="top_k",
)  # fmt: skip


def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32,
    name: str | None = None,
) -> TopKV2:  # fmt: skip
    """The `k` largest elements of each row and their positions.

    The largest comes first, of equals the earlier one. `k` may be a tensor that only the run knows.

    >>> [x.numpy().tolist() for x in rt.math.top_k([1, 3, 2], 2)]
    [[3, 2], [1, 2]]
    """
    x, kind = convert_to_tensor(input), as_dtype(index_type)
    if isinstance(k, Tensor) and k.static_value is None:
        return _top_of_run(x, k, kind)
    return TopKV2(*bind(top_k_p, x, k=static_int(k, "k"), dtype=kind))


def _top_of_run(x: Tensor, k: Tensor, kind: DType) -> TopKV2:
    if not x.ndim or k.ndim:
        raise wrong_shape(
            f"top_k needs rows of known rank and a scalar k, got {x.shape}, {k.shape}", x, k
        )
    fits = ops.logical_and(k >= 0, k <= ops.shape(x, k.dtype)[-1])
    count = checked(k, fits, "top_k", "a row has less elements than k")
    places = argsort(x, -1, "DESCENDING", True)[..., :count]
    return TopKV2(ops.gather(x, places, batch_dims=x.ndim - 1), ops.cast(places, kind))


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the element of each row that `targets` names is among the `k` largest.

    It is not where there is no such element, nor where one of the row of `predictions` is infinite
    or NaN.

    >>> rt.math.in_top_k([1], [[1., 3., 2.]], 1).numpy().tolist()
    [True]
    """
    rows = convert_to_tensor(predictions)
    wanted = convert_to_tensor(targets, dtype_hint=dtypes.int32)
    if not compatible((rows.static_shape or (None,))[:1], wanted.static_shape):
        raise wrong_value(f"{rows.shape[0]} rows of predictions need as many targets, in a vector")
    if not is_known(wanted.static_shape) or (rows.static_shape or (None,))[0] is None:
        fits = ops.equal(ops.shape(wanted), ops.shape(rows)[:1])
        message = "rows of predictions need as many targets, in a vector"
        wanted = checked(wanted, fits, "in_top_k", message)
        wanted.set_shape([None])
    own = ops.gather_nd(rows, ops.expand_dims(wanted, -1), 1, bad_indices_policy="IGNORE")
    larger = ops.greater(rows, ops.expand_dims(own, -1))
    limit = convert_to_tensor(k)
    count = ops.reduce_sum(ops.cast(larger, limit.dtype), -1)
    size = ops.cast(ops.shape(rows)[-1], wanted.dtype)
    is_there = ops.logical_and(ops.greater_equal(wanted, 0), ops.less(wanted, size))
    is_finite = ops.reduce_all(ops.is_finite(rows), -1)
    return ops.logical_and(ops.less(count, limit), ops.logical_and(is_there, is_finite))


# Distinct elements


class Unique(NamedTuple):
    """Distinct elements in order of first appearance, and which of them each element is."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """As Unique, with how often each occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def _unique_kernel(x: Any, *, dtype: DType) -> Any:
    if x.ndim != 1:
        raise wrong_value(f"unique expects a 1D vector, got shape {x.shape}")
    # NumPy's own sort of float16 may leave elements behind -0.0 out of order.
    keys = x.astype(np.float32) if x.dtype == np.float16 else x
    _, first, inverse, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    kind = dtype.np_dtype
    return x[first[order]], place[inverse].astype(kind), counts[order].astype(kind)


def _unique_shape(shape: Shape, *, dtype: DType) -> tuple[Shape, ...]:
    if shape is not None and len(shape) != 1:
        raise wrong_value(f"unique expects a 1D vector, got shape {shape}")
    return (None,), (None,) if shape is None else shape, (None,)


unique_p: Primitive = row(
    "unique", _unique_kernel, signature="A->A,dtype,dtype", shape=_unique_shape,
    op_type="UniqueWithCounts", gradient=lambda op, *g: (None,), keep_inputs=(),
    samples=(sample("6:i3", dtype=dtypes.int32),),
)  # fmt: skip


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in order of first appearance.

    The second result says for each element which one it is.

    >>> [x.numpy().tolist() for x in rt.unique([1, 1, 2])]
    [[1, 2], [0, 0, 1]]
    """
    return Unique(
        *bind(unique_p, convert_to_tensor(x), dtype=integer_dtype(out_idx, "out_idx"))[:2]
    )


def unique_with_counts(
    x: Any, out_idx: Any = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """As `unique`, with how often each distinct element occurs.

    >>> [x.numpy().tolist() for x in rt.unique_with_counts([1, 1, 2])]
    [[1, 2], [0, 0, 1], [2, 1]]
    """
    return UniqueWithCounts(
        *bind(unique_p, convert_to_tensor(x), dtype=integer_dtype(out_idx, "out_idx"))
    )


# Searching


def _search_kernel(rows: Any, values: Any, *, side: str, dtype: DType, out: Any = None) -> Any:
    _search_shape(rows.shape, values.shape, side=side, dtype=dtype)
    if rows.ndim <= 1 and (out is None or values.size <= PIECE):
        return converted(np.searchsorted(rows, values, side), dtype.np_dtype, out)  # type: ignore[call-overload]
    made = np.empty(values.shape, dtype.np_dtype) if out is None else out
    if made.size:
        lines = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])
        wanted, found = values.reshape(len(lines), -1), made.reshape(len(lines), -1)
        for each in zip(lines, wanted, found, strict=True):
            _search(*each, side)
    return made


def _search(line: Any, values: Any, out: Any, side: Any) -> None:
    # NumPy makes an array of places: a small one for each piece.
    for start in range(0, values.size, PIECE):
        piece = slice(start, start + PIECE)
        out[piece] = np.searchsorted(line, values[piece], side)


def _search_shape(rows: Shape, values: Shape, *, side: str, dtype: DType) -> Shape:
    if rows is not None and values is not None:
        known = None not in rows[:-1] and None not in values[:-1]
        if len(rows) != len(values) or (known and rows[:-1] != values[:-1]):
            raise wrong_value(f"Leading dim_size of both tensors must match: {rows} and {values}")
    return values


searchsorted_p: Primitive = row(
    "searchsorted", _search_kernel, signature="R,R->dtype",
    shape=_search_shape,
    op_type="LowerBound", gradient=lambda op, g: (None, None), keep_inputs=(),
    samples=(sample("4:s+", "3", side="left", dtype=dtypes.int32),),
)  # fmt: skip


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The place at which each value would be put into the sorted rows.

    It is before ('left') or after ('right') its equals.

    >>> rt.searchsorted([1, 3, 5], [2, 5]).numpy().tolist()
    [1, 2]
    """
    side = one_of(side, "side", ("left", "right"))
    rows = convert_to_tensor(sorted_sequence)
    wanted = convert_to_tensor(values, rows.dtype)
    return bind(searchsorted_p, rows, wanted, side=side, dtype=integer_dtype(out_type, "out_type"))  # type: ignore[no-any-return]


def _inverse_kernel(x: Any, out: Any = None, work: Workspace | None = None) -> Any:
    work = None if work is None or x.size <= PIECE else opened(work)
    places = numbers(x.size, work)
    if x.ndim != 1 or not _are_equal(_in_order(x, work), places, work):
        raise errors.InvalidValueError(f"{x} is not a permutation of 0 .. n - 1")
    made = np.empty_like(x) if out is None else out
    if work is None:
        made[x] = places
    else:
        made[work.copied(x, np.intp)] = work.copied(places, x.dtype)
    return made


def _in_order(x: Any, work: Workspace | None) -> Any:
    made = x.copy() if work is None else work.copied(x)
    made.sort()
    return made


def _are_equal(x: Any, y: Any, work: Workspace | None) -> bool:
    same = None if work is None else work.array(x.shape, np.bool_)
    return bool(np.equal(x, y, out=same).all())


invert_permutation_p: Primitive = row(
    "invert_permutation", _inverse_kernel, signature="I->I", shape=lambda shape: shape,
    op_type="InvertPermutation", fallible=True, gradient=lambda op, g: (None,), keep_inputs=(),
    samples=(sample("4:p"),),
)  # fmt: skip


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`, a vector holding 0 .. n - 1.

    >>> rt.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    order = convert_to_tensor(x, dtype_hint=dtypes.int32)
    return bind(invert_permutation_p, order)  # type: ignore[no-any-return]


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Returns whether no element is smaller than the one before it.

    >>> bool(rt.math.is_non_decreasing([1, 1]))
    True
    """
    flat = ops.reshape(x, (-1,))
    return ops.reduce_all(ops.less_equal(flat[:-1], flat[1:]))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Returns whether each element is larger than the one before it.

    >>> bool(rt.math.is_strictly_increasing([1, 1]))
    False
    """
    flat = ops.reshape(x, (-1,))
    return ops.reduce_all(ops.less(flat[:-1], flat[1:]))


# Order of sets


def _set_order_kernel(x: Any) -> Any:
    items = x.tolist() if x.ndim == 1 else list(map(tuple, x.tolist()))
    first: dict[Any, int] = {}
    again = [at for at, item in enumerate(items) if first.setdefault(item, at) != at]
    return np.array([first[item] for item in set(items)] + again, np.int64)


def _set_order_shape(shape: Shape) -> Shape:
    if shape is not None and len(shape) not in (1, 2):
        raise wrong_value(f"items are a vector or the rows of a matrix, not of {list(shape)}")
    return shape if shape is None else shape[:1]


set_order_p: Primitive = row(
    "set_order", _set_order_kernel, signature="O->int64", shape=_set_order_shape,
    op_type="SetOrder", gradient=lambda op, g: (None,), keep_inputs=(),
    samples=(sample("5"), sample("4,2")),
)  # fmt: skip
"""The places of numbers, or of rows as tuples, in the order of Python's set to which they are added
one after another; those of items that were there already come last."""
