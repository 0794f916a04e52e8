"""Placeholders, variables and their initializers, by the names of version 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import runtime.ops as ops
from runtime.core.convert import convert_to_tensor
from runtime.core.naming import scoped
from runtime.core.primitive import Memory, bind, row
from runtime.core.settings import changes_settings
from runtime.core.shapes import as_shape, compatible
from runtime.core.state import state
from runtime.core.tensor import Tensor, executing_eagerly
from runtime.core.types import TensorType
from runtime.dtypes import as_dtype
from runtime.random import set_seed
from runtime.sessions.open_graph import GraphKeys, Op, OpenTrace, get_default_graph, open_trace
from runtime.sessions.variables import GraphVariable, initialized
from runtime.variables.variable import Variable as _Variable


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value a session is given in `feed_dict`; unknown dimensions are None.

    Raises RuntimeError where ops are computed at once.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.placeholder(rt.float32, [None, 2], name="x")
    <tf.Tensor 'x:0' shape=(None, 2) dtype=float32>
    """
    trace = open_trace("tf.placeholder()")
    kind = TensorType(as_dtype(dtype), as_shape(shape))
    made: Tensor = trace.parameter(kind, scoped(name or "Placeholder"))
    return made


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that is `input` where a session is given no other value; `input` outside of graphs.

    It has the static shape `shape`: values of it are given. ValueError if that of `input` is none.

    >>> with rt.Graph().as_default():
    ...     x = rt.compat.v1.placeholder_with_default(5.0, [])
    ...     with rt.compat.v1.Session() as session:
    ...         float(session.run(x)), float(session.run(x, {x: 6.0}))
    (5.0, 6.0)
    """
    given, wanted = convert_to_tensor(input), as_shape(shape)
    if not compatible(given.static_shape, wanted):
        raise ValueError(f"the default has the shape {given.shape}, which is no {wanted}")
    return bind(_with_default_p, given, shape=wanted) if state.trace is not None else given


_with_default_p = row(
    "placeholder_with_default", lambda x, *, shape: x, signature="A->A",
    shape=lambda given, *, shape: shape, op_type="PlaceholderWithDefault",
    gradient=lambda op, g: (g,), keep_inputs=(), memory=Memory.ALIASES,
)  # fmt: skip


def Variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    **options: Any,
) -> _Variable:
    """A variable, by version 1's arguments; in a graph each session has a value of its own for it.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.Variable(3.0, name="v")
    <tf.Variable 'v:0' shape=() dtype=float32>
    """
    for ignored in ("expected_shape", "import_scope", "use_resource"):
        options.pop(ignored, None)
    if collections is not None and isinstance(state.trace, OpenTrace):
        options["collections"] = collections
    return _Variable(initial_value, trainable, validate_shape, name=name, dtype=dtype, **options)


def assign(
    ref: _Variable, value: Any, validate_shape: Any = None, use_locking: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Give a variable a value. In a graph the new value, as a tensor: who fetches it assigns.

    >>> with rt.Graph().as_default():
    ...     v = rt.compat.v1.get_variable("v", initializer=1.0)
    ...     change = rt.compat.v1.assign(v, v * 3.0)
    ...     with rt.compat.v1.Session() as session:
    ...         session.run(v.initializer)
    ...         float(session.run(change)), float(session.run(change))
    (3.0, 9.0)
    """
    return ref.assign(value)


