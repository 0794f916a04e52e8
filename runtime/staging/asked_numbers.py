"""`int` and `float` of objects whose own method gives what only the run knows, which Python would
not accept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.operators.methods import converted_method
from runtime.core.tensor import Tensor
from runtime.staging.builtin_functions import BUILTINS, index_of
from runtime.staging.tracing import is_symbol

_METHODS: dict[Any, tuple[str, ...]] = {
    int: ("__int__", "__index__", "__trunc__"),
    float: ("__float__", "__index__"),
}
"""What Python asks of an object, the first that is there."""


def number_function(function: Any, args: tuple[Any, ...]) -> Callable[[Any], Any] | None:
    """The function for `int` and `float` of such an object; None for others."""
    if type(function) is not type or len(args) != 1:
        return None
    names = _METHODS.get(function, ())
    name = next((name for name in names if hasattr(type(args[0]), name)), None)
    if name is None or converted_method(args[0], name) is None:
        return None
    return partial(_asked, function, name)


def _asked(function: Any, name: str, value: Any) -> Any:
    made = converted_method(value, name)(value)
    if not is_symbol(made):
        return function(type(type(value).__name__, (), {name: lambda _: made})())
    kind = _kind_of(made)
    wanted = "float" if name == "__float__" else "int"
    if kind != wanted:
        whose = f"{type(value).__name__}." if wanted == "float" else ""
        raise TypeError(f"{whose}{name} returned non-{wanted} (type {kind})")
    return BUILTINS[function](made if wanted == "float" else index_of(made))


def _kind_of(number: Any) -> str:
    if isinstance(number, Tensor):
        return "float" if number.dtype.is_floating else "int"
    return "float" if number.type.kind == "float" else "int"
