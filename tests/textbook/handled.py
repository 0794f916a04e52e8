"""Failures that are caught and told, and logs that each path writes for itself."""

import math
from collections import defaultdict, deque
from functools import partial

from tests.textbook.bank import bank

case, CASES = bank()


@case((7, 2), (7, 0))
def told_quotient(a, b):
    try:
        quotient = a // b
    except ZeroDivisionError as error:
        return f"cannot divide: {error}"
    return f"quotient {quotient}"


@case((7, 3), (7, 0), (0, 2))
def quotients_and_rests(a, b):
    told = []
    for divisor in (b, a, b - 2):
        try:
            told.append(str(divmod(a, divisor)[0]))
        except ZeroDivisionError as error:
            told.append(str(error))
    return told


@case((10, 4), (10, 0), (-1, 5))
def checked_rest(number, divisor):
    if number < 0:
        raise ValueError(f"negative: {number}")
    try:
        return number % divisor
    except ZeroDivisionError as error:
        raise ValueError(f"{number}: {error}") from error


@case((37,), (50,), (200,))
def guessed(secret):
    low, high, tries = 1, 100, 0
    log = []
    while low <= high:
        middle = (low + high) // 2
        tries += 1
        if middle == secret:
            log.append("found")
            return tries, log
        if middle < secret:
            log.append("higher")
            low = middle + 1
        else:
            log.append("lower")
            high = middle - 1
    raise LookupError("not in range")


@case((2,), (1,), (0,))
def runs_of_letters(count):
    runs, previous, length = [], None, 0
    for letter in "aab" * count:
        if letter == previous:
            length += 1
        else:
            if previous is not None:
                runs.append(f"{previous}{length}")
            previous, length = letter, 1
    runs.append(f"{previous}{length}")
    return "".join(runs)


@case((100, [50, -30, -500, 0, 5]), (10, [-10]))
def statement(balance, amounts):
    lines = []
    for amount in amounts:
        try:
            if amount == 0:
                raise ValueError("nothing to book")
            if balance + amount < 0:
                raise OverflowError(f"{-amount} is more than {balance}")
            balance += amount
        except OverflowError as error:
            lines.append(f"refused: {error}")
        except ValueError as error:
            lines.append(str(error))
    return balance, lines


@case((4,), (1,))
def boards(n):
    board = [["."] * n for _ in range(n)]
    for i in range(n):
        board[i][(i * 3) % n] = "Q" if i % 2 else "q"
    return ["".join(row) for row in board]


# What is not found


@case((1,), (5,))
def found_in_a_list(x):
    try:
        return str([1, 2].index(x))
    except ValueError as error:
        return str(error)


@case((3, 2), (3, 9))
def found_in_a_list_of_the_run(n, x):
    squares = [k * k for k in range(n)]
    try:
        return str(squares.index(x + 2))
    except ValueError as error:
        return str(error)


@case((1,), (5,))
def found_in_a_tuple(x):
    try:
        return str((1, 2).index(x))
    except ValueError as error:
        return str(error)


@case((1,), (5,))
def found_in_a_deque(x):
    waiting = deque([1, 2])
    try:
        at = waiting.index(x)
        waiting.remove(x)
    except ValueError as error:
        at = str(error)
    return str(at), list(waiting)


@case((1,), (5,))
def taken_from_a_deque(x):
    waiting = deque([1, 2])
    try:
        waiting.remove(x)
    except ValueError as error:
        return str(error)
    return str(len(waiting))


@case((1,), (5,))
def taken_from_a_list(x):
    items = [1, 2]
    try:
        items.remove(x)
    except ValueError as error:
        return str(error)
    return str(len(items))


@case((3,), (0,), (-1,), (12,))
def told_oddness(n):
    try:
        if n % 2:
            raise ValueError(f"{n} is odd")
        if n**2 > 100 or n << 2 > 90 or n >> 1 > 40:
            raise ValueError("large")
        return "fine"
    except ValueError as error:
        return f"error: {error}"


