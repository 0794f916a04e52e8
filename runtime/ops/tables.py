"""Keys and values kept as sorted arrays: what tables look up, insert and remove."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import errors
from runtime.core.primitive import Order, flat, row
from runtime.core.shapes import Shape


def _places(keys: Any, wanted: Any) -> tuple[Any, Any]:
    """For each of `wanted` the place of a key, and whether it is that one."""
    if not len(keys):
        return np.zeros(wanted.shape, np.int64), np.zeros(wanted.shape, np.bool_)
    places = np.minimum(np.searchsorted(keys, wanted.reshape(-1)), len(keys) - 1)
    places = places.reshape(wanted.shape)
    return places, np.asarray(keys[places] == wanted, np.bool_)


def _find_kernel(wanted: Any, keys: Any, values: Any, default: Any) -> Any:
    places, is_found = _places(keys, np.asarray(wanted))
    if not len(keys):
        return np.broadcast_to(default, (*places.shape, *values.shape[1:])).copy()
    is_found = is_found.reshape(is_found.shape + (1,) * (values.ndim - 1))
    return np.where(is_found, values[places], default)


def _find_shape(wanted: Shape, keys: Shape, values: Shape, default: Shape) -> Shape:
    if wanted is None or values is None:
        return None
    return (*wanted, *values[1:])


find_p = row(
    "table_find", _find_kernel, signature="T,T,A,A->A", shape=_find_shape, gradient=flat,
    op_type="LookupTableFindV2", order=Order.ANY, keep_inputs=(),
)  # fmt: skip


def _insert_kernel(keys: Any, values: Any, new_keys: Any, new_values: Any) -> Any:
    flat_keys = new_keys.reshape(-1)
    flat_values = new_values.reshape(len(flat_keys), *values.shape[1:])
    # Of equal keys the last one counts, which is the first one backwards.
    backwards = np.concatenate([keys, flat_keys])[::-1]
    kept, places = np.unique(backwards, return_index=True)
    return kept, np.concatenate([values, flat_values])[::-1][places]


def _open_shapes(keys: Shape, values: Shape, *others: Shape) -> tuple[Shape, Shape]:
    return (None,), None if values is None else (None, *values[1:])


insert_p = row(
    "table_insert", _insert_kernel, signature="T,A,T,A->T,A", shape=_open_shapes, gradient=flat,
    op_type="LookupTableInsertV2", fallible=True, keep_inputs=(),
)  # fmt: skip


def _remove_kernel(keys: Any, values: Any, gone: Any) -> Any:
    places, is_found = _places(keys, gone.reshape(-1))
    left = np.ones(len(keys), np.bool_)
    left[places[is_found]] = False
    return keys[left], values[left]


remove_p = row(
    "table_remove", _remove_kernel, signature="T,A,T->T,A", shape=_open_shapes, gradient=flat,
    op_type="LookupTableRemoveV2", keep_inputs=(),
)  # fmt: skip


def sorted_table(keys: Any, values: Any) -> tuple[Any, Any]:
    """The arrays of a table that does not change; FailedPreconditionError where one key has
    several values.
    """
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    again = np.flatnonzero(np.asarray(keys[1:] == keys[:-1], np.bool_))
    if len(again) and not np.array_equal(values[again], values[again + 1]):
        key = keys.tolist()[again[0]]
        raise errors.FailedPreconditionError(f"the table has several values for the key {key!r}")
    kept = np.ones(len(keys), np.bool_)
    kept[again + 1] = False
    return keys[kept], values[kept]
