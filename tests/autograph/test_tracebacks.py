"""What the user sees of a converted function: tracebacks, pdb, coverage, trace functions."""

import os
import re
import subprocess
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograph
from autograph import call, convert
from tests.autograph.files import import_text
from tests.support.staging import attempt

ROOT = Path(__file__).parents[2]


def run(folder: Path, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Python on a script in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("AUTOGRAPH_FULL_TRACEBACK", None)
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text).lstrip())
    return path


FAILING = """
    import autograph

    def inner(x, limit):
        total = 0
        for i in range(x):
            if i > limit:
                total = total + [1, 2][i]
        return total

    class Middle:
        def run(self, x):
            while x > 0:
                x = inner(x, 1) + 1
                if x and not (x < 0 or x is None):
                    x = x - 1
            return x

    @autograph.convert
    def outer(x):
        y = Middle().run(x) if x else 0
        return y

    outer(3)
"""


def entries(text: str) -> list[str]:
    """The entries of a printed traceback: file, line, function, source and carets."""
    return [entry.rstrip() for entry in re.split(r"(?m)^(?=  File )", text)[1:]]


def test_an_error_two_calls_deep_prints_the_users_lines_only(tmp_path: Path) -> None:
    path = script(tmp_path, "converted.py", FAILING)
    plain = script(tmp_path, "plain.py", FAILING.replace("@autograph.convert", ""))
    got, expected = run(tmp_path, str(path)).stderr, run(tmp_path, str(plain)).stderr
    assert {re.findall('File "(.*)"', entry)[0] for entry in entries(got)} == {str(path)}
    # Blocks run in frames of their own; that is seen of the outermost function alone.
    module, outer, *inner = entries(got)
    assert "line 20, in outer" in outer
    assert [module, *inner] == [e.replace(str(plain), str(path)) for e in entries(expected)]
    assert "~~~~~~^^^" in entries(got)[-1]
    assert got.splitlines()[-1] == "IndexError: list index out of range"


def test_complete_tracebacks_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = script(tmp_path, "converted.py", FAILING)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRAPH_FULL_TRACEBACK": "1"}
    shown = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True, timeout=60
    )
    assert "while_loop.py" in shown.stderr


LOOP = """
    import autograph

    @autograph.convert
    def f(n):
        total = 0
        for i in range(n):
            if i % 2:
                total = total + i
            elif i > 100:
                total = -1
        return total

    print("result", f(4))
"""


def test_a_breakpoint_in_a_converted_loop_is_hit(tmp_path: Path) -> None:
    path = script(tmp_path, "script.py", LOOP)
    commands = "b 8\nc\np ('seen', total, i)\nc\np ('seen', total, i)\nc\nq\n"
    shown = run(tmp_path, "-m", "pdb", str(path), stdin=commands).stdout
    assert re.findall(r"\('seen'.*\)", shown) == ["('seen', 0, 1)", "('seen', 1, 3)"]
    assert "result 4" in shown
    assert shown.count(f"{path}(8)f()") == 2


ENDING = """
    import autograph

    @autograph.convert
    def f(n):
        total = 0
        for i in range(n):
            total = total + i
        while total > 2:
            total = total - 2
        for i in range(n):
            if i > 1:
                break
            total = total + 1
        return total

    print("result", f(4))
"""


def test_stepping_over_the_end_of_a_loop_stays_in_the_users_code(tmp_path: Path) -> None:
    path = script(tmp_path, "script.py", ENDING)
    for line, rounds in ((7, 4), (9, 2), (12, 1)):
        commands = f"b {line}\n" + rounds * "c\n" + 24 * "n\n" + "q\n"
        shown = run(tmp_path, "-m", "pdb", str(path), stdin=commands).stdout
        assert "result 4" in shown
        places = re.findall(r"^> (.*)\(\d+\)", shown.partition("result")[0], flags=re.MULTILINE)
        # From 3.13 on, the debugger stops where what ended was called, whoever's frame that is.
        in_ours = {place for place in places if "autograph/operators/" in place}
        assert set(places) - in_ours == {str(path)}
        assert not in_ours or sys.version_info >= (3, 13)


