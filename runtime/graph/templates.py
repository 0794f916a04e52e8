"""The values that a node shows when it runs, in Python's containers: made while tracing, filled by
the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from runtime.graph.arrays import Elements
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.scopes import Symbol
from runtime.graph.staging.optional_values import MaybeNone, bound
from runtime.graph.structures import Structure, container_text, structure_of
from runtime.graph.tracing import is_symbol
from runtime.tensor import wrap
from runtime.types import TensorType


class Container(NamedTuple):
    """A container as it was at one moment; a part of it may be known to the run only."""

    structure: Structure
    children: list[Any]


class Either(NamedTuple):
    """A value that is None where the staged `flag` is false."""

    flag: Any
    held: Any


def image(item: Any, above: tuple[int, ...] = ()) -> Any:
    """The item, or what stands for it where symbols are in it, or where it may change later."""
    item = bound(item)
    if isinstance(item, MaybeNone):
        return Either(item.flag, image(item.held, above))
    found = None if is_symbol(item) or id(item) in above else structure_of(item)
    if found is None:
        return item
    children = [image(child, (*above, id(item))) for child in found[1]]
    lasts = type(item) is tuple and not any(map(_is_open, children))
    return item if lasts else Container(found[0], children)


def _is_open(item: Any) -> bool:
    return is_symbol(item) or type(item) is Container or type(item) is Either


def symbols_in(template: Any) -> Iterator[Any]:
    """The symbols whose values fill it, in their order."""
    if is_symbol(template):
        yield template
    elif type(template) is Container:
        for child in template.children:
            yield from symbols_in(child)
    elif type(template) is Either:
        yield template.flag
        yield from symbols_in(template.held)


def filled(template: Any, values: Iterator[Any]) -> Any:
    """The item, with the values of a run for the symbols in it."""
    if is_symbol(template):
        value = next(values)
        if isinstance(template, Symbol):
            items = [None if item is None else wrap(item) for item in value]
            return Elements(items, cast(TensorType, template.type.element))
        return value if type(value) in NUMBER_TYPES else wrap(value)
    if type(template) is Container:
        return template.structure.build([filled(child, values) for child in template.children])
    if type(template) is Either:
        flag, held = next(values), filled(template.held, values)
        return held if flag else None
    return template


def text_of(template: Any, names: Iterator[str]) -> str:
    """The item as text, with the names of values for the symbols in it."""
    if is_symbol(template):
        return next(names)
    if type(template) is Container:
        return container_text(
            template.structure, [text_of(child, names) for child in template.children]
        )
    if type(template) is Either:
        flag, held = next(names), text_of(template.held, names)
        return f"{held} if {flag} else None"
    return repr(template)
