"""Objects from before a call that a traced function changes where staged values decide: what is in
them is an input of its graph, and what the graph leaves there is written to them behind a call.

A function is traced until it is known which parts of which objects that are. While it is traced
with them, symbols stand there; they are taken away again when the trace is over.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import Context, ContextVar
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from autograph.mutation.snapshots import Snapshot
from autograph.mutation.users_code import is_users_class
from autograph.objects import (
    MISSING,
    attribute_of,
    attributes_of,
    contents,
    is_namespace,
    put_attribute,
)
from autograph.users_words import with_article
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.core.types import Type
from runtime.functions.changed_arguments import refuse_other_name, ways_by_id
from runtime.functions.own_containers import put_variable
from runtime.functions.signatures import Reference, key_of, leaf_types
from runtime.graph.ir import Location
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.structures import structure_of
from runtime.staging.aliasing import aliases, sharing
from runtime.staging.arrays.items import is_of_numbers
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array
from runtime.staging.block_recorder import look_at
from runtime.staging.control import graph_values, joins
from runtime.staging.control.carried_objects import refuse_change
from runtime.staging.control.optional_values import MaybeNone, MaybeUndefined, Missing
from runtime.staging.control.references import is_reference
from runtime.staging.control.sameness import same
from runtime.staging.control.specs import Leaf, Optional, Same, Spec, Tree, Union
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth, opened
from runtime.staging.guarding.weak_paths import weakly
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.growing_list import GrowingList
from runtime.staging.lists.staged_items import is_flat
from runtime.staging.outside import DICTS, is_variable_of_python, place_key
from runtime.staging.scopes import Symbol
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.texts import Text, text_refused
from runtime.staging.tracing import Trace
from runtime.variables.variable import Variable

MOST_TRACES = 10
"""The most traces of a function until it is known what it changes."""

_STAGED = (SymbolicArray, SymbolicTensor, SymbolicNumber, TaggedUnion, Truth)
_ATOMS = (str, bytes, type(None), bool, int, float, complex)
_COUNTS = (int, float)
_COLLECTIONS = (deque, list, dict, set)
_CONTEXTS = (Context, ContextVar)


class KeptPart:
    """The part of one object that a function changes: an attribute, a variable, or entries.

    Attributes:
        path: the user's expression for it.
        name: of an attribute; None for variables and containers.
        entries: the keys, or places, of the entries that are inputs; others stay what they are.
        is_input: False for an attribute of which each value has a trace of its own.
    """

    __slots__ = ("_read", "entries", "is_input", "is_whole", "key", "name", "path")

    def __init__(
        self,
        path: str,
        item: Any,
        name: str | None = None,
        entries: Iterable[Any] = (),
        is_input: bool = True,
    ) -> None:
        self.path = path
        self.name = name
        self.entries = frozenset(entries)
        self.is_input = is_input
        self.key = place_key(item), name
        self.is_whole = name is None and not is_variable_of_python(item)
        self._read = weakly(item)

    def reads_within(self, other: KeptPart) -> bool:
        """True if what it reads, `other` reads."""
        return self.entries <= other.entries and self.is_input <= other.is_input

    @property
    def holder(self) -> str:
        """The user's expression for the object."""
        return self.path if self.name is None else self.path.removesuffix(f".{self.name}")

    @property
    def object(self) -> Any:
        """The object; None for one that is no more."""
        return self._read()

    def value(self) -> Any:
        """Returns the present value, or MISSING; of a container all that is in it."""
        item = self._read()
        if self.is_whole:
            return list(item) if isinstance(item, list) else dict(item)
        return contents(item) if self.name is None else attribute_of(item, self.name)

    def put(self, value: Any) -> None:
        """Replace the value, unless the object was collected, or has the value from its class."""
        item = self._read()
        if item is None:
            return
        if self.name is not None:
            if not _is_default(item, self.name, value):
                put_attribute(item, self.name, value)
        elif not self.is_whole:
            put_variable(item, value)
        elif isinstance(item, dict):
            item.clear()
            item.update(value)
        else:
            item[:] = value

    def inputs(self, value: Any) -> tuple[Any, list[Any]]:
        """The key of this content, which is equal for contents that one trace serves, and the
        tensors and numbers in it, which are inputs.
        """
        leaves: list[Any] = []
        if not self.is_input:
            return _fixed(value), leaves
        if not self.is_whole:
            return _key(value, leaves), leaves
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        keys = [
            (at, _key(item, leaves) if at in self.entries else _fixed(item)) for at, item in pairs
        ]
        return tuple(keys), leaves

    def with_inputs(self, value: Any, given: Iterator[Any]) -> Any:
        """The content with these in place of its inputs."""
        if not self.is_input:
            return value
        if not self.is_whole:
            return _rebuilt(value, given)
        if isinstance(value, list):
            return [_rebuilt(x, given) if at in self.entries else x for at, x in enumerate(value)]
        return {k: _rebuilt(x, given) if k in self.entries else x for k, x in value.items()}

    def items_of(self, value: Any) -> Iterable[Any]:
        """All that this content holds."""
        if not self.is_whole:
            return (value,)
        return value.values() if isinstance(value, dict) else value

    def spec(self, value: Any, of: Callable[[Any], Spec]) -> Spec:
        """The Spec of the content, with those that `of` gives for what is in it."""
        if not self.is_whole:
            return of(value)
        structure, children = cast(Any, structure_of(value))
        return Tree(structure, tuple(map(of, children)))


