"""The facts about truth values where a walk through a graph stands: constants, the tests of the
branches around, and flags that say which branch was taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from runtime.core.forms import Logic
from runtime.graph.ir import Node, Value, is_test
from runtime.graph.passes.rewriting import Rewriter

Fact = tuple[Value, bool]
MOST_FACTS = 64
"""The number of facts that are drawn from one test, the nearest first: where each of many flags
follows from the one before, all of them would be a square of their number."""


class Facts(Rewriter):
    """A rewriter that learns facts: `known` holds at this place, `equal` gives the test that a flag
    repeats or negates, `implied` what follows from a flag.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[Value, bool] = {}
        self.equal: dict[Value, Fact] = {}
        self.implied: dict[Fact, tuple[Fact, ...]] = {}

    def assume(self, value: Value, truth: bool) -> dict[Value, bool]:
        """Learn that a test has this result; what was known before, to go back to."""
        before, self.known = self.known, dict(self.known)
        self.learn(value, truth)
        return before

    def source(self, value: Value) -> Fact:
        """The test that decides a truth value, and whether they are the same or opposites."""
        same = True
        while True:
            maker = self.makers.get(value)
            if value in self.equal:
                value, is_same = self.equal[value]
                same = same is is_same
            elif maker is not None and is_of_truth(maker):
                same = same is not is_negation(maker)
                value = maker.inputs[0]
            else:
                return value, same

    def truth(self, value: Value) -> bool | None:
        """Returns the known outcome of a test here, or None."""
        source, same = self.source(value)
        found = self.constant(source)
        found = self.known.get(source) if found is None else bool(found)
        return None if found is None else found is same

    def learn(self, value: Value, truth: bool) -> None:
        """From here on, a test has this result."""
        pending = deque([(value, truth)])
        for _ in range(MOST_FACTS):
            if not pending:
                break
            value, truth = pending.popleft()
            source, same = self.source(value)
            fact = source, truth is same
            if source not in self.known:
                self.known[source] = fact[1]
                pending += self.implied.get(fact, ())
                pending += self.parts(*fact)

    def parts(self, value: Value, truth: bool) -> Iterator[Fact]:
        """Yields what follows for the operands of `and` and `or`."""
        maker = self.makers.get(value)
        if maker is not None and maker.primitive.logic is (Logic.AND if truth else Logic.OR):
            for operand in maker.inputs:
                yield operand, truth


def is_negation(node: Node) -> bool:
    """True for a `not`."""
    return node.primitive.logic is Logic.NOT


def is_of_truth(node: Node) -> bool:
    """True if the result is the truth value that it reads, perhaps of another type,
    or its opposite.
    """
    if node.primitive.logic not in (Logic.NOT, Logic.SAME):
        return False
    return is_test(node.inputs[0].type) and is_test(node.outputs[0].type)
