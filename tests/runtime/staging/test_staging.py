"""Staged programs compute what Python computes, or fail as it fails."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from runtime.core.convert import constant
from runtime.core.tensor import Tensor
from runtime.functions.function import function
from runtime.ops import concat, zeros
from tests.runtime.staging.staged_programs import PROGRAMS


def as_python(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.numpy().tolist()
    if isinstance(value, list | tuple):
        return [as_python(item) for item in value]
    return value


def outcome(run: Callable[..., Any], args: Any) -> Any:
    try:
        return as_python(run(*args))
    except Exception as error:
        return error


def plain(args: tuple[Any, ...]) -> list[Any]:
    return copy.deepcopy(list(args))


def tensors(args: tuple[Any, ...]) -> list[Any]:
    return [constant(np.asarray(item)) for item in args]


CASES = [
    pytest.param(program, args, id=f"{program.__name__}{args}")
    for program, *inputs in PROGRAMS
    for args in inputs
]


def assert_same(expected: Any, got: Any) -> None:
    if isinstance(expected, Exception):
        assert isinstance(got, type(expected)), got
        assert str(expected) in str(got)
        return
    if isinstance(got, Exception):
        raise got
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(expected, float), rtol=1e-5)


@pytest.mark.parametrize(("program", "args"), CASES)
def test_staged_equals_python(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert_same(outcome(program, plain(args)), outcome(function(program), tensors(args)))


@pytest.mark.parametrize("program", [row[0] for row in PROGRAMS], ids=lambda p: p.__name__)
def test_one_trace_serves_all_arguments(program: Callable[..., Any]) -> None:
    inputs = next(row[1:] for row in PROGRAMS if row[0] is program)
    staged = function(program)
    for args in inputs:
        outcome(staged, tensors(args))
        assert_same(outcome(program, plain(args)), outcome(staged, tensors(args)))
    shapes = {tuple(np.asarray(x).shape for x in args) for args in inputs}
    dtypes = {tuple(np.asarray(x).dtype for x in args) for args in inputs}
    assert staged.experimental_get_tracing_count() == max(len(shapes), len(dtypes))


def never_of_one_shape(x):
    z, n = zeros([1]), 0
    while n < x:
        z = concat([z, z], 0)
        if z.shape[0] is None:
            raise ValueError("unknown size")
        n += 1
    return n


def test_a_loop_whose_rounds_share_no_types_is_refused() -> None:
    with pytest.raises(
        StagingError, match=r"round of the loop over z, n raises ValueError"
    ) as caught:
        function(never_of_one_shape)(constant(3))
    assert caught.value.lineno == never_of_one_shape.__code__.co_firstlineno + 5


def found_or_doubled(x: Any) -> Any:
    """Returns out of a loop that the run decides on."""
    for _ in rt.range(3):
        if x > 5.0:
            return x
        x = x * 2.0
    return x


def both(x: Any) -> Any:
    """The same, with a pair."""
    while x < 9.0:
        x = x + 2.0
        if x > 5.0:
            return x, x + 1.0
    return x, -x


def negated(x: Any) -> Any:
    """Returns out of a loop, before more that changes what is returned."""
    y = x
    if x < 6.0:
        for _ in range(2):
            x = x + 1.0
            if x > 2.5:
                return x
    y = y - x
    if y < 0.0:
        return -y
    return y


def seldom(x: Any, seldom: bool) -> Any:
    """Returns out of a loop on a path that this call does not take."""
    for _ in rt.range(3):
        if not seldom:
            x = x * 1.5
        elif x > 3.0:
            return x
    if x > 9.0:
        return x
    return x + 1.0


def slope(x: Any) -> Any:
    """A tape that the returned value is differentiated on."""
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = found_or_doubled(x)
    return tape.gradient(y, x)


RETURNED: dict[str, Callable[[Any], Any]] = {
    "slope": slope,
    "stack": lambda x: rt.stack([found_or_doubled(x), x]),
    "identity": lambda x: rt.identity(found_or_doubled(x)),
    "more": lambda x: rt.identity(negated(x)),
    "seldom": lambda x: rt.identity(seldom(x, False)),
    "map_fn": lambda x: rt.map_fn(found_or_doubled, rt.stack([x, x])),
    "write": lambda x: rt.TensorArray(rt.float32, 1).write(0, found_or_doubled(x)).stack(),
    "is_tensor": lambda x: rt.constant(rt.is_tensor(found_or_doubled(x))),
    "flatten": lambda x: rt.stack(rt.nest.flatten(both(x))),
    "while_loop": lambda x: rt.while_loop(lambda y: y < 9, lambda y: y + 3, [found_or_doubled(x)]),
}


@pytest.mark.parametrize("use", RETURNED)
@pytest.mark.parametrize("start", [0.5, 2.0, 7.0])
def test_what_a_loop_returns_is_a_tensor(use: str, start: float) -> None:
    program = RETURNED[use]
    staged = rt.nest.flatten(rt.function(program)(rt.constant(start)))
    eager = rt.nest.flatten(program(rt.constant(start)))
    assert [x.numpy().tolist() for x in staged] == [x.numpy().tolist() for x in eager]


def test_dtypes_that_do_not_join_are_a_staging_error_and_a_type_error() -> None:
    def mixed(x: Any) -> Any:
        return rt.constant(1) if x > 0.0 else rt.constant(1.0)

    with pytest.raises(TypeError, match="int32 on one path and float32") as caught:
        rt.function(mixed)(rt.constant(1.0))
    assert isinstance(caught.value, StagingError)
    assert caught.value.filename == __file__
    assert "tf.cast" in str(caught.value.hint)
