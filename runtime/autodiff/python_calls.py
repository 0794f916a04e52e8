"""`py_function` and `numpy_function`: Python of the user's as a node of a graph.

It runs when the graph does, with the values of the run, once for each run and in program order. A
graph that holds one cannot be saved.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime import dtypes, nest
from runtime.autodiff.requests import UnconnectedGradients
from runtime.autodiff.tape import GradientTape
from runtime.core.convert import as_array, convert_to_tensor
from runtime.core.primitive import bind, flat, row, wrong_dtype
from runtime.core.shapes import TensorSpec, as_shape
from runtime.core.state import call_back, state
from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.graph.data import Opaque
from runtime.staging.explicit_control_flow import checked_callable


def _call(arrays: tuple[Any, ...], function: Opaque, types: Any, as_tensors: bool) -> Any:
    given = [EagerTensor(np.asarray(a)) if as_tensors else np.array(a)[()] for a in arrays]
    found = call_back(function.item, *given)
    if not types:
        return ()
    parts = nest.flatten(found) if nest.is_nested(found) else [found]
    if found is None or len(parts) != len(types):
        count = 0 if found is None else len(parts)
        raise wrong_dtype(f"the function returned {count} results where {len(types)} are declared")
    made = [_result(part, type) for part, type in zip(parts, types, strict=True)]
    return tuple(made) if len(made) > 1 else made[0]


def _result(part: Any, type: TensorType) -> Any:
    if isinstance(part, EagerTensor):
        part = part.raw
    raw = np.asarray(as_array(part, None if hasattr(part, "dtype") else type.dtype))
    if raw.dtype != type.dtype.np_dtype:
        raise wrong_dtype(
            f"the function returned {dtypes.as_dtype(raw.dtype).name} where {type.dtype.name} is "
            "declared"
        )
    return raw


def _kernel(*arrays: Any, function: Opaque, types: Any, as_tensors: bool) -> Any:
    return _call(arrays, function, types, as_tensors)


def _types(*inputs: Any, function: Opaque, types: Any, as_tensors: bool) -> Any:
    return types[0] if len(types) == 1 else tuple(types)


def _gradient(op: Any, *grads: Any) -> list[Any]:
    """The gradients of the function, called once more under a tape when the graph runs."""
    params, count = op.params, len(op.inputs)
    if not params["as_tensors"]:
        return [None] * count
    function = params["function"].item
    sources = [at for at, x in enumerate(op.inputs) if x.dtype.is_floating or x.dtype.is_complex]
    given = [at for at, grad in enumerate(grads) if grad is not None]

    def differentiated(*values: Any) -> Any:
        inputs, weights = values[:count], values[count:]
        with GradientTape() as tape:
            watched = [inputs[at] for at in sources]
            tape.watch(watched)
            found = function(*inputs)
            parts = nest.flatten(found) if nest.is_nested(found) else [found]
            targets = [convert_to_tensor(parts[at]) for at in given]
        return tape.gradient(targets, watched, list(weights), UnconnectedGradients.ZERO)

    types = tuple([op.inputs[at].type for at in sources])
    made = bind(
        py_func_p, *op.inputs, *[grads[at] for at in given],
        function=Opaque(differentiated), types=types, as_tensors=True,
    )  # fmt: skip
    found = iter(made if type(made) is tuple else (made,))
    return [next(found) if at in sources else None for at in range(count)]


_FACTS: Any = {"calls_back": True, "fallible": True}
py_func_p = row(
    "py_func", _kernel, _types, op_type="EagerPyFunc", gradient=_gradient, effect=True, **_FACTS
)
pure_py_func_p = row("pure_py_func", _kernel, _types, op_type="PyFunc", gradient=flat, **_FACTS)


def _declared(Tout: Any) -> list[TensorType]:
    listed = nest.flatten(Tout) if nest.is_nested(Tout) else [] if Tout is None else [Tout]
    return [
        TensorType(one.dtype, as_shape(one.shape)) if isinstance(one, TensorSpec)
        else TensorType(dtypes.as_dtype(one), None)
        for one in listed
    ]  # fmt: skip


def _called(
    func: Callable[..., Any], inp: Any, Tout: Any, as_tensors: bool, stateful: bool, what: str
) -> Any:
    checked_callable(func, f"{what}(): func")
    listed = list(inp) if isinstance(inp, list | tuple) else [inp]
    tensors = [convert_to_tensor(x) for x in listed]
    types = tuple(_declared(Tout))
    made = bind(
        py_func_p if stateful else pure_py_func_p, *tensors,
        function=Opaque(func), types=types, as_tensors=as_tensors,
    )  # fmt: skip
    if not types:
        return made if state.trace else None
    parts = list(made) if type(made) is tuple else [made]
    return nest.pack_sequence_as(Tout, parts) if nest.is_nested(Tout) else parts[0]


def _decorator(call: Callable[..., Any], Tout: Any, name: str) -> Callable[..., Any]:
    """A decorator of functions whose calls are `call(function, arguments)` from then on."""
    if Tout is None:
        raise TypeError(f"{name}() as a decorator needs to know what is returned: Tout=...")

    def decorated(func: Callable[..., Any]) -> Callable[..., Any]:
        checked_callable(func, f"{name}(): func")

        @functools.wraps(func)
        def run(*args: Any) -> Any:
            return call(func, args)

        return run

    return decorated


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A Python function of tensors as one op: `func(*inp)`, run whenever the graph runs.

    Args:
        func: takes eager tensors; returns what `Tout` declares, as tensors or what becomes them.
            Without one this is a decorator: `@rt.py_function(Tout=rt.float32)`.
        inp: a list of tensors.
        Tout: a dtype or a TensorSpec, or a list of them; an empty list for no results.

    It has gradients: of what the function does, which is called once more for them. In a graph its
    results have no static shape unless a TensorSpec tells one, and the graph cannot be saved.
    Raises what `func` does, and WrongDtypeError for results that are not as declared.

    >>> @rt.function
    ... def doubled(x):
    ...     return rt.py_function(lambda x: x.numpy() * 2, [x], rt.int32)
    >>> doubled(rt.constant([1, 2])).numpy().tolist()
    [2, 4]
    """
    if func is None:
        return _decorator(functools.partial(py_function, Tout=Tout), Tout, "py_function")
    if state.trace is None:
        return _eager(func, inp, Tout)
    return _called(func, inp, Tout, True, True, "py_function")


