"""From a function to its definition, with the positions that it has in its file.

The whole file is parsed, once, and the definition is taken from that tree: nothing is cut out of
the text or indented anew, so lines and columns are the user's. Whether the file is still the one
that was imported is seen by compiling the definition and comparing with the function's code.
"""

from __future__ import annotations

import ast
import io
import linecache
import re
import sys
import tokenize
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import CodeType, FunctionType, MethodType
from typing import Any, BinaryIO

import gast

from autograph.code_comparison import same_but_asserts, same_code, same_place
from autograph.codes import CodeTable, nested_codes
from autograph.compiler import compile_quietly
from autograph.errors import ConversionError
from autograph.load import compile_definition
from autograph.locks import process_lock
from autograph.magics import texts_of_magics
from autograph.trees import to_gast

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Found = tuple[Definition, tuple[str, ...], str]
"""A definition, the classes around it, and its path."""
Comparison = Callable[[CodeType, CodeType, ast.AST], bool]
"""Whether code is what a definition compiles to: the two codes, and the definition."""

_KEPT_FILES = 32  # a tree takes about thirty times the memory of its text
_COMMAND = "<string>"  # the name of what `python -c` is given, and `exec` without another
_OPTION_C = re.compile(r"-[bBdEiIOPqRsSuvx]*c(.*)", re.DOTALL)  # its text may stand in it
_BARE_SUPER = re.compile(r"\bsuper\b(?!\()")
_MOST_NAMES = 30  # in a message
_CHANGED = "reload the module or restart Python, so that the code and its file agree"
_MOVE = "put the function in a file (or a notebook cell) and import it from there"


@dataclass(frozen=True, slots=True, eq=False)
class SourceFile:
    """A parsed file. `tree` is shared: it must not be changed.

    Attributes:
        filename: the name under which it was compiled or opened.
        lines: its lines, decoded, with their ends.
        tree: its tree.
        special: the global names whose uses compile differently: those that it imports, and
            `super` where the module itself mentions it.
        found: what `definition_of` has found in it.
    """

    filename: str
    lines: Sequence[str]
    tree: ast.Module
    special: frozenset[str]
    found: CodeTable[Definition | None] = field(default_factory=CodeTable)


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A definition found in its file.

    Attributes:
        node: a gast `FunctionDef`, `AsyncFunctionDef` or `Lambda`, made for this caller.
        file: the file around it.
        owners: the classes around it, outermost first, also through functions. The last one decides
            private names.
        path: the names of the definitions around it and its own, joined by dots.
    """

    node: Any
    file: SourceFile
    owners: tuple[str, ...]
    path: str

    @property
    def filename(self) -> str:
        return self.file.filename

    @property
    def owner(self) -> str | None:
        """The innermost class around the definition."""
        return self.owners[-1] if self.owners else None

    @property
    def source_lines(self) -> Sequence[str]:
        """The lines of the definition, decorators included."""
        return self.file.lines[_first_line(self.node) - 1 : self.node.end_lineno]


def locate(function: Callable[..., object]) -> Located:
    """The definition of a function, method or lambda.

    Raises:
        ConversionError: there is no source, it is not valid Python, or it is not (or no more) the
            source of this function.
    """
    plain = _plain_function(function)
    code, names = plain.__code__, plain.__globals__
    for file in _files_of(code, names):
        found = _find(file, code)
        if found is not None:
            node, owners, path = found
            return Located(to_gast(node), file, owners, path)
    known = _file_named(code.co_filename, names)
    raise _no_source(plain) if known is None else _not_the_source(plain)


def definition_of(code: CodeType, names: dict[str, Any]) -> Definition | None:
    """The definition of a function's code, whose global names these are, if its file still has it
    as and where it was compiled.

    Raises:
        ConversionError: the file is not valid Python.
    """
    for file in _files_of(code, names):
        if code not in file.found:
            file.found[code] = _find_in_place(file, code)
        found = file.found.get(code)
        if found is not None:
            return found
    return None


def read_file(filename: str, stream: BinaryIO | None = None) -> SourceFile:
    """A file, without importing it; or what a stream holds, under that name.

    Raises:
        ConversionError: it cannot be read, or is not valid Python.
    """
    try:
        if stream is None:
            with open(filename, "rb") as opened:
                lines = _decoded(opened.read())
        else:
            lines = _decoded(stream.read())
    except OSError as error:
        raise ConversionError(error.strerror or str(error), filename=filename) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConversionError(
            f"cannot be decoded: {error}", filename=filename, lineno=line
        ) from None
    except SyntaxError as error:
        raise ConversionError(f"cannot be decoded: {error}", filename=filename) from None
    found = _parse(filename, lines)
    # What no import has compiled may be wrong in ways that a tree does not show.
    _compiled("".join(lines), filename)
    return found


def _decoded(content: bytes) -> list[str]:
    # Null bytes are for the compiler to refuse, which from Python 3.14 on is not all that does.
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content.replace(b"\0", b" ")).readline)
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding).readlines()
    except UnicodeDecodeError:
        content.decode(encoding)  # of a stream's error the place is that in a part of it
        raise


def definitions(file: SourceFile, path: str | None = None) -> list[Located]:
    """The functions and methods of a file, or of a class in it, in order; not those inside
    functions.
    """
    around = class_in(file, path) if path else None
    names = tuple(path.split(".")) if path else ()
    body = file.tree.body if around is None else around.body
    return [
        Located(to_gast(node), file, owners, found)
        for node, owners, found in _definitions(body, names, path or "")
    ]


def class_in(file: SourceFile, path: str) -> ast.ClassDef | None:
    """The class that `path` (`A`, `A.B`) names once the file has run, if there is one."""
    found = [node for name, node in _named_statements(file.tree.body, "") if name == path]
    return found[-1] if found and isinstance(found[-1], ast.ClassDef) else None


def definition_in(file: SourceFile, path: str) -> Located:
    """The function that `path` (`f`, `Class.method`, `f.inner`) names once the file has run.

    Raises:
        ConversionError: there is none.
    """
    found = [one for one in _definitions(file.tree.body, (), "", nested=True) if one[2] == path]
    if not found:
        raise _no_definition(file, path)
    node, owners, _ = found[-1]
    return Located(to_gast(node), file, owners, path)


# Files


class _Files:
    """The files parsed last."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, SourceFile] = OrderedDict()
        self._lock = process_lock()

    def parsed(self, filename: str, lines: list[str]) -> SourceFile:
        with self._lock:
            known = self._files.get(filename)
            # linecache makes a new list when the file has another time or size.
            if known is None or known.lines is not lines:
                known = self._files[filename] = _parse(filename, lines)
            self._files.move_to_end(filename)
            if len(self._files) > _KEPT_FILES:
                self._files.popitem(last=False)
            return known


