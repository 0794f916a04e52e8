"""The residuals that nodes keep for their backward pass: what it reads of values inside a
region becomes a further result of it; a loop pushes such values on lists, and the loop
backwards reads them, the last first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from runtime.core.shapes import is_known
from runtime.core.types import ListType, ResidualsType, TensorType, Type
from runtime.graph import numbers
from runtime.graph.ir import Node, Region, Value, diverges, free_values
from runtime.graph.lists import ITEM, PUSH, empty
from runtime.graph.nodes import BOOL, CONSTANT, INT, PACK, UNDEFINED, placeholder
from runtime.graph.passes.rewriting import substituted
from runtime.staging.tracing import Trace


def read_from(
    back: Region, nodes: Sequence[Node], parameters: Sequence[Value] = ()
) -> tuple[list[Value], list[Node]]:
    """Returns what the backward pass uses of a region: values, and the constants among them
    to make again.
    """
    makers: dict[Value, Node | None] = dict.fromkeys(parameters)
    makers.update((output, node) for node in nodes for output in node.outputs)
    values, constants = [], []
    for value in free_values(back):
        maker = makers.get(value)
        if maker is not None and maker.primitive is CONSTANT:
            constants.append(maker)
        elif value in makers:
            values.append(value)
    return values, constants


def with_constants(back: Region, constants: Sequence[Node], names: dict[Value, Value]) -> Region:
    """The backward pass, that makes these constants again, with other values in place of some."""
    fresh = {old: Value(old.type, old.name) for node in constants for old in node.outputs}
    again = [replace(node, outputs=(fresh[node.outputs[0]],)) for node in constants]
    made = substituted(back, names | fresh)
    return replace(made, nodes=(*again, *made.nodes))


def _constant(value: Any, type: Type, name: str) -> Node:
    return Node(CONSTANT, (), (Value(type, name),), {"value": value})


def _standing_in(value: Value) -> Node:
    """Returns the node in place of a value that a branch does not compute; nobody reads it."""
    if isinstance(value.type, ListType):
        return empty(Value(value.type, value.name))
    if isinstance(value.type, ResidualsType):
        return Node(PACK, (), (Value(value.type, value.name),), {"type": value.type})
    if isinstance(value.type, TensorType) and not is_known(value.type.shape):
        return Node(UNDEFINED, (), (Value(value.type, value.name),), {"type": value.type})
    return _constant(placeholder(value.type), value.type, value.name)


class Branch(NamedTuple):
    """A branch as it was, the nodes that stand in it now, and the backward pass through it."""

    region: Region
    nodes: Sequence[Node]
    back: Region


def branches_with_residuals(node: Node, parts: Sequence[Branch]) -> tuple[Node, list[Region]]:
    """The cond that also returns what the ways back read, and these."""
    outputs: list[Value] = []
    backs, columns = [], []
    for part in parts:
        values, constants = read_from(part.back, part.nodes)
        names = {value: Value(value.type, value.name) for value in values}
        outputs += names.values()
        columns.append(values)
        backs.append(with_constants(part.back, constants, names))
    regions = [_yielding(part, columns, at) for at, part in enumerate(parts)]
    return replace(node, outputs=(*node.outputs, *outputs), regions=tuple(regions)), backs


def _yielding(part: Branch, columns: Sequence[Sequence[Value]], at: int) -> Region:
    """The branch at a place that also returns its column of values, and others for those of the
    other branches.
    """
    if diverges(part.region):
        return part.region
    nodes, results = list(part.nodes), list(part.region.results)
    for place, column in enumerate(columns):
        if place == at:
            results += column
            continue
        stand_ins = [_standing_in(value) for value in column]
        nodes += stand_ins
        results += [stand_in.outputs[0] for stand_in in stand_ins]
    return replace(part.region, nodes=tuple(nodes), results=tuple(results))


def loop_with_residuals(
    node: Node, nodes: list[Node], back: Region, trace: Trace
) -> tuple[list[Node], Value, Region]:
    """Returns the loop that keeps residuals, and the body of its backward pass.

    They are: the nodes of the loop, which counts its iterations and pushes what the backward pass
    reads; the count that it leaves; and the body of the backward pass, which reads
    them.
    """
    (body,) = node.regions
    values, constants = read_from(back, nodes, body.parameters)
    types: list[Type] = [INT, *(ListType(value.type) for value in values)]
    labels = ["rounds", *(trace.unique(f"saved_{value.name}") for value in values)]
    begins = [
        _constant(0, INT, "zero"),
        *(empty(Value(ListType(value.type), "empty")) for value in values),
    ]
    holds, outputs, grown = (
        [Value(type, label) for type, label in zip(types, labels, strict=True)] for _ in range(3)
    )
    one = _constant(1, INT, "one")
    pushes = [one, Node(numbers.BINARY["add"], (holds[0], one.outputs[0]), (grown[0],))]
    for value, held, more in zip(values, holds[1:], grown[1:], strict=True):
        pushes.append(Node(PUSH, (held, holds[0], value), (more,)))
    made = replace(
        node,
        inputs=(*node.inputs, *(begin.outputs[0] for begin in begins)),
        outputs=(*node.outputs, *outputs),
        regions=(Region((*body.parameters, *holds), (*nodes, *pushes), (*body.results, *grown)),),
    )
    return [*begins, made], outputs[0], _reading(back, values, outputs, constants)


def _reading(
    back: Region, values: Sequence[Value], kept: list[Value], constants: Sequence[Node]
) -> Region:
    """The body of a loop backwards: its state is a count, and the gradients."""
    rounds, *lists = kept
    count = Value(INT, rounds.name)
    names = {value: Value(value.type, value.name) for value in values}
    zero, one = _constant(0, INT, "zero"), _constant(1, INT, "one")
    left, proceed = Value(INT, "left"), Value(BOOL, "proceed")
    counting = [
        zero,
        one,
        Node(numbers.BINARY["sub"], (count, one.outputs[0]), (left,)),
        Node(numbers.BINARY["gt"], (left, zero.outputs[0]), (proceed,)),
    ]
    reads = [
        Node(ITEM, (held, left), (names[value],)) for value, held in zip(values, lists, strict=True)
    ]
    body = with_constants(back, constants, names)
    return Region(
        (count, *body.parameters),
        (*counting, *reads, *body.nodes),
        (proceed, left, *body.results),
    )
