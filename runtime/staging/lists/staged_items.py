"""Lists of the graph: their items as columns, one list of tensors for each value of an item.

A Python number in an item is kept as a tensor of int64, float64 or bool.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.state import state
from runtime.core.tensor import wrap
from runtime.core.types import ListType, NumberType, TensorType, Type, in_words
from runtime.graph import lists, numbers
from runtime.graph.lists import CAST, LENGTH
from runtime.graph.nodes import BOOL, LIST_AS, NUMBER_TYPES, WIDE_DTYPES, apply, fits
from runtime.graph.structures import Handler, Structure, add_handler, structure_of
from runtime.staging.aliasing import sharing
from runtime.staging.control import choices, graph_values, joined_tensors, joins
from runtime.staging.control.carried_objects import Contents, GrowingItems
from runtime.staging.control.choices import Choice
from runtime.staging.control.joined_types import join_types
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import (
    is_reference,
    is_reference_class,
    want,
    want_sites,
)
from runtime.staging.control.specs import (
    Leaf,
    Maybe,
    Mismatch,
    Optional,
    Same,
    Spec,
    Tree,
    Union,
    classes_in,
    of_template,
    parts,
    template,
    types_of,
    with_parts,
)
from runtime.staging.lists.growing import (
    ROWS,
    TAKEN,
    Around,
    Growing,
    GrowingSequence,
    InTable,
    Kind,
    held_at,
    sites_inside,
    take_later,
    want_lists,
)
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Symbol, active
from runtime.staging.symbolic_number import (
    DEFAULT_DTYPES,
    SymbolicNumber,
    apply_number,
    number_to_tensor,
)
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.texts import Text


class _Nothing(tuple[Any, ...]):
    """In place of an item of a list in a list, as long as there are none."""

    __slots__ = ()


_ANY = Handler(
    lambda t: (len(t), t), lambda kind, keys, children: kind(children), "", is_tuple=True
)
NOTHING = Tree(Structure(_Nothing, 1, _ANY), (Leaf(NUMBER_TYPES[bool]),))
"""The Spec of such items: it is carried by a column that nobody reads."""
ALL_NONE = Optional(NOTHING)
"""The Spec of items that are all None."""

# Specs


def staged(spec: Spec) -> Spec:
    """The Spec with Python numbers as values of the graph."""
    if isinstance(spec, Same):
        held = joins.abstract(spec.value, staged=True)
        return held if isinstance(held, Same) else staged(held)
    check_is_own(spec)
    if isinstance(spec, Tree):
        if spec.structure.kind is Text:
            return joins.as_any_text(spec)
        if spec.structure.handler is _HANDLER and isinstance(spec.structure.keys, int):
            element = covering(spec.children) if spec.children else NOTHING
            return tree(spec.structure.kind, element, spec.structure.keys)
    return with_parts(spec, staged)


def covering(specs: Sequence[Spec]) -> Spec:
    """The Spec of the items of a list, some of which have these. Raises Mismatch."""
    if not specs:
        want_sites(frozenset())
        raise Mismatch(
            "nothing tells what its items are", "append the first one before the loop or branch"
        )
    try:
        found = [Same(None) if x == ALL_NONE else x for x in map(staged, specs)]
        element = functools.reduce(joins.of_kinds, [x for x in found if x != NOTHING] or [NOTHING])
    except Mismatch as mismatch:
        mismatch.path = "[...]" + mismatch.path
        raise
    element = _with_images(_carried(element))
    check(element)
    if not any(True for _ in types_of(element)):
        want(*classes_in(element))  # of an object that has itself in it
        raise Mismatch(
            "its items are Python values, and only the run knows how many there are",
            "append numbers and tensors, or tuples of such" + _ONE_DICT * _is_dict(element),
        )
    return element


_ONE_DICT = ", or have one dict for all of them: found[item, key]"


def _is_dict(element: Spec) -> bool:
    return isinstance(element, Tree) and issubclass(element.structure.kind, dict)


def _carried(element: Spec) -> Spec:
    """The Spec for items that are all one Python value, or a tuple of such: it takes a column."""
    if element == Same(None):
        return ALL_NONE
    if isinstance(element, Same):
        options = choices.options_of(element.value)
        return joins.choice_of(options) if options else element
    if isinstance(element, Union):
        return with_parts(element, _carried)
    if isinstance(element, Tree) and not any(True for _ in types_of(element)):
        inner = [x if x == Same(None) else _carried(x) for x in element.children]
        return Tree(element.structure, tuple(inner))
    return element


def _with_images(element: Spec) -> Spec:
    """The Spec with lists that are not all of an item, for that may be None or of another kind, as
    ones in two places: nobody could say where such a list is that was read.
    """
    return element if isinstance(element, Tree) else with_parts(element, _image)


def _image(element: Spec) -> Spec:
    return as_shared(cast(Tree, element)) if is_row(element) else _with_images(element)


def check(element: Spec, inside: bool = False) -> None:
    """Raises Mismatch for the Spec of an item that a list of the graph cannot hold. `inside` of a
    tuple, nobody could say where a list is that was read.
    """
    if isinstance(element, Optional | Maybe):
        check(element.inner, inside)
    elif isinstance(element, Tree):
        if is_row(element) and (not inside or element.structure.keys.shared):
            return
        if not element.structure.handler.is_tuple and not is_record(element):
            want(element.structure.kind)
            if _plain(element.structure.kind) is tuple:
                raise Mismatch(
                    "an item of a list of which only the run knows the length is a tuple of which "
                    "only the run knows the length, too",
                    "append a list in its place: list(items)",
                )
            is_list = issubclass(element.structure.kind, list)
            if is_list:
                want_sites(frozenset())
            raise Mismatch(
                f"an item of a list of which only the run knows the length is a "
                f"{element.structure}, which could be changed in place",
                "append tuples, numbers and tensors"
                + (", or put a list of these there that is made there: list(row)" * is_list)
                + (", or a copy: dict(row)" * (element.structure.kind is dict))
                + _ONE_DICT * _is_dict(element),
            )
        for child in element.children:
            check(child, True)
    elif isinstance(element, Union):
        for kind in element.kinds:
            check(kind, True)
            if has_records(kind):
                raise Mismatch(
                    "a dict is an item of a list beside items of other kinds, and only the run "
                    "knows which it is",
                    "put dicts of the same keys there",
                )
    elif isinstance(element, Leaf) and not isinstance(element.type, TensorType | NumberType):
        raise Mismatch("a list holds lists of the graph", "append tuples, numbers and tensors")


def check_watched(element: Spec) -> None:
    """StagingError for the Spec of items of which one may be a tensor that a tape watches."""
    types = types_of(element)
    if any(isinstance(each, TensorType) and each.dtype.is_floating for each in types):
        raise refuse(
            "a tensor is watched that may be in a list or object already, of which the run chooses "
            "one: what is read from there would be another tensor",
            "watch it before it is put there",
        )


def is_row(element: Spec) -> bool:
    """True for the Spec of a list or set of numbers, scalar tensors, or tuples of these: it is kept
    as a tensor for each column.
    """
    if not isinstance(element, Tree) or element.structure.handler is not _HANDLER:
        return False
    keys = element.structure.keys
    may_be = _plain(element.structure.kind) in ROWS
    return may_be and isinstance(keys, Kind) and is_flat(keys.element)


def is_record(element: Spec) -> bool:
    """True for the Spec of a dict of which Python knows the keys: in a list of the graph it is kept
    as a tuple of its values. Nobody may change it any more.
    """
    if not isinstance(element, Tree) or _plain(element.structure.kind) is not dict:
        return False
    return getattr(element.structure.keys, "known", None) is not None


def has_records(element: Spec) -> bool:
    """Whether such a dict is, or is in, an item with this Spec."""
    return is_record(element) or (not is_row(element) and any(map(has_records, parts(element))))


def share_records(item: Any) -> None:
    """Let nobody change the dicts that are an item of a list, or in one, any more."""
    if isinstance(item, MaybeNone):
        share_records(item.held)
    elif isinstance(item, tuple):
        for part in item:
            share_records(part)
    elif isinstance(item, Growing) and isinstance(item, dict):
        item.share()
        for part in dict.values(item):
            share_records(part)
    elif isinstance(item, dict):
        raise refuse(
            "a dict is put into a list of which only the run knows the items, and may have other "
            "names",
            "put a copy there: dict(row)",
        )


def is_flat(element: Spec) -> bool:
    if isinstance(element, Leaf):
        return isinstance(element.type, NumberType) or (
            isinstance(element.type, TensorType) and element.type.shape == ()
        )
    if isinstance(element, Tree):
        return element.structure.handler.is_tuple and all(map(is_flat, element.children))
    if isinstance(element, Same):
        return choices.options_of(element.value) is not None
    return isinstance(element, Optional | Union) and all(map(is_flat, parts(element)))


def column_type(type: Type) -> TensorType:
    """Returns the type of the items of a column, for a value of this type."""
    if isinstance(type, ListType):
        assert isinstance(type.element, TensorType)
        return TensorType(type.element.dtype, (None,))
    if isinstance(type, NumberType):
        return TensorType(WIDE_DTYPES[type.kind], ())
    assert isinstance(type, TensorType)
    return type


def table_of(items: Sequence[float]) -> Any:
    """The constant tensor of some Python numbers, and the kind of its items.

    OverflowError for one that 64 bits do not hold.
    """
    types: list[Any] = [NUMBER_TYPES[item.__class__] for item in items]
    type = functools.reduce(join_types, types)
    return convert_to_tensor(np.array(items, WIDE_DTYPES[type.kind].np_dtype)), type


def with_tensors(element: Spec, numbers: Mapping[str, dtypes.DType] = DEFAULT_DTYPES) -> Spec:
    """The Spec with tensors in place of numbers, of these dtypes by kind."""
    if isinstance(element, Leaf) and isinstance(element.type, NumberType):
        return Leaf(TensorType(numbers[element.type.kind], ()))
    if isinstance(element, Tree):
        if is_reference_class(element.structure.kind):
            hint = "return what is in them: [(p.x, p.y) for p in items]"
            if issubclass(element.structure.kind, list | dict):
                hint = "use a class with attributes for them, and return what is in its objects"
            raise refuse(
                f"objects of the class {element.structure} leave the graph in a list of which only "
                "the run knows the length",
                hint,
            )
        if element.structure.kind is Text:
            return Leaf(TensorType(dtypes.string, ()))
        if element.structure.kind is Choice:
            options = element.structure.keys
            if not all(type(option) is str or choices.is_member(option) for option in options):
                raise refuse(
                    "a list of functions or the like, which the run chooses, leaves the graph",
                    "return numbers that say which",
                )
            return element
        if is_row(element):
            kind, keys = element.structure.kind, element.structure.keys
            # The items of a set leave the graph as keys do.
            of_set = _plain(kind) is set
            inner = keys.element if of_set else with_tensors(keys.element, numbers)
            return tree(kind, inner, keys.size)
    return with_parts(element, functools.partial(with_tensors, numbers=numbers))


def tree(
    kind: type,
    element: Spec,
    size: int | None = None,
    shared: bool = False,
    exact: bool = False,
) -> Tree:
    """The Spec of a list of the graph."""
    columns = [Leaf(ListType(column_type(type))) for type in types_of(element)]
    return Tree(Structure(kind, Kind(element, size, shared, exact), _HANDLER), tuple(columns))


def as_shared(row: Tree) -> Tree:
    """The Spec of a list that is in two places from now on."""
    keys = dataclasses.replace(row.structure.keys, shared=True)
    return Tree(dataclasses.replace(row.structure, keys=keys), row.children)


IN_TWO_PLACES = (
    "a list in a list of which only the run knows the length would be in two places",
    "index the list around it where it is used: table[i][j]; or a copy: list(table[i])",
)


def check_is_own(spec: Spec) -> None:
    """Raises Mismatch for a list, set or dict that is in a table."""
    if isinstance(spec, Tree) and isinstance(spec.structure.keys, Around | InTable):
        table = spec.structure.keys.table
        want_sites(sites_inside(table))
        raise Mismatch(*getattr(table, "in_two_places", IN_TWO_PLACES))


def _widen(a: Tree, b: Tree) -> Tree:
    check_is_own(a)
    check_is_own(b)
    kind = next(each.structure.kind for each in (a, b) if each.structure.handler is _HANDLER)
    if not all(_joins(kind, each.structure) for each in (a, b)):
        raise _apart(a, b)
    sizes = {_size(each.structure.keys) for each in (a, b)}
    size = sizes.pop() if len(sizes) == 1 else None
    keys = [each.structure.keys for each in (a, b) if not _is_known(each)]
    shared, exact = any(each.shared for each in keys), any(each.exact for each in keys)
    try:
        element = covering([*_items(a), *_items(b)])
        if exact:
            _check_exact([*_items(a), *_items(b)], element)
        return tree(kind, element, size, shared, exact)
    except Mismatch:
        if not size or not _is_known(a) or not _is_known(b):
            raise
        return _paired(a if a.structure.kind is kind else b, a, b)


def _apart(a: Tree, b: Tree) -> Mismatch:
    """The reason why what stands for a container does not join another one. Lists of which one is
    referred to are of one kind: traced once more, both are.
    """
    plain = [_plain(each.structure.kind) for each in (a, b)]
    one, other = (kind.__name__ for kind in plain)
    if plain == [list, list]:
        return Mismatch(
            f"the structures differ: {a.structure} and {b.structure}", "make a list on both paths"
        )
    return Mismatch(
        f"they are {one}s of another maxlen"
        if one == other
        else f"one is a {one} and the other a {other}",
        f"make a {one} on both paths",
        kinds_differ=True,
    )


def _plain(kind: type) -> type:
    """Python's own class that a class stands for."""
    found: type = getattr(kind, "plain", kind)
    return found


