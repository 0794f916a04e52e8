"""Tensors that a traced function finds outside: Python's functions compare them as they compare the
numbers that they hold.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import runtime as rt
from tests.support.staging import as_python, equal

NUMBERS = SimpleNamespace(a=2, b=5, items=[2, 5, 1], vector=[3, 1, 2])
TENSORS = SimpleNamespace(
    a=rt.constant(2),
    b=rt.constant(5),
    items=[rt.constant(2), rt.constant(5), rt.constant(1)],
    vector=rt.constant([3, 1, 2]),
)

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "max": lambda x, of: max(of.a, 3) + x,
    "min of three": lambda x, of: min(7, of.b, of.a) + x,
    "max of a list": lambda x, of: max(of.items) + x,
    "max of a vector": lambda x, of: max(of.vector) + x,
    "max of a generator": lambda x, of: max(item for item in of.items) + x,
    "max with a key": lambda x, of: max(of.items, key=lambda item: -item) + x,
    "max of tuples": lambda x, of: max((of.a, 1), (of.b, 0))[1] + x,
    "sorted": lambda x, of: [item + x for item in sorted(of.items)],
    "sorted vector": lambda x, of: [item + x for item in sorted(of.vector, reverse=True)],
    "in a list": lambda x, of: (5 in of.items, x in of.items, 7 in of.items),
    "in a vector": lambda x, of: (3 in of.vector, x in of.vector, 7 in of.vector),
    "in a list of numbers": lambda x, of: (of.a in [1, 2], of.b in (1, x)),
    "not in": lambda x, of: of.a not in [x, 5],
    "equal tuples": lambda x, of: ((of.a, of.b) == (2, 5), (of.a, of.b) == (5, x)),
    "lists in order": lambda x, of: ([of.a, of.b] < [2, 6], [of.a, of.b] >= [x, 9]),
    "any": lambda x, of: any(item > 4 for item in of.items),
    "index": lambda x, of: of.items.index(5) + x,
    "count": lambda x, of: of.items.count(5) + x,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_compare_as_numbers(name: str) -> None:
    program = PROGRAMS[name]
    got = as_python(rt.function(lambda x: program(x, TENSORS))(rt.constant(1)))
    assert equal(program(1, NUMBERS), got), got
