"""The holder of a variable's value, by which graphs and tapes know the variable."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from runtime import errors
from runtime.core.shapes import Shape, compatible, format_shape
from runtime.core.state import new_key, state
from runtime.core.types import TensorType
from runtime.dtypes import DType

if TYPE_CHECKING:
    from runtime.variables.variable import Variable


class VariableHandle:
    """The value of a variable, `raw` (None: it has none yet), and what values it takes.

    Graphs hold handles, so that they do not keep variables alive: the traces for a variable that is
    an argument are to go with it, and what still runs a graph then finds the value here. `node` is
    the key that tapes know the variable by, `reference` that of the traces for it.
    """

    __slots__ = (
        *("_owner", "dtype", "later", "lock", "name", "node", "pending", "raw", "static_shape"),
        *("reference", "trainable", "type"),
    )
    is_resource = True

    def __init__(
        self, owner: Variable, name: str, dtype: DType, shape: Shape, trainable: bool
    ) -> None:
        self._owner = weakref.ref(owner)
        self.name = name
        self.dtype = dtype
        self.static_shape = shape
        self.type = TensorType(dtype, shape)
        self.trainable = trainable
        self.node = new_key()
        self.reference: Any = None
        self.lock = threading.RLock()
        self.raw: Any = None
        # While it is updated: the array, and the updates that this thread is asked for meanwhile.
        self.pending: Any = None
        self.later: list[Any] = []

    @property
    def variable(self) -> Variable:
        """The variable; another one with this value, if it is no more."""
        from runtime.variables.variable import with_handle

        with self.lock:
            found = self._owner()
            if found is None:
                found = with_handle(self)
                self._owner = weakref.ref(found)
        return found

    def present(self) -> Any:
        """The array that it holds; None before it has been initialised."""
        raw = self.raw
        if raw is None:
            # Who changes the array where it is holds the lock, and the array, meanwhile.
            with self.lock:
                raw = self.raw
                if raw is None and self.pending is not None:
                    raw = self.pending.copy()
        return raw

    def raw_value(self) -> Any:
        """The array that it holds; FailedPreconditionError before it has been initialised."""
        raw = self.present()
        if raw is None:
            raise errors.FailedPreconditionError(
                f"variable '{self.name}' is uninitialized: it is read before it was given a value",
            )
        return raw

    def check_shape(
        self, shape: Shape, what: str = "assign value to", held: Shape = None
    ) -> None:  # fmt: skip
        """ValueError (eagerly InvalidArgumentError) if no value of this shape can be assigned, or
        added to an array of the shape that is `held`.
        """
        own = self.static_shape if held is None else held
        if shape == own or compatible(own, shape):
            return
        message = (
            f"Cannot {what} variable '{self.name}': it has the shape "
            f"{format_shape(own)}, the value has the shape {format_shape(shape)}, "
            "and these are not compatible"
        )
        if state.trace is not None:
            raise ValueError(message)
        raise errors.InvalidValueError(message)