def _spec(
    trace: Trace,
    path: str,
    location: Location | None,
    made: set[int],
    existed: Callable[[Any], bool],
    value: Any,
) -> Spec:
    """The Spec of what a trace leaves somewhere; `made` are the containers that were met."""
    value = opened(value)
    if isinstance(value, MaybeNone):
        return Optional(_spec(trace, path, location, made, existed, value.held))
    if type(value) is TaggedUnion:
        kinds = [_spec(trace, path, location, made, existed, option) for option in value.options]
        return Union(tuple(kinds), value.mismatch)
    if isinstance(value, MaybeUndefined):
        raise refuse_change(
            path,
            "it had no value before, and has one behind the call on one path only",
            "give it a value before the call",
            location=location,
        )
    if type(value) is Text:
        raise text_refused(f"kept in {path}", value._location)
    if type(value) in NUMBER_TYPES or isinstance(value, Tensor | Symbol | SymbolicNumber):
        return joins.abstract(value, staged=True)
    if _is_array(value) and not existed(value):
        return joins.abstract(value)
    if type(value) in _ATOMS or value is MISSING or existed(value) or _is_lasting(value):
        return Same(value)
    choice = aliases.choice_of_one(trace, value, existed)
    if choice is not None:
        raise refuse_change(
            path,
            "it is one of several objects, which the run chooses, and a copy of one from before "
            "the call would be there",
            "put what is in it into the one that is there, put a copy there on every path "
            "(list(...), dict(...)), or keep a number that tells which one is meant",
            choice[1] or location,
        )
    own = value.own() if isinstance(value, Growing) else value
    found = structure_of(own)
    is_fresh = id(value) not in made
    made.add(id(value))
    if is_fresh and _is_list_of_values(own):
        return joins.abstract(own)
    if found is None or not is_fresh or is_reference(value) or isinstance(own, Growing):
        raise refuse_change(
            path,
            f"{with_article(type(value).__qualname__)} is put there that is made while "
            "tracing, and each call would have to make one",
            "make it before the call, or keep it in a local variable and return what is in it",
            location=location,
        )
    return Tree(
        found[0], tuple([_spec(trace, path, location, made, existed, item) for item in found[1]])
    )


def _is_list_of_values(item: Any) -> bool:
    """True for a list of the graph that is in no other one, of numbers and scalars."""
    if type(item) is not GrowingList or item.table is not None or item.staged is None:
        return False
    return not item.staged.kind.shared and is_flat(item.staged.element)


def _is_lasting(value: Any) -> bool:
    """True for what is there for all calls: a variable, of which a function makes none in each."""
    if isinstance(value, FunctionType):
        return value.__closure__ is None and "<locals>" not in value.__qualname__
    return isinstance(value, type | BuiltinFunctionType | ModuleType | np.ndarray | Variable)


def _is_default(item: Any, name: str, value: Any) -> bool:
    """True for a number that an object has from its class, and not of its own."""
    if type(value) not in NUMBER_TYPES or attribute_of(item, name) is not MISSING:
        return False
    return same(getattr(type(item), name, MISSING), value)


