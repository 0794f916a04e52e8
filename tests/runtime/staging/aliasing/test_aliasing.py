"""Item assignments are seen by every name of the tensor, or refused."""

import copy
import linecache
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
import tests.runtime.staging.aliasing.algorithms
import tests.runtime.staging.aliasing.objects
import tests.runtime.staging.aliasing.rows  # noqa: F401  (all add cases)
from tests.runtime.staging.aliasing.cases import CASES, check, plain, put
from tests.runtime.staging.aliasing.exchanges import Exchanges
from tests.runtime.staging.aliasing.random_programs import ARGUMENTS, Writer
from tests.support.programs import batches, loaded

V = rt.constant([1, 2, 3])
W = rt.constant([4, 5, 6])
M = rt.constant([[1, 2], [3, 4]])
YES = rt.constant(True)


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_graphs_do_as_python_does(function: Any, inputs: tuple[Any, ...]) -> None:
    check(function, inputs)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    text, name = Writer(seed).program(), f"<aliases {seed}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    staged = rt.function(names["program"])
    for arguments in ARGUMENTS:
        wanted = _attempt(lambda a=arguments: names["program"](*copy.deepcopy(a)))
        try:
            found = _attempt(lambda a=arguments: plain(staged(*map(rt.constant, a))))
        except autograph.AutographError:
            return
        assert found == wanted, text


@pytest.mark.parametrize("seeds", batches(10), ids=str)
def test_many_exchanges(seeds: range) -> None:
    for seed in seeds:
        text = Exchanges(seed).program()
        with loaded(text) as code:
            wanted = code.fresh()["program"]
            wanted.__globals__["copied"] = list
            found = code.fresh()["program"]
            found.__globals__["copied"] = rt.identity
            staged = rt.function(found)
            for n in range(4):
                given = ([1, 2, 3], [4, 5, 6], [7, 8, 9], n)
                expected = wanted(*copy.deepcopy(given))
                try:
                    got = plain(staged(*map(rt.constant, given)))
                except autograph.AutographError:
                    break
                assert got == expected, text


