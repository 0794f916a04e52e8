"""The classes of the errors of eager ops, which callers may catch as TensorFlow's."""

import copy
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors

X = tf.constant([1.0, 2.0])
VARIABLE = tf.Variable([1.0, 2.0], name="v")
DTYPES: dict[str, Any] = {
    "float beside int": lambda: tf.constant([1, 2]) + 1.5,
    "text beside int": lambda: tf.constant(1) + "a",
    "text beside int, compared": lambda: tf.equal(tf.constant(1), "a"),
    "float dimensions": lambda: tf.reshape(X, [2.0, 3.0]),
    "float dimensions in a tensor": lambda: tf.reshape(X, tf.constant([2.0, 3.0])),
    "None": lambda: tf.constant(None),
    "dict": lambda: tf.constant({}),
    "object": lambda: tf.constant(object()),
    "another dtype assigned": lambda: VARIABLE.assign(tf.constant([1, 2])),
    "another dtype added": lambda: VARIABLE.assign_add(tf.constant([1, 2])),
    "another dtype in a slice": lambda: VARIABLE[:1].assign(tf.constant([1])),
    "text assigned": lambda: VARIABLE.assign("text"),
    "mixed list": lambda: tf.constant([1, "a"]),
    "None in a list": lambda: tf.constant([1, None]),
}
VALUES: dict[str, Any] = {
    "split into none": lambda: tf.split(X, 0),
    "split into less": lambda: tf.split(X, -1),
    "concat of nothing": lambda: tf.concat([], 0),
    "two ellipses": lambda: X[..., ...],
}


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize(
    "run", [lambda f: f(), lambda f: tf.function(f)()], ids=["eager", "traced"]
)
def test_wrong_dtypes(run: Any, name: str) -> None:
    with pytest.raises(errors.WrongDtypeError) as caught:
        run(DTYPES[name])
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, errors.InvalidArgumentError)


INTS = tf.constant([1, 2])


@pytest.mark.parametrize(
    "run", [lambda f: f(INTS), lambda f: tf.function(f)(INTS)], ids=["eager", "traced"]
)
def test_the_way_out_is_the_hint(run: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError) as caught:
        run(lambda x: x**-INTS)
    assert caught.value.detail == "Integers to negative integer powers are not allowed"
    assert "tf.cast" in (caught.value.hint or "")


MESSAGES: dict[str, tuple[Any, str]] = {
    "number": (
        lambda: INTS + 1.5,
        "AddV2: Cannot convert 1.5 to a tensor of dtype int32; write a value of that kind, or "
        "tf.cast the other operand [inputs: int32[2], Python float]",
    ),
    "number first": (
        lambda: 1.5 * INTS,
        "Mul: Cannot convert 1.5 to a tensor of dtype int32; write a value of that kind, or "
        "tf.cast the other operand [inputs: Python float, int32[2]]",
    ),
    "tensor": (
        lambda: INTS - X,
        "Sub: input 1 has dtype float32, but input 0 has dtype int32; both must be the same "
        "(convert one with cast) [inputs: int32[2], float32[2]]",
    ),
    "array": (
        lambda: tf.less(INTS, np.ones((2, 1))),
        "Less: input 1 has dtype float64, but input 0 has dtype int32; both must be the same "
        "(convert one with cast) [inputs: int32[2], float64[2,1]]",
    ),
    "assigned": (
        lambda: VARIABLE.assign(INTS),
        "AssignVariableOp: Cannot assign value to variable 'v:0': the variable has dtype float32, "
        "the value has dtype int32; convert it with tf.cast [inputs: float32[2], int32[2]]",
    ),
    "text added to a variable": (
        lambda: VARIABLE.assign_add("a"),
        "AssignAddVariableOp: Cannot assign value to variable 'v:0': Cannot convert 'a' to a "
        "tensor of dtype float32; write a value of that kind, or tf.cast the other operand "
        "[inputs: float32[2], str]",
    ),
    "subtracted from a variable": (
        lambda: VARIABLE.assign_sub(INTS),
        "AssignSubVariableOp: Cannot assign value to variable 'v:0': the variable has dtype "
        "float32, the value has dtype int32; convert it with tf.cast "
        "[inputs: float32[2], int32[2]]",
    ),
    "made of other ops": (
        lambda: tf.nn.l2_loss(INTS),
        "L2Loss: input 0 has dtype int32, which it does not take: cast it [inputs: int32[2]]",
    ),
    "op that does not take it": (
        lambda: tf.sqrt(INTS),
        "Sqrt: input 0 has dtype int32, which it does not take; it takes float16, float32, "
        "float64, complex64, complex128 (convert it with cast) [inputs: int32[2]]",
    ),
}


