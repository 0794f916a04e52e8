"""Tables, lists and counters, as textbooks write them."""

import operator

from tests.textbook.bank import bank

# The programs are written as textbooks write them.
# ruff: noqa: B905

case, CASES = bank()

DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))
MULTIPLICATION = [[i * j for j in range(5)] for i in range(5)]


@case((1, 31), (3, 1), (12, 31), (13, 1))
def day_of_year(month, day):
    total = day
    for m in range(month - 1):
        total += DAYS[m]
    return total


@case((3, 4), (0, 2), (4, -1), (2, 5))
def times_table(i, j):
    return MULTIPLICATION[i][j]


@case((0, 5), (3, 2), (7, 1))
def turtle(start, steps):
    x = y = 0
    heading = start
    for _ in range(steps):
        dx, dy = DIRECTIONS[heading % 4]
        x, y = x + dx, y + dy
        heading += 1
    return x, y


@case((10,), (1,), (0,), (2,))
def fibonacci_tabulated(n):
    table = [0] * (n + 1)
    if n > 0:
        table[1] = 1
    for i in range(2, n + 1):
        table[i] = table[i - 1] + table[i - 2]
    return table[n]


@case((30,), (2,), (1,))
def sieve_list(limit):
    is_prime = [True] * (limit + 1)
    primes = []
    p = 2
    while p <= limit:
        if is_prime[p]:
            primes.append(p)
            for multiple in range(p * p, limit + 1, p):
                is_prime[multiple] = False
        p += 1
    return primes


@case(([1, 2, 5], 5), ([2], 3), ([10], 0))
def coin_ways(coins, amount):
    ways = [0] * (amount + 1)
    ways[0] = 1
    for coin in coins:
        for value in range(coin, amount + 1):
            ways[value] += ways[value - coin]
    return ways[amount]


@case(([1, 2, 5], 11), ([2], 3), ([1], 0))
def fewest_coins(coins, amount):
    fewest = [0] + [amount + 1] * amount
    for value in range(1, amount + 1):
        for coin in coins:
            if coin <= value and fewest[value - coin] + 1 < fewest[value]:
                fewest[value] = fewest[value - coin] + 1
    if fewest[amount] > amount:
        return -1
    return fewest[amount]


@case(([2, 3, 4], [3, 4, 5], 5), ([1], [1], 0), ([5, 4, 6, 3], [10, 40, 30, 50], 10))
def knapsack_row(weights, values, capacity):
    best = [0] * (capacity + 1)
    for i in range(len(weights)):
        for room in range(capacity, weights[i] - 1, -1):
            best[room] = max(best[room], best[room - weights[i]] + values[i])
    return best[capacity]


@case(([1, 5, 8, 9], 4), ([2, 5], 2), ([3], 1))
def rod_cutting(prices, length):
    best = [0] * (length + 1)
    for size in range(1, length + 1):
        for cut in range(1, size + 1):
            best[size] = max(best[size], prices[cut - 1] + best[size - cut])
    return best[length]


@case(([3, 34, 4, 12, 5, 2], 9), ([3, 4], 6), ([1], 0))
def subset_sum(numbers, target):
    reachable = [False] * (target + 1)
    reachable[0] = True
    for number in numbers:
        for total in range(target, number - 1, -1):
            if reachable[total - number]:
                reachable[total] = True
    return reachable[target]


@case(([10, 9, 2, 5, 3, 7, 101, 18],), ([0, 1, 0, 3],), ([7, 7],))
def longest_increasing(a):
    longest = [1] * len(a)
    for i in range(len(a)):
        for j in range(i):
            if a[j] < a[i]:
                longest[i] = max(longest[i], longest[j] + 1)
    return max(longest)


