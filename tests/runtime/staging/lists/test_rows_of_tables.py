"""Lists of lists of which only the run knows how many: tables, and rows that are put there."""

# The programs are written as textbooks write them.
# ruff: noqa: RUF005

import bisect
import copy
import heapq
import math
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.programs import loaded
from tests.support.staging import assert_as_in_python, attempt, same_outcome


def times_table(n):
    t = [[0] * 3] * n
    if n > 1:
        t[0][0] = 5
    return t[1][0] if n > 1 else 0


def put_then_grown(n):
    rows = []
    for i in range(n):
        row = [i] * 2
        rows.append(row)
        row.append(7)
        row[0] += 1
    return rows


def first_if_any(n):
    rows = []
    for i in range(n - 1):
        rows.append([i] * 2)
    return rows[0] if rows else None


def found_row(n):
    rows = []
    for i in range(n):
        rows.append([i, n])
    for row in rows:
        if row[0] == 2:
            return row
    return None


def found_row_and_its_place(n):
    rows = []
    for i in range(n):
        rows.append([i, n])
    found = None
    for at, row in enumerate(rows):
        if row[0] == 2:
            found = (row, at)
    return found


def first_and_last_if_any(n):
    rows = []
    if n > 1:
        rows.append([n])
        rows.append([n, n])
    return rows[0] if rows else None, rows[-1] if n > 2 else None, n


def first_kept(n):
    first = [1, 2]
    rows = [first]
    for i in range(n):
        rows.append([i] * 2)
    first.append(5)
    return len(rows[0])


def first_kept2(n):
    first = [1, 2]
    rows = [first]
    for i in range(n):
        row = [i] * 2
        rows.append(row)
    first[0] = 9
    return rows[0][0]


def put_in_branch(n):
    rows = []
    for i in range(n):
        row = [i] * 2
        if i % 2 == 0:
            rows.append(row)
        row[0] = 100
    return rows


def two_views(n):
    t = [[0] * n for _ in range(n)]
    if n > 1:
        a = t[0]
        b = t[0]
        a[0] = 3
        b[1] = a[0] + 1
        return t[0][0] * 10 + b[1]
    return 0


def view_in_loop(n):
    t = [[0] * n for _ in range(n)]
    for i in range(n):
        row = t[i]
        for j in range(n):
            row[j] += i * j
        row[0] = row[0] + 1
    return t


def iterate(n):
    t = [[i] * n for i in range(n)]
    for row in t:
        row[0] += 1
    return sum(sum(row) for row in t)


def row_kept(n):
    t = [[i] * n for i in range(n)]
    last = [0]
    for row in t:
        last = row
    return last[0]


def item_that_other_rows_have_not(n):
    t = [[1], [2, 3], [4, 5, 6]]
    t[n % 3].append(n)
    row = t[n % 3]
    row[-1] = row[0] + 7
    t[n % 3][len(row) - 1] += 1
    return t


def row_swapped(n):
    t = [[i] * n for i in range(n)]
    if n > 1:
        t[0], t[1] = t[1], t[0]
        return t[0][0]
    return 0


def at_staged_places(n):
    t = [[(i * 5) % 7, i] for i in range(n + 2)]
    i, j = n // 2, n
    t[i], t[j] = t[j], t[i]
    t[i][0] += 100
    t[j].append(n)
    t[-1], t[0] = t[0], t[-1]
    return t


