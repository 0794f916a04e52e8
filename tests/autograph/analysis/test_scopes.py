"""Scopes against Python's own: the `symtable` of real modules and of hard cases."""

import ast
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gast
import pytest

from autograph.analysis.scopes import free_names, functions_in, mentions, scope_of, suspends
from autograph.trees import to_gast

STDLIB = Path(ast.__file__).parent
MODULES = [
    "argparse",
    "ast",
    "contextlib",
    "dataclasses",
    "functools",
    "inspect",
    "textwrap",
    "typing",
]

HARD = """
def f(a, *b, c=1, **d):
    global g
    import os.path, sys as s
    from x import y as z
    h = [i for i in a if (w := i)]
    k = {m: n for m, n in h for h in m}
    e = sum(u * a for u in b)
    with open(a) as (o, [p, *q]), r:
        pass
    try:
        pass
    except E as t:
        del t
    def inner(v=h):
        nonlocal e
        e, g2 = v, lambda aa: aa + c + k
        def deeper():
            return e, k
    class C(base):
        attribute = inner
        def method(self):
            return attribute, e, __class__
    for x.y[a] in q:
        g = 1
    match a:
        case [bb, *cc] | {"k": bb, **cc} if bb:
            pass
        case C(attribute=dd) as ee:
            pass
    ff: int = 3
    gg: int
    ff += 1
    return e
"""


def function_tables(table: Any) -> Iterator[Any]:
    for child in table.get_children():
        if child.get_type() == "function" and child.get_name() not in UNNAMED:
            yield child
        if child.get_name() not in UNNAMED:
            yield from function_tables(child)


UNNAMED = {"lambda", "genexpr", "listcomp", "setcomp", "dictcomp"}


def by_place(source: str) -> dict[tuple[str, int], tuple[Any, Any]]:
    """Each function of a source: its tree, and Python's table for it."""
    tree = to_gast(ast.parse(source))
    trees = {(node.name, first_line(node)): node for node in functions_in(tree)}
    found = {
        (t.get_name(), t.get_lineno()): t
        for t in function_tables(symtable.symtable(source, "m", "exec"))
    }
    return {place: (trees[place], found[place]) for place in trees.keys() & found.keys()}


def first_line(node: Any) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


@pytest.mark.parametrize("module", [*MODULES, "hard"])
def test_agrees_with_the_symbol_table_of_python(module: str) -> None:
    source = HARD if module == "hard" else (STDLIB / f"{module}.py").read_text()
    functions = by_place(source)
    assert functions
    for place, (tree, table) in functions.items():
        scope = scope_of(tree)
        # `__class__` is made by the compiler; inlined comprehensions (3.12) bring their own names.
        locals_ = {name for name in table.get_locals() if not table.lookup(name).is_free()}
        comprehension = comprehension_names(tree)
        assert scope.locals - comprehension == locals_ - comprehension, place
        assert set(table.get_frees()) - {"__class__"} <= free_names(tree), place


def comprehension_names(tree: Any) -> set[str]:
    return {
        name
        for node in gast.walk(tree)
        if isinstance(node, gast.comprehension)
        for name in mentions(node.target).bound
    }


CAPTURES = [
    ("return x", set()),
    ("return lambda: x", {"x"}),
    ("return lambda x: x", set()),
    ("return lambda y=x: y", set()),
    ("return [x for _ in range(3)]", set()),
    ("return (x for _ in range(3))", {"x"}),
    ("return (y for y in x)", set()),
    ("return [lambda: x for _ in range(3)]", {"x"}),
    ("def g():\n  nonlocal x\n  x = 1", {"x"}),
    ("def g():\n  x = 1", set()),
    ("def g():\n  def h():\n    return x\n  return h", {"x"}),
    ("class C:\n  def m(self): return x", {"x"}),
]


@pytest.mark.parametrize(("body", "captured"), CAPTURES)
def test_captured_names(body: str, captured: set[str]) -> None:
    tree = gast.parse("def f(x):\n " + body.replace("\n", "\n ")).body[0]
    assert scope_of(tree).captured & {"x"} == captured


SUSPENDS = [
    ("yield", True),
    ("x = yield from y", True),
    ("return g((yield x))", True),
    ("lambda: (yield)", False),
    ("def g():\n  yield", False),
    ("return x", False),
]


@pytest.mark.parametrize(("body", "expected"), SUSPENDS)
def test_suspends(body: str, expected: bool) -> None:
    tree = gast.parse("def f(x, y):\n " + body.replace("\n", "\n ")).body[0]
    assert suspends(tree.body) is expected
