"""Lists of which the run chooses one, puts it into others, and goes on to change it by any name."""

# The programs are written as textbooks write them.
# ruff: noqa: B007, B905, E731, RUF005, SIM108

import collections


def runs_between(xs):
    out = []
    cur = []
    for x in xs:
        if x > 0:
            cur.append(x)
        else:
            out.append(cur)
            cur = []
    out.append(cur)
    return out


def lengths_of_runs(xs):
    out = []
    cur = []
    for x in xs:
        if x > 0:
            cur.append(x)
        else:
            out.append(cur)
            cur = []
    return len(cur), [len(r) for r in out]


def runs_with_gaps(xs):
    out = []
    cur = []
    for x in xs:
        if x > 3:
            cur.append(x)
        elif x > 0:
            continue
        else:
            out.append(cur)
            cur = []
    return len(cur), [sum(r) for r in out]


def listed_then_changed(x):
    a = [5, 6]
    t = [a]
    if x > 2:
        a.append(1)
    elif x > 1:
        a = []
    t.append([])
    return len(a), [len(r) for r in t]


def path_that_goes_on(n):
    path = [0]
    paths = []
    if n > 0:
        paths = [path]
        path.append(9)
    return sum([len(p) for p in paths]), len(path)


def last_path_of_rounds(n):
    path = [0]
    paths = []
    for i in range(n):
        path.append(i)
        paths = [path]
    path.append(9)
    return sum([len(p) for p in paths]), len(path)


def only_row_of_rounds(n):
    d = [4, 5]
    rows = [[0]]
    for i in range(n):
        rows = [d]
        d.append(3)
    return [len(rows[0])]


def table_by_another_name(n):
    rows = [[0]]
    q = [[9]]
    if n > 0:
        q = rows
        rows[-1].append(n)
    return sum([sum(r) for r in q]), len(q[0])


def put_first_then_copied(n):
    a = [1]
    rows = [[0]]
    rows.insert(0, a)
    if n > 0:
        for i in range(n):
            a.append(n)
            a = a[:]
        d = rows[0]
        return [len(d)]
    return []


def or_a_new_one(n):
    ys = [1, 2]
    w = ys or [3]
    if n > 0:
        ys = [5]
    else:
        ys.append(n)
    return len(w), len(ys)


def longest_run(xs):
    best = []
    run = []
    for x in xs:
        if x > 0:
            run.append(x)
            if len(run) > len(best):
                best = run
        else:
            run = []
    return best


def longest_run_ended(xs):
    best = []
    run = []
    for x in xs:
        if x > 0:
            run.append(x)
        else:
            if len(run) > len(best):
                best = run
            run = []
    if len(run) > len(best):
        best = run
    return best, len(run)


def swapped_names(xs):
    a = [1]
    b = [2]
    for x in xs:
        if x > 0:
            a, b = b, a
        a.append(x)
    return a, b


def three_names(xs):
    a = [0]
    b = [0]
    c = [0]
    for x in xs:
        if x > 3:
            a = []
        elif x > 0:
            c = a
        a.append(x)
        c.append(-x)
    return sum(a), sum(b), sum(c)


def longest_increasing(xs):
    best = [[x] for x in xs]
    longest = []
    for i in range(len(xs)):
        cur = []
        for j in range(i):
            if xs[j] < xs[i] and len(best[j]) > len(cur):
                cur = best[j]
        best[i] = cur + [xs[i]]
        if len(best[i]) > len(longest):
            longest = best[i]
    return longest


def two_rows_in_turn(n):
    cur = [0, 0, 0]
    nxt = [0, 0, 0]
    for i in range(n):
        for j in range(3):
            nxt[j] = cur[j] + i * j
        cur, nxt = nxt, cur
        nxt[0] = 7
    return cur, nxt


def two_buckets(xs):
    small = []
    big = []
    for x in xs:
        target = big if x > 2 else small
        target.append(x)
    return small, big


def growing_groups(xs):
    growing_groups = [[]]
    for x in xs:
        if x > 0:
            growing_groups[-1].append(x)
        elif growing_groups[-1]:
            growing_groups.append([])
    return [len(g) for g in growing_groups]


def open_row(xs):
    rows = []
    row = None
    for x in xs:
        if x == 0 or row is None:
            row = []
            rows.append(row)
        row.append(x)
    return [sum(r) for r in rows]


def which_one(xs):
    a = []
    b = []
    c = a
    k = 0
    for x in xs:
        if x > 0:
            c = b
        if c is a:
            k += 1
        c.append(x)
    return k, len(a), len(b)


