"""Loops, and functions that are called, that become machine code before a call ends: nobody can
tell, but by the time.
"""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors import hot_loops
from runtime.graph.executors.hot_loops import HotFunction, HotLoop
from runtime.graph.executors.native import resuming
from runtime.graph.executors.program import Program
from tests.runtime.graph.native.test_threads import ENDLESS
from tests.support.native import hot_after, observed

WEIGHTS = np.linspace(-1.0, 1.0, 16).reshape(4, 4)
TURN = np.roll(np.eye(4, dtype=np.float32), 1, axis=1)


def collatz(last):
    total = 0
    k = 1
    while k < last:
        n = k
        while n != 1:
            if n % 2 == 1:
                n = 3 * n + 1
            else:
                n = n // 2
            total += 1
        k += 1
    return total


def recurrence(n):
    s = rt.constant(0.0)
    for i in rt.range(n):
        s = s * 0.999 + rt.cast(i, rt.float32)
    return s


def beyond_64_bits(n):
    product = rt.size(n)
    product = 1
    while n > 0:
        product = product * 3
        n -= 1
    return product % 1000003


def wraps_around(n):
    m = rt.cast(n, rt.int8)
    for _ in rt.range(n):
        m = m * 3 + 1
    return m


def swaps(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, (a + b) % 1000
        n -= 1
    return a, b


def not_entered(n):
    total = 0
    for _ in rt.range(n):
        total += 1
        k = 0
        while k > n:
            k -= 1
        total += k
    return total


def leaves_early(n):
    found = -1
    for i in rt.range(1000):
        if i * i > n:
            found = i
            break
        if i % 7 == 3:
            continue
    else:
        found = -2
    return found


def returns_inside(n):
    for i in rt.range(1000):
        for k in rt.range(i):
            if i * k == n:
                return i + k
    return -1


def on_arrays(n):
    x = rt.ones([4, 4])
    y = rt.zeros([4])
    for _ in rt.range(n):
        x, y = x @ rt.constant(TURN) + 1.0, y + x[0]
    return x, y + x[1], rt.reduce_sum(x)


def keeps_buffers(n):
    """What is behind the loop writes over what it left, and reads what was before it."""
    x = rt.ones([64]) * 2.0
    before = x + 1.0
    state = before
    for _ in rt.range(n):
        state = state * 0.5 + x
    after = rt.exp(-state)
    return after * state, before, rt.reduce_sum(after)


def transposed(n):
    x = rt.transpose(rt.cast(WEIGHTS, rt.float32))
    for _ in rt.range(n):
        x = rt.transpose(x) * 0.5
    return x, rt.reduce_sum(x, axis=0)


def prints_outside(n):
    total = 0
    for i in rt.range(3):
        k = 0
        while k < n:
            total += k % (i + 1)
            k += 1
        print("now", total)
    return total


def collects(n):
    values = rt.TensorArray(rt.int32, size=0, dynamic_size=True)
    i = 0
    while i < n:
        values = values.write(i, i * i)
        i += 1
    return values.stack()


def fills_some(n):
    values = rt.TensorArray(rt.float32, size=7, element_shape=[2], clear_after_read=False)
    for i in rt.range(n):
        if i % 3 == 1:
            values = values.write(i % 7, rt.fill([2], rt.cast(i, rt.float32)))
    return values.read(n % 7), values.stack()


def squares(n):
    items, halves, are_even = [], [], [True]
    for i in rt.range(n):
        items.append(i * i)
        halves.append(rt.cast(i, rt.float64) / 2.0)
        are_even.append(i % 2 == 0)
        if i % 5 == 4:
            items[i // 2] += items.pop()
    return items, halves, are_even, len(items)


def powers(n):
    """Numbers of Python's, which are soon beyond 64 bits."""
    items = [1]
    k = rt.size(n)
    k = 0
    while k < n:
        items.append(items[-1] * 3)
        k += 1
    return [item % 1009 for item in items], k


def triangle(n):
    rows = [[1]]
    total = 0
    for i in rt.range(n):
        row = [1]
        for k in range(len(rows[-1]) - 1):
            row.append((rows[-1][k] + rows[-1][k + 1]) % 1009)
        row.append(1)
        rows.append(row)
        rows[i // 2][0] += 1
        total += len(rows[i]) * rows[i // 3][0]
    return rows, total


def points(n):
    found = [rt.ones([2])]
    for i in rt.range(n):
        found.append(found[-1] * 0.5 + rt.cast(i, rt.float32))
        if len(found) > 9:
            found.pop(0)
    return found, rt.stack(found)


def counts(n):
    seen = {}
    for i in rt.range(n):
        key = i * i % 11
        seen[key] = seen.get(key, 0) + 1
    return seen, [*seen]


def leaves_a_list(n):
    items = [n]
    while True:
        if len(items) > 40:
            raise ValueError(f"too many: {len(items)}")
        if items[-1] % 7 == 5 and len(items) > 3:
            return items
        items.append(items[-1] * 5 % 1009)


def of_lists_inside(n):
    """The inner loop alone is not machine code: its list would be copied in each round."""
    total = 0
    for i in rt.range(n):
        items = [i]
        while len(items) < 5:
            items.append(items[-1] + total)
        print("sum", sum(items))
        total += items[-1] % 7
    return total


def divides(n):
    total = 0
    while n > -5:
        total += 100 // n
        n -= 1
    return total


def too_far(n):
    total = 0.0
    x = rt.ones([16])
    i = 0
    while i < n:
        total += x[i]
        i += 1
    return total


def refuses(n):
    i = 0
    while True:
        if i == n:
            raise ValueError(f"there is {i}")
        i += 1
    return i


def asserts(n):
    i = 0
    while i < 100:
        assert i != n, "met"
        i += 1
    return i


@rt.function
def fibonacci(n):
    if n < 2:
        return n
    total = 0
    for i in rt.range(1, 3):
        total += fibonacci(n - i)
    return total


def calls(n):
    return fibonacci(n % 9)


def orders(n):
    """Backtracking: a list of the caller's, which each call changes and puts back."""
    used = [False] * 5
    found = [0]

    def go(depth, number):
        if depth == n:
            found.append(number)
            return number % 7
        total = 0
        for i in range(5):
            if not used[i]:
                used[i] = True
                total += go(depth + 1, number * 10 + i)
                used[i] = False
        return total

    return go(0, 0), found


def fills_rows(n):
    rows = [[0] * 4 for _ in range(3)]

    def go(i, k):
        if i < 0 or i >= 3 or k < 0 or k >= 4 or rows[i][k] != 0:
            return 0
        rows[i][k] = n
        return 1 + go(i + 1, k) + go(i - 1, k) + go(i, k + 1) + go(i, k - 1)

    return go(n % 3, n % 4), rows


def sorted_by_halves(n):
    def merged(items):
        if len(items) <= 1:
            return items
        half = len(items) // 2
        a, b = merged(items[:half]), merged(items[half:])
        made = []
        i = k = 0
        while i < len(a) or k < len(b):
            if k == len(b) or (i < len(a) and a[i] <= b[k]):
                made.append(a[i])
                i += 1
            else:
                made.append(b[k])
                k += 1
        return made

    items = []
    for i in rt.range(n):
        items.append(i * 7 % 11)
    return merged(items)


def too_deep(n):
    """Python's error, where machine code steps aside."""

    def go(k):
        if k == 5:
            raise ValueError("it is met")
        return 0 if k > n else go(k + 1) + go(k + 2)

    return go(n % 1)


def large_numbers(n):
    def power(k):
        return rt.constant(1, rt.int64) if k <= 0 else power(k - 1) * 1000003 + power(k - 2)

    return power(n)


def tells(n):
    def go(k):
        print("at", k)
        return 0 if k <= 0 else go(k - 1) + go(k - 2) + 1

    return go(n)


def branches(n):
    total = 0
    while n > 0:
        if n % 3 == 0:
            step = 2
            total += step
        else:
            step = 1
        n -= step
    return total, n


ROWS: list[Any] = [
    # function, the arguments, how many loops or functions become machine code at least
    (collatz, (2, 5, 60), 1),
    (recurrence, (1, 5, 60), 1),
    (beyond_64_bits, (5, 39, 60), 1),
    (wraps_around, (5, 60), 1),
    (swaps, (5, 60), 1),
    (not_entered, (0, 5, 60), 1),
    (leaves_early, (5, 60, 3000), 1),
    (returns_inside, (6, 60, 299), 1),
    (on_arrays, (0, 1, 5, 60), 1),
    (keeps_buffers, (0, 5, 60), 1),
    (transposed, (5, 60), 1),
    (prints_outside, (5, 60), 1),
    (collects, (5, 60), 0),
    (fills_some, (0, 5, 60), 1),
    (squares, (0, 5, 60), 1),
    (powers, (5, 39, 60), 1),
    (triangle, (0, 5, 20), 1),
    (points, (0, 5, 60), 1),
    (counts, (0, 5, 60), 1),
    (leaves_a_list, (1, 3, 60), 1),
    (of_lists_inside, (5, 9), 0),
    (divides, (-6, 5, 60), 1),
    (too_far, (5, 16, 60), 1),
    (refuses, (5, 60), 1),
    (asserts, (5, 60, 600), 0),
    (calls, (5, 8), 1),
    (branches, (5, 60), 1),
    (orders, (1, 3, 5), 1),
    (fills_rows, (5, 7), 1),
    (sorted_by_halves, (0, 1, 9, 20), 1),
    (too_deep, (1, 4, 8), 1),
    (large_numbers, (3, 12), 1),
    (tells, (1, 4), 0),
]


class Hot:
    """A program whose loops are soon machine code, and the plain one."""

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self.graph = rt.function(function).get_concrete_function(*args).optimized
        self.plain, self.program = Program(self.graph), Program(self.graph, may_become_native=True)

    def compare(self, *raws: Any) -> Any:
        """The same bits, or the same error in the same line."""
        expected = observed(self.plain, self.plain.run, raws)
        assert observed(self.program, self.program.run, raws) == expected
        return expected


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[HotLoop]:
    """Those that become machine code, in their order."""
    return compiled_by(HotLoop, monkeypatch)


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> list[HotFunction]:
    """Those that become machine code, in their order."""
    return compiled_by(HotFunction, monkeypatch)


def compiled_by(kind: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    made: list[Any] = []
    original = kind._compiled

    def compiled(self: Any) -> Any:
        made.append(self)
        return original(self)

    monkeypatch.setattr(kind, "_compiled", compiled)
    return made


@pytest.mark.parametrize("rounds", [1, 2, 7])
@pytest.mark.parametrize(
    ("function", "numbers", "least"), ROWS, ids=lambda row: getattr(row, "__name__", "")
)
def test_nobody_can_tell(
    function: Any,
    numbers: Any,
    least: int,
    rounds: int,
    loops: list[HotLoop],
    functions: list[HotFunction],
) -> None:
    with hot_after(rounds):
        hot = Hot(function, rt.constant(1))
        assert hot.program.source == hot.plain.source
        for _ in range(2):
            for n in numbers:
                hot.compare(np.int32(n))
        assert len(loops) + len(functions) >= least


def reduced_between(numbers: Any, n: Any) -> Any:
    """The inner loop stands among rounds that read what the rest of it is not given."""
    s = numbers[0]
    for _ in rt.range(2):
        for _ in rt.range(n):
            if s % 7 == 1:
                continue
        s = (s + rt.reduce_sum(numbers)) % 1009
    return s


def test_a_loop_whose_rest_is_not_whole_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HotLoop, "_waits_for", lambda self, outer: False)  # as after its patience
    numbers = rt.range(8)
    with hot_after(1):
        for n in (3, 40, 0):
            hot = rt.function(reduced_between, executor="native")
            expected = rt.function(reduced_between, executor="numpy")
            assert int(hot(numbers, rt.constant(n))) == int(expected(numbers, rt.constant(n)))


def test_lists_are_copied_for_calls_only_while_that_pays(
    monkeypatch: pytest.MonkeyPatch, functions: list[HotFunction]
) -> None:
    entered: list[Any] = []
    original = resuming.compiled_function

    def compiled(*given: Any) -> Any:
        run = original(*given)
        return lambda *values: entered.append(values) or run(*values)

    monkeypatch.setattr(resuming, "compiled_function", compiled)
    for copied, is_long in ((0.0, True), (1.0, False)):
        entered.clear()
        monkeypatch.setattr(hot_loops, "COPIED", copied)
        with hot_after(1):
            hot = Hot(orders, rt.constant(1))
            for _ in range(4):
                hot.compare(np.int32(4))
        assert (len(entered) > 1) == is_long, len(entered)
    assert len(functions) == 2


def fibonacci_inside(n):
    def go(k):
        return k if k < 2 else go(k - 1) + go(k - 2)

    return go(n)


def test_a_function_becomes_machine_code_in_its_first_call(
    patient: None, functions: list[HotFunction]
) -> None:
    hot = Hot(fibonacci_inside, rt.constant(1))
    hot.compare(np.int32(8))
    assert not functions, "a short call compiles nothing"
    hot.compare(np.int32(21))
    (found,) = functions
    counted = hot.program.work.spent
    hot.compare(np.int32(21))
    assert hot.program.work.spent - counted < 1e-3, "its calls are few statements"
    assert found.name.startswith("go")


def test_all_of_the_graph_becomes_machine_code_behind_a_function(
    patient: None, functions: list[HotFunction]
) -> None:
    staged = rt.function(fibonacci_inside, executor="native")
    n = rt.constant(21)
    tiers = staged.get_concrete_function(n).programs.tiers
    calls = 0
    while tiers.run == tiers._counted:
        assert int(staged(n)) == fibonacci_inside(21)
        calls += 1
        assert calls < 9
    assert len(functions) == 1
    assert int(staged(n)) == fibonacci_inside(21)


def lines(found: list[HotLoop], function: Callable[..., Any]) -> list[int]:
    first = function.__code__.co_firstlineno
    return [loop.node.location[1] - first for loop in found]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler is there, and all else as it is for users."""
    monkeypatch.setattr(hot_loops.Patience, "importing", 0.0)


def test_of_a_nest_it_is_the_outermost_loop(patient: None, loops: list[HotLoop]) -> None:
    hot = Hot(collatz, rt.constant(1))
    hot.compare(np.int32(30))
    assert not loops, "a short call compiles nothing"
    hot.compare(np.int32(3000))
    assert lines(loops, collatz) == [3]


def rarely_outside(n):
    total = 0
    for i in rt.range(2):
        k = 0
        while k < n:
            total = total ^ (k + i)
            k += 1
    return total


def test_a_loop_inside_goes_on_alone_where_the_outer_one_does_not_come_round(
    patient: None, loops: list[HotLoop]
) -> None:
    Hot(rarely_outside, rt.constant(1)).compare(np.int32(200_000))
    assert lines(loops, rarely_outside) == [4, 2]


def test_what_prints_stays_python_around_machine_code(loops: list[HotLoop], capsys: Any) -> None:
    with hot_after(5):
        Hot(prints_outside, rt.constant(1)).compare(np.int32(60))
        assert lines(loops, prints_outside) == [4]
        first, second = np.array_split(capsys.readouterr().out.splitlines(), 2)
        assert first.tolist() == second.tolist()


def test_rounds_of_all_calls_count(loops: list[HotLoop]) -> None:
    with hot_after(11):
        hot = Hot(recurrence, rt.constant(1))
        for call in range(4):
            assert len(loops) == (call == 3)
            hot.compare(np.int32(3))


def test_rounds_that_paid_for_a_loop_do_not_pay_for_its_graph(
    patient: None, loops: list[HotLoop]
) -> None:
    staged = rt.function(collatz, executor="native")
    n = rt.constant(3000)
    tiers = staged.get_concrete_function(n).programs.tiers
    expected = collatz(3000)
    assert [int(staged(n)) for _ in range(4)] == [expected] * 4
    assert lines(loops, collatz) == [3]
    assert tiers.run == tiers._counted, "its calls are few statements"
    few = rt.constant(3)
    calls = 0
    while tiers.run == tiers._counted:
        assert int(staged(few)) == collatz(3)
        calls += 1
        assert calls < 20_000
    assert calls > 500
    assert int(staged(n)) == expected
    assert lines(loops, collatz) == [3]


def test_rounds_of_a_loop_inside_pay_once(patient: None, loops: list[HotLoop]) -> None:
    staged = rt.function(rarely_outside, executor="native")
    n = rt.constant(200_000)
    work = staged.get_concrete_function(n).programs.tiers.program.work
    staged(n)
    assert lines(loops, rarely_outside) == [4, 2]
    assert 0 <= work.left < 1e-3 < work.paid < work.spent


def long_list(n):
    items = []
    for i in rt.range(n):
        items.append(i * i % 101)
    total = 0
    for item in items:
        total += item
    return total


def test_what_copies_lists_lasts_for_a_few_calls(patient: None, loops: list[HotLoop]) -> None:
    """All of the graph takes its place: it has nothing to copy."""
    staged = rt.function(long_list, executor="native")
    n = rt.constant(50_000)
    tiers = staged.get_concrete_function(n).programs.tiers
    expected = long_list(50_000)
    assert int(staged(n)) == expected
    assert lines(loops, long_list)[0] == 2
    calls = 0
    while tiers.run == tiers._counted:
        assert int(staged(n)) == expected
        calls += 1
        assert calls < 6
    assert int(staged(n)) == expected


def rounds_of(program: Program) -> tuple[Any, str]:
    namespace = program.run.__globals__
    (name,) = [name for name in namespace if name.startswith("rounds_")]
    return namespace, name


def test_an_interrupt_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised in the loop; the next call does not miss what was not made."""
    original = resuming.compiled

    def compiled(*given: Any) -> Any:
        monkeypatch.setattr(resuming, "compiled", original)
        raise KeyboardInterrupt

    monkeypatch.setattr(resuming, "compiled", compiled)
    with hot_after(3):
        hot = Hot(recurrence, rt.constant(1))
        namespace, name = rounds_of(hot.program)
        ended = namespace[name]
        with pytest.raises(KeyboardInterrupt):
            hot.program.run(np.int32(60))
        assert namespace[name] is not ended
        made, namespace[name] = namespace[name], ended
        # Another thread is still in the rounds that ended: Python does the rest.
        for n in (0, 60):
            hot.compare(np.int32(n))
        namespace[name] = made
        hot.compare(np.int32(60))
        assert compiled is not resuming.compiled


def test_an_interrupt_of_the_compiler_of_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    original = resuming.compiled_function

    def compiled(*given: Any) -> Any:
        monkeypatch.setattr(resuming, "compiled_function", original)
        raise KeyboardInterrupt

    monkeypatch.setattr(resuming, "compiled_function", compiled)
    with hot_after(3):
        hot = Hot(fibonacci_inside, rt.constant(1))
        namespace = hot.program.run.__globals__
        (name,) = [name for name in namespace if name.startswith("count_")]
        ended = namespace[name]
        with pytest.raises(KeyboardInterrupt):
            hot.program.run(np.int32(9))
        assert namespace[name] is not ended
        assert ended() is None
        hot.compare(np.int32(9))
        assert compiled is not resuming.compiled_function


def interrupted(name: str) -> None:
    """Run one of the endless programs, until another thread raises the signal of Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    function, raw = ENDLESS[name]
    ready = threading.Event()
    original = HotLoop._compiled

    def compiled(self: HotLoop) -> Any:
        ready.set()
        return original(self)

    HotLoop._compiled = compiled  # type: ignore[method-assign]

    def interrupt() -> None:
        ready.wait()
        for _ in range(1000):
            sum(range(1000))
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with hot_after(3):
        hot = Hot(function, rt.constant(raw))
        with pytest.raises(KeyboardInterrupt):
            hot.program.run(raw)
    thread.join()


@pytest.mark.parametrize("name", ["loop", "nested", "on_arrays"])
def test_an_interrupt_ends_a_loop(name: str) -> None:
    program = f"from {__name__} import interrupted; interrupted({name!r})"
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_threads() -> None:
    with hot_after(100):
        hot = Hot(collatz, rt.constant(1))
        expected = hot.plain.run(np.int32(400))
        found: list[Any] = []
        threads = [
            threading.Thread(target=lambda: found.append(hot.program.run(np.int32(400))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * 4


def one_of_two(n):
    total = 0
    i = 0
    if n > 0:
        while i < n + 1:
            total += 100 // (n - i)
            i += 1
    else:
        while i < 1 - n:
            total += 100 // (i + 1)
            total += 100 // (i + 2)
            total += 100 // (n + i)
            i += 1
    return total


def test_two_loops_are_compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has lines of its own."""
    original, both = resuming.compiled, threading.Barrier(2)

    def compiled(*given: Any) -> Any:
        both.wait(60)
        return original(*given)

    with hot_after(3):
        hot = Hot(one_of_two, rt.constant(1))
        monkeypatch.setattr(resuming, "compiled", compiled)
        numbers = [np.int32(20), np.int32(-20)]
        expected = [observed(hot.plain, hot.plain.run, [n]) for n in numbers]
        found: dict[int, Any] = {}

        def run(at: int) -> None:
            found[at] = observed(hot.program, hot.program.run, [numbers[at]])

        threads = [threading.Thread(target=run, args=[at]) for at in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found[at] for at in range(2)] == expected
