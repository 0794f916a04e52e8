"""Coverage of converted code: lines and branches are those of the source."""

import copy
import json
import re
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import autograph
from tests.support.harness import attempt
from tests.support.programs import write
from tests.support.programs_choices import Seeded
from tests.support.programs_dialects import EXITS, PLAIN, Dialect
from tests.test_programs import observed

coverage = pytest.importorskip("coverage")

Convert = Callable[[Any], Any]
Report = dict[str, Any]


def covered(path: Path, convert: Convert, use: Callable[[types.CodeType, Convert], Any]) -> Report:
    """What coverage says of a file whose code is used, and what the use gave."""
    measured = coverage.Coverage(
        data_file=None, branch=True, include=[str(path)], config_file=False, messages=False
    )
    code = compile(path.read_text(), str(path), "exec")
    measured.start()
    try:
        outcome = use(code, convert)
    finally:
        measured.stop()
    report = path.with_suffix(".json")
    measured.json_report(outfile=str(report))
    (of_file,) = json.loads(report.read_text())["files"].values()
    kinds = ("executed_lines", "missing_lines", "executed_branches", "missing_branches")
    return {kind: sorted(of_file[kind]) for kind in kinds} | {"outcome": outcome}


def compare(path: Path, text: str, use: Callable[[types.CodeType, Convert], Any]) -> None:
    path.write_text(text)
    expected = covered(path, lambda function: function, use)
    got = covered(path, autograph.convert, use)
    assert got == expected, text


TABLE: dict[str, tuple[str, Sequence[Sequence[tuple[Any, ...]]]]] = {
    "if, elif, else": (
        """
        def f(x):
            if x > 5:
                y = 1
            elif x > 3:
                y = 2
            else:
                y = 3
            if x > 6:
                y = y + 1
            return y
        """,
        [[(7,)], [(6,), (4,)], [(7,), (4,), (1,)]],
    ),
    "the last statement": (
        """
        def f(x, log):
            if x > 5:
                if x > 6:
                    log.append(x)
        """,
        [[(7, [])], [(6, [])], [(1, [])], [(1, []), (6, []), (7, [])]],
    ),
    "loops": (
        """
        def f(n, stop, skip):
            total = 0
            for i in range(n):
                if i == skip:
                    continue
                if i == stop:
                    break
                total += i
            else:
                total = -total
            while total > 2:
                total -= 2
                if total == 5:
                    break
                if total == 6:
                    pass
            return total
        """,
        [[(5, 3, 9)], [(5, 9, 1)], [(0, 0, 0)], [(5, 9, 1), (5, 3, 9), (6, 9, 9)]],
    ),
    "a loop at the end": (
        """
        def f(n):
            for i in range(n):
                if i == 3:
                    return i
        """,
        [[(2,)], [(9,)], [(2,), (9,)], [(0,)]],
    ),
    "loops in loops": (
        """
        def f(n, m):
            found = 0
            i = 0
            while i < n:
                i += 1
                for j in range(m):
                    if i * j == 6:
                        found += 1
                        break
                    if j > i:
                        continue
                    found += 2
            return found
        """,
        [[(1, 1)], [(4, 8)], [(3, 0)], [(0, 0)]],
    ),
    "early returns": (
        """
        def f(x):
            if x < 0:
                return -1
            if x == 0:
                return 0
            for i in range(x):
                if i == 5:
                    return 5
            if x > 2:
                x = 2
            return x
        """,
        [[(-1,)], [(0,), (3,)], [(9,), (1,)], [(-1,), (0,), (9,), (3,), (1,)]],
    ),
    "try": (
        """
        def f(x):
            y = 0
            try:
                y = 6 // x
                if y > 2:
                    y = 2
            except ZeroDivisionError:
                if y == 0:
                    y = 9
            else:
                if y == 1:
                    return y
            finally:
                if y > 5:
                    y = 5
            return y
        """,
        [[(0,)], [(3,)], [(6,), (1,)], [(0,), (6,), (2,), (1,)]],
    ),
    "an exception out of a branch": (
        """
        def f(x, log):
            try:
                if x:
                    raise ValueError(x)
            finally:
                log.append(x)
            return x
        """,
        [[(1, [])], [(0, [])], [(0, []), (1, [])]],
    ),
    "what follows an exit": (
        """
        def f(x, xs):
            for y in xs:
                match x:
                    case 1:
                        break
                    case 2:
                        y = 3
                if y > 2:
                    x = x + y
            return x
        """,
        [[(1, [1])], [(2, [1, 2])], [(3, [1, 5])]],
    ),
    "with": (
        """
        from contextlib import nullcontext

        def f(x):
            with nullcontext():
                if x > 1:
                    x = 1
            for i in range(x):
                with nullcontext():
                    if i == 0:
                        x += 1
            return x
        """,
        [[(0,)], [(1,)], [(2,)], [(0,), (2,)]],
    ),
    "ternaries, and tests on several lines": (
        """
        def f(x, y):
            z = (
                x
                if x > y
                else y
            )
            if (
                x > 1
                and y > 1
            ):
                z = 0
            return z
        """,
        [[(1, 2)], [(3, 2)], [(3, 2), (0, 0)]],
    ),
    "functions in functions": (
        """
        def f(x):
            def inner(y):
                if y > 2:
                    return 2
                while y < 2:
                    y += 1

            def numbers(n):
                for i in range(n):
                    if i % 2:
                        yield i

            return inner(x), list(numbers(x)), [inner(y) for y in (0, x)]
        """,
        [[(0,)], [(3,)], [(1,), (4,)]],
    ),
    "one line": (
        """
        def f(x):
            if x > 1: x = 1
            for i in range(x): x += i
            return x
        """,
        [[(0,)], [(2,)], [(2,), (0,)]],
    ),
    "exits on one line": (
        """
        from contextlib import nullcontext

        def f(k):
            if k == 1: return 1
            if k == 2: raise ValueError(k)
            for i in range(3):
                if i == 1: continue
                with nullcontext():
                    if i > k: break
                    if k == 5: return 5
                try:
                    if k == 6: return 6
                    if k == 7: raise KeyError(k)
                    k += 1
                except KeyError:
                    if i == 0: continue
                else:
                    if k == 9: k -= 4; break
                finally:
                    if k == 8: k += 2
            else: k = 3
            while k > 3: k -= 1
            if k == 3: k += 4
        """,
        [[(k,) for k in some] for some in ((-1, 3), (4, 5), (6, 8), (7,), (1, 9), range(3, 11))],
    ),
    "cases": (
        """
        def f(k):
            for i in range(2):
                match k, i:
                    case 1, 0: k = 2
                    case 2, z: return z
                    case (z, 3) | (z, 0): k = z - 1; continue
                    case 3, _:
                        break
                    case z if i: k = 3
            match k:
                case 1: return 5
                case 2 | 3 if i == 1: k = 7
                case z: k = -k
            return k
        """,
        [[(1,)], [(2,)], [(3,)], [(4,), (5,)], [(k,) for k in range(-1, 6)]],
    ),
    "many lines": (
        f"""
        def f(x):
            if x > 5:
                x = 1
            if x > 3:
                x += 1{(chr(10) + " " * 16 + "x += 1") * 300}
            return x
        """,
        [[(1,)], [(6,)], [(1,), (4,)]],
    ),
}
CASES = [
    pytest.param(textwrap.dedent(text), calls, id=f"{name}, {number}")
    for name, (text, rows) in TABLE.items()
    for number, calls in enumerate(rows)
]


