"""Between the trees of `ast` and those of gast, in less time than gast's own translators take.

Positions are kept both ways, and no node is shared with what was given. Of a tree of ast only its
fields and positions count: all trees of a process share one `ast.Load()`, and tools such as
`executing` and `asttokens` leave attributes of their own on it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import gast


def to_gast(node: Any) -> Any:
    """The tree of gast for a tree of ast."""
    special = _TO_GAST.get(type(node))
    return _to_gast(node) if special is None else special(node)


def to_ast(node: Any) -> Any:
    """The tree of ast for a tree of gast; attributes that ast does not know are kept."""
    special = _TO_AST.get(type(node))
    return _to_ast(node) if special is None else special(node)


def copy_tree(value: Any) -> Any:
    """A copy of a node, or of a list of nodes."""
    if isinstance(value, list):
        return [copy_tree(item) for item in value]
    if not isinstance(value, ast.AST):
        return value
    copied = new_node(type(value))
    fields = copied.__dict__
    for field, child in value.__dict__.items():
        fields[field] = copy_tree(child) if isinstance(child, list | ast.AST) else child
    return copied


def walk(node: Any) -> Iterator[Any]:
    """A node and all nodes in it, of ast or of gast, in no particular order, but for contexts and
    operators.
    """
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        fields = node.__dict__
        for field in NODE_FIELDS[type(node)]:
            value = fields.get(field)
            if isinstance(value, list):
                pending.extend([item for item in value if isinstance(item, ast.AST)])
            elif isinstance(value, ast.AST):
                pending.append(value)


class _NodeFields(dict[type, tuple[str, ...]]):
    def __missing__(self, cls: Any) -> tuple[str, ...]:
        is_constant = issubclass(cls, ast.Constant | gast.Constant)
        fields = () if is_constant else [field for field in cls._fields if field not in _PLAIN]
        self[cls] = found = tuple(fields)
        return found


_PLAIN = frozenset((
    "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "lineno",
    "module", "op", "ops", "simple", "tag", "type_comment",
))  # fmt: skip
"""Fields without nodes that are more than a context or an operator."""

NODE_FIELDS = _NodeFields()
"""The fields of each class of nodes in which there may be nodes: most of a tree are names."""


def is_ag(node: Any, ag: str) -> bool:
    """Whether an expression is `ag.something`."""
    return (
        isinstance(node, gast.Attribute)
        and isinstance(node.value, gast.Name)
        and node.value.id == ag
    )


def new_node(cls: Any) -> Any:
    """A node without fields, made faster than by calling its class."""
    return cls.__new__(cls)


def _to_gast(node: Any) -> Any:
    target, missing = _gast_targets[type(node)]
    made = new_node(target)
    fields, given = made.__dict__, node.__dict__
    for field in missing:
        fields[field] = [] if field == "type_params" else None
    for field in node._fields + node._attributes:
        if field not in given:
            continue
        value = given[field]
        if isinstance(value, list):
            fields[field] = [to_gast(item) if isinstance(item, ast.AST) else item for item in value]
        else:
            fields[field] = to_gast(value) if isinstance(value, ast.AST) else value
    return made


def _to_ast(node: Any) -> Any:
    made = new_node(_ast_targets[type(node)][0])
    fields = made.__dict__
    for field, value in node.__dict__.items():
        if isinstance(value, list):
            fields[field] = [to_ast(item) if isinstance(item, ast.AST) else item for item in value]
        else:
            fields[field] = to_ast(value) if isinstance(value, ast.AST) else value
    return made


class _Targets(dict[Any, tuple[Any, list[str]]]):
    """By class: the class of that name in a module, and its fields that this Python's ast lacks."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __missing__(self, cls: Any) -> tuple[Any, list[str]]:
        target = getattr(self.module, cls.__name__)
        self[cls] = target, [field for field in target._fields if field not in cls._fields]
        return self[cls]


_gast_targets = _Targets(gast)
_ast_targets = _Targets(ast)


# gast has names for parameters and for caught exceptions where ast has `arg` and strings.


def _arg_to_gast(node: ast.arg) -> Any:
    annotation = None if node.annotation is None else to_gast(node.annotation)
    made = gast.Name(node.arg, new_node(gast.Param), annotation, node.type_comment)
    return ast.copy_location(made, node)


def _name_to_ast(node: Any) -> Any:
    if not isinstance(node.ctx, gast.Param):
        return _to_ast(node)
    annotation = None if node.annotation is None else to_ast(node.annotation)
    return ast.copy_location(ast.arg(node.id, annotation, node.type_comment), node)


def _handler_to_gast(node: ast.ExceptHandler) -> Any:
    made = _to_gast(node)
    if node.name is not None:
        name = gast.Name(node.name, new_node(gast.Store), None, None)
        made.name = ast.copy_location(name, node)
    return made


def _handler_to_ast(node: Any) -> Any:
    made = _to_ast(node)
    made.name = None if node.name is None else node.name.id
    return made


def _shared(node: ast.AST) -> Callable[[Any], Any]:
    # As in what `ast.parse` gives, one node stands for all uses of an operator or a context.
    return lambda _: node


def _operators(base: type[ast.AST]) -> list[type[ast.AST]]:
    return [cls for cls in base.__subclasses__() if cls.__module__ == "ast"]


_TO_GAST: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.arg: _arg_to_gast,
    ast.ExceptHandler: _handler_to_gast,
}
_TO_AST: dict[type[ast.AST], Callable[[Any], Any]] = {
    gast.Name: _name_to_ast,
    gast.ExceptHandler: _handler_to_ast,
} | {
    getattr(gast, cls.__name__): _shared(cls())
    for base in (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
    for cls in _operators(base)
}
