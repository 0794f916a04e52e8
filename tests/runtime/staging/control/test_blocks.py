"""Staging of statements: refusals, deferred errors, hidden changes."""

# The programs are written as users write them.
# ruff: noqa: SIM108, F841

from __future__ import annotations

import contextlib
import secrets
import threading
from typing import Any

import pytest

import autograph
import runtime as rt
from runtime import errors
from runtime.functions.function import function
from runtime.graph.ir import walk
from runtime.graph.verification import verify
from tests.support.staging import attempt, same_outcome

X = rt.constant(3)
GLOBAL: list[Any] = [1]
LEAKS: list[Any] = []


class Account:
    def __init__(self) -> None:
        self.total = 0


ACCOUNT = Account()


def unequal_dtypes(x):
    if x > 0:
        y = rt.constant(1.0)
    else:
        y = rt.constant(2)
    return y


def unequal_dtypes_inside(x):
    if x > 0:
        d = {"k": (x, rt.constant(1.0))}
    else:
        d = {"k": (x, rt.constant(2))}
    return d


def unequal_objects(x):
    if x > 0:
        mode = frozenset("a")
    else:
        mode = frozenset("b")
    return x if "a" in mode else -x


def growing_list(x):
    items = [x]
    while x > 0:
        items = [*items, x]
        x = x - 1
    return items


def nested_tuple(x):
    items = (x,)
    while x > 0:
        items = (items, x)
        x = x - 1
    return items


def loop_dtype(x):
    y = rt.constant(1)
    while x > 0:
        x = x - 1
        y = rt.cast(y, rt.float32)
    return y


@contextlib.contextmanager
def quiet():
    for _ in range(1):
        with contextlib.suppress(ValueError):
            yield


def raise_in_made_manager(x):
    with quiet():
        if x > 0:
            raise ValueError("positive")
    return x


def global_list(x):
    if x > 0:
        GLOBAL.append(x)
    return x


def buffer_in_branch(x):
    seen = bytearray([0])
    if x > 0:
        seen[0] = 1
    return x


def secret_in_branch(x):
    if x > 0:
        x = x + secrets.randbelow(2)
    return x


def next_in_loop(x):
    it = iter([1, 2, 3])
    while x > 0:
        x = x - next(it)
    return x


def hashed(x):
    n = 0
    while x > 0:
        n += 1
        x = x - 1
    return hash(n)


REFUSED = [
    (unequal_dtypes, TypeError, "y", "float32 on one path and int32"),
    (unequal_dtypes_inside, TypeError, "d", r"d\['k'\]\[1\]"),
    (unequal_objects, autograph.StagingError, "mode", "differ"),
    (nested_tuple, autograph.StagingError, "items", "tuple of 1 and tuple of 2"),
    (loop_dtype, TypeError, "y", "int32 on one path and float32"),
    (raise_in_made_manager, autograph.StagingError, None, "past the `with` at line"),
    (global_list, autograph.StagingError, "GLOBAL", "2 items and 1 item"),
    (buffer_in_branch, autograph.StagingError, "seen", "cannot be carried"),
    (secret_in_branch, autograph.StagingError, None, "randbelow inside a staged block"),
    (next_in_loop, autograph.StagingError, None, "advances an iterator"),
    (hashed, errors.OperatorNotAllowedInGraphError, None, "dictionary key"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0].__name__)
def test_refused(case: Any) -> None:
    program, kind, variable, text = case
    before = list(GLOBAL), ACCOUNT.total
    with pytest.raises(kind, match=text) as caught:
        function(program)(X)
    error: Any = caught.value
    assert error.filename == __file__
    code = program.__code__
    assert code.co_firstlineno < error.lineno < code.co_firstlineno + 9
    assert error.col
    assert error.hint
    assert error.variable == variable
    assert (list(GLOBAL), ACCOUNT.total) == before


@pytest.mark.parametrize("x", [-1, 0, 1, 3])
def test_a_list_made_longer_by_each_round(x: int) -> None:
    got = attempt(lambda: function(growing_list)(rt.constant(x)))
    assert same_outcome(growing_list(x), got), got


def test_a_mismatch_names_both_lines() -> None:
    first = unequal_dtypes.__code__.co_firstlineno
    with pytest.raises(
        TypeError, match=rf"{__file__}:{first + 2}:13 and {__file__}:{first + 4}:13"
    ):
        function(unequal_dtypes)(X)


def test_a_handler_cannot_swallow_a_refusal() -> None:
    def swallowing(x):
        try:
            if x > 0:
                y = frozenset("a")
            else:
                y = frozenset("b")
        except ValueError:
            y = frozenset("c")
        return x if "a" in y else -x

    with pytest.raises(autograph.StagingError, match="differ"):
        function(swallowing)(X)


def transparent_with(x):
    with contextlib.nullcontext(), rt.name_scope("inner"):
        if x > 5:
            raise ValueError("large")
    return x


def with_of_a_function(x):
    with rt.control_dependencies([x]):
        if x > 5:
            raise ValueError("large")
    return x


