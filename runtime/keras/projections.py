"""Images seen through projective transforms, as TensorFlow's op of that name computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime as rt


def project(
    images: Any,
    transforms: Any,
    output_shape: Any,
    interpolation: str,
    fill_mode: str = "CONSTANT",
    fill_value: Any = 0.0,
) -> Any:
    """The images (N, H, W, C) whose pixel (x, y) is that of `images` at the place that `transforms`
    (N or 1, 8) gives: ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1.

    Places outside are filled: with `fill_value`, or by REFLECT, WRAP or NEAREST. `interpolation` is
    NEAREST or BILINEAR.
    """
    x = rt.cast(rt.range(output_shape[1]), "float32")[None, None, :]
    y = rt.cast(rt.range(output_shape[0]), "float32")[None, :, None]
    t = [transforms[:, at, None, None] for at in range(8)]
    k = t[6] * x + t[7] * y + 1.0
    shape = rt.shape(images)
    across = _inside((t[0] * x + t[1] * y + t[2]) / k, shape[2], fill_mode)
    down = _inside((t[3] * x + t[4] * y + t[5]) / k, shape[1], fill_mode)
    pixels = _Pixels(images, fill_value)
    if interpolation == "NEAREST":
        made = pixels.at(_rounded(down), _rounded(across))
    else:
        made = _bilinear(pixels, down, across)
    # The transform has no place for a pixel where its denominator is zero.
    made = rt.where(rt.broadcast_to((k == 0.0)[..., None], rt.shape(made)), pixels.fill, made)
    return rt.cast(made, images.dtype)


class _Pixels:
    """The pixels of images, filled outside."""

    def __init__(self, images: Any, fill_value: Any) -> None:
        wide = images.dtype if images.dtype == rt.float64 else rt.float32
        self._images = rt.cast(images, wide)
        self._shape = rt.shape(images)
        self.fill = rt.cast(fill_value, wide)
        self.dtype = wide

    def at(self, down: Any, across: Any) -> Any:
        """Those at these places, of whole numbers."""
        places = rt.cast(down, "int32"), rt.cast(across, "int32")
        full = [self._shape[0], *rt.unstack(rt.shape(places[0]))[1:]]
        rows, columns = (rt.broadcast_to(place, full) for place in places)
        height, width = self._shape[1], self._shape[2]
        known = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        batch = rt.broadcast_to(rt.range(self._shape[0])[:, None, None], full)
        rows, columns = (
            rt.clip_by_value(rows, 0, height - 1),
            rt.clip_by_value(columns, 0, width - 1),
        )
        found = rt.gather_nd(self._images, rt.stack([batch, rows, columns], axis=-1))
        return rt.where(known[..., None], found, self.fill)


def _bilinear(pixels: _Pixels, down: Any, across: Any) -> Any:
    top, left = rt.floor(down), rt.floor(across)
    below = rt.cast(down - top, pixels.dtype)[..., None]
    right = rt.cast(across - left, pixels.dtype)[..., None]
    upper = (1.0 - right) * pixels.at(top, left) + right * pixels.at(top, left + 1.0)
    lower = (1.0 - right) * pixels.at(top + 1.0, left) + right * pixels.at(top + 1.0, left + 1.0)
    return (1.0 - below) * upper + below * lower


def _rounded(place: Any) -> Any:
    """The nearest whole number, away from zero where two are as near."""
    return rt.sign(place) * rt.floor(rt.abs(place) + 0.5)


def _inside(place: Any, size: Any, mode: str) -> Any:
    count = rt.cast(size, "float32")
    if mode == "CONSTANT":
        return place
    return rt.clip_by_value(_FOLDED[mode](place, count), 0.0, count - 1.0)


def _reflected(place: Any, count: Any) -> Any:
    """Folded at -1/2 and at size - 1/2: d c b a | a b c d | d c b a."""
    period = 2.0 * count
    before = place + period * _whole(-place / period)
    before = rt.where(before < -count, before + period, -before - 1.0)
    after = place - period * _whole(place / period)
    after = rt.where(after >= count, period - after - 1.0, after)
    return rt.where(place < 0.0, before, rt.where(place > count - 1.0, after, place))


def _wrapped(place: Any, count: Any) -> Any:
    """Repeated: a b c d | a b c d | a b c d."""
    steps = rt.maximum(count - 1.0, 1.0)
    before = place + count * (_whole(-place / steps) + 1.0)
    after = place - count * _whole(place / steps)
    return rt.where(place < 0.0, before, rt.where(place > count - 1.0, after, place))


def _whole(number: Any) -> Any:
    return rt.sign(number) * rt.floor(rt.abs(number))


_FOLDED: dict[str, Callable[[Any, Any], Any]] = {
    "NEAREST": lambda place, count: place,
    "REFLECT": _reflected,
    "WRAP": _wrapped,
}
