"""The rest of a `for` over plain items whose exit has become staged, written out."""

from __future__ import annotations

import gc
import itertools
import sys
from collections import OrderedDict, deque
from collections.abc import Iterator
from functools import partial
from operator import length_hint
from types import FunctionType, GeneratorType, MethodType
from typing import Any

from autograph.backend import Block, backend_of
from autograph.errors import StagingError
from autograph.frames import is_variable, refusal
from autograph.objects import is_of_rows
from autograph.operators.blocks import output_names, unpacked
from autograph.operators.cond import cond
from autograph.operators.early_exits import held_iterators, is_iterator, refuse_to_leave
from autograph.operators.staged_loops import Rounds, always
from autograph.users_words import with_article

ROUNDS = 10_000
"""Rounds that items of unknown number may add to a graph."""


def _own_references(items: Any) -> int:
    iterator = itertools.chain(items)
    for _ in iterator:
        return sys.getrefcount(items)
    raise AssertionError


OWN_REFERENCES = _own_references(iter((0,)))
"""The count of `sys.getrefcount` in `for_loop` for an iterator that nobody else holds: twice the
chain that it is in, the parameter, and up to Python 3.13 its own argument."""


def _references(iterator: Any) -> int:
    return sys.getrefcount(iterator)


def _asking() -> int:
    held = [iter(())]
    return next(_references(inner) for inner in held) - len(held)


_ASKING = _asking()
"""The count in `_is_shared` besides those who hold the iterator: the loop's variable, and up
to Python 3.13 the parameter and its own argument."""

_END, _NOT_YET = object(), object()

_GIVEN: tuple[Any, ...] = (
    *([], (), {}, set(), frozenset(), "", b"", bytearray(), range(0), range(1 << 70), deque()),
    *({}.values(), {}.items(), memoryview(b""), reversed([]), reversed({}), OrderedDict()),
    *(reversed(range(0)), reversed(deque()), reversed({}.values()), reversed({}.items())),
    *(itertools.count(), itertools.repeat(0)),
)
_GIVING = frozenset(type(iter(items)) for items in _GIVEN)


def gives_what_is_there(iterator: Any) -> bool:
    """Whether an iterator of Python's runs no code of the user's and takes from no other one."""
    return type(iterator) in _GIVING or is_of_rows(iterator)


_COMBINING = frozenset((
    enumerate, zip, reversed, itertools.chain, itertools.combinations,
    itertools.combinations_with_replacement, itertools.compress, itertools.cycle, itertools.islice,
    itertools.pairwise, itertools.permutations, itertools.product, itertools.zip_longest,
))  # fmt: skip
"""Iterators that give what others give."""


