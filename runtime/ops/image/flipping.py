"""Images turned, mirrored and upside down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.ops as ops
from runtime.ops.arguments import static_int
from runtime.ops.image.sizes import as_image, dimension
from runtime.ops.random.stateful import uniform
from runtime.ops.random.stateless import stateless_uniform
from runtime.tensor import Tensor


def flip_left_right(image: Any) -> Tensor:
    """The mirror image."""
    return ops.reverse(as_image(image), [-2])


def flip_up_down(image: Any) -> Tensor:
    """The image upside down."""
    return ops.reverse(as_image(image), [-3])


def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image with height and width exchanged."""
    x = as_image(image)
    return ops.transpose(x, (1, 0, 2) if x.ndim == 3 else (0, 2, 1, 3))


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """The image turned by `k` times 90 degrees against the clock."""
    x = as_image(image)
    turns = static_int(k, "k") % 4
    if turns == 1:
        return flip_up_down(transpose(x))
    if turns == 2:
        return flip_up_down(flip_left_right(x))
    return flip_left_right(transpose(x)) if turns == 3 else x


def _flipped(
    image: Any, flip: Callable[[Any], Tensor], draw: Callable[..., Tensor], seed: Any
) -> Tensor:
    x = as_image(image)
    shape = [] if x.ndim == 3 else [dimension(x, 0), 1, 1, 1]
    return ops.where(ops.less(draw(shape, seed=seed), 0.5), flip(x), x)


def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """The image or its mirror image, each with a chance of one half; each image of a batch by
    itself.
    """
    return _flipped(image, flip_left_right, uniform, seed)


def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """The image, or the image upside down, each with a chance of one half; each image of a batch by
    itself.
    """
    return _flipped(image, flip_up_down, uniform, seed)


def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """`random_flip_left_right` that `seed`, a vector of two integers, determines."""
    return _flipped(image, flip_left_right, stateless_uniform, seed)


def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """`random_flip_up_down` that `seed`, a vector of two integers, determines."""
    return _flipped(image, flip_up_down, stateless_uniform, seed)


__all__ = [
    "flip_left_right",
    "flip_up_down",
    "random_flip_left_right",
    "random_flip_up_down",
    "rot90",
    "stateless_random_flip_left_right",
    "stateless_random_flip_up_down",
    "transpose",
]
