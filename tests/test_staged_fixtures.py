"""The cases of the bank as graphs: with tensors for arguments they compute what Python does."""

import inspect
from types import FunctionType
from typing import Any

import pytest

import runtime as rt
from tests import harness, staging
from tests.harness import Case, Variant

GRAPHS = {
    "if/clip": "float32[] float32[]",
    "if/optional": "float32[] float32[]",
    "while/count": "float32[] int32[]",
    "for/find": "int32[?] int32[]",
    "nested/exits_everywhere": "int32[] int32[] int32[]",
    "undefined/one_arm": "int32[]",
    "assert/in_a_loop": "int32[]",
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
