"""Dropout, and the rarer ways to normalise; `moments` and `batch_normalization` stand in
`runtime.ops.nn`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runtime.ops as ops
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor
from runtime.ops.arguments import listed, static_int
from runtime.ops.define import matched
from runtime.ops.random.stateful import uniform
from runtime.ops.random.stateless import stateless_uniform


def _checked_rate(x: Tensor, rate: Any) -> Any:
    """`rate` as a Python number or a scalar tensor of the dtype of `x`; None where it is 0 and
    changes nothing.
    """
    if not x.dtype.is_floating:
        raise wrong_value(f"`x` must be floating-point, because it is scaled; it is {x.dtype.name}")
    if isinstance(rate, int | float):
        if not 0 <= rate < 1:
            raise wrong_value(f"`rate` must be in the range [0, 1), got {rate}")
        return float(rate) or None
    try:
        scalar = convert_to_tensor(rate, dtype_hint=x.dtype)
    except (TypeError, ValueError):
        raise wrong_value(f"`rate` must be a scalar or scalar tensor, got {rate!r}") from None
    if scalar.ndim not in (0, None) or not scalar.dtype.is_floating:
        raise wrong_value(f"`rate` must be a floating-point scalar, got {scalar.type}")
    return ops.cast(scalar, x.dtype)


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return x.shape if x.shape.is_fully_defined() else ops.shape(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    sizes = listed(noise_shape, "noise_shape")
    if all(size is not None for size in sizes):
        return sizes
    if x.ndim != len(sizes):
        raise wrong_value(
            f"noise_shape {sizes} must have one entry for each dimension of shape {x.shape}"
        )
    known = x.static_shape or ()
    return [
        (ops.shape(x)[i] if known[i] is None else known[i]) if n is None else n
        for i, n in enumerate(sizes)
    ]


def _dropped(x: Tensor, rate: Any, noise: Callable[[], Tensor]) -> Tensor:
    keep = ops.greater_equal(noise(), rate)
    scale: Any = 1.0 / (1.0 - rate)
    if x.static_shape == keep.static_shape and not isinstance(rate, Tensor):
        return x * (ops.cast(keep, x.dtype) * scale)  # type: ignore[no-any-return]
    return ops.where(keep, x * scale, ops.zeros_like(x))


def _dropout(x: Any, rate: Any, noise_shape: Any, draw: Callable[..., Tensor], seed: Any) -> Tensor:
    value = convert_to_tensor(x)
    share = _checked_rate(value, rate)
    if share is None:
        return value
    shape = _noise_shape(value, noise_shape)
    # Halves are too coarse to compare a rate with.
    dtype = dtypes.float32 if value.dtype is dtypes.float16 else value.dtype
    if isinstance(share, Tensor) and dtype is not value.dtype:
        share = ops.cast(share, dtype)
    made = _dropped(ops.cast(value, dtype), share, lambda: draw(shape, seed=seed, dtype=dtype))
    return ops.cast(made, value.dtype)


def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """`x` with a share `rate` of its elements set to 0, drawn anew in each call.

    The others are scaled by 1 / (1 - rate).

    `noise_shape` (None in it: the size of `x`) broadcasts to the shape of `x`: where it is 1, all
    along the axis is dropped or kept together. `seed` works as in `random.uniform`. ValueError
    unless `x` is floating-point and 0 <= rate < 1.

    >>> rt.nn.dropout([1., 2.], rate=0.).numpy().tolist()
    [1.0, 2.0]
    """
    return _dropout(x, rate, noise_shape, uniform, seed)


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = "auto_select", noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`dropout` that `seed`, a vector of two integers, determines."""
    return _dropout(x, rate, noise_shape, stateless_uniform, seed)


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Callable[..., Tensor], noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """`dropout` with noise from `uniform_sampler(shape, dtype)`."""
    return _dropout(
        x,
        rate,
        noise_shape,
        lambda shape, seed, dtype: uniform_sampler(shape=shape, dtype=dtype),
        None,
    )


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each element of (batch, height, width, channels) over (bias + alpha * s) ** beta.

    Here s sums the squares of the elements up to `depth_radius` channels away, itself included.

    >>> rt.nn.local_response_normalization([[[[1., 2.]]]]).numpy().round(3)
    array([[[[0.408, 0.816]]]], dtype=float32)
    """
    x = convert_to_tensor(input)
    if x.ndim not in (4, None):
        raise wrong_value(
            f"local_response_normalization needs a tensor of rank 4, got shape {x.shape}"
        )
    depth_radius = static_int(depth_radius, "depth_radius")
    if depth_radius < 0:
        raise wrong_value(f"depth_radius must not be negative, got {depth_radius}")
    around = ops.pad(ops.square(x), [[0, 0], [0, 0], [0, 0], [depth_radius, depth_radius]])
    last = 2 * depth_radius
    near = ops.add_n([around[..., i : (i - last) or None] for i in range(last + 1)])
    return x / ops.pow(near * alpha + bias, beta)


lrn = local_response_normalization


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """The sufficient statistics of `x` for `normalize_moments`.

    These are count, sum and sum of squares along `axes`, and `shift`.

    The elements are taken less `shift`, which keeps their squares small where it is near the mean.

    >>> count, total, squares, shift = rt.nn.sufficient_statistics([1., 3.], [0])
    >>> float(count), float(total), float(squares), shift
    (2.0, 4.0, 10.0, None)
    """
    value = convert_to_tensor(x)
    offset = None if shift is None else convert_to_tensor(shift, value.dtype)
    centred = value if offset is None else value - offset
    count = ops.reduce_sum(ops.ones_like(value), axes, False)
    total = ops.reduce_sum(centred, axes, keepdims)
    squares = ops.reduce_sum(ops.square(centred), axes, keepdims)
    return ops.reduce_max(count), total, squares, offset


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from sufficient statistics.

    These are count, sum, sum of squares, and the shift or None.

    >>> [float(x) for x in rt.nn.normalize_moments(2., 4., 10., None)]
    [2.0, 1.0]
    """
    total, squares = matched(mean_ss, variance_ss)
    inverse = ops.reciprocal(convert_to_tensor(counts, total.dtype))
    centred = total * inverse
    mean = centred if shift is None else centred + shift
    return mean, squares * inverse - ops.square(centred)


def batch_norm_with_global_normalization(
    input: Any, mean: Any, variance: Any, beta: Any, gamma: Any, variance_epsilon: Any,
    scale_after_normalization: bool, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`batch_normalization` of a tensor of rank 4.

    `beta` is the offset, and `gamma` the scale, if that is asked for.

    >>> picture = rt.reshape(rt.range(4.), [1, 2, 2, 1])
    >>> rt.nn.batch_norm_with_global_normalization(
    ...     picture, [0.], [1.], [0.], [1.], 0., True
    ... ).numpy().tolist()
    [[[[0.0], [1.0]], [[2.0], [3.0]]]]
    """
    scale = gamma if scale_after_normalization else None
    return ops.batch_normalization(input, mean, variance, beta, scale, variance_epsilon)
