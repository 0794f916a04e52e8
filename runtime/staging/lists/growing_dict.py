"""The dicts that stand for those of the user's while a function is traced, and may become lists of
the graph: where only the run knows a key, or whether an entry is there.

Such a dict is a list of pairs of key and value in the order of insertion.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any, NoReturn, cast

from autograph import register_backend, register_stand_in
from runtime import ops
from runtime.core.tensor import Tensor
from runtime.graph.lists import Elements
from runtime.graph.structures import Handler, Structure, add_handler, structure_of
from runtime.staging.builtin_functions import BUILTINS, known_elements
from runtime.staging.control import branches, iteration, joins, logic
from runtime.staging.control.branches import truth
from runtime.staging.control.carried_objects import Contents, GrowingEntries
from runtime.staging.control.joins import Mismatch, Spec, Tree
from runtime.staging.lists import keys as keys_
from runtime.staging.lists import staged_items
from runtime.staging.lists.dict_entries import (
    Entries,
    covering,
    describe,
    entries_of,
    names,
    pair_spec,
    specs_of,
    specs_of_children,
)
from runtime.staging.lists.growing import Growing, Kind, StagedItems
from runtime.staging.lists.growing_list import GrowingList, ListBackend
from runtime.staging.lists.keys import index, is_staged
from runtime.staging.lists.list_builtins import has_staged, listed
from runtime.staging.lists.sequences import chosen
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Scope, active
from runtime.staging.tracing import is_symbol, unfailing

_ENTRIES = object()
"""The only key of a dict of the graph: under it is a StagedItems."""
_NONE = object()
"""Given for a default value: there is none."""
_WORDS = ("the dict",)


class GrowingDict(dict[Any, Any], Growing):
    """A dict of the user's: Python's own, until only the run knows its keys."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return dict

    # What is in it

    @property
    def staged(self) -> StagedItems | None:
        """The pairs, if they are lists of the graph."""
        return cast(StagedItems | None, dict.get(self, _ENTRIES))

    @property
    def factory(self) -> Callable[[], Any] | None:
        """The function that makes a value that is missing."""
        return None

    def is_plain(self, *given: Any) -> bool:
        """True as long as Python knows the keys, also these."""
        return self.staged is None and not any(map(is_staged, given))

    def length(self) -> Any:
        """The number of its entries: an int, or a staged one."""
        return self.pairs().length()

    def content(self) -> tuple[Entries, list[Any]]:
        """All but the values, and the values; of a staged one the columns."""
        staged = self.staged
        if staged is not None:
            return Entries(None, staged.kind, self.factory), list(staged.columns)
        return Entries(tuple(dict.keys(self)), None, self.factory), list(dict.values(self))

    def fill(self, keys: Entries, children: Iterable[Any]) -> None:
        """Put into it what `content` says."""
        dict.clear(self)
        if keys.kind is not None:
            dict.__setitem__(self, _ENTRIES, StagedItems(keys.kind, children))
            return
        for key, child in zip(keys.known or (), children, strict=True):
            dict.__setitem__(self, key, child)

    def pairs(self) -> GrowingList:
        """The list of its pairs."""
        made = GrowingList()
        staged = self.staged
        if staged is not None:
            made.fill(staged.kind, list(staged.columns))
        else:
            made.fill(dict.__len__(self), list(dict.items(self)))
        return made

    def put(self, pairs: GrowingList) -> None:
        """Have these pairs, which only the run knows, in it."""
        kind, columns = pairs.content()
        assert isinstance(kind, Kind)
        self.fill(Entries(None, kind, self.factory), columns)

    # Asking it

    def __getitem__(self, key: Any) -> Any:
        if self.is_plain(key):
            return dict.__getitem__(self, key)
        found = _Found(self, key)
        return self.missing(key, found)

    def missing(self, key: Any, found: _Found) -> Any:
        """The value under a key; KeyError, at run time, where there is none."""
        found.check(key)
        return found.value()

    def get(self, key: Any, default: Any = None, /) -> Any:
        """The value under a key, or the default value."""
        if self.is_plain(key):
            return dict.get(self, key, default)
        return _Found(self, key).value_or(lambda: default)

    def has(self, key: Any) -> Any:
        """Whether a key is there: a bool, or a staged one."""
        return dict.__contains__(self, key) if self.is_plain(key) else _Found(self, key).is_there

    def __contains__(self, key: object) -> bool:
        if self.is_plain(key):
            return dict.__contains__(self, key)
        raise _refusal("`in` in code that is not converted")

    def __len__(self) -> int:
        if self.staged is None:
            return dict.__len__(self)
        raise _refusal("a length in code that is not converted")

    def __iter__(self) -> Iterator[Any]:
        if self.staged is not None:
            raise _refusal("iteration in code that is not converted")
        return self._forwards()

    def _forwards(self) -> Iterator[Any]:
        for key in dict.__iter__(self):
            if self.staged is not None:
                raise _changed_while_iterated()
            yield key
        if self.staged is not None:
            raise _changed_while_iterated()

    def __reversed__(self) -> Iterator[Any]:
        if self.staged is not None:
            raise _refusal("reversed()")
        return dict.__reversed__(self)

    def __repr__(self) -> str:
        if self.staged is None:
            return dict.__repr__(self)
        raise _refusal("its text")

    def keys(self) -> Any:
        """A view of its keys."""
        return _Keys(self)

    def values(self) -> Any:
        """A view of its values."""
        return _Values(self)

    def items(self) -> Any:
        """A view of its pairs."""
        return _Items(self)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        if self.staged is None and getattr(other, "staged", None) is None:
            return dict.__eq__(self, other)
        return _equal(self, stand_in_for(other))

    def __ne__(self, other: object) -> Any:
        answer = self.__eq__(other)
        if answer is NotImplemented or isinstance(answer, bool):
            return answer if answer is NotImplemented else not answer
        return logic.not_(answer)

    __hash__ = None  # type: ignore[assignment]

    # Changing it

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.is_plain(key):
            dict.__setitem__(self, key, value)
            return
        place = _Found(self, key, all_keys=True).place
        self.stage(pair_spec(keys_.spec_of(key), joins.abstract(value, staged=True)))
        self._write(self.pairs(), place, key, value)

    @unfailing
    def _write(self, pairs: GrowingList, place: Any, key: Any, value: Any) -> None:
        size = pairs.length()
        is_new = place < 0
        at = size if is_new is True else index(ops.where(is_new, size, place))
        if is_new is not True and any(
            map(keys_.is_float, key if isinstance(key, tuple) else (key,))
        ):
            # 0.0 is equal to -0.0, and stays what it is.
            key = branches.cond(is_new, lambda: key, lambda: pairs.at(at)[0], (), ("the key",))
        pairs._write(at, (key, value))
        kind, columns = pairs.content()
        element = kind.element if isinstance(kind, Kind) else None
        known = size + 1 if is_new is True and not is_symbol(size) else None
        self.fill(Entries(None, Kind(element, known), self.factory), columns)

    def _specs(self) -> list[Spec]:
        return specs_of(*self.content())

    def stage(self, *further: Spec) -> None:
        """Have the entries in the graph, with a Spec that covers further ones."""
        try:
            element = covering([*self._specs(), *further])
        except Mismatch as mismatch:
            raise _misfit(mismatch) from None
        pairs = self.pairs()
        size = pairs.length()
        kind = Kind(element, None if is_symbol(size) else size)
        columns = staged_items.columns_of(pairs, element)
        self.fill(Entries(None, kind, self.factory), columns)

    def __delitem__(self, key: Any) -> None:
        if self.is_plain(key):
            dict.__delitem__(self, key)
            return
        found = _Found(self, key, all_keys=True)
        found.check(key)
        self._drop(found.place)

    def _drop(self, place: Any) -> None:
        _check_not_walked(self)
        self.stage()
        pairs = self.pairs()
        pairs.pop(index(place))
        self.put(pairs)

    def pop(self, key: Any, default: Any = _NONE, /) -> Any:
        """Take an entry out, and return its value. KeyError, at run time, where there is none and
        no default value.
        """
        if self.is_plain(key):
            return dict.pop(self, key) if default is _NONE else dict.pop(self, key, default)
        found = _Found(self, key, all_keys=True)
        if default is _NONE:
            found.check(key)
            value = found.value()
            self._drop(found.place)
            return value
        value = found.value_or(lambda: default)
        if found.is_there is True:
            self._drop(found.place)
        elif found.is_there is not False:
            self._changed_where(found.is_there, lambda made: made._drop(found.place))
        return value

    def _changed_where(self, test: Any, change: Callable[[GrowingDict], Any]) -> None:
        """Change it where a test is true."""

        def changed() -> GrowingDict:
            made: GrowingDict = self.copy()
            change(made)
            return made

        made = branches.cond(test, changed, self.copy, (), _WORDS)
        self.fill(*made.content())

    def popitem(self) -> Any:
        """Take the last entry out. KeyError, at run time, where there is none."""
        if self.staged is None:
            return dict.popitem(self)
        size = self.length()

        def fail() -> NoReturn:
            raise KeyError("popitem(): dictionary is empty")

        _fail_where(size == 0, fail)
        pair = self.pairs().at(size - 1)
        self._drop(size - 1)
        return pair

    def clear(self) -> None:
        """Take all entries out."""
        _check_not_walked(self)
        dict.clear(self)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """The value under a key; where there is none, the default value, which is put there."""
        if self.is_plain(key):
            return dict.setdefault(self, key, default)
        found = _Found(self, key)
        if found.is_there is True:
            return found.value()
        value = found.value_or(lambda: default)
        self[key] = value
        return value

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Put entries into it."""
        for key, value in _pairs_of(other, self._put_all):
            self[key] = value
        for key, value in more.items():
            self[key] = value

    def _put_all(self, source: iteration.Staged) -> None:
        def one_more(pair: Any, made: GrowingDict) -> GrowingDict:
            changed: GrowingDict = made.copy()
            key, value = pair
            changed[key] = value
            return changed

        left = iteration.for_loop(source, one_more, (self.copy(),), _WORDS)
        self.fill(*left.content())

    def copy(self) -> Any:
        """Another dict with the same entries."""
        made = _new(type(self), self.factory)
        made.fill(*self.content())
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        import copy

        made = _new(type(self), self.factory)
        keys, children = self.content()
        made.fill(keys, children if self.staged is not None else copy.deepcopy(children, memo))
        return made

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = stand_in_for(other).copy()
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def result(self) -> Any:
        """The dict of the user's, of which Python knows the keys."""
        entries = dict(dict.items(self))
        kind = type(self)
        return defaultdict(self.factory, entries) if self.factory else _OF[kind](entries)

    def exported(self) -> Any:
        """The dict with tensors in place of the numbers that are values."""
        made = _new(type(self), self.factory)
        held = cast(StagedItems, self.staged)
        key, value = held.element.children
        element = Tree(held.element.structure, (key, staged_items.with_tensors(value)))
        columns = staged_items.columns_of(self.pairs(), element)
        made.fill(Entries(None, Kind(element, held.kind.size), self.factory), columns)
        return made


