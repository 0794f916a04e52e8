"""The notation of a node, as the user would write it: the right-hand side of a printed line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from runtime.core.primitive import Primitive
from runtime.core.types import ListType, NumberType, ObjectType, ResidualsType, TensorType, Type
from runtime.graph import lists
from runtime.graph.data import Opaque
from runtime.graph.format.unique_names import Names
from runtime.graph.ir import Callee, Graph, Node
from runtime.graph.nodes import CONSTANT, RAISE, UNDEFINED
from runtime.graph.templates import PRINT, text_of
from runtime.ops.math import cast_p

MOST_LETTERS = 40
"""Of an array, or of one element of it."""

# What says nothing to who reads: functions, streams of random numbers, texts of messages.
# And types, for the binder of the result says them already.
_HIDDEN = frozenset(("dynamic", "element", "exact", "stream", "type", "types", "what"))
# What stands in the text only where it is something else.
_USUAL: dict[str, tuple[Any, ...]] = {
    "adjoint": (False,),
    "align": ("RIGHT_LEFT",),
    "antialias": (False,),
    "batch_dims": (0,),
    "batched": (False,),
    "descending": (False,),
    "dilations": ((1,), (1, 1), (1, 1, 1)),
    "exclusive": (False,),
    "k": ((0, 0),),
    "keepdims": (False,),
    "negative": (False,),
    "placeholder": ("{}",),
    "reverse": (False,),
    "summarize": (3,),
    "transpose_a": (False,),
    "transpose_b": (False,),
}


def expression(node: Node, inputs: Sequence[str]) -> str:
    """Returns the expression that the node computes, with these texts for its inputs."""
    form = _FORMS.get(node.primitive) or node.primitive.text
    if form is not None:
        return form(node.params, inputs)
    if node.primitive.method:
        return f"{_variable(node)}.{node.primitive.method}({', '.join(inputs)})"
    if "parts" in node.params:
        return _with_template(node, inputs)
    given, params = _dims_filled(node, inputs)
    return f"{node.primitive.name}({', '.join([*given, *_named(node, params)])})"


class CalledGraphs:
    """A graph and those that it calls, each with a name of its own; `pending` are to be shown."""

    def __init__(self, graph: Graph) -> None:
        self.taken = Names()
        self.names = {graph: self.taken.of(graph.name)}
        self.pending: list[Graph] = []

    def call(self, callee: Callee) -> str:
        """The name of a graph that is called, which is to be shown too."""
        graph = callee.graph
        if graph is None:
            return callee.name
        if graph not in self.names:
            self.names[graph] = self.taken.of(graph.name)
            self.pending.append(graph)
        return self.names[graph]


def device_of(node: Node) -> str | None:
    """The device that the user asked for, as in "CPU:1"."""
    return node.device.partition("/device:")[2] if node.device else None


# Parameters


def notes(node: Node, inputs: Sequence[str]) -> list[str]:
    """Returns the notes beside a node's op: its parameters, as in "axis=0", or all of it where it
    has a notation of its own.
    """
    if _has_form(node) or "parts" in node.params:
        return [expression(node, inputs)]
    return list(_named(node, _dims_filled(node, inputs)[1]))


def _has_form(node: Node) -> bool:
    primitive = node.primitive
    return bool(primitive in _FORMS or primitive.text or primitive.method)


def _named(node: Node, params: dict[str, Any]) -> Iterator[str]:
    for name, value in params.items():
        if name not in _HIDDEN and not _is_usual(node, name, value):
            yield f"{name}={_variable(node) if name == 'variable' else describe(value)}"


def _is_usual(node: Node, name: str, value: Any) -> bool:
    if value is None or any(value == usual for usual in _USUAL.get(name, ())):
        return True
    result = node.outputs[0].type if node.outputs else None
    if name != "dtype" or node.primitive is cast_p:
        return False
    return isinstance(result, TensorType) and result.dtype is value


def _dims_filled(node: Node, inputs: Sequence[str]) -> tuple[Sequence[str], dict[str, Any]]:
    """Inputs and parameters, where inputs that are dimensions of a `shape` stand in it."""
    params = dict(node.params)
    shape: Any = params.get("shape")
    unknown = shape.count(None) if isinstance(shape, tuple) else 0
    last = node.inputs[len(node.inputs) - unknown :]
    if not unknown or len(last) < unknown or not all(_is_dimension(value.type) for value in last):
        return inputs, params
    dims = iter(inputs[-unknown:])
    filled = [next(dims) if dim is None else str(dim) for dim in shape]
    params["shape"] = _Text(f"({', '.join(filled)}{',' if len(filled) == 1 else ''})")
    return inputs[:-unknown], params


def _is_dimension(type: Any) -> bool:
    return isinstance(type, TensorType) and type.shape == () and type.dtype.is_integer


class _Text(str):
    """A text that stands as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


