"""The names of a function that stand for a sequence, or a text, by what is assigned to them."""

from __future__ import annotations

import builtins
import string
from collections.abc import Iterator
from typing import Any

import gast

_CALLS = frozenset((
    "list", "range", "sorted", "tuple", "dict", "Counter", "defaultdict", "OrderedDict",
))  # fmt: skip
_TEXTS = frozenset(name for name, value in vars(string).items() if type(value) is str)
_ANNOTATED = {
    "str": gast.Constant("", None),
    "bytes": gast.Constant(b"", None),
    "tuple": gast.Tuple(),
    "Tuple": gast.Tuple(),
}
"""A value of each class that no backend knows to be indexed."""


class SequenceNames:
    """The names that a function binds, and those of them that stand for a sequence, or a text."""

    def __init__(self, nodes: list[Any]) -> None:
        stored = (x for x in nodes if isinstance(x, gast.Name) and not isinstance(x.ctx, gast.Load))
        self.bound = {node.id for node in stored}
        pairs = [pair for node in nodes for pair in _pairs(node)]
        self.sequences = {name for name, value in pairs if makes_sequence(value)}
        self.texts = {name for name, value in pairs if makes_text(value)}

    def is_outside(self, name: str) -> bool:
        """Whether the user has bound a name outside of the function."""
        return name not in self.bound and not hasattr(builtins, name)


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
                yield arg.id, _of_class(arg.annotation)
            names = [arg.id for arg in (*first, *args)]
            for name, value in zip(reversed(names), reversed(defaults), strict=False):
                # No backend knows a list that is a default.
                yield name, gast.Tuple(value.elts) if isinstance(value, gast.List) else value


def _rests(target: Any) -> Iterator[str]:
    """The names of a target that get a list of what the others leave."""
    if isinstance(target, gast.Tuple | gast.List):
        starred = (x.value for x in target.elts if isinstance(x, gast.Starred))
        yield from (x.id for x in starred if isinstance(x, gast.Name))


def makes_sequence(node: Any) -> bool:
    """True for a display or a call that makes a sequence or a dict, and for a text."""
    is_display = isinstance(node, gast.Tuple | gast.Dict | gast.DictComp)
    return is_display or called_name(node) in _CALLS or makes_text(node)


def called_name(node: Any) -> str | None:
    """The name of what a call calls, `name` or `module.name`; None for anything else."""
    match node:
        case gast.Call(func=gast.Name(id=name) | gast.Attribute(value=gast.Name(), attr=name)):
            return str(name)
    return None


def makes_text(node: Any) -> bool:
    """True for a text or bytes that are written out, a text of `string`, and a sum of such."""
    match node:
        case gast.Constant(value=value):
            return isinstance(value, str | bytes)
        case gast.Attribute(value=gast.Name(id="string"), attr=name):
            return name in _TEXTS
        case gast.BinOp(left=left, op=gast.Add() | gast.Mult(), right=right):
            return makes_text(left) or makes_text(right)
    return False


def _of_class(annotation: Any) -> Any:
    """A value of the class that an annotation names, `str` or `tuple[int, ...]`; None of others."""
    if isinstance(annotation, gast.Subscript):
        annotation = annotation.value
    return _ANNOTATED.get(annotation.id) if isinstance(annotation, gast.Name) else None
