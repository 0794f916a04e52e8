"""Bounds of slices, and indices, that are None where only the run knows: a bound means an end then,
and an index of a tensor a new axis.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.ops import indexing
from runtime.staging.builtin_functions import index_of
from runtime.staging.control import branches
from runtime.staging.control.optional_values import MaybeNone, present
from runtime.staging.refusals import refusal_of_run
from runtime.staging.tracing import is_symbol

_LAST = sys.maxsize
_ENDS = (_LAST, 0), (-_LAST - 1, _LAST)
"""What None means as the start, and as the stop, of a slice that goes backwards or forwards."""


def known_bounds(key: slice) -> slice:
    """The slice with a number for each bound that may be None."""
    parts = key.start, key.stop, key.step
    if not any(isinstance(part, MaybeNone) for part in parts):
        return key
    step = _number(key.step, 1)
    is_down = False if step is None else present(step) < 0
    start, stop = (
        _number(bound, _either(is_down, *ends)) if isinstance(bound, MaybeNone) else bound
        for bound, ends in zip(parts, _ENDS, strict=False)
    )
    return slice(start, stop, step)


def known_key(key: Any) -> Any:
    """The key of a tensor, without what may be None. RefusedError, at run time, for an index that
    is.
    """
    if isinstance(key, slice):
        made = known_bounds(key)
        ends = made.start, made.stop, made.step
        return key if made is key else slice(*map(_wide, ends))
    if type(key) is tuple:
        return tuple(map(known_key, key))
    if not isinstance(key, MaybeNone):
        return key
    branches.cond(key.flag, lambda: None, _refuse_new_axis, (), ())
    return key.held


def _refuse_new_axis() -> NoReturn:
    raise refusal_of_run(
        "an index of a tensor is None here, which is a new axis, and only the run knows",
        "test it by `is None`, and write the new axis where it is: x[None]",
    )


indexing.known_key = known_key


def _wide(bound: Any) -> Any:
    """A number of the run as an int64, which holds an end as well."""
    return convert_to_tensor(bound, dtypes.int64) if is_symbol(bound) else bound


def _number(bound: Any, instead: Any) -> Any:
    if not isinstance(bound, MaybeNone):
        return bound
    return _either(bound.flag, index_of(bound.held), instead)


def _either(test: Any, a: Any, b: Any) -> Any:
    return branches.cond(test, lambda: a, lambda: b, (), ("a bound of the slice",))
