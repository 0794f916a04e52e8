"""Comparisons of tuples and lists with staged items, by the first items that differ, and of dicts
with keys that Python knows.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from runtime.staging.control import branches, logic
from runtime.staging.control.branches import truth
from runtime.staging.control.carried_objects import refuse_change
from runtime.staging.control.logic import compares_itself
from runtime.staging.control.references import is_by_place, is_reference, same_place
from runtime.staging.lists.growing import Growing
from runtime.staging.scopes import active


def compared(operation: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """`a < b`, or what else the operation of `operator` is: a Python or staged bool."""
    if not _are_of_one_kind(a, b) or _is_open(a) or _is_open(b):
        return operation(a, b)
    if operation is operator.eq:
        return is_equal(a, b)
    if operation is operator.ne:
        return logic.not_(is_equal(a, b))
    if _kind(a) is dict:
        return operation(a, b)
    return _ordered(operation, a, b, 0)


def _are_of_one_kind(a: Any, b: Any) -> bool:
    kind = _kind(a)
    return kind is not None and kind is _kind(b)


def _kind(items: Any) -> type | None:
    """Tuple, list or dict, where Python compares its items; None where a class has its own
    operators.
    """
    made = items.__class__  # a deque of the run's is a list by its type
    if issubclass(made, dict) and made.__eq__ is dict.__eq__:
        return None if getattr(items, "staged", None) else dict
    for kind in (tuple, list):
        if issubclass(made, kind):
            own = made.__eq__ is kind.__eq__ and made.__lt__ is kind.__lt__
            return kind if own or isinstance(items, Growing) else None
    return None


def _is_open(items: Any) -> bool:
    """Whether only the run knows how many items it has: its own operators are for that."""
    if not isinstance(items, Growing):
        return False
    return items.staged is not None or not isinstance(items.length(), int)


def _ordered(operation: Callable[[Any, Any], Any], a: Any, b: Any, at: int) -> Any:
    if at == min(len(a), len(b)):
        return operation(len(a), len(b))

    def further() -> Any:
        return _ordered(operation, a, b, at + 1)

    def here() -> Any:
        return truth(compared(operation, a[at], b[at]))

    return branches.cond(is_equal(a[at], b[at]), further, here, (), ("an order",))


def is_equal(a: Any, b: Any) -> Any:
    """Whether lists and tuples find `a` where they have `b`: one object, or equal ones."""
    if not _are_of_one_kind(a, b) or _is_open(a) or _is_open(b):
        return a is b or _equal(a, b)
    if _kind(a) is dict:
        return equal_entries(a, b)
    return len(a) == len(b) and all_of([is_equal(x, y) for x, y in zip(a, b, strict=True)])


def equal_entries(a: dict[Any, Any], b: dict[Any, Any]) -> Any:
    """Whether two dicts of which Python knows the keys have the same ones, and equal values."""
    if dict.keys(a) != dict.keys(b):
        return False
    return all_of([is_equal(value, dict.__getitem__(b, key)) for key, value in dict.items(a)])


def _equal(a: Any, b: Any) -> Any:
    if not compares_itself(a) and not compares_itself(b):
        return truth(logic.equal(a, b))
    if is_reference(a) and type(b) is type(a) and not is_by_place(a):
        return truth(logic.or_(same_place(a, b), (lambda: without_effects(logic.equal, a, b),)))
    return without_effects(logic.equal, a, b)


def without_effects(compare: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """The truth of a comparison that is done as often as it takes here, which may be more often
    than in Python. StagingError where it changes anything.
    """
    recorder = active().watch(compare, (a, b), ("self", "other"))
    with recorder:
        answer = truth(compare(a, b))
        recorder.release((answer,))
        changed = recorder.changed()
        recorder.restore()
    for place in changed:
        raise refuse_change(
            place.path,
            "by a comparison, and how often that is asked to find or to sort is not told",
            "compare without a change, or write the loop that compares",
        )
    return answer


def all_of(answers: list[Any]) -> Any:
    """Whether all of some Python or staged bools hold."""
    if False in [answer for answer in answers if isinstance(answer, bool)]:
        return False
    staged = [answer for answer in answers if answer is not True]
    return functools.reduce(_both, staged) if staged else True


def _both(a: Any, b: Any) -> Any:
    return logic.and_(a, (lambda: b,))
