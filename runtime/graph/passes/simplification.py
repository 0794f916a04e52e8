"""Remove ops that give back an operand, where the result is the same to the last bit.

Before:
    mul: float32[3] = mul(x, float32(1.0))
    neg: float32[3] = neg(mul)
    neg_1: float32[3] = neg(neg)
    return neg_1
After:
    return x

For floats x + 0.0 is not one of them (-0.0 + 0.0 is 0.0), x - 0.0 and x * 1.0 are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.graph.ir import Graph, Node, Value
from runtime.graph.passes.rewriting import Rewriter
from runtime.shapes import is_known
from runtime.types import TensorType

Rule = Callable[["_Simplification", Node], Value | None]


def simplify(graph: Graph) -> Graph:
    """The graph without ops that change nothing."""
    return _Simplification().graph(graph)


class _Simplification(Rewriter):
    def node(self, node: Node) -> None:
        rule = _RULES.get(node.primitive.name)
        found = rule(self, node) if rule is not None else None
        if found is not None and found.type == node.outputs[0].type:
            self.replace(node, found)
        else:
            super().node(node)

    def is_all(self, value: Value, number: float) -> bool:
        """Is it a constant 0-d tensor or number that equals `number`?"""
        known = self.constant(value)
        if known is None or np.shape(known) != () or np.asarray(known).dtype.kind not in "iuf":
            return False
        return bool(known == number)


def _first(rewriter: _Simplification, node: Node) -> Value | None:
    return node.inputs[0]


def _of_known_shape(rewriter: _Simplification, node: Node) -> Value | None:
    return node.inputs[0] if _is_known(node.outputs[0]) else None


def _twice(rewriter: _Simplification, node: Node) -> Value | None:
    """-(-x) and not not x."""
    maker = rewriter.makers.get(node.inputs[0])
    return maker.inputs[0] if maker is not None and maker.primitive is node.primitive else None


def _right(neutral: float) -> Rule:
    def rule(rewriter: _Simplification, node: Node) -> Value | None:
        left, right = node.inputs
        return left if rewriter.is_all(right, neutral) else None

    return rule


def _either(neutral: float) -> Rule:
    def rule(rewriter: _Simplification, node: Node) -> Value | None:
        left, right = node.inputs
        if rewriter.is_all(right, neutral):
            return left
        return right if rewriter.is_all(left, neutral) else None

    return rule


def _sum(rewriter: _Simplification, node: Node) -> Value | None:
    return None if _is_floating(node.outputs[0]) else _either(0)(rewriter, node)


def _difference(rewriter: _Simplification, node: Node) -> Value | None:
    zero = rewriter.constant(node.inputs[1])
    # x - -0.0 is x + 0.0.
    if zero is not None and np.signbit(np.asarray(zero)).any():
        return None
    return _right(0)(rewriter, node)


def _selected(rewriter: _Simplification, node: Node) -> Value | None:
    _, left, right = node.inputs
    return left if left is right and _is_known(node.outputs[0]) else None


def _is_known(value: Value) -> bool:
    """Do two values of this type have the same shape?"""
    return isinstance(value.type, TensorType) and is_known(value.type.shape)


def _is_floating(value: Value) -> bool:
    type: Any = value.type
    if hasattr(type, "kind"):
        return bool(type.kind == "float")
    return bool(type.dtype.is_floating or type.dtype.is_complex)


_RULES: dict[str, Rule] = {
    "identity": _first,
    # Where the types are equal, which `node` asks.
    "cast": _first,
    "reshape": _of_known_shape,
    "broadcast_to": _of_known_shape,
    "py.int": _first,
    "py.float": _first,
    "py.bool": _first,
    "neg": _twice,
    "py.neg": _twice,
    "py.not": _twice,
    "logical_not": _twice,
    "mul": _either(1),
    "py.mul": _either(1),
    "div": _right(1),
    "py.truediv": _right(1),
    "add": _sum,
    "py.add": _sum,
    "sub": _difference,
    "py.sub": _difference,
    "where": _selected,
}
