"""Lists and tuples of staged items, compared: sorting, counting, finding, `==`.

The order of numbers is Python's, and stable; a NaN among them, which has no order, is an error of
the run.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import (
    Callable,
    ItemsView,
    Iterator,
    KeysView,
    MappingView,
    Sequence,
    ValuesView,
)
from types import BuiltinFunctionType, NoneType, WrapperDescriptorType
from typing import Any, cast

from autograph.operators.comprehensions import for_names, of_generator
from autograph.operators.texts import shown_by_user
from autograph.operators.unpacking import given_all, taken_apart
from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.core.types import ListType, is_variable
from runtime.graph.lists import TAKE
from runtime.graph.nodes import NUMBER_TYPES, apply
from runtime.graph.structures import has_object
from runtime.graph.text_ops import TEXT_RANKS
from runtime.staging import texts
from runtime.staging.backend import SETTERS
from runtime.staging.builtin_functions import BUILTINS, elements
from runtime.staging.control import branches, iteration, logic
from runtime.staging.control.branches import truth
from runtime.staging.control.choices import Choice, is_option, is_token
from runtime.staging.control.item_comparisons import all_of, compared, is_equal
from runtime.staging.control.logic import compares_itself
from runtime.staging.control.optional_values import MaybeNone, present
from runtime.staging.control.references import is_reference, is_reference_class
from runtime.staging.control.specs import Leaf, Optional, Same, Spec, Tree
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth
from runtime.staging.lists.comparison_sort import Comparator, order_of, orders_itself
from runtime.staging.lists.extremes import extreme_of_lists, gives_lists
from runtime.staging.lists.growing import Growing, GrowingSequence, StagedItems, size_of
from runtime.staging.lists.growing_list import GrowingList, collected
from runtime.staging.lists.keys import is_float, is_staged, place_of_number
from runtime.staging.lists.sequences import check, chosen, is_record, refuse_if
from runtime.staging.lists.spread_calls import spread_call
from runtime.staging.lists.staged_items import stacked
from runtime.staging.lists.walks import Items, unpacked
from runtime.staging.refusals import refuse
from runtime.staging.scopes import called, outermost
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.texts import Text
from runtime.staging.tracing import is_symbol

# Sorting


def _sorted(items: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    if key is None and isinstance(items, ItemsView):
        key = operator.itemgetter(0)  # no two keys are equal
    made = listed(items)
    _sort(made, key=key, reverse=reverse)
    return made


def listed(items: Any = ()) -> GrowingList:
    """The list of the items of something iterable, of staged length where only the run knows it."""
    if isinstance(items, GrowingList):
        return items.in_order()
    if of_generator(items) is not None:
        made = GrowingList()
        made.extend(items)
        return made
    source = iteration.staged(items)
    if source is not None and is_symbol(source.length()):
        # A copy: the list that a loop leaves is one of several to the user.
        return collected(source).copied()
    return GrowingList(elements(items, "list"))


def _taken_apart(items: Any, before: int, after: int) -> Any:
    source = iteration.staged(items)
    if not iteration.has_open_length(source):
        return NotImplemented
    made = items if type(items) is GrowingList else listed(items)
    size, least = made.length(), before + after
    few = f"not enough values to unpack (expected at least {least}, got {{}})"
    check(size < least, texts.make(str.format, few, size), ValueError)
    behind = size - after
    ends = [made.at(behind + at) for at in range(after)]
    return [*[made.at(at) for at in range(before)], made[before:behind], *ends]


def _sort(self: GrowingList, *, key: Any = None, reverse: Any = False) -> None:
    """Sort the items in place: stable, by what `key` gives of them; refused for a NaN."""
    comparator = key if isinstance(key, Comparator) else None
    keys = self if key is None or comparator else _keys(self, called(key))
    if size_of(self) in (0, 1):
        return
    is_known = self.staged is None and not comparator and not any(map(orders_itself, keys))
    if is_known and any(isinstance(item, list) for item in keys):
        keys = GrowingList([tuple(elements(item, "sort")) for item in keys])
    if comparator or _order_themselves(keys):
        order = _order_of_objects(keys, bool(reverse), comparator)
        if self.staged is None and isinstance(order, list):
            items = list(self)
            self.fill(len(items), [items[at] for at in order])
            return
    elif keys.staged is None and not any(map(is_staged, keys)) and not is_symbol(reverse):
        _sort_known(self, keys, reverse)
        return
    else:
        order = _order_either_way(keys, reverse)
    if self.staged is None and any(isinstance(x, list) or is_record(x) for x in self):
        items = list(self)
        self.fill(len(items), [chosen(items, order[at]) for at in range(len(items))])
        return
    self._move(TAKE, self._covering(), order, size_of(self))


def _keys(items: GrowingList, key: Callable[[Any], Any]) -> GrowingList:
    if size_of(items) is None:
        source = iteration.staged(items)
        assert source is not None
        return collected(iteration.Map(lambda item: present(key(item)), [source]))
    return GrowingList([present(key(item)) for item in elements(items, "sort")])


def holds_staged(item: Any) -> bool:
    """True for a staged item, a list of the graph, an object whose own comparisons may give staged
    answers, and a list with one of these in it.
    """
    if isinstance(item, Growing) and (item.staged is not None or is_symbol(item.length())):
        return True
    if orders_itself(item) or compares_itself(item):
        return True
    return is_staged(item) or (isinstance(item, list) and any(map(holds_staged, item)))


def _sort_known(items: GrowingList, keys: GrowingList, reverse: Any) -> None:
    found = elements(items, "sort")
    order = sorted(range(len(found)), key=list(keys).__getitem__, reverse=reverse)
    items.fill(len(found), [found[at] for at in order])


def _order_themselves(keys: GrowingList) -> bool:
    """Whether they are objects with an order of their own, tuples with some, or lists."""
    if keys.staged is None:
        return any(map(orders_itself, list.__iter__(keys)))
    return _has_reference(keys.staged.element) or _has_lists(keys)


def _has_lists(items: GrowingList) -> bool:
    # Sets have no order among each other that sorts them.
    return items.has_lists and getattr(items.row_kind, "plain", None) is list


def _has_reference(element: Spec) -> bool:
    if not isinstance(element, Tree):
        return False
    kind = element.structure.kind
    return is_reference_class(kind) or (
        issubclass(kind, tuple) and any(map(_has_reference, element.children))
    )


def _order_of_objects(keys: GrowingList, reverse: bool, comparator: Comparator | None) -> Any:
    """The places of the objects in their order: a list, or, where only the run knows them, int64s.

    Python reverses what it sorts before and behind, so that equal ones stay in their order.
    """
    size = keys.length()
    ends = (size - 1, -1, -1) if reverse else (0, size, 1)
    places = (BUILTINS[range] if is_symbol(size) else range)(*ends)
    found = order_of(keys, places, _is_less, comparator)
    if found.staged is None and not any(map(is_symbol, found)):
        return list(found)[:: -1 if reverse else 1]
    order = convert_to_tensor(found, dtypes.int64)
    return ops.reverse(order, [0]) if reverse else order


def _is_less(a: Any, b: Any) -> Any:
    """`a < b`, of what the run sorts: lists by their items, of which a NaN decides nothing."""
    return compared(_decides, a, b)


def _decides(a: Any, b: Any) -> Any:
    made = _less_by_items(a, b) if isinstance(a, GrowingList) else NotImplemented
    if made is not NotImplemented:
        return made
    for number in (a, b):
        if is_float(number) or type(number) is TaggedUnion:
            refuse_if(number != number, *_NO_NAN)
    return a < b


def _order_either_way(keys: GrowingList, reverse: Any) -> Any:
    """`_order`, where perhaps only the run knows which way."""
    if not is_symbol(reverse):
        return _order(keys, bool(reverse))
    down, up = (lambda: _order(keys, True)), (lambda: _order(keys, False))
    return branches.cond(truth(reverse), down, up, (), ("an order",))


def _order(keys: GrowingList, reverse: bool) -> Tensor:
    """The places of the items in their order, int64."""
    held = keys._covering()
    columns = list(zip(_ranks(held.element), held.columns, strict=True))
    order: Any = None
    # By the last column first: each further one keeps the order of what is equal in it.
    for ranks, column in reversed(columns):
        values = stacked(column)
        if ranks is _IS_THERE:
            is_item = isinstance(held.element, Optional) and column is held.columns[0]
            _check_present(values, is_item)
            continue
        if ranks is not None:
            values = ops.gather(convert_to_tensor(ranks, dtypes.int64), values)
        if values.dtype is dtypes.string:
            values = apply(TEXT_RANKS, values)
        if values.dtype.is_bool:
            values = ops.cast(values, dtypes.int32)
        if values.dtype.is_floating:
            check_ordered(values)
        values = values if order is None else ops.gather(values, order)
        direction = "DESCENDING" if reverse else "ASCENDING"
        found = ops.cast(ops.argsort(values, direction=direction, stable=True), dtypes.int64)
        order = found if order is None else ops.gather(order, found)
    return _as_they_are(keys) if order is None else order


def _check_present(flags: Tensor, are_items: bool) -> None:
    """TypeError, at run time, where one of several items is None. RefusedError where one is in a
    tuple, of which Python asks only behind equal parts, and not if all are None.
    """
    are_there = ops.logical_or(ops.reduce_all(flags), ops.size(flags) < 2)
    if are_items:
        MaybeNone(None, are_there).get()
    else:
        fails = ops.logical_not(are_there)
        refuse_if(fails, "a tuple with None in it has no place in an order", _NO_NONE)


_NO_NONE = "leave such tuples out, or give a key that is none"


def _as_they_are(keys: GrowingList) -> Tensor:
    return ops.range(convert_to_tensor(keys.length(), dtypes.int64))


_IS_THERE = object()
"""For a column that tells whether a number or text is not None."""


def _ranks(element: Spec) -> Iterator[Any]:
    """For each scalar in a key None, or, of a text, which is kept as its place among all texts, the
    rank that each place has; nothing for a text that all of them have. StagingError for a key
    of which the order is not known.
    """
    if isinstance(element, Optional):
        yield _IS_THERE
        yield from _ranks(element.inner)
        return
    if isinstance(element, Tree) and element.structure.kind is Choice:
        options = element.structure.keys
        if all(isinstance(option, str) for option in options):
            yield [sorted(options).index(option) for option in options]
            return
    elif isinstance(element, Tree) and element.structure.handler.is_tuple:
        for child in element.children:
            yield from _ranks(child)
        return
    elif (
        isinstance(element, Leaf)
        and not isinstance(element.type, ListType)
        and (getattr(element.type, "shape", ()) == ())
    ):
        yield None
        return
    elif isinstance(element, Same) and isinstance(element.value, str):
        return
    raise refuse(
        "sort() orders items that are no numbers, texts, scalar tensors or tuples of them",
        "give a key that is: sorted(items, key=...), or tf.argsort",
    )


def check_ordered(values: Tensor) -> None:
    """Raise RefusedError, at run time, where there is a NaN: Python puts it somewhere."""
    refuse_if(ops.reduce_any(ops.is_nan(values)), *_NO_NAN)


_NO_NAN = "a NaN has no place in an order", "leave NaNs out, or give a key that is none"


# Counting and finding


def _words_of(call: Callable[[int], Any]) -> str:
    try:
        return str(call(0))
    except ValueError as error:
        return str(error)


# What Python says where an item is not found: up to 3.13 of some, the item.
_NOT_FOUND = {
    (kind, name): _words_of(getattr(kind(), name))
    for kind in (list, tuple, deque)
    for name in ("index", "remove")
    if hasattr(kind, name)
}


def _not_found(items: Any, name: str, item: Any) -> Any:
    """Python's words, perhaps of the run, for an item that `index` or `remove` does not find."""
    kind = next(kind for kind in (tuple, deque, list) if isinstance(items, kind))
    words = _NOT_FOUND[kind, name]
    if not words.startswith("0 "):
        return words
    is_staged = texts.is_staged(item)
    if is_reference(item) or (is_staged and has_object(item)):
        return f"x{words[1:]}"
    shown = shown_by_user(repr, item)
    if not is_staged and (shown is item or type(shown) is str):
        return f"{item!r}{words[1:]}" if shown is item else f"{shown}{words[1:]}"
    template = "{!r}{}" if shown is item else "{}{}"
    return texts.make(str.format, template, shown, words[1:])


