"""Lower displays of which only the run may know something: a list with `*items` in it to
`ag.spread`, a tuple to `ag.tuple_spread`, a set to `ag.set_spread`, and a set and a dict with a
member or key that is no constant to `ag.set_of` and `ag.dict_of`, which takes what a dict unpacks
as well.

>>> from autograph.pipeline import show
>>> print(show('displays', '''
... def f(x, y, d, low, high):
...     fixed = [x, y], {"x": x, "y": y}, {1, 2}
...     return [*low, x, *high], {x: 1, "y": y}, {x, y}
... '''))
def f(x, y, d, low, high):
    fixed = [x, y], {'x': x, 'y': y}, {1, 2}
    return ag.spread(low, lambda: [x], lambda: high), ag.dict_of((x, 1), ('y', y)), ag.set_of(x, y)

What stands behind the first `*` of a list, or `**` of a dict, is computed after that was unpacked,
as Python does.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, lambda_of, tuple_of
from autograph.rewriting import Rules, fits_lambda

_SIMPLE = (gast.Name, gast.Constant)


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    tuples = partial(_spread, name="tuple_spread")
    return {gast.List: _spread, gast.Tuple: tuples, gast.Set: _set_of, gast.Dict: _dict_of}


def _spread(node: Any, name: str = "spread") -> gast.expr:
    is_read = isinstance(node.ctx, gast.Load)
    return _of_parts(name, node) if is_read and _unpacks(node) else node


def _unpacks(node: Any) -> bool:
    return any(isinstance(item, gast.Starred) for item in node.elts)


def _of_parts(name: str, node: Any) -> gast.expr:
    parts = _iterables(node)
    if not all(fits_lambda(part) for part in parts[1:]):
        return node
    return call_ag(name, [parts[0], *[lambda_of(part, part) for part in parts[1:]]], node)


def _iterables(node: Any) -> list[Any]:
    """The iterables that the display is put together from, and lists of the items between them."""
    parts: list[Any] = []
    between: list[Any] = []
    for item in node.elts:
        if not isinstance(item, gast.Starred):
            if not between:
                parts.append(gast.copy_location(gast.List(between, gast.Load()), item))
            between.append(item)
            continue
        parts.append(item.value)
        between = []
    return parts


def _is_known(key: Any) -> bool:
    """Whether no value of the run is in it. Python makes a set of constants at once, in which they
    have another order than in one to which they are added.
    """
    match key:
        case gast.Constant() | gast.JoinedStr():
            return True
        case gast.UnaryOp(operand=gast.Constant()):  # -1
            return True
        case gast.Tuple(elts=items):
            return all(map(_is_known, items))
    return False


def _set_of(node: Any) -> gast.expr:
    if _unpacks(node):
        return _of_parts("set_spread", node)
    return node if all(map(_is_known, node.elts)) else call_ag("set_of", node.elts, node)


def _dict_of(node: Any) -> gast.expr:
    if _has_known_keys(node):
        return node
    parts: list[gast.expr] = []
    waits = False
    for key, value in zip(node.keys, node.values, strict=True):
        part = _part(key, value)
        waits = waits or (None in node.keys[: len(parts)] and not _is_simple(key, value))
        if waits:
            if not fits_lambda(part):
                return node
            part = lambda_of(part, part)
        parts.append(part)
    return call_ag("dict_of", parts, node)


def _is_simple(key: Any, value: Any) -> bool:
    """Whether an entry is the same before and after something else is unpacked."""
    return (key is None or isinstance(key, _SIMPLE)) and isinstance(value, _SIMPLE)


def _has_known_keys(node: Any) -> bool:
    """Whether all keys are constants, also of dicts that are written where they are unpacked."""
    return all(
        _is_known(key) or (key is None and isinstance(value, gast.Dict) and _has_known_keys(value))
        for key, value in zip(node.keys, node.values, strict=True)
    )


def _part(key: Any, value: Any) -> gast.expr:
    if key is None:
        return gast.copy_location(gast.List([value], gast.Load()), value)
    if isinstance(value, gast.List | gast.ListComp):
        value = call_ag("growing", [value], value)
    return tuple_of([key, value], value)
