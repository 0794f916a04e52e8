"""Colours, brightness and contrast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, row, same_shape, sample, wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import number_or_tensor
from runtime.ops.checks import checked
from runtime.ops.image.sizes import as_image
from runtime.ops.random.stateful import uniform
from runtime.ops.random.stateless import stateless_uniform


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """The image with another dtype: floats are scaled to [0, 1), integers to their whole range.

    `saturate` keeps values that a smaller dtype does not hold at its limits. TypeError for other
    than numbers.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.convert_image_dtype(grey, rt.uint8).numpy().tolist()
    [[[0], [63]], [[127], [191]]]
    """
    x = convert_to_tensor(image)
    wanted = as_dtype(dtype)
    for given in (x.dtype, wanted):
        if not (given.is_floating or given.is_integer):
            raise wrong_dtype(f"images are made of floats or integers, not {given.name}")
    if x.dtype is wanted:
        return x
    if x.dtype.is_integer and wanted.is_integer:
        return _between_integers(x, wanted, saturate)
    if wanted.is_floating:
        made = ops.cast(x, wanted)
        return made if x.dtype.is_floating else made * (1.0 / x.dtype.max)
    scaled = x * (wanted.max + 0.5)
    return ops.saturate_cast(scaled, wanted) if saturate else ops.cast(scaled, wanted)


def _between_integers(x: Tensor, wanted: DType, saturate: bool) -> Tensor:
    if x.dtype.max > wanted.max:
        scaled = x // ((x.dtype.max + 1) // (wanted.max + 1))
        return ops.saturate_cast(scaled, wanted) if saturate else ops.cast(scaled, wanted)
    made = ops.saturate_cast(x, wanted) if saturate else ops.cast(x, wanted)
    return made * int((wanted.max + 1) // (x.dtype.max + 1))


def _as_floats(image: Any, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """`compute` on the image in floats, back in the dtype that it had."""
    x = convert_to_tensor(image)
    if x.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        return compute(x)
    made = compute(convert_image_dtype(x, dtypes.float32))
    return convert_image_dtype(made, x.dtype, saturate=True)


def _bounded_kernel(x: Any, *, low: float, high: float, what: str) -> Any:
    if np.any((x < low) | (x > high)):
        raise errors.InvalidValueError(_outside(x, low, high, what))
    return x


def _outside(x: Any, low: float, high: float, what: str) -> str:
    wanted = "be non-negative" if high == np.inf else f"lie between {low} and {high}"
    return f"{what} must {wanted}, got {x}"


bounded_p = row(
    "bounded", _bounded_kernel, signature="R->R", shape=same_shape, op_type="Bounded",
    fallible=True, gradient=lambda op, g: (g,), keep_inputs=(),
    samples=(sample("2,3", low=-9.0, high=9.0, what="x"),),
)  # fmt: skip


def _bounded(value: Any, what: str, low: float, high: float = np.inf) -> Any:
    """A number or tensor, which is refused outside of these bounds."""
    given = number_or_tensor(value, what)
    if isinstance(given, Tensor):
        return bind(bounded_p, given, low=low, high=high, what=what)
    if given < low or given > high:
        raise wrong_value(_outside(given, low, high, what))
    return given


def _scalar(value: Any, what: str) -> Tensor:
    given = convert_to_tensor(value)
    if given.ndim is None:
        return ops.ensure_shape(given, [])
    if given.ndim:
        raise wrong_value(f"{what} must be scalar, got shape {given.shape}")
    return given


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """`delta` added to the image.

    Its values are taken to lie between 0 and 1 (integers: their whole range).

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.adjust_brightness(picture, 0.5)[0, 0].numpy().round(3)
    array([0.5  , 0.583, 0.667], dtype=float32)
    """
    return _as_floats(image, lambda x: x + ops.cast(delta, x.dtype))


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """The distance from the mean of each channel times `contrast_factor`, a scalar.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.adjust_contrast(picture, 2.)[0, 0].numpy().round(3)
    array([-0.375, -0.292, -0.208], dtype=float32)
    """
    as_image(images, "images")
    factor = _scalar(contrast_factor, "contrast_factor")

    def adjusted(x: Tensor) -> Tensor:
        wide = ops.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
        mean = ops.reduce_mean(wide, (-3, -2), True)
        return ops.cast((wide - mean) * ops.cast(factor, wide.dtype) + mean, x.dtype)

    return _as_floats(images, adjusted)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """gain * image ** gamma. InvalidArgumentError for a negative `gamma`.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.adjust_gamma(picture, 2.)[0, 0].numpy().round(3)
    array([0.   , 0.007, 0.028], dtype=float32)
    """
    gamma = _bounded(gamma, "gamma", 0.0)
    return _as_floats(
        image, lambda x: ops.pow(x, ops.cast(gamma, x.dtype)) * ops.cast(gain, x.dtype)
    )


def _check_rgb(x: Tensor) -> Tensor:
    return _with_channels(x, 3, "three channels")


def _with_channels(x: Tensor, count: int, what: str) -> Tensor:
    """`x`, of which the last dimension is `count`; the run checks what tracing does not know."""
    message = f"the last dimension must hold {what}"
    shape = x.static_shape
    if shape is None:
        x = checked(x, ops.greater(ops.rank(x), 0), "Image", message)
    elif not shape or shape[-1] not in (count, None):
        raise wrong_value(f"{message}, got shape {x.shape}")
    if shape is None or shape[-1] is None:
        x = checked(x, ops.equal(ops.shape(x)[-1], count), "Image", message)
    if shape is not None:
        x.set_shape([*shape[:-1], count])
    return x


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The brightness that the eye sees, in one channel.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.rgb_to_grayscale(picture)[0, :, 0].numpy().round(3)
    array([0.068, 0.318], dtype=float32)
    """
    x = _check_rgb(convert_to_tensor(images))
    weights = [0.2989, 0.5870, 0.1140]

    def gray(x: Tensor) -> Tensor:
        return ops.expand_dims(ops.reduce_sum(x * convert_to_tensor(weights, x.dtype), -1), -1)

    if x.dtype.is_floating:
        return gray(x)
    return convert_image_dtype(gray(convert_image_dtype(x, dtypes.float32)), x.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The one channel three times.

    >>> rt.image.grayscale_to_rgb([[[1.]]]).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    x = _with_channels(convert_to_tensor(images), 1, "one channel")
    return ops.concat([x, x, x], -1)


_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_RGB_OF_YUV = ((1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0))
_YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
_RGB_OF_YIQ = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)


