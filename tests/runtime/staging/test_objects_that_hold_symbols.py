"""Objects of the trace that hold staged values: asked by builtins, and shown."""

import types
from collections import UserList, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from autograph.errors import StagingError


def extremes(n):
    table = {"a": n, "b": 2}
    return max(table.values()), min(deque([n, 2])), max(table.values(), key=lambda v: -v)


def orders(n):
    return sorted({"a": n, "b": 2}.values()), sorted(deque([n, 1]), reverse=True)


def decisions(n):
    tests = {"a": n > 3, "b": n > 1}
    return any(tests.values()), all(tests.values()), any(deque([n > 1]))


def contained(n):
    return n in deque([1, 2]), n in {"a": 2}.values(), 2 in {"a": n}.values(), 7 not in deque([n])


def totals(n):
    return sum({"a": n, "b": 1}.values()), sum(deque([n, n]), 1), list({"a": n}.values())


def plain(value: Any) -> Any:
    return tf.nest.map_structure(lambda x: np.asarray(x).item(), value)


@pytest.mark.parametrize("function", [extremes, orders, decisions, contained, totals])
def test_builtins_of_deques_and_of_the_values_of_dicts(function: Callable[..., Any]) -> None:
    staged = tf.function(function)
    for n in (0, 1, 2, 3, 5):
        assert plain(staged(tf.constant(n))) == plain(function(n)), n


class Shown:
    def __init__(self, part: Any) -> None:
        self.part = part

    def __str__(self) -> str:
        return "shown %s" % self.part  # noqa: UP031


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "values": lambda n: {"a": n}.values(),
    "items": lambda n: {"a": n}.items(),
    "namespace": lambda n: types.SimpleNamespace(a=n),
    "namespace within": lambda n: types.SimpleNamespace(a=[n]),
    "object": Shown,
    "user list": lambda n: UserList([n]),
    "slice": lambda n: slice(0, n),
    "exception": lambda n: ValueError(n),
}
READERS: dict[str, Callable[[Any, Any], Any]] = {
    "print": lambda n, held: print(n, held),
    "print of a list": lambda n, held: print([n, held]),
    "f-string": lambda n, held: print(f"{n} {held}"),
    "percent": lambda n, held: print("%s %s" % (n, held)),  # noqa: UP031
}


# The text of an exception itself is that of the run, and that which an object's method gives.
SHOWN = {"exception": ("print", "f-string"), "object": ("print", "f-string", "percent")}
READ = [
    (reader, holder)
    for reader in READERS
    for holder in HOLDERS
    if reader not in SHOWN.get(holder, ())
]


@pytest.mark.parametrize(("reader", "holder"), READ)
def test_the_text_of_the_trace_is_not_printed(
    holder: str, reader: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made, read = HOLDERS[holder], READERS[reader]
    with pytest.raises((StagingError, TypeError), match=f"{__file__}:") as caught:
        tf.function(lambda n: read(n, made(n)))(tf.constant(3))
    assert "print" in str(caught.value) or "write" in str(caught.value)
    assert "n:0" not in capsys.readouterr().out
