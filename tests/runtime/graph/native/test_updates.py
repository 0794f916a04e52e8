"""Items that loops assign, in machine code: in place where nobody sees what was there before."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from autograph import StagingError
from runtime.graph.executors.lowered import Loop, blocks_of
from runtime.graph.executors.lowering import ALL, Lowering
from runtime.graph.executors.native.executor import reasons, units_of
from runtime.graph.executors.native.updates import Updates, is_update
from tests.support.native import Pair, hot_after, optimized

Function = Callable[..., Any]


def primes(n: Any) -> Any:
    found = rt.ones([100], rt.int32)
    for i in rt.range(2, n):
        if found[i] == 1:
            j = i * i
            while j < n:
                found[j] = 0
                j = j + i
    return found


def common(a: Any, b: Any) -> Any:
    """The lengths of the longest subsequences that beginnings have in common."""
    table = rt.zeros([9, 7], rt.int32)
    for i in rt.range(1, 9):
        for j in rt.range(1, 7):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = rt.maximum(table[i - 1, j], table[i, j - 1])
    return table


def shifted(x: Any, n: Any) -> Any:
    for i in rt.range(1, n):
        x[i] = x[i - 1]
        x[i, 1:3] = x[i, 2:4]
        x[i - 1, ::2] = 7
    return x


def of_two(x: Any, n: Any) -> Any:
    y = x * 2
    for i in rt.range(n):
        x[i % 3] = y[i % 4]
        y[i % 2] = x[i % 3] + 1
    return x, y


def before_and_after(x: Any, n: Any) -> Any:
    total = x * 0
    for i in rt.range(n):
        row = x[i % 5]
        x[i % 3] = row + 1
        total = total + x
    return x, total


def swapped(x: Any, n: Any) -> Any:
    y = x + 1
    for i in rt.range(n):
        x[i % 2] = i
        x, y = y, x
    return x, y


def of_rounds(x: Any, n: Any) -> Any:
    """What the round before left is read in the next one."""
    last = x + 0
    for i in rt.range(n):
        kept = x + last
        x[i % 3] = 9
        last = kept
    return x, last


def beside(x: Any, n: Any) -> Any:
    y = x + 0
    for i in rt.range(n):
        z = y * 2
        y[i % 3] = 5
        y = y + z
    return y


def may_end(x: Any, n: Any) -> Any:
    for i in rt.range(n):
        if x[i % 5, 0] > 40:
            break
        x[(i + 1) % 5] = x[i % 5] + i
        if i % 2 == 0:
            continue
        x[0, 0] = i
    return x


def one_after_the_other(x: Any, n: Any) -> Any:
    for i in rt.range(n):
        x[i % 5] = i
    for i in rt.range(n):
        x[i % 3] = x[(i + 1) % 5] + 1
    if n > 3:
        x[0, 0] = 1
    return x, x[1]


def read_in_between(x: Any, n: Any) -> Any:
    for i in rt.range(n):
        x[i % 5] = i
    y = x * 2
    for i in rt.range(n):
        x[i % 3] = x[(i + 1) % 5] + 1
    return x, y


MATRIX = np.arange(20, dtype=np.int32).reshape(5, 4)
# The assignments, those of them that are in place, and the loops that have an array for them.
PROGRAMS: list[tuple[Function, tuple[Any, ...], int, int, int]] = [
    (primes, (np.int32(100),), 1, 1, 2),
    (common, (np.array([1, 2, 3, 1, 2, 4, 1, 2], "i"), np.array([2, 4, 3, 1, 2, 1], "i")), 2, 2, 2),
    (shifted, (MATRIX, np.int32(5)), 3, 3, 1),
    (of_two, (MATRIX, np.int32(9)), 2, 2, 2),
    (before_and_after, (MATRIX, np.int32(9)), 1, 1, 1),
    (swapped, (MATRIX, np.int32(9)), 1, 0, 0),
    (of_rounds, (MATRIX, np.int32(9)), 1, 0, 0),
    (beside, (MATRIX, np.int32(9)), 1, 0, 0),
    (may_end, (MATRIX, np.int32(30)), 2, 2, 1),
    (one_after_the_other, (MATRIX, np.int32(9)), 3, 3, 2),
    (read_in_between, (MATRIX, np.int32(9)), 2, 2, 2),
]


@pytest.mark.parametrize(
    ("function", "given"), [row[:2] for row in PROGRAMS], ids=[row[0].__name__ for row in PROGRAMS]
)
def test_assigns_what_the_python_program_does(function: Function, given: tuple[Any, ...]) -> None:
    pair = Pair(optimized(function, given))
    kept = [np.copy(each) for each in given]
    for _ in range(2):
        pair.compare(*given)
    assert pair.aside == 0
    for before, now in zip(kept, given, strict=True):
        np.testing.assert_array_equal(before, now)


@pytest.mark.parametrize(
    ("function", "given", "assignments", "in_place", "states"),
    PROGRAMS,
    ids=[row[0].__name__ for row in PROGRAMS],
)
def test_writes_in_place_where_nobody_sees_it(
    function: Function, given: tuple[Any, ...], assignments: int, in_place: int, states: int
) -> None:
    body = Lowering(optimized(function, given), contiguous=True).function(ALL).body
    updates = Updates(body)
    statements = [each for block in blocks_of(body) for each in block.statements]
    assert sum(map(is_update, statements)) == assignments
    assert len(updates.kernels) == in_place
    assert sum(map(len, updates.states.values())) == states
    assert all(isinstance(each, Loop) for each in updates.states)


@pytest.mark.parametrize(
    ("function", "owned"), [(one_after_the_other, [False, True]), (read_in_between, [False, False])]
)
def test_the_next_loop_goes_on_in_the_same_memory(function: Function, owned: list[bool]) -> None:
    body = Lowering(optimized(function, (MATRIX, np.int32(9))), contiguous=True).function(ALL).body
    updates = Updates(body)
    loops = [each for each in body.statements if isinstance(each, Loop)]
    assert [is_owned for loop in loops for is_owned in updates.states[loop].values()] == owned


def test_finds_what_is_known() -> None:
    (found,) = Pair(optimized(primes, (np.int32(100),))).native(np.int32(100))
    assert [at for at in range(2, 100) if found[at]] == [
        n for n in range(2, 100) if all(n % k for k in range(2, n))
    ]


def test_places_that_are_not_there_are_left_to_the_fallback() -> None:
    def assigned(x: Any, n: Any) -> Any:
        for i in rt.range(n):
            x[i] = i
        return x

    pair = Pair(optimized(assigned, (np.arange(4, dtype="i"), np.int32(4))))
    pair.compare(np.arange(4, dtype="i"), np.int32(4))
    assert pair.aside == 0
    pair.compare(np.arange(4, dtype="i"), np.int32(6))
    assert pair.aside == 1


def test_a_large_array_is_not_copied_in_each_round() -> None:
    large = rt.TensorSpec([1 << 20], rt.int32), rt.TensorSpec([], rt.int32)
    for function, count in ((swapped, 1), (shifted_vector, 0)):
        graph = rt.function(function).get_concrete_function(*large).optimized
        assert len(reasons(graph)) == count


def shifted_vector(x: Any, n: Any) -> Any:
    for i in rt.range(1, n):
        x[i] = x[i - 1] + i
    return x


@pytest.mark.parametrize(("size", "islands"), [(100, 1), (1 << 20, 0)])
def test_large_arrays_are_not_copied_to_and_fro(size: int, islands: int) -> None:
    """A loop inside one that prints is entered again and again, Python's is in place."""

    def told(x: Any, n: Any) -> Any:
        for i in rt.range(n):
            print("round", i)
            for j in rt.range(n):
                x[j] = x[j] + i
        return x

    spec = rt.TensorSpec([size], rt.int32), rt.TensorSpec([], rt.int32)
    assert len(units_of(rt.function(told).get_concrete_function(*spec).optimized)) == islands


