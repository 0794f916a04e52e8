"""Functions on several threads: one trace, nobody waits for ever, results as on one thread."""

from __future__ import annotations

import functools
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph import twins
from runtime.functions import tracing_lock
from runtime.functions.function import function
from runtime.staging.aliasing import eager_assignments

X = rt.constant(3.0)
DEADLINE = 60.0


def traces(f: Any) -> int:
    return f.experimental_get_tracing_count()


def in_threads(calls: list[Callable[[], Any]]) -> list[Any]:
    """What the calls return, or raise, each on a thread of its own."""
    start = threading.Barrier(len(calls))
    found: list[Any] = [None] * len(calls)

    def run(at: int) -> None:
        start.wait()
        try:
            found[at] = calls[at]()
        except Exception as error:
            found[at] = error

    workers = [threading.Thread(target=run, args=(at,), daemon=True) for at in range(len(calls))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=DEADLINE)
    assert not any(worker.is_alive() for worker in workers), "they wait for each other"
    return found


def within_deadline(call: Callable[[], Any]) -> Any:
    (found,) = in_threads([call])
    if isinstance(found, Exception):
        raise found
    return found


# A thread that is waited for while tracing


def by_join(call: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
    thread.start()
    thread.join()
    return found[0]


def by_future(call: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def by_queue(call: Callable[[], Any]) -> Any:
    found: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=lambda: found.put(call()), daemon=True).start()
    return found.get()


def by_lock(call: Callable[[], Any]) -> Any:
    lock, found = threading.Lock(), []

    def run() -> None:
        found.append(call())
        lock.release()

    lock.acquire()
    threading.Thread(target=run, daemon=True).start()
    with lock:
        return found[0]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing_lock, "PATIENCE", 0.01)


WAYS = [by_join, by_future, by_queue, by_lock]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("impatient")
def test_traced_code_waits_for_a_first_call_on_another_thread(way: Any) -> None:
    other = function(lambda x: x * 2.0)

    @function(autograph=False)
    def f(x):
        return x + way(lambda: other(X)).numpy()

    assert within_deadline(lambda: f(X)).numpy() == 9.0
    assert (traces(f), traces(other)) == (1, 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("impatient")
def test_through_two_threads_and_functions(way: Any) -> None:
    third = function(lambda x: x * 2.0)
    other = function(lambda x: x + way(lambda: third(X)).numpy(), autograph=False)

    @function(autograph=False)
    def f(x):
        return x + way(lambda: other(X)).numpy()

    assert within_deadline(lambda: f(X)).numpy() == 12.0
    assert [traces(g) for g in (f, other, third)] == [1, 1, 1]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("impatient")
def test_traced_code_waits_for_a_call_of_itself_with_another_signature(way: Any) -> None:
    began: list[None] = []

    @function(autograph=False)
    def f(x):
        if not began:
            began.append(None)
            return x + way(lambda: f(rt.constant(2))).numpy()
        return x + 2

    assert within_deadline(lambda: f(X)).numpy() == 7.0
    assert f.why_retraced() == "1: first trace (x: float32[])\n2: first trace (x: int32[])"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("step", [0.0, 1.0])
def test_traces_that_need_each_other_on_two_threads(step: float) -> None:
    both = threading.Barrier(2)

    def meet() -> None:
        """Wait, once on each thread, until the other one traces as well."""
        if threading.current_thread().name != "has met":
            threading.current_thread().name = "has met"
            both.wait()

    @function
    def f(x):
        meet()
        return g(x - 1.0) if x > step else x

    @function
    def g(x):
        meet()
        return f(x - 1.0) if x > 0.0 else x - 0.5

    found = in_threads([lambda: f(X), lambda: g(X), lambda: f(X), lambda: g(X)])
    assert [x.numpy() for x in found] == {0.0: [-0.5, 0.0] * 2, 1.0: [1.0, 0.0] * 2}[step]


# What threads share


@pytest.mark.usefixtures("impatient")
@pytest.mark.skipif(
    not hasattr(time, "pthread_getcpuclockid"), reason="nobody tells what a thread has computed"
)
def test_a_trace_that_computes_for_long_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing_lock, "PATIENCE", 0.2)
    monkeypatch.setattr(tracing_lock, "LONG", 1000)
    order, began = [], threading.Event()

    @function
    def computing(x):
        began.set()
        end = time.thread_time() + 0.5
        while time.thread_time() < end:
            pass
        order.append("computed")
        return x + 1

    @function
    def other(x):
        order.append("other")
        return x

    thread = threading.Thread(target=lambda: computing(X))
    thread.start()
    began.wait()
    other(X)
    thread.join()
    assert order == ["computed", "other"]


def test_one_trace_while_others_wait(caplog: pytest.LogCaptureFixture) -> None:
    @function
    def f(x):
        time.sleep(0.05)
        return x + 1

    assert [float(x) for x in in_threads([lambda: f(X)] * 16)] == [4.0] * 16
    assert traces(f) == 1
    assert not caplog.records, "a call that waits for a trace is none that traces"


def test_functions_that_call_each_other_on_several_threads() -> None:
    @function
    def even(x, n):
        return x if n == 0 else odd(x, n - 1)

    @function
    def odd(x, n):
        return x + 1.0 if n == 0 else even(x, n - 1)

    calls = [functools.partial(start, X, n) for start in (even, odd) for n in range(8)]
    assert sorted(map(float, in_threads(calls))) == [3.0] * 8 + [4.0] * 8


