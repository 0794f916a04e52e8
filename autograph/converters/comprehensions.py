"""Give comprehensions to `ag.list_comp`, `ag.set_comp`, `ag.dict_comp` and `ag.generator`, as
functions of what they run over.

>>> from autograph.pipeline import show
>>> print(show('comprehensions', '''
... def f(xs, n):
...     evens = [x for x in xs if x % 2 == 0]
...     return sum(x * y for x in evens for y in range(n)), [n * k for k in (1, 2)]
... '''))
def f(xs, n):
    evens = ag.list_comp(xs, lambda items: ((x % 2 == 0, lambda: x) for x in items), tested=True)
    return (
        sum(
            ag.generator(
                evens,
                lambda items: (
                    ag.generator(range(n), lambda items: (x * y for y in items)) for x in items
                ),
                nested=True
            )
        ),
        [n * k for k in (1, 2)]
    )

The comprehension itself stays Python's: over plain items it is run as it is. With an `if` it gives
pairs of the test and of what makes the element; one with several `for` gives further ones. That of
a set or dict gives what makes the element, which is added before Python goes on. What is left as it
is: what runs over displays and constants only, as long as the keys of a dict and the items of a set
are made of constants, what a lambda cannot hold, and what holds one that would keep a variable of
this comprehension.

>>> print(show('comprehensions', '''
... def f(xs):
...     return {x % 2 for x in xs}, {x: x * x for x in xs if x > 0}
... '''))
def f(xs):
    return (
        ag.set_comp(xs, lambda items: (lambda: x % 2 for x in items)),
        ag.dict_comp(xs, lambda items: ((x > 0, lambda: (x, x * x)) for x in items), tested=True)
    )
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import gast

from autograph.analysis.scopes import free_names, suspends
from autograph.context import Context
from autograph.quoting.builders import call_ag, constant, lambda_of, name_load, tuple_of
from autograph.quoting.nodes import is_scaffold
from autograph.rewriting import Rules

_OF_FRAMES = frozenset(("locals", "vars", "dir", "eval", "exec", "super", "__class__"))
_DISPLAYS = (gast.List, gast.Tuple, gast.Set, gast.Dict, gast.Constant)


def rules(context: Context) -> Rules:
    """Returns the rule for each type of node."""
    lowering = _Lowering(context)
    return {
        gast.ListComp: partial(lowering.lower, "list_comp"),
        gast.SetComp: partial(lowering.lower, "set_comp"),
        gast.DictComp: partial(lowering.lower, "dict_comp"),
        gast.GeneratorExp: partial(lowering.lower, "generator"),
    }


class _Lowering:
    def __init__(self, context: Context) -> None:
        self.items = context.namer.available("items")
        self.looks_at_frames = not context.names.isdisjoint(_OF_FRAMES)

    def lower(self, op: str, node: Any) -> gast.expr:
        clauses = node.generators
        gathers = op in ("set_comp", "dict_comp")
        is_plain = all(map(_is_plain, clauses)) and not (gathers and _may_have_staged_keys(node))
        if is_plain or not self.fits(node, op == "list_comp"):
            return node
        value = tuple_of([node.key, node.value], node) if op == "dict_comp" else node.elt
        if gathers and len(clauses) == 1 and not clauses[0].ifs:
            value = lambda_of(value, value)
        for clause in reversed(clauses):
            nested = clause is not clauses[-1]
            inner = "generator" if gathers and clause is not clauses[0] else op
            value = self.clause(value, clause, inner, nested, node)
        return value

    def fits(self, node: Any, is_list: bool) -> bool:
        """Whether it means the same in a lambda, and clause by clause."""
        if suspends(node):
            return False
        by_clause = not is_list or len(node.generators) > 1
        # A lambda that is kept would see these as its own item left them, not the last one.
        split = _targets(node.generators) if by_clause else set()
        first = set(gast.walk(node.generators[0].iter))  # which Python evaluates outside
        for part in gast.walk(node):
            if isinstance(part, gast.NamedExpr):
                return False
            is_users = isinstance(part, gast.Lambda) and not is_scaffold(part)
            if is_users and part not in first and not split.isdisjoint(free_names(part)):
                return False
            if self.looks_at_frames and isinstance(part, gast.Name) and part.id in _OF_FRAMES:
                return False
        return True

    def clause(
        self, element: gast.expr, clause: Any, op: str, nested: bool, node: Any
    ) -> gast.expr:
        """`element` for each of the items of one `for`, if its tests hold."""
        items, options = clause.iter, {}
        kind = gast.ListComp if op == "list_comp" and not clause.ifs else gast.GeneratorExp
        if clause.ifs:
            element = tuple_of([_both(clause.ifs), lambda_of(element, element)], element)
            options["tested"] = constant(True, node)
        if nested:
            options["nested"] = constant(True, node)
        inner = gast.comprehension(clause.target, name_load(self.items, node), [], 0)
        made = gast.copy_location(kind(element, [gast.copy_location(inner, clause)]), node)
        return call_ag(op, [items, lambda_of(made, node, [self.items])], node, options)


def _is_plain(clause: Any) -> bool:
    """Whether it runs over a display or a constant, without tests."""
    items = clause.iter
    return isinstance(items, _DISPLAYS) and not clause.ifs


def _may_have_staged_keys(node: Any) -> bool:
    """Whether the keys of a dict, or the items of a set, are made of more than constants."""
    key = node.key if isinstance(node, gast.DictComp) else node.elt
    return not _names(key, *[clause.iter for clause in node.generators]) <= _targets(
        node.generators
    )


def _targets(clauses: list[Any]) -> set[str]:
    """The names that the clauses bind."""
    return _names(*[clause.target for clause in clauses])


def _names(*nodes: gast.AST) -> set[str]:
    parts = [part for node in nodes for part in gast.walk(node)]
    return {part.id for part in parts if isinstance(part, gast.Name)}


def _both(tests: Sequence[gast.expr]) -> gast.expr:
    first, *rest = tests
    if not rest:
        return first
    return call_ag("all_", [first, *(lambda_of(test, test) for test in rest)], first)
