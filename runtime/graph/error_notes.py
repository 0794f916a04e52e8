"""Notes on Python's own errors while a function is traced: which argument is no tensor, and which
dimension is not known.
"""

from __future__ import annotations

import ast
import dis
import reprlib
from collections.abc import Iterator, Mapping
from itertools import islice
from types import TracebackType
from typing import Any

from runtime.graph.frames import is_ours, text_at
from runtime.graph.scopes import Symbol
from runtime.tensor import Tensor

_BY_NAME = (str, bytes, type(None))
_FINE = (Tensor, Symbol, bool, int, float, complex)


def explain(error: BaseException, function: str, given: Mapping[str, Any]) -> None:
    """Add notes to the error of an expression that reads arguments of `function` that are no
    tensors, or a dimension that is None.
    """
    last = _last_of_the_users(error.__traceback__)
    if not isinstance(error, TypeError | ValueError) or last is None:
        return
    tree = _expression_at(last)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = last.tb_frame.f_locals
    for name in sorted(names.intersection(known)):
        for label in _arguments(name, known[name], given):
            error.add_note(_about(function, label, given[label]))
    shapes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    if "None" in str(error) and any(node.attr == "shape" for node in shapes):
        error.add_note(
            "a dimension that only the run knows is None in x.shape: tf.shape(x) has its value"
        )


def _last_of_the_users(traceback: TracebackType | None) -> TracebackType | None:
    found = None
    while traceback is not None:
        if not is_ours(traceback.tb_frame.f_code.co_filename):
            found = traceback
        traceback = traceback.tb_next
    return found


def _expression_at(entry: TracebackType) -> ast.AST:
    code = entry.tb_frame.f_code
    position = next(islice(code.co_positions(), entry.tb_lasti // 2, None), None)
    text = text_at(code.co_filename, position and dis.Positions(*position))
    try:
        return ast.parse(text.strip())
    except SyntaxError:
        return ast.Module([], [])


def _arguments(name: str, value: Any, given: Mapping[str, Any]) -> Iterator[str]:
    """The arguments that a variable has the value of, which is no tensor or number."""
    if isinstance(value, _FINE):
        return
    for label, item in given.items():
        if item is value and (name == label or not isinstance(value, _BY_NAME)):
            yield label


def _about(function: str, label: str, value: Any) -> str:
    return (
        f"{function}() was given {reprlib.repr(value)} for its argument {label!r}: in there it is "
        f"a Python {type(value).__qualname__}, not a tensor; pass one, made with tf.constant or "
        "tf.stack"
    )
