"""Linked lists, trees, graphs, union-find, stacks and queues of textbooks."""

# ruff: noqa: B905, RUF005

import heapq
from collections import deque
from dataclasses import dataclass

from tests.textbook.bank import bank

case, CASES = bank()


class ListNode:
    def __init__(self, data):
        self.data = data
        self.next = None


class LinkedList:
    def __init__(self):
        self.head = None
        self.size = 0

    def push(self, data):
        node = ListNode(data)
        node.next = self.head
        self.head = node
        self.size += 1

    def append(self, data):
        node = ListNode(data)
        self.size += 1
        if self.head is None:
            self.head = node
            return
        current = self.head
        while current.next is not None:
            current = current.next
        current.next = node

    def reverse(self):
        previous, current = None, self.head
        while current:
            following = current.next
            current.next = previous
            previous, current = current, following
        self.head = previous

    def __len__(self):
        return self.size

    def __iter__(self):
        node = self.head
        while node:
            yield node.data
            node = node.next


@case((3, 5, 1), (0, 0, 0))
def linked_list_reversed(a, b, c):
    items = LinkedList()
    for x in (a, b, c):
        items.append(x)
    items.reverse()
    found = []
    node = items.head
    while node:
        found.append(node.data)
        node = node.next
    return found, len(items)


@case(([3, 5, 1],), ([0],))
def linked_list_iterated(xs):
    items = LinkedList()
    for x in xs:
        items.push(x)
    return [x * 2 for x in items]


@case(([3, 5, 1], 5), ([0], 5))
def linked_list_found(xs, target):
    items = LinkedList()
    for x in xs:
        items.append(x)
    at, node = 0, items.head
    while node:
        if node.data == target:
            return at
        node = node.next
        at += 1
    return -1


class Bag:
    def __init__(self, items):
        self.items = list(items)
        self.asked = 0

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        self.asked += 1
        return iter(self.items)


@case(([3, 5, 1, 2], 2), ([4, 4], 9), ([1], 0))
def elements_of_a_bag(xs, limit):
    bag = Bag(xs)
    largest, least = max(bag), min(bag, key=lambda x: -x)
    for x in xs:
        if x > limit:
            bag.items.append(x * 10)
    return list(bag), sum(bag), max(bag), sorted(bag), len(bag), largest, least, bag.asked


class Link:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next

    def __iter__(self):
        yield self.value
        if self.next:
            yield from self.next


@case((3, 5), (5, 3), (5, 5))
def linked_if_ascending(a, b):
    link = Link(a)
    if a < b:
        link.next = Link(b, Link(a + b))
    total = 0
    for value in link:
        total += value
    return total, list(link), max(link)


class TreeNode:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(root, key):
    if root is None:
        return TreeNode(key)
    if key < root.key:
        root.left = insert(root.left, key)
    else:
        root.right = insert(root.right, key)
    return root


def in_order(root):
    return in_order(root.left) + [root.key] + in_order(root.right) if root else []


@case((5, 2, 8), (1, 2, 3), (3, 2, 1))
def tree_sort(a, b, c):
    root = None
    for key in (a, b, c):
        root = insert(root, key)
    return in_order(root)


def build():
    root = TreeNode(8)
    root.left, root.right = TreeNode(3), TreeNode(10)
    root.left.left, root.left.right = TreeNode(1), TreeNode(6)
    return root


@case((6,), (7,), (8,), (1,))
def tree_search(key):
    node = build()
    depth = 0
    while node is not None and node.key != key:
        node = node.left if key < node.key else node.right
        depth += 1
    return depth, node is not None


@case((6,), (7,), (8,))
def tree_search_recursive(key):
    def search(node):
        if node is None:
            return False
        if node.key == key:
            return True
        return search(node.left) if key < node.key else search(node.right)

    return search(build())


@case((6,), (0,))
def tree_depth_sum(extra):
    def total(node, depth):
        if node is None:
            return 0
        return node.key * depth + extra + total(node.left, depth + 1) + total(node.right, depth + 1)

    return total(build(), 1)


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.rank = [0] * n
        self.count = n

    def find(self, x):
        if self.parent[x] != x:
            self.parent[x] = self.find(self.parent[x])
        return self.parent[x]

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = b, a
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        self.count -= 1
        return True


@case((5, [0, 1, 3], [1, 2, 4]), (3, [0, 0], [1, 1]), (4, [2], [2]))
def union_find_recursive(n, starts, ends):
    sets = UnionFind(n)
    for a, b in zip(starts, ends):
        sets.union(a, b)
    return sets.count, sets.find(1) == sets.find(2)


