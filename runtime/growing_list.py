"""The list that stands for one of the user's while a function is traced, and may become one of the
graph: where its length, or which item is meant, is known only to the run.
"""

from __future__ import annotations

import dis
import functools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn

from autograph import register_backend, register_stand_in
from runtime import dtypes, ops
from runtime.convert import convert_to_tensor, register_conversion
from runtime.dtypes import DType
from runtime.graph import arrays, list_nodes, numbers
from runtime.graph.nodes import LIST_ADD, apply
from runtime.graph.refusals import asked_by_converted_code, refuse
from runtime.graph.scopes import active
from runtime.graph.staging import branches, iteration, joins, lists
from runtime.graph.staging.growing import Growing, StagedItems
from runtime.graph.staging.joins import Leaf, Mismatch, Spec
from runtime.graph.staging.optional_values import present
from runtime.graph.symbolic_number import apply_number
from runtime.graph.tracing import is_symbol
from runtime.ops.joining import register_list
from runtime.staged_builtins import elements, index_of
from runtime.staging import StagingBackend
from runtime.tensor import Tensor


class GrowingList(Growing):
    """A list of the user's: Python's own, until only the run knows how many items it has, or which
    of them is meant.

    Then it is one of the graph: `append`, `extend`, `insert`, `pop`, `clear`, `reverse`, `copy`,
    `+`, items, slices, `len` and iteration are staged; what else lists can do is refused.
    """

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return list

    # Changing it

    def append(self, item: Any, /) -> None:
        """Put an item behind the others."""
        if self.staged is None:
            super().append(item)
        else:
            self._write(self.length(), item)

    def extend(self, items: Iterable[Any], /) -> None:
        """Put items behind the others."""
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
        index = present(index)
        if self.staged is None and not is_symbol(index):
            super().insert(index, item)
            return
        at = _clipped(index, self.length())
        self._move(list_nodes.GAP, self._covering(joins.abstract(item)), _tensor(at))
        self._write(at, item)

    def pop(self, index: Any = -1, /) -> Any:
        """Take an item out. IndexError, at run time, where there is none."""
        index = present(index)
        if self.staged is None and not is_symbol(index):
            return super().pop(index)
        size = self.length()
        _check(size == 0, "pop from empty list")
        is_last = not is_symbol(index) and index == -1
        at = size - 1 if is_last else _place(index, size, "pop index out of range")
        item = self.at(at)
        self._move(list_nodes.DROP, self._covering(), _tensor(at))
        return item

    def reverse(self) -> None:
        """Turn the order of the items round."""
        if self.staged is None:
            super().reverse()
        else:
            self._move(
                list_nodes.TAKE, self._covering(), ops.reverse(_range(0, self.length()), [0])
            )

    def copy(self) -> GrowingList:
        """Another list of the same items."""
        made = GrowingList()
        made.fill(*self.content())
        return made

    def __iadd__(self, items: Iterable[Any]) -> GrowingList:  # type: ignore[misc]
        # A tensor on the right side adds itself, as to any list.
        if not isinstance(items, list) and hasattr(type(items), "__radd__"):
            return NotImplemented
        self.extend(items)
        return self

    def __add__(self, items: Any) -> Any:
        if not isinstance(items, list):
            if hasattr(type(items), "__radd__"):
                return NotImplemented
            kind = type(items).__name__
            raise TypeError(f'can only concatenate list (not "{kind}") to list')
        made = self.copy()
        made.extend(items)
        return made

    def __radd__(self, items: Any) -> Any:
        if not isinstance(items, list):
            return NotImplemented
        # Python asks here too for `items += self`.
        made = items if _adds_in_place(sys._getframe(1)) else GrowingList(items)
        made.extend(self)
        return made

    # Items

    def __iter__(self) -> Iterator[Any]:
        at = 0
        while self.staged is None and at < list.__len__(self):
            yield super().__getitem__(at)
            at += 1
        if self.staged is not None:
            raise _changed_while_iterated() if at else _refusal(self, _ITERATION)

    def __reversed__(self) -> Iterator[Any]:
        if self.staged is not None:
            raise _refusal(self, _ITERATION)
        return self._backwards()

    def _backwards(self) -> Iterator[Any]:
        at = list.__len__(self) - 1
        while self.staged is None and 0 <= at < list.__len__(self):
            yield super().__getitem__(at)
            at -= 1
        if self.staged is not None:
            raise _changed_while_iterated()

    def __repr__(self) -> str:
        if self.staged is None:
            return super().__repr__()
        if asked_by_converted_code(sys._getframe(1)):
            raise _refusal(self, "its text")
        return f"<staged list of {self.staged}>"

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(index)
        index = present(index)
        if self.staged is None and not is_symbol(index):
            return super().__getitem__(index)
        return self.at(_place(index, self.length(), "list index out of range"))

    def __setitem__(self, index: Any, item: Any) -> None:
        index = present(index)
        if self.staged is None and not _is_staged(index):
            super().__setitem__(index, item)
        elif isinstance(index, slice):
            raise _refusal(self, "assigning a slice")
        else:
            self._write(_place(index, self.length(), "list assignment index out of range"), item)

    def __delitem__(self, index: Any) -> None:
        index = present(index)
        if self.staged is None and not _is_staged(index):
            super().__delitem__(index)
        elif isinstance(index, slice):
            raise _refusal(self, "deleting a slice")
        else:
            self.pop(_place(index, self.length(), "list assignment index out of range"))

    def at(self, index: Any) -> Any:
        """The item at an index that is in bounds."""
        held, place = self._covering(), _tensor(index)
        row = [apply(arrays.READ, x, place, element=x.type.element) for x in held.columns]
        return lists.item_of(row, held.element)

    def _slice(self, index: slice) -> GrowingList:
        if self.staged is None and not _is_staged(index):
            return GrowingList(super().__getitem__(index))
        if index.step not in (None, 1):
            raise _refusal(self, "a slice with a step")
        size = self.length()
        start = 0 if index.start is None else _clipped(index.start, size)
        stop = size if index.stop is None else _clipped(index.stop, size)
        made = self.copy()
        stop = apply_number(numbers.MAX, start, stop)
        made._move(list_nodes.TAKE, self._covering(), _range(start, stop))
        return made

    # Its columns

    def _write(self, at: Any, item: Any) -> None:
        held, place = self._covering(joins.abstract(item)), _tensor(at)
        row = lists.row_of(item, held.element)
        pairs = zip(held.columns, row, strict=True)
        self.fill(
            held.element, [apply(arrays.WRITE, c, place, kept, dynamic=True) for c, kept in pairs]
        )

    def _move(self, primitive: Any, held: StagedItems, places: Tensor) -> None:
        self.fill(held.element, [apply(primitive, column, places) for column in held.columns])

    def _join(self, others: GrowingList) -> None:
        held = self._covering(*others._specs())
        size = self.length()
        places = _range(size, size + others.length())
        moved = [apply(list_nodes.PUT, x, places) for x in lists.columns_of(others, held.element)]
        pairs = zip(held.columns, moved, strict=True)
        self.fill(held.element, [apply(LIST_ADD, a, b) for a, b in pairs])

    def _specs(self) -> Sequence[Spec]:
        keys, children = self.content()
        return list(map(joins.abstract, children)) if isinstance(keys, int) else [keys]

    def _covering(self, *further: Spec) -> StagedItems:
        """Its items in the graph, with a Spec that covers others too."""
        if self.staged is not None:
            active(*self.staged.columns)
        specs = [*self._specs(), *further]
        if not specs:
            raise IndexError("list index out of range")
        try:
            element = lists.covering(specs)
        except Mismatch as mismatch:
            what = f"the items of a list that only the run knows do not fit together: {mismatch}"
            raise refuse(what, mismatch.hint) from None
        return StagedItems(element, lists.columns_of(self, element))

    # As tensors

    def exported(self, dtype: DType | None = None) -> GrowingList:
        """The list with tensors, of this dtype, in place of numbers."""
        made = GrowingList()
        element = lists.with_tensors(self._covering().element, dtype)
        made.fill(element, lists.columns_of(self, element))
        return made

    def joined(self, primitive: Any, dtype: DType | None = None) -> Tensor:
        """The tensor that a primitive of arrays makes of the items."""
        held = self.exported(dtype)._covering()
        if not isinstance(held.element, Leaf):
            raise _refusal(self, "making a tensor of items that are no tensors or numbers")
        (column,) = held.columns
        made: Tensor = apply(primitive, column, element=column.type.element)
        return made


