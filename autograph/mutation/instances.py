"""Instances, classes and exceptions: attributes, and what Python calls by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import EnumType, Flag
from types import FunctionType
from typing import Any

from autograph.mutation.containers import elements_of
from autograph.mutation.functions import Unconverted, names_in
from autograph.mutation.kinds import KeyedKind, NamespaceKind, SingleKind
from autograph.mutation.paths import Difference, Part, as_attribute, as_itself
from autograph.mutation.users_code import is_installed, is_users_class, is_users_function
from autograph.mutation.variables import Named
from autograph.objects import (
    MISSING,
    attributes_of,
    functions_in,
    is_implicit,
    members_of,
    module_of,
    put_attributes,
)


class InstanceKind(NamespaceKind):
    """Attributes, in slots and elsewhere. What the class has is the instance's too."""

    style = as_attribute

    def take(self, value: Any) -> dict[str, Any]:
        state = attributes_of(value) or {}
        if issubclass(type(value), Flag):
            state.pop("_inverted_", None)  # where it keeps what `~` has made
        return state

    def parts(self, value: Any, state: dict[str, Any]) -> Iterable[Part]:
        if type(value) is FunctionType and not is_users_function(value):
            return ()  # what a library keeps with a function is its own
        parts = super().parts(value, state)
        cls = type(value)
        return (*parts, (as_itself, None, cls)) if is_users_class(cls) else parts

    def put(self, value: Any, state: dict[str, Any]) -> None:
        put_attributes(value, state)


class OwnClassKind(SingleKind):
    """The class that an object is of, which assignments to its `__class__` change."""

    def take(self, value: Any) -> type:
        return type(value)

    def differences(self, value: Any, state: type) -> Iterator[Difference]:
        yield as_attribute, "__class__", state, type(value)

    def put(self, value: Any, state: type) -> None:
        object.__setattr__(value, "__class__", state)

    def is_fixed(self, key: Any) -> bool:
        return True


class ClassKind(KeyedKind):
    """Attributes of a class of the user's, its bases, and what Python calls of it by itself."""

    style = as_attribute

    def take(self, value: type) -> dict[str, Any]:
        if not is_users_class(value):
            return {}
        state = members_of(value)  # without stand-ins, which come and go with a trace
        if isinstance(value, EnumType):
            state.pop("_value2member_map_", None)  # where it keeps the flags that it has made
        for name in _KEPT_BY_PYTHON:
            state.pop(name, None)
        return state | {name: getattr(value, name) for name in _OF_CLASSES}

    def parts(self, value: type, state: dict[str, Any]) -> Iterable[Part]:
        if not state:
            return
        for part in super().parts(value, state):
            style, name, member = part
            yield (style, name, Named(member)) if isinstance(member, FunctionType) else part
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

    def is_fixed(self, key: Any) -> bool:
        return str(key).startswith("__") and str(key).endswith("__")


class ArgumentsKind(SingleKind):
    """The arguments of an exception."""

    def take(self, value: BaseException) -> Any:
        return value.args

    def parts(self, value: BaseException, state: Any) -> Iterable[Part]:
        return elements_of(state)

    def put(self, value: BaseException, state: Any) -> None:
        value.args = state

    def holder(self, value: BaseException) -> Any:
        return value.args


class CauseKind(KeyedKind):
    """The cause of an exception: what it was raised from."""

    style = as_attribute

    def take(self, value: BaseException) -> dict[str, Any]:
        return {name: getattr(value, name) for name in ("__cause__", "__suppress_context__")}

    def put(self, value: BaseException, state: dict[str, Any]) -> None:
        for name, part in state.items():
            setattr(value, name, part)

    def is_fixed(self, key: Any) -> bool:
        return True


_OF_CLASSES = "__name__", "__qualname__"
"""Attributes of a class that are none of its members."""

_KEPT_BY_PYTHON = "__annotations__", "__annotations_cache__", "__slotnames__"
"""Members that a class gets where somebody asks for them, or copies an object of it."""


def called_by_python(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """Operators, properties and the like of a class, and the methods that these name."""
    # A converted package's may lead to all that the package has; what they do is told when called.
    classes = [base for base in reversed(cls.__mro__) if not is_installed(module_of(base))]
    members = {name: member for base in classes for name, member in list(vars(base).items())}
    pending = [name for name, member in members.items() if is_implicit(name, member, _CONVERTED)]
    seen = set(pending)
    while pending:
        name = pending.pop()
        for function in _functions_in(members[name]):
            yield name, function
            further = members.keys() & set(names_in(function.__code__)) - seen
            seen |= further
            pending += further


def _functions_in(member: Any) -> list[FunctionType]:
    return [each for each in functions_in(member) if is_users_function(each)]


# Methods that the generated code calls itself.
_CONVERTED = frozenset(("__init__", "__new__", "__call__"))
