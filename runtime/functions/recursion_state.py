"""Objects from outside that a recursive function changes: their contents are further parameters
and results of its graph.

The function is traced again until a trace finds no more such objects, and leaves in them only what
the trace before had assumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from runtime.core.types import TensorType, Type
from runtime.graph.nodes import INT
from runtime.graph.structures import children_of
from runtime.staging.aliasing import sharing
from runtime.staging.block_recorder import look_at
from runtime.staging.control import graph_values, joins
from runtime.staging.control.carried_objects import Contents, GrowingItems, ObjectRecorder, Place
from runtime.staging.control.specs import Leaf, Mismatch, Spec, Tree, types_of
from runtime.staging.outside import CONTAINERS, place_key
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import Trace


class RecursionState:
    """Objects that a recursion changes, and the Specs of what is in them."""

    __slots__ = ("places", "specs")

    def __init__(self, places: Sequence[Place] = (), specs: Sequence[Spec] = ()) -> None:
        self.places = tuple(places)
        self.specs = tuple(specs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecursionState):
            return NotImplemented
        return self.keys() == other.keys() and self.specs == other.specs

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.places)

    def keys(self) -> list[Any]:
        """Returns the keys of the objects, by which the next trace knows them, too."""
        return [place.key for place in self.places]

    def types(self) -> list[Type]:
        """The types of the values of the graph that carry it."""
        return [type for spec in self.specs for type in types_of(spec)]

    def owns(self, item: Any) -> bool:
        """True if it is one of the objects."""
        return place_key(item) in self.keys()

    def begin(self, trace: Trace) -> list[Contents]:
        """Have parameters of a trace in the objects; what was in them."""
        before = [place.read() for place in self.places]
        for place, spec in zip(self.places, self.specs, strict=True):
            symbols = [trace.parameter(type, "kept") for type in types_of(spec)]
            for each in symbols:
                if isinstance(each, SymbolicTensor) and each.static_shape != ():
                    sharing.hold(each, f"a tensor in {place.name}")
            place.write(graph_values.lift(spec, iter(symbols)))
        return before

    def put_back(self, before: Sequence[Contents]) -> None:
        """Leave in the objects what was in them."""
        for place, contents in zip(self.places, before, strict=True):
            place.write(contents)

    def read(self) -> list[Contents]:
        """Returns what is in the objects now."""
        return [place.read() for place in self.places]

    def covers(self) -> bool:
        """True if it says what is in the objects now."""
        return self.covering(self.read()) == self

    def covering(self, contents: Sequence[Contents]) -> RecursionState:
        """The state that also covers these contents. StagingError for what does not join."""
        pairs = zip(self.places, self.specs, contents, strict=True)
        return RecursionState(
            self.places, [_joined(place, spec, item) for place, spec, item in pairs]
        )

    def with_changes(
        self, recorder: ObjectRecorder, met: Sequence[Place]
    ) -> tuple[RecursionState, list[Contents]]:
        """The state that has what a recorder finds changed too, and what was `met` changed, and
        what is in its objects; behind it the recorder has put back what was there before.
        """
        found: dict[Any, Place] = {}
        for place in (*self.places, *met, *recorder.changed()):
            found.setdefault(place.key, place)
        places = list(found.values())
        left = [place.read() for place in places]
        recorder.restore()
        further = places[len(self.places) :]
        entries = [_of_one_kind(joins.abstract_entry(place.read())) for place in further]
        return RecursionState(places, [*self.specs, *entries]).covering(left), left

    def lowered(self, trace: Trace, contents: Sequence[Contents]) -> Iterator[Any]:
        """The graph's values of what is in the objects."""
        for place, spec, item in zip(self.places, self.specs, contents, strict=True):
            yield from graph_values.lower(item, spec, trace, place.name)

    def write(self, symbols: Iterator[Any]) -> None:
        """Put what a call gives into the objects."""
        made = [graph_values.lift(spec, symbols) for spec in self.specs]
        for place, contents in zip(self.places, made, strict=True):
            look_at(place.path, place.object, is_given=True)
            place.write(contents)

    def returns(self, result: Any) -> bool:
        """True if a result is one of the objects, or a list, dict or set from before the call, to
        which the caller may make it one: each call returns this one, and no copy.
        """
        is_old = isinstance(result, CONTAINERS) and active().existed(result)
        return is_old or self.owns(result)

    def check_result(self, result: Any) -> None:
        """StagingError for a result that has one of the objects in it."""
        for item in () if self.returns(result) else children_of(result):
            if self.returns(item):
                raise refuse(
                    "a recursive function returns a list, dict, set or object from outside of it "
                    "inside of another one",
                    "return a copy of it, or nothing",
                )
            self.check_result(item)


def _joined(place: Place, spec: Spec, contents: Contents) -> Spec:
    try:
        return _of_one_kind(joins.join(spec, joins.abstract_next(contents, spec)))
    except Mismatch as mismatch:
        what = f"{place.name}{mismatch.path}"
        message = f"{what!r} cannot be joined across the calls of a recursion: {mismatch.reason}"
        raise refuse(message, mismatch.hint, place.name) from None


def _of_one_kind(spec: Spec) -> Spec:
    """The Spec in which the integers of a list have one type: calls that assign items of it one
    after the other would else each be given another mixture, and be traced.
    """
    if not isinstance(spec, Tree):
        return spec
    children = tuple(map(_of_one_kind, spec.children))
    types = {child.type for child in children if isinstance(child, Leaf)}
    dtypes = {type.dtype for type in types if isinstance(type, TensorType) and type.shape == ()}
    is_mixed = INT in types and len(types) == 2 and len(dtypes) == 1
    if is_mixed and spec.structure.kind is GrowingItems and dtypes.pop().is_integer:
        (tensor,) = types - {INT}
        children = tuple(
            [
                Leaf(tensor, child.variables) if isinstance(child, Leaf) else child
                for child in children
            ]
        )
    return Tree(spec.structure, children)


NO_STATE = RecursionState()
