"""Arithmetic of integers that may be Python's: exact, as theirs is.

Where a Python int meets an integer tensor under one name, both have the tensor's dtype from there
on. With a small one the next result fits as well. With a large one, as `sys.maxsize` before the
first smaller item, the next `+` or `*` wraps around where Python's ints grow. Where a trace has
such a meeting, its arithmetic on signed integer scalars becomes that of Python numbers:

Before:
    sub: int64[] = sub(high, low)
    less: bool[] = less(width, sub)
After:
    item: py.int = py.item_int(high)
    item_1: py.int = py.item_int(low)
    sub: py.int = py.sub(item, item_1)
    item_2: py.int = py.item_int(width)
    less: py.bool = py.lt(item_2, sub)

Where a tensor is asked for, such a number becomes one again, which raises if it does not fit. So it
is in the functions that the trace calls, and in those that call what has met such a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any, TypeAlias

from runtime.core.primitive import TABLE, Primitive
from runtime.core.types import TensorType, Type
from runtime.dtypes import DType
from runtime.graph import numbers
from runtime.graph.ir import Callee, Graph, Node, Origin, Position, Region, Value, walk
from runtime.graph.nodes import BOOL, CONSTANT, INT, TO_TENSOR
from runtime.graph.passes.rewriting import Rewriter

if TYPE_CHECKING:
    from runtime.staging.tracing import Trace

Unique: TypeAlias = Callable[[str], str]


def note_meeting(trace: Trace, number: Any, type: TensorType) -> None:
    """Note that a Python number, staged or not, becomes a tensor of this type where paths meet."""
    if _is_signed(type.dtype):
        trace.met.append((number, type.dtype))


def exact(graph: Graph, unique: Unique) -> Graph:
    """The graph with exact arithmetic of integers, and with calls of such graphs.

    `unique` makes the names of its values.
    """
    return _Exact(unique, {}).graph(graph)


def has_met_large(graph: Graph, trace: Trace) -> bool:
    """Whether the trace of a graph, or that of a function that it calls, has met a large Python
    int.
    """
    if trace.called_exact:
        return True
    computed = set()
    for number, dtype in trace.met:
        if not isinstance(number, int):
            computed.add(dtype)
        elif _is_large(number, dtype):
            return True
    # One that the run computes may be as large as those that it comes from.
    return bool(computed) and any(
        _is_large(node.params["value"], dtype)
        for node in walk(graph.body)
        if node.primitive is CONSTANT and isinstance(node.params["value"], int)
        for dtype in computed
    )


def _is_large(number: int, dtype: DType) -> bool:
    return number * number > int(dtype.max)  # a product of two may wrap around


def _is_signed(dtype: DType) -> bool:
    return dtype.is_integer and not dtype.is_unsigned


_ROWS = {row.instruction: row for row in (*numbers.BINARY.values(), *numbers.UNARY.values())}
_ROWS[TABLE["minimum"].instruction] = numbers.MIN
_ROWS[TABLE["maximum"].instruction] = numbers.MAX
"""The functions of Python numbers that do what ops do on tensors, by the instructions of those."""


class _Exact(Rewriter):
    """`numbers` has the Python number of what would be a tensor, `tensors` the tensors that were
    made of such where one was asked for, `called` what is called in place of a graph.
    """

    def __init__(self, unique: Unique, made: dict[Graph, Callee]) -> None:
        super().__init__()
        self.unique = unique
        self.called = made
        self.numbers: dict[Value, Value] = {}
        self.tensors: dict[Value, Value] = {}
        self.origin: Origin | Position | None = None

    def region(self, region: Region) -> Region:
        around, self.tensors = self.tensors, dict(self.tensors)
        made = super().region(region)
        self.tensors = around
        return made

    def renamed(self, node: Node) -> Node:
        """The node, whose numbers remain such where it becomes one on numbers."""
        self.origin = node.origin
        return node if self.on_numbers(node) else super().renamed(node)

    def node(self, node: Node) -> None:
        if node.primitive is TO_TENSOR and _is_signed_scalar(node.outputs[0].type):
            self.numbers[node.outputs[0]] = node.inputs[0]
            return
        primitive = self.on_numbers(node)
        if primitive is None:
            super().node(self.calling(node) if "callee" in node.params else node)
            return
        inputs = tuple([self.number(value) for value in node.inputs])
        self.numbers[node.outputs[0]] = self.made(primitive, *inputs)

    def calling(self, node: Node) -> Node:
        """The call of a graph with exact arithmetic, if that one is known already."""
        graph = node.params["callee"].graph
        if graph is None:
            return node
        if graph not in self.called:
            self.called[graph] = callee = Callee(node.params["callee"].name)
            callee.graph = _Exact(_unlike(graph), self.called).graph(graph)
        return replace(node, params={**node.params, "callee": self.called[graph]})

    def on_numbers(self, node: Node) -> Primitive | None:
        """The primitive that does on Python numbers what the node does on tensors, if the result
        may be larger.
        """
        row = _ROWS.get(node.primitive.instruction)
        if row is None or not all(_is_signed_scalar(value.type) for value in node.inputs):
            return None
        kind = row.infer(*[INT for _ in node.inputs])
        if kind == BOOL:
            return row if any(value in self.numbers for value in node.inputs) else None
        # A second one that only the run knows may be zero, or ask for a result of any length.
        if kind != INT or (row.fallible and (self.constant(node.inputs[1]) or 0) <= 0):
            return None
        return row

    def values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        if any(value in self.numbers for value in values):
            return tuple([self.tensor(value) for value in super().values(values)])
        return super().values(values)

    def number(self, value: Value) -> Value:
        """The Python number of an integer scalar."""
        made = self.numbers.get(value)
        return self.made(numbers.ITEMS["int"], value) if made is None else made

    def tensor(self, value: Value) -> Value:
        """The tensor of a value that may have become a number."""
        number = self.numbers.get(value)
        if number is None:
            return value
        if value not in self.tensors:
            assert isinstance(value.type, TensorType)
            self.tensors[value] = self.made(TO_TENSOR, number, dtype=value.type.dtype)
        return self.tensors[value]

    def made(self, primitive: Primitive, *inputs: Value, **params: Any) -> Value:
        """The value of a node that is added for the one that is being rewritten."""
        type = primitive.infer(*[value.type for value in inputs], **params)
        output = Value(type, self.unique(primitive.word))
        self.add(Node(primitive, inputs, (output,), params, (), self.origin))
        return output


def _unlike(graph: Graph) -> Unique:
    """Returns what makes names that no value of a graph has."""
    taken = {value.name for value in graph.parameters}
    for node in walk(graph.body):
        made = *node.outputs, *chain(*[region.parameters for region in node.regions])
        taken.update(value.name for value in made)

    def unique(name: str) -> str:
        made = next(made for at in count() if (made := f"{name}_{at}") not in taken)
        taken.add(made)
        return made

    return unique


def _is_signed_scalar(type: Type) -> bool:
    return isinstance(type, TensorType) and type.shape == () and _is_signed(type.dtype)
