"""Lists that are arguments: what a call returns and leaves in them, and which of them are one."""

import copy
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python, lists_in, of_tensors


def _outcome(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    try:
        result = as_python(function(*args))
    except (ArithmeticError, LookupError, ValueError) as error:
        result = type(error)
    return result, as_python(list(args)), lists_in(list(args))


def _check(function: Callable[..., Any], args: Sequence[Any]) -> None:
    wanted = _outcome(function, copy.deepcopy(args))
    assert _outcome(rt.function(function), of_tensors(copy.deepcopy(tuple(args)))) == wanted


# Which of them are one


def is_same(a: Any, b: Any) -> Any:
    return a is b


def changed_by_another_name(a: Any, b: Any) -> Any:
    a.append(1)
    return len(b)


def both_changed(a: Any, b: Any) -> Any:
    a.append(1)
    b[0] = b[0] + 5
    b.append(a[0])
    return len(a)


def row_changed(rows: Any, a: Any) -> Any:
    rows[0].append(a[0])
    return sum([len(row) for row in rows])


ONE: list[int] = [4]
TWICE = [
    ([1], [1]),
    (ONE, ONE),
]


@pytest.mark.parametrize("args", TWICE, ids=["two", "one"])
@pytest.mark.parametrize("function", [is_same, changed_by_another_name, both_changed])
def test_a_list_that_is_given_twice(function: Callable[..., Any], args: Any) -> None:
    _check(function, args)


@pytest.mark.parametrize(
    "args",
    [([[1], [2]], [3]), ([ONE, [2]], ONE), ([ONE, ONE], [3]), ([ONE, ONE], ONE)],
    ids=["apart", "also", "rows", "all"],
)
def test_a_list_that_is_in_another_one_twice(args: Any) -> None:
    _check(row_changed, args)


def put_in_a_tuple(rows: Any, row: Any, k: Any) -> Any:
    rows.append((k, row))
    return len(rows)


def put_again(rows: Any, row: Any, k: Any) -> Any:
    rows.append(rows[0])
    return k


def new_ones_twice(rows: Any, row: Any, k: Any) -> Any:
    made = [k]
    rows.append((k, made))
    rows.append((1, made))
    return rows[1][1] is rows[2][1]


def new_one_of_fractions(rows: Any, row: Any, k: Any) -> Any:
    rows.append((k, [1, 2.5]))
    return rows[1][1][1] * k


def under_a_key(table: Any, row: Any, k: Any) -> Any:
    table[k] = [0, 0]
    return table[1] is row


def under_another_key(table: Any, row: Any, k: Any) -> Any:
    table[k] = row
    table[k + 1] = [4]
    return len(table)


def on_a_path(table: Any, row: Any, k: Any) -> Any:
    if k > 0:
        table["b"] = [0] * 2
    return len(table)


def in_rounds(rows: Any, row: Any, k: Any) -> Any:
    for _ in range(k):
        rows.append([k])
    return rows[0] is row


@pytest.mark.parametrize(
    ("function", "held"),
    [
        (put_in_a_tuple, [(1, ONE)]),
        (put_again, [(1, ONE)]),
        (put_again, [ONE]),
        (new_ones_twice, [(1, ONE)]),
        (new_one_of_fractions, [(1, ONE)]),
        (under_a_key, {1: ONE}),
        (under_another_key, {1: ONE}),
        (on_a_path, {"a": ONE}),
        (in_rounds, [ONE]),
        (in_rounds, [[2], ONE]),
    ],
)
def test_a_list_in_another_one_that_changes(function: Callable[..., Any], held: Any) -> None:
    for k in (2, 3):
        _check(function, (held, ONE, k))


def test_a_list_in_a_dict_of_another_class() -> None:
    row = [rt.constant(1)]
    table = OrderedDict(a=row)
    assert int(rt.function(on_a_path)(table, row, rt.constant(2))) == 2
    assert (list(table), table["a"] is row, as_python(table["b"])) == (["a", "b"], True, [0, 0])


def test_calls_with_and_without_such_have_traces_of_their_own() -> None:
    staged = rt.function(changed_by_another_name)
    one: list[Any] = [rt.constant(1)]
    assert [int(staged([rt.constant(1)], [rt.constant(2)])), int(staged(one, one))] == [1, 2]
    assert [int(staged([rt.constant(1)], [rt.constant(2)])), len(one)] == [1, 2]
    assert staged.experimental_get_tracing_count() == 2
    assert "lists that are one" in staged.why_retraced()


def test_a_trace_is_for_its_lists() -> None:
    one = [rt.constant(1)]
    concrete = rt.function(changed_by_another_name).get_concrete_function(one, [rt.constant(2)])
    with pytest.raises(autograph.StagingError, match="gives it twice"):
        concrete(one, one)


HELD: list[Any] = []


def held_item_put(items: Any, x: Any) -> Any:
    HELD[0] = x
    return items[0]


def held_item_put_at_times(items: Any, x: Any) -> Any:
    if x > 0:
        HELD[0] = HELD[0] + x
    return items[0]


def held_longer(items: Any, x: Any) -> Any:
    HELD.append(5)
    return len(items) + x


def held_in_another(rows: Any, x: Any) -> Any:
    HELD[0] = x
    return rows[1][0]


def counted_by_default(x: Any, items: Any = HELD) -> Any:
    if x > 0:
        items[0] += 1
        return counted_by_default(x - 1)
    return items[0]


class Holder:
    def __init__(self) -> None:
        self.items = HELD

    def put(self, items: Any, x: Any) -> Any:
        self.items[0] = x
        return items[0]


@pytest.mark.parametrize("first", [1, rt.constant(1)], ids=["number", "tensor"])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (held_item_put, (HELD,)),
        (held_item_put_at_times, (HELD,)),
        (held_longer, (HELD,)),
        (held_in_another, ([[2], HELD],)),
        (counted_by_default, ()),
        (Holder().put, (HELD,)),
    ],
)
def test_a_list_that_is_changed_by_another_name(function: Any, args: Any, first: Any) -> None:
    HELD[:] = [first]
    with pytest.raises(autograph.StagingError, match=r"by another name") as caught:
        rt.function(function)(*args, rt.constant(2))
    assert caught.value.variable.split("[")[0] in ("HELD", "items", "rows", "self.items")
    assert __file__ in str(caught.value)


