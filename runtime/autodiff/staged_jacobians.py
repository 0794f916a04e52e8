"""The rows of a jacobian in a graph: all at once where that is possible, else in a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import runtime.ops as ops
from runtime.autodiff.jacobians import Differentiate, Rows, dims_of, joined
from runtime.autodiff.vectorization.rows import vectorized
from runtime.core.shapes import is_known
from runtime.core.types import ListType, TensorType
from runtime.dtypes import int32
from runtime.graph import lists
from runtime.graph.ir import Value
from runtime.graph.nodes import WHILE, apply
from runtime.staging.scopes import Scope, active, unfailing

_vectorized = unfailing(vectorized)


def staged_rows(
    rows: Rows, sources: Sequence[Any], differentiate: Differentiate, at_once: bool
) -> list[Any]:
    """For each source the gradients of all rows, stacked; None where there are none."""
    trace = active()
    with trace.nested("a jacobian", trace.scope.next_site()) as scope:
        weight = unfailing(rows.staged_weight)(trace.parameter(TensorType(int32, ()), "row"))
        begin = len(scope.nodes)
        grads = differentiate(weight)
        values = [trace.value_of(grad) for grad in grads if grad is not None]
    made = None
    if at_once and isinstance(rows.count, int):
        made = _vectorized(scope.nodes[begin:], weight.graph_value, rows.weights, values)
    if made is None:
        lists = _loop(scope, rows.count, values)
        connected = [s for s, grad in zip(sources, grads, strict=True) if grad is not None]
        made = [_stacked(*of, rows.count) for of in zip(lists, values, connected, strict=True)]
    each = iter(made)
    return [None if grad is None else next(each) for grad in grads]


@unfailing
def _loop(scope: Scope, count: Any, values: Sequence[Value]) -> Sequence[Any]:
    """Lists of the gradients of all rows, computed one after the other by the nodes of a scope."""
    trace = scope.trace
    with trace.reopened(scope):
        row = trace.symbol(scope.parameters[0])
        held = [trace.parameter(ListType(value.type), "rows") for value in values]
        written = [
            apply(lists.SET, array, row, trace.symbol(value), dynamic=False)
            for array, value in zip(held, values, strict=True)
        ]
        following = row + 1
        results = [following < count, following, *written]
        region = scope.region([trace.value_of(result) for result in results])
    size = ops.convert_to_tensor(count, int32)
    begins = [apply(lists.NEW, size, element=value.type) for value in values]
    inputs = [trace.value_of(x) for x in (size > 0, ops.constant(0, int32), *begins)]
    outputs = [
        Value(parameter.type, trace.unique(parameter.name), at)
        for at, parameter in enumerate(region.parameters)
    ]
    return trace.append(WHILE, inputs, outputs, regions=[region])[1:]


@unfailing
def _stacked(array: Any, value: Value, source: Any, count: Any) -> Any:
    """The gradients of a list, each like `value`, as one tensor."""
    element = cast(TensorType, value.type)
    if is_known(element.shape):
        return apply(lists.STACK, array, element=element)
    like = ops.zeros(joined([count], dims_of(source)), element.dtype)
    return apply(lists.STACK_LIKE, array, like)
