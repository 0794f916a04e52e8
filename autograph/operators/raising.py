"""`raise` of a name: a backend raises the exception that only the run knows."""

from __future__ import annotations

from typing import Any

from autograph.backend import asked, backend_of
from autograph.frames import hiding


@hiding
def raised(exc: Any, *cause: Any) -> Any:
    """The exception, or class of one; one that the run chooses is raised by its backend, from the
    cause.
    """
    backend = backend_of(exc)
    return exc if backend is None else asked(backend, exception, exc, *cause)


def exception(exc: Any, *cause: Any) -> Any:
    """The builtin that a backend is asked for: the exception as it is."""
    return exc
