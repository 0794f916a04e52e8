"""Staged control flow: blocks of Python are traced into regions, and what they leave is joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime import errors
from runtime.graph import joins, numbers
from runtime.graph.frames import Origin, origin_of
from runtime.graph.handlers import check_unhandled
from runtime.graph.ir import Location, Region, Value, format_location, position_of
from runtime.graph.joins import Leaf, MaybeNone, Mismatch, Spec, present
from runtime.graph.nodes import COND, RAISE, TRUTH, WHILE
from runtime.graph.places import Contents, Place, Recorder, Watch, no_watch, refuse_change
from runtime.graph.refusals import is_refusal, refuse, refuse_dtypes
from runtime.graph.structures import structure_of
from runtime.graph.tracing import (
    Scope,
    SymbolicNumber,
    SymbolicTensor,
    Trace,
    active,
    apply_number,
    is_symbol,
)
from runtime.shapes import as_shape
from runtime.types import TensorType

Block = Callable[..., Any]
Names = Sequence[str]
MOST_CARRIED = 1000
"""Variables and objects that one loop carries at most."""


class Unreachable(BaseException):
    """Every path to here raises at run time: what follows is dead code. Caught where the region
    ends.
    """


# Truth


def truth(value: Any) -> Any:
    """Python's truth of a value: a bool, or a symbol that can steer a cond.

    Raises ValueError for a tensor with more than one element.
    """
    if isinstance(value, MaybeNone):
        return _truth_of_optional(value)
    value = present(value)
    if isinstance(value, SymbolicNumber):
        return value if value.type.kind == "bool" else apply_number(numbers.TO_BOOL, value)
    if isinstance(value, SymbolicTensor):
        if value.dtype.is_bool and value.static_shape == ():
            return value
        trace = active()
        return trace.apply(TRUTH, (trace.value_of(value),))
    return bool(value)


def _truth_of_optional(value: MaybeNone) -> Any:
    def held() -> Any:
        return truth(value.held)

    def absent() -> bool:
        return False

    return truth(cond(value.flag, held, absent, (), ("the truth of an optional value",)))


def not_(value: Any) -> Any:
    """`not value`."""
    steer = truth(value)
    if isinstance(steer, bool):
        return not steer
    trace = active()
    return trace.apply(numbers.NOT, (trace.value_of(steer),))


def and_(first: Any, rest: Sequence[Block]) -> Any:
    """`first and rest[0]() and ...` with Python's value: an operand."""
    return _short_circuit(first, rest, "and")


def or_(first: Any, rest: Sequence[Block]) -> Any:
    """`first or rest[0]() or ...` with Python's value: an operand."""
    return _short_circuit(first, rest, "or")


def _short_circuit(value: Any, rest: Sequence[Block], name: str) -> Any:
    if not rest:
        return value
    steer = truth(value)

    def further() -> Any:
        return _short_circuit(rest[0](), rest[1:], name)

    def stop() -> Any:
        return value

    body, orelse = (further, stop) if name == "and" else (stop, further)
    return cond(steer, body, orelse, (), (f"the value of `{name}`",))


# Assertions


class StagedAssertionError(AssertionError, errors.InvalidArgumentError):
    """An `assert` on a staged value that does not hold at run time."""

    def __init__(self, *args: Any) -> None:
        errors.InvalidArgumentError.__init__(self, None, "Assert", str(args[0]) if args else "")
        self.args = args

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def staged_assert(test: Any, message: Block | None) -> None:
    """`assert test, message()`: a branch that raises StagedAssertionError at run time."""

    def holds() -> None:
        pass

    def fails() -> None:
        raise StagedAssertionError(*([] if message is None else [message()]))

    cond(test, holds, fails, (), ())


# Branches


@dataclass(slots=True)
class Path:
    """One traced block: where its nodes are, what it left, and whether its end is reached.

    `changed` holds the contents of the objects that it changed, by the objects' ids.
    """

    scope: Scope
    values: tuple[Any, ...]
    reached: bool
    block: Block
    recorder: Recorder
    changed: dict[int, tuple[Place, Contents]]


