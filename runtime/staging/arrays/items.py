"""Items of NumPy's arrays at places that only the run knows: `xs[i]`, `xs[i, j]`, `xs[i:j]`.

An array that Python knows is a constant of the graph as it is when it is read. A row, or a slice,
is a view in NumPy, and shows what is assigned to the array later on: so nothing may be assigned to
it any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.staging import texts
from runtime.staging.aliasing.sharing import ARRAY, hold
from runtime.staging.arrays.symbolic_array import as_array
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.lists.sequences import place_of
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.tracing import is_symbol


def is_of_numbers(value: Any) -> bool:
    """True for an array or scalar of NumPy's that holds numbers, and neither dates nor objects."""
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc"


def item_of_array(array: np.ndarray, key: Any) -> Any:
    """`array[key]` where a part of the key is staged; NotImplemented for what gives no item."""
    parts = [read(present(part)) for part in (key if type(key) is tuple else (key,))]
    if not is_of_numbers(array):
        return NotImplemented
    if len(parts) == array.ndim and all(map(_is_whole, parts)):
        return as_array(convert_to_tensor(array)[_places(parts, array.shape)])
    return held(array)[key]


def held(array: Any) -> Any:
    """The symbol in the place of an array of Python's own, of which no items are assigned."""
    active().references.copies(array)
    made = as_array(convert_to_tensor(array))
    hold(made, ARRAY)
    return made


def checked_key(array: Any, key: Any) -> Any:
    """The key of an item of a staged array, whole numbers in it where they are within its sizes.

    Raises IndexError with NumPy's words for others, if the sizes are known.
    """
    parts = [read(present(part)) for part in (key if type(key) is tuple else (key,))]
    shape = array.static_shape
    if shape is None or not all(map(_is_whole, parts)):
        return key
    if len(parts) > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {len(parts)} were "
            "indexed"
            if shape
            else "invalid index to scalar variable."
        )
    sizes = shape[: len(parts)]
    return key if None in sizes else _places(parts, sizes)


def _places(parts: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    return tuple(
        [
            place_of(part, size, message=_outside(part, axis, size))
            for axis, (part, size) in enumerate(zip(parts, sizes, strict=False))
        ]
    )


def _outside(index: Any, axis: int, size: int) -> Any:
    """The words of NumPy's for a place out of bounds."""
    words = "index {} is out of bounds for axis {} with size {}"
    if is_symbol(index):
        return texts.make(str.format, words, index, axis, size)
    return words.format(index, axis, size)


def _is_whole(part: Any) -> bool:
    """True for a whole number: a bool is a mask to NumPy."""
    if isinstance(part, Tensor):
        return part.dtype.is_integer and part.static_shape == ()
    if isinstance(part, SymbolicNumber):
        return part.type.kind == "int"
    return isinstance(part, int | np.integer) and not isinstance(part, bool)
