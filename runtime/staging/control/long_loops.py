"""The rest of a `for` over a plain `range` whose exit has become staged: one loop of the graph.

Where its rounds need their Python numbers, the trace goes back to where it was.
"""

from __future__ import annotations

from typing import Any

from runtime.staging.control.blocks import Block, Names, as_state, bare
from runtime.staging.control.carried_objects import Watch
from runtime.staging.control.iteration import Range, blocks_of
from runtime.staging.control.loops import while_loop
from runtime.staging.control.undoing import Refused, undone_if_refused
from runtime.staging.scopes import active

WRITTEN_OUT = 10_000
"""Rounds that may be written out where they cannot be one loop."""


def for_rest(
    items: range,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    test: Block,
    first: Any,
    watch: Watch,
) -> Any:
    """The state after `for item in items`, of which `first`, the value of `test(*state)`, is known;
    NotImplemented where its rounds have to be written out.

    Raises StagingError for what can be neither.
    """

    def run() -> Any:
        source = Range(items.start, items.stop, items.step)
        proceed, one_round = blocks_of(source, len(items), body, test, watch)
        index = active().number(0)
        given = index, *state
        return while_loop(proceed, one_round, given, ("index", *names), first, watch, key=body)

    if len(items) > WRITTEN_OUT:
        return _state_in(run(), len(state))
    done = undone_if_refused(active(), watch(body, state, names), run)
    return NotImplemented if type(done) is Refused else _state_in(done, len(state))


def _state_in(left: Any, size: int) -> Any:
    return bare(as_state(left, size + 1)[1:])
