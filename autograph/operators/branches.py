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
    carried: Shared | None,
) -> Any:
    """The result of one of two blocks, where the names that they give, and assign where they live,
    are known.
    """
    if backend.catches():
        return _caught_cond(backend, test, blocks, inputs, names or ("return",), carried)
    if carried is None:
        return backend.cond(test, *blocks, inputs, names)
    names = names or ("return",)
    body, orelse = (carried.block(block, len(inputs), len(names)) for block in blocks)
    state = (*inputs, *carried.values())
    result = backend.cond(test, body, orelse, state, (*names, *carried.names))
    return carried.split(result, len(names))


def _caught_cond(
    backend: Backend,
    test: Any,
    blocks: tuple[Block, Block],
    inputs: tuple[Any, ...],
    names: Names,
    carried: Shared | None,
) -> Any:
    """The same inside a `try` that may catch what the blocks raise: whether they have failed is one
    more result.
    """
    size = len(names)
    reads = names[0] == "return"
    body, orelse = (backend.caught(block, carried, size, reads) for block in blocks)
    labels = (*names, FAILURE)
    if carried is None:
        result = backend.cond(test, body, orelse, inputs, labels)
    else:
        body, orelse = (carried.block(each, len(inputs), size + 1) for each in (body, orelse))
        state = (*inputs, *carried.values())
        result = backend.cond(test, body, orelse, state, (*labels, *carried.names))
        result = carried.split(result, size + 1)
    return went_on(backend, result, size + 1)
