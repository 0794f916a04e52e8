"""Averages of variables: the numbers and names that TensorFlow 2.21 gives for the same calls."""

from typing import Any

import numpy as np
import pytest

import runtime as rt

v1 = rt.compat.v1
Average = rt.train.ExponentialMovingAverage


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[1.0, 2.0], [1.1, 2.3], [1.29, 2.87]]),
        ({"zero_debias": True}, [[1.0, 2.0], [1.1, 2.3], [1.29, 2.87]]),
        ({"num_updates": 3}, [[1.0, 2.0], [1.692307710, 4.076923370], [2.597633123, 6.792899608]]),
    ],
)
def test_averages_follow_the_variable(options: Any, expected: Any) -> None:
    variable = rt.Variable([1.0, 2.0], name="v")
    ema = Average(0.9, **options)
    for row in expected:
        assert ema.apply([variable]) is None
        average = ema.average(variable)
        assert average is not None
        assert not average.trainable
        np.testing.assert_allclose(average.numpy(), row, rtol=1e-6)
        variable.assign_add([1.0, 3.0])
    assert ema.average_name(variable) == "v/ExponentialMovingAverage"


def test_a_variable_that_is_given_twice_is_averaged_twice() -> None:
    variable = rt.Variable(1.0, dtype=rt.float64)
    ema = Average(0.9)
    ema.apply([variable, variable])
    variable.assign(3.0)
    ema.apply([variable])
    # 1 - decay is a float32, as in TensorFlow.
    assert ema.average(variable).numpy() == 1.2000000476837158  # type: ignore[union-attr]


def test_averages_are_made_where_a_function_is_traced() -> None:
    variable = rt.Variable(1.0)
    ema = Average(0.5)

    @rt.function
    def step() -> Any:
        ema.apply([variable])
        variable.assign_add(1.0)
        return ema.average(variable)

    assert [float(step()) for _ in range(4)] == [1.0, 1.5, 2.25, 3.125]
    assert step.experimental_get_tracing_count() == 1


def test_an_operation_moves_them_in_a_session() -> None:
    with rt.Graph().as_default():
        variable = v1.get_variable("q", initializer=[1.0, 2.0])
        other = v1.get_variable("u", initializer=1.0, trainable=False)
        ema = Average(0.9, num_updates=other)
        move = ema.apply()
        assert ema.average(other) is None
        assert sorted(ema.variables_to_restore()) == ["q/ExponentialMovingAverage", "u"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            seen = []
            for _ in range(3):
                seen.append(session.run(ema.average(variable)).tolist())
                session.run(move)
                session.run(variable.assign_add([1.0, 1.0]))
    np.testing.assert_allclose(seen, [[1, 2], [1, 2], [1.8181818, 2.8181818]], rtol=1e-6)
    assert v1.train.ExponentialMovingAverage is Average


def test_what_has_no_average_is_refused() -> None:
    ema = Average(0.9)
    with pytest.raises(TypeError, match=r"half, float, or double: .* has int32"):
        ema.apply([rt.Variable(1)])
    with pytest.raises(TypeError, match=r"not of a EagerTensor: .*assign what"):
        ema.apply([rt.constant(1.0)])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="give the variables"):
        ema.apply()
