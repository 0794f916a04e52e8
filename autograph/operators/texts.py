"""Texts: f-strings and `%`. A backend makes those that only the run knows."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from autograph.backend import asked, backend_of, backend_within
from autograph.frames import hide

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"s": str, "r": repr, "a": ascii}


def text(*parts: Any) -> Any:
    """The parts of an f-string behind each other."""
    try:
        for part in parts:
            backend = backend_of(part)
            if backend is not None:
                return backend.builtin(str.join, "", parts)
        return "".join(parts)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def format(value: Any, spec: Any = "", *, conversion: str | None = None) -> Any:
    """A field of an f-string: `{value!conversion:spec}`."""
    try:
        if conversion is not None:
            value = _converted(_CONVERSIONS[conversion], value)
        backend = backend_of(value) or backend_within(value) or backend_of(spec)
        return (
            builtins.format(value, spec)
            if backend is None
            else asked(backend, builtins.format, value, spec)
        )
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def mod(template: str, values: Any) -> Any:
    """`template % values`, for a template that is a text in the source."""
    try:
        backend = backend_of(values) or backend_within(values)
        return (
            template % values if backend is None else asked(backend, operator.mod, template, values)
        )
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _converted(function: Callable[[Any], str], value: Any) -> Any:
    backend = backend_of(value) or backend_within(value)
    return function(value) if backend is None else asked(backend, function, value)
