"""Machine code as text, and what kept a graph from it."""

from __future__ import annotations

import sys
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

import runtime as rt

HERE = Path(__file__).name


@rt.function
def halvings(n):
    count = 0
    while n > 1:
        n = n // 2
        count = count + 1
    return count


@rt.function
def shown(x):
    y = x * 2.0
    rt.print(y)
    return y


@rt.function
def joined(x):
    return rt.strings.join([x, x]), rt.shape(x)


def inner(n):
    rt.print(n)
    return n - 1 if n < 1 else inner(n - 1)


@rt.function
def recursive(n):
    return inner(n)


@rt.function
def told(n):
    total = 0
    while n > 0:
        total = total + n
        n = n - 1
    rt.print("done")
    return total


def test_islands_are_shown():
    explained = told.explain_native(rt.constant(10))
    head, *reasons = explained.splitlines()
    assert head == "told is not machine code as a whole, but 1 part of it is:"
    line = _line('rt.print("done")')
    assert any(f"{HERE}:{line}:" in reason for reason in reasons)
    text = told.native_ir(rt.constant(10))
    llvm.parse_assembly(text).verify()
    assert "add" in text
    assert "ret" in told.native_asm(rt.constant(10))


def _line(text):
    """The number of the line of this file that is this text."""
    lines = Path(__file__).read_text("utf-8").splitlines()
    (found,) = [at for at, line in enumerate(lines, 1) if line.strip() == text]
    return found


def test_the_ir_is_what_llvm_takes():
    text = halvings.native_ir(rt.constant(10))
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    assert "sdiv" in text or "ashr" in text
    assert text == halvings.get_concrete_function(rt.constant(10)).native_ir()


def test_the_assembly_is_of_this_host():
    text = halvings.native_asm(rt.constant(10))
    assert ".text" in text or ".section" in text
    assert "ret" in text


def test_explained_as_a_whole():
    assert halvings.explain_native(rt.constant(10)) == "halvings is machine code as a whole"


@pytest.mark.parametrize(
    ("function", "argument", "line"),
    [
        (shown, 1.0, "rt.print(y)"),
        (joined, "a", "return rt.strings.join([x, x]), rt.shape(x)"),
        (recursive, 3, "rt.print(n)"),
    ],
)
def test_explained_with_lines(function, argument, line):
    explained = function.explain_native(rt.constant(argument))
    head, *reasons = explained.splitlines()
    assert head == f"{function.__name__} is not machine code as a whole:"
    assert any(f"{HERE}:{_line(line)}:" in reason for reason in reasons)
    assert len(reasons) == len(set(reasons))


def test_no_machine_code_is_an_error_that_explains():
    with pytest.raises(ValueError, match="joined is not machine code") as caught:
        joined.native_ir(rt.constant("a"))
    assert f"{HERE}:{_line('return rt.strings.join([x, x]), rt.shape(x)')}" in str(caught.value)
    with pytest.raises(ValueError, match="joined is not machine code"):
        joined.native_asm(rt.constant("a"))


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    for name in ("native_ir", "native_asm", "explain_native"):
        with pytest.raises(ImportError, match="native"):
            getattr(halvings, name)(rt.constant(10))


def test_looking_does_not_change_results():
    before = halvings(rt.constant(1000))
    halvings.native_ir(rt.constant(1000))
    np.testing.assert_array_equal(halvings(rt.constant(1000)), before)
