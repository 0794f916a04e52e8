"""Compute once what is computed twice from the same values.

Before:
    mul: float32[] = mul(x, y)
    mul_1: float32[] = mul(x, y)
    add: float32[] = add(mul, mul_1)
After:
    mul: float32[] = mul(x, y)
    add: float32[] = add(mul, mul)

The first one always runs before the second: it stands in the same region or in one around it. So
an op that may fail is no exception: if the first does not fail, nor does the second.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable
from typing import Any

import numpy as np

from runtime.graph.ir import Graph, Node, Region
from runtime.graph.nodes import UNDEFINED
from runtime.graph.passes.rewriting import Rewriter
from runtime.types import ListType


def eliminate_common_subexpressions(graph: Graph) -> Graph:
    """The graph in which no op computes what another one before it has computed."""
    return _Subexpressions().graph(graph)


class _Subexpressions(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.known: ChainMap[Hashable, Node] = ChainMap()

    def region(self, region: Region) -> Region:
        self.known = self.known.new_child()
        made = super().region(region)
        self.known = self.known.parents
        return made

    def node(self, node: Node) -> None:
        key = _key(node)
        known = None if key is None else self.known.get(key)
        if known is not None:
            self.replace(node, *known.outputs)
            return
        if key is not None:
            self.known[key] = node
        super().node(node)


def _key(node: Node) -> Hashable | None:
    """What the result depends on; None where that cannot be told."""
    if node.primitive.effect or node.regions or "callee" in node.params:
        return None
    if node.primitive is UNDEFINED or isinstance(node.outputs[0].type, ListType):
        return None
    try:
        params = tuple([(name, _frozen(item)) for name, item in node.params.items()])
        hash(params)
    except TypeError:
        return None
    return node.primitive, node.inputs, params


def _frozen(item: Any) -> Hashable:
    """A key that only equals the key of the very same parameter: 1, True and 1.0 differ."""
    if isinstance(item, tuple):
        return tuple(map(_frozen, item))
    if isinstance(item, np.generic | np.ndarray):
        if item.ndim or item.dtype.hasobject:
            raise TypeError("arrays are not compared")
        return item.dtype.str, item.tobytes()
    if isinstance(item, bool | int | float | complex):
        return type(item), repr(item)
    return type(item), item
