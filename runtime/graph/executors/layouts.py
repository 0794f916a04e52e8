"""The memory layouts of arrays: C-contiguous, or otherwise.

    y = transpose(x)      # a view: column by column
    z = y + 1             # NumPy allocates a result with the layout of y
    s = sum(z)            # rounds otherwise than a sum over rows

The result of an op on such arrays is written to a buffer of the layout that NumPy would choose, if
that is known, and else to a new array. Variables are taken to be C-contiguous: training needs
buffers most, and transposed values are rare there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from runtime import dtypes
from runtime.core.dataclasses import dataclass
from runtime.core.primitive import Memory, Order
from runtime.core.shapes import is_known
from runtime.core.types import ListType, TensorType
from runtime.graph.dataflow import Forward
from runtime.graph.executors.kernels import is_open, is_view, memory_of, order_of, views
from runtime.graph.ir import Node, Region, Value
from runtime.graph.nodes import CONSTANT
from runtime.ops import broadcast_to_p, reshape_p, transpose_p

Axes = tuple[int, ...]
"""The axes of an array, from the one along which neighbours are furthest apart to the one along
which they are closest.
"""

GROWABLE: Any = object()
"""Stands for the type of a growable buffer."""


@dataclass(frozen=True, slots=True)
class PermutedType:
    """The type of an array that is not C-contiguous."""

    array: TensorType
    axes: Axes


_LIST = ListType(TensorType(dtypes.float32, ()))


class Layouts(Forward):
    """The layouts of the values of a body, if the values `given` need not be C-contiguous.

    `axes` has all values that need not be, with None for an unknown layout; `repeated` are values
    that may be views which repeat elements, `strided` those that may have gaps between rows, and
    `copied` are reshaped values that cannot be views.
    """

    def __init__(self, body: Region, given: Iterable[Value]) -> None:
        self.axes: dict[Value, Axes | None] = dict.fromkeys(filter(may_be_permuted, given))
        self.repeated: set[Value] = set()
        self.strided: set[Value] = set()
        self.copied: set[Value] = set()
        self.region(body)

    def __contains__(self, value: object) -> bool:
        return value in self.axes

    def memory(self, value: Value) -> Any:
        """The type of what a value may be kept in: lists are alike, and so are growable buffers."""
        if is_open(value):
            return GROWABLE
        axes = self.axes.get(value)
        if axes is not None and isinstance(value.type, TensorType):
            return PermutedType(value.type, axes)
        return _LIST if isinstance(value.type, ListType) else value.type

    def is_view(self, node: Node) -> bool:
        """True if the node's outputs may be views of its first input."""
        return is_view(node) and self.copied.isdisjoint(node.outputs)

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Join layouts: that of a value with several sources is unknown, if one is permuted."""
        before = len(self.axes) + len(self.repeated)
        for source, target in zip(sources, targets, strict=True):
            if source in self.axes:
                self.axes[target] = None
            if source in self.repeated:
                self.repeated.add(target)
        return len(self.axes) + len(self.repeated) > before

    def op(self, node: Node) -> None:
        """Infer the layouts of a node's results."""
        if self._copies(node):
            self.copied.update(node.outputs)
            return
        axes = self._axes(node) if _is_known(node) else None
        contiguous = axes is not None and axes == tuple(range(len(axes)))
        if not contiguous and (axes is not None or self._is_strided(node)):
            self.axes.update((value, axes) for value in node.outputs if may_be_permuted(value))
        if views(node):
            source, primitive = node.inputs[0], node.primitive
            if primitive is broadcast_to_p or source in self.repeated:
                self.repeated.update(node.outputs)
            strides = memory_of(node) is Memory.VIEWS and primitive is not transpose_p
            if strides or source in self.strided:
                self.strided.update(node.outputs)

    def _is_strided(self, node: Node) -> bool:
        """True if results of the node need not be C-contiguous."""
        if node.primitive is CONSTANT:
            return not is_c_contiguous(node.params["value"])
        order = order_of(node)
        if order in (Order.C, Order.PERMUTED):
            return order is Order.PERMUTED
        return not self.axes.keys().isdisjoint(node.inputs)

    def _axes(self, node: Node) -> Axes | None:
        """The order of axes in memory of the result of a ufunc, or of a permutation of axes: NumPy
        is asked, about arrays of at most two elements a side.
        """
        permutes = node.primitive is transpose_p
        if not permutes and self.axes.keys().isdisjoint(node.inputs):
            return None
        small = [each for value in node.inputs if (each := self._small(value)) is not None]
        if len(small) < len(node.inputs):
            return None
        if permutes:
            return axes_of(np.transpose(small[0], node.params["perm"]))
        return axes_of_ufunc(small)

    def _copies(self, node: Node) -> bool:
        """True if the node is a reshape that can give no view."""
        axes = self.axes.get(node.inputs[0]) if node.primitive is reshape_p else None
        if axes is None:
            return False
        shape, wanted = _dims(node.inputs[0]), _dims(node.outputs[0])
        return not (shape is None or wanted is None or _reshapes(shape, axes, wanted))

    def _small(self, value: Value) -> Any:
        """An array that lies as the value does."""
        dims, axes = _dims(value), self.axes.get(value)
        unknown = value in self.axes and axes is None
        if unknown or value in self.repeated or dims is None:
            return None
        return array_in([min(dim, 2) or 2 for dim in dims], np.bool_, axes)


def _dims(value: Value) -> tuple[int, ...] | None:
    """The shape of an array, if all of it is known."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    if shape is None or not is_known(shape):
        return None
    return cast(tuple[int, ...], shape)


def axes_of_ufunc(arrays: Sequence[Any]) -> Axes:
    """The axes of what a ufunc makes of these arrays."""
    access: Any = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
    return axes_of(np.nditer([*arrays, None], (), access).operands[-1])


def array_in(shape: Any, dtype: Any, axes: Axes | None) -> Any:
    """A new array with these axes; None: a C-contiguous one."""
    if axes is None:
        return np.empty(shape, dtype)
    return np.empty([shape[axis] for axis in axes], dtype).transpose(np.argsort(axes))


def _reshapes(shape: Sequence[int], axes: Axes, wanted: Sequence[int]) -> bool:
    """True if an array of a shape, with these axes, can be seen in another shape."""
    sizes = [shape[axis] for axis in axes]
    strides = [math.prod(sizes[axes.index(axis) + 1 :]) for axis in range(len(axes))]
    array = np.lib.stride_tricks.as_strided(np.empty(1, np.bool_), shape, strides)
    try:
        np.reshape(array, wanted, copy=False)
    except ValueError:
        return False
    return True


def axes_of(array: Any) -> Axes:
    """The axes of an array."""
    if array.flags.c_contiguous:
        return tuple(range(array.ndim))
    return tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))


def _is_known(node: Node) -> bool:
    """Whether the node permutes the axes of its input, or keeps the order of its inputs."""
    return order_of(node) is Order.KEEP or node.primitive is transpose_p


def may_be_permuted(value: Value) -> bool:
    """True if it may be, or hold, an array of more than one dimension."""
    type = value.type
    if not isinstance(type, TensorType):
        return isinstance(type, ListType)
    return type.shape is None or len(type.shape) > 1


def is_array(value: Value) -> bool:
    """True for a tensor of more than one dimension."""
    return isinstance(value.type, TensorType) and may_be_permuted(value)


def is_c_contiguous(array: Any) -> bool:
    """True for a C-contiguous array, or a single number."""
    return bool(getattr(array, "flags", _NUMBER).c_contiguous)


class _NUMBER:
    c_contiguous = True
