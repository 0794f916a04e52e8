"""Errors: what is wrong, where in the user's file, why, and what to write instead."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from typing import Any, Self

from autograph.cells import format_place, pointer_to
from autograph.users_words import in_users_words, is_generated


class AutographError(Exception):
    """Base of all errors about the user's code.

    Attributes:
        message: what is wrong, and why.
        filename: the user's file, or None where it is not known.
        lineno: line in that file, from 1.
        col: column in characters, from 1.
        variable: the user's variable that the error is about.
        hint: what to write instead.

    >>> try:
    ...     autograph.to_code(print)
    ... except autograph.AutographError as error:
    ...     error.hint
    'convert the function that calls it'
    """

    def __init__(
        self,
        message: str = "",
        *,
        filename: str | None = None,
        lineno: int | None = None,
        col: int | None = None,
        variable: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.filename = filename
        self.lineno = lineno
        self.col = col
        self.variable = variable
        self.hint = hint

    @classmethod
    def at(
        cls,
        node: ast.AST | None,
        message: str,
        *,
        filename: str | None = None,
        variable: str | None = None,
        hint: str | None = None,
    ) -> Self:
        """The error placed at `node`; a node without a position leaves the place unknown."""
        lineno: int | None = getattr(node, "lineno", None)
        offset: int | None = getattr(node, "col_offset", None)
        col = None if offset is None else _column(filename, lineno, offset)
        return cls(message, filename=filename, lineno=lineno, col=col, variable=variable, hint=hint)

    @property
    def location(self) -> str:
        """`file:line:col`, as far as it is known; a cell of a notebook is `Cell In[7]`."""
        return format_place(self.filename, self.lineno, self.col)

    def __str__(self) -> str:
        text = f"{self.location}: {self.message}" if self.location else self.message
        text += pointer_to(self.filename, self.lineno, self.col)
        return f"{text}\n  {self.hint}" if self.hint else text


class ConversionError(AutographError):
    """Source that is missing, changed, invalid, or uses an unsupported construct.

    >>> autograph.to_code(print)
    Traceback (most recent call last):
    autograph.errors.ConversionError: <built-in function print> has no source in Python...
    """


class StagingError(AutographError, ValueError):
    """Structures that differ where two paths join, or a construct refused while staging.

    >>> class Staged:
    ...     pass
    >>> autograph.register_backend(Staged, autograph.Backend())
    >>> autograph.convert(lambda x: not x)(Staged())
    Traceback (most recent call last):
    autograph.errors.StagingError: ...`not` cannot depend on a staged value of type Staged...
    """

    def __init__(self, message: str = "", *, variable: str | None = None, **fields: Any) -> None:
        users = variable is None or not is_generated(variable)
        super().__init__(in_users_words(message), variable=variable if users else None, **fields)


class RestIsStaged(StagingError):
    """Raised by the `items` of a `for` when its body has changed them into staged ones. The loop
    continues over `rest(proceed)`, as a loop of their backend. A loop that is not converted cannot,
    and ends with this error; `rest` is None for those around it. `again()` is told where a loop
    that began with the rest has not gone on.
    """

    items: Any
    rest: Callable[[Any], Any] | None
    again: Callable[[], Any]


def _column(filename: str | None, lineno: int | None, offset: int) -> int:
    # Nodes count UTF-8 bytes; people and editors count characters.
    if filename is None or lineno is None:
        return offset + 1
    line = linecache.getline(filename, lineno)
    return len(line.encode()[:offset].decode(errors="replace")) + 1 if line else offset + 1
