"""Objects with several names, which a staged statement chooses: as in Python, or refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from autograph import StagingError
from runtime.functions.function import function
from tests.support.staging import attempt, same_outcome


@dataclasses.dataclass
class Box:
    held: Any


def rebound_and_changed(x):
    d = {"a": 1}
    if x > 0:
        d = {"a": 2}
    else:
        d["a"] = 4
    return d["a"]


def one_of_two(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    b[0] = 9
    return a[0]


def original_changed(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    a[0] = 9
    return b[0]


def ternary(x):
    a, b = [x], [x * 2]
    c = a if x > 0 else b
    c[0] = 7
    return a[0], b[0]


def two_names(x):
    if x > 0:
        a = b = [x * 2]
    else:
        a = b = [x]
    a[0] = 10
    return b[0]


def found(x):
    rows = [[1], [2]]
    hit = rows[0]
    for row in rows:
        if row[0] == x:
            hit = row
    hit[0] = 7
    return rows[0][0], rows[1][0]


def optional_one(x):
    a, b = [1], None
    if x > 0:
        b = a
    a[0] = 5
    return 0 if b is None else b[0]


def through_two_branches(x):
    a = [1]
    b = a
    if x > 0:
        if x > 1:
            b = [2]
    else:
        b = [3]
    b[0] = 9
    return a[0]


def changed_in_branch(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    if x > 1:
        b[0] = 9
    return a[0]


def in_an_object(x):
    box, a = Box([1]), [2]
    if x > 0:
        box.held = a
    box.held[0] = 9
    return a[0]


def left_by_a_loop(x):
    a = [1]
    b, i = a, 0
    while i < x:
        b = [i]
        i += 1
    b[0] = 9
    return a[0]


def changed_in_a_loop(x):
    a, b, i = [1], [2], 0
    while i < x:
        a, b = b, a
        a[0] = i
        i += 1
    return a[0]


def changed_in_the_next_round(x):
    a, b = [], [1, 2]
    for i in range(x):
        if i > 1:
            b[0] = i
        else:
            a = b
    return a, b


def dict_changed_in_the_next_round(x):
    a, b = {}, {}
    for i in range(x):
        if i > 1:
            a = b
        else:
            b[i] = 1
    return len(a)


def item_changed_in_the_next_round(x):
    a, b = [[1, 2], [3]], []
    for i in range(x):
        if i < 1:
            a = [b]
        else:
            b.append(i)
    return a


def value_changed_in_the_next_round(x):
    a, b = {"k": [1]}, []
    for i in range(x):
        if i < 1:
            a = {"k": b}
        else:
            b.append(i)
    return a["k"]


def placed_and_changed_in_the_next_round(x):
    a, b = [[1], [2]], []
    for i in range(x):
        if i < 1:
            a[0] = b
        else:
            b.append(i)
    return a


def grown_by_another_name(x):
    rows = [[1], [2]]
    other = rows
    if x > 1:
        other.append([3])
    return rows


def grown_by_another_name_of_an_empty_row(x):
    rows = [[]]
    if x > 1:
        other = rows
        other.append([])
    return rows


def row_copied_where_its_list_is_replaced(x):
    row = [7]
    rows = [row]
    for i in range(2):
        if x > i:
            if i > 3:
                rows.append([x])
            row = row[:]
        else:
            rows = [[x], [i]]
    return rows


class Store:
    def __init__(self):
        self.data = {"a": 1}


def attribute_replaced(x):
    box, other = Store(), {"a": 5}
    if x > 0:
        box.data = other
    box.data["a"] += 1
    return other["a"]


def entry_replaced(x):
    found, other = {"k": {"a": 1}}, {"a": 5}
    for _ in range(x):
        found["k"] = other
    found["k"]["a"] += 1
    return other["a"]


def entry_replaced_and_changed(x):
    found = {"k": {"a": 1}}
    if x > 0:
        found["k"] = {"a": 2}
    else:
        found["k"]["a"] = 3
    return found["k"]["a"]


def result_behind_an_early_return(x):
    a = {"k": 1}
    if x == 7:
        return None
    a["k"] += x
    return a


def result_of_a_loop_behind_an_early_return(x):
    a = {"k": 1}
    if x == 7:
        return None
    for i in range(x):
        a["k"] += i
    return a


def part_of_a_result(x):
    a = {"k": 1}
    if x == 7:
        return {"r": {"k": 0}}
    a["k"] += x
    return {"r": a}


def another_name_on_one_path(x):
    a = {"k": 1}
    found = None
    if x > 0:
        a["k"] += x
        found = a
    return found


REFUSED = {
    part_of_a_result: "the result is 'a' on one path, which is changed in place there",
    dict_changed_in_the_next_round: "'a' is one of several objects",
    rebound_and_changed: "'d' is changed in place on one path",
    attribute_replaced: "'box.data' is one of several objects",
    entry_replaced: "\"found['k']\" is one of several objects",
    entry_replaced_and_changed: "\"found['k']\" is changed in place on one path",
}


@pytest.mark.parametrize(
    ("program", "message"), REFUSED.items(), ids=lambda x: getattr(x, "__name__", "")
)
def test_refused(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(StagingError) as caught:
        function(program)(rt.constant(2))
    assert message in str(caught.value)
    code = program.__code__
    assert caught.value.filename == code.co_filename
    first, last = code.co_firstlineno, max(line for *_, line in code.co_lines() if line)
    assert first < caught.value.lineno <= last


def fresh_on_both(x):
    if x > 0:
        a, b = [x], [x * 2]
    else:
        a, b = [x * 3], [x * 4]
    a[0] = 9
    return a[0], b[0]


def only_read(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    return a[0] + b[0]


def copied(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    b = list(b)
    b[0] = 9
    return a[0], b[0]


def changed_before(x):
    a = [1]
    b = a
    a[0] = 5
    if x > 0:
        b = [2]
    return a[0], b[0]


def changed_on_both(x):
    a = [1]
    b = a
    if x > 0:
        b[0] = 2
    else:
        a[0] = 3
    return a[0], b[0]


def fresh_in_a_loop(x):
    pair, i = [0, 1], 0
    while i < x:
        pair = [pair[1], pair[0]]
        pair[0] = pair[0] + 1
        i += 1
    return pair[0], pair[1]


def found_and_read(x):
    rows = [[1, 5], [2, 6]]
    hit = rows[0]
    for row in rows:
        if row[0] == x:
            hit = row
    return hit[1]


def result_of_a_round(x):
    table, seen = {"k": x}, []
    for i in range(3):
        table["k"] += 1
        seen.append(i)
        if table["k"] > 3:
            return table, seen
    table["b"] = x
    return table, seen


def result_that_a_finally_changes(x):
    table = {"k": x}
    try:
        if x > 0:
            return table
        table["k"] = x * 2
    finally:
        table["k"] += 1
    return table


def changed_by_a_name_that_may_be_none(x):
    a, b = {"k": 1}, None
    if x > 0:
        b = (a, x)
    a["k"] += 1
    if b is not None:
        b[0]["k"] += 10
    return a, b is None


def row_that_is_kept(x):
    rows, best = [[1], [2], [3]], None
    for i in range(x):
        row = rows[i % 3]
        row[0] += i
        if row[0] > 3:
            best = (row, i)
    return rows, best


def entry_that_is_kept(x):
    tables, found = [{"a": 1}, {"a": 2}], None
    table = tables[x % 2]
    if x > 1:
        found = table
    table["a"] += 5
    return found, tables


def kept_from_a_round_before_it_is_made_anew(x):
    a, kept = [1], None
    for i in range(3):
        if x > i:
            kept = (a, i)
        a = [*a, i]
        a[0] += 1
    return a, kept


AS_IN_PYTHON = [
    result_behind_an_early_return,
    result_of_a_loop_behind_an_early_return,
    another_name_on_one_path,
    result_of_a_round,
    result_that_a_finally_changes,
    changed_by_a_name_that_may_be_none,
    kept_from_a_round_before_it_is_made_anew,
    row_that_is_kept,
    entry_that_is_kept,
    fresh_on_both,
    only_read,
    copied,
    changed_before,
    changed_on_both,
    fresh_in_a_loop,
    found_and_read,
    item_changed_in_the_next_round,
    value_changed_in_the_next_round,
    placed_and_changed_in_the_next_round,
    grown_by_another_name,
    grown_by_another_name_of_an_empty_row,
    row_copied_where_its_list_is_replaced,
    changed_in_the_next_round,
    one_of_two,
    original_changed,
    ternary,
    two_names,
    found,
    optional_one,
    through_two_branches,
    changed_in_branch,
    in_an_object,
    left_by_a_loop,
    changed_in_a_loop,
]


@pytest.mark.parametrize("x", [-1, 0, 1, 2, 5, 7])
@pytest.mark.parametrize("program", AS_IN_PYTHON)
def test_as_in_python(program: Callable[[Any], Any], x: int) -> None:
    left = attempt(lambda: function(program)(rt.constant(x)))
    assert same_outcome(program(x), left), (program(x), left)
