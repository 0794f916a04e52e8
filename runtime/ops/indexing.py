"""The ops behind `x[key]` and `x[key] = value`: basic and advanced indexing; its written forms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import conversion_of, convert_to_tensor
from runtime.core.primitive import bind, wrong_dtype, wrong_shape, wrong_value
from runtime.core.shapes import compatible, is_known
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.ops.arguments import static_int
from runtime.ops.checks import below
from runtime.ops.gathering import gathered
from runtime.ops.math import as_fraction
from runtime.ops.selection import fitting
from runtime.ops.slicing import DYNAMIC, Spec, entries_of, set_slice_p, strided_slice_p

_ndarray = np.ndarray

known_key: Callable[[Any], Any] | None = None
"""Gives the key, while a graph is traced, for one of which parts may be None."""

lend: Callable[[EagerTensor, EagerTensor], None] | None = None
"""`runtime.core.tensor.lend`, as a name of this module: the quickest to read."""


def _part(value: Any, dynamic: list[Tensor]) -> Any:
    """One bound of a slice, or one index, as it stands in a spec."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, Tensor) or conversion_of(type(value)) is not None:
        tensor = convert_to_tensor(value)
        if tensor.static_value is not None and np.ndim(tensor.static_value) == 0:
            return operator.index(tensor.static_value)
        dynamic.append(tensor)
        return DYNAMIC
    return operator.index(value)


def _entry(key: Any, dynamic: list[Tensor]) -> Any:
    if key is None:
        return "newaxis"
    if key is Ellipsis:
        return "..."
    if isinstance(key, slice):
        return tuple([_part(part, dynamic) for part in (key.start, key.stop, key.step)])
    return _part(key, dynamic)