def collected(source: iteration.Staged) -> GrowingList:
    """The list of the elements of something staged."""

    def one_more(item: Any, items: GrowingList) -> GrowingList:
        made = items.copy()
        made.append(item)
        return made

    made: GrowingList = iteration.for_loop(source, one_more, (GrowingList(),), ("items",))
    return made


# Places


def _is_staged(index: Any) -> bool:
    parts = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
    return any(map(is_symbol, parts))


def _tensor(number: Any) -> Tensor:
    return convert_to_tensor(number, dtypes.int64)


def _range(start: Any, stop: Any) -> Tensor:
    return ops.range(_tensor(start), _tensor(stop))


def _from_end(index: Any, size: Any) -> Any:
    """The place that an index means, a negative one from the end."""
    if not is_symbol(index) and not hasattr(type(index), "__index__"):
        kind = type(index).__name__
        raise TypeError(f"list indices must be integers or slices, not {kind}")
    number = index_of(index)
    if not is_symbol(number):
        return number if number >= 0 else size + number
    return branches.cond(number < 0, lambda: size + number, lambda: number, (), ("index",))


def _place(index: Any, size: Any, message: str) -> Any:
    at = _from_end(index, size)
    _check(at < 0, message)
    _check(at >= size, message)
    return at


def _clipped(index: Any, size: Any) -> Any:
    at = _from_end(index, size)
    return apply_number(numbers.MIN, apply_number(numbers.MAX, at, 0), size)


