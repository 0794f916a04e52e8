"""The signature of a trace as text: types of tensors, and the Python values it was made for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.core.shapes import TensorSpec
from runtime.core.types import ListType, NumberType, ObjectType, TensorType
from runtime.functions.parameters import Arguments
from runtime.functions.retracing import describe, shortened
from runtime.functions.signatures import Reference
from runtime.graph.structures import container_text, structure_of


def signature_text(signature: Arguments, labels: Sequence[str]) -> str:
    """`x: float32[2], n=3`: a parameter has a type where calls pass a value, and the value where
    the trace has fixed it.
    """
    args, kwargs = signature
    pairs = [*zip(labels, args, strict=False), *kwargs.items()]
    return ", ".join([_parameter(name, value) for name, value in pairs])


def signature_lines(
    signature: Arguments, labels: Sequence[str], result: Any, captures: Iterable[tuple[str, Any]]
) -> str:
    """The signature as TensorFlow prints it, a parameter a line. `result` has specs in place of
    tensors, `captures` are named specs.
    """
    args, kwargs = signature
    lines = ["Input Parameters:"]
    lines += [
        f"  {name} (POSITIONAL_OR_KEYWORD): {_typed(value)}"
        for name, value in zip(labels, args, strict=False)
    ]
    lines += [f"  {name} (KEYWORD_ONLY): {_typed(value)}" for name, value in kwargs.items()]
    lines += ["Output Type:", f"  {_typed(result)}", "Captures:"]
    return "\n".join([*lines, *([f"  {name}: {spec!r}" for name, spec in captures] or ["  None"])])


def _typed(value: Any) -> str:
    if isinstance(value, TensorSpec):
        # Without its name: that of the parameter stands before it.
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, ListType | NumberType | ObjectType | Reference):
        return _text(value)
    found = structure_of(value)
    if found is None:
        return f"Literal[{shortened(repr(value))}]"
    structure, children = found
    parts = list(map(_typed, children))
    if isinstance(structure.keys, int):
        return f"{structure.kind.__name__.title()}[{', '.join(parts)}]"
    paths = [structure.path(place) for place in range(len(parts))]
    is_dict = structure.handler.path == "[{}]"
    keys = [path[1:-1] if is_dict else repr(path[1:]) for path in paths]
    pairs = [f"[{key}, {part}]" for key, part in zip(keys, parts, strict=True)]
    return f"{'Dict' if is_dict else structure.kind.__name__}[{', '.join(pairs)}]"


def _parameter(name: str, value: Any) -> str:
    is_type = isinstance(value, TensorSpec | ListType | NumberType | ObjectType)
    return f"{name}{': ' if is_type else '='}{_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, TensorSpec):
        return str(TensorType(value.dtype, value.shape.dims))
    if isinstance(value, ListType | NumberType | ObjectType):
        return str(value)
    if isinstance(value, Reference):
        return f"<{describe(value)}>"
    found = structure_of(value)
    if found is None:
        return shortened(repr(value))
    structure, children = found
    return container_text(structure, list(map(_text, children)))
