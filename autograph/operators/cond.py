"""`if`."""

from __future__ import annotations

from typing import Any

from autograph.backend import FAILURE, Backend, Block, Names, backend_of
from autograph.frames import hide
from autograph.operators.blocks import output_names, went_on
from autograph.operators.shared import Shared
from autograph.operators.truths import truth


def cond(
    test: Any,
    body: Block,
    orelse: Block,
    inputs: tuple[Any, ...] = (),
    defines: str | None = None,
    shared: str | None = None,
) -> Any:
    """`body(*inputs)` if `test` is true, else `orelse(*inputs)`.

    Args:
        defines: the names of the results, where they are not the parameters of the blocks.
        shared: names that the blocks assign where they live.
    """
    try:
        if test is not True and test is not False:
            backend = backend_of(test)
            if backend is None:
                test = truth(test)
                backend = backend_of(test)
            if backend is not None:
                return _staged_cond(backend, test, (body, orelse), inputs, defines, shared)
        taken = body if test else orelse
        # Python 3.11 nests its interpreter for a starred call: spare deep recursion that.
        return taken(*inputs) if inputs else taken()
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _staged_cond(
    backend: Backend,
    test: Any,
    blocks: tuple[Block, Block],
    inputs: tuple[Any, ...],
    defines: str | None,
    shared: str | None,
) -> Any:
    carried = None if shared is None else Shared(shared, blocks, backend)
    return staged_cond(backend, test, blocks, inputs, output_names(blocks[0], defines), carried)


def staged_cond(
    backend: Backend,
    test: Any,
    blocks: tuple[Block, Block],
    inputs: tuple[Any, ...],
    names: Names,
    carried: Shared | None,
) -> Any:
    """The same, where the names that the blocks give, and assign where they live, are known."""
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
