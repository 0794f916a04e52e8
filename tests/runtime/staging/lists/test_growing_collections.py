"""Sets, deques and dicts with staged items and keys, and lists of attributes: as in Python."""

from __future__ import annotations

import copy
import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import pytest

import runtime as rt
from autograph import StagingError
from runtime.graph.ir import walk
from tests.support.staging import as_python, assert_as_in_python, attempt, same_outcome

SETS = ("add", "discard", "remove", "update")
DEQUES = ("append", "appendleft", "extend", "pop", "popleft", "rotate")
MAKING = {"set": "set([{}])", "deque": "deque([{}])", "bounded": "deque([{}], 3)"}


def random_program(chance: random.Random, kind: str) -> str:
    """A function of `x` and `y` that changes a set or deque under staged tests."""
    operands = ("x", "y", "x + y", "1", "2", "x - 1")
    items = ", ".join(chance.sample(["0", "1", "2"], 2))
    lines = [f"    items = {MAKING[kind].format(items)}"]
    for _ in range(chance.randrange(2, 6)):
        method = chance.choice(SETS if kind == "set" else DEQUES)
        item = chance.choice(operands)
        call = {
            "update": f"items.update(({item}, {chance.choice(operands)}))",
            "extend": f"items.extend(range({item}, {chance.choice(operands)}))",
            "pop": "last = items.pop()",
            "popleft": "last = items.popleft()",
        }.get(method, f"items.{method}({item})")
        before = chance.choice(("", "if x > y:", "if x in items:", "for k in range(y):"))
        before = before or ("if len(items) > 0:" if "pop" in call else "")
        lines += [f"    {before}", f"        {call}"] if before else [f"    {call}"]
    order = "sorted(items)" if kind == "set" else "list(items)"
    return "\n".join([
        "def f(x, y):", *lines, f"    return len(items), sum(items), y in items, {order}",
    ])  # fmt: skip


@pytest.mark.parametrize("kind", MAKING)
@pytest.mark.parametrize("seed", range(25))
def test_random_changes(kind: str, seed: int, tmp_path: Any) -> None:
    chance = random.Random(seed)
    source = random_program(chance, kind)
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    names: dict[str, Any] = {"deque": deque}
    exec(compile(source, str(path), "exec"), names)
    function = names["f"]
    assert_as_in_python(function, (0, 1), (2, 1), (1, 3), (-1, 0))


KNOWN = (
    *("set(TABLE)", "{{*TABLE, {n}}}", "set(range({n}, 90, 7))", "{{k for k in TABLE}}"),
    *("{{{n}, 1000000, 5, -1, -2}}", "{{({n}, 1), (1, 0), (0, -1), (-1, 0)}}"),
)
CHANGES = (
    *("a.add({n})", "a.discard({n})", "a.update(TABLE)", "a.update([{n}, {n} * 3])"),
    *("a |= b", "a -= {{16, {n}}}", "a &= {{*TABLE, *b}}", "a = b - {{33, {n}}}", "a = a | b"),
    *("a = set(b)", "a = b.copy()", "a = {{*b, {n}}}", "a = set(dict.fromkeys(b, 0))"),
    *("a = set(frozenset(b) | {{5}})", "a.intersection_update(b)", "b.update(TABLE)"),
    *("c = frozenset([*b, {n}])", "c = c - {{33}}", "c |= {{1, {n}}}", "out += list(c)"),
    *("while len(a) > 4: out.append(a.pop())", "for k in a: out.append(k)", "out += list(a)"),
)


@pytest.mark.parametrize("seed", range(40))
def test_sets_that_python_knows_have_its_order(seed: int, tmp_path: Any) -> None:
    chance = random.Random(seed)
    makings, changes = chance.choices(KNOWN, k=2), chance.choices(CHANGES, k=6)
    lines = ["a = " + makings[0], "b = " + makings[1], "c = frozenset(b)", "out = []", *changes]
    lines = [line.format(n=chance.randrange(120)) for line in lines]
    lines += ["if x > 0: out.append(0)", "return list(a), list(b), list(c), out"]
    path = tmp_path / "program.py"
    path.write_text("\n    ".join(["def f(x):", *lines]), encoding="utf-8")
    names: dict[str, Any] = {"TABLE": dict.fromkeys((16, 33, 2, 51, 20, 37, 6))}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    assert as_python(rt.function(names["f"])(rt.constant(1))) == names["f"](1), lines


