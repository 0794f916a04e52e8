"""Programs of textbooks with empty places in tables, texts in lists, and graphs given as dicts."""

from tests.textbook.bank import bank

case, CASES = bank()

ROADS = {0: [1, 2], 1: [0, 3], 2: [0], 3: [1], 4: []}
TOLLS = {0: [(1, 4), (2, 1)], 1: [(3, 5)], 2: [(1, 2)], 3: []}
BOARD = [["x", "o", "."], [".", "x", "."], ["o", ".", "x"]]


# Empty places


@case((9,), (1,), (0,))
def fibonacci_filled(n):
    known = [None] * (n + 1)

    def term(k):
        if k < 2:
            return k
        if known[k] is None:
            known[k] = term(k - 1) + term(k - 2)
        return known[k]

    return term(n)


@case((3, 3), (1, 4), (0, 2))
def routes_filled(rows, columns):
    known = [[None] * (columns + 1) for _ in range(rows + 1)]

    def routes(i, j):
        if i == 0 or j == 0:
            return 1
        if known[i][j] is None:
            known[i][j] = routes(i - 1, j) + routes(i, j - 1)
        return known[i][j]

    return routes(rows, columns)


@case(([5, 8, 3, 10], 7), ([4], 1))
def probed_slots(keys, size):
    slots = [None] * size
    for key in keys:
        at = key % size
        while slots[at] is not None:
            at = (at + 1) % size
        slots[at] = key
    return slots


@case((9,), (1,))
def heap_ancestors(n):
    parents = [None] * n
    for i in range(1, n):
        parents[i] = (i - 1) // 2
    path = []
    node = n - 1
    while node is not None:
        path.append(node)
        node = parents[node]
    return path


@case(([1, 2, 3], 3), ([1, 2, 3], 2))
def ring_of_slots(items, size):
    ring = [None] * size
    for count, item in enumerate(items):
        if count == size:
            raise OverflowError("the ring is full")
        ring[count % size] = item
    first, ring[0] = ring[0], None
    return first, ring.count(None), ring


@case((3, 1), (4, 3))
def best_of_pairs(n, at):
    best = [(None, 0)] * n
    best[at] = (at, 7)
    return best


@case((4,), (1,))
def nothing_yet(n):
    made = []
    for _ in range(n):
        made.append(None)
    return made


# Texts in lists


@case((12,), (-3,), (5,), (-40,))
def spoken(n):
    words = []
    if n < 0:
        words.append("minus")
        n = -n
    if n > 10:
        words.append("many")
    words.append(str(n))
    return " ".join(words)


@case((27,), (4,), (0,))
def digits_in_four(n):
    digits = []
    while n > 0:
        digits.append(str(n % 4))
        n //= 4
    return "".join(reversed(digits))


@case((4,), (1,))
def places_of(n):
    made = ["start"]
    for i in range(1, n):
        made.append(f"place {i}")
    return made


@case((4, 2), (2, 0))
def dotted_line(n, at):
    line = ["."] * n
    line[at] = "#"
    return "".join(line)


@case((BOARD, 0, 1), (BOARD, 2, 2), (BOARD, 3, 0))
def piece_at(board, row, column):
    piece = board[row][column]
    return "empty" if piece == "." else piece


@case((BOARD, 3), (BOARD, 1))
def diagonal_won(board, n):
    return all(board[i][i] == "x" for i in range(n))


@case((["a", "b", "c"], 1), (["a"], 0), (["a"], 2))
def renamed(names, at):
    names[at] = "z"
    return names


@case((10,), (1,), (0,), (255,))
def binary_by_recursion(n):
    if n < 2:
        return str(n)
    return binary_by_recursion(n // 2) + str(n % 2)


@case((4,), (1,))
def said_aloud(n):
    if n == 1:
        return "1"
    before = said_aloud(n - 1)
    said = ""
    count = 1
    for i in range(len(before)):
        if i + 1 < len(before) and before[i] == before[i + 1]:
            count += 1
        else:
            said += str(count) + before[i]
            count = 1
    return said


@case((4,), (0,))
def beats_and_length(n):
    if n == 0:
        return "", 0
    beats, length = beats_and_length(n - 1)
    return beats + ("tick" if n % 2 else "tock"), length + 4


@case(([(3, 1), (0, 2), (5, 5)],), ([(1, 1), (1, 0)],))
def lowest_first(points):
    lowest = min(points, key=lambda point: (point[1], point[0]))
    points.pop(points.index(lowest))
    return [lowest, *points]


# Graphs as dicts


@case((ROADS, 0), (ROADS, 3), (ROADS, 4), (ROADS, 5))
def reached_by_roads(roads, start):
    seen = {start}
    order = []
    queue = [start]
    while queue:
        town = queue.pop(0)
        order.append(town)
        for other in roads[town]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return order


@case((ROADS, 0, 3), (ROADS, 4, 0), (ROADS, 1, 1))
def roads_between(roads, start, goal):
    steps = {start: 0}
    towns = [start]
    for town in towns:
        if town == goal:
            return steps[town]
        for other in roads[town]:
            if other not in steps:
                steps[other] = steps[town] + 1
                towns.append(other)
    return -1


@case((TOLLS, 0, 3), (TOLLS, 2, 1))
def cheapest_toll(tolls, start, goal):
    costs = [999] * len(tolls)
    costs[start] = 0
    for _ in range(len(tolls)):
        for town in tolls:
            for other, toll in tolls[town]:
                costs[other] = min(costs[other], costs[town] + toll)
    return costs[goal]


@case(({1: "one", 2: "two"}, 2), ({1: "one"}, 3))
def name_of(names, n):
    return names[n]


@case(({1: 10, 5: 3}, 5), ({1: 10, 5: 3}, 2))
def price_or_zero(prices, item):
    return prices.get(item, 0) if item in prices else -1
