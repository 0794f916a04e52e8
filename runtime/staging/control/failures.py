"""Failures of blocks in a `try` that is being traced: where they may be, which `except` is for
them, and the exceptions that stand for those of the run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import reduce
from operator import or_
from types import FrameType, FunctionType
from typing import Any, cast

from autograph.objects import attributes_of, put_attributes
from autograph.users_words import with_article
from runtime import dtypes, errors
from runtime.core.dataclasses import dataclass
from runtime.core.types import NumberType, TensorType, Type
from runtime.graph.ir import Location, Origin, Value
from runtime.graph.nodes import INT
from runtime.graph.structures import Children, Handler, Structure, add_handler, structure_of
from runtime.staging.block_recorder import is_from_before
from runtime.staging.control.blocks import Unreachable, add_raise
from runtime.staging.control.deferred_exceptions import EndOfBlock, check_not_protocol
from runtime.staging.control.joins import BLANK, join
from runtime.staging.control.parts import OfTrace
from runtime.staging.control.specs import Leaf, Spec, Tree
from runtime.staging.error_notes import as_caught, locate
from runtime.staging.frames import origin_of
from runtime.staging.images import image_of
from runtime.staging.refusals import refusal_of_run, refuse
from runtime.staging.scopes import active
from runtime.staging.tracing import Trace, is_symbol, symbol


@dataclass(eq=False, slots=True, repr=False)
class Site:
    """A place that may fail: its number, the exception, and the `try` and `except` for it.

    `symbols` are those in the exception, or the inputs of the op that fails: `held` along with the
    number, for whoever raises it again.
    """

    number: int
    error: BaseException
    attempt: Attempt | None
    place: int | None
    symbols: list[Any]
    again: Callable[[Sequence[Any]], None] | None = None
    origin: Origin | None = None

    @property
    def is_seen(self) -> bool:
        """Whether somebody looks at the exception."""
        return is_seen(self.attempt, self.place)

    @property
    def is_alike(self) -> bool:
        """Whether each run raises the same exception here."""
        return self.again is None and not _holds_symbols(self.error)


class Failure(OfTrace):
    """Whether a block has failed, and where: `code` is 0, or the number of a site.

    `sites` are those where it may have, each with what it holds; `certain` if it surely has.
    """

    __slots__ = ("attempt", "certain", "code", "sites")

    def __init__(self, code: Any, sites: dict[Site, tuple[Any, ...]], certain: bool) -> None:
        self.code = code
        self.sites = sites
        self.certain = certain
        self.attempt: Attempt | None = None

    def of(self, attempt: Attempt) -> Failure:
        """The same failure, as one of this attempt: others may hold this one."""
        made = Failure(self.code, self.sites, self.certain)
        made.attempt = attempt
        return made

    @property
    def test(self) -> Any:
        """The truth that it has not failed."""
        if self.certain or not self.sites:
            return not self.certain
        return self.code == 0


FAILURE = "failure"
"""The name of it among the results of a block."""

NONE = Failure(0, {}, certain=False)


class Failed(EndOfBlock):
    """Ends a block that surely has failed."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


_Keys = tuple[bool, tuple[tuple[Site, int], ...]]


def _flatten(failure: Failure) -> tuple[_Keys, Children]:
    sites = sorted(failure.sites.items(), key=lambda item: item[0].number)
    keys = tuple([(site, len(held)) for site, held in sites])
    children = [item for _, held in sites for item in held]
    return (failure.certain, keys), [failure.code, *children] if keys else []


def _build(kind: type, keys: _Keys, children: Children) -> Failure:
    certain, sites = keys
    code, *left = children or [0]
    found = {}
    for site, count in sites:
        held, left = tuple(left[:count]), left[count:]
        if site.attempt is None or site.attempt.frame is not None:
            found[site] = held  # a `try` that has ended is of another trace of the same loop
    return Failure(code, found, certain)


def _names(keys: _Keys) -> Sequence[str]:
    return ["code", *[f"of_{site.number}" for site, count in keys[1] for _ in range(count)]]


