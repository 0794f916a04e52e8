"""The work of tracing the rounds of a loop that Python runs: much becomes a staged loop instead."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from typing import Any

from autograph.backend import Backend, Block, backend_of, staging
from autograph.objects import contents
from autograph.operators.comprehensions import LONG
from autograph.operators.growing import found_much, is_staging
from autograph.operators.indexed_items import Indexed

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


def work_done() -> int:
    """The operations that were traced before the rounds of a `for`."""
    backend = staging() if is_staging() else None
    return 0 if backend is None else backend.work()


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


def is_little(work: int) -> bool:
    """Whether rounds that add so many operations are written out in any case."""
    return _weighed(work) <= MUCH


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
        if is_little(work):
            return False
        lost = KINDS if self._known is None else self._known.lost(state)
        if is_long and lost == NOTHING:
            return True
        self.knows_kinds = work <= TOO_MUCH
        return not self.knows_kinds or (lost < KINDS and self.backend.is_very_much(_weighed(work)))


class MuchInFor(MuchWork):
    """The same for a `for` over so many items, which are known by their places."""

    __slots__ = ("_is_long", "_watches")

    def __init__(self, backend: Backend, body: Block, state: tuple[Any, ...], size: int) -> None:
        super().__init__(backend, body)
        self._is_long = size > LONG
        self._watches = self._is_long or backend.catches()
        self.begin(state, self._watches)

    def are_left(self, done: int, left: int, state: tuple[Any, ...]) -> bool:
        """Whether the rounds that are left are to be one loop."""
        work = self.since() // max(1, done // 2) * left
        is_much = self.is_much(work, state, self._is_long)
        self.is_settled = is_much or left <= (LONG if self._is_long else FEW)
        if not self.is_settled:
            self.begin(state, self._watches or _weighed(work) > VERY_MUCH)
        return is_much


def much_in_for(source: Indexed | None, body: Block, state: tuple[Any, ...]) -> MuchInFor | None:
    """The measure of the rounds of a `for`; None if it has few, or is not to be staged."""
    if source is None or source.size() <= FEW:
        return None
    backend = staging()
    return None if backend is None else MuchInFor(backend, body, state, source.size())


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