def split(result: Any, names: Names) -> tuple[Any, ...]:
    """What a block returned, one entry for each name (at least one)."""
    return tuple(result) if len(names) > 1 else (result,)


def pack(values: Sequence[Any], names: Names) -> Any:
    """The opposite of `split`."""
    return tuple(values) if len(names) > 1 else values[0]


def cond(
    test: Any,
    body: Block,
    orelse: Block,
    inputs: tuple[Any, ...],
    names: Names,
    watch: Watch = no_watch,
) -> Any:
    """`if test`: both blocks are traced, and what they leave is joined name by name.

    Raises what `join` raises, and StagingError for what only Python could do.
    """
    steer = truth(test)
    if isinstance(steer, bool):
        return body(*inputs) if steer else orelse(*inputs)
    trace = active()
    paths = [_trace_block(trace, block, inputs, names, watch) for block in (body, orelse)]
    if not any(path.reached for path in paths):
        regions = [path.scope.region(()) for path in paths]
        trace.append(COND, (trace.value_of(steer),), regions=regions)
        raise Unreachable
    places = _add_contents(trace, paths)
    values = _merge(trace, steer, paths, [*(names or ("",)), *(place.path for place in places)])
    return pack(_write_back(values, places), names)


def _trace_block(
    trace: Trace, block: Block, inputs: tuple[Any, ...], names: Names, watch: Watch
) -> Path:
    recorder = watch(block, inputs, names)
    with trace.nested("a branch", trace.scope.next_site()) as scope:
        path = Path(scope, (), False, block, recorder, {})
        with deferring(trace), recorder:
            path.values = split(block(*inputs), names)
            path.reached = True
        path.changed = _undone(trace, recorder)
    return path


def _undone(trace: Trace, recorder: Recorder) -> dict[int, tuple[Place, Contents]]:
    """What the block did to objects that existed before it; they are as they were then.

    Raises StagingError for an object that existed before the call, or that cannot be carried.
    """
    places = [Place(path, item) for path, item in recorder.changed()]
    for place in places:
        if trace.existed(place.object):
            recorder.restore()
            raise refuse_change(place.path, "it existed before the traced function was called")
    changed = {id(place.object): (place, place.read()) for place in places}
    recorder.restore()
    return changed


def _add_contents(trace: Trace, paths: Sequence[Path]) -> list[Place]:
    """Carry the contents of what any of the blocks changed: they become further values of each
    path.
    """
    places = {key: place for path in paths for key, (place, _) in path.changed.items()}
    for path in paths:
        untouched = (
            (place, place.read()) for key, place in places.items() if key not in path.changed
        )
        found = path.changed | {id(place.object): (place, was) for place, was in untouched}
        if path.reached:
            path.values += tuple([found[key][1] for key in places])
    return list(places.values())


def _write_back(values: Sequence[Any], places: Sequence[Place]) -> Sequence[Any]:
    """Put what was carried into its objects; the values of the names remain."""
    size = len(values) - len(places)
    for place, contents in zip(places, values[size:], strict=True):
        place.write(contents)
    return values[:size]


