"""Graphs as dicts of sets, and lists of lists in an order that the run finds."""

from collections import defaultdict, deque
from heapq import heappush, heappushpop

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
