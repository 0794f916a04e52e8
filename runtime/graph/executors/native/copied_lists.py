"""The lists that machine code copies before it writes to them.

A list is written in place where it is used up by what makes the next one of it; else each write
makes a copy. So do calls of functions that write to a list, or hand it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
from runtime.graph.executors.lowering import whole
from runtime.graph.ir import Graph

Nest = tuple[Loop, ...]


Taken = dict[int, frozenset[int]]
"""The places of the arguments that a function writes to, or hands back; each with the places of the
results that may have its memory.
"""


class Ownership:
    """The lists among their arguments that the functions of a module take."""

    def __init__(self) -> None:
        self._forms: dict[Graph, Function] = {}
        self._taken: dict[Graph, Taken] = {}

    def form(self, graph: Graph) -> Function:
        """The function of a graph that is called."""
        found = self._forms.get(graph)
        if found is None:
            found = self._forms[graph] = whole(graph)
        return found

    def taken(self, graph: Graph) -> Taken:
        """The lists that the function of a graph takes."""
        if graph not in self._taken:
            reached = self._reached(graph, {})
            found: dict[Graph, Taken] = {each: {} for each in reached}
            before: dict[Graph, Taken] = {}
            while found != before:
                self._taken |= found
                before, found = found, {each: self._places(each) for each in reached}
        return self._taken[graph]

    def _reached(self, graph: Graph, known: dict[Graph, None]) -> dict[Graph, None]:
        if graph not in known and graph not in self._taken:
            known[graph] = None
            for statement in _statements(self.form(graph)):
                if isinstance(statement, Call):
                    self._reached(statement.callee, known)
        return known

    def _places(self, graph: Graph) -> Taken:
        form = self.form(graph)
        if not any(map(_is_list, form.parameters)):
            return {}
        lists = _Lists(self, form)
        given: dict[Local, set[int]] = {lists.root(local): set() for local in lists.written(form)}
        for at, result in enumerate(form.body.results):
            for local in leaves(result):
                given.setdefault(lists.root(local), set()).add(at)
        pairs = [(at, lists.root(local)) for at, local in enumerate(form.parameters)]
        return {at: frozenset(given[root]) for at, root in pairs if root in given}

    def copied_lists(self, function: Function) -> set[Local]:
        """The lists that are copied before they are written to. The others are used up at most
        once, where they are made, and not read after that, in the order of the statements; so are
        those whose memory they may have, or may hand on.
        """
        if not _has_lists(function):
            return set()
        lists = _Lists(self, function)
        roots = set(map(lists.root, lists.shared))
        return {local for local in lists.parents if lists.root(local) in roots}

    def repeated_results(self, function: Function) -> set[int]:
        """The places of the results that may have the memory of a list before them."""
        results = dict(enumerate(function.body.results))
        given = {at: list(leaves(x)) for at, x in results.items() if _is_list(x)}
        if len(given) < 2:
            return set()
        lists, seen = _Lists(self, function), set[Local]()
        found = set[int]()
        for at, locals in given.items():
            roots = set(map(lists.root, locals))
            if roots & seen:
                found.add(at)
            seen |= roots
        return found


def _is_list(expression: Any) -> bool:
    return isinstance(getattr(expression, "type", None), ListType)


def _has_lists(function: Function) -> bool:
    made = (local for each in _statements(function) for local in each.targets)
    return any(map(_is_list, function.parameters)) or any(map(_is_list, made))


def _statements(function: Function) -> Iterator[Statement]:
    for block in blocks_of(function.body):
        yield from block.statements


Use = tuple[Local, bool]
"""A list; of what a loop carries, whether inside or behind that loop."""


class _Lists:
    """The lists of a function: those that are `shared`, which are used up twice, or read later; and
    those that may have the same memory, a tree of `parents` each. `homes` are the loops around the
    place where a list is made; what a loop carries is made by its owner.
    """

    def __init__(self, ownership: Ownership, function: Function) -> None:
        self._ownership = ownership
        self.owners: dict[Local, Loop] = {}
        self.homes: dict[Local, Nest] = dict.fromkeys(function.parameters, ())
        self.shared: set[Local] = set()
        self.parents: dict[Local, Local] = {}
        self.read(function.body, (), set())

    def written(self, function: Function) -> Iterator[Local]:
        """The lists that the kernels and calls of a function write to, or that calls hand back."""
        for statement in _statements(function):
            for at in self._taken(statement) or ():
                yield from leaves(statement.inputs[at])

    def _taken(self, statement: Statement) -> Taken | None:
        """The lists that a kernel or call takes; None for others: all that they hand on."""
        if isinstance(statement, Call):
            return self._ownership.taken(statement.callee)
        if isinstance(statement, Kernel):
            return {0: frozenset((0,))} if _writes(statement) else {}
        return None

    def _uses_up(self, statement: Statement, local: Local) -> bool:
        """True if a statement may write to a list that it reads, or hand it on."""
        taken = self._taken(statement)
        if taken is None:
            return any(map(_is_list, statement.targets))
        return any(local in leaves(statement.inputs[at]) for at in taken)

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
                reads = sorted({*reads}, key=lambda local: self._uses_up(statement, local))
            for local in reads:
                self._note(local, nest, self._uses_up(statement, local), used)
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
        inputs, targets = statement.inputs, statement.targets
        taken = self._taken(statement)
        if taken is None:
            sources = [[] if isinstance(statement, If) else inputs]
            sources += [block.results for block in statement.blocks]
            pairs = [pair for source in sources for pair in zip(source, targets, strict=False)]
        else:
            pairs = [(inputs[at], targets[to]) for at, results in taken.items() for to in results]
        for given, target in pairs:
            if isinstance(target.type, ListType):
                for local in leaves(given):
                    self.parents[self.root(local)] = self.root(target)


def _writes(kernel: Kernel) -> bool:
    return memory_of(kernel.node) is Memory.STORES
