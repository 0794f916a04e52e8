"""Programs of textbooks with iterators of their own classes, and with folds."""

import functools
import itertools
import math

from tests.textbook.bank import bank

case, CASES = bank()


class Count:
    def __init__(self, first, last):
        self.now, self.last = first, last

    def __iter__(self):
        return self

    def __next__(self):
        if self.now > self.last:
            raise StopIteration
        self.now += 1
        return self.now - 1


@case((2, 4), (5, 4), (2, 20))
def squares_in_a_loop(first, last):
    total = 0
    for number in Count(first, last):
        total += number * number
    return total


@case((2, 4), (2, 20), (1, 0))
def even_ones(first, last):
    found = []
    for number in Count(first, last):
        if number % 2:
            continue
        found.append(number)
        if len(found) > 3:
            break
    else:
        found.append(-1)
    return found


@case((2, 5), (5, 4))
def taken_by_builtins(first, last):
    return (
        list(Count(first, last)),
        sum(Count(first, last)),
        sorted(Count(first, last), reverse=True),
        [number + 1 for number in Count(first, last) if number > 2],
        sum(number * 2 for number in Count(first, last)),
        any(number > 4 for number in Count(first, last)),
        list(enumerate(Count(first, last))),
    )


@case((1, 3), (2, 2))
def greatest(first, last):
    return max(Count(first, last)), min(Count(first, last))


@case((2, 4), (2, 2), (3, 2))
def one_by_one(first, last):
    numbers = Count(first, last)
    return next(numbers, -1), next(numbers, -1), next(numbers, -1)


@case((2, 4), (2, 2), (3, 2))
def two_at_once(first, last):
    numbers = Count(first, last)
    return next(numbers) + next(numbers)


@case((2, 4), (3, 2))
def until_it_stops(first, last):
    numbers = Count(first, last)
    total = 0
    while True:
        try:
            total += next(numbers)
        except StopIteration:
            break
    return total


@case((1, 4), (4, 1))
def nested(first, last):
    total = 0
    for outer in Count(first, last):
        for inner in Count(first, outer):
            total += outer * inner
    return total


class Naturals:
    def __init__(self):
        self.number = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.number += 1
        return self.number


@case((4,), (0,))
def below(limit):
    total = 0
    for number in Naturals():
        if number > limit:
            break
        total += number
    return total


@case((10,), (0,))
def root(square):
    for number in Naturals():
        if number * number > square:
            return number - 1
    return -1


class Fibonacci:
    def __init__(self, count):
        self.count = count
        self.passes = 0

    def __iter__(self):
        self.passes += 1
        self.a, self.b, self.i = 0, 1, 0
        return self

    def __next__(self):
        if self.i < self.count:
            self.i += 1
            found = self.a
            self.a, self.b = self.b, self.a + self.b
            return found
        raise StopIteration


@case((6,), (0,), (1,))
def passes(count):
    numbers = Fibonacci(count)
    found = [number for number in numbers]
    total = sum(numbers) + len(list(numbers)) + sum(number for number in numbers)
    for number in numbers:
        if number > 2:
            break
    return found, total, numbers.passes, numbers.i


class Bits:
    def __init__(self, number):
        self.number = number

    def __iter__(self):
        return BitIterator(self.number)


class BitIterator:
    def __init__(self, number):
        self.number = number

    def __iter__(self):
        return self

    def __next__(self):
        if not self.number:
            raise StopIteration
        bit = self.number & 1
        self.number >>= 1
        return bit


@case((10,), (0,), (7,))
def bits(number):
    text = "".join(str(bit) for bit in Bits(number))
    return list(Bits(number)), sum(Bits(number)), text, len([b for b in Bits(number) if b])


@case((13,), (1,), (0,))
def what_is_left(number):
    iterator = iter(Bits(number))
    first = []
    for bit in iterator:
        first.append(bit)
        if len(first) == 2:
            break
    return first, list(iterator)


class Skipping:
    def __init__(self, limit, factor):
        self.limit, self.factor = limit, factor
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            self.at += 1
            if self.at > self.limit:
                raise StopIteration
            if self.at % self.factor:
                return self.at


@case((7, 3), (4, 2), (0, 2))
def skipped(limit, factor):
    found = []
    for number in Skipping(limit, factor):
        found.append(number)
    return found, sum(Skipping(limit, 2))


