"""Boxes in images: cut out in one size, and the best of those that overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, flat, row, wrong_value
from runtime.core.shapes import Shape
from runtime.core.tensor import Tensor
from runtime.ops.arguments import one_of, static_ints, static_number
from runtime.ops.checks import below
from runtime.ops.image.sizes import dimension


def _places(first: Tensor, last: Tensor, count: int, size: Any) -> Tensor:
    """(boxes, count) places along an axis of `size` pixels, from ends between 0 and 1."""
    room = ops.cast(size, dtypes.float32) - 1.0
    if count == 1:
        return ops.expand_dims((first + last) * 0.5 * room, 1)
    step = (last - first) * room / float(count - 1)
    steps = ops.cast(ops.range(count), dtypes.float32)
    return ops.expand_dims(first * room, 1) + ops.expand_dims(step, 1) * steps


def _inside(places: Tensor, size: Any) -> Tensor:
    return ops.logical_and(
        ops.greater_equal(places, 0.0),
        ops.less_equal(places, ops.cast(size, dtypes.float32) - 1.0),
    )


def _between(places: Tensor, size: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The pixels around places, and how far they are from the first one."""
    low = ops.floor(places)
    limit = ops.cast(size, dtypes.int32) - 1
    near, far = (
        ops.maximum(ops.minimum(ops.cast(at, dtypes.int32), limit), 0)
        for at in (low, ops.ceil(places))
    )
    return near, far, places - low


