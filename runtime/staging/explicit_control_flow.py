"""Control flow by hand: `cond`, `case`, `switch_case`, `while_loop`, eagerly and in graphs, with
TensorFlow's signatures.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from functools import partial
from typing import Any, TypeVar, overload

import numpy as np

from runtime import errors, ops
from runtime.core.convert import convert_to_tensor
from runtime.core.inspection import signature_of
from runtime.core.primitive import wrong_dtype, wrong_value
from runtime.core.shapes import is_known
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.core.types import is_variable
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.structures import structure_of
from runtime.ops.arguments import listed, static_int
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches, loops
from runtime.staging.control.blocks import Wording, as_state, bare
from runtime.staging.control.invariants import declared_spec
from runtime.staging.control.optional_values import present
from runtime.staging.control.specs import Spec
from runtime.staging.frames import user_location
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.tensor_array import TensorArray
from runtime.staging.scopes import active, called
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor

Thunk = Callable[[], Any]
T = TypeVar("T")
U = TypeVar("U")
LoopVars = TypeVar(
    "LoopVars",
    bound=list[Tensor] | list[TensorArray] | tuple[Tensor | TensorArray, ...] | dict[str, Tensor],
)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _is_staged(value: Any) -> bool:
    return state.trace is not None and isinstance(value, SymbolicTensor | SymbolicNumber)


def cond(
    pred: Any,
    true_fn: Callable[[], T] | None = None,
    false_fn: Callable[[], U] | None = None,
    name: str | None = None,
) -> T | U:
    """`true_fn()` if `pred` (a scalar) holds, else `false_fn()`.

    In a graph, both are traced and one is run.

    Raises TypeError for what cannot be called, and for results of unequal dtypes or structures.

    >>> rt.cond(rt.constant(2) > 1, lambda: "larger", lambda: "not")
    'larger'
    """
    true_fn = checked_callable(true_fn, "cond(): true_fn")
    false_fn = checked_callable(false_fn, "cond(): false_fn")
    condition = _condition(pred, "cond(): pred", state.trace is not None)
    words = Wording("true_fn and false_fn", "the result of cond()", functions=True)
    if _is_staged(condition):
        check_takes(true_fn, 0, "cond(): true_fn")
        check_takes(false_fn, 0, "cond(): false_fn")
    return _chosen(condition, true_fn, false_fn, words)  # type: ignore[no-any-return]


def _chosen(condition: Any, true_fn: Thunk, false_fn: Thunk, words: Wording) -> Any:
    if not _is_staged(condition):
        return true_fn() if condition else false_fn()
    branch = active().branch
    blocks = branch(true_fn), branch(false_fn)
    return branches.cond(condition, *blocks, (), (), BlockRecorder, words=words)


def _condition(given: Any, what: str, strict: bool) -> Any:
    """An argument that must be a condition, `what` in messages: with `strict` a bool, else what has
    a truth.
    """
    if isinstance(given, Tensor) and given.static_shape == () and given.dtype.is_bool:
        return given
    given = present(given)
    if is_variable(given):
        given = given.value()
    if given is None or (strict and not _is_bool(given)):
        hint = "" if given is None else ": compare it, as in `x != 0`"
        raise wrong_dtype(f"{what} must be a bool, not {given!r}{hint}")
    known = isinstance(given, np.ndarray) or (
        isinstance(given, Tensor) and is_known(given.static_shape)
    )
    if known and math.prod(given.shape) != 1:
        raise wrong_value(f"{what} must be a scalar, got shape {tuple(given.shape)}")
    return given


def _is_bool(given: Any) -> bool:
    if isinstance(given, Tensor | np.ndarray):
        return bool(given.dtype == "bool")
    if isinstance(given, SymbolicNumber):
        return given.type.kind == "bool"
    return isinstance(given, bool | np.bool_)


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], T]]] | dict[Any, Callable[[], T]],
    default: Callable[[], U] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> T | U:
    """The result of the first function whose condition holds, else of `default`.

    `pred_fn_pairs` is a list of (condition, function), or a dict. With `exclusive`,
    InvalidArgumentError where more than one holds; without `default`, where none does. TypeError
    for pairs or functions that are none, ValueError for no pairs.

    >>> rt.case([(rt.constant(1) > 2, lambda: 1)], default=lambda: 2)
    2
    """
    pairs = _pairs(pred_fn_pairs, "case(): pred_fn_pairs")
    for predicate, function in pairs:
        checked_callable(function, f"case(): the function for {predicate!r}")
    pairs = [(_condition(given, "case(): a condition", True), then) for given, then in pairs]
    if default is not None:
        checked_callable(default, "case(): default")

    def none_holds() -> Any:
        text = "Case: none of the conditions holds, and case() has no `default`"
        location = None if state.trace is None else user_location()
        raise errors.InvalidValueError(None, "Case", text, location=location)

    checked = [_exclusive([predicate for predicate, _ in pairs])] if exclusive else []
    with control_dependencies(checked):
        found: T | U = _first_that_holds(pairs, default or none_holds, "case()", range(len(pairs)))
    return found


def checked_callable(value: Any, what: str) -> Any:
    """An argument that must be a function, `what` in messages: TypeError for another."""
    if not callable(value):
        raise TypeError(f"{what} must be callable, not {value!r}")
    return value


def check_takes(function: Any, count: int, what: str) -> None:
    """TypeError for a function that cannot be called with so many arguments, `what` in messages.

    Only while tracing: a call in a staged block would raise it in the run, if at all.
    """
    if state.trace is None:
        return
    try:
        signature = signature_of(function)
    except (TypeError, ValueError):  # not every builtin has one
        return
    try:
        signature.bind(*[None] * count)
    except TypeError as error:
        raise TypeError(f"{what} is called with {_count(count, 'argument')}: {error}") from None


def _entries(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list | tuple | dict):
        raise TypeError(f"{what} must be a list, tuple or dict, not {given!r}")
    if not given:
        raise ValueError(f"{what} must have at least one entry")
    return list(given.items() if isinstance(given, dict) else given)


def _pairs(given: Any, what: str) -> list[tuple[Any, Any]]:
    found = _entries(given, what)
    for pair in found:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(f"{what} must have pairs as entries, not {pair!r}")
    return [(first, second) for first, second in found]


def _integer(value: Any, what: str) -> Any:
    """An argument that must be an integer: a Python one, unless it is in the graph."""
    if not _is_staged(value):
        return static_int(value, what)
    if isinstance(value, SymbolicNumber):
        is_integer = value.type.kind != "float"
    else:
        is_integer = value.dtype.is_integer
        if value.static_shape not in ((), None):
            raise wrong_value(f"{what} must be a scalar, got shape {value.shape}")
    if not is_integer:
        raise wrong_dtype(f"{what} must be an integer, not {value!r}")
    return value


def _first_that_holds(
    pairs: Sequence[tuple[Any, Thunk]], default: Thunk, caller: str, keys: Sequence[int]
) -> Any:
    """`keys` tell the functions apart in messages."""
    if not pairs:
        return default()
    (predicate, function), *rest = pairs
    if _is_staged(predicate):
        check_takes(function, 0, f"{caller}: the function at {keys[0]}")
        check_takes(default, 0, f"{caller}: default")
    others = f"those behind it (at {', '.join(map(str, keys[1:]))}, default)" if rest else "default"
    sides = f"the function at {keys[0]} and {others}"
    words = Wording(sides, f"the result of {caller}", functions=True)

    def otherwise() -> Any:
        return _first_that_holds(rest, default, caller, keys[1:])

    return _chosen(predicate, function, otherwise, words)


def _exclusive(predicates: Sequence[Any]) -> Any:
    """A tensor; InvalidArgumentError where more than one holds."""
    held = ops.add_n([ops.cast(convert_to_tensor(predicate), "int32") for predicate in predicates])

    def refused() -> Any:
        raise errors.InvalidValueError(
            None, "Case", "case(): more than one condition holds, though exclusive=True"
        )

    return _chosen(held <= 1, lambda: ops.identity(held), refused, Wording("the conditions"))


def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Callable[[], T]]
    | Sequence[tuple[int, Callable[[], T]]]
    | dict[int, Callable[[], T]],
    default: Callable[[], U] | None = None,
    name: str = "switch_case",
) -> T | U:
    """The result of the function at `branch_index`.

    That of `default` (else of the last function) where there is none.

    `branch_fns` is a list of functions, of (index, function), or a dict. TypeError for indices that
    are no integers and for what cannot be called, ValueError where they are not 0 to n - 1.

    >>> rt.switch_case(rt.constant(1), [lambda: 7, lambda: 8])
    8
    """
    functions = _in_order(branch_fns)
    fallback = functions[-1]
    if default is not None:
        fallback = checked_callable(default, "switch_case(): default")
    index = _integer(branch_index, "switch_case(): branch_index")
    if not _is_staged(index):
        return (functions[index] if 0 <= index < len(functions) else fallback)()  # type: ignore[no-any-return]
    chosen = [(index == at, function) for at, function in enumerate(functions)]
    keys = [*range(len(functions))]
    return _first_that_holds(chosen, fallback, "switch_case()", keys)  # type: ignore[no-any-return]


def _in_order(branch_fns: Any) -> list[Thunk]:
    """The functions by their indices, which are 0 to n - 1."""
    what = "switch_case(): branch_fns"
    entries = _entries(branch_fns, what)
    if all(map(callable, entries)):
        return list(entries)
    pairs = _pairs(branch_fns, what)
    for index, function in pairs:
        if not isinstance(index, int):
            raise TypeError(f"{what} must have Python integers as indices, not {index!r}")
        checked_callable(function, f"switch_case(): the function at {index}")
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"{what} must have each index once, got {[at for at, _ in pairs]}")
    if set(dict(pairs)) != set(range(len(pairs))):
        raise ValueError(
            f"{what} must have the indices 0 to {len(pairs) - 1}, got "
            f"{sorted(at for at, _ in pairs)}: name a function for each"
        )
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]


@overload
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: LoopVars,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> LoopVars: ...
@overload
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Tensor,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> list[Tensor]: ...
@overload
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any: ...
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """The loop variables after `while cond(*loop_vars): loop_vars = body(*loop_vars)`.

    `shape_invariants` declares shapes that the variables keep in graphs, in their structure (that
    of a TensorArray says nothing): ValueError for a variable that does not keep its shape,
    TypeError for a TensorSpec of another dtype. `maximum_iterations` ends the loop after so many
    rounds.

    >>> n, x = rt.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, 2 * x), (rt.constant(0), 1))
    >>> int(n), int(x)
    (3, 8)
    """
    checked_callable(cond, "while_loop(): cond")
    checked_callable(body, "while_loop(): body")
    if not isinstance(loop_vars, list | tuple | dict):
        loop_vars = [loop_vars]
    values = tuple(loop_vars.values()) if isinstance(loop_vars, dict) else tuple(loop_vars)
    if not values:
        raise ValueError("while_loop(): 'loop_vars' must not be empty")
    if static_int(parallel_iterations, "while_loop(): parallel_iterations") < 1:
        raise wrong_value("while_loop(): parallel_iterations must be positive")
    limit = maximum_iterations
    if limit is not None:
        limit = _integer(limit, "while_loop(): maximum_iterations")
    loop = _HandLoop(cond, body, loop_vars, limit)
    return loop.staged(values, shape_invariants) if state.trace is not None else loop.run(values)


_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


def _positional(function: Any) -> list[str]:
    """The names of a function's positional parameters, as far as they are known."""
    try:
        parameters = signature_of(function).parameters.values()
    except (TypeError, ValueError):  # not every builtin has a signature
        return []
    return [known.name for known in parameters if known.kind in _POSITIONAL]


