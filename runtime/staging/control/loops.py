"""Staged loops: a round is traced until the types of what it carries hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

from autograph.users_words import listed
from runtime import errors
from runtime.core.dataclasses import dataclass
from runtime.core.tensor import Tensor
from runtime.graph.ir import Value, format_location, has_effects
from runtime.graph.nodes import NUMBER_TYPES, RAISE, WHILE
from runtime.staging.aliasing import aliases, identities
from runtime.staging.aliasing.item_assignments import check_next_round
from runtime.staging.aliasing.shared_tensors import SharedTensors
from runtime.staging.aliasing.sharing import home
from runtime.staging.control import graph_values, joins
from runtime.staging.control.blocks import (
    Block,
    Names,
    Path,
    Unreachable,
    Wording,
    as_state,
    bare,
    declare,
    deferring,
    knows,
    lower_all,
    lower_left,
    mismatch_error,
    place_of,
    release,
    undone,
    variable_name,
    want_parts,
    write_back,
)
from runtime.staging.control.branches import cond, truth
from runtime.staging.control.carried_objects import (
    Attributes,
    Contents,
    ObjectRecorder,
    Place,
    Watch,
    also_watching,
    no_watch,
    with_defaults,
)
from runtime.staging.control.choices import TOO_MANY, Choice
from runtime.staging.control.invariants import check_kept, declared_spec
from runtime.staging.control.logic import and_
from runtime.staging.control.parts import join_structure_of
from runtime.staging.control.references import want
from runtime.staging.control.specs import Leaf, Mismatch, Same, Spec, Tree, classes_in, values_of
from runtime.staging.control.undoing import undone_anew, with_preparations
from runtime.staging.images import image_of
from runtime.staging.refusals import refuse, users_names
from runtime.staging.scopes import LOOP, InScope, Scope, active
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace, is_symbol

MOST_CARRIED = 1000
"""Variables and objects that one loop carries at most."""

MOST_ROUNDS = 100
"""Traces of the body of one loop at most: each may find another tensor that it carries."""

MOST_PEELED = 3
"""Rounds at the start of a loop that are traced apart where no round for all of them is found."""


_ROUNDS = Wording("the rounds of a loop")
_LAST_ROUNDS = 10
"""With so many rounds left, one of several texts, of which there are more each round, is any."""


@dataclass(slots=True)
class Loop:
    """A `while` being staged: its blocks, what it starts with, and what it carries.

    `values` are those of the names, then the contents of the objects in `places`. `known` are the
    places that it carried in another trace of the loop around, with their Specs.
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
    known: list[tuple[Place, Spec]] = field(default_factory=list)
    shared: SharedTensors = field(default_factory=SharedTensors)


@dataclass(slots=True)
class KnownState:
    """The state that a loop carried in one trace of the loop around: the Specs of its names, and
    its places with theirs.
    """

    specs: list[Spec]
    places: list[tuple[Place, Spec]]


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
    predicate = truth(first)
    if predicate is False:
        return bare(state)
    trace = active()
    block = key or body

    def staged() -> Any:
        site = trace.scope.next_site(), getattr(block, "__code__", block), tuple(names)
        size, values = len(state), list(state)
        loop = Loop(test, body, block, list(names), size, watch, site, values, [], [], {})
        loop.declared.update(declared or {})
        loop.limit_known, loop.peeled = limit_known, peeled
        loop.specs = _entry_specs(trace, loop)
        return _staged_loop(trace, loop, predicate, first)

    return with_preparations(trace, lambda: _recorder_of(watch, test, block, state, names), staged)


def _recorder_of(
    watch: Watch, test: Block, body: Block, state: Sequence[Any], names: Names
) -> ObjectRecorder:
    """The recorder of what a round of a loop can reach."""
    return also_watching(watch, (test,))(body, state, names)


