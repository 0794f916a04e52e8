"""Initial values of variables that a function creates on its first call: what a symbol stands for
in that call, computed at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runtime.convert import convert_to_tensor
from runtime.graph.executors.replay import replay
from runtime.graph.ir import Graph, Node, Region, Value, free_values, has_effect, walk
from runtime.graph.refusals import refuse
from runtime.graph.tracing import Trace, is_symbol
from runtime.nest import flatten
from runtime.shapes import TensorSpec
from runtime.state import init_scope


class Unknown(Exception):
    """Nothing but a run of the whole graph tells the value; the argument says why."""


def initial_value(value: Any, dtype: Any, trace: Trace) -> Any:
    """An initial value, with the tensor of this call in place of a symbol.

    StagingError where only the run of the graph knows it.
    """
    if callable(value) or not any(map(is_symbol, flatten(value))):
        return value
    symbol = convert_to_tensor(value, dtype)
    if not is_symbol(symbol):
        return symbol
    try:
        return _present(symbol)
    except Unknown as unknown:
        raise refuse(
            f"the initial value of a variable {unknown}",
            "compute it before the call, or from what the function is given",
        ) from None


def _present(item: Any) -> Any:
    if isinstance(item, TensorSpec):
        raise Unknown(f"depends on an argument that is only known by its type, {item}")
    if not is_symbol(item):
        return item
    trace = item.scope.trace
    if item.scope is not trace.scope or item.scope.outer is not None:
        raise Unknown(f"is computed in {item.scope.kind}, which may run any number of times")
    nodes = _needed(item.value, trace.scope.nodes)
    given = trace.given | {value: outer for value, outer in trace.captures.values()}
    graph = _graph_of(nodes, item.value, given)
    with init_scope():
        return replay(graph, [])[0]


def _graph_of(nodes: Sequence[Node], result: Value, given: Mapping[Value, Any]) -> Graph:
    body = Region((), tuple(nodes), (result,))
    captures = tuple([(value, _present(given[value])) for value in free_values(body)])
    return Graph("initial_value", body, captures)


def _needed(wanted: Value, nodes: Sequence[Node]) -> list[Node]:
    """The nodes that a value is computed by, in their order.

    Raises Unknown where one of them changes a variable, or reads one that may have been changed.
    """
    needed = {wanted}
    found: list[Node] = []
    for node in reversed(nodes):
        if needed.isdisjoint(node.outputs):
            continue
        found.insert(0, node)
        needed.update(node.inputs)
        needed.update(value for region in node.regions for value in free_values(region))
    reads = any(map(_reads, found))
    if any(map(_assigns, nodes if reads else found)):
        raise Unknown("depends on a variable that the same call may have changed")
    return found


def _inside(node: Node) -> Iterable[Node]:
    return (node, *(inner for region in node.regions for inner in walk(region)))


def _reads(node: Node) -> bool:
    return any("variable" in inner.params or _acts_elsewhere(inner) for inner in _inside(node))


def _assigns(node: Node) -> bool:
    return any(
        _acts_elsewhere(inner)
        or ("variable" in inner.params and inner.primitive.name != "read_variable")
        for inner in _inside(node)
    )


def _acts_elsewhere(node: Node) -> bool:
    return "callee" in node.params and has_effect(node)