# Forms


def _variable(node: Node) -> str:
    name: str = node.params["variable"].name
    return name.removesuffix(":0")


def _constant(params: Any, inputs: Sequence[str]) -> str:
    return describe(params["value"])


def _list(params: Any, inputs: Sequence[str]) -> str:
    """The items at their places, None where there is none."""
    items = dict(zip(params.get("places", ()), inputs, strict=True))
    return f"[{', '.join([items.get(at, 'None') for at in range(params.get('size', 0))])}]"


def _undefined(params: Any, inputs: Sequence[str]) -> str:
    return "undefined"


def _print(params: Any, inputs: Sequence[str]) -> str:
    names = iter(inputs)
    return f"print({', '.join([text_of(item, names) for item in params['arguments']])})"


def _raise(params: Any, inputs: Sequence[str]) -> str:
    return f"raise {params['exception'].text(inputs)}"


def _with_template(node: Node, inputs: Sequence[str]) -> str:
    """An op that writes text around values: the text, with {} where the values stand."""
    parts = [part if isinstance(part, str) else "{}" for part in node.params["parts"]]
    separator = "" if node.primitive.effect else " "
    template = repr(separator.join(parts).removesuffix("\n"))
    before = len(inputs) - parts.count("{}")
    params = {key: value for key, value in node.params.items() if key != "parts"}
    arguments = [*inputs[:before], template, *inputs[before:], *_named(node, params)]
    return f"{node.primitive.name}({', '.join(arguments)})"


_FORMS: dict[Primitive, Callable[[Any, Sequence[str]], str]] = {
    lists.OF: _list,
    CONSTANT: _constant,
    PRINT: _print,
    RAISE: _raise,
    UNDEFINED: _undefined,
}

# Values


def describe(value: Any) -> str:
    """A parameter of a node as text, on one line."""
    value = value.item if type(value) is Opaque else getattr(value, "raw", value)
    if hasattr(value, "tolist"):
        return _array(value)
    if isinstance(value, tuple | list):
        inner = ", ".join(map(describe, value))
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"({inner}{comma})" if isinstance(value, tuple) else f"[{inner}]"
    if hasattr(value, "as_numpy_dtype"):
        return str(value.name)
    if isinstance(value, TensorType | NumberType | ListType | ResidualsType | ObjectType):
        return str(value)
    if callable(value) or vars(object)["__repr__"] is type(value).__repr__:
        return getattr(value, "__qualname__", None) or type(value).__name__
    return repr(value)


def is_scalar(value: Any) -> bool:
    """True if a constant is short enough to stand where it is used."""
    return isinstance(value, bool | int | float) or getattr(value, "shape", None) == ()


def literal(type: Type, value: Any) -> str:
    """A scalar constant as text: with its dtype if it is a tensor."""
    text = describe(value)
    return f"{type.dtype.name}({text})" if isinstance(type, TensorType) else text


def _array(array: Any) -> str:
    """The array, or the first elements of each axis; what binds it says its dtype and shape."""
    # What is not shown is not made text either: a weight may have millions of elements.
    texts = (_elements(array, most) for most in (10, 3, 2))
    return next((text for text in texts if len(text) <= MOST_LETTERS), None) or _elements(array, 1)


def _elements(array: Any, most: int) -> str:
    if not array.ndim:
        return _element(array)
    shown = [_elements(array[place, ...], most) for place in range(min(len(array), most))]
    return f"[{', '.join(shown + ['...'] * (len(array) > most))}]"


def _element(item: Any) -> str:
    # NumPy writes the fewest digits that make the number in its own precision.
    text = str(item[()]) if item.dtype.kind in "fc" else repr(item.item())
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 4]}...{text[-1]}"
