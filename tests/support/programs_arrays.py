"""Random programs over arrays of NumPy's: vectors, a matrix and numbers, with views, items that are
assigned by several names, objects and control flow.

All numbers are small whole ones or halves, so that every order of summing gives the same.
"""

from collections.abc import Callable

from tests.support.programs_choices import Choices, Lines

_PRELUDE = """import numpy as np


class Body:
    def __init__(self, x):
        self.x = x
        self.v = np.zeros(3)

    def move(self, y):
        self.v[1] += y
        self.x += self.v
        self.x %= 23


def put(a, i, y):
    a[i] = y
    return a


def halved(a):
    made = np.empty(a.shape)
    for i in range(a.shape[0]):
        made[i] = a[i] / 2
    return made


"""


class Writer(Lines):
    """Writes one program: `v` and `w` are vectors of floats, `c` one of integers, `m` a matrix, all
    of three rows, `s` a number, `n` and `k` integers from 0 to 2.
    """

    filler = "s = s + 1"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, 4 + choices.below(14))
        self.numbers = ["s"]
        self.indices = ["n", "k"]
        self.views: list[str] = []

    def vector(self) -> str:
        return self.pick("v", "w", "v", "w", "c", *self.views, *self.views, "body.x", "body.v")

    def place(self) -> str:
        return self.pick("0", "1", "-1", *self.indices, *self.indices)

    def number(self) -> str:
        v = self.vector()
        return self.pick(
            *self.numbers, *self.numbers, "2.0", "3", f"{v}[{self.place()}]", f"{v}[0] * 2",
            f"m[{self.place()}, {self.place()}]", f"{v}.sum() % 31", f"np.max({v})", f"{v}.mean()",
            f"np.dot({v}, {self.vector()}) % 37", f"{v}.argmax()", f"abs({v}[1] - 1.5)",
            f"np.sqrt({v}[2] ** 2)", f"float({v}[0])", f"{v}[1] // 2", f"np.floor({v}[0] / 2)",
        )  # fmt: skip

    def test(self) -> str:
        compared = self.pick("<", "==", ">=", "!=")
        return self.pick(
            f"{self.number()} {compared} {self.number()}",
            f"n {compared} {self.place()}",
            f"np.any({self.vector()} > {self.number()})",
            f"({self.vector()} {compared} {self.vector()}).all()",
            f"{self.vector()}[{self.place()}] < 3 and n > 0",
        )

    def array(self) -> str:
        """A vector of three, which may be a view."""
        v, w, x = self.vector(), self.vector(), self.number()
        return self.pick(
            f"{v} + {w}", f"{v} * {x} % 37", f"{v} - {w}", f"np.maximum({v}, {w})", f"{v} / 2",
            f"{v}[::-1]", f"m[{self.place()}]", f"m[:, {self.place()}]", f"{v}.copy()", f"{v}[:]",
            f"np.where({v} > {x}, {v}, {w})", f"np.sort({v})", f"np.cumsum({v}) % 29",
            f"np.array([{x}, {self.number()}, 1.0])", f"np.array([{x}, 2, n])", f"{v}",
            f"m.sum(axis={self.pick('0', '1')}) % 43", f"m @ {v} % 47", f"np.dot({v}, m) % 53",
            f"np.zeros(3) + {x}", f"np.full(3, {x})", "np.ones(3, dtype=int) * n", f"-{v}",
            f"np.clip({v}, 0, {x})", f"{v}.astype(float)", f"{v}.astype(int)", f"halved({v})",
            f"np.concatenate([{v}, {w}])[:3]", f"np.append({v}[1:], {x})", f"{v}[[2, n, 0]]",
            f"np.arange(3) * {x}", "np.linspace(0, 4, 3)", "m.diagonal()", "m.reshape(9)[3:6]",
            f"put({v}.copy(), {self.place()}, {x})", f"np.roll({v}, 1)", f"np.round({v} / 4)",
            f"np.minimum({v}, {x})", f"{v}.T", f"np.diff({v}, append={x})", "2 ** (c % 3)",
            f"({v} > {w}) + c", f"np.floor_divide({v}, 2)", f"{v} % 3",
            f"np.outer({v}, {w})[n] % 41",
        )  # fmt: skip

    def ways(self) -> list[Callable[[], None]]:
        simple = [self.assignment] * 4 + [self.items] * 6 + [self.keeping] * 2 + [self.viewing] * 2
        simple += [self.leaving, self.printing]
        nested = [self.looping] * 3 + [self.branching] * 3
        return simple if self.depth > 3 else simple + nested

    def assignment(self) -> None:
        self.line(self.pick(
            f"{self.pick('v', 'w')} = {self.array()}",
            f"{self.pick('v', 'w')} = {self.array()}",
            f"s = {self.number()}",
            f"s = (s + {self.number()}) % 61",
            f"m = np.stack([{self.array()}, {self.array()}, {self.array()}])",
            f"n = (n + {self.place()}) % 3",
            "v, w = w, v",
            f"m = {self.pick('m.T', 'm.copy()', 'm[::-1]', 'm * 2 % 59', 'm @ m % 61', 'm + c')}",
        ))  # fmt: skip

    def items(self) -> None:
        v, x = self.vector(), self.number()
        self.line(self.pick(
            f"{v}[{self.place()}] = {x}", f"{v}[{self.place()}] = {x}",
            f"{v}[{self.place()}] += {x}", f"{v}[{self.place()}] += 1",
            f"m[{self.place()}] = np.array({self.array()})",
            f"m[{self.place()}, {self.place()}] = {x}", f"m[{self.place()}][{self.place()}] -= 1",
            f"m[:, {self.place()}] = np.array({self.array()})",
            f"{v}[1:] = {self.vector()}[:2]", f"{v}[:] = {self.array()}", f"{v} += {x}",
            f"{v} *= 2", f"{v} %= 17", f"v -= {self.vector()}", f"{v}[{v} > {x}] = 0",
            f"m += {self.array()}", f"{v}[::2] = {x}", f"put({v}, {self.place()}, {x})",
            f"{v}.sort()", f"{v}.fill({x})", f"{v}[0], {v}[1] = {v}[1], {v}[0]",
            f"np.add(v, {x}, out=v)", "np.copyto(v, w)",
        ))  # fmt: skip

    def viewing(self) -> None:
        made = self.fresh()
        v = self.vector()
        self.line(f"{made} = " + self.pick(
            f"m[{self.place()}]", f"m[:, {self.place()}]", f"{v}[:]", v, f"{v}[::-1]", "m[1]",
            "m[0, :]", f"m.T[{self.place()}]", f"{v}.copy()",
        ))  # fmt: skip
        if self.depth == 1:
            self.views.append(made)

    def keeping(self) -> None:
        self.line(self.pick(
            f"body.move({self.number()})", f"body.x = {self.array()}", "w = body.x",
            f"kept['a'] = {self.array()}", f"kept['a'][{self.place()}] = {self.number()}",
            "v = kept['a']", "v = rows[n % 2]", "w = rows[n % 2].copy()",
            f"rows[{self.pick('0', '1')}][{self.place()}] = {self.number()}",
            f"rows[0] = {self.array()}", f"found.append({self.number()})",
            f"found.append({self.number()})", "w = rows[1]",
        ))  # fmt: skip

    def printing(self) -> None:
        self.line(self.pick(
            f"print(k, {self.vector()})", f"print(f'{{{self.vector()}}} {{k}}')",
            f"print(k, m.shape, m, {self.number()})", f"print(k, [{self.vector()}, n])",
            f"print(k, {self.vector()}.dtype == float, isinstance(v, np.ndarray), len(v), v.ndim)",
        ))  # fmt: skip

    def returned(self) -> str:
        return f"{self.vector()}, m, n"

    def looping(self) -> None:
        x, v = self.fresh(), self.vector()
        header, numbers, indices = (
            (f"for {x} in {v}:", [x], []),
            (f"for {x} in range(3):", [], [x]),
            (f"for {x} in range(n + 1):", [], [x]),
            (f"for {x} in range(k + 1):", [], [x]),
            (f"for {x} in range(len({v})):", [], [x]),
            (f"while {x} < k + 1 and {v}[0] < 50:", [], [f"({x} % 3)"]),
        )[self.choices.below(6)]
        self.loop(header, x, (self.numbers, numbers), (self.indices, indices))

    def program(self) -> str:
        self.line("v, w, m, k = np.array(v), np.array(w), np.array(m), int(k)")
        for first in ("v = np.ones(3)", "m = np.arange(9.0).reshape(3, 3)", "w = v", "v = w"):
            if self.choices.below(4) == 0:
                self.line(first)
        self.line("c, s, n, found = np.array([4, 2, 5]), v[0], k, [1.5]")
        self.line("body, kept, rows = Body(v.copy()), {'a': w}, [v, np.ones(3)]")
        while self.left > 0:
            self.statement()
        views = "".join(f", {view}" for view in self.views)
        self.line(f"return v, w, c, m, s, n, found, body.x, body.v, kept, rows{views}")
        return self.module("v, w, m, k", _PRELUDE)


def write(choices: Choices) -> str:
    """A program, whose function takes two vectors and a matrix of float64, and an integer."""
    return Writer(choices).program()
