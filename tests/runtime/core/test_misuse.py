"""Ways to misuse functions and graphs: each error has the documented class, points at the line that
`# <-` marks, by its message or its traceback, and names what it is about and a way out.
"""

# The programs are written as users write them.
# ruff: noqa: B007, SIM108

from __future__ import annotations

import contextlib
import datetime
import functools
import inspect
import json
import re
import threading
import traceback
from array import array
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph import StagingError
from runtime import errors

X = rt.constant(1.0)
N = rt.constant(3)
V3 = rt.constant([1.0, 2.0, 3.0])
W = rt.Variable(1.0)
GLOBAL: Any = None
SCALAR = rt.TensorSpec([], rt.float32)
ANY = rt.TensorSpec(None, rt.float32)
VECTOR = rt.TensorSpec([None], rt.float32)
PAIRS = rt.TensorSpec([None, 2], rt.float32)

InGraph = errors.OperatorNotAllowedInGraphError
Leaked = errors.InaccessibleTensorError
Invalid = errors.InvalidArgumentError

Misuse = tuple[Callable[[], Any], type[Exception], tuple[str, ...]]
MISUSES: list[Misuse] = []


def misuse(kind: type[Exception], *fragments: str) -> Callable[[Callable[[], Any]], Any]:
    """A row of the table: what is wrong, the class of its error, and what must be said."""

    def enter(program: Callable[[], Any]) -> Any:
        MISUSES.append((program, kind, fragments))
        return program

    return enter


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value


@rt.function(input_signature=[PAIRS])
def signed(pairs):
    return pairs * 2.0


@rt.function(input_signature=[{"a": SCALAR}])
def signed_dict(d):
    return d["a"]


@rt.function
def doubled(x):
    return x * 2.0


@rt.function
def summed(x, y):
    return x + y


@rt.function
def scaled(x, *, scale):
    return x * scale


# Arguments and signatures


@misuse(
    TypeError, "signed(): argument 'pairs'", "shape (3,)", "expected TensorSpec(shape=(None, 2)"
)
def rank():
    signed(V3)  # <-


@misuse(TypeError, "argument 'pairs' has dtype int32", "expected TensorSpec")
def dtype():
    signed(rt.constant([[1, 2]]))  # <-


@misuse(TypeError, "argument 'pairs': Cannot convert a value of type NoneType", "expected TensorSp")
def none_for_a_tensor():
    signed(None)  # <-


@misuse(TypeError, "argument 'pairs': Cannot convert 'abc' to a tensor of dtype float32; expected")
def text_for_a_tensor():
    signed("abc")  # <-


@misuse(TypeError, "argument 'pairs'", "its rows have lengths 1, 2", "expected TensorSpec")
def ragged_for_a_tensor():
    signed([[1.0, 2.0], [3.0]])  # <-


@misuse(TypeError, "argument 'd': expected a dict with ('a',), got {'b': 1.0}")
def other_keys():
    signed_dict({"b": 1.0})  # <-


@misuse(TypeError, "argument \"d['a']\" has dtype int32", "expected TensorSpec(shape=()")
def dtype_in_a_dict():
    signed_dict({"a": N})  # <-


@misuse(TypeError, "signed(): too many positional arguments (parameters: pairs)")
def too_many_for_a_signature():
    signed([[1.0, 2.0]], 2)  # <-


@misuse(TypeError, "signed(): missing argument 'pairs': expected TensorSpec")
def too_few_for_a_signature():
    signed()  # <-


@misuse(TypeError, "its input_signature has 3 entries, for 2 parameters")
def too_long_a_signature():
    rt.function(summed.python_function, input_signature=[SCALAR] * 3)(X, X)  # <-


@misuse(TypeError, "no entry for argument 'y', which has no default")
def too_short_a_signature():
    rt.function(summed.python_function, input_signature=[SCALAR])(X, X)  # <-


@misuse(TypeError, "input_signature must be a list or tuple, not TensorSpec")
def a_spec_for_a_signature():
    rt.function(input_signature=SCALAR)  # <-


@misuse(TypeError, "input_signature has tf.float32 for argument 'x', not a TensorSpec")
def a_dtype_for_a_spec():
    rt.function(doubled.python_function, input_signature=[rt.float32])(X)  # <-


@misuse(TypeError, "summed(): missing a required argument: 'y' (parameters: x, y)")
def missing():
    summed(X)  # <-


@misuse(TypeError, "summed(): too many positional arguments (parameters: x, y)")
def too_many():
    summed(X, X, X)  # <-


@misuse(TypeError, "doubled(): got an unexpected keyword argument 'y' (parameters: x)")
def unexpected():
    doubled(X, y=2)  # <-


@misuse(TypeError, "doubled(): multiple values for argument 'x'")
def given_twice():
    doubled(X, x=2)  # <-


@misuse(TypeError, "missing a required", "'scale' (parameters: x, scale)")
def missing_keyword():
    scaled(X)  # <-


@misuse(TypeError, "doubled(): argument 'x': Cannot convert a value of type object to a tensor")
def array_of_objects():
    doubled(np.array([object()]))  # <-


@misuse(TypeError, "doubled(): argument \"x['a'][0]\": Unsupported array dtype datetime64[D]")
def array_of_dates():
    doubled({"a": [np.array(["2020-01-01"], dtype="datetime64[D]")]})  # <-


@rt.function
def uses(x):
    return x * 2.0  # <- of those that name it


def _argument(shown: str, kind: str) -> tuple[str, ...]:
    return f"uses() was given {shown}", f"argument 'x': in there it is a Python {kind}", "tf.const"


for _value, _shown, _kind in (
    (object(), "<object", "object"),
    ([[1.0, 2.0], [3.0]], "[[1.0, 2.0], [3.0]]", "list"),
    ({1, 2}, "{1, 2}", "set"),
    ("abc", "'abc'", "str"),
    (None, "None", "NoneType"),
):
    MISUSES.append((lambda value=_value: uses(value), TypeError, _argument(_shown, _kind)))  # type: ignore[misc]


