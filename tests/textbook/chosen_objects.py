"""Programs of textbooks with objects of their own classes, of which the run chooses one: in lists
that grow, sorted, linked to each other.
"""

# ruff: noqa: B905, F841, RUF005, RUF007, RUF012, RUF059

from __future__ import annotations

import heapq
import io
import numbers
import operator
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import total_ordering
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from tests.textbook.bank import bank

case, CASES = bank()


class Item:
    def __init__(self, weight, value):
        self.weight = weight
        self.value = value

    def ratio(self):
        return self.value / self.weight


@case(([10, 20, 30], [60, 100, 120], 50), ([5], [10], 3))
def fractional_knapsack(weights, values, capacity):
    items = []
    for i in range(len(weights)):
        items.append(Item(weights[i], values[i]))
    items.sort(key=lambda it: it.ratio(), reverse=True)
    total = 0.0
    for item in items:
        if item.weight <= capacity:
            capacity -= item.weight
            total += item.value
        else:
            total += item.ratio() * capacity
            break
    return total


class Person:
    def __init__(self, age):
        self.age = age

    def is_adult(self):
        return self.age >= 18


@case((0, 5), (2, 7))
def birthday(i, n):
    people = [Person(10), Person(20), Person(30)]
    people[i].age += n
    return [p.age for p in people]


class Account:
    def __init__(self, number, balance=0):
        self.number = number
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("Insufficient funds")
        self.balance -= amount


class Bank:
    def __init__(self):
        self.accounts = []

    def open(self, balance):
        account = Account(len(self.accounts), balance)
        self.accounts.append(account)
        return account

    def find(self, number):
        for account in self.accounts:
            if account.number == number:
                return account
        return None

    def transfer(self, source, target, amount):
        a = self.find(source)
        b = self.find(target)
        if a is None or b is None:
            return False
        a.withdraw(amount)
        b.deposit(amount)
        return True

    def total(self):
        return sum(a.balance for a in self.accounts)


@case((0, 1, 30), (1, 0, 500), (0, 7, 1))
def bank_transfer(source, target, amount):
    bank = Bank()
    bank.open(100)
    bank.open(50)
    bank.open(25)
    ok = bank.transfer(source, target, amount)
    return ok, [a.balance for a in bank.accounts], bank.total()


class DictBank:
    def __init__(self):
        self.accounts = {}

    def open(self, number, balance):
        self.accounts[number] = Account(number, balance)

    def transfer(self, source, target, amount):
        if source not in self.accounts or target not in self.accounts:
            raise KeyError("no such account")
        self.accounts[source].withdraw(amount)
        self.accounts[target].deposit(amount)


@case((1, 2, 30), (2, 1, 500), (1, 7, 1))
def bank_dict(source, target, amount):
    bank = DictBank()
    bank.open(1, 100)
    bank.open(2, 50)
    bank.transfer(source, target, amount)
    return bank.accounts[1].balance, bank.accounts[2].balance


@dataclass(order=True)
class Job:
    priority: int
    name: int = field(compare=False)


@case(([3, 1, 2],), ([5, 4],))
def job_queue(priorities):
    heap = []
    for i, p in enumerate(priorities):
        heapq.heappush(heap, Job(p, i))
    order = []
    while heap:
        order.append(heapq.heappop(heap).name)
    return order


class Card:
    def __init__(self, rank, suit):
        self.rank = rank
        self.suit = suit

    def __lt__(self, other):
        return (self.rank, self.suit) < (other.rank, other.suit)

    def __eq__(self, other):
        return self.rank == other.rank and self.suit == other.suit


@case(([5, 3, 5, 2], [1, 2, 0, 3]))
def sort_hand(ranks, suits):
    hand = []
    for r, s in zip(ranks, suits):
        hand.append(Card(r, s))
    hand.sort()
    return [(c.rank, c.suit) for c in hand]


@case((5, 3, 4))
def highest_card(a, b, c):
    hand = [Card(a, 0), Card(b, 1), Card(c, 2)]
    return max(hand).suit, min(hand).rank, sorted(hand)[1].rank


class Token:
    def __init__(self, kind, value):
        self.kind = kind
        self.value = value


@case(([1, 0, 2, 0],))
def stack_of_tokens(xs):
    stack = []
    for x in xs:
        if x > 0:
            stack.append(Token(1, x))
        else:
            t = stack.pop()
            stack.append(Token(2, t.value * 10))
    total = 0
    while stack:
        t = stack.pop()
        total = total * 2 + t.value + t.kind
    return total


class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


@case((1, 2, 3, 0), (1, 2, 3, 2), (4, 5, 6, 5))
def kth_node(a, b, c, k):
    head = Node(a, Node(b, Node(c)))
    node = head
    for _ in range(k):
        node = node.next
    return node.value


class LinkedList:
    def __init__(self):
        self.head = None
        self.length = 0

    def append(self, value):
        node = Node(value)
        if self.head is None:
            self.head = node
        else:
            cur = self.head
            while cur.next is not None:
                cur = cur.next
            cur.next = node
        self.length += 1

    def insert(self, index, value):
        if index == 0:
            self.head = Node(value, self.head)
        else:
            prev = self.head
            for _ in range(index - 1):
                prev = prev.next
            prev.next = Node(value, prev.next)
        self.length += 1

    def remove(self, value):
        prev, cur = (None, self.head)
        while cur is not None:
            if cur.value == value:
                if prev is None:
                    self.head = cur.next
                else:
                    prev.next = cur.next
                self.length -= 1
                return True
            prev, cur = (cur, cur.next)
        return False

    def reverse(self):
        prev, cur = (None, self.head)
        while cur:
            cur.next, prev, cur = (prev, cur, cur.next)
        self.head = prev

    def to_list(self):
        out, cur = ([], self.head)
        while cur is not None:
            out.append(cur.value)
            cur = cur.next
        return out


@case((0, 9), (1, 9), (3, 9))
def insert_at(i, v):
    lst = LinkedList()
    for x in [1, 2, 3]:
        lst.append(x)
    lst.insert(i, v)
    return lst.to_list(), lst.length


@case((1,), (2,), (3,), (7,))
def remove_value(v):
    lst = LinkedList()
    for x in [1, 2, 3]:
        lst.append(x)
    found = lst.remove(v)
    return found, lst.to_list(), lst.length


@case((1,), (-1,))
def reverse_if(v):
    lst = LinkedList()
    for x in [1, 2, 3]:
        lst.append(x)
    if v > 0:
        lst.reverse()
    return lst.to_list()


@case(([4, 5, 6],), ([1],))
def linked_from_list(xs):
    lst = LinkedList()
    for x in xs:
        lst.append(x)
    lst.reverse()
    return lst.to_list()