def _key(value: Any, leaves: list[Any]) -> Any:
    kind = type(value)
    if kind in NUMBER_TYPES:
        leaves.append(value)
        return NUMBER_TYPES[kind]
    if _is_array(value):
        leaves.append(value if isinstance(value, SymbolicArray) else convert_to_tensor(value))
        return SymbolicArray, key_of(value)
    if isinstance(value, Tensor | Symbol | SymbolicNumber):
        leaves.append(value)
        return key_of(value)
    if kind is tuple:
        return tuple, tuple([_key(item, leaves) for item in value])
    return _fixed(value)


def _fixed(value: Any) -> Any:
    """The key of what is no input."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if type(value) in _ATOMS or value is MISSING:
        return key_of(value)
    return Reference(value)


def _rebuilt(value: Any, given: Iterator[Any]) -> Any:
    if type(value) is tuple:
        return tuple([_rebuilt(item, given) for item in value])
    if _is_array(value):
        return as_array(next(given))
    is_input = type(value) in NUMBER_TYPES
    return next(given) if is_input or isinstance(value, Tensor | Symbol | SymbolicNumber) else value


def _is_array(value: Any) -> bool:
    """True for an array or scalar of NumPy's that holds numbers, or what stands for one."""
    return isinstance(value, SymbolicArray) or is_of_numbers(value)


