"""Programs of textbooks that compare tuples, index texts and iterate over sets by names of which
nothing tells what they are.
"""

# ruff: noqa: B905

from collections import deque
from heapq import heapify, heappop, heappushpop
from itertools import groupby

from tests.textbook.bank import bank

case, CASES = bank()

ROOMS = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
LINKS = [[1, 2], [3], [3], []]


# Texts at places of the run


@case(("banana", 2), ("banana", 6), ("ab", 5))
def pieces(text, size):
    return [text[at : at + size] for at in range(len(text) - size + 1)]


@case(("lighthouse", 3), ("lighthouse", 23), ("x", 0))
def turned(text, by):
    by %= len(text)
    return text[by:] + text[:by]


@case(("signal", [2, 0, 5]), ("signal", [-1]), ("signal", [6]))
def spelled(text, places):
    return "".join(text[place] for place in places)


def _initial(name, at):
    return name[at]


@case(("ada", "lovelace", 0), ("ada", "lovelace", 2))
def initials(first, last, at):
    return _initial(first, at) + _initial(last, at)


# Tuples by names


@case(([3, 1, 2], [1, 1, 9]), ([1, 1], [5, 4]), ([7], [7]))
def least_pair(firsts, seconds):
    least = None
    for pair in zip(firsts, seconds):
        if least is None or pair < least:
            least = pair
    return least


@case((ROOMS, (0, 0), (2, 2)), (ROOMS, (2, 0), (0, 0)))
def steps_between(rooms, start, goal):
    queue, steps = deque([start]), {start: 0}
    while queue:
        here = queue.popleft()
        if here == goal:
            return steps[here]
        row, column = here
        for there in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            r, c = there
            inside = 0 <= r < len(rooms) and 0 <= c < len(rooms[0])
            if inside and rooms[r][c] == 1 and there not in steps:
                steps[there] = steps[here] + 1
                queue.append(there)
    return -1


@case(([(1, 4), (2, 2), (0, 3)], 2), ([(5, 0)], 1))
def nearest(points, count):
    heap = [(-(x * x + y * y), (x, y)) for x, y in points[:count]]
    heapify(heap)
    for x, y in points[count:]:
        heappushpop(heap, (-(x * x + y * y), (x, y)))
    return [heappop(heap)[1] for _ in range(count)]


class Forest:
    def __init__(self):
        self.above = {}

    def plant(self, item):
        self.above[item] = item

    def root(self, item):
        while item != self.above[item]:
            item = self.above[item]
        return item


@case(([(0, 0), (0, 1)], (0, 1)), ([(2, 3), (1, 1), (0, 5)], (0, 5)))
def roots(places, asked):
    forest = Forest()
    for place in map(tuple, places):
        forest.plant(place)
        forest.above[place] = tuple(places[0])
    return forest.root(tuple(asked))


class Sorter:
    def order(self, count, after):
        waits = [0] * count
        for nexts in after:
            for each in nexts:
                waits[each] += 1
        ready = [item for item in range(count) if waits[item] == 0]
        done = []
        while ready:
            item = ready.pop(0)
            done.append(item)
            for each in after[item]:
                waits[each] -= 1
                if waits[each] == 0:
                    ready.append(each)
        return done if len(done) == count else []


@case(
    (0, 1, 2, 3),
)
def sorted_jobs(a, b, c, d):
    return Sorter().order(4, [[b], [c, d], [d], []]) + Sorter().order(2, [[b], [a]])


# Sets of the run, in any order


@case(([3, 34, 4, 12], 19), ([3, 34, 4, 12], 20), ([], 0))
def can_be_paid(coins, price):
    sums = {0}
    for coin in coins:
        sums |= {known + coin for known in sums}
    return price in sums


@case(([8, 3, 5],), ([10],), ([1, 2, 4, 9],))
def least_difference(weights):
    whole, sums = sum(weights), {0}
    for weight in weights:
        sums = sums | {known + weight for known in sums}
    return min(abs(whole - 2 * known) for known in sums)