@misuse(
    TypeError, "Cannot convert a value of type U to a tensor", "its argument 'u'", "tf.constant"
)
def an_unhashable_object_as_an_operand():
    class U:
        __hash__ = None

        def __eq__(self, other):
            return True

    summing = rt.function(lambda x, u: x + u)  # <-
    summing(X, U())


@misuse(errors.WrongDtypeError, "input 1 has dtype int32", "convert one with cast")
def two_dtypes():
    @rt.function
    def f(x, n):
        return x + n  # <-

    f(X, N)


@misuse(ValueError, "Incompatible shapes: (3,) and (2,)", "float32[3], float32[2]")
def two_shapes():
    @rt.function
    def f(x, y):
        return x + y  # <-

    f(V3, rt.constant([1.0, 2.0]))


@misuse(ValueError, "must not be None", "tf.shape(x) has its value")
def a_dimension_of_the_run():
    @rt.function(input_signature=[VECTOR])
    def f(x):
        return rt.zeros([x.shape[0], 2])  # <-

    f(V3)


@misuse(TypeError, "'NoneType' object cannot be interpreted", "tf.shape(x) has its value")
def a_range_over_a_dimension_of_the_run():
    @rt.function(input_signature=[VECTOR])
    def f(x):
        for _ in range(x.shape[0]):  # <-
            x = x + 1.0
        return x

    f(V3)


@misuse(TypeError, "argument 'pairs'", "shape (3,)", "expected TensorSpec")
def a_signature_while_functions_run_eagerly():
    with rt.config.run_functions_eagerly(True):
        signed(V3)  # <-


# Results


@misuse(TypeError, "the result of f['a'][1] is <object object", "a function returns tensors")
def an_object_in_a_result():
    @rt.function
    @rt.function
    def f(x):
        return {"a": [x, object()]}  # <-

    f(X)


@misuse(TypeError, "the result of f is <function", "a function returns tensors")
def a_function_as_a_result():
    @rt.function
    def f(x):
        return lambda: x  # <-

    f(X)


@misuse(TypeError, "the result of f is <generator", "a function returns tensors")
def a_generator_as_a_result():
    @rt.function
    def f(x):  # <-
        yield x

    f(X)


@misuse(ValueError, "the result of f: 1208925819614629174706176 does not fit dtype int32")
def a_number_too_large_as_a_result():
    @rt.function
    def f(x):
        return 2**80  # <-

    f(X)


@misuse(StagingError, "the value cannot be joined across the branches of `if`", "<object object>")
def an_object_from_one_of_two_returns():
    @rt.function
    def f(x):
        if x > 0:  # <-
            return object()
        return x

    f(X)


# Symbols outside of their graph


class Holder:
    pass


@misuse(Leaked, "inside the body of graph 'f' and is used outside of it", "return it, or pass")
def leaked_by_an_attribute():
    holder: Any = Holder()

    @rt.function
    def f(x):
        y = x * 2.0  # <-
        holder.y = lambda: y
        return x

    f(X)
    return holder.y() + 1.0


@misuse(Leaked, "inside the body of graph 'f' and is used outside of it", "return it, or pass")
def leaked_by_a_list():
    kept: list[Any] = []

    @rt.function
    def f(x):
        y = x * 2.0  # <-
        kept.append(lambda: y)
        return x

    f(X)
    rt.reduce_sum(kept[0]())


@misuse(Leaked, "inside the body of graph 'f' and is used outside of it")
def leaked_into_another_graph():
    kept: list[Any] = []

    @rt.function
    def f(x):
        y = x * 2.0  # <-
        kept.append(lambda: y)
        return x

    f(X)
    rt.function(lambda x: x + kept[0]())(X)


@misuse(Leaked, "is the argument 'x' of f() (", "and is used outside of it", "return it, or pass")
def leaked_by_a_closure():
    kept: list[Any] = []

    @rt.function
    def f(x):  # <-
        kept.append(lambda: x)
        return x

    f(X)
    return kept[0]() + 1.0


@misuse(Leaked, "is the argument 'x' of f() (", "and is used outside of it", "return it, or pass")
def leaked_by_a_generator():
    kept: list[Any] = []

    @rt.function
    def f(x):  # <-
        def doubles():
            yield x * 2.0

        kept.append(doubles())
        return x

    f(X)
    next(kept[0])


@misuse(Leaked, "inside the body of graph 'f' and is used outside of it")
def leaked_into_a_thread():
    failed: list[BaseException] = []

    @rt.function
    def f(x):
        y = x * 2.0  # <-

        def run():
            try:
                y + 1.0
            except TypeError as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        return x

    f(X)
    raise failed[0]


@misuse(Leaked, "inside the body of graph 'f'", "return it, or pass it on")
def leaked_into_numpy():
    kept: list[Any] = []

    @rt.function
    def f(x):
        y = x * 2.0  # <-
        kept.append(lambda: y)
        return x

    f(X)
    np.array(kept[0]())


@misuse(Leaked, "inside the body of graph 'f'", "return it, or pass it on")
def leaked_into_a_variable():
    kept: list[Any] = []

    @rt.function
    def f(x):
        y = x * 2.0  # <-
        kept.append(lambda: y)
        return x

    f(X)
    W.assign(kept[0]())


@misuse(StagingError, "'kept' cannot be joined across", "make the list for a name")
def kept_by_a_branch():
    kept: list[Any] = []

    @rt.function
    def f(x):
        def yes():
            kept.append(x * 3.0)
            return x

        return rt.cond(x > 0, yes, lambda: x)  # <-

    f(X)


@misuse(StagingError, "\"kept['i']\" cannot be joined across", "give all of them a value")
def kept_by_a_loop():
    kept: dict[str, Any] = {}

    @rt.function
    def f(x):
        def body(i):
            kept["i"] = i
            return i + 1.0

        return rt.while_loop(lambda i: i < 3.0, body, [x])  # <-

    f(X)


@misuse(StagingError, "'self' cannot be joined across", "give all of them a value")
def kept_by_an_attribute():
    class Model(rt.Module):
        @rt.function
        def step(self, x):
            if x > 0:  # <-
                self.state = x
            return x

    Model().step(X)


# Python asks a symbol


@misuse(InGraph, "for its value by numpy()", "call numpy() on the result")
def value_of_a_symbol():
    @rt.function
    def f(x):
        return x.numpy()  # <-

    f(X)


