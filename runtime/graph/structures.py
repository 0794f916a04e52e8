"""Structures that tensors travel in: tuples, lists, dicts, namedtuples, dataclasses and classes of
attrs.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from runtime.core.dataclasses import dataclass
from runtime.ops.indexed_slices import IndexedSlices

Children = Sequence[Any]
Flatten = Callable[[Any], tuple[Any, Children]]
Build = Callable[[type, Any, Children], Any]


@dataclass(frozen=True, slots=True)
class Structure:
    """All of a container but its children: its class, and its keys or number of children."""

    kind: type
    keys: Any
    handler: Handler = dataclasses.field(compare=False)

    def build(self, children: Children) -> Any:
        """A new container with these children."""
        return self.handler.build(self.kind, self.keys, children)

    def anew(self) -> Structure:
        """The same structure, of which nothing is shared with other calls."""
        renew = self.handler.renew
        return self if renew is None else dataclasses.replace(self, keys=renew(self.keys))

    def joined(self, other: Structure) -> Structure:
        """The structure of what is of this one on one path and of an equal one on the other."""
        join = self.handler.join
        if join is None or self.keys is other.keys:
            return self
        return dataclasses.replace(self, keys=join(self.keys, other.keys))

    def path(self, place: int) -> str:
        """Returns the text of the access to a child, for messages: `[0]`, `['k']`, `.x`."""
        return self.handler.path.format(self.label(place, plain=False))

    def label(self, place: int, plain: bool = True) -> str:
        """The key of a child; `plain` as part of an identifier."""
        key = place if isinstance(self.keys, int) else self.handler.names(self.keys)[place]
        text = str(key)
        if plain:
            return text if f"_{text}".isidentifier() else str(place)
        return repr(key) if self.handler.path == "[{}]" else text

    def __str__(self) -> str:
        if self.handler.describe is not None:
            return self.handler.describe(self.keys)
        if not isinstance(self.keys, int | tuple):
            return f"{self.kind.__qualname__} {self.keys}"
        keys = (
            f"of {self.keys}"
            if isinstance(self.keys, int)
            else f"with {self.handler.names(self.keys)}"
        )
        return f"{self.kind.__qualname__} {keys}"


@dataclass(frozen=True, slots=True)
class Handler:
    """The way to take one kind of container apart and to build it again. `renew` copies keys that
    change, `join` gives what two equal ones say together, `describe` says what is in it, where its
    class says nothing to the user. `is_replaced`: where a graph changes an item, another one takes
    its place. `widen(a, b)` joins the Specs of two that differ (None where it cannot), and
    `fit(item, structure)` gives the children that an item has as one of another structure.
    `image(keys, children)` is it as the data of a node, where that is no container of these
    children. `check_optional(spec)` raises for one that may not be None on another path.
    `store(keys)` gives keys that are no data as a dict of data, and `restore` makes them of it.
    """

    flatten: Flatten
    build: Build
    path: str
    names: Callable[[Any], Sequence[Any]] = tuple
    renew: Callable[[Any], Any] | None = None
    join: Callable[[Any, Any], Any] | None = None
    describe: Callable[[Any], str] | None = None
    widen: Callable[[Any, Any], Any] | None = None
    fit: Callable[[Any, Structure], Children] | None = None
    image: Callable[[Any, Children], Any] | None = None
    check_optional: Callable[[Any], None] | None = None
    store: Callable[[Any], Any] | None = None
    restore: Callable[[Any], Any] | None = None
    is_tuple: bool = False
    is_replaced: bool = False

    @property
    def is_value(self) -> bool:
        """True if another one takes its place, in graphs, where it would change."""
        return self.is_tuple or self.is_replaced


def _build_object(kind: type, keys: Sequence[str], children: Children) -> Any:
    # Past __init__ and __setattr__: the object exists already, this is its image.
    made: Any = object.__new__(kind)
    for key, child in zip(keys, children, strict=True):
        object.__setattr__(made, key, child)
    return made


def _flatten_object(fields: Callable[[Any], Sequence[Any]]) -> Flatten:
    def flatten(item: Any) -> tuple[Any, Children]:
        names = tuple(field.name for field in fields(item) if hasattr(item, field.name))
        extra = getattr(item, "__dict__", {}).keys() - set(names)
        names += tuple(name for name in getattr(item, "__dict__", ()) if name in extra)
        return names, [getattr(item, name) for name in names]

    return flatten


_TUPLE = Handler(
    lambda t: (len(t), t), lambda kind, size, children: tuple(children), "[{}]", is_tuple=True
)
_LIST = Handler(lambda t: (len(t), t), lambda kind, size, children: list(children), "[{}]")
_NAMED = Handler(
    lambda t: (t._fields, t),
    lambda kind, fields, children: kind._make(children),  # type: ignore[attr-defined]
    ".{}",
    is_tuple=True,
)
_DICT = Handler(
    lambda d: (tuple(d), list(d.values())),
    lambda kind, keys, children: kind(dict(zip(keys, children, strict=True))),
    "[{}]",
)
_DEFAULTDICT = Handler(
    lambda d: ((d.default_factory, *d), list(d.values())),
    lambda kind, keys, children: kind(keys[0], zip(keys[1:], children, strict=True)),
    "[{}]",
    lambda keys: keys[1:],
)
_DATACLASS = Handler(_flatten_object(dataclasses.fields), _build_object, ".{}")
_ATTRS = Handler(_flatten_object(lambda item: type(item).__attrs_attrs__), _build_object, ".{}")


_SLICES = Handler(
    lambda slices: (("values", "indices", "dense_shape")[: len(slices.parts)], slices.parts),
    lambda kind, names, children: kind.of_parts(*children),  # type: ignore[attr-defined]
    ".{}",
    is_tuple=True,
)

_handlers: dict[type, Handler | None] = {
    IndexedSlices: _SLICES,
    tuple: _TUPLE,
    list: _LIST,
    dict: _DICT,
    collections.OrderedDict: _DICT,
    collections.Counter: _DICT,
    collections.defaultdict: _DEFAULTDICT,
    int: None,
    float: None,
    str: None,
    type(None): None,
}


HANDLER = "<handler>"
"""The member of a class that is its handler: of one that is made at run time."""


def add_handler(kind: type, handler: Handler) -> None:
    """Take objects of exactly this class apart by `handler`."""
    _handlers[kind] = handler
    if handler.store is not None and hasattr(kind, "plain"):
        _standing_for.setdefault(kind.plain, kind)


_standing_for: dict[type, type] = {}
"""The classes of which files have the keys as data, by Python's own that each stands for."""


