"""The list that stands for one of the user's while a function is traced, and may become one of the
graph: where its length, or which item is meant, is known only to the run.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from types import NoneType
from typing import Any, cast

from autograph import StagingError
from autograph.operators.comprehensions import of_generator
from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor
from runtime.core.types import ListType
from runtime.dtypes import DType
from runtime.graph import lists, numbers
from runtime.graph.nodes import NUMBER_TYPES, apply
from runtime.staging import texts
from runtime.staging.block_recorder import note_found, note_made
from runtime.staging.builtin_functions import elements, index_of
from runtime.staging.bytecode import adds_in_place, rows_unpacked, spreads
from runtime.staging.control import branches, iteration, joins, logic
from runtime.staging.control.choices import Choice
from runtime.staging.control.item_comparisons import is_equal
from runtime.staging.control.references import (
    is_reference,
    is_reference_class,
    want_arrays,
    want_asked,
)
from runtime.staging.control.specs import Leaf, Mismatch, Spec, Tree, classes_in
from runtime.staging.lists import keys, staged_items
from runtime.staging.lists.growing import (
    ROWS,
    Growing,
    GrowingSequence,
    InTable,
    Kind,
    StagedItems,
    StagedRow,
    forget_keys,
    inherit_sites,
    is_under,
    note_inside,
    put_others,
    shared_row,
    sites_inside,
    size_of,
    take_all_from,
    want_inside,
    want_lists,
)
from runtime.staging.lists.row_swaps import swaps
from runtime.staging.lists.row_tables import RowTable, refuse_shared
from runtime.staging.lists.sequences import (
    bounds,
    check,
    chosen,
    clipped,
    given_index,
    is_staged_index,
    place_of,
)
from runtime.staging.lists.walks import Items, gathered, let_stand_for, unpacked
from runtime.staging.refusals import asked_by, asked_by_converted_code, refuse, refuse_rest
from runtime.staging.scopes import Symbol, active, unfailing
from runtime.staging.symbolic_number import SymbolicNumber, apply_number, dtypes_beside
from runtime.staging.tracing import is_symbol


class GrowingList(GrowingSequence, RowTable):
    """A list of the user's: Python's own, until only the run knows how many items it has, or which
    of them is meant.

    Then it is one of the graph: `append`, `extend`, `insert`, `pop`, `clear`, `reverse`, `copy`,
    `+`, items, slices, `len` and iteration are staged; what else lists can do is refused.
    """

    __slots__ = ("__weakref__",)
    indexed, assigned = "list index", "list assignment index"  # in messages

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        note_made(self)

    # Changing it

    def append(self, item: Any, /) -> None:
        """Put an item behind the others."""
        if self.staged is None:
            super().append(shared(item))
            note_inside(self, (item,))
        elif not self._is_row() or not self._put_in_row(None, item):
            self.write(self.length(), item)

    def length(self) -> Any:
        """Returns the number of its items: an int, or a staged one."""
        if not self._is_row() or size_of(self) is not None:
            return super().length()
        table = cast(InTable, self.table)
        return table.table.length_at(table.place)

    def extend(self, items: Iterable[Any], /) -> None:
        """Put items behind the others."""
        given = of_generator(items)
        if given is not None:
            # Default values lead a recorder to what the block changes.
            def append(item: Any, *, made: Any = self) -> None:
                made.append(item)

            given.in_rounds(append, (), None, "", known=True)
            return
        source = iteration.staged(items)
        if source is not None and is_symbol(source.length()):
            self._join(items if isinstance(items, GrowingList) else collected(source))
            return
        if source is not None or items is self:
            items = elements(items, "extend()")
        for item in items:
            self.append(item)

    def insert(self, index: Any, item: Any, /) -> None:
        """Put an item before another one."""
        index = given_index(index)
        if self.staged is None and not is_symbol(index):
            super().insert(index, item)
            note_inside(self, (item,))
            return
        size = self.length()
        at = clipped(index, size)
        held = self._covering_item(item)
        self._move(lists.GAP, held, _tensor(at), None if is_symbol(size) else size + 1)
        self.write(at, item)

    def pop(self, index: Any = -1, /) -> Any:
        """Take an item out. IndexError, at run time, where there is none."""
        return self.taken(index)

    def taken(self, index: Any) -> Any:
        """The item at a place, which is taken out."""
        index = given_index(index)
        if self.staged is None and not is_symbol(index):
            return super().pop(index)
        size = self.length()
        check(size == 0, "pop from empty list")
        is_last = not is_symbol(index) and index == -1
        at = size - 1 if is_last else place_of(index, size, "pop index")
        held = self._covering()
        item = owned(self.at(at)) if self.has_lists else self.at(at)
        self._move(lists.DROP, held, _tensor(at), None if is_symbol(size) else size - 1)
        return item

    def reverse(self) -> None:
        """Turn the order of the items round."""
        if self.staged is None:
            super().reverse()
        else:
            self._check_own()
            places = ops.reverse(_range(0, self.length()), [0])
            self._move(lists.TAKE, self._covering(), places, size_of(self))

    def copy(self) -> GrowingList:
        """Another list of the same items."""
        return cast(GrowingList, self._placed(self._another()))

    def _placed(self, made: Any) -> Any:
        """The stand-in for a list that the user's code has made of this one where it stands."""
        from runtime.staging.lists.list_places import list_made

        return list_made(active().references, made) if type(made) is GrowingList else made

    def __reduce_ex__(self, protocol: Any, /) -> Any:
        if self.staged is not None:
            raise _refusal(self, "pickling")
        return list, (list(list.__iter__(self)),)

    def __copy__(self) -> GrowingList:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> GrowingList:
        if self.staged is not None:
            check_deep(self.staged, "list", "[list(row) for row in rows]")
            return cast(GrowingList, self._placed(self.copied()))  # it has its lists by value
        made = memo[id(self)] = self._of_its_kind()
        made.extend([deepcopy(item, memo) for item in list.__iter__(self)])
        placed: GrowingList = self._placed(made)
        memo[id(self)] = placed
        return placed

    def in_order(self) -> GrowingList:
        """The list of its items, in the order that a loop takes them."""
        made = GrowingList.holding(*self._another().content())
        note_inside(made, (), (sites_inside(self),))
        return made

    def _of_its_kind(self, items: Iterable[Any] = ()) -> GrowingList:
        """A list, or what else of the user's this is, with other items."""
        return GrowingList(items)

    def _another(self) -> GrowingList:
        if self.has_lists:
            self.share()
        return self.copied()

    def copied(self) -> GrowingList:
        """`copy`, of a list that nobody uses any more."""
        made = self._of_its_kind()
        keys, children = self.content()
        made.fill(
            dataclasses.replace(keys, shared=False, exact=False)
            if isinstance(keys, Kind)
            else keys,
            children,
        )
        note_inside(made, (), (sites_inside(self),))
        return made

    def stage(self) -> None:
        """Become a list of the graph."""
        held = self._covering()
        self.fill(held.kind, held.columns)

    def of_graph(self) -> GrowingList:
        """A list of the graph of the same items, of which only the run knows how many there are."""
        held = self._in_graph()
        return GrowingList.holding(Kind(held.element), held.columns)

    def clear(self) -> None:
        """Take all items out."""
        self._check_own()
        take_all_from(self)
        self.fill(0, ())

    def __iadd__(self, items: Iterable[Any]) -> GrowingList:  # type: ignore[misc]
        # A tensor on the right side adds itself, as to any list.
        if not isinstance(items, list | str) and hasattr(type(items), "__radd__"):
            return NotImplemented
        self.extend(items)
        return self

    def __add__(self, items: Any) -> Any:
        own, other = self.__class__, items.__class__
        if not issubclass(other, own):
            if hasattr(type(items), "__radd__") and not isinstance(items, Growing):
                return NotImplemented
            raise _not_joined(own, other)
        made = self._another()
        made.extend(items)
        return self._placed(made)

    def __radd__(self, items: Any) -> Any:
        if isinstance(items, GrowingList) or not isinstance(items, list | deque):
            return NotImplemented
        if not issubclass(items.__class__, self.__class__):
            raise _not_joined(items.__class__, self.__class__)
        # Python asks here too for `items += self`.
        if adds_in_place(sys._getframe(1)):
            items.extend(self)
            return items
        made = self._standing_for(items)
        made.extend(self)
        return self._placed(made)

    def _standing_for(self, items: Any) -> GrowingList:
        return GrowingList(items)

    def __mul__(self, times: Any) -> Any:
        if not (is_symbol(times) or isinstance(times, int)):
            kind = type(times)
            if kind.__module__ != "builtins":
                return NotImplemented
            raise TypeError(f"can't multiply sequence by non-int of type '{kind.__name__}'")
        if self.staged is None and not is_symbol(times):
            return self._placed(self._of_its_kind(super().__mul__(times)))
        made = self._another()
        if size_of(self) == 0:
            return self._placed(made)
        if any(isinstance(item, list) for item in list.__iter__(self)):
            raise _refusal_of_rows(self)
        size, count = self.length(), apply_number(numbers.MAX, index_of(times), 0)
        held, places = self._covering(), _in_turn(size, size * count)
        made.fill(Kind(held.element), [_repeated(column, places) for column in held.columns])
        return self._placed(made)

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> Any:
        made = self.__mul__(times)
        if made is NotImplemented:
            return made
        put_others(self, made)
        return self

    # Items

    def __len__(self) -> int:
        size = size_of(self)
        if size is None:
            want_asked()
            want_arrays()  # it may be an array that is asked for items at these places
            raise _refusal(self, asked_by("a length in code that is not converted, or unpacking,"))
        return size

    def __iter__(self) -> Iterator[Any]:
        if self.staged is not None and size_of(self) is not None:
            return self._in_turn()
        names = None if self.staged is None else rows_unpacked(sys._getframe(1), None)
        if self.staged is not None and spreads(sys._getframe(1)):
            want_asked()
        return self._forwards() if names is None else unpacked(names, self.length(), self.at)

    def _in_turn(self) -> Iterator[Any]:
        """The items of a list of the graph, of which Python knows the number."""
        at, size = 0, size_of(self)
        while size is not None and at < size:
            yield self.at(at)
            at, size = at + 1, size_of(self)
        if size is None:
            raise self._refuse_rest(Items(self), at)

    def _forwards(self) -> Iterator[Any]:
        at = 0
        while self.staged is None and at < list.__len__(self):
            yield super().__getitem__(at)
            at += 1
        if self.staged is not None:
            raise self._refuse_rest(Items(self), at)

    def _refuse_rest(self, items: iteration.Staged, at: int) -> Exception:
        """The error for a loop whose items only the run knows from the place `at` on."""
        if not at:
            return _refusal(self, asked_by(_ITERATION))
        return refuse_rest(*_CHANGED, self, functools.partial(iteration.Rest, items, at))

    def __contains__(self, item: Any) -> bool:
        for each in (self, item):
            if isinstance(each, Growing) and each.staged is not None:
                raise _refusal(each, "`in` in code that is not converted")
        return super().__contains__(item)

    def has(self, item: Any) -> Any:
        """Whether an item of it, a list of the graph, is equal to this one."""
        place = keys.place_of_number(cast(StagedItems, self.staged), item)
        if place is not None:
            return branches.truth(place >= 0)

        def found_there(each: Any, found: Any) -> Any:
            return logic.or_(found, (lambda: is_equal(each, item),))

        return iteration.for_loop(self, found_there, (False,), ("the result of `in`",))

    def __reversed__(self) -> Iterator[Any]:
        if self.staged is not None:
            raise _refusal(self, asked_by(_ITERATION))
        return self._backwards()

    def _backwards(self) -> Iterator[Any]:
        at = list.__len__(self) - 1
        while self.staged is None and 0 <= at < list.__len__(self):
            yield super().__getitem__(at)
            at -= 1
        if self.staged is not None:
            left = iteration.Reversed(Items(self), self._left_in_turn(at))
            raise refuse_rest(*_CHANGED, self, functools.partial(iteration.Rest, left, 0))

    def _left_in_turn(self, at: int) -> Any:
        """The number of items from a place to the front, unless there is none at that place."""
        is_there = self.length() > at
        if is_symbol(is_there):
            labels = ("the number of rounds",)
            return branches.cond(is_there, lambda: at + 1, lambda: 0, (), labels)
        return at + 1 if is_there else 0

    def __repr__(self) -> str:
        if self.staged is None:
            return super().__repr__()
        if asked_by_converted_code(sys._getframe(1)):
            raise _refusal(self, "its text")
        return f"<staged list of {self.staged}>"

    def __getitem__(self, index: Any) -> Any:
        index = given_index(index)
        if isinstance(index, slice):
            return self._placed(self._slice(index))
        if self.staged is None and not is_symbol(index):
            return super().__getitem__(index)
        return self.at(place_of(index, self.length(), self.indexed), index)

    def __setitem__(self, index: Any, item: Any) -> None:
        index = given_index(index)
        if isinstance(item, GrowingList) and is_under(item, self, index):
            return  # as `table[i] += items` does, which has changed it
        is_known = self.staged is None and not is_staged_index(index)
        source = iteration.staged(item) if isinstance(index, slice) else None
        if isinstance(index, slice) and (not is_known or iteration.has_open_length(source)):
            self._replace(index, item)
        elif source is not None:
            super().__setitem__(index, elements(item, "assigning a slice"))
        elif is_known:
            super().__setitem__(index, item)
        else:
            place = place_of(index, self.length(), self.assigned)
            self.put_at(place, item, index)

    def put_at(self, place: Any, item: Any, key: Any = None) -> None:
        """Assign the item at a place that is in bounds, and that the user calls `key`."""
        if self.staged is None and not is_symbol(place):
            super().__setitem__(place, item)
            return
        if self.table is not None and self._put_in_row(place, item):
            return
        if self.staged is None and all(map(_is_by_value, (item, *list.__iter__(self)))):
            self._put_list(place, item)
            return
        if self.has_lists and swaps(self, place, key, item):
            return
        item = shared(item)
        if self.has_lists:
            take_all_from(self)
        self.write(place, item)

    def __delitem__(self, index: Any) -> None:
        index = given_index(index)
        if self.staged is None and not is_staged_index(index):
            super().__delitem__(index)
        elif isinstance(index, slice):
            self._delete(index)
        else:
            self.taken(place_of(index, self.length(), self.assigned))

    def _put_list(self, place: Any, item: Any) -> None:
        """Put a list at a place that only the run knows: each item is the old one or that."""
        for at, old in enumerate(list.__iter__(self)):
            is_new = apply_number(numbers.CONVERSIONS["int"], place == at)
            super().__setitem__(at, chosen([old, item], is_new))

    def _replace(self, index: slice, items: Any) -> None:
        self._check_own()
        given = GrowingList()
        given.extend(items)
        start, stop, step = bounds(index, self.length())

        def between() -> GrowingList:
            made = self._slice(slice(None, start))
            made.extend(given)
            made.extend(self._slice(slice(stop, None)))
            return made

        def each() -> GrowingList:
            return self._with_each(_range(start, stop, step), given)

        is_one = step == 1
        if is_symbol(is_one):
            made = branches.cond(is_one, between, each, (), ("the list",))
        else:
            made = between() if is_one else each()
        put_others(self, made)

    def _with_each(self, places: Tensor, given: GrowingList) -> GrowingList:
        """A copy with items at as many places, of which each is another one."""
        _check_sizes(given.length(), index_of(ops.size(places, dtypes.int64)))
        made, size = self._another(), self.length()
        if size_of(self) == 0:
            return made
        made.extend(given)
        behind = _range(size, made.length())
        order = ops.tensor_scatter_nd_update(_range(0, size), ops.expand_dims(places, 1), behind)
        made._move(lists.TAKE, made._covering(), order, size_of(self))
        return made

    def _delete(self, index: slice) -> None:
        size = self.length()
        ends = bounds(index, size)
        if size_of(self) == 0:
            return
        each = ops.fill(ops.reshape(_tensor(size), [1]), True)
        places = ops.expand_dims(_range(*ends), 1)
        kept = ops.tensor_scatter_nd_update(each, places, ops.fill(ops.shape(places)[:1], False))
        self._move(lists.TAKE, self._covering(), ops.reshape(ops.where(kept), [-1]), None)

    @unfailing
    def at(self, index: Any, key: Any = None) -> Any:
        """The item at an index that is in bounds, and that the user calls `key`."""
        if self.staged is None:
            return chosen(self, index) if is_symbol(index) else super().__getitem__(index)
        table, place = self.table, _tensor(index)
        if table is not None:
            return table.table.item_at(table.place, place)
        held = self._covering()
        if staged_items.is_row(held.element):
            return row_of(self, place, key)
        item = staged_items.item_at(held.columns, place, held.element, written=True)
        for each in filter(is_row, _held_in(item)):
            each.sites = sites_inside(self)
        return item

    def _slice(self, index: slice) -> GrowingList:
        if self.staged is None and not is_staged_index(index):
            return GrowingList(super().__getitem__(index))
        size = self.length()
        if size_of(self) == 0:
            bounds(index, 0)
            return GrowingList()
        if not (is_staged_index(index) or is_symbol(size)):
            places = range(*index.indices(size))
            made = self._another()
            wanted = convert_to_tensor(list(places), dtypes.int64)
            made._move(lists.TAKE, self._covering(), wanted, len(places))
            return made
        made = self._another()
        made._move(lists.TAKE, self._covering(), _range(*bounds(index, size)), None)
        return made

    def fill(self, keys: Any, children: Sequence[Any]) -> None:
        """Put into it what `content` says."""
        if self.table is None and not (isinstance(keys, Kind) and keys.shared):
            self._check_own()  # a block changes it, and has put it into a list
        super().fill(keys, children)

    # Lists as its items

    def rows(self, *further: Spec) -> tuple[Tree, list[Any]]:
        """The Spec of the lists in it, also of further ones, and the columns that keep them."""
        held = self._covering(*further)
        return cast(Tree, held.element), list(held.columns)

    @property
    def row_kind(self) -> type:
        """The class of what stands for each of them."""
        return cast(Tree, cast(StagedItems, self.staged).element).structure.kind

    def put_rows(self, element: Tree, columns: Sequence[Any]) -> None:
        """Put other lists in place of them, as many."""
        self.fill(Kind(element, size_of(self)), columns)

    def _is_row(self) -> bool:
        """Whether its items are kept in a list or dict of lists."""
        table = self.table
        return table is not None and isinstance(table.table, RowTable)

    @unfailing
    def _put_in_row(self, place: Any, item: Any) -> bool:
        """Assign an item that fits to a list that is in another one, or put it behind the others
        without a place; False for one that does not.
        """
        self._check_own()
        if place is None and size_of(self) is not None:
            return False
        item = shared(item)
        table = cast(InTable, self.table)
        element = table.table.rows()[0].structure.keys.element
        try:
            fitting = _fitting([element, joins.abstract(item)])
        except StagingError:
            want_lists(self, item)
            raise
        if fitting != element:
            return False
        row = staged_items.row_of(item, element)
        if place is None:
            table.table.push_item(table.place, row)
        else:
            table.table.put_item(table.place, place, row)
        return True

    def _check_own(self) -> None:
        if self.staged is not None and self.staged.kind.shared:
            raise refuse_shared(self)

    def share(self) -> None:
        """Have it in another place, too, or the lists in it: nobody may change them any more."""
        if self.has_lists:
            super().share()
            return
        if self.table is not None:
            self.table.table.share()
            return
        if shared_row(self) is not None:
            return
        held = self._in_graph()
        kind = dataclasses.replace(held.kind, shared=True)
        if self.staged is not None:
            self.fill(kind, held.columns)
            return
        items = list(list.__iter__(self))
        # Blocks that take it after one another are not in each other: each makes its own columns.
        note_inside(self, items)
        self.be_apart(StagedRow(kind, lambda: staged_items.columns_of(items, kind.element)))

    @property
    def has_lists(self) -> bool:
        """True for a list of the graph that has lists as its items."""
        return self.staged is not None and staged_items.is_row(self.staged.element)

    # Its columns

    @unfailing
    def write(self, at: Any, item: Any) -> None:
        """Put an item at a place of the list of the graph, or behind the last one."""
        self._check_own()
        forget_keys(self)
        note_inside(self, (item,))
        item = shared(item)
        held, place = self._covering_item(item), _tensor(at)
        size = held.kind.size
        if size is not None and not is_symbol(at):
            size = max(size, at + 1)
        row = staged_items.row_of(item, held.element)
        self.fill(Kind(held.element, size), staged_items.with_row(held.columns, place, row))
        if isinstance(item, GrowingList):
            if staged_items.is_row(held.element):
                # Who changes it under its own name changes it there.
                item.become(self, place)
            else:
                item.share()
        elif isinstance(item, list) and not is_reference(item):
            want_lists(item)
            raise refuse(
                "a list is put into a list of which only the run knows the items, and may have "
                "other names",
                "put a copy there: list(row)",
            )

    def keep_range(self, start: Any, stop: Any) -> None:
        """Take all items out but those at these places, of a list of the graph."""
        size = None if is_symbol(start) or is_symbol(stop) else stop - start
        self._move(lists.TAKE, self._covering(), _range(start, stop), size)

    @unfailing
    def _move(self, primitive: Any, held: StagedItems, places: Tensor, size: int | None) -> None:
        self._check_own()
        if self.has_lists:
            take_all_from(self)
        columns = [apply(primitive, column, places) for column in held.columns]
        self.fill(Kind(held.element, size), columns)

    def _join(self, others: GrowingList) -> None:
        self._check_own()
        if others.has_lists:
            others.share()
        note_inside(self, (), (sites_inside(others),))
        held = self._covering(*others.specs())
        size, more = self.length(), others.length()
        behind = staged_items.columns_of(others, held.element)
        pairs = zip(held.columns, behind, strict=True)
        known = None if is_symbol(size) or is_symbol(more) else size + more
        self.fill(Kind(held.element, known), [apply(lists.EXTEND, a, b) for a, b in pairs])

    def specs(self) -> Sequence[Spec]:
        """The Specs of its items; of a list of the graph the one that all have."""
        keys, children = self.content()
        return list(map(joins.abstract, children)) if isinstance(keys, int) else [keys.element]

    def _covering(self, *further: Spec) -> StagedItems:
        """Its items in the graph, with a Spec that covers others too."""
        if self.staged is not None:
            active(*self.staged.columns)
        specs = [*self.specs(), *further]
        if not specs:
            raise IndexError("list index out of range")
        try:
            element = _fitting(specs)
        except StagingError:
            want_inside(self)
            raise
        if self.staged is None:
            for inside in staged_items.lists_in_tuples(list.__iter__(self)):
                inside.share()
        return StagedItems(Kind(element, size_of(self)), staged_items.columns_of(self, element))

    def _in_graph(self) -> StagedItems:
        """Its items in the graph, also if there are none."""
        is_empty = self.staged is None and not list.__len__(self)
        return _nothing() if is_empty else self._covering()

    def _covering_item(self, item: Any) -> StagedItems:
        """Its items in the graph, with a Spec that covers another one that is put there."""
        try:
            return self._covering(joins.abstract(item))
        except StagingError:
            want_inside(self, item)
            raise

    # As tensors

    def exported(self, numbers: Mapping[str, DType]) -> GrowingList:
        """The list with tensors, of these dtypes by kind, in place of numbers."""
        held = self._covering()
        element = staged_items.with_tensors(held.element, numbers)
        columns = staged_items.columns_of(self, element)
        return GrowingList.holding(Kind(element, held.kind.size), columns)

    def own(self) -> Any:
        return self if self.staged is not None else self.__class__(list.__iter__(self))

    def shown(self) -> Any:
        from runtime.staging.lists.list_places import exported_list

        return super().shown() if self.staged is None else exported_list(self)

    @classmethod
    def of_run(cls, items: list[Any]) -> Any:
        return list(map(staged_items.as_result, items))

    def joined(self, primitive: Any, dtype: DType | None = None) -> Tensor:
        """The tensor that a primitive of arrays makes of the items."""
        held = self.exported(dtypes_beside(dtype))._covering()
        if not isinstance(held.element, Leaf):
            raise _refusal(self, "making a tensor of items that are no tensors or numbers")
        (column,) = held.columns
        made: Tensor = apply(primitive, column, element=column.type.element)
        return made

    def _items_of_run(self, stacked: bool, none: str | None) -> Tensor | None:
        items = self.in_order()
        if items.staged is None:
            return None
        if none is not None:
            check(items.length() == 0, none, wrong_value)
        return items.joined(lists.STACK if stacked else lists.CONCAT)


