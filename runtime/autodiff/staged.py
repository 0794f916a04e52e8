"""Tapes inside a graph: what they cannot see yet is refused, never taken for a constant.

A tape in a traced function records single ops. Staged control flow and calls are no records, nor is
how the state of a loop depends on the round before; a target that depends on what is watched
through one of them is found here, by following the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runtime.autodiff.reverse import differentiable
from runtime.graph.ir import Node, free_values, walk
from runtime.graph.refusals import refuse
from runtime.primitive import TABLE


def check(trace: Any, scope: Any, known: set[Any], targets: Iterable[Any]) -> None:
    """StagingError if a target depends on `known` through what a tape of `scope` did not see."""
    connected = known | {value for value, item in trace.captures.values() if item.node in known}
    unseen: set[Any] = set()
    cause: Node | None = None
    for level in _levels(trace.scope, scope):
        if level is not scope:
            unseen.update(level.parameters)
        for node in level.nodes:
            hidden = _is_hidden(node)
            used = set(_uses(node))
            if used & unseen or (hidden and (used & connected or _reads(node))):
                unseen.update(node.outputs)
                cause = node if hidden else cause
    if any(target.node in unseen for target in targets):
        what = f"what `{cause.primitive.name}` computes" if cause else "a value that a loop carries"
        raise refuse(
            f"the gradient depends on {what} in a staged block, which a tape opened in the same "
            "function does not record",
            "open the tape outside of the function: "
            "with tf.GradientTape() as tape: y = function(x)",
            location=cause.location if cause else None,
        )


def _is_hidden(node: Node) -> bool:
    """Is it no op that tapes are shown? (A Python number made of a tensor is a constant.)"""
    primitive = node.primitive
    if TABLE.get(primitive.name) is primitive or primitive.gradient is not None:
        return False
    if node.regions or "callee" in node.params:
        return False
    return any(differentiable(output.type) for output in node.outputs)


def _levels(scope: Any, last: Any) -> Iterator[Any]:
    """The scopes from `last` inwards to `scope`."""
    found = [scope]
    while found[-1] is not last and found[-1].outer is not None:
        found.append(found[-1].outer)
    return iter(found[::-1])


def _uses(node: Node) -> Iterator[Any]:
    yield from node.inputs
    for region in node.regions:
        yield from free_values(region)


def _reads(node: Node) -> bool:
    """Does it read a trainable variable, itself or in what it contains or calls?"""
    nodes = [node, *(inner for region in node.regions for inner in walk(region))]
    return any(_is_read(inner) for inner in nodes) or any(
        graph is not None and any(map(_reads, graph.nodes))
        for graph in (inner.params["callee"].graph for inner in nodes if "callee" in inner.params)
    )


def _is_read(node: Node) -> bool:
    variable = node.params.get("variable")
    return variable is not None and bool(node.outputs) and variable.trainable
