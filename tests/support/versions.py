"""Tests of syntax that only some versions of Python have."""

import sys
from collections.abc import Callable
from typing import Any

LATE_ANNOTATIONS = sys.version_info >= (3, 14)
"""Whether annotations are computed when somebody asks for them."""


def has(*version: int) -> bool:
    """Whether this Python is of a version, or a newer one."""
    return sys.version_info >= version


def needs(*version: int) -> Callable[[Any], Any]:
    """A decorator, the outermost one, without which a test is none on older versions of Python."""
    return (lambda test: test) if has(*version) else (lambda test: None)
