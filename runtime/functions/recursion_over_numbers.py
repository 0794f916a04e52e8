"""Recursion over Python numbers, which a staged value ends: the numbers that keep changing are
staged, so that the calls become those of one graph that calls itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from runtime.functions.signatures import parts_of, plain_key
from runtime.functions.trace_cache import Call
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control.undoing import Refused, undone_if_refused
from runtime.staging.scopes import active

DEPTH = 6
"""Calls that wait for each other, and differ by numbers alone, before these are staged."""

MANY = 2
"""Calls that differ by numbers alone, and wait for one that has the numbers of one of them."""

Places = frozenset[int | str]


class Descent:
    """The calls of one function that wait for each other in one trace, by their keys.

    `counters` has the places of the numbers that are staged in the calls of a family; none where
    that was refused, by `refusal`.
    """

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.counters: dict[Any, Places] = {}
        self.refusal: Exception | None = None

    def is_known(self, depth: int, key: Any) -> bool:
        """True if one of the `depth` calls that a call makes wait has its key."""
        del self.waiting[depth - 1 :]
        known = key in self.waiting
        self.waiting.append(key)
        return known

    def is_of_many(self, call: Call) -> bool:
        """True if calls that differ from it by numbers alone wait, too."""
        family = _split(call.key)[0]
        waiting = {key for key in self.waiting if _split(key)[0] == family}
        return len(waiting) > MANY and self.counters.get(family) != frozenset()

    def with_staged_counters(
        self,
        function: Callable[..., Any],
        call: Call,
        traced: Iterable[Any] = (),
        at_once: bool = False,
    ) -> Any:
        """Returns what the last call gives with numbers of the graph in place of those that change
        from call to call; NotImplemented where there are none, or the function needs them.

        `traced` has the keys of calls that are graphs which call themselves: one that differs from
        them by numbers alone has all of its numbers staged. So has, `at_once`, one of which some
        of the calls that wait differ by numbers.
        """
        family, numbers = _split(call.key)
        if family not in self.counters and any(_is_alike(call.key, known) for known in traced):
            self.counters[family] = frozenset(numbers)
        if family not in self.counters:
            alike = [its for known, its in map(_split, self.waiting) if known == family]
            if len(alike) < DEPTH and not at_once:
                return NotImplemented
            changing = {at for at in numbers for its in alike if its[at] != numbers[at]}
            self.counters[family] = frozenset(changing)
        places = self.counters[family]
        if not places:
            return NotImplemented
        trace = active()
        staged = functools.partial(_staged, places)
        recorder = BlockRecorder(function, (*call.args, *call.kwargs.values()), ())
        made = undone_if_refused(
            trace,
            recorder,
            lambda: function(
                *[staged(at, item) for at, item in enumerate(call.args)],
                **{name: staged(name, item) for name, item in call.kwargs.items()},
            ),
        )
        if type(made) is not Refused:
            return made
        self.refusal = made.error
        self.counters[family] = frozenset()
        return NotImplemented


def _staged(places: Places, at: int | str, item: Any) -> Any:
    return active().number(item) if at in places else item


def _split(key: Any) -> tuple[Any, dict[int | str, Any]]:
    """The key of a call without its numbers, and these by the places of its arguments."""
    args, kwargs = parts_of(key)
    parts: dict[int | str, Any] = dict(enumerate(args))
    parts.update(kwargs)
    numbers = {at: part for at, part in parts.items() if _is_number(part)}
    return tuple([(at, numbers.get(at, (part,))[0]) for at, part in parts.items()]), numbers


def _is_alike(key: Any, known: Any) -> bool:
    family = _split(known)[0]
    return family in (_split(key)[0], _split(plain_key(key))[0])


def _is_number(part: Any) -> bool:
    return type(part) is tuple and (part[0] is int or part[0] is float)
