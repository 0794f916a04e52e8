"""Digits, texts, physics, finance, geometry, bits and number theory of textbooks."""

# ruff: noqa: B905

import math

from tests.textbook.bank import bank

case, CASES = bank()


@case((1994,), (4,), (3999,))
def roman(number):
    values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1]
    letters = ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"]
    result = []
    for value, letter in zip(values, letters):
        count, number = divmod(number, value)
        result.append(letter * count)
    return "".join(result)


@case((1994,), (4,), (3999,))
def roman_length(number):
    count = 0
    for value, width in ((1000, 1), (900, 2), (500, 1), (400, 2), (100, 1), (90, 2), (50, 1), (40, 2), (10, 1), (9, 2), (5, 1), (4, 2), (1, 1)):  # fmt: skip  # noqa: E501
        count += number // value * width
        number %= value
    return count


@case((3,), (0,), (29,))
def caesar_codes(key):
    codes = []
    for letter in "Hello, Zoo":
        if letter.isalpha():
            base = ord("A") if letter.isupper() else ord("a")
            codes.append((ord(letter) - base + key) % 26 + base)
        else:
            codes.append(ord(letter))
    return codes


@case((3,), (0,))
def caesar_text(key):
    return "".join(chr((ord(letter) - 97 + key) % 26 + 97) for letter in "hello")


@case((121,), (10,), (-121,), (0,))
def palindrome_number(n):
    if n < 0:
        return False
    original, flipped = n, 0
    while n > 0:
        flipped = flipped * 10 + n % 10
        n //= 10
    return original == flipped


@case((9875,), (0,), (38,))
def digital_root(n):
    while n > 9:
        total = 0
        while n:
            total += n % 10
            n //= 10
        n = total
    return n


@case((153,), (370,), (10,))
def armstrong(n):
    digits, rest = 0, n
    while rest > 0:
        digits, rest = digits + 1, rest // 10
    total, rest = 0, n
    while rest > 0:
        total += (rest % 10) ** digits
        rest //= 10
    return total == n


@case((12345,), (7,), (100,))
def digits_of(n):
    return [int(c) for c in str(n)]


@case((12345,), (7,), (0,))
def digit_list(n):
    digits = []
    while n > 0:
        n, digit = divmod(n, 10)
        digits.insert(0, digit)
    return digits or [0]


@case((10,), (0,), (255,), (-1,))
def to_binary_digits(n):
    if n < 0:
        raise ValueError("the value of input must be positive")
    if n == 0:
        return [0]
    digits = []
    while n > 0:
        digits.append(n % 2)
        n >>= 1
    return digits[::-1]


@case((0.0, 2.0, 3.0), (5.0, 0.0, 2.0), (6.0, 2.0, 0.0), (1.0, 1.0, 1.0))
def ohms_law_by_key(voltage, current, resistance):
    if (voltage, current, resistance).count(0) != 1:
        raise ValueError("One and only one argument must be 0")
    if resistance < 0:
        raise ValueError("Resistance cannot be negative")
    if voltage == 0:
        return {"voltage": current * resistance}
    elif current == 0:
        return {"current": voltage / resistance}
    elif resistance == 0:
        return {"resistance": voltage / current}
    raise ValueError("Exactly one argument must be 0")


@case((10.0, 5.0), (-1.0, 2.0), (3.0, 0.0))
def kinetic_energy(mass, velocity):
    if mass < 0:
        raise ValueError("The mass of a body cannot be negative")
    return 0.5 * mass * abs(velocity) * abs(velocity)


@case((20.0, 45.0), (0.0, 30.0), (5.0, 95.0))
def projectile_height(speed, angle):
    if angle > 90 or angle < 1:
        raise ValueError("Invalid angle. Range is 1-90 degrees.")
    if speed < 0:
        raise ValueError("Invalid speed. Should be a positive number.")
    return round(speed**2 * math.sin(math.radians(angle)) ** 2 / (2 * 9.80665), 1)


