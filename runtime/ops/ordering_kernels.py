"""Kernels that sort, stably, and that find the largest elements.

NumPy's sort of integers is vectorised, its stable sorts are not. So what is sorted is the bits of
each element, as an integer in the order of the elements, above the element's position: no two are
equal, and the positions come out in order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.core.workspace import Workspace, opened
from runtime.ops.blockwise import places
from runtime.ops.define import converted, copied

# The words of an integer of twice as many bytes.
_LOW, _HIGH = (0, 1) if sys.byteorder == "little" else (1, 0)
_POSITIONS = np.arange(1 << 12, dtype=np.int32)


def _along(x: Any, axis: int) -> Any:
    """The array with `axis` as its last."""
    return x if axis == x.ndim - 1 else np.moveaxis(x, axis, -1)


def _by_rows(
    compute: Callable[..., None], x: Any, outs: Sequence[Any], axis: int, work: Workspace,
    size: int = 1 << 15,
) -> None:  # fmt: skip
    """Apply `compute(rows, *outs, work)` to the vectors along an axis, of which there are some, as
    rows, as many at once as have that size: what they need stays in the cache. `outs` have as many
    vectors.
    """
    rows = _matrix(_along(x, axis), work)
    made = [_along(out, axis) for out in outs]
    targets = [_target(each, len(rows), work) for each in made]
    step = max(1, size // rows.shape[1])
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        with work.inner():
            compute(rows[part], *[target[part] for target in targets], work)
        if step < len(rows):
            work.grow()
    for each, target in zip(made, targets, strict=True):
        if not _is_matrix(each):
            np.copyto(each, target.reshape(each.shape))


def _is_matrix(x: Any) -> bool:
    """True if the array is a matrix, but for its shape."""
    return x.ndim <= 2 or bool(x.flags.c_contiguous)


def _matrix(x: Any, work: Workspace) -> Any:
    x = x if _is_matrix(x) else work.copied(x)
    return x.reshape(-1, x.shape[-1])


def _target(made: Any, count: int, work: Workspace) -> Any:
    if _is_matrix(made):
        return made.reshape(count, -1)
    return work.array((count, made.shape[-1]), made.dtype)


# Positions in order


def argsort(x: Any, axis: int, descending: bool, out: Any, work: Workspace | None) -> Any:
    """The positions (int32) that sort the vectors along an axis, equal elements in the order that
    they have, NaN behind all numbers or, descending, before them.
    """
    if not _pays(x.dtype, x.shape[axis], x.size):
        return _argsort_of_few(x, axis, descending, out)
    made = np.empty(x.shape, np.int32) if out is None else out
    compute = _descending if descending else _ascending
    _by_rows(compute, x, (made,), axis, opened(work))
    return made


def _pays(dtype: Any, length: int, size: int) -> bool:
    """True if there is more to gain than the steps cost. NumPy sorts long rows of
    short integers fast.
    """
    if length < _SHORT:
        return length >= 8 and dtype.itemsize <= 4 and size >= _FEW
    slow = dtype.kind == "f" or dtype.itemsize >= 4 or length < 1 << 8
    return slow and size >= 256 * dtype.itemsize


def _argsort_of_few(x: Any, axis: int, descending: bool, out: Any) -> Any:
    if not descending:
        return converted(x.argsort(axis, "stable"), np.int32, out)
    made = np.empty(x.shape, np.int32) if out is None else out
    order = _along(x, axis)[..., ::-1].argsort(-1, "stable")[..., ::-1]
    np.subtract(x.shape[axis] - 1, order, out=_along(made, axis), casting="same_kind")
    return made


def _ascending(rows: Any, out: Any, work: Workspace) -> None:
    if _pays(rows.dtype, rows.shape[1], rows.size):
        _order(_keys(rows, work), out, work)
    else:
        _argsort_of_few(rows, 1, False, out)


def _descending(rows: Any, out: Any, work: Workspace) -> None:
    if _pays(rows.dtype, rows.shape[1], rows.size):
        keys = _keys(rows, work)
        _order(np.invert(keys, out=keys), out, work)
    else:
        _argsort_of_few(rows, 1, True, out)


def _keys(x: Any, work: Workspace) -> Any:
    """Integers, of 4 or 8 bytes, in the order of the elements: equal ones for equal elements, zeros
    of either sign and NaN among them.
    """
    size = max(4, x.dtype.itemsize)
    if x.dtype.kind == "f":
        return _keys_of_floats(work.copied(x, f"f{size}"), work)
    if x.dtype.kind == "u" and x.dtype.itemsize == size:
        keys = work.copied(x).view(f"i{size}")
        return np.bitwise_xor(keys, np.iinfo(keys.dtype).min, out=keys)
    return work.copied(x, f"i{size}")


def _keys_of_floats(x: Any, work: Workspace) -> Any:
    """The keys in the memory of `x`: its bits are a sign and what is a magnitude as an integer,
    above infinity's where it is NaN.
    """
    keys = x.view(f"i{x.itemsize}")
    sign = np.right_shift(keys, 8 * x.itemsize - 1, out=work.like(keys))
    keys &= np.iinfo(keys.dtype).max
    infinity = _INFINITY[x.itemsize]
    if keys.max() > infinity:
        is_nan = np.greater(keys, infinity, out=work.array(x.shape, bool))
        np.copyto(keys, np.iinfo(keys.dtype).max, where=is_nan)
        np.copyto(sign, 0, where=is_nan)
    keys ^= sign
    keys -= sign
    return keys


_INFINITY = {4: 0x7F800000, 8: 0x7FF0000000000000}


def _order(keys: Any, out: Any, work: Workspace) -> None:
    """The positions that sort rows of integers."""
    count = shared_numbers(keys.shape[1], work)
    falls = work.array((keys.shape[0], keys.shape[1] - 1), bool)
    np.less(keys[:, 1:], keys[:, :-1], out=falls)
    if not falls.any():
        np.copyto(out, count)
    elif keys.itemsize == 4:
        np.copyto(out, _order_of_words(keys, count, work))
    else:
        _order_of_pairs(_words(keys), count, out, work)


def shared_numbers(length: int, work: Workspace, dtype: Any = np.int32) -> Any:
    """The integers from 0 on, not to be written to."""
    end = _POSITIONS.size
    if length <= end and dtype == np.int32:
        return _POSITIONS[:length]
    made = work.array((length,), dtype)
    made[:end] = _POSITIONS[:length]
    while end < length:
        more = min(end, length - end)
        np.add(made[:more], end, out=made[end : end + more])
        end += more
    return made


def _words(x: Any) -> Any:
    """The two words of each integer of 8 bytes."""
    return x.view(np.int32).reshape(*x.shape, 2)


def _order_of_words(keys: Any, count: Any, work: Workspace) -> Any:
    """The same of integers of 4 bytes, where the workspace has them."""
    packed = work.array(keys.shape, np.int64)
    words = _words(packed)
    words[..., _HIGH] = keys
    words[..., _LOW] = count
    packed.sort(-1)
    return words[..., _LOW]


def _order_of_pairs(words: Any, count: Any, out: Any, work: Workspace) -> None:
    """The same of integers of 8 bytes, given their words: what is in the order of their low words
    is sorted by the high ones.
    """
    shape = words.shape[:-1]
    starts = _starts(shape, work)
    first, key = work.array(shape, np.intp), work.array(shape, np.int32)
    with work.inner():
        # The low word has no sign.
        np.bitwise_xor(words[..., _LOW], np.iinfo(np.int32).min, out=key)
        np.add(_order_of_words(key, count, work), starts, out=first)
    high = work.copied(words[..., _HIGH])
    np.take(high, first, out=key, mode="wrap")
    second = np.add(_order_of_words(key, count, work), starts, out=work.array(shape, np.intp))
    order = np.take(first, second, out=work.array(shape, np.intp), mode="wrap")
    np.subtract(order, starts, out=out, casting="same_kind")


def _starts(shape: Any, work: Workspace) -> Any:
    """The place of the first element of each row."""
    rows, columns = shape
    return np.multiply(
        shared_numbers(rows, work)[:, None], columns, out=work.array((rows, 1), np.intp)
    )


# Sorted elements


def sort(x: Any, axis: int, descending: bool, out: Any, work: Workspace | None) -> Any:
    """The elements of an array sorted along an axis."""
    # NumPy's own sort of float16 may leave elements behind -0.0 out of order.
    is_half = x.dtype == np.float16
    if not x.size:
        return copied(x, out)
    if not is_half and (x.size < _FEW or not (descending or axis < x.ndim - 1)):
        made = copied(x, out)
        (_along(made, axis)[..., ::-1] if descending else made).sort(-1 if descending else axis)
        return made
    made = np.empty(x.shape, x.dtype) if out is None else out
    _by_rows(_sorted_down if descending else _sorted_up, x, (made,), axis, opened(work))
    return made


def _sorted_up(rows: Any, out: Any, work: Workspace) -> None:
    made = work.copied(rows, _wide(rows))
    made.sort(-1)
    np.copyto(out, made, "unsafe")


def _sorted_down(rows: Any, out: Any, work: Workspace) -> None:
    made = work.copied(rows[:, ::-1], _wide(rows))
    made.sort(-1)
    np.copyto(out, made[:, ::-1], "unsafe")


def _wide(x: Any) -> Any:
    return np.float32 if x.dtype == np.float16 else x.dtype


# The largest elements

# From how many columns on, and up to which part of them, it is faster to find what may be among the
# largest elements first.
_MANY, _PART = 1 << 9, 8


def top_k(x: Any, k: int, dtype: Any, out: Sequence[Any], work: Workspace | None) -> Any:
    """The k largest elements of each row, the earlier of equal ones first, NaN before all numbers,
    and their positions, in the arrays `out` where there are some.
    """
    if x.size < _MANY or not k:
        return _top_k_of_few(x, k, dtype, out)
    shape = (*x.shape[:-1], k)
    values = np.empty(shape, x.dtype) if out[0] is None else out[0]
    positions = np.empty(shape, dtype) if out[1] is None else out[1]
    seeks = x.shape[-1] >= _MANY and k * _PART <= x.shape[-1]
    compute, size = (_sought, 1 << 18) if seeks else (_first_of_all, 1 << 15)
    _by_rows(compute, x, (values, positions), x.ndim - 1, opened(work), size)
    return values, positions


def _top_k_of_few(x: Any, k: int, dtype: Any, out: Sequence[Any]) -> Any:
    order = x.shape[-1] - 1 - x[..., ::-1].argsort(-1, "stable")[..., : -k - 1 : -1]
    if x.ndim > 1:
        order = np.ascontiguousarray(order)
    values = x[order] if x.ndim == 1 else np.ascontiguousarray(np.take_along_axis(x, order, -1))
    return converted(values, x.dtype, out[0]), converted(order, dtype, out[1])


def _first_of_all(rows: Any, values: Any, positions: Any, work: Workspace) -> None:
    order = work.array(rows.shape, np.int32)
    _descending(rows, order, work)
    starts = _starts(rows.shape, work)
    places = np.add(order[:, : values.shape[1]], starts, out=work.array(values.shape, np.intp))
    rows = rows if rows.flags.c_contiguous else work.copied(rows)
    np.take(rows, places, out=values, mode="wrap")
    np.subtract(places, starts, out=positions, casting="same_kind")


def _sought(rows: Any, values: Any, positions: Any, work: Workspace) -> None:
    rows = rows if rows.flags.c_contiguous else work.copied(rows)
    k = values.shape[1]
    found = _candidates(rows, k, work)
    if len(rows) == 1 and found.size < _MANY:
        _, order = _top_k_of_few(rows[0].take(found), k, np.intp, (values[0], None))
        np.copyto(positions, found[order], casting="same_kind")
        return
    best = _best_of(rows, found, k, work)
    np.take(rows, best, out=values, mode="wrap")
    np.subtract(best, _starts(rows.shape, work), out=positions, casting="same_kind")


def _candidates(rows: Any, k: int, work: Workspace) -> Any:
    """The places of at least the k largest elements of each row, and of few others: of those that
    are not less than the k-th largest of the largest of some elements each.
    """
    x = work.copied(rows, np.float32) if rows.dtype.char == "e" else rows
    count, length = x.shape
    several = max(2, min(32, length // (16 * k)))
    columns = length // several
    groups = x[:, : several * columns].reshape(count, several, columns)
    most = np.maximum.reduce(groups, 1, out=work.array((count, columns), x.dtype))
    most.partition(columns - k, -1)
    less = np.less(x, most[:, columns - k, None], out=work.array(x.shape, bool))
    kept = np.logical_not(less, out=less).reshape(-1)
    return np.flatnonzero(kept) if np.count_nonzero(kept) < _MANY else places(kept, work)


def _best_of(rows: Any, found: Any, k: int, work: Workspace) -> Any:
    """The places of the k largest elements of each row, of those `found`."""
    values = np.take(rows, found, out=work.array(found.shape, rows.dtype), mode="wrap")
    by_value = _ranked(values, _descending, work)
    row = work.array(found.shape, np.int32)
    np.floor_divide(found, rows.shape[1], out=row, casting="same_kind")
    by_row = _ranked(np.take(row, by_value, out=work.like(row), mode="wrap"), _ascending, work)
    order = np.take(by_value, by_row, out=work.like(by_row), mode="wrap")
    # Rows follow each other in what is found.
    first = np.searchsorted(row, shared_numbers(len(rows), work))[:, None]
    ranks = np.add(first, shared_numbers(k, work), out=work.array((len(rows), k), np.intp))
    best = np.take(order, ranks, out=work.like(ranks), mode="wrap")
    return np.take(found, best, out=ranks, mode="wrap")


def _ranked(values: Any, compute: Callable[..., None], work: Workspace) -> Any:
    """The positions that sort a vector."""
    order = work.array((1, values.size), np.int32)
    compute(values.reshape(1, -1), order, work)
    return work.copied(order[0], np.intp)


# Places of the largest and smallest elements


def extremes(best: np.ufunc, find: Callable[..., Any]) -> Callable[..., Any]:
    """The function of (x, axis, dtype, out, work) that gives the place of the first element that is
    the `best`, np.maximum or np.minimum, along an axis. `find` is NumPy's.
    """

    def positions(x: Any, axis: int, dtype: Any, out: Any, work: Workspace | None) -> Any:
        if x.size < _FEW:
            return converted(find(x, axis), dtype, out)
        made = np.empty(x.shape[:axis] + x.shape[axis + 1 :], dtype) if out is None else out
        if axis == x.ndim - 1 and _is_direct(x):
            found = made if made.dtype == np.intp else opened(work).array(made.shape, np.intp)
            find(x, axis, found)
            return converted(found, dtype, made)
        _by_rows(compute, x, (np.expand_dims(made, axis),), axis, opened(work))
        return made

    def compute(rows: Any, out: Any, work: Workspace) -> None:
        count, length = rows.shape
        kind = np.float32 if rows.dtype.char == "e" else rows.dtype
        if length <= _SHORT and count >= length * _SHORT:
            columns = rows.T
            if not columns.flags.c_contiguous or kind != rows.dtype:
                columns = work.copied(columns, kind)
            _first_in_columns(columns, best, out[:, 0], work)
            return
        found = work.array((count,), np.intp)
        find(work.copied(rows, kind), 1, found)
        np.copyto(out[:, 0], found, casting="same_kind")

    return positions


_FEW, _SHORT = 1 << 12, 1 << 6


def _is_direct(x: Any) -> bool:
    """True if NumPy finds places without making arrays, and as fast as can be."""
    long = x.shape[-1] > _SHORT or x.size < _SHORT * x.shape[-1] ** 2
    return bool(x.flags.c_contiguous and x.dtype.char != "e" and long)


def _first_in_columns(columns: Any, best: np.ufunc, out: Any, work: Workspace) -> None:
    """The row of the first element of each column that is the best of it, counted in bytes."""
    length, count = columns.shape
    most = best.reduce(columns, 0, out=work.array((count,), columns.dtype))
    is_nan = most.dtype.kind == "f" and np.isnan(most.max())
    hit, last = work.array((count,), bool), work.zeros((count,), np.uint8)
    code = hit.view(np.uint8)
    for row, column in enumerate(columns):
        np.equal(column, most, out=hit)
        if is_nan:
            np.logical_or(hit, np.isnan(column, out=work.array((count,), bool)), out=hit)
        # The rows that are left are most in the first one.
        np.multiply(code, length - row, out=code)
        np.maximum(last, code, out=last)
    np.subtract(length, last, out=out, casting="same_kind")
