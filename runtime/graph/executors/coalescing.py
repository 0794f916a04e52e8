"""Copy coalescing: locals share a name if control flow would only move them from one name to
another.

    if test:                        if test:
        add = total + 1                 total = total + 1
        total_1 = add               ...
    else:
        total_1 = total
    ...

Locals may share a name unless one is assigned while the other will still be read. Blocks are walked
backwards with the locals that are read behind each place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Expression, Function, Local, Statement, leaves

Move = tuple[Local, Local]
"""The local that control flow assigns to, and the one that it assigns."""

Roots = Mapping[Local, Local]


def coalesce(function: Function) -> Roots:
    """Returns the local whose name each one has that is moved. Branches without anything left to do
    are dropped.
    """
    moves = _moves(function)
    roots = _Coalescing(function, moves).roots if moves else {}
    _prune(function.body, roots)
    return roots


def _prune(block: Block, roots: Roots) -> None:
    for statement in block.statements:
        for inner in statement.blocks:
            _prune(inner, roots)
    block.statements = [each for each in block.statements if not _is_empty(each, roots)]


def _is_empty(statement: Statement, roots: Roots) -> bool:
    return isinstance(statement, lowered.If) and not any(
        block.statements or block.before or moves_left(statement.targets, block.results, roots)
        for block in statement.blocks
    )


def moves_left(
    targets: Sequence[Local], sources: Sequence[Expression], roots: Roots
) -> list[tuple[Local, Expression]]:
    """Returns the assignments to locals that do not share a name with what they get."""
    pairs = zip(targets, sources, strict=False)
    return [(to, source) for to, source in pairs if roots.get(to, to) is not _root(source, roots)]


def _root(source: Expression, roots: Roots) -> Expression:
    return roots.get(source, source) if isinstance(source, Local) else source


def _moves(function: Function) -> list[Move]:
    # What is global must not be assigned to.
    fixed = {local for local, _ in function.captured}
    moves: list[Move] = []
    entries: list[Move] = []
    for block in lowered.blocks_of(function.body):
        for statement in block.statements:
            targets = statement.targets
            if isinstance(statement, lowered.Loop):
                moves += _pairs(targets, statement.blocks[0].results)
                entries += _pairs(targets, statement.inputs)
            elif isinstance(statement, lowered.If):
                for inner in statement.blocks:
                    moves += _pairs(targets, inner.results)
            elif isinstance(statement, lowered.Assign) and _is_conversion(statement.inputs[0]):
                entries += _pairs(targets, statement.inputs[0].operands)  # type: ignore[union-attr]
    # What each iteration moves comes before what the first one does.
    return [move for move in moves + entries if fixed.isdisjoint(move)]


def _pairs(targets: Sequence[Local], sources: Sequence[Expression]) -> list[Move]:
    pairs = zip(targets, sources, strict=False)
    return [(target, source) for target, source in pairs if isinstance(source, Local)]


def _is_conversion(expression: Expression) -> bool:
    kinds = (lowered.Conversion.UNBOX, lowered.Conversion.TEXT)
    return isinstance(expression, lowered.Convert) and expression.conversion in kinds


class _Coalescing:
    """`roots` stand for all locals of a name, `members` are these, and `apart` what they must not
    share it with.
    """

    def __init__(self, function: Function, moves: Sequence[Move]) -> None:
        self.candidates = {local for move in moves for local in move}
        self.apart: dict[Local, set[Local]] = defaultdict(set)
        body = function.body
        self.define(function.parameters, self.block(body, self.of(body.results)))
        self.join(moves, function)

    def join(self, moves: Sequence[Move], function: Function) -> None:
        # The first of these gives its name to what it shares one with.
        named = list(function.parameters)
        for block in lowered.blocks_of(function.body):
            loops = [each for each in block.statements if isinstance(each, lowered.Loop)]
            named += [local for loop in loops for local in loop.targets[1:]]
        named += [local for move in moves for local in move]
        order = {local: at for at, local in reversed(list(enumerate(named)))}
        self.roots = {local: local for move in moves for local in move}
        self.members = {local: {local} for local in self.roots}
        for target, source in moves:
            self.merge(self.roots[target], self.roots[source])
        for members in self.members.values():
            self.roots.update(dict.fromkeys(members, min(members, key=order.__getitem__)))

    def merge(self, one: Local, other: Local) -> None:
        if one is other or self.collide(one, other) or self.collide(other, one):
            return
        # The smaller set goes into the larger one, so that a local moves rarely.
        other, one = sorted((one, other), key=lambda root: len(self.members[root]))
        members = self.members.pop(other)
        self.members[one] |= members
        self.roots.update(dict.fromkeys(members, one))
        small, large = sorted((self.apart[one], self.apart.pop(other, set())), key=len)
        large |= small
        self.apart[one] = large

    def collide(self, one: Local, other: Local) -> bool:
        return not self.apart[one].isdisjoint(self.members[other])

    # What is read behind each place

    def of(self, expressions: Iterable[Expression]) -> set[Local]:
        """The locals that may share a name, of those that are read."""
        return {x for each in expressions for x in leaves(each) if x in self.candidates}

    def define(self, locals: Iterable[Local], live: set[Local]) -> None:
        """These are assigned, all at once, where those are still to be read."""
        made = self.candidates.intersection(locals)
        for local in made:
            self.apart[local] |= live | made
            self.apart[local].discard(local)

    def block(self, block: Block, live: set[Local]) -> set[Local]:
        """Returns what is read behind the start of a block, given what is behind its end."""
        live = set(live)
        for statement in reversed(block.statements):
            if isinstance(statement, lowered.Loop):
                live = self.loop(statement, live)
            elif isinstance(statement, lowered.If):
                live = self.branches(statement, live)
            else:
                self.define(statement.targets, live)
                live.difference_update(statement.targets)
                live |= self.candidates.intersection(statement.reads())
        return live

    def branches(self, statement: lowered.If, live: set[Local]) -> set[Local]:
        after = live.difference(statement.targets)
        before = self.of(statement.inputs)
        for block in statement.blocks:
            if block.diverges:
                before |= self.block(block, set())
            else:
                self.define(statement.targets, after)
                before |= self.block(block, after | self.of(block.results))
        return before

    def loop(self, statement: lowered.Loop, live: set[Local]) -> set[Local]:
        (body,) = statement.blocks
        free = self.candidates.intersection(lowered.free_locals(body))
        around = (live | free).difference(statement.targets)
        self.define(statement.targets, around)
        self.block(body, around | self.of(body.results))
        return around | self.of(statement.inputs)
