"""The buffer plan: which dead array an elementwise op may write its result over.

Only arrays that a ufunc or a matrix product of the same region made are ever written over, and only
those that nothing can see any more: not arguments, constants, results, variables of control flow,
nor what an op that may return a view, or keep its input, has read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.graph.executors.blocks import runs_of
from runtime.graph.ir import Node, Region, Value, free_values
from runtime.shapes import is_known
from runtime.types import TensorType

Plan = dict[Node, Value]

# Ops, besides ufuncs, that neither keep their inputs nor return views of them.
_READERS = frozenset(("matmul", "sum", "unslice"))


def plan(region: Region) -> Plan:
    """For elementwise nodes of a region, and of regions inside it, the value whose array the
    result is written to.
    """
    made: Plan = {}
    _plan_region(region, made)
    return made


def ufunc_of(node: Node) -> np.ufunc | None:
    """The ufunc that computes the node; it takes the array of the result behind its operands."""
    kernel = node.primitive.kernel
    return kernel if isinstance(kernel, np.ufunc) and not node.params else None


def product_of(node: Node) -> Any:
    """`np.dot`, where a matrix product is nothing more than that; else None."""
    if node.primitive.name != "matmul" or any(node.params.values()):
        return None
    return np.dot if all(map(_is_matrix, node.inputs)) else None


def _is_matrix(value: Value) -> bool:
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return shape is not None and len(shape) == 2 and is_known(shape)


def _plan_region(region: Region, made: Plan) -> None:
    last = _last_uses(region)
    kept = _kept(region)
    blocked = {node: run for run in runs_of(region) for node in run.ops}
    free: list[Value] = []
    own: set[Value] = set()
    for at, node in enumerate(region.nodes):
        for inner in node.regions:
            _plan_region(inner, made)
        if node in blocked:
            # Only the results of the run are arrays.
            own.update(set(blocked[node].results).intersection(node.outputs))
            continue
        dying = {v for v in node.inputs if v in own and v not in kept and last[v] == at}
        if product_of(node) is not None:
            own.update(node.outputs)
        elif ufunc_of(node) is not None and _is_array(node.outputs[0]):
            (output,) = node.outputs
            own.add(output)
            taken = next((v for v in (*dying, *free) if v.type == output.type), None)
            if taken is not None:
                made[node] = taken
                dying.discard(taken)
                free = [value for value in free if value is not taken]
        free += dying


def _is_array(value: Value) -> bool:
    type = value.type
    if not isinstance(type, TensorType) or not type.shape or None in type.shape:
        return False
    return type.dtype.np_dtype.kind in "biufc"


def _last_uses(region: Region) -> dict[Value, int]:
    return {value: at for at, node in enumerate(region.nodes) for value in _uses(node)}


def _uses(node: Node) -> Iterator[Value]:
    yield from node.inputs
    for inner in node.regions:
        yield from free_values(inner)


def _kept(region: Region) -> set[Value]:
    """The values that something may still see after the last op that names them."""
    found = set(region.results)
    for node in region.nodes:
        if node.regions or (ufunc_of(node) is None and node.primitive.name not in _READERS):
            found.update(_uses(node))
    return found
