"""Shapes of tensors: reading, checking and changing them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.identities import of_known_shape
from runtime.core.primitive import Memory, Order, Primitive, bind, flat, row, sample, wrong_value
from runtime.core.shapes import (
    Shape,
    TensorShape,
    as_shape,
    broadcast,
    is_known,
    merge_shapes,
    size_of,
)
from runtime.core.tensor import Tensor
from runtime.ops import batching, run_time_axes
from runtime.ops.arguments import axis_or_tensor, integer_dtype, listed, static_ints
from runtime.ops.define import axes_in, axis_in, dims_of, fill_dims, sum_to_shape_of

Dims = tuple[int | None, ...]


shape_p: Primitive = row(
    "shape", lambda x, *, dtype: np.array(x.shape, dtype.np_dtype), signature="A->dtype",
    op_type="Shape", keep_inputs=(), gradient=flat,
    shape=lambda shape, *, dtype: (None if shape is None else len(shape),),
    samples=(sample("2,3", dtype=dtypes.int32), sample("", dtype=dtypes.int64)),
    memory=Memory.READS, of_shape=True, instruction="shape",
)  # fmt: skip


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The shape as a vector of integers, known at run time even where `x.shape` is not.

    >>> rt.shape([[1, 2, 3]]).numpy().tolist()
    [1, 3]
    """
    return bind(shape_p, convert_to_tensor(input), dtype=integer_dtype(out_type, "out_type"))  # type: ignore[no-any-return]


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    >>> [x.numpy().tolist() for x in rt.shape_n([[1], [1, 2]])]
    [[1], [2]]
    """
    return [shape(x, out_type) for x in listed(input, "input")]


size_p: Primitive = row(
    "size", lambda x, *, dtype: dtype.np_dtype.type(np.size(x)), signature="A->dtype",
    shape=lambda shape, *, dtype: (), op_type="Size", keep_inputs=(), gradient=flat,
    samples=(sample("2,3", dtype=dtypes.int32),), of_shape=True, instruction="size",
)  # fmt: skip


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements.

    >>> int(rt.size([[1, 2]]))
    2
    """
    return bind(size_p, convert_to_tensor(input), dtype=integer_dtype(out_type, "out_type"))  # type: ignore[no-any-return]


rank_p: Primitive = row(
    "rank", lambda x: np.int32(np.ndim(x)), signature="A->int32", shape=lambda shape: (),
    op_type="Rank", keep_inputs=(), gradient=flat, samples=(sample("2,3"),),
    of_shape=True,
)  # fmt: skip


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions, as a scalar tensor.

    >>> int(rt.rank([[1]]))
    2
    """
    return bind(rank_p, convert_to_tensor(input))  # type: ignore[no-any-return]


def _reshape_kernel(x: Any, *dims: Any, shape: Shape, out: Any = None) -> Any:
    wanted = fill_dims(shape, dims)
    # NumPy takes any negative number for -1.
    if wanted and min(wanted) < -1:
        raise wrong_value(f"cannot reshape to {wanted}: only -1 may be negative")
    if not x.size and -1 in wanted:
        wanted = _with_rest(x.shape, wanted)  # type: ignore[assignment]
    if out is None:
        return x.reshape(wanted)
    np.copyto(out.reshape(x.shape), x)
    return out


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
    given_dims: Dims = given  # type: ignore[assignment]
    if 0 in wanted and -1 in wanted:
        # Every size fits: it is found as if zeros were not there.
        rest = math.prod(dim or 1 for dim in given_dims) // _product_of_others(wanted)
    else:
        rest = total // max(1, _product_of_others(wanted))
    made = tuple(rest if dim == -1 else dim for dim in wanted)
    if math.prod(made) != total:  # type: ignore[arg-type]
        raise wrong_value(f"cannot reshape a tensor with {total} elements {given} to {wanted}")
    return made


def _product_of_others(wanted: Dims) -> int:
    """The product of the sizes that are neither 0 nor to be found."""
    return math.prod(dim for dim in wanted if dim not in (0, -1))  # type: ignore[misc]


reshape_p: Primitive = row(
    "reshape", _reshape_kernel, signature="A,i*->A", shape=_reshape_shape, op_type="Reshape",
    gradient=lambda op, g: (reshape_like(g, op.inputs[0]), *[None] * (len(op.inputs) - 1)),
    keep_inputs=(), samples=(sample("2,3", shape=(3, 2)), sample("2,3,4", shape=(-1, 4))),
    memory=Memory.ALIASES, identities=(of_known_shape,), batching=batching.reshaped,
    instruction="reshape",
)  # fmt: skip


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one dimension may be -1 and is inferred.

    >>> rt.reshape([1, 2, 3, 4], [2, 2]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
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
    wanted = _reshape_shape(None, *dims, shape=None) if shape is None else shape
    if given is None or wanted is None:
        return wanted
    merged = broadcast(given, wanted)
    if merged is not None and (len(merged) != len(wanted) or not _covers(merged, wanted)):
        if shape is None:
            return wanted
        raise wrong_value(f"cannot broadcast shape {given} to {shape}")
    # A size of 1 may become any.
    kept = (None,) * (len(wanted) - len(given)) + tuple([n if n != 1 else None for n in given])
    return tuple(
        [known if size is None else size for size, known in zip(wanted, kept, strict=True)]
    )


def _covers(merged: Dims, wanted: Dims) -> bool:
    return all(w is None or m is None or m == w for m, w in zip(merged, wanted, strict=True))


def _is_of_shape(graph: Any, node: Any) -> Any:
    """The operand, where it has the shape that is asked for: one of the run may not fit."""
    return of_known_shape(graph, node) if is_known(node.params["shape"]) else None


broadcast_to_p: Primitive = row(
    "broadcast_to", _broadcast_kernel, signature="A,i*->A", shape=_broadcast_shape,
    op_type="BroadcastTo", keep_inputs=(),
    gradient=lambda op, g: (sum_to_shape_of(g, op.inputs[0]), *[None] * (len(op.inputs) - 1)),
    samples=(sample("3", shape=(2, 3)), sample("2,1", shape=(4, 2, 3)), sample("", shape=(2,))),
    memory=Memory.VIEWS, identities=(_is_of_shape,), batching=batching.broadcast_to,
    instruction="broadcast_to",
)  # fmt: skip


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` repeated to a larger shape by the rules of broadcasting.

    >>> rt.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    static, dynamic = dims_of(shape)
    return bind(broadcast_to_p, convert_to_tensor(input), *dynamic, shape=static)  # type: ignore[no-any-return]


def broadcast_like(x: Any, like: Any) -> Any:
    """`x` broadcast to the shape of `like`, also where that is not known yet."""
    if is_known(like.static_shape):
        return bind(broadcast_to_p, x, shape=like.static_shape)
    return bind(broadcast_to_p, x, shape(like), shape=None)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The TensorShape that two shapes broadcast to; ValueError where they do not.

    >>> rt.broadcast_static_shape([2, 1], [3])
    TensorShape([2, 3])
    """
    return TensorShape(broadcast(as_shape(shape_x), as_shape(shape_y)))


