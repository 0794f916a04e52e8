"""Keys that only the run knows: their places among the keys of a list of the graph.

Numbers are equal as in Python, whatever their dtypes: 1, 1.0 and True. A NaN, which Python finds by
what object it is, is an error of the run.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np

from autograph.objects import MISSING, attributes_of, users_member
from autograph.users_words import with_article
from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.dataclasses import dataclass
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType, TensorType
from runtime.graph import lists
from runtime.graph.nodes import NUMBER_TYPES, WIDE_DTYPES, apply
from runtime.graph.structures import structure_of
from runtime.graph.templates import place_in, spelled
from runtime.staging import texts
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.control import choices, joins
from runtime.staging.control.choices import Choice
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.references import (
    ARENA,
    is_all_users,
    is_by_place,
    is_reference,
    is_reference_class,
    structure_children,
    want,
    want_asked,
)
from runtime.staging.control.sameness import same
from runtime.staging.control.specs import (
    Leaf,
    Mismatch,
    Optional,
    Same,
    Spec,
    Tree,
    Union,
    types_of,
)
from runtime.staging.lists import sequences, staged_items
from runtime.staging.lists.growing import StagedItems
from runtime.staging.refusals import refuse
from runtime.staging.scopes import unfailing
from runtime.staging.symbolic_number import SymbolicNumber, number_to_tensor
from runtime.staging.texts import Text, as_tensor
from runtime.staging.tracing import is_symbol

_WAY_OUT = "use keys of one kind: numbers, texts, or tuples of these of one length"


def is_staged(key: Any) -> bool:
    """True for a key, or a tuple with a part, of which only the run knows the value."""
    if isinstance(key, tuple) or is_by_place(key):
        return any(map(is_staged, _parts_of(key)))
    if _is_found_by_attributes(key):
        return any(map(is_staged, _attributes_of(key)))
    return isinstance(key, Tensor | MaybeNone) or is_symbol(key) or type(key) in (Choice, Text)


def _is_found_by_attributes(key: Any) -> bool:
    """True for an object of the user's whose class says by a method what it is equal to."""
    kind: Any = type(key)
    if is_reference(key):
        return ARENA in kind.__dict__ and not is_by_place(key)
    if not is_all_users(kind) or kind.__hash__ is None:
        return False
    own = [vars(base)["__eq__"] for base in kind.__mro__ if "__eq__" in vars(base)]
    return next(x for x in map(users_member, own) if x is not MISSING) is not own[-1]


def _attributes_of(key: Any) -> list[Any]:
    if not is_reference(key):
        return list((attributes_of(key) or {}).values())
    arena: Any = type(key).__dict__[ARENA]
    return [*structure_children(key), *[getattr(key, name) for name in arena.columns]]


def _parts_of(key: Any) -> Any:
    """The parts of a tuple, or of an object that is referred to: the key is its place."""
    return structure_children(key) if is_reference(key) else key


def leaves(key: Any) -> Iterator[Any]:
    """A key, or what is in a tuple and in the tuples in it."""
    if not _is_tuple(key):
        yield key
    else:
        for part in key:
            yield from leaves(part)


def _is_tuple(key: Any) -> bool:
    """True for a tuple, or a named one that is equal to a tuple, and found as one."""
    if type(key) is tuple:
        return True
    is_named = isinstance(key, tuple) and hasattr(type(key), "_fields")
    own: Any = type(key)
    return is_named and _compares_as(tuple, key) and own.__hash__ is tuple.__hash__


def check_there(is_absent: Any, key: Any) -> None:
    """Raise KeyError, at run time, for a key that is not there: of the option that the run has
    chosen, and of the numbers that tensors are.
    """
    parts = [part for part in leaves(key) if type(part) is Choice and not part.is_text]
    if parts:
        parts[0].apply(lambda option: check_there(is_absent, _replaced(key, parts[0], option)))
    else:
        sequences.check(is_absent, key, lambda key: KeyError(_in_numbers(key)))


def _replaced(key: Any, part: Any, other: Any) -> Any:
    if _is_tuple(key):
        return tuple.__new__(type(key), [_replaced(each, part, other) for each in key])
    return other if key is part else key


def _in_numbers(key: Any) -> Any:
    if _is_tuple(key):
        return tuple.__new__(type(key), map(_in_numbers, key))
    kind: Any = key.__class__
    if is_reference(key) and kind.__repr__ is object.__repr__:
        return object.__new__(kind)  # no run has the object itself
    if not isinstance(key, Tensor) or key.static_shape != () or not is_real(key.dtype):
        return key
    kind = bool if key.dtype.is_bool else float if key.dtype.is_floating else int
    return BUILTINS[kind](key)


