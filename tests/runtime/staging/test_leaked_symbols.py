"""Symbols that outlive what made them: every use says where they are from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from runtime import errors
from tests.support.staging import assert_as_in_python

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


def summing():
    total = 0
    while True:
        given = yield total
        total += given


SCALE = [1]


def scaling():
    while True:
        kept = SCALE[0]
        yield kept + 1


SENT, READ = summing(), scaling()
next(SENT)


def sent_to_a_global(x):
    return SENT.send(x)


def sent_in_a_list(x):
    return SENT.send([x])[0]


def kept_by_a_global(x):
    SCALE[0] = x
    made = next(READ)
    SCALE[0] = 1
    return made


@pytest.mark.parametrize("program", [sent_to_a_global, sent_in_a_list, kept_by_a_global])
def test_a_generator_from_outside_keeps_no_symbol(program: Any) -> None:
    for _ in range(2):
        with pytest.raises(autograph.StagingError, match="keeps a value of the run") as refusal:
            rt.function(program)(rt.constant(1))
        assert refusal.value.filename == __file__
        assert refusal.value.hint
    assert SENT.gi_frame.f_locals == {"total": 0}


def test_a_generator_of_the_function_is_sent_what_it_keeps() -> None:
    def sums(x):
        one = summing()
        next(one)
        one.send(x)
        return one.send(x * 2)

    assert_as_in_python(sums, 3, 4)


def test_a_generator_from_outside_is_sent_what_python_knows() -> None:
    one = summing()
    next(one)
    staged = rt.function(lambda x: x * one.send(2))
    assert [int(staged(rt.constant(x))) for x in (3, 4)] == [6, 8]