def _not_joined(kind: type, other: type) -> TypeError:
    name = "collections.deque" if other is deque else other.__name__
    return TypeError(f'can only concatenate {kind.__name__} (not "{name}") to {kind.__name__}')


def _is_by_value(item: Any) -> bool:
    return isinstance(item, list) and not is_reference(item)


def _repeated(column: Any, places: Tensor) -> Any:
    """The column with its items at places, some of them often: at once, if they are numbers."""
    element = column.type.element
    if element.shape != () or element.dtype is dtypes.string:
        return apply(lists.TAKE, column, places)
    return apply(lists.UNSTACK, ops.gather(staged_items.stacked(column), places))


def _fitting(specs: Sequence[Spec]) -> Spec:
    """The Spec that covers those of the items."""
    try:
        return staged_items.covering(specs)
    except Mismatch as mismatch:
        what = f"the items of a list that only the run knows do not fit together: {mismatch}"
        raise refuse(what, mismatch.hint) from None


def row_of(table: RowTable, place: Any, key: Any = None) -> GrowingList:
    """The list or set at a place of a list or dict, where it is under this key."""
    made: GrowingList = table.row_kind()
    made.sites = sites_inside(table)
    if made.is_value:  # it stays what it was when it was read
        made.be_in(table, _tensor(place))
        return made.holding(*made.content())
    made.become(table, place, key)
    note_found("the list around a list", table)
    return made


