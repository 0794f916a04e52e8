"""The types and constants of a graph's values, for parameters whose shapes are known better than
in its types.

Nodes are gone through in program order, and the rules of their ops say what they give. What a loop
carries starts as what it is given; the loop is gone through again as long as a round says less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.core.primitive import FAILURES, Primitive
from runtime.core.shapes import is_known, join_shapes
from runtime.core.types import ListType, ResidualsType, TensorType, Type
from runtime.graph import lists, nodes
from runtime.graph.dataflow import Forward
from runtime.graph.ir import Callee, Graph, Node, Region, Value, covers, diverges
from runtime.graph.known_values import LARGEST, of_shape
from runtime.graph.passes.constant_folding import compute
from runtime.graph.passes.rewriting import number_key
from runtime.graph.passes.run_time_dims import with_known_dims

Known = tuple[Type, Any]
"""The facts about a value: its type, and the array or number that it is in each run, or None, or
UNREAD.
"""

UNREAD = object()
"""Stands for the constant of what nobody reads: it holds the place of a value that there is only on
another path.
"""

NOTHING = ResidualsType("nothing")
"""The type of the elements of a list that nothing was put on."""


class Contradiction(Exception):
    """An op refuses the shapes that it would be given: it fails where it is reached."""


class Inference(Forward):
    """The facts about the values of a graph.

    `called(graph, types)` gives the graph for a call, None where it stays as it is. `stand_ins` are
    nodes that compute the same, `taken_alone` the branches of which the tests are known.
    """

    def __init__(self, called: Callable[[Graph, tuple[Type, ...]], Callee | None]) -> None:
        self.called = called
        self.known: dict[Value, Known] = {}
        self.stand_ins: dict[Node, Node] = {}
        self.taken_alone: dict[Node, Region] = {}

    def of(self, value: Value) -> Known:
        """Returns what is known of a value."""
        return self.known.get(value) or (value.type, None)

    def constant(self, value: Value) -> Any:
        """The array or number that a value is in each run, or None."""
        _, constant = self.of(value)
        return None if constant is UNREAD else constant

    def type(self, value: Value) -> Type:
        """The type of a value."""
        return _settled(self.of(value)[0], value.type)

    def is_unread(self, value: Value) -> bool:
        """True if it only holds the place of another."""
        return self.of(value)[1] is UNREAD

    def learn(self, value: Value, type: Type, constant: Any = None) -> None:
        """Note what a value is: Contradiction if it cannot be."""
        if not covers(value.type, _settled(type, value.type)):
            raise Contradiction(f"{value!r} is {type}")
        self.known[value] = type, constant

    def op(self, node: Node) -> None:
        """Learn what a node computes."""
        _RULES.get(node.primitive, Inference._op)(self, node)

    def _op(self, node: Node) -> None:
        made = self.stand_ins[node] = with_known_dims(node, list(map(self.constant, node.inputs)))
        try:
            found = made.primitive.infer(*map(self.type, made.inputs), **made.params)
        except FAILURES as error:
            raise Contradiction(str(error)) from None
        types = found if isinstance(found, tuple) else (found,)
        for output, type in zip(node.outputs, types, strict=True):
            # Arrays hold what is written to them, whatever they were made of.
            known = output.type if isinstance(type, ListType) else type
            self.learn(output, known, self._computed(node, known))

    def _computed(self, node: Node, type: Type) -> Any:
        """Returns what a node gives in each run; None where that is not known, or large."""
        found = of_shape(node.primitive, [self.of(value)[0] for value in node.inputs], node.params)
        if found is not None:
            return found
        constants = list(map(self.constant, node.inputs))
        if not constants:
            return None
        outputs = tuple([Value(type, output.name) for output in node.outputs])
        return compute(replace(node, outputs=outputs), constants)

    # Constants, and what stands for no value

    def _constant(self, node: Node) -> None:
        value, (output,) = node.params["value"], node.outputs
        if _is_placeholder(value, output.type):
            self._undefined(node)
            return
        self._op(node)
        if np.size(value) <= LARGEST:
            self.learn(output, self.of(output)[0], value)

    def _undefined(self, node: Node) -> None:
        (output,) = node.outputs
        self.learn(output, output.type, UNREAD)

    # Control flow

    def taken(self, node: Node) -> Sequence[Region]:
        """The branches that may be taken: of a known test just one."""
        test, (body, orelse) = self.constant(node.inputs[0]), node.regions
        self.taken_alone.pop(node, None)
        if test is None or diverges(body if test else orelse):
            return node.regions
        self.taken_alone[node] = body if test else orelse
        return (self.taken_alone[node],)

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Learn that each target may be its source."""
        changed = False
        for source, target in zip(sources, targets, strict=True):
            before, now = self.known.get(target), self.of(source)
            if before is not None:
                now = _joined(target.type, before, now)
            if now is not before:
                self.learn(target, *now)
                changed = True
        return changed

    def _call(self, node: Node) -> None:
        self.stand_ins.pop(node, None)
        callee = self.called(node.params["callee"].graph, tuple(map(self.type, node.inputs)))
        if callee is None or callee.graph is None:
            for output in node.outputs:
                self.learn(output, output.type)
            return
        self.stand_ins[node] = replace(node, params={**node.params, "callee": callee})
        for output, result in zip(node.outputs, callee.graph.results, strict=True):
            self.learn(output, result.type)

    # Lists: what they hold is what is put on them

    def _list_of(self, node: Node) -> None:
        if lists.is_empty(node):
            self.learn(node.outputs[0], ListType(NOTHING))
        else:
            self._op(node)

    def _list_push(self, node: Node) -> None:
        (items, _), _, (item, constant) = map(self.of, node.inputs)
        wide = node.outputs[0].type
        assert isinstance(items, ListType)
        assert isinstance(wide, ListType)
        element = items.element if constant is UNREAD else _join(wide.element, items.element, item)
        self.learn(node.outputs[0], ListType(element))

    def _list_item(self, node: Node) -> None:
        items, (item,) = self.of(node.inputs[0])[0], node.outputs
        assert isinstance(items, ListType)
        self.learn(item, _settled(items.element, item.type))

    def _list_zeros(self, node: Node) -> None:
        self.learn(node.outputs[0], *self.of(node.inputs[0]))

    def _joined_lists(self, node: Node) -> None:
        first, second = map(self.of, node.inputs)
        self.learn(node.outputs[0], *_joined(node.outputs[0].type, first, second))

    def _list_as(self, node: Node) -> None:
        (items, constant), wide = self.of(node.inputs[0]), node.outputs[0].type
        self.learn(node.outputs[0], *(items, constant) if covers(wide, items) else (wide, constant))


