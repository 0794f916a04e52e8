"""Dimensions that an op is given at run time, as tensors, in the place where it has known ones.

reshape(x, n, shape=(None, 4))                         where n is 3:  reshape(x, shape=(3, 4))
sum_to(g, shape_of_x, shape=(None, 1))                 sum_to(g, shape=(3, 1))
strided_slice(x, n, spec=((0, '?', None),))            strided_slice(x, spec=((0, 3, None),))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runtime.core.shapes import is_known
from runtime.core.types import TensorType
from runtime.graph.ir import Node, Value
from runtime.ops import range_p

_PARAMETERS = ("shape", "multiples", "box", "size")
"""Parameters that hold dimensions: None stands for one that is an input, or for all of them."""

_AT_RUN_TIME = "?"


def with_known_dims(node: Node, constants: Sequence[Any]) -> Node:
    """The node with those dimensions as parameters of which the tensors are known."""
    if node.primitive is range_p:
        return _with_length(node, constants)
    first = _first_dimension(node)
    if first is None or len(node.inputs) == first:
        return node
    given = list(zip(node.inputs, constants, strict=True))
    params, rest = dict(node.params), given[first:]
    name = next((name for name in _PARAMETERS if name in params), None)
    if name is not None and not is_known(params[name]):
        params[name], rest = _filled(params[name], rest)
    if "spec" in params and (name is None or is_known(params[name])):
        params["spec"], rest = _indexed(params["spec"], rest)
    if len(rest) + first == len(given):
        return node
    return replace(
        node, inputs=(*node.inputs[:first], *[value for value, _ in rest]), params=params
    )


def _with_length(node: Node, ends: Sequence[Any]) -> Node:
    if node.params["length"] is not None or not all(map(_is_integer, ends)) or not ends[2]:
        return node
    start, limit, delta = map(int, ends)
    length = len(range(start, limit, delta))
    if not length and start != limit:
        return node  # refused when it is reached
    return replace(node, params={**node.params, "length": length})


def _is_integer(constant: Any) -> bool:
    return isinstance(constant, np.ndarray | np.generic) and constant.dtype.kind in "iu"


def _first_dimension(node: Node) -> int | None:
    """Returns the place of the first input that is a dimension, or several; None for
    ops without any.
    """
    primitive = node.primitive
    if primitive.is_op and primitive.variadic and primitive.letters[-1] == "i":
        return len(primitive.letters) - 1
    return None


def _filled(dims: Any, given: list[tuple[Any, Any]]) -> tuple[Any, list[tuple[Any, Any]]]:
    """The dimensions with those that are known, and what is given besides."""
    constant, rank = given[0][1], _rank(*given[0])
    if rank == 1:
        # All of them in one vector.
        fits = constant is not None and (dims is None or len(dims) == len(constant))
        return (tuple(constant.tolist()), given[1:]) if fits else (dims, given)
    if dims is None or rank is None:
        return dims, given
    rest = iter(given)
    left: list[tuple[Any, Any]] = []
    made = tuple([_known(next(rest), None, left) if dim is None else dim for dim in dims])
    return made, [*left, *rest]


def _rank(value: Value, constant: Any) -> int | None:
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return len(shape) if shape is not None else None if constant is None else np.ndim(constant)


def _indexed(spec: Any, given: list[tuple[Any, Any]]) -> tuple[Any, list[tuple[Any, Any]]]:
    """The spec of a slice with the indices that are known, and what is given besides."""
    rest = iter(given)
    left: list[tuple[Any, Any]] = []
    made = tuple([_entry(entry, rest, left) for entry in spec])
    return made, [*left, *rest]


def _entry(entry: Any, rest: Iterator[Any], left: list[Any]) -> Any:
    if type(entry) is tuple:
        return tuple([_entry(part, rest, left) for part in entry])
    return _known(next(rest), _AT_RUN_TIME, left) if entry == _AT_RUN_TIME else entry


def _known(given: tuple[Any, Any], missing: Any, left: list[tuple[Any, Any]]) -> Any:
    """A dimension, or what stands for one that is not known, which is left."""
    constant = given[1]
    if constant is None or np.ndim(constant):
        left.append(given)
        return missing
    return int(constant)
