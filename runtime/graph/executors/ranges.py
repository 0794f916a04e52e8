"""The ranges of integers: where they show that a number stays within its dtype, nothing is checked.

    while i < n:
        i = i + 1     # i is at least 0 and less than n: i + 1 fits into the dtype of n

A value has one range, which holds wherever it is seen; a test narrows it in the branch or the round
that the test leads to. The state of loops starts with its first values; what a round makes larger
grows to the limit of its type at once, and is narrowed once more at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from math import inf

import numpy as np

from runtime import dtypes
from runtime.core.forms import SAME, Form, Logic
from runtime.core.intervals import EVERYTHING, Range, joined
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.dataflow import Forward
from runtime.graph.executors.scalars import form_of
from runtime.graph.ir import Node, Region, Value, diverges, is_test, walk
from runtime.graph.nodes import COND, CONSTANT, LENGTH

_LIMITS: dict[DType, Range] = {
    dtype: (dtype.min, dtype.max) for dtype in dtypes.ALL if dtype.is_integer
}
INT64_RANGE: Range = (-(1 << 63), (1 << 63) - 1)

_LARGEST = 1 << 128
_MOST_FACTS = 64


def limits_of(type: Type) -> Range | None:
    """The range of a type; None for what is no single integer."""
    if isinstance(type, NumberType):
        return EVERYTHING if type.kind == "int" else None
    if isinstance(type, TensorType) and type.shape == ():
        return _LIMITS.get(type.dtype)
    return None


def within(inner: Range, outer: Range) -> bool:
    """True if a range is part of the other."""
    return bool(outer[0] <= inner[0] and inner[1] <= outer[1])


class _Limits(dict[Value, Range | None]):
    """The ranges of the types of values."""

    def __missing__(self, value: Value) -> Range | None:
        found = self[value] = limits_of(value.type)
        return found


Fact = tuple[str, Value, Value]
"""A comparison of integers that holds."""


class Ranges(Forward):
    """The ranges of the integers of a region; `exact` has what each node computes before it is
    wrapped around.

    `unwrapped` are values that only additions and products of the same dtype read, for which it
    makes no difference whether they were wrapped around.
    """

    def __init__(self, region: Region) -> None:
        self.makers = {value: node for node in walk(region) for value in node.outputs}
        self.unwrapped = _unwrapped(region)
        self.limits = _Limits()
        self._sources = {
            value: node.inputs[0] for value, node in self.makers.items() if _is_same(node)
        }
        self._facts: dict[tuple[Value, bool], list[Fact]] = {}
        self.exact: dict[Node, Range] = {}
        self._ranges: dict[Value, Range] = {}
        self._widened: dict[Value, Range] = {}
        self._known: dict[Value, Range] = {}
        self._has_grown = False
        if any(self.limits[value] for value in self.makers):
            self.region(region)
            if self._has_grown:
                self._widened, self._ranges = self._ranges, {}
                self.region(region)

    def of(self, value: Value) -> Range:
        """The range of an integer."""
        found = self._known.get(value) or self._ranges.get(value) or self._widened.get(value)
        return found or self.limits[value] or EVERYTHING

    def fits(self, node: Node) -> bool:
        """True if what the node computes is within the range of its type, or need not be."""
        (output,) = node.outputs
        return node in self.exact and within(self.exact[node], self._allowed(output))

    def _allowed(self, value: Value) -> Range:
        wide = (-_LARGEST, _LARGEST)
        return wide if value in self.unwrapped else self.limits[value] or EVERYTHING

    def op(self, node: Node) -> None:
        """Find the range of what a node computes."""
        limits = self.limits[node.outputs[0]] if len(node.outputs) == 1 else None
        found = None if limits is None else self._computed(node)
        if limits is not None and found is not None:
            self.exact[node] = _bounded(found)
            self._ranges[node.outputs[0]] = self.exact[node] if self.fits(node) else limits

    def _computed(self, node: Node) -> Range | None:
        """Returns the range of a node before it is wrapped around; None where that is not known."""
        rule = node.primitive.interval
        if rule is not None:
            return rule(*map(self._operand, node.inputs))
        if node.primitive is CONSTANT:
            return (int(node.params["value"]),) * 2
        return _length(node) if node.primitive is LENGTH else None

    def _operand(self, value: Value) -> Range:
        if self.limits[value] is not None:
            return self.of(value)
        maker = self.makers.get(value)
        known = maker.params["value"] if maker is not None and maker.primitive is CONSTANT else None
        if isinstance(known, np.ndarray) and known.dtype.kind in "iu" and known.size:
            return int(known.min()), int(known.max())
        return (0, 1) if is_test(value.type) else EVERYTHING

    def taken(self, node: Node) -> Iterator[Region]:
        """Both branches, each behind its outcome of the test."""
        for region, truth in zip(node.regions, (True, False), strict=True):
            before = self._assume(node.inputs[0], truth)
            yield region
            self._known = before

    def loop(self, node: Node) -> None:
        """Widen what a round makes larger; once this is done for all, narrow it."""
        (body,) = node.regions
        if self._widened:
            self.enter(body.results, body.parameters)
        super().loop(node)

    def enter(self, state: Sequence[Value], parameters: Sequence[Value]) -> bool:
        """Join the state where its test holds."""
        before = self._assume(state[0], True)
        changed = super().enter(state, parameters)
        self._known = before
        return changed

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Join ranges; those of parameters of loops grow to the limits of their types."""
        changed = False
        for source, target in zip(sources, targets, strict=True):
            limits, before, now = self.limits[target], self._ranges.get(target), self.of(source)
            if limits is None:
                continue
            if before is not None:
                now = joined(before, now)
                if now != before and target not in self.makers and not self._widened:
                    now = _wider(before, now, limits)
                    self._has_grown = True
            changed |= now != before
            self._ranges[target] = now
        return changed and not self._widened

    # What tests tell

    def _assume(self, test: Value, truth: bool) -> dict[Value, Range]:
        """Know what follows from the outcome of a test; returns what was known before."""
        before = self._known
        self._known = dict(before)
        for sign, left, right in self._following(test, truth):
            self._compare(sign, left, right)
        return before

    def _following(self, test: Value, truth: bool) -> list[Fact]:
        """The comparisons that follow from the outcome of a test."""
        found = self._facts.get((test, truth))
        if found is None:
            found = self._facts[test, truth] = []
            pending = deque([(test, truth)])
            for _ in range(_MOST_FACTS):
                if not pending:
                    break
                test, truth = pending.popleft()
                maker = self.makers.get(test)
                if maker is not None:
                    pending += self._outcomes(test, maker, truth)
                    found += self._compared(maker, truth)
        return found

    def _compared(self, maker: Node, truth: bool) -> Iterator[Fact]:
        form = _form(maker)
        sign = "" if form is None else form.sign
        if sign in _OPPOSITE and all(map(self.limits.__getitem__, maker.inputs)):
            left, right = maker.inputs
            yield sign if truth else _OPPOSITE[sign], left, right

    def _outcomes(self, test: Value, maker: Node, truth: bool) -> Iterable[tuple[Value, bool]]:
        """The outcomes of other tests that follow."""
        logic = maker.primitive.logic
        if maker.primitive is COND:
            return self._of_branches(test, maker, truth)
        if logic in (Logic.NOT, Logic.SAME):
            return [(maker.inputs[0], truth is (logic is Logic.SAME))]
        if logic is (Logic.AND if truth else Logic.OR):
            return [(value, truth) for value in maker.inputs]
        return ()

    def _of_branches(self, test: Value, node: Node, truth: bool) -> Iterator[tuple[Value, bool]]:
        """Yields the outcomes of tests that follow from the branch taken: where one branch gives
        the other outcome, the other branch was taken.
        """
        at = node.outputs.index(test)
        for here, there, taken in ((0, 1, False), (1, 0, True)):
            region = node.regions[here]
            if diverges(region) or self._is_constant(region.results[at], not truth):
                yield node.inputs[0], taken
                if not diverges(node.regions[there]):
                    yield node.regions[there].results[at], truth

    def _is_constant(self, value: Value, truth: bool) -> bool:
        maker = self.makers.get(value)
        if maker is None or maker.primitive is not CONSTANT:
            return False
        return bool(maker.params["value"]) == truth

    def _compare(self, sign: str, left: Value, right: Value) -> None:
        (low, high), (least, most) = self.of(left), self.of(right)
        if sign in ("<", "<="):
            step = 1 if sign == "<" else 0
            self._narrow(left, (-inf, most - step))
            self._narrow(right, (low + step, inf))
        elif sign in (">", ">="):
            self._compare(sign.replace(">", "<"), right, left)
        elif sign == "==":
            self._narrow(left, (least, most))
            self._narrow(right, (low, high))

    def _narrow(self, value: Value, to: Range) -> None:
        low, high = self.of(value)
        # Code that is not reached learns contradictions.
        self._known[value] = max(low, min(to[0], high)), min(high, max(to[1], low))
        source = self._sources.get(value)
        if source is not None and self.limits[source] is not None:
            self._narrow(source, to)


