"""Variables that meet tensors where two paths join: they are read there.

In the user's Python the name goes on standing for the variable, if that path was taken, and what is
assigned to the variable later is seen through it. So after an assignment nothing may ask for what
was read: the finished graph is looked through for such a use, and refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from runtime.core.convert import convert_to_tensor
from runtime.core.state import state
from runtime.core.types import TensorType, Type, is_variable, variable_of
from runtime.dtypes import as_dtype
from runtime.graph.ir import Graph, Node, Origin, Position, Region, Value, walk_called
from runtime.graph.nodes import COND
from runtime.staging.frames import path_holding
from runtime.staging.refusals import refuse
from runtime.staging.scopes import InScope, active

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace

Handles = frozenset[Any]
NONE: Handles = frozenset()


def read(item: Any) -> Any:
    """The item itself; of a variable, what it is now."""
    return item if variable_of(item) is None else convert_to_tensor(item)


def type_of(item: Any, variable: Any) -> Type:
    """The type of what is read of an item that is, or holds, a variable."""
    return TensorType(as_dtype(item.dtype), variable.handle.static_shape)


def may_be(item: Any) -> Handles:
    """The handles of the variables that a symbol may be in the user's Python."""
    trace = state.trace
    if trace is None or not isinstance(item, InScope):
        return NONE
    found: Handles = trace.read_at_joins.get(item.graph_value, NONE)
    return found


def note(item: Any, variables: Handles) -> Any:
    """Let a symbol be one that may be these variables."""
    if variables:
        active().read_at_joins[item.graph_value] = variables
    return item


def called(handles: Iterable[Any], trace: Trace | None = None) -> str:
    """The user's expressions for variables: `SLOW or self.fast`; of one to which nothing in the
    code leads, its name.
    """
    names = {_called(handle, trace or active()) for handle in handles}
    return " or ".join(sorted(names))


def _called(handle: Any, trace: Trace) -> str:
    item = handle.variable
    place = None if trace.watcher is None else trace.watcher.place_of(item)
    return place or path_holding(item, trace.root) or repr(handle.name)


def check_identity(a: Any, b: Any) -> None:
    """StagingError where `a is b` asks whether a symbol is the variable that was read for it."""
    for item, other in ((a, b), (b, a)):
        if is_variable(other) and other.handle in may_be(item):
            raise refuse(
                f"whether this is the variable {called([other.handle])} is known only at run time",
                "compare their values, or keep in a bool of your own which of them it is",
            )


def check_source(item: Any) -> None:
    """StagingError for a gradient with respect to a symbol that may be a variable."""
    handles = may_be(item)
    if handles:
        raise refuse(
            f"a gradient is asked for a value that is the variable {called(handles)} on one path, "
            "and a tensor on the other",
            "ask for the gradient of the variable and of the tensor, each by its own name",
        )


def check_asked(item: Any, what: str, attribute: str = "name") -> None:
    """StagingError where a symbol is asked for what it has as the variable that it may be, such as
    `its class`, or an attribute.
    """
    handles = may_be(item)
    if any(hasattr(type(handle.variable), attribute) for handle in handles):
        raise refuse(
            f"this may be the variable {called(handles)}: only the run knows which path was "
            f"taken, so it was read where the paths met; but it is asked for {what}",
            "where its value is meant, choose `v.read_value()` for the variable v; or do in each "
            "branch, with the variable by its own name, what is meant: `if flag: a.assign(x)`, "
            "`else: b.assign(x)`; of a list: `for k, v in enumerate(items)`, `if k == i: "
            "v.assign(x)`",
        )


def check(graph: Graph, trace: Trace) -> None:
    """StagingError where the graph of a trace uses what was read at a join after the variable was
    assigned.
    """
    if trace.read_at_joins:
        _Uses(trace).look_through(graph.body, set(), None)


class _Uses:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._read: Mapping[Value, Handles] = trace.read_at_joins

    def look_through(
        self, region: Region, stale: set[Value], origin: Origin | Position | None
    ) -> None:
        """Follow the nodes in their order; `stale` are the values that must not be used."""
        stale.difference_update(region.parameters)
        for node in region.nodes:
            self._check(node.inputs, stale, node.origin)
            self._look_into(node, stale)
            self._assign(node, stale)
            stale.difference_update(node.outputs)
            origin = node.origin or origin
        self._check(region.results, stale, origin)

    def _look_into(self, node: Node, stale: set[Value]) -> None:
        if node.primitive is COND:
            paths = [(inner, set(stale)) for inner in node.regions]
            for inner, path in paths:
                self.look_through(inner, path, node.origin)
                stale |= path
            return
        for inner in (*node.regions, *node.regions):  # what a round assigns, the next one sees
            self.look_through(inner, stale, node.origin)

    def _assign(self, node: Node, stale: set[Value]) -> None:
        callee = node.params.get("callee")
        if callee is None:
            changed = [node] if _assigns(node) else []
        elif callee.graph is None:
            return
        else:
            changed = [inner for inner in walk_called(callee.graph.nodes) if _assigns(inner)]
        for each in changed:
            made = {v for v, handles in self._read.items() if each.params["variable"] in handles}
            if each is node:
                # What is assigned is what the variable is from then on.
                made.difference_update(node.inputs if _replaces(node) else ())
            else:
                self._check(node.inputs, made, node.origin)
            stale |= made

    def _check(
        self, values: Iterable[Value], stale: set[Value], origin: Origin | Position | None
    ) -> None:
        for value in values:
            if value in stale:
                name = re.sub(r"_\d+$", "", value.name)
                variables = called(self._read[value], self._trace)
                raise refuse(
                    f"{name!r} is used after {variables} was assigned: on one path it is this "
                    "variable, on the other a tensor, and what it is now is known only at run time",
                    f"write `{name} = v.read_value()` for the variable where the value from before "
                    "is meant, or use the variable itself",
                    name,
                    None if origin is None else origin.location,
                )


def _assigns(node: Node) -> bool:
    return "variable" in node.params and node.primitive.method != "read_value"


def _replaces(node: Node) -> bool:
    return node.primitive.method == "assign"
