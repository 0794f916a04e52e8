"""The table of the kinds of state that the objects of a type have."""

from __future__ import annotations

import os
import weakref
from array import array
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextvars import Context, ContextVar
from functools import lru_cache, partial
from io import IOBase
from operator import itemgetter, methodcaller
from threading import local
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from weakref import WeakKeyDictionary

from autograph.frames import is_library
from autograph.mutation.containers import (
    ArrayKind,
    BytesKind,
    DictKind,
    EnvironmentKind,
    MemoryKind,
    SequenceKind,
    SetKind,
    elements_of,
    held_of,
    members_of,
    options_of,
    referent_of,
    referents_of,
)
from autograph.mutation.foreign import LOCKS, ForeignKind, is_unchanging
from autograph.mutation.functions import (
    BuiltinMethodKind,
    FunctionKind,
    MethodKind,
    NamedFunctionKind,
    Unconverted,
    UnconvertedKind,
    applied_by,
    remembered_by,
)
from autograph.mutation.instances import (
    ArgumentsKind,
    CauseKind,
    ClassKind,
    InstanceKind,
    OwnClassKind,
)
from autograph.mutation.iterators import GeneratorKind, IteratorKind
from autograph.mutation.kinds import Kind
from autograph.mutation.paths import ATOMS, as_itself
from autograph.mutation.standard import BY_NAME, IN_MEMORY
from autograph.mutation.users_code import is_users_class
from autograph.mutation.variables import (
    VARIABLES,
    ContextKind,
    ContextVariableKind,
    LibraryModuleKind,
    ModuleKind,
    Named,
)
from autograph.objects import (
    MISSING,
    is_namespace,
    keeps_state_in_python,
    module_of,
    of_classes,
)
from autograph.policy import forgetting


def kinds_of(kind: type) -> tuple[Kind, ...]:
    """The kinds of state that the objects of a type have; none for what cannot change."""
    known = _KINDS.get(kind)
    if known is not None:
        return known
    found = _found.get(kind)
    if found is None:
        found = _found[kind] = tuple(_find_kinds(kind))
    return found


def _find_kinds(kind: type) -> Iterator[Kind]:
    if issubclass(kind, type):
        yield _CLASS
        return
    if _has(kind, "__array_interface__") and _has(kind, "__setitem__"):
        yield _ARRAY
        return
    if getattr(kind, "may_be_missing", False):
        yield _HOLDER
        return
    if getattr(kind, "is_one_of_options", False):
        yield _CHOICE
        return
    yield from (found for base, found in _CONTAINERS if issubclass(kind, base))
    named = next((_named(base) for base in kind.__mro__ if _named(base)), None)
    if named is not None:
        yield named
    if module_of(kind) in ("builtins", "itertools", "collections") and _has(kind, "__next__"):
        yield _GENERATOR if issubclass(kind, GeneratorType) else _ITERATOR
    if issubclass(kind, BaseException):
        yield _ARGUMENTS
        yield _CAUSE
        yield _INSTANCE
    elif any(module_of(base) == "_ctypes" for base in kind.__mro__):
        yield _MEMORY
    elif is_users_class(kind):
        yield _INSTANCE
        yield _OWN_CLASS
    elif module_of(kind) in _OPEN or is_namespace(kind):
        yield _INSTANCE
    elif named is None and _is_looked_into(kind):
        yield FOREIGN


def _has(kind: type, name: str) -> bool:
    # A descriptor is not run: that of a MagicMock makes another one, of a class of its own.
    return of_classes(kind.__mro__, name) is not MISSING


def _named(kind: type) -> Kind | None:
    return BY_NAME.get((module_of(kind), kind.__qualname__))


def _is_looked_into(kind: type) -> bool:
    known = is_library(module_of(kind)) or is_unchanging(kind)
    return not known and kind is not object and keeps_state_in_python(kind)


def is_hidden(kind: type) -> bool:
    """Whether objects of a type may have mutable state that cannot be compared."""
    if issubclass(kind, LOCKS):
        return True
    if is_library(module_of(kind)) or is_unchanging(kind) or keeps_state_in_python(kind):
        return False
    if issubclass(kind, IOBase):
        return not issubclass(kind, IN_MEMORY)
    return all(found in (_INSTANCE, FOREIGN) for found in kinds_of(kind))


def may_change(kind: type) -> bool:
    """Whether it is a foreign type of which objects are looked into, or hidden."""
    return is_hidden(kind) or any(found in _FOREIGN for found in kinds_of(kind))


_found: WeakKeyDictionary[type, tuple[Kind, ...]] = WeakKeyDictionary()
forgetting.append(_found.clear)
_OPEN = frozenset((
    "_thread", "_threading_local", "_weakrefset", "argparse", "collections", "queue", "types",
    "weakref",
))  # fmt: skip
"""Modules of the standard library whose classes written in Python are looked into."""

_ARRAY = ArrayKind()
_CLASS = ClassKind()
_INSTANCE = InstanceKind()
_OWN_CLASS = OwnClassKind()
FOREIGN = ForeignKind()
_FOREIGN = (FOREIGN, *BY_NAME.values())
_ARGUMENTS = ArgumentsKind()
_CAUSE = CauseKind()
_HOLDER = Kind(held_of)
_CHOICE = Kind(options_of)
_MEMORY = MemoryKind()
_ITERATOR = IteratorKind()
_GENERATOR = GeneratorKind()
_OF_MODULES = (ModuleKind(), LibraryModuleKind())
_VIEWS: tuple[type, ...] = (
    slice, MappingProxyType, type({}.keys()), type({}.values()), type({}.items()),
    methodcaller, itemgetter,
)  # fmt: skip
_CONTAINERS: tuple[tuple[type, Kind], ...] = (
    (list, SequenceKind(list)),
    (deque, SequenceKind(deque)),
    (OrderedDict, DictKind(OrderedDict)),
    (dict, DictKind(dict)),
    (set, SetKind()),
    (bytearray, BytesKind()),
    (array, BytesKind()),
    (memoryview, _MEMORY),
    (type(os.environ), EnvironmentKind()),
    (tuple, Kind(elements_of)),
    (frozenset, Kind(members_of)),
    (MethodType, MethodKind()),
    (BuiltinFunctionType, BuiltinMethodKind()),
    (partial, Kind(applied_by)),
    (local, _INSTANCE),
    (ContextVar, ContextVariableKind()),
    (Context, ContextKind()),
    *((ModuleType, kind) for kind in _OF_MODULES),
    (weakref.ref, Kind(referent_of)),
    (type(lru_cache(as_itself)), Kind(remembered_by)),
    *((kind, Kind(referents_of)) for kind in _VIEWS),
)
_KINDS: dict[type, tuple[Kind, ...]] = {
    **{kind: () for kind in ATOMS},
    **{kind: (found,) for kind, found in _CONTAINERS},
    **{kind: (found,) for kind, found in VARIABLES.items()},
    partial: (Kind(applied_by), _INSTANCE),
    ModuleType: _OF_MODULES,
    type(lru_cache(as_itself)): (Kind(remembered_by), _INSTANCE),
    Unconverted: (UnconvertedKind(),),
    Named: (NamedFunctionKind(),),
    FunctionType: (FunctionKind(), _INSTANCE),
}
