"""`get_variable`: variables by name, which scopes may share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from runtime.core.naming import name_scope, scoped
from runtime.core.shapes import TensorShape, as_shape, compatible
from runtime.core.tensor import Tensor
from runtime.dtypes import as_dtype, float32
from runtime.sessions.initializers import glorot_uniform_initializer, zeros_initializer
from runtime.sessions.open_graph import GraphKeys, free_name, get_default_graph, open_trace
from runtime.sessions.variables import GraphVariable
from runtime.variables.variable import Variable


class AutoReuse:
    """The kind of `AUTO_REUSE`."""

    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE = AutoReuse()


class VariableScope:
    """A prefix for names of variables, and whether those that exist are shared.

    `original_name_scope` is the name scope that ops had in it when it was opened first.

    >>> with rt.Graph().as_default(), rt.compat.v1.variable_scope("layer") as scope:
    ...     scope.name
    'layer'
    """

    def __init__(self, name: str, reuse: bool | AutoReuse, initializer: Any) -> None:
        self.name = name
        self.original_name_scope = ""
        self.reuse = reuse
        self.initializer = initializer

    def reuse_variables(self) -> None:
        """From here on `get_variable` gives variables that exist.

        >>> with rt.Graph().as_default(), rt.compat.v1.variable_scope("layer") as scope:
        ...     v = rt.compat.v1.get_variable("v", [])
        ...     scope.reuse_variables()
        ...     rt.compat.v1.get_variable("v", []) is v
        True
        """
        self.reuse = True


class _Here(threading.local):
    def __init__(self) -> None:
        self.scope = VariableScope("", False, None)


_here = _Here()


def get_variable_scope() -> VariableScope:
    """The innermost scope of variables.

    >>> rt.compat.v1.get_variable_scope().name
    ''
    """
    return _here.scope


@contextmanager
def variable_scope(
    name_or_scope: str | VariableScope | None,
    default_name: str | None = None,
    values: Any = None,
    initializer: Any = None,
    reuse: bool | AutoReuse | None = None,
    auxiliary_name_scope: bool = True,
    **ignored: Any,
) -> Iterator[VariableScope]:
    """Inside this block names of variables begin with the scope's, and ops are in its name scope.

    Args:
        name_or_scope: a name inside the present scope, or a scope to enter again. An empty name
            opens no name scope: at the top it stands for no scope.
        default_name: the name where it is None; it gets a number where it was used before.
        initializer: that of variables that are made without one.
        reuse: True: `get_variable` gives variables that exist; AUTO_REUSE: it makes those that do
            not; None: as the scope around it.
        auxiliary_name_scope: False leaves ops in the name scope around it. Otherwise their scope
            has a number where one of this name was opened before.

    >>> with rt.Graph().as_default(), rt.compat.v1.variable_scope("layer"):
    ...     rt.compat.v1.get_variable("v", [2]).name
    'layer/v:0'
    """
    before = _here.scope
    if name_or_scope is None and reuse:
        raise ValueError("reuse=True cannot be used without a name_or_scope")
    if isinstance(name_or_scope, VariableScope):
        name, around = name_or_scope.name, name_or_scope
    else:
        name, around = _opened(before.name, name_or_scope, default_name), before
    opened = get_default_graph().scopes
    opened.add(name)
    _here.scope = VariableScope(
        name, reuse or around.reuse, around.initializer if initializer is None else initializer
    )
    last = (name if name_or_scope is not None else default_name or "").rpartition("/")[2]
    try:
        with name_scope(last) if last and auxiliary_name_scope else nullcontext(scoped("")) as ops:
            again = isinstance(name_or_scope, VariableScope)
            _here.scope.original_name_scope = around.original_name_scope if again else ops
            yield _here.scope
    finally:
        _here.scope = before
        opened.difference_update([x for x in opened if x.startswith(name + "/")])


def _opened(outer: str, name: str | None, default_name: str | None) -> str:
    """The full name of a scope; a default name is one that no scope in `outer` had before."""
    prefix = f"{outer}/" if outer else ""
    if name is not None:
        return prefix + name
    if default_name is None:
        raise TypeError("If default_name is None then name_or_scope is required")
    return free_name(prefix + default_name, get_default_graph().scopes)


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Callable[[Tensor], Tensor] | None = None,
    trainable: bool | None = None,
    collections: Any = None,
    **ignored: Any,
) -> Variable:
    """The variable of a name in the present scope; made if the scope does not share.

    Args:
        initializer: a value, or a function of shape and dtype; by default that of the scope,
            Glorot's uniform distribution for floats and zeros for other dtypes.

    Raises ValueError for a name that is taken or, where the scope shares, is not there, and for
    another shape or dtype than that of the variable that is there; RuntimeError where ops are
    computed at once.

    >>> with rt.Graph().as_default():
    ...     rt.compat.v1.get_variable("w", [2, 3])
    <tf.Variable 'w:0' shape=(2, 3) dtype=float32>
    """
    graph = open_trace("tf.get_variable()").graph
    scope = _here.scope
    full = f"{scope.name}/{name}" if scope.name else name
    found = graph.variables_by_name.get(full)
    if found is not None and scope.reuse:
        return _checked(found, full, shape, dtype)
    if found is not None:
        raise ValueError(
            f"Variable {full} already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if scope.reuse is True:
        raise ValueError(
            f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    chosen = scope.initializer if initializer is None else initializer
    value = _initial(full, chosen, shape, dtype)
    with name_scope(full.rpartition("/")[0] + "/" if "/" in full else ""):
        made = Variable(
            value, name=name.rpartition("/")[2], trainable=trainable, **_in(collections)
        )
    if regularizer is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, regularizer(made.value()))
    return made


def _in(collections: Any) -> dict[str, Any]:
    return {} if collections is None else {"collections": collections}


def _initial(name: str, chosen: Any, shape: Any, dtype: Any) -> Any:
    kind = float32 if dtype is None else as_dtype(dtype)
    if chosen is not None and not callable(chosen):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return chosen
    if shape is None:
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>."
        )
    wanted = as_shape(shape)
    if wanted is None or None in wanted:
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was "
            f"{TensorShape(wanted)}."
        )
    if chosen is None:
        chosen = glorot_uniform_initializer() if kind.is_floating else zeros_initializer()
    if isinstance(chosen, type):
        chosen = chosen()
    return chosen(wanted, kind)


def _checked(found: GraphVariable, name: str, shape: Any, dtype: Any) -> GraphVariable:
    if shape is not None and not compatible(as_shape(shape), found.static_shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(as_shape(shape))} "
            f"and found shape {found.shape}."
        )
    if dtype is not None and as_dtype(dtype) is not found.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and "
            f"found dtype {found.dtype.name}."
        )
    return found
