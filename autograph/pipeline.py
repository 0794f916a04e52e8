"""The converters in their order, and running them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import gast

from autograph.compiler import parse
from autograph.context import Context
from autograph.converters import (
    assert_statements,
    boolean_operators,
    break_statements,
    calls,
    comparisons,
    comprehensions,
    continue_statements,
    definite_exits,
    displays,
    for_statements,
    frame_calls,
    growing_lists,
    hoisting,
    if_statements,
    item_assignments,
    item_reads,
    match_statements,
    raise_statements,
    raising_guards,
    return_statements,
    starred_targets,
    super_calls,
    ternaries,
    texts,
    try_statements,
    undefined_names,
    while_statements,
    with_statements,
)
from autograph.forms import Form
from autograph.quoting.nodes import ag_spelled
from autograph.rewriting import Rule, Rules, rewrite
from autograph.trees import to_gast


class Converter(NamedTuple):
    """One step.

    Attributes:
        name: the construct that it lowers.
        convert: changes the tree of a context; None for one that is given by `rules`.
        rules: makes the rewriting rules of a context; neighbours' are applied in one go.
        keeps_flow: whether the analyses made before it hold after it.
    """

    name: str
    convert: Callable[[Context], None] | None
    rules: Callable[[Context], Rules] | None
    keeps_flow: bool


def _converter(module: Any, keeps_flow: bool = False) -> Converter:
    name = module.__name__.rpartition(".")[2]
    convert, rules = getattr(module, "convert", None), getattr(module, "rules", None)
    return Converter(name, convert, rules, keeps_flow)


CONVERTERS = (
    _converter(match_statements),  # first: the others need no way for patterns
    _converter(raising_guards),  # while each `try` is the user's, and each guard one statement
    _converter(with_statements),  # before exits, which a `try` has its way with
    _converter(raise_statements),  # before there is an analysis: it makes an `if`
    _converter(growing_lists),  # early: it looks at statements as the user wrote them
    _converter(hoisting),  # the only one that makes loops and exits of expressions
    # Exits early, while statements still stand as the user wrote them.
    _converter(definite_exits),  # an `else` spares most of what follows a flag
    _converter(continue_statements),  # before `break`: both may leave the same loop
    _converter(break_statements),  # before `return`: takes a loop's `else` out of the way
    _converter(return_statements),
    _converter(super_calls),  # before blocks are made, when all stands where it will be
    _converter(item_assignments),  # makes `x` of `x[i] = v` a name that is assigned
    # One analysis serves the next five: lowering one statement changes no name around another.
    _converter(undefined_names, keeps_flow=True),
    _converter(while_statements, keeps_flow=True),
    _converter(for_statements, keeps_flow=True),
    _converter(try_statements, keeps_flow=True),
    _converter(if_statements),
    _converter(frame_calls),  # as soon as the blocks are made
    # Expressions last: their lambdas would look like closures that capture names.
    _converter(assert_statements),
    _converter(comparisons),
    _converter(boolean_operators),
    _converter(ternaries),
    _converter(texts),
    _converter(comprehensions),
    _converter(item_reads),
    _converter(starred_targets),
    _converter(displays),  # after those that look for dicts
    _converter(calls),  # after all that removes calls or makes its own
)


class Converted(NamedTuple):
    """A converted definition: its tree, its block functions, and the name it calls `ag` by."""

    tree: Any
    blocks: list[gast.FunctionDef]
    ag: str


def convert(
    tree: Any, filename: str = "<unknown>", form: Form = Form.PLAIN, block: str | None = None
) -> Converted:
    """Convert a function definition in place, in a form.

    `block` is what the generator of a context manager calls the block of its `with` by.

    Raises:
        ConversionError: a construct that is not supported, with its place in `filename`.
    """
    context = Context(tree, filename, form, block)
    _run(context, _STEPS)
    return Converted(context.tree, context.blocks, context.ag)


def stages(
    tree: Any, filename: str = "<unknown>", form: Form = Form.PLAIN
) -> Iterator[tuple[str, Converted]]:
    """Convert a function definition in place; yields the name and the tree after each converter."""
    context = Context(tree, filename, form)
    for converter in CONVERTERS:
        _run(context, [[converter]])
        yield converter.name, Converted(context.tree, context.blocks, context.ag)


def show(stage: str, source: str, form: Form = Form.PLAIN) -> str:
    """The text of a function definition after the converters up to `stage`, without blank lines."""
    from autograph.printing import to_source

    tree = to_gast(parse(textwrap.dedent(source)).body[0])
    shown = next(made.tree for name, made in stages(tree, form=form) if name == stage)
    return "\n".join(line for line in to_source(shown).splitlines() if line)


def _run(context: Context, steps: Sequence[Sequence[Converter]]) -> None:
    with ag_spelled(context.ag):
        for step in steps:
            if step[0].convert is not None:
                step[0].convert(context)
            rules: dict[type[gast.AST], Rule] = {}
            for converter in step:
                rules |= converter.rules(context) if converter.rules else {}
            if rules:
                rewrite(context.tree, rules)
            if not step[0].keeps_flow:
                context.forget()


# Rules for different nodes do not meet: those of neighbours need but one walk.
_STEPS = [
    list(group)
    for _, group in groupby(CONVERTERS, lambda step: "rules" if step.rules else step.name)
]
