"""Statements that read and change what is outside of the program: objects, variables and what the
functions that it calls keep, of which three calls in turn find what the one before has left.

The forms are those of `programs_collections`. `s` is a tensor always: a change that no staged value
concerns happens while tracing. What is new outside is so at the beginning, for a branch or a loop
adds nothing to what is there.
"""

OUTSIDE = (
    "do: O.total += {value} + s",
    "do: O.last = {value} + s",
    "do: O.pair = O.pair[1] + s, {value}",
    "do: O.low = min(O.low, {value} + s)",
    "do: O.items[0], O.items[1] = O.items[1] + s, O.items[0] + s",
    "do: O.move({value} + s)",
    "do: O.level += s",
    "do: {r} = O; {r}.total -= s",
    "do: setattr(O, 'total', s)",
    "do: Box.made = (Box.made + {value} + s) % 97",
    "do: T = (T + {value} + s) % 97",
    "do: noted({value} + s)",
    "do: D['n'] = (D['n'] * 2 + {value} + s) % 97",
    "do: D['m'] = D.get('late', 1) + s",
    "do: D.update(m=D['m'] + s)",
    "do: C['c'] += s",
    "do: L[0] = {value} + s",
    "do: L[:] = [L[1], L[0] + s]",
    "do: L.reverse(); L[0] += s",
    "do: R.append(s); R.pop(0)",
    "do: R.insert(0, R.pop() + s)",
    "do: R[-1:] = [R[0] + s]",
    "do: ROWS[0][1] = s; ROWS[1][0] += s",
    "do: noted.calls = noted.calls + s",
    "do: a = (a + added({value} + s)) % 97",
    "do: b = (b + kept({value} + s)) % 97",
    "do: b = (b + wrapped({value} + s)) % 97",
    "do: if s > {value}:;     O.total = s; else:;     T = (T + s) % 97",
    "do: {r} = {value}; try:;     O.total += s;     a = step(a, {r}); finally:;     D['n'] = s",
    "do: {r} = {value} + s; try:;     risky({r}); except ValueError:;     D['m'] = s % 97",
    "do: {r} = {value} + s; try:;     risky({r}); finally:;     O.last = s",
    "do: with scope({value} + s) as {r}:;     a = (a + {r}) % 97",
    "int: O.total % 97",
    "int: 3 if O.last is None else O.last % 97",
    "int: (O.pair[0] + O.pair[1]) % 97",
    "int: 1 if hasattr(O, 'late') else 2",
    "int: O.items[1] % 97",
    "int: O.level % 97",
    "int: Box.made",
    "int: T",
    "int: D['n'] + len(D)",
    "int: sum(D.values()) % 97",
    "int: C['c'] % 97",
    "int: (L[0] + 2 * L[1]) % 97",
    "int: sum(R) % 97 + len(R)",
    "int: ROWS[0][0] + ROWS[1][0] % 97",
    "int: noted.calls % 97",
    "int: added(s) % 97",
)

OUTSIDE_PRELUDE = """\
from collections import defaultdict
from contextlib import contextmanager

G = 2
T = 1
D = {"n": 1, "m": 2}
C = defaultdict(int, c=0)
L = [1, 2]
R = [3]
ROWS = [[1, 2]] * 2


class Box:
    made = 1

    def __init__(self):
        self.total, self.low = 0, 9
        self.last = None
        self.pair = (1, 2)
        self.items = [3, 4]
        self._level = 5

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        self._level = value % 97

    def move(self, by):
        if by > self.total:
            self.total = by
        else:
            self.total -= by
        return self.total


O = Box()


def step(x, y=1, *, z=0):
    return x - y if x > y else x + y + z


def noted(x):
    global T
    noted.calls = noted.calls + x
    if x > 2:
        T = (T + x) % 97
    else:
        step(x)


noted.calls = 0


def risky(x):
    D["m"] = D["m"] + x
    if x > 3:
        raise ValueError("risky")
    D["m"] = D["m"] * 2 % 97


@contextmanager
def scope(x):
    C["c"] += x
    try:
        yield C["c"] % 97
    finally:
        C["c"] = C["c"] * 2 % 97


def adding(total):
    def add(x):
        nonlocal total
        total = (total + x) % 97
        return total

    return add


added = adding(3)


def kept(x, memory={"all": 1}):
    if x > memory["all"]:
        memory["all"] = x
    return memory["all"] % 97


def counting(function):
    def wrapper(x):
        wrapper.sum = wrapper.sum + x
        return function(x) + wrapper.sum % 97

    wrapper.sum = 0
    return wrapper


@counting
def wrapped(x):
    return x if x > 1 else x + Box.made


def state():
    variables = T, noted.calls, added(0), kept(-999), wrapped.sum
    return vars(O), Box.made, D, dict(C), L, R, ROWS, variables


"""

OUTSIDE_HEADER = """\
def program(a, b, p, f, xs):
    global T
    s = a % 5
    if len(R) < 2:
        R.append(s)
        D.setdefault("first", s)
        O.late = O.total, [s]
"""
