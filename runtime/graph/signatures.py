"""What a call is, for the cache of traces: its structure, dtypes, shapes, and Python values by type
and value.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.convert import convert_to_tensor
from runtime.graph.structures import Children, Structure, structure_of
from runtime.graph.tracing import SymbolicNumber
from runtime.shapes import TensorSpec
from runtime.tensor import Tensor
from runtime.types import NumberType, TensorType

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Unbound(TypeError):
    """The arguments do not fit the parameters."""


class Parameters:
    """The parameters of a Python function."""

    def __init__(self, signature: inspect.Signature, name: str) -> None:
        self.name = name
        self.signature = signature
        kinds = [parameter.kind for parameter in signature.parameters.values()]
        self.simple = all(
            kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for kind in kinds
        )
        self.count = len(kinds)
        self.names = tuple(signature.parameters)

    def without_first(self) -> Parameters:
        """The parameters of a bound method."""
        rest = list(self.signature.parameters.values())[1:]
        return Parameters(self.signature.replace(parameters=rest), self.name)

    def bind_partially(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments by position as far as they were given; TypeError for others than there are
        parameters for.
        """
        try:
            bound = self.signature.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}(): {error}") from None
        return bound.args, bound.kwargs

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments with defaults filled in, positional ones by position.

        Raises TypeError as a call of the function would.
        """
        if self.simple and not kwargs and len(args) == self.count:
            return args, {}
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}(): {error}") from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def label(self, place: int) -> str:
        """The name of the parameter that a positional argument goes to."""
        if place < len(self.names):
            return self.names[place]
        return f"{self.names[-1]}_{place - len(self.names) + 1}" if self.names else "arg"


class Reference:
    """A Python object as part of a key: equal only to itself, and not kept alive."""

    __slots__ = ("hash", "ref")

    def __init__(self, item: Any) -> None:
        self.hash = id(item)
        try:
            self.ref: Callable[[], Any] = weakref.ref(item)
        except TypeError:
            self.ref = lambda: item

    def __repr__(self) -> str:
        return repr(self.ref())

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return False
        item = self.ref()
        return item is not None and item is other.ref()


_BY_VALUE = frozenset((bool, int, str, bytes, type(None), type(Ellipsis), range, frozenset))


def key_of(value: Any, leaves: list[Any]) -> Any:
    """The key of an argument; the tensors and staged numbers in it are added to `leaves`."""
    kind = type(value)
    if isinstance(value, Tensor):
        leaves.append(value)
        return TensorType(value.dtype, value.static_shape)
    if kind in _BY_VALUE:
        return kind, value
    if kind is float or kind is complex:
        return kind, repr(value)
    if kind is TensorSpec:
        leaves.append(value)
        return TensorType(value.dtype, value.shape.dims)
    if kind is SymbolicNumber:
        leaves.append(value)
        return value.type
    if isinstance(value, np.ndarray | np.generic):
        return key_of(convert_to_tensor(value), leaves)
    found = structure_of(value)
    if found is not None:
        return found[0], tuple([key_of(child, leaves) for child in found[1]])
    return _object_key(value)


def _object_key(value: Any) -> Any:
    kind = type(value)
    if vars(object)["__eq__"] is kind.__eq__:
        return Reference(value)
    try:
        hash(value)
    except TypeError:
        return Reference(value)
    return kind, value


def rebuild(value: Any, leaves: Any) -> Any:
    """The argument with its tensors and staged numbers taken from the iterator `leaves`, in fresh
    containers.
    """
    if isinstance(value, Tensor | TensorSpec | SymbolicNumber | np.ndarray | np.generic):
        return next(leaves)
    found = structure_of(value)
    if found is None:
        return value
    structure, children = found
    return structure.build([rebuild(child, leaves) for child in children])


def images(value: Any, path: str, found: list[tuple[str, Any, tuple[Structure, Children]]]) -> None:
    """(path, container, structure and children) of each container in an argument, as it is now."""
    image = structure_of(value)
    if image is None:
        return
    structure, children = image
    found.append((path, value, (structure, tuple(children))))
    for place, child in enumerate(children):
        images(child, path + structure.path(place), found)


def changed_image(found: list[tuple[str, Any, tuple[Structure, Children]]]) -> str | None:
    """The path of the first container that is different now; None if all are as they were."""
    for path, value, (structure, children) in found:
        now = structure_of(value)
        if now is None or now[0] != structure:
            return path
        for place, (before, after) in enumerate(zip(children, now[1], strict=True)):
            if before is not after:
                return path + structure.path(place)
    return None


def leaf_names(value: Any, name: str, names: list[str]) -> None:
    """A name for each leaf of an argument."""
    if isinstance(value, Tensor | TensorSpec | SymbolicNumber | np.ndarray | np.generic):
        names.append(name)
        return
    found = structure_of(value)
    if found is not None:
        for place, child in enumerate(found[1]):
            leaf_names(child, f"{name}_{found[0].label(place)}", names)


def leaf_types(leaves: Sequence[Any]) -> list[TensorType | NumberType]:
    """The types of leaves."""
    return [
        TensorType(leaf.dtype, leaf.shape.dims) if type(leaf) is TensorSpec else leaf.type
        for leaf in leaves
    ]


def spec_structure(value: Any) -> Any:
    """The argument with a TensorSpec in place of each tensor, a Reference of each object."""
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, np.ndarray | np.generic):
        value = convert_to_tensor(value)
    if isinstance(value, Tensor):
        return TensorSpec(value.static_shape, value.dtype)
    found = structure_of(value)
    if found is None:
        key = _object_key(value)
        return key if isinstance(key, Reference) else value
    structure, children = found
    return structure.build([spec_structure(child) for child in children])


def conform(value: Any, spec: Any, name: str) -> Any:
    """An argument as its entry of an input_signature says: arrays and numbers become tensors.

    Raises TypeError, naming the argument, for another structure, dtype or shape.
    """
    if isinstance(spec, TensorSpec):
        return _conform_leaf(value, spec, name)
    wanted, given = structure_of(spec), structure_of(value)
    if wanted is None:
        raise TypeError(f"input_signature has {spec!r} for argument {name!r}, not a TensorSpec")
    if given is None or given[0] != wanted[0]:
        raise TypeError(f"argument {name!r}: expected a {wanted[0]}, got {value!r}")
    parts = zip(given[1], wanted[1], strict=True)
    label = wanted[0].path
    return wanted[0].build([conform(x, s, name + label(at)) for at, (x, s) in enumerate(parts)])


def _conform_leaf(value: Any, spec: TensorSpec, name: str) -> Any:
    if isinstance(value, TensorSpec):
        return value
    try:
        tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"argument {name!r}: {error}; its input_signature is {spec}") from None
    if tensor.dtype is not spec.dtype or not tensor.shape.is_subtype_of(spec.shape):
        raise TypeError(
            f"argument {name!r} has dtype {tensor.dtype.name} and shape {tensor.shape}, "
            f"its input_signature is {spec}"
        )
    return tensor


def without_shapes(key: Any) -> Any:
    """A key in which tensors of one dtype are alike."""
    if isinstance(key, TensorType):
        return key.dtype
    return tuple(map(without_shapes, key)) if type(key) is tuple else key
