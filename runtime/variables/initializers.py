"""Initializers: objects that make the first value of a variable from its shape and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import constant
from runtime.core.primitive import wrong_dtype
from runtime.core.tensor import Tensor
from runtime.ops.random.stateful import normal, uniform
from runtime.ops.random.stateless import stateless_normal, stateless_uniform


def _checked(dtype: Any, what: str, numbers: bool = False) -> dtypes.DType:
    wanted = dtypes.as_dtype(dtype)
    fits = wanted.is_numeric or wanted.is_bool if numbers else wanted.is_floating
    if not fits:
        raise ValueError(f"{what} makes {'numbers' if numbers else 'floats'}, not {wanted.name}")
    return wanted


def _shape(shape: Any, partition: dict[str, Any]) -> Any:
    """The shape of the part of a variable that is asked for; all of it if none is."""
    known = "partition_shape", "partition_offset"
    for name in partition:
        if name not in known:
            raise TypeError(f"an initializer takes {known[0]} and {known[1]}, not {name!r}")
    part = partition.get("partition_shape")
    return shape if part is None else part


class zeros_initializer:
    """Zeros of any shape, as numbers or truth values: ValueError for another dtype.

    >>> rt.zeros_initializer()([2], rt.int32).numpy().tolist()
    [0, 0]
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return ops.zeros(_shape(shape, kwargs), _checked(dtype, "zeros_initializer", True))


class ones_initializer:
    """Ones of any shape, as numbers or truth values: ValueError for another dtype.

    >>> rt.ones_initializer()([2], rt.int32).numpy().tolist()
    [1, 1]
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        return ops.ones(_shape(shape, kwargs), _checked(dtype, "ones_initializer", True))


class constant_initializer:
    """One value for all elements, or all values. TypeError where they do not fill the shape.

    `value` is a number, a text, or a list or array of such; WrongDtypeError for others.

    >>> rt.constant_initializer(3.0)([2]).numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise wrong_dtype(f"the initial value must be a number, list or array, not {value!r}")
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        part = _shape(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError("constant_initializer makes parts only with support_partition=True")
        return constant(self.value, dtype, part)


class random_normal_initializer:
    """Normal numbers of a `mean` and `stddev`, the same at each call where there is a `seed`.

    >>> rt.random_normal_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        wanted = _checked(dtype, "random_normal_initializer")
        part = _shape(shape, kwargs)
        if self.seed is None:
            return normal(part, self.mean, self.stddev, wanted)
        return stateless_normal(part, [self.seed, 0], self.mean, self.stddev, wanted)


class random_uniform_initializer:
    """Uniform numbers from `minval` to `maxval`, floats or integers.

    >>> rt.random_uniform_initializer(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        wanted = _checked(dtype, "random_uniform_initializer", True)
        part = _shape(shape, kwargs)
        if self.seed is None:
            return uniform(part, self.minval, self.maxval, wanted)
        return stateless_uniform(part, [self.seed, 0], self.minval, self.maxval, wanted)
