"""Objects of the standard library and of installed packages.

Their attributes and slots are compared like those of the user's own objects. State in C cannot be
compared: a type with such state is known to be immutable, or its objects count as hidden.
"""

from __future__ import annotations

import _thread
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from autograph.frames import is_library
from autograph.mutation.instances import InstanceKind
from autograph.mutation.users_code import is_users_class
from autograph.objects import keeps_state_in_python, module_of

_UNCHANGING_MODULES = frozenset((
    "builtins", "types", "typing", "abc", "_abc", "inspect", "enum", "numbers", "operator",
    "_operator", "functools", "datetime", "_datetime", "_pydatetime", "zoneinfo", "fractions",
    "uuid", "pathlib", "pathlib._local", "re", "_sre", "ipaddress", "_struct",
    "dataclasses", "ctypes", "_ctypes", "_thread._localdummy", "itertools", "_contextvars",
))  # fmt: skip
"""Modules whose classes, but for those that are looked at, have objects that never change."""

_MIXINS = frozenset(("abc", "typing", "types", "collections.abc", "_collections_abc"))
_UNCHANGING = frozenset((
    ("decimal", "Decimal"), ("collections", "_tuplegetter"), ("_collections", "_tuplegetter"),
    ("email._policybase", "Compat32"), ("email.policy", "EmailPolicy"), ("_thread", "lock"),
    ("_thread", "RLock"),
))  # fmt: skip
_CHANGING = frozenset((
    ("re", "SRE_Scanner"), ("_sre", "SRE_Scanner"), ("builtins", "coroutine"),
    ("inspect", "BoundArguments"),
))  # fmt: skip


def is_foreign(kind: type) -> bool:
    """Whether it is a class of the standard library or of an installed package."""
    return not is_library(module_of(kind)) and not is_users_class(kind)


def is_unchanging(kind: type) -> bool:
    """Whether objects of the class, as far as they are not looked at, never change."""
    known = _unchanging.get(kind)
    if known is None:
        bases = [base for base in kind.__mro__[1:-1] if module_of(base) not in _MIXINS]
        known = _unchanging[kind] = any(map(_is_unchanging, (kind, *bases)))
    return known


def _is_unchanging(kind: type) -> bool:
    name = module_of(kind), kind.__qualname__
    if name in _CHANGING:
        return False
    if name in _UNCHANGING or module_of(kind) in _UNCHANGING_MODULES:
        return True
    return module_of(kind).partition(".")[0] == "numpy" and not keeps_state_in_python(kind)


class ForeignKind(InstanceKind):
    """Attributes, but for those that the class computes when they are first asked for."""

    def take(self, value: Any) -> dict[str, Any]:
        state, computed = super().take(value), _computed(type(value))
        return {name: state[name] for name in state if name not in computed} if computed else state


def _computed(kind: type) -> frozenset[str]:
    known = _computing.get(kind)
    if known is None:
        members = [item for base in kind.__mro__ for item in list(vars(base).items())]
        names = [name for name, member in members if isinstance(member, cached_property)]
        known = _computing[kind] = frozenset(names)
    return known


LOCKS = (type(_thread.allocate_lock()), _thread.RLock)
"""The classes whose methods take and give back in balance; a call of one by itself may not be."""

_unchanging: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
_computing: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()
