"""Islands: runs of statements without effects, in a program that is not native as a whole, become
functions of their own in machine code.

    i = 0                            total, i = native(n)
    while i < n:                     print_(total)
        ...                          ...
    print_(total)

Their fallbacks are in the same program: the Python of the same statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Conversion, Expression, Local, Statement
from runtime.graph.executors.native.compiling import Unit
from runtime.graph.executors.native.emitter import Emitter
from runtime.graph.executors.native.entry import Parameter, callable_of, write_entry
from runtime.graph.executors.native.support import Support, is_held
from runtime.graph.executors.program import Module


class Islands:
    """Outlines the islands of functions, which are printed to a module; `units` are theirs."""

    def __init__(self) -> None:
        self.support = Support()
        self.units: list[Unit] = []

    def outline(self, function: lowered.Function, module: Module) -> None:
        """Put calls of native functions in the place of a function's islands."""
        self._block(function.body, module)

    def _block(self, block: Block, module: Module) -> None:
        """The islands of a block, and those inside what is none."""
        statements: list[Statement] = []
        left = list(block.statements)
        while left:
            size = self._size(left)
            run = left[:size]
            rest = Block(left[size:], block.results)
            if size and _is_worth(run) and all(is_held(local.type) for local in _read(run, rest)):
                statements.append(self._native(run, rest, module))
                left = left[size:]
                continue
            size = max(size, 1)
            for statement in left[:size]:
                for inner in statement.blocks:
                    self._block(inner, module)
            statements += left[:size]
            left = left[size:]
        block.statements = statements

    def _size(self, statements: Sequence[Statement]) -> int:
        """The number of statements, from the first on, that are native."""
        for at, statement in enumerate(statements):
            if isinstance(statement, lowered.Raise) or not self._is_native(statement):
                return at
        return len(statements)

    def _is_native(self, statement: Statement) -> bool:
        block = Block([statement])
        if any(map(_is_planned, lowered.blocks_of(block))):
            return False
        if any(not is_held(local.type) for local in lowered.free_locals(block)):
            return False
        return next(iter(self.support.of_block(block)), None) is None

    def _native(self, run: list[Statement], rest: Block, module: Module) -> Statement:
        """The call of a new function for a run of statements."""
        inputs = list(lowered.free_locals(Block(run)))
        outputs = _read(run, rest)
        unit = Unit("island")

        def body(emitter: Emitter) -> None:
            emitter.statements(Block(run))

        parameters = [Parameter(local, local.type, local.is_number) for local in inputs]
        results = [Parameter(local, local.type, local.is_number) for local in outputs]
        calls = any(_calls(run))
        write_entry(unit, parameters, results, body, calls)
        name, python = module.fresh("native"), module.fresh("native_python")
        fallback = lowered.Function(python, inputs, [], [], Block(run, list(outputs)), [])
        module.print(fallback, python)
        module.later(name, lambda: callable_of(unit, module.namespace[python]))
        self.units.append(unit)
        return lowered.Native(run[0].node, list(inputs), outputs, name)


def _read(run: Sequence[Statement], rest: Block) -> list[Local]:
    """The locals of a run that are read behind it."""
    made = {local: None for statement in run for local in statement.targets}
    read = lowered.free_locals(rest)
    return [local for local in made if local in read]


def _is_planned(block: Block) -> bool:
    """Whether a block uses memory of the program's."""
    if block.before:
        return True
    expressions: list[Expression] = [*block.results]
    for statement in block.statements:
        if isinstance(statement, lowered.Tile) or list(statement.memory):
            return True
        if isinstance(statement, lowered.Kernel) and statement.owned:
            return True
        expressions += statement.inputs
    return any(map(_takes_memory, expressions))


def _takes_memory(expression: Expression) -> bool:
    if isinstance(expression, lowered.Convert):
        if expression.conversion in (Conversion.FILL, Conversion.TAKE):
            return True
    elif not isinstance(expression, lowered.Apply):
        return False
    return any(map(_takes_memory, expression.operands))


def _calls(statements: Iterable[Statement]) -> Iterable[bool]:
    for block in lowered.blocks_of(Block(list(statements))):
        for statement in block.statements:
            yield isinstance(statement, lowered.Call)


def _is_worth(run: Sequence[Statement]) -> bool:
    """Whether a run is worth a call: there is a loop, or a call, in it."""
    for block in lowered.blocks_of(Block(list(run))):
        for statement in block.statements:
            if isinstance(statement, lowered.Loop | lowered.Call):
                return True
    return False
