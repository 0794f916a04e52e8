"""Searches and iterations with an end that the values decide, recursion with counters, and choices,
as textbooks write them.
"""

import math

from tests.textbook.bank import bank

# The programs are written as textbooks write them.

case, CASES = bank()

# Long loops


@case((2.0,), (9.0,), (1e-3,))
def newton_root(x):
    guess = x / 2
    for _ in range(1000):
        better = (guess + x / guess) / 2
        if abs(better - guess) < 1e-12:
            return better
        guess = better
    raise ArithmeticError("no root found")


@case((1.0, 2.0), (0.0, 1.5), (2.0, 3.0))
def bisect_root(low, high):
    if (low * low - 2) * (high * high - 2) > 0:
        raise ValueError("the ends have one sign")
    for _ in range(200):
        middle = (low + high) / 2
        if high - low < 1e-10:
            break
        if (low * low - 2) * (middle * middle - 2) <= 0:
            high = middle
        else:
            low = middle
    return middle


@case((0.5,), (0.0,), (1.0,))
def fixed_point(x):
    for step in range(500):
        following = math.cos(x)
        if abs(following - x) < 1e-9:
            return step
        x = following
    return -1


@case((1.0,), (-2.0,), (0.0,))
def exponential_series(x):
    term, total = 1.0, 1.0
    for k in range(1, 100):
        term = term * x / k
        total += term
        if abs(term) < 1e-15:
            break
    return total


@case((27,), (1,), (6,), (97,))
def collatz_steps(n):
    for steps in range(1000):
        if n == 1:
            return steps
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return None


@case((97,), (91,), (2,), (1,), (0,))
def is_prime_by_trial(n):
    if n < 2:
        return False
    for d in range(2, 1000):
        if d * d > n:
            break
        if n % d == 0:
            return False
    return True


@case((97,), (91,), (4,))
def is_prime_by_all(n):
    return n > 1 and all(n % d for d in range(2, 50) if d < n)


@case((84, 36), (17, 5), (0, 3))
def gcd_bounded(a, b):
    for _ in range(100):
        if b == 0:
            break
        a, b = b, a % b
    else:
        raise RuntimeError("no end")
    return a


@case((12,), (30,), (11,))
def pythagorean_triple(perimeter):
    for a in range(1, 30):
        for b in range(a, 30):
            c = perimeter - a - b
            if c > 0 and a * a + b * b == c * c:
                return a, b, c
    return None


@case((1000.0, 0.05, 2000.0), (100.0, 0.0, 200.0))
def years_to_double(balance, rate, goal):
    for year in range(200):
        if balance >= goal:
            return year
        balance = balance * (1 + rate)
    return -1


@case((10,), (1,), (100,))
def first_square_above(limit):
    for n in range(1, 500):
        if n * n > limit:
            break
    return n


@case((153,), (154,), (9,))
def is_armstrong(number):
    digits, rest, total = 0, number, 0
    for _ in range(20):
        if rest == 0:
            break
        digits += 1
        rest //= 10
    rest = number
    for _ in range(20):
        if rest == 0:
            break
        total += (rest % 10) ** digits
        rest //= 10
    return total == number


@case((19,), (20,), (1,))
def is_happy(n):
    for _ in range(50):
        if n == 1:
            return True
        total = 0
        while n > 0:
            total += (n % 10) ** 2
            n //= 10
        n = total
    return False


@case((89,), (10,), (121,))
def steps_to_palindrome(n):
    for steps in range(25):
        reverse, rest = 0, n
        while rest > 0:
            reverse = reverse * 10 + rest % 10
            rest //= 10
        if reverse == n:
            return steps
        n = n + reverse
    return -1


# Recursion with counters


@case((0,), (5,), (40,))
def count_up(n):
    def go(r):
        return 0 if r >= n else 1 + go(r + 1)

    return go(0)


@case((97,), (91,), (1,))
def is_prime_recursive(n, divisor=2):
    if n < 2:
        return False
    if divisor * divisor > n:
        return True
    if n % divisor == 0:
        return False
    return is_prime_recursive(n, divisor + 1)


