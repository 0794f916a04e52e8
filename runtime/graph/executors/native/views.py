"""The machine code of a graph, to read: LLVM's IR, the assembly of this host, and what kept the
graph from it.
"""

from __future__ import annotations

from runtime.graph.executors.native.executor import reasons, units_of
from runtime.graph.executors.native.machine import fewer_passes, parsed, target
from runtime.graph.ir import Graph, format_location


def native_ir(graph: Graph) -> str:
    """The IR of the modules of a graph, as it is written. ValueError if there is none."""
    return "\n".join(_texts(graph))


def native_asm(graph: Graph) -> str:
    """The assembly of the modules of a graph, on this host. ValueError if there is none."""
    return "\n".join(map(_assembly, _texts(graph)))


def _texts(graph: Graph) -> list[str]:
    found = [str(unit.module) for unit in units_of(graph)]
    if not found:
        raise ValueError(explanation(graph))
    return found


def _assembly(text: str) -> str:
    with fewer_passes():
        made: str = target().emit_assembly(parsed(text))
        return made


def explanation(graph: Graph) -> str:
    """The ops that keep a graph from being machine code as a whole, with the user's lines."""
    found = [f"{format_location(node.location)}: {text}" for node, text in reasons(graph)]
    if not found:
        return f"{graph.name} is machine code as a whole"
    count = len(units_of(graph))
    parts = f", but {count} part{'s'[: count != 1]} of it {'is' if count == 1 else 'are'}"
    lines = "".join(f"\n  {line}" for line in dict.fromkeys(found))
    return f"{graph.name} is not machine code as a whole{parts if count else ''}:{lines}"
