"""The core of the backend: its Variable, conversion, and shapes without values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import (
    KerasVariable,
    global_state,
    is_int_dtype,
    standardize_dtype,
)
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import (
    StatelessScope,
    get_stateless_scope,
    in_stateless_scope,
)
from keras.src.backend.common.symbolic_scope import SymbolicScope, in_symbolic_scope

import runtime
from runtime.core.convert import register_conversion
from runtime.core.state import init_scope, state
from runtime.core.tensor import is_tensor
from runtime.keras.conversion import is_kerass
from runtime.keras.loading import run_theirs
from runtime.keras.notes import install as install_notes
from runtime.keras.settings import uses
from runtime.train.restoration import proceed

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True


class Variable(KerasVariable):
    """Keras' variable, whose value is a `runtime.Variable`."""

    is_tensor_like = True

    @classmethod
    def of(cls, variable: runtime.Variable, name: str) -> Variable:
        """Keras' variable of one that exists: in a stateless scope too, which refuses new ones."""
        scope = get_stateless_scope()
        global_state.set_global_attribute("stateless_scope", None)
        try:
            return cls(variable, trainable=variable.trainable, name=name)
        finally:
            global_state.set_global_attribute("stateless_scope", scope)

    @property
    def trainable(self) -> bool:
        """Whether it is trainable."""
        uses(self)
        return self._trainable

    @trainable.setter
    def trainable(self, value: Any) -> None:
        self._trainable = bool(value)

    def _initialize(self, value: Any) -> None:
        if isinstance(value, runtime.Variable):
            self._value = value
        else:
            self._value = runtime.Variable(
                value, dtype=self._dtype, trainable=self.trainable, name=self.name
            )

    def _initialize_with_initializer(self, initializer: Callable[..., Any]) -> None:
        # Once, before all that is being traced: also what a staged branch or loop builds.
        with init_scope():
            self._initialize(lambda: initializer(self._shape, dtype=self._dtype))

    def _deferred_initialize(self) -> None:
        if self._value is not None:
            raise ValueError(f"Variable {self.path} is already initialized.")
        if in_stateless_scope():
            raise ValueError(
                f"Variable {self.path} is made in a stateless scope: build the layer or the model "
                "before it is used there"
            )
        self._initialize_with_initializer(self._initializer)
        self._initializer = None
        proceed()

    def assign(self, value: Any) -> Any:
        """Give it a new value; where only shapes are asked for, in the graph that nobody runs."""
        if not in_symbolic_scope():
            return super().assign(value)
        value = self._convert_to_tensor(value, dtype=self._dtype)
        if not self.shape.is_compatible_with(value.shape):
            raise ValueError(f"{self} cannot be assigned a value of shape {value.shape}")
        if self._value is not None:
            self._direct_assign(value)
        return value

    def _direct_assign(self, value: Any) -> None:
        self._value.assign(runtime.cast(value, self._value.dtype))

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(value, dtype=dtype)

    @property
    def held_variable(self) -> Any:
        """The variable that graphs and tapes know."""
        return self._value

    @property
    def handle(self) -> Any:
        """The holder of the value."""
        return self._value.handle

    @property
    def shape(self) -> runtime.TensorShape:
        """The shape of its values."""
        return runtime.TensorShape(super().shape)

    def numpy(self) -> Any:
        """The value as an ndarray."""
        return self.value.numpy()

    def __repr__(self) -> str:
        # In the text of an error of Keras': while a function is traced, without the value.
        if state.trace is None or not is_kerass(sys._getframe(1).f_globals):
            return str(super().__repr__())
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.value.numpy(), dtype=dtype)


def _to_tensor(variable: Variable, dtype: Any) -> Any:
    return runtime.convert_to_tensor(variable.value, dtype)


register_conversion(Variable, _to_tensor)


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """The tensor of a value, cast to `dtype` if one is given; tensors and variables of that dtype
    are returned as they are.
    """
    if is_tensor(x):
        if dtype is None or standardize_dtype(x.dtype) == (dtype := standardize_dtype(dtype)):
            return x
        return runtime.cast(x, dtype)
    if dtype is None:
        return runtime.convert_to_tensor(x)
    dtype = standardize_dtype(dtype)
    is_known = isinstance(x, np.ndarray | np.generic | bool)
    if is_known or dtype == "bool" or is_int_dtype(dtype):
        return runtime.cast(runtime.convert_to_tensor(_wide(x)), dtype)
    return runtime.convert_to_tensor(tree.map_structure(lambda item: _cast(item, dtype), x), dtype)


def _cast(item: Any, dtype: str) -> Any:
    return runtime.cast(item, dtype) if is_tensor(item) else item


def _wide(x: Any) -> Any:
    """Python integers as 64 bits hold them."""
    flat = tree.flatten(x) if isinstance(x, list | tuple) else (x,)
    return np.array(x) if flat and all(type(item) is int for item in flat) else x


def shape(x: Any) -> tuple[Any, ...]:
    """The shape: a number where it is known, else a tensor."""
    if isinstance(x, KerasTensor):
        return tuple(x.shape)
    x = convert_to_tensor(x)
    static = x.shape
    if static.rank is None:
        raise ValueError(f"ops.shape needs a tensor of known rank, got {x}")
    if static.is_fully_defined():
        return tuple(static.as_list())
    dynamic = runtime.shape(x)
    dims = enumerate(static.as_list())
    return tuple([dynamic[axis] if dim is None else dim for axis, dim in dims])


def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The structure that `fn` returns, of KerasTensors for tensors: it is traced, to a graph that
    nobody keeps.
    """
    given = tree.flatten((args, kwargs))
    places = [at for at, item in enumerate(given) if isinstance(item, KerasTensor)]
    outcome: Any = None

    def scratch(*symbols: Any) -> None:
        nonlocal outcome
        items = list(given)
        for at, symbol in zip(places, symbols, strict=True):
            items[at] = symbol
        own_args, own_kwargs = tree.pack_sequence_as((args, kwargs), items)
        try:
            outcome = tree.map_structure(_spec, fn(*own_args, **own_kwargs))
        except Exception as error:
            # Behind an assignment the graph is to raise it, which is not run.
            outcome = error
            raise

    specs = [runtime.TensorSpec(given[at].shape, given[at].dtype) for at in places]
    with StatelessScope(), SymbolicScope():
        runtime.function(scratch).get_concrete_function(*specs)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _spec(item: Any) -> Any:
    if not is_tensor(item):
        return item
    return KerasTensor(item.shape, standardize_dtype(item.dtype))


def define(module: ModuleType) -> None:
    """Make a module of this name Keras' own, with what is defined here in place of its own."""
    install_notes()
    run_theirs("keras.src.backend.tensorflow.core", module.__name__.rpartition(".")[0], module)
    names = (
        *("SUPPORTS_SPARSE_TENSORS", "SUPPORTS_RAGGED_TENSORS", "SUPPORTS_COMPLEX_DTYPES"),
        *("IS_THREAD_SAFE", "Variable", "compute_output_spec", "convert_to_tensor", "shape"),
    )
    vars(module).update({name: globals()[name] for name in names})
