"""Python's ints to which a round of a loop adds little: whether they are small is asked before the
loop, and where signals are handled, instead of where they are added to.

    while n != 1:
        n = ...
        total += 1     # as many as rounds, until it is asked again
"""

from __future__ import annotations

from runtime.graph.executors.lowered import (
    Apply,
    Assign,
    Block,
    Constant,
    Expression,
    If,
    Local,
    Loop,
)
from runtime.graph.ir import Node
from runtime.graph.nodes import INT

SMALL = 1 << 62
"""The size of an int that is small."""

ROUNDS = 3 << 12
"""Rounds of a loop until others may run Python, and signals be handled."""

MOST_ADDED = 1 << 40
"""The most that a round may add: `ROUNDS` of them keep a small int within 64 bits."""


class Increments:
    """The `ints` among the state of a loop whose size a round makes larger by at most `MOST_ADDED`,
    and the `additions` that cannot overflow if these are small at first, and behind each `ROUNDS`.
    Loops inside add as much as they do in so many rounds; `small` are ints of theirs that are.
    """

    def __init__(self, loop: Loop, known: dict[Loop, Increments]) -> None:
        self._known = known
        (body,) = loop.blocks
        state = list(zip(loop.targets[1:], body.results[1:], strict=True))
        self.ints = {local: 0 for local, _ in state if local.type == INT}
        while True:
            self.additions: set[Node] = set()
            self.small: set[Local] = set()
            self._added: dict[Expression, int] = dict.fromkeys(self.ints, 0)
            self._block(body)
            kept = {local: self._of(made) for local, made in state if local in self.ints}
            rounds = {local: added for local, added in kept.items() if added >= 0}
            is_all = len(rounds) == len(self.ints)
            self.ints = rounds
            if is_all:
                break

    def _block(self, block: Block) -> None:
        for statement in block.statements:
            if isinstance(statement, Assign):
                (target,), (value,) = statement.targets, statement.inputs
                self._note(target, self._of(value))
            elif isinstance(statement, If):
                self._if(statement)
            elif isinstance(statement, Loop):
                self._loop(statement)

    def _loop(self, statement: Loop) -> None:
        inner = increments_of(statement, self._known).ints
        for target, given in zip(statement.targets, statement.inputs, strict=True):
            before = self._of(given)
            if target not in inner or before < 0:
                continue
            added = before + ROUNDS * inner[target]
            if added <= MOST_ADDED:
                self.small.add(target)
                self._note(target, added)

    def _if(self, statement: If) -> None:
        for block in statement.blocks:
            self._block(block)
        ways = [block.results for block in statement.blocks if not block.diverges]
        for target, *results in zip(statement.targets, *ways, strict=True):
            added = list(map(self._of, results))
            self._note(target, max(added) if added and min(added) >= 0 else -1)

    def _note(self, target: Local, added: int) -> None:
        if added >= 0 and target.type == INT:
            self._added[target] = added

    def _of(self, expression: Expression) -> int:
        """The most that is added to the size of one of the ints; -1 where that is not known."""
        if isinstance(expression, Local):
            return self._added.get(expression, -1)
        if not isinstance(expression, Apply) or len(expression.operands) != 2:
            return -1
        node = expression.node
        types = [value.type for value in (*node.inputs, *node.outputs)]
        if node.primitive.instruction not in ("add", "subtract") or set(types) != {INT}:
            return -1
        first, second = expression.operands
        if isinstance(first, Constant):
            first, second = second, first
        if not isinstance(second, Constant):
            return -1
        before = self._of(first)
        added = before + abs(second.item)
        if before < 0 or added > MOST_ADDED:
            return -1
        self.additions.add(node)
        return int(added)


def increments_of(loop: Loop, known: dict[Loop, Increments]) -> Increments:
    """Those of a loop, which are kept among those that are known."""
    if loop not in known:
        known[loop] = Increments(loop, known)
    return known[loop]
