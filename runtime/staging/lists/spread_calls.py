"""`f(*items)` of a list of which only the run knows the length: `zip`, `print`, `max`, `chain`."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import autograph
from autograph.library_code import converted
from runtime.staging.lists.growing import size_of
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.sequences import refuse_if
from runtime.staging.tracing import is_symbol


def spread_call(function: Any, items: Any, /, **keywords: Any) -> Any:
    """The result of a call with these for its arguments; NotImplemented for other functions."""
    rule = next((rule for each, rule in _RULES if each is function), None)
    if rule is None or not isinstance(items, GrowingList) or size_of(items) is not None:
        return NotImplemented
    return rule(items, **keywords)


def _zip(rows: GrowingList, /, strict: bool = False) -> Any:
    """The columns of a table. Where only the run knows how many items its rows have, they are those
    of a generator that is converted.
    """
    reason = "zip(*rows) gives nothing where there are no rows, which only the run knows"
    refuse_if(rows.length() == 0, reason, "test it with `if rows:` before")
    width = autograph.call(len)(rows.at(0))
    column, columns, _ = _written()
    held = rows[:]
    if is_symbol(width):
        return NotImplemented if strict else autograph.call(columns)(held)
    return (column(held, at) for at in range(width))  # each is read when it is asked for


def _print(items: GrowingList, /, sep: str | None = " ", **keywords: Any) -> None:
    *_, shown = _written()
    shown(items, " " if sep is None else sep, keywords)


@converted
def _written() -> tuple[Callable[..., Any], ...]:
    def column(rows: Any, at: int) -> Any:
        return tuple([row[at] for row in rows])

    def columns(rows: Any) -> Iterator[Any]:
        at = 0
        while at < min([len(row) for row in rows]):  # as they are now
            yield column(rows, at)
            at = at + 1

    def shown(items: Any, sep: str, keywords: dict[str, Any]) -> None:
        print(sep.join([str(item) for item in items]), **keywords)

    return column, columns, shown


def _chain(rows: GrowingList, /) -> Any:
    return autograph.call(itertools.chain.from_iterable)(rows)


def _extreme(function: Callable[..., Any], items: GrowingList, /, **keywords: Any) -> Any:
    """`max` or `min`, which take two items for what is compared, and one for a list."""
    word = function.__name__
    reason = f"{word}(*items) of fewer than two items, which only the run knows"
    refuse_if(items.length() < 2, reason, f"write {word}(items)")
    return autograph.call(function)(items, **keywords)


_RULES: tuple[tuple[Any, Callable[..., Any]], ...] = (
    (zip, _zip),
    (print, _print),
    (itertools.chain, _chain),
    (max, functools.partial(_extreme, max)),
    (min, functools.partial(_extreme, min)),
)