class GuardedRounds:
    """Each further round of a loop under the condition that no exit was taken before.

    Args:
        references: what `sys.getrefcount` counts for the items.
        items: what the loop runs over.

    Raises:
        StagingError: the items never end, or are an iterator whose user could see that it advances
            further than in Python.
    """

    def __init__(self, references: int, items: Any, rounds: Rounds) -> None:
        refuse_to_leave(items)
        if isinstance(items, itertools.count | itertools.cycle):
            _refuse(f"its items, {with_article(type(items).__name__)}, never end")
        if is_iterator(items) and is_used_elsewhere(items, references):
            _refuse(
                "its items come from an iterator that is used elsewhere too, and would advance "
                "further than in Python"
            )
        self._left = ROUNDS if length_hint(items, -1) < 0 else sys.maxsize
        self._body, self._test = rounds.body, rounds.test or always
        self._defines = ", ".join(output_names(rounds.body, rounds.defines, skip=1))
        self._shared = rounds.shared

    def run(self, iterator: Iterator[Any], proceed: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """The state after the rounds that are left.

        Args:
            iterator: gives the items of these rounds.
            proceed: what the test was behind the last round.
        """
        bare = len(state) == 1
        # What computes an item is not to run where an exit was taken: it belongs to the round.
        computed = runs_code(iterator)
        while True:
            refuse_to_leave(iterator)
            item = _END if computed else next(iterator, _END)
            if item is _END and not computed:
                return state
            self._left -= 1
            if self._left < 0:
                _refuse(f"its items did not end after {ROUNDS} more rounds")
            progress = _Progress(iterator)
            block = _computing(progress, self._body) if computed else _with_item(self._body, item)
            result = cond(proceed, block, _no_round, state, self._defines, self._shared)
            state = (result,) if bare else result or ()
            if progress.ended:
                return state
            proceed = self._test(*state)
            if backend_of(proceed) is None and not proceed:
                return state


class _Progress:
    """An iterator that a block advances by one, however often it is traced."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator = iterator
        self.ended = False
        self._item: Any = _NOT_YET

    def item(self) -> Any:
        if self._item is _NOT_YET:
            self._item = next(self.iterator, _END)
            self.ended = self._item is _END
        return self._item


def _computing(progress: _Progress, body: Block) -> Block:
    reached = tuple(_reached_by(progress.iterator))

    # What the iterator calls is the block's: a default value leads a recorder to it.
    def one_round(*state: Any, _reached: Any = reached) -> Any:
        item = progress.item()
        return unpacked(state) if item is _END else body(item, *state)

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round


def runs_code(iterator: Any) -> bool:
    """Whether the next item may be computed by a function."""
    if gives_what_is_there(iterator):
        return False
    return type(iterator) not in _COMBINING or any(map(runs_code, held_iterators(iterator)))


def _reached_by(iterator: Any) -> Iterator[Any]:
    """The functions that an iterator calls, and what generators have in their variables."""
    is_generator = isinstance(iterator, GeneratorType) and iterator.gi_frame is not None
    variables = iterator.gi_frame.f_locals if is_generator else {}
    for inner in (*gc.get_referents(iterator), *variables.values()):
        if isinstance(inner, FunctionType | MethodType | partial):
            yield inner
        elif isinstance(inner, tuple) or (is_iterator(inner) and inner is not iterator):
            yield from _reached_by(inner)
        elif is_generator and any(inner is value for value in variables.values()):
            yield inner


def is_used_elsewhere(iterator: Any, references: int) -> bool:
    """Whether others may advance an iterator, of which `sys.getrefcount` counts so many references
    in `for_loop`.
    """
    is_held = references > OWN_REFERENCES or is_variable(iterator)
    return is_held or holds_shared_iterator(iterator)


def holds_shared_iterator(holder: Any) -> bool:
    """True if an iterator advances others that are held elsewhere too."""
    # zip, enumerate, map and generators advance the iterators that they hold.
    held = gc.get_referents(holder)
    if any(type(inner) is tuple and holds_shared_iterator(inner) for inner in held):
        return True
    return any(_is_shared(inner, held) for inner in held if is_iterator(inner))


def _is_shared(iterator: Any, held: list[Any]) -> bool:
    # A generator holds what it loops over twice. (No `inner is iterator`: what an expression around
    # it shares with this function counts once more from Python 3.14 on.)
    place = id(iterator)
    times = [id(inner) for inner in held].count(place)
    # Who asked a frame for its variables, up to Python 3.12, has left a dict of them there.
    left = any(type(inner) is dict and id(inner.get(".0")) == place for inner in held)
    # The holder, and the list.
    return sys.getrefcount(iterator) > 2 * times + left + _ASKING or holds_shared_iterator(iterator)


def _refuse(reason: str) -> None:
    raise refusal(
        StagingError,
        f"the exit from this `for` depends on a staged value, so that all its rounds must be "
        f"written out, but {reason}",
        hint="loop over a list of the items (`list(...)`), or over a tensor or a range",
    )


def _with_item(body: Block, item: Any) -> Block:
    # The item is older than the round: a default value leads a recorder to it.
    def one_round(*state: Any, _item: Any = item) -> Any:
        return body(_item, *state)

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round


def _no_round(*state: Any) -> Any:
    return unpacked(state)