_FIXED = frozenset((int, type(None), type(Ellipsis)))
_BASIC = (int, slice, type(None), type(Ellipsis))
_WAY_OUT = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`), integer tensors and "
    "boolean masks are valid indices"
)


def getitem(x: Tensor, key: Any) -> Tensor:
    """x[key] with the meaning that NumPy gives it.

    Integers, slices, `...`, None, integer tensors (of any rank) and boolean masks, alone or in a
    tuple. InvalidArgumentError for indices out of bounds, TypeError for anything else.
    """
    if type(key) is int:
        return _sliced(x, key, (key,), ())
    if state._trace is not None and known_key is not None:
        key = known_key(key)
    keys = key if isinstance(key, tuple) else (key,)
    keys = tuple([_index_value(k) for k in keys])
    if any(isinstance(k, Tensor) and k.ndim != 0 for k in keys):
        return advanced(x, keys)
    dynamic: list[Tensor] = []
    spec = tuple([_entry(k, dynamic) for k in keys])
    if spec.count("...") > 1:
        raise wrong_value("an index can only have a single ellipsis ('...')")
    return _sliced(x, key, spec, dynamic)


def _sliced(x: Tensor, key: Any, spec: Spec, dynamic: Sequence[Tensor]) -> Tensor:
    raw = x.raw if isinstance(x, EagerTensor) else None
    made: Tensor = bind(strided_slice_p, x, *dynamic, spec=spec)
    if state._trace is not None:
        state._trace.viewed(x, made, key)
    elif isinstance(made, EagerTensor) and made.raw.ndim:
        base = cast(EagerTensor, x)
        made.viewed = base, key
        if lend is not None:
            lend(base, made)
            if not _is_fixed(key):
                base.lent.note()
            if base.raw is not raw:  # another thread has assigned to it meanwhile
                return _sliced(x, key, spec, dynamic)
    return made


def _index_value(key: Any) -> Any:
    """A part of an index: as it is where basic, else a tensor (masks and arrays included)."""
    if type(key) in (int, slice) or key is None or key is Ellipsis:
        return key
    if isinstance(key, bool | np.bool_ | float | str | bytes):
        raise wrong_dtype(f"{_WAY_OUT}, got {key!r}")
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, list) and not key:
        key = np.empty(0, np.int64)
    tensor = convert_to_tensor(key)
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        raise wrong_dtype(f"{_WAY_OUT}, got a tensor of dtype {tensor.dtype.name}")
    return tensor


def advanced(x: Tensor, keys: tuple[Any, ...]) -> Tensor:
    """NumPy's advanced indexing: the slices first, then one gather with all integer arrays
    broadcast together.
    """
    entries = _spelled_out(x, _without_masks(_fitting_masks(x, keys)))
    axes = [i for i, key in enumerate(entries) if isinstance(key, Tensor | int)]
    arrays = [entries[i] for i in axes]
    basic = [slice(None) if i in axes else key for i, key in enumerate(entries)]
    if any(key != slice(None) for key in basic):
        x = getitem(x, tuple(basic))
    if len(arrays) == 1:
        return gathered(x, arrays[0], axes[0], 0, True)
    return _gather_several(x, arrays, axes)


def _consumes(key: Any) -> int:
    """Returns the number of axes of the indexed tensor that an entry stands for."""
    if key is None or key is Ellipsis:
        return 0
    return (key.ndim or 0) if isinstance(key, Tensor) and key.dtype.is_bool else 1


def _fitting_masks(x: Tensor, keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The keys. InvalidArgumentError where a mask has not the shape of the axes that it stands for;
    in a run, where only that knows.
    """
    shape = x.static_shape
    if shape is None:
        return keys
    axis, made = 0, list(keys)
    for i, key in enumerate(keys):
        if key is Ellipsis:
            axis = len(shape) - sum(map(_consumes, keys[i:]))
        count = _consumes(key)
        covered = shape[axis : axis + count]
        if isinstance(key, Tensor) and key.dtype.is_bool and len(covered) == count > 0:
            if not compatible(covered, key.static_shape):
                message = f"a mask of shape {key.shape} does not fit axes of shape {covered}"
                raise errors.InvalidValueError(None, "StridedSlice", message)
            if not (is_known(covered) and is_known(key.static_shape)):
                made[i] = fitting(key, ops.dims(x)[axis : axis + count])
        axis += count
    return tuple(made)


def _without_masks(keys: tuple[Any, ...]) -> list[Any]:
    made: list[Any] = []
    for key in keys:
        if isinstance(key, Tensor) and key.dtype.is_bool:
            if key.ndim is None:
                raise wrong_shape("a mask used as an index must have a known rank", key)
            made.extend(ops.unstack(ops.where(key), key.ndim, axis=1))
        else:
            made.append(key)
    return made


def _spelled_out(x: Tensor, keys: list[Any]) -> list[Any]:
    """The keys with the ellipsis written as slices, one key per axis of x and per new axis."""
    if x.ndim is None:
        raise wrong_shape("indexing with tensors needs a tensor of known rank", x)
    used = sum(key is not None and key is not Ellipsis for key in keys)
    if used > x.ndim:
        raise errors.InvalidValueError(
            None, "StridedSlice", f"too many indices: {used} for a tensor of shape {x.shape}"
        )
    rest = [slice(None)] * (x.ndim - used)
    place = next((i for i, key in enumerate(keys) if key is Ellipsis), None)
    return [*keys, *rest] if place is None else [*keys[:place], *rest, *keys[place + 1 :]]


def _gather_several(x: Tensor, arrays: list[Any], axes: list[int]) -> Tensor:
    indices = [ops.cast(convert_to_tensor(array), dtypes.int64) for array in arrays]
    shape = indices[0]
    for other in indices[1:]:
        shape = shape + ops.zeros_like(other)
    shape = ops.zeros_like(shape)
    positions = ops.stack([index + shape for index in indices], -1)
    rank = x.ndim or 0
    others = [i for i in range(rank) if i not in axes]
    found = bind(
        ops.gather_nd_p, ops.transpose(x, [*axes, *others]), positions, batch_dims=0, negative=True
    )
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    if not together or axes[0] == 0:
        return found  # type: ignore[no-any-return]
    gained = shape.ndim or 0
    before = list(range(gained, gained + axes[0]))
    after = list(range(gained + axes[0], gained + len(others)))
    return ops.transpose(found, [*before, *range(gained), *after])


def setitem(x: Any, key: Any, value: Any) -> Tensor:
    """The tensor that `x[key] = value` would make of x; key as in `x[key]`, value broadcast to the
    slice. A scalar of integers is a number to a tensor of float64, as beside one.
    """
    tensor = convert_to_tensor(x)
    update = value if isinstance(value, Tensor) else convert_to_tensor(value, tensor.dtype)
    if tensor.dtype is dtypes.float64 and update.dtype.is_integer and update.static_shape == ():
        update = as_fraction(update)
    keys = tuple([_index_value(k) for k in (key if isinstance(key, tuple) else (key,))])
    if any(isinstance(k, Tensor) and k.ndim != 0 for k in keys):
        return _set_advanced(tensor, keys, update)
    dynamic: list[Tensor] = []
    spec = tuple([_entry(k, dynamic) for k in keys])
    return bind(set_slice_p, tensor, update, *dynamic, spec=spec)  # type: ignore[no-any-return]


def spec_of(key: Any) -> Spec | None:
    """The Spec of a basic index that is known; None for another one."""
    keys = tuple([_index_value(k) for k in (key if isinstance(key, tuple) else (key,))])
    if any(isinstance(k, Tensor) and k.ndim != 0 for k in keys):
        return None
    return tuple([_entry(k, []) for k in keys])


def _set_advanced(x: Tensor, keys: tuple[Any, ...], value: Tensor) -> Tensor:
    """Positions of all elements, indexed like x, say where the value goes."""
    if len(keys) == 1 and keys[0].dtype.is_bool and keys[0].ndim == x.ndim and value.ndim == 0:
        (mask,) = _fitting_masks(x, keys)
        return ops.where(mask, value, x)
    positions = ops.reshape(ops.range(ops.size(x, dtypes.int64)), ops.shape(x))
    places = advanced(positions, keys)
    values = ops.broadcast_like(value, places)
    flat = ops.tensor_scatter_nd_update(
        ops.reshape(x, (-1,)), ops.reshape(places, (-1, 1)), ops.reshape(values, (-1,))
    )
    made: Tensor = ops.reshape_like(flat, x)
    return made


def _is_fixed(key: Any) -> bool:
    """True if no part of an index is a tensor, or another object, that may stand for another number
    later.
    """
    if type(key) is slice:
        ends = type(key.start) in _FIXED and type(key.stop) in _FIXED
        return ends and type(key.step) in _FIXED
    return all(map(_is_fixed, key)) if type(key) is tuple else type(key) in _FIXED


def fast_getitem(x: EagerTensor, key: Any) -> Tensor:
    """`x[key]` of an eager tensor: at once where nothing records and the index is basic."""
    if state.run is not None:
        kind = type(key)
        if kind is int or kind is slice or (kind is tuple and all(type(k) in _BASIC for k in key)):
            try:
                raw = x.raw
                found = raw[key]
            except (IndexError, TypeError, ValueError):
                return getitem(x, key)  # it computes it again, and explains
            if type(found) is _ndarray:
                made = EagerTensor(found)
                made.viewed = x, key
                if lend is None:
                    return made
                lend(x, made)
                if kind is not int and not _is_fixed(key):
                    x.lent.note()
                # Else another thread has assigned to it meanwhile, and did not see this view.
                return made if x.raw is raw else fast_getitem(x, key)
            if isinstance(found, np.generic):  # an element of an array of strings is none
                return EagerTensor(found)
    return getitem(x, key)


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
    starts, stops = entries_of(begin), entries_of(end)
    begin_mask, end_mask = static_int(begin_mask, "begin_mask"), static_int(end_mask, "end_mask")
    ellipsis_mask = static_int(ellipsis_mask, "ellipsis_mask")
    new_axis_mask = static_int(new_axis_mask, "new_axis_mask")
    shrink_axis_mask = static_int(shrink_axis_mask, "shrink_axis_mask")
    steps = [1] * len(starts) if strides is None else entries_of(strides)
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
