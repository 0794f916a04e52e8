"""Functions that bring their own gradients."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import runtime.ops as ops
from runtime import nest
from runtime.autodiff.tape import GradientTape, Recorder, is_variable
from runtime.convert import convert_to_tensor
from runtime.primitive import Primitive, bind, state
from runtime.tensor import Tensor

Rule = Callable[..., Sequence[Any]]


def _outputs(*values: Any, rule: Rule, count: int) -> Any:
    return values[0] if count == 1 else values[:count]


def _gradient(op: Any, *grads: Any) -> list[Any]:
    given = [
        ops.zeros_like(output) if grad is None else grad
        for grad, output in zip(grads, op.outputs, strict=True)
    ]
    return [*[None] * op.params["count"], *op.params["rule"](*given)]


# Its inputs are the results of the function, which it passes on, and the tensors that `rule` gives
# gradients for.
custom_p = Primitive(
    "custom_gradient", _outputs, _outputs, op_type="IdentityN", gradient=_gradient, keep_inputs=(),
)  # fmt: skip


class _Accesses(Recorder):
    """Notes which trainable variables are read."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: dict[int, Any] = {}

    def record(
        self,
        primitive: Primitive,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> None:
        """Note a read."""
        variable = params.get("variable")
        if not inputs and variable is not None and variable.trainable:
            self.found[variable.node] = variable


@contextmanager
def _noting_accesses() -> Iterator[_Accesses]:
    accesses = _Accesses()
    before = state.tapes
    state.tapes = (*before, accesses)
    try:
        yield accesses
    finally:
        state.tapes = before


@contextmanager
def _without_tapes() -> Iterator[None]:
    before = state.tapes
    state.tapes = tuple([tape for tape in before if isinstance(tape, _Accesses)])
    try:
        yield
    finally:
        state.tapes = before


def custom_gradient(f: Any = None) -> Any:
    """Decorator of a function that returns its result and a function that computes its gradient.

    The second is given the gradients of the results and returns one gradient (or None) for each
    argument. If the function reads variables that are not among its arguments, it must also take
    `variables=` and return a pair: the gradients for the arguments, and those for the variables.
    Gradients of gradients go through it. Raises ValueError where it returns the wrong number of
    gradients, TypeError where it does not take `variables`.
    """
    if f is None:
        return custom_gradient
    call = _Call(f)

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if state.trace is None and not state.tapes:
            return f(*args, **kwargs)[0]
        return call(args, kwargs)

    return decorated


class _Call:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.signature = inspect.signature(function)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with _noting_accesses() as accesses:
            result, grad_fn = self.function(*args, **kwargs)
        given = self._flat(args, kwargs)
        among = {id(item) for item in given}
        variables = [v for v in accesses.found.values() if id(v) not in among]
        if variables:
            _check_takes_variables(grad_fn, variables)
        tensors = [item for item in given if _is_differentiated(item)]
        inputs = [convert_to_tensor(item) for item in (*tensors, *variables)]
        rule = _rule(grad_fn, given, len(nest.flatten(args)), variables)
        flat = [convert_to_tensor(item) for item in nest.flatten(result)]
        outputs = bind(custom_p, *flat, *inputs, rule=rule, count=len(flat))
        return nest.pack_sequence_as(result, outputs) if nest.is_nested(result) else outputs

    def _flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of all arguments, in the order of the parameters."""
        if not kwargs:
            return nest.flatten(args)
        bound = self.signature.bind(*args, **kwargs)
        return nest.flatten([*bound.args, *bound.kwargs.values()])


def _is_differentiated(item: Any) -> bool:
    return isinstance(item, Tensor) or is_variable(item)


def _check_takes_variables(grad_fn: Callable[..., Any], variables: Sequence[Any]) -> None:
    parameters = inspect.signature(grad_fn).parameters.values()
    if not any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters):
        names = ", ".join(variable.name for variable in variables)
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
            f"variables: {names}"
        )


def _rule(
    grad_fn: Callable[..., Any], given: list[Any], positional: int, variables: list[Any]
) -> Rule:
    """The gradients for the tensors among `given`, then for the variables."""
    wanted = [place for place, item in enumerate(given) if _is_differentiated(item)]

    def rule(*grads: Any) -> list[Any]:
        if not variables:
            found, of_variables = grad_fn(*grads), []
        else:
            found, of_variables = grad_fn(*grads, variables=list(variables))
            if len(of_variables) != len(variables):
                raise ValueError(
                    f"Must return gradient for each variable from @custom_gradient grad_fn: there are "
                    f"{len(variables)}, but it returned {len(of_variables)}."
                )
        flat = nest.flatten(found)
        if len(flat) == len(wanted):
            chosen = flat
        elif len(flat) in (len(given), positional):
            chosen = [flat[place] if place < len(flat) else None for place in wanted]
        else:
            raise ValueError(
                f"custom_gradient function expected to return {positional} gradients, but returned "
                f"{len(flat)} instead."
            )
        return [
            None if grad is None else convert_to_tensor(grad) for grad in (*chosen, *of_variables)
        ]

    return rule


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, of which tapes keep the arguments only: what its gradient needs is computed again when
    it is asked for.
    """

    @functools.wraps(f)
    def inner(*args: Any, **kwargs: Any) -> Any:
        with _without_tapes():
            result = f(*args, **kwargs)

        def grad(*upstream: Any, variables: Sequence[Any] = ()) -> Any:
            tensors = [item for item in nest.flatten(args) if _is_differentiated(item)]
            with GradientTape() as tape:
                tape.watch(tensors)
                again = f(*args, **kwargs)
            found = tape.gradient(again, [tensors, list(variables)], list(upstream))
            return found if variables else found[0]

        return result, grad

    return custom_gradient(inner)  # type: ignore[no-any-return]


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with the gradient of the identity: what comes from above goes on to the arguments
    unchanged.
    """

    @functools.wraps(f)
    def inner(*args: Any, **kwargs: Any) -> Any:
        def grad(*upstream: Any, variables: Sequence[Any] | None = None) -> Any:
            return upstream if variables is None else (upstream, [None] * len(variables))

        return f(*args, **kwargs), grad

    return custom_gradient(inner)  # type: ignore[no-any-return]
