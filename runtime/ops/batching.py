"""Linear ops of all rows of a jacobian at once, from those of one row.

`rows` has the values of all rows (`AllRows` of `runtime.autodiff`), `inputs` are those of a node;
the inputs at `places` differ from row to row and have an axis for the rows in front. A rule gives
the outputs for all rows, or None where it does not apply.
"""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.core.primitive import bind
from runtime.core.shapes import is_known

Shape = tuple[int | None, ...]


def shape_of(value: Any) -> Any:
    """The static shape of a tensor of a graph."""
    return value.type.shape


def elementwise(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of ops whose operands broadcast."""
    rank = len(shape_of(node.outputs[0]))
    aligned = [rows.aligned(value, rank) for value in node.inputs]
    return bind(node.primitive, *aligned, **node.params)


def on_last_axes(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of ops on the last axes of their operands, all with the same axes in front."""
    return bind(node.primitive, *map(rows.whole, node.inputs), **node.params)


def reshaped(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of ops that change the shape alone."""
    return rows.reshaped(inputs[0], shape_of(node.outputs[0]))


def broadcast_to(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    shape: Shape = shape_of(node.outputs[0])
    aligned = rows.aligned(node.inputs[0], len(shape))
    return ops.broadcast_to(aligned, _sizes(rows, shape, inputs))


def sum_to(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    shape: Shape = shape_of(node.outputs[0])
    ones = (1,) * (len(shape_of(node.inputs[0])) - len(shape))
    whole = (rows.count, *ones, *shape)
    if is_known(shape):
        summed = bind(node.primitive, inputs[0], shape=whole)
    else:
        sizes = ops.concat([[rows.count, *ones], inputs[1]], 0)
        summed = bind(node.primitive, inputs[0], sizes, shape=whole)
    return rows.reshaped(summed, shape) if ones else summed


def _sizes(rows: Any, shape: Shape, inputs: list[Any]) -> Any:
    """The shape of all rows of what has this shape, of which other inputs tell the rest."""
    if is_known(shape):
        return (rows.count, *shape)
    if len(inputs) == 2 and inputs[1].ndim == 1:
        return ops.concat([[rows.count], inputs[1]], 0)
    others = iter(inputs[1:])
    return [rows.count, *(next(others) if size is None else size for size in shape)]


def transpose(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    rank = len(shape_of(node.inputs[0]))
    perm = node.params["perm"] or range(rank)[::-1]
    return ops.transpose(inputs[0], (0, *(axis % rank + 1 for axis in perm)))


def along_axis(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of ops along one axis."""
    axis = node.params["axis"] % len(shape_of(node.inputs[0])) + 1
    return bind(node.primitive, *inputs, **{**node.params, "axis": axis})


def joined(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of ops that join tensors along an axis."""
    axis = node.params["axis"] % len(shape_of(node.outputs[0])) + 1
    return bind(node.primitive, *map(rows.whole, node.inputs), axis=axis)


def along_axes(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of ops along some axes, or all."""
    rank = len(shape_of(node.inputs[0]))
    chosen = node.params["axis"]
    gone = range(rank) if chosen is None else [axis % rank for axis in chosen]
    axis = tuple([axis + 1 for axis in gone])
    return None if places != [0] else bind(node.primitive, *inputs, **{**node.params, "axis": axis})


def solved(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of solutions of linear systems."""
    matrix, right = inputs
    if places != [1] or matrix.ndim != 2 or not is_known(shape_of(node.inputs[1])):
        return bind(node.primitive, *map(rows.whole, node.inputs), **node.params)
    # The columns of all rows beside each other: the matrix is factorised once.
    size, columns = shape_of(node.inputs[1])
    beside = ops.reshape(ops.transpose(right, (1, 0, 2)), (size, rows.count * columns))
    found = bind(node.primitive, matrix, beside, **node.params)
    return ops.transpose(ops.reshape(found, (size, rows.count, columns)), (1, 0, 2))


def matmul(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    left, right = inputs
    shape: Shape = shape_of(node.outputs[0])
    size = shape_of(node.inputs[0])[-1]
    if places == [0] and not node.params["transpose_a"] and right.ndim == 2 and size is not None:
        # One product of large matrices instead of many of small ones.
        flat = ops.reshape(left, (-1, size))
        return rows.reshaped(bind(node.primitive, flat, right, **node.params), shape)
    aligned = [rows.aligned(value, len(shape)) for value in node.inputs]
    return bind(node.primitive, *aligned, **node.params)


def einsum(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    equation = node.params["equation"]
    if "." in equation:
        return None
    fresh = next(letter for letter in "zyxwvutsrqponmlkjihgfedcbaZ" if letter not in equation)
    operands, _, result = equation.partition("->")
    labels = [
        fresh + label if place in places else label
        for place, label in enumerate(operands.split(","))
    ]
    return bind(node.primitive, *inputs, equation=f"{','.join(labels)}->{fresh}{result}")


def sliced(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of slices, and of gradients of them."""
    if places != [0]:
        return None
    params = dict(node.params, spec=((None, None, None), *node.params["spec"]))
    if "shape" in params:
        params["shape"] = (rows.count, *shape_of(node.outputs[0]))
        if None in params["shape"]:
            inputs[1] = ops.concat([[rows.count], inputs[1]], 0)
    return bind(node.primitive, *inputs, **params)


def gathered(rows: Any, node: Any, inputs: list[Any], places: list[int]) -> Any:
    """Of gather, and of its gradient."""
    params = dict(node.params)
    if places != [0] or params["batch_dims"] or len(inputs) > 2:
        return None
    whole: Shape = params.get("shape") or shape_of(node.inputs[0])
    params["axis"] = params["axis"] % len(whole) + 1
    if "shape" in params:
        params["shape"] = (rows.count, *whole)
    return bind(node.primitive, *inputs, **params)
