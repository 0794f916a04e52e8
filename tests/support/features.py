"""A bank of small functions, one for each thing that `docs/limits.md` says about staged code.

A parameter `x` is given whole numbers, `xs` lists of them; staged, these are tensors.
Functions marked by `limit` are refused when staged, as the limit of that name says.
"""

import collections
import contextlib
import dataclasses
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import runtime as rt

LIMITS: dict[str, str] = {}
"""For each function that is refused when staged, the beginning of its limit's heading."""

Function = Callable[[Any], Any]


def limit(row: str) -> Callable[[Function], Function]:
    def mark(function: Function) -> Function:
        LIMITS[function.__name__] = row
        return function

    return mark


# Conditionals


def if_elif_else(x):
    if x > 0:
        y = 1
    elif x < -3:
        y = 2
    else:
        y = 3
    return y


def truth_of_a_number(x):
    if not x:
        return 1
    return 2


def ternaries_nested(x):
    return 1 if x > 0 else (2 if x < -3 else 3)


def ternary_in_a_call(x):
    return max(1 if x > 0 else 2, 0)


def and_or(x):
    return (x > 0 and x < 4) or x == -4


def or_as_a_value(x):
    return x or 7


def comparison_chained(x):
    return 0 < x < 4


def membership(x):
    return x in [1, 2, 3]


def weak_numbers_unify(x):
    return 1 if x > 0 else 1.5


def optional(xs):
    best = None
    for x in xs:
        best = x if best is None else max(best, x)
    return best


def optional_compared(x):
    held = None
    if x > 0:
        held = x - 1
    return [x == held, held == x, x != held, x - 1 == held, x - 1 != held, held == held]


def number_compared_with_tensors(xs):
    n = 0
    for x in xs:
        n = n + 1 if x > 2 else n
    return [xs[-1] == n, n == xs[0], xs[1] != n, n != xs[-1], xs[0] == n + 3]


def optional_number_compared(x):
    held, n = None, 0
    for i in range(x):
        n = n + i
        held = n
    return [n == held, held != n, n + 1 == held]


def raises_where_reached(x):
    if x < 0:
        raise ValueError(x)
    return x


def unbound_in_one_branch(x):
    if x > 0:
        y = 1
    return y


def unbound_but_not_read(x):
    if x > 0:
        y = x + 1
    if x > 0:
        return y
    return 0


def deleted_in_a_branch(x):
    if x > 0:
        y = x
        x = y + 1
        del y
    return x


def walrus(x):
    if (y := x * 2) > 4:
        return y
    return 0


def asserts(x):
    assert x > 0, "not positive"
    return x


def prints(x):
    if x > 0:
        print("positive", x)
    return x


# Loops


def while_counts(x):
    n = 0
    while x > 1:
        x = x // 2
        n += 1
    return n


def while_true_break(x):
    n = 0
    while True:
        if n >= x:
            break
        n += 1
    return n


def while_becomes_staged(x):
    i = 0
    for _ in range(3):
        i = i + x
    while 0 < i < 30:
        i = i * 2
    return i


def while_else(x):
    while x > 0:
        x -= 1
        if x == 2:
            break
    else:
        return -1
    return x


def for_range_of_a_tensor(x):
    total = 0
    for i in range(x, 0, -1):
        total = total * 2 + i
    return total


def for_elements(xs):
    total = 0
    for x in xs:
        if x == 3:
            continue
        total = total + x
    return total


def for_else(xs):
    for x in xs:
        if x > 3:
            y = 1
            break
    else:
        y = 2
    return y


def for_enumerate(xs):
    total = 0
    for i, x in enumerate(xs):
        total = total + i * x
    return total


def for_zip_and_reversed(xs):
    total = 0
    for a, b in zip(xs, reversed(xs)):  # noqa: B905 (the strict one is a test of its own)
        total = total + a * b
    return total


def for_map_of_enumerate(xs):
    total = 0
    for x in map(lambda pair: pair[0] * pair[1], enumerate(xs)):
        total = total + x
    return total


def for_filter_of_map(xs):
    total = 0
    for x in filter(lambda x: x > 2, map(lambda x: x * 2, xs)):
        total = total + x
    return total


def for_list_with_staged_break(x):
    total = 0
    for v in [1, 2, 3, 4]:
        if v > x:
            break
        total += v
    return total


def return_from_nested_loops(x):
    for i in range(x):
        for j in range(i):
            if i * j > 4:
                return i * 10 + j
    return -1


def return_in_try_finally(x):
    for i in range(x):
        try:
            if i > 2:
                return i
        finally:
            x += 1
    return -1


