"""From Python values and arrays to tensors."""

from __future__ import annotations

import builtins
from abc import ABC
from collections.abc import Callable, Mapping, Set
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from runtime import dtypes, errors
from runtime.core.primitive import Primitive, bind, row, sample, wrong_dtype, wrong_value
from runtime.core.settings import changes_settings
from runtime.core.shapes import Shape, TensorShape, format_shape
from runtime.core.state import state
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import BY_NUMPY, DType, as_dtype

if TYPE_CHECKING:
    import numpy.typing as npt

Conversion = Callable[[Any, DType | None], Any]

_registered: dict[type, Conversion] = {}
_found: dict[type, Conversion | None] = {}


@changes_settings
def register_conversion(kind: type, function: Conversion) -> None:
    """Let `function(value, dtype)` convert values of `kind` and its subclasses.

    A dtype of None asks for the value's own.

    It returns a Tensor, raises TypeError or ValueError, or returns NotImplemented to leave it to
    the defaults.

    >>> class Celsius:
    ...     degrees = 20.
    >>> rt.register_conversion(Celsius, lambda value, dtype: rt.constant(value.degrees, dtype))
    >>> float(rt.add(Celsius(), 273.))
    293.0
    """
    _registered[kind] = function
    _found.clear()


@changes_settings
def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let a function convert values of a class, or of several, and of their subclasses.

    `conversion_func(value, dtype=None, name=None, as_ref=False)` returns a Tensor, or
    NotImplemented to leave it to the next one of the class: those of a lower `priority` come first.
    Raises TypeError for what is no class, or no function.

    >>> class Celsius:
    ...     degrees = 20.
    >>> def kelvin(value, dtype=None, name=None, as_ref=False):
    ...     return rt.constant(value.degrees + 273., dtype)
    >>> rt.register_tensor_conversion_function(Celsius, kelvin)
    >>> float(rt.add(Celsius(), 0.))
    293.0
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    for kind in kinds:
        if not isinstance(kind, type):
            raise TypeError(f"base_type must be a class or a tuple of classes, not {kind!r}")
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be a function, not {conversion_func!r}")
    for kind in kinds:
        functions = _in_turn.setdefault(kind, [])
        functions.append((priority, conversion_func))
        functions.sort(key=lambda pair: pair[0])
        register_conversion(kind, _asking(functions))


_in_turn: dict[type, list[tuple[int, Callable[..., Any]]]] = {}


def _asking(functions: list[tuple[int, Callable[..., Any]]]) -> Conversion:
    def convert(value: Any, dtype: DType | None) -> Any:
        for _, function in functions:
            made = function(value, dtype=dtype, name=None, as_ref=False)
            if made is NotImplemented:
                continue
            if not isinstance(made, Tensor):
                raise TypeError(
                    f"the conversion function of {type(value).__name__} gave {made!r}, which is "
                    "no tensor"
                )
            return _same_dtype(made, dtype)
        return NotImplemented

    return convert


def conversion_of(kind: type) -> Conversion | None:
    """The registered conversion of a type or of the first of its bases that has one."""
    try:
        return _found[kind]
    except KeyError:
        for base in kind.__mro__:
            if base in _registered:
                break
        found = _found[kind] = _registered.get(base)
        return found


class ForeignArray(ABC):  # noqa: B024  (it has a hook, and nothing to implement)
    """The arrays of other libraries: what NumPy can read and DLPack can exchange, and is neither
    NumPy's nor ours.
    """

    @classmethod
    def __subclasshook__(cls, kind: type) -> builtins.bool:
        is_array = hasattr(kind, "__array__") and hasattr(kind, "__dlpack__")
        return is_array and not (issubclass(kind, _ARRAYS) or hasattr(kind, "is_resource"))


class Frame(ABC):  # noqa: B024
    """The series, frames and indices of pandas, by the attribute that ranks them."""

    @classmethod
    def __subclasshook__(cls, kind: type) -> builtins.bool:
        is_frame = hasattr(kind, "__array__") and hasattr(kind, "__pandas_priority__")
        return is_frame and not (issubclass(kind, _ARRAYS) or hasattr(kind, "is_resource"))


_ARRAYS = Tensor, np.ndarray, np.generic


