"""Islands: runs of statements without effects, in a program that is not native as a whole, become
functions of their own in machine code.

    i = 0                            total, i = native(n)
    while i < n:                     print_(total)
        ...                          ...
    print_(total)

Their fallbacks are in the same program: the Python of the same statements.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any

from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Local, Statement
from runtime.graph.executors.lowering import ALL, Lowering
from runtime.graph.executors.module import Module
from runtime.graph.executors.native.calling import callable_of
from runtime.graph.executors.native.compiling import Unit
from runtime.graph.executors.native.emitter import Emitter
from runtime.graph.executors.native.entry import Parameter, write_entry
from runtime.graph.executors.native.lowering_rules import ON_ARRAYS
from runtime.graph.executors.native.support import Support
from runtime.graph.executors.native.values import is_held
from runtime.graph.ir import Node

LEAST_KERNELS = 3
"""Kernels from which on a run without loops is worth a call."""

Run = Callable[..., Any]
Replace = Callable[[Block], list[Statement]]
"""Gives what stands for an island; its results are the locals that are read behind it."""


class Islands:
    """Outlines the islands of functions, which are printed to a module; `units` are theirs."""

    def __init__(self) -> None:
        self.supports = Support(), Support(is_repeated=True)
        self.units: list[Unit] = []

    def outline(self, lowering: Lowering, module: Module) -> lowered.Function:
        """The function with calls of native ones in the place of its islands. These are found
        before memory is planned: they have their own, but for what they hand over.
        """
        native: set[Node] = set()

        def note(island: Block) -> list[Statement]:
            native.update(statement.node for statement in _statements(island))
            return island.statements

        self._replace(lowering.function(ALL).body, ALL, note)
        function = lowering.function(native)
        self._replace(
            function.body, native, lambda island: [self._native(island, function, module)]
        )
        return function

    def _replace(
        self, block: Block, native: Container[Node], replace: Replace, is_inner: bool = False
    ) -> None:
        """Replace the islands of a block, and those inside what is none, made of native nodes."""
        statements: list[Statement] = []
        left = list(block.statements)
        while left:
            run = left[: self._size(left, native, is_inner)]
            while _is_worth(run):
                outputs = _read(run, Block(left[len(run) :], block.results))
                if all(is_held(local.type) for local in outputs):
                    statements += replace(Block(run, [*outputs]))
                    break
                # The island ends before what it cannot hand on.
                run = run[: next(at for at, each in enumerate(run) if _is_open(each, outputs))]
            else:
                run = run or left[:1]
                for statement in run:
                    for inner in statement.blocks:
                        self._replace(inner, native, replace, is_inner=True)
                statements += run
            left = left[len(run) :]
        block.statements = statements

    def _size(
        self, statements: Sequence[Statement], native: Container[Node], is_inner: bool
    ) -> int:
        """The number of statements, from the first on, that are native, and so is what they read
        from before.
        """
        made: set[Local] = set()
        support = self.supports[is_inner]
        for at, statement in enumerate(statements):
            if statement.node not in native or isinstance(statement, lowered.Raise):
                return at
            block = Block([statement])
            read = lowered.free_locals(block).keys() - made
            if not all(is_held(local.type) for local in read) or any(support.of_block(block)):
                return at
            made.update(statement.targets)
        return len(statements)

    def _native(self, island: Block, around: lowered.Function, module: Module) -> Statement:
        """The call of a new function for an island."""
        captured = dict(around.captured)
        outputs = [each for each in island.results if isinstance(each, Local)]
        free = lowered.free_locals(island)
        inputs = [local for local in free if local not in captured]
        known = [(local, captured[local]) for local in free if local in captured]
        function = lowered.Function("island", inputs, known, [], island, [], around.ranges)
        name = self.add(function, module)
        return lowered.Native(island.statements[0].node, [*inputs], outputs, name)

    def add(
        self,
        function: lowered.Function,
        module: Module,
        fallback: lowered.Function | None = None,
        adapt: Callable[[Run], Run] = lambda run: run,
    ) -> str:
        """The name that machine code of a function without memory will have in a module, where its
        fallback is printed: the same function, or `adapt` makes it one that takes the same.
        """
        island = function.body
        outputs = [each for each in island.results if isinstance(each, Local)]
        name, python = module.fresh("native"), module.fresh("native_python")
        unit = Unit("island")

        def body(emitter: Emitter) -> None:
            unit.capture(emitter, function)
            emitter.statements(island)

        parameters = [
            Parameter(local, local.type, local.is_number) for local in function.parameters
        ]
        memory = {
            target: out
            for statement in island.statements
            if isinstance(statement, lowered.Kernel)
            for target, out in zip(statement.targets, statement.outs, strict=True)
            if isinstance(out, Local)
        }
        results = [
            Parameter(local, local.type, local.is_number, memory.get(local)) for local in outputs
        ]
        calls = any(isinstance(each, lowered.Call) for each in _statements(island))
        write_entry(unit, parameters, results, body, calls)
        module.print(fallback or function, python)
        nodes = [each.node for each in island.statements if each.node.location is not None]
        module.later(name, nodes, lambda: callable_of(unit, adapt(module.namespace[python])))
        self.units.append(unit)
        return name


def _read(run: Iterable[Statement], rest: Block) -> list[Local]:
    """The locals of a run that are read behind it."""
    made = {local: None for statement in run for local in statement.targets}
    read = lowered.free_locals(rest)
    return [local for local in made if local in read]


def _is_open(statement: Statement, outputs: list[Local]) -> bool:
    return any(not is_held(local.type) for local in statement.targets if local in outputs)


def _statements(block: Block) -> Iterator[Statement]:
    for each in lowered.blocks_of(block):
        yield from each.statements


def _is_worth(run: Sequence[Statement]) -> bool:
    """Whether a run is worth a call: there is a loop, a call or a heavy kernel in it, or several
    kernels.
    """
    kernels = 0
    for statement in _statements(Block([*run])):
        if isinstance(statement, lowered.Loop | lowered.Call):
            return True
        if isinstance(statement, lowered.Kernel):
            found = ON_ARRAYS.get(statement.node.primitive.instruction)
            if found is not None and found.heavy:
                return True
            kernels += 1
    return kernels >= LEAST_KERNELS
