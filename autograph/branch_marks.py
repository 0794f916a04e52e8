"""Marks that make coverage of converted code that of the source, branches too.

Coverage counts jumps from line to line inside one frame, and each block of converted code has a
frame of its own. Where coverage runs while a function is converted, statements that do nothing
stand on the lines of a jump, one after the other, where the jump is decided. Of an `if` on line 2:

    def if_body(y):
        None  # on line 2
        y = 1  # on line 3

    def else_body(y):
        None  # on line 2
        None  # on line 4, which comes next

A mark on the line of the `def` ends what is no jump: from a header to what follows its call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import zip_longest
from typing import Any, NamedTuple

import gast

from autograph.analysis.patterns import is_left_to_python, takes_all
from autograph.analysis.scopes import FUNCTIONS, own_nodes
from autograph.quoting.nodes import Position, is_scaffold, make_node, place, position_of
from autograph.rewriting import rewrite
from autograph.trees import is_ag, walk

_LEAVING = (gast.Return, gast.Raise)
_LOOPS = (gast.For, gast.AsyncFor, gast.While)
_CONTROL = {"cond", "for_loop", "while_loop"}
_LEAVES = "leaves"  # the `kind` of a mark behind which control leaves the function


class _Next(NamedTuple):
    """The lines that control goes over, and whether it leaves the function behind them."""

    lines: tuple[int, ...] = ()
    leaves: bool = False


def mark(tree: Any) -> None:
    """Put marks into a definition as the user wrote it, and into the functions in it."""
    for function in [node for node in walk(tree) if isinstance(node, FUNCTIONS)]:
        marks = _Marks(_first_line(function))
        function.body = marks.block(function.body, _Next(leaves=True))


def finish(tree: Any, ag: str) -> None:
    """Let control in a converted definition go where the marks say, and nowhere else."""
    first = _first_line(tree)

    def control(node: Any) -> Any:
        return [node, _mark(first)] if _is_control(node.value, ag) else node

    def expression(node: Any) -> Any:
        leaves = getattr(node.value, "kind", None) == _LEAVES
        return _leaving(node) if leaves else control(node)

    rules = {gast.Assign: control, gast.Expr: expression, **dict.fromkeys(FUNCTIONS, _function)}
    rewrite(tree, rules)
    _function(tree)


class _Marks:
    """Marks for the statements of one function, which begins on line `first`."""

    def __init__(self, first: int) -> None:
        self.first = first
        # Where `return` and `raise` go, and in loops `break` and `continue`.
        self.exits: dict[type, _Next] = dict.fromkeys(_LEAVING, _Next(leaves=True))

    def block(self, statements: list[gast.stmt], after: _Next) -> list[gast.stmt]:
        marked: list[gast.stmt] = []
        for statement, following in zip_longest(statements, statements[1:]):
            goes = after if following is None else _Next((_first_line(following),))
            marked += self.statement(statement, goes)
        return marked

    def statement(self, node: Any, after: _Next) -> list[gast.stmt]:
        match node:
            case gast.Pass() | gast.Continue():
                return [_mark(node.lineno), node]
            case gast.If() | gast.For() | gast.AsyncFor() | gast.While():
                return self.jump(node, after)
            case gast.With() | gast.AsyncWith():  # its line comes again at its end
                with self.passing(node.lineno):
                    after = after._replace(lines=(node.lineno, *after.lines))
                    node.body = self.block(node.body, after)
            case gast.Match():
                self.cases(node, after)
                return [node] if is_left_to_python(node) else [_mark(node.lineno), node]
            case gast.Try() | gast.TryStar():
                self.parts(node, after)
                return [node, *map(_mark, after.lines)]
        return [node]

    def jump(self, node: Any, after: _Next) -> list[gast.stmt]:
        header = node.lineno
        inside = after
        with self.set_aside():
            if isinstance(node, _LOOPS):
                inside = _Next((header,))
                self.exits |= {gast.Continue: inside, gast.Break: after}
            node.body = [*self.on(header), *self.body(node.body, header, inside)]
        if node.orelse:
            node.orelse = [*self.on(header), *self.block(node.orelse, after)]
        else:
            node.orelse = self.going(header, after)
        return [node]

    def body(self, statements: list[gast.stmt], header: int, after: _Next) -> list[gast.stmt]:
        """A block behind a header, from whose own line control goes on where it is on that line."""
        if _first_line(statements[0]) != header:
            return self.block(statements, after)
        *others, last = statements
        if type(last) in self.exits:
            return [*others, *self.going(header, self.exits[type(last)]), last]
        return [*statements, *self.going(header, after)]

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Exits that are set in a block hold there."""
        around = dict(self.exits)
        yield
        self.exits = around

    @contextmanager
    def passing(self, line: int, *, only: bool = False) -> Iterator[None]:
        """Exits out of a block go over this line, and if it is the `only` one not on from there."""
        with self.set_aside():
            for kind, (lines, leaves) in self.exits.items():
                self.exits[kind] = _Next((line,)) if only else _Next((line, *lines), leaves)
            yield

    def on(self, header: int) -> list[gast.Expr]:
        # On the first line of a block, Python counts only what comes from another line.
        return [_mark(self.first), _mark(header)]

    def going(self, line: int, after: _Next) -> list[gast.stmt]:
        """Marks for going from a line to what comes next."""
        marks = [*self.on(line), *map(_mark, after.lines)]
        if after.leaves:
            marks[-1].value.kind = _LEAVES
            marks[-1].value.first = self.first
        return marks

    def cases(self, node: Any, after: _Next) -> None:
        lowered = not is_left_to_python(node)
        for case in node.cases:
            line = case.pattern.lineno
            before: list[gast.stmt] = []
            if lowered:
                before = [_mark(line)] if takes_all(case) else [*self.on(line)]
            case.body = [*before, *self.body(case.body, line, after)]
        last = node.cases[-1]
        if takes_all(last):
            return
        nothing = gast.MatchAs(None, None)
        line = last.pattern.lineno
        place(nothing, _on(line))
        node.cases.append(gast.match_case(nothing, None, self.going(line, after)))

    def parts(self, node: Any, after: _Next) -> None:
        behind = _Next((_first_line(node.finalbody[0]),)) if node.finalbody else after
        with self.passing(*behind.lines, only=True) if node.finalbody else nullcontext():
            with self.set_aside():
                if node.handlers:
                    self.exits[gast.Raise] = _Next((node.handlers[0].lineno,))
                node.body = self.block(
                    node.body, _Next((_first_line(node.orelse[0]),)) if node.orelse else behind
                )
            for handler in node.handlers:
                handler.body = self.block(handler.body, behind)
            node.orelse = self.block(node.orelse, behind)
        node.finalbody = self.block(node.finalbody, after)
        if node.finalbody and not node.handlers:  # an exception in a block comes from its header
            node.finalbody.insert(0, _mark(self.first))


