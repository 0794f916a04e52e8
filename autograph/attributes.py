"""The attributes that a function shares with what is made of it."""

from __future__ import annotations

from types import FunctionType


def looking_alike(made: FunctionType, function: FunctionType) -> FunctionType:
    """`made`, with the attributes of `function`: shared, not copied."""
    for attribute in _SHARED:
        setattr(made, attribute, getattr(function, attribute))
    # From Python 3.14 on a function computes them when somebody asks, which may raise NameError.
    annotate = getattr(function, "__annotate__", None)
    if annotate is None:
        made.__annotations__ = function.__annotations__
    else:
        made.__annotate__ = annotate  # type: ignore[attr-defined, unused-ignore]
    return made


_SHARED = (
    *("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"),
    *("__dict__", *(("__type_params__",) if hasattr(FunctionType, "__type_params__") else ())),
)
