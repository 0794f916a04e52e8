"""`jit_compile=True`: machine code from the first call on, or the line of the op that has none."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from tests.support.staging import as_python

UNKNOWN = rt.TensorSpec(None, rt.float32)


def is_native(run: Any) -> bool:
    return type(run).__name__ == "builtin_function_or_method"


def halvings(n):
    count = 0
    while n > 1:
        n = n // 2
        count += 1
    return count


def squares(x):
    return rt.reduce_sum(x * x)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def joined(text):
    a = text
    return rt.strings.join([a, text])


def distinct(x):
    y = x * 2
    return rt.unique(y)[0]


def in_a_loop(x, n):
    total = 0
    for _ in range(n):
        total += rt.size(rt.unique(x)[0])
    return total


def of_stacked_sizes(n):
    return rt.reduce_sum(rt.ones(rt.stack([n, n + 1])))


def of_a_vector_of_one_size(x):
    filled = rt.fill(rt.reshape(rt.size(x), [1]), 2.0)
    return rt.reduce_sum(rt.broadcast_to(filled, rt.concat([[2], rt.shape(x)], 0)))


def of_the_size_that_it_has(x, n):
    return rt.reduce_sum(rt.broadcast_to(x, rt.stack([n, 3])))


def in_a_call(x):
    return distinct(x + 1)


NATIVE: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (halvings, (rt.constant(100),), 6),
    (squares, (rt.constant([1.0, 2.0]),), 5.0),
    (squares, (rt.constant(3.0),), 9.0),
    (fibonacci, (rt.constant(10),), 55),
    (of_stacked_sizes, (rt.constant(3),), 12.0),
    (of_the_size_that_it_has, (rt.constant([[1.0, 2.0, 3.0]] * 2), rt.constant(2)), 12.0),
    (of_a_vector_of_one_size, (rt.constant([1.0, 2.0, 3.0]),), 12.0),
]
REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str, str]] = [
    (joined, (rt.constant("a"),), "return rt.strings", "StringJoin"),
    (distinct, (rt.constant([1, 2]),), "rt.unique", "Unique"),
    (in_a_loop, (rt.constant([1, 2]), rt.constant(3)), "rt.unique", "Unique"),
]


@pytest.mark.parametrize(("function", "args", "expected"), NATIVE)
def test_the_first_call_runs_machine_code(
    function: Callable[..., Any], args: tuple[Any, ...], expected: Any
) -> None:
    staged = rt.function(function, jit_compile=True)
    assert staged(*args).numpy() == expected
    assert is_native(staged.get_concrete_function(*args).programs.tiers.run)


def multiples(x, n):
    rows, sizes = [x], []
    for i in range(n):
        rows.append(x * rt.cast(i, rt.float32))
        sizes.append(len(rows) * 0.5)
    return rows, n * 2, sizes


def ragged(x, n):
    rows, pairs = [], [[x[0]] * 2]
    for i in range(n):
        rows.append([j * i for j in range(i)])
        pairs.append([x[1], x[0] * rt.cast(i, rt.float32), *pairs[-1][1:]])
    return n * 2, rows, [i for i in range(n)], pairs


@pytest.mark.parametrize("count", [0, 1, 9])
def test_lists_are_results(count: int) -> None:
    staged = rt.function(multiples, jit_compile=True)
    x, n = rt.constant([1.0, -2.0]), rt.constant(count)
    rows, double, sizes = staged(x, n)
    expected, _, halves = multiples(x, count)
    assert isinstance(rows, list)
    assert isinstance(sizes, list)
    assert [row.numpy().tolist() for row in rows] == [row.numpy().tolist() for row in expected]
    assert int(double) == 2 * count
    assert list(map(float, sizes)) == halves
    assert "as a whole" in str(staged.explain_native(x, n))


@pytest.mark.parametrize("count", [0, 1, 7])
def test_lists_of_lists_are_results(count: int) -> None:
    staged = rt.function(ragged, jit_compile=True)
    x, n = rt.constant([1.0, -2.0]), rt.constant(count)
    assert as_python(staged(x, n)) == as_python(ragged(x, count))
    assert "as a whole" in str(staged.explain_native(x, n))


@pytest.mark.parametrize("count", [1, 3, -1])
def test_a_size_of_the_run_that_does_not_fit_is_an_error(count: int) -> None:
    staged = rt.function(of_the_size_that_it_has, jit_compile=True)
    with pytest.raises(rt.errors.InvalidArgumentError, match="broadcast"):
        staged(rt.constant([[1.0, 2.0, 3.0]] * 2), rt.constant(count))


@pytest.mark.parametrize(("function", "args", "line", "op"), REFUSED)
def test_what_has_no_machine_code_is_refused_with_its_line(
    function: Callable[..., Any], args: tuple[Any, ...], line: str, op: str
) -> None:
    staged = rt.function(function, jit_compile=True)
    lines, start = inspect.getsourcelines(function)
    (at,) = [number for number, text in enumerate(lines, start) if line in text]
    for _ in range(2):
        with pytest.raises(rt.errors.InvalidArgumentError, match="asks for machine code") as raised:
            staged(*args)
        assert raised.value.op.startswith(op)
        assert raised.value.location[:2] == (__file__, at)
        assert "jit_compile" in raised.value.hint
    # Without it, the same function runs.
    rt.function(function)(*args)


def test_what_is_called_is_refused_with_its_own_line() -> None:
    with pytest.raises(rt.errors.InvalidArgumentError) as raised:
        rt.function(in_a_call, jit_compile=True)(rt.constant([1, 2]))
    lines, start = inspect.getsourcelines(distinct)
    assert raised.value.location[1] == start + len(lines) - 1


def test_unknown_ranks_are_compiled_for_each_shape() -> None:
    staged = rt.function(squares, input_signature=[UNKNOWN], jit_compile=True)
    programs = staged.get_concrete_function().programs
    for shape in ([2, 3], [4], []):
        assert staged(rt.ones(shape)).numpy() == np.prod(shape)
        runner = programs.runner([np.ones(shape, np.float32)])
        assert is_native(runner.__self__.tiers.run)


def test_unknown_ranks_are_refused_for_ops() -> None:
    staged = rt.function(distinct, input_signature=[UNKNOWN], jit_compile=True)
    with pytest.raises(rt.errors.InvalidArgumentError, match="unique has no native code"):
        staged(rt.ones([3]))


def test_variables_are_read_and_assigned() -> None:
    total = rt.Variable(2.0)

    @rt.function(jit_compile=True)
    def scaled(x):
        total.assign(total * x)
        return total.read_value()

    assert [float(scaled(rt.constant(3.0))) for _ in range(2)] == [6.0, 18.0]


def test_errors_are_those_of_python() -> None:
    @rt.function(jit_compile=True)
    def quotient(x, y):
        return x // y

    with pytest.raises(ZeroDivisionError) as raised:
        quotient(rt.constant(1), rt.constant(0))
    assert raised.value.location[0] == __file__


@pytest.mark.parametrize(("function", "args", "line", "op"), REFUSED)
def test_under_a_tape_the_same_is_refused(
    function: Callable[..., Any], args: tuple[Any, ...], line: str, op: str
) -> None:
    staged = rt.function(function, jit_compile=True)
    with rt.GradientTape(), pytest.raises(rt.errors.InvalidArgumentError, match="machine code"):
        staged(*args)


def test_gradients() -> None:
    staged = rt.function(squares, jit_compile=True)
    x = rt.constant([1.0, 2.0])
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = staged(x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_an_executor_of_ones_own_stays_under_tapes() -> None:
    staged = rt.function(squares, executor="numpy")
    x = rt.constant([1.0, 2.0])
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = staged(x)
    tape.gradient(y, x)
    call = staged.get_concrete_function(x)._recorded
    (levels,) = call._derived.values()
    assert levels is not None
    assert {call.executor, levels.executor, levels.programs.executor} == {"numpy"}


def test_numpy_has_no_machine_code() -> None:
    with pytest.raises(ValueError, match="jit_compile=True asks for machine code"):
        rt.function(squares, executor="numpy", jit_compile=True)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    with pytest.raises(ImportError, match=r"^jit_compile=True needs .* 'autograph-runtime\[native"):
        rt.function(squares, jit_compile=True)
    assert rt.function(squares, jit_compile=False)(rt.constant([2.0])).numpy() == 4.0
