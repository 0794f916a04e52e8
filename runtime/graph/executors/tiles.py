"""Tiled elementwise loops: ops on large arrays are computed tile by tile, so that what passes
between them stays in the cache, and only results are arrays of full size.

    add = empty((1000000,), float32)
    buffer = empty((32768,), float32)
    for start in range(0, 1000000, 32768):
        ...
        k_mul(x_part, x_part, buffer_part)
        k_add(buffer_part, c, add_part)
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from math import prod

import numpy as np

from runtime.core.dataclasses import dataclass
from runtime.core.types import TensorType
from runtime.graph.executors.layouts import Layouts
from runtime.graph.ir import Node, Region, Value, reads, walk
from runtime.graph.passes.rewriting import is_constant

LEAST_BYTES = 1 << 20
"""The size of a result from which on ops are computed in tiles."""
LEAST_OPS = 3
TILE_BYTES = 1 << 17


TiledLoops = dict[Region, list["TiledLoop"]]


@dataclass(frozen=True, slots=True, eq=False)
class TiledLoop:
    """Elementwise nodes on arrays of one shape, with constants between them; `results` are the
    values that something after them reads, in the order in which they are computed.
    """

    nodes: tuple[Node, ...]
    results: tuple[Value, ...]

    @property
    def ops(self) -> tuple[Node, ...]:
        """The nodes without the constants."""
        return tuple([node for node in self.nodes if not is_constant(node)])

    @property
    def arguments(self) -> tuple[Value, ...]:
        """The arrays that come from before the loop."""
        made = {value for node in self.ops for value in node.outputs}
        read = dict.fromkeys(value for node in self.ops for value in node.inputs)
        return tuple([value for value in read if value not in made and value.type.shape])  # type: ignore[union-attr]

    @property
    def type(self) -> TensorType:
        """The type of all their results."""
        type = self.ops[0].outputs[0].type
        assert isinstance(type, TensorType)
        return type

    @property
    def size(self) -> int:
        """The number of elements of their results."""
        return _size(self.type)

    @property
    def step(self) -> int:
        """The number of elements that are computed at a time."""
        return TILE_BYTES // self.type.dtype.size


def tiled_loops(body: Region, layouts: Layouts, native: Container[Node]) -> TiledLoops:
    """The loops that are worth it, by the regions that have some; `native` nodes are in none."""
    inner = [region for node in walk(body) for region in node.regions]
    found = {
        region: [loop for loop in _loops(region, layouts) if not any(n in native for n in loop.ops)]
        for region in (body, *inner)
    }
    return {region: loops for region, loops in found.items() if loops}


def _loops(region: Region, layouts: Layouts) -> list[TiledLoop]:
    last: dict[Value, int] = {}
    found: list[TiledLoop] = []
    loop: list[Node] = []
    for at, node in enumerate((*region.nodes, None)):
        if node is not None and loop and (is_constant(node) or _continues(loop, node, layouts)):
            loop.append(node)
            continue
        if sum(not is_constant(member) for member in loop) >= LEAST_OPS:
            last = last or last_uses(region)
            found.append(_loop(loop, at, last))
        loop = [node] if node is not None and _is_large(node, layouts) else []
    return found


def _loop(nodes: Sequence[Node], end: int, last: Mapping[Value, int]) -> TiledLoop:
    made = [value for node in nodes if not is_constant(node) for value in node.outputs]
    return TiledLoop(tuple(nodes), tuple([value for value in made if last.get(value, -1) >= end]))


def last_uses(region: Region) -> dict[Value, int]:
    """The place of the last node of a region that reads a value; the results are read behind it."""
    last = {value: at for at, node in enumerate(region.nodes) for value in reads(node)}
    return last | dict.fromkeys(region.results, len(region.nodes))


def _is_large(node: Node, layouts: Layouts) -> bool:
    """True for a large elementwise op on arrays of the shape of its result, and scalars."""
    if node.primitive.fallible or node.params or not isinstance(node.primitive.kernel, np.ufunc):
        return False
    type = node.outputs[0].type
    if not isinstance(type, TensorType) or not type.shape or None in type.shape:
        return False
    if type.dtype.np_dtype.kind not in "biufc" or _size(type) * type.dtype.size < LEAST_BYTES:
        return False
    if node.outputs[0] in layouts or not layouts.strided.isdisjoint(node.inputs):
        return False
    return all(getattr(value.type, "shape", None) in ((), type.shape) for value in node.inputs)


def _continues(loop: Sequence[Node], node: Node, layouts: Layouts) -> bool:
    return _is_large(node, layouts) and node.outputs[0].type == loop[0].outputs[0].type


def _size(type: TensorType) -> int:
    return prod([dim or 0 for dim in type.shape or ()])


def places_of(loop: TiledLoop) -> dict[Value, int]:
    """The number of the buffer, of the size of a tile, of each value that is no result."""
    last = {value: at for at, node in enumerate(loop.ops) for value in node.inputs}
    free: list[int] = []
    places: dict[Value, int] = {}
    count = 0
    for at, node in enumerate(loop.ops):
        dying = [value for value in dict.fromkeys(node.inputs) if last[value] == at]
        free += [places[value] for value in dying if value in places]
        (output,) = node.outputs
        if output in loop.results:
            continue
        if not free:
            free.append(count)
            count += 1
        places[output] = free.pop()
        if output not in last:
            free.append(places[output])
    return places
