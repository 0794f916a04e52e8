"""The symbols whose tensors share memory in the user's Python, certainly or possibly.

    view    `r = m[i]`: a change of one is a change of the other.
    may be  `z = a if t else b`: known at run time only; and rows that were stored in a matrix:
            lists and arrays differ in whether they share.

This module records these links and answers queries; `item_assignments` and `eager_assignments`
apply changes to what shares memory with a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, WeakValueDictionary, ref

from runtime.core.tensor import EagerTensor
from runtime.graph.ir import Node, Value
from runtime.staging.frames import path_holding, variable_called, variable_holding
from runtime.staging.scopes import Change, Scope, Stale

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace

Base = tuple[Any, tuple[Any, ...], tuple[Any, ...]]
"""A symbol with the parts of an index: numbers, and symbols for those that only the run knows."""

Symbols = MutableMapping[int, Any]
"""Symbols by their identities."""

NOBODY: Symbols = WeakValueDictionary()
"""Stands where no symbol was added yet: most links are to one other symbol."""


class Links:
    """The symbols that share the memory of one.

    `base` is what it is a view of, and `views` are views of it. `may_be` are the symbols that it
    may be identical to, and `copies` is the inverse; `part_of` are symbols that it may be some rows
    of, and `parts` is the inverse. References to origins are strong: two symbols may have one
    origin in common.

    `rows` are further views of an eager tensor, by row number: those of one row (their `row`) that
    have no links of their own. Only a change of that row visits them.
    """

    __slots__ = (
        *("apart", "base", "copies", "holder", "may_be", "part_of", "parts", "renew", "row"),
        *("rows", "views"),
    )

    def __init__(self) -> None:
        self.base: Base | None = None
        self.views = NOBODY
        self.row: int | None = None
        self.rows: dict[int, list[ReferenceType[Any]]] = {}
        self.may_be = NOBODY
        self.copies = NOBODY
        self.part_of = NOBODY
        self.parts = NOBODY
        self.holder: str | None = None
        # Other symbols that it is never identical to, though both may be a third one.
        self.apart: Sequence[Any] = ()
        # What looks up the value of an eager tensor that another name has changed.
        self.renew: Any = None


def links_of(item: Any) -> Links | None:
    """Returns the links of a symbol, if anything shares its memory."""
    return getattr(item, "links", None)


def linked(item: Any) -> Links:
    """Returns the links of a symbol, to be changed."""
    found = links_of(item)
    if found is None:
        found = item.links = Links()
    return found


def join(item: Any) -> None:
    """Move a view of one row from `rows` to `views`, since it is about to get links of its own."""
    links = links_of(item)
    if links is not None and links.row is not None:
        set_base(item, links.base)


def _joined(item: Any) -> Links:
    """Returns the links of a symbol, to be added to."""
    join(item)
    return linked(item)


class _Everywhere:
    """Stands for the scope of eager tensors, which are never out of reach."""

    open = True
    trace = None


_EVERYWHERE: Any = _Everywhere()


def home(item: Any) -> Scope:
    """The scope that a symbol belongs to."""
    if isinstance(item, EagerTensor):
        return _EVERYWHERE  # type: ignore[no-any-return]
    scope: Scope = item.scope
    return scope.home if type(scope) is Stale else scope


# Noting it


def view(trace: Trace, base: Any, made: Any, key: Any) -> None:
    """`made = base[key]` was computed: note what it shares with `base`.

    A slice of numbers is a copy, as that of a list; that of an array shares them.
    """
    if made.static_shape == () or not trace.scope.nodes:
        return
    node = trace.scope.nodes[-1]
    if node.outputs != (made.graph_value,):
        return
    if hasattr(base, "scope"):
        _view_of_symbol(base, made, key, node, trace)
    else:
        hold(made, from_outside(trace))


def _view_of_symbol(base: Any, made: Any, key: Any, node: Node, trace: Trace) -> None:
    holder = holder_of(trace, base)
    if holder is not None:
        hold(made, holder)
    elif type(key) is not slice or base.is_array:
        own = [_symbol(value, made) for value in node.inputs[1:]]
        set_base(made, (base, node.params["spec"], tuple(own)))
    elif base.static_shape is None or len(base.static_shape) > 1:
        may_be(made, base)


def _symbol(value: Value, like: Any) -> Any:
    return type(like)(value, like.scope, like.origin)


def _add(links: Links, kind: str, item: Any) -> None:
    if getattr(links, kind) is NOBODY:
        setattr(links, kind, {} if kind in ("may_be", "part_of") else WeakValueDictionary())
    getattr(links, kind)[id(item)] = item


def set_base(item: Any, base: Base | None, row: int | None = None) -> None:
    """Make a symbol a view of another, or of none; an eager tensor perhaps one row of it."""
    links = linked(item)
    if links.base is not None:
        former = linked(links.base[0])
        if links.row is None:
            del former.views[id(item)]
        else:
            rows = former.rows
            rows[links.row] = [each for each in rows[links.row] if each() is not item]
    if row is not None and base is not None:
        _add_row(linked(base[0]).rows, row, item)
    elif base is not None:
        _add(_joined(base[0]), "views", item)
    links.base, links.row = base, row


def _add_row(rows: dict[int, list[ReferenceType[Any]]], row: int, item: Any) -> None:
    same = rows.get(row, [])
    if len(same) & (len(same) - 1) == 0:  # at powers of two: each is looked at twice, or is gone
        same = rows[row] = [each for each in same if each() is not None]
    same.append(ref(item))


def may_be(item: Any, original: Any) -> None:
    """Note that `item` may be `original`."""
    if root_of(item) is not root_of(original):
        _add(_joined(item), "may_be", original)
        _add(_joined(original), "copies", item)


def may_be_part(item: Any, original: Any) -> None:
    """Note that `item` may be some rows of `original`."""
    if root_of(item) is not root_of(original):
        _add(_joined(item), "part_of", original)
        _add(_joined(original), "parts", item)


ARRAY = "a NumPy array that another variable or object sees"
"""Holds the symbol that stands for such an array."""
OF_TENSOR = "memory of a tensor, to which NumPy writes nothing"
"""Holds the array that NumPy makes of a tensor without a copy."""
READ = "an array that NumPy gives to be read"
"""Holds what may be such an array."""
READ_ONLY = "assignment destination is read-only"
"""Holds an array that NumPy gives to be read, as `m.diagonal()`: its error for an assignment."""


def tell_apart(items: Sequence[Any]) -> None:
    """Note that no two of these symbols are one."""
    for item in items:
        linked(item).apart = items


def hold(item: Any, holder: str) -> None:
    """Note that a tensor is, or is in, something that an assignment to its items cannot change."""
    _joined(item).holder = holder


# Asking for it


def are_other_rows(item: Any, other: Any) -> bool:
    """Whether two symbols are rows of one, or parts of them, at places that are known to differ,
    and may be nothing else.
    """
    places = [_row_place(each) for each in (item, other)]
    if None in places:
        return False
    (base, at), (known, place) = places  # type: ignore[misc]
    return base is known and at != place and (at < 0) == (place < 0)


def _row_place(item: Any) -> tuple[Any, int] | None:
    """The matrix of which a symbol is a row and nothing else, and its place there, where known."""
    links = links_of(item)
    if links is None or links.base is None or links.holder is not None:
        return None
    if any(
        found is not NOBODY for found in (links.may_be, links.copies, links.part_of, links.parts)
    ):
        return None
    base, spec, _ = links.base
    return (base, spec[0]) if spec and type(spec[0]) is int else None


def ids(items: Iterable[Any]) -> set[int]:
    """The identities of symbols, which `==` does not compare."""
    return set(map(id, items))


def _alive(found: Iterable[Symbols]) -> Iterator[Any]:
    for symbols in found:
        if symbols is not NOBODY:
            yield from list(symbols.values())


def _open(found: Iterable[Any]) -> list[Any]:
    """Those that are in scope: a block's own are not, behind it, but lead to some that are."""
    return [item for item in found if home(item).open]


