"""The branches of an `if` whose test is staged."""

from __future__ import annotations

from typing import Any

from autograph.backend import FAILURE, Backend, Block, Names
from autograph.operators.blocks import went_on
from autograph.operators.shared import Shared


def staged_cond(
    backend: Backend,
    test: Any,
    blocks: tuple[Block, Block],
    inputs: tuple[Any, ...],
    names: Names,
    carried: Shared,
) -> Any:
    """The result of one of two blocks, where the names that they give, and assign where they live,
    are known. Inside a `try` that may catch what the blocks raise, whether they have failed is one
    more result.
    """
    catches = backend.catches()
    if catches or carried:
        names = names or ("return",)
    if catches:
        reads = names[0] == "return"
        body, orelse = (backend.caught(block, carried, len(names), reads) for block in blocks)
        blocks, names = (body, orelse), (*names, FAILURE)
    body, orelse = (carried.block(block, len(inputs), len(names)) for block in blocks)
    state = (*inputs, *carried.values())
    result = backend.cond(test, body, orelse, state, (*names, *carried.names))
    result = carried.split(result, len(names))
    return went_on(backend, result, len(names)) if catches else result
