"""These tests are about the Python programs of graphs, also where machine code could run them."""

from collections.abc import Iterator

import pytest

import runtime as rt


@pytest.fixture(autouse=True)
def python_programs() -> Iterator[None]:
    """Graphs stay on the NumPy executor."""
    rt.config.set_executor("numpy")
    yield
    rt.config.set_executor(None)
