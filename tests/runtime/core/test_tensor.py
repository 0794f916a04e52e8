"""Tensors: how they are made, printed, indexed, and what Python and NumPy may do with them."""

import copy
import gc
import math
import pickle
import threading
import weakref
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors
from runtime.core.primitive import TABLE, bind
from runtime.core.state import state
from runtime.core.tensor import EagerTensor

MATRIX = np.arange(12.0).reshape(3, 4)


# Making


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, "int32", ()), (1.5, "float32", ()), (True, "bool", ()), (1j, "complex128", ()),
        ("a", "string", ()), (b"a", "string", ()), ([1, 2], "int32", (2,)),
        ([1, 2.5], "float32", (2,)), ([[1], [2]], "int32", (2, 1)), ([], "float32", (0,)),
        (["a", "bc"], "string", (2,)), ([True, False], "bool", (2,)), ((1, 2), "int32", (2,)),
        (range(3), "int32", (3,)), (np.float64(1), "float64", ()), (np.int64(1), "int64", ()),
        ([np.float64(1)], "float64", (1,)), (np.arange(3), "int64", (3,)),
        (np.zeros((2, 3), np.float32), "float32", (2, 3)), (np.array(["a"]), "string", (1,)),
        (np.zeros(2, ">f4"), "float32", (2,)), (memoryview(b"ab"), "uint8", (2,)),
        (tf.TensorShape([2, 3]), "int32", (2,)), (tf.TensorShape([]), "int32", (0,)),
        ([np.ones(2), np.ones(2)], "float64", (2, 2)),
    ],
)  # fmt: skip
def test_values_have_a_default_dtype(value: Any, dtype: str, shape: tuple[int, ...]) -> None:
    for made in (tf.constant(value), tf.convert_to_tensor(value)):
        assert made.dtype == dtype
        assert made.shape == shape


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "float64"),
        ([1, 2], "uint8"),
        (1.5, "float16"),
        (np.ones(2), "float32"),
        (np.ones(2, np.longdouble), "float32"),
        (np.ones(2, np.clongdouble), "complex64"),
        (1, "complex64"),
    ],
)
def test_a_dtype_may_be_asked_for(value: Any, dtype: str) -> None:
    assert tf.constant(value, dtype).dtype == dtype
    assert tf.convert_to_tensor(value, dtype).dtype == dtype
    assert tf.convert_to_tensor(value, dtype_hint=dtype).dtype == dtype


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.array([1.0, -2.0]), "int32"),
        (np.array([True, False]), "float32"),
        (np.array([0, 1]), "bool"),
        (np.float64(3.0), "uint8"),
        (np.zeros((0, 2)), "int64"),
    ],
)
def test_an_array_of_another_kind_has_the_dtype_that_is_asked_for(array: Any, dtype: str) -> None:
    expected = np.asarray(array).astype(dtype)
    made = [tf.constant(array, dtype), tf.convert_to_tensor(array, dtype)]
    if array.size:
        made.append(tf.Variable(array, dtype=dtype).value())
    for tensor in made:
        assert tensor.dtype == dtype
        assert np.array_equal(tensor.numpy(), expected)


