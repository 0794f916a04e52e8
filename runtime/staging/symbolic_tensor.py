"""The tensor that stands for one whose value only the run of the graph knows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from autograph.objects import RowSequence
from runtime.core.absent import counterpart
from runtime.core.primitive import TABLE
from runtime.core.shapes import as_shape, compatible, format_shape, merge_shapes
from runtime.core.tensor import Reference, Tensor
from runtime.core.types import TensorType
from runtime.graph.ir import format_location
from runtime.graph.nodes import CHECK_LENGTH
from runtime.graph.numbers import ITEMS, METHODS
from runtime.staging import refusals
from runtime.staging.aliasing import item_assignments, sharing
from runtime.staging.bytecode import changes_in_place, rows_unpacked
from runtime.staging.control import joined_variables
from runtime.staging.frames import container_at, is_described, is_ours, user_location
from runtime.staging.lists.repetition import repeated
from runtime.staging.refusals import AS_INDEX, PRINTED, WAY_OUT, leaked, not_python, refuse_text
from runtime.staging.scopes import InScope, Stale, active

if TYPE_CHECKING:
    from runtime.graph.format.views import Operation


AS_NUMBER = object()
"""The note of a trace that a guard lets a tensor pass as a Python number."""

_OF_COMPLEX = {"real": "real", "imag": "imag", "conjugate": "conj"}
"""Attributes of Python's complex numbers, and the ops that give them."""

_OF_EAGER_TENSORS = frozenset(("backing_device", "cpu", "gpu"))
_OF_NUMBERS = frozenset(name for methods in METHODS.values() for name in methods)


def _instead(name: str) -> str:
    """The way out for an attribute of NumPy's arrays, or of what else a tensor is taken for."""
    if name == "value":
        return "\n  compute with the tensor itself, and call numpy() on the result of the function"
    for kind, methods in METHODS.items():
        if name in methods:
            return f", as numbers have\n  ask the number that it holds: {kind}(x).{name}()"
    if hasattr(np.ndarray, name):
        op = counterpart(name)
        way = "" if op is None else f"use tf.{op}, or "
        return f", as NumPy's arrays have\n  {way}ask an array of its numbers: np.array(x).{name}"
    if hasattr(list, name):
        return ", as lists have\n  pass a list of tensors in its place, or use an op"
    return ""