def shared(item: Any) -> Any:
    """The item that is put into a list or dict for this: for a list that is in one of the graph, or
    in a tuple, another one of the same items. Nobody may change them any more.
    """
    if issubclass(type(item), tuple):
        parts = [_image(part) if is_row(part) else shared(part) for part in item]
        is_same = all(map(operator.is_, parts, item))
        return item if is_same else tuple.__new__(type(item), parts)
    is_in_one = is_row(item) and item.table is not None
    return _image(item) if is_in_one else item


def owned(row: GrowingList) -> GrowingList:
    """A list or set in place of one that is taken out of a list or dict."""
    if row.is_value:
        return row
    made: GrowingList = row.copied()
    inherit_sites(made, (row,))
    return made


def _held_in(item: Any) -> Iterator[Any]:
    """The values that an item may be, or those in a tuple."""
    if issubclass(type(item), Choice | tuple):
        for each in item.options if isinstance(item, Choice) else item:
            yield from _held_in(each)
    else:
        yield item


def is_row(item: Any) -> bool:
    """True for a list or set that may be at a place of a list or dict of the graph."""
    return isinstance(item, GrowingList) and item.plain in ROWS and not is_reference(item)


def _image(items: GrowingList) -> GrowingList:
    items.share()
    made = items.holding(*items.content())
    inherit_sites(made, (items,))
    return made


