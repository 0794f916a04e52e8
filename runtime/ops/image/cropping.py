"""Parts of images, and images with a margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, checked, flat, row, sample, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_number
from runtime.ops.image.sizes import as_image, as_length, at_least_zero, check_inside, dimension
from runtime.ops.random.stateful import uniform
from runtime.ops.random.stateless import stateless_uniform


def _positive_kernel(size: Any, *, what: str) -> Any:
    if size <= 0:
        raise errors.InvalidValueError(f"{what} must be positive, got {size}")
    return size


def _positive_shape(shape: Shape, *, what: str) -> Shape:
    if shape not in ((), None):
        raise ValueError(f"{what} must be a scalar, got shape {shape}")
    return ()


positive_p = row(
    "positive_size", checked(_positive_kernel, _positive_shape), signature="I->I",
    shape=_positive_shape, fallible=True,
    gradient=flat, samples=(sample(":i4", what="the size"),),
)  # fmt: skip


def _checked_size(value: Any, what: str) -> Any:
    return value if isinstance(value, int) else bind(positive_p, value, what=what)


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The part of the image of the target size whose upper left corner is at the offsets.

    InvalidArgumentError (ValueError where that is known while tracing) where it is not inside of
    the image, or empty.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.crop_to_bounding_box(grey, 0, 1, 1, 1).numpy().tolist()
    [[[0.25]]]
    """
    x = as_image(image)
    height, width = dimension(x, -3), dimension(x, -2)
    offset_height = as_length(offset_height, "offset_height")
    offset_width = as_length(offset_width, "offset_width")
    target_height = _checked_size(as_length(target_height, "target_height"), "target_height")
    target_width = _checked_size(as_length(target_width, "target_width"), "target_width")
    check_inside(
        f"the box does not fit an image of shape {x.shape}",
        (offset_height, height), (offset_width, width),
        (offset_height + target_height, height), (offset_width + target_width, width),
        (target_height - 1, height), (target_width - 1, width),
    )  # fmt: skip
    front = [0] * (x.ndim - 3)  # type: ignore[operator]
    begin = [*front, offset_height, offset_width, 0]
    size = [
        *(dimension(x, i) for i in range(len(front))),
        target_height,
        target_width,
        dimension(x, -1),
    ]
    return ops.slice_(x, begin, size)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Zeros of the target size with the image at the offsets.

    ValueError (at run time InvalidArgumentError) where it does not fit.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.pad_to_bounding_box(grey, 1, 1, 4, 4).shape
    TensorShape([4, 4, 1])
    """
    x = as_image(image)
    offset_height = as_length(offset_height, "offset_height")
    offset_width = as_length(offset_width, "offset_width")
    target_height = as_length(target_height, "target_height")
    target_width = as_length(target_width, "target_width")
    below = target_height - offset_height - dimension(x, -3)
    right = target_width - offset_width - dimension(x, -2)
    check_inside(
        f"an image of shape {x.shape} does not fit the box",
        (offset_height, None), (offset_width, None), (below, None), (right, None),
    )  # fmt: skip
    front = [[0, 0]] * (x.ndim - 3)  # type: ignore[operator]
    padded = ops.pad(x, [*front, [offset_height, below], [offset_width, right], [0, 0]])
    known = [n if isinstance(n, int) else None for n in (target_height, target_width)]
    padded.set_shape([*padded.shape[:-3], *known, padded.shape[-1]])
    return padded


def _check_fraction(fraction: Any) -> Any:
    if not 0 < fraction <= 1:
        raise wrong_value(f"central_fraction must be in (0, 1], got {fraction}")
    return fraction


def _fraction_shape(shape: Shape) -> Shape:
    if shape not in ((), None):
        raise wrong_value(f"central_fraction must be a scalar, got shape {shape}")
    return ()


fraction_p = row(
    "crop_fraction", checked(_check_fraction, _fraction_shape), signature="G->G",
    shape=_fraction_shape, fallible=True, gradient=lambda op, g: (g,), keep_inputs=(),
    samples=(sample(0.5),),
)  # fmt: skip


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of the image, of which each side is `central_fraction` as long. ValueError (at run
    time InvalidArgumentError) outside of (0, 1].

    >>> rt.image.central_crop(rt.ones([4, 4, 1]), 0.5).shape
    TensorShape([2, 2, 1])
    """
    fraction: Any = central_fraction
    if isinstance(fraction, Tensor) and fraction.static_value is None:
        fraction = bind(fraction_p, ops.cast(fraction, dtypes.float64))
    else:
        fraction = _check_fraction(static_number(fraction, "central_fraction"))
    x = as_image(image)
    if isinstance(fraction, int | float) and fraction == 1:
        return x
    height, width = dimension(x, -3), dimension(x, -2)
    above, left = _margin(height, fraction), _margin(width, fraction)
    return crop_to_bounding_box(x, above, left, height - 2 * above, width - 2 * left)


def _margin(size: Any, fraction: Any) -> Any:
    if isinstance(size, int) and isinstance(fraction, int | float):
        return int((size - size * fraction) / 2)
    wide = ops.cast(size, dtypes.float64)
    return ops.cast((wide - wide * fraction) / 2, dtypes.int32)


def _at_most(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else ops.minimum(a, b)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The image cropped, or padded with zeros, evenly on both sides to the target size.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.resize_with_crop_or_pad(grey, 1, 3).shape
    TensorShape([1, 3, 1])
    """
    x = as_image(image)
    target_height = as_length(target_height, "target_height")
    target_width = as_length(target_width, "target_width")
    check_inside(
        "the target size must be positive", (target_height - 1, None), (target_width - 1, None)
    )
    surplus = [dimension(x, -3) - target_height, dimension(x, -2) - target_width]
    cut = [at_least_zero(n) // 2 for n in surplus]
    room = [at_least_zero(-1 * n) // 2 for n in surplus]
    kept = [_at_most(dimension(x, -3), target_height), _at_most(dimension(x, -2), target_width)]
    part = crop_to_bounding_box(x, *cut, *kept)
    return pad_to_bounding_box(part, room[0], room[1], target_height, target_width)


def _random_crop(value: Any, size: Any, draw: Callable[..., Tensor], seed: Any) -> Tensor:
    x = convert_to_tensor(value)
    wanted = ops.cast(size, dtypes.int32)
    rank = x.ndim
    if rank is None or wanted.static_shape not in ((rank,), (None,), None):
        raise wrong_value(
            f"size must have one entry for each dimension of shape {x.shape}, got {size!r}"
        )
    room = ops.shape(x) - wanted + 1
    known, sizes = x.static_shape, wanted.static_value
    if sizes is not None and any(
        n is not None and s > n for n, s in zip(known or (), sizes, strict=True)
    ):
        raise wrong_value(f"Need value.shape >= size, got {x.shape} and {sizes.tolist()}")
    offset = draw([rank], seed=seed, minval=0, maxval=dtypes.int32.max, dtype=dtypes.int32) % room
    return ops.slice_(x, offset, wanted if sizes is None else sizes)


def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of the tensor of shape `size`, at a random place. ValueError where it is larger than
    the tensor.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_crop(picture, [1, 1, 3]).shape
    TensorShape([1, 1, 3])
    """
    return _random_crop(value, size, uniform, seed)


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """`random_crop` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_crop(picture, [1, 1, 3], [1, 2]).shape
    TensorShape([1, 1, 3])
    """
    return _random_crop(value, size, stateless_uniform, seed)