def _count(items: Any, item: Any) -> Any:
    if isinstance(items, GrowingList) and size_of(items) is None:
        source = iteration.staged(items)

        def one_more(each: Any, found: Any) -> Any:
            return found + _as_int(is_equal(each, item))

        return iteration.for_loop(source, one_more, (0,), ("the count",))
    return sum([_as_int(is_equal(each, item)) for each in elements(items, "count")])


def _as_int(answer: Any) -> Any:
    return answer if isinstance(answer, bool) else BUILTINS[int](answer)


def _index(items: Any, item: Any, start: Any = 0, stop: Any = None) -> Any:
    """The first place of an item. ValueError, at run time, where it is not there."""
    part = items[start:stop] if stop is not None or is_symbol(start) or start != 0 else items
    return _place(part, item, _not_found(items, "index", item)) + _start(items, start)


def _place(items: Any, item: Any, missing: Any) -> Any:
    place = place_in(items, item)
    check(place < 0, missing, ValueError)
    return place


def place_in(items: Any, item: Any) -> Any:
    """The first place of an item; -1 where there is none."""
    if isinstance(items, GrowingList) and size_of(items) is None:
        return _place_in_staged(items, item)
    answers: list[Any] = []
    for each in elements(items, "index"):
        answers.append(is_equal(each, item))
        if answers[-1] is True:  # Python asks no more of them
            break
    place: Any = -1
    for at, answer in reversed(list(enumerate(answers))):
        if answer is True:
            place = at
        elif answer is not False:
            place = branches.cond(answer, lambda at=at: at, lambda at=place: at, (), ("index",))
    return place


