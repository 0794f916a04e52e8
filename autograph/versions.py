"""The versions of Python whose bytecode is known to what reads it: guards, handlers of exceptions,
what a call is given.
"""

from __future__ import annotations

import sys

NEWEST = 3, 13


def check_version(version: tuple[int, ...] = tuple(sys.version_info[:2])) -> None:
    """Raises ImportError for a Python whose bytecode is not known: what is read from it would be
    missed silently.
    """
    if version[:2] > NEWEST:
        newest, given = (".".join(map(str, each[:2])) for each in (NEWEST, version))
        raise ImportError(
            f"autograph reads Python's bytecode, and that of Python {given} is not known to it: "
            f"use Python 3.11 to {newest}"
        )
