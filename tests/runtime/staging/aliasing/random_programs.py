"""Random programs that assign to items of tensors by several names, for lists and for tensors."""

import random
from collections.abc import Sequence

PRELUDE = """\
class Box:
    def __init__(self, x):
        self.x = x

    def put(self, i, v):
        self.x[i] = v


def put(x, i, v):
    x[i] = v


def put_and_return(x, i, v):
    x[i] = v
    return x


def swap(x, i, j):
    x[i], x[j] = x[j], x[i]


def bump(x, k):
    for i in range(k):
        x[i] = (x[i] + 1) % 90


def maybe(x, t, v):
    if t:
        x[0] = v
    else:
        x[1] = v
    return x[1]


def down(x, k):
    if k > 0:
        x[0] = (x[0] + k) % 90
        down(x, k - 1)


"""

ARGUMENTS = (
    ([1, 2, 3], [4, 5, 6], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2, True),
    ([3, 1, 2], [9, 8, 7], [[9, 8, 7], [6, 5, 4], [3, 2, 1]], 3, False),
    ([0, 0, 1], [1, 1, 0], [[0, 1, 0], [2, 0, 2], [1, 1, 1]], 0, True),
)


class Writer:
    """Writes one program: `vectors` and `matrices` are the names in scope, `numbers` those of
    indices, which are in bounds.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.vectors = ["a", "b"]
        self.matrices = ["m"]
        self.indices = ["0", "1", "2", "-1"]
        self.count = 0

    def program(self) -> str:
        lines = self.block(self.random.randint(3, 6), 0)
        names = [*self.vectors, *self.matrices]
        kept = [n for n in names if n in ("a", "b", "m") or self.random.random() < 0.7]
        lines.append(f"return s, {', '.join(kept)}")
        body = "".join(f"    {line}\n" for line in ["s = 0", *lines])
        return f"{PRELUDE}def program(a, b, m, n, t):\n{body}"

    def pick(self, items: Sequence[str]) -> str:
        return self.random.choice(items)

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def vector(self) -> str:
        if self.random.random() < 0.3:
            return f"{self.pick(self.matrices)}[{self.pick(self.indices)}]"
        return self.pick(self.vectors)

    def value(self) -> str:
        return self.pick(
            [
                "7",
                "s",
                "n",
                f"{self.vector()}[{self.pick(self.indices)}]",
                f"({self.vector()}[{self.pick(self.indices)}] + 1) % 90",
            ]
        )

    def test(self) -> str:
        return self.pick(
            [
                "t",
                "n > 1",
                f"{self.vector()}[{self.pick(self.indices)}] > 3",
                f"{self.vector()}[0] < {self.vector()}[1]",
            ]
        )

    def block(self, size: int, depth: int) -> list[str]:
        return [line for _ in range(size) for line in self.statement(depth)]

    def inner(self, depth: int) -> list[str]:
        # Names that a block binds may be unbound behind it.
        known = list(self.vectors), list(self.matrices), list(self.indices)
        lines = self.block(self.random.randint(1, 3), depth + 1)
        self.vectors, self.matrices, self.indices = known
        return ["    " + line for line in lines]

    def statement(self, depth: int) -> list[str]:
        x, i, j, v = self.vector(), self.pick(self.indices), self.pick(self.indices), self.value()
        plain = [
            [f"{x}[{i}] = {v}"],
            [f"{x}[{i}] = {v}"],
            [f"{x}[{i}], {x}[{j}] = {x}[{j}], {x}[{i}]"],
            [f"{x}[{i}] += 1"],
            [f"put({x}, {i}, {v})"],
            [f"swap({x}, {i}, {j})"],
            [f"bump({x}, n)"],
            [f"down({x}, n)"],
            [f"s = maybe({x}, {self.test()}, {v})"],
            [f"s = (s + {v}) % 90"],
            [f"Box({x}).put({i}, {v})"],
            [f"[{x}, 0][0][{i}] = {v}"],
            [f"swap({self.pick(self.matrices)}, {i}, {j})"],
        ]
        if depth <= 2 and self.random.random() < 0.4:
            return self.compound(depth)
        return self.binding() if self.random.random() < 0.2 else self.random.choice(plain)

    def binding(self) -> list[str]:
        source, kind = self.vector(), self.random.randrange(7)
        name = self.pick(self.vectors) if self.random.random() < 0.4 else self.name("v")
        if kind == 0:
            line = f"{name} = {source} if t else {self.vector()}"
        elif kind == 1:
            line = f"{name} = put_and_return({source}, 0, {self.value()})"
        elif kind == 2:
            line = f"{name} = {source}[:]"
        elif kind == 3 and len(self.vectors) > 1:
            first, second = self.random.sample(self.vectors, 2)
            return [f"{first}, {second} = {second}, {first}"]
        elif kind == 4:
            name = self.name("w")
            self.matrices.append(name)
            return [f"{name} = {self.pick(self.matrices[:-1])}"]
        else:
            line = f"{name} = {source}"
        if name not in self.vectors:
            self.vectors.append(name)
        return [line]

    def compound(self, depth: int) -> list[str]:
        kind = self.random.randrange(6)
        if kind == 0:
            return [f"if {self.test()}:", *self.inner(depth)]
        if kind == 1:
            return [f"if {self.test()}:", *self.inner(depth), "else:", *self.inner(depth)]
        if kind == 2:
            index = self.name("i")
            self.indices.append(index)
            made = [f"for {index} in range(n):", *self.inner(depth)]
            self.indices.remove(index)
            return made
        if kind == 3:
            count = self.name("k")
            inner = self.inner(depth)
            return [f"{count} = 0", f"while {count} < n:", *inner, f"    {count} += 1"]
        if kind == 4:
            row = self.name("r")
            self.vectors.append(row)
            made = [f"for {row} in {self.pick(self.matrices)}:", *self.inner(depth)]
            self.vectors.remove(row)
            return made
        function = self.name("f")  # binds no names of the function around it
        made = [f"def {function}():", *self.inner(depth)]
        return [*made, f"{function}()", f"if {self.test()}:", f"    {function}()"]
