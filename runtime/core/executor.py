"""The executor that graphs run on: machine code where it is installed and pays, else Python over
NumPy.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

from runtime.core.extras import extra

EXECUTORS = ("numpy", "native")

COMPILED = "compiled"
"""The executor of a function with `jit_compile=True`: machine code from the first call on, and an
error where an op has none.
"""
_VARIABLE = "AUTOGRAPH_EXECUTOR"


class _Chosen:
    """The choice of the process; None leaves it to what is installed."""

    executor: str | None = None
    asked = False


def check(executor: Any, what: str = "the native executor") -> None:
    """ValueError for what is no executor; ImportError, on `what` needs it, where it is not
    installed.
    """
    if executor not in (None, *EXECUTORS):
        raise ValueError(f"executor must be one of {', '.join(EXECUTORS)}, got {executor!r}")
    if executor == "native":
        extra("llvmlite", "native", what)


def choose(executor: str | None) -> None:
    """Choose the executor of the process."""
    check(executor)
    _Chosen.executor, _Chosen.asked = executor, True


def chosen() -> str:
    """The executor of the process."""
    if not _Chosen.asked:
        given = os.environ.get(_VARIABLE) or None
        if given not in (None, *EXECUTORS):
            names = ", ".join(EXECUTORS)
            raise ValueError(f"{_VARIABLE} must be one of {names}, got {given!r}")
        choose(given)
    return _Chosen.executor or ("native" if _is_installed() else "numpy")


@cache
def _is_installed() -> bool:
    return find_spec("llvmlite") is not None
