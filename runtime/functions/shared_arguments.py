"""The item assignments of a function to its arguments, and the memory that its results share with
them.

A traced function has its own symbols for its arguments. If its code assigns to items of one, the
final value of that argument is a further result of the graph. After a call from another trace, the
caller's symbol stands for that value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.graph.ir import Location, Value
from runtime.staging.aliasing import item_assignments, sharing
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Change, Scope
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace


@dataclass(frozen=True)
class Shared:
    """Of arguments and results, by their places among the tensors: arguments that are `written`,
    pairs of a result that is an argument (`same`) or may be a part of one (`related`), or an
    earlier result, whose place is inverted then (`~at`). `settled` is what was found, and not only
    supposed.
    """

    written: tuple[int, ...] = ()
    changes: tuple[Change, ...] = ()
    same: tuple[tuple[int, int], ...] = ()
    related: tuple[tuple[int, int], ...] = ()
    settled: bool = False

    def covering(self, other: Shared) -> Shared:
        """Returns what holds where both may: more is written and related, less is the same."""
        known = {*self.related, *other.related, *self.same, *other.same}
        same = tuple([pair for pair in self.same if pair in other.same or not other.settled])
        mine, theirs = (
            dict(zip(each.written, each.changes, strict=True)) for each in (self, other)
        )
        written = sorted({*mine, *theirs})
        none = Change(0)
        return Shared(
            tuple(written),
            tuple([mine.get(at, none) | theirs.get(at, none) for at in written]),
            same,
            tuple(sorted(known - {*same})),
            settled=True,
        )

    def check(self, trace: Trace, name: str, leaves: Sequence[Any], outer: Sequence[Any]) -> None:
        """Raises StagingError where the callee writes to a tensor that it knows by two names, or
        that is not the caller's.
        """
        for at in self.written:
            item = leaves[at]
            if not isinstance(item, SymbolicTensor):
                raise item_assignments.outside(name, "an argument that is no tensor of this graph")
            item_assignments.check_own(trace, item, lambda: None)
            related = {id(each) for each in sharing.relatives(item)}
            others = [*leaves[:at], *leaves[at + 1 :], *outer]
            if any(id(other) in related for other in others):
                raise refuse(
                    f"{name} assigns to items of an argument which shares its memory with another "
                    "tensor that it uses",
                    "pass a copy of one of them (tf.identity(x)), or call a function that is not "
                    "staged itself",
                )

    def settle(
        self, trace: Trace, leaves: Sequence[Any], results: list[Any], finals: Sequence[Any]
    ) -> list[Any]:
        """The results of a call, and its arguments as they are behind it."""
        for at, change, final in zip(self.written, self.changes, finals, strict=True):
            item_assignments.assign(trace, leaves[at], final, change)
        for at, place in self.same:
            known = leaves[place] if place >= 0 else results[~place]
            if isinstance(known, SymbolicTensor):
                results[at] = known
        for at, place in self.related:
            item, known = results[at], leaves[place] if place >= 0 else results[~place]
            if isinstance(known, SymbolicTensor) and item is not known:
                sharing.may_be(item, known)
            elif item is not known:
                sharing.hold(item, sharing.from_outside(trace))
        return results

    def twins(self) -> list[tuple[int, int]]:
        """The results that are an earlier one, with the place of that."""
        first: dict[int, int] = {}
        found = [
            (at, ~place if place < 0 else first.setdefault(place, at)) for at, place in self.same
        ]
        return [(at, earlier) for at, earlier in found if at != earlier]


NOTHING = Shared()


def shared_of(
    scope: Scope, symbols: Sequence[Any], before: Sequence[Value], results: Sequence[Any]
) -> Shared:
    """The arguments of a trace to whose items it assigned, and the results that share memory with
    arguments. `before` are the values that the symbols of the arguments stood for at first.
    """
    places = {id(item): at for at, item in enumerate(symbols) if _may_be_written(item)}
    pairs = zip(symbols, before, strict=True)
    written = [
        at
        for at, (item, value) in enumerate(pairs)
        if id(item) in places and item_assignments.is_changed(item, value)
    ]
    same, related = [], []
    for at, item in enumerate(results):
        if id(item) in places:
            same.append((at, places[id(item)]))
        elif _may_be_written(item):
            others = [places[id(each)] for each in sharing.relatives(item) if id(each) in places]
            related += [(at, place) for place in others]
        if isinstance(item, SymbolicTensor):
            places.setdefault(id(item), ~at)
    changes = [item_assignments.change_of(scope, symbols[at]) for at in written]
    return Shared(tuple(written), tuple(changes), tuple(same), tuple(related))


def _may_be_written(item: Any) -> bool:
    return isinstance(item, SymbolicTensor) and item.static_shape != ()


def lost(
    trace: Trace, symbols: Sequence[Any], before: Sequence[Value], used: set[Value]
) -> Callable[[], Exception] | None:
    """The refusal of an assignment to items of an argument that no result shows; None if all
    assignments are shown.
    """
    for item, value in zip(symbols, before, strict=True):
        if not _may_be_written(item) or not item_assignments.is_changed(item, value):
            continue
        family = sharing.family(item)
        made = [pair for each in family for pair in trace.written.get(id(each), (None, ()))[1]]
        if made and not any(taken in used for taken, _ in made):
            return partial(_refuse_lost, value.name, made[0][1], trace.name)
    return None


def _refuse_lost(name: str, place: Location | None, function: str) -> Exception:
    return refuse(
        f"an item of {name!r} is assigned, an argument of {function}, which gets the caller's "
        "tensor as a value: what it is now reaches no result, and the caller would not see it",
        f"return it: return {name}",
        name,
        place,
    )
