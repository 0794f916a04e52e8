"""Item assignments are seen by every name of the tensor."""

from typing import Any

import pytest

import tests.runtime.aliasing_algorithms
import tests.runtime.aliasing_rows  # noqa: F401  (both add cases)
from tests.runtime.aliasing import CASES, check


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_graphs_do_as_python_does(function: Any, inputs: tuple[Any, ...]) -> None:
    check(function, inputs)
