"""Shapes: `TensorShape` and `TensorSpec` for the user, plain tuples for the rules of ops.

A static shape is a tuple whose unknown dimensions are None; a shape of unknown rank is None.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from runtime import dtypes

Shape = tuple[int | None, ...] | None


def format_shape(shape: Shape) -> str:
    """`(2, ?)`-like text of a static shape, as Python writes tuples."""
    if shape is None:
        return "<unknown>"
    return "(" + ", ".join(map(str, shape)) + (",)" if len(shape) == 1 else ")")


def is_known(shape: Shape) -> bool:
    """True if the rank and every dimension are known."""
    return shape is not None and None not in shape


def size_of(shape: Shape) -> int | None:
    """Number of elements, None where that is unknown."""
    if shape is None:
        return None
    if 0 in shape:
        return 0
    size = 1
    for dim in shape:
        if dim is None:
            return None
        size *= dim
    return size


def broadcast_dim(a: int | None, b: int | None) -> int | None:
    """The dimension that `a` and `b` broadcast to; ValueError where they do not."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if a is None:
        return b
    if b is None:
        return a
    raise ValueError


def broadcast(a: Shape, b: Shape) -> Shape:
    """The shape that `a` and `b` broadcast to; ValueError names both where they do not."""
    if a == b:
        return a
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a = (1,) * (len(b) - len(a)) + a
    elif len(b) < len(a):
        b = (1,) * (len(a) - len(b)) + b
    try:
        return tuple(map(broadcast_dim, a, b))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes: {format_shape(a)} and {format_shape(b)} do not broadcast"
        ) from None


def join_shapes(a: Shape, b: Shape) -> Shape:
    """The most specific shape that covers both: what differs becomes None."""
    if a == b:
        return a
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def merge_shapes(a: Shape, b: Shape) -> Shape:
    """Returns what both tell about one shape; ValueError where they contradict each other."""
    if a is None:
        return b
    if b is None:
        return a
    if len(a) != len(b) or any(
        x is not None and y is not None and x != y for x, y in zip(a, b, strict=True)
    ):
        raise ValueError(f"Shapes {format_shape(a)} and {format_shape(b)} are not compatible")
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


def compatible(a: Shape, b: Shape) -> bool:
    """True if one shape could be both `a` and `b`."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(
        x is None or y is None or x == y for x, y in zip(a, b, strict=True)
    )


def _as_dim(value: Any) -> int | None:
    if value is None:
        return None
    try:
        dim = operator.index(value)
    except TypeError:
        raise TypeError(f"Dimension value must be an integer or None, got {value!r}") from None
    if dim < 0:
        raise ValueError(f"Dimension {dim} must be >= 0")
    return dim


def as_shape(value: Any) -> Shape:
    """The static shape that `value` describes: a TensorShape, None, an int or a sequence of ints
    and None.
    """
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value.dims
    if isinstance(value, int) or getattr(value, "ndim", None) == 0:
        return (_as_dim(value),)
    if not isinstance(value, Iterable):
        raise TypeError(f"a shape is a sequence of integers and None, not {value!r}")
    return tuple(_as_dim(dim) for dim in value)


def _unknown_part(key: slice) -> tuple[None, ...] | None:
    """The slice of a shape of unknown rank: its length is known where it counts from the start."""
    start: int = key.start or 0
    stop: int | None = key.stop
    if key.step not in (None, 1) or stop is None or min(start, stop) < 0:
        return None
    return (None,) * (stop - start)


class TensorShape:
    """The shape of a tensor, each dimension an int or None (unknown).

    The rank may be unknown as well.

    It equals tuples and lists with the same dimensions. Raises TypeError for dimensions that are no
    integers, ValueError for negative ones.

    >>> rt.TensorShape([None, 3]).is_compatible_with([2, 3])
    True
    """

    __slots__ = ("dims",)

    def __init__(self, dims: Any = None) -> None:
        self.dims: Shape = as_shape(dims)

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None where unknown."""
        return None if self.dims is None else len(self.dims)

    @property
    def ndims(self) -> int | None:
        """Number of dimensions, None where unknown."""
        return self.rank

    def as_list(self) -> list[int | None]:
        """The dimensions as a list; ValueError where the rank is unknown.

        >>> rt.TensorShape([2, None]).as_list()
        [2, None]
        """
        return list(self._known("as_list()"))

    def _known(self, what: str) -> tuple[int | None, ...]:
        if self.dims is None:
            raise ValueError(f"{what} is not defined on an unknown TensorShape.")
        return self.dims

    def num_elements(self) -> int | None:
        """Number of elements, None where a dimension is unknown.

        >>> rt.TensorShape([2, 3]).num_elements()
        6
        """
        return size_of(self.dims) if is_known(self.dims) else None

    def is_fully_defined(self) -> bool:
        """True if the rank and all dimensions are known.

        >>> rt.TensorShape([2, None]).is_fully_defined()
        False
        """
        return is_known(self.dims)

    def is_compatible_with(self, other: Any) -> bool:
        """True if one tensor could have both shapes.

        >>> rt.TensorShape([2, None]).is_compatible_with([2, 3])
        True
        """
        return compatible(self.dims, as_shape(other))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape has the shape `other`.

        >>> rt.TensorShape([2, 3]).is_subtype_of(rt.TensorShape([2, None]))
        True
        """
        wide = as_shape(other)
        if wide is None:
            return True
        if self.dims is None or len(self.dims) != len(wide):
            return False
        return all(w is None or w == d for w, d in zip(wide, self.dims, strict=True))

    def merge_with(self, other: Any) -> TensorShape:
        """Returns the shape known from both; ValueError where they contradict each other.

        >>> rt.TensorShape([2, None]).merge_with([None, 3])
        TensorShape([2, 3])
        """
        return TensorShape(merge_shapes(self.dims, as_shape(other)))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The most specific shape that covers both.

        >>> rt.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
        TensorShape([2, None])
        """
        return TensorShape(join_shapes(self.dims, as_shape(other)))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """The narrowest shape that covers this and `others`, None where one of them is no shape.

        >>> rt.TensorShape([2, 3]).most_specific_common_supertype([rt.TensorShape([2, 4])])
        TensorShape([2, None])
        """
        shape = self.dims
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            shape = join_shapes(shape, other.dims)
        return TensorShape(shape)

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of both, one after the other.

        >>> rt.TensorShape([2]).concatenate([3, None])
        TensorShape([2, 3, None])
        """
        tail = as_shape(other)
        if self.dims is None or tail is None:
            return TensorShape(None)
        return TensorShape(self.dims + tail)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape with the rank `rank`; ValueError where it has another.

        >>> rt.TensorShape(None).with_rank(2)
        TensorShape([None, None])
        """
        return self.merge_with((None,) * rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError where its rank is known and less than `rank`.

        >>> rt.TensorShape([2, 3]).with_rank_at_least(1)
        TensorShape([2, 3])
        """
        if self.dims is not None and len(self.dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError where its rank is known and more than `rank`.

        >>> rt.TensorShape([2, 3]).with_rank_at_most(2)
        TensorShape([2, 3])
        """
        if self.dims is not None and len(self.dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError unless one tensor could have both shapes.

        >>> rt.TensorShape([2, None]).assert_is_compatible_with([2, 3])
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """ValueError unless the rank is `rank` or unknown.

        >>> rt.TensorShape([2, None]).assert_has_rank(2)
        """
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """ValueError where both ranks are known and differ.

        >>> rt.TensorShape([2, None]).assert_same_rank([3, 4])
        """
        theirs = TensorShape(other)
        if None not in (self.rank, theirs.rank) and self.rank != theirs.rank:
            raise ValueError(f"Shapes {self} and {theirs} must have the same rank")

    def assert_is_fully_defined(self) -> None:
        """ValueError where the rank or a dimension is unknown.

        >>> rt.TensorShape([2, 3]).assert_is_fully_defined()
        """
        if not is_known(self.dims):
            raise ValueError(f"Shape {self} is not fully defined")

    def __len__(self) -> int:
        return len(self._known("len()"))

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known("Iteration"))

    def __bool__(self) -> bool:
        return self.dims is not None

    def __getitem__(self, key: Any) -> Any:
        if self.dims is None:
            return TensorShape(_unknown_part(key)) if isinstance(key, slice) else None
        found = self.dims[key]
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self.dims == other.dims
        if other is None or isinstance(other, tuple | list | int):
            try:
                return self.dims == as_shape(other)
            except (TypeError, ValueError, AttributeError):
                return False
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self.dims is None else list(self.dims)})"

    def __str__(self) -> str:
        return format_shape(self.dims)

    def __reduce__(self) -> tuple[type[TensorShape], tuple[Shape]]:
        return TensorShape, (self.dims,)