def hashable(key: Any) -> Any:
    """A key that a run leaves, as Python's own numbers and texts, and tuples of its class."""
    if isinstance(key, tuple):
        return tuple.__new__(type(key), map(hashable, key))
    if not isinstance(key, Tensor):
        return key
    return spelled(key) if key.dtype is dtypes.string else key.numpy().item()


def plain(known: Any) -> Any:
    """A key that Python knows, as the graph would have it: a number of another class, such as one
    of NumPy's, a Fraction or a member of an IntEnum, by the int or float that it is equal to, and a
    text of another class by its text.
    """
    if _compares_as(tuple, known):
        return tuple(map(plain, known))
    if _is_text(known):
        return str.__str__(known)
    if type(known) in NUMBER_TYPES or not isinstance(known, Number | np.bool_):
        return known
    given: Any = known.real if isinstance(known, _COMPLEX) else known
    for kind in (int, float):
        try:
            made = kind(given)
        except (ValueError, OverflowError):  # of what is infinite, or no number
            continue
        if made == known:
            return made
    return known


_COMPLEX = complex, np.complexfloating


def may_equal(known: Any, key: Any) -> bool:
    """True where a key that Python knows, and one that only the run knows, may be equal by their
    kinds.
    """
    if isinstance(key, tuple):
        return (
            isinstance(known, tuple) and len(known) == len(key) and all(map(may_equal, known, key))
        )
    if type(key) is Choice:
        return any(_are_equal(known, option) for option in key.options)
    if type(key) is Text:
        return _is_text(known)
    if type(key) is MaybeNone:
        return known is None or may_equal(known, key.held)
    if is_reference(key):
        return type(known) is type(key)
    if is_staged(key):
        return type(known) in NUMBER_TYPES
    return bool(known == key)


def _are_equal(a: Any, b: Any) -> bool:
    """True for equal numbers, or equal texts, of whatever classes, as members of enums are; and for
    what is the same.
    """
    if any(is_one(a) and is_one(b) for is_one in (_is_any_number, _is_text)):
        return bool(plain(a) == plain(b))
    return same(a, b)


def _is_any_number(known: Any) -> bool:
    return isinstance(known, Number)


def _is_text(known: Any) -> bool:
    """True for a text, also of another class, such as a member of a StrEnum."""
    return _compares_as(str, known)


def _compares_as(kind: Any, known: Any) -> bool:
    """Whether Python knows it, and it is equal to what an instance of this class is equal to."""
    own: Any = type(known)
    return issubclass(own, kind) and own.__eq__ is kind.__eq__


def spec_of(key: Any) -> Spec:
    """The Spec of a key in a list of the graph. StagingError for one that cannot be there."""
    if isinstance(key, tuple) or is_by_place(key):
        found = structure_of(key)
        assert found is not None
        return Tree(found[0], tuple(map(spec_of, found[1])))
    if type(key) is Text:
        return joins.as_any_text(joins.abstract(key))
    options = choices.options_of(key)
    if options is not None:
        return Tree(choices.structure(options), (Leaf(NUMBER_TYPES[int]),))
    if type(key) in NUMBER_TYPES or isinstance(key, SymbolicNumber):
        if type(key) is float and math.isnan(key):
            raise _refusal("a NaN")
        return joins.abstract(key, staged=True)
    if isinstance(key, Tensor) and key.static_shape == () and is_real(key.dtype):
        return joins.abstract(key)
    if key is None:
        return Same(key)
    if type(key) is MaybeNone and not is_reference(key.held):
        return Optional(spec_of(key.held))
    if isinstance(key, frozenset):
        hash(key)  # refused for a staged one
    if _is_found_by_attributes(key):
        kind = with_article(type(key).__name__)
        raise _refusal(f"{kind}, an object with an `__eq__`,", "; or a tuple of its attributes")
    want(type(key))
    raise _refusal(f"a tensor {key.type}" if isinstance(key, Tensor) else repr(key))


def _refusal(what: str, more: str = "") -> Exception:
    want_asked()
    return refuse(f"{what} is a key beside others that only the run knows", _WAY_OUT + more)


def is_real(dtype: dtypes.DType) -> bool:
    """True for the dtypes of numbers that can be keys."""
    return dtype.is_floating or dtype.is_bool or (dtype.is_integer and dtype is not dtypes.uint64)


