"""Elementwise ops by TensorFlow's names for them; their arguments are given by name alone.

>>> rt.raw_ops.AddV2(x=[1, 2], y=3).numpy().tolist()
[4, 5]
"""

from collections.abc import Callable as _Callable
from functools import wraps as _wraps
from typing import Any as _Any

from runtime.core.absent import AbsentName as _AbsentName
from runtime.core.primitive import TABLE as _TABLE
from runtime.ops import load_all as _load_all


def __getattr__(name: str) -> _Any:
    function = _functions().get(name)
    if function is None:
        raise _AbsentName(__name__, name, "other ops are here by their public names alone")
    return _by_names(function)


def __dir__() -> list[str]:
    return sorted(_functions())


def _functions() -> dict[str, _Callable[..., _Any]]:
    """The functions of the ops by their types: of several that have one type, the first."""
    _load_all()
    found: dict[str, _Callable[..., _Any]] = {}
    for row in _TABLE.values():
        if row.function is not None and not row.is_own:
            found.setdefault(row.op_type, row.function)
    return found


def _by_names(function: _Callable[..., _Any]) -> _Callable[..., _Any]:
    @_wraps(function)
    def named(**arguments: _Any) -> _Any:
        return function(**arguments)

    return named
