"""Random programs that assign to vectors whose names branches and loops exchange."""

import random

NAMES = "abcde"


class Exchanges:
    """Writes one program over vectors of three whole numbers, a number `n`, and `copied`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0

    def program(self) -> str:
        for _ in range(self.random.randint(3, 8)):
            self.statement(1)
        body = ["    d, e = a, copied(b)", *self.lines, "    return a, b, c, d, e"]
        return "\n".join(["def program(a, b, c, n):", *body, ""])

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int) -> None:
        v, w, x = self.random.sample(NAMES, 3)
        chance = self.random.random()
        place = "i" if self.loops and chance < 0.1 else self.random.randrange(3)
        if chance < 0.3:
            item = f"{w}[{self.random.randrange(3)}]"
            self.line(depth, f"{v}[{place}] = {item} + {self.random.randrange(9)}")
        elif chance < 0.5:
            self.line(depth, f"{v}, {w} = {w}, {v}")
        elif chance < 0.54:
            self.line(depth, f"{v}, {w}, {x} = {w}, {x}, {v}")
        elif chance < 0.58:
            self.line(depth, f"{v}, {w} = {w}, {x}")
        elif chance < 0.7:
            self.line(depth, f"{v} = {w}" if chance < 0.63 else f"{v} = copied({w})")
        elif depth > 3:
            self.line(depth, f"{v}[1] += 1")
        elif chance < 0.85:
            self.loops += 1
            self.block(depth, f"for i in range({self.random.choice(['n', '2', 'n'])}):")
            self.loops -= 1
        else:
            self.block(depth, f"if {v}[{self.random.randrange(3)}] > {self.random.randrange(12)}:")
            if self.random.random() < 0.5:
                self.block(depth, "else:")

    def block(self, depth: int, header: str) -> None:
        self.line(depth, header)
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)
