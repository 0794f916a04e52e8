"""`and`, `or`, `not` and comparisons."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from autograph.backend import (
    Backend,
    Thunk,
    backend_of,
    backend_of_key,
    backend_of_type,
    comparing,
    identities,
)
from autograph.frames import hide
from autograph.operators.growing import backend_inside, is_staging
from autograph.operators.methods import converted_method
from autograph.operators.truths import truth


def _short_circuit(decisive: bool, tested: bool) -> Callable[..., Any]:
    """`and` or `or`, which an operand of the `decisive` truth ends; staged from the first staged
    operand. Its result is Python's value; `tested`, where only the truth is asked, that of what
    ends it, so that nobody asks an operand twice.
    """
    undecided = not decisive

    def short_circuit(first: Any, *rest: Thunk) -> Any:
        value = first
        try:
            for position, thunk in enumerate(rest):
                if value is not undecided:
                    holds = truth(value)
                    backend = backend_of(holds)
                    if backend is not None:
                        stage = backend.or_ if decisive else backend.and_
                        if tested:
                            return stage(*_truths(backend, holds, rest[position:]))
                        known = {} if holds is value else {"truth": holds}
                        return stage(value, *rest[position:], **known)
                    if bool(holds) is decisive:
                        return decisive if tested else value
                value = thunk()
            return value
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return short_circuit


and_ = _short_circuit(decisive=False, tested=False)
"""`first and rest[0]() and ...`."""

or_ = _short_circuit(decisive=True, tested=False)
"""`first or rest[0]() or ...`."""

all_ = _short_circuit(decisive=False, tested=True)
"""`first and rest[0]() and ...` as a test."""

any_ = _short_circuit(decisive=True, tested=True)
"""`first or rest[0]() or ...` as a test."""


def _truths(backend: Backend, first: Any, rest: Sequence[Thunk]) -> Iterator[Any]:
    yield backend.truth(first)
    for thunk in rest:
        # A partial: what the thunks can change is found through it.
        yield partial(_truth_of, thunk)


def _truth_of(thunk: Thunk) -> Any:
    holds = truth(thunk())
    backend = backend_of(holds)
    return bool(holds) if backend is None else backend.truth(holds)


def not_(value: Any) -> Any:
    """`not value`."""
    try:
        backend = backend_of(value)
        if backend is None:
            value = truth(value)
            backend = backend_of(value)
        return not value if backend is None else backend.not_(value)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def compare(left: Any, symbol: str, right: Any, *rest: Any) -> Any:
    """`left symbol right`, or a chained comparison: `a < b() < c()`, each operand evaluated once.

    Args:
        rest: further pairs of an operator and a thunk of its right operand.
    """
    try:
        holds = _COMPARISONS[symbol](left, right)
        if not rest:
            return holds
        if holds is not True:
            backend = backend_of(holds)
            if backend is not None:
                # A partial: what the thunks of the operands can change is found through it.
                return backend.and_(holds, partial(_compare_further, right, *rest))
            if not holds:
                return holds
        return compare(right, rest[0], rest[1](), *rest[2:])
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _compare_further(left: Any, symbol: str, thunk: Thunk, *rest: Any) -> Any:
    return compare(left, symbol, thunk(), *rest)


def _is(left: Any, right: Any) -> Any:
    if left is right:
        return True
    if left is not None and right is not None:
        for check in identities:
            answer = check(left, right)
            if answer is not None:
                return answer
    return _staged(operator.is_, left, right, backend_of(left) or backend_of(right))


def _is_not(left: Any, right: Any) -> Any:
    return not_(_is(left, right))


memberships: list[Callable[[Any, Any], Any]] = []
"""Each tells whether an item is in what gives its items one by one; None of what it does not know.
"""


def _as_tuple(items: Any) -> Any:
    """Of a class of tuples, such as a namedtuple, a tuple of its items."""
    is_one = isinstance(items, tuple) and type(items) is not tuple
    return tuple(tuple.__iter__(items)) if is_one else items


def _in(item: Any, container: Any) -> Any:
    method = converted_method(container, "__contains__")
    if method is not None:
        return not_(not_(method(container, item)))
    if is_staging() and not hasattr(type(container), "__contains__"):
        found = next((x for ask in memberships if (x := ask(item, container)) is not None), None)
        if found is not None:
            return found
    # A library's list may hold staged values and be plain itself.
    backend = backend_of_type(type(container)) or backend_of(item)
    backend = backend or backend_inside(_as_tuple(container))
    if backend is None and isinstance(container, dict):
        backend = backend_of_key(item)
    if backend is None and isinstance(item, _WITH_ITEMS):
        backend = backend_inside(_as_tuple(item))
    if backend is None and is_staging():
        backend = comparing(container, item)
    return _staged(operator.contains, container, item, backend)


def _not_in(item: Any, container: Any) -> Any:
    return not_(_in(item, container))


def _staged(
    function: Callable[[Any, Any], bool], left: Any, right: Any, backend: Backend | None
) -> Any:
    # Python makes a bool of these two itself, so that an operand's own method is no way to stage.
    if backend is not None:
        staged = backend.builtin(function, left, right)
        if staged is not NotImplemented:
            return staged
    return function(left, right)


_SEQUENCES = (tuple, list)
_WITH_ITEMS = (*_SEQUENCES, dict)


def _of_items(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A comparison: Python makes bools of those of the items of tuples, lists and dicts."""

    def compared(left: Any, right: Any) -> Any:
        if not (isinstance(left, _WITH_ITEMS) and isinstance(right, _WITH_ITEMS)):
            return function(left, right)
        found = (backend_of(items) or backend_inside(_as_tuple(items)) for items in (left, right))
        backend = next(filter(None, found), None)
        if backend is None and is_staging():
            backend = comparing(left, right)
        return _staged(function, left, right, backend)

    return compared


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": _of_items(operator.lt),
    "<=": _of_items(operator.le),
    ">": _of_items(operator.gt),
    ">=": _of_items(operator.ge),
    "==": _of_items(operator.eq),
    "!=": _of_items(operator.ne),
    "is": _is,
    "is not": _is_not,
    "in": _in,
    "not in": _not_in,
}
