"""Python objects below what their classes override: attributes and slots, cells, and the members
that Python calls by itself. Nothing here runs code of the user's.

Snapshots, guards and staged blocks walk objects by it.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Collection, Iterable
from functools import cached_property, partialmethod
from threading import local
from types import FunctionType, MemberDescriptorType
from typing import Any, Final
from weakref import WeakKeyDictionary

from autograph.codes import makes_generators


class _Missing:
    def __repr__(self) -> str:
        return "<missing>"


MISSING: Final = _Missing()
"""In place of an attribute, an item or the content of a variable that is not there."""


# Classes


def module_of(cls: type) -> str:
    """The module of a class: it may say anything, one of C code may have a descriptor there, and
    one that code without a module has made has none.
    """
    return str(getattr(cls, "__module__", None))


def is_namespace(cls: type) -> bool:
    """Whether a library says of a class, but not of its subclasses, that its objects have the
    attributes that users give them.
    """
    return bool(cls.__dict__.get("is_namespace", False))


# Attributes


def own_of(value: Any) -> Any:
    """The `__dict__` of an object; None if it has none, or a class of its own hides it."""
    cls = type(value)
    if hides_its_own(cls):
        return None
    if issubclass(cls, local):  # of which a subclass has another one beside that of the thread
        return local.__getattribute__(value, "__dict__")
    return object.__getattribute__(value, "__dict__") if cls.__dictoffset__ else None


def hides_its_own(cls: type) -> bool:
    """True if a class of the user's says what `__dict__` is, in place of Python."""
    for base in cls.__mro__:
        if "__dict__" in base.__dict__:
            return type(base.__dict__["__dict__"]) in _PYTHON_CODE
    return False


def slots_of(cls: type) -> tuple[str, ...]:
    """The names of the slots of a class and its bases, but for those that a property hides, and for
    those in which a library's own namespaces hold what is no attribute.
    """
    known = _slots.get(cls)
    if known is None:
        bases = () if is_namespace(cls) else cls.__mro__
        slotted = [base for base in bases if "__slots__" in vars(base)]
        names = {
            name: None
            for base in slotted
            for name, member in list(vars(base).items())
            if type(member) is MemberDescriptorType and of_classes(cls.__mro__, name) is member
        }
        known = _slots[cls] = tuple(names)
    return known


def keeps_state_in_python(kind: type) -> bool:
    """Whether the objects of a class have nothing but attributes and slots."""
    if is_namespace(kind):
        return True
    fields = len(slots_of(kind)) + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    return kind.__basicsize__ <= object.__basicsize__ + fields * _POINTER


def namespace_of(value: Any) -> Any:
    """The dict that holds all that an object has, and that may be known by itself too, as by
    `vars(o)`: what is done to the one is done to the other. None where there is none, or more.
    """
    kind = type(value)
    if kind is dict:
        return value
    if kind is not FunctionType and (slots_of(kind) or not keeps_state_in_python(kind)):
        return None
    return own_of(value)


def slot_of(value: Any, name: str) -> Any:
    """Returns what is in a slot of an object, or MISSING."""
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Returns what is in the slots of an object and elsewhere; None where it can have nothing."""
    slots, own = slots_of(type(value)), own_of(value)
    if not slots:
        return None if own is None else dict(own)
    state = {name: slot_of(value, name) for name in slots} | (own or {})
    return {name: child for name, child in state.items() if child is not MISSING}


def put_attributes(value: Any, state: dict[str, Any]) -> None:
    """Let an object have just these attributes."""
    slots, own = slots_of(type(value)), own_of(value)
    for name in slots:
        _put_slot(value, name, state.get(name, MISSING))
    if own is not None:
        own.clear()
        own |= {name: state[name] for name in state if name not in slots}


def attribute_of(value: Any, name: str) -> Any:
    """An attribute of an object's, or a class's, own; or MISSING."""
    own = members_of(value) if isinstance(value, type) else own_of(value)
    if own is not None and name in own:
        return own[name]
    return slot_of(value, name) if name in slots_of(type(value)) else MISSING


def put_attribute(value: Any, name: str, new: Any) -> None:
    """Set an attribute of an object's, or a class's, own; MISSING takes it away."""
    if isinstance(value, type):
        if new is not MISSING:
            type.__setattr__(value, name, new)
        elif name in vars(value):
            type.__delattr__(value, name)
    elif name in slots_of(type(value)):
        _put_slot(value, name, new)
    elif new is MISSING:
        own_of(value).pop(name, None)
    else:
        own_of(value)[name] = new


def _put_slot(value: Any, name: str, new: Any) -> None:
    slot = of_classes(type(value).__mro__, name)  # an object of C may refuse `object.__setattr__`
    if new is not MISSING:
        slot.__set__(value, new)
    elif slot_of(value, name) is not MISSING:
        slot.__delete__(value)


def of_classes(classes: Iterable[type], name: str) -> Any:
    """Returns the value of the first class that has an attribute, or MISSING; a descriptor is not
    run.
    """
    for base in classes:
        found = users_member(base.__dict__.get(name, MISSING))
        if found is not MISSING:
            return found
    return MISSING


def members_of(cls: type) -> dict[str, Any]:
    """The attributes that a class has of its own, as the user wrote them."""
    members = [(name, users_member(member)) for name, member in list(vars(cls).items())]
    return {name: member for name, member in members if member is not MISSING}


STANDS_IN: Final = "stands in for its __wrapped__"
"""The attribute of a function that a class has in place of the user's, while that is staged."""