def test_a_list_that_is_changed_by_another_name_in_later_calls() -> None:
    HELD[:] = [rt.constant(1)]
    staged = rt.function(held_item_put)
    assert int(staged([rt.constant(7)], rt.constant(2))) == 7
    concrete = staged.get_concrete_function([rt.constant(7)], rt.constant(2))
    for call in (staged, concrete):
        with pytest.raises(autograph.StagingError, match="held_item_put changes HELD by another"):
            call(HELD, rt.constant(3))
    assert [int(x) for x in HELD] == [2]


# Those of which the run chooses


def best_row(rows: Any, k: Any) -> Any:
    best = rows[0]
    for row in rows:
        if sum(row) > sum(best):
            best = row
    best.append(1)
    return len(best)


def best_returned(rows: Any) -> Any:
    best = rows[0]
    for row in rows:
        if sum(row) > sum(best):
            best = row
    best.append(1)
    return best


def choose(a: Any, b: Any, k: Any) -> Any:
    t = a
    if k > 0:
        t = b
    t.append(k)
    return len(a), len(b)


def swap(rows: Any, i: Any, j: Any) -> Any:
    rows[i], rows[j] = rows[j], rows[i]
    return rows[0]


def swap_known(rows: Any, k: Any) -> Any:
    if k > 0:
        rows[0], rows[1] = rows[1], rows[0]
    rows[0].append(k)
    return rows[0]


def longest(rows: Any) -> Any:
    best = []
    for r in rows:
        if len(r) > len(best):
            best = r
    best.append(5)
    return best


