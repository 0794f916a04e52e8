"""Dtypes in which nothing is computed: ops that do not take them compute in a wider one, and round
each result once. What moves elements takes them as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.primitive import TABLE, Primitive, bind, wide


def is_widened(primitive: Primitive, inputs: Sequence[Any]) -> bool:
    """True if inputs have a dtype in which nothing is computed, and the op takes a wider one."""
    if not primitive.letters:  # it may take what is no tensor
        return False
    given = [x.dtype.np_dtype for x in inputs]
    if dtypes.WIDENED.keys().isdisjoint(given):
        return False
    if primitive.takes(given) or not primitive.takes([wide(dtype) for dtype in given]):
        return False
    found: dict[str, np.dtype[Any]] = {}
    pairs = [(primitive.letter(at), dtype) for at, dtype in enumerate(given)]
    return all(letter == "i" or found.setdefault(letter, dtype) is dtype for letter, dtype in pairs)


def widened(primitive: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    """The results of an op that is computed in a wider dtype, each rounded once."""
    narrow = next(x.dtype for x in inputs if x.dtype.np_dtype in dtypes.WIDENED)
    wider, cast = dtypes.WIDENED[narrow.np_dtype], TABLE["cast"]
    given = [bind(cast, x, dtype=wider) if x.dtype is narrow else x for x in inputs]
    made = bind(primitive, *given, **params)
    results = made if type(made) is tuple else (made,)
    rounded = tuple(
        [
            bind(cast, y, dtype=narrow)
            if primitive.is_narrowed(at, y.dtype is wider, params)
            else y
            for at, y in enumerate(results)
        ]
    )
    return rounded if type(made) is tuple else rounded[0]