def crop_and_resize(
    image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: str = "bilinear",
    extrapolation_value: float = 0.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Boxes of images, each in the same size.

    Args:
        image: (batch, height, width, channels), numbers.
        boxes: (boxes, 4), float32: the corners y1, x1, y2, x2, of which 0 and 1 are the first and
            the last pixel; a box with y1 > y2 is upside down.
        box_indices: (boxes,), which image each box is of.
        crop_size: height and width, integers that tracing knows.
        method: "bilinear" or "nearest".
        extrapolation_value: the value of what is outside of the image.

    Returns (boxes, crop height, crop width, channels), float32. Gradients flow to images and boxes.
    Raises InvalidArgumentError (ValueError while tracing) for other shapes.

    >>> grey = rt.reshape(rt.range(9.0), [1, 3, 3, 1])
    >>> rt.image.crop_and_resize(grey, [[0.0, 0.0, 1.0, 0.5]], [0], [2, 2]).numpy().ravel().tolist()
    [0.0, 1.0, 6.0, 7.0]
    """
    x = ops.cast(convert_to_tensor(image), dtypes.float32)
    corners, of = convert_to_tensor(boxes, dtypes.float32), convert_to_tensor(box_indices)
    size = static_ints(crop_size, "crop_size")
    if x.ndim != 4 or corners.ndim != 2 or of.ndim != 1 or len(size) != 2 or min(size) < 1:
        raise wrong_value(
            f"crop_and_resize takes images of rank 4, (boxes, 4), a vector and a size of two, not "
            f"{x.shape}, {corners.shape}, {of.shape} and {list(size)}"
        )
    chosen = one_of(method, "method", ("bilinear", "nearest"))
    of = below(ops.cast(of, dtypes.int32), dimension(x, 0), "CropAndResize", "box_indices")
    height, width = dimension(x, 1), dimension(x, 2)
    y1, x1, y2, x2 = ops.unstack(corners, 4, 1)
    rows, columns = _places(y1, y2, size[0], height), _places(x1, x2, size[1], width)
    inside = ops.logical_and(
        ops.expand_dims(_inside(rows, height), 2), ops.expand_dims(_inside(columns, width), 1)
    )

    def pixels(down: Tensor, across: Tensor) -> Tensor:
        zeros = ops.zeros_like(ops.expand_dims(down, 2) + ops.expand_dims(across, 1))
        batch = ops.reshape(of, [-1, 1, 1])
        parts = batch, ops.expand_dims(down, 2), ops.expand_dims(across, 1)
        return ops.gather_nd(x, ops.stack([part + zeros for part in parts], 3))

    if chosen == "nearest":
        # Halves are rounded up.
        down, _, _ = _between(ops.floor(rows + 0.5), height)
        across, _, _ = _between(ops.floor(columns + 0.5), width)
        made = pixels(down, across)
    else:
        top, bottom, low = _between(rows, height)
        left, right, near = _between(columns, width)
        low, near = ops.reshape(low, [-1, size[0], 1, 1]), ops.reshape(near, [-1, 1, size[1], 1])
        upper = pixels(top, left) + (pixels(top, right) - pixels(top, left)) * near
        lower = pixels(bottom, left) + (pixels(bottom, right) - pixels(bottom, left)) * near
        made = upper + (lower - upper) * low
    outside = ops.constant(static_number(extrapolation_value, "extrapolation_value"), made.dtype)
    return ops.where(ops.expand_dims(inside, 3), made, outside)


def _overlap(box: Any, others: Any) -> Any:
    """Intersection over union of a box with others, whatever corners they are given by."""
    low, high = np.minimum(others[:, :2], others[:, 2:]), np.maximum(others[:, :2], others[:, 2:])
    least, most = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    common = np.maximum(np.minimum(high, most) - np.maximum(low, least), 0).prod(1)
    whole = (high - low).prod(1) + (most - least).prod() - common
    return np.where(whole > 0, common / np.where(whole > 0, whole, 1), 0)


def _suppression_kernel(boxes: Any, scores: Any, count: Any, overlap: Any, least: Any) -> Any:
    _suppression_shape(boxes.shape, scores.shape)
    if not 0 <= overlap <= 1:
        raise wrong_value(f"iou_threshold must lie in [0, 1], got {overlap}")
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > least]
    kept: list[int] = []
    while len(order) and len(kept) < int(count):
        first, order = order[0], order[1:]
        kept.append(int(first))
        order = order[_overlap(boxes[first], boxes[order]) <= overlap]
    return np.array(kept, np.int32)


def _suppression_shape(boxes: Shape, scores: Shape, *limits: Shape) -> Shape:
    if boxes is not None and (len(boxes) != 2 or boxes[1] not in (4, None)):
        raise wrong_value(f"boxes must have shape (boxes, 4), got {boxes}")
    if scores is not None and len(scores) != 1:
        raise wrong_value(f"scores must be a vector, got shape {scores}")
    if boxes and scores and None not in (boxes[0], scores[0]) and boxes[0] != scores[0]:
        raise wrong_value(f"there must be a score for each box, got shapes {boxes} and {scores}")
    return (None,)


suppression_p = row(
    "non_max_suppression", _suppression_kernel, signature="G,G,I,G,G->int32",
    shape=_suppression_shape, op_type="NonMaxSuppressionV3", gradient=flat, keep_inputs=(),
    fallible=True,
)  # fmt: skip


def non_max_suppression(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"), name: str | None = None,
) -> Tensor:  # fmt: skip
    """The places of boxes, best first, without those that overlap better ones.

    Args:
        boxes: (boxes, 4), floats: two opposite corners y1, x1, y2, x2.
        scores: (boxes,), of the same dtype.
        max_output_size: how many to keep, an integer scalar.
        iou_threshold: the intersection over union up to which a box is kept.
        score_threshold: only boxes of a greater score are kept.

    Returns int32, (kept,). Raises InvalidArgumentError (ValueError while tracing) for other shapes.

    >>> boxes = rt.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]])
    >>> rt.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], 2).numpy().tolist()
    [1, 2]
    """
    x = convert_to_tensor(boxes)
    limits = [convert_to_tensor(n, x.dtype) for n in (iou_threshold, score_threshold)]
    given = convert_to_tensor(scores, x.dtype), convert_to_tensor(max_output_size)
    return bind(suppression_p, x, *given, *limits)  # type: ignore[no-any-return]
