"""The key of a call in the cache of traces: its structure, dtypes, shapes, and Python values by
type and value.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Number
from types import MethodType
from typing import Any, NoReturn

import numpy as np

from autograph.objects import module_of
from runtime.core.convert import ForeignArray, convert_to_tensor, held_now
from runtime.core.primitive import wrong_dtype
from runtime.core.shapes import TensorSpec
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import (
    ListType,
    NumberType,
    ObjectHandle,
    ObjectType,
    TensorType,
    is_variable,
)
from runtime.errors import OpError, WrongDtypeError
from runtime.functions.parameters import Arguments
from runtime.graph.lists import Elements
from runtime.graph.structures import structure_of
from runtime.staging.scopes import Symbol
from runtime.staging.symbolic_number import SymbolicNumber


class Reference:
    """A Python object as part of a key: equal only to itself, and not kept alive.

    A bound method is the same one wherever its function and its object are.
    """

    __slots__ = ("hash", "ref")
    ref: Callable[[], Any]

    def __init__(self, item: Any) -> None:
        is_method = type(item) is MethodType
        reference: Callable[[Any], Callable[[], Any]]
        reference = weakref.WeakMethod if is_method else weakref.ref
        self.hash = hash(item) if is_method else id(item)
        try:
            self.ref = reference(item)
        except TypeError:
            self.ref = lambda: item

    def __repr__(self) -> str:
        return repr(self.ref())

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return False
        item, its = self.ref(), other.ref()
        return item is not None and (item is its or (type(item) is MethodType and item == its))


_STANDING_FOR_ONE = frozenset((SymbolicNumber, Symbol, Elements, ObjectHandle))
_ARRAYS = np.ndarray, np.generic, ForeignArray
_LEAVES = (Tensor, TensorSpec, SymbolicNumber, Symbol, Elements, ObjectHandle, *_ARRAYS)
_BY_VALUE = frozenset((bool, int, str, bytes, type(None), type(Ellipsis), range))
_SCALARS = frozenset(
    (
        *(np.bool_, np.float16, np.float32, np.float64, np.complex64, np.complex128),
        *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
    )
)
_DTYPES = frozenset(map(np.dtype, _SCALARS))


def keys_of(items: Iterable[Any], raws: list[Any], held: list[Any]) -> tuple[Any, ...]:
    """The keys of arguments; the arrays of the tensors in them are added to `raws`, and to `held`
    the containers that could be changed.

    Equal keys mean equal structures, dtypes, shapes and Python values. The key of a tensor is its
    dtype, as NumPy's, and its shape; of a container its class, keys and children; of a Python value
    its class and value; of any other object a Reference.
    """
    keys: list[Any] = []
    for item in items:
        kind = type(item)
        if kind is EagerTensor:
            raw = item.raw
            keys.append((raw.dtype, raw.shape))
            raws.append(raw)
        elif kind in _BY_VALUE:
            keys.append((kind, item))
        elif kind is list:
            held.append(item)
            keys.append((kind, len(item), keys_of(item, raws, held)))
        elif kind is tuple:
            keys.append((kind, len(item), keys_of(item, raws, held)))
        elif kind is dict:
            held.append(item)
            keys.append((kind, tuple(item), keys_of(item.values(), raws, held)))
        elif kind is float:
            # Zeros differ by their sign, and NaN is no key: it differs from itself.
            keys.append((kind, item if item < 0 or item > 0 else repr(item)))
        elif kind in _SCALARS:
            keys.append((item.dtype, ()))
            raws.append(item)
        elif kind is np.ndarray and item.dtype in _DTYPES:
            keys.append((item.dtype, item.shape))
            raws.append(item.copy("K"))
        elif is_variable(item):
            handle = item.handle
            known = handle.reference
            if known is None or known.ref() is not item:
                known = handle.reference = Reference(item)
            keys.append(known)
        else:
            keys.append(_key_of(item, raws, held))
    return tuple(keys)


def _key_of(value: Any, raws: list[Any], held: list[Any]) -> Any:
    if isinstance(value, Tensor):
        raws.append(value)
        return value.dtype.np_dtype, value.static_shape
    kind = type(value)
    if kind is complex:
        return kind, repr(value)
    if kind is frozenset or kind is slice:
        return _plain_key(value)
    if kind is TensorSpec:
        raws.append(value)
        return value.dtype.np_dtype, value.shape.dims
    if kind in _STANDING_FOR_ONE:
        raws.append(value)
        return value.type
    if isinstance(value, _ARRAYS):
        return keys_of((convert_to_tensor(value),), raws, held)[0]
    found = structure_of(value)
    if found is not None:
        if not found[0].handler.is_tuple:
            held.append(value)
        return found[0].kind, found[0].keys, keys_of(found[1], raws, held)
    return _object_key(value)


def key_of(value: Any) -> Any:
    """The key of one argument."""
    return keys_of((value,), [], [])[0]


KEYWORDS = object()
"""Stands in the key of a call before the names of the keyword arguments, and their keys."""


def call_key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The key of a call with these arguments."""
    held: list[Any] = []
    key = keys_of(args, [], held)
    if kwargs:
        key = (*key, KEYWORDS, tuple(kwargs), keys_of(kwargs.values(), [], held))
    return key if len(held) < 2 else with_sharing(key, held)


