"""Time and peak memory of `import autograph, runtime`, beside those of NumPy alone."""

import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.timing import row, title

ROUNDS = 15
# VmHWM, because getrusage's peak is handed on from the process that started this one.
CHILD = """
import sys, time
start = time.perf_counter()
import {modules}
taken = time.perf_counter() - start
with open("/proc/self/status") as status:
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
print(taken, int(peak) / 1024)
"""


def measure(modules: str, bytecode: str) -> tuple[float, float]:
    command = [sys.executable, "-c", CHILD.format(modules=modules)]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    taken, peak = done.stdout.split()
    return float(taken), float(peak)


def main() -> None:
    ours, numpy = [], []
    with tempfile.TemporaryDirectory() as bytecode:
        measure("autograph, runtime", bytecode)  # compiles, as an installation does
        for _ in range(ROUNDS):
            numpy.append(measure("numpy", bytecode))
            ours.append(measure("autograph, runtime", bytecode))
    title("import, each in a fresh process")
    base = report("numpy", numpy)
    taken = report("autograph, runtime", ours)
    print(f"  {'ratio':<44}{taken / base:>10.2f}")


def report(label: str, samples: list[tuple[float, float]]) -> float:
    taken, peak = (statistics.median(column) for column in zip(*samples, strict=True))
    row(f"import {label}", taken, "ms", f" peak {peak:.0f} MB")
    return taken


if __name__ == "__main__":
    main()
