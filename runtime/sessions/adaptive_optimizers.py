"""Version 1's optimizers that keep squares of gradients, or draw variables towards 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runtime.ops as ops
from runtime.core.tensor import Tensor
from runtime.sessions.optimizers import Optimizer, number


class AdagradOptimizer(Optimizer):
    """squares += gradient ** 2; variable -= learning_rate * gradient / sqrt(squares).

    (J. Duchi, E. Hazan, Y. Singer, 2011.) ValueError unless `initial_accumulator_value`, where the
    squares begin, is positive.

    >>> v = rt.Variable(3.0)
    >>> rt.compat.v1.train.AdagradOptimizer(0.5, 5.0).minimize(lambda: v * 2.0)
    >>> round(float(v), 4)
    2.6667
    """

    slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(learning_rate, use_locking, name)
        self._start = initial_accumulator_value

    def _starts(self) -> list[tuple[str, float]]:
        return [("accumulator", self._start)]

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        squares = kept[0] + gradient * gradient
        return self._rate(value) * gradient * ops.rsqrt(squares), squares


class AdadeltaOptimizer(Optimizer):
    """Steps as long as the former ones were, by the root of running means (M. Zeiler, 2012).

    >>> rt.compat.v1.train.AdadeltaOptimizer().get_slot_names()
    ['accum', 'accum_update']
    """

    slot_names = ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._rho, self._epsilon = rho, epsilon

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        rho, small = number(self._rho, value), number(self._epsilon, value)
        squares = kept[0] * rho + gradient * gradient * (1 - rho)
        change = ops.sqrt(kept[1] + small) * ops.rsqrt(squares + small) * gradient
        changes = kept[1] * rho + change * change * (1 - rho)
        return self._rate(value) * change, squares, changes


class RMSPropOptimizer(Optimizer):
    """The gradient over the root of a running mean of its squares, which begins with 1.

    With `centered`, over that of its variance; `momentum` keeps a share of the step before.

    >>> rt.compat.v1.train.RMSPropOptimizer(0.1).get_slot_names()
    ['momentum', 'rms']
    """

    slot_names: tuple[str, ...] = ("rms", "momentum")

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._decay, self._momentum, self._epsilon = decay, momentum, epsilon
        if centered:
            self.slot_names = ("rms", "mg", "momentum")

    def _starts(self) -> list[tuple[str, float]]:
        return [(name, 1.0 if name == "rms" else 0.0) for name in self.slot_names]

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        rest = 1 - number(self._decay, value)
        squares, *means, moved = kept
        squares = squares + (gradient * gradient - squares) * rest
        means = [mean + (gradient - mean) * rest for mean in means]
        spread = squares + number(self._epsilon, value)
        for mean in means:
            spread = spread - mean * mean
        step = self._rate(value) * gradient * ops.rsqrt(spread)
        moved = moved * number(self._momentum, value) + step
        return moved, squares, *means, moved


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader (H. B. McMahan and others, 2013).

    ValueError for a positive `learning_rate_power` and for negative strengths and start.

    >>> rt.compat.v1.train.FtrlOptimizer(0.1).get_slot_names()
    ['accum', 'linear']
    """

    slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        if accum_name is not None or linear_name is not None:
            raise ValueError("FtrlOptimizer: names of slots are not supported: leave them out")
        lengths = (
            initial_accumulator_value, l1_regularization_strength, l2_regularization_strength,
            l2_shrinkage_regularization_strength,
        )  # fmt: skip
        if learning_rate_power > 0.0 or min(lengths) < 0.0:
            raise ValueError(
                "FtrlOptimizer: learning_rate_power must not be positive, strengths and "
                "initial_accumulator_value not negative"
            )
        super().__init__(learning_rate, use_locking, name)
        self._power, self._start, self._l1, self._l2, self._shrinkage = (
            learning_rate_power, *lengths,
        )  # fmt: skip
        self._beta = beta or 0.0

    def _starts(self) -> list[tuple[str, float]]:
        return [("accum", self._start), ("linear", 0.0)]

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        rate = self._rate(value)
        l1, l2, shrinkage, beta, power = (
            number(x, value) for x in (self._l1, self._l2, self._shrinkage, self._beta, self._power)
        )
        squares = kept[0] + gradient * gradient
        root = ops.pow(squares, -power)
        pulled = gradient + 2 * shrinkage * value
        linear = kept[1] + pulled - (root - ops.pow(kept[0], -power)) / rate * value
        size = root / rate + 2 * (l2 + beta / (2 * rate))
        moved = (ops.sign(linear) * l1 - linear) / size
        made = ops.where(ops.abs(linear) > l1, moved, ops.zeros_like(moved))
        return value - made, squares, linear


def _shrunk(value: Any, rate: Any, l1: Any, l2: Any) -> Any:
    size = ops.maximum(ops.abs(value) - rate * l1, ops.zeros_like(value))
    return ops.sign(value) * size / (1 + l2 * rate)


class ProximalGradientDescentOptimizer(Optimizer):
    """A step against the gradient, then one towards 0 for the strengths `l1` and `l2`.

    >>> v = rt.Variable(3.0)
    >>> step = rt.compat.v1.train.ProximalGradientDescentOptimizer(0.5, 1.0)
    >>> step.minimize(lambda: v * 2.0)
    >>> float(v)
    1.5
    """

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        rate, l1, l2 = self._rate(value), number(self._l1, value), number(self._l2, value)
        return (value - _shrunk(value - rate * gradient, rate, l1, l2),)


class ProximalAdagradOptimizer(AdagradOptimizer):
    """A step of Adagrad, then one towards 0 for the strengths `l1` and `l2`.

    >>> rt.compat.v1.train.ProximalAdagradOptimizer(0.1).get_slot_names()
    ['accumulator']
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        l1, l2 = number(self._l1, value), number(self._l2, value)
        squares = kept[0] + gradient * gradient
        rate = self._rate(value) * ops.rsqrt(squares)
        return value - _shrunk(value - rate * gradient, rate, l1, l2), squares