@case(([1, 2, 3, 4], [2, 4]), ([1], [2]), ([3, 1, 2], [3, 1, 2]))
def levenshtein(a, b):
    distance = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        distance[i][0] = i
    for j in range(len(b) + 1):
        distance[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            distance[i][j] = min(
                distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + cost
            )
    return distance[-1][-1]


@case(([1, 3, 5, 7, 9], 7), ([1, 3, 5], 4), ([2], 2))
def binary_search_recursive(a, x):
    def search(low, high):
        if low > high:
            return -1
        mid = (low + high) // 2
        if a[mid] == x:
            return mid
        if a[mid] > x:
            return search(low, mid - 1)
        return search(mid + 1, high)

    return search(0, len(a) - 1)


@case(([1, 2, 2, 2, 3], 2), ([1, 3], 2), ([5], 9))
def count_sorted(a, x):
    low, high = 0, len(a)
    while low < high:
        mid = (low + high) // 2
        if a[mid] < x:
            low = mid + 1
        else:
            high = mid
    count = 0
    while low < len(a) and a[low] == x:
        count += 1
        low += 1
    return count


@case(([3, 1, 4, 1, 5], 1, 3), ([2], 0, 1), ([1, 2, 3], 2, 2))
def range_sum(a, left, right):
    prefix = [0]
    for x in a:
        prefix.append(prefix[-1] + x)
    return prefix[right] - prefix[left]


@case(([3, 1, 3, 0, 2, 3],), ([0],), ([4, 4],))
def histogram(values):
    counts = [0] * 5
    for v in values:
        counts[v] += 1
    return counts


@case(([3, 1, 3, 0, 2, 3],), ([0],), ([5],))
def most_frequent(values):
    counts = [0] * 5
    for v in values:
        counts[v] += 1
    return counts.index(max(counts))


@case(([1, 2, 4, 7, 11], 9), ([1, 2], 5), ([3, 3], 6))
def pair_with_sum(a, target):
    left, right = 0, len(a) - 1
    while left < right:
        total = a[left] + a[right]
        if total == target:
            return [left, right]
        if total < target:
            left += 1
        else:
            right -= 1
    return []


@case(([5, 2, 4, 6, 1, 3],), ([1],), ([2, 1],))
def insertion_sort_copy(values):
    a = list(values)
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1]
            j -= 1
    return a


@case(([4, 2, 7, 1], 2), ([1, 2], 1), ([3, 1, 2], 3))
def kth_smallest(values, k):
    return sorted(values)[k - 1]


@case(([1, -2, 3, -4],), ([-1],), ([2, -2],))
def by_magnitude(values):
    return sorted(values, key=abs, reverse=True)


@case(([3, 1, 2], [30, 10, 20]), ([1], [5]))
def sorted_pairs(keys, values):
    pairs = []
    for k, v in zip(keys, values):
        pairs.append((k, v))
    pairs.sort()
    return pairs


@case(([2, 7, 1, 8],), ([5],), ([1, 1],))
def closest_pair_gap(values):
    a = sorted(values)
    best = 10**6
    for i in range(1, len(a)):
        if a[i] - a[i - 1] < best:
            best = a[i] - a[i - 1]
    return best


@case((7, 3), (5, 2), (1, 4))
def josephus_circle(n, k):
    people = []
    for i in range(n):
        people.append(i)
    at = 0
    while len(people) > 1:
        at = (at + k - 1) % len(people)
        people.pop(at)
    return people[0]


@case(([1, 2, 3, 4, 5], 2), ([1, 2, 3], 0), ([1, 2], 5))
def rotate_by(a, k):
    n = len(a)
    rotated = [0] * n
    for i in range(n):
        rotated[(i + k) % n] = a[i]
    return rotated


@case(([2, 0, 1],), ([0],), ([1, 0],))
def inverse_permutation(p):
    inverse = [0] * len(p)
    for i in range(len(p)):
        inverse[p[i]] = i
    return inverse


