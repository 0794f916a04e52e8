"""Version 1's learning rates that fall with the number of steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.state import state
from runtime.core.tensor import Tensor

Decayed = Tensor | Callable[[], Tensor]


def _now_or_later(rate: Callable[[], Tensor]) -> Decayed:
    """The rate; where ops are computed at once a function, since the steps are still to be made."""
    return rate if state.trace is None else rate()


def _past(global_step: Any, steps: Any, like: Tensor) -> tuple[Tensor, Tensor]:
    if global_step is None:
        raise ValueError("a learning rate that decays needs a global_step")
    return ops.cast(global_step, like.dtype), ops.cast(steps, like.dtype)


def _decayed(
    learning_rate: Any, global_step: Any, steps: Any, staircase: bool,
    fall: Callable[[Tensor], Tensor],
) -> Decayed:  # fmt: skip
    def rate() -> Tensor:
        start = convert_to_tensor(learning_rate)
        past, size = _past(global_step, steps, start)
        share = past / size
        return start * fall(ops.floor(share) if staircase else share)

    return _now_or_later(rate)


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
    staircase: bool = False, name: str | None = None,
) -> Decayed:  # fmt: skip
    """learning_rate * decay_rate ** (global_step / decay_steps), in steps with `staircase`.

    Eagerly a function of no arguments that gives it. ValueError without a step.

    >>> float(rt.compat.v1.train.exponential_decay(0.5, 20, 10, 0.5)())
    0.125
    """
    return _decayed(
        learning_rate, global_step, decay_steps, staircase,
        lambda share: ops.pow(ops.cast(decay_rate, share.dtype), share),
    )  # fmt: skip


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
    staircase: bool = False, name: str | None = None,
) -> Decayed:  # fmt: skip
    """learning_rate * exp(-decay_rate * global_step / decay_steps), in steps with `staircase`.

    >>> round(float(rt.compat.v1.train.natural_exp_decay(1.0, 20, 10, 0.5)()), 4)
    0.3679
    """
    return _decayed(
        learning_rate, global_step, decay_steps, staircase,
        lambda share: ops.exp(-ops.cast(decay_rate, share.dtype) * share),
    )  # fmt: skip


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any,
    staircase: bool = False, name: str | None = None,
) -> Decayed:  # fmt: skip
    """learning_rate / (1 + decay_rate * global_step / decay_steps), in steps with `staircase`.

    >>> float(rt.compat.v1.train.inverse_time_decay(1.0, 20, 10, 0.5)())
    0.5
    """
    return _decayed(
        learning_rate, global_step, decay_steps, staircase,
        lambda share: 1 / (1 + ops.cast(decay_rate, share.dtype) * share),
    )  # fmt: skip


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001,
    power: Any = 1.0, cycle: bool = False, name: str | None = None,
) -> Decayed:  # fmt: skip
    """Falls to `end_learning_rate` in `decay_steps`, by the power of what is left of them.

    With `cycle` the end moves away by as many steps whenever it is reached.

    >>> float(rt.compat.v1.train.polynomial_decay(1.0, 5, 10, 0.5)())
    0.75
    """

    def rate() -> Tensor:
        start = convert_to_tensor(learning_rate)
        past, size = _past(global_step, decay_steps, start)
        end = ops.cast(end_learning_rate, start.dtype)
        if cycle:
            size = size * ops.maximum(ops.ceil(past / size), ops.ones_like(size))
        share = ops.minimum(past, size) / size
        return (start - end) * ops.pow(1 - share, ops.cast(power, start.dtype)) + end

    return _now_or_later(rate)


def _wave(share: Tensor) -> Tensor:
    return 0.5 * (1 + ops.cos(math.pi * share))


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0,
    name: str | None = None,
) -> Decayed:  # fmt: skip
    """Falls along half a cosine in `decay_steps`, to the share `alpha` of it.

    >>> round(float(rt.compat.v1.train.cosine_decay(1.0, 5, 10, 0.5)()), 4)
    0.75
    """

    def rate() -> Tensor:
        start = convert_to_tensor(learning_rate)
        past, size = _past(global_step, decay_steps, start)
        return start * ((1 - alpha) * _wave(ops.minimum(past, size) / size) + alpha)

    return _now_or_later(rate)


def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: float = 2.0,
    m_mul: float = 1.0, alpha: float = 0.0, name: str | None = None,
) -> Decayed:  # fmt: skip
    """Falls along half a cosine again and again, each time `t_mul` as long and `m_mul` as high.

    >>> round(float(rt.compat.v1.train.cosine_decay_restarts(1.0, 10, 10, m_mul=0.5)()), 4)
    0.5
    """

    def rate() -> Tensor:
        start = convert_to_tensor(learning_rate)
        past, size = _past(global_step, first_decay_steps, start)
        share = past / size
        if t_mul == 1.0:
            turn = ops.floor(share)
            share = share - turn
        else:
            turn = ops.floor(ops.log(1 - share * (1 - t_mul)) / math.log(t_mul))
            length = ops.pow(ops.cast(t_mul, start.dtype), turn)
            share = (share - (1 - length) / (1 - t_mul)) / length
        height = ops.pow(ops.cast(m_mul, start.dtype), turn)
        return start * ((1 - alpha) * height * _wave(share) + alpha)

    return _now_or_later(rate)


def linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: float = 0.5,
    alpha: float = 0.0, beta: float = 0.001, name: str | None = None,
) -> Decayed:  # fmt: skip
    """(alpha + what is left of the steps) * a cosine of so many periods + beta, as a share.

    >>> round(float(rt.compat.v1.train.linear_cosine_decay(1.0, 5, 10, beta=0.0)()), 4)
    0.25
    """

    def rate() -> Tensor:
        start = convert_to_tensor(learning_rate)
        past, size = _past(global_step, decay_steps, start)
        past = ops.minimum(past, size)
        left = alpha + (size - past) / size
        return start * (left * _wave(2 * num_periods * past / size) + beta)

    return _now_or_later(rate)


def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Decayed:
    """The first of `values` up to the first of `boundaries` and at it, then the next ones.

    ValueError unless there is one value more than boundaries.

    >>> [float(rt.compat.v1.train.piecewise_constant(x, [3], [0.5, 0.25])()) for x in (3, 4)]
    [0.5, 0.25]
    """
    if len(boundaries) != len(values) - 1:
        raise wrong_value("piecewise_constant: there must be one value more than boundaries")

    def rate() -> Tensor:
        place = convert_to_tensor(x)
        ends = ops.stack([ops.cast(end, place.dtype) for end in boundaries])
        passed = ops.reduce_sum(ops.cast(place > ends, "int32"))
        return ops.gather(ops.stack(list(values)), passed)

    return _now_or_later(rate)


piecewise_constant_decay = piecewise_constant
