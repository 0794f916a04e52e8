"""Lower `table[i]` of what may be a Python sequence to `ag.getitem`: only the run may know `i`.

    >>> from autograph.pipeline import show
    >>> print(show('item_reads', '''
    ... def f(x, i):
    ...     days = (31, 28, 31)
    ...     return x[i] + TABLE[i] + days[i] + days[0] + [1, 2][i]
    ... '''))
    def f(x, i):
        days = 31, 28, 31
        return x[i] + ag.getitem(TABLE, i) + ag.getitem(days, i) + days[0] + ag.getitem([1, 2], i)

That is a display or a call that makes a sequence or a dict, a name of outside, an attribute, a name
that such a tuple, text, range or dict is assigned to, a parameter that is annotated as a text or
tuple, a starred name, and an item of one of these.
Other names are left as they are: they stand for tensors, or for lists that the backend knows
already (`growing_lists`).
"""

from __future__ import annotations

from collections.abc import Container
from functools import partial
from typing import Any

import gast

from autograph.analysis.growth import is_constant_index
from autograph.analysis.sequences import SequenceNames, makes_sequence
from autograph.context import Context
from autograph.forms import Form
from autograph.quoting.builders import call_ag, constant
from autograph.rewriting import Rules
from autograph.trees import walk

_INDEXERS = frozenset(("shape", "at", "iat", "loc", "iloc"))
"""Attributes that are no sequences of the user's."""


def rules(context: Context) -> Rules:
    """The rules of rewriting, by kinds of nodes."""
    nodes = list(walk(context.tree))
    found = _Reads(nodes, context.form is Form.ASKING)
    reads = {node for node in nodes if isinstance(node, gast.Subscript) and found.may_ask(node)}
    return {gast.Subscript: partial(_lowered, reads)}


class _Reads:
    """Tells which reads are of an item of a sequence."""

    def __init__(self, nodes: list[Any], asks: bool) -> None:
        self.asks = asks
        self.names = SequenceNames(nodes)

    def may_ask(self, node: gast.Subscript) -> bool:
        """True if it reads an item of a sequence at a place that is no constant."""
        if not isinstance(node.ctx, gast.Load) or is_constant_index(node.slice):
            return False
        if isinstance(node.slice, gast.Tuple):
            return (self.asks or _may_make_array(node)) and _is_place(node.slice)
        return self.asks or self._may_be_sequence(node.value)

    def _may_be_sequence(self, node: Any) -> bool:
        while isinstance(node, gast.Subscript):
            node = node.value
        match node:
            case gast.Name(id=name):
                return self.names.is_outside(name) or name in self.names.sequences
            case gast.Attribute(attr=name):
                return name not in _INDEXERS
        return isinstance(node, gast.List | gast.ListComp) or makes_sequence(node)


def _may_make_array(node: gast.Subscript) -> bool:
    """True for `np.mgrid[0:n, 0:m]` and its like: what asks its bounds hides what they refuse."""
    is_attribute = isinstance(node.value, gast.Attribute) and node.value.attr not in _INDEXERS
    return is_attribute and any(isinstance(part, gast.Slice) for part in node.slice.elts)


def _is_place(key: gast.Tuple) -> bool:
    """True for `x[i, j]`, an item or a part of an array, if not all of it is constant."""
    if any(isinstance(part, gast.Starred) for part in key.elts):
        return False
    return not all(map(is_constant_index, key.elts))


def _lowered(reads: Container[gast.AST], node: gast.Subscript) -> gast.expr:
    if node not in reads:
        return node
    key = node.slice
    if isinstance(key, gast.Slice):
        parts = [part or constant(None, key) for part in (key.lower, key.upper, key.step)]
        key = call_ag("slice", parts, node)
    return call_ag("getitem", [node.value, key], node)
