"""Recursion that changes what is outside of it: lists, variables, attributes, entries."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import autograph
import runtime as rt
from tests.support.staging import assert_as_in_python


def variable(n):
    calls = 0

    def fib(k):
        nonlocal calls
        calls += 1
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n), calls


def growing(n):
    path = [n]

    def halve(k):
        if k > 1:
            path.append(k // 2)
            halve(k // 2)

    halve(n)
    return path, len(path)


def behind_the_call(n):
    path = []

    def count(k):
        if k > 0:
            count(k - 1)
            path.append(k)
            count(k // 2 - 1)

    count(n)
    return path


def two_objects(n):
    total, entries = [0, 0], {"even": 0, "odd": 0}

    def add(k):
        if k > 0:
            if k % 2 == 0:
                entries["even"] += k
            else:
                entries["odd"] += 1
            total[k % 2] += 1
            add(k - 1)

    add(n)
    return total, entries["even"], entries["odd"]


class Tree:
    def __init__(self):
        self.visits, self.last = 0, None

    def visit(self, k):
        self.visits += 1
        self.last = k
        if k > 1:
            self.visit(k // 2)
            self.visit(k - 2)


def attributes(n):
    tree = Tree()
    tree.visit(n)
    return tree.visits, tree.last


class Path:
    def __init__(self):
        self.keys, self.count, self.levels = [], 0, {}

    def visit(self, low, high):
        if low > high:
            return
        middle = (low + high) // 2
        self.visit(low, middle - 1)
        self.keys.append(middle)
        self.count += 1
        self.levels[middle] = high
        self.visit(middle + 1, high)


def attributes_and_their_items(n):
    path = Path()
    keys = path.keys
    path.visit(0, n)
    keys.append(-1)
    return path.keys, path.count, path.levels.get(2, -1)


def add_to(items, k):
    if k > 0:
        items.append(k)
        add_to(items, k - 1)
        items[0] += 1


def as_an_argument(n):
    items = [0]
    add_to(items, n)
    return items


def a_default_list(n):
    counts = {"calls": 0}

    def go(k, seen=counts, *, last=[0]):  # noqa: B006  # one list for all calls
        seen["calls"] += 1
        last[0] = k
        return last[0] + seen["calls"] if k < 1 else go(k - 1)

    return go(n), go(n), counts["calls"]


def by_keyword(n):
    items = [0]

    def add(k, into):
        if k > 0:
            into[0] += k
            add(k - 1, into=into)

    add(n, into=items)
    return items[0]


def two_lists(n):
    def deal(k, left, right):
        if k > 0:
            left.append(k)
            deal(k - 1, right, left)

    first, second = [], []
    deal(n, first, second)
    return len(first), len(second)


def returned(n):
    items = [0]

    def add(k):
        items[0] += k
        return items if k < 1 else add(k - 1)

    again = add(n)
    again.append(7)
    return items


def raising(n):
    depth = [0]

    def down(k):
        depth[0] += 1
        if k > 5:
            raise ValueError(f"too deep: {depth[0]}")
        if k > 0:
            down(k - 1)

    down(n)
    return depth[0]


def wider(n):
    total = [0]

    def add(k):
        if k > 0:
            total[0] += k / 2
            add(k - 1)

    add(n)
    return total[0]


def mutual(n):
    seen = []

    def even(k):
        seen.append(0)
        return True if k == 0 else odd(k - 1)

    def odd(k):
        seen.append(1)
        return False if k == 0 else even(k - 1)

    return even(n), len(seen), sum(seen)


def in_a_loop(n):
    found = []

    def extend(k, word):
        if k == 0:
            found.append(word)
            return
        for digit in range(2):
            extend(k - 1, word * 2 + digit)

    extend(n % 4, 0)
    return found


def variants(n):
    moves = []

    def move(k, source, target, spare):
        if k > 0:
            move(k - 1, source, spare, target)
            moves.append((source, target))
            move(k - 1, spare, target, source)

    move(n % 4, 1, 2, 3)
    return moves


def pegs(n):
    moves = []

    def move(k, start, goal, spare):
        if k > 0:
            move(k - 1, start, spare, goal)
            moves.append((start, goal))
            move(k - 1, spare, goal, start)

    move(n, "a", "b", "c")
    return moves


def pegs_counted_between(n):
    """What a caller changes between two calls of another, which reads it."""
    moves, level = [], [0]

    def move(k, start, goal, spare):
        if k > 0:
            move(k - 1, start, spare, goal)
            level[0] = (level[0] * 2 + k) % 1000
            moves.append(level[0] * 10 + len(start + goal))
            move(k - 1, spare, goal, start)
            level[0] -= 1

    move(n, "a", "bb", "ccc")
    return moves, level[0]


def one_after_another(n):
    """Each of three is called by two others, and by the function itself a second time."""
    seen = []

    def first(k):
        if k > 0:
            seen.append(1)
            second(k - 1)
            third(k - 2)

    def second(k):
        if k > 0:
            third(k - 1)
            seen.append(2)
            first(k - 2)

    def third(k):
        if k > 1:
            first(k - 1)
            second(k - 2)
            seen.append(k)

    first(n)
    seen.append(0)
    second(n)
    return seen


def read_by_another(n):
    """A function of the circle reads what its caller changes, and changes nothing."""
    rate = [1]

    def price(k, name):
        if k <= 0:
            return rate[0]
        return discount(k - 1, name) + rate[0]

    def discount(k, name):
        if k <= 0:
            return len(name)
        rate[0] = rate[0] + k
        return price(k - 1, name) * 2 + price(k - 2, name)

    return price(n, "ab"), rate[0]


def another_list_between(n):
    """The name means another list at the second call, and the first one is still there."""
    moves = []

    def move(k, start, goal):
        if k > 0:
            move(k - 1, goal, start)
            moves.append(len(start) * k)
            move(k - 2, start, goal)

    move(n, "a", "bb")
    before, moves = moves, []
    move(n, "a", "bb")
    moves.append(7)
    return before, moves


class Meter:
    def __init__(self, rate):
        self.rate = rate
        self.read = []

    def walk(self, k, left, right):
        if k > 0:
            self.walk(k - 1, right, left)
            self.read.append(self.rate * len(left))
            self.walk(k - 2, left, right)


def another_rate_between(n):
    meter = Meter(2)
    meter.walk(n, "a", "bb")
    meter.rate = 5
    meter.walk(n, "a", "bb")
    other = Meter(7)
    other.walk(n, "a", "bb")
    meter.read = [*meter.read, other.rate]
    meter.walk(n, "bb", "a")
    return meter.read, other.read


def another_kind_between(n):
    seen = []

    def down(k, side, other):
        if k > 0:
            down(k - 1, other, side)
            seen.append(k)
            down(k - 2, side, other)

    down(n, "x", "yy")
    total = len(seen)
    seen.append(0.5)
    down(n, "x", "yy")
    return total, sum(seen)


def limits_read_between(n):
    limits, seen = {"low": 1}, []

    def down(k, side, other):
        if k > limits["low"]:
            down(k - 1, other, side)
            seen.append(k * len(side))
            if k > 3:
                limits["low"] = 2
            down(k - 2, side, other)

    down(n, "x", "yy")
    limits["low"] = 0
    down(n, "x", "yy")
    return seen, limits["low"]


def number_around_changed_between(n):
    """What the recursion reads of around it is another symbol at each call, or the same one."""
    rate, items, rows = n + 1, [n, 7], [[n, 2], [3, n]]

    def down(k):
        if k <= 0:
            return rate * items[0]
        return down(k - 1) * 2 + rate - items[k % len(items)] + rows[k % 2][n % 2]

    found = [down(n), down(n)]
    rate = rate * 5
    found.append(down(n))
    items.append(n * 100)
    found.append(down(n))
    rows[1] = rows[0]
    found.append(down(n))
    rows[0][0] = -1
    found.append(down(n))
    for i in range(n):
        rate += i
        found.append(down(i))
        if i > 1:
            items[0] = rate
            found.append(down(i))
    return found


class Weight:
    def __init__(self, value, other=None):
        self.value, self.other = value, other


def chosen_object_changed_between(n):
    first = Weight(n)
    second = Weight(n * 3, first)
    chosen = first if n > 2 else second

    def down(weight, k):
        if weight is None or k <= 0:
            return chosen.value
        return weight.value + down(weight.other, k - 1)

    found = [down(chosen, n), down(chosen, n)]
    first.value = 50
    found.append(down(chosen, n))
    second.other = Weight(1, first)
    found.append(down(chosen, n))
    chosen = second
    found.append(down(chosen, n))
    return found


def tensor_around_assigned_between(n):
    values = rt.constant([1, 2, 3]) * n

    def down(k):
        return values[0] if k <= 0 else down(k - 1) * 2 + values[k % 3]

    found = [down(n)]
    values[0] = 9
    found.append(down(n))
    values = values * 2
    return [*found, down(n)]


def nested_sums(n):
    """Several calls of one function by another, as parsers have, which reads what is around."""
    codes = [40, 40, 1, 43, 2, 41, 43, 40, n, 41, 41, 43, 4]
    at = 0

    def peek():
        return codes[at] if at < len(codes) else -1

    def atom():
        nonlocal at
        value = peek()
        at += 1
        if value == 40:
            value = total()
            at += 1
        return value + n

    def total():
        nonlocal at
        value = atom()
        while peek() == 43:
            at += 1
            value += atom()
        return value

    return total(), at


def best_of_two_sides(n):
    """Each side asks the other one at several places of the program."""
    board, seen = [n, 0, n // 2, 2, 0], 0

    def best(side):
        nonlocal seen
        seen += 1
        if 0 not in board:
            return board[0] - board[1] + board[4]
        found = -9 if side == 1 else 9
        for i in range(5):
            if board[i] == 0:
                board[i] = side
                value = best(3 - side)
                board[i] = 0
                found = max(found, value) if side == 1 else min(found, value)
        return found

    return best(1), seen


def of_another_kind(n):
    """Its argument is a tuple or a number, a text or a number, as the run decides."""

    def simple(tree):
        match tree:
            case ("*", 0, _) | ("*", _, 0):
                return 0
            case ("+", 0, other) | ("+", other, 0):
                return simple(other)
            case (operation, left, right):
                return operation, simple(left), simple(right)
            case _:
                return tree

    def value(tree):
        if isinstance(tree, tuple):
            operation, left, right = tree
            return value(left) + value(right) if operation == "+" else value(left) * value(right)
        return tree

    def walk(item, k):
        if k <= 0:
            return 0
        return (3 if isinstance(item, str) else item) + walk("odd" if k % 2 else k, k - 1)

    return value(simple(("+", n - 2, ("*", n, 7)))), walk(n, n)


def list_around_given_too(n):
    """A list around a function is an argument of some of its calls."""
    kept, given = [3 for _ in range(n + 1)], [i for i in range(n + 2)]

    def counted(items, left):
        if left <= 0:
            return len(items)
        items.reverse()
        kept[-1] = items[0] + len(items)
        total = counted(kept, left - 1)
        if left % 2 == 0:
            total += counted(items, left - 2) + counted(kept, left - 1)
            kept.append(left)
        return total + kept[0]

    return counted(given, n), kept, given


class Kept:
    def __init__(self, n):
        self.items = [3 for _ in range(n + 1)]

    def counted(self, items, left):
        if left <= 0:
            return len(items)
        items.reverse()
        self.items[-1] = items[0] + len(items)
        total = self.counted(self.items, left - 1)
        if left % 2 == 0:
            total += self.counted(items, left - 2) + self.counted(self.items, left - 1)
            self.items.append(left)
        return total + self.items[0]


def list_of_an_object_given_too(n):
    kept, given = Kept(n), [i for i in range(n + 2)]
    return kept.counted(given, n), kept.items, given


def one_of_two_lists(n):
    """The run chooses a list that the next call is given, and each call gives on one of its own."""

    def down(a, b, k):
        if k <= 0:
            return a is b, list(a)
        c = a if k % 3 else b
        c.append(k)
        found = down(c, a, k - 1)
        b.append(7)
        return found

    x, y = [1], [2, 3]
    return down(x, y, n), x, y


def one_of_two_lists_that_stay(n):
    def down(a, b, k):
        return a[0] * 10 + b[0] if k <= 0 else down(a if k % 2 else b, a, k - 1)

    return down([1], [2, 3], n)


def given_or_new(n):
    def down(items, k):
        if k <= 0:
            return [len(items)]
        chosen = [1]
        if k % 2:
            chosen = items
        chosen.append(k)
        found = down(chosen, k - 1)
        found.append(len(items))
        return found

    return down([], n)


def made_of_the_last(n):
    out = []

    def down(a, b, k):
        if k <= 0:
            out.append(len(a))
            return
        c = b if k % 2 else [*a, k]
        out.append(len(c))
        down(c, a, k - 1)

    down([], [1], n)
    return out


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def put(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = put(node.left, key)
    else:
        node.right = put(node.right, key)
    return node


def keys_in_order(node, found):
    if node is None:
        return
    keys_in_order(node.left, found)
    found.append(node.key)
    keys_in_order(node.right, found)


def by_depth(node, *, sums, depth=0):
    if node is not None:
        sums[depth] = sums.get(depth, 0) + node.key
        by_depth(node=node.left, sums=sums, depth=depth + 1)
        by_depth(node.right, depth=depth + 1, sums=sums)


def largest_sum(node, best):
    if node is None:
        best.append(0)
        return 0
    low, high = largest_sum(node.left, best), largest_sum(node.right, best)
    best[0] = max(best[0], low + high + node.key)
    return max(low, high) + node.key


def of_a_tree(n):
    root = None
    for i in range(n):
        root = put(root, i * 7 % 5)
    found, best, sums = [], [0], {}
    keys_in_order(root, found)
    by_depth(root, sums=sums)
    return found, largest_sum(root, best), best, sums


def object_by_keyword(n):
    class Box:
        total = 0

    def down(k, *, box, seen):
        if k > 0:
            box.total += k
            seen[k % 2] = box.total
            down(k - 1, box=box, seen=seen)
            box.total += 1

    box, seen = Box(), {}
    down(n, box=box, seen=seen)
    return box.total, seen


@pytest.mark.parametrize(
    "function",
    [
        of_a_tree,
        object_by_keyword,
        *(variable, growing, behind_the_call, two_objects, attributes, as_an_argument, by_keyword),
        *(attributes_and_their_items, two_lists, returned, raising, wider, mutual, in_a_loop),
        *(variants, a_default_list),
        *(pegs, pegs_counted_between, one_after_another, read_by_another, another_list_between),
        *(another_rate_between, another_kind_between, limits_read_between),
        *(number_around_changed_between, chosen_object_changed_between, nested_sums),
        *(best_of_two_sides, of_another_kind, list_around_given_too, list_of_an_object_given_too),
        *(one_of_two_lists, one_of_two_lists_that_stay, given_or_new, made_of_the_last),
    ],
)
def test_it_is_what_python_computes(function: Callable[[Any], Any]) -> None:
    assert_as_in_python(function, 0, 1, 2, 5, 6)


def test_a_list_that_the_run_chooses() -> None:
    def function(n):
        a, b = [1], [2, 3]
        if n > 2:
            a = b
        add_to(a, n)
        a.append(7)
        return a, b

    assert_as_in_python(function, 0, 2, 3, 5)


def test_another_list_at_each_depth_is_refused_by_its_name() -> None:
    def function(n):
        def go(k, seen):
            seen.append(k)
            return len(seen) if k < 1 else go(k - 1, [k])

        return go(n, [])

    words = "go changes 'seen', which is another object at each depth\n.*return what a call adds"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(function)(rt.constant(3))
    assert caught.value.filename == __file__
    assert caught.value.variable == "seen"


def test_another_list_of_lists_at_each_depth_is_refused_for_what_it_is() -> None:
    def by_parts(n):
        def go(rows):
            return rows[0][0] if len(rows) == 1 else rows[0][0] * go([r[1:] for r in rows[1:]])

        return go([[i * j + 1 for j in range(n)] for i in range(n)])

    def by_places(n):
        rows = [[i * j + 1 for j in range(n)] for i in range(n)]

        def go(at):
            return rows[at][at] if at == n - 1 else rows[at][at] * go(at + 1)

        return go(0)

    words = "go takes 'rows' apart, which is another list of lists at each depth\n.*with the places"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(by_parts)(rt.constant(3))
    assert caught.value.filename == __file__
    assert_as_in_python(by_places, 1, 3, 4)


def test_a_list_that_is_passed_on_is_not_returned_in_a_tuple() -> None:
    def function(n):
        def go(k, out):
            if k > 0:
                go(k - 1, out)[0].append(k)
            return out, k

        return go(n, [])[0]

    words = "list, dict, set or object from outside of it inside of another one\n.*return a copy"
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(function)(rt.constant(3))
    assert caught.value.filename == __file__


def test_a_recursion_that_never_returns_is_refused() -> None:
    def function(n):
        left = []

        def go(k):
            try:
                if k == 0:
                    raise KeyError("the end")
                return go(k - 1)
            finally:
                left.append(k)

        go(n)
        return left

    words = "go is a graph of its own, which may raise KeyError at run time, past the `try` around"
    with pytest.raises(autograph.errors.StagingError, match=words) as caught:
        rt.function(function)(rt.constant(3))
    line = function.__code__.co_firstlineno + 6
    why = f"it calls itself as often as only the run knows, and it is raised at {__file__}:{line}:"
    assert why in str(caught.value)


def test_what_may_fail_in_a_recursion_is_told() -> None:
    def function(n, d):
        def go(k):
            return k // d if k < 2 else go(k - 1)

        try:
            return go(n)
        except ZeroDivisionError:
            return -1

    line = function.__code__.co_firstlineno + 2
    words = rf"and FloorDiv may fail at {re.escape(__file__)}:{line}:20"
    with pytest.raises(autograph.errors.StagingError, match=words):
        rt.function(function)(rt.constant(3), rt.constant(0))


def test_a_graph_calls_itself_whatever_the_depth() -> None:
    graph = rt.function(growing).get_concrete_function(rt.constant(3)).graph
    assert str(graph).count("call halve") <= 2


def test_what_reads_symbols_around_it_is_traced_once() -> None:
    graph = rt.function(nested_sums).get_concrete_function(rt.constant(3)).graph
    assert str(graph).count("graph ") == 3, "the function, and one for each of the two"


def test_what_calls_itself_at_many_places_is_traced_a_few_times() -> None:
    graph = rt.function(best_of_two_sides).get_concrete_function(rt.constant(3)).graph
    assert str(graph).count("call best") < 40, "122, where each place is traced for itself"


def test_what_is_assigned_to_a_tensor_around_it_is_seen() -> None:
    staged = rt.function(tensor_around_assigned_between)
    eager = autograph.convert(tensor_around_assigned_between)
    for n in (0, 1, 3):
        assert list(map(int, staged(rt.constant(n)))) == list(map(int, eager(rt.constant(n)))), n


def test_the_gradient_goes_through_what_is_changed() -> None:
    def product(x, n):
        total = [x]

        def multiply(k):
            if k > 0:
                total[0] = total[0] * x
                multiply(k - 1)

        multiply(n)
        return total[0]

    x = rt.constant(2.0)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = rt.function(product)(x, rt.constant(3))
    assert float(tape.gradient(y, x)) == 4 * 2.0**3


def test_a_decorated_function_changes_nothing_outside() -> None:
    total = [0]

    @rt.function
    def add(k: Any) -> Any:
        total[0] += k
        return k if k < 1 else add(k - 1)

    with pytest.raises(autograph.StagingError, match="add calls itself") as caught:
        add(rt.constant(3))
    assert caught.value.filename == __file__
    assert total == [0]
