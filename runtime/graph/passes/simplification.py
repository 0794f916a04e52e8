"""Remove ops that give back an operand, where the result is the same to the last bit.

Before:
    mul: float32[3] = mul(x, float32(1.0))
    neg: float32[3] = neg(mul)
    neg_1: float32[3] = neg(neg)
    return neg_1
After:
    return x

For floats x + 0.0 is not one of them (-0.0 + 0.0 is 0.0), x - 0.0 and x * 1.0 are; nor is x * 0.0
(infinity), but x * 0 of integers is the 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.graph.arrays import ADD_AT, AT
from runtime.graph.ir import Graph, Node, Value
from runtime.graph.nodes import LIST_ADD, PACK, UNPACK
from runtime.graph.passes.rewriting import Rewriter
from runtime.shapes import is_known
from runtime.types import NumberType, TensorType

Rule = Callable[["_Simplification", Node], Value | None]


def simplify(graph: Graph) -> Graph:
    """The graph without ops that change nothing."""
    return _Simplification().graph(graph)


class _Simplification(Rewriter):
    def node(self, node: Node) -> None:
        if node.primitive is LIST_ADD:
            node = self.added_at(node)
        if node.primitive is UNPACK and self.is_unpacked(node):
            return
        rules = _RULES.get(node.primitive.name, ())
        for rule in rules:
            found = rule(self, node)
            if found is not None and found.type == node.outputs[0].type:
                self.replace(node, found)
                return
        super().node(node)

    def is_unpacked(self, node: Node) -> bool:
        """True if the residuals are packed here, too. Then what was packed stands
        for the outputs.
        """
        maker = self.makers.get(node.inputs[0])
        if maker is None or maker.primitive is not PACK:
            return False
        types = [value.type for value in node.outputs]
        if [value.type for value in maker.inputs] != types:
            return False
        self.replace(node, *maker.inputs)
        return True

    def added_at(self, node: Node) -> Node:
        """A sum with a list of one item only: the item is added to the other list."""
        for array, added in (node.inputs, node.inputs[::-1]):
            maker = self.makers.get(added)
            if maker is None or maker.primitive is not AT:
                continue
            if array.type == node.outputs[0].type:
                return replace(node, primitive=ADD_AT, inputs=(array, *maker.inputs))
        return node

    def is_all(self, value: Value, number: float) -> bool:
        """True for a constant 0-d tensor or number that equals `number`, with its sign."""
        known = self.constant(value)
        if known is None or np.shape(known) != () or np.asarray(known).dtype.kind not in "biuf":
            return False
        return bool(known == number) and bool(np.signbit(float(known)) == np.signbit(number))


# Rules: what gives the result of a node. It takes its place if the types are equal.


def _first(rewriter: _Simplification, node: Node) -> Value | None:
    return node.inputs[0]


def _of_known_shape(rewriter: _Simplification, node: Node) -> Value | None:
    return node.inputs[0] if _is_known(node.outputs[0]) else None


def _undone(by: str) -> Rule:
    """Returns the rule for an op that undoes what another one did before it, as in -(-x) or
    not not x.
    """

    def rule(rewriter: _Simplification, node: Node) -> Value | None:
        maker = rewriter.makers.get(node.inputs[0])
        return maker.inputs[0] if maker is not None and maker.primitive.name == by else None

    return rule


def _repeated(rewriter: _Simplification, node: Node) -> Value | None:
    """abs(abs(x)), floor(floor(x))."""
    maker = rewriter.makers.get(node.inputs[0])
    return node.inputs[0] if maker is not None and maker.primitive is node.primitive else None


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


def _absorbing(number: float) -> Rule:
    """The operand that is the result, whatever the other one is."""

    def rule(rewriter: _Simplification, node: Node) -> Value | None:
        return next((value for value in node.inputs if rewriter.is_all(value, number)), None)

    return rule


def _exactly(rule: Rule) -> Rule:
    """The rule, for integers and truth values only."""
    return lambda rewriter, node: None if _is_inexact(node.outputs[0]) else rule(rewriter, node)


def _of_truth(rule: Rule) -> Rule:
    """The rule, for truth values only: `and` of integers is another op."""
    return lambda rewriter, node: rule(rewriter, node) if _is_truth(node.outputs[0]) else None


def _equal_operands(rewriter: _Simplification, node: Node) -> Value | None:
    left, right = node.inputs
    return left if left is right else None


def _selected(rewriter: _Simplification, node: Node) -> Value | None:
    test, left, right = node.inputs
    known = rewriter.constant(test)
    if left is not right and (known is None or np.ndim(known)):
        return None
    return (left if left is right or known else right) if _is_known(node.outputs[0]) else None


def _transposed(rewriter: _Simplification, node: Node) -> Value | None:
    """A transposition that does nothing, or undoes the one before it."""
    if not _is_known(node.outputs[0]):
        return None
    order, as_it_was = _order(node), tuple(range(len(_order(node))))
    if order == as_it_was:
        return node.inputs[0]
    maker = rewriter.makers.get(node.inputs[0])
    if maker is None or maker.primitive is not node.primitive:
        return None
    before = _order(maker)
    return maker.inputs[0] if tuple([before[at] for at in order]) == as_it_was else None


def _order(node: Node) -> tuple[int, ...]:
    """Returns the dimension of its input that each dimension of the result is."""
    type, perm = node.outputs[0].type, node.params["perm"]
    assert isinstance(type, TensorType)
    rank = len(type.shape or ())
    return tuple(range(rank))[::-1] if perm is None else tuple([at % rank for at in perm])


def _is_known(value: Value) -> bool:
    """True if two values of this type have the same shape."""
    return isinstance(value.type, TensorType) and is_known(value.type.shape)


def _is_truth(value: Value) -> bool:
    type = value.type
    if isinstance(type, NumberType):
        return type.kind == "bool"
    return isinstance(type, TensorType) and type.dtype.is_bool


def _is_inexact(value: Value) -> bool:
    type: Any = value.type
    if isinstance(type, NumberType):
        return type.kind == "float"
    return bool(type.dtype.is_floating or type.dtype.is_complex)


_PRODUCT = (_either(1), _exactly(_absorbing(0)))
_SUM = (_either(-0.0), _exactly(_either(0)))
_DIFFERENCE = (_right(0),)
_ALL = (_of_truth(_either(True)), _of_truth(_absorbing(False)), _equal_operands)
_ANY = (_of_truth(_either(False)), _of_truth(_absorbing(True)), _equal_operands)

_RULES: dict[str, tuple[Rule, ...]] = {
    "identity": (_first,),
    "cast": (_first,),
    "reshape": (_of_known_shape,),
    "broadcast_to": (_of_known_shape,),
    "sum_to": (_of_known_shape,),
    "ensure_shape": (_of_known_shape,),
    "transpose": (_transposed,),
    "py.int": (_first,),
    "py.float": (_first,),
    "py.bool": (_first,),
    "py.pos": (_first,),
    "truth": (_undone("to_tensor"),),
    "to_tensor": (_undone("truth"),),
    "neg": (_undone("neg"),),
    "py.neg": (_undone("py.neg"),),
    "py.not": (_undone("py.not"),),
    "logical_not": (_undone("logical_not"),),
    "invert": (_undone("invert"),),
    "conj": (_undone("conj"),),
    "abs": (_repeated,),
    "py.abs": (_repeated,),
    "relu": (_repeated,),
    "floor": (_repeated,),
    "ceil": (_repeated,),
    "rint": (_repeated,),
    "mul": _PRODUCT,
    "py.mul": _PRODUCT,
    "div": (_right(1),),
    "py.truediv": (_right(1),),
    "floordiv": (_exactly(_right(1)),),
    "py.floordiv": (_exactly(_right(1)),),
    "add": _SUM,
    "py.add": _SUM,
    "sub": _DIFFERENCE,
    "py.sub": _DIFFERENCE,
    "pow": (_exactly(_right(1)),),
    "py.pow": (_exactly(_right(1)),),
    "maximum": (_equal_operands,),
    "minimum": (_equal_operands,),
    "logical_and": _ALL,
    "logical_or": _ANY,
    "py.and": _ALL,
    "py.or": _ANY,
    "where": (_selected,),
}
