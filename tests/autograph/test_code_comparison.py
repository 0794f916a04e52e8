"""Code objects that are compared with those of a file that changed around them."""

import ast
import dis
import functools
from types import CodeType

import pytest

from autograph import code_comparison
from autograph.code_comparison import same_code
from tests.support import python_3_14

CLASS = """
def f():
    class Held:
        x = 5

        def method(self):
            return self.x + 7
    return Held
"""


def _code(text: str, above: int) -> CodeType:
    module = compile("\n" * above + text, "a_file.py", "exec")
    return next(const for const in module.co_consts if isinstance(const, CodeType))


NODE = ast.parse("def f(): pass").body[0]


@pytest.mark.parametrize(("above", "below"), [(0, 3), (0, 0), (300, 301), (1000, 3000)])
def test_the_line_of_a_class_does_not_count(above: int, below: int) -> None:
    assert same_code(_code(CLASS, above), _code(CLASS, below), NODE)


@pytest.mark.parametrize(("old", "new"), [("x = 5", "x = 6"), ("+ 7", "+ 8"), ("x = 5", "y = 5")])
@pytest.mark.parametrize("above", [0, 300])
def test_what_it_holds_does(old: str, new: str, above: int) -> None:
    code = _code(CLASS, above)
    assert not same_code(code, _code(CLASS.replace(old, new), above), NODE)


def test_operands_are_the_same_on_python_3_14(monkeypatch: pytest.MonkeyPatch) -> None:
    code = _code("def f(x, y):\n    return x + 5, y[7], y.z", 0)
    operands = code_comparison._operands(code, set())
    assert {("f", 2, text) for text in ("'x'", "'y'", "'z'", "5", "7")} <= operands
    changed = functools.partial(python_3_14.instructions, dis.get_instructions)
    monkeypatch.setattr(dis, "get_instructions", changed)
    assert code_comparison._operands(code, set()) == operands
