"""The lists that machine code copies before it writes to them.

A list is written in place where it is used up by what makes the next one of it; else each write
makes a copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.core.primitive import Memory
from runtime.core.types import ListType
from runtime.graph.executors.kernels import memory_of
from runtime.graph.executors.lowered import (
    Block,
    Call,
    Function,
    If,
    Kernel,
    Local,
    Loop,
    Statement,
    blocks_of,
    leaves,
)

Nest = tuple[Loop, ...]


def copied_lists(function: Function) -> set[Local]:
    """The lists that are copied before they are written to. The others are used up at most once,
    where they are made, and not read after that, in the order of the statements; so are those
    whose memory they may have, or may hand on.
    """
    if not any(isinstance(local.type, ListType) for local in _made(function)):
        return set()
    lists = _Lists()
    lists.read(function.body, (), set())
    roots = set(map(lists.root, lists.shared))
    return {local for local in lists.parents if lists.root(local) in roots}


def _made(function: Function) -> Iterator[Local]:
    yield from function.parameters
    for block in blocks_of(function.body):
        for statement in block.statements:
            yield from statement.targets


Use = tuple[Local, bool]
"""A list; of what a loop carries, whether inside or behind that loop."""


class _Lists:
    """The lists of a function: those that are `shared`, which are used up twice, or read later; and
    those that may have the same memory, a tree of `parents` each. `homes` are the loops around the
    place where a list is made; what a loop carries is made by its owner.
    """

    def __init__(self) -> None:
        self.owners: dict[Local, Loop] = {}
        self.homes: dict[Local, Nest] = {}
        self.shared: set[Local] = set()
        self.parents: dict[Local, Local] = {}

    def root(self, local: Local) -> Local:
        """The one that stands for those with the same memory."""
        while (parent := self.parents.setdefault(local, local)) is not local:
            local = parent
        return local

    def read(self, block: Block, nest: Nest, used: set[Use]) -> None:
        """Note the uses in a block, behind which `used` are the lists that are used up."""
        for statement in block.statements:
            reads = [local for local in statement.reads() if isinstance(local.type, ListType)]
            if isinstance(statement, Kernel):  # which reads all that it takes before it writes
                reads = sorted({*reads}, key=lambda local: _uses_up(statement, local))
            for local in reads:
                self._note(local, nest, _uses_up(statement, local), used)
            inner = nest
            if isinstance(statement, Loop):
                inner = (*nest, statement)
                self.owners.update(dict.fromkeys(statement.targets, statement))
            self.homes.update(dict.fromkeys(statement.targets, nest))
            self._join(statement)
            # One block of several runs.
            behind = [set(used) for _ in statement.blocks]
            for each, own in zip(statement.blocks, behind, strict=True):
                self.read(each, inner, own)
            used.update(*behind)
        for result in block.results:
            for local in leaves(result):
                if isinstance(local.type, ListType):
                    self._note(local, nest, True, used)

    def _note(self, local: Local, nest: Nest, uses_up: bool, used: set[Use]) -> None:
        home, owner = self.homes.get(local), self.owners.get(local)
        is_inside = owner in nest
        if home is not None and owner is not None and is_inside:
            home = (*home, owner)
        use = local, is_inside
        if use in used or (uses_up and home != nest):
            self.shared.add(local)
        if uses_up:
            used.add(use)
        self.root(local)

    def _join(self, statement: Statement) -> None:
        """Note which lists may have the memory of which."""
        sources = [statement.inputs, *[block.results for block in statement.blocks]]
        if isinstance(statement, If):
            del sources[0]
        elif isinstance(statement, Kernel):
            sources = [statement.inputs[:1]] if _writes(statement) else []
        for source in sources:
            for given, target in zip(source, statement.targets, strict=False):
                if isinstance(target.type, ListType):
                    for local in leaves(given):
                        self.parents[self.root(local)] = self.root(target)


def _writes(kernel: Kernel) -> bool:
    return memory_of(kernel.node) is Memory.STORES


def _uses_up(statement: Statement, local: Local) -> bool:
    """True if a statement may write to a list that it reads, or hand it on."""
    if isinstance(statement, Kernel):
        return _writes(statement) and statement.inputs[0] is local
    makes_lists = any(isinstance(target.type, ListType) for target in statement.targets)
    return makes_lists or isinstance(statement, Call)
