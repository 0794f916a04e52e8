"""A loop that a backend runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autograph.backend import FAILURE, Backend, Block
from autograph.operators.blocks import output_names, went_on
from autograph.operators.shared import Shared


class Rounds(NamedTuple):
    """The rounds of a loop: `body` gives the next state, and `test(*state)` tells whether another
    one follows; without it, one follows as long as there are items. `defines` has the names of the
    state, where they are not the parameters of `body`, and `shared` those that the body assigns
    where they live.
    """

    body: Block
    test: Block | None
    defines: str | None = None
    shared: str | None = None


def staged_loop(
    backend: Backend,
    loop: Callable[..., Any],
    rounds: Rounds,
    state: tuple[Any, ...],
    items: int = 0,
    is_endless: bool = False,
) -> Any:
    """The state after `loop(test, body, state, names)`, which carries the shared names too;
    NotImplemented where that is. Inside a `try` that may catch what rounds raise, whether one has
    failed is one more part of the state.

    Args:
        items: how many parameters `body` has before the state.
        is_endless: whether only an exception ends it.
    """
    body, test, defines, shared = rounds
    names = output_names(body, defines, skip=items)
    carried = Shared(shared, (body,), backend)
    catches = backend.catches()
    if catches:
        test, body, begin = backend.caught_loop(test or always, body, carried, len(state))
        state, names = (*state, begin), (*names, FAILURE)
    count = len(state)
    result = loop(
        None if test is None else carried.block(test, count, count, gives=False),
        carried.block(body, count + items, count),
        (*state, *carried.values()),
        (*names, *carried.names),
    )
    if result is NotImplemented:
        return result
    result = carried.split(result, count)
    return went_on(backend, result, count, is_endless) if catches else result


def always(*state: Any) -> bool:
    """The test of a loop that only its items end."""
    return True
