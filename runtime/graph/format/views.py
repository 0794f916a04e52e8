"""The operations of a graph, and their outputs, as TensorFlow lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from runtime.core.dataclasses import dataclass
from runtime.core.shapes import TensorShape
from runtime.core.types import TensorType, Type
from runtime.dtypes import DType
from runtime.graph.format.unique_names import Names
from runtime.graph.ir import free_values, has_effects
from runtime.graph.nodes import CALL, COND, RAISE, WHILE
from runtime.ops import matmul_p, pad_p

if TYPE_CHECKING:
    from runtime.graph.format.graph_def import NodeDef
    from runtime.graph.ir import Graph, Node, Value


class Operation:
    """A node of a graph, or an input of it or of one of its regions (a "Placeholder").

    `inputs` and `outputs` are tensors of the `graph`, also those that its regions read from around
    them; `regions` are the operations of each branch or of a loop's body. `device` is that of the
    scope that it was made in, "" outside of any.
    """

    __slots__ = ("graph", "inputs", "name", "node", "outputs", "regions", "type")

    def __init__(
        self,
        name: str,
        kind: str,
        inputs: Tensors,
        outputs: Iterable[Value],
        node: Node | None,
        graph: Any,
    ) -> None:
        self.graph = graph
        self.name = name
        self.type = kind
        self.inputs = inputs
        self.outputs = [GraphTensor(self, index, value) for index, value in enumerate(outputs)]
        self.node = node
        self.regions: tuple[tuple[Operation, ...], ...] = ()

    @property
    def device(self) -> str:
        """The name of the device that it was asked to run on, without those of job and task."""
        return device_name(self.node.device if self.node else None)

    @property
    def control_inputs(self) -> list[Operation]:
        """None: operations with effects run in the order that they are listed in."""
        return []

    def values(self) -> Tensors:
        """Its outputs."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """One of its parameters, or as "T" its dtype. ValueError if there is none of this name."""
        attributes = self._attributes()
        if name not in attributes:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}")
        return attributes[name]

    @property
    def node_def(self) -> NodeDef:
        """It as TensorFlow writes operations down."""
        from runtime.graph.format.graph_def import NodeDef

        inputs = [tensor.name.removesuffix(":0") for tensor in self.inputs]
        return NodeDef(self.name, self.type, inputs, self.device, self._attributes())

    def _attributes(self) -> dict[str, Any]:
        types = [tensor.type for tensor in (*self.inputs, *self.outputs)]
        known = next((type for type in types if isinstance(type, TensorType)), None)
        if self.node is not None:
            return attributes(self.node) | ({"T": known.dtype} if known else {})
        return {"dtype": known.dtype, "shape": TensorShape(known.shape)} if known else {}

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"


@dataclass(frozen=True, slots=True, repr=False)
class GraphTensor:
    """An output of an operation: `name` is the operation's, with the index of the output."""

    op: Operation = field(compare=False)
    index: int
    value: Value

    @property
    def name(self) -> str:
        """As in "add:0"."""
        return f"{self.op.name}:{self.index}"

    @property
    def type(self) -> Type:
        """Its type in the graph, that of a Python number or a list too."""
        return self.value.type

    @property
    def dtype(self) -> DType:
        """TypeError for what is no tensor."""
        return self._tensor_type().dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape. TypeError for what is no tensor."""
        return TensorShape(self._tensor_type().shape)

    @property
    def device(self) -> str:
        """That of the operation."""
        return self.op.device

    @property
    def graph(self) -> Any:
        """The graph that it is of."""
        return self.op.graph

    @property
    def value_index(self) -> int:
        """The index of the output among those of the operation."""
        return self.index

    def consumers(self) -> list[Operation]:
        """The operations that take it as an input, in regions too."""
        return [found for found in every(self.graph.get_operations()) if self in found.inputs]

    def _tensor_type(self) -> TensorType:
        if not isinstance(self.type, TensorType):
            raise TypeError(f"{self.name} is a {self.type}, not a tensor")
        return self.type

    def __str__(self) -> str:
        if not isinstance(self.type, TensorType):
            return repr(self)
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        if not isinstance(self.type, TensorType):
            return f"<tf.Tensor {self.name!r} type={self.type}>"
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


Tensors = tuple[GraphTensor, ...]


def operations(graph: Graph) -> list[Operation]:
    """Placeholders for parameters and captures, then the nodes in program order."""
    given = [*graph.parameters, *(value for value, _ in graph.closure)]
    return listed(graph, given, graph.nodes)


def listed(graph: Any, given: Iterable[Value], nodes: Iterable[Node]) -> list[Operation]:
    """The operations of nodes of a graph, or of a trace, that use what is given."""
    return list(_Listing(graph).region(given, nodes))


def traced(trace: Any, scope: Any) -> list[Operation]:
    """The operations so far of a scope of a trace, behind those of the scopes around it."""
    given = [value for value, _ in trace.captures.values()]
    made: list[Node] = []
    while scope is not None:
        given, made = scope.parameters + given, scope.nodes + made
        scope = scope.outer
    return listed(trace, given, made)


def every(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations, and those in their regions."""
    for operation in operations:
        yield operation
        for region in operation.regions:
            yield from every(region)


