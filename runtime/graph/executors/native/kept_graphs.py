"""The machine code of whole graphs, kept under the graphs themselves: a process that finds it needs
neither the lowering to IR nor LLVM, and imports neither.

What machine code depends on is in the description of its graph: ops, types, parameters, small
arrays. Names, and the places in the user's source, are not. A graph with anything else, and one
whose code has addresses of arrays or objects in it, is compiled: then the texts of its modules are
what is looked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core import lazy
from runtime.core.kept_files import sources
from runtime.core.primitive import TABLE, Primitive
from runtime.core.types import ListType, NumberType, TensorType
from runtime.dtypes import DType
from runtime.graph.executors.native import blas
from runtime.graph.executors.native.calling import CompiledUnit, function_of
from runtime.graph.executors.native.compilation_cache import SHELF, find, keep
from runtime.graph.executors.native.list_arrays import giving_lists
from runtime.graph.executors.program import Program
from runtime.graph.ir import Callee, Graph, Node, Region, Value
from runtime.graph.nodes import RAISE

MOST_DESCRIBED = 1 << 12
"""Bytes of an array that is described by its elements. Code has the address of larger ones."""


def runner_of(graph: Graph, program: Program, is_required: bool = False) -> Callable[..., Any]:
    """The function that runs a graph: the machine code that is kept, or what `executor.runner_of`
    makes.
    """
    made_of = _description(graph)
    kept = None if made_of is None else find(made_of)
    if kept is not None:
        types = [value.type for value in graph.results]
        return giving_lists(function_of(_read(kept), program.run), types)
    from runtime.graph.executors.native import executor

    def note(unit: CompiledUnit) -> None:
        if made_of is not None:
            keep(made_of, _written(unit))

    return executor.runner_of(graph, program, is_required, note)


def _written(unit: CompiledUnit) -> bytes:
    symbols, table = " ".join(unit.symbols), " ".join(map(str, unit.table))
    return f"{symbols}\n{table}\n".encode() + unit.object_file


def _read(kept: bytes) -> CompiledUnit:
    symbols, table, object_file = kept.split(b"\n", 2)
    words = table.decode().split()
    return CompiledUnit(object_file, symbols.decode().split(), list(map(_word, words)))


def _word(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text


class _Unknown(Exception):
    """There is something in the graph that is not described."""


def _description(graph: Graph) -> list[str] | None:
    """The texts that machine code of a graph is made of; None where it is not kept."""
    state = None if SHELF.directory() is None else _sources()
    if state is None:
        return None
    try:
        return ["graph", state, _products(), *_Describer().of(graph)]
    except _Unknown:
        return None


@cache
def _sources() -> str | None:
    """The state of what compiles graphs, and of all that it may import; None where it is not that
    of what runs here.
    """
    library = os.path.dirname(os.path.dirname(lazy.__file__))
    places = "core", "graph", "ops", "dtypes.py", "errors.py"
    return sources([os.path.join(library, place) for place in places], lazy.IMPORTED)


def _products() -> str:
    """The products that NumPy is built with, which is not told by its version."""
    found = [blas.product(dtype) for dtype in (dtypes.float32, dtypes.float64)]
    return " ".join([str(each and each.bits) for each in found])


@cache
def _is_own(op: Primitive) -> bool:
    """Whether an op is the library's: one of somebody else may be another one in each process."""
    kernel = op.kernel
    home = kernel.__module__ if isinstance(kernel, FunctionType) else __name__
    return TABLE.get(op.name) is op and _package(home) == _package(__name__)


def _package(module: str) -> str:
    return module.partition(".")[0]


class _Describer:
    """Describes graphs: values by numbers, in the order in which they are made."""

    def __init__(self) -> None:
        self._numbers: dict[Value, int] = {}
        self._graphs: dict[Graph, int] = {}
        self._left: list[Graph] = []

    def of(self, graph: Graph) -> Iterator[str]:
        """Yields the texts of a graph, and of those that it calls."""
        self._number_of(graph)
        while self._left:
            found = self._left.pop()
            for value, tensor in found.closure:
                yield f"{self._new([value])} = {_data(tensor.raw)}"
            yield from self._region(found.body)

    def _number_of(self, graph: Graph) -> int:
        if graph not in self._graphs:
            self._graphs[graph] = len(self._graphs)
            self._left.append(graph)
        return self._graphs[graph]

    def _region(self, region: Region) -> Iterator[str]:
        yield f"region {self._new(region.parameters)}"
        for node in region.nodes:
            yield self._node(node)
            for inner in node.regions:
                yield from self._region(inner)
            yield self._new(node.outputs)
        yield f"yield {self._used(region.results)}"

    def _node(self, node: Node) -> str:
        op = node.primitive
        if not _is_own(op):
            raise _Unknown
        # Machine code raises nothing: what an exception is like is in the Python program.
        params = {} if op is RAISE else node.params
        given = " ".join(f"{name}={self._param(item)}" for name, item in params.items())
        regions = len(node.regions)
        made = f"{op.name} {op.instruction} {self._used(node.inputs)}"
        return f"{made} {given} {regions} {node.device}"

    def _param(self, item: Any) -> str:
        if isinstance(item, Callee) and item.graph is not None:
            return f"graph {self._number_of(item.graph)}"
        return _data(item)

    def _new(self, values: Iterable[Value]) -> str:
        texts = []
        for value in values:
            number = self._numbers[value] = len(self._numbers)
            texts.append(f"%{number}: {_type(value.type)}")
        return " ".join(texts)

    def _used(self, values: Iterable[Value]) -> str:
        return " ".join(f"%{self._numbers[value]}" for value in values)


def _type(type: Any) -> str:
    if not isinstance(type, TensorType | NumberType | ListType):
        raise _Unknown
    return str(type)


def _data(item: Any) -> str:
    kind = type(item)
    if item is None or kind in (bool, int, str, bytes):
        return repr(item)
    if kind is float or kind is complex:
        return f"{kind.__name__} {np.asarray(item).tobytes().hex()}"
    if kind is np.ndarray or isinstance(item, np.generic):
        if item.nbytes > MOST_DESCRIBED or item.dtype.hasobject:
            raise _Unknown
        strides, data = item.strides, item.tobytes().hex()
        # `dtype.str` is the same of dtypes that packages add to NumPy's.
        return f"{kind.__name__} {item.dtype!r} {item.shape} {strides} {data}"
    if kind is tuple or kind is list:
        return f"{kind.__name__}({', '.join(map(_data, item))})"
    if isinstance(item, Mapping):
        return f"mapping{_data([*item.items()])}"
    if kind is DType:
        return f"dtype {item.name}"
    return _type(item)