def by_path(making: str, change: str, ask: str) -> str:
    return f"a = {making}\n    out = 0\n    if x > 0: {change}\n    else: {ask}\n    return out"


@pytest.mark.parametrize(
    ("program", "refused"),
    [
        (by_path("set(TABLE)", "out = list(a)[0]", "a.add(7); out = list(a)[0]"), False),
        (by_path("set(TABLE)", "a.add(7)", "a.discard(9); out = len(list(a))"), False),
        (by_path("set(TABLE)", "a.add(7)", "b = a | {9}; out = list(b)[0]"), False),
        (by_path("set(TABLE)", "a.add(7)", "b = a.copy(); out = b.pop()"), False),
        (by_path("set(TABLE)", "a.discard(9)", "out = list(a)[0]"), False),
        (by_path("set([*TABLE])", "a.add(7)", "out = list(a)[0]"), True),
        (by_path("set(TABLE)", "a.add(7)", "a.add(9); out = len(a)"), False),
        (by_path("{8}", "a.add(7)", "a.discard(9); out = list(a)[0]"), False),
        ("a = {8, 0, 16}\n    if x > 0: a |= {1, 2, 3}; a -= {1, 2, 3}\n    return list(a)", True),
        ("a = {8, 0, 16}\n    if x > 0: a |= {1, 2, 3}; a -= {1, 2, 3}\n    return len(a)", False),
    ],
)
def test_the_order_of_sets_that_a_path_changes(program: str, refused: bool, tmp_path: Any) -> None:
    path = tmp_path / "program.py"
    path.write_text(f"def f(x):\n    {program}\n", encoding="utf-8")
    names: dict[str, Any] = {"TABLE": dict.fromkeys((16, 33, 2, 51, 20, 37, 6))}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    staged = rt.function(names["f"])
    if refused:
        with pytest.raises(StagingError, match="a block has changed it that not every path takes"):
            staged(rt.constant(1))
        return
    for x in (1, -1):
        assert as_python(staged(rt.constant(x))) == names["f"](x)


def add_what_is_no_key(x):
    items = {1, 2}
    try:
        items.update([5, [2], 7])
    except TypeError:
        x += 1
    if x > 0:
        items.add(x)
    return sorted(items)


def test_items_in_front_of_one_that_is_no_key_are_added() -> None:
    got = as_python(rt.function(add_what_is_no_key)(rt.constant(3)))
    assert got == add_what_is_no_key(3)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "copy": lambda items: items.copy(),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "sum": lambda items: items + items,
    "product": lambda items: 2 * items * 1,
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("grows", [False, True])
@pytest.mark.parametrize("most", [None, 2, 4])
def test_what_is_made_of_a_deque_is_one(name: str, grows: bool, most: int | None) -> None:
    def program(n: Any) -> Any:
        items = deque([n, 1], most)
        if grows:
            for i in range(n):
                items.append(i)
        made = OTHERS[name](items)
        is_equal = made == items
        made.appendleft(5)
        if 1 in made:
            made.remove(1)
        del made[1]
        return isinstance(made, deque), is_equal, made.maxlen, list(made), list(items)

    assert_as_in_python(program, 1, 3)


def full(n):
    recent = deque((n, n), 2)
    for i in range(n):
        recent.append(i)
    try:
        recent.insert(0, n)
    except IndexError:
        return -1, list(recent)
    return 1, list(recent)


def of_three_at_most(n):
    recent, none = deque(maxlen=3), deque(maxlen=0)
    for i in range(n):
        recent.extend([i, i + 1])
        none.append(i)
        if len(recent) == recent.maxlen:
            recent.reverse()
    return list(recent), len(none), deque(recent) == recent, deque(recent, 1)[0]


def of_so_many_at_most(n):
    last, first = deque([9, 8, 7], maxlen=n), deque(maxlen=n + 1)
    for i in range(4):
        last.append(i)
        first.appendleft(i)
        if len(last) == last.maxlen:
            last.rotate(1)
    last.extend([4, 5])
    first.extendleft([6, 7])
    return list(last), list(first), last.maxlen, len(last), first[-1], list(first + last)


