"""Pure functions: those that give the same for the same arguments, and change nothing else."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from weakref import ref

from autograph.codes import assigns_outside
from autograph.mutation.functions import names_in
from autograph.mutation.users_code import is_users_function
from autograph.mutation.variables import value_of
from autograph.objects import MISSING

_MODULES = frozenset((
    "bisect", "cmath", "collections", "fractions", "functools", "heapq", "itertools", "math",
    "operator", "re", "string", "typing",
))  # fmt: skip
_IMPURE = frozenset((
    "__build_class__", "__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec",
    "exit", "globals", "hash", "help", "id", "input", "license", "locals", "memoryview", "open",
    "print", "quit", "setattr", "vars",
))  # fmt: skip
CACHED = type(functools.cache(len))

# What `functools` writes into a cached function.
_OF_CACHES = frozenset((*functools.WRAPPER_ASSIGNMENTS, "__wrapped__", "cache_parameters"))
# What Python writes into each class.
_OF_CLASSES = frozenset((
    "__dict__", "__doc__", "__firstlineno__", "__module__", "__qualname__",
    "__static_attributes__", "__weakref__",
))  # fmt: skip
_CONSTANTS = frozenset((bool, int, float, complex, str, bytes, range, type(None), type(...)))


def constants_of(function: Any) -> list[Any] | None:
    """The constants and functions by which a pure function of the user's, or a cached one, is what
    it is; None for another one, or one of which it is not known.

    The result of a pure function depends on them and on its arguments alone, of which it changes
    none that is a number, a text or a tuple of them.

    >>> limit = 5
    >>> 5 in constants_of(lambda n: n < limit), constants_of(lambda n: print(n))
    (True, None)
    """
    found: list[Any] = []
    return found if _is_pure(function, found, set()) else None


def _is_pure(function: Any, found: list[Any], known: set[int]) -> bool:
    """`known` are those that are being looked at, by identity."""
    if id(function) in known:
        return True
    known.add(id(function))
    if type(function) is CACHED:
        own = [held for name, held in vars(function).items() if name not in _OF_CACHES]
        return all(_is_steady(held, found, known) for held in (function.__wrapped__, *own))
    if not (isinstance(function, FunctionType) and is_users_function(function)):
        return False
    found.append(ref(function))
    if assigns_outside(function.__code__):
        return False
    return all(_is_steady(held, found, known) for held in _reached(function))


def _reached(function: FunctionType) -> Iterator[Any]:
    """Yields what its names mean, of globals and builtins, and what it captures and holds."""
    for cell in function.__closure__ or ():
        yield value_of(cell)
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    for name in names_in(function.__code__):
        held = function.__globals__.get(name, MISSING)
        if held is not MISSING:
            yield held
        elif name in _IMPURE:
            yield getattr(builtins, name)


def _is_steady(held: Any, found: list[Any], known: set[int]) -> bool:
    """Whether an object that a function reaches is the same at all times, and acts on nothing."""
    kind = type(held)
    if kind in _CONSTANTS:
        found.append(held)
        return True
    if kind in (tuple, frozenset):
        return all(_is_steady(item, found, known) for item in held)
    if kind is ModuleType:
        return held.__name__ in _MODULES
    if kind is BuiltinFunctionType:
        return str(held.__module__).lstrip("_") in _MODULES
    if isinstance(held, type):
        return held.__module__ in _MODULES or _is_plain_exception(held)
    return _is_pure(held, found, known)


def _is_plain_exception(kind: type) -> bool:
    """Whether a class is an exception of Python's but for its name."""
    return issubclass(kind, BaseException) and all(
        base.__module__ == "builtins" or vars(base).keys() <= _OF_CLASSES for base in kind.__mro__
    )
