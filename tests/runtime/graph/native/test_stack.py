"""The stack of a thread is never overflown by native code: it is Python that goes on, or raises."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("llvmlite")

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

        run = executor.compiled(made.optimized, Beside())
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
