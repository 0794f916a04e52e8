"""Exits as flags: `break`, `continue` and `return` that cannot stay where they are.

An exit sets its flag; what follows a statement that may set it is guarded by the flag; a loop that
it leaves stops on it. `definite_exits` has run before, so that a guard stands only where the flag
may be either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analysis.flow import DISCARDS, EXITS, MANAGER, completions, exits, may_swallow
from autograph.analysis.scopes import mentions, own_nodes
from autograph.context import Context
from autograph.quoting.builders import assign, call_ag, constant, lambda_of, name_load
from autograph.quoting.templates import quote, quote_expr

Value = Callable[[Any], list[gast.stmt]]

_TRIES = gast.Try, gast.TryStar


class ExitLowering:
    """Lowers one kind of exit in one function or loop.

    Args:
        context: the conversion.
        kind: `break`, `continue` or `return`.
        flag: the flag's name.
        value: the assignments that stand before the flag is set, in place of an exit.
        held: the name that these assign, if there is one.
    """

    def __init__(
        self,
        context: Context,
        kind: str,
        flag: str,
        value: Value = lambda exit_: [],
        held: str | None = None,
    ) -> None:
        self.context = context
        self.kind = kind
        self.flag = flag
        context.flags.update((flag, held) if held else (flag,))
        self.value = value
        self.held = held

    def block(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """These statements with their exits lowered."""
        for index, statement in enumerate(statements):
            if self.kind not in exits(statement):
                continue
            before, rest = statements[:index], statements[index + 1 :]
            if isinstance(statement, gast.Break | gast.Continue | gast.Return):
                return [*before, *self.value(statement), set_flag(self.flag, statement)]
            return [*before, *self.lowered(statement), *self.guard(rest, statement)]
        return statements

    def guard(self, statements: list[gast.stmt], at: gast.stmt) -> list[gast.stmt]:
        """These statements, run only if the flag is not set, which `at` may do.

        The guard stands where that does: the line of the first statement is not reached with it.
        """
        if not statements:
            return []
        body = self.block(statements)
        if len(body) == 1 and self._is_guard(body[0]):
            guard: Any = body[0]
            either = quote_expr("flag or other", at=at, flag=self.flag, other=guard.test.operand)
            guard.test.operand = either
            return body
        return quote("if not flag: body", at=at, flag=self.flag, body=body)

    def _is_guard(self, node: Any) -> bool:
        """Whether a statement is what another flag guards already."""
        return (
            isinstance(node, gast.If)
            and not node.orelse
            and isinstance(node.test, gast.UnaryOp)
            and isinstance(node.test.op, gast.Not)
            and self.context.flags.issuperset(mentions(node.test).read)
        )

    def lowered(self, node: Any) -> list[gast.stmt]:
        """A compound statement with its exits lowered, and what stands around it for that."""
        if isinstance(node, gast.Try) and _leaves_twice(node, self.kind):
            return self._twice(node)
        self.inside(node)
        return [node]

    def inside(self, node: Any) -> None:
        """Lower the exits inside a compound statement."""
        if isinstance(node, gast.For | gast.While):
            self.loop(node)
        elif isinstance(node, gast.If):
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        elif hasattr(node, MANAGER) and self._may_be_swallowed(node):
            node.body = self.apart(node.body)  # its handler is the manager's
        elif isinstance(node, gast.Try | gast.TryStar):
            self.try_(node)
        elif isinstance(node, gast.Match):
            for case in node.cases:
                case.body = self.block(case.body)
        elif self._may_be_swallowed(node):
            node.body = self.apart(node.body)
        else:
            node.body = self.block(node.body)

    def _may_be_swallowed(self, node: Any) -> bool:
        """Whether a `with` may end without the exit that was taken in it: an exception came after
        it, and was swallowed.
        """
        return (hasattr(node, MANAGER) or may_swallow(node)) and any(
            self.kind in exits(part) for part in own_nodes(node.body) if _cleans_up(part)
        )

    def apart(self, statements: list[gast.stmt]) -> list[gast.stmt]:
        """These statements, with a flag of their own that counts if their end is reached."""
        at, flag = statements[-1], self.flag
        self.flag = self.context.namer.fresh(f"{flag}_inside")
        self.context.flags.add(self.flag)
        inside = self.flag
        body = self.block(statements)
        self.flag = flag
        return [clear_flag(inside, at), *body, assign(flag, name_load(inside, at), at)]

    def loop(self, node: Any) -> None:
        # A `break` or `continue` that leaves an inner loop stands in its `else`.
        if self.kind in completions(node.body) and self.kind == "return":
            node.body = self.block(node.body)
            stop_on(node, self.flag, self.context)
            node.orelse = self.guard(node.orelse, node)
        else:
            node.orelse = self.block(node.orelse)

    def try_(self, node: Any) -> None:
        may_leave_body = self.kind in completions(node.body)
        node.body = self.block(node.body)
        orelse = node.orelse
        node.orelse = self.guard(orelse, node.body[-1]) if may_leave_body else self.block(orelse)
        for handler in node.handlers:
            handler.body = self.block(handler.body)
            if may_leave_body and _may_raise_on_the_way_out(node.body):
                handler.body.insert(0, clear_flag(self.flag, handler.body[0]))
        if self.kind in completions(node.finalbody):
            node.finalbody = self.block(node.finalbody)
            setattr(node, DISCARDS, [*getattr(node, DISCARDS, []), self.flag])

    def _twice(self, node: Any) -> list[gast.stmt]:
        """A `try` whose `finally` has a flag of its own, and a name of its own for what it returns:
        it runs where the flag is set already, and may be left otherwise after all.
        """
        final, node.finalbody = node.finalbody, []
        self.try_(node)
        flag, held = self.flag, self.held
        self.flag = inside = self._further(flag)
        before, behind = [clear_flag(inside, node)], []
        if held is not None:
            self.held = own = self._further(held)
            before.append(undefined(own, node))
            put = assign(held, name_load(own, node), node)
            behind = quote("if inside: put", at=node, inside=inside, put=[put])
        node.finalbody = self.block(final)
        self.flag, self.held = flag, held
        setattr(node, DISCARDS, [*getattr(node, DISCARDS, []), inside])
        either = quote_expr("inside or flag", at=node, inside=inside, flag=flag)
        return [*before, node, *behind, assign(flag, either, node)]

    def _further(self, name: str) -> str:
        made = self.context.namer.fresh(f"{name}_finally")
        self.context.flags.add(made)
        return made


def must_stay(statements: list[gast.stmt], kind: str, context: Context) -> bool:
    """Whether exits of a kind must stay as they are.

    An exit in a `finally` discards what left the `try`: an exception, or another exit. Where a
    `try` becomes blocks, it can do so by its flag, but for an exit of another kind: `return` comes
    before the others anyway.
    """
    return any(
        isinstance(node, _TRIES)
        and kind in exits(node)
        and _stays(node, kind, context.stages_tries)
        for node in own_nodes(statements)
    )


def _stays(node: gast.Try | gast.TryStar, kind: str, stages_tries: bool) -> bool:
    final = completions(node.finalbody) & EXITS
    if not stages_tries or isinstance(node, gast.TryStar):
        return bool(final)
    if len(exits(node)) == 1:
        return False
    # Exits of other kinds are lowered before a `return`: those that are left had to stay, and would
    # pass over what `_twice` puts behind the statement.
    return bool(final - {"return"}) or (kind == "return" and _leaves_twice(node, kind))


def _leaves_twice(node: Any, kind: str) -> bool:
    """Whether a `try` may be left by its `finally`, and before that by another part of it."""
    parts = [*node.body, *node.orelse, *[part for each in node.handlers for part in each.body]]
    return kind in completions(node.finalbody) and any(kind in exits(part) for part in parts)


def stop_on(loop: Any, flag: str, context: Context) -> None:
    """Make a loop stop, before it asks for anything further, once a flag is set."""
    if isinstance(loop, gast.While):
        loop.test = _while_not(flag, loop.test)
        return
    items, stop = until_of(loop, context.ag)
    set_ = name_load(flag, loop)
    stop = set_ if stop is None else quote_expr("stop or flag", at=loop, stop=stop, flag=flag)
    loop.iter = call_ag("until", [items, lambda_of(stop, loop)], loop)


def until_of(loop: gast.For, ag: str) -> tuple[gast.expr, gast.expr | None]:
    """Returns the iterable of a `for`, and the condition on which it stops, if it has one."""
    match loop.iter:
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="until"),
            args=[items, gast.Lambda(body=stop)],
        ) if name == ag:
            return items, stop
    return loop.iter, None


def _may_raise_on_the_way_out(statements: list[gast.stmt]) -> bool:
    """Whether an exception may come after an exit was taken: then the exit does not happen."""
    return any(map(_cleans_up, own_nodes(statements)))


def _cleans_up(node: Any) -> bool:
    """Whether a statement runs something on the way out of it."""
    is_with = isinstance(node, gast.With) or hasattr(node, MANAGER)
    return is_with or (isinstance(node, gast.Try) and bool(node.finalbody))


def set_flag(flag: str, at: gast.AST) -> gast.stmt:
    """`flag = True`"""
    return assign(flag, constant(True, at), at)


def undefined(name: str, at: gast.AST) -> gast.stmt:
    """`name = ag.Undefined("name")`"""
    return assign(name, call_ag("Undefined", [constant(name, at)], at), at)


def clear_flag(flag: str, at: gast.AST) -> gast.stmt:
    """`flag = False`"""
    return assign(flag, constant(False, at), at)


def _while_not(flag: str, test: Any) -> gast.expr:
    going = quote_expr("not flag", at=test, flag=flag)
    if isinstance(test, gast.Constant) and test.value:
        return going
    rest = (
        test.values if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And) else [test]
    )
    both: Any = quote_expr("first and second", at=test, first=going, second=test)
    both.values = [going, *rest]
    return both
