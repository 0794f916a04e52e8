"""`while`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.backend import FAILURE, Backend, Block, backend_of, failures
from autograph.frames import hide
from autograph.operators.blocks import output_names, went_on
from autograph.operators.shared import Shared
from autograph.operators.staged_rest import in_loop, much_in_while
from autograph.operators.truths import truth


def while_loop(
    test: Block,
    body: Block,
    state: tuple[Any, ...] = (),
    defines: str | None = None,
    shared: str | None = None,
    endless: bool = False,
) -> Any:
    """The state after `while test(*state): state = body(*state)`.

    A test that becomes staged after some rounds hands the present state to its backend, and so do
    rounds that stage very much.

    Args:
        defines: the names of the state, where they are not the parameters of `body`.
        shared: names that the blocks assign where they live.
        endless: whether only an exception ends the loop, which may be one that is staged.
    """
    bare = len(state) == 1
    try:
        before = failures() if endless else {}
        work = much_in_while(body)
        while True:
            proceed = test(*state)
            if proceed is not True:
                # No calls on the plain way out: debuggers that step over a block would stop there.
                backend = None if proceed is False else backend_of(proceed)
                if backend is None and proceed is not False:
                    proceed = truth(proceed)
                    backend = backend_of(proceed)
                if backend is not None:
                    return _staged_while(backend, test, body, state, proceed, defines, shared)
                if not proceed:
                    return state[0] if bare else state or None
            if work is not None and work.are_left(state):
                with in_loop():
                    loop = partial(work.backend.while_rest, knows_kinds=work.knows_kinds)
                    whole = _staged_while(
                        work.backend, test, body, state, True, defines, shared, loop
                    )
                if whole is not NotImplemented:
                    return whole
            result = body(*state)
            state = (result,) if bare else result or ()
            for backend, count in before.items():
                if backend.failures() > count:
                    return _staged_while(backend, test, body, state, True, defines, shared)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _staged_while(
    backend: Backend,
    test: Block,
    body: Block,
    state: tuple[Any, ...],
    first: Any,
    defines: str | None,
    shared: str | None,
    loop: Callable[..., Any] | None = None,
) -> Any:
    names = output_names(body, defines)
    carried = Shared(shared, (body,), backend)
    catches = backend.catches()
    if catches:
        test, body, begin = backend.caught_loop(test, body, carried, len(state))
        state, names = (*state, begin), (*names, FAILURE)
    count = len(state)
    result = (loop or backend.while_loop)(
        carried.block(test, count, count, gives=False),
        carried.block(body, count, count),
        (*state, *carried.values()),
        (*names, *carried.names),
        first,
    )
    if result is NotImplemented:
        return result
    result = carried.split(result, count)
    # A loop without an end that only an exception leaves.
    certain = loop is None and first is True
    return went_on(backend, result, count, certain) if catches else result
