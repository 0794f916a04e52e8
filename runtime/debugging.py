"""Assertions on tensors, and checks for values that are not numbers; eagerly at once, in graphs
when they run.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import runtime.ops as ops
from runtime import dtypes, errors
from runtime.core.convert import convert_to_tensor, decoded
from runtime.core.lazy import public as _public
from runtime.core.primitive import (
    Primitive,
    bind,
    row,
    same_shape,
    sample,
    wrong_dtype,
    wrong_value,
)
from runtime.core.settings import changes_settings as _changes_settings
from runtime.core.shapes import Shape, TensorShape
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.core.tracebacks import show_all_frames, shows_all_frames
from runtime.core.types import TensorType
from runtime.dtypes import DType, as_dtype
from runtime.ops.arguments import listed, static_int
from runtime.ops.define import matched, named
from runtime.ops.print_op import summary
from runtime.staging.frames import user_location
from runtime.staging.refusals import refuse
from runtime.staging.texts import as_tensor

Assertion = Callable[..., Any]


def _fail(message: str) -> errors.InvalidValueError:
    return errors.InvalidValueError(None, "Assert", message)


# Assertions of values


def _assert_kernel(
    condition: Any, *data: Any, parts: Sequence[str | bool | None], summarize: int
) -> Any:
    """Parts that are no text stand for the next value: True for one that is a text."""
    if not np.all(condition):
        values = iter(data)
        shown = [
            part if isinstance(part, str) else _shown(next(values), part, summarize)
            for part in parts
        ]
        raise _fail("\n".join(shown))
    return ()


def _shown(value: Any, is_text: bool | None, summarize: int) -> str:
    return decoded(np.asarray(value).item()) if is_text else summary(value, summarize)


def _assert_type(condition: TensorType, *data: TensorType, **params: Any) -> tuple[()]:
    if condition.dtype is not dtypes.bool:
        raise TypeError(f"Assert: the condition must be bool, got {condition}")
    return ()


assert_p = row(
    "assert", _assert_kernel, _assert_type, op_type="Assert", effect=True, repeatable=True,
    fallible=True,
)  # fmt: skip


timestamp_p = row(
    "timestamp", lambda: np.float64(time.time()), lambda: TensorType(dtypes.float64, ()),
    op_type="Timestamp", effect=True,
)  # fmt: skip


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, when the op runs: in a graph at each call.

    >>> float(rt.timestamp()) > 0
    True
    """
    return bind(timestamp_p)  # type: ignore[no-any-return]


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Any:
    """InvalidArgumentError with `data` (tensors and texts) unless all of `condition` is true.

    In version 1's graphs it returns the operation that checks, for `control_dependencies`.

    >>> rt.Assert(rt.constant(True), ["all is well"])
    """
    return _assert(convert_to_tensor(condition), listed(data, "data"), summarize)


def _assert(condition: Tensor, data: Sequence[Any], summarize: int | None) -> Any:
    parts = [True if _is_of_run(item) else item if isinstance(item, str) else None for item in data]
    given = [item for item, part in zip(data, parts, strict=True) if not isinstance(part, str)]
    tensors = list(map(as_tensor, given))
    ends = 3 if summarize is None else static_int(summarize, "summarize")
    return bind(assert_p, condition, *tensors, parts=tuple(parts), summarize=ends) or None


def _is_of_run(text: Any) -> bool:
    """Whether it is a text that only the run knows."""
    return isinstance(text, str) and not issubclass(type(text), str)


def _message(message: str | None) -> list[str]:
    return [] if message is None else [message]


def _binary(
    symbol: str, function: Callable[[Any, Any], Any], x: Any, y: Any, message: Any, summarize: Any
) -> Any:
    first, second = matched(x, y)
    data = [
        *_message(message),
        f"x {symbol} y does not hold for all elements; x:",
        first,
        "y:",
        second,
    ]
    return _assert(function(first, second), data, summarize)


