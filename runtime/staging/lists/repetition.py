"""A Python sequence times an integer that only the run knows."""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any

from autograph.users_words import with_article
from runtime import dtypes
from runtime.core.tensor import Tensor
from runtime.staging.control.references import want_asked
from runtime.staging.lists.growing import Growing
from runtime.staging.refusals import refuse


def repeated(items: Any, times: Any, in_place: bool = False) -> Any:
    """A list, tuple or text times an integer of the graph, as Python repeats it; NotImplemented for
    others. `in_place` tells of `items *= times`.

    StagingError for bytes and buffers, whose length only the run would know; TypeError for what
    Python does not repeat.
    """
    if not issubclass(items.__class__, _SEQUENCES) or not _may_count(times):
        return NotImplemented
    if isinstance(items, _NOT_REPEATED):
        raise TypeError(
            f"unsupported operand type(s) for *: {type(items).__name__!r} and 'int'; {_PRODUCT}"
        )
    if isinstance(items, Growing):
        return items * times
    from runtime.staging.lists.growing_list import GrowingList
    from runtime.staging.lists.growing_tuple import grown_tuple
    from runtime.staging.texts import index_of, unchecked

    if isinstance(items, str):
        return unchecked(str.__mul__, items, index_of(times))
    if in_place and type(items) is list:
        want_asked()  # Traced once more, it is a list of the graph, and changes under all names.
        raise refuse(
            "a list is repeated in place, as often as only the run knows",
            "write items = items * n",
        )
    if isinstance(items, list | tuple):
        made = GrowingList(items) * times
        return grown_tuple(made) if isinstance(items, tuple) else made
    raise refuse(
        f"{with_article(type(items).__name__)} times an integer of the graph: only the "
        "run knows how long it is",
        f"a list, or tf.fill([n], value); {_PRODUCT}",
    )


_PRODUCT = "for the product of a tensor and the integer, tf.constant(items) * n"
_NOT_REPEATED = range, memoryview
_SEQUENCES = (list, tuple, deque, str, bytes, bytearray, array, *_NOT_REPEATED)


def _may_count(number: Any) -> bool:
    if isinstance(number, Tensor):
        is_whole = number.dtype.is_integer or number.dtype == dtypes.bool
        return is_whole and number.static_shape == ()
    return bool(number.type.kind != "float")
