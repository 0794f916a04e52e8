"""Texts: f-strings and `%`. A backend makes those with staged values in them."""

from __future__ import annotations

import builtins
import dataclasses
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from reprlib import recursive_repr
from typing import Any

from autograph.backend import Backend, asked, backend_of, backend_within, staging, stand_ins
from autograph.errors import StagingError
from autograph.frames import hide, hiding, refusal
from autograph.operators.growing import is_staging
from autograph.operators.methods import converted_method, converted_method_of

_METHODS = {str: "__str__", repr: "__repr__", print: "__str__"}
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"s": str, "r": repr, "a": ascii}


def shown_by_user(function: Callable[..., Any], value: Any) -> Any:
    """The text that the user's `__str__` or `__repr__` returns for an object; the value itself if
    there is no such method. The text may be staged, which Python would not accept from a method.
    """
    name = _METHODS.get(function)
    if name is None:
        return value
    if getattr(type(value), name) is object.__str__:
        name = "__repr__"
    method = converted_method(value, name)
    if method is None:
        shown = _shown_by_backend(function, value)
        if shown is not None:
            return shown()
        # `print` shows what is in a namedtuple or dataclass as it shows what is in a list.
        is_shown = _has_parts(value) and is_staging() and _holds_shown(value, function is not print)
        return _items_shown(value) if is_shown else value
    return _checked(name, method(value))


def _checked(name: str, made: Any) -> Any:
    if not isinstance(made, str):
        raise TypeError(f"{name} returned non-string (type {type(made).__name__})")
    return made


def shown_as(owner: type, method: str, value: Any) -> Any:
    """The text that a method of a built-in class, `owner.__str__(value)`, gives for an object, of
    which the class may have one of its own.
    """
    shows = getattr(owner, method)
    if shows is object.__repr__:
        return shows(value)
    stands = type(value) in stand_ins or backend_of(value) is not None
    of_object = owner is object and not stands
    if stands or of_object or getattr(type(value), method) is shows:
        return _converted(repr if of_object or method == "__repr__" else str, value)
    if owner in _OF_PARTS:
        return _OF_PARTS[owner](value)
    backend = backend_for(value)
    return shows(value) if backend is None else asked(backend, shows, value)


_BRACKETS: dict[Any, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}")}


def _showing(kind: Any) -> Callable[[Any], Any]:
    """Returns what gives the text of an object of a class that builds on a list, tuple or dict, and
    `[...]` for one that is in itself.
    """

    @recursive_repr("...".join(_BRACKETS[kind]))
    def shown(value: Any) -> Any:
        items = kind.items(value) if kind is dict else kind.__iter__(value)
        return _converted(repr, kind(items))

    return shown


_OF_PARTS = {kind: _showing(kind) for kind in _BRACKETS}


def _kind(value: Any) -> type:
    """The class of a value; that of Python's for a list or dict that stands for one, as long as
    Python knows its items.
    """
    kind = type(value)
    return stand_ins[kind] if kind in stand_ins and backend_of(value) is None else kind


def _has_parts(value: Any) -> bool:
    return _kind(value) in _BRACKETS or _fields_shown(value) is not None


def shows_itself(kind: type, function: Callable[..., Any] = repr, fields: bool = True) -> bool:
    """Whether code of the user's gives the text of an object of this class while a function is
    staged; or, if asked for, it is a dataclass or namedtuple, whose text has its fields.
    """
    name = _METHODS.get(function, "__repr__")
    if getattr(kind, name) is object.__str__:
        name = "__repr__"
    own = converted_method_of(kind, name) is not None
    return own or (fields and fields_of(kind) is not None)


def _shown_by_backend(function: Callable[..., Any], value: Any) -> Callable[[], Any] | None:
    backend = backend_of(value) if is_staging() else None
    return None if backend is None else backend.shown(function, value)


def _fields_shown(value: Any) -> tuple[str, ...] | None:
    return fields_of(type(value))


