"""Bits, digits, number theory and numeral systems of textbooks."""

# ruff: noqa: SIM110

from tests.textbook.bank import bank

case, CASES = bank()


@case((5,), (0,), (255,), (-1,))
def set_bits_kernighan(number):
    if number < 0:
        raise ValueError("the value of input must not be negative")
    result = 0
    while number:
        number &= number - 1
        result += 1
    return result


@case((25, 32), (0, 7), (37, -1))
def binary_and_text(a, b):
    if a < 0 or b < 0:
        raise ValueError("the value of both inputs must be positive")
    a_text = str(bin(a))[2:]
    b_text = str(bin(b))[2:]
    width = max(len(a_text), len(b_text))
    return "0b" + "".join(
        str(int(x == "1" and y == "1"))
        for x, y in zip(a_text.zfill(width), b_text.zfill(width), strict=True)
    )


@case((0b1101, 1), (0, 5), (0b1111, 0))
def bit_operations(number, position):
    return [
        number | (1 << position),
        number & ~(1 << position),
        number ^ (1 << position),
        (number >> position) & 1,
        int((number & (1 << position)) != 0),
    ]


@case((36,), (0,), (16,), (-8,))
def trailing_zeros(n):
    if n < 0:
        raise ValueError("Input value must be a positive integer")
    if n == 0:
        return 0
    count = 0
    while n % 2 == 0:
        n = n // 2
        count += 1
    return count


@case((64,), (65,), (0,), (-1,))
def is_power_of_four(number):
    if number < 0:
        raise ValueError("number must be a positive integer")
    return number & (number - 1) == 0 and number % 3 != 2 and number > 0


@case(([1, 2, 1, 3, 2, 5],), ([7, 9, 7, 7, 3, 7],))
def two_unique(numbers):
    combined = 0
    for number in numbers:
        combined ^= number
    lowest = combined & -combined
    first = second = 0
    for number in numbers:
        if number & lowest:
            first ^= number
        else:
            second ^= number
    return min(first, second), max(first, second)


@case((43,), (13,), (0,))
def reversed_byte(n):
    result = 0
    for _ in range(8):
        result = (result << 1) | (n & 1)
        n >>= 1
    return result


@case((0b1011,), (0b10,), (1,))
def next_higher_same_ones(number):
    smallest = number & -number
    ripple = number + smallest
    ones = number ^ ripple
    ones = (ones >> 2) // smallest
    return ripple | ones


@case((3,), (1,), (0,))
def gray_codes(width):
    if width < 0:
        raise ValueError("The given input must be positive")
    codes = [0]
    for bit in range(width):
        codes += [code | (1 << bit) for code in reversed(codes)]
    return codes


@case((2, 10), (16, 255), (3, 0), (1, 4), (36, 71))
def to_base(base, number):
    if base < 2 or base > 36:
        raise ValueError("base must be >= 2 and <= 36")
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if number == 0:
        return "0"
    text = ""
    while number:
        number, remainder = divmod(number, base)
        text = digits[remainder] + text
    return text


@case((10,), (-3,), (7,))
def to_negabinary(n):
    if n == 0:
        return "0"
    digits = []
    while n != 0:
        n, rest = divmod(n, -2)
        if rest < 0:
            n, rest = n + 1, rest + 2
        digits.append(str(rest))
    return "".join(digits[::-1])


@case((371,), (370,), (200,), (-153,))
def disarium_like(number):
    if number < 0:
        return False
    digits = [int(digit) for digit in str(number)]
    return sum(digit ** (i + 1) for i, digit in enumerate(digits)) == number


@case((135,), (75,), (10,), (0,))
def disarium_by_remainder(num):
    count, total, rest = 0, 0, num
    while rest > 0:
        count += 1
        rest //= 10
    rest = num
    while rest > 0:
        total += (rest % 10) ** count
        rest //= 10
        count -= 1
    return total == num


@case((145,), (40585,), (10,))
def is_krishnamurthy(number):
    factorials = [1]
    for i in range(1, 10):
        factorials.append(factorials[-1] * i)
    rest, total = number, 0
    while rest > 0:
        rest, digit = divmod(rest, 10)
        total += factorials[digit]
    return total == number


@case((25,), (76,), (7,), (-1,))
def is_automorphic(number):
    if number < 0:
        return False
    square = number * number
    while number > 0:
        if number % 10 != square % 10:
            return False
        number //= 10
        square //= 10
    return True


@case((18,), (21,), (15,), (0,))
def is_harshad(number):
    if number <= 0:
        return False
    total = sum(int(digit) for digit in str(number))
    return number % total == 0


@case((9474,), (153,), (123,))
def is_narcissistic_text(number):
    text = str(number)
    power = len(text)
    return number == sum(int(digit) ** power for digit in text)