def test_a_breakpoint_function_call_stops_at_the_users_line(tmp_path: Path) -> None:
    text = LOOP.replace("total = total + i", "breakpoint(); total = total + i")
    path = script(tmp_path, "script.py", text)
    shown = run(tmp_path, str(path), stdin="p ('seen', i)\nc\nc\n").stdout
    assert "('seen', 1)" in shown
    assert f"{path}(8)f()" in shown


def test_coverage_counts_the_users_lines(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    path = script(tmp_path, "script.py", LOOP)
    plain = script(tmp_path, "plain.py", LOOP.replace("@autograph.convert", "#"))
    script(tmp_path, "settings", "[run]\nbranch = false\n")
    reports = []
    for each in (path, plain):
        command = ("-m", "coverage", "run", "--rcfile=settings", f"--include={each}", str(each))
        assert run(tmp_path, *command).returncode == 0
        report = run(tmp_path, "-m", "coverage", "report", "-m", "--rcfile=settings").stdout
        reports.append(next(line for line in report.splitlines() if each.name in line))
    got, expected = reports
    assert got.split()[-1] == expected.split()[-1] == "10"


WARNING = """
    import warnings

    def old(level, name=None):
        if name is None:
            warnings.warn("no name", DeprecationWarning, stacklevel=level)
        for _ in range(1):
            while level:
                warnings.warn("in a loop", stacklevel=level)
                break
        if level == 1:
            old(level + 1, "again")

    def between(level):
        def inner():
            if level:
                old(level)
        return [inner() for _ in range(1)]

    def outermost(level):
        if level:
            between(level)
"""


@pytest.mark.parametrize("level", [-1, 1, 2, 3, 4])
def test_a_warning_is_of_the_line_that_its_level_means(level: int, tmp_path: Path) -> None:
    module = import_text(tmp_path / "warning.py", textwrap.dedent(WARNING).lstrip())
    found = []
    for function in (module.outermost, convert(module.outermost)):
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            function(level)
        found.append([(each.filename, each.lineno, str(each.message)) for each in met])
    assert found[0] == found[1] != []


@pytest.mark.parametrize("level", [1, 1.5])
def test_a_warning_that_is_raised_is_so_by_its_line(level: Any, tmp_path: Path) -> None:
    module = import_text(tmp_path / "warning.py", textwrap.dedent(WARNING).lstrip())
    found = []
    for function in (module.old, convert(module.old)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            error = attempt(lambda f=function: f(level))
        found.append((type(error), str(error), traceback.extract_tb(error.__traceback__)[-1][:3]))
    assert found[0] == found[1]


def traced_lines(function: Callable[..., Any], *args: Any) -> list[int]:
    """The lines of this file that a trace function sees, from the first of the function."""
    lines: list[int] = []
    first = function.__code__.co_firstlineno

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != __file__:
            return None
        if event == "line" and frame.f_code is not traced_lines.__code__:
            lines.append(frame.f_lineno - first)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*args)
    finally:
        sys.settrace(before)
    return lines


def steps(n: int) -> int:
    total = 0
    while n > 0:
        n = n - 1
        if n % 2:  # noqa: SIM108
            total = total + n
        else:
            total = total - 1
    return total


def test_a_trace_function_sees_the_users_lines() -> None:
    bodies = [5, 7, 3, 8, 1]
    expected = [line for line in traced_lines(steps, 3) if line in bodies]
    got = [line for line in traced_lines(convert(steps), 3) if line in bodies]
    assert got == expected


# Exceptions that pass through operators


class Interrupted:
    """Raises where its truth is asked."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __bool__(self) -> bool:
        raise self.error


def through_if(fail: Any) -> Any:
    if fail:
        return 1
    return 2


def through_while(fail: Any) -> Any:
    n = 0
    while fail:
        n = n + 1
    return n


def through_for(fail: Any) -> Any:
    total = 0
    for _ in [1]:
        total = total + bool(fail)
    return total


def through_stop(fail: Any) -> Any:
    for _ in range(3):
        if fail:
            break
    return 1


def through_and(fail: Any) -> Any:
    return fail and 1


def through_or(fail: Any) -> Any:
    return 0 or (fail or 2)


def through_not(fail: Any) -> Any:
    return not fail


def through_comparison(fail: Any) -> Any:
    return 1 < 2 < len([bool(fail)])


def through_assert(fail: Any) -> Any:
    assert fail, "message"


def through_item(fail: Any) -> Any:
    xs = [0]
    xs[bool(fail)] = 1
    return xs


def through_update(fail: Any) -> Any:
    xs = [0]
    xs[0] += bool(fail)
    return xs


def through_builtin(fail: Any) -> Any:
    return any([fail])


def through_key(fail: Any) -> Any:
    return max([1, 2], key=lambda x: bool(fail))


class Constructed:
    def __init__(self, fail: Any) -> None:
        self.x = 1 if fail else 2


def through_constructor(fail: Any) -> Any:
    return Constructed(fail)


def through_nest(fail: Any) -> Any:
    while True:
        for _ in range(2):
            if 1:
                x = 1 if (fail and 1) else 2
        if x:
            break
    return x


THROUGH = [value for name, value in list(globals().items()) if name.startswith("through_")]
ERRORS = [KeyError("k"), StopIteration(3), KeyboardInterrupt(), SystemExit(2), GeneratorExit()]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("function", THROUGH, ids=lambda function: function.__name__)
def test_only_the_users_frames_remain(function: Any, error: BaseException) -> None:
    with pytest.raises(type(error)) as raised:
        convert(function)(Interrupted(error))
    assert raised.value is error
    assert {str(entry.path) for entry in raised.traceback} == {__file__}
    assert raised.traceback[-1].name == "__bool__"
    assert (error.__cause__, error.__context__) == (None, None)


def chained(x: Any) -> Any:
    try:
        return {}[x]
    except KeyError as error:
        if x:
            raise ValueError("chained") from error
        raise TypeError("in context")  # noqa: B904


def reraised(x: Any) -> Any:
    try:
        if x:
            return [][x]
        return {}[x]
    except LookupError:
        if x:
            raise
        raise


@pytest.mark.parametrize("function", [chained, reraised])
@pytest.mark.parametrize("x", [0, 1])
def test_causes_and_contexts_are_pythons(function: Any, x: int) -> None:
    described = []
    for each in (function, convert(function)):
        with pytest.raises(Exception) as raised:  # noqa: PT011  # compared below
            each(x)
        error: Any = raised.value
        described.append(
            (
                repr(error),
                repr(error.__cause__),
                repr(error.__context__),
                error.__suppress_context__,
                raised.traceback[-1].lineno,
            )
        )
    assert described[0] == described[1]


def test_a_refused_function_is_blamed_on_the_users_call(tmp_path: Path) -> None:
    def refuses(x: Any) -> Any:
        if x:
            return locals()
        return x

    def f(x: Any) -> Any:
        return refuses(x)

    with pytest.raises(autograph.ConversionError) as refused:
        convert(f)(1)
    assert {str(entry.path) for entry in refused.traceback} == {__file__}
    assert (refused.value.filename, refused.value.variable) == (__file__, "locals")


def test_a_failing_assert_ends_at_its_line() -> None:
    def checked(x: int) -> None:
        assert x > 1, f"x is {x}"

    with pytest.raises(AssertionError, match="x is 1") as raised:
        call(checked)(1)
    assert raised.traceback[-1].name == "checked"