def means_of_windows(n):
    means = []
    for i in range(1, 4):
        window, total = deque(maxlen=n), 0
        for x in range(2 * i):
            if len(window) == window.maxlen:
                total -= window.popleft()
            window.append(x)
            total += x
        means.append(total / len(window))
    return means


def less_than_none_at_most(n):
    return len(deque([n], n - 3))


def filled_by_a_call(n):
    recent = deque(maxlen=n)

    def fill(x):
        if x > 0:
            recent.append(x)
            fill(x - 1)

    fill(2 * n)
    return list(recent)


def a_deque_beside_a_list(n):
    recent = deque([n])
    for i in range(n):
        recent.append(i)
    return recent + [n]  # noqa: RUF005


def a_list_beside_a_deque(n):
    recent = deque([n])
    for i in range(n):
        recent.append(i)
    return [n] + recent  # noqa: RUF005


def a_slice_of_a_deque(n):
    recent = deque([n])
    for i in range(n):
        recent.append(i)
    return list(recent[1:])


def sorted_in_place(n):
    items = deque([3, n])
    items.append(n)
    items.sort()
    return items[0]


def longer_in_each_round(n):
    items = deque([n, 2, 3])
    for x in items:
        items.append(x)
    return len(items)


def longer_in_some_rounds(n):
    items, others = deque([1, 2, 3]), deque()
    for i in range(n):
        others.append(i)
    for x in others:
        if x == 3:
            others.append(x)
    for i, x in enumerate(items):
        items[0] = i
        if x > n + 2:
            items.append(x)
    return len(items), len(others)


def shorter_in_the_last_round(n):
    items, others = deque([1, 2, 3]), deque([8])
    for x in items:
        if x >= n:
            items.remove(x)
            break
    for i in range(n):
        others.append(i)
    for x in others:
        if x == 1:
            others.remove(x)
            break
    return list(items), list(others)


def one_of_several(n):
    waiting = [deque([1, 2], 4), deque([3], 4)]
    line, first = waiting[n % 2], waiting[0]
    line.appendleft(5)
    line.extendleft([6, 7])
    line.rotate(n)
    line.append(line.popleft() * 10 + line.pop())
    return [list(each) for each in waiting], line is first, isinstance(line, deque), line.maxlen


def one_of_several_until_it_is_empty(n):
    waiting = [deque(), deque([n])]
    for i in range(n):
        waiting[i % 2].append(i)
    while waiting[n % 2]:
        n = n * 2 + waiting[n % 2].popleft()
    return waiting[n % 2].popleft()


def a_set_is_larger_in_each_round(n):
    items = {1, 2}
    for x in items:
        items.add(x + 5)
    return len(items) + n


@pytest.mark.parametrize(
    "program",
    [
        full,
        *(longer_in_each_round, longer_in_some_rounds, shorter_in_the_last_round),
        *(a_set_is_larger_in_each_round, one_of_several, one_of_several_until_it_is_empty),
        of_three_at_most,
        *(of_so_many_at_most, means_of_windows, less_than_none_at_most, filled_by_a_call),
        a_deque_beside_a_list,
        a_list_beside_a_deque,
        a_slice_of_a_deque,
        sorted_in_place,
    ],
)
def test_deques_are_pythons(program: Callable[..., Any]) -> None:
    staged = rt.function(program)
    for n in (0, 1, 3, 4):
        expected = attempt(lambda: program(n))  # noqa: B023
        got = attempt(lambda: staged(rt.constant(n)))  # noqa: B023
        if isinstance(expected, TypeError):
            assert str(expected) in str(got)
        assert same_outcome(expected, got), (n, expected, got)


def test_a_printed_deque_has_its_maxlen(capsys: pytest.CaptureFixture[str]) -> None:
    def program(n):
        recent = deque([7, 8, 9], maxlen=2)
        recent.append(1)
        print(recent, n)

    staged = rt.function(program)
    for n in (3, rt.constant(3)):
        program(n)
        expected = capsys.readouterr().out
        staged(n)
        assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    "printed",
    [
        lambda n: print(deque(maxlen=n)),
        lambda n: print(deque([n])),
        lambda n: print(deque([(1, n)])),
        lambda n: print(deque([[1, [n]]])),
    ],
)
def test_a_printed_deque_holds_no_symbols(printed: Callable[[Any], Any]) -> None:
    with pytest.raises(StagingError, match="a deque that holds staged values"):
        rt.function(printed)(rt.constant(3))


