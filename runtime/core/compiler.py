"""Python's compiler, for one thread at a time, which `autograph/compiler.py` has the reason for. A
graph that was saved is loaded and run without `autograph`; where that is imported, its lock is the
one of the process.
"""

from __future__ import annotations

import ast
import os
import sys
import threading
from typing import Any

_own: Any = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_own._at_fork_reinit)


def _lock() -> Any:
    theirs = sys.modules.get("autograph.compiler")
    return getattr(theirs, "lock", _own)


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """The tree of a module."""
    with _lock():
        return ast.parse(source, filename)


def parse_expression(source: str) -> ast.expr:
    """The tree of an expression."""
    with _lock():
        return ast.parse(source, mode="eval").body
