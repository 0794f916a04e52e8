"""Random programs over arrays and scalars, with branches, loops, calls, prints and ops that fail.

They are put together from choices, so that hypothesis can shrink one whose graph a pass breaks.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import runtime as rt
from runtime.graph.ir import Graph
from tests.support import programs

# What is read, by kind (v: float32[3], x: float32[], i: int32[], b: bool[]), and what is made.
OPS: tuple[tuple[str, str, str], ...] = (
    ("vv", "v", "{} + {}"),
    ("vv", "v", "{} * {}"),
    ("vx", "v", "{} * {}"),
    ("vv", "v", "{} / {}"),
    ("v", "v", "-{}"),
    ("v", "v", "rt.sqrt({})"),
    ("v", "v", "{} * 1.0"),
    ("v", "v", "{} + 0.0"),
    ("v", "v", "{} - 0.0"),
    ("bvv", "v", "rt.where({}, {}, {})"),
    ("v", "x", "rt.reduce_sum({})"),
    ("vi", "x", "rt.gather({}, {})"),
    ("xx", "x", "{} + {}"),
    ("xx", "x", "{} - {}"),
    ("x", "x", "{} / 1.0"),
    ("i", "x", "rt.cast({}, rt.float32)"),
    ("", "x", "rt.constant(-0.0)"),
    ("", "v", "rt.constant([1.0, float('nan'), -0.0])"),
    ("ii", "i", "{} + {}"),
    ("ii", "i", "{} * {}"),
    ("ii", "i", "{} // {}"),
    ("i", "i", "{} * 1"),
    ("i", "i", "{} + 0"),
    ("", "i", "rt.constant(2)"),
    ("ii", "b", "{} < {}"),
    ("xx", "b", "{} == {}"),
    ("b", "b", "not {}"),
    ("bb", "b", "{} and {}"),
    ("bb", "b", "rt.logical_or({}, {})"),
    ("", "b", "rt.constant(True)"),
    ("", "b", "rt.constant(False)"),
    ("i", "", "print('i', {})"),
    ("v", "", "rt.print('v', {})"),
    ("b", "", "assert {}"),
)
KINDS = "vxib"
HEADER = "def {}(v, x, i, b):"
DEEPEST = 3

SPECS = (
    rt.TensorSpec([3], rt.float32, name="v"),
    rt.TensorSpec([], rt.float32, name="x"),
    rt.TensorSpec([], rt.int32, name="i"),
    rt.TensorSpec([], rt.bool, name="b"),
)
ARGUMENTS: tuple[tuple[Any, ...], ...] = tuple(
    (np.array(v, np.float32), np.float32(x), np.int32(i), np.bool_(b))
    for v, x, i, b in (
        ([1.5, -0.0, 3.0], 0.5, 1, True),
        ([np.inf, np.nan, -2.0], -0.0, 0, False),
        ([0.0, 1e-45, 7.0], np.nan, 5, True),
    )
)


def write(choices: programs.Choices, size: int) -> str:
    """The text of a program: a module with a function `program`."""
    writer = _Writer(choices)
    writer.function("program", size)
    return "import runtime as rt\n\n\n" + "\n\n".join(writer.functions)


@contextmanager
def traced(text: str, specs: Sequence[rt.TensorSpec] = SPECS) -> Iterator[Graph]:
    """The graph of a program; its source can be looked up meanwhile."""
    with programs.loaded(text) as code:
        yield rt.function(code.fresh()["program"]).get_concrete_function(*specs).graph


class _Writer:
    """Writes functions; `names` are those that can be read, by kind, the newest last."""

    def __init__(self, choices: programs.Choices) -> None:
        self.choices = choices
        self.functions: list[str] = []
        self.names: dict[str, list[str]] = {}
        self.count = 0
        self.depth = 0
        self.in_loop = False

    def pick(self, kind: str) -> str:
        """A name of a kind; the newest are simplest."""
        names = self.names[kind]
        return names[-1 - self.choices.below(4) % len(names)]

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def function(self, name: str, size: int) -> None:
        before = self.names, self.depth, self.in_loop
        self.names = {kind: [kind] for kind in KINDS}
        self.depth, self.in_loop = 0, False
        lines = [HEADER.format(name), *self.block(size)]
        lines.append(f"    return {', '.join(self.pick(kind) for kind in KINDS)}")
        self.names, self.depth, self.in_loop = before
        self.functions.append("\n".join(lines) + "\n")

    def block(self, size: int, outputs: tuple[str, ...] = ()) -> list[str]:
        """Indented lines, which assign these names, whose kinds are their first letters."""
        known, self.names = self.names, {kind: [*names] for kind, names in self.names.items()}
        self.depth += 1
        lines = [line for _ in range(self.choices.below(size) + 1) for line in self.statement()]
        lines += [f"{name} = {self.pick(name[0])}" for name in outputs]
        self.depth -= 1
        if outputs or self.depth:
            self.names = known
        return textwrap.indent("\n".join(lines), "    ").split("\n")

    def statement(self) -> list[str]:
        """The lines of one statement."""
        kind = self.choices.below(20)
        if self.depth <= DEEPEST and kind >= 14:
            return (self.if_, self.if_, self.while_, self.while_, self.call, self.leave)[
                kind - 14
            ]()
        reads, makes, form = OPS[self.choices.below(len(OPS))]
        text = form.format(*map(self.pick, reads))
        if not makes:
            return [text]
        name = self.fresh(makes)
        self.names[makes].append(name)
        return [f"{name} = {text}"]

    def outputs(self) -> tuple[str, ...]:
        return tuple([self.fresh(kind) for kind in KINDS if self.choices.below(2)])

    def made(self, outputs: tuple[str, ...]) -> None:
        for name in outputs:
            self.names[name[0]].append(name)

    def if_(self) -> list[str]:
        outputs = self.outputs()
        test = self.pick("b")
        body, orelse = self.block(3, outputs), self.block(3, outputs)
        self.made(outputs)
        return [f"if {test}:", *body, "else:", *orelse]

    def while_(self) -> list[str]:
        outputs = self.outputs()
        count, limit = self.fresh("n"), self.choices.below(4)
        start = ("0", "rt.constant(0)")[self.choices.below(2)]
        lines = [f"{name} = {self.pick(name[0])}" for name in outputs]
        self.made(outputs)
        test = self.pick("b")
        around, self.in_loop = self.in_loop, True
        body = self.block(4, outputs)
        self.in_loop = around
        extra = f" and {test}" if self.choices.below(2) else ""
        step = f"    {count} = {count} + 1"
        return [*lines, f"{count} = {start}", f"while {count} < {limit}{extra}:", step, *body]

    def call(self) -> list[str]:
        name = self.fresh("f")
        self.function(f"{name}", 4)
        self.functions[-1] = f"@rt.function\n{self.functions[-1]}"
        given = ", ".join(map(self.pick, KINDS))
        outputs = tuple(map(self.fresh, KINDS))
        self.made(outputs)
        return [f"{', '.join(outputs)} = {name}({given})"]

    def leave(self, depth: int = 2) -> list[str]:
        """An `if` of which each arm leaves in its own way, or goes on."""
        keywords = ["if", *["elif"] * self.choices.below(3)]
        arms = [(f"{keyword} {self.pick('b')}:", self.way_out(depth)) for keyword in keywords]
        if self.choices.below(2):
            arms.append(("else:", self.way_out(depth)))
        return [line for header, way in arms for line in (header, *[f"    {part}" for part in way])]

    def way_out(self, depth: int) -> list[str]:
        ways = [[f"raise ValueError('{self.fresh('wrong')}')"], ["pass"]]
        ways += [[f"assert {self.pick('b')}, '{self.fresh('failed')}'"]]
        ways += [["break"], ["continue"]] if self.in_loop else []
        ways += [self.leave(depth - 1)] * 2 if depth and self.choices.below(2) else []
        ways += [[f"return {', '.join(self.pick(kind) for kind in KINDS)}"]]
        return ways[self.choices.below(len(ways))]
