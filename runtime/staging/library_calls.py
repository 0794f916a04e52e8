"""Functions of libraries with staged arguments: nodes that call them. What type they give is what
they give for examples of the arguments, and so is whether they give a view of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from autograph.users_words import with_article
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.library_functions import (
    FUNCTIONS,
    LIBRARY,
    RAISED,
    SIZED_BY_VALUES,
    WRITING,
    as_numpy,
    called,
)
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.templates import filled
from runtime.staging.aliasing.sharing import OF_TENSOR, READ_ONLY, hold, may_be_part
from runtime.staging.arrays.equivalents import by_ops
from runtime.staging.arrays.symbolic_array import SymbolicArray, as_array, shape_of
from runtime.staging.arrays.writing import changing, names_of, own, without_out, written
from runtime.staging.control.iteration import Range
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.control.references import want_arrays
from runtime.staging.guarding.numpy_state import error_state
from runtime.staging.images import Images
from runtime.staging.lists.growing import Growing
from runtime.staging.optional_arguments import of_library
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor

_ATOMS = (bool, int, float, complex, str, slice, type(None), type(...))
_SIZES = (2, 3), (1, 2)
"""The unknown sizes and numbers of two examples: what differs between them, only the run knows. The
second pair is for functions that raise for the first one."""

_LARGE, _SMALL = 8, (0, 1)
"""An unknown size, and two numbers, where a number has to be a place."""


def staged(name: str) -> Callable[..., Any]:
    """The stand-in for a function of which an argument is staged, or holds what is."""
    return partial(_staged, name)


def _staged(name: str, *args: Any, **kwargs: Any) -> Any:
    function = FUNCTIONS[name]
    out, args, kwargs = without_out(function, args, kwargs)
    if out is not None:
        return _written(name, out, args, kwargs)
    if name == "np.where" and len(args) == 1:
        name = "np.nonzero"  # which it is then, and which has a result of unknown sizes
    made = of_library(function, args, kwargs)
    if made is not NotImplemented:
        return made
    given = tuple(_given(name, arg) for arg in args)
    named = {key: _given(name, value) for key, value in kwargs.items()}
    images, trace, raising = Images(shown=False), active(), _raising(name)
    template = images.of((given, (tuple(named), tuple(named.values()))))
    made = _of_known(name, template, images.symbols, raising)
    if made is NotImplemented and not raising:
        made = by_ops(function, given, named)
    if made is not NotImplemented:
        return made
    values = tuple([trace.value_of(symbol) for symbol in images.symbols])
    params = {"function": name, "arguments": template, **raising}
    example, results = _examples(name, given, named)
    is_sized = not _depends_on_values(name, given, named)
    if len({type(each) for each in results} & {tuple, list}) > 1:
        raise _refused(name, "the type of its result depends on the values", "use an op")
    if not isinstance(results[0], tuple | list):
        kind = _type_of(example, is_sized, *results)
        result = trace.apply(LIBRARY, values, params | {"type": kind})
        return _of_numpy(result, example, results[0], args)
    if len(set(map(len, results))) > 1:
        raise _refused(name, "only the run knows how many arrays it gives", "take slices in a loop")
    items = []
    for place, parts in enumerate(zip(*results, strict=True)):
        item = {"type": _type_of(example, is_sized, *parts), "place": place}
        made = trace.apply(LIBRARY, values, params | item)
        items.append(_of_numpy(made, example, parts[0], args))
    return items if isinstance(results[0], list) else tuple(items)


def _raising(name: str) -> dict[str, tuple[str, ...]]:
    """The kinds of failures for which NumPy is to raise an error, as `np.errstate` says, if there
    are any: as a parameter.
    """
    if not name.startswith("np."):
        return {}
    state = dict(error_state())
    watcher = active().watcher
    if watcher is not None:
        watcher.see_error_state()
    known = "ignore", "warn", "raise"
    others = [f"{kind}={way!r}" for kind, way in state.items() if way not in known]
    if others:
        raise _refused(name, f"np.errstate({others[0]}) is to tell of a failure", _FINITE)
    is_caught = watcher is not None and watcher.around.catches_warnings()
    if is_caught and "warn" in state.values():
        raise _refused(name, "NumPy's warnings are caught around it", _FINITE)
    kinds = tuple([kind for kind, way in state.items() if way == "raise"])
    return {"raising": kinds} if kinds else {}


_FINITE = "ask what comes out: np.isfinite(y).all()"


def _of_known(
    name: str, template: Any, symbols: Sequence[Any], raising: dict[str, tuple[str, ...]]
) -> Any:
    """The result for arrays of which all numbers are known by now, if it is no view of one;
    NotImplemented for others.
    """
    known = [x.static_value if isinstance(x, SymbolicTensor) else None for x in symbols]
    if any(array is None for array in known):
        return NotImplemented
    args, kwargs = as_numpy(filled(template, iter(known)))
    made = called(name, args, dict(zip(*kwargs, strict=True)), **raising)
    parts = made if type(made) in (list, tuple) else (made,)
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if any(np.may_share_memory(part, array) for part in arrays for array in known):
        return NotImplemented
    if isinstance(made, np.ndarray):
        return as_array(convert_to_tensor(made)) if made.dtype.kind in "biufc" else NotImplemented
    return NotImplemented if arrays else made


def _examples(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[_Example, list[Any]]:
    """The first of the examples, and the results of all: of two, and of one with unlike sizes and
    numbers where there is one.

    What a function raises for the types or the known sizes of its arguments is the user's error.
    """
    pending: list[tuple[tuple[int, int], int | None]] = [(sizes, None) for sizes in _SIZES]
    errors: list[Exception] = []
    for sizes, dimension in pending:
        examples = [_Example(name, size, dimension) for size in sizes]
        try:
            results = [example.called(args, kwargs) for example in examples]
        except RAISED as raised:
            errors.append(raised)
        else:
            return examples[0], results + _of_unlike_sizes(name, dimension, args, kwargs)
        if (sizes, dimension) == (_SIZES[-1], None):
            pending += [(_SIZES[0], known) for known in examples[0].known_sizes()]
            pending += [(numbers, _LARGE) for numbers in (_SIZES[0], _SMALL)]
    error = errors[0]
    is_of_types = isinstance(error, TypeError) or isinstance(FUNCTIONS[name], np.ufunc)
    if is_of_types and all(None not in item.static_shape for item, _ in examples[0].arrays):
        raise error
    words = f"for examples of them it raises {type(error).__name__}: {error}"
    raise _refused(name, words, "give it what it takes for all values, or use an op")


def _of_unlike_sizes(
    name: str, dimension: int | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    """The result for an example in which no two unknown sizes and numbers are one, if it has one: a
    size of the result may be their difference, or how often one is in another.
    """
    example = _Example(name, _SIZES[0][-1], dimension, are_unlike=True)
    try:
        return [example.called(args, kwargs)] if dimension is None else []
    except RAISED:
        return []


def _of_numpy(symbol: Any, example: _Example, made: Any, args: tuple[Any, ...]) -> Any:
    """A result as what NumPy gives: an array or a scalar of its own, a view of an argument, or a
    number of Python's.
    """
    if isinstance(symbol, SymbolicNumber):
        return symbol
    array = as_array(symbol)
    for item, shown in example.arrays:
        if isinstance(made, np.ndarray) and np.may_share_memory(made, shown):
            if isinstance(item, SymbolicArray):
                may_be_part(array, item)
            elif any(isinstance(arg, np.ndarray) for arg in args):
                want_arrays()
                raise _refused(example.name, "it gives a view of an array", "give it a tensor")
            else:
                hold(array, OF_TENSOR)
    if isinstance(made, np.ndarray) and not made.flags.writeable:
        hold(array, READ_ONLY)
    return array


def _given(name: str, item: Any) -> Any:
    """An argument as it is now: symbols, tensors, plain data, and lists of them."""
    item = read(present(item))
    if isinstance(item, SymbolicTensor | SymbolicNumber):
        return item
    if isinstance(item, Growing) and item.staged is not None:
        return item if isinstance(item, tuple) else item.copy()
    if isinstance(item, Range):
        return STAGED[np.arange](item.start, item.stop, item.step)
    if isinstance(item, list | tuple):
        parts = [_given(name, each) for each in item]
        return tuple(parts) if isinstance(item, tuple) else parts
    if isinstance(item, Tensor | np.ndarray | np.generic):
        return convert_to_tensor(item)
    if isinstance(item, DType):
        return item.np_dtype.str
    if isinstance(item, type | np.dtype):
        return np.dtype(item).str
    if isinstance(item, range):
        return list(item)
    if isinstance(item, _ATOMS):
        return item
    kind = type(item).__qualname__
    raise _refused(
        name, f"it is given {with_article(kind)}", "give it tensors, numbers and lists of them"
    )


def _depends_on_values(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the sizes of the result depend on numbers that only the run knows."""
    if name in _SHAPES:
        shape = _argument(_SHAPES[name], args, kwargs)
        return isinstance(shape, SymbolicTensor) and shape.static_shape != ()
    if name not in SIZED_BY_VALUES or name not in _PLACES:
        return name in SIZED_BY_VALUES
    given = _argument(_PLACES[name], args, kwargs)
    asked = Images(shown=False)
    asked.of(given)
    return bool(asked.symbols)