def _constant_type(*, value: Any) -> Type:
    if type(value) in (builtins.bool, int, float):
        return NumberType(type(value).__name__)
    return TensorType(BY_NUMPY[value.dtype], value.shape)


CONSTANT: Primitive = row(
    "constant", lambda *, value: value, _constant_type, op_type="Const", samples=(sample(),)
)


def tensor_of(raw: Any) -> Tensor:
    """A tensor with the value of an array that nobody writes to; a constant node while tracing."""
    if state.run is None and (state.trace is not None or state.device is not None):
        return cast(Tensor, bind(CONSTANT, value=raw))
    return EagerTensor(raw)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """The tensor of a Python number, string, nested list, ndarray, variable or tensor.

    Python integers become int32, floats float32, truth values bool; arrays keep their dtype.
    `dtype` asks for another; `dtype_hint` prefers another, where the value can have it. Raises
    TypeError for values that cannot have the dtype, ValueError for ragged lists and numbers out of
    range.

    >>> rt.convert_to_tensor([1, 2]).dtype
    tf.int32
    """
    if dtype is None and type(value) is EagerTensor:
        return value
    if dtype is None and isinstance(value, Tensor):
        return cast(Tensor, held_now(value))
    wanted = None if dtype is None else as_dtype(dtype)
    if dtype_hint is not None and wanted is None:
        return _hinted(value, as_dtype(dtype_hint))
    made = _convert(value, wanted, is_asked=wanted is not None)
    return made if state.trace is None else cast(Tensor, held_now(made))


def held_now(tensor: Any) -> Any:
    """The tensor; of an array of the run, whose items may be assigned afterwards, with the numbers
    that it holds now.
    """
    return tensor.snapshot() if _is_array_of_run(tensor) else tensor


def _is_array_of_run(value: Any) -> builtins.bool:
    return state.trace is not None and getattr(type(value), "is_array", False)


def check_beside(value: Any, dtype: DType) -> None:
    """TypeError for an operand beside one of this dtype that is an array of another kind: it has
    that dtype only where it is asked for.
    """
    if type(value) in _PLAIN:
        return
    if type(value) in (list, tuple) and state.trace is not None:
        for part in value:
            check_beside(part, dtype)
    elif isinstance(value, Tensor):
        _same_dtype(value, dtype)
    elif isinstance(value, np.ndarray | np.generic):
        kind = np.asarray(value).dtype.kind
        if kind in _KIND_OF_ARRAY and dtype.kind not in _KIND_OF_ARRAY[kind]:
            raise _refuse(np.asarray(value), dtype)


def _asked(value: Any, dtype: DType) -> Any:
    """An array for which a dtype of another kind is asked, with that dtype. TypeError where it has
    other numbers than the dtype: they would be cut off.
    """
    if not isinstance(value, np.ndarray | np.generic):
        return value
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind not in "biuf" or dtype.kind not in "biufc" or dtype.kind in _KIND_OF_ARRAY[kind]:
        return value
    made = _quietly(array.astype, dtype.np_dtype)
    if not np.array_equal(made, array):
        bad = array[made != array].flat[0]
        raise wrong_dtype(
            f"{bad} is none of the values of dtype {dtype.name}, which is asked for an array",
            f"tf.cast(array, tf.{dtype.name}) converts all, as NumPy's astype does",
        )
    return made


def _asked_of_run(array: Any, dtype: DType) -> Any:
    """An array of which only the run knows the numbers: with a dtype that has all of its kind."""
    from runtime import ops

    own = array.dtype
    if own.kind == "b" or (own.kind in "iuf" and dtype.kind in "fc"):
        return ops.cast(array, dtype) if dtype.kind in "biufc" else array
    is_wider = own.is_integer and dtype.is_integer and dtype.min <= own.min <= own.max <= dtype.max
    return ops.cast(array, dtype) if is_wider else array


def get_static_value(tensor: Any, partial: bool = False) -> npt.NDArray[Any] | None:
    """The value as an ndarray where it is known already (eager tensors, constants), else None.

    >>> rt.get_static_value(rt.constant([1, 2])).tolist()
    [1, 2]
    """
    value = convert_to_tensor(tensor).static_value
    return None if value is None else np.array(value)


