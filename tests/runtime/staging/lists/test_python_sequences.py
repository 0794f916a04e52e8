"""Python lists, tuples and ranges at places that only the run knows, compared with CPython."""

import copy
import itertools
import math
import operator
import random
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support.staging import as_python, assert_as_in_python, attempt, equal, same_outcome

TABLE = [10, 20, 30]
SIZES = array("i", [10, 20])
NESTED = [[1, 2, 3], [4, 5, 6]]
Program = Callable[..., Any]


class Holder:
    table = (7, 8, 9)


# Reading


def of_a_display(i, j):
    return [10, 20, 30][i], (1, 2, 3)[j]


def of_a_global(i, j):
    return TABLE[i] + NESTED[j][i]


def of_an_attribute(i, j):
    return Holder.table[i] * Holder().table[j]


def of_a_range(i, j):
    return range(5, 50, 7)[i], range(3)[j], range(9, 0, -4)[i]


def of_a_default(i, j, table=(3, 4, 5)):
    return table[i] - table[j]


def of_local_names(i, j):
    days = (31, 28, 31)
    names = [0.5, 1.5, 2.5]
    again = names
    return days[i], again[j]


def of_rows(i, j):
    rows = [[1, 2], [3, 4], [5, 6]]
    row = rows[i]
    return row[j], len(row), sum(row), max(row), row[::-1], list(row), 5 in row


def of_tuples(i, j):
    pairs = [(1, 2.5), (3, 4.5), (5, 6.5)]
    a, b = pairs[i]
    return a, b, pairs[j][0]


def of_none(i, j):
    found = [None, 5, None][i]
    return -1 if found is None else found


def slices(i, j):
    table = [1, 2, 3, 4, 5]
    return table[:i], table[j:], table[i:j], [9, 8, 7][i:], len(table[i:])


def in_a_loop(i, j):
    total = 0
    for k in range(i):
        total = total * 3 + TABLE[(k + j) % 3]
    return total


def in_a_branch(i, j):
    if i > j:
        return TABLE[i]
    return NESTED[1][j]


# Assigning


def assigned(i, j):
    table = [0] * 4
    table[i] = 5
    table[j] += i
    return table, table[1], len(table), sum(table), max(table), sorted(table)


def swapped(i, j):
    a = [4, 5, 6]
    a[i], a[j] = a[j], a[i]
    return a, a[::-1], a.index(5), a.count(6), a == [4, 5, 6]


def by_another_name(i, j):
    a = [1, 2, 3]
    b = a
    b[i] = 9
    a[j] += 1
    return a, b


def in_helpers(i, j):
    a = [1, 2, 3]
    put(a, i, 7)
    put(a, j, a[i])
    return a


def put(a, at, value):
    a[at] = value


def of_lists(i, j):
    table = [[0] * 3 for _ in range(2)]
    table[i][j] = 7
    table[0][j] += 1
    row = table[i]
    row[0] = 9
    return table, row


def of_one_row_twice(i, j):
    row = [0, 0]
    table = [row, row, [1, 1]]
    table[i][j] += 5
    return table, row


def in_nested_loops(i, j):
    table = [[0] * 3 for _ in range(3)]
    for a in range(i):
        for b in range(j):
            table[a][b] = a * 10 + b
    return table


def under_a_test(i, j):
    table = [1, 2, 3]
    if i > j:
        table[i] = 0
    else:
        table[0] = j
    while table[1] < 5:
        table[1] += 1 + i * i
    return table


def grown_too(i, j):
    table = [1, 2, 3]
    table[i] = 8
    table.append(j)
    table[j] = table.pop()
    table.insert(i, 4)
    return table


def deleted(i, j):
    table = [1, 2, 3]
    del table[i]
    table.remove(3)
    return table


def repeated(i, j):
    table = [0] * (i + 1)
    table[j] = 1
    return table, [1, 2] * j, len(i * [3])


def of_bytes(i, j):
    buffer = bytearray(b"abc")
    buffer[1] = 7
    return b"abc"[i], buffer[j]


