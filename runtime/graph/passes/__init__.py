"""Passes: each makes a better graph of a graph that computes the same, to the last bit
(but for what BLAS adds up in another order where an operand has become a view).

Each is a function from graph to graph, in a file of its own; `optimize` runs them in the order of
`PASSES`. With `verified` (tests do that) the graph is verified after each, else at the end.

What passes share: `rewriting` walks and builds graphs, `facts` has the truth values that are known,
`shape_inference` types and constants, `run_time_dims` ops whose dimensions have become known.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.graph.ir import Callee, Graph
from runtime.graph.passes.branch_simplification import simplify_branches
from runtime.graph.passes.broadcasting import defer_broadcasts
from runtime.graph.passes.common_subexpressions import eliminate_common_subexpressions
from runtime.graph.passes.constant_folding import fold_constants
from runtime.graph.passes.dead_code import eliminate_dead_code
from runtime.graph.passes.inlining import callees, inline_calls, redirected
from runtime.graph.passes.loop_invariants import hoist_loop_invariants
from runtime.graph.passes.loop_simplification import simplify_loops
from runtime.graph.passes.shape_refinement import refine_calls
from runtime.graph.passes.simplification import simplify
from runtime.graph.verification import verify

Pass = Callable[[Graph], Graph]


def simplify_control_flow(graph: Graph) -> Graph:
    """The graph without branches and loops whose course is known."""
    while True:
        before = simplify_branches(graph)
        graph = simplify_loops(before)
        if graph is before:
            return graph


PASSES: tuple[Pass, ...] = (
    refine_calls,  # of the types of a call is what can be put in its place
    inline_calls,
    defer_broadcasts,  # an op on a constant may fold
    fold_constants,
    simplify,
    eliminate_common_subexpressions,  # the same test twice is one test
    simplify_control_flow,
    hoist_loop_invariants,
    eliminate_common_subexpressions,  # also of what left a loop
    eliminate_dead_code,  # what the others leave unused goes
)


def optimize(graph: Graph, passes: tuple[Pass, ...] = PASSES, verified: bool = False) -> Graph:
    """The graph after all passes, which calls graphs after all passes."""
    made = {graph: Callee(graph.name)}
    pending = [graph]
    while pending:
        called = pending.pop()
        found = _after(called, passes, verified)
        for inner in callees(found):
            if inner not in made:
                made[inner] = Callee(inner.name)
                pending.append(inner)
        made[called].graph = redirected(found, made)
    result = made[graph].graph
    assert result is not None
    return result


def _after(graph: Graph, passes: tuple[Pass, ...], verified: bool) -> Graph:
    known: dict[Pass, Graph] = {}
    for run in passes:
        if known.get(run) is not graph:
            graph = known[run] = run(graph)
        if verified:
            verify(graph, types=True)
    verify(graph)
    return graph
