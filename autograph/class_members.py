"""Operators, properties and descriptors of users' classes, which Python calls by itself: while a
thread stages a function that meets a class, the class has stand-ins for them, which call their
converted twins on that thread.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType
from typing import Any
from weakref import WeakSet

from autograph import policy
from autograph.backend import asked, backend_of, hashings
from autograph.calls import call
from autograph.errors import StagingError
from autograph.frames import hide, refusal
from autograph.locks import process_rlock
from autograph.mutation.users_code import is_users_class
from autograph.objects import (
    MISSING,
    STANDS_IN,
    ConvertedCachedProperty,
    ConvertedProperty,
    is_generator_function,
    of_classes,
    put_attribute,
    users_member,
)
from autograph.operator_methods import BINARY, COMPARISONS, REFLECTED
from autograph.operators.dataclass_comparisons import comparison
from autograph.operators.logical import compare, not_
from autograph.twins import HEAP_TYPE

_THROUGH_CALLS = frozenset((
    *("__new__", "__init__", "__call__", "__del__", "__init_subclass__", "__class_getitem__"),
    *("__getattribute__", "__set_name__", "__prepare__", "__enter__", "__exit__"),
))  # fmt: skip
"""Those that generated code calls itself, and those that are none of a staged function's."""


class _Thread(threading.local):
    def __init__(self) -> None:
        self.met: dict[type, None] | None = None


_thread = _Thread()
_stagings: dict[type, int] = {}
_plain: WeakSet[type] = WeakSet()  # classes in which nothing was found to convert
policy.forgetting.append(_plain.clear)
_lock = process_rlock()


@contextmanager
def members_converted() -> Iterator[None]:
    """Within it, classes that this thread meets have stand-ins for what Python calls of them.

    >>> with autograph.members_converted():
    ...     autograph.meet_class(str)
    """
    around, _thread.met = _thread.met, {}
    try:
        yield
    finally:
        met, _thread.met = _thread.met, around
        with _lock:
            for cls in met:
                _leave(cls)


def meet_class(cls: type) -> None:
    """Let Python call the converted twins of a class's operators and properties.

    >>> class Length:
    ...     def __abs__(self):
    ...         return 3
    >>> with autograph.members_converted():
    ...     autograph.meet_class(Length)
    ...     abs(Length())
    3
    """
    met = _thread.met
    if met is None or cls in met:
        return
    for base in cls.__mro__:
        if base not in met and base not in _plain and base.__flags__ & HEAP_TYPE:
            met[base] = None
            with _lock:
                _stagings[base] = _stagings.get(base, 0) + 1
                if _stagings[base] == 1:
                    _enter(base)
            for kind in _descriptors_of(base):
                meet_class(kind)


def _enter(cls: type) -> None:
    made = {name: _stand_in(cls, name, member) for name, member in list(vars(cls).items())}
    is_by_identity = _is_found_by_identity(cls)
    if is_by_identity:
        made |= {"__eq__": _identical, "__hash__": _hash}
    is_staged = is_by_identity or _is_staged_equality(made, cls)
    if is_staged and of_classes(cls.__mro__, "__ne__") is _PYTHONS:
        made["__ne__"] = _unequal
    if not any(made.values()) and not _descriptors_of(cls):
        _plain.add(cls)
    for name, member in made.items():
        if member is not None:
            type.__setattr__(cls, name, member)


def _descriptors_of(cls: type) -> list[type]:
    """The user's classes of its members that get, set or delete an attribute."""
    kinds = {type(member): None for member in list(vars(cls).values())}
    return [kind for kind in kinds if is_users_class(kind) and _is_descriptor(kind)]


def _is_descriptor(kind: type) -> bool:
    names = ("__get__", "__set__", "__delete__")
    return any(of_classes(kind.__mro__, name) is not MISSING for name in names)


def _is_staged_equality(made: dict[str, Any], cls: type) -> bool:
    """True if the class has an `__eq__` with a stand-in, or one that a converted function wrote."""
    own = vars(cls).get("__eq__")
    is_generated = type(own) is FunctionType and own.__code__ in policy.generated
    return made.get("__eq__") is not None or is_generated


def _leave(cls: type) -> None:
    _stagings[cls] -= 1
    if _stagings[cls]:
        return
    del _stagings[cls]
    for name, member in list(vars(cls).items()):
        if users_member(member) is not member:
            put_attribute(cls, name, users_member(member))


