"""A Python value that is one of several: the run knows which. Texts, functions, classes and members
of enums, of which a branch has chosen one.

Whatever is done with it, is done with each of them in a branch of its own.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partialmethod
from typing import Any, NoReturn

import numpy as np

from autograph.objects import attributes_of
from autograph.operator_methods import BINARY, COMPARISONS, REFLECTED, UNARY
from autograph.operators.items import getitem
from autograph.operators.texts import mod
from autograph.users_words import listed
from runtime import dtypes
from runtime.core.convert import convert_to_tensor, register_conversion
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.graph.data import as_data
from runtime.graph.structures import Handler, Structure, add_handler, structure_of
from runtime.graph.templates import Written
from runtime.staging.bytecode import is_reflected, rows_unpacked
from runtime.staging.control.references import is_all_users, is_reference_class, want_asked
from runtime.staging.control.sameness import VALUES, Option, same
from runtime.staging.control.stand_ins import StandIn, bound_to, refused
from runtime.staging.frames import variable_holding
from runtime.staging.refusals import refuse
from runtime.staging.scopes import active, called, outermost

MOST = 64
"""Python values that one is chosen from."""

TOO_MANY = "compute with numbers, and make it of the result, outside of the function"
"""The way out where there are more of them."""

_FEW = 8
"""Texts that rounds of a loop may make longer, each in a branch of its own: of more, the run makes
the text.
"""

_KINDS = (
    str, bytes, type, types.FunctionType, types.BuiltinFunctionType, types.MethodType,
    functools.partial, enum.Enum, np.ufunc, dtypes.DType,
    operator.itemgetter, operator.attrgetter, operator.methodcaller, Option, *VALUES,
)  # fmt: skip


CHOSEN = "value that the run chooses"


class Options(tuple[Any, ...]):
    """The options of a choice: equal to others that are the same, whatever their `==` says."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        return all(map(same, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(map(type, self)))  # what is the same need not have one


