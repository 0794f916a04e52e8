"""Control flow by hand: `cond`, `case`, `switch_case`, `while_loop`, eagerly and in graphs, with
TensorFlow's signatures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime import errors, ops
from runtime.block_recorder import BlockRecorder
from runtime.convert import convert_to_tensor
from runtime.graph import branches, loops
from runtime.graph.blocks import as_state, bare
from runtime.graph.ir import covers
from runtime.graph.joins import Leaf, Spec, Tree, abstract_entry
from runtime.graph.missing import present
from runtime.graph.structures import structure_of
from runtime.graph.symbolic_number import SymbolicNumber
from runtime.graph.symbolic_tensor import SymbolicTensor
from runtime.ops.arguments import listed, static_int
from runtime.primitive import wrong_dtype, wrong_value
from runtime.shapes import Shape, TensorSpec, as_shape, is_known
from runtime.staging import called
from runtime.state import state
from runtime.tensor import Tensor
from runtime.tensor_array import TensorArray
from runtime.types import TensorType

Thunk = Callable[[], Any]


def _is_staged(value: Any) -> bool:
    return state.trace is not None and isinstance(value, SymbolicTensor | SymbolicNumber)


def cond(
    pred: Any,
    true_fn: Thunk | None = None,
    false_fn: Thunk | None = None,
    name: str | None = None,
) -> Any:
    """`true_fn()` if `pred` (a scalar) holds, else `false_fn()`; in a graph, both are traced and
    one is run.

    Raises TypeError for what cannot be called, and for results of unequal dtypes; ValueError for
    results of unequal structures.
    """
    true_fn = checked_callable(true_fn, "cond(): true_fn")
    false_fn = checked_callable(false_fn, "cond(): false_fn")
    return _chosen(_condition(pred, "cond(): pred", state.trace is not None), true_fn, false_fn)


def _chosen(condition: Any, true_fn: Thunk, false_fn: Thunk) -> Any:
    if not _is_staged(condition):
        return true_fn() if condition else false_fn()
    return branches.cond(condition, called(true_fn), called(false_fn), (), (), BlockRecorder)


def _condition(given: Any, what: str, strict: bool) -> Any:
    """An argument that must be a condition, `what` in messages: with `strict` a bool, else what has
    a truth.
    """
    if isinstance(given, Tensor) and given.static_shape == () and given.dtype.is_bool:
        return given
    given = present(given)
    if getattr(given, "is_resource", False) is True:
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
    pred_fn_pairs: Any,
    default: Thunk | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first function whose condition holds, else of `default`.

    `pred_fn_pairs` is a list of (condition, function), or a dict. With `exclusive`,
    InvalidArgumentError where more than one holds; without `default`, where none does. TypeError
    for pairs or functions that are none, ValueError for no pairs.
    """
    pairs = _pairs(pred_fn_pairs, "case(): pred_fn_pairs")
    for predicate, function in pairs:
        checked_callable(function, f"case(): the function for {predicate!r}")
    pairs = [(_condition(given, "case(): a condition", True), then) for given, then in pairs]
    if default is not None:
        checked_callable(default, "case(): default")
    if exclusive:
        _check_exclusive([predicate for predicate, _ in pairs])

    def none_holds() -> Any:
        raise errors.InvalidArgumentError(None, "Case", "None of the conditions evaluated as True")

    return _first_that_holds(pairs, default or none_holds)


def checked_callable(value: Any, what: str) -> Any:
    """An argument that must be a function, `what` in messages: TypeError for another."""
    if not callable(value):
        raise TypeError(f"{what} must be callable, not {value!r}")
    return value


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


def _first_that_holds(pairs: Sequence[tuple[Any, Thunk]], default: Thunk) -> Any:
    if not pairs:
        return default()
    (predicate, function), *rest = pairs
    return _chosen(predicate, function, lambda: _first_that_holds(rest, default))


def _check_exclusive(predicates: Sequence[Any]) -> None:
    held = ops.add_n([ops.cast(convert_to_tensor(predicate), "int32") for predicate in predicates])

    def fine() -> None:
        pass

    def refused() -> None:
        raise errors.InvalidArgumentError(
            None, "Case", "More than one condition evaluated as True but exclusive=True"
        )

    _chosen(held <= 1, fine, refused)


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Thunk | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of the function at `branch_index`; of `default` (else the last function) where
    there is none.

    `branch_fns` is a list of functions, of (index, function), or a dict. TypeError for indices that
    are no integers and for what cannot be called, ValueError for an index that is there twice.
    """
    pairs = _indexed(branch_fns)
    fallback = max(pairs, key=lambda pair: pair[0])[1]
    if default is not None:
        fallback = checked_callable(default, "switch_case(): default")
    index = _integer(branch_index, "switch_case(): branch_index")
    if not _is_staged(index):
        return dict(pairs).get(index, fallback)()
    return _first_that_holds([(index == at, function) for at, function in pairs], fallback)


def _indexed(branch_fns: Any) -> list[tuple[int, Thunk]]:
    what = "switch_case(): branch_fns"
    entries = _entries(branch_fns, what)
    if all(map(callable, entries)):
        return list(enumerate(entries))
    pairs = _pairs(branch_fns, what)
    for index, function in pairs:
        if not isinstance(index, int):
            raise TypeError(f"{what} must have Python integers as indices, not {index!r}")
        checked_callable(function, f"switch_case(): the function at {index}")
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"{what} must have each index once, got {[at for at, _ in pairs]}")
    return pairs


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
    """`while cond(*loop_vars): loop_vars = body(*loop_vars)`: the loop variables after the last
    round.

    `shape_invariants` declares shapes that the variables keep in graphs, in their structure (that
    of a TensorArray says nothing): ValueError for a variable that does not keep its shape,
    TypeError for a TensorSpec of another dtype. `maximum_iterations` ends the loop after so many
    rounds.
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