@pytest.mark.parametrize("rounds", [1, 2, 5, 20])
@pytest.mark.parametrize(
    ("function", "given"), [row[:2] for row in PROGRAMS], ids=[row[0].__name__ for row in PROGRAMS]
)
def test_goes_on_with_a_hot_loop(function: Function, given: tuple[Any, ...], rounds: int) -> None:
    expected = rt.function(function, executor="numpy")(*map(rt.constant, given))
    with hot_after(rounds):
        staged = rt.function(function, executor="native")
        for _ in range(3):
            found = staged(*map(rt.constant, given))
            for one, other in zip(rt.nest.flatten(found), rt.nest.flatten(expected), strict=True):
                np.testing.assert_array_equal(one, other)


# Random programs

LINES = (
    "a[{0}] = a[{1}] + b[{2}]",
    "b[{0}] = a[{1}] * 3",
    "a[{3}:{3} + 2] = b[{4}:{4} + 2]",
    "a[{3}:{3} + 2] = a[{4}:{4} + 2]",
    "a[1:4] = a[0:3]",
    "b[::2] = s",
    "t = a[{0}]",
    "b[{0}] = t",
    "c = a + b",
    "a[{0}] = c[{1}]",
    "c[{0}] = a[{1}]",
    "s = s + rt.reduce_sum(a) % 7",
    "s = s + c[{0}] % 5",
    "a = a * 2",
    "a, b = b, a",
    "d = rt.reshape(a, [2, 4])",
    "s = s + d[1, {5}]",
    "a[{0}] = d[0, {5}]",
)


