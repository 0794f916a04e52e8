"""The converters in their order, and running them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gast

from autograph.context import Context
from autograph.converters import (
    assert_statements,
    boolean_operators,
    break_statements,
    calls,
    comparisons,
    continue_statements,
    definite_exits,
    for_statements,
    if_statements,
    item_assignments,
    return_statements,
    ternaries,
    undefined_names,
    while_statements,
)
from autograph.names import Namer, names_in
from autograph.quoting import ag_spelled


class Converter(NamedTuple):
    """One step. `keeps_flow`: the analyses made before it hold after it."""

    name: str
    convert: Callable[[Context], None]
    keeps_flow: bool = False


def _converter(module: Any, keeps_flow: bool = False) -> Converter:
    return Converter(module.__name__.rpartition(".")[2], module.convert, keeps_flow)


CONVERTERS = (
    # Exits first, while statements still stand as the user wrote them.
    _converter(definite_exits),  # an `else` spares most of what follows a flag
    _converter(continue_statements),  # before `break`: both may leave the same loop
    _converter(break_statements),  # before `return`: takes a loop's `else` out of the way
    _converter(return_statements),
    _converter(item_assignments),  # makes `x` of `x[i] = v` a name that is assigned
    # One analysis serves the next four: lowering one statement changes no name around another.
    _converter(undefined_names, keeps_flow=True),
    _converter(while_statements, keeps_flow=True),
    _converter(for_statements, keeps_flow=True),
    _converter(if_statements),
    # Expressions last: their lambdas would look like closures that capture names.
    _converter(assert_statements),
    _converter(comparisons),
    _converter(boolean_operators),
    _converter(ternaries),
    _converter(calls),  # after all that removes calls or makes its own
)


class Converted(NamedTuple):
    """A converted definition: its tree, its block functions, and the name it calls `ag` by."""

    tree: Any
    blocks: list[gast.FunctionDef]
    ag: str


def convert(tree: Any, filename: str = "<unknown>") -> Converted:
    """Convert a function definition in place.

    Raises:
        ConversionError: a construct that is not supported, with its place in `filename`.
    """
    context = Context(tree, filename, Namer(names_in(tree)))
    for _ in _run(context):
        pass
    return Converted(context.tree, context.blocks, context.ag)


def stages(tree: Any, filename: str = "<unknown>") -> Iterator[tuple[str, Converted]]:
    """Convert a function definition in place; yields the name and the tree after each converter."""
    context = Context(tree, filename, Namer(names_in(tree)))
    for name in _run(context):
        yield name, Converted(context.tree, context.blocks, context.ag)


def show(stage: str, source: str) -> str:
    """What one converter alone makes of a function definition: for documentation and debugging."""
    from autograph.printing import to_source

    tree = gast.parse(textwrap.dedent(source)).body[0]
    context = Context(tree, "<example>", Namer(names_in(tree)))
    for converter in CONVERTERS:
        if converter.name == stage:
            converter.convert(context)
    return to_source(tree).strip()


def _run(context: Context) -> Iterator[str]:
    with ag_spelled(context.ag):
        for converter in CONVERTERS:
            converter.convert(context)
            if not converter.keeps_flow:
                context.forget()
            yield converter.name
