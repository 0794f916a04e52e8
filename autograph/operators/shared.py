"""Names that blocks assign where they live (`nonlocal`, `global`), carried as state while staged.

In plain use blocks simply share them. A staged block may run in any order, or several times: each
run starts from the values that its backend gives, and what it leaves behind is part of its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType
from typing import Any

from autograph.backend import Backend, Block, GlobalVariable, Names
from autograph.errors import StagingError
from autograph.frames import refusal
from autograph.operators.blocks import unpacked
from autograph.undefined import Undefined


class Shared:
    """The shared names of one control statement. Where there are none, it is false, and blocks and
    results stay as they are.

    Args:
        names: the names, as generated code writes them; None where there are none.
        blocks: the statement's blocks; at least one of them declares each name.
        backend: handles the statement.

    Raises:
        StagingError: a name that existed before the staged call: a global, or one of a function
            around it. What a graph does when it runs cannot reach it.
    """

    def __init__(self, names: str | None, blocks: Sequence[Block], backend: Backend) -> None:
        self.names: Names = () if names is None else tuple(names.split(", "))
        self.cells = [_cell(name, blocks, backend) for name in self.names]

    def __bool__(self) -> bool:
        return bool(self.names)

    def values(self) -> tuple[Any, ...]:
        """The present values of the names."""
        return tuple(map(held_by, self.cells, self.names))

    def put(self, values: Sequence[Any]) -> None:
        """Let the names stand for `values`."""
        for cell, value in zip(self.cells, values, strict=True):
            cell.cell_contents = value

    def block(self, block: Block, given: int, results: int, gives: bool = True) -> Block:
        """`block` with the shared names as further parameters and, if it `gives`, results.

        Args:
            given: how many parameters `block` has.
            results: how many results `block` has.
        """
        if not self:
            return block

        def run(*args: Any) -> Any:
            before = self.values()
            self.put(args[given:])
            try:
                result = block(*args[:given])
                after = self.values()
            finally:
                self.put(before)
            return unpacked((*_packed(result, results), *after)) if gives else result

        run.__wrapped__ = block  # type: ignore[attr-defined]  # where the user's code is found
        return run

    def split(self, result: Any, results: int) -> Any:
        """Let the names stand for their part of a result; return the other part."""
        if not self:
            return result
        values = _packed(result, results + len(self.names))
        self.put(values[results:])
        return unpacked(values[:results])


NO_NAMES = Shared(None, (), Backend())
"""The shared names of a statement that has none."""


def _packed(result: Any, count: int) -> tuple[Any, ...]:
    return (result,) if count == 1 else tuple(result or ())


def _cell(name: str, blocks: Sequence[Block], backend: Backend) -> CellType | GlobalVariable:
    plain = [getattr(block, "__wrapped__", block) for block in blocks]
    for block in plain:
        cells = dict(zip(block.__code__.co_freevars, block.__closure__ or (), strict=True))
        cell: CellType | None = cells.get(name)
        if cell is not None:
            if backend.owns(cell):
                return cell
            _refuse(name, "belongs to a function that was called before the staged one")
    variable = GlobalVariable(plain[0].__globals__, name)
    if not backend.owns(variable):
        _refuse(name, "is global")
    return variable


def held_by(cell: CellType | GlobalVariable, name: str) -> Any:
    """Returns the value of a variable, which may be unbound."""
    try:
        return cell.cell_contents
    except ValueError:  # nothing was put there
        return Undefined(name)


def _refuse(name: str, reason: str) -> None:
    raise refusal(
        StagingError,
        f"{name!r} is assigned where a staged value decides, but it {reason}: running the graph "
        "could not change it",
        variable=name,
        hint="return the new value, or keep it in a Variable",
    )
