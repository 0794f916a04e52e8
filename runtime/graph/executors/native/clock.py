"""Looks at the clock in machine code: the nanoseconds since the last one are added to a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from runtime.graph.executors.native import ir
from runtime.graph.executors.native.values import int64
from runtime.graph.ir import Node

if TYPE_CHECKING:
    from runtime.graph.executors.native.emitter import Emitter

TABLE = "clock"
"""The symbol of the table: the time of the last look; then for each row a sum, and a count."""


class Looks:
    """The rows of the looks in one module, each the nodes that it is for."""

    def __init__(self) -> None:
        self.rows: list[tuple[Node, ...]] = [()]
        self.table = np.zeros(1, np.int64)
        self._around: list[tuple[Node, ...]] = [()]

    @contextmanager
    def on(self, emitter: Emitter, nodes: Sequence[Node]) -> Iterator[None]:
        """Look before and behind what the block emits."""
        self._look(emitter, self._around[-1])
        self._around.append(tuple(nodes))
        yield
        self._look(emitter, self._around.pop())

    def _look(self, emitter: Emitter, nodes: tuple[Node, ...]) -> None:
        if emitter.builder.block.is_terminated:
            return
        if nodes not in self.rows:
            self.rows.append(nodes)
        table = emitter.symbols.load(emitter.builder, TABLE)
        row = int64(1 + 2 * self.rows.index(nodes))
        emitter.call("support.look", ir.VOID, table, row)

    def arrays(self) -> dict[str, Any]:
        """The table, as code reads it; for all rows, once all are known."""
        self.table = np.zeros(1 + 2 * len(self.rows), np.int64)
        return {TABLE: self.table}

    def read(self) -> Iterator[tuple[tuple[Node, ...], int, int]]:
        """The nanoseconds and the count of each row but that of the call."""
        for at, nodes in enumerate(self.rows):
            if nodes:
                spent, count = self.table[1 + 2 * at : 3 + 2 * at].tolist()
                yield nodes, spent, count
