"""The base of Keras' layers: control flow of a user's `call` that depends on tensors, and
variables of `runtime` as attributes.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from keras.src import backend, tree
from keras.src.layers.rnn.dropout_rnn_cell import DropoutRNNCell

import runtime
from runtime.core.state import state
from runtime.keras.checkpoints import layer_children
from runtime.keras.conversion import converts
from runtime.staging.block_recorder import renew
from runtime.train.restoration import proceed


class _Called:
    """Whether a layer has been called. A call that is traced leaves it as it is: a staged block
    changes no object from before, and only errors ask for it.
    """

    def __get__(self, layer: Any, kind: type) -> Any:
        return self if layer is None else vars(layer).get("_called", False)

    def __set__(self, layer: Any, value: bool) -> None:
        if state.trace is None:
            vars(layer)["_called"] = value


class _ParentPath:
    """The scope of names that a layer was called in first. A call that is traced leaves a layer
    without variables as it is: one with them is taken for what it is once it is built.
    """

    def __get__(self, layer: Any, kind: type) -> Any:
        return self if layer is None else vars(layer).get("_parent_path")

    def __set__(self, layer: Any, value: Any) -> None:
        if state.trace is None or not layer.built:
            vars(layer)["_parent_path"] = value


class _Losses:
    """The losses that a layer has added; those of a trace are for the rest of it."""

    def __get__(self, layer: Any, kind: type) -> Any:
        if layer is None:
            return self
        if state.trace is None:
            return vars(layer)["_losses"]
        # With the layer, whose id is the key.
        return state.trace.memo.setdefault((self, id(layer)), (layer, []))[1]

    def __set__(self, layer: Any, value: Any) -> None:
        vars(layer)["_losses"] = value


class Layer:
    """A base of Keras' layers."""

    _called = _Called()
    _parent_path = _ParentPath()
    _losses = _Losses()
    _tracker: Any
    _trainable_variables: list[Any]
    _non_trainable_variables: list[Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        converts(cls, ("call",))

    def _setattr_hook(self, name: str, value: Any) -> tuple[str, Any]:
        if isinstance(value, runtime.Variable):
            self._track(name, value)
        elif isinstance(value, list | tuple | dict) and name[0] != "_":
            for item in tree.flatten(value):
                if isinstance(item, runtime.Variable):
                    self._track(name, item)
        return name, value

    def _post_build(self) -> None:
        proceed()
        if isinstance(self, DropoutRNNCell):
            # Each call ends with these: one in a staged block then leaves the cell as it was.
            self.reset_dropout_mask()
            self.reset_recurrent_dropout_mask()
        self._lock_state()  # type: ignore[attr-defined]  # as Keras does, behind this
        # To be built, a layer without a method for that calls those in it.
        for layer in self._flatten_layers():  # type: ignore[attr-defined]
            renew(layer)

    def _trackable_children(self) -> dict[str, Any]:
        return layer_children(self)

    def _track(self, name: str, variable: runtime.Variable) -> None:
        """Count a variable among those of this layer."""
        if not hasattr(self, "_tracker"):
            self._initialize_tracker()  # type: ignore[attr-defined]
        known = *self._trainable_variables, *self._non_trainable_variables
        if not any(each.held_variable is variable for each in known):
            self._tracker.track(backend.Variable.of(variable, name))


def define(module: ModuleType) -> None:
    """Let a module give Keras the base of its layers."""
    module.NumpyLayer = Layer  # type: ignore[attr-defined]
