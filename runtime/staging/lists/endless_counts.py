"""`itertools.count`, made while tracing: where a staged block advances one, it is a number in an
object of a class that is converted, which blocks carry as they do those of the user's.

Python's own is faster, and its numbers are known. So a trace begins with it; where it is refused
on account of one, the function is traced anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from autograph.library_code import converted
from runtime.staging.scopes import active


@converted
def _class() -> Callable[..., Any]:
    class Count:
        __qualname__ = "count"  # as if made at run time: what it holds is looked at

        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return itertools.count

        def __init__(self, start: Any, step: Any) -> None:
            self.number = start
            self.step = step

        def __iter__(self) -> Iterator[Any]:
            return self

        def __next__(self) -> Any:
            number = self.number
            self.number = number + self.step
            return number

        def __repr__(self) -> str:
            if self.step == 1:
                return f"count({self.number!r})"
            return f"count({self.number!r}, {self.step!r})"

    return Count


def count_class(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for `itertools.count`; None for any other function."""
    return _made if function is itertools.count else None


def _made(start: Any = 0, step: Any = 1) -> Any:
    made, references = itertools.count(start, step), active().references
    if references.known.counts:
        return _class()(start, step)
    references.counts.add(id(made))
    return made
