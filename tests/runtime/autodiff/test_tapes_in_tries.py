"""Tapes whose block ends in a `try`, behind something that may fail there: they know what they know
eagerly.
"""

# The programs are written as users write them.
# ruff: noqa: SIM105

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError

W, OTHER = rt.Variable(3.0), rt.Variable(0.5)
TABLE = rt.constant([1.0, 2.0, 4.0])
X = rt.constant


def raised_under_a_test(x):
    try:
        with rt.GradientTape() as tape:
            y = x * W
            if y > 10.0:
                raise ValueError("large")
            z = y * W
    except ValueError:
        return -x
    return tape.gradient(z, W)


def raised_by_an_op(x):
    try:
        with rt.GradientTape() as tape:
            y = rt.gather(TABLE, rt.cast(x, rt.int32)) * W
            z = y * x * W
    except IndexError:
        return -x
    return tape.gradient(z, W)


def with_finally(x):
    seen = 0.0
    try:
        with rt.GradientTape() as tape:
            y = x * W
            if y > 1e9:
                raise ValueError("large")
            z = y * W
    finally:
        seen = seen + 1.0
    return tape.gradient(z, W) + seen


def with_else(x):
    try:
        with rt.GradientTape() as tape:
            loss = loss_of(x)
    except ValueError:
        return X(-1.0)
    else:
        return tape.gradient(loss, W)


def loss_of(x):
    y = x * W
    if y > 10.0:
        raise ValueError("large")
    return y * y


def suppressed(x):
    y = x * 0.0
    with contextlib.suppress(ValueError), rt.GradientTape():
        y = x * W
        if y > 10.0:
            raise ValueError("large")
        y = y * W
    return y


def suppressed_and_asked(x):
    z = None
    with contextlib.suppress(ValueError), rt.GradientTape() as tape:
        y = x * W
        if y > 10.0:
            raise ValueError("large")
        z = y * W
    if z is None:
        return -x
    return tape.gradient(z, W)


def told_by_a_helper(x):
    def run():
        try:
            with rt.GradientTape() as tape:
                loss = loss_of(x)
        except ValueError:
            return None
        return loss, tape

    found = run()
    if found is None:
        return -x
    loss, tape = found
    return tape.gradient(loss, W)


def none_where_it_failed(x):
    try:
        with rt.GradientTape() as tape:
            loss = loss_of(x)
    except ValueError:
        loss = None
    if loss is None:
        return -x
    return tape.gradient(loss, W)


def persistent(x):
    try:
        with rt.GradientTape(persistent=True) as tape:
            y = loss_of(x)
            z = y * loss_of(x / 2.0)
    except ValueError:
        return -x, -x
    return tape.gradient(y, W), tape.gradient(z, W)


def second_derivative(x):
    try:
        with rt.GradientTape() as outer:
            with rt.GradientTape() as inner:
                y = loss_of(x) * W
            slope = inner.gradient(y, W)
    except ValueError:
        return -x
    return outer.gradient(slope, W)


def second_derivative_behind(x):
    with rt.GradientTape() as outer:
        try:
            with rt.GradientTape() as inner:
                y = loss_of(x) * W
        except ValueError:
            return -x
        slope = inner.gradient(y, W)
    return outer.gradient(slope, W)


def jacobian(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x) * rt.constant([1.0, 2.0])
    except ValueError:
        return rt.stack([x, x])
    return tape.jacobian(y, W)


