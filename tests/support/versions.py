"""Tests of syntax that only some versions of Python have."""

import sys
from collections.abc import Callable
from typing import Any


def needs(*version: int) -> Callable[[Any], Any]:
    """A decorator, the outermost one, without which a test is none on older versions of Python."""
    return (lambda test: test) if sys.version_info >= version else (lambda test: None)
