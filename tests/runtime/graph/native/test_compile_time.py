"""Twice as many nodes are twice as many instructions of machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph.executors.native.executor import units_of


def elements(x: Any, count: int) -> Any:
    for _ in range(count):
        x = rt.tanh(x) * x
    return x


def scalars(x: Any, count: int) -> Any:
    total = x[0]
    for _ in range(count):
        total = total * x[1] + 1.0
    return total


def branches(x: Any, count: int) -> Any:
    total = x[0]
    for at in range(count):
        total = total * x[1] + 1.0 if total > at else rt.exp(total)
    return total


def loops(x: Any, count: int) -> Any:
    total = x[0]
    for at in range(count):
        while total < at:
            total = total * 2.0 + 1.0
    return total


def instructions(program: Callable[..., Any], count: int) -> int:
    """The instructions of a program that does the same so many times."""
    made = rt.function(program).get_concrete_function(rt.TensorSpec([8], rt.float32), count)
    (unit,) = units_of(made.optimized)
    blocks = [block for function in unit.module.functions for block in function.blocks]
    return sum(len(block.instructions) for block in blocks)


@pytest.mark.parametrize("program", [elements, scalars, branches, loops])
def test_instructions_grow_as_nodes_do(program: Callable[..., Any]) -> None:
    few, more, most = [instructions(program, count) for count in (8, 16, 32)]
    assert few < more
    assert most - more == pytest.approx(2 * (more - few), rel=0.05)
