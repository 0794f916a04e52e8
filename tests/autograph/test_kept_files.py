"""Files that are kept between processes, and which of them are not used."""

from __future__ import annotations

import os
import stat
import time

import pytest

from autograph import kept_files
from autograph.kept_files import Shelf

pytestmark = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="only POSIX tells whose files are"
)

SHELF = Shelf("AUTOGRAPH_SOME_CACHE", "some", b"something 1\n", ".some")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory for entries."""
    found = tmp_path / "cache" / "some"
    monkeypatch.setenv(SHELF.variable, str(found))
    return found


class Made:
    """Makes contents, and counts them."""

    def __init__(self, data=b"code"):
        self.data, self.count = data, 0

    def __call__(self):
        self.count += 1
        return self.data


def cached(made_of, make):
    """What is kept, or else what is made, which is kept then."""
    found = SHELF.find(made_of)
    if found is None:
        found = make()
        SHELF.keep(made_of, found)
    return found


def test_an_entry_is_made_once(place):
    make = Made()
    assert [cached(["text", "more"], make) for _ in range(3)] == [b"code"] * 3
    assert make.count == 1
    (entry,) = place.iterdir()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600


@pytest.mark.parametrize("other", [["text", "more2"], ["textm", "ore"], ["text2", "cpu"], ["text"]])
def test_all_that_it_is_made_of_counts(place, other):
    cached(["text", "more"], Made(b"one"))
    assert cached(other, Made(b"two")) == b"two"


def test_another_kind_is_another_entry(place):
    cached(["text"], Made(b"one"))
    assert SHELF._replace(magic=b"something 2\n").find(["text"]) is None
    assert SHELF._replace(suffix=".other").find(["text"]) is None


def _truncate(entry):
    entry.write_bytes(entry.read_bytes()[:-1])


def _empty(entry):
    entry.write_bytes(b"")


def _flip(entry):
    data = bytearray(entry.read_bytes())
    data[-2] ^= 1
    entry.write_bytes(data)


def _foreign(entry):
    """A whole entry, of another key."""
    cached(["another"], Made(b"else"))
    (another,) = [one for one in entry.parent.iterdir() if one != entry]
    another.rename(entry)


def _writable(entry):
    entry.chmod(0o620)


def _link(entry):
    moved = entry.rename(entry.with_suffix(".moved"))
    entry.symlink_to(moved)


def _directory(entry):
    entry.unlink()
    entry.mkdir()


def _pipe(entry):
    entry.unlink()
    os.mkfifo(entry, 0o600)


DAMAGES = [_truncate, _empty, _flip, _foreign, _writable, _link, _directory, _pipe]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__.strip("_"))
def test_what_is_damaged_or_foreign_is_made_anew(place, damage):
    cached(["text"], Made(b"code"))
    (entry,) = place.iterdir()
    damage(entry)
    make = Made(b"code")
    assert cached(["text"], make) == b"code"
    assert make.count == 1
    if damage is not _directory:
        cached(["text"], make)
        assert make.count == 1, "the new one is kept in its place"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o750, 0o755])
def test_a_directory_that_others_may_use_is_not_used(place, mode):
    place.mkdir(parents=True)
    place.chmod(mode)
    assert cached(["text"], Made()) == b"code"
    assert not list(place.iterdir())


def test_a_link_to_a_directory_is_not_used(place, tmp_path):
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    place.parent.mkdir()
    place.symlink_to(real)
    assert cached(["text"], Made()) == b"code"
    assert not list(real.iterdir())


def test_the_directory_of_another_user_is_not_used(place, monkeypatch):
    place.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: os.stat(place).st_uid + 1)
    assert cached(["text"], Made()) == b"code"
    assert not list(place.iterdir())


def test_a_place_that_cannot_be_had_is_no_error(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("no directory")
    monkeypatch.setenv(SHELF.variable, str(file / "inside"))
    assert cached(["text"], Made()) == b"code"


def test_a_relative_name_is_one_directory_wherever_the_process_goes(tmp_path, monkeypatch):
    start = os.getcwd()
    monkeypatch.setenv(SHELF.variable, "mine")
    monkeypatch.chdir(tmp_path)
    assert SHELF.directory() == os.path.join(start, "mine")


def test_a_directory_that_cannot_be_written_is_read(place, monkeypatch):
    cached(["text"], Made(b"code"))

    def refuse(*given, **_):
        raise OSError("a file system that is only read")

    for name in ("utime", "rename"):
        monkeypatch.setattr(os, name, refuse)
    make = Made(b"code")
    assert cached(["text"], make) == b"code"
    assert make.count == 0


def test_off(place, monkeypatch):
    monkeypatch.setenv(SHELF.variable, "off")
    make = Made()
    cached(["text"], make)
    cached(["text"], make)
    assert make.count == 2
    assert SHELF.directory() is None


def test_the_usual_place_is_the_users(monkeypatch):
    monkeypatch.delenv(SHELF.variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert SHELF.directory() == "/somewhere/autograph-runtime/some"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/nowhere/somebody")
    assert SHELF.directory() == "/nowhere/somebody/.cache/autograph-runtime/some"


def test_old_entries_go(place, monkeypatch):
    monkeypatch.setattr(kept_files, "MAX_ENTRIES", 6)
    monkeypatch.setattr(kept_files, "TIDYING", 1)
    for at in range(7):
        cached([str(at)], Made())
        for entry in place.iterdir():
            times = entry.stat()
            os.utime(entry, ns=(times.st_atime_ns, times.st_mtime_ns - 10**9))
    assert len(list(place.iterdir())) == 3
    make = Made()
    cached(["6"], make)
    assert make.count == 0, "the newest are those that stay"


def test_files_of_others_stay(place, monkeypatch):
    monkeypatch.setattr(kept_files, "MAX_ENTRIES", 2)
    monkeypatch.setattr(kept_files, "TIDYING", 1)
    cached(["first"], Made())
    others = [place / f"thesis {at}{SHELF.suffix}" for at in range(9)]
    for other in others:
        other.write_text("mine")
    for at in range(5):
        cached([str(at)], Made())
    assert all(other.exists() for other in others)


def test_a_file_that_is_written_again_is_another_state(tmp_path):
    """Also one of the same size that claims to be as old."""
    file = tmp_path / "one.py"
    states = []
    for text in ("x = 1", "x = 2"):
        file.write_text(text)
        os.utime(file, (10**9, 10**9))
        states.append(kept_files.sources([str(tmp_path)], time.time() + 10))
        time.sleep(0.02)
    assert states[0] != states[1]
    assert str(file) in states[0]


def test_files_that_are_newer_than_what_runs_have_no_state(tmp_path):
    """A file that is edited behind the import is not what the process runs."""
    inside = tmp_path / "package"
    inside.mkdir()
    file = inside / "one.py"
    file.write_text("x = 1")
    written = file.stat().st_ctime
    assert kept_files.sources([str(tmp_path)], written + kept_files.TICK / 2) is None
    assert kept_files.sources([str(tmp_path)], written + kept_files.TICK * 2) is not None
    assert kept_files.sources([str(tmp_path / "none")], written + kept_files.TICK * 2) is None
