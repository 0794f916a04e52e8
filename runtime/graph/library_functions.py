"""Functions of NumPy and `cmath` as nodes: a graph calls them by name, with values of the run."""

from __future__ import annotations

import builtins
import cmath
import math
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.primitive import Raises, structural
from runtime.core.shapes import compatible
from runtime.core.tensor import Tensor
from runtime.core.types import TensorType, Type
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.templates import filled

_OF_SIZES = (
    "all allclose amax amin angle any append argmax argmin argpartition argsort around array "
    "array_equal array_equiv array_split asanyarray asarray asarray_chkfinite ascontiguousarray "
    "asfortranarray astype atleast_1d atleast_2d atleast_3d average bartlett blackman block bool_ "
    "broadcast_arrays broadcast_to choose clip column_stack complex128 complex64 concat "
    "concatenate convolve copy corrcoef correlate count_nonzero cov cross cumprod cumsum "
    "cumulative_prod cumulative_sum diag diag_indices diag_indices_from diagflat diagonal diff "
    "digitize dot dsplit dstack ediff1d einsum expand_dims eye fft.fft fft.fft2 fft.fftfreq "
    "fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft fft.irfft "
    "fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn fix flip fliplr flipud "
    "float16 float32 float64 full full_like geomspace gradient hamming hanning histogram "
    "histogram2d histogram_bin_edges hsplit hstack i0 identity imag indices inner int16 int32 "
    "int64 int8 interp isclose iscomplex isin isneginf isposinf isreal kaiser kron lexsort "
    "linalg.cholesky linalg.cond linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigh "
    "linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matmul linalg.matrix_norm "
    "linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.multi_dot linalg.norm "
    "linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals "
    "linalg.tensordot linalg.tensorinv linalg.tensorsolve linalg.trace linalg.vecdot "
    "linalg.vector_norm linspace logspace matrix_transpose max mean median meshgrid min moveaxis "
    "nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin "
    "nanpercentile nanprod nanquantile nanstd nansum nanvar ones ones_like outer packbits pad "
    "partition percentile permute_dims poly polyadd polyder polyfit polyint polysub "
    "polyval prod ptp quantile ravel ravel_multi_index real reshape resize roll rollaxis rot90 "
    "round searchsorted select sinc sort split squeeze stack std sum swapaxes take take_along_axis "
    "tensordot tile trace transpose trapezoid tri tril tril_indices tril_indices_from triu "
    "triu_indices triu_indices_from uint16 uint32 uint64 uint8 unpackbits unravel_index unwrap "
    "vander var vdot vsplit vstack where zeros zeros_like"
)
_OF_VALUES = (
    "arange argwhere bincount compress delete extract flatnonzero insert intersect1d ix_ nonzero "
    "polydiv polymul repeat roots setdiff1d setxor1d trim_zeros union1d unique"
)


def _named(name: str) -> Callable[..., Any]:
    return reduce(getattr, name.split("."), np)  # type: ignore[return-value]


def _ufuncs() -> Iterator[str]:
    for name, value in vars(np).items():
        if isinstance(value, np.ufunc):
            yield name


def _of_pairs() -> Iterator[str]:
    """The methods of functions of two arguments: sums of all of an axis, and such."""
    for name in _ufuncs():
        function: Any = _named(name)
        if (function.nin, function.nout) == (2, 1) and function.signature is None:
            yield from (f"{name}.{method}" for method in ("accumulate", "outer", "reduce"))


def _of_places() -> Iterator[str]:
    """The methods of functions that change items of an array at places."""
    for name in _ufuncs():
        function: Any = _named(name)
        if function.nin <= 2 and function.nout == 1 and function.signature is None:
            yield f"{name}.at"