class ConvertedProperty(property):
    """The property that a class has in place of the user's, while that is staged."""

    def __init__(self, wrapped: property, functions: tuple[Any, Any, Any]) -> None:
        fget, fset, fdel = functions
        super().__init__(fget, fset, fdel, wrapped.__doc__)
        self.__wrapped__ = wrapped


class ConvertedCachedProperty(cached_property[Any]):
    """The cached property that a class has in place of the user's, while that is staged."""

    def __init__(self, wrapped: cached_property[Any], function: Any) -> None:
        super().__init__(function)
        self.attrname = wrapped.attrname
        self.__doc__ = wrapped.__doc__
        self.__wrapped__ = wrapped


_STAND_INS = frozenset((ConvertedProperty, ConvertedCachedProperty))


def users_member(member: Any) -> Any:
    """A member of a class as the user wrote it; MISSING for one that is there only meanwhile."""
    kind = type(member)
    if kind in _STAND_INS or (kind is FunctionType and STANDS_IN in member.__dict__):
        return member.__wrapped__
    return member


def is_generator_function(function: Any) -> bool:
    """Whether a call of it makes a generator."""
    return type(function) is FunctionType and makes_generators(function.__code__)


def contents(variable: Any) -> Any:
    """Returns what a captured or a global variable holds, or MISSING."""
    try:
        return variable.cell_contents
    except ValueError:
        return MISSING


# What Python calls by itself


def is_a(item: Any, kinds: Any) -> bool:
    """True if it is of one of these classes, whatever its `__class__` says, which may be code of
    the user's.
    """
    return issubclass(type(item), kinds)


_ANNOTATES = ("__annotate__", "__annotate_func__")
"""What a class has from Python 3.14 on to make its annotations, when they are asked for."""


def is_implicit(name: str, member: Any, others: Collection[str]) -> bool:
    """True if Python runs this member of a class by itself; `others` are special names for which it
    does not count.
    """
    special = name.startswith("__") and name.endswith("__") and name not in others
    if name in _ANNOTATES:
        return False
    return special or is_a(member, property | cached_property | partialmethod)


def functions_in(member: Any) -> tuple[FunctionType, ...]:
    """The functions that Python runs to get or set an attribute of a class."""
    found: tuple[Any, ...] = (member,)
    if is_a(member, property):
        found = member.fget, member.fset, member.fdel
    elif is_a(member, classmethod | staticmethod):
        found = functions_in(member.__func__)
    elif is_a(member, cached_property | partialmethod):
        found = functions_in(member.func)
    return tuple([each for each in found if is_a(each, FunctionType)])


_PYTHON_CODE = frozenset((property, FunctionType))
_POINTER = object.__basicsize__ // 2
_slots: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()


# Iterators


class RowSequence:
    """The first `count` items of a staged value, each of them as it is when it is taken: what an
    iterator of Python's goes through.
    """

    def __init__(self, items: Any, count: int) -> None:
        self.items, self.count = items, count

    def __getitem__(self, place: int) -> Any:
        if place >= self.count:
            raise IndexError(place)
        return self.items[place]

    def __len__(self) -> int:
        return self.count


OF_SEQUENCE: type = type(iter(RowSequence((), 0)))
"""The class of iterators over what has `__getitem__` and no `__iter__`."""


def is_of_rows(iterator: Any) -> bool:
    """Whether an iterator gives the items of a staged value."""
    is_one = type(iterator) is OF_SEQUENCE
    return is_one and all(type(held) is RowSequence for held in gc.get_referents(iterator))


def reduction(iterator: Any) -> Any:
    """Returns what `__reduce__` of an iterator gives: how to make it, and how far it has come. None
    where nobody is told, as of those of `itertools` from Python 3.14 on.
    """
    reduce: Any = type(iterator).__reduce__
    if reduce is object.__reduce__:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return reduce(iterator)
