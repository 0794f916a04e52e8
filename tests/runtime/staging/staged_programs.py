"""Programs that must compute staged what they compute in Python: (function, arguments, ...).

Floats and ints in the arguments become tensors; what is in a list of `Plain` stays a Python value.
"""

# The programs are written as users write them.
# ruff: noqa: SIM108, SIM113, B905, B007

import dataclasses
import math
from typing import Any, NamedTuple


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Pair:
    first: Any
    second: Any


class Counter:
    def __init__(self, start: Any) -> None:
        self.count = start

    def add(self, step: Any) -> None:
        self.count = self.count + step


# Branches


def nested_if(x, y):
    if x > 0:
        if y > 0:
            r = x + y
        else:
            r = x - y
    elif y > 0:
        r = y
    else:
        r = 0
    return r


def weak_number_meets_tensor(x):
    total = 0
    if x > 1.0:
        total = x * 2.0
    return total


def int_meets_float(x):
    if x > 2:
        y = 1
    else:
        y = 2.5
    return y + 1


def bool_flag(x):
    big = False
    if x > 2:
        big = True
    return big


def two_outputs(x, y):
    if x > y:
        x, y = y, x
    return x, y


def structures(x):
    if x > 0:
        r = {"a": x, "b": (1, [x, 2])}
    else:
        r = {"a": 3, "b": (4, [5, x])}
    return r["a"] + r["b"][1][0] + r["b"][1][1]


def namedtuples(x):
    p = Point(x, 1)
    if x > 0:
        p = Point(p.y, p.x)
    return p.x * 10 + p.y


def dataclasses_(x):
    p = Pair(x, 1)
    if x > 0:
        p = Pair(2, p)
        return p.first
    return p.second + x


def same_strings(x):
    mode = "up"
    if x > 0:
        mode = "up"
        x = x + 1
    if mode == "up":
        x = x * 2
    return x


def optional(x):
    best = None
    if x > 1:
        best = x
    if best is None:
        return -1
    return best + 1


def optional_in_loop(xs):
    best = None
    for x in xs:
        best = x if best is None else max(best, x)
    return best


def optional_is_not(x):
    y = None
    if x > 0:
        y = x * 2
    if y is not None:
        x = y
    return x


def undefined_unless_taken(x):
    if x > 0:
        y = x
    if x > 0:
        return y
    return -x


def ternaries(x, y):
    return (x if x > y else y) + (1 if x > 0 else 2.5)


def early_return(x):
    if x < 0:
        return -x
    x = x * 2
    if x > 10:
        return 10
    return x


# Boolean operators


def and_or(x, y):
    if x > 0 and y > 0:
        return 1
    if x > 0 or y > 0:
        return 2
    return 3


def or_value(x, y):
    return x or y


def and_value(x, y):
    return (x and y) + 1


def not_number(x):
    return not x


def short_circuit(x):
    if x != 0 and 10 // x > 2:
        return 1
    return 0


def chained(x):
    return 0 < x < 3


def chained_once(x):
    if 0 <= x - 1 < 2 <= 5:
        return x
    return -x


def int_truth(x):
    if x:
        return 1
    return 2


def while_int_truth(x):
    n = 0
    while x:
        x = x // 2
        n += 1
    return n


def membership(x):
    return x in (1, 3, 5)


# Loops


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


def python_counter(x):
    i = 0
    while x > 1:
        x = x / 2
        i += 1
    return x, i


def becomes_float(n):
    total = 0
    while n > 0:
        total += 0.5
        n = n - 1
    return total


def becomes_tensor(x, n):
    total = 0
    i = 0
    while i < n:
        total = total + x
        i = i + 1
    return total


