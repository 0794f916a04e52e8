"""Version 1's optimizers: operations that change variables against their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import runtime.ops as ops
from runtime.autodiff.symbolic import gradients
from runtime.autodiff.tape import GradientTape
from runtime.core.convert import convert_to_tensor
from runtime.core.naming import name_scope
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.ops.indexed_slices import IndexedSlices
from runtime.sessions.open_graph import GraphKeys, Op, OpenTrace, open_trace
from runtime.sessions.variables import GraphVariable
from runtime.variables.handle import VariableHandle
from runtime.variables.variable import Variable

Pairs = list[tuple[Any, Any]]


class Optimizer:
    """The base of optimizers. A subclass says how a gradient changes a variable.

    `learning_rate` is a number, a tensor, or a function of no arguments that gives one.

    >>> issubclass(rt.compat.v1.train.AdamOptimizer, rt.compat.v1.train.Optimizer)
    True
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = range(3)
    """The values of `gate_gradients`; without effect."""
    slot_names: tuple[str, ...] = ()
    """The names of what it keeps for each variable."""
    by_rows = True
    """Whether a gradient of slices changes the rows that they name, and nothing else."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "") -> None:
        self._learning_rate = learning_rate
        self._name = name or type(self).__name__.removesuffix("Optimizer")
        self._slots: dict[tuple[VariableHandle, str], GraphVariable] = {}

    def get_name(self) -> str:
        """The name that it was given.

        >>> rt.compat.v1.train.AdamOptimizer().get_name()
        'Adam'
        """
        return self._name

    def minimize(
        self,
        loss: Tensor | Callable[[], Tensor],
        global_step: Any = None,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Op | None:
        """An operation that changes variables once, so that `loss` becomes smaller.

        Where ops are computed at once, they are changed now, and the result is None.

        Arguments and errors as those of `compute_gradients` and `apply_gradients`.

        >>> with rt.Graph().as_default():
        ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
        ...     rt.compat.v1.train.GradientDescentOptimizer(0.5).minimize(v * v).type
        'NoOp'
        """
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Tensor | Callable[[], Tensor],
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> Pairs:
        """The gradient of `loss` with respect to each variable, or None, beside the variable.

        `loss` is a tensor of the graph, or a function that gives it: where ops are computed at once
        only this, else RuntimeError. `var_list` is by default all trainable variables of the graph,
        or those that the function reads. Raises ValueError where there are none.

        >>> with rt.Graph().as_default():
        ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
        ...     pairs = rt.compat.v1.train.GradientDescentOptimizer(0.5).compute_gradients(v * v)
        >>> [variable.name for gradient, variable in pairs]
        ['v:0']
        """
        if callable(loss):
            with GradientTape() as tape:
                tape.watch(list(var_list or ()))
                value = loss()
            read = list(tape.watched_variables() if var_list is None else var_list)
            return list(zip(tape.gradient(value, read, grad_loss), read, strict=True))
        graph = open_trace("an optimizer whose loss is no function").graph
        if var_list is None:
            var_list = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        if not var_list:
            raise ValueError("No variables to optimize.")
        found = gradients(loss, list(var_list), grad_loss)
        return list(zip(found, var_list, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None,
        name: str | None = None, skip_gradients_aggregation: bool = False,
    ) -> Op | None:  # fmt: skip
        """An operation that changes variables by these gradients, then adds 1 to `global_step`.

        Where ops are computed at once, that is done now, and the result is None. Raises ValueError
        where there is no gradient.

        >>> with rt.Graph().as_default():
        ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
        ...     optimizer = rt.compat.v1.train.GradientDescentOptimizer(0.5)
        ...     optimizer.apply_gradients([(2.0, v)]).type
        'NoOp'
        """
        given = list(grads_and_vars)
        pairs = [(gradient, variable) for gradient, variable in given if gradient is not None]
        if not pairs:
            raise ValueError(
                "No gradients provided for any variable: "
                f"{[variable.name for _, variable in given]}"
            )
        self._prepare()
        changes = [each for gradient, variable in pairs for each in self._apply(gradient, variable)]
        changes += self._finish(changes)
        if global_step is not None:
            with _behind(changes):
                changes = [global_step.assign_add(1)]
        trace = _graph()
        return None if trace is None else trace.grouped(changes, name or self._name)

    def get_slot(self, var: Variable, name: str) -> GraphVariable | None:
        """The variable that it keeps for another one under a slot name; None where there is none.

        >>> with rt.Graph().as_default():
        ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
        ...     optimizer = rt.compat.v1.train.MomentumOptimizer(0.5, 0.9)
        ...     _ = optimizer.minimize(v * v)
        >>> optimizer.get_slot(v, "momentum").name
        'v/Momentum:0'
        """
        return self._slots.get((var.handle, name))

    def get_slot_names(self) -> list[str]:
        """The names of what it keeps for each variable.

        >>> rt.compat.v1.train.AdamOptimizer().get_slot_names()
        ['m', 'v']
        """
        return sorted(self.slot_names)

    def variables(self) -> list[GraphVariable]:
        """The variables that it keeps.

        >>> rt.compat.v1.train.MomentumOptimizer(0.5, 0.9).variables()
        []
        """
        return list(self._slots.values())

    def _rate(self, value: Any) -> Tensor:
        return number(self._learning_rate, value)

    def _slot(self, variable: GraphVariable, name: str, start: float, ending: str) -> GraphVariable:
        key = (variable.handle, name)
        if key not in self._slots:
            value = ops.fill(variable.shape, convert_to_tensor(start, variable.dtype))
            self._slots[key] = _kept(
                f"{variable.name.removesuffix(':0')}/{self._name}{ending}", value
            )
        return self._slots[key]

    def _prepare(self) -> None:
        """Make what is kept once for all variables."""

    def _apply(self, gradient: Any, variable: GraphVariable) -> list[Any]:
        """Change a variable by its gradient: of slices only the rows that they name."""
        kept = [
            self._slot(variable, name, start, f"_{at}" if at else "")
            for at, (name, start) in enumerate(self._starts())
        ]
        if type(gradient) is IndexedSlices and self.by_rows:
            places, numbers = ops.unique(gradient.indices)
            total = ops.unsorted_segment_sum(gradient.values, numbers, ops.size(places))
            rows = [ops.gather(each, places) for each in (variable, *kept)]
            change, *made = self._step(total, rows[0], rows[1:])
            changes = [
                slot.scatter_update(IndexedSlices(value, places))
                for slot, value in zip(kept, made, strict=True)
            ]
            return [*changes, variable.scatter_sub(IndexedSlices(change, places))]
        change, *made = self._step(convert_to_tensor(gradient), variable, kept)
        changes = [slot.assign(value) for slot, value in zip(kept, made, strict=True)]
        return [*changes, variable.assign_sub(change)]

    def _starts(self) -> list[tuple[str, float]]:
        """The slots that it keeps for each variable, and their values at first."""
        return [(name, 0.0) for name in self.slot_names]

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        """The change to subtract and the slots, of a variable or of some of its rows."""
        raise NotImplementedError

    def _finish(self, changes: list[Any]) -> list[Any]:
        """Returns the changes that come after those of the variables."""
        return []


def _graph() -> OpenTrace | None:
    """The trace of the default graph; None where ops are computed at once."""
    return None if state.trace is None else open_trace("an optimizer of tf.compat.v1")


def _behind(changes: list[Any]) -> AbstractContextManager[None]:
    trace = _graph()
    return nullcontext() if trace is None else trace.dependent(changes)


def number(given: Any, variable: Any) -> Tensor:
    """A parameter in the dtype of a variable: by way of float32, as in TensorFlow."""
    return ops.cast(convert_to_tensor(given() if callable(given) else given), variable.dtype)


def _kept(name: str, start: Tensor) -> Any:
    with name_scope(""):
        return Variable(start, trainable=False, name=name)


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient.

    >>> with rt.Graph().as_default(), rt.compat.v1.Session() as session:
    ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
    ...     optimizer = rt.compat.v1.train.GradientDescentOptimizer(0.5)
    ...     step = optimizer.minimize(rt.square(v - 1.0))
    ...     session.run(rt.compat.v1.global_variables_initializer())
    ...     session.run(step)
    ...     float(session.run(v))
    1.0
    """

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        return (self._rate(value) * gradient,)