@case(([0, 0, 1, 2], [1, 2, 3, 3], [1, 4, 6, 1], 3), ([0], [1], [7], 1), ([0], [1], [7], 3))
def bellman_ford(starts, ends, weights, target):
    distance = [10**9] * 4
    distance[0] = 0
    for _ in range(3):
        for u, v, w in zip(starts, ends, weights):
            if distance[u] != 10**9 and distance[u] + w < distance[v]:
                distance[v] = distance[u] + w
    return distance[target]


GRAPH = [[(1, 4), (2, 1)], [(3, 1)], [(1, 2), (3, 5)], []]


@case((0, 3), (1, 2), (3, 3), (0, 1))
def dijkstra_lists(start, end):
    distance = [float("inf")] * 4
    visited = [False] * 4
    distance[start] = 0
    for _ in range(4):
        best = -1
        for v in range(4):
            if not visited[v] and (best == -1 or distance[v] < distance[best]):
                best = v
        visited[best] = True
        for neighbour, weight in GRAPH[best]:
            if distance[best] + weight < distance[neighbour]:
                distance[neighbour] = distance[best] + weight
    return distance[end]


MATRIX = [[0, 4, 1, 0], [0, 0, 0, 1], [0, 2, 0, 5], [0, 0, 0, 0]]


@case((0,), (1,), (3,))
def dijkstra_matrix(source):
    n = len(MATRIX)
    distance = [1000] * n
    done = [False] * n
    distance[source] = 0
    for _ in range(n):
        u, smallest = 0, 10**6
        for v in range(n):
            if not done[v] and distance[v] <= smallest:
                u, smallest = v, distance[v]
        done[u] = True
        for v in range(n):
            if MATRIX[u][v] > 0 and not done[v] and distance[v] > distance[u] + MATRIX[u][v]:
                distance[v] = distance[u] + MATRIX[u][v]
    return distance


@case((0, 3), (3, 0), (1, 1))
def breadth_first(start, goal):
    neighbours = [[1, 2], [0, 3], [0, 3], [1, 2]]
    queue, distance = [start], [-1] * 4
    distance[start] = 0
    while queue:
        node = queue.pop(0)
        if node == goal:
            return distance[node]
        for other in neighbours[node]:
            if distance[other] == -1:
                distance[other] = distance[node] + 1
                queue.append(other)
    return -1


@case((0,), (2,), (4,))
def depth_first_recursive(start):
    edges = [[1, 2], [3], [3], [], [0]]
    visited = [False] * 5

    def visit(node):
        visited[node] = True
        for other in edges[node]:
            if not visited[other]:
                visit(other)

    visit(start)
    return sum(visited)


@case((0,), (2,), (4,))
def depth_first_stack(start):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: [], 4: [0]}
    stack, seen = [start], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for other in edges[node]:
            if other not in seen:
                stack.append(other)
    return len(seen)


@case(([5, 3, 8, 1],), ([2],))
def heap_merge(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    total = 0
    while len(heap) > 1:
        cost = heapq.heappop(heap) + heapq.heappop(heap)
        total += cost
        heapq.heappush(heap, cost)
    return total


class CircularQueue:
    def __init__(self, size):
        self.size = size
        self.items = [None] * size
        self.front = 0
        self.count = 0

    def put(self, item):
        if self.count == self.size:
            raise OverflowError("QUEUE IS FULL")
        self.items[(self.front + self.count) % self.size] = item
        self.count += 1
        return self

    def get(self):
        if self.count == 0:
            raise IndexError("UNDERFLOW")
        item = self.items[self.front]
        self.items[self.front] = None
        self.front = (self.front + 1) % self.size
        self.count -= 1
        return item


@case(([4, 5], 1), ([4], 2), ([1, 2, 3, 4], 1), ([1, 2, 3], 3))
def circular_queue(xs, takes):
    queue = CircularQueue(3)
    for x in xs:
        queue.put(x)
    total = 0
    for _ in range(takes):
        total += queue.get()
    return total, queue.count


@case(([3, 4, -1, 5, -2],), ([7],), ([1, -1],))
def postfix(tokens):
    stack = []
    for token in tokens:
        if token >= 0:
            stack.append(token)
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if token == -1 else a * b)
    return stack.pop()


@case(([4, 5, 2, 25],), ([3, 2, 1],))
def next_greater(xs):
    result, stack = [-1] * len(xs), []
    for i, x in enumerate(xs):
        while stack and xs[stack[-1]] < x:
            result[stack.pop()] = x
        stack.append(i)
    return result


@case((3,), (0,), (5,))
def tickets(n):
    queue = deque([2, 3, n])
    time = 0
    while queue:
        need = queue.popleft()
        time += 1
        if need > 1:
            queue.append(need - 1)
    return time


