"""Bad calls of functions: the documented class, naming the argument or the line."""

from __future__ import annotations

import dataclasses
import functools
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest

import runtime as rt
from runtime import errors

X = rt.constant(1.0)
PAIRS = rt.TensorSpec([None, 2], rt.float32)
SCALAR = rt.TensorSpec([], rt.float32)
COUNT = rt.TensorSpec([], rt.int32)
kept: list[Any] = []


@rt.function(input_signature=[PAIRS, {"n": COUNT}])
def signed(pairs, counts):
    return pairs[0] * rt.cast(counts["n"], rt.float32)


@rt.function
def keeping(x):
    doubled = x * 2.0
    kept.append(lambda: doubled)
    return x


@rt.function
def doubling(xs):
    return doubling(rt.concat([xs, xs], 0))


@rt.function
def asking(x):
    return asking.get_concrete_function(x)(x)


def late(x):
    return X + kept[-1]()


@rt.function
def deepening(x, n=0):
    return deepening(x, n + 1)


def late_and_object(x):
    return {"a": [x, object()]}


async def awaiting(x):
    return x


def making(x):
    return rt.Variable(x) + 1.0


def making_in_loop(x):
    for _ in rt.range(3):
        x = x + rt.Variable(1.0)
    return x


@dataclasses.dataclass
class Seen:
    x: Any


def appending(x, seen):
    seen.x = x
    return x


class Made:
    def __init__(self, x):
        self.x = x


within_itself: list[Any] = [1.0]
within_itself.append({"a": within_itself})

Kind = type[Exception] | tuple[type[Exception], ...]

