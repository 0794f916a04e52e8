"""The statements that native code is written for, and what keeps the others from it."""

from __future__ import annotations

from collections.abc import Iterator

from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Conversion, Expression, Statement
from runtime.graph.executors.lowering import whole

# Their rules are in the tables once they are imported.
from runtime.graph.executors.native import (  # noqa: F401
    convolving,
    copying,
    indexing,
    lists,
    math,
    normalizing,
    ordering,
    pooling,
    products,
    scattering,
    widening,
)
from runtime.graph.executors.native.fusing import is_elementwise
from runtime.graph.executors.native.indexing import is_small
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS
from runtime.graph.executors.native.scalar_ops import takes_scalar
from runtime.graph.executors.native.updates import Updates, is_update
from runtime.graph.executors.native.values import is_held, is_list
from runtime.graph.ir import Graph, Node

Reason = tuple[Node, str]


class Support:
    """Tells what keeps statements from native code. Graphs that they call are asked once.

    Of what a program enters again and again, large arrays are not to be copied: Python's program
    assigns their items in place.
    """

    def __init__(self, is_repeated: bool = False) -> None:
        self._is_repeated = is_repeated
        self._graphs: dict[Graph, list[Reason]] = {}

    def of_graph(self, graph: Graph) -> list[Reason]:
        """The reasons in a graph that is called; none where it is native."""
        if graph not in self._graphs:
            # A graph that calls itself is what the rest of it is.
            self._graphs[graph] = []
            self._graphs[graph] = self.of_function(whole(graph), is_called=True)
        return self._graphs[graph]

    def of_function(self, form: lowered.Function, is_called: bool = False) -> list[Reason]:
        """The reasons in a function; one that is called by others may take and give lists."""
        found = list(self.of_block(form.body))
        results = [each for each in form.body.results if isinstance(each, lowered.Local)]
        for local in (*form.parameters, *[local for local, _ in form.captured], *results):
            if not is_held(local.type) and not (is_called and is_list(local.type)):
                found.append((_anywhere(form), f"{local.name} is {local.type}"))
        return found

    def of_block(self, block: Block, around: Updates | None = None) -> Iterator[Reason]:
        """The reasons in a block, and those inside it; `around` are the assignments to items of
        arrays in the statement that it is part of.
        """
        for statement in block.statements:
            yield from self.of(statement)
            updates = Updates(Block([statement])) if around is None else around
            is_in_place = statement in updates.kernels and not self._is_repeated
            if is_update(statement) and not (is_in_place or is_small(statement)):
                yield statement.node, "set_slice copies an array that is large, or may be"
            for inner in statement.blocks:
                yield from self.of_block(inner, updates)

    def of(self, statement: Statement) -> Iterator[Reason]:
        """The reasons in a statement itself."""
        node = statement.node
        for local in statement.targets:
            if not is_held(local.type) and not is_list(local.type):
                yield node, f"{local.type} has no native values"
                return
        if isinstance(statement, lowered.Call):
            yield from self.of_graph(statement.callee)
        elif isinstance(statement, lowered.Kernel):
            if not _takes(statement):
                yield node, f"{node.primitive.name} has no native code for these types"
        elif isinstance(statement, lowered.Assign):
            for given in statement.inputs:
                yield from self._of_expression(node, given)

    def _of_expression(self, node: Node, expression: Expression) -> Iterator[Reason]:
        if isinstance(expression, lowered.Apply):
            made = expression.node
            kernel = lowered.Kernel(made, [], [], made.primitive.kernel, [])
            if not _takes(kernel):
                yield made, f"{made.primitive.name} has no native code for these types"
        if isinstance(expression, lowered.Convert) and expression.conversion is Conversion.TEXT:
            yield node, "strings have no native values"
        if isinstance(expression, lowered.Apply | lowered.Convert):
            for operand in expression.operands:
                yield from self._of_expression(node, operand)


def _takes(kernel: lowered.Kernel) -> bool:
    found = ON_ARRAYS.get(kernel.node.primitive.instruction)
    if found is not None and found.takes(kernel):
        return True
    return takes_scalar(kernel.node) or is_elementwise(kernel)


def _anywhere(form: lowered.Function) -> Node:
    from runtime.graph.executors.lowering import ENTRY

    return form.body.statements[0].node if form.body.statements else ENTRY
