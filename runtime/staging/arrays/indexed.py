"""Arrays of an index: `np.c_[x, y]`, `np.r_[x, 1]`, `np.mgrid[0:n, 0:m]`, `np.ogrid`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import autograph
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.library_calls import STAGED
from runtime.staging.refusals import refuse
from runtime.staging.symbolic_number import CLASSES, SymbolicNumber

JOINING: tuple[type, ...] = (type(np.c_), type(np.r_))
GRIDS: tuple[type, ...] = (type(np.mgrid), type(np.ogrid))
"""The classes of the objects of NumPy's that make arrays of an index."""


def joined(target: Any, key: Any) -> Any:
    """`np.c_[key]`, or `np.r_[key]`: the arrays behind each other, or side by side."""
    items = [_item(part) for part in (key if type(key) is tuple else (key,))]
    dtype = np.result_type(*map(_kind, items))
    parts = [_part(item, dtype, target.ndmin) for item in items]
    return STAGED[np.concatenate](parts, target.axis)


def _item(part: Any) -> Any:
    part = read(present(part))
    if isinstance(part, str):
        raise refuse("a text among the parts of np.r_ is a directive", "use np.concatenate")
    if isinstance(part, slice):
        return _spaced(part)
    if isinstance(part, SymbolicNumber | bool | int | float | complex | np.generic):
        return part
    if isinstance(part, np.ndarray):
        return as_array(convert_to_tensor(part))
    return STAGED[np.asarray](part)


def _kind(item: Any) -> Any:
    """The dtype that an item adds to that of the result: a number of Python's adds little."""
    if isinstance(item, SymbolicNumber):
        return CLASSES[item.type.kind](1)
    return item.type.dtype.np_dtype if isinstance(item, Tensor) else item


def _part(item: Any, dtype: Any, ndmin: int) -> Any:
    array = STAGED[np.asarray](item, dtype)
    rank = len(array.static_shape)
    if rank == 0:
        return STAGED[np.reshape](array, (1,) * ndmin)
    return STAGED[np.expand_dims](array, 1) if rank < ndmin else array


def grid(target: Any, key: Any) -> Any:
    """`np.mgrid[key]`, or `np.ogrid[key]`: the places along each axis."""
    if isinstance(key, slice):
        return _spaced(key)
    bounds = [part for each in key for part in (each.start, each.stop, each.step)]
    is_whole = all(part is None or _is_whole(read(present(part))) for part in bounds)
    axes = [_spaced(part) if is_whole else _of_fractions(part) for part in key]
    if target.sparse:
        return tuple([_along(axis, at, len(axes)) for at, axis in enumerate(axes)])
    return STAGED[np.stack](STAGED[np.meshgrid](*axes, indexing="ij"))


def _along(axis: SymbolicArray, at: int, rank: int) -> Any:
    return axis[tuple([slice(None) if place == at else None for place in range(rank)])]


def _is_whole(part: Any) -> bool:
    if isinstance(part, SymbolicNumber):
        return part.type.kind != "float"
    kind = (
        part.type.dtype.np_dtype.kind if isinstance(part, Tensor) else np.asarray(part).dtype.kind
    )
    return kind in "biu"


def _bounds(part: slice) -> tuple[Any, Any, Any]:
    start, stop, step = (read(present(bound)) for bound in (part.start, part.stop, part.step))
    return 0 if start is None else start, stop, 1 if step is None else step


def _spaced(part: slice) -> Any:
    """The numbers of a slice: so many, if its step is a complex number."""
    start, stop, step = _bounds(part)
    if isinstance(step, complex):
        return STAGED[np.linspace](start, stop, int(abs(step)))
    return STAGED[np.arange](start, stop, step)


def _of_fractions(part: slice) -> Any:
    start, stop, step = _bounds(part)
    if isinstance(step, complex):
        return _spaced(part)
    count = autograph.call(math.ceil)((stop - start) / step)
    return STAGED[np.arange](count) * (step * 1.0) + start
