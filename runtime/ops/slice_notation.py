"""Ops on slices as graphs print them, from their parameters and the texts of their inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def part(params: Any, inputs: Sequence[str]) -> str:
    """A slice."""
    return f"{inputs[0]}[{_index(params['spec'], inputs[1:])}]"


def set_slice(params: Any, inputs: Sequence[str]) -> str:
    """A tensor with another in the place of a slice."""
    index = _index(params["spec"], inputs[2:])
    return f"{inputs[0]} with [{index}] = {inputs[1]}"


def unslice(params: Any, inputs: Sequence[str]) -> str:
    """Zeros with a tensor in the place of a slice: its gradient."""
    spec = params["spec"]
    count = sum(part == "?" for entry in spec for part in _parts(entry))
    index = _index(spec, inputs[len(inputs) - count :])
    return f"unslice({', '.join([*inputs[: len(inputs) - count], f'[{index}]'])})"


def _parts(entry: Any) -> Sequence[Any]:
    return entry if type(entry) is tuple else (entry,)


def box(params: Any, inputs: Sequence[str]) -> str:
    """A slice by its begin and size."""
    dims = iter(inputs[1:])
    box = [next(dims) if dim is None else str(dim) for dim in params["box"]]
    begin, size = box[: len(box) // 2], box[len(box) // 2 :]
    return f"slice({inputs[0]}, begin=[{', '.join(begin)}], size=[{', '.join(size)}])"


def _index(spec: Sequence[Any], dynamic: Sequence[str]) -> str:
    values = iter(dynamic)
    return ", ".join([_entry(entry, values) for entry in spec])


def _entry(entry: Any, values: Iterator[str]) -> str:
    if type(entry) is not tuple:
        return {"newaxis": "None", "?": ""}.get(entry, str(entry)) or next(values)
    parts = [next(values) if part == "?" else "" if part is None else str(part) for part in entry]
    return ":".join(parts[:2] if parts[2] in ("", "1") else parts)
