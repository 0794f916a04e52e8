"""Whether a code object is that of a definition: what it does, apart from where it stands."""

from __future__ import annotations

import ast
import dis
import inspect
import itertools
from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograph.load import nested_codes


def same_place(code: CodeType, compiled: CodeType, node: ast.AST) -> bool:
    """Equal, columns included: tells the lambdas of one line apart."""
    return same_code(code, compiled, node) and _positions(code) == _positions(compiled)


def _positions(code: CodeType) -> list[Any]:
    return list(code.co_positions())


def same_code(code: CodeType, compiled: CodeType, node: ast.AST) -> bool:
    """Equal, wherever it stands."""
    return bool(_key(code) == _key(compiled))


def _key(code: CodeType) -> Any:
    """A key of what a code object does, apart from where it stands and what it is called."""
    # The body of a class names itself, and from 3.13 on the line that it begins in.
    is_class = not code.co_flags & inspect.CO_OPTIMIZED
    own, line = (code.co_qualname, _place_of_line(code)) if is_class else (None, None)
    return (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_freevars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        code.co_exceptiontable,
        [
            _const_key(const)
            for place, const in enumerate(code.co_consts)
            if not is_class or (const != own and place != line)
        ],
    )


def _place_of_line(code: CodeType) -> int | None:
    """The index of the first line among the constants of the body of a class, if it is nothing
    else.
    """
    if "__firstlineno__" not in code.co_names:
        return None
    instructions = list(dis.get_instructions(code))
    loaded = [each.arg for each in instructions if each.opname == "LOAD_CONST"]
    for load, store in itertools.pairwise(instructions):
        if store.opname == "STORE_NAME" and store.argval == "__firstlineno__":
            return load.arg if loaded.count(load.arg) == 1 else None
    return None


def _const_key(const: object) -> Any:
    if isinstance(const, CodeType):
        return _key(const)
    if isinstance(const, tuple):
        return [_const_key(item) for item in const]
    if isinstance(const, frozenset):
        return sorted(map(repr, const))
    return type(const), repr(const)


def same_but_asserts(code: CodeType, compiled: CodeType, node: ast.AST) -> bool:
    """Equal outside of `assert`s, which pytest rewrites in test modules before it compiles them."""
    if not any(_names_of_pytest(code)):
        return False
    asserts = {
        line
        for inner in ast.walk(node)
        if isinstance(inner, ast.Assert)
        for line in range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)
    }
    return _operands(code, asserts) == _operands(compiled, asserts)


def _names_of_pytest(code: CodeType) -> Iterator[bool]:
    for nested in nested_codes(code):
        yield any(name.startswith("@py") for name in (*nested.co_names, *nested.co_varnames))


def _operands(code: CodeType, skipped: set[int]) -> set[tuple[str, int, str]]:
    """The names and constants that a function uses, each with its line."""
    return {
        (nested.co_name, line, operand)
        for nested in nested_codes(code)
        for line, operand in _operands_here(nested)
        if line not in skipped
    }


def _operands_here(code: CodeType) -> Iterator[tuple[int, str]]:
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions else None
        # Where an implicit `return None` stands depends on the statement before it.
        if line is None or instruction.argval is None or instruction.opcode not in _WITH_OPERAND:
            continue
        value = instruction.argval
        for operand in value if isinstance(value, tuple) else (value,):
            yield line, operand.co_name if isinstance(operand, CodeType) else repr(operand)


_WITH_OPERAND = {*dis.hasconst, *dis.hasname, *dis.haslocal, *dis.hasfree}
