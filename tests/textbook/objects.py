"""Classes and containers of textbooks: accounts, stacks, queues, linked lists, union-find, caches,
counters, simulators.
"""

# ruff: noqa: RUF005

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from tests.textbook.bank import bank

case, CASES = bank()


# Classes


class BankAccount:
    interest = 2

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("Deposit amount must be positive")
        self.balance += amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("Insufficient funds")
        self.balance -= amount
        self.history.append(-amount)


@case((100, 30), (10, 30), (-5, 3), (0, 0))
def bank_account(first, second):
    account = BankAccount("Alice")
    account.deposit(first)
    account.withdraw(second)
    return account.balance, len(account.history)


@case(([5, 7, -3, 2],), ([],), ([1, -9],))
def account_log(amounts):
    account = BankAccount("Bob", 10)
    for amount in amounts:
        if amount > 0:
            account.deposit(amount)
        else:
            account.withdraw(-amount)
    return account.balance, len(account.history)


class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        if self.is_empty():
            raise IndexError("pop from empty stack")
        return self.items.pop()

    def peek(self):
        return self.items[-1]

    def is_empty(self):
        return len(self.items) == 0

    def __len__(self):
        return len(self.items)


@case((10,), (1,), (0,), (37,))
def decimal_to_binary(number):
    stack = Stack()
    while number > 0:
        stack.push(number % 2)
        number = number // 2
    value = 0
    while not stack.is_empty():
        value = value * 10 + stack.pop()
    return value


@case(([3, 1, 2],), ([],), ([5],))
def reverse_with_stack(xs):
    stack = Stack()
    for x in xs:
        stack.push(x)
    result = []
    while not stack.is_empty():
        result.append(stack.pop())
    return result


@case((1,), (-1,))
def pop_from_empty(x):
    stack = Stack()
    if x > 0:
        stack.push(x)
    return stack.pop()


@case(([1, -1, 1, 1, -1, -1],), ([1, 1, -1],), ([-1, 1],), ([],))
def balanced(brackets):
    stack = Stack()
    for bracket in brackets:
        if bracket > 0:
            stack.push(bracket)
        elif stack.is_empty():
            return False
        else:
            stack.pop()
    return stack.is_empty()


class Queue:
    def __init__(self):
        self._items = []

    def enqueue(self, item):
        self._items.append(item)

    def dequeue(self):
        return self._items.pop(0)

    def size(self):
        return len(self._items)


@case((7, 3), (1, 1), (10, 4))
def josephus_queue(n, k):
    queue = Queue()
    for i in range(1, n + 1):
        queue.enqueue(i)
    while queue.size() > 1:
        for _ in range(k - 1):
            queue.enqueue(queue.dequeue())
        queue.dequeue()
    return queue.dequeue()


class Counting:
    def __init__(self):
        self.value = 0
        self.steps = 0

    def increment(self, by=1):
        self.value += by
        self.steps += 1
        return self


@case((5,), (0,), (12,))
def counter_object(n):
    counter = Counting()
    for i in range(n):
        if i % 3 == 0:
            counter.increment(i)
    return counter.value, counter.steps


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def distance(self, other):
        return abs(self.x - other.x) + abs(self.y - other.y)


@case((1, 2), (-3, 4), (0, 0))
def robot_walk(x, y):
    position = Point(0, 0)
    goal = Point(x, y)
    steps = 0
    while position.distance(goal) > 0:
        if position.x < goal.x:
            position.x += 1
        elif position.x > goal.x:
            position.x -= 1
        elif position.y < goal.y:
            position.y += 1
        else:
            position.y -= 1
        steps += 1
    return steps, position == goal


class Fraction:
    def __init__(self, numerator, denominator):
        if denominator == 0:
            raise ZeroDivisionError("the denominator is 0")
        common = self._gcd(numerator, denominator)
        self.numerator = numerator // common
        self.denominator = denominator // common

    def _gcd(self, a, b):
        while b != 0:
            a, b = b, a % b
        return a

    def __add__(self, other):
        return Fraction(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )

    def __lt__(self, other):
        return self.numerator * other.denominator < other.numerator * self.denominator


