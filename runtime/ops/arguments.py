"""Arguments of ops other than tensors, checked: axes, sizes, numbers, words, lists of tensors."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeGuard

import numpy as np

from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import not_known, wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.dtypes import DType, as_dtype


def static_ints(value: Any, what: str) -> tuple[int, ...]:
    """An argument that must be known while tracing (axes, a permutation), as Python integers."""
    if isinstance(value, int):
        return (int(value),)
    integers = _known(value, what)
    if integers.dtype.kind not in "iu" and integers.size:
        raise wrong_dtype(f"{what} must be made of integers, not {value!r}")
    if integers.ndim > 1:
        raise wrong_value(f"{what} must be an integer or a vector of them, got {value!r}")
    return tuple(integers.reshape(-1).tolist())


def axes_or_tensor(axis: Any) -> tuple[int, ...] | Tensor:
    """Axes that are known while tracing, as Python integers; or the tensor of others."""
    if type(axis) is int:
        return (axis,)
    axis = _packed(axis)
    return axis if _is_dynamic(axis) else static_ints(axis, "axis")


def axis_or_tensor(axis: Any, scalar: bool = False) -> int | Tensor:
    """As `static_int`; the tensor itself where only the run knows it."""
    if type(axis) is int:
        return axis
    return axis if _is_dynamic(axis) else static_int(axis, "axis", scalar)


def _packed(value: Any) -> Any:
    """A list with tensors as one tensor; what else there is as it is."""
    if isinstance(value, list | tuple) and any(isinstance(each, Tensor) for each in value):
        return convert_to_tensor(value)
    return value


def _is_dynamic(value: Any) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.static_value is None and value.dtype.is_integer


def static_int(value: Any, what: str, scalar: bool = False) -> int:
    """An argument that must be one integer that is known while tracing, such as an axis; or, if it
    need not be a scalar, a vector of one.
    """
    if type(value) is int:
        return value
    if scalar and np.ndim(value):
        raise wrong_value(f"{what} must be a scalar, got {value!r}")
    integers = static_ints(value, what)
    if len(integers) != 1:
        raise wrong_value(f"{what} must be one integer, got {value!r}")
    return integers[0]


def static_number(value: Any, what: str) -> float:
    """An argument that must be one real number that is known while tracing."""
    if isinstance(value, int | float):
        return _held(value, what)
    number = _known(value, what)
    if isinstance(value, Tensor) and value.dtype.is_floating:
        # NumPy counts bfloat16 among no kind.
        number = number.astype(np.float64)
    if number.dtype.kind not in "biuf":
        raise wrong_dtype(f"{what} must be a real number, not {value!r}")
    if number.size != 1:
        raise wrong_value(f"{what} must be one number, got {value!r}")
    return number.item()  # type: ignore[no-any-return]


def _held(value: float, what: str) -> float:
    try:
        float(value)
    except OverflowError:
        raise wrong_value(f"{what} is more than a float can hold") from None
    return value


def number_or_tensor(value: Any, what: str) -> Any:
    """A real number as a Python number, a tensor as it is."""
    return value if isinstance(value, Tensor) else static_number(value, what)


def _known(value: Any, what: str) -> Any:
    """The array of an argument; WrongDtypeError where it is not known while tracing."""
    value = _packed(value)
    if isinstance(value, Tensor):
        value = value.static_value
        if value is None:
            raise not_known(f"{what} must be known while tracing: pass Python numbers")
    try:
        return np.asarray(value)
    except ValueError:
        raise wrong_value(f"{what} has rows of different lengths: {value!r}") from None


def one_of(value: Any, what: str, among: Collection[str]) -> str:
    """An argument that must be one of some words, in any case; the word as it stands there."""
    found = None
    if isinstance(value, str):
        found = next((word for word in among if word.casefold() == value.casefold()), None)
    if found is None:
        raise wrong_value(f"{what} must be one of {', '.join(map(repr, among))}, got {value!r}")
    return found


def integer_dtype(value: Any, what: str) -> DType:
    """An argument that asks for the dtype of places or sizes."""
    dtype = as_dtype(value)
    if not dtype.is_integer:
        raise wrong_dtype(f"{what} must be an integer dtype, not {dtype.name}")
    return dtype


def listed(values: Any, what: str) -> list[Any]:
    """An argument that must be a list of tensors, or a tensor or array that is taken apart."""
    if isinstance(values, Iterable) and getattr(values, "ndim", None) != 0:
        return list(values)
    raise wrong_dtype(f"{what} must be a list of tensors, not {values!r}")