class deferring:
    """Within it, an exception of the program's own ends the open region: it will be raised at run
    time.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        if isinstance(error, Unreachable):
            return True
        if not isinstance(error, Exception) or is_refusal(error):
            return False
        add_raise(self.trace, error)
        return True


def add_raise(trace: Trace, error: Exception) -> None:
    """End the open region by raising `error`, with the run's values for the symbols among its
    arguments.

    Raises StagingError where a handler around could act on it.
    """
    check_unhandled(trace.root, f"{type(error).__name__}")
    places = [at for at, item in enumerate(error.args) if is_symbol(item)]
    values = [trace.value_of(error.args[at]) for at in places]
    origin = origin_of(error)
    error.__traceback__ = error.__context__ = None
    trace.append(RAISE, values, (), {"exception": error, "places": tuple(places)}, (), origin)


def _merge(trace: Trace, steer: Any, paths: Sequence[Path], names: Names) -> list[Any]:
    test = trace.value_of(steer)
    specs = _specs(paths, names)
    regions = [_close(trace, path, specs) for path in paths]
    outputs = declare(trace, specs, names)
    symbols = iter(trace.append(COND, (test,), outputs, regions=regions))
    return [joins.lift(spec, symbols) for spec in specs]


def _specs(paths: Sequence[Path], names: Names) -> list[Spec]:
    first, second = paths
    if first.reached and second.reached:
        pairs = zip(first.values, second.values, strict=True)
        return [_join_branches(paths, x, y, at, names) for at, (x, y) in enumerate(pairs)]
    only = first if first.reached else second
    is_older = only.recorder.knows
    return [joins.abstract_from(value, only.scope, is_older) for value in only.values]


def _join_branches(paths: Sequence[Path], x: Any, y: Any, at: int, names: Names) -> Spec:
    try:
        return joins.join(*joins.abstract_pair(x, y))
    except Mismatch as mismatch:
        first, second = (place_of(v, mismatch, p.block) for v, p in zip((x, y), paths, strict=True))
        raise mismatch_error(
            mismatch, variable_name(names, at), "the branches of `if`", (first, second)
        ) from None


def _close(trace: Trace, path: Path, specs: Sequence[Spec]) -> Region:
    if not path.reached:
        return path.scope.region(())
    with trace.reopened(path.scope):
        pairs = zip(path.values, specs, strict=True)
        results = [value for item, spec in pairs for value in joins.lower(item, spec, trace)]
    return path.scope.region(results)


def declare(trace: Trace, specs: Sequence[Spec], names: Names) -> list[Value]:
    """New values of the graph for what is carried, named after the user's variables."""
    made = []
    for at, spec in enumerate(specs):
        hint = variable_name(names, at) or "result"
        labels = joins.names_of(spec, _identifier(hint))
        for type, label in zip(joins.types_of(spec), labels, strict=True):
            made.append(Value(type, trace.unique(label)))
    return made


def _identifier(hint: str) -> str:
    if hint.isidentifier():
        return hint
    words = "_".join(re.findall(r"\w+", hint))
    return words if words.isidentifier() and " " not in hint else "result"


def variable_name(names: Names, at: int) -> str | None:
    """The user's name of one output."""
    return (names[at] or None) if names else None


# Errors of joins


def mismatch_error(
    mismatch: Mismatch, name: str | None, where: str, places: Sequence[Location | None]
) -> Exception:
    """The refusal of a join: the variable, and the line of each side."""
    what = f"{name or 'the result'}{mismatch.path}"
    sides = " and ".join(map(format_location, places))
    message = f"{what!r} cannot be joined across {where}: {mismatch.reason} (at {sides})"
    if mismatch.dtypes_differ:
        return refuse_dtypes(message, mismatch.hint, name)
    return refuse(message, mismatch.hint, name)


def place_of(value: Any, mismatch: Mismatch, block: Block | None) -> Location | None:
    """Where the part of `value` that does not join was made; else where its block ends."""
    for place in mismatch.places:
        found = structure_of(value)
        if found is None or place >= len(found[1]):
            break
        value = found[1][place]
    origin: Origin | None = getattr(value, "origin", None) if is_symbol(value) else None
    if origin is not None:
        return position_of(*origin)
    return None if block is None else _end_of(block)


def _end_of(block: Block) -> Location | None:
    code = getattr(block, "__code__", None)
    if code is None:
        return None
    return position_of(code, len(code.co_code) - 2) or (code.co_filename, code.co_firstlineno, 1)


# Loops


@dataclass(slots=True)
class Loop:
    """A `while` being staged: its blocks, what it starts with, and what it carries.

    `values` are those of the names, then the contents of the objects in `places`.
    """

    test: Block
    body: Block
    key: Block
    names: list[str]
    size: int
    watch: Watch
    site: Any
    values: list[Any]
    places: list[Place]
    specs: list[Spec]
    declared: dict[int, Spec]


@dataclass(slots=True)
class Round:
    """One traced round: its path, what the body was given, and the next test."""

    path: Path
    given: tuple[Any, ...]
    proceed: Any


