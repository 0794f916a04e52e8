"""`hasattr`, and `getattr` with a default, of properties of the user's: a `try` takes what these
raise, which only the run may know. `attrgetter` and `methodcaller`, which read attributes as the
user's code does. What is called, for those who ask it for attributes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter, methodcaller
from types import MethodType
from typing import Any, NamedTuple, cast

from autograph.calls import call
from autograph.library_code import converted
from autograph.mutation.users_code import is_users_class
from autograph.objects import of_classes
from autograph.twins import call_method_of


def attribute_function(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Returns what to call for `hasattr(item, name)` and `getattr(item, name, default)` of a
    property of the user's; None for anything else.
    """
    if function is hasattr and len(args) == 2:
        instead = "has"
    elif function is getattr and len(args) == 3:
        instead = "get_or"
    else:
        return None
    item, name = args[:2]
    if type(name) is not str or not is_users_class(type(item)):
        return None
    if not isinstance(of_classes(type(item).__mro__, name), property):
        return None
    found: Callable[..., Any] = call(getattr(_templates(), instead))
    return found


def getter_function(function: Any) -> Callable[[Any], Any] | None:
    """Returns what to call for an `attrgetter` or a `methodcaller`; None for anything else."""
    if isinstance(function, attrgetter):
        paths = function.__reduce__()[1]
        return lambda item: _bare(tuple([_read(item, path) for path in paths]))
    if not isinstance(function, methodcaller):
        return None
    made, args = cast(tuple[Any, tuple[Any, ...]], function.__reduce__())
    named = made.keywords if isinstance(made, functools.partial) else {}
    first: tuple[Any, ...] = getattr(made, "args", ())
    name, *given = (*first, *args)
    return lambda item: call(_read(item, name))(*given, **named)


def askable(function: Any) -> Any:
    """Returns what may be asked for its `__self__` and others, in place of something callable: of
    an object whose class has a `__getattr__`, which would be told of that, its method.
    """
    kind = type(function)
    if not hasattr(kind, "__getattr__") or not is_users_class(kind):
        return function
    method = call_method_of(function)
    return function if method is None else MethodType(method, function)


def _read(item: Any, path: str) -> Any:
    return functools.reduce(call(getattr), path.split("."), item)


def _bare(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else values


class _Templates(NamedTuple):
    """The functions that are converted as the user's are."""

    has: Callable[[Any, str], Any]
    get_or: Callable[[Any, str, Any], Any]


@converted
def _templates() -> _Templates:
    def has(item: Any, name: str) -> Any:
        try:
            getattr(item, name)
        except AttributeError:
            return False
        return True

    def get_or(item: Any, name: str, default: Any) -> Any:
        try:
            return getattr(item, name)
        except AttributeError:
            return default

    return _Templates(has, get_or)