@case((25000.0, 0.12, 3), (1000.0, 0.0, 2), (100.0, 0.1, 0))
def loan_installment(principal, rate, years):
    if principal <= 0:
        raise Exception("Principal borrowed must be > 0")
    if rate < 0:
        raise Exception("Rate of interest must be >= 0")
    if years <= 0:
        raise Exception("Years to repay must be an integer > 0")
    monthly, payments = rate / 12, years * 12
    if monthly == 0:
        return principal / payments
    return principal * monthly * (1 + monthly) ** payments / ((1 + monthly) ** payments - 1)


@case((1000.0, 0.05, 4), (500.0, 0.1, 0))
def compound_table(principal, rate, years):
    balances = []
    for _ in range(years):
        principal += principal * rate
        balances.append(round(principal, 2))
    return balances


@case(([100.0, -20.0, 50.0],), ([1.0],), ([-5.0],))
def present_value(flows):
    if not flows:
        raise ValueError("Cash flows list cannot be empty")
    return round(sum(flow / (1 + 0.05) ** i for i, flow in enumerate(flows)), ndigits=2)


@case((3.0, 4.0, 5.0), (1.0, 1.0, 3.0), (-1.0, 2.0, 2.0))
def heron(a, b, c):
    if a < 0 or b < 0 or c < 0:
        raise ValueError("area_triangle_three_sides() only accepts non-negative values")
    elif a + b < c or a + c < b or b + c < a:
        raise ValueError("Given three sides do not form a triangle")
    s = (a + b + c) / 2
    return math.sqrt(s * (s - a) * (s - b) * (s - c))


@case(([0.0, 4.0, 4.0, 0.0], [0.0, 0.0, 3.0, 3.0]), ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]))
def shoelace(xs, ys):
    area = 0
    for i in range(len(xs)):
        j = (i + 1) % len(xs)
        area += xs[i] * ys[j] - xs[j] * ys[i]
    return abs(area) / 2


