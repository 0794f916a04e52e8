"""The regions of a graph that is being built, and what belongs to one: symbols, recorded nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Flag, auto
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, Self, SupportsIndex, TypeVar, cast

from runtime.core.state import state
from runtime.core.types import ListType
from runtime.graph import nodes
from runtime.graph.ir import Node, Origin, Region, Value
from runtime.staging import refusals

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace

Site = tuple[int, ...]

F = TypeVar("F", bound=Callable[..., Any])

# What a symbol stands for: its value, what tapes know it by, its scope, and what it is a view of.
Meaning = tuple[Value, Value, "Scope", Any]

LOOP = "the body of a loop"
"""The kind of the scopes that may run several times."""


class Change(Flag):
    """The change that item assignments make in a tensor: items, or whole rows, in the place of
    which a list has other ones.
    """

    ITEMS = auto()
    ROWS = auto()


class Scope:
    """A region being built: its nodes so far, and whether symbols made in it may be used now."""

    __slots__ = (
        *("asked", "assigned", "changes", "inner", "kind", "left", "nodes", "open", "outer"),
        *("parameters", "site", "touched", "trace", "unclear"),
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
        # Constants from around it of which Python was asked the numbers: read without a node.
        self.asked: set[Value] = set()
        # Symbols from around it that stand for something else in it, and what they were before
        # each change.
        self.changes: list[tuple[Any, Meaning]] = []
        # Those whose items were assigned, and what changed in them; those that this changed, and
        # what they were at its end.
        self.assigned: dict[int, tuple[Any, Change]] = {}
        self.touched: dict[int, Any] = {}
        self.left: list[tuple[Any, Meaning]] = []
        # Those that may have been changed by another name, and why nobody knows.
        self.unclear: list[tuple[Any, Callable[[], Exception]]] = []

    def next_site(self) -> Site:
        """A place in this scope, the same in each trace of the same code."""
        self.inner += 1
        return (*self.site, self.inner)

    def around(self) -> Iterator[Scope]:
        """This scope, and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def maker(self, value: Value) -> tuple[Node, Scope] | None:
        """The node that makes a value, in this scope or one around it, and where it stands."""
        for scope in self.around():
            for node in reversed(scope.nodes):
                if value in node.outputs:
                    return node, scope
        return None

    def region(self, results: Sequence[Value]) -> Region:
        """The finished region."""
        return Region(tuple(self.parameters), tuple(self.nodes), tuple(results))


class Stale(Scope):
    """Stands for the scope of a symbol whose value must be looked up anew, or is not known:
    `renew(trace, symbol)` gives the value, or raises. `written` is what has changed it, if that is
    known and has not been looked at yet.
    """

    __slots__ = ("home", "renew", "replaced", "written")

    def __init__(
        self,
        home: Scope,
        renew: Callable[[Any, Any], Value],
        written: Any = None,
        replaced: bool = False,
    ) -> None:
        super().__init__(home.trace, home.kind, home.outer, home.site)
        self.home = home
        self.renew = renew
        self.written = written
        self.replaced = replaced
        self.parameters = home.parameters
        self.open = False


class InScope:
    """A stand-in for a value, in the region that made it. Copies are the same one.

    `node` is what tapes know it by: it stays, where more comes to be known of the value. `links`
    say what shares its memory in the user's Python, and are None where nothing does.
    """

    __slots__ = ("graph_value", "links", "node", "origin", "scope")
    links: Any
    node: Value
    graph_value: Value
    scope: Scope
    origin: Origin | None

    def __init__(self, value: Value, scope: Scope, origin: Origin | None) -> None:
        self.node = self.graph_value = value
        self.scope = scope
        self.origin = origin
        self.links = None

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise refusals.not_python(
            self, "as something to pickle", "pickle what the function returns, outside of it"
        )


class Symbol(InScope):
    """The Python object for a list of a graph being traced."""

    __slots__ = ()

    @property
    def type(self) -> ListType:
        """The type of the list."""
        return cast(ListType, self.graph_value.type)

    def _shown(self) -> str:
        return f"<staged list {self.graph_value.name!r}>"

    def __add__(self, other: Symbol) -> Any:
        return nodes.apply(nodes.LIST_ADD, self, other)


class Handle:
    """A node of control flow that tapes have recorded: where it is, and what stands there now.

    A gradient replaces the node by one that also returns what the gradient reads.
    """

    __slots__ = ("recorded", "scope")

    def __init__(self, node: Node, scope: Scope) -> None:
        self.recorded = node
        self.scope = scope

    @property
    def node(self) -> Node:
        """The node that stands there now; its first outputs are those of the recorded one."""
        made = self.recorded.outputs
        if not made:
            return self.recorded
        return next(node for node in reversed(self.scope.nodes) if made[0] in node.outputs[:1])


def active(*used: Any) -> Trace:
    """The trace that is active on this thread.

    Raises errors.InaccessibleTensorError, of the first symbol that is `used`, where there is none;
    without one, of what the library has at hand for the user's code.
    """
    trace = state.trace
    if trace is None:
        raise refusals.leaked(next((item for item in used if hasattr(item, "scope")), None))
    return cast("Trace", trace)


def unfailing(function: F) -> F:
    """A decorator: whatever a `try` around it catches, the ops of this function do not fail."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        trace = state.trace
        if trace is None or not trace.attempts:
            return function(*args, **kwargs)
        attempts, trace.attempts = trace.attempts, []
        try:
            return function(*args, **kwargs)
        finally:
            trace.attempts = attempts

    return cast(F, run)


def outermost() -> Trace:
    """The trace of the function that calls those that are traced now."""
    trace = active()
    while trace.outer is not None:
        trace = trace.outer
    return trace


def called(function: Any) -> Any:
    """Returns what to call where a library function calls the user's: converted, if the trace
    converts.
    """
    trace = state.trace
    return function if trace is None else trace.called(function)
