"""Generators that Python runs, in loops of which only the run knows where they are left.

Python closes such a generator where the loop is left: the `finally` around its `yield`, its `with`
and its handlers of `GeneratorExit` run then. The trace goes on with it, so that they do not.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import CodeType, FrameType, GeneratorType
from typing import Any

from autograph.errors import StagingError
from autograph.frames import refusal
from autograph.instructions import count_handlers


def refuse_to_leave(iterator: Any) -> None:
    """StagingError where the run may leave a loop over an iterator of which Python would close a
    generator that acts on it.
    """
    held = _protected_in(iterator)
    if held is not None:
        try:
            held.close()  # now: later, what it does would be part of another trace
        finally:
            raise _refusal(held)


def refuse_to_leave_loops(frame: FrameType | None, end: CodeType) -> None:
    """The same of all loops between a frame and the one around it that runs this code."""
    while frame is not None and frame.f_code is not end:
        if frame.f_globals.get("__name__") in _LOOPS:
            variables = frame.f_locals
            refuse_to_leave(variables.get("iterator"))
            if type(variables) is dict:
                # Up to Python 3.12 the frame keeps it: iterators would be held once more.
                variables.clear()
        frame = frame.f_back


_LOOPS = "autograph.operators.for_loop", "autograph.operators.unrolling"


def refuse_to_hold(generator: Any, is_held: bool) -> None:
    """The same of one that closes itself when it is left, and that is held elsewhere too: Python
    would close it later.
    """
    holders = [each for each in gc.get_referrers(generator) if type(each) is not FrameType]

    if is_held or holders:
        raise _refusal(generator)


def _refusal(generator: Any) -> StagingError:

    return refusal(
        StagingError,
        "only the run knows whether the elements of the generator "
        f"{generator.__name__} are taken to the end; where they are not, Python closes it, and "
        "what its `try` or `with` does then would not be done in its place",
        hint="let its `yield` be a statement in no `with`, and in no `try` but those that have a "
        "`finally` alone; give the generator no name; or loop over a list of its elements",
    )


def _protected_in(iterator: Any) -> Any:
    """A generator that stands in a `try` or `with`, of those that an iterator takes items from."""
    is_generator = type(iterator) is GeneratorType
    frame = iterator.gi_frame if is_generator else None
    if is_generator and (frame is None or not iterator.gi_suspended):
        return None
    if frame is not None and count_handlers(frame):
        return iterator
    inner = (_protected_in(each) for each in held_iterators(iterator))
    return next((each for each in inner if each is not None), None)


def held_iterators(iterator: Any) -> Iterator[Any]:
    """The iterators that one holds: those that it takes items from among them."""
    for inner in gc.get_referents(iterator):
        if type(inner) is tuple:
            yield from filter(is_iterator, inner)
        elif is_iterator(inner):
            yield inner


def is_iterator(value: object) -> bool:
    return hasattr(type(value), "__next__")
