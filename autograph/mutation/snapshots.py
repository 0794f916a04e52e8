"""Side effects: the changes that code makes to Python objects within its reach.

A `Snapshot` remembers the state of the mutable objects reachable from some roots, tells later what
has changed, and can put it back. Elements are compared by identity, and no code of the user's runs.

Compared are lists, dicts, sets, deques, bytearrays (also of subclasses) and memoryviews, attributes
and slots of instances, attributes of the user's classes, arguments of exceptions, contexts and
their variables, arrays and buffers by content, and of functions the cells, defaults and attributes,
the globals that they name, and what they name of the user's modules. Tuples, frozensets, slices,
views of dicts, bound methods and partial functions are immutable, but lead to other objects. A
function that is a method or a global variable is not searched, unless Python calls it implicitly
(operators, properties). For generators and Python's own iterators, the position is compared; it
cannot be put back. Instances of classes of the standard library and of installed packages are
searched as far as their state is in attributes, up to a number of objects; `Snapshot.unseen` tells
what is left out.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple

from autograph.backend import GlobalVariable
from autograph.mutation.foreign import LOCKS
from autograph.mutation.functions import Unconverted
from autograph.mutation.iterators import IteratorKind
from autograph.mutation.kind_table import FOREIGN, is_hidden, kinds_of
from autograph.mutation.kinds import Kind
from autograph.mutation.ownership import notes_taken, unheld
from autograph.mutation.paths import Path, named, render
from autograph.mutation.variables import Named
from autograph.objects import MISSING, functions_in, namespace_of
from autograph.users_words import with_article

__all__ = ["MISSING", "Change", "Snapshot"]

_CODE = (FunctionType, Unconverted)
_STANDING_FOR = (Unconverted, Named)
DEPTH = 10
ELEMENTS = 100_000
ARRAY_BYTES = 1 << 24
FOREIGN_ELEMENTS = 50_000
"""Of objects of installed packages, which may lead to all that a package has."""


class Change(NamedTuple):
    """One difference.

    Attributes:
        path: where, as the user would write it: `self.count`, `cache['k']`, `xs[2]`, `len(xs)`.
        object: the object that changed; of a captured variable its cell, of a global one the
            `GlobalVariable`.
        before: what was there, or `MISSING`.
        after: what is there now, or `MISSING`.
        is_fixed: whether Python itself reads what has changed: the class of an object, a method
            for an operator.
    """

    path: str
    object: Any
    before: Any
    after: Any
    is_fixed: bool


class _Entry(NamedTuple):
    kind: Kind
    value: Any
    state: Any
    path: Path
    late: bool
    lent: bool


class Snapshot:
    """The state of what is reachable from `roots` now.

    Args:
        roots: values by the names that the user knows them by. What a function can reach goes by
            the names that it has there.
        depth: how deep objects may be nested.
        elements: how many elements and objects are looked at in all.
        array_bytes: the size of an array that is compared by content.
        outer: another snapshot, which is to look at the global variables that this one reaches.
        around: another one, of a block around: what both look at later is remembered once.
        earlier: another one; what that knows as it was then, this one does not look at.
        made: the ids of objects that are new, which it does not look at either.

    Attributes:
        beyond: paths, with the reason, of what lies beyond these bounds and was not looked at.
    """

    def __init__(
        self,
        roots: Mapping[str, Any],
        *,
        depth: int = DEPTH,
        elements: int = ELEMENTS,
        array_bytes: int = ARRAY_BYTES,
        outer: Snapshot | None = None,
        around: Snapshot | None = None,
        earlier: Snapshot | None = None,
        made: Collection[int] = (),
    ) -> None:
        self.beyond: list[str] = []
        self._outer = outer
        self._around = around
        self._known: Container[Any] = () if earlier is None else earlier._entries
        self._made = made
        self._depth = depth
        self._elements = self._left = elements
        self._foreign_left = FOREIGN_ELEMENTS
        self._array_bytes = array_bytes
        self._entries: dict[Any, _Entry] = {}
        self._kinds: dict[type, tuple[Kind, ...]] = {}
        self._late = False
        for name, value in roots.items():
            self.add(name, value)
        self._late = True

    def add(self, name: str, value: Any) -> None:
        """Look at a further root; what was looked at before keeps the state that it had then."""
        self._reach(deque([(value, (None, named, name), 0, False)]))

    def unseen(self, name: str, value: Any, known: Container[int] = ()) -> str | None:
        """Look at an object too; the path of what it leads to and nobody can look at, if any.

        Args:
            known: the ids of objects that do not matter.
        """
        self._foreign_left = FOREIGN_ELEMENTS
        self.add(name, value)
        if isinstance(value, LOCKS):
            return name
        met: set[int] = set()
        pending: deque[tuple[Any, Path]] = deque([(value, (None, named, name))])
        while pending:
            item, path = pending.popleft()
            kind = type(item)
            if id(item) in met or id(item) in known or kind in LOCKS:
                continue
            met.add(id(item))
            if is_hidden(kind):
                return render(path)
            for found in kinds_of(kind):
                key = found.key(item)
                if key not in self._entries:  # beyond the bounds of what led to it
                    self._reach(deque([(item, path, 0, True)]))
                entry = self._entries.get(key)
                if entry is None:
                    return render(path)
                parts = found.parts(item, entry.state)
                pending.extend((child, (path, style, part)) for style, part, child in parts)
        return None

    def _reach(self, pending: deque[tuple[Any, Path, int, bool]]) -> None:
        entries = self._entries
        known = self._kinds
        while pending:
            value, path, depth, foreign = pending.popleft()
            if id(value) in self._made:
                continue
            cls = type(value)
            kinds = known.get(cls)
            if kinds is None:
                kinds = known[cls] = kinds_of(cls)
            for kind in kinds:
                key = kind.key(value)
                lent = foreign or kind is FOREIGN
                if key in entries or key in self._known:
                    continue
                if not self._within(kind, value, path, depth, lent):
                    continue
                entry = self._shared(key, lent)
                if entry is None:
                    entry = _Entry(kind, value, kind.take(value), path, self._late, lent)
                entries[key], state = entry, entry.state
                if cls is GlobalVariable and self._outer is not None:
                    self._outer.add(render(path), value)
                if value is sys.modules:
                    continue  # of the modules in it, it is looked at what code names
                # What code leads to is not nested in what leads to the code.
                below = 0 if cls in _CODE else depth + 1
                for style, part, child in kind.parts(value, state):
                    pending.append((child, (path, style, part), below, lent))

    def _shared(self, key: Any, lent: bool) -> _Entry | None:
        """The entry of the snapshot around for an object that is as it was there, if it is held
        alike: what an installed package has `lent` is told apart.
        """
        entry = None if self._around is None or not self._late else self._around._entries.get(key)
        if entry is None or not entry.late or entry.lent != lent:
            return None
        return entry if entry.kind.same(entry.value, entry.state) else None

    def close(self) -> None:
        """Ask and tell no other snapshot from now on: they hold other objects."""
        self._outer = self._around = None

    @property
    def is_full(self) -> bool:
        """Whether it looks at nothing further: there are too many elements and objects."""
        return self._left < 0

    def knows(self, value: Any) -> bool:
        """True if this mutable object was reached."""
        return any(kind.key(value) in self._entries for kind in kinds_of(type(value)))

    def held(self, function: FunctionType) -> bool:
        """True if a variable, or a class, had this function when it was looked at."""
        for entry in self._entries.values():
            if entry.state is function or entry.value is function:
                return True
            if isinstance(entry.value, type):
                members = entry.state.values()
                if any(function in functions_in(member) for member in members):
                    return True
        return False

    def led_to(self, value: Any) -> bool:
        """True if the roots led to this mutable object."""
        found = [self._entries.get(kind.key(value)) for kind in kinds_of(type(value))]
        return any(entry is not None and not entry.late for entry in found)

    def release(self, results: tuple[Any, ...]) -> None:
        """Forget what was looked at later than the roots, and is held by now only by `results` and
        by objects that did not hold it then.

        Such objects were made since, or are gone: their changes concern nobody else.
        """
        entries = self._entries.values()
        is_same = all(entry.kind.same(entry.value, entry.state) for entry in entries if entry.late)
        if is_same and not self._are_late(results):
            return
        late = self.notes()
        # Snapshots of blocks in each other have entries in common.
        notes = list({id(each): each for each in (*late, self._made, *notes_taken())}.values())
        # What was made is looked into, though it has no state that is compared.
        states: dict[int, list[_Entry]] = {key: [] for key in self._made}
        for entry in notes:
            if type(entry) is _Entry:
                states.setdefault(id(entry.value), []).append(entry)
        changed = {id(x.value): x.value for x in self._changed() if id(x.value) not in states}
        own = unheld([results, *notes, *changed.values()], states, self._put_since())
        for entry in late:
            if id(_subject(entry.value)) in own:
                del self._entries[entry.kind.key(entry.value)]

    def _are_late(self, results: tuple[Any, ...]) -> bool:
        """Whether the results are, or hold, what was looked at later than the roots."""
        met: dict[int, Any] = {}
        pending = list(results)
        while pending:
            item = pending.pop()
            if id(item) in met or type(item) in _CODE:
                continue
            met[id(item)] = item
            for kind in kinds_of(type(item)):
                entry = self._entries.get(kind.key(item))
                if entry is not None and entry.late:
                    return True
                pending += [child for *_, child in kind.parts(item, kind.take(item))]
        return False

    def classes(self) -> set[type]:
        """The classes of all that was looked at."""
        return {type(entry.value) for entry in self._entries.values()}

    def forget(self, value: Any) -> None:
        """Forget an object, which was made since it was looked at, and what was in it."""
        for kind in kinds_of(type(value)):
            self._entries.pop(kind.key(value), None)

    def notes(self) -> list[_Entry]:
        """The entries of what was looked at later than the roots."""
        entries = self._entries.values()
        return [
            entry for entry in entries if entry.late and type(entry.value) is not GlobalVariable
        ]

    def changes(self, is_new: Callable[[Any], bool] | None = None) -> list[Change]:
        """Returns what is different now, in the order in which it was looked at; not in objects of
        which `is_new` says that they were made since.
        """
        return [
            Change(
                render((entry.path, style, key)),
                entry.kind.holder(entry.value),
                before,
                after,
                is_fixed=entry.kind.is_fixed(key),
            )
            for entry in self._changed()
            if is_new is None or not is_new(entry.value)
            for style, key, before, after in entry.kind.differences(entry.value, entry.state)
        ]

    def altered(self) -> Iterator[tuple[str, Any, Any, bool]]:
        """Yields the path of each object that is different now, the object, the state that it had,
        and whether an object of an installed package holds it.
        """
        for entry in self._changed():
            yield render(entry.path), entry.value, entry.state, entry.lent

    def restore(
        self,
        holding: Callable[[Any], bool] | None = None,
        is_new: Callable[[Any], bool] | None = None,
    ) -> None:
        """Put back what was there; with `holding`, in objects that hold now what it is true of, and
        not in those of which `is_new` says that they were made since.
        """
        for entry in self._changed():
            kind, value = entry.kind, entry.value
            if is_new is not None and is_new(value):
                continue
            if holding is None or any(holding(x) for *_, x in kind.parts(value, kind.take(value))):
                kind.put(value, entry.state)

    def renew(self, value: Any) -> None:
        """Take an object for what it is now, and what is in its containers and in the objects of
        installed packages that it leads to.
        """
        met: set[Any] = set()
        pending = [value]
        while pending:
            item = pending.pop()
            for kind in kinds_of(type(item)):
                key = kind.key(item)
                entry = self._entries.get(key)
                is_part = entry is not None and (entry.lent or isinstance(item, list | dict | set))
                if entry is None or key in met or not (is_part or item is value):
                    continue
                met.add(key)
                state = kind.take(item)
                self._entries[key] = entry._replace(state=state)
                pending += [child for *_, child in kind.parts(item, state)]

    def advanced(self) -> str | None:
        """The path of an iterator that stands elsewhere now, where it cannot be put back."""
        paths = (entry.path for entry in self._changed() if isinstance(entry.kind, IteratorKind))
        path = next(paths, None)
        return None if path is None else render(path)

    def _changed(self) -> list[_Entry]:
        entries = self._entries.values()
        return [entry for entry in entries if not entry.kind.same(entry.value, entry.state)]

    def _put_since(self) -> dict[int, set[int]]:
        """By the id of what is different now, the ids of what it did not hold before."""
        found: dict[int, set[int]] = {}
        for kind, value, state, *_ in self._changed():
            before, now = (
                {id(child) for *_, child in kind.parts(value, each)}
                for each in (state, kind.take(value))
            )
            for holder in (value, namespace_of(value)):
                found.setdefault(id(holder), set()).update(now - before)
        return found

    def _within(self, kind: Kind, value: Any, path: Path, depth: int, foreign: bool) -> bool:
        size = kind.bytes(value)
        if foreign:
            self._foreign_left -= kind.size(value)
            return depth <= self._depth and self._foreign_left >= 0 and size <= self._array_bytes
        self._left -= kind.size(value)
        if depth > self._depth:
            reason = f"is nested more than {self._depth} deep"
        elif self._left < 0:
            reason = f"is beyond the first {self._elements} objects and items"
        elif size > self._array_bytes:
            reason = f"has {size} bytes"
        else:
            return True
        self.beyond.append(f"{render(path)}, {with_article(type(value).__qualname__)}, {reason}")
        return False


def _subject(value: Any) -> Any:
    """The object whose holders count: of what a snapshot makes for a function, that function."""
    return value.function if type(value) in _STANDING_FOR else value
