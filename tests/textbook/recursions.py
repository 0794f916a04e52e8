"""Recursion of textbooks: towers, permutations, queens, subsets, floods, trees."""

# ruff: noqa: RUF005

import bisect
from functools import cache

from tests.textbook.bank import bank

case, CASES = bank()


@case((3,), (1,), (4,))
def hanoi_pegs(height):
    moves = []

    def move(n, source, target, spare):
        if n >= 1:
            move(n - 1, source, spare, target)
            moves.append((source, target))
            move(n - 1, spare, target, source)

    move(height, 0, 2, 1)
    return moves


@case((3,), (1,), (2,))
def hanoi_towers(n):
    pegs = [list(range(n, 0, -1)), [], []]

    def move(count, source, target, spare):
        if count > 0:
            move(count - 1, source, spare, target)
            pegs[target].append(pegs[source].pop())
            move(count - 1, spare, target, source)

    move(n, 0, 2, 1)
    return len(pegs[0]), len(pegs[2]), pegs[2][0]


@case((3,), (2,), (0,))
def hanoi_of_names(n):
    pegs = {"A": list(range(n, 0, -1)), "B": [], "C": []}
    count = 0

    def move(height, source, target, spare):
        nonlocal count
        if height == 0:
            return
        move(height - 1, source, spare, target)
        pegs[target].append(pegs[source].pop())
        count += 1
        move(height - 1, spare, target, source)

    move(n, "A", "B", "C")
    return count, pegs["A"], pegs["B"]


@case((3,), (2,), (0,))
def hanoi_of_lists(n):
    start, between, end = [3, 2, 1], [], []

    def move(height, source, target, spare):
        if height > 0:
            move(height - 1, source, spare, target)
            target.append(source.pop())
            move(height - 1, spare, target, source)

    move(n, start, end, between)
    return start, between, end


@case((3,), (1,), (5,))
def hanoi_count(n):
    if n == 0:
        return 0
    return hanoi_count(n - 1) + 1 + hanoi_count(n - 1)


@case(([1, 2, 3],), ([1],), ([5, 7],))
def permutations(nums):
    if len(nums) == 0:
        return [[]]
    result = []
    for i in range(len(nums)):
        rest = nums[:i] + nums[i + 1 :]
        for p in permutations(rest):
            result.append([nums[i]] + p)
    return result


@case(([1, 2, 3],), ([1],), ([4, 6],))
def permutations_by_swaps(a):
    result = []

    def permute(start):
        if start == len(a):
            result.append(a[:])
            return
        for i in range(start, len(a)):
            a[start], a[i] = a[i], a[start]
            permute(start + 1)
            a[start], a[i] = a[i], a[start]

    permute(0)
    return result


@case((4,), (1,), (5,), (3,))
def queens(n):
    columns = [0] * n

    def safe(row, column):
        for r in range(row):
            if columns[r] == column or abs(columns[r] - column) == row - r:
                return False
        return True

    def place(row):
        if row == n:
            return 1
        count = 0
        for column in range(n):
            if safe(row, column):
                columns[row] = column
                count += place(row + 1)
        return count

    return place(0)


@case(([1, 2, 3],), ([],), ([7],))
def power_set(items):
    if len(items) == 0:
        return [[]]
    rest = power_set(items[1:])
    return rest + [[items[0]] + subset for subset in rest]


@case(([3, 34, 4, 12, 5, 2], 9), ([3, 4], 6), ([1], 1))
def subset_sum_search(nums, target):
    def search(i, left):
        if left == 0:
            return True
        if i == len(nums) or left < 0:
            return False
        return search(i + 1, left - nums[i]) or search(i + 1, left)

    return search(0, target)


@case(([1, 2, 3], 4), ([5], 3), ([2, 3, 5], 8))
def combination_count(coins, amount):
    def count(i, left):
        if left == 0:
            return 1
        if left < 0 or i < 0:
            return 0
        return count(i, left - coins[i]) + count(i - 1, left)

    return count(len(coins) - 1, amount)


@case((2, 3), (0, 0), (1, 2))
def ackermann(m, n):
    if m < 0 or n < 0:
        raise ValueError("both must not be negative")
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@case((10,), (0,), (1,), (-3,))
def fib_memo(n):
    if n < 0:
        raise ValueError("n is negative")
    cache = {0: 0, 1: 1}

    def fib(k):
        if k in cache:
            return cache[k]
        cache[k] = fib(k - 1) + fib(k - 2)
        return cache[k]

    return fib(n)


