"""Scaffolding nodes, and the positions that they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import gast

from autograph.trees import copy_tree, new_node

Item = Any  # a name (str) or an expression
Position = dict[str, int]

# The loader names the code of such functions after the user's; printing and analyses never look.
SCAFFOLD = "autograph_scaffold"
FUNCTIONS = {gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda}
_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
spelling: ContextVar[str] = ContextVar("ag", default="ag")


@contextmanager
def ag_spelled(name: str) -> Iterator[None]:
    """Within it, generated code says `name` for `ag`: for user code that has an `ag` of its own."""
    token = spelling.set(name)
    try:
        yield
    finally:
        spelling.reset(token)


def position_of(node: gast.AST) -> Position:
    """The position of a node; of a compound statement, that of its header."""
    position: Position = {key: getattr(node, key) for key in _POSITION}
    header_end = _HEADER_END.get(type(node))
    if header_end is not None:
        last = header_end(node)
        position["end_lineno"] = last.end_lineno
        position["end_col_offset"] = last.end_col_offset
    elif isinstance(getattr(node, "body", None), list):  # `def`, `class`, `try`: its first letters
        position["end_lineno"] = position["lineno"]
        position["end_col_offset"] = position["col_offset"] + len("def")
    return position


# The last node of a compound statement's header.
_HEADER_END: dict[Any, Callable[[Any], Any]] = {
    gast.If: lambda node: node.test,
    gast.While: lambda node: node.test,
    gast.For: lambda node: node.iter,
    gast.AsyncFor: lambda node: node.iter,
    gast.With: lambda node: node.items[-1].optional_vars or node.items[-1].context_expr,
    gast.AsyncWith: lambda node: node.items[-1].optional_vars or node.items[-1].context_expr,
    gast.Match: lambda node: node.subject,
}


def is_scaffold(node: gast.AST) -> bool:
    """Whether a function definition or lambda was built here, and not written by the user."""
    return SCAFFOLD in vars(node)


def make_node(cls: type[gast.AST], position: Position, **fields: Any) -> Any:
    node = new_node(cls)
    vars(node).update(fields)
    if cls in FUNCTIONS:
        vars(node)[SCAFFOLD] = True
    place(node, position)
    return node


def place(node: gast.AST, position: Position) -> None:
    fields = vars(node)
    fields.update(position)
    # Python reports a call of an attribute that spans lines on the last of them.
    if type(node) is gast.Attribute and position["end_lineno"] != position["lineno"]:
        fields["end_lineno"] = position["lineno"]
        fields["end_col_offset"] = position["col_offset"]


def name_node(id: str, ctx: type[gast.expr_context], position: Position) -> gast.Name:
    return make_node(
        gast.Name, position, id=id, ctx=new_node(ctx), annotation=None, type_comment=None
    )


def item_node(value: Item, ctx: type[gast.expr_context], position: Position) -> gast.expr:
    if isinstance(value, str):
        return name_node(value, ctx, position)
    if isinstance(value, gast.expr):
        return in_context(value, ctx)
    raise TypeError(f"expected a name or an expression, got {value!r}")


def in_context(node: gast.expr, ctx: type[gast.expr_context]) -> gast.expr:
    present = getattr(node, "ctx", None)
    if type(present) is ctx or (present is None and ctx is gast.Load):
        return node
    if present is None:
        raise TypeError(f"{type(node).__name__} cannot be a target")
    copied = copy_tree(node)
    copied.ctx = ctx()
    if isinstance(copied, gast.Tuple | gast.List):
        copied.elts = [in_context(element, ctx) for element in copied.elts]
    if isinstance(copied, gast.Starred):
        copied.value = in_context(copied.value, ctx)
    return copied


def parameters_of(names: Sequence[str], position: Position) -> gast.arguments:
    return gast.arguments(
        args=[name_node(name, gast.Param, position) for name in names],
        posonlyargs=[],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )
