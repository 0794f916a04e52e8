"""Which arrays may lie in memory otherwise than row by row.

    y = transpose(x)      # a view: column by column
    z = y + 1             # NumPy makes an array that lies as y does
    s = sum(z)            # rounds otherwise than a sum over rows

What an op computes for such arrays must not be written to a buffer, which lies row by row.
Variables are taken to hold rows: training needs buffers most, and transposed values are rare there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runtime.graph.executors.kernels import product_of, takes_out
from runtime.graph.ir import Node, Region, Value
from runtime.types import ListType, TensorType

_TURNING = frozenset(
    (
        "call", "einsum", "linspace",
        "nonzero", "resize_area_grad", "resize_bicubic_grad", "resize_bilinear_grad",
        "resize_nearest_grad", "scale_and_translate_grad", "svd", "transpose",
    )
)  # fmt: skip
"""Ops whose results may lie otherwise although their inputs lie row by row."""


def turns(name: str, params: Mapping[str, Any]) -> bool:
    """Does an op make arrays that lie otherwise of such that lie row by row?"""
    return name in _TURNING or (name == "gather" and params["batch_dims"] > 0)


def turned_values(body: Region, given: Iterable[Value]) -> set[Value]:
    """The values of a body that may lie otherwise than row by row if these values may."""
    found = {value for value in given if may_turn(value)}
    _region(body, found)
    return found


def may_turn(value: Value) -> bool:
    """May it be, or hold, an array of more than one dimension?"""
    type = value.type
    if not isinstance(type, TensorType):
        return isinstance(type, ListType)
    return type.shape is None or len(type.shape) > 1


def is_array(value: Value) -> bool:
    """Is it a tensor of more than one dimension?"""
    return isinstance(value.type, TensorType) and may_turn(value)


def lies_in_rows(array: Any) -> bool:
    """Is it an array that lies row by row, or a single number?"""
    return bool(getattr(array, "flags", _NUMBER).c_contiguous)


class _NUMBER:
    c_contiguous = True


def _region(region: Region, found: set[Value]) -> None:
    for node in region.nodes:
        if node.primitive.name == "while":
            _while(node, found)
        else:
            for inner in node.regions:
                _region(inner, found)
            found.update(filter(may_turn, _made(node, found)))


def _while(node: Node, found: set[Value]) -> None:
    (body,) = node.regions
    sources = node.inputs[1:]
    before = -1
    while before != len(found):
        found.update(_pairs(body.parameters, sources, found))
        before = len(found)
        _region(body, found)
        sources = body.results[1:]
        found.update(_pairs(body.parameters, sources, found))
    found.update(_pairs(node.outputs, body.parameters, found))


def _pairs(targets: Iterable[Value], sources: Iterable[Value], found: set[Value]) -> set[Value]:
    return {target for target, source in zip(targets, sources, strict=False) if source in found}


def _made(node: Node, found: set[Value]) -> Iterator[Value]:
    """The outputs of a node that may lie otherwise."""
    if node.primitive.name == "cond":
        for inner in node.regions:
            yield from _pairs(node.outputs, inner.results, found)
    elif node.primitive.name == "constant":
        yield from () if lies_in_rows(node.params["value"]) else node.outputs
    elif _turns(node, found):
        yield from node.outputs


def _turns(node: Node, found: set[Value]) -> bool:
    primitive = node.primitive
    if turns(primitive.name, node.params):
        return True
    if primitive.effect and primitive.name != "read_variable" and not takes_out(primitive.kernel):
        return True
    return product_of(node) is None and not found.isdisjoint(node.inputs)
