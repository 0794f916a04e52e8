"""The rest of a `for` over plain items whose exit has become staged."""

from __future__ import annotations

import gc
import itertools
import sys
from collections.abc import Iterator
from operator import length_hint
from typing import Any

from autograph.backend import Block, Names, backend_of
from autograph.errors import StagingError
from autograph.frames import user_position
from autograph.operators.blocks import unpacked
from autograph.operators.cond import cond

ROUNDS = 10_000
"""Rounds that items of unknown number may add to a graph."""

OWN_REFERENCES = 4
"""What `sys.getrefcount` counts in `for_loop` for an iterator that nobody else holds: the
parameter, the iterator made of it, the running `for`, and its own argument."""


def guarded_rounds(
    proceed: Any,
    items: Iterator[Any],
    body: Block,
    state: tuple[Any, ...],
    test: Block,
    names: Names,
    shared: str | None,
) -> Any:
    """Each further item's round under the condition that no exit was taken before.

    Args:
        proceed: the staged value of `test(*state)`.
    """
    bare = len(state) == 1
    defines = ", ".join(names)
    countable = length_hint(items, -1) >= 0
    for number, item in enumerate(items):
        if number == ROUNDS and not countable:
            _refuse(f"its items did not end after {ROUNDS} more rounds")
        result = cond(proceed, _round(body, item), _no_round, state, defines, shared)
        state = (result,) if bare else result or ()
        proceed = test(*state)
        if backend_of(proceed) is None and not proceed:
            break
    return unpacked(state)


def refuse_unrolling(items: Any, shared: bool) -> None:
    """Refuse items that never end, and an iterator that the user could see advance too far.

    Args:
        shared: whether somebody else holds `items`.

    Raises:
        StagingError: the loop cannot be unrolled unnoticed.
    """
    if isinstance(items, itertools.count | itertools.cycle):
        _refuse(f"its items, an {type(items).__name__}, never end")
    if _is_iterator(items) and (shared or _holds_shared_iterator(items)):
        _refuse(
            "its items come from an iterator that is used elsewhere too, and would advance "
            "further than in Python"
        )


def _is_iterator(value: object) -> bool:
    return hasattr(type(value), "__next__")


def _holds_shared_iterator(holder: Any) -> bool:
    # zip, enumerate, map and generators advance the iterators that they hold.
    held = gc.get_referents(holder)
    if any(type(inner) is tuple and _holds_shared_iterator(inner) for inner in held):
        return True
    return any(_is_shared(inner, held) for inner in held if _is_iterator(inner))


def _is_shared(iterator: Any, held: list[Any]) -> bool:
    times = sum(inner is iterator for inner in held)  # a generator holds what it loops over twice
    # Besides the holder's and the list's: the loop's variable, the parameter, getrefcount's own.
    return sys.getrefcount(iterator) > 2 * times + 3 or _holds_shared_iterator(iterator)


def _refuse(reason: str) -> None:
    place = user_position()
    raise StagingError(
        f"the exit from this `for` depends on a staged value, so that all its rounds must be "
        f"written out, but {reason}",
        filename=place and place.filename,
        lineno=place and place.lineno,
        col=place and place.col,
        hint="loop over a list of the items (`list(...)`), or over a tensor or a range",
    )


def _round(body: Block, item: Any) -> Block:
    def one_round(*state: Any) -> Any:
        return body(item, *state)

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round


def _no_round(*state: Any) -> Any:
    return unpacked(state)