def _hinted(value: Any, hint: DType) -> Tensor:
    try:
        return _convert(value, hint)
    except (TypeError, ValueError):
        return _convert(value, None)


def _convert(value: Any, dtype: DType | None, is_asked: builtins.bool = False) -> Tensor:
    """The tensor of a value; of arrays in it, those of other kinds too, if the dtype `is_asked`."""
    if isinstance(value, Tensor):
        if is_asked and _is_array_of_run(value):
            value = _asked_of_run(value, cast(DType, dtype))
        return _same_dtype(value, dtype)
    kind = type(value)
    if kind in _PLAIN:
        return tensor_of(_scalar(value, dtype))
    function = conversion_of(kind)
    if function is not None:
        made = function(value, dtype)
        if made is not NotImplemented:
            return cast(Tensor, made)
    part = _part_within(value) if isinstance(value, list | tuple) else kind
    if part is not None and is_sequence(part):
        value = _as_lists(value)
        part = _part_within(value)
    if part is not None and isinstance(value, list | tuple):
        return _stacked(value, dtype, is_asked)
    return tensor_of(as_array(_asked(value, cast(DType, dtype)) if is_asked else value, dtype))


def _same_dtype(tensor: Tensor, dtype: DType | None) -> Tensor:
    if dtype is None or tensor.dtype is dtype:
        return tensor
    message = (
        f"Tensor conversion requested dtype {dtype.name} for a tensor of dtype "
        f"{tensor.dtype.name}: convert it with tf.cast"
    )
    raise wrong_dtype(message)


_NO_SEQUENCES = (
    Mapping, Set, list, tuple, str, bytes, bytearray, memoryview, range, np.ndarray, np.generic,
    Tensor, TensorShape, type,
)  # fmt: skip


def is_sequence(kind: Any) -> builtins.bool:
    """Whether objects of this type have a length and items, as lists have, without being lists,
    tuples, ranges, texts or arrays.
    """
    return _objects_have(kind, "__len__") and _objects_have(kind, "__getitem__") and not (
        issubclass(kind, _NO_SEQUENCES) or _array_like(kind) or conversion_of(kind)
    )  # fmt: skip


def _objects_have(kind: Any, name: str) -> builtins.bool:
    # `hasattr` also finds what the metaclass has: an enum has a length, its members have none.
    return any(name in vars(base) for base in kind.__mro__)


def _as_lists(value: Any) -> Any:
    """Sequences, and those within them, as lists."""
    if isinstance(value, list | tuple) or is_sequence(type(value)):
        return [_as_lists(value[i]) for i in range(len(value))]
    return value


def _part_within(values: Any) -> Any:
    """The type of the first element of nested lists that is a tensor, or a sequence but no list."""
    for value in values:
        if isinstance(value, list | tuple):
            found = _part_within(value)
            if found is not None:
                return found
        elif isinstance(value, Tensor):
            return Tensor
        else:
            kind = type(value)
            if kind not in _PLAIN and (conversion_of(kind) is not None or is_sequence(kind)):
                return kind
    return None


def _stacked(values: Any, dtype: DType | None, is_asked: builtins.bool) -> Tensor:
    from runtime import ops

    dtype = dtype or _dtype_within(values)
    return ops.stack([_convert(value, dtype, is_asked) for value in values])


def _dtype_within(values: Any) -> DType | None:
    """The dtype of the first tensor in nested lists: the Python numbers beside it take it."""
    for value in values:
        if isinstance(value, list | tuple):
            found = _dtype_within(value)
            if found is not None:
                return found
        elif isinstance(value, Tensor):
            return value.dtype
        elif type(value) not in _PLAIN and conversion_of(type(value)) is not None:
            return getattr(value, "dtype", None)
    return None


_PLAIN = frozenset((builtins.bool, int, float, complex, str, bytes))
_DEFAULT: dict[type, DType] = {
    builtins.bool: dtypes.bool,
    int: dtypes.int32,
    float: dtypes.float32,
    complex: dtypes.complex128,
}
# Which dtype kinds a Python number may become: nothing is lost but range and precision.
_KINDS = {builtins.bool: "b", int: "iufc", float: "fc", complex: "c"}
_KIND_OF_ARRAY = {"b": "b", "i": "iufc", "u": "iufc", "f": "fc", "c": "c"}


