"""Tables with many rows of which Python knows the number: what loops do with one of their rows is
done to that one, by all of its names.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.graph.ir import walk
from runtime.graph.nodes import WHILE
from tests.support.staging import as_python

Program = Callable[[Any, Any], Any]
MANY = 9


def longest_common(n: Any, x: Any) -> Any:
    a, b = [i * i % 5 for i in range(12)], [i * 3 % 7 for i in range(9)]
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, n + 1):
        for j in range(1, n):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[n][n - 1], table


def rows_with_two_names(n: Any, x: Any) -> Any:
    row = [1, 2, 3]
    table = [row if i % 2 == 0 else [i] * 3 for i in range(MANY + 2)]
    for i in range(n):
        table[i][1] += i
    return row, table[n][1], table[2] is row


def rows_change_places(n: Any, x: Any) -> Any:
    table = [[i, i * 2] for i in range(MANY + 2)]
    first = table[0]
    for i in range(n):
        table[i], table[-1 - i] = table[-1 - i], table[i]
        table[i][0] += n
    first.append(7)
    return table, table[-1] is first, sorted(table)[0]


def rows_of_several_lengths(n: Any, x: Any) -> Any:
    table: Any = [[0] * i for i in range(MANY + 1)]
    for i in range(1, n):
        table[i][i - 1] = n
        table[0].append(i)
    return table, len(table[0]), sum(map(len, table))


def lists_of_tables(n: Any, x: Any) -> Any:
    cube = [[[0] * 3 for _ in range(MANY)] for _ in range(MANY)]
    for i in range(n):
        for j in range(n):
            cube[i][j][1] = i + j
    return cube[2][1][1], cube[1][1], sum(cube[n][0])


def tensors_in_rows(n: Any, x: Any) -> Any:
    table = [[x * float(i), x] for i in range(MANY)]
    for i in range(n):
        table[i][1] = table[i + 1][0] * x
    return table[0], table[n]


def fractions_beside_whole_numbers(n: Any, x: Any) -> Any:
    table = [[i, i * 0.5] for i in range(MANY)]
    for i in range(n):
        table[i][1] += table[i + 1][0]
    return table[n - 1], table[n]


def texts_in_rows(n: Any, x: Any) -> Any:
    table = [["a", "b"] for _ in range(MANY)]
    count = 0
    for i in range(n):
        if table[i][0] == "a":
            table[i][1] = "c"
            count += 1
    return count, table[1][1] == "c", table[n][1] == "c"


def rows_in_a_dict(n: Any, x: Any) -> Any:
    table = [[i, i] for i in range(MANY)]
    rows = {id(row): row for row in table}
    for i in range(n):
        table[i][0] = 0
    return len(rows), table[1] in rows.values()


def a_tape_knows_the_items(n: Any, x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        table = [[x, x] for _ in range(MANY)]
        for i in range(n):
            table[i][0] = table[i][1] * x
        y = table[1][0] + table[-1][1]
    return tape.gradient(y, table[0][1])


class Grid:
    def __init__(self) -> None:
        self.cells = [[0] * MANY for _ in range(MANY)]

    def put(self, i: Any, j: Any, value: Any) -> None:
        self.cells[i][j] = value


def in_an_object(n: Any, x: Any) -> Any:
    grid = Grid()
    for i in range(n):
        grid.put(i, n - i, i)
    return grid.cells, sum(map(sum, grid.cells))


def two_tables_of_one_loop(n: Any, x: Any) -> Any:
    a = [[i * j for j in range(MANY)] for i in range(MANY)]
    b = [[0] * MANY for _ in range(MANY)]
    for i in range(n):
        for j in range(n):
            b[j][i] = a[i][j] + b[i][j - 1]
            a[j][-1] = b[n][n]
    return a[1], b, len(a[2]), len(b[-1]), max(a[3]), b[0][:2] == [5, 0]


def fractions_in_all_of_them(n: Any, x: Any) -> Any:
    table = [[0.0] * MANY for _ in range(MANY)]
    for i in range(n):
        for j in range(MANY):
            table[j][i] = table[i][j] / 2 + i
            table[0][3] = 7.0
    return table


def a_row_under_its_own_name(n: Any, x: Any) -> Any:
    table = [[0] * 3 for _ in range(MANY)]
    row = table[2]
    k, left = 0, n
    while left > 0:
        table[left][k] += left
        row[0] += 1
        left -= 1
        k = (k + 1) % 3
    row.append(4)
    return table, row is table[2], row


def a_loop_in_one_branch(n: Any, x: Any) -> Any:
    table = [[0] * 3 for _ in range(MANY)]
    if n > 3:
        for i in range(n):
            table[i][n % 3] = i
    else:
        table[n][1] = 5
    return table, sum(table[n])


def ends_at_an_index_that_is_not_there(n: Any, x: Any) -> Any:
    table = [[1] * 4 for _ in range(MANY)]
    found = 0
    try:
        for i in range(MANY):
            found += table[i][i + n - 3]
            table[i][i] = 2
    except IndexError:
        found = -found
    return found, table


def raises_in_the_end(n: Any, x: Any) -> Any:
    table = [[0] * 6 for _ in range(6)]
    i = 0
    try:
        while True:
            table[i % 6][i % 4] += 1
            i += 1
            if table[0][0] > n:
                raise ValueError(i)
    except ValueError:
        table[0].append(1)
    return table, len(table[0]), i


def catches_whatever_ends_a_step(n: Any, x: Any) -> Any:
    table = [[0] * 6 for _ in range(6)]
    steps = 0
    for i in range(n):
        try:
            table[i][i] += 1
            steps += 1
        except:  # noqa: E722
            steps += 100
        with suppress(BaseException):
            table[i][0] += steps
            steps += 1
    return table, steps


def a_table_of_each_round(n: Any, x: Any) -> Any:
    total = 0
    for i in range(n):
        table = [[i] * 6 for _ in range(6)]
        for j in range(n):
            table[j][i % 6] += j
        total += sum(map(sum, table))
    return total


def rows_get_other_kinds(n: Any, x: Any) -> Any:
    table = [[0] * 6 for _ in range(6)]
    for i in range(n - 1):
        table[i][i] = 1
        table[0][2] = 0.5
    return table[0][2] * 2, table[1]


def numbers_that_stay(n: Any, x: Any) -> Any:
    table = [[i * j for j in range(MANY)] for i in range(MANY)]
    total = 0
    for i in range(n):
        total += table[i][n - i] - table[-i - 1][i]
    return total, table[3]


def rows_of_known_lengths(n: Any, x: Any) -> Any:
    table: Any = [[1] * i for i in range(MANY)]
    for i in range(2, n):
        for j in range(1, i - 1):
            table[i][j] = table[i - 1][j - 1] + table[i - 1][j]
    table[0].append(0.5)
    return table, [len(row) for row in table], len(table[n])


def steps_of_a_tensor(n: Any, x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        table = [[1.0] * 6 for _ in range(6)]
        for i in range(1, n):
            for j in range(1, n):
                table[i][j] = table[i - 1][j] * x + table[i][j - 1]
        y = table[n - 1][n - 1]
    return y, tape.gradient(y, x)


def rows_change_places_often(n: Any, x: Any) -> Any:
    table = [[i, 2.5 * i] for i in range(5)]
    first = table[0]
    for i in range(4):
        table[i], table[n - 2] = table[n - 2], table[i]
        table[i][0] += i
        table[n - 2 - i // 2][1] -= table[i][0]
    return table, first, [row is first for row in table], table[n - 2] is table[1]


def solved(n: Any, x: Any) -> Any:
    size = 4
    rows = [
        [x * float(i * j % 5) + float(i == j) * n for j in range(size + 1)] for i in range(size)
    ]
    for c in range(size):
        best = c
        for r in range(c + 1, size):
            if abs(rows[r][c]) > abs(rows[best][c]):
                best = r
        rows[c], rows[best] = rows[best], rows[c]
        for r in range(c + 1, size):
            part = rows[r][c] / rows[c][c]
            for k in range(c, size + 1):
                rows[r][k] -= part * rows[c][k]
    return rows[-1][-1] / rows[-1][-2]


def reached(n: Any, x: Any) -> Any:
    near: Any = [[] for _ in range(MANY)]
    for i in range(n + 3):
        near[i % MANY].append((i * i + n) % MANY)
        near[i * 2 % MANY].append(i)
    seen, queue, order = [False] * MANY, [n], []
    seen[n] = True
    while queue:
        here = queue.pop(0)
        order.append(here)
        for there in near[here]:
            if not seen[there]:
                seen[there] = True
                queue.append(there)
    return near, order, [len(row) for row in near]


def a_stack_of_each_color(n: Any, x: Any) -> Any:
    stacks: Any = [[7] for _ in range(MANY)]
    taken, empty = 0, 0
    for i in range(2 * n):
        stacks[i * n % MANY].append(i)
        try:
            taken += stacks[i % 5].pop()
            taken += stacks[i % 5].pop()
        except IndexError:
            empty += 1
    return stacks, taken, empty


def a_row_that_grows_under_two_names(n: Any, x: Any) -> Any:
    rows: Any = [[i] for i in range(MANY)]
    first, last = rows[1], rows[-1]
    for i in range(n):
        rows[i].append(i * 10)
        first.append(-i)
        rows[i // 2] += [1, 2]
    last.append(99)
    return rows, first, first is rows[1], len(last), len(first)


def rows_are_changed_and_grow(n: Any, x: Any) -> Any:
    rows: Any = [[0, 1] for _ in range(MANY)]
    for i in range(n):
        rows[i][1] += i
        rows[i % 3].append(i)
        rows[i + 1][0] = len(rows[i % 3])
    return rows, rows[n][-1]


def rows_shrink_behind_their_first_changes(n: Any, x: Any) -> Any:
    rows: Any = [[1] * (i % 3 + 1) for i in range(MANY)]
    total = 0
    for i in range(n):
        if len(rows[total % MANY]) > 1:
            rows[total % MANY][i % len(rows[total % MANY])] = 0
        total += rows[-1 - i].pop()
        for item in rows[-1 - i]:
            total += item
    return rows, total


def rows_of_one_length_grow_later(n: Any, x: Any) -> Any:
    rows: Any = [[i, i + 1] for i in range(MANY)]
    total = 0
    for i in range(n):
        rows[i][i % 2] = i
        rows[i // 2].append(i)
        total += len(rows[i // 2])
    return rows, total, len(rows[0]), rows[0][-1]


def a_row_shrinks_where_a_try_watches(n: Any, x: Any) -> Any:
    rows: Any = [[0, 1], [1, 2], [2, 3]]
    missed = 0
    rows[n % 3].clear()
    try:
        missed += rows[n % 3 - 1].pop(0)
        rows[n % 3].pop()
    except IndexError:
        missed += 10
    rows[n % 3].append(n * 0.5)
    return rows, missed


def all_that_changes_a_row(n: Any, x: Any) -> Any:
    rows: Any = [[i, 5 - i] for i in range(MANY)]
    for i in range(n):
        rows[i].extend([i, n])
        rows[i + 1].insert(1, i)
        rows[i + 2].sort()
        rows[i // 2].reverse()
        del rows[i + 1][0]
        if i == 3:
            rows[i].clear()
    return rows


def rows_grow_in_inner_loops(n: Any, x: Any) -> Any:
    rows: Any = [[] for _ in range(MANY)]
    for i in range(n):
        for j in range(i):
            rows[(i + j) % MANY].append(i * j)
            while len(rows[j]) > 3:
                rows[j].pop(0)
    return rows, sum(map(sum, rows))


def fractions_among_whole_numbers(n: Any, x: Any) -> Any:
    rows: Any = [[i] for i in range(MANY)]
    for i in range(n):
        rows[i].append(i / 2)
    return rows


def tensors_in_rows_that_grow(n: Any, x: Any) -> Any:
    with rt.GradientTape() as tape:
        tape.watch(x)
        rows: Any = [[] for _ in range(4)]
        for i in range(n):
            rows[i % 3].append(x * float(i + 1))
        y = x * 0.0
        for i in range(4):
            for item in rows[i]:
                y += item * item
    return y, tape.gradient(y, x), [len(row) for row in rows]


def rows_that_grow_twice_differentiated(n: Any, x: Any) -> Any:
    with rt.GradientTape() as outer:
        outer.watch(x)
        with rt.GradientTape() as inner:
            inner.watch(x)
            rows: Any = [[x] for _ in range(n)]
            for i in range(2 * n):
                rows[i % n].append(rows[i // 2][-1] * x)
                rows[0][0] = x * x
            y = x * 0.0
            for row in rows:
                for item in row:
                    y = y + item
        slope = inner.gradient(y, x)
    return y, slope, outer.gradient(slope, x)


def copies_of_rows_that_grow(n: Any, x: Any) -> Any:
    rows: Any = [[i] for i in range(n)]
    before, lengths = [], []
    for i in range(n):
        before.append(list(rows[i]))
        rows[0].append(i)
        rows[i // 2].append(len(rows[0]))
        before[0].append(-1)
        lengths.append(len(rows[n - 1]))
    return rows, before, lengths


class Tasks:
    def __init__(self) -> None:
        self.waiting: Any = [[] for _ in range(5)]

    def add(self, kind: Any, cost: Any) -> None:
        self.waiting[kind].append(cost)

    def take(self, kind: Any) -> Any:
        return self.waiting[kind].pop(0) if self.waiting[kind] else -1


def an_object_with_rows(n: Any, x: Any) -> Any:
    tasks, taken = Tasks(), []
    for i in range(2 * n):
        tasks.add(i % 4, i)
        if i % 3 == 2:
            taken.append(tasks.take(n % 4))
    return taken, tasks.waiting


def rows_and_their_number_grow(n: Any, x: Any) -> Any:
    rows: Any = [[] for _ in range(5)]
    for i in range(n):
        rows[i % 5].append(i)
        rows.append([i])
    return rows, len(rows)


def rows_get_rows(n: Any, x: Any) -> Any:
    rows: Any = [[] for _ in range(5)]
    for i in range(n):
        rows[i % 5].append([i, n])
    return rows


def ends_in_a_row_that_grew(n: Any, x: Any) -> Any:
    rows: Any = [[1] for _ in range(5)]
    try:
        for i in range(9):
            rows[i + n - 3].append(i)
    except IndexError:
        rows[0].append(-1)
    return rows


PROGRAMS: list[Program] = [
    reached, a_stack_of_each_color, a_row_that_grows_under_two_names, rows_are_changed_and_grow,
    rows_shrink_behind_their_first_changes, rows_of_one_length_grow_later,
    a_row_shrinks_where_a_try_watches, all_that_changes_a_row, rows_grow_in_inner_loops,
    fractions_among_whole_numbers,
    rows_that_grow_twice_differentiated, copies_of_rows_that_grow,
    tensors_in_rows_that_grow, an_object_with_rows, rows_and_their_number_grow, rows_get_rows,
    ends_in_a_row_that_grew,
    rows_change_places_often, solved,
    two_tables_of_one_loop, fractions_in_all_of_them, a_row_under_its_own_name,
    a_loop_in_one_branch, ends_at_an_index_that_is_not_there, a_table_of_each_round,
    raises_in_the_end, catches_whatever_ends_a_step,
    rows_get_other_kinds, numbers_that_stay, rows_of_known_lengths, steps_of_a_tensor,
    longest_common, rows_with_two_names, rows_change_places, rows_of_several_lengths,
    lists_of_tables, tensors_in_rows, fractions_beside_whole_numbers, texts_in_rows,
    rows_in_a_dict, a_tape_knows_the_items, in_an_object,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=[each.__name__ for each in PROGRAMS])
def test_it_is_as_in_python(program: Program) -> None:
    staged = rt.function(program)
    for n in (2, 4, 6):
        x = rt.constant(2.0, rt.float64)
        found = as_python(staged(rt.constant(n), x))
        assert found == as_python(program(n, x)), n
    assert staged.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    "program", [longest_common, steps_of_a_tensor, rows_of_known_lengths, numbers_that_stay]
)
def test_an_item_is_read_from_one_table(program: Program) -> None:
    concrete = rt.function(program).get_concrete_function(rt.constant(4), rt.constant(2.0))
    loops = [node for node in walk(concrete.optimized.body) if node.primitive is WHILE]
    rounds = [node for loop in loops for region in loop.regions for node in walk(region)]
    names = {node.primitive.name for node in rounds}
    assert "list_get" not in names
    assert ("list_row_item" in names) == (program is not numbers_that_stay)


def test_a_row_that_changes_places_is_one_of_those_there_are() -> None:
    def changed(rounds: int) -> int:
        @rt.function
        def staged(n: Any) -> Any:
            table = [[i, i] for i in range(5)]
            for i in range(rounds):
                table[i % 5], table[n] = table[n], table[i % 5]
            return table[n][0]

        concrete = staged.get_concrete_function(rt.constant(3))
        return len(list(walk(concrete.graph.body)))

    few, many = changed(4), changed(8)
    assert many < 2.5 * few


def test_python_numbers_and_tuples_of_them_are_tables() -> None:
    @rt.function
    def walked(n: Any) -> Any:
        ways = [(0, 1), (1, 0), (0, -1), (-1, 0)]
        x = y = 0
        for i in range(n):
            a, b = ways[i % 4]
            x, y = x + a * i, y + b * i
        return x, y

    assert as_python(walked(rt.constant(7))) == _walked(7)
    concrete = walked.get_concrete_function(rt.constant(7))
    assert not any(node.primitive.name == "list_of" for node in walk(concrete.optimized.body))
    assert as_python(walked(rt.constant(np.int32(3)))) == _walked(3)


def _walked(n: int) -> tuple[int, int]:
    ways = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    x, y = (sum(ways[i % 4][at] * i for i in range(n)) for at in (0, 1))
    return x, y


def test_a_round_is_as_large_for_many_rows_that_grow() -> None:
    def nodes_of_rounds(size: int) -> int:
        @rt.function
        def neighbours(first: Any, second: Any, count: Any) -> Any:
            near: Any = [[] for _ in range(size)]
            i = 0
            while i < count:
                near[first[i]].append(second[i])
                near[second[i]].append(first[i])
                i += 1
            return near[count]

        pairs = rt.constant([0, 1, 1, 2])
        graph = neighbours.get_concrete_function(pairs, pairs, rt.constant(3)).graph
        loops = [node for node in walk(graph.body) if node.primitive is WHILE]
        return sum(len(list(walk(region))) for loop in loops for region in loop.regions)

    assert nodes_of_rounds(4) == nodes_of_rounds(40) > 0
