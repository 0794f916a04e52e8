"""Blocks of pixels moved into channels, channels into blocks, and blocks into the batch.

These are a reshape, a transposition and a reshape each, whose gradients are theirs; with blocks of
the batch, padding or slicing too.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_shape, wrong_value
from runtime.core.shapes import compatible
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of, static_int, static_ints
from runtime.ops.checks import checked

Pairs = list[tuple[Any, Any]]


def _sizes(x: Tensor, what: str) -> list[Any]:
    """The four dimensions of a batch of images: integers where they are static."""
    if x.ndim not in (4, None):
        raise wrong_value(f"the input of {what} must have rank 4, got shape {x.shape}")
    return ops.dims(x if x.ndim == 4 else ops.ensure_shape(x, (None,) * 4))


def _block(block_size: Any) -> int:
    block = static_int(block_size, "block_size")
    if block < 2:
        raise wrong_value(f"block_size must be at least 2, got {block}")
    return block


def _parts(size: Any, block: int, what: str) -> Any:
    if isinstance(size, int) and size % block:
        raise wrong_value(f"{what} {size} cannot be divided into parts of {block}")
    return size // block


def space_to_depth(
    input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Each block of pixels of an image as the channels of one pixel.

    Args:
        input: (batch, height, width, channels), or "NCHW"; any dtype.
        block_size: the side of a block, which divides height and width.

    Returns (batch, height / b, width / b, b * b * channels). Raises InvalidArgumentError
    (ValueError while tracing) for other ranks and sizes.

    >>> rt.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]
    """
    x, b = convert_to_tensor(input), _block(block_size)
    if one_of(data_format, "data_format", ("NHWC", "NCHW")) == "NCHW":
        n, c, h, w = _sizes(x, "space_to_depth")
        h, w = _parts(h, b, "height"), _parts(w, b, "width")
        split = ops.transpose(ops.reshape(x, [n, c, h, b, w, b]), [0, 3, 5, 1, 2, 4])
        return ops.reshape(split, [n, c * b * b, h, w])
    n, h, w, c = _sizes(x, "space_to_depth")
    h, w = _parts(h, b, "height"), _parts(w, b, "width")
    split = ops.transpose(ops.reshape(x, [n, h, b, w, b, c]), [0, 1, 3, 2, 4, 5])
    return ops.reshape(split, [n, h, w, c * b * b])