class GrowingDefaultDict(GrowingDict, defaultdict[Any, Any]):
    """A defaultdict of the user's."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return defaultdict

    @property
    def factory(self) -> Callable[[], Any] | None:
        return self.default_factory

    def missing(self, key: Any, found: _Found) -> Any:
        factory = self.factory
        if factory is None or found.is_there is True:
            return super().missing(key, found)
        value = found.value_or(factory)
        self[key] = value
        return value


class GrowingCounter(GrowingDict, Counter[Any]):
    """A Counter of the user's."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Counter

    def missing(self, key: Any, found: _Found) -> Any:
        return found.value_or(lambda: 0)

    def __delitem__(self, key: Any) -> None:
        if self.has(key) is True:
            super().__delitem__(key)
        else:
            self.pop(key, None)

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Count items, or add counts."""
        self._add(other, more, 1)

    def subtract(self, other: Any = (), /, **more: Any) -> None:
        """Take counts away."""
        self._add(other, more, -1)

    def _add(self, other: Any, more: dict[str, Any], sign: int) -> None:
        if isinstance(other, dict):
            counts = [*_pairs_of(other, lambda source: self._count(source, sign, paired=True))]
        else:
            known = _known(other, lambda source: self._count(source, sign, paired=False))
            counts = [(item, 1) for item in known]
        for key, count in (*counts, *more.items()):
            self[key] = self[key] + sign * count

    def _count(self, source: iteration.Staged, sign: int, paired: bool) -> None:
        def one_more(item: Any, made: GrowingCounter) -> GrowingCounter:
            changed: GrowingCounter = made.copy()
            key, count = item if paired else (item, 1)
            changed[key] = changed[key] + sign * count
            return changed

        made = iteration.for_loop(source, one_more, (self.copy(),), _WORDS)
        self.fill(*made.content())

    def most_common(self, n: Any = None) -> Any:
        """The list of pairs, those with the largest counts first."""
        if self.staged is None and not any(map(is_staged, dict.values(self))):
            return Counter.most_common(self, n)
        made = listed(self.items())
        made.sort(key=operator.itemgetter(1), reverse=True)
        return made if n is None else made[:n]

    def total(self) -> Any:
        """The sum of the counts."""
        return BUILTINS[sum](self.values())

    def elements(self) -> Any:
        """Each item as often as it was counted."""
        if self.staged is not None:
            raise _refusal("elements()")
        return Counter.elements(self)


def _counter_operator(name: str) -> Callable[..., Any]:
    own = getattr(Counter, name)

    def method(self: GrowingCounter, *others: Any) -> Any:
        for each in (self, *others):
            if isinstance(each, GrowingDict) and each.staged is not None:
                raise _refusal(f"{name}()")
        made = own(self, *others)
        return stand_in_for(made) if type(made) is Counter else made

    method.__name__ = name
    return method


for _name in (
    *("__add__", "__sub__", "__or__", "__and__", "__pos__", "__neg__"),
    *("__iadd__", "__isub__", "__ior__", "__iand__", "__le__", "__lt__", "__ge__", "__gt__"),
):
    setattr(GrowingCounter, _name, _counter_operator(_name))


class _Found:
    """The entry under a key: its place, -1 where there is none.

    Of a dict that Python knows, only the keys are looked at that may be equal by their kinds;
    `all_keys` for a place among all of them.
    """

    def __init__(self, entries: GrowingDict, key: Any, all_keys: bool = False) -> None:
        self.pairs = entries.pairs()
        self.values: list[Any] | None = None
        spec: Spec | None = None
        keys_.check(key)
        if entries.staged is None:
            items = list(dict.items(entries))
            known = [x for x in items if all_keys or keys_.may_equal(x[0], key)]
            self.values = [value for _, value in known]
            names = [name for name, _ in known]
            if known and any(keys_.may_equal(name, key) for name in names):
                spec = _common([keys_.spec_of(name) for name in names])
                held: Any = GrowingList(names)
                columns, size = staged_items.columns_of(held, spec), len(names)
        else:
            spec = entries.staged.element.children[0]
            count = len(list(joins.types_of(spec)))
            columns, size = list(entries.staged.columns[:count]), entries.length()
        self.place = -1 if spec is None else keys_.place_of(spec, columns, size, key)

    @property
    def is_there(self) -> Any:
        """Whether there is one."""
        return self.place >= 0

    def value(self) -> Any:
        """The value under the key, which is there."""
        if self.values is None:
            return self.pairs.at(self.place)[1]
        return chosen(self.values, ops.maximum(self.place, 0))

    def value_or(self, default: Callable[[], Any]) -> Any:
        """The value under the key, or the default value."""
        if self.is_there is False:
            return default()
        return branches.cond(self.is_there, self.value, default, (), ("the entry",))

    def check(self, key: Any) -> None:
        """Raise KeyError, at run time, where there is none."""

        def fail() -> NoReturn:
            raise KeyError(key)

        _fail_where(
            logic.not_(self.is_there) if is_symbol(self.is_there) else not self.is_there, fail
        )


def _fail_where(test: Any, fail: Callable[[], NoReturn]) -> None:
    if test is True:
        fail()
    elif test is not False:
        branches.cond(test, fail, lambda: None, (), ())


def _common(specs: list[Spec]) -> Spec:
    made = specs[0]
    try:
        for spec in specs[1:]:
            made = joins.join(made, spec)
    except Mismatch as mismatch:
        raise _misfit(mismatch) from None
    return made


def _equal(a: GrowingDict, b: GrowingDict) -> Any:
    def is_there(pair: Any, _: Any) -> Any:
        key, value = pair

        def is_equal() -> Any:
            return truth(logic.equal(b[key], value))

        return logic.and_(b.has(key), (is_equal,))

    def all_there() -> Any:
        source = _Walk(a.items())
        return iteration.for_loop(source, is_there, (True,), ("the result of ==",), lambda x: x)

    sizes = a.length() == b.length()
    if dict.__len__(a) == 0 or dict.__len__(b) == 0:
        return sizes
    a = a.copy()
    a.stage()
    return logic.and_(sizes, (all_there,))


def _pairs_of(other: Any, put_all: Callable[[iteration.Staged], None]) -> Iterable[Any]:
    """The pairs of a dict or of something iterable; `put_all` takes those that only the run
    counts.
    """
    if hasattr(other, "keys"):
        names = other.keys()
        other = other.items() if isinstance(other, dict) else [(k, other[k]) for k in names]
    return _known(other, put_all)


def _known(items: Any, take_all: Callable[[iteration.Staged], None]) -> Iterable[Any]:
    """The items of something iterable; `take_all` takes those that a loop of the graph gives."""
    source = iteration.staged(items)
    if source is None:
        return cast(Iterable[Any], items)
    known = known_elements(source)
    if known is None:
        take_all(source)
    return known or ()


# Views


class _View:
    """A view of a dict of the user's, of which `part` gives what is shown of a pair."""

    __slots__ = ()
    _mapping: Any

    @staticmethod
    def part(pair: Any) -> Any:
        """The part of a pair of key and value that is shown."""
        return pair

    def __repr__(self) -> str:
        if self._mapping.staged is not None:
            raise _refusal("its text")
        return f"{type(self).__name__}({list(cast(Any, self))!r})"


