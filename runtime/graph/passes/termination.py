"""Loops that surely end: those that count their rounds as far as a number from before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.forms import Form, Logic, is_integer
from runtime.core.types import Type
from runtime.graph.ir import Node, Value, walk
from runtime.graph.nodes import COND, INT
from runtime.graph.passes.rewriting import is_constant

_FURTHER = {"<": "+", ">": "-"}
"""The signs of a test of a counter and a bound, and of what takes the counter one further."""


def ends(loop: Node, makers: Mapping[Value, tuple[Node, int]]) -> bool:
    """Whether it is certain that a `while` ends; `makers` are the nodes of all values so far, and
    the places of these among their outputs.
    """
    return _Rounds(loop, makers).is_false_at_last(loop.regions[0].results[0])


def _sign(node: Node) -> str:
    form = node.primitive.scalar
    return form.sign if isinstance(form, Form) else ""


def _is_exact(type: Type) -> bool:
    return type == INT or is_integer(type)


class _Rounds:
    def __init__(self, loop: Node, makers: Mapping[Value, tuple[Node, int]]) -> None:
        (self.body,) = loop.regions
        self.makers = makers
        made = {value for node in walk(self.body) for value in node.outputs}
        self.changing = made.union(self.body.parameters)

    def is_false_at_last(self, test: Value) -> bool:
        """Whether a test that each round makes is false in one of them."""
        node, place = self.makers.get(test, (None, 0))
        if node is None:
            return False
        if is_constant(node):
            return not node.params["value"]
        if node.primitive is COND:
            then, otherwise = (region.results[place] for region in node.regions)
            if not self.is_false(otherwise):
                return self.is_false(then) and self.is_false_at_last(otherwise)
            return self.is_false_at_last(node.inputs[0]) or self.is_false_at_last(then)
        if node.primitive.logic is Logic.AND:
            return any(map(self.is_false_at_last, node.inputs))
        return _sign(node) in _FURTHER and self.counts(node)

    def counts(self, test: Node) -> bool:
        """Whether a test compares a number that each round takes one further with one from before
        the loop: both integers, for one more is the same number among large floats, and no integer
        reaches infinity.
        """
        further, bound = test.inputs
        step, _ = self.makers.get(further, (None, 0))
        if step is None or _sign(step) != _FURTHER[_sign(test)]:
            return False
        if not (_is_exact(further.type) and _is_exact(bound.type)):
            return False
        counter, by = step.inputs
        places = [place for place, value in enumerate(self.body.parameters) if value is counter]
        is_next = any(self.body.results[place + 1] is further for place in places)
        is_fixed = bound not in self.changing or self.constant(bound) is not None
        return is_next and is_fixed and self.constant(by) == 1

    def is_false(self, test: Value) -> bool:
        """Whether it is the constant False."""
        found = self.constant(test)
        return found is not None and not found

    def constant(self, value: Value) -> Any:
        """The number of a constant; None for other values."""
        node, _ = self.makers.get(value, (None, 0))
        return node.params["value"] if node is not None and is_constant(node) else None
