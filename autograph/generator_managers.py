"""Context managers of generators (`@contextmanager`), in a function that is being staged: a
generator can be left once, while what stands in its `with` may be left in several ways. So it
becomes a function that calls the block of the `with` where it has its `yield`.

    >>> import contextlib
    >>> @contextlib.contextmanager
    ... def noted(log):
    ...     try:
    ...         yield 5
    ...     finally:
    ...         log.append("left")
    >>> log = []
    >>> from autograph.calls import AG
    >>> around(noted(log), AG)(lambda value: log.append(value))
    >>> log
    [5, 'left']
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import _GeneratorContextManager
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph import policy
from autograph.codes import CodeTable
from autograph.load import twin_of
from autograph.twins import converting, recipes, source_known

Made = tuple[CodeType, str, str] | tuple[()]
_made: CodeTable[Made] = CodeTable()


def around(manager: Any, ag: CellType) -> Callable[[Callable[[Any], None]], None] | None:
    """A function that runs a block within the manager of a generator of the user's, not entered
    yet; None for another manager, and where the `yield` may be reached twice, or not at all.

    Args:
        ag: what generated code calls the operators by.
    """
    function = vars(manager).get("func") if type(manager) is _GeneratorContextManager else None
    if type(function) is not FunctionType or not policy.decide(function).decision:
        return None
    made = _code_of(function)
    if not made:
        return None
    code, name, block = made
    cells = {name: ag} if name in code.co_freevars else {}
    twin = twin_of(function, code, cells)
    args, keywords = manager.args, manager.kwds

    def run(body: Callable[[Any], None], /) -> None:
        manager.gen.close()
        twin(*args, **keywords, **{block: body})

    return run


def _code_of(function: FunctionType) -> Made:
    with converting:
        made = _made.get(function.__code__)
        if made is None:
            made = _made[function.__code__] = _make(function) if source_known(function) else ()
        return made


def _make(function: FunctionType) -> Made:
    from autograph.conversion import convert_manager

    made = convert_manager(function)
    if made is None:
        return ()
    original = function.__code__.replace()  # a copy: the original lives no longer than its users
    for code in made.codes:
        policy.generated[code] = original
        recipes[code] = ()
    return made.codes[0], made.ag, made.block
