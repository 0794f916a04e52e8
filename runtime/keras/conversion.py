"""Control flow in the user's methods: Keras calls them from code that is not converted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import autograph
from runtime.core.state import state


def converts(cls: type, names: Iterable[str]) -> None:
    """Let methods that a class defines run converted while a function is traced."""
    for name in names:
        method = vars(cls).get(name)
        if type(method) is FunctionType and not is_kerass(method):
            setattr(cls, name, converted(method))


def is_kerass(function: FunctionType) -> bool:
    """True for a function of Keras' own, or of this package."""
    module = str(function.__globals__.get("__name__"))
    return module.startswith(("keras.src.", "runtime.keras."))


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs as it is eagerly, and converted while a function is traced."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        called = function if state.trace is None else autograph.call(function)
        return called(*args, **kwargs)

    return run