class Noting:
    def __init__(self, iterator):
        self.iterator = iterator
        self.seen = []

    def __iter__(self):
        return self

    def __next__(self):
        found = next(self.iterator)
        self.seen.append(found)
        return found


@case((6,), (0,))
def noted(number):
    noting = Noting(iter(Bits(number)))
    return sum(noting), noting.seen


class Link:
    def __init__(self, value, next_link):
        self.value, self.next_link = value, next_link


class Chain:
    def __init__(self):
        self.head = None

    def push(self, value):
        self.head = Link(value, self.head)

    def __iter__(self):
        return ChainIterator(self.head)


class ChainIterator:
    def __init__(self, link):
        self.link = link

    def __next__(self):
        if self.link is None:
            raise StopIteration
        value = self.link.value
        self.link = self.link.next_link
        return value


@case(([1, 2, 3],), ([0, 0],))
def linked(values):
    chain = Chain()
    for value in values:
        if value > 1:
            chain.push(value)
    number = 0
    for value in chain:
        number = number * 10 + value
    return number


class Shelf:
    def __init__(self, *books):
        self.books = list(books)

    def __iter__(self):
        return iter(self.books)


@case((3,), (1,), (9,))
def looked_up(limit):
    shelf = Shelf(1, 2, 3)
    total = 0
    for book in shelf:
        if book > limit:
            break
        total += book
    for book in shelf:
        for other in shelf:
            if book * other > limit:
                return total, book, other
    return total, 0, 0


class Stack:
    def __init__(self):
        self.items = []

    def __iter__(self):
        return iter(self.items)


class Reversed(Stack):
    def __iter__(self):
        return reversed(self.items)


@case(([1, 2, 3],), ([0, 0],))
def stacked(values):
    stack, backwards = Stack(), Reversed()
    for value in values:
        if value > 1:
            stack.items.append(value)
            backwards.items.append(value)
    total = 0
    for value in stack:
        total += value
    return total, sum(stack), [value for value in stack], [value for value in backwards]


class Squares:
    def __init__(self, count):
        self.count = count

    def __getitem__(self, place):
        if place >= self.count:
            raise IndexError(place)
        return place * place


@case((4,), (0,))
def by_their_places(count):
    total = 0
    for square in Squares(count):
        total += square
    return total, list(Squares(count))


class Countdown:
    def __init__(self, number):
        self.number = number

    def __iter__(self):
        return self

    def __next__(self):
        if self.number > 3:
            raise ValueError(f"{self.number} is too large")
        if self.number == 0:
            raise StopIteration
        self.number -= 1
        return self.number


@case((2,), (5,), (0,))
def failing(number):
    try:
        return sum(Countdown(number))
    except ValueError as error:
        return str(error)


@case((2,), (5,))
def failing_outside(number):
    return list(Countdown(number))


class Window:
    def __init__(self, items, size):
        self.items, self.size = items, size

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at + self.size > len(self.items):
            raise StopIteration
        found = self.items[self.at : self.at + self.size]
        self.at += 1
        return found


@case(([1, 2, 3, 4], 2), ([1], 2))
def moving_sums(items, size):
    return [sum(found) for found in Window(items, size)]


@case((4,), (1,), (0,))
def folded(n):
    product = functools.reduce(lambda a, b: a * b, range(1, n + 1), 1)
    common = functools.reduce(math.gcd, (12 * i for i in range(n)), 0)
    return product, common, functools.reduce(lambda s, i: s + str(i), range(n), "")


@case(([3, 1, 2],), ([5, 7, 9, 4],), ([],))
def largest_of_odd(numbers):
    return functools.reduce(max, [number for number in numbers if number % 2])


@case((10,), (1,), (0,))
def fibonacci_by_pairs(n):
    return functools.reduce(lambda pair, _: (pair[1], pair[0] + pair[1]), range(n), (0, 1))[0]


@case((5,), (1,), (0,))
def running_totals(n):
    squares = list(itertools.accumulate((i * i for i in range(n) if i != 2), max))
    total = 0
    for factorial in itertools.accumulate(range(1, n), lambda a, b: a * b, initial=1):
        total += factorial
    return list(itertools.accumulate(range(n))), squares, total


class Oops(Exception):
    pass


class Failing:
    """Counts to 3, and fails at a number."""

    def __init__(self, at):
        self.at, self.now = at, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.now += 1
        if self.now == self.at:
            raise Oops
        if self.now > 3:
            raise StopIteration
        return self.now


