"""Images, and their dimensions where only the run knows them."""

from __future__ import annotations

from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_shape, wrong_value
from runtime.core.tensor import Tensor

Pair = tuple[int, int]


def as_image(image: Any, what: str = "image", known: bool = True) -> Tensor:
    """An image or a batch of them; of unknown rank only where that need not be `known`."""
    x = convert_to_tensor(image)
    if x.ndim not in (3, 4, None):
        raise wrong_value(f"`{what}` must have either 3 or 4 dimensions, got shape {x.shape}")
    if x.ndim is None and known:
        raise wrong_shape(f"`{what}` must have a known rank", x)
    return x


def dimension(x: Tensor, axis: int) -> Any:
    """A dimension: a Python integer where it is static, else a scalar tensor."""
    assert x.static_shape is not None
    known = x.static_shape[axis]
    return ops.shape(x)[axis] if known is None else known


def check_inside(what: str, *bounds: tuple[Any, Any]) -> None:
    """The documented error where a static number is above its static limit, or negative."""
    for value, limit in bounds:
        static = isinstance(value, int) and isinstance(limit, int)
        if (isinstance(value, int) and value < 0) or (static and value > limit):
            raise wrong_value(f"{what}: {value} is not between 0 and {limit}")


def as_length(value: Any, what: str) -> Any:
    """A size or an offset: an integer where it is known, else the scalar that will be it."""
    if isinstance(value, int):
        return value
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise wrong_dtype(f"{what} must be an integer, not {tensor.dtype.name}")
    if tensor.ndim not in (0, None):
        raise wrong_value(f"{what} must be a scalar, got shape {tensor.shape}")
    known = tensor.static_value
    return tensor if known is None else int(known)


def at_least_zero(n: Any) -> Any:
    """`n`, an integer or a scalar tensor, or 0 where it is negative."""
    return max(n, 0) if isinstance(n, int) else ops.maximum(n, 0)