@pytest.mark.parametrize(
    "run", [lambda f: f(), lambda f: tf.function(f)()], ids=["eager", "traced"]
)
@pytest.mark.parametrize("name", MESSAGES)
def test_messages_name_op_shapes_and_dtypes(run: Any, name: str) -> None:
    call, message = MESSAGES[name]
    with pytest.raises(errors.WrongDtypeError) as caught:
        run(call)
    # While tracing, the place follows the inputs.
    message = re.escape(message).replace(r"\]", rf"(; at {re.escape(__file__)}:\d+:\d+)?\]")
    assert re.search(f"{message}$", str(caught.value).partition("\n")[0])


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize(
    "run", [lambda f: f(), lambda f: tf.function(f)()], ids=["eager", "traced"]
)
def test_another_shape_is_assigned_in_one_text(run: Any, method: str) -> None:
    message = (
        "Cannot assign value to variable 'v:0': it has the shape (2,), the value has the shape "
        "(3,), and these are not compatible"
    )
    with pytest.raises(errors.InvalidArgumentError, match=re.escape(message)):
        run(lambda: getattr(VARIABLE, method)(tf.ones([3])))


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        (2**40, None, "1099511627776 does not fit dtype int32, which holds -2147483648 to "),
        (
            300,
            tf.uint8,
            "300 does not fit dtype uint8, which holds 0 to 255; ask for dtype=tf.int64",
        ),
        ([1, -1], tf.uint16, "-1 does not fit dtype uint16, which holds 0 to 65535; ask for "),
        (
            [10**30],
            tf.int64,
            "10{30} does not fit dtype int64, which holds -9223372036854775808 to",
        ),
        (10**400, tf.float32, "0 does not fit dtype float32"),
        ([[1, 2], [3]], None, "its rows have lengths 1, 2"),
    ],
)
def test_numbers_out_of_range_and_ragged_lists(value: Any, dtype: Any, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=message):
        tf.constant(value, dtype)
    with pytest.raises(errors.InvalidArgumentError, match=message):
        tf.function(lambda: tf.constant(value, dtype))()


def test_floats_out_of_range_become_infinite() -> None:
    assert tf.constant([1e39, -1e39]).numpy().tolist() == [math.inf, -math.inf]
    assert tf.constant(1e39, tf.float32).numpy() == math.inf


@pytest.mark.parametrize("name", VALUES)
def test_wrong_values(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError):
        VALUES[name]()


def test_classes_while_tracing() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="must be positive") as refused:
        tf.function(lambda x: tf.split(x, 0))(X)
    assert isinstance(refused.value, ValueError)


def test_names_at_the_root() -> None:
    assert tf.as_string(tf.constant([1, 2])).numpy().tolist() == [b"1", b"2"]
    assert tf.map_fn(lambda t: t * 2, X).numpy().tolist() == [2.0, 4.0]
    assert tf.scan(lambda a, t: a + t, X).numpy().tolist() == [1.0, 3.0]
    assert float(tf.foldl(lambda a, t: a - t, X)) == -1.0
    assert float(tf.foldr(lambda a, t: a - t, X)) == 1.0


class OfTheUsers(errors.InvalidArgumentError):
    def __init__(self, amount: int) -> None:
        super().__init__(None, "Op", f"amount {amount}", inputs=("int32[]",), hint="less")
        self.amount = amount


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
@pytest.mark.parametrize(
    "error", [OfTheUsers(3), errors.NotFoundError(None, None, "x"), errors.WrongDtypeError("y")]
)
def test_copies(clone: Any, error: Any) -> None:
    made = clone(error)
    assert type(made) is type(error)
    assert (str(made), made.args, vars(made)) == (str(error), error.args, vars(error))


@pytest.mark.parametrize("repeats", [[1, 2, 3], [[1]]])
def test_repeats_of_another_length(repeats: Any) -> None:
    message = r"^Repeat: repeats has the shape \(.*for 2 elements or slices.*inputs: int32\["
    for run in (lambda f: f(), lambda f: tf.function(f)()):
        with pytest.raises(errors.InvalidArgumentError, match=message):
            run(lambda: tf.repeat(tf.ones([2, 3]), repeats, axis=0))