def put_in(rows: Any, k: Any) -> Any:
    row = rows[k]
    row.append(1)
    return sum(row)


def append_arg(rows: Any, a: Any, k: Any) -> Any:
    if k > 0:
        rows.append(a)
    a.append(k)
    return len(rows)


def put_new(rows: Any, k: Any) -> Any:
    n = [k]
    for r in rows:
        if r[0] > k:
            n = r
    rows.append(n)
    n.append(9)
    return len(rows)


def grows(a: Any, k: Any) -> Any:
    b = []
    if k > 1:
        b = a
    for i in range(k):
        b.append(i)
    return len(a)


def nested_put(rows: Any, k: Any) -> Any:
    b = rows[0]
    if k > 1:
        b = rows[1]
    b[0] = k
    rows[0] = b
    return rows[1][0]


def swap_loop(rows: Any, n: Any) -> Any:
    i = 0
    while i < n:
        rows[i], rows[i + 1] = rows[i + 1], rows[i]
        i += 1
    rows[0].append(9)
    return len(rows)


def bubble(rows: Any) -> Any:
    n = len(rows)
    for _ in range(n):
        for j in range(n - 1):
            if rows[j][0] > rows[j + 1][0]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    return rows[0]


def set_at(rows: Any, i: Any, a: Any) -> Any:
    rows[i] = a
    a.append(3)
    return rows[0]


def grow_at(rows: Any, i: Any) -> Any:
    rows[i].append(7)
    r = rows[i]
    r[0] = 0
    return len(r)


def new_at(rows: Any, i: Any) -> Any:
    r = [1]
    rows[i] = r
    r.append(2)
    return rows[0]


def rows_of(rows: Any, k: Any) -> Any:
    t = []
    for r in rows:
        if r[0] > k:
            t.append(r)
    for r in t:
        r.append(k)
    return len(t)


def drop(rows: Any, k: Any) -> Any:
    r = rows.pop(k)
    r.append(1)
    rows[0].append(2)
    return r


def insert(rows: Any, k: Any) -> Any:
    r = [k]
    rows.insert(k, r)
    r.append(4)
    return len(rows)


def pairs(ps: Any, k: Any) -> Any:
    best = ps[0][0]
    for a, b in ps:
        best = a if a[0] > k else b
    best.append(100)
    return len(best)


def strs(names: Any, k: Any) -> Any:
    a = names
    b = ["x"]
    if k > 1:
        b = a
    b.append("new")
    return len(a)


def floats(a: Any, b: Any, k: Any) -> Any:
    t = a
    if k > 0:
        t = b
    t.append(t[0] / 2)
    return t


def replaced(a: Any, b: Any, k: Any) -> Any:
    if k > 0:
        a[:] = b
        b = a
    b.append(k)
    return len(a)


def drained(q: Any, k: Any) -> Any:
    cur = q[0]
    while len(q) > 1:
        cur = q.pop(0)
        if k > 1:
            q[0].extend(cur)
    cur.append(1)
    return q[0]


def nothing(a: Any, b: Any, k: Any) -> Any:
    t = a
    if k > 0:
        t = b
    if k > 10:
        t.append(1)
    return t


def dict_of(d: Any, k: Any) -> Any:
    t = d["a"]
    if k > 0:
        t = d["b"]
    t.append(k)
    return len(d["a"])


def nones(a: Any, b: Any, k: Any) -> Any:
    t = None
    if k > 0:
        t = a
    if k > 1:
        t = b
    if t is not None:
        t.append(k)
    return len(a)


def twice_new(rows: Any, k: Any) -> Any:
    n = [k]
    rows.append(n)
    rows.append(n)
    if k > 1:
        n.append(5)
    return len(rows)


def which_of_them(a: Any, b: Any, k: Any) -> Any:
    other = [7]
    t = a
    if k > 0:
        t = [k]
    t.append(1)
    return t is a, t is b, b is t, t is other, other is not t


