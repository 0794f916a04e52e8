"""Machine code that is found by its graph: by a process that does not import LLVM."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from autograph.kept_files import TICK
from runtime.core import lazy
from runtime.core.primitive import TABLE, structural
from runtime.core.types import ListType, NumberType, TensorType
from runtime.graph.executors.native import blas, compilation_cache, elf, executor, kept_graphs
from runtime.graph.executors.program import Program

pytestmark = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="only POSIX tells whose files are"
)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A directory for entries."""
    found = tmp_path / "native"
    monkeypatch.setenv(compilation_cache.SHELF.variable, str(found))
    # Whoever edits the library while its tests run keeps code all the same.
    monkeypatch.setattr(lazy, "IMPORTED", math.inf)
    forget = kept_graphs._sources.cache_clear
    forget()
    yield found
    forget()


def graph_of(function, *given):
    staged = rt.function(function, executor="numpy")
    return staged.get_concrete_function(*given).optimized


class Compilations:
    """Runs graphs by `kept_graphs.runner_of`, and counts those that are compiled."""

    def __init__(self, monkeypatch):
        self.count, own = 0, executor.runner_of

        def counted(*given):
            self.count += 1
            return own(*given)

        monkeypatch.setattr(executor, "runner_of", counted)

    def __call__(self, function, *given):
        """The results of a call, and whether it was compiled for that."""
        before, graph = self.count, graph_of(function, *given)
        run = kept_graphs.runner_of(graph, Program(graph))
        return run(*[each.numpy() for each in given]), self.count > before


@pytest.fixture
def run(monkeypatch):
    return Compilations(monkeypatch)


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def factorial(n):
    if n < 2:
        return n
    return n * staged_factorial(n - 1)


staged_factorial = rt.function(factorial)


def evens(n):
    found = []
    for i in range(n):
        if i % 2 == 0:
            found.append(i)
    return found


def triangle(n):
    rows = [[1]]
    for i in range(n):
        rows.append([*rows[i], i])
    return rows


KNOWN = np.arange(6, dtype=np.float32)
CASES = {
    "loop": (collatz, (27,)),
    "recursion": (lambda n: staged_factorial(n), (9,)),
    "array": (lambda x: rt.tanh(x * 2.0) @ rt.transpose(x), (np.ones((3, 4), "f"),)),
    "known array": (lambda x: x + KNOWN, (KNOWN,)),
    "list": (evens, (7,)),
    "list of lists": (triangle, (4,)),
    "assertion": (lambda x: checked(x), (np.float64(2.5),)),
}


def checked(x):
    assert x > 0.0, "a positive number"
    return rt.sqrt(x)


@pytest.mark.parametrize("name", CASES)
def test_the_second_process_finds_it(name, run):
    function, given = CASES[name]
    given = list(map(rt.constant, given))
    first, was_compiled = run(function, *given)
    again, is_compiled = run(function, *given)
    assert (was_compiled, is_compiled) == (True, False)
    eager = function(*given)
    for found in (first, again):
        if isinstance(eager, list):
            made, expected = (
                [np.asarray(x).tolist() for x in items] for items in (found[0], eager)
            )
            assert made == expected
        else:
            np.testing.assert_array_equal(found[0], np.asarray(eager))
        assert isinstance(found[0], list) == isinstance(eager, list)


def test_names_and_lines_are_not_looked_at(run):
    def other(number):
        count = 0

        while number > 1:
            number = number // 2 if number % 2 == 0 else 3 * number + 1
            count += 1
        return count

    assert run(collatz, rt.constant(27)) == ((111,), True)
    assert run(other, rt.constant(27)) == ((111,), False)


