"""Exceptions of the run that a `try` of the user's may catch: flag control flow.

What may fail sets a number, and what follows it, up to the end of the block, is a branch that is
taken where the number is 0. The block hands the number on, as one more result: the block around it
goes on in the same way. At the end of the `try`, the number chooses the handler.

    try:                            code = probe y // x
        a = 1                       code, a = if code == 0:
        a = y // x                      a = y // x
        ...                             ...
    except ZeroDivisionError:       else: code, 1
        ...                         if code == 1: ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import FunctionType, MethodType
from typing import Any, cast

import numpy as np

from autograph.mutation.ownership import taking_notes
from autograph.operators.early_exits import refuse_to_leave_loops
from autograph.operators.shared import NO_NAMES, Shared
from runtime import errors
from runtime.core.primitive import TABLE, Primitive, name_in_errors
from runtime.core.state import recorded_by, state
from runtime.core.types import NumberType, TensorType, Type
from runtime.graph.ir import Callee, Node, Params, Value, format_location, walk_called
from runtime.graph.nodes import (
    RAISE,
    TO_TENSOR,
)
from runtime.graph.probes import PROBE, has_name
from runtime.staging.aliasing import aliases
from runtime.staging.control.blocks import (
    Block,
    Path,
    Unreachable,
    add_raise,
    pack,
    release,
    undone,
)
from runtime.staging.control.branches import cond, joined, traced
from runtime.staging.control.carried_objects import Watch, also_watching, no_watch
from runtime.staging.control.deferred_exceptions import (
    failures_of,
    is_of_program,
    known_value,
    refuse_called_back,
    refuse_put_off,
)
from runtime.staging.control.failures import (
    FAILURE,
    NONE,
    Failed,
    Failure,
    Site,
    UnknownText,
    error_of,
    failure_of,
    is_caught,
    is_seen,
    leave_out_handled,
    may_be_lost,
    site_at,
    target,
    unknown,
    unknown_of,
)
from runtime.staging.control.failures import cases as cases
from runtime.staging.control.joins import BLANK
from runtime.staging.control.optional_values import bound
from runtime.staging.control.unfit_shapes import assume_fit, first_unfit, may_not_fit
from runtime.staging.error_notes import is_of_symbol, refuse_caught
from runtime.staging.frames import is_ours
from runtime.staging.images import image_of
from runtime.staging.refusals import is_refusal, refuse
from runtime.staging.scopes import Scope, active
from runtime.staging.tracing import Trace, symbol

WORK_OF_REST = 20
"""Nodes that are as much to trace as a branch for the rest of a block."""

# Blocks that may fail


class Level:
    """A block of the user's that is being traced, and the branches that are open in it.

    Args:
        block: the block, with `size` results.
        shared: gives the names that it assigns where they live; those that are `lost` nobody reads
            where it has failed. Where it `reads` its first result, that is surely bound.
    """

    def __init__(
        self,
        trace: Trace,
        block: Block,
        args: tuple[Any, ...],
        size: int,
        shared: Callable[[], Shared],
        watch: Watch,
        lost: frozenset[str] = frozenset(),
        reads: bool = False,
    ) -> None:
        self.trace = trace
        self.lost = lost
        self.reads = reads
        self.block = block
        self.args = args
        self.size = size
        self.shared = shared
        self.watch = watch
        self.scope = trace.scope
        self.guards: list[RestOfBlock] = []
        self.called: dict[tuple[int, int], Any] = {}

    @property
    def present(self) -> Scope:
        """The scope in which what it does now is traced."""
        return self.guards[-1].scope if self.guards else self.scope

    def run(self, is_body: bool = False) -> tuple[tuple[Any, ...], Failure]:
        """The block's results, and whether it has failed. What the body of a `try` raises before
        anything else could fail, it raises now.
        """
        self.trace.levels.append(self)
        try:
            with taking_notes(lambda: [self.called]):
                left = self.left(is_body)
                # Here: the branches that it opened take notes of their own, within these.
                while self.guards:
                    left = self.guards[-1].close(left)
        except BaseException:
            for guard in reversed(self.guards):
                guard.abandon()
            raise
        finally:
            self.trace.levels.pop()
        if left is None:
            raise Unreachable
        return left

    def note_called(self, function: Any) -> None:
        """The block calls this: its rest may be the rest of that, which is watched too."""
        if isinstance(function, FunctionType | MethodType):
            plain = getattr(function, "__func__", function)
            if is_ours(plain.__code__.co_filename):  # a method of what stands for a list or dict
                return
            self.called[id(plain), id(getattr(function, "__self__", None))] = function

    def left(self, is_body: bool) -> tuple[tuple[Any, ...], Failure] | None:
        """The same before open branches are closed; None where the end is not reached."""
        blanks = (BLANK,) * self.size
        try:
            result = self.block(*self.args)
            values = (result,) if self.size == 1 else tuple(result or ())
            if self.reads:
                values = (bound(values[0]), *values[1:])
        except Failed as failed:
            return blanks, failed.failure
        except Unreachable:
            if not self.guards:
                raise
            return None
        except BaseException as error:
            if not is_of_program(error):
                raise
            leave_out_handled(self.trace, error)
            is_of_trace = getattr(error, "is_of_trace", False)
            if (is_of_trace or is_of_symbol(error)) and may_be_lost(self.trace, type(error)):
                raise refuse_caught(error) from None
            if is_refusal(error) or (is_body and not self.guards):
                raise
            failure = failure_of(self.trace, error)
            if failure is not None:
                return blanks, failure
            if not self.guards:
                raise
            add_raise(self.trace, error)
            return None
        return values, NONE

    def kept(self, values: Sequence[Any]) -> list[Any]:
        """The values of the shared names that count where it has failed."""
        pairs = zip(self.shared().names, values, strict=True)
        return [BLANK if name in self.lost else value for name, value in pairs]

    def names(self) -> list[str]:
        """The names of what it leaves."""
        return [*["the result"] * self.size, FAILURE, *self.shared().names]


def block_of(block: Block, size: int, reads: bool, shared: Shared = NO_NAMES) -> Block:
    """The block of `size` results, and behind these whether it has failed."""

    def run(*args: Any) -> Any:
        trace = active()
        level = Level(trace, block, args, size, lambda: shared, trace.watch, reads=reads)
        values, failure = level.run()
        return (*values, failure) if values else failure

    if hasattr(block, "__code__"):  # where the user's code is found: not in a partial
        run.__wrapped__ = block  # type: ignore[attr-defined]
    return run


class RestOfBlock:
    """The rest of a block, traced as a branch: it is taken where the block has not failed yet."""

    def __init__(self, level: Level, failure: Failure) -> None:
        trace = level.trace
        self.level = level
        self.predicate = failure.test
        shared = level.shared()
        self.before = shared.values()
        names = level.names()
        failed = Failure(failure.code, failure.sites, certain=True)
        state = (*[BLANK] * level.size, failed, *level.kept(self.before))
        self.failing = traced(trace, lambda: pack(state, names), (), names, no_watch)
        inputs = (*level.args, *self.before)
        labels = [f"input {at}" for at in range(len(level.args))]
        labels += shared.names
        watch = also_watching(level.watch, list(level.called.values()))
        self.recorder = watch(level.block, inputs, labels)
        self.since = len(trace.joined)
        # What is to see the branch, once it is made, and ended to record in it.
        self.recorders: list[Any] = []
        self.entered = ExitStack()
        site = trace.scope.next_site()
        self.scope = self.entered.enter_context(trace.nested("a branch", site))
        self.watching = ExitStack()
        self.watching.enter_context(self.recorder)
        # What the block has read already is in none of its variables: `c.items.append(1 // x)`.
        for arena in trace.references.arenas.values():
            arena.watch()

    def close(self, left: tuple[tuple[Any, ...], Failure] | None) -> Any:
        """The results of the block, where this was the last branch that was open in it."""
        level, trace = self.level, self.level.trace
        shared = level.shared()
        path = Path(self.scope, (), False, level.block, self.recorder, {})
        if left is not None:
            path.values = (*left[0], left[1], *self._shared_values(left[1]))
            path.reached = True
        shared.put(self.before)
        self.watching.close()
        release(trace, self.recorder, path.values)
        if path.reached:
            aliases.check(trace, self.recorder.restore)
        path.changed = undone(trace, self.recorder, path.reached)
        self.entered.close()
        made = self._joined(path)
        shared.put(made[level.size + 1 :])
        return tuple(made[: level.size]), made[level.size]

    def _joined(self, path: Path) -> Sequence[Any]:
        level, trace = self.level, self.level.trace
        for recorder in self.recorders:
            recorder.close()
        with recorded_by(*state.tapes, *self.recorders):
            paths = [path, self.failing]
            made = joined(trace, self.predicate, paths, level.names(), since=self.since)
        level.guards.pop()
        for recorder in self.recorders:
            recorder.made(trace)
        return made

    def _shared_values(self, failure: Failure) -> Sequence[Any]:
        # Not in a variable of `close`: who releases counts the references to what the block made.
        present = self.level.shared().values()
        return self.level.kept(present) if failure.certain else present

    def abandon(self) -> None:
        """Leave the branch: the trace ends."""
        self.watching.close()
        self.entered.close()


def go_on(trace: Trace, failure: Failure) -> None:
    """Let what follows be done where a block has not failed.

    Raises Failed where it surely has, and StagingError where what follows is no block.
    """
    if not failure.sites:
        return
    if not trace.attempts:
        _raise_again(trace, failure)
        return
    refuse_to_leave_loops(sys._getframe(), Level.left.__code__)
    if failure.certain:
        raise Failed(failure)
    level = trace.levels[-1] if trace.levels else None
    if level is None or level.present is not trace.scope:
        site = next(iter(failure.sites))
        raise refuse_put_off(type(site.error).__name__)
    trace.work += WORK_OF_REST
    level.guards.append(RestOfBlock(level, failure))


def _raise_again(trace: Trace, failure: Failure) -> None:
    """Raise at run time what no attempt has caught."""
    sites = list(failure.sites.items())

    def others(at: int) -> Any:
        if at == len(sites):
            return None
        site, held = sites[at]

        def this() -> None:
            if site.again is not None:
                site.again(held)
                raise Unreachable
            add_raise(trace, error_of(site, held), site.origin)
            raise Unreachable

        if failure.certain and at + 1 == len(sites):
            return this()
        return cond(failure.code == site.number, this, lambda: others(at + 1), (), ())

    others(0)


# Ops that fail


def probe(trace: Trace, primitive: Primitive, values: tuple[Value, ...], params: Params) -> None:
    """Let what follows be done where an op does not fail, if an attempt may catch what it raises.
    For shapes that do not fit, only where it does: nothing that a `finally` would do is done.

    Raises StagingError where that cannot be done.
    """
    if primitive.calls_back:
        if "caught" not in params and any(attempt.kinds for attempt in trace.attempts):
            raise refuse_called_back(primitive)
        return  # what a `finally` would do is not done: the graph ends
    kinds = failures_of(primitive, values, params) if primitive.fallible else ()
    divides = _divides(kinds, values)
    if primitive is TO_TENSOR or (values and _works_by(trace, primitive, values[-1], divides)):
        kinds = ()
    is_of_shapes = (
        errors.InvalidValueError not in kinds
        and may_not_fit(trace, primitive, values, params)
        and is_caught(trace, errors.InvalidValueError)
    )
    if is_of_shapes:
        kinds = (*kinds, errors.InvalidValueError)
    found = [(kind, *target(trace, kind, kinds[:at])) for at, kind in enumerate(kinds)]
    acting = [kind for kind, acts, _, _ in found if acts]
    if not acting:
        return
    divides |= getattr(primitive.scalar, "sign", "") == "/" and _divides(acting, values)
    level = trace.levels[-1] if trace.levels else None
    if (
        (primitive.effect and not primitive.repeatable)
        or not all(map(has_name, kinds))
        or (level is None or level.present is not trace.scope)
    ):
        if any(attempt is not None for _, _, attempt, _ in found):
            raise refuse_put_off(f"{primitive.name} on a staged value fails, and that")
        return  # what a `finally` would do is not done: the graph ends
    sites: dict[Site, tuple[Any, ...]] = {}
    given: dict[str, Any] = {
        "op": primitive.name,
        "given": dict(params),
        "kinds": tuple([kind.__name__ for kind in kinds]),
    }
    numbers = []
    for kind, acts, attempt, place in found:
        if acts:
            held = values if is_seen(attempt, place) else ()
            error = cast(Exception, kind.__new__(kind))
            site = site_at(trace, attempt, place, error, held, _again(trace, primitive, params))
            site.error = unknown(kind, site, _words_of(primitive, kind, values))
            site.symbols = [symbol(value, trace.scope, trace.origin()) for value in held]
            sites[site] = tuple(site.symbols)
            numbers.append(site.number)
        else:
            numbers.append(0)
    given["numbers"] = tuple(numbers)
    if divides and len(sites) == 1:
        (site,) = sites
        divisor = symbol(values[-1], trace.scope, trace.origin())
        code = cond(divisor == 0, lambda: site.number, lambda: 0, (), ())
    else:
        code = trace.apply(PROBE, values, given)
    trace.failures += 1
    go_on(trace, Failure(code, sites, certain=False))
    if is_of_shapes:
        assume_fit(trace, primitive, values, params)


def _works_by(trace: Trace, primitive: Primitive, last: Value, divides: bool) -> bool:
    """Whether an op cannot fail, for what is known of its last input."""
    known = known_value(trace, last) if divides or primitive.refuses_negative else None
    if known is None:
        return False
    return bool(np.all(known) if divides else not np.any(np.less(known, 0)))


def _words_of(
    primitive: Primitive, kind: type[BaseException], values: Sequence[Value]
) -> str | None:
    """The words of Python for numbers that are divided by zero; None for other failures."""
    of_numbers = TABLE.get(f"py.{primitive.word}")
    if of_numbers is None or not issubclass(kind, ZeroDivisionError):
        return None
    zeros = [_zero_of(value.type) for value in values]
    if None in zeros:
        return None
    try:
        of_numbers.kernel(*zeros)
    except ZeroDivisionError as error:
        return str(error)
    return None


def _zero_of(type: Type) -> float | None:
    """The zero of Python's that a scalar of a type may be; None for what is no such."""
    if isinstance(type, NumberType):
        return 0.0 if type.kind == "float" else 0
    if not isinstance(type, TensorType) or type.shape != ():
        return None
    return 0 if type.dtype.is_integer else 0.0 if type.dtype.is_floating else None


