"""Lists that machine code takes or gives: outside of it they are arrays of their items, one behind
the other; those of rows are arrays of all that is in the rows, and of the lengths of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from runtime import dtypes
from runtime.core.primitive import Primitive
from runtime.core.types import ListType, NumberType, TensorType, Type
from runtime.graph.executors.lowered import Block, Function, Kernel, Local, Statement
from runtime.graph.ir import Node, Value
from runtime.graph.lists import (
    CONCAT,
    LENGTHS,
    SPLIT,
    STACK,
    UNSTACK,
    element_of,
    is_row,
    is_uniform,
)
from runtime.graph.nodes import element_shape

Run = Callable[..., tuple[Any, ...]]
_LENGTHS = TensorType(dtypes.int64, (None,))


def _has_rows(type: ListType) -> bool:
    return is_row(element_of(type))


def _array(type: ListType) -> TensorType:
    element = element_of(type)
    shape = element.shape or ()
    inner = element_shape(shape) if is_row(element) else shape
    return TensorType(element.dtype, (None, *(inner or ())))


def array_types(types: Iterable[Type]) -> list[Type]:
    """These types, with those of arrays in the place of lists: lengths are behind all others."""
    given = list(types)
    lists = [type for type in given if is_uniform(type) and _has_rows(type)]
    return [_array(x) if is_uniform(x) else x for x in given] + [_LENGTHS] * len(lists)


def on_arrays(function: Function) -> Function:
    """The function with arrays in the place of lists that it takes and gives."""
    before: list[Statement] = []
    behind: list[Statement] = []
    parameters, results = list(function.parameters), list(function.body.results)
    for at, given in enumerate(function.parameters):
        if is_uniform(given.type):
            has_rows = _has_rows(given.type)
            parameters[at] = items = _local(_array(given.type), f"{given.name}_items")
            if has_rows:
                parameters.append(_local(_LENGTHS, f"{given.name}_lengths"))
                before.append(_kernel(SPLIT, [items, parameters[-1]], given))
            else:
                before.append(_kernel(UNSTACK, [items], given))
    for at, result in enumerate(function.body.results):
        if isinstance(result, Local) and is_uniform(result.type):
            element, has_rows = element_of(result.type), _has_rows(result.type)
            results[at] = items = _local(_array(result.type), f"{result.name}_items_{at}")
            stack = CONCAT if has_rows else STACK
            behind.append(_kernel(stack, [result], items, element=element))
            if has_rows:
                lengths = _local(_LENGTHS, f"{result.name}_lengths_{at}")
                results.append(lengths)
                behind.append(_kernel(LENGTHS, [result], lengths))
    if not before and not behind:
        return function
    body = Block([*before, *function.body.statements, *behind], results)
    return Function(
        function.name, parameters, function.captured, function.buffers, body, function.arrays,
        function.ranges,
    )  # fmt: skip


def _local(type: Type, name: str) -> Local:
    return Local(name, type, value=Value(type, name))


def _kernel(op: Primitive, given: Sequence[Local], target: Local, **params: Any) -> Kernel:
    inputs = tuple(each.value or Value(each.type, each.name) for each in given)
    output = target.value or Value(target.type, target.name)
    node = Node(op, inputs, (output,), params)
    return Kernel(node, list(given), [target], op.kernel, [None])


def giving_lists(run: Run, types: Sequence[Type]) -> Run:
    """The function that gives results of these types: `run` does so with arrays for lists."""
    if not any(map(is_uniform, types)):
        return run
    return lambda *raws: tuple(as_lists(run(*raws), types))


def as_lists(raws: Sequence[Any], types: Sequence[Type]) -> list[Any]:
    """Values of these types, with lists in the place of arrays. Those of a call that stepped
    aside are lists already.
    """
    made, lengths = list(raws[: len(types)]), iter(raws[len(types) :])
    for at, type in enumerate(types):
        if is_uniform(type):
            size = next(lengths, None) if _has_rows(type) else None
            if not isinstance(made[at], list):
                made[at] = _items(made[at], type, size)
    return made


def _items(array: Any, type: Any, lengths: Any) -> list[Any]:
    if lengths is not None:
        ends = np.cumsum(lengths).tolist()
        return [array[start:stop] for start, stop in pairwise([0, *ends])]
    return array.tolist() if isinstance(type.element, NumberType) else list(array)


def as_arrays(raws: Sequence[Any], types: Sequence[Type]) -> list[Any] | None:
    """Values of these types, with arrays in the place of lists. None where there is a row that was
    not written, or a number beyond 64 bits.
    """
    made, behind = list(raws), list[Any]()
    for at, type in enumerate(types):
        if is_uniform(type):
            found = list(_arrays(raws[at], type))
            if not found:
                return None
            made[at] = found[0]
            behind += found[1:]
    return made + behind


def _arrays(items: list[Any], type: Any) -> Iterator[Any]:
    element, array = element_of(type), _array(type)
    dtype, inner = element.dtype.np_dtype, [dim or 0 for dim in (array.shape or ())[1:]]
    if _has_rows(type):
        if any(item is None for item in items):
            return
        whole = np.concatenate(items) if items else np.zeros((0, *inner), dtype)
        yield whole
        yield np.array(list(map(len, items)), np.int64)
        return
    whole = np.zeros((len(items), *inner), dtype)
    written = [item for item in items if item is not None]
    places = ... if len(written) == len(items) else [item is not None for item in items]
    try:
        if written:
            whole[places] = written
    except OverflowError:
        return
    yield whole
