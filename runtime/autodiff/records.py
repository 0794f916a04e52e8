"""What a tape keeps of an op, and the way back through what it kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.dtypes import DType
from runtime.primitive import bind, state
from runtime.shapes import Shape
from runtime.tensor import EagerTensor, Tensor
from runtime.types import TensorType

# Tensors and variables are known to tapes by keys. A record is one of
#   steps, key of the output, arguments: a step for each connected input of an elementwise op, made
#       of its key, its partial derivative (a function of the arguments and the gradient of the
#       output), and its shape where that differs from the output's;
#   primitive, keys of the inputs (None: not connected), key of the output or a tuple of keys,
#       inputs, outputs, params: any other op.
Record = tuple[Any, ...]

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
        self.dtype = dtype
        self.static_shape = static_shape

    @property
    def type(self) -> TensorType:
        """dtype and shape."""
        return TensorType(self.dtype, self.static_shape)

    @property
    def raw(self) -> Any:
        """An array of this dtype and shape, without values."""
        dtype = self.dtype.np_dtype
        value = np.array(np.nan if dtype.kind in "fc" else 0, dtype)
        return np.broadcast_to(value, self.static_shape)  # type: ignore[arg-type]


class Operation:
    """A recorded op, as gradient rules see it."""

    __slots__ = ("inputs", "outputs", "params", "sources")

    def __init__(
        self, inputs: Sequence[Any], outputs: Sequence[Any], params: dict[str, Any], sources: Any
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.params = params
        self.sources = sources

    def needs(self, place: int) -> bool:
        """Is the gradient of this input used?"""
        return self.sources[place] is not None


def kept(tensors: Sequence[Any], places: Sequence[int] | None) -> Sequence[Any]:
    """The tensors, those at other places than `places` (None: all) without their values."""
    if places is None:
        return tensors
    return [
        tensor if place in places else Outline(tensor.dtype, tensor.static_shape)
        for place, tensor in enumerate(tensors)
    ]


def unchanged(grad: Any) -> Any:
    """The partial derivative of an output that is its input."""
    return grad


def backward(records: list[Any], grads: dict[Any, Any], wanted: set[Any]) -> dict[Any, Any]:
    """The gradients for the keys in `wanted`, from `grads` for the targets. It uses up the records,
    last first, so that what they keep is released on the way.
    """
    found: dict[Any, Any] = {}
    owned: set[Any] = set()
    take, known = grads.pop, grads.get
    records.insert(0, None)
    for record in iter(records.pop, None):
        if len(record) == 6:
            _step(record, grads, owned, wanted, found)
            continue
        steps, target, args = record
        grad = take(target, None)
        if grad is None:
            continue
        if target in wanted:
            found[target] = grad
        for key, partial, shape in steps:
            result = partial(*args, grad)
            if result is None:
                continue
            if shape is not None and result.static_shape != shape:
                result = bind(ops.sum_to_p, result, shape=shape)
            before = known(key)
            if before is None:
                grads[key] = result
            else:
                _add(grads, owned, key, before, result)
    found.update((key, grads[key]) for key in wanted if key in grads)
    return found


def _add(grads: dict[Any, Any], owned: set[Any], key: Any, before: Any, result: Any) -> None:
    """Add a further contribution: in place, where the sum so far was made here and nobody sees it."""
    if key in owned and state.run is not None and type(result) is EagerTensor:
        into = before.raw
        if type(into) is np.ndarray and result.raw.dtype is into.dtype:
            state.run(np.add, into, result.raw, into)
            return
    grads[key] = before + result
    owned.add(key)


def _step(
    record: Record, grads: dict[Any, Any], owned: set[Any], wanted: set[Any], found: dict[Any, Any]
) -> None:
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
            if before is None:
                grads[key] = result
            else:
                _add(grads, owned, key, before, result)


def _of_outputs(
    target: tuple[Any, ...], grads: dict[Any, Any], wanted: set[Any], found: dict[Any, Any]
) -> tuple[Any, ...] | None:
    given = tuple([grads.pop(key, None) if key is not None else None for key in target])
    for key, grad in zip(target, given, strict=True):
        if grad is not None and key in wanted:
            found[key] = grad
    return given if any(grad is not None for grad in given) else None


def leading_to(records: Sequence[Record], sources: Iterable[Any]) -> list[Record]:
    """The records through which targets depend on `sources`, their other inputs disconnected."""
    reached = set(sources)
    chosen: list[Record] = []
    for record in records:
        if len(record) == 6:
            keys = tuple([key if key in reached else None for key in record[1]])
            if any(key is not None for key in keys):
                reached.update(record[2] if type(record[2]) is tuple else (record[2],))
                reached.discard(None)
                chosen.append((record[0], keys, *record[2:]))
            continue
        steps = tuple([step for step in record[0] if step[0] in reached])
        if steps:
            reached.add(record[1])
            chosen.append((steps, *record[1:]))
    return chosen
