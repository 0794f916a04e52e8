"""Specs: what a value is where paths meet, and the values of the graph that carry it.

leaf        a tensor, a staged number or list: one value of the graph
same        Python values that are equal on all paths: no value at all
tree        a tuple, list, dict, namedtuple, dataclass or attrs object: its children's values
choice      texts or functions that differ: a tree whose child says which it is
optional    None on one path: a flag "is there", then the values of the other path
maybe       unbound on one path: a flag "is bound", then the values of the other path
union       a result of several kinds: a number that says which, then the values of each kind
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from runtime.core.dataclasses import dataclass
from runtime.core.types import Type
from runtime.graph.data import Opaque, as_data
from runtime.graph.nodes import BOOL, NUMBER_TYPES
from runtime.graph.structures import Structure
from runtime.graph.templates import Container, Either, Slot
from runtime.staging.control.joined_variables import NONE, Handles
from runtime.staging.control.sameness import same


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of the graph; `variables` are those that it may be in the user's Python, where it
    may be an array of NumPy's.
    """

    type: Type
    variables: Handles = NONE
    is_array: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """A Python value that is equal on all paths, or a symbol from before the paths parted."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(Same)  # what is the same need not have one


@dataclass(frozen=True, slots=True)
class Tree:
    """A structure and the Specs of its children."""

    structure: Structure
    children: tuple[Spec, ...]


@dataclass(frozen=True, slots=True)
class Optional:
    """None, or what `inner` says."""

    inner: Spec


@dataclass(frozen=True, slots=True)
class Maybe:
    """Unbound, or what `inner` says."""

    inner: Spec
    name: str


@dataclass(frozen=True, slots=True)
class Union:
    """One of several kinds, which do not join, for the reason that `mismatch` gives."""

    kinds: tuple[Spec, ...]
    mismatch: Mismatch = field(compare=False)


Spec = Leaf | Same | Tree | Optional | Maybe | Union


class Mismatch(Exception):
    """Two values do not join; `path` leads to the place within the variable.

    `kinds_differ` says that they are of two kinds, of which a result may be; `sides` tells where
    the two were, for a refusal that comes later.
    """

    def __init__(
        self, reason: str, hint: str, dtypes_differ: bool = False, kinds_differ: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.dtypes_differ = dtypes_differ
        self.kinds_differ = kinds_differ
        self.path = self.sides = ""
        self.places: list[int] = []

    def __str__(self) -> str:
        return f"{self.reason} (at {self.sides})" if self.sides else self.reason


def parts(spec: Spec) -> tuple[Spec, ...]:
    """The Specs inside of one."""
    if isinstance(spec, Tree):
        return spec.children
    if isinstance(spec, Optional | Maybe):
        return (spec.inner,)
    return spec.kinds if isinstance(spec, Union) else ()


def with_parts(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    """The Spec with what `change` makes of those inside of it."""
    if isinstance(spec, Tree):
        return Tree(spec.structure, tuple(map(change, spec.children)))
    if isinstance(spec, Optional | Maybe):
        return dataclasses.replace(spec, inner=change(spec.inner))
    if isinstance(spec, Union):
        return dataclasses.replace(spec, kinds=tuple(map(change, spec.kinds)))
    return spec


def all_in(spec: Spec) -> Iterator[Spec]:
    """A Spec and all inside of it, in the order of the values that carry them."""
    yield spec
    for part in parts(spec):
        yield from all_in(part)


def types_of(spec: Spec) -> Iterator[Type]:
    """The types of the values that a Spec is carried by."""
    for each in all_in(spec):
        if isinstance(each, Leaf):
            yield each.type
        elif isinstance(each, Optional | Maybe):
            yield BOOL
        elif isinstance(each, Union):
            yield NUMBER_TYPES[int]


def template(spec: Spec) -> Any:
    """A Spec as data: slots in the place of the values that carry it."""
    if isinstance(spec, Leaf):
        return Slot(spec.type)
    if isinstance(spec, Same):
        return as_data(spec.value)
    if isinstance(spec, Tree):
        return Container(spec.structure, tuple(map(template, spec.children)))
    if isinstance(spec, Optional):
        return Either(Slot(BOOL), template(spec.inner))
    return Opaque(spec)


def of_template(data: Any) -> Spec:
    """The Spec that `template` has made this of."""
    if isinstance(data, Slot):
        return Leaf(data.type)
    if isinstance(data, Container):
        return Tree(data.structure, tuple(map(of_template, data.children)))
    if isinstance(data, Either):
        return Optional(of_template(data.held))
    return Same(data.item if isinstance(data, Opaque) else data)


def classes_in(spec: Spec) -> Iterator[type]:
    """The classes of the structures and Python values in a Spec."""
    for each in all_in(spec):
        if isinstance(each, Tree):
            yield each.structure.kind
        elif isinstance(each, Same):
            yield type(each.value)


def values_of(spec: Spec) -> Iterator[Same]:
    """The Python values in a Spec."""
    return (each for each in all_in(spec) if isinstance(each, Same))
