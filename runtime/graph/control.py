"""Staged control flow: blocks of Python are traced into regions, and what they leave is joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from runtime import errors
from runtime.graph import aliases, joins, numbers
from runtime.graph.executors.failures import another
from runtime.graph.frames import is_ours, origin_of, user_location
from runtime.graph.handlers import check_not_protocol, check_unhandled
from runtime.graph.ir import Location, Origin, Region, Value, format_location, position_of
from runtime.graph.joins import Leaf, MaybeNone, Mismatch, Same, Spec, bound, present
from runtime.graph.nodes import COND, RAISE, TRUTH, WHILE
from runtime.graph.places import (
    Contents,
    NoRecorder,
    Place,
    Recorder,
    Watch,
    also_watching,
    no_watch,
    refuse_change,
)
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

MOST_PEELED = 3
"""Rounds at the start of a loop that are traced apart where no round for all of them is found."""


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


def equal(a: Any, b: Any) -> Any:
    """`a == b` where either may be None: staged where it is."""
    if isinstance(a, MaybeNone) or isinstance(b, MaybeNone):
        return optional_compared(equal, a, b)
    return a == b


def optional_compared(compare: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """`compare(a, b)` where one of them at least may be None, which is only like None."""
    if not isinstance(a, MaybeNone):
        a, b = b, a
    if b is None:
        return not_(a.flag)

    def held() -> Any:
        return compare(b, a.held)

    def absent() -> Any:
        return not_(b.flag) if isinstance(b, MaybeNone) else False

    return cond(a.flag, held, absent, (), ("the equality of an optional value",))


def unequal(a: Any, b: Any) -> Any:
    """`a != b` where either may be None: staged where it is."""
    same = equal(a, b)
    if isinstance(same, SymbolicTensor):
        return ~same
    return not_(same)


joins.install_equality(equal, unequal)


def not_(value: Any) -> Any:
    """`not value`."""
    steer = truth(value)
    if isinstance(steer, bool):
        return not steer
    trace = active()
    return trace.apply(numbers.NOT, (trace.value_of(steer),))


def and_(first: Any, rest: Sequence[Block], watch: Watch = no_watch) -> Any:
    """`first and rest[0]() and ...` with Python's value: an operand."""
    return _short_circuit(first, rest, "and", watch)


def or_(first: Any, rest: Sequence[Block], watch: Watch = no_watch) -> Any:
    """`first or rest[0]() or ...` with Python's value: an operand."""
    return _short_circuit(first, rest, "or", watch)


def _short_circuit(value: Any, rest: Sequence[Block], name: str, watch: Watch) -> Any:
    if not rest:
        return value
    steer = truth(value)

    # What `further` gives `stop` goes by the trace: the recorders watch what blocks hold.
    def further() -> Any:
        result = _short_circuit(rest[0](), rest[1:], name, watch)
        active().memo["operand"] = result
        return result

    def stop() -> Any:
        # A tensor that is a bool has only one value here, which joins with Python's numbers.
        other = active().memo.pop("operand", None)
        return name == "or" if _is_bool(value) and _is_number(other) else value

    body, orelse = (stop, further) if name == "or" else (further, stop)
    labels, watch = (f"the value of `{name}`",), also_watching(watch, rest)
    return cond(steer, body, orelse, (), labels, watch, orelse_first=name == "or")


def _is_bool(value: Any) -> bool:
    return isinstance(value, SymbolicTensor) and value.dtype.is_bool and value.static_shape == ()


def _is_number(value: Any) -> bool:
    return isinstance(value, SymbolicNumber | int | float)


# Assertions


