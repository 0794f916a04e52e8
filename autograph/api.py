"""Converting functions and what holds them, leaving them alone, and looking at what was made."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType
from typing import Any, TypeVar, overload
from weakref import WeakSet

from autograph import policy
from autograph.attributes import looking_alike
from autograph.calls import AG, AG_ALONE, AG_STAGED, count_special
from autograph.errors import ConversionError
from autograph.forms import Form
from autograph.frames import hiding
from autograph.observers import this_thread
from autograph.operators.growing import asking, is_asking
from autograph.twins import HEAP_TYPE, call_method_of, convert_once, has_try, recipes, source_known

T = TypeVar("T")


@overload
def convert(target: T, /, *, recursive: bool = True) -> T: ...
@overload
def convert(*, recursive: bool = True) -> Callable[[T], T]: ...
def convert(target: Any = None, /, *, recursive: bool = True) -> Any:
    """Convert a function: its control flow may depend on staged values then.

    Usable as a decorator, with and without arguments. The original is left as it is. A class is
    converted in place, methods, properties and operators that it defines itself, and returned. Of a
    callable object, the result is its converted `__call__`.

    Args:
        target: a function, method, lambda, `classmethod`, `staticmethod`, `property`,
            `functools.partial`, cached function (the result has a cache of its own), class, or an
            object with a `__call__` of its own.
        recursive: whether functions that it calls are converted too, by `autograph.policy`.

    Raises:
        ConversionError: no source is found, or it has a construct that is not supported.
        TypeError: `target` cannot be called.

    >>> def clip(x, limit):
    ...     return limit if x > limit else x
    >>> autograph.convert(clip)(7, 5)
    5
    """
    if target is None:
        return functools.partial(convert, recursive=recursive)
    return _convert(target, AG if recursive else AG_ALONE)


to_graph = convert


def convert_for_staging(target: T, asks: bool = False) -> T:
    """Convert a function that is being staged as a whole, `try` included.

    A `try` in it may then depend on staged values; else it is as by `convert`. With `asks`,
    each comparison, and each read and assignment of an item, in it asks a backend, and each list
    that it makes is given to what makes lists: see `lists_made_by`.

    >>> def inverse(x):
    ...     try:
    ...         return 1 / x
    ...     except ZeroDivisionError:
    ...         return 0
    >>> autograph.convert_for_staging(inverse)(0)
    0
    """
    with asking(asks):
        return _convert(target, AG_STAGED)  # type: ignore[no-any-return]


def _form(function: FunctionType) -> Form:
    """The form for a function that is being staged as a whole."""
    if is_asking():
        return Form.ASKING
    return Form.STAGED if has_try(function) else Form.PLAIN


def _convert(target: Any, ag: CellType) -> Any:
    for kind, converter in _CONVERTERS:
        if isinstance(target, kind):
            return converter(target, ag)
    method = call_method_of(target)
    if method is not None:
        return MethodType(_convert_function(method, ag), target)
    if not callable(target):
        raise TypeError(f"convert takes a function, method or class, not {target!r}")
    raise ConversionError(
        f"{getattr(target, '__qualname__', target)!r} is not written in Python, so that nothing "
        "can be converted",
        hint="call it as it is, or convert a function of your own that calls it",
    )


def _convert_function(function: FunctionType, ag: CellType) -> FunctionType:
    code = function.__code__
    if code in policy.generated or code in policy.marked:
        return function
    made = convert_once(function, _form(function) if ag is AG_STAGED else Form.PLAIN)
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[made.ag] = ag
    closure = tuple(cells[name] for name in made.code.co_freevars)
    twin = FunctionType(made.code, function.__globals__, None, None, closure)
    return looking_alike(twin, function)


# Converting what holds functions


def _convert_method(method: MethodType, ag: CellType) -> MethodType:
    return MethodType(_convert(method.__func__, ag), method.__self__)


def _convert_wrapped(wrapped: Any, ag: CellType) -> Any:
    return type(wrapped)(_convert(wrapped.__func__, ag))


def _convert_partial(partial: functools.partial[Any], ag: CellType) -> functools.partial[Any]:
    converted = _convert(partial.func, ag)
    return type(partial)(converted, *partial.args, **partial.keywords)


def _convert_cached(cached: Any, ag: CellType) -> Any:
    """A cache of its own around the converted function, by the same rules."""
    return functools.lru_cache(**cached.cache_parameters())(_convert(cached.__wrapped__, ag))


def _convert_property(prop: property, ag: CellType) -> property:
    fget, fset, fdel = (_convert_if_users(f, ag) for f in (prop.fget, prop.fset, prop.fdel))
    return property(fget, fset, fdel, prop.__doc__)


def _convert_cached_property(prop: Any, ag: CellType) -> Any:
    converted = type(prop)(_convert_if_users(prop.func, ag))
    if prop.attrname is not None:
        converted.__set_name__(None, prop.attrname)
    return converted


def _convert_class(cls: type, ag: CellType) -> type:
    if not cls.__flags__ & HEAP_TYPE:
        raise ConversionError(
            f"the class {cls.__qualname__} is not written in Python, so that nothing can be "
            "converted",
            hint="call it as it is",
        )
    for name, member in list(vars(cls).items()):
        converted = _convert_if_users(member, ag)
        if converted is not member:
            type.__setattr__(cls, name, converted)
    _converted_classes.add(cls)
    return cls


_converted_classes: WeakSet[type] = WeakSet()


def _convert_if_users(member: Any, ag: CellType) -> Any:
    """A member of a class, converted if it is a function of the user's, or holds such."""
    if isinstance(member, FunctionType):
        return _convert_function(member, ag) if _is_users(member) else member
    if isinstance(member, classmethod | staticmethod):
        users = isinstance(member.__func__, FunctionType) and _is_users(member.__func__)
        return _convert_wrapped(member, ag) if users else member
    if type(member) is property:
        return _convert_property(member, ag)
    if type(member) is functools.cached_property:
        return _convert_cached_property(member, ag)
    if type(member) is _CACHED:
        return _convert_cached(member, ag) if _is_users_cache(member) else member
    return member


