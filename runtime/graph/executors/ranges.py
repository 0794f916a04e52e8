"""The ranges of integers: where they show that a number stays within its dtype, nothing is checked.

    while i < n:
        i = i + 1     # i is at least 0 and less than n: i + 1 fits into the dtype of n

A value has one range, which holds wherever it is seen; a test narrows it in the branch or the round
that the test leads to. The state of loops starts with its first values; what a round makes larger
grows to the limit of its type at once, and is narrowed once more at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any

from runtime import dtypes
from runtime.dtypes import DType
from runtime.graph.ir import Node, Region, Value, diverges, walk
from runtime.graph.nodes import COND, CONSTANT, WHILE
from runtime.types import NumberType, TensorType, Type

Range = tuple[Any, Any]
"""The least and the greatest number: ints, or infinities."""

EVERYTHING: Range = (-inf, inf)
_LIMITS: dict[DType, Range] = {dtype: dtype.limits for dtype in dtypes.ALL if dtype.is_integer}
_LARGEST = 1 << 128
_MOST_PASSES = 12
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


class Ranges:
    """The ranges of the integers of a region; `exact` has what each node computes before it is
    wrapped around.

    `unwrapped` are values that only additions and products of the same dtype read, for which it
    makes no difference whether they were wrapped around.
    """

    def __init__(self, region: Region) -> None:
        self.makers = {value: node for node in walk(region) for value in node.outputs}
        self.unwrapped = _unwrapped(region)
        self.ranges: dict[Value, Range] = {}
        self.exact: dict[Node, Range] = {}
        self.known: dict[Value, Range] = {}
        self.changed = False
        self.growing = True
        if any(limits_of(value.type) for value in self.makers):
            self._solve(region)

    def of(self, value: Value) -> Range:
        """The range of an integer."""
        found = self.known.get(value) or self.ranges.get(value)
        return found or limits_of(value.type) or EVERYTHING

    def fits(self, node: Node) -> bool:
        """True if what the node computes is within the range of its type, or need not be."""
        (output,) = node.outputs
        return node in self.exact and within(self.exact[node], self._allowed(output))

    def _allowed(self, value: Value) -> Range:
        wide = (-_LARGEST, _LARGEST)
        return wide if value in self.unwrapped else limits_of(value.type) or EVERYTHING

    def _solve(self, region: Region) -> None:
        for _ in range(_MOST_PASSES):
            self.changed = False
            self._region(region)
            if not self.changed:
                break
        self.growing = False
        if not self.changed:
            self._region(region)
        if self.changed:
            # Too many loops: the limits of types hold for all.
            self.ranges.clear()
            self.exact.clear()

    def _region(self, region: Region) -> None:
        for node in region.nodes:
            if node.primitive is WHILE:
                self._while(node)
            elif node.primitive is COND:
                self._cond(node)
            elif node.outputs:
                self._node(node)

    def _node(self, node: Node) -> None:
        output = node.outputs[0]
        limits = limits_of(output.type)
        rule = _RULES.get(node.primitive.name)
        if limits is None or rule is None or len(node.outputs) != 1:
            return
        found = rule(self, node)
        if found is None:
            return
        exact = self.exact[node] = _bounded(found)
        self.ranges[output] = exact if within(exact, self._allowed(output)) else limits

    def _cond(self, node: Node) -> None:
        ends = []
        for region, truth in zip(node.regions, (True, False), strict=True):
            before = self._assume(node.inputs[0], truth)
            self._region(region)
            if not diverges(region):
                ends.append([self.of(value) for value in region.results])
            self.known = before
        for output, *found in zip(node.outputs, *ends, strict=False):
            if limits_of(output.type) is not None:
                self.ranges[output] = _joined(found)

    def _while(self, node: Node) -> None:
        (body,) = node.regions
        first = self._where_true(node.inputs[0], node.inputs[1:])
        for at, parameter in enumerate(body.parameters):
            if limits_of(parameter.type) is None:
                continue
            if parameter not in self.ranges:
                self.ranges[parameter] = first[at]
            elif self.growing:
                self._grow(parameter, first[at])
            else:
                again = self._where_true(body.results[0], [body.results[at + 1]])
                self.ranges[parameter] = _joined([first[at], *again])
        self._region(body)
        self._end_round(node, body)

    def _end_round(self, node: Node, body: Region) -> None:
        again = self._where_true(body.results[0], body.results[1:])
        for at, parameter in enumerate(body.parameters):
            if limits_of(parameter.type) is not None:
                self._grow(parameter, again[at])
                ends = [self.of(node.inputs[at + 1]), self.of(body.results[at + 1])]
                self.ranges[node.outputs[at]] = _joined(ends)

    def _where_true(self, test: Value, values: Sequence[Value]) -> list[Range]:
        before = self._assume(test, True)
        found = [self.of(value) for value in values]
        self.known = before
        return found

    def _grow(self, parameter: Value, range: Range) -> None:
        limits, before = limits_of(parameter.type), self.ranges.get(parameter)
        if limits is None or before is None or within(range, before):
            return
        low = before[0] if range[0] >= before[0] else limits[0]
        high = before[1] if range[1] <= before[1] else limits[1]
        self.ranges[parameter] = low, high
        self.changed = True

    # What tests tell

    def _assume(self, test: Value, truth: bool) -> dict[Value, Range]:
        """Know what follows from the outcome of a test; returns what was known before."""
        before = self.known
        self.known = dict(before)
        self._learn(test, truth)
        return before

    def _learn(self, test: Value, truth: bool) -> None:
        pending = deque([(test, truth)])
        for _ in range(_MOST_FACTS):
            if not pending:
                break
            test, truth = pending.popleft()
            maker = self.makers.get(test)
            if maker is not None:
                pending += self._following(test, maker, truth)

    def _following(self, test: Value, maker: Node, truth: bool) -> Iterable[tuple[Value, bool]]:
        """The outcomes of other tests that follow; what is known of numbers is narrowed."""
        name = maker.primitive.name
        if name == "cond":
            return self._of_branches(test, maker, truth)
        if name in ("py.not", "logical_not"):
            return [(maker.inputs[0], not truth)]
        if name in ("truth", "identity", "to_tensor"):
            return [(maker.inputs[0], truth)]
        if name == ("logical_and" if truth else "logical_or"):
            return [(value, truth) for value in maker.inputs]
        if name in _COMPARISONS and all(limits_of(value.type) for value in maker.inputs):
            self._compare(_COMPARISONS[name] if truth else _NEGATED[name], *maker.inputs)
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
        self.known[value] = max(low, min(to[0], high)), min(high, max(to[1], low))
        maker = self.makers.get(value)
        if maker is not None and maker.primitive.name in _SAME:
            (source,) = maker.inputs
            if limits_of(source.type) is not None:
                self._narrow(source, to)


def _unwrapped(region: Region) -> set[Value]:
    """The values that only ops read for which wrapping around may wait."""
    made: set[Value] = set()
    kept = set(region.results)
    for node in walk(region):
        if node.primitive.name in _RING and limits_of(node.outputs[0].type) is not None:
            made.add(node.outputs[0])
        else:
            kept.update(node.inputs)
        for inner in node.regions:
            kept.update(inner.results)
    return made - kept


def _bounded(range: Range) -> Range:
    low, high = range
    return (
        -inf if low < -_LARGEST else min(low, _LARGEST),
        inf if high > _LARGEST else max(high, -_LARGEST),
    )


def _joined(ranges: Sequence[Range]) -> Range:
    if not ranges:
        return EVERYTHING
    return min(low for low, _ in ranges), max(high for _, high in ranges)


_COMPARISONS = {
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
    "not_equal": "!=", "py.lt": "<", "py.le": "<=", "py.gt": ">", "py.ge": ">=", "py.eq": "==",
    "py.ne": "!=",
}  # fmt: skip
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_NEGATED = {name: _OPPOSITE[sign] for name, sign in _COMPARISONS.items()}
_RING = frozenset(("add", "sub", "mul", "neg", "square"))
# Ops that give the number that they are given, or fail.
_SAME = frozenset(("to_tensor", "py.item_int", "identity", "stop_gradient"))

# What each op makes of ranges; None where that is not known.

Rule = Callable[[Ranges, Node], Range | None]


def _by_range(rule: Callable[..., Range]) -> Rule:
    def applied(ranges: Ranges, node: Node) -> Range | None:
        if any(limits_of(value.type) is None for value in node.inputs):
            return None
        return rule(*map(ranges.of, node.inputs))

    return applied


def _product(a: Any, b: Any) -> Any:
    return a * b if a and b else 0


def _mul(a: Range, b: Range) -> Range:
    corners = [_product(x, y) for x in a for y in b]
    return min(corners), max(corners)


def _abs(a: Range) -> Range:
    low, high = a
    return max(low, -high, 0), max(-low, high)


def _square(a: Range) -> Range:
    low, high = _abs(a)
    return _product(low, low), _product(high, high)


def _floordiv(a: Range, b: Range) -> Range:
    low, high = a
    if b[0] <= 0 or inf in (-low, high, b[1]):
        largest = max(abs(low), abs(high))
        return (-largest, largest) if b[0] <= 0 else (min(low, 0), max(high, 0))
    corners = [x // y for x in a for y in b]
    return min(corners), max(corners)


def _mod(a: Range, b: Range) -> Range:
    low, high = min(b[0] + 1, 0), max(b[1] - 1, 0)
    return (0, min(a[1], high)) if a[0] >= 0 and b[0] >= 0 else (low, high)


def _bitwise_and(a: Range, b: Range) -> Range:
    tops = [high for low, high in (a, b) if low >= 0]
    return (0, min(tops)) if tops else (min(a[0], b[0], -inf), max(a[1], b[1]))


def _same(ranges: Ranges, node: Node) -> Range | None:
    source = node.inputs[0].type
    if limits_of(source) is not None:
        return ranges.of(node.inputs[0])
    is_bool = isinstance(source, TensorType) and source.dtype.is_bool
    return (0, 1) if is_bool or source == NumberType("bool") else None


def _where(ranges: Ranges, node: Node) -> Range | None:
    return _joined([ranges.of(value) for value in node.inputs[1:]])


def _length(ranges: Ranges, node: Node) -> Range | None:
    type = node.inputs[0].type
    shape = type.shape if isinstance(type, TensorType) else None
    known = shape[0] if shape else None
    return (0, inf) if known is None else (known, known)


def _array_length(ranges: Ranges, node: Node) -> Range | None:
    # Each element of a list takes eight bytes of an address space of 2 ** 63.
    return 0, 1 << 60


def _range_length(ranges: Ranges, node: Node) -> Range | None:
    # Only ranges of step 1 are common.
    start, stop, step = map(ranges.of, node.inputs)
    return (0, inf) if step != (1, 1) else (0, max(stop[1] - start[0], 0))


def _constant(ranges: Ranges, node: Node) -> Range | None:
    value = int(node.params["value"])
    return value, value


def _element(ranges: Ranges, node: Node) -> Range | None:
    maker = ranges.makers.get(node.inputs[0])
    if maker is None or maker.primitive is not CONSTANT or not maker.params["value"].size:
        return None
    value = maker.params["value"]
    return int(value.min()), int(value.max())


_NUMBERS: dict[str, Rule] = {
    "add": _by_range(lambda a, b: (a[0] + b[0], a[1] + b[1])),
    "sub": _by_range(lambda a, b: (a[0] - b[1], a[1] - b[0])),
    "mul": _by_range(_mul),
    "neg": _by_range(lambda a: (-a[1], -a[0])),
    "abs": _by_range(_abs),
    "floordiv": _by_range(_floordiv),
    "mod": _by_range(_mod),
}
_least = _by_range(lambda a, b: (min(a[0], b[0]), min(a[1], b[1])))
_most = _by_range(lambda a, b: (max(a[0], b[0]), max(a[1], b[1])))
_RULES: dict[str, Rule] = {
    **_NUMBERS,
    **{f"py.{name}": rule for name, rule in _NUMBERS.items()},
    "square": _by_range(_square),
    "bitwise_and": _by_range(_bitwise_and),
    "py.and": _by_range(_bitwise_and),
    "minimum": _least,
    "maximum": _most,
    "py.min": _least,
    "py.max": _most,
    "identity": _same,
    "stop_gradient": _same,
    "to_tensor": _same,
    "cast": _same,
    "py.item_int": _same,
    "where": _where,
    "length": _length,
    "array_length": _array_length,
    "py.range_length": _range_length,
    "constant": _constant,
    "strided_slice": _element,
}