CALLS: list[tuple[Callable[[], Any], Kind, str]] = [
    (lambda: signed([1.0, 2.0], {"n": 1}), TypeError, "argument 'pairs'.*shape \\(2,\\)"),
    (lambda: signed([[1.0, 2.0, 3.0]], {"n": 1}), TypeError, "argument 'pairs'.*shape \\(1, 3\\)"),
    (lambda: signed(rt.constant([[1, 2]]), {"n": 1}), TypeError, "argument 'pairs'.*dtype int32"),
    (lambda: signed([[1.0, 2.0]], {"n": 1.5}), TypeError, r"argument \"counts\['n'\]\".*1\.5"),
    (lambda: signed([[1.0, 2.0]], {"k": 1}), TypeError, "argument 'counts': expected a dict"),
    (lambda: signed([[1.0, 2.0]], 1), TypeError, "argument 'counts': expected a dict"),
    (lambda: signed([[1.0, 2.0]]), TypeError, "missing argument 'counts'"),
    (lambda: signed([[1.0, 2.0]], {"n": 1}, 3), TypeError, "too many positional"),
    (lambda: signed([[1.0, 2.0]], counter=1), TypeError, "unexpected keyword argument 'counter'"),
    (lambda: signed(object(), {"n": 1}), TypeError, "argument 'pairs'.*object"),
    (lambda: rt.function(len, input_signature=3), TypeError, "must be a list or tuple"),
    (
        lambda: rt.function(late, input_signature=[3]),
        TypeError,
        "input_signature has 3, which is not a TensorSpec",
    ),
    (lambda: rt.function(lambda x: x)(), TypeError, "missing a required argument: 'x'"),
    (lambda: rt.function(lambda x: x)(X, y=1), TypeError, "unexpected keyword argument 'y'"),
    (
        lambda: rt.function(lambda x: object())(X),
        TypeError,
        "result of <lambda> is <object object.*returns tensors",
    ),
    (lambda: rt.function(awaiting)(X), TypeError, "result of awaiting is a coroutine, which only"),
    (
        lambda: rt.function(lambda x: deque([1, 2]))(X),
        TypeError,
        "result of <lambda> is a deque: a function returns tensors",
    ),
    (
        lambda: rt.function(late_and_object)(X),
        TypeError,
        rf"{__file__}:57:5: the result of late_and_object\['a'\]\[1\] is <object",
    ),
    (
        lambda: rt.function(contextmanager(late_and_object))(X),
        TypeError,
        rf"{__file__}:57:5: the result of late_and_object is <contextlib",
    ),
    (
        lambda: rt.function(Made)(X),
        TypeError,
        rf"{__file__}:\d+:5: the result of Made is <.*Made object",
    ),
    (
        lambda: rt.function(functools.partial(Made))(X),
        TypeError,
        rf"{__file__}:\d+:5: the result of .* is <.*Made object",
    ),
    (lambda: kept[0]() + 1.0, errors.InaccessibleTensorError, __file__),
    (lambda: rt.function(late)(X), errors.InaccessibleTensorError, "body of graph 'keeping'"),
    (lambda: kept[0]().numpy(), errors.InaccessibleTensorError, "of graph 'keeping'"),
    (lambda: float(kept[0]()), errors.InaccessibleTensorError, "of graph 'keeping'"),
    (
        lambda: doubling(rt.constant([1.0])),
        RecursionError,
        rf"{__file__}:\d+:\d+: doubling calls itself with an argument of another dtype, shape",
    ),
    (lambda: deepening(X), RecursionError, "deepening calls itself too deep"),
    (lambda: asking(X), ValueError, "asked for while it is traced"),
    (lambda: keeping(COUNT), TypeError, r"keeping\(\): argument 'x' is TensorSpec.*get_concrete_f"),
    (lambda: keeping(x=[COUNT]), TypeError, r"argument 'x\[0\]' is TensorSpec"),
    (lambda: signed(PAIRS, {"n": 1}), TypeError, "argument 'pairs' is TensorSpec"),
    (lambda: signed([[1.0, 2.0]], counts={"n": COUNT}), TypeError, r"\"counts\['n'\]\" is TensorS"),
    (lambda: keeping.get_concrete_function(X)(SCALAR), TypeError, "argument 'x' is TensorSpec"),
    (lambda: keeping.get_concrete_function(X)(x=SCALAR), TypeError, "argument 'x' is TensorSpec"),
    (lambda: keeping(within_itself), ValueError, r"argument 'x' contains itself, at x\[1\]\['a'\]"),
    (lambda: keeping(x=within_itself), ValueError, "argument 'x' contains itself"),
    (lambda: keeping.get_concrete_function(within_itself), ValueError, "'x' contains itself"),
    (lambda: keeping.get_concrete_function(X)(within_itself), (TypeError, ValueError), "'x'"),
    (lambda: rt.function(lambda x: x.shape).get_concrete_function(PAIRS), ValueError, "result of"),
    (lambda: rt.function(making)(X), ValueError, "making creates a variable each time that it is"),
    (lambda: rt.function(making_in_loop)(X), ValueError, "a loop would not make one for each roun"),
    (
        lambda: rt.function(appending)(X, Seen(X)),
        ValueError,
        rf"{__file__}:{appending.__code__.co_firstlineno}:1: seen.x is changed .* is an argument",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), CALLS)
def test_refused(call: Callable[[], Any], kind: Kind, message: str) -> None:
    kept.clear()
    keeping.get_concrete_function(X)
    rt.function(keeping.python_function)(X)
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("value", [{1, 2}, bytearray(b"x"), [1, {2}], object(), lambda: 1])
def test_arguments_need_not_be_hashable(value: Any) -> None:
    """They are compared by identity; containers that the library knows by what is in them."""
    staged = rt.function(lambda x, value: x + 1.0)
    assert [staged(X, value).numpy() for _ in range(2)] == [2.0, 2.0]
    assert staged.experimental_get_tracing_count() == 1


def test_what_was_traced_with_does_not_stay() -> None:
    class Argument:
        pass

    argument = Argument()
    staged = rt.function(lambda x, value: x + 1.0)
    staged(X, argument)
    gone = weakref.ref(argument)
    del argument
    assert gone() is None
    assert "an object of class Argument" in staged.why_retraced()


def test_parts_that_are_there_twice_are_no_cycle() -> None:
    part = [X]
    staged = rt.function(lambda x: x[0][0] + x[1][0])
    assert staged([part, part]).numpy() == 2.0


def test_a_shape_is_returned_as_a_tensor() -> None:
    result = rt.function(lambda x: {"shape": x.shape})(rt.ones([2, 3]))["shape"]
    assert result.dtype is rt.int32
    assert result.numpy().tolist() == [2, 3]