def test_code_that_asks_for_its_thread_has_one_trace_on_all() -> None:
    @function
    def f(x):
        logging.getLogger(__name__).debug("on %s", threading.current_thread().name)
        return x + 1.0

    f(X)
    assert [float(x) for x in in_threads([lambda: f(X)] * 3)] == [4.0] * 3
    assert traces(f) == 1


class Lazy(rt.Module):
    """Each method makes a part of it, and reads those that are there in a staged branch."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[str, Any] = {}

    @function
    def one(self, x):
        return self._scaled(x, "one")

    @function
    def two(self, x):
        return self._scaled(x, "two")

    @function
    def three(self, x):
        return self._scaled(x, "three")

    def _scaled(self, x, name):
        if name not in self.parts:
            self.parts[name] = rt.Variable(2.0, name=name)
        time.sleep(1e-4)
        if x > 0.0:
            for _ in range(3):
                x = x + self.parts[name]
        return x


@contextmanager
def eager_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def test_methods_that_add_to_one_object() -> None:
    with eager_switches():
        for _ in range(10):
            lazy = Lazy()
            calls = [functools.partial(getattr(lazy, n), X) for n in ("one", "two", "three")] * 2
            found = in_threads(calls)
            assert [
                str(item if isinstance(item, Exception) else float(item)) for item in found
            ] == ["9.0"] * 6
            assert sorted(lazy.parts) == ["one", "three", "two"]


def test_a_method_has_the_same_traces_on_all_threads() -> None:
    class Holder:
        @function
        def f(self, x):
            return x + 1.0

    with eager_switches():
        for _ in range(20):
            holder = Holder()
            found = in_threads([lambda holder=holder: holder.f(X)] * 6)
            assert [float(item) for item in found] == [4.0] * 6
            assert traces(holder.f) == 1


# Many of them


def collatz(n):
    steps = rt.constant(0)
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def collatz_by_python(n: int) -> int:
    return 0 if n == 1 else 1 + collatz_by_python(n // 2 if n % 2 == 0 else 3 * n + 1)


class Program:
    """Functions that call each other, with what each returns for a number."""

    def __init__(self) -> None:
        self.seen = rt.Variable(0)
        self.bias: Any = None
        self.collatz = function(collatz)
        self.names = ("rising", "falling", "factorial", "collatz", "slope", "biased")

    @function
    def rising(self, x, n):
        return x if n == 0 else self.falling(x + 1.0, n - 1)

    @function
    def falling(self, x, n):
        return x if n == 0 else self.rising(x - 0.5, n - 1)

    @function
    def factorial(self, n):
        if n <= 1:
            return 1
        return n * self.factorial(n - 1)

    @function
    def slope(self, x):
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = x * self.rising(x, 2) if x > 0.0 else -x
        return tape.gradient(y, x)

    @function
    def both(self, x):
        return self.slope(x) + self.biased(x)

    @function
    def biased(self, x):
        if self.bias is None:
            self.bias = rt.Variable(0.25)
        self.seen.assign_add(1)
        return x + self.bias

    def calls(self) -> list[tuple[Callable[[], Any], float]]:
        return [
            (lambda: self.rising(X, 3), 4.5),
            (lambda: self.falling(X, 3), 3.0),
            (lambda: self.falling(X, 2), 3.5),
            (lambda: self.factorial(rt.constant(5)), 120),
            (lambda: self.collatz(rt.constant(27)), collatz_by_python(27)),
            (lambda: self.slope(X), 6.5),
            (lambda: self.both(X), 9.75),
            (lambda: self.biased(X), 3.25),
        ]

    def counts(self) -> dict[str, int]:
        return {name: traces(getattr(self, name)) for name in self.names}


def test_many_threads_trace_as_one_does() -> None:
    alone = Program()
    pairs = alone.calls()
    assert [float(call()) for call, _ in pairs] == [expected for _, expected in pairs]
    with eager_switches():
        for turn in range(8):
            program = Program()
            pairs = program.calls()
            pairs = (pairs[turn:] + pairs[:turn]) * 3
            found = in_threads([call for call, _ in pairs])
            assert [x if isinstance(x, Exception) else float(x) for x in found] == [
                expected for _, expected in pairs
            ]
            assert program.counts() == alone.counts()
            assert traces(program.both) in (1, 2)  # it is traced again if the variable is new
            assert program.seen.numpy() == 6


def test_random_numbers_of_each_graph_are_its_own() -> None:
    def drawn() -> list[Any]:
        fs = [function(lambda x, n=n: x * rt.random.uniform([2]) + float(n)) for n in range(6)]
        return in_threads([functools.partial(f, X) for f in fs])

    rt.random.set_seed(1)
    first = drawn()
    rt.random.set_seed(1)
    for a, b in zip(first, drawn(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_while_another_thread_traces() -> None:
    parent = os.getpid()
    begun, done = threading.Event(), threading.Event()

    @rt.function
    def doubled(x: Any) -> Any:
        if os.getpid() == parent:
            begun.set()
            done.wait(60)
        return x * 2 if x > 0 else x

    @autograph.convert
    def assigned(x: Any) -> Any:
        x[0] = 7
        return x

    def hold() -> None:
        with twins.converting, eager_assignments._changing:
            doubled(rt.constant(3))

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert begun.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # one that waits for ever ends here
        fresh = rt.function(lambda x: x + 1 if x > 0 else x)
        found = [doubled(rt.constant(3)), fresh(rt.constant(3)), assigned(rt.constant([1]))[0]]
        os._exit(0 if [int(x) for x in found] == [6, 4, 7] else 1)
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert status == 0
    assert int(doubled(rt.constant(3))) == 6
