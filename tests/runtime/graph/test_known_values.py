"""Static shapes while tracing, as TensorFlow keeps them: what is computed of shapes is known, and
arrays of known size keep it. The run's shape, and that of the eager run, are the second opinion.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)
BOX = np.arange(24, dtype=np.float32).reshape(4, 3, 2)


def written_one_by_one(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=3)
    for i in range(3):
        array = array.write(i, x[i, :2])
    return array.stack()


def written_in_loop(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        array = array.write(i, x[i])
    return array.stack()


def written_in_branches(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        array = tf.TensorArray(tf.float32, size=3).unstack(x[1:])
    else:
        array = tf.TensorArray(tf.float32, size=3).write(0, x[0])
    return array.stack()


def made_in_branch(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        y = tf.zeros(tf.shape(x)[1:])
        y = y + 1.0
    else:
        y = tf.ones([tf.shape(x)[1]])
    return y


def made_in_loop(x: Any) -> Any:
    y = tf.zeros(tf.shape(x))
    for _ in tf.range(2):
        y = y + tf.reshape(tf.range(tf.cast(tf.size(x), tf.float32)), tf.shape(x))
    return y


def joined_branches(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        y = x[: tf.shape(x)[0] - 1]
        y = y + 1.0
    else:
        y = x
    return y


def grown_in_loop(x: Any) -> Any:
    y = x[:1]
    for _ in tf.range(2):
        y = tf.concat([y, y[: tf.shape(y)[0]]], 0)
    return y


def sizes_joined(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        array = tf.TensorArray(tf.float32, size=2).unstack(x[:2])
    else:
        array = tf.TensorArray(tf.float32, size=3).unstack(x[:3])
    return array.stack()


def size_changed_in_loop(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=4).unstack(x)
    total = tf.zeros([3])
    for i in tf.range(3):
        total += tf.reduce_sum(array.stack(), 0)
        array = array.unstack(x[i:3])
    return array.stack() + total


def grows(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=2, dynamic_size=True)
    return array.write(3, x[0]).write(0, x[0]).stack()


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any, list[int | None]]] = {
    "zeros": (lambda x: tf.zeros(tf.shape(x)), ROWS, [4, 3]),
    "normal": (lambda x: tf.random.normal(tf.shape(x)), ROWS, [4, 3]),
    "fill": (lambda x: tf.fill(tf.shape(x), 2.0), ROWS, [4, 3]),
    "range": (lambda x: tf.range(tf.shape(x)[0]), ROWS, [4]),
    "range of a maximum": (lambda x: tf.range(tf.maximum(tf.rank(x), 3)), ROWS, [3]),
    "reshape": (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), BOX, [4, 6]),
    "reshape by a product": (
        lambda x: tf.reshape(x, [tf.reduce_prod(tf.shape(x)[:-1]), -1]),
        BOX,
        [12, 2],
    ),
    "slice": (lambda x: x[tf.shape(x)[0] - 1 :], ROWS, [1, 3]),
    "half": (lambda x: x[: tf.shape(x)[0] // 2], ROWS, [2, 3]),
    "unstacked": (lambda x: tf.zeros(tf.unstack(tf.shape(x))), ROWS, [4, 3]),
    "stacked": (lambda x: tf.zeros(tf.stack([tf.shape(x)[1], tf.size(x)])), ROWS, [3, 12]),
    "concatenated": (lambda x: tf.zeros(tf.concat([tf.shape(x)[:-1], [7]], 0)), ROWS, [4, 7]),
    "gathered": (lambda x: tf.zeros(tf.gather(tf.shape(x), [1, 0])), ROWS, [3, 4]),
    "int64": (lambda x: tf.zeros(tf.shape(x, tf.int64) + 1), ROWS, [5, 4]),
    "expanded": (lambda x: tf.ones(tf.squeeze(tf.expand_dims(tf.shape(x), 0))), ROWS, [4, 3]),
    "map_fn": (lambda x: tf.map_fn(lambda row: row * 2.0, x), ROWS, [4, 3]),
    "scan": (lambda x: tf.scan(lambda total, row: total + row, x), ROWS, [4, 3]),
    "unstack of an array": (
        lambda x: tf.TensorArray(tf.float32, size=4).unstack(x).stack(),
        ROWS,
        [4, 3],
    ),
    "gather of an array": (
        lambda x: tf.TensorArray(tf.float32, size=4).unstack(x).gather([0, 2]),
        ROWS,
        [2, 3],
    ),
    "written one by one": (written_one_by_one, ROWS, [3, 2]),
    "written in a loop": (written_in_loop, ROWS, [4, 3]),
    "written in branches": (written_in_branches, ROWS, [3, 3]),
    "made in a branch": (made_in_branch, ROWS, [3]),
    "made in a loop": (made_in_loop, ROWS, [4, 3]),
    "branches joined": (joined_branches, ROWS, [None, 3]),
    "grown in a loop": (grown_in_loop, ROWS, [None, 3]),
    "sizes joined": (sizes_joined, ROWS, [None, 3]),
    "size changed in a loop": (size_changed_in_loop, ROWS, [None, 3]),
    "array that grows": (grows, ROWS, [None, 3]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_static_shape(name: str) -> None:
    program, argument, expected = PROGRAMS[name]
    x = tf.constant(argument)
    concrete = tf.function(program).get_concrete_function(x)
    assert concrete.graph.results[0].type.shape == tuple(expected)
    found, eager = concrete(x), program(x)
    assert found.shape == eager.shape
    assert found.shape.is_compatible_with(expected)
    if name != "normal":
        np.testing.assert_array_equal(found, eager)


def test_shapes_compare_as_eagerly() -> None:
    def compare(x: Any) -> str:
        z = tf.zeros(tf.shape(x))
        return "same" if z.shape == x.shape else "different"

    x = tf.constant([1.0, 2.0])
    assert tf.function(compare)(x) == compare(x) == "same"


def test_nodes_stay_in_the_traced_graph_and_fold() -> None:
    def f(x: Any) -> Any:
        return tf.reshape(x, [tf.shape(x)[0] * 3])

    concrete = tf.function(f).get_concrete_function(tf.constant(ROWS))
    assert [node.primitive.name for node in concrete.graph.nodes].count("shape") == 1
    assert [node.primitive.name for node in concrete.optimized.nodes] == ["reshape"]


@pytest.mark.parametrize("dtype", [tf.int8, tf.uint8, tf.uint16, tf.uint32, tf.uint64])
def test_known_numbers_stand_beside_others_in_each_dtype(dtype: Any) -> None:
    def f(x: Any) -> Any:
        x[:2] = [x[1], 7]
        return tf.concat([x, tf.stack([x[2], tf.constant(3, dtype)])], 0)

    assert tf.function(f)(tf.constant([4, 5, 6], dtype)).numpy().tolist() == [5, 7, 6, 6, 3]


def test_an_op_that_fails_on_known_values_fails_where_it_is_reached() -> None:
    def f(x: Any, is_wanted: Any) -> Any:
        found = tf.shape(x)[0]
        if is_wanted:
            found = found // (tf.rank(x) - 2)
        return found

    function, x = tf.function(f), tf.constant(ROWS)
    assert int(function(x, tf.constant(False))) == 4
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(x, tf.constant(True))


def test_what_a_loop_carries_is_not_known() -> None:
    def f(x: Any) -> Any:
        count = tf.shape(x)[0]
        for _ in tf.range(3):
            assert tf.get_static_value(count) is None
            count = count + 1
        return count

    assert int(tf.function(f)(tf.constant(ROWS))) == 7


def test_get_static_value() -> None:
    found = []

    def f(x: Any) -> Any:
        found.append(tf.get_static_value(tf.shape(x)[:1] * 2))
        found.append(tf.get_static_value(tf.cast(x[0, 0], tf.int32)))
        found.append(tf.get_static_value(tf.random.uniform([], 0, 3, tf.int32)))
        return x

    tf.function(f)(tf.constant(ROWS))
    assert found[0].tolist() == [8]
    assert found[1:] == [None, None]


LONG: Any = tf.TensorSpec([None, 3])
PARTLY: dict[str, tuple[Callable[..., Any], list[Any], list[int | None]]] = {
    "reshape": (lambda x: tf.reshape(x, tf.shape(x)), [LONG], [None, 3]),
    "zeros": (lambda x: tf.zeros(tf.shape(x)), [LONG], [None, 3]),
    "normal": (lambda x: tf.random.normal(tf.shape(x)), [LONG], [None, 3]),
    "fill": (lambda x: tf.fill(tf.shape(x), 1.0), [LONG], [None, 3]),
    "broadcast": (lambda x: tf.broadcast_to(x, tf.shape(x)), [LONG], [None, 3]),
    "stacked": (lambda x: tf.zeros(tf.stack([tf.shape(x)[0], 3])), [LONG], [None, 3]),
    "joined": (
        lambda x: tf.reshape(x, tf.concat([tf.shape(x)[:1], [1, 3]], 0)), [LONG], [None, 1, 3],
    ),
    "of a cast": (lambda x: tf.zeros(tf.cast(tf.shape(x), tf.int64)), [LONG], [None, 3]),
    "of other bits": (
        lambda x: tf.zeros(tf.cast(tf.bitcast(tf.shape(x), tf.uint32), tf.int64)),
        [LONG], [None, None],
    ),
    "of a sum": (lambda x: tf.zeros(tf.shape(x) + 1), [LONG], [None, None]),
    "resized": (
        lambda x: tf.image.resize(x[None, :, :, None], tf.shape(x)), [LONG], [1, None, 3, 1],
    ),
    "padded by a size": (lambda x: tf.pad(x, [[0, tf.shape(x)[0]], [0, 1]]), [LONG], [None, 4]),
    "padded by an argument": (
        lambda n: tf.pad(tf.ones([2, 3]), [[1, n], [0, 2]]), [tf.TensorSpec([], tf.int32)],
        [None, 5],
    ),
    "padded by a matrix": (
        lambda x, p: tf.pad(x, p), [tf.TensorSpec(None), tf.TensorSpec([2, 2], tf.int32)],
        [None, None],
    ),
    "padded, of unknown rank": (lambda x: tf.pad(x, [[1, 2]]), [tf.TensorSpec(None)], [None]),
    "broadcast to a vector": (
        lambda x, s: tf.broadcast_to(x, s),
        [tf.TensorSpec([2, 1]), tf.TensorSpec([3], tf.int32)], [None, 2, None],
    ),
    "space to batch": (
        lambda x, p: tf.space_to_batch(x, [2, 3], p),
        [tf.TensorSpec([2, 4, 6, 2]), tf.TensorSpec([2, 2], tf.int32)], [12, None, None, 2],
    ),
    "batch to space of unknown rank": (
        lambda x, c: tf.compat.v1.batch_to_space(x, c, block_size=4),
        [tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)], [None] * 4,
    ),
    "repeated by a vector": (
        lambda x, m: tf.tile(x, m), [tf.TensorSpec(None), tf.TensorSpec([2], tf.int32)],
        [None, None],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PARTLY)
def test_shapes_of_which_some_sizes_are_known(name: str) -> None:
    """The static shapes of TensorFlow 2.21."""
    program, specs, expected = PARTLY[name]
    concrete = tf.function(program).get_concrete_function(*specs)
    result = concrete.graph.results[0].type
    assert result.shape == tuple(expected)
    if len(specs) == 1 and specs[0] is LONG:
        assert concrete(tf.constant(ROWS)).shape == program(tf.constant(ROWS)).shape


def test_a_padding_that_contradicts_its_known_sizes_does_not_pass() -> None:
    def f(x: Any, n: Any) -> Any:
        return tf.pad(x, [[n, 0], [0, 1]])

    concrete = tf.function(f).get_concrete_function(LONG, tf.TensorSpec([], tf.int32))
    assert concrete(tf.constant(ROWS), tf.constant(2)).shape == (6, 4)


@pytest.mark.parametrize("name", ["reshape", "slice", "map_fn", "scan", "written in a loop"])
def test_gradients(name: str) -> None:
    program, argument, _ = PROGRAMS[name]

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(program(x * x) ** 2)
        return tape.gradient(y, x)

    x = tf.constant(argument)
    np.testing.assert_allclose(tf.function(gradient)(x), gradient(x))


@pytest.mark.parametrize("name", ["map_fn", "unstack of an array", "written in a loop"])
def test_jacobians(name: str) -> None:
    program, argument, _ = PROGRAMS[name]

    def jacobian(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x * x)
        return tape.jacobian(y, x)

    x = tf.constant(argument)
    np.testing.assert_allclose(tf.function(jacobian)(x), jacobian(x))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x: tf.zeros([tf.shape(x)[0]]), [4]),
        (lambda x: tf.zeros([tf.identity(tf.shape(x)[0])]), [4]),
        (lambda x: tf.reshape(x, [-1, tf.shape(x)[2]]), [None, 2]),
        (lambda x: tf.reshape(x, [tf.shape(x)[0], -1]), [4, None]),
        (lambda x: tf.ones(tf.shape(x, tf.int64)[::2]), [4, 2]),
        (lambda x: tf.range(tf.shape(x)[::-1][0]), [2]),
        (lambda x: tf.ones([tf.shape(x)[1], tf.shape(x)[:1][0] + 1]), [None, 5]),
    ],
)
def test_sizes_of_a_shape_that_is_known_in_part(program: Any, expected: Any) -> None:
    seen: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([4, None, 2])])
    def staged(x: Any) -> Any:
        made = program(x)
        seen.append(made.shape.as_list())
        return made

    for box in (BOX, BOX[:, :1]):
        np.testing.assert_array_equal(staged(box), program(tf.constant(box)))
    assert seen == [expected]
