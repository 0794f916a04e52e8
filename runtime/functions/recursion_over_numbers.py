"""Recursion over Python numbers, which a staged value ends: the numbers that keep changing are
staged, so that the calls become those of one graph that calls itself. So are texts, lists and
tuples that grow from call to call. They are arguments, or in tuples that are.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType, MethodType, ModuleType
from typing import Any

from autograph.objects import attributes_of, contents
from runtime.core.types import NumberType
from runtime.functions.signatures import parts_of, plain_key
from runtime.functions.trace_cache import Call
from runtime.staging.aliasing import aliases
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control.undoing import Refused, undone_if_refused
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.growing_tuple import grown_tuple
from runtime.staging.scopes import active
from runtime.staging.texts import of_any

DEPTH = 6
"""Calls that wait for each other, and differ by numbers alone, before these are staged."""

CALLS = 64
"""Calls that differ by numbers alone before these are staged, if some wait for each other."""

MANY = 2
"""Calls that differ by numbers alone, and wait for one that has the numbers of one of them."""

Place = int | str | tuple[Any, int]
"""The number or name of an argument, or the place of a tuple and the number of an item of it."""

Places = frozenset[Place]
Kinds = tuple[type, ...]
Family = tuple[tuple[int | str, Any], ...]

_NUMBERS: Kinds = (int, float)
_GROWING: Kinds = (*_NUMBERS, str, GrowingList, tuple)


class Descent:
    """The calls of one function that wait for each other in one trace, by their keys.

    `met` has the keys of all calls, `calls` their number in each family; `recurs` tells whether
    some were those of a graph. `counters` has the places of what is staged in the calls of a
    family; none where that was refused, by `refusal`. `keeps_choices` tells that the function needs
    to know from which texts the run chooses an argument.
    """

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.met: set[Any] = set()
        self.calls: Counter[Family] = Counter()
        self.recurs = False
        self.counters: dict[Family, Places] = {}
        self.refusal: Exception | None = None
        self.keeps_choices = False

    def with_texts_of_the_run(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Returns what a call gives, of which the arguments were texts that the run chooses, and
        are any; NotImplemented where the function needs to know from which.
        """
        given = (*args, *kwargs.values())
        made = _undone_if_refused(function, given, lambda: function(*args, **kwargs))
        if type(made) is not Refused:
            return made
        self.keeps_choices = True
        return NotImplemented

    def is_known(self, depth: int, function: Any, call: Call) -> bool:
        """True if one of the `depth` calls that a call makes wait has its key, or an earlier call
        of what is known to be a graph that calls itself. That would not know an argument that is
        one of the function's own variables, too.
        """
        del self.waiting[depth - 1 :]
        key, given = call.key, (*call.args, *call.kwargs.values())
        is_met = self.recurs and key in self.met and not _is_around(function, given)
        known = is_met or key in self.waiting
        self.waiting.append(key)
        self.met.add(key)
        self.calls[_split(key)[0]] += 1
        return known

    def is_of_many(self, call: Call) -> bool:
        """True if calls that differ from it by numbers alone wait, too."""
        family = _split(call.key)[0]
        waiting = {key for key in self.waiting if _split(key)[0] == family}
        return len(waiting) > MANY and self.counters.get(family) != frozenset()

    def stages_numbers(self, call: Call) -> bool:
        """True if numbers were staged in calls that differ from it by numbers alone."""
        return bool(self.counters.get(_split(call.key)[0]))

    def with_staged_counters(
        self,
        function: Callable[..., Any],
        call: Call,
        traced: Iterable[Any] = (),
        at_once: bool = False,
    ) -> Any:
        """Returns what the last call gives with numbers of the graph in place of those that change
        from call to call, or also texts and lists, if each call has another one; NotImplemented
        where there are none, or the function needs them.

        `traced` has the keys of calls that are graphs which call themselves: one that differs from
        them by numbers alone has all of its numbers staged. So has, `at_once`, one of which some
        of the calls that wait differ by numbers.
        """
        made = self._with_staged(function, call, traced, at_once, _NUMBERS)
        if made is NotImplemented and not at_once:
            made = self._with_staged(function, call, (), at_once, _GROWING)
        return made

    def _with_staged(
        self,
        function: Callable[..., Any],
        call: Call,
        traced: Iterable[Any],
        at_once: bool,
        kinds: Kinds,
    ) -> Any:
        family, numbers = _split(call.key, kinds)
        if family not in self.counters:
            alike = [_split(plain_key(key))[1] for key in traced if _is_alike(call.key, key)]
            alike = alike or self._waiting_alike(family, kinds, at_once)
            if not alike:
                return NotImplemented
            changing = [
                _changing(at, part, [its.get(at) for its in alike]) for at, part in numbers.items()
            ]
            self.counters[family] = frozenset().union(*changing)
        places = self._places(family)
        if not places:
            return NotImplemented
        given = (*call.args, *call.kwargs.values())
        made = _undone_if_refused(function, given, lambda: _called(function, call, places))
        if type(made) is not Refused:
            return made
        self.refusal = made.error
        self.counters[family] = frozenset()
        return NotImplemented

    def _waiting_alike(self, family: Family, kinds: Kinds, at_once: bool) -> list[dict[Place, Any]]:
        """The numbers of the calls of a family that wait for each other, or of all that there were;
        none where that are too few to stage what changes.
        """
        waiting = [
            its for known, its in (_split(key, kinds) for key in self.waiting) if known == family
        ]
        if at_once or len(waiting) >= DEPTH:
            return waiting
        if kinds is not _NUMBERS or len(waiting) < 2 or self.calls[family] < CALLS:
            return []
        return [its for known, its in map(_split, self.met) if known == family]

    def _places(self, family: Family) -> Places:
        """The places of what is staged in the calls of a family: also of numbers that were staged
        where the others are.
        """
        places = self.counters[family]

        def with_type(at: Place, part: Any) -> Any:
            return NumberType(part.__name__) if at in places and part in _NUMBERS else part

        staged = [(at, _with_parts(at, part, with_type)) for at, part in family]
        return places | self.counters.get(tuple(staged), frozenset()) if places else places


