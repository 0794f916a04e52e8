"""Loops that threads share: the same bits for any number of them, and NumPy's results."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.core import threads
from runtime.graph.executors.native.thread_pool import pool

RANDOM = np.random.default_rng(5)
ROWS, COLUMNS = 1100, 1003
X = RANDOM.normal(size=(ROWS, COLUMNS)).astype(np.float32)
ROW = RANDOM.normal(size=(COLUMNS,)).astype(np.float32)
COLUMN = RANDOM.normal(size=(ROWS, 1)).astype(np.float32)
CUBE = RANDOM.normal(size=(7, 211, 1009))
INTS = RANDOM.integers(-5, 5, size=(1 << 20) + 3)


def gelu(x):
    return 0.5 * x * (1.0 + rt.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def by_rows(x, row, column):
    return rt.exp(x) * row + column, x > row


def one(x):
    return x + 1.0


def totals(x):
    return rt.reduce_sum(x), rt.reduce_max(x), rt.reduce_mean(x), rt.reduce_min(x)


def fused_totals(x, row):
    y = rt.exp(x) * row
    return rt.reduce_sum(y), y, rt.reduce_any(x > 9.0), rt.reduce_all(x < 9.0)


def totals_of_rows(x, row):
    y = rt.abs(x) * row + 1.0
    sums = rt.reduce_sum(y, -1, keepdims=True)
    return y / sums, rt.reduce_max(y, 1), rt.reduce_sum(y)


def cube(x):
    return rt.reduce_sum(rt.sin(x), axis=None), rt.cos(x) * x[:, :1]


def divided(x, y):
    return x // y


def of_ints(x):
    return rt.reduce_sum(x), rt.reduce_prod(x * 2 + 1), x // 3


def in_a_loop(x, n):
    for _ in range(n):
        x = rt.tanh(x) * 1.5
    return x, rt.reduce_sum(x)


def softmaxes(x):
    return rt.nn.softmax(x), rt.nn.log_softmax(x * 2)


def products(a, b):
    return a @ b, rt.einsum("ij,jk->ki", a, b)


def convolutions(x, w):
    with rt.GradientTape() as tape:
        tape.watch([x, w])
        y = rt.nn.conv2d(x, w, 1, "SAME")
    return y, *tape.gradient(y, [x, w], y)


IMAGES = CUBE[:3, :40, :1000].reshape(3, 40, 25, 40)
FILTER = CUBE[3, :45, :320].reshape(3, 3, 40, 40) / 19

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (gelu, (X,)),
    (by_rows, (X, ROW, COLUMN)),
    (one, (CUBE,)),
    (totals, (X,)),
    (totals, (CUBE,)),
    (fused_totals, (X, ROW)),
    (totals_of_rows, (X, np.abs(ROW))),
    (cube, (CUBE,)),
    (divided, (INTS, np.abs(INTS) + 1)),
    (of_ints, (INTS,)),
    (in_a_loop, (X, np.int32(3))),
    (softmaxes, (X,)),
    (products, (X[:256, :256] / 16, X[-256:, :250])),
    (products, (CUBE[0, :, :500], CUBE[0, :, 500:1000].T @ CUBE[1, :, :100])),
    (products, (X[:500, :500] / 16, X[-500:, :44])),
    (convolutions, (IMAGES, FILTER)),
    (convolutions, (IMAGES[:1], FILTER)),
]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    rt.config.threading.set_intra_op_parallelism_threads(0)


@pytest.mark.parametrize(("function", "raws"), PROGRAMS)
def test_results_are_the_same_for_any_number_of_threads(
    function: Callable[..., Any], raws: tuple[Any, ...]
) -> None:
    args = list(map(rt.constant, raws))
    native = rt.function(function, jit_compile=True)
    found = []
    for count in (1, 2, 5):
        rt.config.threading.set_intra_op_parallelism_threads(count)
        found.append([item.numpy() for item in rt.nest.flatten(native(*args))])
    for others in found[1:]:
        for first, other in zip(found[0], others, strict=True):
            assert first.tobytes() == other.tobytes()
    expected = rt.nest.flatten(rt.function(function, executor="numpy")(*args))
    for first, item in zip(found[0], expected, strict=True):
        wanted = item.numpy()
        assert (first.dtype, first.shape) == (wanted.dtype, wanted.shape)
        bound = 2e-5 if wanted.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(first, wanted, rtol=bound, atol=bound)


def test_loops_are_cut_where_they_are_long() -> None:
    native = rt.function(one)
    assert "@part" not in native.native_ir(rt.TensorSpec([1000]))
    assert "@part" in native.native_ir(rt.TensorSpec([1 << 20]))
    for function, shape in ((rt.nn.softmax, [1000, 1000]), (lambda x: x @ x, [256, 256])):
        native = rt.function(function)
        assert "@part" in native.native_ir(rt.TensorSpec(shape))
        assert "@part" not in native.native_ir(rt.TensorSpec([20, 20]))


def test_a_zero_divisor_in_a_long_loop_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        rt.function(divided, jit_compile=True)(rt.constant(INTS), rt.constant(INTS * 0))


def test_several_python_threads_at_once() -> None:
    native = rt.function(gelu, jit_compile=True)
    rt.config.threading.set_intra_op_parallelism_threads(3)
    x = rt.constant(X)
    expected = native(x).numpy().tobytes()
    with ThreadPoolExecutor(4) as workers:
        found = list(workers.map(lambda _: native(x).numpy().tobytes(), range(24)))
    assert set(found) == {expected}


def test_the_number_of_threads_is_that_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (4, 1, 3):
        rt.config.threading.set_intra_op_parallelism_threads(count)
        assert (threads.count(), len(pool().threads)) == (count, count - 1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    rt.config.threading.set_intra_op_parallelism_threads(0)
    assert len(pool().threads) == 0
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")
    assert threads.count() == threads.available() >= 1


FORKING = """
import os, numpy as np, runtime as rt
rt.config.threading.set_intra_op_parallelism_threads(3)
x = rt.constant(np.arange(2_000_000, dtype=np.float32))
f = rt.function(lambda x: rt.exp(-x) + x, autograph=False, jit_compile=True)
expected = f(x).numpy()
child = os.fork()
same = np.array_equal(f(x).numpy(), expected)
if child == 0:
    rt.config.threading.set_intra_op_parallelism_threads(2)
    os._exit(0 if same and np.array_equal(f(x).numpy(), expected) else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert same
print("done")
"""

LEAVING = """
import threading, numpy as np, runtime as rt
rt.config.threading.set_intra_op_parallelism_threads(3)
x = rt.constant(np.arange(2_000_000, dtype=np.float32))
f = rt.function(lambda x: rt.exp(-x) + x, autograph=False, jit_compile=True)
f(x)
begun = threading.Event()
def endless():
    while True:
        f(x)
        begun.set()
threading.Thread(target=endless, daemon=True).start()
begun.wait()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("program", [FORKING, LEAVING], ids=["fork", "exit"])
def test_processes_end(program: str) -> None:
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (made.returncode, made.stdout) == (0, "done\n"), made.stderr
