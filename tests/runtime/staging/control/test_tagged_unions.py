"""Values of another kind on each path: each use is Python's for the kind that it is, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.support.staging import assert_as_in_python, attempt, same_outcome

Program = Callable[[Any], Any]


def below(n):
    made = []
    for i in range(n):
        made.append(i)
    return made


# Joined


def result_for_a_name(n):
    result = "none"
    if n > 2:
        result = (n, n + 1)
    return result


def text_or_tensor_of_text(n):
    return "low" if n < 2 else rt.strings.as_string(n)


def texts_and_another_kind(n):
    if n > 4:
        return [n, n]
    return "low" if n < 2 else rt.strings.as_string(n)


def three_kinds(n):
    x = 0
    if n > 2:
        x = "big"
    if n > 4:
        x = [n, n]
    return x


def in_rounds(n):
    best = None
    for i in range(n):
        if i == 3:
            best = "three"
        elif i == 5:
            best = i
    return best


def across_rounds(n):
    x = -1
    while n > 3:
        x = "s"
        n -= 1
    return x


def left_with(n):
    x = 0
    while True:
        if n > 4:
            x = "big"
            break
        n += 1
        if n > 9:
            break
    return x


def of_functions(n):
    def small():
        return n if n > 2 else "small"

    result = small()
    return result if n > 4 else (result, result)


def bool_of_rounds(n):
    last = True
    for i in range(n):
        last = i
    return last, last + 1, last == 1, -last, f"{last}", not last


# Used


def asked_for_its_class(n):
    x = n if n > 2 else "low"
    return len(x) if isinstance(x, str) else x * 2


def computed_with(n):
    x = n if n > 2 else "low"
    return x * 2, n + x if n > 2 else 0


def computed_with_another(n):
    x = n if n > 2 else "s"
    y = n if n > 4 else "t"
    return x + y if n > 4 or n < 3 else 0


def wrong_for_one_kind(n):
    x = n if n > 2 else "low"
    try:
        return x + 1
    except TypeError:
        return -1


def iterated(n):
    x = (n, 1) if n > 2 else "ab"
    total = 0
    for _ in x:
        total = total + 1
    return total


def read_by_place(n):
    x = [n, 1, 2] if n > 2 else (1, n)
    return x[0], len(x), n in x, x == [3, 1, 2]


def ordered(n):
    x = (n, 1) if n > 2 else [n, 2]
    return x == [1, 2], x != (3, 1), x == (3, 1), max(x), sorted(x)


def sorted_with_another(n):
    x = n if n > 2 else "b"
    y = 3 - n if n > 2 else "a"
    names = [(x, 1), (y, 2)]
    names.sort(key=lambda pair: pair[0], reverse=True)
    return sorted([x, y]), sorted([(1, x), (1, y)]), names


def sorted_beside_a_list(n):
    x = [n] if n > 2 else (n, 1)
    y = [3 - n] if n > 4 else (n, 0)
    return sorted([x, y])


def keys_of_one_kind(n):
    x = {"a": n} if n > 2 else "none"
    if x == "none":
        return 0
    return x["a"]


def changed_in_place(n):
    x = [n] if n > 2 else n
    if isinstance(x, list):
        x.append(3)
        return len(x)
    return x


def as_text(n):
    x = "a" if n > 2 else 5
    return f"{x!r:>5}|{x}", str(x), "%5s." % x  # noqa: UP031


def as_number(n):
    x = "7" if n > 2 else n
    return int(x)


def given_to_a_function(n):
    x = n if n > 2 else "low"

    def named(y):
        return y if isinstance(y, str) else "num"

    return named(x)


def compared_with_another(n):
    x = n if n > 2 else "s"
    y = n if n > 4 else "s"
    return x == y, x != y, x == n, n == x, x is None


def class_of_it(n):
    x = n > 2 if n > 1 else "s"
    return type(x) is str


def matched(n):
    x = n if n > 2 else "s"
    match x:
        case str():
            return 1
        case _:
            return 2


def in_and(n):
    x = (n > 5) if n > 2 else "s"
    return (x and 1), (x or "none")


def in_containers(n):
    x = (n, 1) if n > 2 else "s"
    return [x, 1], {"k": x}, x in [(5, 1), "s"]


def method_of_one_kind(n):
    x = n if n > 2 else "s"
    return -x if n > 2 else x.upper()


def asked_in_rounds(n):
    total = 0
    for i in range(n):
        x = i if i % 2 else "even"
        if x == "even":
            total += 10
        else:
            total += x
    return total


# In lists and dicts


def evens(n):
    rows = []
    for i in range(n):
        rows.append(i if i % 2 else "even")
    return rows


def fizz_buzz(n):
    out = []
    for i in range(1, n + 10):
        if i % 15 == 0:
            out.append("FizzBuzz")
        elif i % 3 == 0:
            out.append("Fizz")
        elif i % 5 == 0:
            out.append("Buzz")
        else:
            out.append(i)
    return out


def in_comprehensions(n):
    return ["Fizz" if i % 3 == 0 else i for i in range(n)], [x if x > 2 else "s" for x in [n, 2]]


def in_slots(n):
    table = [0] * 8
    for i in range(n):
        table[i] = "x" if i % 2 else i
    return table, [True, 2, "x"][n % 3], [1, "a", 2.5, None][n % 4]


def read_from_lists(n):
    rows = evens(n)
    total = 0
    for row in rows:
        total += 100 if isinstance(row, str) else row
    return total, rows[0], len(rows), rows[-1] == "even", "even" in rows, rows.count("even")


def changed_lists(n):
    rows = evens(n)
    rows.remove("even")
    rows.extend([n, "z"])
    rows[0] = (1, 2)
    return rows, rows + rows, rows.index("z"), rows[:2], rows == [(1, 2), "z"]


def taken_from_a_list(n):
    rows = evens(n)
    x = None
    while rows:
        x = rows.pop()
        if x == "even":
            break
    return rows, x


def shown(n):
    return [f"{x}" for x in evens(n) if x != 1], ",".join(str(x) for x in evens(n))


def tuples_and_none(n):
    rows = []
    for i in range(n):
        rows.append(None if i == 1 else (i, "a") if i % 2 else i)
    return rows


def bools_and_ints(n):
    rows = [i > 2 if i % 2 else i for i in range(n)]
    return rows, rows.count(1), sum(rows)


def in_pairs(n):
    rows = [(i, "a" if i % 2 else i) for i in range(n)]
    return rows, dict(rows), rows[-1][1]


def in_lists_of_lists(n):
    groups = {}
    for i in range(n):
        groups.setdefault(i % 2, []).append(i if i % 3 else "t")
    rows = []
    for i in range(n):
        rows.append([i, "x" if i % 2 else 2])
    rows.sort(key=lambda row: -row[0])
    return groups, rows, rows[0][1]


def in_dicts(n):
    found = {}
    for i in range(n):
        found[i] = i if i % 2 else "even"
    return found, {0: "zero", 1: n, 2: (n, n)}[n % 3]


def of_a_function_in_a_list(n):
    def named(i):
        if i == 0:
            return "zero"
        return None if i == 1 else i

    return [named(i) for i in range(n)]


def gray_codes(n):
    def codes(n):
        if n < 1:
            return [""]
        shorter = codes(n - 1)
        return ["0" + code for code in shorter] + ["1" + code for code in reversed(shorter)]

    return codes(n)


def brackets(n):
    stack = []
    for i in range(n):
        if stack and stack[-1] == "(":
            stack.pop()
        else:
            stack.append("(" if i % 3 else i)
    return stack


def changed_by_another_name(n):
    y = [n, 5]
    x = y if n > 2 else "s"
    y[0] = 100
    return x


def grown_by_another_name(n):
    y = below(n)
    x = y if n > 2 else "empty"
    y.append(77)
    return x


def unbound_in_one_kind(n):
    try:
        try:
            found = 6 // (n - 3)
        except ZeroDivisionError:
            found = -1
            raise KeyError("k") from None
        finally:
            n += 1
    except KeyError as error:
        return n, found, error.args[0]
    else:
        return n, found


def extended_by_another_name(n):
    y = [n]
    x = y if n > 2 else "s"
    x += [3] if n > 2 else "t"
    return y, x


def later_in_a_table(n):
    table = [[0] * n for _ in range(n)]
    for i in range(n):
        table[i][i] = "here"
    return table


def put_into_a_list_of_one(n):
    pair = (n, [1, 2])
    if n % 2 == 0:
        pair = (n, [n])
    pair[1][0] = n + 1
    pair[1][-1] += 3
    put = list(pair[1])
    del pair[1][0]
    return put, pair[1]


def flattened(n):
    x = n if n < 2 else (n, [n + 1, n])
    leaves = rt.nest.flatten(x)
    return len(leaves), rt.nest.is_nested(x), sum(leaves)


def flattened_lists(n):
    x = [n] if n < 2 else [n, n, n]
    return len(rt.nest.flatten(x)), rt.nest.is_nested(x)


def flattened_or_none(n):
    x = None
    if n > 2:
        x = n, n
    return len(rt.nest.flatten(x)), len(rt.nest.flatten((n, n if n < 2 else None)))


def flattened_entries(n):
    d = {"a": n, "b": [n, n]}
    if n > 2:
        d["a"] = (n, n)
    return sum(len(rt.nest.flatten(v)) for v in d.values())


def mapped(n):
    x = n if n < 2 else (n, [n + 1])
    seen = []
    rt.nest.map_structure(seen.append, x)

    def above(v):
        if v > 3:
            return v * 10
        return v

    return rt.nest.map_structure(above, x), len(seen), rt.nest.map_structure(above, [n, n + 3])


def of_one_structure(n):
    x = n if n < 2 else (n, n)
    try:
        rt.nest.assert_same_structure(x, (1, 2))
    except (TypeError, ValueError):
        return 0
    return 1


PROGRAMS: list[Program] = [
    flattened, flattened_lists, flattened_or_none, flattened_entries, mapped, of_one_structure,
    put_into_a_list_of_one,
    unbound_in_one_kind, later_in_a_table, extended_by_another_name,
    evens, fizz_buzz, in_comprehensions, in_slots, read_from_lists, changed_lists,
    taken_from_a_list, shown, tuples_and_none, bools_and_ints, in_pairs, in_lists_of_lists,
    in_dicts, of_a_function_in_a_list, brackets, gray_codes,
    text_or_tensor_of_text, texts_and_another_kind,
    result_for_a_name, three_kinds, in_rounds, across_rounds, left_with, of_functions,
    bool_of_rounds, asked_for_its_class, computed_with, computed_with_another,
    wrong_for_one_kind, iterated,
    read_by_place, ordered, sorted_with_another, sorted_beside_a_list, keys_of_one_kind,
    changed_in_place, as_text, as_number,
    given_to_a_function, compared_with_another, class_of_it, matched, in_and, in_containers,
    method_of_one_kind, asked_in_rounds, changed_by_another_name, grown_by_another_name,
]  # fmt: skip


@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_graphs_do_as_python_does(program: Program, n: int) -> None:
    expected = attempt(lambda: program(n))
    staged = rt.function(program)
    for _ in range(2):
        got = attempt(lambda: staged(rt.constant(n)))
        assert same_outcome(expected, got), (expected, got)


def test_an_error_of_one_kind_is_raised_where_the_run_has_it() -> None:
    @rt.function
    def increased(n):
        x = n if n > 2 else "low"
        return x + 1

    assert int(increased(rt.constant(3))) == 4
    with pytest.raises(TypeError, match="can only concatenate str"):
        increased(rt.constant(1))


def test_gradients_pass_through_the_kind_that_it_is() -> None:
    @rt.function
    def scaled(x):
        y = x * 3.0 if x > 0.0 else "low"
        return 0.0 if isinstance(y, str) else y * y

    for value, expected in ((2.0, 36.0), (-1.0, 0.0)):
        x = rt.constant(value)
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x)
        assert float(tape.gradient(y, x, unconnected_gradients="zero")) == expected


# Refused


def key_changed_by_another_name(n):
    y = {"a": n}
    x = y if n > 2 else 0
    y["a"] = 7
    return x


def extending_a_list(n):
    y = [1]
    z = y
    y += [n] if n > 2 else (n,)
    return y, z


def item_assigned(n):
    x = {} if n > 2 else []
    if n > 2:
        x["k"] = n
    return x


def deeper_with_each_round(n):
    x = 0
    for i in range(n):
        if i > 2:
            x = (x, 1)
    return x


def longer_with_each_round(n):
    x = ()
    for i in range(n):
        if i > 2:
            x = x + (i, "a")  # noqa: RUF005
    return x


def as_a_key(n):
    x = n if n > 2 else "low"
    return {x: 1}


def raised_with(n):
    x = n if n > 2 else "s"
    raise ValueError(x)


def unpacked(n):
    first, second = (n, n + 1) if n > 2 else "xy"
    return first, second


def unpacked_or_not(n):
    first, second = (n, n + 1) if n > 2 else n
    return first + second


def unpacked_by_length(n):
    first, second = (n, n + 1) if n > 2 else (1, n, 3)
    return first + second


@pytest.mark.parametrize("program", [unpacked, unpacked_or_not, unpacked_by_length])
@pytest.mark.parametrize("n", [1, 5])
def test_each_kind_is_unpacked_as_python_does(program: Program, n: int) -> None:
    assert_as_in_python(program, n)


def of_nine_kinds(n):
    found = "a"
    if n > 1:
        found = ("a", n)
    if n > 2:
        found = ("a", n, "a")
    if n > 3:
        found = ("a", n, "a", n)
    if n > 4:
        found = ("a", n, "a", n, "a")
    if n > 5:
        found = ("a", n, "a", n, "a", n)
    if n > 6:
        found = ("a", n, "a", n, "a", n, "a")
    if n > 7:
        found = ("a", n, "a", n, "a", n, "a", n)
    if n > 8:
        found = ("a", n, "a", n, "a", n, "a", n, "a")
    return len(found)


def flattened_in_another(n):
    x = n if n < 2 else (n, n)
    return len(rt.nest.flatten([n, x]))


def flattened_in_another_or_none(n):
    x = None
    if n > 2:
        x = n, n
    return len(rt.nest.flatten({"a": n, "b": x}))


def gradients_by_kind(n):
    x = rt.cast(n, rt.float32)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x if n < 2 else (x, x))


REFUSED: dict[Program, str] = {
    flattened_in_another: "of another kind on each path",
    flattened_in_another_or_none: "one part is a structure, or None, as only the run knows",
    gradients_by_kind: "of another kind on each path",
    of_nine_kinds: "'found' cannot be joined.*tuple of ",
    key_changed_by_another_name: "'the result' is one of several objects",
    extending_a_list: "of another kind on each path",
    item_assigned: "of another kind on each path.*return it",
    deeper_with_each_round: "'x' cannot be joined.*kinds in values of several kinds",
    longer_with_each_round: "'x' cannot be joined.*tuple of ",
    as_a_key: "of another kind on each path",
    raised_with: "of another kind on each path",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda f: f.__name__)
def test_what_is_not_done_by_kind_is_refused(program: Program) -> None:
    with pytest.raises(StagingError, match=f"(?s){REFUSED[program]}") as caught:
        rt.function(program)(rt.constant(3))
    assert str(caught.value).startswith(f"{__file__}:")
    assert ") (at " not in str(caught.value)


def test_a_tensor_function_takes_none() -> None:
    @rt.function
    def root(n):
        x = rt.cast(n, rt.float32) if n > 2 else "low"
        return rt.sqrt(x)

    with pytest.raises(StagingError, match="of another kind on each path"):
        root(rt.constant(3))


def test_print_shows_the_kind_that_it_is(capfd: Any) -> None:
    def shown(n):
        for i in range(1, n + 1):
            word = ""
            if i % 3 == 0:
                word += "Fizz"
            if i % 5 == 0:
                word += "Buzz"
            print(word or i, i if i % 2 else "even", end="; " if i < n else "\n")

    shown(15)
    expected = capfd.readouterr().out
    rt.function(shown)(rt.constant(15))
    assert capfd.readouterr().out == expected
