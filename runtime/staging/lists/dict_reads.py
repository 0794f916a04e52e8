"""Entries of Python dicts at keys that only the run knows: numbers, each compared with the keys."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from autograph import operators
from runtime.core.tensor import Tensor
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches
from runtime.staging.control.blocks import Wording
from runtime.staging.control.choices import MOST, Choice
from runtime.staging.control.logic import or_
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.symbolic_number import SymbolicNumber

_WORDS = Wording("the values of the dict", "the value at a key of the run")


def is_asked(table: Any, key: Any) -> bool:
    """True for a dict that is asked for a number of the run, and short enough for that."""
    own = getattr(type(table), "__getitem__", None)
    is_number = isinstance(key, SymbolicNumber) or (
        isinstance(key, Tensor) and key.static_shape == () and not key.dtype.is_floating
    )
    return own is dict.__getitem__ and is_number and len(table) <= MOST


def item_at(table: dict[Any, Any], key: Any) -> Any:
    """`table[key]`: KeyError, at run time, where there is none."""

    def missing() -> NoReturn:
        raise KeyError(key)

    return _value_at(list(table.items()), key, missing)


def getter(method: Any) -> Callable[..., Any] | None:
    """Returns what to call for the method `get` of a dict; None for that of another object."""
    table = method.__self__
    return functools.partial(_get, method, table) if isinstance(table, dict) else None


def _get(method: Any, table: dict[Any, Any], key: Any, default: Any = None, /) -> Any:
    if type(key) is MaybeNone:
        return at_optional(lambda _, key: _get(method, table, key, default), table, key)
    if type(key) is Choice:
        return key.apply(lambda option: method(option, default))  # which changes nothing
    if not is_asked(table, key):
        return method(key, default)
    return _value_at(list(table.items()), key, lambda: default)


def takes_optional(function: Any, args: Sequence[Any]) -> bool:
    """True for `target[key]`, and `key in target` of a dict, where the key may be None."""
    if function is operator.contains and not isinstance(args[0], dict):
        return False
    return function in _OPERATORS and type(args[1]) is MaybeNone


def at_optional(function: Callable[[Any, Any], Any], target: Any, key: MaybeNone) -> Any:
    """`target[key]`, or `key in target`, for a key that may be None: a dict may have that."""
    ask = _OPERATORS.get(function, function)

    # Default values lead a recorder to what is in the target.
    def held(*, _reached: Any = target) -> Any:
        return ask(target, key.held)

    def none(*, _reached: Any = target) -> Any:
        return function(target, None)

    return branches.cond(key.flag, held, none, (), (), BlockRecorder, words=_WORDS)


def _is_in(target: Any, key: Any) -> Any:
    return operators.compare(key, "in", target)


_OPERATORS: dict[Any, Callable[[Any, Any], Any]] = {
    operator.getitem: operators.getitem,
    operator.contains: _is_in,
}


def has(table: dict[Any, Any], key: Any) -> Any:
    """`key in table`."""
    keys = [known for known in table if isinstance(known, int | float)]
    if not keys:
        return False
    first, *rest = keys
    return or_(key == first, [lambda known=known: key == known for known in rest])


def _value_at(items: Sequence[tuple[Any, Any]], key: Any, missing: Callable[[], Any]) -> Any:
    items = [item for item in items if isinstance(item[0], int | float)]
    if not items:
        return missing()
    (known, value), *rest = items

    # Default values lead a recorder to what is in the dict.
    def here(*, _reached: Any = value) -> Any:
        return value

    def further(*, _reached: Any = rest) -> Any:
        return _value_at(rest, key, missing)

    return branches.cond(key == known, here, further, (), (), BlockRecorder, words=_WORDS)