def _joins(kind: type, structure: Structure) -> bool:
    """Whether what stands for a container joins one: a list, of the run or Python's own, another
    one, a tuple another one, and of others one of the same class.
    """
    if structure.handler is not _HANDLER:
        return structure.kind is _plain(kind)
    is_of_kind = _plain(structure.kind) is _plain(kind) in (list, tuple)
    return is_of_kind or structure.kind is kind


def _check_exact(items: Sequence[Spec], element: Spec) -> None:
    """Raises Mismatch where a whole number among the items becomes a fraction."""
    if are_exact(items, element):
        return
    raise Mismatch(
        "whole numbers and fractions are in lists that the run chooses, and these would become "
        "fractions in all of them",
        "make all of them floats: 0.0 for 0",
    )


def are_exact(items: Sequence[Spec], element: Spec) -> bool:
    """Whether items stay what they are under the Spec that covers them."""
    return all(_is_exact(staged(item), element) for item in items if item != NOTHING)


def _is_exact(item: Spec, element: Spec) -> bool:
    if item in (Same(None), ALL_NONE):
        return True
    if isinstance(element, Optional):
        return _is_exact(item.inner if isinstance(item, Optional) else item, element.inner)
    if isinstance(element, Union):
        kinds = item.kinds if isinstance(item, Union) else (item,)
        places = [joins.place_among(element.kinds, kind) for kind in kinds]
        pairs = zip(kinds, places, strict=True)
        return all(at is not None and _is_exact(kind, element.kinds[at]) for kind, at in pairs)
    found, wanted = _number_kinds(item), _number_kinds(element)
    return found == wanted if len(found) == len(wanted) else set(found) <= set(wanted)