class _HandLoop:
    """A loop given by functions: its variables come in a list, tuple or dict, as the body returns
    them.
    """

    def __init__(self, cond: Any, body: Any, loop_vars: Any, limit: Any) -> None:
        self.cond = called(cond)
        self.body = called(body)
        self.given = body
        self.like = loop_vars
        self.limit = limit

    def test(self, *values: Any) -> Any:
        given = (self.packed(values),) if isinstance(self.like, dict) else values
        strict = state.trace is not None
        return _condition(self.cond(*given), "while_loop(): what cond returns", strict)

    def round(self, *values: Any) -> tuple[Any, ...]:
        given = (self.packed(values),) if isinstance(self.like, dict) else values
        return self.split(self.body(*given), len(values))

    def _bare_round(self, *values: Any) -> Any:
        return bare(self.round(*values))

    def split(self, result: Any, size: int) -> tuple[Any, ...]:
        if result is None:
            raise ValueError(
                f"while_loop(): the body returned None, not the loop variables {self.shown(size)}: "
                "end it with `return`, and all of them in their order"
            )
        if isinstance(result, dict) and isinstance(self.like, dict):
            if result.keys() != self.like.keys():
                raise ValueError(
                    f"while_loop(): the body returned {list(result)} for the loop variables "
                    f"{list(self.like)}: return the same keys"
                )
            result = tuple([result[key] for key in self.like])
        if not isinstance(result, list | tuple) or (size == 1 and hasattr(result, "_fields")):
            result = (result,)
        if len(result) != size:
            given, wanted = _count(len(result), "value"), _count(size, "loop variable")
            raise ValueError(
                f"while_loop(): the body returned {given} for {wanted} ({self.shown(size)}): "
                "return each of them, in their order"
            )
        return tuple(result)

    def tensors(self, values: tuple[Any, ...], numbers: bool = False) -> tuple[Any, ...]:
        """The loop variables as tensors, in their structures; with `numbers`, Python numbers stay
        what they are.
        """
        made = []
        for at, value in enumerate(values):
            try:
                made.append(_as_tensors(value, numbers))
            except TypeError as error:
                name = self.names(len(values))[at]
                raise wrong_dtype(f"while_loop(): loop variable {name!r}: {error}") from None
        return tuple(made)

    def shown(self, size: int) -> str:
        """The loop variables, in messages."""
        return ", ".join(map(repr, self.names(size)))

    def packed(self, values: Sequence[Any]) -> Any:
        if isinstance(self.like, dict):
            return dict(zip(self.like, values, strict=True))
        if hasattr(self.like, "_fields"):
            return type(self.like)(*values)
        return type(self.like)(values)

    def run(self, values: tuple[Any, ...]) -> Any:
        """The loop as Python runs it."""
        values = self.tensors(values, numbers=True)
        rounds = 0
        while (self.limit is None or rounds < self.limit) and self.test(*values):
            values = self.tensors(self.round(*values), numbers=True)
            rounds += 1
        return self.packed(self.tensors(values))

    def staged(self, values: tuple[Any, ...], invariants: Any) -> Any:
        """The loop as a node of the graph."""
        given = 1 if isinstance(self.like, dict) else len(values)
        check_takes(self.cond, given, "while_loop(): cond")
        check_takes(self.body, given, "while_loop(): body")
        values = self.tensors(values)
        names = self.names(len(values))
        declared = self._declared(values, invariants, names)
        test, body = self.test, self._bare_round
        watch = partial(BlockRecorder, test=self.cond)
        if self.limit is not None:
            test, body = loops.limited(test, body, self.limit, watch)
            values, names = (convert_to_tensor(0), *values), ["count", *names]
            declared = {at + 1: spec for at, spec in declared.items()}
        left = loops.while_loop(
            test,
            body,
            values,
            names,
            test(*values),
            watch,
            self.body,
            declared,
        )
        left = as_state(left, len(values))
        return self.packed(left if self.limit is None else left[1:])

    def names(self, size: int) -> list[str]:
        """The names of the loop variables: the keys of a dict, else the body's parameters."""
        if isinstance(self.like, dict):
            return list(map(str, self.like))
        names = _positional(self.given)[:size]
        return names if len(names) == size else [f"loop_var_{at}" for at in range(size)]

    def _declared(
        self, values: tuple[Any, ...], invariants: Any, names: Sequence[str]
    ) -> dict[int, Spec]:
        if invariants is None:
            return {}
        if isinstance(invariants, dict) and isinstance(self.like, dict):
            invariants = [invariants[key] for key in self.like]
        if not isinstance(invariants, list | tuple) or len(invariants) != len(values):
            raise ValueError(
                "while_loop(): shape_invariants must have the structure of loop_vars, a shape for "
                f"each of {self.shown(len(values))}, not {invariants!r}"
            )
        given = enumerate(zip(values, invariants, names, strict=True))
        return {at: declared_spec(*each) for at, each in given}


