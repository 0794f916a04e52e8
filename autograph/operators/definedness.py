"""Reading a name that may be unbound."""

from __future__ import annotations

from typing import Any

from autograph.backend import backend_of
from autograph.frames import hide
from autograph.undefined import Undefined, name_of, unbound, unbound_free


def defined(value: Any, free: bool = False) -> Any:
    """`value`, read from a name that may be unbound.

    Args:
        free: whether the name is another function's.

    Raises:
        UnboundLocalError: it stands for an unbound name. A NameError if that is `free`.
    """
    try:
        if type(value) is Undefined:
            raise (unbound_free if free else unbound)(name_of(value))
        backend = backend_of(value)
        return value if backend is None else backend.defined(value)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise
