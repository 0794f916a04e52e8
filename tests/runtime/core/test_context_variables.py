"""What a graph prints and calls sees the context variables of its caller, as eager code does."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import io
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt

CELL: contextvars.ContextVar[Any] = contextvars.ContextVar("CELL", default="none")


class Routed(io.TextIOBase):
    """A stream that keeps for which cell each text was written."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, str]] = []

    def write(self, text: str) -> int:
        if text.strip():
            self.found.append((CELL.get(), text.strip()))
        return len(text)


def printed(x: Any) -> Any:
    print("value", x)
    return x + 1


def printed_in_loop(x: Any) -> Any:
    while x < 3.0:
        x = x + 1.0
        rt.print("round", output_stream=sys.stdout)
    return x


def printed_in_branch(x: Any) -> Any:
    if x > 0.0:
        rt.print("positive", output_stream=sys.stdout)
    else:
        rt.print("negative", output_stream=sys.stdout)
    return x


def printed_in_helper(x: Any) -> Any:
    return printed_in_branch(x) + printed_in_loop(x)


@rt.function
def staged_helper(x: Any) -> Any:
    return printed_in_branch(x)


def printed_in_call(x: Any) -> Any:
    for _ in rt.range(2):
        x = x + staged_helper(x)
    return x


def printed_beside_variable(x: Any) -> Any:
    VARIABLE.assign_add(x)
    rt.print("assigned", output_stream=sys.stdout)
    return VARIABLE + x


VARIABLE = rt.Variable(1.0)
PROGRAMS: list[Callable[[Any], Any]] = [
    printed_in_loop,
    printed_in_branch,
    printed_in_helper,
    printed_in_call,
    printed_beside_variable,
]


def run_directly(function: Callable[[Any], Any], x: Any) -> None:
    function(x)


def run_on_tape(function: Callable[[Any], Any], x: Any) -> None:
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    tape.gradient(y, x)


def run_in_thread(function: Callable[[Any], Any], x: Any) -> None:
    cell = CELL.get()

    def target() -> None:
        assert CELL.get() == "none"
        CELL.set(f"thread of {cell}")
        function(x)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()


def run_in_copied_context(function: Callable[[Any], Any], x: Any) -> None:
    def target() -> None:
        CELL.set(f"copy of {CELL.get()}")
        function(x)

    contextvars.copy_context().run(target)
    function(x)


def run_in_tasks(function: Callable[[Any], Any], x: Any) -> None:
    async def task(name: str) -> None:
        CELL.set(name)
        for _ in range(2):
            function(x)
            await asyncio.sleep(0)
        await asyncio.to_thread(function, x)

    async def main() -> None:
        await task("main")
        await asyncio.gather(asyncio.create_task(task("a")), asyncio.create_task(task("b")))

    asyncio.run(main())


RUNS = [run_directly, run_on_tape, run_in_thread, run_in_copied_context, run_in_tasks]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_prints_go_where_eager_ones_go(
    program: Callable[[Any], Any], run: Callable[[Callable[[Any], Any], Any], None]
) -> None:
    def text(function: Callable[[Any], Any]) -> list[str]:
        with contextlib.redirect_stdout(Routed()) as stream:
            for cell in range(3):
                token = CELL.set(cell)
                run(function, rt.constant(1.0))
                CELL.reset(token)
        return sorted(map(repr, stream.found))

    staged = rt.function(program)
    staged(rt.constant(1.0))
    assert text(staged) == text(program) != []


def test_python_s_print() -> None:
    staged = rt.function(printed)
    with contextlib.redirect_stdout(Routed()) as stream:
        for cell in range(4):
            CELL.set(cell)
            staged(rt.constant(cell))
    CELL.set("none")
    assert [item for item in stream.found if item[1] == "value"] == [(n, "value") for n in range(4)]


def redirected(x):
    with contextlib.redirect_stdout(io.StringIO()):
        print(x)
    return x


