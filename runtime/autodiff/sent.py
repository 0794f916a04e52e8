"""Gradients in graphs that exist in some runs only: the run-time tests for that.

Eagerly, the backward pass visits only what a target has used. In a graph, the gradient of a branch
not taken, of a loop without iterations or of a result that is never read is zeros, with a `Sent`
beside it: a test that is true if the run has such a gradient. A rule that only moves and adds
gradients maps zeros to zeros, and is applied in any case. A rule that reads floats of the forward
pass could turn zeros into NaN (0 times infinity) or fail, and is put into a branch on the test. If
a gradient exists in every run, its `Sent` is None, and nothing is added to the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
from runtime.core.primitive import Primitive
from runtime.core.shapes import is_known
from runtime.core.state import recorded_by
from runtime.core.types import ListType, ResidualsType, TensorType, Type
from runtime.graph.ir import Region, Value, covers
from runtime.graph.lists import Item
from runtime.graph.nodes import BOOL, COND, LIST_AS, LIST_ZEROS, apply
from runtime.ops.indexed_slices import dense
from runtime.staging.scopes import Scope
from runtime.staging.tracing import Trace, symbol


class Sent(NamedTuple):
    """A gradient is sent where a test of the graph `holds`, or does not."""

    test: Value
    holds: bool = True

    @property
    def opposite(self) -> Sent:
        """The condition that holds where this one does not."""
        return self._replace(holds=not self.holds)


Found = tuple[Any, Sent | None]
"""A gradient (None: there is none), and whether it is sent (None: for certain)."""

ABSENT = Sent(Value(BOOL, "absent"))
"""That of no gradient, where it meets others."""


@contextmanager
def nested(trace: Trace) -> Iterator[Scope]:
    """Build a region of the gradient."""
    site = trace.scope.next_site()
    with recorded_by(), trace.nested("a gradient", site) as scope:
        yield scope


def shaped(grad: Any, type: Any) -> Any:
    """A gradient as a tensor, known to have a type of which its own knows less."""
    grad = dense(grad)
    if covers(type, grad.type):
        return grad
    if isinstance(type, ListType):
        return apply(LIST_AS, grad, type=type)
    return ops.ensure_shape(grad, type.shape)


def zeros(trace: Trace, value: Value) -> Any:
    """Zeros like a value."""
    if isinstance(value.type, ListType | ResidualsType):
        return trace.apply(LIST_ZEROS, (value,))
    assert isinstance(value.type, TensorType)
    if is_known(value.type.shape):
        return ops.zeros(value.type.shape, value.type.dtype)
    return ops.zeros_like(symbol(value, trace.scope, None))


# Tests


def truth(trace: Trace, sent: Sent | None) -> Value:
    """A `Sent` as a value of the graph."""
    if sent is None or sent is ABSENT:
        return trace.value_of(sent is None)
    if sent.holds and sent.test.type == BOOL:
        return sent.test
    return _chosen(trace, sent, lambda: trace.value_of(True), lambda: trace.value_of(False))


def either(trace: Trace, first: Sent | None, second: Sent | None) -> Sent | None:
    """Whether one of two is sent."""
    if first is None or second is None:
        return None
    if first == second or second is ABSENT:
        return first
    if first is ABSENT:
        return second
    if first.test is second.test:
        return None
    return Sent(_chosen(trace, first, lambda: trace.value_of(True), lambda: truth(trace, second)))


def _chosen(
    trace: Trace, sent: Sent, then: Callable[[], Value], otherwise: Callable[[], Value]
) -> Value:
    regions = []
    for way in (then, otherwise):
        with nested(trace) as scope:
            value = way()
        regions.append(scope.region([value]))
    with recorded_by():
        output = Value(BOOL, trace.unique("sent"))
        append_cond(trace, sent, [output], regions)
    return output


def append_cond(
    trace: Trace, sent: Sent, outputs: Sequence[Value], regions: Sequence[Region]
) -> tuple[Any, ...]:
    """Add a branch: the first region where a gradient is sent, else the second."""
    ordered = regions if sent.holds else regions[::-1]
    return trace.append(COND, (sent.test,), outputs, regions=ordered)


def joined(test: Sent, ways: Sequence[Sent | None]) -> tuple[bool, Sent | None]:
    """Returns whether a gradient that leaves a branch on a test has its being sent as a further
    result of the branch, and if not, the condition on which it is sent.
    """
    first, second = ways
    if first == second:
        return False, first
    if first is None and second is ABSENT:
        return False, test
    if first is ABSENT and second is None:
        return False, test.opposite
    return True, None


# Rules


def choose(
    trace: Trace,
    sent: Sent,
    ways: Sequence[Callable[[], Sequence[Found]]],
    targets: Sequence[tuple[Value | None, Callable[[], Any]]],
) -> list[Found]:
    """Returns what the first way finds where a gradient is sent, else what the second does; with
    the value that each target's gradients are like, and what makes zeros for it.
    """
    scopes, found = [], []
    for way in ways:
        with nested(trace) as scope:
            found.append(list(way()))
        scopes.append(scope)
    kept = [
        at
        for at, (like, _) in enumerate(targets)
        if like is not None and any(each[at][0] is not None for each in found)
    ]
    doubts = [[_sent(each[at]) for each in found] for at in kept]
    plans = [joined(sent, each) for each in doubts]
    regions = []
    for side, (scope, each) in enumerate(zip(scopes, found, strict=True)):
        with recorded_by(), trace.reopened(scope):
            values = [_value(trace, each[at][0], *targets[at]) for at in kept]
            values += [
                truth(trace, doubt[side])
                for doubt, (asked, _) in zip(doubts, plans, strict=True)
                if asked
            ]
        regions.append(scope.region(values))
    likes = [_like(targets[at]) for at in kept]
    named: list[tuple[Type, str]] = [(like.type, f"grad_{like.name}") for like in likes]
    named += [(BOOL, "sent") for asked, _ in plans if asked]
    outputs = [Value(type, trace.unique(name), at) for at, (type, name) in enumerate(named)]
    made = append_cond(trace, sent, outputs, regions)
    flags = iter(outputs[len(kept) :])
    results: list[Found] = [(None, None)] * len(targets)
    for at, grad, (asked, known) in zip(kept, made, plans, strict=False):
        results[at] = grad, Sent(next(flags)) if asked else known
    return results


def _like(target: tuple[Value | None, Any]) -> Value:
    assert target[0] is not None
    return target[0]


def _sent(found: Found) -> Sent | None:
    return ABSENT if found[0] is None else found[1]


def _value(trace: Trace, grad: Any, like: Value | None, zeros: Callable[[], Any]) -> Value:
    assert like is not None
    return trace.value_of(zeros() if grad is None else shaped(grad, like.type))


def apply_rule(
    trace: Trace, primitive: Primitive, op: Any, given: Sequence[Any], sent: Sequence[Sent | None]
) -> list[Found]:
    """The gradients of the inputs of an op, by its rule."""
    flags = [flag for grad, flag in zip(given, sent, strict=True) if grad is not None]
    doubts = list(dict.fromkeys(flag for flag in flags if flag is not None))
    if not doubts or _keeps_zeros(trace, primitive, op):
        found = primitive.gradient(op, *given)  # type: ignore[misc]
        whole: Sent | None = None
        if len(doubts) and None not in flags:
            whole = doubts[0]
            for doubt in doubts[1:]:
                whole = either(trace, whole, doubt)
        return [_of_item(grad, whole) for grad in found or [None] * len(op.inputs)]
    first = doubts[0]

    def where_sent() -> list[Found]:
        known = [None if flag == first else flag for flag in sent]
        return apply_rule(trace, primitive, op, given, known)

    def elsewhere() -> list[Found]:
        rest = [None if flag == first else g for g, flag in zip(given, sent, strict=True)]
        if all(grad is None for grad in rest):
            return [(None, None)] * len(op.inputs)
        return apply_rule(trace, primitive, op, rest, sent)

    targets = [_target(trace, item, key) for item, key in zip(op.inputs, op.sources, strict=True)]
    return choose(trace, first, (where_sent, elsewhere), targets)


def back_through(
    trace: Trace, primitive: Primitive, op: Any, given: Sequence[Any], sent: Sequence[Sent | None]
) -> list[Found]:
    """As `apply_rule`, for gradients that may be slices, and may stay or become slices."""
    if primitive.sliced is not None and (not any(sent) or _keeps_zeros(trace, primitive, op)):
        slices = primitive.sliced(op, *given)
        if slices is not None:
            return [(grad, sent[0]) for grad in slices]
    return apply_rule(trace, primitive, op, list(map(dense, given)), sent)


def _of_item(grad: Any, sent: Sent | None) -> Found:
    return (grad.grad, Sent(grad.is_there.graph_value)) if type(grad) is Item else (grad, sent)


def _target(trace: Trace, item: Any, key: Any) -> tuple[Value | None, Callable[[], Any]]:
    value = trace.value_of(item) if key is not None else None
    return value, lambda: zeros(trace, value) if value is not None else None


def _keeps_zeros(trace: Trace, primitive: Primitive, op: Any) -> bool:
    """Whether the gradients are zeros where those of the outputs are, whatever the run computed."""
    if "rule" in op.params:  # the user's, which may do anything
        return False
    if not primitive.is_op:  # lists: items are moved and added
        return True
    return not any(_is_doubtful(item, trace) for item in _read(primitive, op))


def _read(primitive: Primitive, op: Any) -> list[Any]:
    """Returns what the rule of an op reads."""
    inputs, outputs = list(op.inputs), list(op.outputs)
    if primitive.partials is not None and len(inputs) == 2 and None in op.sources:
        keeps = primitive.keeps_second if op.sources[0] is None else primitive.keeps_first
        return [item for item, keep in zip((*inputs, *outputs), keeps, strict=True) if keep]
    return [
        item
        for items, places in ((inputs, primitive.keep_inputs), (outputs, primitive.keep_outputs))
        for at, item in enumerate(items)
        if places is None or at in places
    ]


_LEAST, _MOST = 1e-18, 1e18


def _is_doubtful(item: Any, trace: Trace) -> bool:
    """Whether zeros times it, or divided by it, may be something else."""
    type: Type | Any = getattr(item, "type", None)
    if not isinstance(type, TensorType) or type.dtype.kind not in "fc":
        return False
    known = trace.constants.get(getattr(item, "value", None))  # type: ignore[arg-type]
    if known is None:
        return True
    size = np.abs(known)
    return not bool(np.all((size > _LEAST) & (size < _MOST)))