def block(source: random.Random, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(source.randint(1, 4)):
        kind = source.random()
        if depth and kind < 0.2:
            lines.append(f"if s % 2 == {source.randint(0, 1)}:")
            lines += [f"    {line}" for line in block(source, depth - 1)]
            if kind < 0.1:
                lines += ["else:", *[f"    {line}" for line in block(source, depth - 1)]]
        elif depth and kind < 0.35:
            lines.append(f"for j{depth} in rt.range({source.randint(0, 3)}):")
            lines += [f"    {line}" for line in block(source, depth - 1)]
        else:
            places = [f"(i + {source.randint(0, 9)}) % 8" for _ in range(3)]
            starts = [str(source.randint(0, 6)) for _ in range(2)]
            line = source.choice(LINES)
            lines.append(line.format(*places, *starts, f"(i + {source.randint(0, 9)}) % 4"))
    return lines


def program(seed: int) -> str:
    lines = ["for i in rt.range(n):", *[f"    {each}" for each in block(random.Random(seed), 2)]]
    head = ["b = a + 1", "c = a * 3", "d = rt.reshape(a + 0, [2, 4])", "s = a[0]", "t = a[1]"]
    body = [*head, *lines, "return a, b, c, d, s, t"]
    return "import runtime as rt\n\ndef made(a, n):\n" + "".join(f"    {each}\n" for each in body)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_many_programs(tmp_path: Path, first: int) -> None:
    tried = 0
    for seed in range(first, first + 10):
        path = tmp_path / f"made_{seed}.py"
        path.write_text(program(seed))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        given = np.arange(8, dtype=np.int32), np.int32(5)
        try:
            graph = optimized(module.made, given)
        except StagingError:  # what shares rows may not be assigned
            continue
        pair = Pair(graph)
        pair.compare(*given)
        assert pair.aside == 0, program(seed)
        tried += 1
    assert tried


ASSIGNED: list[tuple[Any, Any, bool]] = [
    (lambda i: slice(i, i + 2), lambda y, i: 0.0, True),
    (lambda i: slice(i, None), lambda y, i: y[0], True),
    (lambda i: slice(0, 4), lambda y, i: y[i], True),
    (lambda i: slice(0, 6, 2), lambda y, i: y[:3], True),
    (lambda i: slice(None, None, -1), lambda y, i: y, True),
    (lambda i: i, lambda y, i: y[i], True),
    (lambda i: slice(i, i + 2), lambda y, i: y[i : i + 2], False),
    (lambda i: slice(i, i + 2), lambda y, i: y[:2], False),
    (lambda i: slice(0, 2), lambda y, i: y[i : i + 2], False),
    (lambda i: slice(i, None, 2), lambda y, i: 0.0, False),
    (lambda i: slice(0, 4), lambda y, i: y[:1], False),
    (lambda i: slice(i, i + 2), lambda y, i: y[:1], False),
]


@pytest.mark.parametrize("number", range(len(ASSIGNED)))
def test_which_slices_are_assigned_in_machine_code(number: int) -> None:
    """As docs/native.md says."""
    key, value, is_native = ASSIGNED[number]

    @rt.function(jit_compile=True)
    def assigned(x: Any, y: Any, i: Any) -> Any:
        x[key(i)] = value(y, i)
        return x

    x, y = np.zeros(6, "f"), np.arange(6, dtype="f") + 1
    if not is_native:
        with pytest.raises(rt.errors.InvalidArgumentError, match="set_slice has no native code"):
            assigned(rt.constant(x), rt.constant(y), rt.constant(1))
        return
    found = assigned(rt.constant(x), rt.constant(y), rt.constant(1))
    x[key(1)] = value(y, 1)
    np.testing.assert_array_equal(found, x)


@pytest.mark.parametrize("is_known", [True, False])
def test_gradients_of_slices_in_machine_code(is_known: bool) -> None:
    @rt.function(jit_compile=True)
    def slope(x: Any, i: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = x[1:3] if is_known else x[i : i + 2]
        return tape.gradient(y, x, rt.constant([2.0, 3.0]))

    x, i = rt.constant([1.0, 2.0, 3.0, 4.0]), rt.constant(1)
    if is_known:
        np.testing.assert_array_equal(slope(x, i), [0.0, 2.0, 3.0, 0.0])
        return
    with pytest.raises(rt.errors.InvalidArgumentError, match="has no native code"):
        slope(x, i)
