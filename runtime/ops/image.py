"""Images: tensors of shape (height, width, channels), or (batch, height, width, channels)."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.convert import convert_to_tensor
from runtime.dtypes import DType, as_dtype
from runtime.ops import random
from runtime.ops.arguments import number_or_tensor, static_int, static_number
from runtime.ops.define import dims_of, fill_dims
from runtime.primitive import (
    Primitive,
    bind,
    checked,
    flat,
    row,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.shapes import Shape
from runtime.tensor import Tensor

Pair = tuple[int, int]


def _image(image: Any, what: str = "image") -> Tensor:
    x = convert_to_tensor(image)
    if x.ndim not in (3, 4, None):
        raise wrong_value(f"`{what}` must have either 3 or 4 dimensions, got shape {x.shape}")
    if x.ndim is None:
        raise wrong_value(f"`{what}` must have a known rank")
    return x


def _dim(x: Tensor, axis: int) -> Any:
    """A dimension: a Python integer where it is static, else a scalar tensor."""
    assert x.static_shape is not None
    known = x.static_shape[axis]
    return ops.shape(x)[axis] if known is None else known


# Resizing. Each axis is a matrix of weights by itself: (result, image). All but "nearest" are a
# kernel that is centred at the place of each element of the result and normalised over the elements
# of the image.


class ResizeMethod(enum.StrEnum):
    """Ways to resize an image."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _cubic(b: float, c: float) -> Callable[[Any], Any]:
    """The family of piecewise cubic kernels of Mitchell and Netravali."""

    def kernel(x: Any) -> Any:
        near = ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)) / 6
        far = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 - (12 * b + 48 * c) * x
        return np.where(x < 1, near, (far + 8 * b + 24 * c) / 6)

    return kernel


def _lanczos(radius: float) -> Callable[[Any], Any]:
    return lambda x: np.sinc(x) * np.sinc(x / radius)


# The kernel as a function of the distance, and the distance at which it ends.
_KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "bilinear": (lambda x: 1 - x, 1.0),
    "bicubic": (_cubic(0, 0.5), 2.0),
    "lanczos3": (_lanczos(3), 3.0),
    "lanczos5": (_lanczos(5), 5.0),
    "gaussian": (lambda x: np.exp(-2 * x**2), 1.5),
    "mitchellcubic": (_cubic(1 / 3, 1 / 3), 2.0),
}


@lru_cache(maxsize=64)
def _weights(method: str, antialias: bool, size: int, result: int) -> tuple[Any, Any]:
    """For each element of the result which elements of the image it is made of, and their
    weights.
    """
    scale = size / result
    if method == "nearest":
        places = np.minimum(((np.arange(result) + 0.5) * scale).astype(np.int64), size - 1)
        return places[:, None], np.ones((result, 1))
    if method == "area":
        return _area(size, result)
    kernel, radius = _KERNELS[method]
    stretch = max(scale, 1.0) if antialias else 1.0
    centres = (np.arange(result) + 0.5) * scale - 0.5
    first = np.ceil(centres - radius * stretch).astype(np.int64)
    count = int(2 * math.ceil(radius * stretch)) + 1
    places = first[:, None] + np.arange(count)
    distance = np.abs(places - centres[:, None]) / stretch
    inside = (distance < radius) & (places >= 0) & (places < size)
    return _normalised(places, np.where(inside, kernel(np.minimum(distance, radius)), 0), size)


def _area(size: int, result: int) -> tuple[Any, Any]:
    edges = np.arange(result + 1) * (size / result)
    first = np.floor(edges[:-1]).astype(np.int64)
    count = math.ceil(size / result) + 1
    places = first[:, None] + np.arange(count)
    covered = np.minimum(places + 1, edges[1:, None]) - np.maximum(places, edges[:-1, None])
    return _normalised(places, np.where(places < size, np.maximum(covered, 0), 0), size)