@pytest.mark.parametrize(
    ("value", "dtype", "error", "message"),
    [
        (1.5, "int32", TypeError, "1.5.*int32"), ("a", "int32", TypeError, "'a'.*int32"),
        (True, "float32", TypeError, "True.*float32"), ([1.5], "int32", TypeError, "int32"),
        (1, "string", TypeError, "1.*string"), (300, "uint8", ValueError, "300 does not fit"),
        (-1, "uint8", ValueError, "-1 does not fit"), (2**40, None, ValueError, "dtype=tf.int64"),
        ([2**40], None, ValueError, "dtype=tf.int64"), ([1, 2**70], None, ValueError, "not fit"),
        (2**63, "int64", ValueError, "dtype=tf.uint64"),
        (-(2**70), None, ValueError, "dtype=tf.float64"),
        (10**400, None, ValueError, "holds -2147483648 to 2147483647$"),
        ([[1, 2], [3]], None, ValueError, "lengths 1, 2"), ([1, "a"], None, TypeError, "int, str"),
        ([True, 1.5], None, TypeError, "do not mix"), (object(), None, TypeError, "object"),
        (None, None, TypeError, "NoneType"), ({1: 2}, None, TypeError, "dict"),
        (np.array(["2020"], "M8[D]"), None, TypeError, "datetime64"),
        ([None], None, TypeError, "NoneType"),
        (np.array([2.0, 1.5]), "int32", TypeError, r"^1\.5 is none of.*int32.*tf\.cast\(array"),
        (np.array([np.nan]), "int64", TypeError, "^nan is none of the values of dtype int64"),
        (np.array([2]), "bool", TypeError, "^2 is none of the values of dtype bool"),
        (np.array([300.0]), "uint8", TypeError, "^300.0 is none of"),
        (np.array([2**40]), "int32", ValueError, "not fit"),
    ],
)  # fmt: skip
def test_bad_values_are_refused(value: Any, dtype: Any, error: Any, message: str) -> None:
    for make in (tf.constant, tf.convert_to_tensor):
        with pytest.raises(error, match=message):
            make(value, dtype)


def test_tensors_in_lists_are_stacked() -> None:
    x, y = tf.constant(1.0), tf.constant(2.0)
    assert tf.convert_to_tensor([x, y]).numpy().tolist() == [1, 2]
    assert tf.constant([[x, 3], [y, 4]]).numpy().tolist() == [[1, 3], [2, 4]]
    assert tf.convert_to_tensor([x, 1]).dtype == tf.float32


def test_constant_shapes() -> None:
    assert tf.constant(7, shape=(2, 2)).numpy().tolist() == [[7, 7], [7, 7]]
    assert tf.constant([1, 2, 3, 4], shape=(2, 2)).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(errors.InvalidArgumentError, match="4 elements"):
        tf.constant([1, 2, 3, 4], shape=(3,))


def test_another_dtype_of_a_tensor_is_refused() -> None:
    with pytest.raises(errors.InvalidArgumentError, match=r"tf\.cast"):
        tf.convert_to_tensor(tf.constant(1), tf.float32)


def test_a_tensor_never_changes() -> None:
    source = np.array([1.0, 2.0])
    x = tf.constant(source)
    y = x[:1]
    source[0] = 9
    x.numpy()[0] = 9
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 9
    assert x.numpy().tolist() == [1, 2]
    assert y.numpy().tolist() == [1]
    before = x
    x += 1
    assert before.numpy().tolist() == [1, 2]
    assert x.numpy().tolist() == [2, 3]