def fields_of(kind: Any) -> tuple[str, ...] | None:
    """The names that Python shows in the text of a namedtuple or dataclass; None for others."""
    shows = kind.__repr__
    if issubclass(kind, tuple) and getattr(shows, "__module__", "") == "collections":
        return tuple(kind._fields)
    written = getattr(getattr(shows, "__wrapped__", None), "__code__", None)
    if not dataclasses.is_dataclass(kind) or written is None or written.co_filename != "<string>":
        return None
    return tuple([field.name for field in dataclasses.fields(kind) if field.repr])


def _holds_shown(value: Any, named: bool = True, above: tuple[int, ...] = ()) -> bool:
    """Whether there is an object in a list, tuple or dict of which the user's code gives the text,
    or, if asked for, a namedtuple or dataclass. False for one that holds itself.
    """
    if not _has_parts(value):
        shown = _shown_by_backend(repr if named else print, value)
        return shown is not None or converted_method(value, "__repr__") is not None
    inner = (*above, id(value))
    if id(value) in above:
        return False
    held = [_holds_shown(item, named, inner) for item in _parts_of(value)]
    return any(held) or (named and _kind(value) not in _BRACKETS and _ends(value, above))


def _parts_of(value: Any) -> list[Any]:
    names = _fields_shown(value)
    if names is not None:
        return [getattr(value, name) for name in names]
    if _kind(value) is dict:
        return [*value, *value.values()]
    return list(value) if _kind(value) in _BRACKETS else []


def _ends(value: Any, above: tuple[int, ...]) -> bool:
    """Whether nothing that a text shows holds itself."""
    inner = (*above, id(value))
    return id(value) not in above and all([_ends(part, inner) for part in _parts_of(value)])


def fields_shown(value: Any, names: Sequence[str]) -> Any:
    """The text of a namedtuple or dataclass, with fields of these names."""
    parts: list[Any] = []
    for name in names:
        parts += [", ", f"{name}=", _converted(repr, getattr(value, name))]
    kind = type(value).__name__ if isinstance(value, tuple) else type(value).__qualname__
    return text(f"{kind}(", *parts[1:], ")")


def _items_shown(value: Any) -> Any:
    """The text of a list, tuple or dict, in which code of the user's gives that of an item."""
    names = _fields_shown(value)
    if names is not None:
        return fields_shown(value, names)
    parts: list[Any] = []
    for item in value:
        parts += [", ", _converted(repr, item)]
        if _kind(value) is dict:
            parts += [": ", _converted(repr, value[item])]
    if _kind(value) is tuple and len(value) == 1:
        parts.append(",")
    opening, closing = _BRACKETS[_kind(value)]
    return text(opening, *parts[1:], closing)


def text(*parts: Any) -> Any:
    """The parts of an f-string behind each other."""
    try:
        for part in parts:
            backend = backend_of(part)
            if backend is not None:
                return backend.builtin(str.join, "", parts)
        return "".join(parts)
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def format(value: Any, spec: Any = "", *, conversion: str | None = None) -> Any:
    """A field of an f-string: `{value!conversion:spec}`."""
    try:
        if conversion is not None:
            value = _converted(_CONVERSIONS[conversion], value)
        elif (method := converted_method(value, "__format__")) is not None:
            return _checked("__format__", method(value, spec))
        elif type(spec) is str and not spec and _shown_by_str(value):
            value = shown_by_user(str, value)
        backend = backend_for(value) or backend_of(spec)
        return (
            builtins.format(value, spec)
            if backend is None
            else asked(backend, builtins.format, value, spec)
        )
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def _shown_by_str(value: Any) -> bool:
    is_pythons = getattr(type(value), "__format__") is object.__format__  # noqa: B009
    return is_pythons or _shown_by_backend(str, value) is not None


@hiding
def template(*parts: Any) -> Any:
    """A t-string. A field is a tuple: its value, the source of that, and if it has them its
    conversion and its format.
    """
    from string import templatelib  # type: ignore[attr-defined, unused-ignore]

    for part in parts:
        if type(part) is tuple and len(part) == 4 and backend_of(part[3]) is not None:
            raise refusal(
                StagingError,
                f"only the run knows the format of {part[1]!r}, a field of a t-string",
                hint="take a format that Python knows, or an f-string",
            )
    return templatelib.Template(
        *[part if type(part) is str else templatelib.Interpolation(*part) for part in parts]
    )


