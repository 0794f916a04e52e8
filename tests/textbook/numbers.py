"""Number theory and arithmetic, as textbooks write it."""

import functools
import math

from tests.textbook.bank import bank

# The programs are written as textbooks write them.
# ruff: noqa: B905, PT018, SIM110

case, CASES = bank()


@case((48, 18), (17, 5), (0, 9), (7, 0))
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@case((48, 18), (17, 5))
def gcd_recursive(a, b):
    return a if b == 0 else gcd_recursive(b, a % b)


@case((4, 6), (21, 6), (0, 0))
def lcm(a, b):
    if a == 0 and b == 0:
        raise ValueError("both are zero")
    x, y = a, b
    while y:
        x, y = y, x % y
    return a * b // x


@case((0,), (1,), (5,), (10,), (-1,))
def factorial(n):
    if n < 0:
        raise ValueError("factorial of a negative number")
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


@case((0,), (1,), (6,))
def factorial_recursive(n):
    if n <= 1:
        return 1
    return n * factorial_recursive(n - 1)


@case((0,), (1,), (2,), (15,), (-3,))
def fibonacci(n):
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case((0,), (1,), (8,))
def fibonacci_recursive(n):
    if n < 2:
        return n
    return fibonacci_recursive(n - 1) + fibonacci_recursive(n - 2)


@case((2,), (15,), (97,), (1,), (0,), (121,))
def is_prime(n):
    if n < 2:
        return False
    if n < 4:
        return True
    if n % 2 == 0 or n % 3 == 0:
        return False
    i = 5
    while i * i <= n:
        if n % i == 0 or n % (i + 2) == 0:
            return False
        i += 6
    return True


@case((2,), (15,), (97,), (1,))
def is_prime_for(n):
    if n < 2:
        return False
    for d in range(2, int(math.sqrt(n)) + 1):
        if n % d == 0:
            return False
    return True


@case((2,), (15,), (97,), (1,))
def is_prime_all(n):
    return n > 1 and all(n % d for d in range(2, n))


@case((12,), (97,), (1,), (360,))
def prime_factors(n):
    factors = []
    d = 2
    while d * d <= n:
        while n % d == 0:
            factors.append(d)
            n //= d
        d += 1
    if n > 1:
        factors.append(n)
    return factors


@case((12,), (28,), (7,))
def sum_of_divisors(n):
    total = 0
    for d in range(1, n + 1):
        if n % d == 0:
            total += d
    return total


@case((6,), (28,), (12,), (-6,))
def is_perfect(n):
    if n < 1:
        raise ValueError("needs a positive number")
    return sum(d for d in range(1, n) if n % d == 0) == n


@case((12345,), (0,), (9,), (-38,))
def digit_sum(n):
    n = abs(n)
    total = 0
    while n > 0:
        total += n % 10
        n //= 10
    return total


@case((12345,), (0,), (900,), (-38,))
def reverse_digits(n):
    sign = -1 if n < 0 else 1
    n = abs(n)
    out = 0
    while n:
        n, digit = divmod(n, 10)
        out = out * 10 + digit
    return sign * out


@case((121,), (123,), (0,))
def is_palindrome_number(n):
    original, turned = n, 0
    while n > 0:
        turned = turned * 10 + n % 10
        n = n // 10
    return original == turned


@case((153,), (154,), (370,))
def is_armstrong(n):
    digits = 0
    m = n
    while m > 0:
        digits += 1
        m //= 10
    m, total = n, 0
    while m > 0:
        total += (m % 10) ** digits
        m //= 10
    return total == n