def loop_variable_after(x):
    for i in range(x):  # noqa: B007 (read below)
        pass
    return i


def accumulator_made_in_round_0(x):
    for i in range(x):
        y = 1 if i == 0 else y + i  # noqa: F821 (a name that has no value yet is the point)
    return y


def dtype_changes(x):
    total = 0
    for _ in range(x):
        total = total + 0.5
    return total


def shape_changes(x):
    t = rt.zeros([1])
    for _ in range(x):
        t = rt.concat([t, t], 0)
    return rt.size(t)


def loops_eight_deep(x):
    n = 0
    for a in range(x):
        for b in range(2):
            for c in range(2):
                for d in range(x):
                    if a > b:  # noqa: SIM102 (the depth is the point)
                        if c < d:
                            n = n + 1
    return n


def long_loop_with_a_staged_exit(x):
    for i in range(9999):
        if i * i > x:
            break
    else:
        return -1
    return i


def any_of_a_long_range(x):
    return any(i * i == x for i in range(100)) and not all(i > x for i in range(2, 90))


def recursion_with_a_counter(x):
    def count(i):
        return 0 if i >= x else 1 + count(i + 1)

    return count(0)


def ternary_in_a_slice(xs):
    return sum(xs[(1 if xs[0] > 2 else 0) : (3 if xs[1] > 1 else 2)])


def exits_in_four_loops(x):
    total = 0
    for a in range(x):
        for b in range(a):
            while b > 0:
                b -= 1
                for c in (1, 2):
                    if c == b:
                        continue
                    total += c
                    if total > 30:
                        break
    return total


def tape_in_a_branch(x):
    v = rt.cast(x, rt.float32)
    if x > 0:
        with rt.GradientTape() as tape:
            tape.watch(v)
            y = v * v * v
        return tape.gradient(y, v)
    return v


# State of other kinds


def dictionary(x):
    d = {"total": 0}
    for i in range(x):
        d["total"] = d["total"] + i
    return d["total"]


def new_key_in_both_branches(x):
    d = {}
    if x > 0:
        d["sign"] = 1
    else:
        d["sign"] = -1
    return d["sign"]


def pair(x):
    pair = (0, 1)
    for _ in range(x):
        pair = (pair[1], pair[0] + pair[1])
    return pair[0]


def named_tuple(x):
    Pair = collections.namedtuple("Pair", "a b")
    pair = Pair(0, 1)
    for _ in range(x):
        pair = Pair(pair.b, pair.a + pair.b)
    return pair.a


@dataclasses.dataclass
class Data:
    a: int
    b: int


def data_class(x):
    data = Data(0, 1)
    for _ in range(x):
        data = Data(data.b, data.a + data.b)
    return data.a


class Counter:
    def __init__(self, n=0):
        self.n = n

    def count(self, by):
        self.n = self.n + by

    @property
    def size(self):
        return self.n if self.n > 0 else -self.n


def attribute(x):
    counter = Counter()
    for i in range(x):
        counter.n = counter.n + i
    return counter.n


def attribute_changed_by_a_method(x):
    counter = Counter()
    for i in range(x):
        counter.count(i)
    return counter.n


def make_counter(n):
    def count():
        nonlocal n
        n = n + 1
        return n

    return count


def object_made_in_a_branch(x):
    n = 0
    if x > 1:
        counter = Counter(x + 1)
        counter.count(2)
        n = counter.n
    return n


def object_made_in_each_round(x):
    n = 0
    for i in range(x):
        counter = Counter(i)
        if i > 0:
            counter.count(x)
            other = Counter(n)
            other.count(i)
            n = n + other.n
        n = n + counter.n
    return n


def list_changed_in_a_loop_of_each_round(x):
    for i in range(x):
        if x > 1:
            last = i
        items = [x, i]
        for k in range(x):
            items[1] += k
        x = (last + items[1]) % 50
    return x


def list_built_in_a_branch(x):
    n = 0
    if x > 1:
        items = []
        for i in (1, 2):
            items.append(x + i)
        n = items[0] + items[1]
    return n


def lists_built_on_both_paths(x):
    if x > 1:
        items = [x]
        items.append(2)
    else:
        items = [3, 4]
    items.reverse()
    return items[0]


def closure_made_in_each_round(x):
    n = 0
    while n < x:
        count = make_counter(n)
        n = count() + count()
    return n


def ring_made_in_a_branch(x):
    n = 0
    if x > 1:
        ring = [x]
        ring.append(ring)
        ring.append(x + 1)
        n = ring[1][2]
    return n


def changed_by_a_function_in_a_list(x):
    counter = Counter(x)
    actions = [lambda: counter.count(2)]
    if x > 1:
        actions[0]()
    return counter.n


