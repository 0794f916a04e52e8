"""The work of statements of the lowered form: an estimate of what they take."""

from __future__ import annotations

import math
from collections.abc import Iterable

from runtime.core.types import ListType, TensorType
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Expression, Local, Statement
from runtime.graph.executors.work import CALL, ELEMENT, FLOP, KERNEL, STATEMENT, UNKNOWN
from runtime.graph.ir import Node


def work_of(block: Block) -> float:
    """The work of a block, without that of the iterations of loops in it."""
    return sum(map(_of_statement, block.statements)) + STATEMENT * len(block.results)


def _of_statement(statement: Statement) -> float:
    if isinstance(statement, lowered.Kernel):
        read = [each for each in statement.inputs if isinstance(each, Local)]
        elements = sum(_size(local.type) for local in (*read, *statement.targets))
        passes = statement.node.primitive.passes
        return KERNEL + ELEMENT * passes * elements + FLOP * _flops(statement.node)
    if isinstance(statement, lowered.If):
        branches = sum(map(work_of, statement.blocks)) / len(statement.blocks)
        return STATEMENT + _of_ops(statement.inputs) + branches
    if isinstance(statement, lowered.Call | lowered.Native):
        return CALL
    return STATEMENT + _of_ops(statement.inputs)


def _of_ops(expressions: Iterable[Expression]) -> float:
    return STATEMENT * sum(each.size for each in expressions if isinstance(each, lowered.Apply))


def _flops(node: Node) -> int:
    shapes = [_shape(value.type) for value in (*node.inputs, *node.outputs)]
    if node.primitive.flops is None or None in shapes:
        return 0
    return node.primitive.flops(*shapes, **node.params)


def _size(type: object) -> int:
    return math.prod(_shape(type) or ())


def _shape(type: object) -> tuple[int, ...] | None:
    """A shape in which all is known, as it may be; None for unknown ranks. That of a list is of its
    items.
    """
    shape = type.shape if isinstance(type, TensorType) else (None,) * isinstance(type, ListType)
    return None if shape is None else tuple(UNKNOWN if dim is None else dim for dim in shape)