@case((27,), (1,), (6,))
def collatz_steps(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case((27, 20), (1, 5), (6, 100), (0, 3))
def collatz_limited(n, limit):
    if n < 1:
        raise ValueError("needs a positive start")
    for step in range(limit):
        if n == 1:
            return step
        if n % 2:
            n = 3 * n + 1
        else:
            n //= 2
    return -1


@case((2, 10), (3, 0), (2, 5), (0, 3))
def power(base, exponent):
    result = 1
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base
        base = base * base
        exponent //= 2
    return result


@case((2, 10, 1000), (3, 200, 13), (5, 0, 7))
def power_mod(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        exponent //= 2
        base = base * base % modulus
    return result


@case((0,), (1,), (5,), (255,))
def count_bits(n):
    count = 0
    while n:
        n &= n - 1
        count += 1
    return count


@case((0,), (1,), (5,), (37,))
def to_binary(n):
    bits = []
    while n > 0:
        bits.append(n % 2)
        n //= 2
    bits.reverse()
    return bits


@case(([1, 0, 1],), ([1],), ([0, 0, 1, 1],))
def from_binary(bits):
    value = 0
    for bit in bits:
        value = value * 2 + bit
    return value


@case((1,), (8,), (6,), (0,))
def is_power_of_two(n):
    return n > 0 and n & (n - 1) == 0


@case((16,), (2,), (0,), (99,), (-4,))
def integer_sqrt(n):
    if n < 0:
        raise ValueError("no real square root")
    low, high = 0, n
    while low <= high:
        mid = (low + high) // 2
        if mid * mid <= n < (mid + 1) * (mid + 1):
            return mid
        if mid * mid < n:
            low = mid + 1
        else:
            high = mid - 1
    return -1


@case((2.0,), (100.0,), (0.25,), (-1.0,))
def newton_sqrt(x):
    if x < 0:
        raise ValueError("math domain error")
    guess = x
    for _ in range(50):
        better = 0.5 * (guess + x / guess)
        if abs(better - guess) < 1e-12:
            return better
        guess = better
    return guess


@case((240, 46), (7, 5), (10, 0))
def extended_gcd(a, b):
    old_s, s = 1, 0
    old_t, t = 0, 1
    while b:
        q = a // b
        a, b = b, a - q * b
        old_s, s = s, old_s - q * s
        old_t, t = t, old_t - q * t
    return a, old_s, old_t


@case((3, 11), (10, 17), (2, 4))
def mod_inverse(a, m):
    for x in range(1, m):
        if a * x % m == 1:
            return x
    raise ValueError("no inverse")


@case((5, 2), (10, 3), (4, 4), (3, 5))
def binomial(n, k):
    if k > n:
        return 0
    result = 1
    for i in range(1, k + 1):
        result = result * (n - i + 1) // i
    return result


@case((0,), (1,), (4,), (7,))
def catalan(n):
    c = 1
    for i in range(n):
        c = c * 2 * (2 * i + 1) // (i + 2)
    return c


@case((1, 2), (2, 2), (0, 3))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@case((3,), (1,), (5,))
def hanoi(n):
    if n == 0:
        return 0
    return 2 * hanoi(n - 1) + 1


@case((2000,), (1900,), (2023,), (2024,))
def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@case((1, 2000), (2, 2023), (2, 2024), (4, 2021), (13, 2000))
def days_in_month(month, year):
    if not 1 <= month <= 12:
        raise ValueError("month must be in 1..12")
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    if month in (4, 6, 9, 11):
        return 30
    return 31


@case((2024, 2, 29), (1970, 1, 1), (2000, 12, 31))
def weekday(year, month, day):
    table = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if month < 3:
        year -= 1
    return (year + year // 4 - year // 100 + year // 400 + table[month - 1] + day) % 7


@case((10,), (2,), (1,))
def pi_leibniz(terms):
    total = 0.0
    sign = 1
    for k in range(terms):
        total += sign / (2 * k + 1)
        sign = -sign
    return 4 * total


@case((1.0, 10), (0.5, 5), (-1.0, 12))
def exp_series(x, terms):
    term, total = 1.0, 1.0
    for n in range(1, terms):
        term = term * x / n
        total += term
    return total


@case((6, 35), (1, 10), (0, 3))
def multiply_russian(a, b):
    result = 0
    while a > 0:
        if a % 2 != 0:
            result += b
        a //= 2
        b += b
    return result


@case((1,), (3,), (12,))
def triangular_until(n):
    i, total = 0, 0
    while True:
        i += 1
        total += i
        if total >= n:
            break
    else:
        total = -1
    return i, total


@case((17, 4), (-17, 4), (17, -4), (5, 0))
def checked_division(a, b):
    if b == 0:
        raise ZeroDivisionError("division by zero is not allowed")
    quotient = a // b
    remainder = a % b
    assert quotient * b + remainder == a, "broken"
    return quotient, remainder


@case((0,), (5,), (11,), (-2,))
def fizz(n):
    if n < 0:
        raise ValueError("negative")
    elif n % 15 == 0:
        return 15
    elif n % 5 == 0:
        return 5
    elif n % 3 == 0:
        return 3
    else:
        return n


@case((3,), (-3,), (0,), (200,))
def classify(n):
    if n > 100:
        raise OverflowError("too large")
    elif n > 0:
        kind = 1
    elif n == 0:
        kind = 0
    else:
        if n < -10:
            raise ValueError("too small")
        kind = -1
    return kind


@case((5,), (-3,), (-8,))
def guarded_result(x):
    if x > 0:
        return x + 1
    elif x > -5:
        raise ValueError("a")
    else:
        raise KeyError("b")


@case((10,), (30,), (1,))
def sum_primes_below(n):
    total = 0
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
        else:
            total += k
    return total


@case((5,), (1,), (9,))
def digits_root(n):
    while n > 9:
        s = 0
        while n:
            s += n % 10
            n //= 10
        n = s
    return n


@case((4, 7), (10, 3), (5, 5))
def manhattan_steps(a, b):
    steps = 0
    while a != b:
        if a < b:
            a += 1
            steps += 1
            continue
        b += 1
        steps += 1
    return steps


@case((1994,), (4,), (90,))
def roman_length(n):
    values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
    lengths = (1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1)
    count = 0
    for value, length in zip(values, lengths):
        while n >= value:
            n -= value
            count += length
    return count


@case((12, 3), (7, 7), (100, 9))
def josephus(n, k):
    survivor = 0
    for size in range(2, n + 1):
        survivor = (survivor + k) % size
    return survivor + 1


@case((7,), (10,), (2,))
def happy(n):
    slow = n
    for _ in range(60):
        total = 0
        while slow > 0:
            digit = slow % 10
            total += digit * digit
            slow //= 10
        slow = total
        if slow == 1:
            return True
        if slow == 4:
            return False
    return False


@case((1, 100), (5, 5), (9, 3))
def count_evens(low, high):
    return sum(1 for n in range(low, high) if n % 2 == 0)


@case((25,), (26,))
def is_square(n):
    root = int(n**0.5)
    return root * root == n


@case((5,), (0,))
def squares(n):
    return [i * i for i in range(n)]


@case((3, 4), (0, 2), (-1, 5))
def max_min(a, b):
    return max(a, b), min(a, b), abs(a - b)


@case((10,), (1,))
def harmonic(n):
    return sum([1 / k for k in range(1, n + 1)])


@case((1,), (9,), (10,), (144,), (0,), (-4,))
def is_triangular(number):
    if not isinstance(number, int) or number < 0:
        message = f"{number} counts nothing"
        raise ValueError(message)
    row = 0
    while row * (row + 1) // 2 < number:
        row += 1
    return row * (row + 1) // 2 == number


@case((7,), (12,), (1,), (2.5,))
def largest_divisor(number):
    assert isinstance(number, int) and number > 1, "a whole number above 1"
    for divisor in range(number - 1, 0, -1):
        if number % divisor == 0:
            return divisor


@case(([3, 5], 2), ([3.5, 1.0], 3), ([], 1), ([1, 2], 2.5))
def weighted(shares, factor):
    if any(not isinstance(share, (int, float)) for share in shares):
        raise TypeError("shares are numbers")
    if isinstance(factor, int):
        return [share * factor for share in shares]
    else:
        raise TypeError(f"{factor} is no whole number")


@case((10.0, 3, 2), (2.675, 1, 0), (1234567.0, 7, 4), (1.0, 0, 1))
def share_of(total, parts, places):
    if parts == 0:
        raise ZeroDivisionError("no parts")
    return round(total / parts, places)


SEGMENTS = {"0": 6, "1": 2, "2": 5, "3": 5, "4": 4, "5": 5, "6": 6, "7": 3, "8": 7, "9": 6}


@case((0,), (8,), (1407,), (-3,))
def matchsticks(number):
    return sum(SEGMENTS[digit] for digit in str(number))


@case((1207,), (-8,), (0,))
def known_segments(number):
    return [SEGMENTS.get(sign, 1) for sign in str(number) if sign in SEGMENTS or sign == "-"]


@case((6,), (7,), (0,), (28,))
def kind_of_number(n):
    if n < 1:
        return "give a positive number"
    total = sum(d for d in range(1, n) if n % d == 0)
    return total == n if total >= n else total


@case((2, 0), (3, 4), (0, 5))
def share(cakes, guests):
    return "no guests" if guests == 0 else (cakes // guests, cakes % guests)


@case((1.0, 1.0000001), (1.0, 1.1), (-2.0, -2.3))
def close_enough(guess, wanted):
    return (
        math.isclose(guess, wanted),
        math.isclose(guess, wanted, rel_tol=1e-3),
        math.isclose(guess, wanted, rel_tol=0.0, abs_tol=guess * guess / 5),
    )


@case((2.0,), (9.0,), (0.25,))
def root_by_tolerance(area):
    side = area
    while not math.isclose(side * side, area, abs_tol=1e-6):
        side = (side + area / side) / 2
    return round(side, 3)


@case((0.0, 3.5), (3.0, -1.0))
def reach(across, up):
    return math.dist((0.0, 0.5), (across, up)), math.dist([across], [up])


@case((9.0,), (9.5,), (-3.0,))
def whole_root(area):
    if area < 0:
        raise ValueError("an area is positive")
    side = float(area) ** 0.5
    return int(side) if side.is_integer() else -1


@case((37,), (0,), (-8,))
def signs_of_bits(number):
    return int(number).bit_length(), int(number).bit_count()


@case((1, 0, 1), (0, 0, 0), (1, 2, 0))
def rule_of_neighbours(left, middle, right):
    return 7 - int(f"{left}{middle}{right}", 2)


@case((6,), (77,), (0,))
def reversed_bits(number):
    return int(bin(number)[2:][::-1], 2)


@case((12, 8), (25, 16), (12, 2), (12, 40))
def read_in_base(digits, base):
    try:
        return int(str(digits), base=base)
    except ValueError:
        return -1


@case((25, 32), (37, 50), (0, 255), (-1, 3), (2.5, 1))
def common_bits(one, other):
    if not isinstance(one, int) or not isinstance(other, int):
        raise TypeError("whole numbers, please")
    if one < 0 or other < 0:
        raise ValueError("no negative numbers")
    width = max(one.bit_length(), other.bit_length())
    return f"{one & other:{width}d} of {width} bits"


@case((9.0,), (2.5,), (4,))
def halved_if_whole(amount):
    if not isinstance(amount, float):
        raise TypeError("an amount is a float")
    return int(amount) // 2 if amount.is_integer() else amount / 2


LETTERS = {str(place + 10): letter for place, letter in enumerate("ABCDEF")}


@case((20, 3), (58, 16), (0, 2), (5, 4), (16, 16), (-1, 2), (7, 1))
def in_another_base(number, base):
    if number < 0:
        raise ValueError("no negative numbers")
    if base in (0, 1):
        raise ValueError("base must be at least 2")
    digits = ""
    rest = -1
    while rest != 1:
        rest, digit = divmod(number, base)
        written = LETTERS[str(digit)] if base > 10 and digit > 9 else str(digit)
        digits += written
        number = rest
        if rest == 0:
            return digits[::-1]
        elif rest == 1:
            digits += str(rest)
            return digits[::-1]
    return digits[::-1]


@case(([1, 1, 0],), ([2, 3],))
def and_gate(inputs):
    return int(all(inputs))


@case(([0, 0, 0],), ([0, 3],))
def or_gate(inputs):
    return 1 if any(inputs) else 0


@case((1,), (0,), (2,))
def methods_of_numbers(n):
    n = int(n)
    smaller = list(filter((1).__lt__, [n, 2, 3, 0]))
    return smaller, (5).__sub__(n), (5).__rsub__(n), (2.5).__mul__(n), [1, n, 0][(0).__eq__(n)]


@case((1,), (0,), (3,))
def methods_of_classes_of_numbers(n):
    class Tens(int):
        def __add__(self, other):
            return super().__add__(other) * 10

    n = int(n)
    product = functools.reduce(int.__mul__, range(1, n + 3))
    return product, Tens(3) + n, sorted([3, 1, 2], key=n.__sub__), float.__radd__(1.0, n)


@case((1,), (0,), (3,))
def parts_of_numbers(n):
    n = int(n)
    return n.numerator, (n > 0).denominator, getattr(n, "numerator", -7), hasattr(n, "denominator")
