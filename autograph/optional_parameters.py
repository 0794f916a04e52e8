"""The parameters for which None means a default, of functions that are not converted."""

from __future__ import annotations

import inspect
import itertools
from collections import deque
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeAlias

from autograph import policy
from autograph.mutation.foreign import is_foreign

Place: TypeAlias = int | str
"""How an argument is given: by its place, or by its name."""

_UNTOLD: tuple[tuple[Any, frozenset[Place]], ...] = (
    (max, frozenset(("key",))),
    (min, frozenset(("key",))),
    (deque, frozenset((1, "maxlen"))),
    (itertools.groupby, frozenset((1, "key"))),
    (itertools.permutations, frozenset((1, "r"))),
)
"""Functions and classes in C, which do not tell."""

_HANDED_ON = frozenset(("default", "value", "fillvalue"))
"""Parameters that are the result, or part of it: None is as good as another value there."""


def optional_parameters(function: Any) -> frozenset[Place]:
    """The places and the names of the parameters for which None means a default. A function of the
    user's takes None as it is, and has none; nor has one that looks at the frame of its caller.
    """
    for known, places in _UNTOLD:
        if known is function:
            return places
    if not _may_have_some(function):
        return frozenset()
    found: set[Place] = set()
    for place, each in enumerate(inspect.signature(function).parameters.values()):
        if each.default is not None or each.name in _HANDED_ON:
            continue
        if each.kind is not inspect.Parameter.KEYWORD_ONLY:
            found.add(place)
        if each.kind is not inspect.Parameter.POSITIONAL_ONLY:
            found.add(each.name)
    return frozenset(found)


def _may_have_some(function: Any) -> bool:
    if type(function) is BuiltinFunctionType:
        signature = getattr(function, "__text_signature__", None) or ""
        is_told = "=None" in signature and "<unrepresentable>" not in signature
        return is_told and function not in (eval, exec)
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is not FunctionType and is_foreign(type(plain)):
        plain = inspect.getattr_static(plain, "__wrapped__", None)  # as of NumPy's functions
    if type(plain) is not FunctionType:
        return False
    defaults = (*(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values())
    if not any(each is None for each in defaults):
        return False
    is_ours = plain.__module__.partition(".")[0] == __name__.partition(".")[0]
    return not is_ours and policy.decide(plain).decision is policy.AS_IS
