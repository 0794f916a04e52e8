"""Tensors of the functions around one that calls itself, whose items it assigns: they go along as
arguments, which its callers see changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CellType, FunctionType
from typing import Any

import autograph
from autograph.mutation.item_targets import assigned_variables
from autograph.objects import contents
from runtime.core.inspection import signature_of
from runtime.functions.parameters import Parameters
from runtime.staging.block_recorder import renew_innermost
from runtime.staging.refusals import refuse
from runtime.staging.symbolic_tensor import SymbolicTensor


def with_tensors_given(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], known: dict[Any, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Returns what to call for a recursive function, and its arguments: such tensors by the names
    of their variables, too. What is by name or default in one call and by position in another is
    one argument. `known` keeps what was made for a function while a trace is made.
    """
    plain, receiver = getattr(function, "__func__", function), getattr(function, "__self__", None)
    cells = _assigned(getattr(plain, "func", plain))
    if not cells:
        return function, args, kwargs
    key = id(plain), id(receiver), *cells
    if key not in known:
        known[key] = _bound(function, cells)
    args, kwargs = Parameters(signature_of(function), _name(function)).bind(args, kwargs)
    return known[key], args, kwargs | {name: contents(cell) for name, cell in cells.items()}


def _assigned(function: Any) -> dict[str, CellType]:
    """The variables of functions around one that hold the tensors whose items it assigns, or those
    that it calls.
    """
    if type(function) is not FunctionType:
        return {}
    own = function.__code__.co_varnames
    found: dict[str, CellType] = {}
    functions = [function]
    for each in functions:
        cells = dict(zip(each.__code__.co_freevars, each.__closure__ or (), strict=True))
        held = [contents(cell) for cell in cells.values()]
        functions += [x for x in held if type(x) is FunctionType and x not in functions]
        for name in assigned_variables(each.__code__):
            if name in cells and name not in own:
                found.setdefault(name, cells[name])
    return {
        name: cell for name, cell in found.items() if isinstance(contents(cell), SymbolicTensor)
    }


def _bound(function: Any, cells: dict[str, CellType]) -> Any:
    # The default value leads a recorder to what the function reaches.
    def given(*args: Any, _reached: Any = function, **kwargs: Any) -> Any:
        with _holding(cells, {name: kwargs.pop(name) for name in cells}):
            return autograph.call(function)(*args, **kwargs)

    made: Any = given
    made.__name__ = _name(function)
    return made


def _name(function: Any) -> str:
    return getattr(function, "__name__", "partial")


@contextmanager
def _holding(cells: dict[str, CellType], tensors: dict[str, Any]) -> Iterator[None]:
    """Within it the variables hold these, for the trace that is being made as from before."""
    before = {name: contents(cell) for name, cell in cells.items()}
    _put(cells, tensors)
    try:
        yield
        for name, cell in cells.items():
            if contents(cell) is not tensors[name]:
                raise refuse(
                    f"a function that calls itself assigns items of {name!r}, which is "
                    "another tensor when it ends",
                    "give it the tensor as an argument, and return the other one",
                    name,
                )
    finally:
        _put(cells, before)


def _put(cells: dict[str, CellType], tensors: dict[str, Any]) -> None:
    for name, cell in cells.items():
        cell.cell_contents = tensors[name]
        renew_innermost(cell)
