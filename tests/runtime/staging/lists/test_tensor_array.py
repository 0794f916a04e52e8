"""TensorArray: each program eagerly and in a graph, against what NumPy says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
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


def none_found(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
    pairs = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[None, 2])
    for row in x:
        if row[0] > 9.0:
            array = array.write(array.size(), row)
            pairs = pairs.write(pairs.size(), x)
    return array.stack(), pairs.concat()


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


class Holder:
    def __init__(self) -> None:
        self.array = tf.TensorArray(tf.float32, 3)


def in_an_attribute(x: Any) -> Any:
    holder = Holder()
    for i in tf.range(3):
        holder.array = holder.array.write(i, x[i])
    return holder.array.stack()


def in_containers(x: Any) -> Any:
    held = {"arrays": [tf.TensorArray(tf.float32, 3) for _ in range(2)], "n": 0}
    for i in tf.range(3):
        held["arrays"] = [array.write(i, x[i] * k) for k, array in enumerate(held["arrays"])]
        held["n"] += 1
    return [array.stack() for array in held["arrays"]], tf.constant(held["n"])


def sorted_in_place(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3).unstack(-x)
    for _ in tf.range(3):
        for j in tf.range(2):
            first, second = array.read(j), array.read(j + 1)
            if first[0] > second[0]:
                array = array.write(j, second).write(j + 1, first)
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
    (none_found, (ROWS[:0], ROWS[:0])),
    (several, (ROWS[[1, 0, 2]], ROWS[0])),
    (pieces, (FLAT[3:], np.concatenate([FLAT[:2], FLAT[1:]]))),
    (of_booleans, ROWS[:, 0] > 1.0),
    (in_an_attribute, ROWS),
    (in_containers, ([ROWS * 0, ROWS], 3)),
    (sorted_in_place, -ROWS[::-1]),
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
    (
        lambda: tf.TensorArray(tf.float32, 2).write(2, 1.0).stack(),
        tf.errors.InvalidArgumentError,
        "resizeable",
    ),
    (
        lambda: tf.TensorArray(tf.float32, 2).write(-1, 1.0).stack(),
        tf.errors.InvalidArgumentError,
        "resizeable",
    ),
    (lambda: tf.TensorArray(tf.float32, 2).read(2), tf.errors.InvalidArgumentError, "out of range"),
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
    (lambda: made(2).unstack([1.0, 2.0, 3.0]), ValueError, "3 elements do not fit .* of size 2"),
    (lambda: made(2).split([1.0, 2.0], [2]), ValueError, "1 elements do not fit .* of size 2"),
    (lambda: made(1).split([1.0, 2.0], [1, 1]), ValueError, "2 elements do not fit .* of size 1"),
    (lambda: made(2).scatter([0, 1], [[1.0]]), ValueError, "1 elements are written to 2 indices"),
    (lambda: made(2).scatter([0], [[1.0], [2.0]]), ValueError, "written to 1 indices"),
    (lambda: made(2, element_shape=[2]).write(0, 1.0), ValueError, r"of shape \(2,\) was given"),
    (lambda: made(2).write(1.0, 1.0), TypeError, "index must be made of integers, not 1.0"),
    (lambda: made(2).read(tf.constant(1.0)), TypeError, "index must be made of integers"),
    (lambda: made(2).read([1]), ValueError, r"index must have shape \(\)"),
    (lambda: made(2).gather(1), ValueError, r"indices must have shape \(None,\)"),
    (lambda: tf.TensorArray(tf.float32), ValueError, "size must be given, or dynamic_size"),
    (lambda: made(-1), ValueError, "cannot have -1 elements"),
    (lambda: made(2.0), TypeError, "size must be made of integers, not 2.0"),
    (lambda: made(tf.constant(2.0)), TypeError, "size must be made of integers"),
    (lambda: made([2]), ValueError, r"size must have shape \(\), not \(1,\)"),
    (lambda: made(2).concat(), ValueError, "not written"),
    (lambda: made(0).concat(), ValueError, "empty TensorArray"),
]


def made(size: Any, **options: Any) -> Any:
    return tf.TensorArray(tf.float32, size, **{"infer_shape": False} | options)


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
@pytest.mark.parametrize("make", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_refused(call: Any, error: Any, message: str, make: Any) -> None:
    with pytest.raises(error, match=message):
        make(call)()


def test_zeros_stand_for_what_is_not_written() -> None:
    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = made(3, element_shape=[2]).write(1, x)
            joined = array.concat()
        empty = made(0, element_shape=[None, 3]).concat()
        return joined, tape.gradient(joined, x), array.stack(), empty

    x = tf.constant([1.0, 2.0])
    for found in (program(x), tf.function(program)(x)):
        joined, slope, rows, empty = [tensor.numpy().tolist() for tensor in found]
        assert (joined, slope) == ([0.0, 0.0, 1.0, 2.0, 0.0, 0.0], [1.0, 1.0])
        assert rows == [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
        assert empty == []


@pytest.mark.parametrize(
    ("shape", "other"), [([2, 3], [2, 3]), ([2, 3], [2, 4]), ([2, 3], [2, 3, 1]), ([2, 3], None)]
)
def test_a_choice_of_arrays_has_the_shape_of_both(shape: Any, other: Any) -> None:
    def program(x: Any) -> Any:
        if x > 0.0:
            array = tf.TensorArray(tf.float32, 2).unstack(tf.ones(shape))
        else:
            array = tf.TensorArray(tf.float32, 2)
            if other is not None:
                array = array.unstack(tf.ones(other))
        return array.read(1), array.stack()

    staged = tf.function(program)
    kinds = staged.get_concrete_function(tf.constant(1.0)).structured_outputs
    for number in (1.0, -1.0)[: 1 if other is None else 2]:
        found, wanted = staged(tf.constant(number)), program(tf.constant(number))
        for got, expected, kind in zip(found, wanted, kinds, strict=True):
            np.testing.assert_array_equal(got.numpy(), expected.numpy())
            assert kind.shape.is_compatible_with(got.shape)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_shapes_that_only_the_run_knows_are_checked(order: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def program(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 2)
        for at in order:
            array = array.write(at, [x, tf.ones([2])][at])
        return array.read(0), array.stack()

    first, rows = program([5.0, 6.0])
    assert (first.numpy().tolist(), rows.shape) == ([5.0, 6.0], [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"[sS]hapes"):
        program([5.0, 6.0, 7.0])


def test_indices_of_several_kinds() -> None:
    def program() -> Any:
        array = tf.TensorArray(tf.float32, tf.constant(2, tf.int64)).unstack([1.0, 2.0])
        return [array.read(at) for at in (True, 1, np.int64(1), tf.constant(1, tf.uint8))]

    for found in (program(), tf.function(program)()):
        assert [float(item) for item in found] == [2.0] * 4


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


# Arrays from outside of the function


def outside_read(array: Any, x: Any) -> Any:
    return array.read(1) * x, array.size(), array.gather([2, 0])


def outside_joined(array: Any, x: Any) -> Any:
    return array.stack() * x, array.concat() * 2.0


def outside_in_a_loop(array: Any, x: Any) -> Any:
    total = x
    for i in tf.range(array.size()):
        total = total * array.read(i)
    return total


def outside_in_a_branch(array: Any, x: Any) -> Any:
    if x[0] > 1.0:
        x = x + array.read(0)
    return x


def outside_by_hand(array: Any, x: Any) -> Any:
    rows = tf.map_fn(lambda i: array.read(i) * x, tf.range(3), fn_output_signature=tf.float32)
    return rows, tf.cond(x[0] > 1.0, lambda: array.read(1), lambda: x)


def outside_chosen(array: Any, x: Any) -> Any:
    if x[0] > 1.0:
        array = tf.TensorArray(tf.float32, 2).unstack(tf.stack([x, x]))
    return array.stack()


def outside_copied(array: Any, x: Any) -> Any:
    array = array.identity()
    for i in tf.range(3):
        array = array.write(i, array.read(i) * x)
    return array.stack()


def outside_passed(array: Any, x: Any) -> Any:
    return tf.function(overwritten)(array, x).stack()


def outside_returned(array: Any, x: Any) -> Any:
    return array, x


def outside_of_an_inner_function(array: Any, x: Any) -> Any:
    made = tf.TensorArray(tf.float32, 2).unstack(tf.stack([x, x * 2.0]))
    inner = tf.function(lambda y: made.read(1) * array.read(0) * y)
    return inner(x)


OUTSIDE = [
    outside_read, outside_joined, outside_in_a_loop, outside_in_a_branch, outside_by_hand,
    outside_chosen, outside_copied, outside_passed, outside_returned, outside_of_an_inner_function,
]  # fmt: skip


@pytest.mark.parametrize("program", OUTSIDE)
@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_an_array_from_outside_is_read(program: Any, factor: float) -> None:
    array, x = unstacked(), tf.constant(ROW * factor)
    staged = tf.function(lambda x: program(array, x))
    for _ in range(2):
        pairs = zip(stacked(program(unstacked(), x)), stacked(staged(x)), strict=True)
        for wanted, got in pairs:
            np.testing.assert_array_equal(got.numpy(), wanted.numpy())
    assert staged.experimental_get_tracing_count() == 1
    np.testing.assert_array_equal(array.stack().numpy(), ROWS)


@pytest.mark.parametrize("program", OUTSIDE)
def test_gradients_of_an_array_from_outside(program: Any) -> None:
    found = []
    for make in (lambda f: f, tf.function):
        x, rows = tf.constant(ROW), tf.constant(ROWS)
        with tf.GradientTape() as tape:
            tape.watch((x, rows))
            array = tf.TensorArray(tf.float32, 3).unstack(rows)
            called = make(lambda x, array=array: program(array.identity(), x))
            y = tf.add_n([tf.reduce_sum(tf.cast(z, tf.float32) ** 2) for z in stacked(called(x))])
        found.append(tape.gradient(y, (x, rows), unconnected_gradients="zero"))
    for wanted, got in zip(*found, strict=True):
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-5)


def test_a_change_of_an_array_from_outside_is_seen() -> None:
    array = tf.TensorArray(tf.float32, 2, dynamic_size=True).unstack(tf.constant([1.0, 2.0]))
    inner = tf.function(lambda x: tf.reduce_sum(array.stack()) * x)
    staged = tf.function(lambda x: inner(x) + 1.0)
    x = tf.constant(2.0)
    assert (float(staged(x)), float(staged(x))) == (7.0, 7.0)
    array.write(2, 10.0)
    assert float(staged(x)) == 27.0
    assert staged.experimental_get_tracing_count() == 2
    assert "a TensorArray" in staged.why_retraced()


# Arrays that were changed


def forgotten(array: Any, x: Any) -> Any:
    array.write(0, x)
    return array.stack()


def forgotten_in_a_branch(array: Any, x: Any) -> Any:
    if x[0] > 1.0:
        array.write(0, x)
    return array.read(0)


def forgotten_in_a_loop(array: Any, x: Any) -> Any:
    for i in tf.range(3):
        array.write(i, x)
    return array.stack()


def under_another_name(array: Any, x: Any) -> Any:
    other = array
    for i in tf.range(3):
        array = array.write(i, x)
    return other.stack() + array.stack()


def after_a_loop(array: Any, x: Any) -> Any:
    def body(i: Any, held: Any) -> Any:
        return i + 1, {"array": held["array"].write(i, x)}

    left = tf.while_loop(lambda i, held: i < 3, body, (0, {"array": array}))
    return left[1]["array"].stack() + array.stack()


def in_a_loop_in_a_function(array: Any, x: Any) -> Any:
    @tf.function
    def inner(x: Any) -> Any:
        changed = array
        for i in tf.range(3):
            changed = changed.write(i, x)
        return changed.stack()

    return inner(x)


def changed_twice(array: Any, x: Any) -> Any:
    return array.write(0, x).stack() + array.write(1, x).stack()


def refilled(array: Any, x: Any) -> Any:
    first = array.unstack(tf.stack([x, x]))
    second = array.unstack(tf.stack([x * 2.0, x]))
    return first.read(0) + second.read(0)


def changed_in_an_inner_function(array: Any, x: Any) -> Any:
    inner = tf.function(lambda y: array.write(0, y).stack())
    return inner(x)


def other() -> Any:
    return tf.TensorArray(tf.float32, 3).unstack(tf.constant(ROWS) * 2.0)


def chosen_of_two(array: Any, x: Any) -> Any:
    one = array if x[0] > 1.0 else other()
    one = one.write(0, x)
    return array.stack() + one.stack()


def chosen_first(array: Any, x: Any) -> Any:
    one = array if x[0] > 1.0 else other()
    array = array.write(0, x)
    return array.stack() + one.stack()


def chosen_by_a_function(array: Any, x: Any) -> Any:
    one = tf.cond(x[0] > 1.0, lambda: array, other)
    return one.write(0, x).stack() + array.stack()


def chosen_by_a_handler(array: Any, x: Any) -> Any:
    try:
        if x[0] > 1.0:
            raise ValueError
        one = array
    except ValueError:
        one = other()
    return one.write(0, x).stack() + array.stack()


def copied_in_a_branch(array: Any, x: Any) -> Any:
    one = array.identity() if x[0] > 1.0 else array
    return one.write(0, x).stack() + array.stack()


def in_one_of_two_places(array: Any, x: Any) -> Any:
    held = [array, other()]
    if x[0] > 1.0:
        held.reverse()
    held[0] = held[0].write(0, x)
    return array.stack() + held[0].stack()


def there_or_none(array: Any, x: Any) -> Any:
    one = None
    if x[0] > 1.0:
        one = array
    if one is not None:
        one = one.write(0, x)
    return array.stack()


def changed_and_then_chosen(array: Any, x: Any) -> Any:
    before = array
    array = array.write(0, x)
    one = before if x[0] > 1.0 else other()
    return one.stack() + array.stack()


def read_by_another_name_in_a_loop(array: Any, x: Any) -> Any:
    before, total = array, x
    for i in tf.range(3):
        total = total + before.read(0)
        array = array.write(i, x)
    return total + array.stack()


def chosen_before_a_loop(array: Any, x: Any) -> Any:
    one, total = array if x[0] > 1.0 else other(), x
    for i in tf.range(3):
        one = one.write(i, x)
        total = total + array.read(0)
    return total + one.stack()


def chosen_in_a_loop(array: Any, x: Any) -> Any:
    for i in tf.range(3):
        one = array if x[0] > 1.0 else other()
        one = one.write(i, x)
    return array.stack()


def chosen_by_rounds(array: Any, x: Any) -> Any:
    one, total = other(), x
    for _ in tf.range(3):
        one = one.write(0, x)
        total = total + one.read(0)
        one = array
    return total + array.stack()


def two_that_rounds_make_one(array: Any, x: Any) -> Any:
    before, total = other(), x
    for _ in tf.range(3):
        array = array.write(0, x)
        total = total + before.read(0)
        before = array
    return total + array.stack()


def left_as_it_was_by_rounds(array: Any, x: Any) -> Any:
    one = other()
    for i in tf.range(3):
        one = one.write(i, x)
        one = array
    return one.stack()


def left_by_another_name_in_a_branch(array: Any, x: Any) -> Any:
    one = other()
    for _ in tf.range(3):
        if x[0] > 1.0:
            one = one.write(0, x)
        else:
            array = one
    return array.stack()


CHANGED = [
    forgotten, forgotten_in_a_branch, forgotten_in_a_loop, under_another_name, after_a_loop,
    in_a_loop_in_a_function, changed_twice, refilled, changed_in_an_inner_function, chosen_of_two,
    chosen_first, chosen_by_a_function, chosen_by_a_handler, copied_in_a_branch,
    in_one_of_two_places, there_or_none, changed_and_then_chosen, read_by_another_name_in_a_loop,
    chosen_before_a_loop, chosen_in_a_loop, chosen_by_rounds, two_that_rounds_make_one,
    left_as_it_was_by_rounds, left_by_another_name_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("program", CHANGED)
def test_an_array_that_was_changed_is_not_used_again(program: Any) -> None:
    def staged(x: Any) -> Any:
        return program(tf.TensorArray(tf.float32, 3).unstack(tf.constant(ROWS)), x)

    with pytest.raises(autograph.StagingError, match=r"a TensorArray is (used|changed)") as info:
        tf.function(staged)(tf.constant(ROW))
    assert info.value.filename == __file__
    assert info.value.hint


def exchanged(array: Any, x: Any) -> Any:
    one, two = array, other()
    if x[0] > 1.0:
        one, two = two, one
    one = one.write(0, x)
    return one.stack() + two.stack() * 2.0, array.size()


def exchanged_by_rounds(array: Any, x: Any) -> Any:
    one, two = array, other()
    for i in tf.range(3):
        one = one.write(i, x)
        one, two = two, one
    one = one.write(1, x)
    return one.stack() + two.stack() * 2.0


def chosen_and_read_in_a_loop(array: Any, x: Any) -> Any:
    one, total = array if x[0] > 1.0 else other(), x
    for i in tf.range(3):
        total = total + one.read(i) + array.read(i)
    return total + one.stack() + array.stack()


def replaced_by_rounds(array: Any, x: Any) -> Any:
    one = array
    for i in tf.range(3):
        one = other().write(i, x)
    return one.stack() + array.stack()


def copied_before_a_loop(array: Any, x: Any) -> Any:
    first, left, total = array.identity(), other(), x
    for i in tf.range(3):
        array = array.write(i, x)
        total = total + first.read(i)
        left = first
    return total + array.stack() + left.stack()


@pytest.mark.parametrize(
    "program",
    [
        exchanged,
        exchanged_by_rounds,
        chosen_and_read_in_a_loop,
        replaced_by_rounds,
        copied_before_a_loop,
    ],
)
@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_what_is_no_other_name_for_it_may_be_used(program: Any, factor: float) -> None:
    def run(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(tf.constant(ROWS))
        return program(array, x)

    x = tf.constant(ROW) * factor
    for found, expected in zip(
        tf.nest.flatten(tf.function(run)(x)), tf.nest.flatten(run(x)), strict=True
    ):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


def test_errors_show_the_array_as_a_type() -> None:
    @tf.function
    def written(at: Any) -> Any:
        return tf.TensorArray(tf.float32, 3).write(at, 1.0).stack()

    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        written(tf.constant(5))
    assert "[inputs: TensorArray(float32, size 3), int32[], float32[]; at" in str(info.value)


def test_the_other_branch_may_use_it() -> None:
    def program(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 3).unstack(tf.constant(ROWS))
        return tf.switch_case(
            tf.cast(x[0], tf.int32),
            [lambda: array.write(0, x), lambda: array.write(1, x), lambda: array],
        ).stack()

    staged = tf.function(program)
    for number in (0.0, 1.0, 2.0):
        x = tf.constant([number, 5.0])
        np.testing.assert_array_equal(staged(x).numpy(), program(x).numpy())


def test_an_array_from_outside_is_not_changed() -> None:
    array = unstacked()
    for change in (
        lambda: array.write(0, ROW),
        lambda: array.unstack(tf.constant(ROWS)),
        lambda: array.scatter([0], tf.constant(ROWS[:1])),
        lambda: array.split(tf.constant(ROWS), [1, 1, 1]),
    ):
        with pytest.raises(autograph.StagingError, match="changed in a function that is traced"):
            tf.function(lambda change=change: change().size())()
    np.testing.assert_array_equal(array.stack().numpy(), ROWS)


def test_strings_that_were_not_written_are_empty() -> None:
    def rows() -> Any:
        return tf.TensorArray(tf.string, 3).write(1, "a").stack()

    for call in (rows, tf.function(rows)):
        assert call().numpy().tolist() == [b"", b"a", b""]


@pytest.mark.parametrize("executor", ["numpy", "native"])
def test_scalars_of_texts_that_ops_make_are_stacked_as_texts(executor: str) -> None:
    def rows(n: Any) -> Any:
        texts = []
        for i in tf.range(n):
            texts.append(tf.strings.as_string(i))
        mapped = tf.map_fn(tf.strings.as_string, tf.range(n), fn_output_signature=tf.string)
        written = tf.TensorArray(tf.string, 2).write(1, tf.strings.upper("\0q"))
        read = tf.TensorArray(tf.string, 2).unstack(["a", "b"]).write(1, tf.strings.upper("q"))
        return tf.stack(texts), mapped, written.stack(), read.gather([1, 0])

    staged = tf.function(rows, executor=executor)(tf.constant(2))
    for found in ([each.numpy().tolist() for each in call] for call in (rows(2), staged)):
        assert found == [[b"0", b"1"], [b"0", b"1"], [b"", b"\0Q"], [b"Q", b"a"]]
