"""Lists whose length only the run knows: what Python does with eager tensors, graphs do too."""

# The programs are written as textbooks write them.
# ruff: noqa: B905

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support.staging import attempt, same_outcome


def squares(n):
    made = []
    for i in rt.range(n):
        made.append(i * i)
    return rt.stack(made)


def countdown(n):
    made = [rt.constant(0.5)]
    while n > 0:
        made.append(rt.cast(n, rt.float32))
        n -= 1
    return made


def evens_and_odds(n):
    evens, odds = [], []
    for i in rt.range(n):
        if i % 2 == 0:
            evens.append(i)
        else:
            odds.append(-i)
    return evens, odds, len(evens), len(odds)


def texts_of_two_orders(n):
    words = []
    if n > 3:
        for i in range(n):
            words.append("a" if i > 0 else "b")
    else:
        for i in range(n):
            words.append("b" if i > 0 else "a")
    return [1 if word == "a" else 2 for word in words]


def further_texts(n):
    pairs = []
    for i in range(n):
        pairs.append(("a", i))
    if n > 3:
        pairs.append(("b", 7))
    return [number if word == "a" else -number for word, number in pairs]


def in_a_branch(n):
    made = []
    if n > 3:
        made.append(n)
    return len(made), made


def popped(n):
    stack = [n, n + 1, n + 2]
    if n > 3:
        stack.pop()
    return stack[-1], stack[0], len(stack)


def stack_machine(n):
    stack = []
    total = rt.constant(0)
    for i in rt.range(n):
        stack.append(i)
        if i % 3 == 2:
            total += stack.pop() * stack.pop(0)
    while stack:
        total += stack.pop()
    return total


def python_numbers(n):
    made = []
    total = 0
    while n > 0:
        made.append(total)
        total += 2
        n -= 1
    return made, len(made)


def floats_of_python(n):
    made = [0.5]
    x = 1.0
    while n > 0:
        x = x * 0.5
        made.append(x)
        n -= 1
    return made


def pairs(n):
    made = []
    for i in rt.range(n):
        made.append((i, rt.cast(i, rt.float32) / 2.0))
    total = rt.constant(0.0)
    for index, half in made:
        total += half * rt.cast(index, rt.float32)
    return total, made


def iterated(n):
    made = []
    for i in rt.range(n):
        made.append(i)
    total = rt.constant(0)
    for item in made:
        total = total * 3 + item
    for place, item in enumerate(made):
        total += place * item
    for a, b in zip(made, reversed(made), strict=True):
        total += a * b
    return total


def appended_to_while_iterated(n):
    made = [n]
    if n > 0:
        made.append(n - 1)
    for item in made:
        if item > 0:
            made.append(item - 2)
    i = 0
    while i < len(made):
        if made[i] > 0:
            made.append(made[i] - 1)
        i += 1
    return made