def _unwrapped(region: Region) -> set[Value]:
    """The values that only ops read for which wrapping around may wait."""
    made: set[Value] = set()
    kept = set(region.results)
    for node in walk(region):
        form = _form(node)
        if form is not None and form.ring and limits_of(node.outputs[0].type) is not None:
            made.add(node.outputs[0])
        else:
            kept.update(node.inputs)
        for inner in node.regions:
            kept.update(inner.results)
    return made - kept


def _wider(before: Range, found: Range, limits: Range) -> Range:
    """The range that goes to the limits where it has grown."""
    low = before[0] if found[0] >= before[0] else limits[0]
    high = before[1] if found[1] <= before[1] else limits[1]
    return low, high


def _bounded(range: Range) -> Range:
    low, high = range
    return (
        -inf if low < -_LARGEST else min(low, _LARGEST),
        inf if high > _LARGEST else max(high, -_LARGEST),
    )


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def _form(node: Node) -> Form | None:
    form = node.primitive.scalar
    return form if isinstance(form, Form) else None


def _is_same(node: Node) -> bool:
    """Whether it gives the number that it is given, or fails."""
    form = form_of(node)
    return form is not None and form.text == SAME.text and not form.wraps


def _length(node: Node) -> Range:
    type = node.inputs[0].type
    shape = type.shape if isinstance(type, TensorType) else None
    known = shape[0] if shape else None
    return (0, inf) if known is None else (known, known)