def _after_endless(trace: Trace) -> BaseException:
    """Returns the exception that ends the path behind a loop that only an exception ends."""
    never = errors.InternalError("a loop without an end has ended")
    trace.append(RAISE, (), (), {"exception": image_of(never)[0]})
    return Unreachable()


def _staged_loop(trace: Trace, loop: Loop, predicate: Any, first: Any) -> Any:
    # Each widening changes the type of a variable for good, and a type can widen only so often.
    left = 10 + 5 * len(loop.specs)
    before: list[Spec] = []
    for _ in range(MOST_ROUNDS):
        if left <= 0 or len(loop.names) >= MOST_CARRIED:
            break
        before = list(loop.specs)
        counts, carried = dict(trace.counts), len(loop.names)
        round_ = _trace_round(trace, loop)
        if _holds(loop, round_):
            pairs = zip(loop.places, loop.specs[loop.size :], strict=True)
            trace.memo[loop.site] = KnownState(loop.specs[: loop.size], list(pairs))
            return _close_loop(trace, predicate, loop, round_)
        trace.counts = counts
        del trace.joined[round_.since :]
        if not round_.path.reached:
            return _peel(loop, predicate, round_)
        limit = _limit(loop, round_)
        if limit is not None:
            return _limited_loop(loop, _before_loop(trace, round_.path.scope, limit), first)
        left += 5 * (len(loop.names) - carried) - 1
        if left <= _LAST_ROUNDS:
            loop.specs[: len(before)] = [
                now if now == then else joins.as_any_text(now)
                for now, then in zip(loop.specs, before, strict=False)
            ]
    raise _refuse_unsettled(loop, before)


def _refuse_unsettled(loop: Loop, before: Sequence[Spec]) -> Exception:
    """The refusal of variables that have another type after each round."""
    pairs = zip(loop.names, before, loop.specs, strict=False)
    changed = [(name, new) for name, old, new in pairs if name and old != new]
    names = [name for name, _ in changed]
    want(*[kind for _, spec in changed for kind in classes_in(spec)])
    names = list(dict.fromkeys(names or filter(None, loop.names)))
    shown = listed([repr(name) for name in names])
    kinds = [_kinds_of_options(spec) for _, spec in changed]
    if kinds and all(kinds):
        return refuse(
            f"{shown} may be another {' or '.join(sorted(set().union(*kinds)))} after each round: "
            "a graph chooses among few, which Python knows",
            TOO_MANY,
            names[0] if len(names) == 1 else None,
        )
    what = f"type of {shown} keeps" if len(names) == 1 else f"types of {shown} keep"
    return refuse(
        f"the {what} changing from round to round",
        "give the state one structure before the loop",
        names[0] if len(names) == 1 else None,
    )


def _kinds_of_options(spec: Spec) -> set[str]:
    """The classes of the Python values that one is chosen from; none for another Spec."""
    if not isinstance(spec, Tree) or spec.structure.kind is not Choice:
        return set()
    return {type(option).__name__ for option in spec.structure.keys}


def _holds(loop: Loop, round_: Round) -> bool:
    """True if an iteration leaves what it began with. Else what the loop carries is widened, if the
    round says how.
    """
    if not round_.path.reached or _limit(loop, round_) is not None:
        return False
    if _declare_shapes(loop, round_) or _carry_further(loop, round_.path):
        return False
    if _shares_further(loop, round_):
        return False
    before, loop.specs = loop.specs, _widen(loop, round_.path)
    return before == loop.specs


def _shares_further(loop: Loop, round_: Round) -> bool:
    """Whether a round sees the tensors of variables by more names than it was traced for."""
    shared = loop.shared
    carried = [place.object for place in loop.places if isinstance(place.object, SymbolicTensor)]
    again = shared.needs_another(round_.path.scope, loop.values, round_.path.values, carried)
    known = set(map(id, carried))
    for entry in shared.entries if again else ():
        if entry.changed and id(entry.first) in shared.kept and id(entry.first) not in known:
            known.add(id(entry.first))
            place = Place(loop.names[entry.place[0]], entry.first, entry.change)
            loop.specs.append(joins.abstract_entry(_carry(loop, place)))
    return again


