"""Strings of staged values, which the graph builds at run time: the operations, and their operands.

A string is built where it is used: by `print`, when an exception that contains it is raised, or by
a node that makes a tensor of it. A scalar is written as the Python number that it holds, as in an
eager f-string.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from autograph import call, constructor
from autograph.backend import backend_of, stand_ins
from autograph.mutation.users_code import is_users_class
from autograph.operators.texts import fields_of, fields_shown
from autograph.operators.texts import text as joining
from autograph.users_words import with_article
from runtime import dtypes
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.core.shapes import TensorSpec
from runtime.core.tensor import Tensor, wrap
from runtime.core.types import NumberType, TensorType, Type, is_variable
from runtime.dtypes import DType
from runtime.graph.ir import Location
from runtime.graph.nodes import BOOL, FLOAT, INT
from runtime.graph.structures import Handler, Structure, add_handler, children_of, structure_of
from runtime.graph.templates import (
    ANSWERS,
    FUNCTIONS,
    PARTS,
    TEXTS,
    Written,
    place_in,
    written,
)
from runtime.graph.text_ops import TEXT
from runtime.staging.aliasing.sharing import home
from runtime.staging.arrays.symbolic_array import SymbolicArray
from runtime.staging.control.choices import Choice, is_shown_as_object
from runtime.staging.control.iteration import Staged, length_of, register_elements
from runtime.staging.control.joined_variables import check_asked
from runtime.staging.control.optional_values import MaybeNone, bound
from runtime.staging.control.sameness import is_value
from runtime.staging.control.specs import Leaf, Maybe, Optional, Same, Spec, Tree, Union
from runtime.staging.control.stand_ins import refused
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.frames import user_location
from runtime.staging.images import Images, check_print_options, holds_symbol
from runtime.staging.lists.growing import Growing, Kind
from runtime.staging.refusals import asked_by_converted_code, refuse
from runtime.staging.scopes import active, unfailing
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.symbolic_tensor import SymbolicTensor
from runtime.staging.tracing import is_symbol

_TENSOR = TensorType(dtypes.string, ())
_ATOMS = (int, float, complex, bool, str, bytes, type(None))
_MOST = 1 << 16  # arguments that a text is made of: more than Python allows
WAY_OUT = (
    "decide by the numbers that are in it; return those, and make the text outside of the function"
)
OF_ERRORS: tuple[Any, ...] = (BaseException.__str__, BaseException.__repr__, KeyError.__str__)
"""Methods that make the text of an exception."""
_RAISING = (operator.getitem, chr, str.translate)
_OF_TEMPLATES = (operator.mod, str.format)
_METHODS = frozenset(each for name, each in TEXTS.items() if name.startswith("str."))
_TELLING = frozenset(
    each for name, each in ANSWERS.items() if name.startswith("str.") or name == "contains"
)
_MAKING = frozenset(TEXTS.values())
_MOST_PARTS, _MOST_OF_RUN = 32, 8
_UNCHANGING = (Tensor, np.generic)


class Text:
    """`function(*args, **kwargs)`, a text of values that only the run knows.

    To Python's `isinstance` and `type` it is a `str`. It is made where it is read; where it is
    joined with others, leaves the function or is asked for a number, the graph makes a tensor of
    it.
    """

    __slots__ = ("_args", "_checked", "_function", "_kwargs", "_location", "_size")
    __array_ufunc__ = None
    _is_text_of_run = True

    def __init__(
        self, function: Callable[..., str], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> None:
        self._location = user_location()
        self._function = function
        self._args = tuple(args)
        self._kwargs = kwargs
        self._checked = False
        parts, of_run = _size_of((*self._args, *kwargs.values()))
        self._size = 1 + parts, of_run

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return str

    def __add__(self, other: Any) -> Any:
        return make(str.__add__, self, other) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return make(str.__add__, other, self) if isinstance(other, str) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return unchecked(str.__mul__, self, index_of(count))

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> Any:
        return percent(self, values)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return part(self, key)
        return unchecked(operator.getitem, self, index_of(key))

    def __getattr__(self, name: str) -> Any:
        method = f"str.{name}"
        if method in TEXTS:
            return functools.partial(unchecked, TEXTS[method], self)
        if method in ANSWERS:
            return functools.partial(answer, ANSWERS[method], self)
        if method in PARTS:
            return functools.partial(_taken_apart, PARTS[method], self)
        if name.startswith("__") or not hasattr(str, name):
            raise AttributeError(f"'str' object has no attribute {name!r}", name=name, obj=self)
        raise text_refused(f"asked for its {name}()")

    def __repr__(self) -> str:
        if asked_by_converted_code(sys._getframe(1)):
            raise text_refused("shown by code that is not staged")
        return f"<text of the run, by {self._function.__qualname__}()>"

    def _truth(self) -> Any:
        """Whether it has characters: a staged bool."""
        return answer(bool, self)


def text_refused(use: str, location: Location | None = None) -> Exception:
    """StagingError for a use of a text of the run, in words such as "indexed"."""
    return refuse(f"a text of staged values is {use}", WAY_OUT, location=location)


def index_of(value: Any) -> Any:
    """A place in a text: a Python int or a staged one."""
    return value._as_number() if isinstance(value, Tensor) else value


def _comparing(name: str) -> None:
    function = getattr(operator, name)

    def method(self: Text, other: Any) -> Any:
        if isinstance(other, str):
            return answer(function, self, other)
        if isinstance(other, Tensor) and other.dtype is dtypes.string:
            return function(as_tensor(self), other)
        if getattr(other, "decides_operators", False):
            return NotImplemented  # its own operator asks first what it is
        return NotImplemented if name not in ("eq", "ne") else name == "ne"

    method.__name__ = name
    setattr(Text, f"__{name}__", method)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparing(_name)


def _refusing(name: str, use: str) -> None:
    def method(self: Text, *_: Any) -> NoReturn:
        raise text_refused(use)

    method.__name__ = name
    setattr(Text, name, method)


_USES = {
    "bool": "used as a test by code that is not staged",
    "contains": "asked what is in it by code that is not staged",
    "format": "shown by code that is not staged",
    "hash": "used as a key or in a set",
    "iter": "iterated over by code that is not staged",
    "len": "asked for its length by code that is not staged",
}
for _name, _use in _USES.items():
    _refusing(f"__{_name}__", _use)


def _size_of(items: Iterable[Any]) -> tuple[int, int]:
    """The numbers of parts that texts are made of, and of those that only the run knows."""
    parts = of_run = 0
    for item in items:
        kind = type(item)
        if kind is Text:
            size = item._size
        elif kind in (tuple, list):
            size = _size_of(item)
        else:
            size = _size_of(item.values()) if kind is dict else (1, int(is_symbol(item)))
        parts += size[0]
        of_run += size[1]
    return parts, of_run


def unchecked(function: Callable[..., str], /, *args: Any, **kwargs: Any) -> Any:
    """The text that a function gives, or what it raises when it runs."""
    made = _unmade(function, args, kwargs)
    may_fail = function in _RAISING or (function in _METHODS and _may_fail(made))
    return _made_here(made, may_fail=True) if may_fail else _bounded(made)


def _unmade(function: Callable[..., str], args: Sequence[Any], kwargs: dict[str, Any]) -> Text:
    return Text(
        function, [_kept(arg) for arg in args], {key: _kept(x) for key, x in kwargs.items()}
    )


def _bounded(text: Text) -> Text:
    """The text, or one of few parts in its place: what is carried has no more of them, and a text
    may stand in another one twice.
    """
    parts, of_run = text._size
    is_large = parts > _MOST_PARTS or of_run > _MOST_OF_RUN
    is_made_here = is_large and text._function in _MAKING
    return _made_here(text, may_fail=False) if is_made_here else text


def _made_here(text: Text, may_fail: bool) -> Text:
    """The text, made where it stands: if it may fail, it raises there, also if nobody reads it, and
    in the `try` around it.
    """
    return Text(TEXTS["spelled"], [_run(text, _TENSOR, may_fail)], {})


_KINDS = {len: INT, int: INT, float: FLOAT, ord: INT, place_in: INT} | {
    ANSWERS[f"str.{name}"]: INT for name in ("count", "find", "index", "rfind", "rindex")
}


def answer(function: Callable[..., Any], *args: Any) -> Any:
    """The staged number that a function tells of texts."""
    kind = _KINDS.get(function, BOOL)
    asked = _unmade(function, args, {})
    may_fail = function in _ASKED_IN_VAIN or (function in _TELLING and _may_fail(asked))
    return _run(asked, kind, may_fail)


_ASKED_IN_VAIN = (int, float, ord, ANSWERS["str.index"], ANSWERS["str.rindex"])


def _run(text: Text, type: Type, may_fail: bool) -> Any:
    images, trace = Images(), active()
    template = images.of(text)
    values = tuple([trace.value_of(symbol) for symbol in images.symbols])
    made = trace.apply if may_fail else unfailing(trace.apply)
    return made(TEXT, values, {"template": template, "type": type})


def joined(separator: str, column: Any) -> Text:
    """The texts of a list of the graph, one behind the other."""
    text = Text(str.join, [separator, Text(FUNCTIONS["texts"], [column], {})], {})
    return _made_here(text, may_fail=False)


def of_operator(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """The result of a binary operator for two texts: a text, a staged bool, or NotImplemented."""
    if function is operator.add:
        return unchecked(str.__add__, a, b)
    return answer(function, a, b) if function in _NAMES else NotImplemented


class Characters(Staged):
    """The characters of a text that only the run knows."""

    __slots__ = ("text",)

    def __init__(self, text: Text) -> None:
        self.text = unchecked(TEXTS["spelled"], as_tensor(text))

    def length(self) -> Any:
        return answer(len, self.text)

    @unfailing
    def at(self, index: Any) -> Any:
        return self.text[index]


class Parts(Staged):
    """The parts that a text is taken apart into."""

    __slots__ = ("parts",)

    def __init__(self, parts: Any) -> None:
        self.parts = parts

    def length(self) -> Any:
        return length_of(self.parts)

    @unfailing
    def at(self, index: Any) -> Any:
        return Text(TEXTS["spelled"], [self.parts[index]], {})


def _taken_apart(function: Callable[..., Any], text: Text, *args: Any, **kwargs: Any) -> Any:
    """The list of the parts of a text, or the tuple of a part, what is behind it and the rest."""
    from runtime.staging.lists.list_builtins import listed

    is_tuple = function in (str.partition, str.rpartition)
    type = TensorType(dtypes.string, (3 if is_tuple else None,))
    parts = Parts(_run(unchecked(function, text, *args, **kwargs), type, may_fail=True))
    return tuple(map(parts.at, range(3))) if is_tuple else listed(parts)


def part(text: Any, key: slice) -> Any:
    """`text[start:stop:step]` of a text, or with bounds, that only the run knows."""
    bounds = [x if x is None else index_of(x) for x in (key.start, key.stop, key.step)]
    made = _unmade(TEXTS["sliced"], (text, *bounds), {})
    may_fail = is_symbol(bounds[2]) or _may_fail(made)  # the step may be 0
    return _made_here(made, may_fail=True) if may_fail else _bounded(made)


def text_class(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a class of the user's whose objects are texts, which Python makes
    of texts that it knows; None for anything else.
    """
    if type(function) is not type or not issubclass(function, str):
        return None
    is_plain = function.__new__ is str.__new__ and is_users_class(function)
    return functools.partial(_of_class, function) if is_plain else None