def _by_site(spec: Tree) -> tuple[Spec, dict[Site, list[Spec]]]:
    code, *left = spec.children or (Leaf(INT),)
    found = {}
    for site, count in spec.structure.keys[1]:
        found[site], left = left[:count], left[count:]
    return code, found


def _widen(a: Tree, b: Tree) -> Tree | None:
    """The Spec of a failure at any of the sites of two."""
    if a.structure.kind is not b.structure.kind:
        return None
    (_, first), (_, second) = _by_site(a), _by_site(b)
    sites = sorted({*first, *second}, key=lambda site: site.number)
    children: list[Spec] = [Leaf(INT)]
    for site in sites:
        if site in first and site in second:
            children += map(join, first[site], second[site])
        else:
            children += first.get(site) or second.get(site) or []
    keys = tuple([(site, len(first.get(site, second.get(site, [])))) for site in sites])
    certain = a.structure.keys[0] and b.structure.keys[0]
    return Tree(Structure(Failure, (certain, keys), HANDLER), tuple(children))


def _fit(failure: Any, structure: Structure) -> Children:
    if failure is BLANK:
        return [0, *[BLANK] * (len(_names(structure.keys)) - 1)]
    held = [failure.sites.get(site, (BLANK,) * count) for site, count in structure.keys[1]]
    return [failure.code, *[item for items in held for item in items]]


HANDLER = Handler(_flatten, _build, ".{}", _names, widen=_widen, fit=_fit, is_tuple=True)
add_handler(Failure, HANDLER)


# What may be caught

Kinds = tuple[type[BaseException], ...]


@dataclass(eq=False, slots=True)
class Attempt:
    """A `try` that is being traced: what gives the classes of each `except`, None for all, and
    whether it looks at the exception; for a `finally`, there are none. `frame` runs it, until it
    ends: a frame holds whatever its callers hold. A `with` that is left once has the `location` of
    it. A `finally` that may leave by an exit of its own `drops` what was raised.
    """

    kinds: tuple[tuple[Callable[[], Any] | None, bool], ...]
    frame: FrameType | None
    location: Location | None = None
    drops: bool = False

    @contextmanager
    def open(self, trace: Trace) -> Iterator[None]:
        """Within it, this is the innermost attempt of the trace."""
        trace.attempts.append(self)
        try:
            yield
        finally:
            trace.attempts.pop()
            self.frame = None

    def place(self, kind: type[BaseException], others: Kinds | None) -> int | None:
        """The `except` that catches a class. StagingError where only the run knows, because a
        subclass might be raised that is none of `others`.
        """
        if issubclass(kind, errors.RefusedError):
            return None
        for place, (kinds, _) in enumerate(self.kinds):
            found: Any = BaseException if kinds is None else kinds()
            classes = found if isinstance(found, tuple) else (found,)
            if issubclass(kind, found):
                return place
            if others is not None and any(
                issubclass(each, kind) and not issubclass(each, others) for each in classes
            ):
                raise refuse(
                    f"{with_article(kind.__name__)} of the run, or a class that is one, is "
                    "caught here",
                    f"catch {kind.__name__} itself",
                )
        return None


def caught_in(trace: Trace) -> Kinds:
    """The classes that each `except` around the present statement names."""
    named = [kinds for attempt in trace.attempts for kinds, _ in attempt.kinds]
    found: list[Any] = [BaseException if kinds is None else kinds() for kinds in named]
    parts = [each if isinstance(each, tuple) else (each,) for each in found]
    return tuple([kind for part in parts for kind in part])


def target(
    trace: Trace, kind: type[BaseException], others: Kinds | None = None
) -> tuple[bool, Any, int | None]:
    """Returns whether an attempt acts on an exception of a class, the one that catches it, and by
    which `except`. With `others`, a subclass may be raised that is none of these.
    """
    acts, found, place = False, None, None
    left_once = None
    for attempt in reversed(trace.attempts):
        if attempt.location is not None:
            left_once = left_once or attempt
            continue
        place = attempt.place(kind, others)
        if place is not None:
            acts, found = True, attempt
            break
        acts = acts or not attempt.kinds
    if left_once is not None and (acts or others is None):
        raise refuse(
            f"{kind.__name__} would be raised at run time, past the `with` at line "
            f"{left_once.location[1]}, which is left once, while tracing",
            "make the manager of a class with `__exit__`, or move the `with` outside the staged "
            "function",
        )
    return acts, found, place


