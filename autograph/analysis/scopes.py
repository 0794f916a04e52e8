"""The names that a piece of code reads and binds, and whose names they are.

`mentions` answers for one piece of code (a statement or an expression) in the scope that it stands
in; `scope_of` for a whole function. Comprehensions of lists, sets and dicts run where they stand,
so what they read counts as read there. Functions, lambdas and generator expressions run later: the
names that they take from around them are *captured*. So do what `type` gives a name to, the bounds
and defaults of type parameters, and from Python 3.14 on annotations.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gast

from autograph.trees import NODE_FIELDS

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef)

_LATE_ANNOTATIONS = sys.version_info >= (3, 14)


class Mentions:
    """The uses of names in a piece of code; each dict is an ordered set, in order of the tree.

    `early` are those bound inside an expression (`:=`), `maybe` those of them that a comprehension
    binds, or not if it is empty.
    """

    __slots__ = (
        "bound", "captured", "deleted", "early", "global_", "maybe", "mentioned", "nonlocal_",
        "read",
    )  # fmt: skip

    def __init__(self) -> None:
        self.maybe: dict[str, None] = {}
        self.early: dict[str, None] = {}
        self.read: dict[str, None] = {}
        self.bound: dict[str, None] = {}
        self.deleted: dict[str, None] = {}
        self.captured: dict[str, None] = {}
        self.global_: dict[str, None] = {}
        self.nonlocal_: dict[str, None] = {}
        self.mentioned: dict[str, None] = {}


MentionsOf = Callable[[Any], Mentions]


class Scope(NamedTuple):
    """The names of one function.

    Attributes:
        order: every name mentioned in it, with the place of its first mention.
        locals: names bound in it.
        outer: names bound in it that belong to another scope (`global`, `nonlocal`).
        captured: names that functions, lambdas and generator expressions inside take from around
            them.
    """

    order: dict[str, int]
    locals: frozenset[str]
    globals: frozenset[str]
    captured: frozenset[str]
    flags: frozenset[str]
    outer: frozenset[str]

    def sort(self, names: Any) -> list[str]:
        """Names in order of their first mention."""
        last = len(self.order)
        return sorted(names, key=lambda name: (self.order.get(name, last), name))


def mentions(node: Any) -> Mentions:
    """Returns the uses of names in a statement, an expression, or a list of them."""
    found = Mentions()
    _Visitor(found).visit(node)
    return found


def remembered_mentions() -> MentionsOf:
    """`mentions` that looks at each node, or list of nodes, once: for a tree that stays."""
    # The node is kept with the answer: its id must not pass to another one.
    known: dict[int, tuple[Any, Mentions]] = {}

    def mentions_of(node: Any) -> Mentions:
        found = known.get(id(node))
        if found is None:
            found = known[id(node)] = (node, mentions(node))
        return found[1]

    return mentions_of


def scope_of(function: Any, flags: frozenset[str] = frozenset()) -> Scope:
    """The scope of a function definition or a lambda.

    Args:
        flags: generated names; what captures them is generated too, and runs where it stands.
    """
    found = _inside(function)
    outer = found.global_.keys() | found.nonlocal_.keys()
    return Scope(
        order={name: index for index, name in enumerate(found.mentioned)},
        locals=frozenset(found.bound.keys() - outer),
        globals=frozenset(found.global_),
        captured=frozenset(found.captured) - flags,
        flags=flags,
        outer=frozenset(outer),
    )


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters, in order."""
    args = function.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg.id for arg in every if arg is not None]


def free_names(function: Any) -> set[str]:
    """The names that a function, lambda or generator expression takes from around it."""
    if isinstance(function, gast.GeneratorExp):
        found = Mentions()
        _Visitor(found).comprehension(function, function.generators)
        return found.read.keys() | found.captured.keys() | found.bound.keys()
    found = _inside(function)
    used = found.read.keys() | found.captured.keys() | found.deleted.keys()
    own = (found.bound.keys() | found.global_.keys()) - found.nonlocal_.keys()
    return (used - own) | found.nonlocal_.keys()


def _inside(function: Any) -> Mentions:
    """Returns the uses of names in a function, parameters included: one walk, nested ones too."""
    found = Mentions()
    visitor = _Visitor(found)
    for name in parameters(function):
        found.bound[name] = found.mentioned[name] = None
    visitor.visit(function.body)
    return found


