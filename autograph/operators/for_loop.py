"""`for`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain
from typing import Any, cast

from autograph.backend import Backend, Block, Names, asked, backend_of
from autograph.errors import RestIsStaged
from autograph.frames import hide
from autograph.operators.blocks import output_names, unpacked
from autograph.operators.comprehensions import of_generator
from autograph.operators.early_exits import is_iterator
from autograph.operators.growing import found_much, is_staging
from autograph.operators.indexed_items import indexed, list_walked_by
from autograph.operators.staged_loops import Rounds, always, staged_loop
from autograph.operators.staged_rest import (
    PlainFor,
    much_as_loop,
    places_left,
    rest_as_loop,
    whole_loop,
)
from autograph.operators.unrolling import GuardedRounds, is_used_elsewhere
from autograph.operators.work_of_rounds import much_in_for, work_done


def for_loop(
    items: Any,
    body: Block,
    state: tuple[Any, ...] = (),
    test: Block | None = None,
    defines: str | None = None,
    shared: str | None = None,
) -> Any:
    """The state after `for item in items: state = body(item, *state)`.

    The iterator advances exactly as far as the original's. Where `test` becomes staged over plain
    items, each of the remaining rounds runs under the condition that no exit was taken.

    Args:
        test: asked as `test(*state)` before each item but the first; false ends the loop.
        defines: the names of the state, where they are not the parameters of `body`.
        shared: names that the blocks assign where they live.
    """
    bare, done, source = len(state) == 1, 0, None
    proceed: Any = True
    try:
        backend = backend_of(items)
        if backend is not None:
            return _staged_for(backend, items, Rounds(body, test, defines, shared), state)
        given = of_generator(items, decided=test is not None)
        if given is not None:
            names = ", ".join(output_names(body, defines, skip=1))
            return given.in_rounds(body, state, test, names, known=False)
        source = indexed(items) if is_staging() else None
        if test is not None and found_much():
            whole = whole_loop(items, source, Rounds(body, test, defines, shared), state)
            if whole is not NotImplemented:
                return whole
        work, before = much_in_for(source, body, state), work_done()
        iterator: Any = chain(items)  # can go on after its `for`; `iter` would ask the items twice
        for done, item in enumerate(iterator, 1):
            result = body(item, *state)
            state = (result,) if bare else result or ()
            if (test is None or (proceed := test(*state)) is True) and work is None:
                continue
            if work is not None and proceed is True and done.bit_count() == 1:
                references = sys.getrefcount(items)
                rounds = Rounds(body, test or always, defines, shared)
                whole = much_as_loop(
                    work, PlainFor(items, source, iterator, references, done, before), rounds, state
                )
                if whole is not NotImplemented:
                    return whole
            if work is not None and (work.is_settled or proceed is not True):
                work = None
            if test is None or proceed is True:
                continue
            # No calls on the plain way out: debuggers that step over a block would stop there.
            if proceed is not False and backend_of(proceed) is not None:
                if _are_staged(items):
                    next(iterator)  # which tells what is left
                references = sys.getrefcount(items)
                rounds = Rounds(body, test, defines, shared)
                whole = rest_as_loop(
                    PlainFor(items, source, iterator, references, done, before),
                    rounds,
                    state,
                    proceed,
                )
                if whole is not NotImplemented:
                    return whole
                rest = GuardedRounds(references, items, rounds)
                return unpacked(rest.run(iterator, proceed, state))
            if not proceed:
                break
        return state[0] if bare else state or None
    except RestIsStaged as error:
        go_on, references = _of_items(error), sys.getrefcount(items)
        # Where they raise, iterators end: who holds one would find no more in it.
        is_shared = is_iterator(items) and is_used_elsewhere(items, references)
        if is_shared and test is not None:
            go_on = None
        left = None if go_on is None else _rest(items, error, go_on, proceed)
        if left is None:
            if go_on is not None and not is_shared:
                rounds = Rounds(body, test or always, defines, shared)
                whole = places_left(source, go_on(proceed), done, rounds, state, proceed)
                if whole is not NotImplemented:
                    return whole
                error.again()
            hide(error)
            raise
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        # The frames of the error keep this one: a generator that nobody else holds is closed now.
        items = iterator = given = rest = None
        raise
    try:
        return for_loop(left, body, state, test, defines, shared)
    except BaseException as error:
        hide(error)
        raise


def _are_staged(items: Any) -> bool:
    """Whether items, or those that `enumerate` numbers, have become staged meanwhile."""
    iterator = _parts(items)[0] if type(items) is enumerate else items
    if backend_of(iterator) is not None:
        return True
    walked = list_walked_by(iterator)
    return walked is not None and backend_of(walked) is not None


def _parts(items: enumerate[Any]) -> tuple[Any, int]:
    """The items that are left, and the next number."""
    return cast(tuple[Any, int], items.__reduce__()[1])


def _of_items(error: RestIsStaged) -> Callable[[Any], Any] | None:
    """Returns what gives the rest of a loop's items; None where not they have raised this, but a
    block.
    """
    own = error.__traceback__
    raised = None if own is None else own.tb_next
    return error.rest if raised is not None and raised.tb_next is None else None


def _rest(items: Any, error: RestIsStaged, go_on: Callable[[Any], Any], proceed: Any) -> Any:
    """The rest of a loop's items; None where not they have raised this, but what `zip`, `map` and
    others of Python's take items from, which would do nothing to it.
    """
    raised = cast(Any, error.__traceback__).tb_next
    code = raised.tb_frame.f_code
    if error.items is items or getattr(items, "gi_code", None) is code:
        return go_on(proceed)
    if type(items) is not enumerate:
        return None
    iterator, number = _parts(items)
    if getattr(iterator, "gi_code", None) is not code:
        return None
    return _numbered(go_on(proceed), number)


def _numbered(items: Any, start: int) -> Any:
    backend = backend_of(items)
    return enumerate(items, start) if backend is None else asked(backend, enumerate, items, start)


def _staged_for(backend: Backend, items: Any, rounds: Rounds, state: tuple[Any, ...]) -> Any:
    def loop(test: Block | None, body: Block, state: tuple[Any, ...], names: Names) -> Any:
        return backend.for_loop(items, body, state, names, test)

    return staged_loop(backend, loop, rounds, state, items=1)
