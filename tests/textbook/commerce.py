"""Finance, physics, geometry, units and texts of textbooks."""

# ruff: noqa: B905, UP031

import math

from tests.textbook.bank import bank

case, CASES = bank()


@case((1000.0, 0.05, 10), (500.0, 0.0, 3), (100.0, -1.0, 2))
def compound_interest(principal, rate, years):
    if rate < 0:
        raise ValueError("rate must be >= 0")
    return round(principal * (1 + rate) ** years, 2)


@case((200000.0, 0.04, 30), (1000.0, 0.12, 1))
def mortgage_payment(principal, annual_rate, years):
    monthly_rate = annual_rate / 12
    months = years * 12
    return principal * monthly_rate / (1 - (1 + monthly_rate) ** -months)


@case((50000,), (9000,), (120000,), (-1,))
def income_tax(income):
    if income < 0:
        raise ValueError("income must not be negative")
    brackets = [(10000, 0.1), (40000, 0.2), (float("inf"), 0.3)]
    tax, previous = 0.0, 0
    for limit, rate in brackets:
        if income > previous:
            taxable = min(income, limit) - previous
            tax += taxable * rate
            previous = limit
    return tax


@case((1000.0, 100.0, 0.01), (500.0, 50.0, 0.0))
def months_to_pay(debt, payment, rate):
    months = 0
    while debt > 0:
        debt = debt * (1 + rate) - payment
        months += 1
    return months


@case((87,), (4,), (100,), (0,))
def make_change(cents):
    coins = {}
    for coin in (25, 10, 5, 1):
        coins[coin], cents = divmod(cents, coin)
    return coins[25], coins[10], coins[5], coins[1]


@case((87,), (0,))
def change_as_dict(cents):
    names = {"quarters": 25, "dimes": 10, "nickels": 5, "pennies": 1}
    result = {}
    for name, value in names.items():
        result[name] = cents // value
        cents %= value
    return result


@case(([-1000.0, 500.0, 600.0], 0.1), ([100.0], 0.05))
def net_present_value(flows, rate):
    return sum(flow / (1 + rate) ** t for t, flow in enumerate(flows))


@case(([7, 1, 5, 3, 6, 4],), ([7, 6, 4],))
def best_trade(prices):
    lowest, best = prices[0], 0
    for price in prices[1:]:
        best = max(best, price - lowest)
        lowest = min(lowest, price)
    return best


@case((10.0, 3, 0.1), (5.0, 20, 0.0), (1.0, 0, 0.5))
def order_total(price, quantity, discount):
    if quantity <= 0:
        raise ValueError("quantity must be at least 1, got %d" % quantity)
    total = price * quantity
    if quantity >= 10:
        total *= 0.95
    return round(total * (1 - discount), 2)


@case((100.0, "C"), (32.0, "F"), (5.0, "X"))
def convert_temperature(value, unit):
    if unit == "C":
        return value * 9 / 5 + 32
    elif unit == "F":
        return (value - 32) * 5 / 9
    raise ValueError("unit must be 'C' or 'F'")


@case((70.0, 1.75), (50.0, 1.8), (120.0, 1.6))
def bmi_category(weight, height):
    bmi = weight / height**2
    if bmi < 18.5:
        category = "underweight"
    elif bmi < 25:
        category = "normal"
    else:
        category = "obese"
    return round(bmi, 1), category


@case((3725,), (0,), (86399,))
def format_time(seconds):
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}"


