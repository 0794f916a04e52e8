"""The rest of a loop that Python runs, as one loop of the graph: where the exit of a `for` has
become staged, or rounds stage much.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from inspect import unwrap
from typing import Any, NamedTuple

from autograph.backend import Backend, Block, Names, backend_of, staging
from autograph.operators.blocks import output_names, unpacked
from autograph.operators.comprehensions import LONG
from autograph.operators.early_exits import is_iterator
from autograph.operators.growing import found_much
from autograph.operators.indexed_items import Indexed, of_range
from autograph.operators.staged_loops import Rounds, always, staged_loop
from autograph.operators.unrolling import is_used_elsewhere
from autograph.operators.work_of_rounds import MuchInFor, in_loop, is_little

ENDLESS = range(1 << 62)
"""More rounds than any loop has."""


class PlainFor(NamedTuple):
    """A `for` over plain items after some of its rounds.

    Attributes:
        items: what the loop runs over.
        source: the same by places; None where that is not known.
        iterator: an `itertools.chain` of it, which gives the items that are left.
        references: what `sys.getrefcount` counts for the items.
        done: the number of rounds before.
        work: what `work_done` gave before the first round.
    """

    items: Any
    source: Indexed | None
    iterator: Iterator[Any]
    references: int
    done: int
    work: int

    def left(self) -> Indexed | None:
        """The items by their places, if some of these are left, and nobody else takes them."""
        source = self.source
        if source is None or not source.is_known() or source.size() <= self.done:
            return None
        is_shared = is_iterator(self.items) and is_used_elsewhere(self.items, self.references)
        return None if is_shared else source


def rest_as_loop(begun: PlainFor, rounds: Rounds, state: tuple[Any, ...], proceed: Any) -> Any:
    """The state after the rounds that are left, as one loop; NotImplemented where they are few and
    little work, or have to be written out.

    Args:
        proceed: the staged value of the test of `state`.
    """
    backend = backend_of(proceed)
    if backend is None:
        return NotImplemented
    items, done = begun.items, begun.done
    if type(items) is itertools.count and not is_used_elsewhere(items, begun.references):
        return _counted(backend, items, begun.iterator, rounds, state, proceed)
    source = begun.left()
    if source is None:
        return NotImplemented
    left = source.size() - done
    if left > LONG:
        return _rest(backend, source, done, rounds, state, proceed)
    work = (backend.work() - begun.work) // done * left
    if is_little(work):
        return NotImplemented
    if not source.are_alike(backend):
        return NotImplemented
    with in_loop():
        whole = _rest(backend, source, done, rounds, state, proceed)
    if whole is not NotImplemented:
        found_much().add(unwrap(rounds.body).__code__)
    return whole


def much_as_loop(work: MuchInFor, begun: PlainFor, rounds: Rounds, state: tuple[Any, ...]) -> Any:
    """The state after all rounds, of which the first ones are done, with the others as one loop;
    NotImplemented if they are too little work, or cannot be one.
    """
    source, done = begun.left(), begun.done
    left = 0 if source is None else source.size() - done
    is_much = work.are_left(done, left, state)
    if source is None or not is_much or not source.are_alike(work.backend):
        return NotImplemented
    with in_loop():
        return _rest(work.backend, source, done, rounds, state, True, work.knows_kinds)


def whole_loop(items: Any, source: Indexed | None, rounds: Rounds, state: tuple[Any, ...]) -> Any:
    """The state after a `for` whose rounds were found to stage much before, as one loop;
    NotImplemented for others, and for iterators, which others may advance.
    """
    if source is None or is_iterator(items) or not source.size():
        return NotImplemented
    if unwrap(rounds.body).__code__ not in found_much():
        return NotImplemented
    backend = staging()
    if backend is None or not source.are_alike(backend):
        return NotImplemented
    with in_loop():
        return _rest(backend, source, 0, rounds, state, True)


def places_left(
    source: Indexed | None,
    items: Any,
    done: int,
    rounds: Rounds,
    state: tuple[Any, ...],
    proceed: Any,
) -> Any:
    """The state after the rounds that are left, as one loop: a round has made one of the lists that
    a `for` runs over a staged one, of which `items` is the rest. NotImplemented where the places of
    the others are not known.
    """
    backend = backend_of(items)
    if backend is None or source is None or not source.is_known() or source.functions:
        return NotImplemented
    if source.size() == done:
        return unpacked(state)
    if not source.are_alike(backend):
        return NotImplemented
    with in_loop():
        return _rest(backend, source, done, rounds, state, proceed)


def _counted(
    backend: Backend,
    items: itertools.count[Any],
    iterator: Iterator[Any],
    rounds: Rounds,
    state: tuple[Any, ...],
    proceed: Any,
) -> Any:
    """The rest of a loop over numbers without an end, of which the next one is in the state."""
    body, test, defines, shared = rounds
    asks = test or always
    step = gc.get_referents(items)[-1]
    names = output_names(body, defines, skip=1)

    def one_round(_: int, number: Any, *state: Any) -> Any:
        result = body(number, *state)
        return (number + step, *((result,) if len(state) == 1 else result or ()))

    def goes_on(_: Any, *state: Any) -> Any:
        return asks(*state)

    # Where their shared names are found.
    one_round.__wrapped__ = body  # type: ignore[attr-defined]
    goes_on.__wrapped__ = asks  # type: ignore[attr-defined]
    given = next(iterator), *state
    numbered = Rounds(one_round, goes_on, ", ".join(("the number", *names)), shared)
    left = _rest(backend, of_range(ENDLESS), 0, numbered, given, proceed)
    return left if left is NotImplemented else unpacked(left[1:] if state else ())


def _rest(
    backend: Backend,
    source: Indexed,
    done: int,
    rounds: Rounds,
    state: tuple[Any, ...],
    proceed: Any,
    knows_kinds: bool = False,
) -> Any:
    numbers = source.numbers
    places = (range(source.size()) if numbers is None else numbers)[done:]
    if numbers is None:
        names = ", ".join(output_names(rounds.body, rounds.defines, skip=1))
        rounds = rounds._replace(body=_with_item_at(rounds.body, source), defines=names)

    def loop(test: Block, body: Block, state: tuple[Any, ...], names: Names) -> Any:
        return backend.for_rest(places, body, state, names, test, proceed, knows_kinds)

    return staged_loop(backend, loop, rounds, state, items=1)


def _with_item_at(body: Block, source: Indexed) -> Block:
    before = source.lengths()

    # What the items are in is the block's: a default value leads a recorder to it.
    def one_round(
        place: Any, *state: Any, _reached: Any = (source.sequences, source.functions)
    ) -> Any:
        result = body(source.at(place), *state)
        source.check_lengths(before)
        return result

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round
