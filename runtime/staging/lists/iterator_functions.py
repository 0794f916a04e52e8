"""Functions of `itertools`, written in C, of staged items: of a tensor they get the rows one by
one, and what they call is converted.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from runtime.core.tensor import Tensor
from runtime.staging.backend import called
from runtime.staging.builtin_functions import elements

_TAKING: frozenset[Any] = frozenset((
    itertools.accumulate, itertools.chain, itertools.combinations,
    itertools.combinations_with_replacement, itertools.islice, itertools.pairwise,
    itertools.permutations, itertools.product, itertools.starmap, itertools.zip_longest,
))  # fmt: skip


def iterator_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function of `itertools`; None for any other."""
    if type(function) is not type or function not in _TAKING:
        return None
    return functools.partial(_of_items, function)


def _of_items(function: Any, *args: Any, **kwargs: Any) -> Any:
    given = [_plain(function, arg) for arg in args]
    named = {name: arg if name in _ITEMS else _plain(function, arg) for name, arg in kwargs.items()}
    return function(*given, **named)


def _plain(function: Any, given: Any) -> Any:
    if isinstance(given, Tensor) and given.static_shape != ():  # no number, as `initial` may be
        return elements(given, function.__name__)
    return called(given) if callable(given) else given


_ITEMS = frozenset(("fillvalue", "initial"))
"""Parameters that take an item of the result."""