class Choice(StandIn):
    """One of `options`: that at the staged `place`, which is None in the signature of a function.
    To Python's `isinstance` texts are a `str`.
    """

    __slots__ = ("options", "place")
    options: tuple[Any, ...]
    place: Any
    is_one_of_options = True
    __array_ufunc__ = None

    def __init__(self, options: tuple[Any, ...], place: Any) -> None:
        object.__setattr__(self, "options", Options(options))
        object.__setattr__(self, "place", place)

    def apply(self, function: Callable[[Any], Any]) -> Any:
        """Returns what the function gives for the option that the run chooses."""
        from runtime.staging.chosen_values import applied

        return applied(self, function)

    def told(self, function: Callable[..., Any], *args: Any) -> Any:
        """Returns what a function that only tells something of plain values gives for these
        arguments, of which this is one; NotImplemented for others.
        """
        from runtime.staging.chosen_values import told

        return told(function, *args)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from runtime.staging.chosen_values import of_method, views_of

        views = None if args or kwargs else views_of(self)
        if views is not None:
            return views

        def result(option: Any, *, _reached: Any = (args, kwargs)) -> Any:
            return called(option)(*args, **kwargs)

        made = NotImplemented if kwargs else self.told(operator.call, self, *args)
        if made is NotImplemented:
            made = of_method(self, args, kwargs)
        return self.apply(result) if made is NotImplemented else made

    def __getitem__(self, key: Any) -> Any:
        def result(option: Any, *, _reached: Any = key) -> Any:
            return getitem(option, key)

        made = self.told(operator.getitem, self, key)
        return self.apply(result) if made is NotImplemented else made

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The value of an attribute of a class for an instance: of a function, its bound method."""
        found = [bound_to(instance, owner, option) for option in self.options]
        is_same = all(map(operator.is_, found, self.options))
        return self if is_same else type(self)(tuple(found), self.place)

    __class__ = property(lambda self: str if self.is_text else Choice)

    @property
    def is_text(self) -> bool:
        """True if all options are texts."""
        return all(type(option) is str for option in self.options)

    def to_dtype(self) -> dtypes.DType:
        """The DType that each option names. StagingError where these are several, or none."""
        found: set[Any] = set()
        try:
            found.update(map(dtypes.as_dtype, self.options))
        except TypeError:  # of one that is none
            found.clear()
        if len(found) != 1:
            name, which = variable_holding(self), _listed(self.options)
            raise refuse(
                f"{'the dtype' if name is None else repr(name)} is one of {which}, which the run "
                "chooses, and what is made with it has one dtype in a graph, on all paths",
                "use the dtype in the branch that chooses it, and leave tensors of one dtype: "
                "y = tf.cast(tf.cast(x, tf.int32), tf.float32) if ... else x",
                name,
            )
        return found.pop()  # type: ignore[no-any-return]

    def known_size(self) -> int | None:
        """The number of characters of each option; None where they differ, or are no texts."""
        sizes = {len(each) if isinstance(each, str | bytes) else None for each in self.options}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def has_texts(self) -> bool:
        """True if Python has a text for each option that tells what it is: members of enums."""
        return _have_texts(self.options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)
        return self.member(name)

    def member(self, name: str) -> Any:
        """The attribute of the option that the run chooses."""
        has = [hasattr(option, name) for option in self.options]
        if any(has) and not all(has):
            return self.apply(lambda option: getattr(option, name))
        found = [getattr(option, name) for option in self.options]
        if all(map(callable, found)) and not isinstance(self.options[0], type):
            return Choice(tuple(found), self.place)
        if all(isinstance(each, list | dict | set) for each in found):
            from runtime.staging.lists.sequences import chosen

            return chosen(found, self.place)
        return self.apply(lambda option: getattr(option, name))

    def __setattr__(self, name: str, value: Any) -> None:
        if not all(map(is_token, self.options)):
            raise refused(self, "changed")

        def put(option: Any, *, _reached: Any = value) -> None:
            setattr(option, name, value)

        self.apply(put)

    def __delattr__(self, name: str) -> None:
        raise refused(self, "changed")

    def __str__(self) -> str:
        if self.place is None:
            return repr(self)
        want_asked()
        raise refused(self, "shown by code that is not converted")

    def shown(self) -> str:
        return f"<one of {_listed(self.options)}>"


def _listed(options: Iterable[Any]) -> str:
    return listed([repr(option) for option in options])


Choice.__name__ = CHOSEN  # to Python's errors, which name the class of what they do not take


def are_texts(options: Iterable[Any]) -> bool:
    """Whether these are texts, as members of a StrEnum are: a tensor, as a result of a function."""
    return all(isinstance(option, str) for option in options)


def is_number(value: Any) -> bool:
    """Whether this is one of several integers, as members of an IntEnum are."""
    return type(value) is Choice and all(isinstance(option, int) for option in value.options)


def is_member(value: Any) -> bool:
    """True for a member of an enum, and for one of several, that is no text: it is itself as a
    result of a function.
    """
    options = value.options if type(value) is Choice else (value,)
    return all(isinstance(each, Enum) and not isinstance(each, str | bytes) for each in options)


def operator_method(function: Callable[[Any, Any], Any], is_reflected: bool = False) -> Any:
    """The method for a binary operator, done with each option."""

    def method(self: Choice, other: Any) -> Any:
        is_by_run = _is_made_by_run(function, self, other, is_reflected)
        if function is not operator.add or not is_by_run:
            told = self.told(function, *((other, self) if is_reflected else (self, other)))
            if told is not NotImplemented:
                return told
        if is_by_run:
            from runtime.staging.chosen_values import of_texts

            made = of_texts(function, *((other, self) if is_reflected else (self, other)))
            if made is not NotImplemented:
                return made

        def result(option: Any, *, _reached: Any = other) -> Any:
            return function(other, option) if is_reflected else function(option, other)

        return self.apply(result)

    return method


def _is_made_by_run(
    function: Callable[[Any, Any], Any], choice: Choice, other: Any, is_reflected: bool
) -> bool:
    """True for an operator of two texts that has no branch for each, or each pair."""
    if type(other) is Choice:
        return len(choice.options) * len(other.options) > MOST
    if hasattr(type(other), "_is_text_of_run"):
        return choice.is_text
    if function is not operator.add or type(other) is not str or len(choice.options) <= _FEW:
        return False
    if not choice.is_text:
        return False
    known = set(choice.options)
    longer = {other + each if is_reflected else each + other for each in known}
    return not known.isdisjoint(longer)


def comparison_method(name: str, functions: Mapping[str, Callable[[Any, Any], Any]]) -> Any:
    """The method for a comparison, one of these: for `5 < self` Python asks `self > 5`."""
    left = operator_method(functions[name])
    right = operator_method(functions[REFLECTED[name]], is_reflected=True)

    def method(self: Choice, other: Any) -> Any:
        return (right if is_reflected(sys._getframe(1), name) else left)(self, other)

    return method


OPERATORS = {**BINARY, "__mod__": mod}  # of a text `%` takes staged values

for _name, _function in OPERATORS.items():
    setattr(Choice, _name, operator_method(_function))
for _name in COMPARISONS:
    setattr(Choice, _name, comparison_method(_name, COMPARISONS))
for _name, _function in OPERATORS.items():
    setattr(Choice, REFLECTED[_name], operator_method(_function, is_reflected=True))
for _name, _function in UNARY.items():
    setattr(Choice, _name, partialmethod(Choice.apply, _function))


def _refusing(name: str, use: str) -> None:
    def method(self: Choice, *_: Any) -> NoReturn:
        want_asked()
        raise refused(self, use)

    setattr(Choice, name, method)


for _name, _use in {
    "__hash__": "used as a key or in a set",
    "__bool__": "used as a Python bool by code that is not converted",
    "__contains__": "asked what is in it by code that is not converted",
    "__index__": "used as a number",
    "__format__": "shown by code that is not converted",
    "__enter__": "the manager of a `with`",
    "__exit__": "the manager of a `with`",
}.items():
    _refusing(_name, _use)


def _iterated(self: Choice) -> Iterator[Any]:
    """The items of each option, where Python takes a number of them that it knows."""
    from runtime.staging.chosen_values import applied, unpacked

    size = self.known_size()
    count = rows_unpacked(sys._getframe(1), None if size is None else (size,))
    if count is not None:
        return iter(unpacked(self, count))
    if not any(isinstance(option, Iterable) for option in self.options):
        applied(self, iter)  # Python's error
    want_asked()
    raise refused(self, "iterated over")


def _length(self: Choice) -> int:
    size = self.known_size()
    if size is None:
        want_asked()
        raise refused(self, "asked for its length by code that is not converted")
    return size


Choice.__iter__ = _iterated  # type: ignore[attr-defined]
Choice.__len__ = _length  # type: ignore[attr-defined]


# Joins


def is_option(value: Any) -> bool:
    """Whether it may be one of several Python values."""
    return isinstance(value, _KINDS) or is_token(value)


def is_token(value: Any) -> bool:
    """Whether it counts by what object it is alone: an `object()`, and one of a class of the
    user's, from before the call, that has no attributes of its own; others, too, where a trace
    refers to the objects of their class.
    """
    kind = type(value)
    if state.trace is None:
        return False
    if kind is object:
        return value not in outermost().memo.get(object, ())
    if not is_all_users(kind) or is_reference_class(kind):
        return False
    if not active().references.has(kind) and (attributes_of(value) or structure_of(value)):
        return False
    return bool(active().existed(value))


def _have_texts(options: Iterable[Any]) -> bool:
    return all(
        isinstance(option, (Enum, *VALUES)) or is_shown_as_object(type(option))
        for option in options
    )


_SHOWING = "__repr__", "__str__", "__format__"


def is_shown_as_object(kind: type) -> bool:
    """Whether the text of an object of the user's says no more than which one it is."""
    if not (kind is object or is_all_users(kind)):
        return False
    return all(getattr(kind, name) is getattr(object, name) for name in _SHOWING)


