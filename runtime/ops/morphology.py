"""Morphology of grey images: the largest sum, and least difference, of window and filter."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_shape, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of
from runtime.ops.windows import Sizes, checked_rank, padding_of, positions, spatial


def dilation2d(
    input: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The largest sum of each window's elements and the filter's, channel by channel.

    `input` is (batch, height, width, channels), `filters` (height, width, channels); `padding` is
    "SAME" or "VALID", `data_format` "NHWC". The gradient goes to the first of equal sums; NaN is
    larger than all. Raises InvalidArgumentError (ValueError while tracing) for other shapes.

    >>> image = rt.reshape([1., 5., 2., 4.], [1, 2, 2, 1])
    >>> flat = rt.zeros([2, 2, 1])
    >>> float(rt.nn.dilation2d(image, flat, [1] * 4, "VALID", "NHWC", [1] * 4)[0, 0, 0, 0])
    5.0
    """
    x = convert_to_tensor(input)
    return _dilated(
        x, convert_to_tensor(filters, x.dtype), strides, padding, data_format, dilations
    )


def erosion2d(
    value: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The least difference of each window and the filter, by channel; see `dilation2d`.

    >>> image = rt.reshape([1., 5., 2., 4.], [1, 2, 2, 1])
    >>> flat = rt.zeros([2, 2, 1])
    >>> float(rt.nn.erosion2d(image, flat, [1] * 4, "VALID", "NHWC", [1] * 4)[0, 0, 0, 0])
    1.0
    """
    x = convert_to_tensor(value)
    mirrored = ops.reverse(convert_to_tensor(filters, x.dtype), [0, 1])
    return -_dilated(-x, mirrored, strides, padding, data_format, dilations)


def _dilated(
    x: Tensor, w: Tensor, strides: Any, padding: Any, data_format: str, dilations: Any
) -> Tensor:
    one_of(data_format, "data_format", ("NHWC",))
    steps, rates = spatial(strides, 2, "strides"), spatial(dilations, 2, "dilations")
    added = padding_of(padding, 2)
    if not isinstance(added, str):
        raise wrong_value(f'padding must be "SAME" or "VALID", got {padding!r}')
    checked_rank(x.static_shape, 4, "the input")
    checked_rank(w.static_shape, 3, "the filter")
    kernel = _kernel_of(w)
    if x.static_shape is not None:
        _check_channels(x, w)
        positions(x.static_shape[1:-1], kernel, steps, added, rates)
    inside: Tensor | None = None
    if added == "SAME":
        pads = _pads(x, kernel, steps, rates)
        inside = ops.pad(ops.ones_like(x, bool), pads)
        x = ops.pad(x, pads)
    made: Tensor | None = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            cut = (slice(None), *_cuts((i, j), kernel, steps, rates))
            item = x[cut] + w[i, j]
            if inside is not None:
                item = ops.where(inside[cut], item, ops.constant(x.dtype.min, x.dtype))
            made = item if made is None else ops.maximum(made, item)
    assert made is not None
    return made


def _kernel_of(w: Tensor) -> Sizes:
    if w.static_shape is None or None in w.static_shape[:2]:
        raise wrong_shape(f"the filter's height and width must be known, got shape {w.shape}", w)
    height, width = w.static_shape[:2]
    if not height or not width:
        raise wrong_value(f"the filter must not be empty, got shape {w.shape}")
    return height, width


def _check_channels(x: Tensor, w: Tensor) -> None:
    found, expected = x.shape[-1], w.shape[-1]
    if None not in (found, expected) and found != expected:
        raise wrong_value(
            f"the input has {found} channels and the filter {expected}: shapes {x.shape} and "
            f"{w.shape}"
        )


def _cuts(index: Sizes, kernel: Sizes, steps: Sizes, rates: Sizes) -> tuple[slice, ...]:
    """The spatial elements that one of the filter's meets, of a size that need not be known."""
    cuts = []
    for i, k, step, rate in zip(index, kernel, steps, rates, strict=True):
        behind = (k - 1 - i) * rate
        cuts.append(slice(i * rate, -behind or None, step))
    return tuple(cuts)


def _pads(x: Tensor, kernel: Sizes, steps: Sizes, rates: Sizes) -> Any:
    """The padding of each axis that "SAME" adds."""
    shape = ops.shape(x)
    pads: list[Any] = [[0, 0]]
    for axis, (k, step, rate) in enumerate(zip(kernel, steps, rates, strict=True), 1):
        known = None if x.static_shape is None else x.static_shape[axis]
        size: Any = shape[axis] if known is None else known
        needed = (-(-size // step) - 1) * step + (k - 1) * rate + 1 - size
        total = ops.maximum(needed, 0) if known is None else max(needed, 0)
        pads.append([total // 2, total - total // 2])
    return [*pads, [0, 0]]