def may_be_lost(trace: Trace, kind: type[BaseException]) -> bool:
    """Whether a handler around the present statement may end an exception of a class."""
    return target(trace, kind)[1] is not None or any(each.drops for each in trace.attempts)


def is_caught(trace: Trace, kind: type[BaseException]) -> bool:
    """Whether an `except` around the present statement is for a class."""
    return any(attempt.place(kind, None) is not None for attempt in trace.attempts)


def leave_out_handled(trace: Trace, error: BaseException) -> None:
    """Let the contexts of an exception end where the trace began: what the caller handles there is
    of one call only.
    """
    seen: set[int] = set()
    while trace.handled is not None and id(error) not in seen:
        behind = error.__context__
        if behind is None:
            return
        if behind is trace.handled:
            error.__context__ = None
            return
        seen.add(id(error))
        error = behind


def is_seen(attempt: Attempt | None, place: int | None) -> bool:
    """Whether somebody looks at the exception that an attempt catches at a place."""
    return attempt is None or place is None or attempt.kinds[place][1]


def site_at(
    trace: Trace,
    attempt: Attempt | None,
    place: int | None,
    error: BaseException,
    held: Iterable[Value],
    again: Callable[[Sequence[Any]], None] | None = None,
) -> Site:
    """The site that fails here and holds values of these kinds, with the number that it has in each
    trace of the same code: what surely fails in one of them may only perhaps fail in another one.
    """
    kinds = tuple([_kind_of(value.type) for value in held])
    key = "failing", trace.scope.next_site(), type(error), kinds, again is None
    site: Site | None = trace.memo.get(key)
    if site is None:
        trace.sites += 1
        site = trace.memo[key] = Site(trace.sites, error, attempt, place, [])
    site.error, site.attempt, site.place, site.again = error, attempt, place, again
    return site


def _values(symbols: Iterable[Any]) -> list[Value]:
    return [symbol.graph_value for symbol in symbols]


def _kind_of(type_: Type) -> Any:
    """The kind of what joins with values of a type: all numbers, all strings, or those alone."""
    if isinstance(type_, NumberType):
        return "number"
    if isinstance(type_, TensorType):
        return "string" if type_.dtype is dtypes.string else "number"
    return type(type_)


def failure_of(trace: Trace, error: BaseException) -> Failure | None:
    """The failure for an exception that a block raises; None where no attempt acts on it."""
    unknown_one = unknown_of(error)
    acts, attempt, place = target(trace, type(error))
    if not acts:
        return None
    if unknown_one is not None:
        known = unknown_one.site
        site = site_at(trace, attempt, place, error, _values(known.symbols), known.again)
        site.symbols = [
            symbol(trace.value_of(item), trace.scope, item.origin) for item in known.symbols
        ]
        site.error = unknown(type(error), site, unknown_one.words)
        error.__traceback__ = None  # it holds what the blocks around have made
        return Failure(site.number, {site: tuple(site.symbols)}, certain=True)
    root = None if attempt is None else attempt.frame
    trace.check_raised(type(error).__name__, type(error), root)
    check_not_protocol(error, root)
    if isinstance(error, errors.OpError):
        locate(error)
    else:
        as_caught(error, is_seen(attempt, place))
    origin = trace.raised_at(error) or trace.origin()
    error.__traceback__ = None  # it holds what the blocks around have made
    made, symbols = owned(trace, error, is_seen(attempt, place))
    if made is not error:
        trace.note_caught(made, origin)
    site = site_at(trace, attempt, place, made, _values(symbols))
    site.symbols = symbols
    site.origin = origin
    trace.failures += 1
    return Failure(site.number, {site: tuple(symbols)}, certain=True)