def _comparison(
    name: str, symbol: str, function: Callable[[Any, Any], Any], example: str
) -> Assertion:
    def check(
        x: Any, y: Any, message: str | None = None, summarize: int | None = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        return _binary(symbol, function, x, y, message, summarize)

    doc = f"InvalidArgumentError unless x {symbol} y for all elements, broadcast."
    return named(check, name, doc, (example,))


assert_equal: Assertion = _comparison(
    "assert_equal", "==", ops.equal, "rt.debugging.assert_equal([1], [1])"
)
assert_less: Assertion = _comparison("assert_less", "<", ops.less, "rt.debugging.assert_less(1, 2)")
assert_less_equal: Assertion = _comparison(
    "assert_less_equal", "<=", ops.less_equal, "rt.debugging.assert_less_equal(2, 2)"
)
assert_greater: Assertion = _comparison(
    "assert_greater", ">", ops.greater, "rt.debugging.assert_greater(2, 1)"
)
assert_greater_equal: Assertion = _comparison(
    "assert_greater_equal", ">=", ops.greater_equal, "rt.debugging.assert_greater_equal(2, 2)"
)


def assert_none_equal(
    x: Any,
    y: Any,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """InvalidArgumentError unless x != y for all elements, broadcast.

    >>> rt.debugging.assert_none_equal([1], [2])
    """
    return _binary("!=", ops.not_equal, x, y, message, summarize)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """InvalidArgumentError unless |x - y| <= atol + rtol * |y| for all elements.

    Both tolerances are ten epsilons by default.

    >>> rt.debugging.assert_near(1., 1. + 1e-7)
    """
    first, second = matched(x, y)
    if not (first.dtype.is_floating or first.dtype.is_complex):
        raise wrong_dtype(f"assert_near needs floating-point numbers, not {first.dtype.name}")
    default = 10 * float(np.finfo(first.dtype.real_dtype.np_dtype).eps)
    relative = default if rtol is None else rtol
    absolute = default if atol is None else atol
    bound = ops.abs(second) * relative + absolute
    data = [
        *_message(message),
        "x and y are not near to each other everywhere; x:",
        first,
        "y:",
        second,
    ]
    return _assert(ops.less_equal(ops.abs(first - second), bound), data, summarize)


def _against_zero(
    name: str, symbol: str, function: Callable[[Any, Any], Any], example: str
) -> Assertion:
    def check(
        x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> Any:
        tensor = convert_to_tensor(x)
        data = [*_message(message), f"x {symbol} 0 does not hold for all elements; x:", tensor]
        return _assert(function(tensor, convert_to_tensor(0, tensor.dtype)), data, summarize)

    doc = f"InvalidArgumentError unless x {symbol} 0 for all elements."
    return named(check, name, doc, (example,))


assert_negative: Assertion = _against_zero(
    "assert_negative", "<", ops.less, "rt.debugging.assert_negative(-1)"
)
assert_positive: Assertion = _against_zero(
    "assert_positive", ">", ops.greater, "rt.debugging.assert_positive(1)"
)
assert_non_negative: Assertion = _against_zero(
    "assert_non_negative", ">=", ops.greater_equal, "rt.debugging.assert_non_negative(0)"
)
assert_non_positive: Assertion = _against_zero(
    "assert_non_positive", "<=", ops.less_equal, "rt.debugging.assert_non_positive(0)"
)


# Assertions of types, ranks and shapes


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """TypeError unless the tensor has this dtype.

    >>> rt.debugging.assert_type(rt.constant(1.), rt.float32)
    """
    wanted, found = as_dtype(tf_type), convert_to_tensor(tensor).dtype
    if found is not wanted:
        raise TypeError(_text(message, f"the dtype must be {wanted.name}, but it is {found.name}"))


def _text(message: str | None, what: str) -> str:
    return what if message is None else f"{message}\n{what}"


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """TypeError unless the dtype is an integer type.

    >>> rt.debugging.assert_integer(rt.constant(1))
    """
    dtype = convert_to_tensor(x).dtype
    if not dtype.is_integer:
        raise TypeError(
            _text(message, f"the dtype must be an integer type, but it is {dtype.name}")
        )


def assert_proper_iterable(values: Any) -> None:
    """TypeError unless it is an iterable that is no string, array or tensor.

    >>> rt.debugging.assert_proper_iterable([rt.constant(1)])
    """
    if isinstance(values, str | bytes | np.ndarray | Tensor) or not isinstance(values, Iterable):
        raise TypeError(
            f"a list, tuple or another iterable that is no string or tensor is expected, got "
            f"{type(values).__name__}"
        )


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The one floating dtype of the tensors (float32 if there are none).

    ValueError where there is no such one.

    >>> rt.debugging.assert_same_float_dtype([rt.constant(1.)])
    tf.float32
    """
    wanted = None if dtype is None else as_dtype(dtype)
    for item in () if tensors is None else listed(tensors, "tensors"):
        found = convert_to_tensor(item).dtype
        wanted = wanted or found
        if found is not wanted:
            raise ValueError(f"the tensors must have dtype {wanted.name}, but one has {found.name}")
    wanted = wanted or dtypes.float32
    if not wanted.is_floating:
        raise ValueError(f"a floating dtype is expected, got {wanted.name}")
    return wanted


def is_numeric_tensor(tensor: Any) -> bool:
    """True for a tensor of numbers.

    >>> rt.debugging.is_numeric_tensor(rt.constant(1.))
    True
    """
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return bool(dtype.is_floating or dtype.is_integer or dtype.is_complex)


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> Any:
    """InvalidArgumentError unless the tensor has rank 0.

    >>> rt.debugging.assert_scalar(1)
    """
    x = convert_to_tensor(tensor)
    if x.ndim not in (0, None):
        raise _fail(_text(message, f"a scalar is expected, but the shape is {x.shape}"))
    return _assert_rank(x, (0,), operator.eq, message) if x.ndim is None else None


def _assert_rank(
    x: Tensor, ranks: tuple[int, ...], compare: Callable[[Any, Any], Any], message: str | None
) -> Any:
    if x.ndim is not None:
        if not any(compare(x.ndim, rank) for rank in ranks):
            raise _fail(_text(message, _wrong_rank(x.ndim, ranks, compare)))
        return None
    found = ops.rank(x)
    fits = [compare(found, convert_to_tensor(rank)) for rank in ranks]
    condition = ops.reduce_any(ops.stack(fits))
    return _assert(condition, [*_message(message), _wrong_rank("it", ranks, compare), found], None)


def _wrong_rank(found: Any, ranks: tuple[int, ...], compare: Callable[[Any, Any], Any]) -> str:
    least = "at least " if compare is operator.ge else ""
    wanted = " or ".join(map(str, ranks))
    return f"the rank must be {least}{wanted}, but {'it is' if found == 'it' else f'it is {found}'}"


def _scalar_rank(rank: Any) -> int:
    if np.ndim(rank):
        raise wrong_value(f"a rank is a scalar, not {rank!r}")
    return static_int(rank, "rank")


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> Any:
    """InvalidArgumentError unless the tensor has this rank.

    >>> rt.debugging.assert_rank([1], 1)
    """
    return _assert_rank(convert_to_tensor(x), (_scalar_rank(rank),), operator.eq, message)


def assert_rank_at_least(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> Any:
    """InvalidArgumentError unless the tensor has this rank or more.

    >>> rt.debugging.assert_rank_at_least([[1]], 1)
    """
    return _assert_rank(convert_to_tensor(x), (_scalar_rank(rank),), operator.ge, message)


def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> Any:
    """InvalidArgumentError unless the tensor has one of these ranks.

    >>> rt.debugging.assert_rank_in([1], [0, 1])
    """
    fitting = tuple(_scalar_rank(rank) for rank in listed(ranks, "ranks"))
    return _assert_rank(convert_to_tensor(x), fitting, operator.eq, message)


def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """InvalidArgumentError unless tensors have shapes that go together.

    `shapes` is a list of pairs (tensor, shape), or a dict; in a shape an int is a size, a name or
    other object the same size wherever it stands, None or "." any size; "..." or "*" at one end
    leaves the rank open there.

    >>> rt.debugging.assert_shapes([(rt.constant([[1., 2.]]), ("batch", 2))])
    """
    pairs = list(shapes.items()) if isinstance(shapes, dict) else listed(shapes, "shapes")
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise TypeError(f"shapes must be a dict or a list of pairs (tensor, shape), got {shapes!r}")
    sizes: dict[Any, tuple[Any, str]] = {}
    for item, wanted in pairs:
        tensor = convert_to_tensor(item)
        _match(tensor, _spelled(wanted), sizes, message)


def _spelled(wanted: Any) -> tuple[Any, ...]:
    if isinstance(wanted, TensorShape):
        return tuple(wanted.as_list())
    if isinstance(wanted, str):
        return tuple(wanted.replace("...", "*"))
    return tuple(wanted) if isinstance(wanted, tuple | list) else (wanted,)


def _is_open(symbol: Any) -> bool:
    return symbol is Ellipsis or (isinstance(symbol, str) and symbol in ("*", "..."))


def _match(
    tensor: Tensor, wanted: tuple[Any, ...], sizes: dict[Any, tuple[Any, str]], message: str | None
) -> None:
    places = [i for i, symbol in enumerate(wanted) if _is_open(symbol)]
    if len(places) > 1 or (places and places[0] not in (0, len(wanted) - 1)):
        raise ValueError(f"a shape may be open ('...' or '*') at one end only, got {wanted!r}")
    rank, least = tensor.ndim, len(wanted) - len(places)
    if rank is None:
        raise ValueError(f"assert_shapes needs tensors of known rank, got shape {tensor.shape}")
    if rank < least if places else rank != least:
        more = "at least " if places else ""
        raise _fail(
            _text(
                message,
                f"the rank must be {more}{least} for {wanted!r}, but the shape is {tensor.shape}",
            )
        )
    if places:
        start = rank - least if places[0] == 0 else 0
        wanted = wanted[1:] if places[0] == 0 else wanted[:-1]
    else:
        start = 0
    for axis, symbol in enumerate(wanted, start):
        _match_size(tensor, axis, symbol, sizes, message)


def _match_size(
    tensor: Tensor, axis: int, symbol: Any, sizes: dict[Any, tuple[Any, str]], message: str | None
) -> None:
    if symbol is None or symbol == ".":
        return
    size = _size(tensor, axis)
    here = f"axis {axis} of a tensor of shape {tensor.shape}"
    literal = int(symbol) if isinstance(symbol, int | str) and str(symbol).isdigit() else None
    wanted, where = (literal, "") if literal is not None else sizes.setdefault(symbol, (size, here))
    known = wanted if isinstance(wanted, int) else "the same"
    reason = f" like {where}" if where else ""
    text = f"the size {symbol!r} must be {known}{reason}, but {here} has another"
    if isinstance(size, int) and isinstance(wanted, int):
        if size != wanted:
            raise _fail(_text(message, text))
        return
    if size is not wanted:
        _assert(ops.equal(size, wanted), [*_message(message), text], None)


def _size(tensor: Tensor, axis: int) -> Any:
    shape: Shape = tensor.static_shape
    assert shape is not None
    size = shape[axis]
    return ops.shape(tensor)[axis] if size is None else size


# Values that are no numbers


def _describe_bad(array: Any) -> str | None:
    """Returns a text about elements that are infinite or no number, or None."""
    if array.dtype.kind not in "fc" or np.all(np.isfinite(array)):
        return None
    counts = {
        "NaN": np.count_nonzero(np.isnan(array)),
        "Inf": np.count_nonzero(np.isinf(array)),
    }
    found = [f"{count} {name}" for name, count in counts.items() if count]
    return f"{' and '.join(found)} among {np.size(array)} elements"


def _check_kernel(x: Any, *, message: str) -> Any:
    bad = _describe_bad(x)
    if bad is not None:
        raise errors.InvalidValueError(f"{message} : Tensor had {bad}")
    return x


check_numerics_p = row(
    "check_numerics", _check_kernel, signature="F->F", shape=same_shape, op_type="CheckNumerics",
    gradient=lambda op, g: (g,), keep_inputs=(), fallible=True, effect=True,
    repeatable=True, samples=(sample("2,3", message="checked"),),
)  # fmt: skip


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; InvalidArgumentError with `message` if an element is NaN or infinite.

    >>> rt.debugging.check_numerics([1., 2.], "finite").numpy().tolist()
    [1.0, 2.0]
    """
    if _is_of_run(message):
        raise refuse(
            "the message of check_numerics is a text that only the run knows",
            "write tf.debugging.Assert(tf.math.is_finite(x), [message])",
        )
    return bind(check_numerics_p, convert_to_tensor(tensor), message=message)  # type: ignore[no-any-return]


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; InvalidArgumentError with `message` if an element is NaN or infinite.

    >>> rt.debugging.assert_all_finite([1., 2.], "finite").numpy().tolist()
    [1.0, 2.0]
    """
    return check_numerics(x, message)


class _Check:
    """Raises for the first op with a result that is no number."""

    def __call__(
        self, primitive: Primitive, inputs: Sequence[Any], outputs: Sequence[Any], params: Any
    ) -> None:
        if state.trace is not None or not inputs:
            return
        for place, output in enumerate(outputs):
            # What only hands a value on does not make it.
            is_made = all(output.raw is not x.raw for x in inputs)
            bad = _describe_bad(output.raw) if is_made else None
            if bad is not None:
                raise self._error(primitive, inputs, place, output, bad)

    def _error(
        self, primitive: Primitive, inputs: Sequence[Any], place: int, output: Any, bad: str
    ) -> errors.NumericsError:
        lines = [f"output {place} of op {primitive.op_type} ({output.type}) has {bad}"]
        for i, x in enumerate(inputs):
            also = _describe_bad(x.raw)
            note = f", which has {also} already" if also else ""
            lines.append(f"input {i}: {x.type} {summary(x.raw)}{note}")
        error = errors.NumericsError(None, primitive.op_type, "\n".join(lines))
        error.called_at = user_location()
        return error


@_changes_settings
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Raise for each op whose result has NaN or infinite elements, from now on.

    It holds on this thread, and the error is an InvalidArgumentError.

    The message names the op, the user's line and the inputs.

    >>> rt.debugging.enable_check_numerics()
    >>> rt.math.log(0.)
    Traceback (most recent call last):
    runtime.errors.NumericsError: ...
    >>> rt.debugging.disable_check_numerics()
    """
    state.inspect = _Check()


@_changes_settings
def disable_check_numerics() -> None:
    """Stop what `enable_check_numerics` started.

    >>> rt.debugging.disable_check_numerics()
    """
    if isinstance(state.inspect, _Check):
        state.inspect = None


# Tracebacks


@_changes_settings
def enable_traceback_filtering() -> None:
    """Leave the library's frames out of tracebacks, as it is at the beginning.

    >>> rt.debugging.enable_traceback_filtering()
    >>> rt.debugging.is_traceback_filtering_enabled()
    True
    """
    show_all_frames(False)


@_changes_settings
def disable_traceback_filtering() -> None:
    """Show the library's frames in tracebacks, too.

    >>> rt.debugging.disable_traceback_filtering()
    >>> rt.debugging.is_traceback_filtering_enabled()
    False
    >>> rt.debugging.enable_traceback_filtering()
    """
    show_all_frames(True)


def is_traceback_filtering_enabled() -> bool:
    """Returns whether the library's frames are left out of tracebacks.

    >>> rt.debugging.is_traceback_filtering_enabled()
    True
    """
    return not shows_all_frames()


__dir__ = _public(__name__)
