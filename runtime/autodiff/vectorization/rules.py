"""The batching rules for all rows of a jacobian."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from runtime.core.types import TensorType
from runtime.graph.ir import Node, Value

if TYPE_CHECKING:
    from runtime.autodiff.vectorization.rows import AllRows

Rule = Callable[["AllRows", Node, list[Any], list[int]], Any]
"""Makes the outputs of a node for all rows from its inputs, of which those at some places differ
from row to row and have an axis for the rows in front; None where it does not apply.
"""


class NotVectorized(Exception):
    """There is no rule for a node, or it does not apply."""


def has_known_rank(value: Value) -> bool:
    """True for a tensor of which at least the rank is known."""
    return isinstance(value.type, TensorType) and value.type.shape is not None
