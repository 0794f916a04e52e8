"""Which symbols share memory in the user's Python: an item assignment changes all of them.

A `SymbolicTensor` is a reference. `x[i] = v` makes a new value, and the same object stands for it
from then on, in the open scope: whoever holds the object sees the change. Other objects may see it:

    view    `r = m[i]`: each stands for the other's items. What one was is forgotten when the other
            changes, and is computed anew where it is read, if it is read.
    may be  `z = a if t else b`, and rows that were put into a matrix: where items of one change,
            only the run knows what the other is, or lists and arrays differ. Reading it is refused.

A list puts another row in the place of the old one, and an array copies into it: what is read
through an older view of the same row is refused, and one whose place only the run knows stays what
it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from runtime import ops
from runtime.graph.frames import user_location, variable_holding
from runtime.graph.ir import Location, Node, Value, format_location
from runtime.graph.refusals import leaked, refuse
from runtime.graph.scopes import Change, Meaning, Scope, Stale, active
from runtime.primitive import TABLE
from runtime.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from runtime.graph.tracing import Trace

Rows = tuple[tuple[Any, ...], tuple[Value, ...]]
"""Whole rows of a tensor: the parts of an index, and those of them that only the run knows."""

SOME_ROWS: Rows = ((), ())
"""Rows of which nothing is known."""


class Links:
    """What shares the memory of a symbol.

    `base` is what it is a view of, with the parts of its index: numbers, and symbols for those that
    only the run knows. `may_be` are symbols that it may be, and `copies` those that may be it;
    `part_of` and `parts` are those that it may be some rows of, and that may be some of its rows.
    """

    __slots__ = ("base", "copies", "holder", "may_be", "part_of", "parts", "views")

    def __init__(self) -> None:
        self.base: tuple[Any, tuple[Any, ...], tuple[Any, ...]] | None = None
        self.views: list[ref[Any]] = []
        self.may_be: list[ref[Any]] = []
        self.copies: list[ref[Any]] = []
        self.part_of: list[ref[Any]] = []
        self.parts: list[ref[Any]] = []
        self.holder: str | None = None


def links_of(item: Any) -> Links | None:
    """What shares its memory, if anything does."""
    return getattr(item, "links", None)


def _linked(item: Any) -> Links:
    found = links_of(item)
    if found is None:
        found = item.links = Links()
    return found


def home(item: Any) -> Scope:
    """The scope that a symbol belongs to."""
    scope: Scope = item.scope
    return scope.home if type(scope) is Stale else scope


# What a symbol stands for


def meaning(item: Any) -> Meaning:
    """What a symbol stands for now."""
    links = links_of(item)
    return item.value, item.node, item.scope, links and links.base


def restore(meanings: Iterable[tuple[Any, Meaning]]) -> None:
    """Let symbols stand for what they stood for before."""
    for item, (value, node, scope, base) in meanings:
        item.value, item.node, item.scope = value, node, scope
        if base is not None or links_of(item) is not None:
            _linked(item).base = base


def _note(trace: Trace, item: Any) -> None:
    if home(item) is not trace.scope:
        trace.scope.changes.append((item, meaning(item)))
        trace.scope.touched[id(item)] = item


def _become(trace: Trace, item: Any, made: Any, change: Change) -> None:
    if item.value in trace.refined and trace.refined[item.value] is item:
        trace.refined[item.value] = twin(item)
    _note(trace, item)
    trace.writes(item, made.value)
    item.value, item.node, item.scope = made.value, made.node, home(item)
    before = trace.scope.assigned.get(id(item), (item, change))[1]
    trace.scope.assigned[id(item)] = item, before | change


def twin(item: Any, scope: Scope | None = None) -> Any:
    """Another object for the value that a symbol stands for now."""
    made = type(item)(item.value, scope or home(item), item.origin)
    made.node = item.node
    return made


def now(trace: Trace, item: Any) -> Any:
    """Another object for the value of a symbol here, which no assignment changes."""
    trace.value_of(item)
    return twin(item, trace.scope if home(item).trace is trace else None)


def is_changed(item: Any, before: Value) -> bool:
    """Was an item of the symbol assigned since it stood for this value?"""
    return item.value is not before or (
        type(item.scope) is Stale and item.scope.written is not None
    )


def change_of(scope: Scope, item: Any) -> Change:
    """What item assignments in a scope have changed in a symbol."""
    _, change = scope.assigned.get(id(item), (item, Change(0)))
    is_dirty = type(item.scope) is Stale and item.scope.written is not None
    return change | Change.ITEMS if is_dirty else change


# Views


def view(trace: Trace, base: Any, made: Any, key: Any) -> None:
    """`made = base[key]` was computed: note what it shares with `base`.

    A slice of numbers is a copy, as that of a list.
    """
    if made.static_shape == () or not trace.scope.nodes:
        return
    node = trace.scope.nodes[-1]
    if node.outputs != (made.value,):
        return
    if hasattr(base, "scope"):
        _view_of_symbol(base, made, key, node, trace)
    else:
        hold(made, f"a tensor from outside of {trace.name}")


def _view_of_symbol(base: Any, made: Any, key: Any, node: Node, trace: Trace) -> None:
    holder = holder_of(trace, base)
    if holder is not None:
        hold(made, holder)
    elif type(key) is not slice:
        own = [_symbol(value, made) for value in node.inputs[1:]]
        _linked(made).base = base, node.params["spec"], tuple(own)
        _add(_linked(base).views, made)
    elif base.static_shape is None or len(base.static_shape) > 1:
        may_be_part(made, base)


def _symbol(value: Value, like: Any) -> Any:
    return type(like)(value, like.scope, like.origin)


def _add(found: list[ref[Any]], item: Any) -> None:
    found[:] = [each for each in found if (known := each()) is not None and known is not item]
    found.append(ref(item))


def may_be(item: Any, original: Any) -> None:
    """Note that `item` may be `original`."""
    if item not in _same(family(original)):
        _add(_linked(item).may_be, original)
        _add(_linked(original).copies, item)


def may_be_part(item: Any, original: Any) -> None:
    """Note that `item` may be some rows of `original`."""
    if item not in _same(family(original)):
        _add(_linked(item).part_of, original)
        _add(_linked(original).parts, item)


class _same:
    """Symbols, asked for by identity: `==` of tensors is an op."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = {id(item): item for item in items}

    def __contains__(self, item: Any) -> bool:
        return id(item) in self.items