@misuse(InGraph, "as a NumPy array", "use ops instead of NumPy's functions")
def numpy_of_a_symbol():
    @rt.function
    def f(x):
        return np.vectorize(abs)(x)  # <-

    f(V3)


@misuse(InGraph, "an item of 'sums' is assigned, which is an array: it holds", "list(sums)")
def item_of_a_buffer():
    @rt.function
    def f(x):
        sums = array("d", [0.0] * 3)
        sums[1] += x  # <-
        return sums[1]

    f(X)


@misuse(InGraph, "an item of 'self.sieve' is assigned, which is a memoryview", "list(self.sieve)")
def staged_place_in_a_buffer():
    class Sieve:
        def __init__(self):
            self.sieve = memoryview(bytearray(9))

        def mark(self, n):
            self.sieve[n] = 1  # <-
            return self.sieve[0]

    rt.function(lambda n: Sieve().mark(n))(rt.constant(3))


@misuse(InGraph, "found.append() takes a number of Python's", "use a list")
def appended_to_a_buffer():
    @rt.function
    def f(n):
        found = bytearray()
        found.append(n)  # <-
        return len(found)

    f(rt.constant(3))


@misuse(InGraph, "an item of 'out' is assigned, which is a NumPy array", "out = out.copy()")
def item_of_an_array():
    table = np.zeros(3)

    @rt.function
    def f(x):
        out = table
        out[0] = x  # <-
        return out

    f(X)


@misuse(InGraph, "an item of 'self.rows' is assigned", "self.rows = self.rows.copy()")
def row_of_an_array():
    class Table:
        def __init__(self):
            self.rows = np.zeros((2, 3))

        @rt.function
        def put(self, v):
            self.rows[0] += v  # <-
            return self.rows

    Table().put(V3)


@misuse(InGraph, "unhashable", "use x.ref() as the key")
def key_of_a_dict():
    @rt.function
    def f(n):
        return {"0": 1, "3": 2}[n]  # <-

    f(V3)


@misuse(InGraph, "as a Python bool", "<tf.Tensor 'greater:0'", "@function(autograph=True)")
def truth_without_conversion():
    @rt.function(autograph=False)
    def f(n):
        if n > 0:  # <-
            return n
        return -n

    f(N)


@misuse(InGraph, "as a Python iterable", "<tf.Tensor 'v:0'", "@function(autograph=True)")
def iteration_without_conversion():
    @rt.function(autograph=False)
    def f(v):
        for item in v:  # <-
            pass
        return v

    f(V3)


@misuse(StagingError, "a text of staged values is asked for its encode()", "return those")
def text_as_bytes():
    @rt.function
    def f(x):
        return f"too small: {x}".encode()  # <-

    f(X)


# Variables


@misuse(StagingError, "f creates a variable each time", "`if self.v is None: self.v = Variable(")
def a_variable_in_each_call():
    @rt.function
    def f(x):
        v = rt.Variable(x)  # <-
        return v + 1.0

    f(X)


@misuse(StagingError, "f creates a variable each time", "create it before")
def a_variable_in_each_round():
    @rt.function
    def f(x):
        for _ in rt.range(3):
            x = x + rt.Variable(1.0)  # <-
        return x

    f(X)


@misuse(ValueError, "variable 'Variable:0'", "shape (2,)", "shape (3,)")
def a_variable_of_another_shape():
    v = rt.Variable([1.0, 2.0])

    @rt.function
    def f(x):
        v.assign(x)  # <-

    f(V3)


@misuse(TypeError, "variable 'Variable:0'", "dtype int32", "convert it with tf.cast")
def a_variable_of_another_dtype():
    @rt.function
    def f(n):
        W.assign(n)  # <-

    f(N)


@misuse(InGraph, "as a Python bool", "@function(autograph=True)")
def truth_of_a_variable_without_conversion():
    @rt.function(autograph=False)
    def f(x):
        if W > 0:  # <-
            return x
        return -x

    f(X)


# `if` and `for`


@misuse(ValueError, "the truth of a tensor of type bool[3] is ambiguous", "use reduce_any")
def truth_of_a_vector():
    @rt.function
    def f(x):
        if x > 0:  # <-
            return x
        return -x

    f(V3)


@misuse(InGraph, "as a Python bool", "contextlib.inner calls it", "put @autograph.convert on")
def decorated_by_a_manager():
    @contextlib.contextmanager
    def managed():
        yield

    @managed()
    def sign(x):
        if x > 0:  # <-
            return 1
        return -1

    rt.function(lambda x: sign(x))(X)


@misuse(RecursionError, "json.encoder.iterencode calls this without end", "Python's own values")
def json_default():
    @rt.function
    def f(x):
        return len(json.dumps(object(), default=lambda item: 1 if x > 0 else 22))  # <-

    f(X)


@misuse(InGraph, "unhashable", "f.__wrapped__ for a cached f")
def staged_value_for_a_cache():
    asked = []

    @functools.lru_cache
    def sign(x):
        asked.append(1)
        if x > 0:
            return 1
        return -1

    @rt.function
    def f(x):
        return sign(x)  # <-

    f(X)


@misuse(ValueError, "the truth of a tensor of type bool[0] is ambiguous", "len(x) > 0")
def truth_of_an_empty_comparison():
    @rt.function
    def f(x):
        if x == []:  # <-
            return 1
        return 2

    f(X)


@misuse(TypeError, "eval() arg 1 must be a string", "split(), find() and int()")
def a_text_of_the_run_as_code():
    @rt.function
    def f(n):
        return eval(f"{n} + 1")  # <-

    f(N)


@misuse(StagingError, "would catch it: expected string or bytes-like", "by its methods (split")
def a_text_of_the_run_for_a_pattern():
    @rt.function
    def f(n):
        try:
            return len(re.findall("1", f"{n}"))  # <-
        except TypeError:
            return n

    f(N)


@misuse(StagingError, "would catch it: a tensor of the graph has no", "int(x).bit_length()")
def a_method_of_numbers_in_a_try():
    @rt.function
    def f(n):
        try:
            return n.bit_length()  # <-
        except AttributeError:
            return -1

    f(N)


