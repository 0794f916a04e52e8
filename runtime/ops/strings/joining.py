"""Joining strings: element by element, along axes, by segments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, row, sample, wrong_dtype, wrong_value
from runtime.core.shapes import Shape, merge_shapes
from runtime.core.tensor import Tensor
from runtime.ops import run_time_axes
from runtime.ops.arguments import axes_or_tensor
from runtime.ops.define import dims_of, fill_dims
from runtime.ops.reductions import reduced_shape
from runtime.ops.strings.elements import array_of, as_bytes, as_strings, elements_of


def _join_kernel(*parts: Any, separator: bytes) -> Any:
    shape: Any = _join_shape(*map(np.shape, parts))
    columns = [elements_of(np.broadcast_to(part, shape)) for part in parts]
    return array_of([separator.join(words) for words in zip(*columns, strict=True)], shape)


def _join_shape(*shapes: Shape, **params: Any) -> Shape:
    made: Shape = ()
    for shape in shapes:
        if shape is None or made == ():
            made = shape if made == () else made
        elif shape != ():
            try:
                made = merge_shapes(made, shape)
            except ValueError:
                raise wrong_value(
                    f"shapes of strings to join do not match: {made} and {shape}"
                ) from None
    return made


join_p = row(
    "string_join", _join_kernel, signature="S*->S", shape=_join_shape, op_type="StringJoin",
    samples=(sample("2,3:s", "2,3:s", separator=b""), sample(":s", "2:s", separator=b"-")),
)  # fmt: skip


def join(inputs: Any, separator: str | bytes = "", name: str | None = None) -> Tensor:
    """The elements of several tensors of one shape (or scalars) joined.

    `separator` is between them.

    `inputs` is a list; joining nothing gives the empty string. TypeError for anything but a list of
    strings.

    >>> rt.strings.join(["a", "b"], "-").numpy()
    b'a-b'
    """
    if not isinstance(inputs, list | tuple):
        raise wrong_dtype(f"inputs must be a list of tensors, not {type(inputs).__name__}")
    if not inputs:
        return convert_to_tensor("")
    return bind(join_p, *map(as_strings, inputs), separator=as_bytes(separator))  # type: ignore[no-any-return]


def _reduce_join_kernel(
    x: Any, *, axis: tuple[int, ...] | None, keepdims: bool, separator: bytes
) -> Any:
    shape: Any = reduced_shape(x.shape, axis=axis, keepdims=keepdims)
    # Joined along the first axis first: it varies fastest.
    gone = list(range(x.ndim)) if axis is None else [i % x.ndim for i in axis][::-1]
    kept = [i for i in range(x.ndim) if i not in gone]
    places = int(np.prod([x.shape[i] for i in kept], dtype=np.int64))
    count = int(np.prod([x.shape[i] for i in gone], dtype=np.int64))
    rows = np.transpose(x, kept + gone).reshape(places, count)
    return array_of([separator.join(words) for words in rows.tolist()], shape)


reduce_join_p = row(
    "reduce_join", _reduce_join_kernel, signature="S->S", shape=reduced_shape,
    op_type="ReduceJoin",
    samples=(
        sample("2,3:s", axis=None, keepdims=False, separator=b""),
        sample("2,3:s", axis=(1,), keepdims=True, separator=b","),
    ),
)  # fmt: skip


def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str | bytes = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """All elements along `axis` joined, with `separator` between them.

    Several axes are joined one after the other; None stands for all.

    >>> rt.strings.reduce_join([["a", "b"]], 1).numpy().tolist()
    [b'ab']
    """
    x = as_strings(inputs)
    chosen = None if axis is None else axes_or_tensor(axis)
    if isinstance(chosen, Tensor):
        return run_time_axes.reduced(
            lambda y, front, kept: reduce_join(y, front, kept, separator), x, chosen, keepdims
        )
    return bind(  # type: ignore[no-any-return]
        reduce_join_p, x, axis=chosen, keepdims=bool(keepdims), separator=as_bytes(separator)
    )


def _segment_join_kernel(x: Any, ids: Any, *dims: Any, shape: Shape, separator: bytes) -> Any:
    (count,) = fill_dims(shape, dims)
    made_shape: Any = _segment_join_shape(x.shape, ids.shape, shape=(count,), separator=separator)
    rows = x.reshape(ids.size, math.prod(x.shape[ids.ndim :]))
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, segment in enumerate(elements_of(ids)):
        if not 0 <= segment < count:
            raise errors.InvalidValueError(
                f"segment id {segment} is not in [0, num_segments = {count})"
            )
        groups[segment].append(place)
    joined = [separator.join(column) for group in groups for column in rows[group].T.tolist()]
    return array_of(joined, made_shape)


def _segment_join_shape(
    x: Shape, ids: Shape, *dims: Shape, shape: Shape, separator: bytes
) -> Shape:
    (count,) = shape or (None,)
    if count is not None and count < 0:
        raise wrong_value(f"num_segments must not be negative, got {count}")
    if x is None or ids is None:
        return None
    try:
        merge_shapes(x[: len(ids)], ids)
    except ValueError:
        raise wrong_value(f"segment ids of shape {ids} do not fit strings of shape {x}") from None
    return (count, *x[len(ids) :])


segment_join_p = row(
    "unsorted_segment_join", _segment_join_kernel, signature="S,I,i*->S", shape=_segment_join_shape,
    op_type="UnsortedSegmentJoin", fallible=True,
    samples=(sample("3:s", [0, 1, 0], shape=(2,), separator=b":"),),
)  # fmt: skip


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str | bytes = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """For each of `num_segments` segments the strings with its number in `segment_ids`, joined.

    InvalidArgumentError for a number that is negative or not below `num_segments`.

    >>> rt.strings.unsorted_segment_join(["a", "b", "c"], [0, 0, 1], 2).numpy().tolist()
    [b'ab', b'c']
    """
    if np.ndim(num_segments):
        raise wrong_value("num_segments must be one number")
    static, dynamic = dims_of([num_segments])
    return bind(  # type: ignore[no-any-return]
        segment_join_p, as_strings(inputs), convert_to_tensor(segment_ids), *dynamic, shape=static,
        separator=as_bytes(separator),
    )  # fmt: skip