def while_loop(
    test: Block,
    body: Block,
    state: tuple[Any, ...],
    names: Names,
    first: Any,
    watch: Watch = no_watch,
    key: Block | None = None,
    declared: Mapping[int, Spec] | None = None,
    limit_known: bool = False,
) -> Any:
    """`while test(*state)`: one region holds the body and the next test; the types of the state
    widen until they hold.

    `first` is the value of `test(*state)`, known already. `key` is the user's block, if `body` only
    wraps it; `declared` are Specs that variables must keep, by position. Raises what `join` raises,
    StagingError for what only Python could do, and ValueError for a variable that does not keep the
    declared Spec.
    """
    steer = truth(first)
    if steer is False:
        return bare(state)
    trace = active()
    block = key or body
    site = trace.scope.next_site(), getattr(block, "__code__", block)
    loop = Loop(test, body, block, list(names), len(state), watch, site, list(state), [], [], {})
    loop.declared.update(declared or {})
    loop.specs = _entry_specs(trace, loop)
    # Each widening changes the type of a variable for good, and a type can widen only so often.
    while len(loop.names) < MOST_CARRIED:
        for _ in range(10 + 4 * len(loop.specs)):
            counts = dict(trace.counts)
            round_ = _trace_round(trace, loop)
            if not round_.path.reached:
                trace.counts = counts
                return _raising_loop(steer, body, state, names, watch)
            options = round_.path.recorder.options
            if options is not None and options.maximum_iterations is not None and not limit_known:
                trace.counts = counts
                return _limited_loop(loop, options.maximum_iterations, first)
            if _declare_shapes(loop, options, round_) or _carry_further(loop, round_.path):
                trace.counts = counts
                break
            widened = _widen(loop, round_.path)
            if widened == loop.specs:
                trace.memo[site] = loop.specs
                return _close_loop(trace, steer, loop, round_)
            trace.counts = counts
            loop.specs = widened
        else:
            break
    raise refuse(
        f"the types of {', '.join(loop.names)} keep changing from round to round",
        "give the state one structure before the loop",
    )


def _entry_specs(trace: Trace, loop: Loop) -> list[Spec]:
    specs = [
        loop.declared.get(at) or joins.abstract_entry(value) for at, value in enumerate(loop.values)
    ]
    known = trace.memo.get(loop.site)
    if known is None:
        return specs
    # In another trace of the loop around, the types here are at least as wide as they were.
    try:
        return [joins.join(spec, wide) for spec, wide in zip(specs, known, strict=False)]
    except Mismatch:
        return specs


def limited(test: Block, body: Block, limit: Any) -> tuple[Block, Block]:
    """The blocks of a loop that ends after `limit` rounds, counted by a further first variable."""

    def counting_test(count: Any, *state: Any) -> Any:
        return and_(count < limit, (lambda: test(*state),))

    def counting_body(count: Any, *state: Any) -> Any:
        return (count + 1, *as_state(body(*state), len(state)))

    return counting_test, counting_body


def _limited_loop(loop: Loop, limit: Any, first: Any) -> Any:
    test, body = limited(loop.test, loop.body, limit)
    state = (active().number(0), *loop.values[: loop.size])
    left = while_loop(
        test,
        body,
        state,
        ["count", *loop.names[: loop.size]],
        and_(truth(limit > 0), (lambda: first,)),
        loop.watch,
        loop.key,
        {at + 1: spec for at, spec in loop.declared.items()},
        limit_known=True,
    )
    return bare(as_state(left, len(state))[1:])


def _declare_shapes(loop: Loop, options: Any, round_: Round) -> bool:
    """Take over the shapes that the body's `set_loop_options` names; whether there is a new one."""
    new = False
    for value, shape in (options and options.shape_invariants) or ():
        for at, given in enumerate(round_.given):
            if given is value and at not in loop.declared and is_symbol(value):
                loop.declared[at] = loop.specs[at] = Leaf(TensorType(value.dtype, as_shape(shape)))
                new = True
    return new