def _number_kinds(spec: Spec) -> list[bool]:
    """Whether each number of an item is a fraction."""
    return [
        type.kind == "float" if isinstance(type, NumberType) else type.dtype.is_floating
        for type in types_of(spec)
        if isinstance(type, NumberType | TensorType) and type != BOOL
    ]


def check_exact(specs: Sequence[Spec]) -> None:
    """StagingError where items of a column are whole numbers and fractions: they are attributes of
    objects, which would become fractions in all of them.
    """
    try:
        element = covering(specs)
    except Mismatch:
        return  # refused where it is used
    if not are_exact(specs, element):
        raise refuse(
            "whole numbers and fractions are one attribute of objects that the run chooses, and "
            "would become fractions in all of them",
            "make all of them floats: 0.0 for 0",
        )


def _is_known(spec: Tree) -> bool:
    return isinstance(spec.structure.keys, int)


def _paired(made: Tree, a: Tree, b: Tree) -> Tree:
    """The Spec of a list of which each item stays by itself, as lists in a list do."""
    pairs = zip(a.children, b.children, strict=True)
    return Tree(made.structure, tuple([joins.join(x, y) for x, y in pairs]))


def _size(keys: int | Kind) -> int | None:
    return keys if isinstance(keys, int) else keys.size


def _items(spec: Tree) -> Sequence[Spec]:
    keys = spec.structure.keys
    return spec.children if isinstance(keys, int) else (keys.element,)


