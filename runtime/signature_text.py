"""The signature of a trace as one line: types of tensors, and the Python values it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.graph.parameters import Arguments
from runtime.graph.signatures import Reference
from runtime.graph.structures import Structure, structure_of
from runtime.retracing import describe, shortened
from runtime.shapes import TensorSpec
from runtime.types import ListType, NumberType, TensorType


def signature_text(signature: Arguments, labels: Sequence[str]) -> str:
    """`x: float32[2], n=3`: a parameter has a type where calls pass a value, and the value where
    the trace has fixed it.
    """
    args, kwargs = signature
    pairs = [*zip(labels, args, strict=False), *kwargs.items()]
    return ", ".join([_parameter(name, value) for name, value in pairs])


def _parameter(name: str, value: Any) -> str:
    is_type = isinstance(value, TensorSpec | ListType | NumberType)
    return f"{name}{': ' if is_type else '='}{_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, TensorSpec):
        return str(TensorType(value.dtype, value.shape.dims))
    if isinstance(value, ListType | NumberType):
        return str(value)
    if isinstance(value, Reference):
        return f"<{describe(value)}>"
    found = structure_of(value)
    if found is None:
        return shortened(repr(value))
    structure, children = found
    return _structure(structure, list(map(_text, children)))


def _structure(structure: Structure, parts: Sequence[str]) -> str:
    """A container in Python's notation, with these texts for its children."""
    if isinstance(structure.keys, int):
        comma = "," if structure.kind is tuple and len(parts) == 1 else ""
        return f"[{', '.join(parts)}]" if structure.kind is list else f"({', '.join(parts)}{comma})"
    paths = [structure.path(place) for place in range(len(parts))]
    if structure.handler.path == "[{}]":
        pairs = [f"{path[1:-1]}: {part}" for path, part in zip(paths, parts, strict=True)]
        return f"{{{', '.join(pairs)}}}"
    pairs = [f"{path[1:]}={part}" for path, part in zip(paths, parts, strict=True)]
    return f"{structure.kind.__name__}({', '.join(pairs)})"
