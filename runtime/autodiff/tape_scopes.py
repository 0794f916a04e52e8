"""The places where tapes are used while a graph is traced. A tape is a Python object: what a staged
branch or loop does to one that was made around it would happen once, while tracing, whatever the
run does. It is refused; tapes that are made where they are used are as free as in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.autodiff.activity import differentiable
from runtime.graph.ir import Node
from runtime.graph.lists import GET
from runtime.staging.frames import user_frame
from runtime.staging.refusals import refuse
from runtime.staging.scopes import LOOP, Scope
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace, symbol

Way = tuple[tuple[Scope, int], ...]
"""The scopes around a use, innermost last, each with how many nodes the one around it had then."""


def checked(trace: Trace, home: Scope | None, tape: Any, what: str) -> Scope:
    """Returns the scope in which a tape is at home; StagingError for `what` a staged block does to
    one that was made around it.
    """
    here = trace.scope
    is_free = not tape.is_recording and (home is None or not home.trace.scope.open)
    if here is home or (is_free and here.outer is None):
        return here
    name = name_of(tape)
    where, way_out = _place(trace, home)
    statement = f"{name}.{what}" if what else f"`with {name}:`"
    raise refuse(
        f"{statement} stands in {where}, but the tape was made outside of it: what the tape "
        "records would not depend on the run",
        f"call it {way_out}, or make the tape where it is used: with tf.GradientTape() as tape:",
        name,
    )


def _place(trace: Trace, home: Scope | None) -> tuple[str, str]:
    if home is None or home.trace is not trace:
        return f"the traced function {trace.name}", "outside of the function"
    kind = "loop" if trace.scope.kind == LOOP else "branch"
    return f"a staged {kind}", f"before the {kind}"


def name_of(tape: Any) -> str:
    """The user's name for a tape."""
    frame = user_frame(2)
    while frame is not None:
        for name, item in frame.f_locals.items():
            if item is tape or getattr(item, "held", None) is tape:
                return name
            for attribute, held in getattr(item, "__dict__", {}).items():
                if held is tape:
                    return f"{name}.{attribute}"
        frame = frame.f_back
    return "the tape"


def way_to(trace: Trace, home: Scope | None, tape: Any) -> Way:
    """The scopes from where a tape was made inwards to where it is used. StagingError for a tape
    that was made in a staged block, behind the block.
    """
    if home is not None and home.trace is trace and not home.open:
        kind = "loop" if home.kind == LOOP else "branch"
        name = name_of(tape)
        raise refuse(
            f"{name}.gradient stands behind a staged {kind} that made the tape",
            f"ask the tape inside of the {kind}, or make it before the {kind}",
            name,
        )
    found = []
    scope: Scope | None = trace.scope
    while scope is not None and scope is not home and scope.outer is not None:
        found.append((scope, len(scope.outer.nodes)))
        scope = scope.outer
    return tuple(found[::-1])


def check_use(tape: Any, way: Way, uses: list[Way]) -> bool:
    """Whether a tape that gives one set of gradients was used before, on the way to here.

    Raises StagingError where only the run knows.
    """
    if any(scope.kind == LOOP for scope, _ in way):
        raise _refuse_use(tape, "stands in a staged loop, and the tape was made outside of it")
    here = {scope for scope, _ in way}
    if any({scope for scope, _ in use} <= here for use in uses):
        return True
    if not all(_exclude(way, use) for use in uses):
        raise _refuse_use(tape, "was called before, in a staged branch")
    return False


def _exclude(way: Way, other: Way) -> bool:
    """Whether two uses stand in the two branches of one statement."""
    for (first, count), (second, size) in zip(way, other, strict=False):
        if first is not second:
            return first.outer is second.outer and count == size
    return False


def _refuse_use(tape: Any, why: str) -> Exception:
    name = name_of(tape)
    return refuse(
        f"{name}.gradient {why}: only the run knows whether the tape was used up",
        f"make it persistent ({name} = tf.GradientTape(persistent=True)), or ask it once, outside "
        "of the statement",
        name,
    )


# Items of lists


def find_items(trace: Trace, tape: Any, targets: Sequence[Any], sources: Sequence[Any]) -> None:
    """Let a tape know targets that were read from lists of the graph which it knows: in Python they
    are the very tensors that were put there. StagingError for such a source.
    """
    for target in targets:
        if type(target) is SymbolicTensor and not tape.knows(target):
            _find(trace, tape, target)
    for source in sources:
        if type(source) is not SymbolicTensor or tape.knows(source):
            continue
        node = _maker(source)
        if node is not None and node.primitive is GET:
            raise refuse(
                "a source of the gradient is read from a list of the graph, and the tape knows "
                "only what was put there",
                "give the item a name before the tape watches it, and use that name",
            )


def _find(trace: Trace, tape: Any, item: Any) -> bool:
    """Whether a tape knows an item, or a list that it was read from: then it learns of the item."""
    if tape.knows(item):
        return True
    node = _maker(item)
    if node is None or node.primitive.is_op or node.regions:
        return False
    if node.primitive.gradient is None:
        return False
    inputs = [trace.refined.get(v) or symbol(v, item.scope, None) for v in node.inputs]
    if not any([_find(trace, tape, each) for each in inputs if differentiable(each.type)]):
        return False
    outputs = [item if v is item.graph_value else symbol(v, item.scope, None) for v in node.outputs]
    tape.record(node.primitive, inputs, outputs, dict(node.params))
    return True


def _maker(item: Any) -> Node | None:
    scope: Scope | None = item.scope
    while scope is not None:
        for node in reversed(scope.nodes):
            if item.graph_value in node.outputs:
                return node
        scope = scope.outer
    return None
