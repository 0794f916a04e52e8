"""Datasets and iterators in graphs: the nodes that make them, and take elements from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime import errors
from runtime.core.primitive import structural
from runtime.core.state import state
from runtime.core.tensor import EagerTensor
from runtime.core.types import ObjectHandle, ObjectType, Type
from runtime.data.pipelines import INFINITE, UNKNOWN, Cursor, Element, Pipeline
from runtime.graph.data import Opaque
from runtime.graph.nodes import BOOL, INT
from runtime.staging.scopes import active
from runtime.staging.tracing import is_symbol


class EndOfSequence(errors.OutOfRangeError, StopIteration):
    """`next` in a graph, of an iterator that has no more elements."""


def _element_type(cursor: ObjectType) -> tuple[Type, ...]:
    return cursor.parts


def _next(cursor: Cursor) -> Element:
    if not cursor.advance():
        raise EndOfSequence("End of sequence: the iterator has no more elements")
    return cursor.element


def length_of(pipeline: Pipeline) -> int:
    """`len` of a dataset; TypeError where it has none."""
    if pipeline.cardinality == INFINITE:
        raise TypeError("The dataset is infinite: len() of it has no value")
    if pipeline.cardinality == UNKNOWN:
        raise TypeError("The dataset length is unknown: count its elements with reduce")
    return pipeline.cardinality


_ACTS = {"effect": True, "fallible": True, "calls_back": True}
_MAKES = {**_ACTS, "repeatable": True}
MAKE = structural(
    "make_dataset", lambda *raws, build, type: build.item(*raws), lambda *_, build, type: type,
    op_type="MakeDataset", **_MAKES,
)  # fmt: skip
COMPUTE = structural(
    "reduce_dataset", lambda *raws, build, types: build.item(*raws),
    lambda *_, build, types: types, op_type="ReduceDataset", gives_tuple=True, **_MAKES,
)  # fmt: skip
ITERATE = structural(
    "make_iterator", Cursor, lambda dataset: ObjectType("iterator", dataset.parts),
    op_type="MakeIterator", **_MAKES,
)  # fmt: skip
ADVANCE = structural(
    "iterator_advance", Cursor.advance, lambda _: BOOL, op_type="IteratorAdvance", **_ACTS
)
CURRENT = structural(
    "iterator_element", lambda cursor: cursor.element, _element_type, op_type="IteratorElement",
    effect=True, gives_tuple=True,
)  # fmt: skip
NEXT = structural(
    "iterator_get_next", _next, _element_type, op_type="IteratorGetNext", gives_tuple=True,
    raises=(EndOfSequence,), **_ACTS,
)  # fmt: skip
LENGTH = structural("dataset_length", length_of, lambda _: INT, op_type="DatasetLength", **_MAKES)


def made(build: Callable[..., Pipeline], inputs: Sequence[Any], types: tuple[Type, ...]) -> Any:
    """The handle of the dataset that `build` makes of tensors and handles: at once, or in the graph
    where one of them is a symbol.
    """
    kind = ObjectType("dataset", types)
    if not any(map(is_symbol, inputs)):
        return ObjectHandle(kind, build(*map(_raw, inputs)))
    return applied(MAKE, inputs, build=Opaque(build), type=kind)


def computed(
    build: Callable[..., Element], inputs: Sequence[Any], types: tuple[Type, ...]
) -> Sequence[Any]:
    """The tensors that `build` computes of tensors and datasets: now, or when the graph runs."""
    if state.trace is None:
        return build(*map(_raw, inputs))
    return applied(COMPUTE, inputs, build=Opaque(build), types=types)  # type: ignore[no-any-return]


def applied(primitive: Any, inputs: Sequence[Any], **params: Any) -> Any:
    """The symbols of a new node of the graph that is being traced."""
    trace = active(*inputs)
    values = tuple(map(trace.value_of, inputs))
    return trace.apply(primitive, values, params)


def _raw(item: Any) -> Any:
    return item.raw if isinstance(item, ObjectHandle | EagerTensor) else item
