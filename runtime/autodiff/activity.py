"""Activity analysis: what nodes of a graph depend on, and what depends on the sources
of a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from runtime.core.primitive import flat
from runtime.core.types import ListType, ResidualsType, TensorType, Type
from runtime.graph import lists
from runtime.graph.dataflow import Forward
from runtime.graph.ir import Graph, Node, Value, reads, walk, walk_called
from runtime.graph.nodes import CALL, COND, WHILE
from runtime.ops.slicing import strided_slice_p
from runtime.staging.refusals import refuse
from runtime.staging.scopes import Handle
from runtime.staging.tracing import symbol

if TYPE_CHECKING:
    from runtime.autodiff.derived import Recursion

# What has a gradient: a value of a graph, or a variable, known by its node.
Source = Value | int


def differentiable(type: Type) -> bool:
    """True if a value of this type can have a gradient."""
    if isinstance(type, ListType):
        return differentiable(type.element)
    if isinstance(type, ResidualsType):
        return True
    return isinstance(type, TensorType) and type.dtype.kind in "fc"


# What a node of control flow depends on


def called_in(nodes: Iterable[Node]) -> list[Graph]:
    """The graphs that nodes call, also from regions and from these graphs; each once."""
    callees = [node.params["callee"] for node in walk_called(nodes) if "callee" in node.params]
    return [*dict.fromkeys(callee.graph for callee in callees if callee.graph is not None)]


def variables_in(nodes: Sequence[Node]) -> dict[int, Any]:
    """The variables that nodes read, also in regions and in the graphs that they call."""
    read = [node for node in walk_called(nodes) if node.outputs and "variable" in node.params]
    variables = [node.params["variable"] for node in read]
    return {v.node: v for v in variables if v is not None and differentiable(v.type)}


def captures_in(nodes: Iterable[Node]) -> dict[Value, Any]:
    """The eager tensors from outside that the graphs which nodes call use."""
    captures = [pair for graph in called_in(nodes) for pair in graph.closure]
    return {value: item for value, item in captures if differentiable(value.type)}


def is_recursive(graph: Graph) -> bool:
    """True if the graph calls itself."""
    return graph in called_in(graph.nodes)


def callee_of(node: Node) -> Graph:
    """The graph that a node calls; StagingError where it is still being traced."""
    graph: Graph | None = node.params["callee"].graph
    if graph is None:
        name = node.params["callee"].name
        raise refuse(
            f"the gradient of a call of {name} is asked for inside of {name} itself",
            "ask for it outside of the function, or write the recursion as a loop",
            location=node.location,
        )
    return graph


def connections(handle: Handle, behind: Container[Value] = ()) -> Iterator[tuple[Any, Source]]:
    """Yields what a node of control flow depends on: tensors, lists and variables, and as what
    it knows each. Of nodes in it with a first output that is `behind`, no variables.
    """
    node, trace = handle.node, handle.scope.trace
    held = trace.refined | {value: item for value, item in trace.captures.values()}
    for value in dict.fromkeys(reads(node)):
        if differentiable(value.type):
            item = held.get(value)
            yield symbol(value, handle.scope, None) if item is None else item, value
    for value, item in captures_in((node,)).items():
        yield item, value
    for key, variable in variables_in(_not_behind(node, behind) if behind else (node,)).items():
        yield variable, key


def _not_behind(node: Node, behind: Container[Value]) -> list[Node]:
    inner = [each for region in node.regions for each in walk(region) if not each.regions]
    return [each for each in inner if not _is_of(each, behind)]


class Dependence(Forward):
    """The values that depend on others, found by following the nodes forwards.

    `callee` gives the graph that a node calls, or raises.
    """

    def __init__(
        self, sources: Iterable[Source], callee: Callable[[Node], Graph] = callee_of
    ) -> None:
        self.callee = callee
        self.known: set[Source] = set(sources)
        self._entered: set[Graph] = set()
        self._followed: set[Graph] = set()
        self._entered_again: set[Graph] = set()

    def op(self, node: Node) -> None:
        """Add what a node computes of known values."""
        if node.primitive is CALL:
            self._call(node)
        elif self._is_reached(node):
            self.add(node.outputs)

    def add(self, values: Iterable[Value]) -> None:
        """Add values."""
        self.known.update(values)

    def _is_reached(self, node: Node) -> bool:
        return any(value in self.known for value in node.inputs)

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> bool:
        """Add each target whose source is known; whether there is a new one."""
        pairs = zip(sources, targets, strict=True)
        found = [t for s, t in pairs if s in self.known and t not in self.known]
        self.add(found)
        return any(value in self.known for value in found)

    def _call(self, node: Node) -> None:
        graph = self.callee(node)
        learnt = self.flow(node.inputs, graph.parameters)
        if graph in self._entered:
            self._entered_again.add(graph)
        elif learnt or graph not in self._followed:
            self._entered.add(graph)
            self._graph(graph)
            self._entered.remove(graph)
            self._followed.add(graph)
        self.flow(graph.results, node.outputs)

    def _graph(self, graph: Graph) -> None:
        self.follow(graph.nodes)
        while graph in self._entered_again:
            size = len(self.known)
            # What it calls was followed when less was known of its own results.
            self._followed.clear()
            self.follow(graph.nodes)
            if len(self.known) == size:
                break


class Activity(Dependence):
    """The values that have gradients which lead to the sources: those that depend on them, and
    can have gradients.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        super().__init__(sources)
        self.recursions: dict[Graph, Recursion] = {}
        # Of loops: the places of the state whose gradients are not sent for certain.
        self.doubted: dict[Node, set[int]] = {}

    def add(self, values: Iterable[Value]) -> None:
        """Add those of these values that can have gradients."""
        super().add(value for value in values if differentiable(value.type))

    def _is_reached(self, node: Node) -> bool:
        if node.primitive.gradient is flat:
            return False
        variable = node.params.get("variable")
        if variable is not None and node.outputs and variable.node in self.known:
            return True
        return super()._is_reached(node)


