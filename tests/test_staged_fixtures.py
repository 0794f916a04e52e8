"""The cases of the bank as graphs: with tensors for arguments they compute what Python does."""

import inspect
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import runtime as rt
from tests.support import harness, staging
from tests.support.harness import FIXTURES, Case, Variant

# Cases whose graphs are printed: a dtype and a shape for each parameter.
GRAPHS: dict[str, list[tuple[str, list[int | None]]]] = {
    "if/clip": [("float32", []), ("float32", [])],
    "if/optional": [("float32", []), ("float32", [])],
    "if/raise_in_an_arm": [("int32", [])],
    "while/count": [("float32", []), ("int32", [])],
    "for/find": [("int32", [None]), ("int32", [])],
    "for/over_range": [("int32", [])],
    "nested/exits_everywhere": [("int32", [])] * 3,
    "undefined/one_arm": [("int32", [])],
    "assert/in_a_loop": [("int32", [])],
    "item/in_branches_and_loops": [("int32", [3]), ("int32", [])],
}


def original(function: FunctionType) -> FunctionType:
    return function


STAGED_CASES = [case for case in harness.bank() if case.staged]


class TestStaged:
    """With tensors for arguments, as a graph: what Python computes with numbers."""

    @pytest.mark.parametrize("case", STAGED_CASES, ids=lambda case: case.name)
    def test_equals_python(self, case: Case) -> None:
        for row in case.rows:
            expected = staging.attempt(lambda row=row: call(case, row, original, []))
            got = staging.attempt(lambda row=row: call(case, row, rt.function, case.staged))
            assert staging.same_outcome(expected, got), f"INPUTS[{row}]: {expected!r}, got {got!r}"

    @pytest.mark.parametrize("case", STAGED_CASES, ids=lambda case: case.name)
    def test_interpreted_equals_python(self, case: Case, interpreted: None) -> None:
        self.test_equals_python(case)

    @pytest.mark.parametrize("case", STAGED_CASES, ids=lambda case: case.name)
    def test_equals_eager(self, case: Case) -> None:
        """Where the original runs on eager tensors as it is."""
        for row in case.rows:
            expected = staging.attempt(lambda row=row: call(case, row, original, case.staged))
            if isinstance(expected, Exception):
                continue
            got = staging.attempt(lambda row=row: call(case, row, rt.function, case.staged))
            assert staging.same_outcome(expected, got), f"INPUTS[{row}]: {expected!r}, got {got!r}"


def call(case: Case, row: int, variant: Variant, staged: list[str]) -> Any:
    """One row, with the parameters in `staged` as tensors."""
    namespace = case.fresh()
    function = case.function(namespace)
    args, kwargs = harness.arguments(namespace, row)
    bound = inspect.signature(function).bind(*args, **kwargs)
    given = staging.staged_arguments(staged, bound.arguments)
    return variant(function)(**given)


class TestGraphs:
    """The printed graphs of some cases."""

    @pytest.mark.parametrize("name", GRAPHS)
    def test_golden(self, name: str, golden: Callable[[Path, str], None]) -> None:
        case = next(case for case in harness.bank() if case.name == name)
        function = rt.function(case.function(case.fresh()))
        specs = [rt.TensorSpec(shape, dtype) for dtype, shape in GRAPHS[name]]
        concrete = function.get_concrete_function(*specs)
        golden(graph_golden(name), f"{concrete.graph}\n")

    def test_every_golden_has_its_case(self) -> None:
        assert set((FIXTURES / "graphs").glob("*.txt")) == set(map(graph_golden, GRAPHS))


def graph_golden(name: str) -> Path:
    return FIXTURES / "graphs" / f"{name.replace('/', '_')}.golden.txt"