@case((2000,), (1900,), (2024,), (2023,))
def is_leap_year(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@case((2024, 3, 15), (2023, 1, 1), (2023, 13, 1))
def day_of_year(year, month, day):
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if month < 1 or month > 12:
        raise ValueError("month must be in 1..12")
    if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
        days[1] = 29
    return sum(days[: month - 1]) + day


@case((15, 3, 2024), (1, 1, 2000))
def zeller(day, month, year):
    names = ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    if month < 3:
        month += 12
        year -= 1
    k, j = year % 100, year // 100
    return names[(day + 13 * (month + 1) // 5 + k + k // 4 + j // 4 + 5 * j) % 7]


@case((95,), (82,), (40,), (101,))
def letter_grade(score):
    if not 0 <= score <= 100:
        raise ValueError("score out of range")
    for limit, grade in ((90, "A"), (80, "B"), (70, "C"), (60, "D")):
        if score >= limit:
            return grade
    return "F"


@case((10.0, 2.0, 3.0), (0.0, 9.8, 1.5))
def position(v0, a, t):
    return v0 * t + 0.5 * a * t**2


@case((100.0,), (0.0,))
def fall_time(height):
    g = 9.81
    t, v, y, dt = 0.0, 0.0, height, 0.01
    while y > 0:
        v += g * dt
        y -= v * dt
        t += dt
    return round(t, 2)


@case((5.0, 10.0, 15.0), (1.0, 1.0, 1.0), (0.0, 1.0, 1.0))
def parallel_resistance(r1, r2, r3):
    for r in (r1, r2, r3):
        if r <= 0:
            raise ValueError("Resistor has a negative or zero value!")
    return 1 / (1 / r1 + 1 / r2 + 1 / r3)


@case((0.0, 0.0, 3.0, 4.0), (1.0, 1.0, 1.0, 1.0))
def distance(x1, y1, x2, y2):
    return math.hypot(x2 - x1, y2 - y1)


@case((3, 4, 5), (2, 2, 2), (1, 2, 2), (1, 1, 3))
def triangle_kind(a, b, c):
    a, b, c = sorted([a, b, c])
    if a + b <= c:
        return "not a triangle"
    if a == b == c:
        return "equilateral"
    if a == b or b == c:
        return "isosceles"
    return "scalene"


@case(
    ([0, 4, 4, 0], [0, 0, 3, 3]),
)
def centroid(xs, ys):
    points = list(zip(xs, ys))
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


@case((3,), (0,), (1,))
def pyramid(n):
    lines = []
    for i in range(1, n + 1):
        lines.append(" " * (n - i) + "*" * (2 * i - 1))
    return "\n".join(lines)


@case((2024,), (9,), (400,))
def to_roman(number):
    pairs = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]  # fmt: skip  # noqa: E501
    result = ""
    for value, symbol in pairs:
        while number >= value:
            result += symbol
            number -= value
    return result


@case((255,), (16,), (0,))
def to_hex(n):
    digits = "0123456789abcdef"
    if n == 0:
        return "0"
    result = ""
    while n > 0:
        result = digits[n % 16] + result
        n //= 16
    return result


@case(("hello", 3), ("xyz", 5))
def caesar(text, shift):
    result = ""
    for ch in text:
        result += chr((ord(ch) - ord("a") + shift) % 26 + ord("a"))
    return result


@case(("the cat the dog", 2), ("a b", 1))
def frequent_words(text, least):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return sum(1 for count in counts.values() if count >= least)


@case(("mississippi", 2), ("abc", 1))
def repeated_letters(text, least):
    return [text.count(letter) >= least for letter in sorted(set(text))]


@case(([3, 1, 2], 2), ([5], 1))
def running_totals(numbers, weight):
    totals, running = [], 0
    for number in numbers:
        running += number * weight
        totals.append(running)
    return totals


@case(([1, 2, 3, 4, 5, 6, 7], 3), ([1, 2], 5))
def chunks(numbers, size):
    return [sum(numbers[i : i + size]) for i in range(0, len(numbers), size)]


@case(([1, 1, 2, 3, 3],), ([5],))
def run_lengths(numbers):
    runs = []
    for number in numbers:
        if runs and runs[-1][0] == number:
            runs[-1] = (number, runs[-1][1] + 1)
        else:
            runs.append((number, 1))
    return runs


@case(([3, 5, 2], 4), ([], 1))
def report(scores, bonus):
    if not scores:
        return "no scores"
    best = max(scores) + bonus
    print(f"best: {best}, mean: {sum(scores) / len(scores):.2f}")
    return best


@case(([4, 2, 9], [1, 3, 3]), ([1], [2]))
def merge_and_dedupe(a, b):
    merged = sorted(a + b)
    result = [merged[0]]
    for value in merged[1:]:
        if value != result[-1]:
            result.append(value)
    return result


@case(([1, 2, 3, 4], 1), ([1, 2, 3], 5))
def rotate_left(items, k):
    k %= len(items)
    return items[k:] + items[:k]


@case(([1, 2, 3, 4, 5],), ([2, 4],))
def partition_even_odd(numbers):
    evens = [n for n in numbers if n % 2 == 0]
    odds = [n for n in numbers if n % 2 != 0]
    return evens, odds
