"""Dataclasses that are cheap to define: most of what the standard library's cost is compiling the
source of their methods, at import. Here methods that are the same for all classes are functions
that are, and `__init__` is compiled when the first instance is made.

Checkers see the standard library's decorator. All that asks for fields (`fields`, `replace`) works.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        repr: bool = True,
        weakref_slot: bool = False,
    ) -> Callable[[type], type]:
        """The decorator of a dataclass, with the parameters that the standard library's has."""
        described = dataclasses.dataclass(
            init=False, repr=False, eq=False, slots=slots, weakref_slot=weakref_slot
        )

        def made(cls: type) -> type:
            own = vars(cls).copy()
            if own.get("__hash__") is None:  # Python's, of a class that has `__eq__` alone
                own.pop("__hash__", None)
            cls = described(cls)
            fields = dataclasses.fields(cls)
            if len(fields) < len(cls.__dataclass_fields__):
                raise TypeError(f"{cls.__name__}: InitVar and ClassVar are not known here")
            methods: dict[str, Any] = {"__init__": _first_init(cls, frozen)}
            if repr:
                methods["__repr__"] = _repr([field.name for field in fields if field.repr])
            if eq:
                values = _values([field.name for field in fields if field.compare])
                methods["__eq__"] = _eq(values)
                methods["__hash__"] = _hash(values) if frozen else None
            if frozen:
                methods |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
            if frozen and slots:
                methods |= {"__getstate__": _state, "__setstate__": _restore}
            for name, method in methods.items():
                if name not in own:
                    setattr(cls, name, method)
            return cls

        return made


def _first_init(cls: type, frozen: bool) -> Callable[..., None]:
    """The `__init__` that compiles the one that takes its place."""

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        made = _init(cls, frozen)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *given, **named)

    return __init__


def _init(cls: type, frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"MISSING": MISSING, "set": object.__setattr__}
    taken, named, lines = ["self"], list[str](), list[str]()
    for field in dataclasses.fields(cls):
        name, default = field.name, ""
        value = name if field.init else ""
        if field.default is not MISSING:
            names[f"default_{name}"] = field.default
            default = f"default_{name}"
            value = value or default
        elif field.default_factory is not MISSING:
            names[f"make_{name}"] = field.default_factory
            default = "MISSING"
            value = f"make_{name}()" + (f" if {name} is MISSING else {name}" if value else "")
        if field.init:
            (named if field.kw_only else taken).append(f"{name}={default}" if default else name)
        if value:
            lines.append(f" set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    parameters = ", ".join([*taken, *(["*", *named] if named else [])])
    text = f"def __init__({parameters}):\n" + "\n".join(lines or [" pass"])
    # In this file, by which its frames are known to be none of the user's.
    exec(compile(text, __file__, "exec"), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Returns the getter of the tuple of these attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda item: tuple(getattr(item, name) for name in names)


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _repr(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return __repr__


def _refuse_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