class Tens(Count):
    def __next__(self):
        return super().__next__() * 10


class Even(Count):
    def __next__(self):
        found = super().__next__()
        while found % 2:
            found = super().__next__()
        return found


class After:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.items) + 1


@case((1,), (3,), (9,))
def a_failure_between_items(at):
    found = []
    try:
        for number in Failing(at):
            found.append(number)
    except Oops:
        return "oops", found
    return "fine", found


@case((1,), (3,), (9,))
def a_list_of_what_fails(at):
    try:
        return list(Failing(at)), sum(Failing(at))
    except Oops:
        return "oops"


@case((1,), (3,), (9,))
def the_same_written_out(at):
    found, now = [], 0
    try:
        while True:
            try:
                now += 1
                if now == at:
                    raise Oops
                if now > 3:
                    raise KeyError
                item = now
            except KeyError:
                break
            found.append(item)
    except Oops:
        return "oops", found
    return "fine", found


@case((2, 4), (5, 4), (2, 2))
def of_subclasses(first, last):
    left = Tens(first, last)
    return list(Tens(first, last)), sum(Even(first, last)), next(left, -1), list(left)


@case((2, 4), (5, 4), (2, 2))
def around_another(first, last):
    return list(After(Count(first, last))), max(After(Tens(first, last)), default=0)


@case((2, 4), (5, 4), (2, 2))
def asked_for_an_item(first, last):
    numbers = Count(first, last)
    return 3 in numbers, list(numbers), last in Count(1, 3), 7 not in Count(first, last)


@case((2, 4), (5, 4), (0, 2))
def a_generator_asked_for_an_item(first, last):
    squares = (x * x for x in range(first, last))
    return 4 in squares, 9 in (x * x for x in range(first, last))


@case((2, 4), (5, 4), (2, 9))
def side_by_side(first, last):
    rows = list(
        zip(Count(first, last), Count(1, 3), "abcd", range(9), [last, 5, 6, 7], strict=False)
    )
    return rows, [a * b for a, b in zip([1, 2, 3], Count(first, last), strict=False)]


@case((2, 4), (5, 4), (2, 9))
def side_by_side_and_what_is_left(first, last):
    left, right = Count(first, last), Count(1, 2)
    rows = list(zip(left, right, strict=False))
    further = [x for x, _ in zip(left, [1], strict=False)]
    return rows, further, list(left), list(right)


@case((2, 4), (5, 4), (2, 9))
def left_early(first, last):
    total = 0
    for at, (a, b) in enumerate(zip(Count(first, last), Count(1, 5), strict=False)):
        if a > 4:
            break
        total += at * a + b
    return total, dict(zip("ab", Count(first, last), strict=False))


@case((2, 4), (5, 4), (2, 9))
def mapped_side_by_side(first, last):
    sums = list(map(lambda a, b: a + b, Count(first, last), [10, 20, 30]))
    return sums, sum(map(lambda a, b: a * b, Count(first, last), Count(1, 3)))


@case((2, 4), (5, 4), (0, 2))
def the_first_or_stop(first, last):
    try:
        return next(x for x in range(first, last) if x > 1)
    except StopIteration:
        return -1


@case((2, 4), (2, 9))
def the_first_of_all(first, last):
    return next(x for x in Count(first, last) if x > 3)


@case((3,), (0,))
def a_dict_of_a_generator(n):
    return dict((x, x * 2) for x in range(n))


# Classes that the function makes


@case((3, 4), (0, 2), (2, 0))
def countdowns(a, b):
    class Down:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return self

        def __next__(self):
            if self.n <= 0:
                raise StopIteration
            self.n -= 1
            return self.n

    total = 0
    for x, y, z in zip([5, 6, 7, 8], Down(a), Down(b), strict=False):
        total += x * y + z
    return total, [x + y for x, y in zip(Down(a), Down(b), strict=False)]


# What an `__iter__` of theirs may give


class Prices:
    def __init__(self):
        self.prices = {}

    def put(self, name, price):
        self.prices[name] = price

    def __iter__(self):
        return iter(self.prices.values())


class PricedNames(Prices):
    def __iter__(self):
        return iter(self.prices.items())


class Named(Prices):
    def __iter__(self):
        return zip(self.prices, self.prices.values(), strict=False)


