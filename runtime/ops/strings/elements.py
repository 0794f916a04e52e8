"""The elements of tensors of strings: byte strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import convert_to_tensor, encoded
from runtime.core.primitive import wrong_dtype
from runtime.core.tensor import Tensor

Strings = Sequence[bytes]


def as_strings(input: Any) -> Tensor:
    return convert_to_tensor(input, dtypes.string)


def array_of(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    made = np.empty(len(values), object)
    made[:] = values
    return made.reshape(shape)


def elements_of(x: Any) -> list[Any]:
    return np.asarray(x).reshape(-1).tolist()


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that applies a function of one byte string to each element."""

    def kernel(x: Any, **params: Any) -> Any:
        return array_of([function(s, **params) for s in elements_of(x)], np.shape(x))

    return kernel


def as_bytes(text: str | bytes) -> bytes:
    if not isinstance(text, str | bytes):
        raise wrong_dtype(f"a separator must be a string, not {type(text).__name__}")
    return encoded(text) if isinstance(text, str) else text


def static_bytes(value: Any, what: str) -> bytes:
    if isinstance(value, str | bytes):
        return as_bytes(value)
    static = convert_to_tensor(value).static_value
    if static is None or np.ndim(static) or not isinstance(static.item(), bytes):
        raise wrong_dtype(f"{what} must be a string that is known while tracing, got {value!r}")
    return bytes(static.item())
