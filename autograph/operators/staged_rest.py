"""The rest of a loop that Python runs, as one loop of the graph: where the exit of a `for` has
become staged, or rounds stage much.
"""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from typing import Any, NamedTuple

from autograph.backend import Backend, Block, Names, backend_of, staging
from autograph.objects import contents
from autograph.operators.blocks import output_names, unpacked
from autograph.operators.comprehensions import LONG
from autograph.operators.early_exits import is_iterator
from autograph.operators.growing import found_much, is_staging
from autograph.operators.indexed_items import Indexed, of_range
from autograph.operators.staged_loops import Rounds, always, staged_loop
from autograph.operators.unrolling import is_used_elsewhere

ENDLESS = range(1 << 62)
"""More rounds than any loop has."""

MUCH = 1_000
"""Operations that the rounds of a `for` add to a graph where it is to be one loop of it instead."""

OFTEN = 5
"""Times that operations count in what has become such a loop, of which the body is staged more than
once.
"""

VERY_MUCH, TOO_MUCH = 2_000, 20_000
"""The same where the loop is short, or Python's numbers and the lengths of lists would become
staged ones, as in a `while`; and once a function was refused where they had.
"""

FEW = 2
"""Rounds that are written out, however much they are: a loop stages its body as often."""


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
    if _weighed(work) <= MUCH:
        return NotImplemented
    if not source.are_alike(backend):
        return NotImplemented
    with in_loop():
        whole = _rest(backend, source, done, rounds, state, proceed)
    if whole is not NotImplemented:
        found_much().add(unwrap(rounds.body).__code__)
    return whole


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
    if not source.are_alike(backend):
        return NotImplemented
    with in_loop():
        return _rest(backend, source, done, rounds, state, proceed)


def work_done() -> int:
    """The operations that were traced before the rounds of a `for`."""
    backend = staging() if is_staging() else None
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
    size = source.size()

    # What the items are in is the block's: a default value leads a recorder to it.
    def one_round(
        place: Any, *state: Any, _reached: Any = (source.sequences, source.functions)
    ) -> Any:
        result = body(source.at(place), *state)
        source.check_size(size)
        return result

    one_round.__wrapped__ = body  # type: ignore[attr-defined]  # where its shared names are found
    return one_round


@contextmanager
def in_loop() -> Iterator[None]:
    """Within it rounds that are much work are staged: what they are for the loops in them."""
    before, _this_thread.in_loop = _this_thread.in_loop, True
    try:
        yield
    finally:
        _this_thread.in_loop = before


def _weighed(work: int) -> int:
    return work * OFTEN if _this_thread.in_loop else work


class MuchWork:
    """Measures the operations that the rounds of a loop stage which Python runs, to decide behind
    the first one, the second, the fourth and so on whether the others become one staged loop: the
    first rounds may have less to do.

    `is_settled` once there is nothing more to decide; `knows_kinds`: Python is to know of which
    kinds numbers are in the loop.
    """

    __slots__ = ("_body", "_known", "_work", "backend", "is_settled", "knows_kinds")

    def __init__(self, backend: Backend, body: Block) -> None:
        self.backend = backend
        self._body = body
        self._known: Known | None = None
        self.is_settled = self.knows_kinds = False
        self._work = backend.work()

    def begin(self, state: tuple[Any, ...], watches: bool) -> None:
        """Measure from here on, and, if it `watches`, what Python knows in these rounds."""
        self._work = self.backend.work()
        self._known = Known(self.backend, self._body, state) if watches else None

    def since(self) -> int:
        """The operations that were staged meanwhile."""
        return self.backend.work() - self._work

    def is_much(self, work: int, state: tuple[Any, ...], is_long: bool) -> bool:
        """Whether rounds that would add so many operations are to be one loop: the more Python
        would know less about, the more of them are written out.
        """
        if _weighed(work) <= MUCH:
            return False
        lost = KINDS if self._known is None else self._known.lost(state)
        if is_long and lost == NOTHING:
            return True
        self.knows_kinds = work <= TOO_MUCH
        return not self.knows_kinds or (lost < KINDS and self.backend.is_very_much(_weighed(work)))


class MuchInFor(MuchWork):
    """The same for a `for` whose items are known by their places."""

    __slots__ = ("_is_long",)

    def __init__(
        self, backend: Backend, body: Block, state: tuple[Any, ...], source: Indexed
    ) -> None:
        super().__init__(backend, body)
        self._is_long = source.size() > LONG
        self.begin(state, watches=self._is_long or backend.catches())

    def rest(self, begun: PlainFor, rounds: Rounds, state: tuple[Any, ...]) -> Any:
        """The state after all rounds, of which the first ones are done, with the others as one
        staged loop; NotImplemented if they are too little work, or cannot be one.
        """
        source, done = begun.left(), begun.done
        left = 0 if source is None else source.size() - done
        work = self.since() // max(1, done // 2) * left
        is_much = source is not None and self.is_much(work, state, self._is_long)
        self.is_settled = is_much or left <= (LONG if self._is_long else FEW)
        if not self.is_settled:
            self.begin(state, watches=self._is_long or _weighed(work) > VERY_MUCH)
        if source is None or not is_much or not source.are_alike(self.backend):
            return NotImplemented
        with in_loop():
            return _rest(self.backend, source, done, rounds, state, True, self.knows_kinds)


