"""A Python sequence times an integer that only the run knows."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from autograph.users_words import with_article
from runtime import dtypes
from runtime.core.tensor import Tensor
from runtime.staging.refusals import refuse

_repeat: dict[type, Callable[[Any, Any], Any]] = {}


def register_repetition(kind: type, repeat: Callable[[Any, Any], Any]) -> None:
    """Let `repeat(items, times)` be a list, tuple or text times an integer of the graph."""
    _repeat[kind] = repeat


def repeated(items: Any, times: Any) -> Any:
    """A list, tuple or text times an integer of the graph, as Python repeats it; NotImplemented for
    others.

    StagingError for bytes and buffers, whose length only the run would know; TypeError for what
    Python does not repeat.
    """
    if not isinstance(items, _SEQUENCES) or not _may_count(times):
        return NotImplemented
    if isinstance(items, _NOT_REPEATED):
        raise TypeError(
            f"unsupported operand type(s) for *: {type(items).__name__!r} and 'int'; {_PRODUCT}"
        )
    for kind, repeat in _repeat.items():
        if isinstance(items, kind):
            return repeat(items, times)
    raise refuse(
        f"{with_article(type(items).__name__)} times an integer of the graph: only the "
        "run knows how long it is",
        f"a list, or tf.fill([n], value); {_PRODUCT}",
    )


_PRODUCT = "for the product of a tensor and the integer, tf.constant(items) * n"
_NOT_REPEATED = range, memoryview
_SEQUENCES = (list, tuple, str, bytes, bytearray, array, *_NOT_REPEATED)


def _may_count(number: Any) -> bool:
    if isinstance(number, Tensor):
        is_whole = number.dtype.is_integer or number.dtype == dtypes.bool
        return is_whole and number.static_shape == ()
    return bool(number.type.kind != "float")