class StagedAssertionError(AssertionError, errors.InvalidArgumentError):
    """An `assert` on a staged value that does not hold at run time."""

    def __init__(self, *args: Any) -> None:
        errors.InvalidArgumentError.__init__(self, None, "Assert", str(args[0]) if args else "")
        self.args = args

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def staged_assert(test: Any, message: Block | None, watch: Watch = no_watch) -> None:
    """`assert test, message()`: a branch that raises StagedAssertionError at run time."""

    def holds() -> None:
        pass

    def fails() -> None:
        raise StagedAssertionError(*([] if message is None else [message()]))

    called = () if message is None else (message,)
    cond(test, holds, fails, (), (), also_watching(watch, called))


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
    orelse_first: bool = False,
) -> Any:
    """`if test`: both blocks are traced, and what they leave is joined name by name.

    `orelse_first` says in which order. Raises what `join` raises, and StagingError for what only
    Python could do.
    """
    steer = truth(test)
    if isinstance(steer, bool):
        return body(*inputs) if steer else orelse(*inputs)
    trace = active()
    since = len(trace.joined)
    blocks = (orelse, body) if orelse_first else (body, orelse)
    paths = [_trace_block(trace, block, inputs, names, watch) for block in blocks]
    if orelse_first:
        paths.reverse()
    if not any(path.reached for path in paths):
        regions = [path.scope.region(()) for path in paths]
        trace.append(COND, (trace.value_of(steer),), regions=regions)
        raise Unreachable
    places = _add_contents(trace, paths)
    labels = [*(names or ("",)), *(place.path for place in places)]
    specs = _specs(paths, labels)
    values = _merge(trace, steer, paths, specs, labels)
    left = pack(_write_back(values, places), names)
    _watch_copies(trace, [path for path in paths if path.reached], specs, values, labels, since)
    return left


def _watch_copies(
    trace: Trace,
    paths: Sequence[Path],
    specs: Sequence[Spec],
    values: Sequence[Any],
    names: Names,
    since: int,
) -> None:
    made: list[aliases.Copy] = []
    for at, (spec, value) in enumerate(zip(specs, values, strict=True)):
        name = variable_name(names, at) or "the result"
        made += aliases.copies(name, spec, value, [path.values[at] for path in paths])
    for copy in made:
        for path, item in zip(paths, copy.originals, strict=True):
            if id(item) in path.changed:
                raise aliases.refuse_rebinding(copy.name)
    knows = [_knows(path.recorder) for path in paths]
    # What a path does not mention, only the other path's recorder may have looked at.
    known = [lambda item: any(know(item) for know in knows)] * len(paths)
    aliases.watch(trace, made, known, since)


def _knows(recorder: Recorder) -> Callable[[Any], bool]:
    # What is not watched may know every object.
    return (lambda item: True) if isinstance(recorder, NoRecorder) else recorder.knows


def _trace_block(
    trace: Trace, block: Block, inputs: tuple[Any, ...], names: Names, watch: Watch
) -> Path:
    recorder = watch(block, inputs, _input_names(block, inputs, names))
    with trace.nested("a branch", trace.scope.next_site()) as scope:
        path = Path(scope, (), False, block, recorder, {})
        with deferring(trace), recorder:
            path.values = split(block(*inputs), names)
            if not names or names[0] == "return":  # what has no name is read at once
                path.values = (bound(path.values[0]), *path.values[1:])
            path.reached = True
        _release(trace, recorder, path.values)
        if path.reached:
            aliases.check(trace, recorder.restore)
        path.changed = _undone(trace, recorder)
    return path


def _input_names(block: Block, inputs: Sequence[Any], names: Names) -> Names:
    code = getattr(block, "__code__", None)
    if code is not None and code.co_argcount == len(inputs):
        return cast(Names, code.co_varnames[: len(inputs)])
    return names if len(names) == len(inputs) else [f"input {at}" for at in range(len(inputs))]


def _release(trace: Trace, recorder: Recorder, results: tuple[Any, ...]) -> None:
    """Leave alone what the block made: only its results hold it, or nobody any more."""
    trace.forget_frames()
    recorder.release(results)


def _undone(trace: Trace, recorder: Recorder) -> dict[int, tuple[Place, Contents]]:
    """What the block did to objects that existed before it; they are as they were then.

    Raises StagingError for an object that existed before the call, or that cannot be carried.
    """
    try:
        places = [Place(path, item) for path, item in recorder.changed()]
        for place in places:
            if trace.existed(place.object):
                why = "it existed before the traced function was called"
                raise refuse_change(place.path, why)
        return {id(place.object): (place, place.read()) for place in places}
    finally:
        recorder.restore()


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
    check_unhandled(trace.root, type(error).__name__, type(error))
    check_not_protocol(error)
    places = [at for at, item in enumerate(error.args) if is_symbol(item)]
    values = [trace.value_of(error.args[at]) for at in places]
    origin = origin_of(error, trace.root)
    error.__traceback__ = error.__context__ = None
    # A copy, for what the block did to its objects is undone when it ends.
    params = {"exception": another(error), "places": tuple(places)}
    trace.append(RAISE, values, (), params, (), origin)


