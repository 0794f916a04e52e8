"""Lists among the results of a graph: machine code gives their items as arrays, one behind the
other, of which the caller makes lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.core.shapes import is_known
from runtime.core.types import ListType, TensorType
from runtime.graph.ir import Graph, Node, Region, Value
from runtime.graph.lists import STACK

Run = Callable[..., tuple[Any, ...]]


def _places(graph: Graph) -> list[int]:
    types = [value.type for value in graph.results]
    return [at for at, type in enumerate(types) if isinstance(type, ListType) and _is_flat(type)]


def _is_flat(items: ListType) -> bool:
    """True if the items are arrays of one known shape."""
    return isinstance(items.element, TensorType) and is_known(items.element.shape)


def with_arrays(graph: Graph) -> Graph:
    """The graph with arrays in the place of lists."""
    places = _places(graph)
    if not places:
        return graph
    nodes, results = list(graph.nodes), list(graph.results)
    for at in places:
        items = results[at]
        assert isinstance(items.type, ListType)
        assert isinstance(items.type.element, TensorType)
        element = items.type.element
        type = TensorType(element.dtype, (None, *(element.shape or ())))
        results[at] = Value(type, f"{items.name}_items_{at}", 0)
        nodes.append(Node(STACK, (items,), (results[at],), {"element": element}))
    region = Region(graph.parameters, tuple(nodes), tuple(results))
    return Graph(graph.name, region, graph.closure)


def with_lists(run: Run, graph: Graph) -> Run:
    """The function that runs a graph: `run` does so for the same with arrays."""
    places = _places(graph)
    if not places:
        return run

    def given(*raws: Any) -> tuple[Any, ...]:
        results = list(run(*raws))
        for at in places:
            results[at] = list(results[at])
        return tuple(results)

    return given
