"""Objects that Python changes in place, and of which a graph has another one behind each change, as
`TensorArray`: which of those that stand for one are what the user's Python would have.

    a, b = TensorArray(...), TensorArray(...)
    c = a if p else b          # one of the two
    d = c.write(0, x)          # in Python d is c, and so is one of the others

`d` has the identity of `c`, and has seen the change. `a`, `b` and `c` have not: they refuse to be
used. Where rounds of a loop change one, nothing in them may read what it may be by another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.graph.ir import Node, Region, Value, format_location, walk
from runtime.graph.lists import LENGTH
from runtime.staging.aliasing.aliases import held_by, parts_of
from runtime.staging.control.specs import Maybe, Optional, Spec, Tree, parts
from runtime.staging.frames import user_location
from runtime.staging.refusals import refuse
from runtime.staging.scopes import LOOP, Scope, Symbol, active

_OUTSIDE = "a TensorArray is changed in {}, but was made outside of it"
_CARRIED = "assign what the change returns to the variable that holds the array, or carry it"
_GIVEN = "pass it as an argument and return it, or change `.identity()` of it"
_USED = "a TensorArray is used that was changed at {}"
_USED_IN_ROUNDS = "a TensorArray is used in a loop that changes it by another name"
_ANEW = "use what the change returned: `array = array.write(i, x)`"
_BY_ONE_NAME = "use one name for it, or take a copy before the loop: `other = array.identity()`"


@dataclass(slots=True, eq=False)
class ArrayChange:
    """A change: what it made, how far the graph was then, and whether that has as many elements."""

    made: Symbol
    lengths: dict[Scope, int]
    keeps_size: bool

    def is_before(self, scope: Scope) -> bool:
        """Whether the paths that lead to this scope have it: it is in no other branch, and in no
        round that was traced again, with an object of its own.
        """
        while scope not in self.lengths and scope.outer is not None:
            scope = scope.outer
        inner = self.made.scope
        while inner is not scope and inner.kind != LOOP and inner.outer is not None:
            inner = inner.outer
        if inner is not scope:
            return False
        # The branches of one statement have nothing between them.
        return scope is self.made.scope or len(scope.nodes) > self.lengths[scope]

    def refusal(self) -> Exception:
        """The refusal of what has not seen it."""
        origin = self.made.origin
        return refuse(_USED.format(format_location(origin.location if origin else None)), _ANEW)


class Identity:
    """One object of the user's, for which several stand: as it was, and as each change left it.

    Attributes:
        scope: where it was made; None for one from outside of the graph.
        changes: those of it, and of others that may be it.
        others: those that may be the same object.
        values: the graph's values that have stood for it.
    """

    __slots__ = ("changes", "others", "scope", "values")

    def __init__(self, scope: Scope | None) -> None:
        self.scope = scope
        self.changes: list[ArrayChange] = []
        self.others: dict[Identity, None] = {}
        self.values: list[Value] = []

    def all(self) -> tuple[Identity, ...]:
        """It, and all that it may be."""
        return (self, *self.others)

    def link(self, other: Identity) -> None:
        """Note that the two may be one object."""
        if other is not self:
            self.others[other] = other.others[self] = None

    def change(self, made: Symbol, keeps_size: bool) -> None:
        """Note that the object is changed, and what that has made."""
        lengths = {scope: len(scope.nodes) for scope in made.scope.around()}
        for each in self.all():
            each.changes.append(ArrayChange(made, lengths, keeps_size))

    def check_changeable(self) -> None:
        """StagingError where it, or what it may be, was made outside of the function. Where it was
        made outside of a loop: as soon as that has its graph.
        """
        for each in self.all():
            each._check_scope()

    def _check_scope(self) -> None:
        trace, made_in = active(), self.scope
        while made_in is not None and not made_in.open:  # by one branch alone
            made_in = made_in.outer
        scope: Scope | None = trace.scope
        while scope is not None and scope is not made_in and scope.kind != LOOP:
            scope = scope.outer
        if scope is None:
            raise refuse(_OUTSIDE.format("a function that is traced"), _GIVEN)
        if scope is not made_in:
            # The round may be traced again, with an object of its own.
            place = user_location()
            trace.memo[scope] = lambda: refuse(_OUTSIDE.format(LOOP), _CARRIED, location=place)


class Replaced:
    """The base of classes of such objects. `_seen` is how many changes one has seen."""

    _items: Any
    _identity: Identity | None = None
    _seen = 0


def identity_of(item: Replaced) -> Identity:
    """The identity of one."""
    if not isinstance(item._items, Symbol):
        return Identity(None)
    if item._identity is None:
        item._identity = Identity(item._items.scope)
        item._identity.values.append(item._items.graph_value)
    return item._identity


def identify(item: Replaced, identity: Identity) -> None:
    """Have one stand for an object, with all its changes."""
    item._identity, item._seen = identity, len(identity.changes)
    identity.values.append(item._items.graph_value)


def keeps_size(item: Replaced) -> bool:
    """Whether one has as many elements as behind the changes that it has not seen."""
    return all(change.keeps_size for change in _not_seen(item))


def check(item: Replaced, scope: Scope | None = None) -> None:
    """StagingError where one has not seen a change before this scope, or before here."""
    for change in _not_seen(item):
        if change.is_before(scope or change.made.scope.trace.scope):
            raise change.refusal()


def _not_seen(item: Replaced) -> Sequence[ArrayChange]:
    return () if item._identity is None else item._identity.changes[item._seen :]


# Joins


def _all_in(spec: Spec, value: Any) -> list[Replaced | None]:
    """Those in a value for a Spec; None where it has none there."""
    while isinstance(spec, Optional | Maybe):
        spec, value = spec.inner, held_by(value)
    if not isinstance(spec, Tree):
        return []
    if issubclass(spec.structure.kind, Replaced):
        return [value if isinstance(value, Replaced) else None]
    held = parts_of(value, len(spec.children))
    return [item for each in zip(spec.children, held, strict=True) for item in _all_in(*each)]


def _holds_any(spec: Spec) -> bool:
    if isinstance(spec, Tree) and issubclass(spec.structure.kind, Replaced):
        return True
    return any(map(_holds_any, parts(spec)))


def _columns(specs: Sequence[Spec], columns: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Those in each column of values, for the same Specs."""
    places = [at for at, spec in enumerate(specs) if _holds_any(spec)]
    return [[x for at in places for x in _all_in(specs[at], values[at])] for values in columns]


