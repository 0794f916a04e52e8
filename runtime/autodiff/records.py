"""What a tape keeps of an op, and the way back through what it kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.dtypes import DType
from runtime.primitive import bind
from runtime.shapes import Shape
from runtime.tensor import Tensor
from runtime.types import TensorType

# primitive, keys of the inputs (None: not connected), key of the output or a tuple of keys, inputs,
# outputs, params; of an elementwise op with partials: primitive, key of x, key of y, x, output or
# with: primitive, keys of a and b, key of y, a, b, y, shapes of a and b
# The read of a variable is: key of the variable, key of its value.
Record = tuple[Any, ...]
_TARGETS = {2: 1, 5: 2, 9: 3}

new_key = count(1).__next__


class Outline(Tensor):
    """What is left of a tensor whose value no gradient reads: its dtype and shape.

    `raw` is an array without storage of its own; where it is floating it is full of NaN, so that a
    rule which reads a value that its row does not declare shows.
    """

    __slots__ = ("dtype", "static_shape")
    dtype: DType
    static_shape: Shape

    def __init__(self, dtype: DType, static_shape: Shape) -> None:
        self.dtype = dtype  # type: ignore[misc]
        self.static_shape = static_shape  # type: ignore[misc]

    @property
    def type(self) -> TensorType:
        """dtype and shape."""
        return TensorType(self.dtype, self.static_shape)

    @property
    def raw(self) -> Any:
        """An array of this dtype and shape, without values."""
        dtype = self.dtype.np_dtype
        return np.broadcast_to(
            np.array(np.nan if dtype.kind in "fc" else 0, dtype), self.static_shape
        )  # type: ignore[arg-type]


class Operation:
    """A recorded op, as gradient rules see it; `needed` tells which inputs a gradient is asked for.
    """

    __slots__ = ("inputs", "outputs", "params", "sources")

    def __init__(
        self, inputs: Sequence[Any], outputs: Sequence[Any], params: dict[str, Any], sources: Any
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.params = params
        self.sources = sources

    @property
    def needed(self) -> list[bool]:
        """For each input, whether its gradient is used."""
        return [key is not None for key in self.sources]


def kept(tensors: Sequence[Any], places: Sequence[int] | None) -> Sequence[Any]:
    """The tensors, those at other places than `places` (None: all) without their values."""
    if places is None:
        return tensors
    return [
        tensor if place in places else Outline(tensor.dtype, tensor.static_shape)
        for place, tensor in enumerate(tensors)
    ]


def backward(records: Iterable[Record], grads: dict[Any, Any], wanted: set[Any]) -> dict[Any, Any]:
    """The gradients for the keys in `wanted`, from `grads` for the targets; records come last
    first.
    """
    found: dict[Any, Any] = {}
    take, known = grads.pop, grads.get
    for record in records:
        size = len(record)
        if size == 6:
            _step(record, grads, wanted, found)
            continue
        target = record[_TARGETS[size]]
        grad = take(target, None)
        if grad is None:
            continue
        if target in wanted:
            found[target] = grad
        if size == 2:
            key = record[0]
            before = known(key)
            grads[key] = grad if before is None else before + grad
            continue
        if size == 5:
            primitive, key, _, x, y = record
            result = primitive.partials[0](x, y, grad)
            if result is not None:
                before = known(key)
                grads[key] = result if before is None else before + result
            continue
        primitive, key, other, _, a, b, y, shape, other_shape = record
        partials = primitive.partials
        if key is not None:
            result = partials[0](a, b, y, grad)
            if result is not None:
                if result.static_shape != shape:
                    result = bind(ops.sum_to_p, result, shape=shape)
                before = known(key)
                grads[key] = result if before is None else before + result
        if other is not None:
            result = partials[1](a, b, y, grad)
            if result is not None:
                if result.static_shape != other_shape:
                    result = bind(ops.sum_to_p, result, shape=other_shape)
                before = known(other)
                grads[other] = result if before is None else before + result
    for key in wanted:
        if key in grads:
            found[key] = grads[key]
    return found


def _step(record: Record, grads: dict[Any, Any], wanted: set[Any], found: dict[Any, Any]) -> None:
    primitive, sources, target, inputs, outputs, params = record
    given = _of_outputs(target if type(target) is tuple else (target,), grads, wanted, found)
    if given is None:
        return
    if primitive.gradient is None:
        raise LookupError(
            f"No gradient is defined for the op {primitive.op_type}, which the target depends on: "
            "use tf.stop_gradient on what goes into it, or give one with tf.custom_gradient"
        )
    results = primitive.gradient(Operation(inputs, outputs, params, sources), *given)
    if results is None:
        return
    for key, result in zip(sources, results, strict=True):
        if key is not None and result is not None:
            before = grads.get(key)
            grads[key] = result if before is None else before + result


def _of_outputs(
    target: tuple[Any, ...], grads: dict[Any, Any], wanted: set[Any], found: dict[Any, Any]
) -> tuple[Any, ...] | None:
    given = tuple([grads.pop(key, None) if key is not None else None for key in target])
    for key, grad in zip(target, given, strict=True):
        if grad is not None and key in wanted:
            found[key] = grad
    return given if any(grad is not None for grad in given) else None


def leading_to(records: Sequence[Record], sources: Iterable[Any]) -> list[Record]:
    """The records through which the targets depend on `sources`, with their other inputs
    disconnected.
    """
    reached = set(sources)
    chosen: list[Record] = []
    for record in records:
        size = len(record)
        if size < 6:
            if record[_TARGETS[size] - 1] in reached:
                reached.add(record[_TARGETS[size]])
                chosen.append(record)
        elif size == 6:
            keys = tuple([key if key in reached else None for key in record[1]])
            if any(key is not None for key in keys):
                reached.update(record[2] if type(record[2]) is tuple else (record[2],))
                reached.discard(None)
                chosen.append((record[0], keys, *record[2:]))
        else:
            a, b = [key if key in reached else None for key in record[1:3]]
            if a is not None or b is not None:
                reached.add(record[3])
                chosen.append((record[0], a, b, *record[3:]))
    return chosen
