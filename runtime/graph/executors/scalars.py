"""The Python expressions of nodes on scalars, by the forms of their ops. An expression that raises
where the kernel has an error of its own is followed by asking the kernel (`failures.explain`).
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from typing import NamedTuple

from runtime.core.compiler import parse_expression
from runtime.core.forms import Form, is_float, kind_of
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.graph.executors.kernels import views
from runtime.graph.ir import Node


def form_of(node: Node) -> Form | None:
    """Returns the Python form of the node; None where its kernel is called."""
    form = node.primitive.scalar
    if form is None:
        return None
    if not isinstance(form, Form):
        return form([value.type for value in node.inputs], node.outputs[0].type, node.params)
    if not form.kinds:
        return form
    kind = kind_of(node.inputs[-1].type)
    fits = kind and kind in form.kinds
    return form if fits and all(kind_of(x.type) for x in (*node.inputs, *node.outputs)) else None


def takes_weak(node: Node, form: Form | None) -> bool:
    """True for arithmetic of two floats, the last of which may be a Python int."""
    return form is not None and form.sign in _ARITHMETIC and is_float(node.inputs[-1].type)


_ARITHMETIC = frozenset("+-*/")


def slices_of(node: Node) -> str | None:
    """The index of a node that takes known slices of an array, which never fails."""
    spec = node.params.get("spec")
    if spec is None or len(node.inputs) != 1 or not views(node):
        return None
    type = node.inputs[0].type
    if not spec or not isinstance(type, TensorType) or len(type.shape or ()) < len(spec):
        return None
    if not all(isinstance(entry, tuple) and entry[2] != 0 for entry in spec):
        return None
    if not all(part is None or isinstance(part, int) for entry in spec for part in entry):
        return None
    return ", ".join(map(_slice, spec))


def _slice(entry: tuple[int | None, int | None, int | None]) -> str:
    start, stop, step = ("" if part is None else str(part) for part in entry)
    return f"{start}:{stop}" + (f":{step}" if step else "")


def wrapper(dtype: DType) -> object:
    """The function that wraps a Python int around to the range of a dtype."""
    low, count = int(dtype.min), 1 << (8 * dtype.size)

    def wrap(number: int) -> int:
        return (number - low) % count + low

    return wrap


class Template(NamedTuple):
    """The facts about a template: how tightly the expression binds that it writes; for each operand
    how tightly one must bind that needs no brackets there; and which operands it names twice.
    """

    level: int
    operands: tuple[int, ...]
    repeated: frozenset[int]


@cache
def template(text: str) -> Template:
    """Returns the facts about a template. What stands in the brackets of a call needs none of its
    own.
    """
    tree = parse_expression(text.format(*_PLACES))
    levels = dict.fromkeys(_PLACES, -1)
    counts: Counter[str] = Counter()
    for parent in ast.walk(tree):
        level = -1 if isinstance(parent, ast.Call | ast.Subscript | ast.Tuple) else _level(parent)
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Name) and child.id in levels:
                levels[child.id] = max(levels[child.id], level)
                counts[child.id] += 1
    repeated = frozenset([at for at, name in enumerate(_PLACES) if counts[name] > 1])
    return Template(_level(tree), tuple(levels.values()), repeated)


def _level(tree: ast.AST) -> int:
    if isinstance(tree, ast.Compare):
        return _LEVELS[ast.Compare]
    operator = tree.op if isinstance(tree, ast.BinOp | ast.UnaryOp | ast.BoolOp) else tree
    return _LEVELS.get(type(operator), ATOM)


# An array of 64 dimensions, and its indices.
_PLACES = tuple([f"p{at}" for at in range(65)])
ATOM = 20
NEGATIVE = 11
_LEVELS: dict[type[ast.AST], int] = {
    ast.IfExp: 0, ast.Or: 1, ast.And: 2, ast.Not: 3, ast.Compare: 4, ast.BitOr: 5, ast.BitXor: 6,
    ast.BitAnd: 7, ast.LShift: 8, ast.RShift: 8, ast.Add: 9, ast.Sub: 9, ast.Mult: 10, ast.Div: 10,
    ast.FloorDiv: 10, ast.Mod: 10, ast.USub: 11, ast.UAdd: 11, ast.Invert: 11,
}  # fmt: skip
