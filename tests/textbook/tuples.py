"""Tuples that grow, as those who change nothing write them: recursions, loops, slices."""

# ruff: noqa: RUF005

import copy
from collections import deque

from tests.textbook.bank import bank

case, CASES = bank()


@case((1234,), (7,), (0,))
def digits_of(n):
    if n < 10:
        return (n,)
    return digits_of(n // 10) + (n % 10,)


@case((13,), (1,), (0,))
def halvings(n):
    if n == 0:
        return ()
    return (n,) + halvings(n // 2)


@case((360,), (97,), (1,))
def prime_factors(n):
    factors, d = (), 2
    while d * d <= n:
        while n % d == 0:
            factors += (d,)
            n //= d
        d += 1
    return (*factors, n) if n > 1 else factors


@case((6,), (1,))
def collatz_path(n):
    path = (n,)
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path = (*path, n)
    return path, len(path), max(path), path[-1], path[::-1]


@case(([3, 1, 2, 5],), ([],), ([1],))
def split_by_parity(xs):
    odd = even = ()
    for x in xs:
        if x % 2:
            odd += (x,)
        else:
            even = even + (x,)
    return odd, even, odd + even, len(odd) * 2 == len(odd + odd)


@case((4, 1), (4, 4), (4, 0), (4, -1))
def cut_at(n, at):
    row = (1, 2, 3, 4)
    return row[:at], row[at:], row[at:n] + row[:at], row[::-1][at:]


@case(([5, 1, 4],), ([2],))
def pairs_by_size(xs):
    pairs = ()
    for at, x in enumerate(xs):
        pairs += ((x, at),)
    least, place = min(pairs)
    return sorted(pairs), least, place, [x for x, _ in pairs], dict(pairs)


@case((5,), (0,))
def tuple_of_a_list(n):
    found = []
    for i in range(n):
        if i % 2 == 0:
            found.append(i * i)
    squares = tuple(found)
    found.append(-1)
    return squares, len(squares), sum(squares), 4 in squares, squares == tuple(found[:-1])


@case((3,), (0,))
def told(n):
    row = (0,) * n
    row += ("end",) if n > 5 else (1,)
    return f"{row}", str(row[:1]), repr(row[1:]), " ".join(map(str, row))


@case((3,), (2,), (1,))
def first_two(n):
    row = tuple(range(n))
    try:
        a, b = row
    except ValueError as error:
        return str(error)
    return a, b


@case((4,), (1,), (0,))
def taken_apart(n):
    match tuple(i * i for i in range(n)):
        case ():
            return -1
        case (a,):
            return a
        case (a, b, *rest):
            return a + b + len(rest)


@case((3,), (0,))
def not_to_be_changed(n):
    row = tuple(range(n))
    try:
        row[0] = 1
    except TypeError:
        return hasattr(row, "append"), isinstance(row, tuple), isinstance(row, list)
    return row


@case((2,), (3,))
def not_to_be_joined(n):
    row = tuple(range(n))
    return row + [1]


class Trail:
    """The places where somebody was, as a tuple."""

    def __init__(self):
        self.places = ()

    def go(self, place):
        self.places = (*self.places, place)
        return self


@case((3,), (0,))
def trail(n):
    walked = Trail()
    for i in range(n):
        walked.go(i * 2)
    return walked.places, walked.places < (0, 3), walked.places >= (0, 2)


@case((5,), (2,))
def pairs_on_two_paths(n):
    row = (n, n + 1) if n > 3 else (n,)
    return row, len(row), sum(row), row[-1], row * 2


@case(([3, 1, 4, 1, 5], 3), ([2], 3))
def moving_average(xs, _):
    window, means = deque(maxlen=3), ()
    for x in xs:
        window.append(x)
        means += (sum(window) / len(window),)
    return means


@case((3,), (0,))
def a_long_tuple_has_the_methods_of_tuples(n):
    items = tuple(i * i for i in range(n)) + (4,)
    text = f"{items}"
    try:
        items.copy()
        found = "copied"
    except AttributeError:
        found = "no copy"
    return found, text, items.count(4), items.index(4), copy.copy(items)[-1]
