"""`hasattr`, and `getattr` with a default, of properties of the user's: a `try` takes what these
raise, which only the run may know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autograph.calls import call
from autograph.library_code import converted
from autograph.mutation.users_code import is_users_class
from autograph.objects import of_classes


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
