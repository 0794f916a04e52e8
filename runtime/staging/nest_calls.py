"""The functions of `rt.nest`, given what is a structure on one path only, or a function that may
branch by tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from autograph import call
from runtime import nest
from runtime.staging.control.optional_values import Missing
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.refusals import refuse
from runtime.staging.type_tests import of_each

_MAPPING = nest.map_structure, nest.map_structure_up_to, nest.map_structure_with_paths
_CONVERTED = BuiltinFunctionType, FunctionType, MethodType
"""The classes of functions that may branch by tensors, or change what a block is to know."""


def nest_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function of `rt.nest`; None for any other."""
    is_one = type(function) is FunctionType and function.__module__ == nest.__name__
    return partial(_called, function) if is_one else None


def _called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    for at, item in enumerate(args):
        if _may_be_nested(item):
            return _of_each(function, args[:at], item, args[at + 1 :], kwargs)
    for leaf in nest.flatten([*args, *kwargs.values()]):
        if _may_be_nested(leaf):
            raise _refusal(leaf)
    if function in _MAPPING:
        args = tuple([call(arg) if type(arg) in _CONVERTED else arg for arg in args])
    return function(*args, **kwargs)


def _of_each(
    function: Callable[..., Any],
    before: tuple[Any, ...],
    item: Any,
    behind: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Any:
    def result(option: Any, *, _reached: Any = (before, behind, kwargs)) -> Any:
        return _called(function, *before, option, *behind, **kwargs)

    return of_each(result, item)


def _may_be_nested(item: Any) -> bool:
    """Whether it is one leaf to `rt.nest`, and may be more than that in the run."""
    if isinstance(item, Missing):
        return nest.is_nested(item.held) or _may_be_nested(item.held)
    return type(item) is TaggedUnion and any(
        nest.is_nested(option) or _may_be_nested(option) for option in item.options
    )


def _refusal(item: Any) -> Exception:
    if type(item) is TaggedUnion:
        return item.refusal()
    return refuse(
        "a structure is taken apart in which one part is a structure, or None, as only the run "
        "knows",
        "take the part apart for itself, or give it one structure on all paths",
    )
