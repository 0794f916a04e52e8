"""Random programs that assign to a matrix through views of views, for lists, arrays and tensors."""

import random
from itertools import chain

SHAPE = (3, 3, 3)


class Views:
    """Writes one program of `t`, `copied` and `filled`. With `tuples` it has indices that no list
    takes.
    """

    def __init__(self, seed: int, tuples: bool) -> None:
        self.random = random.Random(seed)
        self.tuples = tuples
        self.names: list[tuple[str, tuple[int, ...]]] = [("t", SHAPE)]
        self.roots = {"t": "t"}
        self.read: list[str] = []

    def program(self) -> str:
        lines = [self.statement() for _ in range(self.random.randint(4, 14))]
        kept = [name for name, _ in self.names if self.random.random() < 0.7]
        lines = ["out = []", *filter(None, lines), f"return out, {', '.join(kept or ['t'])},"]
        return "def program(t):\n" + "".join(f"    {line}\n" for line in lines)

    def statement(self) -> str:
        name, shape = self.random.choice(self.names)
        chance = self.random.random()
        if chance < 0.1:
            return self.root()
        if chance < 0.5:
            return self.view(name, shape) if len(shape) > 1 else ""
        if chance < 0.85:
            return f"{name}{self.element(shape)} = {self.random.randrange(100, 999)}"
        if chance < 0.93:
            return self.row(name, shape) if len(shape) > 1 else ""
        return f"out.append({name}{self.element(shape)})"

    def named(self, shape: tuple[int, ...], root: str | None) -> str:
        made = f"v{len(self.names)}"
        self.names.append((made, shape))
        self.roots[made] = root or made
        return made

    def root(self) -> str:
        shape = self.random.choice([SHAPE, SHAPE[1:], SHAPE[2:]])
        return f"{self.named(shape, None)} = filled({shape}, {self.random.randrange(3000, 4000)})"

    def at(self, size: int) -> int:
        return self.random.randrange(-size, size)

    def element(self, shape: tuple[int, ...]) -> str:
        return "".join(f"[{self.at(size)}]" for size in shape)

    def slice(self, size: int) -> tuple[str, tuple[int, ...]]:
        first = self.random.randrange(size)
        last = self.random.randint(first + 1, size)
        return f"{first}:{last}", (last - first,)

    def part(self, size: int) -> tuple[str, tuple[int, ...]]:
        return (str(self.at(size)), ()) if self.random.random() < 0.6 else self.slice(size)

    def view(self, name: str, shape: tuple[int, ...]) -> str:
        count = self.random.randint(2, len(shape)) if self.tuples and self.at(2) < 0 else 1
        parts = [self.part(size) for size in shape[:count]]
        left = (*chain.from_iterable(sizes for _, sizes in parts), *shape[count:])
        if not left:
            return ""
        made = self.named(left, self.roots[name])
        return f"{made} = {name}[{', '.join(text for text, _ in parts)}]"

    def row(self, name: str, shape: tuple[int, ...]) -> str:
        fitting = [other for other, sizes in self.names if sizes == shape[1:]]
        value = f"filled({shape[1:]}, {self.random.randrange(1000, 2000)})"
        if fitting and self.random.random() < 0.6:
            value = self.random.choice(fitting)
            # A row that is put into its own matrix is copied, as in an array.
            if self.roots[value] == self.roots[name] or self.random.random() < 0.5:
                value = f"copied({value})"
        return f"{name}[{self.at(shape[0])}] = {value}"
