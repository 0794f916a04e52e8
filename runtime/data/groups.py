"""Transformations that put elements together, and take them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, nest
from runtime.core.convert import convert_to_tensor
from runtime.core.shapes import TensorShape, TensorSpec
from runtime.core.tensor import Tensor
from runtime.data import arguments
from runtime.data import grouping_pipelines as made
from runtime.data.arguments import (
    check_no_nones,
    check_tensors,
    integer,
    integers,
    known,
    known_all,
    with_first,
    without_first,
)
from runtime.data.chained import Chained
from runtime.data.functions import arguments as parts_of
from runtime.data.functions import traced
from runtime.data.layouts import DatasetSpec
from runtime.data.transformations import enumerated
from runtime.debugging import assert_less

if TYPE_CHECKING:
    from runtime.data.dataset import Dataset


class Groups(Chained):
    """Transformations of several elements to one, and back."""

    __slots__ = ()

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """`batch_size` elements at a time, their tensors stacked.

        The last batch has fewer, or is left out with `drop_remainder`, which makes the size known.
        Raises InvalidArgumentError for elements of different shapes.

        >>> [x.numpy().tolist() for x in rt.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        what = "Dataset.batch"
        check_tensors(self._layout, what)
        size = integer(batch_size, what, "batch_size")
        drop = bool(drop_remainder)
        spec = with_first(self.element_spec, known(size) if drop else None)
        return self._to(spec, partial(made.batched, drop=drop), size)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """`batch` of tensors of different shapes, which are padded at their ends.

        Args:
            padded_shapes: the shape to pad each component to, where None or -1 is the longest of
                the batch; of the form of an element. Without it all unknown dimensions are so.
            padding_values: the value to pad with, of the form of an element, where None stands
                for 0, "" and False.

        >>> data = rt.data.Dataset.range(1, 4).map(lambda x: rt.fill([x], x))
        >>> [x.numpy().tolist() for x in data.padded_batch(2)]
        [[[1, 0], [2, 2]], [[3, 3, 3]]]
        """
        what = "Dataset.padded_batch"
        check_tensors(self._layout, what)
        check_no_nones(self.element_spec, what)
        size, drop = integer(batch_size, what, "batch_size"), bool(drop_remainder)
        shapes = arguments.padded_shapes(padded_shapes, self._layout, what)
        values = arguments.padding_values(padding_values, self._layout, what)
        first = [known(size) if drop else None]
        leaves = [
            TensorSpec(TensorShape(None if shape is None else [*first, *shape]), leaf.dtype)
            for leaf, shape in zip(self._layout.leaves, shapes, strict=True)
        ]
        spec = self._layout.pack(leaves, lambda _, leaf: leaf)
        return self._to(spec, partial(made.padded, shapes=shapes, drop=drop), size, *values)

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of the tensors of each element; ValueError for scalars.

        >>> data = rt.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        >>> [int(x) for x in data.unbatch()]
        [1, 2, 3, 4]
        """
        what = "Dataset.unbatch"
        check_tensors(self._layout, what)
        sizes = {leaf.shape[0] for leaf in self._layout.leaves if leaf.shape.rank} - {None}
        if len(sizes) > 1:
            raise ValueError(
                f"{what}: the first dimensions of the components of an element differ: "
                f"{sorted(sizes)}"
            )
        size = sizes.pop() if len(sizes) == 1 else None
        spec = without_first(self.element_spec, what)
        return self._to(spec, partial(made.unbatched, size=size))

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """The same rows in batches of another size, or of several sizes in turn.

        >>> [x.numpy().tolist() for x in rt.data.Dataset.range(5).batch(2).rebatch(3)]
        [[0, 1, 2], [3, 4]]
        >>> [x.numpy().tolist() for x in rt.data.Dataset.range(5).batch(5).rebatch([1, 2])]
        [[0], [1, 2], [3], [4]]
        """
        what = "Dataset.rebatch"
        sizes, drop = integers(batch_size, what, "batch_size"), bool(drop_remainder)
        rows = self.unbatch()
        first = _batch_of(known_all(sizes), self._layout, drop)
        build = partial(made.batched_in_turn, types=rows._layout.types, drop=drop)
        return rows._to(with_first(rows.element_spec, first), build, sizes)

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of `size` elements, `stride` apart, each beginning `shift` elements (None:
        `size`) behind the one before. Of tuples and dicts each component is a dataset.

        >>> windows = rt.data.Dataset.range(4).window(2, shift=1, drop_remainder=True)
        >>> [[int(x) for x in window] for window in windows]
        [[0, 1], [1, 2], [2, 3]]
        """
        what = "Dataset.window"
        count = integer(size, what, "size")
        step = count if shift is None else integer(shift, what, "shift")
        apart = integer(stride, what, "stride")
        spec = nest.map_structure(lambda leaf: leaf and DatasetSpec(leaf), self.element_spec)
        build = partial(made.windows, drop=bool(drop_remainder))
        return self._to(spec, build, count, step, apart)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of one key together: `reduce_func(key, dataset)` makes a dataset of each
        `window_size` of them, and of fewer at the end. Its elements come as the windows are full.

        Args:
            key_func: the key of an element, a scalar of int64.
            window_size_func: how many for a key, in place of `window_size`.

        >>> data = rt.data.Dataset.range(6)
        >>> data = data.group_by_window(lambda x: x % 2, lambda key, xs: xs.batch(2), window_size=2)
        >>> [x.numpy().tolist() for x in data]
        [[0, 2], [1, 3], [4], [5]]
        """
        what = "Dataset.group_by_window"
        if (window_size is None) == (window_size_func is None):
            raise ValueError(f"{what}: give window_size or window_size_func, one of them")
        number = TensorSpec([], dtypes.int64)
        if window_size is not None:
            given = integer(window_size, what, "window_size")
            window_size_func = _constant(given)
        key = traced(what, _integral(key_func), *parts_of(self.element_spec))
        size = traced(what, _integral(window_size_func), number)
        for part, found in (("key_func", key.layout.spec), ("window_size_func", size.layout.spec)):
            if found != number:
                raise ValueError(f"{what}: {part} must return a scalar of int64, not {found}")
        reduce = traced(what, reduce_func, number, DatasetSpec(self.element_spec))
        result = reduce.layout.spec
        if not isinstance(result, DatasetSpec):
            raise TypeError(f"{what}: reduce_func must return a Dataset, not {result}")
        outer = [*key.outer, *reduce.outer, *size.outer]
        counts = len(key.outer), len(reduce.outer), len(size.outer)
        build = partial(made.grouped, key=key, reduce=reduce, size=size, counts=counts)
        return self._to(result.element_spec, build, *outer)

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of like length, padded as `padded_batch` does.

        Args:
            element_length_func: the length of an element, a scalar integer.
            bucket_boundaries: lengths, ascending, at which another bucket begins.
            bucket_batch_sizes: the size of a batch in each bucket, one more than boundaries.

            pad_to_bucket_boundary: pad to the longest length of the bucket, one less than its
                boundary. Elements of the last bucket, which has none, are an
                InvalidArgumentError then.

        >>> data = rt.data.Dataset.range(1, 6).map(lambda n: rt.ones([n], rt.int32))
        >>> data = data.bucket_by_sequence_length(rt.size, [3], [2, 2])
        >>> [tuple(x.shape) for x in data]
        [(2, 2), (2, 4), (1, 5)]
        """
        what = "Dataset.bucket_by_sequence_length"
        bounds, sizes = list(bucket_boundaries), list(bucket_batch_sizes)
        if len(sizes) != len(bounds) + 1:
            raise ValueError(
                f"{what}: bucket_batch_sizes must be one more than bucket_boundaries, got "
                f"{len(sizes)} and {len(bounds)}"
            )

        def key(*element: Any) -> Any:
            length = ops.cast(element_length_func(*element), dtypes.int64)
            return ops.searchsorted(np.array(bounds, np.int64), length[None], "right", "int64")[0]

        def size(bucket: Any) -> Any:
            return ops.gather(np.array(sizes, np.int64), bucket)

        def batch(bucket: Any, window: Any) -> Any:
            count = size(bucket)
            if no_padding:
                return window.batch(count, drop_remainder)
            padded = window.padded_batch(count, padded_shapes, padding_values, drop_remainder)
            return padded.map(partial(filled, bucket)) if pad_to_bucket_boundary else padded

        def filled(bucket: Any, *element: Any) -> Any:
            assert_less(
                bucket, len(bounds), f"{what}: an element is not shorter than all bucket_boundaries"
            )
            longest = ops.gather(np.array(bounds, np.int64) - 1, bucket)
            shapes = arguments.padded_shapes(padded_shapes, self._layout, what)
            values = arguments.padding_values(padding_values, self._layout, what)
            leaves = zip(nest.flatten(element), shapes, values, strict=True)
            return nest.pack_sequence_as(
                self.element_spec, [_filled_up(x, dims, longest, fill) for x, dims, fill in leaves]
            )

        return self.group_by_window(key, batch, window_size_func=size)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """The number of each element, from `start` on, beside it.

        >>> data = rt.data.Dataset.from_tensor_slices([7, 8]).enumerate()
        >>> [(int(i), int(x)) for i, x in data]
        [(0, 7), (1, 8)]
        """
        first = integer(start, "Dataset.enumerate", "start")
        return self._to((TensorSpec([], first.dtype), self.element_spec), enumerated, first)


def _filled_up(batch: Any, dims: Any, longest: Any, value: Any) -> Any:
    """A batch whose elements have `longest` of what is None in their shape."""
    sizes = ops.shape(batch, dtypes.int64)
    behind = [longest - sizes[i] if dim is None else 0 for i, dim in enumerate(dims, 1)]
    made = ops.pad(batch, [[0, 0], *[[0, count] for count in behind]], constant_values=value)
    return ops.ensure_shape(made, [None, *dims])


def _batch_of(sizes: list[int] | None, layout: Any, drop: bool) -> int | None:
    """The size that all batches have that are made of batches, where it is known."""
    if sizes is None or len(set(sizes)) != 1:
        return None
    (size,) = set(sizes)
    given = {leaf.shape[0] for leaf in layout.leaves if leaf.shape.rank} - {None}
    return size if drop or any(n % size == 0 for n in given) else None


def _integral(function: Any) -> Any:
    """The function, whose result becomes int64 if it is a number of Python's."""
    if not callable(function):
        return function  # refused where it is traced

    def of_integers(*args: Any) -> Any:
        found = function(*args)
        return found if isinstance(found, Tensor) else convert_to_tensor(found, dtypes.int64)

    return of_integers


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda key: value
