"""Functions of libraries with staged arguments: nodes that call them, where they give numbers. What
type they give is what they give for examples of the arguments.

Arrays they give to nobody: a tensor in place of one would not show what is changed in place by
another name of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph.users_words import with_article
from runtime import dtypes
from runtime.core.convert import convert_to_tensor
from runtime.core.tensor import Tensor
from runtime.core.types import NumberType, TensorType, Type
from runtime.dtypes import DType
from runtime.graph.library_functions import FUNCTIONS, LIBRARY, RAISED, as_numpy, called
from runtime.graph.nodes import NUMBER_TYPES
from runtime.staging.control.joined_variables import read
from runtime.staging.control.optional_values import present
from runtime.staging.images import Images
from runtime.staging.lists.growing import Growing
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor

_ATOMS = (bool, int, float, complex, str, slice, type(None), type(...))
_SIZES = 2, 3
"""The unknown sizes and numbers of the examples: what differs between them, only the run knows."""


def staged(name: str) -> Callable[..., Any]:
    """The stand-in for a function of which an argument is staged, or holds what is."""
    return partial(_staged, name)


def _staged(name: str, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("out") is not None:
        raise _refused(name, "it is given an `out`", "assign its result")
    given = tuple(_given(name, arg) for arg in args)
    named = {key: _given(name, value) for key, value in kwargs.items()}
    images, trace = Images(), active()
    template = images.of((given, (tuple(named), tuple(named.values()))))
    values = tuple([trace.value_of(symbol) for symbol in images.symbols])
    params = {"function": name, "arguments": template}
    try:
        made = tuple([_for_examples(name, given, named, size) for size in _SIZES])
    except RAISED:  # for values that are none of the user's
        return FUNCTIONS[name](*args, **kwargs)
    if not all(map(_is_of_numbers, made)):
        return FUNCTIONS[name](*args, **kwargs)
    if not isinstance(made[0], tuple):
        return trace.apply(LIBRARY, values, params | {"type": _type_of(name, *made)})
    items = []
    for place, (first, second) in enumerate(zip(*made, strict=True)):
        item = {"type": _type_of(name, first, second), "place": place}
        items.append(trace.apply(LIBRARY, values, params | item))
    return tuple(items)


def _is_of_numbers(made: Any) -> bool:
    parts = made if isinstance(made, tuple) else (made,)
    return all(isinstance(part, np.generic | bool | int | float | complex) for part in parts)


def _given(name: str, item: Any) -> Any:
    """An argument as it is now: symbols, tensors, plain data, and lists of them."""
    item = read(present(item))
    if isinstance(item, SymbolicTensor | SymbolicNumber):
        return item
    if isinstance(item, Growing) and item.staged is not None:
        return item if isinstance(item, tuple) else item.copy()
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


def _type_of(name: str, first: Any, second: Any) -> Type:
    """The type of the number of which these are examples, or of one of a tuple."""
    kinds = {type(first), type(second)}
    if kinds <= NUMBER_TYPES.keys() and len(kinds) == 1:
        return NUMBER_TYPES[kinds.pop()]
    dtype = np.asarray(first).dtype
    if dtype != np.asarray(second).dtype or dtype.kind not in "biufc":
        raise _refused(name, "the type of its result depends on the values", "use an op")
    return TensorType(dtypes.as_dtype(dtype), ())


def _for_examples(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], size: int) -> Any:
    """The result of the function for examples of the arguments."""
    example = partial(_example, name, size=size, random=np.random.default_rng(size))
    return called(name, example(args), {key: example(value) for key, value in kwargs.items()})


def _example(name: str, item: Any, size: int, random: np.random.Generator) -> Any:
    """An argument with example values in place of those that only the run knows."""
    if isinstance(item, SymbolicNumber):
        return _number(item.type, size)
    if isinstance(item, Growing):
        leaf = item.staged.element if item.staged is not None else None
        kind = getattr(leaf, "type", None)
        if not isinstance(kind, NumberType | TensorType):
            raise _refused(name, "it is given a list of tuples or lists", "stack its columns")
        return [_of_type(name, kind, size, random) for _ in range(size)]
    if isinstance(item, SymbolicTensor):
        return _of_type(name, item.type, size, random)
    if isinstance(item, list | tuple):
        return type(item)(_example(name, each, size, random) for each in item)
    return as_numpy(item)


def _of_type(name: str, type: Any, size: int, random: np.random.Generator) -> Any:
    if isinstance(type, NumberType):
        return _number(type, size)
    if type.shape is None or type.dtype.np_dtype.kind not in "biufc":
        raise _refused(name, f"it is given a tensor of type {type}", "use an op")
    dtype = type.dtype.np_dtype
    if not type.shape:
        return dtype.type(size - 1 if dtype.kind == "b" else size)
    shape = [size if known is None else known for known in type.shape]
    numbers = random.random(shape) if dtype.kind in "fc" else random.integers(1, 9, shape)
    return numbers.astype(dtype)


def _number(type: NumberType, size: int) -> Any:
    return {"bool": size > _SIZES[0], "int": size, "float": size - 0.5}[type.kind]


def _refused(name: str, reason: str, hint: str) -> Exception:
    return refuse(f"{name} of staged values is not possible here: {reason}", hint)


STAGED = {function: staged(name) for name, function in FUNCTIONS.items()}