def _undone_if_refused(
    function: Callable[..., Any], given: Sequence[Any], run: Callable[[], Any]
) -> Any:
    """Returns what a call of the function gives, or Refused; a refusal for which Python runs again,
    with what was missing, is raised.
    """
    trace = active()
    references, wanted = trace.references, trace.references.wanted
    made = undone_if_refused(trace, BlockRecorder(function, tuple(given), ()), run)
    if type(made) is Refused and references.wanted != wanted and references.acted() is None:
        trace.refusal = made.error
        raise made.error
    return made


def _is_around(function: Any, items: Iterable[Any]) -> bool:
    """True if a function reaches one of these containers by the variables around it, too."""
    containers = {id(item) for item in items if isinstance(item, list | dict | set)}
    seen, left = set[int](), [function] if containers else []
    while left:
        each = left.pop()
        if id(each) in containers:
            return True
        if id(each) not in seen:
            seen.add(id(each))
            left += _inside(each)
    return False


def _inside(item: Any) -> Iterable[Any]:
    """The objects in a variable, a container or an object of the user's."""
    if isinstance(item, functools.partial):
        return [item.func]
    if isinstance(item, MethodType):
        return [item.__self__, item.__func__]
    if isinstance(item, FunctionType):
        return map(contents, item.__closure__ or ())
    if isinstance(item, Growing) and item.staged is not None:
        return []
    if isinstance(item, dict):
        return dict.values(item)
    if isinstance(item, list):
        return list.__iter__(item)
    if type(item) is tuple:
        return item
    is_own = isinstance(item, type | ModuleType) or type(item).__module__.startswith("runtime.")
    return [] if is_own else (attributes_of(item) or {}).values()


