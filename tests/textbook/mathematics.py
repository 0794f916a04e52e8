"""Number theory, series, root finding, linear algebra and statistics of textbooks."""

# ruff: noqa: B905

import cmath
import math

from tests.textbook.bank import bank

case, CASES = bank()


@case((48, 18), (7, 0), (0, 5))
def gcd_euclid(a, b):
    while b:
        a, b = b, a % b
    return a


@case((4, 6), (7, 3))
def lcm(a, b):
    return abs(a * b) // math.gcd(a, b)


@case((220,), (6,), (12,), (1,))
def classify_number(n):
    total = sum(i for i in range(1, n) if n % i == 0)
    if total == n:
        return "perfect"
    elif total > n:
        return "abundant"
    return "deficient"


@case((10,), (2,), (1,))
def prime_factors(n):
    factors = []
    divisor = 2
    while n > 1:
        while n % divisor == 0:
            factors.append(divisor)
            n = n // divisor
        divisor += 1
    return factors


@case((30,), (2,), (1,))
def sieve(limit):
    is_prime = [True] * (limit + 1)
    is_prime[0] = False
    is_prime[1] = False
    i = 2
    while i * i <= limit:
        if is_prime[i]:
            for j in range(i * i, limit + 1, i):
                is_prime[j] = False
        i += 1
    return [i for i, p in enumerate(is_prime) if p]


@case((2.0,), (100.0,), (0.25,))
def newton_sqrt(x):
    if x < 0:
        raise ValueError("math domain error")
    guess = x / 2
    while abs(guess * guess - x) > 1e-9:
        guess = (guess + x / guess) / 2
    return guess


@case((1.0, 2.0), (0.0, 3.0), (3.0, 4.0))
def bisection(low, high):
    def f(x):
        return x * x - 2

    if f(low) * f(high) > 0:
        raise ValueError("no root in the interval")
    for _ in range(50):
        mid = (low + high) / 2
        if f(mid) == 0:
            return mid
        if f(low) * f(mid) < 0:
            high = mid
        else:
            low = mid
    return (low + high) / 2


@case((1.0, -3.0, 2.0), (1.0, 2.0, 1.0), (1.0, 0.0, 1.0), (0.0, 2.0, 1.0))
def quadratic_roots(a, b, c):
    if a == 0:
        raise ValueError("Coefficient 'a' must not be zero for quadratic equations.")
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return None
    root = math.sqrt(discriminant)
    return (-b + root) / (2 * a), (-b - root) / (2 * a)


@case((1.0, 10), (0.5, 5), (0.0, 3))
def exp_taylor(x, terms):
    result, term = 0.0, 1.0
    for k in range(1, terms + 1):
        result += term
        term *= x / k
    return result


@case((6,), (0,), (27,))
def collatz_sequence(n):
    if n < 1:
        raise ValueError(f"Given integer must be positive, not {n}")
    sequence = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        sequence.append(n)
    return sequence


