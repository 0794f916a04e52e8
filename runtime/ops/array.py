"""Shapes of tensors: reading them, changing them, joining and splitting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.convert import convert_to_tensor, tensor_of
from runtime.dtypes import as_dtype
from runtime.ops.arguments import listed, one_of, static_int, static_ints
from runtime.ops.define import axis_in, dims_of, fill_dims, sum_to_shape_of
from runtime.primitive import Primitive, bind, checked, row, sample, wrong_value
from runtime.shapes import Shape, broadcast, is_known, merge_shapes, size_of
from runtime.tensor import Tensor

Dims = tuple[int | None, ...]


def _none(op: Any, *grads: Any) -> list[None]:
    return [None] * len(op.inputs)


# Reading shapes


def _shape_kernel(x: Any, *, dtype: Any) -> Any:
    return np.array(x.shape, dtype.np_dtype)


shape_p: Primitive = row(
    "shape", _shape_kernel, signature="A->dtype", op_type="Shape", keep_inputs=(), gradient=_none,
    shape=lambda shape, *, dtype: (None if shape is None else len(shape),),
    samples=(sample("2,3", dtype=dtypes.int32), sample("", dtype=dtypes.int64)),
)  # fmt: skip


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape as a vector of integers, known at run time even where `x.shape` is not."""
    return bind(shape_p, convert_to_tensor(input), dtype=as_dtype(out_type))  # type: ignore[no-any-return]


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors."""
    return [shape(x, out_type) for x in listed(input, "input")]


size_p: Primitive = row(
    "size", lambda x, *, dtype: np.array(np.size(x), dtype.np_dtype), signature="A->dtype",
    shape=lambda shape, *, dtype: (), op_type="Size", keep_inputs=(), gradient=_none,
    samples=(sample("2,3", dtype=dtypes.int32),),
)  # fmt: skip


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements."""
    return bind(size_p, convert_to_tensor(input), dtype=as_dtype(out_type))  # type: ignore[no-any-return]


rank_p: Primitive = row(
    "rank", lambda x: np.int32(np.ndim(x)), signature="A->int32", shape=lambda shape: (),
    op_type="Rank", keep_inputs=(), gradient=_none, samples=(sample("2,3"),),
)  # fmt: skip


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions, as a scalar tensor."""
    return bind(rank_p, convert_to_tensor(input))  # type: ignore[no-any-return]


# Changing shapes


def _reshape_kernel(x: Any, *dims: Any, shape: Shape) -> Any:
    wanted = fill_dims(shape, dims)
    # NumPy takes any negative number for -1.
    if wanted and min(wanted) < -1:
        raise wrong_value(f"cannot reshape to {wanted}: only -1 may be negative")
    return x.reshape(wanted)


def _reshape_shape(given: Shape, *dims: Shape, shape: Shape) -> Shape:
    if shape is None:
        length = dims[0][0] if dims and dims[0] else None
        return None if length is None else (None,) * length
    if shape.count(-1) > 1 or any(dim is not None and dim < -1 for dim in shape):
        raise wrong_value(f"cannot reshape to {shape}: at most one dimension may be -1, none less")
    return _with_rest(given, shape)


def _with_rest(given: Shape, wanted: Dims) -> Shape:
    total = size_of(given)
    unknown = tuple(None if dim == -1 else dim for dim in wanted)
    if total is None or None in wanted:
        return unknown
    rest = 1
    for dim in wanted:
        rest *= 1 if dim == -1 or dim is None else dim
    fits = total == rest if -1 not in wanted else (total == 0 if rest == 0 else total % rest == 0)
    if not fits or (rest == 0 and -1 in wanted):
        raise wrong_value(f"cannot reshape a tensor with {total} elements {given} to {wanted}")
    return tuple(total // rest if dim == -1 else dim for dim in wanted)


reshape_p: Primitive = row(
    "reshape", _reshape_kernel, signature="A,i*->A", shape=_reshape_shape, op_type="Reshape",
    gradient=lambda op, g: (reshape_like(g, op.inputs[0]), *[None] * (len(op.inputs) - 1)),
    keep_inputs=(), samples=(sample("2,3", shape=(3, 2)), sample("2,3,4", shape=(-1, 4))),
)  # fmt: skip


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one dimension may be -1 and is inferred."""
    static, dynamic = dims_of(shape)
    return bind(reshape_p, convert_to_tensor(tensor), *dynamic, shape=static)  # type: ignore[no-any-return]