def changed_by_a_method_in_a_dict(x):
    counter, i = Counter(0), 0
    actions = {"go": counter.count}
    while i < x:
        actions["go"](i)
        i = i + 1
    return counter.n


def changed_after_it_was_let_go(x):
    counters = [Counter(x), Counter(0)]

    def swap():
        first = counters[0]
        counters[0] = counters[1]
        first.count(5)
        counters[0] = first

    if x > 1:
        swap()
    return counters[0].n


def items_of_a_tensor(xs):
    xs = xs * 1
    for i in range(len(xs)):
        xs[i] = xs[i] * 2
    return xs[0] + xs[1] * 10


# Builtins


def numbers(x):
    return abs(x - 5) + int(x) + divmod(x, 3)[1] + round(x / 2) + pow(x, 2)


def truth_and_float(x):
    return float(x) + 0.5 if bool(x) else 0.0


def whole_tensors(xs):
    return len(xs) + sum(xs) + max(xs) + min(xs)


def unpacking(xs):
    a, b, *_ = xs
    return a + b * 10


def staged_list_unpacked(x):
    squares = []
    for i in range(x):
        squares.append(i * i)
    first, *rest = squares
    return first, rest


def square_root(x):
    return math.sqrt(x * x)


# Functions and classes


def smaller(a, b):
    if a < b:
        return a
    return b


def calls_a_function(x):
    return smaller(x, 2) + smaller(b=3, a=x)


def calls_back(xs):
    return functools.reduce(lambda a, b: a if a > b else b, [xs[0], xs[1], xs[2]])


def calls_a_lambda(x):
    magnitude = lambda v: v if v > 0 else -v  # noqa: E731
    return magnitude(x - 2)


def calls_a_partial(x):
    return functools.partial(smaller, 2)(x)


def writes_nonlocal(x):
    n = 0

    def count():
        nonlocal n
        n = n + 1

    for _ in range(x):
        count()
    return n


class Base:
    def value(self, x):
        return x if x > 0 else -x


class Derived(Base):
    def value(self, x):
        return super().value(x) + 1


def calls_super(x):
    return Derived().value(x)


def staged_in_with(x):
    with contextlib.nullcontext():
        y = 1 if x > 0 else 2
    return y


def staged_in_try(x):
    try:
        y = 1 if x > 0 else 2
    except ValueError:
        y = 3
    return y


def comprehension(xs):
    return len([x for x in xs if x > 2])


def comprehension_over_a_range(x):
    return sum([i * j for i in range(x) for j in range(i) if j != 2])


def comprehension_with_a_staged_if(x):
    return len([v for v in (1, 2, 3) if v > x])


def generator_expression(xs):
    return any(x > 2 for x in xs) and not all(x > 2 for x in xs if x != 4)


def reductions_of_generators(x):
    squares = [i * i for i in range(x)]
    return max((s % 7 for s in squares), default=-1) + sum(s for s in squares if s % 2) + x


