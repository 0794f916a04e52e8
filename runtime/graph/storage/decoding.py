"""Graphs out of JSON and arrays, the opposite of `encoding`. Nothing in a file is executed, and no
module is imported that is not the library's own.
"""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from runtime.core.tensor import EagerTensor, wrap
from runtime.core.types import ResidualsType, TensorType
from runtime.dtypes import BY_NUMPY, as_dtype
from runtime.graph.data import Opaque
from runtime.graph.ir import Callee, Graph, Node, Position, Region, Value
from runtime.graph.storage.primitives import primitive_named
from runtime.graph.storage.type_syntax import type_of
from runtime.graph.structures import Structure
from runtime.graph.structures import restored as restored_structure
from runtime.graph.templates import FUNCTIONS, Container, Either, Raised, Slot, Written
from runtime.graph.verification import InvalidGraph, verify
from runtime.ops.random.seeds import Stream
from runtime.variables.variable import Variable, restored

Json = Any

_TRACER = "runtime.functions.function_tracing"

MALFORMED = (
    *(KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError),
    *(InvalidGraph, OverflowError, binascii.Error, RecursionError),
)
"""The exceptions of reading a document that breaks the format."""


class Unknown(Exception):
    """The file is well made, and asks for what is not there: an op, a class."""


class Decoder:
    """Reads the graphs of a document, whose arrays are in an archive of their own.

    Raises one of MALFORMED for a document that breaks the format, and Unknown.
    """

    def __init__(self, document: dict[str, Json], arrays: Sequence[Any]) -> None:
        self._arrays = arrays
        self._residuals = [ResidualsType(name) for name in document["residuals"]]
        self.variables: dict[int, Variable] = {}
        self._resources = list(map(self._resource, document["resources"], range(2**31)))
        self._places: list[Position] = []
        for entry in document["places"]:
            self._places.append(self._place(*entry))
        self._values: dict[int, Value] = {}
        self._callees: list[tuple[int, Any]] = []
        self.graphs = list(map(self._graph, document["graphs"]))
        for number, callee in self._callees:
            callee.graph = self.graphs[number]
        for graph in self.graphs:
            verify(graph, types=True)

    def _place(self, *entry: Json) -> Position:
        *stretch, caller = entry
        _check(list(map(type, stretch)) == [str] * 3 + [int] * 4)
        filename, function, qualname, line, column, end_line, end_column = stretch
        outer = None if caller is None else self._places[caller]
        return Position(
            filename, function, qualname, line, column, end_line, end_column, outer
        )  # fmt: skip

    # Structure

    def _graph(self, entry: Json) -> Graph:
        self._values = {}
        closure = tuple(
            [(self._value(value), self._tensor(array)) for *value, array in entry["captures"]]
        )
        return Graph(_text(entry["name"]), self._region(entry), closure)

    def _region(self, entry: Json) -> Region:
        parameters = tuple(map(self._value, entry["parameters"]))
        nodes = tuple(map(self._node, entry["nodes"]))
        return Region(parameters, nodes, self._uses(entry["results"]))

    def _value(self, entry: Json) -> Value:
        number, name, type, *index = entry
        _check(number not in self._values)
        made = Value(type_of(_text(type), self._residuals), _text(name), *index)
        self._values[number] = made
        return made

    def _uses(self, numbers: Sequence[int]) -> tuple[Value, ...]:
        return tuple([self._values[number] for number in numbers])

    def _node(self, entry: Json) -> Node:
        name = _text(entry["op"])
        primitive = primitive_named(name)
        if primitive is None:
            raise Unknown(f"there is no op {name!r} here")
        inputs = self._uses(entry.get("inputs", ()))
        params = {key: self.data(item) for key, item in entry.get("params", {}).items()}
        # They become the names of arguments.
        _check(all(map(str.isidentifier, params)))
        regions = tuple(map(self._region, entry.get("regions", ())))
        outputs = tuple(map(self._value, entry.get("outputs", ())))
        place = entry.get("at")
        origin = None if place is None else self._places[place]
        device = entry.get("device")
        return Node(primitive, inputs, outputs, params, regions, origin, device and _text(device))

    # Data

    def data(self, item: Json) -> Any:
        """A parameter."""
        if type(item) is list:
            return tuple(map(self.data, item))
        if type(item) is not dict:
            return item
        return _READERS[next(iter(item), "")](self, item)

    def array(self, entry: Json) -> Any:
        """An array."""
        if type(entry) is int:
            return self._arrays[entry]
        if "bits" in entry:
            return self.array(entry["bits"]).view(as_dtype(entry["dtype"]).np_dtype)
        dtype, shape = as_dtype(entry["dtype"]).np_dtype, entry["shape"]
        if "base64" not in entry:
            return np.array(entry["values"], dtype).reshape(shape)
        made = np.empty(len(entry["base64"]), object)
        made[:] = [base64.b64decode(text, validate=True) for text in entry["base64"]]
        return made.reshape(shape)

    def _tensor(self, entry: Json) -> EagerTensor:
        return wrap(self.array(entry))

    def _callee(self, entry: Json) -> Callee:
        number, name = entry["graph"]
        made = Callee(_text(name))
        self._callees.append((number, made))
        return made

    def _rule(self, entry: Json) -> Any:
        from runtime.autodiff.custom import StagedRule

        count, present, outer = (entry[name] for name in ("count", "present", "outer"))
        made = StagedRule.restored(count, present, outer, entry["error"])
        if entry["rule"] is not None:
            self._callees.append((entry["rule"], made))
        return made

    def _resource(self, entry: Json, number: int) -> Any:
        if "stream" in entry:
            return Stream.at(self.data(entry["stream"]))
        type = type_of(entry["type"], ())
        assert isinstance(type, TensorType)
        value = None if entry["value"] is None else self.array(entry["value"])
        _check(value is None or BY_NUMPY[value.dtype] is type.dtype)
        made = restored(value, entry["variable"], type, entry["trainable"])
        self.variables[number] = made
        return made.handle

    def structure(self, entry: Json) -> Structure:
        kind, keys = class_named(entry[0]), self.data(entry[1])
        if isinstance(keys, dict):
            import_module(_TRACER)  # where lists are of which only the run knows the items
        found = restored_structure(kind, keys)
        if found is None:
            raise Unknown(f"{entry[0]} is no class of containers here")
        return found

    def _container(self, entry: Json) -> Container:
        children = tuple(map(self.data, entry["children"]))
        return Container(self.structure(entry["container"]), children)

    def _written(self, entry: Json) -> Written:
        children = tuple(map(self.data, entry["children"]))
        keywords = tuple(map(_text, entry["keywords"]))
        _check(entry["text"] in FUNCTIONS and len(keywords) <= len(children))
        return Written(entry["text"], children, keywords)

    def _either(self, entry: Json) -> Either:
        return Either(Slot(type_of("py.bool", ())), self.data(entry["either"]))

    def _raised(self, entry: Json) -> Raised:
        kind = class_named(entry["raise"])
        _check(issubclass(kind, BaseException))
        args, attributes, given = (self.data(entry[x]) for x in ("args", "attributes", "given"))
        cause = entry["cause"] and self._raised(entry["cause"])
        return Raised(kind, args, attributes, given, cause, bool(entry["suppresses"]))

    def _float(self, entry: Json) -> float:
        _check(entry["float"] in ("nan", "inf", "-inf"))
        return float(entry["float"])

    def _complex(self, entry: Json) -> complex:
        return complex(*map(self.data, entry["complex"]))


