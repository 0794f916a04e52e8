"""Linear ops of all rows of a jacobian at once, from those of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import runtime.ops as ops
from runtime.autodiff.vectorization.rules import Rule, shape_of
from runtime.graph.ir import Node
from runtime.ops.define import axis_in
from runtime.primitive import bind
from runtime.shapes import is_known

if TYPE_CHECKING:
    from runtime.autodiff.vectorization.rows import AllRows

Shape = tuple[int | None, ...]


def _elementwise(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    rank = len(shape_of(node.outputs[0]))
    aligned = [rows.aligned(value, rank) for value in node.inputs]
    return bind(node.primitive, *aligned, **node.params)


def _on_last_axes(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    return bind(node.primitive, *map(rows.whole, node.inputs), **node.params)


def _reshaped(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    return rows.reshaped(inputs[0], shape_of(node.outputs[0]))


def _broadcast_to(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    shape: Shape = shape_of(node.outputs[0])
    aligned = rows.aligned(node.inputs[0], len(shape))
    return ops.broadcast_to(aligned, _sizes(rows, shape, inputs))


def _sum_to(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    shape: Shape = shape_of(node.outputs[0])
    ones = (1,) * (len(shape_of(node.inputs[0])) - len(shape))
    whole = (rows.count, *ones, *shape)
    if is_known(shape):
        summed = bind(node.primitive, inputs[0], shape=whole)
    else:
        sizes = ops.concat([[rows.count, *ones], inputs[1]], 0)
        summed = bind(node.primitive, inputs[0], sizes, shape=whole)
    return rows.reshaped(summed, shape) if ones else summed


def _sizes(rows: AllRows, shape: Shape, inputs: list[Any]) -> Any:
    """The shape of all rows of what has this shape, of which other inputs tell the rest."""
    if is_known(shape):
        return (rows.count, *shape)
    if len(inputs) == 2 and inputs[1].ndim == 1:
        return ops.concat([[rows.count], inputs[1]], 0)
    others = iter(inputs[1:])
    return [rows.count, *(next(others) if size is None else size for size in shape)]


def _transpose(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    rank = len(shape_of(node.inputs[0]))
    perm = node.params["perm"] or range(rank)[::-1]
    return ops.transpose(inputs[0], (0, *(axis_in(axis, rank) + 1 for axis in perm)))


def _along_axis(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    axis = axis_in(node.params["axis"], len(shape_of(node.inputs[0]))) + 1
    return bind(node.primitive, *inputs, **{**node.params, "axis": axis})


def _joined(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    axis = axis_in(node.params["axis"], len(shape_of(node.outputs[0]))) + 1
    return bind(node.primitive, *map(rows.whole, node.inputs), axis=axis)


def _along_axes(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    rank = len(shape_of(node.inputs[0]))
    chosen = node.params["axis"]
    gone = range(rank) if chosen is None else [axis_in(axis, rank) for axis in chosen]
    axis = tuple([axis + 1 for axis in gone])
    return None if places != [0] else bind(node.primitive, *inputs, **{**node.params, "axis": axis})


def _solved(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    matrix, right = inputs
    if places != [1] or matrix.ndim != 2 or not is_known(shape_of(node.inputs[1])):
        return bind(node.primitive, *map(rows.whole, node.inputs), **node.params)
    # The columns of all rows beside each other: the matrix is factorised once.
    size, columns = shape_of(node.inputs[1])
    beside = ops.reshape(ops.transpose(right, (1, 0, 2)), (size, rows.count * columns))
    found = bind(node.primitive, matrix, beside, **node.params)
    return ops.transpose(ops.reshape(found, (size, rows.count, columns)), (1, 0, 2))


def _matmul(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    left, right = inputs
    shape: Shape = shape_of(node.outputs[0])
    size = shape_of(node.inputs[0])[-1]
    if places == [0] and not node.params["transpose_a"] and right.ndim == 2 and size is not None:
        # One product of large matrices instead of many of small ones.
        flat = ops.reshape(left, (-1, size))
        return rows.reshaped(bind(node.primitive, flat, right, **node.params), shape)
    aligned = [rows.aligned(value, len(shape)) for value in node.inputs]
    return bind(node.primitive, *aligned, **node.params)


def _einsum(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
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


def _sliced(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    if places != [0]:
        return None
    params = dict(node.params, spec=((None, None, None), *node.params["spec"]))
    if "shape" in params:
        params["shape"] = (rows.count, *shape_of(node.outputs[0]))
        if None in params["shape"]:
            inputs[1] = ops.concat([[rows.count], inputs[1]], 0)
    return bind(node.primitive, *inputs, **params)


def _gathered(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    params = dict(node.params)
    if places != [0] or params["batch_dims"] or len(inputs) > 2:
        return None
    whole: Shape = params.get("shape") or shape_of(node.inputs[0])
    params["axis"] = axis_in(params["axis"], len(whole)) + 1
    if "shape" in params:
        params["shape"] = (rows.count, *whole)
    return bind(node.primitive, *inputs, **params)


_ELEMENTWISE = (
    "add", "cast", "complex", "conj", "div", "identity", "imag", "mul", "mul_no_nan", "neg",
    "ones_like", "real", "sub", "where", "zeros_like",
)  # fmt: skip
OP_RULES: dict[str, Rule] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    **dict.fromkeys(("reshape", "expand_dims", "squeeze"), _reshaped),
    **dict.fromkeys(("unstack", "cumsum", "cumulative_logsumexp"), _along_axis),
    **dict.fromkeys(("stack", "concat"), _joined),
    **dict.fromkeys(("mean", "reverse", "roll", "sum"), _along_axes),
    **dict.fromkeys(("solve", "triangular_solve"), _solved),
    **dict.fromkeys(("band_part", "diag", "diag_part", "relu_grad", "set_diag"), _on_last_axes),
    **dict.fromkeys(("strided_slice", "unslice"), _sliced),
    **dict.fromkeys(("gather", "gather_grad"), _gathered),
    "broadcast_to": _broadcast_to,
    "sum_to": _sum_to,
    "transpose": _transpose,
    "matmul": _matmul,
    "einsum": _einsum,
}