def _trace_round(trace: Trace, loop: Loop) -> Round:
    with trace.nested("the body of a loop", loop.site[0]) as scope:
        recorder = loop.watch(loop.key, loop.values[: loop.size], loop.names)
        path = Path(scope, (), False, loop.key, recorder, {})
        given = _parameters(trace, loop)
        round_ = Round(path, given, False)
        with deferring(trace), recorder:
            for place, contents in zip(loop.places, given[loop.size :], strict=True):
                place.write(contents)
            left = as_state(loop.body(*given[: loop.size]), loop.size)
            round_.proceed = truth(loop.test(*left))
            path.values, path.reached = left, True
        path.changed = _undone(trace, recorder)
    return round_


def _parameters(trace: Trace, loop: Loop) -> tuple[Any, ...]:
    values = declare(trace, loop.specs, loop.names)
    trace.scope.parameters.extend(values)
    symbols = iter([trace.symbol(value) for value in values])
    return tuple([joins.lift(spec, symbols) for spec in loop.specs])


def as_state(result: Any, size: int) -> tuple[Any, ...]:
    """What a body returned, one entry for each of `size` names."""
    if size == 0:
        return ()
    return (result,) if size == 1 else tuple(result)


def bare(state: Sequence[Any]) -> Any:
    """The opposite of `as_state`."""
    if not state:
        return None
    return state[0] if len(state) == 1 else tuple(state)


def _raising_loop(
    steer: Any, body: Block, state: tuple[Any, ...], names: Names, watch: Watch
) -> Any:
    """No round reaches its end: the first one raises, or there is none."""

    def no_round(*state: Any) -> Any:
        return bare(state)

    return cond(steer, body, no_round, state, names, watch)


def _carry_further(loop: Loop, path: Path) -> bool:
    """Objects that the round changed, and whose contents are not carried yet, are from now on."""
    known = {id(place.object) for place in loop.places}
    new = [place for key, (place, _) in path.changed.items() if key not in known]
    for place in new:
        contents = place.read()
        loop.places.append(place)
        loop.names.append(place.path)
        loop.values.append(contents)
        loop.specs.append(joins.abstract_entry(contents))
    carried = [
        path.changed[id(place.object)][1] if id(place.object) in path.changed else place.read()
        for place in loop.places
    ]
    path.values += tuple(carried)
    return bool(new)


def _widen(loop: Loop, path: Path) -> list[Spec]:
    widened = []
    for at, (spec, left) in enumerate(zip(loop.specs, path.values, strict=True)):
        try:
            wide = joins.join(spec, joins.abstract_next(left, spec))
        except Mismatch as mismatch:
            places = place_of(loop.values[at], mismatch, None), place_of(left, mismatch, loop.key)
            name = variable_name(loop.names, at)
            raise mismatch_error(mismatch, name, "the rounds of a loop", places) from None
        if at in loop.declared and wide != spec:
            raise ValueError(
                f"{variable_name(loop.names, at)!r} has the shape invariant {_shown(spec)}, but is "
                f"{_shown(wide)} after a round: declare a wider shape"
            )
        widened.append(wide)
    return widened


def _shown(spec: Spec) -> str:
    return ", ".join(map(str, joins.types_of(spec)))


def _close_loop(trace: Trace, steer: Any, loop: Loop, round_: Round) -> Any:
    with trace.reopened(round_.path.scope):
        proceed = trace.value_of(round_.proceed)
        results = list(_lower_all(trace, round_.path.values, loop.specs))
    region = round_.path.scope.region([proceed, *results])
    inputs = [trace.value_of(steer), *_lower_all(trace, loop.values, loop.specs)]
    outputs = declare(trace, loop.specs, loop.names)
    symbols = iter(trace.append(WHILE, inputs, outputs, regions=[region]))
    values = [joins.lift(spec, symbols) for spec in loop.specs]
    return bare(_write_back(values, loop.places))


def _lower_all(trace: Trace, values: Sequence[Any], specs: Sequence[Spec]) -> Iterator[Value]:
    for value, spec in zip(values, specs, strict=True):
        yield from joins.lower(value, spec, trace)
