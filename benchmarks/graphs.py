"""Calls of graphs: x + 1, GELU, a loop of products, a line search, the gradient of ten ops; beside
the same in TensorFlow and JAX.
"""

from typing import Any

import numpy as np

import runtime as rt
from benchmarks.peers import peer, report
from benchmarks.timing import title

STEPS = 100
ROUNDS = 200


class InTensorFlow:
    """The programs as TensorFlow and this project run them."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def staged(self, function: Any) -> Any:
        return self.tf.function(function)

    def array(self, value: Any) -> Any:
        return self.tf.constant(value)

    def sum(self, x: Any) -> Any:
        return self.tf.reduce_sum(x)

    def successor(self, x: Any) -> Any:
        return x + 1.0

    def gelu(self, x: Any) -> Any:
        return self.tf.nn.gelu(x)

    def products(self, x: Any, w: Any) -> Any:
        for _ in self.tf.range(STEPS):
            x = self.tf.tanh(x @ w)
        return x

    def ten_ops(self, x: Any) -> Any:
        y = self.tf.exp(-x * x) * self.tf.sin(x) + self.tf.tanh(x)
        return self.tf.sqrt(y * y + 1.0) * self.tf.cos(y)

    def gradient(self, x: Any) -> Any:
        with self.tf.GradientTape() as tape:
            tape.watch(x)
            y = self.ten_ops(x)
        return tape.gradient(y, x)

    def rosenbrock(self, x: Any) -> Any:
        a, b = x[1:] - x[:-1] * x[:-1], 1.0 - x[:-1]
        return self.sum(100.0 * a * a + b * b)

    def descent(self, x: Any) -> Any:
        """200 steps, each of them halved until it leads far enough down."""
        i = self.tf.constant(0)
        while i < ROUNDS:
            with self.tf.GradientTape() as tape:
                tape.watch(x)
                value = self.rosenbrock(x)
            slope = tape.gradient(value, x)
            length, step = self.sum(slope * slope), self.tf.constant(1.0)
            while self.rosenbrock(x - step * slope) > value - 1e-4 * step * length:
                step = step * 0.5
            x = x - step * slope
            i = i + 1
        return x


class InJax(InTensorFlow):
    """The same with JAX's own loops and gradients."""

    def __init__(self, jax: Any) -> None:
        self.jax, self.tf = jax, jax.numpy

    def staged(self, function: Any) -> Any:
        compiled = self.jax.jit(function)
        return lambda *given: self.jax.block_until_ready(compiled(*given))

    def array(self, value: Any) -> Any:
        return self.jax.numpy.asarray(value)

    def sum(self, x: Any) -> Any:
        return self.tf.sum(x)

    def gelu(self, x: Any) -> Any:
        return self.jax.nn.gelu(x, approximate=False)

    def products(self, x: Any, w: Any) -> Any:
        return self.jax.lax.fori_loop(0, STEPS, lambda i, x: self.tf.tanh(x @ w), x)

    def gradient(self, x: Any) -> Any:
        return self.jax.grad(self.ten_ops)(x)

    def descent(self, x: Any) -> Any:
        def advance(i: Any, x: Any) -> Any:
            value, slope = self.jax.value_and_grad(self.rosenbrock)(x)
            length = self.sum(slope * slope)

            def is_short(step: Any) -> Any:
                return self.rosenbrock(x - step * slope) > value - 1e-4 * step * length

            step = self.jax.lax.while_loop(is_short, lambda step: step * 0.5, 1.0)
            return x - step * slope

        return self.jax.lax.fori_loop(0, ROUNDS, advance, x)


def measure(name: str, ways: InTensorFlow) -> None:
    draw = np.random.default_rng(0).standard_normal
    one, many = ways.array(np.float32(1)), ways.array(draw(1_000_000, np.float32))
    rows = ways.array(draw((16, 64), np.float32))
    weights = ways.array(draw((64, 64), np.float32) / np.float32(8))
    start = ways.array(np.where(np.arange(100) % 2, 1.0, -1.2).astype(np.float32))
    for label, method, given, unit, parts in (
        ("x + 1", ways.successor, (one,), "us", 1),
        ("GELU of 1e6", ways.gelu, (many,), "ms", 1),
        ("tanh(x @ w), 16x64x64, a step", ways.products, (rows, weights), "us", STEPS),
        ("gradient of ten scalar ops", ways.gradient, (one,), "us", 1),
        ("line search, 100 dimensions", ways.descent, (start,), "ms", 1),
    ):
        run = ways.staged(method)
        report(f"{name}: {label}", lambda run=run, given=given: run(*given), unit, parts)


def main() -> None:
    title("calls of graphs")
    measure("runtime", InTensorFlow(rt))
    for name, ways in (("tensorflow", InTensorFlow), ("jax", InJax)):
        module = peer(name)
        if module is not None:
            measure(name, ways(module))


if __name__ == "__main__":
    main()
