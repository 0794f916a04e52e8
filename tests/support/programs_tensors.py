"""Random programs over tensors of sizes that only the run knows: vectors, a matrix and numbers,
with control flow around ops that may not fit, and exceptions that a `try` acts on.

All numbers are small whole ones, so that every order of summing gives the same.
"""

from collections.abc import Callable

from tests.support.programs_choices import INDENT, Choices, Lines

_CLAUSES = ("ValueError", "rt.errors.InvalidArgumentError", "Exception", "IndexError")


_PRELUDE = """import runtime as rt


class Box:
    def __init__(self, x):
        self.x = x
        self.n = 0

    def add(self, y):
        self.n += 1
        self.x = self.x + y
        self.n += 10


def fitted(x, y):
    try:
        return x + y
    except ValueError:
        n = rt.minimum(rt.size(x), rt.size(y))
        return x[:n] - y[:n]


def first(x):
    if rt.size(x) == 0:
        raise ValueError("empty")
    return x[0]


"""


class Writer(Lines):
    """Writes one program: `v`, `w` and `u` are vectors, `m` a matrix, `s` and `t` scalars, `n` and
    `k` integers.
    """

    filler = "n = n + 1"

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices, 4 + choices.below(12))
        self.scalars = ["s", "t"]
        self.rows: list[str] = []

    def vector(self) -> str:
        return self.pick("v", "w", "u", "v", "w", "u", *self.rows, *self.rows)

    def scalar(self) -> str:
        return self.pick(*self.scalars, *self.scalars, "2.0", "3.0", "-1.0")

    def integer(self) -> str:
        v = self.vector()
        return self.pick(
            *("n", "k", "n", "k", "1", "2", f"rt.size({v})", f"rt.shape({v})[0]", f"len({v})"),
            *("rt.shape(m)[1]", f"int({self.scalar()})"),
        )

    def number(self) -> str:
        """A scalar that stays small."""
        x, y, v = self.scalar(), self.scalar(), self.vector()
        return self.pick(
            x, f"{x} + {y}", f"{x} * {y} % 53.0", f"rt.reduce_sum({v}) % 31.0", f"{x} - {y}",
            f"rt.reduce_max(rt.concat([{v}, [{x}]], 0))", f"{v}[0]", f"{v}[{self.integer()} - 1]",
            f"rt.reduce_sum({v} * {self.vector()}) % 41.0", f"max({x}, {y})", f"abs({x})",
            f"rt.cast({self.integer()}, rt.float64)",
        )  # fmt: skip

    def test(self) -> str:
        compared = self.pick("<", "==", ">=", "!=")
        return self.pick(
            f"{self.scalar()} {compared} {self.number()}",
            f"{self.integer()} {compared} {self.integer()}",
            f"rt.reduce_any({self.vector()} > {self.scalar()})",
            f"{self.scalar()} < {self.scalar()} and {self.integer()} > {self.integer()}",
        )

    def tensor(self) -> str:
        """A vector whose size is that of another one, or what becomes of it."""
        v, w, x = self.vector(), self.vector(), self.pick(*self.scalars)
        return self.pick(
            f"{v} + {w}", f"{v} * {x} % 37.0", f"{v} - {w}", f"rt.maximum({v}, {w})",
            f"rt.concat([{v}, {w}], 0)[:7]", f"{v}[1:]", f"{v}[::-1]", f"{v}[:{self.integer()}]",
            f"rt.where({v} > {x}, {v}, {w})", f"rt.where({v} > {x}, {v}, {x})",
            f"rt.boolean_mask({v}, {v} > {x})", f"rt.sort({v})", f"rt.cumsum({v}) % 29.0",
            f"rt.reverse({v}, [0])", f"rt.tile({v}, [2])[:6]", f"rt.stack([{x}, s])",
            f"rt.reduce_sum(m, {self.pick('0', '1')}) % 43.0", f"m[{self.pick('0', '-1', 'k')}]",
            f"rt.linalg.matvec(m, {v}) % 47.0", "rt.reshape(m, [-1])[:8]",
            f"rt.gather({v}, [0, {self.integer()} - 1])", f"rt.pad({v}, [[1, 0]])[:8]",
            f"rt.stack([y * {x} % 19.0 for y in {v}] + [{x}])",
            f"rt.zeros([{self.integer()}], rt.float64) + {x}", f"rt.zeros_like({v})",
            f"rt.map_fn(lambda y: y * {x} % 23.0, {v})", f"rt.unique({v})[0]",
            f"rt.broadcast_to({x}, rt.shape({v}))", f"rt.squeeze({v}[None], 0)",
        )  # fmt: skip

    def matrix(self) -> str:
        v, w = self.vector(), self.vector()
        return self.pick(
            "rt.transpose(m)", f"m + {v}", f"m * {self.scalar()} % 59.0", "rt.matmul(m, m) % 61.0",
            f"rt.stack([{v}, {w}])", f"{v}[:3, None] * {w}[:3]", "m[:, ::-1]", "m[1:]",
            f"rt.concat([m, {v}[None]], 0)[:4]", f"rt.reshape({v}, [2, -1])",
            f"rt.reshape({v}, [{self.integer()}, {self.integer()}])",
            "rt.matmul(m, m, transpose_b=True) % 67.0", f"rt.einsum('ij,j->ij', m, {v})",
        )  # fmt: skip

    def ways(self) -> list[Callable[[], None]]:
        simple = [self.assignment] * 6 + [self.items] * 2 + [self.leaving, self.raising]
        simple += [self.keeping] * 2
        nested = [self.looping] * 3 + [self.branching] * 3 + [self.trying] * 3
        return simple if self.depth > 4 else simple + nested

    def assignment(self) -> None:
        self.line(self.pick(
            f"{self.pick('v', 'w', 'u')} = {self.tensor()}",
            f"{self.pick('v', 'w', 'u')} = {self.tensor()}",
            f"{self.pick('s', 't')} = {self.number()}",
            f"{self.pick('s', 't')} = ({self.number()} + {self.number()}) % 71.0",
            f"m = {self.matrix()}",
            f"n = ({self.integer()} + {self.integer()}) % 7",
            f"{self.pick('v', 'w')}, u = {self.tensor()}, {self.tensor()}",
        ))  # fmt: skip

    def items(self) -> None:
        self.line(self.pick(
            f"{self.pick('v', 'w')}[{self.pick('0', '-1', 'n', 'k')}] = {self.number()}",
            f"{self.pick('v', 'w')}[{self.pick('0', '-1', 'k')}] += {self.scalar()}",
            f"found.append({self.number()})",
            f"found.append({self.number()})",
            "found.append(found[-1] + 1.0 if found else 0.0)",
        ))  # fmt: skip

    def keeping(self) -> None:
        """Tensors in an object, in a dict, in a tuple and in an array of the graph."""
        self.line(self.pick(
            f"box.add({self.vector()})", f"box.x = {self.tensor()}", "u = box.x * 2.0 % 73.0",
            f"kept['a'] = {self.tensor()}", f"kept['n'] += {self.number()} % 7.0",
            "w, s = kept['a'], kept['n']", "pair = (pair[1], pair[0])",
            f"pair = ({self.tensor()}, {self.vector()})", f"{self.pick('v', 'w')} = pair[0]",
            f"u = fitted({self.vector()}, {self.vector()})", f"s = first({self.vector()})",
            f"array = array.write(n % 3, {self.vector()}[:1])", "v = array.stack()[:, 0]",
            f"s, u = rt.cond({self.test()}, lambda: (t, u), lambda: (s, {self.tensor()}))",
        ))  # fmt: skip

    def returned(self) -> str:
        return f"{self.vector()}, m, s, n"

    def raising(self) -> None:
        self.line(f"if {self.test()}:")
        self.line(f"{INDENT}raise {self.pick('ValueError', 'KeyError', 'IndexError')}(n)")

    def looping(self) -> None:
        x, y, v = self.fresh(), self.fresh(), self.vector()
        header, scalars, rows = (
            (f"for {x} in {v}:", [x], []),
            (f"for {y}, {x} in enumerate({v}):", [x], []),
            (f"for {x}, {y} in zip({v}, {self.vector()}):", [x, y], []),
            (f"for {y} in range({self.integer()} % 5):", [], []),
            (f"for {y} in rt.range(rt.size({v})):", [], []),
            (f"for {x} in m:", [], [x]),
            (f"while {y} < rt.size({v}) and {y} < 5:", [], []),
        )[self.choices.below(7)]
        self.loop(header, y, (self.scalars, scalars), (self.rows, rows))
        if not self.choices.below(6):
            self.block("else:", most=1)

    def trying(self) -> None:
        self.block("try:")
        for _ in range(1 + self.choices.below(2)):
            self.block(f"except {self.pick(*_CLAUSES)}:", most=2)
        if not self.choices.below(3):
            self.block("else:", most=1)

    def program(self) -> str:
        self.line("s, t, n, u, found = v[0], 1.0 * w[-1], k + 1, w - 1.0, []")
        self.line("box, kept, pair = Box(v), {'a': v, 'n': s}, (v, w)")
        self.line("array = rt.TensorArray(rt.float64, 3, clear_after_read=False)")
        self.line("array = array.unstack(rt.zeros([3, 1], rt.float64))")
        while self.left > 0:
            self.statement()
        self.line("return v, w, u, m, s, t, n, found, box.x, box.n, kept, pair, array.stack()")
        return self.module("v, w, m, k", _PRELUDE)


def write(choices: Choices) -> str:
    """A program, whose function takes two vectors and a matrix of float64, and an integer."""
    return Writer(choices).program()