@pytest.mark.parametrize("name", ["assign", "nothing", "T"])
def test_missing_attributes(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(tf.constant(1), name)


# Printing: as the source documents show


@pytest.mark.parametrize(
    ("value", "text", "represented"),
    [
        (
            [[1, 2], [3, 4]],
            "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)",
            "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\n"
            "array([[1, 2],\n       [3, 4]], dtype=int32)>",
        ),
        (
            [[2.0]], "tf.Tensor([[2.]], shape=(1, 1), dtype=float32)",
            "<tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[2.]], dtype=float32)>",
        ),
        (
            5.5, "tf.Tensor(5.5, shape=(), dtype=float32)",
            "<tf.Tensor: shape=(), dtype=float32, numpy=5.5>",
        ),
        (
            0.1, "tf.Tensor(0.1, shape=(), dtype=float32)",
            "<tf.Tensor: shape=(), dtype=float32, numpy=0.1>",
        ),
        (3, "tf.Tensor(3, shape=(), dtype=int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
        (
            True, "tf.Tensor(True, shape=(), dtype=bool)",
            "<tf.Tensor: shape=(), dtype=bool, numpy=True>",
        ),
        (
            "helloworld", "tf.Tensor(b'helloworld', shape=(), dtype=string)",
            "<tf.Tensor: shape=(), dtype=string, numpy=b'helloworld'>",
        ),
        (
            ["a", "b"], "tf.Tensor([b'a' b'b'], shape=(2,), dtype=string)",
            "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
        ),
    ],
)  # fmt: skip
def test_printed_forms(value: Any, text: str, represented: str) -> None:
    assert str(tf.constant(value)) == text
    assert repr(tf.constant(value)) == represented


def test_formatted_forms() -> None:
    assert f"hello, {tf.constant([[4.0]])}" == "hello, [[4.]]"
    assert f"{tf.constant(3.14159):.3f}" == "3.142"
    assert f"{tf.constant(7):03d}" == "007"
    assert f"{tf.constant('a')}" == "b'a'"
    assert f"{tf.constant(2.0)}" == "2.0"
    assert "%s" % (tf.constant(2.0),) == "tf.Tensor(2.0, shape=(), dtype=float32)"  # noqa: UP031


def test_results_of_ops_are_printed_alike() -> None:
    assert repr(tf.constant(1.0) + 1.5) == "<tf.Tensor: shape=(), dtype=float32, numpy=2.5>"
    assert str(tf.constant(2) > 1) == "tf.Tensor(True, shape=(), dtype=bool)"
    assert repr(tf.constant("a") + "b") == "<tf.Tensor: shape=(), dtype=string, numpy=b'ab'>"
    assert str(type(tf.constant(1))) == "<class 'runtime.core.tensor.EagerTensor'>"


# Python


def test_python_numbers() -> None:
    assert int(tf.constant(3)) == 3
    assert int(tf.constant([3.7])) == 3
    assert float(tf.constant(2.5)) == 2.5
    assert complex(tf.constant(1j)) == 1j
    assert round(tf.constant(2.6)) == 3
    assert math.sqrt(tf.constant(4.0)) == 2
    assert [10, 20, 30][tf.constant(1)] == 20
    assert list(range(tf.constant(3))) == [0, 1, 2]
    assert bool(tf.constant([[1]])) is True
    assert not tf.constant(0.0)


@pytest.mark.parametrize(
    ("use", "value", "error", "message"),
    [
        (bool, [1, 2], ValueError, "ambiguous.*reduce_any"),
        (int, [1, 2], TypeError, "one element"),
        (float, [], TypeError, "one element"), (len, 1, TypeError, "Scalar tensor"),
        (iter, 1, TypeError, "scalar"), (hash, 1, TypeError, r"tensor\.ref\(\)"),
        (range, 1.5, TypeError, "integer scalar"), (range, [1], TypeError, "integer scalar"),
        (lambda text: "b" in text, "abc", TypeError, "no items"),
        (lambda number: 1 in number, 1, TypeError, "compare it by =="),
    ],
)  # fmt: skip
def test_what_python_may_not_do(use: Any, value: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        use(tf.constant(value))


def test_sequences() -> None:
    x = tf.constant([[1, 2], [3, 4]])
    assert len(x) == 2
    assert [row.numpy().tolist() for row in x] == [[1, 2], [3, 4]]
    a, b = tf.constant([1, 2])
    assert (int(a), int(b)) == (1, 2)
    assert 3 in x
    assert 5 not in x


def test_references_identify() -> None:
    x, y = tf.constant(1), tf.constant(1)
    assert x.ref() == x.ref()
    assert x.ref() != y.ref()
    assert {x.ref(): "x"}[x.ref()] == "x"
    assert x.ref().deref() is x


def test_items_cannot_be_assigned() -> None:
    x: Any = tf.constant([1, 2])
    with pytest.raises(TypeError, match="tensor_scatter_nd_update"):
        x[0] = 1
    with pytest.raises(TypeError, match="deletion"):
        del x[0]


def test_copies_and_pickles() -> None:
    for x in (tf.constant([[1.5]]), tf.constant(2), tf.constant("ab")):
        for copied in (copy.copy(x), copy.deepcopy([x])[0]):
            assert copied.dtype is x.dtype
            assert np.array_equal(copied.numpy(), x.numpy())
        back = pickle.loads(pickle.dumps(x))
        assert back.dtype is x.dtype
        assert np.array_equal(back.numpy(), x.numpy())


def test_tensors_are_released() -> None:
    x = tf.constant([1.0])
    dead = weakref.ref(x + 1)
    gc.collect()
    assert dead() is None


def test_facts() -> None:
    x = tf.constant(MATRIX)
    assert (x.ndim, x.shape.as_list(), x.get_shape().rank) == (2, [3, 4], 2)
    assert x.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert x.cpu() is x
    assert tf.is_tensor(x)
    assert not tf.is_tensor(MATRIX)
    assert tf.executing_eagerly()
    x.set_shape([3, None])
    with pytest.raises(ValueError, match="cannot be given the shape"):
        x.set_shape([4, 4])
    with pytest.raises(RuntimeError, match="GPU"):
        x.gpu()


# Operators


def test_operators_are_pythons() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 2, (2, 2)), rng.uniform(0.5, 2, (2, 2))
    expressions = [
        "x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x @ y", "-x", "+x",
        "abs(x)",
        "x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y", "x + 1", "1 + x", "2.5 - x",
        "x * 2",
        "3 / x", "x / 3", "7 // x", "x // 2", "x % 0.3", "5 % x", "x ** 2", "2 ** x", "x < 1",
        "1 < x",
        "x == 1", "x != 1.5", "(x > 1) & (y > 1)", "(x > 1) | (y > 1)", "(x > 1) ^ (y > 1)",
        "~(x > 1)",
    ]  # fmt: skip
    for expression in expressions:
        made = eval(expression, {"x": tf.constant(a), "y": tf.constant(b)})
        np.testing.assert_allclose(made.numpy(), eval(expression, {"x": a, "y": b}), rtol=1e-15)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_integer_operators_are_pythons(dtype: str) -> None:
    low = 0 if dtype == "uint8" else -7
    for a in range(low, 8):
        for b in (*range(low, 0), *range(1, 8)):
            x, y = tf.constant(a, dtype), tf.constant(b, dtype)
            assert (int(x // y), int(x % y)) == divmod(a, b)
            assert (int(x // b), int(a % y)) == divmod(a, b)


def test_bits_of_integers() -> None:
    x, y = tf.constant([12, 10]), tf.constant([10, 3])
    assert (x & y).numpy().tolist() == [8, 2]
    assert (x | 1).numpy().tolist() == [13, 11]
    assert (x ^ y).numpy().tolist() == [6, 9]
    assert (~x).numpy().tolist() == [-13, -11]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("i + f", errors.InvalidArgumentError), ("f * d", errors.InvalidArgumentError),
        ("i + 1.5", TypeError), ("1.5 * i", TypeError), ("f + 1j", TypeError),
        ("f + True", TypeError),
        ("i < 0.5", TypeError), ("b + b", errors.InvalidArgumentError),
        ("-b", errors.InvalidArgumentError),
        ("f & f", errors.InvalidArgumentError), ("~f", errors.InvalidArgumentError),
        ("i == f", errors.InvalidArgumentError), ("i + 2**40", ValueError), ("f + 'a'", TypeError),
        ("f + object()", TypeError), ("f + None", TypeError),
        ("s - s", errors.InvalidArgumentError),
        ("i // 0", errors.InvalidArgumentError), ("i % 0", errors.InvalidArgumentError),
        ("i ** -1", errors.InvalidArgumentError), ("u + 300", ValueError),
        ("s < s", errors.InvalidArgumentError),
    ],
)  # fmt: skip
def test_dtypes_do_not_mix(expression: str, error: Any) -> None:
    names = {
        "i": tf.constant([1, 2]), "f": tf.constant([1.0, 2.0]), "b": tf.constant([True, False]),
        "d": tf.constant([1.0, 2.0], tf.float64), "s": tf.constant(["a", "b"]),
        "u": tf.constant([1, 2], tf.uint8),
    }  # fmt: skip
    with pytest.raises(error):
        eval(expression, names)


def test_strings_add_and_compare() -> None:
    x = tf.constant(["a", "b"])
    assert (x + "c").numpy().tolist() == [b"ac", b"bc"]
    assert ("c" + x).numpy().tolist() == [b"ca", b"cb"]
    assert (x == "a").numpy().tolist() == [True, False]
    assert (tf.constant("a") == tf.constant("a")).numpy()


@pytest.mark.parametrize("other", [Fraction(3), Decimal(3), [Fraction(3)]])
def test_equality_with_numbers_that_are_no_tensors_is_an_error(other: Any) -> None:
    x = tf.constant(3)
    for asked in (lambda: x == other, lambda: other == x, lambda: x != other):
        with pytest.raises(errors.WrongDtypeError, match="Cannot convert"):
            asked()


def test_equality_never_raises_for_shapes() -> None:
    x = tf.constant([1, 2])
    assert not bool(x == tf.constant([1, 2, 3]))
    assert bool(x != tf.constant([1, 2, 3]))
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711


class EqualToAll:
    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


@pytest.mark.parametrize("other", ["text", b"text", {}, {1}, object(), int, ..., len, EqualToAll()])
@pytest.mark.parametrize("plain", [1, 2.5, True])
def test_equality_with_what_is_no_number_is_pythons(plain: Any, other: Any) -> None:
    x = tf.constant(plain)
    assert (x == other) is (plain == other)
    assert (other == x) is (other == plain)
    assert (x != other) is (plain != other)
    assert (x in ("a", None, other)) is (plain in ("a", None, other))
    assert bool(tf.function(lambda x: x == other)(x)) is (plain == other)


class Foreign:
    """Knows how to deal with tensors itself."""

    def __radd__(self, other: Any) -> str:
        return "foreign"

    def __gt__(self, other: Any) -> str:
        return "greater"


def test_other_classes_may_take_over() -> None:
    assert tf.constant(1) + Foreign() == "foreign"
    assert (tf.constant(1) < Foreign()) == "greater"


# NumPy


def test_numpy_functions_return_arrays() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for made in (
        np.multiply(x, x),
        np.sum(x, axis=0),
        np.sin(x),
        np.concatenate([x, x]),
        np.array(x),
    ):
        assert type(made) is np.ndarray
    assert np.multiply(x, 2).tolist() == [[2, 4], [6, 8]]
    assert np.asarray(x, np.float64).dtype == np.float64
    assert np.asarray(tf.constant(1.5)).shape == ()
    assert np.array(x, copy=True).flags.owndata is not False
    with pytest.raises(ValueError, match="cop"):
        np.array(x, dtype=np.int32, copy=False)


def test_arrays_meet_tensors() -> None:
    x = tf.constant([1.0, 2.0])
    for made in (
        np.array([1.0, 1.0]) + x,
        x + np.array([1.0, 1.0]),
        np.float64(1) + x,
        np.int64(1) * x,
    ):
        assert isinstance(made, tf.Tensor)
        assert made.dtype == tf.float32
    assert (np.array([[1.0]]) @ tf.constant([[2.0]])).numpy().tolist() == [[2]]
    assert (np.array([1.0, 5.0]) > x).numpy().tolist() == [False, True]
    with pytest.raises(errors.InvalidArgumentError):
        tf.constant([1, 2]) + np.array([1.5, 2.5])


def test_dlpack() -> None:
    x = tf.constant(MATRIX)
    assert np.array_equal(np.from_dlpack(x), MATRIX)
    assert x.__dlpack_device__() == (1, 0)
    old_protocol = np.array(MATRIX)
    assert type(x.__dlpack__()) is type(old_protocol.__dlpack__())


def test_memory_that_a_tensor_lends_cannot_be_written() -> None:
    for value in (MATRIX, np.float32(1.5), np.zeros((0, 2)), np.float16([1, 2]), 1j, [True]):
        x = tf.constant(value)
        before = x.numpy()
        views = [np.asarray(x), x.__array__(), np.array(x, copy=False), np.asarray(x)[...]]
        for view in [*views, np.frombuffer(x.__buffer__(0), x.dtype.np_dtype) if x.shape else None]:
            assert view is None or not view.flags.writeable
        for view in views:
            assert view.dtype == x.dtype.np_dtype
            with pytest.raises(ValueError, match="WRITEABLE"):
                view.setflags(write=True)
        # A consumer that minds no flags has memory of its own.
        own = np.from_dlpack(x, copy=True)
        own[...] = 7
        np.from_dlpack(x)[...] = 7
        assert np.array_equal(x.numpy(), before)
    with pytest.raises(BufferError, match="immutable"):
        np.from_dlpack(tf.constant(MATRIX), copy=False)


def test_buffers_are_read_only() -> None:
    view = tf.constant([1, 2]).__buffer__(0)
    assert view.readonly
    assert view.tolist() == [1, 2]


# Indexing


KEYS = [
    "0", "-1", "1, 2", "1:", "::2", "::-1", "1:3, 1", "..., 0", "None", ":, None, 1",
    "..., None", "-2:",
    "5:", "2:0:-1", "0, ...", "...", "()", "1:, ::2", "None, ..., None", "np.int64(1)",
    "True == 2 or 1",
    "[0, 2]", "[0, 2], 1", ":, [1, 1, 0]", "[[0, 1], [2, 0]]", "[0, 1], [2, 3]", "m", "v", "v, 0",
    "[2, -1]", "None, [1]", "..., [0, 3]", "np.array([1, 2])", "1:, [0, 1]", "[0], 1:3", "m[:, 0]",
    "[], ", "slice(np.int32(1), None)",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_indexing_is_numpys(key: str) -> None:
    for array in (MATRIX, np.array([["a", "bb", "c", "d"]] * 3, object)):
        names = {"x": array, "np": np, "m": MATRIX > 5, "v": np.array([True, False, True])}
        expected = eval(f"x[{key}]", names)
        made = eval(f"x[{key}]", {**names, "x": tf.constant(array)})
        assert made.shape == np.shape(expected)
        wanted = expected.astype("S") if array.dtype == object and np.ndim(expected) else expected
        assert np.array_equal(
            np.asarray(made, wanted.dtype) if np.ndim(wanted) else made.numpy(), _bytes(wanted)
        )


def _bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def test_indexing_with_tensors() -> None:
    x, i = tf.constant(MATRIX), tf.constant(1)
    assert np.array_equal(x[i], MATRIX[1])
    assert np.array_equal(x[i:], MATRIX[1:])
    assert np.array_equal(x[: i + 1, -i], MATRIX[:2, -1])
    assert np.array_equal(x[tf.constant([2, 0])], MATRIX[[2, 0]])
    assert np.array_equal(x[x > 5], MATRIX[MATRIX > 5])
    assert np.array_equal(x[i, tf.constant([0, 3])], MATRIX[1, [0, 3]])
    cube = np.arange(24).reshape(2, 3, 4)
    assert np.array_equal(tf.constant(cube)[[0, 1], :, [1, 2]], cube[[0, 1], :, [1, 2]])
    assert np.array_equal(tf.constant(cube)[:, [0, 1], [1, 2]], cube[:, [0, 1], [1, 2]])
    assert np.array_equal(tf.constant(cube)[0, :, [1, 2]], cube[0, :, [1, 2]])


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (3, errors.InvalidArgumentError, "slice index 3 of dimension 0 out of bounds"),
        ((0, -5), errors.InvalidArgumentError, "out of bounds"),
        ((0, 0, 0), errors.InvalidArgumentError, "too many indices"),
        (slice(None, None, 0), errors.InvalidArgumentError, "strides must be non-zero"),
        (1.5, TypeError, "valid indices"), ("a", TypeError, "valid indices"),
        ((..., ...), ValueError, "single ellipsis"), ([5], errors.InvalidArgumentError, "not in"),
        (True, TypeError, "valid indices"), ([1.5], TypeError, "float32"),
        (([0], [0], [0]), errors.InvalidArgumentError, "too many indices"),
        ([True, False], errors.InvalidArgumentError, r"mask.*\(2,\).*\(3,\)"),
        ((..., [True]), errors.InvalidArgumentError, r"mask.*\(1,\).*\(4,\)"),
    ],
)  # fmt: skip
def test_bad_indices(key: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tf.constant(MATRIX)[key]


SET_KEYS = [
    "0",
    "1, 2",
    "1:",
    "::2, 1",
    "...",
    "m",
    "[0, 2]",
    "-1",
    ":, [1, 3]",
    "v",
    "[2, 0], [1, 1]",
]


@pytest.mark.parametrize("key", SET_KEYS)
def test_setitem_is_numpys(key: str) -> None:
    from runtime import ops

    names = {"np": np, "m": MATRIX > 5, "v": np.array([True, False, True]), "k": np.index_exp}
    expected = MATRIX.copy()
    index = eval(f"k[{key}]", names)
    value = np.full(np.shape(expected[index]), -1.0)
    expected[index] = value
    x = tf.constant(MATRIX)
    assert np.array_equal(ops.setitem(x, index, value), expected)
    assert np.array_equal(ops.setitem(x, index, -1.0), expected)
    assert np.array_equal(x, MATRIX)


def test_setitem_refuses_what_does_not_fit() -> None:
    from runtime import ops

    x = tf.constant([1, 2, 3])
    with pytest.raises(errors.InvalidArgumentError, match=r"\(2,\) does not fit|do not broadcast"):
        ops.setitem(x, slice(None), [1, 2])
    with pytest.raises(errors.InvalidArgumentError, match="out of bounds"):
        ops.setitem(x, 3, 1)
    with pytest.raises(TypeError, match="int32"):
        ops.setitem(x, 0, 1.5)


# Threads and nesting


def test_other_threads_compute_quietly() -> None:
    results: list[Any] = []

    def work() -> None:
        with np.errstate(all="raise"):
            results.append((tf.constant([1.0]) / 0.0).numpy())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.isinf(r).all() for r in results)
    assert len(results) == 4


def test_ops_may_be_used_while_an_op_is_computed() -> None:
    # As finalizers, signal handlers and debuggers do.
    inner = EagerTensor(np.float32(1))

    def kernel(x: Any) -> Any:
        return (inner + 1.0).raw + tf.reduce_sum(tf.constant([1.0, 2.0])).raw + x

    from runtime.core.primitive import Primitive

    nested = Primitive("nested", kernel, signature="G->G", shape=lambda shape: shape)
    assert float(bind(nested, tf.constant(1.0))) == 6.0
    assert state.context.run(lambda: float(inner + 1.0)) == 2.0
    assert "nested" not in TABLE


def test_references_can_be_held_weakly() -> None:
    x = tf.constant(1.0)
    held = x.ref()
    weak = weakref.ref(held)
    assert weak() is held
    assert weak().deref() is x
    del held
    assert weak() is None
    assert tf.Variable(1.0).initializer is None


@pytest.mark.parametrize("convert", [int, float])
def test_complex_numbers_are_no_real_ones(convert: Any) -> None:
    with pytest.raises(TypeError):
        convert(tf.constant(1 + 2j))


def test_tensors_have_no_attributes_of_the_users() -> None:
    with pytest.raises(AttributeError):
        tf.constant(1.0).tag = 3


@pytest.mark.parametrize("other", [[], [1, 2], [[1, 2]], ()])
@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "staged"])
def test_what_does_not_broadcast_is_unequal(way: Any, other: Any) -> None:
    def compared(a: Any) -> Any:
        return (1 if a == other else 2), (3 if a != other else 4)

    assert [int(x) for x in way(compared)(tf.constant([1, 2, 3]))] == [2, 3]
