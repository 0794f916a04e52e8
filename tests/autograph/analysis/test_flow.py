"""The ways out of statements."""

import textwrap

import gast
import pytest

from autograph.analysis.flow import completions, ends, exits

CASES = [
    ("x = 1", "next"),
    ("return 1", "return"),
    ("raise E", "raise"),
    ("if a: return 1", "next return"),
    ("if a:\n return 1\nelse:\n raise E", "return raise"),
    ("if a:\n break\nelse:\n continue", "break continue"),
    ("while a: break", "next"),
    ("while a: return 1", "next return"),
    ("while True: pass", ""),
    ("while True: break", "next"),
    ("while True: return 1", "return"),
    ("while a:\n pass\nelse:\n return 1", "return"),
    ("while a:\n break\nelse:\n return 1", "next return"),
    ("for x in a: continue", "next"),
    ("for x in a:\n pass\nelse:\n break", "break"),
    ("for x in a:\n for y in x: break", "next"),
    ("with a: return 1", "next return"),
    ("try:\n return 1\nexcept E:\n pass", "next return"),
    ("try:\n return 1\nexcept E:\n raise", "return raise"),
    ("try:\n pass\nexcept E:\n return 1\nelse:\n return 2", "return"),
    ("try:\n return 1\nfinally:\n x = 1", "return"),
    ("try:\n pass\nfinally:\n return 1", "return"),
    ("try:\n break\nfinally:\n raise E", "break raise"),
    ("match a:\n case 1: return 1", "next return"),
    ("match a:\n case 1: return 1\n case _: return 2", "return"),
    ("match a:\n case x if x: return 1", "next return"),
    ("def f(): return 1", "next"),
    ("return 1\nx = 2", "return"),
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_completions(source: str, expected: str) -> None:
    # `break` and `continue` parse only inside a loop.
    body = gast.parse("while 1:\n" + textwrap.indent(source, " ")).body[0].body
    found = completions(body)
    assert found == set(expected.split())
    assert ends(body) == ("next" not in found)
    assert exits(body[0]) <= {"return", "break", "continue"}