def _limit(loop: Loop, round_: Round) -> Any:
    """Returns the maximum number of iterations that the body asks for, unless they
    are counted already.
    """
    options = round_.path.recorder.options
    return None if options is None or loop.limit_known else options.maximum_iterations


def _entry_specs(trace: Trace, loop: Loop) -> list[Spec]:
    specs = [
        loop.declared.get(at) or joins.abstract_entry(value) for at, value in enumerate(loop.values)
    ]
    found = trace.memo.get(loop.site)
    if found is None:
        return specs
    loop.known = list(found.places)
    # In another trace of the loop around, the types here are at least as wide as they were.
    try:
        return [_widened(spec, wide) for spec, wide in zip(specs, found.specs, strict=True)]
    except Mismatch:
        return specs


def _carry_known(trace: Trace, loop: Loop, recorder: ObjectRecorder) -> None:
    """Carry from the start what was carried in another trace, if the loop still reaches it."""
    known, loop.known = loop.known, []
    variables = _variables(loop) if known else {}
    for before, wide in known:
        place = _at_hand(before, variables, recorder)
        if place is None or any(place.object is other.object for other in loop.places):
            continue
        if _is_usable(trace, place.read()):
            spec = _spec_of(_carry(loop, place), wide)
            try:
                loop.specs.append(_widened(spec, wide))
            except Mismatch:
                loop.specs.append(spec)


def _at_hand(place: Place, variables: Mapping[str, Any], recorder: ObjectRecorder) -> Place | None:
    """The place, or that of the object which the round around has made in its stead."""
    made = variables.get(place.path)
    if isinstance(place.object, SymbolicTensor):
        item = place.object if home(place.object).open else made
        is_one = isinstance(item, SymbolicTensor) and home(item).open
        return Place(place.path, item, place.change) if is_one else None
    if recorder.knows(place.object):
        return place
    alike = type(made) is type(place.object) and recorder.knows(made)
    return Place(place.path, made) if alike else None


def _variables(loop: Loop) -> dict[str, Any]:
    """Returns the values of the user's variables that the loop reads."""
    pairs = zip(loop.names, loop.values, strict=True)
    found = {name: value for name, value in pairs if not isinstance(value, Contents)}
    for block in (loop.key, loop.test):
        cells = getattr(block, "__closure__", None) or ()
        names = block.__code__.co_freevars if cells else ()
        for name, cell in zip(names, cells, strict=True):
            with suppress(ValueError):  # nothing is in it yet
                found.setdefault(name, cell.cell_contents)
    return found


def notes(trace: Trace) -> Iterator[Any]:
    """Yields what remembers objects from one trace to the next: it holds none for the user."""
    for known in list(trace.memo.values()):
        if type(known) is KnownState:
            for spec in (*known.specs, *[spec for _, spec in known.places]):
                yield from values_of(spec)
            yield from [place for place, _ in known.places]


def _is_usable(trace: Trace, item: Any) -> bool:
    if is_symbol(item):
        return bool(item.scope.open and item.scope.trace is trace)
    found = join_structure_of(item)
    return found is None or all(_is_usable(trace, child) for child in found[1])


def _carry(loop: Loop, place: Place, others: Sequence[Contents] = ()) -> Contents:
    contents = with_defaults(place, place.read(), others)
    loop.places.append(place)
    loop.names.append(place.name)
    loop.values.append(contents)
    return contents


def _widened(spec: Spec, known: Spec) -> Spec:
    # An object that every round left alone, or changed in place, is now another one of its kind.
    kept = isinstance(spec, Same) and isinstance(known, Same)
    is_past = any(isinstance(each.value, SymbolicTensor) for each in values_of(known))
    return spec if kept or is_past else joins.join(spec, known)


