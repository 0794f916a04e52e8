"""Joining and splitting along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import (
    Memory,
    Order,
    Primitive,
    bind,
    row,
    sample,
    wrong_shape,
    wrong_value,
)
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.core.workspace import c_contiguous
from runtime.ops import batching, run_time_axes
from runtime.ops.arguments import axis_or_tensor, listed, static_int, static_ints
from runtime.ops.checks import checked
from runtime.ops.define import axis_in
from runtime.ops.reshaping import Dims


def _concat_shape(*shapes: Shape, axis: int) -> Shape:
    ranks = {len(shape) for shape in shapes if shape is not None}
    if not ranks:
        return None
    if len(ranks) > 1:
        raise wrong_value(f"tensors to concatenate have different ranks: {_texts(shapes)}")
    rank = ranks.pop()
    if rank == 0:
        raise wrong_value("scalars cannot be concatenated; use stack")
    place, merged, total = axis_in(axis, rank), (None,) * rank, 0
    lengths: list[int | None] = []
    for shape in shapes:
        lengths.append(None if shape is None else shape[place])
        if shape is not None:
            rest = (*shape[:place], None, *shape[place + 1 :])
            try:
                merged = merge_shapes(merged, rest)  # type: ignore[assignment]
            except ValueError:
                raise wrong_value(
                    f"tensors to concatenate along axis {axis} differ elsewhere: {_texts(shapes)}"
                ) from None
    for length in lengths:
        if length is None:
            return merged
        total += length
    return (*merged[:place], total, *merged[place + 1 :])


def _texts(shapes: Sequence[Shape]) -> str:
    return ", ".join("?" if shape is None else str(shape) for shape in shapes)


def _concat_gradient(op: Any, g: Any) -> Any:
    axis = op.params["axis"]
    ranks = [x.ndim for x in (g, *op.inputs) if x.ndim is not None]
    place = axis_in(axis, ranks[0]) if ranks else axis
    ahead: tuple[Any, ...] = (slice(None),) * place if place >= 0 else (Ellipsis,)
    behind = (slice(None),) * (-1 - place)
    pieces: list[Any] = []
    start: Any = 0
    for x in op.inputs:
        known = None if x.static_shape is None else x.static_shape[place]
        stop = start + (ops.shape(x)[place] if known is None else known)
        pieces.append(g[(*ahead, slice(start, stop), *behind)])
        start = stop
    return pieces


concat_p: Primitive = row(
    "concat", lambda *values, axis, out=None: c_contiguous(np.concatenate(values, axis, out)),
    signature="A*->A",
    shape=_concat_shape, op_type="ConcatV2", gradient=_concat_gradient, keep_inputs=(),
    samples=(sample("2,3", "4,3", axis=0), sample("2,1", "2,2", "2,3", axis=-1)), order=Order.C,
    batching=batching.joined, moves=True,
    instruction="concat",
)  # fmt: skip


NO_TENSOR = "at least one tensor is needed"


def joined(values: Any, place: int, stacked: bool, none: str | None = None) -> Tensor | None:
    """The items of a list of which only the run knows the length; None for any other value. Its
    class has a method that joins them along the first axis, or gives None where Python knows them.
    `none` is the message of the InvalidValueError of a list without items, where that is one.
    """
    whole = getattr(type(values), "_items_of_run", None)
    made: Tensor | None = None if whole is None else whole(values, stacked, none)
    if made is None or place == 0:
        return made
    if not stacked:
        raise wrong_value(
            "a list of which only the run knows the length is concatenated along its first axis "
            "only: stack it and use tf.transpose and tf.reshape"
        )
    axes = list(range(made.ndim or 0))
    axes.insert(axis_in(place, len(axes)), axes.pop(0))
    return ops.transpose(made, axes)


def concat(values: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensors of a list joined along an existing axis; a single tensor is given back.

    >>> rt.concat([[1], [2, 3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    place = axis_or_tensor(axis)
    if isinstance(place, Tensor):
        return _concat_at(same_dtypes(values), place)
    whole = joined(values, place, stacked=False, none=NO_TENSOR)
    if whole is not None:
        return whole
    if hasattr(values, "ndim") or isinstance(values, int | float | complex):
        return ops.identity(convert_to_tensor(values))
    tensors = same_dtypes(values)
    return bind(concat_p, *tensors, axis=place)  # type: ignore[no-any-return]


def _concat_at(tensors: list[Tensor], axis: Tensor) -> Tensor:
    return run_time_axes.along(  # type: ignore[no-any-return]
        lambda *given: concat(given[:-1], given[-1][0]), tensors, axis
    )


def same_dtypes(values: Any) -> list[Tensor]:
    if isinstance(values, Tensor) and not values.ndim:
        return [values]
    given = listed(values, "values")
    if not given:
        raise wrong_value(NO_TENSOR)
    first = next((value.dtype for value in given if isinstance(value, Tensor)), None)
    tensors = []
    for value in given:
        if isinstance(value, Tensor):
            tensors.append(value)
        else:
            tensors.append(convert_to_tensor(value, dtype_hint=first))
            first = first or tensors[-1].dtype
    return tensors


def _stack_shape(*shapes: Shape, axis: int) -> Shape:
    merged: Shape = None
    for shape in shapes:
        try:
            merged = merge_shapes(merged, shape)
        except ValueError:
            raise wrong_value(f"tensors to stack have different shapes: {_texts(shapes)}") from None
    if merged is None:
        return None
    place = axis_in(axis, len(merged) + 1)
    return (*merged[:place], len(shapes), *merged[place:])


stack_p: Primitive = row(
    "stack", lambda *values, axis, out=None: c_contiguous(np.stack(values, axis, out)),
    signature="A*->A",
    shape=_stack_shape,
    op_type="Pack", keep_inputs=(),
    gradient=lambda op, g: unstack(g, len(op.inputs), op.params["axis"]),
    samples=(sample("2,3", "2,3", axis=0), sample("2", "2", axis=-1), sample("", "", axis=0)),
    order=Order.C, batching=batching.joined, moves=True,
    instruction="stack",
)  # fmt: skip


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Tensor:
    """The tensors of a list joined along a new axis; of an empty list an empty vector.

    >>> rt.stack([[1], [2]]).numpy().tolist()
    [[1], [2]]
    """
    place = static_int(axis, "axis")
    whole = joined(values, place, stacked=True)
    if whole is not None:
        return whole
    if isinstance(values, list | tuple) and not values and place == 0:
        return convert_to_tensor([])
    return bind(stack_p, *same_dtypes(_alike(values)), axis=place)  # type: ignore[no-any-return]


def _alike(values: Any) -> Any:
    """Python numbers as tensors of one dtype, that of all of them."""
    if not isinstance(values, list | tuple) or any(isinstance(x, Tensor) for x in values):
        return values
    tensors = [convert_to_tensor(x) for x in values]
    if len({x.dtype for x in tensors}) == 1:
        return tensors
    dtype = convert_to_tensor(values).dtype
    return [convert_to_tensor(x, dtype) for x in values]


def parallel_stack(values: Any, name: str | None = None) -> Tensor:
    """The tensors of a list joined along a new first axis.

    >>> rt.parallel_stack([1, 2]).numpy().tolist()
    [1, 2]
    """
    return stack(values)


def _unstack_kernel(x: Any, *, num: int, axis: int) -> Any:
    if x.shape[axis] != num:
        raise wrong_value(f"axis {axis} of shape {x.shape} has not {num} elements")
    turned = np.moveaxis(x, axis, 0)
    return tuple([_object_safe(turned[i], x.dtype) for i in range(num)])


def _object_safe(value: Any, dtype: Any) -> Any:
    return np.array(value, dtype) if dtype.kind == "O" and type(value) is bytes else value


def _unstack_infer(x: Any, *, num: int, axis: int) -> Any:
    if num < 0:
        raise wrong_value(f"Unpack: {x} has not {num} elements along an axis")
    if x.shape is None:
        return (TensorType(x.dtype, None),) * num
    place = axis_in(axis, len(x.shape))
    if x.shape[place] not in (None, num):
        raise wrong_value(f"Unpack: axis {axis} of {x} has not {num} elements")
    return (TensorType(x.dtype, x.shape[:place] + x.shape[place + 1 :]),) * num


def present(op: Any, grads: Sequence[Any]) -> list[Any]:
    """The gradients of several outputs, zeros for the outputs that nothing used."""
    return [
        ops.zeros_like(output) if g is None else g
        for g, output in zip(grads, op.outputs, strict=True)
    ]


unstack_p: Primitive = row(
    "unstack", _unstack_kernel, _unstack_infer, op_type="Unpack", keep_inputs=(),
    gradient=lambda op, *g: (stack(present(op, g), op.params["axis"]),),
    samples=(sample("2,3", num=2, axis=0), sample("2,3", num=3, axis=-1)), memory=Memory.VIEWS,
    batching=batching.along_axis, gives_tuple=True, instruction="unstack",
)  # fmt: skip


def unstack(
    value: Any, num: int | None = None, axis: Any = 0, name: str | None = None
) -> list[Tensor]:
    """The list of slices of `value` along `axis`; ValueError where their number is not known.

    >>> [int(x) for x in rt.unstack([1, 2])]
    [1, 2]
    """
    x, place = convert_to_tensor(value), static_int(axis, "axis")
    if num is None:
        if x.static_shape is None:
            raise wrong_shape(f"Cannot infer argument `num` from shape {x.shape}", x)
        num = x.static_shape[axis_in(place, len(x.static_shape))]
        if num is None:
            raise wrong_shape(f"Cannot infer argument `num` from shape {x.shape}", x)
    return list(bind(unstack_p, x, num=num, axis=place)) if num else []


def _split_sizes(sizes: Dims, dim: int | None) -> Dims:
    if -1 not in sizes or dim is None:
        return tuple(None if n == -1 else n for n in sizes)
    rest = dim - sum(n for n in sizes if n is not None and n != -1)
    return tuple(rest if n == -1 else n for n in sizes)


def _split_kernel(x: Any, *, sizes: Any, axis: int) -> Any:
    dim = x.shape[axis]
    if isinstance(sizes, int):
        if dim % sizes:
            raise wrong_value(
                f"axis {axis} of shape {x.shape} does not split into {sizes} equal parts"
            )
        return tuple(np.split(x, sizes, axis))
    lengths = _split_sizes(sizes, dim)
    if sum(lengths) != dim or min(lengths, default=0) < 0:  # type: ignore[arg-type, type-var, operator]
        raise wrong_value(f"sizes {sizes} do not sum to the {dim} elements of axis {axis}")
    return tuple(np.split(x, np.cumsum(lengths)[:-1], axis))  # type: ignore[arg-type]


def _split_infer(x: Any, *, sizes: Any, axis: int) -> Any:
    count = sizes if isinstance(sizes, int) else len(sizes)
    if x.shape is None:
        return (TensorType(x.dtype, None),) * count
    place = axis_in(axis, len(x.shape))
    dim = x.shape[place]
    if isinstance(sizes, int):
        if dim is not None and dim % sizes:
            raise wrong_value(f"Split: axis {axis} of {x} does not split into {sizes} equal parts")
        lengths: Dims = (None if dim is None else dim // sizes,) * sizes
    else:
        lengths = _split_sizes(sizes, dim)
        if dim is not None and (sum(lengths) != dim or min(lengths, default=0) < 0):  # type: ignore[arg-type, type-var, operator]
            raise wrong_value(f"SplitV: sizes {sizes} do not sum to axis {axis} of {x}")
    return tuple(TensorType(x.dtype, (*x.shape[:place], n, *x.shape[place + 1 :])) for n in lengths)


split_p: Primitive = row(
    "split", _split_kernel, _split_infer, op_type="SplitV", keep_inputs=(),
    gradient=lambda op, *g: (concat(present(op, g), op.params["axis"]),),
    samples=(sample("4,3", sizes=2, axis=0), sample("2,5", sizes=(1, -1, 2), axis=-1)),
    memory=Memory.VIEWS, gives_tuple=True, instruction="split",
)  # fmt: skip


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """`value` cut along `axis` into equal parts, or into parts of the given sizes.

    One size may be -1. There are `num` parts if that is given.

    Raises InvalidArgumentError for sizes that do not add up, are no vector, or not `num`.

    >>> [x.numpy().tolist() for x in rt.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    """
    x, place = convert_to_tensor(value), axis_or_tensor(axis)
    if isinstance(place, Tensor):
        return run_time_axes.along(  # type: ignore[no-any-return]
            lambda y, front: split(y, num_or_size_splits, front[0], num), [x], place
        )
    sizes = num_or_size_splits
    if isinstance(sizes, list | tuple) and any(isinstance(n, Tensor) for n in sizes):
        sizes = stack(sizes)
    if isinstance(sizes, Tensor):
        if sizes.ndim == 0:
            raise wrong_value("num_or_size_splits is a Python integer, or a vector of sizes")
        known = sizes.static_value
        if known is None:
            return _dynamic_split(x, sizes, place, num)
        sizes = known.tolist()
    if isinstance(sizes, int | np.integer):
        if sizes <= 0:
            raise wrong_value(f"num_split must be positive, got {sizes}")
        return list(bind(split_p, x, sizes=int(sizes), axis=place))
    lengths = static_ints(sizes, "num_or_size_splits")
    if np.ndim(sizes) > 1 or num not in (None, len(lengths)):
        raise wrong_value(f"num_or_size_splits must be a vector of {num or 'n'} sizes: {sizes}")
    return list(bind(split_p, x, sizes=lengths, axis=place))


def _dynamic_split(x: Tensor, sizes: Tensor, axis: int, num: int | None) -> list[Tensor]:
    place = axis_in(axis, x.ndim) if x.ndim is not None else axis
    count = num if num is not None or sizes.ndim is None else sizes.shape[0]
    if count is None:
        raise wrong_value(f"split: the number of parts is not known: give num ({sizes.shape})")
    lengths = unstack(_completed(sizes, ops.shape(x, sizes.dtype)[place]), count)
    parts, start = [], convert_to_tensor(0, sizes.dtype)
    for length in lengths:
        stop = start + length
        parts.append(x[(slice(None),) * place + (slice(start, stop),)])
        start = stop
    return parts


def _completed(sizes: Tensor, dim: Tensor) -> Tensor:
    """The sizes of parts of an axis, with what the others leave for -1."""
    open_ = ops.equal(sizes, -1)
    rest = dim - ops.reduce_sum(ops.where(open_, 0, sizes))
    filled = ops.where(open_, rest, sizes)
    fit = ops.logical_and(ops.reduce_all(filled >= 0), ops.equal(ops.reduce_sum(filled), dim))
    return checked(filled, fit, "split", "num_or_size_splits do not sum to the size of the axis")