def _changed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that gives a changed copy in the place of one that changes an array."""

    def changed(array: Any, *args: Any, **kwargs: Any) -> Any:
        made = np.array(array)
        function(made, *args, **kwargs)
        return made

    return changed


_WRITING = "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"
WRITING = {f"np.{name}": _named(name) for name in (*_of_places(), *_WRITING)}
"""The functions that write to their first argument, by the names that files have for those that
give what is in it then."""
_OF_NUMPY = (*_ufuncs(), *_of_pairs(), *_OF_SIZES.split(), *_OF_VALUES.split())
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "complex": complex,
    **{f"math.{name}": getattr(math, name) for name in ("frexp", "fsum", "modf")},
    **{f"cmath.{name}": value for name, value in vars(cmath).items() if callable(value)},
    **{f"np.{name}": _named(name) for name in _OF_NUMPY},
    **{name: _changed(function) for name, function in WRITING.items()},
}
"""Those whose result depends on the values of their arguments alone, by the names that files have
for them."""

SIZED_BY_VALUES = frozenset(f"np.{name}" for name in _OF_VALUES.split())
"""Those of which the sizes of the result depend on the numbers in the arguments."""


def as_numpy(item: Any) -> Any:
    """Tensors, also in lists and tuples, as the arrays and scalars that NumPy is given."""
    if isinstance(item, Tensor):
        return np.asarray(item) if item.ndim else item.numpy()
    if isinstance(item, tuple):
        return tuple(map(as_numpy, item))
    if isinstance(item, list):
        return list(map(as_numpy, item))
    return item


def called(
    function: str, args: tuple[Any, ...], kwargs: dict[str, Any], raising: tuple[str, ...] = ()
) -> Any:
    """The result of a function, without NumPy's warnings: tensors give none. The kinds of failures
    that are `raising`, such as "divide", are a FloatingPointError.
    """
    state: dict[str, Any] = {"all": "ignore", **dict.fromkeys(raising, "raise")}
    with np.errstate(**state):
        return FUNCTIONS[function](*args, **kwargs)


def _kernel(
    *values: Any, function: str, arguments: Any, type: Type, place: int | None = None,
    raising: tuple[str, ...] = (),
) -> Any:  # fmt: skip
    args, kwargs = filled(arguments, iter(values))
    made = called(function, as_numpy(args), dict(zip(*as_numpy(kwargs), strict=True)), raising)
    result = made if place is None else made[place]
    if NUMBER_TYPES.get(builtins.type(result)) == type:
        return result
    array = np.asarray(result)
    if not (
        isinstance(type, TensorType)
        and array.dtype == type.dtype.np_dtype
        and compatible(array.shape, type.shape)
    ):
        raise errors.RefusedError(
            f"{function} gave {array.dtype}{list(array.shape)} where the graph was made for "
            f"{type}: its type depends on the values",
        )
    # What a view shows may be computed in place afterwards.
    return np.array(array, order="C") if array.shape else array[()]


RAISED = (ValueError, TypeError, IndexError, builtins.OverflowError, ZeroDivisionError)
"""The exceptions of these functions."""


class LinAlgError(errors.InvalidValueError, np.linalg.LinAlgError):
    """A function of NumPy's found a matrix that it does not take: NumPy's error of that name too.

    >>> inverse = rt.function(lambda x: np.linalg.inv(x))
    >>> try:
    ...     inverse(rt.zeros([2, 2]))
    ... except np.linalg.LinAlgError as error:
    ...     error.detail
    'Singular matrix'
    """


class FloatingPointError(errors.InvalidArgumentError, builtins.FloatingPointError):
    """A function of NumPy's failed as `np.errstate` asks: Python's error of that name too.

    >>> @rt.function
    ... def safe_log(x):
    ...     with np.errstate(divide="raise"):
    ...         return np.log(np.asarray(x))
    >>> try:
    ...     safe_log(rt.zeros([2]))
    ... except FloatingPointError as error:
    ...     error.detail
    'divide by zero encountered in log'
    """


class OverflowError(errors.InvalidArgumentError, builtins.OverflowError):
    """A function of NumPy's was given a number that its dtype does not hold: Python's error of that
    name too.

    >>> wrapped = rt.function(lambda n: np.uint8(int(n)))
    >>> try:
    ...     wrapped(rt.constant(300))
    ... except OverflowError as error:
    ...     error.detail
    'Python integer 300 out of bounds for uint8'
    """


def _failures(*_: Type, raising: tuple[str, ...] = (), **__: Any) -> Raises:
    return (np.linalg.LinAlgError, *RAISED, *(builtins.FloatingPointError,) * bool(raising))


LIBRARY = structural(
    "library", _kernel, lambda *_, type, **__: type, op_type="LibraryFunction", fallible=True,
    raises=_failures,
    raised_as=(
        (np.linalg.LinAlgError, LinAlgError), (IndexError, errors.IndexError),
        (ZeroDivisionError, errors.ZeroDivisionError), (builtins.OverflowError, OverflowError),
        (builtins.FloatingPointError, FloatingPointError),
    ),
)  # fmt: skip
"""A call of one of `FUNCTIONS`: `arguments` is a template of the positional ones, and of the names
and values of the others. Of a tuple that it gives, the item at a `place`. The failures of numbers
that are `raising`, which `np.errstate` names, are errors."""