def limited(test: Block, body: Block, limit: Any, watch: Watch) -> tuple[Block, Block]:
    """The blocks of a loop that ends after `limit` rounds, counted by a further first variable:
    the test, which is `watch`ed, is not asked then.
    """

    def counting_test(count: Any, *state: Any) -> Any:
        return and_(count < limit, (lambda: test(*state),), watch)

    def counting_body(count: Any, *state: Any) -> Any:
        return (count + 1, *as_state(body(*state), len(state)))

    return counting_test, counting_body


def _before_loop(trace: Trace, scope: Scope, limit: Any) -> Any:
    """A limit that the body computes, computed before the loop. StagingError where that is not of
    what is around the body alone.
    """
    if not isinstance(limit, InScope) or limit.scope.open:
        return limit
    made = {output: node for node in scope.nodes for output in node.outputs}
    copies: dict[Value, Value] = {}

    def copied(value: Value) -> Value:
        node = made.get(value)
        is_bound = node is not None and (bool(node.regions) or has_effects([node]))
        if is_bound or limit.scope is not scope or value in scope.parameters:
            raise refuse(
                "the `maximum_iterations` of a loop depends on what its rounds may change",
                "compute it before the loop",
            )
        if node is None or value in copies:
            return copies.get(value, value)
        inputs = list(map(copied, node.inputs))
        outputs = [Value(each.type, trace.unique(each.name)) for each in node.outputs]
        copies.update(zip(node.outputs, outputs, strict=True))
        trace.append(node.primitive, inputs, outputs, node.params)
        return copies[value]

    return trace.symbol(copied(limit.graph_value))


def _limited_loop(loop: Loop, limit: Any, first: Any) -> Any:
    test, body = limited(loop.test, loop.body, limit, loop.watch)
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
            is_declarable = isinstance(loop.specs[at], Leaf | Tree)
            if given is value and is_declarable and at not in loop.declared:
                name = loop.names[at]
                loop.declared[at] = loop.specs[at] = declared_spec(value, shape, name)
                new = True
    return new


def _trace_round(trace: Trace, loop: Loop) -> Round:
    size = loop.size
    recorder = _recorder_of(loop.watch, loop.test, loop.key, loop.values[:size], loop.names[:size])
    recorder.round_of = trace
    _carry_known(trace, loop, recorder)
    carried = [place.object for place in loop.places if isinstance(place.object, SymbolicTensor)]
    loop.shared.keep_known(carried, loop.values)
    if loop.shared.kept:
        pairs = zip(loop.specs, loop.values, strict=True)
        loop.specs = [loop.shared.pinned(spec, value) for spec, value in pairs]
    with trace.nested(LOOP, loop.site[0]) as scope:
        path = Path(scope, (), False, loop.key, recorder, {})
        given = _parameters(trace, loop)
        round_ = Round(path, given, False, len(trace.joined))
        _watch_given(trace, loop, given)
        with undone_anew(recorder), deferring(trace), recorder:
            for place in loop.places:  # once they are written, nothing may lead to some of them
                recorder.watch(place.path, place.object)
            for place, contents in zip(loop.places, given[size:], strict=True):
                place.write(contents)
            loop.shared.begin(trace, loop.specs, given, loop.values)
            left = as_state(loop.body(*given[:size]), size)
            round_.proceed = truth(loop.test(*left))
            path.values, path.reached = left, True
        release(trace, recorder, path.values)
        if path.reached:
            aliases.check(trace, recorder.restore)
            changed = [place.object for place in loop.places]
            left_behind = [*path.values, *_contents(loop)]
            aliases.check_left(trace, round_.since, left_behind, changed)
            loop.shared.finish(scope, left_behind)
        path.changed = undone(trace, recorder, path.reached, loop.places)
    return round_


def _contents(loop: Loop) -> list[Any]:
    """Returns what is in the objects that are carried, now."""
    return [place.read() for place in loop.places]


