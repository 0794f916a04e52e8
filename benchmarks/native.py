"""Machine code beside that of Numba, JAX and TensorFlow, or beside Python over NumPy; or on two
threads beside one. They take turns, so that what else the machine does concerns all alike. A ratio
is the median over the turns.
"""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import gc
import statistics
import sys
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

import runtime as rt
from benchmarks.graphs import ROUNDS, STEPS, InJax, InTensorFlow
from benchmarks.peers import peer
from benchmarks.timing import UNITS, batch_time, title

TURNS = 101
SECONDS = 0.003
"""Of a library, in a turn."""

WARM = 0.3
"""Seconds of calls before: a graph becomes machine code after some of them."""

LIMIT = 300
COUNT = 100_000


def collatz(first: Any, last: Any) -> Any:
    total = 0
    k = first
    while k < last:
        n = k
        while n != 1:
            if n % 2 == 1:
                n = 3 * n + 1
            else:
                n = n // 2
            total += 1
        k += 1
    return total


def fizz(n: Any) -> Any:
    s = 0
    i = 0
    while i < n:
        if i % 3 == 0:
            if i % 5 == 0:
                s += 15
            else:
                s += 3
        else:
            if i % 5 == 0:
                s += 5
            else:
                s += 1
        i += 1
    return s


def recurrence(n: Any) -> Any:
    s = 0.0
    i = 0
    while i < n:
        s = s * 0.999 + i
        i += 1
    return s


def successor(x: Any) -> Any:
    return x + 1


def polynomial(x: Any) -> Any:
    a = x * x
    a = (a + x) * 0.5 - 0.25
    a = a * x + 1.0
    a = (a * a - x) * 0.125 + x
    return a * x - 0.75


def gelu(tanh: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def compare(
    label: str,
    unit: str,
    parts: int,
    ways: dict[str, Callable[[], object]],
    clock: Callable[[], float] = perf_counter,
) -> None:
    """Print a row: the time of a part in each library, and this project's ratio to the best."""
    numbers = {}
    for name, run in ways.items():
        end = perf_counter() + WARM
        while perf_counter() < end:
            run()
        numbers[name] = max(1, round(SECONDS / batch_time(run, 1, clock)))
    turns = []
    gc.disable()
    for _ in range(TURNS):
        taken = {}
        for name, run in ways.items():
            run()
            taken[name] = batch_time(run, numbers[name], clock) / numbers[name]
        turns.append(taken)
    gc.enable()
    found = {name: statistics.median(turn[name] for turn in turns) for name in ways}
    text = ", ".join(f"{name} {found[name] / parts * UNITS[unit]:.3g}" for name in ways)
    others = [name for name in ways if name != "own"]
    if others:
        best = min(others, key=found.__getitem__)
        ratio = statistics.median(turn["own"] / turn[best] for turn in turns)
        text += f"; {ratio:.2f} times {best}"
    print(f"  {label:<34}{unit}: {text}", flush=True)


Way = Callable[[Callable[..., Any], tuple[Any, ...]], Callable[[], object]]
"""Makes a call of a program with its arguments in a library."""


def scalar_rows(ways: dict[str, Way]) -> None:
    steps = sum(rounds(k) for k in range(1, LIMIT))
    two = np.ones((2, 2), np.float32)
    for label, function, given, unit, parts in (
        ("x + 1, 2x2", successor, (two,), "us", 1),
        ("nested Collatz, a step", collatz, (1, LIMIT), "ns", steps),
        ("fizz, a round", fizz, (COUNT,), "ns", COUNT),
        ("recurrence of floats, a round", recurrence, (COUNT,), "ns", COUNT),
    ):
        compare(label, unit, parts, {name: way(function, given) for name, way in ways.items()})


def own(executor: str | None = None) -> Way:
    def way(function: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], object]:
        staged = rt.function(function, executor=executor)
        tensors = [rt.constant(each) for each in given]
        return lambda: staged(*tensors)

    return way


def in_numba(numba: Any) -> Way:
    def way(function: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[], object]:
        compiled = numba.njit(function)
        return lambda: compiled(*given)

    return way


def rounds(n: int) -> int:
    count = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        count += 1
    return count


Row = tuple[str, Callable[[InTensorFlow], Any], tuple[Any, ...], str, int]
"""A label, the program in a library, its arrays, the unit of its time, and its number of parts."""


def programs() -> list[Row]:
    draw = np.random.default_rng(0).standard_normal
    many, square = draw(1_000_000, np.float32), draw((1000, 1000), np.float32)
    start = np.where(np.arange(100) % 2, 1.0, -1.2).astype(np.float32)
    one, scale = np.float32(1), np.ones(1000, np.float32)

    def products(rows: int, size: int) -> tuple[Any, ...]:
        weights = draw((size, size), np.float32) / np.float32(size**0.5)
        return draw((rows, size), np.float32), weights

    small, large = products(16, 64), products(128, 256)
    return [
        ("GELU of 1e6", lambda it: gelu(it.tf.tanh), (many,), "ms", 1),
        ("polynomial of 12 ops of 1e6", lambda it: polynomial, (many,), "ms", 1),
        ("softmax 1000x1000", softmax, (square,), "ms", 1),
        ("normalized rows, 1000x1000", normalized, (square, scale, scale), "ms", 1),
        ("their gradient", gradient_of_normalized, (square, scale, scale), "ms", 1),
        ("tanh(x @ w), 16x64x64, a step", lambda it: it.products, small, "us", STEPS),
        ("tanh(x @ w), 128x256x256, a step", lambda it: it.products, large, "us", STEPS),
        ("gradient of ten scalar ops", lambda it: it.gradient, (one,), "us", 1),
        (f"line search, {ROUNDS} steps", lambda it: it.descent, (start,), "ms", 1),
    ]


