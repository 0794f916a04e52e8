"""Large arrays go when nobody reads them any more, and nothing else does."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np

import runtime as rt
from runtime.graph.executors.lowering import LARGE


def smoothed(x: Any) -> Any:
    """Sums along rows and back: no op writes into the array of another."""
    for _ in range(12):
        x = rt.cumsum(rt.reverse(x, axis=[0]), axis=0)
    return x


def peak(run: Any) -> int:
    tracemalloc.start()
    run()
    try:
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_chain_needs_few_arrays() -> None:
    x = rt.constant(np.linspace(0.0, 1.0, 4 * LARGE))
    staged = rt.function(smoothed)
    assert staged(x).numpy().tolist() == smoothed(x).numpy().tolist()
    assert peak(lambda: staged(x)) < 5 * x.numpy().nbytes
    assert peak(lambda: smoothed(x)) < 5 * x.numpy().nbytes


def test_what_is_small_or_read_again_stays() -> None:
    staged = rt.function(smoothed)
    assert "del " not in staged.python_source(rt.zeros([LARGE - 1]))

    @rt.function
    def several(x: Any, y: Any) -> Any:
        total = rt.cumsum(x)
        inverse = rt.linalg.inv(total)
        return total, y @ inverse, inverse @ y

    side = int(LARGE**0.5)
    x, y = (rt.constant(np.random.default_rng(at).normal(size=(side, side))) for at in range(2))
    source = several.python_source(x, y)
    assert len(re.findall(r"^ +del ", source, re.MULTILINE)) == 1  # inverse at the end
    for _ in range(2):
        found = several(x, y)
        total = np.cumsum(x.numpy(), 0)
        inverse = np.linalg.inv(total)
        assert found[0].numpy().tolist() == total.tolist()
        assert found[1].numpy().tolist() == (y.numpy() @ inverse).tolist()
        assert found[2].numpy().tolist() == (inverse @ y.numpy()).tolist()