@misuse(StagingError, "Python raises nothing here, where it has a number", "has no attribute")
def an_attribute_of_numbers_in_a_try():
    @rt.function
    def f(n):
        with contextlib.suppress(AttributeError):
            n = n.numerator + 1  # <-
        return n

    f(N)


@misuse(StagingError, "a bytes times an integer of the graph", "tf.fill([n], value)")
def bytes_repeated_by_a_tensor():
    @rt.function
    def f(n):
        return n * b"ab"  # <-

    f(N)


@misuse(StagingError, "a bytearray times an integer of the graph", "a list, or tf.fill")
def a_buffer_repeated_by_a_tensor():
    @rt.function
    def f(n):
        return len(bytearray(2) * n)  # <-

    f(N)


@misuse(StagingError, "an array times an integer of the graph", "a list, or tf.fill")
def an_array_repeated_by_a_tensor():
    @rt.function
    def f(n):
        return len(n * array("i", [1]))  # <-

    f(N)


@misuse(
    StagingError, "stack._exit_callbacks is changed", "call the method of 'stack' that changes it"
)
def a_callback_on_one_path():
    @rt.function
    def f(n):
        with contextlib.ExitStack() as stack:
            if n > 2:  # <-
                stack.callback(print, "left")
        return n

    f(N)


@misuse(StagingError, "a tensor float32[1] cannot be joined with a list of int", "of the same kind")
def a_list_or_a_tensor_for_an_op():
    @rt.function
    def f(n):
        items = []
        for i in range(n):
            items.append(i)
        if n > 2:
            items = rt.constant([1.0])
        return rt.reduce_sum(items)  # <-

    f(N)


@misuse(TypeError, "unsupported operand type(s) for *: 'range' and 'int'", "tf.constant(items) * n")
def a_range_times_a_tensor():
    @rt.function
    def f(n):
        return n * range(3)  # <-

    f(N)


@misuse(
    TypeError, "for *: 'datetime.timedelta' and 'staged number'", "is an int, float or bool that"
)
def a_duration_times_a_staged_number():
    @rt.function
    def f(n):
        return datetime.timedelta(1) * int(n)  # <-

    f(N)


@misuse(StagingError, "an int cannot be iterated over while tracing")
def iterating_over_a_staged_number():
    @rt.function
    def f(n):
        for _ in int(n):  # <-
            pass

    f(N)


@misuse(StagingError, "{3} cannot be joined with one of 'Fizz', 'Buzz'")
def a_choice_and_a_set():
    @rt.function
    def f(n):
        items = ["Fizz" if n > 2 else "Buzz"]
        if n > 5:  # <-
            items = [{3}]
        return len(items[0])

    f(N)


@misuse(
    TypeError, "unsupported operand type(s) for *: 'memoryview' and 'int'", "tf.constant(items) * n"
)
def a_view_of_memory_times_a_tensor():
    @rt.function
    def f(n):
        return memoryview(b"ab") * n  # <-

    f(N)


@misuse(TypeError, "a scalar tensor has no items to look for one in", "compare it by ==")
def text_in_a_scalar():
    @rt.function
    def f(text):
        return "b" in text  # <-

    f(rt.constant("abc"))


@misuse(TypeError, "a scalar tensor has no len() and cannot be iterated over", "write range(n)")
def iteration_over_a_scalar():
    @rt.function
    def f(n):
        total = 0
        for i in n:  # <-
            total += i
        return total

    f(N)


@misuse(
    StagingError, "ValueError would be raised at run time", "past the `with`", "move the `with`"
)
def raise_in_a_with():
    @rt.function
    def f(x):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(ValueError))
            if x < 2:  # <-
                raise ValueError("low")
        return x

    f(X)


@misuse(TypeError, "the result of f is a deque", "lists, tuples, dicts", "make it outside")
def deque_that_is_a_result():
    @rt.function
    def f(x):
        return deque(v * 2.0 for v in x)  # <-

    f(V3)


@misuse(
    TypeError, "'y' cannot be joined across the branches of `if`", "float32", "int32", "tf.cast"
)
def dtypes_of_branches():
    @rt.function
    def f(x):
        if x > 0:  # <-
            y = x
        else:
            y = N
        return y

    f(X)


@misuse(TypeError, "the value cannot be joined across the branches of `if`", "tf.cast")
def dtypes_of_returns():
    @rt.function
    def f(x):
        if x > 0:  # <-
            return x
        return N

    f(X)


@misuse(TypeError, "the value of `and` is used, but only its truth is known", "tf.cast")
def dtypes_of_operands():
    @rt.function
    def f(x):
        return x and N  # <-

    f(X)


@misuse(
    StagingError, "the Python values", "differ", "only numbers, texts, functions and tensors can"
)
def set_of_branches():
    @rt.function
    def f(x):
        modes = frozenset("ab") if x > 0 else frozenset("c")  # <-
        return x if "a" in modes else -x

    f(X)


# Control flow by hand


@misuse(
    StagingError, "the result of cond() cannot be joined across true_fn and false_fn", "a tuple"
)
def cond_with_two_structures():
    @rt.function
    def f(x):
        return rt.cond(x > 0, lambda: (x, x), lambda: x)  # <-

    f(X)


@misuse(TypeError, "result of cond()['a'] cannot be joined across true_fn and false_fn", "tf.cast")
def cond_with_two_dtypes():
    @rt.function
    def f(x):
        return rt.cond(x > 0, lambda: {"a": x}, lambda: {"a": N})  # <-

    f(X)


@misuse(StagingError, "the result of cond()", "dict with ('a',) and dict with ('b',)", "same keys")
def cond_with_other_keys():
    @rt.function
    def f(x):
        return rt.cond(x > 0, lambda: {"a": x}, lambda: {"b": x})  # <-

    f(X)


@misuse(TypeError, "is None here", "test it by `is None`")
def cond_with_none():
    @rt.function
    def f(x):
        y = rt.cond(x > 0, lambda: x, lambda: None)
        return y + 1.0  # <-

    f(-X)


@misuse(TypeError, "cond(): true_fn is called with 0 arguments: missing a required argument: 'v'")
def cond_with_parameters():
    @rt.function
    def f(x):
        return rt.cond(x < 0, lambda v: v, lambda: -x)  # <-

    f(X)


