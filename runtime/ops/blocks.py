"""Blocks of pixels moved into channels, channels into blocks, and blocks into the batch.

These are a reshape, a transposition and a reshape each, whose gradients are theirs.
"""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of, static_int


def _sizes(x: Tensor, what: str) -> list[Any]:
    """The four dimensions of a batch of images: integers where they are static."""
    if x.static_shape is None or len(x.static_shape) != 4:
        raise wrong_value(f"the input of {what} must have rank 4, got shape {x.shape}")
    known = x.static_shape
    return [ops.shape(x)[i] if n is None else n for i, n in enumerate(known)]


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