# Columns of values, and values of columns


def _fit(item: Any, structure: Structure) -> Sequence[Any]:
    if isinstance(structure.keys, int):
        return _content(item)[1]
    if not isinstance(item, Choice):
        held, children = _content(item)
        take_later(lists_in_tuples(children if isinstance(held, int) else ()))
    return columns_of(item, structure.keys.element)


def lists_in_tuples(items: Iterable[Any]) -> Iterator[GrowingSequence]:
    """The lists and sets in tuples that get into a list of the graph, where nobody may change the
    dicts any more. StagingError for a list that may have other names.
    """
    for item in items:
        # A text of a list is made of a copy, which nobody else has.
        is_text = hasattr(type(item), "_is_text_of_run")
        found = None if is_text or isinstance(item, Growing) else structure_of(item)
        for part in found[1] if found is not None and found[0].handler.is_tuple else ():
            if is_reference(part):
                continue
            if isinstance(part, GrowingSequence):
                yield part
            elif isinstance(part, Growing):
                part.share()
            elif isinstance(part, list):
                want_lists(part)
                raise refuse(
                    "a list is in a tuple that is put into a list of which only the run knows the "
                    "items, and may have other names",
                    "put a copy there: list(row)",
                )
            else:
                yield from lists_in_tuples([part])


