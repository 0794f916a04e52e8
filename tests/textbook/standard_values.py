"""Programs in which the run chooses among values of the standard library: money, dates, fractions,
paths.
"""

import enum
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath

from tests.textbook.bank import bank

case, CASES = bank()


@case((3,), (0,))
def price_of_a_customer(x):
    price = Decimal("1.5") if x > 0 else Decimal("2")
    total = price * 3 + Decimal("0.25")
    known = round(price), abs(-price) == price, max(price, Decimal("1.7")) == price, -price < 0
    return str(total), total > 5, int(total), f"{price:.2f}", repr(price), known


@case((3,), (0,))
def parts_of_a_fraction(x):
    part = Fraction(1, 4) if x > 0 else Fraction(2, 5)
    return part.numerator, part.denominator, part + 1 == Fraction(5, 4), str(part * 2)


@case((3,), (0,))
def day_after_february(x):
    day = date(2024, 2, 28) if x > 0 else date(2023, 2, 28)
    later = day + timedelta(days=2)
    told = later.isoformat(), f"{day:%d.%m}", str(later), day.strftime("%d.%m.%Y")
    return later.year, later.month, later.day, told, (later - day).days, day < date(2024, 1, 1)


@case((3,), (0,))
def file_that_is_read(x):
    path = PurePosixPath("/a/b.txt") if x > 0 else PurePosixPath("c.py")
    return path.name, path.suffix, str(path), path / "x" == PurePosixPath("c.py/x"), len(path.parts)


@case(([1, 3],), ([3, 1],), ([1, 2, 2],))
def rate_of_the_last(xs):
    rate = Decimal("0.1")
    for v in xs:
        rate = Decimal("0.5") if v > 2 else Decimal("0.25")
    return str(rate)


@case(([1, 3, 4],), ([0, 1],))
def months_seen(xs):
    day = date(2024, 2, 27)
    months = 0
    for v in xs:
        if v > 2:
            day = date(2024, 5, 1)
        months += day.month
    return months, str(day)


@case((3,), (0,))
def rate_by_name(x):
    rates = {"a": Decimal("0.1"), "b": Decimal("0.2")}
    name = "a" if x > 0 else "b"
    rate = rates.get("z" if x > 0 else "b", Decimal(0))
    return rates[name] > Decimal("0.15"), str(rates[name]), str([Decimal(1), rate][x % 2])


@case((3,), (0,))
def price_that_may_be_missing(x):
    price = Decimal("1.5") if x > 0 else None
    other = Decimal("1.5") if x > 0 else 2
    return 0 if price is None else int(price * 2), other + 1 == 3


@case((3,), (0,))
def day_that_is_not_there(x):
    day = date(2024, 1, 31) if x > 0 else datetime(2024, 3, 1, 5)
    try:
        return day.replace(month=2).day
    except ValueError:
        return -1


@case((3,), (0,))
def prices_that_the_run_lists(x):
    prices = []
    for i in range(x):
        prices.append(Decimal(1) if i % 2 else Decimal(3))
    total = 0
    for price in prices:
        total += int(price)
    return total, len(prices)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@case((3,), (0,))
def text_of_a_member(x):
    colour = Colour.RED if x > 0 else Colour.BLUE
    return f"{colour} {x}", str(colour), f"{colour!r:>15}", f"{colour.name:>5}"


@case((3,), (0,))
def error_with_a_price(x):
    price = Decimal("1.5") if x > 0 else Decimal(2)
    raise ValueError(f"bad {price}")