def classes_of(items):
    asked = list, set, deque, dict, tuple, Iterable, Sequence, (list, dict)
    return [isinstance(items, kind) for kind in asked]


def pattern_of(items):
    match items:
        case [_, *rest]:
            return "sequence", len(rest), isinstance(rest, list)
        case {}:
            return "mapping"
        case set():
            return "set"
        case list() | deque():
            return "empty"
    return "other"


def classes(n):
    some, last, recent = set(), deque(), deque(maxlen=2)
    before = [classes_of(some), classes_of(last), classes_of(recent), classes_of({n})]
    for i in range(n):
        some.add(i)
        last.append(i)
        recent.append(i)
    return before, [classes_of(some), classes_of(last), classes_of(recent)]


def patterns(n):
    some, last, items, table = set(), deque((n,)), [n], {}
    before = [pattern_of(some), pattern_of(last), pattern_of({n}), pattern_of(table)]
    for i in range(n):
        some.add(i)
        last.append(i)
        items.append(i)
        table[i] = i
    return before, [pattern_of(some), pattern_of(last), pattern_of(items), pattern_of(table)]


def guarded(n):
    some = {n}
    some.add(2)
    if not isinstance(some, list):
        raise TypeError("no list")
    return 1


def of_another_maxlen(n):
    short, long = deque([n], 2), deque([n], 3)
    recent = short if n > 1 else long
    return recent.maxlen, list(recent)


def a_deque_or_a_list(n):
    last, items = deque([n]), [n]
    chosen = last if n > 1 else items
    return isinstance(chosen, list)


def a_set_or_a_list(n):
    some, items = {n}, [n]
    some.add(1)
    chosen = some if n > 1 else items
    return isinstance(chosen, list)


def a_frozenset_or_a_set(n):
    fixed, some = frozenset((1, n)), {1, n}
    chosen = fixed if n > 1 else some
    return isinstance(chosen, set)


def a_tuple_or_a_list(n):
    row, items = tuple(range(n)), [n]
    chosen = row if n > 1 else items
    return isinstance(chosen, list)


def frozensets_that_grow(n):
    done, first, owned, order = frozenset(), frozenset({1}), frozenset({2, 3}), []
    kept = first
    for i in range(n + 2):
        if i * 2 % 3 not in done:
            done |= {i * 2 % 3}
            order.append(i)
        first = first | frozenset([i])
        if i == 2:
            kept = first
    if n > 1:
        owned = owned - {2}
    at = {frozenset({1}): 5}[frozenset({1})]
    return (
        *(order, sorted(done), done == {0, 1, 2}, isinstance(done, frozenset), at),
        *(sorted(kept), sorted(first), first > kept, sorted(owned), len(owned), 3 in owned),
    )


def frozensets_as_keys(n):
    """As long as Python knows their items."""
    one, places = frozenset({1}), {}
    for i in range(3):
        places[one, i] = i
        one = one | {i}
    met = {one, frozenset({2, 1, 0})}
    return len(places), places[frozenset({1}), 0] + n, len(met), frozenset({0, 1, 2}) in met


def frozensets_given(n):
    def closed(items, k):
        return items if k < 1 else closed(items | {k}, k - 1)

    best = frozenset()
    for i in range(n):
        found = frozenset({i, i * 2})
        if len(found) >= len(best):
            best = found
    return sorted(closed(frozenset(), n)), sorted(best), best == frozenset({n - 1, 2 * n - 2})


def intersections_that_grow(n):
    common = {n, 2, 3} & {n + 1, 3}
    other = common
    common.add(9)
    some = {n, 4} ^ {4, 5}
    some |= {n * 2}
    known = {1, 2, n} - {n}
    if n > 2:
        known.discard(2)
    return sorted(common), sorted(some), sorted(known), other is common, len(other)


