"""Measurements of images: gradients, variation, noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.shapes import merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops.arguments import listed
from runtime.ops.checks import checked
from runtime.ops.image.colors import convert_image_dtype
from runtime.ops.image.sizes import as_image
from runtime.ops.signal.frames import frame


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
    x, y = (convert_image_dtype(as_image(image), dtypes.float32) for image in (first, second))
    if None in merge_shapes(x.static_shape[-3:], y.static_shape[-3:]):  # type: ignore[index,operator]
        fits = ops.equal(ops.shape(x)[-3:], ops.shape(y)[-3:])
        x = checked(x, fits, "psnr", "the images must have one height, width and channels")
    error = ops.reduce_mean(ops.squared_difference(x, y), (-3, -2, -1))
    return ops.log(ops.square(peak) / error) * (10 / math.log(10))


def ssim(
    img1: Any, img2: Any, max_val: Any, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False,
) -> Tensor:  # fmt: skip
    """The structural similarity of images: Z. Wang and others, "Image quality assessment" (2004).

    Args:
        img1, img2: (..., height, width, channels) of one dtype, `filter_size` or more in height and
            width; their values reach up to `max_val`.
        filter_size, filter_sigma: of the Gaussian window.
        k1, k2: keep the parts stable.
        return_index_map: True for the similarity at each place, without the mean.

    Returns (...), or (..., height - filter_size + 1, width - filter_size + 1). Raises
    InvalidArgumentError (ValueError while tracing) for images that are too small.

    >>> grey = rt.reshape(rt.range(144.0), [12, 12, 1]) / 144.0
    >>> float(rt.image.ssim(grey, grey, 1.0))
    1.0
    """
    x, y, peak = _pair("ssim", img1, img2, max_val)
    luminance, structure = _similarity(x, y, peak, filter_size, filter_sigma, k1, k2)
    if return_index_map:
        return ops.reduce_mean(luminance * structure, -1)
    return ops.reduce_mean(luminance * structure, (-3, -2, -1))


def ssim_multiscale(
    img1: Any, img2: Any, max_val: Any,
    power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size: int = 11,
    filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
) -> Tensor:  # fmt: skip
    """The structural similarity of images at several scales.

    Each is half as large as the one before: Z. Wang and others, "Multiscale structural similarity
    for image quality assessment" (2003).

    Args:
        img1, img2: (..., height, width, channels) of one dtype; the smallest scale must have
            `filter_size` or more in height and width. Their values reach up to `max_val`.
        power_factors: the weight of each scale, the largest first.
        filter_size, filter_sigma, k1, k2: see `ssim`.

    Returns (...). Raises InvalidArgumentError (ValueError while tracing) for images that are too
    small.

    >>> grey = rt.reshape(rt.range(576.0), [24, 24, 1]) / 576.0
    >>> float(rt.image.ssim_multiscale(grey, grey, 1.0, power_factors=(0.5, 0.5)))
    1.0
    """
    x, y, peak = _pair("ssim_multiscale", img1, img2, max_val)
    parts: list[Tensor] = []
    factors = listed(power_factors, "power_factors")
    for scale in range(len(factors)):
        if scale:
            x, y = _halved(x), _halved(y)
        luminance, structure = _similarity(x, y, peak, filter_size, filter_sigma, k1, k2)
        last = scale == len(factors) - 1
        part = ops.reduce_mean(luminance * structure if last else structure, (-3, -2))
        parts.append(ops.relu(part))
    powers = convert_to_tensor(factors, dtypes.float32)
    return ops.reduce_mean(ops.reduce_prod(ops.stack(parts, -1) ** powers, -1), -1)


def _pair(name: str, img1: Any, img2: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Both images, and the largest value that they reach, as float32."""
    first, second = convert_to_tensor(img1), convert_to_tensor(img2)
    if first.ndim is None or first.ndim < 3 or first.ndim != second.ndim:
        raise wrong_value(
            f"{name} takes images of one rank of 3 or more, got {first.shape} and {second.shape}"
        )
    peak = convert_image_dtype(ops.cast(max_val, first.dtype), dtypes.float32)
    x, y = (convert_image_dtype(image, dtypes.float32) for image in (first, second))
    return x, y, peak


def _halved(images: Tensor) -> Tensor:
    """Means of squares of 2 x 2 pixels; the last row and column is repeated where it is odd."""
    rank = images.ndim or 0
    for axis in (rank - 3, rank - 2):
        odd = ops.shape(images)[axis] % 2
        images = ops.pad(images, [[0, odd if i == axis else 0] for i in range(rank)], "SYMMETRIC")
    return 0.25 * (
        images[..., ::2, ::2, :]
        + images[..., 1::2, ::2, :]
        + images[..., ::2, 1::2, :]
        + images[..., 1::2, 1::2, :]
    )


def _similarity(
    x: Tensor, y: Tensor, peak: Tensor, filter_size: int, filter_sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """The similarity of luminance, and of contrast and structure, at each place."""
    sides = (x.static_shape or ())[-3:-1]
    if any(side is not None and side < filter_size for side in sides):
        raise wrong_value(f"images of shape {x.shape} are smaller than a filter of {filter_size}")
    if None in sides:
        fits = ops.greater_equal(ops.shape(x)[-3:-1], filter_size)
        x = checked(x, fits, "ssim", f"images are smaller than a filter of {filter_size}")
    places = np.arange(filter_size) - (filter_size - 1) / 2
    weights = np.exp(-0.5 * (places / filter_sigma) ** 2)
    window = convert_to_tensor((weights / weights.sum()).astype(np.float32))
    c1, c2 = ops.square(k1 * peak), ops.square(k2 * peak)

    def blurred(image: Any) -> Any:
        for axis in (-3, -2):
            cut = frame(image, filter_size, 1, axis=axis)
            image = ops.tensordot(cut, window, [[(cut.ndim or 0) + axis], [0]])
        return image

    mean_x, mean_y = blurred(x), blurred(y)
    product, squares = mean_x * mean_y * 2.0, ops.square(mean_x) + ops.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    both, power = blurred(x * y) * 2.0, blurred(ops.square(x) + ops.square(y))
    return luminance, (both - product + c2) / (power - squares + c2)
