"""Pickling by name: what a module holds is found there again, in this process or another."""

from __future__ import annotations

import sys
from typing import Any


def has_name(value: Any) -> bool:
    """Whether the module of a function or class holds it under its qualified name."""
    found = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def of_main(name: str) -> Any:
    """The part of `__main__` of a qualified name. UnpicklingError in a process of another one."""
    found: Any = sys.modules["__main__"]
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        from pickle import UnpicklingError

        raise UnpicklingError(
            f"the function {name} of __main__ is not in the __main__ of this process: put it in a "
            "module of its own, which both processes import"
        )
    return found


def refused(what: str, way_out: str) -> Exception:
    """The error for what has no name to be found by."""
    from pickle import PicklingError  # whoever pickles has it loaded

    return PicklingError(f"{what} cannot be pickled: {way_out}")