class _Keys(_View, KeysView[Any]):
    __slots__ = ()
    part = operator.itemgetter(0)  # type: ignore[assignment]


class _Values(_View, ValuesView[Any]):
    __slots__ = ()
    part = operator.itemgetter(1)  # type: ignore[assignment]


class _Items(_View, ItemsView[Any, Any]):
    __slots__ = ()


class _Walk(iteration.Staged):
    """The entries that a loop over a dict takes; the size may not change meanwhile."""

    __slots__ = ("entries", "part", "size", "start")

    def __init__(self, view: Any) -> None:
        self.entries: GrowingDict = view._mapping
        self.part = view.part
        self.start = self.entries.staged
        self.size = self.entries.length()

    @property
    def varies(self) -> bool:
        return True

    @property
    def streams(self) -> bool:
        return True

    def has(self, index: Any) -> Any:
        if self.entries.staged is not self.start:
            _fail_where(self.entries.length() != self.size, _fail_for_size)
        return index < self.size

    def length(self) -> Any:
        return self.size

    def at(self, index: Any) -> Any:
        scope = active().scope
        walked = active().memo.setdefault((_Walk, id(scope)), (scope, []))[1]
        if not any(each is self.entries for each in walked):
            walked.append(self.entries)
        return self.part(self.entries.pairs().at(index))


