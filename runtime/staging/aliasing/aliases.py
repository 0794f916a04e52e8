"""Copies of containers that a join makes: behind a branch or a loop, a variable holds a copy of the
object that it held inside.

Other names may still refer to the object itself. So the copy and the object are remembered as a
pair, and a later change of either is refused: the other would not show it.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.graph.ir import Location
from runtime.staging.control.carried_objects import is_container
from runtime.staging.control.choices import Choice
from runtime.staging.control.graph_values import by_kind
from runtime.staging.control.optional_values import Missing
from runtime.staging.control.parts import join_structure_of
from runtime.staging.control.references import is_reference, want, want_asked, want_sites
from runtime.staging.control.specs import Leaf, Maybe, Optional, Spec, Tree, Union
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.frames import user_location
from runtime.staging.lists.growing import (
    GrowingSequence,
    StagedRow,
    inherit_sites,
    is_taken,
    shared_row,
    want_lists,
)
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope
from runtime.staging.tracing import Trace

_ABSENT = object()
ANYTHING = object()
"""Stands among originals for objects that are not known yet: what later rounds begin with."""


@dataclass(slots=True)
class Copy:
    """A container that a join made of the path's `originals`, under the user's name for it."""

    name: str
    made: Any
    originals: list[Any]


@dataclass(slots=True)
class Joined:
    """A copy, what it stands for, where they were joined, and what was in them then. One that is
    the image of one of several has in `at` the scope where it was made, and the staged place there;
    it `is_past` when the block of that has ended, as one that held. `sites` are places in the code
    where the objects may have been made, beside those that they know themselves.
    """

    copy: Copy
    objects: list[Any]
    place: Location | None
    at: tuple[Scope, Any] | None = None
    sites: frozenset[str] = frozenset()
    is_past: bool = field(init=False, default=False)
    states: list[tuple[Any, Any, Sequence[Any] | None]] = field(init=False)

    def __post_init__(self) -> None:
        self.objects = [self.copy.made, *self.objects]
        self.note()

    def note(self) -> None:
        """Note what is in them now."""
        objects = [item for item in self.objects if item is not ANYTHING]
        self.states = [(item, _state(item), _held_by_list(item)) for item in objects]

    def holds(self) -> bool:
        """Whether none of them was changed since."""
        # No generator and no call: each branch asks this of all that was joined before it.
        for item, state, held in self.states:
            is_long_as = held is not None and list.__len__(item) == len(held)
            if is_long_as and (not held or all(map(operator.is_, list.__iter__(item), held))):
                continue  # a list has this very thing in it
            if not _is_equal(_state(item), state):
                return False
        return True

    def check(self, trace: Trace) -> None:
        """Raises StagingError where one of them was changed since."""
        if not self.is_past and not self.holds():
            raise _refuse_alias(trace, self)


def images(trace: Trace) -> list[Joined]:
    """The images that were made in the scope that is open, and are what is there now."""
    scope = trace.scope
    return [each for each in trace.joined if each.at and each.at[0] is scope and each.holds()]


def want_joined(trace: Trace) -> None:
    """Note the classes of all that was joined, before a refusal of a change: it may be of a list
    that is in one of the objects.
    """
    kinds = [type(each) for joined in trace.joined for each in joined.objects]
    want(*kinds, references=trace.references)


def choice_of_one(
    trace: Trace, item: Any, is_known: Callable[[Any], bool]
) -> tuple[str, Location | None] | None:
    """The name of a copy, or of what a value may be, that may stand for one of the objects that are
    known, and the place where it was joined; None for any other value.
    """
    pending = list(item.options) if type(item) is TaggedUnion else [held_by(item)]
    met = set(map(id, pending))
    while pending:
        made = pending.pop()
        for joined in [each for each in trace.joined if each.copy.made is made]:
            if any(map(is_known, joined.objects)):
                return joined.copy.name, joined.place
            pending += [each for each in joined.objects if id(each) not in met]
            met.update(map(id, joined.objects))
    return None


def check_left(trace: Trace, since: int, left: Sequence[Any], changed: Sequence[Any]) -> None:
    """Raises StagingError where a round leaves, for the next one, what may be an object that rounds
    change in place. What was joined from `since` on is the round's.
    """
    objects, values = set(map(id, changed)), _within(left)
    for joined in trace.joined[since:]:
        if id(joined.copy.made) in values and not objects.isdisjoint(map(id, joined.objects)):
            raise _refuse_alias(trace, joined)


def _within(values: Iterable[Any]) -> set[int]:
    """The ids of values, of all that they may be, and of what is in them."""
    found: set[int] = set()
    pending = [held_by(value) for value in values]
    while pending:
        value = pending.pop()
        if id(value) not in found:  # objects may be in each other
            found.add(id(value))
            pending += map(held_by, _inside(value))
    return found


def _inside(value: Any) -> Iterable[Any]:
    # A list or dict of the graph is asked as Python's: it has no other objects in it.
    if type(value) is TaggedUnion:
        return value.options
    if isinstance(value, list):
        return list.__iter__(value)
    if isinstance(value, dict):
        return dict.values(value)
    found = join_structure_of(value)
    return () if found is None else found[1]


def _state(item: Any) -> Any:
    row = shared_row(item)
    if row is not None:  # each block reads columns of its own
        return StagedRow, (row,)
    found = join_structure_of(item)
    if found is None:
        return None
    structure, children = found
    if isinstance(item, dict) and getattr(structure.keys, "shared", False):
        # A list of the graph has taken it, and has left it as it is.
        structure = replace(structure, keys=replace(structure.keys, shared=False))
    return structure, tuple(children)


def _held_by_list(item: Any) -> Sequence[Any] | None:
    """All that a list of ours has in it; None for what is none."""
    return [*list.__iter__(item)] if isinstance(item, GrowingSequence) else None


def _is_equal(now: Any, before: Any) -> bool:
    if now is None or now[0] != before[0]:
        return False
    return all(x is y for x, y in zip(now[1], before[1], strict=True))


def _refuse_alias(trace: Trace, joined: Joined) -> Exception:
    want_joined(trace)
    want_lists(*joined.objects, references=trace.references)
    want_sites(joined.sites, trace.references)
    if joined.at is not None:
        want_asked(trace.references)
    name, place = joined.copy.name, joined.place
    return refuse(
        f"{name!r} is one of several objects, which the run chooses here, and one of them is "
        "changed in place afterwards: another name for it would not show the change",
        "change a copy, made behind this statement with list(...), dict(...) or copy.copy(...), or "
        "use tensors"
        if joined.at is None
        else "read it anew in the block that changes it, table[i][key] = value; or put another one "
        "there: table[i] = {**table[i], key: value}",
        name,
        place,
    )


def refuse_rebinding(copy: Copy, made: Sequence[Copy], own: str) -> Exception:
    """The refusal of an object that one path changes, under its `own` name, and that the other
    replaces; it may be in another one of those that were `made`.
    """
    name = copy.name
    want(*[type(item) for each in made for item in (each.made, *each.originals)])
    want_lists(copy.made, *copy.originals)
    what, which = map(_shown, (name, own))
    if what == _RESULT or which != what:
        kind = next((each for each in (dict, set, list) if isinstance(copy.made, each)), None)
        copied = "copy.copy" if kind is None else kind.__name__
        return refuse(
            f"{what} is {which.replace(_RESULT, 'an object')} on one path, which is changed in "
            "place there, and something else on the other path",
            f"take a copy there, made behind the changes: {copied}(...)",
            None if which == _RESULT else own,
        )
    return refuse(
        f"{name!r} is changed in place on one path, and is another object on the other",
        "assign a new object on both paths, or change it in place on both",
        name,
    )


_RESULT = "the result"


def _shown(name: str) -> str:
    return _RESULT if name.startswith("return") else repr(name)


def copies(name: str, spec: Spec, made: Any, originals: Sequence[Any]) -> Iterator[Copy]:
    """The containers among what a join made for one name; an original for each path."""
    while isinstance(spec, Optional | Maybe):
        spec, made, originals = spec.inner, made.held, [held_by(item) for item in originals]
    if isinstance(spec, Union):
        found = [_by_kind(item, spec) for item in originals]
        for at, kind in enumerate(spec.kinds):
            yield from copies(name, kind, made.options[at], [each[at] for each in found])
        return
    if not isinstance(spec, Tree):
        return
    if type(made) is Choice:  # of what nobody changes
        return
    if is_container(made) and not is_reference(made):
        inherit_sites(made, originals)
        yield Copy(name, made, [_original(item) for item in originals])
    items = [parts_of(item, len(spec.children)) for item in (made, *originals)]
    for at, child in enumerate(spec.children):
        if isinstance(child, Leaf):
            continue
        parts = [item[at] for item in items]
        yield from copies(f"{name}{spec.structure.path(at)}", child, parts[0], parts[1:])


def _by_kind(item: Any, spec: Union) -> list[Any]:
    is_object = item is not ANYTHING and item is not _ABSENT
    return by_kind(item, spec) if is_object else [item] * len(spec.kinds)


def parts_of(item: Any, count: int) -> Sequence[Any]:
    """Returns the parts of an item for each of `count` children; of another structure, what
    stands for none.
    """
    found = join_structure_of(item)
    if found is None or len(found[1]) != count:
        return [item if item is ANYTHING else _ABSENT] * count
    return found[1]


def _original(item: Any) -> Any:
    return item if item is ANYTHING or is_container(item) else _ABSENT


def held_by(item: Any) -> Any:
    """Returns what an optional value holds."""
    return item.held if isinstance(item, Missing) else item


def watch(
    trace: Trace, made: Sequence[Copy], known: Sequence[Callable[[Any], bool]], since: int
) -> None:
    """Remember those copies whose originals may be known by further names.

    `known` says, for each path, whether an object is older than the path. What was remembered
    since there were `since` of them stood for objects of the paths, and is forgotten.
    """
    inner = {id(joined.copy.made): joined for joined in trace.joined[since:]}
    groups = [[_group(item, inner) for item in copy.originals] for copy in made]
    counts = Counter(
        (path, id(item)) for group in groups for path, each in enumerate(group) for item in each
    )
    found = []
    for copy, group in zip(made, groups, strict=True):
        shared = [
            item
            for path, items in enumerate(group)
            for item in items
            if counts[path, id(item)] > 1 or known[path](item) or is_taken(item)
        ]
        if shared:
            found.append(Joined(copy, shared, user_location()))
    del trace.joined[since:]
    trace.joined.extend(found)


def stand_for(trace: Trace, since: int, known: Mapping[int, Any]) -> None:
    """Remember other objects in what was remembered since there were `since` of them: by the ids of
    those that stood for them.
    """
    for at, joined in enumerate(trace.joined[since:], since):
        if not known.keys().isdisjoint(map(id, joined.objects)):
            others = [known.get(id(each), each) for each in joined.objects[1:]]
            copy = Copy(joined.copy.name, joined.copy.made, others)
            trace.joined[at] = Joined(copy, others, joined.place, joined.at, joined.sites)


def _group(item: Any, inner: dict[int, Joined]) -> list[Any]:
    """An object and what it stands for, and what that stands for."""
    found: dict[int, Any] = {}
    pending = [] if item is _ABSENT else [item]
    while pending:
        each = pending.pop()
        if id(each) not in found:
            found[id(each)] = each
            pending += inner[id(each)].objects if id(each) in inner else ()
    return list(found.values())


def check_identity(trace: Trace, a: Any, b: Any) -> None:
    """Raises StagingError where `a` and `b`, two objects here, may be one in the user's Python."""
    mine, theirs = _stands_for(trace, a), _stands_for(trace, b)
    if a.__class__ is b.__class__ and (mine & theirs or id(ANYTHING) in mine | theirs):
        of_joins = [joined.copy for joined in trace.joined]
        want(type(a))
        want_lists(a, b, *[item for each in trace.joined for item in each.objects])
        name = next(copy.name for copy in of_joins if copy.made is a or copy.made is b)
        raise refuse(
            f"{name!r} is one of several objects, and only the run knows whether it is this one",
            "remember the choice: assign True on one path and False on the other",
            name,
        )


