"""Programs of textbooks with sets, dicts and lists at places that only the run knows."""

# ruff: noqa: RUF005

import heapq
import itertools
import operator
from collections import OrderedDict, deque
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum

from tests.textbook.bank import bank

case, CASES = bank()

LANES = {0: {1: 7, 2: 3}, 1: {0: 7, 3: 2}, 2: {0: 3, 1: 1}, 3: {}}
FRIENDS = {0: [1, 3], 1: [2], 2: [0], 3: [4], 4: []}
PAIRS = [[0, 1], [1, 2], [0, 2], [2, 0]]


# Graphs that the caller gives


@case((LANES, 0, 3), (LANES, 2, 1), (LANES, 3, 0))
def cheapest(lanes, start, goal):
    waiting, done = [(0, start)], set()
    while waiting:
        cost, town = heapq.heappop(waiting)
        if town == goal:
            return cost
        if town in done:
            continue
        done.add(town)
        for other, toll in lanes[town].items():
            if other not in done:
                heapq.heappush(waiting, (cost + toll, other))
    return -1


@case((FRIENDS, 0), (FRIENDS, 3))
def acquainted(friends, person):
    known, waiting = {person}, deque([person])
    while waiting:
        for other in friends[waiting.popleft()]:
            if other not in known:
                known.add(other)
                waiting.append(other)
    return known


@case((FRIENDS, 0, 4), (FRIENDS, 1, 3), (FRIENDS, 4, 0))
def chain_of_friends(friends, first, last):
    chains = [[first]]
    while chains:
        chain = chains.pop(0)
        if chain[-1] == last:
            return chain
        for other in friends[chain[-1]]:
            if other not in chain:
                chains.append(chain + [other])
    return []


def _hops(friends, person):
    hops, waiting = {person: 0}, [person]
    while waiting:
        at = waiting.pop(0)
        for other in friends[at]:
            if other not in hops:
                hops[other] = hops[at] + 1
                waiting.append(other)
    return hops


@case((0,), (2,))
def hops_of_display(person):
    return _hops({0: [1, 3], 1: [2], 2: [0], 3: [4], 4: []}, person)


@case(([(1, 4), (6, 2), (3, 3)], 0), ([(1, 4), (6, 2), (3, 3)], 2))
def widest_from(spans, start):
    best, i = spans[start], start
    while i < len(spans):
        low, high = spans[i]
        if high - low > best[1] - best[0]:
            best = spans[i]
        i += 1
    return best


@case(([{1, 2}, {0}, {0, 1}], 2), ([{1, 2}, {0}, {0, 1}], 1))
def shared_friends(near, person):
    return sorted(near[person]), len(near[person] & near[0]), 1 in near[person]


# One of several sets or dicts


@case((PAIRS,))
def played_against(games):
    met = [set() for _ in range(3)]
    for home, guest in games:
        met[home].add(guest)
        met[guest].add(home)
    return [sorted(each) for each in met]


@case((PAIRS, 1), (PAIRS, 0))
def seated(games, table):
    rooms = {0: set(), 1: set(), 2: set()}
    for room, guest in games:
        if guest in rooms[room]:
            rooms[room].discard(guest)
        else:
            rooms[room].add(guest + table)
    return rooms


@case((PAIRS,))
def tallies(games):
    wins = [{}, {}, {}]
    for home, guest in games:
        wins[home][guest] = wins[home].get(guest, 0) + 1
    return [len(each) for each in wins], wins[0]


@case(([2, 3, 5], 9), ([4, 1, 1], 5), ([7, 7, 7], 6))
def fullest(weights, room):
    best = [{} for _ in range(4)]

    def pack(at, left):
        if at == 3:
            return 0
        if left in best[at]:
            return best[at][left]
        found = pack(at + 1, left)
        if weights[at] <= left:
            found = max(found, weights[at] + pack(at + 1, left - weights[at]))
        best[at][left] = found
        return found

    return pack(0, room)


