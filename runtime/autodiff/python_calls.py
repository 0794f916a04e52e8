"""`py_function` and `numpy_function`: Python of the user's as a node of a graph.

It runs when the graph does, with the values of the run, once for each run and in program order. A
graph that holds one cannot be saved. Of what has gradients, the op `py_function` records the call;
`py_func` and `pure_py_func` are the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from runtime import dtypes, errors, nest
from runtime.autodiff.records import Record
from runtime.autodiff.requests import UnconnectedGradients
from runtime.autodiff.tape import GradientTape
from runtime.core.convert import as_array, convert_to_tensor
from runtime.core.primitive import bind, flat, row, wrong_dtype
from runtime.core.shapes import TensorSpec, as_shape
from runtime.core.state import call_back, state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import ObjectType, TensorType
from runtime.graph.data import Opaque
from runtime.staging.explicit_control_flow import checked_callable


class _Call:
    """One call of a Python function under a tape, which goes back over it without calling again."""

    __slots__ = ("inputs", "results", "tape")

    def __init__(
        self, tape: _CallTape, inputs: Sequence[Tensor], results: Sequence[Tensor]
    ) -> None:
        self.tape = tape
        self.inputs = inputs
        self.results = results

    def __repr__(self) -> str:
        return "<a call of a Python function>"


class _CallTape(GradientTape):
    """The tape of one call: it records its own gradients, too, for those of higher order."""

    __slots__ = ()

    def _take(self) -> list[Record]:
        """The records, which stay for further gradients."""
        return self._records[:]


CALL_TYPE = ObjectType("py_call", ())


_WAY_OUT = "give what the function reads in `inp`, and return what it changes as a result"


def _call(function: Callable[..., Any], given: Sequence[Any], types: Any) -> list[Any]:
    """Returns what a function gives, as one part for each type."""
    try:
        found = call_back(function, *given)
    except errors.InaccessibleTensorError as error:
        error.hint = _WAY_OUT
        raise
    if not types:
        return []
    parts = nest.flatten(found) if nest.is_nested(found) else [found]
    if found is None or len(parts) != len(types):
        count = 0 if found is None else len(parts)
        raise wrong_dtype(f"the function returned {count} results where {len(types)} are declared")
    return parts


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


def _results(parts: Sequence[Any], types: Any) -> Any:
    made = [_result(part, type) for part, type in zip(parts, types, strict=True)]
    return made[0] if len(made) == 1 else tuple(made)


def _as_tensors(arrays: Sequence[Any]) -> list[EagerTensor]:
    return [EagerTensor(np.asarray(array)) for array in arrays]


def _kernel(*arrays: Any, function: Opaque, types: Any, as_tensors: bool) -> Any:
    given = _as_tensors(arrays) if as_tensors else [np.array(array)[()] for array in arrays]
    return _results(_call(function.item, given, types), types)


def _recorded_kernel(*arrays: Any, function: Opaque, types: Any, records: bool) -> Any:
    given, tape = _as_tensors(arrays), _CallTape(persistent=True)
    if not records:
        parts = _call(function.item, given, types)
        return (*map(_result, parts, types), None)

    def recorded(*inputs: Any) -> Any:
        with tape:
            tape.watch([each for each in inputs if _is_differentiable(each)])
            return function.item(*inputs)

    parts = _call(recorded, given, types)
    made = [_result(part, type) for part, type in zip(parts, types, strict=True)]
    results = [
        part if isinstance(part, Tensor) else EagerTensor(raw)
        for part, raw in zip(parts, made, strict=True)
    ]
    return (*made, _Call(tape, given, results))


def _types(*inputs: Any, function: Opaque, types: Any, as_tensors: bool) -> Any:
    return types[0] if len(types) == 1 else tuple(types)


def _recorded_types(*inputs: Any, function: Opaque, types: Any, records: bool) -> Any:
    return (*types, CALL_TYPE)


def _is_differentiable(item: Any) -> bool:
    """Whether a tensor, or one of a type, may have a gradient."""
    return bool(item.dtype.is_floating or item.dtype.is_complex)


def _may_have_gradient(inputs: Sequence[Any], results: Sequence[Any]) -> bool:
    return any(map(_is_differentiable, inputs)) and any(map(_is_differentiable, results))


def _gradient(op: Any, *grads: Any) -> list[Any]:
    """The gradients of a call, of which the op's last output is the record."""
    inputs = [x for x in op.inputs if isinstance(x, Tensor)]
    sources = tuple([at for at, x in enumerate(inputs) if _is_differentiable(x)])
    targets = tuple([at for at, grad in enumerate(grads) if grad is not None])
    *found, _ = bind(
        py_function_gradient_p, op.outputs[-1], *inputs, *[grads[at] for at in targets],
        sources=sources, targets=targets, types=tuple([inputs[at].type for at in sources]),
        records=True,
    )  # fmt: skip
    by_place = dict(zip(sources, found, strict=True))
    made = [by_place.get(at) for at in range(len(inputs))]
    return [None] * (len(op.inputs) - len(inputs)) + made


def _gradient_kernel(
    call: _Call, *arrays: Any, sources: Any, targets: Any, types: Any, records: bool
) -> Any:
    tape, weights = call.tape, _as_tensors(arrays[len(call.inputs) :])
    with tape if records else nullcontext():
        if records:
            tape.watch(weights)
        found = tape.gradient(
            [call.results[at] for at in targets],
            [call.inputs[at] for at in sources],
            weights,
            UnconnectedGradients.ZERO,
        )
    made: list[Any] = list(map(convert_to_tensor, found))
    record = _Call(tape, [*call.inputs, *weights], made) if records else None
    return (*[each.raw for each in made], record)


def _gradient_types(*inputs: Any, sources: Any, targets: Any, types: Any, records: bool) -> Any:
    return (*types, CALL_TYPE)


_FACTS: Any = {"calls_back": True, "fallible": True}
py_func_p = row(
    "py_func", _kernel, _types, op_type="EagerPyFunc", gradient=flat, effect=True, **_FACTS
)
py_function_p = row(
    "py_function", _recorded_kernel, _recorded_types, op_type="EagerPyFunc",
    gradient=_gradient, records=True, effect=True, **_FACTS,
)  # fmt: skip
py_function_gradient_p = row(
    "py_function_gradient", _gradient_kernel, _gradient_types, op_type="EagerPyFunc",
    gradient=_gradient, records=True, fallible=True,
)  # fmt: skip
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
    types, function = tuple(_declared(Tout)), Opaque(func)
    if as_tensors and _may_have_gradient(tensors, types):
        *made, _ = bind(py_function_p, *tensors, function=function, types=types, records=True)
        return nest.pack_sequence_as(Tout, made) if nest.is_nested(Tout) else made[0]
    made = bind(
        py_func_p if stateful else pure_py_func_p, *tensors,
        function=function, types=types, as_tensors=as_tensors,
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

    It has gradients: of what the function does, which is recorded when it is called. In a graph,
    variables and tensors that it has from elsewhere have none: give them in `inp`. Its results have
    no static shape there unless a TensorSpec tells one, and the graph cannot be saved.
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
