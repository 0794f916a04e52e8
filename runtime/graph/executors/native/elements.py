"""One element of what an elementwise kernel computes, or a vector of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from runtime.core.shapes import is_known
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Constant, Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Builder
from runtime.graph.executors.native.halves import rounded
from runtime.graph.executors.native.lowering_rules import elementwise
from runtime.graph.executors.native.math import is_long
from runtime.graph.executors.native.scalars import cast, cast_refuses
from runtime.graph.executors.native.values import dtype_of, is_native
from runtime.graph.ir import Value

Emission = Callable[[Builder, Sequence[ir.Value]], ir.Value]


class Element(NamedTuple):
    """The way to compute an element of those of the operands. `refuses` gives a bit, or a vector of
    bits, that is set where there is no result.
    """

    emit: Emission
    refuses: Emission | None = None
    by_last: bool = False
    """Only the last operand is refused, in whose place one can be computed with."""
    heavy: bool = False
    """It takes many steps, which need registers of their own."""


def element_of(kernel: Kernel) -> Element | None:
    """The computation of each element by a kernel; None where it is not elementwise."""
    node = kernel.node
    instruction = node.primitive.instruction
    if not instruction or len(node.outputs) != 1 or not all(map(_is_held, node.inputs)):
        return None
    (output,) = node.outputs
    if not _is_held(output):
        return None
    dtypes = [dtype_of(value.type) for value in node.inputs]
    if instruction == "cast":
        return _cast(dtypes[0], dtype_of(output.type))
    if instruction == "broadcast_to":
        is_fixed = len(node.inputs) == 1  # no size is one of the run, which might not fit
        return _REPEATED if is_fixed and all(map(_is_known, (*node.inputs, output))) else None
    if instruction == "select":
        dtypes = dtypes[1:]
    found = elementwise(node)
    if found is None or any(dtype is not dtypes[0] for dtype in dtypes):
        return None
    dtype = dtypes[0]
    if kind_of(dtype) not in found.kinds:
        return None
    refuses: Emission | None = None
    if found.refuses is not None and dtype.is_integer:
        refusal = found.refuses
        refuses = lambda builder, operands: refusal(builder, dtype, *operands)  # noqa: E731
    made = dtype_of(output.type)
    # As the kernel has them: of the dtype.
    numbers = [float(np.asarray(node.params[name], dtype.np_dtype)) for name in found.numbers]

    def emit(builder: Builder, operands: Sequence[ir.Value]) -> ir.Value:
        constants = [ir.Constant(operands[0].type, number) for number in numbers]
        return rounded(builder, found.emit(builder, dtype, *operands, *constants), made)

    return Element(
        emit,
        refuses,
        by_last=True,
        heavy=is_long(instruction, _number(kernel)),
    )


def kind_of(dtype: DType) -> str:
    """The letter of a dtype in the tables of instructions."""
    return dtype.kind


def safe(
    builder: Builder, element: Element, operands: Sequence[ir.Value], refused: ir.Value
) -> Sequence[ir.Value]:
    """Operands that nothing happens with, where some are refused."""
    *others, last = operands
    if element.by_last:
        last = builder.select(refused, ir.Constant(last.type, 1), last)
    return [*others, last]


def _is_held(value: Value) -> bool:
    type = value.type
    return isinstance(type, TensorType) and type.shape is not None and is_native(type.dtype)


def _number(kernel: Kernel) -> float | None:
    """The last operand, where it is a number that is known."""
    last = kernel.inputs[-1]
    return float(last.boxed) if isinstance(last, Constant) and not np.ndim(last.boxed) else None


def _is_known(value: Value) -> bool:
    return isinstance(value.type, TensorType) and is_known(value.type.shape)


_REPEATED = Element(lambda builder, operands: operands[0])
"""An element of an array that is repeated: the loops do that."""


def _cast(source: DType, target: DType) -> Element:
    def refuses(builder: Builder, operands: Sequence[ir.Value]) -> ir.Value:
        found = cast_refuses(builder, operands[0], source, target)
        assert found is not None
        return found

    may_refuse = source.is_floating and target.is_integer
    return Element(
        lambda builder, operands: cast(builder, operands[0], source, target),
        refuses if may_refuse else None,
    )
