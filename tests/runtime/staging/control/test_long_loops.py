"""Long loops over plain items with a staged exit: one loop of the graph, or written out."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.operators import work_of_rounds
from runtime.graph.ir import walk
from tests.support.staging import attempt, same_outcome

PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]


def newton(x):
    guess = x / 2
    for _ in range(9999):
        better = (guess + x / guess) / 2
        if abs(better - guess) < 1e-9:
            return better
        guess = better
    return guess


def bisection(x):
    low, high = 0.0, x + 1
    for _ in range(1000):
        middle = (low + high) / 2
        if high - low < 1e-9:
            break
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return low


def collatz(n):
    for step in range(1000):
        if n == 1:
            return step
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return -1


def is_prime(n):
    for d in range(2, 1000):
        if d * d > n:
            return n > 1
        if n % d == 0:
            return False
    return False


def divisor(n):
    for p in PRIMES:
        if n % p == 0:
            break
    else:
        return None
    return p


def loop_variable_after(n):
    for i in range(300, 3, -7):
        if i < n:
            break
    return i


def of_a_tuple_and_else(n):
    for at, p in ((p, p) for p in tuple(PRIMES)):  # noqa: B007
        if p > n:
            break
    else:
        p = -1
    return p


def nested(n):
    for a in range(1, 25):
        for b in range(a, 25):
            for c in range(b, 25):
                if a * a + b * b == c * c and a + b + c == n:
                    return a * 10_000 + b * 100 + c
    return -1


def with_continue(n):
    total = 0
    for i in range(50):
        if i % 3 == 0:
            continue
        if total > n:
            break
        total += i
    return total


def raising(n):
    for i in range(50):
        if i == n:
            raise KeyError(i)
        if i * i > n:
            break
    return i


def a_list_that_grows(n):
    found = []
    for i in range(100):
        if i % 5 == 0:
            found.append(i)
        if i > n:
            break
    return len(found)


def nonlocal_name(n):
    count = 0

    def step():
        nonlocal count
        count += 1

    for i in range(60):
        step()
        if i >= n:
            break
    return count


def all_of_many(n):
    return all(n % d for d in range(2, 300))


def any_of_pairs(n):
    return any(a * b == n for a in range(2, 30) for b in range(2, 30))


def exits_late(n):
    for i in range(100):
        if i > 7 and i * i > n:
            return i
    return -1


def powers(n):
    for i in range(100):
        if 2**i > n:
            return i
    return -1


def items_assigned(n):
    x = [0] * 40
    for i in range(40):
        x[i] = n + i
        if i > n:
            break
    return sum(x)


@pytest.mark.parametrize(
    "function",
    [
        *(newton, bisection, collatz, is_prime, divisor, loop_variable_after, nested, raising),
        *(of_a_tuple_and_else, with_continue, a_list_that_grows, nonlocal_name, all_of_many),
        *(any_of_pairs, exits_late, powers, items_assigned),
    ],
)
def test_it_is_one_loop_of_the_graph(function: Callable[[Any], Any]) -> None:
    is_float = function in (newton, bisection)
    staged = rt.function(function)
    for n in (1, 3, 12, 30, 49, 59, 97, 1000):
        given = rt.constant(n, rt.float64 if is_float else rt.int64)
        expected = attempt(lambda n=n: function(float(n) if is_float else n))
        got = attempt(lambda given=given: staged(given))
        assert same_outcome(expected, got), (n, expected, got)
    text = str(staged.get_concrete_function(given).graph)
    assert len(text.splitlines()) < 150


def magic(x):
    rows = [[x + 3 * i + j for j in range(4)] for i in range(4)]
    for i in range(4):
        for j in range(4):
            for k in range(4):
                for m in range(4):
                    if rows[i][j] * rows[k][m] == 20:
                        return i + j
                    if rows[i][k] * rows[j][m] == 35:
                        return 100 + k + m
    return -1


def test_nested_short_loops_are_not_written_out() -> None:
    staged = rt.function(magic)
    for x in (0, 1, 4, 30):
        assert staged(rt.constant(x)).numpy() == magic(x)
    text = str(staged.get_concrete_function(rt.constant(0)).graph)
    assert len(text.splitlines()) < 2_500


# Rounds that need their Python numbers


def chosen_layers(x):
    layers = [lambda v, k=k: v * (1 + k / 100) for k in range(40)]
    at = -1
    for at in range(40):
        x = layers[at](x)
        if x > 50:
            break
    return x + at


def named_weights(x):
    weights = {f"w{i}": 1 + i / 10 for i in range(30)}
    state = {"rounds": 0}
    for i in range(30):
        state["rounds"] += 1
        x = x * weights[f"w{i}"]
        if x > 50:
            return x + state["rounds"]
    return x - state["rounds"]


def assigned_before_it_is_refused(x):
    values = rt.zeros([30], rt.float64)
    shared = values
    kept = [0.0]
    for i in range(30):
        values[i] = x + i
        kept[0] = kept[0] + x
        x = x * {i: 1.5}[i]
        if x > 50:
            break
    return rt.reduce_sum(shared) + kept[0] + x


def weighted_up_to_a_limit(x):
    weights = np.linspace(1.0, 2.0, 30)
    for i in range(30):
        x = x * weights[i]
        if x > 100:
            break
    return x


@pytest.mark.parametrize(
    "function",
    [chosen_layers, named_weights, assigned_before_it_is_refused, weighted_up_to_a_limit],
)
def test_rounds_that_need_python_numbers_are_written_out(function: Callable[[Any], Any]) -> None:
    staged = rt.function(function)
    for x in (0.0, 1.0, 7.5, 60.0):
        expected = autograph.convert(function)(rt.constant(x, rt.float64))
        np.testing.assert_allclose(staged(rt.constant(x, rt.float64)), expected)


def too_many_layers(x):
    for at in range(20_000):
        x = (2.0 if hash(at) >= 0 else 1.0) * x
        if x > 50:
            break
    return x


def test_too_many_of_them_are_refused() -> None:
    with pytest.raises(TypeError, match=r"test_long_loops.py:\d+:(.|\n)*use a tensor for"):
        rt.function(too_many_layers)(rt.constant(1.0))


# Rounds that are much to trace


def settled(x, rounds=100):
    for _ in range(rounds):
        x = x * 0.99 + 0.5
    return x


def settled_often(x):
    for _ in range(60):
        x = settled(x)
    return x


def product(a):
    rows = []
    for i in range(len(a)):
        row = []
        for j in range(len(a[0])):
            total = 0.0
            for k in range(len(a)):
                total += a[i][k] * a[k][j]
            row.append(total)
        rows.append(row)
    return rows


def table_of_powers(x):
    table = [[0.0] * 30 for _ in range(30)]
    for i in range(30):
        for j in range(30):
            power = x
            for _ in range(30):
                power = power * 0.9 + i * j
            table[i][j] = power
    return table


def counted(x):
    count = 0
    for i in range(250):
        count += i
        x = settled(x)
        if i == 240:
            break
    return x, count, i


def by_layers(x):
    layers = [lambda v, k=k: v * (1 + k / 1000) for k in range(90)]
    for i in range(90):
        x = layers[i](settled(x, 30))
    return x


def below_others(a):
    count = 0
    for i in range(40):
        for j in range(i):
            if a[i] > a[j]:
                count += 1
    return count


def items_that_are_there(x):
    items, total = [1, 2, 3, 4], 0
    place = x // 1 + 1
    for i in range(24):
        for j in range(i):
            try:
                total += items[int(place) + j]
            except IndexError:
                total -= 1
    return total


def best_of_some(x):
    best = [0] * (int(x) + 30)
    for i in range(40):
        left = len(best) - 1
        while left > i % 7:
            best[left] = max(best[left], best[left - i % 7 - 1] + i * i % 11)
            left -= 1
    return best[-1]


def two_with_a_sum(a):
    """The result has no value yet where the rounds become a loop."""
    places = {}
    for i in range(len(a)):
        if 7.0 - a[i] in places:
            return places[7.0 - a[i]], i
        places[a[i]] = i
    return -1, -1


def sums_in_short_loops(x):
    sums, seen = [], 0.0
    for i in range(16):
        for j in range(16):
            x = settled(settled(settled(x, 16), 16), 16) + i * j
            if x > 50:
                x, seen = x / 2, seen + 1
        sums.append(x + seen)
    return sums


MATRIX = np.random.default_rng(4).normal(size=(24, 24))


@pytest.mark.parametrize(
    ("function", "given", "most"),
    [
        (settled_often, 1.5, 1_000),
        (product, MATRIX, 8_000),
        (table_of_powers, 0.5, 4_000),
        (counted, 1.5, 1_000),
        (best_of_some, 4.5, 400),
        (below_others, np.arange(40.0) * 7 % 11, 1_100),
        (items_that_are_there, 1.5, 3_000),
        (sums_in_short_loops, 1.5, 5_000),
        (two_with_a_sum, np.arange(200.0) * 8, 1_000),
        (two_with_a_sum, np.arange(200.0) - 150, 1_000),
    ],
)
def test_many_operations_of_known_rounds_are_one_loop(
    function: Callable[[Any], Any], given: Any, most: int
) -> None:
    staged = rt.function(function)
    expected = function(given.tolist() if isinstance(given, np.ndarray) else given)
    tensor = rt.constant(given, rt.float64)
    assert same_outcome(expected, attempt(lambda: staged(tensor)))
    graph = str(staged.get_concrete_function(tensor).graph)
    assert " = while " in graph
    assert len(graph.splitlines()) < most


def kept_apart(x):
    kept = []
    for i in range(30):
        x = settled(x)
        kept.append(x + i)
    first, second, *others = kept
    return first, second, len(others)


def widened(x):
    values = rt.reshape(x, [1])
    for _ in range(25):
        values = rt.concat([values, [settled(values[-1])]], 0)
    return values


def halves(x):
    total = 0.0
    for i in range(30):
        total = total + settled(x) * 2**-i
    return total


def weights_of_an_array(x):
    weights = np.linspace(0.0, 1.0, 30)
    for i in range(30):
        x = settled(x) * weights[i]
    return x


def days_of_a_library(x):
    for i in range(30):
        x = settled(x) + timedelta(days=i).days
    return x


def days_under_a_test(x):
    for i in range(30):
        x = settled(x)
        if x > 49:
            x = x + timedelta(days=i).days
    return x


@pytest.mark.parametrize(
    "function", [halves, weights_of_an_array, days_of_a_library, days_under_a_test]
)
def test_rounds_with_numbers_that_only_python_has_are_written_out(
    function: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    x = rt.constant(1.5, rt.float64)
    assert same_outcome(function(1.5), attempt(lambda: rt.function(function)(x)))
    assert "29 rounds that are left" in caplog.text


def test_what_python_knows_stays_known(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = rt.constant(1.5, rt.float64)
    assert same_outcome(kept_apart(1.5), attempt(lambda: rt.function(kept_apart)(x)))
    assert "written out" not in caplog.text
    for too_much in (work_of_rounds.TOO_MUCH, 100):
        assert "written out" not in caplog.text
        monkeypatch.setattr(work_of_rounds, "TOO_MUCH", too_much)
        wide = rt.function(widened)
        np.testing.assert_allclose(wide(x), widened(x))
        assert wide.get_concrete_function(x).outputs[0].shape == [26]
    line = widened.__code__.co_firstlineno + 2
    assert f"test_long_loops.py:{line}:" in caplog.text
    assert "keep one shape in all rounds" in caplog.text


def shapes_in_a_dict(x):
    kept = {"y": x}
    for _ in range(20):
        x = settled(x, 60)
        kept["y"] = rt.concat([kept["y"], x], 0)
    return rt.constant(kept["y"].shape == (42,))


def counted_in_a_dict(x):
    kept = {"n": 1}
    for _ in range(20):
        x = settled(x, 60)
        kept["n"] += 1
    return rt.zeros([kept["n"], 2]).shape[0] + 1


def kinds_of_items(x):
    items = [1] * 20
    for i in range(20):
        x = settled(x, 60)
        items[i] = i / 2 if i % 2 else i
    return rt.constant(str(items))


class Holder:
    held: Any = 0


def kinds_of_an_attribute(x):
    holder = Holder()
    for i in range(20):
        x = settled(x, 60)
        holder.held = i if i > 5 else i / 2
    return rt.constant(str(holder.held))


def kinds_in_loops_inside(x):
    for _ in range(20):
        x = settled(x, 60)
        v = 0
        for j in range(20):
            x = settled(x, 60)
            v = j if j > 5 else j / 2
        if f"{v}" == "19":
            x = x + 1.0
    return x


def counted_by_a_function(x):
    count = 0

    def note():
        nonlocal count
        count += 1

    for _ in range(20):
        x = settled(x, 60)
        note()
    return rt.constant(np.arange(count))


def items_change_places(x):
    items = [0, 1.5, "a"]
    for _ in range(20):
        x = settled(x, 60)
        items = items[1:] + items[:1]
    return rt.constant(str(items))


KNOWN = [
    *(shapes_in_a_dict, counted_in_a_dict, kinds_of_items, kinds_of_an_attribute),
    *(kinds_in_loops_inside, counted_by_a_function, items_change_places),
]


@pytest.mark.parametrize("function", KNOWN)
def test_what_python_knows_of_containers_stays_known(function: Callable[[Any], Any]) -> None:
    x = rt.constant([1.5, 2.0], rt.float64)
    np.testing.assert_array_equal(rt.function(function)(x), np.asarray(function(x)))


def test_rounds_print_all_or_none(capsys: pytest.CaptureFixture[str]) -> None:
    @rt.function
    def printing(x):
        for i in range(20):
            x = settled(x, 60)
            print("round", i)
        return x

    for expected in (20, 0):
        printing(rt.constant([1.5, 2.0], rt.float64))
        assert capsys.readouterr().out.count("round") == expected


def test_the_log_says_which_rounds_are_written_out(caplog: pytest.LogCaptureFixture) -> None:
    staged = rt.function(by_layers)
    x = rt.constant(1.5, rt.float64)
    assert same_outcome(by_layers(1.5), attempt(lambda: staged(x)))
    line = by_layers.__code__.co_firstlineno + 2
    assert f"test_long_loops.py:{line}:5: the 89 rounds that are left" in caplog.text
    assert caplog.text.count("written out") == 1


WEIGHTS = [rt.Variable([0.1 * i, 1.0], dtype=rt.float64) for i in range(12)]
LAYERS = [{"weight": weight, "scale": 0.5} for weight in WEIGHTS]


def weighted(x):
    for i in range(12):
        x = settled(x, 100) * WEIGHTS[i]
    return x


def by_dicts(x):
    for i in range(12):
        x = settled(x, 100) * LAYERS[i]["weight"] * LAYERS[i]["scale"]
    return x


@pytest.mark.parametrize("function", [weighted, by_dicts])
def test_variables_that_rounds_choose_are_not_read_all(
    function: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    x = rt.constant([1.5, 2.0], rt.float64)
    concrete = rt.function(function).get_concrete_function(x)
    np.testing.assert_allclose(concrete(x), function(x))
    reads = [node for node in walk(concrete.graph.body) if node.params.get("variable")]
    assert len(reads) == len(WEIGHTS)
    assert not caplog.text


@autograph.do_not_convert
def asked_by_python(x):
    return 1 if x > 0 else 2


def refused_before(x):
    try:
        count = asked_by_python(x)
    except Exception:
        count = 3
    for _ in range(30):
        x = settled(x)
    return x, count


def test_a_refusal_that_was_caught_before_them_is_raised() -> None:
    with pytest.raises(Exception, match="as a Python bool"):
        rt.function(refused_before)(rt.constant(1.5, rt.float64))


def test_gradients_of_them_go_through() -> None:
    def slope(x):
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = settled_often(x)
        return tape.gradient(y, x)

    x = rt.constant(2.0, rt.float64)
    np.testing.assert_allclose(rt.function(slope)(x), 0.99**6000, 1e-9)


def test_gradients_go_through() -> None:
    def root(x):
        guess = x
        for _ in range(200):
            better = (guess + x / guess) / 2
            if abs(better - guess) < 1e-12:
                break
            guess = better
        return guess

    def slope(x):
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = root(x)
        return tape.gradient(y, x)

    for function in (slope, rt.function(slope)):
        np.testing.assert_allclose(function(rt.constant(2.0, rt.float64)), 8**-0.5, 1e-9)
