"""Statements that hand functions to what calls them for each item: at once, as folds and maps of
the graph do, or as long as somebody asks.

The forms are those of `programs_collections`, once for each function that stands for `ONE`, which
takes an item, or for `TWO`, which takes two. All of them count, keep or refuse what they are given.
"""

_ONE = (
    *("bumped", "box.put", "box", "partial(moved, 3)", "kept", "checked"),
    "(lambda u: bumped(u) + 1)",
)
_TWO = "moved", "box.move", "tallied", "partial(box.move)", "(lambda u, w: (bumped(w) + u) % 97)"

_FORMS = (
    "int: foldl(TWO, xs, {value})",
    "int: foldr(TWO, xs, {value})",
    "int: scan(TWO, xs, {value})[-1]",
    "int: sum(map_fn(ONE, xs)) % 97",
    "int: reduce(TWO, xs, {value})",
    "int: list(accumulate(xs, TWO))[-1] % 97",
    "int: 2 if {value} in map(ONE, xs) else 3",
    "int: 2 if any(u > {value} for u in map(ONE, xs)) else 3",
    "int: 2 if all(ONE(u) > {value} for u in xs) else 3",
    "int: sum([u * w for u, w in zip(map(ONE, xs), [{value}, 2])]) % 97",
    "int: next(map(ONE, xs)) % 97",
    "int: next((u for u in map(ONE, xs) if u > {value}), 4) % 97",
    "int: max(map(ONE, xs)) % 97",
    "int: min(xs, key=ONE)",
    "int: sorted(xs, key=ONE)[0]",
    "int: sum(filter(ONE, xs)) % 97",
    "int: len([u for u in takewhile(ONE, xs)])",
    "int: sum(map(TWO, xs, map(ONE, xs))) % 97",
    "do: for {v} in map(ONE, xs):;     if {v} > {value}:;         break;     a = (a + {v}) % 97",
    "do: {r} = map(ONE, xs); a = (next({r}) + k) % 97; b = (next({r}, 3) + k) % 97",
    "do: try:;     a = sum(map_fn(ONE, xs)) % 97; except ValueError:;     b = k",
    "do: try:;     a = foldl(TWO, xs, 1); finally:;     b = (b + k) % 97",
)

_STATE = (
    "int: k",
    "int: (box.n + 2 * len(kept_items)) % 97",
    "int: counts['n']",
    "do: box.n = {value}",
    "do: k = {value}",
)

CALLBACKS = (
    *(form.replace("ONE", one).replace("TWO", two) for form in _FORMS for one in _ONE
      for two in _TWO if "TWO" in form or two == _TWO[0]),
    *_STATE * 8,
)  # fmt: skip

CALLBACKS_PRELUDE = """\
from functools import partial, reduce
from itertools import accumulate, takewhile

import runtime as rt

G = 2


class Box:
    def __init__(self):
        self.n = 1

    def __call__(self, x):
        if x > 1:
            self.n = (self.n * 2 + x) % 97
        return self.n

    def put(self, x):
        self.n = (self.n + x) % 97
        return self.n - x

    def move(self, x, y):
        self.n = (self.n + x * y) % 97
        return (x + y) % 97


def step(x, y=1, *, z=0):
    return x - y if x > y else x + y + z


def foldl(function, items, start):
    if isinstance(items, list):
        return reduce(function, items, start)
    return rt.foldl(function, items, rt.cast(start, rt.int64))


def foldr(function, items, start):
    if isinstance(items, list):
        return reduce(function, items[::-1], start)
    return rt.foldr(function, items, rt.cast(start, rt.int64))


def scan(function, items, start):
    if isinstance(items, list):
        return list(accumulate(items, function, initial=start))[1:]
    return rt.scan(function, items, rt.cast(start, rt.int64))


def map_fn(function, items):
    if isinstance(items, list):
        return list(map(function, items))
    return list(rt.map_fn(function, items))


"""

CALLBACKS_HEADER = """\
def program(a, b, p, f, xs):
    k, box, counts, kept_items = 0, Box(), {"n": 0}, []

    def bumped(u):
        nonlocal k
        k = (k * 2 + u) % 97
        return k

    def moved(u, w):
        nonlocal k
        k += 1
        return (u * 2 + w) % 97

    def tallied(u, w):
        counts["n"] = (counts["n"] + u) % 97
        return (u + w) % 97

    def kept(u):
        kept_items.append(u)
        return u % 3

    def checked(u):
        nonlocal k
        k = (k + 1) % 97
        if u < 0:
            raise ValueError("negative")
        return u * 2

"""

CALLBACKS_RESULTS = ("k, box.n, {int}", "counts['n'], len(kept_items), k, {int}", "{int}")
