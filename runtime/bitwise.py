"""Bits of integers."""

# fmt: off
from runtime.ops.comparison import (
    bitwise_and as bitwise_and,
)
from runtime.ops.comparison import (
    bitwise_or as bitwise_or,
)
from runtime.ops.comparison import (
    bitwise_xor as bitwise_xor,
)
from runtime.ops.comparison import (
    invert as invert,
)
from runtime.ops.comparison import (
    left_shift as left_shift,
)
from runtime.ops.comparison import (
    right_shift as right_shift,
)
