"""Calls of the standard library that would format staged values while tracing (loggers, warnings,
templates), or read what the graph prints only when it runs.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from autograph.operators.builtin_calls import warn
from runtime.core.state import state
from runtime.staging.control.choices import Choice
from runtime.staging.refusals import refuse
from runtime.staging.texts import is_staged

_WRITERS = {
    "logging": "debug info warning warn error exception critical fatal log",
    "warnings": "warn warn_explicit",
    "_warnings": "warn warn_explicit",
    "pprint": "pprint pp pformat saferepr",
    "string": "substitute safe_substitute format vformat",
    "locale": "format_string",
}
_MAKERS = [
    "pformat",
    "saferepr",
    "substitute",
    "safe_substitute",
    "format",
    "vformat",
    "format_string",
]
"""Those of the writers that give the text."""


def sink_function(function: Any) -> Callable[..., Any] | None:
    """Returns the stand-in for a function that makes a text of what it is given; None for others.

    Raises StagingError for one that reads a file that a staged value was printed to.
    """
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    trace = state.trace
    if owner is not None and trace is not None and any(owner is file for file in trace.printed):
        raise refuse(
            f"{name}() is called, while tracing, of a file that a staged value is printed to: the "
            "graph prints when it runs",
            "call it outside of the staged function",
        )
    # Templates have no module of their own; functions in C have no owner that tells it.
    module = getattr(function, "__module__", None) or type(owner).__module__
    known = _WRITERS.get(module, "").split()
    return functools.partial(_write, function, module) if name in known else None


def _write(function: Any, module: str, *args: Any, **kwargs: Any) -> Any:
    if any(type(arg) is Choice for arg in args) or is_staged([args, kwargs]):
        stream = ", output_stream=log.info" if module == "logging" else ""
        instead = f"print it with print(x) or tf.print(x{stream})"
        if function.__name__ in _MAKERS:
            instead = "write the text as an f-string"
        raise refuse(
            f"{function.__name__}() of {module.lstrip('_')} makes a text of a staged value once, "
            "while tracing",
            f"{instead}, or call it outside of the staged function",
        )
    # Those that tell their caller's line pass over this call.
    if module == "logging":
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    elif function is warnings.warn:
        function = warn
    return function(*args, **kwargs)
