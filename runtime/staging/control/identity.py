"""`a is b` while staging: known by the trace, known by the run, or refused.

What is one object in the user's Python may be several here, and several may be one: a join makes
containers anew, and symbols stand for objects that only the run has.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.graph.nodes import NUMBER_TYPES
from runtime.staging.aliasing import aliases
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.control import choices, joined_variables
from runtime.staging.control.choices import Choice
from runtime.staging.control.failures import OneOf
from runtime.staging.control.logic import not_, optional_compared
from runtime.staging.control.optional_values import MaybeNone, MaybeUndefined
from runtime.staging.control.references import is_reference, same_place, want
from runtime.staging.control.stand_ins import StandIn
from runtime.staging.lists.growing import Growing, GrowingSequence
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber, is_number, number_type
from runtime.staging.tracing import is_symbol


def identical(a: Any, b: Any) -> Any:
    """`a is b`: a Python bool or a staged one.

    Raises StagingError where neither the trace nor the run can tell.
    """
    a, b = _bound(a), _bound(b)
    if a is b:
        return True
    if isinstance(a, MaybeNone) or isinstance(b, MaybeNone):
        if a is None or b is None:
            return not_((b if a is None else a).flag)
        return optional_compared(identical, a, b)
    for item in (a, b):
        if type(item) is OneOf:
            item.refuse()
    if a is None or b is None:
        return False
    for choice, other in ((a, b), (b, a)):
        if isinstance(choice, Choice):
            return _is_chosen(choice, other)
    if is_number(a) and is_number(b):
        kinds = SymbolicNumber, *NUMBER_TYPES
        # A member of an `IntEnum` is a known object, and no number that the run computes.
        return type(a) in kinds and type(b) in kinds and _identical_numbers(a, b)
    for item, other in ((a, b), (b, a)):
        if type(other) is bool and isinstance(item, Tensor) and item.dtype.is_bool:
            raise _refuse(f"a tensor and {other}", f"test it with `if`, or compare: == {other}")
    if isinstance(a, Tensor | np.ndarray) and isinstance(b, Tensor | np.ndarray):
        are_arrays = all(isinstance(item, SymbolicArray | np.ndarray) for item in (a, b))
        how = "np.array_equal(a, b)" if are_arrays else "tf.reduce_all(a == b)"
        kind = "arrays" if are_arrays else "tensors"
        raise _refuse(f"two {kind}", f"compare their values, for example with {how}")
    answer = check_identity(a, b)
    return False if answer is None else answer


def _is_chosen(choice: Choice, other: Any) -> Any:
    """Whether the option that the run chooses is this object. Branches know it by the place."""
    known = not any(isinstance(each, StandIn) for each in (other, *choice.options))
    places = [at for at, each in enumerate(choice.options) if known and other is each]
    if len(places) != 1 or not choices.is_option(other) or not is_symbol(choice.place):
        return choice.apply(functools.partial(identical, other))
    answer = choice.place == places[0]
    active().memo[Choice, answer.graph_value] = choice.place.graph_value, places[0]
    return answer


def check_identity(a: Any, b: Any) -> Any:
    """`a is b` of objects that are referred to; StagingError where two Python objects may be one in
    the user's Python; None where Python can tell.
    """
    if is_reference(a) and is_reference(b):
        return same_place(a, b)
    if a.__class__ is b.__class__ and (isinstance(a, Growing) or isinstance(b, Growing)):
        if a.__class__ is frozenset:  # a copy of one may be that, and they are read as copies
            raise _refuse("two frozensets", "compare them by ==")
        (mine, at), (theirs, here) = map(_several, (a, b))
        if len(mine) > 1 or len(theirs) > 1:
            return _are_one(mine, at, theirs, here)
    if state.trace is not None and state.trace.arguments:
        _check_arguments(state.trace, a, b)
    if state.trace is not None and state.trace.read_at_joins:
        joined_variables.check_identity(a, b)
    if state.trace is not None and state.trace.joined:
        aliases.check_identity(state.trace, a, b)
    if _may_be_one_tuple(a, b):
        want(type(a))
        raise _refuse("two tuples of the same parts", "compare them by ==, or use dataclasses")
    return None


def _check_arguments(trace: Any, a: Any, b: Any) -> None:
    """StagingError where an argument, of which a trace has a copy, may be a list or dict from
    outside.
    """
    for item, other in ((a, b), (b, a)):
        if _may_be_argument(trace, item, other):
            kind = item.plain.__name__
            raise refuse(
                f"whether a {kind} that is an argument is one from outside is not known while "
                "staging: each call may give another one",
                "compare what is in them by ==, or pass both as arguments",
            )


def _may_be_argument(trace: Any, item: Any, other: Any) -> bool:
    is_alike = isinstance(item, Growing) and item.__class__ is other.__class__
    return is_alike and id(item) in trace.arguments and bool(trace.existed(other))


def _several(item: Any) -> tuple[Sequence[Any], Any]:
    is_known = is_reference(item) or not isinstance(item, Growing)
    return (None if is_known else item.several()) or ((item,), 0)


def _are_one(mine: Sequence[Any], at: Any, theirs: Sequence[Any], here: Any) -> Any:
    """Whether the objects at two places are one, a Python bool or a staged one."""
    found: Any = False
    for item in {id(item): item for item in mine}.values():
        places = [place for place, other in enumerate(theirs) if identical(item, other)]
        if places:
            is_mine = [at == place for place, other in enumerate(mine) if other is item]
            is_other = [here == place for place in places]
            met = functools.reduce(operator.or_, is_mine) & functools.reduce(operator.or_, is_other)
            found = met | found
    return found


def check_hash(item: Any) -> None:
    """StagingError for a key that Python finds by what object it is, of an object that a join made
    of the user's.
    """
    if state.trace is not None and state.trace.joined:
        aliases.check_hash(state.trace, item)


def _may_be_one_tuple(a: Any, b: Any) -> bool:
    """Whether these are two tuples here that may be one in the user's Python: what has a tuple's
    parts, as a list of the graph and the arguments of a call, makes another one of them.
    """
    if not isinstance(a, tuple) or type(a) is not type(b) or len(a) != len(b):
        return False
    return any(map(_is_of_run, (*a, *b))) or all(map(_may_be_one, a, b))


def _may_be_one(a: Any, b: Any) -> bool:
    """Whether two parts of tuples that nothing of the run is in may be one in the user's Python."""
    trace = state.trace
    if a is b or _may_be_one_tuple(a, b):
        return True
    return trace is not None and any(
        _may_be_argument(trace, item, other) for item, other in ((a, b), (b, a))
    )


def _is_of_run(item: Any) -> bool:
    if isinstance(item, tuple):
        return any(map(_is_of_run, item))
    is_row = isinstance(item, GrowingSequence) and item.table is not None
    return is_row or isinstance(item, Tensor | MaybeNone | Choice) or is_symbol(item)


def _bound(item: Any) -> Any:
    while isinstance(item, MaybeUndefined):
        item = item.get()
    return item


def _identical_numbers(a: Any, b: Any) -> Any:
    kind = number_type(a).kind
    if kind != number_type(b).kind:
        return False
    if kind == "bool":
        return a == b
    raise _refuse("two numbers", "write == instead of `is`")


def _refuse(what: str, hint: str) -> Exception:
    return refuse(f"whether {what} are one object is not known while staging", hint)
