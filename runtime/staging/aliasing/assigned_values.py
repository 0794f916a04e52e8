"""The right sides of item assignments to tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runtime import ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.staging.scopes import called


def collected(target: Tensor, key: Any, value: Any) -> Any:
    """The right side of `target[key] = value`. What a slice takes one by one, as from an iterator
    or a set, becomes a tensor: of as many items as the slice has, or the op fails.
    """
    kind = type(value)
    has_places = hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
    if type(key) is not slice or has_places or not isinstance(value, Iterable):
        return value
    items = convert_to_tensor(called(list)(value), target.dtype)
    places = ops.range(ops.shape(target)[0])[key]
    rows = target if items.static_shape == (0,) else items
    return ops.reshape(items, ops.concat([ops.shape(places), ops.shape(rows)[1:]], 0))
