"""Files and folders, by Python's own functions; errors are the runtime's."""

from __future__ import annotations

import glob as _glob
import os
import shutil
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from runtime.core.files import explained as _explained
from runtime.core.lazy import public as _public
from runtime.core.settings import asks_of_files as _asks_of_files
from runtime.core.settings import changes_files as _changes_files
from runtime.errors import OpError


@_asks_of_files
def exists(path: Any) -> bool:
    """Whether there is a file or folder.

    >>> rt.io.gfile.exists("/no/such/file")
    False
    """
    return os.path.exists(path)


@_asks_of_files
def isdir(path: Any) -> bool:
    """Whether there is a folder.

    >>> rt.io.gfile.isdir("/")
    True
    """
    return os.path.isdir(path)


def join(path: Any, *paths: Any) -> str:
    """Parts of a path as one.

    >>> rt.io.gfile.join("a", "b.txt")
    'a/b.txt'
    """
    return str(os.path.join(path, *paths))


def listdir(path: Any) -> list[str]:
    """The names in a folder. NotFoundError where there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.gfile.listdir(folder)
    []
    """
    with _explained():
        return sorted(os.listdir(path))


def glob(pattern: Any) -> list[str]:
    """The paths that fit a pattern, or one of a list of patterns.

    >>> rt.io.gfile.glob("/no/such/*")
    []
    """
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    return sorted(path for each in patterns for path in _glob.glob(os.fspath(each)))


@_changes_files
def makedirs(path: Any) -> None:
    """Make a folder and those around it; nothing where it is there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.gfile.makedirs(folder + "/a/b")
    ...     rt.io.gfile.listdir(folder)
    ['a']
    """
    with _explained():
        os.makedirs(path, exist_ok=True)


@_changes_files
def mkdir(path: Any) -> None:
    """Make a folder, unless it is there; NotFoundError where the one around it is not.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.gfile.mkdir(folder + "/a")
    ...     rt.io.gfile.listdir(folder)
    ['a']
    """
    with _explained():
        if not os.path.isdir(path):
            os.mkdir(path)


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[Any]:
    """Each folder from `top` on, with the names of its folders and of its files.

    A folder comes before those in it with `topdown`, else behind them. Nothing where there is none,
    but `onerror` is called with a NotFoundError.

    >>> list(rt.io.gfile.walk("/no/such/folder"))
    []
    """

    def failed(error: OSError) -> None:
        try:
            with _explained():
                raise error
        except OpError as explained:
            if onerror is not None:
                onerror(explained)

    for folder, folders, files in os.walk(top, topdown, failed):
        if topdown:
            folders.sort()  # read by os.walk, which goes on in this order
        yield folder, folders, sorted(files)


class _Statistics(NamedTuple):
    """The size of a file in bytes, the time of its last change, and whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def stat(path: Any) -> _Statistics:
    """Returns the size and times of a file or folder; NotFoundError where there is none.

    >>> rt.io.gfile.stat("/").is_directory
    True
    """
    with _explained():
        found = os.stat(path)
    return _Statistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


@_changes_files
def remove(path: Any) -> None:
    """Remove a file. NotFoundError where there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.write_file(folder + "/a", "")
    ...     rt.io.gfile.remove(folder + "/a")
    ...     rt.io.gfile.exists(folder + "/a")
    False
    """
    with _explained():
        os.remove(path)


@_changes_files
def rmtree(path: Any) -> None:
    """Remove a folder and all in it. NotFoundError where there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.gfile.makedirs(folder + "/a/b")
    ...     rt.io.gfile.rmtree(folder + "/a")
    ...     rt.io.gfile.listdir(folder)
    []
    """
    with _explained():
        shutil.rmtree(path)


@_changes_files
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file. AlreadyExistsError where there is one, unless `overwrite` says so.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.write_file(folder + "/a", "1")
    ...     rt.io.gfile.copy(folder + "/a", folder + "/b")
    ...     rt.io.gfile.listdir(folder)
    ['a', 'b']
    """
    with _explained():
        if not overwrite and os.path.exists(dst):
            raise FileExistsError(f"there is a file already: {os.fspath(dst)!r}")
        shutil.copyfile(src, dst)


@_changes_files
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file or folder. AlreadyExistsError where there is one, unless `overwrite` says so.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rt.io.write_file(folder + "/a", "1")
    ...     rt.io.gfile.rename(folder + "/a", folder + "/b")
    ...     rt.io.gfile.listdir(folder)
    ['b']
    """
    with _explained():
        if not overwrite and os.path.exists(dst):
            raise FileExistsError(f"there is a file already: {os.fspath(dst)!r}")
        os.replace(src, dst)


@_changes_files
def GFile(name: Any, mode: str = "r") -> IO[Any]:
    """A file, opened by Python's `open`, as UTF-8. NotFoundError where there is none to read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with rt.io.gfile.GFile(folder + "/a", "w") as file:
    ...         _ = file.write("text")
    ...     with rt.io.gfile.GFile(folder + "/a") as file:
    ...         file.read()
    'text'
    """
    with _explained():
        return open(name, mode, encoding=None if "b" in mode else "utf-8")


__dir__ = _public(__name__)
