"""Staged branches: both are traced, and what they leave is joined."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, cast

from autograph.operators.truths import truth as users_truth
from runtime.graph import numbers
from runtime.graph.ir import Region
from runtime.graph.nodes import COND, TRUTH
from runtime.staging.aliasing import aliases, identities, item_assignments
from runtime.staging.control import graph_values, joined_tensors, joins
from runtime.staging.control.blocks import (
    Block,
    Names,
    Path,
    Unreachable,
    Wording,
    declare,
    deferring,
    knows,
    lower_left,
    mismatch_error,
    pack,
    place_of,
    release,
    sides_in,
    split,
    undone,
    variable_name,
    want_parts,
    write_back,
)
from runtime.staging.control.carried_objects import (
    Contents,
    Held,
    Place,
    Watch,
    no_watch,
    with_defaults,
)
from runtime.staging.control.choices import Choice
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import MaybeNone, bound, present
from runtime.staging.control.specs import Mismatch, Spec
from runtime.staging.control.truths import Truth
from runtime.staging.frames import variable_holding
from runtime.staging.lists.growing import Growing
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber, apply_number
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace, is_symbol

_STATEMENT = Wording("the branches of `if`", "the value", unites=True)

_NEAR = 4
"""Nodes before a branch among which its test is looked for."""


def truth(value: Any) -> Any:
    """Python's truth of a value: a bool, or a symbol that can predicate a cond.

    Raises ValueError for a tensor with more than one element.
    """
    if isinstance(value, MaybeNone):
        return _truth_of_optional(value)
    if isinstance(value, Choice):
        told = value.told(bool, value)
        return truth(value.apply(truth) if told is NotImplemented else told)
    value = read(present(value))
    if type(value) is Truth:
        value = value.value
    if isinstance(value, Growing):
        value = value.length()
    if getattr(value, "_is_text_of_run", False):
        value = value._truth()
    if isinstance(value, SymbolicNumber):
        return value if value.type.kind == "bool" else apply_number(numbers.TO_BOOL, value)
    if isinstance(value, SymbolicTensor):
        if value.dtype.is_bool and value.static_shape == ():
            return value
        return _truth_of_tensor(value)
    answer = users_truth(value)
    return bool(value) if answer is value else truth(answer)


def _truth_of_tensor(value: SymbolicTensor) -> Any:
    trace = active()
    try:
        return trace.apply(TRUTH, (trace.value_of(value),))
    except ValueError as error:
        name = variable_holding(value) or "x"
        error.args = (f"{error}, or len({name}) > 0 to ask whether {name} has elements",)
        raise


def _truth_of_optional(value: MaybeNone) -> Any:
    def held() -> Any:
        return truth(value.held)

    def absent() -> bool:
        return False

    made = truth(cond(value.flag, held, absent, (), ("the truth of an optional value",)))
    if is_symbol(made) and is_symbol(value.flag):
        active().memo[MaybeNone, made.graph_value] = value.flag.graph_value
    return made


def cond(
    test: Any,
    body: Block,
    orelse: Block,
    inputs: tuple[Any, ...],
    names: Names,
    watch: Watch = no_watch,
    orelse_first: bool = False,
    words: Wording = _STATEMENT,
    is_caught: bool = False,
) -> Any:
    """`if test`: both blocks are traced, and what they leave is joined name by name.

    `orelse_first` says in which order, `words` how messages speak of it. Inside a `try` that is
    being traced, blocks that are `is_caught` say themselves whether they have failed. Raises what
    `join` raises, and StagingError for what only Python could do.
    """
    predicate = truth(test)
    if isinstance(predicate, bool):
        return body(*inputs) if predicate else orelse(*inputs)
    trace = active()
    if trace.attempts and not is_caught:
        from runtime.staging.control.caught import block_of, go_on

        size = max(len(names), 1)
        reads = not names or names[0] == "return"
        first, second = block_of(body, size, reads), block_of(orelse, size, reads)
        labels = (*(names or ("return",)), "failure")
        given = inputs, labels, watch, orelse_first, words
        made = cond(predicate, first, second, *given, is_caught=True)
        go_on(trace, made[-1])
        return pack(made[:-1], names)
    since, flags = len(trace.joined), _flags_of(trace, predicate)
    blocks = (orelse, body) if orelse_first else (body, orelse)
    paths = [traced(trace, block, inputs, names, watch) for block in blocks]
    if orelse_first:
        paths.reverse()
    for path, known in zip(paths, flags, strict=True):
        path.values = tuple([_narrowed(value, known) for value in path.values])
    return pack(joined(trace, predicate, paths, names, words, since), names)


def _flags_of(trace: Trace, predicate: Any) -> tuple[dict[Any, bool], dict[Any, bool]]:
    """The flags that tell of values what is None, as known where a test is true, and where not. And
    of choices, by their places, whether an option is chosen.
    """
    value, is_same = trace.value_of(predicate), True
    for node in reversed(trace.scope.nodes[-_NEAR:]):
        if node.primitive is numbers.NOT and node.outputs[0] is value:
            value, is_same = node.inputs[0], not is_same
    holds: dict[Any, bool] = {value: True}
    fails: dict[Any, bool] = {value: False}
    if (MaybeNone, value) in trace.memo:
        holds[trace.memo[MaybeNone, value]] = True
    if (Choice, value) in trace.memo:
        holds[trace.memo[Choice, value]], fails[trace.memo[Choice, value]] = True, False
    return (holds, fails) if is_same else (fails, holds)


def _narrowed(value: Any, flags: dict[Any, bool]) -> Any:
    """A value that a path leaves: None, or one that is there, or the option of a choice, where that
    is known.
    """
    if isinstance(value, Choice) and is_symbol(value.place):
        place = value.place.graph_value
        known = [flags.get((place, at)) for at in range(len(value.options))]
        left = [at for at, is_it in enumerate(known) if is_it is not False]
        left = [known.index(True)] if True in known else left
        return value.options[left[0]] if len(left) == 1 else value
    if type(value) is not MaybeNone or not is_symbol(value.flag):
        return value
    is_there = flags.get(value.flag.graph_value)
    return value if is_there is None else value.held if is_there else None


def joined(
    trace: Trace,
    predicate: Any,
    paths: Sequence[Path],
    names: Names,
    words: Wording = _STATEMENT,
    since: int | None = None,
) -> Sequence[Any]:
    """The joined results of two traced paths: one value for each name. The first one is taken where
    `predicate` is true. Before them, `since` copies were joined.

    Raises Unreachable where neither comes to its end.
    """
    since = len(trace.joined) if since is None else since
    if not any(path.reached for path in paths):
        regions = [path.scope.region(()) for path in paths]
        trace.append(COND, (trace.value_of(predicate),), regions=regions)
        raise Unreachable
    places, named = _add_contents(trace, paths)
    labels = [*(names or ("",)), *(place.name for place in places)]
    specs = _specs(paths, labels, words, places)
    reached = [path for path in paths if path.reached]
    for path in reached:
        identities.check_left(specs, path.values, path.scope)
    values = _merge(trace, predicate, paths, specs, labels)
    identities.note_branches(specs, values, [path.values for path in reached])
    for at, place in named.items():
        place.write(Held(1, [values[at]]))
        values[at] = place.object
    left = write_back(values, places)
    for path in paths:
        item_assignments.pass_on(trace, path.scope)
    joined_tensors.note_tensors(specs, values, [path.values for path in reached])
    _watch_copies(trace, reached, specs, values, labels, since)
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
                place, _ = path.changed[id(item)]
                raise aliases.refuse_rebinding(copy, made, place.name)
    known = [_any_of([knows(path.recorder) for path in paths])] * len(paths)
    aliases.watch(trace, made, known, since)


def _any_of(tests: Sequence[Callable[[Any], bool]]) -> Callable[[Any], bool]:
    """Whether an object is from before the branches, by the tests of both paths: what one does not
    mention, only the other's recorder may have looked at.
    """
    return lambda item: any(test(item) for test in tests)


def traced(trace: Trace, block: Block, inputs: tuple[Any, ...], names: Names, watch: Watch) -> Path:
    """A path: one block, traced."""
    recorder = watch(block, inputs, _input_names(block, inputs, names))
    with trace.nested("a branch", trace.scope.next_site()) as scope:
        path = Path(scope, (), False, block, recorder, {})
        with deferring(trace), recorder:
            path.values = split(block(*inputs), names)
            if not names or names[0] == "return":  # what has no name is read at once
                path.values = (bound(path.values[0]), *path.values[1:])
            path.reached = True
        release(trace, recorder, path.values)
        if path.reached:
            aliases.check(trace, recorder.restore)
        path.changed = undone(trace, recorder, path.reached)
    return path


def _input_names(block: Block, inputs: Sequence[Any], names: Names) -> Names:
    code = getattr(block, "__code__", None)
    if code is not None and code.co_argcount == len(inputs):
        return cast(Names, code.co_varnames[: len(inputs)])
    return names if len(names) == len(inputs) else [f"input {at}" for at in range(len(inputs))]


def _add_contents(trace: Trace, paths: Sequence[Path]) -> tuple[list[Place], dict[int, Place]]:
    """Carry the contents of what any of the blocks changed: they become further values of each
    path, but for those of tensors that a variable stands for on each path, by the variable's place.
    """
    places: dict[int, Place] = {}
    for path in paths:
        for key, (place, _) in path.changed.items():
            known = places.setdefault(key, place)
            known.change |= place.change
    named: dict[int, Place] = {}
    reached = [path for path in paths if path.reached]
    contents = [
        {key: _content(trace, path, key, place) for key, place in places.items()}
        for path in reached
    ]
    for key, place in places.items():
        others = [found[key] for found in contents]
        for found in contents:
            found[key] = with_defaults(place, found[key], others)
    for key, place in list(places.items()):
        at = _variable_of(place.object, reached)
        if at is not None:
            named[at] = places.pop(key)
    for path, found in zip(reached, contents, strict=True):
        values = list(path.values)
        for at, place in named.items():
            (values[at],) = found[id(place.object)].children
        path.values = *values, *[found[key] for key in places]
    return list(places.values()), named


def _content(trace: Trace, path: Path, key: int, place: Place) -> Contents:
    if key in path.changed:
        return path.changed[key][1]
    if not isinstance(place.object, SymbolicTensor):
        return place.read()
    with trace.reopened(path.scope):  # a view of it may have been changed there
        return place.read()


def _variable_of(item: Any, reached: Sequence[Path]) -> int | None:
    """The place of the variable that stands for a tensor at the end of each path."""
    if not isinstance(item, SymbolicTensor) or not reached:
        return None
    for at, values in enumerate(zip(*[path.values for path in reached], strict=True)):
        if all(value is item for value in values):
            return at
    return None


def _merge(
    trace: Trace, predicate: Any, paths: Sequence[Path], specs: Sequence[Spec], names: Names
) -> list[Any]:
    test = trace.value_of(predicate)
    regions = [_close(trace, path, specs, names) for path in paths]
    outputs = declare(trace, specs, names)
    symbols = iter(trace.append(COND, (test,), outputs, regions=regions))
    return [graph_values.lift(spec, symbols) for spec in specs]


def _specs(
    paths: Sequence[Path], names: Names, words: Wording, places: Sequence[Place]
) -> list[Spec]:
    first, second = paths
    if first.reached and second.reached:
        pairs = zip(first.values, second.values, strict=True)
        # The object of which a value is the contents: those of names come first.
        changed = [*[None] * (len(first.values) - len(places)), *[each.object for each in places]]
        return [
            _alone(paths, second, y)
            if x is joins.BLANK
            else _alone(paths, first, x)
            if y is joins.BLANK
            else _join_branches(paths, x, y, variable_name(names, at), words, changed[at])
            for at, (x, y) in enumerate(pairs)
        ]
    only = first if first.reached else second
    return [_alone(paths, only, value) for value in only.values]


def _alone(paths: Sequence[Path], path: Path, value: Any) -> Spec:
    """The Spec of what is left where only one of the paths has a value."""
    is_older = _any_of([each.recorder.knows for each in paths])
    return joins.abstract_from(value, path.scope, is_older)


def _join_branches(
    paths: Sequence[Path], x: Any, y: Any, name: str | None, words: Wording, changed: Any
) -> Spec:
    pair = joins.abstract_pair(x, y, _any_of([each.recorder.knows for each in paths]))
    try:
        return joins.join(*pair, words.unites)
    except Mismatch as mismatch:
        if words.functions:
            with contextlib.suppress(Mismatch):
                a, b = map(joins.with_tensors_of_texts, pair)
                return joins.join(a, b)
        want_parts(mismatch, (x, y), changed)
        first, second = (place_of(v, mismatch, p.block) for v, p in zip((x, y), paths, strict=True))
        if mismatch.kinds_differ and words.unites:
            of_union = Mismatch(mismatch.reason, mismatch.hint)
            of_union.sides = sides_in((first, second))
            try:
                return joins.united(*pair, of_union)
            except Mismatch as other:
                mismatch = mismatch if other is of_union else other
        raise mismatch_error(mismatch, name, words, (first, second)) from None


def _close(trace: Trace, path: Path, specs: Sequence[Spec], names: Names) -> Region:
    if not path.reached:
        return path.scope.region(())
    return path.scope.region(lower_left(trace, path, specs, names))
