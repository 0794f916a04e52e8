"""Give names that may have no value an explicit one: `ag.Undefined`.

    >>> from autograph.pipeline import show
    >>> print(show('undefined_names', '''
    ... def f(x):
    ...     if x > 0:
    ...         y = x
    ...     return y
    ... '''))
    def f(x):
        y = ag.Undefined('y')
        if x > 0:
            y = x
        return ag.defined(y)

Only where a block function takes such a name, or reads it: elsewhere Python itself raises
`UnboundLocalError`. `ag.defined` stands on the reads that the analysis cannot prove safe; with
`free`, it raises the `NameError` that Python raises in a function that captures the name.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.blocks import Flow, parts_of_try
from autograph.analysis.flow import COMPOUND
from autograph.analysis.scopes import (
    FUNCTIONS,
    asked_for,
    free_names,
    mentions,
    own_nodes,
    parameters,
)
from autograph.context import Context
from autograph.quoting.builders import (
    assign,
    call_ag,
    constant,
    expression_statement,
    name_load,
    name_store,
)
from autograph.quoting.templates import quote
from autograph.rewriting import replace_reads, rewrite_statements


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    for function in context.functions:
        flow = context.flow(function)
        names = _names(function, flow)
        if names:
            _guard_reads(context, function, flow, names)
            function.body = _introduce(function, flow, names)


def _names(function: Any, flow: Flow) -> set[str]:
    """Names that may have no value where a block takes them or reads them."""
    names: set[str] = set()
    bound: set[str] = set()
    shared: set[str] = set()
    lost: set[str] = set()
    for node, taken in flow.functional.items():
        local_shared = flow.scope.locals.intersection(taken.shared)
        names |= local_shared.union(taken.inputs) - flow.defined.before.get(node, frozenset())
        names |= local_shared.union(taken.outputs).intersection(_deleted(node, flow))
        bound |= flow.bound(node)
        shared |= local_shared
        lost |= flow.bound(node).difference(taken.outputs, taken.shared)
    # What one block binds for itself alone is no variable of the function for another to assign.
    names |= shared & lost
    if not flow.defined.unsafe:
        return names
    late = _late_nodes(function, flow)
    # A name that only blocks bind would no longer be local to the function, but global.
    return names | {r.id for r in flow.defined.unsafe if r in late or r.id in bound}


def _deleted(node: Any, flow: Flow) -> set[str]:
    parts = parts_of_try(node) if isinstance(node, gast.Try) else [node.body, node.orelse]
    return {name for part in parts for name in flow.mentions(part).deleted}


def _late_nodes(function: Any, flow: Flow) -> set[gast.AST]:
    """Nodes that will stand inside a block function or a lambda."""
    inside: list[Any] = []
    for node in flow.functional:
        test = [node.test] if isinstance(node, gast.While) else []
        parts = parts_of_try(node) if isinstance(node, gast.Try) else [node.body, node.orelse]
        inside += [*test, *(statement for part in parts for statement in part)]
    for node in own_nodes(function.body):
        match node:
            case gast.IfExp():
                inside += [node.body, node.orelse]
            case gast.BoolOp():
                inside += node.values[1:]
            case gast.Compare():
                inside += node.comparators[1:]
            case gast.Assert():
                inside.append(node.msg)
    return set(own_nodes(inside))


def _guard_reads(context: Context, function: Any, flow: Flow, names: set[str]) -> None:
    unsafe = {read for read in flow.defined.unsafe if read.id in names}
    free = _free_reads(function, names, unsafe)

    def name(node: gast.Name) -> gast.expr:
        if node in free:
            return call_ag("defined", [node], node, {"free": constant(True, node)})
        return call_ag("defined", [node], node) if node in unsafe else node

    def augmented(node: gast.AugAssign) -> list[gast.stmt]:
        return [*_check(node.target), node] if node.target in unsafe else [node]

    def delete(node: gast.Delete) -> list[gast.stmt]:
        return [made for target in node.targets for made in _delete(target)]

    def _delete(target: Any) -> list[gast.stmt]:
        if not isinstance(target, gast.Name) or target.id not in names:
            return [gast.copy_location(gast.Delete(targets=[target]), target)]
        check = _check(target) if target in unsafe else []
        return [*check, assign(target.id, _undefined(target.id, target), target)]

    def try_(node: Any) -> Any:
        if node in flow.functional:
            return node  # its handlers become functions, whose parameter it is
        for handler in node.handlers:
            if handler.name is not None and handler.name.id in names:
                _outlive(handler, context.namer.available("error"))
        return node

    rules = {gast.AugAssign: augmented, gast.Delete: delete, gast.Try: try_, gast.TryStar: try_}
    rewrite_statements(function, rules)
    for statement in function.body:
        replace_reads(statement, name)


def _free_reads(function: Any, names: set[str], unsafe: set[Any]) -> set[Any]:
    """The reads of names from inside a nested function or class."""
    free: set[Any] = set()
    for nested in own_nodes(function.body):
        if isinstance(nested, (*FUNCTIONS, gast.Lambda, gast.GeneratorExp)):
            free |= _reads(nested, names & free_names(nested))
        elif isinstance(nested, gast.ClassDef):
            free |= _reads(nested, names) & unsafe
        for part in asked_for(nested):
            free |= _reads(part, names)
    return free


def _outlive(handler: Any, error: str) -> None:
    # Python unbinds the name, however the handler is left: that must be an assignment too.
    name, at, last = handler.name.id, handler.name, handler.body[-1]
    handler.name = name_store(error, at)
    handler.body = quote(
        """
        name = error
        try:
            body
        finally:
            unbind
        """,
        at=at,
        name=name,
        error=error,
        body=handler.body,
        unbind=[assign(name, _undefined(name, last), last)],
    )


def _reads(nested: Any, names: set[str]) -> set[Any]:
    if not names:
        return set()
    return {
        node
        for node in gast.walk(nested)
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load) and node.id in names
    }


def _check(name: gast.Name) -> list[gast.stmt]:
    return [expression_statement(call_ag("defined", [name_load(name.id, name)], name), name)]


def _undefined(name: str, at: gast.AST) -> gast.expr:
    return call_ag("Undefined", [constant(name, at)], at)


def _introduce(function: Any, flow: Flow, names: set[str]) -> list[gast.stmt]:
    """The body, with each name made undefined before the first statement that may not bind it."""
    made: list[gast.stmt] = []
    pending = flow.scope.sort(names.difference(parameters(function)))
    for statement in function.body:
        is_declaration = isinstance(statement, gast.AnnAssign) and statement.value is None
        if pending and not is_declaration:
            found = mentions(statement)
            is_compound = isinstance(statement, COMPOUND)
            # Others that capture a name may bind it from here on.
            seen = {**found.read, **found.captured}
            met = found.mentioned if is_compound else {**found.bound, **seen}
            late = met if is_compound else {**found.maybe, **seen}
            introduced = [name for name in pending if name in late]
            made += [assign(name, _undefined(name, statement), statement) for name in introduced]
            pending = [name for name in pending if name not in met]
        made.append(statement)
    return made
