"""The values of all rows of a jacobian at once, node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import runtime.ops as ops
from runtime.autodiff.vectorization.control import CONTROL_RULES
from runtime.autodiff.vectorization.lists import LIST_RULES
from runtime.autodiff.vectorization.rules import NotVectorized, has_known_rank
from runtime.core.primitive import bind
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.nodes import LIST_REPEAT, apply
from runtime.ops.batching import shape_of
from runtime.staging.scopes import active
from runtime.staging.tracing import Trace, symbol


def vectorized(
    nodes: Sequence[Node], seed: Value, seeds: Callable[[], Any], results: Sequence[Value]
) -> list[Any] | None:
    """Returns the results of `nodes` for each row of `seeds()` in place of `seed`, with an axis for
    the rows in front; None where that is not known of one of them.
    """
    made = active().scope.nodes
    begin = len(made)
    try:
        given = seeds()
        rows = AllRows(given.static_shape[0], {})
        rows.put(seed, given, True)
        rows.follow(nodes)
        return [rows.whole(result) for result in results]
    except NotVectorized:
        del made[begin:]
        return None


Callees = dict[tuple[Graph, tuple[bool, ...]], tuple[Graph, list[bool]]]


class AllRows:
    """The values of all rows, and which differ from row to row.

    `callees` are the graphs that do for all rows what one that is called does for a row, by that
    and by which of its arguments differ; and which of their results do.
    """

    def __init__(self, count: int, callees: Callees) -> None:
        self.trace: Trace = active()
        self.count = count
        self.callees = callees
        self.found: dict[Value, Any] = {}
        self.differing: set[Value] = set()
        # Tapes know what a graph captures by itself.
        for value, item in self.trace.captures.values():
            self.put(value, item, False)

    def inside(self, graph: Graph, differ: Sequence[bool]) -> AllRows:
        """For a graph that is called, in the active trace, with parameters for all rows where the
        arguments differ.
        """
        inner = AllRows(self.count, self.callees)
        for parameter, differs in zip(graph.parameters, differ, strict=True):
            type = self.lifted(parameter.type) if differs else parameter.type
            inner.put(parameter, inner.trace.parameter(type, parameter.name), differs)
        for value, item in graph.closure:
            inner.put(value, item, False)
        return inner

    def put(self, value: Value, found: Any, differs: bool) -> None:
        """Let `found` stand for a value from now on."""
        self.found[value] = found
        (self.differing.add if differs else self.differing.discard)(value)

    def follow(self, nodes: Iterable[Node]) -> None:
        """Compute nodes of all rows. NotVectorized where that is not possible."""
        for node in nodes:
            rule = CONTROL_RULES.get(node.primitive)
            if rule is not None:
                rule(self, node)
            else:
                self._op(node)

    def _op(self, node: Node) -> None:
        places = [place for place, value in enumerate(node.inputs) if value in self.differing]
        outputs = self._differing(node, places) if places else self._same(node)
        for value, output in zip(node.outputs, outputs, strict=True):
            self.put(value, output, bool(places))

    def _differing(self, node: Node, places: list[int]) -> tuple[Any, ...]:
        rule = LIST_RULES.get(node.primitive)
        if rule is None and all(map(has_known_rank, (*node.inputs, *node.outputs))):
            rule = node.primitive.batching
        if rule is None:
            raise NotVectorized
        outputs = rule(self, node, [self.of(value) for value in node.inputs], places)
        if outputs is None:
            raise NotVectorized
        return tuple_of(outputs)

    def _same(self, node: Node) -> tuple[Any, ...]:
        """A node that is the same for each row."""
        primitive, inputs = node.primitive, [self.of(value) for value in node.inputs]
        if primitive.effect or node.regions or "callee" in node.params:
            raise NotVectorized
        if any(isinstance(value.type, NumberType) for value in (*node.inputs, *node.outputs)):
            values = tuple(map(self.trace.value_of, inputs))
            return tuple_of(self.trace.apply(primitive, values, node.params))
        if primitive.is_op:
            return tuple_of(bind(primitive, *inputs, **node.params))
        return tuple_of(apply(primitive, *inputs, **node.params))

    def of(self, value: Value) -> Any:
        """Returns what stands for a value: of all rows, or the same for each."""
        known = self.found.get(value)
        return symbol(value, self.trace.scope, None) if known is None else known

    def whole(self, value: Value) -> Any:
        """A value of all rows, repeated where it is the same for each."""
        if value in self.differing:
            return self.of(value)
        type = self.lifted(value.type)
        if isinstance(type, ListType):
            return apply(LIST_REPEAT, self.of(value), count=self.count, axis=0)
        if type.shape is None:
            raise NotVectorized
        found = self.of(value)
        sizes = ops.shape(found) if None in type.shape else ()
        rest = [sizes[at] if size is None else size for at, size in enumerate(type.shape[1:])]
        return ops.broadcast_to(found, [self.count, *rest])

    def lifted(self, type: Type) -> Any:
        """The type of a value of all rows."""
        if isinstance(type, ListType):
            return ListType(self.lifted(type.element))
        if not isinstance(type, TensorType):
            raise NotVectorized
        return TensorType(type.dtype, None if type.shape is None else (self.count, *type.shape))

    def aligned(self, value: Value, rank: int) -> Any:
        """A value of all rows to broadcast against others of this rank."""
        shape = shape_of(value)
        if value not in self.differing or len(shape) == rank:
            return self.of(value)
        return self.reshaped(self.of(value), (*(1,) * (rank - len(shape)), *shape))

    def reshaped(self, found: Any, shape: Sequence[int | None]) -> Any:
        """A value of all rows with another shape of each, of which one size may be unknown."""
        if shape.count(None) > 1:
            raise NotVectorized
        return ops.reshape(found, [self.count, *(-1 if size is None else size for size in shape)])


def tuple_of(outputs: Any) -> tuple[Any, ...]:
    """Returns the outputs of an op, as a tuple also where there is one."""
    return outputs if isinstance(outputs, tuple) else (outputs,)
