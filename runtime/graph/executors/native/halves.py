"""float16 and bfloat16: in memory their bits, in registers the float32 of the same value, which is
rounded to the half after each op. Numbers and vectors of them alike.
"""

from __future__ import annotations

from runtime.dtypes import DType
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.values import is_half

HALF = ir.HalfType()
_SHIFT, _QUIET = 16, 0x40
"""The bits of a float32 that a bfloat16 lacks, and the one that keeps a nan one."""


def like(value: ir.Value, type: ir.Type) -> ir.Type:
    """The type, or vectors of it where the value is a vector."""
    known = value.type
    return ir.VectorType(type, known.count) if isinstance(known, ir.VectorType) else type


def widened(builder: ir.IRBuilder, bits: ir.Value, dtype: DType) -> ir.Value:
    """The float32 that bits of a half stand for."""
    type = like(bits, ir.FLOAT32)
    if dtype.name == "float16":
        return builder.fpext(builder.bitcast(bits, like(bits, HALF)), type)
    wide = builder.zext(bits, like(bits, ir.INT32))
    return builder.bitcast(builder.shl(wide, ir.Constant(wide.type, _SHIFT)), type)


def narrowed(builder: ir.IRBuilder, value: ir.Value, dtype: DType) -> ir.Value:
    """The bits of the half that is nearest to a float32; of two, the one that ends in 0."""
    if dtype.name == "float16":
        return builder.bitcast(builder.fptrunc(value, like(value, HALF)), like(value, ir.INT16))
    bits = builder.bitcast(value, like(value, ir.INT32))
    upper = builder.lshr(bits, ir.Constant(bits.type, _SHIFT))
    is_odd = builder.and_(upper, ir.Constant(bits.type, 1))
    moved = builder.add(builder.add(bits, ir.Constant(bits.type, (1 << (_SHIFT - 1)) - 1)), is_odd)
    near = builder.lshr(moved, ir.Constant(bits.type, _SHIFT))
    is_nan = builder.fcmp_unordered("uno", value, value)
    near = builder.select(is_nan, builder.or_(upper, ir.Constant(bits.type, _QUIET)), near)
    return builder.trunc(near, like(value, ir.INT16))


def rounded(builder: ir.IRBuilder, value: ir.Value, dtype: DType) -> ir.Value:
    """A number in a register as one of a dtype: of a half, rounded to it."""
    if not is_half(dtype):
        return value
    return widened(builder, narrowed(builder, value, dtype), dtype)


def from_double(builder: ir.IRBuilder, value: ir.Value, dtype: DType) -> ir.Value:
    """The half that is nearest to a float64. Of float16, a float32 in between is rounded to odd,
    so that nothing is rounded twice; a bfloat16 is that of the nearest float32, for NumPy's, and
    TensorFlow's, is.
    """
    single = builder.fptrunc(value, like(value, ir.FLOAT32))
    if dtype.name == "float16":
        back = builder.fpext(single, like(value, ir.FLOAT64))
        bits = builder.bitcast(single, like(value, ir.INT32))
        one = ir.Constant(bits.type, 1)
        is_inexact = builder.fcmp_ordered("!=", back, value)
        is_larger = builder.fcmp_ordered(">", back, value)
        is_negative = builder.fcmp_ordered("<", value, ir.Constant(value.type, 0.0))
        is_away = builder.and_(is_inexact, builder.xor(is_larger, is_negative))
        bits = builder.select(is_away, builder.sub(bits, one), bits)
        bits = builder.select(is_inexact, builder.or_(bits, one), bits)
        single = builder.bitcast(bits, single.type)
    return rounded(builder, single, dtype)
