"""Bits of integers."""

# fmt: off
# ruff: noqa: I001
from runtime.core.lazy import facade as _facade
from runtime.ops.comparison import (
    bitwise_and as bitwise_and, bitwise_or as bitwise_or, bitwise_xor as bitwise_xor,
    invert as invert, left_shift as left_shift, right_shift as right_shift,
)

__dir__ = _facade(__name__)