@misuse(ValueError, "cond(): pred must be a scalar, got shape (3,)")
def cond_of_a_vector():
    @rt.function
    def f(x):
        return rt.cond(x > 0, lambda: x, lambda: -x)  # <-

    f(V3)


@misuse(
    TypeError, "cond(): pred must be a bool, not <tf.Tensor 'x:0'", "compare it, as in `x != 0`"
)
def cond_of_a_number():
    @rt.function
    def f(x):
        return rt.cond(x, lambda: x, lambda: -x)  # <-

    f(X)


@misuse(TypeError, "cond(): true_fn must be callable, not <tf.Tensor 'x:0'")
def cond_of_values():
    @rt.function
    def f(x):
        return rt.cond(x > 0, x, -x)  # <-

    f(X)


@misuse(TypeError, "result of case() cannot be joined across the function at 1 and default", "cast")
def case_with_two_dtypes():
    @rt.function
    def f(x):
        return rt.case([(x > 0, lambda: x), (x < 0, lambda: N)], default=lambda: x)  # <-

    f(X)


@misuse(StagingError, "result of case()", "the function at 0 and those behind it (at 1, default)")
def case_with_two_structures():
    @rt.function
    def f(x):
        return rt.case([(x > 0, lambda: (x, x)), (x < 0, lambda: x)], default=lambda: x)  # <-

    f(X)


@misuse(Invalid, "Case: none of the conditions holds", "no `default` [at ")
def case_without_default():
    @rt.function
    def f(x):
        return rt.case([(x > 5, lambda: x), (x < 0, lambda: x)])  # <-

    f(X)


@misuse(TypeError, "result of switch_case()", "the function at 1 and default", "tf.cast")
def switch_with_two_dtypes():
    @rt.function
    def f(n):
        return rt.switch_case(n, [lambda: 1.0, lambda: rt.constant([1])], default=lambda: X)  # <-

    f(N)


@misuse(TypeError, "switch_case(): branch_index must be an integer, not <tf.Tensor 'x:0'")
def switch_by_a_float():
    @rt.function
    def f(x):
        return rt.switch_case(x, [lambda: 1.0, lambda: 2.0])  # <-

    f(X)


@misuse(TypeError, "switch_case(): the function at 1 is called with 0 arguments", "'v'")
def switch_with_parameters():
    @rt.function
    def f(n):
        return rt.switch_case(n, [lambda: 1.0, lambda v: v, lambda: 2.0])  # <-

    f(N)


@misuse(
    ValueError, "the body returned 1 value for 2 loop variables ('i', 'a')", "return each of the"
)
def while_with_too_few():
    @rt.function
    def f(x):
        return rt.while_loop(lambda i, a: i < 3, lambda i, a: i + 1, [0, x])  # <-

    f(X)


@misuse(
    ValueError, "the body returned None, not the loop variables 'i', 'a'", "end it with `return`"
)
def while_without_return():
    @rt.function
    def f(x):
        def body(i, a):
            i + 1

        return rt.while_loop(lambda i, a: i < 3, body, [0, x])  # <-

    f(X)


@misuse(TypeError, "while_loop(): body is called with 2 arguments: too many positional arguments")
def while_with_too_few_parameters():
    @rt.function
    def f(x):
        return rt.while_loop(lambda i, a: i < 3, lambda i: i + 1, [0, x])  # <-

    f(X)


@misuse(TypeError, "while_loop(): cond is called with 2 arguments: too many positional arguments")
def while_with_too_few_parameters_of_cond():
    @rt.function
    def f(x):
        return rt.while_loop(lambda i: i < 3, lambda i, a: (i + 1, a), [0, x])  # <-

    f(X)


@misuse(
    TypeError, "'a' cannot be joined across the rounds of a loop", "float32", "int32", "tf.cast"
)
def while_with_two_dtypes():
    @rt.function
    def f(x):
        body = lambda i, a: (i + 1, rt.cast(a, rt.int32))  # noqa: E731
        return rt.while_loop(lambda i, a: i < 3, body, [0, x])  # <-

    f(X)


@misuse(StagingError, "'a' cannot be joined across the rounds of a loop", "of one kind")
def while_with_two_structures():
    @rt.function
    def f(x):
        return rt.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, (a, a)), [0, x])  # <-

    f(X)


def growing(i, rows):
    return i + 1, rt.concat([rows, rows], 0)


@misuse(
    StagingError, "'rows' has the shape invariant float32[3], but is float32[?] after a round",
    "declare a wider shape, as TensorShape([None])",
)  # fmt: skip
def while_with_a_growing_shape():
    @rt.function
    def f(x):
        shapes = rt.TensorShape([]), rt.TensorShape([3])
        return rt.while_loop(lambda i, rows: i < 3, growing, (0, x), shape_invariants=shapes)  # <-

    f(V3)


@misuse(
    StagingError, "'rows' has shape (3,) before the loop", "shape invariant (2,)",
    "declare a shape that covers both, as TensorShape([None])",
)  # fmt: skip
def while_with_a_shape_that_does_not_fit():
    @rt.function
    def f(x):
        shapes = rt.TensorShape([]), rt.TensorShape([2])
        return rt.while_loop(lambda i, rows: i < 3, growing, (0, x), shape_invariants=shapes)  # <-

    f(V3)


@misuse(ValueError, "shape_invariants must have the structure of loop_vars", "'i', 'rows'")
def while_with_too_few_shapes():
    @rt.function
    def f(x):
        shapes = [rt.TensorShape([])]
        return rt.while_loop(lambda i, rows: i < 3, growing, (0, x), shape_invariants=shapes)  # <-

    f(V3)


@misuse(
    StagingError, "'rows' has the shape invariant float32[3], but is float32[?] after a round",
    "declare a wider shape, as TensorShape([None])",
)  # fmt: skip
def a_loop_with_a_growing_shape():
    @rt.function
    def f(rows, n):
        i = 0
        while i < n:  # <-
            rt.autograph.experimental.set_loop_options(
                shape_invariants=[(i, rt.TensorShape([])), (rows, rt.TensorShape([3]))]
            )
            rows = rt.concat([rows, rows], 0)
            i += 1
        return rows

    f(V3, N)