@case((1, 1), (5, 5), (0, 2), (2, 0))
def inside_polygon(x, y):
    corners = [(0, 0), (4, 0), (4, 4), (0, 4)]
    inside = False
    j = len(corners) - 1
    for i in range(len(corners)):
        xi, yi = corners[i]
        xj, yj = corners[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            inside = not inside
        j = i
    return inside


@case((10,), (1,), (16,), (0,))
def power_of_two(n):
    return n > 0 and n & (n - 1) == 0


@case((10,), (0,), (7,))
def reverse_bits(n):
    result = 0
    for _ in range(8):
        result = (result << 1) | (n & 1)
        n >>= 1
    return result


@case(([2, 3, 2, 4, 4],), ([1],))
def single_number(nums):
    result = 0
    for n in nums:
        result ^= n
    return result


@case((10,), (0,), (37,), (-5,))
def highest_bit(n):
    if n < 0:
        raise ValueError("negative")
    position = 0
    while n:
        position += 1
        n >>= 1
    return position


@case((84,), (13,), (1,))
def prime_factors(n):
    i, factors = 2, []
    while i * i <= n:
        if n % i:
            i += 1
        else:
            n //= i
            factors.append(i)
    if n > 1:
        factors.append(n)
    return factors


@case((84,), (13,), (1,))
def unique_prime_factors(n):
    return sorted({p for p in range(2, n + 1) if n % p == 0 and all(p % d for d in range(2, p))})


@case((240, 46), (7, 0), (5, 15))
def extended_gcd(a, b):
    if b == 0:
        return a, 1, 0
    d, x, y = extended_gcd(b, a % b)
    return d, y, x - (a // b) * y


@case((3, 11), (2, 4), (10, 17))
def modular_inverse(a, m):
    for x in range(1, m):
        if (a * x) % m == 1:
            return x
    raise ValueError(f"{a} has no inverse modulo {m}")


@case((28,), (6,), (12,), (1,))
def perfect_number(n):
    return n > 1 and sum(d for d in range(1, n // 2 + 1) if n % d == 0) == n


@case((36,), (13,), (1,))
def divisor_set(n):
    divisors = set()
    for d in range(1, n + 1):
        if n % d == 0:
            divisors.add(d)
            divisors.add(n // d)
    return sorted(divisors)


@case((60,), (13,), (1,))
def factor_counts(n):
    counts = {}
    p = 2
    while n > 1:
        while n % p == 0:
            counts[p] = counts.get(p, 0) + 1
            n //= p
        p += 1
    return len(counts), sum(counts.values())


@case((50,), (2,), (10,))
def goldbach(n):
    if n % 2 == 1 or n <= 2:
        raise ValueError("must be even and > 2")
    for p in range(2, n):
        prime = all(p % d != 0 for d in range(2, int(p**0.5) + 1))
        rest = n - p
        if prime and rest > 1 and all(rest % d != 0 for d in range(2, int(rest**0.5) + 1)):
            return p, rest
    return None


@case((2.0,), (0.0,), (-1.0,), (49.0,))
def newton_root(a):
    if a < 0:
        raise ValueError("math domain error")
    value = a / 2 + 1
    for _ in range(9999):
        following = value - (value * value - a) / (2 * value)
        if abs(following - value) < 1e-10:
            return following
        value = following
    return value


@case((1.0, 3.0), (2.0, 3.0))
def bisection(a, b):
    def f(x):
        return x * x * x - 5 * x

    if f(a) * f(b) > 0:
        raise ValueError("could not find root in given interval.")
    while b - a > 1e-7:
        mid = (a + b) / 2
        if f(mid) == 0:
            return mid
        if f(a) * f(mid) < 0:
            b = mid
        else:
            a = mid
    return a


@case((2024,), (1900,), (2000,))
def leap_year(year):
    if (year % 4 == 0 and year % 100 != 0) or year % 400 == 0:
        return "leap"
    return "common"


@case((15, 3, 2024), (1, 1, 2000), (31, 12, 1999))
def zeller(day, month, year):
    names = ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    if month < 3:
        month, year = month + 12, year - 1
    h = (day + 13 * (month + 1) // 5 + year % 100 + year % 100 // 4 + year // 400 + 5 * (year // 100)) % 7  # fmt: skip  # noqa: E501
    return names[h]


@case((3,), (0,), (5,))
def vowels_before(n):
    return sum(1 for c in "hello world"[:n] if c in "aeiou")


@case((2,), (0,))
def count_of_letter(i):
    letter = "abc"[i]
    return "abracadabra".count(letter), "xyzabc".find(letter)


@case((1.5,), (3.0,), (-2.0,))
def sigmoid_list(x):
    return [1 / (1 + math.exp(-v)) for v in (x, 2 * x, 0.5)]


@case((5,), (0,), (12,))
def fizz_buzz(n):
    words = []
    for i in range(1, n + 1):
        if i % 15 == 0:
            words.append("FizzBuzz")
        elif i % 3 == 0:
            words.append("Fizz")
        elif i % 5 == 0:
            words.append("Buzz")
        else:
            words.append("other")
    return words


@case((5, 7), (0, 3), (-2, 3))
def combined_guard(n, k):
    if not (0 <= n <= 10) or k < 1:
        raise ValueError(f"bad arguments: n={n}, k={k}")
    total = 1
    for i in range(min(n, k)):
        total = total * (k - i) // (i + 1)
    return total


@case(([1.0, 2.0, 3.0, 4.0],), ([2.0],))
def standard_deviation(xs):
    n = len(xs)
    mean = sum(xs) / n
    variance = sum((x - mean) ** 2 for x in xs) / n
    return mean, math.sqrt(variance)


@case(([3, 1, 2],), ([1, 1, 1, 2],), ([4],))
def mode_by_dict(xs):
    counts = {}
    for x in xs:
        if x in counts:
            counts[x] += 1
        else:
            counts[x] = 1
    return max(counts.values())


@case(([2, 7, 11, 15], 9), ([3, 2, 4], 6), ([1, 2], 7))
def two_sum_dict(nums, target):
    seen = {}
    for i, x in enumerate(nums):
        if target - x in seen:
            return [seen[target - x], i]
        seen[x] = i
    return []


@case((4, 2), (7, 3), (3, 5))
def binomial(n, k):
    if n < k or k < 0:
        raise ValueError("Please enter positive integers for n and k where n >= k")
    return math.factorial(n) // (math.factorial(k) * math.factorial(n - k))


@case((10, 3), (5, 0), (7, 7))
def safe_division(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        return 0
