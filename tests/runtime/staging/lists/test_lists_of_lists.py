"""Lists of lists, such as matrices, that branches and rounds replace."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf
from tests.support.staging import attempt, same_outcome


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(2)) for j in range(2)] for i in range(2)]


def made(n):
    return [[n, 2], [n, 3]]


def power(n):
    result, base = [[1, 0], [0, 1]], [[1, 1], [1, 0]]
    while n > 0:
        if n % 2 == 1:
            result = times(result, base)
        base = times(base, base)
        n //= 2
    return result


def in_a_branch(n):
    rows = [[1, 0], [0, 1]]
    if n > 1:
        rows = made(n)
    return rows


def in_rounds(n):
    rows = [[1, 0], [0, 1]]
    for i in range(n):
        rows = made(i)
        rows[0][1] += i
    return rows, len(rows), rows[0] + rows[1], [item for row in rows for item in row]


def on_both_paths(n):
    rows = [[1, 0], [0, 1]]
    rows = made(n) if n > 1 else [[4, 4], [n, n]]
    return rows, rows[n % 2]


def turned(n):
    rows = [[1, 0], [0, 1]]
    while n > 0:
        if n % 2 == 1:
            rows = [row[::-1] for row in rows]
        n //= 2
    return rows


def of_dicts(n):
    rows = [{"a": 1}, {"a": 2}]
    if n > 1:
        rows = [{"a": n} for _ in range(2)]
    return rows[0]["a"], rows


def by_another_name(n):
    rows = [[1, 0], [0, 1]]
    other = rows
    if n > 1:
        rows = made(n)
    rows[0][0] = 9
    return other, rows


def a_row_of_before(n):
    rows = [[1, 0], [0, 1]]
    row = rows[0]
    if n > 1:
        rows = made(n)
    row[0] = 5
    return rows, row


def grown_behind(n):
    rows = [[1, 0], [0, 1]]
    if n > 1:
        rows = made(n)
    rows.append([n, n])
    return rows


def plain(value: Any) -> Any:
    return tf.nest.map_structure(lambda x: np.asarray(x).item(), value)


PROGRAMS = [
    *(power, in_a_branch, in_rounds, on_both_paths, turned, of_dicts),
    *(by_another_name, a_row_of_before, grown_behind),
]


def of_a_path(n, k):
    rows = [[i, i * 2] for i in range(n)]
    if k >= 0:
        row = rows[k]
        rows.append([5])
    else:
        raise ValueError("no row")
    row.append(7)
    rows.append(list(row))
    return row, rows


def of_a_try(n, k):
    rows = [[i, i * 2] for i in range(n)]
    try:
        row = rows[k]
        other = rows[k + 1]
    except IndexError:
        row = other = rows[0]
    row.append(7)
    other.append(8)
    return row, other, rows, row is other


def of_a_helper(n, k):
    rows = [[i, i * 2] for i in range(n)]

    def picked(at):
        if at < len(rows):
            return rows[at]
        raise IndexError("there is none")

    one, other = picked(k), picked(k + 1)
    one.append(1)
    other.append(2)
    return len(one), other, rows


def of_either_place(n, k):
    rows = [[i, i * 2] for i in range(n)]
    row = rows[k] if k > 1 else rows[k + 1]
    row.append(7)
    rows[k + 1].append(9)
    return row, rows


def of_a_group(n, k):
    groups = {}
    for i in range(n):
        groups.setdefault(i % 3, []).append(i)
    if k in groups:
        group = groups[k]
    else:
        raise KeyError(k)
    group.append(99)
    groups[7] = [1]
    return group, groups


def that_moved(n, k):
    rows = [[i, i * 2] for i in range(n)]
    if k >= 0:
        row = rows[k]
        rows.pop(0)
    else:
        raise ValueError("no row")
    row.append(7)
    return row, rows


def of_several_dicts(n, k):
    table = [{1: 1}, {1: 2}, {1: 3}]
    try:
        entries = table[k]
    except IndexError:
        return -1, n
    return entries[1], len(entries)


def of_several_rounds(n, k):
    table = [{1: 1}, {1: 2}, {1: 3}]
    for i in range(n):
        if i == k:
            entries = table[i]
            break
    else:
        raise ValueError("no entries")
    return entries[1]


@pytest.mark.parametrize(
    "function",
    [
        *(of_a_path, of_a_try, of_a_helper, of_either_place, of_a_group, that_moved),
        *(of_several_dicts, of_several_rounds),
    ],
)
def test_a_row_of_one_path(function: Callable[..., Any]) -> None:
    """The other path ends."""
    staged = tf.function(function)
    for n in (3, 4):
        for k in (0, 1, 2, 3, 7, -1):
            expected = attempt(lambda n=n, k=k: plain(function(n, k)))
            got = attempt(lambda n=n, k=k: plain(staged(tf.constant(n), tf.constant(k))))
            assert same_outcome(expected, got), (n, k)


@pytest.mark.parametrize("function", PROGRAMS)
def test_lists_that_code_makes_anew_are_pythons(function: Callable[..., Any]) -> None:
    staged = tf.function(function)
    for n in (0, 1, 2, 3, 6):
        assert plain(staged(tf.constant(n))) == plain(function(n)), n


def by_digits(numbers):
    place = 1
    while numbers[0] // place > 0:
        buckets = [[] for _ in range(3)]
        for x in numbers:
            buckets[x // place % 3].append(x)
        numbers = [x for bucket in buckets for x in bucket]
        place *= 3
    return numbers


@pytest.mark.parametrize("threshold", [0, 1, 700])
def test_no_collector_decides_what_is_staged(threshold: int) -> None:
    before = gc.get_threshold()
    gc.set_threshold(threshold)  # 0: what is in a cycle stays
    try:
        found = tf.function(by_digits)(tf.constant([7, 5, 3, 8, 0]))
    finally:
        gc.set_threshold(*before)
    assert plain(found) == by_digits([7, 5, 3, 8, 0])
