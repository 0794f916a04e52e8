"""Version 1's initializers: objects that make a tensor of a shape and dtype."""

from __future__ import annotations

import math
from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.dtypes import as_dtype, float32
from runtime.ops.random.stateful import normal, truncated_normal, uniform


class Initializer:
    """Makes initial values: called with a shape and, if not that of its own, a dtype.

    >>> rt.compat.v1.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        return self._made(tuple(shape), self.dtype if dtype is None else as_dtype(dtype))

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        raise NotImplementedError


class zeros_initializer(Initializer):
    """Zeros.

    >>> rt.compat.v1.zeros_initializer()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return ops.zeros(shape, dtype)


class ones_initializer(Initializer):
    """Ones.

    >>> rt.compat.v1.ones_initializer()([2], rt.int32).numpy().tolist()
    [1, 1]
    """

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return ops.ones(shape, dtype)


class constant_initializer(Initializer):
    """A value for all elements, or all values in row order.

    >>> rt.compat.v1.constant_initializer([1, 2])([2, 1]).numpy().tolist()
    [[1.0], [2.0]]
    """

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.value = value

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        value = ops.cast(convert_to_tensor(self.value), dtype)
        return ops.fill(shape, value) if value.shape.rank == 0 else ops.reshape(value, shape)


class random_normal_initializer(Initializer):
    """Normally distributed values.

    >>> rt.compat.v1.random_normal_initializer(stddev=0.1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = float32
    ) -> None:
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return normal(shape, self.mean, self.stddev, dtype, self.seed)


class truncated_normal_initializer(random_normal_initializer):
    """Normally distributed values, none of them further than two standard deviations off.

    >>> rt.compat.v1.truncated_normal_initializer(stddev=0.1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        return truncated_normal(shape, self.mean, self.stddev, dtype, self.seed)


class random_uniform_initializer(Initializer):
    """Values of equal likelihood between two bounds.

    >>> rt.compat.v1.random_uniform_initializer(-1.0, 1.0)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        minval: float = 0.0,
        maxval: float | None = None,
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        most = 1.0 if self.maxval is None else self.maxval
        return uniform(shape, self.minval, most, dtype, self.seed)


class glorot_uniform_initializer(Initializer):
    """Values of equal likelihood up to sqrt(6 / (inputs + outputs)), the last two axes.

    Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks,
    AISTATS 2010.

    >>> bool(rt.reduce_all(abs(rt.compat.v1.glorot_uniform_initializer()([2, 4])) <= 1.0))
    True
    """

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.seed = seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        limit = math.sqrt(6.0 / max(1.0, sum(_fans(shape))))
        return uniform(shape, -limit, limit, dtype, self.seed)


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field