class MomentumOptimizer(Optimizer):
    """accumulated = momentum * accumulated + gradient; variable -= learning_rate * accumulated.

    With `use_nesterov`, variable -= learning_rate * (gradient + momentum * accumulated).

    Of a variable whose rows are gathered only those move that this step has gathered.

    >>> with rt.Graph().as_default(), rt.compat.v1.Session() as session:
    ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
    ...     step = rt.compat.v1.train.MomentumOptimizer(0.25, 0.5).minimize(rt.square(v))
    ...     session.run(rt.compat.v1.global_variables_initializer())
    ...     session.run(step), session.run(step)
    ...     float(session.run(v))
    (None, None)
    0.0
    """

    slot_names = ("momentum",)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        momentum = number(self._momentum, value)
        moved = kept[0] * momentum + gradient
        change = gradient + momentum * moved if self._use_nesterov else moved
        return self._rate(value) * change, moved


class AdamOptimizer(Optimizer):
    """Adam (D. P. Kingma, J. Ba, 2015), with the learning rate corrected for the step's number.

    >>> with rt.Graph().as_default(), rt.compat.v1.Session() as session:
    ...     v = rt.compat.v1.get_variable("v", initializer=3.0)
    ...     step = rt.compat.v1.train.AdamOptimizer(0.5).minimize(rt.square(v))
    ...     session.run(rt.compat.v1.global_variables_initializer())
    ...     session.run(step)
    ...     round(float(session.run(v)), 4)
    2.5
    """

    slot_names = ("m", "v")
    by_rows = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._betas = beta1, beta2
        self._epsilon = epsilon
        self._powers: list[GraphVariable] = []

    def variables(self) -> list[GraphVariable]:
        """The variables that it keeps.

        >>> rt.compat.v1.train.AdamOptimizer().variables()
        []
        """
        return [*self._powers, *super().variables()]

    def _prepare(self) -> None:
        if not self._powers:
            names = ("beta1_power", "beta2_power")
            starts = [convert_to_tensor(beta) for beta in self._betas]
            self._powers = [_kept(*each) for each in zip(names, starts, strict=True)]

    def _step(self, gradient: Tensor, value: Any, kept: Sequence[Any]) -> tuple[Any, ...]:
        beta1, beta2 = (number(beta, value) for beta in self._betas)
        power1, power2 = (number(power, value) for power in self._powers)
        first, second = kept
        rate = self._rate(value) * ops.sqrt(1 - power2) / (1 - power1)
        mean = first + (gradient - first) * (1 - beta1)
        spread = second + (gradient * gradient - second) * (1 - beta2)
        small = number(self._epsilon, value)
        return rate * mean / (ops.sqrt(spread) + small), mean, spread

    def _finish(self, changes: list[Any]) -> list[Any]:
        with _behind(changes):
            pairs = zip(self._powers, self._betas, strict=True)
            return [power.assign(power * number(beta, power)) for power, beta in pairs]