def note_views(item: Any) -> None:
    """Note the views of an eager tensor that were read since they were last asked for."""
    lent = getattr(item, "lent", None)
    if lent:
        lent.note()


def views(item: Any) -> list[Any]:
    """The views of a symbol."""
    joined = _joined_views(item)
    links = links_of(item)
    return joined if links is None else [*joined, *_rows_in(list(links.rows.values()))]


def views_at(item: EagerTensor, rows: range | None) -> list[Any]:
    """The views of an eager tensor, of those in `rows` only the ones of these rows (None: all)."""
    if rows is None:
        return views(item)
    joined = _joined_views(item)
    links = links_of(item)
    return joined if links is None else [*joined, *_rows_in(map(links.rows.get, rows))]


def _rows_in(found: Iterable[list[ReferenceType[Any]] | None]) -> Iterator[Any]:
    for each in chain.from_iterable(filter(None, found)):
        view = each()
        if view is not None:
            yield view


def _joined_views(item: Any) -> list[Any]:
    note_views(item)
    links = links_of(item)
    if links is None or links.views is NOBODY:
        return []
    found = list(links.views.values())
    return found if isinstance(item, EagerTensor) else _open(found)  # those are always in scope


def views_below(item: Any, views: Callable[[Any], list[Any]] = views) -> list[Any]:
    """The views of a symbol, and theirs."""
    found, pending = [], views(item)
    while pending:
        found.append(pending.pop())
        pending += views(found[-1])
    return found


def bases(item: Any) -> Iterator[Any]:
    """Yields what a symbol is a view of, and what that is a view of, to the last."""
    while (links := links_of(item)) is not None and links.base is not None:
        item = links.base[0]
        yield item


def root_of(item: Any) -> Any:
    """Returns the last of the bases of a symbol: itself, if it is a view of none."""
    *_, root = item, *bases(item)
    return root


def family(item: Any) -> list[Any]:
    """Returns what shares memory with a symbol for certain: what it is a view of, and all views of
    that.
    """
    root = root_of(item)
    return [root, *views_below(root)]


