"""Cold conversion of a function of 30 lines.

Every copy of it has a code object of its own, so that nothing is found in a cache.
"""

import ast
import importlib.util
import inspect
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import autograph
from benchmarks.timing import row, title

COPIES = 25
SOURCE = """
def walk_{k}(start, steps, ceiling):
    position = start
    highest = start
    turns = 0
    step = 0
    while step < steps:
        step = step + 1
        if position % 2 == 0:
            position = position // 2
        elif position % 5 == 0:
            turns = turns + 1
            continue
        else:
            position = 3 * position + 1
        gain = 0
        for digit in range(6):
            gain = gain + position % (digit + 2)
            if gain > ceiling:
                break
            if digit > 3 and turns > 2:
                gain = gain - 1
        if position > highest:
            highest = position
            turns = 0
        elif not 0 < position < ceiling:
            turns = turns + gain
        if turns > 40:
            return highest + turns
    distance = highest - start
    if distance < 0:
        distance = -distance
    return distance
"""


def copies(folder: str, source: str = SOURCE) -> list[FunctionType]:
    # Under another name in each run, none would be found; nobody needs them kept.
    os.environ["AUTOGRAPH_CONVERSION_CACHE"] = "off"
    path = Path(folder) / "walks.py"
    path.write_text("".join(source.format(k=k) for k in range(COPIES)))
    spec = importlib.util.spec_from_file_location("walks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"walk_{k}") for k in range(COPIES)]


def measure(label: str, work: Callable[[FunctionType], object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        times = [timed(work, function) for function in copies(folder)]
    row(f"{label}: first in the process", times[0], "ms")
    row(f"{label}: median of the others", statistics.median(times[1:]), "ms")


def timed(work: Callable[[Any], object], function: Callable[..., Any]) -> float:
    start = time.perf_counter()
    work(function)
    return time.perf_counter() - start


def main() -> None:
    title("conversion of a function of 30 lines, cold")
    measure("convert", autograph.convert)
    measure("to_code", autograph.to_code)
    measure(
        "parse and compile alone", lambda f: compile(ast.parse(inspect.getsource(f)), "x", "exec")
    )


if __name__ == "__main__":
    main()