def _watch_given(trace: Trace, loop: Loop, given: Sequence[Any]) -> None:
    """Note that what an iteration starts with stands for what the loop started with, or
    an iteration left.
    """
    made: list[aliases.Copy] = []
    for name, spec, value, first in zip(loop.names, loop.specs, given, loop.values, strict=True):
        made += aliases.copies(name, spec, value, [first, aliases.ANYTHING])
    aliases.watch(trace, made, [lambda item: True] * 2, len(trace.joined))


def _parameters(trace: Trace, loop: Loop) -> tuple[Any, ...]:
    values = declare(trace, loop.specs, loop.names)
    trace.scope.parameters.extend(values)
    symbols = iter([trace.symbol(value) for value in values])
    return tuple([graph_values.lift(spec, symbols) for spec in loop.specs])


def _peel(loop: Loop, predicate: Any, failed: Round) -> Any:
    """The loop, its first round traced apart from the others, with the values that it starts with.

    What every round raises with the types of all rounds, may be raised by none that is run, or by a
    later one only.
    """
    if loop.peeled == MOST_PEELED:
        raise _endless_peeling(loop, failed)

    # A default value leads a recorder to what the round can change.
    def first_round(*state: Any, _reached: Any = (loop.key, loop.test)) -> Any:
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
    return cond(predicate, first_round, no_round, state, loop.names[: loop.size], loop.watch)


def _endless_peeling(loop: Loop, failed: Round) -> Exception:
    nodes = failed.path.scope.nodes
    raised = next((node for node in reversed(nodes) if node.primitive is RAISE), None)
    what, place = "an exception", None
    if raised is not None:
        what = raised.params["exception"].text([value.name for value in raised.inputs])
        place = raised.location
    names = ", ".join(users_names(loop.names[: loop.size]))
    names = names or "its variables"
    return refuse(
        f"a round of the loop over {names} raises {what} with the types that all rounds share (at "
        f"{format_location(place)})",
        f"give {names} before the loop the types, shapes and structure that a round leaves",
        names,
        place,
    )


def _carry_further(loop: Loop, path: Path) -> bool:
    """Objects that the round changed, and whose contents are not carried yet, are from now on."""
    known = {id(place.object) for place in loop.places}
    new = [place for key, (place, _) in path.changed.items() if key not in known]
    widened = [_widen_change(place, path) for place in loop.places]
    for place in new:
        left = path.changed[id(place.object)][1]
        loop.specs.append(_spec_of(_carry(loop, place, [left]), left))
    carried = [
        path.changed[id(place.object)][1] if id(place.object) in path.changed else place.read()
        for place in loop.places
    ]
    path.values += tuple(carried)
    return bool(new) or any(widened)


def _spec_of(contents: Contents, left: Contents | Spec) -> Spec:
    """The Spec of what is in an object at first: its attributes that are numbers, and that a round
    has `left` alone, stay Python's.
    """
    spec = joins.abstract_entry(contents)
    if type(contents) is not Attributes or not isinstance(spec, Tree):
        return spec
    now = joins.abstract(contents)
    then = joins.abstract(left) if isinstance(left, Contents) else left
    if not isinstance(now, Tree) or not isinstance(then, Tree) or now.structure != then.structure:
        return spec
    triples = zip(spec.children, now.children, then.children, strict=True)
    children = [is_ if _is_number(is_) and is_ == was else at for at, is_, was in triples]
    return Tree(spec.structure, tuple(children))


def _is_number(spec: Spec) -> bool:
    return isinstance(spec, Same) and type(spec.value) in NUMBER_TYPES


def _widen_change(place: Place, path: Path) -> bool:
    """Whether more is changed in a tensor than was supposed at the start of the round."""
    if id(place.object) not in path.changed:
        return False
    before = place.change
    place.change |= path.changed[id(place.object)][0].change
    return place.change != before


