"""Tapes inside a graph: what they cannot see yet is refused, never taken for a constant.

A tape in a traced function records single ops. Staged control flow and calls are no records, nor is
how the state of a loop depends on the round before; a target that depends on what is watched
through one of them is found here, by following the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from runtime.autodiff.activity import Activity, differentiable, variables_in
from runtime.autodiff.derived import RULES
from runtime.autodiff.records import Operation, Record, Sums, no_gradient, of_outputs
from runtime.autodiff.reverse import Reverse
from runtime.autodiff.sent import Found, Sent, back_through, either
from runtime.core.primitive import structural
from runtime.core.state import state
from runtime.graph.ir import Node, reads, walk_called
from runtime.ops.indexed_slices import dense, summed
from runtime.staging.frames import variable_holding
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Handle, active, unfailing
from runtime.staging.tracing import symbol


def check(trace: Any, scope: Any, known: set[Any], targets: Iterable[Any]) -> None:
    """StagingError if a target depends on `known` through what a tape of `scope` did not see."""
    held = [*trace.captures.values(), *trace.refined.items()]
    connected = known | {value for value, item in held if item.node in known}
    unseen: set[Any] = set()
    cause: Node | None = None
    for level in _levels(trace.scope, scope):
        if level is not scope:
            unseen.update(filter(lambda p: differentiable(p.type), level.parameters))
        for node in level.nodes:
            hidden = _is_hidden(node)
            used: set[Any] = set(reads(node))
            if used & unseen or (hidden and (used & connected or _reads(node))):
                unseen.update(node.outputs)
                cause = node if hidden else cause
    if any(target.node in unseen for target in targets):
        raise _unseen(trace, scope, cause)


def check_sources(trace: Any, watched: Any, sources: Iterable[Any]) -> None:
    """StagingError for a source that the tape watched before its items were assigned."""
    for source in sources:
        _, former = trace.former.get(id(source), (None, ()))
        if any(node in watched for node in former):
            raise _rewritten(former[0].name)


def check_recorded(trace: Any, known: set[Any], items: Iterable[Any]) -> None:
    """StagingError for targets and sources that changed where the tape did not record."""
    for item in items:
        _, former = trace.former.get(id(item), (None, ()))
        if item.node not in known and any(node in known for node in former):
            raise unrecorded(item)


def unrecorded(item: Any) -> Exception:
    """The refusal of a tensor whose items were assigned when the tape did not record."""
    name = variable_holding(item) or "a tensor"
    return refuse(
        f"a gradient of {name!r}, or with respect to it, is asked for, whose items were assigned "
        "where the tape does not record: it does not know what they are now",
        "assign in the block of the tape, or to items of a copy, made with tf.identity(x)",
        name,
    )


def rewritten(source: Any) -> Exception:
    """The refusal of a source that the tape watched before its items were assigned."""
    return _rewritten(variable_holding(source) or "a tensor")


def _rewritten(name: str) -> Exception:
    return refuse(
        f"the gradient with respect to {name!r} is asked for, whose items were assigned "
        "since the tape began to watch it: with respect to which of both",
        "watch and name a copy: x0 = tf.identity(x), then tape.watch(x0), or watch x again "
        "behind the assignment, under another name",
        name,
    )


def _unseen(trace: Any, scope: Any, cause: Node | None) -> Exception:
    if scope is None or scope.trace is not trace:
        return refuse(
            f"a target is computed inside of {trace.name}, from its arguments: a tape opened "
            f"outside of {trace.name} does not know how",
            "ask the tape where it was opened, or open one inside of the function",
        )
    way_out = "with tf.GradientTape() as tape: y = function(x)"
    outside = f"open the tape outside of the function: {way_out}"
    if cause is None:
        return refuse(
            "the gradient depends on a value that a staged loop changes, and the tape was made "
            "outside of the loop: it does not know the rounds so far",
            "ask for what the loop does not change (for y in ys; ys[i]), make the tape in the "
            f"loop, or {outside}",
        )
    return refuse(
        f"the gradient depends on what `{cause.primitive.name}` computes in a staged block, which "
        "a tape opened in the same function does not record",
        outside,
        location=cause.location,
    )


def _is_hidden(node: Node) -> bool:
    """True for what is no op that tapes are shown. (A Python number made of a tensor
    is a constant.)
    """
    primitive = node.primitive
    if primitive.is_op or primitive.gradient is not None:
        return False
    if node.regions or "callee" in node.params:
        return False
    return any(differentiable(output.type) for output in node.outputs)


def _levels(scope: Any, last: Any) -> Iterator[Any]:
    """The scopes from `last` inwards to `scope`."""
    found = [scope]
    while found[-1] is not last and found[-1].outer is not None:
        found.append(found[-1].outer)
    return iter(found[::-1])


def _reads(node: Node) -> bool:
    """True if the node reads a trainable variable, itself or in what it contains or calls."""
    return any(map(_is_read, walk_called((node,))))


def _is_read(node: Node) -> bool:
    variable = node.params.get("variable")
    return variable is not None and bool(node.outputs) and variable.trainable


# Tapes in a graph


class _Recorded(Reverse):
    """Goes back over a node that tapes have recorded, in its place."""

    def __init__(self, activity: Activity, variables: dict[int, Any], handle: Handle) -> None:
        super().__init__(activity, variables, RULES)
        self.handle = handle

    def rewrite(self, node: Node, made: list[Node]) -> Sequence[Node]:
        """Put nodes in the place of the node; its new outputs are shown to the tapes."""
        nodes = self.handle.scope.nodes
        at = nodes.index(node)
        nodes[at : at + 1] = made
        fresh = made[-1].outputs[len(node.outputs) :]
        symbols = [symbol(value, self.handle.scope, None) for value in fresh]
        for tape in state.tapes:
            tape.control(self.handle, symbols)
        return made


def step(record: Record, sums: Sums, wanted: set[Any], found: dict[Any, Any]) -> None:
    """Go back over a record of an op in a graph. What worked on the way there does so on the way
    back: a `try` has to do with rules of the user's alone.
    """
    back = _step if "rule" in record[-1] else _surely
    back(record, sums, wanted, found)


def _step(record: Record, sums: Sums, wanted: set[Any], found: dict[Any, Any]) -> None:
    target, sources, primitive, inputs, outputs, params = record
    targets = target if type(target) is tuple else (target,)
    sent = [sums.sent.pop(key, None) for key in targets]
    given = of_outputs(targets, sums.grads, wanted, found)
    if given is None:
        return
    if primitive.gradient is None:
        raise no_gradient(primitive)
    op = Operation(inputs, outputs, params, sources)
    trace = active()
    back = (
        _of_control(op, list(map(dense, given)), sent)
        if primitive is CONTROL
        else back_through(trace, primitive, op, given, sent)
    )
    for key, (grad, flag) in zip(sources, back, strict=True):
        if key is None or grad is None:
            continue
        before = sums.grads.get(key)
        if before is not None:
            grad, flag = summed(before, grad), either(trace, sums.sent.pop(key, None), flag)
        sums.grads[key] = grad
        if flag is not None:
            sums.sent[key] = flag


_surely = unfailing(_step)


def _of_control(op: Any, given: Sequence[Any], sent: Sequence[Sent | None]) -> list[Found]:
    handle, sources = op.params["handle"], op.params["sources"]
    asked = [s for s, key in zip(sources, op.sources, strict=True) if key is not None]
    activity = op.params["activity"](asked)
    activity.follow((handle.node,))
    reverse = _Recorded(activity, variables_in((handle.node,)), handle)
    for output, grad, flag in zip(op.outputs, given, sent, strict=True):
        reverse.add(output.graph_value, grad, flag)
    reverse.step(handle.node)
    return [(reverse.grads.get(source), reverse.sent.get(source)) for source in sources]


def _gradient(op: Any, *given: Any) -> list[Any]:
    return [grad for grad, _ in _of_control(op, given, [None] * len(given))]


CONTROL = structural("control", lambda *_: (), lambda *_: (), gradient=_gradient)
