"""TensorArray: each program eagerly and in a graph, against what NumPy says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

ROWS = np.arange(6.0, dtype=np.float32).reshape(3, 2)


def written(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i in range(3):
        array = array.write(i, x[i] * 2.0)
    return array.stack(), array.size(), array.read(1)


def grown(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for row in x:
        array = array.write(array.size(), row)
    return array.stack(), array.size()


def with_gaps(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 2, dynamic_size=True, element_shape=[2])
    array = array.write(3, x[1])
    return array.stack(), array.read(0)


def in_branches(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        array = array.write(i, -x[i])
        if x[i, 0] > 1.0:
            array = array.write(i, x[i])
    return array.stack()


def unless_it_raises(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 1)
    if x[0, 0] < 1.0:
        array = array.write(0, x[0])
    else:
        raise ValueError("too large")
    return array.stack()


def until_break(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(3):
        if x[i, 0] > 2.0:
            break
        array = array.write(i, x[i])
    return array.stack()


def several(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 4).scatter([3, 1], x[:2]).write(0, x[2])
    return array.gather([1, 3, 0]), array.identity().read(3)


def pieces(x: Any) -> Any:
    flat = tf.reshape(x, [-1])
    array = tf.TensorArray(tf.float32, 3, infer_shape=False).split(flat, [1, 2, 3])
    return array.read(2), array.write(0, flat[:2]).concat()


def of_booleans(x: Any) -> Any:
    array = tf.TensorArray(tf.bool, 3)
    for i in tf.range(3):
        array = array.write(i, x[i, 0] > 1.0)
    return array.stack()


ZERO = np.zeros(2, np.float32)
FLAT = ROWS.reshape(-1)
PROGRAMS: list[tuple[Callable[[Any], Any], Any]] = [
    (written, (ROWS * 2, 3, ROWS[1] * 2)),
    (grown, (ROWS, 3)),
    (with_gaps, (np.stack([ZERO, ZERO, ZERO, ROWS[1]]), ZERO)),
    (in_branches, np.where(ROWS[:, :1] > 1.0, ROWS, -ROWS)),
    (unless_it_raises, ROWS[:1]),
    (until_break, ROWS[:2]),
    (several, (ROWS[[1, 0, 2]], ROWS[0])),
    (pieces, (FLAT[3:], np.concatenate([FLAT[:2], FLAT[1:]]))),
    (of_booleans, ROWS[:, 0] > 1.0),
]


@pytest.mark.parametrize(("program", "expected"), PROGRAMS, ids=[p.__name__ for p, _ in PROGRAMS])
@pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_programs(program: Any, expected: Any, make: Any) -> None:
    found = make(program)(tf.constant(ROWS))
    pairs = zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True)
    for result, wanted in pairs:
        np.testing.assert_array_equal(result.numpy(), wanted)


def test_the_first_write_tells_the_shape() -> None:
    @tf.function
    def stacked(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(3):
            array = array.write(i, x[i])
        rows = array.stack()
        assert rows.shape.as_list() == [None, 2]
        assert array.element_shape.as_list() == [2]
        return rows

    np.testing.assert_array_equal(stacked(tf.constant(ROWS)).numpy(), ROWS)


REFUSED: list[tuple[Callable[[], Any], Any, str]] = [
    (lambda: tf.TensorArray(tf.float32, 2).write(2, 1.0).stack(), tf.errors.OpError, "resizeable"),
    (lambda: tf.TensorArray(tf.float32, 2).write(-1, 1.0).stack(), tf.errors.OpError, "resizeable"),
    (lambda: tf.TensorArray(tf.float32, 2).read(2), tf.errors.OpError, "out of range"),
    (lambda: tf.TensorArray(tf.float32, 2).read(0), tf.errors.OpError, "not written"),
    (
        lambda: tf.TensorArray(tf.float32, 2).write(0, tf.constant(1)),
        TypeError,
        "TensorArray of float32 was given a tensor of int32",
    ),
    (
        lambda: tf.TensorArray(tf.float32, 2, element_shape=[2]).write(0, 1.0),
        ValueError,
        "infer_shape=False",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
@pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_refused(call: Any, error: Any, message: str, make: Any) -> None:
    with pytest.raises(error, match=message):
        make(call)()


# Arrays as arguments and results of functions


def unstacked(rows: Any = ROWS) -> Any:
    return tf.TensorArray(tf.float32, len(rows)).unstack(tf.constant(rows))


def overwritten(array: Any, x: Any) -> Any:
    return array.write(1, x * 2.0)


def in_a_dict(held: Any, x: Any) -> Any:
    held = {**held, "array": held["array"].write(0, x)}
    return held["array"], [held["more"], held["array"].size()]


def chosen(array: Any, x: Any) -> Any:
    if x[0] > 1.0:
        array = array.write(0, x)
    return array


def chosen_by_hand(array: Any, x: Any) -> Any:
    return tf.cond(x[0] > 1.0, lambda: array.write(0, x), lambda: array)


def looped(array: Any, x: Any) -> Any:
    for i in tf.range(array.size()):
        array = array.write(i, array.read(i) * x)
    return array, x


def looped_by_hand(array: Any, x: Any) -> Any:
    state = {"i": 0, "held": (array, x)}
    found = tf.while_loop(
        lambda s: s["i"] < s["held"][0].size(),
        lambda s: {
            "i": s["i"] + 1,
            "held": (s["held"][0].write(s["i"], s["held"][0].read(s["i"]) + x), x),
        },
        state,
    )
    return found["held"]


def through_a_function(array: Any, x: Any) -> Any:
    inner = tf.function(overwritten)
    return inner(inner(array, x), x + 1.0)


def recursively(array: Any, x: Any, n: Any = 2) -> Any:
    n = tf.convert_to_tensor(n)
    return _down(array, x, n)


def _down(array: Any, x: Any, n: Any) -> Any:
    if n < 0:
        return array
    return _down(array.write(n, x * tf.cast(n, tf.float32)), x, n - 1)


def made_in_a_branch(array: Any, x: Any) -> Any:
    if x[0] > 1.0:  # noqa: SIM108
        made = tf.TensorArray(tf.float32, 3)
    else:
        made = array
    return made.write(2, x)


ROW = np.array([2.0, -1.0], np.float32)
GIVEN: list[tuple[Any, Any]] = [
    (overwritten, unstacked),
    (in_a_dict, lambda: {"array": unstacked(), "more": tf.constant(1.0)}),
    (chosen, unstacked),
    (chosen_by_hand, unstacked),
    (looped, unstacked),
    (looped_by_hand, unstacked),
    (through_a_function, unstacked),
    (recursively, unstacked),
    (made_in_a_branch, unstacked),
]


def stacked(found: Any) -> list[Any]:
    leaves = tf.nest.flatten(found)
    return [x.stack() if isinstance(x, tf.TensorArray) else x for x in leaves]


@pytest.mark.parametrize(("program", "make"), GIVEN, ids=[p.__name__ for p, _ in GIVEN])
@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_given_and_returned(program: Any, make: Any, factor: float) -> None:
    staged = tf.function(program)
    x = tf.constant(ROW * factor)
    for rows in (ROWS, ROWS + 1.0, ROWS[[2, 1, 0, 1]]):
        given = make() if rows is ROWS or program is in_a_dict else unstacked(rows)
        expected, got = stacked(program(make_again(given), x)), stacked(staged(given, x))
        for wanted, result in zip(expected, got, strict=True):
            np.testing.assert_array_equal(result.numpy(), wanted.numpy())
    assert staged.experimental_get_tracing_count() == 1


def make_again(given: Any) -> Any:
    """A copy: eagerly `write` changes the array itself."""
    return tf.nest.map_structure(
        lambda x: x.identity() if isinstance(x, tf.TensorArray) else x, given
    )


@pytest.mark.parametrize("program", [p for p, _ in GIVEN if p is not in_a_dict])
def test_gradients_go_through_arrays(program: Any) -> None:
    found = []
    for called in (program, tf.function(program)):
        x, rows = tf.constant(ROW), tf.constant(ROWS)
        with tf.GradientTape() as outer:
            outer.watch((x, rows))
            with tf.GradientTape() as tape:
                tape.watch((x, rows))
                array = tf.TensorArray(tf.float32, 3).unstack(rows)
                result = stacked(called(array, x))[0]
                y = tf.reduce_sum(result**3)
            first = tape.gradient(y, (x, rows), unconnected_gradients="zero")
            z = tf.reduce_sum(first[0] ** 2) + tf.reduce_sum(first[1] ** 2)
        second = outer.gradient(z, (x, rows), unconnected_gradients="zero")
        found.append([g.numpy() for g in (*first, *second)])
    for wanted, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_an_argument_stays_as_it_is() -> None:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    staged = tf.function(lambda a, x: a.write(2, x))
    first = staged(array, tf.constant([1.0, 2.0]))
    assert (array.size(), array.element_shape.rank, first.size()) == (0, None, 3)
    second = staged(array, tf.constant([1.0]))
    assert second.write(3, [5.0]).size() == 4
    assert [first.element_shape, second.element_shape] == [(2,), (1,)]


def test_arrays_of_a_concrete_function() -> None:
    staged = tf.function(lambda a: (a.write(0, [5.0, 6.0]), a.size()))
    concrete = staged.get_concrete_function(unstacked())
    assert str(concrete.graph.signature).endswith(
        "(a_elements: list[float32[2]]) -> (list[float32[2]], int32[])"
    )
    kind, count = concrete.structured_outputs
    assert (kind.dtype, count) == (tf.float32, tf.TensorSpec([], tf.int32))
    assert concrete(unstacked())[0].read(0).numpy().tolist() == [5.0, 6.0]
    reread = tf.function(lambda a: a.size())
    reread(unstacked())
    reread(tf.TensorArray(tf.int32, 2))
    reread(tf.TensorArray(tf.float32, 2, element_shape=[3]))
    assert reread.why_retraced().splitlines()[1:] == [
        "2: argument a is a TensorArray of int32, it was a TensorArray of float32",
        "3: argument a.elements is list[float32[3]], it was list[float32[2]]",
    ]


def test_items_of_several_shapes_are_returned() -> None:
    def uneven(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3, infer_shape=False)
        return array.write(0, x[0]).write(2, x[1:])

    x = tf.constant(ROWS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        array = tf.function(uneven)(x)
        y = tf.reduce_sum(array.read(2) ** 2) + tf.reduce_sum(array.read(0))
    assert array.read(2).shape == [2, 2]
    wanted = np.concatenate([np.ones((1, 2)), 2 * ROWS[1:]])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), wanted)


def test_an_array_from_outside_is_refused() -> None:
    array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    inner = tf.function(lambda a: a.read(0))
    for wrong in (lambda: array.read(0), lambda: array, lambda: inner(array)):
        with pytest.raises(tf.errors.InaccessibleTensorError, match="made outside"):
            tf.function(wrong)()
