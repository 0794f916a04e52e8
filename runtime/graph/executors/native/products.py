"""Products of matrices: small ones by blocks in registers, others by NumPy's BLAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from runtime import dtypes
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native.blas import PLAIN, ROW_MAJOR, TRANSPOSED, product
from runtime.graph.executors.native.loops import (
    Loop,
    counted,
    lanes_for,
    load,
    place,
    plus,
    size_of,
    splat,
    store,
    times,
)
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.scalars import intrinsic
from runtime.graph.executors.native.values import (
    INT32,
    POINTER,
    Array,
    Held,
    int64,
    register,
    static,
)

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

MATMUL = "matmul"

MOST_BYTES = 1 << 16
"""Bytes of a second factor that is read row by row, as it is, for each block of rows."""

MOST_WORK = 1 << 21
"""Multiplications that are worth no call of the BLAS."""

ROWS = 4
"""Rows of a block: with two vectors each they take half of the registers."""


def _takes(kernel: Kernel) -> bool:
    first, second = (value.type for value in kernel.node.inputs)
    if not isinstance(first, TensorType) or not isinstance(second, TensorType):
        return False
    if first.shape is None or second.shape is None:
        return False
    if first.dtype not in (dtypes.float32, dtypes.float64):
        return False
    a, b = list(first.shape), list(second.shape)
    params = kernel.node.params
    batched = a[:-2] == b[:-2] and None not in a[:-2]
    flat = len(b) == 2 and not params["transpose_a"]
    if not (batched or flat):
        return False
    return product(first.dtype) is not None or _is_small(a, b, params)


def _is_small(a: Sequence[int | None], b: Sequence[int | None], params: Mapping[str, Any]) -> bool:
    if params["transpose_a"] or params["transpose_b"] or None in a or None in b:
        return False
    rows, inner, columns = a[-2], b[-2], b[-1]
    assert rows is not None
    assert inner is not None
    assert columns is not None
    return (
        4 * inner * columns <= MOST_BYTES
        and rows * inner * columns <= MOST_WORK
        and min(rows, inner, columns) > 0
    )


def _lower(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    a, b = operands
    assert isinstance(a, Array)
    assert isinstance(b, Array)
    builder, params = emitter.builder, kernel.node.params
    turn_a, turn_b = params["transpose_a"], params["transpose_b"]
    (target,) = kernel.targets
    rows, inner = a.dims[-2:]
    if turn_a:
        rows, inner = inner, rows
    height, columns = b.dims[-2:]
    if turn_b:
        height, columns = columns, height
    if static(inner) is None or static(height) is None:
        emitter.step_aside(builder.icmp_signed("!=", inner, height))
    if static(inner) is None:
        inner = height
    made = emitter.allocate(a.dtype, [*a.dims[:-2], rows, columns], target)
    batch = size_of(builder, a.dims[:-2])
    if len(b.dims) == 2 and not turn_a:
        rows, batch = times(builder, batch, rows), int64(1)
    with counted(builder, batch) as at:
        factors = [
            place(
                builder,
                array.pointer,
                times(builder, at, size_of(builder, array.dims[-2:])),
                a.dtype,
            )
            for array in (a, b)
        ]
        size = times(builder, rows, columns)
        to = place(builder, made.pointer, times(builder, at, size), a.dtype)
        dims = rows, inner, columns
        small = [static(dim) for dim in dims]
        if not (turn_a or turn_b) and _is_small(small[:2], small[1:], params):
            multiply(emitter, a.dtype, to, factors, dims)
        else:
            call(emitter, a.dtype, to, factors, dims, (turn_a, turn_b))
    return [made]


def call(
    emitter: Emitter,
    dtype: DType,
    target: ir.Value,
    factors: Sequence[ir.Value],
    dims: Sequence[ir.Value],
    turned: Sequence[bool],
) -> None:
    """The product of two matrices by the BLAS: of `dims`, rows, inner ones and columns."""
    found = product(dtype)
    assert found is not None
    builder, kind, number = emitter.builder, found.integer, register(dtype)

    def whole(value: ir.Value) -> ir.Value:
        return value if value.type == kind else builder.trunc(value, kind)

    rows, inner, columns = dims
    one = int64(1)

    def leading(dim: ir.Value) -> ir.Value:
        # Of a matrix without columns the interface takes no 0.
        if static(dim) is not None:
            return whole(int64(max(static(dim) or 0, 1)))
        return whole(builder.select(builder.icmp_signed("<", dim, one), one, dim))

    flags = [ir.Constant(INT32, TRANSPOSED if turn else PLAIN) for turn in turned]
    words = [ir.Constant(INT32, ROW_MAJOR), *flags]
    arguments = [
        *words,
        *map(whole, (rows, columns, inner)),
        ir.Constant(number, 1.0),
        factors[0],
        leading(rows if turned[0] else inner),
        factors[1],
        leading(inner if turned[1] else columns),
        ir.Constant(number, 0.0),
        target,
        leading(columns),
    ]
    sizes, matrix = [kind, kind, kind], [POINTER, kind]
    kinds = [INT32, INT32, INT32, *sizes, number, *matrix, *matrix, number, *matrix]
    type = ir.FunctionType(ir.VoidType(), kinds)
    emitter.symbols.call(builder, f"blas.product.{dtype.name}", type, arguments)


def multiply(
    emitter: Emitter,
    dtype: DType,
    target: ir.Value,
    factors: Sequence[ir.Value],
    dims: Sequence[ir.Value],
) -> None:
    """The product of two small matrices, by blocks of rows and of vectors of columns. The last
    block begins before the others end, where they do not fit.
    """
    builder = emitter.builder
    rows, _, columns = (static(dim) or 0 for dim in dims)
    lanes, width = lanes_for(dtype.size, 1), 2
    while lanes > columns:
        lanes //= 2
    if lanes * width > columns:
        width = 1
    height = min(ROWS, rows)
    span = lanes * width
    across = Loop(builder, int64(columns), span, [])
    column = _within(builder, across.index, columns, span)
    down = Loop(builder, int64(rows), height, [])
    row = _within(builder, down.index, rows, height)
    block = Block(builder, dtype, factors, dims, lanes)
    found = block.run(row, column, height, width)
    for at, value in enumerate(found):
        line, part = divmod(at, width)
        offset = times(builder, plus(builder, row, int64(line)), dims[2])
        offset = plus(builder, plus(builder, offset, column), int64(part * lanes))
        store(builder, value, place(builder, target, offset, dtype), dtype)
    down.close([])
    across.close([])


def _within(builder: ir.IRBuilder, index: ir.Value, count: int, step: int) -> ir.Value:
    """The start of a block that ends within the count."""
    if count % step == 0:
        return index
    last = int64(count - step)
    return builder.select(builder.icmp_signed("<", index, last), index, last)


class Block:
    """A block of a product, whose sums are all in registers."""

    def __init__(
        self,
        builder: ir.IRBuilder,
        dtype: DType,
        factors: Sequence[ir.Value],
        dims: Sequence[ir.Value],
        lanes: int,
    ) -> None:
        self.builder, self.dtype, self.lanes = builder, dtype, lanes
        self.first, self.second = factors
        _, self.inner, self.columns = dims

    def run(self, row: ir.Value, column: ir.Value, height: int, width: int) -> Sequence[ir.Value]:
        """The vectors of the block, row by row."""
        builder, dtype, lanes = self.builder, self.dtype, self.lanes
        empty = ir.Constant(ir.VectorType(register(dtype), lanes), [0.0] * lanes)
        lines = [
            place(
                builder,
                self.first,
                times(builder, plus(builder, row, int64(at)), self.inner),
                dtype,
            )
            for at in range(height)
        ]
        start = place(builder, self.second, column, dtype)
        loop = Loop(builder, self.inner, 1, [empty] * (height * width))
        below = place(builder, start, times(builder, loop.index, self.columns), dtype)
        vectors = [
            load(builder, place(builder, below, int64(part * lanes), dtype), dtype, lanes)
            for part in range(width)
        ]
        sums = []
        for at, line in enumerate(lines):
            factor = load(builder, place(builder, line, loop.index, dtype), dtype)
            many = splat(builder, factor, lanes)
            for part, vector in enumerate(vectors):
                total = loop.values[at * width + part]
                sums.append(intrinsic(builder, "fma", many, vector, total))
        return loop.close(sums)


ON_ARRAYS[MATMUL] = OnArrays(_takes, _lower)


__all__ = ["MATMUL", "Array"]