def _widen(loop: Loop, path: Path) -> list[Spec]:
    widened = []
    for at, (spec, left) in enumerate(zip(loop.specs, path.values, strict=True)):
        try:
            wide = joins.of_kinds(spec, joins.abstract_next(left, spec))
        except Mismatch as mismatch:
            changed = [place.object for place in loop.places]
            inside = changed[at - loop.size] if at >= loop.size else None
            want_parts(mismatch, (loop.values[at], left), inside)
            places = place_of(loop.values[at], mismatch, None), place_of(left, mismatch, loop.key)
            name = variable_name(loop.names, at)
            raise mismatch_error(mismatch, name, _ROUNDS, places) from None
        if at in loop.declared:
            check_kept(wide, loop.declared[at], loop.names[at])
        widened.append(wide)
    return widened


def _close_loop(trace: Trace, predicate: Any, loop: Loop, round_: Round) -> Any:
    refusal = trace.memo.get(round_.path.scope)
    if refusal is not None:
        raise refusal()
    identities.check_left(loop.specs, loop.values, trace.scope)
    identities.check_left(loop.specs, round_.path.values, round_.path.scope)
    with trace.reopened(round_.path.scope):
        proceed = trace.value_of(round_.proceed)
    results = lower_left(trace, round_.path, loop.specs, loop.names)
    region = round_.path.scope.region([proceed, *results])
    check_next_round(round_.path.scope, region)
    inputs = [trace.value_of(predicate), *lower_all(trace, loop.values, loop.specs, loop.names)]
    outputs = declare(trace, loop.specs, loop.names)
    symbols = iter(trace.append(WHILE, inputs, outputs, regions=[region]))
    if predicate is True and round_.proceed is True:
        raise _after_endless(trace)
    made = [graph_values.lift(spec, symbols) for spec in loop.specs]
    of_rounds = zip(loop.values, round_.given, round_.path.values, made, strict=True)
    parameters = frozenset(round_.path.scope.parameters)
    values = [_unchanged_or(parameters, *each) for each in of_rounds]
    states = loop.values, round_.given, round_.path.values
    identities.note_rounds(loop.specs, states, values, round_.path.scope, region)
    loop.shared.end(trace, round_.path.scope, loop.names, values)
    left = bare(write_back(values, loop.places))
    _watch_left(trace, loop, round_, values)
    return left


def _unchanged_or(
    parameters: frozenset[Value], first: Any, given: Any, left: Any, made: Any
) -> Any:
    """The state that a loop leaves: where no round puts another tensor in place of one, nor assigns
    items of it, it has the very one that the loop started with, which tapes know.
    """
    if isinstance(given, SymbolicTensor) and isinstance(first, Tensor):
        is_same = given is left and given.graph_value in parameters
        return first if is_same and isinstance(made, Tensor) else made
    found = [join_structure_of(item) for item in (first, given, left, made)]
    present = [each for each in found if each is not None]
    if len(present) < len(found) or any(each[0] != present[-1][0] for each in present):
        return made
    structure, children = present[-1]
    if structure.handler.is_replaced:
        return made
    parts = zip(*[children for _, children in present], strict=True)
    kept = [_unchanged_or(parameters, *each) for each in parts]
    is_new = any(a is not b for a, b in zip(kept, children, strict=True))
    return structure.build(kept) if is_new else made


def _watch_left(trace: Trace, loop: Loop, round_: Round, values: Sequence[Any]) -> None:
    made: list[aliases.Copy] = []
    pairs = zip(loop.values, round_.path.values, strict=True)
    for name, spec, value, originals in zip(loop.names, loop.specs, values, pairs, strict=True):
        made += aliases.copies(name, spec, value, originals)
    for copy in made:
        if id(copy.originals[1]) in round_.path.changed:
            place, _ = round_.path.changed[id(copy.originals[1])]
            raise aliases.refuse_rebinding(copy, made, place.name)
    known = [lambda item: True, knows(round_.path.recorder)]
    aliases.watch(trace, made, known, round_.since)
