"""Functions under `functools.cache` and `lru_cache`: what they remember is a dict of the graph, so
that staged values may be their arguments, and a staged value may decide which calls there are.

One from before the trace has remembered what other calls gave. Of a pure function nobody can tell,
so that it remembers anew; another one takes no staged values.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, TypeAlias

import autograph
from autograph.library_code import converted
from autograph.mutation.functions import memories
from autograph.mutation.purity import CACHED
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.staging.block_recorder import as_from_before, look_at
from runtime.staging.control.choices import Choice
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.truths import Truth
from runtime.staging.lists.eager_caches import cache_of
from runtime.staging.lists.growing_dict import GrowingDict
from runtime.staging.lists.keys import is_staged
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, outermost
from runtime.staging.symbolic_number import is_number
from runtime.staging.texts import Text
from runtime.staging.tracing import Trace

Function: TypeAlias = Callable[..., Any]


@converted
def _remembering() -> Function:
    def remembering(function: Function, known: Any) -> Function:
        def remembered(*args: Any) -> Any:
            key = args[0] if len(args) == 1 else args
            if key in known:
                return known[key]
            result = function(*args)
            known[key] = result
            return result

        return remembered

    return remembering


def cached_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function that `functools.cache` or `lru_cache` has made, for its
    `cache_clear` and `cache_info`, and for the decorator that makes one; None for any other.
    """
    if function is functools.cache or getattr(function, "__code__", None) is _DECORATING:
        return functools.partial(_decorated, function)
    owner = getattr(function, "__self__", None)
    if type(owner) is CACHED:
        return _about(owner, function.__name__)
    if type(function) is MethodType:
        is_known = type(function.__func__) is CACHED and outermost().existed(function.__func__)
        return _watched(function) if is_known else None
    if type(function) is not CACHED:
        return None
    if outermost().existed(function):
        return _watched(function) if cache_of(function) is None else _anew(function)
    return _remembered(function) if _keeps_all(function) else None


_DECORATING = functools.lru_cache(maxsize=None).__code__


def _decorated(decorator: Function, function: Function) -> Function:
    """The function under its cache, of which the memory is as old: blocks that are traced later
    change it.
    """
    made: Function = decorator(function)
    if _keeps_all(made):
        memories[made] = GrowingDict()
    return made


_ANEW = "functions that remember anew"
_AGREES = "agrees"


def _anew(function: Any) -> Function:
    """Returns the function that remembers the calls of this trace alone, until `forget`."""
    watched = _watched(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_staged, (*args, *kwargs.values()))):
            return watched(*args, **kwargs)
        if not _is_value((*args, *kwargs.values())):
            raise refuse(
                f"{function.__name__}() is remembered from before, and is given an object that may "
                "act, or change",
                "give it numbers, texts and tuples of them, or call its `__wrapped__`",
            )
        _check_constants(function)
        _whole(active()).memo.setdefault(_ANEW, {})[function] = None
        result = _remembered(function)(*args, **kwargs)
        if not _is_value(result):
            raise refuse(
                f"{function.__name__}() is remembered from before, and its result is an object "
                "that others may have changed",
                "return a number, a text or a tuple of them, or call its `__wrapped__`",
            )
        return result

    return call


def _watched(function: Any) -> Function:
    """Returns the function, of which blocks watch what it gives: its cache has that for others."""

    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if not _is_value(result):
            look_at(f"{function.__name__}()", result, is_given=False)
        return result

    return call


def _check_constants(function: Any) -> None:
    """Check now, and before each call of the graph, that what it remembers is what it gives."""
    known = cache_of(function)
    assert known is not None
    difference = known.difference(function)
    if difference is not None:
        raise refuse(*difference)
    watcher = active().watcher
    if watcher is not None:
        watcher.see_item(known, _AGREES, True, f"whether {function.__name__}() gives what it has")


def _is_value(given: Any) -> bool:
    """Whether nobody can change an argument or a result, and it does nothing."""
    if isinstance(given, tuple | Choice):
        return all(map(_is_value, given.options if isinstance(given, Choice) else given))
    if isinstance(given, MaybeNone):
        return _is_value(given.held)
    if isinstance(given, Tensor):
        return given.static_shape == ()
    return given is None or is_number(given) or isinstance(given, str | Text | Truth)


def set_aside() -> dict[Any, Any]:
    """Let functions from before remember anew in the graph of a function that is called, which has
    values of its own; returns what they have remembered in the one around it.
    """
    begun = {} if state.trace is None else _whole(state.trace).memo.get(_ANEW, {})
    return {function: memories.pop(function) for function in begun}


def forget(trace: Trace, around: dict[Any, Any]) -> None:
    """Let functions from before a trace forget its calls, and go on with those `around` it."""
    for function in trace.memo.pop(_ANEW, ()):
        del memories[function]
    memories.update(around)


def _whole(trace: Trace) -> Trace:
    """The trace of which one is a part: that of a recursion is one of the caller's."""
    while trace.kept is None and trace.outer is not None:
        trace = trace.outer
    return trace


def _remembered(function: Any) -> Function:
    known = memories.get(function)
    if known is None:
        with as_from_before():
            known = memories[function] = GrowingDict()
    watcher = active().watcher
    if watcher is not None:  # a graph that calls itself is that of one memory
        watcher.see_item(memories, function, known, f"what {function.__name__}() remembers")
    return functools.partial(_call, known, _remembering()(function.__wrapped__, known))


def _keeps_all(cached: Any) -> bool:
    return bool(cached.cache_parameters() == {"maxsize": None, "typed": False})


def _about(cached: Any, name: str) -> Function | None:
    known = memories.get(cached)
    if known is None:
        return None
    if name != "cache_clear":
        raise refuse(f"{name}() of a cache that only the run fills", "counts of your own")
    clear: Function = known.clear
    return clear


def _call(known: GrowingDict, remembered: Function, *args: Any, **kwargs: Any) -> Any:
    if kwargs:
        raise refuse(
            "a function under functools.cache is given arguments by name", "give them by place"
        )
    look_at("the cache", known, is_given=True)
    return autograph.call(remembered)(*args)
