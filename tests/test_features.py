"""What `docs/limits.md` says about staged code, by a bank of small functions."""

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support import features

DOCUMENT = Path(__file__).parent.parent / "docs" / "limits.md"
INPUTS = {"x": [3, 4, -4, 1, 0], "xs": [[1, 5, 3, 2], [4, 4, 0, 1]]}
FUNCTIONS = {
    name: value
    for name, value in vars(features).items()
    if isinstance(value, FunctionType) and value.__code__.co_varnames[:1] in [("x",), ("xs",)]
}
SUPPORTED = sorted(set(FUNCTIONS) - set(features.LIMITS))


def inputs_of(name: str) -> list[Any]:
    return INPUTS[FUNCTIONS[name].__code__.co_varnames[0]]


def attempt(run: Callable[[], Any]) -> Any:
    """What a call gives, as plain Python; for an exception its first documented class."""
    try:
        return np.asarray(run()).tolist()
    except (AssertionError, ValueError, UnboundLocalError) as error:
        kinds = (AssertionError, UnboundLocalError, ValueError)
        return next(kind for kind in kinds if isinstance(error, kind))


def fresh(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_converted_equals_original(name: str) -> None:
    function, converted = FUNCTIONS[name], autograph.convert(FUNCTIONS[name])
    for value in inputs_of(name):
        expected = attempt(lambda value=value: function(fresh(value)))
        assert attempt(lambda value=value: converted(fresh(value))) == expected


@pytest.mark.parametrize("name", SUPPORTED)
def test_staged_equals_original(name: str) -> None:
    function, staged = FUNCTIONS[name], rt.function(FUNCTIONS[name])
    for value in inputs_of(name):
        expected = attempt(lambda value=value: function(fresh(value)))
        assert attempt(lambda value=value: staged(rt.constant(value))) == expected


@pytest.mark.parametrize("name", features.LIMITS)
def test_beyond_a_limit_it_is_refused_where_the_user_sees_it(name: str) -> None:
    row = features.LIMITS[name]
    headings = re.findall(r"^### (.+)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert [heading.startswith(row) for heading in headings].count(True) == 1, row
    with pytest.raises((autograph.StagingError, TypeError)) as caught:
        rt.function(FUNCTIONS[name])(rt.constant(inputs_of(name)[0]))
    assert re.match(rf"{re.escape(features.__file__)}:\d+:", str(caught.value))
    assert "\n" in str(caught.value), "the message says what to write instead"


@pytest.mark.parametrize("builtin", ["locals", "vars", "dir"])
def test_names_of_the_frame_are_refused(builtin: str, tmp_path: Path) -> None:
    path = tmp_path / "frame.py"
    path.write_text(f"def look(x):\n    return {builtin}()\n")
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    with pytest.raises(autograph.ConversionError, match=rf"frame.py:2:12: `{builtin}`"):
        autograph.convert(namespace["look"])


def test_recursion_reaches_a_third_of_the_depth() -> None:
    converted = autograph.convert(depth)
    room = sys.getrecursionlimit() - len(inspect.stack())
    assert converted(room // 3 - 10) == depth(room // 3 - 10)
    assert depth(room - 10) == room - 10
    with pytest.raises(RecursionError):
        converted(room // 2)


def test_recursion_that_a_staged_value_ends_does_not_end_the_process() -> None:
    assert rt.function(depth)(rt.constant(3)).numpy() == 3
    with pytest.raises(RecursionError):
        rt.function(depth)(rt.constant(10**6))


def depth(n: int) -> int:
    return 0 if n == 0 else depth(n - 1) + 1