class TensorSpec:
    """The shape and dtype of an argument, for the signature of a traced function.

    >>> rt.TensorSpec([None, 3], rt.float32)
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor.

        >>> rt.TensorSpec.from_tensor(rt.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)
        """
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """A spec like `spec`, possibly with another name.

        >>> rt.TensorSpec.from_spec(rt.TensorSpec([2], rt.int32), name="x")
        TensorSpec(shape=(2,), dtype=tf.int32, name='x')
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """True if a tensor, array or spec may stand where this spec is asked for.

        >>> rt.TensorSpec([None], rt.int32).is_compatible_with(rt.constant([1, 2]))
        True
        """
        if not (hasattr(spec_or_tensor, "dtype") and hasattr(spec_or_tensor, "shape")):
            return False
        same = dtypes._find(spec_or_tensor.dtype) or spec_or_tensor.dtype
        return same is self.dtype and self.shape.is_compatible_with(spec_or_tensor.shape)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this spec is one of `other`. A spec with a name is one of specs
        with that name only.

        >>> rt.TensorSpec([2], rt.int32).is_subtype_of(rt.TensorSpec([None], rt.int32))
        True
        """
        return (
            isinstance(other, TensorSpec)
            and self.name in (None, other.name)
            and other.dtype is self.dtype
            and self.shape.is_subtype_of(other.shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorSpec | None:
        """The narrowest spec that covers this and `others`, None where dtypes or names differ.

        >>> one, other = rt.TensorSpec([2], rt.int32), rt.TensorSpec([3], rt.int32)
        >>> one.most_specific_common_supertype([other])
        TensorSpec(shape=(None,), dtype=tf.int32, name=None)
        """
        shape = self.shape
        for other in others:
            if not isinstance(other, TensorSpec) or other.name != self.name:
                return None
            if other.dtype is not self.dtype:
                return None
            shape = shape.most_specific_compatible_shape(other.shape)
        return TensorSpec(shape, self.dtype, self.name)

    def most_specific_compatible_type(self, other: Any) -> TensorSpec:
        """The narrowest spec that covers both; ValueError where dtypes or names differ.

        >>> one, other = rt.TensorSpec([2], rt.int32), rt.TensorSpec([3], rt.int32)
        >>> one.most_specific_compatible_type(other)
        TensorSpec(shape=(None,), dtype=tf.int32, name=None)
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No spec covers both {self} and {other}")
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"

    def __reduce__(self) -> tuple[type[TensorSpec], tuple[Shape, str, str | None]]:
        return TensorSpec, (self.shape.dims, self.dtype.name, self.name)
