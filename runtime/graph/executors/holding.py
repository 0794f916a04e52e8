"""Expression inlining: each value is under a name of its own, under that of another value, or an
expression that stands where the value is read.

    proceed = n > i + 1      # nobody else reads i + 1

What is written in another place must not fail there, and must not be computed again: by a loop, or
by a template that names it twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from runtime.core.forms import ELEMENT, ITEM, Form, is_bool, is_integer
from runtime.core.types import ListType, NumberType, TensorType
from runtime.graph.executors.blocks import Runs
from runtime.graph.executors.ranges import Ranges, limits_of, within
from runtime.graph.executors.scalars import form_of, takes_weak
from runtime.graph.ir import Node, Region, Value, walk
from runtime.graph.nodes import COND, CONSTANT, TO_TENSOR, UNDEFINED, WHILE

LONGEST = 5
"""Ops in one expression."""

_NAMED = frozenset((CONSTANT, UNDEFINED))
_DIVISIONS = frozenset(("//", "%"))


class Expression(NamedTuple):
    """A template, and the values that it is written with."""

    form: Form
    operands: tuple[Value, ...]


class Holding:
    """The form in which generated code holds each value of a graph's body.

    `expressions` are the nodes that Python writes as one, `aliases` those of them that take over
    the name of their operand, `inline` those that are written where they are read. `read` are the
    integers that must be Python's, `weak` those cast to floats only for arithmetic with a float,
    which converts them itself. `tables` are known vectors of which only known places are read,
    `blocked` the nodes of `runs`.
    """

    def __init__(self, body: Region, runs: Runs) -> None:
        self.blocked = {node for found in runs.values() for run in found for node in run.nodes}
        self.ranges = Ranges(body)
        self.makers = self.ranges.makers
        self.read: set[Value] = set()
        self.weak: set[Value] = set()
        self.expressions: dict[Node, Expression] = {}
        self.aliases: set[Node] = set()
        self.inline: set[Node] = set()
        self.tables: dict[Node, tuple[object, ...]] = {}
        self._uses: dict[Value, list[tuple[Node | None, Node | None]]] = defaultdict(list)
        self._loops: dict[Node, Node | None] = {}
        self._sizes: dict[Node, int] = {}
        self._note(body)
        self._count(body, None)
        self._decide(body)

    def is_written(self, node: Node) -> bool:
        """True if the node has a line of its own."""
        if node.primitive in _NAMED or node in self.inline:
            return False
        return node not in self.aliases or self.is_checked(node)

    def is_checked(self, node: Node) -> bool:
        """True if a check of its range follows the node."""
        form = self.expressions[node].form
        if not (form.wraps or form.refuses) or not is_integer(node.outputs[0].type):
            return False
        return not self.ranges.fits(node)

    def variables(self, value: Value) -> list[Value]:
        """The values with names of their own that code which reads this one mentions."""
        maker = self.makers.get(value)
        if maker is None:
            return [value]
        if maker.primitive is WHILE:
            return [maker.regions[0].parameters[maker.outputs.index(value)]]
        if maker.primitive in _NAMED:
            return []
        if maker in self.inline or maker in self.aliases:
            operands = self.expressions[maker].operands
            return [found for operand in operands for found in self.variables(operand)]
        return [value]

    def variable(self, value: Value) -> Value | None:
        """The value whose name this one goes under; None where it is written otherwise."""
        maker = self.makers.get(value)
        if maker in self.aliases:
            return self.variable(self.expressions[maker].operands[0])
        if maker in self.inline:
            return None
        return next(iter(self.variables(value)), None)

    def operands(self, node: Node) -> Sequence[Value]:
        """The values that the line of a node reads."""
        return self.expressions[node].operands if node in self.expressions else node.inputs

    def _note(self, body: Region) -> None:
        casts: set[Value] = set()
        kept = set(body.results)
        for node in walk(body):
            form = form_of(node)
            if form is not None:
                self.read.update(_integers(node.inputs))
            if form is not None and form.text.startswith("one_"):
                casts.add(node.outputs[0])
            else:
                # One float is enough for Python's numbers to become floats beside it.
                kept.update(node.inputs[:-1] if takes_weak(node, form) else node.inputs)
            for region in node.regions:
                kept.update(region.results)
                self.read.update(_integers((*region.results, *node.inputs)))
        self.weak |= casts - kept

    def _count(self, region: Region, loop: Node | None) -> None:
        for node in region.nodes:
            self._loops[node] = loop
            for value in node.inputs:
                self._uses[value].append((node, loop))
            for inner in node.regions:
                self._count(inner, node if node.primitive is WHILE else loop)
        for value in region.results:
            self._uses[value].append((None, loop))

    def _decide(self, region: Region) -> None:
        for node in region.nodes:
            for inner in node.regions:
                self._decide(inner)
            made = self._logic(node) if node.primitive is COND else self._expression(node)
            if made is None or node.primitive in _NAMED:
                continue
            self.expressions[node] = made
            if self._is_alias(node, made):
                self.aliases.add(node)
            elif _reads_list(node) or self._may_fail(node):
                continue
            elif self._stands_in(node) and self._is_short(node):
                self.inline.add(node)

    def _expression(self, node: Node) -> Expression | None:
        form = form_of(node)
        table = self._table(node) if form in (ELEMENT, ITEM) else None
        if table is not None:
            self.tables[node] = table
            return Expression(ELEMENT, node.inputs)
        if form is None or (form.refuses and self._becomes_infinite(node)):
            return None
        return Expression(form, node.inputs)

    def _becomes_infinite(self, node: Node) -> bool:
        """True if the node may make a float of an int that is too large, which only its kernel
        refuses.
        """
        type = node.outputs[0].type
        if not isinstance(type, TensorType) or not type.dtype.is_floating:
            return False
        return not within(self.ranges.of(node.inputs[0]), type.dtype.limits)

    def _table(self, node: Node) -> tuple[object, ...] | None:
        """The known vector that the node takes an element of, at a place that is there."""
        vector, index = node.inputs
        maker = self.makers.get(vector)
        if maker is None or maker.primitive is not CONSTANT:
            return None
        value = maker.params["value"]
        low, high = self.ranges.of(index)
        if value.ndim != 1 or value.dtype.kind not in "biufc" or not 0 <= low <= high < len(value):
            return None
        return tuple(value.tolist() if value.dtype.kind in "biu" else value)

    def _logic(self, node: Node) -> Expression | None:
        """A choice between a test and a known truth, as Python writes it: `a and b`."""
        if len(node.outputs) != 1 or not self._is_pure(node):
            return None
        (test,), (output,) = node.inputs, node.outputs
        (body,), (orelse,) = [region.results for region in node.regions]
        number = NumberType("bool")
        if output.type == number and not test.type == body.type == orelse.type == number:
            return None
        for known, other, forms in (
            (orelse, body, ("{0} and {1}", "not {0} or {1}")),
            (body, orelse, ("not {0} and {1}", "{0} or {1}")),
        ):
            maker = self.makers.get(known)
            if maker is not None and maker.primitive is CONSTANT:
                return Expression(Form(forms[bool(maker.params["value"])]), (test, other))
        return None

    def _is_pure(self, node: Node) -> bool:
        """True for a choice between truths whose branches have no lines."""
        (output,) = node.outputs
        if not is_bool(output.type) and output.type != NumberType("bool"):
            return False
        inner = [member for region in node.regions for member in region.nodes]
        return all(len(region.results) == 1 for region in node.regions) and not any(
            map(self.is_written, inner)
        )

    def _is_alias(self, node: Node, made: Expression) -> bool:
        if node.outputs[0] in self.weak:
            return True
        return made.form.text in ("{}", "{0}") and (made.form.refuses or not self.is_checked(node))

    def _may_fail(self, node: Node) -> bool:
        if node.primitive in (COND, TO_TENSOR) or node in self.tables:
            return self.is_checked(node)
        is_division = self.expressions[node].form.sign in _DIVISIONS
        if is_division and limits_of(node.inputs[1].type) is not None:
            low, high = self.ranges.of(node.inputs[1])
            return low <= 0 <= high or self.is_checked(node)
        kinds = {value.type for value in node.inputs if isinstance(value.type, NumberType)}
        # Python refuses to make floats of the largest ints.
        return node.primitive.fallible or len(kinds) > 1 or self.is_checked(node)

    def _stands_in(self, node: Node) -> bool:
        uses = self._uses[node.outputs[0]]
        if len(uses) != 1:
            # What nobody reads need not be written at all.
            return not uses
        user, loop = uses[0]
        return loop is self._loops[node] and (user is None or self._takes(user, node.outputs[0]))

    def _takes(self, user: Node, value: Value) -> bool:
        """True if what reads the value may be written with an expression in its place."""
        if user in self.blocked:
            return False
        made = None if user.regions else self._expression(user)
        if made is None:
            return True
        text = made.form.text
        if user.outputs[0] in self.weak or text in ("{}", "{0}"):
            fits = not made.form.refuses or self.ranges.fits(user)
            return fits and self._stands_in(user)
        return "{}" in text or text.count(f"{{{user.inputs.index(value)}}}") == 1

    def _is_short(self, node: Node) -> bool:
        size = 1
        for operand in self.expressions[node].operands:
            maker = self.makers.get(operand)
            while maker in self.aliases:
                maker = self.makers.get(self.expressions[maker].operands[0])
            size += self._sizes.get(maker, 0) if maker is not None else 0
        if size <= LONGEST:
            self._sizes[node] = size
        return size <= LONGEST


def _reads_list(node: Node) -> bool:
    """Whether it reads what may be changed in its place before its reader is reached."""
    return any(isinstance(value.type, ListType) for value in node.inputs)


def _integers(values: Iterable[Value]) -> list[Value]:
    return [value for value in values if is_integer(value.type)]
