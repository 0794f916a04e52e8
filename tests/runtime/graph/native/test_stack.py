"""The stack of a thread is never overflown by native code: it is Python that goes on, or raises."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llvmlite")

from runtime.graph.executors.native import stack
from runtime.graph.executors.native.code import compile_module
from tests.support.versions import has

PROGRAM = """
    import sys, threading
    import numpy as np
    import runtime as rt
    from tests.support.native import forced

    def descent(n, a, b, c):
        if n <= 0:
            return a + b + c
        return descent(n - 1, a + b * 0.5, b - c * 0.25, c - a * 0.125) * 0.5 + b

    def wide(n, a, b, c):
        x = y = z = u = v = w = rt.ones([1024]) * a[0, 1]
        for i in range(n):
            x, y, z, u, v, w = y * 0.5, z + x, u - y, v * 0.25, w - 1.0, x + u
        return a + rt.reduce_sum(x + y + z + u + v + w) + b + c

    function = {"descent": descent, "wide": wide}[sys.argv[1]]
    sizes, depth = [int(each) for each in sys.argv[2].split(",")], int(sys.argv[3])
    signature = [rt.TensorSpec([], rt.int32), *[rt.TensorSpec([3, 3], rt.float32)] * 3]
    made = rt.function(function).get_concrete_function(*signature)
    arrays = [np.arange(9, dtype=np.float32).reshape(3, 3) + at for at in range(3)]
    sys.setrecursionlimit(3 * depth + 1000)
    expected = made.program.run(np.int32(depth), *arrays)

    with forced():
        from runtime.graph.executors.native import executor

        aside = []

        class Beside:
            graph = made.program

            def run(self, *raws):
                aside.append(threading.get_ident())
                return made.program.run(*raws)

        run = executor.runner_of(made.optimized, Beside())
    got = []
    for size in sizes:
        threading.stack_size(size * 1024)
        thread = threading.Thread(target=lambda: got.append(run(np.int32(depth), *arrays)))
        thread.start()
        thread.join()
    for each in got:
        np.testing.assert_allclose(each[0], expected[0], rtol=1e-5)
    print(len(got), len(aside))
"""


@pytest.mark.parametrize(
    ("name", "sizes", "depth", "aside"),
    [
        ("descent", (64, 128, 256), 3000, 3),
        ("descent", (256, 8192), 50, 0),
        ("descent", (65536,), 3000, 0),
        ("wide", (64,), 20, 1),
        ("wide", (64, 1024), 20, 1),
    ],
)
def test_small_stacks(
    tmp_path: Path, name: str, sizes: tuple[int, ...], depth: int, aside: int
) -> None:
    """In a child process, which an overflow would end."""
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(PROGRAM))
    command = [sys.executable, str(file), name, ",".join(map(str, sizes)), str(depth)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(sizes)), str(aside)]


COMPILING = """
    import sys, threading
    import numpy as np
    import runtime as rt
    from tests.support.native import forced

    def cubes(x):
        return x * x * x + 1.0

    def sums(n):
        total = 0
        for i in range(n):
            total += i
        return total

    made = [
        rt.function(cubes).get_concrete_function(rt.TensorSpec([100], rt.float32)),
        rt.function(sums).get_concrete_function(rt.TensorSpec([], rt.int32)),
    ]
    raws = [np.full(100, 2, np.float32), np.int32(5)]
    runs = [concrete.programs.runner([raw]) for concrete, raw in zip(made, raws)]
    before, got = threading.active_count(), []

    def call():
        for run, raw in zip(runs, raws):
            got.append(run(raw)[0])

    assert sys.argv[2] == "ready" or "llvmlite" not in sys.modules
    with forced():
        if sys.argv[2] == "ready":
            import runtime.graph.executors.native.executor
        threading.stack_size(int(sys.argv[1]) * 1024)
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    kinds = [type(concrete.programs.tiers.run).__name__ for concrete in made]
    size = threading.stack_size() // 1024
    print(got[0].sum(), got[1], *kinds, size, threading.active_count() - before)
"""


@pytest.mark.parametrize("imported", ["ready", "not yet"])
@pytest.mark.parametrize("size", [*([] if has(3, 14) else [32, 48]), 64, 256, 4096])
def test_small_stacks_compile(tmp_path: Path, size: int, imported: str) -> None:
    """Compiling, and importing what compiles, take more than the stack of a small thread."""
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(COMPILING))
    command = [sys.executable, str(file), str(size), imported]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    kind = "builtin_function_or_method"
    assert done.stdout.split() == ["900.0", "10", kind, kind, str(size), "0"]


def test_the_end_of_a_stack_is_counted_from_its_base() -> None:
    """As on systems that tell the base and the size of a stack."""
    kinds = [ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_void_p] * count) for count in (0, 1, 1)]
    thread, base, size = 77, 1 << 40, 1 << 19
    asked = []

    def answer(number: int) -> Any:
        def told(given: int) -> int:
            asked.append(given)
            return number

        return told

    own = kinds[0](lambda: thread), kinds[1](answer(base)), kinds[2](answer(size))
    code = stack.of_base(own)
    assert ctypes.CFUNCTYPE(ctypes.c_uint64)(code.address("end"))() == base - size + stack.RESERVE
    assert asked == [thread, thread]


def test_where_nobody_tells_the_stack_is_at_its_end() -> None:
    code = compile_module(stack._UNKNOWN, ["end"])
    assert ctypes.CFUNCTYPE(ctypes.c_uint64)(code.address("end"))() == (1 << 64) - 1
