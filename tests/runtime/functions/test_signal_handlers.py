"""What Python runs while a graph runs: handlers of signals, here. They may run ops and functions,
and what they raise is theirs.
"""

import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import runtime as rt


def of_numbers(n):
    s = 0
    i = 0
    while i < n:
        if i % 3 == 0:
            s = (s * 31 + i) % 1000003
        i += 1
    return s


def of_arrays(n):
    x = rt.ones([50])
    while n > 0:
        x = rt.tanh(x) * 1.01
        x = rt.concat([x[1:], x[:1]], 0)
        n -= 1
    return x


@rt.function
def doubled(x):
    return x + x


@pytest.fixture
def rings() -> Iterator[Callable[[Callable[..., None]], None]]:
    """Have a handler called in a moment."""

    def ring(handler: Callable[..., None]) -> None:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.01)

    before = signal.getsignal(signal.SIGALRM)
    yield ring
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


WAYS = pytest.mark.parametrize("way", [{"executor": "numpy"}, {}, {"jit_compile": True}], ids=str)
PROGRAMS = pytest.mark.parametrize("program", [of_numbers, of_arrays])


@WAYS
@PROGRAMS
def test_handlers_run_ops_and_functions(rings: Any, program: Any, way: Any) -> None:
    staged, rung = rt.function(program, **way), []
    few = rt.constant(5)
    expected, doubled_few = staged(few).numpy(), doubled(few)

    def handler(*_: Any) -> None:
        made = rt.constant([1.0]) + 1.0, doubled(few) - doubled_few, staged(few).numpy()
        rung.append(made)

    for _ in range(3):
        rings(handler)
        before = len(rung)
        while len(rung) == before:
            staged(rt.constant(30_000))
    assert all(one == 2.0 and none == 0 for one, none, _ in rung)
    # Machine code may have other last digits.
    assert all(made == pytest.approx(expected) for _, _, made in rung)


@WAYS
@PROGRAMS
@pytest.mark.parametrize("kind", [TimeoutError, ValueError, ZeroDivisionError])
def test_what_handlers_raise_is_theirs(rings: Any, program: Any, way: Any, kind: Any) -> None:
    staged = rt.function(program, **way)
    staged(rt.constant(5))

    def handler(*_: Any) -> None:
        raise kind("late")

    rings(handler)
    with pytest.raises(kind) as caught:
        staged(rt.constant(2_000_000_000))
    assert type(caught.value) is kind
    assert str(caught.value) == "late"
    assert traceback.extract_tb(caught.tb)[-1].name == "handler"


IN_AN_IMPORT = """
import signal, sys, threading
import runtime as rt

class Ringing:
    def find_spec(self, name, *_):
        if name == "runtime.graph.executors.printer":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

def next_one(x):
    return x + 1

staged, rung = rt.function(next_one, executor="numpy"), []
signal.signal(signal.SIGALRM, lambda *_: rung.append(int(staged(rt.constant(5)))))
sys.meta_path.insert(0, Ringing())
print([int(staged(rt.constant(1))) for _ in range(2)], rung)
"""


def test_handlers_write_programs_while_what_writes_them_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "in_an_import.py"
    file.write_text(IN_AN_IMPORT)
    run = [sys.executable, "-c", f"import runpy; runpy.run_path({str(file)!r})"]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("[2, 2] [6]\n", "")


WHILE_THREADS_START = """
import signal, time
from runtime.core.stacks import on_fit_thread

def late(*_):
    raise TimeoutError

signal.signal(signal.SIGALRM, late)
caught, end = 0, time.monotonic() + 1.0
while time.monotonic() < end:
    try:
        signal.setitimer(signal.ITIMER_REAL, 2e-5 * (1 + caught % 10))
        while True:
            on_fit_thread(lambda: None)
    except TimeoutError:
        caught += 1
print(caught > 100)
"""


def test_handlers_may_raise_while_a_thread_starts() -> None:
    run = [sys.executable, "-c", WHILE_THREADS_START]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")