def _mixed(images: Any, weights: Any) -> Tensor:
    """Images of floats with each channel a weighted sum of those that there were."""
    x = _check_rgb(convert_to_tensor(images))
    return ops.tensordot(x, convert_to_tensor(weights, x.dtype), [[-1], [0]])


def rgb_to_yuv(images: Any) -> Tensor:
    """Brightness and two differences of colour, of images of floats in red, green and blue.

    >>> rt.image.rgb_to_yuv([[[1., 1., 1.]]]).numpy().round(3) + 0.
    array([[[1., 0., 0.]]], dtype=float32)
    """
    return _mixed(images, _YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """Red, green and blue of images in brightness and two differences of colour.

    >>> rt.image.yuv_to_rgb([[[1., 0., 0.]]]).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    return _mixed(images, _RGB_OF_YUV)


def rgb_to_yiq(images: Any) -> Tensor:
    """Brightness and two components of colour (NTSC), of images of floats in red, green and blue.

    >>> rt.image.rgb_to_yiq([[[1., 1., 1.]]]).numpy().round(3) + 0.
    array([[[1., 0., 0.]]], dtype=float32)
    """
    return _mixed(images, _YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """Red, green and blue of images in brightness and two components of colour (NTSC).

    >>> rt.image.yiq_to_rgb([[[1., 0., 0.]]]).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    return _mixed(images, _RGB_OF_YIQ)


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value, all between 0 and 1, of images of floats between 0 and 1.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.rgb_to_hsv(picture)[0, 0].numpy().round(3)
    array([0.583, 1.   , 0.167], dtype=float32)
    """
    x = _check_rgb(convert_to_tensor(images))
    red, green, blue = ops.unstack(x, 3, -1)
    value = ops.maximum(ops.maximum(red, green), blue)
    chroma = value - ops.minimum(ops.minimum(red, green), blue)
    saturation = ops.divide_no_nan(chroma, value)
    sixth = ops.where(
        ops.equal(red, value),
        ops.divide_no_nan(green - blue, chroma),
        ops.where(
            ops.equal(green, value),
            ops.divide_no_nan(blue - red, chroma) + 2.0,
            ops.divide_no_nan(red - green, chroma) + 4.0,
        ),
    )
    hue = ops.where(ops.greater(chroma, 0), sixth / 6.0, ops.zeros_like(sixth))
    return ops.stack([hue - ops.floor(hue), saturation, value], -1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Red, green and blue of images in hue, saturation and value.

    >>> rt.image.hsv_to_rgb([[[0., 1., 1.]]]).numpy().tolist()
    [[[1.0, 0.0, 0.0]]]
    """
    x = _check_rgb(convert_to_tensor(images))
    hue, saturation, value = ops.unstack(x, 3, -1)
    distance = hue * 6.0
    ramps = (
        ops.abs(distance - 3.0) - 1.0,
        2.0 - ops.abs(distance - 2.0),
        2.0 - ops.abs(distance - 4.0),
    )
    lightness = [ops.clip_by_value(ramp, 0.0, 1.0) for ramp in ramps]
    return ops.stack([((part - 1.0) * saturation + 1.0) * value for part in lightness], -1)


def _coloured(hue: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """The colours of these hues whose darkest and brightest parts have these values, exactly."""
    full = ops.ones_like(hue)
    pure = hsv_to_rgb(ops.stack([hue, full, full], -1))
    return pure * high[..., None] + (1.0 - pure) * low[..., None]


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """The hue turned by `delta`, between -1 and 1; InvalidArgumentError outside of them.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.adjust_hue(picture, 0.5)[0, 0].numpy().round(3)
    array([0.167, 0.083, 0.   ], dtype=float32)
    """
    delta = _bounded(delta, "delta", -1.0, 1.0)

    def turned(x: Tensor) -> Tensor:
        hue = rgb_to_hsv(x)[..., 0] + ops.cast(delta, x.dtype)
        return _coloured(hue - ops.floor(hue), ops.reduce_min(x, -1), ops.reduce_max(x, -1))

    return _as_floats(image, turned)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The saturation times `saturation_factor`, a scalar, at most 1.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.adjust_saturation(picture, 0.)[0, 0].numpy().round(3)
    array([0.167, 0.167, 0.167], dtype=float32)
    """
    factor = _scalar(saturation_factor, "saturation_factor")

    def saturated(x: Tensor) -> Tensor:
        hue, saturation, value = ops.unstack(rgb_to_hsv(x), 3, -1)
        more = ops.clip_by_value(saturation * ops.cast(factor, x.dtype), 0.0, 1.0)
        return _coloured(hue, value - more * value, value)

    return _as_floats(image, saturated)


def per_image_standardization(image: Any) -> Tensor:
    """Each image less its mean, over its standard deviation.

    That is taken to be at least 1 / sqrt(number of elements).

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.per_image_standardization(grey).numpy().tolist()
    [[[-0.75], [-0.25]], [[0.25], [0.75]]]
    """
    x = as_image(image)
    if not x.dtype.is_floating:
        x = ops.cast(x, dtypes.float32)
    axes = (-3, -2, -1)
    mean = ops.reduce_mean(x, axes, True)
    deviation = ops.sqrt(ops.reduce_mean(ops.square(x - mean), axes, True))
    count = ops.cast(ops.reduce_prod(ops.shape(x)[-3:]), x.dtype)
    return (x - mean) / ops.maximum(deviation, ops.rsqrt(count))


def _between(low: Any, high: Any, draw: Callable[..., Tensor], seed: Any) -> Tensor:
    low, high = _bounded(low, "lower", 0.0), number_or_tensor(high, "upper")
    if not isinstance(low, Tensor) and not isinstance(high, Tensor) and high <= low:
        raise wrong_value(f"the upper bound {high} must be above the lower one {low}")
    return draw([], seed=seed, minval=low, maxval=high)


def _symmetric(bound: Any, draw: Callable[..., Tensor], seed: Any, most: float = np.inf) -> Tensor:
    bound = _bounded(bound, "max_delta", 0.0, most)
    return draw([], seed=seed, minval=-bound, maxval=bound)


def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`adjust_brightness` by a random number between -max_delta and max_delta.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_brightness(picture, 0.5).shape
    TensorShape([2, 2, 3])
    """
    return adjust_brightness(image, _symmetric(max_delta, uniform, seed))


def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """`random_brightness` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_brightness(picture, 0.5, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_brightness(image, _symmetric(max_delta, stateless_uniform, seed))


def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`adjust_contrast` by a random factor between `lower` and `upper`.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_contrast(picture, 0.5, 1.5).shape
    TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, _between(lower, upper, uniform, seed))


def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Tensor:
    """`random_contrast` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_contrast(picture, 0.5, 1.5, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, _between(lower, upper, stateless_uniform, seed))


def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`adjust_hue` by a random number between -max_delta and max_delta, which is 0.5 at most.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_hue(picture, 0.1).shape
    TensorShape([2, 2, 3])
    """
    return adjust_hue(image, _symmetric(max_delta, uniform, seed, 0.5))


def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """`random_hue` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_hue(picture, 0.1, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_hue(image, _symmetric(max_delta, stateless_uniform, seed, 0.5))


def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`adjust_saturation` by a random factor between `lower` and `upper`.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_saturation(picture, 0.5, 1.5).shape
    TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, _between(lower, upper, uniform, seed))


def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any) -> Tensor:
    """`random_saturation` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_saturation(picture, 0.5, 1.5, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, _between(lower, upper, stateless_uniform, seed))
