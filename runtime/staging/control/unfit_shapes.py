"""Ops of which only the run knows whether the shapes of their inputs fit.

Whether an op may fail so is found out by its own rule of shapes: for samples of what is not known,
it raises an error or it does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from runtime import errors
from runtime.core.primitive import Primitive
from runtime.core.types import TensorType, Type
from runtime.graph.ir import Node, Params, Value
from runtime.graph.nodes import CONSTANT
from runtime.staging.control.deferred_exceptions import known_value

if TYPE_CHECKING:
    from runtime.staging.scopes import Scope
    from runtime.staging.tracing import Trace


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
    if Samples not in trace.memo:
        trace.memo[Samples] = Samples()
    samples: Samples = trace.memo[Samples]
    samples.update(trace.scope)
    return samples.are_unfit(primitive, values, params)


def any_unfit(nodes: Iterable[Node]) -> bool:
    """Whether one of these nodes, which are in program order, may find that shapes do not fit."""
    samples, constants = Samples(), set[Value]()
    for node in nodes:
        if node.primitive is CONSTANT:
            constants.update(node.outputs)
        elif _asks_for_shapes(node.primitive, node.inputs):
            if not constants.issuperset(_given_sizes(node.primitive, node.inputs)):
                return True
            if samples.are_unfit(node.primitive, node.inputs, node.params):
                return True
            samples.take(node)
    return False


def _asks_for_shapes(primitive: Primitive, values: Sequence[Value]) -> bool:
    of_tensors = primitive.is_op and not primitive.python and not primitive.effect
    return of_tensors and all(type(value.type) is TensorType for value in values)


def _given_sizes(primitive: Primitive, values: Sequence[Value]) -> list[Value]:
    """The inputs of an op that are sizes, or places."""
    letters = primitive.letters
    return [value for at, value in enumerate(values) if letters and primitive.letter(at) == "i"]


def _is_known(type: Type) -> bool:
    return not isinstance(type, TensorType) or (type.shape is not None and None not in type.shape)


_WORLDS = 8


class Samples:
    """Types that values may have at run time, in some worlds. Sizes that are not known are all of
    them different, none, or one each; in the others small ones, of which some are equal: for slices
    that are cut at their end. What has no rank is of two dimensions, of one, or of none.
    """

    def __init__(self) -> None:
        different = itertools.count(1009, 2).__next__
        small = [partial(Random(world).randint, 1, 4) for world in range(3, _WORLDS)]
        self._sizes: list[Callable[[], int]] = [different, lambda: 0, lambda: 1, *small]
        self._types: dict[Value, list[Type]] = {}
        self._seen: dict[Scope, int] = {}

    def update(self, scope: Scope) -> None:
        """Take the nodes of a scope, and of those around it, that were added since."""
        for each in reversed(list(scope.around())):
            for node in each.nodes[self._seen.get(each, 0) :]:
                if _asks_for_shapes(node.primitive, node.inputs):
                    self.take(node)
            self._seen[each] = len(each.nodes)

    def take(self, node: Node) -> None:
        """Let what an op on tensors gives have the sizes that follow from those of its inputs."""
        if all(_is_known(output.type) for output in node.outputs):
            return
        worlds = self._results(node.primitive, node.inputs, node.params)
        for at, output in enumerate(node.outputs):
            self._types[output] = [
                self._of(output.type if made is None else made[at], world)
                for world, made in enumerate(worlds)
            ]

    def are_unfit(self, primitive: Primitive, values: Sequence[Value], params: Params) -> bool:
        """Whether the inputs of an op do not fit each other in a world."""
        if all(_is_known(value.type) for value in values):
            return False
        return None in self._results(primitive, values, params)

    def _results(
        self, primitive: Primitive, values: Sequence[Value], params: Params
    ) -> list[tuple[Type, ...] | None]:
        """The types of what an op gives in each world; None where it fails."""
        return [self._result(world, primitive, values, params) for world in range(_WORLDS)]

    def _result(
        self, world: int, primitive: Primitive, values: Sequence[Value], params: Params
    ) -> tuple[Type, ...] | None:
        for value in values:
            if value not in self._types:
                self._types[value] = [self._of(value.type, each) for each in range(_WORLDS)]
        try:
            made = primitive.infer(*[self._types[value][world] for value in values], **params)
        except (ValueError, errors.OpError):
            return None
        return made if isinstance(made, tuple) else (made,)

    def _of(self, type: Type, world: int) -> Type:
        """The type with sizes where it has none."""
        if not isinstance(type, TensorType):
            return type
        shape = (None,) * (2, 1, 0)[world % 3] if type.shape is None else type.shape
        size = self._sizes[world]
        return TensorType(type.dtype, tuple([size() if dim is None else dim for dim in shape]))
