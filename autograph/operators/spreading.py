"""Lists that are put together from iterables."""

from __future__ import annotations

from typing import Any

from autograph.backend import Thunk, backend_of, stand_ins
from autograph.frames import hide
from autograph.operators.comprehensions import of_generator
from autograph.operators.growing import growing, is_staging


def spread(first: Any, *rest: Thunk) -> Any:
    """`[*first, *rest[0](), ...]`: staged where only the run knows how many items one has."""
    try:
        made: Any = _extended([], first)
        for thunk in rest:
            made = _extended(made, thunk())
        return made
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _extended(made: Any, items: Any) -> Any:
    """The list with these items behind it: the same one, unless it becomes a staged one."""
    if not is_staging() or not _may_be_staged(items):
        made.extend([*items])
        return made
    made = growing(made)
    made.extend(items)
    return made


def _may_be_staged(items: Any) -> bool:
    return (
        type(items) in stand_ins or backend_of(items) is not None or of_generator(items) is not None
    )