def reshape_like(x: Any, like: Any) -> Any:
    """`x` with the shape of `like`, also where that is not known yet."""
    if is_known(like.static_shape):
        return bind(reshape_p, x, shape=like.static_shape)
    return bind(reshape_p, x, shape(like), shape=None)


def _broadcast_kernel(x: Any, *dims: Any, shape: Shape) -> Any:
    wanted = tuple(dims[0].tolist()) if shape is None else fill_dims(shape, dims)
    return np.broadcast_to(x, wanted)


def _broadcast_shape(given: Shape, *dims: Shape, shape: Shape) -> Shape:
    if shape is None:
        return _reshape_shape(None, *dims, shape=None)
    if given is not None:
        merged = broadcast(given, shape)
        if merged is not None and (len(merged) != len(shape) or not _covers(merged, shape)):
            raise wrong_value(f"cannot broadcast shape {given} to {shape}")
    return shape


def _covers(merged: Dims, wanted: Dims) -> bool:
    return all(w is None or m is None or m == w for m, w in zip(merged, wanted, strict=True))


broadcast_to_p: Primitive = row(
    "broadcast_to", _broadcast_kernel, signature="A,i*->A", shape=_broadcast_shape,
    op_type="BroadcastTo", keep_inputs=(),
    gradient=lambda op, g: (sum_to_shape_of(g, op.inputs[0]), *[None] * (len(op.inputs) - 1)),
    samples=(sample("3", shape=(2, 3)), sample("2,1", shape=(4, 2, 3)), sample("", shape=(2,))),
)  # fmt: skip


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` repeated to a larger shape by the rules of broadcasting."""
    static, dynamic = dims_of(shape)
    return bind(broadcast_to_p, convert_to_tensor(input), *dynamic, shape=static)  # type: ignore[no-any-return]


def broadcast_like(x: Any, like: Any) -> Any:
    """`x` broadcast to the shape of `like`, also where that is not known yet."""
    if is_known(like.static_shape):
        return bind(broadcast_to_p, x, shape=like.static_shape)
    return bind(broadcast_to_p, x, shape(like), shape=None)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """The TensorShape that two shapes broadcast to; ValueError where they do not."""
    from runtime.shapes import TensorShape, as_shape

    return TensorShape(broadcast(as_shape(shape_x), as_shape(shape_y)))


broadcast_shapes_p: Primitive = row(
    "broadcast_shapes",
    lambda a, b: np.array(np.broadcast_shapes(tuple(a.tolist()), tuple(b.tolist())), a.dtype),
    signature="I,I->I", op_type="BroadcastArgs", keep_inputs=(), gradient=_none, fallible=True,
    shape=lambda a, b: (max(a[0], b[0]) if a and b and None not in (*a, *b) else None,),
    samples=(),
)  # fmt: skip


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes (vectors of integers) broadcast to, as a vector."""
    a = convert_to_tensor(shape_x, dtype_hint=dtypes.int32)
    return bind(broadcast_shapes_p, a, convert_to_tensor(shape_y, a.dtype))  # type: ignore[no-any-return]


def _expand_shape(shape: Shape, *, axis: int) -> Shape:
    if shape is None:
        return None
    place = axis_in(axis, len(shape) + 1)
    return (*shape[:place], 1, *shape[place:])


expand_dims_p: Primitive = row(
    "expand_dims", lambda x, *, axis: np.expand_dims(x, axis), signature="A->A",
    shape=_expand_shape, op_type="ExpandDims", keep_inputs=(),
    gradient=lambda op, g: (bind(squeeze_p, g, axis=(op.params["axis"],)),),
    samples=(sample("2,3", axis=0), sample("2,3", axis=-1), sample("", axis=0)),
)  # fmt: skip


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` with a dimension of size 1 put in at `axis`."""
    place = static_int(axis, "axis")
    return bind(expand_dims_p, convert_to_tensor(input), axis=place)  # type: ignore[no-any-return]


def _squeeze_shape(shape: Shape, *, axis: tuple[int, ...] | None) -> Shape:
    if shape is None:
        return None
    if axis is None:
        return None if None in shape else tuple(dim for dim in shape if dim != 1)
    gone = {axis_in(i, len(shape)) for i in axis}
    for i in gone:
        if shape[i] not in (1, None):
            raise wrong_value(f"cannot squeeze axis {i} of shape {shape}: its size is not 1")
    return tuple(dim for i, dim in enumerate(shape) if i not in gone)


squeeze_p: Primitive = row(
    "squeeze", lambda x, *, axis: np.squeeze(x, axis), signature="A->A", shape=_squeeze_shape,
    op_type="Squeeze", keep_inputs=(), gradient=lambda op, g: (reshape_like(g, op.inputs[0]),),
    samples=(sample("1,2,1", axis=None), sample("1,2,1", axis=(0,)), sample("1,1", axis=(-1,))),
)  # fmt: skip


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """`input` without its dimensions of size 1: all of them, or those in `axis`."""
    chosen = None if axis is None else static_ints(axis, "axis") or None
    return bind(squeeze_p, convert_to_tensor(input), axis=chosen)  # type: ignore[no-any-return]


def _transpose_shape(shape: Shape, *, perm: tuple[int, ...] | None) -> Shape:
    if shape is None:
        return None if perm is None else (None,) * len(perm)
    if perm is None:
        return shape[::-1]
    if sorted(axis_in(i, len(shape), "perm") for i in perm) != list(range(len(shape))):
        raise wrong_value(f"perm {perm} is not a permutation of the axes of shape {shape}")
    return tuple(shape[i] for i in perm)


def _transpose_gradient(op: Any, g: Any) -> Any:
    perm = op.params["perm"]
    back = None if perm is None else tuple(np.argsort([i % len(perm) for i in perm]).tolist())
    return (bind(transpose_p, g, perm=back),)


transpose_p: Primitive = row(
    "transpose", lambda x, *, perm: np.transpose(x, perm), signature="A->A",
    shape=_transpose_shape, op_type="Transpose", gradient=_transpose_gradient, keep_inputs=(),
    samples=(sample("2,3", perm=None), sample("2,3,4", perm=(2, 0, 1))),
)  # fmt: skip


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """`a` with its axes in the order `perm` (None: reversed), conjugated if asked."""
    order = None if perm is None else static_ints(perm, "perm")
    result: Tensor = bind(transpose_p, convert_to_tensor(a), perm=order)
    return ops.conj(result) if conjugate else result


def matrix_transpose(a: Any, name: str | None = None, conjugate: bool = False) -> Tensor:
    """`a` with its last two axes exchanged."""
    x = convert_to_tensor(a)
    rank = x.ndim
    if rank is None or rank < 2:
        raise wrong_value(f"matrix_transpose needs a known rank of at least 2, got shape {x.shape}")
    return transpose(x, [*range(rank - 2), rank - 1, rank - 2], conjugate)


# Repeating and padding


def _tile_shape(shape: Shape, *dims: Shape, multiples: Shape) -> Shape:
    if shape is None or multiples is None:
        return None if shape is None else (None,) * len(shape)
    if len(shape) != len(multiples):
        raise wrong_value(f"multiples {multiples} must have one entry per dimension of {shape}")
    return tuple(
        None if d is None or m is None else d * m for d, m in zip(shape, multiples, strict=True)
    )


def _tile_kernel(x: Any, *dims: Any, multiples: Shape) -> Any:
    repeats = fill_dims(multiples, dims)
    if len(repeats) != np.ndim(x) or any(n < 0 for n in repeats):
        raise wrong_value(f"multiples {repeats} do not fit shape {np.shape(x)}")
    return np.tile(x, repeats)


def _tile_gradient(op: Any, g: Any) -> Any:
    x = op.inputs[0]
    dims, multiples = shape(x), _multiples_of(op)
    rank = x.ndim
    if rank is None:
        raise wrong_value("the gradient of tile needs a tensor of known rank")
    pairs = reshape(stack([multiples, dims], 1), (-1,))
    folded = reshape(g, pairs)
    summed = ops.reduce_sum(folded, tuple(range(0, 2 * rank, 2)))
    return (reshape_like(summed, x), *[None] * (len(op.inputs) - 1))


def _multiples_of(op: Any) -> Tensor:
    static, dynamic = op.params["multiples"], iter(op.inputs[1:])
    if static is None:
        return ops.cast(next(dynamic), dtypes.int32)
    parts = [next(dynamic) if m is None else m for m in static]
    return convert_to_tensor([ops.cast(part, dtypes.int32) for part in parts], dtypes.int32)


tile_p: Primitive = row(
    "tile", _tile_kernel, signature="A,i*->A", shape=_tile_shape, op_type="Tile",
    gradient=_tile_gradient, keep_inputs=(1, 2, 3, 4, 5, 6, 7, 8),
    samples=(sample("2,3", multiples=(2, 1)), sample("2", multiples=(3,))),
)  # fmt: skip


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis i."""
    static, dynamic = dims_of(multiples)
    return bind(tile_p, convert_to_tensor(input), *dynamic, multiples=static)  # type: ignore[no-any-return]


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each element (or slice along `axis`) repeated: once for all, or as many times as `repeats`
    says for each.
    """
    x = convert_to_tensor(input)
    counts = convert_to_tensor(repeats, dtype_hint=dtypes.int32)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    place = axis_in(static_int(axis, "axis"), x.ndim or 1)
    indices = bind(repeat_indices_p, counts, ops.cast(shape(x)[place], counts.dtype))
    return ops.gather(x, indices, axis=place)


repeat_indices_p: Primitive = row(
    "repeat_indices", lambda counts, n: np.repeat(np.arange(n, dtype=n.dtype), counts),
    signature="I,I->I", shape=lambda counts, n: (None,), op_type="RepeatIndices", fallible=True,
    gradient=_none, keep_inputs=(), samples=(),
)  # fmt: skip

_MODES = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def _pad_widths(paddings: Any, dims: Sequence[Any]) -> Any:
    return dims[0].tolist() if paddings is None else paddings


def _pad_kernel(x: Any, value: Any, *dims: Any, paddings: Any, mode: str) -> Any:
    widths = _pad_widths(paddings, dims)
    if len(widths) != x.ndim or any(n < 0 for pair in widths for n in pair):
        raise wrong_value(f"paddings {widths} do not fit shape {x.shape}")
    if mode == "CONSTANT":
        return np.pad(x, widths, constant_values=value)
    return np.pad(x, widths, mode=_MODES[mode])  # type: ignore[call-overload]


def _pad_shape(shape: Shape, value: Shape, *dims: Shape, paddings: Any, mode: str) -> Shape:
    if value:
        raise wrong_value(f"the value to pad with must be a scalar, got shape {value}")
    if shape is None or paddings is None:
        return None if shape is None else (None,) * len(shape)
    if len(paddings) != len(shape):
        raise wrong_value(f"paddings {paddings} must have one pair per dimension of shape {shape}")
    limit = {"CONSTANT": None, "REFLECT": 1, "SYMMETRIC": 0}[mode]
    for dim, pair in zip(shape, paddings, strict=True):
        if min(pair) < 0 or (limit is not None and dim is not None and max(pair) > dim - limit):
            raise wrong_value(f"paddings {paddings} do not fit shape {shape} in mode {mode}")
    return tuple(
        None if dim is None else dim + sum(pair) for dim, pair in zip(shape, paddings, strict=True)
    )


def _pad_gradient(op: Any, g: Any) -> Any:
    x, rest = op.inputs[0], [None] * (len(op.inputs) - 2)
    paddings, mode = op.params["paddings"], op.params["mode"]
    if mode != "CONSTANT":
        return (_mirrored_gradient(g, x, paddings, mode), None, *rest)
    if paddings is None:
        begin = op.inputs[2][:, 0]
    else:
        begin = tensor_of(np.array([pair[0] for pair in paddings], np.int32))
    inner = slice_(g, begin, ops.cast(shape(x), begin.dtype))
    return (inner, ops.reduce_sum(g) - ops.reduce_sum(inner), *rest)


def _mirrored_gradient(g: Any, x: Any, paddings: Any, mode: str) -> Any:
    """Each axis in turn: a mirrored pad is a gather, its gradient adds where that took from."""
    if paddings is None:
        raise wrong_value(f"the gradient of pad in mode {mode} needs paddings known while tracing")
    sizes = shape(x)
    for axis, pair in enumerate(paddings):
        if any(pair):
            indices = pad(ops.range(sizes[axis]), (pair,), mode)
            wanted = concat([sizes[: axis + 1], shape(g)[axis + 1 :]], 0)
            unknown = (None,) * len(paddings)
            g = bind(
                ops.gather_grad_p, g, indices, wanted, shape=unknown, axis=axis, batch_dims=0,
                negative=False,
            )  # fmt: skip
    return g


pad_p: Primitive = row(
    "pad", checked(_pad_kernel, _pad_shape), signature="A,A,i*->A", shape=_pad_shape,
    op_type="PadV2",
    gradient=_pad_gradient, keep_inputs=(2,),
    samples=(
        sample("2,3", "", paddings=((1, 0), (2, 1)), mode="CONSTANT"),
        sample("3,4", "", paddings=((1, 1), (2, 0)), mode="REFLECT"),
        sample("3", "", paddings=((2, 3),), mode="SYMMETRIC"),
    ),
)  # fmt: skip


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`tensor` with `paddings[i]` = (before, after) elements added along each axis i.

    `mode` is CONSTANT (filled with `constant_values`), REFLECT or SYMMETRIC (mirrored without /
    with the edge).
    """
    mode = one_of(mode, "mode", _MODES)
    x = convert_to_tensor(tensor)
    value = convert_to_tensor(
        constant_values if x.dtype is not dtypes.string else constant_values or "", x.dtype
    )
    pairs = paddings if isinstance(paddings, Tensor) else _static_pairs(paddings)
    if isinstance(pairs, Tensor):
        known = pairs.static_value
        if known is None:
            return bind(pad_p, x, value, pairs, paddings=None, mode=mode)  # type: ignore[no-any-return]
        pairs = known
    if np.ndim(pairs) != 2 or np.shape(pairs)[1] != 2:
        raise wrong_value(f"paddings must be pairs of numbers, got shape {np.shape(pairs)}")
    widths = tuple(tuple(pair) for pair in pairs.tolist())
    return bind(pad_p, x, value, paddings=widths, mode=mode)  # type: ignore[no-any-return]


