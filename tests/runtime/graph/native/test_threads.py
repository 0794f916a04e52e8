"""Machine code beside other threads: they run Python while it computes, and signals end loops."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors.native import executor, symbols
from runtime.graph.executors.native.blas import product
from runtime.graph.executors.native.code import Code, compile_module
from runtime.graph.executors.program import Program

WAITING = """
@reached = global i32 0
@go = global i32 0

define void @product({arguments}) {{
  store atomic i32 1, ptr @reached seq_cst, align 4
  br label %again
again:
  %going = load atomic i32, ptr @go seq_cst, align 4
  %waits = icmp eq i32 %going, 0
  br i1 %waits, label %again, label %done
done:
  ret void
}}
"""


def compiled(function: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    graph = rt.function(function).get_concrete_function(*args).optimized
    assert not executor.reasons(graph)
    return executor.runner_of(graph, Program(graph))


def until_set(flags):
    n = 0
    while flags[n % 2] == 0:
        n += 1
    return n >= 0


def recursive(flags, n):
    if n == 0:
        return until_set(flags)
    return recursive(flags, n - 1)


def in_a_thread(run: Callable[..., Any], *raws: Any) -> tuple[threading.Thread, list[Any]]:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(run(*raws)))
    thread.start()
    return thread, found


@pytest.mark.parametrize("inner", [None, 3], ids=["loop", "recursion"])
def test_a_loop_sees_what_another_thread_sets(inner: int | None) -> None:
    flags = np.zeros(2, np.int64)
    if inner is None:
        run, more = compiled(until_set, rt.constant(flags)), ()
    else:
        more = (np.int32(inner),)
        run = compiled(recursive, rt.constant(flags), rt.constant(inner))
    threads = [in_a_thread(run, flags, *more) for _ in range(3)]
    flags[:] = 5
    for thread, _ in threads:
        thread.join()
    assert [found for _, found in threads] == [[(True,)]] * 3


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Code]:
    """A product of matrices that computes nothing until it is told to go."""
    found = product(rt.float32)
    assert found is not None
    sizes = f"i{found.bits}"
    matrix = f"ptr, {sizes}"
    kinds = ["i32"] * 3 + [sizes] * 3 + ["float", matrix, matrix, "float", matrix]
    code = compile_module(WAITING.format(arguments=", ".join(kinds)), ["product", "reached", "go"])
    monkeypatch.setitem(symbols.SOURCES, "blas", lambda name: code.address("product"))
    symbols.address_of.cache_clear()
    yield code
    monkeypatch.undo()
    symbols.address_of.cache_clear()


def test_python_runs_while_a_long_product_is_computed(waiting: Code) -> None:
    reached, go = (ctypes.c_int.from_address(waiting.address(name)) for name in ("reached", "go"))
    a, b = np.ones((512, 1024), np.float32), np.ones((512, 1024), np.float32)
    run = compiled(lambda x, y: rt.matmul(x, y, transpose_b=True), rt.constant(a), rt.constant(b))
    thread, found = in_a_thread(run, a, b)
    while not reached.value:
        pass
    # It is in the product, and this is Python.
    assert not found
    go.value = 1
    thread.join()
    assert found[0][0].shape == (512, 512)


def forever(n):
    while n != 1:
        n += 2
    return n


def forever_inside(x):
    return rt.reduce_sum(x * 2.0) * rt.cast(forever(rt.cast(x[0], rt.int64)), rt.float64)


def forever_nested(n):
    """No loop but the outermost one has many rounds."""
    total = 0
    i = 0
    while i < n:
        j = 0
        while j < n:
            k = 0
            while k < n:
                total = total ^ (k + i)
                k += 1
            j += 1
        i += 1
    return total


def forever_on_arrays(x):
    """Few rounds, each of which takes long."""
    for _ in rt.range(16_000):
        x = rt.sin(x) + 1.0
    return x


def forever_in_products(x):
    for _ in rt.range(16_000):
        x = x @ x
    return x


@rt.function
def forever_calling(n):
    if n < 2:
        return n
    return forever_calling(n - 1) + forever_calling(n - 2)


ENDLESS: dict[str, tuple[Callable[..., Any], Any]] = {
    "loop": (forever, np.int64(0)),
    "behind_a_kernel": (forever_inside, np.zeros(1 << 16)),
    "nested": (forever_nested, np.int64(16_000)),
    "on_arrays": (forever_on_arrays, np.zeros(1 << 20)),
    "in_products": (forever_in_products, np.zeros((600, 600))),
    "calling": (forever_calling, np.int64(80)),
}


def interrupted(name: str) -> None:
    """Run one of them, until another thread raises the signal of Ctrl-C."""
    # Shells let what they start in the background ignore this signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    function, raw = ENDLESS[name]
    run = compiled(function, rt.constant(raw))

    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        for _ in range(1000):
            sum(range(1000))
        signal.raise_signal(signal.SIGINT)

    def interrupted_run() -> None:
        begun.set()
        run(raw)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        interrupted_run()
    thread.join()


@pytest.mark.parametrize("name", ENDLESS)
def test_an_interrupt_ends_a_loop(name: str) -> None:
    """In a process of its own: what is not interrupted would go on for ever."""
    program = f"from {__name__} import interrupted; interrupted({name!r})"
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def raised_inside(x, n):
    total = rt.reduce_sum(x)
    for i in range(n):
        total += x[i]
        if i == 40_000:
            raise ValueError("too far")
    return total


def test_what_steps_aside_has_python_again() -> None:
    x = np.ones(1 << 16)
    graph = rt.function(raised_inside).get_concrete_function(rt.constant(x), rt.constant(9))
    program = graph.program
    run = executor.runner_of(graph.optimized, program)
    for n in (10, 40_000):
        assert run(x, np.int32(n)) == program.run(x, np.int32(n))
    with pytest.raises(ValueError, match="too far"):
        run(x, np.int32(50_000))
    # A new object, for which Python must be there.
    assert run(x, np.int32(3))[0].dtype == np.float64
