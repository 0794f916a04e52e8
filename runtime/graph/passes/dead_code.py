"""Remove nodes whose outputs nobody uses, unused results of branches, and state that a loop carries
in vain.

Before:
    y: float32[] = add(x, x)
    a: float32[], b: float32[] = cond test:
      yield x, x
    else:
      yield z, z
    return a
After:
    a: float32[] = cond test:
      yield x
    else:
      yield z
    return a

A node that may fail is kept only if its outputs are used: an error of a value that nobody reads is
not observed. Effects stay.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.graph.ir import Graph, Node, Region, Value, diverges, has_effect


def eliminate_dead_code(graph: Graph) -> Graph:
    """The graph without what is computed in vain."""
    used: set[Value] = set(graph.results)
    body = _region(graph.body, used)
    captures = tuple([(value, item) for value, item in graph.captures if value in used])
    return replace(graph, body=body, captures=captures)


def _region(region: Region, used: set[Value]) -> Region:
    """The region with what is used, whose results are marked already; marks what it uses from
    outside.
    """
    kept: list[Node] = []
    for node in reversed(region.nodes):
        if not has_effect(node) and not any(output in used for output in node.outputs):
            continue
        node = _TRIMMED.get(node.primitive.name, _plain)(node, used)
        used.update(node.inputs)
        kept.append(node)
    return replace(region, nodes=tuple(reversed(kept)))


def _plain(node: Node, used: set[Value]) -> Node:
    return node


def _trim_cond(node: Node, used: set[Value]) -> Node:
    wanted = [at for at, output in enumerate(node.outputs) if output in used]
    regions = []
    for region in node.regions:
        results = () if diverges(region) else tuple([region.results[at] for at in wanted])
        used.update(results)
        regions.append(_region(replace(region, results=results), used))
    outputs = tuple([node.outputs[at] for at in wanted])
    return replace(node, outputs=outputs, regions=tuple(regions))


def _trim_while(node: Node, used: set[Value]) -> Node:
    (body,) = node.regions
    wanted = {at for at, output in enumerate(node.outputs) if output in used}
    # What a wanted value needs from the round before is wanted as well.
    while True:
        inner: set[Value] = {body.results[0], *(body.results[at + 1] for at in wanted)}
        trimmed = _region(body, inner)
        needed = {at for at, parameter in enumerate(body.parameters) if parameter in inner}
        if needed <= wanted:
            break
        wanted |= needed
    used |= inner.difference(body.parameters)
    order = sorted(wanted)
    return replace(
        node,
        inputs=(node.inputs[0], *[node.inputs[at + 1] for at in order]),
        outputs=tuple([node.outputs[at] for at in order]),
        regions=(
            Region(
                tuple([body.parameters[at] for at in order]),
                trimmed.nodes,
                (body.results[0], *[body.results[at + 1] for at in order]),
            ),
        ),
    )


_TRIMMED = {"cond": _trim_cond, "while": _trim_while}
