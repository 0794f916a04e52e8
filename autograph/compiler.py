"""Python's compiler, for one thread at a time.

The filters of warnings belong to the process, and so does the count of levels by which CPython 3.11
makes trees: where two threads make some at once, `ast.parse` may raise SystemError.
"""

from __future__ import annotations
import __future__

import ast
import functools
import operator
import warnings
from typing import Any

from autograph.locks import process_rlock

FUTURES: int = functools.reduce(
    operator.or_,
    (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names),
)
"""The flags of code that say which features it has by `from __future__ import ...`."""

# A thread may come here again: what the collector frees on the way may run any code.
lock = process_rlock()


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """The tree of a module."""
    with lock:
        return ast.parse(source, filename)


def parse_expression(source: str | bytes) -> ast.expr:
    """The tree of an expression."""
    with lock:
        return ast.parse(source, mode="eval").body


def compile_quietly(source: Any, filename: str, flags: int = 0, mode: int = 0) -> Any:
    """`compile`, without the warnings that the user has seen when the file was imported.

    Args:
        source: text or tree.
        filename: the file it is said to come from.
        flags: flags of a code object whose `from __future__` imports hold here too.
        mode: further compiler flags, such as `ast.PyCF_ONLY_AST`.
    """
    with lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, filename, "exec", flags & FUTURES | mode, dont_inherit=True)
