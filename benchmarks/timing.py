"""Medians of repeated runs, and the table that they are printed in."""

import gc
import statistics
import time
from collections.abc import Callable

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def median(run: Callable[[], object], *, seconds: float = 0.3, rounds: int = 9) -> float:
    """Seconds that one call of `run` takes: the median over `rounds` batches, after a warm-up."""
    run()
    number = max(1, round(seconds / rounds / batch_time(run, 1)))
    gc.disable()
    try:
        return statistics.median(batch_time(run, number) / number for _ in range(rounds))
    finally:
        gc.enable()


def batch_time(
    run: Callable[[], object], number: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    start = clock()
    for _ in range(number):
        run()
    return clock() - start


def title(text: str) -> None:
    print(f"\n{text}")


def row(label: str, seconds: float, unit: str, note: str = "") -> None:
    print(f"  {label:<44}{seconds * UNITS[unit]:>10.3g} {unit:<3}{note}")