def covering(a: Spec, b: Spec) -> Spec:
    """The Spec of two keys. Raises Mismatch for kinds of which one would not stay what it is."""
    if not _stay(kinds(a), kinds(b)):
        raise Mismatch("its keys are of several kinds", _WAY_OUT)
    return joins.join(a, b)


def _stay(a: list[Any], b: list[Any]) -> bool:
    """Whether keys of these kinds stay what they are beside each other: None does beside all."""
    pairs = zip(a, b, strict=False)
    return len(a) == len(b) and all(x == y or _NONE in (x, y) for x, y in pairs)


def kinds(spec: Spec) -> list[Any]:
    """The kinds of the parts of a key, which are those of any equal key that stays what it is.
    A part that may be None is of the kind that it is of otherwise.
    """
    return [*_kinds(spec)]


_NONE = "None"


def _kinds(spec: Spec) -> Iterator[Any]:
    if isinstance(spec, Optional):
        yield from _kinds(spec.inner)
    elif isinstance(spec, Tree) and spec.structure.kind not in (Choice, Text):
        kind = spec.structure.kind
        yield kind if is_reference_class(kind) else len(spec.children)
        for child in spec.children:
            yield from _kinds(child)
    else:
        yield _kind(spec)


def _kind(spec: Spec) -> str:
    match spec:
        case Leaf(type=NumberType(kind=kind)):
            return str(kind)
        case Leaf(type=TensorType(dtype=dtype)):
            return "bool" if dtype.is_bool else "float" if dtype.is_floating else "int"
    return "text" if isinstance(spec, Tree) else _NONE


def index(place: Any) -> Any:
    """A place as a number, for the lists that are asked at it."""
    return BUILTINS[int](place) if is_symbol(place) else place


@unfailing
def place_of(spec: Spec, columns: Sequence[Any], size: Any, key: Any) -> Any:
    """The place of an equal key among `size` keys that are kept so; -1 where there is none."""
    places = [_place(way, size) for way in _ways(spec, iter(columns), key)]
    return functools.reduce(ops.maximum, places) if places else -1


def _place(way: _Way, size: Any) -> Any:
    nowhere = ops.constant(-1, dtypes.int64)
    if way.columns:
        place = apply(lists.FIND, *way.columns, *way.values)
    else:  # all keys are equal
        place = ops.where(size > 0, ops.zeros_like(nowhere), nowhere)
    for test in way.tests:
        place = ops.where(test, place, nowhere)
    return place


_EXACT = 1 << 53
"""Integers up to here are float64, too."""


def place_among(names: Sequence[Any], key: Any) -> Any:
    """The place of an equal key among these, which Python knows; -1 where there is none. Raises
    Mismatch for keys of several kinds.
    """
    if not any(may_equal(name, key) for name in names):
        return -1
    if type(key) is Text and all(type(name) is str for name in names):
        return convert_to_tensor(texts.answer(place_in, key, tuple(names)), dtypes.int64)
    if isinstance(key, Tensor | SymbolicNumber) and are_exact(names):
        key = number(key)
        is_wide = key.dtype.is_floating or any(isinstance(name, float) for name in names)
        dtype = dtypes.float64 if is_wide else dtypes.int64
        table = convert_to_tensor(list(map(float if is_wide else int, names)), dtype)
        return _first_of(ops.equal(table, ops.cast(key, dtype)))
    spec = functools.reduce(joins.join, map(spec_of, names))
    return place_of(spec, staged_items.columns_of(list(names), spec), len(names), key)


def are_exact(names: Iterable[Any]) -> bool:
    """Whether these are numbers that are the same as integers and as floats."""
    return all(type(name) in NUMBER_TYPES and abs(name) < _EXACT for name in names)


def _first_of(matches: Any) -> Any:
    place = ops.cast(ops.argmax(ops.cast(matches, dtypes.int32)), dtypes.int64)
    return ops.where(ops.reduce_any(matches), place, ops.constant(-1, dtypes.int64))


def place_of_number(items: StagedItems, item: Any) -> Any:
    """The first place of an equal number in a list of numbers; -1 where there is none. None where
    items and number are not of one kind: what `==` says then is theirs to tell.
    """
    match items.element:
        case Leaf(type=NumberType()) if _is_number(item):
            return place_of(items.element, items.columns, 0, item)
        case Leaf(type=TensorType(dtype=dtype, shape=())) if isinstance(item, Tensor):
            if item.dtype == dtype and item.static_shape == () and is_real(dtype):
                return apply(lists.FIND, items.columns[0], item)
    return None


def _is_number(item: Any) -> bool:
    return type(item) in NUMBER_TYPES or isinstance(item, SymbolicNumber)