def _fail_for_size() -> NoReturn:
    raise RuntimeError("dictionary changed size during iteration")


def _check_not_walked(entries: GrowingDict) -> None:
    """StagingError where a loop that is being traced runs over the dict."""
    scope: Scope | None = active().scope
    while scope is not None:
        _, walked = active().memo.get((_Walk, id(scope)), (scope, ()))
        if any(each is entries for each in walked):
            raise _changed_while_iterated()
        scope = scope.outer


class _ViewBackend(ListBackend):
    def stages(self, value: Any) -> bool:
        return value._mapping.staged is not None


def _walk(view: Any) -> _Walk | None:
    return None if view._mapping.staged is None else _Walk(view)


# Specs and structures


def _misfit(mismatch: Mismatch) -> Exception:
    return refuse(
        f"the entries of a dict of which only the run knows the keys do not fit together: "
        f"{mismatch}",
        mismatch.hint,
    )


def _refusal(what: str) -> Exception:
    return refuse(
        f"{what} needs a dict of which Python knows the keys; which are in this one only the run "
        "knows",
        "use items, get, setdefault, pop, in, len, keys, values and `for`",
    )


def _changed_while_iterated() -> Exception:
    return refuse(
        "a round of a loop over a dict changes its keys, or has only the run know them",
        "loop over a list of them: for key in list(d)",
    )


