"""`Variable`: what it holds, how it changes, how it stands for a tensor."""

import copy
import inspect
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf

DTYPES = [
    tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16,
    tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string,
]  # fmt: skip


def refuse(error: type[Exception], message: str, call: Any) -> None:
    with pytest.raises(error, match=message):
        call()


# Creation

REPRS = {
    "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>": lambda: tf.Variable(2.0),
    "<tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>": (
        lambda: tf.Variable([1.0, 2.0], name="w")
    ),
    "<tf.Variable 'Variable:0' shape=(1, 2) dtype=int32, numpy=array([[1, 2]], dtype=int32)>": (
        lambda: tf.Variable([[1, 2]])
    ),
    "<tf.Variable 'Variable:0' shape=(2, 1) dtype=int64, numpy=\narray([[1],\n       [2]])>": (
        lambda: tf.Variable([[1], [2]], dtype=tf.int64)
    ),
    "<tf.Variable 's:0' shape=() dtype=string, numpy=b'text'>": (
        lambda: tf.Variable("text", name="s")
    ),
    "<tf.Variable 'Variable:0' shape=() dtype=bool, numpy=True>": lambda: tf.Variable(True),
    "<tf.Variable 'Variable:0' shape=<unknown> dtype=float32, numpy=1.0>": (
        lambda: tf.Variable(1.0, shape=tf.TensorShape(None))
    ),
}


@pytest.mark.parametrize("text", REPRS)
def test_repr(text: str) -> None:
    assert repr(REPRS[text]()) == str(REPRS[text]()) == text


@pytest.mark.parametrize("dtype", DTYPES, ids=[d.name for d in DTYPES])
def test_every_dtype(dtype: Any) -> None:
    value: Any = ["a", "b"] if dtype is tf.string else [True, False] if dtype is tf.bool else [1, 2]
    v = tf.Variable(value, dtype=dtype)
    assert v.dtype is dtype
    assert v.shape == (2,)
    assert v.numpy().tolist() == tf.constant(value, dtype).numpy().tolist()
    v.assign(v[::-1])
    assert v.numpy().tolist() == tf.constant(value[::-1], dtype).numpy().tolist()


SOURCES: dict[str, Any] = {
    "number": 1.5,
    "list": [1.5],
    "array": np.array([1.5]),
    "tensor": tf.constant([1.5]),
    "variable": tf.Variable([1.5]),
    "function": lambda: tf.constant([1.5]),
    "function of a number": lambda: 1.5,
}


@pytest.mark.parametrize("name", SOURCES)
def test_initial_values(name: str) -> None:
    assert np.all(tf.Variable(SOURCES[name]).numpy() == 1.5)


def test_an_initial_value_is_copied() -> None:
    array = np.array([1.0, 2.0])
    v = tf.Variable(array)
    array[0] = 9.0
    assert v.numpy().tolist() == [1.0, 2.0]
    v.numpy()[0] = 9.0
    assert v.numpy().tolist() == [1.0, 2.0]


def test_fields() -> None:
    v = tf.Variable(
        [1.0], trainable=False, name="v", constraint=abs,
        synchronization=tf.VariableSynchronization.ON_WRITE,
        aggregation=tf.VariableAggregation.SUM,
    )  # fmt: skip
    assert (v.name, v.trainable, v.constraint) == ("v:0", False, abs)
    assert v.synchronization is tf.VariableSynchronization.ON_WRITE
    assert v.aggregation is tf.VariableAggregation.SUM
    assert (v.ndim, v.get_shape(), v.is_initialized()) == (1, (1,), True)
    assert v.device.endswith("CPU:0")
    assert tf.Variable(1).trainable
    assert not tf.Variable(1, synchronization=tf.VariableSynchronization.ON_READ).trainable


def test_names_and_scopes() -> None:
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.Variable(1, name="w").name == "a/b/w:0"
    assert tf.Variable(1, name="w").name == "w:0"


