"""Files that are whole or not there: written beside their place, then put into it in one step."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from typing import Any

from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import wrong_value
from runtime.core.tensor import Tensor

Path = str | os.PathLike[str]

_KINDS: dict[type[OSError], type[errors.OpError]] = {
    FileNotFoundError: errors.NotFoundError,
    FileExistsError: errors.AlreadyExistsError,
    PermissionError: errors.PermissionDeniedError,
    NotADirectoryError: errors.FailedPreconditionError,
    IsADirectoryError: errors.FailedPreconditionError,
}
RAISED = (*_KINDS.values(), errors.ResourceExhaustedError, errors.UnknownError)
"""What reading and writing raise."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def text_scalar(value: Any, what: str) -> Tensor:
    """A path or a text as a string scalar, whose rank may be left to the run.

    Raises InvalidArgumentError for other shapes, WrongDtypeError for what is no text.
    """
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    made = convert_to_tensor(text, dtypes.string)
    if made.ndim not in (0, None):
        raise wrong_value(f"`{what}` must be a string scalar, got shape {made.shape}")
    return made


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """A block whose errors of the system are those of the runtime."""
    try:
        yield
    except OSError as error:
        other = errors.ResourceExhaustedError if error.errno in _FULL else errors.UnknownError
        raise _KINDS.get(type(error), other)(str(error)) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[str]:
    """The name of a file to write, which takes the place of `path` when the block has ended.

    A reader sees the old file or the new one, whenever the process or the machine stops. After an
    exception `path` is as it was. What a killed process has left behind is removed by the next one
    that writes there. Raises OSError where the folder cannot be written.
    """
    path = os.path.abspath(os.fspath(path))
    folder, name = os.path.split(path)
    _remove_abandoned(folder)
    room = tempfile.mkdtemp(dir=folder, prefix=f"{_own()}{os.getpid()}-")
    try:
        written = os.path.join(room, name)
        yield written
        _sync(written)
        os.replace(written, path)
    finally:
        shutil.rmtree(room, ignore_errors=True)
    if os.name == "posix":
        _sync(folder)


def _own() -> str:
    return f".writing-{socket.gethostname()}-"


def _remove_abandoned(folder: str) -> None:
    if os.name != "posix":  # elsewhere nothing asks for a process without touching it
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            found = re.fullmatch(re.escape(_own()) + r"(\d+)-\w+", entry.name)
            if found and not _is_running(int(found[1])):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _sync(path: str) -> None:
    number = os.open(path, os.O_RDWR if os.path.isfile(path) else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
