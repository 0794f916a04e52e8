"""Running a function staged, on tensors, and comparing with what Python computes."""

import contextlib
import dataclasses
import io
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

import runtime as rt
from runtime.functions.polymorphic_function import Function

# Tensors made from Python floats are float32.
RELATIVE, ABSOLUTE = 1e-6, 1e-9


def as_tensor(value: Any) -> Any:
    return rt.constant(value)


def as_python(value: Any) -> Any:
    """Tensors, also inside containers, as Python's own numbers and lists; a dataclass by fields."""
    if hasattr(value, "numpy"):
        array = value.numpy()
        if isinstance(array, bytes):  # a text that a function returns
            return array.decode()
        return array.tolist() if hasattr(array, "tolist") else array
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(as_python, value))
    if isinstance(value, list | tuple):
        return type(value)(map(as_python, value))
    if isinstance(value, Mapping):
        return {key: as_python(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value).__name__, as_python(fields)
    return value


_DTYPES: dict[type, Any] = {int: rt.int64, float: rt.float64, bool: rt.bool}


def of_tensors(value: Any, known: dict[int, Any] | None = None) -> Any:
    """Lists, tuples and dicts with tensors in place of numbers; what is one list stays one."""
    known = {} if known is None else known
    if type(value) is list:
        if id(value) not in known:
            known[id(value)] = []
            known[id(value)] += [of_tensors(item, known) for item in value]
        return known[id(value)]
    if type(value) is tuple:
        return tuple([of_tensors(item, known) for item in value])
    if type(value) is dict:
        return {key: of_tensors(item, known) for key, item in value.items()}
    return rt.constant(value, _DTYPES[type(value)]) if type(value) in _DTYPES else value


def lists_in(value: Any, known: dict[int, int] | None = None) -> Any:
    """The lists in a value, as numbers: one that is there again has the same."""
    known = {} if known is None else known
    if type(value) is list:
        return known.setdefault(id(value), len(known)), [lists_in(item, known) for item in value]
    items = value.values() if type(value) is dict else value
    return [lists_in(item, known) for item in items] if type(value) in (tuple, dict) else None


def equal(expected: Any, got: Any, relative: float = RELATIVE) -> bool:
    """Whether two results mean the same: numbers by value, sequences by their elements."""
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        same_nan = expected != expected and got != got
        return same_nan or math.isclose(expected, got, rel_tol=relative, abs_tol=ABSOLUTE)
    if isinstance(expected, list | tuple) and isinstance(got, list | tuple):
        pairs = zip(expected, got, strict=False)
        return len(expected) == len(got) and all(equal(*pair, relative) for pair in pairs)
    return bool(type(expected) is type(got) and expected == got)


def attempt(run: Callable[[], Any]) -> Any:
    """The result in Python's own values, or the exception."""
    try:
        return as_python(run())
    except Exception as error:
        return error


def printed_outcome(run: Callable[[], Any]) -> tuple[Any, str]:
    """The result, or the exception, and what was printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, np.errstate(all="ignore"):
        try:
            result = run()
        except Exception as error:
            result = error
    return result, printed.getvalue()


def same_outcome(expected: Any, got: Any, relative: float = RELATIVE) -> bool:
    """Whether a staged outcome is Python's: an equal value, or an exception that says the same."""
    if isinstance(expected, Exception):
        return isinstance(got, type(expected)) and str(expected) in str(got)
    return not isinstance(got, Exception) and equal(expected, got, relative)


def assert_as_in_python(function: Callable[..., Any], *calls: Any, dtype: Any = None) -> Function:
    """Assert that a function gives staged, of tensors, what it gives as Python runs it: for each of
    these arguments, of which a tuple has several. Returns the staged function.
    """
    staged = rt.function(function)
    for call in calls:
        args = call if isinstance(call, tuple) else (call,)
        expected = attempt(partial(function, *args))
        got = attempt(partial(staged, *[rt.constant(arg, dtype) for arg in args]))
        assert same_outcome(expected, got), (call, expected, got)
    return staged


def staged_arguments(names: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name; those in `names` become tensors."""
    return {name: as_tensor(value) if name in names else value for name, value in values.items()}


def traces(staged: Function) -> int:
    """How many traces a function has made."""
    return staged.experimental_get_tracing_count()
