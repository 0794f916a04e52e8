"""Images in another size.

Each axis is a matrix of weights by itself: (result, image). All but "nearest" are a kernel that is
centred at the place of each element of the result and normalised over the elements of the image.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Kernel, Order, Primitive, bind, row, sample, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.ops.define import dims_of, fill_dims
from runtime.ops.image.cropping import pad_to_bounding_box
from runtime.ops.image.sizes import Pair, as_image, dimension


class ResizeMethod(enum.StrEnum):
    """Ways to resize an image.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.resize(grey, [1, 2], rt.image.ResizeMethod.AREA).numpy().tolist()
    [[[0.25], [0.5]]]
    """

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


class _How(NamedTuple):
    """A way to resize, or `back` from the result to the image: its transpose."""

    method: str
    antialias: bool
    back: bool


class _Tap(NamedTuple):
    """One element of the image for each element of the result, and its weight; all 1 for None."""

    places: Any
    weights: Any


class _Axis(NamedTuple):
    """The sum that an axis of the result is: of these taps of an array of shape `given`, behind the
    first axis, for one of shape `made`; or it is a product with a matrix, where that is faster.
    """

    taps: list[_Tap]
    given: tuple[int, ...]
    made: tuple[int, ...]
    matrix: Any


@lru_cache(maxsize=64)
def _axis(how: _How, size: int, result: int, channels: int, dtype: Any) -> _Axis:
    """Returns the way in which an axis, with so many channels, gets another size."""
    method, antialias, back = how
    if back:
        places, weights = _transposed(*_weights(method, antialias, result, size), result)
    else:
        places, weights = _weights(method, antialias, size, result)
    given: tuple[int, ...] = (size, channels)
    made: tuple[int, ...] = (result, channels)
    matrix, count = None, places.shape[1]
    if dtype.char in "fd" and count * _BAND > size and _is_multiplied(count, channels, back):
        matrix = np.zeros((result, size), dtype)
        np.add.at(matrix, (np.arange(result)[:, None], places), weights)
    elif not _is_taken_at_once(channels):
        # Element by element is faster.
        given, made = (size * channels,), (result * channels,)
        places = (places[:, None] * channels + np.arange(channels)[:, None]).reshape(made[0], -1)
    weights = np.repeat(weights, channels, 0).astype(dtype)
    plain = method == "nearest" and not back
    taps = [
        _Tap(place.copy(), None if plain else weight.copy().reshape(made))
        for place, weight in zip(places.T, weights.T, strict=True)
    ]
    return _Axis(taps, given, made, matrix)


# As many elements for each tap are multiplied by zero as fast as it is added; for less taps it is
# not worth it.
_BAND, _MANY_TAPS = 16, 32


def _is_multiplied(count: int, channels: int, back: bool) -> bool:
    return count >= _MANY_TAPS or (back and _is_taken_at_once(channels))


def _is_taken_at_once(channels: int) -> bool:
    return channels >= 16 or channels & (channels - 1) == 0


def _transposed(places: Any, weights: Any, size: int) -> tuple[Any, Any]:
    """For each element of the image of which elements of the result it is a part, and its
    weights.
    """
    result, tap = np.nonzero(weights)
    image = places[result, tap]
    order = np.argsort(image, kind="stable")
    image, values = image[order], weights[result, tap][order]
    counts = np.bincount(image, minlength=size)
    rank = np.arange(len(image)) - (np.cumsum(counts) - counts)[image]
    made = np.zeros((size, max(counts)), np.int64), np.zeros((size, max(counts)))
    made[0][image, rank], made[1][image, rank] = result[order], values
    return made


# What passes between the axes of so many elements stays in the cache.
_BLOCK = 1 << 18


def _resized(x: Any, out: Any, how: _How, work: Workspace) -> None:
    """The images of `x` in the size of those of `out`, or what their elements get from those."""
    (batch, height, width, channels), (result, columns) = x.shape, out.shape[1:3]
    x = x if x.flags.c_contiguous else work.copied(x)
    images = x.reshape(batch, height, -1)
    of_rows = _axis(how, height, result, 1, x.dtype)
    of_columns = _axis(how, width, columns, channels, x.dtype)
    rows = max(1, _BLOCK // (max(width, columns) * channels))
    several = max(1, rows // max(height, result))
    # Where that is much less work, the columns come first.
    if len(of_rows.taps) * width * result > 2 * len(of_columns.taps) * columns * height:
        _resized_by_columns(images, out, of_rows, of_columns, several, work)
        return
    for first in range(0, batch, several):
        for start in range(0, result, rows):
            part = slice(start, start + rows)
            target = out[first : first + several, part]
            with work.inner():
                between = work.array((*target.shape[:2], images.shape[2]), x.dtype)
                _combine(images[first : first + several], of_rows, part, between, work)
                _combine(
                    between.reshape(-1, *of_columns.given), of_columns, slice(None),
                    target.reshape(-1, *of_columns.made), work,
                )  # fmt: skip
            work.grow()


def _resized_by_columns(
    images: Any, out: Any, of_rows: _Axis, of_columns: _Axis, several: int, work: Workspace
) -> None:
    batch, height = images.shape[:2]
    for first in range(0, batch, several):
        group, target = images[first : first + several], out[first : first + several]
        with work.inner():
            between = work.array((len(group), height, *out.shape[2:]), images.dtype)
            _combine(
                group.reshape(-1, *of_columns.given), of_columns, slice(None),
                between.reshape(-1, *of_columns.made), work,
            )  # fmt: skip
            between = between.reshape(len(group), height, -1)
            _combine(between, of_rows, slice(None), target.reshape(*target.shape[:2], -1), work)
        work.grow()


def _combine(x: Any, axis: _Axis, part: slice, out: Any, work: Workspace) -> None:
    """A part of the sums along the second axis of an array."""
    if axis.matrix is not None:
        _multiply(axis.matrix[part], x, out)
        # What is infinite or NaN would be NaN times the zeros of the matrix.
        if np.isfinite(out).all():
            return
    target = out
    for places, weights in axis.taps:
        # "wrap" is the fastest way that needs no copy of the result.
        np.take(x, places[part], 1, target, "wrap")
        if weights is not None:
            np.multiply(target, weights[part], out=target)
        if target is not out:
            np.add(out, target, out=out)
        elif len(axis.taps) > 1:
            target = work.like(out)


def _multiply(matrix: Any, x: Any, out: Any) -> None:
    if x.shape[-1] == 1:
        np.matmul(x[..., 0], matrix.T, out=out[..., 0])
    else:
        np.matmul(matrix, x, out=out)


def _checked(x: Shape, size: Shape) -> None:
    if x is not None and len(x) != 4:
        raise wrong_value(f"images must have rank 4, got shape {x}")
    if any(n is not None and n < 1 for n in size or ()):
        raise wrong_value(f"output dimensions must be positive, got {size}")
    if x is not None and (x[1] == 0 or x[2] == 0):
        raise wrong_value(f"images must not be empty, got shape {x}")


def _kernel(back: bool) -> Kernel:
    def kernel(
        x: Any, *dims: Any, size: Shape, method: str, antialias: bool, out: Any = None,
        work: Workspace | None = None,
    ) -> Any:  # fmt: skip
        height, width = fill_dims(size, dims)
        _checked(x.shape, (height, width))
        shape = x.shape[0], height, width, x.shape[3]
        made = np.empty(shape, x.dtype) if out is None else out
        if made.size:
            _resized(x, made, _How(method, antialias, back), opened(work))
        return made

    return kernel


def _resize_shape(x: Shape, *dims: Shape, size: Shape, **how: Any) -> Shape:
    _checked(x, size)
    height, width = size or (None, None)
    return (None, height, width, None) if x is None else (x[0], height, width, x[3])


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
        name, _kernel(back=False), signature=f"{letter},i*->{letter}", shape=_resize_shape,
        op_type=op_type, gradient=gradient, keep_inputs=(), samples=samples, order=Order.C,
    )  # fmt: skip
    back = row(
        f"{name}_grad", _kernel(back=True), signature="G,i*->G", shape=_resize_shape,
        op_type=f"{op_type}Grad", gradient=back_gradient, keep_inputs=(), samples=samples,
        order=Order.C,
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
_PLAIN = {
    "nearest": _nearest_p,
    "bilinear": _bilinear_p,
    "bicubic": _bicubic_p,
    "area": _area_p,
}


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

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.resize(grey, [1, 1]).numpy().tolist()
    [[[0.375]]]
    """
    x = as_image(images, "images")
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
    how = {"method": chosen, "antialias": bool(antialias) and chosen not in ("nearest", "area")}
    primitive = _scaled_p if how["antialias"] else _PLAIN.get(chosen, _scaled_p)
    x = x if chosen == "nearest" else ops.cast(x, dtypes.float32)
    return _as_batch(x, lambda x: bind(primitive, x, *dynamic, size=static, **how))


def _check_sizes(x: Tensor, *target: Any) -> None:
    """ValueError where the image is known to be empty, or its target."""
    for size in (dimension(x, -3), dimension(x, -2), *target):
        if isinstance(size, int) and size < 1:
            raise wrong_value(
                f"images and their target size must not be empty, got shape {x.shape}"
            )


def _fitting(x: Tensor, size: Any) -> Any:
    """The largest size with the proportions of the image that is not above `size`."""
    height, width = dimension(x, -3), dimension(x, -2)
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
    """The image resized with its proportions kept, in the middle of zeros.

    The zeros fill up the target size.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.resize_with_pad(grey, 4, 4).shape
    TensorShape([4, 4, 1])
    """
    x = as_image(image)
    _check_sizes(x, target_height, target_width)
    size, margin = _fitted(x, [target_height, target_width])
    made = resize(x, size, method, antialias=antialias)
    return pad_to_bounding_box(made, margin[0], margin[1], target_height, target_width)


def _fitted(x: Tensor, target: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The largest size with the proportions of the image inside of `target`, and the margin above
    and left of it.
    """
    sizes = [dimension(x, -3), dimension(x, -2)]
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