def with_sharing(key: tuple[Any, ...], held: Sequence[Any]) -> tuple[Any, ...]:
    """The key of a call, which tells which of the containers in its arguments are one object."""
    first = first_places(held)
    return (
        key if len(set(first)) == len(first) else _beside(key, "lists that are one", (list, first))
    )


def first_places(held: Sequence[Any]) -> tuple[int, ...]:
    """For each object the place of the first that is the same."""
    known: dict[int, int] = {}
    return tuple([known.setdefault(id(item), at) for at, item in enumerate(held)])


def _beside(key: tuple[Any, ...], name: str, part: Any) -> tuple[Any, ...]:
    """The key of a call, with something else that its trace depends on."""
    args, kwargs = parts_of(key)
    return *args, KEYWORDS, (*kwargs, name), (*kwargs.values(), part)


def parts_of(key: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The keys of the arguments of a call."""
    if KEYWORDS not in key:
        return key, {}
    *args, _, names, values = key
    return tuple(args), dict(zip(names, values, strict=True))


def leaves_of(value: Any, leaves: list[Any]) -> None:
    """Add the tensors and staged numbers in an argument to `leaves`."""
    if isinstance(value, _LEAVES):
        leaves.append(convert_to_tensor(value) if isinstance(value, _ARRAYS) else value)
        return
    found = structure_of(value)
    for child in () if found is None else found[1]:
        leaves_of(child, leaves)


def _plain_key(value: frozenset[Any] | slice) -> Any:
    """The key of what can be told by its parts; by identity where one of them is a tensor."""
    parts = value if isinstance(value, frozenset) else (value.start, value.stop, value.step)
    tensors: list[Any] = []
    keys = keys_of(parts, tensors, [])
    if tensors:
        return Reference(value)
    return type(value), (frozenset if isinstance(value, frozenset) else tuple)(keys)


_LIBRARIES = sys.stdlib_module_names | {"numpy", "runtime"}


def _object_key(value: Any) -> Any:
    kind = type(value)
    # What a user's `__eq__` compares may be less than what the function reads.
    is_the_users = module_of(kind).partition(".")[0] not in _LIBRARIES
    staged = None if is_the_users else getattr(value, "python_function", None)
    if staged is not None:
        # A staged method is bound anew wherever it is asked for.
        return Reference(staged if type(staged) is MethodType else value)
    has_own = kind.__eq__ is not vars(object)["__eq__"]
    if is_the_users or kind is MethodType or not has_own:
        return Reference(value)
    try:
        hash(value)
    except TypeError:
        return Reference(value)
    # Zeros of one sign and the other are equal, and Decimals with more digits.
    return kind, repr(value) if isinstance(value, Number) else value


def may_change(value: Any) -> bool:
    """True if an argument, or a part of it, is a container that may hold something else later."""
    found = structure_of(value)
    return found is not None and (type(value) is not tuple or any(map(may_change, found[1])))


def _itself(made: Any, path: str) -> Any:
    return made


class Rebuilding:
    """Builds arguments again, with their tensors and staged numbers taken from the iterator
    `leaves`, in fresh containers: for lists and dicts, in what `stand_in(made, path)` makes of one,
    where `path` is that of all items of a list. What is one object in the arguments is one.
    """

    def __init__(
        self, leaves: Iterator[Any], stand_in: Callable[[Any, str], Any] = _itself
    ) -> None:
        self._leaves = leaves
        self._stand_in = stand_in
        self._known: dict[int, Any] = {}

    def of(self, value: Any, path: str = "") -> Any:
        """One argument."""
        if isinstance(value, _LEAVES):
            return next(self._leaves)
        found = structure_of(value)
        if found is None:
            return value
        structure, children = found
        is_list = structure.kind is list
        parts = [
            self.of(child, path + ("[...]" if is_list else structure.path(at)))
            for at, child in enumerate(children)
        ]
        if id(value) in self._known:
            return self._known[id(value)]
        made = structure.anew().build(parts)
        if type(made) is list or isinstance(made, dict):
            made = self._stand_in(made, path)
        if not structure.handler.is_tuple:
            self._known[id(value)] = made
        return made


def leaf_names(value: Any, name: str, names: list[str]) -> None:
    """A name for each leaf of an argument."""
    if isinstance(value, _LEAVES):
        names.append(name)
        return
    found = structure_of(value)
    if found is not None:
        for place, child in enumerate(found[1]):
            leaf_names(child, f"{name}_{found[0].label(place)}", names)


def check_arguments(name: str, given: Iterable[tuple[str, Any]]) -> None:
    """Raise TypeError for a TensorSpec in an argument of a call, which has no value to compute
    with.
    """
    for label, value in given:
        for path, item, _ in _parts(value, label, ()):
            if isinstance(item, TensorSpec):
                raise TypeError(
                    f"{name}(): argument {path!r} is {item}, which has no value: pass a tensor, or "
                    "make the graph for it with get_concrete_function"
                )


def refuse_cycles(name: str, given: Iterable[tuple[str, Any]]) -> None:
    """Raise ValueError for an argument that contains itself."""
    for label, value in given:
        for path, _, again in _parts(value, label, ()):
            if again:
                raise ValueError(
                    f"{name}(): argument {label!r} contains itself, at {path}: structures of "
                    "tensors have an end; pass its parts as arguments of their own"
                )


def refuse_arrays(name: str, given: Iterable[tuple[str, Any]]) -> None:
    """Raise WrongDtypeError for an array in an argument that no tensor can be made of."""
    for label, value in given:
        for path, item, _ in _parts(value, label, ()):
            if not isinstance(item, _ARRAYS):
                continue
            try:
                convert_to_tensor(item)
            except TypeError as error:
                raise wrong_dtype(f"{name}(): argument {path!r}: {error}") from None


def _parts(value: Any, path: str, above: tuple[int, ...]) -> Iterator[tuple[str, Any, bool]]:
    """(path, item, is it one of the containers that it is in?) of an argument and all in it."""
    again = id(value) in above
    yield path, value, again
    found = None if again else structure_of(value)
    if found is not None:
        for place, child in enumerate(found[1]):
            yield from _parts(child, path + found[0].path(place), (*above, id(value)))


def leaf_types(leaves: Sequence[Any]) -> list[TensorType | NumberType]:
    """The types of leaves."""
    return [
        TensorType(leaf.dtype, leaf.shape.dims) if type(leaf) is TensorSpec else leaf.type
        for leaf in leaves
    ]


def spec_structure(value: Any, leaves: Iterator[tuple[Any, str]]) -> Any:
    """The argument with a TensorSpec in place of each tensor, of the type and name that come next,
    and a Reference of each object.
    """
    if isinstance(value, _LEAVES):
        known, name = next(leaves)
        is_tensor = isinstance(known, TensorType)
        return TensorSpec(known.shape, known.dtype, name) if is_tensor else known
    found = structure_of(value)
    if found is None:
        key = key_of(value)
        return key if isinstance(key, Reference) else value
    structure, children = found
    return structure.build([spec_structure(child, leaves) for child in children])


def _refuse_other(value: Any, spec: Any, name: str) -> NoReturn:
    """Raise TypeError for an argument that is no structure like its entry of an input_signature."""
    wanted = structure_of(spec)
    if wanted is None:
        raise TypeError(f"input_signature has {spec!r} for argument {name!r}, not a TensorSpec")
    raise TypeError(f"argument {name!r}: expected a {wanted[0]}, got {value!r}")


def conform(
    value: Any, spec: Any, name: str, other: Callable[[Any, Any, str], Any] = _refuse_other
) -> Any:
    """An argument as its entry of a signature says: arrays and numbers become tensors. `other` is
    called for what is neither a TensorSpec nor a structure that is alike.

    Raises TypeError, naming the argument, for another dtype or shape.
    """
    if isinstance(spec, TensorSpec):
        return _conform_leaf(value, spec, name)
    wanted, given = structure_of(spec), structure_of(_sorted_as(value, spec))
    if wanted is None or given is None or given[0] != wanted[0]:
        return other(value, spec, name)
    parts = zip(given[1], wanted[1], strict=True)
    label = wanted[0].path
    return wanted[0].build(
        [conform(x, s, name + label(at), other) for at, (x, s) in enumerate(parts)]
    )


def _sorted_as(value: Any, spec: Any) -> Any:
    """A dict with its keys in the order of those of `spec`, if they are the same."""
    if type(value) is not dict or type(spec) is not dict or value.keys() != spec.keys():
        return value
    return {key: value[key] for key in spec}


def _conform_leaf(value: Any, spec: TensorSpec, name: str) -> Any:
    if isinstance(value, TensorSpec):
        return _conform_spec(value, spec, name)
    try:
        tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        # What to do about operands is of no use here.
        reason = error.detail if isinstance(error, OpError) else str(error)
        raise TypeError(f"argument {name!r}: {reason}; expected {spec}") from None
    if tensor.dtype is not spec.dtype or not tensor.shape.is_subtype_of(spec.shape):
        kind = TypeError if tensor.dtype is spec.dtype else WrongDtypeError
        raise kind(
            f"argument {name!r} has dtype {tensor.dtype.name} and shape {tensor.shape}, "
            f"expected {spec}"
        )
    return tensor


def of_function(error: TypeError, name: str) -> TypeError:
    """The error for an argument, with the function that it is given to."""
    if isinstance(error, WrongDtypeError):
        return WrongDtypeError(f"{name}(): {error.detail}")
    return TypeError(f"{name}(): {error}")


def _conform_spec(given: TensorSpec, spec: TensorSpec, name: str) -> TensorSpec:
    if given.dtype is not spec.dtype or not given.shape.is_subtype_of(spec.shape):
        raise TypeError(f"argument {name!r} is {given}, expected {spec}")
    return spec


# Calls of one trace


def leaves_for(
    signature: Arguments, labels: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    """The tensors of a call with arguments as those that a trace is for, in its order.

    Arguments without tensors, which the trace has fixed, may be left out. The tensors alone, out of
    their structures, may be given as well: in their order, or by the names of the inputs. Raises
    TypeError, naming the argument, for any that does not fit.
    """
    return list(map(held_now, _leaves_for(signature, labels, args, kwargs)))


def _leaves_for(
    signature: Arguments, labels: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    entries = dict(zip(labels, signature[0], strict=True)) | signature[1]
    try:
        return _structured_leaves(entries, labels, args, kwargs)
    except TypeError:
        specs = _flat_specs(entries, args, kwargs)
        if specs is None:
            raise
    given = dict(zip(specs, args, strict=False)) | kwargs
    return [_conform_leaf(given[name], spec, name) for name, spec in specs.items()]


def _structured_leaves(
    entries: dict[str, Any], labels: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Any]:
    if not kwargs.keys() <= entries.keys():
        kwargs = _by_spec(entries, kwargs)
    given = dict(kwargs)
    given.update(zip(_positions(entries, labels, args, kwargs), args, strict=False))
    leaves: list[Any] = []
    for name, spec in entries.items():
        if name in given:
            leaves_of(conform(given[name], spec, name, _fixed), leaves)
        elif _is_open(spec):
            raise TypeError(f"missing argument {name!r}: expected {spec}")
    return leaves


def _flat_specs(
    entries: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, TensorSpec] | None:
    """The specs of a signature with structures, by the names of the inputs, where a call gives a
    tensor for each; None for a call that gives structures, or other arguments.
    """
    if not any(map(structure_of, entries.values())):
        return None
    leaves: list[Any] = []
    for entry in entries.values():
        leaves_of(entry, leaves)
    if not all(isinstance(leaf, TensorSpec) for leaf in leaves):
        return None
    specs = {str(leaf.name): leaf for leaf in leaves}
    free = list(specs)[len(args) :]
    if len(specs) != len(leaves) or len(args) > len(specs) or set(free) != kwargs.keys():
        return None
    return specs if all(structure_of(x) is None for x in (*args, *kwargs.values())) else None


def _by_spec(entries: dict[str, Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments that are given by the names of their TensorSpecs, by the parameters' names."""
    specs = [(at, spec) for at, spec in entries.items() if isinstance(spec, TensorSpec)]
    names = {spec.name: at for at, spec in specs if spec.name not in entries}
    return {names.get(name, name): value for name, value in kwargs.items()}


def _positions(
    entries: dict[str, Any], labels: Sequence[str], args: tuple[Any, ...], kwargs: Iterable[str]
) -> list[str]:
    """The arguments that are given by position."""
    for name in kwargs:
        if name not in entries:
            raise TypeError(f"unexpected argument {name!r}: there are {', '.join(entries)}")
    free = [name for name in labels if name not in kwargs]
    open_ = [name for name in free if _is_open(entries[name])]
    if len(args) > len(free):
        raise TypeError(
            f"too many positional arguments: {len(args)} for {', '.join(free) or 'no parameters'}"
        )
    # Only tensors: what the trace has fixed is left out.
    return open_ if len(args) == len(open_) and all(map(_is_open, args)) else free


def _is_open(value: Any) -> bool:
    """True if there is a tensor in it, or what stands for one."""
    if isinstance(value, (*_LEAVES, ListType, NumberType, ObjectType)):
        return True
    found = structure_of(value)
    if found is None:
        return is_variable(value)
    return any(map(_is_open, found[1]))


def _fixed(value: Any, spec: Any, name: str) -> Any:
    """An argument for which the signature of a trace has a Python value, or a Reference."""
    if not _is_same(value, spec):
        raise TypeError(
            f"argument {name!r} is {value!r}: this trace is for {spec!r}; leave it out, or make a "
            "trace for it with get_concrete_function"
        )
    return value


def _is_same(value: Any, spec: Any) -> bool:
    if isinstance(spec, ListType | NumberType | ObjectType):
        return getattr(value, "type", None) == spec
    return bool(key_of(value) == (spec if isinstance(spec, Reference) else key_of(spec)))


def references(key: Any) -> Iterator[Reference]:
    """The objects in a key that are told apart by identity."""
    if isinstance(key, Reference):
        yield key
    for part in key if type(key) in (tuple, frozenset) else ():
        yield from references(part)


def plain_key(key: Any) -> Any:
    """The key of the call of a Python function, for that of its `@function`: its results differ."""
    return _beside(key, "the results", (str, "plain"))


def without_shapes(key: Any) -> Any:
    """A key in which tensors of one dtype are alike."""
    if type(key) is not tuple:
        return key
    return key[0] if is_tensor_key(key) else tuple(map(without_shapes, key))


def is_tensor_key(key: Any) -> bool:
    """True for the key of a tensor."""
    return type(key) is tuple and len(key) == 2 and isinstance(key[0], np.dtype)