def _place_in_staged(items: GrowingList, item: Any) -> Any:
    at = place_of_number(cast(StagedItems, items.staged), item)
    if at is not None:
        return at

    def look(each: Any, place: Any, at: Any) -> Any:
        is_first = logic.and_(truth(place < 0), (lambda: is_equal(each, item),))
        found = branches.cond(is_first, lambda: at, lambda: place, (), ("index",))
        return found, at + 1

    source = iteration.staged(items)
    return iteration.for_loop(source, look, (-1, 0), ("index", "the place"))[0]


def _start(items: Any, start: Any) -> Any:
    if is_symbol(start):
        raise refuse("index() begins at a place that only the run knows", "a slice of the list")
    return start if start >= 0 else max(len(items) + start, 0)


def _remove(self: GrowingList, item: Any) -> None:
    self.taken(_place(self, item, _not_found(self, "remove", item)))


def _equal(self: GrowingList, other: Any) -> Any:
    if not isinstance(other, list | tuple | deque):
        return NotImplemented
    if not _are_alike(self, other):
        return False
    mine, its = self.length(), other.length() if isinstance(other, Growing) else len(other)
    if is_symbol(mine) or is_symbol(its):
        return logic.and_(mine == its, (lambda: _all_equal(self, other),))
    if mine != its:
        return False
    pairs = zip(elements(self, "=="), elements(other, "=="), strict=True)
    return all_of([is_equal(a, b) for a, b in pairs])


