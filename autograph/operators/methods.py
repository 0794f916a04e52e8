"""Methods of the user's that answer for Python, and of which it would not take a staged answer."""

from __future__ import annotations

from functools import cached_property
from types import FunctionType
from typing import Any

from autograph import policy
from autograph.objects import ConvertedCachedProperty, ConvertedProperty, users_member
from autograph.operators.growing import is_staging, register_stand_in


def converted_method(value: Any, name: str) -> Any:
    """The method of that name of an object's class, where it is converted while a function is
    being staged; else None.
    """
    return converted_method_of(type(value), name)


def converted_method_of(kind: type, name: str) -> Any:
    """The same for an object of this class."""
    if not is_staging():
        return None
    found: Any = getattr(kind, name, None)
    is_twin = isinstance(found, FunctionType) and found.__code__ in policy.generated
    return found if is_twin or users_member(found) is not found else None


register_stand_in(ConvertedProperty, of=property)
register_stand_in(ConvertedCachedProperty, of=cached_property)