@case((1, 2), (3, 6), (5, 0))
def add_fractions(a, b):
    total = Fraction(a, b) + Fraction(1, 3)
    return total.numerator, total.denominator, Fraction(1, 2) < total


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __mul__(self, other):
        size = len(self.rows)
        return Matrix(
            [
                [sum(self.rows[i][k] * other.rows[k][j] for k in range(size)) for j in range(size)]
                for i in range(size)
            ]
        )

    def trace(self):
        return sum(self.rows[i][i] for i in range(len(self.rows)))


@case((1,), (3,), (5,))
def matrix_power_trace(n):
    base, result = Matrix([[1, 1], [1, 0]]), Matrix([[1, 0], [0, 1]])
    while n > 0:
        if n % 2 == 1:
            result = result * base
        base = base * base
        n //= 2
    return result.trace()


class DisjointSet:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n

    def find(self, x):
        while self.parent[x] != x:
            x = self.parent[x]
        return x

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return True


@case((0, 1, 3), (2, 2, 4), (4, 0, 2))
def union_find(a, b, c):
    sets = DisjointSet(5)
    merged = 0
    for x, y in ((a, b), (b, c), (a, c), (3, 4)):
        if sets.union(x, y):
            merged += 1
    return merged, sets.find(a) == sets.find(4)


