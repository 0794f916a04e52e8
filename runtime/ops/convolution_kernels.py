"""Convolutions on NumPy and BLAS, and their gradients: (arrays, out, workspace, geometry).

Windows are unfolded to the rows of a matrix, a piece that stays in the cache at a time, and
multiplied with the filter. What is computed is written to `out`, which is C-contiguous; all other
arrays are in the workspace.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.core.primitive import Kernel
from runtime.core.workspace import Workspace, opened
from runtime.ops.define import converted
from runtime.ops.windows import (
    Padding,
    Sizes,
    Steps,
    cropped,
    padded,
    padded_sizes,
    pads_of,
    taps,
    windows,
)

Compute = Callable[..., None]

# Bytes of unfolded windows at a time: few enough to stay in a core's cache.
_UNFOLDED = 1 << 20
# Bytes of a product at a time, for the same reason.
_CACHED = 1 << 18
# With fewer channels than this a window is made of short runs, and copying it tap by tap is faster.
_FEW_CHANNELS = 8


def kernel_of(compute: Compute, shape_of: Callable[..., Any]) -> Kernel:
    """The kernel that lets `compute` fill a result of the shape that the rule `shape_of` tells.

    It computes float16 in float32: BLAS knows no halves.
    """

    def kernel(
        a: Any, b: Any, *dims: Any, out: Any = None, work: Workspace | None = None, **params: Any
    ) -> Any:
        if dims:
            params["shape"] = tuple(dims[0].tolist())
        size = shape_of(a.shape, b.shape, **params)
        params.pop("shape", None)
        work = opened(work)
        if a.dtype.char != "e":
            made = np.empty(size, a.dtype) if out is None else out
            compute(a, b, made, work, **params)
            return made
        made = work.array(size, np.float32)
        compute(work.copied(a, made.dtype), work.copied(b, made.dtype), made, work, **params)
        return converted(made, a.dtype, out)

    return kernel


# Matrices of windows


def _blocks(view: Any) -> Iterator[tuple[slice, slice]]:
    """Pieces of windows (over images and the first spatial axis) that unfold to about _UNFOLDED
    bytes, the largest first.
    """
    images, rows = view.shape[:2]
    row = max(1, math.prod(view.shape[2:]) * view.itemsize)
    if rows * row <= _UNFOLDED:
        step = _UNFOLDED // max(1, rows * row)
        for start in range(0, images, step):
            yield slice(start, start + step), slice(None)
        return
    step = max(1, _UNFOLDED // row)
    for image in range(images):
        for start in range(0, rows, step):
            yield slice(image, image + 1), slice(start, start + step)


def _unfolded(view: Any, work: Workspace) -> Iterator[tuple[slice, slice, Any]]:
    """Pieces of windows, and each as a matrix: one row per place, one column per element of the
    window. It is there until the next one.
    """
    memory = None
    for images, rows in _blocks(view):
        part = view[images, rows]
        if memory is None:
            memory = work.array((part.size,), part.dtype)
        yield images, rows, _matrix(part, memory[: part.size])


def _matrix(part: Any, memory: Any) -> Any:
    rank = (part.ndim - 2) // 2
    places = math.prod(part.shape[: rank + 1])
    depth = math.prod(part.shape[rank + 1 :])
    if part.shape[-1] >= _FEW_CHANNELS:
        if part.flags.c_contiguous:
            return part.reshape(places, depth)
        np.copyto(memory.reshape(part.shape), part)
        return memory.reshape(places, depth)
    front = part.transpose(*range(rank + 1, part.ndim), *range(rank + 1))
    np.copyto(memory.reshape(front.shape), front)
    return memory.reshape(depth, places).T


def _flat_rows(x: Any) -> Any:
    """All axes but the last in one. (-1 in a shape stands for nothing where a size is 0.)"""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


# One group


def _correlate(x: Any, w: Any, out: Any, work: Workspace, steps: Steps) -> None:
    """The convolution of a padded array."""
    view = windows(x, w.shape[:-2], steps, out.shape[1:-1])
    matrix = _flat_rows(w if w.flags.c_contiguous else work.copied(w))
    for images, rows, unfolded in _unfolded(view, work):
        np.dot(unfolded, matrix, out=_flat_rows(out[images, rows]))


def _for_filter(x: Any, g: Any, out: Any, work: Workspace, steps: Steps) -> None:
    """The gradient for the filter, of a padded array."""
    view = windows(x, out.shape[:-2], steps, g.shape[1:-1])
    total = _flat_rows(out)
    product = work.array(total.shape, total.dtype)
    out.fill(0)
    for images, rows, unfolded in _unfolded(view, work):
        np.dot(unfolded.T, _flat_rows(g[images, rows]), out=product)
        np.add(total, product, out=total)


def _for_input(w: Any, g: Any, out: Any, work: Workspace, steps: Steps, pads: Any) -> None:
    """The gradient for an input that was padded by `pads`."""
    if w.shape[-2] < _FEW_CHANNELS:
        _scatter_by_channel(w, g, out, work, steps, pads)
    elif set(steps[0]) == {1}:
        _turn_around(w, g, out, work, steps, pads)
    else:
        _scatter(w, g, out, work, steps, pads)


def _turn_around(w: Any, g: Any, out: Any, work: Workspace, steps: Steps, pads: Any) -> None:
    """With strides of 1 the gradient is itself a convolution: with the filter turned around."""
    sizes = out.shape[1:-1]
    reach = [(k - 1) * d for k, d in zip(w.shape, steps[1], strict=False)]
    around = []
    for size, places, r, (before, _) in zip(sizes, g.shape[1:], reach, pads, strict=False):
        around.append((r - before, size + before - places))
    turned = w[(slice(None, None, -1),) * len(sizes)].swapaxes(-1, -2)
    _correlate(padded(g, around, work), turned, out, work, steps)


def _scatter(w: Any, g: Any, out: Any, work: Workspace, steps: Steps, pads: Any) -> None:
    sizes, places, channels = out.shape[1:-1], g.shape[1:-1], w.shape[-2]
    full = work.zeros((len(g), *padded_sizes(sizes, pads), channels), g.dtype)
    product = work.array((*g.shape[:-1], channels), g.dtype)
    flat = _flat_rows(g)
    for index, cut in taps(w.shape[:-2], steps, places):
        np.dot(flat, w[index].T, out=_flat_rows(product))
        full[cut] += product
    np.copyto(out, cropped(full, pads, sizes))


def _scatter_by_channel(w: Any, g: Any, out: Any, work: Workspace, steps: Steps, pads: Any) -> None:
    """As `_scatter`, with the channels in front meanwhile: long runs where there are few
    channels.
    """
    sizes, places, channels = out.shape[1:-1], g.shape[1:-1], w.shape[-2]
    full = work.zeros((channels, len(g), *padded_sizes(sizes, pads)), g.dtype)
    product = work.array((channels, *g.shape[:-1]), g.dtype)
    rows, flat = product.reshape(channels, math.prod(g.shape[:-1])), _flat_rows(g).T
    for index, cut in taps(w.shape[:-2], steps, places):
        np.dot(w[index], flat, out=rows)
        full[(slice(None), *cut)] += product
    np.copyto(out, cropped(np.moveaxis(full, 0, -1), pads, sizes))


# Groups


def _part(x: Any, i: int, groups: int) -> Any:
    """The channels (last axis) of one group."""
    if groups == 1:
        return x
    size = x.shape[-1] // groups
    return x[..., i * size : (i + 1) * size]


def _by_group(compute: Callable[[int, Any], None], groups: int, out: Any, work: Workspace) -> None:
    """Fill `out` with what each group computes of its channels."""
    if groups == 1:
        compute(0, out)
        return
    for i in range(groups):
        part = _part(out, i, groups)
        with work.inner():
            made = work.array(part.shape, part.dtype)
            compute(i, made)
            np.copyto(part, made)


def convolve(x: Any, w: Any, out: Any, work: Workspace, **geometry: Any) -> None:
    """The convolution of `x`."""
    groups, steps = max(1, x.shape[-1] // w.shape[-2]), _steps(**geometry)
    x = padded(x, pads_of(x.shape[1:-1], w.shape[:-2], **geometry), work)

    def compute(i: int, out: Any) -> None:
        _correlate(_part(x, i, groups), _part(w, i, groups), out, work, steps)

    _by_group(compute, groups, out, work)


def convolve_for_input(w: Any, g: Any, out: Any, work: Workspace, **geometry: Any) -> None:
    """The gradient `out` of a convolution for its input."""
    groups, steps = max(1, out.shape[-1] // w.shape[-2]), _steps(**geometry)
    pads = pads_of(out.shape[1:-1], w.shape[:-2], **geometry)

    def compute(i: int, out: Any) -> None:
        _for_input(_part(w, i, groups), _part(g, i, groups), out, work, steps, pads)

    _by_group(compute, groups, out, work)


def convolve_for_filter(x: Any, g: Any, out: Any, work: Workspace, **geometry: Any) -> None:
    """The gradient `out` of a convolution for its filter."""
    groups, steps = max(1, x.shape[-1] // out.shape[-2]), _steps(**geometry)
    x = padded(x, pads_of(x.shape[1:-1], out.shape[:-2], **geometry), work)

    def compute(i: int, out: Any) -> None:
        _for_filter(_part(x, i, groups), _part(g, i, groups), out, work, steps)

    _by_group(compute, groups, out, work)


def _steps(strides: Sizes, padding: Padding, dilations: Sizes) -> Steps:
    """Returns the steps of the window, and the distances of its elements."""
    return strides, dilations


# Depthwise


def _lines(
    x: Any, w: Any, work: Workspace, steps: Steps, places: Sizes
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """For some images at a time and each element of the window: which images, the part of `x`
    that it meets, the weights that this is multiplied with, and an array for the product.

    Where the window moves by 1, rows with their channels are one axis: long runs for the inner
    loop.
    """
    whole = steps[0][-1] == 1 and x.flags.c_contiguous
    size, channels = places[-1], x.shape[-1]
    shape = (*places[:-1], size * channels) if whole else (*places, channels)
    step = max(1, _CACHED // max(1, math.prod(shape) * x.itemsize))
    product = work.array((min(step, len(x)), *shape), x.dtype)
    line = work.array((size, channels), x.dtype)
    for start in range(0, len(x), step):
        part = x[start : start + step]
        for index, cut in taps(w.shape[:-1], steps, places):
            met, weights = part[cut], w[index]
            if whole:
                rows = part.reshape(*part.shape[:-2], part.shape[-2] * channels)
                across = cut[-1].start * channels
                met = rows[(*cut[:-1], slice(across, across + size * channels))]
                line[...] = weights
                weights = line.reshape(size * channels)
            yield slice(start, start + step), met, weights, product[: len(part)]


def depthwise(x: Any, w: Any, out: Any, work: Workspace, **geometry: Any) -> None:
    """The convolution of each channel of `x` by itself."""
    x = padded(x, pads_of(x.shape[1:-1], w.shape[:-2], **geometry), work)
    split = out.reshape(*out.shape[:-1], *w.shape[2:])
    out.fill(0)
    for m in range(w.shape[-1]):
        made = split[..., m]
        with work.inner():
            lines = _lines(x, w[..., m], work, _steps(**geometry), out.shape[1:-1])
            for images, met, weights, product in lines:
                part = made[images]
                np.multiply(met, weights, out=product)
                part += product.reshape(part.shape)


def depthwise_for_input(w: Any, g: Any, out: Any, work: Workspace, **geometry: Any) -> None:
    """The gradient `out` of a depthwise convolution for its input."""
    sizes, steps = out.shape[1:-1], _steps(**geometry)
    pads = pads_of(sizes, w.shape[:-2], **geometry)
    full = work.zeros((len(out), *padded_sizes(sizes, pads), out.shape[-1]), g.dtype)
    split = g.reshape(*g.shape[:3], *w.shape[2:])
    for m in range(w.shape[-1]):
        with work.inner():
            given = work.copied(split[..., m])
            lines = _lines(full, w[..., m], work, steps, g.shape[1:-1])
            for images, met, weights, product in lines:
                np.multiply(given[images].reshape(product.shape), weights, out=product)
                met += product
    np.copyto(out, cropped(full, pads, sizes))


def depthwise_for_filter(x: Any, g: Any, out: Any, work: Workspace, **geometry: Any) -> None:
    """The gradient `out` of a depthwise convolution for its filter."""
    x = padded(x, pads_of(x.shape[1:-1], out.shape[:-2], **geometry), work)
    split = g.reshape(*g.shape[:3], *out.shape[2:])
    for index, cut in taps(out.shape[:2], _steps(**geometry), g.shape[1:-1]):
        for m in range(out.shape[-1]):
            np.einsum("nhwc,nhwc->c", x[cut], split[..., m], out=out[index][:, m])