ONE, TWO = rt.constant(1.5), rt.constant([1.5, 2.5])
OTHERS = [
    (lambda x, y: x + y, (ONE, ONE)),
    (lambda x, y: x - y, (ONE, ONE)),
    (lambda x, y: y - x, (ONE, ONE)),
    (lambda x, y: x - x, (ONE, ONE)),
    (lambda x, y: x + y, (TWO, ONE)),
    (lambda x, y: x + y, (ONE, TWO)),
    (lambda x, y: x + y, (rt.constant(1), rt.constant(1))),
    (lambda x, y: x + y + 1.0, (ONE, ONE)),
    (lambda x, y: x + y + 2.0, (ONE, ONE)),
    (lambda x, y: x * y + -0.0, (ONE, ONE)),
    (lambda x, y: x * y + 0.0, (ONE, ONE)),
    (lambda x, y: x + y + np.float32([1, 2]), (TWO, TWO)),
    (lambda x, y: x + y + np.float32([1, 3]), (TWO, TWO)),
    (lambda x, y: rt.reduce_sum(x * y, 0), (TWO, TWO)),
    (lambda x, y: rt.reduce_max(x * y, 0), (TWO, TWO)),
    (lambda x, y: rt.reduce_sum(x * y, 0, keepdims=True), (TWO, TWO)),
    (lambda x, y: (x, x + y), (ONE, ONE)),
    (lambda x, y: (x + y, x), (ONE, ONE)),
    (lambda x, y: rt.cond(x[0] > 0.0, lambda: x, lambda: y), (TWO, TWO)),
    (lambda x, y: rt.cond(x[0] > 0.0, lambda: y, lambda: x), (TWO, TWO)),
]


def test_another_graph_has_another_description():
    found = [kept_graphs._description(graph_of(*case[:1], *case[1])) for case in OTHERS]
    assert None not in found
    assert len(set(map(tuple, found))) == len(OTHERS)


def test_what_has_addresses_in_its_code_is_compiled(run):
    weights = np.ones((64, 64), np.float32)
    for _ in range(2):
        found, is_compiled = run(lambda x: x @ weights, rt.constant(weights))
        assert is_compiled
        np.testing.assert_array_equal(found[0], weights @ weights)
    known = rt.constant([3.0])
    for _ in range(2):
        found, is_compiled = run(lambda x: (x + 1.0, known), rt.constant(1.0))
        assert (found[0], found[1].tolist(), is_compiled) == (2.0, [3.0], True)


def test_another_state_of_the_library_is_another_description(run, monkeypatch):
    assert run(collatz, rt.constant(27)) == ((111,), True)
    monkeypatch.setattr(kept_graphs, "_sources", lambda: "edited")
    assert run(collatz, rt.constant(27)) == ((111,), True)
    monkeypatch.setattr(kept_graphs, "_sources", lambda: None)
    for _ in range(2):
        assert run(collatz, rt.constant(27)) == ((111,), True)


def test_sources_that_are_newer_than_what_runs_are_no_key(run, monkeypatch):
    """A file that is edited behind the import is not what the process runs."""
    sources = kept_graphs._sources.__wrapped__
    paths = [line.split(" ")[0] for line in sources().splitlines()]
    newest = max(Path(path).stat().st_ctime for path in paths)
    monkeypatch.setattr(lazy, "IMPORTED", newest + TICK / 2)
    assert sources() is None
    monkeypatch.setattr(lazy, "IMPORTED", newest + TICK * 2)
    assert sources() is not None


def test_another_numpy_of_the_same_version_is_another_description(monkeypatch):
    """The numbers of a matrix product have 32 bits or 64, as NumPy was built."""
    graph = graph_of(lambda x: x @ x, rt.constant(np.ones((3, 3), "f")))
    found = []
    for each in (blas.Product(1, 32), blas.Product(2, 64), None):
        monkeypatch.setattr(blas, "product", lambda dtype, each=each: each)
        found.append(tuple(kept_graphs._description(graph)))
    assert len(set(found)) == 3


