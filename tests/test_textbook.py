"""Textbook programs, taken as they are: staged, with tensors in place of their numbers."""

import copy
import os
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support import reference
from tests.support.staging import RELATIVE, attempt, same_outcome
from tests.textbook import (
    adjacency,
    asking,
    backtracking,
    bits,
    chances,
    chosen_lists,
    chosen_objects,
    commerce,
    comprehensions,
    containers,
    counting,
    dynamic,
    formulas,
    games,
    grids,
    groups,
    handled,
    iterators,
    lists,
    matching,
    mathematics,
    networks,
    numbers,
    objects,
    physics,
    records,
    recursions,
    runs,
    searches,
    sentinels,
    sequences,
    shortcuts,
    simulations,
    slots,
    sorting,
    standard_values,
    structures,
    tables,
    tuples,
    waiting,
    words,
)  # fmt: skip
from tests.textbook.refused import NO_TENSORS, REFUSED

MODULES = (
    *(numbers, sequences, tables, lists, comprehensions, matching, words, grids, objects),
    *(searches, sorting, recursions, structures, dynamic, formulas),
    *(mathematics, games, commerce, groups, bits, physics, adjacency, simulations, slots),
    *(containers, runs, waiting, chosen_objects, chosen_lists, shortcuts, chances, asking),
    iterators, tuples, counting, records, networks, handled, backtracking, sentinels,
    standard_values,
)  # fmt: skip
CASES = [case for module in MODULES for case in module.CASES]
DTYPES = {int: rt.int64, float: rt.float64, bool: rt.bool}
EXACT = 1e-12
ROUNDED = {"sigmoid_list"}
"""Programs with a float among their results that no argument has a part in: a float32 constant."""


def as_tensors(value: Any) -> Any:
    """Numbers, and lists of numbers, as tensors; those in a dict, of any length, stay lists."""
    kind = type(value)
    if kind is dict:
        return of_numbers(value)
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    if kind in DTYPES or (kind is list and type(inner) in DTYPES):
        return rt.constant(value, DTYPES[type(inner)])
    return value


def of_numbers(value: Any) -> Any:
    """Numbers as tensors; lists stay lists."""
    if isinstance(value, dict):
        return {key: of_numbers(item) for key, item in value.items()}
    return [of_numbers(item) for item in value] if isinstance(value, list) else as_tensors(value)


WAYS: dict[str, Callable[[Any], Any]] = {"tensors": as_tensors, "lists": of_numbers}


def has_list(calls: Any) -> bool:
    return any(isinstance(value, list | dict) for args in calls for value in args)


RUNS = [
    pytest.param(function, way, calls, id=f"{function.__name__}-{way}")
    for function, calls in CASES
    for way in WAYS
    if has_list(calls) or way == "tensors"
    if way == "lists" or function.__name__ not in NO_TENSORS
]


@pytest.mark.parametrize(("function", "way", "calls"), RUNS)
def test_staged_is_python_or_refused(function: Any, way: str, calls: Any) -> None:
    staged = rt.function(function)
    relative = RELATIVE if function.__name__ in ROUNDED else EXACT
    wrong, refused = [], []
    for args in calls:
        expected = attempt(lambda a=args: function(*copy.deepcopy(a)))
        with reference.compared():
            got = attempt(lambda a=args: staged(*map(WAYS[way], copy.deepcopy(a))))
        if not same_outcome(expected, got, relative):
            (refused if is_refusal(got) else wrong).append((args, expected, got))
    assert not wrong
    assert bool(refused) == (function.__name__ in REFUSED[way]), refused


NOT_LONGER = {
    *("permutations_by_swaps", "power_set", "totals_of_choices"),  # exponential
    *("longest_common_recursive", "chinese_remainder", "probed_slots"),  # endless, or nearly so
    "polynomial_derivative",  # beyond 64 bits
    "lagrange",  # divides tensors by zero
    "product_of_polynomials",  # a complex number of Python's in a loop of the graph
}
MANY = 60
"""Items in a list: more than are written out, or looked at one by one."""


def longer(value: Any) -> Any:
    """A list of numbers as often as makes many of them, and as sorted as it was."""
    if not isinstance(value, list) or not set(map(type, value)) <= DTYPES.keys() or not value:
        return value
    many = value * (MANY // len(value) + 1)
    return sorted(many) if value == sorted(value) else many


def longer_calls(calls: Any) -> list[Any]:
    """The first call with lists of numbers, with longer ones."""
    found = [tuple(map(longer, args)) for args in calls if any(longer(x) is not x for x in args)]
    return found[:1]


LONGER = [
    pytest.param(function, longer_calls(calls)[0], id=function.__name__)
    for function, calls in CASES
    if longer_calls(calls)
    and function.__name__ not in {*NOT_LONGER, *REFUSED["tensors"], *NO_TENSORS}
]


@pytest.mark.parametrize(("function", "args"), LONGER if "PROGRAMS" in os.environ else LONGER[::8])
def test_longer_lists(function: Any, args: Any) -> None:
    """What only many items show: loops of the graph in place of written-out rounds, copies."""
    expected = attempt(lambda: function(*copy.deepcopy(args)))
    got = attempt(lambda: rt.function(function)(*map(as_tensors, copy.deepcopy(args))))
    assert same_outcome(expected, got, RELATIVE)


def is_refusal(got: Any) -> bool:
    """Whether the outcome is an error that says where, what and what to write instead."""
    return isinstance(
        got,
        autograph.AutographError | rt.errors.OpError | rt.errors.OperatorNotAllowedInGraphError,
    ) or (isinstance(got, RecursionError) and "pass what ends a recursion" in str(got))


def test_the_table_has_no_row_too_many() -> None:
    names = {way: {run.values[0].__name__ for run in RUNS if run.values[1] == way} for way in WAYS}
    assert all(REFUSED[way] <= names[way] for way in WAYS)