class MinHeap:
    def __init__(self):
        self.heap = []

    def push(self, item):
        self.heap.append(item)
        at = len(self.heap) - 1
        while at > 0 and self.heap[(at - 1) // 2] > self.heap[at]:
            up = (at - 1) // 2
            self.heap[up], self.heap[at] = self.heap[at], self.heap[up]
            at = up

    def pop(self):
        smallest = self.heap[0]
        last = self.heap.pop()
        if len(self.heap) > 0:
            self.heap[0] = last
            self._sift_down(0)
        return smallest

    def _sift_down(self, at):
        size = len(self.heap)
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and self.heap[child + 1] < self.heap[child]:
                child += 1
            if self.heap[at] <= self.heap[child]:
                break
            self.heap[at], self.heap[child] = self.heap[child], self.heap[at]
            at = child


@case(([5, 2, 8, 1],), ([3],), ([2, 2, 1],))
def heap_sort_object(xs):
    heap = MinHeap()
    for x in xs:
        heap.push(x)
    return [heap.pop() for _ in range(len(xs))]


class Node:
    def __init__(self, value, next_node=None):
        self.value = value
        self.next = next_node


@case((3,), (0,), (-2,))
def linked_list_sum(x):
    head = Node(1, Node(x, Node(5)))
    total, node = 0, head
    while node is not None:
        if node.value > 0:
            total += node.value
        node = node.next
    return total


@case((3,), (0,), (7,))
def linked_list_update(x):
    head = Node(1, Node(x, Node(5)))
    node = head
    while node is not None:
        if node.value < 4:
            node.value *= 2
        node = node.next
    return head.value + head.next.value * 10 + head.next.next.value * 100


class TrafficLight:
    def __init__(self):
        self.state = 0
        self.ticks = 0

    def tick(self):
        self.ticks += 1
        if self.state == 0 and self.ticks >= 3:
            self.state, self.ticks = 1, 0
        elif self.state == 1 and self.ticks >= 2:
            self.state, self.ticks = 2, 0
        elif self.state == 2:
            self.state, self.ticks = 0, 0


@case((0,), (4,), (25,))
def traffic_light(n):
    light = TrafficLight()
    for _ in range(n):
        light.tick()
    return light.state, light.ticks


class Statistics:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.largest = None

    def add(self, x):
        self.n += 1
        self.mean += (x - self.mean) / self.n
        if self.largest is None or x > self.largest:
            self.largest = x


@case(([1.0, 4.0, 2.5],), ([7.0],))
def running_statistics(xs):
    statistics = Statistics()
    for x in xs:
        statistics.add(x)
    return statistics.n, statistics.mean, statistics.largest


class VendingMachine:
    prices = (5, 10, 25)

    def __init__(self):
        self.stock = [2, 1, 0]
        self.money = 0

    def buy(self, item, paid):
        if self.stock[item] == 0:
            return -1
        if paid < self.prices[item]:
            return paid
        self.stock[item] -= 1
        self.money += self.prices[item]
        return paid - self.prices[item]


@case((0, 10), (1, 7), (2, 50), (1, 10), (3, 1))
def vending_machine(item, paid):
    machine = VendingMachine()
    change = machine.buy(item, paid)
    again = machine.buy(item, paid)
    return change, again, machine.money, sum(machine.stock)


class LinearGenerator:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state

    def roll(self):
        return self.next() % 6 + 1


@case((1,), (42,), (7,))
def dice_until_six(seed):
    dice = LinearGenerator(seed)
    rolls = 1
    while dice.roll() != 6:
        rolls += 1
    return rolls


class LRUCache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.keys = []

    def use(self, key):
        if key in self.keys:
            self.keys.remove(key)
            hit = True
        else:
            hit = False
            if len(self.keys) >= self.capacity:
                self.keys.pop(0)
        self.keys.append(key)
        return hit


@case(([1, 2, 1, 3, 1, 2],), ([1, 1, 1],), ([],))
def lru_hits(requests):
    cache = LRUCache(2)
    hits = 0
    for request in requests:
        if cache.use(request):
            hits += 1
    return hits


class Tamagotchi:
    def __init__(self):
        self.hunger = 5
        self.alive = True

    def day(self, food):
        self.hunger += 2 - food
        if self.hunger > 10:
            self.alive = False
        if self.hunger < 0:
            self.hunger = 0


@case((0,), (2,), (4,))
def tamagotchi(food):
    pet, days = Tamagotchi(), 0
    while pet.alive and days < 30:
        pet.day(food)
        days += 1
    return days, pet.hunger


# Dicts, sets and deques


@case((5,), (-5,), (0,))
def entry_on_one_path(x):
    found = {}
    if x > 0:
        found["x"] = x
    return found.get("x", -1)


@case((5,), (-5,), (0,))
def entry_on_each_path(x):
    found = {"a": 1}
    if x > 0:
        found["sign"] = 1
    elif x < 0:
        found["sign"] = -1
    else:
        found["sign"] = 0
    return found["sign"] + found["a"]


@case((5,), (-5,))
def deleted_entry(x):
    stock = {"apple": 3, "pear": x}
    if x <= 0:
        del stock["pear"]
    total = 0
    for count in stock.values():
        total += count
    return total, len(stock), "pear" in stock


@case((5,), (-5,))
def missing_key(x):
    stock = {"apple": 3}
    if x > 0:
        stock["pear"] = x
    return stock["pear"]


@case((5,), (-5,))
def popped_entry(x):
    stock = {"apple": 3, "pear": x}
    taken = 0
    if x > 0:
        taken = stock.pop("pear")
    return taken, sum(stock.values())


@case(([3, 1, 3, 2, 1],), ([],), ([0, 0],), ([9],))
def count_digits(digits):
    counts = {d: 0 for d in range(10)}
    for digit in digits:
        counts[digit] += 1
    return max(counts.values()), counts[3]


@case((2,), (5,), (7,))
def days_in_month(month):
    days = {1: 31, 2: 28, 3: 31, 4: 30, 5: 31, 6: 30}
    if month in days:
        return days[month]
    return 0


@case((2,), (9,))
def lookup_or_error(n):
    names = {1: 10, 2: 20, 3: 30}
    return names[n]


@case((3,), (0,), (8,))
def lookup_with_default(n):
    prices = {1: 10, 2: 20, 3: 30}
    return prices.get(n, 99)


@case(([4, 8, 6, 4, 6],), ([],), ([1],))
def has_duplicates(xs):
    seen = set()
    for x in xs:
        if x in seen:
            return True
        seen.add(x)
    return False


@case(([4, 8, 6, 4, 6],), ([],), ([1],))
def count_unique(xs):
    return len(set(xs))


@case((13,), (2,), (19,), (4,))
def happy_number(n):
    seen = set()
    while n != 1 and n not in seen:
        seen.add(n)
        total = 0
        while n > 0:
            total += (n % 10) ** 2
            n //= 10
        n = total
    return n == 1


@case((5,), (-2,))
def set_of_names(x):
    names = {"a", "b"}
    if x > 0:
        names.add("c")
        names.discard("a")
    return len(names), "c" in names, "a" in names


@case((5, 2), (1, 1), (6, 9))
def deque_rotation(n, k):
    ring = deque()
    for i in range(n):
        ring.append(i)
    for _ in range(k):
        ring.append(ring.popleft())
    return ring[0] if len(ring) > 0 else -1


@case(([1, 3, -1, -3, 5, 3],), ([2, 1, 4],))
def sliding_maximum(xs):
    window, found = deque(), []
    for i in range(len(xs)):
        while len(window) > 0 and xs[window[-1]] <= xs[i]:
            window.pop()
        window.append(i)
        if window[0] <= i - 3:
            window.popleft()
        if i >= 2:
            found.append(xs[window[0]])
    return found


@case(([1, 2, 1, 1],), ([0],))
def most_common_small(xs):
    counts = Counter()
    for x in xs:
        counts[x] += 1
    return max(counts.values())


@case((7,), (0,), (30,))
def grouped_by_remainder(n):
    groups = defaultdict(int)
    for i in range(n):
        groups[i % 3] += i
    return groups[0], groups[1], groups[2]


@case((4,), (-4,))
def count_words_if(x):
    counts = defaultdict(int)
    for word in ("a", "b", "a"):
        if x > 0:
            counts[word] += x
    return counts["a"], counts["b"]


# Lists that a recursion changes


@case((3,), (1,), (5,))
def hanoi_moves(n):
    moves = []

    def move(count, source, target, spare):
        if count == 0:
            return
        move(count - 1, source, spare, target)
        moves.append((source, target))
        move(count - 1, spare, target, source)

    move(n, 1, 3, 2)
    return len(moves), moves[0]


@case(([3, 1, 2, 5, 4],), ([1],), ([2, 1],))
def quick_sort_in_place(xs):
    xs = list(xs)

    def sort(low, high):
        if low < high:
            pivot, at = xs[high], low
            for i in range(low, high):
                if xs[i] < pivot:
                    xs[i], xs[at] = xs[at], xs[i]
                    at += 1
            xs[at], xs[high] = xs[high], xs[at]
            sort(low, at - 1)
            sort(at + 1, high)

    sort(0, len(xs) - 1)
    return xs


# Lists of lists


@case((4,), (1,), (0,))
def pascal_rows(n):
    rows = []
    for i in range(n):
        row = [1]
        for j in range(i):
            row.append(row[j] * (i - j) // (j + 1))
        rows.append(row)
    return len(rows), sum(sum(row) for row in rows)


@case((5,), (0,), (2,))
def even_and_odd(n):
    groups = [[], []]
    for i in range(n):
        groups[i % 2].append(i)
    return len(groups[0]), sum(groups[1])


@case((12,), (7,), (1,))
def divisors_or_nothing(n):
    found = [d for d in range(2, n) if n % d == 0]
    if len(found) == 0:
        return []
    return [1] + found


@case((3,), (-1,), (0,))
def one_or_none(n):
    if n > 0:
        return [n]
    return []


class Countdown:
    def __init__(self, start, step):
        self.start, self.step = start, step

    def __iter__(self):
        at = self.start
        while at > 0:
            yield at
            at -= self.step


@case((7, 2), (0, 1), (5, 5))
def counted_down(start, step):
    seen, total = [], 0
    for at in Countdown(start, step):
        if at == 1:
            break
        seen.append(at)
        total += at
    return seen, total, sum(Countdown(start, 1))


# Dataclasses of which a factory makes the lists


@dataclass
class Player:
    name: str
    health: int = 10
    bag: list = field(default_factory=list)
    rooms: set = field(default_factory=set)
    notes: dict = field(default_factory=dict)


@case(([1, -3, 2],), ([-20, 5],), ([0, -1],))
def played(moves):
    player = Player("a")
    for move in moves:
        if move < 0:
            player.health += move
        else:
            player.bag.append(move)
            player.rooms.add(move % 2)
            player.notes[move] = player.health
        if player.health <= 0:
            break
    return player.health, player.bag, sorted(player.rooms), player.notes


@dataclass
class Waiting:
    items: list = field(default_factory=lambda: [0])
    kind: type = list
    made_by: type = field(default=list, init=False)

    def put(self, item):
        if item > 1:
            self.items.append(item)


@case(([1, 2, 3],), ([0, 0],))
def put_behind(items):
    waiting, other = Waiting(), Waiting([7])
    for item in items:
        waiting.put(item)
    return waiting.items, other.items, waiting.kind is list, waiting.made_by is list


SHELF: list = []


@dataclass
class Reader:
    shelf: list = field(default_factory=lambda: SHELF)
    read: list = field(default_factory=lambda: [0])


@case(([1, 2, 3],), ([0, 0],))
def shared_between_readers(items):
    first, second = Reader(), Reader()
    for item in items:
        if item > 1:
            second.read.append(item)
    first.shelf.append(items[0])
    second.shelf.append(2)
    held = list(SHELF)
    SHELF.clear()
    return held, first.read, second.read, first.shelf is second.shelf


@dataclass(slots=True, frozen=True)
class Diary:
    days: list = field(init=False, default_factory=list)
    nights: list = field(init=False, default_factory=lambda: [0])
    kind: type = field(init=False, default=list)


@case(([1, 2, 3],), ([0, 0],))
def in_the_diary(items):
    diary = Diary()
    for item in items:
        if item > 1:
            diary.days.append(item)
        else:
            diary.nights.append(item)
    return diary.days, diary.nights, diary.kind is list


@dataclass
class Held:
    items: list = field(default_factory=list)


@dataclass
class HeldTwice(Held):
    others: list = field(default_factory=list)

    def __post_init__(self):
        self.alias = self.items


class HeldByAnother(Held):
    def __init__(self, by):
        super().__init__()
        self.by = by


@case(([1, 2, 3],), ([0, 0],))
def held_by_classes_below(items):
    first, second = HeldTwice(), HeldByAnother(3)
    for item in items:
        if item > 1:
            first.items.append(item)
            second.items.append(item * second.by)
        else:
            first.others.append(item)
    return first.alias, first.others, second.items, first.items is first.alias


class Sold:
    def __init__(self, left):
        self.left = left

    @property
    def price(self):
        if self.left < 1:
            raise AttributeError("sold out")
        return self.left * 2


class SoldTwice(Sold):
    @property
    def price(self):
        return super().price + 1


@case((3,), (0,))
def whether_it_has_a_price(left):
    item, twice = Sold(left), SoldTwice(left)
    return hasattr(item, "price"), getattr(item, "price", -1), getattr(twice, "price", -2)


@case((3,), (0,))
def prices_in_rounds(left):
    total = 0
    for i in range(left):
        if hasattr(Sold(i), "price"):
            total += i
        total += getattr(Sold(i), "price", 100)
    return total, getattr(Sold(left), "left", None), hasattr(Sold(left), "cost")


class Ratio:
    def __init__(self, top, bottom):
        self.top, self.bottom, self.asked = top, bottom, 0

    def __float__(self):
        return self.top / self.bottom

    def __int__(self):
        self.asked += 1
        if self.top < 0:
            return -(-self.top // self.bottom)
        return self.top // self.bottom


class Floor:
    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


class Wrong(Floor):
    def __int__(self):
        return self.number / 2


@case((7, 2), (-7, 2), (6, 3))
def whole_part(top, bottom):
    ratio = Ratio(top, bottom)
    whole = int(ratio)
    return whole, ratio.asked, float(ratio) - whole, float(Floor(top)), int(Floor(bottom))


@case((7,), (0,))
def no_whole_number(n):
    return int(Wrong(n))


class Shown:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return isinstance(other, Shown) and self.n == other.n

    __hash__ = None

    def __repr__(self):
        return f"Shown({self.n})"


@case((1,), (0,), (2,))
def place_of_a_shown_object(n):
    items = [Shown(1), Shown(n)]
    items.remove(Shown(n))
    return [Shown(0), Shown(1), Shown(2)].index(Shown(n)), items[0].n