@case((0,), (1,))
def age_and_name(at):
    people = [{"age": 31, "name": "Ada"}, {"age": 44, "name": "Emil"}]
    return people[at]["age"] + len(people[at]["name"])


@case((0, 3), (1, 9), (0, 9))
def looked_up(at, key):
    tables = [{3: 4}, {9: 8}]
    return tables[at][key]


@case((0,), (1,))
def taken_out(at):
    bags = [{5}, {6, 5}]
    bags[at].remove(6)
    return bags


# Sets as results


@case(([4, 1, 4, 2],), ([7],))
def distinct(numbers):
    return set(numbers)


@case(([4, 1, 4, 2], [2, 9, 4]), ([1], [2]))
def in_both(numbers, others):
    known = set(numbers)
    return {number for number in others if number in known}


@case((3,), (0,))
def corners(size):
    found = set()
    for row in range(size):
        if row % 2 == 0:
            found.add((row, size - row))
    return found


# Lists beside others


@case(([4, 2, 7, 1],), ([3],))
def spans(prices):
    rising, ended = [], []
    for price in prices:
        while rising and rising[-1][0] > price:
            value, place = rising.pop()
            ended.append([value, place])
        rising.append([price, len(rising)])
    return ended, rising


@case((12,), (7,), (16,))
def products(number):
    waiting, found = [(number, 2, [])], []
    while waiting:
        rest, least, taken = waiting.pop()
        while least * least <= rest:
            if rest % least == 0:
                found.append(taken + [least, rest // least])
                waiting.append((rest // least, least, taken + [least]))
            least += 1
    return found


@case((PAIRS, 3), ([[1, 1]], 2))
def lightest(edges, size):
    best = [-1] * size
    for weight, (one, other) in enumerate(edges):
        for node in (one, other):
            if best[node] == -1 or best[node][2] > weight:
                best[node] = [one, other, weight]
    return [edge[2] for edge in best if edge != -1]


# Generators


@case(([2, 5], 1), ([3], 7))
def balances(changes, start):
    return list(itertools.accumulate(changes, initial=start))


@dataclass
class Task:
    name: int
    effort: int


@case((PAIRS,), ([[3, 1], [4, 0]],))
def by_effort(pairs):
    tasks = sorted((Task(*pair) for pair in pairs), key=operator.attrgetter("effort"))
    return [task.name for task in tasks]


@case((PAIRS, 3), ([[0, 1], [1, 2]], 4))
def in_turn(pairs, size):
    waits, after = [0] * size, [[] for _ in range(size)]
    for first, second in pairs:
        after[first].append(second)
        waits[second] += 1
    ready = deque(node for node in range(size) if waits[node] == 0)
    order = []
    while ready:
        node = ready.popleft()
        order.append(node)
        for other in after[node]:
            waits[other] -= 1
            if waits[other] == 0:
                ready.append(other)
    return order


# Recursion over parts of a tensor


@case((2, [3, 5, 2, 9]), (1, [4, 8]), (0, [6]))
def best_of_tree(depth, leaves):
    if depth == 0:
        return leaves[0]
    half = len(leaves) // 2
    left = best_of_tree(depth - 1, leaves[:half])
    return max(-left, best_of_tree(depth - 1, leaves[half:]))


# Dicts of which the order is changed


class LatestUsed:
    def __init__(self, capacity):
        self.capacity = capacity
        self.entries = OrderedDict()

    def get(self, key):
        if key not in self.entries:
            return -1
        self.entries.move_to_end(key)
        return self.entries[key]

    def put(self, key, value):
        if key in self.entries:
            self.entries.move_to_end(key)
        self.entries[key] = value
        if len(self.entries) > self.capacity:
            self.entries.popitem(last=False)


@case(([3, 5, 1, 3], 5), ([2, 2, 1, 5], 2), ([1, 7, 1, 4], 9))
def latest_used(keys, asked):
    cache = LatestUsed(2)
    for at, key in enumerate(keys):
        cache.put(key, at)
    found = cache.get(asked)
    cache.put(8, found)
    return found, list(cache.entries.items()), 8 in cache.entries


@case(([3, 5, 1],), ([4, 4, 2],), ([0, 7, 0],))
def turned_orders(keys):
    order, turned = OrderedDict(), OrderedDict()
    for key in keys:
        order[key] = key * key
    for key in reversed(keys):
        turned[key] = key * key
    same = order == turned, order == order.copy(), order == dict(turned)
    order.move_to_end(keys[0])
    order.move_to_end(keys[1], last=False)
    kind = isinstance(order, OrderedDict), type(order.copy()) is OrderedDict
    return same, list(order), kind, order.popitem(), order.popitem(last=False)


@case((3,), (1,))
def moved_if_there(key):
    order = OrderedDict([(1, "a"), (2, "b")])
    try:
        order.move_to_end(key)
    except KeyError:
        return -1
    return len(order)


@case((3,), (0,), (2,))
def queue_as_expected(n):
    queue, known = deque(), deque([1, n])
    for i in range(n):
        queue.append(i)
    same = queue == deque([0, 1, 2]), deque([0, 1, 2]) != queue, deque([0, 1, 2]) in [queue]
    order = queue < deque([0, 1, 3]), deque([0, 1, 2]) <= queue, known > deque([1, 2])
    return same, order, queue == [0, 1, 2], known == deque([1, 3])


@case((3,), (0,), (1,))
def multiplied_in_place(n):
    grown, known = [], [1, 2]
    for i in range(n):
        grown.append(i)
    other = grown
    grown *= 2
    known *= n
    for i in range(n):
        grown *= i
    return other, known, other is grown, len(known)


@case((3,), (0,))
def kinds_of_joined_sets(n):
    seen = set()
    for i in range(n):
        seen.add(i)
    fixed = frozenset({1, 5})
    left = type(fixed & seen), type(fixed | seen), type(fixed - seen), type(fixed ^ seen)
    right = type(seen & fixed), type({1} & frozenset(seen)), type(frozenset(seen) | {9})
    names = [kind.__name__ for kind in (*left, *right)]
    return names, (fixed & seen) == {1}, isinstance(fixed | seen, frozenset), len(fixed - seen)


# Members of enums that are equal to numbers and texts


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Unit(StrEnum):
    METRE = "m"
    YARD = "yd"


class Side(str, Enum):  # noqa: UP042
    LEFT = "l"
    RIGHT = "r"


@case((3,), (0,), (7,))
def members_among_numbers(n):
    level = Level.LOW if n > 2 else Level.HIGH
    seen = {level}
    prices = {(1, "x"): 10, (Level.HIGH, "x"): 20}
    met = set()
    for each in (level, 1, 2, Level.HIGH):
        met.add(each)
    return 1 in seen, Level.HIGH in seen, len({level, 1}), {level: 5} == {1: 5}, len(met), (
        prices.get((level, "x"), 0), prices[level, "x"], (level, "x") in prices,
    )  # fmt: skip


@case((1,), (2,), (7,))
def numbers_among_members(n):
    seen = {n}
    prices = {(Level.LOW, 1): 10, (Level.HIGH, 1): 20}
    return Level.LOW in seen, len({n, Level.LOW}), prices.get((n, 1), 0), (n, 1) in prices


@case((3,), (0,))
def members_among_texts(n):
    unit, side = (Unit.METRE, Side.LEFT) if n > 2 else (Unit.YARD, Side.RIGHT)
    lengths = {("m", 1): 10, (Unit.YARD, 1): 20, ("l", 1): 30}
    counts = {"m": 1}
    counts[unit] = n
    met = set()
    for each in (unit, "m", "yd", side, "l"):
        met.add(each)
    name = "m" if n > 2 else "yd"
    return len({unit, "m"}), "m" in {unit}, len(counts), counts["m"], len(met), Side.LEFT in met, (
        lengths[unit, 1], lengths.get((side, 1), 0), lengths[name, 1], (name, 1) in lengths,
    )  # fmt: skip


@case((3,), (0,))
def members_and_texts_among_numbers(n):
    found = Level.LOW if n > 2 else "x"
    return len({found, 1}), found in {1: n}, found in {"x": n}, (found, n) in {(1, 3): 5}


@case((3,), (0,), (5,))
def members_as_places(n):
    level = Level.LOW if n > 2 else Level.HIGH
    counts, table = [5, 6, 7], [[0] * 3 for _ in range(3)]
    counts[level] += n
    counts[level], counts[0] = counts[0], counts[level]
    table[level][level] = n
    counts.insert(level, 9)
    before = counts[:level]
    taken = counts.pop(level)
    del counts[level:]
    for i in range(n):
        counts.append(i)
    return counts, table, before, taken, counts[-level], list(enumerate("ab", level))


@case((3,), (0,))
def items_that_intersections_keep(n):
    level, more = Level.LOW if n > 2 else Level.HIGH, n > 1
    kept = [{1, 2} & {level}, {level} & {1, 2}, {1, 2, 5}.intersection({level})]
    others = [{1, 0} & {more}, {more}.intersection([0, 1]), {0, 1}.intersection([more])]
    changed = {1, 2, 3}
    changed &= {True, 2.0}
    known = sorted(str(each) for each in changed)
    return [f"{max(each)!r}" for each in kept], [f"{max(each)}" for each in others], known


KNOWN = {1, 2, 33}


@case((3,), (0,))
def sets_made_by_operators(x):
    rest = KNOWN - {33}
    more = {5} | KNOWN
    both = set(range(4)) & KNOWN
    if x > 0:
        rest.add(7)
        more.discard(1)
        both.add(x + 9)
    return len(rest), sorted(rest), sorted(more), sum(both)


# Frozensets in lists and dicts of which only the run knows the items


@case((3,), (5,))
def frozensets_in_a_list(n):
    rows = []
    for i in range(n):
        rows.append(frozenset([i, i % 2]))
    total = 0
    for row in rows:
        total += len(row) * 10 + (1 in row)
    kinds = [type(row).__name__ for row in (rows[0], rows[-1], rows.pop(), rows[1].copy())]
    return total, kinds, rows[0] == frozenset([0]), len(rows[0] | rows[1]), sorted(rows[1])


@case((3,), (5,))
def frozensets_stay_what_they_were(n):
    rows = [frozenset([i]) for i in range(n)]
    rows[n // 2] = rows[0] | {7}
    kept = rows[n // 2]
    rows[n // 2] = frozenset()
    last = rows.pop()
    last |= {9}
    rows.reverse()
    return sorted(kept), sorted(last), len(rows), frozenset([0]) in rows, last in rows


@case((3,), (6,))
def frozensets_under_keys(n):
    groups = {}
    for i in range(n):
        groups[i % 3] = groups.get(i % 3, frozenset()) | {i}
    best = frozenset()
    for group in groups.values():
        if len(group) > len(best):
            best = group
    return sorted(best), groups[0] == frozenset([0, 3]), 2 in groups[2], len(groups)


@case((4,), (7,))
def states_met(n):
    met, state = [], frozenset([0])
    while state not in met:
        met.append(state)
        state = frozenset([x * 2 % n for x in state] + [1])
    return len(met), sorted(state), [len(each) for each in met]


@case((3,), (0,))
def views_of_a_chosen_dict(n):
    summer, winter = {"beach": 4}, {"snow": 2, "lake": n}
    season = summer if n > 2 else winter
    total = 0
    for name, days in season.items():
        total = total * 10 + days * len(name)
    pairs = sorted(season.items()), [(name, days) for name, days in season.items()]
    asked = "snow" in season, 4 in season.values()
    sizes = sum(season.values()), max(season.values()), len(season.items()), any(season.values())
    names, days = list(season.keys()), list(season.values())
    return total, pairs, asked, sizes, names, days


@case((3,), (0,))
def first_large_entry_of_a_chosen_dict(n):
    entries = {1: 2} if n > 2 else {3: 4, 5: n}
    for place, (key, value) in enumerate(entries.items()):
        if value > 3:
            return place * 10 + key
    return -1
