"""Comparisons, logic and bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.define import PAIRS, Op, binary, unary
from runtime.primitive import sample


def _none(a: Any, b: Any, y: Any, g: Any) -> tuple[None, None]:
    return None, None


_TRUTHS = (sample("2,3:b", "3:b"), sample(":b", "2:b"))
_BITS = (sample("2,3:i9", "3:i9"),)

equal: Op = binary(
    "equal",
    np.equal,
    "A,A->bool",
    gradient=_none,
    reads="",
    samples=PAIRS,
    doc="x == y, elementwise.",
)
not_equal: Op = binary(
    "not_equal", np.not_equal, "A,A->bool", op_type="NotEqual", gradient=_none, reads="",
    doc="x != y, elementwise.",
)  # fmt: skip
less: Op = binary("less", np.less, "R,R->bool", gradient=_none, reads="", doc="x < y, elementwise.")
less_equal: Op = binary(
    "less_equal", np.less_equal, "R,R->bool", op_type="LessEqual", gradient=_none, reads="",
    doc="x <= y, elementwise.",
)  # fmt: skip
greater: Op = binary(
    "greater", np.greater, "R,R->bool", gradient=_none, reads="", doc="x > y, elementwise."
)
greater_equal: Op = binary(
    "greater_equal", np.greater_equal, "R,R->bool", op_type="GreaterEqual", gradient=_none,
    reads="", doc="x >= y, elementwise.",
)  # fmt: skip
logical_and: Op = binary(
    "logical_and", np.logical_and, "B,B->bool", op_type="LogicalAnd", reads="", samples=_TRUTHS,
    doc="x and y, elementwise on truth values.",
)  # fmt: skip
logical_or: Op = binary(
    "logical_or", np.logical_or, "B,B->bool", op_type="LogicalOr", reads="", samples=_TRUTHS,
    doc="x or y, elementwise on truth values.",
)  # fmt: skip
logical_xor: Op = binary(
    "logical_xor", np.logical_xor, "B,B->bool", op_type="LogicalXor", reads="", samples=_TRUTHS,
    doc="Exactly one of x and y, elementwise on truth values.",
)  # fmt: skip
logical_not: Op = unary(
    "logical_not", np.logical_not, "B->bool", op_type="LogicalNot", reads="",
    doc="not x, elementwise on truth values.", samples=(sample("2,3:b"), sample(":b")),
)  # fmt: skip
bitwise_and: Op = binary(
    "bitwise_and", np.bitwise_and, "I,I->I", op_type="BitwiseAnd", reads="", samples=_BITS,
    doc="The bits set in both.",
)  # fmt: skip
bitwise_or: Op = binary(
    "bitwise_or", np.bitwise_or, "I,I->I", op_type="BitwiseOr", reads="", samples=_BITS,
    doc="The bits set in either.",
)  # fmt: skip
bitwise_xor: Op = binary(
    "bitwise_xor", np.bitwise_xor, "I,I->I", op_type="BitwiseXor", reads="", samples=_BITS,
    doc="The bits set in exactly one.",
)  # fmt: skip
invert: Op = unary(
    "invert", np.invert, "I->I", op_type="Invert", reads="", samples=(sample("2,3:i9"),),
    doc="All bits flipped.",
)  # fmt: skip


def _bounded_shift(ufunc: Any) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        kind = y.dtype.type
        return ufunc(x, np.clip(y, kind(0), kind(8 * x.dtype.itemsize - 1)))

    return kernel


left_shift: Op = binary(
    "left_shift", _bounded_shift(np.left_shift), "I,I->I", op_type="LeftShift", reads="",
    doc="x << y, where y is taken to be at least 0 and less than the number of bits.",
    samples=_BITS,
)  # fmt: skip
right_shift: Op = binary(
    "right_shift", _bounded_shift(np.right_shift), "I,I->I", op_type="RightShift", reads="",
    doc="x >> y, where y is taken to be at least 0 and less than the number of bits.",
    samples=_BITS,
)  # fmt: skip