def owned(trace: Trace, error: BaseException, is_seen: bool) -> tuple[BaseException, list[Any]]:
    """The exception as one that nobody else holds, with symbols of its own, and these: none where
    it is not seen. One that others hold is given as it is.
    """
    if is_from_before(error) and id(error) not in trace.memo.get(owned, ()):
        if is_seen and image_of(error)[1]:
            raise refuse(
                f"{with_article(type(error).__name__)} that was made before the statement "
                "holds staged values, "
                "and is raised under a staged test in a `try` that looks at it",
                "make the exception where it is raised",
            )
        return error, []
    copies = _Copies(trace)
    made = copies.of(error) if is_seen else _copied(error)
    trace.memo.setdefault(owned, {})[id(made)] = made
    return made, copies.symbols


class _Copies:
    """Copies of an exception and of those behind it, and the `symbols` of their own in these."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.symbols: list[Any] = []
        self.known: dict[int, Any] = {}

    def of(self, error: BaseException) -> Any:
        """The copy. StagingError where it holds symbols elsewhere than in args and attributes."""
        if id(error) in self.known:
            return self.known[id(error)]
        made = self.known[id(error)] = _copied(error)
        if image_of(error)[1]:
            made.args = self.own(error.args)
            put_attributes(made, self.own(attributes_of(error)))
        suppresses = error.__suppress_context__
        made.__cause__, made.__context__ = map(self.behind, (error.__cause__, error.__context__))
        made.__suppress_context__ = suppresses
        if not set(map(id, image_of(made)[1])) <= set(map(id, self.symbols)):
            raise refuse(
                f"{with_article(type(error).__name__)} holds values that cannot be handed on "
                "to the `except`",
                "raise it with numbers, tensors and texts of them",
            )
        return made

    def behind(self, error: BaseException | None) -> BaseException | None:
        """The same of its cause or context, which stays what it is where it holds no symbols."""
        return self.of(error) if error is not None and _holds_symbols(error) else error

    def own(self, item: Any) -> Any:
        """The item, with symbols of its own."""
        if is_symbol(item):
            trace = self.trace
            self.symbols.append(symbol(trace.value_of(item), trace.scope, item.origin))
            return self.symbols[-1]
        taken = structure_of(item)
        return item if taken is None else taken[0].build([self.own(child) for child in taken[1]])


def _holds_symbols(error: BaseException) -> bool:
    if type(error) is OneOf:
        return False
    behind = error.__context__
    return bool(image_of(error)[1]) or (behind is not None and _holds_symbols(behind))


def _copied(error: Any) -> Exception:
    """Another exception like this one; no `__init__` of the user's runs."""
    kind: Any = type(error)
    if isinstance(kind.__init__, FunctionType):
        made = kind.__new__(kind, *error.args)
        of_python = next(base for base in kind.__mro__ if base.__module__ == "builtins")
        of_python.__init__(made, *error.args)
        made.args = error.args
        put_attributes(made, attributes_of(error) or {})
    else:
        made = copy(error)
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    made.__suppress_context__ = error.__suppress_context__
    return cast(Exception, made.with_traceback(error.__traceback__))


def error_of(site: Site, held: Sequence[Any]) -> BaseException:
    """The exception of a site, whose symbols stand for what was handed on with it."""
    for item, made in zip(site.symbols, held, strict=True):
        if item is not made and is_symbol(made):
            item.graph_value, item.node, item.scope = made.graph_value, made.node, made.scope
    return site.error


