"""Items of NumPy's arrays at places that only the run knows: `xs[i]`, `xs[i, j]`.

An array that Python knows is a constant of the graph as it is when the item is read, which is right
of one number alone: a row is a view in NumPy, and shows what is assigned to the array later on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.staging import texts
from runtime.staging.arrays.symbolic_array import as_array
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.control.references import want_arrays
from runtime.staging.lists.sequences import place_of
from runtime.staging.refusals import refuse
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.tracing import is_symbol

_OF_NUMBERS = "biufc"
"""The kinds of dtypes whose items are numbers."""


def item_of_array(array: np.ndarray, key: Any) -> Any:
    """`array[key]` where a part of the key is staged; NotImplemented for what gives no item."""
    parts = [read(present(part)) for part in (key if type(key) is tuple else (key,))]
    is_item = all(map(_is_whole, parts)) and len(parts) <= array.ndim
    if array.dtype.kind not in _OF_NUMBERS or not is_item:
        return NotImplemented
    if len(parts) < array.ndim:
        want_arrays()
        raise refuse(
            "only the run knows which row of an array is read, and a row of NumPy's shows what is "
            "assigned to the array later",
            "read one item, xs[i, j], or make a tensor of the array: tf.constant(xs)",
        )
    return as_array(convert_to_tensor(array)[_places(parts, array.shape)])


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
