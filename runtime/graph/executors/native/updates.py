"""Arrays that loops assign items of: where nothing else reads what they were before, a loop has
such an array in memory of its own, and writes to it.

    while i < n:             table is copied to memory of the loop's
        table[i] = i         each round writes an element

An array is followed from the beginning of a round to its end: through assignments, which make the
next one of it, branches that may assign, and loops that carry it on. What is read of it, apart from
numbers, may be the same memory, or be computed late: it is not read behind the next assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TypeGuard

from runtime.graph.executors.lowered import (
    Block,
    Call,
    If,
    Kernel,
    Local,
    Loop,
    Statement,
    blocks_of,
    free_locals,
    leaves,
)

INSTRUCTION = "set_slice"


class _Lost(Exception):
    """An array has to be what it was before."""


class Updates:
    """The assignments of a function, `kernels`, that write to what they are given, and the `states`
    of loops that stay where they are, by places: whether the memory is that of a loop around.
    """

    def __init__(self, body: Block) -> None:
        self.kernels: set[Statement] = set()
        self.states: dict[Loop, dict[int, bool]] = {}
        if any(is_update(each) for block in blocks_of(body) for each in block.statements):
            self._block(body)

    def _block(self, block: Block) -> None:
        for at, statement in enumerate(block.statements):
            if isinstance(statement, Loop):
                self._loop(statement, Block(block.statements[at + 1 :], block.results))
            for inner in statement.blocks:
                self._block(inner)

    def _loop(self, loop: Loop, behind: Block) -> None:
        """Find the states of a loop; what is behind it may go on in the same memory."""
        for at, local in enumerate(loop.targets[1:]):
            if not _is_array(local) or at in self.states.get(loop, ()):
                continue
            followed, further = _Followed(), _Followed()
            with suppress(_Lost):
                followed.rounds(loop, at, is_owned=False)
                self._take(followed)
                further.end(behind, local)
                self._take(further)

    def _take(self, followed: _Followed) -> None:
        self.kernels |= followed.kernels
        for each, places in followed.states.items():
            self.states.setdefault(each, {}).update(places)


def is_update(statement: Statement) -> TypeGuard[Kernel]:
    """True for an assignment of items of an array."""
    return isinstance(statement, Kernel) and statement.node.primitive.instruction == INSTRUCTION


def _is_array(local: Local) -> bool:
    return bool(getattr(local.type, "shape", ()))


class _Followed:
    """One array, on its way. `near` are arrays that may be the same memory as it is now, `past`
    those that may be as it was before.
    """

    def __init__(self) -> None:
        self.kernels: set[Statement] = set()
        self.states: dict[Loop, dict[int, bool]] = {}
        self.near: set[Local] = set()
        self.past: set[Local] = set()

    def rounds(self, loop: Loop, at: int, is_owned: bool) -> None:
        """Follow the state of a loop at a place through a round; _Lost if none assigns to it."""
        (body,), local = loop.blocks, loop.targets[at + 1]
        end = self.end(body, local)
        given = [each for result in body.results for each in leaves(result)]
        if end is local or body.results[at + 1] is not end or given.count(end) > 1:
            raise _Lost
        self.states.setdefault(loop, {})[at] = is_owned

    def end(self, block: Block, array: Local) -> Local:
        """Follow an array to the end of a block, which hands on nothing that is past."""
        end = self.block(block, array)
        given = {each for result in block.results for each in leaves(result)}
        if not self.past.isdisjoint(given):
            raise _Lost
        return end

    def block(self, block: Block, array: Local) -> Local:
        """Follow an array through a block; gives what it is at the end."""
        for statement in block.statements:
            read = _reads(statement)
            if not self.past.isdisjoint(read):
                raise _Lost
            if array in read or not self.near.isdisjoint(read):
                array = self.statement(statement, array)
        return array

    def statement(self, statement: Statement, array: Local) -> Local:
        """Follow an array through a statement that reads it, or what is near."""
        if is_update(statement) and statement.inputs[0] is array:
            if [*statement.reads()].count(array) > 1:
                raise _Lost
            self.kernels.add(statement)
            return self._next(array, statement.targets[0])
        if isinstance(statement, If):
            return self.branches(statement, array)
        if isinstance(statement, Loop) and array in statement.inputs:
            return self.loop(statement, array)
        if isinstance(statement, Call):
            raise _Lost
        # An assignment to another array has a copy of what it reads.
        if not is_update(statement):
            self.near.update(filter(_is_array, statement.targets))
        return array

    def _next(self, array: Local, following: Local) -> Local:
        self.past |= self.near
        self.past.add(array)
        # Behind a loop, its state has the name that it had at the start of a round.
        self.past.discard(following)
        self.near = set()
        return following

    def branches(self, statement: If, array: Local) -> Local:
        """Follow an array through branches, which hand it on at one place, or leave it."""
        near, past = self.near, self.past
        behind: list[tuple[set[Local], set[Local]]] = []
        ends: list[tuple[Block, Local]] = []
        for block in statement.blocks:
            self.near, self.past = {*near}, {*past}
            end = self.end(block, array)
            if not block.diverges:
                ends.append((block, end))
                behind.append((self.near, self.past))
        self.near = near.union(*[found for found, _ in behind])
        self.past = past.union(*[found for _, found in behind])
        return self._behind(statement, array, ends)

    def _behind(self, statement: If, array: Local, ends: Sequence[tuple[Block, Local]]) -> Local:
        """The array behind branches, of which some have it no more as it was, if there are any."""
        if all(end is array for _, end in ends):
            following = [array]
        else:
            places = range(len(statement.targets))
            handed_on = [at for at in places if all(b.results[at] is end for b, end in ends)]
            following = [statement.targets[at] for at in handed_on]
            self.past.add(array)
        if len(following) != 1:
            raise _Lost
        memory = self.near.union([end for _, end in ends])
        for at, target in enumerate(statement.targets):
            given = {each for block, _ in ends for each in leaves(block.results[at])}
            if target is not following[0] and _is_array(target) and not memory.isdisjoint(given):
                self.near.add(target)
        return following[0]

    def loop(self, loop: Loop, array: Local) -> Local:
        """Follow an array through a loop that carries it."""
        read = free_locals(loop.blocks[0]).keys() - {*loop.targets}
        given = [each for expression in loop.inputs for each in leaves(expression)]
        if given.count(array) > 1 or not ({array} | self.near).isdisjoint(read):
            raise _Lost
        if not self.near.isdisjoint(given):
            raise _Lost
        at = loop.inputs.index(array) - 1
        near, self.near = self.near, set()
        self.rounds(loop, at, is_owned=True)
        self.near = near
        return self._next(array, loop.targets[at + 1])


def _reads(statement: Statement) -> set[Local]:
    """The locals from before that a statement reads, and those that blocks inside it do."""
    return {*free_locals(Block([statement]))}
