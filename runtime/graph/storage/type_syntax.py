"""The notation of types, read: what printed graphs write on their binders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime import dtypes
from runtime.core.types import ListType, NumberType, ResidualsType, TensorType, Type

_TENSOR = re.compile(r"(\w+)\[(\*|(?:\d+|\?)(?:,(?:\d+|\?))*|)\]")
_NUMBERS = {str(kind): kind for kind in map(NumberType, ("bool", "int", "float"))}
_DTYPES = {*(dtype.name for dtype in dtypes.ALL), "bfloat16"}


def type_text(type: Type, residuals: list[ResidualsType]) -> str:
    """A type as text. `residuals` are those that have a number, which is what tells them apart."""
    if isinstance(type, ListType):
        return f"list[{type_text(type.element, residuals)}]"
    if not isinstance(type, ResidualsType):
        return str(type)
    if type not in residuals:
        residuals.append(type)
    return f"residuals[{residuals.index(type)}]"


def type_of(text: str, residuals: Sequence[ResidualsType]) -> Type:
    """The type that a text denotes; ValueError for what is none."""
    number = _NUMBERS.get(text)
    if number is not None:
        return number
    kind, _, inside = text.removesuffix("]").partition("[")
    if kind == "list":
        return ListType(type_of(inside, residuals))
    if kind == "residuals" and inside.isdecimal() and int(inside) < len(residuals):
        return residuals[int(inside)]
    found = _TENSOR.fullmatch(text)
    if found is None or found[1] not in _DTYPES:
        raise ValueError(f"{text!r} is no type")
    dims = found[2]
    if dims == "*":
        return TensorType(dtypes.as_dtype(found[1]), None)
    shape = [None if dim == "?" else int(dim) for dim in dims.split(",")] if dims else []
    return TensorType(dtypes.as_dtype(found[1]), tuple(shape))