def by_a_name(n):
    t = [[(i * 5) % 7, i] for i in range(n)]
    for i in range(n // 2):
        row = t[i]
        t[i] = t[n - 1 - i]
        before = sum(row) + t[i][0]
        t[n - 1 - i] = row
        row[1] += before
    return t


def sorted_by_bubbles(n):
    t = [[(i * 5) % 7, i] for i in range(n)]
    for i in range(n):
        for j in range(n - 1 - i):
            if t[j][0] > t[j + 1][0]:
                t[j], t[j + 1] = t[j + 1], t[j]
    return t


def determinant(n):
    a = [[(i * j + i + 2 * j) % 7 + 1.0 for j in range(n)] for i in range(n)]
    det = 1.0
    for c in range(n):
        p = c
        for r in range(c + 1, n):
            if abs(a[r][c]) > abs(a[p][c]):
                p = r
        if p != c:
            a[c], a[p] = a[p], a[c]
            det = -det
        if a[c][c] == 0:
            return 0.0
        det *= a[c][c]
        for r in range(c + 1, n):
            f = a[r][c] / a[c][c]
            for k in range(c, n):
                a[r][k] -= f * a[c][k]
    return det


def swap(table, i, j):
    table[i], table[j] = table[j], table[i]


def by_a_helper(n):
    t = [[(k, k * i) for k in range(i)] for i in range(n + 1)]
    swap(t, 0, n // 2)
    t[0].append((9, 9))
    return t


def rows_rotated(n):
    t = [[i] * n for i in range(n + 3)]
    t[0], t[1], t[2] = t[1], t[2], t[0]
    return t


def swapped_behind_a_name(n):
    t = [[i] * n for i in range(n)]
    first = t[0]
    if n > 1:
        t[0], t[1] = t[1], t[0]
    first[0] = 5
    return t


def second_half_in_a_branch(n):
    t = [[i] * n for i in range(n)]
    first = t[0]
    t[0] = t[1]
    if n > 2:
        t[1] = first
    t[1][0] = 5
    return t


def records_sorted_by_bubbles(n):
    rows = [[i * 7 % 5 * 0.5, i] for i in range(n)]
    for _ in range(n):
        for j in range(n - 1):
            if rows[j][0] > rows[j + 1][0]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    return rows


def widened_and_swapped(n):
    rows = [[0] * 2 for i in range(n)]
    for i in range(n):
        rows[i][0] = i / 2
    for i in range(n - 1):
        rows[i], rows[i + 1] = rows[i + 1], rows[i]
    return rows


def largest_of_records(n):
    rows = [[i * 0.5, i] for i in range(n + 1)]
    best = max(rows, key=lambda row: -row[0])
    best[1] = 0.25
    return rows


def first_of_the_greatest(n):
    rows = [[(i * 7) % 3, i % 2] for i in range(n)]
    best = max(rows)
    best.append(9)
    return rows, min(rows)


def least_of_ragged(n):
    rows = []
    for i in range(n):
        row = [1]
        for j in range(i % 3):
            row.append(j)
        rows.append(row)
    return min(rows), max(rows), min(rows, default=[])


def greatest_of_values(n):
    rows = {}
    for i in range(n):
        rows[i] = [(i * 3) % 5, i]
    return max(rows.values())[1], min(rows.items())


def half_swapped(n):
    t = [[i] * n for i in range(n)]
    first = t[0]
    t[0] = t[1]
    t[1][0] = 5
    t[1] = first
    return t


def to_another_place(n):
    t = [[i] * n for i in range(n)]
    first = t[0]
    t[0] = t[1]
    t[2] = first
    t[0][0] = 5
    return t


def popped(n):
    t = [[i] * n for i in range(n)]
    r = t.pop()
    r[0] = 5
    return r[0] + len(t)


def passed(n):
    t = [[i] * n for i in range(n)]

    def bump(row):
        row[0] += 10

    if n > 0:
        bump(t[0])
        return t[0][0]
    return -1


def helper(n):
    def make(k):
        return [k] * 3

    t = [make(i) for i in range(n)]
    u = t
    if n > 0:
        u[0][0] = 7
    return t


def copies(n):
    t = [[i] * n for i in range(n)]
    u = t[:]
    if n > 0:
        u[0][0] = 7
    return t[0][0] if n > 0 else 0


def concat(n):
    t = []
    for i in range(n):
        t = t + [[i] * 2]
    return t


def ragged(n):
    t = [[j for j in range(i)] for i in range(n)]
    return [len(row) for row in t]


def same_row_twice(n):
    rows = []
    for i in range(n):
        row = [i] * 2
        rows.append(row)
        rows.append(row)
        row[0] = 9
    return rows


def two_tables(n):
    a = []
    b = []
    for i in range(n):
        row = [i] * 2
        a.append(row)
        b.append(row)
        row[0] = 9
    return a[0][0] + b[0][0] if n > 0 else 0


def equal(n):
    t = [[i] * n for i in range(n)]
    return [0] in t if n == 1 else n > 5


def rowtuple(n):
    t = [[(i, j) for j in range(3)] for i in range(n)]
    return t[n - 1][2][0] if n > 0 else 0


def floats(n):
    t = [[0.5] * n for i in range(n)]
    for i in range(n):
        t[i][i] = 1
    return t


def widened(n):
    t = [[0] * n for i in range(n)]
    for i in range(n):
        t[i][i] = i / 2
    return t


def replaced(n):
    t = [[0] * n for i in range(n)]
    for i in range(n):
        t[i] = [i] * n
    return t


def of_empty_lists(n):
    t = [[] for _ in range(n)]
    for i in range(n * 2):
        t[i // 2].append(i)
    t.append([])
    return t


def cleared(n):
    t = [[i] for i in range(n)]
    if n > 0:
        t[0].clear()
    return t, len(t[0]) if n > 0 else 0


def moved(n):
    t = [[i] * i for i in range(n)]
    t.reverse()
    t.insert(0, [7, 8])
    t.sort(key=len)
    other = t[1:] + t
    return t, sorted(other, key=lambda row: -len(row)), [sum(row) for row in other]


def longest(n):
    t = [[i] * (i % 3) for i in range(n)]
    found = max(t, key=len, default=[])
    return found, min(t, key=sum)


def moved_away(n):
    t = [[i] for i in range(n)]
    row = t[0]
    t.reverse()
    return row[0]


def in_a_tuple(n):
    pairs = []
    row = [1]
    for i in range(n):
        pairs.append((i, row))
        row.append(i)
    return pairs[0][1]


def outside_index(n):
    t = [[0] * n for i in range(n)]
    return t[n][0]


def outside_column(n):
    t = [[0] * n for i in range(n)]
    return t[0][n]


def negative(n):
    t = [[j for j in range(n)] for i in range(n)]
    return t[-1][-1]


def at_a_place(n):
    groups = [[], [7], [8, 9]]
    for i in range(n):
        groups[i % 3].append(i)
    groups[n % 3].insert(0, 5)
    groups[1].reverse()
    return groups


def taken_at_a_place(n):
    pegs = [[3, 2, 1], [], [0]]
    for i in range(n):
        pegs[1].append(pegs[i % 3].pop())
    return pegs


def of_several_lengths(n):
    edges = [[1, 2], [3], []]
    total = 0
    for other in edges[n]:
        total += other
    return total, len(edges[n])


def of_tuples(n):
    graph = [[(1, 4), (2, 1)], [(3, 1)], []]
    return sum(weight * to for to, weight in graph[n])


def raised_in_a_branch(n):
    t = [[1, 2], [3, 4], [5, 6]]
    row = t[n % 3]
    if n > 1:
        row[0] += 10
    return t


def raised_behind_a_swap(n):
    t = [[1, 2], [3, 4], [5, 6]]
    k = n % 3
    t[k], t[0] = t[0], t[k]
    for i in range(n % 4):
        for j in range(n % 3):
            t[i][j] += 10 * t[k][0]
    return [item for row in t for item in row]


def drained_behind_a_swap(n):
    t = [[1, 2], [3, 4], [5, 6]]
    k = n % 3
    t[k], t[1] = t[1], t[k]
    total = 0
    while t[k][0] > 0:
        total = 2 * total + t[1][1]
        if total > 5:
            t[1][1] -= 1
        t[k][0] -= 1
    return total, t[0][0], t[1][0], t[2][0]


def put_back_in_a_handler(n):
    t = [[1, 2], [3, 4], [5, 6]]
    row = t[n % 3]
    try:
        row[1] = 0
        if n > 1:
            raise ValueError
    except ValueError:
        row[1] += 7
    return t


def raised_in_a_loop(n):
    t = [[1, 2], [3, 4], [5, 6]]
    row = t[n % 3]
    for i in range(n % 3):
        row[0] += 10 * row[1] + i
        if row[0] > 40:
            break
    return t


def filled_in_a_loop(n):
    t = [[1, 2], [3, 0], [0, 5]]
    row = t[n % 3]
    while sum(row) < 10 * n:
        row[1] += n + 1
    return row[1], t[0][1], t[1][1], t[2][1]


def another_row_in_each_round(n):
    t = [[1, 2], [3, 4], [5, 6]]
    row = t[0]
    for i in range(n % 4):
        row = t[i]
    return row[0]


def texts_of_another_branch(n):
    low, high, tries = 0, 8, 0
    log = []
    while low <= high:
        middle = (low + high) // 2
        tries += 1
        if middle == n:
            log.append("found")
            return tries, log
        if middle < n:
            log.append("higher")
            low = middle + 1
        else:
            log.append("lower")
            high = middle - 1
    raise LookupError


def texts_in_rows(n):
    table = [["a"] * n for _ in range(n)]
    for i in range(n):
        if i % 2:
            table[i][0] = "b"
        else:
            table[i].append("c")
    return table


def none_in_rows(n):
    table = [[i] * i for i in range(n)]
    for i in range(1, n):
        table[i][0] = None
    return table


def pairs_with_texts_in_rows(n):
    table = [[(i, "a")] * i for i in range(n)]
    for i in range(1, n):
        table[i][0] = (i + 1, "b" if i % 2 else "c")
    return table


def truths_in_rows(n):
    table = [[0 for column in range(n + 2)] for row in range(n + 3)]
    for row in range(n + 3):
        table[row][0] = True
    return table, f"{table[0][0]}"


def sorted_rows(n):
    rows = [[i * 7 % 3, i, -i] for i in range(n)]
    made = sorted(rows), sorted(rows, key=lambda row: row[::-1], reverse=True)
    rows.sort(reverse=True)
    if n > 1:
        rows[0].append(9)
    return made, rows


def asked_while_they_grow(n):
    """`in`, of rows of which only the run knows the lengths: numbers, texts and pairs."""
    rows, words, pairs, queues = [[], [5]], {0: [], 1: ["z"]}, [[(1, 2)], []], [deque(), deque([3])]
    for i in range(n):
        if 7 in rows[i % 2] or i not in rows[1 - i % 2]:
            rows[0].append(1)
        rows[i % 2].append(7)
        if "rage" in words[i % 2]:
            words[0].append("z")
        words[i % 2].append("rage")
        if (i, 2) not in pairs[i % 2]:
            pairs[i % 2].append((i, 2))
        if i not in queues[i % 2]:
            queues[i % 2].append(i)
    return rows, words, pairs, [list(queue) for queue in queues]


def kept_in_order(n):
    """`bisect` and `heapq` of rows."""
    rows, heaps = [[1], [5]], {0: [1], 1: [5]}
    for i in range(n):
        bisect.insort(rows[i % 2], i)
        row = rows[1 - i % 2]
        row.insert(bisect.bisect_left(row, i), i)
        heapq.heappush(heaps[i % 2], 9 - i)
    smallest = heapq.nsmallest(2, heaps[n % 2]), heapq.nlargest(1, rows[n % 2])
    return rows, smallest, heapq.heappop(heaps[n % 2]), heaps


def filled(n):
    rows, table = [], {}
    for i in range(n + 1):
        rows.append([i])
        table.setdefault(i % 3, []).append(i)
    return rows, table


def emptied_behind_a_name(n):
    rows, table = filled(n)
    row, value = rows[-1], table[0]
    rows.clear()
    table.clear()
    row.append(5)
    value.append(6)
    return row, value, rows, table


def replaced_behind_a_name(n):
    rows, _ = filled(n)
    row = rows[0]
    rows[:1] = [[7], [8]]
    return row, rows


def dropped_behind_a_name(n):
    rows, _ = filled(n)
    row = rows[-1]
    rows *= 0
    return row, rows


def popped_behind_a_name(n):
    _, table = filled(n)
    value = table[0]
    table.pop(n % 2, None)
    return value, table


def updated_behind_a_name(n):
    _, table = filled(n)
    value = table[0]
    table |= {n % 3: [9], 7: [8]}
    return value, table


def turned_behind_a_name(n):
    rows = deque()
    for i in range(n + 1):
        rows.append([i])
    row = rows[0]
    rows.rotate(1)
    return row, list(rows)


def put_from_a_list_of_pythons(n):
    rows, _ = filled(n)
    known = {"a": [5], "b": ([6], 7)}
    first, (second, _) = known["a"], known["b"]
    rows.append(first)
    rows[0] = second
    rows[-1].append(n)
    second[0] += n
    return rows, known


def put_in_front(n):
    rows, _ = filled(n)
    rows = [[7]] + rows
    rows = [[8], *rows]
    return rows


def changed_behind_copies(n):
    rows, table = filled(n)
    more, turned = rows + [[n, n]], list(table.values())
    turned.reverse()
    more[-1].append(1)
    more[0][0] = 5
    turned[0].append(6)
    return rows, more, table, turned


def found_and_changed_in_the_table(n):
    rows = [[0], [1], [n]]
    found = rows[0]
    for row in rows:
        if row[0] == n:
            found = row
            break
    rows[-1][0] = 9
    return found


RIGHT = [
    found_and_changed_in_the_table,
    *(asked_while_they_grow, kept_in_order),
    *(truths_in_rows, sorted_rows),
    *(texts_of_another_branch, texts_in_rows, none_in_rows, pairs_with_texts_in_rows),
    *(put_then_grown, two_views, view_in_loop, iterate, passed, ragged, rowtuple),
    *(floats, widened, outside_index, outside_column, negative),
    *(at_a_place, taken_at_a_place, of_several_lengths, of_tuples, equal, popped, replaced),
    *(of_empty_lists, cleared, moved, longest),
    *(row_swapped, at_staged_places, by_a_name, sorted_by_bubbles, determinant, by_a_helper),
    *(raised_in_a_branch, raised_behind_a_swap, drained_behind_a_swap, put_back_in_a_handler),
    *(raised_in_a_loop, filled_in_a_loop),
    # In two places, or kept where rows move
    *(first_if_any, found_row, first_and_last_if_any),
    *(first_kept, first_kept2, put_in_branch, row_kept, another_row_in_each_round, moved_away),
    *(emptied_behind_a_name, replaced_behind_a_name, dropped_behind_a_name),
    *(popped_behind_a_name, updated_behind_a_name, turned_behind_a_name),
    *(put_from_a_list_of_pythons, put_in_front, changed_behind_copies),
    item_that_other_rows_have_not,
    *(rows_rotated, swapped_behind_a_name, second_half_in_a_branch, half_swapped),
    *(records_sorted_by_bubbles, widened_and_swapped, largest_of_records),
    *(first_of_the_greatest, least_of_ragged, greatest_of_values),
    *(to_another_place, in_a_tuple, helper, concat, copies, same_row_twice, two_tables),
]


@pytest.mark.parametrize("program", RIGHT, ids=lambda program: program.__name__)
def test_it_is_what_python_computes(program: Callable[[Any], Any]) -> None:
    assert_as_in_python(program, 0, 1, 2, 4, dtype=rt.int64)


def show_rows(n):
    rows = [[3, 1], [5]]
    print(rows[n % 2])
    for i in range(n):
        row = rows[i % 2]
        row.append(i)
        print(row, [row], {"row": row}, f"row: {row}")


def show_rows_that_are_put_there(n):
    rows = []
    for i in range(n):
        rows.append([i])
        rows[i // 2].append(7)
        print(rows[i // 2], rows[-1])
        for row in rows:
            print(row)
    if n > 2:
        raise ValueError(rows[0], rows[n - 1])


def show_values(n):
    groups, pairs = defaultdict(list), {}
    for i in range(n):
        groups[i % 2].append(i)
        pairs[i % 2, i] = [i]
        pairs[i % 2, i].append(9)
        print(groups[i % 2], groups, pairs[i % 2, i], [*pairs.items()], pairs)


def show_lists_of_lists(n):
    tables, runs, run = [], [], [1]
    for i in range(n):
        tables.append([[i], [i, i]])
        print(tables[i], tables[i][0])
        runs.append(run)
        run = [*run, i]
        print(run, runs[-1], runs)


def show_chosen_lists(n):
    first, second, kept, ordered = [1], [2], defaultdict(list), OrderedDict()
    for i in range(n):
        chosen = first if i % 2 else second
        kept[i] = ordered[i] = chosen
        chosen.append(i)
        print(kept, ordered, list(ordered.items()), [(i, chosen)], {"a": chosen})


SHOWING = (
    show_rows, show_rows_that_are_put_there, show_values, show_lists_of_lists, show_chosen_lists
)  # fmt: skip


@pytest.mark.parametrize("program", SHOWING, ids=lambda program: program.__name__)
def test_lists_of_lists_are_printed_as_they_are(
    program: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    staged = rt.function(program)
    for n in (0, 1, 4):
        expected = attempt(lambda n=n: program(n)), capsys.readouterr().out
        got = attempt(lambda n=n: staged(rt.constant(n, rt.int64))), capsys.readouterr().out
        assert same_outcome(expected[0], got[0]), n
        assert got[1] == expected[1]


def test_a_row_is_not_taken_apart() -> None:
    def program(n):
        rows = [[3, 1], [5]]
        rows[n % 2].append(n)
        return max(*rows[n % 2])

    with pytest.raises(autograph.StagingError, match="list of which Python knows the items"):
        rt.function(program)(rt.constant(1))


OUTSIDE = [[5]]


def put_from_outside(n):
    rows, _ = filled(n)
    rows.append(OUTSIDE[0])
    return rows


def copied_with_its_lists(n):
    _, table = filled(n)
    other = copy.deepcopy(table)
    again = dict(table)
    table[0].append(5)
    return table, other, again


REFUSED: dict[Callable[[Any], Any], str] = {
    times_table: r"`\*` of a list of lists",
    put_from_outside: "may have other names",
    copied_with_its_lists: "is copied with all that is in it",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_such_lists_are_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises(autograph.StagingError, match=REFUSED[program]) as caught:
        rt.function(program)(rt.constant(3))
    assert caught.value.filename == __file__
    assert caught.value.hint


def _copy_of_a_table(expression: str) -> str:
    return f"""
def program(n):
    rows = []
    if n > 99:
        rows.append([n])
    rows = {expression}
    rows.append([n, n])
    rows[-1].append(5)
    rows[0].append(9)
    return [len(row) for row in rows]
"""


COPIES = (
    *("list(rows)", "sorted(rows)", "rows[:]", "rows.copy()", "[*rows]", "rows + []", "[] + rows"),
    *("[*rows, [n]]", "[[n], *rows]", "rows + [[n, 2]]", "[row for row in rows]", "rows[::-1]"),
)


@pytest.mark.parametrize("expression", COPIES)
def test_a_copy_of_a_table_has_the_same_rows(expression: str) -> None:
    with loaded(_copy_of_a_table(expression)) as code:
        program = code.fresh()["program"]
        for n in (100, 5):
            expected = attempt(lambda n=n: program(n))
            got = attempt(lambda n=n: rt.function(program)(rt.constant(n)))
            assert same_outcome(expected, got), (n, expected, got)


def sorted_rows(numbers):
    rows = []
    for number in numbers:
        if number != 50.0:
            rows.append([number, 1.0])
    return [row[0] for row in sorted(rows)]


def test_rows_are_not_sorted_by_a_nan() -> None:
    """Which then comes first, Python's own algorithm decides."""
    staged = rt.function(sorted_rows)
    for numbers in ([2.0, 4.0, 1.0, 50.0, 0.5, 4.0], [3.0], [math.nan]):
        expected = sorted_rows(numbers)
        got = [float(each) for each in staged(rt.constant(numbers))]
        assert list(map(str, got)) == list(map(str, expected))
    with pytest.raises(rt.errors.RefusedError, match="a NaN has no place in an order"):
        staged(rt.constant([2.0, 4.0, math.nan, 2.0, 0.5, 4.0]))
