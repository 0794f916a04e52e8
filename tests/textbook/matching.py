"""Programs that choose by `match`, as textbooks write them."""

from collections import namedtuple
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, IntFlag

from tests.textbook.bank import bank

case, CASES = bank()

Point = namedtuple("Point", "x y")


@dataclass
class Circle:
    radius: float


@dataclass
class Rectangle:
    width: float
    height: float


@case((1,), (3,), (2,))
def place_of_a_point(x):
    corner = Point(x, 2)
    return [Point(1, 2), corner].index(corner), [Point(1, 2), Point(3, x)].index(corner)


@case((1,), (4,), (12,), (13,), (0,))
def month_length(month):
    match month:
        case 1 | 3 | 5 | 7 | 8 | 10 | 12:
            return 31
        case 4 | 6 | 9 | 11:
            return 30
        case 2:
            return 28
        case _:
            raise ValueError(f"no month: {month}")


@case((15,), (9,), (10,), (7,))
def fizz_buzz(n):
    match n % 3, n % 5:
        case 0, 0:
            return -15
        case 0, _:
            return -3
        case _, 0:
            return -5
        case _:
            return n


@case((0, 0), (3, 0), (0, -2), (2, 5), (-1, 4), (-1, -1), (3, -3))
def quadrant(x, y):
    match (x, y):
        case (0, 0):
            return 0
        case (0, _) | (_, 0):
            return -1
        case (a, b) if a > 0 and b > 0:
            return 1
        case (a, b) if a < 0 and b > 0:
            return 2
        case (a, _) if a < 0:
            return 3
    return 4


@case((1, 7, 2), (2, 7, 2), (3, 7, 2), (4, 7, 2), (4, 7, 0), (9, 1, 1))
def calculator(operation, a, b):
    match operation:
        case 1:
            result = a + b
        case 2:
            result = a - b
        case 3:
            result = a * b
        case 4 if b != 0:
            result = a // b
        case 4:
            raise ZeroDivisionError("division by zero")
        case other:
            raise ValueError(f"unknown operation {other}")
    return result


@case((95,), (85,), (61,), (10,), (-1,), (101,))
def grade_points(score):
    match score:
        case s if s < 0 or s > 100:
            raise ValueError(f"score out of range: {s}")
        case s if s >= 90:
            return 4
        case s if s >= 80:
            return 3
        case s if s >= 60:
            return 1
    return 0


@case((1.5, 2.0, 3.0), (0.0, 2.0, 2.0), (1.0, -1.0, 2.0))
def areas(radius, width, height):
    total = 0.0
    for shape in (Circle(radius), Rectangle(width, height), Rectangle(height, height)):
        match shape:
            case Circle(radius=0.0):
                total += 1.0
            case Circle(r):
                total += 3.0 * r * r
            case Rectangle(w, h) if w == h:
                total += w**2
            case Rectangle(width=w, height=h) if w > 0:
                total += w * h
            case Rectangle():
                raise ValueError("no rectangle")
    return total


@case((6,), (27,), (1,))
def collatz_by_match(n):
    steps = 0
    while True:
        match n, n % 2:
            case 1, _:
                return steps
            case _, 0:
                n //= 2
            case _:
                n = 3 * n + 1
        steps += 1


@case(([0, 1, 1, 2, 3, 0],), ([0],), ([3, 3, 2, 1, 0, 1],))
def robot(moves):
    x, y = 0, 0
    for move in moves:
        match move:
            case 0:
                y += 1
            case 1:
                x += 1
            case 2:
                y -= 1
            case 3:
                x -= 1
    match Point(x, y):
        case Point(0, 0):
            return -1
        case Point(x=0, y=v) | Point(x=v, y=0):
            return abs(v)
        case Point() as p:
            return p.x * p.x + p.y * p.y


@case((3, 4, 5), (1, 1, 1), (2, 2, 3), (1, 2, 9))
def triangle_kind(a, b, c):
    match sorted([a, b, c]):
        case [x, y, z] if x + y <= z:
            return 0
        case [x, _, z] if x == z:
            return 3
        case [x, y, z] if x == y or y == z:
            return 2
        case [x, y, z] if x * x + y * y == z * z:
            return 90
        case _:
            return 1


@case((0,), (1,), (5,), (8,))
def last_two(n):
    found = []
    for k in range(n):
        if k % 3 != 1:
            found.append(k * k)
    match found:
        case []:
            return -1
        case [only]:
            return only
        case [*_, a, b]:
            return 10 * b - a


@case((3,), (10,), (0,))
def first_square_above(limit):
    best = None
    for k in range(6):
        if best is None and k * k > limit:
            best = k
    match best:
        case None:
            return -1
        case found:
            return found


