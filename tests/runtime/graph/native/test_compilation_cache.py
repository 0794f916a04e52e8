"""Machine code that is kept between processes, and what is not run of it."""

from __future__ import annotations

import os
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
    monkeypatch.setenv(compilation_cache.SHELF.variable, str(found))
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
    assert len(list(place.iterdir())) == 1


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
