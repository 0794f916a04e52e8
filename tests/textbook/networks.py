"""Graphs as dicts of dicts, sets and lists, and lists of lists in an order that the run finds."""

import enum
from collections import defaultdict, deque
from heapq import heappop, heappush, heappushpop

from tests.textbook.bank import bank

case, CASES = bank()

EDGES = [[0, 1], [0, 2], [1, 2], [2, 3], [0, 1]]


@case((EDGES, 0, 3), ([[1, 2], [3, 4]], 1, 4))
def path_between(edges, start, goal):
    adjacent = defaultdict(set)
    for u, v in edges:
        adjacent[u].add(v)
        adjacent[v].add(u)
    queue = deque([[start]])
    seen = {start}
    while queue:
        path = queue.popleft()
        node = path[-1]
        if node == goal:
            return path
        for neighbour in sorted(adjacent[node]):
            if neighbour not in seen:
                seen.add(neighbour)
                queue.append([*path, neighbour])
    return None


@case((EDGES, 4))
def degrees_of_all(edges, n):
    adjacent = {i: set() for i in range(n)}
    for u, v in edges:
        adjacent[u].add(v)
        adjacent[v].add(u)
    return [len(adjacent[i]) for i in range(n)]


@case((EDGES, 0, 1), (EDGES, 0, 3))
def mutual_friends(edges, a, b):
    friends = {}
    for u, v in edges:
        friends.setdefault(u, set()).add(v)
        friends.setdefault(v, set()).add(u)
    return sorted(friends[a] & friends[b]), sorted(friends[a] | friends[b])


@case((EDGES,), ([[0, 1], [1, 2], [2, 0]],))
def in_layers(edges):
    waits = {}
    for before, after in edges:
        waits.setdefault(before, set())
        waits.setdefault(after, set()).add(before)
    layers = []
    while waits:
        ready = sorted(node for node, others in waits.items() if not others)
        if not ready:
            raise ValueError("there is a cycle")
        layers += ready
        for node in ready:
            del waits[node]
        for others in waits.values():
            others -= set(ready)
    return layers


@case((EDGES, 3))
def triangles(edges, n):
    adjacent = defaultdict(set)
    for u, v in edges:
        adjacent[u].add(v)
        adjacent[v].add(u)
    found = 0
    for u in range(n):
        for v in sorted(adjacent[u]):
            found += len(adjacent[u] & adjacent[v])
    return found // 6


@case(([3, 1, 3, 7, 1, 4], 3))
def numbers_by_rest(numbers, divisor):
    groups = {}
    for number in numbers:
        if number % divisor not in groups:
            groups[number % divisor] = set()
        groups[number % divisor].add(number)
    return {rest: sorted(group) for rest, group in groups.items()}


@case(([[3, 3], [5, -1], [-2, 4]], 2), ([[1, 1]], 1))
def nearest_points(points, count):
    heap = []
    for x, y in points:
        distance = -(x * x + y * y)
        if len(heap) < count:
            heappush(heap, (distance, x, y))
        else:
            heappushpop(heap, (distance, x, y))
    return sorted([[x, y] for _, x, y in heap])


@case((6, 4), (3, 9))
def pairs_with_sum(n, total):
    pairs = []
    for a in range(n):
        for b in range(a, n):
            if a + b == total:
                pairs.append([b, a])
    pairs.sort()
    return pairs, sorted(pairs, key=lambda pair: pair[::-1], reverse=True)


ROADS = {"a": {"b": 4, "c": 1}, "b": {"d": 1}, "c": {"b": 2, "d": 5}, "d": {}}


@case((1,), (0,))
def shortest_among_names(x):
    start = "a" if x > 0 else "b"
    dist = {u: float("inf") for u in ROADS}
    dist[start] = 0
    heap = [(0, start)]
    while heap:
        d, u = heappop(heap)
        if d > dist[u]:
            continue
        for v, w in ROADS[u].items():
            if d + w < dist[v]:
                dist[v] = d + w
                heappush(heap, (d + w, v))
    return dist["d"]


@case((1,), (0,))
def neighbours_of_a_name(x):
    row = ROADS.get("a" if x > 0 else "z", {})
    known = ROADS.get("b" if x > 0 else "z")
    return len(row), "b" in row, sum(row.values()), -1 if known is None else len(known)


@case((1,), (0,))
def walked_by_names(x):
    near = {"a": ["b", "c"], "b": ["d"], "c": ["b"], "d": []}
    start = "a" if x > 0 else "c"
    seen = {start}
    queue = [start]
    order = []
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in near[u]:
            if v not in seen:
                seen.add(v)
                queue.append(v)
    near[start].append("z")
    return order, len(near["a"]), len(near["c"])


@case((0,), (1,), (2,))
def walked_over_sets(start):
    near = {0: {1, 2}, 1: {33, 3}, 2: {3, 1}, 3: set(), 33: {0}}
    seen = {start}
    queue = [start]
    order = []
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in near[u]:
            if v not in seen:
                seen.add(v)
                queue.append(v)
    return order, list(near[start]), next(iter(near[start]))


@case((1,), (0,))
def sets_that_grow(x):
    near = [{1, 2}, {3}]
    near[0].add(40)
    listed = [v for v in near[x]]
    if x > 0:
        near[1].add(40)
    total = 0
    for v in near[x]:
        total = total * 10 + v
    return listed, total


class Stop(enum.Enum):
    NORTH = 1
    SOUTH = 2


LINES = {Stop.NORTH: {"one": 1}, Stop.SOUTH: {"two": 2, "three": 3}}
NEXT = {(Stop.NORTH, 1): Stop.SOUTH, (Stop.SOUTH, 1): Stop.NORTH, (Stop.SOUTH, 2): Stop.SOUTH}


@case((1,), (0,))
def lines_of_a_stop(x):
    stop = Stop.NORTH if x > 0 else Stop.SOUTH
    near = {Stop.SOUTH: [7], len: [], abs: [8, 9]}
    return sum(LINES[stop].values()), len(near[stop]), len(near[abs if x > 0 else len])


@case(([1, 1, 1],), ([1, 2, 3],))
def stops(steps):
    stop = Stop.NORTH
    for step in steps:
        if (stop, step) in NEXT:
            stop = NEXT[stop, step]
    other = Stop.NORTH
    for step in steps:
        other = NEXT.get((other, step), other)
    return stop is Stop.SOUTH, other is Stop.SOUTH


@case((3, 1), (1, 7))
def stop_that_is_not_there(step, x):
    stop = Stop.NORTH if x < 5 else Stop.SOUTH
    return NEXT[stop, step] is stop


@case((1,), (0,))
def key_that_is_not_there(x):
    known = {(1, "a"): 2}
    try:
        return known[x, "a"]
    except KeyError as error:
        return str(error), error.args[0]
