"""Convolutions, and their gradients: products of matrices whose first factor is read by windows,
from where it stands.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from runtime import dtypes
from runtime.dtypes import DType
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
from runtime.graph.executors.native.loops import Axis, moved, spread
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS, OnArrays
from runtime.graph.executors.native.products import multiply
from runtime.graph.executors.native.reductions import Accumulator, reduce, total
from runtime.graph.executors.native.values import Array, Held, int64, known, register
from runtime.ops.windows import pads_of, positions

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

BY_CHANNELS = "convolution_by_channels"

LEAST_SUMMED = 1 << 17
"""Bytes that one product of the gradient for a filter reads."""

LARGE = 8
"""As many times as that many bytes are read of an image that is summed in parts."""

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
    for the `batch`. Of filters with one channel each channel is convolved by itself, and repeated
    where several are made of it: `read` is how many there are then, which `summed` of a filter's
    results depend on.
    """

    def __init__(
        self,
        emitter: Emitter,
        params: Mapping[str, Any],
        image: Sequence[ir.Value],
        window: Sequence[ir.Value],
    ) -> None:
        self.emitter, self.builder = emitter, emitter.builder
        self.batch = image[0]
        *self.sizes, self.depth = map(known, image[1:])
        *self.window, self.per_group, self.made = map(known, window)
        self.by_channels = self.per_group == 1 and self.depth > 1
        self.groups = 1 if self.by_channels else self.depth // self.per_group
        self.read = self.made if self.by_channels else self.depth
        self.summed = 1 if self.by_channels else self.made // self.groups
        self.strides, self.dilations = params["strides"], params["dilations"]
        self.pads = pads_of(self.sizes, self.window, **_steps(params))
        self.places = [int(n or 0) for n in positions(self.sizes, self.window, **_steps(params))]
        self.dims = [self.batch, *map(int64, [*self.places, self.made])]

    def padded(self, array: Array) -> tuple[Array, Sizes]:
        """The images with zeros around them, and their sizes."""
        sizes = [n + a + b for n, (a, b) in zip(self.sizes, self.pads, strict=True)]
        begins = [before for before, _ in self.pads]
        return surrounded(self.emitter, self.repeated(array), begins, sizes), sizes

    def repeated(self, array: Array) -> Array:
        """Images that have each channel as often as it is convolved."""
        builder, dtype, (*dims, depth) = self.builder, array.dtype, array.dims
        if self.read == self.depth:
            return array
        made = self.emitter.allocate(dtype, [*dims, int64(self.read)])
        each = int64(self.read // self.depth)
        axes = [
            Axis(builder.size_of([*dims, depth]), int64(1), each),
            Axis(each, int64(0), int64(1)),
        ]
        moved(builder, dtype, made.pointer, array.pointer, axes)
        return made

    def product(
        self,
        dtype: DType,
        pointers: Sequence[ir.Value],
        steps: Sizes,
        rows: Sequence[Axis],
        inner: Sequence[Axis],
        columns: int,
        pitch: int,
    ) -> None:
        """The products of all groups: of the target and two factors, which begin so many `steps`
        apart for each of them.
        """
        builder = self.builder
        with builder.counted(int64(self.groups)) as group:
            target, *factors = (
                builder.place(pointer, builder.mul(group, int64(step)), dtype)
                for pointer, step in zip(pointers, steps, strict=True)
            )
            sizes = int64(columns), int64(pitch)
            multiply(self.emitter, dtype, target, factors, rows, inner, *sizes, self.by_channels)

    def convolve(self, x: Array, w: Array, target: ir.Value) -> None:
        """Write the convolution."""
        x, sizes = self.padded(x)
        columns = self.made // self.groups
        self.product(
            x.dtype,
            [target, x.pointer, w.pointer],
            [columns, self.per_group, columns],
            windows(self.batch, sizes, self.read, self.places, self.strides),
            taps(sizes, self.read, self.window, self.per_group, self.dilations, self.made),
            columns,
            self.made,
        )

    def for_filter(self, x: Array, g: Array, target: Array) -> None:
        """Write the gradient for the filter: the sum of the products of some images at a time, or
        of some places along the first axis of an image.
        """
        builder, dtype, (x, sizes) = self.builder, x.dtype, self.padded(x)
        size = math.prod(self.window) * self.per_group * self.made
        rounds, images, length = self.at_once(dtype, size * dtype.size)
        number, rest = divmod(self.places[0], length)
        each = number + bool(rest)
        parts = target
        if rounds * each > 1:
            parts = self.emitter.allocate(dtype, [int64(rounds * each), *target.dims])
        of_x = builder.steps_of([images, *map(int64, [*sizes, self.read])])
        of_g = builder.steps_of([images, *map(int64, [*self.places, self.made])])
        with builder.counted(int64(rounds)) as at:
            image = builder.mul(at, images)
            for begin, count, places in ((0, number, length), (number, int(rest > 0), rest)):
                if not count:
                    continue
                with builder.counted(int64(count)) as band:
                    part = builder.add(builder.mul(at, int64(each)), int64(begin))
                    part = builder.add(part, band)
                    first = builder.mul(builder.add(band, int64(begin)), int64(length))
                    of_first = builder.mul(first, int64(self.strides[0]))
                    offsets = (
                        builder.mul(part, int64(size)),
                        builder.add(
                            builder.mul(image, of_x[0]),
                            builder.mul(of_first, of_x[1]),
                        ),
                        builder.add(builder.mul(image, of_g[0]), builder.mul(first, of_g[1])),
                    )
                    arrays = zip((parts, x, g), offsets, strict=True)
                    pointers = [builder.place(a.pointer, offset, dtype) for a, offset in arrays]
                    self.sum_products(dtype, pointers, sizes, images, places)
        if parts is not target:
            reduce(self.emitter, Accumulator("reduce_sum", dtype), parts, target, [0])

    def sum_products(
        self,
        dtype: DType,
        pointers: Sequence[ir.Value],
        sizes: Sizes,
        images: ir.Value,
        length: int,
    ) -> None:
        """Write the gradient for the filter of so many images, and of places along their first
        axis.
        """
        rows = taps(sizes, self.read, self.window, self.per_group, self.dilations, 0)
        of_g = self.builder.steps_of([images, *map(int64, [*self.places, self.made])])
        axes = windows(images, sizes, self.read, [length, *self.places[1:]], self.strides)
        inner = [axis._replace(second=step) for axis, step in zip(axes, of_g, strict=False)]
        columns = self.made // self.groups
        steps = [columns, self.per_group, columns]
        self.product(dtype, pointers, steps, rows, inner, columns, self.made)

    def at_once(self, dtype: DType, size: int) -> tuple[int, ir.Value, int]:
        """The rounds that a gradient for a filter of this many bytes is summed in, of as many
        images; and how many places along their first axis it is summed over at a time. As few as
        read more than the filter has.
        """
        batch, read = self.batch.constant, math.prod(self.places) * (self.read + self.made)
        read, least, length = read * dtype.size, max(LEAST_SUMMED, size), self.places[0]
        if read >= LARGE * least:
            fewest = -(-2 * least * length // read)
            divisors = (n for n in range(fewest, 2 * fewest) if length % n == 0)
            length = next(divisors, fewest)
        if batch is None:
            return 1, self.batch, length
        divisors = (n for n in range(1, batch + 1) if batch % n == 0)
        images = next((n for n in divisors if n * read >= least), batch)
        return batch // images, int64(images), length


# The gradient for images


class Phases:
    """The gradient of a convolution for its images. The places that the same taps of windows meet
    are a phase: there are as many as places from one window to the next. Each phase is a
    convolution of the gradient, with its taps turned around.

    Phases have `counts` places along each axis, the first of which is that of the window `starts`,
    and up to `most` taps.
    """

    def __init__(self, made: Convolution, dtype: DType) -> None:
        self.of, self.builder, self.dtype = made, made.builder, dtype
        strides: Sizes = made.strides
        self.strides = strides
        self.most = [-(-k // stride) for k, stride in zip(made.window, strides, strict=True)]
        places = list(zip(made.sizes, made.pads, strides, strict=True))
        self.starts = [before // stride for _, (before, _), stride in places]
        ends = [(before + size - 1) // stride + 1 for size, (before, _), stride in places]
        self.counts = [end - start for start, end in zip(self.starts, ends, strict=True)]
        self.number = math.prod(strides)
        self.pitch = self.number * made.read

    def write(self, w: Array, g: Array, target: Array) -> None:
        """Write the gradient."""
        of, emitter = self.of, self.of.emitter
        reach = [(k - 1) * d for k, d in zip(self.most, of.dilations, strict=True)]
        sizes = [n + r for n, r in zip(self.counts, reach, strict=True)]
        begins = [r - start for r, start in zip(reach, self.starts, strict=True)]
        g, turned = surrounded(emitter, g, begins, sizes), self.turned(w)
        whole = target
        if of.read != of.depth:
            dims = [*target.dims, int64(of.read // of.depth)]
            whole = emitter.allocate(self.dtype, dims)
        made = whole
        if self.number > 1:
            dims = [of.batch, *map(int64, [*self.counts, self.pitch])]
            made = emitter.allocate(self.dtype, dims)
        pointers = [made.pointer, g.pointer, turned]
        rows = windows(of.batch, sizes, of.made, self.counts, [1] * len(sizes))
        inner = taps(sizes, of.made, self.most, of.summed, of.dilations, self.pitch)
        if self.are_columns():
            of.product(self.dtype, pointers, [0, 0, 0], rows, inner, self.pitch, self.pitch)
        else:
            self.by_kinds(made, pointers, rows, inner)
        if self.number > 1:
            self.join(made, whole.pointer)
        if whole is not target:
            added = Accumulator("reduce_sum", self.dtype)
            reduce(emitter, added, whole, target, [len(target.dims)])

    def turned(self, w: Array) -> ir.Value:
        """The filter with the taps of each phase turned around: an array of taps, of channels that
        are summed, of phases and of channels that are made. Phases of fewer taps lack the first.
        """
        of, builder, dtype = self.of, self.builder, self.dtype
        dims = list(map(int64, [math.prod(self.most), of.summed, self.pitch]))
        made = of.emitter.allocate(dtype, dims).pointer
        channels, step = (of.read, 1) if of.by_channels else (of.per_group, of.made)
        axes = [
            Axis(int64(of.groups), int64(of.summed), int64(of.per_group)),
            Axis(int64(of.summed), int64(1), int64(self.pitch)),
            Axis(int64(channels), int64(step), int64(1)),
        ]
        tap: ir.Value = int64(0)
        to: ir.Value = int64(0)
        phase: ir.Value = int64(0)
        with ExitStack() as loops:
            for k, stride, count in zip(of.window, self.strides, self.most, strict=True):
                at = loops.enter_context(builder.counted(int64(k)))
                number = builder.udiv(at, int64(stride)) if stride > 1 else at
                rest = builder.sub(at, builder.mul(number, int64(stride)))
                number = builder.sub(int64(count - 1), number)
                tap = builder.add(builder.mul(tap, int64(k)), at)
                to = builder.add(builder.mul(to, int64(count)), number)
                phase = builder.add(builder.mul(phase, int64(stride)), rest)
            tap = builder.mul(tap, int64(of.per_group * of.made))
            to = builder.mul(to, int64(of.summed * self.pitch))
            to = builder.add(to, builder.mul(phase, int64(of.read)))
            source, target = builder.place(w.pointer, tap, dtype), builder.place(made, to, dtype)
            moved(builder, dtype, target, source, axes)
        return made

    def are_columns(self) -> bool:
        """Whether the phases have the same number of taps each, so that all are one product."""
        of = self.of
        even = not any(k % stride for k, stride in zip(of.window, self.strides, strict=True))
        return even and of.groups == 1 and not of.by_channels

    def kinds(self) -> Iterator[Sequence[tuple[int, int, int]]]:
        """The kinds of phases: for each axis the first of them, their number and that of taps."""
        found = []
        for k, stride, most in zip(self.of.window, self.strides, self.most, strict=True):
            many = k - (most - 1) * stride
            kinds = (0, many, most), (many, stride - many, most - 1)
            found.append([kind for kind in kinds if kind[1]])
        return itertools.product(*found)

    def by_kinds(
        self,
        made: Array,
        pointers: Sequence[ir.Value],
        rows: Sequence[Axis],
        inner: Sequence[Axis],
    ) -> None:
        """Write the product of each phase; of those that have as many taps by the same code."""
        of, builder = self.of, self.builder
        if any(k < stride for k, stride in zip(of.window, self.strides, strict=True)):
            size = builder.size_of(made.dims)
            builder.clear(made.pointer, builder.bytes_of(size, self.dtype))
        columns = of.read // of.groups
        for kind in self.kinds():
            if any(count == 0 for *_, count in kind):
                continue
            axes, first, second = list(inner), 0, 0
            for at, (*_, count) in enumerate(kind):
                left_out = self.most[at] - count
                first += left_out * known(inner[at].first)
                second += left_out * known(inner[at].second)
                axes[at] = inner[at]._replace(count=int64(count))
            phase: ir.Value = int64(0)
            with ExitStack() as loops:
                for (begin, number, _), stride in zip(kind, self.strides, strict=True):
                    index = loops.enter_context(builder.counted(int64(number)))
                    index = builder.add(index, int64(begin))
                    phase = builder.add(builder.mul(phase, int64(stride)), index)
                column = builder.mul(phase, int64(of.read))
                offsets = column, int64(first), builder.add(column, int64(second))
                own = [
                    builder.place(pointer, offset, self.dtype)
                    for pointer, offset in zip(pointers, offsets, strict=True)
                ]
                steps = [columns, of.summed, columns]
                of.product(self.dtype, own, steps, rows, axes, columns, self.pitch)

    def join(self, made: Array, target: ir.Value) -> None:
        """Write the places of each phase to where they are. Those before the first place of the
        images are skipped.
        """
        of, builder, dtype, source = self.of, self.builder, self.dtype, made.pointer
        first = builder.steps_of(made.dims)
        second = builder.steps_of([of.batch, *map(int64, [*of.sizes, of.read])])
        axes = [Axis(of.batch, first[0], second[0])]
        phase: ir.Value = int64(0)
        with ExitStack() as loops:
            for axis, (stride, size) in enumerate(zip(self.strides, of.sizes, strict=True), 1):
                at = loops.enter_context(builder.counted(int64(stride)))
                phase = builder.add(builder.mul(phase, int64(stride)), at)
                before = int64(of.pads[axis - 1][0] - stride * self.starts[axis - 1])
                is_before = builder.icmp_signed("<", at, before)
                skipped = builder.select(is_before, int64(1), int64(0))
                begin = builder.add(builder.mul(skipped, int64(stride)), builder.sub(at, before))
                count = builder.udiv(builder.sub(int64(size + stride - 1), begin), int64(stride))
                source = builder.place(source, builder.mul(skipped, first[axis]), dtype)
                target = builder.place(target, builder.mul(begin, second[axis]), dtype)
                axes.append(Axis(count, first[axis], builder.mul(int64(stride), second[axis])))
            source = builder.place(source, builder.mul(phase, int64(of.read)), dtype)
            moved(builder, dtype, target, source, [*axes, Axis(int64(of.read), int64(1), int64(1))])


# What pooling shares


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
    spread(builder, dtype, made.pointer, value, builder.size_of(dims))
    of_given, of_made = builder.steps_of(array.dims), builder.steps_of(dims)
    counts, source, target = [batch], array.pointer, made.pointer
    for begin, size, old, *steps in zip(
        begins, sizes, olds, of_given[1:], of_made[1:], strict=False
    ):
        skipped = max(0, -begin)
        counts.append(int64(max(min(old, size - begin) - skipped, 0)))
        source = builder.place(source, builder.mul(int64(skipped), steps[0]), dtype)
        target = builder.place(target, builder.mul(int64(skipped + begin), steps[1]), dtype)
    moved(builder, dtype, target, source, list(map(Axis, [*counts, depth], of_given, of_made)))
    return made


def images_of(
    emitter: Emitter, shape: Sequence[int | None], gradient: Array, given: Sequence[Array]
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


WindowOf = Callable[[Sequence[Any]], list[Any]]
"""The shape of the filter that is convolved, for that of the one which is given."""


def _by_channels(shape: Sequence[Any]) -> list[Any]:
    """Filters that are for one channel each are many of one channel."""
    *window, depth, many = shape
    return [*window, 1, None if None in (depth, many) else depth * many]


def _lower(
    window_of: WindowOf, emitter: Emitter, kernel: Kernel, x: Array, w: Array
) -> Sequence[Held]:
    window = window_of(list(map(known, w.dims)))
    found = _convolution(emitter, kernel, x.dims, window)
    made = emitter.allocate(x.dtype, found.dims, target_of(kernel))
    found.convolve(x, w, made.pointer)
    return [made]


def _convolution(
    emitter: Emitter, kernel: Kernel, image: Sequence[ir.Value], window: Sequence[int]
) -> Convolution:
    return Convolution(emitter, kernel.node.params, image, list(map(int64, window)))


def _lower_for_filter(
    window_of: WindowOf, emitter: Emitter, kernel: Kernel, x: Array, g: Array, *_: Held
) -> Sequence[Held]:
    shape = [dim or 0 for dim in shape_of(kernel)]
    made = emitter.allocate(x.dtype, list(map(int64, shape)), target_of(kernel))
    found = _convolution(emitter, kernel, x.dims, window_of(shape))
    found.for_filter(x, of_dims(emitter, g, found.dims), made)
    return [made]


def _lower_for_input(
    window_of: WindowOf, emitter: Emitter, kernel: Kernel, w: Array, g: Array, *given: Array
) -> Sequence[Held]:
    shape = shape_of(kernel)
    dims = [images_of(emitter, shape, g, given), *(int64(dim or 0) for dim in shape[1:])]
    made = emitter.allocate(g.dtype, dims, target_of(kernel))
    found = _convolution(emitter, kernel, dims, window_of(list(map(known, w.dims))))
    _step_aside_for_infinite(emitter, w)
    Phases(found, w.dtype).write(w, of_dims(emitter, g, found.dims), made)
    return [made]


def _step_aside_for_infinite(emitter: Emitter, w: Array) -> None:
    """A weight that is not finite is NaN times the zeros around a gradient, which only this form of
    it has.
    """
    if all(known(dim) == 1 for dim in w.dims[:-2]):
        return
    builder = emitter.builder
    found = total(emitter, Accumulator("reduce_sum", w.dtype), w.pointer, builder.size_of(w.dims))
    nothing = builder.fsub(found, found)
    emitter.step_aside(builder.fcmp_unordered("!=", nothing, ir.Constant(nothing.type, 0)))


def _takes_for_input(kernel: Kernel) -> bool:
    params = kernel.node.params
    steps = set(params["strides"]), set(params["dilations"])
    return {1} in steps and _takes(kernel, params["shape"], _shape(kernel, 0))


for _name, _window_of in (("convolution", list), (BY_CHANNELS, _by_channels)):
    ON_ARRAYS[_name] = OnArrays(
        lambda kernel: _takes(kernel, _shape(kernel, 0), _shape(kernel, 1)),
        partial(_lower, _window_of),
        heavy=True,
    )
    ON_ARRAYS[f"{_name}_for_filter"] = OnArrays(
        lambda kernel: _takes(kernel, _shape(kernel, 0), kernel.node.params["shape"]),
        partial(_lower_for_filter, _window_of),
        heavy=True,
    )
    ON_ARRAYS[f"{_name}_for_input"] = OnArrays(
        _takes_for_input, partial(_lower_for_input, _window_of), heavy=True
    )