def much_in_for(source: Indexed | None, body: Block, state: tuple[Any, ...]) -> MuchInFor | None:
    """The measure of the first round of a `for`; None if it has few, or is not to be staged."""
    if source is None or source.size() <= FEW:
        return None
    backend = staging()
    return None if backend is None else MuchInFor(backend, body, state, source)


class MuchInWhile(MuchWork):
    """The same for a `while` whose test Python knows: as many rounds may be left as were done. The
    rounds of one that was found to stage very much before are one loop from the start.
    """

    __slots__ = ("_code", "_rounds")

    def __init__(self, backend: Backend, body: Block) -> None:
        super().__init__(backend, body)
        self._code = unwrap(body).__code__
        self._rounds = 0

    def are_left(self, state: tuple[Any, ...]) -> bool:
        """Whether the rounds from this one on are to be one loop."""
        done, self._rounds = self._rounds, self._rounds + 1
        if done == 0:
            before = [knows for knows in (True, False) if (self._code, knows) in found_much()]
            self.knows_kinds = all(before)
            return bool(before)
        if done.bit_count() > 1:
            return False
        work = self.since() // max(1, done // 2) * done
        is_much = self.is_much(work, state, False)
        if is_much:
            found_much().add((self._code, self.knows_kinds))
        else:
            self.begin(state, watches=work > MUCH)
        return is_much


def much_in_while(body: Block) -> MuchInWhile | None:
    """The measure of the rounds of a `while`; None where nothing is staged."""
    backend = staging() if is_staging() else None
    return None if backend is None else MuchInWhile(backend, body)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.in_loop = False


_this_thread = _Thread()


NOTHING, NUMBERS, KINDS = range(3)
"""The changes that Python would no longer know of: none; those of whole numbers, truths, and the
lengths of lists; or those of other numbers, kinds, texts and shapes, which may be other ones where
the run chooses.
"""


_KNOWN = (int, bool, float, complex, str)


class Known:
    """Numbers, lists and shapes as Python knows them before some rounds of a loop: in variables,
    or in what these lead to.
    """

    def __init__(self, backend: Backend, body: Block, state: tuple[Any, ...]) -> None:
        self._state = state
        self._lists = [(each, _length(each)) for each in _lists_of(body, state)]
        self._changes = backend.watched(body, state)

    def lost(self, state: tuple[Any, ...]) -> int:
        """The changes in these rounds, which one loop would not know of."""
        is_longer = any(_length(each) != length for each, length in self._lists)
        changes = (*zip(self._state, state, strict=True), *self._changes())
        return max(NUMBERS if is_longer else NOTHING, _most_lost(changes))


def _lists_of(body: Block, state: tuple[Any, ...]) -> list[list[Any]]:
    """The lists that a block finds in its variables."""
    function: Any = body
    values = [*state, *map(contents, function.__closure__ or ())]
    return [value for value in values if isinstance(value, list)]


def _length(items: list[Any]) -> int:
    """The number of its items, and of those of the lists in it, that Python knows."""
    inner = [each for each in list.__iter__(items) if isinstance(each, list)]
    return list.__len__(items) + sum(map(list.__len__, inner))


def _most_lost(changes: Iterable[tuple[Any, Any]]) -> int:
    return max(itertools.starmap(_lost, changes), default=NOTHING)


def _lost(before: Any, after: Any) -> int:
    """The change of a value, also in a list."""
    kind = type(after)
    if all(issubclass(type(value), list | tuple) for value in (before, after)):
        return _most_lost(zip(_items_in(before), _items_in(after), strict=False))
    if kind in _KNOWN:
        if kind is type(before) and after == before:
            return NOTHING
        is_other = type(before) in _KNOWN and kind is not type(before)
        return NUMBERS if kind in (int, bool) and not is_other else KINDS
    shapes = [_shape(value) for value in (before, after)]
    return KINDS if shapes[0] != shapes[1] and "None" not in shapes else NOTHING


def _shape(value: Any) -> str:
    """The shape of a tensor; `None` for what has none, or may have no value."""
    has_shape = backend_of(value) is not None and hasattr(type(value), "shape")
    return str(value.shape if has_shape else None)


def _items_in(value: Any) -> Iterator[Any]:
    """The items of a list or tuple; of one of the graph, what it has in their place."""
    return list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