class Numbered(Prices):
    def __iter__(self):
        return enumerate(list(self.prices.values()))


class Doubled(Prices):
    def __iter__(self):
        return map(lambda price: price * 2, self.prices.values())


class LastFirst(Prices):
    def __iter__(self):
        return reversed(list(self.prices.values()))


@case((3,), (0,), (7,))
def priced(n):
    prices, named = Prices(), PricedNames()
    for i in range(n):
        prices.put(i % 4, i * i)
        named.put(i % 4, i + 1)
    total = 0
    for price in prices:
        total += price
    pairs = [(price, name) for name, price in named]
    return total, pairs, sorted(prices), len(list(named)), sum(price for price in prices)


@case((3,), (0,), (7,))
def given_by_builtins(n):
    pairs, numbered, doubled, last_first = Named(), Numbered(), Doubled(), LastFirst()
    for i in range(n):
        for each in (pairs, numbered, doubled, last_first):
            each.put(i % 4, i * i)
    return (
        sum(name * price for name, price in pairs),
        any(place > 2 for place, _ in numbered),
        max([price + 1 for price in doubled], default=0),
        sorted(price - 1 for price in last_first),
        [place * price for place, price in numbered],
    )


@case((4,), (1,), (0,))
def neighbours_in_a_list(n):
    squares = [i * i % 5 for i in range(n)]
    steps = [b - a for a, b in itertools.pairwise(squares)]
    for i, (a, b) in enumerate(itertools.pairwise(squares)):
        squares[i + 1] = a + b  # the pair that follows begins with what b was
    by_key = {3 * i: i for i in range(n)}
    keys = [b - a for a, b in itertools.pairwise(by_key)]
    return steps, squares, keys, all(a < b for a, b in itertools.pairwise(range(n)))


@case((1,), (0,), (2,), (3,))
def any_of_a_map(n):
    seen = []

    def is_it(value):
        seen.append(value)
        return value == n

    found = any(map(is_it, [0, 1, 2])), all(map(is_it, (1, 2)))
    return found, seen, any(map(lambda a, b: a == b, [n, 3], (1, 5)))


@case((3, [1, 2, 3, 1, 4, 2]), (2, [1, 2, 1, 3, 2, 1]))
def least_recently_used(capacity, keys):
    kept, evicted = {}, []
    for key in keys:
        if key in kept:
            kept[key] = kept.pop(key)
            continue
        if len(kept) >= capacity:
            oldest = next(iter(kept))
            evicted.append(oldest)
            del kept[oldest]
        kept[key] = key
    return evicted, kept


@case((3,), (8,))
def first_of_none(n):
    try:
        return next(iter([])) if n > 5 else n
    except StopIteration:
        return -1


@case((2,), (0,), (-3,))
def range_of_a_step(n):
    try:
        steps = range(0, 10, n)
    except ValueError:
        return -1
    return steps.step


@case((3, 4), (-1, 3))
def forwards_or_backwards(a, b):
    steps = range(b) if a > 0 else range(b, 0, -1)
    digits = 0
    for i in steps:
        digits = digits * 10 + i
    for i in range(1, 4) if a > 0 else range(4, 1, -1):
        digits = digits * 10 + i
    return digits, len(steps), steps.start, 2 in steps, max(steps), list(reversed(steps))


@case((3, 4), (-1, 3), (2, 0))
def ranges_of_rounds(a, b):
    steps, spans = range(b), {"a": range(a)}
    for k in range(b):
        steps = range(k) if k % 2 else range(k, 0, -1)
        if a > k:
            spans["a"] = range(k)
    return (
        len(steps),
        sum(steps),
        len(spans["a"]),
        sum([len(r) for r in [range(i) for i in range(a)]]),
    )


@case((3, 4), (-1, 3))
def a_range_or_none(a, b):
    steps = range(b) if a > 0 else None
    return -1 if steps is None else [i * a for i in steps]


@case((3, 4), (-1, 3))
def a_range_that_grows(a, b):
    def grown(k, steps):
        return len(steps) if k <= 0 else grown(k - 1, range(len(steps) + 1))

    return grown(a, range(b))


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