def _static_pairs(paddings: Any) -> Any:
    if isinstance(paddings, np.ndarray):
        return paddings
    return convert_to_tensor(paddings, dtype_hint=dtypes.int32)


# Joining and splitting


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
    rank = g.ndim if g.ndim is not None else next(x.ndim for x in op.inputs if x.ndim is not None)
    place = axis_in(axis, rank)
    pieces: list[Any] = []
    start: Any = 0
    for x in op.inputs:
        known = None if x.static_shape is None else x.static_shape[place]
        stop = start + (shape(x)[place] if known is None else known)
        pieces.append(g[(slice(None),) * place + (slice(start, stop),)])
        start = stop
    return pieces


concat_p: Primitive = row(
    "concat", lambda *values, axis: np.concatenate(values, axis), signature="A*->A",
    shape=_concat_shape, op_type="ConcatV2", gradient=_concat_gradient, keep_inputs=(),
    samples=(sample("2,3", "4,3", axis=0), sample("2,1", "2,2", "2,3", axis=-1)),
)  # fmt: skip


def concat(values: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensors of a list joined along an existing axis."""
    tensors = _same_dtypes(values)
    place = static_int(axis, "axis")
    return bind(concat_p, *tensors, axis=place)  # type: ignore[no-any-return]


def _same_dtypes(values: Any) -> list[Tensor]:
    if isinstance(values, Tensor) and not values.ndim:
        return [values]
    given = listed(values, "values")
    if not given:
        raise wrong_value("at least one tensor is needed")
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
    "stack", lambda *values, axis: np.stack(values, axis), signature="A*->A", shape=_stack_shape,
    op_type="Pack", keep_inputs=(),
    gradient=lambda op, g: unstack(g, len(op.inputs), op.params["axis"]),
    samples=(sample("2,3", "2,3", axis=0), sample("2", "2", axis=-1), sample("", "", axis=0)),
)  # fmt: skip


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Tensor:
    """The tensors of a list joined along a new axis; of an empty list an empty vector."""
    place = static_int(axis, "axis")
    if isinstance(values, list | tuple) and not values and place == 0:
        return convert_to_tensor([])
    return bind(stack_p, *_same_dtypes(values), axis=place)  # type: ignore[no-any-return]


def parallel_stack(values: Any, name: str | None = None) -> Tensor:
    """The tensors of a list joined along a new first axis."""
    return stack(values)


def _unstack_kernel(x: Any, *, num: int, axis: int) -> Any:
    if x.shape[axis] != num:
        raise wrong_value(f"axis {axis} of shape {x.shape} has not {num} elements")
    turned = np.moveaxis(x, axis, 0)
    return tuple([_object_safe(turned[i], x.dtype) for i in range(num)])


def _object_safe(value: Any, dtype: Any) -> Any:
    return np.array(value, dtype) if dtype.kind == "O" and type(value) is bytes else value


def _unstack_infer(x: Any, *, num: int, axis: int) -> Any:
    from runtime.types import TensorType

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
    samples=(sample("2,3", num=2, axis=0), sample("2,3", num=3, axis=-1)),
)  # fmt: skip


def unstack(
    value: Any, num: int | None = None, axis: Any = 0, name: str | None = None
) -> list[Tensor]:
    """The list of slices of `value` along `axis`; ValueError where their number is not known."""
    x, place = convert_to_tensor(value), static_int(axis, "axis")
    if num is None:
        if x.static_shape is None:
            raise wrong_value(f"Cannot infer argument `num` from shape {x.shape}")
        num = x.static_shape[axis_in(place, len(x.static_shape))]
        if num is None:
            raise wrong_value(f"Cannot infer argument `num` from shape {x.shape}")
    return list(bind(unstack_p, x, num=num, axis=place))


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
    from runtime.types import TensorType

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
    "split", _split_kernel, _split_infer, op_type="Split", keep_inputs=(),
    gradient=lambda op, *g: (concat(present(op, g), op.params["axis"]),),
    samples=(sample("4,3", sizes=2, axis=0), sample("2,5", sizes=(1, -1, 2), axis=-1)),
)  # fmt: skip


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """`value` cut along `axis` into a number of equal parts, or into parts of the given sizes (one
    may be -1).
    """
    x, place = convert_to_tensor(value), static_int(axis, "axis")
    sizes = num_or_size_splits
    if isinstance(sizes, Tensor):
        known = sizes.static_value
        if known is None:
            return _dynamic_split(x, sizes, place, num)
        sizes = known.tolist()
    if isinstance(sizes, int | np.integer):
        if sizes <= 0:
            raise wrong_value(f"num_split must be positive, got {sizes}")
        return list(bind(split_p, x, sizes=int(sizes), axis=place))
    return list(bind(split_p, x, sizes=static_ints(sizes, "num_or_size_splits"), axis=place))


def _dynamic_split(x: Tensor, sizes: Tensor, axis: int, num: int | None) -> list[Tensor]:
    lengths = unstack(sizes, num)
    place = axis_in(axis, x.ndim) if x.ndim is not None else axis
    parts, start = [], convert_to_tensor(0, sizes.dtype)
    for length in lengths:
        stop = start + length
        parts.append(x[(slice(None),) * place + (slice(start, stop),)])
        start = stop
    return parts


def _boxed(dim: int | None, start: int | None, length: int | None, axis: int) -> int | None:
    """The size of a box along one axis; ValueError where it is known not to lie inside."""
    if start is not None and (start < 0 or (dim is not None and start > dim)):
        raise wrong_value(f"begin[{axis}] = {start} is not in [0, {dim}]")
    room = None if dim is None or start is None else dim - start
    if length is None or length == -1:
        return length if length is None else room
    if length < 0 or (room is not None and length > room):
        raise wrong_value(f"size[{axis}] = {length} is not in [0, {room}]")
    return length


def _slice_shape(shape: Shape, *dims: Shape, box: Dims) -> Shape:
    rank = len(box) // 2
    given = (None,) * rank if shape is None else shape
    if len(given) != rank:
        raise wrong_value(f"begin and size have {rank} entries, but the shape is {shape}")
    return tuple(map(_boxed, given, box[:rank], box[rank:], range(rank)))


def _slice_kernel(x: Any, *dims: Any, box: Dims) -> Any:
    known = fill_dims(box, dims)
    lengths = _slice_shape(x.shape, box=known)
    places = zip(known, lengths, strict=False)  # type: ignore[arg-type]
    return x[(*[slice(start, start + length) for start, length in places], ...)]  # type: ignore[operator]


def _slice_gradient(op: Any, g: Any) -> Any:
    x, rest = op.inputs[0], iter(op.inputs[1:])
    rank = len(op.params["box"]) // 2
    begin = [next(rest) if entry is None else entry for entry in op.params["box"][:rank]]
    if not rank:
        return (g, *[None] * (len(op.inputs) - 1))
    before = stack([ops.cast(start, dtypes.int32) for start in begin])
    after = shape(x) - before - shape(g)
    padded = reshape_like(pad(g, stack([before, after], 1)), x)
    return (padded, *[None] * (len(op.inputs) - 1))


slice_p: Primitive = row(
    "slice", _slice_kernel, signature="A,i*->A", shape=_slice_shape, op_type="Slice",
    gradient=_slice_gradient, fallible=True,
    samples=(sample("3,4", box=(1, 0, 2, -1)), sample("3,4", ":i2", box=(None, 1, 1, 3))),
)  # fmt: skip


def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The box of `input_` that starts at `begin` and has the given `size` (-1: up to the end).

    InvalidArgumentError for a box that does not lie inside.
    """
    x = convert_to_tensor(input_)
    starts, sizes = _entries(begin, x), _entries(size, x)
    if len(starts) != len(sizes):
        raise wrong_value(f"Slice: begin has {len(starts)} entries, but size has {len(sizes)}")
    box, dynamic = dims_of([*starts, *sizes])
    return bind(slice_p, x, *dynamic, box=box)  # type: ignore[no-any-return]


def _entries(values: Any, x: Tensor) -> list[Any]:
    static, dynamic = dims_of(values)
    if static is None:
        return unstack(dynamic[0], x.ndim)
    rest = iter(dynamic)
    return [next(rest) if entry is None else entry for entry in static]


# Order along axes


def _same_axes(shape: Shape, *, axis: tuple[int, ...], **params: Any) -> Shape:
    if shape is not None:
        for i in axis:
            axis_in(i, len(shape))
    return shape


reverse_p: Primitive = row(
    "reverse", lambda x, *, axis: np.flip(x, axis), signature="A->A", shape=_same_axes,
    op_type="ReverseV2", keep_inputs=(),
    gradient=lambda op, g: (bind(reverse_p, g, axis=op.params["axis"]),),
    samples=(sample("2,3", axis=(0,)), sample("2,3", axis=(0, -1))),
)  # fmt: skip


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements in reverse order along each axis in `axis`."""
    return bind(reverse_p, convert_to_tensor(tensor), axis=static_ints(axis, "axis"))  # type: ignore[no-any-return]


def _roll_kernel(x: Any, shift: Any, *, axis: tuple[int, ...]) -> Any:
    return np.roll(x, tuple(np.asarray(shift).reshape(-1).tolist()), axis)


roll_p: Primitive = row(
    "roll", _roll_kernel, signature="A,I->A", op_type="Roll",
    shape=lambda shape, shift, *, axis: _same_axes(shape, axis=axis),
    gradient=lambda op, g: (bind(roll_p, g, -op.inputs[1], axis=op.params["axis"]), None),
    keep_inputs=(1,),
    samples=(sample("2,3", ":i3", axis=(1,)), sample("2,3", "2:i3", axis=(0, 1))),
)  # fmt: skip


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements moved by `shift` along `axis`; what leaves at one end comes in at the other."""
    places = static_ints(axis, "axis")
    return bind(roll_p, convert_to_tensor(input), convert_to_tensor(shift), axis=places)  # type: ignore[no-any-return]


ensure_shape_p: Primitive = row(
    "ensure_shape",
    lambda x, *, shape: _ensured(x, shape),
    signature="A->A", shape=lambda given, *, shape: merge_shapes(given, shape),
    op_type="EnsureShape", fallible=True, gradient=lambda op, g: (g,), keep_inputs=(),
    samples=(sample("2,3", shape=(None, 3)),),
)  # fmt: skip


def _ensured(x: Any, wanted: Shape) -> Any:
    merge_shapes(np.shape(x), wanted)
    return x


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, whose shape is checked against `shape` (with None for any size) now and at run time."""
    from runtime.shapes import as_shape

    return bind(ensure_shape_p, convert_to_tensor(x), shape=as_shape(shape))  # type: ignore[no-any-return]
