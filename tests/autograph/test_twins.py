"""Converted code is made once, and kept no longer than what it is made of."""

import gc
import threading
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

import autograph
from autograph import call, convert, do_not_convert, is_converted, to_code
from tests.autograph.callables import Point


def test_code_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Callable[..., Any]:
        return lambda x: 1 if x else 2

    converted: list[Any] = []
    original = autograph.twins._make
    monkeypatch.setattr(autograph.twins, "_make", lambda *f: converted.append(f) or original(*f))
    functions = [make() for _ in range(5)]
    codes = {id(convert(function).__code__) for function in functions}
    codes |= {id(call(function).__code__) for function in functions}
    assert (len(codes), len(converted)) == (1, 1)


def test_equal_code_of_two_files_is_told_apart(tmp_path: Any) -> None:
    functions = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.py"
        path.write_text("def f(x):\n    return 1 if x else 2\n")
        namespace: dict[str, Any] = {"__name__": name}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        functions.append(namespace["f"])
    first, second = functions
    assert convert(first).__code__.co_filename == first.__code__.co_filename
    assert convert(second).__code__.co_filename == second.__code__.co_filename


def test_threads_share_one_conversion(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        return 1 if x else 2

    made: list[Any] = []
    original = autograph.twins._make
    monkeypatch.setattr(autograph.twins, "_make", lambda *g: made.append(g) or original(*g))
    barrier = threading.Barrier(8)
    results: list[Any] = []

    def run() -> None:
        barrier.wait()
        results.append(convert(f)(1) + call(f)(0))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (results, len(made)) == ([3] * 8, 1)


def recursive_closure() -> tuple[FunctionType, Any]:
    payload = Point(1)

    def f(n: int) -> Any:
        return payload if n == 0 else f(n - 1)

    return f, weakref.ref(payload)  # type: ignore[return-value]


@pytest.mark.parametrize("use", [convert, call, to_code, do_not_convert, is_converted])
def test_functions_stay_collectable(use: Callable[[Any], Any]) -> None:
    function, payload = recursive_closure()
    use(function)
    dead = weakref.ref(function)
    del function
    gc.collect()
    assert (dead(), payload()) == (None, None)


def test_code_stays_collectable(tmp_path: Any) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(x):\n    return 1 if x else 2\n")

    def use() -> weakref.ref[Any]:
        namespace: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        convert(namespace["f"])(1)
        call(namespace["f"])(1)
        return weakref.ref(namespace["f"].__code__)

    dead = use()
    gc.collect()
    assert dead() is None