class Tree:
    def __init__(self, keys):
        self.root = None
        for key in keys:
            self.root = self.put(self.root, key)

    def put(self, node, key):
        if node is None:
            return Node(key)
        if key < node.key:
            node.left = self.put(node.left, key)
        elif key > node.key:
            node.right = self.put(node.right, key)
        return node

    def __iter__(self):
        return self.walk(self.root)

    def walk(self, node):
        if node is not None:
            yield from self.walk(node.left)
            yield node.key
            yield from self.walk(node.right)

    def levels(self, node, depth=0):
        if node is None:
            return
        for pair in self.levels(node.right, depth + 1):
            yield pair
        yield node.key, depth
        for pair in self.levels(node.left, depth + 1):
            yield pair


@case(([3, 2, 1, 5, 4, 6],), ([1, 2, 3, 4, 5, 6, 7],), ([2, 2],))
def keys_of_a_tree(keys):
    tree, weighed = Tree(keys), 0
    for at, key in enumerate(tree):
        weighed = weighed * 2 + at * key
    shown = "-".join(str(key) for key in tree)
    return list(tree), sum(tree), weighed, [key for key in tree if key % 2], shown


@case(([3, 2, 1, 5, 4, 6],), ([2],))
def levels_of_a_tree(keys):
    tree = Tree(keys)
    return [("  " * depth) + str(key) for key, depth in tree.levels(tree.root)]


def hanoi(n, source, spare, target):
    if n > 0:
        yield from hanoi(n - 1, source, target, spare)
        yield source, target
        yield from hanoi(n - 1, spare, source, target)


@case((3,), (0,), (5,))
def hanoi_from_a_generator(n):
    return list(hanoi(n, "A", "B", "C")), sum(1 for _ in hanoi(n, 1, 2, 3))


def noted_down(n, notes):
    if n > 0:
        notes.append(n)
        yield n
        yield from noted_down(n - 1, notes)
        yield from [n, n * 10]
        yield from (x * n for x in range(n % 3))
        notes.append(-n)
    notes.append(100)


@case((3,), (0,), (6,))
def what_a_generator_notes(n):
    notes, seen = [], []
    for x in noted_down(n, notes):
        notes.append(x * 1000)
    for x in noted_down(n, []):
        seen.append(x)
    return notes, seen


def even_and_odd(n):
    yield n
    if n > 0:
        yield from odd_and_even(n - 1)


def odd_and_even(n):
    yield -n
    if n > 0:
        yield from even_and_odd(n - 1)


def not_above(n, limit):
    if n > limit:
        raise ValueError(f"{n} is above {limit}")
    if n > 0:
        yield from not_above(n - 1, limit)
        yield n


@case((3, 4), (0, 0), (6, 5))
def generators_in_turn(n, limit):
    return list(even_and_odd(n)), list(not_above(n, limit))


@case((3,), (0,), (6,))
def totals_of_a_generator(n):
    total = 0

    def visit(m):
        nonlocal total
        total += m
        if m > 0:
            yield from visit(m - 1)
            yield total

    return list(visit(n)), total


def first_numbers(n):
    for number in range(n):
        yield number * number


@case((3,), (0,))
def closed_before_its_first_element(n):
    numbers, others = first_numbers(n), (2 * number for number in range(n))
    numbers.close()
    others.close()
    total = n
    for number in numbers:
        total += number
        if total > 4:
            break
    return total, list(others), any(numbers)


def keys_until(node, notes):
    if node is None:
        return
    yield from keys_until(node.left, notes)
    notes.append(node.key)
    yield node.key
    notes.append(-node.key)
    for key in keys_until(node.right, notes):  # noqa: UP028
        yield key


@case(([3, 2, 1, 5, 4, 6], 4), ([1, 2, 3, 4, 5, 6, 7], 2), ([2, 2], 9))
def a_tree_left_early(keys, n):
    tree, notes = Tree(keys), []
    for at, key in enumerate(tree):
        if key > n:
            found = at, key
            break
    else:
        found = None
    for key in keys_until(tree.root, notes):
        if key >= n:
            return found, notes
    return any(key > n for key in tree), all(key < n for key in tree), found, notes


def numbers_and_squares(n):
    if n == 0:
        yield 0
        return
    yield n
    yield from [n * n, n]
    yield from numbers_and_squares(n - 1)
    yield from range(n)


@case((3, 1), (5, 4), (0, 0), (2, 9))
def generator_left_in_the_depth(n, last):
    seen = []
    for x in numbers_and_squares(n):
        seen.append(x)
        if x == last:
            break
    return seen