def made_object() -> object:
    """Returns what `object()` gives. One made in a loop, a branch or a function that is a graph of
    its own stands for a new one in each round and call: the graph would not tell them apart.
    """
    made, trace = object(), active()
    if trace.outer is not None or trace.scope.outer is not None:
        outermost().memo.setdefault(object, []).append(made)
    return made


def options_of(value: Any) -> tuple[Any, ...] | None:
    """The Python values that one may be; None for what is no choice and cannot be part of one."""
    if type(value) is Choice:
        return value.options
    return (value,) if is_option(value) else None


def are_one(items: Sequence[Any]) -> bool:
    """True if whichever of these is chosen, it is the first."""
    return is_option(items[0]) and all(same(item, items[0]) for item in items)


def union(first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, ...] | None:
    """The options of two; None for too many."""
    found = list(first)
    found += [item for item in second if not any(same(item, known) for known in first)]
    return tuple(found) if len(found) <= MOST else None


def place_in(value: Any, options: Sequence[Any]) -> Any:
    """The place of a value among these options: a staged one for a choice."""
    if type(value) is not Choice:
        return next(at for at, option in enumerate(options) if same(option, value))
    if all(map(same, value.options, options)):
        return value.place
    places = [place_in(option, options) for option in value.options]
    return sum((value.place == at) * place for at, place in enumerate(places))


def _text(keys: Sequence[Any], children: Sequence[Any]) -> Written:
    if not (are_texts(keys) or _have_texts(keys)):
        raise refused(Choice(tuple(keys), None), "shown, or part of an exception")
    return Written("chosen", (*children, *map(as_data, keys)))


def _flatten(choice: Choice) -> tuple[Any, Sequence[Any]]:
    return choice.options, (choice.place,)


def _build(kind: type, options: tuple[Any, ...], children: Sequence[Any]) -> Any:
    (place,) = children
    if len(options) == 1:
        return options[0]
    return options[place] if isinstance(place, int) else Choice(options, place)


def _fit(value: Any, structure: Structure) -> Sequence[Any]:
    return (place_in(value, structure.keys),)


HANDLER = Handler(
    _flatten,
    _build,
    "[{}]",
    names=lambda options: ("choice",),
    describe=lambda options: f"one of {_listed(options)}",
    fit=_fit,
    image=_text,
    is_tuple=True,
)
add_handler(Choice, HANDLER)


def structure(options: tuple[Any, ...]) -> Structure:
    """The structure of a choice from these."""
    return Structure(Choice, Options(options), HANDLER)


# Tensors


def _to_tensor(choice: Choice, dtype: dtypes.DType | None) -> Tensor:
    if all(isinstance(option, int | float) for option in choice.options):  # of an IntEnum
        number: Tensor = choice.apply(lambda option: convert_to_tensor(option, dtype))
        return number
    if not are_texts(choice.options):
        raise refused(choice, "used as a tensor")
    if dtype is not None and dtype is not dtypes.string:  # none of them is a number
        return convert_to_tensor(choice.options[0], dtype)
    made: Tensor = choice.apply(convert_to_tensor)
    return made


register_conversion(Choice, _to_tensor)
