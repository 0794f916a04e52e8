"""Dicts of which only the run knows the keys, and comprehensions of sets and dicts."""

from __future__ import annotations

import copy
import math
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support.limits import refused_by
from tests.support.staging import attempt, same_outcome


class Box:
    def __init__(self):
        self.entries = {}


def fill(entries, n):
    for i in range(n):
        entries[i % 2] = i
    return entries


def changed_by_a_helper(n):
    entries = {}
    fill(entries, n)
    return entries, len(entries)


def known_to_two_names(n):
    entries = {}
    other = entries
    for i in range(n):
        entries[i] = i * i
    other[n] = 5
    return entries[n], len(other), other is entries


def in_an_object(n):
    box = Box()
    for i in range(n):
        box.entries[i % 2] = i
    return box.entries, len(box.entries)


def in_a_closure(n):
    entries = {}

    def put(key):
        entries[key] = entries.get(key, 0) + 1

    for i in range(n):
        put(i % 3)
    return entries


def copies(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    others = copy.deepcopy(entries), dict(entries), entries.copy(), copy.copy(entries)
    entries[0] = 77
    others[0][50] = 1
    return (entries[0], *others)


def equal_keys(n):
    entries = {}
    entries[n] = 5
    asked = [key in entries for key in (1, 1.0, True, "a", (1, 2), None)]
    return asked, entries.get(1.0, 0), entries.get(True, 0), entries.get("a", 3)


def a_truth_is_one(n):
    entries = {0: 1, 1: 5}
    return entries[n > 0], (n > 2) in entries


def zeros(n):
    entries = {0.0: 1, -2.5: 2}
    entries[-0.0 * n] = 3
    entries[n / 2] = 4
    return [math.copysign(1.0, key) for key in entries], list(entries.values())


def tuples(n):
    entries = {}
    for i in range(n):
        entries[i % 2, "x"] = i
        entries[i % 2, "y"] = entries.get((i % 2, "x"), 0) + 1
    return entries, (1, "x") in entries, (1, 2) in entries


def texts(n):
    entries = {}
    for i in range(n):
        key = "even" if i % 2 == 0 else "odd"
        entries[key] = entries.get(key, 0) + 1
    entries["odd" if n > 2 else "none"] = n
    return entries, entries.get("even", 0), "odd" in entries


def updated(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    other = {9: 9}
    other.update(entries)
    entries.update({0: 100, 70: 1})
    entries |= {5: 6}
    return entries, other, entries | other, {5: 1} | entries


def asked_for_all(n):
    entries = {9: 1}
    for i in range(n):
        entries[7 - i] = i
    return (
        (list(entries), list(entries.values()), [k for k in entries], sorted(entries)),
        ([v + 1 for v in entries.values() if v > 1], sorted(entries.items()), max(entries)),
        (min(entries.values()), sum(entries), max(entries, key=entries.get), 7 in entries),
        (len(entries.items()), any(v > 2 for v in entries.values()), 2 in entries.values()),
    )


def compared(n):
    first, second, third = {}, {}, {0: 0, 1: 1}
    for i in range(n):
        first[i] = i
        second[n - 1 - i] = n - 1 - i
    return (
        first == second,
        first != second,
        first == third,
        third == first,
        first == {},
        first == {},
    )


def its_truth(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    return 1 if entries else 2, not entries, bool(entries)


def popped(n):
    entries = {}
    for i in range(n):
        entries[i] = i * 10
    return entries.pop(1, -1), entries.pop(0), entries


def emptied(n):
    entries = {}
    for i in range(n):
        entries[i] = i * 10
    total = 0
    while entries:
        key, value = entries.popitem()
        total = total * 3 + key + value
    return total, len(entries)


def with_defaults(n):
    entries, total = {}, 0
    for i in range(n):
        total += entries.setdefault(i % 3, i)
    return entries, total


def deleted(n):
    entries = {0: 1, 1: 2, 2: 3}
    del entries[n]
    entries[7] = 1
    return entries


def cleared_on_one_path(n):
    entries = {0: 1}
    if n > 1:
        entries.clear()
    entries[n] = 4
    return entries


def caught(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    try:
        return entries[n + 1]
    except KeyError:
        return -5


def returned_in_a_loop(n):
    entries = {}
    for i in range(n):
        if i in entries:
            return i
        entries[i * i % 7] = i
    return -1


def deleted_in_a_loop_over_a_list(n):
    entries = {0: 0, 1: 1, 2: 2}
    if n > 0:
        entries[3] = 3
    for key in list(entries):
        if key == n:
            del entries[key]
    return entries


def changed_while_iterated(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    total = 0
    for key, value in entries.items():
        total = total * 3 + value + key
        entries[n - 1] += 1
    return total, entries


def deleted_where_few_are_known(n):
    entries = {n: 2, n + 1: 3}
    entries[n + 5] = 4
    for key in list(entries):
        if key > n:
            del entries[key]
    for key, value in list(entries.items()):
        entries[key + 7] = entries.pop(key) + value
    return entries


def best_by_several_keys(n):
    entries = {9: n}
    for i in range(n):
        entries[i] = i * 7 % 3
    best = min(entries.items(), key=lambda entry: (entry[1], entry[0]))
    last = max(entries.items(), key=lambda entry: (entry[1], -entry[0]))
    pairs = [(value, key) for key, value in entries.items()]
    return best, last, max(entries.items()), min(pairs), max(range(n + 1), key=lambda i: (i % 3, i))


def ordered_by_their_values(n):
    entries = {9: n}
    for i in range(n):
        entries[i] = i * 7 % 5
    return sorted(entries, key=entries.get), sorted(entries, key=entries.get, reverse=True)[0]


def unpacked_into_displays(n):
    entries, seen, items = {1: 2}, {n, 3}, []
    for i in range(n):
        entries[i] = n
        seen.add(i)
        items.append(i + 2)
    merged = {**entries, 1: 5, 7: 8}
    joined = {*seen, 50, *items}
    return merged, {9: n, **merged}, sorted(joined)


def grown_while_iterated(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    for key in entries:
        entries[key + 1] = 1
    return entries


def grown_in_the_last_round(n):
    entries = {}
    for i in range(n):
        entries[i] = i
    for key in entries:
        entries[key + 1] = 1
        if key == n - 1:
            break
    return entries


def left_after_growing(n):
    entries = {0: 0}
    entries[n] = 1
    for key in entries:
        entries[key + 9] = 1
        if key == 0:
            break
    return entries


def optional_values(n):
    entries = {}
    for i in range(n):
        entries[i] = None if i % 2 else i
    return entries.get(1) is None, entries.get(0) is None


def classes(n):
    entries = {}
    entries[n] = 1
    return type(entries) is dict, isinstance(entries, dict), isinstance(entries, list)


def counted(n):
    counts = Counter()
    for i in range(n):
        counts[i * i % 4] += 1
    del counts[17]
    counts.update([n, n, 1])
    return counts, counts[99], 99 in counts, counts.most_common(2)


def counted_items(n):
    counts, letters = Counter(i * i % 4 for i in range(n)), Counter({"a": n, "b": 2})
    counts[7] -= 1
    firsts = []
    for item in counts.elements():
        if item > 0:
            break
        firsts.append(item)
    ordered = sorted(counts.elements()), sum(counts.elements()), max(counts.elements(), default=-1)
    return firsts, ordered, list(counts.elements()), "".join(letters.elements()) == "a" * n + "bb"


def empty_lists_beside_others(n):
    entries, groups = {}, {"a": [1]}
    entries[n] = [1]
    first = entries.setdefault(n + 1, [])
    if n > 1:
        groups["b"] = [n]
    second = groups.setdefault("b", [])
    groups.setdefault("c", [1, 2])
    return len(first), first, len(second), second, len(groups["c"]), len(groups["a"])


def texts_in_branches(n):
    groups, others = defaultdict(list), defaultdict(list)
    for i in range(n):
        if i % 2 == 0:
            groups["even"].append(i)
        else:
            groups["odd"].append(i)
    others["a"].append(1)
    if n > 2:
        others["b"].append(n)
    return groups, len(groups["odd"]), len(others["b"]), others


def counters_combined(n):
    a, b = Counter(), Counter()
    for i in range(n):
        a[i % 3] += 1
        b[(i + n) % 2 * 2] += 1
    b[7] = -3
    return a + b, a - b, b - a, a | b, a & b


def counters_in_place(n):
    counts = Counter([n % 3, 1, 2, 2])
    other = counts
    counts += Counter([2, n % 2])
    counts -= Counter({1: 5})
    counts[7] = -3
    return counts, counts - Counter({9: -4, 8: 2}), counts is other


def a_counter_of_python(n):
    have = Counter([1, 2, 2, n % 4])
    need = Counter([2, 2, 3])
    letters = Counter("abracadabra")
    if n > 1:
        letters["b"] += n
    return need - have, need & have, letters - Counter("aabz"), Counter("abz") | letters


def orders_of_two_paths(n):
    entries = {}
    if n > 1:
        entries["a"] = 1
        entries["b"] = 2
    else:
        entries["b"] = 1
        entries["a"] = n
    entries["c"] = 5
    return entries, list(entries.values())


def two_dicts(n):
    if n > 2:
        entries = {"a": n}
        n = n + 1
    else:
        entries = {"a": 1, "b": n}
    return entries, len(entries)


def in_nested_loops(n):
    entries = {}
    for i in range(n):
        for j in range(i):
            entries[i + j] = entries.get(i + j, 0) + j
    return entries


def tuples_as_values(n):
    entries = {}
    for i in range(n):
        entries[i] = i, i * 2
    first, second = entries[0]
    return first + second, entries


def until_seen(n):
    seen = {}
    while n not in seen:
        seen[n] = len(seen)
        n = n * 2 % 11
    return n, seen


def enumerated(n):
    entries = {}
    for i in range(n):
        entries[i * 2] = i
    total = 0
    for at, key in enumerate(entries):
        total += at * key
    for (key, value), at in zip(entries.items(), range(n), strict=False):
        total += key * value - at
    return total


def sets_by_comprehensions(n):
    small = {i % 3 for i in range(n)}
    pairs = {i * j for i in range(n) for j in range(i) if i != j}
    kept = {k for k in [1, 2, 3] if k < n}
    small.add(n)
    return len(small), sorted(small), sorted(pairs), sorted(kept), sum({i for i in range(n)})


@rt.function
def total_of(entries, n):
    total = n
    for key, value in entries.items():
        total += key * value
    return total


def given_to_a_graph(n):
    entries, known = {}, {2: n}
    for i in range(n):
        entries[i] = i
    if n > 9:
        known[2] = 5
    return total_of(entries, n), total_of(known, n)


def none_of_its_keys(n):
    return n in {"b": 1}, {"a": 1}.get(n, 7), {"a": 1}[n]


def sets_of_texts_and_tuples(n):
    words, pairs, halves = set(), set(), {0.5}
    for i in range(n):
        words.add("even" if i % 2 == 0 else "odd")
        pairs.add((i % 2, i % 3))
    halves.add(n / 2)
    pairs.discard((0, 0))
    is_there = "odd" in words, (1, 1) in pairs, 1 in halves
    return len(words), is_there, sorted(pairs), sorted(halves)


def dicts_by_comprehensions(n):
    squares = {i: i * i for i in range(n) if i % 2}
    other = {value: key for key, value in squares.items()}
    known = {word: n for word in ("a", "bb", "a") if n > len(word)}
    last = {i % 4: i for i in range(n)}
    last[n] = 7
    pairs = {(i, j): i + j for i in range(n) for j in range(2) if i != j}
    return squares, other, known, last, pairs


def backwards(n):
    sizes, totals = {3: 1, 1: 5}, []
    for i in range(n):
        total = 0
        for key, size in reversed(sizes.items()):
            total = total * 3 + key - size
        for size in reversed(sizes.values()):
            total = total * 2 + size
        totals.append((total, sum(2 * total - key for key in reversed(sizes.keys()))))
        sizes[i + 5] = i
    return totals, [*reversed(sizes.items())]


def last_of(n):
    last = [None] * 6
    for i in range(n):
        last[i] = i * i
    return last


def keys_that_may_be_none(n):
    last, counts, groups = last_of(n), Counter(), defaultdict(list)
    for i in range(n):
        counts[last[i]] += 1
    counts[last[3]] += 4
    groups[last[2], n].append(n)
    groups[last[0], n].append(1)
    found = last[1] in counts, None in counts, counts.get(last[4]), groups.get((last[1], n))
    counts[None] = 3
    taken = counts.pop(last[2], -1)
    return counts, groups, found, taken, counts[last[5]]


def keys_that_are_never_none(n):
    last, counts = last_of(n), defaultdict(int)
    for i in range(n):
        counts[last[i]] += i
    known = {0: 5, 1: 7, None: 9}
    ordered = sorted(counts.items()), sorted(counts, reverse=True)
    return dict(sorted(counts.items())), ordered, known.get(last[4]), known[last[1]]


def keys_of_attributes(n):
    class Node:
        def __init__(self, symbol, below=None):
            self.symbol, self.below = symbol, below

    node = Node("a")
    for i in range(n):
        node = Node(None, node) if i % 2 else Node("b", node)
    depths, depth = {}, 0
    while node is not None:
        if node.symbol is not None:
            depths[node.symbol] = depth
        depth += 1
        node = node.below
    return depths


def an_entry_under_none_is_missed(n):
    last, counts = last_of(n), {}
    for i in range(n):
        counts[i * i] = i
    return counts[last[2]]


def default_dicts_with_entries(n):
    squares = defaultdict(lambda: -1, enumerate([n, n * n]))
    squares[n + 1] = 4
    counts = defaultdict(int, zip([n, n + 1], [1, 2], strict=True))
    counts[2] += n
    return squares, squares[0], squares[n + 7], counts, defaultdict(None, [(n, 1)])


PROGRAMS = (
    keys_that_may_be_none, keys_that_are_never_none, keys_of_attributes,
    an_entry_under_none_is_missed, default_dicts_with_entries,
    counted_items,
    backwards,
    empty_lists_beside_others, texts_in_branches,
    counters_combined, counters_in_place, a_counter_of_python,
    changed_by_a_helper, known_to_two_names, in_an_object, in_a_closure, copies, equal_keys,
    a_truth_is_one, zeros, tuples, texts, updated, asked_for_all, compared, its_truth, popped,
    emptied, with_defaults, deleted, cleared_on_one_path, caught, returned_in_a_loop,
    deleted_in_a_loop_over_a_list, deleted_where_few_are_known, best_by_several_keys,
    ordered_by_their_values, unpacked_into_displays,
    changed_while_iterated, grown_while_iterated,
    grown_in_the_last_round, left_after_growing, optional_values, classes, counted,
    orders_of_two_paths, two_dicts, in_nested_loops, tuples_as_values, until_seen, enumerated,
    given_to_a_graph, none_of_its_keys, sets_by_comprehensions, sets_of_texts_and_tuples,
    dicts_by_comprehensions,
)  # fmt: skip


def plain(value: Any) -> Any:
    """A result with numbers for tensors; of a dict the order, the class and those of the keys."""
    if isinstance(value, dict):
        return type(value), [(type(k), k, plain(v)) for k, v in value.items()]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None else np.asarray(value).tolist()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("dtype", [rt.int32, rt.int64])
def test_graphs_do_as_python_does(program: Callable[..., Any], dtype: Any) -> None:
    staged = rt.function(program)
    for n in (0, 1, 2, 3, 5):
        expected = attempt(lambda: plain(program(n)))  # noqa: B023
        got = attempt(lambda: plain(staged(rt.constant(n, dtype))))  # noqa: B023
        assert same_outcome(expected, got), (n, expected, got)


def shown(n):
    entries = {}
    entries[n] = 1
    entries[n * 2] = n
    return f"{entries}"


@pytest.mark.parametrize("n", [0, 3])
def test_their_texts_are_those_of_the_run(n: int) -> None:
    assert rt.function(shown)(rt.constant(n)).numpy().decode() == shown(n)


def counts_of(xs):
    counts = Counter(xs)
    places = {x: at for at, x in enumerate(xs)}
    large = {x for x in xs if x > 2}
    return counts, counts.most_common(1), places, dict(zip(xs, xs, strict=True)), len(large)


@pytest.mark.parametrize("items", [[], [3], [1, 2, 2, 3], [*range(20), *range(5)]], ids=len)
def test_of_the_items_of_a_tensor(items: list[int]) -> None:
    got = rt.function(counts_of)(rt.constant(items, rt.int64))
    assert plain(got) == plain(counts_of(items))


# Effects


class Noted:
    """A key that tells when it is hashed and compared."""

    def __init__(self, number: int, log: list[Any]) -> None:
        self.number = number
        self.log = log

    def __hash__(self) -> int:
        self.log.append(("hash", self.number))
        return self.number

    def __eq__(self, other: object) -> bool:
        self.log.append(("equal", self.number))
        return isinstance(other, Noted) and self.number == other.number


def effects_in_comprehensions(log, n):
    def note(item):
        log.append(item)
        return item

    entries = {Noted(i % 2, log): note(i) for i in range(n) if note(i + 10)}
    several = {Noted(note(i) + j, log) for i in range(n) for j in range(note(2))}
    return len(entries), len(several)


def failing_iterator(log, n):
    items = iter([n])
    return {next(items) for _ in range(n + 2)}


def failing_iterator_in_two_loops(log, n):
    items = iter([n])
    return {next(items) for _ in range(n) for _ in range(2)}


def failing_iterator_in_a_test(log, n):
    items = iter([n])
    return {k: k for k in range(n) if next(items) >= 0}


def ended_generator(log, n):
    def ended():
        yield next(iter([1, 2][n:]))

    return {item for _ in range(2) for item in ended()}


ITERATORS = (
    failing_iterator, failing_iterator_in_two_loops, failing_iterator_in_a_test, ended_generator,
)  # fmt: skip


@pytest.mark.parametrize("program", [effects_in_comprehensions, *ITERATORS])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_comprehensions_do_their_effects_in_order(program: Callable[..., Any], n: int) -> None:
    logs: tuple[list[Any], list[Any]] = [], []
    expected = attempt(lambda: program(logs[0], n))
    got = attempt(lambda: autograph.convert(program)(logs[1], n))
    assert same_outcome(expected, got)
    assert logs[0] == logs[1]


# Gradients


def weighted(x, n):
    entries = {0: x, 5: x * x}
    for i in range(n):
        entries[i % 3] = entries.get(i % 3, x) * x + i
        if i % 2 == 0:
            entries.pop(5, x)
    total = x * 0.0
    for key, value in entries.items():
        total = total + value * (key + 1)
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_gradients_of_values(n: int) -> None:
    at, step = 1.3, 1e-6
    expected = (weighted(at + step, n) - weighted(at - step, n)) / (2 * step)
    x, count = rt.constant(at, rt.float64), rt.constant(n)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = rt.function(weighted)(x, count)
    assert np.allclose(y, weighted(at, n))
    assert np.allclose(tape.gradient(y, x), expected, rtol=1e-6)


def in_groups(x, n):
    groups = {}
    for i in range(n):
        groups.setdefault(i % 2, []).append(x * (i + 1))
    total = x * 0.0
    for group in groups.values():
        product = 1.0
        for item in group:
            product = product * item
        total = total + product
    return total


def summed_by_key(x, n):
    sums = {}
    for i in [n, n + 1, 3]:
        sums[i % 3] = sums.get(i % 3, 0.0) + x * x * i
    return sum(sums.values())


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("program", [in_groups, summed_by_key])
def test_gradients_of_groups(program: Callable[..., Any], n: int) -> None:
    at, step = 1.3, 1e-6
    expected = (program(at + step, n) - program(at - step, n)) / (2 * step)

    @rt.function
    def slope(x: Any, count: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = program(x, count)
        return tape.gradient(y, x)

    found = slope(rt.constant(at, rt.float64), rt.constant(n))
    assert np.allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_a_zero_that_is_a_key_keeps_its_sign(zero: float) -> None:
    def keys(x):
        entries = {x: 1}
        entries[-0.0] = 2
        entries[0.0] = 3
        return list(entries)

    (found,) = rt.function(keys)(rt.constant(zero))
    assert math.copysign(1, found) == math.copysign(1, keys(zero)[0])


# Refused


def keys_of_two_kinds(n):
    entries = {"a": 1}
    entries[n] = 2
    return len(entries)


def a_bool_beside_numbers(n):
    entries = {1: 5}
    entries[n > 0] = 7
    return len(entries)


def dicts_as_values(n):
    entries = {}
    for i in range(n):
        entries.setdefault(i % 2, {})[i] = i
    return len(entries)


KNOWN = {7}


def sets_of_another_name(n):
    entries = {}
    for i in range(n):
        entries[i % 2] = KNOWN
    return len(entries)


def deleted_while_iterated(n):
    entries = {0: 0}
    entries[n] = 2
    for key in entries:
        if key == n:
            del entries[key]
            break
    return len(entries)


def grown_while_iterated(n):
    entries = {1: 1, 2: 2}
    try:
        for key in entries:
            if n > 5:
                entries[key + 5] = n
    except RuntimeError:
        return -1
    return len(entries)


def given_as_keywords(n):
    entries = {"a": 1}
    if n > 0:
        entries["b"] = 2
    return len(dict(**entries))


def given_one_by_one(n):
    entries = {}
    entries[n] = 1
    return max(0, *entries)


def outside_of_a_loop(n):
    entries = {}
    for _ in range(n):
        entries["x"] = {"y": 1}
    return len(entries)


REFUSED = {
    keys_of_two_kinds: "its keys are of several kinds",
    a_bool_beside_numbers: "its keys are of several kinds",
    dicts_as_values: "could be changed in place",
    sets_of_another_name: "may have other names",
    deleted_while_iterated: "a round of a loop over a dict changes its keys",
    grown_while_iterated: "a round of a loop over a dict changes its keys",
    given_as_keywords: "needs a dict of which Python knows the keys",
    given_one_by_one: "needs a dict of which Python knows the keys",
    outside_of_a_loop: "could be changed in place|cannot be joined",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refusals_name_the_place(program: Callable[..., Any]) -> None:
    with pytest.raises(autograph.StagingError, match=REFUSED[program]) as caught:
        rt.function(program)(rt.constant(2))
    assert "test_growing_dicts.py:" in str(caught.value)
    assert "\n  " in str(caught.value)


def found_by_identity(x):
    entries = {}
    entries[x - x] = 1
    return len(entries)


def added_by_identity(x):
    items = set()
    items.add(x - x)
    items.add(x - x)
    return len(items)


def of_a_choice(x):
    key = None if x < 0 else x - x
    return len({key: 1, None: 2}) - 1


@pytest.mark.parametrize("program", [found_by_identity, added_by_identity, of_a_choice])
def test_a_nan_as_a_key_is_an_error_of_the_run(program: Callable[..., Any]) -> None:
    staged = rt.function(program)
    assert int(staged(rt.constant(1.0))) == 1
    with pytest.raises(rt.errors.UnimplementedError, match="a NaN is a key"):
        staged(rt.constant(math.inf))


# Random programs

KEYS = ("x", "y", "x + y", "1", "x % 3", "y * 2", "len(entries)")
CHANGES = (
    "entries[{key}] = {value}", "entries[{key}] = entries.get({key}, 0) + {value}",
    "entries.pop({key}, 0)", "entries.setdefault({key}, {value})", "entries[{key}] += {value}",
    "del entries[{key}]", "entries.update(((1, {value}), ({key}, 2)))", "other = entries.copy()",
    "entries = {{k: v + {value} for k, v in entries.items() if k != {key}}}",
    "entries.update(other)", "last = entries.popitem()", "other[{key}] = {value}",
)  # fmt: skip
BEFORE = ("", "", "if x > y:", "if {key} in entries:", "for k in range(y):", "if entries:")


def random_program(chance: random.Random) -> str:
    """A function of `x` and `y` that changes two dicts under staged tests."""
    made = chance.choice(("{}", "{0: 1, 2: 5}", "{x: 1 for x in range(y)}", "defaultdict(int)"))
    lines = [f"    entries, other = {made}, {{}}"]
    for _ in range(chance.randrange(2, 7)):
        holes = {"key": chance.choice(KEYS), "value": chance.choice(KEYS)}
        change = chance.choice(CHANGES).format(**holes)
        before = chance.choice(BEFORE).format(**holes)
        lines += [f"    {before}", f"        {change}"] if before else [f"    {change}"]
    return "\n".join([
        "def f(x, y):", *lines,
        "    return entries, len(other), sum(entries.values()), y in entries, list(other), "
        "entries == other",
    ])  # fmt: skip


OTHERS = "the structures differ"
"""A defaultdict on one path, and a dict on the other."""


@pytest.mark.parametrize("seed", range(40))
def test_random_changes(seed: int, tmp_path: Any) -> None:
    source = random_program(random.Random(seed))
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    names: dict[str, Any] = {"defaultdict": defaultdict}
    exec(compile(source, str(path), "exec"), names)
    function = names["f"]
    staged = rt.function(function)
    for x, y in ((0, 1), (2, 1), (1, 3), (-1, 0)):
        expected = attempt(lambda: plain(function(x, y)))  # noqa: B023
        got = attempt(lambda: plain(staged(rt.constant(x), rt.constant(y))))  # noqa: B023
        if isinstance(got, autograph.AutographError) and (refused_by(got) or OTHERS in str(got)):
            return
        assert same_outcome(expected, got), (source, x, y, expected, got)


NUMBERS = [
    *(0, 1, -1, 2, 127, 255, 2**31 - 1, 2**24 + 1, 2**53 + 1, 2**63 - 1, -(2**63)),
    *(0.5, 0.1, 2.0**24, 2.0**63, 1e30, -1e300, float("inf"), -float("inf")),
]
KINDS = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]


def as_(number: float, name: str) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array(number).astype(rt.as_dtype(name).np_dtype)


def place_under(keys: Any, key: Any) -> Any:
    places = {}
    i = 0
    for each in keys:
        places[each] = i
        i += 1  # noqa: SIM113
    return places.get(key, -1)


@pytest.mark.parametrize("of_key", KINDS)
@pytest.mark.parametrize("of_keys", KINDS)
def test_keys_of_several_dtypes_are_equal_as_in_python(of_keys: str, of_key: str) -> None:
    keys = list(dict.fromkeys(as_(number, of_keys).item() for number in NUMBERS))
    staged = rt.function(place_under)
    given = rt.constant(keys, rt.as_dtype(of_keys))
    for number in NUMBERS:
        key = as_(number, of_key)
        assert int(staged(given, rt.constant(key))) == place_under(keys, key.item()), number
