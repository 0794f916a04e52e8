"""Signals cut into overlapping frames, and put together again."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_shape, wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import static_int
from runtime.ops.define import axis_in
from runtime.ops.image.sizes import as_length, at_least_zero, dimension


def frame(
    signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0,
    axis: Any = -1, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Frames of a signal along an axis, which becomes two: frames and their elements.

    Args:
        signal: (..., samples, ...), of any dtype and a known rank.
        frame_length, frame_step: integer scalars, in samples.
        pad_end: True to fill up the last frames with `pad_value`.

    Returns (..., frames, frame_length, ...). Raises InvalidArgumentError (ValueError while tracing)
    for an axis that is not there.

    >>> rt.signal.frame([1, 2, 3, 4], 2, 1).numpy().tolist()
    [[1, 2], [2, 3], [3, 4]]
    """
    x = convert_to_tensor(signal)
    if x.ndim is None:
        raise wrong_shape("frame needs a signal of known rank", x)
    at = axis_in(static_int(axis, "axis"), x.ndim)
    length, step = (
        as_length(value, what)
        for value, what in ((frame_length, "frame_length"), (frame_step, "frame_step"))
    )
    if isinstance(step, int) and step < 1:
        raise wrong_value(f"frame_step must be positive, got {step}")
    samples = dimension(x, at)
    if pad_end:
        count = at_least_zero((samples + step - 1) // step)
        missing = at_least_zero(length + step * (count - 1) - samples)
        pads: list[Any] = [[0, 0] for _ in range(x.ndim)]
        pads[at] = [0, missing]
        x = ops.pad(x, pads, "CONSTANT", pad_value)
    else:
        count = at_least_zero(1 + (samples - length) // step)
    places = ops.expand_dims(ops.range(count) * step, 1) + ops.range(length)
    # Most elements are in a frame: the gradient is dense, also where the signal is a source.
    return ops.gather(ops.identity(x), places, axis=at)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The signal whose frames, `frame_step` samples apart, are these, added where they overlap.

    Args:
        signal: (..., frames, frame_length), numbers of any dtype and a known rank.
        frame_step: an integer scalar.

    Returns (..., (frames - 1) * frame_step + frame_length). Raises InvalidArgumentError (ValueError
    while tracing) for a rank below 2.

    >>> rt.signal.overlap_and_add([[1, 2], [3, 4]], 1).numpy().tolist()
    [1, 5, 4]
    """
    x = convert_to_tensor(signal)
    if x.ndim is None or x.ndim < 2:
        raise wrong_shape(
            f"overlap_and_add needs a known rank of 2 or more, got shape {x.shape}", x
        )
    step = as_length(frame_step, "frame_step")
    frames, length = dimension(x, -2), dimension(x, -1)
    places = ops.expand_dims(ops.range(frames) * step, 1) + ops.range(length)
    samples = (frames - 1) * step + length
    front = ops.transpose(x, [x.ndim - 2, x.ndim - 1, *range(x.ndim - 2)])
    added = ops.unsorted_segment_sum(front, ops.cast(places, dtypes.int32), samples)
    return ops.transpose(added, [*range(1, x.ndim - 1), 0])
