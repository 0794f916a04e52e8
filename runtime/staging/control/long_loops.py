"""The rest of a `for` over a plain `range` whose exit has become staged: one loop of the graph.

Where its rounds need their Python numbers, the trace goes back to where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.staging.control.blocks import Block, Names, as_state, bare
from runtime.staging.control.carried_objects import Recorder, Watch
from runtime.staging.control.iteration import Range, blocks_of
from runtime.staging.control.loops import while_loop
from runtime.staging.refusals import is_refusal
from runtime.staging.scopes import active
from runtime.staging.tracing import Trace

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
    done = _undone_if_refused(active(), watch(body, state, names), run)
    return done if done is NotImplemented else _state_in(done, len(state))


def _state_in(left: Any, size: int) -> Any:
    return bare(as_state(left, size + 1)[1:])


def _undone_if_refused(trace: Trace, recorder: Recorder, run: Callable[[], Any]) -> Any:
    """What `run` gives; NotImplemented if it is refused: then what it did is undone."""
    scope, counts, memo = trace.scope, dict(trace.counts), dict(trace.memo)
    places = len(scope.nodes), len(scope.changes), len(trace.joined), scope.inner, trace.failures
    try:
        with recorder:
            return run()
    except Exception as error:
        if not is_refusal(error) or isinstance(error, RecursionError | MemoryError):
            raise
        recorder.restore()
    del scope.nodes[places[0] :], trace.joined[places[2] :]
    assert len(scope.changes) == places[1]
    scope.inner, trace.failures = places[3:]
    trace.counts, trace.memo, trace.refusal = counts, memo, None
    return NotImplemented
