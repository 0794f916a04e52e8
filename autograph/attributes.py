"""The attributes that a function shares with what is made of it."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

if sys.version_info >= (3, 14):
    from annotationlib import Format, get_annotations

    def _annotate_of(function: FunctionType) -> Any:
        """A function that computes those of `function` when asked, which may raise NameError.

        Python keeps what it is given: the very annotations that `function` has or will have.
        """

        def __annotate__(format: int, /) -> Any:
            if format == Format.VALUE:
                return function.__annotations__
            return get_annotations(function, format=Format(format))

        return __annotate__


def looking_alike(made: FunctionType, function: FunctionType) -> FunctionType:
    """`made`, with the attributes of `function`: shared, not copied."""
    for attribute in _SHARED:
        setattr(made, attribute, getattr(function, attribute))
    if sys.version_info >= (3, 14) and function.__annotate__ is not None:
        made.__annotate__ = _annotate_of(function)
    else:
        made.__annotations__ = function.__annotations__
    return made


_SHARED = (
    *("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"),
    *("__dict__", *(("__type_params__",) if hasattr(FunctionType, "__type_params__") else ())),
)
