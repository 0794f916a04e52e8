"""Blocks of Python traced into regions: what one leaves, and what it did to objects from before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.graph.ir import Location, Origin, Value, format_location
from runtime.graph.nodes import RAISE
from runtime.staging.aliasing import item_assignments
from runtime.staging.control import graph_values
from runtime.staging.control.carried_objects import (
    Contents,
    GrowingEntries,
    ObjectRecorder,
    Place,
    refuse_change,
)
from runtime.staging.control.deferred_exceptions import (
    EndOfBlock,
    check_not_protocol,
    is_of_program,
)
from runtime.staging.control.optional_values import UNNAMED
from runtime.staging.control.parts import join_structure_of
from runtime.staging.control.specs import Mismatch, Spec, types_of
from runtime.staging.error_notes import locate
from runtime.staging.frames import beginning_of, end_of, is_ours, user_location
from runtime.staging.images import image_of
from runtime.staging.lists.growing import (
    is_taken,
    take_later,
    take_noted,
    want_inside,
    want_lists,
)
from runtime.staging.refusals import is_refusal, refuse, refuse_dtypes
from runtime.staging.scopes import Scope
from runtime.staging.tracing import Trace, is_symbol

Block = Callable[..., Any]
Names = Sequence[str]


class Unreachable(EndOfBlock):
    """Every path to here raises at run time: what follows is dead code. Caught where the region
    ends.
    """


@dataclass(slots=True)
class Path:
    """One traced block: where its nodes are, what it left, and whether its end is reached.

    `changed` holds the contents of the objects that it changed, by the objects' ids.
    """

    scope: Scope
    values: tuple[Any, ...]
    reached: bool
    block: Block
    recorder: ObjectRecorder
    changed: dict[int, tuple[Place, Contents]]


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
        if error is None or not is_of_program(error) or is_refusal(error):
            return False
        if self.trace.tentative and isinstance(error, TypeError | AttributeError):
            return False  # of code that does not know staged numbers, as it seems
        add_raise(self.trace, error)
        return True


def add_raise(trace: Trace, error: BaseException, origin: Origin | None = None) -> None:
    """End the open region by raising `error`, with the values of the run for the symbols in its
    arguments and attributes, and in those of its cause: at `origin`, where that is known.

    Raises StagingError where a handler around could act on it.
    """
    from runtime.staging.control.caught import before_raise

    trace.check_raised(type(error).__name__, type(error))
    check_not_protocol(error)
    if before_raise(trace, error):
        error.__traceback__ = None  # it holds what the blocks around have made
        return
    locate(error)
    origin = origin or trace.raised_at(error)
    exception, symbols = image_of(error, origin or trace.origin())
    values = [trace.value_of(symbol) for symbol in symbols]
    error.__traceback__ = error.__context__ = None
    trace.append(RAISE, values, (), {"exception": exception}, (), origin)
    trace.failures += 1


def release(trace: Trace, recorder: ObjectRecorder, results: tuple[Any, ...]) -> None:
    """Leave alone what the block made: only its results hold it, or nobody any more."""
    trace.forget_frames()
    recorder.release(results)


def undone(
    trace: Trace, recorder: ObjectRecorder, reached: bool, known: Sequence[Place] = ()
) -> dict[int, tuple[Place, Contents]]:
    """Undo what the block did to objects that existed before it, and return that. Of tensors
    nothing is left of a block whose end is not `reached`. The `known` places are carried anyway.

    Raises StagingError for an object that existed before the call, or that cannot be carried.
    """
    changed: Sequence[Place] | None = None
    try:
        changed = recorder.changed()
        # What is in a list of the graph's by now is so behind the block, whatever was in it.
        taken = [place.object for place in changed if is_taken(place.object)]
        take_later(taken if reached else ())
        found = [place for place in changed if not is_taken(place.object)]
        for place in found:
            if trace.existed(place.object) and not trace.keep(place.object):
                raise refuse_change(place.path, "it existed before the traced function was called")
        own = [place.object for place in known]
        tensors = item_assignments.carried(trace, own) if reached else ()
        places = [*found, *[Place(x.graph_value.name, x, change) for x, change in tensors]]
        return {id(place.object): (place, place.read()) for place in places}
    finally:
        if changed is None or changed:
            recorder.restore()


def write_back(values: Sequence[Any], places: Sequence[Place]) -> Sequence[Any]:
    """Put what was carried into its objects; the values of the names remain."""
    size = len(values) - len(places)
    take_noted()
    for place, contents in zip(places, values[size:], strict=True):
        place.write(contents)
    return values[:size]


def knows(recorder: ObjectRecorder) -> Callable[[Any], bool]:
    """Returns the test whether a block knows an object from before. One that is not watched may
    know every object.
    """
    return (lambda item: True) if type(recorder) is ObjectRecorder else recorder.knows


def as_state(result: Any, size: int) -> tuple[Any, ...]:
    """Returns the results of a body, one entry for each of `size` names."""
    if size == 0:
        return ()
    return (result,) if size == 1 else tuple(result)


def bare(state: Sequence[Any]) -> Any:
    """The opposite of `as_state`."""
    if not state:
        return None
    return state[0] if len(state) == 1 else tuple(state)


def split(result: Any, names: Names) -> tuple[Any, ...]:
    """Returns the results of a block, one entry for each name (at least one)."""
    return tuple(result) if len(names) > 1 else (result,)


def pack(values: Sequence[Any], names: Names) -> Any:
    """The opposite of `split`."""
    return tuple(values) if len(names) > 1 else values[0]


def declare(trace: Trace, specs: Sequence[Spec], names: Names) -> list[Value]:
    """New values of the graph for what is carried, named after the user's variables."""
    made = []
    for at, spec in enumerate(specs):
        hint = variable_name(names, at) or UNNAMED
        labels = graph_values.names_of(spec, _identifier(hint))
        for type, label in zip(types_of(spec), labels, strict=True):
            made.append(Value(type, trace.unique(label)))
    return made


