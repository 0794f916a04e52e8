"""Machine code kept between processes: object files in a directory of the user's own.

An entry is found by what it was made of: the text of the module, the CPU and its features, and the
versions of all that has a say. It begins with that key and a checksum of the rest: what is damaged,
or stands under a name that is not its own, is made anew and never run. Only a directory that
belongs to the user, and that nobody else may read or write, is used; so are its files.

`AUTOGRAPH_NATIVE_CACHE` names another directory; `off` keeps nothing.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import takewhile

import llvmlite
import numpy

try:
    # `hashlib` imports OpenSSL, which takes longer than all that is done with it here.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

VARIABLE = "AUTOGRAPH_NATIVE_CACHE"
MAX_ENTRIES = 2000
"""Entries. When there are more, the half that was not used for longest goes."""

_MAGIC = b"autograph native code 2\n"
_SIZE = 32
_HEAD = len(_MAGIC) + 2 * _SIZE
_SUFFIX = ".o"


def cached(made_of: Sequence[str], make: Callable[[], bytes]) -> bytes:
    """The object file made of these texts: the one that is kept, or else the one that `make`
    makes, which is kept then.
    """
    found = find(made_of)
    if found is None:
        found = make()
        keep(made_of, found)
    return found


def find(made_of: Sequence[str]) -> bytes | None:
    """The entry that was made of these texts; None where there is none that is whole."""
    place = directory()
    if place is None:
        return None
    with _opened(place) as opened:
        return None if opened is None else _read(opened, _key(made_of))


def keep(made_of: Sequence[str], object_file: bytes) -> None:
    """Keep what was made of these texts."""
    place = directory()
    if place is not None:
        with _opened(place) as opened:
            if opened is not None:
                _write(opened, _key(made_of), object_file)


def directory() -> str | None:
    """The directory of the entries; None where nothing is kept."""
    given = os.environ.get(VARIABLE, "")
    # Without these calls, nobody can tell whose a file is that is opened.
    if given.lower() == "off" or os.open not in os.supports_dir_fd or not hasattr(os, "getuid"):
        return None
    if given:
        return given
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "autograph-runtime", "native")


def _key(made_of: Sequence[str]) -> bytes:
    digest = blake2b(digest_size=_SIZE)
    for part in (*_versions(), *made_of):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


@cache
def _versions() -> tuple[str, ...]:
    """Of Python, whose objects are laid out by its version, of the packages, and of the CPU."""
    python = [sys.version, str(sys.implementation.cache_tag), sys.platform, processor()]
    return *python, f"llvmlite {llvmlite.__version__}", f"numpy {numpy.__version__}"


def processor() -> str:
    """The CPU and its features: as the system tells, with the system's own version, for a newer one
    may know of more. Where it does not tell, LLVM does, which takes longer to import.
    """
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            told = dict(map(_fact, takewhile(str.strip, file)))
    except OSError:
        told = {}
    if not told.keys() >= _TOLD:
        from runtime.graph.executors.native.machine import processor

        return processor()
    system = os.uname()
    return "\n".join([*[told[name] for name in sorted(_TOLD)], system.release, system.version])


_TOLD = {"vendor_id", "cpu family", "model", "model name", "stepping", "flags"}


def _fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


@contextmanager
def _opened(place: str) -> Iterator[int | None]:
    """The directory, opened; None where it cannot be had, or somebody else may write to it."""
    opened = None
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        opened = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        usable = _is_private(opened)
    except OSError:
        usable = False
    try:
        yield opened if usable else None
    finally:
        if opened is not None:
            os.close(opened)


def _is_private(opened: int) -> bool:
    """True if an open file, or directory, is the user's own, and no one else's to read or write."""
    found = os.fstat(opened)
    return found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077


def _read(opened: int, key: bytes) -> bytes | None:
    """The entry of a key; None where there is none that is whole."""
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = os.open(key.hex() + _SUFFIX, flags, dir_fd=opened)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode) or not _is_private(file):
            return None
        with os.fdopen(file, "rb", closefd=False) as stream:
            data = stream.read()
        # Where nothing can be written, nothing goes either.
        with contextlib.suppress(OSError):
            os.utime(file)
    except OSError:
        return None
    finally:
        os.close(file)
    object_file = data[_HEAD:]
    return object_file if data[:_HEAD] == _head(key, object_file) else None


def _head(key: bytes, object_file: bytes) -> bytes:
    return _MAGIC + key + blake2b(key + object_file, digest_size=_SIZE).digest()


def _write(opened: int, key: bytes, object_file: bytes) -> None:
    """Keep an entry. It gets its name once it is whole; where the disk is full, none is kept."""
    draft = f"{os.urandom(8).hex()}.draft"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(draft, flags, 0o600, dir_fd=opened)
        try:
            with os.fdopen(file, "wb") as stream:
                stream.write(_head(key, object_file) + object_file)
            os.rename(draft, key.hex() + _SUFFIX, src_dir_fd=opened, dst_dir_fd=opened)
        except OSError:
            os.unlink(draft, dir_fd=opened)
            raise
        _tidy(opened)
    except OSError:
        return


def _tidy(opened: int) -> None:
    """Delete the entries that were not used for longest, where there are too many."""
    names = os.listdir(opened)
    if len(names) <= MAX_ENTRIES:
        return
    used = []
    for name in names:
        # Another process may be at it as well.
        with contextlib.suppress(FileNotFoundError):
            used.append((os.stat(name, dir_fd=opened, follow_symlinks=False).st_mtime_ns, name))
    for _, name in sorted(used)[: len(used) - MAX_ENTRIES // 2]:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=opened)
