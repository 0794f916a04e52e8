"""Programs in which an object of its own stands for what is not there yet, or objects without
attributes are chosen.
"""

from tests.textbook.bank import bank

case, CASES = bank()

EMPTY = object()


@case(([3, 1, 5, 2],), ([0, 0],))
def largest_yet(xs):
    best = EMPTY
    for v in xs:
        if best is EMPTY or v > best:
            best = v
    return -1 if best is EMPTY else best


@case((2,), (0,))
def pair_or_nothing(x):
    pair = EMPTY
    if x > 0:
        pair = (x, x + 1)
    if pair is not EMPTY:
        a, b = pair
        return a * b
    return 0


@case((5,), (2,), (0,))
def found_or_raised(n):
    found = EMPTY
    for i in range(n):
        if i == 3:
            found = i
            break
    if found is EMPTY:
        raise ValueError("none")
    return found


@case((2,), (5,))
def priced(x):
    price = {1: 5, 2: 7}.get(x, EMPTY)
    if price is EMPTY:
        return -1
    return price


@case((6,), (1,), (0,))
def groups_with_a_sentinel(n):
    sentinel = object()
    last = sentinel
    count = 0
    for i in range(n):
        k = i // 2
        if last is sentinel or last != k:
            count += 1
        last = k
    return count


@case((3,), (0,))
def added_to_nothing(x):
    best = EMPTY
    if x > 0:
        best = x
    return best + 1


@case((3,), (0,))
def compared_with_nothing(x):
    best = EMPTY
    if x > 0:
        best = x
    return best == EMPTY, best != EMPTY, 1 if best else 0, best is not EMPTY and best > 2


@case(([1, 4, 3],), ([1, 1, 2],), ([2],))
def differences(xs):
    previous = EMPTY
    out = []
    for v in xs:
        if previous is not EMPTY:
            out.append(v - previous)
        previous = v
    return out


@case((5,), (0,))
def stack_with_holes(n):
    stack = []
    for i in range(n):
        stack.append(i if i % 2 else EMPTY)
    total = 0
    while stack:
        top = stack.pop()
        if top is EMPTY:
            total += 100
        else:
            total += top
    return total


class Table:
    FREE = object()
    DELETED = object()

    def __init__(self, size):
        self.size = size
        self.keys = [self.FREE] * size
        self.values = [0] * size

    def slot(self, key):
        i = key % self.size
        while self.keys[i] is not self.FREE and self.keys[i] != key:
            i = (i + 1) % self.size
        return i

    def put(self, key, value):
        i = self.slot(key)
        self.keys[i] = key
        self.values[i] = value

    def get(self, key, default=-1):
        i = self.slot(key)
        return default if self.keys[i] is self.FREE else self.values[i]

    def delete(self, key):
        i = self.slot(key)
        if self.keys[i] is not self.FREE:
            self.keys[i] = self.DELETED


@case(([3, 11, 4],), ([8, 16, 0],))
def open_addressing(xs):
    table = Table(8)
    for i, v in enumerate(xs):
        table.put(v, i)
    table.delete(xs[0])
    table.delete(99)
    return table.get(xs[1]), table.get(77), table.get(xs[0])


class Sensor:
    def __init__(self):
        self.last = EMPTY


@case((3,), (0,))
def last_reading(n):
    sensor = Sensor()
    for i in range(n):
        if sensor.last is EMPTY or i > sensor.last:
            sensor.last = i
    return 0 if sensor.last is EMPTY else sensor.last


def climbed(n):
    if n == 0:
        return EMPTY
    below = climbed(n - 1)
    return n if below is EMPTY else below + n


@case((4,), (0,))
def sum_by_recursion(n):
    total = climbed(n)
    return -1 if total is EMPTY else total


@case((2,), (5,))
def entries_with_holes(x):
    entries = {}
    entries[x] = EMPTY
    entries[x + 1] = 4
    holes = sum(1 for v in entries.values() if v is EMPTY)
    return holes, 0 if entries[x + 1] is EMPTY else entries[x + 1]


@case((4,), (0,))
def drained(n):
    stop = object()
    queue = []
    for i in range(n):
        queue.append(i)
    queue.append(stop)
    total = 0
    while True:
        item = queue.pop(0)
        if item is stop:
            break
        total += item
    return total


@case((7,), (2,), (0,))
def nothing_or_none(n):
    a = EMPTY
    for i in range(n):
        if i == 1:
            a = i
        if i == 2:
            a = None
    if a is None:
        return 1
    return 2 if a is EMPTY else a + 10


class Missing:
    def __repr__(self):
        return "<missing>"

    def __bool__(self):
        return False


MISSING = Missing()


@case((1,), (2,))
def looked_up(x):
    found = {1: 5}.get(x, MISSING)
    return found or 0


@case((3,), (0,))
def last_of_range(n):
    found = MISSING
    for i in range(n):
        found = i
    return 7 if found is MISSING else found


class Double:
    def of(self, x):
        return 2 * x

    def __call__(self, x):
        return 3 * x


class Triple(Double):
    def of(self, x):
        return 5 * x


DOUBLE, TRIPLE = Double(), Triple()


@case((1,), (0,))
def strategies(x):
    chosen = DOUBLE if x > 0 else TRIPLE
    known = isinstance(chosen, Triple), type(chosen) is Double, chosen is TRIPLE
    return chosen.of(7) + chosen(x), [DOUBLE, TRIPLE][x].of(x + 2), known


@case((1,), (0,))
def animals(x):
    chosen = Double() if x > 0 else Triple()
    zoo = [Double(), Triple(), Double()]
    return chosen.of(7), zoo[x].of(2), zoo[x] is zoo[0], sum([each.of(1) for each in zoo])


@case(([3, 4, 6, 2, 1],), ([5],))
def entries_of_several_kinds(xs):
    entries = {}
    for v in xs:
        entries[v] = "even" if v % 2 == 0 else v
    total = 0
    for v in entries.values():
        if v == "even":
            total += 100
        else:
            total += v
    entries[7] = "seven"
    entries[8] = (1, 2)
    return total, entries.get(3, "none"), "even" in entries.values(), entries[xs[0]]
