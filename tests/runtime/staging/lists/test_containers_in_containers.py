"""Containers in containers that paths and rounds change with what is around them: as in Python."""

import linecache
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.runtime.staging.lists.random_containers import CALLS, Writer
from tests.support.staging import as_python


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return repr(as_python(call())).replace("b'", "'")
    except autograph.AutographError:
        raise
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("executor", ["numpy", "native"])
@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed: int, executor: str) -> None:
    text = Writer(seed).program()
    name = f"<containers {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {"__name__": name}
    exec(compile(text, name, "exec"), names)
    program = names["program"]
    staged = rt.function(program, executor=executor)
    for x, n, xs in CALLS:
        wanted = _attempt(lambda x=x, n=n, xs=xs: program(x, n, xs))
        try:
            args = [rt.constant(each, rt.int64) for each in (x, n, xs)]
            found = _attempt(lambda args=args: staged(*args))
        except autograph.AutographError as refusal:
            assert refusal.filename == name, refusal  # noqa: PT017
            return
        assert found == wanted, text