def computed_behind_the_block(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
        z = y * 2.0
    except ValueError:
        return -x, -x
    return tape.gradient(y, W), tape.gradient(z, W, unconnected_gradients="zero")


def persistent_computed_behind_the_block(x):
    try:
        with rt.GradientTape(persistent=True) as tape:
            y = loss_of(x)
        z = y * 2.0
        z = loss_of(z / 100.0)
    except ValueError:
        return -x, -x
    return tape.gradient(y, W), tape.gradient(z, W, unconnected_gradients="zero")


def chosen_behind_the_block(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
            z = y * W
        if x > 1.0:
            y = z
    except ValueError:
        return -x
    return tape.gradient(y, W)


def kept_in_a_list(x):
    kept = []
    try:
        with rt.GradientTape() as tape:
            kept.append(loss_of(x))
            kept.append(loss_of(x / 3.0) * W)
    except ValueError:
        return -x
    return tape.gradient(kept, W)


def computed_and_chosen_behind_the_block(x):
    try:
        with rt.GradientTape(persistent=True) as tape:
            y = loss_of(x)
            z = y * W
        y = rt.sin(y) if x > 1.0 else y
        for _ in rt.range(rt.cast(x, rt.int32)):
            z = rt.sin(z)
        u = loss_of(x / 100.0)
        if x > 1.0:
            u = y
    except ValueError:
        return -x, -x, -x
    return [tape.gradient(each, W, unconnected_gradients="zero") for each in (y, z, u)]


def changed_and_chosen_behind_an_accumulator(x):
    try:
        with rt.autodiff.ForwardAccumulator(W, X(1.0)) as accumulator:
            y = loss_of(x)
        if x > 1.0:
            y = rt.sin(y)
    except ValueError:
        return -x
    return accumulator.jvp(y, unconnected_gradients="zero")


def asked_for_inner_gradients_behind_the_block(x):
    try:
        with rt.GradientTape() as outer, rt.GradientTape() as inner:
            y = loss_of(x)
            if x > 1.0:
                y = y * W
            z = y * W
        slope = inner.gradient(y, W)
    except ValueError:
        return -x, -x
    return outer.gradient(z, W), slope


def variables_of_the_block(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
        y = y * OTHER
    except ValueError:
        return -x, -x
    return rt.constant(float(len(tape.watched_variables()))), y


def several_that_may_fail(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
            y = y + loss_of(x / 2.0)
            y = y * rt.gather(TABLE, rt.cast(x, rt.int32))
            y = y * W
    except (ValueError, IndexError):
        return -x
    return tape.gradient(y, W)


def opened_behind_what_may_fail(x):
    try:
        start = loss_of(x)
        with rt.GradientTape() as tape:
            y = loss_of(x / 2.0) * start
        slope = tape.gradient(y, W)
    except ValueError:
        return -x
    return slope


def a_watched_tensor(x):
    try:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = loss_of(x)
    except ValueError:
        return -x
    return tape.gradient(y, x)


def in_a_loop(x):
    total = x * 0.0
    for i in rt.range(3):
        try:
            with rt.GradientTape() as tape:
                loss = loss_of(x * rt.cast(i, rt.float32))
        except ValueError:
            total = total - 1.0
            continue
        total = total + tape.gradient(loss, W)
    return total


def trained(x):
    rate = 0.01
    try:
        with rt.GradientTape() as tape:
            loss = loss_of(x)
    except ValueError:
        return W.read_value()
    W.assign_sub(rate * tape.gradient(loss, W))
    return W.read_value()


def forward(x):
    try:
        with rt.autodiff.ForwardAccumulator(x, X(1.0)) as accumulator:
            y = loss_of(x)
    except ValueError:
        return -x
    return accumulator.jvp(y)


def asked_in_the_try(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
        slope = tape.gradient(y, W)
    except ValueError:
        return -x
    return slope


def a_manager_of_its_own(x):
    @contextlib.contextmanager
    def forgiving():
        try:
            yield
        except ValueError:
            pass

    y = x
    with forgiving(), rt.GradientTape() as tape:
        y = x * W
        if y > 1e9:
            raise ValueError("large")
        y = y * W
    return tape.gradient(y, W)


def paused(x):
    try:
        with rt.GradientTape() as tape:
            y = x * W
            with tape.stop_recording():
                y = y + loss_of(x)
            z = y * W
    except ValueError:
        return -x
    return tape.gradient(z, W)


def for_what_the_block_left(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
            z = y * W
    except ValueError:
        return -x
    return tape.gradient(z, y)


def for_what_a_branch_left(x):
    with rt.GradientTape() as tape:
        y = x * W
        z = y * y
        if x > 1.0:
            y = x * W
            z = y * W
    return tape.gradient(z, y)


def for_what_a_loop_left(x):
    z = x
    with rt.GradientTape() as tape:
        y = x * W
        for _ in rt.range(3):
            y = y * W
            z = z + y
    return tape.gradient(z, y)


def for_what_is_used_behind_it(x):
    total = x
    with rt.GradientTape() as tape:
        y = x * W
        if x > 1.0:
            y = y * W
            total = total + 1.0
        z = y * y * total
    return tape.gradient(z, y)


def for_what_was_left_before_the_block(x):
    y = x * W
    z = y * y
    if x > 1.0:
        y = x * W
        z = y * W
    with rt.GradientTape() as tape:
        tape.watch(y)
        u = y * z
    return tape.gradient(u, y)


PROGRAMS = [
    for_what_is_used_behind_it,
    for_what_was_left_before_the_block,
    raised_under_a_test,
    raised_by_an_op,
    with_finally,
    with_else,
    suppressed,
    suppressed_and_asked,
    told_by_a_helper,
    none_where_it_failed,
    persistent,
    second_derivative,
    second_derivative_behind,
    jacobian,
    computed_behind_the_block,
    persistent_computed_behind_the_block,
    chosen_behind_the_block,
    computed_and_chosen_behind_the_block,
    changed_and_chosen_behind_an_accumulator,
    asked_for_inner_gradients_behind_the_block,
    variables_of_the_block,
    several_that_may_fail,
    opened_behind_what_may_fail,
    a_watched_tensor,
    trained,
    forward,
    asked_in_the_try,
    a_manager_of_its_own,
]


def watched_behind_what_may_fail(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
            tape.watch(x)
            z = y * x
    except ValueError:
        return -x
    return tape.gradient(z, x)


def reset_behind_what_may_fail(x):
    try:
        with rt.GradientTape() as tape:
            y = loss_of(x)
            tape.reset()
            z = y * W
    except ValueError:
        return -x
    return tape.gradient(z, W)


REFUSED = {
    watched_behind_what_may_fail: "tape.watch\\(\\) stands behind something that may fail",
    reset_behind_what_may_fail: "tape.reset\\(\\) stands behind something that may fail",
    kept_in_a_list: "a list of which Python knows the items",
    in_a_loop: "'tape' cannot be joined across the rounds of a loop",
    for_what_the_block_left: "gradient with respect to 'y' is asked for, and a staged branch",
    for_what_a_branch_left: "gradient with respect to 'y' is asked for, and a staged branch",
    for_what_a_loop_left: "gradient with respect to 'y' is asked for, and a staged loop",
    paused: "tape.stop_recording\\(\\) ends behind something that may fail",
}


def told(program: Callable[..., Any], value: float) -> Any:
    W.assign(3.0)
    try:
        return [np.asarray(each) for each in rt.nest.flatten(program(X(value)))]
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_like_eagerly(program: Callable[..., Any]) -> None:
    staged = rt.function(program)
    for value in (0.5, 2.0, 5.0, 1.25, 40.0):
        found, expected = told(staged, value), told(program, value)
        if isinstance(expected, str):
            assert found == expected
            continue
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(StagingError, match=REFUSED[program]) as caught:
        rt.function(program)(X(0.5))
    assert caught.value.filename == __file__
    assert caught.value.hint