@case(([3],), ([0, 4],), ([2, 0, 7],))
def told_of_items(xs):
    try:
        total = 0
        for x in xs:
            total += x * x
        if xs[0] > 2:
            raise ValueError("the first is large")
        if max(xs) > 6 or sorted([x * 2 for x in xs])[-1] > 12:
            raise ValueError(f"one is large: {max(xs)}")
        return total
    except ValueError as error:
        return str(error)


@case((3,), (0,), (5,))
def told_of_rounds(n):
    try:
        total, zeros = 0, [0] * n
        for i in range(n):
            total += i**2
            if total > 4:
                raise ValueError(f"{total} in round {i}")
        ones = sum(digit == "1" for digit in bin(n))
        return total, len(zeros), ones
    except ValueError as error:
        return str(error), 0, 0


@case((4,), (10,), (90000,))
def told_roots(n):
    try:
        root = math.sqrt(n)
        if root > 100:
            raise ValueError(f"too large: {root:.1f}")
        return f"{root:.2f}"
    except ValueError as error:
        return f"no root, {error}"


@case((3.5,), (math.inf,), (-math.inf,), (math.nan,))
def whole_and_nearest(x):
    half = float(x) / 2
    told = []
    try:
        told.append(int(half))
    except ValueError:
        told.append(-1)
    except OverflowError:
        told.append(-2)
    try:
        told.append(round(half))
    except ValueError:
        told.append(-3)
    except OverflowError:
        told.append(-4)
    return told


@case((10, 3), (2, 5), (100, 40), (0, 0))
def paid_from_entries(start, amount):
    entries = defaultdict(list)
    entries["a"].append(start)
    refused = []
    for payer, payee in (("a", "b"), ("b", "a"), ("a", "c")):
        try:
            if sum(entries[payer]) < amount:
                raise ValueError
            entries[payer].append(-amount)
            entries[payee].append(amount)
        except ValueError:
            refused.append(sum(entries[payer]))
        else:
            if sum(entries[payer]) < 5:
                break
    return [sum(entries[name]) for name in "abc"], refused


@case((0,), (3,), (6,))
def changed_row_of_two(n):
    rows = [[1, 2], [3]]
    for i in range(n):
        rows[i % 2].append(i)
    try:
        row = rows[n % 2]
        if max(row) > 4:
            raise ValueError
        row.append(5)
        row[-1] += n
        while len(row) > 3:
            row.pop(0)
        return sum(row), rows
    except ValueError:
        return -1, rows


@case((3,), (-2,), (7,))
def both_rows_behind_a_failure(x):
    rows = [[x]]
    if x >= 0:
        rows.append([3])
    try:
        if x < 3:
            raise ValueError
        rows[0].append(7)
        if x > 5:
            raise ValueError
        rows[1].append(8)
    except ValueError:
        rows.append([])
    return rows


class Player:
    def __init__(self, number):
        self.number, self.points = number, [number]


@case((3,), (2,), (7,), (9,), (5,))
def points_behind_a_failure(x):
    a, b = Player(1), Player(2)
    chosen = a if x > 3 else b
    try:
        chosen.number = 10 // (x - 7)
        chosen.points.append(10 // (x - 3))
        chosen.points[0] = 10 // (x - 5)
    except ZeroDivisionError:
        a.number += 100
    return a.number, b.number, a.points, b.points


class Team:
    def __init__(self):
        self.players = [Player(1), Player(2)]

    def player(self, at):
        return self.players[at]


@case((3,), (2,), (7,), (5,))
def points_of_a_team(x):
    team = Team()
    try:
        team.player(x % 2).number = 10 // (x - 3)
        team.player(0).points.append(10 // (x - 2))
        team.player(1).points.append(10 // (x - 5))
    except ZeroDivisionError:
        team.player(0).number += 7
    return [(player.number, player.points) for player in team.players]


@case((3,), (2,), (9,))
def values_made_in_a_try(x):
    counts = defaultdict(partial(int, 5))
    try:
        if x > 8:
            raise KeyError(x)
        counts[x] += 1
        counts[3] += 1
    except KeyError:
        return []
    return sorted(counts.items())


@case((1,), (0,), (2,))
def logarithm_or_else(x):
    try:
        return math.log(x)
    except ZeroDivisionError:
        return -3.0
    except ValueError:
        return -2.0