def _attempt(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except NameError:
        return NameError


# What is refused: each with a way to write it that is not


def either(a, b, t):
    z = a if t else b
    z[0] = 9
    return a


def either_copied(a, b, t):
    z = rt.identity(a) if t else rt.identity(b)
    z[0] = 9
    return a


def rounds(a, b, t):
    z = a
    while t:
        z = z + b
        t = False
    z[0] = 9
    return a


def rounds_copied(a, b, t):
    z = rt.identity(a)
    while t:
        z = z + b
        t = rt.constant(False)
    z[0] = 9
    return a


def replaced(m):
    r = m[0]
    m[0] = m[1]
    return r


def replaced_copied(m):
    r = rt.identity(m[0])
    m[0] = m[1]
    return r, m


def stored(m, v):
    m[0] = v
    v[0] = 9
    return m


def stored_copied(m, v):
    m[0] = rt.identity(v)
    v[0] = 9
    return m, v


def sliced(m):
    p = m[0:1]
    p[0][0] = 9
    return m


def sliced_by_index(m):
    m[0][0] = 9
    return m[0:1]


def exchanged(a, b, t):
    kept = b
    while t:
        a, b = b, a
        t = False
    a[0] = 9
    return a, kept


def exchanged_copied(a, b, t):
    kept = rt.identity(b)
    while t:
        a, b = b, a
        t = rt.constant(False)
    a[0] = 9
    return a, kept


def unseen(a):
    put(a, 0, 9)
    return 1


def unseen_returned(a):
    put(a, 0, 9)
    return 1, a


def outside(i):
    x = V
    x[i] = 9
    return x


def outside_copied(i):
    x = rt.identity(V)
    x[i] = 9
    return x


def listed(a, n):
    rows = []
    for i in rt.range(n):
        a[0] = i
        rows.append(a)
    return rows[0]


def listed_copied(a, n):
    rows = []
    for i in rt.range(n):
        a[0] = i
        rows.append(rt.identity(a))
    return rows[0]


def captured(a):
    @rt.function
    def inner(i):
        a[i] = 9
        return i

    inner(0)
    return a


def passed(a):
    @rt.function
    def inner(a, i):
        a[i] = 9
        return i

    inner(a, 0)
    return a


def twice(a):
    @rt.function
    def inner(x, y):
        x[0] = y[1]

    inner(a, a)
    return a


def once(a):
    @rt.function
    def inner(x, y):
        x[0] = y[1]

    inner(a, rt.identity(a))
    return a


def watched(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        x[0] = 9.0
        y = rt.reduce_sum(x * x)
    return tape.gradient(y, x)


def watched_copied(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        z = rt.identity(x)
        z[0] = 9.0
        y = rt.reduce_sum(z * z)
    return tape.gradient(y, x)


def largest(m):
    found = m[0]
    for row in m:
        if row[0] > found[0]:
            found = row
    found[1] = 9
    return m


def largest_by_index(m):
    found = 0
    for i in range(len(m)):
        if m[i][0] > m[found][0]:
            found = i
    m[found][1] = 9
    return m


def picked(m, t):
    first, second = m[0], m[1]
    return first if t else second


def row_of_a_helper(m, t):
    row = picked(m, t)
    row[0] = 9
    return m


def row_of_a_helper_by_index(m, t):
    m[0 if t else 1][0] = 9
    return m


def in_turn(a, b, n):
    for i in range(n):
        found = b if i % 2 == 1 else a
        found[0] += 1
    return found


def in_turn_by_test(a, b, n):
    found = rt.identity(a)
    for i in range(n):
        if i % 2 == 1:
            b[0] += 1
            found = rt.identity(b)
        else:
            a[0] += 1
            found = rt.identity(a)
    return found, a, b


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y


def swapped(a, b, n):
    pair = Pair(a, b)
    for _ in range(n):
        pair.x, pair.y = pair.y, pair.x
        pair.x[0] += 1
    return a


def swapped_by_test(a, b, n):
    for i in range(n):
        if i % 2 == 0:
            b[0] += 1
        else:
            a[0] += 1
    return a, b


def left_by_the_round_before(a, b, n):
    earlier = rt.identity(b)
    later = rt.identity(b)
    for _ in range(n):
        earlier, later = later, a
    later, earlier = earlier, a
    a[1] = 9
    return earlier, later


def left_by_the_round_before_copied(a, b, n):
    earlier = rt.identity(b)
    later = rt.identity(b)
    for _ in range(n):
        earlier, later = later, rt.identity(a)
    later, earlier = earlier, a
    a[1] = 9
    return earlier, later


def copied_matrix(m):
    n = copy.copy(m)
    n[0][0] = 9
    return m


def copied_deeply(m):
    n = copy.deepcopy(m)
    n[0][0] = 9
    return m, n


TWO = rt.constant(2)

PAIRS = [
    (largest, largest_by_index, (M,), "'m' is read after items of 'found' were assigned"),
    (row_of_a_helper, row_of_a_helper_by_index, (M, YES), "'m' is read after items of 'row'"),
    (in_turn, in_turn_by_test, (V, W, TWO), "is read after items of 'found' were assigned"),
    (swapped, swapped_by_test, (V, W, TWO), "is read after items of .* were assigned"),
    (
        *(left_by_the_round_before, left_by_the_round_before_copied),
        *((V, W, TWO), "'earlier' is read after items of 'a' were assigned"),
    ),
    (copied_matrix, copied_deeply, (M,), "'m' is read after items of 'n' were assigned"),
    (either, either_copied, (V, W, YES), "'a' is read after items of 'z' were assigned"),
    (rounds, rounds_copied, (V, W, YES), "'a' is read after items of 'z' were assigned"),
    (exchanged, exchanged_copied, (V, W, YES), "is read after items of 'a' were assigned"),
    (replaced, replaced_copied, (M,), "a row is read by an older name after it was replaced"),
    (stored, stored_copied, (M, rt.constant([7, 8])), "'m' is read after items of 'v'"),
    (sliced, sliced_by_index, (M,), "'m' is read after items of 'p' were assigned"),
    (unseen, unseen_returned, (V,), "an item of 'a' is assigned, an argument of unseen.*return a"),
    (outside, outside_copied, (rt.constant(1),), "an item of 'x' is assigned.*from outside"),
    (listed, listed_copied, (V, rt.constant(3)), "an item of 'a' is assigned.*item of a list"),
    (captured, passed, (V,), "an item of 'a' is assigned.*from outside of inner"),
    (twice, once, (V,), "inner assigns to items of an argument which shares its memory"),
    (watched, watched_copied, (rt.constant([1.0, 2.0]),), "the gradient with respect to 'x'"),
]


@pytest.mark.parametrize("row", PAIRS, ids=[row[0].__name__ for row in PAIRS])
def test_what_nobody_knows_is_refused(row: Any) -> None:
    refused, _, arguments, message = row
    with pytest.raises(autograph.StagingError, match=f"(?s){message}") as caught:
        rt.function(refused)(*arguments)
    assert "alias" in caught.value.filename
    lines = [line for *_, line in refused.__code__.co_lines() if line]
    is_here = caught.value.filename == refused.__code__.co_filename
    assert not is_here or min(lines) <= caught.value.lineno <= max(lines)


@pytest.mark.parametrize("row", PAIRS, ids=[row[0].__name__ for row in PAIRS])
def test_the_way_out_works(row: Any) -> None:
    _, written, arguments, _ = row
    rt.function(written)(*arguments)


# Names that one path rebinds: what they share is known by the other names too


def rebound_in_a_branch(a, n):
    last = copy.copy(a)
    for i in range(n):
        if i == 99:
            a = a * 1
        a[0] = 100 + i
        if i == 0:
            last = a
    return last


def rebound_by_an_expression(a, n):
    last = copy.copy(a)
    for i in range(n):
        a = copy.copy(a) if i == 99 else a
        a[0] = 100 + i
        if i == 0:
            last = a
    return last


def rebound_in_a_while(a, n):
    last, i = copy.copy(a), 0
    while i < n:
        if i == 99:
            a = copy.copy(a)
        a[0] = 100 + i
        if i == 0:
            last = a
        i = i + 1
    return last


def rebound_in_an_inner_loop(a, n):
    last = copy.copy(a)
    for i in range(n):
        for _ in range(1):
            if i == 99:
                a = copy.copy(a)
        a[0] = 100 + i
        if i == 0:
            last = a
    return last


def rebound_in_a_try(a, n):
    last = copy.copy(a)
    for i in range(n):
        try:
            if i == 99:
                a = copy.copy(a)
        finally:
            pass
        a[0] = 100 + i
        if i == 0:
            last = a
    return last


def rebound_beside_an_attribute(a, n):
    pair = Pair(a, copy.copy(a))
    for i in range(n):
        if i == 99:
            a = copy.copy(a)
        a[0] = 100 + i
        if i == 0:
            pair.y = a
    return pair.y


def rebound_with_a_second_name(a, n):
    last = copy.copy(a)
    for i in range(n):
        if i == 99:
            a = copy.copy(a)
        b = a
        b[0] = 100 + i
        if i == 0:
            last = a
    return last


def rebound_beside_an_older_name(a, n):
    a = copy.copy(a)
    last = a
    for i in range(n):
        if i == 99:
            a = copy.copy(a)
        a[0] = 100 + i
    return last


def handed_on(a, n):
    b, c = copy.copy(a), copy.copy(a)
    for i in range(n):
        c[0] = 100 + i
        c = b
        b = a
    return a


def handed_on_and_rebound(a, n):
    a = copy.copy(a)
    first, c = a, copy.copy(a)
    for i in range(n):
        c[0] = 100 + i
        c = a
        a = copy.copy(a)
    return first


def two_names_of_a_branch(a, n):
    last = copy.copy(a)
    if n > 2:
        a = a * 1
        last = a
    a[0] = 9
    return last


def a_view_of_a_branch(m, n):
    row = copy.copy(m[0])
    if n > 2:
        m = m * 1
        row = m[0]
    m[0][0] = 9
    return row


REBOUND = [
    rebound_in_a_branch,
    rebound_by_an_expression,
    rebound_in_a_while,
    rebound_in_an_inner_loop,
    rebound_in_a_try,
    rebound_beside_an_attribute,
    rebound_with_a_second_name,
    rebound_beside_an_older_name,
    handed_on,
    handed_on_and_rebound,
    two_names_of_a_branch,
    a_view_of_a_branch,
]


@pytest.mark.parametrize("function", REBOUND, ids=[f.__name__ for f in REBOUND])
def test_names_that_a_path_rebinds_share_memory(function: Any) -> None:
    start = M if function is a_view_of_a_branch else V
    wanted = function(plain(start), 6)
    assert plain(autograph.convert(function)(rt.identity(start), rt.constant(6))) == wanted
    with pytest.raises(autograph.StagingError, match=r"which may be the same|stood for before"):
        rt.function(function)(start, rt.constant(6))


def rows_of_a_branch(m, n):
    if n > 2:
        k = m + 1
        a, b = k[0], k[1]
    else:
        a, b = m[0] + 1, m[1] + 2
    a[0] = 9
    return a, b


def rows_of_each_branch(m, n):
    if n > 2:
        k = m + 1
        a, b = k[0], k[1]
    else:
        k = m * 2
        a, b = k[-1], k[-2]
    b[1] = 5
    return a + b


def rows_of_rounds(m, n):
    a, b = m[0] * 1, m[1] * 1
    for _ in range(n):
        k = rt.stack([b, a])
        a, b = k[0], k[1]
        a[0] = 5
    return a, b


APART = [rows_of_a_branch, rows_of_each_branch, rows_of_rounds]


@pytest.mark.parametrize("function", APART, ids=[f.__name__ for f in APART])
def test_rows_at_different_places_share_nothing(function: Any) -> None:
    for n in (6, 1):
        wanted = autograph.convert(function)(rt.identity(M), rt.constant(n))
        assert plain(rt.function(function)(M, rt.constant(n))) == plain(wanted)


@rt.function
def put_nine(a):
    a[0] = 9


@rt.function
def sorted_pair(a):
    if a[0] > a[1]:
        a[0], a[1] = a[1], a[0]
    return a


@rt.function
def first_row(m):
    return m[0]


def test_calls_give_back_what_they_assign() -> None:
    def calling(a, n):
        put_nine(a)
        for _ in range(n):
            put_nine(a)
            a[1] += a[0]
        b = sorted_pair(a)
        b[2] = 50
        return a

    found = rt.function(calling)(V, rt.constant(2))
    assert found.numpy().tolist() == [9, 20, 50]
    assert V.numpy().tolist() == [1, 2, 3]


def test_rows_that_calls_return_are_parts_of_their_arguments() -> None:
    def calling(m):
        r = first_row(m)
        r[0] = 9
        return m

    with pytest.raises(autograph.StagingError, match="'m' is read after items of 'r'"):
        rt.function(calling)(M)


def test_a_function_that_changes_its_argument_is_for_other_functions() -> None:
    rt.function(lambda a: (put_nine(a), a)[1])(V)
    with pytest.raises(autograph.StagingError, match="an item of 'a' is assigned, an argument"):
        put_nine(V)


def test_gradients_are_those_of_the_values_when_they_were_used() -> None:
    def assigned(x):
        with rt.GradientTape() as tape:
            tape.watch(x)
            z = x * 1.0
            y = rt.reduce_sum(z * z)
            put(z, 0, 9.0)
            y = y + rt.reduce_sum(z * z * z)
        return tape.gradient(y, x)

    x = rt.constant([2.0, 3.0])
    assert rt.function(assigned)(x).numpy().tolist() == [4.0, 6.0 + 27.0]


def test_gradients_go_through_loops_and_calls_that_assign() -> None:
    def body(x, n):
        a = x * 1.0
        for i in range(n):
            put(a, i, a[i] * a[i + 1])
        sorted_pair(a)
        return rt.reduce_sum(a * a)

    x, n = rt.constant([3.0, 2.0, 5.0], dtype=rt.float64), rt.constant(2)
    function = rt.function(body)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = function(x, n)
    found = tape.gradient(y, x).numpy()
    for at in range(3):
        step = [1e-6 * (at == i) for i in range(3)]
        slope = (function(x + step, n) - function(x - rt.constant(step, x.dtype), n)) / 2e-6
        assert abs(found[at] - slope.numpy()) < 1e-3


def test_a_slice_takes_as_many_items_of_an_iterator_as_it_has() -> None:
    @autograph.convert
    def cut(a, n):
        a[1:] = (x for x in a if x > n)
        return a

    for run in (cut, rt.function(cut)):
        assert plain(run(rt.constant([1, 2, 3]), rt.constant(1))) == [1, 2, 3]
        for n in (0, 2):  # one would be broadcast
            with pytest.raises(rt.errors.InvalidArgumentError, match="Reshape: cannot reshape"):
                run(rt.constant([1, 2, 3]), rt.constant(n))


def a_row_and_its_matrix(n):
    m = rt.zeros((3, 3))
    r = m[1]
    for i in range(n):
        m[i, i] = 5.0
        r[0] += 1.0
    return m, r


def rows_before_their_matrix(n):
    m = rt.zeros((3, 3))
    a, z = m[0], m[2]
    for i in range(n):
        a[1] += 1.0
        m[i, 0] = 5.0 + z[1]
        z[1] = a[1]
    return a, m, z


@pytest.mark.parametrize("program", [a_row_and_its_matrix, rows_before_their_matrix])
def test_a_row_and_its_matrix_change_in_a_loop(program: Any) -> None:
    wanted = autograph.convert(program)(3)
    assert plain(rt.function(program)(rt.constant(3))) == plain(wanted)