class Vector:
    def __init__(self, components):
        self.components = list(components)

    def __len__(self):
        return len(self.components)

    def __add__(self, other):
        if len(self) != len(other):
            raise Exception("must have the same size")
        return Vector([a + b for a, b in zip(self.components, other.components)])

    def __mul__(self, other):
        if isinstance(other, Vector):
            return sum(a * b for a, b in zip(self.components, other.components))
        return Vector([c * other for c in self.components])

    def __getitem__(self, i):
        if i < -len(self) or i >= len(self):
            raise IndexError("index out of range")
        return self.components[i]

    def __str__(self):
        return "(" + ",".join(map(str, self.components)) + ")"

    @property
    def length(self):
        return (self * self) ** 0.5


@case((3, 4), (0, 0), (-1, 2))
def vector_arithmetic(x, y):
    v, w = Vector([x, y]), Vector([1, 2])
    print(v + w)
    return (v + w).components, v * w, (v * 3)[1], v.length


@case((3, 1), (0, 5), (2, -1))
def vector_item(x, i):
    return Vector([x, 7, 8])[i]


class Temperature:
    def __init__(self, celsius):
        self._celsius = celsius

    @property
    def celsius(self):
        return self._celsius

    @celsius.setter
    def celsius(self, value):
        if value < -273.15:
            raise ValueError("below absolute zero")
        self._celsius = value

    @property
    def state(self):
        if self._celsius <= 0:
            return "ice"
        return "water" if self._celsius < 100 else "steam"


@case((20.0, 5.0), (-200.0, -100.0), (90.0, 30.0))
def temperature(start, change):
    t = Temperature(start)
    t.celsius += change
    return t.celsius, t.state == "steam"


class Rational:
    def __init__(self, p, q):
        if q < 0:
            p, q = -p, -q
        self.p, self.q = p, q

    def __add__(self, other):
        return Rational(self.p * other.q + other.p * self.q, self.q * other.q)

    def __eq__(self, other):
        return self.p * other.q == other.p * self.q

    def __lt__(self, other):
        return self.p * other.q < other.p * self.q

    def __neg__(self):
        return Rational(-self.p, self.q)

    def __abs__(self):
        return self if self.p >= 0 else -self

    def __str__(self):
        return f"{self.p}/{self.q}"


@case((1, 2), (-3, 6), (5, -10))
def rational_sum(p, q):
    total = Rational(p, q) + Rational(1, 2)
    print("total:", total)
    return total.p, total.q, total == Rational(1, 1), abs(Rational(p, q)) < Rational(2, 1)


@dataclass
class Item:
    weight: int
    value: int

    @property
    def ratio(self):
        return self.value / self.weight


@case((10, 50), (3, 7), (60, 1))
def greedy_knapsack(capacity, first_value):
    items = [Item(5, first_value), Item(4, 40), Item(6, 30), Item(3, 50)]
    items.sort(key=lambda item: item.ratio, reverse=True)
    total = 0.0
    for item in items:
        if capacity >= item.weight:
            capacity -= item.weight
            total += item.value
        else:
            total += item.ratio * capacity
            break
    return total


@case(([3, 9, 20, 4, 7],), ([1],), ([2, 1, 3],))
def levels_of_a_tree(values):
    tree = {}
    root = values[0]
    for value in values:
        if value not in tree:
            tree[value] = [None, None]
        node = root
        while node != value:
            side = 0 if value < node else 1
            if tree[node][side] is None:
                tree[node][side] = value
            node = tree[node][side]
    level, depth = [root], 0
    while level:
        depth += 1
        level = [child for node in level for child in tree[node] if child is not None]
    return depth


@case((5,), (1,), (3,))
def parents_of(n):
    parent = {}
    for i in range(1, n):
        parent[i] = i // 2
    node = n - 1 if n > 2 else None
    known = node in parent, parent.get(node, -1)
    if n > 2:
        return known, parent[node]
    return known


@case((4,), (1,))
def named_after(n):
    named = {}
    for i in range(n):
        named[i] = i * i
    last = None
    if n > 3:
        last = 2
    return named[last]


@case((4,), (1,))
def passed_by(n):
    passed = set()
    for i in range(n):
        passed.add(i)
    last = None
    if n > 3:
        last = 2
    return last in passed


class IndexedList(LinkedList):
    def __getitem__(self, place):
        if not 0 <= place < self.size:
            raise IndexError("list index out of range")
        current = self.head
        for _ in range(place):
            current = current.next
        return current.data

    def remove(self, data):
        previous, current = None, self.head
        while current and current.data != data:
            previous, current = current, current.next
        if current is None:
            raise ValueError(f"{data} not in list")
        if previous:
            previous.next = current.next
        else:
            self.head = current.next
        self.size -= 1


@case(([1, 2, 3], 1, 2), ([4], 0, 9), ([5, 6], 2, 5), ([7], 0, 7))
def item_and_rest(values, place, gone):
    items = IndexedList()
    for value in values:
        items.append(value)
    found = items[place]
    items.remove(gone)
    return found, list(items), items[0]