def test_bad_creation() -> None:
    refuse(ValueError, "initial_value", lambda: tf.Variable())
    refuse(ValueError, "constraint", lambda: tf.Variable(1, constraint=3))
    refuse(ValueError, "'v:0'.*not compatible", lambda: tf.Variable([1, 2], shape=[3], name="v"))
    refuse(ValueError, "tf.cast", lambda: tf.Variable(tf.constant(1), dtype=tf.float32))
    refuse(TypeError, "str|convert", lambda: tf.Variable("a", dtype=tf.float32))


def test_creators() -> None:
    seen = []

    def outer(next_creator: Any, **kwargs: Any) -> Any:
        seen.append(("outer", kwargs["name"], kwargs["initial_value"]))
        return next_creator(**kwargs)

    def inner(next_creator: Any, **kwargs: Any) -> Any:
        seen.append(("inner", kwargs["name"], kwargs["initial_value"]))
        kwargs["initial_value"] = 7.0
        return next_creator(**kwargs)

    with tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = tf.Variable(1.0, name="v")
    assert v.numpy() == 7.0
    assert seen == [("inner", "v", 1.0), ("outer", "v", 7.0)]
    assert tf.Variable(1.0).numpy() == 1.0


def test_a_variable_creator_is_given_all_arguments() -> None:
    seen = []

    def creator(next_creator: Any, **kwargs: Any) -> Any:
        seen.append(kwargs)
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, False, name="v")
    assert not v.trainable
    assert list(seen[0]) == list(inspect.signature(tf.Variable.__init__).parameters)[1:]
    assert (seen[0]["initial_value"], seen[0]["trainable"], seen[0]["name"]) == (1.0, False, "v")
    assert (seen[0]["shape"], seen[0]["aggregation"]) == (None, tf.VariableAggregation.NONE)


def test_a_variable_creator_may_make_a_variable_of_a_subclass() -> None:
    class Counted(tf.Variable):
        made = 0

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            Counted.made += 1

    def creator(next_creator: Any, **kwargs: Any) -> Any:
        return Counted(kwargs["initial_value"], name=kwargs["name"])

    with tf.variable_creator_scope(creator):
        v = tf.Variable(2.0)
    assert type(v) is Counted
    assert (Counted.made, float(v)) == (1, 2.0)


# Assigning


def test_assign() -> None:
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]) is v
    assert v.assign_add([1.0, 1.0]) is v
    assert v.assign_sub(tf.constant([0.5, 0.5])) is v
    v.assign_add(np.ones(2, np.float32))
    assert v.numpy().tolist() == [4.5, 5.5]
    v.assign(tf.Variable([0.0, 1.0]))
    assert v.read_value().numpy().tolist() == [0.0, 1.0]
    v.assign(v)
    assert v.value().numpy().tolist() == [0.0, 1.0]


def test_a_value_read_stays_what_it_was() -> None:
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    v.assign_add([1.0, 1.0])
    v[0].assign(9.0)
    assert before.numpy().tolist() == [1.0, 2.0]