def _flatten(item: Any) -> tuple[Any, Any]:
    return (item.keys, item.children) if isinstance(item, Contents) else item.content()


def _build(kind: Any, keys: Entries, children: Any) -> Any:
    if kind is GrowingEntries:
        return GrowingEntries(keys, children)
    if children and isinstance(children[0], Elements):
        return _result(kind, keys, children)
    made = _new(kind, keys.factory)
    made.fill(keys, children)
    return made


def _result(kind: type[GrowingDict], keys: Entries, columns: Any) -> Any:
    rows = zip(*[column.items for column in columns], strict=True)
    element = cast(Kind, keys.kind).element
    pairs = [joins.restored(element, iter(row), staged_items.item_of_result) for row in rows]
    found = {_hashable(key): staged_items.as_result(value) for key, value in pairs}
    return defaultdict(keys.factory, found) if kind is GrowingDefaultDict else _OF[kind](found)


def _hashable(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_hashable, key))
    return key.numpy().item() if isinstance(key, Tensor) else key


def _new(kind: type[GrowingDict], factory: Any) -> Any:
    made = kind.__new__(kind)
    if isinstance(made, GrowingDefaultDict):
        made.default_factory = factory
    return made


def _widen(a: Tree, b: Tree) -> Tree:
    kinds = {GrowingDict if x.structure.kind is dict else x.structure.kind for x in (a, b)}
    entries = [entries_of(each) for each in (a, b)]
    if len(kinds) != 1 or entries[0].factory is not entries[1].factory:
        raise Mismatch(
            f"the structures differ: {a.structure} and {b.structure}", "make a dict on both paths"
        )
    kind = kinds.pop()
    if entries[0] == entries[1] and entries[0].known is not None:
        pairs = zip(a.children, b.children, strict=True)
        return Tree(
            Structure(kind, entries[0], _HANDLER), tuple([joins.join(x, y) for x, y in pairs])
        )
    specs = [
        spec
        for each, keys in zip((a, b), entries, strict=True)
        for spec in specs_of_children(keys, each.children)
    ]
    element = covering(specs)
    sizes = {len(x.known) if x.known is not None else cast(Kind, x.kind).size for x in entries}
    size = sizes.pop() if len(sizes) == 1 else None
    made = staged_items.tree(list, element, size)
    return Tree(
        Structure(kind, Entries(None, Kind(element, size), entries[0].factory), _HANDLER),
        made.children,
    )


