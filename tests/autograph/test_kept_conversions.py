"""Conversions that are kept between processes: found where they are those of the same text, code,
library and options, and nowhere else.
"""

from __future__ import annotations

import marshal
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

import pytest

import autograph
from autograph import conversion, kept_conversions, observers, twins
from autograph.forms import Form
from autograph.kept_conversions import SHELF

pytestmark = pytest.mark.skipif(
    not hasattr(os, "getuid"), reason="only POSIX tells whose files are"
)

TEXT = """
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory for entries."""
    found = tmp_path / "conversions"
    monkeypatch.setenv(SHELF.variable, str(found))
    # Whoever edits the library while its tests run keeps conversions all the same.
    monkeypatch.setattr(kept_conversions, "IMPORTED", math.inf)
    forget = kept_conversions._converters.cache_clear
    forget()
    yield found
    forget()


class Conversions:
    """Converts functions as a new process does, and counts those that are not found."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, own = 0, conversion.convert_code

        def counted(*given: Any) -> Any:
            self.count += 1
            return own(*given)

        monkeypatch.setattr(conversion, "convert_code", counted)

    def __call__(self, function: Any, form: Form = Form.PLAIN) -> bool:
        """Whether it is found. What is found is what is made."""
        before = self.count
        found = twins.convert_once(function, form)
        is_found = self.count == before
        made = conversion.convert_code(function, form)
        assert (found.code, found.ag) == (made.code, made.ag)
        assert marshal.dumps(found.code, 2) == marshal.dumps(made.code, 2)
        return is_found


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Conversions:
    return Conversions(monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sample.py"


def run_text(path: Path, text: str) -> Any:
    """The names that a file defines, which is written and run: Python keeps nothing of it."""
    path.write_text(text)
    namespace: dict[str, Any] = {"__name__": "sample"}
    exec(compile(text, str(path), "exec"), namespace)
    return SimpleNamespace(**namespace)


def collatz_of(path: Path, text: str = TEXT) -> Any:
    return run_text(path, text).collatz


def test_the_second_process_finds_it(found: Conversions, path: Path) -> None:
    assert [found(collatz_of(path)) for _ in range(3)] == [False, True, True]
    converted = autograph.convert(collatz_of(path))
    assert converted(27) == 111
    assert autograph.is_converted(converted)
    assert converted.__code__.co_filename == str(path)


SETS = """
def collatz(n):
    return list({8, 0, 16}), [list({24, 16, 8, 0, "a", (1, 2)}) for _ in range(n)], {1, True, 2.0}
"""


def test_sets_of_constants_have_the_order_that_they_have_in_the_users_code(path: Path) -> None:
    compiled = collatz_of(path, SETS)
    read = FunctionType(marshal.loads(marshal.dumps(compiled.__code__)), {})
    assert compiled(1)[0] != read(1)[0], "Python's files keep sets in an order of their own"
    for function in (read, compiled):  # the second conversion is one that was kept
        assert autograph.convert(FunctionType(function.__code__, {}))(2) == function(2)


OTHER_TEXTS = {
    "constant": TEXT.replace("3 *", "5 *"),
    "type of a constant": TEXT.replace("steps = 0", "steps = 0.0"),
    "lines above": "\n" + TEXT,
    "columns": TEXT.replace("n // 2", "n  // 2"),
    "name": TEXT.replace("steps", "count"),
    "a comment": TEXT + "# nothing else\n",
    "an import": TEXT + "import os\n",
}


@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_another_text_is_another_conversion(name: str, found: Conversions, path: Path) -> None:
    found(collatz_of(path))
    assert not found(collatz_of(path, OTHER_TEXTS[name]))
    assert found(collatz_of(path)), "the first one is still there"


def test_another_file_is_another_conversion(found: Conversions, tmp_path: Path) -> None:
    found(collatz_of(tmp_path / "one.py"))
    assert not found(collatz_of(tmp_path / "two.py"))


def test_functions_of_one_file_are_told_apart(found: Conversions, path: Path) -> None:
    text = "f, g = lambda x: x if x else 1, lambda x: x if x else 2\n"
    for expected in (False, True):
        module = run_text(path, text)
        assert [found(module.f), found(module.g)] == [expected, expected]


def test_code_that_the_text_does_not_give_is_refused(found: Conversions, path: Path) -> None:
    """A file that changed behind the import, and code that somebody made anew."""
    function = collatz_of(path)
    found(function)
    code = function.__code__
    other = next(
        const
        for const in compile(TEXT.replace("3 *", "7 *"), str(path), "exec").co_consts
        if isinstance(const, CodeType) and const.co_name == code.co_name
    )
    with pytest.raises(autograph.ConversionError, match="is not what was imported"):
        twins.convert_once(FunctionType(other, {}))
    assert found(FunctionType(code.replace(), {}))
    path.write_text(TEXT.replace("3 *", "5 *"))
    with pytest.raises(autograph.ConversionError, match="is not what was imported"):
        twins.convert_once(FunctionType(code.replace(), {}))


def test_what_is_staged_is_told_apart(found: Conversions, path: Path) -> None:
    text = """
def guarded(x):
    try:
        y = 1 / x
    except ZeroDivisionError:
        y = 0
    return y
