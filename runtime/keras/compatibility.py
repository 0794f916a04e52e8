"""Names that Keras has under `tf.keras` alone: short names of losses, functions of tensors in
`backend`, preprocessing of texts and sequences of before.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_PUBLIC, _FOR_TENSORFLOW = "keras", "keras._tf_keras.keras"
_MODULES = "backend layers losses metrics preprocessing preprocessing.image preprocessing.sequence"


def install(keras: ModuleType) -> None:
    """Let Keras' public modules have the names that they have under `tf.keras`."""
    for path in _MODULES.split():
        module = import_module(f"{keras.__name__}.{path}")
        vars(module)["__getattr__"] = _names_of(module)


def _names_of(module: ModuleType) -> Any:
    def get(name: str) -> Any:
        if name[0] != "_":
            theirs = import_module(for_tensorflow(module.__name__))
            if hasattr(theirs, name):
                return getattr(theirs, name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    return get


def for_tensorflow(name: str) -> str:
    """The module of Keras that is public by this name under `tf.keras`."""
    return name.replace(_PUBLIC, _FOR_TENSORFLOW, 1)


def public_module(name: str) -> str | None:
    """The module of Keras that a public name stands for, if there is one."""
    return next((each for each in (name, for_tensorflow(name)) if find_spec(each)), None)