def _nothing() -> StagedItems:
    type = ListType(staged_items.column_type(NUMBER_TYPES[bool]))
    column = apply(lists.OF, places=(), size=0, type=type)
    return StagedItems(Kind(staged_items.NOTHING, 0), [column])


def _refusal_of_rows(items: GrowingList) -> Exception:
    want_lists(items)
    return refuse(
        "`*` of a list of lists, of which only the run knows the number: each of them would be in "
        "two lists",
        "append lists of numbers, and assign items of these: table[i][j] = v; or a list of tuples",
    )


def collected(source: iteration.Staged) -> GrowingList:
    """The list of the elements of something staged."""
    return gathered(source, GrowingList(), lambda made, item: made.append(item), ("items",))


# Places


def _tensor(number: Any) -> Tensor:
    return convert_to_tensor(number, dtypes.int64)


def _range(start: Any, stop: Any, step: Any = 1) -> Tensor:
    return ops.range(_tensor(start), _tensor(stop), _tensor(step))


@unfailing
def _in_turn(size: Any, count: Any) -> Tensor:
    """The places of a list, one after the other and over again: so many."""
    return _range(0, count) % _tensor(size)


def _check_sizes(given: Any, wanted: Any) -> None:
    text = "attempt to assign sequence of size {} to extended slice of size {}"
    check(given != wanted, texts.make(str.format, text, given, wanted), ValueError)


