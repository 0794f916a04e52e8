"""Objects and variables from outside of a traced function: which of them a call may change."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

from autograph.backend import GlobalVariable
from autograph.mutation.users_code import is_users, is_users_class
from autograph.objects import is_namespace, namespace_of

DICTS = frozenset((dict, OrderedDict, defaultdict, Counter))
"""The classes of which the items are carried; one of the user's may keep more, or act on changes.
"""

CONTAINERS = (list, dict, set, deque)
"""The classes of containers that a program changes in place."""

_OTHERS = frozenset((list, CellType, FunctionType, SimpleNamespace))


def place_key(item: Any) -> Any:
    """The key of what a block may change: of a global variable its namespace and name; an object
    and its `__dict__` have one.
    """
    if type(item) is GlobalVariable:
        return id(item.namespace), item.name
    namespace = namespace_of(item)
    return id(item) if namespace is None else (id(namespace), dict)


def is_variable_of_python(item: Any) -> bool:
    """True for a captured variable, and for a global one."""
    return type(item) is CellType or type(item) is GlobalVariable


def outlives_calls(item: Any) -> bool:
    """True for what a call may find, and change, of the user's."""
    kind = type(item)
    if kind is GlobalVariable:
        return is_users(str(item.namespace.get("__name__", "")))
    if kind in _OTHERS or kind in DICTS:
        return True
    return is_users_class(item if isinstance(item, type) else kind) or is_namespace(kind)