def equal_ones(xs):
    a = [1]
    b = [1]
    k = 0
    for x in xs:
        c = a if x > 0 else b
        c.append(x)
        if a == b:
            k += 1
    return k


def stack_of_lists(xs):
    root = []
    stack = [root]
    for x in xs:
        if x > 0:
            stack[-1].append(x)
        elif x == 0:
            child = []
            stack.append(child)
        elif len(stack) > 1:
            stack.pop()
    return [len(s) for s in stack], sum(root)


def either_appended(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    b.append(x)
    return a, b


def merged_intervals(xs):
    out = []
    for i in range(0, len(xs) - 1, 2):
        a, b = xs[i], xs[i] + abs(xs[i + 1])
        if out and out[-1][1] >= a:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def run_lengths(xs):
    out = []
    for x in xs:
        if out and out[-1][0] == x:
            out[-1][1] += 1
        else:
            out.append([x, 1])
    return out


def pascal_rows(n):
    rows = [[1]]
    for i in range(n):
        prev = rows[-1]
        row = [1]
        for j in range(len(prev) - 1):
            row.append(prev[j] + prev[j + 1])
        row.append(1)
        rows.append(row)
    return rows


def all_subsets(xs):
    out = [[]]
    for x in xs[:4]:
        for s in list(out):
            out.append(s + [x])
    return out


def rotated(n):
    m = [[1, 2], [3, 4]]
    for _ in range(n):
        m = [list(r) for r in zip(*m[::-1])]
    return m


def row_of_grid(n):
    g = [[0] * 3 for _ in range(3)]
    row = g[n % 3]
    row[1] = 5
    if n > 1:
        row = g[0]
    row[0] += 1
    return g


def states_seen(xs):
    state = [0, 0]
    log = []
    for x in xs:
        if x > 0:
            state[0] += x
        else:
            state = [0, state[1] + 1]
        log.append(state)
    return log


def states_copied(xs):
    state = [0, 0]
    log = []
    for x in xs:
        if x > 0:
            state[0] += x
        else:
            state = [0, state[1] + 1]
        log.append(state[:])
    return log


def three_way_parts(xs):
    lo, eq, hi = [], [], []
    p = xs[0]
    for x in xs:
        (lo if x < p else eq if x == p else hi).append(x)
    return lo + eq + hi


def two_stacks_queue(xs):
    a, b = [], []
    for x in xs:
        if x > 0:
            a.append(x)
        else:
            while a:
                b.append(a.pop())
            if b:
                b.pop()
    return a, b


def longest_ascent(xs):
    best = None
    cur = []
    for x in xs:
        if cur and x <= cur[-1]:
            cur = [x]
        else:
            cur = cur + [x]
        if best is None or len(cur) > len(best):
            best = cur
    return best


def one_of_two_appended(x):
    a = []
    b = a if x > 0 else []
    b.append(x)
    c = b
    c += [1, 2]
    return len(a), len(b), a is b


def accumulated(x, acc=None):
    if acc is None:
        acc = []
    if x > 1:
        acc = acc + [1]
    acc.append(x)
    return acc


def flushed_buffer(xs):
    buf = []
    out = []

    def flush():
        nonlocal buf
        if buf:
            out.append(buf)
            buf = []

    for x in xs:
        if x == 0:
            flush()
        else:
            buf.append(x)
    flush()
    return [len(b) for b in out]


def swapped_by_helper(xs):
    def step(a, b, x):
        if x > 0:
            return b, a
        return a, b

    a, b = [1], [2]
    for x in xs:
        a, b = step(a, b, x)
        a.append(x)
    return a, b


def cleared_or_copied(xs):
    a = [1]
    keep = a
    for x in xs:
        if x > 0:
            a.append(x)
        elif x == 0:
            a.clear()
        else:
            a = list(a)
    return keep, a


def sorted_by_either(xs):
    a = [3, 1, 2]
    b = a
    for x in xs:
        if x > 2:
            b = sorted(b)
        a.append(x)
        b.sort()
    return a, b


def shortened_by_either(xs):
    a = [3, 1, 2, 5]
    b = a
    for x in xs:
        if x > 2:
            b = a[1:]
        if len(b) > 1:
            del b[0]
    return a, b


def inserted_by_parity(xs):
    a = []
    b = []
    for x in xs:
        t = a if x % 2 == 0 else b
        t.insert(0, x)
        if len(a) > 2:
            a, b = b, a
    return a, b


def extended_by_itself(xs):
    a = [1]
    b = [2]
    for x in xs[:3]:
        if x > 0:
            a.extend(b)
        else:
            b = a
    return a, b


def reversed_by_either(xs):
    a = [1, 2, 3]
    b = a
    for x in xs:
        if x > 1:
            b.reverse()
        else:
            b = b[::-1]
    return a, b


def lists_under_keys(xs):
    d = {}
    cur = []
    for i, x in enumerate(xs):
        if x == 0:
            cur = []
        d[i % 3] = cur
        cur.append(x)
    return [len(d[k]) for k in sorted(d)]


def last_group(xs):
    d = collections.defaultdict(list)
    last = None
    for x in xs:
        last = d[x % 2]
        if x > 0:
            last.append(x)
    return len(d[0]), len(d[1]), len(last)


def queue_of_paths(xs):
    q = collections.deque([[1]])
    for x in xs:
        p = q[0]
        if x > 2:
            q.append(p + [x])
        else:
            p.append(x)
    return [len(p) for p in q]


def best_with_its_run(xs):
    best = (0, [])
    cur = []
    for x in xs:
        if x > 0:
            cur.append(x)
        else:
            cur = []
        if sum(cur) > best[0]:
            best = (sum(cur), cur)
    return best[0], len(best[1])


def paths_down(n):
    path = []
    paths = []
    while n > 0:
        path.append(n)
        if n % 2 == 0:
            paths.append(path)
            path = path[:]
        n -= 1
    return [len(p) for p in paths], len(path)


def found_among_rows(xs):
    a = [1, 2]
    rows = [a, [3]]
    b = [1, 2]
    for x in xs:
        if x > 3:
            b = a
    return b in rows, rows.index(b), rows.count(b), b is a


def seen_rows(xs):
    rows = []
    n = 0
    cur = [0]
    for x in xs:
        if x > 0:
            cur = [x]
        if cur in rows:
            n += 1
        else:
            rows.append(cur)
        cur.append(1) if x == 2 else None
    return n, len(rows)


def least_row_changed(xs):
    rows = [[x, i] for i, x in enumerate(xs)]
    m = min(rows)
    m[0] = 100
    return sorted(rows)


def grown_while_walked(xs):
    a = [1, 2]
    n = 0
    b = a if xs[0] > 0 else [5]
    for v in b:
        n += v
        if n < 10:
            a.append(v + 1)
    return n, a


def row_unpacked(xs):
    rows = [[1, 2], [3, 4]]
    for x in xs[:3]:
        p = rows[0] if x > 0 else rows[1]
        i, j = p
        p[0] = j
        p[1] = i + x
    return rows


def spread_again(xs):
    a = [1]
    b = [2]
    for x in xs[:3]:
        if x > 0:
            a = b
        a = [*a, x]
    return a, b


def flattened_runs(xs):
    rows = []
    cur = []
    for x in xs:
        cur.append(x)
        if x == 0:
            rows.append(cur)
            cur = []
    return [y for r in rows for y in r], [len(r) for r in rows]


def repeated_by_number(xs):
    a = [0] * 2
    b = a
    for x in xs[:3]:
        if x > 0:
            b = a * 2
        b[0] += x
    return a, b


def popped_row(xs):
    rows = [[1], [2], [3]]
    top = rows[-1]
    for x in xs:
        if x > 3 and rows:
            top = rows.pop()
        top.append(x)
    return [len(r) for r in rows], len(top)


def all_orders(xs):
    out = []

    def go(path, rest):
        if not rest:
            out.append(path)
            return
        for i in range(len(rest)):
            go(path + [rest[i]], rest[:i] + rest[i + 1 :])

    go([], list(xs[:3]))
    return out


def best_path_down(n):
    def go(k, path, best):
        if k == 0:
            return path if len(path) > len(best) else best
        best = go(k - 1, path + [k], best)
        path = path[:1]
        return best

    return go(n, [], [0])


def path_begun_anew(n):
    path = [n]
    cur = path
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if n == 16:
            cur = []
        cur.append(n)
    return path, cur


class Stack:
    def __init__(self):
        self.items = []
        self.done = []

    def push(self, x):
        if x == 0:
            self.done.append(self.items)
            self.items = []
        else:
            self.items.append(x)


def stack_with_batches(xs):
    s = Stack()
    for x in xs:
        s.push(x)
    return len(s.items), [len(d) for d in s.done]


def divided_into_lists(xs):
    a = [1]
    b = a
    for x in xs[:4]:
        try:
            if x < 0:
                b = []
            b.append(10 // x)
        except ZeroDivisionError:
            b.append(-1)
            b = [7]
    return a, b


def handler_sees_appends(xs):
    a = []
    k = a
    for x in xs[:4]:
        try:
            k.append(x)
            if x == 0:
                raise ValueError
            if x > 3:
                k = [x]
        except ValueError:
            k.append(99)
    return a, k


def runs_until_large(xs):
    cur = []
    out = [cur]
    for x in xs:
        if x > 4:
            return out
        if x < 0:
            cur = []
            out.append(cur)
            continue
        if x == 7:
            break
        cur.append(x)
    return out


def work_list(xs):
    todo = [xs[0]]
    done = []
    while todo and len(done) < 6:
        v = todo.pop()
        done.append(v)
        if v > 1:
            todo.append(v - 1)
            todo.append(v // 2)
        if len(todo) > 3:
            todo = todo[:2]
    return done, todo


def third_of_either(xs):
    a = [1]
    b = a if xs[0] > 1 else [1, 2]
    b.append(3)
    return b[2]


def grown_by_helper(xs):
    def f(items=None, *, more=()):
        items = [] if items is None else items
        items.extend(more)
        return items

    a = f()
    b = f(a, more=[1])
    c = f(b if xs[0] > 1 else None, more=[xs[0]])
    return a, b, c


def appended_by_lambda(xs):
    a = [0]
    add = lambda v: a.append(v)
    for x in xs[:3]:
        if x > 1:
            add(x)
        else:
            a = a + [x]
    return a


def set_by_default(xs):
    d = {}
    for x in xs:
        cur = d.setdefault(x % 3, [])
        if x > 2:
            cur = d.setdefault(0, [])
        cur.append(x)
    return {k: d[k] for k in sorted(d)}


def either_gets_it(xs):
    a, b = [], []
    for x in xs:
        (a if x > 0 else b).append(x)
        t = a or b
        t.append(0)
    return a, b


def pair_turned(xs):
    pair = ([1], [2])
    for x in xs[:4]:
        if x > 1:
            pair = (pair[1], pair[0])
        pair[0].append(x)
    return pair


def rows_turned_in_rounds(xs):
    rows = [[1, 2], [3, 4]]
    for x in xs[:2]:
        if x > 1:
            rows.reverse()
        for r, v in zip(rows, [10, 20]):
            r[0] += v
    return rows


def row_found_by_number(xs):
    rows = [[0] for _ in range(3)]
    r = rows[0]
    for i, x in enumerate(xs[:3]):
        if x > 1:
            r = rows[i]
        r.append(x)
    for i, r in enumerate(rows):
        r.insert(0, i)
    return rows


def same_or_equal(xs):
    a = [1]
    b = [1]
    c = a if xs[0] > 1 else b
    return c is a, c is b, c == a, a is b, a is not c


def list_as_key(xs):
    a = [1]
    c = a if xs[0] > 1 else [2]
    try:
        return {c: 1}
    except TypeError:
        return -1


def kinds_of_either(xs):
    a = [1]
    c = a if xs[0] > 1 else [2]
    c.append(1)
    return (
        type(c) is list,
        isinstance(c, list),
        isinstance(c, (tuple, dict)),
        callable(c),
        hasattr(c, "append"),
    )


def length_as_text(xs):
    a = [1]
    c = a if xs[0] > 1 else [2]
    c.append(3)
    return str(len(c)) + "x", bool(c), not c


def triangle_row_changed(xs):
    tri = [[1]]
    for i in range(1, 4):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = tri[i - 1][j - 1] + tri[i - 1][j]
        tri.append(row)
    pick = tri[xs[0] % 4]
    pick.append(100)
    return tri


class Editor:
    def __init__(self, text):
        self.letters, self.cursor = list(text), len(text)
        self.done, self.undone = [], []

    def keep(self):
        self.done.append((self.letters[:], self.cursor))
        self.undone.clear()

    def insert(self, letter):
        self.keep()
        self.letters.insert(self.cursor, letter)
        self.cursor += 1

    def undo(self):
        if not self.done:
            return False
        self.undone.append((self.letters, self.cursor))
        self.letters, self.cursor = self.done.pop()
        return True

    def redo(self):
        if not self.undone:
            return False
        self.done.append((self.letters, self.cursor))
        self.letters, self.cursor = self.undone.pop()
        return True

    def __str__(self):
        return "".join(self.letters[: self.cursor]) + "|" + "".join(self.letters[self.cursor :])


def edited_and_undone(xs):
    editor = Editor("abc")
    shown = []
    for x in xs:
        if x > 4:
            editor.insert("z")
        elif x > 2:
            editor.cursor = max(editor.cursor - 1, 0)
        elif x > 0:
            editor.undo()
        else:
            editor.redo()
        shown.append(str(editor))
    return shown


State = collections.namedtuple("State", "items total")


def states_of_before(xs):
    items, total, before = [1], 1, []
    first = items
    for x in xs:
        if x > 2:
            before.append(State(items[:], total))
            items.append(x)
            total += x
        elif x > 0 and before:
            last = before[-1]
            last.items.append(50)
            items, total = last
        else:
            before.append(State(items, total))
    return items, before, total, items is first, before[-1] if before else None


NUMBERS = [(0,), (1,), (2,), (3,)]
SEQUENCES = [
    ([1, 2, 0, 3, -1, 4, 5, 6, 0, 7],),
    ([2],),
    ([5, -2, 5, 3, -1, 2],),
    ([0, 2, -3, 4, 0, 0, 1, 9],),
]

CASES = [
    (runs_between, SEQUENCES),
    (lengths_of_runs, SEQUENCES),
    (runs_with_gaps, SEQUENCES),
    (listed_then_changed, NUMBERS),
    (path_that_goes_on, NUMBERS),
    (last_path_of_rounds, NUMBERS),
    (only_row_of_rounds, NUMBERS),
    (table_by_another_name, NUMBERS),
    (put_first_then_copied, NUMBERS),
    (or_a_new_one, NUMBERS),
    (longest_run, SEQUENCES),
    (longest_run_ended, SEQUENCES),
    (swapped_names, SEQUENCES),
    (three_names, SEQUENCES),
    (longest_increasing, [([3, 1, 4, 1, 5, 9, 2, 6],), ([5, 4, 3],), ([1, 2, 3],)]),
    (two_rows_in_turn, NUMBERS),
    (two_buckets, SEQUENCES),
    (growing_groups, SEQUENCES),
    (open_row, SEQUENCES),
    (which_one, SEQUENCES),
    (equal_ones, SEQUENCES),
    (stack_of_lists, SEQUENCES),
    (either_appended, [(-1,), (0,), (1,)]),
    (merged_intervals, SEQUENCES),
    (run_lengths, SEQUENCES),
    (pascal_rows, NUMBERS),
    (all_subsets, SEQUENCES),
    (rotated, NUMBERS),
    (row_of_grid, NUMBERS),
    (states_seen, SEQUENCES),
    (states_copied, SEQUENCES),
    (three_way_parts, SEQUENCES),
    (two_stacks_queue, SEQUENCES),
    (longest_ascent, SEQUENCES),
    (one_of_two_appended, NUMBERS),
    (accumulated, NUMBERS),
    (flushed_buffer, SEQUENCES),
    (swapped_by_helper, SEQUENCES),
    (cleared_or_copied, SEQUENCES),
    (sorted_by_either, SEQUENCES),
    (shortened_by_either, SEQUENCES),
    (inserted_by_parity, SEQUENCES),
    (extended_by_itself, SEQUENCES),
    (reversed_by_either, SEQUENCES),
    (lists_under_keys, SEQUENCES),
    (last_group, SEQUENCES),
    (queue_of_paths, SEQUENCES),
    (best_with_its_run, SEQUENCES),
    (paths_down, NUMBERS),
    (found_among_rows, SEQUENCES),
    (seen_rows, SEQUENCES),
    (least_row_changed, SEQUENCES),
    (grown_while_walked, SEQUENCES),
    (row_unpacked, SEQUENCES),
    (spread_again, SEQUENCES),
    (flattened_runs, SEQUENCES),
    (repeated_by_number, SEQUENCES),
    (popped_row, SEQUENCES),
    (all_orders, SEQUENCES),
    (best_path_down, NUMBERS),
    (path_begun_anew, NUMBERS),
    (stack_with_batches, SEQUENCES),
    (divided_into_lists, SEQUENCES),
    (handler_sees_appends, SEQUENCES),
    (runs_until_large, SEQUENCES),
    (work_list, SEQUENCES),
    (third_of_either, SEQUENCES),
    (grown_by_helper, SEQUENCES),
    (appended_by_lambda, SEQUENCES),
    (set_by_default, SEQUENCES),
    (either_gets_it, SEQUENCES),
    (pair_turned, SEQUENCES),
    (rows_turned_in_rounds, SEQUENCES),
    (row_found_by_number, SEQUENCES),
    (same_or_equal, SEQUENCES),
    (list_as_key, SEQUENCES),
    (kinds_of_either, SEQUENCES),
    (length_as_text, SEQUENCES),
    (triangle_row_changed, SEQUENCES),
    (edited_and_undone, SEQUENCES),
    (states_of_before, SEQUENCES),
]
