"""Rows of different lengths: the little of ragged tensors that string ops return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, overload

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, row, sample, wrong_value
from runtime.core.shapes import Shape, TensorShape
from runtime.core.tensor import EagerTensor, Tensor
from runtime.dtypes import DType


def _dense_kernel(values: Any, splits: Any, default: Any) -> Any:
    lengths = np.diff(splits)
    made = np.full((len(lengths), int(lengths.max(initial=0))), default, values.dtype)
    made[np.arange(made.shape[1]) < lengths[:, None]] = values
    return made


def _dense_shape(values: Shape, splits: Shape, default: Shape) -> Shape:
    if default not in ((), None):
        raise wrong_value(f"the default must be a scalar, got shape {default}")
    rows = splits[0] if splits else None
    return (None if rows is None else rows - 1, None)


def _dense_gradient(op: Any, g: Any) -> Any:
    splits = op.inputs[1]
    lengths = splits[1:] - splits[:-1]
    mask = ops.sequence_mask(lengths, ops.cast(ops.shape(g)[1], lengths.dtype))
    return ops.boolean_mask(g, mask), None, ops.reduce_sum(ops.where(mask, ops.zeros_like(g), g))


dense_p = row(
    "ragged_to_tensor", _dense_kernel, signature="A,I,A->A", shape=_dense_shape,
    op_type="RaggedTensorToTensor", gradient=_dense_gradient, keep_inputs=(1,),
    samples=(sample("4", [0, 1, 1, 4], ""), sample("3:s", [0, 2, 3], ":s")),
)  # fmt: skip


class RaggedTensor:
    """Rows of different lengths: all elements in one vector, and where each row starts and ends in
    it.

    `len`, iteration and indexing give rows, a slice several; `to_list`, `to_tensor` and `numpy`
    convert it.
    """

    __slots__ = ("row_splits", "values")

    def __init__(self, values: Tensor, row_splits: Tensor) -> None:
        self.values = values
        self.row_splits = row_splits

    @property
    def flat_values(self) -> Tensor:
        """All elements in one vector."""
        return self.values

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The number of rows, and None."""
        splits = self.row_splits.static_shape
        rows = splits[0] if splits else None
        return TensorShape((None if rows is None else rows - 1, None))

    @property
    def ragged_rank(self) -> int:
        """1: there is one level of rows."""
        return 1

    def nrows(self) -> Tensor:
        """The number of rows."""
        return ops.size(self.row_splits, dtypes.int64) - 1

    def row_lengths(self) -> Tensor:
        """The length of each row."""
        return self.row_splits[1:] - self.row_splits[:-1]

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """A matrix with a row for each, filled up with `default_value` (0, False or the empty
        string).

        In a `shape` None stands for as many as there are; a number cuts off what is beyond it.
        """
        fill = default_value
        if fill is None:
            fill = "" if self.dtype is dtypes.string else False if self.dtype.is_bool else 0
        default = convert_to_tensor(fill, self.dtype)
        made = bind(dense_p, self.values, self.row_splits, default)
        if shape is None:
            return made  # type: ignore[no-any-return]
        wanted = TensorShape(shape).as_list()
        if len(wanted) != 2:
            raise wrong_value(f"rows have a shape of 2 numbers, got {shape}")
        cut = made[tuple(slice(size) for size in wanted)]
        room = [
            (0, 0 if size is None else size - ops.shape(cut)[axis])
            for axis, size in enumerate(wanted)
        ]
        made = ops.pad(cut, room, constant_values=fill)
        return ops.ensure_shape(made, wanted)

    def _eager(self) -> tuple[Any, Any]:
        if not isinstance(self.values, EagerTensor) or not isinstance(self.row_splits, EagerTensor):
            raise TypeError(
                "the rows of a symbolic ragged tensor have no values yet: use to_tensor()"
            )
        return self.values.raw, self.row_splits.raw

    def numpy(self) -> Any:
        """An array of objects with one array for each row."""
        values, splits = self._eager()
        made = np.empty(len(splits) - 1, object)
        for i in range(len(made)):
            made[i] = values[splits[i] : splits[i + 1]].copy()
        return made

    def to_list(self) -> list[list[Any]]:
        """The rows as lists."""
        return [line.tolist() for line in self.numpy()]

    def __len__(self) -> int:
        return len(self._eager()[1]) - 1

    @overload
    def __getitem__(self, i: int) -> Tensor: ...
    @overload
    def __getitem__(self, i: slice) -> RaggedTensor: ...
    def __getitem__(self, i: Any) -> Any:
        """A row, or those of a slice. IndexError where there is none; TypeError for others."""
        rows = len(self)
        if isinstance(i, slice):
            start, stop, step = i.indices(rows)
            if step != 1:
                raise TypeError("rows of a ragged tensor are sliced in steps of 1: use to_tensor()")
            splits = self.row_splits[start : max(start, stop) + 1]
            return RaggedTensor(self.values[splits[0] : splits[-1]], splits - splits[0])
        if not hasattr(i, "__index__"):
            raise TypeError(f"rows of a ragged tensor are found by an integer or slice, not {i!r}")
        place = i.__index__()
        if not -rows <= place < rows:
            raise IndexError(f"row {i} is out of range for {rows} rows")
        place %= rows
        return self.values[self.row_splits[place] : self.row_splits[place + 1]]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if isinstance(self.values, EagerTensor):
            return f"<tf.RaggedTensor {self.to_list()}>"
        return f"tf.RaggedTensor(values={self.values}, row_splits={self.row_splits})"