def test_ops_of_others_are_not_described(monkeypatch):
    def kernel(x):
        return x * 2

    other = structural("of_another_package", kernel, instruction="negative")
    with monkeypatch.context() as patch:
        patch.setitem(TABLE, other.name, other)
        assert not kept_graphs._is_own(other)
        patch.setattr(kernel, "__module__", "runtime.ops.math")
        kept_graphs._is_own.cache_clear()
        assert kept_graphs._is_own(other)
    del TABLE[other.name]
    kept_graphs._is_own.cache_clear()
    assert not kept_graphs._is_own(other)


def test_all_ops_of_the_library_are_described():
    assert [name for name, op in TABLE.items() if not kept_graphs._is_own(op)] == []


DATA = [
    *(None, True, 1, "1", b"1", 1.0, 1 + 0j, -0.0, 0.0, float("nan")),
    *(np.float64(1.0), np.float32(1.0), np.array(1.0), np.array([1.0]), np.array([[1.0]])),
    *(np.array([1.0], ">f8"), np.array([1, 0], "m8[s]"), np.array([1, 0], "m8[ms]")),
    *((), [], (1,), [1], (1, 1), ((1,), 1), {}, {"a": 1}, [("a", 1)], (("a", 1),)),
    *(rt.float32, "dtype float32", rt.bfloat16, rt.float16),
    *(NumberType("int"), NumberType("float"), TensorType(rt.int64, ()), TensorType(rt.int64, None)),
    *(TensorType(rt.int64, (None,)), TensorType(rt.int64, (1,)), TensorType(rt.int64, (None, 1))),
    *(ListType(NumberType("int")), ListType(TensorType(rt.int64, ())), "py.int"),
]


def test_other_data_has_another_text():
    texts = list(map(kept_graphs._data, DATA))
    assert len(set(texts)) == len(DATA), sorted(texts)


def test_dtypes_of_other_packages_have_other_texts():
    names = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    raws = [np.zeros(2, getattr(ml_dtypes, name)) for name in names]
    assert len(set(map(kept_graphs._data, raws))) == len(names)


def test_what_is_refused_is_refused_by_the_next_process_too(place):
    def distinct(x):
        return rt.unique(x)[0] + 1

    for executor_of in ("native", "compiled", "compiled"):
        graph = graph_of(distinct, rt.constant([1, 2, 2]))
        program = Program(graph)
        if executor_of == "native":
            run = kept_graphs.runner_of(graph, program)
            assert run(np.int32([1, 2, 2]))[0].tolist() == [2, 3]
            continue
        with pytest.raises(rt.errors.InvalidArgumentError, match="jit_compile=True asks"):
            kept_graphs.runner_of(graph, program, is_required=True)


def test_another_processor_is_another_description(run, monkeypatch):
    assert run(collatz, rt.constant(27)) == ((111,), True)
    monkeypatch.setattr(compilation_cache, "_versions", lambda: ("another",))
    assert run(collatz, rt.constant(27)) == ((111,), True)


def test_what_is_damaged_is_compiled(run, place):
    assert run(collatz, rt.constant(27)) == ((111,), True)
    for entry in place.iterdir():
        data = bytearray(entry.read_bytes())
        data[-9] ^= 16
        entry.write_bytes(data)
    assert run(collatz, rt.constant(27)) == ((111,), True)
    assert run(collatz, rt.constant(27)) == ((111,), False)


PROGRAM = """
import sys
import runtime as rt
from runtime.core import lazy

lazy.IMPORTED = float("inf")

@rt.function(jit_compile=True)
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps

print(int(collatz(rt.constant(27))), "llvmlite.binding" in sys.modules)
# What steps aside is computed by the Python program, with the user's line.
try:
    rt.function(lambda n: 7 // n, jit_compile=True)(rt.constant(0))
except (ZeroDivisionError, rt.errors.OpError):
    print("divisor")
"""


@pytest.mark.skipif(not elf.is_here(), reason="LLVM loads object files here")
def test_a_process_that_finds_all_imports_no_llvm(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    outputs = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, str(program)], env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.split())
    assert outputs == [["111", "True", "divisor"], ["111", "False", "divisor"]]