def text_in_an_error(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    assert x < 4, "large: " + str(x)
    return x


# Refused when staged


def list_grows(x):
    kept = ("squares", [])
    for i in range(x):
        kept[1].append(i * i)
    return len(kept[1])


@limit("A list or dict whose length only the run knows")
def staged_list_zipped(x):
    squares = []
    for i in range(x):
        squares.append(i * i)
    return list(itertools.zip_longest(squares, [1]))


@rt.function
def _take_over(a, b):
    a[0] = b[0] + 1
    return b[0]


def list_given_twice(x):
    items = [x]
    return _take_over(items, items)


def staged_list_sorted(x):
    squares = []
    for i in range(x):
        squares.append(i * i)
    squares.sort()
    return len(squares)


@limit("An iterator that is used twice")
def iterator_in_two_loops(x):
    pairs = enumerate(range(x))
    for _, i in pairs:
        x = x + i
    for _, i in pairs:
        x = x + i
    return x


def list_indexed(x):
    return [10, 20, 30][x % 3]


def set_of_staged(x):
    seen = set()
    for i in range(x):
        seen.add(i % 2)
    return len(seen)


def list_repeated(x):
    return [1] * x


def set_comprehension(xs):
    return len({x for x in xs if x > 2})


def tuple_repeated(x):
    return len((1,) * x)


def dict_indexed(x):
    return {0: 10, 1: 20, 2: 30}[x % 3]


def text_indexed(x):
    text = ["a", "bc", "def"][x % 3]
    return len(text) if text != "abcdef"[x % 5] else 7


def text_matched(x):
    match "plus" if x > 0 else None:
        case "plus" if x > 1:
            return 1
        case str(word):
            return len(word)
    return 0


def row_kept(x):
    rows = [[1, 2], [3, 4]]
    row = rows[0]
    if x > 2:
        row = rows[x % 2]
    return row[0]


def table_indexed(x):
    table = [[1, 2, 3], [4, 5, 6]]
    table[x % 2][x % 3] += 1
    return table, (7, 8)[x % 2], range(3, 9)[x % 4]


def list_assigned(x):
    table = [0] * 3
    table[x % 3] = x
    return table


def list_of_two_lengths(x):
    if x > 0:
        return [x]
    return []


def items_counted(x):
    return (x, 1).count(1), 0 in (x, 3), [x, 2, 3].index(3)


def grouped(x):
    groups = {}
    for i in range(x):
        groups.setdefault(i % 2, []).append(i)
    return [sum(group) for group in groups.values()]


def display_with_a_staged_key(x):
    return len({x: 1, 1: 2}), len({x, 3}), 3 in {x, 3}


def dict_comprehension(x):
    return len({i: i for i in range(x)})


def list_of_lists_by_a_comprehension(x):
    return len([[j for j in range(i)] for i in range(x)])


def entries_counted(x):
    counts = {}
    for i in range(x):
        counts[i % 2] = counts.get(i % 2, 0) + i
    return counts


def sets_under_keys(x):
    groups = {}
    for i in range(x):
        groups.setdefault(i % 2, set()).add(i)
    return len(groups)


@limit("A dict under a key that only the run knows")
def dicts_under_keys(x):
    groups = {}
    for i in range(x):
        groups.setdefault(i % 2, {})[i] = i
    return len(groups)


def attribute_on_one_path(x):
    tables = [{"a": x}]
    if x > 0:
        tables[0]["b"] = 1
    return tables[0]["a"]


def generator_advanced(x):
    return next((i for i in range(x)), 0)


def generator_advanced_at_its_end(x):
    return next(i for i in range(x + 9) if i > 2)


@limit("An iterator that is used twice")
def generator_of_staged_used_again(x):
    squares = (i * i for i in range(x))
    return sum(squares) + max(squares, default=0)


@limit("An iterator that is used twice")
def generator_used_again(x):
    checks = (v > x for v in (1, 2, 3))
    return any(checks) or all(checks)


def key_deleted(x):
    table = {"a": 1, "b": 2}
    if x > 0:
        del table["a"]
    return len(table)


def class_of_an_optional_value(x):
    y = None
    if x > 0:
        y = 3
    return 1 if type(y) is int else 2


def match_literals(x):
    match x:
        case 1:
            return 10
        case _:
            return 30


def match_pairs_and_guards(x):
    match x % 3, x:
        case 0, n if n > 2:
            return n
        case (0 | 1) as rest, _:
            return rest
        case _, n:
            return -n


class Spot(NamedTuple):
    first: int
    second: int


def match_items_and_attributes(x):
    match {"kind": x, "point": Spot(x, 2)}:
        case {"kind": 1, **others}:
            return others["point"].second
        case {"point": Spot(a, b)} if a > b:
            return a - b
        case {"point": Spot(first=a)}:
            return a


@limit("A tensor in a `match` by its length, or by `True` and `False`")
def match_a_truth_value(x):
    match x > 2:
        case True:
            return 1
    return 0


def changed_under_another_name(x):
    a = [1]
    b = a
    if x > 0:
        b = [2]
    b[0] = 9
    return a[0]


@limit("A set or dict that a staged value chooses among several")
def dict_changed_under_another_name(x):
    a = {"n": 1}
    b = a
    if x > 0:
        b = {"n": 2}
    b["n"] = 9
    return a["n"]


@limit("A tensor that may be another one")
def written_under_another_name(xs):
    other = xs[1:]
    chosen = xs if xs[0] > 2 else other
    chosen[0] = 9
    return xs[0]


@limit("`x[i] = v` of an argument where nobody sees it")
def written_for_nobody(xs):
    xs[0] = 9
    return 0


@limit("A set or dict that a staged value chooses")
def changed_or_replaced(x):
    d = {"a": 1}
    if x > 0:
        d = {"a": 2}
    else:
        d["a"] = 4
    return d["a"]


@limit("`is` between two tensors")
def identity_of_numbers(x):
    n = 0
    for i in range(x):
        n = n + i
    m = n + 1
    return n is m


def identity_of_one_of_several(x):
    a = b = [x]
    if x > 0:
        b = [x]
    return a is b


@limit("A loop of which each round raises")
def rounds_without_a_common_shape(x):
    z, n = rt.zeros([1]), 0
    while n < x:
        z = rt.concat([z, z], 0)
        if z.shape[0] is None:
            raise ValueError("unknown size")
        n += 1
    return n


def text_chosen(x):
    return len("ab" if x > 0 else "c")


def texts_compared(x):
    sign = "plus" if x > 0 else "minus"
    if sign == "plus":
        return {"plus": 1, "minus": 2}[sign]
    return -1 if sign in ("minus", "zero") else 0


def function_chosen(x):
    change = smaller if x > 0 else max
    return change(x, 2)


def function_in_a_dict(x):
    return {0: abs, 1: smaller}.get(x % 3, max)(x, 2) if x % 3 else 0


@limit("A Python value chosen by a staged value")
def set_chosen(x):
    letters = frozenset("ab") if x > 0 else frozenset("c")
    return len(letters)


def set_indexed(x):
    return len([frozenset("ab"), frozenset("c")][x % 2])


def formatted(x):
    return {f"{x}": 1}


def caught(x):
    try:
        if x > 0:
            raise ValueError
        y = 1
    except ValueError:
        y = 3
    return y


def map_of_filter(xs):
    total = 0
    for x in map(lambda x: x * 2, filter(lambda x: x > 2, xs)):
        total = total + x
    return total


def enumerate_filter(xs):
    total = 0
    for i, x in enumerate(filter(lambda x: x > 2, xs)):
        total = total + i * x
    return total


@limit("An iterator that is used twice")
def zip_of_filter(xs):
    total = 0
    for x, y in zip(filter(lambda x: x > 2, xs), xs, strict=False):
        total = total + x * y
    return total


@limit("A NumPy function that takes a function")
def numpy_function(x):
    return np.vectorize(abs)(x * x)


def function_of_numpy(x):
    return np.sqrt(x * x) + np.sum([x, 2])


def array_of_numpy(x):
    out = np.zeros(3)
    view = out[1:]
    for i in range(x):
        out[i % 3] += i
    return view * 2


def writes_global(x):
    global total
    total = 0
    for i in range(x):
        total = total + i
    return total


@limit("What a recursive function has from outside, and returns in something else")
def returned_in_a_tuple(x):
    seen = [0]

    def f(n):
        seen[0] += n
        return (seen, n) if n < 1 else f(n - 1)

    return f(x)[1] + seen[0]


def counts_its_calls(x):
    calls = [0]

    def f(n):
        calls[0] += 1
        return n if n < 2 else f(n - 1) + f(n - 2)

    f(x)
    return calls[0]


def deque_changed(x):
    items = collections.deque([1])
    if x > 0:
        items[0] = 2
    return items[0]


class Counting:
    def __init__(self, end):
        self.i = 0
        self.end = end

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.end:
            raise StopIteration
        self.i += 1
        return self.i


def ends_by_stop_iteration(x):
    total = 0
    for i in Counting(x):
        total += i
    return total


@limit("`StopIteration` under a staged test")
def zip_ends_by_stop_iteration(x):
    total = 0
    for i, _ in zip(Counting(x), Counting(x), strict=True):
        total += i
    return total


@limit("A `TensorArray` used after a change")
def forgets_what_write_returns(x):
    array = rt.TensorArray(rt.int32, 2)
    array.write(0, x)
    return array.read(0)


@limit("`next` of an iterator")
def advances_an_iterator(x):
    numbers = iter([1, 2, 3, 4, 5, 6])
    total = 0
    for _ in range(x):
        total = total + next(numbers)
    return total


def generator(x):
    def count():
        for i in range(x):  # noqa: UP028
            yield i

    return sum(count())


def generator_with_a_finally(x):
    def count():
        try:
            for i in range(x):  # noqa: UP028
                yield i
        finally:
            print("counted")

    return sum(count())


@limit("`yield` in a `with` or a `try` that catches")
def generator_with_a_handler(x):
    def count():
        try:
            for i in range(x):  # noqa: UP028
                yield i
        except GeneratorExit:
            print("left")

    return sum(count())


def bool_beside_an_int(x):
    return {0: True, 1: 5}[x % 2]


def bool_carried_as_an_int(x):
    last = True
    for i in range(x):
        last = i
    return last


def number_or_bool(x):
    return (x > 2) or 7


@limit("The value of `and` or `or`")
def bool_or_list(x):
    return (x > 2) and [x]


def stops_the_program_where_it_is_reached(x):
    try:
        if x > 3:
            raise SystemExit(x)
    except SystemExit:
        return 0
    return x


def item_outside_is_caught(xs):
    try:
        xs[xs[1]] = 1
    except IndexError:
        return 0
    return xs
