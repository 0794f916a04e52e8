"""`and`, `or`, `not`, `==` and `assert` of staged values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from autograph.mutation.users_code import is_users_class
from autograph.operators.logical import compare
from runtime import errors
from runtime.graph import numbers
from runtime.staging.control.blocks import Block, Wording, want_parts
from runtime.staging.control.branches import cond, truth
from runtime.staging.control.carried_objects import Watch, also_watching, no_watch
from runtime.staging.control.choices import Choice
from runtime.staging.control.joins import abstract_pair, join
from runtime.staging.control.optional_values import MaybeNone
from runtime.staging.control.specs import Mismatch
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.control.truths import Truth, opened
from runtime.staging.lists.growing import Growing
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor

_OPERANDS = Wording("its operands", unites=True)


def not_(value: Any) -> Any:
    """`not value`."""
    predicate = truth(value)
    if isinstance(predicate, bool):
        return not predicate
    trace = active()
    return trace.apply(numbers.NOT, (trace.value_of(predicate),))


def and_(first: Any, rest: Sequence[Block], watch: Watch = no_watch, answer: Any = None) -> Any:
    """`first and rest[0]() and ...` with Python's value: an operand, or a Truth where they do not
    join; `answer` is the truth of the first one, where it is known.
    """
    return _short_circuit(first, rest, "and", watch, answer)


def or_(first: Any, rest: Sequence[Block], watch: Watch = no_watch, answer: Any = None) -> Any:
    """`first or rest[0]() or ...` with Python's value: an operand, or a Truth where they do not
    join; `answer` is the truth of the first one, where it is known.
    """
    return _short_circuit(first, rest, "or", watch, answer)


def _short_circuit(
    value: Any, rest: Sequence[Block], name: str, watch: Watch, answer: Any = None
) -> Any:
    if not rest:
        return value
    predicate = truth(value if answer is None else answer)
    if name == "or" and isinstance(value, MaybeNone):
        value = value.held  # which is there where it is true
    mismatch: Mismatch | None = None
    unites = False

    # What `further` gives `stop` goes by the trace: the recorders watch what blocks hold.
    def further() -> Any:
        nonlocal mismatch, unites
        result = _short_circuit(rest[0](), rest[1:], name, watch)
        mismatch = None if isinstance(predicate, bool) else _mismatch(value, result)
        if mismatch is None:
            return result
        unites = mismatch.kinds_differ and _is_scalar(value) and _is_scalar(result)
        return truth(result), opened(result) if unites else None

    def stop() -> Any:
        if mismatch is None:
            return value
        return name == "or", opened(value) if unites else None

    body, orelse = (stop, further) if name == "or" else (further, stop)
    labels = (f"the value of `{name}`",)
    watching = also_watching(watch, rest, {labels[0]: value})
    first = name == "or"
    made = cond(predicate, body, orelse, (), labels, watching, orelse_first=first, words=_OPERANDS)
    if mismatch is None:
        return made
    answer, held = made
    return Truth(answer, held, name, mismatch)


def _mismatch(value: Any, other: Any) -> Mismatch | None:
    """Returns why two operands do not join, if they do not."""
    for operand in (value, other):
        if type(operand) is Truth:
            return operand.mismatch
    is_growing = isinstance(value, Growing) or isinstance(other, Growing)
    if is_growing and isinstance(value, list) != isinstance(other, list):
        return Mismatch("one is a list and the other is not", "make both of one kind")
    try:
        join(*abstract_pair(value, other))
    except Mismatch as mismatch:
        want_parts(mismatch, (value, other), None)  # should the value be used
        # The frames of a traceback would hold what the user's code has let go.
        return mismatch.with_traceback(None)
    return None


def _is_scalar(value: Any) -> bool:
    if isinstance(value, SymbolicTensor):
        return value.static_shape == ()
    if type(value) is Truth:
        return value.held is not None
    return isinstance(value, int | float | str | SymbolicNumber | TaggedUnion)


def equal(a: Any, b: Any) -> Any:
    """`a == b` where either may be None: staged where it is."""
    return _compared("==", a, b)


def unequal(a: Any, b: Any) -> Any:
    """`a != b` where either may be None: staged where it is."""
    return _compared("!=", a, b)


def _compared(symbol: str, a: Any, b: Any) -> Any:
    if not (isinstance(a, MaybeNone) or isinstance(b, MaybeNone)):
        return compare(a, symbol, b)
    value, other = (a, b) if isinstance(a, MaybeNone) else (b, a)
    if other is None and not _asks_users_code(value.held):
        return not_(value.flag) if symbol == "==" else value.flag
    return optional_compared(partial(_compared, symbol), a, b)


def _asks_users_code(item: Any) -> bool:
    options = item.options if isinstance(item, Choice) else (item,)
    return any(map(compares_itself, options))


def compares_itself(item: Any) -> bool:
    """True for an object with an `__eq__` or `__ne__` of the user's, and for one of which the run
    chooses.
    """
    kind = type(item)
    own = kind.__eq__, kind.__ne__
    return FunctionType in map(type, own) and is_users_class(kind)


def optional_compared(compare: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """`compare(a, b)` of each that they may be, where one of them at least may be None."""
    value = a if isinstance(a, MaybeNone) else b

    def of(item: Any) -> Any:
        return compare(item, b) if value is a else compare(a, item)

    watch = also_watching(active().watch, (of,))
    label = "the equality of an optional value"
    return cond(value.flag, lambda: of(value.held), lambda: of(None), (), (label,), watch)


MaybeNone.__eq__ = equal  # type: ignore[method-assign]
MaybeNone.__ne__ = unequal  # type: ignore[method-assign]


def staged_assert(
    test: Any,
    message: Block | None,
    watch: Watch = no_watch,
) -> None:
    """`assert test, message()`: a branch that raises StagedAssertionError at run time. In a `try`
    or `with` it raises Python's AssertionError, no InvalidArgumentError: handlers tell them apart.
    """
    kind = AssertionError if active().attempts else errors.StagedAssertionError

    def holds() -> None:
        pass

    def fails() -> None:
        raise kind(*([] if message is None else [message()]))

    called = () if message is None else (message,)
    cond(test, holds, fails, (), (), also_watching(watch, called))
