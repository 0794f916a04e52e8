"""Types of staged values: what the rules of ops compute with and what a graph writes on its
binders.

Each is an immutable value with equality and a hash; `str` is the notation of graphs:
``float32[2,?]``.
"""

from __future__ import annotations

from typing import Any

from runtime.core.shapes import Shape
from runtime.dtypes import DType


class _Frozen:
    __slots__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"


_set = object.__setattr__


def is_variable(value: Any) -> bool:
    """Whether a value is a variable: no tensor, but something that is read."""
    return getattr(type(value), "is_resource", False) is True


def variable_of(value: Any) -> Any:
    """The variable that a value is, or that an object of another library's is read from: its
    `held_variable`. None for anything else.
    """
    if is_variable(value):
        return value
    return value.held_variable if hasattr(type(value), "held_variable") else None


class TensorType(_Frozen):
    """A tensor with this dtype and static shape (None: unknown rank; None in it: unknown
    dimension).
    """

    __slots__ = ("dtype", "shape")
    dtype: DType
    shape: Shape

    def __init__(self, dtype: DType, shape: Shape) -> None:
        _set(self, "dtype", dtype)
        _set(self, "shape", shape)

    def __eq__(self, other: object) -> bool:
        if type(other) is not TensorType:
            return NotImplemented
        return self.dtype is other.dtype and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))

    def __str__(self) -> str:
        if self.shape is None:
            return f"{self.dtype.name}[*]"
        return f"{self.dtype.name}[{','.join('?' if d is None else str(d) for d in self.shape)}]"

    def __reduce__(self) -> Any:
        return TensorType, (self.dtype, self.shape)


class NumberType(_Frozen):
    """A staged Python number: `kind` is 'bool', 'int' or 'float'; it is weak beside tensors."""

    __slots__ = ("kind",)
    kind: str

    def __init__(self, kind: str) -> None:
        _set(self, "kind", kind)

    def __eq__(self, other: object) -> bool:
        return self.kind == other.kind if type(other) is NumberType else NotImplemented

    def __hash__(self) -> int:
        return hash((NumberType, self.kind))

    def __str__(self) -> str:
        return f"py.{self.kind}"

    def __reduce__(self) -> Any:
        return NumberType, (self.kind,)


class ListType(_Frozen):
    """A staged list whose elements all have the type `element`."""

    __slots__ = ("element",)
    element: Type

    def __init__(self, element: Type) -> None:
        _set(self, "element", element)

    def __eq__(self, other: object) -> bool:
        return self.element == other.element if type(other) is ListType else NotImplemented

    def __hash__(self) -> int:
        return hash((ListType, self.element))

    def __str__(self) -> str:
        return f"list[{self.element}]"

    def __reduce__(self) -> Any:
        return ListType, (self.element,)


def in_words(type: Any) -> str:
    """A type as messages name it: a number of Python's by its class."""
    return type.kind if isinstance(type, NumberType) else str(type)


class ResidualsType:
    """The residuals that one call of a recursive graph keeps for its gradient, calls inside it
    included.

    Each of these types is equal to itself only.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"residuals[{self.name}]"


class ObjectType(_Frozen):
    """An object of the runtime's that a graph hands on as it is: a dataset, an iterator.

    `parts` are the types of what it gives.
    """

    __slots__ = ("kind", "parts")
    kind: str
    parts: tuple[Type, ...]

    def __init__(self, kind: str, parts: tuple[Type, ...]) -> None:
        _set(self, "kind", kind)
        _set(self, "parts", parts)

    def __eq__(self, other: object) -> bool:
        if type(other) is not ObjectType:
            return NotImplemented
        return self.kind == other.kind and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.kind, self.parts))

    def __str__(self) -> str:
        return f"{self.kind}[{', '.join(map(str, self.parts))}]"

    __repr__ = __str__

    def __reduce__(self) -> Any:
        return ObjectType, (self.kind, self.parts)


class ObjectHandle:
    """An object of the runtime's as an argument of a graph: `raw` is the object, None where only
    its type is known.
    """

    __slots__ = ("__weakref__", "raw", "type")
    node: int | None = None  # no tape knows it

    def __init__(self, type: ObjectType, raw: Any) -> None:
        self.type = type
        self.raw = raw


Type = TensorType | NumberType | ListType | ResidualsType | ObjectType