@case(([1, 1, 0, 0, 1, 0, 0, 0, 1],), ([0, 0, 0, 0, 0, 0, 0, 0, 0],))
def count_islands(cells):
    grid = [[cells[3 * i + j] for j in range(3)] for i in range(3)]

    def sink(i, j):
        if i < 0 or j < 0 or i >= 3 or j >= 3 or grid[i][j] == 0:
            return
        grid[i][j] = 0
        sink(i + 1, j)
        sink(i - 1, j)
        sink(i, j + 1)
        sink(i, j - 1)

    islands = 0
    for i in range(3):
        for j in range(3):
            if grid[i][j] == 1:
                islands += 1
                sink(i, j)
    return islands


@case((2, 10), (3, 0), (5, 3), (2, -1))
def power_recursive(base, exponent):
    if exponent < 0:
        raise ValueError(f"the exponent {exponent} is negative")
    if exponent == 0:
        return 1
    half = power_recursive(base, exponent // 2)
    return half * half if exponent % 2 == 0 else half * half * base


@case(([4, 2, 9, 1],), ([3],), ([1, 8],))
def max_and_min(a):
    def find(low, high):
        if low == high:
            return a[low], a[low]
        middle = (low + high) // 2
        left, right = find(low, middle), find(middle + 1, high)
        return max(left[0], right[0]), min(left[1], right[1])

    return find(0, len(a) - 1)


@case((3, 7), (2, 2), (1, 1))
def lattice_paths(rows, columns):
    if rows == 1 or columns == 1:
        return 1
    return lattice_paths(rows - 1, columns) + lattice_paths(rows, columns - 1)


@case((10,), (7,), (0,))
def collatz_path(n):
    if n < 1:
        raise ValueError("Sequence only defined for positive integers")
    path = [n]

    def follow(k):
        if k == 1:
            return
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        path.append(k)
        follow(k)

    follow(n)
    return path


@case((3,), (1,), (2,))
def parentheses(n):
    found = []

    def extend(word, opened, closed):
        if closed == n:
            found.append(word)
            return
        if opened < n:
            extend(word * 2 + 1, opened + 1, closed)
        if closed < opened:
            extend(word * 2, opened, closed + 1)

    extend(0, 0, 0)
    return found


@case(([1, 2, 3, 4, 5],), ([1],), ([1, 2],))
def reverse_recursive(a):
    def swap(i, j):
        if i < j:
            a[i], a[j] = a[j], a[i]
            swap(i + 1, j - 1)

    swap(0, len(a) - 1)
    return a


@case((4,), (0,), (9,))
def calls_counted(n):
    calls = 0

    def fib(k):
        nonlocal calls
        calls += 1
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n), calls


@case((3,), (1,), (5,))
def sizes_of_choices(n):
    chosen, sizes = [], []

    def choose(at):
        if at == n:
            sizes.append(len(chosen))
            return
        choose(at + 1)
        chosen.append(at)
        choose(at + 1)
        chosen.pop()

    choose(0)
    return sizes


@case(([3, 1, 2, 4], 0), ([5], 0), ([7, 8], 1), ([], 0))
def totals_of_choices(items, start):
    totals = []
    _choose(items, [], start, totals)
    return totals


def _choose(items, chosen, at, totals):
    if at == len(items):
        totals.append(sum(chosen))
        return
    chosen.append(items[at])
    _choose(items, chosen, at + 1, totals)
    chosen.pop()
    _choose(items, chosen, at + 1, totals)