def own_nodes(node: Any) -> Iterator[gast.AST]:
    """The nodes of a tree (or list of trees) that are evaluated in the scope that it stands in.

    Of a function, lambda or class, that is what is evaluated where it is defined.
    """
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, gast.AST):
            yield item
            evaluated = _EVALUATED.get(type(item))
            item = children(item) if evaluated is None else evaluated(item)
        elif not isinstance(item, list):
            continue
        pending.extend(reversed(item))


def children(node: gast.AST) -> list[Any]:
    """The nodes, and the lists, in the fields of a node, but contexts and operators."""
    found, held = [], node.__dict__
    for field in NODE_FIELDS[type(node)]:
        part = held.get(field)
        if isinstance(part, _TREES):
            found.append(part)
    return found


_TREES = (gast.AST, list)


def _defaults(node: Any) -> list[Any]:
    return [node.args.defaults, node.args.kw_defaults]


# What is evaluated where a function or a class is defined.
_EVALUATED: dict[type, Callable[[Any], list[Any]]] = {
    gast.FunctionDef: lambda node: [node.decorator_list, *_defaults(node)],
    gast.AsyncFunctionDef: lambda node: [node.decorator_list, *_defaults(node)],
    gast.Lambda: _defaults,
    # Its body runs where it stands, but its names are the class's.
    gast.ClassDef: lambda node: [node.decorator_list, node.bases, node.keywords],
}


def asked_for(node: Any) -> list[Any]:
    """The parts of a definition that Python evaluates when somebody asks for them."""
    if isinstance(node, gast.TypeAlias):
        return [node.value, *node.type_params]
    if isinstance(node, FUNCTIONS):
        return [*node.type_params, *(_annotations(node) if _LATE_ANNOTATIONS else [])]
    return node.type_params if isinstance(node, gast.ClassDef) else []


def functions_in(tree: gast.AST) -> list[Any]:
    """Every function definition of a tree, outer ones first."""
    return [node for node in gast.walk(tree) if isinstance(node, FUNCTIONS)]


def suspends(node: Any) -> bool:
    """Whether running this may suspend the function: `yield`, `await`, `async`."""
    # A comprehension has the flag `is_async`; of the others, each suspends.
    return any(
        isinstance(found, _SUSPENDING) and getattr(found, "is_async", True)
        for found in own_nodes(node)
    )


_SUSPENDING = (
    gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith, gast.comprehension,
)  # fmt: skip


