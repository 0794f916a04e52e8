"""Small tensors of integers that are known while tracing: constants, shapes, and what is computed
of them.

Their nodes stay in the graph as traced. Ops ask for the values, in order to tell shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from runtime.core.primitive import FAILURES, Memory, Primitive
from runtime.core.shapes import is_known, size_of
from runtime.core.state import state
from runtime.core.types import TensorType, Type
from runtime.dtypes import BY_NUMPY
from runtime.graph.ir import Params, Value
from runtime.ops.reshaping import shape_p

UNKNOWN = -1
LARGEST = 1024
"""Elements of the largest array that is computed before a graph runs."""

_LARGEST_OUTPUT = 64


def known_values(
    primitive: Primitive,
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    params: Params,
    known: Mapping[Value, Any],
) -> dict[Value, Any]:
    """Returns the results of an op of known inputs; nothing where it acts, fails, or more is to be
    known.
    """
    if primitive.effect or not outputs or not all(_is_small(value.type) for value in outputs):
        return {}
    found = of_shape(primitive, [value.type for value in inputs], params)
    if found is None:
        found = computed(primitive, [known.get(value) for value in inputs], params)
    if found is None:
        return {}
    made = dict(zip(outputs, found if type(found) is tuple else (found,), strict=True))
    return made if all(_is_of(raw, value.type) for value, raw in made.items()) else {}


def known_parts(
    primitive: Primitive,
    inputs: Sequence[Value],
    params: Params,
    known: Mapping[Value, Any],
    parts: Mapping[Value, Any],
) -> tuple[Any, ...]:
    """Returns the sizes that are known of a shape, with -1 for others, or of what is taken from
    shapes and put together of them, for each result that there are any of; none for other ops.
    """
    if primitive is shape_p:
        given = inputs[0].type
        shape = given.shape if isinstance(given, TensorType) else None
        if shape is None or len(shape) > _LARGEST_OUTPUT:
            return ()
        sizes = [UNKNOWN if size is None else size for size in shape]
        return (np.array(sizes, params["dtype"].np_dtype),)
    if not (primitive.moves or (primitive.memory is Memory.VIEWS and len(inputs) == 1)):
        return ()
    if not all(_is_small(value.type) for value in inputs):
        return ()
    raws = [parts.get(value, known.get(value)) for value in inputs]
    is_signed = all(value.type.dtype.np_dtype.kind != "u" for value in inputs)  # type: ignore[union-attr]
    if all(raw is None for raw in raws) or not is_signed:
        return ()  # no number of an unsigned dtype stands for those that are not known
    for at, value in enumerate(inputs):
        raws[at] = _unknown(value) if raws[at] is None else raws[at]
    found = computed(primitive, raws, params)
    if found is None:
        return ()
    made = [np.asarray(part) for part in (found if type(found) is tuple else (found,))]
    whole = all(part.dtype.kind == "i" for part in made)
    same = primitive.moves or all(part.dtype == raws[0].dtype for part in made)
    return tuple(made) if whole and same else ()


def _unknown(value: Value) -> Any:
    type_ = cast(TensorType, value.type)
    return np.full(cast("tuple[int, ...]", type_.shape), UNKNOWN, type_.dtype.np_dtype)


def of_shape(primitive: Primitive, types: Sequence[Type], params: Params) -> Any:
    """Returns the result of an op that reads only the shape of its input; None for others, and
    where that is not known.
    """
    if not primitive.of_shape or len(types) != 1:
        return None
    given = types[0]
    if not isinstance(given, TensorType) or not is_known(given.shape):
        return None
    shape, result = cast("tuple[int, ...]", given.shape), primitive.infer(given, **params)
    if isinstance(result, TensorType) and not _is_small(result):
        return None
    return primitive.kernel(np.broadcast_to(np.False_, shape), **params)


def computed(primitive: Primitive, raws: Sequence[Any], params: Params) -> Any:
    """Returns what an op gives for these inputs; None where it fails, or one is large, or None."""
    if any(raw is None or np.size(raw) > LARGEST for raw in raws):
        return None
    try:
        return state.context.copy().run(primitive.kernel, *raws, **params)
    except FAILURES:
        return None


def _is_small(type_: Type) -> bool:
    if not isinstance(type_, TensorType) or not (type_.dtype.is_integer or type_.dtype.is_bool):
        return False
    size = size_of(type_.shape)
    return size is not None and size <= _LARGEST_OUTPUT


def _is_of(raw: Any, given: Type) -> bool:
    return TensorType(BY_NUMPY[raw.dtype], raw.shape) == given