@pytest.mark.parametrize(
    "program",
    [
        *(frozensets_that_grow, frozensets_as_keys, frozensets_given, intersections_that_grow),
        *(classes, patterns, guarded, of_another_maxlen, a_deque_or_a_list, a_tuple_or_a_list),
        *(a_set_or_a_list, a_frozenset_or_a_set),
    ],
)
def test_collections_are_of_pythons_classes(program: Callable[..., Any]) -> None:
    assert_as_in_python(program, 1, 3)


TABLE = {1: 10, 2: 20, 5: 50}


def entries(n):
    table = {1: 10, 2: 20, 5: 50}
    table[n] = table[n] + 1
    table[n] += 5
    return sum(table.values()), table[5], max(table.values())


def entries_of_tensors(n):
    table = {0: n * 2, 3: n + 1}
    return table.get(n, -1), n in table, n - 3 in table


def global_entries(n):
    return TABLE[n] if n in TABLE else TABLE.get(n, 7)


def floats(n):
    return {0.5: 1, 2: 3}.get(n, 0), {1: 1.5, 2: 2.5}[n]


def texts_among_the_keys(n):
    return {"a": 1, 1: 2, 2: 5}[n]


LISTS = {1: [4, 5], 2: [6, 7, 8]}


def lists_with_a_default(n):
    return LISTS.get(n, [0])[-1], len(LISTS.get(n, []))


def counted(n):
    counts = Counter({0: 1, 1: 5})
    counts[n % 2] += 1
    return counts[0], counts[1], counts[n]


def with_a_factory(n):
    sums = defaultdict(int, {0: 1, 1: 2})
    for i in range(n):
        sums[i % 2] += i
    return sums[0], sums[1]


