"""Graphs as JSON and arrays: docs/graph-format.md says what is written."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.dataclasses import dataclass
from runtime.core.pickling import has_name
from runtime.core.tensor import EagerTensor
from runtime.core.types import ListType, NumberType, ObjectType, ResidualsType, TensorType
from runtime.dtypes import BY_NUMPY, WIDENED, DType
from runtime.graph.data import Opaque
from runtime.graph.ir import Callee, Graph, Node, Origin, Position, Region, Value
from runtime.graph.storage.type_syntax import type_text
from runtime.graph.structures import Structure, stored
from runtime.graph.templates import Container, Either, Raised, Slot, Written
from runtime.ops.random.seeds import Stream
from runtime.variables.handle import VariableHandle
from runtime.variables.variable import Variable

FEW = 16
"""Elements of an array that are written as text."""

Json = Any


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a parameter: its node, and the graph that it is in."""

    graph: str
    node: Node | None = None

    def refusal(self, item: object, hint: str) -> errors.UnimplementedError:
        """The error for an item of the node that is no data."""
        held = f"{self.graph} cannot be saved: it holds {item!r}, which no file can hold"
        if self.node is None:
            return errors.UnimplementedError(held, hint=hint)
        op, place = self.node.primitive.op_type, self.node.location
        return errors.UnimplementedError(None, op, held, location=place, hint=hint)


