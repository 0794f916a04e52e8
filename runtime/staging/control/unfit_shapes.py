"""Ops of which only the run knows whether the shapes of their inputs fit.

Whether an op may fail so is found out by its own rule of shapes: for samples of what is not known,
it raises an error or it does not.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING

from runtime import errors
from runtime.core.primitive import Primitive
from runtime.core.shapes import is_known
from runtime.core.types import TensorType, Type
from runtime.graph.ir import Node, Params, Value
from runtime.graph.nodes import CONSTANT
from runtime.staging.control.deferred_exceptions import known_value

if TYPE_CHECKING:
    from runtime.staging.scopes import Scope
    from runtime.staging.tracing import Trace


Dims = tuple[int | None, ...]

_SMALL, _MIXED = 5, 6
_WORLDS = 3 + _SMALL + _MIXED
"""How many samples there are of each size, by their kinds: see `Samples`."""


def may_not_fit(
    trace: Trace, primitive: Primitive, values: Sequence[Value], params: Params
) -> bool:
    """Whether an op on tensors, which changes nothing, may find at run time that their shapes, or
    the sizes that it is given, do not fit.
    """
    if not _asks_for_shapes(primitive, values):
        return False
    if any(known_value(trace, size) is None for size in _given_sizes(primitive, values)):
        return True
    return _samples_of(trace).are_unfit(primitive, values, params)


def assume_fit(trace: Trace, primitive: Primitive, values: Sequence[Value], params: Params) -> None:
    """In the open scope the shapes of these inputs fit: the op has been tried before it."""
    if _asks_for_shapes(primitive, values) and len(set(values)) == len(values):
        _samples_of(trace).assume_fit(trace.scope, primitive, values, params)


def _samples_of(trace: Trace) -> Samples:
    if Samples not in trace.memo:
        trace.memo[Samples] = Samples()
    samples: Samples = trace.memo[Samples]
    samples.update(trace.scope)
    return samples


def first_unfit(nodes: Iterable[Node]) -> Node | None:
    """The first of these nodes, in program order, that may find that shapes do not fit."""
    samples, constants = Samples(), set[Value]()
    for node in nodes:
        if node.primitive is CONSTANT:
            constants.update(node.outputs)
        elif _asks_for_shapes(node.primitive, node.inputs):
            if not constants.issuperset(_given_sizes(node.primitive, node.inputs)):
                return node
            if samples.are_unfit(node.primitive, node.inputs, node.params):
                return node
            samples.take(node)
    return None


def _asks_for_shapes(primitive: Primitive, values: Sequence[Value]) -> bool:
    of_tensors = primitive.is_op and not primitive.python and not primitive.effect
    return of_tensors and all(type(value.type) is TensorType for value in values)


def _given_sizes(primitive: Primitive, values: Sequence[Value]) -> list[Value]:
    """The inputs of an op that are sizes, or places of which it does not say how they fail."""
    letters = () if primitive.raises else primitive.letters
    return [value for at, value in enumerate(values) if letters and primitive.letter(at) == "i"]


def _is_known(type: Type) -> bool:
    return not isinstance(type, TensorType) or is_known(type.shape)


class Samples:
    """Types that values may have at run time, in some worlds. Sizes that are not known are all of
    them different, none, or one each; then small ones, of which some are equal: for slices that are
    cut at their end; then different or none, so that of two sizes each is none where the other is
    not. What has no rank is of two dimensions, of one, or of none.
    """

    def __init__(self) -> None:
        self._different = itertools.count(1009, 2)
        self._small = [Random(world) for world in range(_SMALL)]
        self._nones = itertools.cycle(itertools.combinations(range(_MIXED), _MIXED // 2))
        self._types: dict[Value, list[Type]] = {}
        # Those of values that fit each other in a scope, and in those inside of it.
        self._fitting: dict[Scope, dict[Value, list[Type]]] = {}
        self._around: list[Scope] = []
        self._seen: dict[Scope, int] = {}

    def update(self, scope: Scope) -> None:
        """Take the nodes of a scope, and of those around it, that were added since."""
        self._around = list(scope.around())
        for each in reversed(self._around):
            for node in each.nodes[self._seen.get(each, 0) :]:
                if _asks_for_shapes(node.primitive, node.inputs):
                    self.take(node)
            self._seen[each] = len(each.nodes)

    def take(self, node: Node) -> None:
        """Let what an op on tensors gives have the sizes that follow from those of its inputs."""
        if all(_is_known(output.type) for output in node.outputs):
            return
        worlds = self._results(node.primitive, node.inputs, node.params)
        of = functools.cache(self._of)
        for at, output in enumerate(node.outputs):
            self._types[output] = [
                of(made[at] if made else output.type)[world] for world, made in enumerate(worlds)
            ]

    def are_unfit(self, primitive: Primitive, values: Sequence[Value], params: Params) -> bool:
        """Whether the inputs of an op do not fit each other in a world."""
        if all(_is_known(value.type) for value in values):
            return False
        return None in self._results(primitive, values, params)

    def assume_fit(
        self, scope: Scope, primitive: Primitive, values: Sequence[Value], params: Params
    ) -> None:
        """Give the inputs of an op sizes that fit, for a scope in which it has worked: one of them
        may have sizes of one, or the others have its sizes, in each world in another way.
        """
        given = [list(self._typed(value)) for value in values]
        ways = [(at, way) for at in range(len(values)) for way in (_ones, _like)]
        for world in range(_WORLDS):
            types = [each[world] for each in given]
            if _inferred(primitive, types, params) is not None:
                continue
            made = [way(types, values, at) for at, way in ways]
            fitting = [_inferred(primitive, each, params) is not None for each in made]
            if any(fitting):
                found = fitting.index(True)
                ways.append(ways.pop(found))  # the next world takes another one
                for each, type in zip(given, made[found], strict=True):
                    each[world] = type
        self._fitting.setdefault(scope, {}).update(zip(values, given, strict=True))

    def _typed(self, value: Value) -> list[Type]:
        for scope in self._around:
            if scope in self._fitting and value in self._fitting[scope]:
                return self._fitting[scope][value]
        if value not in self._types:
            self._types[value] = self._of(value.type)
        return self._types[value]

    def _results(
        self, primitive: Primitive, values: Sequence[Value], params: Params
    ) -> list[tuple[Type, ...] | None]:
        """The types of what an op gives in each world; None where its inputs do not fit, none where
        it fails otherwise.
        """
        given = [self._typed(value) for value in values]
        return [
            _inferred(primitive, [each[world] for each in given], params)
            for world in range(_WORLDS)
        ]

    def _of(self, type: Type) -> list[Type]:
        """The type with sizes where it has none, in each world."""
        if _is_known(type) or not isinstance(type, TensorType):
            return [type] * _WORLDS
        shape = (None, None) if type.shape is None else type.shape
        sizes = [self._size() if dim is None else [dim] * _WORLDS for dim in shape]
        shapes = [tuple([size[world] for size in sizes]) for world in range(_WORLDS)]
        if type.shape is None:
            shapes = [each[world % 3 :] for world, each in enumerate(shapes)]
        return [TensorType(type.dtype, each) for each in shapes]

    def _size(self) -> list[int]:
        """A size that is not known, in each world."""
        size, nones = next(self._different), next(self._nones)
        small = [each.randint(1, 4) for each in self._small]
        return [size, 0, 1, *small, *[0 if at in nones else size for at in range(_MIXED)]]


def _inferred(
    primitive: Primitive, types: Sequence[Type], params: Params
) -> tuple[Type, ...] | None:
    try:
        made = primitive.infer(*types, **params)
    except errors.InvalidValueError:
        return None
    except errors.OpError:  # an index out of bounds
        return ()
    return made if isinstance(made, tuple) else (made,)


def _like(types: Sequence[Type], values: Sequence[Value], at: int) -> list[Type]:
    """The types, with the sizes of one of them where others are not known."""
    return [
        _resized(type, value, _shape(types[at])) for type, value in zip(types, values, strict=True)
    ]


def _ones(types: Sequence[Type], values: Sequence[Value], at: int) -> list[Type]:
    """The types, with sizes of one in one of them where they are not known."""
    made = list(types)
    made[at] = _resized(types[at], values[at], (1,) * len(_shape(types[at])))
    return made


def _resized(type: Type, value: Value, sizes: Dims) -> Type:
    """A type with these sizes, from the last one on, where those of the value are not known."""
    assert isinstance(type, TensorType)
    assert isinstance(value.type, TensorType)
    known = value.type.shape
    if known is None:
        return TensorType(type.dtype, sizes)
    shape = list(_shape(type))
    for back in range(1, 1 + min(len(shape), len(sizes))):
        if known[-back] is None:
            shape[-back] = sizes[-back]
    return TensorType(type.dtype, tuple(shape))


def _shape(type: Type) -> Dims:
    assert isinstance(type, TensorType)
    assert type.shape is not None
    return type.shape
