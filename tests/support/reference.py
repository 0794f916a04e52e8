"""The NumPy executor beside the reference interpreter: the same results, errors, prints and
variables.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from runtime.core.state import run_calling_back, state
from runtime.core.tensor import wrap
from runtime.core.types import TensorType
from runtime.functions.concrete_function import ConcreteFunction
from runtime.graph.executors.reference import interpret
from runtime.graph.ir import walk_called

# Passes take ops out and put others in their place: float32 rounds otherwise once or twice.
RELATIVE, ABSOLUTE = 4e-7, 1e-12


def compare(concrete: ConcreteFunction, raws: Sequence[Any]) -> None:
    """Run a trace as it was made, node by node, and as a program: the test fails if they differ."""
    if any("stream" in node.params for node in walk_called(concrete.graph, set())):
        return  # each run draws other numbers
    variables = concrete.graph.variables
    before = [variable.numpy() for variable in variables]
    expected = _observed(lambda: _interpreted(concrete, raws), variables)
    for variable, value in zip(variables, before, strict=True):
        variable.assign(value)
    got = _observed(lambda: _run(concrete, raws), variables)
    for variable, value in zip(variables, before, strict=True):
        variable.assign(value)
    if not same(expected, got):
        pytest.fail(f"{concrete.name}: {expected!r}, got {got!r}")


@contextmanager
def compared() -> Iterator[list[str]]:
    """Within it, each trace that is called is compared first; gives the names of these."""
    names: list[str] = []

    def call(self: ConcreteFunction, leaves: Any) -> Any:
        if state.trace is None and self.lost is None:
            compare(self, [leaf.raw for leaf in leaves])
            names.append(self.name)
        return original(self, leaves)

    original = ConcreteFunction.call_leaves
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConcreteFunction, "call_leaves", call)
        yield names


def _interpreted(concrete: ConcreteFunction, raws: Sequence[Any]) -> Any:
    types = [value.type for value in concrete.graph.parameters]
    given = [
        wrap(raw) if isinstance(type, TensorType) else raw
        for raw, type in zip(raws, types, strict=True)
    ]
    return interpret(concrete.graph, given)


def _run(concrete: ConcreteFunction, raws: Sequence[Any]) -> Any:
    try:
        return run_calling_back(concrete.program.run, *raws)
    except BaseException as error:
        concrete.program.fail(error)


def _observed(run: Any, variables: Sequence[Any]) -> Any:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            outcome = list(map(plain, run()))
        except Exception as error:
            outcome = [type(error).__name__, str(error), *map(str, _lines(error))]
    return outcome, text.getvalue(), [variable.numpy() for variable in variables]


def plain(item: Any) -> Any:
    """A result as arrays, numbers and lists of them."""
    raw = getattr(item, "raw", item)
    if isinstance(raw, np.generic):
        return np.asarray(raw)
    return list(map(plain, raw)) if isinstance(raw, list | tuple) else raw


def _lines(error: BaseException) -> Iterator[tuple[str, int]]:
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_globals.get("__name__") == "__graph__":
            yield frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next


def same(one: Any, other: Any) -> bool:
    """True for equal values: to the bit, but for floats."""
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return _same_array(one, other)
    if isinstance(one, float):
        return one == other or (one != one and other != other) or math.isclose(one, other)
    return type(one) is type(other) and bool(one == other)


def _same_array(one: Any, other: Any) -> bool:
    if not isinstance(other, np.ndarray) or (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    if one.dtype.kind in "fc":
        return np.allclose(one, other, RELATIVE, ABSOLUTE, equal_nan=True)
    return np.array_equal(one, other)
