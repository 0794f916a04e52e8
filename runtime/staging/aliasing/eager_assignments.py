"""`x[i] = v` in converted code on eager tensors: every name that shares the memory of `x` sees it.

A tensor is a reference, as a symbol of a graph is (`runtime.staging.aliasing.item_assignments`):
an assignment makes a new array, and the same object holds it from then on. Whatever else uses the
old array (results of ops, NumPy arrays, the records of tapes) keeps it.

A view is `m[i]`, of a tensor of several dimensions also `m[i:j]`. Until the first assignment in a
process, only views know their bases; from then on bases know their views, too. An assignment to a
tensor updates its views and bases if a list and an array would agree in the result; otherwise
reading them is refused.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast
from weakref import ReferenceType, WeakSet, ref

from autograph.backend import item_setters, register_item_setter
from runtime import ops
from runtime.autodiff.tape import GradientTape, living
from runtime.core import tensor
from runtime.core.locks import process_rlock
from runtime.core.primitive import Primitive, bind
from runtime.core.state import state
from runtime.core.tensor import COPIED, EagerTensor
from runtime.graph.ir import format_location
from runtime.ops import indexing
from runtime.ops.indexing import spec_of
from runtime.ops.slicing import Spec, set_slice_p, strided_slice_p
from runtime.staging.aliasing import sharing
from runtime.staging.aliasing.assigned_values import collected
from runtime.staging.aliasing.sharing import (
    bases,
    called,
    family,
    joined_family,
    linked,
    links_of,
    views,
    views_at,
    views_below,
)
from runtime.staging.frames import user_location
from runtime.staging.refusals import refuse, refuse_replaced
from runtime.staging.scopes import Change

_MOST_LENT = 256
"""Views, most of which nobody has any more, before they are looked through."""

# Held while the value of a tensor, and of what shares its memory, changes: no thread's is lost.
_changing = process_rlock()

_COPY = "assign to items of a copy, made with tf.identity(x), or read it before"


class StaleTensor(EagerTensor):
    """The class of a tensor that was changed by another name, until its value is read."""

    __slots__ = ()

    @property
    def raw(self) -> Any:
        """The value; StagingError where lists and arrays differ in what it is."""
        with _changing:
            renew = self.links.renew
            if renew is not None:  # another thread may have been faster
                renew(self)
            self.links.renew = None
            return _raw_of(self)

    @raw.setter
    def raw(self, value: Any) -> None:
        _set_value(self, value)

    @property
    def node(self) -> Any:
        """No tape has seen the value."""
        return self.raw is None or _node_of(self)

    @node.setter
    def node(self, key: int | None) -> None:
        _set_node(self, key)


register_item_setter(StaleTensor, item_setters[EagerTensor])

_raw_of = EagerTensor.__dict__["raw"].__get__
_set_raw = EagerTensor.__dict__["raw"].__set__
_node_of = EagerTensor.__dict__["node"].__get__
_set_node = EagerTensor.__dict__["node"].__set__


def _set_value(item: EagerTensor, raw: Any) -> None:
    _set_raw(item, raw)
    item.__class__ = EagerTensor


# What shares memory


class _Registry:
    """`begun` is True once bases know their views, and all tapes are registered."""

    begun = False


def _begin_registry() -> None:
    """Register views and tapes from now on, and those that exist already."""
    living.append(WeakSet())
    tensor.lend = indexing.lend = _lend
    if gc.get_freeze_count():
        gc.unfreeze()
    for item in gc.get_objects():
        if type(item) is EagerTensor:
            _register(item)
        elif issubclass(type(item), GradientTape):
            living[0].add(item)
    _Registry.begun = True


class _Lent(list[ReferenceType[EagerTensor]]):
    """The views of a tensor that were read since it was last asked for them."""

    __slots__ = ()

    def note(self) -> None:
        """Let the views know what they are views of, and be known to it."""
        with _changing:
            lent = self[:]
            del self[: len(lent)]  # other threads may read more meanwhile
            for each in lent:
                made = each()
                if made is not None:
                    _register(made)


def _lend(x: EagerTensor, made: EagerTensor) -> None:
    try:
        lent = x.lent
    except AttributeError:
        lent = _lent_by(x)
    lent.append(ref(made))
    if len(lent) > _MOST_LENT:
        lent.note()


def _lent_by(x: EagerTensor) -> _Lent:
    with _changing:
        lent = getattr(x, "lent", None)
        if lent is None:  # another thread may have been faster
            lent = x.lent = _Lent()
            sharing.join(x)
        return lent


def _register_links(item: EagerTensor) -> None:
    """Note what a tensor is a view of, and the views of that."""
    base: EagerTensor | None = item
    while base is not None:
        sharing.note_views(base)
        base, _ = getattr(base, "viewed", (None, None))


def _register(made: EagerTensor) -> None:
    base, key = getattr(made, "viewed", (None, None))
    if base is None:
        return
    if key is COPIED:
        sharing.may_be_part(made, base)
    elif (
        type(key) is not slice or len(_shape(base)) > 1
    ):  # a slice of numbers is a copy, as in a list
        spec = (key,) if type(key) is int else spec_of(key)
        if spec is not None:
            sharing.set_base(made, (base, spec, ()), _row(made, base, spec))


def _row(made: EagerTensor, base: EagerTensor, spec: Spec) -> int | None:
    """The number of the row that a view is, if that is all that is known of it."""
    if len(spec) != 1 or type(spec[0]) is not int or hasattr(made, "lent"):
        return None
    return spec[0] % len(_raw_of(base))


def _rows(item: EagerTensor, spec: Spec) -> range | None:
    """The rows that an index of a tensor stands for; None for one that no list takes."""
    return _region(item, spec) if len(spec) == 1 else None


def _region(item: EagerTensor, spec: Spec) -> range | None:
    """The rows in which an index of a tensor leads; None where they may be any."""
    first: Any = spec[0] if spec else "..."
    if not _shape(item) or first in ("newaxis", "..."):
        return None
    size = _shape(item)[0]
    if type(first) is tuple:
        return range(*slice(*first).indices(size))
    at = first + size if first < 0 else first
    return range(at, at + 1)


def _rows_of(view: EagerTensor) -> range | None:
    base, spec, _ = view.links.base
    return _rows(base, spec)


def _region_of(view: EagerTensor) -> range | None:
    base, spec, _ = view.links.base
    return _region(base, spec)


def _is_slice(item: EagerTensor) -> bool:
    links = links_of(item)
    spec = () if links is None or links.base is None else links.base[1]
    return bool(spec) and type(spec[0]) is tuple


def _overlap(one: range | None, other: range | None) -> bool:
    if one is None or other is None:
        return True
    few, many = (one, other) if len(one) < len(other) else (other, one)
    return few[0] in many if len(few) == 1 else any(row in many for row in few)


# The statement


def set_item(
    target: EagerTensor, key: Any, value: Any, name: Callable[[], str | None] = str
) -> None:
    """`target[key] = value`, where the user writes `name()` for the target, if that is known.

    Raises StagingError where others would have to see the new value that cannot.
    """
    with _changing:
        _set_item(target, key, value, name)


def _set_item(target: EagerTensor, key: Any, value: Any, name: Callable[[], str | None]) -> None:
    if not _Registry.begun:
        _begin_registry()
    _register_links(target)
    _check(target, name)
    if isinstance(value, EagerTensor):
        value = _stored(value)
        _register_links(value)
    else:
        value = collected(target, key, value)
    made = cast(EagerTensor, ops.setitem(target, key, value))
    spec = spec_of(key) if target.raw.ndim > 1 else None
    region = None if spec is None else _region(target, spec)
    rows = None if type(key) is tuple else region
    _assign(target, made, rows, region)
    if rows is not None and isinstance(value, EagerTensor) and _shape(value):
        (sharing.may_be_part if len(_shape(value)) == 1 else sharing.may_be)(value, target)


def _check(target: EagerTensor, name: Callable[[], str | None]) -> None:
    for each in sharing.changed_with(target):
        links = links_of(each)
        what = None if links is None else links.holder
        what = "a part of a variable" if getattr(each, "_owner", None) is not None else what
        if what is not None:
            found = name() or sharing.variable_of(target)
            copy = found or "x"
            raise refuse(
                f"an item of {called(found)} is assigned, which is, or shares its memory with, "
                f"{what}: that would not change",
                f"assign to items of a copy ({copy} = tf.identity({copy}))",
                found,
            )


def _stored(value: EagerTensor) -> EagerTensor:
    """The tensor to store in an item: for a row that was replaced the old one, as in a list."""
    if type(value) is StaleTensor and getattr(value.links.renew, "replaced", False):
        return _previous(value)
    return value


def _previous(item: EagerTensor) -> EagerTensor:
    made = EagerTensor(_raw_of(item))
    made.node = _node_of(item)
    return made


# What it changes


def _assign(item: EagerTensor, made: EagerTensor, rows: range | None, region: range | None) -> None:
    """Give a tensor a new value, which differs in a `region` of its rows, and update what shares
    its memory; `rows` are the rows that were replaced as a whole.
    """
    links = links_of(item)
    if links is None:
        _take_value(item, made)
        return
    relatives = joined_family(item)
    if any(_rows_of(each) is None for each in relatives[1:]):
        rows = None  # no list has such views
    if rows is not None:
        for each in [*relatives, *_views_of_rows(item, rows)]:
            _resolve(each)
    _take_value(item, made)
    if rows is not None and _is_slice(item):
        own = sharing.ids([item, *views_below(item)])
        for each in family(item):
            if id(each) not in own:
                _refuse(each, _differs(item, each))
    else:
        _update_bases(item, rows)
    for each in views_at(item, region):
        if rows is None:
            if _overlap(_region_of(each), region):
                _invalidate(each)
        elif _overlap(_rows_of(each), rows):
            _replace(each)
    change = Change.ITEMS if rows is None else Change.ROWS
    for each in sharing.may_show(item, change):
        _refuse(each, _differs(item, each))


def _views_of_rows(item: EagerTensor, rows: range) -> Iterator[EagerTensor]:
    """Views that show some of these rows of a tensor."""
    met: range | None = rows
    for each in (item, *bases(item)):
        for view in views_at(each, met):
            yield from (view, *views_below(view))
        met = None if each.links.base is None else _rows_of(each)


def _take_value(item: EagerTensor, made: EagerTensor) -> None:
    _keep_for_tapes(item)
    _set_value(item, made.raw)
    item.node = made.node


def _keep_for_tapes(item: EagerTensor) -> None:
    """Let tapes hold the value that a tensor has had."""
    former = None
    for tape in list(living[0]):
        if former is None:
            former = item.snapshot()
        tape.keep(item, former)


def _resolve(item: EagerTensor) -> None:
    if type(item) is StaleTensor and type(item.links.renew) is not _Raising:
        _ = item.raw


def _update_bases(item: EagerTensor, rows: range | None) -> None:
    changed, level = item, item.raw.ndim
    for base in list(bases(item)):
        _write_into(base, changed)
        region = _rows_of(changed)
        for each in views_at(base, region):
            if each is not changed and _overlap(_rows_of(each), region):
                _update_view(each, rows, level)
        changed = base


def _update_view(view: EagerTensor, rows: range | None, level: int) -> None:
    """Tell a view of what a changed tensor is a part of; at its own level it is the same."""
    own = len(_shape(view))
    if rows is not None and (own < level or (own == level and _is_slice(view))):
        _replace(view)
        return
    _mark_stale(view, _read_anew)
    met = rows if own == level else None
    for each in views_at(view, met):
        if _overlap(_rows_of(each), met):
            _update_view(each, rows, level)


def _shape(item: EagerTensor) -> tuple[int, ...]:
    # No assignment changes it.
    shape: tuple[int, ...] = _raw_of(item).shape
    return shape


def _write_into(base: EagerTensor, changed: EagerTensor) -> None:
    if type(base) is StaleTensor and state.run is not None:
        renew = base.links.renew
        if type(renew) is _Written and renew.view is changed:
            return
        _resolve(base)
    _mark_stale(base, _Written(changed))


def _invalidate(view: EagerTensor) -> None:
    """Let a view, and views of it, be read anew."""
    _mark_stale(view, _read_anew)
    for each in views(view):
        _invalidate(each)


def _mark_stale(item: EagerTensor, renew: Any) -> None:
    """Let `renew` look the value up when it is wanted: at once where ops are seen."""
    if type(item) is StaleTensor:
        if state.run is not None or type(item.links.renew) is _Raising:
            return
        _resolve(item)
    _keep_for_tapes(item)
    if state.run is None:
        renew(item)
        return
    linked(item).renew = renew
    item.node = None
    item.__class__ = StaleTensor


class _Written:
    """The value of a tensor of which a view was assigned to."""

    def __init__(self, view: EagerTensor) -> None:
        self.view = view

    def __call__(self, item: EagerTensor) -> None:
        _, spec, _ = self.view.links.base
        _renew(item, set_slice_p, _previous(item), self.view, spec=spec)


def _read_anew(item: EagerTensor) -> None:
    """Look up the value of a view of a tensor that was assigned to."""
    base, spec, _ = item.links.base
    _renew(item, strided_slice_p, base, spec=spec)


def _renew(item: EagerTensor, primitive: Primitive, *inputs: EagerTensor, spec: Spec) -> None:
    if type(item) is StaleTensor:  # it was computed when nobody recorded
        _set_value(item, primitive.kernel(*[each.raw for each in inputs], spec=spec))
        return
    made = bind(primitive, *inputs, spec=spec)
    _set_value(item, made.raw)
    item.node = made.node


# What lists and arrays differ in


class _Raising:
    def __init__(self, why: Callable[[], Exception], replaced: bool = False) -> None:
        self.why = why
        self.replaced = replaced

    def __call__(self, item: EagerTensor) -> None:
        raise self.why()


def _refuse(item: EagerTensor, why: Callable[[], Exception], replaced: bool = False) -> None:
    if type(item) is StaleTensor:
        if type(item.links.renew) is _Raising:
            return
        _ = item.raw
    _keep_for_tapes(item)
    linked(item).renew = _Raising(why, replaced)
    item.__class__ = StaleTensor


def _replace(view: EagerTensor) -> None:
    """Refuse reads of a view whose row was replaced, and of views of it."""
    why = partial(refuse_replaced, user_location())
    _refuse(view, why, True)  # before it is asked for its views, which another thread may read
    for each in views_below(view):
        _refuse(each, why, True)
    sharing.set_base(view, None)


def _differs(item: EagerTensor, other: EagerTensor) -> Callable[[], Exception]:
    place = user_location()
    written = called(sharing.variable_of(item))

    def why() -> Exception:
        name = sharing.variable_of(other)
        return refuse(
            f"{called(name)} is read after items of {written} were assigned "
            f"({format_location(place)}), which may share its rows: lists and arrays differ in it",
            _COPY,
            name,
        )

    return why