def _find(kind: type) -> Handler | None:
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _NAMED
    if dataclasses.is_dataclass(kind):
        return _DATACLASS
    return _ATTRS if hasattr(kind, "__attrs_attrs__") else None


_found: WeakKeyDictionary[type, Handler | None] = WeakKeyDictionary()


def _handler_of(kind: type) -> Handler | None:
    # Classes made at run time must stay collectable.
    try:
        return _found[kind]
    except KeyError:
        own: Handler | None = kind.__dict__.get(HANDLER)
        if own is not None:
            return own
        handler = _find(kind)
        _found[kind] = handler
        return handler


def structure_of(item: Any) -> tuple[Structure, Children] | None:
    """A container's structure and children; None for anything else."""
    kind = type(item)
    handler = _handlers[kind] if kind in _handlers else _handler_of(kind)
    if handler is None:
        return None
    keys, children = handler.flatten(item)
    return Structure(kind, keys, handler), children


def children_of(item: Any) -> Children:
    """The children of a container; none of anything else."""
    found = structure_of(item)
    return () if found is None else found[1]


def has_object(item: Any) -> bool:
    """True for an object of a dataclass or a class of attrs, and for a tuple with one in it."""
    if isinstance(item, tuple):
        return any(map(has_object, item))
    kind = type(item)
    return kind not in _handlers and _handler_of(kind) in (_DATACLASS, _ATTRS)


def structure_for(kind: type, keys: Any) -> Structure | None:
    """The structure of containers of a class, with these keys; None for another class."""
    handler = _handlers[kind] if kind in _handlers else _handler_of(kind)
    return None if handler is None else Structure(kind, keys, handler)


def stored(structure: Structure) -> tuple[type, Any]:
    """The class of a structure and its keys, as files have them."""
    kind, keys, store = structure.kind, structure.keys, structure.handler.store
    plain = getattr(kind, "plain", kind)
    if store is None or _standing_for.get(plain) is not kind:
        return kind, keys
    return plain, store(keys)


def restored(kind: type, keys: Any) -> Structure | None:
    """The structure that a file has so; None for a class of no containers."""
    if not isinstance(keys, dict):
        return structure_for(kind, keys)
    kind = _standing_for[kind]
    handler = _handlers[kind]
    assert handler is not None
    assert handler.restore is not None
    return Structure(kind, handler.restore(keys), handler)


def container_text(structure: Structure, parts: Sequence[str]) -> str:
    """A container in Python's notation, with these texts for its children."""
    if isinstance(structure.keys, int):
        comma = "," if structure.kind is tuple and len(parts) == 1 else ""
        return f"[{', '.join(parts)}]" if structure.kind is list else f"({', '.join(parts)}{comma})"
    paths = [structure.path(place) for place in range(len(parts))]
    if structure.handler.path == "[{}]":
        pairs = [f"{path[1:-1]}: {part}" for path, part in zip(paths, parts, strict=True)]
        return f"{{{', '.join(pairs)}}}"
    pairs = [f"{path[1:]}={part}" for path, part in zip(paths, parts, strict=True)]
    return f"{structure.kind.__name__}({', '.join(pairs)})"
