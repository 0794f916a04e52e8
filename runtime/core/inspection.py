"""The parameters of functions, whatever they are annotated with and whatever they wrap."""

from __future__ import annotations

import functools
import inspect
import sys
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar

if sys.version_info >= (3, 14):
    from annotationlib import Format

    # A name in an annotation may be one that only type checkers know.
    _FORMAT: dict[str, Any] = {"annotation_format": Format.FORWARDREF}
else:
    _FORMAT: dict[str, Any] = {}

W = TypeVar("W")
_passing_on: set[CodeType | type] = {functools._lru_cache_wrapper, staticmethod}


def signature_of(function: Any) -> inspect.Signature:
    """The parameters that a call of it takes; from Python 3.14 on without computing annotations.

    A wrapper has its own: `inspect.signature` says for it what `functools.wraps` has noted, and it
    may add arguments, take some away, or have other defaults.
    """
    return inspect.signature(_bare(function), follow_wrapped=False, **_FORMAT)


def passes_on(wrapper: W) -> W:
    """Mark a wrapper, or a class of them, as passing on to its `__wrapped__` what it is given: it
    has the parameters of that.
    """
    _passing_on.add(_maker(wrapper))
    return wrapper


def taker_of(function: Any) -> Any:
    """The callable whose parameters a call of this one fills: itself, or the one that it passes
    them on to.
    """
    while _maker(function) in _passing_on:
        function = function.__wrapped__
    return function


def _bare(function: Any) -> Any:
    """Its taker, without the signature that somebody may have given it."""
    taker = taker_of(function)
    kind = type(taker)
    if type(kind.__call__) is FunctionType or type(kind.__call__) in _passing_on:
        taker = MethodType(kind.__call__, taker)
    if type(taker) is MethodType:
        return MethodType(_bare(taker.__func__), taker.__self__)
    # A partial that is given a signature is one of what it leaves open, as recursions make them.
    if type(taker) is functools.partial and "__signature__" not in vars(taker):
        return functools.partial(_bare(taker.func), *taker.args, **taker.keywords)
    if type(taker) is not FunctionType or "__signature__" not in vars(taker):
        return taker
    names = "__name__", "__defaults__", "__closure__"
    parts = [getattr(taker, name) for name in names]
    made = FunctionType(taker.__code__, taker.__globals__, *parts)
    made.__kwdefaults__ = taker.__kwdefaults__
    return made


def _maker(wrapper: Any) -> CodeType | type:
    """The code of a function, the class of another callable: one for all wrappers of a kind."""
    if isinstance(wrapper, FunctionType):
        return wrapper.__code__
    return wrapper if isinstance(wrapper, type) else type(wrapper)
