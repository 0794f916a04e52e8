"""Notes that Keras' files make on tensors as attributes, which tensors here have none of."""

from __future__ import annotations

import weakref
from typing import Any

from runtime.core.tensor import Tensor


class Note:
    """An attribute that tensors may have, kept beside them for as long as they live."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._values: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def __get__(self, tensor: Any, kind: type) -> Any:
        try:
            return self._values[id(tensor)][1]
        except KeyError:
            raise AttributeError(self._name) from None

    def __set__(self, tensor: Any, value: Any) -> None:
        key, values = id(tensor), self._values
        values[key] = weakref.ref(tensor, lambda _: values.pop(key, None)), value

    def __delete__(self, tensor: Any) -> None:
        self._values.pop(id(tensor), None)


def install() -> None:
    """Let tensors have the attributes that Keras' files give them."""
    for name in ("_keras_logits", "_keras_mask"):
        setattr(Tensor, name, Note(name))