@misuse(StagingError, "'rows' has shape (3,) before the loop", "as TensorShape([None])")
def a_loop_with_a_shape_that_does_not_fit():
    @rt.function
    def f(rows, n):
        for _ in rt.range(n):  # <-
            rt.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, rt.TensorShape([2]))]
            )
            rows = rows + 1.0
        return rows

    f(V3, N)


@misuse(StagingError, "'i' has shape () before the loop", "shape invariant (2,)")
def a_loop_with_a_shape_for_a_number():
    @rt.function
    def f(n):
        i = 0
        while i < n:  # <-
            rt.autograph.experimental.set_loop_options(shape_invariants=[(i, [2])])
            i += 1
        return i

    f(N)


@misuse(
    TypeError, "shape_invariants has 'a' for 'rows', which is no shape: write one as TensorShap"
)
def a_loop_with_what_is_no_shape():
    @rt.function
    def f(rows, n):
        for _ in rt.range(n):  # <-
            rt.autograph.experimental.set_loop_options(shape_invariants=[(rows, "a")])
            rows = rows + 1.0
        return rows

    f(V3, N)


@misuse(
    TypeError, "shape_invariants is a list of pairs (loop variable, shape)", "TensorShape([None])"
)
def a_loop_with_shapes_of_nothing():
    @rt.function
    def f(rows, n):
        for _ in rt.range(n):
            rt.autograph.experimental.set_loop_options(shape_invariants=[rows])  # <-
            rows = rows + 1.0
        return rows

    f(V3, N)


@misuse(ValueError, "the body returned ['a', 'b'] for the loop variables ['a']", "the same keys")
def while_with_other_keys():
    @rt.function
    def f(x):
        return rt.while_loop(lambda d: d["a"] < 9, lambda d: d | {"b": 1}, {"a": x})  # <-

    f(X)


@misuse(TypeError, "while_loop(): what cond returns must be a bool, not None")
def while_without_a_condition():
    @rt.function
    def f(x):
        def cond(i):
            i + 3

        return rt.while_loop(cond, lambda i: i + 1, [x])  # <-

    f(X)


@misuse(TypeError, "while_loop(): loop variable 'o': Cannot convert a value of type object")
def while_over_an_object():
    @rt.function
    def f(x):
        return rt.while_loop(lambda i, o: i < 3, lambda i, o: (i + 1, o), [x, object()])  # <-

    f(X)


@misuse(TypeError, "control_inputs must be a list of tensors, not <tf.Tensor 'x:0'")
def dependencies_on_a_tensor():
    @rt.function
    def f(x):
        with rt.control_dependencies(x):  # <-
            return x

    f(X)


@misuse(StagingError, "'p[0]' has the shape invariant float32[3], but is float32[?]", "TensorShape")
def while_with_a_growing_part():
    @rt.function
    def f(x):
        def body(i, p):
            return i + 1, (rt.concat([p[0], x], 0), p[1])

        shapes = rt.TensorShape([]), (rt.TensorShape([3]), rt.TensorShape([3]))
        return rt.while_loop(lambda i, p: i < 3, body, (0, (x, x)), shape_invariants=shapes)  # <-

    f(V3)


@misuse(ValueError, "scan(): fn must return one shape for all rows", "of shape (2,)")
def scan_to_another_shape():
    @rt.function(input_signature=[VECTOR])
    def f(x):
        return rt.scan(lambda a, row: rt.stack([a, row]), x)  # <-

    f(V3)


@misuse(TypeError, "map_fn(): fn returned a tensor of int32 where float32", "fn_output_signature")
def map_to_another_dtype():
    @rt.function
    def f(x):
        return rt.map_fn(lambda row: rt.cast(row, rt.int32), x)  # <-

    f(V3)


@misuse(ValueError, "map_fn(): fn must return the structure of fn_output_signature", "a tuple")
def map_to_another_structure():
    @rt.function
    def f(x):
        return rt.map_fn(lambda row: (row, row), x)  # <-

    f(V3)


@misuse(TypeError, "map_fn(): what fn returns must hold tensors", "NoneType")
def map_to_none():
    @rt.function
    def f(x):
        return rt.map_fn(lambda row: None, x)  # <-

    f(V3)


@misuse(ValueError, "map_fn(): elems must be at least 1-dimensional, not scalars")
def map_over_a_scalar():
    @rt.function
    def f(x):
        return rt.map_fn(lambda row: row, x)  # <-

    f(X)


@misuse(TypeError, "map_fn(): fn is called with 1 argument: missing a required argument: 'b'")
def map_with_two_parameters():
    @rt.function
    def f(x):
        return rt.map_fn(lambda a, b: a, x)  # <-

    f(V3)


@misuse(TypeError, "scan(): fn returned a tensor of int32 where float32", "give an initializer")
def scan_to_another_dtype():
    @rt.function
    def f(x):
        return rt.scan(lambda a, row: rt.cast(a + row, rt.int32), x)  # <-

    f(V3)


@misuse(TypeError, "scan(): fn is called with 2 arguments: too many positional arguments")
def scan_with_one_parameter():
    @rt.function
    def f(x):
        return rt.scan(lambda a: a, x)  # <-

    f(V3)


@misuse(ValueError, "foldl(): without an initializer, elems must not be empty")
def fold_of_nothing():
    rt.foldl(lambda a, row: a + row, rt.zeros([0]))  # <-


# What fails in the run


@misuse(Invalid, "slice index 7 of dimension 0 out of bounds (size 3)", "float32[3], int32[]; at ")
def index_in_a_called_function():
    @rt.function
    def g(x, n):
        return x[n]  # <-

    @rt.function
    def f(x, n):
        return g(x, n)

    f(V3, rt.constant(7))


@misuse(AssertionError, "too small", "1.0")
def an_assert():
    @rt.function
    def f(x):
        assert x > 2, ("too small", x)  # <-
        return x

    f(X)


@misuse(ValueError, "too small", "numpy=1.0")
def a_raise():
    @rt.function
    def f(x):
        if x < 2:
            raise ValueError("too small", x)  # <-
        return x

    f(X)


