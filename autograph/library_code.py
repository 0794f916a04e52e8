"""The library's own code that is converted as the user's is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from autograph.api import convert_for_staging

T = TypeVar("T")


def converted(make: Callable[[], T]) -> Callable[[], T]:
    """Returns what gives the functions or classes that a function defines and returns; they are
    converted when they are first asked for.
    """
    return functools.cache(lambda: convert_for_staging(make)())


def asking(make: Callable[[], T]) -> Callable[[], T]:
    """`converted`, in the form in which each comparison and each read of an item asks a backend."""
    return functools.cache(lambda: convert_for_staging(make, asks=True)())
