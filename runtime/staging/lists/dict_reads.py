"""Entries of Python dicts, and items, at keys that may be None where only the run knows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from autograph import operators
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches
from runtime.staging.control.blocks import Wording
from runtime.staging.control.optional_values import MaybeNone

_WORDS = Wording("the values of the dict", "the value at a key of the run")


def takes_optional(function: Any, args: Sequence[Any]) -> bool:
    """True for `target[key]`, and `key in target` of a dict or set, where the key may be None."""
    if function is operator.contains and not isinstance(args[0], dict | set | frozenset):
        return False
    return function in _OPERATORS and type(args[1]) is MaybeNone


def at_optional(function: Callable[[Any, Any], Any], target: Any, key: MaybeNone) -> Any:
    """`target[key]`, or `key in target`, for a key that may be None: a dict may have that.

    The function may be another one, too, of a target and a key.
    """
    ask = _OPERATORS.get(function, function)

    # Default values lead a recorder to what is in the target.
    def held(*, _reached: Any = target) -> Any:
        return ask(target, key.held)

    def none(*, _reached: Any = target) -> Any:
        return ask(target, None)

    return branches.cond(key.flag, held, none, (), (), BlockRecorder, words=_WORDS)


def _is_in(target: Any, key: Any) -> Any:
    return operators.compare(key, "in", target)


_OPERATORS: dict[Any, Callable[[Any, Any], Any]] = {
    operator.getitem: operators.getitem,
    operator.contains: _is_in,
}
