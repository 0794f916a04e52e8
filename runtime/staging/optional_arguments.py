"""Arguments that are None where only the run knows, and that mean a default where they are: a call
of each of both is in a branch of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Any

import numpy as np

from autograph import call
from autograph.optional_parameters import Place
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches
from runtime.staging.control.blocks import Wording
from runtime.staging.control.optional_values import MaybeNone

_WORDS = Wording("a call with a value and one with None", "the result of a call", unites=True)
_TAKING_ALL = max, min, sorted
"""Functions that take all items of an iterator before anything else is done."""


def of_library(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a call of a library's in which an argument may be None, wherever it is; not of
    a ufunc, of which None is no operand. NotImplemented for any other call.
    """
    is_ufunc = isinstance(function, np.ufunc)
    return NotImplemented if is_ufunc else with_defaults(function, None, args, kwargs)


def with_defaults(
    function: Callable[..., Any], places: Container[Place] | None, args: Any, kwargs: dict[str, Any]
) -> Any:
    """The result of a call in which an argument may be None, at one of the places where that means
    a default, or at any; NotImplemented for any other call.
    """
    given: list[tuple[Place, Any]] = [*enumerate(args), *kwargs.items()]
    optional = [place for place, item in given if isinstance(item, MaybeNone)]
    place = next((place for place in optional if places is None or place in places), None)
    if place is None:
        return NotImplemented
    if any(function is each for each in _TAKING_ALL) and isinstance(args[0], Iterator):
        args = call(list)(args[0]), *args[1:]
    item = kwargs[place] if isinstance(place, str) else args[place]

    def called(value: Any) -> Any:
        if isinstance(place, str):
            return call(function)(*args, **{**kwargs, place: value})
        return call(function)(*args[:place], value, *args[place + 1 :], **kwargs)

    # Default values lead a recorder to what the function can change.
    def held(*, _reached: Any = (function, args, kwargs)) -> Any:
        return called(item.held)

    def none(*, _reached: Any = (function, args, kwargs)) -> Any:
        return called(None)

    return branches.cond(item.flag, held, none, (), (), BlockRecorder, words=_WORDS)