def depth_to_space(
    input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The channels of each pixel as a block of pixels, the inverse of `space_to_depth`.

    Args:
        input: (batch, height, width, channels), or "NCHW"; any dtype.
        block_size: the side of a block, whose square divides the channels.

    Returns (batch, height * b, width * b, channels / b / b). Raises InvalidArgumentError
    (ValueError while tracing) for other ranks and sizes.

    >>> rt.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().tolist()
    [[[[1], [2]], [[3], [4]]]]
    """
    x, b = convert_to_tensor(input), _block(block_size)
    if one_of(data_format, "data_format", ("NHWC", "NCHW")) == "NCHW":
        n, c, h, w = _sizes(x, "depth_to_space")
        c = _parts(c, b * b, "depth")
        split = ops.transpose(ops.reshape(x, [n, b, b, c, h, w]), [0, 3, 4, 1, 5, 2])
        return ops.reshape(split, [n, c, h * b, w * b])
    n, h, w, c = _sizes(x, "depth_to_space")
    c = _parts(c, b * b, "depth")
    split = ops.transpose(ops.reshape(x, [n, h, w, b, b, c]), [0, 1, 3, 2, 4, 5])
    return ops.reshape(split, [n, h * b, w * b, c])


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Each place within the blocks of some axes as a part of the batch of its own.

    Args:
        input: (batch, *space, ...) of any dtype, with as many axes of space as blocks.
        block_shape: the sides of a block, a vector or one number, known while tracing.
        paddings: zeros before and behind each axis of space, (axes, 2), so that blocks divide it.

    Returns (batch * blocks, *space / block_shape, ...). Raises InvalidArgumentError
    (ValueError while tracing) for other ranks and sizes.

    >>> made = rt.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], [[0, 0], [0, 0]])
    >>> made.numpy().ravel().tolist(), made.shape.as_list()
    ([1, 2, 3, 4], [4, 1, 1, 1])
    """
    x, blocks, around = _in_blocks(input, block_shape, paddings, "paddings")
    if x.ndim is None:
        raise wrong_shape(f"space_to_batch needs a known rank, got shape {x.shape}", x)
    rest = x.ndim - 1 - len(blocks)
    padded = ops.pad(x, ops.stack([(0, 0), *around, *[(0, 0)] * rest]))
    n, *sizes = ops.dims(padded)
    space = [_parts(size, b, "an axis of") for size, b in zip(sizes, blocks, strict=False)]
    split = [n, *_interleaved(space, blocks), *sizes[len(blocks) :]]
    axes = range(1, 1 + 2 * len(blocks), 2)
    order = [*[axis + 1 for axis in axes], 0, *axes]
    moved = ops.transpose(ops.reshape(padded, split), _with_rest(order, rest))
    return ops.reshape(moved, [n * prod(blocks), *space, *sizes[len(blocks) :]])


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Parts of the batch as the places within blocks of some axes, the inverse of `space_to_batch`.

    Args:
        input: (batch, *space, ...) of any dtype, with as many axes of space as blocks.
        block_shape: the sides of a block, a vector or one number, known while tracing.
        crops: what is cut off before and behind each axis of space, (axes, 2).

    Returns (batch / blocks, *(space * block_shape - crops), ...). Raises InvalidArgumentError
    (ValueError while tracing) for other ranks and sizes.

    >>> rt.batch_to_space([[[[1]]], [[[2]]]], [1, 2], [[0, 0], [0, 0]]).numpy().tolist()
    [[[[1], [2]]]]
    """
    x, blocks, around = _in_blocks(input, block_shape, crops, "crops")
    if x.ndim is None:
        raise wrong_shape(f"batch_to_space needs a known rank, got shape {x.shape}", x)
    n, *sizes = ops.dims(x)
    batch = _parts(n, prod(blocks), "the batch of")
    rest, count = sizes[len(blocks) :], len(blocks)
    order = [count, *_interleaved(range(count + 1, 2 * count + 1), range(count))]
    moved = ops.transpose(ops.reshape(x, [*blocks, batch, *sizes]), _with_rest(order, len(rest)))
    space = [size * b for size, b in zip(sizes, blocks, strict=False)]
    whole = ops.reshape(moved, [batch, *space, *rest])
    cuts = []
    for size, (before, behind) in zip(space, around, strict=True):
        end = size - behind
        if isinstance(before, Tensor) or isinstance(end, Tensor):
            message = "crops of more elements than an axis has: what is left would end at"
            end = checked(convert_to_tensor(end), end >= before, "batch_to_space", message)
        elif end < before:
            raise wrong_value(f"crops ({before}, {behind}) of an axis of {size} elements")
        cuts.append(slice(before, end))
    return whole[(slice(None), *cuts)]


def _in_blocks(
    input: Any, block_shape: Any, around: Any, what: str
) -> tuple[Tensor, tuple[int, ...], Pairs]:
    x, given = convert_to_tensor(input), convert_to_tensor(around, dtype_hint=dtypes.int32)
    if not given.dtype.is_integer:
        raise wrong_dtype(f"{what} must be integers, not {given.dtype.name}")
    known, given = given.static_value, ops.cast(given, dtypes.int32)
    blocks = static_ints(block_shape, "block_shape")
    if np.ndim(block_shape) == 0:
        blocks *= 2 if given.static_shape is None else given.shape[0]
    axes = len(blocks)
    if not compatible(given.static_shape, (axes, 2)) or not all(b >= 1 for b in blocks):
        raise wrong_value(
            f"{what} must be of shape (axes, 2), and block_shape positive numbers for these axes; "
            f"got {given.shape} and {block_shape}"
        )
    if x.ndim is not None and x.ndim < 1 + axes:
        raise wrong_value(f"a batch with {axes} axes of space is needed, got shape {x.shape}")
    if known is None:
        name = "space_to_batch" if what == "paddings" else "batch_to_space"
        given = checked(given, given >= 0, name, f"{what} must not be negative")
        return x, blocks, [(pair[0], pair[1]) for pair in ops.unstack(given, axes)]
    if np.any(np.less(known, 0)):
        raise wrong_value(f"{what} must not be negative, got {known.tolist()}")
    return x, blocks, [tuple(pair) for pair in known.tolist()]


def _interleaved(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    return [item for pair in zip(first, second, strict=True) for item in pair]


def _with_rest(order: list[int], rest: int) -> list[int]:
    return [*order, *range(len(order), len(order) + rest)]