def assign_add(ref: _Variable, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Add to a variable, as `assign`.

    >>> float(rt.compat.v1.assign_add(rt.Variable(1.0), 2.0))
    3.0
    """
    return ref.assign_add(value)


def assign_sub(ref: _Variable, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtract from a variable, as `assign`.

    >>> float(rt.compat.v1.assign_sub(rt.Variable(1.0), 2.0))
    -1.0
    """
    return ref.assign_sub(value)


def count_up_to(ref: _Variable, limit: int, name: str | None = None) -> Any:
    """The value of a variable, to which 1 is added; OutOfRangeError at `limit`.

    >>> int(rt.compat.v1.count_up_to(rt.Variable(3), 5))
    3
    """
    return ref.count_up_to(limit)


@changes_settings
def add_to_collection(name: str, value: Any) -> None:
    """Add something to a collection of the default graph.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.add_to_collection("mine", 3)
    ...     rt.compat.v1.get_collection("mine")
    [3]
    """
    get_default_graph().add_to_collection(name, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """A collection of the default graph; of things with names those that `scope` matches.

    It is a pattern for the beginning of a name.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.get_collection("mine")
    []
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """The list of a collection of the default graph: what is added to it is in the collection.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.get_collection_ref("mine").append(3)
    ...     rt.compat.v1.get_collection("mine")
    [3]
    """
    return get_default_graph().get_collection_ref(key)


def global_variables(scope: str | None = None) -> list[GraphVariable]:
    """The variables of the default graph.

    >>> with rt.Graph().as_default():
    ...     v = rt.Variable(1.0)
    ...     rt.compat.v1.global_variables() == [v]
    True
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[GraphVariable]:
    """The variables that were put into the collection of local ones.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.local_variables()
    []
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[GraphVariable]:
    """The trainable variables of the default graph.

    >>> with rt.Graph().as_default():
    ...     v = rt.Variable(1.0, trainable=False)
    ...     rt.compat.v1.trainable_variables()
    []
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def variables_initializer(var_list: Iterable[GraphVariable], name: str = "init") -> Op | None:
    """An operation that gives variables their initial values; None eagerly, where they have them.

    >>> with rt.Graph().as_default():
    ...     v = rt.Variable(4.0)
    ...     with rt.compat.v1.Session() as session:
    ...         session.run(rt.compat.v1.variables_initializer([v]))
    ...         float(session.run(v))
    4.0
    """
    if executing_eagerly():
        return None
    trace = open_trace("tf.variables_initializer()")
    return trace.grouped([variable.initializer for variable in var_list], name)


def global_variables_initializer() -> Op | None:
    """An operation that gives the variables of the default graph their initial values.

    None eagerly, where variables have their values.

    >>> with rt.Graph().as_default():
    ...     v = rt.Variable(4.0)
    ...     init = rt.compat.v1.global_variables_initializer()
    ...     with rt.compat.v1.Session() as session:
    ...         session.run(init)
    ...         float(session.run(v))
    4.0
    """
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def local_variables_initializer() -> Op | None:
    """An operation that gives local variables their initial values; None eagerly.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.local_variables_initializer().type
    'NoOp'
    """
    return variables_initializer(local_variables())


def is_variable_initialized(variable: GraphVariable) -> Tensor:
    """True where a session has a value for a variable.

    >>> with rt.Graph().as_default():
    ...     known = rt.compat.v1.is_variable_initialized(rt.Variable(4.0))
    ...     with rt.compat.v1.Session() as session:
    ...         bool(session.run(known))
    False
    """
    return initialized(variable)


def report_uninitialized_variables(
    var_list: Iterable[GraphVariable] | None = None, name: str | None = None
) -> Tensor:
    """The names of the variables that a session has no value for.

    >>> with rt.Graph().as_default():
    ...     v = rt.Variable(4.0, name="v")
    ...     names = rt.compat.v1.report_uninitialized_variables()
    ...     with rt.compat.v1.Session() as session:
    ...         session.run(names).tolist()
    [b'v']
    """
    found = list(global_variables() if var_list is None else var_list)
    names = convert_to_tensor([variable.name.removesuffix(":0") for variable in found] or [""])
    known = [initialized(variable) for variable in found] or [convert_to_tensor(True)]
    return ops.boolean_mask(names, ops.logical_not(ops.stack(known)))


@changes_settings
def set_random_seed(seed: int) -> None:
    """Set the seed of random numbers, for graphs too.

    >>> rt.compat.v1.set_random_seed(3)
    """
    set_seed(seed)
