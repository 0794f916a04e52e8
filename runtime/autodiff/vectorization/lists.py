"""Lists and arrays of all rows of a jacobian at once: items have an axis for the rows in front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import runtime.ops as ops
from runtime.autodiff.vectorization.rules import Rule, has_known_rank
from runtime.core.primitive import Primitive
from runtime.core.types import TensorType
from runtime.graph import lists, nodes
from runtime.graph.ir import Node

if TYPE_CHECKING:
    from runtime.autodiff.vectorization.rows import AllRows


def _turned(x: Any) -> Any:
    """Items in front, and rows behind them; or the other way round."""
    return ops.transpose(x, (1, 0, *range(2, x.ndim)))


def _are_several(index: Any) -> bool:
    """True for a vector of indices; a single one may be Python's."""
    return isinstance(index.type, TensorType) and index.ndim > 0


def _of_lists(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    params = dict(node.params)
    if "type" in params:
        params["type"] = rows.lifted(params["type"])
    if "axis" in params:
        params["axis"] += 1
    return nodes.apply(node.primitive, *map(rows.whole, node.inputs), **params)


def _at_known_place(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    array, index, *items = node.inputs
    given = (rows.whole(array), rows.of(index), *map(rows.whole, items))
    return nodes.apply(node.primitive, *given)


def _written(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    *arrays, index, value = node.inputs
    given, items = rows.of(index), rows.whole(value)
    params = dict(node.params)
    if "type" in params:
        params["type"] = rows.lifted(params["type"])
    several = _are_several(given)
    if several and items.ndim is None:
        return None
    items = _turned(items) if several else items
    return nodes.apply(node.primitive, *map(rows.whole, arrays), given, items, **params)


def _read(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    array, index, *likes = node.inputs
    given = rows.of(index)
    several = _are_several(given)
    if several and not all(map(has_known_rank, (*likes, *node.outputs))):
        return None
    params = {key: x if key == "written" else rows.lifted(x) for key, x in node.params.items()}
    if several and "type" in params:
        params["type"] = _turned_type(params["type"])
    shaped = [_turned(x) if several else x for x in map(rows.whole, likes)]
    found = nodes.apply(node.primitive, rows.whole(array), given, *shaped, **params)
    return _turned(found) if several else found


def _turned_type(type: TensorType) -> TensorType:
    count, size, *rest = type.shape or ()
    return TensorType(type.dtype, (size, count, *rest))


def _cleared(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    return nodes.apply(node.primitive, *inputs)


def _stacked(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    array, *likes = node.inputs
    if not all(map(has_known_rank, (*likes, *node.outputs))):
        return None
    params = dict(node.params)
    if not likes:
        params["element"] = rows.lifted(params["element"])
    given = [_turned(rows.whole(like)) for like in likes]
    return _turned(nodes.apply(node.primitive, rows.whole(array), *given, **params))


def _unstacked(rows: AllRows, node: Node, inputs: list[Any], places: list[int]) -> Any:
    return (
        nodes.apply(node.primitive, _turned(inputs[0])) if has_known_rank(node.inputs[0]) else None
    )


LIST_RULES: dict[Primitive, Rule] = {
    **dict.fromkeys((nodes.LIST_ADD, nodes.LIST_AS, lists.EXTEND, lists.BEHIND), _of_lists),
    **dict.fromkeys((nodes.LIST_REPEAT, nodes.LIST_SUM, nodes.LIST_ZEROS), _of_lists),
    **dict.fromkeys((lists.SCATTER_ADD, lists.SCATTER, lists.SET), _written),
    **dict.fromkeys((lists.GET, lists.GET_LIKE, lists.GET_OR_ZEROS), _read),
    **dict.fromkeys((lists.STACK, lists.STACK_LIKE), _stacked),
    **dict.fromkeys((lists.ITEM, lists.PUSH), _at_known_place),
    lists.CLEAR: _cleared,
    lists.ZERO_ITEMS: _of_lists,
    lists.UNSTACK: _unstacked,
}
