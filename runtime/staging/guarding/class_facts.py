"""The facts about a class that are asked for each of its objects, looked up once for all."""

from __future__ import annotations

from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from autograph.objects import is_a, is_namespace, module_of, of_classes
from runtime.staging.control.optional_values import OPERATORS
from runtime.staging.guarding.containers import COMPARED
from runtime.staging.guarding.lookup import is_for_all, is_library
from runtime.staging.guarding.weak_paths import OF_ALL

_CALLED_BY_PYTHON = (
    *OPERATORS,
    *("__getitem__", "__missing__", "__next__", "__getattr__", "__enter__", "__exit__"),
    *("__instancecheck__", "__subclasscheck__"),
)
_NAMES = frozenset(_CALLED_BY_PYTHON)
_OTHERS = type, ModuleType, FunctionType, MethodType
_SLOTS = frozenset((MemberDescriptorType, GetSetDescriptorType))


class ClassFacts:
    """A class, as it is while what code reads is looked for: nothing of the user's runs then. It is
    kept alive, for its address is what it is known by.

    `called` are its methods that Python calls by itself; `members` tells which attributes its
    objects have, and `guarded` are those of which it is guarded where they come from.
    """

    __slots__ = (
        *("called", "guarded", "is_compared", "is_plain", "kind", "members", "reads_itself"),
    )

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.is_compared = issubclass(kind, COMPARED)
        self.reads_itself = _is_method(kind, "__getattribute__")
        is_ours = is_library(module_of(kind)) and not is_namespace(kind)
        self.called = [] if is_ours else _called_by_python(kind)
        self.members = _Members(kind)
        self.guarded: set[str] = set()
        self.is_plain = not (is_ours or issubclass(kind, _OTHERS))


def _called_by_python(kind: type) -> list[str]:
    # Most classes have few of these names: `object`, which has many, none that is a function.
    there: set[str] = set()
    for base in kind.__mro__:
        if base is not object:
            there |= _NAMES.intersection(base.__dict__)
    return [name for name in _CALLED_BY_PYTHON if name in there and _is_method(kind, name)]


def _is_method(kind: type, name: str) -> bool:
    return is_a(of_classes(kind.__mro__, name), FunctionType)


class _Members(dict[str, tuple[Any, bool | None]]):
    """The attributes of a class by name, or MISSING; and whether its objects have one there that
    can change: None where each may have it or not, but for those of its own.
    """

    def __init__(self, kind: type) -> None:
        self._classes = kind.__mro__

    def __missing__(self, name: str) -> tuple[Any, bool | None]:
        found = of_classes(self._classes, name)
        is_there: bool | None = name in OF_ALL or is_for_all(found)
        if not is_there and type(found) in _SLOTS:
            is_there = None
        self[name] = known = found, is_there
        return known
