"""The executors beside the reference interpreter: the same results, errors, prints, variables."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from runtime.core.state import run_calling_back, state
from runtime.core.tensor import wrap
from runtime.core.types import TensorType
from runtime.functions.concrete_function import ConcreteFunction
from runtime.graph.executors.program import Program
from runtime.graph.executors.reference import interpret
from runtime.graph.ir import Graph, walk_called
from tests.support.native import hot_after

Run = Callable[..., Any]

# Passes take ops out and put others in their place: float32 rounds otherwise once or twice. Machine
# code adds up in another order too, and has functions of its own.
RELATIVE, ABSOLUTE = 4e-7, 1e-12
NATIVE = 2e-5, 1e-12

ROUNDS = 2
"""Rounds of a loop that are Python's, where the others are machine code."""


def compare(concrete: ConcreteFunction, raws: Sequence[Any]) -> None:
    """Run a trace as it was made, node by node, as a program, and as machine code where that is
    installed: the test fails if they differ.
    """
    if any("stream" in node.params for node in walk_called(concrete.graph.nodes)):
        return  # each run draws other numbers
    variables = concrete.graph.variables
    before = [variable.numpy() for variable in variables]

    def observed(run: Callable[[], Any]) -> Any:
        found = _observed(run, variables)
        for variable, value in zip(variables, before, strict=True):
            variable.assign(value)
        return found

    expected = observed(lambda: _interpreted(concrete.graph, raws))
    got = observed(partial(_run, concrete.program, concrete.program.run, raws))
    if not same(expected, got):
        pytest.fail(f"{concrete.name}: {expected!r}, got {got!r}")
    # That is what a first call may be.
    first = observed(lambda: _interpreted(concrete.optimized, raws))
    if not same(first, got, 0.0, 0.0):
        pytest.fail(f"{concrete.name}: {got!r}, interpreted {first!r}")
    if importlib.util.find_spec("llvmlite") is None:
        return
    machine = observed(partial(_run, concrete.program, _native(concrete), raws))
    if not same(got, machine, *NATIVE):
        pytest.fail(f"{concrete.name}: {got!r}, in machine code {machine!r}")
    program = _hot(concrete)
    with hot_after(ROUNDS):
        machine = observed(partial(_run, program, program.run, raws))
    if not same(got, machine, *NATIVE):
        pytest.fail(f"{concrete.name}: {got!r}, with loops as machine code {machine!r}")


_hot_programs: WeakKeyDictionary[ConcreteFunction, Program] = WeakKeyDictionary()


def _hot(concrete: ConcreteFunction) -> Program:
    if concrete not in _hot_programs:
        with hot_after(ROUNDS):
            _hot_programs[concrete] = Program(concrete.optimized, may_become_native=True)
    return _hot_programs[concrete]


_compiled: WeakKeyDictionary[ConcreteFunction, Run] = WeakKeyDictionary()


def _native(concrete: ConcreteFunction) -> Run:
    from runtime.graph.executors.native.executor import runner_of

    if concrete not in _compiled:
        _compiled[concrete] = runner_of(concrete.optimized, concrete.program)
    return _compiled[concrete]


@contextmanager
def compared() -> Iterator[list[str]]:
    """Within it, each trace that is called is compared first; gives the names of these."""
    names: list[str] = []

    def call(self: ConcreteFunction, leaves: Any, *run: Any) -> Any:
        # What a graph keeps in objects is given to it by the call alone.
        if state.trace is None and self.lost is None and self.kept is None:
            compare(self, [leaf.raw for leaf in leaves])
            names.append(self.name)
        return original(self, leaves, *run)

    original = ConcreteFunction.call_leaves
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConcreteFunction, "call_leaves", call)
        yield names


def _interpreted(graph: Graph, raws: Sequence[Any]) -> Any:
    types = [value.type for value in graph.parameters]
    given = [
        wrap(raw) if isinstance(type, TensorType) else raw
        for raw, type in zip(raws, types, strict=True)
    ]
    return interpret(graph, given)


def _run(program: Program, run: Run, raws: Sequence[Any]) -> Any:
    try:
        return run_calling_back(run, *raws)
    except BaseException as error:
        program.fail(error)


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
    if isinstance(raw, bytes):
        return np.asarray(raw, object)
    return list(map(plain, raw)) if isinstance(raw, list | tuple) else raw


def _lines(error: BaseException) -> Iterator[tuple[str, int]]:
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_globals.get("__name__") == "__graph__":
            yield frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next


def same(one: Any, other: Any, relative: float = RELATIVE, absolute: float = ABSOLUTE) -> bool:
    """True for equal values: to the bit, but for floats, unless both bounds are 0."""
    if isinstance(one, list | tuple):
        return (
            type(one) is type(other)
            and len(one) == len(other)
            and all(same(a, b, relative, absolute) for a, b in zip(one, other, strict=True))
        )
    if isinstance(one, np.ndarray):
        return _same_array(one, other, relative, absolute)
    if isinstance(one, float):
        is_close = bool(relative) and math.isclose(one, other)
        return one == other or (one != one and other != other) or is_close
    return type(one) is type(other) and bool(one == other)


def _same_array(one: Any, other: Any, relative: float, absolute: float) -> bool:
    if not isinstance(other, np.ndarray) or (one.dtype, one.shape) != (other.dtype, other.shape):
        return False
    if one.dtype.kind in "fc":
        # Where large terms of a sum cancel, what is left is as exact as they are.
        largest = float(np.abs(one[np.isfinite(one)]).max(initial=0))
        if relative:
            absolute = max(absolute, 16 * float(np.finfo(one.dtype).eps) * largest)
        return np.allclose(one, other, relative, absolute, equal_nan=True)
    return np.array_equal(one, other)