def _merge(
    trace: Trace, steer: Any, paths: Sequence[Path], specs: Sequence[Spec], names: Names
) -> list[Any]:
    test = trace.value_of(steer)
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
    sides = " and ".join(format_location(place) for place in places if place is not None)
    message = f"{what!r} cannot be joined across {where}: {mismatch.reason}"
    message += f" (at {sides})" if sides else ""
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
    found_at = origin.location if origin is not None else block and _end_of(block)
    return user_location() if found_at is None or is_ours(found_at[0]) else found_at


def _end_of(block: Block) -> Location | None:
    code = getattr(block, "__code__", None)
    if code is None or is_ours(code.co_filename):
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
    limit_known: bool = False
    peeled: int = 0


@dataclass(slots=True)
class Round:
    """One traced round: its path, what the body was given, and the next test."""

    path: Path
    given: tuple[Any, ...]
    proceed: Any
    since: int


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
    peeled: int = 0,
) -> Any:
    """`while test(*state)`: one region holds the body and the next test; the types of the state
    widen until they hold.

    `first` is the value of `test(*state)`, known already. `key` is the user's block, if `body` only
    wraps it; `declared` are Specs that variables must keep, by position; `peeled` rounds of it were
    traced before. Raises what `join` raises, StagingError for what only Python could do, and
    ValueError for a variable that does not keep the declared Spec.
    """
    steer = truth(first)
    if steer is False:
        return bare(state)
    trace = active()
    block = key or body
    site = trace.scope.next_site(), getattr(block, "__code__", block)
    loop = Loop(test, body, block, list(names), len(state), watch, site, list(state), [], [], {})
    loop.declared.update(declared or {})
    loop.limit_known, loop.peeled = limit_known, peeled
    loop.specs = _entry_specs(trace, loop)
    return _staged_loop(trace, loop, steer, first)


def _staged_loop(trace: Trace, loop: Loop, steer: Any, first: Any) -> Any:
    # Each widening changes the type of a variable for good, and a type can widen only so often.
    left = 10 + 5 * len(loop.specs)
    while left > 0 and len(loop.names) < MOST_CARRIED:
        counts, carried = dict(trace.counts), len(loop.names)
        round_ = _trace_round(trace, loop)
        if _holds(loop, round_):
            trace.memo[loop.site] = loop.specs
            return _close_loop(trace, steer, loop, round_)
        trace.counts = counts
        del trace.joined[round_.since :]
        if not round_.path.reached:
            return _peel(loop, steer, round_)
        limit = _limit(loop, round_)
        if limit is not None:
            return _limited_loop(loop, limit, first)
        left += 5 * (len(loop.names) - carried) - 1
    raise refuse(
        f"the types of {', '.join(loop.names)} keep changing from round to round",
        "give the state one structure before the loop",
    )


def _holds(loop: Loop, round_: Round) -> bool:
    """Does a round leave what it began with? Else what the loop carries is widened, if the round
    says how.
    """
    if not round_.path.reached or _limit(loop, round_) is not None:
        return False
    if _declare_shapes(loop, round_) or _carry_further(loop, round_.path):
        return False
    before, loop.specs = loop.specs, _widen(loop, round_.path)
    return before == loop.specs


def _limit(loop: Loop, round_: Round) -> Any:
    """How many rounds the body asks for at most, unless they are counted already."""
    options = round_.path.recorder.options
    return None if options is None or loop.limit_known else options.maximum_iterations


def _entry_specs(trace: Trace, loop: Loop) -> list[Spec]:
    specs = [
        loop.declared.get(at) or joins.abstract_entry(value) for at, value in enumerate(loop.values)
    ]
    known = trace.memo.get(loop.site)
    if known is None:
        return specs
    # In another trace of the loop around, the types here are at least as wide as they were.
    try:
        return [_widened(spec, wide) for spec, wide in zip(specs, known, strict=False)]
    except Mismatch:
        return specs


def _widened(spec: Spec, known: Spec) -> Spec:
    # An object that every round left alone, or changed in place, is now another one of its kind.
    kept = isinstance(spec, Same) and isinstance(known, Same)
    return spec if kept else joins.join(spec, known)


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


