"""The primitive of a name: what the nodes of a saved graph are found by."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from runtime.primitive import TABLE, Primitive

# Modules that define primitives outside of the table of ops, and where those of the table are that
# `runtime.ops` does not know: the last ones import the tracer.
_HOMES = (
    "runtime.graph.nodes",
    "runtime.graph.numbers",
    "runtime.graph.arrays",
    "runtime.graph.templates",
    "runtime.variable_primitives",
    "runtime.printing",
    "runtime.generator",
    "runtime.debugging",
    "runtime.functional",
    "runtime.graph.staging.growing",
    "runtime.graph.staging.lists",
)
_found: dict[str, Primitive] = {}


def primitive_named(name: str) -> Primitive | None:
    """The primitive of this name, None where there is none. Imports what defines it."""
    if not _found:
        _look_into(_HOMES[0])  # whose `constant` is of numbers, too
    for module in _HOMES[1:]:
        if name in _found or name in TABLE:
            break
        _look_into(module)
    else:
        import_module("runtime.ops").load_all()
    return _found.get(name) or TABLE.get(name)


def _look_into(module: str) -> None:
    _found.update((item.name, item) for item in _in(vars(import_module(module)).values()))


def _in(items: Iterable[Any]) -> Iterable[Primitive]:
    for item in items:
        if isinstance(item, Primitive):
            yield item
        elif type(item) is dict:
            yield from (inner for inner in item.values() if isinstance(inner, Primitive))
