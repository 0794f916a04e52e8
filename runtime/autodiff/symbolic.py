"""`gradients` and `hessians`: of values of a graph that is being traced, without a tape.

A tape is shown the nodes that are there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runtime.ops as ops
from runtime.autodiff.activity import passes_on
from runtime.autodiff.requests import UnconnectedGradients
from runtime.autodiff.tape import GradientTape
from runtime.core.primitive import wrong_value
from runtime.core.state import state
from runtime.staging.scopes import Handle, active
from runtime.staging.tracing import symbol


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _shown(sources: Sequence[Any], stopped: Sequence[Any] = ()) -> GradientTape:
    """A tape that has recorded the nodes of the graph so far."""
    trace, tape = active(), GradientTape(persistent=True)
    ends = {getattr(item, "node", None) for item in stopped}
    levels = [trace.scope]
    while levels[-1].outer is not None:
        levels.append(levels[-1].outer)
    with tape:
        tape.watch(list(sources))
    for scope in reversed(levels):
        for node in list(scope.nodes):
            outputs = [symbol(value, scope, None) for value in node.outputs]
            if any(output.node in ends for output in outputs if hasattr(output, "node")):
                continue
            if node.regions or "callee" in node.params:
                tape.control(Handle(node, scope), outputs)
            elif node.primitive.is_op or passes_on(node):
                inputs = [symbol(value, scope, None) for value in node.inputs]
                tape.record(node.primitive, inputs, outputs, dict(node.params))
    return tape


def _check_staged(name: str) -> None:
    if state.trace is None:
        raise RuntimeError(f"{name}() works inside of a function only; eagerly use GradientTape")


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, name: str | None = "gradients",
    gate_gradients: bool = False, aggregation_method: Any = None, stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:  # fmt: skip
    """The gradients of the sum of `ys` with respect to each of `xs`, inside of a function.

    Args:
        ys, xs: a tensor, or a list of tensors (`xs`: variables too).
        grad_ys: a weight for each of `ys`, of its shape; None for ones.
        stop_gradients: tensors that count as constants.

    Returns a list like `xs`, None where the target does not depend on one (zeros, if
    `unconnected_gradients` says so). Raises RuntimeError outside of functions.

    >>> @rt.function
    ... def slope(x):
    ...     return rt.gradients(x * x, x)[0]
    >>> float(slope(rt.constant(3.0)))
    6.0
    """
    _check_staged("gradients")
    targets, sources = _listed(ys), _listed(xs)
    tape = _shown(sources, [] if stop_gradients is None else _listed(stop_gradients))
    weights = None if grad_ys is None else _listed(grad_ys)
    found: list[Any] = tape.gradient(targets, sources, weights, unconnected_gradients)
    return found


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None,
    name: str | None = "hessians",
) -> list[Any]:  # fmt: skip
    """The second derivatives of the sum of `ys` with respect to each of `xs`, inside of a function.

    Returns for each of `xs` a tensor with its shape twice. Raises RuntimeError outside of functions
    and ValueError where `ys` do not depend on one.

    >>> @rt.function
    ... def curvature(x):
    ...     return rt.hessians(rt.reduce_sum(x * x * x), x)[0]
    >>> curvature(rt.constant([1.0, 2.0])).numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    _check_staged("hessians")
    made = []
    for x in _listed(xs):
        found = gradients(ys, x)[0]
        if found is None:
            raise wrong_value("hessians(): ys do not depend on one of xs")
        slope = ops.convert_to_tensor(found)
        rows = _shown([x]).jacobian(slope, x)
        made.append(ops.zeros([*slope.shape, *x.shape], x.dtype) if rows is None else rows)
    return made
