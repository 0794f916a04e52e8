"""The primitive of a name: what the nodes of a saved graph are found by."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from runtime.primitive import TABLE, Primitive

# Where primitives are that `runtime.ops` does not know. The first one's `constant` is of numbers,
# too; the last three import the tracer.
_HOMES = (
    "runtime.graph.nodes",
    "runtime.graph.numbers",
    "runtime.graph.arrays",
    "runtime.graph.list_nodes",
    "runtime.graph.templates",
    "runtime.variable_primitives",
    "runtime.ops",
    "runtime.printing",
    "runtime.generator",
    "runtime.debugging",
    "runtime.functional",
    "runtime.autodiff.custom",
)
_looked: set[str] = set()
_found: dict[str, Primitive] = {}


def primitive_named(name: str) -> Primitive | None:
    """The primitive of this name, None where there is none. Imports what defines it."""
    for module in _HOMES:
        if module not in _looked:
            _look_into(module)
        found = _found.get(name) or TABLE.get(name)
        if found is not None:
            return found
    return None


def _look_into(module: str) -> None:
    imported = import_module(module)
    if module == "runtime.ops":
        imported.load_all()
    _found.update((item.name, item) for item in _in(vars(imported).values()))
    _looked.add(module)


def _in(items: Iterable[Any]) -> Iterable[Primitive]:
    for item in items:
        if isinstance(item, Primitive):
            yield item
        elif type(item) is dict:
            yield from (inner for inner in item.values() if isinstance(inner, Primitive))