def lower_all(
    trace: Trace, values: Sequence[Any], specs: Sequence[Spec], names: Names
) -> Iterator[Value]:
    """The graph's values for the Python values that are left, by the user's names."""
    for at, (value, spec) in enumerate(zip(values, specs, strict=True)):
        yield from graph_values.lower(value, spec, trace, variable_name(names, at))


def lower_left(trace: Trace, path: Path, specs: Sequence[Spec], names: Names) -> list[Value]:
    """The graph's values for what a path has left.

    StagingError where a list takes a dict that the path has changed: that was undone meanwhile.
    """
    changed: list[Any] = [
        place.object
        for place, contents in path.changed.values()
        if isinstance(contents, GrowingEntries) and not contents.keys.shared
    ]
    before = [item.shared for item in changed]
    for item in changed:
        item.is_shared = False
    with trace.reopened(path.scope):
        results = list(lower_all(trace, path.values, specs, names))
    for item, shared in zip(changed, before, strict=True):
        item.check_own()
        item.is_shared = shared
    return results


def _identifier(hint: str) -> str:
    if hint.isidentifier():
        return hint
    words = "_".join(re.findall(r"\w+", hint))
    return words if words.isidentifier() and " " not in hint else UNNAMED


def variable_name(names: Names, at: int) -> str | None:
    """The user's name of one output."""
    return (names[at] or None) if names else None


@dataclass(frozen=True, slots=True)
class Wording:
    """The names in messages for the sides of a statement, and for what it leaves where that
    has no name. `unites` says that the sides may leave values of several kinds, `functions` that
    they are functions, whose results of unequal structures are a TypeError, as TensorFlow's.
    """

    sides: str
    result: str = "the result"
    unites: bool = False
    functions: bool = False


def sides_in(places: Sequence[Location | None]) -> str:
    """The places of the sides of a join, each of them once."""
    return " and ".join(dict.fromkeys([format_location(place) for place in places if place]))


def mismatch_error(
    mismatch: Mismatch, name: str | None, words: Wording, places: Sequence[Location | None]
) -> Exception:
    """The refusal of a join: the variable, and the line of each side."""
    what = f"{name or words.result}{mismatch.path}"
    what = what if what.startswith("the ") else repr(what)
    message = f"{what} cannot be joined across {words.sides}: {mismatch.reason}"
    sides = mismatch.sides or sides_in(places)
    message += f" (at {sides})" if sides else ""
    if mismatch.dtypes_differ or words.functions:
        return refuse_dtypes(message, mismatch.hint, name)
    return refuse(message, mismatch.hint, name)


def want_parts(mismatch: Mismatch, values: Sequence[Any], changed: Any) -> None:
    """Note, before a refusal, the lists among the parts of the values that do not join; `changed`
    is the object of which the values are the contents.
    """
    is_of_any = not mismatch.places or mismatch.path.startswith("[...]")
    if is_of_any and isinstance(changed, list | dict):
        want_inside(changed, *[child for value in values for child in value.children])
    for value in values:
        part = _part(value, mismatch)
        if isinstance(part, list):
            want_lists(part)


def _part(value: Any, mismatch: Mismatch) -> Any:
    """The part of a value that does not join."""
    for place in mismatch.places:
        found = join_structure_of(value)
        if found is None or place >= len(found[1]):
            break
        value = found[1][place]
    return value


def place_of(value: Any, mismatch: Mismatch, block: Block | None) -> Location | None:
    """Returns the place where the part of `value` that does not join was made; else where
    its block ends.
    """
    value = _part(value, mismatch)
    origin: Origin | None = getattr(value, "origin", None) if is_symbol(value) else None
    if origin is not None:
        # What is there from the beginning: an argument.
        is_argument = type(origin) is Origin and not origin.offset
        found_at = beginning_of(origin.code) if is_argument else origin.location
    else:
        code = getattr(block, "__code__", None)
        found_at = None if code is None else end_of(code)
    return user_location() if found_at is None or is_ours(found_at[0]) else found_at