@misuse(Invalid, "need more", "x > y does not hold")
def a_check():
    @rt.function
    def f(x):
        rt.debugging.assert_greater(x, 2.0, message="need more")  # <-
        return x

    f(X)


@misuse(Invalid, "MatMul: Matrix size-incompatible", "[inputs: float32[2,3], float32[2,3]; at ")
def shapes_of_the_run():
    @rt.function(input_signature=[ANY, ANY])
    def f(a, b):
        return rt.matmul(a, b)  # <-

    f(rt.ones([2, 3]), rt.ones([2, 3]))


@misuse(Invalid, "slice index 5 of dimension 0 out of bounds (size 3)", "float32[3], int32[]")
def index_of_the_run():
    @rt.function
    def f(x, n):
        return x[n]  # <-

    f(V3, rt.constant(5))


@misuse(Invalid, "FloorDiv: Integer division by zero", "int32[], int32[]")
def zero_of_the_run():
    @rt.function
    def f(a, b):
        return a // b  # <-

    f(N, rt.constant(0))


@misuse(UnboundLocalError, "'y'")
def unbound_in_the_run():
    @rt.function
    def f(x):
        if x > 2:
            y = x
        return y  # <-

    f(X)


@misuse(TypeError, "'y' is None here", "test it by `is None`")
def none_in_the_run():
    @rt.function
    def f(x):
        y = None
        if x > 2:
            y = x
        return y + 1  # <-

    f(X)


# TensorArray


@misuse(TypeError, "TensorArray of float32 was given a tensor of int32", "tf.cast")
def array_of_another_dtype():
    @rt.function
    def f(n):
        return rt.TensorArray(rt.float32, 3).write(0, n).stack()  # <-

    f(N)


@misuse(Invalid, "index 5 of a TensorArray of size 3", "make it with dynamic_size=True")
def array_past_its_end():
    @rt.function
    def f(x):
        return rt.TensorArray(rt.float32, 3).write(5, x).stack()  # <-

    f(X)


@misuse(ValueError, "elements of shape () was given one of shape (3,)", "infer_shape=False")
def array_of_two_shapes():
    @rt.function
    def f(x):
        array = rt.TensorArray(rt.float32, 2).write(0, x)
        return array.write(1, V3).stack()  # <-

    f(X)


@misuse(
    StagingError, "TensorArray of int32 and TensorArray of float32", "the same dtype and options"
)
def array_of_two_dtypes():
    @rt.function
    def f(x):
        array = rt.TensorArray(rt.float32, 2)
        if x > 0:  # <-
            array = rt.TensorArray(rt.int32, 2)
        return array.stack()

    f(X)


@misuse(TypeError, "an element of a TensorArray: Cannot convert 'a' to a tensor of dtype float32")
def array_of_text():
    @rt.function
    def f(x):
        return rt.TensorArray(rt.float32, 2).write(0, "a").stack()  # <-

    f(X)


@misuse(Invalid, "the lengths [1 1] do not sum up to the length 3", "float32[3], int32[2]; at ")
def array_of_pieces():
    @rt.function
    def f(x):
        return rt.TensorArray(rt.float32, 2).split(x, [1, 1]).stack()  # <-

    f(V3)


@misuse(Invalid, "3 elements do not fit a TensorArray of size 2", "TensorArray(float32, size 2)")
def array_of_too_many_rows():
    @rt.function
    def f(x):
        return rt.TensorArray(rt.float32, 2).unstack(x).stack()  # <-

    f(V3)


@misuse(StagingError, "a TensorArray is used that was changed at", "`array = array.write(i, x)`")
def array_whose_change_is_dropped():
    @rt.function
    def f(x):
        array = rt.TensorArray(rt.float32, 2)
        array.write(0, x)
        return array.stack()  # <-

    f(X)


@misuse(
    StagingError, "changed in the body of a loop, but was made outside", "assign what the change"
)
def array_whose_change_is_dropped_in_a_loop():
    @rt.function
    def f(x):
        array = rt.TensorArray(rt.float32, 2)
        for i in rt.range(2):
            array.write(i, x)  # <-
        return array.stack()

    f(X)


@misuse(TypeError, "TensorArray: index must be made of integers, not <tf.Tensor 'x:0'")
def array_at_a_float():
    @rt.function
    def f(x):
        return rt.TensorArray(rt.float32, 2).write(x, x).stack()  # <-

    f(X)


@misuse(StagingError, "changed in a function that is traced, but was made outside", ".identity()")
def array_from_outside():
    array = rt.TensorArray(rt.float32, 2)

    @rt.function
    def f(x):
        return array.write(0, x).stack()  # <-

    f(X)


# Tapes


@misuse(RuntimeError, "the tape has recorded nothing, for its block was never entered")
def tape_never_entered():
    @rt.function
    def f(x):
        tape = rt.GradientTape()
        tape.watch(x)
        y = x * x
        return tape.gradient(y, x)  # <-

    f(X)


@misuse(RuntimeError, "A non-persistent GradientTape can only be used to compute one set")
def tape_asked_twice():
    @rt.function
    def f(x):
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        first = tape.gradient(y, x)
        return first + tape.gradient(y, x)  # <-

    f(X)


@misuse(ValueError, "only tensors and variables can be watched, got 2.0 of type float")
def tape_on_a_number():
    @rt.function
    def f(x):
        with rt.GradientTape() as tape:
            tape.watch(2.0)  # <-
            return x * x

    f(X)


@misuse(TypeError, "sources must be tensors or variables", "of type object")
def tape_asked_for_an_object():
    @rt.function
    def f(x):
        with rt.GradientTape() as tape:
            y = x * x
        return tape.gradient(y, [x, object()])  # <-

    f(X)


# Recursion


@misuse(
    RecursionError, "f calls itself with an argument of another", "pass what changes as a tensor"
)
def recursion_on_a_tuple():
    @rt.function
    def f(x, path=()):
        return f(x, (path, 1))  # <-

    f(X)


@misuse(RecursionError, "nested too deep here", "pass what ends a recursion as a tensor")
def branches_of_a_recursion_on_bytes():
    def descend(x, path):
        if x > len(path) > 0:  # <-
            return descend(x + 1, path[1:])  # <-
        return x

    rt.function(lambda x: descend(x, 1000 * b"a"))(N)