_files = _Files()


def _files_of(code: CodeType, names: dict[str, Any]) -> Iterator[SourceFile]:
    """Yields the files in which the definition of code may stand, whose global names these are."""
    filename = code.co_filename
    file = _file_named(filename, names)
    if file is not None:
        yield file
    elif filename.startswith("<"):
        command = _texts_of_command() if filename == _COMMAND else ()
        for text in (*command, *texts_of_magics(code, names)):
            yield _parse(filename, text.splitlines(keepends=True))


def _file_named(filename: str, names: dict[str, Any]) -> SourceFile | None:
    linecache.checkcache(filename)
    lines = [] if filename == _COMMAND else linecache.getlines(filename, names)
    return _files.parsed(filename, lines) if lines else None


def _texts_of_command() -> Iterator[str]:
    """Yields what `python -c` was given."""
    lines = linecache.getlines(_COMMAND)  # from 3.13 on, as it was compiled
    if lines:
        yield "".join(lines)
    elif sys.argv[:1] == ["-c"]:
        for option, following in pairwise([*sys.orig_argv, ""]):
            found = _OPTION_C.fullmatch(option)
            if found is not None:
                yield found[1] or following
                return


def _parse(filename: str, lines: list[str]) -> SourceFile:
    text = "".join(lines)
    tree = _compiled(text, filename, ast.PyCF_ONLY_AST)
    special = _special(tree.body, may_mention_super=_BARE_SUPER.search(text) is not None)
    return SourceFile(filename, lines, tree, special)


def _special(body: Sequence[ast.stmt], *, may_mention_super: bool) -> frozenset[str]:
    found = frozenset(_imports(body))
    if may_mention_super and any(_mentions(one, "super") for one in body):
        found |= {"super"}
    return found


def _compiled(text: str, filename: str, mode: int = 0) -> Any:
    try:
        return compile_quietly(text, filename, mode=mode)
    except SyntaxError as error:
        raise ConversionError(
            f"not valid Python: {error.msg}",
            filename=filename,
            lineno=error.lineno,
            col=error.offset,
        ) from None
    except ValueError as error:
        raise ConversionError(f"not valid Python: {error}", filename=filename) from None


# Functions