def shown_value(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for `x.__repr__` and the like of what stands for a value of the user's,
    or of a dataclass or namedtuple; None for anything else.
    """
    shows = _SHOWN.get(function.__name__) if type(function) is MethodType else None
    if shows is None:
        return None
    value = function.__self__
    if backend_of(value) or type(value) in stand_ins:
        return functools.partial(call(shows), value)
    for kind in type(value).__mro__ if shows is repr else ():
        if vars(kind).get("__repr__") is function.__func__:
            names = fields_of(kind)
            return None if names is None else functools.partial(fields_shown, value, names)
    return None


_SHOWN: dict[str, Any] = {"__str__": str, "__repr__": repr, "__format__": format}


def _of_class(kind: type, /, *args: Any, **kwargs: Any) -> Any:
    if any(is_staged(item) or type(item) is Choice for item in (*args, *kwargs.values())):
        raise refuse(
            f"{with_article(kind.__name__)}, a text of a class of its own, is made of what only "
            "the run knows",
            "write its methods as functions of a text; an order as functools.cmp_to_key(compare)",
        )
    return constructor(kind)(*args, **kwargs)


def make(function: Callable[..., str], /, *args: Any, **kwargs: Any) -> Any:
    """The text that a function of Python's gives for the values of the run.

    Raises what the function raises for values of these types, at run time where that depends on the
    values, and StagingError where an object among them could change before the text is read.
    """
    if args and isinstance(args[0], BaseException) and args[1:] in ((), ("",)):
        return _of_error(function, args[0])
    if args and isinstance(args[0], MaybeNone) and isinstance(args[0].held, BaseException):
        return _of_optional_error(function, *args)
    choice = chosen_in((args, kwargs))
    if choice is not None:

        def of_option(option: Any) -> Any:
            given, named = _with_option((args, kwargs), choice, option)
            return _shown(function, *given, **named)

        return choice.apply(of_option)
    made = _unmade(function, args, kwargs)
    return _made_here(made, may_fail=True) if _may_fail(made) else _bounded(made)


def percent(template: Any, values: Any) -> Any:
    """`template % values`, of a text or bytes."""
    if isinstance(template, bytes | bytearray):
        raise refuse("bytes are made of what only the run knows", WAY_OUT)
    if isinstance(values, Growing) and isinstance(values, tuple):  # of the run's number of items
        return _made_here(_unmade(operator.mod, (template, values), {}), may_fail=True)
    return make(operator.mod, template, values)


def chosen_in(item: Any) -> Choice | None:
    """The first value, also in tuples, lists and dicts, of which the run chooses the text."""
    if type(item) is Choice and item.has_texts:
        return item
    parts = item.values() if type(item) is dict else item if type(item) in (tuple, list) else ()
    return next((found for part in parts if (found := chosen_in(part)) is not None), None)


def _with_option(item: Any, choice: Choice, option: Any) -> Any:
    """The same with an option in place of a choice."""
    if item is choice:
        return option
    if type(item) in (tuple, list):
        return type(item)([_with_option(part, choice, option) for part in item])
    if type(item) is dict:
        return {key: _with_option(part, choice, option) for key, part in item.items()}
    return item


def _shown(function: Callable[..., str], /, *args: Any, **kwargs: Any) -> Any:
    """The text of values, one of which the run has chosen: Python's, where no other is staged."""
    if not (is_staged([args, kwargs]) or any(type(arg) is Choice for arg in args)):
        return function(*args, **kwargs)
    made = make(function, *args, **kwargs)
    return Text(TEXTS["spelled"], [as_tensor(made)], {}) if type(made) is Text else made


def _of_optional_error(function: Callable[..., str], item: Any, *spec: Any) -> Text:
    error, there = item.held, index_of(item.flag)
    of_error = make(function, error, *spec) if is_in(error) else function(error, *spec)
    return Text(TEXTS["chosen"], (there, function(None, *spec), of_error), {})


def _of_error(function: Callable[..., str], error: BaseException) -> Any:
    kind, args = type(error), error.args
    one = args[0] if len(args) == 1 else args
    shows = function
    if function not in OF_ERRORS:
        shows = kind.__repr__ if function in (repr, ascii) else kind.__str__
    if shows is BaseException.__repr__:
        inside = call(ascii if function is ascii else repr)(one)
        ends = ("(", ")") if len(args) == 1 else ("", "")
        return joining(kind.__name__, ends[0], inside, ends[1])
    if shows is KeyError.__str__ and len(args) == 1:
        return call(repr)(one)
    if isinstance(error, OSError) and shows is OSError.__str__ and _has_number(error):
        return joining("[Errno ", call(str)(args[0]), "] ", call(str)(args[1]))
    if shows in OF_ERRORS or (shows in _AS_OTHERS and len(args) < 2):
        return call(str)(one)
    raise refuse(
        f"a text is made of {with_article(kind.__name__)} that holds what only the run knows",
        "make it of its arguments: error.args",
    )


def _has_number(error: OSError) -> bool:
    return len(error.args) == 2 and error.filename is None


_AS_OTHERS = OSError.__str__, ImportError.__str__
"""The texts of classes that are those of other exceptions where there is one argument."""


def _kept(item: Any) -> Any:
    """The item as it is now."""
    item = bound(item)
    if is_variable(item):
        raise refuse(f"the text of a variable, {item.name!r}, is asked for", "write v.value()")
    if isinstance(item, MaybeNone):
        return MaybeNone(_kept(item.held), item.flag)
    if type(item) is Choice:
        return _text_of(item)
    if type(item) is TaggedUnion:
        raise item.refusal()
    if is_symbol(item):
        active(item).value_of(item)  # raises for a symbol of another graph
    if isinstance(item, SymbolicTensor):
        check_asked(item, "its text")
        if isinstance(item, SymbolicArray):
            check_print_options(item)
        return home(item).trace.in_texts.setdefault(item.graph_value, item.twin())
    kind = type(item)
    if kind in _ATOMS or is_symbol(item) or kind is Text or isinstance(item, _UNCHANGING):
        return item
    if is_value(kind) or is_shown_as_object(kind):
        return item
    if isinstance(item, Enum) and not any(map(functools.partial(_is_users, kind), _SHOWING)):
        return item
    if isinstance(item, Growing):
        return item if isinstance(item, tuple) else item.copy()
    if kind in (tuple, list):
        return kind([_kept(each) for each in item])
    if kind is dict and all(type(key) in _ATOMS for key in item):
        return {key: _kept(each) for key, each in item.items()}
    called = kind.__qualname__
    called = f"staged {called.lower()}" if kind.__module__.startswith("runtime.") else called
    raise refuse(
        f"{with_article(called)} is in a text beside staged values, and may be another one "
        "when the text is read",
        "write its parts into the text, or make a text of it before",
    )


_SHOWING = "__str__", "__repr__", "__format__"


def _is_users(kind: type, name: str) -> bool:
    """Whether a member of an enum has a method of this name that the user wrote."""
    method = getattr(kind, name)
    return type(method) is FunctionType and method.__module__ != "enum"


def _text_of(choice: Choice) -> Text:
    if not choice.is_text:
        raise refused(choice, "shown, or part of a text")
    return Text(TEXTS["chosen"], (choice.place, *choice.options), {})


def is_in(error: BaseException) -> bool:
    """Whether an exception holds a value that only the run knows."""
    return is_staged([error.args, vars(error)]) or holds_symbol(error.args, vars(error))


# Made of values


def is_staged(item: Any) -> bool:
    """Whether a value is, or holds, one that only the run knows."""
    if is_symbol(item) or type(item) is Text or isinstance(item, MaybeNone):
        return True
    return any(map(is_staged, children_of(item)))


def _flatten(text: Text) -> tuple[Any, Sequence[Any]]:
    """Parts that Python knows are keys: no path has others in their place, as a step of 0."""
    parts = (*text._args, *text._kwargs.values())
    known = tuple([Same(part) if type(part) in _ATOMS else None for part in parts])
    staged = [part for part, key in zip(parts, known, strict=True) if key is None]
    return (text._function, tuple(text._kwargs), known), staged


def _filled(known: Sequence[Same | None], staged: Sequence[Any]) -> list[Any]:
    rest = iter(staged)
    return [next(rest) if key is None else key.value for key in known]


def _build(kind: type, keys: Any, children: Sequence[Any]) -> Any:
    function, names, known = keys
    parts = _filled(known, children)
    if not any(isinstance(child, TensorSpec) or is_staged(child) for child in children):
        return written(function, parts, names)
    count = len(parts) - len(names)
    return Text(function, parts[:count], dict(zip(names, parts[count:], strict=True)))


_NAMES = {function: name for name, function in FUNCTIONS.items()}


def _image(keys: Any, children: Sequence[Any]) -> Written:
    function, names, known = keys
    return Written(_NAMES[function], tuple(_filled(known, children)), names)


def as_tensor(value: Any) -> Any:
    """The tensor of a text that may be Python's, one of several, or the run's."""
    if type(value) is Choice:
        value = _text_of(value)
    if type(value) is not Text:
        return convert_to_tensor(value)
    if value._function is TEXTS["spelled"] and is_symbol(value._args[0]):
        return value._args[0]
    return _run(value, _TENSOR, may_fail=False)


def of_any(value: Any) -> Text:
    """The same text, as one that only the run knows."""
    return Text(TEXTS["spelled"], [as_tensor(value)], {})


def _fit(value: Any, structure: Structure) -> Sequence[Any]:
    return [as_tensor(value)]


_HANDLER = Handler(
    _flatten,
    _build,
    "[{}]",
    names=lambda keys: range(_MOST),
    describe=lambda keys: "text",
    image=_image,
    fit=_fit,
    is_tuple=True,
)
add_handler(Text, _HANDLER)
register_elements(Text, Characters, lambda text: True)
register_elements(Choice, lambda choice: Characters(of_any(choice)), lambda choice: choice.is_text)
ANY = Tree(Structure(Text, (TEXTS["spelled"], (), (None,)), _HANDLER), (Leaf(_TENSOR),))
"""The Spec of any text."""


# Examples of values


def _may_fail(made: Text) -> bool:
    """Whether making a text, or a number of one, raises something for some values of the run.
    Raises what it raises for all: a TypeError, or what numbers alone are made into.
    """
    made._checked = True
    if made._function in _OF_TEMPLATES and type(made._args[0]) is Text:
        return True  # a template of the run may be any
    usual, other = _failure(made, "text"), _failure(made, "")
    if not (usual and other and _failure(made, "t")):
        return bool(usual or other)
    if isinstance(usual, TypeError) or all(map(_is_of_numbers, children_of(made))):
        raise usual
    return True


def _is_of_numbers(item: Any) -> bool:
    """Whether no text that only the run knows is in a value."""
    if isinstance(item, SymbolicTensor):
        return item.dtype is not dtypes.string
    if type(item) is Text or isinstance(item, Growing):
        return False
    return all(map(_is_of_numbers, children_of(item)))


def _failure(made: Text, text: str) -> Exception | None:
    try:
        _example(made, text)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        return error
    return None


def _example(item: Any, text: str) -> Any:
    """A value like one of the run, for texts this one: an ordinary one or, where that is empty, one
    that some formats cannot show. A text may be a format itself: an empty one suits all values, and
    `%c` shows those of one character.
    """
    first = text != ""
    if type(item) is Text and not item._checked:
        return text
    if isinstance(item, MaybeNone):
        return _example(item.held, text) if first else None
    if isinstance(item, SymbolicNumber | SymbolicTensor):
        return _example_of(item.type, first)
    if isinstance(item, Growing) and item.staged is not None:
        return [_example_of_spec(item.staged.element, first)]
    found = structure_of(item)
    if found is None:
        return item
    return found[0].build([_example(child, text) for child in found[1]])


def _example_of_spec(spec: Spec, first: bool) -> Any:
    if isinstance(spec, Optional | Maybe):
        return _example_of_spec(spec.inner, first) if first else None
    if isinstance(spec, Union):
        return _example_of_spec(spec.kinds[0 if first else -1], first)
    if isinstance(spec, Tree):
        if isinstance(spec.structure.keys, Kind):
            return [_example_of_spec(spec.structure.keys.element, first)]
        return spec.structure.build([_example_of_spec(child, first) for child in spec.children])
    return spec.value if isinstance(spec, Same) else _example_of(spec.type, first)


def _example_of(type: Type, first: bool) -> Any:
    if isinstance(type, NumberType):
        return _NUMBERS[type.kind][first]
    assert isinstance(type, TensorType)
    shape, dtype = type.shape, type.dtype
    if shape is None:
        shape = () if first else (1,)
    value: Any = b"text" if dtype is dtypes.string else 1
    if not (first or dtype is dtypes.string or dtype.is_unsigned or dtype is dtypes.bool):
        value = math.nan if dtype.is_floating else -value
    made: Any = np.full([1] * len(shape), value, dtype.np_dtype)
    return wrap(made if shape else made[()])


_NUMBERS = {"bool": (False, True), "int": (-1, 1), "float": (math.nan, 1.5)}


def _to_tensor(text: Text, dtype: DType | None) -> Tensor:
    return convert_to_tensor(as_tensor(text), dtype)


register_conversion(Text, _to_tensor)
