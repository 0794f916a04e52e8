"""Comprehensions, generators, and messages with numbers in them, as textbooks write them."""

import itertools
import math

from tests.textbook.bank import bank

# The programs are written as textbooks write them.
# ruff: noqa: B905, RUF015, SIM113, UP031, UP032

case, CASES = bank()


@case((1,), (6,), (28,), (0,), (-4,))
def proper_divisors(number):
    if number < 1:
        msg = f"number must be positive, got {number}"
        raise ValueError(msg)
    return [d for d in range(1, number // 2 + 1) if number % d == 0]


@case((2,), (20,), (-1,))
def primes_up_to(n):
    if n < 0:
        raise ValueError("n must not be negative: " + str(n))
    return [k for k in range(2, n + 1) if all(k % d != 0 for d in range(2, k))]


@case((5, 13), (1, 2), (0, 0))
def count_pythagorean(low, high):
    return sum(
        1
        for a in range(1, high)
        for b in range(a, high)
        if low <= a + b < high and a * a + b * b < high * high
    )


@case(([1, 2, 3], [4, 5, 6]), ([1], [2]), ([1, 2], [3]))
def dot_product(a, b):
    if len(a) != len(b):
        raise ValueError("lengths differ: {} and {}".format(len(a), len(b)))
    return sum(x * y for x, y in zip(a, b))


@case(([3.0, 4.0],), ([0.0, 0.0, 0.0],))
def normalize(v):
    length = math.sqrt(sum(c * c for c in v))
    if length == 0:
        return [c for c in v]
    return [c / length for c in v]


@case(([[1, 2], [3, 4], [5, 6]],), ([[7]],))
def transpose(matrix):
    return [[row[j] for row in matrix] for j in range(len(matrix[0]))]


@case(([[1, 2], [3, 4]], [[0, 1], [1, 0]]))
def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


@case(([3, 8, 1, 9], 4), ([5], 9))
def count_above(values, limit):
    return len([v for v in values if v > limit]), sum(v > limit for v in values)


@case(([3, 8, 1, 9],), ([5],))
def argmax(values):
    return max(range(len(values)), key=lambda i: values[i])


@case(([3, 8, 2, 9],), ([2, 4],), ([1],))
def all_even_or_first_odd(values):
    if all(v % 2 == 0 for v in values):
        return -1
    return [i for i, v in enumerate(values) if v % 2][0]


@case((10, 3), (3, 10), (5, 0))
def combinations(n, k):
    if n < k or k < 0:
        raise ValueError(f"Please enter positive integers for n and k where n >= k, got {n=}, {k=}")
    return math.prod([n - i for i in range(3)]) // 6 + k


@case((5, 2.0), (0, 1.5), (4, -1.0))
def polynomial(n, x):
    assert n > 0, f"needs a degree: {n}"
    return sum((k + 1) * x**k for k in range(4)) + n


@case((100.0, 0.05, 3), (100.0, -0.5, 1), (-1.0, 0.1, 1))
def balance_after(principal, rate, years):
    if principal <= 0:
        raise ValueError("principal of %.2f is not positive" % principal)
    if rate < 0:
        raise ValueError("rate of %s is below zero" % rate)
    return max(principal * (1 + rate) ** 2, principal) + years


@case((0.0,), (-300.0,), (25.0,))
def to_fahrenheit(celsius):
    if celsius < -273.15:
        raise ValueError(f"{celsius:.2f} is below absolute zero ({-273.15!r})")
    return round(celsius * 9 / 5 + 32, 2)


@case((12,), (7,), (1,))
def smallest_factor(n):
    found = [d for d in range(2, n + 1) if n % d == 0]
    if not found:
        raise LookupError(f"{n} has no factor")
    return min(found), max(found), len(found)


@case((1, 5), (4, 4), (6, 2))
def show_range(low, high):
    if low > high:
        raise IndexError("{0} > {1}: {1} comes first".format(low, high))
    print(", ".join(str(k) for k in range(low, high)))
    print(f"from {low:>3} to {high:<3}|")
    return high - low


@case((3,), (0,), (7,))
def triangle_rows(n):
    return sum([sum([j for j in range(i + 1)]) for i in range(n)])


@case(([1, 4, 2, 8], 5), ([1, 1], 5))
def has_pair_with_sum(values, target):
    return any(
        values[i] + values[j] == target
        for i in range(len(values))
        for j in range(i + 1, len(values))
    )


@case((10,), (1,), (50,))
def sum_of_multiples(limit):
    return sum(k for k in range(limit) if k % 3 == 0 or k % 5 == 0)


@case(([2.0, 4.0, 6.0],), ([1.0, 1.0],))
def deviations(sample):
    mean = sum(sample) / len(sample)
    return max(abs(x - mean) for x in sample), [x - mean for x in sample if x > mean]


@case((6,), (1,), (9,))
def nth_even_square(n):
    count = 0
    for square in (k * k for k in range(100) if k % 2 == 0):
        count += 1
        if count == n:
            return square
    return -1


@case((3, 2), (2, 0), (2, 5))
def take_from(stock, wanted):
    if wanted > stock:
        raise RuntimeError(f"wanted {wanted} of {stock} ({stock - wanted:+d})") from KeyError(
            wanted
        )
    return stock - wanted


@case(([3, 5, 1, 2], 4), ([1, 7, 8], 9), ([], 2))
def parts_by_a_test(values, limit):
    first = list(itertools.takewhile(lambda v: v < limit, values))
    rest = list(itertools.dropwhile(lambda v: v < limit, values))
    odd = list(itertools.filterfalse(lambda v: v % 2 == 0, values))
    large = list(itertools.compress(values, [v > 2 for v in values]))
    return first, rest, odd, large


@case((40,), (1,), (0,))
def squares_below(limit):
    squares = itertools.takewhile(lambda s: s < limit, [i * i for i in range(20)])
    return sum(s for s in squares if s % 2 == 1), sum(
        1 for _ in itertools.takewhile(lambda k: k * k < limit, range(30))
    )


@case(([3, 8, 2, 9], 5), ([7], 7))
def summed_by_order(values, limit):
    return sum(
        x * k for k, x in enumerate(sorted(values, key=lambda v: abs(v - limit)), start=1)
    ), any(x > limit for x in filter(lambda v: v % 2 == 0, values))


@case((3, 1), (1, 2), (2, 2))
def keys_of_displays(a, b):
    squares = {side: side * side for side in (a, b, 2)}
    shifted = {step + a: step for step in (1, 2)}
    named = {key: value for key, value in [(a, "a"), (b, "b")]}
    return (
        squares,
        shifted,
        named[b],
        len({side % 2 for side in (a, b)}),
        {k: a for k in ("x", "y")},
    )
