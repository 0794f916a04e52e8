"""The primitive of a name: what the nodes of a saved graph are found by."""

from __future__ import annotations

from importlib import import_module

from runtime.core.primitive import TABLE, Primitive

# The modules that define primitives; the last three import the tracer.
_HOMES = (
    "runtime.graph.nodes",
    "runtime.graph.probes",
    "runtime.graph.numbers",
    "runtime.graph.lists",
    "runtime.graph.list_rows",
    "runtime.graph.templates",
    "runtime.graph.text_ops",
    "runtime.graph.draws",
    "runtime.graph.library_functions",
    "runtime.variables.primitives",
    "runtime.ops",
    "runtime.ops.print_op",
    "runtime.random.generator",
    "runtime.debugging",
    "runtime.summary.recording",
    "runtime.sessions.variables",
    "runtime.staging.functional",
    "runtime.autodiff.custom",
)


def primitive_named(name: str) -> Primitive | None:
    """The primitive of this name, None where there is none. Imports what defines it."""
    for module in _HOMES:
        if name in TABLE:
            break
        imported = import_module(module)
        if module == "runtime.ops":
            imported.load_all()
    return TABLE.get(name)
