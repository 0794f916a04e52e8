"""Sequences of a batch, each with a length of its own, reversed."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import Primitive, bind, row, sample
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.core.workspace import Workspace, opened
from runtime.ops.blockwise import numbers
from runtime.ops.define import axis_in


def _reverse_kernel(
    x: Any, lengths: Any, *, seq_axis: int, batch_axis: int, out: Any = None,
    work: Workspace | None = None,
) -> Any:  # fmt: skip
    size = x.shape[seq_axis]
    if np.any((lengths < 0) | (lengths > size)) or lengths.shape != (x.shape[batch_axis],):
        raise errors.InvalidValueError(f"lengths {lengths} do not fit shape {x.shape}")
    made = np.empty(x.shape, x.dtype) if out is None else out
    front, target = x, made
    if (batch_axis % x.ndim, seq_axis % x.ndim) != (0, 1):
        front, target = [np.moveaxis(y, (batch_axis, seq_axis), (0, 1)) for y in (x, made)]
    if len(lengths) > max(8, x.size >> 11):
        # Strings are objects, which are in no workspace.
        _reverse_short(front, lengths, target, opened(None if x.dtype.hasobject else work))
        return made
    for n, given, reversed in zip(lengths.tolist(), front, target, strict=True):
        reversed[:n] = given[:n][::-1]
        reversed[n:] = given[n:]
    return made


def _reverse_short(x: Any, lengths: Any, out: Any, work: Workspace) -> None:
    """The same of many short sequences at once."""
    if not x.size:
        return
    given = x if x.flags.c_contiguous else work.copied(x)
    picked = out if out.flags.c_contiguous else work.like(out)
    rows = given.reshape(x.shape[0] * x.shape[1], -1)
    order = _reversed_places(lengths, x.shape[1], work)
    np.take(rows, order, 0, out=picked.reshape(rows.shape), mode="clip")
    if picked is not out:
        np.copyto(out, picked)


def _reversed_places(lengths: Any, size: int, work: Workspace) -> Any:
    """Returns the source of each element of the sequences, one behind the other."""
    place, row = numbers(size, work), numbers(len(lengths), work)
    last = work.copied(lengths, np.int64)
    last -= 1
    order = work.array((len(lengths), size), np.int64)
    np.subtract(last[:, np.newaxis], place, out=order)
    np.copyto(order, place, where=np.less(order, 0, out=work.array(order.shape, np.bool_)))
    row *= size
    order += row[:, np.newaxis]
    return order.reshape(-1)


def _reverse_shape(shape: Shape, lengths: Shape, *, seq_axis: int, batch_axis: int) -> Shape:
    if shape is not None:
        place = axis_in(batch_axis, len(shape))
        axis_in(seq_axis, len(shape))
        (count,) = lengths if lengths and len(lengths) == 1 else (None,)
        return (*shape[:place], shape[place] if count is None else count, *shape[place + 1 :])
    return shape


reverse_sequence_p: Primitive = row(
    "reverse_sequence", _reverse_kernel, signature="A,I->A", shape=_reverse_shape,
    op_type="ReverseSequence", fallible=True, keep_inputs=(1,),
    gradient=lambda op, g: (bind(reverse_sequence_p, g, op.inputs[1], **op.params), None),
    samples=(sample("2,4", [1, 3], seq_axis=1, batch_axis=0),),
)  # fmt: skip


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int = 1, batch_axis: int = 0, name: str | None = None
) -> Tensor:
    """Each sequence of a batch with its first `seq_lengths[i]` elements reversed.

    >>> rt.reverse_sequence([[1, 2, 3]], [2], seq_axis=1).numpy().tolist()
    [[2, 1, 3]]
    """
    x, lengths = convert_to_tensor(input), convert_to_tensor(seq_lengths)
    return bind(reverse_sequence_p, x, lengths, seq_axis=seq_axis, batch_axis=batch_axis)  # type: ignore[no-any-return]