def joined_family(item: Any) -> list[Any]:
    """The family of a symbol without the views in `rows`, but with the bases of the symbol."""
    *own, root = item, *bases(item)
    return [
        root,
        *views_below(root, _joined_views),
        *(each for each in own if linked(each).row is not None),
    ]


def relatives(item: Any) -> list[Any]:
    """Returns what shares memory with a symbol, or may: itself among them."""
    return [each for each in all_relatives(item) if each is item or home(each).open]


def all_relatives(item: Any) -> list[Any]:
    """The relatives of a symbol, with those that are out of scope."""
    found: dict[int, Any] = {}
    pending, root = [item], root_of(item)
    others = ids(linked(root).apart) - {id(root)} if links_of(root) is not None else ()
    while pending:
        each = pending.pop()
        if id(each) not in found and id(root_of(each)) not in others:
            found[id(each)] = each
            pending += family(each)
            links = links_of(each)
            if links is not None:
                pending += _alive([*_wholes(links), *_parts(links)])
    return list(found.values())


def changed_with(item: Any) -> list[Any]:
    """Returns what an assignment to items of a symbol changes, or may change."""
    if links_of(item) is None:
        return [item]
    own = joined_family(item)
    return [*own, *_reached(own, _wholes)]


def sources(item: Any) -> list[Any]:
    """Returns what a symbol of a block stands for behind the block: itself, or what it is a part
    of.
    """
    return [item] if home(item).open else _open(changed_with(item))


def holders_of(item: Any) -> list[str]:
    """Returns what holds a symbol of a block, or what that shares its memory with, of which behind
    the block only this is known.
    """
    closed = [each for each in changed_with(item) if not home(each).open]
    found = [links.holder for each in closed if (links := links_of(each)) is not None]
    return [READ if holder is READ_ONLY else holder for holder in found if holder is not None]


def may_show(item: Any, change: Change) -> list[Any]:
    """Returns what may show a change of a symbol, beside its family, which does."""
    own = joined_family(item)
    # Rows that others take the place of are what they were.
    wholes, parts = (_wholes, _parts) if Change.ITEMS in change else (_may_be, _copies)
    origins = _reached(own, wholes)
    found = [*origins, *_reached([*own, *origins], parts)]
    root = root_of(item)
    others = ids((root, *linked(root).apart))
    return [each for each in found if id(root_of(each)) not in others]


def copies_of(items: Sequence[Any]) -> list[Any]:
    """Returns what may be one of these symbols, or shares its rows, as a slice does."""
    return _reached(items, _copies)


def _reached(items: Sequence[Any], which: Callable[[Links], Sequence[Symbols]]) -> list[Any]:
    found: dict[int, Any] = {}
    pending = list(items)
    while pending:
        each = pending.pop()
        links = links_of(each)
        for other in () if links is None else _alive(which(links)):
            for member in family(other):
                if id(member) not in found:
                    found[id(member)] = member
                    pending.append(member)
    return _open(found.values())


def _may_be(links: Links) -> Sequence[Symbols]:
    return [links.may_be]


def _copies(links: Links) -> Sequence[Symbols]:
    return [links.copies]


def _wholes(links: Links) -> Sequence[Symbols]:
    return [links.may_be, links.part_of]


def _parts(links: Links) -> Sequence[Symbols]:
    return [links.copies, links.parts]


# What the user calls it


def variable_of(item: Any) -> str | None:
    """Returns the user's name of a symbol here, or of what it is a view of; else that of the
    variable that it was made for.
    """
    for each in (item, *bases(item)):
        found = variable_holding(each)
        if found is not None:
            return found
    return _first_name(item)


def way_to(item: Any) -> str | None:
    """Returns what leads to a symbol in the user's code that runs: its name, as `variable_of`, or
    that of an object, list or dict that has it.
    """
    found = variable_of(item)
    if found is not None or not hasattr(item, "scope"):
        return found
    root = home(item).trace.root
    ways = (path_holding(each, root) for each in (item, *bases(item)))
    return next((way for way in ways if way is not None), None)


def _first_name(item: Any) -> str | None:
    if not hasattr(item, "scope"):
        return None
    trace = home(item).trace
    _, former = trace.former.get(id(item), (None, None))
    name = (former[0] if former else item.graph_value).name
    return variable_called([name, name.rstrip("0123456789").removesuffix("_")], trace.code)


def called(name: str | None, is_array: bool = False) -> str:
    """The text for a tensor, or an array, that has this name, or none."""
    if name is not None:
        return repr(name)
    return "an array" if is_array else "a tensor"


def holder_of(trace: Trace, item: Any) -> str | None:
    """Returns a text for what a tensor is, or is in, that an assignment to its items in this trace
    cannot change.
    """
    if isinstance(item, EagerTensor) or home(item).trace is not trace:
        return from_outside(trace)
    links = links_of(item)
    return None if links is None else links.holder


def from_outside(trace: Trace) -> str:
    """Returns a text for a tensor that the trace has not made."""
    return f"a tensor from outside of {trace.name}"
