"""A bank of programs: functions, each with the calls that are tried."""

from collections.abc import Callable
from typing import Any

Case = tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]


def bank() -> tuple[Callable[..., Any], list[Case]]:
    """A decorator that takes the arguments of calls, and the list of what it decorates."""
    cases: list[Case] = []

    def case(*calls: tuple[Any, ...]) -> Callable[..., Any]:
        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            cases.append((function, calls))
            return function

        return keep

    return case, cases
