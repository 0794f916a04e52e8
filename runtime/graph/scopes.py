"""The regions of a graph that is being built, and what belongs to one: symbols, recorded nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, cast

from runtime import errors
from runtime.graph import nodes, refusals
from runtime.graph.ir import Node, Origin, Region, Value
from runtime.state import state
from runtime.types import ListType

if TYPE_CHECKING:
    from runtime.graph.tracing import Trace

Site = tuple[int, ...]

LOOP = "the body of a loop"
"""The kind of the scopes that may run several times."""


class Scope:
    """A region being built: its nodes so far, and whether symbols made in it may be used now."""

    __slots__ = (
        *("inner", "kind", "nodes", "open", "outer", "parameters", "refined", "site", "trace"),
    )

    def __init__(self, trace: Trace, kind: str, outer: Scope | None, site: Site = ()) -> None:
        self.trace = trace
        self.site = site
        self.inner = 0
        self.kind = kind
        self.outer = outer
        self.open = True
        self.parameters: list[Value] = []
        self.nodes: list[Node] = []
        # Symbols from around it of which more is known in it, and their values around it.
        self.refined: list[tuple[Any, Value]] = []

    def next_site(self) -> Site:
        """A place in this scope, the same in each trace of the same code."""
        self.inner += 1
        return (*self.site, self.inner)

    def region(self, results: Sequence[Value]) -> Region:
        """The finished region."""
        return Region(tuple(self.parameters), tuple(self.nodes), tuple(results))


class InScope:
    """What stands for a value, in the region that made it. Copies are the same one.

    `node` is what tapes know it by: it stays, where more comes to be known of the value.
    """

    __slots__ = ("node", "origin", "scope", "value")
    node: Value
    value: Value
    scope: Scope
    origin: Origin | None

    def __init__(self, value: Value, scope: Scope, origin: Origin | None) -> None:
        self.node = self.value = value
        self.scope = scope
        self.origin = origin

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Symbol(InScope):
    """What Python holds for a list of a graph being traced."""

    __slots__ = ()

    @property
    def type(self) -> ListType:
        """What list it is."""
        return cast(ListType, self.value.type)

    def _shown(self) -> str:
        return f"<staged list {self.value.name!r}>"

    def __add__(self, other: Symbol) -> Any:
        return nodes.apply(nodes.LIST_ADD, self, other)


class Handle:
    """A node of control flow that tapes have recorded: where it is, and what stands there now.

    A gradient replaces the node by one that also returns what the gradient reads.
    """

    __slots__ = ("node", "scope")

    def __init__(self, node: Node, scope: Scope) -> None:
        self.node = node
        self.scope = scope


def active(*used: Any) -> Trace:
    """The trace that is active on this thread.

    Raises errors.InaccessibleTensorError, of the first symbol that is `used`, where there is none.
    """
    trace = state.trace
    if trace is None:
        for item in used:
            if hasattr(item, "scope"):
                raise refusals.leaked(item)
        raise errors.InaccessibleTensorError("a symbol is used while no graph is being traced")
    return cast("Trace", trace)