def columns_of(item: Any, element: Spec) -> list[Any]:
    """The columns of a list whose items a Spec covers."""
    if isinstance(item, Choice):  # of lists of several kinds
        return list(item.apply(lambda option: tuple(columns_of(option, element))))
    held, children = _content(item)
    if isinstance(held, int):
        return _made_of(children, element)
    if held.element == element:
        return list(children)

    def size() -> Any:
        return apply(LENGTH, children[0])

    return list(_converted(held.element, element, iter(children), size))


def _content(item: Any) -> tuple[Any, Sequence[Any]]:
    if isinstance(item, Growing):
        return item.content()
    found = structure_of(item)
    assert found is not None
    if len(found[1]) == 1:
        held_at(found[1][0])  # of one that was taken, which is refused
    return found[0].keys, found[1]


def _made_of(items: Sequence[Any], element: Spec) -> list[Any]:
    """The columns of Python items that a Spec covers."""
    tables = _tables_of(items, element) if len(items) > 1 else None
    if tables is not None:
        return [apply(lists.UNSTACK, table) for table in tables]
    rows = [row_of(item, element) for item in items]
    for item in items:
        if is_row(element):
            GrowingSequence.be_taken(item)
        elif isinstance(item, Growing):
            item.share()
        elif isinstance(item, list):
            want_lists(*items)
            raise refuse(
                "a list is put beside items of other kinds into a list of which only the run knows "
                "the items, and may have other names",
                "put a copy there: list(row)",
            )
    places = tuple(range(len(rows)))
    return [
        apply(
            lists.OF,
            *[row[at] for row in rows],
            places=places,
            size=len(rows),
            type=ListType(column_type(type)),
        )
        for at, type in enumerate(types_of(element))
    ]


def distinct(items: Sequence[Any]) -> Sequence[Any]:
    """The items, of texts each one once: the characters of a long text are few."""
    return list(dict.fromkeys(items)) if set(map(type, items)) == {str} else items


def _tables_of(items: Sequence[Any], element: Spec) -> list[Any] | None:
    """The constant tensor of each column of items that are Python's numbers, each of the class that
    the Spec is for, texts and the like, or tuples of such; None for others.
    """
    if isinstance(element, Leaf) and isinstance(element.type, NumberType):
        if {NUMBER_TYPES.get(type(item)) for item in items} != {element.type}:
            return None
        if not all(fits(x, dtypes.int64) for x in items if type(x) is int):
            return None
        return [table_of(items)[0]]
    if not isinstance(element, Tree) or not element.structure.handler.is_tuple:
        return None
    if element.structure.kind is Text:
        return [convert_to_tensor(list(items))] if set(map(type, items)) == {str} else None
    made: list[Any] = []
    if element.structure.kind is Choice:
        each_once = distinct(items)
        rows = [graph_values.children(item, element.structure) for item in each_once]
        if len(rows) < len(items):
            places = dict(zip(each_once, rows, strict=True))
            rows = [places[item] for item in items]
    else:
        found = [structure_of(item) for item in items]
        rows = [each[1] for each in found if each is not None]
    if len(rows) < len(items):
        return None
    for column, inner in zip(zip(*rows, strict=True), element.children, strict=True):
        tables = _tables_of(column, inner)
        if tables is None:
            return None
        made += tables
    return made


