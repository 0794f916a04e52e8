"""The log of what the test backend is asked."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.autograph.staged_values import recorded


@pytest.fixture
def log() -> Iterator[list[Any]]:
    yield from recorded()