def _as_tensors(value: Any, numbers: bool = False) -> Any:
    if value is None or isinstance(value, TensorArray):
        return value
    if numbers and type(value) in NUMBER_TYPES:
        return value
    if isinstance(value, Growing) and value.staged is not None:  # the graph has its items already
        return copy(value) if value.plain in (list, dict, tuple) else convert_to_tensor(value)
    found = structure_of(value)
    if found is None:
        return convert_to_tensor(value)
    structure, children = found
    return structure.build([_as_tensors(child, numbers) for child in children])


def no_op(name: str | None = None) -> Any:
    """Nothing: a branch, or an entry of `control_dependencies`, that has none.

    >>> with rt.control_dependencies([rt.no_op()]):
    ...     x = rt.constant(1)
    >>> int(x)
    1
    """
    return None if state.trace is None else state.trace.grouped(())


def group(*inputs: Any, name: str | None = None) -> Any:
    """Nothing: what has an effect runs anyway, in program order.

    In version 1's graphs an operation that runs `inputs`, tensors and operations in structures.

    >>> with rt.control_dependencies([rt.group(rt.no_op(), rt.no_op())]):
    ...     x = rt.constant(1)
    >>> int(x)
    1
    """
    return None if state.trace is None else state.trace.grouped(inputs)


def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """Run what follows after `control_inputs`: tensors, or functions, which are called now.

    Everything with an effect runs in program order anyway, in graphs as well; None leaves all
    blocks of this kind, for version 1's graphs. TypeError for what is no list.

    >>> with rt.control_dependencies([rt.no_op()]):
    ...     x = rt.constant(1)
    >>> int(x)
    1
    """
    items = None if control_inputs is None else listed(control_inputs, "control_inputs")
    return _after(items)


@contextmanager
def _after(items: Iterable[Any] | None) -> Iterator[None]:
    made = items and [item() if callable(item) else item for item in items]
    with nullcontext() if state.trace is None else state.trace.dependent(made):
        yield
