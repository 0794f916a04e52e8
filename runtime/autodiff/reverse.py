"""The backward pass over the nodes of a graph, as nodes of the graph.

Each node of control flow has a rule of its own: the gradient of a `cond` is a `cond`, that of a
`while` a `while` with as many rounds, that of a call a call. All of it is nodes with gradients of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import runtime.ops as ops
from runtime.autodiff.activity import Activity, Source, captures_in, variables_in
from runtime.autodiff.records import Operation, no_gradient
from runtime.autodiff.sent import (
    ABSENT,
    Found,
    Sent,
    back_through,
    choose,
    either,
    nested,
    shaped,
    zeros,
)
from runtime.core.primitive import Primitive
from runtime.core.shapes import is_known
from runtime.core.state import recorded_by
from runtime.core.types import Type
from runtime.dtypes import DType
from runtime.graph.ir import Node, Region, Value, free_values
from runtime.ops.indexed_slices import Slices, dense, summed
from runtime.staging.scopes import Scope, active
from runtime.staging.tracing import Trace, symbol

Rules = Mapping[
    Primitive, Callable[["Reverse", Node, Sequence[Any], Sequence["Sent | None"]], Sequence[Node]]
]
"""The backward pass over a node of control flow, by its primitive: from the gradients of its
outputs, and whether they are sent; what stands in its place afterwards.
"""


class StagedOperation(Operation):
    """An op inside a region that was left, as gradient rules see it."""

    __slots__ = ()
    is_inner = True


class Reverse:
    """Goes back over nodes and adds those of the gradient to the open scope of the active trace.

    `grads` are the symbols of the gradients so far; `activity` knows what depends on the sources,
    `rules` how to go back over control flow.
    """

    def __init__(self, activity: Activity, variables: dict[int, Any], rules: Rules) -> None:
        self.trace: Trace = active()
        self.rules = rules
        self.activity = activity
        self.variables = variables
        self.grads: dict[Source, Any] = {}
        self.sent: dict[Source, Sent] = {}

    def symbol(self, value: Value) -> Any:
        """Returns the symbol that rules are given for a value."""
        return symbol(value, self.trace.scope, None)

    def add(self, source: Source, grad: Any, sent: Sent | None = None) -> None:
        """Add to the gradient of an active value or variable."""
        if grad is None or source not in self.activity.known:
            return
        before = self.grads.get(source)
        if before is None:
            self.grads[source] = grad
        else:
            self.grads[source] = summed(before, grad)
            sent = either(self.trace, self.sent.pop(source, None), sent)
        if sent is not None:
            self.sent[source] = sent

    def zeros(self, source: Source) -> Any:
        """Zeros like a source."""
        if isinstance(source, Value):
            return zeros(self.trace, source)
        type = self.type_of(source)
        if is_known(type.shape):
            return ops.zeros(type.shape, type.dtype)
        return ops.zeros_like(self.variables[source].variable.value())

    def found(self, source: Source) -> Sent | None:
        """Whether the gradient of a source is sent."""
        return self.sent.get(source) if source in self.grads else ABSENT

    def type_of(self, source: Source) -> Any:
        """The type of a source, and of its gradient."""
        return source.type if isinstance(source, Value) else self.variables[source].type

    def taken(self, source: Source) -> Any:
        """The gradient of a source, zeros where there is none, with its type."""
        grad = self.grads.get(source)
        return self.zeros(source) if grad is None else shaped(grad, self.type_of(source))

    def slices(self, source: Source) -> Slices | None:
        """The gradient of a source of which the shape is known, if it is slices."""
        grad = self.grads.get(source)
        is_sliced = type(grad) is Slices and is_known(self.type_of(source).shape)
        return grad if is_sliced else None

    def rows(self, source: Source, dtype: DType) -> tuple[Any, Any]:
        """The gradient of a source as slices, all of them where it is none, and their places."""
        found = self.slices(source)
        if found is not None:
            values, places = found.rows()
            return values, ops.cast(places, dtype)
        return self.taken(source), ops.range(self.type_of(source).shape[0], dtype=dtype)

    def region(self, nodes: Sequence[Node]) -> list[Node]:
        """Go back over nodes; what stands in their place afterwards."""
        made: list[Node] = []
        for node in reversed(nodes):
            made += reversed(self.step(node))
        return made[::-1]

    def step(self, node: Node) -> Sequence[Node]:
        """Go back over one node."""
        given = [self.grads.pop(output, None) for output in node.outputs]
        sent = [self.sent.pop(output, None) for output in node.outputs]
        if all(grad is None for grad in given):
            return (node,)
        rule = self.rules.get(node.primitive)
        if rule is not None:
            return rule(self, node, list(map(dense, given)), sent)
        self._op(node, given, sent)
        return (node,)

    def _op(self, node: Node, given: Sequence[Any], sent: Sequence[Sent | None]) -> None:
        if not node.inputs:
            variable = node.params.get("variable")
            if variable is not None:
                self.add(variable.node, given[0], sent[0])
            return
        known = self.activity.known
        sources = [value if value in known else None for value in node.inputs]
        if node.primitive.gradient is None:
            raise no_gradient(node.primitive)
        inputs = [self.symbol(value) for value in node.inputs]
        outputs = [self.symbol(value) for value in node.outputs]
        op = StagedOperation(inputs, outputs, dict(node.params), sources)
        results = back_through(self.trace, node.primitive, op, given, sent)
        for value, (grad, flag) in zip(node.inputs, results, strict=True):
            self.add(value, grad, flag)

    def reduced(
        self, given: Sequence[Any], sent: Sequence[Sent | None]
    ) -> tuple[Sent | None, list[Sent | None]]:
        """Whether any of some gradients is sent; and where that is so, whether each is."""
        flags = [flag for grad, flag in zip(given, sent, strict=True) if grad is not None]
        if None in flags:
            return None, list(sent)
        whole = flags[0]
        for flag in flags[1:]:
            whole = either(self.trace, whole, flag)
        return whole, [None if flag == whole else flag for flag in sent]

    def guarded(
        self, sent: Sent | None, sources: Sequence[Source], way: Callable[[], Sequence[Found]]
    ) -> None:
        """Add the gradients for sources that a node of control flow finds; it runs where any
        gradient was sent to what is behind it.
        """
        found = way() if sent is None else self._chosen(sent, sources, way)
        for source, (grad, flag) in zip(sources, found, strict=True):
            self.add(source, grad, flag)

    def _chosen(
        self, sent: Sent, sources: Sequence[Source], way: Callable[[], Sequence[Found]]
    ) -> Sequence[Found]:
        targets = [
            (Value(self.type_of(source), self.name(source)), partial(self.zeros, source))
            for source in sources
        ]
        return choose(self.trace, sent, (way, lambda: [(None, None)] * len(sources)), targets)

    def rewrite(self, node: Node, made: list[Node]) -> Sequence[Node]:
        """Put nodes in the place of one."""
        return made

    def append(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        types: Sequence[Type],
        names: Sequence[str],
        **fields: Any,
    ) -> tuple[Any, ...]:
        """Add a node of control flow, whose outputs have these types and names."""
        named = enumerate(zip(types, map(self.trace.unique, names), strict=True))
        outputs = [Value(type, name, at) for at, (type, name) in named]
        values = [self.trace.value_of(item) for item in inputs]
        return self.trace.append(primitive, values, outputs, **fields)

    def label(self, source: Source) -> str:
        """A name for the gradient of a source."""
        return f"grad_{self.name(source)}"

    def name(self, source: Source) -> str:
        """The name of a source."""
        return source.name if isinstance(source, Value) else str(self.variables[source].name)

    @contextmanager
    def inside(self) -> Iterator[tuple[Scope, Reverse]]:
        """Build a region of the gradient."""
        with nested(self.trace) as scope:
            yield scope, Reverse(self.activity, self.variables, self.rules)

    @contextmanager
    def back_inside(self, scope: Scope) -> Iterator[None]:
        """Add to a region of the gradient that was left."""
        with recorded_by(), self.trace.reopened(scope):
            yield

    def sources(self, regions: Sequence[Region]) -> list[Source]:
        """Returns what regions use from around them, of which gradients are asked for."""
        nodes = [node for region in regions for node in region.nodes]
        free = [value for region in regions for value in free_values(region)]
        used = dict.fromkeys((*free, *captures_in(nodes), *variables_in(nodes)))
        return [source for source in used if source in self.activity.known]