def check_left(specs: Sequence[Spec], values: Sequence[Any], scope: Scope) -> None:
    """StagingError where one of what a path leaves, at the end of this scope, was changed by
    another name.
    """
    for item in _columns(specs, [values])[0]:
        if item is not None:
            check(item, scope)


def note_branches(
    specs: Sequence[Spec], made: Sequence[Any], paths: Sequence[Sequence[Any]]
) -> None:
    """Note what those that branches have left may be, from the values of the paths."""
    items, *columns = _columns(specs, [made, *paths])
    rows = [
        [None if each is None else identity_of(each) for each in originals]
        for originals in zip(*columns, strict=True)
    ]
    known = {identity: identity.all() for row in rows for identity in row if identity}
    for item, row in zip(items, rows, strict=True):
        _join(item, [known[identity] for identity in row if identity])
    for item, row in zip(items, rows, strict=True):
        for other, others in zip(items, rows, strict=True):
            if any(y and x in known[y] for x, y in zip(row, others, strict=True)):
                identity_of(item).link(identity_of(other))


def _join(item: Replaced, known: Sequence[Sequence[Identity]]) -> None:
    """Note that it may be these: of each, itself and all that it may be."""
    first, *others = [each[0] for each in known]
    if all(each is first for each in others) and first.scope is not None:
        identify(item, first)
        return
    for each in [each for every in known for each in every]:
        identity_of(item).link(each)


# Loops