@dataclass(frozen=True, slots=True)
class _Way:
    """One way in which a key may be kept: the columns that tell of it, the value in each that is
    wanted, and the tests without which there is none.
    """

    columns: tuple[Any, ...] = ()
    values: tuple[Any, ...] = ()
    tests: tuple[Any, ...] = ()

    def __add__(self, other: _Way) -> _Way:
        return _Way(
            self.columns + other.columns, self.values + other.values, self.tests + other.tests
        )


def _ways(spec: Spec, columns: Iterator[Any], key: Any) -> list[_Way]:
    """The ways in which a key may be among those that are kept so: none where Python knows that it
    is not, several where keys are of several kinds. No two of them hold for one key.
    """
    if type(key) is MaybeNone:
        own = [*itertools.islice(columns, len(list(types_of(spec))))]
        without, held = [_ways(spec, iter(own), each) for each in (None, key.held)]
        return _where(ops.logical_not(key.flag), without) + _where(key.flag, held)
    match spec:
        case Same(value=value):
            return _if(key == value if type(key) is Choice else same(key, value))
        case Optional(inner=inner):
            flag, held = next(columns), _ways(inner, columns, key)
            return _with(flag, False, [_Way()]) if key is None else _with(flag, True, held)
        case Union(kinds=kinds):
            tag = next(columns)
            found = [_with(tag, at, _ways(kind, columns, key)) for at, kind in enumerate(kinds)]
            return [way for ways in found for way in ways]
        case Tree(structure=structure) if structure.kind is Choice:
            column, places = next(columns), _places_of_options(structure.keys, key)
            return [way for place in places for way in _with(column, place, [_Way()])]
        case Tree(structure=structure) if structure.kind is Text:
            text, test = _as_text(key)
            return _with(next(columns), text, _if(test))
        case Tree(structure=structure, children=children):
            if is_reference_class(structure.kind):
                fits = type(key) is structure.kind
            else:
                fits = isinstance(key, tuple) and len(key) == len(children)
            parts = _parts_of(key) if fits else [_NO_KEY] * len(children)
            ways = [_ways(*each) for each in zip(children, itertools.repeat(columns), parts)]
            return [sum(each, _Way()) for each in itertools.product(*ways)] if fits else []
    return _of_number(next(columns), key)


_NO_KEY = object()


def _if(test: Any) -> list[_Way]:
    if test is True or test is False:
        return [_Way()] * test
    return [_Way(tests=(convert_to_tensor(test),))]


def _where(test: Any, ways: list[_Way]) -> list[_Way]:
    return [a + b for a in _if(test) for b in ways]


def _with(column: Any, value: Any, ways: list[_Way]) -> list[_Way]:
    """The ways with a value that is wanted in a column; None is in none."""
    if value is None:
        return []
    if not isinstance(value, Tensor):
        value = convert_to_tensor(value, WIDE_DTYPES[NUMBER_TYPES[type(value)].kind])
    return [_Way((column,), (value,)) + way for way in ways]


def _of_number(column: Any, key: Any) -> list[_Way]:
    key, is_one = _as_number(key)
    if key is None:
        return []
    value, test = _as_dtype(number(key), column.type.element.dtype)
    return _with(column, value, [a + b for a in _if(is_one) for b in _if(test)])


def _as_number(key: Any) -> tuple[Any, Any]:
    """A key as a number, and whether it is one: True, or a staged bool where it is one of several.
    None for what is none.
    """
    if type(key) is Choice:
        return _of_kind(key, _is_any_number, 0, _number_at)
    if _is_number(key) or isinstance(key, Tensor):
        return key, True
    known = plain(key)
    return (known, True) if type(known) in NUMBER_TYPES else (None, False)


def _as_text(key: Any) -> tuple[Any, Any]:
    """A key as a tensor of its text, and whether it is one, in the same way."""
    if type(key) is Choice:
        return _of_kind(key, _is_text, "", lambda texts, at: as_tensor(Choice(tuple(texts), at)))
    if type(key) is Text:
        return as_tensor(key), True
    return (as_tensor(plain(key)), True) if _is_text(key) else (None, False)


def _of_kind(
    key: Choice, is_one: Callable[[Any], bool], other: Any, make: Callable[[list[Any], Any], Any]
) -> tuple[Any, Any]:
    fits = [is_one(option) for option in key.options]
    if not any(fits):
        return None, False
    values = [plain(option) if is_one(option) else other for option in key.options]
    test = True if all(fits) else _at(convert_to_tensor(fits), key.place)
    return make(values, key.place), test