class _HandLoop:
    """A loop given by functions: its variables come in a list, tuple or dict, as the body returns
    them.
    """

    def __init__(self, cond: Any, body: Any, loop_vars: Any, limit: Any) -> None:
        self.cond = called(cond)
        self.body = called(body)
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
            raise ValueError("while_loop(): the body returned None, not the loop variables")
        if isinstance(result, dict) and isinstance(self.like, dict):
            if result.keys() != self.like.keys():
                raise ValueError(
                    f"while_loop(): the body returned {list(result)} for the loop variables "
                    f"{list(self.like)}"
                )
            result = tuple([result[key] for key in self.like])
        if not isinstance(result, list | tuple) or (size == 1 and hasattr(result, "_fields")):
            result = (result,)
        if len(result) != size:
            raise ValueError(
                f"while_loop(): the body returned {len(result)} values for {size} loop variables"
            )
        return tuple(result)

    def packed(self, values: Sequence[Any]) -> Any:
        if isinstance(self.like, dict):
            return dict(zip(self.like, values, strict=True))
        if hasattr(self.like, "_fields"):
            return type(self.like)(*values)
        return type(self.like)(values)

    def run(self, values: tuple[Any, ...]) -> Any:
        """The loop as Python runs it."""
        values = tuple(map(_as_tensors, values))
        rounds = 0
        while (self.limit is None or rounds < self.limit) and self.test(*values):
            values = tuple(map(_as_tensors, self.round(*values)))
            rounds += 1
        return self.packed(values)

    def staged(self, values: tuple[Any, ...], invariants: Any) -> Any:
        """The loop as a node of the graph."""
        values = tuple(map(_as_tensors, values))
        declared = self._declared(values, invariants)
        names = list(self.like) if isinstance(self.like, dict) else self._names(len(values))
        test, body = self.test, self._bare_round
        if self.limit is not None:
            test, body = loops.limited(test, body, self.limit)
            values, names = (convert_to_tensor(0), *values), ["count", *names]
            declared = {at + 1: spec for at, spec in declared.items()}
        left = loops.while_loop(
            test,
            body,
            values,
            names,
            test(*values),
            BlockRecorder,
            self.body,
            declared,
        )
        left = as_state(left, len(values))
        return self.packed(left if self.limit is None else left[1:])

    def _names(self, size: int) -> list[str]:
        code = getattr(self.body, "__code__", None)
        names = list(code.co_varnames[: code.co_argcount][-size:]) if code else []
        return names if len(names) == size else [f"loop_var_{at}" for at in range(size)]

    def _declared(self, values: tuple[Any, ...], invariants: Any) -> dict[int, Spec]:
        if invariants is None:
            return {}
        if isinstance(invariants, dict) and isinstance(self.like, dict):
            invariants = [invariants[key] for key in self.like]
        if not isinstance(invariants, list | tuple) or len(invariants) != len(values):
            raise ValueError("while_loop(): shape_invariants must have the structure of loop_vars")
        pairs = zip(values, invariants, strict=True)
        return {at: _declared_spec(value, shape) for at, (value, shape) in enumerate(pairs)}


def _declared_spec(value: Any, shape: Any) -> Spec:
    """The Spec of a loop variable whose shapes are declared, in its structure, by TensorShapes or
    TensorSpecs.
    """
    if isinstance(value, TensorArray):  # it keeps its own
        return abstract_entry(value)
    found = structure_of(value)
    if found is not None:
        declared = structure_of(shape)
        if declared is None or declared[0] != found[0]:
            raise ValueError("while_loop(): shape_invariants must have the structure of loop_vars")
        pairs = zip(found[1], declared[1], strict=True)
        return Tree(found[0], tuple([_declared_spec(part, inner) for part, inner in pairs]))
    wide = _shape_of(shape)
    if isinstance(shape, TensorSpec) and shape.dtype is not value.dtype:
        raise wrong_dtype(
            f"while_loop(): shape_invariants has {shape} for a loop variable of {value.dtype.name}"
        )
    declared_type = TensorType(value.dtype, wide)
    if not covers(declared_type, value.type):
        raise ValueError(
            f"while_loop(): a loop variable of shape {value.shape} does not fit its shape "
            f"invariant {shape}"
        )
    return Leaf(declared_type)


def _shape_of(given: Any) -> Shape:
    try:
        return as_shape(given.shape if isinstance(given, TensorSpec) else given)
    except (TypeError, ValueError):
        raise TypeError(
            f"while_loop(): shape_invariants has {given!r}, which is no shape"
        ) from None


def _as_tensors(value: Any) -> Any:
    if value is None or isinstance(value, TensorArray):
        return value
    found = structure_of(value)
    if found is None:
        return convert_to_tensor(value)
    structure, children = found
    return structure.build([_as_tensors(child) for child in children])


def no_op(name: str | None = None) -> None:
    """Nothing: a branch, or an entry of `control_dependencies`, that has none."""


def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing: what has an effect runs anyway, in program order."""


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Run what follows after `control_inputs`: tensors, or functions, which are called now.

    Everything with an effect runs in program order anyway, in graphs as well. TypeError for what is
    no list.
    """
    for item in () if control_inputs is None else listed(control_inputs, "control_inputs"):
        if callable(item):
            item()
    yield
