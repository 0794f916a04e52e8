"""What is ours in each Keras layer: control flow of a user's `call` that depends on tensors."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from runtime.keras.conversion import converts


class Layer:
    """A base of Keras' layers."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        converts(cls, ("call",))


def define(module: ModuleType) -> None:
    """Let a module give Keras the base of its layers."""
    module.NumpyLayer = Layer  # type: ignore[attr-defined]
