"""Functions under `functools.cache`, made while tracing: what they remember is a dict of the graph,
so that staged values may be their arguments, and a staged value may decide which calls there are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import autograph
from autograph.mutation.functions import memories
from runtime.staging.block_recorder import look_at
from runtime.staging.lists.growing_dict import GrowingDict
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.tracing import Trace

Function: TypeAlias = Callable[..., Any]

_CACHED = type(functools.cache(len))


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


@functools.cache
def _converted() -> Function:
    made: Function = autograph.convert(_remembering)()
    return made


def cached_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function that `functools.cache` made while tracing, and for its
    `cache_clear` and `cache_info`; None for any other, and for one from before, which remembers
    what other calls gave.
    """
    owner = getattr(function, "__self__", None)
    if type(owner) is _CACHED:
        return _about(owner, function.__name__)
    if type(function) is not _CACHED or not _keeps_all(function):
        return None
    if function not in memories and _outermost().existed(function):
        return None
    known = memories.setdefault(function, GrowingDict())
    return functools.partial(_call, known, _converted()(function.__wrapped__, known))


def _outermost() -> Trace:
    """The trace of the function that calls those that are traced now."""
    trace = active()
    while trace.outer is not None:
        trace = trace.outer
    return trace


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
