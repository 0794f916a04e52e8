"""How Python finds the attributes of an object, and whose they are."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from functools import cached_property
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from runtime.graph.guarding.code_paths import MATCHED, WHOLE
from runtime.graph.guarding.weak_paths import MISSING, attribute_now

_READ_BY_PYTHON = cached_property, property, staticmethod, classmethod, FunctionType
_LIBRARIES = frozenset(("runtime", "autograph", "numpy", "builtins"))


def is_library(module: str | None) -> bool:
    """Is it a module of this library, of NumPy or of Python's builtins?"""
    return str(module).partition(".")[0] in _LIBRARIES


def is_standard(module: str | None) -> bool:
    """Is it such a module, or one of Python's standard library?"""
    name = str(module).partition(".")[0]
    return name in _LIBRARIES or (name in sys.stdlib_module_names and name != "__main__")


def is_the_users(item: Any) -> bool:
    """Can it have attributes that the user's code sets?"""
    if isinstance(item, ModuleType):
        return not is_standard(item.__name__)
    if isinstance(item, FunctionType):
        return bool(item.__dict__) and not is_standard(item.__module__)
    kind = item if isinstance(item, type) else type(item)
    return not is_library(kind.__module__) and (
        hasattr(item, "__dict__") or hasattr(kind, "__slots__")
    )


def has(item: Any, name: str) -> bool:
    """Is there an attribute of this name that can change?"""
    if not isinstance(item, type) and attribute_now(item, name) is not MISSING:
        return True
    found = of_classes(classes_of(item), name)
    if isinstance(found, _READ_BY_PYTHON):
        return True
    return is_descriptor(found) or (found is not MISSING and not hasattr(type(found), "__get__"))


def classes_of(holder: Any) -> tuple[type, ...]:
    """The classes in which Python looks for an attribute; of a class, its metaclass is one."""
    kind: type = type(holder)
    return (*holder.__mro__, *kind.__mro__) if isinstance(holder, type) else kind.__mro__


def of_classes(classes: Iterable[type], name: str) -> Any:
    """What the first class that has an attribute has, or MISSING."""
    return next((vars(base)[name] for base in classes if name in vars(base)), MISSING)


def is_descriptor(found: Any) -> bool:
    """Does Python call code of the user's to get this attribute of a class?"""
    kind = type(found)
    return isinstance(getattr(kind, "__get__", None), FunctionType) and not is_library(
        kind.__module__
    )


def comes_first(found: Any) -> bool:
    """Does Python ask this attribute of a class rather than one of the same name of the object?"""
    return hasattr(type(found), "__set__") and type(found) is not MemberDescriptorType


def is_computed_once(instance: Any, name: str) -> bool:
    """Is it an attribute that Python puts there when it is asked?"""
    return isinstance(getattr(type(instance), name, None), cached_property)


def fields_of(item: Any, names: Collection[str]) -> Iterable[str]:
    """The attributes that code with these names can read of an object without their own."""
    if isinstance(item, type):
        return
    if not WHOLE.isdisjoint(names):
        yield from getattr(item, "__dataclass_fields__", ())
        yield from getattr(item, "__dict__", ())
    if MATCHED in names:
        yield from getattr(item, MATCHED, ())


def defaults_of(function: FunctionType) -> dict[str, Any]:
    """The default values of parameters, by their names."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(names, values, strict=True)) | (function.__kwdefaults__ or {})
