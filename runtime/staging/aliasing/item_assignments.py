"""`x[i] = v` on symbols: every name that shares the memory of `x` sees it.

A `SymbolicTensor` is a reference. An item assignment adds a node for the new value, and the same
object stands for that value from then on, in the open scope: all holders of the object see the
change. Views of it are computed again when they are read. A symbol that only perhaps shares its
memory is refused when it is read.

Assigning a row means two things: a list replaces the old row, an array copies into it. So reading
an older view of that row is refused. A view whose row is known only at run time keeps its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from runtime import ops
from runtime.core.primitive import TABLE
from runtime.core.tensor import Tensor
from runtime.graph.ir import Location, Node, Region, Value, format_location, free_values
from runtime.staging.aliasing.assigned_values import collected
from runtime.staging.aliasing.sharing import (
    ARRAY,
    READ_ONLY,
    bases,
    called,
    changed_with,
    copies_of,
    family,
    holder_of,
    home,
    ids,
    links_of,
    may_be_part,
    may_show,
    relatives,
    set_base,
    variable_of,
    views,
    views_below,
    way_to,
)
from runtime.staging.control.references import want_arrays
from runtime.staging.frames import user_location
from runtime.staging.refusals import leaked, refuse, refuse_replaced
from runtime.staging.scopes import Change, Meaning, Scope, Stale, active, unfailing

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace

Rows = tuple[tuple[Any, ...], tuple[Value, ...]]
"""Whole rows of a tensor: the parts of an index, and those of them that only the run knows."""

SOME_ROWS: Rows = ((), ())
"""Rows of which nothing is known."""


def _copy_of(name: str, is_array: bool) -> str:
    """Source for a copy of a tensor, or of an array."""
    return f"{name}.copy()" if is_array else f"tf.identity({name})"


# The statement


def set_item(target: Any, key: Any, value: Any, name: Callable[[], str | None] = str) -> Any:
    """`target[key] = value`: the same symbol, which stands for the new value from now on.

    Raises StagingError for a tensor that others outside of the graph would have to see changed.
    """
    trace = active(target)
    check_own(trace, target, name)
    value = stored(value) if hasattr(value, "scope") else collected(target, key, value)
    key = target.checked_key(key)
    made = ops.setitem(target, key, target.as_item(value))
    rows = rows_of(target, key, trace.scope.nodes[-1])
    if rows is None:
        assign(trace, target, made)
    else:
        assign(trace, target, made, Change.ROWS, rows)
    if rows is not None and isinstance(value, Tensor) and hasattr(value, "scope"):
        may_be_part(value, target)
    return target


def check_own(trace: Trace, item: Any, name: Callable[[], str | None]) -> None:
    """Raises StagingError where the new value could not be carried to who sees the tensor, and
    NumPy's error for an array that it gives to be read.
    """
    if not home(item).open:
        raise leaked(item)
    for each in changed_with(item):
        what = holder_of(trace, each)
        if what is READ_ONLY:
            raise ValueError(what)
        if what is not None:
            raise outside(name() or variable_of(item), what, item.is_array)


def outside(name: str | None, what: str, is_array: bool = False) -> Exception:
    """The refusal of an item assignment that others would have to see."""
    if what is ARRAY:
        want_arrays()
    target = name or "x"
    copy = _copy_of(target, is_array)
    return refuse(
        f"an item of {called(name)} is assigned, which is, or shares its memory with, {what}: that "
        "would not change",
        f"assign to items of a copy ({target} = {copy}), and return it",
        name,
    )


def stored(item: Any) -> Any:
    """Returns the symbol that an item assignment stores for its right side: a row that was replaced
    is the old one, as in a list.
    """
    if type(item.scope) is Stale and item.scope.replaced and item.scope.home.open:
        return twin(item)
    return item


def rows_of(target: Any, key: Any, node: Node) -> Rows | None:
    """The rows that `target[key] = value`, which this node computes, puts other ones for: arrays
    copy into theirs.
    """
    shape = target.static_shape
    if type(key) is tuple or target.is_array or (shape is not None and len(shape) < 2):
        return None
    if node.primitive is not TABLE["set_slice"]:
        return SOME_ROWS
    return node.params["spec"], node.inputs[2:]


# What a symbol stands for


def meaning(item: Any) -> Meaning:
    """Returns the present meaning of a symbol."""
    links = links_of(item)
    return item.graph_value, item.node, item.scope, links and links.base


def restore(meanings: Iterable[tuple[Any, Meaning]]) -> None:
    """Let symbols stand for what they stood for before."""
    for item, (value, node, scope, base) in meanings:
        item.graph_value, item.node, item.scope = value, node, scope
        if base is not None or links_of(item) is not None:
            set_base(item, base)


def _note(trace: Trace, item: Any) -> None:
    if home(item) is not trace.scope:
        trace.scope.changes.append((item, meaning(item)))
        trace.scope.touched[id(item)] = item


def _become(trace: Trace, item: Any, made: Any, change: Change) -> None:
    if item.graph_value in trace.refined and trace.refined[item.graph_value] is item:
        trace.refined[item.graph_value] = twin(item)
    _note(trace, item)
    trace.writes(item, made.graph_value)
    item.graph_value, item.node, item.scope = made.graph_value, made.node, home(item)
    before = trace.scope.assigned.get(id(item), (item, change))[1]
    trace.scope.assigned[id(item)] = item, before | change


def twin(item: Any, scope: Scope | None = None) -> Any:
    """Another object for the value that a symbol stands for now."""
    made = type(item)(item.graph_value, scope or home(item), item.origin)
    made.node = item.node
    return made


def now(trace: Trace, item: Any) -> Any:
    """Another object for the value of a symbol here, which no assignment changes."""
    trace.value_of(item)
    return twin(item, trace.scope if home(item).trace is trace else None)


def _written(item: Any) -> Any:
    """The view of a symbol that was assigned to, where the symbol was not looked at since."""
    return item.scope.written if type(item.scope) is Stale else None


def is_changed(item: Any, before: Value) -> bool:
    """Whether an item of the symbol was assigned since it stood for this value."""
    return item.graph_value is not before or _written(item) is not None


def may_be_changed(item: Any) -> bool:
    """Whether the symbol may not be read, since an item may have been assigned by another name."""
    scope = item.scope
    return type(scope) is Stale and type(scope.renew) is _raising and not scope.replaced


def change_of(scope: Scope, item: Any) -> Change:
    """Returns what item assignments in a scope have changed in a symbol."""
    _, change = scope.assigned.get(id(item), (item, Change(0)))
    return change if _written(item) is None else change | Change.ITEMS


# What a change means for others


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
    if Change.ROWS in change:
        _detach_below(trace, item, True, [rows])
        _detach_elsewhere(trace, item, rows)
    for each in views(item) if Change.ITEMS in change else ():
        _invalidate(trace, each)
    _update_bases(trace, item)
    place = user_location()
    for each in may_show(item, change):
        unsure(trace, each, _unsure(item, each, place))


def _update_bases(trace: Trace, item: Any) -> None:
    base = item.links.base
    while base is not None:
        holder = base[0]
        if type(holder.scope) is Stale and holder.scope.written is not item:
            trace.value_of(holder)
        if holder.scope is not home(holder):
            return
        _note(trace, holder)
        holder.scope = Stale(home(holder), _renew_base, item)
        for each in views(holder):
            if each is not item:
                _invalidate(trace, each)
        item, base = holder, holder.links.base


@unfailing
def _renew_base(trace: Trace, item: Any) -> Value:
    """A tensor of which a view was assigned to."""
    written = item.scope.written
    _, spec, dynamic = written.links.base
    made = trace.emit(
        TABLE["set_slice"], (twin(item), now(trace, written), *dynamic), {"spec": spec}
    )
    _become(trace, item, made, Change.ITEMS)
    return made.graph_value  # type: ignore[no-any-return]


def _invalidate(trace: Trace, item: Any) -> None:
    """Have a view computed anew, whose base was assigned to."""
    if type(item.scope) is Stale and item.scope.renew is _renew_view:
        return
    _note(trace, item)
    item.scope = Stale(home(item), _renew_view)
    for each in views(item):
        _invalidate(trace, each)


@unfailing
def _renew_view(trace: Trace, item: Any) -> Value:
    """A view of a tensor that was assigned to."""
    base, spec, dynamic = item.links.base
    made = trace.emit(TABLE["strided_slice"], (base, *dynamic), {"spec": spec})
    _note(trace, item)
    trace.renews(item)
    item.graph_value, item.node, item.scope = made.graph_value, made.node, home(item)
    return made.graph_value  # type: ignore[no-any-return]


def _detach_elsewhere(trace: Trace, item: Any, rows: Rows) -> None:
    """Cut off the views of rows that were replaced by way of another view of the same tensor."""
    way = [rows]
    while item.links.base is not None and _is_of_lists(item):
        base = item.links.base[0]
        for each in views(base):
            if each is not item and _is_of_lists(each):
                _detach_below(trace, each, _is_same_row(each, _rows_of(item)), way)
        way = [_rows_of(item), *way]
        item = base


def _detach_below(trace: Trace, item: Any, is_same: bool | None, way: Sequence[Rows]) -> None:
    """Cut off the views of rows that were replaced, which are the end of this way from a symbol, if
    it `is_same`; None if it may be.
    """
    rows, *rest = way
    for each in views(item) if is_same is not False else ():
        if not _is_of_lists(each):  # an array copies into it
            _invalidate(trace, each)
            continue
        found = _is_same_row(each, rows)
        found = found if is_same or found is False else None
        if rest:
            _detach_below(trace, each, found, rest)
        elif found is not False:
            _detach(trace, each, found)


def _is_of_lists(view: Any) -> bool:
    """Whether an index of a list can give this view."""
    spec = view.links.base[1]
    return len(spec) == 1 and spec[0] not in ("newaxis", "...") and not view.is_array


def _rows_of(view: Any) -> Rows:
    """The rows of its base that a view shows."""
    _, spec, dynamic = view.links.base
    return spec, tuple([each.graph_value for each in dynamic])


def _detach(trace: Trace, item: Any, is_same: bool | None) -> None:
    """Cut off a view of a row that was replaced: it may be of the old one."""
    base = item.links.base[0]
    _note(trace, item)
    set_base(item, None)
    may_be_part(item, base)
    is_known = item.scope.open
    if is_same or not is_known:
        place = user_location()
        why = _raising(lambda: refuse_replaced(place, _reading()))
        item.scope = Stale(home(item), why, replaced=is_known)
        below = views_below(item)
        for each in below:
            _note(trace, each)
            each.scope = Stale(home(each), why, replaced=each.scope.open)
        for each in copies_of([item, *below]):
            unsure(trace, each, why.why)


def _is_same_row(view: Any, rows: Rows) -> bool | None:
    """Whether a view is one of these rows; None where only the run knows."""
    (parts, dynamic), (others, unknown) = _rows_of(view), rows
    if not others or type(others[0]) is tuple or type(parts[0]) is tuple:
        return None
    first, second = parts[0], others[0]
    if type(first) is int and type(second) is int:
        if (first < 0) == (second < 0):
            return first == second
        shape = view.links.base[0].static_shape
        return (first - second) % shape[0] == 0 if shape and shape[0] else None
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


def _reading() -> Location | None:
    """The place where a tensor is read: at the `return`, if that gives it back."""
    origin = active().origin()
    return None if origin is None else origin.location


def _unsure(item: Any, other: Any, place: Location | None) -> Callable[[], Exception]:
    written, copy = called(way_to(item), item.is_array), _copy_of("x", item.is_array)
    # Where it is read, its name may be gone.
    known = None if may_be_changed(other) else way_to(other)

    def why() -> Exception:
        name = variable_of(other) or known
        return refuse(
            f"{called(name, other.is_array)} is read after items of {written} were assigned "
            f"({format_location(place)}), which may be the same tensor, or share its rows: only "
            "the run knows, or lists and arrays differ in it",
            f"assign to items of a copy, made with {copy}, or read it before",
            name,
            _reading(),
        )

    return why


def may_have_changed(trace: Trace, item: Any, name: str) -> None:
    """Refuse that a tensor is read which `name` stood for before a loop: rounds assign to its items
    and rebind the name.
    """
    place = user_location()

    def why() -> Exception:
        return refuse(
            f"{called(None, item.is_array)} is read that {name!r} stood for before the loop "
            f"({format_location(place)}) whose rounds assign to its items and rebind it: only the "
            "run knows how often",
            f"let the name begin with a copy: x = {_copy_of('y', item.is_array)}",
            name,
            _reading(),
        )

    for each in relatives(item):
        unsure(trace, each, why)


# Blocks


def carried(trace: Trace, known: Sequence[Any] = ()) -> list[tuple[Any, Change]]:
    """The symbols from around the open scope whose items it has assigned, and what has changed in
    them: what they are now must be carried. A view is where its base is, unless it is `known` to be
    carried itself.
    """
    scope = trace.scope
    for item, _ in list(scope.changes):
        written = _written(item)
        is_dirty = written is not None and home(item) is not scope
        if is_dirty and (id(item) in scope.assigned or home(written) is scope):
            trace.value_of(item)
    found = [pair for pair in scope.assigned.values() if home(pair[0]) is not scope]
    changed, own = ids(item for item, _ in found), ids(known)
    return [
        (item, change)
        for item, change in found
        if item.scope.open and (id(item) in own or changed.isdisjoint(ids(bases(item))))
    ]


def pass_on(trace: Trace, scope: Scope) -> None:
    """Refuse behind a block to read what may not be read at its end."""
    for item, why in scope.unclear:
        if home(item).open:
            unsure(trace, item, why)


def check_next_round(scope: Scope, region: Region) -> None:
    """Raises StagingError for a loop whose rounds read what nobody knows behind a round."""
    used = scope.asked.union(free_values(region)) if scope.unclear else set()
    for item, why in scope.unclear:
        if item.graph_value in used:
            raise why()