@case(([4, 6, 7, 6], 6), ([1, 2], 9), ([0, 3, 5], 3))
def facts_without(numbers, left_out):
    rest = set(numbers)
    rest.discard(left_out)
    return (
        sum(number * number for number in rest),
        any(number > 5 for number in rest),
        all(number % 2 == 0 for number in rest),
        sorted(number % 5 for number in rest),
        len({number // 2 for number in rest}),
        max((number - 4 for number in rest), default=None),
    )


@case(([1, 2, 3], [2]), ([5, 1], [7]))
def sums_of_two(numbers, taken):
    left = set(numbers) - set(taken)
    return {a + b for a in left for b in left if a != b}


@case(([[0, 1], [1, 1], [2, 1]], 1), ([[0, 1], [1, 1], [2, 1]], 2))
def generations(cells, count):
    alive = {(row, column) for row, column in cells}
    for _ in range(count):
        near = {}
        for row, column in alive:
            for r in (row - 1, row, row + 1):
                for c in (column - 1, column, column + 1):
                    if (r, c) != (row, column):
                        near[r, c] = near.get((r, c), 0) + 1
        alive = {cell for cell, n in near.items() if n == 3 or (n == 2 and cell in alive)}
    return sorted(alive)


@case(([9, 3, 17, 3, -4, 1 << 40, 8], [2, 2, 0, 1, -1, 5, 6]), ([1], [1]))
def met_pairs(rows, columns):
    met = set()
    for row, column in zip(rows, columns):
        met.add((row, column))
        met.add((column, row))
    return list(met)


# Keys that may be None, rows that a round changes, answers with names


@case(({"tea": 3, "ale": 2}, {"tea": 30, "ale": 20}), ({"tea": 1, "ale": 9}, {"tea": 5, "ale": 6}))
def of_the_cheapest(prices, stock):
    cheapest, least = None, 1_000_000
    for name, price in prices.items():
        if price < least:
            cheapest, least = name, price
    return stock[cheapest]


@case(({"tea": 3, "ale": 2}, 5), ({"tea": 3, "ale": 2}, 1))
def of_the_affordable(prices, money):
    found = None
    for name, price in prices.items():
        if price <= money:
            found = name
    return {"tea": "leaves", "ale": "barrels"}[found]


@case(([[1, 1, 0], [0, 0, 1], [1, 0, 1]],), ([[0, 0], [0, 0]],))
def lakes(ground):
    def fill(row, column):
        if not (0 <= row < len(ground) and 0 <= column < len(ground[0])):
            return
        if ground[row][column] != 1:
            return
        ground[row][column] = 0
        fill(row + 1, column)
        fill(row, column + 1)
        fill(row - 1, column)
        fill(row, column - 1)

    count = 0
    for row in range(len(ground)):
        for column, cell in enumerate(ground[row]):
            if cell == 1:
                fill(row, column)
                count += 1
    return count


@case(([1, 2], 4), ([5], 2))
def doubled_while_short(items, limit):
    total = 0
    for at, item in enumerate(items, 1):
        if item < limit:
            items.append(item * 2)
        total += at * item
    return total


@case((12, 18), (7, 0), (0.5, 2), (0.5, 0.25))
def common_divisor(a, b):
    a_is_whole = isinstance(a, int)
    b_is_whole = isinstance(b, int)
    a, b = abs(a), abs(b)
    if not (a_is_whole or b_is_whole):
        raise TypeError("whole numbers, please")
    if a == 0 or b == 0:
        raise ValueError("zero has no divisor")
    while b != 0:
        a, b = b, a % b
    return a


# Groups of equal neighbours


@case(([1, 1, 2, 3, 3, 3],), ([5],), ([2, 2],))
def run_lengths(numbers):
    return [(number, len(list(group))) for number, group in groupby(numbers)]


@case(([4, 4, 4, 1],), ([0],))
def spoken(numbers):
    return " ".join(f"{sum(1 for _ in group)}x{number}" for number, group in groupby(numbers))


@case((11222,), (7,), (909,))
def look_and_say(number):
    said = ""
    for digit, group in groupby(str(number)):
        said += str(len(list(group))) + digit
    return said


@case((1,), (4,), (6,))
def count_and_say(n):
    term = "1"
    for _ in range(n - 1):
        term = "".join(str(len(list(group))) + digit for digit, group in groupby(term))
    return term


@case((1,), (2,))
def runs_of_a_chosen_text(n):
    letters = "aabbb" if n > 1 else "abb"
    return [(letter, len(list(group))) for letter, group in groupby(letters)]


@case(([1, 1, 0, 1, 1, 1],), ([0],))
def longest_streak(flips):
    return max((sum(group) for side, group in groupby(flips) if side == 1), default=0)


@case((1, 5), (4, 4), (0, 2))
def groups_by_a_key_that_python_knows(first, second):
    log, sums = [], {}

    def year(sale):
        log.append(sale[0])
        return sale[0]

    sales = [(2021, first), (2021, second), (2022, first + second), (2021, 0)]
    for found, group in groupby(sales, key=year):
        log.append("group")
        sums.setdefault(found, []).append(sum(count for _, count in group if count > 1))
    late = [len(list(group)) for _, group in groupby(sales, lambda sale: sale[0] > 2021)]
    return sums, log, late


@case(([3, 3, 1],), ([2],))
def groups_kept_too_long(numbers):
    kept = [group for _, group in groupby(numbers)]
    return [list(group) for group in kept]


# Keys that the run chooses among texts


class Registers:
    def __init__(self):
        self.held = {"a": 0, "b": 0}
        self.line = 0

    def run(self, program):
        while self.line < len(program):
            order, name, number = program[self.line]
            if order == "set":
                self.held[name] = number
            elif order == "add":
                self.held[name] += number
            elif self.held[name] != 0:
                self.line += number
                continue
            self.line += 1
        return self.held


@case((3,), (1,))
def counted_down(start):
    steps = [("set", "a", start), ("add", "b", 2), ("add", "a", -1), ("jump", "a", -2)]
    return Registers().run(steps)


# The first of what there is


@case(([1, 2, 3], 4), ([9, 4], 2), ([1], 0))
def first_greater(numbers, count):
    return [next((number for number in numbers if number > at), -1) for at in range(count)]


@case(([5, 8, 2], 3), ([1], 2))
def total_of_first(numbers, count):
    total = 0
    for at in range(count):
        total += next((number for number in numbers if number > at * 2), 100)
    return total


@case((9, 2), (4, 3), (0, 1))
def newest(count, most):
    held = {}
    for at in range(count):
        held.pop(at % 5, None)
        held[at % 5] = at
        if len(held) > most:
            del held[next(iter(held), 0)]
    return list(held.items())


@case((3, 2), (1, 1), (0, 4))
def weighed_rows(count, width):
    total = 0
    for row, cells in enumerate([[at for at in range(width)] for _ in range(count)]):
        for column, cell in enumerate(cells, 1):
            total += row * column + cell
    return total
