"""The functions that traced code calls in place of those of Python and its library, which know
nothing of staged values.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, GeneratorType, MethodType
from typing import Any

import autograph
from autograph import user_iterators
from autograph.backend import backend_of, backend_within
from autograph.operators import texts
from autograph.operators.logical import compare, not_
from autograph.user_attributes import attribute_function, getter_function
from runtime.staging.arrays.making import making_function
from runtime.staging.asked_numbers import number_function
from runtime.staging.chosen_values import TAKEN, print_function, taking
from runtime.staging.control.choices import made_object
from runtime.staging.control.references import References, is_reference
from runtime.staging.draws import draw_function
from runtime.staging.guarding.watching import Watcher
from runtime.staging.lists.arenas import (
    class_of,
    function_of,
    looking_function,
    method_of_class,
    referring,
)
from runtime.staging.lists.comparison_sort import comparator_class
from runtime.staging.lists.endless_counts import count_class
from runtime.staging.lists.enum_members import enum_class
from runtime.staging.lists.growing import Growing, lacks
from runtime.staging.lists.growing_dict import dict_function
from runtime.staging.lists.growing_list import list_function
from runtime.staging.lists.iterator_functions import iterator_function
from runtime.staging.lists.list_builtins import sequence_function
from runtime.staging.lists.ordered_lists import order_function
from runtime.staging.lists.queues import queue_class
from runtime.staging.lists.remembered_calls import cached_function
from runtime.staging.lists.staged_keys import key_function
from runtime.staging.nest_calls import nest_function
from runtime.staging.refusals import refuse
from runtime.staging.scopes import InScope, active
from runtime.staging.text_sinks import sink_function
from runtime.staging.texts import shown_value, text_class
from runtime.staging.type_tests import has_attribute, of_each

Function = Callable[..., Any]

_WORDS: dict[Any, Function] = {
    operator.is_: lambda a, b: compare(a, "is", b),
    operator.is_not: lambda a, b: compare(a, "is not", b),
    operator.contains: lambda items, item: compare(item, "in", items),
    operator.not_: not_,
    operator.truth: lambda value: not_(not_(value)),
    operator.mod: texts.mod,
    operator.imod: texts.imod,
}
"""The functions that do what a word of Python does, or a `%` that may be of a text."""

_MAKING = "format", "format_map", "join"
"""The methods of texts that make texts of staged values."""


_FINDERS: tuple[Callable[[Any], Function | None], ...] = (
    key_function, dict_function, order_function, sink_function, cached_function, getter_function,
    iterator_function, count_class, queue_class, draw_function, comparator_class, text_class,
    enum_class, print_function, making_function, shown_value, nest_function,
)  # fmt: skip
"""Each gives what to call for a function that it knows, and None for any other."""


def instead_of(
    function: Any, args: tuple[Any, ...], references: References, watcher: Watcher
) -> Function | None:
    """Returns what to call with these arguments for a function; None: the function itself.

    `references` are the objects that the run chooses, `watcher` notes what `getattr` reads.
    """
    if function is hasattr:
        own = has_attribute if args and isinstance(args[0], Growing) else None
        return own or attribute_function(function, args)
    if function is getattr:
        return functools.partial(_getattr, taking(watcher.getattr))
    if type(function) is BuiltinFunctionType and function in TAKEN:
        return taking(function)
    if type(getattr(function, "__self__", None)) is str and function.__name__ not in _MAKING:
        return taking(function)
    generator = _generator_from_outside(function, args)
    if generator is not None:
        return functools.partial(_advanced, function, generator)
    if function is object and not args:
        return made_object
    if type(function) is MethodType and user_iterators.is_next(function):
        return functools.partial(user_iterators.asked, function)
    if isinstance(function, type) and issubclass(function, InScope):
        raise refuse(
            "the class of a tensor that only the run knows, which `type` gives, makes no numbers",
            "name the class, or make a tensor: int(n), tf.constant(n, x.dtype)",
        )
    if isinstance(function, type) and references.has(function):
        return referring(references, autograph.constructor(function))
    if references.known.classes and function is dataclasses.replace and args:
        return functools.partial(_replaced, referring(references, function))
    if references.known.refers:
        method = method_of_class(function)
        instead = function_of(function) if method is None else autograph.call(method)
        if instead is not None:
            return instead
    if function is type and len(args) == 1 and is_reference(args[0]):
        return class_of
    if type(function) is BuiltinFunctionType and function in _WORDS:
        return _WORDS[function]
    instead = number_function(function, args) or list_function(function)
    instead = instead or watcher.file_function(function)
    instead = instead or sequence_function(function, args) or looking_function(function, args)
    return instead or next(filter(None, (find(function) for find in _FINDERS)), None)


_ADVANCING = "send", "throw", "__next__"


def _generator_from_outside(function: Any, args: tuple[Any, ...]) -> Any:
    """The generator from outside of the function that a call advances; None for any other call."""
    is_method = getattr(function, "__name__", None) in _ADVANCING
    owner = args[0] if function is next and args else getattr(function, "__self__", None)
    is_advanced = type(owner) is GeneratorType and (is_method or function is next)
    return owner if is_advanced and active().existed(owner) else None


def _advanced(function: Function, generator: Any, /, *args: Any) -> Any:
    """A call that advances it. StagingError where it is given a value of the run, or has one."""
    _check_kept(generator, dict.fromkeys(("what it is sent",), args))
    made = function(*args)
    _check_kept(generator, {} if generator.gi_frame is None else generator.gi_frame.f_locals)
    return made


def _check_kept(generator: GeneratorType[Any, Any, Any], held: Mapping[str, Any]) -> None:
    for name, value in held.items():
        if backend_of(value) is not None or backend_within(value) is not None:
            raise refuse(
                f"{generator.__name__}, a generator from outside, keeps a value of the run, "
                f"{name}: it goes on once, while tracing, and would have a symbol then",
                "keep the value in a Variable or an attribute of an object, or advance the "
                "generator outside of the function",
            )


def _replaced(replace: Function, item: Any, /, *args: Any, **changes: Any) -> Any:
    return of_each(lambda each: replace(each, *args, **changes), item)


def _getattr(plain: Function, *args: Any) -> Any:
    if len(args) > 1 and type(args[1]) is str and lacks(*args[:2]):
        return getattr(args[0].plain(), *args[1:])
    return (attribute_function(getattr, args) or plain)(*args)