@case(([1, 2, 0, 4, 3],), ([0],), ([1, 0],))
def cycle_count(p):
    seen = [False] * len(p)
    cycles = 0
    for i in range(len(p)):
        if not seen[i]:
            cycles += 1
            j = i
            while not seen[j]:
                seen[j] = True
                j = p[j]
    return cycles


@case((6, [0, 2, 4], [1, 3, 5]), (4, [0, 1], [1, 2]), (2, [0], [0]))
def components(n, starts, ends):
    parent = [0, 1, 2, 3, 4, 5]
    count = n
    for a, b in zip(starts, ends):
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            parent[b] = a
            count -= 1
    return count


@case((5,), (1,), (0,))
def gray_code(n):
    codes = []
    for i in range(n):
        codes.append(i ^ (i >> 1))
    return codes


@case((13,), (0,), (255,), (-1,))
def population_count(n):
    if n < 0:
        raise ValueError("the value must not be negative")
    count = 0
    while n:
        count += n & 1
        n >>= 1
    return count


@case((5, 3), (0, 7), (6, 6), (1, -1))
def add_by_bits(a, b):
    if b < 0:
        raise ValueError("both must not be negative")
    while b != 0:
        carry = a & b
        a = a ^ b
        b = carry << 1
    return a


@case((1, 4), (3, 0), (1, -2))
def shifted(n, count):
    return n << count, (n << 8) >> count, ~n, n | 1 << 3


@case(([1, 2, 3], 2, 1), ([0, 5], 3, 3))
def polynomial_table(coefficients, x, degree):
    powers = [1] * 4
    for i in range(1, 4):
        powers[i] = powers[i - 1] * x
    total = 0
    for i, c in enumerate(coefficients):
        total += c * powers[i]
    return total, powers[degree]


@case((2, 1), (0, 0), (3, 2))
def grid_walk(row, column):
    grid = [[0] * 3 for _ in range(3)]
    grid[row % 3][column] = 5
    grid[row % 3][column] += 1
    grid[0][0] -= 1
    return grid


@case((0, 0), (5, 0), (5, 3))
def zeros_among(a, b):
    if (a, b).count(0) == 2:
        raise ValueError("only one of them may be 0")
    return 0 in (a, b), (a, b, 0).index(0)


@case(([4, 2, 5, 3, 0, 1], 2), ([9, 9, 9, 9], 2), ([1], 5))
def taken_while_counted(numbers, limit):
    taken = []
    for place, number in enumerate(numbers):
        if number > limit:
            taken.append((place, number))
            numbers.pop(place)
    return taken, numbers


@case(([4, 2, 5], 2), ([1, 2], 7), ([6], 0))
def echoes(numbers, limit):
    for number_of, number in enumerate(numbers, 1):
        if number > limit and len(numbers) < 12:
            numbers.append(number - number_of)
        if number_of == 9:
            break
    return numbers


@case(([4, 2, 5], 2), ([1], 7))
def strand_of(numbers, least, found=None):
    found = found or []
    for number in numbers:
        if number > least:
            found.append(number)
    return found


@case((1,), (0,), (3,))
def concatenated(n):
    counted, letters = list(range(int(n))), ["z"]
    letters += "ab" * int(n)
    both = operator.concat([3, 1], counted)
    return len(both), both, operator.concat(counted, both), operator.iconcat([5], counted), letters


@case((1,), (0,), (5,))
def rest_of_a_display(n):
    first, *rest = [n, 2, 3]
    *others, last = n, 7
    if n > 1:
        rest += [n]
        others.pop()
    return first, rest, others, last


@case((1,), (0,), (3,))
def words_as_functions(n):
    counted = list(range(int(n)))
    number = operator.index(n)
    truths = operator.truth(number), operator.not_(counted), operator.truth(n > 1)
    others = list(map(operator.not_, [number, 0])), list(filter(operator.truth, [number, 0, 2]))
    try:
        operator.index(float(n))
    except TypeError:
        number += 10
    return truths, others, number, DAYS[operator.index(n)], operator.index(n > 1)