def _fit(item: Any, structure: Structure) -> Any:
    keys: Entries = structure.keys
    if keys.known is not None:
        return cast(Any, structure_of(item))[1]
    pairs = GrowingList()
    held, children = cast(Any, structure_of(item))
    held = held.keys if isinstance(held.keys, Entries) else Entries(tuple(held.keys))
    if held.known is None:
        pairs.fill(held.kind, children)
    else:
        pairs.fill(len(held.known), list(zip(held.known, children, strict=True)))
    return staged_items.columns_of(pairs, cast(Kind, keys.kind).element)


_HANDLER = Handler(_flatten, _build, "[{}]", names, describe=describe, widen=_widen, fit=_fit)

# Making them


def stand_in_for(made: Any) -> Any:
    """The stand-in for a dict, defaultdict or Counter that was just made."""
    kind = _STAND_INS.get(type(made))
    if kind is None:
        return made
    grown = _new(kind, getattr(made, "default_factory", None))
    dict.update(grown, made)
    return grown


def _dict(items: Any = (), /, **more: Any) -> Any:
    made = GrowingDict()
    made.update(items, **more)
    return made


def _counter(items: Any = (), /, **more: Any) -> Any:
    made = _new(GrowingCounter, None)
    made.update(items, **more)
    return made


def dict_function(function: Any) -> Callable[..., Any] | None:
    """The function for `dict` and `Counter`, which may be given what only the run knows; None for
    others.
    """
    if type(function) is not type or function not in _MAKING:
        return None

    def make(*args: Any, **kwargs: Any) -> Any:
        staged = args and has_staged(args[0])
        return (_MAKING if staged else {}).get(function, function)(*args, **kwargs)

    return make


_MAKING: dict[type, Callable[..., Any]] = {dict: _dict, Counter: _counter}
_OF: dict[type, Any] = {
    GrowingDict: dict, GrowingDefaultDict: defaultdict, GrowingCounter: Counter,
}  # fmt: skip
_STAND_INS = {of: kind for kind, of in _OF.items()}


def _in(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    if isinstance(container, _Keys):
        container = container._mapping
    if isinstance(container, GrowingDict):
        return container.has(item)
    source = iteration.staged(container) if isinstance(container, _View) else None
    return own(container if source is None else source, item)


def _of_view(own: Callable[..., Any], value: Any) -> Any:
    return own(value._mapping if isinstance(value, _View) else value)


_contains, _length = BUILTINS[operator.contains], BUILTINS[len]
BUILTINS[operator.contains] = lambda container, item: _in(_contains, container, item)
BUILTINS[len] = lambda value: _of_view(_length, value)
_backend, _views = ListBackend(), _ViewBackend()
for _kind, _of in _OF.items():
    _kind.__name__ = _kind.__qualname__ = _of.__name__  # as Python's own messages name it
    register_backend(_kind, _backend)
    register_stand_in(_kind, _of)
    iteration.register_sequence(_kind, lambda entries: _walk(entries.keys()))
    add_handler(_kind, _HANDLER)
for _view, _of in (
    (_Keys, type({}.keys())), (_Values, type({}.values())), (_Items, type({}.items())),
):  # fmt: skip
    register_backend(_view, _views)
    register_stand_in(_view, _of)
    iteration.register_sequence(_view, _walk)
add_handler(GrowingEntries, _HANDLER)
