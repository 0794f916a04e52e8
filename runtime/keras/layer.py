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
from runtime.keras.settings import uses
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

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Keras' own has built it by now, and goes on to its `call` from here.
        uses(self)
        return super().__call__(*args, **kwargs)  # type: ignore[misc]

    def _setattr_hook(self, name: str, value: Any) -> tuple[str, Any]:
        for item in _parts(name, value):
            if isinstance(item, runtime.Variable):
                self._track(name, item)
            elif isinstance(item, runtime.Module):
                self._track_module(name, item)
        return name, value

    def _post_build(self) -> None:
        proceed()
        for name, value in list(vars(self).items()):
            for item in _parts(name, value):
                if isinstance(item, runtime.Module):  # whose variables this may have made
                    self._track_module(name, item)
        if isinstance(self, DropoutRNNCell):
            # Each call ends with these: one in a staged block then leaves the cell as it was.
            self.reset_dropout_mask()
            self.reset_recurrent_dropout_mask()
        self._lock_state()  # type: ignore[attr-defined]  # as Keras does, behind this
        # To be built, a layer without a method for that calls those in it.
        for layer in self._flatten_layers():  # type: ignore[attr-defined]
            renew(layer)

    def _held_variables(self) -> list[tuple[runtime.Variable, bool]]:
        """For modules that hold this layer: its variables, and whether each is trainable."""
        trainable = set(map(id, self.trainable_weights))  # type: ignore[attr-defined]
        weights = self.weights  # type: ignore[attr-defined]
        return [(weight.held_variable, id(weight) in trainable) for weight in weights]

    def _trackable_children(self) -> dict[str, Any]:
        return layer_children(self)

    def _track_module(self, name: str, module: runtime.Module) -> None:
        """Count the variables that a module has now, and its layers, among those of this layer."""
        self._initialize_tracker()  # type: ignore[attr-defined]
        for item in module._flatten():
            if isinstance(item, runtime.Variable):
                self._track(f"{name}_{item.name.rpartition('/')[2].partition(':')[0]}", item)
            elif isinstance(item, Layer) and item is not self:
                self._tracker.track(item)
                # Files of weights have what is in attributes.
                found = vars(self).setdefault("_layers_of_modules", [])
                if not any(each is item for each in found):
                    found.append(item)

    def _track(self, name: str, variable: runtime.Variable) -> None:
        """Count a variable among those of this layer."""
        self._initialize_tracker()  # type: ignore[attr-defined]
        known = *self._trainable_variables, *self._non_trainable_variables
        if not any(each.held_variable is variable for each in known):
            self._tracker.track(backend.Variable.of(variable, name))


def _parts(name: str, value: Any) -> list[Any]:
    """The items of an attribute: itself, or what is in lists and dicts, unless they are private."""
    if isinstance(value, list | tuple | dict):
        return [] if name[0] == "_" else list(tree.flatten(value))
    return [value]


def define(module: ModuleType) -> None:
    """Let a module give Keras the base of its layers."""
    module.NumpyLayer = Layer  # type: ignore[attr-defined]