def _are_alike(a: Any, b: Any) -> bool:
    """Whether both are lists, or deques, or tuples."""
    return all(
        issubclass(a.__class__, kind) == issubclass(b.__class__, kind) for kind in (deque, tuple)
    )


def _all_equal(items: GrowingList, others: Any) -> Any:
    """Whether the items of two lists are equal, in pairs, of which only the run knows how many."""
    both = [x if isinstance(x, GrowingSequence) else GrowingList(x) for x in (items, others)]
    if any(not is_symbol(size) and size == 0 for size in [x.length() for x in both]):
        return True

    def look(pair: Any, _: Any) -> Any:
        _check_no_nan(*pair)
        return is_equal(*pair)

    pairs = iteration.Zip(list(map(Items, both)))
    return iteration.for_loop(pairs, look, (True,), ("the result of ==",), lambda x: x)


def _check_no_nan(a: Any, b: Any) -> None:
    """RefusedError, at run time, for two NaNs: equal in Python if they are one object."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        for pair in zip(a, b, strict=False):
            _check_no_nan(*pair)
    elif all(isinstance(x, float) or is_float(x) for x in (a, b)):
        refuse_if(
            logic.and_(a != a, (lambda: b != b,)),
            "two NaNs are compared, which are equal in lists if they are one object",
            "compare the items in a loop of your own",
        )


def _unequal(self: GrowingList, other: Any) -> Any:
    return opposite(_equal(self, other))


def opposite(answer: Any) -> Any:
    """The answer of `!=`, for that of `==`: a bool, a staged one or NotImplemented."""
    return answer if answer is NotImplemented else logic.not_(answer)


def _ordering(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`<`, or another operation of `operator`, of lists: by the first items that differ."""

    def method(self: GrowingList, other: Any) -> Any:
        if not isinstance(other, list | tuple | deque) or not _are_alike(self, other):
            return NotImplemented
        both = [x if isinstance(x, GrowingList) else listed(x) for x in (self, other)]
        mine, its = (x.length() for x in both)
        at = _first_difference(both, mine, its)

        def here() -> Any:
            return truth(compared(operation, both[0].at(at), both[1].at(at)))

        def behind() -> Any:
            return operation(mine, its)

        is_inside = logic.and_(truth(at < mine), (lambda: at < its,))
        return branches.cond(is_inside, here, behind, (), ("an order",))

    return method


