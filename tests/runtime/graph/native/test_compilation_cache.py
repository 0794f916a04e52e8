"""Machine code that is kept between processes, and what is not run of it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from runtime.graph.executors.native import compilation_cache

pytestmark = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="only POSIX tells whose files are"
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory for entries."""
    found = tmp_path / "cache" / "native"
    monkeypatch.setenv(compilation_cache.VARIABLE, str(found))
    return found


class Made:
    """Makes object files, and counts them."""

    def __init__(self, data=b"code"):
        self.data, self.count = data, 0

    def __call__(self):
        self.count += 1
        return self.data


def test_an_entry_is_made_once(place):
    make = Made()
    assert [compilation_cache.cached(["text", "cpu"], make) for _ in range(3)] == [b"code"] * 3
    assert make.count == 1
    (entry,) = place.iterdir()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600


@pytest.mark.parametrize("other", [["text", "cpu2"], ["textc", "pu"], ["text2", "cpu"], ["text"]])
def test_all_that_it_is_made_of_counts(place, other):
    compilation_cache.cached(["text", "cpu"], Made(b"one"))
    assert compilation_cache.cached(other, Made(b"two")) == b"two"


def test_versions_count(place, monkeypatch):
    compilation_cache.cached(["text"], Made(b"one"))
    versions = compilation_cache._versions()
    monkeypatch.setattr(compilation_cache, "_versions", lambda: (*versions[:-1], "numpy 99"))
    assert compilation_cache.cached(["text"], Made(b"two")) == b"two"


def test_the_processor_is_that_of_the_system_or_of_llvm(monkeypatch):
    machine = pytest.importorskip("runtime.graph.executors.native.machine")
    own = compilation_cache.processor()
    assert own == compilation_cache.processor() != ""
    monkeypatch.setattr(compilation_cache, "_TOLD", {"what no system tells"})
    assert compilation_cache.processor() == machine.processor()


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
    compilation_cache.cached(["another"], Made(b"else"))
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
    compilation_cache.cached(["text"], Made(b"code"))
    (entry,) = place.iterdir()
    damage(entry)
    make = Made(b"code")
    assert compilation_cache.cached(["text"], make) == b"code"
    assert make.count == 1
    if damage is not _directory:
        compilation_cache.cached(["text"], make)
        assert make.count == 1, "the new one is kept in its place"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o750, 0o755])
def test_a_directory_that_others_may_use_is_not_used(place, mode):
    place.mkdir(parents=True)
    place.chmod(mode)
    assert compilation_cache.cached(["text"], Made()) == b"code"
    assert not list(place.iterdir())


def test_a_link_to_a_directory_is_not_used(place, tmp_path):
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    place.parent.mkdir()
    place.symlink_to(real)
    assert compilation_cache.cached(["text"], Made()) == b"code"
    assert not list(real.iterdir())


def test_the_directory_of_another_user_is_not_used(place, monkeypatch):
    place.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: os.stat(place).st_uid + 1)
    assert compilation_cache.cached(["text"], Made()) == b"code"
    assert not list(place.iterdir())


def test_a_place_that_cannot_be_had_is_no_error(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("no directory")
    monkeypatch.setenv(compilation_cache.VARIABLE, str(file / "inside"))
    assert compilation_cache.cached(["text"], Made()) == b"code"


def test_a_directory_that_cannot_be_written_is_read(place, monkeypatch):
    compilation_cache.cached(["text"], Made(b"code"))

    def refuse(*given, **_):
        raise OSError("a file system that is only read")

    for name in ("utime", "rename"):
        monkeypatch.setattr(os, name, refuse)
    make = Made(b"code")
    assert compilation_cache.cached(["text"], make) == b"code"
    assert make.count == 0


def test_off(place, monkeypatch):
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")
    make = Made()
    compilation_cache.cached(["text"], make)
    compilation_cache.cached(["text"], make)
    assert make.count == 2
    assert compilation_cache.directory() is None


def test_the_usual_place_is_the_users(monkeypatch):
    monkeypatch.delenv(compilation_cache.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert compilation_cache.directory() == "/somewhere/autograph-runtime/native"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/nowhere/somebody")
    assert compilation_cache.directory() == "/nowhere/somebody/.cache/autograph-runtime/native"


def test_old_entries_go(place, monkeypatch):
    monkeypatch.setattr(compilation_cache, "MAX_ENTRIES", 6)
    for at in range(7):
        compilation_cache.cached([str(at)], Made())
        for entry in place.iterdir():
            times = entry.stat()
            os.utime(entry, ns=(times.st_atime_ns, times.st_mtime_ns - 10**9))
    assert len(list(place.iterdir())) == 3
    make = Made()
    compilation_cache.cached(["6"], make)
    assert make.count == 0, "the newest are those that stay"


PROGRAM = """
import runtime as rt
from runtime.graph.executors.native import machine

compiled = []
own = machine.generate
machine.generate = lambda *given: compiled.append(given) or own(*given)

@rt.function(executor="native")
def f(x, n):
    while n > 0:
        x = rt.sin(x) * 2.0
        n = n - 1
    return x

from runtime.graph.executors.work import Patience
Patience.importing = Patience.graph = Patience.node = 0.0
for _ in range(4):
    y = f(rt.constant(0.5), rt.constant(100))
run = f.get_concrete_function(rt.constant(0.5), rt.constant(100)).programs.tiers.run
print(len(compiled), type(run).__name__, float(y))
"""


def test_another_process_compiles_nothing(place, tmp_path):
    """The text of a module is the same in each process, whatever its hashes are."""
    outputs = []
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    for seed in ("1", "2", "3"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, str(program)], env=environment, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.split())
    first, *others = outputs
    assert int(first[0]) > 0
    assert [other[0] for other in others] == ["0", "0"]
    assert {tuple(output[1:]) for output in outputs} == {(first[1], first[2])}
    assert first[1] == "builtin_function_or_method"