def best_added(rows: Any, k: Any) -> Any:
    best = rows[0]
    if k > 0:
        best = rows[1]
    best.append(k)
    return len(best)


def refused_later(a: Any, b: Any, k: Any) -> Any:
    t = a
    if k > 0:
        t = b
    t.append(1)
    if k > 2:
        raise ValueError("too much")
    return len(a)


def halved_squares(a: Any, b: Any, k: Any) -> Any:
    t = a
    if k > 0:
        t = b
    t.append(1.0)
    a[0] = a[0] * a[0] / 2.0
    return len(a)


ROWS = [[3], [2, 2], [1], [4, 0]]
CHOSEN: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *[(best_row, ([[1, 2], [5], [3, 3, 1]], 1)), (best_row, ([ONE, ONE, [0]], 1))],
    (best_returned, ([[1, 2], [5], [3, 3, 1]],)),
    *[(choose, ([1], [2], k)) for k in (1, -1)],
    *[(choose, (ONE, ONE, k)) for k in (1, -1)],
    *[(swap, (ROWS, i, j)) for i, j in ((0, 2), (1, 1), (-1, 0))],
    *[(swap_known, (ROWS, k)) for k in (1, -1)],
    *[(each, (ROWS,)) for each in (longest, bubble)],
    *[(put_in, (ROWS, k)) for k in (1, -2)],
    *[(append_arg, (ROWS, [7], k)) for k in (0, 1)],
    *[(append_arg, ([ONE], ONE, k)) for k in (0, 1)],
    *[(put_new, (ROWS, k)) for k in (2, 9)],
    *[(grows, (items, k)) for items, k in (([1, 2], 3), ([1, 2], 1), ([], 3))],
    *[(nested_put, (ROWS, k)) for k in (2, 0)],
    *[(swap_loop, (ROWS, k)) for k in (0, 2, 3)],
    *[(set_at, (ROWS, k, [8])) for k in (0, 1)],
    *[(each, (ROWS, k)) for each in (grow_at, new_at, rows_of, drop, insert) for k in (0, 2)],
    *[(pairs, ([([1], [2]), ([5], [6])], k)) for k in (3, 9)],
    *[(strs, (["a", "b"], k)) for k in (0, 2)],
    *[(floats, ([1.5], [2.5, 1.0], k)) for k in (0, 1)],
    *[(replaced, ([1], [2, 3], k)) for k in (0, 1)],
    *[(drained, (ROWS, k)) for k in (0, 2)],
    *[(nothing, ([1], [2], k)) for k in (0, 1, 11)],
    *[(dict_of, ({"a": [1], "b": [2]}, k)) for k in (0, 1)],
    *[(nones, ([1], [2], k)) for k in (0, 1, 2)],
    *[(which_of_them, ([1], [2], k)) for k in (0, 1)],
    *[(which_of_them, (ONE, ONE, k)) for k in (0, 1)],
    *[(twice_new, (ROWS, k)) for k in (1, 2)],
]


@pytest.mark.parametrize(
    ("function", "args"), CHOSEN, ids=[f"{each.__name__}-{args[-1]}" for each, args in CHOSEN]
)
def test_lists_that_the_run_chooses(function: Callable[..., Any], args: Any) -> None:
    _check(function, args)


def test_what_is_as_it_was_stays_itself() -> None:
    first = rt.constant(7)
    one, two = [first, 4], [rt.constant(5), 6]
    rows = [one, two]
    rt.function(best_added)(rows, rt.constant(1))
    assert rows[0] is one
    assert rows[1] is two
    assert one[0] is first
    assert type(one[1]) is type(two[1]) is int
    assert as_python(rows) == [[7, 4], [5, 6, 1]]


def test_an_error_leaves_them_as_they_were() -> None:
    one, two = [rt.constant(1)], [rt.constant(2)]
    with pytest.raises(ValueError, match="too much"):
        rt.function(refused_later)(one, two, rt.constant(3))
    assert as_python([one, two]) == [[1], [2]]


