"""The converted twins of functions: their code, made once, and how to make one of it."""

from __future__ import annotations

from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple, TypeAlias

from autograph import policy
from autograph.codes import CodeTable, handles_exceptions
from autograph.errors import ConversionError
from autograph.locks import process_rlock

Cells: TypeAlias = tuple[CellType, ...]
Recipe: TypeAlias = tuple[CodeType, Any, bool, bool]
"""How to make a function's twin: its code, its cells (or what gives them for the function's own),
whether there are keyword-only parameters, and whether it may be converted otherwise while it is
being staged."""

HEAP_TYPE = 1 << 9


class Made(NamedTuple):
    """The result of converting a code object."""

    code: CodeType
    ag: str


_made: CodeTable[Made] = CodeTable()
_made_staged: CodeTable[Made] = CodeTable()
recipes: CodeTable[Recipe | tuple[()]] = CodeTable()
converting = process_rlock()


def call_method_of(value: Any) -> FunctionType | None:
    method = getattr(type(value), "__call__", None)  # noqa: B004  # the method itself is wanted
    return method if isinstance(method, FunctionType) else None


def convert_once(function: FunctionType, stages_tries: bool = False) -> Made:
    """The converted code for a function's; made once. With `stages_tries`, that for a function
    which is being staged.
    """
    table = _made_staged if stages_tries else _made
    with converting:
        made = table.get(function.__code__)
        if made is None:
            made = table[function.__code__] = _make(function, stages_tries)
        return made


def has_try(function: FunctionType) -> bool:
    """Whether a function may be converted otherwise while it is being staged. Packages catch what
    Python raises while they are traced, not what the run does.
    """
    return handles_exceptions(function.__code__) and not policy.is_installed(function)


def _make(function: FunctionType, stages_tries: bool) -> Made:
    from autograph.conversion import convert_code

    converted = convert_code(function, stages_tries)
    original = function.__code__.replace()  # a copy: the original lives no longer than its users
    for code in converted.codes:
        policy.generated[code] = original
        recipes[code] = ()
    return Made(converted.code, converted.ag)


def source_known(function: FunctionType) -> bool:
    from autograph.conversion import require_source

    try:
        require_source(function)
    except ConversionError as error:
        policy.unconverted[function.__code__] = error.message
        return False
    return True
