"""Variables of a graph that sessions run: they have a value where their initializer has run."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.core.convert import convert_to_tensor
from runtime.core.naming import name_scope, scoped
from runtime.core.primitive import bind, row
from runtime.core.shapes import as_shape
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType
from runtime.dtypes import bool as bool_
from runtime.sessions.default_session import evaluated
from runtime.sessions.open_graph import GraphKeys, Op, OpenGraph, OpenTrace, free_name, open_trace
from runtime.variables.handle import VariableHandle
from runtime.variables.primitives import assign_p, read_p
from runtime.variables.variable import Variable


class GraphVariable(Variable):
    """A variable whose value each session has for itself.

    `initializer` gives it its initial value. Assignments return the new value, as a tensor of the
    graph: who fetches that assigns.
    """

    graph: OpenGraph
    initial_value: Tensor
    snapshot: Tensor
    """The value, as fetching the variable reads it."""

    assigned: Op

    @property
    def initializer(self) -> Any:
        """The operation that gives it its initial value."""
        return self.assigned

    @property
    def op(self) -> Any:
        """The operation that reads it, by the variable's name."""
        node = self.graph.trace.nodes_of(self.snapshot)[0]
        return Op(self.graph, node, self.name.removesuffix(":0"))

    def _change(self, primitive: Any, value: Any, read_value: bool = True) -> Any:
        super()._change(primitive, value, read_value)
        trace = open_trace("assigning a variable of a graph")
        with trace.dependent([trace.last()]):
            return bind(read_p, variable=self.handle)

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return self is other

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return self is not other

    __hash__ = object.__hash__

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        raise self._of_sessions("copied")

    def __reduce__(self) -> Any:
        raise self._of_sessions("pickled")

    def _of_sessions(self, done: str) -> NotImplementedError:
        return NotImplementedError(
            f"the variable {self.name} of a graph cannot be {done}, as its value is in sessions: "
            "save it with tf.compat.v1.train.Saver"
        )

    def is_initialized(self, name: str | None = None) -> Any:
        """Refused: whether it has a value is known to a session only."""
        raise NotImplementedError(
            f"whether the variable {self.name} has a value is known to a session only: run "
            "tf.compat.v1.report_uninitialized_variables() there"
        )

    def initialized_value(self) -> Tensor:
        """The initial value, for the initial values of others."""
        return self.initial_value

    def eval(self, session: Any = None) -> Any:
        """The value in a session, by default the default one."""
        return evaluated(self, None, session)

    def load(self, value: Any, session: Any = None) -> None:
        """Give it a value in a session, by default the default one."""
        evaluated(self.initializer, {self.initial_value: value}, session)


is_initialized_p = row(
    "is_initialized", lambda *, variable: np.bool_(variable.present() is not None),
    lambda **_: TensorType(bool_, ()), op_type="VarIsInitializedOp", effect=True,
)  # fmt: skip


def initialized(variable: GraphVariable) -> Tensor:
    """A tensor of bool, true where a session has a value for the variable."""
    found: Tensor = bind(is_initialized_p, variable=variable.handle)
    return found


def create(next_creator: Any, **kwargs: Any) -> Any:
    """The creator of variables where a graph is the default."""
    trace = state.trace
    if not isinstance(trace, OpenTrace):
        return next_creator(**kwargs)
    given = kwargs.get("initial_value")
    name = kwargs.get("name") or "Variable"
    full = free_name(scoped(name), trace.graph.variables_by_name)
    with name_scope(full + "/"):
        if callable(given) and not isinstance(given, Tensor | Variable):
            given = given()
        if given is None:
            raise ValueError("initial_value must be given to tf.Variable: it decides on the dtype")
        initial = convert_to_tensor(given, kwargs.get("dtype"))
        return _made(trace, full, initial, kwargs)


def _made(trace: OpenTrace, name: str, initial: Tensor, kwargs: dict[str, Any]) -> GraphVariable:
    graph = trace.graph
    made = object.__new__(GraphVariable)
    shape = initial.static_shape if kwargs.get("validate_shape", True) else None
    if kwargs.get("shape") is not None:
        shape = as_shape(kwargs["shape"])
    is_trainable = kwargs.get("trainable") is not False
    handle = VariableHandle(made, f"{name}:0", initial.dtype, shape, is_trainable)
    handle.check_shape(initial.static_shape)
    made._set_up(handle, constraint=kwargs.get("constraint"))
    made.graph, made.initial_value = graph, initial
    graph.handles.add(handle)
    bind(assign_p, initial, variable=handle)
    made.assigned = trace.last()
    made.snapshot = bind(read_p, variable=handle)
    graph.variables_by_name[name] = made
    keys = kwargs.get("collections")
    for key in [GraphKeys.GLOBAL_VARIABLES] if keys is None else keys:
        graph.add_to_collection(key, made)
    if is_trainable:
        graph.add_to_collection(GraphKeys.TRAINABLE_VARIABLES, made)
    return made