def _number_at(values: list[Any], place: Any) -> Any:
    is_float = any(isinstance(value, float) for value in values)
    return _at(convert_to_tensor(values, dtypes.float64 if is_float else dtypes.int64), place)


def _at(values: Any, place: Any) -> Any:
    return values[convert_to_tensor(place, dtypes.int64)]


def _places_of_options(options: Sequence[Any], key: Any) -> list[Any]:
    """The places of the options of a Choice that a key is equal to, -1 where the run has another
    one: several, where members of enums are equal to texts or numbers.
    """
    values, at = _values_of(options, key)
    found = [[n for n, each in enumerate(options) if _are_equal(each, x)] for x in values]
    places = []
    for which in range(max(map(len, found), default=0)):
        row = [each[which] if which < len(each) else -1 for each in found]
        place = convert_to_tensor(row, dtypes.int64)
        if isinstance(key, Text | Tensor | SymbolicNumber):  # which may be none of them
            places.append(ops.where(at < 0, at, ops.gather(place, ops.maximum(at, 0))))
        else:
            places.append(_at(place, at))
    return places


def _values_of(options: Sequence[Any], key: Any) -> tuple[Sequence[Any], Any]:
    """The values that a key may have, of such as Python knows, and the place of its own; -1 where
    it is none of the options.
    """
    if type(key) is Choice:
        return key.options, key.place
    if type(key) is Text:
        texts = list(dict.fromkeys(plain(each) for each in options if _is_text(each)))
        if not texts:
            return (), 0
        return texts, _first_of(ops.stack([ops.equal(as_tensor(key), text) for text in texts]))
    if isinstance(key, Tensor | SymbolicNumber):
        numbers = list(dict.fromkeys(plain(each) for each in options if _is_any_number(each)))
        at = place_among(numbers, key) if numbers else -1
        return (numbers, at) if is_symbol(at) else ((), 0)
    return (key,), 0


def _as_dtype(key: Tensor, dtype: dtypes.DType) -> tuple[Any, Any]:
    """A number as one of another dtype, and whether it is equal to that: True, or a staged bool."""
    if key.dtype == dtype:
        return key, True
    if key.dtype.is_floating and dtype.is_floating:
        value = ops.cast(key, dtype)
        return value, ops.equal(ops.cast(value, key.dtype), key)
    if dtype.is_floating:
        value = ops.cast(key, dtype)
        whole, test = _as_whole(value)
        return value, ops.logical_and(test, ops.equal(whole, ops.cast(key, dtypes.int64)))
    whole, test = _as_whole(key) if key.dtype.is_floating else (ops.cast(key, dtypes.int64), True)
    value = ops.cast(whole, dtype)
    is_kept = ops.equal(ops.cast(value, dtypes.int64), whole)
    return value, is_kept if test is True else ops.logical_and(test, is_kept)


def _as_whole(x: Any) -> tuple[Any, Any]:
    """A float as int64, and whether it is equal to that."""
    wide, bound = ops.cast(x, dtypes.float64), ops.constant(2.0**63, dtypes.float64)
    is_whole = ops.equal(ops.floor(wide), wide)
    fits = ops.logical_and(is_whole, ops.logical_and(wide >= -bound, wide < bound))
    return ops.cast(ops.where(fits, wide, ops.zeros_like(wide)), dtypes.int64), fits


def number(key: Any) -> Tensor:
    """The tensor of a key that is a number."""
    if isinstance(key, SymbolicNumber):
        key = number_to_tensor(key, WIDE_DTYPES[key.type.kind])
    if isinstance(key, Tensor):
        return key
    return convert_to_tensor(key, WIDE_DTYPES[NUMBER_TYPES[type(key)].kind])


def is_float(key: Any) -> bool:
    """True for a key that is a float."""
    if isinstance(key, SymbolicNumber):
        return key.type.kind == "float"
    if isinstance(key, float):
        return True
    return isinstance(key, Tensor) and key.dtype.is_floating


def check(key: Any) -> None:
    """StagingError for what cannot be a key beside others that only the run knows.
    RefusedError, at run time, for a NaN.
    """
    spec_of(key)
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, tuple):
            check(part)
        elif type(part) is MaybeNone and is_float(part.held):
            _refuse_nan(ops.logical_and(part.flag, ops.is_nan(number(part.held))))
        elif is_staged(part) and is_float(part):
            _refuse_nan(ops.is_nan(number(part)))


def _refuse_nan(is_nan: Any) -> None:
    sequences.refuse_if(
        is_nan,
        "a NaN is a key, which Python finds by what object it is: only the run knows",
        "test for it before: x != x",
    )