def check_hash(trace: Trace, item: Any) -> None:
    """Raises StagingError for a copy as a key: the user's Python finds the object itself."""
    for joined in trace.joined:
        if joined.copy.made is item:
            want(type(item))
            raise refuse(
                f"{joined.copy.name!r} is one of several objects, which the run chooses, and is a "
                "key of a dict, or in a set",
                "use a number that it has as an attribute as the key",
                joined.copy.name,
            )


def _stands_for(trace: Trace, item: Any) -> set[int]:
    found, pending = {id(item)}, [item]
    while pending:
        made = pending.pop()
        for joined in trace.joined:
            if joined.copy.made is made:
                pending += [each for each in joined.objects if id(each) not in found]
                found.update(map(id, joined.objects))
    return found


def notes(trace: Trace) -> list[Any]:
    """The containers that what is remembered is in: they hold no object for the user."""
    return [
        part
        for joined in trace.joined
        for part in (joined.copy.originals, joined.objects, joined.states)
    ]


def check(trace: Trace, restore: Callable[[], None]) -> None:
    """Raises StagingError, after `restore()`, where something remembered was changed."""
    try:
        for joined in trace.joined:
            joined.check(trace)
            joined.is_past |= joined.at is not None and joined.at[0] is trace.scope
    except ValueError:
        restore()
        raise
