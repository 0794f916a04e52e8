"""Single eager ops on small tensors, beside the same in NumPy."""

import numpy as np

import runtime as rt
from benchmarks.timing import median, row, title


def main() -> None:
    a, b = np.ones((2, 2), np.float32), np.full((2, 2), 2.0, np.float32)
    x, y, scalar = rt.constant(a), rt.constant(b), rt.constant(1.0)
    wide = rt.constant(np.ones(1_000_000, np.float32))
    title("eager ops")
    row("numpy: a + b, 2x2", median(lambda: a + b), "us")
    row("x + y, 2x2", median(lambda: x + y), "us")
    row("x * 2.0, 2x2", median(lambda: x * 2.0), "us")
    row("x @ y, 2x2", median(lambda: x @ y), "us")
    row("bool(scalar < 2.0)", median(lambda: bool(scalar < 2.0)), "us")
    row("x[0]", median(lambda: x[0]), "us")
    row("reduce_sum(x), 2x2", median(lambda: rt.reduce_sum(x)), "us")
    row("constant(1.0)", median(lambda: rt.constant(1.0)), "us")
    row("x.numpy()", median(x.numpy), "us")
    row("numpy: a + a, 1e6", median(lambda: wide.numpy() + wide.numpy()), "us")
    row("x + x, 1e6", median(lambda: wide + wide), "us")


if __name__ == "__main__":
    main()