broadcast_shapes_p: Primitive = row(
    "broadcast_shapes",
    lambda a, b: np.array(np.broadcast_shapes(tuple(a.tolist()), tuple(b.tolist())), a.dtype),
    signature="I,I->I", op_type="BroadcastArgs", keep_inputs=(), fallible=True,
    gradient=flat,
    shape=lambda a, b: (max(a[0], b[0]) if a and b and None not in (*a, *b) else None,),
    samples=(),
)  # fmt: skip


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes (vectors of integers) broadcast to, as a vector.

    >>> rt.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
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
    memory=Memory.ALIASES, batching=batching.reshaped,
    instruction="expand_dims",
)  # fmt: skip


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` with a dimension of size 1 put in at `axis`.

    >>> rt.expand_dims([1, 2], 0).numpy().tolist()
    [[1, 2]]
    """
    x, place = convert_to_tensor(input), axis_or_tensor(axis)
    if isinstance(place, Tensor):
        return run_time_axes.inserted(x, place)
    return bind(expand_dims_p, x, axis=place)  # type: ignore[no-any-return]


def _squeeze_shape(shape: Shape, *, axis: tuple[int, ...] | None) -> Shape:
    if shape is None:
        return None
    if axis is None:
        return None if None in shape else tuple(dim for dim in shape if dim != 1)
    gone = axes_in(axis, len(shape))
    for i in gone:
        if shape[i] not in (1, None):
            raise wrong_value(f"cannot squeeze axis {i} of shape {shape}: its size is not 1")
    return tuple(dim for i, dim in enumerate(shape) if i not in gone)


squeeze_p: Primitive = row(
    "squeeze", lambda x, *, axis: np.squeeze(x, axis), signature="A->A", shape=_squeeze_shape,
    op_type="Squeeze", keep_inputs=(), gradient=lambda op, g: (reshape_like(g, op.inputs[0]),),
    samples=(sample("1,2,1", axis=None), sample("1,2,1", axis=(0,)), sample("1,1", axis=(-1,))),
    memory=Memory.ALIASES, batching=batching.reshaped,
    instruction="squeeze",
)  # fmt: skip


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """`input` without its dimensions of size 1: all of them, or those in `axis`.

    >>> rt.squeeze([[1, 2]]).numpy().tolist()
    [1, 2]
    """
    chosen = None if axis is None else tuple(dict.fromkeys(static_ints(axis, "axis"))) or None
    return bind(squeeze_p, convert_to_tensor(input), axis=chosen)  # type: ignore[no-any-return]


def dims(x: Tensor) -> list[Any]:
    """The dimensions of a tensor of known rank: numbers where they are known, else scalars."""
    known = x.static_shape or ()
    sizes = None if is_known(known) else shape(x)
    return [sizes[at] if sizes is not None and n is None else n for at, n in enumerate(known)]


ensure_shape_p: Primitive = row(
    "ensure_shape",
    lambda x, *, shape: _ensured(x, shape),
    signature="A->A", shape=lambda given, *, shape: merge_shapes(given, shape),
    op_type="EnsureShape", fallible=True, gradient=lambda op, g: (g,), keep_inputs=(),
    samples=(sample("2,3", shape=(None, 3)),), memory=Memory.ALIASES, order=Order.KEEP,
    identities=(of_known_shape,), instruction="ensure_shape",
)  # fmt: skip


def _ensured(x: Any, wanted: Shape) -> Any:
    merge_shapes(np.shape(x), wanted)
    return x


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, whose shape is checked against `shape` (with None for any size) now and at run time.

    >>> rt.ensure_shape([1, 2], [None]).numpy().tolist()
    [1, 2]
    """
    return bind(ensure_shape_p, convert_to_tensor(x), shape=as_shape(shape))  # type: ignore[no-any-return]