def _plain_function(function: Callable[..., object]) -> FunctionType:
    plain: object = function
    while isinstance(plain, MethodType | classmethod | staticmethod):
        plain = plain.__func__
    if isinstance(plain, FunctionType):
        return plain
    name = getattr(function, "__qualname__", None) or repr(function)
    raise ConversionError(
        f"{name} is {_kind(plain)}, which has no Python source",
        variable=name,
        hint="pass a function or method written in Python",
    )


def _kind(value: object) -> str:
    if isinstance(value, type):
        return "a class"
    return f"an object of type {type(value).__qualname__}"


def _find(file: SourceFile, code: CodeType) -> Found | None:
    at_line = _find_at_line(file, code, (same_place, same_code, same_but_asserts))
    return at_line or _find_elsewhere(file, code)


def _find_in_place(file: SourceFile, code: CodeType) -> Definition | None:
    found = _find_at_line(file, code, (same_place, same_but_asserts))
    return None if found is None else found[0]


def _find_at_line(file: SourceFile, code: CodeType, ways: Sequence[Comparison]) -> Found | None:
    """An equal definition on the same line, in the first of these ways that one is."""
    here = _named(code, _at_line(file.tree, code.co_firstlineno, (), ""))
    candidates = [(one, _compilations(file, one, code)) for one in here]
    for same in ways:
        for one, compiled in candidates:
            if any(same(code, each, one[0]) for each in compiled):
                return one
    return None


def _find_elsewhere(file: SourceFile, code: CodeType) -> Found | None:
    """An equal definition on other lines: the file may have changed around the function."""
    path = code.co_qualname.replace("<locals>.", "")
    everywhere = list(_named(code, _all_definitions(file.tree, (), "")))
    for one in sorted(everywhere, key=lambda one: one[2] != path):
        compiled = _compilations(file, one, code)
        if any(same_code(code, each, one[0]) for each in compiled):
            return one
    return None


def _named(code: CodeType, found: Iterator[Found]) -> Iterator[Found]:
    return (one for one in found if code.co_name == getattr(one[0], "name", "<lambda>"))


def _compilations(file: SourceFile, found: Found, code: CodeType) -> list[CodeType]:
    """The code of a definition as a file has it, and as prompts have it, which compile each
    statement alone: what is called on a name compiles differently where that name is imported.
    """
    node, owners, _ = found
    names = _names(code)
    around = [one for one in file.tree.body if one.lineno <= node.lineno <= (one.end_lineno or 0)]
    alone = _special(around, may_mention_super="super" in file.special)
    specials = {file.special & names, alone & names}
    return [
        compile_definition(
            node,
            free=code.co_freevars,
            owner=owners[-1] if owners else None,
            like=code,
            special=sorted(special),
        )
        for special in sorted(specials, key=len, reverse=True)
    ]


def _names(code: CodeType) -> set[str]:
    return {
        name
        for nested in nested_codes(code)
        for names in (nested.co_names, nested.co_varnames, nested.co_cellvars, nested.co_freevars)
        for name in names
    }


def _not_the_source(function: FunctionType) -> ConversionError:
    return ConversionError(
        f"the source of {function.__qualname__} is not what was imported: "
        "the file changed after import, or an import hook rewrote the code",
        filename=function.__code__.co_filename,
        lineno=function.__code__.co_firstlineno,
        variable=function.__qualname__,
        hint=_CHANGED,
    )


def _no_source(function: FunctionType) -> ConversionError:
    filename = function.__code__.co_filename
    if filename.startswith("<"):
        why = f"{function.__qualname__} was not read from a file, so its source is not known"
    else:
        why = f"the source of {function.__qualname__} cannot be read any more"
    return ConversionError(
        why,
        filename=filename,
        lineno=function.__code__.co_firstlineno,
        variable=function.__qualname__,
        hint=_MOVE,
    )


def _no_definition(file: SourceFile, path: str) -> ConversionError:
    import difflib  # a first conversion need not wait for it

    paths = list(dict.fromkeys(found for found, _ in _named_statements(file.tree.body, "")))
    close = difflib.get_close_matches(path, paths, n=3)
    shown = ", ".join(paths[:_MOST_NAMES]) + (", ..." if len(paths) > _MOST_NAMES else "")
    hints = [
        f"did you mean {', '.join(close)}?" if close else "",
        f"there are: {shown}" if paths else "nothing is defined there by `def` or `class`",
    ]
    return ConversionError(
        f"no function or class {path}",
        filename=file.filename,
        variable=path,
        hint="\n  ".join(filter(None, hints)),
    )