def _divides(kinds: Sequence[type[BaseException]], values: Sequence[Value]) -> bool:
    """Whether an op on numbers fails only where the last of them is zero."""
    of_zero = bool(kinds) and all(issubclass(kind, ZeroDivisionError) for kind in kinds)
    return of_zero and bool(values) and None not in [_zero_of(value.type) for value in values]


def _again(trace: Trace, primitive: Primitive, params: Params) -> Callable[[Sequence[Any]], None]:
    origin = trace.origin()

    def run(held: Sequence[Any]) -> None:
        values = tuple(map(trace.value_of, held))
        types = primitive.infer(*[value.type for value in values], **params)
        outputs = [
            Value(type, trace.unique("failed"), at)
            for at, type in enumerate(types if isinstance(types, tuple) else (types,))
        ]
        never: Any = errors.InternalError(f"{primitive.name} works where it has failed")
        # It reads what the op makes: an op that nobody reads would be left out.
        never.made = trace.append(primitive, values, outputs, params, (), origin)
        image, symbols = image_of(never)
        read = [trace.value_of(item) for item in symbols]
        trace.append(RAISE, read, (), {"exception": image}, (), origin)

    return run


def check_call(trace: Trace, callee: Callee) -> None:
    """StagingError for a call of a graph that may raise what an attempt acts on."""
    caught = caught_of(trace, callee)
    if caught is not None:
        kind, node = caught
        raise refuse(
            f"{callee.name} is a graph of its own, which may raise {kind.__name__} at run "
            f"time, past the `try` around that could act on it{_reasons(callee, node)}",
            "write the `try` in the function that fails, or test for the failing case",
        )


