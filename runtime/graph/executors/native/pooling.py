"""Pooling: the largest or the mean element of each window, by vectors of channels; and its
gradients.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.lowered import Kernel
from runtime.graph.executors.native import ir
from runtime.graph.executors.native.builder import Loop
from runtime.graph.executors.native.convolving import images_of, surrounded, taps, windows
from runtime.graph.executors.native.indexing import of_dims, register_rule, shapes_known, target_of
from runtime.graph.executors.native.loops import Axis, Strip, Values, lanes_for
from runtime.graph.executors.native.reductions import Accumulator
from runtime.graph.executors.native.scalars import compared
from runtime.graph.executors.native.scattering import combine
from runtime.graph.executors.native.values import Array, Held, int64, known, register, width
from runtime.ops.windows import pads_of, positions

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

LARGEST = "largest_of_windows"


def _takes(kernel: Kernel, shape: Any) -> bool:
    """Whether all sizes are known but the number of images, and none is 0."""
    node = kernel.node
    if not shapes_known(kernel) or shape is None or None in shape[1:] or 0 in shape:
        return False
    geometry = {key: node.params[key] for key in ("strides", "padding", "dilations")}
    places = positions(shape[1:-1], node.params["ksize"], **geometry)
    type = node.outputs[0].type
    return 0 not in places and isinstance(type, TensorType) and _is_wide(type.dtype)


def _is_wide(dtype: DType) -> bool:
    return dtype.is_integer or dtype.size > 2


def _shape(kernel: Kernel) -> Any:
    return getattr(kernel.node.inputs[0].type, "shape", None)


class Pooling:
    """The windows of images of some dims."""

    def __init__(
        self, emitter: Emitter, kernel: Kernel, dims: Sequence[ir.Value], dtype: DType
    ) -> None:
        params = kernel.node.params
        self.emitter, self.builder, self.dtype = emitter, emitter.builder, dtype
        self.batch, self.depth = dims[0], known(dims[-1])
        self.given = list(map(known, dims[1:-1]))
        self.window, self.strides = params["ksize"], params["strides"]
        self.dilations = params["dilations"]
        geometry = {key: params[key] for key in ("strides", "padding", "dilations")}
        self.pads = pads_of(self.given, self.window, **geometry)
        self.places = [int(n or 0) for n in positions(self.given, self.window, **geometry)]
        self.sizes = [n + a + b for n, (a, b) in zip(self.given, self.pads, strict=True)]
        self.dims = [self.batch, *map(int64, self.places), int64(self.depth)]

    def padded(self, array: Array, fill: Any) -> Array:
        """The images with a value around them."""
        begins = [before for before, _ in self.pads]
        return surrounded(self.emitter, array, begins, self.sizes, fill)

    def zeros(self) -> Array:
        """Padded images of zeros."""
        dims = [self.batch, *map(int64, self.sizes), int64(self.depth)]
        made = self.emitter.allocate(self.dtype, dims)
        size = self.builder.size_of(dims)
        self.builder.clear(made.pointer, self.builder.bytes_of(size, self.dtype))
        return made

    def inner(self, array: Array) -> Array:
        """Padded images without what is around them."""
        return surrounded(self.emitter, array, [-before for before, _ in self.pads], self.given)

    @contextmanager
    def each(self) -> Iterator[tuple[ir.Value, ir.Value, Sequence[ir.Value]]]:
        """A loop over the windows: gives the first element of each in padded images, the first of
        its channels in the result, and its place along each axis.
        """
        builder, axes = self.builder, self._axes()
        with ExitStack() as loops:
            first: ir.Value = int64(0)
            number: ir.Value = int64(0)
            places = []
            for axis in axes:
                at = loops.enter_context(builder.counted(axis.count))
                first = builder.add(first, builder.mul(at, axis.first))
                number = builder.add(builder.mul(number, axis.count), at)
                places.append(at)
            yield first, builder.mul(number, int64(self.depth)), places[1:]

    def _axes(self) -> list[Axis]:
        return windows(self.batch, self.sizes, self.depth, self.places, self.strides)

    def over(self, first: ir.Value, carried: Values, body: Any) -> Values:
        """The values carried through all elements of a window, of one channel or of more."""
        builder, loops = self.builder, []
        for axis in taps(self.sizes, self.depth, self.window, 1, self.dilations, 1)[:-1]:
            loop = Loop(builder, axis.count, 1, carried)
            first = builder.add(first, builder.mul(loop.index, axis.first))
            carried = loop.values
            loops.append(loop)
        carried = body(first, carried)
        for loop in reversed(loops):
            carried = loop.close(carried)
        return carried

    def channels(self, body: Callable[[ir.Value, int], None]) -> None:
        """Emit the body for the channels by vectors, each channel once: the rest is shorter ones.
        It is given the first channel of a vector, and the lanes.
        """
        begin, lanes = 0, lanes_for(width(self.dtype), 1)
        while begin < self.depth:
            if count := (self.depth - begin) // lanes:
                with self.builder.counted(int64(count)) as at:
                    channel = self.builder.mul(at, int64(lanes))
                    body(self.builder.add(channel, int64(begin)), lanes)
            begin, lanes = begin + count * lanes, lanes // 2

    def reduced(self, x: Array, made: Array, combined: Accumulator, mean: bool) -> None:
        """Write the elements of each window combined."""
        builder, dtype = self.builder, self.dtype
        with self.each() as (first, number, places):
            to = builder.place(made.pointer, number, dtype)
            strip = Strip(builder, int64(self.depth), lanes_for(dtype.size, 2), [], [(to, dtype)])
            share = self.share(places) if mean else None

            def body(at: ir.Value, vectors: Values, state: Values) -> tuple[Values, Values]:
                def more(where: ir.Value, values: Values) -> Values:
                    pointer = builder.place(x.pointer, builder.add(where, at), dtype)
                    vector = builder.load_element(pointer, dtype, strip.lanes)
                    return [combined.combine(builder, values[0], vector)]

                (total,) = self.over(first, combined.start(strip.lanes), more)
                return [total if share is None else self.shared(total, share)], []

            strip.run([], body)

    def shared(self, value: ir.Value, share: ir.Value) -> ir.Value:
        """A vector by the number of elements of its window; where that is the same for all, by
        multiplying with its inverse, as NumPy does.
        """
        many = self.builder.splat(share, value.type.count)
        emit = self.builder.fdiv if self.is_padded else self.builder.fmul
        return emit(value, many)

    @property
    def is_padded(self) -> bool:
        return any(map(any, self.pads))

    def share(self, places: Sequence[ir.Value]) -> ir.Value:
        """The number of elements of a window that are inside of the images; its inverse, where all
        are.
        """
        builder, dtype = self.builder, self.dtype
        kind = dtype.np_dtype.type
        if not self.is_padded:
            return ir.Constant(register(dtype), float(kind(1 / math.prod(self.window))))
        total: ir.Value = ir.Constant(register(dtype), 1.0)
        for axis, at in enumerate(places):
            starts = np.arange(self.places[axis]) * self.strides[axis] - self.pads[axis][0]
            at_tap = starts[:, None] + np.arange(self.window[axis]) * self.dilations[axis]
            inside = ((at_tap >= 0) & (at_tap < self.given[axis])).sum(1)
            table = self.emitter.unit.constant(self.emitter, np.maximum(inside, 1).astype(kind))
            count = builder.load_at(table, at, dtype)
            total = builder.fmul(total, count)
        return total


def _lower_pool(emitter: Emitter, kernel: Kernel, x: Array) -> Sequence[Held]:
    found = Pooling(emitter, kernel, x.dims, x.dtype)
    largest = kernel.node.primitive.instruction == LARGEST
    combined = Accumulator("reduce_max" if largest else "reduce_sum", x.dtype)
    made = emitter.allocate(x.dtype, found.dims, target_of(kernel))
    found.reduced(found.padded(x, combined.neutral.constant), made, combined, not largest)
    return [made]


def _lower_mean_grad(emitter: Emitter, kernel: Kernel, g: Array, *given: Array) -> Sequence[Held]:
    builder, dtype, shape = emitter.builder, g.dtype, kernel.node.params["shape"]
    dims = [images_of(emitter, shape, g, given), *(int64(dim) for dim in shape[1:])]
    found = Pooling(emitter, kernel, dims, dtype)
    g = of_dims(emitter, g, found.dims)
    full, depth = found.zeros(), int64(found.depth)
    row = emitter.memory(dtype, [depth])
    with found.each() as (first, number, places):
        share = found.share(places)
        source = builder.place(g.pointer, number, dtype)
        strip = Strip(builder, depth, lanes_for(dtype.size, 2), [(source, dtype)], [(row, dtype)])
        strip.run([], lambda at, vectors, state: ([found.shared(vectors[0], share)], []))

        def more(where: ir.Value, values: Values) -> Values:
            combine(emitter, "add", dtype, builder.place(full.pointer, where, dtype), row, depth)
            return values

        found.over(first, [], more)
    return [found.inner(full)]


def _lower_largest_grad(
    emitter: Emitter, kernel: Kernel, x: Array, y: Array, g: Array
) -> Sequence[Held]:
    """The gradient of each window goes to the first of its elements that is the largest."""
    builder, dtype = emitter.builder, g.dtype
    found = Pooling(emitter, kernel, x.dims, dtype)
    y, g = (of_dims(emitter, array, found.dims) for array in (y, g))
    padded = found.padded(x, Accumulator("reduce_max", dtype).neutral.constant)
    full, added = found.zeros(), Accumulator("reduce_sum", dtype)
    with found.each() as (first, number, _):

        def give(channel: ir.Value, lanes: int) -> None:
            at, zeros = builder.add(number, channel), added.start(lanes)[0]
            largest, left = (builder.load_at(array.pointer, at, dtype, lanes) for array in (y, g))

            def more(where: ir.Value, values: Values) -> Values:
                where = builder.add(where, channel)
                element, total = (
                    builder.load_at(array.pointer, where, dtype, lanes) for array in (padded, full)
                )
                hit = compared(builder, "==", dtype, element, largest)
                given = builder.select(hit, values[0], zeros)
                to = builder.place(full.pointer, where, dtype)
                builder.store_element(added.combine(builder, total, given), to, dtype)
                return [builder.select(hit, zeros, values[0])]

            found.over(first, [left], more)

        found.channels(give)
    return [found.inner(full)]


register_rule(LARGEST, lambda kernel: _takes(kernel, _shape(kernel)), _lower_pool, heavy=True)
register_rule(
    "mean_of_windows", lambda kernel: _takes(kernel, _shape(kernel)), _lower_pool, heavy=True
)
register_rule(
    "largest_of_windows_grad",
    lambda kernel: _takes(kernel, _shape(kernel)),
    _lower_largest_grad,
    heavy=True,
)
register_rule(
    "mean_of_windows_grad",
    lambda kernel: _takes(kernel, kernel.node.params["shape"]),
    _lower_mean_grad,
    heavy=True,
)
