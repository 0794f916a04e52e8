"""What notebooks show of objects is short whatever their size, and computes nothing."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import runtime as rt


class Printer:
    """The part of IPython's printer that is used."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def pretty(value: Any) -> str:
    printer = Printer()
    value._repr_pretty_(printer, False)
    return printer.written


class Table(HTMLParser):
    """The title and the cells of a table; fails where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.title = ""
        self.rows: list[list[str]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] == "code":
            self.title += data
        else:
            self.rows[-1][-1] += data


TENSORS: list[tuple[Any, str, list[list[str]]]] = [
    (3.5, "tensor float32 (), 4 B", [["3.5"]]),
    ([1, 2], "tensor int32 (2,), 8 B", [["1", "2"]]),
    ([[True], [False]], "tensor bool (2, 1), 2 B", [["True"], ["False"]]),
    (["a<b", "&"], "tensor string (2,)", [["a<b", "&"]]),
    (np.zeros((0, 3)), "tensor float64 (0, 3), 0 B", []),
    (
        np.arange(8).reshape(2, 2, 2),
        "tensor int64 (2, 2, 2), 64 B; of [0]:",
        [["0", "1"], ["2", "3"]],
    ),
    ([1.0 / 3.0], "tensor float32 (1,), 4 B", [["0.33333"]]),
    (np.ones(3000, np.int8), "tensor int8 (3000,), 2.93 KiB", [["1"] * 4 + ["..."] + ["1"] * 4]),
]


@pytest.mark.parametrize(("value", "title", "rows"), TENSORS)
def test_tensors(value: Any, title: str, rows: list[list[str]]) -> None:
    tensor = rt.constant(value)
    table = Table(tensor._repr_html_())
    assert (table.title, table.rows) == (title, rows)
    assert pretty(tensor) == repr(tensor)
    variable = rt.Variable(tensor, name="v")
    assert Table(variable._repr_html_()).rows == rows
    assert pretty(variable) == repr(variable)


LARGE = [
    np.zeros((3000, 3000), np.float32),
    np.zeros((2,) * 16, np.int8),
    np.zeros((7,) * 6, np.int8),
    np.array([b"x" * 10_000_000] * 3, object),
    np.array(b"\xff" * 10_000_000, object),
]


@pytest.mark.parametrize("value", LARGE)
def test_what_is_shown_of_large_values_is_short(value: Any) -> None:
    for shown in (rt.constant(value), rt.Variable(value)):
        assert len(shown._repr_html_()) < 5_000
        assert len(pretty(shown)) < 25_000


class Net(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = rt.Variable(rt.ones((3, 400)))
        self.again = self.w
        self.parts = [rt.Variable([1], trainable=False), {"k": rt.Variable("text")}]


def test_modules() -> None:
    assert pretty(Net()).splitlines() == [
        "Net 'net': 3 variables, 4.691 KiB",
        "  again      float32 (3, 400)  4.688 KiB",
        "  parts.0    int32 (1,)        4 B        not trainable",
        "  parts.1.k  string ()         0 B",
    ]
    table = Table(Net()._repr_html_() or "")
    assert table.title == "Net 'net': 3 variables, 4.691 KiB"
    assert [row[0] for row in table.rows] == ["variable", "again", "parts.0", "parts.1.k"]


def test_modules_with_many_variables() -> None:
    module = rt.Module("many")
    module.all = [rt.Variable(0.0) for _ in range(120)]  # type: ignore[attr-defined]
    assert pretty(module).splitlines()[-1].strip() == "... and 70 more"
    assert len(Table(module._repr_html_() or "").rows) == 52
    assert pretty(rt.Module("none")) == "Module 'none': 0 variables, 0 B"


def test_modules_that_say_how_they_are_shown() -> None:
    class Own(Net):
        def __repr__(self) -> str:
            return "own"

    assert (pretty(Own()), Own()._repr_html_()) == ("own", None)


def test_a_module_that_does_not_call_the_init_of_its_base_is_shown_as_others_are() -> None:
    class Short(rt.Module):
        def __init__(self) -> None:
            self.w = rt.Variable(1.0)

    assert pretty(Short()).splitlines()[0] == "Short 'short': 1 variable, 4 B"
    assert Table(Short()._repr_html_() or "").title == "Short 'short': 1 variable, 4 B"


def test_functions() -> None:
    def power(x: Any, n: int = 2) -> Any:
        return x**n

    staged = rt.function(power)
    assert pretty(staged) == "<Function power with 0 traces>"
    staged(rt.constant(1.0)), staged(rt.constant([1.0]), n=3), staged(rt.constant(2.0))
    assert pretty(staged).splitlines() == [
        "<Function power with 2 traces>",
        "  power(x: float32[], n=2)",
        "    first trace (x: float32[], n: int 2)",
        "  power(x: float32[1], n=3)",
        "    argument x is float32[1], it was float32[]; argument n is int 3, it was int 2",
    ]
    table = Table(staged._repr_html_())
    assert table.title == "<Function power with 2 traces>"
    assert table.rows[1] == ["power(x: float32[], n=2)", "first trace (x: float32[], n: int 2)"]
    assert repr(staged) == table.title


def test_a_variable_that_is_shown_while_tracing() -> None:
    variable = rt.Variable(1.0)
    found = []

    @rt.function
    def shown(x: Any) -> Any:
        found.append((variable._repr_html_(), pretty(variable) == as_it_is(variable)))
        return x

    @rt.autograph.experimental.do_not_convert
    def as_it_is(variable: Any) -> str:
        return str(variable.__repr__())

    shown(rt.constant(1.0))
    assert found == [(None, True)]