def long_programs() -> list[Row]:
    """In which the time that a second thread takes to start is little of the whole."""
    draw = np.random.default_rng(0).standard_normal
    many, square = draw(4_000_000, np.float32), draw((512, 512), np.float32)
    return [
        ("GELU of 4e6", lambda it: gelu(it.tf.tanh), (many,), "ms", 1),
        ("exp of 4e6", lambda it: it.tf.exp, (many,), "ms", 1),
        ("sum of 4e6", lambda it: it.tf.reduce_sum, (many,), "ms", 1),
        ("softmax 2000x2000", softmax, (many.reshape(2000, 2000),), "ms", 1),
        ("matmul 512x512", lambda it: lambda x: it.tf.matmul(x, x), (square,), "ms", 1),
    ]


def array_rows(rows: list[Row], numba: Any, libraries: Mapping[str, InTensorFlow]) -> None:
    for label, method, given, unit, parts in rows:
        ways: dict[str, Callable[[], object]] = {}
        for name, it in libraries.items():
            staged, arrays = it.staged(method(it)), [it.array(each) for each in given]
            ways[name] = lambda f=staged, arrays=arrays: f(*arrays)
        if numba is not None and method(libraries["own"]) is polynomial:
            compiled = numba.vectorize(polynomial)
            ways["numba"] = lambda f=compiled, given=given: f(*given)
        compare(label, unit, parts, ways)


class OnThreads(InTensorFlow):
    """This project, on so many threads."""

    def __init__(self, count: int) -> None:
        super().__init__(rt)
        self.count = count

    def staged(self, function: Any) -> Callable[..., Any]:
        made, threads = super().staged(function), rt.config.threading

        def run(*given: Any) -> Any:
            if threads.get_intra_op_parallelism_threads() != self.count:
                threads.set_intra_op_parallelism_threads(self.count)
            return made(*given)

        return run


class OnExecutor(InTensorFlow):
    """This project, on one of its executors."""

    def __init__(self, executor: str) -> None:
        super().__init__(rt)
        self.executor = executor

    def staged(self, function: Any) -> Callable[..., Any]:
        return rt.function(function, executor=self.executor)


def softmax(it: InTensorFlow) -> Callable[[Any], Any]:
    if isinstance(it, InJax):
        return lambda x: it.jax.nn.softmax(x)
    return lambda x: it.tf.nn.softmax(x)


def normalized(it: InTensorFlow) -> Callable[..., Any]:
    """Layer normalization, written out."""
    in_jax = isinstance(it, InJax)
    rsqrt = it.jax.lax.rsqrt if isinstance(it, InJax) else it.tf.math.rsqrt

    def mean(x: Any) -> Any:
        if in_jax:
            return it.tf.mean(x, -1, keepdims=True)
        return it.tf.reduce_mean(x, -1, keepdims=True)

    def layer(x: Any, scale: Any, offset: Any) -> Any:
        less = x - mean(x)
        return less * rsqrt(mean(less * less) + 1e-5) * scale + offset

    return layer


def gradient_of_normalized(it: InTensorFlow) -> Callable[..., Any]:
    layer = normalized(it)

    def loss(*given: Any) -> Any:
        return it.sum(layer(*given) ** 2.0)

    def gradient(*given: Any) -> Any:
        with it.tf.GradientTape() as tape:
            tape.watch(given)
            value = loss(*given)
        return tape.gradient(value, given)

    if isinstance(it, InJax):
        in_jax: Callable[..., Any] = it.jax.grad(loss, (0, 1, 2))
        return in_jax
    return gradient


def main(names: list[str]) -> None:
    """Measure beside the libraries that are named, or all; or `threads`, or `executors`."""
    title("machine code, by turns")
    if names == ["threads"]:
        threads = {"own": OnThreads(2), "one thread": OnThreads(1)}
        array_rows(programs() + long_programs(), None, threads)
        return
    if names == ["executors"]:
        scalar_rows({"own": own("native"), "numpy": own("numpy")})
        executors = {"own": OnExecutor("native"), "numpy": OnExecutor("numpy")}
        array_rows(programs(), None, executors)
        return
    found = {name: peer(name) for name in names or ["numba", "jax", "tensorflow"]}
    numba = found.get("numba")
    scalar_rows({"own": own()} | ({} if numba is None else {"numba": in_numba(numba)}))
    libraries = {"own": InTensorFlow(rt)}
    for name, ways in (("jax", InJax), ("tensorflow", InTensorFlow)):
        if found.get(name) is not None:
            libraries[name] = ways(found[name])
    array_rows(programs(), numba, libraries)


if __name__ == "__main__":
    main(sys.argv[1:])
