"""The transpiler under the names that TensorFlow gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import autograph
from runtime.autograph import experimental as experimental
from runtime.core.lazy import public as _public

P = ParamSpec("P")
R = TypeVar("R")

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Any = None,
) -> str:
    """The source that a function is converted to, as `autograph.to_code`.

    Args:
        entity: a function, method or class; of an `@function`, the Python function is taken.
        recursive: accepted; the text is the same.
        experimental_optional_features: accepted; there are none.

    >>> def clip(x, limit):
    ...     return limit if x > limit else x
    >>> "ag.cond" in rt.autograph.to_code(clip)
    True
    """
    return autograph.to_code(_python_function(entity))


def to_graph(
    entity: Callable[P, R],
    recursive: bool = True,
    experimental_optional_features: Any = None,
) -> Callable[P, R]:
    """The converted function, as `autograph.convert`.

    Args:
        entity: a function, method or class; of an `@function`, the Python function is taken.
        recursive: whether functions that it calls are converted too.
        experimental_optional_features: accepted; there are none.

    >>> def clip(x, limit):
    ...     return limit if x > limit else x
    >>> rt.autograph.to_graph(clip)(7, 5)
    5
    """
    converted: Callable[P, R] = autograph.convert(_python_function(entity), recursive=recursive)
    return converted


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Accepted, and without effect: conversions are not logged. `to_code` shows what one makes, and
    errors say what one cannot.

    >>> rt.autograph.set_verbosity(0)
    """


def trace(*args: Any) -> None:
    """Print arguments while tracing; symbols as what they are.

    >>> rt.autograph.trace(1, "two")
    1 'two'
    """
    print(*map(repr, args))


def _python_function(entity: Any) -> Any:
    return getattr(entity, "python_function", entity)


__dir__ = _public(__name__, "experimental")
