"""Lists in machine code: written in place where each is used up by what makes the next one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime.graph import lists
from runtime.graph.executors.lowering import ALL, Lowering
from runtime.graph.executors.native.copied_lists import Ownership
from runtime.graph.ir import walk
from runtime.graph.nodes import CALL, apply
from tests.support.native import Pair, optimized

Function = Callable[..., Any]


def appended_to_both(n: Any) -> Any:
    a, b = [], []
    for i in range(n):
        a.append(i)
        b.append(i + len(a))
    return a[-1], b[-1]


def read_before(n: Any) -> Any:
    a = []
    for i in range(n):
        size = len(a)
        last = a[size - 1] if size > 0 else 0
        a.append(i + last)
    return a[-1]


def appended_on_one_path(n: Any) -> Any:
    a = []
    for i in range(n):
        if i % 3 > 0:
            a.append(i)
        elif len(a) > 2:
            a[0] = i
    return a[0], a[-1], len(a)


def popped(n: Any) -> Any:
    stack, total = [0], 0
    for i in range(n):
        if i % 3 == 2:
            total = total * 3 + stack.pop()
        stack.append(i)
        if i % 5 == 4:
            total -= stack.pop(0) + stack.pop(1)
    return total, len(stack), stack[-1]


def popped_rows(n: Any) -> Any:
    rows = [rt.constant([0.0, 1.0])]
    for i in range(n):
        rows.append(rows[-1] + rt.cast(i, rt.float32))
        if i % 2 == 1:
            rows.append(rows.pop(0) * 2.0)
    return rt.stack(rows)


def inserted(n: Any) -> Any:
    a, total = [3], 0
    for i in range(n):
        number, k = i * 7 % 11, 0
        while k < len(a) and a[k] < number:
            k += 1
        before = a[:]
        a.insert(k, number)
        a.insert(-1, i)
        before.insert(100, k)
        if len(a) > 9:
            a.insert(0, a.pop(i % 4))
        total = total % 1009 * 3 + before[-1] + len(before) + a[k]
    return total, a[0], a[-1], len(a)


def inserted_rows(n: Any) -> Any:
    rows, total = [[1], [2, 3]], 0
    for i in range(n):
        rows.insert(i % 3, [i] * (i % 4 + 1))
        rows[1].append(len(rows))
        if i % 5 == 4:
            total += rows.pop(1)[-1]
    return total, rows[0][0], rows[-1][-1], [len(row) for row in rows]


def a_queue(n: Any) -> Any:
    waiting, served, total = [1, 2, 3], 0, 0
    while waiting and served < n * 40:
        first = waiting.pop(0)
        served += 1
        total = (total * 3 + first) % 10007
        if first % 7 < 5 and len(waiting) < 60:
            waiting.append(total)
            waiting.append(first + served)
        if served % 50 == 49:
            waiting.insert(1, waiting.pop())
            waiting = waiting[len(waiting) // 2 :]
    return total, served, len(waiting), sum(waiting)


def queues_of_rows_and_truths(n: Any) -> Any:
    rows: Any = [[1], [2, 3]]
    truths, total = [True], 0
    for i in range(n * 10):
        rows.append([i] * (i % 4 + 1))
        truths.append(i % 3 == 0)
        truths.append(len(rows) > 4)
        row = list(rows.pop(0))
        row.append(i)
        if truths.pop(0):
            total += row[0] * len(row)
        if i % 13 == 12:
            rows.append([total])
    return total, len(rows), rows[0][0], rows[-1][-1], len(truths)


def best_of(n: Any) -> Any:
    best = [0] * (n + 1)
    for i in range(n):
        place = n
        while place > i:
            best[place] = max(best[place], best[place - i - 1] + i % 3)
            place -= 1
    return best[n]


def joined_lists(n: Any) -> Any:
    a, b, total = [1], [0.5], 0
    for i in range(n):
        a = [*a, i, len(b)]
        b.extend([v * 0.5 for v in a[1:3]])
        if i % 4 == 3:
            a = a[2:]
            total = total * 3 + len(a) + a[0]
    return total, a[-1], b[-1], len(b)


def sliced_beside(n: Any) -> Any:
    a, b, total = [1, 2, 3], [0], 0
    for i in range(n):
        b.append(i)
        part = a[1:]
        part.append(i)
        b.extend(part)
        total = total * 2 + len(part) + a[0]
        if i % 5 == 4:
            a.extend(b[:2])
    return total % 10007, b[-1], len(b), len(a)


def widened(n: Any) -> Any:
    least, total = [1000] * n, 0.0
    for i in range(n):
        if i % 2 == 0:
            least[i] = i * 0.25
        total = total * 0.5 + least[i]
    return total


def dropped_from_copies(n: Any) -> Any:
    a, total = [1, 2, 3], 0
    for i in range(n):
        b = a.copy()
        b.append(i)
        total = total * 2 + b.pop(0) + b[1]
        a.append(i)
        a.pop(i % 2)
        total += len(b)
    return total % 10007, a[0], a[-1]


def kept_beside(n: Any) -> Any:
    a, total = [0], 0
    for i in range(n):
        more = [*a, i]
        a.append(len(more))
        total = total % 1009 * 2 + more[-1]
    return a[-1], total


def table_of_ways(n: Any) -> Any:
    ways = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        ways[i][0] = ways[0][i] = 1
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            ways[i][j] = (ways[i - 1][j] + ways[i][j - 1]) % 10007
    return ways[n][n], len(ways), len(ways[n - 1])


def shortest_paths(n: Any) -> Any:
    far = [[abs(i - j) * 1.5 + (i * j) % 3 for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if far[i][k] + far[k][j] < far[i][j]:
                    far[i][j] = far[i][k] + far[k][j]
    return sum(map(sum, far)), far[n - 1][0]


def rows_that_grow(n: Any) -> Any:
    rows = [[0]]
    for i in range(n):
        rows.append([i, i])
        rows[i].append(i * 2)
        if i % 3 == 2:
            rows.append(rows.pop(1))
            rows[0] = [rows[0][-1]] * (i % 4 + 1)
    return sum([sum(row) for row in rows]), len(rows[0]), rows[-1][0]


def buckets(n: Any) -> Any:
    rows: Any = [[] for _ in range(n)]
    for i in range(n * 3):
        rows[i * 7 % n].append(i)
    total = 0
    for row in rows:
        for value in row:
            total = (total * 3 + value) % 10007
    return total, max([len(row) for row in rows])


def copies_of_tables(n: Any) -> Any:
    cells = [[i + j for j in range(n)] for i in range(n)]
    for _ in range(3):
        before = [row[:] for row in cells]
        for i in range(n):
            for j in range(n):
                cells[i][j] = before[j][i] + before[i - 1][j]
    return cells[n - 1][0], cells[0][n - 1], before[1][1]


def rows_beside(n: Any) -> Any:
    rows = [[i, i + 1] for i in range(n)]
    total = 0
    for i in range(n):
        row = rows[i]
        rows.append([row[1], i])
        total = total * 2 + row[0] + len(rows)
    return total % 10007, rows[-1][0]


@pytest.mark.parametrize(
    ("function", "is_linear"),
    [
        (appended_to_both, True),
        (read_before, True),
        (appended_on_one_path, True),
        (popped, True),
        (popped_rows, True),
        (a_queue, True),
        (queues_of_rows_and_truths, True),
        (inserted, True),
        (inserted_rows, True),
        (best_of, True),
        (joined_lists, True),
        (sliced_beside, True),
        (widened, True),
        (dropped_from_copies, False),
        (kept_beside, True),
        (table_of_ways, True),
        (shortest_paths, True),
        (rows_that_grow, True),
        (buckets, True),
        (copies_of_tables, True),
        (rows_beside, True),
    ],
)
def test_lists_that_are_read_before_they_are_used_up_are_written_in_place(
    function: Function, is_linear: bool
) -> None:
    graph = optimized(function, (np.int32(5),))
    copied = Ownership().copied_lists(Lowering(graph, contiguous=True).function(ALL))
    assert bool(copied) is not is_linear
    pair = Pair(graph)
    for n in (5, 6, 40):
        pair.compare(np.array(n, np.int32))
        found = rt.nest.flatten(rt.function(function)(rt.constant(n)))
        expected = rt.nest.flatten(function(n))
        for made, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(made, wanted, 1e-6)
    assert pair.aside == 0


def copies_of_rows(x: Any, n: Any) -> Any:
    rows, total = [x], 0.0
    for i in range(n):
        others = rows.copy()
        others.append(x * 0.5)
        rows.append(x + float(i))
        total = total + others[-1][0] + others[i // 2][1]
    return total, rows[-1][0]


def test_memory_that_loops_leave_behind_is_bounded() -> None:
    """Lists that are copied in each round are free when the call ends: where these are more than a
    GB, Python's program takes over.
    """
    x = np.linspace(0.0, 1.0, 100_000).astype(np.float32)
    graph = optimized(copies_of_rows, (x, np.int32(5)))
    assert Ownership().copied_lists(Lowering(graph, contiguous=True).function(ALL))
    pair = Pair(graph)
    for n, aside in ((5, 0), (80, 1)):
        pair.compare(x, np.array(n, np.int32))
        assert pair.aside == aside


def emptied_when_full(n: Any, most: Any) -> Any:
    waiting, total = [0], 0
    for i in range(n):
        while len(waiting) < most:
            waiting.append(i)
        while len(waiting) > 0:
            total = (total * 3 + waiting.pop(0)) % 10007
    return total


def test_memory_of_a_queue_that_was_emptied_is_used_again() -> None:
    """Of one, too, that had filled all of it: 400 times as much as here is more than a GB."""
    pair = Pair(optimized(emptied_when_full, (np.int32(5), np.int32(9))))
    pair.python = lambda *raws: pytest.fail("native code has stepped aside")
    (total,) = pair.native(np.array(400, np.int32), np.array(147_149, np.int32))
    assert 0 < total < 10007


FOUND_IN = ["bool", "int8", "uint16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]


def found_in(x: Any, y: Any, a: Any, b: Any) -> Any:
    first, second = apply(lists.UNSTACK, x), apply(lists.UNSTACK, y)
    return apply(lists.FIND, first, a), apply(lists.FIND, second, first, b, a)


@pytest.mark.parametrize("name", FOUND_IN)
def test_the_place_of_an_item(name: str) -> None:
    dtype = rt.as_dtype(name).np_dtype
    draw = np.random.default_rng(0)
    for size in (0, 1, 5, 31, 32, 33, 64, 65, 300):
        x, y = draw.integers(0, 12, size).astype(dtype), draw.integers(0, 5, size)
        if not np.issubdtype(dtype, np.integer) and dtype != np.bool_:
            x[::3] *= -0.0
            x[1::7] = np.nan
        pair = Pair(optimized(found_in, (x, y, dtype.type(0), np.int64(0))))
        for a, b in [(0, 1), (11, 4), (1, 0), *draw.integers(0, 13, (4, 2))]:
            given = x, y, np.array(a).astype(dtype), np.array(b)
            pair.compare(*given)
            are_equal = x == given[2]
            places = [np.flatnonzero(are_equal), np.flatnonzero(are_equal & (y == b))]
            expected = [int(each[0]) if len(each) else -1 for each in places]
            assert list(map(int, pair.native(*given))) == expected
        assert pair.aside == 0


def sorted_by_halves(n: Any) -> Any:
    def in_order(items: Any) -> Any:
        if len(items) <= 1:
            return items
        half = len(items) // 2
        first, second = in_order(items[:half]), in_order(items[half:])
        made, i, j = [], 0, 0
        while i < len(first) and j < len(second):
            if first[i] <= second[j]:
                made.append(first[i])
                i += 1
            else:
                made.append(second[j])
                j += 1
        return made + first[i:] + second[j:]

    return in_order([i * 37 % 23 for i in range(n)])


def sums_of(n: Any) -> Any:
    found, parts = [], []

    def go_on(least: Any, left: Any) -> None:
        if left == 0:
            found.append(list(parts))
            return
        if least > left:
            return
        parts.append(least)
        go_on(least, left - least)
        parts.pop()
        go_on(least + 1, left)

    go_on(1, n % 12)
    return [len(each) for each in found], sum(map(sum, found))


def visited(n: Any) -> Any:
    near: Any = [[] for _ in range(n)]
    for i in range(n):
        near[i].append(i * i % n)
        near[i * 3 % n].append(i)
    seen, order = [False for _ in range(n)], []

    def visit(at: Any) -> None:
        seen[at] = True
        order.append(at)
        for there in near[at]:
            if not seen[there]:
                visit(there)
        order.append(-at)

    for i in range(n):
        if not seen[i]:
            visit(i)
    return order


def moved_between(n: Any) -> Any:
    pegs, moves = [[3, 2, 1], [], []], 0

    def move(count: Any, a: Any, b: Any, c: Any) -> None:
        nonlocal moves
        if count > 0:
            move(count - 1, a, c, b)
            pegs[c].append(pegs[a].pop())
            moves += 1
            move(count - 1, b, a, c)

    move(n % 4, 0, 1, 2)
    return pegs[0], pegs[2], moves


def read_behind_the_call(n: Any) -> Any:
    items = [i for i in range(n)]

    def longer(given: Any, left: Any) -> Any:
        if left == 0:
            return len(given)
        made = list(given)
        made.append(left)
        return longer(made, left - 1) + given[0] + len(given)

    items.append(longer(items, n))
    return items


def changed_in_the_call(n: Any) -> Any:
    items: Any = []

    def grow(given: Any, left: Any) -> None:
        if left > 0:
            given.append(left)
            grow(given, left - 1)
            given[0] += len(given)

    grow(items, n)
    kept = list(items)
    grow(items, n // 2)
    return items, kept


def handed_back(n: Any) -> Any:
    def both(a: Any, b: Any, left: Any) -> Any:
        if left == 0:
            return b, a
        a.append(left)
        return both(b, a, left - 1)

    first, second = both([n], [n, 0], n)
    first.append(100)
    second[0] = -1
    return first, second


def passed_twice(n: Any) -> Any:
    def mixed(a: Any, b: Any, left: Any) -> Any:
        if left == 0:
            return sum(a) - sum(b)
        a = [x + left for x in a]
        made = changed(a, a, left)
        return mixed(a, list(b), left - 1) + sum(made) + a[-1]

    def changed(a: Any, b: Any, left: Any) -> Any:
        if left > 2:
            a.append(len(b))
            return changed(b, b, left - 2)
        return list(a)

    return mixed([i for i in range(n)], [2 * i for i in range(n)], n % 6)


def rows_of_calls(n: Any) -> Any:
    table = [[i] for i in range(n)]

    def fill(rows: Any, at: Any) -> Any:
        if at >= 0:
            rows[at].append(len(rows[n - 1 - at]))
            fill(rows, at - 1)
        return rows

    same = fill(table, n - 1)
    before = [len(row) for row in table]
    same[0].append(77)
    return before, [len(row) for row in table], same[0]


def called_in_loops(n: Any) -> Any:
    kept, total = [n], 0

    def smaller(items: Any, left: Any) -> Any:
        if left == 0:
            return list(items)
        items = list(items)
        items.append(left)
        return smaller(items[-3:], left - 1)

    for i in range(n):
        given = smaller(kept, i % 4)
        kept.append(given[-1])
        total += sum(given)
    return kept, total


def each_other(n: Any) -> Any:
    log: Any = []

    def even(items: Any, left: Any) -> Any:
        log.append(left)
        return items if left == 0 else odd([*items, left], left - 1)

    def odd(items: Any, left: Any) -> Any:
        log.append(-left)
        items[0] += left
        return items if left == 0 else even(items, left - 1)

    return even([0], n), log


@pytest.mark.parametrize(
    "function",
    [
        sorted_by_halves, sums_of, visited, moved_between, read_behind_the_call,
        changed_in_the_call, handed_back, passed_twice, rows_of_calls, called_in_loops, each_other,
    ],
)  # fmt: skip
def test_functions_that_call_themselves_take_and_give_lists(function: Function) -> None:
    pair = Pair(optimized(function, (np.int32(5),)))
    staged = rt.function(function)
    for n in (5, 6, 11):
        pair.compare(np.array(n, np.int32))
        found = rt.nest.flatten(staged(rt.constant(n)))
        for made, wanted in zip(found, rt.nest.flatten(function(n)), strict=True):
            np.testing.assert_allclose(made, wanted, 1e-6)
    assert pair.aside == 0


def test_calls_do_not_copy_lists_that_nobody_reads_behind_them() -> None:
    graph = optimized(sums_of, (np.int32(5),))
    ownership = Ownership()
    calls = [node.params["callee"].graph for node in walk(graph.body) if node.primitive is CALL]
    assert calls
    for callee in calls:
        assert ownership.taken(callee)
        assert not ownership.copied_lists(ownership.form(callee))
