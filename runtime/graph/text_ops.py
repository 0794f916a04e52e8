"""Texts that graphs make of the values of a run, and numbers of such texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.convert import encoded
from runtime.core.primitive import structural
from runtime.core.types import TensorType, Type
from runtime.graph.templates import filling


def _prepared(*, template: Any, type: Type) -> Callable[..., Any]:
    fill = filling(template)

    def text(*values: Any) -> Any:
        made = fill(iter(values))
        if isinstance(made, str):
            return np.array(encoded(made), object)
        if isinstance(made, list | tuple):
            return np.array([encoded(each) for each in made], object)
        return made

    return text


def _text(*values: Any, template: Any, type: Type) -> Any:
    return _prepared(template=template, type=type)(*values)


TEXT = structural(
    "py.text", _text, lambda *_, template, type: type, op_type="PyText", fallible=True,
    python=True, raises=(ValueError, TypeError, IndexError, OverflowError), prepared=_prepared,
)  # fmt: skip
"""A text that a template makes of the values of the run, as a tensor; or a number of one, or the
vector of its parts.
"""

TEXT_RANKS = structural(
    "py.text_ranks", lambda texts: np.unique(texts, return_inverse=True)[1].reshape(texts.shape),
    lambda texts: TensorType(dtypes.int64, texts.shape), op_type="PyTextRanks",
    python=True,
)  # fmt: skip
"""The places that texts have in their order, which is that of their bytes in UTF-8; equal ones have
the same."""