# What passes tensors on

ITEMS = frozenset({lists.GET, lists.ITEM})
STRIDED_SLICE = strided_slice_p
_REPACKS = frozenset({lists.STACK, lists.UNSTACK, lists.CONCAT, lists.SPLIT})


def passes_on(node: Node) -> bool:
    """True for a node whose outputs may be its inputs: a branch, a loop, an op of lists."""
    primitive = node.primitive
    if primitive in (COND, WHILE):
        return True
    return not primitive.is_op and primitive is not CALL and primitive.gradient not in (None, flat)


class Passing(Activity):
    """The values that are, in the user's Python, some of the sources themselves: put into lists,
    chosen by branches, carried by loops; not computed of them.

    `repacked` is what may be: lists made of tensors, tensors made of lists, and what is read of
    these, are new ones, unless they are the contents of a list of lists.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        super().__init__(sources)
        self.items: set[Value] = set()
        self.repacked: set[Source] = set()

    def op(self, node: Node) -> None:
        """Add what a node passes on."""
        primitive = node.primitive
        if primitive in ITEMS:
            self.items.update(node.outputs)
        reads_item = primitive is STRIDED_SLICE and node.inputs[0] in self.items
        if primitive in _REPACKS or reads_item:
            self.repacked.update(node.outputs if self._is_reached(node) else ())
        elif passes_on(node):
            super().op(node)

    def may_repack(self, node: Node, value: Value) -> bool:
        """Whether a value that the node gives may be repacked."""
        size = 0
        while size < len(self.repacked):
            size = len(self.repacked)
            further = Passing(self.repacked)
            further.items |= self.items
            further.follow((node,))
            if value in further.known:
                return True
            self.repacked |= further.repacked
        return False


class _UpToEnd(Passing):
    """The activity in what holds the end of the block of a tape: nodes that are `behind` that pass
    on what is known, and what they compute is not.
    """

    def __init__(self, behind: Container[Value], sources: Iterable[Source]) -> None:
        super().__init__(sources)
        self.behind = behind

    def op(self, node: Node) -> None:
        """Add what a node computes, or passes on."""
        if _is_of(node, self.behind):
            super().op(node)
        else:
            Activity.op(self, node)


def up_to(behind: Container[Value]) -> Callable[[Iterable[Source]], Activity]:
    """The activity in a node, but for what nodes in it compute with a first output that is
    `behind`: that stays, where a gradient replaces a node.
    """
    return partial(_UpToEnd, behind) if behind else Activity


def _is_of(node: Node, firsts: Container[Value]) -> bool:
    return bool(node.outputs) and node.outputs[0] in firsts
