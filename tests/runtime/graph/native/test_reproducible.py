"""A program that runs again gives the same bits, call by call, however fast the machine is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llvmlite")

PROGRAM = """
import os, threading, time
import numpy as np
import runtime as rt
from runtime.graph.executors.work import Patience

# There is machine code after a tenth of the calls that it usually takes.
Patience.importing, Patience.graph, Patience.node, Patience.beside = 8e-3, 3e-4, 3e-5, 5e-3

def busy():
    while not done.is_set():
        sum(range(100))

done = threading.Event()
load = os.environ["LOAD"]
if load == "busy":
    threading.Thread(target=busy).start()
turn = np.random.default_rng(0)

@rt.function
def sums(x):
    return rt.reduce_sum(rt.exp(x) * rt.sin(x)) / rt.reduce_mean(x * x)

@rt.function
def loop(x, n):
    total = rt.reduce_sum(x)
    for i in rt.range(n):
        total = total + rt.sin(total) * rt.reduce_sum(x / rt.cast(i + 1, rt.float32))
    return total

@rt.function(input_signature=[rt.TensorSpec([None])])
def shapes(x):
    return rt.reduce_sum(rt.tanh(x) / rt.cast(rt.size(x), rt.float32))

@rt.function
def large(x):
    for k in range(170):
        x = rt.sin(x * 1.1) + rt.reduce_sum(x) * (0.001 * k)
    return x

printing = rt.Variable(0.0)

@rt.function
def effects(x):
    for row in rt.range(3):
        printing.assign_add(rt.reduce_sum(rt.exp(x * rt.cast(row, rt.float32))))
    return printing.value()

one = rt.constant(1)
functions = [sums, loop, shapes, large, effects]
try:
    for call in range(200):
        if load == "sleep":
            time.sleep(0.003 * (call % 5 == 0))
        size = 400 + 100 * (call % 3 == 0)
        x = rt.constant(turn.normal(size=size).astype(np.float32))
        y = x[:400] * 0.01
        # Its hot loop becomes machine code, and later, by its calls, all of it.
        for _ in range(30):
            loop(y, one)
        made = [
            sums(y), loop(y, rt.constant(call)), shapes(x), large(y), effects(y),
        ]
        print(*[np.asarray(each).tobytes().hex()[:64] for each in made])
finally:
    done.set()
kinds = [type(f.get_concrete_function(*a).programs.tiers.run).__name__
    for f, a in ((sums, [y]), (loop, [y, rt.constant(1)]), (large, [y]))]
print(*kinds)
"""


def outcome(program: Path, place: Path, executor: str, load: str) -> list[str]:
    environment = os.environ | {
        "AUTOGRAPH_EXECUTOR": executor,
        "AUTOGRAPH_NATIVE_CACHE": str(place),
        "LOAD": load,
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program)],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_program_that_runs_again(tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    runs = [
        outcome(program, tmp_path / place, "native", load)
        # The second one has what the first one has kept.
        for place, load in (("one", "nothing"), ("one", "busy"), ("two", "sleep"))
    ]
    first, *others = runs
    assert first[-1].split() == ["builtin_function_or_method"] * 3
    for other in others:
        assert other == first
    python = outcome(program, tmp_path / "none", "numpy", "nothing")
    assert first[0].split()[0] == python[0].split()[0], "the first calls are Python's"
    assert first[:-1] != python[:-1], "machine code rounds otherwise"