def _alive(found: Iterable[ref[Any]]) -> Iterator[Any]:
    for each in found:
        item = each()
        if item is not None and home(item).open:
            yield item


def _views(item: Any) -> list[Any]:
    links = links_of(item)
    if links is None:
        return []
    return [each for each in _alive(links.views) if each.links.base and each.links.base[0] is item]


def family(item: Any) -> list[Any]:
    """What shares memory with a symbol for certain: what it is a view of, and all views of that."""
    while (links := links_of(item)) is not None and links.base is not None:
        item = links.base[0]
    found, pending = [], [item]
    while pending:
        found.append(pending.pop())
        pending += _views(found[-1])
    return found


def relatives(item: Any) -> list[Any]:
    """What shares memory with a symbol, or may: itself among them."""
    found: dict[int, Any] = {}
    pending = [item]
    while pending:
        each = pending.pop()
        if id(each) not in found:
            found[id(each)] = each
            pending += family(each)
            links = links_of(each)
            if links is not None:
                pending += [*_alive(_wholes(links)), *_alive(_parts(links))]
    return list(found.values())


def sources(item: Any) -> list[Any]:
    """What a symbol of a block stands for behind the block: itself, or what it is a part of."""
    if home(item).open:
        return [item]
    own = family(item)
    found = [*own, *_reached(own, _wholes)]
    return [each for each in found if home(each).open]


def views_below(item: Any) -> set[int]:
    """The views of a symbol, and theirs, by their ids."""
    found, pending = set(), _views(item)
    while pending:
        each = pending.pop()
        found.add(id(each))
        pending += _views(each)
    return found


def hold(item: Any, holder: str) -> None:
    """Note that a tensor is, or is in, something that an assignment to its items cannot change."""
    _linked(item).holder = holder


def _reached(items: Sequence[Any], which: Callable[[Links], list[ref[Any]]]) -> list[Any]:
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
    return list(found.values())


# Changes


def assign(
    trace: Trace,
    item: Any,
    made: Any,
    change: Change = Change.ITEMS,
    rows: Rows = SOME_ROWS,
) -> None:
    """Let `item` stand for what `made` does, in the open scope, and tell who shares its memory what
    has changed: which `rows`, if rows have.
    """
    _become(trace, item, made, change)
    if links_of(item) is None:
        return
    for each in _views(item) if Change.ROWS in change else ():
        _detach(trace, each, rows)
    for each in _views(item) if Change.ITEMS in change else ():
        _outdate(trace, each)
    _tell_base(trace, item)
    own = _same(family(item))
    # Rows that others take the place of are what they were.
    wholes, parts = (_wholes, _parts) if Change.ITEMS in change else (_may_be, _copies)
    origins = _reached(list(own.items.values()), wholes)
    place = user_location()
    for each in (*origins, *_reached([*own.items.values(), *origins], parts)):
        if each not in own:
            unsure(trace, each, _unsure(item, each, place))


def _may_be(links: Links) -> list[ref[Any]]:
    return links.may_be