def test_gradients_of_what_a_call_leaves() -> None:
    x = rt.constant(2.0)
    one, two = [x], [rt.constant(5.0)]
    with rt.GradientTape() as tape:
        tape.watch(x)
        rt.function(halved_squares)(one, two, rt.constant(1))
        y = one[0] * 3.0
    assert as_python([one, two]) == [[2.0], [5.0, 1.0]]
    gradient: Any = tape.gradient(y, x)
    assert float(gradient) == 6.0


def _grown(x: Any) -> Any:
    found = set()
    for i in range(x):
        found.add(i)
    return found


PUT: list[Callable[[Any], Any]] = [
    lambda x: {x, 1},
    lambda x: [frozenset([x])],
    lambda x: Counter([1, 1, 2]),
    lambda x: {"in": OrderedDict(b=x, a=1)},
    lambda x: defaultdict(int, a=x),
    _grown,
    lambda x: tuple(range(x)),
]


@pytest.mark.parametrize("make", PUT)
def test_what_is_put_into_them_keeps_its_class(make: Callable[[Any], Any]) -> None:
    def put(items: Any, named: Any, x: Any) -> None:
        items.append(make(x))
        named["a"] = make(x)

    wanted: Any = [], {"a": 1}
    put(*wanted, 3)
    left: Any = [], {"a": 1}
    rt.function(put)(*left, rt.constant(3))
    assert _classes(left) == _classes(wanted)


def _classes(value: Any) -> Any:
    if isinstance(value, dict):
        return type(value), [(key, _classes(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value), list(map(_classes, value))
    return as_python(value)


@pytest.mark.parametrize("make", [lambda x: deque([x]), lambda x: defaultdict(list, a=[x])])
def test_what_is_in_no_result_is_not_put_into_them(make: Callable[[Any], Any]) -> None:
    def put(items: Any, x: Any) -> None:
        items.append((1, make(x)))

    with pytest.raises(autograph.StagingError, match="is put into an argument"):
        rt.function(put)([], rt.constant(3))


def test_refused_in_another_function() -> None:
    inner, a, b = rt.function(choose), [rt.constant(1)], [rt.constant(2)]
    inner(a, b, rt.constant(3))

    def outer(k: Any) -> Any:
        return inner(a, b, k)

    with pytest.raises(autograph.StagingError):
        rt.function(outer)(rt.constant(3))
    assert as_python([a, b]) == [[1], [2, 3]]


KNOWN, TABLE = [1], {"n": 1}


def is_known(given: Any, n: Any) -> Any:
    return given is KNOWN


def is_not_known(given: Any, n: Any) -> Any:
    return 1 if n > 0 and given is not TABLE else 2


@pytest.mark.parametrize(("function", "given"), [(is_known, KNOWN), (is_not_known, TABLE)])
def test_whether_an_argument_is_one_from_outside_is_refused(
    function: Callable[..., Any], given: Any
) -> None:
    for each in (given, type(given)(given)):
        with pytest.raises(autograph.StagingError, match="is one from outside is not known"):
            rt.function(function)(each, rt.constant(1))
    assert int(rt.function(is_not_known)(KNOWN, rt.constant(1))) == 1


class Pair(tuple[Any, ...]):
    def __new__(cls, a: Any, b: Any) -> "Pair":
        return super().__new__(cls, (a, b))


class Tagged(tuple[Any, ...]):
    tag = "none"


def put_pair(items: Any, x: Any) -> None:
    items.append(Pair(1, x))


def put_tagged(items: Any, x: Any) -> None:
    made = Tagged((1, x))
    made.tag = "own"
    items.append(made)


@pytest.mark.parametrize("put", [put_pair, put_tagged])
def test_a_class_of_tuples_of_the_users_is_not_made_anew(put: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=f"{__file__}.* the result of {put.__name__} is <"):
        rt.function(put)([], rt.constant(3))
