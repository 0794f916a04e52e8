"""Functions are pickled by name, as Python's are: to processes that are forked or spawned, too."""

import copy
import functools
import pickle
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import autograph
import runtime as rt

ROOT = Path(__file__).parent.parent.parent.parent


@rt.function
def doubled(x: Any) -> Any:
    return x * 2.0


@rt.function(input_signature=[rt.TensorSpec([None])], reduce_retracing=True)
def declared(x: Any) -> Any:
    return x + 1.0


@autograph.convert
def converted(x: Any) -> Any:
    if x > 0:
        return x
    return -x


def plain(x: Any) -> Any:
    return x if x > 0 else -x


staged_elsewhere = rt.function(plain)


class Scale:
    def __init__(self, by: float) -> None:
        self.by = rt.Variable(by)
        self.also = rt.function(self.plain)

    @rt.function
    def scaled(self, x: Any) -> Any:
        return x * self.by

    def plain(self, x: Any) -> Any:
        return x * self.by

    @staticmethod
    @rt.function
    def tripled(x: Any) -> Any:
        return x * 3.0


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "function",
    [doubled, declared, converted, Scale.scaled, Scale.tripled],
)
def test_functions_of_a_module_are_found_by_name(function: Any, protocol: int) -> None:
    assert pickle.loads(pickle.dumps(function, protocol)) is function


def test_a_function_staged_elsewhere_is_staged_again() -> None:
    again = pickle.loads(pickle.dumps(staged_elsewhere))
    assert again.python_function is plain
    assert again(rt.constant(-2.0)).numpy() == 2.0


def test_partials_hold_functions_by_name() -> None:
    again = pickle.loads(pickle.dumps(functools.partial(doubled, rt.constant(4.0))))
    assert again.func is doubled
    assert float(again()) == 8.0


def test_a_bound_method_takes_its_object_along() -> None:
    scale = Scale(5.0)
    again = pickle.loads(pickle.dumps(scale.scaled))
    assert float(again(rt.constant(2.0))) == 10.0
    assert again.python_function.__self__ is not scale


def test_a_staged_method_that_an_object_holds_goes_with_it() -> None:
    again = pickle.loads(pickle.dumps(Scale(5.0)))
    again.by.assign(7.0)
    assert float(again.also(rt.constant(2.0))) == 14.0


def test_a_function_that_no_module_holds_is_refused() -> None:
    @rt.function
    def local(x: Any) -> Any:
        return x

    for function in (local, rt.function(lambda x: x)):
        with pytest.raises(pickle.PicklingError, match="cannot be pickled: it is not found as "):
            pickle.dumps(function)
    assert copy.deepcopy(local)(1).numpy() == 1


def test_another_function_under_its_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    held = doubled
    monkeypatch.setitem(globals(), "doubled", declared)
    with pytest.raises(pickle.PicklingError, match="the function doubled cannot be pickled"):
        pickle.dumps(held)


def test_a_trace_is_refused() -> None:
    trace = doubled.get_concrete_function(rt.constant(1.0))
    with pytest.raises(pickle.PicklingError, match="a trace of doubled cannot be pickled: pickle"):
        pickle.dumps(trace)


PROGRAM = """
import multiprocessing
import autograph, runtime as rt

@rt.function
def doubled(x):
    if x > 0.0:
        return x * 2.0
    return x

@autograph.convert
def converted(x):
    if x > 0:
        return x
    return -x

class Scale:
    def __init__(self, by):
        self.by = rt.Variable(by)

    @rt.function
    def scaled(self, x):
        return x * self.by

if __name__ == "__main__":
    doubled(rt.constant(1.0))
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(list(map(float, pool.map(doubled, [rt.constant(3.0), rt.constant(-3.0)]))))
            print(pool.map(converted, [1, -1]))
            print(float(*pool.map(Scale(5.0).scaled, [rt.constant(2.0)])))
"""


def test_other_processes(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.splitlines() == ["[6.0, -3.0]", "[1, 1]", "10.0"] * 3, done.stderr


def test_a_function_of_a_script_says_where_it_is_not_found(monkeypatch: Any) -> None:
    script = types.ModuleType("__main__")
    source = "def double(x):\n    return 2 * x if x > 0 else x\n"
    exec(compile(source, __file__, "exec"), vars(script))
    script.double = rt.function(script.double)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "__main__", script)
    written = pickle.dumps(script.double)
    assert pickle.loads(written) is script.double
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    words = "double of __main__ is not in the __main__ of this process: put it in a module"
    with pytest.raises(pickle.UnpicklingError, match=words):
        pickle.loads(written)


@pytest.mark.parametrize(
    "name", ["nn.relu", "tanh", "multiply", "math.igamma", "math.nextafter", "logical_or"]
)
def test_functions_of_ops_are_pickled_by_name(name: str) -> None:
    function: Any = rt
    for part in name.split("."):
        function = getattr(function, part)
    written = pickle.dumps({"activation": function})
    assert pickle.loads(written)["activation"] is function
    code = (
        f"import pickle, runtime as rt\nprint(pickle.loads({written!r})['activation'] is rt.{name})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_other_names_are_not_there() -> None:
    assert not hasattr(rt.ops.define, "no_such_op")  # type: ignore[attr-defined]
    assert not hasattr(rt.ops.define, "__wrapped__")  # type: ignore[attr-defined]
