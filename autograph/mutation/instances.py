"""Instances, classes and exceptions: attributes, and what Python calls by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import EnumType
from functools import cached_property, partialmethod
from itertools import chain
from threading import local
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from autograph.mutation.containers import elements_of
from autograph.mutation.functions import Unconverted, names_in
from autograph.mutation.kinds import KeyedKind, SingleKind
from autograph.mutation.parts import MISSING, Part, as_attribute, as_itself
from autograph.mutation.users_code import is_users_class, is_users_function


class InstanceKind(KeyedKind):
    """Attributes, in slots and elsewhere. What the class has is the instance's too."""

    style = as_attribute

    def take(self, value: Any) -> dict[str, Any]:
        slots = slots_of(type(value))
        if not slots:
            return dict(_attributes_of(value) or {})
        state = {name: _slot(value, name) for name in slots}
        state |= _attributes_of(value) or {}
        return {name: child for name, child in state.items() if child is not MISSING}

    def parts(self, value: Any, state: dict[str, Any]) -> Iterable[Part]:
        if type(value) is FunctionType and not is_users_function(value):
            return ()  # what a library keeps with a function is its own
        parts = super().parts(value, state)
        cls = type(value)
        return (*parts, (as_itself, None, cls)) if is_users_class(cls) else parts

    def put(self, value: Any, state: dict[str, Any]) -> None:
        slots = slots_of(type(value))
        for name in slots:
            if name in state:
                object.__setattr__(value, name, state[name])
            elif _slot(value, name) is not MISSING:
                object.__delattr__(value, name)
        attributes = _attributes_of(value)
        if attributes is not None:
            attributes.clear()
            attributes |= {name: state[name] for name in state if name not in slots}


class ClassKind(KeyedKind):
    """Attributes of a class of the user's, its bases, and what Python calls of it by itself."""

    style = as_attribute

    def take(self, value: type) -> dict[str, Any]:
        if not is_users_class(value):
            return {}
        state = dict(type.__getattribute__(value, "__dict__"))
        if isinstance(value, EnumType):
            state.pop("_value2member_map_", None)  # where it keeps the flags that it has made
        return state

    def parts(self, value: type, state: dict[str, Any]) -> Iterable[Part]:
        if not state:
            return
        for part in super().parts(value, state):
            if not isinstance(part[2], FunctionType):  # the generated code calls the methods
                yield part
        for cls in (*value.__bases__, type(value)):
            if is_users_class(cls):
                yield as_itself, None, cls
        for name, function in called_by_python(value):
            yield as_attribute, name, Unconverted(function)

    def put(self, value: type, state: dict[str, Any]) -> None:
        now = self.take(value)  # a class cannot be cleared: only what differs is written
        for name in now.keys() - state.keys():
            type.__delattr__(value, name)
        for name, child in state.items():
            if now.get(name, MISSING) is not child:
                type.__setattr__(value, name, child)


class ArgumentsKind(SingleKind):
    """The arguments of an exception."""

    def take(self, value: BaseException) -> Any:
        return value.args

    def parts(self, value: BaseException, state: Any) -> Iterable[Part]:
        return elements_of(state)

    def same(self, value: BaseException, state: Any) -> bool:
        return value.args is state

    def put(self, value: BaseException, state: Any) -> None:
        value.args = state

    def holder(self, value: BaseException) -> Any:
        return value.args


def called_by_python(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """Operators, properties and the like of a class, and the methods that these name."""
    classes = [base for base in reversed(cls.__mro__) if is_users_class(base)]
    members = {name: member for base in classes for name, member in list(vars(base).items())}
    pending = [name for name, member in members.items() if _is_implicit(name, member)]
    seen = set(pending)
    while pending:
        name = pending.pop()
        for function in _functions_in(members[name]):
            yield name, function
            further = members.keys() & set(names_in(function.__code__)) - seen
            seen |= further
            pending += further


def _is_implicit(name: str, member: Any) -> bool:
    special = name.startswith("__") and name.endswith("__") and name not in _CONVERTED
    return special or isinstance(member, property | cached_property | partialmethod)


def _functions_in(member: Any) -> list[FunctionType]:
    found: tuple[Any, ...] = (member,)
    if isinstance(member, property):
        found = member.fget, member.fset, member.fdel
    elif isinstance(member, classmethod | staticmethod):
        found = (member.__func__,)
    elif isinstance(member, cached_property | partialmethod):
        found = (member.func,)
    return [each for each in found if isinstance(each, FunctionType) and is_users_function(each)]


# Methods that the generated code calls itself.
_CONVERTED = frozenset(("__init__", "__new__", "__call__"))


def _slot(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def slots_of(cls: type) -> tuple[str, ...]:
    known = _slots.get(cls)
    if known is None:
        slotted = [list(vars(base).items()) for base in cls.__mro__ if _has_slots(base)]
        members = chain.from_iterable(slotted)
        known = _slots[cls] = tuple(name for name, value in members if type(value) is _MEMBER)
    return known


def _attributes_of(value: Any) -> dict[str, Any] | None:
    cls = type(value)
    if cls.__dictoffset__ and not _hides_its_own(cls):
        found: dict[str, Any] = object.__getattribute__(value, "__dict__")
        return found
    return value.__dict__ if isinstance(value, local) else None


def _hides_its_own(cls: type) -> bool:
    # A class of the user's may say what `__dict__` is: nobody can get Python's own then.
    known = _hiding.get(cls)
    if known is None:
        known = any(isinstance(vars(base).get("__dict__"), property) for base in cls.__mro__)
        _hiding[cls] = known
    return known


def _has_slots(cls: type) -> bool:
    return "__slots__" in vars(cls)


class _Slotted:
    __slots__ = ("slot",)


_MEMBER = type(vars(_Slotted)["slot"])
_hiding: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
_slots: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()
