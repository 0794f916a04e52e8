"""Files that are kept between processes, in a directory of the user's own.

An entry is found by what it was made of. It begins with that key and a checksum of the rest: what
is damaged, or stands under a name that is not its own, is made anew and never used. Only a
directory that belongs to the user, and that nobody else may read or write, is used; so are its
files.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

try:
    # `hashlib` imports OpenSSL, which takes longer than all that is done with it here.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

MAX_ENTRIES = 2000
"""Entries. When there are more, the half that was not used for longest goes."""

TIDYING = 16
"""So many entries are written before it is looked whether there are too many: on average."""

IMPORTED = time.time()
"""When the first modules were imported."""

try:
    _START = os.getcwd()
except FileNotFoundError:  # it was removed
    _START = ""
"""Where the process stood then: wherever it goes, a relative name means one directory."""

TICK = 2
"""Seconds between two times that a file system tells apart, or more."""

_SIZE = 32


class Shelf(NamedTuple):
    """A kind of entries.

    Attributes:
        variable: the environment variable that names their directory; `off` keeps nothing.
        name: that of their directory in the usual place.
        magic: what each begins with: the kind, and the version of its form.
        suffix: how their names end.
    """

    variable: str
    name: str
    magic: bytes
    suffix: str

    def directory(self) -> str | None:
        """The directory of the entries; None where nothing is kept."""
        given = os.environ.get(self.variable, "")
        # Without these calls, nobody can tell whose a file is that is opened.
        if given.lower() == "off" or os.open not in os.supports_dir_fd or not hasattr(os, "getuid"):
            return None
        if given:
            is_known = os.path.isabs(given) or _START
            return os.path.join(_START, given) if is_known else None
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            home = os.path.expanduser("~")
            if not os.path.isabs(home):
                return None
            base = os.path.join(home, ".cache")
        return os.path.join(base, "autograph-runtime", self.name)

    def find(self, made_of: Iterable[str | bytes]) -> bytes | None:
        """The entry that was made of these parts; None where there is none that is whole."""
        place = self.directory()
        if place is None:
            return None
        with _opened(place) as opened:
            return None if opened is None else self._read(opened, _key(made_of))

    def keep(self, made_of: Iterable[str | bytes], content: bytes) -> None:
        """Keep what was made of these parts."""
        place = self.directory()
        if place is not None:
            with _opened(place) as opened:
                if opened is not None:
                    self._write(opened, _key(made_of), content)

    def _read(self, opened: int, key: bytes) -> bytes | None:
        """The entry of a key; None where there is none that is whole."""
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            file = os.open(key.hex() + self.suffix, flags, dir_fd=opened)
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
        size = len(self.magic) + 2 * _SIZE
        content = data[size:]
        return content if data[:size] == self._head(key, content) else None

    def _head(self, key: bytes, content: bytes) -> bytes:
        return self.magic + key + blake2b(key + content, digest_size=_SIZE).digest()

    def _write(self, opened: int, key: bytes, content: bytes) -> None:
        """Keep an entry. It gets its name once it is whole; where the disk is full, none is
        kept.
        """
        draft = f"{os.urandom(8).hex()}.draft"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            file = os.open(draft, flags, 0o600, dir_fd=opened)
            try:
                with os.fdopen(file, "wb") as stream:
                    stream.write(self._head(key, content) + content)
                os.rename(draft, key.hex() + self.suffix, src_dir_fd=opened, dst_dir_fd=opened)
            except OSError:
                os.unlink(draft, dir_fd=opened)
                raise
            if key[0] % TIDYING == 0:
                self._tidy(opened)
        except OSError:
            return

    def _tidy(self, opened: int) -> None:
        """Delete the entries that were not used for longest, where there are too many."""
        size = 2 * _SIZE + len(self.suffix)
        names = [x for x in os.listdir(opened) if x.endswith(self.suffix) and len(x) == size]
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


def _key(made_of: Iterable[str | bytes]) -> bytes:
    digest = blake2b(digest_size=_SIZE)
    for part in made_of:
        data = part if isinstance(part, bytes) else part.encode(errors="surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


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
    # A process that runs for another user than the one who started it has no user of its own.
    is_own = found.st_uid == os.getuid() == os.geteuid()
    return is_own and not stat.S_IMODE(found.st_mode) & 0o077


def sources(places: Iterable[str], imported: float) -> str | None:
    """The state of modules, and of those in folders: their sizes and when they were written, or put
    where they are: packages may come with times that are always the same. None where there are
    none, or where one was written since they were imported: what runs here may be older.
    """
    found: list[str] = []
    limit = imported - TICK
    try:
        for path in _modules(places):
            state = os.stat(path)
            if state.st_ctime > limit:
                return None
            found.append(f"{path} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}")
    except OSError:
        return None
    return "\n".join(sorted(found)) or None


def _modules(places: Iterable[str]) -> Iterator[str]:
    pending = [*places]
    while pending:
        place = pending.pop()
        if place.endswith(".py"):
            yield place
            continue
        with os.scandir(place) as entries:
            for entry in entries:
                is_folder = "." not in entry.name and entry.name != "__pycache__" and entry.is_dir()
                if is_folder or entry.name.endswith(".py"):
                    pending.append(entry.path)
