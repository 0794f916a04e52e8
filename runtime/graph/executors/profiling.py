"""The time that one call of a graph takes, by the user's lines and ops.

The Python program of a graph is run with a look at the clock behind each of its lines, machine code
with one before and behind each loop over arrays, each op on arrays and each outermost loop of the
user's. What it costs to go there and back is in the figures, about 0.1 us a look in Python.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter_ns
from typing import Any, NamedTuple

from runtime.core.executor import COMPILED, chosen
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph, Location, Node

Key = tuple[Location | None, str]
Results = tuple[Any, ...]

CALL = "(call)"
"""The row of the rest: entering and leaving, numbers that are computed where they are returned, and
in machine code those outside of loops.
"""


class Row(NamedTuple):
    """The `seconds` that an op of a line took, in so many `looks`. Of ops that are one loop in
    machine code `op` has all, and `location` is that of the first.
    """

    seconds: float
    looks: int
    location: Location | None
    op: str


class Profile:
    """One call of a graph: its `seconds`, and the `rows` that they are made of, the largest first.

    >>> @rt.function(executor="numpy")
    ... def squares(x):
    ...     return rt.reduce_sum(x * x)
    >>> profile = squares.profile(rt.ones([9]))
    >>> profile.executor, sorted(row.op for row in profile.rows)
    ('numpy', ['(call)', 'Mul', 'Sum'])
    """

    def __init__(self, name: str, executor: str, seconds: float, rows: Iterable[Row]) -> None:
        self.name = name
        self.executor = executor
        self.seconds = seconds
        self.rows = tuple(sorted(rows, key=lambda row: -row.seconds))

    def __str__(self) -> str:
        lines = [f"{self.name}: {_milliseconds(self.seconds)} on the {self.executor} executor"]
        for row in self.rows:
            share = row.seconds / self.seconds if self.seconds else 0.0
            place, text = "", ""
            if row.location is not None:
                place = f"{row.location[0]}:{row.location[1]}"
                text = linecache.getline(*row.location[:2]).strip()
            figures = f"{share:6.1%} {_milliseconds(row.seconds):>12} {row.looks:>9} x"
            lines.append(f"{figures}  {row.op}  {place}  {text}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Profile of {self.name}: {len(self.rows)} rows>"


class Clock:
    """Takes down the nanoseconds since the last look, for the nodes that took them; `others` give
    what they have taken down.
    """

    def __init__(self) -> None:
        self.spent: dict[Key, list[int]] = {}
        self.others: list[Callable[[], Iterable[tuple[Sequence[Node], int, int]]]] = []
        self.last = self.own = 0

    def add(self, nodes: Sequence[Node], nanoseconds: int, count: int = 1) -> None:
        """Add to the row of these nodes; without nodes, to that of the call itself."""
        location = next((node.location for node in nodes if node.location is not None), None)
        ops = dict.fromkeys(node.primitive.op_type for node in nodes)
        op = CALL if location is None else " + ".join(ops)
        row = self.spent.setdefault((location, op), [0, 0])
        row[0] += nanoseconds
        row[1] += count

    def look(self, nodes: Sequence[Node]) -> None:
        """Add what has passed since the last look, but for what looking itself takes."""
        now = perf_counter_ns()
        self.add(nodes, now - self.last)
        self.last = perf_counter_ns()
        self.own += self.last - now

    def profile(
        self, name: str, executor: str, run: Callable[[], Results]
    ) -> tuple[Results, Profile]:
        """Run a call that looks at this clock; gives what it gives, and its profile."""
        start = self.last = perf_counter_ns()
        results = run()
        passed = perf_counter_ns() - start - self.own
        for read in self.others:
            for nodes, spent, count in read():
                self.add(nodes, spent, count)
        self.add([], passed - sum(row[0] for row in self.spent.values()))
        rows = [Row(spent / 1e9, count, *key) for key, (spent, count) in self.spent.items()]
        return results, Profile(name, executor, passed / 1e9, [row for row in rows if row.looks])


def profiled(
    graph: Graph, program: Program, executor: str | None, raws: Sequence[Any]
) -> tuple[Results, Profile]:
    """Run a call of a graph on these arguments: its results, and what took its time."""
    clock = Clock()
    name = "native" if (executor or chosen()) in ("native", COMPILED) else "numpy"
    if name == "native":
        from runtime.graph.executors.native.executor import timed

        run = timed(graph, program, clock)
    else:
        run = program.timed(clock.look)
    return clock.profile(graph.name, name, lambda: run(*raws))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.3f} ms"
