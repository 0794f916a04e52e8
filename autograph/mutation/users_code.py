"""The distinction of the user's classes and functions from those of libraries."""

from __future__ import annotations

import sys
from functools import lru_cache
from types import FunctionType, ModuleType
from weakref import WeakKeyDictionary

from autograph.backend import stand_ins
from autograph.frames import is_library
from autograph.objects import module_of
from autograph.policy import forgetting, is_annotate, is_in_converted_package, is_installed_file


def is_users_function(function: FunctionType) -> bool:
    return not is_annotate(function) and is_users(str(function.__globals__.get("__name__", "")))


def is_users_class(cls: type) -> bool:
    known = _users.get(cls)
    if known is None:
        known = _users[cls] = is_users(module_of(cls)) or _is_made_at_run_time(cls)
    return known


def is_users_module(module: ModuleType) -> bool:
    """By the name that the module had when it was met: code may give it another."""
    known = _users.get(module)
    if known is None:
        known = _users[module] = is_users(module.__name__)
    return known


def _is_made_at_run_time(cls: type) -> bool:
    # `type(...)` and `make_dataclass(...)` name the module that called them, not the user's.
    if cls.__flags__ & _OF_STATEMENTS != _OF_STATEMENTS & ~_OF_C or "." in cls.__qualname__:
        return False
    if cls in stand_ins:  # which go by the names of what they stand for
        return False
    module = sys.modules.get(module_of(cls))
    return module is not None and not hasattr(module, cls.__qualname__)


@lru_cache(1024)
def is_users(module: str) -> bool:
    return not is_installed(module) or (is_in_converted_package(module) and not is_library(module))


@lru_cache(1024)
def is_installed(module: str) -> bool:
    """True for a module that nobody changes: of a library, or of a package, converted or not."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or is_library(module):
        return True
    # Not by getattr, which a module may answer with whatever it likes.
    filename = str(getattr(sys.modules.get(top), "__dict__", {}).get("__file__"))
    return is_installed_file(filename)


_users: WeakKeyDictionary[type | ModuleType, bool] = WeakKeyDictionary()
forgetting.extend((is_users.cache_clear, _users.clear))
_OF_C = 1 << 7 | 1 << 8
"""Flags of types that cannot be called, or not be changed: only C code makes them so."""

_OF_STATEMENTS = 1 << 9 | 1 << 10 | _OF_C
"""These, and the two that each type has which Python made: it lives on the heap, and has heirs."""
