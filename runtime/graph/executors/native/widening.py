"""Kernels that are not written for float16: they compute in float32, and each result is rounded
once, as the kernels of the Python program do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from runtime import dtypes
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel, Local

# Their rules are in the table.
from runtime.graph.executors.native import (  # noqa: F401
    convolving,
    normalizing,
    ordering,
    pooling,
    products,
    reductions,
)
from runtime.graph.executors.native.convolving import BY_CHANNELS
from runtime.graph.executors.native.halves import rounded
from runtime.graph.executors.native.indexing import target_of
from runtime.graph.executors.native.loops import Strip, lanes_for
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.values import Array, Held, Scalar, is_native
from runtime.graph.ir import Value

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

HALF, SINGLE = dtypes.float16, dtypes.float32


Typed = TypeVar("Typed", Value, Local)


def _is_half(held: Held | Value | Local) -> bool:
    return getattr(held.type if isinstance(held, Value | Local) else held, "dtype", None) is HALF


def _single(value: Typed) -> Typed:
    if not _is_half(value):
        return value
    assert isinstance(value.type, TensorType)
    return replace(value, type=TensorType(SINGLE, value.type.shape))


def _wide(kernel: Kernel) -> Kernel:
    """The same kernel on float32."""
    node = kernel.node
    inputs, outputs = (tuple(map(_single, values)) for values in (node.inputs, node.outputs))
    node = replace(node, inputs=inputs, outputs=outputs)
    return replace(kernel, node=node, targets=list(map(_single, kernel.targets)))


def _converted(emitter: Emitter, array: Held, dtype: DType, target: Any = None) -> Held:
    if not isinstance(array, Array):
        return array
    builder = emitter.builder
    made = emitter.allocate(dtype, array.dims, target)
    ends = [(array.pointer, array.dtype)], [(made.pointer, dtype)]
    strip = Strip(builder, builder.size_of(array.dims), lanes_for(SINGLE.size), *ends)
    strip.run([], lambda at, vectors, state: (vectors, []))
    return made


def widened(rule: OnArrays) -> OnArrays:
    """A rule that takes float16, too."""

    def takes(kernel: Kernel) -> bool:
        if not is_native(HALF) or not any(map(_is_half, kernel.node.inputs)):
            return rule.takes(kernel)
        return rule.takes(kernel) or rule.takes(_wide(kernel))

    def lower(emitter: Emitter, kernel: Kernel, *operands: Held) -> Sequence[Held]:
        if not any(map(_is_half, operands)) or rule.takes(kernel):
            return rule.lower(emitter, kernel, *operands)
        given = [
            _converted(emitter, held, SINGLE)
            if isinstance(held, Array) and _is_half(held)
            else held
            for held in operands
        ]
        results = rule.lower(emitter, _wide(kernel), *given)
        made: list[Held] = []
        for at, (held, output) in enumerate(zip(results, kernel.node.outputs, strict=True)):
            if not _is_half(output):
                made.append(held)
            elif isinstance(held, Array):
                made.append(_converted(emitter, held, HALF, target_of(kernel, at)))
            else:
                assert isinstance(held, Scalar)
                made.append(Scalar(rounded(emitter.builder, held.value, HALF), output.type))
        return made

    return rule._replace(takes=takes, lower=lower)


for _name in (
    *("matmul", "labelled_product", "softmax", "log_softmax", "reduce_sum", "reduce_mean"),
    *("argmax", "argmin", "top_k", "sort", "argsort"),
    *("convolution", "convolution_for_filter", "convolution_for_input"),
    *(BY_CHANNELS, f"{BY_CHANNELS}_for_filter", f"{BY_CHANNELS}_for_input"),
    *("largest_of_windows", "mean_of_windows"),
):
    ON_ARRAYS[_name] = widened(ON_ARRAYS[_name])
