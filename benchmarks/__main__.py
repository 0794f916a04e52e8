"""Run the measurements that are named, or all, each in a process of its own."""

import os
import subprocess
import sys

NAMES = (
    "imports", "conversion", "first_calls", "eager_ops", "calls", "guards", "scalar_loops",
    "graphs", "native", "convolutions", "textbook", "compilation", "memory", "training",
)  # fmt: skip
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main(names: list[str]) -> int:
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"benchmarks: no {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    return max(run(name) for name in names or NAMES)


def run(name: str) -> int:
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    return subprocess.run(command, env={**os.environ, **ONE_THREAD}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
