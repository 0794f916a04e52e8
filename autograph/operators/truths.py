"""The truth and the length of objects whose `__bool__` or `__len__` gives a staged value, which
Python would not accept.
"""

from __future__ import annotations

from typing import Any

from autograph.backend import backend_of
from autograph.operators.branches import staged_cond
from autograph.operators.growing import is_staging
from autograph.operators.methods import converted_method
from autograph.operators.shared import NO_NAMES


def truth(value: Any) -> Any:
    """The value that decides a test: the staged answer of an object's own `__bool__` or `__len__`,
    a bool for a plain one. Else the value itself.
    """
    if not is_staging():
        return value
    method = converted_method(value, "__bool__")
    if method is not None:
        answer = method(value)
        if backend_of(answer) is None and not isinstance(answer, bool):
            kind = type(answer).__name__
            raise TypeError(f"__bool__ should return bool, returned {kind}")
        return answer
    if getattr(type(value), "__bool__", None) is not None:
        return value
    size = length(value)
    return value if size is None else size != 0


def length(value: Any) -> Any:
    """The staged or plain answer of an object's own `__len__`; None where it has none of its own.

    Raises ValueError for a negative one, at run time where only the run knows.
    """
    method = converted_method(value, "__len__")
    if method is None:
        return None
    size = method(value)
    backend = backend_of(size)
    if backend is None:
        return len(_Sized(size))
    staged_cond(backend, size < 0, (_refuse, lambda: None), (), (), NO_NAMES)
    return size


class _Sized:
    """An object with this length: `len` of it checks the value, and raises Python's own errors."""

    def __init__(self, size: Any) -> None:
        self.size = size

    def __len__(self) -> Any:
        return self.size


def _refuse() -> None:
    raise ValueError("__len__() should return >= 0")
