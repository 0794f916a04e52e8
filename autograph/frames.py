"""The user's frames: where an error happened for them, and tracebacks without ours."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple, TypeVar, cast

from autograph.errors import AutographError, RestIsStaged

Error = TypeVar("Error", bound=AutographError)
Called = TypeVar("Called", bound=Callable[..., Any])

_PREFIXES = {__name__.partition(".")[0]}
_known: dict[str, bool] = {}
_locating: list[Callable[[BaseException], None]] = []


class Position(NamedTuple):
    """A place in a user's file; `col` counts from 1 and is None where it is not known."""

    filename: str
    lineno: int
    col: int | None


def register_library(module_prefix: str) -> None:
    """Count a package as a library: never converted, and its frames hidden where staging fails.

    Args:
        module_prefix: a module name; it stands for its submodules too.

    >>> autograph.register_library("a_library.of_mine")
    """
    _PREFIXES.add(module_prefix)
    _known.clear()


def register_locating(locate: Callable[[BaseException], None]) -> None:
    """Call `locate` with each error that libraries raise in converted code, without a frame of the
    user's below, just before their frames are taken out of its traceback.
    """
    _locating.append(locate)


def is_library(module: str | None) -> bool:
    """Whether a module belongs to autograph or to a registered library."""
    if module is None:
        return False
    known = _known.get(module)
    if known is None:
        known = any(module == prefix or module.startswith(prefix + ".") for prefix in _PREFIXES)
        _known[module] = known
    return known


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame of the caller's stack that belongs to no library."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and is_library(frame.f_globals.get("__name__")):
        frame = frame.f_back
    return frame


def frames_to(level: int) -> int:
    """The number of frames from the caller's up to that of a function of the user's: the innermost
    is at level 1, and all blocks of a function are at its level.
    """
    frame: FrameType | None = sys._getframe(1)
    inner: CodeType | None = None
    count = 0
    while frame is not None:
        code = frame.f_code
        if not is_library(frame.f_globals.get("__name__")):
            if inner is None or not is_block_of(inner, code):
                level -= 1
            if level == 0:
                return count
            inner = code
        frame = frame.f_back
        count += 1
    return count


def is_variable(value: object) -> bool:
    """Whether a variable of the user's on the caller's stack is this object.

    From Python 3.14 on, counts of references leave out those of arguments that come out of one.
    """
    frame = user_frame(2)
    while frame is not None:
        is_users = not is_library(frame.f_globals.get("__name__"))
        if is_users and any(held is value for held in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


def refusal(
    kind: type[Error], message: str, *, variable: str | None = None, hint: str | None = None
) -> Error:
    """The error placed where the user's code stands just now."""
    frame = user_frame(2)
    filename, lineno, col = (None, None, None) if frame is None else position_in(frame)
    return kind(message, filename=filename, lineno=lineno, col=col, variable=variable, hint=hint)


def position_in(frame: FrameType) -> Position:
    """Returns the file, line and column of a frame."""
    code = frame.f_code
    lineno = frame.f_lineno or code.co_firstlineno
    positions = list(code.co_positions())
    column = positions[frame.f_lasti // 2][2] if frame.f_lasti >= 0 else None
    return Position(code.co_filename, lineno, None if column is None else column + 1)


def entries_of(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def hide(error: BaseException) -> None:
    """Take our frames that lead to the user's out of a traceback; a bare `raise` must follow.

    The first frame, the one that is handling `error`, is ours whatever its module. A frame that
    runs a block goes for the block's: to the user, both are one function.
    """
    if isinstance(error, RestIsStaged):
        error.rest = None  # no loop around is the one whose items raised it
    if shows_all_frames() or error.__traceback__ is None:
        return
    following = error.__traceback__.tb_next
    while following is not None and is_library(following.tb_frame.f_globals.get("__name__")):
        following = following.tb_next
    if following is None:
        for locate in _locating:
            locate(error)
    error.__traceback__ = _from_innermost_block(following)
    _merge_blocks(error.__traceback__)


def hiding(function: Called) -> Called:
    """A function as it is, of which tracebacks do not show what is ours. One that is called often
    hides itself, for a wrapper takes time.
    """

    @functools.wraps(function, updated=())
    def operator(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return cast(Called, operator)


def _from_innermost_block(entry: TracebackType | None) -> TracebackType | None:
    while entry is not None and _runs_block(entry):
        entry = entry.tb_next
    return entry


def _merge_blocks(entry: TracebackType | None) -> None:
    while entry is not None:
        following = _from_innermost_block(entry.tb_next)
        if following is not entry.tb_next:
            entry.tb_next = following
        entry = following


def _runs_block(entry: TracebackType) -> bool:
    """Whether the next entry is of a block of this one's function."""
    if entry.tb_next is None:
        return False
    return is_block_of(entry.tb_next.tb_frame.f_code, entry.tb_frame.f_code)


def is_block_of(block: CodeType, code: CodeType) -> bool:
    """Whether code is that of a block of this function, or of one in a block of it."""
    # The frames of blocks between the two may have been taken out of a traceback.
    if block.co_qualname != code.co_qualname:
        return False
    inner = code.co_consts
    # Most are blocks of the block around them.
    return any([const is block for const in inner]) or any(
        [is_block_of(block, const) for const in inner if isinstance(const, CodeType)]
    )


def hide_libraries(error: BaseException) -> None:
    """Take the frames of all libraries out of a traceback; a bare `raise` must follow."""
    if not shows_all_frames():
        error.__traceback__ = _without_libraries(error.__traceback__)


_ASKED = "AUTOGRAPH_FULL_TRACEBACK"


def shows_all_frames() -> bool:
    """Whether the environment asks for complete tracebacks (`AUTOGRAPH_FULL_TRACEBACK=1`)."""
    return os.environ.get(_ASKED, "") not in ("", "0")


def show_all_frames(shown: bool) -> None:
    """Let the environment of the process ask for complete tracebacks, or for the user's frames."""
    os.environ[_ASKED] = "1" if shown else ""


def _without_libraries(traceback: TracebackType | None) -> TracebackType | None:
    users = [
        entry
        for entry in entries_of(traceback)
        if not is_library(entry.tb_frame.f_globals.get("__name__"))
    ]
    kept: TracebackType | None = None
    for entry in reversed(users):
        kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept
