"""The release of arrays (`del`) behind the last statement that reads them.

Memory of large arrays is then reused by the next op while it is in the caches; this is done in
functions without branches and loops only. An array that was read from a variable is released so
that an update of the variable can be in place: no other reference is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Function, Local, Statement, leaves


def release(
    function: Function, large: Set[Local], fleeting: Set[Local], shared: Mapping[Local, Local]
) -> None:
    """Release the locals that are large or fleeting behind their last use, unless they share a
    name with others.
    """
    straight = not any(statement.blocks for statement in function.body.statements)
    wanted = {local for local in fleeting | (large if straight else set()) if local not in shared}
    for block in lowered.blocks_of(function.body) if wanted else ():
        _release(block, wanted)


def _release(block: Block, wanted: Set[Local]) -> None:
    made = {local for each in block.statements for local in each.targets if local in wanted}
    kept = {local for result in block.results for local in leaves(result)}
    last = {
        local: statement
        for statement in (block.statements if made else ())
        for local in lowered.free_locals(Block([statement]))
        if local in made
    }
    ends: dict[Statement, list[Local]] = {}
    for local, statement in last.items():
        if local not in kept:
            ends.setdefault(statement, []).append(local)
    statements: list[Statement] = []
    for statement in block.statements if ends else ():
        statements.append(statement)
        if statement in ends:
            statements.append(lowered.Release(statement.node, list(ends[statement]), []))
    block.statements = statements or block.statements