class _Visitor:
    """Fills a `Mentions`. `hidden` holds the names of the comprehensions that it is in.

    `in_class` is for the body of a class, whose annotations are evaluated.
    """

    def __init__(
        self, found: Mentions, hidden: frozenset[str] = frozenset(), *, in_class: bool = False
    ) -> None:
        self.found = found
        self.hidden = hidden
        self.in_class = in_class

    def visit(self, node: Any) -> None:
        if isinstance(node, list):
            for item in node:
                self.visit(item)
            return
        if not isinstance(node, gast.AST):
            return
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.generic(node)

    def generic(self, node: gast.AST) -> None:
        for part in children(node):
            self.visit(part)

    def name(self, node: gast.Name) -> None:
        if isinstance(node.ctx, gast.Load):
            self.read(node.id)
        elif isinstance(node.ctx, gast.Del):
            self.read(node.id)
            self.bind(node.id)
            self.found.deleted[node.id] = None
        else:
            self.bind(node.id)
        if node.annotation is not None:
            self.visit(node.annotation)

    def read(self, name: str) -> None:
        if name not in self.hidden:
            self.found.read[name] = self.found.mentioned[name] = None

    def bind(self, name: str | None) -> None:
        if name is not None:
            self.found.bound[name] = self.found.mentioned[name] = None

    def capture(self, names: set[str]) -> None:
        for name in sorted(names - self.hidden):
            self.found.captured[name] = self.found.mentioned[name] = None

    def walrus(self, node: gast.NamedExpr) -> None:
        self.found.early[node.target.id] = None
        if self.hidden:
            self.found.maybe[node.target.id] = None
        self.generic(node)

    def augmented(self, node: gast.AugAssign) -> None:
        if isinstance(node.target, gast.Name):
            self.read(node.target.id)
        self.generic(node)

    def function(self, node: Any) -> None:
        self.bind(node.name)
        args = node.args
        self.visit([node.decorator_list, args.defaults, args.kw_defaults])
        if not _LATE_ANNOTATIONS:
            self.visit(_annotations(node))
        self.asked_for(node)
        self.capture(free_names(node))

    def asked_for(self, node: Any) -> None:
        inside = mentions(asked_for(node))
        own = {param.name for param in getattr(node, "type_params", ())}
        self.capture((inside.read.keys() | inside.captured.keys()) - own)

    def type_alias(self, node: gast.TypeAlias) -> None:
        self.bind(node.name.id)
        self.asked_for(node)

    def annotated(self, node: gast.AnnAssign) -> None:
        if self.in_class and _LATE_ANNOTATIONS:
            inside = mentions(node.annotation)
            self.capture(inside.read.keys() | inside.captured.keys())
            self.visit([node.target, node.value])
        else:
            self.generic(node)

    def lambda_(self, node: gast.Lambda) -> None:
        self.visit([node.args.defaults, node.args.kw_defaults])
        self.capture(free_names(node))

    def class_(self, node: gast.ClassDef) -> None:
        self.bind(node.name)
        self.visit([node.decorator_list, node.bases, node.keywords])
        self.asked_for(node)
        inside = Mentions()
        _Visitor(inside, in_class=True).visit(node.body)
        for name in inside.read.keys() - inside.bound.keys():
            self.read(name)
        # A name that the class binds may still be the function's where it is read before.
        self.capture((inside.captured.keys() | inside.read.keys()) & inside.mentioned.keys())

    def comprehension_(self, node: Any) -> None:
        self.visit(node.generators[0].iter)
        if isinstance(node, gast.GeneratorExp):
            self.capture(free_names(node))
            self.bind_maybe(node)
        else:
            self.comprehension(node, node.generators)

    def bind_maybe(self, node: gast.GeneratorExp) -> None:
        """Bind in the function what a generator expression binds."""
        inside = Mentions()
        _Visitor(inside).comprehension(node, node.generators)
        for name in inside.early:
            self.bind(name)
            self.found.early[name] = self.found.maybe[name] = None

    def comprehension(self, node: Any, generators: list[Any]) -> None:
        """All of it but the first iterable, which is evaluated outside."""
        targets = mentions([generator.target for generator in generators]).bound
        inner = _Visitor(self.found, self.hidden | targets.keys())
        elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        inner.visit([generator.iter for generator in generators[1:]])
        inner.visit([generator.ifs for generator in generators])
        inner.visit(elements)

    def handler(self, node: Any) -> None:
        self.visit(node.type)
        if node.name is not None:
            self.bind(node.name.id)
            self.found.deleted[node.name.id] = None  # behind the handler
        self.visit(node.body)

    def alias(self, node: gast.alias) -> None:
        name = node.asname or node.name.partition(".")[0]
        self.bind(None if name == "*" else name)

    def capture_pattern(self, node: Any) -> None:
        self.bind(getattr(node, "name", None) or getattr(node, "rest", None))
        self.generic(node)

    def global_(self, node: gast.Global) -> None:
        for name in node.names:
            self.found.global_[name] = self.found.mentioned[name] = None

    def nonlocal_(self, node: gast.Nonlocal) -> None:
        for name in node.names:
            self.found.nonlocal_[name] = self.found.mentioned[name] = None


def _annotations(function: Any) -> list[Any]:
    args = function.args
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    given = [function.returns, *(arg.annotation for arg in every if arg is not None)]
    return [annotation for annotation in given if annotation is not None]


_HANDLERS: dict[type, Any] = {
    gast.Name: _Visitor.name,
    gast.NamedExpr: _Visitor.walrus,
    gast.AugAssign: _Visitor.augmented,
    gast.FunctionDef: _Visitor.function,
    gast.AsyncFunctionDef: _Visitor.function,
    gast.Lambda: _Visitor.lambda_,
    gast.ClassDef: _Visitor.class_,
    gast.TypeAlias: _Visitor.type_alias,
    gast.AnnAssign: _Visitor.annotated,
    gast.ListComp: _Visitor.comprehension_,
    gast.SetComp: _Visitor.comprehension_,
    gast.DictComp: _Visitor.comprehension_,
    gast.GeneratorExp: _Visitor.comprehension_,
    gast.ExceptHandler: _Visitor.handler,
    gast.alias: _Visitor.alias,
    gast.MatchAs: _Visitor.capture_pattern,
    gast.MatchStar: _Visitor.capture_pattern,
    gast.MatchMapping: _Visitor.capture_pattern,
    gast.Global: _Visitor.global_,
    gast.Nonlocal: _Visitor.nonlocal_,
}
