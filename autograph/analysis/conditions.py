"""The conditions among `and` and `or`: their truth alone is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import gast

from autograph.trees import is_ag, walk

_BOOLS = frozenset(("compare", "has_class", "is_instance", "is_sequence", "not_", "passes"))


def conditions(tree: Any, ag: str, flags: Collection[str]) -> frozenset[gast.BoolOp]:
    """The `and` and `or` in the tests of a tree of which an operand may be no bool; for others the
    value is the truth.
    """
    if not any(isinstance(node, gast.BoolOp) for node in walk(tree)):
        return frozenset()
    found: set[gast.BoolOp] = set()
    pending = list(_tested(tree, ag))
    while pending:
        node = pending.pop()
        if not isinstance(node, gast.BoolOp):
            continue
        pending += node.values
        if not all(is_bool(value, ag, flags) for value in node.values):
            found.add(node)
    return frozenset(found)


def _tested(tree: Any, ag: str) -> Iterator[gast.expr]:
    """The expressions that statements, blocks and other expressions ask for their truth."""
    blocks: dict[str, list[gast.expr]] = {}
    for node in walk(tree):
        match node:
            case gast.If() | gast.While() | gast.IfExp() | gast.Assert():
                yield node.test
            case gast.UnaryOp(op=gast.Not()):
                yield node.operand
            case gast.comprehension():
                yield from node.ifs
            case gast.FunctionDef(body=[gast.Return(value=value)]):
                blocks.setdefault(node.name, []).append(value)
            case gast.Call(func=gast.Attribute(attr="cond" | "assert_")) if is_ag(node.func, ag):
                yield node.args[0]
    for node in walk(tree):
        match node:
            case gast.Call(func=gast.Attribute(attr="while_loop")) if is_ag(node.func, ag):
                yield from blocks.pop(node.args[0].id, ())


def is_bool(node: gast.expr, ag: str, flags: Collection[str]) -> bool:
    """Whether reading tells that an operand is a bool, or what comparisons make of tensors."""
    match node:
        case gast.Compare() | gast.UnaryOp(op=gast.Not()) | gast.Constant(value=bool()):
            return True
        case gast.BoolOp():
            return all(is_bool(value, ag, flags) for value in node.values)
        case gast.Name():
            return node.id in flags
        case gast.Call(func=gast.Attribute(attr=op)):
            return is_ag(node.func, ag) and op in _BOOLS
    return False
