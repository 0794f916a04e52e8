"""Variables: captured ones, global ones, and context variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import Context, ContextVar
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple

from autograph.backend import GlobalVariable
from autograph.mutation.kinds import KeyedKind, Kind, SingleKind, namespace_key
from autograph.mutation.paths import ATOMS, Difference, Part, as_attribute, as_itself
from autograph.mutation.users_code import is_users, is_users_module
from autograph.objects import MISSING, contents


class CellKind(SingleKind):
    """A captured variable."""

    def take(self, value: CellType) -> Any:
        return contents(value)

    def parts(self, value: CellType, state: Any) -> Iterable[Part]:
        return () if type(state) is ModuleType else [(as_itself, None, state)]

    def put(self, value: CellType, state: Any) -> None:
        if state is MISSING:
            del value.cell_contents
        else:
            value.cell_contents = state


class ContextVariableKind(SingleKind):
    """The value of a context variable. It cannot be unset."""

    def take(self, value: ContextVar[Any]) -> Any:
        return value.get(MISSING)

    def parts(self, value: ContextVar[Any], state: Any) -> Iterable[Part]:
        return () if type(state) in ATOMS else [(as_itself, None, state)]

    def put(self, value: ContextVar[Any], state: Any) -> None:
        if state is not MISSING:
            value.set(state)


class ContextKind(KeyedKind):
    """The variables of a context, which `run` sets. They cannot be unset."""

    def size(self, value: Context) -> int:
        return len(value)

    def take(self, value: Context) -> dict[ContextVar[Any], Any]:
        return dict(value.items())

    def put(self, value: Context, state: dict[ContextVar[Any], Any]) -> None:
        for variable, child in state.items():
            if value[variable] is not child:
                value.run(variable.set, child)


class Named(NamedTuple):
    """A function that a global variable or a class names: the generated code tells of its calls,
    and only what is put there itself is compared.
    """

    function: FunctionType


class GlobalKind(SingleKind):
    def key(self, value: GlobalVariable) -> Any:
        return id(value.namespace), value.name

    def take(self, value: GlobalVariable) -> Any:
        return value.namespace.get(value.name, MISSING)

    def parts(self, value: GlobalVariable, state: Any) -> Iterable[Part]:
        if type(state) is FunctionType:
            has_attributes = vars(state).keys() - {"__wrapped__"}
            return [(as_itself, None, state if has_attributes else Named(state))]
        return () if type(state) in _NO_PARTS else [(as_itself, None, state)]

    def put(self, value: GlobalVariable, state: Any) -> None:
        if state is MISSING:
            value.namespace.pop(value.name, None)
        else:
            value.namespace[value.name] = state


class ModuleKind(Kind):
    """The variables of a module of the user's that is held like any object. Of one that code names
    it is looked at what the code names of it.
    """

    def key(self, value: ModuleType) -> Any:
        return namespace_key(vars(value))

    def take(self, value: ModuleType) -> frozenset[str]:
        return frozenset(vars(value)) if is_users_module(value) else frozenset()

    def parts(self, value: ModuleType, state: frozenset[str]) -> Iterable[Part]:
        return [(as_attribute, name, GlobalVariable(vars(value), name)) for name in sorted(state)]

    def same(self, value: ModuleType, state: frozenset[str]) -> bool:
        return self.take(value) <= state  # what is gone, its variable tells

    def differences(self, value: ModuleType, state: frozenset[str]) -> Iterator[Difference]:
        for name in sorted(self.take(value) - state):
            yield as_attribute, name, MISSING, vars(value)[name]

    def put(self, value: ModuleType, state: frozenset[str]) -> None:
        for name in self.take(value) - state:
            vars(value).pop(name, None)


class LibraryModuleKind(KeyedKind):
    """The variables of a library's module that is held like any object, which are not looked into.
    Modules are none of them: whatever imports a part of a package puts it there. Nor is what a
    module loads when it is asked for it.
    """

    style = as_attribute

    def take(self, value: ModuleType) -> dict[str, Any]:
        if is_users_module(value):
            return {}
        return {name: held for name, held in vars(value).items() if type(held) is not ModuleType}

    def parts(self, value: ModuleType, state: dict[str, Any]) -> Iterable[Part]:
        return ()

    def same(self, value: ModuleType, state: dict[str, Any]) -> bool:
        return super().same(value, state) or not any(self.differences(value, state))

    def differences(self, value: ModuleType, state: dict[str, Any]) -> Iterator[Difference]:
        now, loads = self.take(value), "__getattr__" in state
        for name in {**state, **now}:
            before, after = state.get(name, MISSING), now.get(name, MISSING)
            is_loaded = loads and before is MISSING and _is_of_library(after)
            if before is not after and not is_loaded:
                yield as_attribute, name, before, after

    def put(self, value: ModuleType, state: dict[str, Any]) -> None:
        for _, name, before, _ in list(self.differences(value, state)):
            if before is MISSING:
                del vars(value)[name]
            else:
                vars(value)[name] = before


def _is_of_library(held: Any) -> bool:
    return callable(held) and not is_users(str(getattr(held, "__module__", "")))


def value_of(place: Any) -> Any:
    """Returns the value of a captured or a global variable."""
    kind = VARIABLES.get(type(place))
    return MISSING if kind is None else kind.take(place)


_NO_PARTS = ATOMS | {ModuleType}  # of a module it is looked at what the code names

VARIABLES: dict[type, Kind] = {CellType: CellKind(), GlobalVariable: GlobalKind()}
