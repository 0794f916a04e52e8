"""The way back over the nodes of a graph, as nodes of the graph.

Each node of control flow has a rule of its own: the gradient of a `cond` is a `cond`, that of a
`while` a `while` with as many rounds, that of a call a call. All of it is nodes with gradients of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import runtime.ops as ops
from runtime.autodiff.activity import Activity, Source, captures_in, variables_in
from runtime.autodiff.records import Operation
from runtime.graph.ir import Node, Region, Value, covers, free_values
from runtime.graph.nodes import LIST_AS, LIST_ZEROS, apply
from runtime.graph.scopes import Scope, active
from runtime.graph.tracing import Trace, symbol
from runtime.primitive import Primitive
from runtime.shapes import is_known
from runtime.state import state
from runtime.types import ListType, ResidualsType, Type

Rules = Mapping[str, Callable[["Reverse", Node, Sequence[Any]], Sequence[Node]]]
"""How to go back over a node of control flow, by its primitive: from the gradients of its outputs;
what stands in its place afterwards.
"""


class StagedOperation(Operation):
    """An op inside a region that was left, as gradient rules see it."""

    __slots__ = ()
    is_inner = True


@contextmanager
def _untaped() -> Iterator[None]:
    before = state.tapes
    state.tapes = ()
    try:
        yield
    finally:
        state.tapes = before


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

    def symbol(self, value: Value) -> Any:
        """What rules are given for a value."""
        return symbol(value, self.trace.scope, None)

    def add(self, source: Source, grad: Any) -> None:
        """Add to the gradient of an active value or variable."""
        if grad is None or source not in self.activity.known:
            return
        before = self.grads.get(source)
        self.grads[source] = grad if before is None else before + grad

    def zeros(self, source: Source) -> Any:
        """Zeros like a source."""
        type = self.type_of(source)
        if isinstance(type, ListType | ResidualsType):
            return self.trace.apply(LIST_ZEROS, (source,))  # type: ignore[arg-type]
        if is_known(type.shape):
            return ops.zeros(type.shape, type.dtype)
        if isinstance(source, Value):
            return ops.zeros_like(self.symbol(source))
        return ops.zeros_like(self.variables[source].variable.value())

    def type_of(self, source: Source) -> Any:
        """The type of a source, and of its gradient."""
        return source.type if isinstance(source, Value) else self.variables[source].type

    def taken(self, source: Source) -> Any:
        """The gradient of a source, zeros where there is none, with its type."""
        grad = self.grads.get(source)
        return self.zeros(source) if grad is None else shaped(grad, self.type_of(source))

    def region(self, nodes: Sequence[Node]) -> list[Node]:
        """Go back over nodes; what stands in their place afterwards."""
        made: list[Node] = []
        for node in reversed(nodes):
            made += reversed(self.step(node))
        return made[::-1]

    def step(self, node: Node) -> Sequence[Node]:
        """Go back over one node."""
        given = [self.grads.pop(output, None) for output in node.outputs]
        if all(grad is None for grad in given):
            return (node,)
        rule = self.rules.get(node.primitive.name)
        if rule is not None:
            return rule(self, node, given)
        self._op(node, given)
        return (node,)

    def _op(self, node: Node, given: Sequence[Any]) -> None:
        if not node.inputs:
            variable = node.params.get("variable")
            if variable is not None:
                self.add(variable.node, given[0])
            return
        known = self.activity.known
        sources = [value if value in known else None for value in node.inputs]
        rule = node.primitive.gradient
        if rule is None:
            raise LookupError(
                f"No gradient is defined for the op {node.primitive.op_type}, which the target "
                "depends on: use tf.stop_gradient on what goes into it, or give one with "
                "tf.custom_gradient"
            )
        inputs = [self.symbol(value) for value in node.inputs]
        outputs = [self.symbol(value) for value in node.outputs]
        results = rule(StagedOperation(inputs, outputs, dict(node.params), sources), *given)
        for value, result in zip(node.inputs, results or (), strict=results is not None):
            self.add(value, result)

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
        return f"grad_{source.name if isinstance(source, Value) else self.variables[source].name}"

    @contextmanager
    def inside(self) -> Iterator[tuple[Scope, Reverse]]:
        """Build a region of the gradient."""
        site = self.trace.scope.next_site()
        with _untaped(), self.trace.nested("a gradient", site) as scope:
            yield scope, Reverse(self.activity, self.variables, self.rules)

    @contextmanager
    def back_inside(self, scope: Scope) -> Iterator[None]:
        """Add to a region of the gradient that was left."""
        with _untaped(), self.trace.reopened(scope):
            yield

    def sources(self, regions: Sequence[Region]) -> list[Source]:
        """What regions use from around them, of which gradients are asked for."""
        nodes = [node for region in regions for node in region.nodes]
        free = [value for region in regions for value in free_values(region)]
        used = dict.fromkeys((*free, *captures_in(nodes), *variables_in(nodes)))
        return [source for source in used if source in self.activity.known]


def shaped(grad: Any, type: Any) -> Any:
    """A gradient, known to have a type of which its own knows less."""
    if covers(type, grad.type):
        return grad
    if isinstance(type, ListType):
        return apply(LIST_AS, grad, type=type)
    return ops.ensure_shape(grad, type.shape)