@misuse(RecursionError, "f calls itself too deep: write a loop", "sys.setrecursionlimit()")
def recursion_without_end():
    @rt.function
    def f(x):
        return f(x)  # <-

    f(X)


@misuse(RecursionError, "f calls itself too deep: write a loop", "sys.setrecursionlimit()")
def recursion_without_end_in_the_run():
    @rt.function
    def f(n):
        if n < 0:
            return n
        return f(n + 1) + 1  # <-

    f(N)


@misuse(RecursionError, "calls itself too deep: write a loop", "sys.setrecursionlimit()")
def recursion_of_two():
    @rt.function
    def f(n):
        return g(n)  # <-

    @rt.function
    def g(n):
        return f(n)  # <-

    f(N)


# Concrete functions


@misuse(TypeError, "doubled(): argument 'x' has dtype int32", "expected TensorSpec")
def concrete_of_another_dtype():
    doubled.get_concrete_function(SCALAR)(N)  # <-


@misuse(
    TypeError, "doubled(): argument 'x' has dtype float32 and shape (3,)", "expected TensorSpec"
)
def concrete_of_another_shape():
    doubled.get_concrete_function(SCALAR)(V3)  # <-


@misuse(TypeError, "doubled(): too many positional arguments: 2 for x")
def concrete_with_too_many():
    doubled.get_concrete_function(SCALAR)(X, X)  # <-


@misuse(TypeError, "summed(): missing argument 'y': expected TensorSpec")
def concrete_with_too_few():
    summed.get_concrete_function(X, X)(X)  # <-


@misuse(TypeError, "scaled(): argument 'scale' is 3.0: this trace is for 2.0", "leave it out")
def concrete_with_another_value():
    scaled.get_concrete_function(X, scale=2.0)(X, scale=3.0)  # <-


@misuse(TypeError, "doubled(): unexpected argument 'y': there are x")
def concrete_with_an_unexpected_one():
    doubled.get_concrete_function(X)(y=X)  # <-


@misuse(TypeError, "signed(): argument 'pairs' is TensorSpec(shape=(None,)", "expected TensorSpec")
def concrete_against_the_signature():
    signed.get_concrete_function(VECTOR)  # <-


@misuse(
    TypeError, "signed(): argument 'pairs' is TensorSpec(shape=(2, 2), dtype=tf.int32", "expect"
)
def concrete_against_the_dtype_of_the_signature():
    signed.get_concrete_function(rt.TensorSpec([2, 2], rt.int32))  # <-


@misuse(
    TypeError, "doubled(): argument 'x' is TensorSpec", "make the graph for it with get_concret"
)
def a_call_with_a_spec():
    doubled(SCALAR)  # <-


@misuse(TypeError, "function() takes a callable with a signature", "call it in a function of your")
def function_without_a_signature():
    rt.function(max)  # <-


@misuse(TypeError, "step(): missing a required argument: 'x' (parameters: self, x)")
def a_method_of_no_instance():
    class Model(rt.Module):
        @rt.function
        def step(self, x):
            return x

    Model.step(X)  # <-


@misuse(TypeError, "function() takes a callable, not 3")
def function_of_a_number():
    rt.function(3)  # <-


@misuse(TypeError, "function() takes a callable, not <property", "put @property above @function")
def function_of_a_property():
    class Model:
        @rt.function  # <-
        @property
        def step(self):
            return X


@misuse(TypeError, "function() takes a callable, not <classmethod", "put @classmethod above")
def function_of_a_class_method():
    rt.function(classmethod(doubled))  # <-


@misuse(TypeError, "unexpected keyword argument 'autografh'")
def function_with_an_unknown_option():
    rt.function(doubled, autografh=True)  # <-


def _marked(program: Callable[[], Any]) -> set[int]:
    """The lines of a program that `# <-` marks."""
    lines, first = inspect.getsourcelines(program)
    return {first + at for at, line in enumerate(lines) if "# <-" in line}


def _places(error: BaseException, text: str) -> set[int]:
    """The lines of this file that an error points at: where it came from, and what it names."""
    entries = traceback.extract_tb(error.__traceback__)
    ours = [entry.lineno for entry in entries if entry.filename == __file__]
    named = re.findall(rf"{re.escape(__file__)}:(\d+)", text)
    return {ours[-1] or 0, *map(int, named)}


def _name(row: Any) -> str:
    return getattr(row[0], "__name__", "misuse") + (row[2][0] if row[0].__name__[0] == "<" else "")


@pytest.mark.parametrize("row", MISUSES, ids=_name)
def test_misuse(row: Misuse) -> None:
    program, kind, fragments = row
    with pytest.raises(kind) as caught:
        program()
    error = caught.value
    text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    assert [part for part in fragments if part not in text] == [], text
    marked = _marked(uses.python_function if program.__defaults__ else program)
    assert marked & _places(error, text), (_places(error, text), text)


def test_an_invariant_of_a_staged_number_says_nothing() -> None:
    @rt.function
    def f(rows, n):
        i = 0
        while i < n:
            rt.autograph.experimental.set_loop_options(
                shape_invariants=[(i, rt.TensorShape([])), (rows, rt.TensorShape([None]))]
            )
            rows = rt.concat([rows, rows], 0)
            i += 1
        return rows

    assert f(V3, rt.constant(2)).shape == [12]


def test_a_narrower_spec_gives_the_graph_of_the_signature() -> None:
    concrete = signed.get_concrete_function(rt.TensorSpec([5, 2], rt.float32))
    assert concrete is signed.get_concrete_function()
    assert concrete.structured_input_signature[0][0].shape == (None, 2)


def test_a_signature_holds_while_functions_run_eagerly() -> None:
    seen: list[Any] = []

    @rt.function(input_signature=[SCALAR, rt.TensorSpec([], rt.int32)])
    def f(x, n=4):
        seen.append(x)
        return x + rt.cast(n, rt.float32)

    with rt.config.run_functions_eagerly(True):
        assert f(1).numpy() == 5.0
    assert isinstance(seen[0], rt.Tensor)
    assert seen[0].dtype is rt.float32