"""
    for expected in (False, True):
        function = run_text(path, text).guarded
        assert [found(function, form) for form in Form] == [expected] * len(Form)


Change = Callable[[pytest.MonkeyPatch], None]
CHANGES: dict[str, Change] = {
    "library": lambda patch: patch.setattr(kept_conversions, "_converters", lambda: "edited"),
    "Python": lambda patch: patch.setattr(sys, "version", "3.99.0"),
    "line_profiler": lambda patch: _let_line_profiler_come_or_go(patch),
    "coverage": lambda patch: _let_coverage_run(patch),
}


def _let_coverage_run(patch: pytest.MonkeyPatch) -> None:
    for module in (conversion, kept_conversions):
        patch.setattr(module, "coverage_runs", lambda: True)


def _let_line_profiler_come_or_go(patch: pytest.MonkeyPatch) -> None:
    if "line_profiler" in sys.modules:
        patch.delitem(sys.modules, "line_profiler")
    else:
        patch.setitem(sys.modules, "line_profiler", sys)


@pytest.mark.parametrize("name", CHANGES)
def test_what_else_it_is_made_of_counts(
    name: str, found: Conversions, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(collatz_of(path))
    with monkeypatch.context() as patch:
        CHANGES[name](patch)
        assert not found(collatz_of(path))
        assert found(collatz_of(path))
    assert found(collatz_of(path))


def test_a_library_that_was_edited_since_keeps_nothing(
    found: Conversions, path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_conversions, "_converters", lambda: None)
    assert [found(collatz_of(path)) for _ in range(2)] == [False, False]
    assert not place.exists()


def test_the_state_of_gast_is_part_of_the_librarys() -> None:
    gast = pytest.importorskip("gast")
    assert str(gast.__file__) in str(kept_conversions._converters())


def test_code_without_a_file_is_not_kept(place: Path) -> None:
    assert not observers.coverage_runs()
    for name in ("<stdin>", "/nowhere/at/all.py"):
        namespace: dict[str, Any] = {}
        exec(compile(TEXT, name, "exec"), namespace)
        assert kept_conversions.find(namespace["collatz"], Form.PLAIN) is None
    assert not place.exists()


def test_a_refused_construct_is_not_kept(path: Path, place: Path) -> None:
    function = run_text(path, "f = eval('lambda x: x if x else 1')\n").f
    with pytest.raises(autograph.ConversionError):
        twins.convert_once(function)
    assert not place.exists()


def test_code_with_a_constant_of_another_kind_is_not_kept(
    found: Conversions, path: Path, place: Path
) -> None:
    code = collatz_of(path).__code__
    consts = tuple(Fraction(3) if const == 3 else const for const in code.co_consts)
    function = FunctionType(code.replace(co_consts=consts), {})
    made = conversion.convert_code(collatz_of(path))
    lines = TEXT.splitlines(keepends=True)
    kept_conversions.keep(
        kept_conversions.parts(function, lines, Form.PLAIN, False), function, made
    )
    assert len(list(place.iterdir())) == 1, "that of the other one"


def _truncate(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-1])


def _flip(entry: Path) -> None:
    data = bytearray(entry.read_bytes())
    data[-9] ^= 1
    entry.write_bytes(data)


def _empty(entry: Path) -> None:
    entry.write_bytes(b"")


@pytest.mark.parametrize("damage", [_truncate, _flip, _empty])
def test_what_is_damaged_is_made_anew(
    damage: Callable[[Path], None], found: Conversions, path: Path, place: Path
) -> None:
    found(collatz_of(path))
    (entry,) = place.iterdir()
    damage(entry)
    assert not found(collatz_of(path))
    assert found(collatz_of(path))


def test_an_entry_for_other_code_is_not_used(found: Conversions, path: Path) -> None:
    """Whole, and under the right key: it has the code that it was made for."""
    function = collatz_of(path)
    lines = TEXT.splitlines(keepends=True)
    made_of = kept_conversions.parts(function, lines, Form.PLAIN, False)
    other = run_text(path.with_name("other.py"), TEXT.replace("3 *", "5 *")).collatz
    kept_conversions.keep(made_of, other, conversion.convert_code(function))
    assert not found(function)


def test_a_directory_that_cannot_be_written_is_no_error(
    found: Conversions, path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SHELF.variable, str(path / "inside"))
    assert [found(collatz_of(path)) for _ in range(2)] == [False, False]
    monkeypatch.setenv(SHELF.variable, "off")
    assert [found(collatz_of(path)) for _ in range(2)] == [False, False]
    assert not place.exists()


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import autograph
from autograph import kept_conversions
kept_conversions.IMPORTED = float("inf")
from sample import collatz
def once(n):
    return collatz(n) if n > 0 else 0
print(autograph.convert(once)(27), "gast" in sys.modules, autograph.to_code(once).count("ag."))
"""


def test_processes_share_what_they_keep(path: Path, place: Path) -> None:
    """Several at once, then one after the other; whatever their hashes are."""
    path.write_text(TEXT)
    program = path.with_name("program.py")
    program.write_text(PROGRAM.format(folder=str(path.parent)))

    def start(seed: int) -> subprocess.Popen[str]:
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        return subprocess.Popen(
            [sys.executable, str(program)], env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip

    def outcome(process: subprocess.Popen[str]) -> str:
        output, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
        return output

    first = [outcome(process) for process in [start(1), start(2), start(3)]]
    assert {output.split()[0] for output in first} == {"111"}
    kept = {entry.name for entry in place.iterdir()}
    assert len(kept) == 2
    later = [outcome(start(seed)) for seed in (4, 5)]
    assert later == ["111 False 2\n"] * 2
    assert {entry.name for entry in place.iterdir()} == kept