_HOLDER = "an item of a list whose length only the run knows"


def row_of(item: Any, element: Spec) -> list[Any]:
    """Returns what is kept of one item in each column."""
    trace = active()
    if has_records(element):
        share_records(item)
    for each in joined_tensors.tensors(element, item):
        if isinstance(each, SymbolicTensor):
            sharing.hold(each, _HOLDER)
    return [_kept(trace.symbol(value)) for value in graph_values.lower(item, element, trace)]


def _kept(symbol: Any) -> Any:
    if isinstance(symbol, SymbolicNumber):
        return number_to_tensor(symbol, WIDE_DTYPES[symbol.type.kind])
    if type(symbol) is Symbol:
        return stacked(symbol)
    return symbol


def stacked(column: Any) -> Any:
    """The items of a column as one tensor."""
    return apply(lists.STACK, column, element=column.type.element)


def with_row(columns: Sequence[Any], place: Any, row: Sequence[Any]) -> list[Any]:
    """The columns with an item at a place, of which `row` is kept."""
    at = convert_to_tensor(place, dtypes.int64)
    return [apply(lists.SET, c, at, x, dynamic=True) for c, x in zip(columns, row, strict=True)]


def item_of(row: Sequence[Any], element: Spec) -> Any:
    """The item of which each column keeps this."""
    if element == ALL_NONE:
        return None
    types = types_of(element)
    item = graph_values.lift(
        element, iter([value_of(x, t) for x, t in zip(row, types, strict=True)])
    )
    if has_records(element):
        share_records(item)
    return item


def chosen_among(items: Sequence[Any], place: Any, element: Spec) -> Any:
    """The item at a place of Python items that a Spec covers."""
    tables = _tables_of(items, element)
    if tables is None:
        return item_at(_made_of(items, element), place, element)
    at = convert_to_tensor(place, dtypes.int64)
    return item_of([table[at] for table in tables], element)


def item_at(columns: Sequence[Any], place: Any, element: Spec, **params: Any) -> Any:
    """The item at a place of the columns."""
    at = convert_to_tensor(place, dtypes.int64)
    row = [apply(lists.GET, x, at, element=x.type.element, **params) for x in columns]
    return item_of(row, element)


def value_of(kept: Any, type: Type) -> Any:
    """The value of this type that is kept as a tensor."""
    if isinstance(type, ListType):
        return apply(lists.UNSTACK, kept)
    if not isinstance(type, NumberType):
        if kept.static_shape != ():
            sharing.hold(kept, _HOLDER)
        return kept
    row = numbers.ITEMS["float" if type.kind == "float" else "int"]
    number = active().apply(row, (active().value_of(kept),))
    return apply_number(numbers.TO_BOOL, number) if type.kind == "bool" else number


def _converted(
    held: Spec, wanted: Spec, columns: Iterator[Any], size: Callable[[], Any]
) -> Iterator[Any]:
    """The columns of a list of `size()` items, which get a wider Spec."""
    if held == NOTHING:
        next(columns)
        yield from map(_empty_column, types_of(wanted))
    elif isinstance(wanted, Optional | Maybe):
        if held == Same(None):
            yield from _blank_columns(wanted, size)
        elif held == ALL_NONE:
            yield next(columns)
            yield from _blank_columns(wanted.inner, size)
        elif isinstance(held, Optional | Maybe):
            yield next(columns)
            yield from _converted(held.inner, wanted.inner, columns, size)
        else:
            yield _all_at(True, size)
            yield from _converted(held, wanted.inner, columns, size)
    elif isinstance(wanted, Union):
        yield from _of_kinds(held, wanted, columns, size)
    elif isinstance(wanted, Tree) and wanted.structure.kind is Choice:
        yield _chosen(held, wanted.structure.keys, columns, size)
    elif isinstance(wanted, Tree) and _is_empty_row(held):
        column = next(columns)
        yield from [column] if _is_empty_row(wanted) else _blank_columns(wanted, size)
    elif isinstance(wanted, Tree):
        is_text = wanted.structure.kind is Text
        if isinstance(held, Same):
            assert is_text
            yield _spelled([held.value], _chosen(held, [held.value], columns, size))
            return
        assert isinstance(held, Tree)
        if is_text and held.structure.kind is not Text:
            yield _spelled(held.structure.keys, next(columns))
            return
        if is_row(held):
            yield from _with_other_items(held, wanted, columns)
            return
        for mine, its in zip(held.children, wanted.children, strict=True):
            yield from _converted(mine, its, columns, size)
    elif isinstance(wanted, Leaf):
        yield _column(next(columns), ListType(column_type(wanted.type)))