def _is_users_cache(cached: Any) -> bool:
    return isinstance(cached.__wrapped__, FunctionType) and _is_users(cached.__wrapped__)


def _is_users(function: FunctionType) -> bool:
    return bool(policy.decide(function).decision and source_known(function))


_CACHED = type(functools.lru_cache(_is_users))

_CONVERTERS: tuple[tuple[type, Callable[[Any, CellType], Any]], ...] = (
    (FunctionType, _convert_function),
    (MethodType, _convert_method),
    (classmethod, _convert_wrapped),
    (staticmethod, _convert_wrapped),
    (property, _convert_property),
    (functools.cached_property, _convert_cached_property),
    (functools.partial, _convert_partial),
    (_CACHED, _convert_cached),
    (type, _convert_class),
)


# Looking at conversion


def to_code(target: Any) -> str:
    """The source of a converted function; of a class, that of all its methods.

    Raises:
        ConversionError: no source is found, or it has a construct that is not supported.
        TypeError: `target` is not a function, method or class.

    >>> def clip(x, limit):
    ...     return limit if x > limit else x
    >>> "ag.cond" in autograph.to_code(clip)
    True
    """
    from autograph.conversion import convert_text

    functions = [_original(function) for function in functions_in(target)]
    if not functions and callable(target):
        raise ConversionError(
            f"{target!r} has no source in Python", hint="convert the function that calls it"
        )
    if not functions:
        raise TypeError(f"to_code takes a function, method or class, not {target!r}")
    return "\n\n".join(map(convert_text, functions))


def is_converted(target: Any) -> bool:
    """True if a function, or what holds one, was made by `convert`.

    >>> def double(x):
    ...     return 2 * x
    >>> autograph.is_converted(double), autograph.is_converted(autograph.convert(double))
    (False, True)
    """
    if isinstance(target, type):
        return target in _converted_classes
    return any(converted_code(function.__code__) for function in functions_in(target))