# What is refused


def _refusal(items: Growing, what: str) -> Exception:
    if items.staged is not None:
        active(*items.staged.columns)
    kind = "tuple" if items.plain is tuple else "list"
    ways = "" if kind == "tuple" else "append, pop, insert, extend, "
    return refuse(
        f"{what} needs a {kind} of which Python knows the items; how many are in this one only the "
        "run knows",
        f"use {ways}items, len and `for`, or make a tensor of it (tf.stack)",
    )


_CHANGED = (
    "a round of a loop over a list changes it so that only the run knows its items",
    "loop over a copy (list(...)), or by an index: while i < len(...)",
)
_ITERATION = "unpacking, or a comprehension or loop in code that is not converted"


# Where it is known


def known_list(items: list[Any]) -> list[Any]:
    """The stand-in for a list of numbers, texts, tensors, and tuples and sets of these, that an
    argument is, or has in it.
    """
    return GrowingList(items) if all(map(_is_known, items)) else items


def _is_known(item: Any) -> bool:
    if isinstance(item, tuple):
        return all(map(_is_known, item))
    return isinstance(item, _KNOWN) or type(item) in NUMBER_TYPES


_KNOWN = (Symbol, SymbolicNumber, Tensor, Growing, str, NoneType, set, frozenset)
_OWNERS = frozenset((list, set, deque, dict, defaultdict, Counter))


