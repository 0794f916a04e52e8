"""`assert`."""

from __future__ import annotations

from typing import Any

from autograph.backend import Thunk, backend_of
from autograph.frames import hide
from autograph.operators.truths import truth


def assert_(test: Any, message: Thunk | None = None) -> None:
    """`assert test, message()`.

    Raises:
        AssertionError: a plain `test` is false.
    """
    if test is True:
        return
    try:
        backend = backend_of(test)
        if backend is None:
            test = truth(test)
            backend = backend_of(test)
        if backend is not None:
            backend.assert_(test, message)  # noqa: PT009  # an operator's name
        elif not test:
            raise AssertionError if message is None else AssertionError(message())
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise
