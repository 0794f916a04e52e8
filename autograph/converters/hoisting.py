"""Turn expressions that bind a name where a lambda would have to hold them into statements.

    >>> from autograph.pipeline import show
    >>> print(show('hoisting', '''
    ... def f(x, g):
    ...     if x and (y := g(x)) > 0:
    ...         return y
    ...     while (x := g(x)) > 1:
    ...         pass
    ... '''))
    def f(x, g):
        value = not not x
        if value:
            value = (y := g(x)) > 0
        if value:
            return y
        while True:
            if not (x := g(x)) > 1:
                break

What is evaluated before such an expression is kept in names, so that the order stays Python's: as
its truth, where a test asks for no more. What suspends the function (`yield`, `await`) cannot be
hoisted; it is left to Python.

A comprehension that binds a name of the function is a loop, but for generators, and those with a
lambda in them that would keep a variable of the comprehension.

    >>> print(show('hoisting', '''
    ... def f(xs):
    ...     return [y for x in xs if (y := 2 * x) > 4]
    ... '''))
    def f(xs):
        value = ag.growing([])
        for x_2 in xs:
            if (y := 2 * x_2) > 4:
                value.append(y)
        return value
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

from autograph.analysis.conditions import conditions, is_bool
from autograph.analysis.scopes import free_names, own_nodes, parameters, suspends
from autograph.context import Context
from autograph.quoting.builders import assign, call_ag, name_load
from autograph.quoting.templates import quote, quote_expr
from autograph.rewriting import rewrite_statements
from autograph.trees import copy_tree, walk

# The expression of a statement that is evaluated first, before anything else that it does.
_FIRST = {
    gast.If: "test", gast.For: "iter", gast.Match: "subject", gast.Return: "value",
    gast.Assign: "value", gast.AnnAssign: "value", gast.AugAssign: "value", gast.Expr: "value",
    gast.Raise: "exc", gast.Assert: "test",
}  # fmt: skip


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    if not any(isinstance(node, gast.NamedExpr) for node in walk(context.tree)):
        return
    hoisting = _Hoisting(context)
    rules: dict[type[gast.AST], Any] = {kind: hoisting.statement for kind in _FIRST}
    rules |= {gast.While: hoisting.while_, gast.Assert: hoisting.assert_}
    for function in context.functions:
        rewrite_statements(function, rules)


class _Hoisting:
    def __init__(self, context: Context) -> None:
        self.namer = context.namer
        self.context = context
        self.in_tests = conditions(context.tree, context.ag, context.flags)
        self.kept: set[str] = set()

    def name(self) -> str:
        """A name that is assigned here and nowhere else."""
        name = self.namer.fresh("value")
        self.kept.add(name)
        return name

    def statement(self, node: Any) -> list[gast.stmt]:
        field = _FIRST[type(node)]
        value = getattr(node, field)
        if value is None or not _must_hoist(value):
            return [node]
        before, value = self.lift(value)
        setattr(node, field, value)
        return [*before, node]

    def while_(self, node: gast.While) -> list[gast.stmt]:
        if suspends(node.test) or not _binds(node.test):
            return [node]
        flag = self.namer.fresh("did_end") if node.orelse else None
        end = [] if flag is None else quote("flag = True", at=node, flag=flag)
        leave: Any = quote("if not test: end; break", at=node, test=node.test, end=end)
        rest = [part for part in node.body if not isinstance(part, gast.Pass)]
        node.body = [*self.statement(leave[0]), *rest]
        node.test = gast.copy_location(gast.Constant(value=True, kind=None), node.test)
        if flag is None:
            return [node]
        orelse, node.orelse = node.orelse, []
        start = quote("flag = False", at=node, flag=flag)
        return [*start, node, *quote("if flag: orelse", at=node, flag=flag, orelse=orelse)]

    def assert_(self, node: gast.Assert) -> list[gast.stmt]:
        if node.msg is None or not _binds(node.msg):
            return self.statement(node)
        failed: Any = quote(
            "if not test: raise AssertionError(message)",
            at=node,
            test=node.test,
            message=node.msg,
        )
        failed[0].body = self.statement(failed[0].body[0])
        return self.statement(failed[0])

    def lift(self, node: Any) -> tuple[list[gast.stmt], gast.expr]:
        """Statements to run before, and the expression that is left."""
        if not _must_hoist(node):
            return [], node
        special = _LIFTS.get(type(node))
        if special is not None and not (isinstance(node, gast.Compare) and len(node.ops) == 1):
            name = self.name()
            return special(self, node, name), name_load(name, node)
        return self.children(node), node

    def children(self, node: Any) -> list[gast.stmt]:
        """Lift what a node evaluates, in order; what comes before the last that must is kept."""
        slots = _slots(node)
        last = max(i for i, (child, _) in enumerate(slots) if _must_hoist(child))
        before: list[gast.stmt] = []
        for index, (child, put) in enumerate(slots[: last + 1]):
            made, value = self.lift(child)
            before += made
            put(value if index == last else self.keep(value, before))
        return before

    def keep(self, value: Any, before: list[gast.stmt]) -> gast.expr:
        if isinstance(value, gast.Constant) or getattr(value, "id", None) in self.kept:
            return value
        if isinstance(value, gast.Starred):
            items = gast.copy_location(gast.List([value], gast.Load()), value)
            return gast.copy_location(gast.Starred(self.keep(items, before), gast.Load()), value)
        name = self.name()
        before.append(assign(name, value, value))
        return name_load(name, value)

    def into(self, name: str, value: gast.expr) -> list[gast.stmt]:
        """Statements that assign an expression, lifted, to a name."""
        before, rest = self.lift(value)
        return [*before, assign(name, rest, value)]

    def bool_op(self, node: gast.BoolOp, name: str) -> list[gast.stmt]:
        test = "if name: rest" if isinstance(node.op, gast.And) else "if not name: rest"
        *values, last = node.values
        if node in self.in_tests:  # which ask each operand once
            values = [self.truth(value) for value in values]
        made = self.into(name, last)
        for value in reversed(values):
            made = [*self.into(name, value), *quote(test, at=node, name=name, rest=made)]
        return made

    def truth(self, value: gast.expr) -> gast.expr:
        """An expression for the truth of an operand."""
        if is_bool(value, self.context.ag, self.context.flags):
            return value
        return quote_expr("not not value", at=value, value=value)

    def if_exp(self, node: gast.IfExp, name: str) -> list[gast.stmt]:
        before, test = self.lift(node.test)
        choice = quote(
            """
            if test:
                body
            else:
                orelse
            """,
            at=node,
            test=test,
            body=self.into(name, node.body),
            orelse=self.into(name, node.orelse),
        )
        return [*before, *choice]

    def compare(self, node: gast.Compare, name: str) -> list[gast.stmt]:
        """Link by link, each only if those before it hold; a middle is evaluated once."""
        made, left = self.lift(node.left)
        steps = made
        left = self.keep(left, steps)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            before, right = self.lift(comparator)
            steps += before
            right = self.keep(right, steps)
            link = gast.copy_location(gast.Compare(left, [op], [right]), node)
            steps.append(assign(name, link, node))
            further: Any = quote("if name: pass", at=node, name=name)[0]
            steps.append(further)
            steps, left = further.body, copy_tree(right)
        return _without_empty_end(made)

    def comprehension(self, node: Any, name: str) -> list[gast.stmt]:
        """A loop that fills a list, set or dict, over variables of names of their own."""
        first, *clauses = node.generators
        before, first.iter = self.lift(first.iter)
        own = {variable: self.namer.fresh(variable) for variable in sorted(_targets(node))}
        for part in _names_inside(node):
            part.id = own.get(part.id, part.id)
        made = self.fill(node, name)
        for clause in reversed([first, *clauses]):
            for test in reversed(clause.ifs):
                made = self.statement(quote("if test: made", at=node, test=test, made=made)[0])
            loop = gast.For(clause.target, clause.iter, made, [], None)
            made = [gast.copy_location(loop, node)]
            if clause is not first:
                made = self.statement(loop)
        empty = call_ag("growing", [quote_expr(_EMPTY[type(node)], at=node)], node)
        return [*before, assign(name, empty, node), *made]

    def fill(self, node: Any, name: str) -> list[gast.stmt]:
        """Statements that put an element there, of which a key is evaluated before its value."""
        if isinstance(node, gast.DictComp):
            key = self.name()
            before, value = self.lift(node.value)
            put = quote("made[key] = value", at=node, made=name, key=key, value=value)
            return [*self.into(key, node.key), *before, *put]
        before, element = self.lift(node.elt)
        text = "made.append(item)" if isinstance(node, gast.ListComp) else "made.add(item)"
        return [*before, *quote(text, at=node, made=name, item=element)]


def _without_empty_end(statements: list[gast.stmt]) -> list[gast.stmt]:
    """Without the innermost `if` of a chain, which has nothing left to do."""
    last: Any = statements[-1]
    inner = [part for part in last.body if not isinstance(part, gast.Pass)]
    if not inner:
        return statements[:-1]
    last.body = _without_empty_end(inner)
    return statements


def _evaluated(node: Any) -> Iterator[Any]:
    """The expressions that are evaluated where a node stands; comprehensions are left out."""
    pending = [node]
    while pending:
        item = pending.pop()
        yield item
        if not isinstance(item, _OPAQUE):
            pending.extend(reversed([child for child, _ in _slots(item)]))


def _binds(node: Any) -> bool:
    """Whether an expression binds a name where it stands, as what comprehensions bind is."""
    return any(isinstance(part, gast.NamedExpr) for part in own_nodes(node))


def _must_hoist(node: Any) -> bool:
    """Whether an operand that is evaluated only sometimes binds a name."""
    if suspends(node):
        return False
    return any(_binds(late) for part in _evaluated(node) for late in _late(part))


def _late(node: Any) -> list[Any]:
    match node:
        case gast.IfExp():
            return [node.body, node.orelse]
        case gast.BoolOp():
            return list(node.values[1:])
        case gast.Compare():
            return list(node.comparators[1:])
        case gast.ListComp() | gast.SetComp() | gast.DictComp() if not _is_kept(node):
            return _repeated(node)
    return []


def _repeated(node: Any) -> list[Any]:
    """The parts of a comprehension that are evaluated for each item."""
    first, *clauses = node.generators
    elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
    return [*first.ifs, *clauses, *elements]


def _is_kept(node: Any) -> bool:
    """Whether a lambda or generator inside may keep a variable, or something inside has one of
    that name for itself.
    """
    inner = [each for part in _repeated(node) for each in walk(part) if isinstance(each, _OPAQUE)]
    late = [each for each in inner if isinstance(each, gast.Lambda | gast.GeneratorExp)]
    return not _targets(node).isdisjoint(set().union(*map(free_names, late), *map(_targets, inner)))


def _targets(node: Any) -> set[str]:
    """The variables of a comprehension, or the parameters of a lambda."""
    if isinstance(node, gast.Lambda):
        return set(parameters(node))
    parts = [part for clause in node.generators for part in walk(clause.target)]
    return {part.id for part in parts if isinstance(part, gast.Name)}


def _names_inside(node: Any) -> list[Any]:
    """The names in a comprehension, but for what Python evaluates outside of it."""
    parts = [node.generators[0].target, *_repeated(node)]
    return [each for part in parts for each in walk(part) if isinstance(each, gast.Name)]


Slot = tuple[Any, Callable[[Any], None]]


def _slots(node: Any) -> list[Slot]:
    """The expressions right below a node, in order of evaluation, and how to replace each."""
    if isinstance(node, gast.Dict):
        pairs = zip(_slots_of(node, "keys"), _slots_of(node, "values"), strict=True)
        return [slot for pair in pairs for slot in pair if slot[0] is not None]
    if isinstance(node, gast.IfExp):
        return [*_slots_of(node, "test"), *_slots_of(node, "body"), *_slots_of(node, "orelse")]
    return [slot for field in node._fields for slot in _slots_of(node, field)]


def _slots_of(node: Any, field: str) -> list[Slot]:
    value = getattr(node, field, None)
    if isinstance(value, gast.expr):
        is_target = isinstance(node, gast.NamedExpr) and field == "target"
        return [] if is_target else [(value, lambda new: setattr(node, field, new))]
    if not isinstance(value, list):
        return []
    return [slot for index in range(len(value)) for slot in _slots_in(value, index)]


def _slots_in(values: list[Any], index: int) -> list[Slot]:
    item = values[index]
    if isinstance(item, gast.keyword):
        return _slots_of(item, "value")
    is_slot = item is None or isinstance(item, gast.expr)
    return [(item, lambda new: values.__setitem__(index, new))] if is_slot else []


_OPAQUE = (gast.Lambda, gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
_LIFTS: dict[type, Callable[[_Hoisting, Any, str], list[gast.stmt]]] = {
    gast.BoolOp: _Hoisting.bool_op,
    gast.IfExp: _Hoisting.if_exp,
    gast.Compare: _Hoisting.compare,
    gast.ListComp: _Hoisting.comprehension,
    gast.SetComp: _Hoisting.comprehension,
    gast.DictComp: _Hoisting.comprehension,
}
_EMPTY = {gast.ListComp: "[]", gast.SetComp: "{*()}", gast.DictComp: "{}"}
