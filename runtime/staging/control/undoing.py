"""A step of tracing that is undone where it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from runtime.staging.control.carried_objects import ObjectRecorder
from runtime.staging.refusals import is_refusal
from runtime.staging.tracing import Trace


class Refused(NamedTuple):
    """The refusal of a step that was undone."""

    error: Exception


def undone_if_refused(
    trace: Trace, recorder: ObjectRecorder, run: Callable[[], Any], tentative: bool = False
) -> Any:
    """Returns what `run` gives; a `Refused` if it is refused: then what it did is undone.

    `recorder` watches the objects that it can reach. A `tentative` step is undone where anything is
    raised: that may come from code that does not know staged numbers.
    """
    scope, counts, memo = trace.scope, dict(trace.counts), dict(trace.memo)
    nodes, joined = len(scope.nodes), len(trace.joined)
    inner, failures = scope.inner, trace.failures
    try:
        with recorder:
            done = run()
            if trace.refusal is None:
                return done
            raise trace.refusal
    except Exception as error:
        # NumPy has an error of its own where a staged number refuses to be an index.
        found = error if trace.refusal is None or is_refusal(error) else trace.refusal
        if not (tentative or is_refusal(found)) or isinstance(found, RecursionError | MemoryError):
            raise
        found.__traceback__ = found.__context__ = None
        refused = Refused(found)
        recorder.restore()
    del scope.nodes[nodes:], trace.joined[joined:]
    scope.inner, trace.failures = inner, failures
    trace.counts, trace.memo, trace.refusal = counts, memo, None
    return refused
