"""The rest of a `for` over plain items whose exit has become staged, or whose rounds stage much."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from functools import partial
from inspect import unwrap
from operator import length_hint
from types import FunctionType, GeneratorType, MethodType
from typing import Any, NamedTuple

from autograph.backend import Backend, Block, backend_of, staging
from autograph.errors import StagingError
from autograph.frames import is_variable, refusal
from autograph.objects import contents
from autograph.operators.blocks import output_names, unpacked
from autograph.operators.comprehensions import LONG, SEQUENCES
from autograph.operators.cond import cond
from autograph.operators.early_exits import held_iterators, is_iterator, refuse_to_leave
from autograph.operators.growing import found_much, is_staging
from autograph.operators.items import getitem
from autograph.operators.shared import Shared
from autograph.users_words import with_article

ROUNDS = 10_000
"""Rounds that items of unknown number may add to a graph."""

ENDLESS = range(1 << 62)
"""More rounds than any loop has."""

MUCH, VERY_MUCH, MUCH_IN_A_LOOP = 1_000, 20_000, 200
"""Operations that the rounds of a `for` add to a graph where it is to be one loop of it instead;
where it is short, or Python's numbers and the lengths of lists would become staged ones; and in one
that has become such a loop, of which the body is staged more than once.
"""

FEW = 2
"""Rounds that are written out, however much they are: a loop stages its body as often."""


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
GIVING = frozenset(type(iter(items)) for items in _GIVEN)
"""Iterators that give what is there."""

_COMBINING = frozenset((
    enumerate, zip, reversed, itertools.chain, itertools.combinations,
    itertools.combinations_with_replacement, itertools.compress, itertools.cycle, itertools.islice,
    itertools.pairwise, itertools.permutations, itertools.product, itertools.zip_longest,
))  # fmt: skip
"""Iterators that give what others give."""


class Rounds(NamedTuple):
    """The rounds of a `for`: `body(item, *state)` gives the next state, and `test(*state)` tells
    whether another one follows. `defines` has the names of the state, where they are not the
    parameters of `body`, and `shared` those that the body assigns where they live.
    """

    body: Block
    test: Block
    defines: str | None = None
    shared: str | None = None


def rest_as_loop(
    items: Any,
    iterator: Iterator[Any],
    rounds: Rounds,
    state: tuple[Any, ...],
    proceed: Any,
    references: int,
    began: int,
) -> Any:
    """The state after the rounds that are left, as one loop; NotImplemented where they are few and
    little work, or have to be written out.

    Args:
        items: what the loop runs over.
        iterator: an `itertools.chain` of it, which gives the items of these rounds.
        proceed: the staged value of the test of `state`.
        references: what `sys.getrefcount` counts for the items.
        began: what `work_done` gave before the first round.
    """
    backend = backend_of(proceed)
    if backend is None:
        return NotImplemented
    if type(items) is itertools.count and not _is_used_elsewhere(items, references):
        return _counted(backend, items, iterator, rounds, state, proceed)
    left = _left(iterator) if type(items) in SEQUENCES else 0
    if left > LONG:
        return _rest(backend, items, left, rounds, state, proceed)
    if left == 0 or type(items) is not range:
        return NotImplemented
    work = (backend.work() - began) // (len(items) - left) * left
    if not _is_much(backend, work):
        return NotImplemented
    done = _rest_in_loop(backend, items, left, rounds, state, proceed)
    if done is not NotImplemented:
        found_much().add(unwrap(rounds.body).__code__)
    return done


def whole_loop(items: Any, rounds: Rounds, state: tuple[Any, ...]) -> Any:
    """The state after a `for` over a plain range whose rounds were found to stage much before, as
    one loop; NotImplemented for others.
    """
    if type(items) is not range or not items:
        return NotImplemented
    backend = staging() if unwrap(rounds.body).__code__ in found_much() else None
    if backend is None or backend.catches():
        return NotImplemented
    return _rest_in_loop(backend, items, len(items), rounds, state, True)


def work_done(items: Any) -> int:
    """The operations that were traced before the rounds of a `for` over a plain range."""
    backend = staging() if type(items) is range and is_staging() else None
    return 0 if backend is None else backend.work()


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
    step = gc.get_referents(items)[-1]
    names = output_names(body, defines, skip=1)

    def one_round(_: int, number: Any, *state: Any) -> Any:
        result = body(number, *state)
        return (number + step, *((result,) if len(state) == 1 else result or ()))

    def goes_on(_: Any, *state: Any) -> Any:
        return test(*state)

    # Where their shared names are found.
    one_round.__wrapped__ = body  # type: ignore[attr-defined]
    goes_on.__wrapped__ = test  # type: ignore[attr-defined]
    given = next(iterator), *state
    numbered = Rounds(one_round, goes_on, ", ".join(("the number", *names)), shared)
    left = _rest(backend, ENDLESS, len(ENDLESS), numbered, given, proceed)
    return left if left is NotImplemented else unpacked(left[1:] if state else ())


def _left(iterator: Iterator[Any]) -> int:
    """The number of items that an `itertools.chain` of a sequence has yet to give."""
    return max(map(length_hint, gc.get_referents(iterator)), default=0)


def _rest(
    backend: Backend,
    items: Any,
    left: int,
    rounds: Rounds,
    state: tuple[Any, ...],
    proceed: Any,
) -> Any:
    body, test, defines, shared = rounds
    of_numbers = type(items) is range
    places = (items if of_numbers else range(len(items)))[-left:]
    one_round = body if of_numbers else _with_item_at(body, items)
    names = output_names(body, defines, skip=1)
    carried = Shared(shared, (body,), backend)
    count = len(state)
    result = backend.for_rest(
        places,
        carried.block(one_round, count + 1, count),
        (*state, *carried.values()),
        (*names, *carried.names),
        carried.block(test, count, count, gives=False),
        proceed,
    )
    return result if result is NotImplemented else carried.split(result, count)


def _is_much(backend: Backend, work: int) -> bool:
    return work > (MUCH_IN_A_LOOP if _this_thread.in_loop else MUCH) and not backend.catches()


def _rest_in_loop(*given: Any) -> Any:
    """As `_rest`, of rounds that are much work: what they are for the loops in them."""
    before, _this_thread.in_loop = _this_thread.in_loop, True
    try:
        return _rest(*given)
    finally:
        _this_thread.in_loop = before


class MuchWork:
    """Measures the operations that the rounds of a `for` over a plain range stage, behind the
    first one, the second, the fourth and so on, to decide whether the others become one staged
    loop: the first rounds may have less to do.

    `is_settled` once there is nothing more to decide.
    """

    __slots__ = (
        *("_backend", "_before", "_body", "_changes", "_is_long", "_lists", "_rounds", "_state"),
        "is_settled",
    )

    def __init__(
        self, backend: Backend, body: Block, state: tuple[Any, ...], is_long: bool
    ) -> None:
        self._backend = backend
        self._body = body
        self._is_long = is_long
        self._rounds = 0
        self.is_settled = False
        self._begin(state)

    def _begin(self, state: tuple[Any, ...]) -> None:
        self._before = self._backend.work()
        if self._is_long:
            self._state = state
            self._lists = [(each, _length(each)) for each in _lists_of(self._body, state)]
            self._changes = self._backend.watched(self._body, state)

    def rest(
        self,
        items: range,
        iterator: Iterator[Any],
        rounds: Rounds,
        state: tuple[Any, ...],
    ) -> Any:
        """The state after all rounds, as one staged loop; NotImplemented if they are too little
        work, or cannot be one.
        """
        self._rounds += 1
        if self._rounds.bit_count() > 1:
            return NotImplemented
        left, measured = _left(iterator), max(1, self._rounds // 2)
        work = (self._backend.work() - self._before) // measured * left
        if not self._is_much(work, state):
            self.is_settled = left <= (LONG if self._is_long else FEW)
            if not self.is_settled:
                self._begin(state)
            return NotImplemented
        self.is_settled = True
        return _rest_in_loop(self._backend, items, left, rounds, state, True)

    def _is_much(self, work: int, state: tuple[Any, ...]) -> bool:
        if not _is_much(self._backend, work):
            return False
        return work > VERY_MUCH or (self._is_long and not self._stages(state))

    def _stages(self, state: tuple[Any, ...]) -> bool:
        """Whether Python would know less about numbers, lists or shapes after one loop for all
        rounds: in variables, or in what these lead to.
        """
        grown = any(_length(each) != length for each, length in self._lists)
        if grown or any(map(_is_known, self._state, state)):
            return True
        return any(_is_known(*change) for change in self._changes())


def _lists_of(body: Block, state: tuple[Any, ...]) -> list[list[Any]]:
    """The lists that a block finds in its variables."""
    function: Any = body
    values = [*state, *map(contents, function.__closure__ or ())]
    return [value for value in values if isinstance(value, list)]


def _length(items: list[Any]) -> int:
    """The number of its items, and of those of the lists in it, that Python knows."""
    inner = [each for each in list.__iter__(items) if isinstance(each, list)]
    return list.__len__(items) + sum(map(list.__len__, inner))


class _Thread(threading.local):
    def __init__(self) -> None:
        self.in_loop = False


_this_thread = _Thread()


def much_work(items: Any, body: Block, state: tuple[Any, ...]) -> MuchWork | None:
    """The measure of the first round of a `for`; None if it has few, or is not to be staged."""
    if type(items) is not range or len(items) <= FEW or not is_staging():
        return None
    backend = staging()
    return None if backend is None else MuchWork(backend, body, state, len(items) > LONG)


def _is_known(before: Any, after: Any) -> bool:
    """True for another number, text or shape of a tensor, which Python knows, also in a list."""
    kind = type(after)
    if all(issubclass(type(value), list | tuple) for value in (before, after)):
        return any(map(_is_known, _items_in(before), _items_in(after)))
    if kind in (int, float, bool, complex, str):
        return kind is not type(before) or after != before
    shapes = [_shape(value) for value in (before, after)]
    return shapes[0] != shapes[1] and "None" not in shapes


def _shape(value: Any) -> str:
    """The shape of a tensor; `None` for what has none, or may have no value."""
    has_shape = backend_of(value) is not None and hasattr(type(value), "shape")
    return str(value.shape if has_shape else None)


def _items_in(value: Any) -> Iterator[Any]:
    """The items of a list or tuple; of one of the graph, what it has in their place."""
    return list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)


def _with_item_at(body: Block, items: Any) -> Block:
    def one_round(place: Any, *state: Any, _items: Any = items) -> Any:
        return body(getitem(_items, place), *state)

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round


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
        if is_iterator(items) and _is_used_elsewhere(items, references):
            _refuse(
                "its items come from an iterator that is used elsewhere too, and would advance "
                "further than in Python"
            )
        self._left = ROUNDS if length_hint(items, -1) < 0 else sys.maxsize
        self._body, self._test = rounds.body, rounds.test
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
    kind = type(iterator)
    if kind in GIVING:
        return False
    return kind not in _COMBINING or any(map(runs_code, held_iterators(iterator)))


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


def _is_used_elsewhere(iterator: Any, references: int) -> bool:
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
    times = [id(inner) for inner in held].count(id(iterator))
    # The holder, and the list.
    return sys.getrefcount(iterator) > 2 * times + _ASKING or holds_shared_iterator(iterator)


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