@case((4,), (0,))
def linked_range(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    total = 0
    while head is not None:
        total = total * 10 + head.value
        head = head.next
    return total


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Tree(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Tree(key)
        else:
            self.right.insert(key)

    def contains(self, key):
        if key == self.key:
            return True
        child = self.left if key < self.key else self.right
        return child is not None and child.contains(key)


@case((5, 3, 8, 3), (1, 2, 3, 9))
def bst_known(a, b, c, q):
    root = Tree(a)
    root.insert(b)
    root.insert(c)
    return root.contains(q)


class BST:
    def __init__(self):
        self.root = None
        self.size = 0

    def insert(self, key):
        self.size += 1
        if self.root is None:
            self.root = Tree(key)
            return
        node = self.root
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = Tree(key)
                    return
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(key)
                    return
                node = node.right

    def contains(self, key):
        node = self.root
        while node is not None:
            if key == node.key:
                return True
            node = node.left if key < node.key else node.right
        return False

    def minimum(self):
        node = self.root
        while node.left is not None:
            node = node.left
        return node.key

    def inorder(self):
        out = []

        def visit(n):
            if n is None:
                return
            visit(n.left)
            out.append(n.key)
            visit(n.right)

        visit(self.root)
        return out

    def height(self):

        def h(n):
            return 0 if n is None else 1 + max(h(n.left), h(n.right))

        return h(self.root)


@case(([5, 3, 8, 1],), ([2, 1],))
def bst_loop(xs):
    t = BST()
    for x in xs:
        t.insert(x)
    return t.inorder(), t.height(), t.minimum()


@case(([5, 3, 8, 1], 8), ([2, 1], 7))
def bst_search(xs, q):
    t = BST()
    for x in xs:
        t.insert(x)
    return t.contains(q), t.size


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))
        self.rank = [0] * n

    def find(self, x):
        if self.parent[x] != x:
            self.parent[x] = self.find(self.parent[x])
        return self.parent[x]

    def union(self, a, b):
        a, b = (self.find(a), self.find(b))
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = (b, a)
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        return True


class Edge:
    def __init__(self, u, v, w):
        self.u, self.v, self.w = (u, v, w)


@case(([0, 1, 0, 2], [1, 2, 2, 3], [4, 1, 3, 2]))
def kruskal(us, vs, ws):
    edges = []
    for u, v, w in zip(us, vs, ws):
        edges.append(Edge(u, v, w))
    edges.sort(key=lambda e: e.w)
    uf = UnionFind(4)
    total = 0
    for e in edges:
        if uf.union(e.u, e.v):
            total += e.w
    return total


class Vector:
    def __init__(self, x, y):
        self.x, self.y = (x, y)

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y


@case(([1, 2, 3], [4, 5, 6]))
def vector_sum(xs, ys):
    vs = [Vector(x, y) for x, y in zip(xs, ys)]
    total = Vector(0, 0)
    for v in vs:
        total = total + v
    return total.x, total.y, Vector(2, 5) in vs


class Particle:
    def __init__(self, x, v):
        self.x, self.v = (x, v)

    def step(self, dt):
        self.x += self.v * dt
        if self.x > 10.0 or self.x < 0.0:
            self.v = -self.v


@case(([1.0, 5.0], [2.0, -1.0], 5))
def particles_listed(xs, vs, n):
    ps = []
    for x, v in zip(xs, vs):
        ps.append(Particle(x, v))
    for _ in range(n):
        for p in ps:
            p.step(0.5)
    return sum(p.x for p in ps)


class Interval:
    __slots__ = ("end", "start")

    def __init__(self, start, end):
        self.start, self.end = (start, end)


@case(([1, 3, 0, 5], [2, 4, 6, 7]))
def activity_selection(starts, ends):
    ivs = [Interval(s, e) for s, e in zip(starts, ends)]
    ivs.sort(key=lambda i: i.end)
    count, last = (0, -1)
    for iv in ivs:
        if iv.start >= last:
            count += 1
            last = iv.end
    return count


@case(([1, 2, 8], [3, 6, 10]))
def merge_intervals(starts, ends):
    ivs = sorted([Interval(s, e) for s, e in zip(starts, ends)], key=lambda i: i.start)
    merged = [ivs[0]]
    for iv in ivs[1:]:
        if iv.start <= merged[-1].end:
            merged[-1].end = max(merged[-1].end, iv.end)
        else:
            merged.append(iv)
    return [(m.start, m.end) for m in merged]


class State:
    def __init__(self, cost, at):
        self.cost, self.at = (cost, at)

    def __lt__(self, other):
        return self.cost < other.cost


@case((0, 3), (3, 0))
def dijkstra_objects(s, t):
    graph = {0: [(1, 4), (2, 1)], 1: [(3, 1)], 2: [(1, 2), (3, 5)], 3: []}
    heap = [State(0, s)]
    done = set()
    while heap:
        st = heapq.heappop(heap)
        if st.at == t:
            return st.cost
        if st.at in done:
            continue
        done.add(st.at)
        for v, w in graph[st.at]:
            heapq.heappush(heap, State(st.cost + w, v))
    return -1


class Process:
    def __init__(self, pid, burst):
        self.pid, self.burst = (pid, burst)


@case(([5, 3, 1], 2))
def round_robin(bursts, quantum):
    q = deque()
    for i, b in enumerate(bursts):
        q.append(Process(i, b))
    order, time = ([], 0)
    while q:
        p = q.popleft()
        run = min(quantum, p.burst)
        time += run
        p.burst -= run
        if p.burst > 0:
            q.append(p)
        else:
            order.append(p.pid)
    return order, time


class Shape:
    def area(self):
        raise NotImplementedError


