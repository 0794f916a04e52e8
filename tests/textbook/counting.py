"""What is counted, ranked and named: Counters, namedtuples, sets of what an iterator gives."""

import heapq
import itertools
import math
from collections import Counter, namedtuple
from dataclasses import dataclass, field

from tests.textbook.bank import bank

case, CASES = bank()

Score = namedtuple("Score", "points name")


@case((["a", "b", "a", "c"], 1), (["b"], -1))
def ranked_words(words, bonus):
    counts = Counter(words)
    counts["b"] += bonus
    by_count = sorted(counts, key=lambda word: (-counts[word], word))
    by_name = sorted(counts.items(), key=lambda pair: (pair[0], pair[1]))
    return by_count, by_name, counts.most_common(1), +counts == counts, -counts


@case(([1, 2, 2], [2, 1, 2]), ([1, 2], [3]), ([], [1]), ([1], [1]))
def stock_is_enough(stock, order):
    have, need = Counter(stock), Counter(order)
    before = have == need, have != need, need <= have, need < have, have >= need, have > need
    for item in order:
        have[item] -= 1
    need.subtract(order)
    return before, have == need, have == Counter(), need == Counter(), +have, -have, need == {}


@case((5,), (3,), (0,))
def letters_left(taken):
    letters = Counter("abracadabra")
    letters["a"] -= taken
    other = Counter("bbrrcd")
    return letters == other, letters > other, letters <= other, letters == {"b": 2}


@case((2, 1), (-1, -2))
def added_counters(apples, pears):
    return Counter(apples=apples, plums=2) + Counter(apples=1, plums=pears)


@case((7, 9), (9, 7), (7, 7))
def better_score(first, second):
    a, b = Score(first, "a"), Score(second, "b")
    ranked = sorted([a, b], reverse=True)
    return a > b, a <= b, max(a, b).name, f"{ranked[0]}", 9 in a, a.index(first), b.count(9)


@case(([3, 8, 4, 6], 4), ([1], 3))
def rests_of(values, divisor):
    rests = set(value % divisor for value in values)
    seen = {5}.union(value % divisor for value in values)
    counted = Counter(value % divisor for value in values)
    return sorted(rests), sorted(seen), counted, rests.issubset(value + 1 for value in values)


@case(({1: 2, 3: 2, 4: 5},), ({7: 7},))
def prices_in(table):
    prices = set(table.values())
    return sorted(prices), len(prices) < len(table), frozenset(reversed(list(table))) == set(table)


@case(("hello", 2), ("world", 3))
def letters_by_rest(word, divisor):
    return (
        sorted(word, key=lambda letter: (ord(letter) % divisor, letter)),
        sorted({"x", "y"}, key=lambda letter: (divisor, letter)),
        max(word, key=lambda letter: ord(letter) % divisor),
        max("apple", "fig", key=lambda each: len(each) % divisor),
    )


@case((30,), (1,), (5,))
def first_square_above(limit):
    for k in itertools.count(1):
        if k * k > limit:
            return k


@case((30,), (1,), (13,))
def next_prime(n):
    for k in itertools.count(n + 1):
        if all(k % d for d in range(2, int(math.sqrt(k)) + 1)):
            return k


@case((5, 0.25), (0, 0.1))
def first_step_above(limit, step):
    for x in itertools.count(0.5, step):
        if x > limit:
            return x


@case((4, 3), (1, 30))
def pairs_below(n, limit):
    found = []
    for k in itertools.count(n, -3):
        found.append(k)
        for j in itertools.count():
            if j * j > limit + k:
                break
        if len(found) > 2 or j > limit:
            return found, j


class Countdown:
    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return self.left


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


@case((2,), (3,), (0,), (-1,))
def first_numbers(n):
    return list(itertools.islice(fibonacci(), n)), sum(itertools.islice(fibonacci(), 2, n))


@case((2,), (3,), (1,), (0,))
def every_few(n):
    return (
        list(itertools.islice(range(10), n, 8, 2)),
        list(itertools.islice(range(10), 1, None, n)),
        "".join(itertools.islice("abcdef", n)),
    )


@case((5,), (1,), (0,))
def left_after(n):
    countdown = Countdown(n)
    taken = list(itertools.islice(countdown, 2))
    return taken, countdown.left, list(itertools.islice(countdown, n, None))


@case(([3, 1, 2], 2), ([3, 1, 2], 0), ([1], 9))
def best_of_the_first(values, n):
    return max(itertools.islice(values, n), default=0), list(itertools.islice(values, 1, n))


@dataclass(order=True)
class Card:
    rank: int
    suit: str = field(default="spades", compare=False)
    place: int = field(default=3, repr=False)


@dataclass
class Hand:
    cards: list
    owner: str = "me"


@case((3,), (0,), (12,))
def told(rank):
    hand = Hand([Card(rank), Card(2)])
    for i in range(2):
        hand.cards.append(Card(rank + i))
    if rank > 5:
        hand.owner = "you"
    best = max(hand.cards)
    return f"{hand.owner}: {best}", f"{Hand([Card(rank)])!r}", str({"k": (Score(rank, Card(1)),)})


@case((3,), (0,))
def misdealt(rank):
    if rank > 2:
        raise ValueError(f"not in the deck: {Card(rank)}")
    return ", ".join(str(Card(each)) for each in (rank, 2))


@case((3,), (0,))
def same_prices(price):
    ours, theirs = {"tea": 1, "milk": price}, {}
    theirs["milk"], theirs["tea"] = 3, 1
    nested = {"shop": ours} == {"shop": theirs}
    return ours == theirs, ours != {"tea": 1}, ours in [theirs], nested, Score(price, 2) in [(3, 2)]


@case((1,), (2,), (3,))
def taken_apart_by_name(n):
    sizes = {n: 10, 2: 30}
    low, high = sizes
    few, many = sizes.values()
    (first, _), (_, second) = sizes.items()
    return low, high, few + many, first + second


@case((3,), (0,), (6,))
def tasks_in_turn(n):
    order, heap = itertools.count(), []
    while n > 0:
        heapq.heappush(heap, (n % 2, next(order), n))
        n -= 1
    return [heapq.heappop(heap) for _ in range(len(heap))], next(order)


class Waiting:
    def __init__(self):
        self.heap, self.order = [], itertools.count(1, 2)

    def push(self, priority, item):
        heapq.heappush(self.heap, (priority, next(self.order), item))

    def pop(self):
        if not self.heap:
            raise IndexError("nobody waits")
        return heapq.heappop(self.heap)[-1]


@case(([3, 1, 1],), ([5],), ([],))
def served(xs):
    waiting = Waiting()
    for x in xs:
        if x > 0:
            waiting.push(x, x * 10)
    seen = []
    while True:
        try:
            seen.append(waiting.pop())
        except IndexError as error:
            return seen, str(error), next(waiting.order)


@case(([7, 2, 7, 7, 2],), ([4],), ([],))
def numbered(xs):
    fresh, ids = itertools.count(), {}
    for x in xs:
        if x not in ids:
            ids[x] = next(fresh)
    return [ids[x] for x in xs], next(fresh)


@case((3, 0.5), (0, 2.0))
def named(n, step):
    places, heights = itertools.count(), itertools.count(1.0, step)

    def name():
        return f"t{next(places)}"

    names = []
    while n > 0:
        names.append(name())
        if n % 2 == 0:
            next(heights)
        n -= 1
    pairs = list(zip("ab", places, strict=False))
    return names, name(), next(heights), pairs, isinstance(places, itertools.count), str(places)