def _copies(links: Links) -> list[ref[Any]]:
    return links.copies


def _wholes(links: Links) -> list[ref[Any]]:
    return links.may_be + links.part_of


def _parts(links: Links) -> list[ref[Any]]:
    return links.copies + links.parts


def _tell_base(trace: Trace, item: Any) -> None:
    base = item.links.base
    while base is not None:
        holder = base[0]
        stale = holder.scope if type(holder.scope) is Stale else None
        if stale is not None and stale.written is not item:
            trace.value_of(holder)
        if holder.scope is not home(holder):
            return
        _note(trace, holder)
        holder.scope = Stale(home(holder), _renew_base, item)
        for each in _views(holder):
            if each is not item:
                _outdate(trace, each)
        item, base = holder, holder.links.base


def _renew_base(trace: Trace, item: Any) -> Value:
    """A tensor of which a view was assigned to."""
    written = item.scope.written
    _, spec, dynamic = written.links.base
    made = trace.emit(
        TABLE["set_slice"], (twin(item), now(trace, written), *dynamic), {"spec": spec}
    )
    _become(trace, item, made, Change.ITEMS)
    return made.value  # type: ignore[no-any-return]


def _outdate(trace: Trace, item: Any) -> None:
    """Items of the base of a view have changed."""
    if type(item.scope) is Stale and item.scope.renew is _renew_view:
        return
    _note(trace, item)
    item.scope = Stale(home(item), _renew_view)
    for each in _views(item):
        _outdate(trace, each)


def _renew_view(trace: Trace, item: Any) -> Value:
    """A view of a tensor that was assigned to."""
    base, spec, dynamic = item.links.base
    made = trace.emit(TABLE["strided_slice"], (base, *dynamic), {"spec": spec})
    _note(trace, item)
    item.value, item.node, item.scope = made.value, made.node, home(item)
    return made.value  # type: ignore[no-any-return]


def _detach(trace: Trace, item: Any, rows: Rows) -> None:
    """A row was replaced: this view may be of the old one."""
    base, spec, dynamic = item.links.base
    is_same = _is_same_row((spec, tuple([each.value for each in dynamic])), rows)
    if is_same is False:
        return
    _note(trace, item)
    item.links.base = None
    may_be_part(item, base)
    is_known = item.scope.open
    if is_same or not is_known:
        why = _raising(_replaced(user_location()))
        item.scope = Stale(home(item), why, replaced=is_known)


def _is_same_row(view: Rows, rows: Rows) -> bool | None:
    """Is it a view of these rows? None where only the run knows."""
    (parts, dynamic), (others, unknown) = view, rows
    if not others or type(others[0]) is tuple or type(parts[0]) is tuple:
        return None
    first, second = parts[0], others[0]
    if type(first) is int and type(second) is int:
        return first == second if (first < 0) == (second < 0) else None
    if first == second == "?":
        return True if dynamic[0] is unknown[0] else None
    return None


# What nobody knows


def unsure(trace: Trace, item: Any, why: Callable[[], Exception]) -> None:
    """Refuse that the symbol, and what shares its memory, is read from now on."""
    for each in family(item):
        if type(each.scope) is Stale and type(each.scope.renew) is _raising:
            continue
        _note(trace, each)
        if home(each) is not trace.scope:
            trace.scope.unclear.append((each, why))
        each.scope = Stale(home(each), _raising(why))


class _raising:
    def __init__(self, why: Callable[[], Exception]) -> None:
        self.why = why

    def __call__(self, trace: Trace, item: Any) -> Value:
        raise self.why()


def reason(item: Any) -> Callable[[], Exception] | None:
    """Why the symbol may not be read, if it may not."""
    renew = item.scope.renew if type(item.scope) is Stale else None
    return renew.why if type(renew) is _raising else None


_COPY = "assign to items of a copy, made with tf.identity(x), or read it before"


def variable_of(item: Any) -> str | None:
    """What the user calls a symbol here, or what it is a view of; else the name of what made it."""
    base = item
    while (found := variable_holding(base)) is None:
        links = links_of(base)
        if links is None or links.base is None:
            return _first_name(item)
        base = links.base[0]
    return found


def _first_name(item: Any) -> str | None:
    if not hasattr(item, "scope"):
        return None
    _, former = home(item).trace.former.get(id(item), (None, None))
    return cast(str, former[0].name if former else item.value.name)


def _unsure(item: Any, other: Any, place: Location | None) -> Callable[[], Exception]:
    written = variable_of(item)

    def why() -> Exception:
        name = variable_of(other)
        return refuse(
            f"{name!r} is read after items of {written!r} were assigned "
            f"({format_location(place)}), which may be the same tensor, or share its rows: only "
            "the run knows, or lists and arrays differ in it",
            _COPY,
            name,
        )

    return why


