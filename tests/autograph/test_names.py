"""New names clash with nothing; every name of a tree is seen."""

import ast
import sys
from types import CodeType

import gast
import pytest

from autograph.names import Namer, names_in
from autograph.source import to_gast
from tests.support.versions import needs


def test_fresh_names_are_reserved() -> None:
    namer = Namer(["x", "y", "y_2"])
    assert [namer.fresh("z"), namer.fresh("z"), namer.fresh("z")] == ["z", "z_2", "z_3"]
    assert [namer.fresh("x"), namer.fresh("y")] == ["x_2", "y_3"]


def test_available_names_are_not() -> None:
    namer = Namer({"x"})
    assert [namer.available("if_body") for _ in range(2)] == ["if_body"] * 2
    assert [namer.available("x"), namer.fresh("x"), namer.available("x")] == ["x_2", "x_2", "x_3"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = y.z", "x y"),
        ("def f(a, /, b=c, *d, e: f2 = g, **h) -> i: pass", "f a b c d e f2 g h i"),
        ("async def f(): await x", "f x"),
        ("lambda a, *b: c", "a b c"),
        ("class A(B, metaclass=C): x = 1", "A B C x"),
        ("def f():\n global x, y\n nonlocal_ = 1", "f x y nonlocal_"),
        ("def f():\n x = 1\n def g():\n  nonlocal x", "f g x"),
        ("import a, b.c, d.e as f", "a b f"),
        ("from a import b, c as d", "b d"),
        ("from a import *", ""),
        ("try: pass\nexcept E as e: pass", "E e"),
        ("try: pass\nexcept* E as e: pass", "E e"),
        ("with a as (b, [c, *d]): pass", "a b c d"),
        ("for x, in y: pass", "x y"),
        ("[x for y in z if w]", "x y z w"),
        ("(x := y)", "x y"),
        ("f(a=b)", "f b"),
        ("f'{x!r:{y}}'", "x y"),
        ("x[y:z] += 1", "x y z"),
        ("del x, y.z", "x y"),
        ("x: y = z", "x y z"),
        (
            "match a:\n case B(c, d=e) | [*f] | {'g': h, **i} if j: pass\n case k as l: pass",
            "a B c e f h i j k l",
        ),
        ("match a:\n case _: pass\n case [*_]: pass", "a"),
    ],
)
def test_names_in(text: str, names: str) -> None:
    assert names_in(gast.parse(text)) == set(names.split())


@needs(3, 12)
def test_names_of_type_parameters() -> None:
    tree = gast.parse("def f[T: int, *Ts, **P](): pass\ntype X[U] = V")
    assert names_in(tree) == {*"fTPXUV", "int", "Ts"}


def names_of_code(code: CodeType) -> set[str]:
    """What the compiler makes variables of, in a module and all that is in it."""
    if code.co_name == "__annotate__":
        return set()
    names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    for const in code.co_consts:
        if isinstance(const, CodeType):
            names |= names_of_code(const)
    return names


@pytest.mark.parametrize("module", [ast, gast, pytest, sys.modules[__name__]])
def test_no_variable_of_a_module_is_missed(module: object) -> None:
    with open(str(module.__file__), encoding="utf-8") as file:  # type: ignore[attr-defined]
        tree = ast.parse(file.read())
    compiled = names_of_code(compile(tree, "file", "exec"))
    hidden = {name for name in compiled if name.startswith((".", "__class"))}
    mangled = {name for name in compiled if name.startswith("_") and "__" in name}
    assert compiled - hidden - mangled <= names_in(to_gast(tree))
