"""The lookup of an object's attributes, as Python does it, and whose they are."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from autograph.mutation.users_code import is_users, is_users_class
from autograph.objects import (
    MISSING,
    hides_its_own,
    is_a,
    is_namespace,
    module_of,
    of_classes,
    own_of,
    slots_of,
)
from runtime.staging.guarding.code_paths import MATCHED, OF_USERS, WHOLE
from runtime.staging.guarding.weak_paths import attribute_now

_READ_BY_PYTHON = cached_property, property, staticmethod, classmethod, FunctionType
_LIBRARIES = frozenset(("runtime", "autograph", "numpy", "builtins"))


def is_library(module: str | None) -> bool:
    """True for a module of this library, of NumPy or of Python's builtins."""
    return _top_of(str(module)) in _LIBRARIES


@lru_cache(maxsize=1024)
def _top_of(module: str) -> str:
    return module.partition(".")[0]


def is_standard(module: str | None) -> bool:
    """True for such a module, or one of Python's standard library."""
    name = _top_of(str(module))
    return name in _LIBRARIES or (name in sys.stdlib_module_names and name != "__main__")


def is_the_users(item: Any) -> bool:
    """True if it can have attributes that the user's code sets."""
    if is_a(item, ModuleType):
        return not is_standard(item.__name__)
    if is_a(item, FunctionType):
        return bool(item.__dict__) and not is_standard(item.__module__)
    kind = item if is_a(item, type) else type(item)
    is_ours = is_library(module_of(kind)) and not is_namespace(type(item))
    if is_ours or hides_its_own(type(item)):
        return False
    return hasattr(item, "__dict__") or hasattr(kind, "__slots__")


def is_users_code(function: FunctionType) -> bool:
    """True for a function that the user wrote, or of a package that is converted as such."""
    return is_users(str(function.__module__))


def is_method(member: Any) -> bool:
    """True if this member of a class is one that code calls, rather than one that Python runs."""
    is_wrapped = is_a(member, classmethod | staticmethod)
    return is_a(member.__func__ if is_wrapped else member, FunctionType)


COMPARING = frozenset(
    f"__{name}__"
    for name in (
        *("eq", "ne", "lt", "le", "gt", "ge", "hash", "str", "repr", "format", "bytes", "sizeof"),
        *("del", "dir", "reduce", "reduce_ex", "getstate", "setstate", "getnewargs"),
    )
)
"""The methods that compare or show an object, or copy it: what they read, no trace has seen."""


def has(item: Any, name: str) -> bool:
    """True if there is an attribute of this name that can change."""
    if not is_a(item, type) and attribute_now(item, name) is not MISSING:
        return True
    return is_for_all(of_classes(classes_of(item), name))


def can_have(item: Any, name: str) -> bool:
    """True if it can get an attribute of this name of its own."""
    return own_of(item) is not None or name in slots_of(type(item))


def is_for_all(found: Any) -> bool:
    """True if this attribute of a class, or MISSING, is one of all its objects that can change."""
    if isinstance(found, _READ_BY_PYTHON):
        return True
    return is_descriptor(found) or (found is not MISSING and not hasattr(type(found), "__get__"))


def classes_of(holder: Any) -> tuple[type, ...]:
    """The classes in which Python looks for an attribute; of a class, its metaclass is one."""
    kind: type = type(holder)
    return (*holder.__mro__, *kind.__mro__) if is_a(holder, type) else kind.__mro__


def is_descriptor(found: Any) -> bool:
    """True if Python calls code of the user's to get this attribute of a class."""
    kind = type(found)
    return isinstance(getattr(kind, "__get__", None), FunctionType) and not is_library(
        module_of(kind)
    )


def comes_first(found: Any) -> bool:
    """True if Python asks this attribute of a class rather than one of the same name
    of the object.
    """
    return hasattr(type(found), "__set__") and type(found) is not MemberDescriptorType


def is_computed_once(instance: Any, name: str) -> bool:
    """True for an attribute that Python puts there when it is asked."""
    return isinstance(of_classes(type(instance).__mro__, name), cached_property)


def reads_whole(item: Any, names: Collection[str], listing: frozenset[str]) -> bool:
    """Whether code with these names may read all attributes of an object: by one of `listing`."""
    return not listing.isdisjoint(names) or (OF_USERS in names and is_users_class(type(item)))


def fields_of(item: Any, names: Collection[str]) -> Iterable[str]:
    """The attributes that code with these names can read of an object without their own."""
    if is_a(item, type):
        return
    # An object may have a `__getattr__` that answers everything.
    if OF_USERS in names or not WHOLE.isdisjoint(names):
        yield from _said_by_class(item, "__dataclass_fields__")
    if reads_whole(item, names, WHOLE):
        yield from own_of(item) or ()
    if MATCHED in names:
        yield from _said_by_class(item, MATCHED)


def _said_by_class(item: Any, name: str) -> Iterable[str]:
    found = of_classes(type(item).__mro__, name)
    return () if found is MISSING else found


def defaults_of(function: FunctionType) -> dict[str, Any]:
    """The default values of parameters, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(names, values, strict=True)) | (function.__kwdefaults__ or {})
