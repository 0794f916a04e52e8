"""Sliding windows over arrays: the geometry that convolution and pooling share.

Arrays are laid out as (batch, *spatial, channels). A geometry is given by strides and dilations
(one number per spatial axis) and a padding: "SAME", "VALID" or one (before, after) pair per spatial
axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from runtime.core.primitive import wrong_value
from runtime.core.shapes import Shape
from runtime.core.workspace import Workspace
from runtime.ops.arguments import one_of, static_ints

Padding = str | tuple[tuple[int, int], ...]
Pads = list[tuple[int, int]]
Sizes = Sequence[int]
Steps = tuple[Sizes, Sizes]


def pads_of(
    sizes: Sizes, kernel: Sizes, strides: Sizes, padding: Padding, dilations: Sizes
) -> Pads:
    """Returns how much is added before and after each spatial axis."""
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    if padding != "SAME":
        return list(padding)  # type: ignore[arg-type]
    pads = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        pads.append((total // 2, total - total // 2))
    return pads


def positions(
    sizes: Sequence[int | None], kernel: Sequence[int | None], strides: Sizes, padding: Padding,
    dilations: Sizes,
) -> tuple[int | None, ...]:  # fmt: skip
    """Returns the number of positions of the window along each spatial axis; None where that
    depends on what is unknown.
    """
    found: list[int | None] = []
    for axis, (size, k) in enumerate(zip(sizes, kernel, strict=True)):
        if size is None or (k is None and padding != "SAME"):
            found.append(None)
        elif padding == "SAME":
            found.append(-(-size // strides[axis]))
        else:
            assert k is not None
            added = 0 if padding == "VALID" else sum(padding[axis])  # type: ignore[arg-type]
            found.append(_fitting(size + added, (k - 1) * dilations[axis] + 1, strides[axis]))
    return tuple(found)


def _fitting(size: int, reach: int, stride: int) -> int:
    room = size - reach
    if room <= -2 * stride:
        raise wrong_value(f"a window of size {reach} does not fit an axis of size {size}")
    return max(0, room // stride + 1)


def padded(x: Any, pads: Pads, work: Workspace, fill: Any = 0) -> Any:
    """`x` with `fill` around its spatial axes, in the workspace; negative pads cut off."""
    if not any(before or after for before, after in pads):
        return x
    shape = [
        x.shape[0],
        *[n + a + b for n, (a, b) in zip(x.shape[1:-1], pads, strict=True)],
        x.shape[-1],
    ]
    made = work.array(shape, x.dtype)
    made.fill(fill)
    target, source = [slice(None)], [slice(None)]
    for size, (before, after) in zip(x.shape[1:-1], pads, strict=True):
        target.append(
            slice(max(before, 0), max(before, 0) + size - max(-before, 0) - max(-after, 0))
        )
        source.append(slice(max(-before, 0), size - max(-after, 0)))
    made[tuple(target)] = x[tuple(source)]
    return made


def windows(x: Any, kernel: Sizes, steps: Steps, places: Sizes) -> Any:
    """The view (batch, *places, *kernel, channels) of an array that is padded already."""
    strides, dilations = steps
    of_places = [step * s for step, s in zip(x.strides[1:-1], strides, strict=True)]
    of_kernel = [step * d for step, d in zip(x.strides[1:-1], dilations, strict=True)]
    return as_strided(
        x, (x.shape[0], *places, *kernel, x.shape[-1]),
        (x.strides[0], *of_places, *of_kernel, x.strides[-1]), writeable=False,
    )  # fmt: skip


def taps(
    kernel: Sizes, steps: Steps, places: Sizes
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """For each element of the window its index, and the slice of a padded array that it meets."""
    strides, dilations = steps
    for index in np.ndindex(*kernel):
        cut = [slice(None)]
        for i, stride, dilation, n in zip(index, strides, dilations, places, strict=True):
            start = i * dilation
            cut.append(slice(start, start + (n - 1) * stride + 1 if n else start, stride))
        yield index, tuple(cut)


def cropped(x: Any, pads: Pads, sizes: Sizes) -> Any:
    """The inner part of an array whose spatial axes were made larger by `pads`."""
    cut = [slice(before, before + size) for size, (before, _) in zip(sizes, pads, strict=True)]
    return x[(slice(None), *cut)]


def padded_sizes(sizes: Sizes, pads: Pads) -> tuple[int, ...]:
    """The spatial sizes with the pads added."""
    return tuple(n + a + b for n, (a, b) in zip(sizes, pads, strict=True))


# Arguments


def spatial(value: Any, rank: int, what: str, channels_first: bool = False) -> tuple[int, ...]:
    """An argument with one number for all, one per spatial axis, or one per axis, as one per
    spatial axis.

    ValueError for other lengths, for numbers below 1, and for others than 1 along batch and
    channels.
    """
    given = (1,) if value is None else static_ints(value, what)
    if len(given) not in (1, rank, rank + 2):
        raise wrong_value(f"{what} should be of length 1, {rank} or {rank + 2}, got {list(given)}")
    if any(n < 1 for n in given):
        raise wrong_value(f"{what} must be positive, got {list(given)}")
    if len(given) == rank + 2:
        inner, ends = (
            (given[2:], given[:2]) if channels_first else (given[1:-1], given[:: rank + 1])
        )
        if ends != (1, 1):
            raise wrong_value(f"{what} must be 1 along batch and channels, got {list(given)}")
        return inner
    return given * rank if len(given) == 1 else given


def padding_of(value: Any, rank: int, channels_first: bool = False) -> Padding:
    """A padding argument: "SAME", "VALID" (in any case) or a list of one pair per axis, batch and
    channels included.

    ValueError for anything else.
    """
    if isinstance(value, str):
        if value.upper() in ("SAME", "VALID"):
            return value.upper()
        raise wrong_value(f'padding must be "SAME", "VALID" or a list of pairs, got {value!r}')
    listed = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)
    if not listed or len(value) != rank + 2:
        raise wrong_value(f"explicit padding must be a list of {rank + 2} pairs, got {value!r}")
    pairs = [static_ints(pair, "padding") for pair in value]
    if any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise wrong_value(f"explicit padding must be pairs of non-negative numbers, got {value!r}")
    inner, ends = (pairs[2:], pairs[:2]) if channels_first else (pairs[1:-1], [pairs[0], pairs[-1]])
    if any(n for pair in ends for n in pair):
        raise wrong_value(f"batch and channels cannot be padded, got {value!r}")
    return tuple(inner)  # type: ignore[arg-type]


CHANNELS_LAST = ("NWC", "NHWC", "NDHWC")
_CHANNELS_FIRST = ("NCW", "NCHW", "NCDHW")


def channels_first(data_format: str | None, rank: int) -> bool:
    """True if the format (None: the default) has its channels right after the batch. ValueError
    for unknown ones.
    """
    first, last = _CHANNELS_FIRST[rank - 1], CHANNELS_LAST[rank - 1]
    return data_format is not None and one_of(data_format, "data_format", (last, first)) == first


def checked_rank(shape: Shape, rank: int, what: str) -> None:
    """ValueError where the shape is known to have another rank."""
    if shape is not None and len(shape) != rank:
        raise wrong_value(f"{what} must have rank {rank}, got shape {shape}")
