"""Random programs over lists that several names, lists, tuples, dicts, attributes and functions
hold, and that paths and rounds change and replace.
"""

import random
from typing import Any

PRELUDE = """\
from collections import deque


class Box:
    def __init__(self, items):
        self.items = items
        self.other = []


def put(items, value):
    items.append(value)
    return items


def pick(first, second, value):
    if value > 1:
        return first
    return second


def renewed(items, value):
    if value > 2:
        items = []
    items.append(value)
    return items


"""

NUMBERS = ([3, 1, -2, 4, -1, 5], [-1, 2, 2], [4, 3])
"""The argument of each call: numbers that the programs look at one after another."""

_GIVEN = (
    "p, q, rs = [1, 2], [3], [[5], [6, 7]]",
    "p = [4]; q = p; rs = [p, [8, 9], [2]]",
    "p, q = [1], []; rs = [q, q]",
    "p, q, rs = [], [2, 2, 2], [[0]]",
)
"""Lists that are arguments beside the numbers."""

_STARTS = (
    "a, b, c = [], [], []",
    "a = []; b = a; c = [7]",
    "a = [5, 6]; b = []; c = [0] * 3",
    "a = [x for x in range(2)]; b = a[:]; c = a",
)
_STARTS_OF_GIVEN = (
    "a, b, c = p, q, []",
    "a, b, c = p, [], q",
    "a, b, c = rs[0], p, q",
)
_TABLES_OF_GIVEN = (
    "t = rs; u = [p]",
    "t = [a, b]; u = rs",
    "t = rs; u = rs",
)
_TABLES = (
    "t = [[1], [2]]; u = t",
    "t = [a, b]; u = [c]",
    "t = [[1, 2], [3], [4]]; u = [[]]",
    "t = [[0] * 2 for _ in range(3)]; u = t[1:]",
    "t = []; u = []; t.append(a); u.append([9])",
)
_FLAT = (
    *("{a}.append(x)",) * 4,
    "{a} = [x]",
    *("{a} = []",) * 2,
    *("{a} = {b}",) * 3,
    "{a}, {b} = {b}, {a}",
    "{a} += [x]",
    "{a} = {a} + [x]",
    "{a} = {b}[:]",
    "{a} = list({b})",
    "{a} = sorted({b})",
    "{a} = {b}.copy()",
    "{a} = {b} or [x]",
    "{a} = {b} if x > 1 else {a}",
    "({a} if x > 0 else {b}).append(x)",
    "{a}.insert(0, x)",
    "{a}.reverse()",
    "{a}.sort()",
    "{a}.clear()",
    "{a}.extend({b}[:2])",
    "{a}[0:1] = [x]",
    "{a} = [v + 1 for v in {b}]",
    "{a} = [*{b}, x]",
    "put({a}, x)",
    "{a} = put({b}, x)",
    "{a} = pick({a}, {b}, x)",
    "{a} = renewed({b}, x)",
    "n += len({a})",
    "n += sum({a})",
    "n += int({a} == {b})",
    "n += int({a} is {b})",
    "n += int(x in {a})",
    "if {a}: n += {a}[-1]",
    "if {a}: {a}.pop()",
    "if len({a}) > 1: {a}[0], {a}[-1] = {a}[-1], {a}[0]",
    "for v in {a}: n += v",
    "while len({a}) > 3: {a}.pop()",
    "box.items = {a}",
    "{a} = box.items",
    "box.items.append(x)",
    "box.other, box.items = box.items, box.other",
    "pair = ({a}, {b}) if x > 0 else ({b}, {a})",
    "pair[0].append(x)",
    "{a} = pair[1]",
    "d[x % 3] = {a}",
    "{a} = d.setdefault(x % 2, [])",
    "if x % 3 in d: d[x % 3].append(x)",
)
_DEEP = (
    "{t}.append({a})",
    "{t}.append([x])",
    "{t}.append([])",
    "{t}[-1].append(x)",
    "{t}[0].append(x)",
    "{t}[x % len({t})].append(n)",
    "{a} = {t}[x % len({t})]",
    "{a} = {t}[0]",
    "{a} = {t}[-1]",
    "{t}[0], {t}[-1] = {t}[-1], {t}[0]",
    "{t} = [{a}]",
    "{t} = [[x], [n]]",
    "{u} = {t}",
    "{t}[0] = []",
    "{t}[-1] = {a}",
    "{t}[0] = {t}[-1]",
    "for r in {t}: r.append(n)",
    "for i, r in enumerate({t}): r.append(i)",
    "{t}.reverse()",
    "{t} = {t}[:]",
    "{t}.insert(0, {a})",
    "{t}[0][0:1] = [x]",
    "if len({t}) > 1: {a} = {t}.pop()",
    "n += len({t}[-1])",
    "n += sum({t}[0])",
    "n += sum(len(r) for r in {t})",
    "n += int({a} in {t})",
    "{t} = [r[:] for r in {t}]",
    "{t} = [r for r in {t} if len(r) < 3] or [{a}]",
    "{t}[-1] += [x]",
    "{a} = min({t})",
    "{a} = max({t}, key=len)",
)
_APART = (
    "p = [2**53 + 1, 7]; n += p[0] - 2**53",
    "q = [0.5, 1.5]; n += int(q[0] * 2)",
    "w = ['u', 'vv']; n += len(w[x % 2])",
    "n += len(f'{{[1, x]}} {{[x, 2]}}')",
    "n += (lambda *v: [*v])(x, 2)[1]",
    "n += sum([x, 1]) + max([x, 0]) + len(str([1, 2]))",
)
"""What has lists of its own, which meet no others."""
_TESTS = ("x < 0", "x > 2", "n > 3", "x % 2 == 0", "len({a}) > 2", "{a} is {b}", "{a} == {b}")
_EXITS = ("break", "continue", "return n, a, t")


