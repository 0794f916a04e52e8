"""Dicts of which Python knows the keys, in lists of which only the run knows the items: they are
read there, and nobody may change them any more.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python, of_tensors

PEOPLE = [{"name": "b", "age": 30}, {"name": "a", "age": 25}, {"name": "c", "age": 30}]


def chosen(people, n):
    return [person for person in people if person["age"] >= n]


def in_another_order(people, n):
    return sorted(people, key=lambda person: person["age"], reverse=True)


def read_in_an_order(people, n):
    made = sorted(people, key=lambda person: (person["age"], person["name"]))
    return [person["name"] for person in made]


def made_in_a_loop(people, n):
    rows = []
    for k in range(2, n):
        if k % 3:
            rows.append({"k": k, "square": k * k})
    return rows, sum(row["square"] for row in rows), len(rows)


def made_on_one_path(people, n):
    rows = []
    for person in people:
        if person["age"] >= n:
            rows.append({"name": person["name"], "double": person["age"] * 2})
    return rows


def made_for_a_name(people, n):
    rows = []
    for person in people:
        if person["age"] >= n:
            row = {"name": person["name"]}
            row["age"] = person["age"] + 1
            rows.append(row)
    return rows


def the_least(people, n):
    rows = chosen(people, n)
    best = rows[0]
    for row in rows:
        if row["age"] < best["age"]:
            best = row
    return best, best["name"]


def asked(people, n):
    rows = chosen(people, n)
    names = [row["name"] for row in rows if row["age"] == 30]
    return {"rows": rows}, names, max(rows, key=lambda row: row["age"])["name"]


def in_a_comprehension(people, n):
    rows = [{"i": i, "square": i * i} for i in range(n)]
    return rows, rows[n - 1]["square"]


def none_as_a_value(people, n):
    stack = []
    for i in range(n):
        stack.append({"value": i, "next": None})
    return len(stack), stack.pop()["value"]


def replaced(people, n):
    rows = chosen(people, n)
    rows[0] = {**rows[0], "age": 1}
    other = dict(rows[0])
    other["age"] = 2
    return rows, other, {"name": "c", "age": 30} in rows, rows == []


def in_pairs(people, n):
    pairs = [(person["age"], person) for person in people if person["age"] >= n]
    return pairs[0][1]["name"], pairs


def of_both_paths(people, n):
    rows = []
    for person in people:
        if person["age"] >= n:
            rows.append(person)
        else:
            rows.append({"name": "young", "age": 0})
    return rows


def a_queue(people, n):
    queue, total = [{"value": n, "depth": 0}], 0
    while queue:
        now = queue.pop(0)
        total += now["value"]
        if now["depth"] < 2:
            queue.append({"value": now["value"] * 2, "depth": now["depth"] + 1})
            queue.append({"value": now["value"] + 1, "depth": now["depth"] + 1})
    return total


SMALL = (made_in_a_loop, in_a_comprehension, none_as_a_value, a_queue)
PROGRAMS = (
    chosen, in_another_order, read_in_an_order, made_on_one_path, made_for_a_name, the_least,
    asked, replaced, in_pairs, of_both_paths, *SMALL,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_graphs_do_as_python_does(program: Callable[..., Any]) -> None:
    staged = rt.function(program)
    for n in (3, 5) if program in SMALL else (30, 26, 2):
        given = copy.deepcopy(PEOPLE)
        expected = program(given, n)
        args = of_tensors(copy.deepcopy(PEOPLE)), rt.constant(n, rt.int64)
        assert as_python(staged(*args)) == expected
        assert as_python(args[0]) == given


def item_changed(people, n):
    rows = chosen(people, n)
    rows[0]["age"] = 5
    return rows


def each_changed(people, n):
    rows = chosen(people, n)
    for row in rows:
        row["age"] += 1
    return people


def changed_by_its_name(people, n):
    row, rows = {"n": n}, []
    for person in people:
        if person["age"] >= n:
            rows.append(row)
    row["n"] = 7
    return rows


def changed_in_each_round(people, n):
    row, rows = {"n": n}, []
    for i in range(n):
        row["n"] = i
        rows.append(row)
    return rows


def changed_behind_its_path(people, n):
    row, rows = {"n": n}, []
    if people[0]["age"] >= n:
        rows.append(row)
    if people[1]["age"] < n:
        row["n"] = 7
    return rows


def argument_changed(people, n):
    rows = chosen(people, n)
    people[0].update(age=99)
    return rows


def is_one(people, n):
    return chosen(people, n)[0] is people[0]


def sorted_in_place(people, n):
    people.sort(key=lambda person: person["age"])
    return people[0]["name"]


def sorted_without_a_key(people, n):
    return sorted(chosen(people, n))


def beside_numbers(people, n):
    rows = []
    for person in people:
        if person["age"] >= n:
            rows.append(person)
        if person["age"] < n:
            rows.append(n)
    return rows


PLAIN = {"name": "x", "age": 1}


def of_another_name(people, n):
    rows = chosen(people, n)
    rows.append(PLAIN)
    return rows


CHANGED = "a dict is changed that is an item of a list"


def changed_where_the_list_grows(people, n):
    first = {"name": "b", "age": n}
    rows = [first]
    if people[0]["age"] > 0:
        first["age"] = 2
        rows.append({"name": "a", "age": n})
    return rows


def changed_where_an_inner_path_grows_it(people, n):
    rows = [{"age": 1}]
    if people[0]["age"] > n:
        rows[0]["age"] = 5
    elif people[1]["age"] > n:
        rows.append({"age": 2})
    return rows


def changed_in_a_tuple_where_the_list_grows(people, n):
    first = {"name": "b", "age": n}
    rows = [(1, first)]
    for i in range(n):
        first["age"] = i
        rows.append((i, {"name": "a", "age": n}))
    return rows


def set_in_a_tuple_changed_by_its_name(people, n):
    ages = {n}
    rows = [(1, ages)]
    if people[0]["age"] > 0:
        rows.append((2, {n}))
    ages.add(4)
    return sorted(rows[0][1])


def chosen_of_other_values(people, x):
    table = {1: {"k": {"a": x}, "b": 1}, 2: {"k": 6}}
    table[1 + (x > 1)]["k"] = x
    return table[1]["k"]


def chosen_of_other_keys(people, x):
    rows = []
    for i in range(x):
        rows.append({"k": i, "seen": [i]})
    table = {1: rows[0], 2: {"k": 6}}
    table[1 + (x > 1)]["k"] = x
    return rows


def with_lists_in_them(people, x):
    rows = [{"k": 0, "seen": [0]}, {"k": 1, "seen": [1]}]
    while len(rows) > x:
        rows.pop(0)
    return rows


def found_and_changed_in_the_list(people, x):
    rows = [{"k": 0}, {"k": 1}, {"k": x}]
    found = rows[0]
    for row in rows:
        if row["k"] == x:
            found = row
            break
    rows[-1]["k"] = 9
    return found


def found_by_a_helper(people, x):
    rows = [{"k": 0}, {"k": 1}, {"k": x}]

    def find():
        for _, row in enumerate(rows):
            if row["k"] == x:
                return row
        return rows[0]

    found = find()
    rows[-1]["k"] = 9
    return found


def found_among_many(people, x):
    rows = [{"k": 10 * i} for i in range(20)]
    found = rows[0]
    for row in rows:
        if row["k"] == x:
            found = row
            break
    rows[3]["k"] = 99
    return found


REFUSED: dict[Callable[..., Any], str] = {
    found_among_many: "is one of several objects",
    found_and_changed_in_the_list: "is one of several objects",
    found_by_a_helper: "is one of several objects",
    chosen_of_other_values: "what is in them does not fit together",
    chosen_of_other_keys: "one of several sets or dicts is changed, and only the run knows which",
    with_lists_in_them: "is a dict with .* which could be changed in place",
    item_changed: CHANGED,
    each_changed: CHANGED,
    changed_by_its_name: CHANGED,
    changed_in_each_round: CHANGED,
    changed_behind_its_path: CHANGED,
    argument_changed: CHANGED,
    is_one: "one object is not known",
    sorted_in_place: "get other places there",
    sorted_without_a_key: "sort.. orders items that are no numbers",
    beside_numbers: "beside items of other kinds",
    of_another_name: "may have other names",
    changed_where_the_list_grows: CHANGED,
    changed_where_an_inner_path_grows_it: CHANGED,
    changed_in_a_tuple_where_the_list_grows: CHANGED,
    set_in_a_tuple_changed_by_its_name: "whose items have got other places",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(autograph.StagingError, match=REFUSED[program]) as caught:
        rt.function(program)(of_tensors(copy.deepcopy(PEOPLE)), rt.constant(30, rt.int64))
    assert caught.value.filename == __file__
    assert caught.value.hint


def rows_of_a_table():
    return [{"a": 1, "b": "x"}, {"a": 3, "b": "y"}, {"a": 5, "b": "z"}]


def put_by_a_name(k):
    table = rows_of_a_table()
    row = table[k]
    row["a"] = 7
    return table, row["a"]


def put_at_two_places(k):
    table = rows_of_a_table()
    table[k]["a"] = 7
    table[k - 1]["a"] += 2
    table[k]["a"], table[0]["a"] = table[0]["a"], table[k]["a"]
    return table


def put_in_rounds(k):
    table = rows_of_a_table()
    for i in range(k + 2):
        table[i]["a"] += i
    return table


def put_on_both_paths(k):
    table = rows_of_a_table()
    if k > 0:
        table[k]["a"] += 4
    else:
        table[k]["b"] = "new"
    return table


def read_before_another_is_put(k):
    table = rows_of_a_table()
    before, row = table[k]["a"], table[k]
    table[1]["a"] = 9
    return table, before, row["a"]


def put_through_a_helper(k):
    def bump(row):
        row["a"] += 1
        return row

    table = rows_of_a_table()
    bump(bump(table[k]))
    return table


def two_images_of_one(k):
    table = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    turned = [table[1], table[0], table[1]]
    row, other = table[k], turned[1 - k]
    row["a"] = 7
    other["b"] = row["a"] + 1
    return table, row["b"], other["a"]


def lists_as_values(k):
    table = [{"items": [1], "n": 1}, {"items": [2], "n": 2}]
    table[k]["items"].append(5)
    table[k]["n"] = len(table[k]["items"])
    table[k - 1]["items"] = [7]
    return table


def put_in_its_place(k):
    table = rows_of_a_table()
    table[k] = {**table[k], "a": 7}
    return table


def of_lists_of_lists(k):
    table = [[{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 4}]]
    table[k][k]["a"] += 7
    return table


PUT = (
    put_by_a_name, put_at_two_places, put_in_rounds, put_on_both_paths, put_through_a_helper,
    read_before_another_is_put, two_images_of_one, lists_as_values, put_in_its_place,
    of_lists_of_lists,
)  # fmt: skip


@pytest.mark.parametrize("program", PUT, ids=lambda program: program.__name__)
def test_an_entry_of_the_one_that_is_meant_is_put(program: Callable[..., Any]) -> None:
    staged = rt.function(program)
    for k in (0, 1):
        assert as_python(staged(rt.constant(k, rt.int64))) == program(k)


def put_behind_a_list_that_grows(k):
    table = [{"a": 1}, {"a": 3}]
    row = table[k]
    if k > 0:
        table.append({"a": 9})
    row["a"] = 7
    return table


def taken_away(k):
    row = rows_of_a_table()[k]
    del row["a"]
    return len(row)


def put_in_a_block_behind(k):
    table = rows_of_a_table()
    row = table[k]
    if k > 0:
        row["a"] = 4
    return table


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (put_behind_a_list_that_grows, CHANGED),
        (taken_away, "'an item of the list' is one of several objects"),
        (put_in_a_block_behind, "'an item of the list' is one of several objects"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_would_not_be_seen_is_refused(program: Callable[..., Any], words: str) -> None:
    with pytest.raises((autograph.StagingError, rt.errors.OperatorNotAllowedInGraphError)) as error:
        rt.function(program)(rt.constant(1))
    assert words in str(error.value)
    assert __file__ in str(error.value)
