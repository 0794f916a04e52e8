"""Between Python values and the graph's, by the Spec of what crosses: `lower` gives the values of
the graph for a Python value, `lift` the Python value that stands for them, and `restored` the one
that a run leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime import errors, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor, tensor_of
from runtime.core.types import ListType, NumberType, ObjectHandle, ObjectType, TensorType, Type
from runtime.graph import numbers
from runtime.graph.ir import Value
from runtime.graph.lists import Elements
from runtime.graph.nodes import NUMBER_TYPES, UNDEFINED, fits
from runtime.graph.structures import Structure
from runtime.staging.arrays.symbolic_array import as_array
from runtime.staging.control.carried_objects import Held
from runtime.staging.control.joined_variables import note
from runtime.staging.control.joins import BLANK, abstract, place_among
from runtime.staging.control.optional_values import (
    IS_THERE,
    MaybeNone,
    MaybeUndefined,
    is_undefined,
)
from runtime.staging.control.parts import join_structure_of
from runtime.staging.control.references import is_reference_class
from runtime.staging.control.specs import Leaf, Maybe, Optional, Same, Spec, Tree, Union, types_of
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import opened
from runtime.staging.exact_integers import note_meeting
from runtime.staging.refusals import refuse
from runtime.staging.symbolic_number import CLASSES, SymbolicNumber, apply_number, is_number
from runtime.staging.tracing import Trace


def names_of(spec: Spec, name: str) -> Iterator[str]:
    """A name for each of these values."""
    if isinstance(spec, Leaf):
        yield name
    elif isinstance(spec, Tree):
        for place, child in enumerate(spec.children):
            is_itself = spec.structure.kind is Held
            label = "" if is_itself else f"_{spec.structure.label(place)}"
            yield from names_of(child, name + label)
    elif isinstance(spec, Optional | Maybe):
        yield f"{name}{IS_THERE if isinstance(spec, Optional) else '_is_bound'}"
        yield from names_of(spec.inner, name)
    elif isinstance(spec, Union):
        yield f"{name}_kind"
        for at, kind in enumerate(spec.kinds):
            yield from names_of(kind, f"{name}_{at}")


def lower(value: Any, spec: Spec, trace: Trace, name: str | None = None) -> Iterator[Value]:
    """The graph's values for a Python value that the Spec covers; conversions are added to the open
    scope. `name` is that of the variable, for messages.
    """
    value = opened(value)
    if value is BLANK:
        for type in types_of(spec):
            yield trace.apply(UNDEFINED, (), {"type": type}).graph_value
    elif isinstance(spec, Leaf):
        yield _lower_leaf(value, spec.type, trace, name)
    elif isinstance(spec, Tree):
        for child, inner in zip(children(value, spec.structure), spec.children, strict=True):
            yield from lower(child, inner, trace, name)
    elif isinstance(spec, Optional | Maybe):
        yield from _lower_missing(value, spec, trace, name)
    elif isinstance(spec, Union):
        yield from _lower_union(value, spec, trace, name)


def _lower_union(value: Any, spec: Union, trace: Trace, name: str | None) -> Iterator[Value]:
    places = _places_of(value, spec)
    if len(set(places)) < len(places):
        raise value.refusal()
    if None in places:  # a list that is in another one by now
        raise refuse(str(spec.mismatch), spec.mismatch.hint, name)
    tag: Any = places[0]
    if type(value) is TaggedUnion:
        tag = value.place
        if places != list(range(len(places))):
            tag = sum((tag == at) * place for at, place in enumerate(places))
    yield _lower_number(tag, NUMBER_TYPES[int], trace)
    for each, kind in zip(by_kind(value, spec), spec.kinds, strict=True):
        yield from lower(each, kind, trace, name)


def _places_of(value: Any, spec: Union) -> list[int | None]:
    """The place in a Spec of the kind of a value, or of each of its options."""
    values = value.options if type(value) is TaggedUnion else (value,)
    return [place_among(spec.kinds, abstract(each)) for each in values]


def by_kind(value: Any, spec: Union) -> list[Any]:
    """The value for each kind of a Spec; BLANK for those that it never is of."""
    values = value.options if type(value) is TaggedUnion else (value,)
    places = _places_of(value, spec)
    return [values[places.index(at)] if at in places else BLANK for at in range(len(spec.kinds))]


def children(value: Any, structure: Structure) -> Sequence[Any]:
    """The values in a value that a Structure covers."""
    if type(value) is TaggedUnion:  # whose kinds have become one
        raise value.refusal()
    found = join_structure_of(value)
    fit = structure.handler.fit
    if found is not None and found[0] == structure:
        return found[1]
    if fit is not None:
        return fit(value, structure)
    kinds = structure.kind, None if found is None else found[0].kind
    if found is None or len({is_reference_class(kind) for kind in kinds if kind}) > 1:
        raise errors.InternalError(f"{kinds[1]} is lowered as {structure}")
    return found[1]


def _lower_missing(
    value: Any, spec: Optional | Maybe, trace: Trace, name: str | None
) -> Iterator[Value]:
    holder = MaybeNone if isinstance(spec, Optional) else MaybeUndefined
    if isinstance(value, holder):
        yield trace.value_of(value.flag)
        yield from lower(value.held, spec.inner, trace, name)
    elif value is None if isinstance(spec, Optional) else is_undefined(value):
        yield trace.value_of(False)
        yield from lower(BLANK, spec.inner, trace)
    else:
        yield trace.value_of(True)
        yield from lower(value, spec.inner, trace, name)


def _lower_leaf(value: Any, type: Type, trace: Trace, name: str | None) -> Value:
    if isinstance(type, TensorType):
        if isinstance(value, int | float) and not fits(value, type.dtype):
            what = name or "the value"
            what = what if what.startswith("the ") else repr(what)
            wide = "float64" if isinstance(value, float) else "int64"
            raise refuse(
                f"the Python number {value!r} does not fit into {type.dtype.name}, which {what} "
                "has on the other path",
                f"use tensors of dtype {wide} on both paths",
                name,
            )
        if isinstance(value, Tensor) and value.dtype is not type.dtype:
            return trace.value_of(ops.cast(value, type.dtype))
        if is_number(value):
            note_meeting(trace, value, type)
        if isinstance(value, np.ndarray):
            trace.references.copies(value)
        return trace.value_of(convert_to_tensor(value, type.dtype))
    if isinstance(type, NumberType):
        return _lower_number(value, type, trace)
    return trace.value_of(value)


def _lower_number(value: Any, type: NumberType, trace: Trace) -> Value:
    kind = value.type if isinstance(value, SymbolicNumber) else NUMBER_TYPES[value.__class__]
    if kind == type:
        return trace.value_of(value)
    if isinstance(value, SymbolicNumber):
        converted: Value = apply_number(numbers.CONVERSIONS[type.kind], value).graph_value
        return converted
    return trace.value_of({"int": int, "float": float}[type.kind](value))


def lift(spec: Spec, symbols: Iterator[Any]) -> Any:
    """The Python value for a Spec, out of the symbols of its values."""
    if isinstance(spec, Leaf):
        symbol = note(next(symbols), spec.variables)
        return as_array(symbol) if spec.is_array else symbol
    if isinstance(spec, Same):
        return spec.value
    if isinstance(spec, Tree):
        return spec.structure.build([lift(child, symbols) for child in spec.children])
    if isinstance(spec, Union):
        tag = next(symbols)
        return TaggedUnion([lift(kind, symbols) for kind in spec.kinds], tag, spec.mismatch)
    flag = next(symbols)
    held = lift(spec.inner, symbols)
    return (
        MaybeNone(held, flag)
        if isinstance(spec, Optional)
        else MaybeUndefined(held, flag, spec.name)
    )


def given_back(raw: Any, type: Type) -> Any:
    """The Python value of this type for the result of a run."""
    if isinstance(type, NumberType):
        return CLASSES[type.kind](raw)
    if isinstance(type, ObjectType):
        return ObjectHandle(type, raw)
    if not isinstance(type, ListType):
        return tensor_of(raw)
    assert isinstance(type.element, TensorType)
    return Elements([x if x is None else tensor_of(x) for x in raw], type.element)


def restored(
    spec: Spec, values: Iterator[Any], leaf: Callable[[Any, Type], Any] = given_back
) -> Any:
    """The Python value for a Spec that a run leaves, out of those of the run."""
    if isinstance(spec, Leaf):
        return leaf(next(values), spec.type)
    if isinstance(spec, Same):
        return spec.value
    if isinstance(spec, Tree):
        children = [restored(child, values, leaf) for child in spec.children]
        return spec.structure.anew().build(children)
    if isinstance(spec, Union):
        return _restored_one(spec, values, leaf)
    if next(values):
        return restored(spec.inner, values, leaf)
    for _ in types_of(spec.inner):
        next(values)
    return None


def _restored_one(spec: Union, values: Iterator[Any], leaf: Callable[[Any, Type], Any]) -> Any:
    place, made = int(next(values)), None
    for at, kind in enumerate(spec.kinds):
        if at == place:
            made = restored(kind, values, leaf)
        else:
            for _ in types_of(kind):
                next(values)
    return made
