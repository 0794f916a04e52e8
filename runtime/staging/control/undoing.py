"""Steps of tracing that are undone: where they are refused, or are to be traced in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from runtime.staging.control.carried_objects import ObjectRecorder
from runtime.staging.control.deferred_exceptions import EndOfBlock
from runtime.staging.refusals import is_refusal
from runtime.staging.tracing import Trace


class Refused(NamedTuple):
    """The refusal of a step that was undone."""

    error: Exception


class _Checkpoint:
    """The state of a trace, to which it can go back."""

    def __init__(self, trace: Trace) -> None:
        scope = trace.scope
        self._trace, self._scope = trace, scope
        self._counts, self._memo = dict(trace.counts), dict(trace.memo)
        self._nodes, self._joined = len(scope.nodes), len(trace.joined)
        self._inner, self._failures = scope.inner, trace.failures
        self.refusal = trace.refusal  # which a handler of the user's may have made go away

    def go_back(self) -> None:
        """Forget what was traced since."""
        trace, scope = self._trace, self._scope
        del scope.nodes[self._nodes :], trace.joined[self._joined :]
        scope.inner, trace.failures = self._inner, self._failures
        trace.counts, trace.memo, trace.refusal = self._counts, self._memo, self.refusal


def undone_if_refused(
    trace: Trace, recorder: ObjectRecorder, run: Callable[[], Any], tentative: bool = False
) -> Any:
    """Returns what `run` gives; a `Refused` if it is refused: then what it did is undone.

    `recorder` watches the objects that it can reach. A `tentative` step is undone where anything is
    raised: that may come from code that does not know staged numbers.
    """
    before = _Checkpoint(trace)
    try:
        with recorder:
            done = run()
            if trace.refusal is None or trace.refusal is before.refusal:
                return done
            raise trace.refusal
    except Exception as error:
        # NumPy has an error of its own where a staged number refuses to be an index.
        pending = None if trace.refusal is before.refusal else trace.refusal
        found = error if pending is None or is_refusal(error) else pending
        if not (tentative or is_refusal(found)) or isinstance(found, RecursionError | MemoryError):
            raise
        found.__traceback__ = found.__context__ = None
        refused = Refused(found)
        recorder.restore()
    recorder.check_undone()
    before.go_back()
    return refused


class Preparation(NamedTuple):
    """A step before a loop is traced, which gives the step behind it. A trace that refused it keeps
    it under its key, and so what the key is the identity of.
    """

    key: Any
    begin: Callable[[], Callable[[], None]]


class Anew(EndOfBlock):
    """Ends a round of the loop that a recorder watches, which is traced anew when it is prepared;
    `undone` once the round is.
    """

    def __init__(self, recorder: ObjectRecorder, preparation: Preparation) -> None:
        self.preparation = preparation
        self.undone = False
        recorder.ending = recorder.ending or self


@contextmanager
def undone_anew(recorder: ObjectRecorder) -> Iterator[None]:
    """Within it a round is traced that the recorder watches. If that is to be traced anew, what it
    has changed is put back, also where code of the user's has caught the `Anew`.
    """
    try:
        yield
    finally:
        anew, recorder.ending = recorder.ending, None
        if anew is not None:
            recorder.restore()
            anew.undone = True
            raise anew


def with_preparations(
    trace: Trace, recorder_of: Callable[[], ObjectRecorder], run: Callable[[], Any]
) -> Any:
    """Returns what `run` gives, which traces a loop: with what its rounds ask to be prepared, or,
    where anything is raised then, without.
    """
    prepared: list[Preparation] = []

    def run_prepared() -> Any:
        ends = [each.begin() for each in prepared]
        done = run()
        for end in reversed(ends):
            end()
        return done

    while True:
        before = _Checkpoint(trace)
        recorder = recorder_of() if prepared else None
        try:
            if recorder is None:
                return run()
            done = undone_if_refused(trace, recorder, run_prepared, tentative=True)
            if type(done) is not Refused:
                return done
            trace.memo.update({each.key: each for each in prepared})
            prepared = []
        except Anew as anew:
            if not anew.undone:
                raise
            if recorder is not None:
                recorder.restore()
            before.go_back()
            prepared.append(anew.preparation)