def _normalised(places: Any, weights: Any, size: int) -> tuple[Any, Any]:
    used = np.flatnonzero(np.any(weights != 0, 0))
    places, weights = places[:, used], weights[:, used]
    total = weights.sum(1, keepdims=True)
    return np.clip(places, 0, size - 1), weights / np.where(total == 0, 1, total)


def _resize_axis(x: Any, axis: int, size: int, how: tuple[str, bool]) -> Any:
    places, weights = _weights(*how, x.shape[axis], size)
    if how[0] == "nearest":
        return np.take(x, places[:, 0], axis)
    # The last axes as one: a weight for each pixel would make the inner loop as short as a pixel.
    run = math.prod(x.shape[axis + 1 :])
    made: Any = None
    for tap in range(places.shape[1]):
        part = np.take(x, places[:, tap], axis)
        flat = part.reshape(math.prod(x.shape[:axis]), size * run)
        flat *= np.repeat(weights[:, tap].astype(x.dtype), run)
        made = part if made is None else np.add(made, part, out=made)
    return made


def _gather_axis(g: Any, axis: int, size: int, how: tuple[str, bool]) -> Any:
    """The transpose of `_resize_axis`: from the result back to an image of this size."""
    places, weights = _weights(*how, size, g.shape[axis])
    matrix = np.zeros((size, g.shape[axis]), g.dtype)
    np.add.at(matrix, (places, np.arange(g.shape[axis])[:, None]), weights)
    return np.moveaxis(np.tensordot(matrix, g, (1, axis)), 0, axis)


def _checked(x: Shape, size: Shape) -> None:
    if x is not None and len(x) != 4:
        raise wrong_value(f"images must have rank 4, got shape {x}")
    if any(n is not None and n < 1 for n in size or ()):
        raise wrong_value(f"output dimensions must be positive, got {size}")
    if x is not None and (x[1] == 0 or x[2] == 0):
        raise wrong_value(f"images must not be empty, got shape {x}")


def _resize_kernel(x: Any, *dims: Any, size: Shape, method: str, antialias: bool) -> Any:
    height, width = fill_dims(size, dims)
    _checked(x.shape, (height, width))
    how = (method, antialias)
    return _resize_axis(_resize_axis(x, 1, height, how), 2, width, how)


def _resize_shape(x: Shape, *dims: Shape, size: Shape, **how: Any) -> Shape:
    _checked(x, size)
    height, width = size or (None, None)
    return (None, height, width, None) if x is None else (x[0], height, width, x[3])


def _resize_grad_kernel(g: Any, *dims: Any, size: Shape, method: str, antialias: bool) -> Any:
    height, width = fill_dims(size, dims)
    _checked(g.shape, (height, width))
    how = (method, antialias)
    return _gather_axis(_gather_axis(g, 1, height, how), 2, width, how)


def _of_image(x: Any) -> tuple[tuple[Any, ...], Pair | None]:
    """The size of an image that a gradient is told: dimensions known at run time only, and static
    ones.
    """
    shape = x.static_shape
    if shape is not None and None not in shape[1:3]:
        return (), shape[1:3]
    return (ops.shape(x)[1:3],), None


def _resizing(name: str, op_type: str, letter: str, methods: Sequence[str]) -> Primitive:
    def how(op: Any) -> dict[str, Any]:
        return {"method": op.params["method"], "antialias": op.params["antialias"]}

    def gradient(op: Any, g: Any) -> Any:
        dims, size = _of_image(op.inputs[0])
        rest = [None] * (len(op.inputs) - 1)
        if not g.dtype.is_floating:
            return (None, *rest)
        return (bind(back, g, *dims, size=size, **how(op)), *rest)

    def back_gradient(op: Any, h: Any) -> Any:
        dims, size = _of_image(op.inputs[0])
        return bind(there, h, *dims, size=size, **how(op)), *[None] * (len(op.inputs) - 1)

    samples = tuple(
        sample("1,3,4,2", size=(5, 2), method=method, antialias=antialias)
        for method in methods
        for antialias in ((False, True) if op_type == "ScaleAndTranslate" else (False,))
    )
    there = row(
        name, _resize_kernel, signature=f"{letter},i*->{letter}", shape=_resize_shape,
        op_type=op_type, gradient=gradient, keep_inputs=(), samples=samples,
    )  # fmt: skip
    back = row(
        f"{name}_grad", _resize_grad_kernel, signature="G,i*->G", shape=_resize_shape,
        op_type=f"{op_type}Grad", gradient=back_gradient, keep_inputs=(), samples=samples,
    )  # fmt: skip
    return there