def _first_difference(both: Sequence[GrowingList], mine: Any, its: Any) -> Any:
    if any(not is_symbol(size) and size == 0 for size in (mine, its)):
        return 0

    def look(pair: Any, at: Any, _: Any) -> Any:
        _check_no_nan(*pair)
        goes_on = truth(is_equal(*pair))
        return branches.cond(goes_on, lambda: at + 1, lambda: at, (), ("index",)), goes_on

    pairs = iteration.Zip(list(map(Items, both)))
    names = "index", "the result of =="
    return iteration.for_loop(pairs, look, (0, True), names, lambda at, goes_on: goes_on)[0]


_less_by_items = _ordering(_decides)
_METHODS = {"count": _count, "index": _index}
_ORDERS = {f"__{name}__": _ordering(getattr(operator, name)) for name in ("lt", "le", "gt", "ge")}


def _is_known(value: Any) -> bool:
    if not isinstance(value, GrowingSequence):
        return not is_staged(value) and not compares_itself(value)
    held = list.__iter__(value)
    return type(value) is GrowingList and value.staged is None and all(map(_is_known, held))


def _over_own(own: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of lists, which Python's own computes where nothing in it is staged."""

    def chosen(self: GrowingList, /, *args: Any, **kwargs: Any) -> Any:
        if all(map(_is_known, (self, *args))):
            return own(self, *args, **kwargs)
        return method(self, *args, **kwargs)

    chosen.__name__ = own.__name__
    return chosen


for _name, _method in {
    **_METHODS, **_ORDERS, "remove": _remove, "__eq__": _equal, "__ne__": _unequal,
}.items():  # fmt: skip
    setattr(GrowingList, _name, _over_own(getattr(list, _name), _method))
GrowingList.__hash__ = None
GrowingList.sort = _sort  # type: ignore[method-assign,assignment]
_join = BUILTINS[str.join]


def _joined(separator: Any, parts: Any, /) -> Any:
    """`separator.join(parts)`, also of an iterator, which gives its parts now, and of a dict, which
    gives its keys.
    """
    is_asked = isinstance(parts, iteration.Staged | dict | KeysView | ValuesView)
    items = listed(parts) if is_asked else parts
    held = items.staged if isinstance(items, GrowingSequence) else None
    if held is not None and held.element == texts.ANY and isinstance(separator, str):
        return texts.joined(separator, held.columns[0])
    return _join(separator, items)


BUILTINS[sorted] = _sorted
BUILTINS[list] = listed
BUILTINS[taken_apart] = _taken_apart
BUILTINS[for_names] = lambda items, count: unpacked(count, items.length(), items.at)
BUILTINS[given_all] = spread_call
BUILTINS[str.join] = _joined


def sequence_function(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The function for a method of a tuple or list, or a builtin that orders one, with staged items
    or keys; None for others.
    """
    ordering = _ORDERING.get(function) if type(function) is BuiltinFunctionType else None
    if ordering is not None:
        if args and function is not sorted and gives_lists(args[0]):
            return extreme_of_lists(function)
        if args and _is_in_turn(args[0]):
            return lambda items, **options: ordering(list(items), **options)
        return ordering if args and _is_ordered_here(args[0]) else None
    if (function is set or function is frozenset) and args:
        return _set_of(function, args[0])
    if function is deque:  # of which Python's own is called where it is marked as growing
        return _deque
    items: Any = getattr(function, "__self__", None)
    if type(items) is range and function.__name__ in ("count", "index"):
        return _of_range(function, items)
    if type(items) is set or type(items) is frozenset:
        return _of_set(function, items) if function.__name__ in _SET_METHODS else None
    method = _OF_PLAIN.get(getattr(function, "__name__", ""))
    is_asked = method in _ASKING and _is_tuple_asked(items, function)
    if method is None or not (type(items) is list or is_asked):
        return None

    def staged(*args: Any, **kwargs: Any) -> Any:
        is_one = kwargs.get("key") or any(map(holds_staged, [*items, *args, *kwargs.values()]))
        return method(items, *args, **kwargs) if is_one else function(*args, **kwargs)

    return staged


def _is_tuple_asked(items: Any, method: Any) -> bool:
    """Whether a method is Python's, of a tuple or namedtuple."""
    return isinstance(items, tuple) and type(method) is BuiltinFunctionType


def _is_ordered_here(item: Any) -> bool:
    """Whether what is ordered, or the first of several, may ask for an order that is staged."""
    if type(item) is TaggedUnion:
        return False  # each of its kinds is asked
    is_known = not isinstance(item, Growing) or item.staged is None
    return (is_known and isinstance(item, _ORDERED_HERE)) or orders_itself(item)


def _of_range(function: Any, items: range) -> Callable[..., Any]:
    """The method of a range that counts or finds an item, which only the run may know."""

    def staged(item: Any) -> Any:
        if not is_staged(item):
            return function(item)
        held = BUILTINS[operator.contains](items, item)
        if function.__name__ == "count":
            return _as_int(held)
        words = "sequence.index(x): x not in sequence"
        missing = words if is_float(item) else texts.make(str.format, "{} is not in range", item)
        check(logic.not_(held), missing, ValueError)
        return BUILTINS[int]((item - items.start) // items.step)

    return staged


def _of_set(function: Any, items: Any) -> Callable[..., Any]:
    """A method of a set, which may be given another one that only the run knows."""

    def asking(*others: Any) -> Any:
        others = tuple(map(at_hand, others))
        if not any(isinstance(x, Growing) or has_staged(x) for x in others):
            return function(*others)
        return getattr(MAKING[type(items)](items), function.__name__)(*others)

    return asking


def _set_of(function: Any, items: Any) -> Callable[..., Any] | None:
    if _is_in_turn(items):
        return lambda items: _set_of_known(function, list(items))
    is_stand_in = isinstance(items, Growing) and items.plain in (set, frozenset, dict)
    return MAKING[function] if is_stand_in or has_staged(items) else None


def _set_of_known(function: Any, items: Any) -> Any:
    return (MAKING[function] if has_staged(items) else function)(items)


def at_hand(items: Any) -> Any:
    """The list of the items that an iterator of Python's gives, or a view of a dict: only there can
    be seen whether some are staged. Anything else as it is.
    """
    return list(items) if _is_in_turn(items) else items


def _is_in_turn(items: Any) -> bool:
    is_one = isinstance(items, MappingView) or isinstance(
        getattr(type(items), "__next__", None), WrapperDescriptorType
    )
    return is_one and iteration.staged(items) is None and of_generator(items) is None


def _deque(*args: Any, **options: Any) -> Any:
    args = (at_hand(args[0]), *args[1:]) if args else args
    given = (*args, *options.values())
    staged = any(map(is_staged, given[1:] if args else given)) or bool(args and has_staged(args[0]))
    return (MAKING[deque] if staged else deque)(*args, **options)


def has_staged(items: Any) -> bool:
    """True for what a loop of the graph runs over, and for a list or tuple with a staged item."""
    if isinstance(items, GrowingList):  # a set's loop would ask for its order
        return items.staged is not None or any(map(is_staged, list.__iter__(items)))
    if iteration.staged(items) is not None or of_generator(items) is not None:
        return True
    return isinstance(items, list | tuple) and any(map(is_staged, items))


def _in_place(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that changes a list, for one that is Python's own."""

    def changing(items: list[Any], /, *args: Any, **kwargs: Any) -> None:
        made = GrowingList(items)
        method(made, *args, **kwargs)
        items[:] = elements(made, method.__name__)

    return changing


def _set_item(value: Any, items: list[Any], key: Any) -> list[Any]:
    """`items[key] = value` of a list of Python's, at a place that only the run knows."""
    if not is_symbol(key) or not outermost().existed(items):
        items[key] = value  # where only the run knows the key, it raises what tells the way out
    elif all(map(_is_plain, (value, *items))):
        _in_place(GrowingList.__setitem__)(items, key, value)
    elif isinstance(value, list):
        raise refuse(
            "a list is put into a list from outside, at a place that only the run knows",
            "assign its items: table[i][j] = value",
        )
    elif any(map(is_variable, items)):
        raise refuse(
            "an item of a list of variables is assigned, at a place that only the run knows",
            "assign to the variable: for j, variable in enumerate(items): if j == i: "
            "variable.assign(value)",
        )
    else:
        items[key] = value  # raises, too
    return items


def _is_plain(item: Any) -> bool:
    """Whether it is a number, a text, a tensor, None, or another value that nobody changes; or a
    tuple of these.
    """
    if isinstance(item, MaybeNone):
        return _is_plain(item.held)
    if isinstance(item, tuple | Choice):
        return all(map(_is_plain, item.options if isinstance(item, Choice) else item))
    is_one = type(item) in (*NUMBER_TYPES, NoneType, str, SymbolicNumber, Text, Truth)
    return is_one or isinstance(item, Tensor) or (is_option(item) and not is_token(item))


SETTERS[list] = _set_item


def _with_key(function: Callable[..., Any]) -> Callable[..., Any]:
    def ordering(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("key") is not None:
            kwargs["key"] = called(kwargs["key"])
        return BUILTINS[function](*args, **kwargs)  # which knows sets, too

    return ordering


MAKING: dict[Any, Callable[..., Any]] = {}
"""The functions that make sets and deques of staged items."""
_SET_METHODS = frozenset((
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
    "isdisjoint",
))  # fmt: skip
_ORDERED_HERE = tuple, list, range, str, dict, set, frozenset, deque
"""Python's own, of which a key may give what only the run knows."""
_ASKING = frozenset((_count, _index))
_OF_PLAIN = {**_METHODS, "remove": _in_place(_remove), "sort": _in_place(_sort)}
_ORDERING: dict[Any, Callable[..., Any]] = {each: _with_key(each) for each in (sorted, max, min)}
