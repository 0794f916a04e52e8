"""Control flow in the user's functions and methods: Keras calls them from code that is not
converted.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType
from typing import Any

import autograph
from runtime.core.state import state
from runtime.staging.block_recorder import renew


def converts(cls: type, names: Iterable[str]) -> None:
    """Let methods that a class defines run converted while a function is traced."""
    for name in names:
        method = vars(cls).get(name)
        if type(method) is FunctionType and not is_kerass(method.__globals__):
            setattr(cls, name, _converted_method(method))


def is_kerass(names: Mapping[str, Any]) -> bool:
    """Whether these are the global names of a module of Keras'."""
    return is_module_of_keras(str(names.get("__name__")))


def is_module_of_keras(module: str) -> bool:
    """Whether a module of this name is one of Keras', or of what it runs on here."""
    return module.startswith(("keras.src.", "runtime.keras.")) and not module.endswith("_test")


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs as it is eagerly, and converted while a function is traced."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        called = function if state.trace is None else autograph.call(function)
        return called(*args, **kwargs)

    return run


def _converted_method(function: FunctionType) -> Callable[..., Any]:
    """The same of a method. It is called as one of its object: the trace guards what it reads of
    that.
    """

    @functools.wraps(function)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if state.trace is None:
            return function(self, *args, **kwargs)
        return autograph.call(MethodType(function, self))(*args, **kwargs)

    return run


class Held:
    """An attribute that may hold a function of the user's: to Keras, while a function is traced, it
    is the converted one. Objects of these `kinds` convert their methods themselves.
    """

    def __init__(self, name: str, kinds: tuple[type, ...]) -> None:
        self._name, self._kinds = name, kinds

    def __get__(self, holder: Any, kind: type) -> Any:
        if holder is None:
            return self
        try:
            held = vars(holder)[self._name]
        except KeyError:
            raise AttributeError(
                f"{kind.__name__!r} object has no attribute {self._name!r}",
                name=self._name,
                obj=holder,
            ) from None
        if state.trace is None or not callable(held) or isinstance(held, self._kinds):
            return held
        if is_kerass(getattr(held, "__globals__", {})):
            return held
        # Who else asks may compare it, and what is converted calls it converted.
        return autograph.call(held) if is_kerass(sys._getframe(1).f_globals) else held

    def __set__(self, holder: Any, function: Any) -> None:
        vars(holder)[self._name] = function

    def __delete__(self, holder: Any) -> None:
        del vars(holder)[self._name]


def install(keras: Any) -> None:
    """Let Keras' bases that know no backend convert what subclasses define and what they hold."""
    _converts_subclasses(keras.losses.Loss, ("call",))
    _converts_subclasses(keras.metrics.Metric, ("update_state", "result"))
    _converts_subclasses(keras.regularizers.Regularizer, ("__call__",))
    _converts_subclasses(keras.constraints.Constraint, ("__call__",))
    _converts_subclasses(keras.optimizers.schedules.LearningRateSchedule, ("__call__",))
    _converts_subclasses(keras.optimizers.Optimizer, ("update_step",))
    compiled = keras.src.trainers.compile_utils
    keras.optimizers.Optimizer.apply = _settled(keras.optimizers.Optimizer.apply)
    compiled.CompileMetrics.build = _settled(compiled.CompileMetrics.build)
    compiled.CompileLoss.build = _settled(compiled.CompileLoss.build)
    kinds = (
        keras.Layer, keras.Variable, keras.constraints.Constraint, keras.regularizers.Regularizer,
        keras.optimizers.schedules.LearningRateSchedule,
    )  # fmt: skip
    for base, names in (
        (keras.src.losses.losses.LossFunctionWrapper, ("fn",)),
        (keras.metrics.MeanMetricWrapper, ("_fn",)),
        (keras.layers.Lambda, ("function",)),
        (keras.Layer, ("activation", "recurrent_activation", "activity_regularizer")),
        (keras.Variable, ("_constraint", "_regularizer")),
        (keras.optimizers.Optimizer, ("_learning_rate",)),
    ):
        for name in names:
            setattr(base, name, Held(name, kinds))


def _converts_subclasses(base: Any, names: Iterable[str]) -> None:
    def init_subclass(cls: type, /, **kwargs: Any) -> None:
        super(base, cls).__init_subclass__(**kwargs)
        converts(cls, names)

    base.__init_subclass__ = classmethod(init_subclass)


def _settled(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that builds its object where that is not built: as if before all that is traced."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        was_built = self.built
        result = method(self, *args, **kwargs)
        if not was_built:
            renew(self)
        return result

    return run