@pytest.mark.parametrize(("text", "calls"), CASES)
def test_is_that_of_the_source(text: str, calls: Sequence[tuple[Any, ...]], tmp_path: Path) -> None:
    def use(code: types.CodeType, convert: Convert) -> list[Any]:
        names: dict[str, Any] = {"__name__": "program"}
        exec(code, names)
        function = convert(names["f"])
        own = copy.deepcopy(calls)
        return [repr(attempt(lambda args=args: function(*args))) for args in own]

    compare(tmp_path / "program.py", text, use)


class Measured:
    """A program as `observed` asks for it."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code

    def fresh(self) -> dict[str, Any]:
        module = types.ModuleType("program")
        exec(self.code, vars(module))
        return vars(module)


def random_programs() -> Iterator[Any]:
    # An exception out of a block at the end of a `with` or in a `finally`: see docs/limits.md.
    for dialect, name, seeds in ((EXITS, "exits", range(40)), (PLAIN, "plain", range(12))):
        for seed in seeds:
            if not {"with", "finally:"} & set(write(Seeded(seed), dialect).text.split()):
                yield pytest.param(dialect, seed, id=f"{name}, {seed}")


@pytest.mark.parametrize(("dialect", "seed"), [*random_programs()])
def test_of_random_programs(
    dialect: Dialect, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # From 3.14 on it asks Python for jumps, and counts the line behind a statement with an `and`
    # as reached where that statement raises.
    monkeypatch.setenv("COVERAGE_CORE", "ctrace")
    program = write(Seeded(seed), dialect)

    def use(code: types.CodeType, convert: Convert) -> list[str]:
        return [repr(outcome) for outcome in observed(Measured(code), program, convert)]

    for text in (program.text, in_fewer_lines(program.text)):
        compare(tmp_path / "program.py", text, use)


def in_fewer_lines(text: str) -> str:
    """The program with blocks of one simple statement on the lines of their headers."""
    lines = text.splitlines()
    depths = [len(line) - len(line.lstrip()) for line in (*lines, "")]
    made: list[str] = []
    for at, line in enumerate(lines):
        alone = at > 0 and depths[at - 1] < depths[at] > depths[at + 1]
        if alone and not line.endswith(":") and re.match(r" *(if|elif|else|for|while)", made[-1]):
            made[-1] += line[depths[at] - 1 :]
        else:
            made.append(line)
    return "\n".join(made) + "\n"


STAGED = """
def f(x):
    if x > 1:
        x = x + 1
    while x < 9:
        x = x * 2
        if x == 7:
            break
    return x
"""


def test_both_paths_of_a_staged_test_count(tmp_path: Path) -> None:
    import runtime as rt

    path = tmp_path / "program.py"
    path.write_text(STAGED)

    def use(code: types.CodeType, convert: Convert) -> list[int]:
        names: dict[str, Any] = {"__name__": "program"}
        exec(code, names)
        staged = rt.function(names["f"])
        return [int(staged(rt.constant(value))) for value in (1, 5, 7)]

    report = covered(path, autograph.convert, use)
    assert report["outcome"] == [16, 12, 16]
    assert report["missing_lines"] == report["missing_branches"] == []
