"""Functions of square matrices that are loops over ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import dtypes, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.staging.explicit_control_flow import while_loop

_PADE = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)


def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential of square matrices, by scaling and squaring a Pade approximant.

    In a graph the squarings are a loop. Raises InvalidArgumentError for
    matrices that are not square.

    >>> rt.linalg.expm([[0., 1.], [0., 0.]]).numpy().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    x = convert_to_tensor(input)
    halvings = _halvings(x)
    scaled = x / ops.cast(_column(ops.pow(ops.ones_like(halvings) * 2, halvings)), x.dtype)
    known = halvings.static_value

    def squared(k: Any, result: Any) -> Any:
        more = ops.greater(_column(halvings), ops.cast(k, halvings.dtype))
        return k + 1, ops.where(more, ops.matmul(result, result), result)

    result = _pade(scaled)
    if known is not None:
        for k in range(int(np.max(known, initial=0, where=np.isfinite(known)))):
            _, result = squared(k, result)
        return result
    # Programs without graphs do not import what makes them.
    finite = ops.where(ops.is_finite(halvings), halvings, ops.zeros_like(halvings))
    rounds = ops.cast(ops.maximum(ops.reduce_max(finite), 0.0), dtypes.int32)
    left: Tensor = while_loop(lambda k, _: k < rounds, squared, (ops.zeros_like(rounds), result))[1]
    return left


def _halvings(x: Tensor) -> Tensor:
    """Returns how often each matrix is halved until its norm is 1/2 at most."""
    norm = ops.reduce_max(ops.reduce_sum(ops.abs(ops.stop_gradient(x)), -2), (-1,))
    limit = ops.ones_like(norm) * 0.5
    return ops.ceil(ops.maximum(ops.log(ops.maximum(norm, limit) / limit) / np.log(2.0), 0.0))


def _column(x: Any) -> Any:
    return ops.expand_dims(ops.expand_dims(x, -1), -1)


def _pade(x: Tensor) -> Tensor:
    size = (x.static_shape or (None,))[-1]
    identity = ops.eye(ops.shape(x)[-1] if size is None else size, dtype=x.dtype)
    square = ops.matmul(x, x)
    even, odd, power = _PADE[0] * identity, _PADE[1] * identity, square
    for i in (2, 4, 6):
        even, odd = even + _PADE[i] * power, odd + _PADE[i + 1] * power
        power = ops.matmul(power, square)
    odd = ops.matmul(x, odd)
    return ops.solve(even - odd, even + odd)
