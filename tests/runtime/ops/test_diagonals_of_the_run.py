"""Diagonals and bands whose numbers only the run knows, as NumPy's and those of eager ops."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import runtime as rt

MATRIX = np.arange(1.0, 13.0, dtype=np.float32).reshape(3, 4)
BATCH = np.stack([MATRIX, -MATRIX])
NUMBERS = (-2, -1, 0, 1, 3)


@pytest.mark.parametrize("k", NUMBERS)
@pytest.mark.parametrize("x", [MATRIX, BATCH], ids=["matrix", "batch"])
def test_one_diagonal(x: Any, k: int) -> None:
    found = rt.function(lambda x, k: rt.linalg.diag_part(x, k=k))(rt.constant(x), rt.constant(k))
    assert_array_equal(found.numpy(), np.diagonal(x, k, -2, -1))


@pytest.mark.parametrize("k", NUMBERS)
def test_matrices_with_one_diagonal(k: int) -> None:
    values = np.array([1.0, 2.0, 3.0], np.float32)
    found = rt.function(lambda v, k: rt.linalg.diag(v, k=k))(rt.constant(values), rt.constant(k))
    assert_array_equal(found.numpy(), np.diag(values, k))


@pytest.mark.parametrize("lower", [-1, 0, 2])
@pytest.mark.parametrize("upper", [-1, 0, 1])
def test_bands_are_triangles_of_triangles(lower: int, upper: int) -> None:
    band = rt.function(lambda x, a, b: rt.linalg.band_part(x, a, b))
    wanted = np.triu(MATRIX, -lower) if lower >= 0 else MATRIX
    wanted = np.tril(wanted, upper) if upper >= 0 else wanted
    found = band(rt.constant(MATRIX), rt.constant(lower), rt.constant(upper, rt.int64))
    assert_array_equal(found.numpy(), wanted)


PROGRAMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "parts": lambda x, a, b: rt.linalg.diag_part(x, k=(a, b), padding_value=7.0),
    "parts, aligned": lambda x, a, b: rt.linalg.diag_part(x, k=(a, b), align="LEFT_RIGHT"),
    "part of a vector": lambda x, a, b: rt.linalg.diag_part(x, k=[b]),
    "squares": lambda x, a, b: rt.linalg.diag_part(x * x, k=rt.stack([a, b])),
    "set": lambda x, a, b: rt.linalg.set_diag(x, rt.linalg.diag_part(x * x, k=b), k=b),
    "set bands": lambda x, a, b: rt.linalg.set_diag(
        x, rt.linalg.diag_part(x * x, k=(a, b)), k=(a, b)
    ),
    "diag": lambda x, a, b: rt.linalg.diag(x[..., 0, :], k=b, padding_value=2.0),
    "diag of sides": lambda x, a, b: rt.linalg.diag(
        x[..., 0, :], k=0, num_rows=b + 4, num_cols=4
    ),
    "diag of bands": lambda x, a, b: rt.linalg.diag(
        rt.linalg.diag_part(x * x, k=(a, b)), k=(a, b), num_rows=3, num_cols=4
    ),
    "band": lambda x, a, b: rt.linalg.band_part(x * x, b, -1),
}  # fmt: skip


def with_gradient(program: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    def both(x: Any, a: Any, b: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = program(x, a, b)
            loss = rt.reduce_sum(y * y * y)
        return y, tape.gradient(loss, x)

    return both


@pytest.mark.parametrize("x", [MATRIX, BATCH], ids=["matrix", "batch"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs_give_what_eager_ops_give(name: str, x: Any) -> None:
    both = with_gradient(PROGRAMS[name])
    staged = rt.function(both)
    for low, high in ((-1, 1), (0, 0), (0, 2), (-1, 0)):
        given = rt.constant(x), rt.constant(low), rt.constant(high)
        for found, wanted in zip(staged(*given), both(*given), strict=True):
            assert_array_equal(found.numpy(), wanted.numpy())
    assert staged.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    "program",
    [
        lambda x, k: rt.linalg.diag_part(x, k=k),
        lambda x, k: rt.linalg.diag_part(x, k=(k, 0)),
        lambda x, k: rt.linalg.set_diag(x, x[:, 0], k=k),
        lambda x, k: rt.linalg.diag(x[:, 0], k=k, num_rows=3, num_cols=3),
    ],
)
def test_diagonals_that_are_not_there_are_errors_of_the_run(program: Callable[..., Any]) -> None:
    given = rt.constant(MATRIX), rt.constant(5)
    with pytest.raises(rt.errors.InvalidArgumentError):
        program(*given)
    with pytest.raises(rt.errors.InvalidArgumentError, match=r"test_diagonals_of_the_run.py:\d+:"):
        rt.function(program)(*given)


def test_an_axis_of_floats_is_refused() -> None:
    with pytest.raises(rt.errors.WrongDtypeError, match=r"test_diagonals_of_the_run.py:\d+:"):
        rt.function(lambda x, k: rt.linalg.diag_part(x, k=k))(rt.constant(MATRIX), rt.constant(1.0))
