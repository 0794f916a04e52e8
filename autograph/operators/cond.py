"""`if`."""

from __future__ import annotations

from typing import Any

from autograph.backend import Backend, Block, backend_of
from autograph.frames import hide
from autograph.operators.blocks import output_names
from autograph.operators.branches import staged_cond
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
    carried = Shared(shared, blocks, backend)
    return staged_cond(backend, test, blocks, inputs, output_names(blocks[0], defines), carried)
