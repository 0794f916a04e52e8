"""Parts of the patterns of `match`, as Python takes values apart."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from autograph.backend import backend_of, instance_of, stand_ins
from autograph.errors import ConversionError, StagingError
from autograph.frames import hide, hiding, refusal
from autograph.operators.growing import is_staging

T = TypeVar("T")
Called = TypeVar("Called", bound=Callable[..., Any])

_DEEPEST = 10
_MISSING = object()
_SEQUENCE = 1 << 5  # the flag of classes that patterns like [a, b] fit
_MATCHES_ITSELF = 1 << 22  # the flag of classes that take one pattern for the value itself


def _asked(function: Callable[..., Any], value: Any, *args: Any) -> Any:
    """`function(value, *args)`, of a staged value as its backend has it."""
    backend = backend_of(value)
    made = NotImplemented if backend is None else backend.builtin(function, value, *args)
    function = instance_of if function is isinstance else function
    return function(value, *args) if made is NotImplemented else made


def _of_options(function: Called) -> Called:
    """A function of a subject, which a backend asks of each value that only the run chooses."""

    @functools.wraps(function, updated=())
    def asked(subject: Any, *args: Any, **more: Any) -> Any:
        args = *args, *more.values()
        backend = backend_of(subject)
        made = NotImplemented if backend is None else backend.builtin(known, subject, *args)
        return function(subject, *args) if made is NotImplemented else made

    known = hiding(cast(Called, asked))
    return known


@_of_options
def is_sequence(subject: Any, length: int, more: bool = False) -> Any:
    """Whether `[a, b]` of this length matches: a bool, or a staged one of a list whose length only
    the run knows. With `more`, `[a, b, *rest]`.
    """
    kind = stand_ins.get(type(subject))
    if kind is not None and not kind.__flags__ & _SEQUENCE:
        return False
    match subject:
        case [*_]:
            size = _asked(len, subject)
            return size >= length if more else size == length
    if backend_of(subject) is not None and not _is_other(subject) and _has_length(subject):
        raise refusal(
            StagingError,
            "whether a staged value is a sequence, patterns like [a, b] do not tell: in Python a "
            "tensor is none",
            hint="test its length with `if`, and take items by index, or make a list of it",
        )
    return False


def _is_other(subject: Any) -> bool:
    """True for a staged text, or None in place of one: these are no sequences to patterns."""
    return _asked(isinstance, subject, (str, type(None))) is True


def _has_length(subject: Any) -> bool:
    try:
        _asked(len, subject)
    except TypeError:
        return False
    return True


@_of_options
def middle(subject: Any, before: int, after: int) -> Any:
    """The list that the star of `[a, *rest, z]` binds."""
    if not instance_of(subject, (list, tuple)):  # others have no slices
        subject = _asked(list, subject)
    size = _asked(len, subject)
    items = subject[before : size - after] if after else subject[before:]
    return items if issubclass(items.__class__, list) else _asked(list, items)


@_of_options
def values_at(subject: Any, *keys: Any) -> tuple[Any, ...] | None:
    """The values that `{key: a}` matches; None for what is no mapping or lacks a key."""
    match subject:
        case {}:
            if keys and len(subject) < len(keys):
                return None
            return _all_there([subject.get(key, _MISSING) for key in keys])
    return None


@_of_options
def without(subject: Any, *keys: Any) -> dict[Any, Any]:
    """The other items of a mapping, which `**rest` of a pattern binds."""
    rest = dict(subject)
    for key in keys:
        del rest[key]
    return rest


@hiding
def is_instance(subject: Any, cls: Any, itself: bool = False) -> Any:
    """Whether a class pattern may match: as `isinstance`, staged where only the run knows.

    With `itself`, of a builtin class whose one pattern is for the value itself.
    """
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if itself and _places(cls, 1) is not None:
        raise refusal(
            ConversionError,
            f"{cls.__name__} in a pattern is not Python's class of this name",
            hint="give your class another name",
        )
    return _asked(isinstance, subject, cls)


@_of_options
def parts(subject: Any, cls: Any, count: int, *names: str) -> tuple[Any, ...] | None:
    """The attributes that the patterns of a class match, the first `count` by their places; None
    where one is missing.
    """
    found: list[Any] = []
    places = _places(cls, count)
    if places is None:
        found, places = [subject], ()
    for name in (*places, *names):
        if (*places, *names).count(name) > 1:
            raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
        found.append(getattr(subject, name, _MISSING))
    return _all_there(found)


def _all_there(values: list[Any]) -> tuple[Any, ...] | None:
    return None if any(value is _MISSING for value in values) else tuple(values)


def _places(cls: Any, count: int) -> tuple[str, ...] | None:
    """The attributes that a class gives to patterns by their places; None for the value itself."""
    known = getattr(cls, "__match_args__", _MISSING)
    takes_itself = known is _MISSING and bool(cls.__flags__ & _MATCHES_ITSELF)
    names = () if known is _MISSING else known
    if not isinstance(names, tuple):
        kind = type(names).__name__
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {kind})")
    allowed = 1 if takes_itself else len(names)
    if count > allowed:
        plural = "" if allowed == 1 else "s"
        raise TypeError(
            f"{cls.__name__}() accepts {allowed} positional sub-pattern{plural} ({count} given)"
        )
    for name in names[:count]:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise TypeError(f"__match_args__ elements must be strings (got {kind})")
    return None if takes_itself and count else names[:count]


def subject(value: T, asks_truth: bool = False) -> T:
    """`value`, of which Python decides which case fits it.

    Args:
        asks_truth: whether a pattern is True or False.
    """
    try:
        if is_staging():
            _check(value, asks_truth, 0)
        return value
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _check(value: object, asks_truth: bool, depth: int) -> None:
    kind = type(value)
    if kind in (tuple, list, dict) and depth < _DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]
            _check(part, asks_truth, depth + 1)
        return
    backend = backend_of(value)
    if backend is not None:
        backend.subject(value, asks_truth)
