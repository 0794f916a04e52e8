"""Passes: each makes a better graph of a graph, and `optimize` verifies it after each."""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph.ir import Graph, verify
from runtime.graph.passes.dead_code import eliminate_dead_code

Pass = Callable[[Graph], Graph]

PASSES: tuple[Pass, ...] = (
    eliminate_dead_code,  # last: what the others leave unused goes
)


def optimize(graph: Graph, passes: tuple[Pass, ...] = PASSES) -> Graph:
    """The graph after all passes."""
    for run in passes:
        graph = run(graph)
        verify(graph)
    return graph
