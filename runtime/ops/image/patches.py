"""Patches of images, and the edges that a filter finds in them."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_shape, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of, static_ints
from runtime.ops.convolution import depthwise_conv2d
from runtime.ops.image.sizes import dimension


def _pair(value: Any, what: str) -> tuple[int, int]:
    given = static_ints(value, what)
    if len(given) != 4 or given[0] != 1 or given[3] != 1 or min(given) < 1:
        raise wrong_value(f"{what} must be [1, rows, columns, 1] and positive, got {list(given)}")
    return given[1], given[2]


def _axis(x: Tensor, axis: int, size: int, stride: int, rate: int, padding: str) -> tuple[Any, Any]:
    """The images with what the patches need around an axis, and how many patches it has."""
    length = dimension(x, axis)
    reach = (size - 1) * rate + 1
    if padding == "VALID":
        count = (length - reach) // stride + 1
        return x, max(count, 0) if isinstance(count, int) else ops.maximum(count, 0)
    count = (length + stride - 1) // stride
    missing = (count - 1) * stride + reach - length
    missing = max(missing, 0) if isinstance(missing, int) else ops.maximum(missing, 0)
    pads: list[Any] = [[0, 0] for _ in range(4)]
    pads[axis] = [missing // 2, missing - missing // 2]
    return ops.pad(x, pads), count


def _gathered(x: Tensor, axis: int, count: Any, size: int, stride: int, rate: int) -> Tensor:
    starts = ops.expand_dims(ops.range(count) * stride, 1)
    places = starts + np.arange(size, dtype=np.int32) * np.int32(rate)
    return ops.gather(x, ops.reshape(places, [-1]), axis=axis)


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """The patches of images, each as the channels of one pixel.

    Args:
        images: (batch, height, width, channels), numbers of any dtype.
        sizes: [1, rows, columns, 1] of a patch.
        strides: [1, rows, columns, 1] from one patch to the next.
        rates: [1, rows, columns, 1] from one pixel of a patch to the next.
        padding: "VALID", or "SAME" for zeros around the images.

    Returns (batch, patches down, patches across, rows * columns * channels). Raises
    InvalidArgumentError (ValueError while tracing) for other ranks and sizes.

    >>> grey = rt.reshape(rt.range(4.), [1, 2, 2, 1])
    >>> one = [1, 1, 1, 1]
    >>> rt.image.extract_patches(grey, [1, 1, 2, 1], one, one, "VALID").numpy().tolist()
    [[[[0.0, 1.0]], [[2.0, 3.0]]]]
    """
    x = convert_to_tensor(images)
    if x.static_shape is None or len(x.static_shape) != 4:
        raise wrong_shape(f"the input of extract_patches must have rank 4, got shape {x.shape}", x)
    padding = one_of(padding, "padding", ("SAME", "VALID"))
    (h, w), (down, across), (rate, rate_across) = (
        _pair(value, what)
        for value, what in ((sizes, "sizes"), (strides, "strides"), (rates, "rates"))
    )
    x, rows = _axis(x, 1, h, down, rate, padding)
    x, columns = _axis(x, 2, w, across, rate_across, padding)
    x = _gathered(x, 1, rows, h, down, rate)
    x = _gathered(x, 2, columns, w, across, rate_across)
    n, c = dimension(x, 0), dimension(x, 3)
    split = ops.transpose(ops.reshape(x, [n, rows, h, columns, w, c]), [0, 1, 3, 2, 4, 5])
    return ops.reshape(split, [n, rows, columns, h * w * c])


_SOBEL = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float64)


def sobel_edges(image: Any) -> Tensor:
    """The edges of images by Sobel's filters: down and across, along a new last axis.

    Args:
        image: (batch, height, width, channels), of floats, reflected at its borders.

    Returns (batch, height, width, channels, 2) of the same dtype. Raises InvalidArgumentError
    (ValueError while tracing) for other ranks.

    >>> step = rt.constant([[[[0.], [0.], [1.], [1.]]]]) + rt.zeros([1, 3, 1, 1])
    >>> rt.image.sobel_edges(step)[0, 1, :, 0, 1].numpy().tolist()
    [0.0, 4.0, 4.0, 0.0]
    """
    x = convert_to_tensor(image)
    if x.static_shape is None or len(x.static_shape) != 4 or x.static_shape[3] is None:
        raise wrong_value(
            f"the input of sobel_edges must have rank 4 and known channels, got shape {x.shape}"
        )
    filters = np.repeat(np.stack([_SOBEL, _SOBEL.T], -1)[:, :, None], x.static_shape[3], 2)
    padded = ops.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    kernel = convert_to_tensor(filters.astype(x.dtype.np_dtype))
    edges = depthwise_conv2d(padded, kernel, [1, 1, 1, 1], "VALID")
    return ops.reshape(edges, [*(dimension(x, axis) for axis in range(4)), 2])
