"""Images turned, mirrored and upside down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.ops as ops
from runtime.core.tensor import Tensor
from runtime.ops.image.sizes import as_image, as_length, dimension
from runtime.ops.random.stateful import uniform
from runtime.ops.random.stateless import stateless_uniform


def flip_left_right(image: Any) -> Tensor:
    """The mirror image.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.flip_left_right(grey).numpy().tolist()
    [[[0.25], [0.0]], [[0.75], [0.5]]]
    """
    return ops.reverse(as_image(image, known=False), [-2])


def flip_up_down(image: Any) -> Tensor:
    """The image upside down.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.flip_up_down(grey).numpy().tolist()
    [[[0.5], [0.75]], [[0.0], [0.25]]]
    """
    return ops.reverse(as_image(image, known=False), [-3])


def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image with height and width exchanged.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.transpose(grey).numpy().tolist()
    [[[0.0], [0.5]], [[0.25], [0.75]]]
    """
    x = as_image(image)
    return ops.transpose(x, (1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """The image turned by `k` times 90 degrees against the clock.

    `k` may be a scalar that only the run knows.

    >>> grey = rt.reshape(rt.range(4.), [2, 2, 1]) / 4.
    >>> rt.image.rot90(grey).numpy().tolist()
    [[[0.25], [0.75]], [[0.0], [0.5]]]
    """
    x, turns = as_image(image), as_length(k, "k") % 4
    if isinstance(turns, Tensor):
        return _turned(x, turns)
    if turns == 1:
        return flip_up_down(transpose(x))
    if turns == 2:
        return flip_up_down(flip_left_right(x))
    return flip_left_right(transpose(x)) if turns == 3 else x


def _turned(x: Tensor, turns: Tensor) -> Tensor:
    """The image turned by 0 to 3 times 90 degrees, as only the run knows."""
    made = _transposed_where(ops.equal(turns % 2, 1), x)
    is_upside_down = ops.logical_or(ops.equal(turns, 1), ops.equal(turns, 2))
    made = ops.where(is_upside_down, flip_up_down(made), made)
    return ops.where(ops.greater_equal(turns, 2), flip_left_right(made), made)


def _transposed_where(test: Tensor, x: Tensor) -> Tensor:
    *batch, height, width, channels = x.static_shape or ()
    if height == width is not None:
        return ops.where(test, transpose(x), x)
    first = len(batch)
    exchanged, kept = (
        [*range(first), *pair, first + 2] for pair in ((first + 1, first), (first, first + 1))
    )
    made = ops.transpose(x, ops.where(test, exchanged, kept))
    return ops.ensure_shape(made, (*batch, None, None, channels))


def _flipped(
    image: Any, flip: Callable[[Any], Tensor], draw: Callable[..., Tensor], seed: Any
) -> Tensor:
    x = as_image(image)
    shape = [] if x.ndim == 3 else [dimension(x, 0), 1, 1, 1]
    return ops.where(ops.less(draw(shape, seed=seed), 0.5), flip(x), x)


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """The image or its mirror image, each with a chance of one half.

    Each image of a batch is drawn by itself.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_flip_left_right(picture).shape
    TensorShape([2, 2, 3])
    """
    return _flipped(image, flip_left_right, uniform, seed)


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """The image, or the image upside down, each with a chance of one half.

    Each image of a batch is drawn by itself.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.random_flip_up_down(picture).shape
    TensorShape([2, 2, 3])
    """
    return _flipped(image, flip_up_down, uniform, seed)


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """`random_flip_left_right` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_flip_left_right(picture, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return _flipped(image, flip_left_right, stateless_uniform, seed)


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """`random_flip_up_down` that `seed`, a vector of two integers, determines.

    >>> picture = rt.reshape(rt.range(12.), [2, 2, 3]) / 12.
    >>> rt.image.stateless_random_flip_up_down(picture, [1, 2]).shape
    TensorShape([2, 2, 3])
    """
    return _flipped(image, flip_up_down, stateless_uniform, seed)