# Walking


def _first_line(node: Any) -> int:
    decorators = getattr(node, "decorator_list", None)
    first: int = decorators[0].lineno if decorators else node.lineno
    return first


def _at_line(node: ast.AST, line: int, owners: tuple[str, ...], path: str) -> Iterator[Found]:
    """The definitions that begin at a line, outer ones first."""
    for child, inner_owners, inner_path in _children(node, owners, path):
        if "lineno" in child._attributes and not _spans(child, line):
            continue
        if isinstance(child, Definition) and _first_line(child) == line:
            yield child, inner_owners, _join(inner_path, child)
        yield from _at_line(child, line, inner_owners, inner_path)


def _all_definitions(node: ast.AST, owners: tuple[str, ...], path: str) -> Iterator[Found]:
    for child, inner_owners, inner_path in _children(node, owners, path):
        if isinstance(child, Definition):
            yield child, inner_owners, _join(inner_path, child)
        yield from _all_definitions(child, inner_owners, inner_path)


def _spans(node: Any, line: int) -> bool:
    if isinstance(node, ast.FormattedValue):
        return True  # up to Python 3.11, what stands inside an f-string may have wrong lines
    return bool(_first_line(node) <= line <= node.end_lineno)


def _children(
    node: ast.AST, owners: tuple[str, ...], path: str
) -> Iterator[tuple[Any, tuple[str, ...], str]]:
    """The child nodes, each with the classes and the path around it."""
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield from ((child, owners, path) for child in ast.iter_child_nodes(node))
        return
    inside = set(map(id, node.body))
    inner_owners = (*owners, node.name) if isinstance(node, ast.ClassDef) else owners
    inner_path = _join(path, node)
    for child in ast.iter_child_nodes(node):
        if id(child) in inside:
            yield child, inner_owners, inner_path
        else:
            yield child, owners, path


def _join(path: str, node: Any) -> str:
    name = getattr(node, "name", "<lambda>")
    return f"{path}.{name}" if path else name


def statements_at(body: Sequence[ast.stmt], line: int) -> Iterator[ast.stmt]:
    """Yields the statements that a line is in, outer ones first."""
    for statement in body:
        if statement.lineno <= line <= (statement.end_lineno or 0):
            yield statement
            for block in _blocks(statement):
                yield from statements_at(block, line)


def _definitions(
    body: Sequence[Any], owners: tuple[str, ...], path: str, *, nested: bool = False
) -> Iterator[tuple[Any, tuple[str, ...], str]]:
    """The functions in a list of statements, of ast or of gast, in order."""
    for statement in body:
        inner_owners, inner_path = owners, path
        if isinstance(statement, _FUNCTIONS):
            yield statement, owners, _join(path, statement)
            if not nested:
                continue
            inner_path = _join(path, statement)
        elif isinstance(statement, _CLASSES):
            inner_owners, inner_path = (*owners, statement.name), _join(path, statement)
        for block in _blocks(statement):
            yield from _definitions(block, inner_owners, inner_path, nested=nested)


def _named_statements(body: Sequence[ast.stmt], path: str) -> Iterator[tuple[str, ast.stmt]]:
    """The functions and classes in a list of statements, by their paths."""
    for statement in body:
        inner = path
        if isinstance(statement, _FUNCTIONS + _CLASSES):
            inner = _join(path, statement)
            yield inner, statement
        for block in _blocks(statement):
            yield from _named_statements(block, inner)


def _blocks(statement: Any) -> Iterator[list[Any]]:
    yield from (getattr(statement, name, []) for name in ("body", "orelse", "finalbody"))
    for parts in ("handlers", "cases"):
        yield from (part.body for part in getattr(statement, parts, ()))


def _imports(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that the statements of a module import, also conditionally."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif not isinstance(statement, _FUNCTIONS + _CLASSES):
            for block in _blocks(statement):
                yield from _imports(block)


def _mentions(node: ast.AST, name: str) -> bool:
    """Whether a name occurs in the scope of a module itself."""
    if name in (getattr(node, "id", None), getattr(node, "name", None)):
        return True
    if isinstance(node, ast.Lambda):
        return _mentions(node.args, name)
    inside = node.body if isinstance(node, _FUNCTIONS + _CLASSES) else []
    children = (child for child in ast.iter_child_nodes(node) if child not in inside)
    return any(_mentions(child, name) for child in children)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, gast.FunctionDef, gast.AsyncFunctionDef)
_CLASSES = (ast.ClassDef, gast.ClassDef)
