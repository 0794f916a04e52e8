"""Forward substitution: an expression that is read once is written where it is read.

    add = i + 1
    proceed = n > add          proceed = n > i + 1

What is written in another place must not fail there, and must not be computed again: by a loop, or
by an expression that names it twice. A branch between a test and a known truth becomes `and` or
`or`. What checks itself in Python is not checked.
"""

from __future__ import annotations

from collections import defaultdict

from runtime.core.forms import Form, is_bool
from runtime.core.types import NumberType, Type
from runtime.graph.executors import lowered
from runtime.graph.executors.lowered import Block, Expression, Local, Must, Statement, leaves
from runtime.graph.executors.scalars import template

LONGEST = 5
"""Ops in one expression."""

_BOOL = NumberType("bool")


def substitute(body: Block) -> None:
    """Put expressions of a function's body where they are read."""
    _Substitution(body)


class _Substitution:
    """`uses` are the loops in which a local is read, twice where it needs a name; `made` those in
    which it is assigned. What is `held` waits for its reader.
    """

    def __init__(self, body: Block) -> None:
        self.uses: dict[Local, list[lowered.Loop | None]] = defaultdict(list)
        self.made: dict[Local, lowered.Loop | None] = {}
        self.held: dict[Local, Expression] = {}
        self.count(body, None)
        self.block(body)

    # Who reads what

    def count(self, block: Block, loop: lowered.Loop | None) -> None:
        block.statements = [each for each in block.statements if not _is_implied(each)]
        for statement in block.statements:
            self.made.update(dict.fromkeys(statement.targets, loop))
            needs_name = isinstance(statement, lowered.Check)
            for expression in statement.inputs:
                self.read(expression, loop, needs_name)
            for local in _in_memory(statement):
                self.uses[local] += loop, loop
            for inner in statement.blocks:
                self.count(inner, statement if isinstance(statement, lowered.Loop) else loop)
        for expression in block.results:
            self.read(expression, loop)

    def read(
        self, expression: Expression, loop: lowered.Loop | None, needs_name: bool = False
    ) -> None:
        if isinstance(expression, Local):
            self.uses[expression] += (loop, loop) if needs_name else (loop,)
        elif isinstance(expression, lowered.Apply):
            repeated = template(expression.form.text).repeated
            for at, operand in enumerate(expression.operands):
                self.read(operand, loop, needs_name or at in repeated)
        elif not isinstance(expression, lowered.Constant):
            for operand in expression.operands:
                self.read(operand, loop, needs_name)

    # What is written where

    def block(self, block: Block) -> None:
        kept: list[Statement] = []
        for statement in block.statements:
            statement.inputs = list(map(self.written, statement.inputs))
            for inner in statement.blocks:
                self.block(inner)
            chosen = _logic(statement) if isinstance(statement, lowered.If) else statement
            if not self.holds(chosen):
                kept.append(chosen)
        block.statements = kept
        block.results = list(map(self.written, block.results))

    def written(self, expression: Expression) -> Expression:
        """The expression with those in it that are read there."""
        if isinstance(expression, Local):
            return self.held.get(expression, expression)
        if isinstance(expression, lowered.Constant):
            return expression
        expression.operands = list(map(self.written, expression.operands))
        if isinstance(expression, lowered.Apply):
            sizes = [
                operand.size
                for operand in expression.operands
                if isinstance(operand, lowered.Apply)
            ]
            expression.size = 1 + sum(sizes)
        return expression

    def holds(self, statement: Statement) -> bool:
        """True if a statement needs not be written in its place, or not at all."""
        value = statement.inputs[0] if isinstance(statement, lowered.Assign) else None
        if not isinstance(value, lowered.Apply) or not value.movable:
            return False
        (target,) = statement.targets
        uses = self.uses[target]
        if not uses:
            return True
        if value.size > LONGEST or uses != [self.made[target]]:
            return False
        self.held[target] = value
        return True


def _is_implied(statement: Statement) -> bool:
    """True for a check that Python's own numbers, and NumPy's arrays, make themselves."""
    return isinstance(statement, lowered.Check) and statement.must not in (Must.WRAP, Must.FIT)


def _in_memory(statement: Statement) -> list[Local]:
    return [local for expression in statement.memory for local in leaves(expression)]


def _logic(statement: lowered.If) -> Statement:
    """A choice between a truth and a known one, as Python writes it: `a and b`."""
    body, orelse = statement.blocks
    if len(statement.targets) != 1 or body.statements or orelse.statements:
        return statement
    (test,), (target,) = statement.inputs, statement.targets
    if body.before or not (body.results and orelse.results and _is_truth(target.type)):
        return statement
    (yes,), (no,) = body.results, orelse.results
    if target.type == _BOOL and not _type(test) == _type(yes) == _type(no) == _BOOL:
        return statement
    for known, other, forms in (
        (no, yes, ("{} and {}", "not {} or {}")),
        (yes, no, ("not {} and {}", "{} or {}")),
    ):
        if isinstance(known, lowered.Constant):
            form = Form(forms[bool(known.item)])
            made = lowered.Apply(form, [test, other], target.type, statement.node, True)
            made.size = 1 + sum(
                each.size for each in (test, other) if isinstance(each, lowered.Apply)
            )
            return lowered.Assign(statement.node, [made], [target])
    return statement


def _is_truth(type: Type) -> bool:
    return is_bool(type) or type == _BOOL


def _type(expression: Expression) -> Type | None:
    return getattr(expression, "type", None)
