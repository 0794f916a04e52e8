"""Name scopes: prefixes for the names of variables and ops."""

from __future__ import annotations

import re
import threading

from runtime.core.state import state

_VALID = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class _Names(threading.local):
    def __init__(self) -> None:
        self.prefix = ""


_names = _Names()


def scoped(name: str) -> str:
    """`name` with the prefixes of the open scopes before it."""
    return _names.prefix + name


def replace_scopes(prefix: str) -> str:
    """Let names have another prefix on this thread, as where a function is traced that is called in
    a scope. Returns the one that they had.
    """
    before, _names.prefix = _names.prefix, prefix
    return before


class name_scope:
    """Inside this block names of variables begin with `name/`.

    Scopes may be nested, and entered again: in a graph that is another scope, which has a number.

    A name that ends in "/" replaces the open scopes, an empty name leaves all of them. In a graph,
    ValueError is raised for characters that its names cannot have.

    >>> with rt.name_scope("outer"):
    ...     v = rt.Variable(1., name="inner")
    >>> v.name
    'outer/inner:0'
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: object = None
    ) -> None:
        chosen = default_name if name is None else name
        if chosen is not None and not isinstance(chosen, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = chosen or ""
        self._before: list[str] = []

    @property
    def name(self) -> str:
        """The name as given."""
        return self._name

    def __enter__(self) -> str:
        if state.trace is not None and not _VALID.match(self._name):
            raise ValueError(f"'{self._name}' is not a valid scope name in a graph")
        self._before.append(_names.prefix)
        if not self._name:
            _names.prefix = ""
        elif self._name.endswith("/"):
            _names.prefix = self._name
        else:
            name = scoped(self._name)
            _names.prefix = (name if state.trace is None else state.trace.unique(name)) + "/"
        return _names.prefix

    def __exit__(self, *exception: object) -> None:
        _names.prefix = self._before.pop()


def get_current_name_scope() -> str:
    """The name of the open scopes, "" outside of all.

    >>> with rt.name_scope("outer"), rt.name_scope("inner"):
    ...     rt.get_current_name_scope()
    'outer/inner'

    In a function these are the scopes that it opens, not those that it is called in.
    """
    return _names.prefix.rstrip("/")
