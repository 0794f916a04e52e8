"""The reference interpreter: a graph runs node by node, each by its kernel. That is what a graph
means; every other executor is compared with it.

An op goes through `bind`, so that tapes record it, and checks of each op and devices see it.

It also runs the first call of a graph for which that is less work than writing a program
(`nodes_of_short`). Rounds of loops are not known before; a call that turns out to be long ends in
`TooLong`, and begins again as a program. That is for graphs that have done nothing by then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from runtime.core.primitive import Primitive, bind
from runtime.core.shapes import size_of
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor, wrap
from runtime.core.types import ObjectHandle, TensorType, Type
from runtime.graph.executors.failures import at_origin
from runtime.graph.ir import Graph, Node, Region, Value, walk
from runtime.graph.nodes import CALL, COND, CONSTANT, RAISE, WHILE
from runtime.graph.templates import raised

ELEMENTS = 1 << 16
"""The most elements that all arrays of a short call have: none is let go of before the end."""


class TooLong(BaseException):
    """Loops have more rounds than an interpreted call may have. That is no error of a node."""


class Values(dict[Value, Any]):
    """The values of a run, in which loops go on while so many nodes are left of its patience."""

    patience = math.inf


def interpret(graph: Graph, arguments: Sequence[Any], patience: float = math.inf) -> list[Any]:
    """Returns the results of the graph for arguments: eager tensors, and Python numbers.

    Raises TooLong where a loop goes on when loops and branches have run `patience` nodes.
    """
    values = Values()
    for value, item in graph.closure:
        values[value] = item.raw if isinstance(item, ObjectHandle) else item
    values.patience = patience + len(graph.body.nodes)
    return _region(graph.body, arguments, values)


def nodes_of_short(graph: Graph) -> int | None:
    """The number of nodes of a graph whose calls are their work, unless loops have many rounds;
    None for others.
    """
    nodes = list(walk(graph.body))
    if any("callee" in node.params or node.primitive.calls_back for node in nodes):
        return None
    types = [value.type for node in nodes for value in node.outputs]
    if sum(map(_size, (*types, *[value.type for value in graph.parameters]))) > ELEMENTS:
        return None
    acts = any(node.primitive.effect and node.primitive is not RAISE for node in nodes)
    return None if acts and any(node.primitive is WHILE for node in nodes) else len(nodes)


def _size(type: Type) -> int:
    """The elements of an array; of an unknown dimension, as many as a call may have."""
    size = size_of(type.shape) if isinstance(type, TensorType) else 1
    return ELEMENTS + 1 if size is None else size


def _region(region: Region, arguments: Sequence[Any], values: Values) -> list[Any]:
    values.update(zip(region.parameters, arguments, strict=True))
    values.patience -= len(region.nodes)
    for node in region.nodes:
        run = _STRUCTURES.get(node.primitive, _op)
        try:
            results = run(node, values)
        except BaseException as error:
            failure = at_origin(error, node, values)
            if failure is error:
                raise
            raise failure from failure.__cause__
        values.update(zip(node.outputs, results, strict=True))
    return [values[value] for value in region.results]


def _op(node: Node, values: Values) -> Sequence[Any]:
    inputs = [values[value] for value in node.inputs]
    if node.primitive.is_op and (state.tapes or _takes_tensors(node)):
        made = bind(node.primitive, *inputs, **node.params)
    else:
        made = _kernel(node, inputs)
    return made if isinstance(made, tuple | list) else (made,)


def _takes_tensors(node: Node) -> bool:
    """Whether it takes nothing else: a `custom_gradient` also what its gradient reads."""
    return all([type(value.type) is TensorType for value in node.inputs])


def _kernel(node: Node, inputs: Sequence[Any]) -> Any:
    raws = [item.raw if isinstance(item, EagerTensor) else item for item in inputs]
    made = node.primitive.kernel(*raws, **node.params)
    # A list is a tuple too: how many results there are, the node says.
    results = (made,) if len(node.outputs) == 1 else made or ()
    return [
        wrap(raw) if isinstance(output.type, TensorType) else raw
        for raw, output in zip(results, node.outputs, strict=True)
    ]


def _constant(node: Node, values: Values) -> Sequence[Any]:
    value = node.params["value"]
    return [wrap(value) if isinstance(node.outputs[0].type, TensorType) else value]


def _cond(node: Node, values: Values) -> Sequence[Any]:
    body, orelse = node.regions
    return _region(body if values[node.inputs[0]] else orelse, (), values)


def _while(node: Node, values: Values) -> Sequence[Any]:
    proceed, *state = (values[value] for value in node.inputs)
    while proceed:
        if values.patience <= 0:
            raise TooLong
        proceed, *state = _region(node.regions[0], state, values)
    return state


def _call(node: Node, values: Values) -> Sequence[Any]:
    return interpret(node.params["callee"].graph, [values[value] for value in node.inputs])


def _raise(node: Node, values: Values) -> Sequence[Any]:
    inputs = [values[value] for value in node.inputs]
    raws = [item.raw if isinstance(item, Tensor) else item for item in inputs]  # type: ignore[attr-defined]
    raise raised(node.params["exception"], *raws)


_STRUCTURES: dict[Primitive, Callable[[Node, Values], Sequence[Any]]] = {
    CONSTANT: _constant,
    COND: _cond,
    WHILE: _while,
    CALL: _call,
    RAISE: _raise,
}