_RULES: dict[Primitive, Callable[[Inference, Node], None]] = {
    nodes.CONSTANT: Inference._constant,
    nodes.UNDEFINED: Inference._undefined,
    nodes.CALL: Inference._call,
    lists.OF: Inference._list_of,
    lists.PUSH: Inference._list_push,
    lists.ITEM: Inference._list_item,
    nodes.LIST_ZEROS: Inference._list_zeros,
    lists.ZERO_ITEMS: Inference._list_zeros,
    **dict.fromkeys((nodes.LIST_ADD, lists.EXTEND), Inference._joined_lists),
    nodes.LIST_AS: Inference._list_as,
}


def _is_placeholder(value: Any, type: Type) -> bool:
    if not isinstance(type, TensorType) or is_known(type.shape):
        return False
    return bool(np.shape(value) == np.shape(nodes.placeholder(type)))


def _joined(wide: Type, first: Known, second: Known) -> Known:
    """Returns what is known of a value that is one or the other: the very first, if that
    says no more.
    """
    (type, constant), (other_type, other) = first, second
    if other is UNREAD or constant is UNREAD:
        return first if other is UNREAD else second
    type = _join(wide, type, other_type)
    if constant is not None and not _is_same(constant, other):
        constant = None
    return first if type == first[0] and constant is first[1] else (type, constant)


def _join(wide: Type, first: Type, second: Type) -> Type:
    """The type that covers both, at most as wide as a third."""
    if first == second or second is NOTHING:
        return first
    if first is NOTHING:
        return second
    if isinstance(first, TensorType) and isinstance(second, TensorType):
        return TensorType(first.dtype, join_shapes(first.shape, second.shape))
    if all(isinstance(type, ListType) for type in (wide, first, second)):
        return ListType(_join(wide.element, first.element, second.element))  # type: ignore[union-attr]
    return wide


def _settled(type: Type, wide: Type) -> Type:
    """The type, with what `wide` says of the elements of lists that nothing was put on."""
    if type is NOTHING:
        return wide
    if isinstance(type, ListType) and isinstance(wide, ListType):
        return ListType(_settled(type.element, wide.element))
    return type


def _is_same(first: Any, second: Any) -> bool:
    """True if these are the same arrays or numbers, to the last bit."""
    if first is second:
        return True
    if not isinstance(first, np.ndarray | np.generic):
        return type(first) is type(second) and number_key(first) == number_key(second)
    if not isinstance(second, np.ndarray | np.generic) or first.dtype != second.dtype:
        return False
    is_plain = first.dtype.kind != "O" and first.shape == second.shape
    return is_plain and first.tobytes() == second.tobytes()