@case((6,), (0,), (9,))
def deepest_visit(n):
    depth, deepest = [0], [0]

    def visit(k):
        depth[0] += 1
        if depth[0] > deepest[0]:
            deepest[0] = depth[0]
        if k > 0:
            visit(k // 2)
            visit(k - 2)
        depth[0] -= 1

    visit(n)
    return deepest[0], depth[0]


@case(([], 0, 3), ([], 1, 1), ([4, 7], 0, 7))
def found_in_part(items, first, wanted):
    if first < len(items):
        return first if items[first] == wanted else found_in_part(items, first + 1, wanted)
    return -1


spent = ways = 0


@case((13,), (100,), (3,))
def sums_of_squares(amount):
    global spent, ways
    spent = ways = 0
    _spend(amount, 1)
    return ways, spent


def _spend(amount, base):
    global spent, ways
    if spent == amount:
        ways += 1
        return
    if spent + base * base <= amount:
        spent += base * base
        _spend(amount, base + 1)
        spent -= base * base
    if base * base < amount:
        _spend(amount, base + 1)


@case((9,), (1,), (30,))
def cheapest_stamps(amount):
    @cache
    def fewest(rest):
        if rest == 0:
            return 0
        return 1 + min(fewest(rest - value) for value in (1, 4, 6) if value <= rest)

    return fewest(amount)


@case(([3, 1, 4, 1, 5], [2, 7]), ([2], [1, 1]))
def cheapest_visits(days, fares):
    visits, last = set(days), max(days)

    @cache
    def fare(day):
        if day > last:
            return 0
        if day not in visits:
            return fare(day + 1)
        return min(fares[0] + fare(day + 1), fares[1] + fare(day + 7))

    return fare(1)


@case((3, 3), (2, 4), (0, 5))
def grid_walks(rows, columns):
    @cache
    def walks(row, column):
        if row == 0 or column == 0:
            return 1
        return walks(row - 1, column) + walks(row, column - 1)

    return walks(rows, columns)


@case(([3, 8, 20], 8), ([3, 8, 20], 9), ([4], 1))
def grade_of(limits, points):
    return bisect.bisect(limits, points), bisect.bisect_left(limits, points)


@case(([5, 2, 9, 2],), ([1],), ([3, 1, 2],))
def longest_rising(items):
    ends = []
    for item in items:
        at = bisect.bisect_left(ends, item)
        if at == len(ends):
            ends.append(item)
        else:
            ends[at] = item
    return len(ends)


@case((3,), (1,), (0,))
def ring_carries(rings):
    carried = []

    def carry(count, here, there, spare):
        if count == 0:
            return
        carry(count - 1, here, spare, there)
        carried.append((here, there))
        carry(count - 1, spare, there, here)

    carry(rings, "left", "right", "middle")
    return carried


@case((4,), (0,), (1,))
def turns_of_a_guard(hours):
    turns = []
    for hour in range(hours):
        turns.append(("north", ("tower", None)) if hour % 3 == 0 else ("south", ("gate", None)))
    return turns, len(turns)


@case(([1, 2, 3], 2), ([1, 2], 0), ([4], 2))
def combinations_of(items, count):
    if count == 0:
        return [[]]
    if not items:
        return []
    with_first = [[items[0]] + rest for rest in combinations_of(items[1:], count - 1)]
    return with_first + combinations_of(items[1:], count)


@case((3, [1, 2]), (0, [1]), (3, [2]))
def fewest_coins_of(amount, coins):
    if amount == 0:
        return []
    best = None
    for coin in coins:
        if coin <= amount:
            rest = fewest_coins_of(amount - coin, coins)
            if rest is not None and (best is None or len(rest) + 1 < len(best)):
                best = [coin] + rest
    return best


@case(({1: [2, 3], 2: [4], 3: [4], 4: []}, 1, 4), ({1: [2], 2: []}, 1, 1))
def ways_through(graph, start, goal):
    def ways(node):
        if node == goal:
            return [[node]]
        found = []
        for other in graph[node]:
            for way in ways(other):
                found.append([node] + way)
        return found

    return ways(start)


@case((4,), (1,), (0,))
def triangular_by_generator(n):
    def parts(n):
        yield n
        yield whole(n - 1)

    def whole(n):
        if n <= 0:
            return 0
        return sum(part for part in parts(n))

    return whole(n)


@case((3, 9), (1, 2), (5, 0))
def nested_items_up_to(x, limit):
    def flat(items):
        for item in items:
            if isinstance(item, list):
                yield from flat(item)
            else:
                yield item

    total = 0
    if x > 2:
        for item in flat([x, [1, [2, [x + 1]]], 5]):
            if item > limit:
                break
            total += item
    return total


# Lists that grow from one that is not empty


@case((8,), (1,), (5,))
def halves(number):
    if number <= 1:
        return [1]
    return [number] + halves(number // 2)


@case((3,), (0,))
def counted_up(number):
    if number == 0:
        return [0]
    found = counted_up(number - 1)
    found.append(number)
    return found


@case((6,), (1,))
def collatz_numbers(number):
    if number == 1:
        return [1]
    if number % 2 == 0:
        return [number] + collatz_numbers(number // 2)
    return [number] + collatz_numbers(3 * number + 1)


@case((48, 18), (5, 0))
def quotients(a, b):
    if b == 0:
        return [a]
    return [a // b] + quotients(b, a % b)


@case((3,), (0,))
def squares_of_all(number):
    if number <= 0:
        return [(0, 0)]
    return squares_of_all(number - 1) + [(number, number * number)]


@case((2,), (0,))
def rows_of_two(number):
    if number == 0:
        return [[0, 0]]
    rows = rows_of_two(number - 1)
    rows.append([number, number])
    return rows


@case((3, 1, 2, 3), (1, 4, 5, 6))
def moves_of_a_tower(height, start, between, end):
    if height == 1:
        return [(start, end)]
    first = moves_of_a_tower(height - 1, start, end, between)
    return first + [(start, end)] + moves_of_a_tower(height - 1, between, start, end)


class Counter:
    def __init__(self, n):
        self.n = n

    def more(self):
        self.n += 1


class Doubled(Counter):
    def __init__(self, n):
        super().__init__(n)
        self.twice = 2 * n


class TooSmall(Exception):
    def __init__(self, n, text):
        super().__init__(text)
        self.n = n


@case((3,), (0,), (4,))
def objects_of_each_call(n):
    made = []

    def go(n):
        own = Doubled(n)
        made.append(own)
        own.more()
        if n == 0:
            return own.n
        below = go(n - 1)
        made[-1].more()
        own.more()
        return below + own.n + own.twice

    return go(n), [each.n for each in made]


@case((3,), (0,), (-2,))
def raises_of_its_own_class(n):
    def go(n):
        if n < 0:
            raise TooSmall(n, "too small")
        return 0 if n == 0 else n + go(n - 1)

    return go(n)


class Holder:
    def __init__(self):
        self.current = None


@case((3,), (0,), (1,))
def new_object_put_into_another(n):
    holder = Holder()
    if n > 1:
        own = Doubled(n)
        holder.current = own
        own.more()
        if n > 2:
            holder.current.more()
    else:
        holder.current = Doubled(-1)
    holder.current.more()
    return holder.current.n, holder.current.twice


def gone(path, n):
    if n == 0:
        return len(path), sum(path), path == (3, 2, 1), path[:2]
    return gone(path + (n,), n - 1)


@case((3,), (0,), (5,))
def path_as_a_tuple(n):
    return gone((), n)


def placed_queens(n, placed=()):
    if len(placed) == n:
        return 1
    total, row = 0, len(placed)
    for column in range(n):
        if all(column != c and abs(column - c) != row - r for r, c in enumerate(placed)):
            total += placed_queens(n, placed + (column,))
    return total


@case((4,), (1,), (5,))
def queens_in_a_tuple(n):
    return placed_queens(n)


def digits_of(n, known=()):
    return known if n == 0 else digits_of(n // 10, (n % 10,) + known)


@case((345,), (0,), (7,))
def digits_in_a_tuple(n):
    return digits_of(n), sum(digits_of(n))


def walked_to(place, path, n):
    row, column = place
    if n == 0:
        return len(path), row, column, path[-1] if path else (-1, -1)
    return walked_to((row + 1, column + n), (*path, (row, column)), n - 1)


@case((3,), (0,), (5,))
def places_in_a_tuple(n):
    return walked_to((0, 0), (), n)


def ways_over_cells(cell, seen, n):
    if cell > n or cell in seen:
        return 0
    if cell == n:
        return 1 + len(seen)
    return ways_over_cells(cell + 1, seen + (cell,), n) + ways_over_cells(
        cell + 2, seen + (cell,), n
    )


@case((3,), (5,))
def cells_in_a_tuple(n):
    return ways_over_cells(0, (), n)


def counted_in(state, n):
    count, path = state
    if n == 0:
        return count + len(path), "-".join(path)
    return counted_in((count + 1, path + (str(n),)), n - 1)


@case((3,), (0,), (5,))
def texts_in_a_tuple(n):
    return counted_in((0, ()), n)


def collected(n, out):
    if n > 0:
        collected(n - 1, out).append(n)
    return out


def looked_through(n, seen):
    if n == 0:
        return seen
    looked_through(n - 1, seen)
    found = looked_through(n - 1, seen)
    found.add(n * n)
    return seen


def raised_at(n, counts):
    if n > 0:
        raised_at(n - 1, counts)[0] += n
    return counts[0]


@case((3,), (0,), (2,))
def what_is_passed_on_is_returned(n):
    out, seen, counts = [], {17}, [[5], [7]]
    found = collected(n, out), looked_through(n, seen), raised_at(n, counts)
    return found[0] is out, found[1] is seen, found[2] is counts[0], out, sorted(seen), counts