def _arrays_in(value: Any) -> Iterator[Any]:
    """The staged arrays in what a trace leaves somewhere."""
    if isinstance(value, SymbolicArray):
        yield value
    elif type(value) in (tuple, list, dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _arrays_in(item)


def _with_arrays(spec: Spec, value: Any, is_alone: bool) -> Any:
    """The value that a run has left somewhere, with arrays where NumPy has such: read-only, if
    Python would see what is written to one of them by another name, too.
    """
    if isinstance(spec, Leaf) and spec.is_array:
        array = value.numpy()
        if isinstance(array, np.ndarray):
            array.flags.writeable = is_alone
        return array
    if isinstance(spec, Optional):
        return None if value is None else _with_arrays(spec.inner, value, is_alone)
    if not isinstance(spec, Tree) or spec.structure.kind not in (tuple, list, dict):
        return value
    structure, children = cast(Any, structure_of(value))
    made = [_with_arrays(*each, is_alone) for each in zip(spec.children, children, strict=True)]
    return structure.build(made)


def parts_of(
    trace: Trace,
    known: Iterable[KeptPart],
    snapshots: Iterable[Snapshot],
    location: Location | None = None,
) -> list[KeptPart]:
    """The parts that a trace has changed: of the objects that staged blocks have changed, all that
    is different; of others, what staged values are in now, and, as soon as a call has to write
    anything at all, numbers; and those that are `known`.

    StagingError, at `location`, where a staged value is put into what cannot be carried.
    """
    kept = trace.kept or {}
    altered = []
    for snapshot in snapshots:
        for path, item, before, is_lent in snapshot.altered():
            if is_lent and place_key(item) in kept:
                why = "it is in an object of an installed package"
                raise refuse_change(path, why, location=kept[place_key(item)][1])
            if trace.existed(item):
                if not is_lent:
                    _check(path, item, before, location)
                altered.append((path, item, before, _in_place if is_lent else _is_staged))
    found = {part.key: part for part in known}
    _gather(found, altered, kept)
    if found:
        counted = [(*each[:3], _is_count) for each in altered if each[3] is _is_staged]
        _gather(found, counted, kept)
    return list(found.values())


_Test = Callable[[Any, Any], bool]
"""Whether a value, in the place of another one, is one that each call has to write."""


def _gather(
    found: dict[Any, KeptPart], altered: Iterable[tuple[str, Any, Any, _Test]], kept: dict[Any, Any]
) -> None:
    for path, item, before, test in altered:
        for part in _changed(path, item, before, place_key(item) in kept, test):
            older = found.get(part.key)
            if older is None or not part.reads_within(older):
                found[part.key] = part


def _changed(path: str, item: Any, before: Any, is_kept: bool, test: _Test) -> Iterator[KeptPart]:
    if is_variable_of_python(item):
        if is_kept or test(before, contents(item)):
            yield KeptPart(path, item)
    elif type(item) in DICTS or type(item) is list:
        now = dict(item) if isinstance(item, dict) else dict(enumerate(item))
        old = before if isinstance(item, dict) else dict(enumerate(before))
        pairs = {at: (old.get(at, MISSING), now.get(at, MISSING)) for at in (*old, *now)}
        changed = {at: pair for at, pair in pairs.items() if pair[0] is not pair[1]}
        if is_kept or any(test(*pair) for pair in changed.values()):
            inputs = [at for at, pair in changed.items() if is_kept or not _is_truth(*pair)]
            yield KeptPart(path, item, entries=old.keys() & inputs)
    elif isinstance(before, dict) and not isinstance(item, dict):
        yield from _attributes_changed(path, item, before, is_kept, test)


def _attributes_changed(
    path: str, item: Any, before: Any, is_kept: bool, test: _Test
) -> Iterator[KeptPart]:
    names = dict.fromkeys((*before, *_names_of(item)))
    pairs = {name: (before.get(name, MISSING), attribute_of(item, name)) for name in names}
    changed = {name: pair for name, pair in pairs.items() if pair[0] is not pair[1]}
    if is_kept or any(test(*pair) for pair in changed.values()):
        for name, pair in changed.items():
            is_input = is_kept or not _is_truth(*pair)
            yield KeptPart(f"{path}.{name}", item, name, is_input=is_input)


def _names_of(item: Any) -> Iterable[str]:
    names = vars(item).keys() if hasattr(item, "__dict__") else ()
    # What Python keeps with a class, such as its annotations, no call changes.
    return [name for name in names if not (isinstance(item, type) and name.startswith("__"))]


def _is_staged(before: Any, now: Any) -> bool:
    """True for a staged value, and for a new object that holds one."""
    return holds_staged(now)


def _in_place(before: Any, now: Any) -> bool:
    """True for a staged value in the place of a number, a tensor, or None: what an installed
    package puts elsewhere in its objects is for the rest of the trace.
    """
    is_plain = type(before) in NUMBER_TYPES or isinstance(before, Tensor | None)
    return is_plain and type(now) in _STAGED


def _is_count(before: Any, now: Any) -> bool:
    """True for a number that is another one now."""
    return type(before) in _COUNTS and type(now) in _COUNTS


def _is_truth(before: Any, now: Any) -> bool:
    """True for a truth value that is the other one now: it may say what is made already."""
    return type(before) is bool and type(now) is bool


def holds_staged(value: Any) -> bool:
    """True for a staged value, and for a structure, or an object of the user's, with one in it."""
    met, pending = set(), [value]
    while pending:
        item = pending.pop()
        is_growing = isinstance(item, Growing) and (item.staged is not None or item.is_at_place)
        if type(item) in _STAGED or isinstance(item, Missing) or is_growing or is_reference(item):
            return True
        if type(item) not in _ATOMS and id(item) not in met:
            met.add(id(item))
            found = structure_of(item)
            if found is not None:
                pending += found[1]
            elif is_users_class(type(item)) or is_namespace(type(item)):
                pending += (attributes_of(item) or {}).values()
    return False


def _check(path: str, item: Any, before: Any, location: Location | None) -> None:
    """StagingError for a collection of another class, or a context, in which a staged value is."""
    if not isinstance(item, (*_COLLECTIONS, *_CONTEXTS)):
        return
    if type(item) in DICTS or type(item) is list:
        return
    held_before = (before,) if isinstance(item, ContextVar) else before
    known = {*map(id, before.values() if isinstance(before, dict) else held_before)}
    if any(holds_staged(held) for held in _held_by(item) if id(held) not in known):
        why = f"no {type(item).__qualname__} from before a call can hold staged values"
        raise refuse_change(path, why, location=location)


def _held_by(item: Any) -> Iterator[Any]:
    if isinstance(item, ContextVar):
        yield item.get(None)
    elif isinstance(item, Context):
        yield from item.values()
    # Not by methods of the user's.
    elif isinstance(item, dict):
        yield from dict.values(item)
        yield from (attributes_of(item) or {}).values()
    else:
        base: Any = next(base for base in _COLLECTIONS if isinstance(item, base))
        yield from base.__iter__(item)


class Kept:
    """The parts of objects that a trace reads and writes."""

    def __init__(self, name: str, parts: Sequence[KeptPart]) -> None:
        self.name = name
        self.parts = tuple(parts)
        self.before = [part.value() for part in parts]
        self._keys = [part.inputs(value)[0] for part, value in self._pairs()]
        self._specs: list[Spec] = []
        self._are_alone: list[bool] = []
        self._given: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.parts)

    def _pairs(self) -> Iterator[tuple[KeptPart, Any]]:
        return zip(self.parts, self.before, strict=True)

    def begin(self, trace: Trace) -> None:
        """Have parameters of a trace in the place of what is read."""
        for part, value in self._pairs():
            symbols = []
            for leaf in part.inputs(value)[1]:
                symbols.append(trace.parameter(_type_of(leaf), _label(part.path)))
                trace.given[symbols[-1].graph_value] = leaf
            if symbols:
                part.put(part.with_inputs(value, iter(symbols)))
            for symbol in symbols:
                if isinstance(symbol, SymbolicTensor) and symbol.static_shape != ():
                    is_array = isinstance(symbol, SymbolicArray)
                    sharing.hold(symbol, sharing.ARRAY if is_array else f"a tensor in {part.path}")

    def end(self, trace: Trace, location: Location | None) -> list[Any]:
        """Returns what the trace leaves there, of which the graph's values are results.

        StagingError, at `location`, for an object that was made while tracing, which each call
        would have to make.
        """
        made: set[int] = set()
        # No snapshot looks at what has no state of Python's, as a generator of random numbers.
        held = {id(item) for part, value in self._pairs() for item in part.items_of(value)}

        def existed(item: Any) -> bool:
            return id(item) in held or trace.existed(item)

        left = [part.value() for part in self.parts]
        for part, value in zip(self.parts, left, strict=True):
            of = partial(_spec, trace, part.path, location, made, existed)
            self._specs.append(part.spec(value, of))
        arrays = [list(_arrays_in(value)) for value in left]
        count = Counter(id(array) for each in arrays for array in each)
        for each in arrays:
            shared = [x for x in each if count[id(x)] > 1 or sharing.links_of(x) is not None]
            self._are_alone.append(not shared)
        return left

    def lowered(self, trace: Trace, left: Sequence[Any]) -> Iterator[Any]:
        """The graph's values of what is left."""
        for value, spec in zip(left, self._specs, strict=True):
            yield from graph_values.lower(value, spec, trace)

    def forget(self) -> None:
        """Put back what was there before the trace."""
        for part, value in self._pairs():
            part.put(value)
        self.before = []

    def note_given(self, given: Snapshot) -> None:
        """Note which of the objects a call is given: its caller knows them."""
        parts = [part for part in self.parts if given.knows(part.object)]
        self._given = frozenset(map(id, parts))

    # A call

    def check(self, args: Iterable[Any], kwargs: dict[str, Any]) -> None:
        """StagingError for one that is, or is in, an argument: of that a trace has a copy."""
        given = ways_by_id(dict(enumerate(args)) | kwargs)
        for part in self.parts:
            if id(part.object) in given:
                raise refuse_other_name(self.name, part.holder)

    def hold(self) -> bool:
        """True if what is there now fits the trace."""
        for part, key in zip(self.parts, self._keys, strict=True):
            if part.object is None or part.inputs(part.value())[0] != key:
                return False
        return True

    def changed(self) -> Iterator[str]:
        """Yields what does not fit, as the user would write it."""
        for part, key in zip(self.parts, self._keys, strict=True):
            if part.object is None or part.inputs(part.value())[0] != key:
                yield f"{part.path} is of another kind"

    def leaves(self) -> list[Any]:
        """The tensors and numbers that a call reads there.

        Raises TypeError where what is there does not fit the trace.
        """
        for text in self.changed():
            raise TypeError(f"{self.name}(): {text}: make a trace for it, or call the function")
        return [leaf for part in self.parts for leaf in part.inputs(part.value())[1]]

    def write(self, values: Iterator[Any]) -> None:
        """Leave there what a run has left."""
        made = [graph_values.restored(spec, values) for spec in self._specs]
        for part, *left in zip(self.parts, self._specs, made, self._are_alone, strict=True):
            part.put(_with_arrays(*left))

    def write_in(self, trace: Trace, symbols: Iterator[Any]) -> None:
        """Leave there what a call in another trace leaves."""
        made = [graph_values.lift(spec, symbols) for spec in self._specs]
        for part, value in zip(self.parts, made, strict=True):
            look_at(part.holder, part.object, is_given=id(part) in self._given)
            part.put(value)


def _type_of(leaf: Any) -> Type:
    return NUMBER_TYPES[type(leaf)] if type(leaf) in NUMBER_TYPES else leaf_types([leaf])[0]


def _label(path: str) -> str:
    """A name for a value of the graph."""
    return "_".join(re.findall(r"\w+", path)) or "kept"
