"""The settings of layers, optimizers and other objects of Keras': the attributes that Keras' own
code knows, but for those that it sets itself when it makes, builds, calls or fits an object.

A trace that uses an object is guarded by them: `layer.trainable = False` traces it again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from inspect import unwrap
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

from autograph.objects import MISSING, functions_in, module_of
from runtime.core.state import state
from runtime.keras.conversion import is_module_of_keras
from runtime.staging.guarding.settings import Settings, register_settings, setting_changed

_OF_A_RUN = frozenset(
    (
        # What an object is made, built and called with.
        *("_build_shapes_dict", "_called", "_lock", "_losses_override", "_parent_path", "_path"),
        "built",
        # What a trainer is compiled with but its optimizer, loss and metrics, and what it does.
        *("_compile_config", "_compiled_trainable_state", "_eval_epoch_iterator"),
        *("_initial_epoch", "_jit_compile", "_loss_tracker", "_run_eagerly", "compiled"),
        *("history", "loss", "predict_function", "steps_per_execution", "stop_training"),
        *("test_function", "train_function"),
    )
)
"""The attributes that Keras sets itself."""

_STORES = frozenset(("_layers", "_trainable_variables", "_non_trainable_variables"))
"""The lists of which the items count."""

_CHANGED_IN_PLACE = frozenset((list, dict, set))
"""The classes of what Keras keeps books in; what the user gives a layer is of subclasses."""

_known: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()


def uses(item: Any) -> None:
    """Guard what is being traced by the settings of an object of Keras'."""
    trace = state.trace
    if trace is not None and trace.watcher is not None:
        trace.watcher.see_settings(item)


def _settings_of(item: Any) -> Settings:
    known, own = _known_of(type(item)), vars(item)
    found = {name: own[name] for name in own if name in known}
    return {
        name: tuple(value) if name in _STORES else value
        for name, value in found.items()
        if name in _STORES or type(value) not in _CHANGED_IN_PLACE
    }


def _known_of(kind: type) -> frozenset[str]:
    """The attributes that Keras' classes, among those of a class, know."""
    known = _known.get(kind)
    if known is None:
        bases = [base for base in kind.__mro__ if is_module_of_keras(module_of(base))]
        known = _known[kind] = frozenset().union(*map(_known_in, bases)) - _OF_A_RUN
    return known


@functools.cache
def _known_in(kind: type[object]) -> frozenset[str]:
    functions = [unwrap(each) for member in vars(kind).values() for each in functions_in(member)]
    return frozenset(name for function in functions for name in _names_in(function.__code__))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names_in(const)
        elif isinstance(const, str) and const.isidentifier():
            yield const


def tells(base: Any) -> None:
    """Let the objects of a class, and of its subclasses, have settings, and tell of each change."""

    def set_attribute(self: Any, name: str, value: Any) -> None:
        is_same = name in _OF_A_RUN or vars(self).get(name, MISSING) is value
        super(base, self).__setattr__(name, value)
        # A property sets what it changes.
        if not is_same and type(getattr(type(self), name, None)) is not property:
            setting_changed()

    def delete_attribute(self: Any, name: str) -> None:
        super(base, self).__delattr__(name)
        setting_changed()

    base.__setattr__, base.__delattr__ = set_attribute, delete_attribute
    register_settings(base, _settings_of)


def _telling(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def run(*args: Any) -> None:
        method(*args)
        setting_changed()

    return run


def _using(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        uses(self)
        return method(self, *args, **kwargs)

    return run


def install(keras: Any) -> None:
    """Let Keras' objects have settings; what is not a layer notes here that it is used."""
    kinds = (
        keras.src.saving.keras_saveable.KerasSaveable, keras.Variable,
        keras.constraints.Constraint, keras.regularizers.Regularizer,
        keras.optimizers.schedules.LearningRateSchedule,
    )  # fmt: skip
    for kind in kinds:
        tells(kind)
    tracker = keras.src.utils.tracking.Tracker
    tracker.add_to_store, tracker.untrack = map(_telling, (tracker.add_to_store, tracker.untrack))
    trainable = keras.Layer.trainable
    keras.Layer.trainable = property(_using(trainable.fget), trainable.fset)
    keras.losses.Loss.__call__ = _using(keras.losses.Loss.__call__)
    keras.optimizers.Optimizer.apply = _using(keras.optimizers.Optimizer.apply)