def _eager(func: Callable[..., Any], inp: Any, Tout: Any) -> Any:
    listed = list(inp) if isinstance(inp, list | tuple) else [inp]
    found = checked_callable(func, "py_function(): func")(*map(convert_to_tensor, listed))
    types = _declared(Tout)
    parts = nest.flatten(found) if nest.is_nested(found) else [] if found is None else [found]
    if types and len(parts) != len(types):
        raise wrong_dtype(
            f"the function returned {len(parts)} results where {len(types)} are declared"
        )
    made = [convert_to_tensor(part, type.dtype) for part, type in zip(parts, types, strict=False)]
    if not types:
        return made
    return nest.pack_sequence_as(Tout, made) if nest.is_nested(Tout) else made[0]


def numpy_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None,
    stateful: bool = True, name: str | None = None,
) -> Any:  # fmt: skip
    """A Python function of NumPy arrays as one op: `func(*inp)`, run whenever the graph runs.

    Args:
        func: takes arrays of its own, a number or bytes for a scalar; returns what `Tout` declares:
            arrays, numbers, texts. Without one this is a decorator:
            `@rt.numpy_function(Tout=rt.float32)`.
        inp: a list of tensors.
        Tout: a dtype or a TensorSpec, or a list of them.
        stateful: False where equal arguments give equal results: calls may then be left out.

    No gradient flows through it. In a graph its results have no static shape unless a TensorSpec
    tells one, and the graph cannot be saved. Raises what `func` does, and WrongDtypeError for
    results that are not as declared.

    >>> rt.numpy_function(np.cumsum, [[1.0, 2.0]], rt.float32).numpy().tolist()
    [1.0, 3.0]
    """
    if func is None:
        call = functools.partial(numpy_function, Tout=Tout, stateful=stateful)
        return _decorator(call, Tout, "numpy_function")
    return _called(func, inp, Tout, False, stateful, "numpy_function")