PROGRAMS = (
    entries, entries_of_tensors, global_entries, floats, texts_among_the_keys,
    lists_with_a_default, counted, with_a_factory,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("dtype", [rt.int32, rt.int64])
def test_staged_keys(program: Callable[..., Any], dtype: Any) -> None:
    assert_as_in_python(program, 0, 1, 2, 3, 5, dtype=dtype)


def new_entry(n):
    tables = [{1: 1}]
    table = tables[0]
    table[n] = 2
    return len(table)


def test_a_new_key_is_an_error_of_the_run() -> None:
    staged = rt.function(new_entry)
    assert int(staged(rt.constant(1))) == 1
    with pytest.raises(rt.errors.RefusedError, match="a graph cannot add it") as caught:
        staged(rt.constant(2))
    assert f"{__file__}:{new_entry.__code__.co_firstlineno + 3}" in str(caught.value)
    assert "; make the dict for a name of the function" in str(caught.value)


def ordered(n):
    items = set()
    for i in range(n):
        items.add(i)
    items.discard(n)
    return [item for item in items]


def taken(n):
    items = {1, 2}
    items.add(n)
    return items.pop()


def ordered_before(n):
    items = {n, 2, 3}
    known = list(items)
    items.discard(n)
    return known


def changed_in_a_loop(n):
    items = deque(range(n))
    for item in items:
        if len(items) < 9:
            items.append(item)


def changed_in_a_numbered_loop(n):
    items = deque([1, 2])
    for i, _ in enumerate(items):
        if n > 1:
            items.append(i)


def changed_in_the_last_round(n):
    items = deque([1, 2])
    for item in items:
        if item == n:
            items.append(5)


def changed_before_a_break(n):
    items = deque([1, 2, 3])
    for item in items:
        if item == n:
            items.append(5)
            break
    return len(items)


def beside_what_the_run_knows(n):
    last, some, table, total = deque(), set(), {}, 0
    for i in (1, 2, 3):
        last.append(i)
        some.add(i)
        table[i] = i + 3
    for a, b, (key, value), i in zip(last, some, table.items(), rt.range(n), strict=False):
        total = total + a * b * key * value * i
        table[2] = 9
    return total


def grown_beside_what_the_run_knows(n):
    items = deque([1])
    for a, _ in zip(items, rt.range(n), strict=False):
        items.append(a)


def times(n):
    items = ()
    for i in range(n):
        items = (*items, i)
    return isinstance(len(items) * items, tuple), len(len(items) * items)


def a_deque_times(n):
    items = deque([1], maxlen=3)
    items.append(2)
    items = n * items
    return isinstance(items, deque), len(items)


def a_set_times(n):
    items = {1, 2}
    items.add(3)
    return 3 * items


def a_set_and_a_list(n):
    items = {1, 2}
    items.add(3)
    return items + [n]  # noqa: RUF005


def a_list_and_a_set(n):
    items = {1, 2}
    items.add(3)
    return [n] + items  # noqa: RUF005


def a_set_of_several_kinds(n):
    seen = {n, "a"}
    if n > 1:
        seen.add(None)
        seen.add((n, "b"))
    seen.add((1, None))
    asked = n, 1, n > 9, "a", "b", None, (n, "b"), (1, "b"), (1, None), (1,), (0, None)
    found = [item in seen for item in asked]
    if None in seen:
        seen.discard(n)
    return found, len(seen), n in seen, "a" in seen


def an_item_of_a_set(n):
    items = {1, 2}
    items.add(3)
    items[0] = n


@pytest.mark.parametrize(
    "program",
    [
        *(changed_in_a_loop, changed_in_a_numbered_loop, changed_in_the_last_round),
        *(changed_before_a_break, beside_what_the_run_knows),
        *(grown_beside_what_the_run_knows, times, a_deque_times, a_set_times, a_set_and_a_list),
        *(a_list_and_a_set, an_item_of_a_set, a_set_of_several_kinds),
    ],
)
def test_stand_ins_do_what_pythons_own_do(program: Callable[..., Any]) -> None:
    assert_as_in_python(program, 1, 2, 3)


@pytest.mark.parametrize("join", [rt.stack, lambda rows: rt.concat(rows, 0), rt.add_n])
@pytest.mark.parametrize("kind", [tuple, deque])
def test_sequences_of_the_run_are_joined(join: Callable[..., Any], kind: type) -> None:
    def rows(n):
        made = []
        for i in range(n):
            made.append(rt.fill([2], i))
        return join(kind(made))

    want = rt.convert_to_tensor(rows(3))
    assert rt.function(rows)(rt.constant(3)).numpy().tolist() == want.numpy().tolist()


def caught(x: Any, rows: Any) -> Any:
    try:
        return rt.concat(rows, 0)
    except ValueError:
        return x * 5


@pytest.mark.parametrize("join", [lambda x, rows: rt.concat(rows, 0), caught])
def test_a_list_without_items_is_not_joined(join: Callable[..., Any]) -> None:
    def program(n: Any, x: Any) -> Any:
        made = []
        for i in range(n):
            made.append(x * i)
        return join(x, made)

    check_empty(program)


def test_a_list_without_items_has_no_sum() -> None:
    def program(n: Any, x: Any) -> Any:
        made = []
        for i in range(n):
            made.append(x * i)
        return rt.add_n(made)

    check_empty(program)


def check_empty(program: Callable[..., Any]) -> None:
    x, staged = rt.constant([1.0, 2.0]), rt.function(program)
    for n in (2, 0):
        expected = attempt(lambda n=n: program(n, x))
        got = attempt(lambda n=n: staged(rt.constant(n), x))
        assert same_outcome(expected, got), (n, expected, got)


def different(x: Any) -> Any:
    found = set()
    for item in x:
        found.add(item)
    return len(found)


def test_an_item_that_is_there_copies_no_set() -> None:
    """The loop writes items in its branch alone."""
    given = rt.constant([3, 1, 3, 3])
    staged = rt.function(different)
    assert int(staged(given)) == 2
    graph = staged.get_concrete_function(given).graph
    (body,) = [node.regions[-1] for node in graph.body.nodes if node.primitive.name == "while"]
    writes = [[node for node in nodes if node.primitive.name in ("list_set", "list_push")]
              for nodes in (body.nodes, walk(body))]  # fmt: skip
    assert [len(each) for each in writes] == [0, 1]


def test_a_set_is_no_tensor() -> None:
    def made(n):
        items = {1, 2}
        items.add(3)
        return n * rt.convert_to_tensor(items)

    for call in made, rt.function(made):
        with pytest.raises(TypeError, match=r"Cannot convert a .*set to a tensor"):
            call(rt.constant(1))


def joined_before(n):
    items = {n, 2, 3} | {7}
    return [item + 1 for item in items]


def raised(n):
    raise ValueError(deque([n]))


def another_list_in_each_round(n):
    items = [n]
    for i in range(n):
        items = deque(items) if i % 2 == 0 else [*items, 1]
    return len(items)


def returned(n):
    items = deque()
    if n > 0:
        items.append(n)
    return items


def smaller_in_a_round(n):
    items = {1, 2, 3}
    for x in items:
        if x > n:
            items.discard(x)
    return len(items)


def renewed_items_of_a_set(n):
    items, found = {1, 2, 3}, []
    for x in items:
        found.append(x)
        items.discard(x)
        items.add(x + 10)
    return found, n


def turned_in_a_round(n):
    items = deque([1, 2, 3])
    for x in items:
        if x > n:
            items.rotate()
    return list(items)


def moved_in_a_round_of_the_run(n):
    items = deque()
    for i in range(n):
        items.append(i)
    for x in items:
        if x == 1:
            items.append(items.popleft())
    return list(items)


def renewed_in_a_round(n):
    items = deque([1, 2, 3])
    for _ in items:
        known = list(items)
        items.clear()
        items.extend(known)
    return len(items) + n


def full_in_a_round(n):
    items = deque(range(n), maxlen=2)
    for x in items:
        items.append(x)
    return list(items)


_TURNED = "a round of a loop over a deque changes its items.*for item in list"


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        (smaller_in_a_round, StagingError, "a round of a loop over a set changes its items"),
        (renewed_items_of_a_set, StagingError, "a round of a loop over a set changes its items"),
        (turned_in_a_round, StagingError, _TURNED),
        (moved_in_a_round_of_the_run, StagingError, _TURNED),
        (renewed_in_a_round, StagingError, _TURNED),
        (full_in_a_round, StagingError, _TURNED),
        (ordered, StagingError, "asks for their order"),
        (taken, StagingError, "asks for their order"),
        (ordered_before, StagingError, r"loses items.* asks for their order \(.*:\d"),
        (joined_before, StagingError, r"asks for their order.* loses items or is joined \(.*:\d"),
        (raised, StagingError, "a deque that holds staged values is printed or raised"),
        (returned, TypeError, "is a deque"),
        (another_list_in_each_round, StagingError, "one is a deque and the other a list"),
    ],
)
def test_refused(program: Callable[..., Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"(?s){words}") as caught:
        rt.function(program)(rt.constant(2))
    assert __file__ in str(caught.value)


def test_a_deque_that_python_knows_is_shown_as_one(capfd: Any) -> None:
    def shown(n):
        items = deque(range(n))
        for _ in range(n):
            items.append(items.popleft())
        known = deque([1])
        known.append(2)
        print(known, f"{known}")
        return items

    shown(3)
    expected = capfd.readouterr().out

    @rt.function
    def staged(n):
        return list(shown(n))

    assert [int(item) for item in staged(rt.constant(3))] == list(shown(3))
    assert capfd.readouterr().out == expected * 2


class Place(NamedTuple):
    row: int
    column: int


PLACES = {Place(1, 1): 5, Place(2, 0): 6}
PAIRS = {(1, 1): 5, (2, 0): 6}


@pytest.mark.parametrize(
    "function",
    [
        lambda row, column: PLACES[Place(row, column)],
        lambda row, column: Place(row, column) in PLACES,
        lambda row, column: (row, column) in PLACES,
        lambda row, column: PAIRS.get(Place(row, column), -1),
        lambda row, column: {Place(1, 1): 5}.get(Place(row, column)) is None,
        lambda row, column: {Place(1, column): 5}.get(Place(row, 1), 0),
    ],
)
def test_named_tuples_find_entries_of_known_dicts(function: Any) -> None:
    assert_as_in_python(function, (1, 1), (2, 0), (3, 4))


def test_named_tuples_leave_as_such() -> None:
    @rt.function
    def places(n):
        seen, counts = set(), Counter()
        for i in range(n):
            seen.add(Place(i, n))
            counts[Place(i % 2, n)] += 1
        return seen, counts, {Place(n, 1): (Place(n, 2), 1)}, frozenset([(Place(n, n), 0)])

    seen, counts, known, frozen = places(rt.constant(3))
    assert sorted(place.row for place in seen) == [0, 1, 2]
    assert {place.row: int(count) for place, count in counts.items()} == {0: 2, 1: 1}
    assert [place.column for place in known] == [1]
    assert [pair[0].row for pair in frozen] == [3]
