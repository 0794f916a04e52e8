"""The node that tells how an op would fail, before a `try` of the user's: nothing is raised."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.primitive import TABLE, Primitive, structural
from runtime.graph.nodes import INT


def _probe(
    *values: Any,
    op: str,
    given: Mapping[str, Any],
    kinds: tuple[str, ...],
    numbers: tuple[int, ...],
) -> int:
    """0 if the op works on these values, else the number for the class of what it raises."""
    from runtime.graph.executors.failures import documented_kind

    primitive = TABLE[op]
    try:
        with np.errstate(all="ignore"):
            primitive.kernel(*values, **given)
    except Exception as error:  # all but these classes is raised by the op itself
        found = documented_kind(error, primitive)
        for name, number in zip(kinds, numbers, strict=True):
            if issubclass(found, kind_named(name)):
                return number
    return 0


_PLACES = builtins, np.linalg, errors


def kind_named(name: str) -> type[BaseException]:
    """The class of exceptions of this name: one of Python's, of NumPy's, or of `rt.errors`."""
    found = next((vars(place)[name] for place in _PLACES if name in vars(place)), None)
    if not isinstance(found, type) or not issubclass(found, BaseException):
        raise errors.InvalidValueError(f"{name!r} is no class of exceptions")
    return found


def has_name(kind: type[BaseException]) -> bool:
    """Whether a class of exceptions is found by its name."""
    return any(vars(place).get(kind.__name__) is kind for place in _PLACES)


PROBE: Primitive = structural("probe", _probe, lambda *_, **__: INT, op_type="Probe")