def _with_other_items(held: Tree, wanted: Tree, columns: Iterator[Any]) -> Iterator[Any]:
    """The columns of lists in a list whose items get a wider Spec, which all of them get one behind
    the other.
    """
    rows = [next(columns) for _ in held.children]
    items, wider = held.structure.keys.element, wanted.structure.keys.element
    if items == wider:
        yield from rows
        return
    whole = [apply(lists.CONCAT, row, element=row.type.element) for row in rows]
    flat = [apply(lists.UNSTACK, each) for each in whole]
    for made in _converted(items, wider, iter(flat), lambda: apply(LENGTH, flat[0])):
        yield apply(lists.SPLIT_LIKE, stacked(made), rows[0], element=rows[0].type.element)


def _empty_column(type: Type) -> Any:
    return apply(lists.OF, places=(), size=0, type=ListType(column_type(type)))


def _is_empty_row(row: Spec) -> bool:
    return is_row(row) and cast(Tree, row).structure.keys.element == NOTHING


def _blank_columns(wanted: Spec, size: Callable[[], Any]) -> Iterator[Any]:
    """The columns of as many empty lists, to which others are put, or of values that nobody
    reads.
    """
    for type in types_of(wanted):
        kept = column_type(type)
        shape = [dimension or 0 for dimension in kept.shape or ()]
        count = ops.reshape(convert_to_tensor(size(), dtypes.int64), [1])
        whole = ops.concat([count, convert_to_tensor(shape, dtypes.int64)], 0)
        rows = apply(lists.UNSTACK, ops.zeros(whole, kept.dtype))
        yield apply(LIST_AS, rows, type=ListType(kept))


def _chosen(
    held: Spec, options: Sequence[Any], columns: Iterator[Any], size: Callable[[], Any]
) -> Any:
    """The column of a choice that gets further options."""
    if isinstance(held, Same):
        return _all_at(choices.place_in(held.value, options), size)
    assert isinstance(held, Tree)
    column, known = next(columns), held.structure.keys
    places = [choices.place_in(option, options) for option in known]
    if places == list(range(len(places))):
        return column
    return _looked_up(convert_to_tensor(places, dtypes.int64), column)


def _of_kinds(
    held: Spec, wanted: Union, columns: Iterator[Any], size: Callable[[], Any]
) -> Iterator[Any]:
    """The columns of a union that gets further kinds: of the numbers of kinds, and of each kind."""
    tags = next(columns) if isinstance(held, Union) else None
    kinds = held.kinds if isinstance(held, Union) else (held,)
    places = [_place_among(wanted.kinds, kind) for kind in kinds]
    if len(set(places)) < len(places):
        raise refuse(str(wanted.mismatch), wanted.mismatch.hint)
    if tags is None:
        tags = _all_at(places[0], size)
    elif places != list(range(len(places))):
        tags = _looked_up(convert_to_tensor(places, dtypes.int64), tags)
    own = [[next(columns) for _ in types_of(kind)] for kind in kinds]
    yield tags
    for at, kind in enumerate(wanted.kinds):
        if at in places:
            place = places.index(at)
            yield from _converted(kinds[place], kind, iter(own[place]), size)
        else:
            yield from _blank_columns(kind, size)


def _place_among(kinds: Sequence[Spec], kind: Spec) -> int:
    at = joins.place_among(kinds, kind)
    if at is None:  # texts that leave the graph
        at = joins.place_among(kinds, with_tensors(kind))
    assert at is not None
    return at


def _spelled(options: Sequence[str], column: Any) -> Any:
    """The column of texts, for that of a choice from these."""
    return _looked_up(convert_to_tensor(list(options)), column)