def _first_line(node: Any) -> int:
    first: int = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
    return first


def _on(line: int) -> Position:
    return {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}


def _mark(line: int) -> Any:
    return make_node(
        gast.Expr, _on(line), value=make_node(gast.Constant, _on(line), value=None, kind=None)
    )


def _function(node: Any) -> Any:
    """Without the jumps out of it from the header of a statement that became a call."""
    if is_scaffold(node):
        return node
    line = _on(_first_line(node))
    for part in own_nodes(node.body):
        # What was built stands on a header; what the user wrote begins with `return`.
        if isinstance(part, gast.Return) and part.value and _place(part) == _place(part.value):
            place(part, line)
    if not isinstance(node.body[-1], gast.Return):
        node.body.append(_mark(line["lineno"]))
    return node


def _place(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _is_control(value: Any, ag: str) -> bool:
    """Whether a value is what a control statement became."""
    return isinstance(value, gast.Call) and is_ag(value.func, ag) and value.func.attr in _CONTROL


def _leaving(node: Any) -> list[gast.stmt]:
    """In place of a mark that leaves, a function that begins as the user's and leaves there."""
    first, name = _on(node.value.first), ".leaves"  # no name that a user can write
    arguments = gast.arguments([], [], None, [], [], None, [])
    leaves = make_node(gast.Return, position_of(node), value=None)
    function = make_node(
        gast.FunctionDef, first, name=name, args=arguments, body=[leaves], decorator_list=[],
        returns=None, type_comment=None, type_params=[],
    )  # fmt: skip
    called = make_node(
        gast.Name, first, id=name, ctx=gast.Load(), annotation=None, type_comment=None
    )
    call = make_node(gast.Call, first, func=called, args=[], keywords=[])
    return [function, make_node(gast.Expr, first, value=call)]