class Square(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s * self.s


class Rect(Shape):
    def __init__(self, w, h):
        self.w, self.h = (w, h)

    def area(self):
        return self.w * self.h


@case((2, 3), (-1, 4))
def shapes(a, b):
    shapes = [Square(a), Rect(a, b)]
    best = max(shapes, key=lambda s: s.area())
    total = 0
    for s in shapes:
        total += s.area()
    return total, best.area()


@case(([1, 2, 3],))
def shapes_loop(xs):
    shapes = []
    for x in xs:
        if x % 2 == 0:
            shapes.append(Square(x))
        else:
            shapes.append(Rect(x, x + 1))
    return sum(s.area() for s in shapes)


class Team:
    def __init__(self, name):
        self.name = name
        self.points = 0
        self.goals = 0

    def win(self):
        self.points += 3

    def draw(self):
        self.points += 1


@case(([0, 1, 0], [2, 0, 1], [1, 1, 2], [1, 3, 0]))
def league_loop(homes, aways, hg, ag):
    teams = [Team(i) for i in range(3)]
    for h, a, x, y in zip(homes, aways, hg, ag):
        if x > y:
            teams[h].win()
        elif x < y:
            teams[a].win()
        else:
            teams[h].draw()
            teams[a].draw()
        teams[h].goals += x
        teams[a].goals += y
    teams.sort(key=lambda t: (-t.points, -t.goals))
    return [t.name for t in teams], [t.points for t in teams]


class Entry:
    def __init__(self, key, value):
        self.key, self.value = (key, value)


class HashTable:
    def __init__(self, size):
        self.size = size
        self.buckets = [[] for _ in range(size)]

    def put(self, key, value):
        bucket = self.buckets[key % self.size]
        for e in bucket:
            if e.key == key:
                e.value = value
                return
        bucket.append(Entry(key, value))

    def get(self, key):
        for e in self.buckets[key % self.size]:
            if e.key == key:
                return e.value
        return None


@case((1, 5, 1), (2, 6, 6), (1, 1, 1))
def hash_table(a, b, q):
    t = HashTable(4)
    t.put(a, 10)
    t.put(b, 20)
    r = t.get(q)
    return -1 if r is None else r


@case((5,), (0,))
def swap_players(n):

    class Player:
        def __init__(self):
            self.score = 0

    a, b = (Player(), Player())
    current, other = (a, b)
    for i in range(n):
        current.score += i
        current, other = (other, current)
    return a.score, b.score


@case(([1, 2, 1], [5, 6, 7]))
def accounts_by_id(ids, amounts):
    accounts = {}
    for i, a in zip(ids, amounts):
        if i not in accounts:
            accounts[i] = Account(i)
        accounts[i].deposit(a)
    return sum(x.balance for x in accounts.values()), accounts[1].balance


@case((5, 2))
def josephus_linked(n, k):
    head = Node(1)
    prev = head
    for i in range(2, 6):
        prev.next = Node(i)
        prev = prev.next
    prev.next = head
    node = prev
    for _ in range(k):
        node = node.next
    return node.value


@case((1, 4, 2, 3), (5, 6, 1, 2))
def merge_linked(a, b, c, d):
    x, y = (Node(a, Node(b)), Node(c, Node(d)))
    dummy = tail = Node(0)
    while x and y:
        if x.value <= y.value:
            tail.next, x = (x, x.next)
        else:
            tail.next, y = (y, y.next)
        tail = tail.next
    tail.next = x or y
    out, n = ([], dummy.next)
    while n:
        out.append(n.value)
        n = n.next
    return out


@case((0, 50), (1, 70))
def replace_item(i, v):
    items = [Item(1, 10), Item(2, 20)]
    items[i] = Item(3, v)
    return [it.value for it in items], items[i].weight


@case((1,), (-1,))
def alias(x):
    a = Item(1, x)
    items = [a]
    if x > 0:
        items.append(a)
    items[0].value += 5
    return a.value, items[-1].value, len(items)


@case((1,), (-1,))
def current_player(x):

    class Player:
        def __init__(self):
            self.score = 0

    a, b = (Player(), Player())
    current = a if x > 0 else b
    current.score += 5
    return a.score, b.score


@case((5,), (1,), (9,))
def sorted_insert(x):
    head = Node(2, Node(4, Node(6)))
    if x < head.value:
        head = Node(x, head)
    else:
        cur = head
        while cur.next is not None and cur.next.value < x:
            cur = cur.next
        cur.next = Node(x, cur.next)
    out = []
    while head:
        out.append(head.value)
        head = head.next
    return out


class Thing:
    def __init__(self, w, v):
        self.w, self.v = (w, v)


@case((0, 5), (1, 7))
def same_in_two_lists(i, n):
    a = Thing(1, 2)
    b = Thing(3, 4)
    one, two = ([a, b], [b, a])
    one[i].v += n
    return [x.v for x in one], [x.v for x in two], a.v


@case((0,), (1,))
def is_same(i):
    a, b = (Thing(1, 2), Thing(1, 2))
    xs = [a, b]
    return xs[i] is a, xs[i] is b, xs[i] is not a, xs[i] == a, xs[i] in [a], a in xs


@case((3,), (0,))
def grown_alias(n):
    items = []
    first = Thing(0, 0)
    items.append(first)
    for i in range(n):
        items.append(Thing(i, i))
        items.append(first)
    first.v = 9
    items[0].w = 7
    return [x.v for x in items], first.w, items[-1].w


@dataclass
class P:
    x: int
    y: int = 0

    def norm(self):
        return self.x * self.x + self.y * self.y


@case((3,), (0,))
def dataclass_eq(n):
    ps = [P(1, n), P(2, 2)]
    return (
        ps[n % 2] == P(2, 2),
        P(1, n) in ps,
        ps.index(P(2, 2)),
        ps.count(P(2, 2)),
        P(n, 1) == P(3, 1),
        P(n, 1) != P(3, 1),
    )


@dataclass(frozen=True, order=True)
class V:
    major: int
    minor: int


@case(([3, 1, 2],), ([5, 5],))
def versions(xs):
    vs = []
    for i, x in enumerate(xs):
        vs.append(V(x, i))
    vs.sort(reverse=True)
    return [(v.major, v.minor) for v in vs], max(vs).minor, min(vs).major, vs[0] > vs[1]


@case((3,), (2,))
def frozen_assign(n):
    vs = [V(1, n), V(2, 2)]
    v = vs[n % 2]
    try:
        v.major = 5
    except AttributeError:
        return -1
    return v.major


@total_ordering
class Age:
    def __init__(self, n):
        self.n = n

    def __eq__(self, o):
        return self.n == o.n

    def __lt__(self, o):
        return self.n < o.n


@case(([3, 1, 2],), ([5, 5],))
def ages(xs):
    a = [Age(x) for x in xs]
    return [y.n for y in sorted(a)], a[0] >= a[1], a[0] > a[1], max(a).n


@case(([3, 1, 2],), ([5, 5],))
def ages_grown(xs):
    a = []
    for x in xs:
        a.append(Age(x))
    a.sort(reverse=True)
    return [y.n for y in a], a[0] >= a[1], Age(2) in a


class Temp:
    def __init__(self, c):
        self._c = c

    @property
    def f(self):
        return self._c * 2 + 32

    @f.setter
    def f(self, v):
        self._c = (v - 32) // 2

    def __str__(self):
        return f"{self._c}C"

    def __len__(self):
        return 3

    def __bool__(self):
        return self._c > 0

    def __call__(self, k):
        return self._c * k

    def __getitem__(self, i):
        return self._c + i

    def __contains__(self, x):
        return x == self._c

    def __add__(self, o):
        return Temp(self._c + o._c)

    def __neg__(self):
        return Temp(-self._c)

    def __iter__(self):
        return iter([self._c, self._c + 1])


@case((3,), (0,))
def dunders(n):
    ts = [Temp(n), Temp(2)]
    t = ts[n % 2]
    t.f = 40
    u = t + ts[0]
    k = 1 if u else 2
    return (
        t.f,
        u(3),
        u[1],
        4 in t,
        (-t)._c,
        k,
        len(t),
        str(t),
        sum(t),
        isinstance(t, Temp),
        type(t) is Temp,
    )


class Peg:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

    def pop(self):
        return self.items.pop()


@case((3,), (0,))
def hanoi_pegs(n):
    pegs = [Peg() for _ in range(3)]
    for i in range(n):
        pegs[0].push(i)
    for i in range(n):
        pegs[i % 2 + 1].push(pegs[0].pop())
    return len(pegs[1].items), len(pegs[2].items), pegs[1].items


@case((5,), (0,))
def dict_attr(n):

    class T:
        def __init__(self):
            self.d = {}

    ts = [T(), T()]
    for i in range(n):
        ts[i % 2].d[i] = i * i
    return len(ts[0].d), sum(ts[1].d.values())


@case((5,), (0,))
def try_attr(n):
    xs = [Thing(1, n), None]
    try:
        return xs[n % 2].v
    except AttributeError:
        return -1


@case((5,), (0,))
def deque_of(n):
    q = deque()
    for i in range(n):
        q.append(Thing(i, i))
    total = 0
    while q:
        it = q.popleft()
        total = total * 2 + it.v
        if it.w == 3:
            q.append(Thing(7, 7))
    return total


@case(([3, 1, 2],))
def heap_tuples(xs):
    h = []
    for i, x in enumerate(xs):
        heapq.heappush(h, (x, i, Thing(x, i)))
    out = []
    while h:
        p, i, it = heapq.heappop(h)
        out.append(it.v)
    return out


@case(([3, 1, 3],))
def sort_tuples_with(xs):
    h = []
    for i, x in enumerate(xs):
        h.append((x, Age(i)))
    h.sort()
    return [a.n for _, a in h]


class Link:
    def __init__(self, value):
        self.value = value
        self.next = None

    def __repr__(self):
        return f"Node({self.value})"


@case((3,), (0,))
def cycle(n):
    a, b = (Link(1), Link(2))
    a.next, b.next = (b, a)
    node = a
    for _ in range(n):
        node = node.next
    node.value = 50
    return a.value, b.value, a.next.next is a, node is a


@case((3,), (0,))
def has_cycle(n):
    nodes = [Link(i) for i in range(4)]
    for i in range(3):
        nodes[i].next = nodes[i + 1]
    nodes[3].next = nodes[n]
    slow = fast = nodes[0]
    while fast is not None and fast.next is not None:
        slow = slow.next
        fast = fast.next.next
        if slow is fast:
            return True
    return False


@case((4,), (0,))
def length_rec(n):
    head = None
    for i in range(n):
        x = Link(i)
        x.next = head
        head = x

    def length(node):
        if node is None:
            return 0
        return 1 + length(node.next)

    return length(head)


@case((4,), (0,))
def reverse_rec(n):
    head = None
    for i in range(n):
        x = Link(i)
        x.next = head
        head = x

    def rev(node):
        if node is None or node.next is None:
            return node
        new = rev(node.next)
        node.next.next = node
        node.next = None
        return new

    h = rev(head)
    out = []
    while h:
        out.append(h.value)
        h = h.next
    return out


@case((3,), (0,))
def try_in(n):

    class R:
        def __init__(self, v):
            if v < 1:
                raise ValueError("small")
            self.v = v

    rs = [R(1), R(2)]
    rs[n % 2].v += 1
    try:
        rs.append(R(n))
    except ValueError:
        rs[0].v = -1
    return rs[0].v, len(rs)


@case((3,), (0,))
def init_registers(n):

    class R:
        all = []

        def __init__(self, v):
            self.v = v
            R.all.append(self)

    R(1)
    R(2)
    R.all[n % 2].v += 1
    return [r.v for r in R.all]


@case((3,), (0,))
def parent_links(n):

    class T:
        def __init__(self, v, parent=None):
            self.v = v
            self.parent = parent
            self.children = []
            if parent is not None:
                parent.children.append(self)

    root = T(1)
    a = T(2, root)
    b = T(3, root)
    node = root.children[n % 2]
    node.parent.v += 10
    return root.v, len(root.children), node.v


@case((3,), (0,))
def poly_grown(n):

    class A:
        def __init__(self, v):
            self.v = v

        def f(self):
            return self.v

    class B(A):
        def f(self):
            return -self.v

    xs = []
    for i in range(n):
        if i % 2:
            xs.append(A(i))
        else:
            xs.append(B(i))
    total = 0
    for x in xs:
        total = total * 3 + x.f()
    return total


@case((3,), (0,))
def singleton(n):

    class S:
        it = None

        def __new__(cls):
            if cls.it is None:
                cls.it = super().__new__(cls)
                cls.it.v = 0
            return cls.it

    a, b = (S(), S())
    xs = [a, b]
    xs[n % 2].v += 1
    return a.v, a is b


class Weight:
    def __init__(self, x):
        self.x = x

    def __lt__(self, o):
        return self.x < o.x


@case((3,), (0,))
def best_key(n):
    a, b, c = (Weight(1), Weight(n), Weight(2))
    m = max(a, b, c, key=lambda q: q.x)
    m.x = 0
    return a.x, b.x, c.x


@case((3,), (0,))
def best_lt(n):
    xs = [Weight(1), Weight(n), Weight(2)]
    m = max(xs)
    m.x = 9
    return [x.x for x in xs]


@case((3,), (0,))
def first_of(n):
    xs = [Weight(1), Weight(n), Weight(2)]
    m = next((q for q in xs if q.x >= n), None)
    if m is None:
        return -1
    m.x = 9
    return [x.x for x in xs]


@case((3,), (0,))
def sorted_lt_first(n):
    xs = [Weight(1), Weight(n), Weight(2)]
    m = sorted(xs)[-1]
    m.x = 9
    return [x.x for x in xs]


@case((3,), (0,))
def reversed_of(n):
    xs = []
    for i in range(n):
        xs.append(Weight(i))
    out = 0
    for q in reversed(xs):
        out = out * 10 + q.x
    for i, q in enumerate(xs):
        q.x += i
    for p, q in zip(xs, xs[1:]):
        p.x += q.x
    return out, [q.x for q in xs]


@case((3,), (0,))
def slices_of(n):
    xs = []
    for i in range(n):
        xs.append(Weight(i))
    ys = xs[1:] + xs[:1]
    for y in ys:
        y.x += 1
    xs.reverse()
    return [q.x for q in xs], [q.x for q in ys], len(ys)


class Vertex:
    def __init__(self, v):
        self.v = v
        self.next = None
        self.out = []


@case((3,), (1,))
def seen_twice(n):
    xs = [Vertex(i) for i in range(3)]
    seen = set()
    for i in range(n * 2):
        seen.add(xs[i % 3])
    return len(seen), xs[0] in seen, xs[2] in seen


@case((3,), (1,))
def dist_dict(n):
    xs = [Vertex(i) for i in range(4)]
    dist = {xs[0]: 0}
    for i in range(n):
        dist[xs[i + 1]] = dist[xs[i]] + 2
    return len(dist), dist.get(xs[3], -1), dist[xs[1]]


@case((3,), (1,))
def tuple_keys(n):
    xs = [Vertex(i) for i in range(4)]
    d = {}
    for i in range(n):
        d[xs[i], i] = i
    return len(d), d.get((xs[2], 2), -1)


@case((3,), (1,))
def cycle_set(n):
    a, b, c, d = (Vertex(1), Vertex(2), Vertex(3), Vertex(4))
    a.next, b.next, c.next = (b, c, d)
    if n > 1:
        d.next = b
    seen, node = (set(), a)
    while node is not None:
        if node in seen:
            return node.v
        seen.add(node)
        node = node.next
    return -1


@case((3,), (1,))
def none_in(n):
    a, b = (Vertex(1), Vertex(2))
    a.next = b
    seen = set()
    node = a
    for _ in range(n):
        if node is not None:
            seen.add(node)
            node = node.next
    return node in seen, a in seen, len(seen)


class Basket:
    def __init__(self, items):
        self.items = items
        self.n = 0


@case((3,), (0,))
def shared_list(n):
    s = []
    a, b, c = (Basket(s), Basket(s), Basket([]))
    ts = [a, b, c]
    ts[n % 2].items.append(1)
    ts[2].items.append(n)
    return len(a.items), len(b.items), len(c.items), a.items is b.items


@case((3,), (0,))
def shared_list_loop(n):
    s = []
    ts = [Basket(s), Basket(s), Basket([])]
    for i in range(n):
        ts[i % 3].items.append(i)
    return len(ts[0].items), len(ts[1].items), len(ts[2].items)


@case((3,), (0,))
def own_lists(n):
    ts = []
    for i in range(n):
        ts.append(Basket([i]))
    for t in ts:
        t.items.append(t.n)
        t.n += 1
    return [len(t.items) for t in ts], sum(t.items[0] for t in ts)


@case((3,), (0,))
def own_list_kept(n):
    ts = []
    for i in range(n):
        mine = [i]
        ts.append(Basket(mine))
        mine.append(7)
    return [t.items[-1] for t in ts]


@case((3,), (1,))
def replaced_list(n):
    ts = [Basket([1]), Basket([2])]
    old = ts[n % 2].items
    ts[n % 2].items = [9, 9]
    old.append(4)
    return len(ts[1].items), old


class Grid:
    def __init__(self, n):
        self.grid = [0] * n


@case((3,), (1,))
def grid_grown(n):
    gs = []
    for _ in range(n):
        gs.append(Grid(3))
    for i in range(n):
        gs[i].grid[i % 3] += i
    return [sum(g.grid) for g in gs]


@case((3,), (1,))
def nested_loop(n):
    ts = []
    for i in range(n):
        t = Basket(i)
        for j in range(i):
            t.n += j
            ts.append(t)
    if len(ts) > 0:
        ts[0].n = 100
    return [t.n for t in ts]


@case((3,), (1,))
def exception_after(n):
    ts = [Basket(1), Basket(2)]
    try:
        ts[n % 2].n = 7
        if n > 2:
            raise ValueError("x")
        ts[0].n = 8
    except ValueError:
        ts[1].n += 1
    finally:
        ts[n % 2].items = 3
    return ts[0].n, ts[1].n, ts[0].items, ts[1].items


@case((3,), (4,))
def text_attr(n):

    class R:
        def __init__(self, name):
            self.name = name

    rs = []
    for i in range(n):
        rs.append(R("even" if i % 2 == 0 else "odd"))
    return [r.name for r in rs], rs[0].name == "even", sum(1 for r in rs if r.name == "odd")


class Branch:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = (v, left, right)


@case((3,), (0,))
def build_tree(n):

    def build(lo, hi):
        if lo > hi:
            return None
        mid = (lo + hi) // 2
        return Branch(mid, build(lo, mid - 1), build(mid + 1, hi))

    root = build(0, n)

    def total(t):
        if t is None:
            return 0
        return t.v + total(t.left) + total(t.right)

    def depth(t):
        return 0 if t is None else 1 + max(depth(t.left), depth(t.right))

    return total(root), depth(root)


def inserted(root, k):
    if root is None:
        return Branch(k)
    if k < root.v:
        root.left = inserted(root.left, k)
    else:
        root.right = inserted(root.right, k)
    return root


@case(([5, 2, 8, 1], 2), ([3], 9))
def bst_functions(xs, q):
    root = None
    for x in xs:
        root = inserted(root, x)

    def find(t, k):
        if t is None:
            return False
        if t.v == k:
            return True
        return find(t.left, k) if k < t.v else find(t.right, k)

    out = []

    def walk(t):
        if t:
            walk(t.left)
            out.append(t.v)
            walk(t.right)

    walk(root)
    return find(root, q), out


def minimum(t):
    while t.left is not None:
        t = t.left
    return t


def deleted(t, k):
    if t is None:
        return None
    if k < t.v:
        t.left = deleted(t.left, k)
    elif k > t.v:
        t.right = deleted(t.right, k)
    else:
        if t.left is None:
            return t.right
        if t.right is None:
            return t.left
        m = minimum(t.right)
        t.v = m.v
        t.right = deleted(t.right, m.v)
    return t


def inorder(t):
    return inorder(t.left) + [t.v] + inorder(t.right) if t else []


@case((5,), (2,), (9,))
def bst_delete(k):
    root = None
    for x in [5, 2, 8, 1, 3]:
        root = inserted(root, x)
    root = deleted(root, k)
    return inorder(root)


@case(([5, 2, 8, 1],))
def invert(xs):
    root = None
    for x in xs:
        root = inserted(root, x)

    def flip(t):
        if t is None:
            return None
        t.left, t.right = (flip(t.right), flip(t.left))
        return t

    flip(root)
    return root.v, root.left.v


@case((3,), (0,))
def found_by_identity(n):
    a, b = Vertex(1), Vertex(n)
    chosen = a if n > 1 else b
    return chosen == a, chosen != b, chosen in [a], [a, b].index(chosen), [a, b].count(chosen)


@case((3,), (0,))
def found_by_links(n):
    nodes = [Link(1), Link(2)]
    hits = 0
    for i in range(n):
        last = nodes[-1]
        linked = last.next if last.next is not None else last
        if nodes[n % 2] == linked:
            hits += 1
        else:
            nodes[0].next = Link(i)
        if nodes[0] != linked and nodes[n % 2] in [linked]:
            hits += 10
    return hits


class Tile:
    def __init__(self, side):
        self.side = side
        self.asked = 0

    @property
    def area(self):
        self.asked += 1
        return self.side * self.side


class Disc:
    def __init__(self, radius):
        self.side = radius
        self.asked = 0

    @property
    def area(self):
        self.asked += 10
        return 3 * self.side * self.side


@case((0,), (1,))
def property_of_one_kind(n):
    a, b = Tile(2), Disc(3)
    chosen = [a, b][n]
    found = chosen.area + chosen.area
    return found, a.asked, b.asked, hasattr(chosen, "area"), a.asked, b.asked


@case((3,), (4,))
def made_on_one_branch(n):
    shape = Tile(n) if n > 3 else Disc(n)
    shape.side += 1
    return shape.side, shape.area, isinstance(shape, Tile), type(shape) is Disc


@case((0,), (1,), (2,))
def kinds_or_none(n):
    chosen = [Tile(1), None, Disc(3)][n]
    return (
        *(isinstance(chosen, Tile), isinstance(chosen, (Disc, type(None)))),
        *(hasattr(chosen, "side"), callable(chosen), getattr(chosen, "side", -1)),
        *(chosen.__class__ is Disc, type(chosen) is Tile, type(chosen).__name__ == "NoneType"),
    )


@case((0,), (1,), (2,))
def kinds_beside_texts(n):
    chosen = [5, None, "a"][n]
    kind = chosen.__class__
    return isinstance(chosen, str), isinstance(chosen, int), hasattr(chosen, "upper"), kind is str


@case((0,), (1,))
def classes_of_one_kind(n):
    chosen = [Weight(1), Tile(5)][n]
    if chosen.__class__.__name__ == "Tile":
        chosen.side += 5
    named = {"Weight": 1, "Tile": 2}
    return named[type(chosen).__name__], issubclass(type(chosen), Tile)


@case((0,), (1,))
def lists_that_are_one(n):
    s = [1]
    a, b = Basket(s), Basket([1])
    chosen = [a, b][n]
    chosen.n += 1
    return (
        *(chosen.items is s, chosen.items is b.items, a.items is s),
        *(chosen.items is chosen.items, a.items is not b.items),
    )


@case((0,), (1,))
def rows_that_are_one(n):
    row = [1]
    rows = [row, [1], row]
    return rows[n] is row, rows[n] is rows[2], rows[n] is not rows[1]


@dataclass(frozen=True)
class Fixed:
    x: Any
    y: Any = 0

    def __post_init__(self):
        object.__setattr__(self, "y", self.x * 2)

    def bump(self):
        object.__setattr__(self, "x", object.__getattribute__(self, "x") + 1)


@case((0,), (1,))
def through_the_methods_of_object(n):
    items = [Fixed(1), Fixed(2)]
    items[n].bump()
    name = "x"
    first = Weight(1)
    setattr(first, name, 4)
    chosen = [first, Weight(n)][n]
    setattr(chosen, name, getattr(chosen, name) + 1)
    return [(item.x, item.y) for item in items], first.x, chosen.x


class Tracked:
    def __init__(self, x):
        super().__setattr__("x", x)
        self.count = 0

    def set(self, x):
        super().__setattr__("x", x)
        self.count += 1


@case((0,), (1,))
def through_super(n):
    items = [Tracked(1), Tracked(2)]
    items[n].set(9)
    return [(item.x, item.count) for item in items]


class Calls:
    def __init__(self):
        self.n = 0

    def __call__(self, item):
        self.n += 1
        return -item

    def of(self, item):
        self.n += 10
        return item % 3


@case((4,), (1,))
def calls_of_a_key(n):
    calls = Calls()
    xs = [i * 3 % 5 for i in range(n)]
    xs.sort(key=calls)
    best = max(xs, key=calls.of)
    ordered = sorted(xs, key=calls.of)
    return calls.n, best, ordered[0], sum(map(calls, xs)), calls.n


@case((4,), (1,))
def counts_of_a_key(n):
    counts = [0, 0]

    def key(item):
        counts[0] += 1
        return -item

    xs = [i * 3 % 5 for i in range(n)]
    xs.sort(key=key)
    made = list(map(key, xs))
    counts[1] = max(xs, key=key)
    return counts[0], counts[1], made[0]


class Arc:
    def __init__(self, weight):
        self.weight = weight

    def __add__(self, other):
        return Arc(self.weight + other.weight)

    def __radd__(self, other):
        return self

    def __lt__(self, other):
        return self.weight < other.weight


@case((3,), (5,))
def objects_made_in_callbacks(n):
    edges = [Arc(i * 3 % 5) for i in range(n)]
    total = sum(edges)
    ordered = sorted(edges, key=lambda edge: Arc(-edge.weight))
    doubled = list(map(lambda edge: Arc(edge.weight * 2), edges))
    doubled[0].weight = 7
    return total.weight, [e.weight for e in ordered], [e.weight for e in doubled]


class Valued(ABC):
    def __init__(self, n):
        self.n = n

    @abstractmethod
    def value(self):
        raise NotImplementedError


class Plain(Valued):
    def value(self):
        return self.n


class Twice(Valued):
    def __init__(self, n):
        super().__init__(n)
        self.times = 2

    def value(self):
        return self.n * self.times


@case((3,), (4,), (0,))
def abstract_bases(n):
    items = []
    for i in range(n):
        if i % 2:
            items.append(Plain(i))
        else:
            items.append(Twice(i))
    total = 0
    for item in items:
        item.n += 1
        total += item.value()
    return total


T = TypeVar("T")


class Chain(Generic[T]):
    def __init__(self, value: T, rest=None):
        self.value = value
        self.rest = rest


@case((3,), (0,))
def generic_classes(n):
    head = None
    for i in range(n):
        head = Chain(i, head)
    total = 0
    while head is not None:
        head.value += 1
        total = total * 2 + head.value
        head = head.rest
    return total


@case((0,), (1,))
def attributes_by_chosen_names(n):
    names = ["side", "asked"]
    tiles = [Tile(3), Tile(4)]
    tiles[n].side += 1
    setattr(tiles[n], names[1 - n], 50)
    return [(tile.side, tile.asked) for tile in tiles], getattr(tiles[0], names[n])


@case((0,), (3,))
def ordered_by_an_attribute(n):
    weights = [Weight(5), Weight(n), Weight(4)]
    weights[n % 2].x -= 1
    ordered = sorted(weights, key=operator.attrgetter("x"))
    ordered[0].x = 100
    return [weight.x for weight in weights], max(weights, key=lambda weight: -weight.x).x


@dataclass
class Task:
    cost: Any
    notes: list = field(default_factory=list)
    after: Any = None


@case((0,), (2,))
def lists_of_fields(n):
    first = Task(1)
    tasks = [first, Task(2, after=first), Task(3, [7])]
    tasks[n].notes.append(n)
    tasks[0].notes.append(9)
    return [task.notes for task in tasks], tasks[1].after.notes is first.notes


@case((0,), (1,))
def texts_of_objects(n):
    people = [Basket("ab"), Basket("c")]
    person = people[n]
    person.items += "!"
    return len(person.items), person.items.upper(), "a" in person.items, people[0].items


@case((3,), (0,))
def links_made_in_tries(n):
    head = None
    for i in range(n):
        try:
            head = Chain(12 // (i - 1), head)
        except ZeroDivisionError:
            head = Chain(-1, head)
    found = []
    while head:
        found.append(head.value)
        head = head.rest
    return found


class Mark:
    def __init__(self, at):
        self.at = at

    def __eq__(self, other):
        return self.at == other.at


@case((3,), (0,))
def found_before_another_kind(n):
    marks = [Mark(1), Mark(3), 5]
    return marks.index(Mark(3)) + n, Mark(1) in marks


class Asked:
    def __init__(self, at):
        self.at = at
        self.count = 0

    def __lt__(self, other):
        self.count += 1
        return self.at < other.at


@case((1,), (2,))
def asked_by_sorted(n):
    items = [Asked(i * 7 % 5) for i in range(6)]
    ordered = sorted(items)
    best = max(items)
    return [item.count for item in items], [item.at for item in ordered], best.at + n


# Objects with slots


class Runner:
    __slots__ = ("name", "time")

    def __init__(self, name, time):
        self.name, self.time = name, time

    def __lt__(self, other):
        return self.time < other.time


@case((3, 4), (9, 1), (5, 5))
def podium(a, b):
    runners = [Runner("a", a), Runner("b", b), Runner("c", 5)]
    runners[0].time += 1
    first, *others = sorted(runners)
    return first is runners[0], first.name, first.time, max(others).time, min(runners) is first


@case((3,), (0,))
def handicap(n):
    runners = [Runner("a", 1), Runner("b", 2)]
    slower = max(runners)
    slower.time += n
    if n > 2:
        slower = runners[0]
    return [runner.time for runner in runners], slower.time, slower is runners[1]


@dataclass
class Trip:
    length: int
    cost: float


@case((4,), (0,))
def longest_trip(n):
    best = None
    for i in range(n):
        trip = Trip(i * 3 % 4, i / 2)
        if best is None or trip.length > best.length:
            best = trip
    if best is None:
        return "no trip"
    return best


@case((3,), (1,), (0,))
def second_trip(n):
    for i in range(n):
        if i == 1:
            return i, Trip(i, 2.5)
    return "none"


@case((3,), (0,))
def last_trip(n):
    trips, by_length = [], {}
    for i in range(n):
        trips.append((Trip(i, 0.5), i))
        by_length[i] = Trip(i, 1.5)
    return trips[-1] if trips else (None, -1), by_length.get(1)


@case((5,), (1,), (0,))
def best_of_runs(n):
    runs, run = [], []
    for i in range(n):
        run.append(i)
        if i % 2:
            runs.append(run)
            run = []
    if not runs:
        return "no runs"
    return max(runs, key=sum)


@dataclass(order=True)
class Errand:
    priority: int
    name: str = field(compare=False)
    needs: list = field(default_factory=list, compare=False)


@case((3, 1), (1, 3), (2, 2))
def tasks_in_order(a, b):
    tasks = [Errand(a, "a"), Errand(b, "b", ["a"]), Errand(2, "c")]
    tasks.sort()
    tasks[0].needs.append("z")
    last = min(tasks, key=lambda task: (-task.priority, task.name))
    last.needs.append("y")
    return [task.name for task in tasks], last.name, [len(task.needs) for task in tasks]


class Crate:
    def __init__(self, left, right):
        self.left = left
        self.right = right


class Shelf(Crate):
    pass


@case((1,), (2,))
def parts_change_places(n):
    shelf = Shelf(Crate(1, []), Shelf(n, [1, 2]))
    if n == 1:
        shelf = Shelf(shelf.right, shelf.left)
    return shelf.left.left if n == 1 else shelf.right.left


@case((1,), (0,), (4,))
def parts_change_places_in_rounds(n):
    shelf = Shelf(Crate(1, []), Shelf(n, [1, 2]))
    for _ in range(n):
        shelf = Shelf(shelf.right, shelf.left)
    return shelf.left.left, shelf.right.left, len(shelf.left.right)


@case((1,), (0,), (3,))
def parts_grow_and_change_places(n):
    shelf = Shelf(Crate(1, [1, 2]), Shelf(n, [3]))
    for i in range(3):
        if n > i:
            shelf = Shelf(shelf.right, shelf.left)
        else:
            shelf.left.right.append(i)
    return shelf.left.left, shelf.left.right, shelf.right.right


@case((1,), (2,))
def a_part_that_changes_places_grows(n):
    shelf = Shelf(Crate(1, []), Shelf(n, [1, 2]))
    books = shelf.right.right
    if n == 1:
        shelf = Shelf(shelf.right, shelf.left)
        books.append(5)
    return shelf.left.left, len(shelf.left.right), books


@case((1,), (2,))
def the_whole_is_a_part(n):
    shelf = Shelf(Crate(1, []), Shelf(n, [1, 2]))
    if n == 1:
        shelf = shelf.right
    return shelf.left if n == 1 else shelf.right.left


class Drawn(Protocol):
    def area(self): ...


class RoundPlot(Drawn):
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3 * self.radius * self.radius


class SquarePlot(Drawn):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


@case((1, 2), (3, 5), (2, 4))
def classes_of_a_protocol(radius, side):
    shapes = [RoundPlot(radius), SquarePlot(side)]
    largest = max(shapes, key=lambda shape: shape.area())
    if isinstance(largest, RoundPlot):
        largest.radius += 1
    return largest.area(), shapes[0].radius


class Plugin:
    kinds = {}

    def __init_subclass__(cls, *, name, **options):
        super().__init_subclass__(**options)
        Plugin.kinds[name] = cls

    @classmethod
    def make(cls, name, value):
        return cls.kinds[name](value)


class Adding(Plugin, name="add"):
    def __init__(self, value):
        self.value = value

    def act(self, x):
        return x + self.value


class Scaling(Plugin, name="scale"):
    def __init__(self, factor):
        self.factor, self.uses = factor, 0

    def act(self, x):
        self.uses += 1
        return x * self.factor


@case((1, 4), (3, 2), (0, 0))
def classes_that_are_told_of_others(x, n):
    plugins = [Plugin.make("add", 2), Plugin.make("scale", 3)]
    for i in range(n):
        x = plugins[(x + i) % 2].act(x)
    last = Adding(x) if x > 20 else Scaling(x)
    return x, last.act(1), sorted(Plugin.kinds)


@dataclass
class Seat:
    number: int
    before: Seat | None = None
    behind: Seat | None = None


@case((1, 0), (5, 3), (0, 7))
def seats_around_a_table(x, n):
    """Dataclasses that are in each other."""
    seats = [Seat(number) for number in range(3)]
    for one, other in zip(seats, [*seats[1:], seats[0]]):
        one.behind, other.before = other, one
    seat, passed = seats[0], 0
    while passed < x:
        seat, passed = seat.behind, passed + 1
    for _ in range(n):
        seat.number += 10
        seat = seat.before
    return seat.number, seat.behind.number, [each.number for each in seats]


class Member:
    def __init__(self, name):
        self.name = name
        self.parent = self
        self.before = self.after = self

    def root(self):
        member = self
        while member.parent is not member:
            member.parent = member.parent.parent
            member = member.parent
        return member


@case((5, 1, 3), (6, 2, 2), (3, 0, 1))
def objects_that_begin_with_themselves(n, a, b):
    members = []
    ring = Member(-1)
    for i in range(n):
        if i != b or a == b:
            new = Member(i)
            members.append(new)
            new.before, new.after = ring.before, ring
            ring.before.after = new
            ring.before = new
    members[a % len(members)].root().parent = members[b % len(members)].root()
    names, member = [], ring.after
    while member is not ring:
        names.append(member.name)
        member = member.after
    return names, [member.root().name for member in members], ring.parent is ring


class Solid(ABC):
    @abstractmethod
    def volume(self): ...


class Box(Solid):
    def __init__(self, width, height):
        self.width, self.height = width, height

    def volume(self):
        return self.width * self.width * self.height


@case((2, 3), (-1, 4), (0, 0), (5, 200))
def an_object_of_an_abstract_class_on_one_path(width, height):
    def made():
        if height < 100:
            return Box(width + 1, height)
        raise ValueError("too high")

    box = None
    if width > 0:
        box = Box(width * 2, height)
    try:
        other = made().volume()
    except ValueError:
        other = -1
    return box.volume() if box is not None else 0, other


class Ratio(numbers.Number):
    __slots__ = ("above", "below")

    def __init__(self, above, below):
        self.above, self.below = above, below

    def __add__(self, other):
        if self.below == other.below:
            return Ratio(self.above + other.above, self.below)
        above = self.above * other.below + other.above * self.below
        return Ratio(above, self.below * other.below)

    def __lt__(self, other):
        return self.above * other.below < other.above * self.below


class Hand(Sequence):
    def __init__(self, cards):
        self.cards = cards

    def __getitem__(self, index):
        return self.cards[index]

    def __len__(self):
        return len(self.cards)


@case((1, 2, 3), (2, 2, 1), (0, 1, 5))
def objects_of_classes_of_numbers_and_sequences(a, b, n):
    total = Ratio(a, b + 1)
    for i in range(n):
        total = total + Ratio(1, i + 2)
        if total.above > 1000:
            total = Ratio(1, 1)
    hand = Hand([a, b]) if a > b else Hand([b, a, n])
    return total.above, total.below, total < Ratio(1, 1), len(hand), hand[0]


class Ticket:
    def __init__(self, number):
        self.number = number

    def id(self):
        if self.number > 2:
            self.number -= 1
        return self.number

    def getsizeof(self, most):
        while most > self.number:
            most -= 1
        return most


@case((5, 1), (1, 4), (2, 0))
def methods_with_the_names_of_functions_of_python(x, most):
    ticket = Ticket(x)
    other = ticket if most > 1 else Ticket(3)
    return ticket.id(), other.id(), other.getsizeof(most), ticket.number


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __matmul__(self, other):
        return self.factor * 10 + other

    def __rmatmul__(self, other):
        return other - self.factor

    def __divmod__(self, other):
        return self.factor, other


HALF, DOUBLE = Scale(5), Scale(20)


@case((3, 1), (-3, 2))
def all_operators_of_chosen_objects(x, y):
    scale, size = (HALF, 7) if x > 0 else (DOUBLE, 9)
    return scale @ y, y @ scale, divmod(scale, y), divmod(size, 4), divmod(40, size)


class Pair(NamedTuple):
    x: object
    y: object = 4


@case((1, [0, 4, 4]), (9, [1, 2, 3]))
def a_named_tuple_asked_behind_a_stream_in_memory(a, xs):
    pair = Pair(a)
    written = io.StringIO()
    written.write("deep")
    found = 0
    if xs[1] > a:
        found = pair[len([x for x in xs if x > 1]) % 2]
    return found, written.getvalue().count("e")


@dataclass(frozen=True, order=True)
class Deadline:
    due: int
    cost: int = 1

    def delayed(self, days):
        return replace(self, due=self.due + days)


@case((1, 2), (5, 5), (0, 0), (3, 1))
def replaced_objects_are_put_back(a, b):
    waiting = [Deadline(a, b), Deadline(b, a), Deadline(2)]
    latest, done = waiting[0], []
    while waiting:
        first = min(waiting)
        waiting.remove(first)
        if first.due < 3:
            waiting.append(first.delayed(4))
        elif first > latest:
            latest = replace(first, cost=first.cost * 2)
        done.append((first.due, first.cost))
    return done, latest.due, latest.cost, latest in done


@dataclass
class Spot:
    x: int
    y: int = 2


@case((3,), (1,), (0,))
def spot_moved_by_a_copy(n):
    spot = Spot(n)
    others = [Spot(1), spot]
    others[n % 2].y = 9
    for i in range(n):
        if i > 1:
            spot = replace(spot, x=i)
        else:
            spot.x = i + 5
    return spot.x, spot.y, others[1].x


@case((3,), (0,))
def spot_that_may_be_none(n):
    spot = Spot(n) if n > 0 else None
    others = [Spot(1), Spot(2)]
    others[n % 2].y = 9
    for i in range(2):
        if spot is not None:
            spot = replace(spot, x=i)
    return -1 if spot is None else spot.x + spot.y


@case((3,), (0,))
def copy_of_what_may_be_none(n):
    spot = Spot(n) if n > 0 else None
    others = [Spot(1), Spot(2)]
    others[n % 2].y = 9
    return replace(spot, x=7).x


class Stop:
    def __init__(self, number, weight=1):
        self.number = number
        self.weight = weight
        self.near = []


def stops_of(n):
    stops = [Stop(i, i + 1) for i in range(4)]
    for i in range(3):
        stops[i].near.append(stops[i + 1])
    stops[0].near.append(stops[3])
    if n > 2:
        stops[3].near.append(stops[0])
    return stops


@case((3,), (0,))
def distances_under_objects(n):
    stops = stops_of(n)
    distances = {stops[n % 4]: 0}
    waiting = deque([stops[n % 4]])
    while waiting:
        stop = waiting.popleft()
        for other in stop.near:
            if other not in distances:
                distances[other] = distances[stop] + other.weight
                waiting.append(other)
    return [distances.get(stop, -1) for stop in stops], len(distances)


@case((3,), (0,))
def parents_under_objects(n):
    stops = stops_of(n)
    parents = {}
    for stop in stops:
        for other in stop.near:
            if other not in parents:
                parents[other] = stop
    return [parents[stop].number if stop in parents else -1 for stop in stops]


@case((7,), (2,), (0,))
def lists_and_numbers_under_objects(n):
    stops = [Stop(i) for i in range(3)]
    visits, counts = defaultdict(list), {}
    for i in range(n):
        stop = stops[i % 3]
        visits[stop].append(i)
        counts[stop] = counts.get(stop, 0) + 1
    if stops[0] in counts:
        del counts[stops[0]]
    return [visits[stop] for stop in stops], [(stop.number, k) for stop, k in counts.items()]


@case((6,), (0,))
def bitwise_trie_in_one_dict(n):
    root = Stop(0)
    stops, children = [root], {}
    for value in range(n):
        stop = root
        for place in range(2, -1, -1):
            bit = (value >> place) & 1
            if (stop, bit) not in children:
                stops.append(Stop(len(stops)))
                children[stop, bit] = stops[-1]
            stop = children[stop, bit]
            stop.weight += 1
    return [stop.weight for stop in stops], len(children)


@case((3,), (1,), (0,))
def known_dicts_asked_under_objects(n):
    stops = [Stop(i) for i in range(3)]
    pairs = {(stop, i): stop.number * 3 for i, stop in enumerate(stops)}
    fares = {stop: stop.number * 3 for stop in stops}
    known = {stops[0], stops[1]}
    stop = stops[n % 3]
    asked = stop in fares, stop in known, (stop, 1) in pairs, fares.get(stop, 5)
    return fares[stop], pairs[stop, n % 3], pairs.get((stop, 0), -1), asked


@case((3,), (1,), (0,))
def displays_of_objects(n):
    stops = [Stop(i) for i in range(3)]
    one, other = stops[n % 3], stops[n % 2]
    fares, seen, pairs = {one: 1, other: 2}, {one, other}, {(one, 1): 2, (other, 1): 3}
    more = {stop: i for i, stop in enumerate([one, stops[0]])}
    sizes = [len(fares), len(seen), len(pairs), len(more), len({*[one, other]})]
    return sizes, fares[one], stops[0] in seen, pairs.get((stops[0], 1), 9), len({s for s in stops})
