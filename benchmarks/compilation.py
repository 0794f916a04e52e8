"""From a graph to machine code, and from the start of a process to the first result. The times are
those of the CPU, which other processes hardly change: medians, of each step.
"""

from __future__ import annotations

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import runtime as rt
from benchmarks.conversion import SOURCE, copies
from benchmarks.native import collatz, gelu, recurrence, successor
from benchmarks.timing import title
from runtime.graph.executors.lowering import whole
from runtime.graph.executors.native import code, executor, machine
from runtime.graph.executors.native.list_arrays import on_arrays
from runtime.graph.ir import Graph

TIMES = 15
IN_PROCESSES = 9
STEPS = ("lower", "write", "parse", "generate", "link")

CHILD = """
import sys
from time import process_time as now
times = [now()]
import numpy
times.append(now())
import runtime as rt
times.append(now())
sys.path.insert(0, {folder!r})
from walk import walk_0
staged = rt.function(walk_0, jit_compile=True)
given = [rt.constant(each) for each in (27, 100, 9000)]
times.append(now())
staged.get_concrete_function(*given)
times.append(now())
staged(*given)
times.append(now())
print(*[after - before for before, after in zip(times, times[1:])])
"""
PARTS = ("numpy", "import", "function", "trace", "compile and run")


def steps(graph: Graph) -> list[float]:
    """The seconds of each step."""
    times = [process_time()]
    form = on_arrays(whole(graph))
    times.append(process_time())
    unit = executor.unit_of(graph, form)
    text = str(unit.module)
    times.append(process_time())
    parsed = machine.parsed(text)
    times.append(process_time())
    made = machine.object_file_of(parsed)
    times.append(process_time())
    code.link(made, ["body"], [0] * len(unit.symbols.places))
    times.append(process_time())
    return [after - before for before, after in itertools.pairwise(times)]


def compile_(label: str, function: Callable[..., Any], given: tuple[Any, ...]) -> None:
    found = []
    for _ in range(TIMES):
        staged = rt.function(function, executor="numpy")
        found.append(steps(staged.get_concrete_function(*map(rt.constant, given)).optimized))
    medians = list(map(statistics.median, zip(*found, strict=True)))
    text = ", ".join(f"{name} {1e3 * s:.2f}" for name, s in zip(STEPS, medians, strict=True))
    print(f"  {label:<28}ms: {1e3 * sum(medians):.1f} ({text})", flush=True)


def first_result(label: str, folder: str, code: bool, conversions: bool) -> None:
    command = [sys.executable, "-c", CHILD.format(folder=folder)]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
    for kind, is_kept in (("NATIVE", code), ("CONVERSION", conversions)):
        place = os.path.join(folder, kind) if is_kept else "off"
        environment[f"AUTOGRAPH_{kind}_CACHE"] = place
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found = []
    for _ in range(1 + IN_PROCESSES):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.append(list(map(float, done.stdout.split())))
    # The first process writes what the others read.
    medians = list(map(statistics.median, zip(*found[1:], strict=True)))
    text = ", ".join(f"{name} {1e3 * s:.0f}" for name, s in zip(PARTS, medians, strict=True))
    print(f"  {label:<28}ms: {1e3 * sum(medians):.0f} ({text})", flush=True)


def main() -> None:
    title("machine code of a graph, CPU time")
    one, vector = (np.int32(100),), (np.ones(1000, np.float32),)
    square = np.ones((64, 64), np.float32)
    with tempfile.TemporaryDirectory() as folder:
        compile_("recurrence of floats", recurrence, one)
        compile_("nested Collatz", collatz, one * 2)
        compile_("function of 30 lines", copies(folder)[0], (27, 100, 9000))
        compile_("x + 1", successor, vector)
        compile_("GELU", gelu(rt.tanh), vector)
        compile_("tanh(x @ w)", lambda x, w: rt.tanh(x @ w), (square, square))
        title("first result of the function of 30 lines in a new process, CPU time")
        with open(os.path.join(folder, "walk.py"), "w", encoding="utf-8") as file:
            file.write(SOURCE.format(k=0))
        first_result("conversion and code kept", folder, code=True, conversions=True)
        first_result("machine code kept", folder, code=True, conversions=False)
        first_result("nothing kept", folder, code=False, conversions=False)


if __name__ == "__main__":
    main()