def test_assigned_arrays_are_copied() -> None:
    v, array = tf.Variable([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
    v.assign(array)
    array[0] = 9.0
    assert v.numpy().tolist() == [3.0, 4.0]


WRONG: dict[str, tuple[Any, str]] = {
    "shape": ([1.0], r"'kernel:0'.*\(2,\).*\(1,\)"),
    "rank": ([[1.0, 2.0]], r"'kernel:0'.*\(2,\).*\(1, 2\)"),
    "scalar": (1.0, r"'kernel:0'.*\(2,\).*\(\)"),
    "tensor of another dtype": (tf.constant([1, 2]), "'kernel:0'.*float32.*int32"),
    "variable of another dtype": (tf.Variable([1, 2]), "'kernel:0'.*float32.*int32"),
}


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_values(name: str, method: str) -> None:
    value, message = WRONG[name]
    v = tf.Variable([1.0, 2.0], name="kernel")
    refuse(tf.errors.InvalidArgumentError, message, lambda: getattr(v, method)(value))
    refuse(ValueError, message, lambda: getattr(v, method)(value))
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", [[1.0], [1.0, 2.0, 3.0]])
def test_what_is_added_has_the_shape_that_the_variable_has_now(value: Any) -> None:
    v = tf.Variable([1.0, 2.0], shape=[None])
    for update in (v.assign_add, tf.function(lambda x: v.assign_sub(x))):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2,\).*\([13],\)"):
            update(tf.constant(value))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_values_that_cannot_be_converted() -> None:
    v = tf.Variable([1, 2], name="counts")
    refuse(TypeError, "'counts:0'.*float|'counts:0'.*1.5", lambda: v.assign([1.5, 2.5]))
    refuse(TypeError, "'counts:0'", lambda: v.assign(["a", "b"]))
    refuse(ValueError, "'counts:0'", lambda: v.assign([2**40, 1]))


def test_shapes_that_are_open() -> None:
    v = tf.Variable([[1.0, 2.0]], shape=[None, 2])
    v.assign(np.zeros((5, 2)))
    assert v.value().shape == (5, 2)
    assert v.shape.as_list() == [None, 2]
    refuse(ValueError, r"\(None, 2\)", lambda: v.assign(np.zeros((2, 3))))
    free = tf.Variable(1.0, shape=tf.TensorShape(None))
    free.assign([[1.0]])
    assert free.numpy().tolist() == [[1.0]]
    v.set_shape([7, 2])
    refuse(ValueError, "shape", lambda: v.set_shape([7, 3]))


def test_slices() -> None:
    v = tf.Variable(np.arange(12.0).reshape(3, 4))
    expected = v.numpy()
    v[1].assign([9.0, 8.0, 7.0, 6.0])
    expected[1] = [9, 8, 7, 6]
    v[:, 1:3].assign_add(np.ones((3, 2)))
    expected[:, 1:3] += 1
    v[0, -1].assign_sub(2.0)
    expected[0, -1] -= 2
    v[..., 0].assign(tf.zeros([3], tf.float64))
    expected[..., 0] = 0
    assert v.numpy().tolist() == expected.tolist()
    assert v[1:].assign(v[:2] * 2.0) is v
    refuse(AttributeError, "tensors are values", lambda: tf.constant([1])[0].assign(1))
    refuse(TypeError, "assign", lambda: v.__setitem__(0, 1.0))


def slices(values: Any, indices: Any) -> Any:
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


SCATTERED: dict[str, Any] = {
    "scatter_add": [[11.0, 2.0], [3.0, 4.0], [25.0, 6.0]],
    "scatter_sub": [[-9.0, 2.0], [3.0, 4.0], [-15.0, 6.0]],
    "scatter_max": [[10.0, 2.0], [3.0, 4.0], [20.0, 6.0]],
    "scatter_min": [[1.0, 0.0], [3.0, 4.0], [5.0, 0.0]],
    "scatter_update": [[10.0, 0.0], [3.0, 4.0], [20.0, 0.0]],
    "scatter_mul": [[10.0, 0.0], [3.0, 4.0], [100.0, 0.0]],
}


@pytest.mark.parametrize("method", SCATTERED)
def test_scatter(method: str) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert getattr(v, method)(slices([[10.0, 0.0], [20.0, 0.0]], [0, 2])) is v
    assert v.numpy().tolist() == SCATTERED[method]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("method", "start", "expected"),
    [
        ("scatter_mul", [1.0, 2.0, 3.0], [6.0, 2.0, 15.0]),
        ("scatter_div", [36.0, 2.0, 3.0], [6.0, 2.0, 0.6]),
        ("scatter_div", [37, 2, -16], [6, 2, -3]),
    ],
)
def test_scaling_counts_each_update(method: str, start: Any, expected: Any, staged: bool) -> None:
    v = tf.Variable(start)
    delta = slices(tf.cast([2, 5, 3], v.dtype), [0, 2, 0])
    change = getattr(v, method)
    tf.function(lambda: change(delta))() if staged else change(delta)
    np.testing.assert_allclose(v.numpy(), expected, 1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        change(slices(tf.cast([2], v.dtype), [3]))


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("shape", "indices"),
    [
        ((4, 2), [3, 0]),
        ((2, 3), [[0], [2]]),
        ((2, 3, 2), [[2, 0], [1, 2]]),
        ((2, 2, 3), [[[1]] * 2] * 2),
    ],
)
def test_scatter_in_batches(shape: Any, indices: Any, staged: bool) -> None:
    expected = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    v = tf.Variable(expected)
    updates = -np.arange(1.0, 1 + np.size(indices) * np.prod(shape[np.ndim(indices) :], dtype=int))
    updates = updates.reshape(np.shape(indices) + shape[np.ndim(indices) :])
    for place in np.ndindex(np.shape(indices)):
        expected[(*place[:-1], np.array(indices)[place])] = updates[place]
    change = tf.function(v.batch_scatter_update) if staged else v.batch_scatter_update
    assert change(slices(updates, indices)).numpy().tolist() == expected.tolist()
    assert v.numpy().tolist() == expected.tolist()
    refuse(TypeError, "IndexedSlices", lambda: v.batch_scatter_update([1.0]))


