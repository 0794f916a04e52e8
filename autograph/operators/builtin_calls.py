"""Builtins that a backend may take over where an argument is staged."""

from __future__ import annotations

import builtins
import copy
import functools
import inspect
import math
import operator
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from inspect import Parameter
from itertools import chain, starmap
from types import FunctionType, GeneratorType
from typing import Any, TypeAlias

from autograph.backend import (
    Backend,
    asked,
    backend_of,
    backend_within,
    comparing,
    instance_of,
    stand_ins,
)
from autograph.compiler import FUTURES
from autograph.errors import ConversionError, StagingError
from autograph.frames import frames_to, hide, hiding, refusal, user_frame
from autograph.objects import OF_SEQUENCE, is_of_rows
from autograph.operators import reductions, texts
from autograph.operators.comprehensions import (
    Called,
    Given,
    ask_length,
    generator,
    listed,
    next_of,
    numbered,
    of_generator,
    rows_of,
    set_of,
)
from autograph.operators.cond import cond
from autograph.operators.growing import growing, growing_factory, is_staging
from autograph.operators.logical import and_, compare, not_, or_
from autograph.operators.methods import converted_method
from autograph.operators.texts import shown_by_user
from autograph.operators.truths import length, truth
from autograph.operators.unrolling import holds_shared_iterator

Function: TypeAlias = Callable[..., Any]
Call: TypeAlias = Callable[[Any], Any]

_DIRECT = (
    "abs bin bool callable chr complex divmod float frozenset hasattr hex int "
    "issubclass iter len oct ord pow range reversed round zip"
)

_OWN_REFERENCES = 3
"""The count of `sys.getrefcount` for an argument that nobody holds but the call: caller, `args`,
its own.
"""


class Rest:
    """The rest of a generator for `any` and `all`, from its first staged element on.

    Attributes:
        items: gives all elements; what Python would not compute is computed as it is asked for.
        generator: what computes them.

    >>> list(autograph.Rest(1, (n for n in [2, 3])))
    [1, 2, 3]
    """

    __slots__ = ("generator", "items")

    def __init__(self, first: Any, generator: GeneratorType[Any, Any, Any]) -> None:
        self.items: Iterator[Any] = chain((first,), generator)
        self.generator = generator

    def __iter__(self) -> Iterator[Any]:
        return self.items


def taken_over(call: Call) -> dict[Function, Function]:
    """Returns the stand-ins for builtins in generated code.

    Args:
        call: gives what to call for a callable: for callbacks such as `key`.
    """
    direct = [getattr(builtins, name) for name in _DIRECT.split()]
    direct += [function for function in vars(math).values() if callable(function)]
    return {
        **{function: _direct(function) for function in direct},
        math.dist: within(math.dist),
        math.prod: _of_all(_direct(math.prod), reductions.multiplied),
        bool: _asking(_direct(bool), _truth),
        len: _asking(_direct(len), length),
        list: _of_all(_direct(list), listed, sized=True),
        tuple: _of_all(_plain_tuple, lambda given: _plain_tuple(listed(given)), sized=True),
        sum: _of_all(_direct(sum), reductions.summed),
        **{function: _mapping(function, call) for function in (map, functools.reduce)},
        filter: _filtering(call),
        enumerate: _enumerating(_direct(enumerate)),
        zip: _zipping(_direct(zip)),
        next: next_of(_of_all(_direct(next), reductions.first, decided=True, steps=True)),
        set: _of_all(_direct(set), set_of),
        **{function: _ordering(function, call) for function in (max, min, sorted)},
        all: _deciding(all, decisive=False),
        any: _deciding(any, decisive=True),
        **{function: _seeing(function, 1) for function in (locals, vars, dir)},
        **{function: _seeing(function, 2) for function in (eval, exec)},
        **{function: _showing(function) for function in (print, str, repr, ascii)},
        format: lambda value, spec="", /: texts.format(value, spec),
        isinstance: _isinstance,
        type: _type,
    }