def converted_code(code: CodeType) -> bool:
    """True if a code object was made by conversion.

    >>> autograph.converted_code(autograph.convert(lambda x: x).__code__)
    True
    """
    return code in policy.generated


def why_not_converted(code: CodeType) -> str | None:
    """Returns why code is run as it is though converted code calls it; None where it is converted.

    The reason continues a sentence that names the function: "was not converted because it is ...".

    >>> autograph.why_not_converted((lambda x: x).__code__) is None
    True
    """
    return policy.unconverted.get(code)


def functions_in(target: Any) -> list[FunctionType]:
    """The functions that a function, method, class or what else `convert` takes holds."""
    if isinstance(target, FunctionType):
        return [target]
    if isinstance(target, type):
        members = [functions_in(member) for member in vars(target).values() if _is_method(member)]
        return [function for found in members for function in found]
    if type(target) is _CACHED:
        return functions_in(target.__wrapped__)
    for holder in ("__func__", "func", "fget"):
        if hasattr(target, holder):
            return functions_in(getattr(target, holder))
    method = call_method_of(target)
    return [] if method is None else [method]


def _is_method(member: Any) -> bool:
    if isinstance(member, FunctionType) and policy.is_annotate(member):
        return False
    return isinstance(member, FunctionType | classmethod | staticmethod | property)


def _original(function: FunctionType) -> FunctionType:
    """The function as the user wrote it, for looking its source up."""
    code = policy.generated.get(function.__code__)
    if code is None:
        return function
    cells = tuple(CellType() for _ in code.co_freevars)
    return FunctionType(code, function.__globals__, function.__name__, None, cells)


# Leaving code alone


class _Unconverted:
    """`do_not_convert()`: a decorator and a context manager."""

    def __call__(self, target: Any) -> Any:
        return _left_alone(target)

    def __enter__(self) -> None:
        count_special(1)
        this_thread.unconverted += 1

    def __exit__(self, *exception: object) -> None:
        this_thread.unconverted -= 1
        count_special(-1)


@overload
def do_not_convert(target: T, /) -> T: ...
@overload
def do_not_convert() -> _Unconverted: ...
def do_not_convert(target: Any = None, /) -> Any:
    """Leave a function, and what it calls, as written when converted code calls it.

    Usable as a decorator, with and without parentheses, and as a context manager: within
    `with do_not_convert():` converted code calls everything as it is, on this thread.

    A function is returned as a copy that shares all but its code object; of a class, the methods
    are marked and the class is returned.

    Raises:
        TypeError: `target` cannot be called.

    >>> @autograph.do_not_convert
    ... def as_written(x):
    ...     return x
    >>> as_written(3)
    3
    """
    return _Unconverted() if target is None else _left_alone(target)


def _left_alone(target: Any) -> Any:
    if isinstance(target, FunctionType):
        return _marked_copy(target)
    if isinstance(target, classmethod | staticmethod):
        return type(target)(_left_alone(target.__func__))
    if isinstance(target, MethodType):
        return MethodType(_left_alone(target.__func__), target.__self__)
    if isinstance(target, type):
        for function in functions_in(target):
            _mark(function.__code__)
        return target
    if not callable(target):
        raise TypeError(f"do_not_convert takes something that can be called, not {target!r}")
    return target if isinstance(target, BuiltinFunctionType) else hiding(target)


def _marked_copy(function: FunctionType) -> FunctionType:
    code = function.__code__.replace()  # its own: other functions may share the original's
    copy = FunctionType(code, function.__globals__, None, None, function.__closure__)
    _mark(code)
    return looking_alike(copy, function)


def _mark(code: CodeType) -> None:
    policy.marked[code] = True
    policy.unconverted[code] = "it is marked with do_not_convert"
    recipes[code] = ()