def _looked_up(table: Any, column: Any) -> Any:
    """The column of what a table has at the places in another one."""
    return apply(lists.UNSTACK, ops.gather(table, stacked(column)))


def _all_at(place: int, size: Callable[[], Any]) -> Any:
    """The column of the places, or of the flags, of `size()` items that have the same one."""
    count = ops.reshape(convert_to_tensor(size(), dtypes.int64), [1])
    dtype = dtypes.bool if place is True else dtypes.int64
    return apply(lists.UNSTACK, ops.fill(count, convert_to_tensor(place, dtype)))


def _column(column: Any, wanted: ListType) -> Any:
    now, then = column.type.element, wanted.element
    assert isinstance(then, TensorType)
    if now.dtype is not then.dtype:
        column = apply(CAST, column, dtype=then.dtype)
    return column if column.type == wanted else apply(LIST_AS, column, type=wanted)


# Structures


def flatten(item: Any) -> tuple[Any, Sequence[Any]]:
    """The keys and children of a list, set or dict, or of what is in one."""
    if isinstance(item, Contents):
        return item.keys, item.children
    table = item.table
    if table is None:
        found: tuple[Any, Sequence[Any]] = item.content()
        return found
    if table is TAKEN:
        return table, ()
    return Around(table.table), (table.place,)


def _build(kind: Any, keys: Any, children: Sequence[Any]) -> Any:
    if kind is GrowingItems:
        return GrowingItems(keys, children)
    if type(keys) is Around:
        made = kind()
        made.become(keys.table, *children)
        return made
    if keys is TAKEN:
        made = kind()
        made.be_taken()
        return made
    if children and isinstance(children[0], lists.Elements):
        rows = zip(*[column.items for column in children], strict=True)
        items = [graph_values.restored(keys.element, iter(row), item_of_result) for row in rows]
        return kind.of_run(items)
    return kind.holding(keys, children)


def as_result(item: Any) -> Any:
    """An item of a list that a run leaves, with the text for one that it has chosen."""
    if type(item) is Choice:
        return convert_to_tensor(item.options[item.place])
    if type(item) is tuple:
        return tuple(map(as_result, item))
    if isinstance(item, dict):
        return {key: as_result(value) for key, value in dict.items(item)}
    return item


def item_of_result(kept: Any, type: Type) -> Any:
    """The value of this type that a run leaves, out of what its column keeps."""
    if isinstance(type, ListType):
        assert isinstance(type.element, TensorType)
        # A tape knows the items only as parts of what is kept.
        rows = [kept[at] for at in range(len(kept.raw))] if state.tapes else map(wrap, kept.raw)
        return lists.Elements(list(rows), type.element)
    return kept.raw.item() if isinstance(type, NumberType) else kept


def _names(kind: Kind | Around | InTable) -> list[str]:
    if not isinstance(kind, Kind):
        return ["place"] if isinstance(kind, Around) else []
    count = len(list(types_of(kind.element)))
    return ["items"] if count == 1 else [f"items_{at}" for at in range(count)]


def _describe(keys: Any) -> str:
    if isinstance(keys, Around | InTable):
        return "list in a list of which only the run knows the length"
    if isinstance(keys, int):
        return f"{keys or 'no'} item{'' if keys == 1 else 's'}"
    return f"list of {', '.join(map(in_words, types_of(keys.element)))}"


def stored_kind(kind: Kind) -> dict[str, Any]:
    """The type of a list of the graph as data."""
    parts = {"element": template(kind.element), "size": kind.size}
    return parts | {"shared": kind.shared, "exact": kind.exact}


def restored_kind(data: dict[str, Any]) -> Kind:
    """The opposite of `stored_kind`."""
    return Kind(of_template(data["element"]), data["size"], data["shared"], data["exact"])


def _stored(keys: Any) -> Any:
    return stored_kind(keys) if isinstance(keys, Kind) else keys


_HANDLER = Handler(
    flatten, _build, "[{}]", _names, describe=_describe, widen=_widen, fit=_fit,
    check_optional=check_is_own, store=_stored, restore=restored_kind,
)  # fmt: skip
add_handler(GrowingItems, _HANDLER)


def add_kind(kind: type[Growing]) -> None:
    """Take the lists of a class apart, and join them, as lists that may become the graph's."""
    add_handler(kind, _HANDLER)
