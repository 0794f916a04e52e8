"""Control flow in machine code, and where it steps aside: results, errors and effects are those of
the NumPy executor.
"""

# The programs are written as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors.native import executor
from runtime.graph.executors.native.control import COPIES
from runtime.graph.executors.native.islands import Islands
from runtime.graph.executors.program import Program
from tests.support.native import Pair, forced, observed


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def nested(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j == 5:
                break
            if (i + j) % 3 == 0:
                continue
            total += i * j
    return total


def recurrence(x, n):
    i = 0
    while i < n:
        x = x * 0.75 + i
        i += 1
    return x


def swapped(a, b):
    while b != 0:
        a, b = b, a % b
    return a, b


def counted(x, n):
    s = int(x)
    while s < n:
        s += 1
    return s % 1000003


def wraps(x, n):
    for _ in range(n):
        x = x * 31 + 7
    return x


def element(x, i):
    return x[i] * 2


def sliced(x, i):
    return x[i:], x[:i]


def row(x, i, j):
    return x[i][j] - x[j][i]


def divided(n, d):
    total = 0
    for i in range(n):
        total += 100 // (d - i)
    return total


def raising(n, limit):
    total = 0
    for i in range(n):
        if i == limit:
            raise ValueError(f"round {i} of {n}")
        total += i
    return total


def asserting(n, limit):
    for i in range(n):
        assert i != limit, "too far"
    return n


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def uneven(n):
    """Calls in both branches, behind them, and in a loop."""
    if n <= 0:
        return 1
    y = uneven(n - 2) + uneven(n - 5) if n % 3 == 0 else uneven(n - 4)
    for i in range(n % 4):
        y += uneven(n - 7 - i)
    return y + uneven(n - 3) * 2


def endless(n):
    if n < 0:
        return n
    return 1 + endless(n + 1)


def searched(x, wanted):
    found = -1
    for i in range(len(x)):
        if x[i] == wanted:
            found = i
            break
    return found


def branches(x):
    if x > 10:
        if x > 20:
            y = x * 2
        else:
            y = x - 5
    elif x < -10:
        y = -x
    else:
        y = x
    return y, x > 0, x + 0.5


def brief(x, n):
    """Branches of one instruction, none, and several."""
    count, above, last = 0, 0, x
    for i in range(n):
        if i % 3 == 0:
            x = x + 1.5
            last = x
        else:
            x = x * 0.5
        if x > last:
            above += 1
        if n % 2 == 0:
            count, above = above, count
        else:
            count = count * 2 + above
    return x, count, above, last


def far(n):
    step, total = 2**70, 0
    for i in range(n):
        total = total + step * i
    return total % 1000003


def i32(x: Any) -> Any:
    return np.int32(x)


def f32(x: Any) -> Any:
    return np.float32(x)


VECTOR = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
MATRIX = np.arange(12.0).reshape(3, 4)
ROWS: list[tuple[Callable[..., Any], list[tuple[Any, ...]], int]] = [
    (collatz, [(i32(1),), (i32(27),), (i32(97),)], 0),
    (nested, [(i32(n),) for n in (-1, 0, 1, 9)], 0),
    (recurrence, [(f32(x), i32(n)) for x in (0.5, np.inf, np.nan) for n in (0, 1, 50)], 0),
    (far, [(i32(n),) for n in (0, 1, 5)], 2),
    (swapped, [(i32(a), i32(b)) for a in (0, 1, 21, 34) for b in (0, 1, 13, 21, 34)], 0),
    # Rounds until signals are handled, and some more.
    (counted, [(i32(0), i32(3 * 2**12 + more)) for more in (-2, -1, 0, 1, 2, 3)], 0),
    (counted, [(np.int64(2**62 - 1), np.int64(2**62 + more)) for more in (0, 2**14, 2**15)], 2),
    (wraps, [(np.int8(3), i32(20)), (np.int8(-128), i32(3))], 0),
    (wraps, [(np.uint64(2**63 + 1), i32(9))], 0),
    (wraps, [(np.uint16(77), i32(9))], 0),
    (element, [(VECTOR, i32(i)) for i in (0, 7, -1, -8)], 0),
    (element, [(VECTOR, i32(i)) for i in (8, -9, 2**31 - 1)], 3),
    (element, [(VECTOR[::2], i32(i)) for i in (0, -1)], 2),
    (element, [(VECTOR, np.uint64(i)) for i in (0, 7)], 0),
    (element, [(VECTOR, np.uint64(i)) for i in (8, 2**63, 2**64 - 8, 2**64 - 1)], 4),
    (sliced, [(VECTOR, np.int64(i)) for i in (0, -3, 99, -99, -(2**63), 2**63 - 1)], 0),
    (sliced, [(VECTOR, np.uint64(i)) for i in (0, 3, 2**63 - 1)], 0),
    (sliced, [(VECTOR, np.uint64(i)) for i in (2**63, 2**64 - 2)], 2),
    (row, [(MATRIX, i32(1), i32(-1)), (MATRIX, i32(2), i32(2))], 0),
    (divided, [(i32(3), i32(9)), (i32(0), i32(0))], 0),
    (divided, [(i32(9), i32(3))], 1),
    (raising, [(i32(9), i32(20))], 0),
    (raising, [(i32(9), i32(4)), (i32(9), i32(0))], 2),
    (asserting, [(i32(9), i32(-1))], 0),
    (asserting, [(i32(9), i32(3))], 1),
    (searched, [(VECTOR, i32(w)) for w in (3, 9, 77)], 0),
    (brief, [(f32(x), i32(n)) for x in (0, -9.5, np.inf, np.nan) for n in (0, 1, 9, 10)], 0),
    (branches, [(f32(x),) for x in (-99, -3, 0, 11, 21, np.nan)], 0),
]


def spec(raw: Any) -> Any:
    return rt.TensorSpec(raw.shape, raw.dtype)


@pytest.mark.parametrize(
    ("function", "calls", "aside"), ROWS, ids=[f"{at}-{x[0].__name__}" for at, x in enumerate(ROWS)]
)
def test_programs(function: Callable[..., Any], calls: list[tuple[Any, ...]], aside: int) -> None:
    made = rt.function(function).get_concrete_function(*map(spec, calls[0]))
    pair = Pair(made.optimized)
    for raws in calls:
        pair.compare(*raws)
    assert pair.aside == aside


def test_branches_of_one_instruction_are_no_branches() -> None:
    def clipped(x):
        return x - 1 if x > 9 else x

    text = rt.function(clipped).native_ir(rt.TensorSpec([], rt.int32))
    assert "select" in text
    assert "br i1" not in text


def test_unknown_dimensions() -> None:
    signature = rt.TensorSpec([None], rt.int32), rt.TensorSpec([], rt.int32)
    pair = Pair(rt.function(searched).get_concrete_function(*signature).optimized)
    for size in (0, 1, 8):
        pair.compare(VECTOR[:size], i32(1))
    assert pair.aside == 0


def test_recursion() -> None:
    staged = rt.function(fibonacci)
    with forced():
        assert [int(staged(rt.constant(n))) for n in (0, 1, 10, 15)] == [0, 1, 55, 610]


def test_recursion_from_several_places() -> None:
    staged = rt.function(uneven)
    with forced():
        for n in (0, 1, 12, 23):
            assert int(staged(rt.constant(n))) == uneven(n)


SMALL_STACK = """
import threading
import numpy as np
import runtime as rt
from tests.support.native import forced

def deep(n, x):
    if n <= 0:
        return x
    a = rt.sin(x) * 0.5 + rt.exp(-x * x)
    b = rt.tanh(a) + x * 0.5
    y = deep(n - 1, b) * 0.5
    for i in range(3):
        y = y * a[0] * 0.25 + rt.sin(y) * a + rt.cos(y) * b + rt.math.erf(y)
    return y + a - b

def call():
    for n in (2, 100, 400):
        x = rt.constant(np.ones(64, np.float32))
        with forced():
            found = rt.function(deep, executor="native")(rt.constant(n), x)
        wanted = rt.function(deep, executor="numpy")(rt.constant(n), x)
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), 1e-3)

call()
threading.stack_size(1 << 22)
thread = threading.Thread(target=call)
thread.start()
thread.join()
print("done")
"""


def test_recursion_of_large_frames(tmp_path: Path) -> None:
    """Where the stack would end, native code steps aside."""
    file = tmp_path / "deep.py"
    file.write_text(SMALL_STACK, "utf-8")
    root = Path(__file__).parents[4]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, env=environment, cwd=root
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_recursion_without_an_end() -> None:
    staged = rt.function(endless)
    with forced(), pytest.raises(RecursionError, match="calls itself too deep"):
        staged(rt.constant(0))


def test_effects_between_islands(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints, and what a variable is given, come in order and once; so they do where an island
    raises.
    """
    variable = rt.Variable(0)

    def program(n, limit):
        total = 0
        for i in range(n):
            total += i * i
        variable.assign_add(total)
        print("first", total)
        for i in range(n):
            total -= i
            if i == limit:
                raise ValueError("there")
        print("second", total)
        variable.assign_add(total)
        return total

    made = rt.function(program).get_concrete_function(i32(0), i32(0))
    islands = Islands()
    source, run = made.program.variant(islands.outline)
    assert len(islands.units) == 2
    assert "= native(" in source
    for raws in [(i32(9), i32(-1)), (i32(9), i32(4)), (i32(0), i32(0))]:
        seen = []
        for each in (made.program.run, run):
            variable.assign(0)
            outcome = observed(made.program, each, raws)
            seen.append((outcome, int(variable), capsys.readouterr().out))
        assert seen[0] == seen[1]


def test_islands_keep_what_is_a_number() -> None:
    """Integers and truth values go in and out of islands as the Python around them holds them."""

    def program(n, x):
        found = False
        for i in range(n):
            if x * i > 7.0:
                found = True
        print(found)
        k = n
        while k > 0 and found:
            k -= 2
        print(k)
        return k, found, not found

    made = rt.function(program).get_concrete_function(i32(0), f32(0))
    _, run = made.program.variant(Islands().outline)
    for raws in [(i32(9), f32(1)), (i32(9), f32(0)), (i32(-1), f32(3))]:
        assert observed(made.program, run, raws) == observed(made.program, made.program.run, raws)


def test_islands_read_what_they_change() -> None:
    """Behind a loop that writes over its array, a copy of that has the same name."""

    def program(n, xs):
        for i in range(n):
            xs[i % 3] = i
        total = 0
        for i in range(n):
            total += i * i
        return xs, total

    made = rt.function(program).get_concrete_function(i32(0), rt.TensorSpec([3], rt.int32))
    islands = Islands()
    _, run = made.program.variant(islands.outline)
    assert len(islands.units) == 1
    for n in (0, 1, 8):
        raws = i32(n), VECTOR[:3]
        assert observed(made.program, run, raws) == observed(made.program, made.program.run, raws)


def test_an_op_without_machine_code_raises_in_round_3() -> None:
    """Beside an island in a loop: rounds before have had their effects, and the line is known."""
    rounds = rt.Variable(0)

    def program(texts, n):
        total = 0.0
        for i in range(n):
            for j in range(i * 1000):
                total += j % 7
            total += rt.strings.to_number(texts[i])
            rounds.assign_add(1)
        return total

    texts = np.array([b"1", b"2.5", b"three", b"4"], object)
    made = rt.function(program).get_concrete_function(rt.constant(texts), i32(0))
    islands = Islands()
    _, run = made.program.variant(islands.outline)
    assert len(islands.units) == 1
    for n, expected in [(2, 2), (4, 2), (3, 2), (0, 0)]:
        seen = []
        for each in (made.program.run, run):
            rounds.assign(0)
            seen.append((observed(made.program, each, (texts, i32(n))), int(rounds)))
        assert seen[0] == seen[1]
        assert seen[1][1] == expected
        error = seen[1][0][0] if n > 2 else None
        assert error in (None, rt.errors.InvalidValueError)
        if error:
            (place,) = seen[1][0][2]
            assert place == (__file__, program.__code__.co_firstlineno + 5)


def test_reasons_name_what_is_not_native() -> None:
    made = rt.function(lambda x: rt.strings.as_string(x)).get_concrete_function(i32(0))
    assert executor.reasons(made.optimized)


def test_native_code_takes_the_place_of_the_program() -> None:
    staged = rt.function(collatz, executor="native")
    concrete = staged.get_concrete_function(rt.constant(0))
    with forced():
        assert [int(staged(rt.constant(27))) for _ in range(3)] == [111] * 3
    assert type(concrete.programs.tiers.run).__name__ == "builtin_function_or_method"


def test_the_numpy_executor_stays() -> None:
    staged = rt.function(collatz, executor="numpy")
    concrete = staged.get_concrete_function(rt.constant(0))
    with forced():
        assert int(staged(rt.constant(27))) == 111
    assert concrete.programs.tiers.run == concrete.program.run


def test_no_such_executor() -> None:
    with pytest.raises(ValueError, match="numpy, native, got 'gpu'"):
        rt.function(collatz, executor="gpu")
    with pytest.raises(ValueError, match="numpy, native, got 'gpu'"):
        rt.config.set_executor("gpu")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    with pytest.raises(ImportError, match=r"autograph-runtime\[native\]"):
        rt.config.set_executor("native")


def crowded(n):
    """More state than there are registers."""
    a, b, c, d, e, f, g, h = 1, 2, 3, 4, 5, 6, 7, 8
    p, q, r, s, t, u, v, w = n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
    x, y, z = 1.0, 2.0, 3.0
    i = 0
    while i < n:
        a, b, c, d, e, f, g, h = b ^ i, c, d, e, f, g, h, a
        p, q, r, s, t, u, v, w = q, r, s, t, u, v, w, p ^ a
        x, y, z = y, z + 0.5, x * 0.5
        i += 1
    return a, b, c, d, e, f, g, h, p, q, r, s, t, u, v, w, x, y, z


def test_state_outlasts_the_handling_of_signals() -> None:
    """A signal is handled, in Python, while the loop has numbers in all registers."""
    rounds, rung = 300_000, []
    expected = list(crowded(rounds))
    staged = rt.function(crowded, jit_compile=True)
    staged(rt.constant(1))

    def ring(number: int, frame: Any) -> None:
        rung.append([float(k) * 1.5 for k in range(1000)])
        signal.setitimer(signal.ITIMER_REAL, 1e-4)  # not before: handlers would nest

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4)
        while len(rung) < 20:
            found = staged(rt.constant(rounds))
            assert [each.numpy().item() for each in found] == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_signals_are_handled_in_loops() -> None:
    def forever(n):
        while n != 1:
            n += 2
        return n

    def ring(*_: Any) -> None:
        raise TimeoutError("rung")

    graph = rt.function(forever).get_concrete_function(rt.constant(0)).optimized
    run = executor.runner_of(graph, Program(graph))
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(TimeoutError, match="rung"):
            run(i32(0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_threads_run_beside_a_loop() -> None:
    """A long loop lets others run; the same code may run in several threads at once."""
    graph = rt.function(nested).get_concrete_function(rt.constant(0)).optimized
    run = executor.runner_of(graph, Program(graph))
    expected = Program(graph).run(i32(60))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, [i32(60)] * 32)) == [expected] * 32


def test_programs_keep_their_code() -> None:
    """Code lives as long as what calls it."""
    import gc

    graph = rt.function(collatz).get_concrete_function(rt.constant(0)).optimized
    run = executor.runner_of(graph, Program(graph))
    gc.collect()
    assert run(i32(27)) == (111,)


def test_rounds_are_written_several_times_if_they_are_short() -> None:
    def repeated(times: int) -> bool:
        @rt.function
        def run(x, n):
            while n > 0:
                for _ in range(times):
                    x = x * 0.5 + 1
                n -= 1
            return x

        text = run.native_ir(rt.constant(1.0), rt.constant(1))
        assert text.count("fmul") == times * (COPIES if "again" in text else 1)
        return "again" in text

    assert repeated(1)
    assert not repeated(20)
