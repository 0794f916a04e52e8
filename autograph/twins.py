"""The converted twins of functions: their code, made once, and how to make one of it."""

from __future__ import annotations

from collections.abc import Iterable
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple, TypeAlias

from autograph import kept_conversions, policy
from autograph.codes import CodeTable, handles_exceptions, makes_generators
from autograph.errors import ConversionError
from autograph.forms import Form
from autograph.kept_conversions import ConvertedCode
from autograph.locks import process_rlock

Cells: TypeAlias = tuple[CellType, ...]
Recipe: TypeAlias = tuple[CodeType, Any, bool, bool]
"""The parts of a function's twin: its code, its cells (or what gives them for the function's own),
whether there are keyword-only parameters, and whether it may be converted otherwise while it is
being staged."""

HEAP_TYPE = 1 << 9


class Made(NamedTuple):
    """The result of converting a code object."""

    code: CodeType
    ag: str


_made: dict[Form, CodeTable[Made]] = {form: CodeTable() for form in Form}
recipes: CodeTable[Recipe | tuple[()]] = CodeTable()
policy.forgetting.append(recipes.clear)
converting = process_rlock()


def call_method_of(value: Any) -> FunctionType | None:
    method = getattr(type(value), "__call__", None)  # noqa: B004  # the method itself is wanted
    return method if isinstance(method, FunctionType) else None


def convert_once(function: FunctionType, form: Form = Form.PLAIN) -> Made:
    """The converted code for a function's; made once in each form."""
    with converting:
        return _found(function, form) or _make(function, form)


def has_try(function: FunctionType) -> bool:
    """Whether a function may be converted otherwise while it is being staged. Packages catch what
    Python raises while they are traced, not what the run does.
    """
    return handles_exceptions(function.__code__) and not policy.is_installed(function)


def _found(function: FunctionType, form: Form) -> Made | None:
    """The converted code that this process or another one has made."""
    made = _made[form].get(function.__code__)
    if made is None:
        kept = kept_conversions.find(function, form)
        made = None if kept is None else _noted(function, form, kept)
    return made


def _make(function: FunctionType, form: Form) -> Made:
    from autograph.conversion import convert_code

    return _noted(function, form, convert_code(function, form))


def _noted(function: FunctionType, form: Form, converted: ConvertedCode) -> Made:
    note_generated(converted.codes, function.__code__)
    made = Made(converted.code, converted.ag)
    _made[form][function.__code__] = made
    return made


def note_generated(codes: Iterable[CodeType], original: CodeType) -> None:
    """Note that conversion made code objects of the code of the user's function."""
    original = original.replace()  # a copy: the original lives no longer than its users
    for code in codes:
        policy.generated[code] = original
        if not makes_generators(code):
            recipes[code] = ()


def source_known(function: FunctionType) -> bool:
    with converting:
        if _found(function, Form.PLAIN):
            return True
    from autograph.conversion import require_source

    try:
        require_source(function)
    except ConversionError as error:
        policy.unconverted[function.__code__] = error.message
        return False
    return True