def list_function(function: Any) -> Any:
    """Returns what to call for a function written in C that looks into lists past their methods;
    None for any other one.
    """
    if function is operator.iadd:
        return _add_in_place
    of_lists = getattr(function, "__objclass__", None) in _OWNERS
    if of_lists and not hasattr(function, "__self__") and function.__name__ != "__repr__":
        return functools.partial(_method, function)
    return None


def _add_in_place(target: Any, value: Any, /) -> Any:
    # `+=` of a list would ask `__radd__` of a GrowingList first.
    if type(target) is list and isinstance(value, GrowingList):
        return list.__iadd__(target, value)
    target += value
    return target


def _method(function: Any, items: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(items, Growing):
        return getattr(items, function.__name__)(*args, **kwargs)
    return function(items, *args, **kwargs)


def check_deep(items: StagedItems, kind: str, copied: str) -> None:
    """StagingError for what is copied with all that is in it, where these are no values."""
    if any(map(is_reference_class, classes_in(items.element))):
        raise refuse(
            f"a {kind} with objects or lists in it, of which the run chooses some, is copied with "
            "all that is in it",
            f"copy each yourself: {copied}",
        )


def to_tensor(items: GrowingList, dtype: DType | None) -> Any:
    """The tensor of the items of a list of the graph."""
    if items.staged is None:
        return NotImplemented
    return convert_to_tensor(items.joined(lists.STACK, dtype), dtype)


let_stand_for(list, GrowingList)
register_conversion(GrowingList, to_tensor)
staged_items.add_kind(GrowingList)
