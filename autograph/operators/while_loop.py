"""`while`."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograph.backend import Block, backend_of, failures
from autograph.frames import hide
from autograph.operators.staged_loops import Rounds, staged_loop
from autograph.operators.truths import truth
from autograph.operators.work_of_rounds import in_loop, much_in_while


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
                    loop = partial(backend.while_loop, first=proceed)
                    return staged_loop(backend, loop, Rounds(body, test, defines, shared), state)
                if not proceed:
                    return state[0] if bare else state or None
            if work is not None and work.are_left(state):
                loop = partial(work.backend.while_rest, knows_kinds=work.knows_kinds)
                rounds = Rounds(body, test, defines, shared)
                with in_loop():
                    whole = staged_loop(work.backend, loop, rounds, state)
                if whole is not NotImplemented:
                    return whole
            result = body(*state)
            state = (result,) if bare else result or ()
            for backend, count in before.items():
                if backend.failures() > count:
                    loop = partial(backend.while_loop, first=True)
                    rounds = Rounds(body, test, defines, shared)
                    return staged_loop(backend, loop, rounds, state, is_endless=True)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise
