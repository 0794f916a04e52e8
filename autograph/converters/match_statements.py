"""Lower `match` to `if`, pattern by pattern.

    >>> from autograph.pipeline import show
    >>> print(show('match_statements', '''
    ... def f(point, limit):
    ...     match point:
    ...         case 0 | 1:
    ...             return 'small'
    ...         case [0, y]:
    ...             return y
    ...         case [x, y] if x > limit:
    ...             return x
    ...         case _:
    ...             return None
    ... '''))
    def f(point, limit):
        if point == 0 or point == 1:
            return 'small'
        elif ag.is_sequence(point, 2) and point[0] == 0:
            y = point[1]
            return y
        else:
            did_match = ag.is_sequence(point, 2)
            if did_match:
                x = point[0]
                y = point[1]
                did_match = x > limit
            if did_match:
                return x
            else:
                return None

One with a guard that suspends the function (`yield`, `await`) is left to Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import gast

from autograph.analysis.patterns import bound_in, is_left_to_python
from autograph.context import Context
from autograph.quoting.builders import assign, call_ag, constant, name_load, name_store
from autograph.quoting.templates import quote, quote_expr
from autograph.rewriting import fits_lambda, rewrite_statements
from autograph.trees import copy_tree, walk


def convert(context: Context) -> None:
    """Apply to every function of the tree."""
    if not any(isinstance(node, gast.Match) for node in walk(context.tree)):
        return
    for function in context.functions:
        lowering = _Lowering(context)
        rewrite_statements(function, {gast.Match: lowering.match})


def _left_to_python(node: Any) -> Any:
    """The `match` of which Python asks no subject whether it is None, True or False."""
    patterns = [each for case in node.cases for each in walk(case.pattern)]
    if not any(isinstance(each, _ASKING) for each in patterns):
        return node
    singletons = [each.value for each in patterns if isinstance(each, gast.MatchSingleton)]
    asks_truth = any(type(each) is bool for each in singletons)
    given = [constant(True, node.subject)] if asks_truth else []
    node.subject = call_ag("subject", [node.subject, *given], node.subject)
    return node


_ASKING = (gast.MatchSingleton, gast.MatchClass, gast.MatchSequence, gast.MatchMapping)


class _Way(NamedTuple):
    """One way for a pattern to match: what must hold, in order, and what is bound then."""

    tests: list[gast.expr]
    names: list[tuple[str, gast.expr]]


class _Lowering:
    def __init__(self, context: Context) -> None:
        self.namer = context.namer
        # Names of parts, which each `match` takes anew. Two ways to match have none in common: what
        # they find need not be of one kind.
        self.kept: dict[str, list[str]] = {"parts": [], "part": []}
        self.used = {"parts": 0, "part": 0}
        self.display: tuple[str, int] | tuple[()] = ()

    def is_display(self, subject: gast.expr, count: int) -> bool:
        """Whether reading tells that the subject is a tuple of this length."""
        return isinstance(subject, gast.Name) and (subject.id, count) == self.display

    def is_item(self, subject: gast.expr) -> bool:
        """Whether it is an item of a tuple that was made here: it may be read again."""
        value = getattr(subject, "value", None)
        return isinstance(value, gast.Name) and value.id in (*self.display, *self.kept["parts"])

    def name(self, base: str) -> str:
        names, place = self.kept[base], self.used[base]
        self.used[base] += 1
        if place == len(names):
            names.append(self.namer.fresh(base))
        return names[place]

    def ways(self, pattern: Any, subject: gast.Name) -> list[_Way]:
        # Python runs what a pattern asks on its line.
        return [self.way(one, name_load(subject.id, one)) for one in _written_out(pattern)]

    def match(self, node: gast.Match) -> list[gast.stmt]:
        if is_left_to_python(node):
            return [_left_to_python(node)]
        self.used = dict.fromkeys(self.used, 0)
        before: list[gast.stmt] = []
        subject = node.subject
        if not isinstance(subject, gast.Name) or _rebinds(node, subject.id):
            name = self.namer.fresh("subject")
            before.append(assign(name, subject, node))
            if isinstance(subject, gast.Tuple) and not any(map(_is_star, subject.elts)):
                self.display = name, len(subject.elts)
            subject = name_load(name, subject)
        ways = [self.ways(case.pattern, subject) for case in node.cases]
        flag = ""
        if any(map(_needs_flag, node.cases, ways)):
            flag = self.namer.fresh("did_match")
        made: list[gast.stmt] = []
        for case, found in zip(reversed(node.cases), reversed(ways), strict=True):
            made = _case(case, found, made, flag)
        return [*before, *made]

    def way(self, pattern: Any, subject: gast.expr) -> _Way:
        made: _Way = _WAYS[type(pattern)](self, pattern, subject)
        return made

    def value(self, node: gast.MatchValue, subject: gast.expr) -> _Way:
        test = quote_expr("a == b", at=node, a=copy_tree(subject), b=node.value)
        return _Way([test], [])

    def singleton(self, node: gast.MatchSingleton, subject: gast.expr) -> _Way:
        test = quote_expr("a is b", at=node, a=copy_tree(subject), b=constant(node.value, node))
        return _Way([test], [])

    def as_(self, node: gast.MatchAs, subject: gast.expr) -> _Way:
        if node.pattern is None:
            return _Way([], [(node.name, copy_tree(subject))] if node.name else [])
        return self.several([node.pattern, gast.MatchAs(None, node.name)], subject)

    def or_(self, node: gast.MatchOr, subject: gast.expr) -> _Way:
        ways = self.each(node.patterns, subject)
        tests = [_joined(gast.And, way.tests, node) for way in ways if way.tests]
        return _Way([_joined(gast.Or, tests, node)] if len(tests) == len(ways) else [], [])

    def sequence(self, node: gast.MatchSequence, subject: gast.expr) -> _Way:
        stars = [i for i, part in enumerate(node.patterns) if isinstance(part, gast.MatchStar)]
        star, count = (stars or [len(node.patterns)])[0], len(node.patterns)
        more = {"more": constant(True, node)} if stars else None
        subject, first = self.named(subject, node.patterns)
        test = call_ag("is_sequence", [first, constant(count - len(stars), node)], node, more)
        ways = [] if not stars and self.is_display(subject, count) else [_Way([test], [])]
        for place, part in enumerate(node.patterns):
            at: gast.expr = constant(place if place < star else count - place, node)
            if place > star:
                at = quote_expr("-n", at=node, n=at)
            if place != star:
                item = _item(subject, at, node)
                ways.append(self.way(part, item))
            elif part.name:
                ends = [constant(star, node), constant(count - star - 1, node)]
                rest = call_ag("middle", [copy_tree(subject), *ends], node)
                ways.append(_Way([], [(part.name, rest)]))
        return _merged(ways)

    def mapping(self, node: gast.MatchMapping, subject: gast.expr) -> _Way:
        subject, first = self.named(subject, [None] if node.rest else [])
        made = self.parts("values_at", [first, *node.keys], node.patterns, node)
        if node.rest:
            rest = call_ag("without", [copy_tree(subject), *map(copy_tree, node.keys)], node)
            made.names.append((node.rest, rest))
        return made

    def class_(self, node: gast.MatchClass, subject: gast.expr) -> _Way:
        patterns = [*node.patterns, *node.kwd_patterns]
        subject, first = self.named(subject, patterns)
        if getattr(node.cls, "id", None) in _ITSELF and len(patterns) == len(node.patterns) == 1:
            itself = {"itself": constant(True, node)}
            test = call_ag("is_instance", [first, node.cls], node, itself)
            return _merged([_Way([test], []), self.way(patterns[0], subject)])
        test = call_ag("is_instance", [first, node.cls], node)
        if not patterns:
            return _Way([test], [])
        args = [copy_tree(subject), copy_tree(node.cls), constant(len(node.patterns), node)]
        attributes = [constant(name, node) for name in node.kwd_attrs]
        made = self.parts("parts", [*args, *attributes], patterns, node)
        return _merged([_Way([test], []), made])

    def parts(self, op: str, args: list[Any], patterns: list[Any], at: Any) -> _Way:
        """The way of the parts that an operator gives, or None in place of them."""
        call: gast.expr = call_ag(op, args, at)
        name = self.name("parts") if any(map(_reads, patterns)) else ""
        if name:
            call = gast.copy_location(gast.NamedExpr(name_store(name, at), call), at)
        ways = [_Way([quote_expr("a is not None", at=at, a=call)], [])]
        for place, part in enumerate(patterns):
            if _reads(part):
                item = _item(name_load(name, at), constant(place, at), at)
                ways.append(self.way(part, item))
        return _merged(ways)

    def each(self, patterns: list[Any], subject: gast.expr) -> list[_Way]:
        """The ways of patterns of one subject, which is evaluated by the first of them."""
        later, first = self.named(subject, patterns)
        return [self.way(part, later if i else first) for i, part in enumerate(patterns)]

    def several(self, patterns: list[Any], subject: gast.expr) -> _Way:
        return _merged(self.each(patterns, subject))

    def named(self, subject: gast.expr, uses: list[Any]) -> tuple[gast.expr, gast.expr]:
        """A name for a subject that is used further, and what evaluates it before."""
        if isinstance(subject, gast.Name | gast.NamedExpr) or not uses:
            name = subject.target if isinstance(subject, gast.NamedExpr) else subject
            later = name_load(name.id, subject) if isinstance(name, gast.Name) else subject
            return later, subject
        if self.is_item(subject):
            return copy_tree(subject), subject
        name = self.name("part")
        first = gast.NamedExpr(name_store(name, subject), subject)
        return name_load(name, subject), gast.copy_location(first, subject)


_WAYS: dict[type, Any] = {
    gast.MatchValue: _Lowering.value,
    gast.MatchSingleton: _Lowering.singleton,
    gast.MatchAs: _Lowering.as_,
    gast.MatchOr: _Lowering.or_,
    gast.MatchSequence: _Lowering.sequence,
    gast.MatchMapping: _Lowering.mapping,
    gast.MatchClass: _Lowering.class_,
}


def _needs_flag(case: Any, ways: list[_Way]) -> bool:
    tests, names = ways[0]
    return len(ways) > 1 or bool(tests and names and case.guard)


def _case(case: Any, ways: list[_Way], rest: list[gast.stmt], flag: str) -> list[gast.stmt]:
    """The statements of a case: its body where it matches, else the rest."""
    at, guard = case.pattern, case.guard
    if _needs_flag(case, ways):
        made = _attempts(ways, guard, flag, at)
        return [*made, *_choice(name_load(flag, at), case.body, rest, at)]
    tests, bound = ways[0].tests, _bound(ways[0], at)
    if guard is not None and bound:
        return [*bound, *_choice(guard, case.body, rest, at)]
    before = _without_parts(tests, at)
    tests = tests if guard is None else [*tests, guard]
    marks = _marks(case.body, at)
    body = [*marks, *bound, *case.body[len(marks) :]]
    return [*before, *_choice(_joined(gast.And, tests, at), body, rest, at)] if tests else body


def _without_parts(tests: list[gast.expr], at: Any) -> list[gast.stmt]:
    """The statement that gives names to parts that perhaps nothing finds: what another `match` has
    found, or this one in the last round of a loop, need not be of one kind with these.
    """
    names = dict.fromkeys(_found_later(tests))
    if not names:
        return []
    made = assign(next(iter(names)), constant(None, at), at)
    made.targets = [name_store(name, at) for name in names]
    return [made]


def _found_later(tests: list[gast.expr]) -> Iterator[str]:
    """The names of parts that are found by others of some tests than the first."""
    for test in tests[:1]:
        if isinstance(test, gast.BoolOp):
            yield from _found_later(test.values)
    for test in tests[1:]:
        yield from (each.target.id for each in walk(test) if isinstance(each, gast.NamedExpr))


# Classes that take one pattern for the value itself.
_ITSELF = frozenset((
    "bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str",
    "tuple",
))  # fmt: skip


def _merged(ways: list[_Way]) -> _Way:
    return _Way(
        [test for way in ways for test in way.tests], [name for way in ways for name in way.names]
    )


def _is_star(node: Any) -> bool:
    return isinstance(node, gast.Starred)


def _reads(pattern: Any) -> bool:
    """Whether a pattern looks at its subject; a wildcard does not."""
    return not isinstance(pattern, gast.MatchAs) or bool(pattern.name or pattern.pattern)


def _item(subject: gast.expr, at: gast.expr, place: Any) -> gast.expr:
    made = gast.Subscript(copy_tree(subject), at, gast.Load())
    return gast.copy_location(made, place)


def _joined(op: Any, tests: list[gast.expr], at: Any) -> gast.expr:
    return tests[0] if len(tests) == 1 else gast.copy_location(gast.BoolOp(op(), tests), at)


def _bound(way: _Way, at: Any) -> list[gast.stmt]:
    return [assign(name, value, at) for name, value in way.names]


def _choice(
    test: gast.expr, body: list[gast.stmt], rest: list[gast.stmt], at: Any
) -> list[gast.stmt]:
    made: Any = quote("if test: body", at=at, test=test, body=body)
    made[0].orelse = [*_marks(body, at), *rest] if rest else []
    return made  # type: ignore[no-any-return]


def _marks(body: list[gast.stmt], at: Any) -> list[gast.stmt]:
    """The marks for coverage that a body begins with: both blocks come from the same line."""
    found: list[gast.stmt] = []
    for statement in body:
        if not _is_none(statement) or statement.lineno > at.lineno:
            break
        found.append(copy_tree(statement))
        if statement.lineno == at.lineno:  # what follows is of this block
            break
    return found


def _is_none(node: Any) -> bool:
    value = getattr(node, "value", node)
    return isinstance(node, gast.Expr) and isinstance(value, gast.Constant) and value.value is None


def _attempts(ways: list[_Way], guard: Any, flag: str, at: Any) -> list[gast.stmt]:
    """Statements that assign to a flag whether one of the ways, and the guard, holds."""
    made: list[gast.stmt] = []
    for way in reversed(ways):
        holds = _joined(gast.And, way.tests, at) if way.tests else constant(True, at)
        body = _bound(way, at)
        if guard is not None and len(ways) == 1:
            body.append(assign(flag, guard, guard))
        chosen = _choice(name_load(flag, at), body, made, at)
        made = [*_without_parts(way.tests, at), assign(flag, holds, at), *chosen]
    if guard is None or len(ways) == 1:
        return made
    guarded: list[gast.stmt] = [assign(flag, guard, guard)]
    return [*made, *_choice(name_load(flag, at), guarded, [], at)]


def _written_out(pattern: Any) -> list[Any]:
    """The patterns that alternatives which bind names stand for, in order."""
    if isinstance(pattern, gast.MatchOr):
        if not bound_in(pattern):
            return [pattern]
        return [way for part in pattern.patterns for way in _written_out(part)]
    fields = [field for field in ("pattern", "patterns", "kwd_patterns") if _inner(pattern, field)]
    made = [pattern]
    for field in fields:
        inner = _inner(pattern, field)
        ways = product(*map(_written_out, inner if isinstance(inner, list) else [inner]))
        parts = [list(way) if isinstance(inner, list) else way[0] for way in ways]
        made = [_with(one, field, part) for one in made for part in parts]
    return made


def _inner(pattern: Any, field: str) -> Any:
    return getattr(pattern, field, None)


def _with(pattern: Any, field: str, part: Any) -> Any:
    made = copy_tree(pattern)
    setattr(made, field, part)
    return made


def _rebinds(node: Any, name: str) -> bool:
    """Whether patterns of a `match` bind a name, or guards may."""
    return any(
        name in bound_in(case.pattern) or (case.guard is not None and not fits_lambda(case.guard))
        for case in node.cases
    )
