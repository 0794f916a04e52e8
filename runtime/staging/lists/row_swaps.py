"""Two lists in a list of the graph change places: `table[i], table[j] = table[j], table[i]`.

After its first half one list is in two places, and nobody may change it; after the second each is
in one again. The one that has lost its place waits for the second half, and may be read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.graph.ir import Value
from runtime.graph.lists import UNSTACK
from runtime.graph.nodes import apply
from runtime.graph.passes.common_subexpressions import node_key
from runtime.staging.control.specs import Tree
from runtime.staging.lists.growing import (
    GrowingSequence,
    StagedItems,
    place_in,
    read_by,
    take_all_from,
)
from runtime.staging.lists.row_tables import RowTable
from runtime.staging.scopes import Scope, active
from runtime.staging.tracing import is_symbol


@dataclass(slots=True)
class _Half:
    """The first half of a swap: what the table was and is, and the list that lost its place; its
    items are `kept`, and it belongs to `key` now.
    """

    table: Any
    staged: StagedItems
    element: Tree
    key: Any
    lost: list[GrowingSequence]
    kept: list[Any]
    scope: Scope


def swaps(table: Any, place: Any, key: Any, item: Any) -> bool:
    """Put a list at a place of a table that the user calls `key`, if that is a half of a swap;
    False if it is not.
    """
    memo, scope = active().memo, active().scope
    half = memo.pop((_Half, id(table)), None)
    if half is not None and half.staged is table.staged and half.scope is scope:
        return is_same(half.key, key) and any(x is item for x in half.lost) and _ends(half, place)
    # What a block has read itself, nobody uses behind it.
    found = [(each, by) for each, by in read_by(table) if place_in(each).scope is scope]
    keys = [by for each, by in found if each is item and by is not None]
    lost = [each for each, by in found if each is not item and is_same(by, key)]
    if not keys or not lost:
        return False
    memo[_Half, id(table)] = _begins(table, place, keys[0], item, lost)
    return True


def _begins(
    table: RowTable, place: Any, source: Any, item: Any, lost: list[GrowingSequence]
) -> _Half:
    kept, structure = table.tensors_at(place_in(lost[0]))
    element, _ = table.rows()
    table.put_tensors(place, table.tensors_at(place_in(item))[0])
    table.share()
    for each in lost:
        kind = replace(structure.keys, shared=True)
        each.be_apart(StagedItems(kind, [apply(UNSTACK, column) for column in kept]))
    take_all_from(table)
    staged = table.staged
    assert staged is not None
    return _Half(table, staged, element, source, lost, kept, active().scope)


def _ends(half: _Half, place: Any) -> bool:
    table: Any = half.table
    table.put_tensors(place, half.kept)
    table.put_rows(half.element, table.rows()[1])
    take_all_from(table)
    for each in half.lost:
        each.become(table, place)
    return True


# Keys


def is_same(key: Any, other: Any) -> bool:
    """Whether two keys are one number, as far as is known while staging: `i + 1` and `i + 1`."""
    if key is other:
        return key is not None
    if is_symbol(key) and is_symbol(other):
        return _are_same(key.graph_value, other.graph_value, active().scope)
    return type(key) is type(other) is int and bool(key == other)


def _are_same(value: Value, other: Value, scope: Scope) -> bool:
    if value is other:
        return True
    made, twin_made = scope.maker(value), scope.maker(other)
    if made is None or twin_made is None:
        return False
    (node, _), (twin, _) = made, twin_made
    op = node_key(replace(node, inputs=()))
    if op is None or op != node_key(replace(twin, inputs=())):
        return False
    pairs = zip(node.inputs, twin.inputs, strict=True)
    return all(_are_same(a, b, scope) for a, b in pairs)
