"""Take branches whose test is known, join those of one test, and name what both branches leave as
it was.

Before:
    done: py.bool, y: float32[] = cond less:
      add: float32[] = add(x, x)
      yield True, add
    else:
      yield False, x
    not: py.bool = py.not(done)
    z: float32[] = cond not:
      neg: float32[] = neg(y)
      yield neg
    else:
      yield y
After:
    z: float32[] = cond less:
      add: float32[] = add(x, x)
      yield add
    else:
      neg: float32[] = neg(x)
      yield neg

A test is known where it is a constant, in the branches of a cond with the same test, behind a cond
of which one branch ends in a `raise`, and behind a check that passed. `not` and flags that say
which branch was taken are followed to the test that they come from. A flag that stops a loop is
known in its body: there it is what it was before the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from runtime.graph.ir import Graph, Node, Region, Value, diverges, is_test, reads
from runtime.graph.nodes import (
    BOOL,
    CHECK_ATTRIBUTE,
    CHECK_DEFINED,
    CHECK_PRESENT,
    COND,
    CONSTANT,
    WHILE,
)
from runtime.graph.passes.facts import Facts, is_negation, is_of_truth
from runtime.graph.passes.rewriting import (
    constant_like,
    is_constant,
    may_move,
    number_key,
    substituted,
    with_regions,
    yielding,
)

NEAR = 8
"""Nodes that may stand between two branches that are joined."""
_NOTHING = Region((), (), ())


def simplify_branches(graph: Graph) -> Graph:
    """The graph without branches whose course is known."""
    again = True
    while again:
        branches = _Branches()
        graph = branches.graph(graph)
        again = branches.again
    return graph


class _Branches(Facts):
    """`again` is set where more is known of nodes than it was when they were written."""

    again = False

    def node(self, node: Node) -> None:
        if node.primitive is COND:
            self.cond(node)
        elif node.primitive is WHILE:
            self.loop(node)
        elif node.primitive in (CHECK_DEFINED, CHECK_PRESENT, CHECK_ATTRIBUTE):
            self.check(node)
        elif is_of_truth(node):
            self.truth_of(node)
        else:
            super().node(node)

    def truth_of(self, node: Node) -> None:
        """Add a truth value that comes from another one, or the constant that it is known to be."""
        found = self.truth(node.inputs[0])
        if found is None:
            self.add(node)
        else:
            item = found is not is_negation(node)
            self.add(constant_like(node, _item(node.outputs[0], item)))

    def check(self, node: Node) -> None:
        """Add a check of a flag, unless it is known to pass."""
        (flag,) = node.inputs
        if self.truth(flag) is not True:
            self.add(node)
            self.learn(flag, True)

    def loop(self, node: Node) -> None:
        """Add a loop, unless it is known not to run."""
        test, *state = node.inputs
        if self.truth(test) is False:
            self.replace(node, *state)
            return
        before = self.assume(test, True)
        node = self.inside(node)
        made = _settled(node, self.flags(node))
        self.known = before
        self.again |= made is not node
        self.add(made)

    def flags(self, node: Node) -> dict[Value, bool]:
        """The parameters of a body that are what they were before the loop in each round, because
        the test before it was true.
        """
        (body,) = node.regions
        self.learn(body.results[0], True)
        found = {}
        for at, parameter in enumerate(body.parameters):
            initial = self.constant(node.inputs[at + 1]) if is_test(parameter.type) else None
            if initial is not None and self.truth(body.results[at + 1]) is bool(initial):
                found[parameter] = bool(initial)
        return found

    def cond(self, node: Node) -> None:
        """Add what stands for a cond."""
        test = self.truth(node.inputs[0])
        taken = None if test is None else node.regions[0 if test else 1]
        # What a raise leaves behind is not reached: the branch stays to hold it.
        if taken is None or diverges(taken):
            self.branches(node)
            return
        for inner in taken.nodes:
            self.node(self.renamed(inner))
        self.replace(node, *self.values(taken.results))

    def branches(self, node: Node) -> None:
        """Add a cond whose course is not known."""
        test, same = self.source(node.inputs[0])
        if test is not node.inputs[0]:
            node = replace(node, inputs=(test,))
        body, orelse = node.regions if same else node.regions[::-1]
        node = with_regions(node, (self.arm(body, test, True), self.arm(orelse, test, False)))
        ends = [diverges(arm) for arm in node.regions]
        if any(ends):
            self.left(node, ends)
            return
        earlier, behind = self.taken_back(node)
        if earlier is None:
            self.joined(node)
        else:
            self.joined(_one_after(earlier, node), len(earlier.outputs))
            self.again = True
        for inner in behind:
            self.add(inner)

    def arm(self, region: Region, test: Value, truth: bool) -> Region:
        """One branch, with constants for results that are known in it."""
        constants = {}
        before = self.assume(test, truth)
        made = self.region(region)
        for value in made.results:
            found = self.truth(value) if is_test(value.type) else None
            if found is not None and self.constant(value) is None:
                constants[value] = _constant(value, found)
        self.known = before
        self.makers.update((node.outputs[0], node) for node in constants.values())
        results = [constants[v].outputs[0] if v in constants else v for v in made.results]
        nodes = *made.nodes, *constants.values()
        return Region((), nodes, tuple(results)) if constants else made

    def left(self, node: Node, ends: Sequence[bool]) -> None:
        """Add a cond that raises in one branch, and behind it the other branch; or in both."""
        if all(ends) or (not node.outputs and any(not arm.nodes for arm in node.regions)):
            self.add(node)
        else:
            rest = node.regions[ends.index(False)]
            arms = [arm if end else _NOTHING for arm, end in zip(node.regions, ends, strict=True)]
            self.add(replace(node, regions=tuple(arms), outputs=()))
            for inner in rest.nodes:
                self.add(inner)
            self.replace(node, *rest.results)
        self.learn(node.inputs[0], ends[1])

    def taken_back(self, node: Node) -> tuple[Node | None, Sequence[Node]]:
        """The cond with the same test that was just added, which is taken away again, and what
        reads its outputs.
        """
        for at in range(len(self.nodes) - 1, max(len(self.nodes) - NEAR, 0) - 1, -1):
            earlier, later = self.nodes[at], self.nodes[at + 1 :]
            if earlier.primitive is COND and earlier.inputs == node.inputs:
                behind = _behind(earlier, later)
                made = {value for other in behind for value in other.outputs}
                if any(map(diverges, earlier.regions)) or not made.isdisjoint(reads(node)):
                    break
                self.nodes[at:] = [other for other in later if other not in behind]
                return earlier, behind
            if not may_move(earlier):
                break
        return None, ()

    def joined(self, node: Node, first: int = 0) -> None:
        """Add a cond, of whose results from the first one on only those stay that nothing else
        stands for.
        """
        body, orelse = node.regions
        kept = [*range(first)]
        known: dict[tuple[Value, Value], Value] = {}
        for at, output in enumerate(node.outputs[first:], first):
            pair = body.results[at], orelse.results[at]
            found = known.get(pair) or self.stand_in(output, node.inputs[0], *pair)
            if found is None:
                kept.append(at)
                known[pair] = output
            else:
                self.same[output] = found
        if kept or not all(map(is_constant, (*body.nodes, *orelse.nodes))):
            self.add(yielding(node, kept))

    def stand_in(self, output: Value, test: Value, one: Value, other: Value) -> Value | None:
        """Returns what a result of a cond is, whichever branch is taken."""
        if one is other:
            return one
        item, alternative = self.constant(one), self.constant(other)
        number = number_key(item)
        if one.type == other.type and number is not None and number == number_key(alternative):
            self.add(replace(self.makers[one], outputs=(Value(one.type, output.name),)))
            return self.nodes[-1].outputs[0]
        if not is_test(output.type):
            return None
        if item is not None and alternative is not None:
            if bool(item) is bool(alternative):
                self.add(_constant(output, bool(item)))
                return self.nodes[-1].outputs[0]
            self.equal[output] = test, bool(item)
            return test if item and output.type == test.type else None
        if item is not None:
            self.implied[output, not item] = (test, False), (other, not item)
        elif alternative is not None:
            self.implied[output, not alternative] = (test, True), (one, not alternative)
        return None


def _constant(value: Value, truth: bool) -> Node:
    """A constant that may stand for a truth value."""
    return Node(CONSTANT, (), (Value(value.type, value.name),), {"value": _item(value, truth)})


def _item(value: Value, truth: bool) -> bool | np.bool_:
    return truth if value.type == BOOL else np.bool_(truth)


def _settled(node: Node, flags: dict[Value, bool]) -> Node:
    """The loop, in whose body these are constants."""
    if not flags:
        return node
    (body,) = node.regions
    constants = {value: _constant(value, truth) for value, truth in flags.items()}
    made = substituted(body, {value: node.outputs[0] for value, node in constants.items()})
    if made is body:
        return node
    return with_regions(node, (replace(made, nodes=(*constants.values(), *made.nodes)),))


def _behind(earlier: Node, others: Iterable[Node]) -> list[Node]:
    """Those that depend on the outputs of a node."""
    late = set(earlier.outputs)
    found = []
    for node in others:
        if not late.isdisjoint(reads(node)):
            late.update(node.outputs)
            found.append(node)
    return found


def _one_after(first: Node, second: Node) -> Node:
    """A cond that does what two with the same test do."""
    regions = []
    for before, after in zip(first.regions, second.regions, strict=True):
        after = substituted(after, dict(zip(first.outputs, before.results, strict=True)))
        results = (*before.results, *after.results)
        regions.append(Region((), (*before.nodes, *after.nodes), results))
    return replace(first, outputs=(*first.outputs, *second.outputs), regions=tuple(regions))
