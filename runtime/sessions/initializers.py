"""Version 1's initializers: objects that make a tensor of a shape and dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.tensor import Tensor
from runtime.dtypes import as_dtype, float32
from runtime.ops.random.stateful import normal, truncated_normal, uniform


class Initializer:
    """Makes initial values: called with a shape and, if not that of its own, a dtype.

    >>> rt.compat.v1.ones_initializer()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    floating = False
    """Whether it makes floats alone: ValueError for another dtype."""

    def __init__(self, dtype: Any = float32) -> None:
        self.dtype = as_dtype(dtype)
        if self.floating and not self.dtype.is_floating:
            raise ValueError(f"{type(self).__name__} makes floats, not {self.dtype.name}")

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
    """A value for all elements, or all values in row order; with `verify_shape`, of that shape.

    >>> rt.compat.v1.constant_initializer([1, 2])([2, 1]).numpy().tolist()
    [[1.0], [2.0]]
    """

    def __init__(self, value: Any = 0, dtype: Any = float32, verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.value, self.verify_shape = value, verify_shape

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        value = ops.cast(convert_to_tensor(self.value), dtype)
        if self.verify_shape and value.shape != shape:
            raise wrong_dtype(f"the value has shape {value.shape}, not {shape} (`verify_shape`)")
        return ops.fill(shape, value) if value.shape.rank == 0 else ops.reshape(value, shape)


class random_normal_initializer(Initializer):
    """Normally distributed values.

    >>> rt.compat.v1.random_normal_initializer(stddev=0.1)([2, 3]).shape
    TensorShape([2, 3])
    """

    floating = True

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


class variance_scaling_initializer(Initializer):
    """Values whose variance is `scale` divided by the number of inputs, of outputs, or their mean.

    Args:
        scale: a number above 0.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal" or "normal", which are the same, "untruncated_normal" or
            "uniform".

    Raises InvalidArgumentError for other arguments.

    >>> values = rt.compat.v1.variance_scaling_initializer(3.0, distribution="uniform")([9, 4])
    >>> bool(rt.reduce_all(abs(values) <= 1.0))
    True
    """

    floating = True

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(dtype)
        if scale <= 0:
            raise wrong_value(f"`scale` must be above 0, got {scale}")
        if mode not in _SIZES:
            raise wrong_value(f"`mode` must be one of {sorted(_SIZES)}, got {mode!r}")
        if distribution not in _DISTRIBUTIONS:
            known = sorted(_DISTRIBUTIONS)
            raise wrong_value(f"`distribution` must be one of {known}, got {distribution!r}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        variance = self.scale / max(1.0, _SIZES[self.mode](*_fans(shape)))
        return _DISTRIBUTIONS[self.distribution](shape, variance, dtype, self.seed)


class uniform_unit_scaling_initializer(Initializer):
    """Values of equal likelihood up to `factor * sqrt(3 / inputs)`.

    The inputs are the product of all axes but the last: what a linear layer makes of an input has
    the input's scale.

    >>> bool(rt.reduce_all(abs(rt.compat.v1.uniform_unit_scaling_initializer()([3, 4])) <= 1.0))
    True
    """

    floating = True

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        bound = self.factor * math.sqrt(3 / max(1.0, math.prod(map(float, shape[:-1]))))
        return uniform(shape, -bound, bound, dtype, seed=self.seed)


class glorot_uniform_initializer(variance_scaling_initializer):
    """Values of equal likelihood up to sqrt(6 / (inputs + outputs)), the last two axes.

    Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks,
    AISTATS 2010.

    >>> bool(rt.reduce_all(abs(rt.compat.v1.glorot_uniform_initializer()([2, 4])) <= 1.0))
    True
    """

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class glorot_normal_initializer(variance_scaling_initializer):
    """Normally distributed values of variance 2 / (inputs + outputs), none of them far off.

    >>> rt.compat.v1.glorot_normal_initializer()([2, 4]).shape
    TensorShape([2, 4])
    """

    def __init__(self, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


class orthogonal_initializer(Initializer):
    """`gain` times an orthogonal matrix, of normal numbers; the axes but the last count as one.

    Its columns are orthogonal, or its rows where they are fewer. ValueError for less than two axes.

    >>> made = rt.compat.v1.orthogonal_initializer()([3, 2])
    >>> abs(rt.matmul(made, made, transpose_a=True).numpy()).round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    floating = True

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        if len(shape) < 2:
            raise ValueError(f"orthogonal_initializer makes two axes or more, not {shape}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        flat = max(rows, columns), min(rows, columns)
        factor, upper = ops.qr(normal(flat, dtype=dtype, seed=self.seed))
        factor = factor * ops.sign(ops.diag_part(upper))
        turned = ops.matrix_transpose(factor) if rows < columns else factor
        return ops.cast(self.gain, dtype) * ops.reshape(turned, shape)


class identity_initializer(Initializer):
    """`gain` times an identity matrix. ValueError for a shape of other than two axes.

    >>> rt.compat.v1.initializers.identity(3.0)([1, 2]).numpy().tolist()
    [[3.0, 0.0]]
    """

    floating = True

    def __init__(self, gain: float = 1.0, dtype: Any = float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def _made(self, shape: Any, dtype: Any) -> Tensor:
        if len(shape) != 2:
            raise ValueError(f"an identity matrix has two axes, not {shape}")
        return ops.cast(self.gain, dtype) * ops.eye(shape[0], shape[1], dtype=dtype)


def he_normal(seed: int | None = None) -> variance_scaling_initializer:
    """Normal values of variance 2 / inputs, none far off (He and others, ICCV 2015).

    >>> rt.compat.v1.initializers.he_normal()([2, 4]).shape
    TensorShape([2, 4])
    """
    return variance_scaling_initializer(2.0, seed=seed)


def he_uniform(seed: int | None = None) -> variance_scaling_initializer:
    """Values of equal likelihood of variance 2 / inputs (He and others, ICCV 2015).

    >>> rt.compat.v1.initializers.he_uniform()([2, 4]).shape
    TensorShape([2, 4])
    """
    return variance_scaling_initializer(2.0, distribution="uniform", seed=seed)


def lecun_normal(seed: int | None = None) -> variance_scaling_initializer:
    """Normal values of variance 1 / inputs, none far off (LeCun and others, 1998).

    >>> rt.compat.v1.initializers.lecun_normal()([2, 4]).shape
    TensorShape([2, 4])
    """
    return variance_scaling_initializer(seed=seed)


def lecun_uniform(seed: int | None = None) -> variance_scaling_initializer:
    """Values of equal likelihood of variance 1 / inputs (LeCun and others, 1998).

    >>> rt.compat.v1.initializers.lecun_uniform()([2, 4]).shape
    TensorShape([2, 4])
    """
    return variance_scaling_initializer(distribution="uniform", seed=seed)


def _truncated(shape: Any, variance: float, dtype: Any, seed: int | None) -> Tensor:
    return truncated_normal(shape, 0.0, math.sqrt(variance) / _KEPT, dtype, seed)


def _untruncated(shape: Any, variance: float, dtype: Any, seed: int | None) -> Tensor:
    return normal(shape, 0.0, math.sqrt(variance), dtype, seed)


def _even(shape: Any, variance: float, dtype: Any, seed: int | None) -> Tensor:
    limit = math.sqrt(3.0 * variance)
    return uniform(shape, -limit, limit, dtype, seed)


# The deviation of a standard normal distribution that is cut off at two of its deviations.
_KEPT = math.sqrt(1 - 4 * math.exp(-2) / (math.sqrt(2 * math.pi) * math.erf(math.sqrt(2))))

_DISTRIBUTIONS: dict[str, Callable[[Any, float, Any, int | None], Tensor]] = {
    "truncated_normal": _truncated,
    "normal": _truncated,
    "untruncated_normal": _untruncated,
    "uniform": _even,
}

_SIZES: dict[str, Callable[[int, int], float]] = {
    "fan_in": lambda inputs, outputs: inputs,
    "fan_out": lambda inputs, outputs: outputs,
    "fan_avg": lambda inputs, outputs: (inputs + outputs) / 2,
}


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field