def _changing(at: Place, part: Any, others: Sequence[Any]) -> Iterator[Place]:
    """The places of what changes from call to call: numbers, texts and lists of which each call has
    another one, and tuples of which each has a longer one.
    """
    if _is_of(part, (tuple,)) and all(len(each[2]) == len(part[2]) for each in others):
        for place, each in enumerate(part[2]):
            yield from _changing((at, place), each, [other[2][place] for other in others])
    elif _is_of(part, _NUMBERS):
        if any(each != part for each in others):
            yield at
    elif _is_of(part, _GROWING) and part not in others[:-1]:
        yield at


def _called(function: Callable[..., Any], call: Call, places: Places) -> Any:
    """Returns what a call gives with arguments staged at these places: the caller's own list where
    the result is, or may be, one of these.
    """
    given: list[tuple[Place, Any]] = [*enumerate(call.args), *call.kwargs.items()]
    lists = dict(pair for at, item in given for pair in _lists(places, at, item))
    known = {key: (item, item.of_graph()) for key, item in lists.items()}
    args = [_staged(places, known, at, item) for at, item in enumerate(call.args)]
    kwargs = {name: _staged(places, known, name, item) for name, item in call.kwargs.items()}
    own = {id(made): item for item, made in known.values()}
    trace = active()
    since = len(trace.joined)
    result = function(*args, **kwargs)
    aliases.stand_for(trace, since, own)
    return own.get(id(result), result)


def _lists(places: Places, at: Place, item: Any) -> Iterator[tuple[int, GrowingList]]:
    """The lists that are staged in an argument, by their ids: what is given twice is one."""
    if isinstance(item, GrowingList) and at in places:
        yield id(item), item
    elif type(item) is tuple and at not in places:
        for place, part in enumerate(item):
            yield from _lists(places, (at, place), part)


def _staged(places: Places, known: dict[int, tuple[Any, Any]], at: Place, item: Any) -> Any:
    if type(item) is tuple and at in places:
        return grown_tuple(GrowingList(item).of_graph())
    if type(item) is tuple:
        parts = [_staged(places, known, (at, place), part) for place, part in enumerate(item)]
        return tuple(parts) if any(map(operator.is_not, parts, item)) else item
    if id(item) in known:
        return known[id(item)][1]
    if at not in places:
        return item
    return of_any(item) if isinstance(item, str) else active().number(item)


def _split(key: Any, kinds: Kinds = _NUMBERS) -> tuple[Family, dict[Place, Any]]:
    """The key of a call without its numbers, or what is of these kinds, and these by the places of
    its arguments.
    """
    args, kwargs = parts_of(key)
    parts: dict[int | str, Any] = dict(enumerate(args))
    parts.update(kwargs)
    numbers: dict[Place, Any] = {}

    def without(at: Place, part: Any) -> Any:
        if not _is_of(part, kinds):
            return part
        numbers[at] = part
        return part[0]

    change = _with_parts if tuple not in kinds else lambda at, part, change: change(at, part)
    return tuple([(at, change(at, part, without)) for at, part in parts.items()]), numbers


def _with_parts(at: Place, part: Any, change: Callable[[Place, Any], Any]) -> Any:
    """The key of an argument with what `change` makes of it; of the items of a tuple."""
    if _is_of(part, (tuple,)):
        kind, keys, parts = part
        return kind, keys, tuple([_with_parts((at, i), x, change) for i, x in enumerate(parts)])
    return change(at, part)


def _is_alike(key: Any, known: Any) -> bool:
    family = _split(known)[0]
    return family in (_split(key)[0], _split(plain_key(key))[0])


def _is_of(part: Any, kinds: Kinds) -> bool:
    return type(part) is tuple and any(part[0] is kind for kind in kinds)
