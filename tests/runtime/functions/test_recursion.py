"""Recursion on a staged test: a graph that calls itself."""

from __future__ import annotations

import itertools
import traceback
from typing import Any

import pytest

import runtime as rt
from runtime.graph.ir import walk


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def even(n):
    if n == 0:
        return True
    return odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return even(n - 1)


def length(n):
    return 0 if n <= 0 else 1 + length(n - 1)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1 + 0 * n)
    return ackermann(m - 1, ackermann(m, n - 1))


def both(n, total):
    """Two results, and a loop with recursion in it."""
    if n == 0:
        return total, {"n": n}
    i = 0
    while i < n:
        total, _ = both(n - 1 - i, total + 1)
        i += 2
    return total, {"n": n}


def growing(xs):
    """Its result has another shape at each depth."""
    if rt.reduce_sum(xs) > 10:
        return xs
    return rt.concat([growing(xs + 1), xs], 0)


def maybe(n):
    if n > 5:
        return None
    if n == 5:
        return n
    return maybe(n + 1)


def refusing(n):
    if n < 0:
        raise ValueError(f"below {0}")
    return refusing(n - 1)


def endless(n):
    return endless(n) + 1


def scaled(x):
    def power(n):
        return 1.0 if n <= 0 else x * power(n - 1)

    power = rt.function(power)
    return power(rt.constant(5))


PROGRAMS = [factorial, fibonacci, even, odd, length, ackermann, both, growing, maybe]


