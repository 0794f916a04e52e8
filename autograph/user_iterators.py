"""Iterators of the user's classes: what their `__next__` gives, as a generator that is converted,
so that only the run need know when it raises StopIteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import CO_GENERATOR
from types import CodeType, FrameType, MethodType
from typing import Any, NamedTuple

from autograph.backend import backend_of
from autograph.calls import call
from autograph.library_code import converted
from autograph.objects import STANDS_IN
from autograph.operators import getitem
from autograph.operators.comprehensions import UserIterators, install_user_iterators
from autograph.operators.methods import converted_method
from autograph.operators.reductions import end


def steps_of(items: Any, begun: bool) -> Iterator[Any]:
    """The generator of what an object gives, or of what is left of an iterator that has `begun`."""
    made, kind = _templates(), type(items)
    steps = made.items_in_turn if not hasattr(kind, "__iter__") else made.all_steps
    generator: Iterator[Any] = call(made.further_steps if begun else steps)(items)
    return generator


def next_of(iterator: Any, *default: Any) -> Any:
    """`next(iterator, *default)` of an iterator of the user's."""
    return call(_templates().next_or)(iterator, *default) if default else advance(iterator)


def in_rows(items: Sequence[Any]) -> Iterator[Any] | None:
    """The generator of `zip(*items)`, where some are iterators of the user's and all others have
    items at places; None for others.
    """
    if not any(map(is_users, items)):
        return None
    if not all(is_users(each) or has_places(each) for each in items):
        return None
    made: Iterator[Any] = call(_templates().all_rows)(tuple(items))
    return made


def has_places(items: Any) -> bool:
    """Whether it has items at places, of which Python or the run knows the number."""
    return isinstance(items, list | tuple | str | range) or backend_of(items) is not None


class Ended(Exception):
    """Raised where a sequence has no item at a place."""


def row_at(sources: tuple[Any, ...], place: Any) -> tuple[Any, ...]:
    """The next item of each iterator, and the one at a place of each sequence.

    May raise StopIteration or Ended at run time.
    """
    at = call(_templates().item_or_end)
    return tuple([advance(each) if is_users(each) else at(each, place) for each in sources])


class Begun:
    """An iterator that nobody else holds may be left before its end: so it is given away."""

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator
        self.is_users = is_users(iterator)

    def given_away(self) -> Any:
        iterator, self.iterator = self.iterator, None
        return iterator


def begin(items: Any) -> Begun:
    """Returns what the `__iter__` of the class of an object gives."""
    return Begun(call(type(items).__iter__)(items))


def advance(iterator: Any) -> Any:
    """Returns what the `__next__` of the class of an object gives.

    It may raise StopIteration at run time, which a `try` takes, or nobody.
    """
    return call(type(iterator).__next__)(iterator)


def item_at(items: Any, place: int) -> Any:
    """`items[place]`, which may raise IndexError at run time behind the last one."""
    return call(type(items).__getitem__)(items, place)


def is_users(iterator: Any) -> bool:
    """Whether the `__next__` of an iterator is the user's."""
    return converted_method(iterator, "__next__") is not None


def is_next(method: MethodType) -> bool:
    """Whether it is what code has for the `__next__` of an object, and not what Python calls."""
    return method.__name__ == "__next__" and STANDS_IN in vars(method.__func__)


def asked(method: MethodType) -> Any:
    """Returns what a `__next__` gives that code calls by its name, as `super().__next__()` does."""
    return call(method.__func__)(method.__self__)


_OURS = "autograph.", "runtime."
_ASKING = frozenset((advance.__code__, item_at.__code__, asked.__code__))


def is_asked(frame: FrameType) -> bool:
    """Whether the `__next__` or `__getitem__` that runs in a frame was called by one of the
    functions above, and by nothing of Python's that would wait for its exception.
    """
    caller = frame.f_back
    while caller is not None and caller.f_globals.get("__name__", "").startswith(_OURS):
        if caller.f_code in _ASKING:
            return True
        caller = caller.f_back
    return False


def is_end(code: CodeType) -> bool:
    """Whether it is the code that raises where a generator has no element for `next`."""
    return code is end.__code__


def runs_generator(frame: FrameType) -> bool:
    """Whether a generator is run in a frame: by Python, or as a loop."""
    is_loop = frame.f_code.co_name == "visit"
    is_loop = is_loop and frame.f_globals.get("__name__") == "autograph.generator_managers"
    return is_loop or bool(frame.f_code.co_flags & CO_GENERATOR)


class _Templates(NamedTuple):
    """The functions that are converted as the user's are."""

    all_steps: Callable[[Any], Iterator[Any]]
    further_steps: Callable[[Any], Iterator[Any]]
    items_in_turn: Callable[[Any], Iterator[Any]]
    next_or: Callable[[Any, Any], Any]
    all_rows: Callable[[tuple[Any, ...]], Iterator[Any]]
    item_or_end: Callable[[Any, Any], Any]


@converted
def _templates() -> _Templates:
    def further_steps(iterator: Any) -> Iterator[Any]:
        while True:
            try:
                item = advance(iterator)
            except StopIteration:
                return
            yield item

    def all_steps(items: Any) -> Iterator[Any]:
        begun = begin(items)
        if begun.is_users:
            yield from further_steps(begun.given_away())
        else:
            yield from begun.given_away()

    def items_in_turn(items: Any) -> Iterator[Any]:
        place = 0
        while True:
            try:
                item = item_at(items, place)
            except IndexError:
                return
            yield item
            place = place + 1

    def next_or(iterator: Any, default: Any) -> Any:
        try:
            return advance(iterator)
        except StopIteration:
            return default

    def all_rows(sources: tuple[Any, ...]) -> Iterator[Any]:
        place = 0
        while True:
            try:
                row = row_at(sources, place)
            except (StopIteration, Ended):
                return
            yield row
            place = place + 1

    def item_or_end(items: Any, place: Any) -> Any:
        if place >= len(items):
            raise Ended
        return getitem(items, place)

    return _Templates(all_steps, further_steps, items_in_turn, next_or, all_rows, item_or_end)


install_user_iterators(UserIterators(steps_of, next_of, in_rows))