def of_arrays(i, j):
    weights, letters = array("d", [0.5, 1.5, 2.5]), array("u", "xyz")
    total = 0.0
    for k in range(i + 1):
        total += weights[k % 3] * SIZES[k % 2]
    return total, weights[i], SIZES[j], letters[i] + letters[j]


def either_list(i, j):
    if i == j:
        return []
    return [i, j] if i > j else [j]


def emptied(i, j):
    found = []
    if i > j:
        found = [i, j]
    return found, len(found)


PROGRAMS = [
    of_a_display, of_a_global, of_an_attribute, of_a_range, of_a_default, of_local_names, of_rows,
    of_tuples, of_none, slices, in_a_loop, in_a_branch, assigned, swapped, by_another_name,
    in_helpers, of_lists, of_one_row_twice, in_nested_loops, under_a_test, grown_too, deleted,
    repeated, of_bytes, of_arrays, either_list, emptied,
]  # fmt: skip
PLACES = [(i, j) for i in (-4, -2, -1, 0, 1, 2, 3) for j in (-3, -1, 0, 1, 2)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_staged_is_python(program: Program) -> None:
    assert_as_in_python(program, *PLACES)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_converted_is_python(program: Program) -> None:
    converted = autograph.convert(program)
    for i, j in PLACES:
        expected = attempt(lambda i=i, j=j: program(i, j))
        got = attempt(lambda i=i, j=j: converted(i, j))
        assert same_outcome(expected, got), (i, j, expected, got)


def test_a_place_out_of_range_is_an_index_error_at_its_line() -> None:
    staged = rt.function(of_a_display)
    with pytest.raises(IndexError, match="list index out of range") as caught:
        staged(rt.constant(3), rt.constant(0))
    line = of_a_display.__code__.co_firstlineno + 1
    assert caught.traceback[-1].lineno + 1 == line
    with pytest.raises(IndexError, match="tuple index out of range"):
        staged(rt.constant(0), rt.constant(3))


def test_numbers_stay_weak() -> None:
    def beside(x, i):
        return x * TABLE[i]

    for dtype in (rt.int8, rt.float32, rt.float64):
        made = rt.function(beside)(rt.constant(2, dtype), rt.constant(1))
        assert made.dtype is dtype
        assert float(made) == 40
    assert rt.function(of_a_global)(rt.constant(0), rt.constant(0)).dtype is rt.int32


def test_gradients_go_through_items() -> None:
    def pick(x, y, i):
        table = [x, y, x * y]
        table[i] = table[i] * 3.0
        return table[0] + table[i]

    x, y = rt.constant(2.0), rt.constant(5.0)
    for i, expected in ((0, (6.0, 0.0)), (1, (1.0, 3.0)), (2, (16.0, 6.0))):
        with rt.GradientTape() as tape:
            tape.watch((x, y))
            result = rt.function(pick)(x, y, rt.constant(i))
        got = tape.gradient(result, (x, y), unconnected_gradients="zero")
        assert tuple(map(float, got)) == expected


def refused_dtypes(i):
    return [rt.constant(1), rt.constant(1.5)][i]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(autograph.StagingError, match="do not fit together") as caught:
        rt.function(refused_dtypes)(rt.constant(0))
    assert caught.value.lineno > refused_dtypes.__code__.co_firstlineno
    assert caught.value.hint


# Comparing and sorting


def ordered(a, b, c):
    xs = [a, b, c, 2]
    xs.sort(key=lambda v: -v)
    by_key = sorted([3, 1], key=lambda v: v * a)
    return sorted([a, b, c]), sorted((a, b, 1), reverse=True), xs, by_key


def stable(a, b, c):
    pairs = [(a % 2, 0), (b % 2, 1), (c % 2, 2), (0, 3)]
    return (
        sorted(pairs, key=lambda p: p[0]),
        sorted(pairs, key=lambda p: p[0], reverse=True),
        sorted(pairs, key=lambda p: (-p[0], p[1])),
        min(pairs),
        max(pairs),
    )


def counted(a, b, c):
    xs = [a, b, c]
    return xs.count(a), (a, b, c).count(2), (a, b, c, 7).index(7), [a, b].index(a), 2 in (a, b, c)


def found_or_not(a, b, c):
    return (a, b).index(c)


def found_in_a_range(a, b, c):
    steps = range(-2, 5, 2)
    return steps.count(a), range(9).count(b), range(4, -4, -1).index(c), steps.index(a)


def removed(a, b, c):
    xs = [a, b, c]
    xs.remove(b)
    return xs


def extremes(a, b, c):
    return (
        min([a, b, c], key=lambda v: v * v),
        max((a, b), default=5),
        min([], default=a),
        sum([a, b], c),
        list(reversed([a, b, c])),
        max(range(3), key=lambda k: [a, b, c][k]),
    )


@pytest.mark.parametrize(
    "program",
    [ordered, stable, counted, found_or_not, found_in_a_range, removed, extremes],
    ids=lambda f: f.__name__,
)
def test_lists_compare_as_in_python(program: Program) -> None:
    staged, chance = rt.function(program), random.Random(7)
    for _ in range(20):
        args = [chance.randrange(-2, 4) for _ in range(3)]
        expected = attempt(lambda args=args: program(*args))
        got = attempt(lambda args=args: staged(*map(rt.constant, args)))
        if isinstance(expected, ValueError):
            assert isinstance(got, ValueError)
        else:
            assert same_outcome(expected, got), (args, expected, got)


def of_vectors(xs):
    return sorted(xs), sorted(xs, reverse=True), list(xs), sorted(xs, key=lambda v: (v % 2, -v))


@pytest.mark.parametrize("size", [None, "known"])
def test_vectors_sort_as_lists(size: Any) -> None:
    signature = [rt.TensorSpec([None], rt.int32)] if size is None else None
    staged = rt.function(of_vectors, input_signature=signature)
    for values in ([3, 1, 2, 1], [5], [2, 2], []):
        got = as_python(staged(rt.constant(values, rt.int32)))
        assert equal(of_vectors(values), got)


def test_a_nan_has_no_order() -> None:
    def in_order(xs):
        return sorted(xs)

    with pytest.raises(rt.errors.UnimplementedError, match="NaN"):
        rt.function(in_order)(rt.constant([1.0, float("nan")]))


# Lists that are arguments


def tensors(*values: Any) -> list[Any]:
    return [tensors(*v) if isinstance(v, list) else rt.constant(v) for v in values]


def change_one(a, i):
    a[i] = a[i] * 2


def change_all(a, n):
    for i in range(n):
        a[i % 2] += i
    return a[0]


def grow(a, n):
    for i in range(n):
        a.append(i)


def reorder(a, n):
    a.sort()
    a.reverse()


def change_rows(a, n):
    a[0], a[1] = a[1], a[0]
    a[0][0] += n


def give_away(a, n):
    change_one(a, 0)
    return len(a)


@pytest.mark.parametrize(
    ("program", "values"),
    [
        (change_one, [1, 2]),
        (change_all, [1, 2]),
        (grow, [1, 2]),
        (reorder, [3, 1, 2]),
        (change_rows, [[1, 2], [3, 4]]),
        (give_away, [1, 2]),
    ],
)
def test_the_callers_list_is_changed(program: Program, values: Any) -> None:
    staged = rt.function(program)
    for n in (0, 1):
        mine, its = copy.deepcopy(values), tensors(*values)
        rows = list(its)
        expected, got = program(mine, n), staged(its, rt.constant(n))
        assert equal(mine, as_python(its))
        assert equal(expected, as_python(got))
        if program is change_rows:
            assert its[0] is rows[1]


def test_changes_in_calls_of_staged_functions() -> None:
    change = rt.function(change_one)

    def outer(a, n):
        b = [0, 1, 2]
        for i in range(n):
            change(b, i)
            change(a, i)
        return b

    mine, its = [1, 2, 3], tensors(1, 2, 3)
    assert equal([0, 2, 2], as_python(rt.function(outer)(its, rt.constant(2))))
    assert equal([2, 4, 3], as_python(its))
    assert mine == [1, 2, 3]


def test_items_that_stay_are_the_callers() -> None:
    def second(a):
        a[1] = a[1] + 1

    last = rt.constant(3.5)
    its = [1, rt.constant(2), last]
    rt.function(second)(its)
    assert its[0] == 1
    assert its[2] is last
    assert int(its[1]) == 3


SHARED = [rt.constant(1), rt.constant(2)]


def reads_elsewhere(a):
    a[0] = a[0] + 5
    return SHARED[0]


def two_lists(a, b):
    a[0] = b[0] + 1
    return b[0]


def test_a_list_with_two_ways_to_it_is_refused() -> None:
    shared, both = rt.function(reads_elsewhere), rt.function(two_lists)
    assert int(shared(tensors(3))) == 1
    with pytest.raises(autograph.StagingError, match="reads elsewhere"):
        shared(SHARED)
    one, other = tensors(4), tensors(7)
    assert int(both(one, other)) == 7
    assert int(one[0]) == 8
    assert int(both(one, one)) == 9
    assert int(one[0]) == 9


def test_concrete_functions_change_lists_too() -> None:
    scalar = rt.TensorSpec([], rt.int32)
    concrete = rt.function(change_one).get_concrete_function([scalar, scalar], scalar)
    its = tensors(1, 2)
    concrete(its, rt.constant(1))
    assert equal([1, 4], as_python(its))
    assert concrete.structured_outputs is None


def test_a_default_is_changed_as_in_python() -> None:
    def remember(x, seen=[]):  # noqa: B006
        seen.append(x)
        return len(seen)

    staged = rt.function(remember)
    assert [int(staged(rt.constant(n))) for n in (5, 6, 7)] == [1, 2, 3]
    assert equal([5, 6, 7], as_python(remember.__defaults__[0]))  # type: ignore[index]


def test_gradients_of_changed_lists() -> None:
    def product(a):
        a[0] = a[0] * a[1]

    its = tensors(3.0, 2.0)
    given = list(its)
    with rt.GradientTape() as tape:
        tape.watch(given)
        rt.function(product)(its)
        result = its[0] * 2.0
    assert list(map(float, tape.gradient(result, given))) == [4.0, 6.0]
    assert operator.is_(its[1], given[1])


TRUTHS_AS_PLACES = {
    "list": lambda n: [10, 20][n > 0],
    "tuple": lambda n: (10, 20)[n > 0],
    "text": lambda n: ("small", "large")[n > 0] == "large",
    "table": lambda n: [[1, 2], [3, 4]][n > 0][n > 5],
    "slice": lambda n: sum([1, 2, 3][n > 0 :]),
    "range": lambda n: sum(1 for _ in range(n > 0)),
    "denied": lambda n: [10, 20][not n > 0],
}
TRUTHS_AS_COUNTS = {
    "list": lambda n: len([0] * (n > 0)),
    "text": lambda n: "-" * (n < 0) + str(abs(n)) == "-3",
}


@pytest.mark.parametrize("name", TRUTHS_AS_PLACES)
def test_truths_are_places(name: str) -> None:
    function = TRUTHS_AS_PLACES[name]
    for given in (function, lambda x: function(int(x))):
        staged = rt.function(given)
        for n in (3, -3, 7):
            assert staged(rt.constant(n)).numpy() == given(rt.constant(n)) == function(n)


@pytest.mark.parametrize("name", TRUTHS_AS_COUNTS)
def test_truths_repeat_lists_and_texts(name: str) -> None:
    function = TRUTHS_AS_COUNTS[name]
    for given in (function, lambda x: function(int(x))):
        staged = rt.function(given)
        for n in (3, -3):
            assert staged(rt.constant(n)).numpy() == function(n)


def extremes(xs):
    return max(xs), min(xs)


@pytest.mark.parametrize(
    "items",
    [
        *([0.0, -0.0], [-0.0, 0.0], [math.nan, 1.0, 2.0], [1.0, math.nan, 2.0], [math.nan]),
        *([-math.inf, math.nan], [math.inf, math.nan, math.inf], [2.0, 3.0, 3.0, 1.0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [None, "known"])
def test_extremes_of_a_tensor_are_those_of_python(items: list[float], shape: str | None) -> None:
    sizes = [len(items) if shape else None]
    staged = rt.function(extremes, input_signature=[rt.TensorSpec(sizes, rt.float64)])
    results = staged(rt.constant(items, rt.float64))
    for name, expected, got in zip(("max", "min"), extremes(items), results, strict=True):
        assert repr(float(got)) == repr(expected), name


@pytest.mark.parametrize("items", [[True, False], [False, False], [True], []], ids=str)
@pytest.mark.parametrize("shape", [None, "known"])
def test_extremes_of_truth_values(items: list[bool], shape: str | None) -> None:
    def program(xs):
        return max(xs, default=False), min(xs, default=True)

    sizes = [len(items) if shape else None]
    staged = rt.function(program, input_signature=[rt.TensorSpec(sizes, rt.bool)])
    assert tuple(map(bool, staged(rt.constant(items, rt.bool)))) == program(items)


@pytest.mark.parametrize("items", [["a", ""], ["", ""], ["a", "b"], []], ids=str)
@pytest.mark.parametrize("shape", [None, "known"])
def test_texts_are_true_unless_empty(items: list[str], shape: str | None) -> None:
    def program(xs):
        return any(xs), all(xs)

    sizes = [len(items) if shape else None]
    staged = rt.function(program, input_signature=[rt.TensorSpec(sizes, rt.string)])
    assert tuple(map(bool, staged(rt.constant(items, rt.string)))) == program(items)


def test_their_gradient_is_that_of_the_first_one() -> None:
    xs = rt.constant([1.0, 3.0, 3.0])
    with rt.GradientTape() as tape:
        tape.watch(xs)
        best = rt.function(lambda xs: max(xs))(xs)
    assert tape.gradient(best, xs).numpy().tolist() == [0.0, 1.0, 0.0]


# Iterators of Python's over staged items


def classes_of_iterators(xs):
    both = zip(xs, xs, strict=False)
    return (
        (isinstance(both, zip), isinstance(map(abs, xs), map), isinstance(both, list | tuple)),
        (type(enumerate(xs)) is enumerate, type(both).__name__),
    )


def test_iterators_are_of_their_classes() -> None:
    got = rt.function(classes_of_iterators)(rt.constant([3, 1, 2]))
    assert as_python(got) == classes_of_iterators([3, 1, 2])


NO_SEQUENCES: dict[str, Program] = {
    "object of type 'zip' has no len()": lambda xs: len(zip(xs, xs, strict=False)),
    "object of type 'map' has no len()": lambda xs: len(map(abs, xs)),
    "object of type 'enumerate' has no len()": lambda xs: len(enumerate(xs)),
    "'zip' object is not reversible": lambda xs: list(reversed(zip(xs, xs, strict=False))),
    "'map' object is not reversible": lambda xs: list(reversed(map(abs, xs))),
    "'enumerate' object is not reversible": lambda xs: list(reversed(enumerate(xs))),
}


@pytest.mark.parametrize("words", NO_SEQUENCES)
def test_iterators_are_no_sequences(words: str) -> None:
    program = NO_SEQUENCES[words]
    for call in (program, rt.function(program)):
        with pytest.raises(TypeError) as caught:
            call(rt.constant([3, 1, 2]))
        assert words in str(caught.value)


# zip(strict=True) of what only the run knows the lengths of


def _below(n):
    made = []
    for i in range(n):
        made.append(i)
    return made


def products_of_equals(n, m):
    total = 0
    for a, b, c in zip(_below(n), range(m), _below(n), strict=True):
        total += a * b + c
    return total


def left_before_the_end(n, m):
    total = 0
    for a, b in zip(_below(n), _below(m), strict=True):
        if a == 1:
            break
        total += b
    return total


def asked_behind_the_end(n, m):
    seen = []

    def noted(x):
        seen.append(x)
        return x

    try:
        for _ in zip(map(noted, _below(n)), map(noted, _below(m)), strict=True):
            seen.append(100)
    except ValueError:
        seen.append(-1)
    return seen


STRICT: list[Callable[[Any, Any], Any]] = [
    products_of_equals,
    left_before_the_end,
    asked_behind_the_end,
    lambda n, m: [a * b for a, b in zip(_below(n), _below(m), strict=True)],
    lambda n, m: dict(zip(_below(n), _below(m), strict=True)),
    lambda n, m: any(a > b for a, b in zip(_below(n), _below(m), strict=True)),
    lambda n, m: sum(i * a for i, (a, _) in enumerate(zip(range(n), range(m), strict=True))),
]


@pytest.mark.parametrize("lengths", [(3, 3), (0, 0), (1, 4), (4, 1), (3, 2), (0, 2)])
@pytest.mark.parametrize("program", STRICT)
def test_strict_zip_is_pythons(program: Callable[[Any, Any], Any], lengths: Any) -> None:
    def outcome(n: Any, m: Any, function: Any) -> Any:
        try:
            return as_python(function(n, m))
        except ValueError as error:
            return str(error)

    expected = outcome(*lengths, program)
    assert outcome(*map(rt.constant, lengths), rt.function(program)) == expected


LONGEST: list[Callable[[Any], Any]] = [
    lambda x: [a * b for a, b in itertools.zip_longest([x, 2], [1, 2, 3], fillvalue=x)],
    lambda x: list(itertools.accumulate([1, 2], lambda a, b: a * x + b, initial=x)),
]


@pytest.mark.parametrize("program", LONGEST)
@pytest.mark.parametrize("x", [3, [1, 2]])
def test_an_item_for_a_function_of_itertools(program: Callable[[Any], Any], x: Any) -> None:
    given = np.int32(x)
    expected = [np.broadcast_to(each, given.shape).tolist() for each in program(given)]
    got = as_python(rt.function(program)(rt.constant(given)))
    assert [np.broadcast_to(each, given.shape).tolist() for each in got] == expected


@pytest.mark.parametrize("make", [list, tuple, lambda items: [str(each) for each in items]])
def test_in_a_long_sequence_is_not_nested_too_deep(make: Any) -> None:
    known = make(range(500))

    def is_in(x: Any) -> Any:
        item = str(x) if isinstance(known[0], str) else x
        equal = [item == each for each in known]
        unequal = all([item != each for each in known])
        mapped = any(map(lambda each: item == each, known))
        return item in known, 1 if item not in known else 2, any(equal), unequal, mapped

    staged = rt.function(is_in)
    for x in (0, 17, 499, 500):
        assert [each.numpy().item() for each in staged(rt.constant(x))] == list(is_in(x))


def repeated_in_place(n: Any) -> Any:
    items = [1]
    other = items
    items.append(4)
    items *= n
    return items, other, items is other


@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_list_repeated_in_place_is_so_under_all_its_names(n: int) -> None:
    assert_as_in_python(repeated_in_place, n)


def event_by_its_kind(n: Any) -> Any:
    events = [("a", n), ("b", 2, 3), ("b", n, 3), ("a", 5), 7, None, "t", ("a", "b"), ()]
    match events[n % 9]:
        case ("a", str()):
            return 100
        case ("a", number):
            return number
        case ("b", first, second):
            return first * second
        case None:
            return -7
        case str():
            return -8
        case int():
            return -9
    return -1


PROGRAM = [("set", 0, 5), ("dec", 0), ("jump", 0, -1), ("push", 3), ("push", 4), ("add",)]


def machine(n: Any) -> Any:
    registers, stack, at, steps = [n, 0], [0], 0, 0
    while at < 6:
        steps += 1
        match PROGRAM[at]:
            case ("set", place, value):
                registers[place] = value + n
            case ("dec", place):
                registers[place] -= 1
            case ("jump", place, offset) if registers[place] > 0:
                at += offset - 1
            case ("push", value):
                stack.append(value)
            case ("add",):
                stack.append(stack.pop() + stack.pop())
        at += 1
    return steps, stack[-1]


def lengths(n: Any) -> Any:
    rows = (1, 2), (3, n, 5), (6,)
    row = rows[n % 3]
    return len(row), row[0], sum(row), row == (1, 2), [2 * each for each in row][-1]


def under_keys(n: Any) -> Any:
    sizes = {1: (1, 2), 2: (1, n, 3)}
    return len(sizes[n % 2 + 1])


@pytest.mark.parametrize("n", range(10))
@pytest.mark.parametrize("program", [event_by_its_kind, machine, lengths, under_keys])
def test_items_of_several_kinds_are_chosen(program: Callable[[Any], Any], n: int) -> None:
    assert_as_in_python(program, n)
