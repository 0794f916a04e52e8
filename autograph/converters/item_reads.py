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

import builtins
import string
from collections.abc import Container, Iterator
from functools import partial
from typing import Any

import gast

from autograph.analysis.growth import is_constant_index
from autograph.context import Context
from autograph.forms import Form
from autograph.quoting.builders import call_ag, constant
from autograph.rewriting import Rules
from autograph.trees import walk

_CALLS = frozenset((
    "list", "range", "sorted", "tuple", "dict", "Counter", "defaultdict", "OrderedDict",
))  # fmt: skip
_TEXTS = frozenset(name for name, value in vars(string).items() if type(value) is str)
_ANNOTATED = frozenset(("str", "tuple", "Tuple"))
_INDEXERS = frozenset(("shape", "at", "iat", "loc", "iloc"))
"""Attributes that are no sequences of the user's."""


def rules(context: Context) -> Rules:
    """The rules of rewriting, by kinds of nodes."""
    nodes = list(walk(context.tree))
    names = _Names(nodes, context.form is Form.ASKING)
    reads = {node for node in nodes if isinstance(node, gast.Subscript) and names.may_ask(node)}
    return {gast.Subscript: partial(_lowered, reads)}


class _Names:
    """The names that a function binds, and those of them that may stand for a sequence."""

    def __init__(self, nodes: list[Any], asks: bool) -> None:
        self.asks = asks
        stored = (x for x in nodes if isinstance(x, gast.Name) and not isinstance(x.ctx, gast.Load))
        self.bound = {node.id for node in stored}
        pairs = (pair for node in nodes for pair in _pairs(node))
        self.sequences = {name for name, value in pairs if _makes_sequence(value)}

    def may_ask(self, node: gast.Subscript) -> bool:
        """True if it reads an item of a sequence at a place that is no constant."""
        if not isinstance(node.ctx, gast.Load) or is_constant_index(node.slice):
            return False
        if isinstance(node.slice, gast.Tuple):
            return self.asks and _is_place(node.slice)
        return self.asks or self._may_be_sequence(node.value)

    def _may_be_sequence(self, node: Any) -> bool:
        while isinstance(node, gast.Subscript):
            node = node.value
        match node:
            case gast.Name(id=name):
                is_outside = name not in self.bound and not hasattr(builtins, name)
                return is_outside or name in self.sequences
            case gast.Attribute(attr=name):
                return name not in _INDEXERS
        return isinstance(node, gast.List | gast.ListComp) or _makes_sequence(node)


def _pairs(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case gast.Assign(targets=targets, value=value):
            yield from ((x.id, value) for x in targets if isinstance(x, gast.Name))
            yield from ((name, gast.Tuple()) for x in targets for name in _rests(x))
        case gast.AnnAssign(target=gast.Name(id=name), value=value):
            yield name, value
        case gast.arguments(
            args=args, posonlyargs=first, vararg=rest, kwonlyargs=by_name, defaults=defaults
        ):
            if rest is not None:
                yield rest.id, gast.Tuple()
            for arg in (*first, *args, *by_name):
                if _is_sequence_class(arg.annotation):
                    yield arg.id, gast.Tuple()
            names = [arg.id for arg in (*first, *args)]
            for name, value in zip(reversed(names), reversed(defaults), strict=False):
                # No backend knows a list that is a default.
                yield name, gast.Tuple(value.elts) if isinstance(value, gast.List) else value


def _rests(target: Any) -> Iterator[str]:
    """The names of a target that get a list of what the others leave."""
    if isinstance(target, gast.Tuple | gast.List):
        starred = (x.value for x in target.elts if isinstance(x, gast.Starred))
        yield from (x.id for x in starred if isinstance(x, gast.Name))


def _makes_sequence(node: Any) -> bool:
    match node:
        case gast.Tuple() | gast.Dict() | gast.DictComp():
            return True
        case gast.Call(func=gast.Name(id=name) | gast.Attribute(value=gast.Name(), attr=name)):
            return name in _CALLS
    return _is_text(node)


def _is_text(node: Any) -> bool:
    """True for a text that is written out, or one of the module `string`, and a sum of such."""
    match node:
        case gast.Constant(value=value):
            return isinstance(value, str)
        case gast.Attribute(value=gast.Name(id="string"), attr=name):
            return name in _TEXTS
        case gast.BinOp(left=left, op=gast.Add() | gast.Mult(), right=right):
            return _is_text(left) or _is_text(right)
    return False


def _is_sequence_class(annotation: Any) -> bool:
    """True for the annotation of what no backend knows to be indexed: `str`, `tuple[int, ...]`."""
    if isinstance(annotation, gast.Subscript):
        annotation = annotation.value
    return isinstance(annotation, gast.Name) and annotation.id in _ANNOTATED


def _is_place(key: gast.Tuple) -> bool:
    """True for `x[i, j]`, the item of an array, if not all of it is constant."""
    if any(isinstance(part, gast.Slice | gast.Starred) for part in key.elts):
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
