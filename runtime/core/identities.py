"""Ops that give back an operand, the same to the last bit.

An identity is a function of a graph (`makers`, the node that makes a value, and `constant`, what is
known of one) and of a node. It gives the value that may take the place of the node's, if their
types are equal, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.core.shapes import is_known
from runtime.core.types import NumberType, TensorType

Identity = Callable[[Any, Any], Any]


def first(graph: Any, node: Any) -> Any:
    """The operand, where its type is that of the result."""
    return node.inputs[0]


def of_known_shape(graph: Any, node: Any) -> Any:
    """The operand, where its shape is known and that of the result."""
    return node.inputs[0] if _is_known(node.outputs[0]) else None


def undone(graph: Any, node: Any, by: Any = None) -> Any:
    """The operand, where the op undoes what it did before, as in -(-x), or what `by` did."""
    maker = graph.makers.get(node.inputs[0])
    is_undone = maker is not None and maker.primitive is (by or node.primitive)
    return maker.inputs[0] if is_undone else None


def repeated(graph: Any, node: Any) -> Any:
    """abs(abs(x)), floor(floor(x))."""
    maker = graph.makers.get(node.inputs[0])
    return node.inputs[0] if maker is not None and maker.primitive is node.primitive else None


def _is_all(graph: Any, value: Any, number: float) -> bool:
    """Whether it is a constant 0-d tensor or number that equals `number`, with its sign."""
    known = graph.constant(value)
    if known is None or np.shape(known) != () or np.asarray(known).dtype.kind not in "biuf":
        return False
    return bool(known == number) and bool(np.signbit(float(known)) == np.signbit(number))


def right(neutral: float) -> Identity:
    """The left operand, where the right one is neutral."""

    def rule(graph: Any, node: Any) -> Any:
        left, right = node.inputs
        return left if _is_all(graph, right, neutral) else None

    return rule


def either(neutral: float) -> Identity:
    """One operand, where the other one is neutral."""

    def rule(graph: Any, node: Any) -> Any:
        left, right = node.inputs
        if _is_all(graph, right, neutral):
            return left
        return right if _is_all(graph, left, neutral) else None

    return rule


def absorbing(number: float) -> Identity:
    """The operand that is the result, whatever the other one is."""

    def rule(graph: Any, node: Any) -> Any:
        return next((value for value in node.inputs if _is_all(graph, value, number)), None)

    return rule


def exactly(rule: Identity) -> Identity:
    """The rule, for integers and truth values only."""
    return lambda graph, node: None if _is_inexact(node.outputs[0]) else rule(graph, node)


def of_reals(rule: Identity) -> Identity:
    """The rule, for all numbers but complex ones, whose results are rounded."""
    return lambda graph, node: None if _is_complex(node.outputs[0]) else rule(graph, node)


def of_truth(rule: Identity) -> Identity:
    """The rule, for truth values only: `and` of integers is another op."""
    return lambda graph, node: rule(graph, node) if _is_truth(node.outputs[0]) else None


def equal_operands(graph: Any, node: Any) -> Any:
    """The operand that is both."""
    left, right = node.inputs
    return left if left is right else None


def selected(graph: Any, node: Any) -> Any:
    """The operand that a known test selects, or that is both."""
    test, left, right = node.inputs
    known = graph.constant(test)
    if left is not right and (known is None or np.ndim(known)):
        return None
    return (left if left is right or known else right) if _is_known(node.outputs[0]) else None


def transposed(graph: Any, node: Any) -> Any:
    """A transposition that does nothing, or undoes the one before it."""
    if not _is_known(node.outputs[0]):
        return None
    order, as_it_was = _order(node), tuple(range(len(_order(node))))
    if order == as_it_was:
        return node.inputs[0]
    maker = graph.makers.get(node.inputs[0])
    if maker is None or maker.primitive is not node.primitive:
        return None
    before = _order(maker)
    return maker.inputs[0] if tuple([before[at] for at in order]) == as_it_was else None


def _order(node: Any) -> tuple[int, ...]:
    """Returns the dimension of its input that each of the result's is."""
    type, perm = node.outputs[0].type, node.params["perm"]
    assert isinstance(type, TensorType)
    rank = len(type.shape or ())
    return tuple(range(rank))[::-1] if perm is None else tuple([at % rank for at in perm])


def _is_known(value: Any) -> bool:
    """True if two values of this type have the same shape."""
    return isinstance(value.type, TensorType) and is_known(value.type.shape)


def _is_truth(value: Any) -> bool:
    type = value.type
    if isinstance(type, NumberType):
        return type.kind == "bool"
    return isinstance(type, TensorType) and type.dtype.is_bool


def _is_complex(value: Any) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.is_complex


def _is_inexact(value: Any) -> bool:
    type: Any = value.type
    if isinstance(type, NumberType):
        return type.kind == "float"
    return bool(type.dtype.is_floating or type.dtype.is_complex)


# For floats x + 0.0 is not x (-0.0 + 0.0 is 0.0), x - 0.0 and x * 1.0 are; x * 0.0 is not 0.0
# (infinity), but x * 0 of integers is 0.
PRODUCT = (either(1), exactly(absorbing(0)))
SUM = (either(-0.0), exactly(either(0)))
ALL = (of_truth(either(True)), of_truth(absorbing(False)), equal_operands)
ANY = (of_truth(either(False)), of_truth(absorbing(True)), equal_operands)