def state_swaps(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n = n - 1
    return a


def rows(xs):
    s = 0
    for x in xs:
        s = s + x
    return s


def matrix_rows(m):
    total = 0
    for row in m:
        for x in row:
            total += x
    return total


def unpack_rows(m):
    s = 0
    for a, b in m:
        s = s * a + b
    return s


def staged_range(n):
    s = 0
    for i in range(n):
        s += i * i
    return s


def staged_range_steps(a, b):
    s = 0
    for i in range(a, b, 3):
        s = s * 2 + i
    for i in range(b, a, -2):
        s = s * 2 + i
    return s


def staged_step(n, k):
    s = 0
    for i in range(0, n, k):
        s += i
    return s


def break_and_continue(n):
    s = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        if i > 7:
            break
        s += i
    return s


def return_in_loop(xs, target):
    i = 0
    for x in xs:
        if x == target:
            return i
        i += 1
    return -1


def loop_else(n):
    for i in range(n):
        if i == 4:
            r = i
            break
    else:
        r = -1
    return r


def while_true(n):
    i = 0
    while True:
        i += 1
        if i * i > n:
            break
    return i


def variable_after(n):
    for i in range(n):
        j = i * 2
    return i + j


def first_round(xs):
    i = 0
    for x in xs:
        if i == 0:
            y = x
        else:
            y = y * 2 + x
        i += 1
    return y


def enumerated(xs):
    s = 0
    for i, x in enumerate(xs):
        s += i * x
    return s


def enumerated_from(xs):
    s = 0
    for i, x in enumerate(xs, 5):
        s = s * i + x
    return s


def zipped(xs, ys):
    s = 0
    for x, y in zip(xs, ys):
        s += x * y
    return s


def reversed_rows(xs):
    s = 0
    for x in reversed(xs):
        s = s * 2 + x
    return s


def mapped(xs):
    s = 0
    for x in map(lambda v: v * v, xs):
        s += x
    return s


def filtered(xs):
    s = 0
    for x in filter(lambda v: v > 2, xs):
        s += x
    return s


def all_filtered(xs):
    kept = filter(lambda v: v % 2 == 0, xs)
    return len(list(kept)), sum(filter(None, xs)), max(filter(lambda v: v < 4, xs), default=-1)


def filters_in_filters(xs):
    large = filter(lambda v: v > 1, xs)
    return [v * 2 for v in filter(lambda v: v != 3, large)]


def mapped_filter(xs):
    return list(map(lambda v: v * v, filter(lambda v: v % 2 == 1, xs)))


def filter_left_early(xs):
    s = 0
    for x in filter(lambda v: v % 2 == 0, xs):
        s += x
        if s > 5:
            break
    return s


def filter_of_a_plain_list(a, b):
    return list(filter(lambda v: v > 2, [a, b, 7, a + b]))


def numbered_filter(xs):
    s = 0
    for i, x in enumerate(filter(lambda v: v > 1, xs), 1):
        if i * x > 9:
            return s, i
        s += i * x
    return s, -1


def numbered_by_python(a, b):
    return dict(enumerate(v * a for v in (1, 2, 3) if v > 1))[1] + b, list(
        zip(enumerate(x for x in (a, b)), "xy")
    )[1][0][1]


def numbered_generator(xs):
    return [i * x for i, x in enumerate(x + 1 for x in xs if x > 1)]


def first_found(xs):
    return next((i for i, x in enumerate(xs) if x > 2), -1)


def first_accepted(xs):
    return next(filter(lambda v: v > 2, xs), None) is None


def generator_of_a_generator(xs):
    odd = {x % 2 for x in (x for x in xs if x)}
    return sum(x * x for x in (x - 1 for x in xs if x > 1)), len(odd)


def zip_range(xs, n):
    s = 0
    for i, x in zip(range(n), xs):
        s += i * x
    return s


def nested_loops(n):
    s = 0
    for i in range(n):
        for j in range(i):
            if j == 3:
                break
            s += j
    return s


def python_list_staged_break(x):
    for k in [1, 5, 9]:
        if k > x:
            break
        x = x - 1
    return x, k


def list_state(n):
    pair = [0, 1]
    i = 0
    while i < n:
        pair = [pair[1], pair[0] + pair[1]]
        i += 1
    return pair[0]


def dict_state(n):
    d = {"a": 0, "b": 1.5}
    for i in range(n):
        d = {"a": d["a"] + i, "b": d["b"] * 2}
    return d["a"] + d["b"]


def attribute_state(n):
    c = Counter(0)
    for i in range(n):
        c.count = c.count + i
    return c.count


def method_state(n):
    c = Counter(0)
    for i in range(n):
        c.add(i)
    return c.count


def method_in_branch(x):
    c = Counter(1)
    if x > 0:
        c.add(x)
    return c.count


def list_items(x):
    cells = [1, 2, 3]
    alias = cells
    if x > 0:
        cells[1] = x * 10
    return cells[1] + alias[1]


def list_items_in_loop(n):
    cells = [0, 0]
    alias = cells
    for i in range(n):
        cells[0] = cells[0] + i
        cells[1] = alias[0]
    return cells[0] * 100 + alias[1]


def dict_items_in_loop(n):
    d = {"k": 0}
    for i in range(n):
        d["k"] += i
    return d["k"]


# Numbers


def arithmetic(n):
    k = 7
    while n > 0:
        k = (k * 3 - 1) % 11 + k // 2 - (k ^ 5) + (k << 1 & 6 | 1)
        n = n - 1
    return k


def floats(n):
    f = 0.1
    while n > 0:
        f = f * 1.5 + f / 3 - f**2 % 0.7
        n = n - 1
    return f * 1.0


def negative_division(n):
    k = -7
    while n > 0:
        k = -(k // 2) - 3
        n -= 1
    return k % 5, k // 3


def divmods(n):
    a, b = divmod(n, 3)
    k = 5
    while n > 0:
        q, r = divmod(k, 3)
        k = k + q + r
        n -= 1
    return a * 100 + b * 10 + k


def math_functions(n):
    x = 0.5
    while n > 0:
        x = math.sqrt(x) + math.sin(x)
        n -= 1
    return math.floor(x * 100), x


def conversions(n):
    s = 0.0
    i = 0
    while i < n:
        s = s + int(s + 0.7) + float(i) + round(s) + abs(-i) + bool(i)
        i += 1
    return s


def minmax(n):
    lo, hi = 100, -100
    i = 0
    while i < n:
        v = (i * 7) % 5 - 2
        lo, hi = min(lo, v), max(hi, v, i - 3)
        i += 1
    return lo, hi


def powers(n):
    p = 1
    i = 0
    while i < n:
        p = p + 2**i + i**2
        i += 1
    return p


# Builtins on tensors


def lengths(xs):
    return len(xs) * 2


def sums(xs):
    return sum(xs) + max(xs) - min(xs)


def any_all(xs):
    return any(x > 2 for x in [xs[0], xs[1]]), all([xs[0] > 0, xs[1] > 0])


def casts(x):
    return int(x) + 1, float(x) / 2, bool(x), abs(x), round(x)


def isinstances(n):
    i = 0
    while i < n:
        i += 1
    return 1 if isinstance(i, int) else 2


# Item assignment


def assign_item(xs):
    xs[0] = 10
    xs[1] += 5
    return xs


def assign_slice(xs):
    xs[1:] = [7, 8]
    return xs


def assign_in_loop(xs):
    for i in range(len(xs)):
        xs[i] = i * 2
    return xs


def assign_at_staged_index(xs, i):
    if xs[i] > 1:
        xs[i] = xs[i] * 10
    return xs


# Exceptions


def raise_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return x + 1


def raise_in_both(x):
    if x < 0:
        raise ValueError("negative")
    else:
        raise KeyError("other")


def raise_in_loop(n):
    i = 0
    while i < n:
        if i == 3:
            raise IndexError("three")
        i += 1
    return i


def always_raising_loop(n):
    while n > 0:
        raise ValueError("at once")
    return n


def asserting(x):
    assert x > 0, "must be positive"
    return x


def asserting_in_loop(n):
    i = 0
    while i < n:
        assert i < 3
        i += 1
    return i


def division_by_zero(n):
    k = 3
    while n > 0:
        k = k // (k - 1)
        n -= 1
    return k


def unbound(x):
    if x > 0:
        y = x
    return y


def unbound_after_loop(n):
    for i in range(n):
        pass
    return i


def undefined_number_meets_tensor(a, b):
    if a > 5:
        return a
    for i in range(b - a):
        return i + 1
    return 0


def cleanup_inside(x):
    try:
        y = 1
        if x > 0:
            y = 2
    finally:
        z = 3
    return y + z


# Loops whose later rounds fail


def second_test_raises(x):
    y = (1, 2)
    while len(y) < x:
        y = None
    return x


def second_round_raises(x):
    y, n = (1, 2), 0
    while n < x:
        n = n + len(y)
        y = None
    return n


# Optional values compared


def optional_equal(x):
    y = None
    if x > 0:
        y = x
    return int(y == 3), int(y != 3), int(3 == y)  # noqa: SIM300


def optional_is_equal_to_none(x):
    y = None
    if x > 0:
        y = x
    return int(y == None), int(y != None)  # noqa: E711


def optionals_equal(x):
    y = z = None
    if x > 0:
        y = x
    if x > 1:
        z = x
    return int(y == z), int(y != z)


# Builtins


def types_of_numbers(x):
    n = 0
    for _ in range(x):
        n += 1
    return int(type(n) is int), int(type(n) == int), int(type(n * 0.5) is float)  # noqa: E721


def in_staged_range(x):
    return int(3 in range(x)), int(3 not in range(1, x, 2)), int(x in range(10))


def zip_with_plain(xs):
    total = 0
    for a, b, c in zip(xs, [10, 20], range(5)):
        total += a * b + c
    return total


def zip_with_iterator(xs):
    total = 0
    for a, b in zip(xs, iter([10, 20, 30])):
        total += a * b
    return total


def and_or_of_bools(x):
    b = x > 0
    return int(b and x > 3), int((b and x > 5) or x == 3)


# Containers


def append_in_branch_only(x):
    items = [1, 2]
    alias = items
    if x > 0:
        items[0] += 3
    return alias[0]


# Hidden changes in operands, tests, messages and functions given to builtins


def counting(answer):
    calls = [0]

    def call(*args):
        calls[0] += 1
        return answer(*args)

    return calls, call


def operand_counts(x):
    calls, call = counting(lambda: True)
    if x > 0 and call():
        pass
    if x < 0 or call():
        pass
    return calls[0]


def comparison_counts(x):
    calls, call = counting(lambda: 9)
    y = 5 < x < call() < 10
    return calls[0], y


def three_operands_count(x):
    calls, call = counting(lambda: x > 1)
    more, again = counting(lambda: True)
    y = x > 0 and call() and again()
    return calls[0], more[0], y


def message_counts(x):
    calls, call = counting(lambda: "too large")
    assert x < 9, call()
    return calls[0]


def test_counts(x):
    calls, call = counting(lambda: calls[0] < x)
    while call():
        pass
    return calls[0]


def mapped_counts(x):
    calls, call = counting(lambda v: v * 2)
    s = 0
    for q in map(call, x):
        s += q
    return calls[0], s


def filtered_counts(x):
    calls, call = counting(lambda v: v > 1)
    s = 0
    for q in filter(call, x):
        s += q
    return calls[0], s


PROGRAMS: list[tuple[Any, ...]] = [
    (nested_if, (1, 2), (1, -2), (-1, 2), (-1, -2)),
    (weak_number_meets_tensor, (2.0,), (0.5,)),
    (int_meets_float, (1,), (3,)),
    (bool_flag, (1,), (3,)),
    (two_outputs, (1, 2), (2, 1)),
    (structures, (1,), (-1,)),
    (namedtuples, (5,), (-5,)),
    (dataclasses_, (5,), (-5,)),
    (same_strings, (5,), (-5,)),
    (optional, (0,), (4,)),
    (optional_in_loop, ([3, 5, 2],), ([1],)),
    (optional_is_not, (3,), (-3,)),
    (undefined_unless_taken, (3,), (-3,)),
    (ternaries, (1.0, 2.0), (-1.0, -2.0)),
    (early_return, (-1,), (3,), (30,)),
    (and_or, (1, 1), (1, -1), (-1, 1), (-1, -1)),
    (or_value, (0, 5), (3, 5), (0, 0)),
    (and_value, (0, 5), (3, 5)),
    (not_number, (0,), (3,)),
    (short_circuit, (0,), (3,), (9,)),
    (chained, (0,), (2,), (3,)),
    (chained_once, (0,), (2,), (3,)),
    (int_truth, (0,), (3,)),
    (while_int_truth, (0,), (9,)),
    (membership, (1,), (2,)),
    (collatz, (1,), (7,), (27,)),
    (python_counter, (0.5,), (9.0,)),
    (becomes_float, (0,), (3,)),
    (becomes_tensor, (1.5, 0), (1.5, 4)),
    (state_swaps, (0,), (10,)),
    (rows, ([1, 2, 3],), ([2],)),
    (matrix_rows, ([[1, 2], [3, 4]],)),
    (unpack_rows, ([[1, 2], [3, 4]],)),
    (staged_range, (0,), (5,), (-2,)),
    (staged_range_steps, (0, 10), (3, 3), (10, 2)),
    (staged_step, (10, 3), (-10, -3)),
    (break_and_continue, (0,), (6,), (20,)),
    (return_in_loop, ([4, 5, 6], 5), ([4, 5, 6], 7)),
    (loop_else, (3,), (6,)),
    (while_true, (0,), (30,)),
    (
        variable_after,
        (3,),
    ),
    (first_round, ([1, 2, 3],), ([4],)),
    (enumerated, ([1, 2, 3],)),
    (enumerated_from, ([1, 2, 3],)),
    (zipped, ([1, 2, 3], [4, 5])),
    (reversed_rows, ([1, 2, 3],)),
    (mapped, ([1, 2, 3],)),
    (filtered, ([1, 2, 3, 4],)),
    (all_filtered, ([1, 2, 3, 4],), ([5, 7],)),
    (filters_in_filters, ([1, 2, 3, 4],), ([1, 1],)),
    (mapped_filter, ([1, 2, 3],), ([2, 4],)),
    (filter_left_early, ([4, 3, 2, 8],), ([1, 1],)),
    (filter_of_a_plain_list, (1, 2), (5, -9)),
    (numbered_filter, ([1, 2, 3, 4],), ([2, 2],), ([0, 1],)),
    (numbered_by_python, (2, 5)),
    (numbered_generator, ([1, 2, 3],), ([0, 1],)),
    (first_found, ([1, 2, 3],), ([0, 1],)),
    (first_accepted, ([1, 2, 3],), ([0, 1],)),
    (generator_of_a_generator, ([1, 2, 3],), ([0, 1],)),
    (zip_range, ([1, 2, 3, 4], 3), ([1, 2], 3)),
    (nested_loops, (0,), (7,)),
    (python_list_staged_break, (0,), (4,), (100,)),
    (list_state, (0,), (7,)),
    (dict_state, (0,), (3,)),
    (attribute_state, (0,), (4,)),
    (method_state, (0,), (4,)),
    (method_in_branch, (3,), (-3,)),
    (list_items, (3,), (-3,)),
    (list_items_in_loop, (0,), (4,)),
    (dict_items_in_loop, (0,), (4,)),
    (arithmetic, (0,), (5,)),
    (floats, (0,), (5,)),
    (negative_division, (0,), (5,)),
    (divmods, (0,), (5,)),
    (math_functions, (0,), (5,)),
    (conversions, (0,), (3,)),
    (minmax, (0,), (6,)),
    (powers, (0,), (6,)),
    (lengths, ([1, 2, 3],)),
    (sums, ([1, 2, 3],)),
    (any_all, ([1, 3],), ([-1, 0],)),
    (casts, (3,), (2.75,)),
    (isinstances, (3,)),
    (assign_item, ([1, 2, 3],)),
    (assign_slice, ([1, 2, 3],)),
    (assign_in_loop, ([1, 2, 3],)),
    (assign_at_staged_index, ([1, 2, 3], 0), ([1, 2, 3], 2)),
    (raise_in_branch, (1,), (-1,)),
    (raise_in_both, (1,), (-1,)),
    (raise_in_loop, (2,), (9,)),
    (always_raising_loop, (0,), (1,)),
    (asserting, (1,), (-1,)),
    (asserting_in_loop, (2,), (9,)),
    (division_by_zero, (0,), (3,)),
    (unbound, (1,), (-1,)),
    (unbound_after_loop, (3,), (0,)),
    (undefined_number_meets_tensor, (4, -2), (9, 0), (4, 6)),
    (cleanup_inside, (1,), (-1,)),
    (operand_counts, (3,), (-1,)),
    (comparison_counts, (4,), (6,), (12,)),
    (three_operands_count, (3,), (1,), (-1,)),
    (message_counts, (3,), (12,)),
    (test_counts, (3,), (-1,)),
    (mapped_counts, ([1, 2, 3],)),
    (filtered_counts, ([1, 2, 3],)),
    (second_test_raises, (0,), (9,)),
    (second_round_raises, (0,), (2,), (9,)),
    (optional_equal, (3,), (2,), (-1,)),
    (optional_is_equal_to_none, (3,), (-1,)),
    (optionals_equal, (3,), (1,), (-1,)),
    (types_of_numbers, (3,), (0,)),
    (in_staged_range, (3,), (4,), (12,), (-1,)),
    (zip_with_plain, ([1, 2, 3],), ([1],)),
    (zip_with_iterator, ([1, 2, 3],)),
    (and_or_of_bools, (3,), (-1,)),
    (append_in_branch_only, (3,), (-1,)),
]