def _declare_shapes(loop: Loop, round_: Round) -> bool:
    """Take over the shapes that the body's `set_loop_options` names; whether there is a new one."""
    new, options = False, round_.path.recorder.options
    for value, shape in (options and options.shape_invariants) or ():
        for at, given in enumerate(round_.given):
            if given is value and at not in loop.declared and is_symbol(value):
                loop.declared[at] = loop.specs[at] = Leaf(TensorType(value.dtype, as_shape(shape)))
                new = True
    return new


def _trace_round(trace: Trace, loop: Loop) -> Round:
    with trace.nested("the body of a loop", loop.site[0]) as scope:
        watch = also_watching(loop.watch, (loop.test,))
        recorder = watch(loop.key, loop.values[: loop.size], loop.names[: loop.size])
        path = Path(scope, (), False, loop.key, recorder, {})
        given = _parameters(trace, loop)
        round_ = Round(path, given, False, len(trace.joined))
        _watch_given(trace, loop, given)
        with deferring(trace), recorder:
            for place, contents in zip(loop.places, given[loop.size :], strict=True):
                place.write(contents)
            left = as_state(loop.body(*given[: loop.size]), loop.size)
            round_.proceed = truth(loop.test(*left))
            path.values, path.reached = left, True
        _release(trace, recorder, path.values)
        if path.reached:
            aliases.check(trace, recorder.restore)
        path.changed = _undone(trace, recorder)
    return round_


def _watch_given(trace: Trace, loop: Loop, given: Sequence[Any]) -> None:
    """What a round starts with stands for what the loop started with, or a round left."""
    made: list[aliases.Copy] = []
    for name, spec, value, first in zip(loop.names, loop.specs, given, loop.values, strict=True):
        made += aliases.copies(name, spec, value, [first, aliases.ANYTHING])
    aliases.watch(trace, made, [lambda item: True] * 2, len(trace.joined))


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


def _peel(loop: Loop, steer: Any, failed: Round) -> Any:
    """The loop, its first round traced apart from the others, with the values that it starts with.

    What every round raises with the types of all rounds, may be raised by none that is run, or by a
    later one only.
    """
    if loop.peeled == MOST_PEELED:
        raise _endless_peeling(loop, failed)

    def first_round(*state: Any) -> Any:
        left = as_state(loop.body(*state), loop.size)
        proceed = loop.test(*left)
        names, peeled = loop.names[: loop.size], loop.peeled + 1
        declared = {at: spec for at, spec in loop.declared.items() if at < loop.size}
        return while_loop(
            loop.test,
            loop.body,
            left,
            names,
            proceed,
            loop.watch,
            loop.key,
            declared,
            loop.limit_known,
            peeled,
        )

    def no_round(*state: Any) -> Any:
        return bare(state)

    state = tuple(loop.values[: loop.size])
    return cond(steer, first_round, no_round, state, loop.names[: loop.size], loop.watch)


def _endless_peeling(loop: Loop, failed: Round) -> Exception:
    nodes = failed.path.scope.nodes
    raised = next((node for node in reversed(nodes) if node.primitive is RAISE), None)
    what = "an exception" if raised is None else repr(raised.params["exception"])
    place = None if raised is None else raised.location
    names = ", ".join(loop.names[: loop.size])
    return refuse(
        f"a round of the loop over {names} raises {what} with the types that all rounds share (at "
        f"{format_location(place)})",
        f"give {names} before the loop the types, shapes and structure that a round leaves",
        names or None,
        place,
    )


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
    left = bare(_write_back(values, loop.places))
    _watch_left(trace, loop, round_, values)
    return left


def _watch_left(trace: Trace, loop: Loop, round_: Round, values: Sequence[Any]) -> None:
    made: list[aliases.Copy] = []
    pairs = zip(loop.values, round_.path.values, strict=True)
    for name, spec, value, originals in zip(loop.names, loop.specs, values, pairs, strict=True):
        made += aliases.copies(name, spec, value, originals)
    for copy in made:
        if id(copy.originals[1]) in round_.path.changed:
            raise aliases.refuse_rebinding(copy.name)
    known = [lambda item: True, _knows(round_.path.recorder)]
    aliases.watch(trace, made, known, round_.since)


def _lower_all(trace: Trace, values: Sequence[Any], specs: Sequence[Spec]) -> Iterator[Value]:
    for value, spec in zip(values, specs, strict=True):
        yield from joins.lower(value, spec, trace)