class _Rounds:
    """Those that a loop carries: what it began with, what its round was given, and has left.

    `flow` has what each may be in some round, of what is there before the loop.
    """

    def __init__(self, scope: Scope, columns: Sequence[Sequence[Replaced]]) -> None:
        self.first, self.given, self.left = [
            [identity_of(item) for item in column] for column in columns
        ]
        self._places = {identity: at for at, identity in enumerate(self.given)}
        self._scope = scope
        self.flow = [{identity: None} for identity in self.first]
        before = -1
        while before < (now := sum(map(len, self.flow))):
            before = now
            for flow, left in zip(self.flow, self.left, strict=True):
                flow.update(dict.fromkeys(self._sources(left)))
        self.pairs = self._found_pairs()

    def _sources(self, left: Identity) -> Iterator[Identity]:
        for at in self._carried(left):
            yield from list(self.flow[at])
        yield from self._outer(left)

    def _carried(self, left: Identity) -> list[int]:
        """The places of those that the round was given, and that this may be."""
        return [self._places[each] for each in left.all() if each in self._places]

    def _outer(self, left: Identity) -> list[Identity]:
        """Those from before the loop that this may be, and that the round was not given."""
        return [
            each
            for each in left.all()
            if each.scope is None or self._scope not in each.scope.around()
        ]

    def _found_pairs(self) -> set[tuple[int, int]]:
        """The places of two that may be one object in some round."""
        size = range(len(self.first))
        every = [(a, b) for a in size for b in size if a != b]
        found = {(a, b) for a, b in every if self.first[b] in self.first[a].all()}
        before = -1
        while before < len(found):
            before = len(found)
            found |= {(a, b) for a, b in every if self._may_be_left(a, b, found)}
        return found

    def _may_be_left(self, a: int, b: int, found: set[tuple[int, int]]) -> bool:
        mine, theirs = self.left[a], self.left[b]
        if theirs in mine.all():
            return True
        if any((x, y) in found for x in self._carried(mine) for y in self._carried(theirs)):
            return True
        return self._has_outer(mine, theirs) or self._has_outer(theirs, mine)

    def _has_outer(self, left: Identity, other: Identity) -> bool:
        """Whether one that the round was given may be one that is there before the loop."""
        outer = self._outer(other)
        return any(each in self.flow[at] for at in self._carried(left) for each in outer)

    def became(self, at: int) -> Identity | None:
        """The one object that it is behind the loop; None for one of several."""
        left = self.left[at]
        if left in self._places:
            left = self.first[self._places[left]]
        return left if left is self.first[at] else None

    def check(self, at: int, region: Region) -> None:
        """StagingError where the rounds that change it use, or leave, it by another name."""
        unseen = [each for identity in self.flow[at] for each in identity.all()]
        same = self.given[at].all()
        unseen += [self.given[b] for a, b in self.pairs if a == at and self.given[b] not in same]
        values = {value for identity in unseen for value in identity.values}
        if not values.isdisjoint(region.results):
            raise refuse(_USED_IN_ROUNDS, _BY_ONE_NAME)
        for node in walk(region):
            left = [value for inner in node.regions for value in inner.results]
            if not values.isdisjoint((*node.inputs, *left)) and not self._is_of_size(node, at):
                raise refuse(_USED_IN_ROUNDS, _BY_ONE_NAME, location=node.location)

    def _is_of_size(self, node: Node, at: int) -> bool:
        return node.primitive is LENGTH and self.keeps_size(at)

    def keeps_size(self, at: int) -> bool:
        """Whether the changes in a round leave it as many elements."""
        return all(change.keeps_size for change in self.given[at].changes)


def note_rounds(
    specs: Sequence[Spec],
    states: Sequence[Sequence[Any]],
    made: Sequence[Any],
    scope: Scope,
    region: Region,
) -> None:
    """Note what those that a loop has left may be, from its `states`: what it began with, what its
    round was given, and what that has left. Tell what they were of the changes.

    StagingError where the rounds use one that they change, by another name.
    """
    items, *columns = _columns(specs, [made, *states])
    rows = [row for row in zip(items, *columns, strict=True) if None not in row]
    if not rows:
        return
    items, *columns = map(list, zip(*rows, strict=True))
    rounds = _Rounds(scope, columns)
    for at, item in enumerate(items):
        if rounds.given[at].changes:
            rounds.check(at, region)
            for identity in rounds.flow[at]:
                identity.check_changeable()
                identity.change(item._items, rounds.keeps_size(at))
    known = [[each.all() for each in flow] for flow in rounds.flow]
    for at, item in enumerate(items):
        one = rounds.became(at)
        _join(item, [one.all()] if one is not None else known[at])
    for a, b in rounds.pairs:
        identity_of(items[a]).link(identity_of(items[b]))
