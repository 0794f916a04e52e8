"""Kinds of objects of the standard library that keep what they are in C, or more than matters.

A table names the classes, for their modules are not imported before a program does.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from operator import is_
from typing import Any

from autograph.mutation.containers import elements_of
from autograph.mutation.instances import InstanceKind
from autograph.mutation.kinds import Kind, SingleKind
from autograph.mutation.paths import ATOMS, Part, as_attribute
from autograph.objects import MISSING


class StreamKind(SingleKind):
    """The position of a file; what is in one that is in memory can be put back."""

    def take(self, value: Any) -> Any:
        if value.closed:
            return None
        if isinstance(value, IN_MEMORY):
            return value.tell(), value.getvalue()
        try:
            return (value.tell(),) if value.seekable() else None
        except OSError:  # text that is being iterated over does not tell
            return None

    def same(self, value: Any, state: Any) -> bool:
        return bool(self.take(value) == state)

    def put(self, value: Any, state: Any) -> None:
        if state is None or value.closed or not isinstance(value, IN_MEMORY):
            return
        position, content = state
        value.seek(0)
        value.truncate()
        value.write(content)
        value.seek(position)


class DecimalContextKind(SingleKind):
    """The settings and flags of a context of decimal numbers."""

    def take(self, value: Any) -> Any:
        return value.copy()

    def same(self, value: Any, state: Any) -> bool:
        return repr(value) == repr(state)

    def put(self, value: Any, state: Any) -> None:
        for name in ("prec", "rounding", "Emin", "Emax", "capitals", "clamp"):
            setattr(value, name, getattr(state, name))
        for kept, signals in ((value.flags, state.flags), (value.traps, state.traps)):
            for signal in signals:
                kept[signal] = signals[signal]


class ElementKind(SingleKind):
    """An element of an XML tree: its attributes, and the elements in it."""

    def take(self, value: Any) -> Any:
        return value.tag, value.text, value.tail, value.attrib, *value

    def parts(self, value: Any, state: Any) -> Iterable[Part]:
        return [(as_attribute, "attrib", state[3]), *elements_of(state[4:])]

    def same(self, value: Any, state: Any) -> bool:
        now = self.take(value)
        return len(now) == len(state) and all(map(is_, now, state))

    def put(self, value: Any, state: Any) -> None:
        value.tag, value.text, value.tail, value.attrib, *value[:] = state


class NamedKind(InstanceKind):
    """Some attributes of an object, of which the others are not for its users."""

    def __init__(self, names: str) -> None:
        super().__init__()
        self._names = names.split()

    def key(self, value: Any) -> Any:
        return id(value), self  # not of all that its `__dict__` has

    def take(self, value: Any) -> dict[str, Any]:
        held = value.__dict__
        return {name: held[name] for name in self._names if name in held}

    def parts(self, value: Any, state: dict[str, Any]) -> Iterable[Part]:
        children = state.items()
        return [(as_attribute, name, child) for name, child in children if type(child) not in ATOMS]

    def put(self, value: Any, state: dict[str, Any]) -> None:
        for name in self._names:
            if value.__dict__.get(name, MISSING) is not state.get(name, MISSING):
                setattr(value, name, state[name])


IN_MEMORY = (io.StringIO, io.BytesIO)
_STREAM = StreamKind()
BY_NAME: dict[tuple[str, str], Kind] = {
    ("_io", "_IOBase"): _STREAM,
    ("decimal", "Context"): DecimalContextKind(),
    ("xml.etree.ElementTree", "Element"): ElementKind(),
    ("logging", "Logger"): NamedKind("level disabled propagate handlers filters name parent"),
    ("logging", "Handler"): NamedKind("level formatter filters"),
}
"""Kinds by the module and the name of a class, for its subclasses too."""