@case((12,), (28,), (13,), (0,))
def aliquot_kind(n):
    if n < 1:
        raise ValueError("Input must be positive")
    total = sum(d for d in range(1, n // 2 + 1) if n % d == 0)
    if total > n:
        return "abundant"
    return "perfect" if total == n else "deficient"


@case((220, 284), (10, 12))
def are_amicable(a, b):
    def divisors(n):
        return sum(d for d in range(1, n) if n % d == 0)

    return divisors(a) == b and divisors(b) == a and a != b


@case((10,), (1,), (36,))
def euler_totient(n):
    result = n
    p = 2
    while p * p <= n:
        if n % p == 0:
            while n % p == 0:
                n //= p
            result -= result // p
        p += 1
    if n > 1:
        result -= result // n
    return result


@case((10,), (4,), (30,), (0,))
def mobius(n):
    if n < 1:
        raise ValueError("n must be positive")
    factors = []
    i = 2
    while i * i <= n:
        if n % i:
            i += 1
        else:
            n //= i
            factors.append(i)
    if n > 1:
        factors.append(n)
    if len(set(factors)) != len(factors):
        return 0
    return -1 if len(factors) % 2 else 1


@case(([3, 5, 7], [2, 3, 2]), ([5, 7], [1, 3]))
def chinese_remainder(moduli, remainders):
    product = 1
    for modulus in moduli:
        product *= modulus
    total = 0
    for modulus, remainder in zip(moduli, remainders, strict=True):
        part = product // modulus
        inverse = 1
        while part * inverse % modulus != 1:
            inverse += 1
        total += remainder * part * inverse
    return total % product


@case((97, 5), (561, 2), (15, 2), (2, 1))
def fermat_probably_prime(n, base):
    def power(b, e, m):
        result = 1
        while e > 0:
            if e & 1:
                result = result * b % m
            b = b * b % m
            e >>= 1
        return result

    return n > 1 and power(base, n - 1, n) == 1


@case((8,), (17,), (1,), (-2,))
def zeckendorf(n):
    if n < 1:
        raise ValueError(f"{n} has no such sum")
    numbers = [1, 2]
    while numbers[-1] <= n:
        numbers.append(numbers[-1] + numbers[-2])
    parts = []
    for number in reversed(numbers):
        if number <= n:
            parts.append(number)
            n -= number
    return parts


@case((13,), (7,), (24,))
def sum_of_two_squares(n):
    a = 0
    while a * a <= n:
        b_square = n - a * a
        b = int(b_square**0.5)
        if b * b == b_square:
            return a, b
        a += 1
    return None


@case((4150,), (12,), (0,))
def digit_powers_sum(number):
    return sum(int(c) ** 5 for c in str(number)) == number


@case((1994,), (4,), (3999,), (0,))
def roman_numeral(number):
    pairs = [
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]  # fmt: skip
    result = []
    for arabic, roman in pairs:
        factor, number = divmod(number, arabic)
        result.append(roman * factor)
        if number == 0:
            break
    return "".join(result)


@case((1210,), (21200,), (123,))
def is_self_describing(number):
    digits = [int(d) for d in str(number)]
    for place, digit in enumerate(digits):
        if digits.count(place) != digit:
            return False
    return True


@case((19,), (13,), (4,))
def lucas_lehmer(p):
    if p < 2:
        raise ValueError("p should not be less than 2!")
    if p == 2:
        return True
    s = 4
    m = (1 << p) - 1
    for _ in range(p - 2):
        s = ((s * s) - 2) % m
    return s == 0


@case((12, 18), (7, 0), (-4, 6))
def lcm_by_gcd(a, b):
    from math import gcd

    return a * b // gcd(a, b) if b else 0


@case((20,), (3,), (1,))
def sieve_of_sundaram(n):
    k = (n - 1) // 2
    marked = [True] * (k + 1)
    for i in range(1, k + 1):
        j = i
        while i + j + 2 * i * j <= k:
            marked[i + j + 2 * i * j] = False
            j += 1
    primes = [2] if n >= 2 else []
    primes.extend(2 * i + 1 for i in range(1, k + 1) if marked[i])
    return primes


@case((10,), (1,), (0,))
def hofstadter_q(n):
    q = [0, 1, 1]
    for i in range(3, n + 1):
        q.append(q[i - q[i - 1]] + q[i - q[i - 2]])
    return q[n]


@case((4,), (1,), (6,))
def look_and_say(n):
    term = "1"
    for _ in range(n - 1):
        new, i = "", 0
        while i < len(term):
            j = i
            while j < len(term) and term[j] == term[i]:
                j += 1
            new += str(j - i) + term[i]
            i = j
        term = new
    return term


@case((10,), (15,), (1,))
def ugly_numbers_list(n):
    ugly = [1]
    i2 = i3 = i5 = 0
    while len(ugly) < n:
        following = min(ugly[i2] * 2, ugly[i3] * 3, ugly[i5] * 5)
        ugly.append(following)
        if following == ugly[i2] * 2:
            i2 += 1
        if following == ugly[i3] * 3:
            i3 += 1
        if following == ugly[i5] * 5:
            i5 += 1
    return ugly
