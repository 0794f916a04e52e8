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
        ("gradient of attention, 8 heads of 512x64", attention, (rows, weights)),
        ("gradient of normalized rows, 512x512", normalized, (rows,)),
        ("rows that a mask chooses, 512x512", chosen, (rows,)),
        ("a list of as many rows as the run says", listed, (rows, rt.constant(300))),
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


def attention(x, w):
    def heads(a):
        return rt.transpose(rt.reshape(a, [512, 8, 64]), [1, 0, 2])

    with rt.GradientTape() as tape:
        tape.watch(w)
        scores = rt.nn.softmax(rt.matmul(heads(x @ w), heads(x), transpose_b=True) / 8.0)
        joined = rt.reshape(rt.transpose(scores @ heads(x), [1, 0, 2]), [512, 512])
        loss = rt.reduce_sum(rt.tanh(joined @ w))
    return tape.gradient(loss, w)


def normalized(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        mean, variance = rt.nn.moments(x, [-1], keepdims=True)
        loss = rt.reduce_sum(((x - mean) * rt.math.rsqrt(variance + 1e-5)) ** 3.0)
    return tape.gradient(loss, x)


def chosen(x):
    return rt.reduce_sum(rt.tanh(rt.boolean_mask(x, x[:, 0] > 0.0) * 2.0), 0)


def listed(x, count):
    rows = []
    for at in rt.range(count):
        rows.append(x[at] * 2.0)
    return rt.reduce_sum(rt.stack(rows) * 0.5, 0)


if __name__ == "__main__":
    main()
