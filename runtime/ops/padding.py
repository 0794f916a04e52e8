"""Repeating and padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor, get_static_value, tensor_of
from runtime.core.primitive import Memory, Order, Primitive, bind, flat, row, sample, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.workspace import c_contiguous
from runtime.ops.arguments import one_of, static_int
from runtime.ops.define import axis_in, dims_of, fill_dims


def _of_rank_of(shape: Shape, rows: tuple[Shape, ...]) -> Shape:
    """A shape of which the rank alone is known: by the one before, or by the length of `rows`."""
    length = rows[0][0] if rows and rows[0] else None
    rank = length if shape is None else len(shape)
    return None if rank is None else (None,) * rank


def _tile_shape(shape: Shape, *dims: Shape, multiples: Shape) -> Shape:
    if multiples is None:
        return _of_rank_of(shape, dims)
    if any(m is not None and m < 0 for m in multiples):
        raise wrong_value(f"multiples {multiples} must not be negative")
    if shape is None:
        return (None,) * len(multiples)
    if len(shape) != len(multiples):
        raise wrong_value(f"multiples {multiples} must have one entry per dimension of {shape}")
    return tuple(
        None if d is None or m is None else d * m for d, m in zip(shape, multiples, strict=True)
    )


def _tile_kernel(x: Any, *dims: Any, multiples: Shape, out: Any = None) -> Any:
    repeats = fill_dims(multiples, dims)
    if len(repeats) != np.ndim(x) or any(n < 0 for n in repeats):
        raise wrong_value(f"multiples {repeats} do not fit shape {np.shape(x)}")
    if out is None:
        return np.tile(x, repeats)
    shape = np.shape(x)
    # Each axis as two: which repetition, and where in it.
    pairs = [size for pair in zip(repeats, shape, strict=True) for size in pair]
    out.reshape(pairs)[...] = np.reshape(x, [size for dim in shape for size in (1, dim)])
    return out


def _tile_gradient(op: Any, g: Any) -> Any:
    x = op.inputs[0]
    dims, multiples = ops.shape(x), _multiples_of(op)
    rank = (multiples.static_shape or (None,))[0] if x.ndim is None else x.ndim
    if rank is None:
        raise wrong_value("the gradient of tile needs a tensor of known rank: use ensure_shape")
    pairs = ops.reshape(ops.stack([multiples, dims], 1), (-1,))
    folded = ops.reshape(g, pairs)
    summed = ops.reduce_sum(folded, tuple(range(0, 2 * rank, 2)))
    return (ops.reshape_like(summed, x), *[None] * (len(op.inputs) - 1))


def _multiples_of(op: Any) -> Tensor:
    static, dynamic = op.params["multiples"], iter(op.inputs[1:])
    if static is None:
        return ops.cast(next(dynamic), dtypes.int32)
    parts = [next(dynamic) if m is None else m for m in static]
    return convert_to_tensor([ops.cast(part, dtypes.int32) for part in parts], dtypes.int32)


tile_p: Primitive = row(
    "tile", _tile_kernel, signature="A,i*->A", shape=_tile_shape, op_type="Tile",
    gradient=_tile_gradient, keep_inputs=(1, 2, 3, 4, 5, 6, 7, 8),
    samples=(sample("2,3", multiples=(2, 1)), sample("2", multiples=(3,))), order=Order.C,
    instruction="tile",
)  # fmt: skip


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis i.

    >>> rt.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]
    """
    static, dynamic = dims_of(multiples)
    return bind(tile_p, convert_to_tensor(input), *dynamic, multiples=static)  # type: ignore[no-any-return]


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each element (or slice along `axis`) repeated.

    `repeats` is one number for all, or one for each.

    >>> rt.repeat([1, 2], 2).numpy().tolist()
    [1, 1, 2, 2]
    """
    x = convert_to_tensor(input)
    counts = convert_to_tensor(repeats, dtype_hint=dtypes.int32)
    if axis is None or x.ndim == 0:
        x, axis = ops.reshape(x, (-1,)), 0 if axis is None else axis
    place = static_int(axis, "axis")
    if x.ndim is not None:
        place = axis_in(place, x.ndim)
    indices = bind(repeat_indices_p, counts, ops.cast(ops.shape(x)[place], counts.dtype))
    if indices.static_shape == (None,):
        known, size = get_static_value(counts), x.static_shape and x.static_shape[place]
        if known is not None and size and known.size in (1, size):
            indices.set_shape([int(np.broadcast_to(known, (size,)).sum())])
    # Counted from the end: along a first axis the gradient would be slices, which it is not.
    return ops.gather(x, indices, axis=place if x.ndim is None else place - x.ndim)


def _repeat_kernel(counts: Any, n: Any) -> Any:
    if counts.ndim > 1 or (counts.ndim == 1 and counts.size not in (1, n)):
        raise errors.InvalidValueError(
            f"repeats has the shape {counts.shape}, for {n} elements or slices: one number for "
            "each is needed, or one for all",
        )  # fmt: skip
    return np.repeat(np.arange(n, dtype=n.dtype), counts)


repeat_indices_p: Primitive = row(
    "repeat_indices", _repeat_kernel,
    signature="I,I->I", shape=lambda counts, n: (None,), op_type="Repeat", fallible=True,
    gradient=flat, keep_inputs=(), samples=(), memory=Memory.READS,
)  # fmt: skip


_MODES = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def _pad_widths(paddings: Any, dims: Sequence[Any]) -> Any:
    return dims[0].tolist() if paddings is None else paddings


def _pad_kernel(
    x: Any, value: Any, *dims: Any, paddings: Any, mode: str, out: Any = None
) -> Any:  # fmt: skip
    widths = _pad_widths(paddings, dims)
    _pad_shape(x.shape, value.shape, paddings=widths, mode=mode)
    if mode != "CONSTANT" and x.ndim:
        return c_contiguous(np.pad(x, widths, mode=_MODES[mode]))  # type: ignore[call-overload]
    ends = [(before, before + dim) for (before, _), dim in zip(widths, x.shape, strict=True)]
    if out is None:
        sizes = [end + after for (_, end), (_, after) in zip(ends, widths, strict=True)]
        out = np.empty(sizes, x.dtype)
    out[...] = value
    out[tuple([slice(*pair) for pair in ends])] = x
    return out


def _pad_shape(shape: Shape, value: Shape, *dims: Shape, paddings: Any, mode: str) -> Shape:
    if value:
        raise wrong_value(f"the value to pad with must be a scalar, got shape {value}")
    if paddings is None:
        return _of_rank_of(shape, dims)
    if shape is None:
        return (None,) * len(paddings)
    if len(paddings) != len(shape):
        raise wrong_value(f"paddings {paddings} must have one pair per dimension of shape {shape}")
    limit = {"CONSTANT": None, "REFLECT": 1, "SYMMETRIC": 0}[mode]
    for dim, pair in zip(shape, paddings, strict=True):
        if min(pair) < 0 or (limit is not None and dim is not None and max(pair) > dim - limit):
            raise wrong_value(f"paddings {paddings} do not fit shape {shape} in mode {mode}")
    return _grown(shape, paddings)


def _grown(shape: Shape, paddings: Any) -> Shape:
    """The shape behind a pad, as far as it is known: widths of -1 are not."""
    return tuple(
        None if dim is None or min(pair) < 0 else dim + sum(pair)
        for dim, pair in zip(shape or (), paddings, strict=True)
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
    inner = ops.slice_(g, begin, ops.cast(ops.shape(x), begin.dtype))
    return (inner, ops.reduce_sum(g) - ops.reduce_sum(inner), *rest)


def _mirrored_gradient(g: Any, x: Any, paddings: Any, mode: str) -> Any:
    """Each axis in turn: a mirrored pad is a gather, its gradient adds where that took from."""
    if paddings is None:
        raise wrong_value(f"the gradient of pad in mode {mode} needs paddings known while tracing")
    sizes = ops.shape(x)
    for axis, pair in enumerate(paddings):
        if any(pair):
            indices = pad(ops.range(sizes[axis]), (pair,), mode)
            wanted = ops.concat([sizes[: axis + 1], ops.shape(g)[axis + 1 :]], 0)
            unknown = (None,) * len(paddings)
            g = bind(
                ops.gather_grad_p, g, indices, wanted, shape=unknown, axis=axis, batch_dims=0,
                negative=False,
            )  # fmt: skip
    return g


pad_p: Primitive = row(
    "pad", _pad_kernel, signature="A,A,i*->A", shape=_pad_shape,
    op_type="PadV2",
    gradient=_pad_gradient, keep_inputs=(2,),
    samples=(
        sample("2,3", "", paddings=((1, 0), (2, 1)), mode="CONSTANT"),
        sample("3,4", "", paddings=((1, 1), (2, 0)), mode="REFLECT"),
        sample("3", "", paddings=((2, 3),), mode="SYMMETRIC"),
    ), order=Order.C, instruction="pad",
)  # fmt: skip


_ZEROS: dict[dtypes.DType, Any] = {dtypes.string: "", dtypes.bool: False}
"""The values that 0 stands for, of dtypes that have no 0."""


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`tensor` with `paddings[i]` = (before, after) elements added along each axis i.

    `mode` is CONSTANT (filled with `constant_values`), REFLECT or SYMMETRIC (mirrored without /
    with the edge).

    >>> rt.pad([1], [[1, 2]]).numpy().tolist()
    [0, 1, 0, 0]
    """
    mode = one_of(mode, "mode", _MODES)
    x = convert_to_tensor(tensor)
    is_zero = type(constant_values) in (int, float) and not constant_values
    value = convert_to_tensor(_ZEROS.get(x.dtype, 0) if is_zero else constant_values, x.dtype)
    pairs = paddings if isinstance(paddings, Tensor) else _static_pairs(paddings)
    if isinstance(pairs, Tensor):
        known = pairs.static_value
        if known is None:
            made: Tensor = bind(pad_p, x, value, pairs, paddings=None, mode=mode)
            if pairs.static_sizes is not None and x.static_shape is not None:
                made.set_shape(_grown(x.static_shape, pairs.static_sizes.tolist()))
            return made
        pairs = known
    if np.ndim(pairs) != 2 or np.shape(pairs)[1] != 2:
        raise wrong_value(f"paddings must be pairs of numbers, got shape {np.shape(pairs)}")
    widths = tuple(tuple(pair) for pair in pairs.tolist())
    return bind(pad_p, x, value, paddings=widths, mode=mode)  # type: ignore[no-any-return]


def _static_pairs(paddings: Any) -> Any:
    if isinstance(paddings, np.ndarray):
        return paddings
    return convert_to_tensor(paddings, dtype_hint=dtypes.int32)