def redirected_in_branch(x):
    with contextlib.redirect_stderr(io.StringIO()):
        if x > 0:
            rt.print(x)
    return x


def redirected_by_hand(x):
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        rt.print(x, output_stream=sys.stdout)
    finally:
        sys.stdout = before
    return x


def redirected_helper(x):
    @rt.function
    def helper(x):
        print(x)
        return x

    with contextlib.redirect_stdout(io.StringIO()):
        return helper(x)


@pytest.mark.parametrize(
    "program", [redirected, redirected_in_branch, redirected_by_hand, redirected_helper]
)
def test_prints_to_a_stream_of_the_trace_are_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(autograph.StagingError, match=r"another sys.std\w+ than .*\n.*redirect"):
        rt.function(program)(rt.constant(1.0))


def test_prints_to_a_file_of_the_trace() -> None:
    def printed(x):
        with contextlib.redirect_stdout(io.StringIO()):
            print("traced")
            print(x, file=stream)
        return x

    stream = io.StringIO()
    rt.function(printed)(rt.constant(1))
    assert "1" in stream.getvalue()


def test_each_call_writes_to_the_stdout_of_its_time() -> None:
    staged = rt.function(printed_in_branch)
    for _ in range(3):
        with contextlib.redirect_stdout(io.StringIO()) as stream:
            staged(rt.constant(1.0))
        assert stream.getvalue() == "positive\n"


def called(callback: Callable[[str], Any]) -> Callable[[Any], Any]:
    """A staged function that calls back once."""

    def calls(x: Any) -> Any:
        rt.print("x", output_stream=callback)
        return 1.0 / x

    return rt.function(calls)  # type: ignore[no-any-return]


def test_what_a_callback_sets_stays_set() -> None:
    CELL.set("before")
    called(lambda text: CELL.set("inside"))(rt.constant(1.0))
    assert CELL.get() == "inside"
    CELL.set("none")


def test_a_callback_may_run_graphs() -> None:
    found = []
    inner = called(lambda text: found.append((CELL.get(), np.geterr()["divide"])))
    outer = called(lambda text: inner(rt.constant(0.0)))
    CELL.set("nested")
    with np.errstate(divide="raise"):
        assert outer(rt.constant(0.0)) == np.inf
        assert np.geterr()["divide"] == "raise"
    assert found == [("nested", "raise")]
    CELL.set("none")


def test_a_callback_has_the_caller_s_error_settings() -> None:
    def divide(text: str) -> None:
        np.float32(1.0) / np.float32(0.0)

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        called(divide)(rt.constant(1.0))
    with np.errstate(divide="ignore"):
        called(divide)(rt.constant(1.0))


def test_error_settings_made_by_a_callback_stay() -> None:
    with np.errstate():
        called(lambda text: np.seterr(over="raise", divide="raise"))(rt.constant(0.0))
        assert np.geterr()["over"] == "raise"


def test_settings_are_put_back_where_a_callback_fails() -> None:
    def fail(text: str) -> None:
        raise ValueError(text)

    before = np.geterr()
    staged = called(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="x") as caught:
            staged(rt.constant(1.0))
        assert type(caught.value) is ValueError
        assert [entry.name for entry in caught.traceback][1:] == ["calls", "fail"]
        assert np.geterr() == before
        with np.errstate(all="raise"):
            assert rt.constant(1.0) / rt.constant(0.0) == np.inf


def test_context_variables_of_a_first_call_are_not_kept_alive() -> None:
    class Request:
        pass

    found: list[Any] = []
    done = threading.Event()

    def first() -> None:
        request = Request()
        found.append(weakref.ref(request))
        CELL.set(request)
        rt.constant(1.0) + 1.0
        rt.function(printed_in_branch)(rt.constant(1.0))

    def target() -> None:
        contextvars.copy_context().run(first)
        done.set()
        assert found[0]() is None
        found.append("freed")

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    assert found[1:] == ["freed"]