def class_named(name: str) -> type:
    """The class of a name, in a module that is imported already; Unknown where there is none."""
    module, _, path = name.partition(":")
    if module not in sys.modules:
        raise Unknown(f"the class {path} is in the module {module}, which is not imported")
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise Unknown(f"the module {module} has no class {path}")
    return found


def _text(item: Json) -> str:
    _check(type(item) is str)
    return item  # type: ignore[no-any-return]


def _check(holds: bool) -> None:
    if not holds:
        raise ValueError("not as the format says")


_READERS: dict[str, Callable[[Decoder, Json], Any]] = {
    "array": lambda self, entry: self.array(entry["array"]),
    "bytes": lambda self, entry: base64.b64decode(entry["bytes"], validate=True),
    "class": lambda self, entry: Opaque(class_named(entry["class"])),
    "complex": Decoder._complex,
    "container": Decoder._container,
    "dict": lambda self, entry: {self.data(key): self.data(x) for key, x in entry["dict"]},
    "dtype": lambda self, entry: as_dtype(entry["dtype"]),
    "either": Decoder._either,
    "float": Decoder._float,
    "graph": Decoder._callee,
    "int": lambda self, entry: int(entry["int"], 16),
    "list": lambda self, entry: list(map(self.data, entry["list"])),
    "raise": Decoder._raised,
    "read": lambda self, entry: self.variables[entry["read"]],
    "resource": lambda self, entry: self._resources[entry["resource"]],
    "rule": Decoder._rule,
    "scalar": lambda self, entry: self.array(entry["scalar"])[()],
    "slot": lambda self, entry: Slot(type_of(entry["slot"], self._residuals)),
    "text": Decoder._written,
    "tensor": lambda self, entry: Opaque(self._tensor(entry["tensor"])),
    "type": lambda self, entry: type_of(entry["type"], self._residuals),
}