class SymbolicTensor(InScope, Tensor):
    """A tensor whose value only the run of the graph knows."""

    __slots__ = ("__weakref__", "_owner")
    is_array = False
    """True if it is an array of NumPy's in the user's Python."""

    def __getattr__(self, name: str) -> Any:
        if name in _OF_NUMBERS and self._passes_as_number(name):
            kind = "float" if self.dtype.is_floating else "int"
            trace = active(self)
            return getattr(trace.apply(ITEMS[kind], (trace.value_of(self),)), name)
        if name in _OF_COMPLEX and self.dtype.is_complex and self.static_shape == ():
            return self._of_complex(name)
        if not name.startswith("_"):
            joined_variables.check_asked(self, f"its {name!r}", name)
            if name in _OF_EAGER_TENSORS:
                raise refusals.refuse(
                    f"a tensor of the graph has no {name!r}, which tensors have that hold a value",
                    "ask the tensor that the function returns",
                )
        what = f"a tensor of the graph has no attribute {name!r}"
        # Libraries ask for these to find out what a value is: no place is worth its price there.
        if not name.startswith("_"):
            what = f"{format_location(user_location())}: {what}{_instead(name)}"
        raise AttributeError(what, name=name, obj=self)

    def _held_variables(self) -> list[Any]:
        """The variables that it holds as an attribute of a module: none."""
        joined_variables.check_asked(self, "its place in a module's variables")
        return []

    def _of_complex(self, name: str) -> Any:
        """An attribute of Python's complex numbers, which such scalars are, too."""
        trace = active(self)

        def made() -> Any:
            return trace.apply(TABLE[_OF_COMPLEX[name]], (trace.value_of(self),))

        return made if name == "conjugate" else made()

    def _passes_as_number(self, name: str) -> bool:
        """Whether a guard let a tensor pass as a Python number that has this method."""
        kind = "float" if self.dtype.is_floating else "int" if self.dtype.is_integer else ""
        has_it = name in METHODS.get(kind, ()) and self.static_shape == ()
        return has_it and AS_NUMBER in active(self).memo

    @property
    def type(self) -> TensorType:
        """dtype and static shape."""
        return cast(TensorType, self.graph_value.type)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value in a session, by default the default one, for a tensor of version 1's graphs.

        Raises AttributeError for one of a function, ValueError without a session.
        """
        return sharing.home(self).trace.evaluate(self, feed_dict, session)

    def as_item(self, value: Any) -> Any:
        """The value that an assignment to an item puts there."""
        return value

    def checked_key(self, key: Any) -> Any:
        """The key of an item that is assigned."""
        return key

    def twin(self) -> SymbolicTensor:
        """Another symbol for what this one stands for now: no item assignment changes it."""
        made: SymbolicTensor = item_assignments.twin(self)
        return made

    def __copy__(self) -> SymbolicTensor:
        made = self.__deepcopy__({})
        if made is not self and self.ndim != 1:
            sharing.may_be_part(made, self)  # a list is copied without its rows
        return made

    def __deepcopy__(self, memo: Any) -> SymbolicTensor:
        if not sharing.home(self).open:
            return self
        self.settle()
        return self.twin()

    def ref(self) -> Reference:
        """A hashable reference to this object. StagingError where it may be another one of the
        user's: a branch, a loop, a call or a list gives the very tensor that was put there.
        """
        self.check_named()
        return super().ref()

    def check_named(self) -> None:
        """StagingError where which object it is in the user's Python, only the run knows."""
        made = self.scope.maker(self.graph_value)
        if made is not None and not made[0].primitive.is_op:
            raise refusals.refuse(
                "which object this tensor is, its ref() or id(), only the run knows: a branch, a "
                "loop, a call or a list gives it",
                "remember the choice: assign the key, or an integer, where the tensor is chosen",
            )

    def settle(self) -> None:
        """Look up the value, if it was changed by another name."""
        if type(self.scope) is Stale:
            active(self).value_of(self)

    @property
    def name(self) -> str:
        """Name of the op that makes it, and which of its outputs it is."""
        if not is_ours(sys._getframe(1).f_code.co_filename):
            joined_variables.check_asked(self, "its 'name'")
        return f"{self.graph_value.name}:{self.graph_value.index}"

    @property
    def graph(self) -> Any:
        """The graph being traced that it belongs to."""
        return self.scope.trace.graph

    @property
    def op(self) -> Operation:
        """The operation that makes it, as the graph lists it."""
        return self.scope.trace.operation_of(self)

    @property
    def device(self) -> str:
        """That of its operation: the scope that it was made in, "" outside of any."""
        return self.op.device

    @property
    def static_value(self) -> Any:
        """The array of a constant, else None."""
        trace = self.scope.trace
        if type(self.scope) is Stale:
            trace.value_of(self)
        value = self.graph_value
        known = trace.constants.get(value)
        if known is not None:
            for scope in trace.scope.around():
                if scope is self.scope:
                    break
                scope.asked.add(value)
        return known

    @property
    def static_sizes(self) -> Any:
        """The sizes that are known of a shape, with -1 for others; None where there are none."""
        self.settle()
        return self.scope.trace.parts.get(self.graph_value)

    def set_shape(self, shape: Any) -> None:
        """Let the static shape be what is known of both, in this branch or loop if it is in one;
        the run checks it.

        ValueError for a shape that contradicts the static one, StagingError in another function.
        """
        try:
            wanted = as_shape(shape)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{_place()}: set_shape({shape!r}): {error}") from None
        if not compatible(self.static_shape, wanted):
            raise ValueError(
                f"{_place()}: {self._shown()} cannot be given the shape {format_shape(wanted)}: "
                f"it has the shape {format_shape(self.static_shape)}"
            )
        if merge_shapes(self.static_shape, wanted) == self.static_shape:
            return
        trace = active(self)
        if trace is not self.scope.trace:
            raise refusals.refuse(
                f"the shape of {self.graph_value.name!r} is set in {trace.name}, which it is no "
                "argument of",
                "x = tf.ensure_shape(x, shape), or an argument",
            )
        trace.refine(
            self, trace.apply(TABLE["ensure_shape"], (self.graph_value,), {"shape": wanted})
        )

    @property
    def raw(self) -> NoReturn:
        """Asked for where ops compute at once: outside of any trace, and so outside of its own."""
        raise leaked(self)

    def __repr__(self) -> str:
        refuse_text(self)
        return self._shown()

    def _shown(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        refuse_text(self)
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'

    def __hash__(self) -> int:
        if sharing.home(self).trace.is_fed:
            return id(self)
        message = "Tensor is unhashable: a set or a dict cannot hold it as a key"
        hint = "use x.ref() as the key, a tensor for the table, f.__wrapped__ for a cached f"
        raise refusals.placed(*refusals.of_key(message, hint))

    def __setitem__(self, key: Any, value: Any) -> None:
        frame = sys._getframe(1)
        item_assignments.set_item(self, key, value, lambda: container_at(frame))

    def __mul__(self, other: Any) -> Any:
        made = repeated(other, self)
        return Tensor.__mul__(self, other) if made is NotImplemented else made

    def __rmul__(self, other: Any) -> Any:
        made = repeated(other, self, changes_in_place(sys._getframe(1)))
        return Tensor.__rmul__(self, other) if made is NotImplemented else made

    def __bool__(self) -> NoReturn:
        raise not_python(self, "as a Python bool", WAY_OUT)

    def __iter__(self) -> Iterator[Any]:
        count = rows_unpacked(sys._getframe(1), self.static_shape)
        if count is None:
            raise not_python(self, "as a Python iterable", WAY_OUT)
        if len(self.static_shape or (None,)) == 0 or (self.static_shape or (None,))[0] is None:
            trace = active(self)
            trace.apply(CHECK_LENGTH, (trace.value_of(self),), {"expected": count})
        return iter(RowSequence(self, count))

    def __len__(self) -> int:
        shape = self.static_shape
        if shape is None or (shape and shape[0] is None):
            raise not_python(self, "as the argument of len", "use tf.shape(x)[0] for its size")
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return cast(int, shape[0])

    def __contains__(self, item: object) -> NoReturn:
        raise not_python(self, "with the operator `in`", "write tf.reduce_any(x == item)")

    def __int__(self) -> NoReturn:
        raise not_python(self, "as a Python int", "use tf.cast(x, tf.int32)")

    def __float__(self) -> NoReturn:
        raise not_python(self, "as a Python float", "use tf.cast(x, tf.float32)")

    def __complex__(self) -> NoReturn:
        raise not_python(self, "as a Python complex", "use tf.cast(x, tf.complex64)")

    def _as_number(self) -> Any:
        trace = active(self)
        kind = "float" if self.dtype.is_floating else "int"
        return trace.apply(ITEMS[kind], (trace.value_of(self),))

    def __index__(self) -> NoReturn:
        raise not_python(
            self,
            AS_INDEX,
            "index a tensor with it, for example by tf.gather, or a list that is made for a name "
            "of the function",
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise not_python(self, "as a NumPy array", refusals.instead_of_numpy())

    def __dlpack__(self, **options: Any) -> NoReturn:
        raise not_python(
            self,
            "as another library's array",
            "use the op of the same name instead of its function",
        )

    def __format__(self, spec: str) -> str:
        if is_described():
            return format(self._shown(), spec)
        raise not_python(self, "in an f-string or format()", PRINTED)

    def numpy(self) -> NoReturn:
        """Refused: a symbol has no value yet."""
        raise not_python(
            self, "for its value by numpy()", "compute with tensors, and call numpy() on the result"
        )


def _place() -> str:
    return format_location(user_location())