_nearest_p = _resizing("resize_nearest", "ResizeNearestNeighbor", "O", ("nearest",))
_bilinear_p = _resizing("resize_bilinear", "ResizeBilinear", "G", ("bilinear",))
_bicubic_p = _resizing("resize_bicubic", "ResizeBicubic", "G", ("bicubic",))
_area_p = _resizing("resize_area", "ResizeArea", "G", ("area",))
_scaled_p = _resizing(
    "scale_and_translate",
    "ScaleAndTranslate",
    "G",
    ("bilinear", "lanczos3", "gaussian", "mitchellcubic"),
)
_PLAIN = {"bilinear": _bilinear_p, "bicubic": _bicubic_p, "area": _area_p}


def _as_batch(x: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
    """`compute`, which wants a batch, for one image as well."""
    return ops.squeeze(compute(ops.expand_dims(x, 0)), [0]) if x.ndim == 3 else compute(x)


def resize(
    images: Any, size: Any, method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False, antialias: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Images of another size, (height, width), by a `ResizeMethod`.

    "nearest" keeps the dtype, the others give float32. `preserve_aspect_ratio` makes the largest
    image that fits into `size`; `antialias` widens the kernel where the image is made smaller (not
    for "nearest" and "area"). ValueError for unknown methods, InvalidArgumentError for sizes below
    1.
    """
    x = _image(images, "images")
    chosen = str(method).lower()
    if chosen not in set(ResizeMethod):
        raise wrong_value(
            f"Resize method is not implemented: {method!r}. It is one of {', '.join(ResizeMethod)}"
        )
    static, dynamic = dims_of(size)
    if static is not None and len(static) != 2:
        raise wrong_value(f"`size` must have two elements (height, width), got {list(static)}")
    if preserve_aspect_ratio:
        _check_sizes(x)
        static, dynamic = dims_of(_fitting(x, size))
    if chosen == "nearest":
        primitive, antialias = _nearest_p, False
    else:
        x = ops.cast(x, dtypes.float32)
        antialias = antialias and chosen != "area"
        primitive = _scaled_p if antialias else _PLAIN.get(chosen, _scaled_p)
    return _as_batch(
        x,
        lambda x: bind(
            primitive, x, *dynamic, size=static, method=chosen, antialias=bool(antialias)
        ),
    )


def _check_sizes(x: Tensor, *target: Any) -> None:
    """ValueError where the image is known to be empty, or its target."""
    for size in (_dim(x, -3), _dim(x, -2), *target):
        if isinstance(size, int) and size < 1:
            raise wrong_value(
                f"images and their target size must not be empty, got shape {x.shape}"
            )


def _fitting(x: Tensor, size: Any) -> Any:
    """The largest size with the proportions of the image that is not above `size`."""
    height, width = _dim(x, -3), _dim(x, -2)
    target = list(size) if isinstance(size, list | tuple) else ops.unstack(convert_to_tensor(size))
    if all(isinstance(n, int | np.integer) for n in (height, width, *target)):
        scale = min(target[0] / height, target[1] / width)
        return [max(1, round(height * scale)), max(1, round(width * scale))]
    wide = [ops.cast(n, dtypes.float64) for n in (height, width, *target)]
    ratio = ops.minimum(wide[2] / wide[0], wide[3] / wide[1])
    return [ops.cast(ops.maximum(ops.round(n * ratio), 1.0), dtypes.int32) for n in wide[:2]]


def resize_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """The image resized with its proportions kept, in the middle of zeros that fill up the target
    size.
    """
    x = _image(image)
    _check_sizes(x, target_height, target_width)
    size, margin = _fitted(x, [target_height, target_width])
    made = resize(x, size, method, antialias=antialias)
    return pad_to_bounding_box(made, margin[0], margin[1], target_height, target_width)


def _fitted(x: Tensor, target: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The largest size with the proportions of the image inside of `target`, and the margin above
    and left of it.
    """
    sizes = [_dim(x, -3), _dim(x, -2)]
    if all(isinstance(n, int | np.integer) for n in (*sizes, *target)):
        shrink = max(n / t for n, t in zip(sizes, target, strict=True))
        exact = [n / shrink for n in sizes]
        margin = [max(0, math.floor((t - n) / 2)) for t, n in zip(target, exact, strict=True)]
        return [max(1, math.floor(n)) for n in exact], margin
    wide = [ops.cast(n, dtypes.float64) for n in (*sizes, *target)]
    ratio = ops.maximum(wide[0] / wide[2], wide[1] / wide[3])
    scaled = [n / ratio for n in wide[:2]]
    room = [ops.maximum(ops.floor((t - n) / 2), 0.0) for t, n in zip(wide[2:], scaled, strict=True)]
    whole = [ops.maximum(ops.floor(n), 1.0) for n in scaled]
    return [ops.cast(n, dtypes.int32) for n in whole], [ops.cast(n, dtypes.int32) for n in room]


# Parts


def _check_inside(what: str, *bounds: tuple[Any, Any]) -> None:
    """The documented error where a static number is above its static limit, or negative."""
    for value, limit in bounds:
        static = isinstance(value, int) and isinstance(limit, int)
        if (isinstance(value, int) and value < 0) or (static and value > limit):
            raise wrong_value(f"{what}: {value} is not between 0 and {limit}")


def _length(value: Any, what: str) -> Any:
    """A size or an offset: an integer where it is known, else the scalar that will be it."""
    if isinstance(value, int):
        return value
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise wrong_dtype(f"{what} must be an integer, not {tensor.dtype.name}")
    if tensor.ndim not in (0, None):
        raise wrong_value(f"{what} must be a scalar, got shape {tensor.shape}")
    known = tensor.static_value
    return tensor if known is None else int(known)


def _positive_kernel(size: Any, *, what: str) -> Any:
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, f"{what} must be positive, got {size}")
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
    """
    x = _image(image)
    height, width = _dim(x, -3), _dim(x, -2)
    offset_height = _length(offset_height, "offset_height")
    offset_width = _length(offset_width, "offset_width")
    target_height = _checked_size(_length(target_height, "target_height"), "target_height")
    target_width = _checked_size(_length(target_width, "target_width"), "target_width")
    _check_inside(
        f"the box does not fit an image of shape {x.shape}",
        (offset_height, height), (offset_width, width),
        (offset_height + target_height, height), (offset_width + target_width, width),
        (target_height - 1, height), (target_width - 1, width),
    )  # fmt: skip
    front = [0] * (x.ndim - 3)  # type: ignore[operator]
    begin = [*front, offset_height, offset_width, 0]
    size = [*(_dim(x, i) for i in range(len(front))), target_height, target_width, _dim(x, -1)]
    return ops.slice_(x, begin, size)


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Zeros of the target size with the image at the offsets.

    ValueError (at run time InvalidArgumentError) where it does not fit.
    """
    x = _image(image)
    offset_height = _length(offset_height, "offset_height")
    offset_width = _length(offset_width, "offset_width")
    target_height = _length(target_height, "target_height")
    target_width = _length(target_width, "target_width")
    below = target_height - offset_height - _dim(x, -3)
    right = target_width - offset_width - _dim(x, -2)
    _check_inside(
        f"an image of shape {x.shape} does not fit the box",
        (offset_height, None), (offset_width, None), (below, None), (right, None),
    )  # fmt: skip
    front = [[0, 0]] * (x.ndim - 3)  # type: ignore[operator]
    return ops.pad(x, [*front, [offset_height, below], [offset_width, right], [0, 0]])


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """The middle of the image, of which each side is `central_fraction` as long. ValueError outside
    of (0, 1].
    """
    central_fraction = static_number(central_fraction, "central_fraction")
    if not 0 < central_fraction <= 1:
        raise wrong_value(f"central_fraction must be in (0, 1], got {central_fraction}")
    x = _image(image)
    if central_fraction == 1:
        return x
    height, width = _dim(x, -3), _dim(x, -2)
    above, left = _margin(height, central_fraction), _margin(width, central_fraction)
    return crop_to_bounding_box(x, above, left, height - 2 * above, width - 2 * left)


def _margin(size: Any, fraction: float) -> Any:
    if isinstance(size, int):
        return int((size - size * fraction) / 2)
    wide = ops.cast(size, dtypes.float64)
    return ops.cast((wide - wide * fraction) / 2, dtypes.int32)


def _at_least(value: Any, low: int) -> Any:
    return max(value, low) if isinstance(value, int) else ops.maximum(value, low)


def _at_most(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else ops.minimum(a, b)


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The image cropped, or padded with zeros, evenly on both sides to the target size."""
    x = _image(image)
    target_height = _length(target_height, "target_height")
    target_width = _length(target_width, "target_width")
    _check_inside(
        "the target size must be positive", (target_height - 1, None), (target_width - 1, None)
    )
    surplus = [_dim(x, -3) - target_height, _dim(x, -2) - target_width]
    cut = [_at_least(n, 0) // 2 for n in surplus]
    room = [_at_least(-1 * n, 0) // 2 for n in surplus]
    kept = [_at_most(_dim(x, -3), target_height), _at_most(_dim(x, -2), target_width)]
    part = crop_to_bounding_box(x, *cut, *kept)
    return pad_to_bounding_box(part, room[0], room[1], target_height, target_width)


# Turning


def flip_left_right(image: Any) -> Tensor:
    """The mirror image."""
    return ops.reverse(_image(image), [-2])


def flip_up_down(image: Any) -> Tensor:
    """The image upside down."""
    return ops.reverse(_image(image), [-3])


def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image with height and width exchanged."""
    x = _image(image)
    return ops.transpose(x, (1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """The image turned by `k` times 90 degrees against the clock."""
    x = _image(image)
    turns = static_int(k, "k") % 4
    if turns == 1:
        return flip_up_down(transpose(x))
    if turns == 2:
        return flip_up_down(flip_left_right(x))
    return flip_left_right(transpose(x)) if turns == 3 else x


def _flipped(
    image: Any, flip: Callable[[Any], Tensor], draw: Callable[..., Tensor], seed: Any
) -> Tensor:
    x = _image(image)
    shape = [] if x.ndim == 3 else [_dim(x, 0), 1, 1, 1]
    return ops.where(ops.less(draw(shape, seed=seed), 0.5), flip(x), x)


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """The image or its mirror image, each with a chance of one half; each image of a batch by
    itself.
    """
    return _flipped(image, flip_left_right, random.uniform, seed)


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """The image, or the image upside down, each with a chance of one half; each image of a batch by
    itself.
    """
    return _flipped(image, flip_up_down, random.uniform, seed)


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """`random_flip_left_right` that `seed`, a vector of two integers, determines."""
    return _flipped(image, flip_left_right, random.stateless_uniform, seed)


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """`random_flip_up_down` that `seed`, a vector of two integers, determines."""
    return _flipped(image, flip_up_down, random.stateless_uniform, seed)


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
    """
    return _random_crop(value, size, random.uniform, seed)


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """`random_crop` that `seed`, a vector of two integers, determines."""
    return _random_crop(value, size, random.stateless_uniform, seed)


# Colours


def _saturated(x: Tensor, dtype: DType) -> Tensor:
    return ops.saturate_cast(x, dtype)


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """The image with another dtype: floats are scaled to [0, 1), integers to their whole range.

    `saturate` keeps values that a smaller dtype does not hold at its limits. TypeError for other
    than numbers.
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
    return _saturated(scaled, wanted) if saturate else ops.cast(scaled, wanted)


def _between_integers(x: Tensor, wanted: DType, saturate: bool) -> Tensor:
    if x.dtype.max > wanted.max:
        scaled = x // ((x.dtype.max + 1) // (wanted.max + 1))
        return _saturated(scaled, wanted) if saturate else ops.cast(scaled, wanted)
    made = _saturated(x, wanted) if saturate else ops.cast(x, wanted)
    return made * int((wanted.max + 1) // (x.dtype.max + 1))


def _as_floats(image: Any, compute: Callable[[Tensor], Tensor], scaled: bool = True) -> Tensor:
    """`compute` on the image in floats, back in the dtype that it had."""
    x = convert_to_tensor(image)
    if x.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        return compute(x)
    if scaled:
        return convert_image_dtype(
            compute(convert_image_dtype(x, dtypes.float32)), x.dtype, saturate=True
        )
    return convert_image_dtype(compute(ops.cast(x, dtypes.float32)), x.dtype, saturate=True)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """`delta` added to the image, which is taken to lie between 0 and 1 (integers: their whole
    range).
    """
    return _as_floats(image, lambda x: x + ops.cast(delta, x.dtype))


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """The distance from the mean of each channel times `contrast_factor`."""
    _image(images, "images")

    def adjusted(x: Tensor) -> Tensor:
        wide = ops.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
        mean = ops.reduce_mean(wide, (-3, -2), True)
        return ops.cast((wide - mean) * ops.cast(contrast_factor, wide.dtype) + mean, x.dtype)

    return _as_floats(images, adjusted)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """gain * image ** gamma. ValueError for a negative `gamma`."""
    gamma = number_or_tensor(gamma, "gamma")
    if not isinstance(gamma, Tensor) and gamma < 0:
        raise wrong_value(f"Gamma should be a non-negative real number, got {gamma}")
    return _as_floats(
        image, lambda x: ops.pow(x, ops.cast(gamma, x.dtype)) * ops.cast(gain, x.dtype)
    )


def _check_rgb(x: Tensor) -> Tensor:
    shape = x.static_shape
    if shape is None or not shape or shape[-1] not in (3, None):
        raise wrong_value(f"the last dimension must hold three channels, got shape {x.shape}")
    return x


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The brightness that the eye sees, in one channel."""
    x = _check_rgb(convert_to_tensor(images))
    weights = [0.2989, 0.5870, 0.1140]

    def gray(x: Tensor) -> Tensor:
        return ops.expand_dims(ops.reduce_sum(x * convert_to_tensor(weights, x.dtype), -1), -1)

    if x.dtype.is_floating:
        return gray(x)
    return convert_image_dtype(gray(convert_image_dtype(x, dtypes.float32)), x.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The one channel three times."""
    x = convert_to_tensor(images)
    shape = x.static_shape
    if not shape or shape[-1] not in (1, None):
        raise wrong_value(f"the last dimension must hold one channel, got shape {x.shape}")
    return ops.concat([x, x, x], -1)


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value, all between 0 and 1, of images of floats between 0 and 1."""
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
    """Red, green and blue of images in hue, saturation and value."""
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


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """The hue turned by `delta`, between -1 and 1."""

    def turned(x: Tensor) -> Tensor:
        hue, saturation, value = ops.unstack(rgb_to_hsv(x), 3, -1)
        hue = hue + ops.cast(delta, x.dtype)
        return hsv_to_rgb(ops.stack([hue - ops.floor(hue), saturation, value], -1))

    return _as_floats(image, turned)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The saturation times `saturation_factor`, at most 1."""

    def saturated(x: Tensor) -> Tensor:
        hue, saturation, value = ops.unstack(rgb_to_hsv(x), 3, -1)
        more = ops.clip_by_value(saturation * ops.cast(saturation_factor, x.dtype), 0.0, 1.0)
        return hsv_to_rgb(ops.stack([hue, more, value], -1))

    return _as_floats(image, saturated)


def per_image_standardization(image: Any) -> Tensor:
    """Each image less its mean, over its standard deviation (at least 1 / sqrt(number of
    elements)).
    """
    x = _image(image)
    if not x.dtype.is_floating:
        x = ops.cast(x, dtypes.float32)
    axes = (-3, -2, -1)
    mean = ops.reduce_mean(x, axes, True)
    deviation = ops.sqrt(ops.reduce_mean(ops.square(x - mean), axes, True))
    count = ops.cast(ops.reduce_prod(ops.shape(x)[-3:]), x.dtype)
    return (x - mean) / ops.maximum(deviation, ops.rsqrt(count))


def _between(low: Any, high: Any, draw: Callable[..., Tensor], seed: Any) -> Tensor:
    low, high = number_or_tensor(low, "lower"), number_or_tensor(high, "upper")
    if not isinstance(low, Tensor) and not isinstance(high, Tensor) and high <= low:
        raise wrong_value(f"the upper bound {high} must be above the lower one {low}")
    return draw([], seed=seed, minval=low, maxval=high)


def _symmetric(bound: Any, draw: Callable[..., Tensor], seed: Any) -> Tensor:
    bound = number_or_tensor(bound, "max_delta")
    if not isinstance(bound, Tensor) and bound < 0:
        raise wrong_value(f"max_delta must be non-negative, got {bound}")
    return draw([], seed=seed, minval=-bound, maxval=bound)


def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`adjust_brightness` by a random number between -max_delta and max_delta."""
    return adjust_brightness(image, _symmetric(max_delta, random.uniform, seed))


def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """`random_brightness` that `seed`, a vector of two integers, determines."""
    return adjust_brightness(image, _symmetric(max_delta, random.stateless_uniform, seed))


def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`adjust_contrast` by a random factor between `lower` and `upper`."""
    return adjust_contrast(image, _between(lower, upper, random.uniform, seed))


def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Tensor:
    """`random_contrast` that `seed`, a vector of two integers, determines."""
    return adjust_contrast(image, _between(lower, upper, random.stateless_uniform, seed))


def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`adjust_hue` by a random number between -max_delta and max_delta."""
    return adjust_hue(image, _symmetric(max_delta, random.uniform, seed))


def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`adjust_saturation` by a random factor between `lower` and `upper`."""
    return adjust_saturation(image, _between(lower, upper, random.uniform, seed))


# Measures


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The differences to the next row and to the next column, with zeros in the last; of a batch of
    images.
    """
    x = _image(image)
    if x.ndim != 4:
        raise wrong_value(f"image_gradients expects a tensor of rank 4, got shape {x.shape}")
    down = ops.pad(x[:, 1:] - x[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    across = ops.pad(x[:, :, 1:] - x[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return down, across


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbours, for each image."""
    x = _image(images, "images")
    down = x[..., 1:, :, :] - x[..., :-1, :, :]
    across = x[..., :, 1:, :] - x[..., :, :-1, :]
    axes = (-3, -2, -1)
    return ops.reduce_sum(ops.abs(down), axes) + ops.reduce_sum(ops.abs(across), axes)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio between images whose values reach up to `max_val`, in
    decibels.
    """
    first, second = convert_to_tensor(a), convert_to_tensor(b)
    peak = convert_image_dtype(ops.cast(max_val, first.dtype), dtypes.float32)
    x, y = (convert_image_dtype(image, dtypes.float32) for image in (first, second))
    error = ops.reduce_mean(ops.squared_difference(x, y), (-3, -2, -1))
    return ops.log(ops.square(peak) / error) * (10 / math.log(10))


__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "central_crop",
    "convert_image_dtype",
    "crop_to_bounding_box",
    "flip_left_right",
    "flip_up_down",
    "grayscale_to_rgb",
    "hsv_to_rgb",
    "image_gradients",
    "pad_to_bounding_box",
    "per_image_standardization",
    "psnr",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_saturation",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rot90",
    "stateless_random_brightness",
    "stateless_random_contrast",
    "stateless_random_crop",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "total_variation",
    "transpose",
]
