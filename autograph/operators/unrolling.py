"""The rest of a `for` over plain items whose exit has become staged."""

from __future__ import annotations

import gc
import itertools
import sys
from operator import length_hint
from typing import Any

from autograph.backend import Block
from autograph.errors import StagingError
from autograph.frames import refusal
from autograph.operators.blocks import output_names, unpacked
from autograph.operators.cond import cond

ROUNDS = 10_000
"""Rounds that items of unknown number may add to a graph."""

OWN_REFERENCES = 3
"""What `sys.getrefcount` counts in `for_loop` for an iterator that nobody else holds: the
parameter, the running `for`, and its own argument."""


class GuardedRounds:
    """Each further round of a loop under the condition that no exit was taken before.

    Args:
        references: what `sys.getrefcount` counts for the items.
        items: what the loop runs over.
        body: called as `body(item, *state)`.
        defines: the names of the state, where they are not the parameters of `body`.
        shared: names that the body assigns where they live.

    Raises:
        StagingError: the items never end, or are an iterator whose user could see that it advances
            further than in Python.
    """

    def __init__(
        self, references: int, items: Any, body: Block, defines: str | None, shared: str | None
    ) -> None:
        if isinstance(items, itertools.count | itertools.cycle):
            _refuse(f"its items, an {type(items).__name__}, never end")
        if _is_iterator(items) and (references > OWN_REFERENCES or holds_shared_iterator(items)):
            _refuse(
                "its items come from an iterator that is used elsewhere too, and would advance "
                "further than in Python"
            )
        self._left = ROUNDS if length_hint(items, -1) < 0 else sys.maxsize
        self._body = body
        self._defines = ", ".join(output_names(body, defines, skip=1))
        self._shared = shared

    def round(self, proceed: Any, item: Any, state: tuple[Any, ...]) -> Any:
        """The round with `item` if `proceed` is true: what `body` returns, or else the state."""
        self._left -= 1
        if self._left < 0:
            _refuse(f"its items did not end after {ROUNDS} more rounds")
        block = _with_item(self._body, item)
        return cond(proceed, block, _no_round, state, self._defines, self._shared)


def _is_iterator(value: object) -> bool:
    return hasattr(type(value), "__next__")


def holds_shared_iterator(holder: Any) -> bool:
    """Does an iterator advance others that are held elsewhere too?"""
    # zip, enumerate, map and generators advance the iterators that they hold.
    held = gc.get_referents(holder)
    if any(type(inner) is tuple and holds_shared_iterator(inner) for inner in held):
        return True
    return any(_is_shared(inner, held) for inner in held if _is_iterator(inner))


def _is_shared(iterator: Any, held: list[Any]) -> bool:
    times = sum(inner is iterator for inner in held)  # a generator holds what it loops over twice
    # Besides the holder's and the list's: the loop's variable, the parameter, getrefcount's own.
    return sys.getrefcount(iterator) > 2 * times + 3 or holds_shared_iterator(iterator)


def _refuse(reason: str) -> None:
    raise refusal(
        StagingError,
        f"the exit from this `for` depends on a staged value, so that all its rounds must be "
        f"written out, but {reason}",
        hint="loop over a list of the items (`list(...)`), or over a tensor or a range",
    )


def _with_item(body: Block, item: Any) -> Block:
    def one_round(*state: Any) -> Any:
        return body(item, *state)

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round


def _no_round(*state: Any) -> Any:
    return unpacked(state)
