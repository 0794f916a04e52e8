"""Passes: each makes a better graph of a graph that computes the same, to the last bit.

Each is one file with a function `run(graph) -> graph`; `optimize` runs them in the order of
`PASSES`. With `verified` (tests do that) the graph is verified after each, else at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph.ir import Graph, verify
from runtime.graph.passes.branch_simplification import simplify_branches
from runtime.graph.passes.common_subexpressions import eliminate_common_subexpressions
from runtime.graph.passes.constant_folding import fold_constants
from runtime.graph.passes.dead_code import eliminate_dead_code
from runtime.graph.passes.loop_invariants import hoist_loop_invariants
from runtime.graph.passes.simplification import simplify

Pass = Callable[[Graph], Graph]

PASSES: tuple[Pass, ...] = (
    fold_constants,
    simplify,
    simplify_branches,
    hoist_loop_invariants,
    eliminate_common_subexpressions,  # also of what left a loop
    eliminate_dead_code,  # last: what the others leave unused goes
)


def optimize(graph: Graph, passes: tuple[Pass, ...] = PASSES, verified: bool = False) -> Graph:
    """The graph after all passes."""
    for run in passes:
        graph = run(graph)
        if verified:
            verify(graph, types=True)
    verify(graph)
    return graph
