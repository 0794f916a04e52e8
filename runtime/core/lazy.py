"""Names of a package that are imported when they are first asked for (PEP 562).

A table gives, for each module, the names that it supplies. For type checkers the package imports
the same names under `TYPE_CHECKING`; a test compares both with the modules.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

IMPORTED = time.time()
"""When the first modules of the library were imported."""


def attributes(
    package: str, names: Mapping[str, str], modules: str = "", extras: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package.

    Args:
        names: from a module to the names that it supplies, separated by spaces.
        modules: the package's own modules that are attributes of it, separated by spaces.
        extras: further ones, and modules in them that are attributes too, which need an optional
            extra; they are not listed.
    """
    suppliers = {name: module for module, listed in names.items() for name in listed.split()}
    own = frozenset(modules.split())
    optional = {path.rpartition(".")[2]: path for path in extras.split()}

    def get(name: str) -> Any:
        if name in own:
            return import_module(f"{package}.{name}")
        if name in optional:
            return _optional(f"{package}.{optional[name]}")
        if name not in suppliers:
            raise _absent(package, name)
        load(package, suppliers[name], names)
        return vars(sys.modules[package])[name]

    def listed() -> list[str]:
        held = vars(sys.modules[package]).items()
        known = {name for name, value in held if name[0] != "_" and _module_of(value) in _OURS}
        return sorted(known | suppliers.keys() | own)

    return get, listed


def _absent(module: str, name: str) -> AttributeError:
    from runtime.core.absent import AbsentName

    return AbsentName(module, name)


def _explains(module: str) -> None:
    """Let a namespace say why it lacks a name. (One that were written there would hide from type
    checkers that it does.)
    """

    def get(name: str) -> Any:
        raise _absent(module, name)

    vars(sys.modules[module]).setdefault("__getattr__", get)


class Explaining(type):
    """The class of a namespace that is a class: it says why it lacks a name."""

    if not TYPE_CHECKING:  # which would not see any more that it does

        def __getattr__(cls, name: str) -> Any:
            raise _absent(f"{cls.__module__}.{cls.__qualname__}", name)


def _optional(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError as error:
        raise AttributeError(str(error)) from error


_OURS = ("runtime", None)


def _module_of(value: Any) -> str | None:
    """The top of the package that a value belongs to; modules belong to none of them."""
    if isinstance(value, ModuleType):
        return ""
    module = getattr(value, "__module__", None)
    return module and module.partition(".")[0]


def public(module: str, more: str = "") -> Callable[[], list[str]]:
    """The `__dir__` of a namespace: the public names that it defines, not those that it uses, and
    `more` of them, separated by spaces. What it lacks is explained from then on.
    """
    _explains(module)

    def listed() -> list[str]:
        held = vars(sys.modules[module]).items()
        own = {name for name, value in held if getattr(value, "__module__", None) == module}
        return sorted({name for name in own if name[0] != "_"}.union(more.split()))

    return listed


def facade(module: str, more: str = "") -> Callable[[], list[str]]:
    """The `__dir__` of a namespace that only gives names to what other modules define, and `more`
    of them, separated by spaces. What it lacks is explained from then on.
    """
    _explains(module)

    def listed() -> list[str]:
        held = vars(sys.modules[module]).items()
        own = {n for n, value in held if n[0] != "_" and not isinstance(value, ModuleType)}
        return sorted(own.union(more.split()))

    return listed


def load(package: str, module: str, names: Mapping[str, str]) -> None:
    """Import a module of the table, and put what it supplies into the package."""
    supplied = import_module(module)
    vars(sys.modules[package]).update(
        {name: getattr(supplied, name) for name in names[module].split()}
    )