def mod(template: Any, values: Any) -> Any:
    """`template % values`, for a template that is, or may be, a text or bytes."""
    try:
        if type(template) not in (str, bytes, bytearray):
            return template % values
        inside = values.values() if isinstance(values, dict) else (values,)
        given = values if type(values) is tuple else inside
        if type(template) is str and is_staging() and any(map(formats_itself, given)):
            template, values = _with_texts(template, values)
        backend = backend_of(values) or backend_within(values)
        return (
            template % values if backend is None else asked(backend, operator.mod, template, values)
        )
    except BaseException as error:  # whatever passes through is the user's: only our frame goes
        hide(error)
        raise


def imod(target: Any, value: Any) -> Any:
    """Returns what `target %= value` leaves, of what may be a text."""
    if isinstance(target, str | bytes):
        return mod(target, value)
    target %= value
    return target


_PERCENT = re.compile(
    r"(?P<before>%(?:\((?P<key>[^)]*)\))?[#0\- +]*"
    r"(?P<width>\*|\d+)?(?:\.(?P<digits>\*|\d+))?[hlL]?)(?P<kind>.)"
)


def _with_texts(template: str, values: Any) -> tuple[str, Any]:
    """A template and its values, with the texts that the user's code gives for objects in place of
    these.
    """
    items = list(values) if type(values) is tuple else [values]
    named = dict(values) if isinstance(values, dict) else {}
    at = 0

    def field(found: re.Match[str]) -> str:
        nonlocal at
        before, key, kind = found["before"], found["key"], found["kind"]
        if kind == "%":
            return found[0]
        if key is None:
            at += (found["width"] == "*") + (found["digits"] == "*")
        value = items[at] if key is None and at < len(items) else named.get(key)
        at += key is None
        if kind not in _CONVERSIONS or not formats_itself(value):
            return found[0]
        shown = _converted(_CONVERSIONS[kind], value)
        if key is None:
            items[at - 1] = shown
            return f"{before}s"
        named[f"{key}!{kind}"] = shown
        return f"{before.replace(f'({key})', f'({key}!{kind})')}s"

    template = _PERCENT.sub(field, template)
    if named:
        return template, {key: value for key, value in named.items() if not formats_itself(value)}
    return template, tuple(items) if type(values) is tuple else items[0]


def format_fields(template: str, /, *args: Any, **kwargs: Any) -> Any:
    """`template.format(*args, **kwargs)`, field by field."""
    return _fields(template, args, kwargs, count())


def _fields(
    template: str, args: Sequence[Any], kwargs: dict[str, Any], places: Iterator[int]
) -> Any:
    from string import Formatter  # which few programs need

    formatter, parts = Formatter(), list[Any]()
    for literal, name, spec, conversion in formatter.parse(template):
        parts.append(literal)
        if name is not None and spec is not None:
            key = name if name[:1] not in ("", ".", "[") else f"{next(places)}{name}"
            value, _ = formatter.get_field(key, args, kwargs)
            inner = _fields(spec, args, kwargs, places)
            parts.append(format(value, inner, conversion=conversion))
    return text(*parts)


def formats_itself(value: Any) -> bool:
    """Whether the user's code gives the text of an object, or of one in a list, tuple or dict,
    while a function is staged.
    """
    if _has_parts(value):
        return _holds_shown(value)
    methods = "__format__", "__str__", "__repr__"
    is_own = any(converted_method(value, name) is not None for name in methods)
    return is_own or _shown_by_backend(str, value) is not None


def _converted(function: Callable[[Any], str], value: Any) -> Any:
    shown = shown_by_user(function, value)
    if shown is not value:
        return shown
    backend = backend_for(value)
    return function(value) if backend is None else asked(backend, function, value)


def backend_for(value: Any) -> Backend | None:
    """The backend that makes the text of a value, if one does: that of what is in it, or, while a
    function is staged, of an exception that holds objects of which code of the user's gives theirs.
    """
    found = backend_of(value) or backend_within(value)
    if found is not None or not isinstance(value, BaseException) or not is_staging():
        return found
    return staging() if any(map(formats_itself, value.args)) else None
