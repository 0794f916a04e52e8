"""Lists among the results of a graph: machine code gives their items as arrays, one behind the
other, of which the caller makes lists; of rows it gives their lengths, too, behind all results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.core.types import ListType, TensorType
from runtime.graph.ir import Graph, Node, Region, Value
from runtime.graph.lists import CONCAT, LENGTHS, STACK, is_row
from runtime.graph.nodes import element_shape

Run = Callable[..., tuple[Any, ...]]


def _places(graph: Graph) -> dict[int, TensorType]:
    """The results that are lists of arrays, and the types of their items."""
    types = [value.type for value in graph.results]
    lists = {at: type.element for at, type in enumerate(types) if isinstance(type, ListType)}
    return {
        at: element
        for at, element in lists.items()
        if isinstance(element, TensorType)
        and element.shape is not None
        and (None not in element.shape or is_row(element))
    }


def with_arrays(graph: Graph) -> Graph:
    """The graph with arrays in the place of lists."""
    places = _places(graph)
    if not places:
        return graph
    nodes, results = list(graph.nodes), list(graph.results)

    def made(primitive: Any, items: Value, type: TensorType, what: str, **params: Any) -> Value:
        value = Value(type, f"{items.name}_{what}_{at}", 0)
        nodes.append(Node(primitive, (items,), (value,), params))
        return value

    for at, element in places.items():
        items, shape = results[at], element.shape or ()
        primitive = CONCAT if is_row(element) else STACK
        inner = element_shape(shape) if is_row(element) else shape
        type = TensorType(element.dtype, (None, *(inner or ())))
        results[at] = made(primitive, items, type, "items", element=element)
        if is_row(element):
            results.append(made(LENGTHS, items, LENGTHS.infer(items.type), "lengths"))
    region = Region(graph.parameters, tuple(nodes), tuple(results))
    return Graph(graph.name, region, graph.closure)


def with_lists(run: Run, graph: Graph) -> Run:
    """The function that runs a graph: `run` does so for the same with arrays."""
    places, count = _places(graph), len(graph.results)
    if not places:
        return run

    def given(*raws: Any) -> tuple[Any, ...]:
        made = list(run(*raws))
        results, lengths = made[:count], iter(made[count:])
        for at, element in places.items():
            size = next(lengths, None) if is_row(element) else None
            # Of a call that stepped aside, they are lists already.
            results[at] = list(results[at] if size is None else _split(results[at], size))
        return tuple(results)

    return given


def _split(items: Any, lengths: Any) -> list[Any]:
    return np.split(items, np.cumsum(lengths)[:-1]) if len(lengths) else []
