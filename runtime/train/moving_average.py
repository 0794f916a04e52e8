"""`ExponentialMovingAverage`: the averages of variables over their changes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.naming import name_scope
from runtime.core.state import init_scope, state
from runtime.core.tensor import Tensor
from runtime.dtypes import float32
from runtime.sessions.open_graph import GraphKeys, OpenTrace
from runtime.staging.explicit_control_flow import group
from runtime.variables.variable import Variable


class ExponentialMovingAverage:
    """Averages of variables, in which what they were counts less and less.

    Each `apply` makes `average = decay * average + (1 - decay) * variable`.

    Args:
        decay: a number just below 1.
        num_updates: the number of steps so far; with it the decay is at most
            `(1 + num_updates) / (10 + num_updates)`, so that the first averages move faster.
        zero_debias: is of averages of tensors, which are refused: it changes nothing here.

    >>> v = rt.Variable(1.0)
    >>> ema = rt.train.ExponentialMovingAverage(decay=0.5)
    >>> ema.apply([v])
    >>> _ = v.assign(3.0)
    >>> ema.apply([v])
    >>> float(ema.average(v))
    2.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """The end of the names of the averages.

        >>> rt.train.ExponentialMovingAverage(0.5).name
        'ExponentialMovingAverage'
        """
        return self._name

    def apply(self, var_list: Iterable[Variable] | None = None) -> Any:
        """Move the averages, which begin with the values that variables have at the first call.

        In a graph of `compat.v1` it returns the operation that does it, by default for all
        trainable variables. Raises TypeError for what is no variable of floats.

        >>> ema = rt.train.ExponentialMovingAverage(0.5)
        >>> ema.apply([rt.Variable([1.0, 2.0])])
        """
        chosen = self._chosen(var_list)
        for variable in chosen:
            self._check(variable)
        # The variables of a function are made outside of it, those of a graph are its own.
        in_graph = isinstance(state.trace, OpenTrace)
        with nullcontext() if in_graph else init_scope():
            for variable in chosen:
                if variable.ref() not in self._averages:
                    self._averages[variable.ref()] = self._begun(variable)
        moved = [self._moved(variable) for variable in chosen]
        return group(*moved, name=self._name) if in_graph else None

    def average(self, var: Variable) -> Variable | None:
        """The variable that holds the average of another one; None before `apply`.

        >>> rt.train.ExponentialMovingAverage(0.5).average(rt.Variable(1.0)) is None
        True
        """
        return self._averages.get(var.ref())

    def average_name(self, var: Variable) -> str:
        """The name of the average of a variable, under which checkpoints of sessions have it.

        >>> rt.train.ExponentialMovingAverage(0.5).average_name(rt.Variable(1.0, name="v"))
        'v/ExponentialMovingAverage'
        """
        found = self.average(var)
        return self._name_for(var) if found is None else found.name.removesuffix(":0")

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Variable] | None = None
    ) -> dict[str, Variable]:
        """Variables by the names of their averages, for a `Saver` that gives them those values;
        in a graph also the other variables, by their own names.

        >>> v = rt.Variable(1.0, name="v")
        >>> list(rt.train.ExponentialMovingAverage(0.5).variables_to_restore([v]))
        ['v/ExponentialMovingAverage']
        """
        averaged = self._chosen(moving_avg_variables)
        found = {self.average_name(variable): variable for variable in averaged}
        names = {variable.name for variable in averaged}
        for variable in _collection(GraphKeys.GLOBAL_VARIABLES):
            if variable.name not in names:
                found.setdefault(variable.name.removesuffix(":0"), variable)
        return found

    def _chosen(self, given: Iterable[Variable] | None) -> list[Variable]:
        if given is not None:
            return list(given)
        if not isinstance(state.trace, OpenTrace):
            raise ValueError(
                "ExponentialMovingAverage: give the variables: only a graph of tf.compat.v1 knows "
                "which there are"
            )
        keys = GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES
        found = [variable for key in keys for variable in _collection(key)]
        return list({variable.ref(): variable for variable in found}.values())

    def _check(self, variable: Any) -> None:
        if not isinstance(variable, Variable):
            kind = type(variable).__name__
            raise TypeError(
                f"ExponentialMovingAverage has averages of variables, not of a {kind}: "
                f"{variable!r}; assign what is to be averaged to a Variable"
            )
        if not variable.dtype.is_floating:
            raise TypeError(
                f"ExponentialMovingAverage: the variables must be half, float, or double: "
                f"{variable.name} has {variable.dtype.name}"
            )

    def _begun(self, variable: Variable) -> Variable:
        start = variable.initialized_value()
        if isinstance(state.trace, OpenTrace):
            state.trace.graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
        with name_scope(""):
            return Variable(start, trainable=False, name=self._name_for(variable))

    def _name_for(self, variable: Variable) -> str:
        return f"{variable.name.removesuffix(':0')}/{self._name}"

    def _moved(self, variable: Variable) -> Any:
        average = self._averages[variable.ref()]
        rest = ops.cast(1.0 - self._rate(), variable.dtype)
        return average.assign_sub((average - variable) * rest)

    def _rate(self) -> Any:
        if self._num_updates is None:
            return convert_to_tensor(self._decay)
        steps: Tensor = ops.cast(self._num_updates, float32)
        return ops.minimum(ops.cast(self._decay, float32), (1.0 + steps) / (10.0 + steps))


def _collection(key: str) -> list[Any]:
    return state.trace.graph.get_collection(key) if isinstance(state.trace, OpenTrace) else []