def _replaced(place: Location | None) -> Callable[[], Exception]:
    def why() -> Exception:
        return refuse(
            "a row is read by an older name after it was replaced "
            f"({format_location(place)}): a list would give the old row, and an array the new one",
            "read it before, or name a copy: tf.identity(m[i])",
        )

    return why


def may_have_changed(trace: Trace, item: Any, name: str) -> None:
    """Items of what a variable stood for at first were assigned in a loop that also rebinds it."""
    place = user_location()

    def why() -> Exception:
        return refuse(
            f"a tensor is read that {name!r} stood for before the loop "
            f"({format_location(place)}) whose rounds assign to its items and rebind it: only the "
            "run knows how often",
            "let the name begin with a copy: x = tf.identity(y)",
            name,
        )

    for each in relatives(item):
        unsure(trace, each, why)


# Blocks


def carried(trace: Trace) -> list[tuple[Any, Change]]:
    """The symbols from around the open scope whose items it has assigned, and what has changed in
    them: what they are now must be carried.
    """
    scope = trace.scope
    for item, _ in list(scope.changes):
        written = item.scope.written if type(item.scope) is Stale else None
        is_dirty = written is not None and home(item) is not scope
        if is_dirty and (id(item) in scope.assigned or home(written) is scope):
            trace.value_of(item)
    found = [pair for pair in scope.assigned.values() if home(pair[0]) is not scope]
    known = _same(item for item, _ in found)
    return [pair for pair in found if pair[0].scope.open and not _based(pair[0], known)]


def _based(item: Any, known: _same) -> bool:
    """Is it a view of one of these?"""
    while (links := links_of(item)) is not None and links.base is not None:
        item = links.base[0]
        if item in known:
            return True
    return False


def _is_stale(item: Any) -> bool:
    return type(item.scope) is Stale


def pass_on(trace: Trace, scope: Scope) -> None:
    """What nobody knows at the end of a block, nobody knows behind it."""
    for item, why in scope.unclear:
        if home(item).open:
            unsure(trace, item, why)


# Item assignment


def set_item(target: Any, key: Any, value: Any, name: Callable[[], str | None] = str) -> Any:
    """`target[key] = value`: the same symbol, which stands for the new value from now on.

    Raises StagingError for a tensor that others outside of the graph would have to see changed.
    """
    trace = active(target)
    check_own(trace, target, name)
    made = ops.setitem(target, key, stored(value) if hasattr(value, "scope") else value)
    rows = rows_of(target, key, trace.scope.nodes[-1])
    if rows is None:
        assign(trace, target, made)
    else:
        assign(trace, target, made, Change.ROWS, rows)
    if rows is not None and isinstance(value, Tensor) and hasattr(value, "scope"):
        may_be_part(value, target)
    return target


def check_own(trace: Trace, item: Any, name: Callable[[], str | None]) -> None:
    """Raises StagingError where the new value could not be carried to who sees the tensor."""
    if not home(item).open:
        raise leaked(item)
    for each in _ones(item):
        what = holder_of(trace, each)
        if what is not None:
            raise outside(name() or variable_of(item) or "a tensor", what)


def _ones(item: Any) -> list[Any]:
    """What an assignment to items of a symbol changes, or may change."""
    if links_of(item) is None:
        return [item]
    own = family(item)
    return [*own, *_reached(own, _wholes)]


def holder_of(trace: Trace, item: Any) -> str | None:
    """What a tensor is, or is in, that an assignment to its items in this trace cannot change."""
    if isinstance(item, EagerTensor) or home(item).trace is not trace:
        return f"a tensor from outside of {trace.name}"
    links = links_of(item)
    return None if links is None else links.holder


def outside(name: str, what: str) -> Exception:
    """The refusal of an item assignment that others would have to see."""
    return refuse(
        f"an item of {name!r} is assigned, which is, or shares its memory with, {what}: that "
        "would not change",
        f"assign to items of a copy ({name} = tf.identity({name})), and return it",
        name,
    )


def stored(item: Any) -> Any:
    """What a symbol is as the right side of an item assignment: a row that was replaced is the old
    one, as in a list.
    """
    if _is_stale(item) and item.scope.replaced and item.scope.home.open:
        return twin(item)
    return item


def rows_of(target: Any, key: Any, node: Node) -> Rows | None:
    """The rows that `target[key] = value`, which this node computes, puts other ones for."""
    shape = target.static_shape
    if type(key) is tuple or (shape is not None and len(shape) < 2):
        return None
    if node.primitive is not TABLE["set_slice"]:
        return SOME_ROWS
    return node.params["spec"], node.inputs[2:]