@case((4,), (0,), (7,))
def stairs(n):
    def ways(step):
        if step == n:
            return 1
        if step > n:
            return 0
        return ways(step + 1) + ways(step + 2)

    return ways(0)


@case(([1, 3, 5, 7, 9, 11], 7), ([1, 3, 5, 7, 9, 11], 4), ([2], 2))
def binary_search_recursive(items, target, low=0, high=None):
    high = len(items) - 1 if high is None else high
    if low > high:
        return -1
    middle = (low + high) // 2
    if items[middle] == target:
        return middle
    if items[middle] < target:
        return binary_search_recursive(items, target, middle + 1, high)
    return binary_search_recursive(items, target, low, middle - 1)


@case(([5, 3, 1, 4, 1, 5, 9, 2, 6], 9), ([5, 3, 1, 4, 1, 5, 9, 2, 6], 7))
def linear_search_recursive(items, target, at=0):
    if at == len(items):
        return -1
    return at if items[at] == target else linear_search_recursive(items, target, at + 1)


@case(([2, 3, 4, 5], [3, 4, 5, 6], 5), ([1, 2], [10, 20], 0))
def knapsack_recursive(weights, values, capacity):
    def best(at, left):
        if at == len(weights):
            return 0
        result = best(at + 1, left)
        if weights[at] <= left:
            result = max(result, values[at] + best(at + 1, left - weights[at]))
        return result

    return best(0, capacity)


@case(([1, 3, 4, 1], [3, 4, 1, 2]), ([1, 2], [3, 4]))
def longest_common_recursive(a, b):
    def longest(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    return longest(0, 0)


# Choices


@case((3,), (-4,), (0,))
def sign_name(n):
    if n > 0:
        return "positive"
    elif n < 0:
        return "negative"
    return "zero"


@case((15,), (9,), (10,), (7,))
def fizz_buzz(n):
    if n % 15 == 0:
        return "FizzBuzz"
    if n % 3 == 0:
        return "Fizz"
    return "Buzz" if n % 5 == 0 else "none"


@case((2024,), (1900,), (2000,), (2023,))
def days_in_february(year):
    kind = "leap" if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else "common"
    return {"leap": 29, "common": 28}[kind]


@case((0,), (3,), (6,), (7,))
def weekday(number):
    return ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][number]


@case((95,), (82,), (40,), (101,))
def letter_grade(score):
    if not 0 <= score <= 100:
        raise ValueError("a score is between 0 and 100")
    grade = "A" if score >= 90 else "B" if score >= 80 else "F"
    return grade + ("+" if score % 10 >= 8 else "")


@case((1, 6, 3), (0, 6, 3), (2, 6, 3))
def calculator(kind, a, b):
    operations = {0: lambda x, y: x + y, 1: lambda x, y: x - y}
    operation = operations.get(kind, max)
    return operation(a, b)


@case((0,), (4,), (9,))
def traffic_light(ticks):
    light, waited = "red", 0
    for _ in range(ticks):
        waited += 1
        if light == "red" and waited == 3:
            light, waited = "green", 0
        elif light == "green" and waited == 2:
            light, waited = "yellow", 0
        elif light == "yellow":
            light, waited = "red", 0
    return light


@case((3.0, 1), (3.0, 0), (-2.0, 1))
def activation(x, kind):
    def relu(v):
        return v if v > 0 else 0 * v

    def leaky(v):
        return v if v > 0 else 0.1 * v

    chosen = relu if kind == 0 else leaky
    return chosen(x) + chosen(-x)


@case((0,), (5,), (10,))
def complement(at):
    strand = "ACGTTGCAACG"
    pairs = {"A": "T", "T": "A", "C": "G", "G": "C"}
    return pairs[strand[at]]


@case((4,), (10,), (0,))
def balance_of_brackets(n):
    depth, shape = 0, "closed"
    for i in range(n):
        bracket = "(" if i % 3 < 2 else ")"
        depth += 1 if bracket == "(" else -1
        shape = "open" if depth > 0 else "closed"
    return depth if shape == "open" else 0


@case((7,), (-7,), (0,))
def described(n):
    size = "big" if abs(n) > 5 else "small"
    if size == "small":
        raise ValueError(f"{n} is {size}")
    return len(size) + n
