"""`vectorized_map`: a function of all rows of tensors at once, where its ops allow that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.ops as ops
from runtime import nest
from runtime.autodiff.vectorization.rows import AllRows
from runtime.autodiff.vectorization.rules import NotVectorized
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.shapes import TensorSpec
from runtime.core.state import state
from runtime.core.types import TensorType
from runtime.dtypes import int32
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.explicit_control_flow import checked_callable
from runtime.staging.functional import TensorRows, map_fn
from runtime.staging.scopes import active, called


def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """`fn` of each row of `elems` (a tensor, or a structure of tensors), stacked.

    What `fn` returns may be any structure of tensors. In a graph that knows how many rows there are
    all of them are computed at once, where each op of `fn` has a rule for that and `fn` changes no
    objects of Python's; otherwise one after the other, or ValueError is raised where
    `fallback_to_while_loop` is False. Eagerly they are computed one after the other, and ValueError
    is raised where there are none.

    >>> rt.vectorized_map(rt.reduce_sum, rt.constant([[1, 2], [3, 4]])).numpy().tolist()
    [3, 7]
    """
    rows = TensorRows(elems, "vectorized_map")
    checked_callable(fn, "vectorized_map(): fn")
    if state.trace is None:
        if not int(rows.size):
            raise wrong_value(
                "vectorized_map(): elems has no rows, and eagerly only a row tells what fn gives: "
                "call it in a function, or use map_fn with fn_output_signature"
            )
        each = [fn(rows.at(index)) for index in range(int(rows.size))]
        return nest.map_structure(lambda *parts: ops.stack(parts), *each)
    return _staged(fn, rows, fallback_to_while_loop)


def _staged(fn: Callable[[Any], Any], rows: TensorRows, in_turn: bool) -> Any:
    trace, recorder = active(), BlockRecorder(fn, (), ())
    with trace.nested("vectorized_map", trace.scope.next_site()) as scope, recorder:
        row = rows.at(trace.parameter(TensorType(int32, ()), "row"))
        begin = len(scope.nodes)
        found = called(fn)(row)
        leaves = [convert_to_tensor(leaf) for leaf in nest.flatten(found)]
        inputs, values = (list(map(trace.value_of, of)) for of in (nest.flatten(row), leaves))
        recorder.release(tuple(leaves))
        has_state = bool(recorder.changed())
        recorder.restore()
    nodes = trace.scope.nodes
    end = len(nodes)
    try:
        if has_state or not isinstance(rows.size, int):
            raise NotVectorized
        together = AllRows(rows.size, {})
        for value, tensor in zip(inputs, rows.tensors, strict=True):
            together.put(value, tensor, True)
        together.follow(scope.nodes[begin:])
        made = [together.whole(value) for value in values]
    except NotVectorized:
        del nodes[end:]
        if not in_turn:
            raise ValueError(
                "vectorized_map(): fn has an op that is not computed for all rows at once, or "
                "changes an object at each row"
            ) from None
        specs = [TensorSpec(leaf.shape, leaf.dtype) for leaf in leaves]
        return map_fn(fn, rows.like, fn_output_signature=_packed(found, specs))
    return _packed(found, made)


def _packed(like: Any, leaves: list[Any]) -> Any:
    return nest.pack_sequence_as(like, leaves) if nest.is_nested(like) else leaves[0]
