"""Let what stands for a number pass a guard that asks for Python's class of it, or raises.

    >>> from autograph.pipeline import show
    >>> print(show('raising_guards', '''
    ... def f(n):
    ...     if not isinstance(n, int) or n < 0:
    ...         raise TypeError(n)
    ...     assert type(n) in (int, float)
    ...     return isinstance(n, int)
    ... '''))
    def f(n):
        if not ag.passes(isinstance, n, int) or n < 0:
            raise TypeError(n)
        assert ag.has_class(type, n, (int, float))
        return isinstance(n, int)

Only where the answer True keeps the guard from raising: then nothing else can depend on it; so it
is with an answer that is assigned to a name, if each use of the name is in such a guard. Not in a
`try` or `with` that may catch what is raised, for then something does; `ag.passes` looks for such
in the functions that call.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast

from autograph.analysis.flow import completions, may_swallow
from autograph.analysis.scopes import children
from autograph.context import Context
from autograph.quoting.builders import call_ag
from autograph.trees import walk

_RAISES = frozenset({"raise"})
_COMPREHENSIONS = (gast.GeneratorExp, gast.ListComp)
_SAME = (gast.Is, gast.Eq, gast.In)
_OTHER = (gast.IsNot, gast.NotEq, gast.NotIn)


def convert(context: Context) -> None:
    """Apply to every guard of the tree."""
    pending: list[Any] = [context.tree]
    asked: list[str] = []
    while pending:
        node = pending.pop()
        if isinstance(node, gast.If):
            if completions(node.body) == _RAISES:
                node.test = _answered(node.test, False, asked)
            elif completions(node.orelse) == _RAISES:
                node.test = _answered(node.test, True, asked)
        elif isinstance(node, gast.Assert):
            node.test = _answered(node.test, True, asked)
        caught = _caught(node)
        for part in children(node):
            parts = part if isinstance(part, list) else [part]
            pending += [x for x in parts if isinstance(x, gast.AST) and x not in caught]
    if asked:
        _answer_names(context.tree, Counter(asked))


def _answer_names(tree: Any, asked: Counter[str]) -> None:
    """Answer what is assigned, once, to names of which each use is in a guard."""
    nodes = list(walk(tree))
    uses = Counter(node.id for node in nodes if isinstance(node, gast.Name))
    for node in nodes:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if (
                asked[name] and uses[name] == asked[name] + 1
            ):
                node.value = _answered(value, True, [])


def _caught(node: Any) -> list[Any]:
    """The statements in a node whose exceptions it may catch."""
    if isinstance(node, gast.Try | gast.TryStar):
        return node.body if node.handlers else []
    is_with = isinstance(node, gast.With | gast.AsyncWith)
    return node.body if is_with and may_swallow(node) else []


def _answered(test: Any, is_kept: bool, asked: list[str]) -> Any:
    """The test of a guard that is passed where `test` is `is_kept`; `asked` gets the names in it
    that are to be true.
    """
    if is_kept and isinstance(test, gast.Name):
        asked.append(test.id)
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        test.operand = _answered(test.operand, not is_kept, asked)
    elif isinstance(test, gast.BoolOp):
        test.values = [_answered(value, is_kept, asked) for value in test.values]
    elif _called(test) in ("any", "all") and isinstance(test.args[0], _COMPREHENSIONS):
        test.args[0].elt = _answered(test.args[0].elt, is_kept, asked)
    elif is_kept and _called(test) == "isinstance" and len(test.args) == 2:
        return call_ag("passes", [test.func, *test.args], test)
    elif isinstance(test, gast.Compare):
        return _compared(test, is_kept)
    return test


def _compared(test: Any, is_kept: bool) -> Any:
    """`type(x) is C`, `type(x) != C` or `type(x) in (C, D)`, answered."""
    match test:
        case gast.Compare(left=gast.Call(func=asked, args=[value]) as left, ops=[op]) if _called(
            left
        ) == "type" and isinstance(op, _SAME if is_kept else _OTHER):
            (classes,) = test.comparators
            if not isinstance(op, gast.In | gast.NotIn):
                classes = gast.copy_location(gast.Tuple([classes], gast.Load()), classes)
            answer = call_ag("has_class", [asked, value, classes], test)
            return answer if is_kept else gast.copy_location(gast.UnaryOp(gast.Not(), answer), test)
    return test


def _called(node: Any) -> str | None:
    if not isinstance(node, gast.Call) or node.keywords or not node.args:
        return None
    is_plain = not any(isinstance(arg, gast.Starred) for arg in node.args)
    return getattr(node.func, "id", None) if is_plain else None
