"""Variables of a loop whose tensors the loop's body also reads by other names.

Each iteration starts with a new symbol for each variable of the loop. That is right only if nothing
else in the body refers to the symbol that the variable held before. Otherwise the body is traced
again, with the variable kept as the same object, whose value the loop carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.core.tensor import Tensor
from runtime.graph.ir import Region, Value, free_values
from runtime.graph.structures import children_of, structure_of
from runtime.staging.aliasing import item_assignments, sharing
from runtime.staging.control import joined_tensors
from runtime.staging.control.optional_values import Missing
from runtime.staging.control.specs import Same, Spec, Tree
from runtime.staging.scopes import Change, Scope
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace

Place = tuple[int, int]
"""A tensor of a variable: which variable, and which of its tensors."""


class _Entry:
    """A tensor that a round begins with: what the loop began with, and what the round leaves."""

    __slots__ = (
        *("before", "change", "changed", "first", "former", "given", "left", "place", "unclear"),
    )

    def __init__(self, place: Place, given: Any, first: Any) -> None:
        self.place = place
        self.given = given
        self.before: Value = given.graph_value
        self.first = first
        self.left: Any = None
        self.changed = False
        self.unclear = False
        self.change = Change.ITEMS
        # Those whose tensor it may be at the end of the round.
        self.former: list[_Entry] = []

    @property
    def in_place(self) -> bool:
        """Whether the variable stands for the same tensor at the end of the round."""
        return self.left is self.given

    def origins(self) -> list[Any]:
        """The tensors that it may be behind the loop: those that the loop began with, and those
        that rounds left.
        """
        found, pending = {id(self): self}, [self]
        while pending:
            new = [each for each in pending.pop().former if id(each) not in found]
            found |= {id(each): each for each in new}
            pending += new
        left = [each.left for each in found.values() if not each.in_place]
        return [each.first for each in found.values()] + left

    @property
    def may_change(self) -> bool:
        """Whether this round or a later one assigns to its items, or may do so by another name."""
        return self.changed or self.unclear


class SharedTensors:
    """The memory that the tensors of a loop's variables share.

    `kept` are those that variables stay, `pairs` those that may be one at the start of a round.
    """

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}
        self.rebound: set[int] = set()
        self.pairs: dict[tuple[Place, Any], tuple[Place, Any]] = {}
        self.entries: list[_Entry] = []
        self.meets: list[tuple[_Entry, Any]] = []
        self.specs: Sequence[Spec] = ()
        self.again = False

    def begin(
        self, trace: Trace, specs: Sequence[Spec], given: Sequence[Any], firsts: Sequence[Any]
    ) -> None:
        """A round begins with what is `given`."""
        self.entries, self.again, self.meets = [], False, []
        self.specs = specs
        for at, each in enumerate(zip(specs, given, firsts, strict=True)):
            spec, *values = each
            pairs = zip(*[joined_tensors.tensors(spec, value) for value in values], strict=True)
            for inner, (item, first) in enumerate(pairs):
                self.entries.append(_Entry((at, inner), item, first))
                if id(first) in self.kept:
                    sharing.may_be(item, first)
                holder = sharing.holder_of(trace, first) if isinstance(first, Tensor) else None
                if holder is not None:
                    sharing.hold(item, holder)
        known = {entry.place: entry.given for entry in self.entries}
        for place, other in self.pairs.values():
            one, two = known.get(place), known.get(other) if type(other) is tuple else other
            if type(two) is str and one is not None:
                sharing.hold(one, two)
            elif one is not None and two is not None:
                sharing.may_be(one, two)

    def finish(self, scope: Scope, left: Sequence[Any]) -> None:
        """The round leaves these values; its scope is still open."""
        for entry in self.entries:
            entry.left = self._part(left, entry.place)
            entry.changed = item_assignments.is_changed(entry.given, entry.before)
            entry.unclear = item_assignments.may_be_changed(entry.given)
            entry.change = item_assignments.change_of(scope, entry.given)
        self._meet(scope)

    def _meet(self, scope: Scope) -> None:
        """Find what variables of the next round may have in common.

        Tensors move from variable to variable: a change by any of them matters.
        """
        given = {id(entry.given): entry for entry in self.entries}
        by_id: dict[int, list[_Entry]] = {}
        linked = [e for e in self.entries if isinstance(e.left, SymbolicTensor)]
        for entry in linked:
            by_id.setdefault(id(entry.left), []).append(entry)
        matters = self._assigns(scope)
        for entry in linked:
            links = sharing.links_of(entry.left)
            if links is not None and links.holder is not None:
                self._meets(entry, links.holder, matters)
            for item in sharing.relatives(entry.left):
                for other in by_id.get(id(item), ()):
                    if other is not entry:
                        self._meets(entry, other.place, matters)
                if sharing.home(item) is not scope:
                    self._meets(entry, item, matters)
                elif id(item) in given:
                    entry.former.append(given[id(item)])
        moves = [(former, entry) for entry in linked for former in entry.former]
        again = True
        while again:
            found = [former for former, entry in moves if entry.may_change > former.may_change]
            for former in found:
                former.unclear = True
            again = bool(found)

    def _assigns(self, scope: Scope) -> bool:
        """Whether the round may assign to items of a tensor that is older than it."""
        assigned = [item for item, _ in scope.assigned.values()]
        return (
            any(entry.may_change for entry in self.entries)
            or any(sharing.home(item) is not scope for item in assigned)
            or bool(scope.unclear)
        )

    def _meets(self, entry: _Entry, other: Any, matters: bool) -> None:
        self.meets.append((entry, other))
        key = entry.place, other if type(other) in (tuple, str) else id(other)
        if matters and key not in self.pairs:
            self.pairs[key] = entry.place, other
            self.again = True

    def _part(self, values: Sequence[Any], place: Place) -> Any:
        at, inner = place
        return joined_tensors.tensors(self.specs[at], values[at])[inner]

    def keep_known(self, carried: Sequence[Any], firsts: Sequence[Any]) -> None:
        """Variables that share memory with what is carried as itself stay what they are."""
        related = {id(each) for item in carried for each in sharing.relatives(item)}
        for first in firsts:
            if isinstance(first, SymbolicTensor) and id(first) in related:
                self.kept[id(first)] = first

    def needs_another(
        self,
        scope: Scope,
        firsts: Sequence[Any],
        values: Sequence[Any],
        carried: Sequence[Any],
    ) -> bool:
        """Whether a round, whose scope is left, must be traced again, for what else it sees."""
        self._note_rebound(zip(firsts, values, strict=True))
        concerned = [entry for entry in self.entries if entry.may_change]
        if not concerned:
            return self.again
        used = scope.asked.union(free_values(Region((), tuple(scope.nodes), ())))
        known = set(map(id, carried))
        for entry in concerned:
            first = entry.first
            if not isinstance(first, SymbolicTensor) or id(first) in self.kept:
                continue
            if self._is_seen(entry, used, values, known):
                self.again = True
                self.kept[id(first)] = first
        return self.again

    def _note_rebound(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        pending = [*pairs]
        seen: dict[tuple[int, int], Any] = {}  # with the objects, whose ids stay theirs
        while pending:
            first, left = pending.pop()
            if left is first or (id(first), id(left)) in seen:
                continue
            seen[id(first), id(left)] = first, left  # dataclasses may be in each other
            if id(first) in self.kept:
                self.rebound.add(id(first))
            found, other = structure_of(first), structure_of(left)
            if found is not None and other is not None:
                pending += zip(found[1], other[1], strict=False)

    def pinned(self, spec: Spec, value: Any) -> Spec:
        """The Spec of what the loop starts with, where some tensors stay the same objects."""
        if isinstance(value, SymbolicTensor):
            stays = id(value) in self.kept and id(value) not in self.rebound
            return Same(value) if stays else spec
        found = structure_of(value) if isinstance(spec, Tree) else None
        if found is None or not isinstance(spec, Tree) or found[0] != spec.structure:
            return spec
        pairs = zip(spec.children, found[1], strict=True)
        return Tree(spec.structure, tuple([self.pinned(*pair) for pair in pairs]))

    def _is_seen(
        self, entry: _Entry, used: set[Value], values: Sequence[Any], carried: set[int]
    ) -> bool:
        """Whether the round sees by another name what the variable was at first."""
        if entry.in_place and values[entry.place[0]] is not entry.left:
            return True
        given = {id(entry.given)}
        if any(isinstance(value, Missing) and _holds(value, given) for value in values):
            return True
        related = sharing.relatives(entry.first)
        if entry.change is Change.ROWS:  # older names of rows stay what they are
            views = sharing.ids(sharing.views_below(entry.first))
            related = [item for item in related if id(item) not in views]
        ids = {id(item) for item in related}
        seen = any(item.graph_value in used or id(item) in carried for item in related)
        for other in self.entries:
            if other is not entry and id(other.first) in ids:
                self.kept[id(other.first)] = other.first
                seen = True
        return seen or any(_holds(value, ids) for value in values)

    def end(self, trace: Trace, scope: Scope, names: Sequence[str], values: list[Any]) -> None:
        """Behind the loop, whose variables are `values` there."""
        made = {entry.place: self._part(values, entry.place) for entry in self.entries}
        for entry in self.entries:
            out, first, at = made[entry.place], entry.first, entry.place[0]
            if not isinstance(first, SymbolicTensor):
                continue
            is_one = entry.in_place and values[at] is out
            if is_one:
                values[at] = made[entry.place] = first
            if is_one and entry.changed:
                item_assignments.assign(trace, first, out, entry.change)
            elif entry.may_change:
                item_assignments.may_have_changed(trace, first, names[at])
        self._tell_apart(made)
        for entry in self.entries:
            out = made[entry.place]
            if isinstance(out, SymbolicTensor) and out is not entry.first:
                joined_tensors.note_tensor(out, entry.origins())
        self._link(made)
        item_assignments.pass_on(trace, scope)

    def _tell_apart(self, made: dict[Place, Any]) -> None:
        """Note that variables which rounds only exchange never stand for one tensor, if they did
        not at first.
        """
        given = {id(entry.given): entry for entry in self.entries}
        sources = [(entry, given.get(id(entry.left), entry)) for entry in self.entries]
        moved = [entry for entry, source in sources if source is not entry]
        taken = [source for entry, source in sources if source is not entry]
        firsts = [entry.first for entry in moved]
        known = sharing.ids(firsts)
        if (
            sorted(map(id, moved)) == sorted(map(id, taken))
            and len(known) == len(moved)
            and all(self._is_apart(first, known) for first in firsts)
        ):
            sharing.tell_apart([made[entry.place] for entry in moved])

    def _is_apart(self, first: Any, others: set[int]) -> bool:
        """Whether what a variable began with shares nothing with what others did."""
        if not isinstance(first, SymbolicTensor):
            return False
        return not (sharing.ids(sharing.relatives(first)) - {id(first)}) & others

    def _link(self, made: dict[Place, Any]) -> None:
        for entry, other in self.meets:
            item, mate = made[entry.place], made[other] if type(other) is tuple else other
            if type(mate) is str:
                sharing.hold(item, mate)
            elif isinstance(mate, SymbolicTensor) and sharing.home(mate).open:
                sharing.may_be(item, mate)


def _holds(value: Any, ids: set[int]) -> bool:
    pending = [value]
    seen: dict[int, Any] = {}
    while pending:
        value = pending.pop()
        while isinstance(value, Missing):
            value = value.held
        if id(value) in ids:
            return True
        if id(value) not in seen:
            seen[id(value)] = value
            pending += children_of(value)
    return False
