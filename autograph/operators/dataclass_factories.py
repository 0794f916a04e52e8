"""The `__init__` that `@dataclass` writes: the lists of its default factories may grow, as those
that an `__init__` of the user's makes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any, TypeAlias

from autograph.operators.growing import growing

Cells: TypeAlias = tuple[CellType, ...]

# Of Python 3.11, and of later versions.
_PREFIXES = "_dflt_", "__dataclass_dflt_"


def growing_factories(
    init: FunctionType, call: Callable[[Any], Any]
) -> Callable[[Cells], Cells] | None:
    """Returns the function from the variables that a function captures to those with other default
    factories in them; None
    for a function that has none.

    >>> import dataclasses
    >>> @dataclasses.dataclass
    ... class Shelf:
    ...     books: list = dataclasses.field(default_factory=list)
    >>> growing_factories(Shelf.__init__, lambda f: f) is None
    False
    >>> growing_factories(lambda books: books, lambda f: f) is None
    True
    """
    code = init.__code__
    if code.co_name != "__init__" or code.co_filename != "<string>":
        return None
    # Of a field that is no parameter it might be the default itself.
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    factories = {f"{prefix}{name}" for prefix in _PREFIXES for name in parameters}
    factories |= {f"{name}__" for name in factories}
    places = [at for at, name in enumerate(code.co_freevars) if name in factories]
    if not places:
        return None

    def captured(cells: Cells) -> Cells:
        made = list(cells)
        for at in places:
            made[at] = CellType(_growing(call, cells[at].cell_contents))
        return tuple(made)

    return captured


def _growing(call: Callable[[Any], Any], factory: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: growing(call(factory)())
