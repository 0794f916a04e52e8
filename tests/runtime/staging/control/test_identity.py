"""`a is b` in staged code: Python's answer, or a refusal that names the variable."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from autograph import StagingError
from runtime.functions.function import function
from tests.support.staging import attempt, same_outcome


@dataclasses.dataclass(eq=False)
class Box:
    held: Any


@dataclasses.dataclass
class Held:
    held: Any
    kept: Any


def one_of_two(x):
    a, b = [x], [x]
    if x > 0:
        b = a
    return a is b


def chosen_twice(x):
    a, b = [x], [x]
    c = a
    if x > 0:
        c = b
    d = c
    if x > 1:
        d = b
    return d is not a


def optional_list(x):
    a, b = [x], None
    if x > 0:
        b = a
    return b is a


def tuples(x):
    a, b = (1, x), (1, x)
    if x > 0:
        b = a
    return a is b


def left_by_a_loop(x):
    a, b, i = [x], [x], 0
    while i < x:
        b = a
        i += 1
    return a is b


def in_a_loop(x):
    a, b, i, n = [x], [x], 0, 0
    while i < x:
        n += a is b
        a, b = b, a
        i += 1
    return n


def in_a_later_round(x):
    a, b, i, n = [x], [x], 0, 0
    while i < x:
        n += a is b
        b = a
        i += 1
    return n


def two_names(x):
    if x > 0:
        b = c = [x]
    else:
        b = c = [x + 1]
    return b is c


def tuple_of_a_list_that_grows(x):
    pair = (1, x)
    pairs = [pair]
    if x > 0:
        pairs.append((2, x))
    return pairs[0] is pair


def tuple_of_an_argument(x):
    @function
    def first_is(pairs, pair):
        return pairs[0] is pair

    pair = (1, 2)
    return first_is([pair], pair)


def tuple_of_a_list_of_an_argument(x):
    @function
    def first_is(held):
        return held.held.held is held.kept

    pair = (1, ([2], 3))
    return first_is(Held(Box(pair), pair))


def tensors(x):
    a = b = x + 1
    if x > 0:
        b = x + 2
    return a is b


def ints(x):
    n = 0
    for i in range(x):
        n = n + i
    m = n + 1
    return m is n


def frozensets(x: Any) -> Any:
    items = frozenset([x, 1])
    return items is frozenset(items)


def frozensets_of_a_list(x: Any) -> Any:
    rows, items = [], frozenset([x])
    for _ in range(x):
        rows.append(items)
    return rows[0] is items


def reference_of_a_chosen_tensor(x):
    a, b = x + 1, x + 2
    names = {a.ref(): 1, b.ref(): 2}
    c = a if x > 0 else b
    return names.get(c.ref(), -1)


def reference_of_a_chosen_variable(x):
    names = {FIRST.ref(): 1, SECOND.ref(): 2}
    variable = FIRST if x > 0 else SECOND
    return names.get(variable.ref(), -1)


def reference_of_an_item(x):
    items = [x, x + 1]
    if x > 0:
        items.reverse()
    return items[0].ref() == x.ref()


def reference_behind_a_loop(x):
    a = b = x + 1
    for _ in range(x):
        b = x + 2
    return a.ref() == b.ref()


def id_of_a_chosen_tensor(x):
    a = x + 1
    b = a if x > 0 else x + 2
    return id(a) == id(b)


FIRST, SECOND = rt.Variable(1), rt.Variable(2)

REFUSED = {
    reference_of_a_chosen_tensor: "which object this tensor is",
    reference_of_a_chosen_variable: "which object this tensor is",
    reference_of_an_item: "which object this tensor is",
    reference_behind_a_loop: "which object this tensor is",
    id_of_a_chosen_tensor: "which object this tensor is",
    frozensets: "two frozensets",
    frozensets_of_a_list: "two frozensets",
    tuples: "'b' is one of several objects",
    tuple_of_a_list_that_grows: "two tuples",
    tuple_of_an_argument: "two tuples",
    tuple_of_a_list_of_an_argument: "two tuples",
    tensors: "two tensors",
    ints: "two numbers",
}


@pytest.mark.parametrize(
    ("program", "message"), REFUSED.items(), ids=lambda x: getattr(x, "__name__", "")
)
def test_refused(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(StagingError) as caught:
        function(program)(rt.constant(2))
    assert message in str(caught.value)
    assert caught.value.filename == program.__code__.co_filename


def same_object(x):
    a = [x]
    b = a
    if x > 0:
        x = x + 1
    return a is b, a is not b, x is x


def other_objects(x):
    a, b = [x], [x]
    if x > 0:
        a = [x + 1]
    return a is b, a is x, a is None, x is not a


def fresh_on_both(x):
    a, b = [x], [x]
    if x > 0:
        a, b = [x + 1], [x + 1]
    return a is b, a is not b


def nones(x):
    a, b = None, None
    if x > 0:
        a = x
    return a is b, b is not a, a is None


def two_optionals(x):
    a, b = None, None
    if x > 0:
        a = [x]
    if x > 1:
        b = [x]
    return a is b, a is not b


def truths(x):
    n = 0
    for i in range(x):
        n = n + i
    return (n > 0) is True, (n > 0) is not False, n is None, (n > 0) is x, (n > 1) is (n < 1)


def the_only_item(x):
    rows = [[x], [0]]
    rows.pop()
    row = rows[x - x]
    return row is rows[0], rows[-1] is row, (1, x) is (x,)


def functions(x):
    f = abs
    return f is abs, f is not x, x is f


def objects(x):
    a, b = Box(x), Box(x)
    if x > 0:
        b = a
    return a is b, b is not a, a is None


@pytest.mark.parametrize("x", [-1, 0, 2])
@pytest.mark.parametrize(
    "program",
    [
        *(objects, same_object, other_objects, fresh_on_both, nones, two_optionals, truths),
        *(functions, the_only_item),
    ],
)
def test_as_in_python(program: Callable[[Any], Any], x: int) -> None:
    left = function(program)(rt.constant(x))
    assert tuple(bool(item) for item in left) == program(x)


def list_in_such_a_tuple(x):
    pairs = [(1, [x])]
    if x > 0:
        pairs.append((2, [x]))
    pairs.append(pairs[0])
    return pairs[-1][1] is pairs[0][1]


OF_LISTS = [
    one_of_two,
    chosen_twice,
    optional_list,
    left_by_a_loop,
    in_a_loop,
    in_a_later_round,
    two_names,
    list_in_such_a_tuple,
]


@pytest.mark.parametrize("x", [-1, 0, 1, 2, 5])
@pytest.mark.parametrize("program", OF_LISTS)
def test_of_lists_as_in_python(program: Callable[[Any], Any], x: int) -> None:
    left = attempt(lambda: function(program)(rt.constant(x)))
    assert same_outcome(program(x), left), (program(x), left)
