"""Variables: captured ones, global ones, and context variables."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from types import CellType, FunctionType
from typing import Any, NamedTuple

from autograph.backend import GlobalVariable
from autograph.mutation.kinds import Kind, SingleKind
from autograph.mutation.paths import ATOMS, Part, as_itself
from autograph.objects import MISSING, contents


class CellKind(SingleKind):
    """A captured variable."""

    def take(self, value: CellType) -> Any:
        return contents(value)

    def parts(self, value: CellType, state: Any) -> Iterable[Part]:
        return [(as_itself, None, state)]

    def put(self, value: CellType, state: Any) -> None:
        if state is MISSING:
            del value.cell_contents
        else:
            value.cell_contents = state


class ContextKind(SingleKind):
    """The value of a context variable. It cannot be unset."""

    def take(self, value: ContextVar[Any]) -> Any:
        return value.get(MISSING)

    def parts(self, value: ContextVar[Any], state: Any) -> Iterable[Part]:
        return () if type(state) in ATOMS else [(as_itself, None, state)]

    def put(self, value: ContextVar[Any], state: Any) -> None:
        if state is not MISSING:
            value.set(state)


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
        return () if type(state) in ATOMS else [(as_itself, None, state)]

    def put(self, value: GlobalVariable, state: Any) -> None:
        if state is MISSING:
            del value.namespace[value.name]
        else:
            value.namespace[value.name] = state


def value_of(place: Any) -> Any:
    """Returns the value of a captured or a global variable."""
    kind = VARIABLES.get(type(place))
    return MISSING if kind is None else kind.take(place)


VARIABLES: dict[type, Kind] = {CellType: CellKind(), GlobalVariable: GlobalKind()}
