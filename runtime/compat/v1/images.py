"""Version 1's functions of images whose arguments, or results, are others than version 2's."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime import nn
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of


def dilation2d(
    input: Any, filter: Any = None, strides: Any = None, rates: Any = None, padding: Any = None,
    name: str | None = None, filters: Any = None, dilations: Any = None,
) -> Tensor:  # fmt: skip
    """The largest sum of each window's elements and the filter's: `nn.dilation2d`.

    >>> image, flat = rt.ones([1, 2, 2, 1]), rt.zeros([2, 2, 1])
    >>> rt.compat.v1.nn.dilation2d(image, flat, [1] * 4, [1] * 4, "VALID").shape
    TensorShape([1, 1, 1, 1])
    """
    weights = filter if filters is None else filters
    apart = rates if dilations is None else dilations
    return nn.dilation2d(input, weights, strides, padding, "NHWC", apart)


def erosion2d(
    value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The least difference of each window and the filter: `nn.erosion2d`.

    >>> image, flat = rt.ones([1, 2, 2, 1]), rt.zeros([2, 2, 1])
    >>> rt.compat.v1.nn.erosion2d(image, flat, [1] * 4, [1] * 4, "VALID").shape
    TensorShape([1, 1, 1, 1])
    """
    return nn.erosion2d(value, kernel, strides, padding, "NHWC", rates)


_FORMATS = ("NHWC", "NCHW", "NDHWC", "NCDHW")


def fused_batch_norm(
    x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None,
    epsilon: Any = 0.001, data_format: str = "NHWC", is_training: bool = True,
    name: str | None = None, exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Images with each channel normalized, and the mean and variance of the channels.

    In training they are those of this batch, the variance over one element less, of which
    `exponential_avg_factor` is mixed with those that are given. Else those that are given count,
    and are returned. No gradient flows through them.

    Raises ValueError where they are needed and missing, and for images of another rank.

    >>> images = rt.reshape([1., 3.], [1, 1, 2, 1])
    >>> made, mean, variance = rt.compat.v1.nn.fused_batch_norm(images, [1.], [0.], epsilon=0.)
    >>> rt.reshape(made, [-1]).numpy().tolist(), float(mean[0]), float(variance[0])
    ([-1.0, 1.0], 2.0, 2.0)
    """
    mixed = exponential_avg_factor != 1.0
    if (mixed or not is_training) and (mean is None or variance is None):
        raise ValueError(
            "fused_batch_norm: mean and variance are needed unless is_training and "
            f"exponential_avg_factor is 1, got {mean!r} and {variance!r}"
        )
    one_of(data_format, "data_format", _FORMATS)
    images, factors = convert_to_tensor(x), convert_to_tensor(scale)
    if images.ndim != len(data_format):
        raise wrong_value(f"{data_format} images have no shape {images.shape}")
    second = data_format[1] == "C"
    axes = [axis for axis, kind in enumerate(data_format) if kind != "C"]
    wide = ops.cast(images, factors.dtype)
    channels = images.shape[1 if second else -1]

    def along(values: Any) -> Tensor:
        found = convert_to_tensor(values, factors.dtype)
        if not found.shape.is_compatible_with([channels]):
            raise wrong_value(f"{channels} channels have no scale, offset or mean {found.shape}")
        return ops.reshape(found, [-1, *[1] * (len(data_format) - 2)]) if second else found

    given = [
        convert_to_tensor(0 if value is None else value, factors.dtype)
        for value in (mean, variance)
    ]
    if is_training:
        center, spread = nn.moments(wide, axes)
        count = ops.cast(ops.size(wide) // ops.size(center), factors.dtype)
        part = exponential_avg_factor
        kept = [center, spread * (count / ops.maximum(count - 1, 1))]
        if mixed:
            kept = [(1 - part) * old + part * now for old, now in zip(given, kept, strict=True)]
    else:
        center, spread = kept = [ops.stop_gradient(value) for value in given]
    used = ops.stop_gradient(kept[0]), ops.stop_gradient(kept[1])
    made = nn.batch_normalization(
        wide, along(center), along(spread), along(offset), along(factors), epsilon
    )
    return ops.cast(made, images.dtype), *used
