"""What a graph allocates in a call, once it has run some times: beyond its results, nothing that
grows with its arrays.
"""

import tracemalloc
from collections.abc import Callable

import numpy as np

import runtime as rt
from benchmarks.graphs import InTensorFlow
from benchmarks.timing import title

CALLS = 5


def peak_of(run: Callable[[], object]) -> int:
    """The most bytes that are allocated while one call runs, its result with them."""
    for _ in range(CALLS):
        run()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def main() -> None:
    programs = InTensorFlow(rt)
    draw = np.random.default_rng(0).standard_normal
    many, rows, weights = [
        rt.constant(draw(shape, np.float32)) for shape in ((1_000_000,), (512, 512), (512, 512))
    ]
    title("bytes that a call allocates, in steady state")
    for label, method, given in (
        ("GELU of 1e6", programs.gelu, (many,)),
        ("tanh(x @ w), 512x512x512, 100 steps", programs.products, (rows, weights)),
        ("line search, 1e6 dimensions, 3 steps", few_steps, (many * 0.01,)),
    ):
        staged = rt.function(method)
        size = staged(*given).numpy().nbytes
        most = peak_of(lambda staged=staged, given=given: staged(*given))
        print(f"  {label:<44}{most:>10,} of which results {size:,}")


def few_steps(x):
    for _ in rt.range(3):
        step = rt.constant(1.0)
        while rt.reduce_sum((x - step * x) ** 2.0) > 0.9 * rt.reduce_sum(x * x):
            step = step * 0.5
        x = x - step * x
    return x


if __name__ == "__main__":
    main()
