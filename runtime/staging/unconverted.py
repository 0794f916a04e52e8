"""The reasons for which Python's own control flow runs in code of the user's, and the ways out."""

from __future__ import annotations

import inspect
from types import CodeType, FrameType

from autograph import converted_code, why_not_converted
from autograph.policy import is_standard_file
from runtime.core.state import state
from runtime.staging import frames

Reason = tuple[str, str]
"""Why it does, and the way out."""

_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def reason_of(frame: FrameType) -> Reason | None:
    """Returns why Python's own control flow runs in code of the user's, and the way out."""
    code = frame.f_code
    library = None if code.co_flags & _SUSPENDS else frames.asked_by(frame)
    if library is not None:
        return _called_by_library(frame, library)
    if code.co_flags & inspect.CO_GENERATOR:
        return _taken_by_python(code)
    if converted_code(code) or code.co_flags & _SUSPENDS:
        return (
            f"Python itself asks here, in {code.co_name}",
            "write a `for`, `while` or `if` of its own for it, outside of comprehensions, `match`, "
            "callbacks, exits in a `finally`, and what holds an `await`; or use an op",
        )
    why = why_not_converted(code)
    if why is None:
        return _called_by_python(code)
    return f"{code.co_name} was not converted because {why}", _converting(frame, why)


def _converting(frame: FrameType, why: str) -> str:
    if not why.endswith("an installed package"):
        return "let it be converted, or do without"
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return f'let it be converted: autograph.convert_package("{package}")'


def _taken_by_python(code: CodeType) -> Reason:
    why = why_not_converted(code)
    if code.co_name == "<genexpr>":
        return (
            "Python itself takes the elements of a generator expression here",
            "take them in a `for`, or make a list of them by a comprehension",
        )
    if why is None:
        called = "x" if code.co_name == "__iter__" else f"{code.co_name}(...)"
        return (
            f"Python itself takes the elements of the generator {code.co_name} here",
            f"take them in a `for`, or make a list of them: list({called})",
        )
    return (
        f"Python itself runs the generator {code.co_name}, because {why}",
        "let each `yield` be a statement in no `with`, and in no `try` but those that have a "
        "`finally` alone, or return a list of the elements",
    )


def _called_by_library(frame: FrameType, library: FrameType) -> Reason | None:
    trace = state.trace
    if trace is None or trace.converter is None:
        return None
    name = f"{library.f_globals.get('__name__', 'Python')}.{library.f_code.co_name}"
    if not is_standard_file(library.f_code.co_filename):
        kind = type(library.f_locals.get("self")).__qualname__
        if not converted_code(frame.f_code):  # it calls a method of the user's: `__post_init__`
            return _called_by_python(frame.f_code)
        name = f"{kind}.{library.f_code.co_name}, the method that a decorator wrote"
        return f"{name}, asks for it", "compare the fields one by one, or write the method yourself"
    if converted_code(frame.f_code):
        return f"{name}, which runs here, asks for it", "write what it does yourself, or use an op"
    function = frame.f_code.co_name
    return (
        f"{function} is not converted, for {name} calls it",
        f"put @autograph.convert on {function}, or call it yourself",
    )


def _called_by_python(code: CodeType) -> Reason | None:
    trace = state.trace
    owner, _, name = code.co_qualname.rpartition(".")
    if trace is None or trace.converter is None or not owner or owner.endswith("<locals>"):
        return None
    kind = "operator" if name.startswith("__") else "property or method"
    return (
        f"the {kind} {code.co_qualname} is not converted, for Python itself calls it",
        f"put @autograph.convert on the class {owner.rpartition('.')[2]}",
    )
