"""Lists of lists, such as matrices, that branches and rounds replace."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as tf


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