def tensors(operations: Iterable[Operation], values: Iterable[Value]) -> list[GraphTensor]:
    """Returns the outputs of a graph's operations for values of it."""
    made = {tensor.value: tensor for operation in operations for tensor in operation.outputs}
    return [made[value] for value in values]


class _Listing:
    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.names = Names()
        self.made: dict[Value, GraphTensor] = {}

    def region(self, given: Iterable[Value], nodes: Iterable[Node]) -> tuple[Operation, ...]:
        placeholders = [
            self.operation(value.name, "Placeholder", (), (value,), None) for value in given
        ]
        return *placeholders, *map(self.node, nodes)

    def node(self, node: Node) -> Operation:
        named = node.outputs[0].name if node.outputs else node.name
        hint = named or node.primitive.name
        inputs = tuple([self.made[value] for value in inputs_of(node)])
        made = self.operation(hint, op_type(node), inputs, node.outputs, node)
        made.regions = tuple([self.region(inner.parameters, inner.nodes) for inner in node.regions])
        return made

    def operation(
        self,
        hint: str,
        kind: str,
        inputs: Tensors,
        outputs: Sequence[Value],
        node: Node | None,
    ) -> Operation:
        made = Operation(self.names.of(hint), kind, inputs, outputs, node, self.graph)
        self.made.update(zip(outputs, made.outputs, strict=True))
        return made


_HELD = ("arguments", "options", "stream")

# The names of TensorFlow's ops for nodes that have no effect, and for those that have.
_BY_EFFECT = {
    COND: ("StatelessIf", "If"),
    WHILE: ("StatelessWhile", "While"),
    CALL: ("PartitionedCall", "StatefulPartitionedCall"),
}


def op_type(node: Node) -> str:
    """TensorFlow's name for the op of a node."""
    kinds = _BY_EFFECT.get(node.primitive)
    if kinds is not None:
        return kinds[has_effects((node,))]
    type = node.outputs[0].type if node.outputs else None
    if node.primitive is matmul_p and isinstance(type, TensorType) and len(type.shape or ()) > 2:
        return "BatchMatMulV2"
    if node.primitive is pad_p and node.params["mode"] != "CONSTANT":
        return "MirrorPad"
    return node.primitive.op_type


def attributes(node: Node) -> dict[str, Any]:
    """The parameters of a node that are values: no functions, of an exception its class."""
    found = {key: value for key, value in node.params.items() if key not in _HELD}
    if node.primitive is RAISE:
        found["exception"] = found["exception"].kind
    return found


def inputs_of(node: Node) -> tuple[Value, ...]:
    """Returns a node's inputs, then what its regions read from around them, each value once."""
    free = [value for region in node.regions for value in free_values(region)]
    return (*node.inputs, *dict.fromkeys(free))


def device_name(asked: str | None) -> str:
    """The device that a node was asked to run on, without job and task; "" for none."""
    return "" if asked is None else f"/device:{asked.partition('/device:')[2]}"
