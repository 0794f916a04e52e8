"""Symbols that outlive what made them: every use says where they are from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import errors

HELD: dict[str, Callable[[], Any]] = {}


@rt.function
def leaking(x):
    HELD["argument"] = lambda: x
    result = x * 2  # the line
    HELD["result"] = lambda: result
    count = 0
    for _ in x:
        count += 1
    HELD["number"] = lambda: count
    return x


leaking(rt.constant([1.0, 2.0]))

PROVENANCES = {
    "argument": r"is the argument 'x' of leaking\(\)",
    "result": r"was made at .*test_leaked_symbols\.py:\d+:\d+ inside the body of graph 'leaking'",
    "number": "of graph 'leaking'",
}
USES: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "float": float,
    "int": int,
    "format": lambda item: f"{item}",
    "list": list,
    "array": np.asarray,
    "numpy": lambda item: item.numpy(),
    "in": lambda item: 1 in item,
    "index": lambda item: [1, 2][item],
    "add": lambda item: item + 1,
    "negative": lambda item: -item,
    "op": rt.sqrt,
}
OF_NUMBERS = ("bool", "float", "int", "format", "index", "add", "negative", "op")


@pytest.mark.parametrize(
    ("name", "use"),
    [(name, use) for name in PROVENANCES for use in (OF_NUMBERS if name == "number" else USES)],
)
def test_each_use_outside_of_traces_says_where_the_symbol_is_from(name: str, use: str) -> None:
    with pytest.raises(errors.InaccessibleTensorError, match=PROVENANCES[name]):
        USES[use](HELD[name]())


@pytest.mark.parametrize("use", ["bool", "format", "numpy", "add"])
def test_another_graph_may_not_use_it(use: str) -> None:
    @rt.function
    def other(x: Any) -> Any:
        return USES[use](HELD["argument"]())

    with pytest.raises(errors.InaccessibleTensorError, match="is the argument 'x' of leaking"):
        other(rt.constant(1.0))


def test_a_leaked_symbol_has_a_text() -> None:
    assert repr(HELD["argument"]()) == "<tf.Tensor 'x:0' shape=(2,) dtype=float32>"


def test_no_handler_takes_what_an_eager_use_of_a_symbol_raises() -> None:
    @rt.function
    def looked_up(x):
        try:
            with rt.init_scope():
                return x + 1
        except Exception:  # as users write it
            return x * 0

    with pytest.raises(errors.InaccessibleTensorError, match=r"looked_up\(\)"):
        looked_up(rt.constant(3))
