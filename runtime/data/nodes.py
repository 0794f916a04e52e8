"""Datasets and iterators in graphs: the nodes that make them, and take elements from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.users_words import with_article
from runtime import errors
from runtime.core.primitive import Primitive, structural
from runtime.core.state import state
from runtime.core.tensor import EagerTensor
from runtime.core.types import ObjectHandle, ObjectType, Type
from runtime.data.pipelines import INFINITE, UNKNOWN, Cursor, Element, Pipeline
from runtime.graph.data import Opaque
from runtime.graph.nodes import BOOL, INT
from runtime.staging.control.failures import caught_in
from runtime.staging.frames import user_location
from runtime.staging.scopes import active
from runtime.staging.tracing import is_symbol


class EndOfSequence(errors.OutOfRangeError, StopIteration):
    """`next` in a graph, of an iterator that has no more elements."""


END_OF_SEQUENCE = "End of sequence: the iterator has no more elements"


def _element_type(cursor: ObjectType) -> tuple[Type, ...]:
    return cursor.parts


def _next(cursor: Cursor) -> Element:
    if not cursor.advance():
        raise EndOfSequence(END_OF_SEQUENCE)
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


def _in_try(primitive: Primitive) -> Primitive:
    """The primitive for a `try`: what a handler there would catch of a dataset's own errors is
    refused when the graph runs.
    """

    def kernel(*raws: Any, caught: Opaque, **params: Any) -> Any:
        kinds, location = caught.item
        try:
            return primitive.kernel(*raws, **params)
        except Exception as error:
            if isinstance(error, errors.RefusedError) or not isinstance(error, kinds):
                raise
            raise errors.RefusedError(
                None,
                None,
                f"a dataset raised {with_article(type(error).__name__)}, which the `try` around "
                "could act on, but what runs for a dataset is no part of the graph",
                location=location,
                hint="catch it in the function that the dataset calls, or move the `try` outside "
                "the staged function",
            ) from error

    def infer(*types: Type, caught: Opaque, **params: Any) -> Any:
        return primitive.infer(*types, **params)

    return structural(
        f"{primitive.name}_in_try", kernel, infer, op_type=primitive.op_type, effect=True,
        fallible=True, calls_back=True, gives_tuple=primitive.gives_tuple,
        repeatable=primitive.repeatable,
    )  # fmt: skip


_IN_TRY = {each: _in_try(each) for each in (MAKE, COMPUTE, ITERATE, ADVANCE, LENGTH)}


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
    caught = caught_in(trace) if primitive in _IN_TRY else ()
    if caught:
        params["caught"] = Opaque((caught, user_location()))
        primitive = _IN_TRY[primitive]
    return trace.apply(primitive, values, params)


def _raw(item: Any) -> Any:
    return item.raw if isinstance(item, ObjectHandle | EagerTensor) else item
