"""`debugging`: assertions that hold and that do not, eagerly and in graphs; checks of numbers."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import runtime as tf

debugging = tf.debugging
InvalidArgumentError = tf.errors.InvalidArgumentError
ONE, TWO = tf.constant([1.0, 2.0]), tf.constant([1.0, 3.0])

# assertion, arguments for which it holds, arguments for which it does not, what the message says
VALUES: list[tuple[Callable[..., Any], list[Any], list[Any], str]] = [
    (debugging.assert_equal, [[1, 2], [1, 2]], [[1, 2], [1, 3]], "x == y"),
    (debugging.assert_equal, [ONE, 1.0 * ONE], [ONE, 1.0], "x == y"),
    (debugging.assert_none_equal, [[1, 2], [3, 4]], [[1, 2], [3, 2]], "x != y"),
    (debugging.assert_less, [[1, 2], 3], [[1, 3], 3], "x < y"),
    (debugging.assert_less_equal, [[1, 3], 3], [[1, 4], 3], "x <= y"),
    (debugging.assert_greater, [[4, 5], 3], [[4, 3], 3], "x > y"),
    (debugging.assert_greater_equal, [[3, 4], 3], [[2, 4], 3], "x >= y"),
    (debugging.assert_near, [ONE, ONE + 1e-7], [ONE, TWO], "near"),
    (debugging.assert_negative, [[-1, -2]], [[-1, 0]], "x < 0"),
    (debugging.assert_positive, [[1.0, 2.0]], [[1.0, 0.0]], "x > 0"),
    (debugging.assert_non_negative, [[0, 1]], [[0, -1]], "x >= 0"),
    (debugging.assert_non_positive, [[0, -1]], [[0, 1]], "x <= 0"),
]
IDS = [f"{row[0].__name__}-{i}" for i, row in enumerate(VALUES)]


@pytest.mark.parametrize(("check", "good", "bad", "says"), VALUES, ids=IDS)
def test_assertions_of_values(check: Any, good: Any, bad: Any, says: str) -> None:
    assert check(*good) is None
    with pytest.raises(InvalidArgumentError) as caught:
        check(*bad, message="the reason")
    assert "the reason" in str(caught.value)
    assert says in str(caught.value)
    with pytest.raises(ValueError, match=r"hold|near"):
        check(*bad)


@pytest.mark.parametrize(("check", "good", "bad", "says"), VALUES, ids=IDS)
def test_assertions_of_values_in_graphs(check: Any, good: Any, bad: Any, says: str) -> None:
    @tf.function
    def run(*arguments: Any) -> Any:
        check(*arguments, message="the reason")
        return arguments[0]

    run(*map(tf.convert_to_tensor, good))
    with pytest.raises(InvalidArgumentError, match="the reason"):
        run(*map(tf.convert_to_tensor, bad))


def test_messages_show_the_values() -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        debugging.assert_equal(tf.range(10), 3)
    assert "[0 1 2 ... 7 8 9]" in str(caught.value)
    with pytest.raises(InvalidArgumentError) as caught:
        debugging.assert_equal(tf.range(10), 3, summarize=-1)
    assert "[0 1 2 3 4 5 6 7 8 9]" in str(caught.value)


def test_assert_near_takes_tolerances() -> None:
    debugging.assert_near(1.0, 1.1, atol=0.2)
    debugging.assert_near(100.0, 110.0, rtol=0.1)
    with pytest.raises(InvalidArgumentError):
        debugging.assert_near(100.0, 112.0, rtol=0.1)


def test_a_false_assertion_in_an_untaken_branch_is_no_error() -> None:
    @tf.function
    def run(x: Any) -> Any:
        if x > 0:
            debugging.assert_less(x, 10)
        return x

    assert run(tf.constant(-100)).numpy() == -100
    with pytest.raises(InvalidArgumentError):
        run(tf.constant(100))


def test_assert_with_data() -> None:
    tf.Assert(True, ["unused"])
    tf.debugging.Assert(tf.constant([True, True]), [])
    with pytest.raises(InvalidArgumentError) as caught:
        tf.Assert(tf.constant([True, False]), ["x is", tf.range(10)], summarize=2)
    assert "x is\n[0 1 ... 8 9]" in str(caught.value)


def of_a_text_of_the_run(n: Any, k: Any) -> Any:
    debugging.assert_equal(n, k, message=f"step {int(n)}é")
    debugging.assert_positive(n - 1, message=["low", "high"][int(k) - 1])
    tf.Assert(n < 2, [str(int(k)), n, "n"])
    return n


@pytest.mark.parametrize("given", [(1, 2), (1, 1), (2, 2), (3, 2)])
def test_messages_of_values_of_the_run(given: tuple[int, int]) -> None:
    n, k = map(tf.constant, given)
    with pytest.raises(InvalidArgumentError) as expected:
        of_a_text_of_the_run(n, k)
    staged = tf.function(of_a_text_of_the_run)
    for _ in range(3):
        with pytest.raises(InvalidArgumentError) as caught:
            staged(n, k)
        assert caught.value.detail == expected.value.detail


# Types, ranks, shapes

STATIC: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: debugging.assert_type(ONE, tf.int32), TypeError, "int32.*float32"),
    (lambda: debugging.assert_integer(ONE), TypeError, "float32"),
    (lambda: debugging.assert_proper_iterable("ab"), TypeError, "str"),
    (lambda: debugging.assert_proper_iterable(ONE), TypeError, "EagerTensor"),
    (lambda: debugging.assert_same_float_dtype([ONE, tf.constant(1)]), ValueError, "int32"),
    (lambda: debugging.assert_same_float_dtype([], tf.int32), ValueError, "floating"),
    (lambda: debugging.assert_scalar(ONE), InvalidArgumentError, r"\(2,\)"),
    (lambda: debugging.assert_rank(ONE, 2), InvalidArgumentError, "2, but it is 1"),
    (lambda: debugging.assert_rank(ONE, 2, message="why"), InvalidArgumentError, "why"),
    (lambda: debugging.assert_rank_at_least(ONE, 2), InvalidArgumentError, "at least 2"),
    (lambda: debugging.assert_rank_in(ONE, [0, 2]), InvalidArgumentError, "0 or 2"),
    (lambda: debugging.assert_rank(ONE, 1.5), ValueError, "made of integers"),
]


@pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize(("call", "error", "says"), STATIC)
def test_wrong_types_and_ranks(call: Any, error: Any, says: str, make: Any) -> None:
    with pytest.raises(error, match=says):
        make(lambda: call() and None)()


def test_right_types_and_ranks() -> None:
    debugging.assert_type(ONE, "float32")
    debugging.assert_integer(tf.constant([1], tf.uint8))
    debugging.assert_proper_iterable([ONE])
    assert debugging.assert_same_float_dtype([ONE, TWO]) is tf.float32
    assert debugging.assert_same_float_dtype() is tf.float32
    assert debugging.assert_same_float_dtype(dtype=tf.float64) is tf.float64
    debugging.assert_scalar(3)
    debugging.assert_rank(ONE, 1)
    debugging.assert_rank_at_least(ONE, 0)
    debugging.assert_rank_in(ONE, (0, 1))
    assert debugging.is_numeric_tensor(ONE)
    assert not debugging.is_numeric_tensor(tf.constant("a"))
    assert not debugging.is_numeric_tensor(1.0)


def zeros(*shape: int) -> Any:
    return tf.zeros(shape)


SHAPES: list[tuple[list[Any], bool]] = [
    ([(zeros(2, 3), ("N", "D")), (zeros(2), ("N",))], True),
    ([(zeros(2, 3), ("N", "D")), (zeros(3), ("N",))], False),
    ([(zeros(2, 3), "ND"), (zeros(3, 2), "DN")], True),
    ([(zeros(2, 3), (2, None))], True),
    ([(zeros(2, 3), (2, 4))], False),
    ([(zeros(2, 3), (2,))], False),
    ([(zeros(4, 2, 3), (..., "N", 3)), (zeros(2), "N")], True),
    ([(zeros(4, 2, 3), (..., 2))], False),
    ([(zeros(4, 2, 3), ("N", "*")), (zeros(4), "N")], True),
    ([(zeros(4, 2), ("N", "N"))], False),
    ([(zeros(), ())], True),
    ([(zeros(3, 3), ("N", "."))], True),
    ([(zeros(), ("...",)), (zeros(5), ("...",))], True),
]


@pytest.mark.parametrize(("pairs", "holds"), SHAPES)
def test_assert_shapes(pairs: Any, holds: bool) -> None:
    if holds:
        debugging.assert_shapes(pairs)
        return
    with pytest.raises(ValueError, match="must be"):
        debugging.assert_shapes(pairs, message="m")


def test_assert_shapes_that_only_the_run_knows() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
    def run(x: Any, y: Any) -> Any:
        debugging.assert_shapes([(x, ("N", 2)), (y, ("N",))])
        return x

    run(zeros(3, 2), zeros(3))
    with pytest.raises(InvalidArgumentError, match="'N'"):
        run(zeros(3, 2), zeros(4))


def test_a_rank_that_only_the_run_knows() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def run(x: Any) -> Any:
        debugging.assert_rank_in(x, [1, 2])
        return x

    run(zeros(3))
    with pytest.raises(InvalidArgumentError, match="1 or 2"):
        run(zeros())


# Numbers


@pytest.fixture
def _checking() -> Iterator[None]:
    debugging.enable_check_numerics()
    yield
    debugging.disable_check_numerics()


def test_check_numerics() -> None:
    assert debugging.check_numerics(ONE, "fine").numpy().tolist() == [1.0, 2.0]
    bad = tf.constant([1.0, np.nan, np.inf, -np.inf])
    for check in (debugging.check_numerics, debugging.assert_all_finite):
        with pytest.raises(InvalidArgumentError, match=r"broken.*1 NaN and 2 Inf"):
            check(bad, "broken")
    with pytest.raises(InvalidArgumentError, match="dtype int32"):
        debugging.check_numerics(tf.constant(1), "integers")


def test_check_numerics_in_a_graph_and_its_gradient() -> None:
    @tf.function
    def quotient(x: Any) -> Any:
        return debugging.check_numerics(1.0 / x, "quotient") * 2.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = quotient(x)
    assert tape.gradient(y, x).numpy() == -0.5
    with pytest.raises(InvalidArgumentError, match="quotient"):
        quotient(tf.constant(0.0))


def here() -> int:
    import inspect

    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


@pytest.mark.usefixtures("_checking")
def test_enable_check_numerics_names_op_line_and_inputs() -> None:
    x, line = tf.constant([1.0, 0.0]), here() + 2
    with pytest.raises(InvalidArgumentError) as caught:
        _ = x / tf.constant([1.0, 0.0])
    message = str(caught.value)
    assert "RealDiv" in message
    assert "1 NaN among 2 elements" in message
    assert "input 0: float32[2] [1 0]" in message
    assert f"{__file__}:{line}:" in message


@pytest.mark.usefixtures("_checking")
def test_enable_check_numerics_in_a_graph() -> None:
    line = here() + 4

    @tf.function
    def power(x: Any) -> Any:
        return x * x

    assert power(tf.constant(2.0)).numpy() == 4.0
    with pytest.raises(InvalidArgumentError) as caught:
        power(tf.constant(1e30))
    assert "Mul" in str(caught.value)
    assert f"{__file__}:{line}:" in str(caught.value)


def test_enabling_inside_a_function() -> None:
    @tf.function
    def power(x: Any) -> Any:
        debugging.enable_check_numerics()
        return x * x

    try:
        assert power(tf.constant(2.0)).numpy() == 4.0
        with pytest.raises(InvalidArgumentError, match="Inf"):
            power(tf.constant(1e30))
    finally:
        debugging.disable_check_numerics()
    assert power(tf.constant(1e30)).numpy() == np.inf
    debugging.disable_check_numerics()


@pytest.mark.usefixtures("_checking")
def test_enable_check_numerics_checks_gradients() -> None:
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    with pytest.raises(InvalidArgumentError, match="RealDiv"):
        tape.gradient(y, x)


def test_disable_check_numerics() -> None:
    debugging.enable_check_numerics()
    debugging.disable_check_numerics()
    assert np.isnan((tf.constant(0.0) / 0.0).numpy())
    debugging.disable_check_numerics()


def test_the_time_is_that_of_each_call() -> None:
    now = tf.function(lambda: tf.timestamp())
    before = time.time()
    found = [float(now()), float(tf.timestamp()), float(now())]
    assert before <= found[0] <= found[1] <= found[2] <= time.time()
    assert now().dtype is tf.float64


def test_inside_function() -> None:
    seen: list[bool] = []
    tf.function(lambda x: seen.append(tf.inside_function()) or x)(tf.constant(1.0))
    assert [*seen, tf.inside_function()] == [True, False]


def test_nothing_to_do() -> None:
    with tf.control_dependencies([tf.no_op(), tf.group(tf.constant(1.0))]):
        tf.assert_equal(tf.constant(1), 1)


def test_all_frames_are_shown_on_request() -> None:
    # In a process of its own, for the doctests ask it of this one.
    code = (
        "import runtime as tf, traceback\n"
        "def frames():\n"
        "    try:\n"
        "        tf.function(lambda x: x, input_signature=[tf.TensorSpec([2])])(tf.ones([3]))\n"
        "    except TypeError as error:\n"
        "        return len(traceback.extract_tb(error.__traceback__))\n"
        "few = frames()\n"
        "tf.debugging.disable_traceback_filtering()\n"
        "assert not tf.debugging.is_traceback_filtering_enabled() and frames() > few\n"
        "tf.debugging.enable_traceback_filtering()\n"
        "assert tf.debugging.is_traceback_filtering_enabled() and frames() == few\n"
    )
    environment = {**os.environ, "AUTOGRAPH_FULL_TRACEBACK": ""}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
