"""Packages of optional extras, imported when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def extra(module: str, name: str, what: str) -> Any:
    """A module of an extra; ImportError that says how to install it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        if error.name != module.partition(".")[0]:
            raise
        way_out = f"pip install 'autograph-runtime[{name}]'"
        raise ImportError(
            f"{what} needs the package {error.name}: {way_out}", name=error.name
        ) from None