class Writer:
    """Writes one program."""

    def __init__(self, seed: int, given: bool = False) -> None:
        self.random = random.Random(seed)
        self.given = given

    def arguments(self) -> tuple[list[int], list[int], list[list[int]]]:
        """The lists that are arguments."""
        names: dict[str, list[Any]] = {}
        exec(_GIVEN[self.random.randrange(len(_GIVEN))], names)
        return names["p"], names["q"], names["rs"]

    def program(self) -> str:
        """The text of a module with the function `program`, which takes a list of numbers, and
        further lists if these are given.
        """
        pick = self.random.choice
        starts = (_STARTS_OF_GIVEN, _TABLES_OF_GIVEN) if self.given else (_STARTS, _TABLES)
        lines = ["n = 0", *map(pick, starts), "pair = (a, b); d = {}; box = Box(c)"]
        loop = self.random.random()
        if loop < 0.6:
            lines += ["for x in xs:", *self.block(2, loops=True)]
        elif loop < 0.8:
            lines += ["x = xs[0]", *self.branch(), "x = xs[1]", *self.branch()]
        else:
            lines += ["i = 0", "while i < len(xs):", "    x = xs[i]", "    i += 1"]
            lines += self.block(2, loops=True)
        lines += ["x = xs[-1]", *(self.statement() for _ in range(self.random.randint(0, 2)))]
        results = self.random.sample(["a", "b", "c", "t", "u", "box.items", "pair[0]"], 3)
        lines.append(f"return n, {', '.join(results)}")
        body = "".join(f"    {line}\n" for line in lines)
        more = ", p, q, rs" if self.given else ""
        return f"{PRELUDE}def program(xs{more}):\n{body}"

    def block(self, depth: int, loops: bool = False) -> list[str]:
        """Lines one deeper."""
        lines = []
        for _ in range(self.random.randint(1, 3)):
            deep = depth > 0 and self.random.random() < 0.5
            lines += self.branch(depth - 1, loops) if deep else [self.statement()]
        return [f"    {line}" for line in lines]

    def branch(self, depth: int = 1, loops: bool = False) -> list[str]:
        """An `if`, or a `try`."""
        if self.random.random() < 0.1:
            return [
                *("try:", *self.block(0), f"    {self.named('{a}.append(6 // x)')}"),
                *("except ZeroDivisionError:", *self.block(0)),
            ]
        lines = [f"if {self.named(self.random.choice(_TESTS))}:", *self.block(depth, loops)]
        if loops and self.random.random() < 0.15:
            lines.append(f"    {self.random.choice(_EXITS)}")
        if self.random.random() < 0.4:
            lines += ["elif x > 3:", *self.block(0)]
        return [*lines, "else:", *self.block(depth, loops)] if self.random.random() < 0.5 else lines

    def statement(self) -> str:
        kinds = (_FLAT, _DEEP) * 4
        return self.named(self.random.choice(self.random.choice((*kinds, _APART))))

    def named(self, text: str) -> str:
        """A text with names put in."""
        a, b = self.random.choice("abc"), self.random.choice("abc")
        t, u = self.random.choice("tu"), self.random.choice("tu")
        return text.format(a=a, b=b, t=t, u=u)