class Encoder:
    """Writes graphs; what they share is written once."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.resources: list[Json] = []
        self.places: list[Json] = []
        self.graphs: list[Json] = []
        self.residuals: list[ResidualsType] = []
        self._numbers: dict[str, dict[Any, int]] = {}
        self._origins: dict[Any, int] = {}
        self._held: list[Any] = []
        self._pending: list[Graph] = []
        self._values: dict[Value, int] = {}
        self._at = Place("a graph")

    def graph(self, graph: Graph) -> int:
        """The number of a graph, which is written with those that it calls."""
        number = self._called(graph)
        while self._pending:
            self.graphs.append(self._graph(self._pending.pop(0)))
        return number

    def document(self) -> dict[str, Json]:
        """All that was written, but for the arrays."""
        return {
            "graphs": self.graphs,
            "resources": self.resources,
            "residuals": [kind.name for kind in self.residuals],
            "places": self.places,
        }

    def _called(self, graph: Graph) -> int:
        return self._once(graph, lambda: self._pending.append(graph), "graph")

    def _once(self, item: Any, write: Callable[[], Any], kind: str) -> int:
        """The number of an item among those of its kind; it is written where it has none yet."""
        numbers = self._numbers.setdefault(kind, {})
        key = item if kind == "place" else id(item)
        if key not in numbers:
            numbers[key] = len(numbers)
            self._held.append(item)
            write()
        return numbers[key]

    # Structure

    def _graph(self, graph: Graph) -> Json:
        self._at = Place(graph.name)
        self._values = {}
        captures = [[*self._define(value), self.array(x.raw)] for value, x in graph.closure]
        return {"name": graph.name, "captures": captures, **self._region(graph.body)}

    def _region(self, region: Region) -> dict[str, Json]:
        return {
            "parameters": list(map(self._define, region.parameters)),
            "nodes": list(map(self._node, region.nodes)),
            "results": self._uses(region.results),
        }

    def _define(self, value: Value) -> list[Json]:
        if isinstance(value.type, ObjectType):
            raise self._at.refusal(
                value.type, "give it the tensors, and loop over the data outside"
            )
        number = self._values[value] = len(self._values)
        made = [number, value.name, type_text(value.type, self.residuals)]
        return [*made, value.index] if value.index else made

    def _uses(self, values: Iterable[Value]) -> list[int]:
        return [self._values[value] for value in values]

    def _node(self, node: Node) -> Json:
        self._at = Place(self._at.graph, node)
        made: dict[str, Json] = {"op": node.primitive.name}
        if node.inputs:
            made["inputs"] = self._uses(node.inputs)
        if node.params:
            made["params"] = {name: self.data(item) for name, item in node.params.items()}
        if node.regions:
            made["regions"] = list(map(self._region, node.regions))
        if node.outputs:
            made["outputs"] = list(map(self._define, node.outputs))
        if node.device is not None:
            made["device"] = node.device
        if node.origin is not None:
            made["at"] = self._place(node.origin)
        return made

    def _place(self, origin: Origin | Position) -> int:
        # A position is found slowly. Code objects are told apart quickly by their addresses only.
        parts = tuple([id(part) if isinstance(part, CodeType) else part for part in origin[:-1]])
        caller = None if origin.caller is None else self._place(origin.caller)
        known = self._origins.get((parts, caller))
        if known is not None:
            return known
        self._held.append(origin)
        entry = (*origin.position[:-1], caller)
        number = self._once(entry, lambda: self.places.append(list(entry)), "place")
        self._origins[parts, caller] = number
        return number

    # Data

    def data(self, item: Any) -> Json:
        """A parameter; errors.UnimplementedError for what is no data."""
        kind = type(item)
        if item is None or kind is bool or kind is str:
            return item
        if kind is tuple:
            return [self.data(part) for part in item]
        write = _WRITERS.get(kind)
        if write is not None:
            return write(self, item)
        if isinstance(item, np.generic):
            return {"scalar": self.array(np.asarray(item))}
        if getattr(kind, "is_rule", False):
            return self._rule(item)
        raise self.refusal(item)

    def refusal(self, item: object, hint: str = "") -> errors.UnimplementedError:
        """The error for an object of this process."""
        return self._at.refusal(item, hint or _WAY_OUT)

    def array(self, array: Any) -> Json:
        """An array: few elements as text, others as an entry of the archive, by its number."""
        array = np.asarray(array)
        dtype = BY_NUMPY[array.dtype]
        if array.dtype.kind == "O":
            texts = [self._text(element) for element in array.ravel()]
            return {"dtype": dtype.name, "shape": list(array.shape), "base64": texts}
        if dtype.np_dtype in WIDENED:
            # The format of NumPy's files has no name for it.
            return {"bits": self.array(array.view(np.uint16)), "dtype": dtype.name}
        is_text = array.dtype.kind in "biuf" and array.size <= FEW and array.flags.c_contiguous
        if is_text and bool(np.isfinite(array).all()):
            values = array.ravel().tolist()
            return {"dtype": dtype.name, "shape": list(array.shape), "values": values}
        return self._once(array, lambda: self.arrays.append(array), "array")

    def _text(self, element: Any) -> str:
        if not isinstance(element, bytes):
            raise self.refusal(element)
        return base64.b64encode(element).decode("ascii")

    def _int(self, item: int) -> Json:
        return item if -(2**53) <= item <= 2**53 else {"int": hex(item)}

    def _float(self, item: float) -> Json:
        return item if math.isfinite(item) else {"float": repr(item)}

    def _complex(self, item: complex) -> Json:
        return {"complex": [self._float(item.real), self._float(item.imag)]}

    def _bytes(self, item: bytes) -> Json:
        return {"bytes": self._text(item)}

    def _list(self, item: list[Any]) -> Json:
        return {"list": [self.data(part) for part in item]}

    def _dict(self, item: dict[Any, Any]) -> Json:
        return {"dict": [[self.data(key), self.data(part)] for key, part in item.items()]}

    def _dtype(self, item: DType) -> Json:
        return {"dtype": item.name}

    def _type(self, item: Any) -> Json:
        return {"type": type_text(item, self.residuals)}

    def _array(self, item: Any) -> Json:
        return {"array": self.array(item)}

    def _callee(self, item: Callee) -> Json:
        assert item.graph is not None
        return {"graph": [self._called(item.graph), item.name]}

    def _rule(self, rule: Any) -> Json:
        graph = None if rule.graph is None else self._called(rule.graph)
        error = rule.told()
        described = {"count": rule.count, "present": rule.present, "outer": len(rule.outer)}
        return {"rule": graph, **described, "error": None if error is None else str(error)}

    # What graphs use from outside

    def variable(self, handle: VariableHandle) -> int:
        """The number of a variable, which is written with its value."""
        return self._once(handle, lambda: self._add_variable(handle), "resource")

    def _add_variable(self, handle: VariableHandle) -> None:
        raw = handle.present()
        # A copy: the variable may be changed where it is before the file is written.
        value = None if raw is None else self.array(np.array(raw))
        described = {"variable": handle.name, "type": str(handle.type), "value": value}
        self.resources.append({**described, "trainable": handle.trainable})

    def _handle(self, handle: VariableHandle) -> Json:
        return {"resource": self.variable(handle)}

    def _variable(self, variable: Variable) -> Json:
        return {"read": self.variable(variable.handle)}

    def _stream(self, stream: Stream) -> Json:
        def add() -> None:
            self.resources.append({"stream": self.data(stream.place)})

        return {"resource": self._once(stream, add, "resource")}

    # Templates

    def _slot(self, slot: Slot) -> Json:
        return {"slot": type_text(slot.type, self.residuals)}

    def structure(self, structure: Structure) -> Json:
        """A structure: its class, and its keys or the number of its children."""
        kind, keys = stored(structure)
        return [self.named(kind), self.data(keys)]

    def _container(self, item: Container) -> Json:
        children = [self.data(child) for child in item.children]
        return {"container": self.structure(item.structure), "children": children}

    def _written(self, item: Written) -> Json:
        children = [self.data(child) for child in item.children]
        return {"text": item.function, "children": children, "keywords": [*item.keywords]}

    def _either(self, item: Either) -> Json:
        return {"either": self.data(item.held)}

    def _raised(self, item: Raised) -> Json:
        parts = {
            "args": item.args,
            "attributes": item.attributes,
            "given": item.given,
        }
        cause = None if item.cause is None else self._raised(item.cause)
        written = {name: self.data(part) for name, part in parts.items()}
        flag = item.suppresses_context
        return {"raise": self.named(item.kind), **written, "cause": cause, "suppresses": flag}

    def named(self, kind: type) -> str:
        """The name that a class is found by."""
        if not has_name(kind) or kind.__module__ == "__main__":
            raise self.refusal(kind, "define the class at the top of a module that can be imported")
        return f"{kind.__module__}:{kind.__qualname__}"

    def _opaque(self, item: Opaque) -> Json:
        held = item.item
        if type(held) is EagerTensor:
            return {"tensor": self.array(held.raw)}
        if isinstance(held, type):
            return {"class": self.named(held)}
        raise self.refusal(held)


_WAY_OUT = (
    "give it a number, a text, a tensor or a variable in its place, or leave it out of the function"
)
_WRITERS: dict[type, Callable[[Encoder, Any], Json]] = {
    int: Encoder._int,
    float: Encoder._float,
    complex: Encoder._complex,
    bytes: Encoder._bytes,
    list: Encoder._list,
    dict: Encoder._dict,
    DType: Encoder._dtype,
    np.ndarray: Encoder._array,
    Callee: Encoder._callee,
    VariableHandle: Encoder._handle,
    Variable: Encoder._variable,
    Stream: Encoder._stream,
    Slot: Encoder._slot,
    Container: Encoder._container,
    Written: Encoder._written,
    Either: Encoder._either,
    Raised: Encoder._raised,
    Opaque: Encoder._opaque,
    **dict.fromkeys((TensorType, NumberType, ListType, ResidualsType), Encoder._type),
}