def _direct(function: Function) -> Function:
    """For functions of which an argument itself may be staged."""

    def builtin(*args: Any, **kwargs: Any) -> Any:
        try:
            for value in args:
                backend = backend_of(value)
                if backend is not None:
                    return _ask(backend, function, args, kwargs)
            if kwargs:
                return _ask(_first_backend(kwargs.values()), function, args, kwargs)
            return function(*args)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return builtin


_plain_tuple = _direct(tuple)


def within(function: Function) -> Function:
    """For functions of which an argument may hold something staged."""

    def builtin(*args: Any, **kwargs: Any) -> Any:
        try:
            given = (*args, *kwargs.values()) if kwargs else args
            backend = _first_backend(given)
            if backend is None and is_staging():
                backend = next(filter(None, map(backend_within, given)), None)
            return _ask(backend, function, args, kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return builtin


def _asking(builtin: Function, answer: Function) -> Function:
    """For functions that ask a method of an object's, which may give what only the run knows:
    `answer` has that, None where there is no such method.
    """

    def asking(*args: Any, **kwargs: Any) -> Any:
        try:
            found = answer(args[0]) if len(args) == 1 and not kwargs and is_staging() else None
            return builtin(*args, **kwargs) if found is None else found
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return asking


def _truth(value: Any) -> Any:
    answer = truth(value)
    return None if answer is value else answer


def _of_all(
    builtin: Function,
    loop: Function,
    decided: bool = False,
    steps: bool = False,
    sized: bool = False,
) -> Function:
    """For functions that take the elements of their first argument: `loop` does of a generator.

    Args:
        decided: whether the run may decide how many they take.
        steps: whether they take one: that of a generator function is Python's own then.
        sized: whether they ask for the length of what they are given, as a hint.
    """

    def of_all(*args: Any, **kwargs: Any) -> Any:
        try:
            given = of_generator(args[0], decided) if args else None
            if sized and given is not None:
                ask_length(args[0])
            if steps and type(given) is Called:
                given = None
            return builtin(*args, **kwargs) if given is None else loop(given, *args[1:], **kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return of_all


def _seeing(function: Function, enough: int) -> Function:
    """For functions that look at the frame of their caller unless they have enough arguments.

    The converter refuses them by name; these are called by another.
    """

    @hiding
    def builtin(*args: Any, **kwargs: Any) -> Any:
        if len(args) + len(kwargs) >= enough:
            caller = user_frame()
            futures = 0 if caller is None else caller.f_code.co_flags & FUTURES
            return _with_futures(futures)(function, args, kwargs)
        raise refusal(
            ConversionError,
            f"`{function.__name__}` would see names of the converted function that are not "
            "the user's, or not see some that are",
            variable=function.__name__,
            hint="name what it needs, or exclude the function with `do_not_convert`",
        )

    return builtin


@functools.cache
def _with_futures(futures: int) -> Function:
    """A function that calls another one; texts are compiled there as where these features hold."""

    def called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    code = called.__code__
    return FunctionType(code.replace(co_flags=code.co_flags & ~FUTURES | futures), globals())


def _type(*args: Any, **kwargs: Any) -> Any:
    """`type`; a class that it makes belongs to the module of the caller."""
    try:
        if len(args) == 3:
            name, bases, namespace = args
            module = sys._getframe(1).f_globals.get("__name__")
            return type(name, bases, {"__module__": module, **namespace}, **kwargs)
        kind = _ask(_first_backend(args), type, args, kwargs)
        return kind if backend_of(kind) is not None else stand_ins.get(kind, kind)
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


@hiding
def warn(
    message: Any, category: Any = None, stacklevel: Any = 1, source: Any = None, **options: Any
) -> None:
    """`warnings.warn`, which counts the user's functions, each as one whatever blocks it has."""
    level = frames_to(max(operator.index(stacklevel), 1)) + 1
    warnings.warn(message, category, level, source, **options)


def _isinstance(*args: Any, **kwargs: Any) -> Any:
    try:
        if len(args) == 2 and not kwargs and type(args[0]) in stand_ins:
            return instance_of(*args)
        return _plain_isinstance(*args, **kwargs)
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


_plain_isinstance = _direct(isinstance)


_FACTORIES = (list, sorted, set, dict)
"""Builtins of which each result is a new object, which may grow."""


def _mapping(function: Function, call: Call) -> Function:
    """For functions that apply their first argument to the others."""

    @hiding
    def builtin(*args: Any, **kwargs: Any) -> Any:
        applied = (call(args[0]), *args[1:]) if args else args
        if function is map and any(each is factory for each in args[:1] for factory in _FACTORIES):
            applied = (growing_factory(applied[0]), *args[1:])
        if function is map and len(args) == 2 and of_generator(args[1]) is not None:
            return generator(args[1], lambda items: map(applied[0], items))
        if function is map and len(args) > 2:
            items, rows = rows_of(args[1:])
            if rows is not None:
                return generator(rows, lambda items: starmap(applied[0], items))
            applied = (applied[0], *items)
        return _ask(_first_backend(args), function, applied, kwargs)

    return builtin


def _zipping(builtin: Function) -> Function:
    """For `zip`, also of iterators of the user's."""

    @hiding
    def zipping(*args: Any, **kwargs: Any) -> Any:
        items, rows = (args, None) if kwargs.get("strict") else rows_of(args)
        return builtin(*items, **kwargs) if rows is None else rows

    return zipping


def _enumerating(builtin: Function) -> Function:
    """For `enumerate`, also of what only the run knows the number of."""

    @hiding
    def enumerating(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args, kwargs = by_place(enumerate, args, kwargs)
        given = of_generator(args[0]) if args and len(args) <= 2 and not kwargs else None
        if given is None:
            return builtin(*args, **kwargs)
        return numbered(given, args[1] if len(args) == 2 else 0)

    return enumerating


def _filtering(call: Call) -> Function:
    """For `filter`: while staging, the generator expression that it abbreviates."""

    @hiding
    def builtin(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 2 or kwargs or not is_staging():
            return filter(*args, **kwargs)
        function = None if args[0] is None else call(args[0])
        is_default = compare(function, "is", None)

        def accepted(items: Iterable[Any]) -> Iterator[Any]:
            for item in items:
                yield _accepts(function, is_default, item), functools.partial(_itself, item)

        return generator(args[1], accepted, tested=True)

    return builtin


def _accepts(function: Any, is_default: Any, item: Any) -> Any:
    """The test of `filter`, where perhaps only the run knows whether it has a function."""
    if backend_of(is_default) is None:
        return item if function is None else function(item)
    return cond(is_default, lambda: not_(not_(item)), lambda: not_(not_(function(item))))


def _itself(item: Any) -> Any:
    return item


def _ordering(function: Function, call: Call) -> Function:
    """For functions that compare their arguments, or the elements of the only one."""

    def builtin(*args: Any, **kwargs: Any) -> Any:
        try:
            if "key" in kwargs:
                kwargs["key"] = call(kwargs["key"])
                if function is not sorted and is_staging() and _is_call_of_extreme(args, kwargs):
                    return _extreme(function, args[0] if len(args) == 1 else args, **kwargs)
            if len(args) == 1:
                given = of_generator(args[0])
                if given is not None and (function is sorted or _is_call_of_extreme(args, kwargs)):
                    return _ordered(function, args[0], given, call, **kwargs)
                backend, items = _iterated(args[0])
                if function is sorted and is_staging() and backend is None and _is_in_turn(items):
                    return call(sorted)(growing(list(items)), **kwargs)
                backend, args = _looked_at(items) if backend is None else (backend, args)
            else:
                backend = _first_backend(args)
            backend = backend or _first_backend(kwargs.values())
            if backend is None and is_staging():
                backend = comparing(*args)
            return _ask(backend, function, args, kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return builtin


def _is_call_of_extreme(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether `max` and `min` take these arguments."""
    return len(args) > 0 and kwargs.keys() <= ({"key", "default"} if len(args) == 1 else {"key"})


def _extreme(function: Function, items: Any, key: Any = None, **options: Any) -> Any:
    return reductions.extreme(items, function, key, options)


def _ordered(function: Function, items: Any, given: Given, call: Call, **options: Any) -> Any:
    if function is not sorted:
        return _extreme(function, items, **options)
    ask_length(items)
    return call(sorted)(listed(given, any_order=options.get("key") is None), **options)


def _deciding(function: Function, decisive: bool) -> Function:
    """For `any` and `all`: the elements up to the first staged one are decided as in Python."""

    def builtin(*args: Any, **kwargs: Any) -> Any:
        try:
            is_call = len(args) == 1 and not kwargs
            given = of_generator(args[0], decided=True) if is_call else None
            if given is not None:
                return reductions.decided(given, function.__name__, decisive)
            backend = _first_backend(args)
            if backend is not None or kwargs or len(args) != 1 or not _may_hold_staged(args[0]):
                return _ask(backend, function, args, kwargs)
            return _decided(function, decisive, args)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return builtin


def _decided(function: Function, decisive: bool, args: tuple[Any, ...]) -> Any:
    # The tuple holds the argument: a name for it would be one more reference.
    references = sys.getrefcount(args[0])
    items = iter(args[0])
    for item in items:
        backend = backend_of(item)
        if backend is None:
            answer = truth(item)
            backend = backend_of(answer)
            if backend is not None:
                if type(args[0]) in _IN_TURN:
                    _check_unshared(items, references, function.__name__)
                return _ask(backend, function, (Rest(answer, _truths(items)),), {})
            if bool(answer) is decisive:
                return decisive
            continue
        if type(args[0]) in _IN_TURN:
            _check_unshared(items, references, function.__name__)
        if type(items) not in (GeneratorType, map) or isinstance(args[0], list):
            return _ask(backend, function, ([item, *items],), {})
        if type(items) is not map:
            return _ask(backend, function, (Rest(item, items),), {})
        reduced: Any = items.__reduce__()
        each, *iterators = reduced[1]
        rows = zip(*iterators, strict=False)
        if all(operator.length_hint(iterator, -1) >= 0 for iterator in iterators):
            # A partial: what the function can change is found through it.
            rest = functools.partial(_decided_in_rows, each, [*rows], function.__name__, decisive)
            return (or_ if decisive else and_)(not_(not_(item)), rest)
        return _ask(backend, function, (Rest(item, _of_rows(each, rows)),), {})
    return not decisive


def _truths(items: Iterator[Any]) -> Any:
    return (truth(item) for item in items)


def _of_rows(each: Function, rows: Iterable[Any]) -> Any:
    return (each(*row) for row in rows)


def _decided_in_rows(each: Function, rows: list[Any], name: str, decisive: bool) -> Any:
    """`any` or `all` of what a function makes of rows."""
    given = Given(rows, functools.partial(starmap, each), tested=False, nested=False)
    return reductions.decided(given, name, decisive)


def _check_unshared(items: Iterator[Any], references: int, name: str) -> None:
    if references > _OWN_REFERENCES or holds_shared_iterator(items):
        raise refusal(
            StagingError,
            f"the run decides how far {name}() advances its argument, which is used elsewhere too",
            hint=f"give {name}() a list of the items, or loop over them",
        )


def text_method(method: Any) -> Any:
    """The stand-in for a method of a text in generated code: `format` and `join` show what they
    are given.
    """
    stand_in = _OF_TEXTS.get(method.__name__)
    return method if stand_in is None else functools.partial(stand_in, method.__self__)


def _format(template: str, /, *args: Any, **kwargs: Any) -> Any:
    if is_staging() and any(map(texts.formats_itself, (*args, *kwargs.values()))):
        return texts.format_fields(template, *args, **kwargs)
    return _showing(str.format)(template, *args, **kwargs)


def _format_map(template: str, mapping: Any, /) -> Any:
    if not is_staging() or stand_ins.get(type(mapping), type(mapping)) is not dict:
        return template.format_map(mapping)
    # Others than dicts may have what they do not tell.
    return _format(template, **{key: mapping[key] for key in mapping if type(key) is str})


def _joined(separator: str, /, *args: Any) -> Any:
    if len(args) != 1 or type(args[0]) is str:
        return str.join(separator, *args)
    try:
        given = of_generator(args[0])
        items = args[0] if given is None else listed(given)
        backend = backend_of(items)
        parts = items if backend is not None else list(items)
        return _ask(backend or backend_within(parts), str.join, (separator, parts), {})
    except BaseException as error:  # whatever passes through is the user's: only ours goes
        hide(error)
        raise


_OF_TEXTS = {"format": _format, "format_map": _format_map, "join": _joined}


def _showing(function: Function) -> Function:
    """For functions that show their arguments and what is in them."""

    def builtin(*args: Any, **kwargs: Any) -> Any:
        try:
            shown = tuple([shown_by_user(function, arg) for arg in args])
            if function is print:
                args = shown
            elif len(args) == 1 and shown[0] is not args[0]:
                return shown[0]
            given = (*args, *kwargs.values()) if kwargs else args
            backend = next(filter(None, map(texts.backend_for, given)), None)
            return _ask(backend, function, args, kwargs)
        except BaseException as error:  # whatever passes through is the user's: only ours goes
            hide(error)
            raise

    return builtin


def _ask(
    backend: Backend | None, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if backend is None:
        return function(*args, **kwargs)
    if kwargs:
        args, kwargs = by_place(function, args, kwargs)
    return asked(backend, function, *args, **kwargs)


def by_place(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, with those by place that a function of Python takes either way.

    >>> by_place(pow, (2,), {"exp": 3})
    ((2, 3), {})
    """
    rest = dict(kwargs)
    for name in _names(function)[len(args) :]:
        if name not in rest:
            break
        args = *args, rest.pop(name)
    return args, rest


@functools.cache
def _names(function: Function) -> tuple[str, ...]:
    """The names of the parameters that take an argument by its place, of a function of Python's;
    none that has no name for the caller.
    """
    if str(getattr(function, "__module__", "")).partition(".")[0] not in sys.stdlib_module_names:
        return ()
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # C code that does not tell
        return ()
    placed = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(
        [
            each.name if each.kind is Parameter.POSITIONAL_OR_KEYWORD else ""
            for each in parameters
            if each.kind in placed
        ]
    )


def _first_backend(values: Iterable[Any]) -> Backend | None:
    for value in values:
        backend = backend_of(value)
        if backend is not None:
            return backend
    return None


def _may_hold_staged(items: Any) -> bool:
    if type(items) is map:
        return is_staging()
    if type(items) in _ITERATORS and is_staging():
        items = list(copy.copy(items))
    if type(items) is GeneratorType or is_of_rows(items) or backend_within(items) is not None:
        return True
    is_given = is_staging() and stand_ins.get(type(items), type(items)) in _GIVEN
    return is_given and any(map(_answers_itself, items))


_GIVEN: tuple[type, ...] = (
    list, tuple, deque, set, frozenset, type(dict[Any, Any]().values()),
)  # fmt: skip
_SOME: list[Any] = [iter([]), iter(()), iter(deque[Any]()), iter(set[Any]()), reversed([])]
_ITERATORS = tuple(map(type, _SOME))
_IN_TURN = GeneratorType, map, OF_SEQUENCE, *_ITERATORS


def _answers_itself(item: Any) -> bool:
    """Whether a method of the user's tells whether it is true."""
    return any(converted_method(item, name) is not None for name in ("__bool__", "__len__"))


def _iterated(items: Any) -> tuple[Backend | None, Any]:
    """The backend of the only argument, or of its elements; and what its own `__iter__` gives."""
    backend = backend_of(items) or backend_within(items)
    iterate = None if backend is not None else converted_method(items, "__iter__")
    return backend, items if iterate is None else iterate(items)


def _is_in_turn(items: Any) -> bool:
    return type(items) is GeneratorType or (is_staging() and isinstance(items, Iterator))


def _looked_at(items: Any) -> tuple[Backend | None, tuple[Any, ...]]:
    """Whether the first element that an iterator gives is staged; and all arguments."""
    if not _is_in_turn(items):
        return None, (items,)
    for first in items:
        backend = backend_of(first) or backend_within(first)
        if backend is None and is_staging():
            backend = comparing(first)
        return backend, (chain((first,), items) if backend is None else [first, *items],)
    return None, ((),)
