"""The structure of elements: what stands at each place, and the way between elements and their
components, the flat tuple of arrays that goes through a pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime import nest
from runtime.core.convert import convert_to_tensor
from runtime.core.shapes import TensorShape, TensorSpec
from runtime.core.tensor import EagerTensor, Tensor
from runtime.core.types import ObjectHandle, ObjectType, TensorType, Type
from runtime.staging.control.iteration import Streamed, StreamedIterator
from runtime.staging.scopes import Symbol


class DatasetSpec:
    """The type of a dataset that is an element of another one.

    >>> rt.data.DatasetSpec(rt.TensorSpec([], rt.int64))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("element_spec", "layout")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self.layout = Layout(element_spec)

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The type of a dataset.

        >>> rt.data.DatasetSpec.from_value(rt.data.Dataset.range(3)).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        return cls(value.element_spec)

    @property
    def type(self) -> ObjectType:
        """The type of such a dataset in graphs."""
        return ObjectType("dataset", self.layout.types)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self.layout == other.layout

    def __hash__(self) -> int:
        return hash((DatasetSpec, self.layout))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


class IteratorSpec:
    """The type of an iterator over a dataset.

    >>> rt.data.IteratorSpec(rt.TensorSpec([], rt.int64)).element_spec
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """

    __slots__ = ("element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IteratorSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash((IteratorSpec, Layout(self.element_spec)))

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r})"


class Layout:
    """The structure of the elements of a dataset: `spec`, and the specs of its components.

    A None in an element is a part of the structure, not a component.
    """

    __slots__ = ("_at", "_kind", "_template", "leaves", "spec", "types")

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        found = nest.flatten(spec)
        self._at = [at for at, leaf in enumerate(found) if leaf is not None]
        self.leaves: list[Any] = [leaf for leaf in found if leaf is not None]
        self.types: tuple[Type, ...] = tuple(map(type_of, self.leaves))
        self._template = found
        self._kind = self._kind_of()

    def _kind_of(self) -> str:
        """The shape of most elements: they have a shortcut."""
        if not all(type(leaf) is TensorSpec for leaf in self.leaves):
            return ""
        if type(self.spec) is TensorSpec:
            return "tensor"
        flat = type(self.spec) is tuple and len(self.spec) == len(self.leaves)
        return "tuple" if flat and not any(map(nest.is_nested, self.spec)) else ""

    def pack(self, components: Sequence[Any], wrap: Callable[[Any, Any], Any] | None = None) -> Any:
        """The element of these components; arrays become eager tensors."""
        if wrap is None:
            if self._kind == "tensor":
                return EagerTensor(components[0])
            if self._kind == "tuple":
                return tuple(map(EagerTensor, components))
        wrap = wrap or wrapped
        filled = list(self._template)
        for at, leaf, raw in zip(self._at, self.leaves, components, strict=True):
            filled[at] = wrap(leaf, raw)
        return nest.pack_sequence_as(self.spec, filled)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and (self is other or self.spec == other.spec)

    def __hash__(self) -> int:
        return hash(self.types)

    def __repr__(self) -> str:
        return f"Layout({self.spec!r})"


def type_of(leaf: Any) -> Type:
    """The type of a component in graphs."""
    if isinstance(leaf, DatasetSpec):
        return leaf.type
    return TensorType(leaf.dtype, leaf.shape.dims)


def wrapped(leaf: Any, raw: Any) -> Any:
    """The eager tensor, or the dataset, of a component."""
    if isinstance(leaf, DatasetSpec):
        handle = raw if isinstance(raw, ObjectHandle | Symbol) else ObjectHandle(leaf.type, raw)
        from runtime.data.dataset import Dataset

        return Dataset(leaf.layout, handle)
    return raw if isinstance(raw, Tensor) else EagerTensor(raw)


def normalized(value: Any, what: str) -> Any:
    """An element with tensors for what can be one; lists are no structure, but tensors.

    Raises TypeError, naming the transformation `what`, where there is no tensor of a part.
    """
    if isinstance(value, Tensor) or value is None or is_dataset(value):
        return value
    kind = None if isinstance(value, list | range) else nest._kind_of(value)
    if kind is not None:
        return kind.build(value, [normalized(x, what) for x in kind.children(value)])
    if isinstance(value, TensorShape):
        value = value.as_list()
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what}: {error}") from None


def spec_of(element: Any) -> Any:
    """The spec of a normalized element: a TensorSpec for each tensor."""
    return nest.map_structure(_spec_of_leaf, element)


def _spec_of_leaf(leaf: Any) -> Any:
    if leaf is None:
        return None
    if is_dataset(leaf):
        return DatasetSpec(leaf.element_spec)
    return TensorSpec(leaf.static_shape, leaf.dtype)


def components_of(element: Any) -> list[Any]:
    """The tensors of a normalized element, and the handles of its datasets, in their order."""
    found = [leaf for leaf in nest.flatten(element) if leaf is not None]
    return [leaf._handle if is_dataset(leaf) else leaf for leaf in found]


def is_dataset(value: Any) -> bool:
    """True for a dataset."""
    return isinstance(value, Streamed) and not isinstance(value, StreamedIterator)
