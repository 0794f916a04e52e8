"""The objects whose items a function assigns or deletes, reached by variables and attributes.

`table.rows[i] = v` calls no function that generated code could intercept, and an object written in
C does not show that it has changed. So the objects are found before the function runs: `table.rows`
is read off its code.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from autograph.codes import CodeTable, Stretch, item_changes
from autograph.compiler import parse_expression
from autograph.objects import MISSING, contents, own_of


class Target(NamedTuple):
    """An object, as the code writes it, with the line and the column."""

    text: str
    line: int
    column: int
    object: Any


class _Place(NamedTuple):
    names: list[str]
    line: int
    column: int


def item_targets(function: FunctionType) -> Iterator[Target]:
    """Yields the objects of which the code of a function, not of those in it, changes items."""
    for names, line, column in _places_of(function.__code__):
        text, *attributes = names
        found = _variable(function, text)
        for name in attributes:
            own = vars(found) if isinstance(found, ModuleType) else own_of(found) or {}
            if name not in own:
                break  # what a class computes is a part of it
            found, text = own[name], f"{text}.{name}"
        if found is not MISSING:
            yield Target(text, line, column, found)


def assigned_variables(code: CodeType) -> Iterator[str]:
    """Yields the variables of objects of which code, or that of a function in it, changes items."""
    for names, _, _ in _places_of(code):
        yield names[0]
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from assigned_variables(inner)


def _places_of(code: CodeType) -> list[_Place]:
    places = _places.get(code)
    if places is None:
        places = _places[code] = list(_places_in(code))
    return places


def _variable(function: FunctionType, name: str) -> Any:
    code = function.__code__
    if name in code.co_freevars and function.__closure__:
        return contents(function.__closure__[code.co_freevars.index(name)])
    if name in code.co_varnames or name in code.co_cellvars:
        return MISSING
    return function.__globals__.get(name, MISSING)


def _places_in(code: CodeType) -> Iterator[_Place]:
    for at in item_changes(code):
        names = _names(code.co_filename, at)
        if names:
            yield _Place(names, at[0], at[2])


def _names(filename: str, at: Stretch) -> list[str]:
    """The variable and the attributes that `x.a` of `x.a[i]` stands for at a place of a file."""
    first, last, start, end = at
    text = linecache.getlines(filename)[first - 1 : last]
    lines = [line.encode() for line in text]
    if not lines:
        return []
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        node = parse_expression(b"(" + b"".join(lines) + b")")
    except SyntaxError:  # it is the place of a statement
        return []
    names: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        names = [node.attr, *names] if isinstance(node, ast.Attribute) else []
        node = node.value
    return [node.id, *names] if isinstance(node, ast.Name) else []


_places: CodeTable[list[_Place]] = CodeTable()
