"""Every row of the op table that has an instruction, as machine code: what the kernels compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.core.primitive import bind
from runtime.graph.executors.native.executor import reasons, runner_of
from runtime.graph.executors.program import Program
from runtime.graph.passes import optimize
from tests.runtime.ops.samples import arrays, cases

DTYPES = ("float64", "float32", "float16", "bfloat16", "int32", "uint8", "int64")
CASES = [case for case in cases(DTYPES) if case[1].instruction and not case[1].effect]

# NumPy sums in another order, and has errors of its own in the last digits.
BOUNDS = {"f": 2e-5, "d": 1e-12, "e": 2e-3, "E": 2e-2}


@pytest.mark.parametrize("known", [True, False], ids=["shapes", "ranks"])
@pytest.mark.parametrize(("name", "row", "sample", "dtype"), CASES, ids=[case[0] for case in CASES])
def test_rows_are_what_their_kernels_compute(
    name: str, row: Any, sample: Any, dtype: Any, known: bool
) -> None:
    given = [np.asarray(array) for array in arrays(row, sample, dtype)]
    specs = [rt.TensorSpec(x.shape if known else [None] * x.ndim, x.dtype) for x in given]
    function = rt.function(lambda *xs: bind(row, *xs, **sample[1]))
    graph = optimize(function.get_concrete_function(*specs).graph)
    if reasons(graph):
        pytest.skip("not native for these types")
    program = Program(graph)
    native = runner_of(graph, program)
    assert_same(outcome(native, given), outcome(program.run, given))
    for others in [] if known else of_other_sizes(given):
        assert_same(outcome(native, others), outcome(program.run, others))


def of_other_sizes(given: Sequence[Any]) -> Iterator[list[Any]]:
    """The arrays, one of which is shorter or longer along one of its axes."""
    for at, array in enumerate(given):
        for axis, size in enumerate(array.shape):
            for places in (range(size - 1), [*range(size), *range(min(size, 1))]):
                other = np.take(array, list(places), axis)
                if other.shape != array.shape:
                    yield [*given[:at], other, *given[at + 1 :]]


def outcome(run: Any, given: Sequence[Any]) -> Any:
    """The results, or the error, which an executor explains to its user afterwards."""
    with np.errstate(all="ignore"):
        try:
            return [np.array(x) for x in run(*given)]
        except Exception as error:
            return type(error), str(error)


def assert_same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple) or isinstance(found, tuple):
        assert found == wanted
        return
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        bound = BOUNDS.get(one.dtype.char, 0)
        np.testing.assert_allclose(one, other, rtol=bound, atol=bound)


def test_most_rows_with_instructions_are_native() -> None:
    rows = {case[1].name for case in CASES}
    assert {"add", "exp", "where", "sum", "matmul", "transpose", "softmax", "top_k"} <= rows
    assert {"conv2d", "conv3d_backprop_filter", "max_pool2d_grad", "gather_nd", "split"} <= rows
