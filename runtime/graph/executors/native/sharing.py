"""Functions of a module that compute one part of a loop, for the threads of the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.values import Array, Scalar, int64

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

SHARED = 1 << 20
"""Cheap ops on elements that are worth being shared by threads."""

SIZE = 1 << 17
"""As many are a part, whatever the number of threads."""

MOST_KEPT = 1 << 15
"""Bytes that a part keeps on the stack of its thread, which may be a small one."""

HEAVY = 8
"""Cheap ops that a function like `exp` stands for."""

PART = ir.FunctionType(ir.VOID, [ir.POINTER, ir.INT64, ir.INT64])


class OutlinedPart:
    """A function of a context, and of the first element and the end of a part. What it reads of the
    function around it is handed over in the context.
    """

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        module = emitter.module
        self.function = ir.Function(module, PART, module.get_unique_name("part"))
        self.function.linkage = "internal"
        self.context, self.first, self.end = self.function.args
        self.builder = Builder(self.function.append_basic_block("start"))
        self._taken: dict[int, tuple[ir.Value, ir.Value]] = {}
        self._arrays: dict[int, Array] = {}

    def value(self, outer: ir.Value) -> ir.Value:
        """A value of the function around it."""
        if isinstance(outer, ir.Constant | ir.GlobalVariable):
            return outer
        if id(outer) not in self._taken:
            at = int64(len(self._taken))
            place = self.builder.gep(self.context, [at], source_etype=ir.INT64)
            self._taken[id(outer)] = outer, self.builder.load(place, typ=outer.type)
        return self._taken[id(outer)][1]

    def array(self, outer: Array) -> Array:
        """An array of that function; the same one each time."""
        if id(outer) not in self._arrays:
            dims = tuple(map(self.value, outer.dims))
            self._arrays[id(outer)] = Array(self.value(outer.pointer), dims, outer.dtype)
        return self._arrays[id(outer)]

    def scalar(self, outer: Scalar) -> Scalar:
        """A number of that function."""
        return Scalar(self.value(outer.value), outer.type)

    def run(self, total: ir.Value, size: int) -> None:
        """End the function, and have it called for all parts of this size."""
        self.builder.ret_void()
        builder = self.emitter.builder
        context = self.emitter.slot(ir.ArrayType(ir.INT64, max(len(self._taken), 1)))
        for at, (outer, _) in enumerate(self._taken.values()):
            builder.store(outer, builder.gep(context, [int64(at)], source_etype=ir.INT64))
        given = self.function, context, total, int64(size)
        self.emitter.call("pool.run", ir.VOID, *given)
