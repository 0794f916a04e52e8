"""Measurements of images: gradients, variation, noise."""

from __future__ import annotations

import math
from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.image.colors import convert_image_dtype
from runtime.ops.image.sizes import as_image


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The differences to the next row and to the next column, of a batch of images.

    They are zeros in the last one.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.image_gradients(grey[None])[0][0].numpy().tolist()
    [[[0.5], [0.5]], [[0.0], [0.0]]]
    """
    x = as_image(image)
    if x.ndim != 4:
        raise wrong_value(f"image_gradients expects a tensor of rank 4, got shape {x.shape}")
    down = ops.pad(x[:, 1:] - x[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    across = ops.pad(x[:, :, 1:] - x[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return down, across


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbours, for each image.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> float(rt.image.total_variation(grey))
    1.5
    """
    x = as_image(images, "images")
    down = x[..., 1:, :, :] - x[..., :-1, :, :]
    across = x[..., :, 1:, :] - x[..., :, :-1, :]
    axes = (-3, -2, -1)
    return ops.reduce_sum(ops.abs(down), axes) + ops.reduce_sum(ops.abs(across), axes)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio between images, in decibels.

    Their values reach up to `max_val`.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> round(float(rt.image.psnr(grey, grey + 0.1, 1.)), 3)
    20.0
    """
    first, second = convert_to_tensor(a), convert_to_tensor(b)
    peak = convert_image_dtype(ops.cast(max_val, first.dtype), dtypes.float32)
    x, y = (convert_image_dtype(image, dtypes.float32) for image in (first, second))
    error = ops.reduce_mean(ops.squared_difference(x, y), (-3, -2, -1))
    return ops.log(ops.square(peak) / error) * (10 / math.log(10))


__all__ = [
    "image_gradients",
    "psnr",
    "total_variation",
]
