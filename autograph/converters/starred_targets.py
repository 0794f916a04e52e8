"""Lower `a, *rest = items` to `ag.starred`: of some items only the run knows how many there are.

>>> from autograph.pipeline import show
>>> print(show('starred_targets', '''
... def f(items):
...     first, *rest = items
...     low, *middle, high = rest
...     one, *two = 1, 2
...     a, (b, *c), d = middle
...     e, (f, *g) = 3, (4, 5)
...     return first, low, high, two, c, g
... '''))
def f(items):
    first, rest = ag.starred(items, 1)
    low, middle, high = ag.starred(rest, 1, 1)
    one, two = ag.starred((1, 2), 1)
    a, part, part_2 = middle
    b, c = ag.starred(part, 1)
    d = part_2
    e, (f, *g) = 3, (4, 5)
    return first, low, high, two, c, g

What several targets are assigned stays as it is, and parts of a display.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.context import Context
from autograph.names import Namer
from autograph.quoting.builders import assign, call_ag, constant, name_load, name_store
from autograph.rewriting import Rules


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.Assign: _Targets(context.namer).statement}


class _Targets:
    """Lowers targets, each in its turn, as Python assigns them."""

    def __init__(self, namer: Namer) -> None:
        self.namer = namer

    def statement(self, node: gast.Assign) -> list[gast.stmt]:
        match node:
            case gast.Assign(targets=[target], value=value) if _has_star(target):
                is_display = isinstance(value, gast.Tuple | gast.List)
                if not is_display or any(isinstance(part, gast.Starred) for part in target.elts):
                    return self.into(target, value)
        return [node]

    def into(self, target: Any, value: gast.expr) -> list[gast.stmt]:
        """Statements that assign a value: part by part from the first one with a star in it."""
        parts = getattr(target, "elts", [])
        is_star = [isinstance(part, gast.Starred) for part in parts]
        if any(is_star):
            before = is_star.index(True)
            after = len(parts) - before - 1
            counts = (before, after) if after else (before,)
            value = call_ag("starred", [value, *[constant(n, target) for n in counts]], target)
            parts[before] = parts[before].value
        made: list[gast.stmt] = [assign(target, value, target)]
        waits = False
        for at, part in enumerate(parts):
            waits = waits or _has_star(part)
            if waits:
                name = self.namer.fresh("part")
                parts[at] = name_store(name, part)
                made += self.into(part, name_load(name, part))
        return made


def _has_star(target: Any) -> bool:
    return isinstance(target, gast.Starred) or any(map(_has_star, getattr(target, "elts", ())))
