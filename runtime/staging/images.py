"""Images of Python values that hold symbols: the templates that nodes keep of them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from runtime.graph.data import Opaque, is_data
from runtime.graph.structures import structure_of
from runtime.graph.templates import Container, Either, Raised, Slot
from runtime.staging.control.optional_values import MaybeNone, bound
from runtime.staging.control.truths import Truth
from runtime.staging.tracing import is_symbol

# Where the classes are that stand for Python's own, which have another text.
_ITERATION = "runtime.staging.control.iteration"


def as_data(item: Any) -> Any:
    """The item, held by reference where it is no data."""
    return item if is_data(item) else Opaque(item)


class Images:
    """Templates of items, and the `symbols` whose values fill them, in their order."""

    def __init__(self) -> None:
        self.symbols: list[Any] = []

    def of(self, item: Any, above: tuple[int, ...] = ()) -> Any:
        """The item as data: a container as it is now, with slots for the symbols in it."""
        item = bound(item)
        if isinstance(item, MaybeNone):
            return Either(self._slot(item.flag), self.of(item.held, above))
        if is_symbol(item):
            return self._slot(item)
        if type(item) is Truth:
            raise item.refusal(item.location)
        if id(item) in above:
            return Opaque(item)
        found = structure_of(item)
        if found is None:
            if type(item).__module__ == _ITERATION:
                item.check_shown()
            return as_data(item)
        structure, parts = found
        children = tuple([self.of(part, (*above, id(item))) for part in parts])
        if structure.handler.image is not None:
            return structure.handler.image(structure.keys, children)
        return children if type(item) is tuple else Container(structure, children)

    def _slot(self, symbol: Any) -> Slot:
        self.symbols.append(symbol)
        return Slot(symbol.type)


def image_of(error: BaseException) -> tuple[Raised, Sequence[Any]]:
    """An exception as data, and the symbols in its arguments and attributes."""
    images = Images()
    return _image_of(error, images), images.symbols


def _image_of(error: BaseException, images: Images) -> Raised:
    args, attributes = images.of(error.args), images.of(vars(error))
    given = _given(error)
    others = None if given is None else images.of(given)
    cause = None if error.__cause__ is None else _image_of(error.__cause__, images)
    suppresses = error.__suppress_context__
    return Raised(type(error), args, attributes, others, cause, suppresses)


def _given(error: BaseException) -> tuple[Any, ...] | None:
    """The arguments of the class, where it keeps others: OSError takes a file, too."""
    if isinstance(type(error).__init__, FunctionType):
        return None
    given = error.__reduce__()[1]
    same = len(given) == len(error.args) and all(map(operator.is_, given, error.args))
    return None if same else given  # type: ignore[return-value]
