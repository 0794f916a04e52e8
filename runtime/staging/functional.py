"""`map_fn`, `scan`, `foldl` and `foldr`: functions applied along the first axis of tensors, eagerly
and, as loops of the graph, in functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from runtime import dtypes, nest
from runtime.core.convert import convert_to_tensor
from runtime.core.primitive import bind, structural, wrong_dtype, wrong_value
from runtime.core.shapes import Shape, TensorSpec, as_shape
from runtime.core.state import state
from runtime.core.types import TensorType
from runtime.dtypes import DType
from runtime.errors import InvalidValueError
from runtime.staging.explicit_control_flow import check_takes, checked_callable, while_loop
from runtime.staging.lists.tensor_array import TensorArray
from runtime.staging.scopes import called, unfailing

R = TypeVar("R")


def _row_count(*arrays: Any, function: str, least: int) -> Any:
    return np.int32(_common_size([np.shape(array) for array in arrays], function, least) or 0)


def _common_size(shapes: Sequence[Any], function: str, least: int) -> int | None:
    """The first dimension of all, where it is known; InvalidArgumentError where there is none."""
    if () in shapes:
        raise wrong_value(f"{function}(): elems must be at least 1-dimensional, not scalars")
    known = {shape[0] for shape in shapes if shape is not None} - {None}
    if len(known) > 1:
        raise wrong_value(f"{function}(): elems have different first dimensions: {sorted(known)}")
    size = known.pop() if known else None
    if size is not None and size < least:
        raise wrong_value(f"{function}(): without an initializer, elems must not be empty")
    return size


_ROW_COUNT = structural(
    "row_count", _row_count, lambda *_, **__: TensorType(dtypes.int32, ()), op_type="Size",
    fallible=True,
)  # fmt: skip


def _tensor(item: Any, what: str, hint: DType | None = None) -> Any:
    """The tensor of an item, `what` in messages."""
    try:
        return convert_to_tensor(item, dtype_hint=hint)
    except TypeError as error:
        raise wrong_dtype(f"{what} must hold tensors: {error}") from None
    except ValueError as error:
        raise wrong_value(f"{what} must hold tensors: {error}") from None


def _tensors(given: Any, what: str) -> list[Any]:
    """The tensors of an argument."""
    found = [_tensor(item, what) for item in nest.flatten(given)]
    if not found:
        raise ValueError(f"{what} must hold at least one tensor")
    return found


class TensorRows:
    """The rows of tensors in a structure, by index; `size` of them (an int, where it is known), at
    least `least`.
    """

    def __init__(self, elems: Any, function: str, least: int = 0) -> None:
        self.like = elems
        self.tensors = _tensors(elems, f"{function}(): elems")
        shapes = [tensor.static_shape for tensor in self.tensors]
        self.size: Any = _common_size(shapes, function, least)
        if any(shape is None or shape[0] is None for shape in shapes):
            self.size = bind(_ROW_COUNT, *self.tensors, function=function, least=least)

    def at(self, index: Any) -> Any:
        """The rows at an index, in their structure."""
        return nest.pack_sequence_as(self.like, [tensor[index] for tensor in self.tensors])


def map_fn(
    fn: Callable[[Any], R],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> R:
    """`fn` of each row of `elems` (a tensor, or a structure of tensors), stacked.

    `fn_output_signature` gives dtypes or TensorSpecs in the structure of what `fn` returns, where
    that differs from `elems`. Raises TypeError, ValueError where `fn` returns something else.

    >>> rt.map_fn(lambda x: x * x, rt.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]
    """
    check_takes(checked_callable(fn, "map_fn(): fn"), 1, "map_fn(): fn")
    rows = TensorRows(elems, "map_fn")
    declared = dtype if fn_output_signature is None else fn_output_signature
    like = elems if declared is None else declared
    wanted = rows.tensors if declared is None else nest.flatten(declared)
    kinds = [_kind_of(item, declared is not None) for item in wanted]

    def results_at(index: Any) -> list[Any]:
        found = called(fn)(rows.at(index))
        _check_structure(found, like, "map_fn", "fn_output_signature, or else of elems")
        pairs = zip(nest.flatten(found), kinds, strict=True)
        way_out = "name what it returns with fn_output_signature"
        return [_checked(item, kind, "map_fn", way_out) for item, (kind, _) in pairs]

    arrays = [
        TensorArray(kind, rows.size, element_shape=shape, infer_shape=infer_shape)
        for kind, shape in kinds
    ]
    stacked = [array.stack() for array in _written(arrays, rows.size, results_at)]
    made: R = nest.pack_sequence_as(like, stacked)
    return made


def _check_structure(found: Any, like: Any, name: str, what: str) -> None:
    try:
        nest.assert_same_structure(like, found)
    except (ValueError, TypeError) as error:
        message = str(error).removeprefix("nest: ")
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}(): fn must return the structure of {what}: {message}") from None


def _is_zero(size: Any) -> bool:
    return isinstance(size, int) and size == 0


def _kind_of(item: Any, declared: bool) -> tuple[DType, Shape]:
    if not declared:
        return item.dtype, None
    if isinstance(item, TensorSpec):
        return item.dtype, as_shape(item.shape)
    return dtypes.as_dtype(item), None


def _checked(item: Any, dtype: DType, name: str, way_out: str) -> Any:
    tensor = _tensor(item, f"{name}(): what fn returns", dtype)
    if tensor.dtype is not dtype:
        raise wrong_dtype(
            f"{name}(): fn returned a tensor of {tensor.dtype.name} where {dtype.name} is "
            f"expected: {way_out}"
        )
    return tensor


def _write(array: TensorArray, index: Any, item: Any, name: str) -> TensorArray:
    # Rows of one shape, each at its place: no `try` around has anything to catch.
    is_of_one_shape = item.static_shape is not None and None not in item.static_shape
    write = unfailing(array.write) if is_of_one_shape else array.write
    try:
        return write(index, item)
    except InvalidValueError as error:
        words = f"{name}(): fn must return one shape for all rows: {error.detail}"
        raise InvalidValueError(words) from None


def _written(
    arrays: Sequence[TensorArray], size: Any, results_at: Callable[[Any], Sequence[Any]]
) -> Sequence[TensorArray]:
    def round_(index: Any, arrays: Any) -> Any:
        found = zip(arrays, results_at(index), strict=True)
        return index + 1, tuple([_write(array, index, item, "map_fn") for array, item in found])

    if state.trace is None:
        for index in range(int(size)):
            round_(index, arrays)
        return arrays
    _, written = while_loop(
        lambda index, arrays: index < size, round_, (convert_to_tensor(0), tuple(arrays))
    )
    return written  # type: ignore[no-any-return]


def foldl(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """`fn(so_far, row)` over the rows of `elems` from the first to the last.

    Without an `initializer` it begins with the first row.

    >>> int(rt.foldl(lambda a, x: a - x, rt.constant([1, 2, 3])))
    -4
    """
    made: R = _Fold(fn, elems, initializer, False, "foldl").run(False)[0]
    return made


def foldr(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> R:
    """`fn(so_far, row)` over the rows of `elems` from the last to the first.

    Without an `initializer` it begins with the last row.

    >>> int(rt.foldr(lambda a, x: a - x, rt.constant([1, 2, 3])))
    0
    """
    made: R = _Fold(fn, elems, initializer, True, "foldr").run(False)[0]
    return made


def scan(
    fn: Callable[[Any, Any], R],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> R:
    """All that `foldl` (with `reverse`: `foldr`) goes through, stacked: one entry for each row.

    >>> rt.scan(lambda a, x: a + x, rt.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    made: R = _Fold(fn, elems, initializer, reverse, "scan").run(True)[1]
    return made


class _Fold:
    """A fold: its rows, where it begins, and what is so far."""

    def __init__(
        self, fn: Callable[..., Any], elems: Any, initializer: Any, reverse: bool, name: str
    ) -> None:
        self.name = name
        check_takes(checked_callable(fn, f"{name}(): fn"), 2, f"{name}(): fn")
        self.fn = fn
        self.begins_with_row = initializer is None
        self.rows = TensorRows(elems, name, least=int(self.begins_with_row))
        self.size = self.rows.size
        self.reverse = reverse
        self.like = self.rows.at(self.place(0)) if self.begins_with_row else initializer
        self.start = tuple(_tensors(self.like, f"{name}(): initializer"))

    def place(self, count: Any) -> Any:
        """The row of a round."""
        return self.size - 1 - count if self.reverse else count

    def step(self, so_far: Sequence[Any], count: Any) -> list[Any]:
        """Returns the accumulated values after one more iteration."""
        found = called(self.fn)(self.packed(so_far), self.rows.at(self.place(count)))
        _check_structure(found, self.like, self.name, "initializer, or else of a row of elems")
        pairs = zip(nest.flatten(found), so_far, strict=True)
        way_out = "convert it with tf.cast, or give an initializer of that dtype"
        return [_checked(new, old.dtype, self.name, way_out) for new, old in pairs]

    def packed(self, flat: Sequence[Any]) -> Any:
        """The structure of what is so far."""
        return nest.pack_sequence_as(self.like, flat)

    def run(self, keeps: bool) -> tuple[Any, Any]:
        """The last value, and with `keeps` all of them, stacked."""
        so_far = self.start
        arrays: tuple[Any, ...] = ()
        if keeps:
            # Where nothing is ever written, the start alone tells the shape.
            shapes = [x.static_shape if _is_zero(self.size) else None for x in so_far]
            pairs = zip(so_far, shapes, strict=True)
            arrays = tuple([TensorArray(x.dtype, self.size, element_shape=s) for x, s in pairs])
        start = 0
        if self.begins_with_row:
            start, arrays = 1, self.kept(arrays, 0, so_far)
        so_far, arrays = self.loop(start, so_far, arrays)
        return self.packed(so_far), self.packed([a.stack() for a in arrays]) if keeps else None

    def kept(self, arrays: tuple[Any, ...], count: Any, items: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays with the items of a round."""
        place = self.place(count)
        pairs = zip(arrays, items, strict=False)
        return tuple([_write(array, place, item, self.name) for array, item in pairs])

    def loop(
        self, start: int, so_far: tuple[Any, ...], arrays: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """All rounds."""

        def round_(count: Any, so_far: Any, arrays: Any) -> Any:
            after = tuple(self.step(so_far, count))
            return count + 1, after, self.kept(arrays, count, after)

        if state.trace is None:
            for count in range(start, int(self.size)):
                _, so_far, arrays = round_(count, so_far, arrays)
            return so_far, arrays
        state_of_loop = convert_to_tensor(start), so_far, arrays
        _, last, written = while_loop(lambda count, *_: count < self.size, round_, state_of_loop)
        return last, written