def _reasons(callee: Callee, node: Node | None) -> str:
    """The words for why it is a graph of its own, and for what raises in it."""
    said = ["it calls itself as often as only the run knows"] if _calls_itself(callee) else []
    if node is not None and node.origin is not None:
        place = format_location(node.origin.location)
        name = name_in_errors(node.primitive, node.params)
        is_raised = node.primitive is RAISE
        said.append(f"it is raised at {place}" if is_raised else f"{name} may fail at {place}")
    return f": {', and '.join(said)}" if said else ""


def _calls_itself(callee: Callee) -> bool:
    nodes = [] if callee.graph is None else walk_called(callee.graph.nodes)
    return callee.graph is None or any(node.params.get("callee") is callee for node in nodes)


def caught_of(trace: Trace, callee: Callee) -> tuple[type[BaseException], Node | None] | None:
    """A class of what a graph may raise, and an attempt acts on, and the node that raises it, where
    one is known.
    """
    nodes = [] if callee.graph is None else list(walk_called(callee.graph.nodes))
    kinds: dict[type[BaseException], Node | None] = {}
    if callee.graph is None:
        kinds[Exception] = None
    for node in nodes:
        if node.primitive is RAISE:
            kinds.setdefault(node.params["exception"].kind, node)
        elif node.primitive.fallible:
            failures = failures_of(node.primitive, node.inputs, node.params)
            kinds |= {kind: node for kind in failures if kind not in kinds}
    if errors.InvalidValueError not in kinds and is_caught(trace, errors.InvalidValueError):
        unfit = first_unfit(nodes)
        kinds |= {} if unfit is None else {errors.InvalidValueError: unfit}
    for kind in sorted(kinds, key=lambda kind: kind.__name__):
        acts, attempt, _ = target(trace, kind, ())
        if acts and (attempt is not None or callee.graph is not None):
            return kind, kinds[kind]
    return None


def before_raise(trace: Trace, error: BaseException) -> bool:
    """Whether the error of an op is raised by the op itself, once more. StagingError where an
    attempt acts on it, and for another error that is made of its text.
    """
    if target(trace, type(error))[0]:
        raise refuse_put_off(type(error).__name__) from None
    unknown = unknown_of(error)
    if unknown is None:
        for item in error.args:
            if type(item) is UnknownText:
                item.refuse()
        return False
    assert unknown.site.again is not None
    unknown.site.again(unknown.site.symbols)
    return True