def _check(fails: Any, message: str) -> None:
    def fail() -> NoReturn:
        raise IndexError(message)

    def hold() -> None:
        pass

    branches.cond(fails, fail, hold, (), ())


def _adds_in_place(frame: FrameType) -> bool:
    """True if an operator of this frame asks, and it is `+=`."""
    code, at = frame.f_code.co_code, frame.f_lasti
    in_place = dis.opmap["BINARY_OP"], _IN_PLACE_ADD
    return (code[at], code[at + 1]) == in_place


_IN_PLACE_ADD = next(at for at, (_, text) in enumerate(dis._nb_ops) if text == "+=")  # type: ignore[attr-defined]


# What is refused


def _refusal(items: Growing, what: str) -> Exception:
    assert items.staged is not None
    active(*items.staged.columns)
    return refuse(
        f"{what} needs a list of which Python knows the items; how many are in this one only the "
        "run knows",
        "use append, pop, insert, extend, items, len and `for`, or make a tensor of it (tf.stack)",
    )


def _is_known_to_run(item: Any) -> bool:
    return isinstance(item, Growing) and item.staged is not None


def _changed_while_iterated() -> Exception:
    return refuse(
        "a round of a loop over a list changes it so that only the run knows its items",
        "loop over a copy (list(...)), or by an index: while i < len(...)",
    )


_ITERATION = "unpacking, or a comprehension or loop in code that is not converted"
_WHAT = {
    "__contains__": "`in` in code that is not converted",
    "__len__": "a length in code that is not converted, or unpacking,",
    "__imul__": "`*=`",
    "__mul__": "`*`",
    "__rmul__": "`*`",
    **dict.fromkeys(("__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"), "a comparison"),
    **{name: f"{name}()" for name in ("count", "index", "remove", "sort")},
}


def _refusing(name: str, what: str) -> Callable[..., Any]:
    own = getattr(list, name)

    def method(self: GrowingList, *args: Any, **kwargs: Any) -> Any:
        for item in filter(_is_known_to_run, (self, *args)):
            raise _refusal(item, what)
        return own(self, *args, **kwargs)

    method.__name__ = name
    return method


for _name, _what in _WHAT.items():
    setattr(GrowingList, _name, _refusing(_name, _what))


# Where it is known


def list_function(function: Any) -> Any:
    """Returns what to call for a function written in C that looks into lists past their methods;
    None for any other one.
    """
    if function is operator.iadd:
        return _add_in_place
    of_lists = getattr(function, "__objclass__", None) is list
    if of_lists and not hasattr(function, "__self__"):
        return functools.partial(_method, function)
    if getattr(function, "__module__", None) == "_heapq":
        return functools.partial(_refusing_staged, function)
    return None


def _add_in_place(target: Any, value: Any, /) -> Any:
    # `+=` of a list would ask `__radd__` of a GrowingList first.
    if type(target) is list and isinstance(value, GrowingList):
        return list.__iadd__(target, value)
    target += value
    return target


def _method(function: Any, items: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(items, GrowingList):
        return getattr(items, function.__name__)(*args, **kwargs)
    return function(items, *args, **kwargs)


def _refusing_staged(function: Any, *args: Any, **kwargs: Any) -> Any:
    for item in filter(_is_known_to_run, args):
        raise _refusal(item, f"{function.__name__}()")
    return function(*args, **kwargs)


class _ListBackend(StagingBackend):
    def stages(self, value: Any) -> bool:
        return value.staged is not None


class _Items(iteration.Staged):
    """The items of a list of the graph, also those that the loop over it appends."""

    __slots__ = ("items",)
    varies = True

    def __init__(self, items: GrowingList) -> None:
        self.items = items

    def length(self) -> Any:
        return self.items.length()

    def at(self, index: Any) -> Any:
        return self.items.at(index)


def _sequence(items: GrowingList) -> iteration.Staged | None:
    return None if items.staged is None else _Items(items)


def _to_tensor(items: GrowingList, dtype: DType | None) -> Any:
    if items.staged is None:
        return NotImplemented
    return convert_to_tensor(items.joined(arrays.STACK, dtype), dtype)


def _whole(items: GrowingList, stacked: bool) -> Tensor | None:
    if items.staged is None:
        return None
    return items.joined(arrays.STACK if stacked else arrays.CONCAT)


# As Python's own messages name it.
GrowingList.__name__ = GrowingList.__qualname__ = "list"
register_backend(GrowingList, _ListBackend())
register_stand_in(GrowingList, list)
register_conversion(GrowingList, _to_tensor)
register_list(GrowingList, _whole)
iteration.register_sequence(GrowingList, _sequence)
lists.add_kind(GrowingList)