def with_of_a_method(x):
    with rt.GradientTape() as tape, tape.stop_recording():
        if x > 5:
            raise ValueError("large")
    return x


@pytest.mark.parametrize("program", [transparent_with, with_of_a_function, with_of_a_method])
def test_no_refusal_under_a_manager_that_lets_exceptions_pass(program: Any) -> None:
    staged = function(program)
    assert int(staged(X)) == 3
    with pytest.raises(ValueError, match="large"):
        staged(rt.constant(9))


def leaking(x):
    LEAKS.append(x * 2)
    if x > 0:
        y = x + 1
        LEAKS.append(None)
    return x


def test_a_symbol_used_after_its_trace() -> None:
    LEAKS.clear()

    def top_level(x):
        doubled = x * 2
        LEAKS.append(lambda: doubled)
        return x

    function(top_level)(X)
    line = top_level.__code__.co_firstlineno + 1
    with pytest.raises(
        TypeError, match=rf"{__file__}:{line}:19 inside the body of graph 'top_level'"
    ):
        LEAKS[0]() + 1
    with pytest.raises(TypeError, match="used outside of it"):
        function(lambda x: x + LEAKS[0]())(X)


def test_a_symbol_used_after_its_branch() -> None:
    class Box:
        value: Any = None

    def smuggling(x):
        kept = []

        def keep(value):
            kept[:] = [value]
            return value

        if x > 0:
            y = keep(x + 1)
            kept.clear()
        else:
            y = x
        return y

    assert int(function(smuggling)(X)) == 4


# Errors that are deferred


def untaken_branch(x):
    if x > 5:
        y = rt.constant([1, 2, 3])[4]
    else:
        y = x
    return y


def test_an_untaken_branch_need_not_be_valid() -> None:
    staged = function(untaken_branch)
    assert int(staged(X)) == 3
    with pytest.raises(IndexError, match="out of bounds"):
        staged(rt.constant(9))


class Custom(Exception):
    def __init__(self, code: int, *, detail: Any) -> None:
        super().__init__(f"code {code}")
        self.code = code
        self.detail = detail


def raising(x):
    if x > 2:
        raise Custom(7, detail="why")
    if x > 1:
        raise KeyError("value", x)
    return x


def test_the_users_exception_survives() -> None:
    staged = function(raising)
    for _ in range(2):
        with pytest.raises(Custom, match="code 7") as caught:
            staged(X)
        assert (caught.value.code, caught.value.detail) == (7, "why")
    with pytest.raises(KeyError) as found:
        staged(rt.constant(2))
    assert found.value.args[0] == "value"
    assert int(found.value.args[1]) == 2


def test_an_exception_points_at_the_users_line() -> None:
    with pytest.raises(Custom) as caught:
        function(raising)(X)
    last = caught.traceback[-1]
    assert str(last.path) == __file__
    assert last.lineno == raising.__code__.co_firstlineno + 1


def test_assertions_are_of_both_classes() -> None:
    def checked(x):
        assert x > 5, "too small"
        return x

    staged = function(checked)
    assert int(staged(rt.constant(6))) == 6
    for kind in (AssertionError, errors.InvalidArgumentError):
        with pytest.raises(kind, match="too small"):
            staged(X)


def test_printing_keeps_program_order(capsys: pytest.CaptureFixture[str]) -> None:
    def talk(n):
        print("tracing")
        i = 0
        while i < n:
            print("round", i, [n, {"i": i}], sep="-")
            if i > 0:
                print("later")
            i += 1
        print("end", n)
        return n

    staged = function(talk)
    staged(rt.constant(2))
    first = "round-0-[<tf.Tensor: shape=(), dtype=int32, numpy=2>, {'i': 0}]\n"
    second = first.replace("round-0", "round-1").replace("'i': 0", "'i': 1")
    rest = f"{first}{second}later\nend tf.Tensor(2, shape=(), dtype=int32)\n"
    assert capsys.readouterr().out == "tracing\n" + rest
    staged(rt.constant(2))
    assert capsys.readouterr().out == rest


def test_an_optional_is_printed_as_none_or_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    def show(x):
        y = None
        if x > 0:
            y = x
        print(y)
        return x

    staged = function(show)
    staged(X)
    staged(-X)
    assert capsys.readouterr().out == "tf.Tensor(3, shape=(), dtype=int32)\nNone\n"


def test_using_none_is_an_error_at_run_time() -> None:
    def careless(x):
        y = None
        if x > 0:
            y = x
        return y + 1

    staged = function(careless)
    assert int(staged(X)) == 4
    with pytest.raises(TypeError, match="None"):
        staged(-X)


def test_graphs_have_no_duplicate_checks_of_types() -> None:
    made = function(untaken_branch).get_concrete_function(X).graph
    verify(made, types=True)
    assert [node.primitive.name for node in walk(made.body)].count("raise") == 1


def test_threads_trace_independently() -> None:
    def work(x):
        while x < 100:
            x = x * 2
        return x

    staged = function(work)
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(int(staged(X)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [192] * 8
    assert staged.experimental_get_tracing_count() == 1
