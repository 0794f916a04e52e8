"""Convolutions, and their gradients: products of matrices whose first factor is read by windows,
from where it stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runtime import dtypes
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.indexing import (
    equal_dim,
    number_at,
    of_dims,
    shape_of,
    shapes_known,
    target_of,
)
from runtime.graph.executors.native.loops import (
    Axis,
    counted,
    moved,
    place,
    size_of,
    spread,
    steps_of,
    times,
)
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.products import multiply
from runtime.graph.executors.native.reductions import Accumulator, reduce
from runtime.graph.executors.native.values import Array, Held, int64, known, register, static
from runtime.ops.windows import pads_of, positions

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

LEAST_SUMMED = 1 << 17
"""Bytes that one product of the gradient for a filter reads."""

Sizes = Sequence[int]


def _takes(kernel: Kernel, image: Any, window: Any) -> bool:
    """Whether all sizes are known but the number of images, and none is 0."""
    node = kernel.node
    if not shapes_known(kernel) or None in (image, window):
        return False
    sizes = [*image[1:], *window]
    if None in sizes or 0 in (image[0], *sizes):
        return False
    places = positions(image[1:-1], window[:-2], **_steps(node.params))
    return _dtype(kernel) in (dtypes.float32, dtypes.float64) and 0 not in places


def _dtype(kernel: Kernel) -> Any:
    return getattr(kernel.node.outputs[0].type, "dtype", None)


def _shape(kernel: Kernel, at: int) -> Any:
    return getattr(kernel.node.inputs[at].type, "shape", None)


def _steps(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: params[key] for key in ("strides", "padding", "dilations")}


class Convolution:
    """A convolution of images of some sizes with a filter of a shape: a number for each thing, but
    for the `batch`.
    """

    def __init__(
        self,
        emitter: Emitter,
        kernel: Kernel,
        image: Sequence[ir.Value],
        window: Sequence[ir.Value],
    ) -> None:
        params = kernel.node.params
        self.emitter, self.builder = emitter, emitter.builder
        self.batch = image[0]
        *self.sizes, self.depth = map(known, image[1:])
        *self.window, self.per_group, self.made = map(known, window)
        self.groups = self.depth // self.per_group
        self.strides, self.dilations = params["strides"], params["dilations"]
        self.pads = pads_of(self.sizes, self.window, **_steps(params))
        self.places = [int(n or 0) for n in positions(self.sizes, self.window, **_steps(params))]
        self.dims = [self.batch, *map(int64, [*self.places, self.made])]

    def padded(self, array: Array) -> tuple[Array, Sizes]:
        """The images with zeros around them, and their sizes."""
        sizes = [n + a + b for n, (a, b) in zip(self.sizes, self.pads, strict=True)]
        begins = [before for before, _ in self.pads]
        return surrounded(self.emitter, array, begins, sizes), sizes

    def convolve(self, x: Array, w: Array, target: ir.Value) -> None:
        """Write the convolution."""
        x, sizes = self.padded(x)
        per_group = self.made // self.groups
        for group in range(self.groups):
            multiply(
                self.emitter,
                x.dtype,
                place(self.builder, target, int64(group * per_group), x.dtype),
                [
                    place(self.builder, x.pointer, int64(group * self.per_group), x.dtype),
                    place(self.builder, w.pointer, int64(group * per_group), x.dtype),
                ],
                windows(self.batch, sizes, self.depth, self.places, self.strides),
                taps(sizes, self.depth, self.window, self.per_group, self.dilations, self.made),
                int64(per_group),
                int64(self.made),
            )

    def for_filter(self, x: Array, g: Array, target: Array) -> None:
        """Write the gradient for the filter: the sum of the products of some images at a time."""
        builder, (x, sizes) = self.builder, self.padded(x)
        count, batch = math.prod(self.places), static(self.batch)
        size = math.prod(self.window) * self.per_group * self.made
        rounds, images = 1, self.batch
        if batch is not None:
            read = count * (self.depth + self.made) * x.dtype.size
            at_once = _at_once(batch, read, size * x.dtype.size)
            rounds, images = batch // at_once, int64(at_once)
        parts = target
        if rounds > 1:
            parts = self.emitter.allocate(x.dtype, [int64(rounds), *target.dims])
        per_group = self.made // self.groups
        image = math.prod(sizes) * self.depth
        inner = [
            axis._replace(second=int64(math.prod(self.places[at:]) * self.made))
            for at, axis in enumerate(windows(images, sizes, self.depth, self.places, self.strides))
        ]
        rows = taps(sizes, self.depth, self.window, self.per_group, self.dilations, 0)
        with counted(builder, int64(rounds)) as part:
            first = times(builder, times(builder, part, images), int64(image))
            second = times(builder, times(builder, part, images), int64(count * self.made))
            to = times(builder, part, int64(size))
            for group in range(self.groups):
                pointers = [
                    place(builder, place(builder, pointer, offset, x.dtype), int64(more), x.dtype)
                    for pointer, offset, more in (
                        (parts.pointer, to, group * per_group),
                        (x.pointer, first, group * self.per_group),
                        (g.pointer, second, group * per_group),
                    )
                ]
                multiply(
                    self.emitter,
                    x.dtype,
                    pointers[0],
                    pointers[1:],
                    rows,
                    inner,
                    int64(per_group),
                    int64(self.made),
                )
        if rounds > 1:
            reduce(self.emitter, Accumulator("reduce_sum", x.dtype), parts, target, [0])

    def for_input(self, w: Array, g: Array, target: ir.Value) -> None:
        """Write the gradient for the images: with strides of 1 it is a convolution, of the gradient
        with the filter turned around.
        """
        builder, dtype = self.builder, g.dtype
        reach = [(k - 1) * d for k, d in zip(self.window, self.dilations, strict=True)]
        begins = [r - before for r, (before, _) in zip(reach, self.pads, strict=True)]
        sizes = [n + r for n, r in zip(self.sizes, reach, strict=True)]
        g = surrounded(self.emitter, g, begins, sizes)
        per_group, count = self.made // self.groups, math.prod(self.window)
        turned = self.emitter.allocate(
            dtype, [int64(count), int64(per_group), int64(self.depth)]
        ).pointer
        depth, made = int64(self.depth), int64(self.made)
        axes = [
            Axis(int64(self.groups), int64(per_group), int64(self.per_group)),
            Axis(int64(count), int64(-self.per_group * self.made), int64(per_group * self.depth)),
            Axis(int64(per_group), int64(1), depth),
            Axis(int64(self.per_group), made, int64(1)),
        ]
        last = int64((count - 1) * self.per_group * self.made)
        moved(builder, dtype, turned, place(builder, w.pointer, last, dtype), axes)
        ones = [1] * len(sizes)
        for group in range(self.groups):
            own = int64(group * self.per_group)
            multiply(
                self.emitter,
                dtype,
                place(builder, target, own, dtype),
                [
                    place(builder, g.pointer, int64(group * per_group), dtype),
                    place(builder, turned, own, dtype),
                ],
                windows(self.batch, sizes, self.made, self.sizes, ones),
                taps(sizes, self.made, self.window, per_group, self.dilations, self.depth),
                int64(self.per_group),
                depth,
            )


def _at_once(batch: int, image: int, filter: int) -> int:
    """The images whose products are summed at a time: as few as read more than the filter has."""
    divisors = [n for n in range(1, batch + 1) if batch % n == 0]
    return next((n for n in divisors if n * image >= max(LEAST_SUMMED, filter)), batch)


def windows(batch: ir.Value, sizes: Sizes, depth: int, places: Sizes, strides: Sizes) -> list[Axis]:
    """The axes of the first elements of all windows."""
    made = [Axis(batch, int64(math.prod(sizes) * depth))]
    for at, (count, stride) in enumerate(zip(places, strides, strict=True)):
        made.append(Axis(int64(count), int64(stride * math.prod(sizes[at + 1 :]) * depth)))
    return made


def taps(
    sizes: Sizes, depth: int, window: Sizes, channels: int, dilations: Sizes, columns: int
) -> list[Axis]:
    """The axes of the elements of one window, and of the rows of a filter of so many columns."""
    made = [
        Axis(
            int64(count),
            int64(dilations[at] * math.prod(sizes[at + 1 :]) * depth),
            int64(math.prod(window[at + 1 :]) * channels * columns),
        )
        for at, count in enumerate(window)
    ]
    return [*made, Axis(int64(channels), int64(1), int64(columns))]


def surrounded(emitter: Emitter, array: Array, begins: Sizes, sizes: Sizes, fill: Any = 0) -> Array:
    """Images of other sizes, in which these begin at some places: what is outside is left out, and
    the rest has a value.
    """
    builder, dtype = emitter.builder, array.dtype
    batch, *given, depth = array.dims
    olds = list(map(known, given))
    if olds == list(sizes) and not any(begins):
        return array
    dims = [batch, *map(int64, sizes), depth]
    made = emitter.allocate(dtype, dims)
    value = ir.Constant(register(dtype), fill)
    spread(builder, dtype, made.pointer, value, size_of(builder, dims))
    of_given, of_made = steps_of(builder, array.dims), steps_of(builder, dims)
    counts, source, target = [batch], array.pointer, made.pointer
    for begin, size, old, *steps in zip(
        begins, sizes, olds, of_given[1:], of_made[1:], strict=False
    ):
        skipped = max(0, -begin)
        counts.append(int64(max(min(old, size - begin) - skipped, 0)))
        source = place(builder, source, times(builder, int64(skipped), steps[0]), dtype)
        target = place(builder, target, times(builder, int64(skipped + begin), steps[1]), dtype)
    moved(builder, dtype, target, source, list(map(Axis, [*counts, depth], of_given, of_made)))
    return made


def images_of(
    emitter: Emitter, shape: Sequence[int | None], gradient: Array, given: Any
) -> ir.Value:
    """The number of images, which a gradient has; the shape of all of them is told, if it is not
    known while tracing, and must be this one.
    """
    builder, batch = emitter.builder, gradient.dims[0]
    if shape[0] is not None:
        return equal_dim(emitter, int64(shape[0]), batch)
    for at, dim in enumerate([batch, *(int64(dim or 0) for dim in shape[1:])]):
        told = number_at(emitter, given[0], int64(at))
        emitter.step_aside(builder.icmp_signed("!=", told, dim))
    return batch


def _lower(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    x, w = operands
    found = Convolution(emitter, kernel, x.dims, w.dims)
    made = emitter.allocate(x.dtype, found.dims, target_of(kernel))
    found.convolve(x, w, made.pointer)
    return [made]


def _lower_for_filter(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    x, g, *_ = operands
    dims = [int64(dim or 0) for dim in shape_of(kernel)]
    made = emitter.allocate(x.dtype, dims, target_of(kernel))
    found = Convolution(emitter, kernel, x.dims, dims)
    found.for_filter(x, of_dims(emitter, g, found.dims), made)
    return [made]


def _lower_for_input(emitter: Emitter, kernel: Kernel, operands: Sequence[Any]) -> Sequence[Held]:
    w, g, *given = operands
    shape = shape_of(kernel)
    dims = [images_of(emitter, shape, g, given), *(int64(dim or 0) for dim in shape[1:])]
    made = emitter.allocate(g.dtype, dims, target_of(kernel))
    found = Convolution(emitter, kernel, dims, w.dims)
    found.for_input(w, of_dims(emitter, g, found.dims), made.pointer)
    return [made]


ON_ARRAYS["convolution"] = OnArrays(
    lambda kernel: _takes(kernel, _shape(kernel, 0), _shape(kernel, 1)), _lower, heavy=True
)
ON_ARRAYS["convolution_for_filter"] = OnArrays(
    lambda kernel: _takes(kernel, _shape(kernel, 0), kernel.node.params["shape"]),
    _lower_for_filter,
    heavy=True,
)
ON_ARRAYS["convolution_for_input"] = OnArrays(
    lambda kernel: (
        _takes(kernel, kernel.node.params["shape"], _shape(kernel, 0))
        and set(kernel.node.params["strides"]) == {1}
    ),
    _lower_for_input,
    heavy=True,
)
