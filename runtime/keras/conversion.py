"""Control flow in the user's functions and methods: Keras calls them from code that is not
converted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import autograph
from runtime.core.state import state
from runtime.staging.block_recorder import renew


def converts(cls: type, names: Iterable[str]) -> None:
    """Let methods that a class defines run converted while a function is traced."""
    for name in names:
        method = vars(cls).get(name)
        if type(method) is FunctionType and not _is_kerass(method):
            setattr(cls, name, converted(method))


def _is_kerass(function: FunctionType) -> bool:
    module = str(function.__globals__.get("__name__"))
    return module.startswith(("keras.src.", "runtime.keras.")) and not module.endswith("_test")


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs as it is eagerly, and converted while a function is traced."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        called = function if state.trace is None else autograph.call(function)
        return called(*args, **kwargs)

    return run


class Held:
    """An attribute that holds a function of the user's: while a function is traced, it is the
    converted one.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, holder: Any, kind: type) -> Any:
        if holder is None:
            return self
        try:
            function = vars(holder)[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        return function if state.trace is None else autograph.call(function)

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
    keras.src.losses.losses.LossFunctionWrapper.fn = Held("fn")
    keras.metrics.MeanMetricWrapper._fn = Held("_fn")
    keras.layers.Lambda.function = Held("function")
    keras.layers.Activation.activation = Held("activation")


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