def indexed(n):
    made = [n]
    for i in rt.range(n):
        made.append(i + made[-1])
    made[0] = n * 100
    made[-1] += 1
    middle = made[n // 2]
    return middle, made[0], made


def sliced(n):
    made = []
    for i in rt.range(n):
        made.append(i)
    return made[1:], made[:-1], made[:2], made[-2:], made[n // 2 :], made + [n], [n] + made  # noqa: RUF005


def inserted(n):
    made = [n]
    for i in rt.range(n):
        made.insert(0, i)
        made.insert(1, i * 10)
        made.insert(-1, i * 100)
    return made


def extended(n):
    made = []
    for i in rt.range(n):
        made.extend([i, i * 2])
        made += [i * 3]
    others = []
    for i in rt.range(n):
        others.append(-i)
    made.extend(others)
    made.extend(rt.range(n))
    return made


def cleared(n):
    made = []
    for i in rt.range(n):
        if i == 2:
            made.clear()
        made.append(i)
    made.reverse()
    return made


def deleted(n):
    made = [n, n, n]
    for i in rt.range(n):
        made.append(i)
        del made[0]
    return made


def copied(n):
    made = []
    for i in rt.range(n):
        made.append(i)
    other = made.copy()
    again = list(made)
    for i in rt.range(2):
        other.append(i)
    again.append(n)
    return made, other, again, made is other


def known_to_two_names(n):
    made = []
    alias = made
    for i in rt.range(n):
        alias.append(i)
    return made, len(made), made is alias


def in_a_closure(n):
    made = []

    def push(x):
        made.append(x)

    for i in rt.range(n):
        push(i)
    return made


def nested(n):
    rows = []
    for i in rt.range(n):
        row = []
        for j in rt.range(i):
            row.append(j * i)
        rows.append(rt.cast(len(row), rt.int32) * 10)
    return rows


def asked(n):
    made = []
    for i in rt.range(n):
        if not made or made[-1] < 3:
            made.append(i)
    if made:  # noqa: SIM108
        answer = len(made)
    else:
        answer = -1
    return answer


def broken_off(n):
    made = []
    for i in rt.range(10):
        if i >= n:
            break
        if i == 1:
            continue
        made.append(i)
    else:
        made.append(rt.constant(99))
    return made


def returned_early(n):
    made = []
    for i in rt.range(10):
        made.append(i)
        if i >= n:
            return made
    return made


def shapes(n):
    made = []
    for i in rt.range(n):
        made.append(rt.ones([2, 3]) * rt.cast(i, rt.float32))
    return rt.stack(made), rt.stack(made, axis=1), rt.stack(made, axis=-1), rt.concat(made, 0)


def ragged(n):
    made = [rt.zeros([0])]
    for i in rt.range(n):
        made.append(rt.ones([i]))
    return rt.concat(made, 0), made


def as_an_operand(n):
    made = [1.0]
    for i in rt.range(n):
        made.append(rt.cast(i, rt.float32))
    return rt.reduce_sum(made) + rt.constant(2.0) * made, rt.add_n(made), sum(made)


def rebound(n):
    made = []
    for i in rt.range(n):
        made = made + [i]  # noqa: RUF005
    return made


def unrolled(n):
    made = []
    for i in range(3):
        made.append(n * i)
    return made, len(made), [x + 1 for x in made], made[1], made == [], isinstance(made, list)


def mixed_while_python(n):
    made = []
    made.append("text")
    made.append(n)
    made.pop(0)
    for i in rt.range(n):
        made.append(i)
    return made


def optional(n):
    made = []
    last = None
    for i in rt.range(n):
        made.append(last if i % 2 == 0 else i)
        last = i
    count = 0
    for item in made:
        if item is None:
            count += 1
    return count


def passed_on(n):
    def total(items):
        return rt.add_n(items)

    made = [n]
    for i in rt.range(n):
        made.append(i)
    return total(made)


def searched_before_it_grows(n):
    made = []
    if n > 99:
        raise ValueError(n)
    else:
        made.append(n)
    return 3 in made, 4 not in made, n in made


def grown_by_an_operand(n):
    made = [1]
    n > 2 and made.append(3)
    return len(made)


def logged_by_a_generator(n):
    log = []
    return any(log.append(v) or v > n for v in [1, 2, 3]), len(log), log


def grown_under_another_name(n):
    made = [1, 2]
    other = made
    if n > 1:
        made += [3]
    return len(other), other


def searched(n):
    made = numbers_below(n)
    known = [1, 2]
    if n > 100:
        known.append(3)
    return 2 in made, n in made, 0 not in made, n in known


def searched_while_python_knows(n):
    made = [1, 2]
    for _ in range(2):
        made.append(3)
    return n in made, n * 5 in made, len(made)


def shown(n):
    made = [(n, 0.5)]
    made.pop()
    for i in rt.range(n):
        made.append((i, 1))
    if len(made) > 7:
        raise ValueError(made)
    return made


def in_a_while_of_python(n):
    made = []
    while len(made) < 4:
        made.append(n)
    while len(made) < n:
        made.append(made[-1] + 1)
    return made


def grown_by_a_callee(n):
    def push_all(items):
        for i in rt.range(n):
            items.append(i)

    made = []
    push_all(made)
    return made


def rebuilt_each_round(n):
    total = rt.constant(0)
    for i in rt.range(n):
        made = []
        for j in rt.range(i):
            made.append(i * j)
        total += rt.reduce_sum(made) if len(made) > 1 else -1
    return total


def comprehended(n):
    return [item + 1 for item in numbers_below(n)]


def made_by_a_comprehension(n):
    made = [n + i for i in range(3)]
    again = list(made)
    if n > 1:
        made.append(n)
        again.pop()
    return made, again


def queue(n):
    waiting = [n]
    seen = rt.constant(0)
    while len(waiting) > 0:
        now = waiting.pop(0)
        seen += 1
        if now > 1:
            waiting.append(now // 2)
            waiting.append(now // 3)
    return seen


def length_of_before(n):
    made = [n]
    total = rt.constant(0)
    for i in rt.range(n):
        before = len(made)
        made.insert(0, i)
        made.pop(0 if i % 2 == 0 else -1)
        made.append(i)
        total = total + before * 2
    before = len(made)
    made.insert(1, n)
    return total, before, made


def reversed_while_it_grows(n):
    made = numbers_below(n)
    for item in reversed(made):
        made.append(item * 10)
    return made


def enumerated_while_it_changes(n):
    made = numbers_below(n)
    for place, item in enumerate(made):
        if place < 3:
            made.append(item * 10)
    total = rt.constant(0)
    for place, item in enumerate(made):
        made.pop()
        total += item * place
    return made, total


def reversed_before_it_grows(n):
    made = numbers_below(n)
    backwards = reversed(made)
    made.append(n * 100)
    total = rt.constant(0)
    for item in backwards:
        total = total * 3 + item
    return total


def added_in_place_to_another(n):
    base = [1]
    alias = base
    held = {"base": [2]}
    other = held["base"]
    made = [2]

    def push():
        made.append(3)

    push()
    base += made
    held["base"] += made
    return alias, alias is base, other, held["base"] is other, [0] + made  # noqa: RUF005


def added_by_the_operator_module(n):
    base = [1]
    alias = base
    made = numbers_below(n)
    made.append(n)
    known = [2]
    if n > 99:
        known.append(3)
    other = [4]
    kept = [5]

    def push():
        kept.append(6)

    push()
    operator.iadd(base, kept)
    made.extend(made)
    return alias, alias is base, other, made, known


def by_methods_of_the_class(n):
    made = numbers_below(n)
    list.append(made, n)
    list.reverse(made)
    push = made.append
    for i in rt.range(2):
        push(i)
    return made, list.pop(made)


def asked_in_operands(n):
    made = numbers_below(n)
    total = rt.constant(0)
    while made:
        item = made.pop()
        if item == 2:
            break
        total += item
    found = 1 if n > 2 and made and made[-1] > 0 else 0
    either = 1 if not made or n > 2 else 0
    return total, found, either


def returned_on_several_paths(n):
    made = []
    for i in rt.range(n):
        made.append(i)
        if i > 1:
            return made
    return [n]


def copied_in_a_branch(n):
    made = [n]
    if n > 2:
        for i in rt.range(n):
            made = made[:]
            made.append(i)
    return made


def copied_in_nested_loops(n):
    made = [1]
    for _ in rt.range(n):
        for _ in rt.range(2):
            made = made[:]
            made.append(2)
    return made


def empty_slices(n):
    made = numbers_below(n)
    return made[3:1], made[n:0], made[n:], made[5:]


def extended_by_known_tensors(n):
    made = numbers_below(n)
    made.extend(rt.range(3))
    return made


def assigned_in_an_inner_loop(n):
    x = rt.constant(1)
    for _ in rt.range(n):
        made = []
        for j in rt.range(n):
            made.append(x + j)
            made[0] = x
            made[-1] += made[0]
        x = x + made[0] + made[-1]
    return x


def table(n):
    rows = []
    for i in rt.range(n):
        row = []
        for j in rt.range(n + 1):
            row.append(i * j)
            row[j] = row[j] + 1
        rows.append(rt.stack(row))
    return rt.stack(rows)


def of_another_dtype(n):
    made = []
    x = 0.5
    for _ in rt.range(n):
        made.append(x)
        x = x * 0.5
    return rt.convert_to_tensor(made, rt.float64)


HEIGHTS = [1, 2, 3]


def by_bound_methods(n):
    return HEIGHTS.__len__() + HEIGHTS.__getitem__(1) + n


def classes(n):
    made = [1]
    if n > 1:
        made.append(2)
    return made.__class__ is list, type(made) is list


def type_of(n):
    made = []
    for i in rt.range(n):
        made.append(i)
    return type(made) is list, isinstance(made, list), isinstance(made, (tuple, dict))


def of_one_text(n):
    made = []
    for _ in rt.range(n):
        made.append("text")
    made[0] = "other"
    return "other" in made, len(made)


def changed_while_iterated(n):
    made = [n]
    for item in made:
        if item > 0:
            made.append(item - 1)
    return made


def counted_while_it_grows(n):
    made = [1, 2, 3]
    total = 0
    for place, item in enumerate(made):
        if n > 0 and len(made) < 5:
            made.append(n)
        total += place * item
    return total


def left_while_it_grows(n):
    made = [9, n]
    rounds = 0
    for item in made:
        rounds += 1
        if item < 2:
            break
        if item < 9:
            made.append(item - 1)
    else:
        made.append(100)
    return made, rounds


def left_where_it_shrinks(n):
    made, places = [3, 1, 2], []
    for _ in rt.range(n):
        for place, item in enumerate(made, 1):
            if item <= n:
                if item == n:
                    made[place - 1] = item - 1
                else:
                    del made[place - 1]
                places.append(place)
                break
    return made, places


def filtered_while_it_grows(n):
    made = [1, 2, 3]
    total = 0
    for item in filter(lambda item: item != 2, made):
        if n > 0 and len(made) < 6:
            made.append(item + 1)
        total += item
    return total, made


def one_text_or_none_beside_numbers(n):
    made = [n]
    if n > 1:
        made.append((n, "b"))
    made.append((1, None))
    try:
        return len(made), made[-1]
    except IndexError:
        return -1


def grow(made, item):
    made.append(item)


def filled_by_a_callee_behind(n):
    held, given, other = [], [n], []
    for _ in rt.range(n):
        given.extend(other)
        other = held
    grow(held, n)
    return len(given)


def given(n, made=()):
    made = list(made)
    kept = {"made": made}
    for i in rt.range(n):
        kept["made"].append(i)
    return made


def copied_where_it_was_another(n):
    made, copy = [1], [2, 3]
    for i in range(n):
        made = made + made
        if i % 3 == 1:
            made.extend(made)
            copy = list(made)
    return made, copy


def reversed_while_python_knows(n):
    made = [1, 2, 3]
    total = 0
    for item in reversed(made):
        total += item
        if n > 0:
            made.append(4)
    return total


def columns(n):
    pairs = [(i, i * i) for i in range(n)]
    rows = [[i, n, 1.5] for i in range(n)]
    firsts, seconds = zip(*pairs)
    sums = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    turned = list(map(list, zip(*rows[::-1])))
    return list(firsts), sum(seconds), sums, turned, [max(a) for a, _ in zip(zip(*pairs), "ab")]


def columns_as_they_are_read(n):
    rows = [[i, i, i] for i in range(n)]
    totals = []
    for column in zip(*rows):
        totals.append(sum(column))
        rows[0][1] = 50
        rows.append([n, n, n])
    return totals, rows


def columns_of_chosen_rows(n):
    table = [[n, 1], [2, 3]]
    for i in range(n):
        if i % 2:
            table = [list(row) for row in zip(*table[::-1])]
    return table


def columns_of_rows_of_the_run(n):
    rows = [[i * j for j in range(n + i % 2)] for i in range(n + 1)]
    turned = list(map(list, zip(*rows)))
    for _ in range(n):
        rows = [list(row) for row in zip(*rows[::-1])]
    totals = []
    for at, (first, *others) in enumerate(zip(*rows)):
        totals.append(at * first + sum(others))
        if len(rows[0]) < 4:
            for row in rows:
                row.append(n)
    return turned, rows, totals, [max(column) for column in zip(*rows)]


def given_one_by_one(n):
    rows = [[i, n] for i in range(n)]
    items = [i % 3 for i in range(n + 1)]
    most = max(*items), min(*items, key=lambda item: -item)
    return most, list(itertools.chain(*rows)), sum(itertools.chain(*rows))


PAIRS = [(1, 2), (3, 4)]


def lists_by_map(n):
    pairs = [(i, n) for i in range(n)]
    made = list(map(list, pairs))
    made[0][1] = 5
    known = list(map(list, PAIRS))
    known[n % 2][0] += n
    first, second = map(sorted, PAIRS)
    if n > 1:
        first.append(n)
    return made, pairs, known, first, second, [row[0] for row in map(list, zip(*pairs[::-1]))]


def sorted_lists(n):
    large, small = [i for i in range(n + 2) if i > 1], [i for i in range(n + 2) if i < 3]
    both = [large, small]
    both.sort(reverse=True)
    both[0].append(9)
    known = [1, n, 5]
    others = [[i for i in known if i != each] for each in known]
    return both, sorted([large, [2, n], small]), large, sorted(others)


PROGRAMS = [
    lists_by_map, sorted_lists,
    columns, columns_as_they_are_read, columns_of_chosen_rows, columns_of_rows_of_the_run,
    given_one_by_one,
    copied_where_it_was_another, reversed_while_python_knows,
    changed_while_iterated, counted_while_it_grows, left_while_it_grows,
    left_where_it_shrinks, filtered_while_it_grows, of_one_text, one_text_or_none_beside_numbers,
    squares, countdown, evens_and_odds, texts_of_two_orders, further_texts, in_a_branch, popped,
    stack_machine, python_numbers,
    floats_of_python, pairs, iterated, appended_to_while_iterated, indexed, sliced, inserted,
    extended, cleared, deleted, copied, known_to_two_names, in_a_closure, nested, asked,
    broken_off, returned_early, shapes, ragged, as_an_operand, rebound, unrolled,
    mixed_while_python, optional, passed_on, grown_by_an_operand, logged_by_a_generator,
    grown_under_another_name, searched_before_it_grows, searched,
    searched_while_python_knows, shown,
    in_a_while_of_python, grown_by_a_callee, rebuilt_each_round, made_by_a_comprehension,
    comprehended, queue,
    length_of_before, reversed_while_it_grows, enumerated_while_it_changes,
    reversed_before_it_grows, added_in_place_to_another, added_by_the_operator_module,
    by_methods_of_the_class,
    asked_in_operands, returned_on_several_paths, copied_in_a_branch, copied_in_nested_loops,
    assigned_in_an_inner_loop, table, empty_slices, extended_by_known_tensors,
    of_another_dtype, by_bound_methods, classes, type_of, filled_by_a_callee_behind, given,
]  # fmt: skip


def plain(value: Any) -> Any:
    """A result as Python numbers and lists of them."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None else np.asarray(value).tolist()


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_graphs_do_as_python_does(program: Callable[[Any], Any], n: int) -> None:
    expected = plain(program(rt.constant(n)))
    staged = rt.function(program)
    assert plain(staged(rt.constant(n))) == expected
    assert plain(staged(rt.constant(n))) == expected
    assert (
        plain(staged.get_concrete_function(rt.TensorSpec([], rt.int32))(rt.constant(n))) == expected
    )


# Refused, and raised


def out_of_range(n):
    made = numbers_below(n)
    return made[7]


def numbers_below(n):
    made = []
    for i in rt.range(n):
        made.append(i)
    return made


def taken_from_an_empty_one(n):
    made = numbers_below(n)
    for _ in rt.range(4):
        made.pop()
    return len(made)


def assigned_out_of_range(n):
    made = numbers_below(n)
    made[n] = n
    return made


RAISING = {
    out_of_range: "list index out of range",
    taken_from_an_empty_one: "pop from empty list",
    assigned_out_of_range: "list assignment index out of range",
}


@pytest.mark.parametrize("program", RAISING, ids=lambda f: f.__name__)
def test_an_index_is_checked_by_the_run(program: Callable[[Any], Any]) -> None:
    with pytest.raises(IndexError) as expected:
        program(rt.constant(3))
    staged = rt.function(program)
    with pytest.raises(IndexError, match=RAISING[program]) as caught:
        staged(rt.constant(3))
    assert str(expected.value) == str(caught.value)
    assert caught.traceback[-1].name == program.__name__


def columns_of_no_rows(n):
    return [sum(column) for column in zip(*[(i, i) for i in range(n)])]


def larger_of_one(n):
    return max(*numbers_below(n))


@pytest.mark.parametrize("program", [columns_of_no_rows, larger_of_one])
def test_too_few_to_be_given_one_by_one_are_refused_by_the_run(
    program: Callable[[Any], Any],
) -> None:
    staged = rt.function(program)
    assert plain(staged(rt.constant(2))) == plain(program(2))
    for n in (0, 1) if program is larger_of_one else (0,):
        with pytest.raises(rt.errors.RefusedError, match="only the run knows") as caught:
            staged(rt.constant(n))
        assert __file__ in str(caught.value)


def printed_one_by_one(n):
    items = [i * i for i in range(n)]
    print(*items)
    print(*items, sep=", ", end="!")
    print(*items[1:], sep=None)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_items_are_printed_one_by_one(n: int, capsys: pytest.CaptureFixture[str]) -> None:
    printed_one_by_one(n)
    expected = capsys.readouterr().out
    rt.function(printed_one_by_one)(rt.constant(n))
    assert capsys.readouterr().out == expected


def unpacked(n):
    a, b = numbers_below(n)
    return a + b


def mapping_unpacked(n):
    a, b = map(lambda number: 2 * number + n, numbers_below(n))
    return a, b


def mapping_with_effects_unpacked(n):
    met = 0

    def noted(number):
        nonlocal met
        met += 1
        print(number)
        return number

    try:
        a, b = map(noted, numbers_below(n))
    except ValueError:
        a, b = -1, -1
    return a, b, met


def generator_with_effects_unpacked(n):
    met = []

    def noted(number):
        met.append(number)
        return -number

    try:
        a, b = (noted(number) for number in numbers_below(n) if number != 1)
    except ValueError:
        a, b = -1, -1
    return a, b, met


def pairs_unpacked(n):
    (i, a), (j, b) = enumerate(numbers_below(n))
    (c, d), (e, f) = zip(numbers_below(n), reversed(numbers_below(n)))
    low, high = filter(lambda number: number != 1, numbers_below(n + 1))
    return i, a, j, b, c, d, e, f, low, high


def starred_generator_unpacked(n):
    first, *others = (number + n for number in numbers_below(n))
    return first, others


def generator_with_a_test_unpacked(n):
    low, high = (each for each in [n, 2, 3 - n] if each > 1)
    return low, high


def generator_unpacked(n):
    made = (number * n for number in numbers_below(n))
    a, b = made
    return a + b


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(
    "program",
    [
        *(unpacked, mapping_unpacked, mapping_with_effects_unpacked, pairs_unpacked),
        *(generator_unpacked, generator_with_effects_unpacked, starred_generator_unpacked),
        generator_with_a_test_unpacked,
    ],
)
def test_unpacking_checks_the_length_as_python_does(
    program: Any, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = attempt(lambda: program(n))
    printed = capsys.readouterr().out
    staged = rt.function(lambda n: program(int(n)))
    got = attempt(lambda: staged(rt.constant(n)))
    assert same_outcome(expected, got), (expected, got)
    assert capsys.readouterr().out == printed


def of_values(n):
    made = []
    for _ in rt.range(n):
        made.append(...)
    return len(made)


def of_dicts(n):
    made = []
    for i in rt.range(n):
        made.append({"i": {i}})
    return len(made)


def of_two_dtypes(n):
    made = []
    for i in rt.range(n):
        made.append(i)
        made.append(rt.cast(i, rt.float32))
    return made


def _added_to(made, items, n):
    total = 0
    for item in items:
        if n > 0 and len(made) < 5:
            made.append(n)
        total += item
    return total


def mapped_while_it_grows(n):
    made = [1, 2, 3]
    return _added_to(made, map(lambda item: item * 10, made), n)


def chained_while_it_grows(n):
    made = [1, 2, 3]
    return _added_to(made, itertools.chain(made, [50]), n)


def repeated_while_it_grows(n):
    made = [1, 2]
    total = 0
    for item in itertools.cycle(made):
        total += item
        if n > 0 and len(made) < 4:
            made.append(n)
        if total > 9:
            break
    return total


def an_iterator_listed_twice(n):
    pairs = enumerate(rt.stack([n, n]))
    return list(pairs), list(pairs)


def an_iterator_summed_twice(n):
    numbers = map(lambda item: item + 1, rt.stack([n, n]))
    return sum(numbers), sum(numbers)


def an_iterator_beside_itself(n):
    numbers = reversed(rt.stack([n, n]))
    return list(zip(numbers, numbers, strict=False))


def an_iterator_twice(n):
    pairs = enumerate(rt.range(n))
    total = rt.constant(0)
    for _, item in pairs:
        total += item
    for _, item in pairs:
        total += item
    return total


def an_iterator_in_each_round(n):
    pairs = enumerate(rt.range(n))
    total = rt.constant(0)
    for _ in range(n):
        for _, item in pairs:
            total += item
    return total


def an_iterator_extends_twice(n):
    pairs = enumerate(rt.range(3))
    made = numbers_below(n)
    made.extend(pairs)
    made.extend(pairs)
    return made


def value_of_an_operand(n):
    made = numbers_below(n)
    found = n > 2 and made
    return found.copy()


REFUSED = {
    mapped_while_it_grows: "a round of a loop over a list changes it",
    chained_while_it_grows: "a round of a loop over a list changes it",
    repeated_while_it_grows: "a round of a loop over a list changes it",
    an_iterator_listed_twice: "an iterator made by enumerate\\(\\) is used a second time",
    an_iterator_summed_twice: "an iterator made by map\\(\\) is used a second time",
    an_iterator_beside_itself: "an iterator made by reversed\\(\\) is used a second time",
    an_iterator_twice: "an iterator made by enumerate\\(\\) is used a second time",
    an_iterator_in_each_round: "an iterator made by enumerate\\(\\) is used a second time",
    an_iterator_extends_twice: "differ|do not fit|used a second time",
    value_of_an_operand: "the value of `and` is used.*one is a list and the other is not",
    of_values: "'made' cannot be joined.*its items are Python values",
    of_dicts: "'made' cannot be joined.*could be changed in place",
    of_two_dtypes: "its dtype is int32 on one path and float32 on the other",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda f: f.__name__)
def test_what_only_python_can_do_is_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises((ValueError, TypeError), match=REFUSED[program]) as caught:
        rt.function(program)(rt.constant(3))
    assert __file__ in str(caught.value)


def indexed_by_a_vector(n):
    return numbers_below(n)[rt.constant([0])]


def indexed_by_text(n):
    return numbers_below(n)["a"]


def added_to_a_tuple(n):
    return numbers_below(n) + (1,)  # noqa: RUF005


def attribute_of_none(n):
    return numbers_below(n).size


def popped_by_keyword(n):
    return numbers_below(n).pop(index=0)


@pytest.mark.parametrize(
    "program",
    [indexed_by_a_vector, indexed_by_text, added_to_a_tuple, attribute_of_none, popped_by_keyword],
)
def test_what_python_refuses_is_refused(program: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, AttributeError)) as expected:
        program(rt.constant(3))
    with pytest.raises(expected.type):
        rt.function(program)(rt.constant(3))


class Holder:
    pass


HOLDER = Holder()


def kept_outside(n):
    HOLDER.items = [[i] for i in range(n)]
    return n


def test_a_list_of_lists_of_a_graph_does_not_stay_outside() -> None:
    with pytest.raises(autograph.StagingError, match=r"HOLDER\.items .*a list is put there"):
        rt.function(kept_outside)(rt.constant(3))
    assert vars(HOLDER) == {}


def test_extending_keeps_what_came_before_an_exception() -> None:
    def two() -> Any:
        yield 1
        yield 2
        raise KeyError("over")

    def extended_by_part(n):
        made = [n]
        if n > 99:
            made.append(n)
        try:  # noqa: SIM105
            made.extend(two())
        except KeyError:
            pass
        return made

    expected = plain(extended_by_part(rt.constant(3)))
    assert expected == [3, 1, 2] == plain(rt.function(extended_by_part)(rt.constant(3)))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_each_item_of_a_repeated_list_has_its_gradient(n: int) -> None:
    def total(x, n):
        found = 0.0
        for item in [x, x * 2.0] * n:
            found += item
        return found

    x = rt.constant(3.0)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = rt.function(total)(x, rt.constant(n))
    assert [float(y), float(tape.gradient(y, x))] == [9.0 * n, 3.0 * n]


def place_of_one(numbers, item):
    items = []
    for number in numbers:
        items.append(number)
    return item in items, item not in items, items.index(item)


def place_of_a_number(numbers, item):
    items = []
    for number in numbers:
        items.append(int(number) % 50)
    return int(item) in items, items.index(int(item)), 0.5 in items, 3.0 in items, True in items


@pytest.mark.parametrize("function", [place_of_one, place_of_a_number])
@pytest.mark.parametrize("dtype", [rt.int32, rt.int64, rt.uint8, rt.float32, rt.float64])
@pytest.mark.parametrize("size", [0, 1, 40, 100])
def test_the_place_of_a_number(function: Callable[..., Any], dtype: Any, size: int) -> None:
    staged = rt.function(function)
    numbers = (np.arange(size) * 7 % 40).astype(dtype.np_dtype)
    for given in (0, 3, 35, 39, 41):
        item = numbers.dtype.type(given)
        expected = attempt(lambda item=item: function(numbers.tolist(), item.item()))
        got = attempt(lambda item=item: staged(rt.constant(numbers), rt.constant(item)))
        assert same_outcome(expected, got), given