@pytest.fixture(autouse=True)
def decorated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions call each other by their global names: those are staged, the list is not."""
    for program in [*PROGRAMS, refusing, endless]:
        monkeypatch.setitem(globals(), program.__name__, rt.function(program))


@pytest.fixture
def undecorated(decorated: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in PROGRAMS:
        monkeypatch.setitem(globals(), program.__name__, program)


def plain(value: Any) -> Any:
    return rt.nest.map_structure(lambda x: x.numpy().tolist() if rt.is_tensor(x) else x, value)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("factorial", (6,)), ("factorial", (6.0,)), ("fibonacci", (12,)), ("even", (7,)),
        ("odd", (7,)), ("length", (30,)), ("ackermann", (2, 3)), ("both", (5, 0)),
        ("growing", ([1, 2],)), ("maybe", (1,)), ("maybe", (9,)),
    ],
)  # fmt: skip
def test_equals_eager(name: str, arguments: Any) -> None:
    tensors = [rt.constant(argument) for argument in arguments]
    found = globals()[name](*tensors)
    assert globals()[name].experimental_get_tracing_count() == 1
    with rt.config.run_functions_eagerly(True):
        expected = globals()[name](*tensors)
    assert plain(found) == plain(expected)


def test_the_graph_calls_itself(undecorated: None) -> None:
    graph = rt.function(fibonacci).get_concrete_function(rt.constant(1)).graph
    calls = [node for node in walk(graph.body) if node.primitive.name == "call"]
    assert [node.params["callee"].graph for node in calls] == [graph, graph]
    assert str(graph).count("graph fibonacci") == 1


def test_numbers_are_tensors_outside() -> None:
    """Beside a float32 the 1 of factorial is a float32; beside nothing, an int32."""
    assert globals()["factorial"](rt.constant(3.0)).dtype == rt.float32
    assert globals()["length"](rt.constant(3.0)).dtype == rt.int32


def test_symbols_from_around_it() -> None:
    assert rt.function(scaled)(rt.constant(2.0)).numpy() == 32.0


def test_gradient() -> None:
    x = rt.constant(4.0)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = globals()["factorial"](x)
    # y = x (x - 1) (x - 2)
    assert tape.gradient(y, x).numpy() == pytest.approx(3 * 16 - 6 * 4 + 2)


@pytest.mark.parametrize(("name", "argument"), [("length", 10**6), ("endless", 1)])
def test_too_deep(name: str, argument: int) -> None:
    with pytest.raises(RecursionError) as caught:
        globals()[name](rt.constant(argument))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name) == (__file__, name)
    assert f"{name}(" in (last.line or "")
    place = f"{__file__}:{last.lineno}:"
    assert str(caught.value).startswith(place)
    assert f"{name} calls itself too deep" in str(caught.value)


def test_an_error_in_the_depth_is_the_users() -> None:
    with pytest.raises(ValueError, match="below 0") as caught:
        globals()["refusing"](rt.constant(10))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "refusing"


def test_results_that_nothing_covers_are_refused() -> None:
    @rt.function
    def nested(n):
        if n == 0:
            return (n,)
        return (nested(n - 1),)

    with pytest.raises(ValueError, match="cannot be joined"):
        nested(rt.constant(3))


# Functions that are not decorated: they become graphs where they call themselves in a staged block


def tail(n, product=1):
    if n <= 1:
        return product
    return tail(n - 1, product * n)


class Powers:
    factor = 2

    def power(self, x, n):
        if n == 0:
            return rt.ones_like(x)
        return self.factor * x * self.power(x, n - 1)


def within(n):
    three = rt.constant(3)

    def multiples(m):
        if m <= 0:
            return 0 * three
        return three + multiples(m - 1)

    return multiples(n)


def named_as_ours(self, function=0, plain=0, depth=0):
    if self < 1:
        return function + plain + depth
    return named_as_ours(self=self - 1, function=function + 1, plain=plain + 2, depth=depth + 3)


def by_python(x, depth):
    """Python decides how deep it goes; what is staged is a branch in it."""
    if x > 0:
        if depth == 0:
            return x
        return by_python(x - 1, depth - 1) + by_python(x + 1, depth - 1)
    return -x


def describing(x, depth):
    """The result is a Python object, which no graph returns."""
    if x > 0:
        pass
    return "leaf" if depth == 0 else describing(x, depth - 1)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (factorial, (6,)), (factorial, (6.0,)), (fibonacci, (12,)), (even, (7,)), (odd, (7,)),
        (length, (30,)), (ackermann, (2, 3)), (both, (5, 0)), (growing, ([1, 2],)), (maybe, (1,)),
        (tail, (6,)), (Powers().power, (2.0, 3)), (within, (4,)),
        (named_as_ours, (3,)),
    ],
)  # fmt: skip
def test_plain_functions(function: Any, arguments: Any, undecorated: None) -> None:
    tensors = [rt.constant(argument) for argument in arguments]
    found, expected = rt.function(function)(*tensors), function(*tensors)
    assert plain(found) == plain(expected)


@pytest.mark.parametrize("x", [-2, 1, 5])
def test_recursion_that_python_ends_is_unrolled(x: int) -> None:
    staged = rt.function(lambda x: by_python(x, 3))
    assert staged(rt.constant(x)).numpy() == by_python(x, 3)
    graph = staged.get_concrete_function(rt.constant(x)).graph
    assert not [node for node in walk(graph.body) if node.primitive.name == "call"]


def test_python_objects_of_unrolled_recursion() -> None:
    staged = rt.function(lambda x: x if describing(x, 3) == "leaf" else x + 1)
    assert staged(rt.constant(1)).numpy() == 1


def test_a_plain_function_that_is_too_deep(undecorated: None) -> None:
    with pytest.raises(RecursionError) as caught:
        rt.function(length)(rt.constant(10**6))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name) == (__file__, "length")


WORDS = ["drawn", "warden", "", "reward"]


def in_common(a, b):
    if not a or not b:
        return 0
    if a[0] == b[0]:
        return 1 + in_common(a[1:], b[1:])
    return max(in_common(a[1:], b), in_common(a, b=b[1:]))


def test_texts_that_a_recursion_takes_apart_are_traced_once() -> None:
    def program(i: Any, k: Any) -> Any:
        return in_common(WORDS[i], WORDS[k])

    staged = rt.function(program)
    for i, k in itertools.product(range(4), repeat=2):
        found = staged(rt.constant(i), rt.constant(k))
        assert int(found) == in_common(WORDS[i], WORDS[k])
    graph = staged.get_concrete_function(rt.constant(0), rt.constant(0)).graph
    assert str(graph).count("graph in_common") == 1


MEANINGS = {"a": ["b", "c"], "b": ["c"], "c": [], "d": ["a", "b"]}


def meanings(name):
    return 1 + sum(meanings(each) for each in MEANINGS[name])


def test_texts_that_are_keys_in_a_recursion_stay_those_that_are_known() -> None:
    names = list(MEANINGS)
    staged = rt.function(lambda i: meanings(names[i]))
    for i, name in enumerate(names):
        assert int(staged(rt.constant(i))) == meanings(name)
