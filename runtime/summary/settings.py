"""The default writer, step and condition of summaries.

They are context variables, which a graph reads when it runs, so that a function writes where its
caller says. What is set while a function is traced belongs to its graph.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.core.convert import convert_to_tensor
from runtime.core.settings import changes_settings
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.dtypes import bool as bool_
from runtime.variables.variable import Variable

if TYPE_CHECKING:
    from runtime.summary.writers import SummaryWriter


class Setting(NamedTuple):
    """A value, and whether it was set while a function was traced."""

    value: Any
    traced: bool


def setting(value: Any) -> Setting:
    """A value that is set here."""
    return Setting(value, state.trace is not None)


_NONE, _ALWAYS = Setting(None, False), Setting(True, False)
writer: ContextVar[Setting] = ContextVar("writer", default=_NONE)
step: ContextVar[Setting] = ContextVar("step", default=_NONE)
condition: ContextVar[Setting] = ContextVar("condition", default=_ALWAYS)


@contextlib.contextmanager
def changed(variable: ContextVar[Setting], value: Any) -> Iterator[None]:
    """Inside this block the setting has this value."""
    token = variable.set(setting(value))
    try:
        yield
    finally:
        variable.reset(token)


@changes_settings
def set_step(step: Any) -> None:
    """Set the step of summaries that name none: an integer, a Variable of int64, or None.

    >>> rt.summary.experimental.set_step(3)
    >>> rt.summary.experimental.get_step()
    3
    >>> rt.summary.experimental.set_step(None)
    """
    _set_step(step)


def _set_step(value: Any) -> None:
    step.set(setting(value))


def get_step() -> Any:
    """The step of summaries that name none; None where none is set.

    >>> rt.summary.experimental.get_step() is None
    True
    """
    return step.get().value


@contextlib.contextmanager
def record_if(condition: bool | Tensor | Variable | Callable[[], Any]) -> Iterator[None]:
    """Inside this block summaries are written where the condition holds.

    `condition` may be a function, which is asked for each summary.

    >>> with rt.summary.record_if(False):
    ...     bool(rt.summary.should_record_summaries())
    False
    """
    with changed(_condition, condition):
        yield


_condition = condition


def holds(condition: Any) -> bool:
    """The truth of a condition that is no symbol of a trace."""
    if callable(condition) and not isinstance(condition, Tensor | Variable):
        condition = condition()
    return bool(condition)


def should_record_summaries() -> Tensor:
    """A tensor of bool, true if a summary would be written here.

    >>> bool(rt.summary.should_record_summaries())
    False
    """
    current: SummaryWriter | None = writer.get().value
    if current is None:
        return convert_to_tensor(False)
    given = condition.get().value
    if callable(given) and not isinstance(given, Tensor | Variable):
        given = given()
    return convert_to_tensor(given, bool_)