@case((20.0, 0), (100.0, 1), (100.0, 2), (5.0, 7))
def discounted(price, code):
    rates = {0: 0.0, 1: 0.1, 2: 0.25}
    order = {"price": price, "code": code}
    match order:
        case {"code": 0, "price": p}:
            return p
        case {"code": 1 | 2 as kind, "price": p} if p > 10:
            return p * (1 - (rates[1] if kind == 1 else rates[2]))
        case {"price": p, **rest}:
            return p + len(rest)


@case((7,), (12,), (2,), (0,))
def is_long_month(m):
    if m == 1 or m == 3 or m == 5 or m == 7 or m == 8 or m == 10 or m == 12 or m == 13:
        return not (m != 1 and m != 3 and m != 5 and m != 7 and m != 8 and m != 10 and m != 12)
    return False


@case((0,), (5,), (11,), (12,))
def roman_of_hour(n):
    match n:
        case 0:
            code = 100
        case 1:
            code = 1
        case 2:
            code = 11
        case 3:
            code = 111
        case 4:
            code = 15
        case 5:
            code = 5
        case 6:
            code = 51
        case 7:
            code = 511
        case 8:
            code = 5111
        case 9:
            code = 110
        case 10:
            code = 10
        case 11:
            code = 101
        case _:
            raise KeyError(n)
    return code


# Members of enums by values of the run


class Light(IntEnum):
    RED = 1
    GREEN = 2
    YELLOW = 3


class Side(Enum):
    LEFT = "l"
    RIGHT = "r"
    GAUCHE = "l"


@case((1,), (2,), (3,), (7,))
def light(number):
    return Light(number).name


@case((1,), (2,), (3,))
def light_after(number):
    now = Light(number)
    if now is Light.RED:
        return 1
    return now + 10


@case((1,), (7,), (0,))
def light_or_why_not(number):
    try:
        return Light(number).name
    except ValueError as error:
        return str(error)


@case(([1, 1, 0, 1],), ([0],), ([1, 1, 1, 1, 1],))
def lights(presses):
    now, seen = Light.RED, []
    for press in presses:
        now = Light(min(now + 1, 3)) if press > 0 else Light.RED
        seen.append(now.name)
    return seen, now == Light.YELLOW, now.value


@case((1,), (2,), (3,))
def what_to_do(number):
    match Light(number):
        case Light.RED:
            return "stop"
        case Light.GREEN | Light.YELLOW:
            return "go"


@case((1,), (5,))
def side(number):
    found = Side("l" if number > 2 else "r")
    return found.name, found is Side.GAUCHE, {Side.LEFT: 10, Side.RIGHT: 20}[found]


@case((1,), (2,))
def lights_from(number):
    return [each.name for each in Light if each >= number], Light(number) in (Light.RED,)


@case((1,), (5,))
def side_or_why_not(number):
    try:
        return Side("l" if number > 2 else "up").name
    except ValueError as error:
        return str(error)


class Access(Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Level(IntEnum):
    LOW = 1
    HIGH = 7


@case((5,), (3,), (0,))
def flags_on_paths(n):
    access = Access.READ | Access.WRITE
    if n > 2:
        access = access | Access.RUN
    if n > 4:
        access &= ~Access.READ
    return access.value, bool(access & Access.READ), (access ^ Access.WRITE).value


@case((5,), (3,), (0,))
def numbers_of_members(n):
    level = Level.LOW if n > 2 else Level.HIGH
    return (
        level - 1,
        9 - level,
        level // 2,
        level / 2,
        level**2,
        -level,
        ~level,
        level << 1,
        level | 8,
    )


@case((5,), (2,), (0,))
def flags_in_rounds(n):
    access = Access(0)
    for i in range(n):
        access |= Access.READ if i % 2 else Access.RUN
    return access.value


class Sight(IntFlag):
    NEAR = 1
    FAR = 2
    DARK = 4


@case((0,), (3,), (5,))
def opposites_on_paths(n):
    sight, seen = Sight.NEAR if n > 2 else Sight.FAR, 0
    for _ in range(n):
        sight = sight ^ Sight.DARK
        seen += 1 if sight & ~Sight.FAR == Sight.DARK else 3
    return seen, int(~sight & Sight.FAR), ~sight == 2


class Way(IntEnum):
    DOWN = -1
    STAY = 0
    UP = 1


@case((0, 3), (3, 0), (-2, -2))
def elevator(floor, target):
    travelled = 0
    way = Way.UP if target > floor else Way.DOWN if target < floor else Way.STAY
    while floor != target:
        floor += way
        travelled = travelled + 1
    return floor, travelled, floor - way, target < way, way.name
