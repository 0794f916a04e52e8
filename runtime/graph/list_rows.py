"""Rows of lists in a graph, whose items are vectors: one item of a row, the number of its items, an
item in place of one, and one behind the others.

Who reads a whole vector holds it, and it is copied before it changes. For its gradient, who reads
or writes an item tells how many there are.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from runtime import errors, ops
from runtime.core import intervals
from runtime.core.forms import Form
from runtime.core.primitive import Memory, Primitive
from runtime.graph.lists import (
    CLEAR,
    SCATTER,
    SCATTER_ADD,
    Item,
    Items,
    as_first,
    copied,
    form_of_item,
    item_like,
    list_op,
    scalar_of,
)
from runtime.graph.nodes import INT, apply


def _row_item(items: Items, place: Any, index: Any, length: Any) -> Any:
    try:
        return items[place][index]
    except (IndexError, TypeError):
        raise _no_row(place) from None


def _row_with(index: Any, value: Any, length: Any) -> Any:
    """A vector of zeros with a value at an index."""
    return ops.scatter_nd(
        ops.reshape(index, [1, 1]), ops.reshape(value, [1]), ops.reshape(length, [1])
    )


def _of_row_item(op: Any, grad: Any) -> Any:
    items, place, index, length = op.inputs
    row = _row_with(index, grad, length)
    return apply(SCATTER, place, row, type=items.type), None, None, None


ROW_ITEM = list_op(
    "list_row_item", _row_item, lambda items, place, index, length: scalar_of(items),
    "TensorListGetItem", fallible=True, memory=Memory.READS, scalar=form_of_item("{}[{}][{}]"),
    gradient=_of_row_item,
    instruction="list_row_item",
)  # fmt: skip


def _row_length(items: Items, place: Any) -> int:
    try:
        return len(items[place])
    except (IndexError, TypeError):
        raise _no_row(place) from None


ROW_LENGTH = list_op(
    "list_row_length", _row_length, lambda items, place: INT, "TensorListLength",
    fallible=True, memory=Memory.READS, interval=lambda items, place: intervals.length(items),
    scalar=Form("len({}[{}])", ""), instruction="list_row_length",
)  # fmt: skip


def _references(items: Items, at: Any) -> int:
    row = items[at]
    return sys.getrefcount(row)


_ALONE = _references([np.zeros(1)], 0)
"""The count of an array that only one list has."""


def _set_row_item(
    items: Items, place: Any, index: Any, value: Any, length: Any, out: Items | None = None
) -> Items:
    made = copied(items, out)
    try:
        # In place, if nobody else has the vector, nor a view of it.
        alone = _references(made, place) == _ALONE
        row = made[place]
        if not (alone and row.flags.owndata and row.flags.writeable):
            made[place] = row = row.copy()
        row[index, ...] = value  # of a text, not the array that holds it
    except (AttributeError, IndexError):
        raise _no_row(place) from None
    return made


def _of_set_row_item(op: Any, grad: Any) -> Any:
    _, place, index, value, length = op.inputs
    row, is_there = item_like(
        grad, place, ops.fill(ops.reshape(length, [1]), ops.zeros_like(value))
    )
    return apply(CLEAR_ROW_ITEM, grad, place, index), None, None, Item(row[index], is_there), None


SET_ROW_ITEM = list_op(
    "list_set_row_item", _set_row_item, as_first, "TensorListSetItem", fallible=True,
    memory=Memory.STORES, instruction="list_set_row_item", gradient=_of_set_row_item,
)  # fmt: skip


def _push_row_item(
    items: Items, place: Any, value: Any, length: Any, out: Items | None = None
) -> Items:
    made = copied(items, out)
    try:
        row = made[place]
        made[place] = longer = np.empty(len(row) + 1, row.dtype)
    except (AttributeError, IndexError, TypeError):
        raise _no_row(place) from None
    longer[:-1], longer[-1:] = row, value
    return made


def _of_push_row_item(op: Any, grad: Any) -> Any:
    _, place, value, length = op.inputs
    like = ops.fill(ops.reshape(length + 1, [1]), ops.zeros_like(value))
    row, is_there = item_like(grad, place, like)
    shorter = apply(SCATTER_ADD, apply(CLEAR, grad, place), place, row[:-1])
    return shorter, None, Item(row[-1], is_there), None


PUSH_ROW_ITEM = list_op(
    "list_push_row_item", _push_row_item, as_first, "TensorListSetItem", fallible=True,
    memory=Memory.STORES, instruction="list_push_row_item", gradient=_of_push_row_item,
)  # fmt: skip


def _clear_row_item(items: Items, place: Any, index: Any, out: Items | None = None) -> Items:
    made = copied(items, out)
    if place < len(made) and made[place] is not None:
        made[place] = row = made[place].copy()
        row[index] = 0
    return made


CLEAR_ROW_ITEM: Primitive = list_op(
    "list_clear_row_item", _clear_row_item, as_first, memory=Memory.STORES,
    gradient=lambda op, grad: (apply(CLEAR_ROW_ITEM, grad, *op.inputs[1:]), None, None),
)  # fmt: skip


def _no_row(place: Any) -> errors.InvalidValueError:
    return errors.InvalidValueError(
        f"a list has no vector at {int(place)}, or none with such an item"
    )