@case((3, 200, 13), (2, 10, 1000), (5, 0, 7))
def power_mod(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        exponent >>= 1
        base = base * base % modulus
    return result


@case((3, 11), (10, 17), (2, 4))
def modular_inverse(a, m):
    for x in range(1, m):
        if (a * x) % m == 1:
            return x
    raise ValueError(f"{a} has no inverse modulo {m}")


@case((35, 15), (7, 3))
def extended_gcd(a, b):
    if b == 0:
        return a, 1, 0
    g, x, y = extended_gcd(b, a % b)
    return g, y, x - (a // b) * y


@case(([1.0, 2.0, 3.0, 4.0],), ([5.0, 5.0],))
def standard_deviation(data):
    n = len(data)
    mean = sum(data) / n
    variance = sum((x - mean) ** 2 for x in data) / (n - 1)
    return math.sqrt(variance)


@case(([3, 1, 4, 1, 5],), ([2, 1],), ([7],))
def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


@case(([1, 2, 2, 3, 3, 3],), ([4],))
def mode(numbers):
    return max(numbers, key=numbers.count)


@case(([1.0, 2.0, 3.0], [2.0, 4.0, 6.5]), ([0.0, 1.0], [1.0, 3.0]))
def linear_regression(xs, ys):
    n = len(xs)
    sum_x, sum_y = sum(xs), sum(ys)
    sum_xy = sum(x * y for x, y in zip(xs, ys))
    sum_xx = sum(x * x for x in xs)
    slope = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x**2)
    intercept = (sum_y - slope * sum_x) / n
    return slope, intercept


@case(([1.0, 2.0, 3.0], [2.0, 4.0, 7.0]), ([1.0, 2.0], [3.0, 1.0]))
def correlation(xs, ys):
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    top = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    left = sum((x - mean_x) ** 2 for x in xs)
    right = sum((y - mean_y) ** 2 for y in ys)
    return top / (left * right) ** 0.5


@case(([[1, 2], [3, 4]],), ([[2, 0], [0, 2]],))
def determinant_2x2(m):
    (a, b), (c, d) = m
    return a * d - b * c


@case(([[4.0, 7.0], [2.0, 6.0]],), ([[1.0, 2.0], [2.0, 4.0]],))
def inverse_2x2(m):
    det = m[0][0] * m[1][1] - m[0][1] * m[1][0]
    if det == 0:
        raise ValueError("This matrix has no inverse.")
    return [[m[1][1] / det, -m[0][1] / det], [-m[1][0] / det, m[0][0] / det]]


@case((5,), (0,), (1,), (10,))
def fibonacci_matrix(n):
    def multiply(a, b):
        return [[sum(a[i][k] * b[k][j] for k in range(2)) for j in range(2)] for i in range(2)]

    result, base = [[1, 0], [0, 1]], [[1, 1], [1, 0]]
    while n > 0:
        if n % 2:
            result = multiply(result, base)
        base = multiply(base, base)
        n //= 2
    return result[0][1]


@case(([2.0, -1.0, 3.0], 2.0), ([1.0], 5.0))
def horner(coefficients, x):
    result = 0
    for c in reversed(coefficients):
        result = result * x + c
    return result


@case(([0.0, 1.0, 2.0], [1.0, 3.0, 7.0], 1.5), ([0.0, 1.0], [1.0, 3.0], 0.5))
def lagrange(xs, ys, x):
    total = 0
    for i in range(len(xs)):
        term = ys[i]
        for j in range(len(xs)):
            if i != j:
                term *= (x - xs[j]) / (xs[i] - xs[j])
        total += term
    return total


@case((0.0, 1.0, 10), (0.0, 2.0, 4), (0.0, 1.0, 3))
def simpson(a, b, n):
    if n % 2:
        raise ValueError("n must be even")
    h = (b - a) / n
    total = math.exp(a) + math.exp(b)
    for i in range(1, n):
        total += math.exp(a + i * h) * (4 if i % 2 else 2)
    return total * h / 3


@case((1000,), (1,), (100,))
def leibniz_pi(n):
    return 4 * sum((-1) ** k / (2 * k + 1) for k in range(n))


@case((5, 2), (4, 4), (3, 5))
def binomial(n, k):
    if k > n:
        raise ValueError("please enter n >= k")
    return math.factorial(n) // (math.factorial(k) * math.factorial(n - k))


@case((12,), (0,), (255,))
def to_binary(n):
    if n == 0:
        return "0"
    digits = ""
    while n > 0:
        digits = str(n % 2) + digits
        n //= 2
    return digits


@case((5,), (0,), (13,))
def bit_count(n):
    return bin(n).count("1")


@case((1634,), (9474,), (123,))
def is_narcissistic(n):
    digits = [int(d) for d in str(n)]
    return n == sum(d ** len(digits) for d in digits)


@case((12321,), (10,))
def is_palindrome(n):
    return str(n) == str(n)[::-1]


@case((38,), (0,), (999,))
def digit_sum(n):
    return sum(map(int, str(n)))


def fourier(values):
    n = len(values)
    if n == 1:
        return values
    even, odd = fourier(values[0::2]), fourier(values[1::2])
    turned = [cmath.exp(-2j * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    half = range(n // 2)
    return [even[k] + turned[k] for k in half] + [even[k] - turned[k] for k in half]


@case(([1, 2, 3], [2, 5]), ([0], [4, 1]))
def product_of_polynomials(a, b):
    size = 1 << (len(a) + len(b) - 2).bit_length()
    first = fourier([complex(x, 0) for x in a] + [0] * (size - len(a)))
    second = fourier([complex(x, 0) for x in b] + [0] * (size - len(b)))
    product = [(x * y).conjugate() for x, y in zip(first, second)]
    found = [x.conjugate() / size for x in fourier(product)]
    return [round(x.real) for x in found[: len(a) + len(b) - 1]]


@case((1.0, -3.0, 2.0), (1.0, 2.0, 5.0))
def roots_of_a_parabola(a, b, c):
    root = cmath.sqrt(b * b - 4 * a * c)
    first, second = (-b + root) / (2 * a), (-b - root) / (2 * a)
    if first.imag == 0:
        return "real", first.real, second.real
    return "complex", first.real, abs(second.imag)


@case((12,), (0,))
def parts_of_a_count(n):
    count, halves = 0, 0.0
    while n > 0:
        count += 1
        halves += 0.5
        n //= 2
    return count.real, count.imag, count.conjugate(), halves.real, halves.conjugate()
