"""Lower a list with `*items` in it to `ag.spread`: only the run may know how many items there are.

    >>> from autograph.pipeline import show
    >>> print(show('list_displays', '''
    ... def f(low, pivot, high):
    ...     return [*low, pivot, *high], [low, high]
    ... '''))
    def f(low, pivot, high):
        return ag.spread(low, lambda: [pivot], lambda: high), [low, high]

What stands behind the first `*` is computed after its items were taken, as Python does.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.context import Context
from autograph.quoting.builders import call_ag, lambda_of
from autograph.rewriting import Rules, fits_lambda


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    return {gast.List: _spread}


def _spread(node: gast.List) -> gast.expr:
    is_read = isinstance(node.ctx, gast.Load)
    if not is_read or not any(isinstance(item, gast.Starred) for item in node.elts):
        return node
    parts = _parts(node)
    if not all(fits_lambda(part) for part in parts[1:]):
        return node
    return call_ag("spread", [parts[0], *[lambda_of(part, part) for part in parts[1:]]], node)


def _parts(node: gast.List) -> list[Any]:
    """The iterables that the list is put together from, and lists of the items between them."""
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
