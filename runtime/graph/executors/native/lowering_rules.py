"""The instruction set: what ops on numbers, and kernels on arrays, are written in.

An op names its instruction (`Primitive.instruction`). The tables here are keyed by these names, and
filled by the modules that define them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from runtime.graph.executors import lowered
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.values import Held
from runtime.graph.ir import Node

Emit = Callable[..., ir.Value]
"""Computes one element, or a vector of them, from the builder, the dtype and operands, each of them
a parameter: they are of the register type of the dtype, or vectors of it. Comparisons, and what
else tests, give `i1`, or vectors of that.
"""


class Elementwise(NamedTuple):
    """An instruction on elements: of these dtypes, by NumPy's letters ("b" bool, "i", "u", "f").

    `refuses` tells of integers, in one bit for each element, where there is no result: before it is
    computed, code steps aside there. Parameters of the op that are in `numbers` are operands behind
    the others; `takes` tells whether the operands of a node are of shapes that it is for.
    """

    kinds: str
    emit: Emit
    refuses: Emit | None = None
    numbers: tuple[str, ...] = ()
    takes: Callable[[Node], bool] | None = None


ELEMENTWISE: dict[str, Elementwise] = {}
"""Instructions on elements of one dtype, for scalars and for vectors alike."""

BY_NUMBER = " by a number"
"""The end of the name of an instruction that is another one where its last operand is a number."""


def elementwise(node: Node) -> Elementwise | None:
    """The instruction on elements that computes a node; None where there is none."""
    instruction = node.primitive.instruction
    found = ELEMENTWISE.get(instruction)
    if node.inputs and getattr(node.inputs[-1].type, "shape", None) == ():
        found = ELEMENTWISE.get(instruction + BY_NUMBER, found)
    return None if found is None or (found.takes and not found.takes(node)) else found


Takes = Callable[[lowered.Kernel], bool]
Lower = Callable[..., Sequence[Held]]
"""Takes the emitter, the statement, and its operands, each of them as a parameter."""


class OnArrays(NamedTuple):
    """A kernel on arrays: `takes` tells whether it is written for this statement's types and
    parameters; `lower` emits it, and returns the values of its targets. One that is `heavy` is
    worth a call of machine code by itself; one that is `partial` tells itself how much it reads.
    """

    takes: Takes
    lower: Lower
    heavy: bool = False
    partial: bool = False


ON_ARRAYS: dict[str, OnArrays] = {}
"""Kernels that are not elementwise, and those that control many elements."""