def _stand_in(cls: type, name: str, member: Any) -> Any:
    if type(member) is property:
        metaclass: type = type(cls)
        if hasattr(of_classes(metaclass.__mro__, name), "__set__"):
            return None  # `__name__`: assigned, it would be the class's own
        users = member.fget, member.fset, member.fdel
        made = _converting(users[0]), _converting(users[1]), _converting(users[2])
        return None if made == users else ConvertedProperty(member, made)
    if type(member) is functools.cached_property:
        function = _converting(member.func)
        return None if function is member.func else ConvertedCachedProperty(member, function)
    if name.startswith("__") and name.endswith("__") and name not in _THROUGH_CALLS:
        twin = comparison(cls, name, member) or _twin(member)
        return None if twin is None else _meanwhile(member, _operator(name, twin))
    return None


_OPERATORS = BINARY | COMPARISONS


def _operator(name: str, twin: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a binary operator, which looks at the class of the other operand as Python
    does; `twin` for any other method.
    """
    if name not in _OPERATORS:
        return twin

    def method(item: Any, *others: Any) -> Any:
        if len(others) != 1:
            return twin(item, *others)
        (other,) = others
        backend = backend_of(other) if getattr(type(other), "decides_operators", False) else None
        if backend is not None:  # only the run knows which of several it is
            return asked(backend, with_other, other, _OPERATORS[name], item)
        first = _asked_first(name, item, other)
        answer = NotImplemented if first is None else first(other, item)
        return twin(item, other) if answer is NotImplemented else answer

    return method


def _asked_first(name: str, item: Any, other: Any) -> Callable[..., Any] | None:
    """The method of a subclass that Python asks first, where the objects stand for others, whose
    classes Python does not know.
    """
    kind, own, reflected = other.__class__, item.__class__, REFLECTED[name]
    if kind is own or issubclass(type(other), type(item)) or not issubclass(kind, own):
        return None
    members = [of_classes(each.__mro__, reflected) for each in (kind, own)]
    if name in BINARY and members[0] is members[1]:
        return None
    found: Callable[..., Any] | None = getattr(type(other), reflected, None)
    return found


def with_other(other: Any, operation: Callable[[Any, Any], Any], item: Any) -> Any:
    """The builtin that a backend is asked for: an operation with each that `other` may be."""
    return operation(item, other)


_PYTHONS: Any = object.__ne__


def _unequal(self: Any, other: Any) -> Any:
    """The `__ne__` that Python makes of `__eq__` where a class has none."""
    if _thread.met is None:
        return _PYTHONS(self, other)
    try:
        kind: Any = type(self)
        equal = kind.__eq__(self, other)
        return equal if equal is NotImplemented else not_(equal)
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


def _is_found_by_identity(cls: type) -> bool:
    """True for a class of the user's that leaves `==` to Python, which asks for one object."""
    is_plain = type(cls) is type and all(
        base is object or is_users_class(base) for base in cls.__mro__
    )
    return is_plain and all(
        of_classes(cls.__mro__, name) is vars(object)[name] for name in ("__eq__", "__hash__")
    )


def _identical(self: Any, other: Any) -> Any:
    """The `==` that Python has for a class without one: objects may stand for others here."""
    try:
        answer = _thread.met is not None and compare(self, "is", other)
        return NotImplemented if answer is False else answer
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


def _hash(self: Any) -> int:
    try:
        for check in hashings if _thread.met is not None else ():
            check(self)
        return object.__hash__(self)
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


for _function in (_unequal, _identical, _hash):
    vars(_function).update({STANDS_IN: True, "__wrapped__": MISSING})


def _is_converted_by_call(function: FunctionType) -> bool:
    """True unless it is called as it is. Of what converted code defines, generator functions are
    not.
    """
    if function.__code__ in policy.generated:
        return is_generator_function(function)
    return bool(policy.decide(function).decision)


def _converting(function: Any) -> Any:
    twin = _twin(function)
    return function if twin is None else _meanwhile(function, twin)


def _twin(function: Any) -> Callable[..., Any] | None:
    if type(function) is not FunctionType or not _is_converted_by_call(function):
        return None

    def twin(*args: Any, **kwargs: Any) -> Any:
        method: Callable[..., Any] = MethodType(function, args[0]) if args else function
        return call(method)(*args[1:], **kwargs)

    return twin


def _meanwhile(function: FunctionType, twin: Callable[..., Any]) -> Any:
    """A method that is `twin` on threads that stage a function."""

    @functools.wraps(function)
    def converted(*args: Any, **kwargs: Any) -> Any:
        if _thread.met is None:
            return function(*args, **kwargs)
        try:
            made = twin(*args, **kwargs)
            if function.__name__ == "__hash__" and backend_of(made) is not None:
                raise refusal(
                    StagingError,
                    f"{function.__qualname__} gives what only the run knows: no dict and no set "
                    "finds it by that",
                    hint="use its numbers as the key, or a tuple of them",
                )
            return made
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    vars(converted)[STANDS_IN] = True
    return converted
