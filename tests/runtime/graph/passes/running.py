"""What can be observed of a run of a graph, to the bit."""

from __future__ import annotations

import contextlib
import io
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.core.state import state
from runtime.graph.executors.program import Program


def observed(program: Program, raws: Sequence[Any]) -> tuple[Any, str]:
    """The outcome of a run, an error with the user's line, and what it printed."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(written):
        try:
            outcome = state.quiet(program.run, *raws)
        except Exception as error:
            outcome = program.failed(error)
    return as_text(outcome), written.getvalue()


def as_text(results: Any) -> Any:
    """Results that are equal only if they are the same to the last bit and of the same dtype."""
    if isinstance(results, BaseException):
        frames = traceback.extract_tb(results.__traceback__)
        return type(results), str(results), [f.lineno for f in frames if "program" in f.filename]
    if isinstance(results, np.ndarray | np.generic):
        # The bytes of an array of strings say where they are.
        held = results.tolist() if results.dtype.hasobject else results.tobytes()
        return results.dtype.str, results.shape, held
    return [as_text(item) for item in results] if isinstance(results, tuple) else results