def cases(failure: Failure) -> list[tuple[Any, int | None, Any]]:
    """The ways in which an attempt may have failed: a test, which `except` of it is for that, and
    the exception; at last what it does not catch, as a failure of the block around.
    """
    found: list[tuple[list[Site], int | None, Any]] = []
    by_place: dict[int | None, int] = {}
    others: dict[Site, tuple[Any, ...]] = {}
    for site, held in failure.sites.items():
        if site.attempt is failure.attempt:
            error = error_of(site, held) if site.is_seen or site.is_alike else OneOf()
            same = None if site.is_seen else by_place.get(site.place)
            if same is None:
                by_place[site.place] = len(found)
                found.append(([site], site.place, error))
            else:
                sites = [*found[same][0], site]
                found[same] = sites, site.place, OneOf()
        else:
            others[site] = held
    for _, place, error in found:
        text = None if type(error) is OneOf else unknown_of(error)
        if text is not None:
            text.one_of = len([each for _, each, _ in found if each == place]) > 1
    tests = [[failure.code == site.number for site in sites] for sites, _, _ in found]
    made = [(reduce(or_, test), *case[1:]) for test, case in zip(tests, found, strict=True)]
    if others:
        made.append((True, None, Failure(failure.code, others, certain=True)))
    return made


# Errors that only the run has


class UnknownText:
    """Stands for the text of an error that only the run has. `words` are those of Python for it,
    where they are known. It is `one_of` the errors that an `except` is for.
    """

    __slots__ = ("one_of", "site", "words")

    def __init__(self, site: Site, words: str | None) -> None:
        self.site = site
        self.words = words
        self.one_of = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.said(), name)

    __class__ = property(lambda self: str)

    def said(self) -> str:
        """The words of Python. StagingError where these are not known yet."""
        return self.refuse() if self.words is None else self.words

    def as_cause(self, error: BaseException) -> BaseException:
        """The error as the cause of another one: no graph keeps what the run had to say of it."""
        is_own = unknown_of(error) is self
        words = "raised in the graph" if self.words is None else self.words
        return _with_text(type(error), words) if is_own else error

    def refuse(self, *_: Any) -> Any:
        """StagingError: what it says is not known yet. Where another error may come here, it is an
        error of the run, if it is this one.
        """
        kind = with_article(type(self.site.error).__name__)
        reason = f"the text of {kind} that only the run raises is asked for"
        way_out = "write a text of your own, or test for the failing case with `if`"
        if not self.one_of:
            raise refuse(reason, way_out)
        add_raise(active(), refusal_of_run(reason, way_out))
        raise Unreachable


_ASKING = (
    str, repr, format, hash, len, iter, bool, int, float,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    operator.getitem, operator.contains, operator.add, operator.mul, operator.mod,
)  # fmt: skip


def _asking(name: str, function: Callable[..., Any]) -> None:
    def method(self: UnknownText, *args: Any) -> Any:
        return function(self.said(), *args)

    setattr(UnknownText, f"__{name}__", method)


for _function in _ASKING:
    _asking(_function.__name__, _function)
_asking("rmul", operator.mul)
_asking("radd", lambda text, other: other + text)


class OneOf(Exception):
    """Stands for the exception that is being handled where only the run knows which one that is, as
    the `__context__` of others: in a `finally`, and in an `except` that does not name it.
    """

    def refuse(self, *_: Any) -> Any:
        """StagingError: which it is, is not known yet. It is where it was raised again."""
        raised = origin_of(self)
        raise refuse(
            "only the run knows which exception, if any, was being handled here",
            "give it a name, `except ... as error`, and raise from it: raise ... from error",
            location=raised and raised.location,
        )

    args = property(refuse)


for _name in ("str", "repr", "eq", "ne", "hash", "format"):
    setattr(OneOf, f"__{_name}__", OneOf.refuse)


def unknown_of(error: BaseException) -> UnknownText | None:
    """The stand-in for the text of an error that only the run has; None for another error, also one
    that the user made of that text.
    """
    found = error.args[0] if len(error.args) == 1 else None
    return found if type(found) is UnknownText and type(error) is type(found.site.error) else None


def unknown(kind: type[BaseException], site: Site, words: str | None = None) -> Exception:
    """An error of the run, before that has it, with Python's words for it, where they are known."""
    return _with_text(kind, UnknownText(site, words))


def _with_text(kind: type[BaseException], text: Any) -> Exception:
    made: Any = kind.__new__(kind)
    if issubclass(kind, errors.OpError):
        made.__init__(None, None, text)
    made.args = (text,)
    return cast(Exception, made)
