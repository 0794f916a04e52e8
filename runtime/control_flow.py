"""Control flow by hand: `cond`, `case`, `switch_case`, `while_loop`, eagerly and in graphs, with
TensorFlow's signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from runtime import errors, ops
from runtime.convert import convert_to_tensor
from runtime.graph import control
from runtime.graph.arrays import Elements
from runtime.graph.control import limited
from runtime.graph.ir import covers
from runtime.graph.joins import Leaf, Spec, Tree
from runtime.graph.structures import structure_of
from runtime.graph.tracing import Symbol, SymbolicNumber, SymbolicTensor
from runtime.primitive import state
from runtime.shapes import TensorSpec, as_shape
from runtime.staging import BlockRecorder, called
from runtime.tensor import Tensor
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
    for what, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(f"cond(): {what} must be callable, not {branch!r}")
    assert true_fn is not None
    assert false_fn is not None
    if not _is_staged(pred):
        return true_fn() if _holds(pred) else false_fn()
    return control.cond(pred, called(true_fn), called(false_fn), (), (), BlockRecorder)


def _holds(pred: Any) -> bool:
    if isinstance(pred, Tensor) and pred.shape.rank not in (0, None):
        raise ValueError(f"a condition must be a scalar, got shape {pred.shape}")
    return bool(pred)


def case(
    pred_fn_pairs: Any,
    default: Thunk | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first function whose condition holds, else of `default`.

    `pred_fn_pairs` is a list of (condition, function), or a dict. With `exclusive`,
    InvalidArgumentError where more than one holds; without `default`, where none does.
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if not pairs:
        raise ValueError("case() needs at least one pair of a condition and a function")
    for predicate, function in pairs:
        if not callable(function):
            raise TypeError(
                f"case(): the function for {predicate!r} must be callable, not {function!r}"
            )
    if exclusive:
        _check_exclusive([predicate for predicate, _ in pairs])

    def none_holds() -> Any:
        raise errors.InvalidArgumentError(None, "Case", "None of the conditions evaluated as True")

    return _first_that_holds(pairs, default or none_holds)


def _first_that_holds(pairs: Sequence[tuple[Any, Thunk]], default: Thunk) -> Any:
    if not pairs:
        return default()
    (predicate, function), *rest = pairs
    return cond(predicate, function, lambda: _first_that_holds(rest, default))


def _check_exclusive(predicates: Sequence[Any]) -> None:
    held = ops.add_n([ops.cast(convert_to_tensor(predicate), "int32") for predicate in predicates])

    def fine() -> None:
        pass

    def refused() -> None:
        raise errors.InvalidArgumentError(
            None, "Case", "More than one condition evaluated as True but exclusive=True"
        )

    cond(held <= 1, fine, refused)


def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Thunk | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of the function at `branch_index`; of `default` (else the last function) where
    there is none.

    `branch_fns` is a list of functions, of (index, function), or a dict.
    """
    pairs = _indexed(branch_fns)
    fallback = default or max(pairs, key=lambda pair: pair[0])[1]
    if not _is_staged(branch_index):
        chosen = dict(pairs).get(int(branch_index), fallback)
        return chosen()
    return _first_that_holds([(branch_index == at, function) for at, function in pairs], fallback)


def _indexed(branch_fns: Any) -> list[tuple[int, Thunk]]:
    if isinstance(branch_fns, dict):
        return list(branch_fns.items())
    return [
        pair if isinstance(pair, tuple) else (place, pair) for place, pair in enumerate(branch_fns)
    ]


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

    `shape_invariants` declares shapes that the variables keep, in their structure; in a graph
    ValueError for a variable that does not keep its shape. `maximum_iterations` ends the loop after
    so many rounds.
    """
    if not callable(cond) or not callable(body):
        raise TypeError("while_loop(): 'cond' and 'body' must be callable")
    if not isinstance(loop_vars, list | tuple | dict):
        loop_vars = [loop_vars]
    values = tuple(loop_vars.values()) if isinstance(loop_vars, dict) else tuple(loop_vars)
    if not values:
        raise ValueError("while_loop(): 'loop_vars' must not be empty")
    loop = _HandLoop(cond, body, loop_vars, maximum_iterations)
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
        if isinstance(self.like, dict):
            return self.cond(self.packed(values))
        return self.cond(*values)

    def round(self, *values: Any) -> tuple[Any, ...]:
        given = (self.packed(values),) if isinstance(self.like, dict) else values
        return self.split(self.body(*given), len(values))

    def _bare_round(self, *values: Any) -> Any:
        return control.bare(self.round(*values))

    def split(self, result: Any, size: int) -> tuple[Any, ...]:
        if isinstance(result, dict) and isinstance(self.like, dict):
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
        while (self.limit is None or rounds < self.limit) and _holds(self.test(*values)):
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
            test, body = limited(test, body, self.limit)
            values, names = (convert_to_tensor(0), *values), ["count", *names]
            declared = {at + 1: spec for at, spec in declared.items()}
        left = control.while_loop(
            test,
            body,
            values,
            names,
            test(*values),
            BlockRecorder,
            self.body,
            declared,
        )
        left = control.as_state(left, len(values))
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
    found = structure_of(value)
    if found is not None:
        declared = structure_of(shape)
        if declared is None or declared[0] != found[0]:
            raise ValueError("while_loop(): shape_invariants must have the structure of loop_vars")
        pairs = zip(found[1], declared[1], strict=True)
        return Tree(found[0], tuple([_declared_spec(part, inner) for part, inner in pairs]))
    wide = as_shape(shape.shape if isinstance(shape, TensorSpec) else shape)
    declared_type = TensorType(value.dtype, wide)
    if not covers(declared_type, value.type):
        raise ValueError(
            f"while_loop(): a loop variable of shape {value.shape} does not fit its shape "
            f"invariant {shape}"
        )
    return Leaf(declared_type)


def _as_tensors(value: Any) -> Any:
    found = structure_of(value)
    if found is None:
        is_kept = value is None or isinstance(value, Symbol | Elements)
        return value if is_kept else convert_to_tensor(value)
    structure, children = found
    return structure.build([_as_tensors(child) for child in children])


@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Run what follows after `control_inputs`: tensors, or functions, which are called now.

    Everything with an effect runs in program order anyway, in graphs as well.
    """
    for item in control_inputs or ():
        if callable(item):
            item()
    yield
