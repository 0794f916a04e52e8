"""The bank of cases in `fixtures/`: how a case is read, run and described, to compare two runs.

A case is one file. The function under test has the file's name (or is named by `ENTRY`,
"Class.method" for a method); `INPUTS` lists its arguments, a tuple or a dict for each call;
`RAISES` names the classes of the exceptions that they lead to; `LOG` collects what the case wants
seen of the order of events; `STAGED` names the parameters that become tensors when the case is
staged. Every run executes the file anew: nothing is shared.
"""

import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.versions import has

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
NOT_CONSTRUCTS = {"errors", "graphs", "notebooks", "stages"}
LONGEST_STREAM = 100

Namespace = dict[str, Any]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Variant = Callable[[types.FunctionType], Callable[..., Any]]


@dataclass(frozen=True)
class Case:
    """One file of the bank."""

    path: Path
    code: types.CodeType = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def golden(self) -> Path:
        return self.path.with_suffix(".golden.py")

    def fresh(self) -> Namespace:
        """The names of the file, executed anew."""
        module = types.ModuleType(f"fixtures_{self.path.parent.name}_{self.path.stem}")
        module.__file__ = str(self.path)
        exec(self.code, vars(module))
        return vars(module)

    @cached_property
    def settings(self) -> Namespace:
        return self.fresh()

    @property
    def entry(self) -> str:
        return str(self.settings.get("ENTRY", self.path.stem))

    @property
    def rows(self) -> range:
        return range(len(self.settings["INPUTS"]))

    @property
    def staged(self) -> list[str]:
        return str(self.settings.get("STAGED", "")).split()

    @property
    def sees_frames(self) -> bool:
        """Whether the case looks at the stack, where text alone shows functions of ours."""
        return bool(self.settings.get("SEES_FRAMES"))

    @property
    def raises(self) -> set[str]:
        return set(str(self.settings.get("RAISES", "")).split())

    def function(self, namespace: Namespace) -> Any:
        """The function under test, as a plain function even where it is a method."""
        first, *rest = self.entry.split(".")
        found = namespace[first]
        for name in rest:
            found = inspect.getattr_static(found, name)
        return found


@cache
def read_case(path: Path) -> Case:
    return Case(path, compile(path.read_text(encoding="utf-8"), str(path), "exec"))


@cache
def bank() -> tuple[Case, ...]:
    """Every case of every construct that this Python can read, in the order of their names."""
    return tuple(read_case(path) for path in paths_of_cases() if _is_for_this_python(path))


def paths_of_cases() -> list[Path]:
    """The files of all cases."""
    return [
        path
        for path in sorted(FIXTURES.glob("*/*.py"))
        if path.parent.name not in NOT_CONSTRUCTS and not path.name.endswith(".golden.py")
    ]


def _is_for_this_python(path: Path) -> bool:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    since = first.removeprefix("# From Python ").removesuffix(" on")
    return since == first or has(*map(int, since.split(".")))


def arguments(namespace: Namespace, row: int) -> Arguments:
    given = namespace["INPUTS"][row]
    return ((), given) if isinstance(given, dict) else (given, {})


class Outcome(NamedTuple):
    """All that one call lets an observer see, in values that compare by meaning."""

    result: Any
    log: Any
    arguments: Any
    names: Any


def observe(case: Case, row: int, variant: Variant) -> Outcome:
    """Run one row of a case on what `variant` makes of its function."""
    namespace = case.fresh()
    function = variant(case.function(namespace))
    args, kwargs = arguments(namespace, row)
    result = attempt(lambda: drained(function(*args, **kwargs)))
    return Outcome(
        result, describe(namespace.get("LOG")), describe([args, kwargs]), plain_names(namespace)
    )


def attempt(run: Callable[[], Any]) -> Any:
    """The described result, or the described exception."""
    try:
        return "returned", describe(run())
    except Exception as error:
        return "raised", describe(error)


def drained(result: Any) -> Any:
    """A generator or coroutine as the values that it gives and its return value."""
    if not isinstance(result, types.GeneratorType | types.CoroutineType):
        return result
    values: list[Any] = []
    while len(values) < LONGEST_STREAM:
        try:
            values.append(result.send(None))
        except StopIteration as stop:
            return values, stop.value
    return values


SETTINGS = {"INPUTS", "STAGED", "RAISES", "ENTRY", "LOG", "SEES_FRAMES"}