def test_scatter_of_points() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    v.scatter_nd_add([[0], [2]], [10.0, 10.0])
    v.scatter_nd_sub([[1]], [1.0])
    v.scatter_nd_update([[2]], [7.0])
    v.scatter_div(slices([2.0], [0]))
    assert v.numpy().tolist() == [5.5, 1.0, 7.0]
    v.scatter_add(slices(1.0, [0, 1]))
    assert v.numpy().tolist() == [6.5, 2.0, 7.0]
    refuse(TypeError, "IndexedSlices", lambda: v.scatter_add([1.0]))
    assert v.sparse_read([2, 0]).numpy().tolist() == [7.0, 6.5]
    assert v.gather_nd([[1]]).numpy().tolist() == [2.0]


def test_threads_lose_no_update() -> None:
    v = tf.Variable(0)

    def count() -> None:
        for _ in range(200):
            v.assign_add(1)

    workers = [threading.Thread(target=count) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert v.numpy() == 1600


# As a tensor

BINARY: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
X, Y = np.array([1.0, 2.0, 5.0], np.float32), np.array([3.0, 2.0, 2.0], np.float32)


@pytest.mark.parametrize("symbol", BINARY)
def test_operators(symbol: str) -> None:
    function, expected = BINARY[symbol], BINARY[symbol](X, Y).tolist()
    v, w = tf.Variable(X), tf.Variable(Y)
    for a, b in ((v, w), (v, tf.constant(Y)), (tf.constant(X), w), (v, Y), (X, w), (v, Y.tolist())):
        found = function(a, b)
        assert isinstance(found, tf.Tensor)
        np.testing.assert_allclose(found.numpy(), expected)
    assert function(v, 2).numpy().tolist() == function(X, np.float32(2)).tolist()


def test_other_operators() -> None:
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert (m @ m).numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert (-m).numpy().tolist() == [[-1.0, -2.0], [-3.0, -4.0]]
    assert abs(-m).numpy().tolist() == m.numpy().tolist()
    b = tf.Variable([True, False])
    assert (~b).numpy().tolist() == [False, True]
    assert (b & True).numpy().tolist() == (True & b).numpy().tolist() == [True, False]
    assert (b | b).numpy().tolist() == [True, False]
    assert (b ^ b).numpy().tolist() == [False, False]


@pytest.mark.parametrize("symbol", ["+=", "-=", "*=", "/=", "**="])
def test_operators_in_place_are_refused(symbol: str) -> None:
    with pytest.raises(RuntimeError, match="assign_add"):
        exec(f"v {symbol} 1.0", {"v": tf.Variable(1.0)})


def test_in_ops_and_numpy() -> None:
    v = tf.Variable([1.0, 4.0])
    assert tf.sqrt(v).numpy().tolist() == [1.0, 2.0]
    assert tf.reduce_sum(v).numpy() == 5.0
    assert tf.stack([v, v]).shape == (2, 2)
    assert tf.convert_to_tensor(v).numpy().tolist() == [1.0, 4.0]
    assert tf.constant([v[0], v[1]]).numpy().tolist() == [1.0, 4.0]
    assert tf.is_tensor(v)
    assert not isinstance(v, tf.Tensor)
    assert np.sqrt(np.asarray(v)).tolist() == [1.0, 2.0]
    assert np.array(v).dtype == np.float32
    assert [float(x) for x in v] == [1.0, 4.0]
    assert len(v) == 2
    n = tf.Variable(3)
    assert (int(n), float(n), complex(n), bool(n), [0, 1, 2, 3][n]) == (3, 3.0, 3 + 0j, True, 3)
    refuse(ValueError, "ambiguous", lambda: bool(v))
    assert f"{v.numpy()[1]:.1f}" == "4.0"


def test_identity() -> None:
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    refuse(TypeError, r"variable\.ref\(\)", lambda: {v: 1})
    table = {v.ref(): "v", w.ref(): "w"}
    assert table[v.ref()] == "v"
    assert v.ref().deref() is v
    doubled = tf.nest.map_structure(lambda text: 2 * text, table)
    assert doubled == {v.ref(): "vv", w.ref(): "ww"}
    assert sorted([v.ref(), w.ref()]) in ([v.ref(), w.ref()], [w.ref(), v.ref()])
    with pytest.raises(TypeError, match="not supported between"):
        v.ref() < 3  # type: ignore[operator]  # noqa: B015
    assert bool(v == w)


def test_a_shallow_copy_shares_the_value() -> None:
    v = tf.Variable(1.0)
    w = copy.copy(v)
    v.assign(2.0)
    assert w is v


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_are_variables_of_their_own(clone: Any) -> None:
    v = tf.Variable([1.0, 2.0], name="v", trainable=False, shape=[None])
    w = clone(v)
    v.assign_add([1.0, 1.0])
    assert (w.name, w.trainable, w.shape.as_list()) == ("v:0", False, [None])
    assert w.numpy().tolist() == [1.0, 2.0]
    with tf.GradientTape() as tape:
        tape.watch([v, w])
        y = v * w
    assert [g.numpy().tolist() for g in tape.gradient(y, [v, w])] == [[1.0, 2.0], [2.0, 3.0]]


def test_a_function_has_scopes_of_its_own() -> None:
    made: list[Any] = []
    scopes: list[str] = []

    @tf.function
    def f(x: Any) -> Any:
        scopes.append(tf.get_current_name_scope())
        with tf.name_scope("inner"):
            scopes.append(tf.get_current_name_scope())
            made.extend([] if made else [tf.Variable(1.0, name="w")])
        return x + made[0]

    with tf.name_scope("outer"):
        f(tf.constant(1.0))
        assert tf.get_current_name_scope() == "outer"
    assert scopes[:2] == ["", "inner"]
    assert made[0].name == "inner/w:0"


def test_a_variable_without_value() -> None:
    v = tf.Variable(1.0, name="late")
    v.handle.raw = None
    assert not v.is_initialized()
    assert "uninitialized" in repr(v)
    refuse(tf.errors.FailedPreconditionError, "'late:0'", lambda: v + 1.0)
    refuse(tf.errors.FailedPreconditionError, "'late:0'", v.numpy)
    v.assign(3.0)
    assert v.is_initialized()


# In graphs


def test_reads_and_assignments_keep_their_order() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def step(x: Any) -> Any:
        before = v * x
        v.assign(before)
        middle = v + 0.0
        v.assign_add(1.0)
        v.assign_sub(x)
        return before, middle, v.value()

    for expected in ([6.0, 6.0, 4.0], [12.0, 12.0, 10.0]):
        assert [float(y) for y in step(tf.constant(3.0))] == expected
    assert v.numpy() == 10.0


def test_graphs_hold_variables_by_reference() -> None:
    v = tf.Variable([1.0, 2.0], shape=[None])

    @tf.function
    def total() -> Any:
        return tf.reduce_sum(v)

    assert float(total()) == 3.0
    v.assign([1.0, 2.0, 4.0])
    assert float(total()) == 7.0


def test_slices_of_variables_in_graphs() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def change(i: Any) -> Any:
        v[i].assign(10.0)
        v[1:].assign_add([1.0, 1.0])
        return v[i] * 2.0

    assert float(change(tf.constant(0))) == 20.0
    assert v.numpy().tolist() == [10.0, 3.0, 4.0]


def test_wrong_values_in_graphs() -> None:
    v = tf.Variable([1.0, 2.0], name="kernel")
    with pytest.raises(TypeError, match=r"'kernel:0'.*int32"):
        tf.function(lambda: v.assign(tf.constant([1, 2])))()
    with pytest.raises(ValueError, match=r"'kernel:0'.*\(2,\)"):
        tf.function(lambda: v.assign(tf.constant([1.0])))()

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def change(x: Any) -> Any:
        v.assign(x)
        return v.value()

    assert change(tf.constant([3.0, 4.0])).numpy().tolist() == [3.0, 4.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="'kernel:0'"):
        change(tf.constant([1.0]))


def test_the_graph_names_its_variable() -> None:
    v = tf.Variable(2.0, name="weight")
    graph = tf.function(lambda x: v * x).get_concrete_function(tf.constant(1.0)).graph
    assert "weight.read_value()" in str(graph)
    v.assign(3.0)
    assert "weight.read_value()" in str(graph)


def test_the_initial_value_may_not_be_a_symbol() -> None:
    with pytest.raises(ValueError, match="lambda"):
        tf.function(lambda x: tf.Variable(x))(tf.constant(1.0))


def test_numpy_functions_give_arrays() -> None:
    v, ones = tf.Variable([1.0, 2.0]), np.ones(2, np.float32)
    for made, expected in (
        (np.sum(v), 3.0), (np.multiply(v, 2), [2.0, 4.0]), (np.exp2(v), [2.0, 4.0]),
        (np.mean(v), 1.5),
    ):  # fmt: skip
        assert isinstance(made, np.ndarray | np.generic)
        assert made.tolist() == expected
    for tensor in (np.float32(2) * v, v * np.float32(2), (ones + ones) * v):
        assert isinstance(tensor, tf.Tensor)
        assert tensor.numpy().tolist() == [2.0, 4.0]
    assert (np.float32(1) == v).numpy().tolist() == [True, False]
    assert (ones < v).numpy().tolist() == [False, True]


def doubled(v: Any) -> None:
    v.assign(v + v)


def appended(v: Any) -> None:
    v.assign_add("b")
    v.assign_add(v)


def appended_in_a_loop(v: Any) -> None:
    for _ in tf.range(2):
        v.assign(v + "z")


def first_is_second(v: Any) -> None:
    v[0].assign(v[1])


def first_is_constant(v: Any) -> None:
    v[0].assign("zz")


def first_is_sum(v: Any) -> None:
    v[0].assign(v[0] + v[1])


def first_of_unstacked(v: Any) -> None:
    v[1].assign(tf.unstack(v)[0] + tf.strings.upper(v[1]))


TEXT_CHANGES: list[tuple[Callable[[Any], None], Any, Any]] = [
    (doubled, "a", b"aa"),
    (appended, "a", b"abab"),
    (appended_in_a_loop, "a", b"azz"),
    (doubled, ["a", "bc"], [b"aa", b"bcbc"]),
    (first_is_second, ["a", "bc"], [b"bc", b"bc"]),
    (first_is_constant, ["a", "bc"], [b"zz", b"bc"]),
    (first_is_sum, ["a", "bc"], [b"abc", b"bc"]),
    (first_of_unstacked, ["a", "bc"], [b"a", b"aBC"]),
]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("change", "before", "after"), TEXT_CHANGES)
def test_strings_change(
    change: Callable[[Any], None], before: Any, after: Any, staged: bool
) -> None:
    variable = tf.Variable(before)
    (tf.function(change) if staged else change)(variable)
    value = variable.numpy()
    assert (value.tolist() if isinstance(value, np.ndarray) else value) == after