def _refuse(value: Any, dtype: DType) -> errors.WrongDtypeError:
    return wrong_dtype(
        f"Cannot convert {_shown(value)} to a tensor of dtype {dtype.name}",
        "write a value of that kind, or tf.cast the other operand",
    )


def _unsupported(what: str, value: Any) -> errors.WrongDtypeError:
    return wrong_dtype(
        f"Cannot convert {what} to a tensor: {_shown(value)}",
        "a tensor holds numbers, truth values or text, all of one kind",
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _quietly(function: Any, *args: Any, **options: Any) -> Any:
    """`function(*args)` without warnings: floats out of range become infinite, as in any op."""
    # A copy, as conversions happen inside of kernels too.
    return state.context.copy().run(function, *args, **options)


def _scalar(value: Any, dtype: DType | None) -> Any:
    kind = type(value)
    if kind is str or kind is bytes:
        if dtype is not None and dtype is not dtypes.string:
            raise _refuse(value, dtype)
        return np.array(encoded(value) if kind is str else value, dtype=object)
    if dtype is None:
        dtype = _DEFAULT[kind]
    elif dtype.kind not in _KINDS[kind]:
        raise _refuse(value, dtype)
    try:
        return _quietly(dtype.np_dtype.type, value)
    except OverflowError:
        raise _out_of_range(value, dtype) from None


_CODING = "utf-8", "surrogatepass"  # `chr` gives characters that no UTF-8 has


def encoded(text: str) -> bytes:
    """The bytes of a text, as a tensor holds them."""
    return text.encode(*_CODING)


def decoded(text: bytes) -> str:
    """The text of which a tensor holds these bytes."""
    return text.decode(*_CODING)


_WIDE = dtypes.int64, dtypes.uint64, dtypes.float64


def _out_of_range(value: Any, dtype: DType) -> ValueError:
    fitting = (wide for wide in _WIDE if wide.min <= value <= wide.max)
    hint = next((f"ask for dtype=tf.{wide.name}" for wide in fitting), None)
    return wrong_value(
        f"{value} does not fit dtype {dtype.name}, which holds {dtype.min} to {dtype.max}", hint
    )


def as_array(value: Any, dtype: DType | None = None) -> Any:
    """The array (of the caller's own) for a number, nested list or ndarray, with `dtype` or its
    default dtype.

    Raises TypeError for what has no dtype of ours and ValueError for ragged lists and numbers out
    of range.
    """
    kind = type(value)
    if kind in _PLAIN:
        return _scalar(value, dtype)
    if kind is np.ndarray:
        return _of_array(value, dtype, copy=True)
    if isinstance(value, np.generic):
        return _of_array(np.asarray(value), dtype, copy=False)
    if isinstance(value, TensorShape):
        value = value.as_list()
        dtype = dtype or (None if value else dtypes.int32)
    if isinstance(value, list | tuple | range):
        return _of_sequence(value, dtype)
    if isinstance(value, builtins.bool | int | float | complex | str | bytes):
        return _scalar(_plain(value), dtype)
    if isinstance(value, DType) or not _array_like(value):
        raise _unsupported(f"a value of type {type(value).__name__}", value)
    return _of_array(np.asarray(value), dtype, copy=True)


def _plain(value: Any) -> Any:
    for kind in (builtins.bool, int, float, complex, str, bytes):
        if isinstance(value, kind):
            return cast(Any, kind)(value)
    raise TypeError(value)


def _array_like(value: Any) -> builtins.bool:
    return any(
        hasattr(value, name) for name in ("__array__", "__array_interface__", "__dlpack__")
    ) or isinstance(value, memoryview | bytearray)


def _of_array(array: Any, dtype: DType | None, copy: builtins.bool) -> Any:
    own = array.dtype
    if own.kind in "SUO":
        return _of_strings(array, dtype)
    if own not in BY_NUMPY and not _takes(dtype, own):
        own = _native(array)
        array = array.astype(own)
    if dtype is None or dtype.np_dtype == own:
        canonical = BY_NUMPY[own].np_dtype
        return array.astype(canonical, copy=copy) if copy or own is not canonical else array
    if dtype.kind not in _KIND_OF_ARRAY[own.kind]:
        raise _refuse(array, dtype)
    return _narrowed(array, dtype)


def _takes(dtype: DType | None, own: Any) -> builtins.bool:
    """Whether a dtype is asked for to which numbers of another one are converted: `longdouble` has
    none of its own.
    """
    return dtype is not None and dtype.kind in _KIND_OF_ARRAY.get(own.kind, "")


def _native(array: Any) -> Any:
    try:
        return as_dtype(array.dtype).np_dtype
    except TypeError:
        raise wrong_dtype(
            f"Unsupported array dtype {array.dtype}: no tensor dtype holds it"
        ) from None


def _narrowed(array: Any, dtype: DType) -> Any:
    made = _quietly(array.astype, dtype.np_dtype)
    if dtype.is_integer and not np.array_equal(made, array):
        bad = array[made != array].flat[0]
        raise _out_of_range(bad, dtype)
    return made


def _of_strings(array: Any, dtype: DType | None) -> Any:
    if dtype is not None and dtype is not dtypes.string:
        raise _refuse(array, dtype)
    made = np.empty(array.shape, dtype=object)
    flat = made.reshape(-1)
    for place, element in enumerate(array.reshape(-1).tolist()):
        if isinstance(element, str):
            element = encoded(element)
        if not isinstance(element, bytes):
            raise _unsupported(f"a value of type {type(element).__name__}", element)
        flat[place] = element
    return made


def _of_numbers(value: Any, kind: type, dtype: DType | None) -> Any:
    """The array of a flat list of numbers of one kind; None where that needs a closer look."""
    wanted = _DEFAULT[kind] if dtype is None else dtype
    if wanted.kind not in _KINDS[kind]:
        return None
    try:
        return _quietly(np.array, value, wanted.np_dtype)
    except OverflowError:
        return None


def _of_sequence(value: Any, dtype: DType | None) -> Any:
    kinds = set(map(type, value))
    if len(kinds) == 1 and (kind := kinds.pop()) in _DEFAULT:
        array = _of_numbers(value, kind, dtype)
        if array is not None:
            return array
    return _of_nested(value, dtype)


def _of_nested(value: Any, dtype: DType | None) -> Any:
    if isinstance(next(_leaves(value), None), str | bytes):
        return _of_objects(value, dtype)  # NumPy gives each text as many bytes as the longest has
    try:
        array = np.array(value)
    except UnicodeDecodeError:  # texts beside bytes that are none
        return _of_objects(value, dtype)
    except ValueError:
        raise _ragged(value) from None
    except OverflowError:
        raise _out_of_range(value, dtype or dtypes.int32) from None
    kind = array.dtype.kind
    if kind in "SU" or kind == "O":
        return _of_objects(value, dtype)
    if dtype is not None:
        if array.size == 0:
            return array.astype(dtype.np_dtype)
        _refuse_mixed(value, kind, dtype)
        if dtype.kind not in _KIND_OF_ARRAY[kind]:
            raise _refuse(value, dtype)
        if kind in "fc":
            return _quietly(array.astype, dtype.np_dtype)
        return _narrowed(array, dtype)
    _refuse_mixed(value, kind, None)
    if kind in "iu":
        return _ints(value, array)
    return _quietly(array.astype, _default_of(value, array).np_dtype, copy=False)


def _of_objects(value: Any, dtype: DType | None) -> Any:
    leaves = list(_leaves(value))
    if all(isinstance(leaf, str | bytes | np.ndarray) for leaf in leaves):
        try:
            array = np.array(value, dtype=object)
        except ValueError:
            raise _ragged(value) from None
        if any(isinstance(each, list | tuple) for each in array.flat):
            raise _ragged(value)
        return _of_strings(array, dtype)
    if all(isinstance(leaf, int) for leaf in leaves):
        raise _out_of_range(max(leaves, key=abs), dtype or dtypes.int32)
    kinds = sorted({type(leaf).__name__ for leaf in leaves})
    raise _unsupported(f"a list of {', '.join(kinds)}", value)


_TRUTHS = (builtins.bool, np.bool_)


def _leaves(value: Any) -> Any:
    if isinstance(value, list | tuple):
        for element in value:
            yield from _leaves(element)
    else:
        yield value


def _refuse_mixed(value: Any, kind: str, dtype: DType | None) -> None:
    if kind == "b" and dtype in (None, dtypes.bool):
        return
    if kind != "b" and not any(isinstance(leaf, _TRUTHS) for leaf in _leaves(value)):
        return
    raise wrong_dtype(
        f"Cannot convert {_shown(value)} to a tensor: truth values and numbers do not mix",
        "write 0 and 1, or compare with `!= 0`",
    )


def _numpy_leaf(value: Any) -> Any:
    """The dtype that NumPy values in a list give it; None for Python numbers only."""
    found = [leaf.dtype for leaf in _leaves(value) if isinstance(leaf, np.generic | np.ndarray)]
    return np.result_type(*found) if found else None


def _default_of(value: Any, array: Any) -> DType:
    explicit = _numpy_leaf(value)
    if explicit is not None:
        return as_dtype(array.dtype)
    return {"f": dtypes.float32, "c": dtypes.complex128, "b": dtypes.bool}.get(
        array.dtype.kind, as_dtype(array.dtype)
    )


def _ints(value: Any, array: Any) -> Any:
    if _numpy_leaf(value) is not None:
        return array
    return _narrowed(array, dtypes.int32)


def _ragged(value: Any) -> ValueError:
    lengths = sorted({len(row) if isinstance(row, list | tuple) else 0 for row in value})
    return wrong_value(
        "Can't convert non-rectangular Python sequence to Tensor: "
        f"its rows have lengths {', '.join(map(str, lengths))}",
        "make them of one length",
    )


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor with the value of a Python number, string, nested list or array.

    `dtype` asks for a dtype, `shape` reshapes the value, or repeats a single element.
    Raises TypeError for values that cannot have the dtype, ValueError for ragged lists, numbers out
    of range and elements that do not fill `shape`.

    >>> rt.constant([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    kind = type(value)
    if dtype is None and shape is None and state.run is not None:
        make = _QUICK.get(kind)
        if make is not None:
            try:
                return EagerTensor(state.run(make, value))
            except OverflowError:
                raise _out_of_range(value, dtypes.int32) from None
            except RuntimeError:
                pass  # inside of an op, whose context cannot be entered again
    if isinstance(value, EagerTensor):
        if dtype is not None and as_dtype(dtype) is not value.dtype:
            raise wrong_dtype(
                f"a tensor of dtype {value.dtype.name} is no constant of {as_dtype(dtype).name}: "
                "convert it with tf.cast"
            )
        if shape is None and state.trace is None:
            return value.snapshot()
        value = value.raw
    elif isinstance(value, Tensor):
        if _is_array_of_run(value) and shape is None:
            return convert_to_tensor(value, dtype)
        raise TypeError("constant() takes values, not symbolic tensors; use tf.identity or tf.cast")
    elif not (kind in _PLAIN or kind is np.ndarray):
        made = convert_to_tensor(value, dtype)
        if shape is None:
            return made
        value = cast(Any, made).raw if isinstance(made, EagerTensor) else as_array(value, None)
    wanted = None if dtype is None else as_dtype(dtype)
    array = as_array(value if wanted is None or kind in _PLAIN else _asked(value, wanted), wanted)
    return tensor_of(array if shape is None else _shaped(array, shape))


_QUICK: dict[type, Any] = {float: np.float32, int: np.int32, builtins.bool: np.bool_}


def _shaped(array: Any, shape: Any) -> Any:
    try:
        dims = TensorShape(shape).dims
    except ValueError as error:
        raise wrong_value(str(error)) from None
    wanted = tuple(int(dim) for dim in dims or () if dim is not None)
    if array.size == 1:
        return np.full(wanted, array.reshape(-1)[0], dtype=array.dtype)
    if int(np.prod(wanted)) != array.size:
        raise wrong_dtype(
            f"a value of {array.size} elements does not fill the `shape` "
            f"{format_shape(cast(Shape, wanted))}"
        )
    return array.reshape(wanted)
