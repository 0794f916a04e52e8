"""Keras' objects in checkpoints: layers and models, optimizers, metrics and seeds.

Children have the names that TensorFlow's checkpoints of Keras 3 give them: those of attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from keras.src.metrics.metric import Metric

from runtime.train.restoration import proceed
from runtime.train.trackable import is_trackable

_STORES = frozenset((
    *("_layers", "_metrics", "_seed_generators", "_trainable_variables"),
    *("_non_trainable_variables", "_operations_by_depth", "_operations_by_name"),
))  # fmt: skip
"""The attributes in which a layer or model lists again what others hold."""


def layer_children(layer: Any) -> dict[str, Any]:
    """The objects in a layer, without metrics, which belong to the training of it."""
    found = vars(layer)
    # A Sequential whose layers are not joined to a model yet has nothing but its list.
    hidden = _STORES - {"_layers"} if found.get("_functional", layer) is None else _STORES
    return {name: item for name, item in found.items() if name not in hidden and _is_held(item)}


def _is_held(item: Any) -> bool:
    if isinstance(item, list | tuple):
        return any(map(_is_held, item))
    if isinstance(item, dict):
        return any(map(_is_held, item.values()))
    return is_trackable(item) and not isinstance(item, Metric)


def install(keras: Any) -> None:
    """Give children to Keras' bases that know no backend, and values to an optimizer's new ones."""
    for base in (Metric, keras.random.SeedGenerator):
        base._trackable_children = _attributes
    keras.optimizers.Optimizer._trackable_children = _optimizer_children
    base = keras.src.optimizers.base_optimizer.BaseOptimizer
    base._track_variable = _then_restored(base._track_variable)


def _attributes(item: object) -> dict[str, Any]:
    return vars(item)


def _optimizer_children(optimizer: Any) -> dict[str, Any]:
    """Its attributes, without lists of some of its variables, such as momentums."""
    listed = set(map(id, optimizer._variables))

    def is_part(item: Any) -> bool:
        return isinstance(item, list) and all(id(each) in listed for each in item)

    found = _attributes(optimizer).items()
    return {name: item for name, item in found if name == "_variables" or not is_part(item)}


def _then_restored(method: Callable[..., None]) -> Callable[..., None]:
    @wraps(method)
    def run(*args: Any) -> None:
        method(*args)
        proceed()

    return run