def _argument(known: tuple[str, int], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    name, place = known
    return kwargs.get(name, args[place] if place < len(args) else None)


_PLACES = {
    "np.compress": ("condition", 0), "np.delete": ("obj", 1), "np.insert": ("obj", 1),
    "np.repeat": ("repeats", 1),
}  # fmt: skip
"""The arguments whose numbers decide the sizes of the result, where they alone do."""
_SHAPES = {
    "np.full": ("shape", 0), "np.ones": ("shape", 0), "np.pad": ("pad_width", 1),
    "np.resize": ("new_shape", 1), "np.tile": ("reps", 1), "np.zeros": ("shape", 0),
}  # fmt: skip
"""Those that do so as an array."""


def _type_of(example: _Example, is_sized: bool, *results: Any) -> Type:
    """The type of what these are examples of, or of one of a tuple: of it only sizes that agree."""
    name = example.name
    kinds = set(map(type, results))
    if kinds <= NUMBER_TYPES.keys() and len(kinds) == 1:
        return NUMBER_TYPES[kinds.pop()]
    first, *others = map(np.asarray, results)
    alike = first.dtype, first.ndim
    if first.dtype.kind not in "biufc":
        hint = "use an array of numbers: for several fields, one for each"
        raise _refused(name, f"it gives an array of dtype {first.dtype}", hint)
    if any((each.dtype, each.ndim) != alike for each in others):
        raise _refused(name, "the type of its result depends on the values", "use an op")
    shape = [
        n if is_sized and example.tells(n) and {n} == set(others) else None
        for n, *others in zip(*(each.shape for each in (first, *others)), strict=True)
    ]
    return TensorType(dtypes.as_dtype(first.dtype), tuple(shape))


class _Example:
    """Example values for what only the run knows: `size` is the value of whole numbers, and of
    unknown dimensions if there is no other `dimension` for them, or of the first of them, before
    larger ones, if they `are_unlike`. `arrays` are the tensors that it
    was asked for, with their examples.
    """

    def __init__(
        self, name: str, size: int, dimension: int | None = None, are_unlike: bool = False
    ) -> None:
        self.name = name
        self.size = size
        self.are_unlike = are_unlike
        self.dimension = size if dimension is None else dimension
        self.is_guessed = dimension is not None
        self.arrays: list[tuple[Any, Any]] = []
        self._random = np.random.default_rng(size)

    def called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of the function for examples of the arguments."""
        named = {key: self._of(value) for key, value in kwargs.items()}
        return called(self.name, self._of(args), named)

    def known_sizes(self) -> set[int]:
        """The known sizes of the tensors: unknown ones may have to be one of them."""
        return {n for item, _ in self.arrays for n in item.static_shape if n not in (None, 1)}

    def tells(self, size: int) -> bool:
        """Whether a size of both results is known: not where it may be one of unknown sizes, which
        both examples have the same.
        """
        is_known = size != self.dimension and size in self.known_sizes()
        return is_known or not self.is_guessed

    def _of(self, item: Any) -> Any:
        if isinstance(item, SymbolicNumber):
            return self._number(item.type)
        if isinstance(item, Growing):
            leaf = item.staged.element if item.staged is not None else None
            kind = getattr(leaf, "type", None)
            if not isinstance(kind, NumberType | TensorType):
                raise _refused(
                    self.name, "it is given a list of tuples or lists", "stack its columns"
                )
            return [self._of_type(kind) for _ in range(self.dimension)]
        if isinstance(item, list | tuple):
            return type(item)([self._of(each) for each in item])
        made = self._of_type(item.type) if isinstance(item, SymbolicTensor) else as_numpy(item)
        if isinstance(made, np.ndarray):
            self.arrays.append((item, made))
        return made

    def _of_type(self, type: Any) -> Any:
        if isinstance(type, NumberType):
            return self._number(type)
        if type.shape is None:
            hint = "give it its dimensions before: rows = np.array([x])"
            raise _refused(self.name, "only the run knows how many dimensions an array has", hint)
        if type.dtype.np_dtype.kind not in "biufc":
            raise _refused(self.name, f"it is given a tensor of type {type}", "use an op")
        dtype = type.dtype.np_dtype
        if not type.shape:
            return dtype.type(self.size % 2 if dtype.kind == "b" else self.size)
        shape = [self._unknown() if known is None else known for known in type.shape]
        is_real = dtype.kind in "fc"
        numbers = self._random.random(shape) if is_real else self._random.integers(0, 2, shape)
        is_matrix = is_real or self.name.startswith("np.linalg.")
        if is_matrix and dtype.kind != "b" and len(shape) > 1 and shape[-1] == shape[-2]:
            # Positive definite, as some functions ask.
            numbers = numbers + shape[-1] * np.eye(shape[-1])
        if len(shape) == 1:
            numbers.sort()  # as bins have to be
        return numbers.astype(dtype)

    def _unknown(self) -> int:
        """An unknown size."""
        self.dimension += self.are_unlike
        return self.dimension

    def _number(self, type: NumberType) -> Any:
        size = self._unknown() if self.are_unlike else self.size
        return {"bool": size % 2 > 0, "int": size, "float": size - 0.5}[type.kind]


def _itself(name: str, item: Any, dtype: Any = None, **options: Any) -> Any:
    """An array itself, where a function gives it another dtype or none."""
    array = read(present(item))
    if isinstance(array, SymbolicArray) and array.static_shape != () and not options:
        own = array.type.dtype.np_dtype
        if dtype is None or np.dtype(getattr(dtype, "np_dtype", dtype)) == own:
            return array
    return _staged(name, item, *([] if dtype is None else [dtype]), **options)


def _asking(answer: Callable[..., Any]) -> Callable[..., Any]:
    """A function that asks of what size or dtype an array is, or what would become one."""

    def asked(item: Any, *args: Any, **kwargs: Any) -> Any:
        array = item if isinstance(item, SymbolicTensor) else STAGED[np.array](item)
        return answer(array, *args, **kwargs)

    return asked


def _enumerated(array: SymbolicTensor) -> Iterator[tuple[tuple[int, ...], Any]]:
    shape = shape_of(array)
    if None in (array.static_shape or ()):
        raise _refused("np.ndenumerate", "only the run knows how many items there are", "use range")
    return ((at, array[at]) for at in np.ndindex(*shape))


def _size(array: SymbolicTensor, axis: int | None = None) -> Any:
    return math.prod(shape_of(array)) if axis is None else shape_of(array)[axis]


def _is_complex(array: SymbolicTensor) -> bool:
    return array.type.dtype.np_dtype.kind == "c"


def _common_type(*arrays: Any) -> Any:
    """The class of numbers that can hold those of these arrays."""
    known = [STAGED[np.asarray](array).type.dtype.np_dtype for array in arrays]
    return np.common_type(*[np.empty(0, dtype) for dtype in known])


def _in_order(name: str, item: Any, *args: Any, **kwargs: Any) -> Any:
    """A function that takes items in an order: not in that of memory, which no graph knows."""
    at = names_of(FUNCTIONS[name]).index("order") - 1
    order = kwargs.get("order", args[at] if at < len(args) else "C")
    rank = len(shape) if (shape := getattr(item, "static_shape", None)) is not None else 2
    if order in ("A", "K") and rank > 1:
        raise _refused(name, f"order={order!r} is that of numbers in memory", "say 'C' or 'F'")
    return _staged(name, item, *args, **kwargs)


def _written(name: str, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The `out` of a call, which has the result then: where a mask says so, if there is one."""
    function = FUNCTIONS[name]
    if isinstance(out, tuple) or getattr(function, "nout", 1) != 1:
        raise _refused(name, "it is given more than one `out`", "assign its results")
    mask = kwargs.pop("where", True) if isinstance(function, np.ufunc) else True
    made = STAGED[np.asarray](_staged(name, *args, **kwargs))
    if mask is not True:
        made = STAGED[np.where](mask, made, own(name, out))
    return written(name, function, out, made)


def _changed(name: str, array: SymbolicArray, *args: Any, **kwargs: Any) -> Any:
    """The array as it is behind a function that writes to it."""
    given = tuple(_given(name, arg) for arg in (array, *args))
    named = {key: _given(name, value) for key, value in kwargs.items()}
    _check_types(name, given, named)
    images, trace = Images(shown=False), active()
    template = images.of((given, (tuple(named), tuple(named.values()))))
    params = {"function": name, "arguments": template, "type": array.type, **_raising(name)}
    return as_array(trace.apply(LIBRARY, tuple(map(trace.value_of, images.symbols)), params))


def _check_types(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises what a function raises for the types of its arguments. What it raises for the values
    of an example says nothing of those of the run.
    """
    try:
        _Example(name, _SIZES[0][0]).called(args, kwargs)
    except RAISED as error:
        if isinstance(error, TypeError):
            raise


def _refused(name: str, reason: str, hint: str) -> Exception:
    return refuse(f"{name} of staged values is not possible here: {reason}", hint)


def _by_place(function: Callable[..., Any], stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """The stand-in for a function, which is given its first argument by its place."""

    def called(*args: Any, **kwargs: Any) -> Any:
        first = [] if args else [name for name in names_of(function)[:1] if name in kwargs]
        return stand_in(*args, *map(kwargs.pop, first), **kwargs)

    return called


_STAND_INS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{function: staged(name) for name, function in FUNCTIONS.items()},
    # Nobody knows what is in these.
    np.empty: staged("np.zeros"),
    np.empty_like: staged("np.zeros_like"),
    **{getattr(np, name): partial(_itself, f"np.{name}") for name in ("asarray", "asanyarray")},
    **{getattr(np, name): partial(_in_order, f"np.{name}") for name in ("ravel", "reshape")},
    np.common_type: _common_type,
    np.iscomplexobj: _asking(_is_complex),
    np.isrealobj: _asking(lambda array: not _is_complex(array)),
    np.ndenumerate: _asking(_enumerated),
    np.ndim: _asking(lambda array: len(shape_of(array))),
    np.shape: _asking(shape_of),
    np.size: _asking(_size),
    **{function: changing(_changed, name) for name, function in WRITING.items()},
}
STAGED = {function: _by_place(function, stand_in) for function, stand_in in _STAND_INS.items()}