def plain_names(namespace: Namespace) -> Any:
    """The module's own values after the run: what the case did to its globals."""
    values = {
        name: value
        for name, value in namespace.items()
        if not name.startswith("__") and name not in SETTINGS
    }
    return describe(values)


def describe(value: Any) -> Any:
    """A value as nested tuples: types, exact numbers, contents, and what is the same object."""
    return Describer().describe(value)


PLAIN = (type(None), bool, int, float, complex, str, bytes, slice, type(...), range)
NAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


class Describer:
    """Walks one value; an object met again is named by the order in which it was met."""

    def __init__(self) -> None:
        self.met: dict[int, int] = {}
        self.alive: list[Any] = []

    def describe(self, value: Any) -> Any:
        if isinstance(value, PLAIN):
            return type(value).__name__, repr(value)
        if isinstance(value, NAMED):
            return "named", value.__qualname__
        if isinstance(value, types.ModuleType):
            return "module", value.__name__
        if id(value) in self.met:
            return "same as", self.met[id(value)]
        self.met[id(value)] = len(self.met)
        self.alive.append(value)
        return type(value).__qualname__, *self.parts(value)

    def parts(self, value: Any) -> Iterator[Any]:
        if isinstance(value, BaseException):
            yield str(value)
            yield self.describe(value.args)
        elif isinstance(value, Mapping):
            yield tuple((self.describe(k), self.describe(v)) for k, v in value.items())
        elif isinstance(value, set | frozenset):
            yield tuple(sorted(repr(self.describe(item)) for item in value))
        elif isinstance(value, Sequence):
            yield tuple(self.describe(item) for item in list.__iter__(list(value)))
        yield tuple((name, self.describe(item)) for name, item in attributes(value))


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes and slots, read past any `__getattr__` and property of the case's."""
    with suppress(AttributeError):
        yield from object.__getattribute__(value, "__dict__").items()
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    for name in slots:
        with suppress(AttributeError):
            yield name, object.__getattribute__(value, name)


class Place(NamedTuple):
    """Where an exception came from: file and line of the innermost frame."""

    filename: str
    line: int


def where_raised(case: Case, row: int, variant: Variant) -> list[Place]:
    """The frames of the exception that a row leads to, outermost first, without this file's own."""
    namespace = case.fresh()
    function = variant(case.function(namespace))
    args, kwargs = arguments(namespace, row)
    try:
        drained(function(*args, **kwargs))
    except Exception as error:
        return list(places(error))
    return []


def places(error: BaseException) -> Iterator[Place]:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            yield Place(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next


def executed_lines(case: Case) -> set[int]:
    """The lines of the case that its inputs reach in the original function."""
    reached: set[int] = set()

    def trace(frame: types.FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != str(case.path):
            return None
        if event == "line":
            reached.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    try:
        for row in case.rows:
            sys.settrace(trace)
            observe(case, row, lambda function: function)
            sys.settrace(before)
    finally:
        sys.settrace(before)
    return reached


def lines_of_functions(code: types.CodeType, inside: bool = False) -> Iterator[int]:
    """The lines that hold code in the functions of a file."""
    if inside:
        yield from (line for _, _, line in code.co_lines() if line and line != code.co_firstlineno)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from lines_of_functions(constant, inside or bool(constant.co_flags & 1))


@dataclass(frozen=True)
class BadInput:
    """A file of `fixtures/errors`: what it does wrong, and what must be said about it.

    Either `trigger()` does it, or the function with the file's name, staged on `INPUTS`. `ERROR` is
    the class, by name; `SAYS` lists parts of the message; `LINE` is on the line that it must name,
    or None, where there is none in the file.
    """

    path: Path
    names: Namespace = field(repr=False, compare=False)

    @property
    def expected_place(self) -> str | None:
        start = self.names["LINE"]
        if start is None:
            return None
        lines = self.path.read_text(encoding="utf-8").splitlines()
        numbers = [n for n, line in enumerate(lines, 1) if start in line and "LINE =" not in line]
        assert len(numbers) == 1, f"{start!r} is on {len(numbers)} lines of {self.path}"
        return f"{self.path}:{numbers[0]}"


def bad_inputs() -> list[BadInput]:
    """Every file of `fixtures/errors`."""
    paths = sorted((FIXTURES / "errors").glob("*.py"))
    return [BadInput(path, read_case(path).fresh()) for path in paths]
