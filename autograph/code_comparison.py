"""Whether a code object is that of a definition: what it does, apart from where it stands."""

from __future__ import annotations

import ast
import dis
import inspect
import itertools
from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograph.codes import nested_codes
from autograph.instructions import instructions


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
    own, load = (code.co_qualname, _load_of_line(code)) if is_class else (None, None)
    line = load.arg if load is not None and load.opcode in dis.hasconst else None
    return (
        _without(load, code.co_code),
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


def _load_of_line(code: CodeType) -> dis.Instruction | None:
    """The instruction that loads the first line in the body of a class, if it is for nothing else:
    a constant, or from Python 3.14 on its own argument.
    """
    if "__firstlineno__" not in code.co_names:
        return None
    listed = list(instructions(code))
    loaded = [(each.opcode, each.arg) for each in listed if each.opcode in dis.hasconst]
    for load, store in itertools.pairwise(listed):
        if store.opname == "STORE_NAME" and store.argval == "__firstlineno__":
            return load if loaded.count((load.opcode, load.arg)) <= 1 else None
    return None


def _without(load: dis.Instruction | None, code: bytes) -> bytes:
    return code if load is None else code[: load.offset] + code[load.offset + 2 :]


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
    for instruction in instructions(code):
        line = instruction.positions.lineno if instruction.positions else None
        # Where an implicit `return None` stands depends on the statement before it.
        if line is None or instruction.argval is None or instruction.opname not in _WITH_OPERAND:
            continue
        value = instruction.argval
        for operand in value if isinstance(value, tuple) else (value,):
            yield line, operand.co_name if isinstance(operand, CodeType) else repr(operand)


_WITH_OPERAND = {
    dis.opname[opcode] for opcode in (*dis.hasconst, *dis.hasname, *dis.haslocal, *dis.hasfree)
}
