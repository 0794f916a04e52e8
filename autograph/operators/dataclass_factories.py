"""The `__init__` that `@dataclass` writes: the lists of its default factories may grow, as those
that an `__init__` of the user's makes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import CellType, CodeType, FunctionType
from typing import Any, TypeAlias

from autograph.instructions import instructions
from autograph.operators.growing import asking, growing_factory, is_staging

Cells: TypeAlias = tuple[CellType, ...]


def growing_factories(
    init: FunctionType, call: Callable[[Any], Any]
) -> Callable[[Cells], Cells] | None:
    """Returns the function from the variables that a function captures to those with other default
    factories in them; None for a function that has none.

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
    called = _called(code)
    places = [at for at, name in enumerate(code.co_freevars) if name in called]
    if not places:
        return None

    def captured(cells: Cells) -> Cells:
        made = list(cells)
        for at in places:
            made[at] = CellType(_growing(call, cells[at].cell_contents))
        return tuple(made)

    return captured


def _called(code: CodeType) -> set[str]:
    """The captured variables that a code object calls without arguments, as it does factories."""
    steps = [each for each in instructions(code) if each.opname not in ("PUSH_NULL", "PRECALL")]
    return {
        each.argval
        for each, then in pairwise(steps)
        if each.opname == "LOAD_DEREF" and then.opname == "CALL" and then.arg == 0
    }


def _growing(call: Callable[[Any], Any], factory: Callable[[], Any]) -> Callable[[], Any]:
    """Returns what to call for a factory. One of the user's may return a list that has other
    names.
    """
    if isinstance(factory, type):
        return growing_factory(call(factory))
    with asking(is_staging()):
        made: Callable[[], Any] = call(factory)
    return made
