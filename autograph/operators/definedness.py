"""Reading a name that may be unbound."""

from __future__ import annotations

from typing import Any

from autograph.backend import backend_of
from autograph.frames import hide
from autograph.undefined import Undefined, name_of, unbound


def defined(value: Any) -> Any:
    """`value`, read from a name that may be unbound.

    Raises:
        UnboundLocalError: it stands for an unbound name.
    """
    try:
        if type(value) is Undefined:
            raise unbound(name_of(value))
        backend = backend_of(value)
        return value if backend is None else backend.defined(value)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise
