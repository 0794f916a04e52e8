"""Python values of which the run chooses one: each in a branch, and builtins that take them."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from autograph import call, operators
from autograph.operators import matching
from autograph.operators.raising import exception
from runtime import dtypes, nest
from runtime.core.tensor import Tensor
from runtime.graph.nodes import fits
from runtime.graph.templates import ANSWERS, PARTS, TEXTS
from runtime.ops import print_op
from runtime.staging import texts
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches, choices
from runtime.staging.control.blocks import Block, Names, Wording
from runtime.staging.control.choices import Choice
from runtime.staging.control.failures import UnknownText
from runtime.staging.control.identity import identical
from runtime.staging.control.optional_values import MaybeNone, Missing, present
from runtime.staging.control.specs import Mismatch
from runtime.staging.control.stand_ins import member_of, refused
from runtime.staging.control.tagged_unions import TaggedUnion
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.sequences import check, chosen
from runtime.staging.outside import CONTAINERS, DICTS
from runtime.staging.symbolic_number import SymbolicNumber
from runtime.staging.type_tests import of_each

_WORDS = Wording("the values that the run chooses from", "what is made of a choice", unites=True)

_FEW, _MOST = 4, 1024
"""Options that are asked one by one; and the most of those whose answers are in a table."""

_METHOD = type("".upper)
_PLAIN = frozenset((str, int, float, bool, type(None)))
_TELLING = frozenset((len, ord, int, float, bool, operator.getitem, operator.contains))
"""Functions that do nothing else than to tell something of plain values."""


def applied(choice: Choice, function: Callable[[Any], Any], at: int = 0, names: Names = ()) -> Any:
    """Returns what a function gives for each option from `at` on, in branches: one value, or one
    for each of the `names`.

    Default values of the function lead a recorder to what it can change.
    """
    option, others = choice.options[at], choice.options[at + 1 :]

    def here(*, _reached: Any = (option, function)) -> Any:
        return function(option)

    def further(*, _reached: Any = (others, function)) -> Any:
        return applied(choice, function, at + 1, names)

    if not others:
        return here()
    test = choice.place == at
    return branches.cond(test, here, further, (), names, BlockRecorder, words=_WORDS)


def told(function: Callable[..., Any], *args: Any) -> Any:
    """The result of a function that only tells something of plain values, for what the run chooses
    among its arguments: Python's answers for all of them stand in a table. NotImplemented where
    these are few or too many, of several kinds, or an error.
    """
    options = [arg.options if type(arg) is Choice else (arg,) for arg in args]
    count = math.prod(map(len, options))
    if not _FEW < count <= _MOST or not all(map(_are_plain, options)):
        return NotImplemented
    try:
        found = list(itertools.starmap(function, itertools.product(*options)))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return NotImplemented  # each is raised in a branch
    kinds = set(map(type, found))
    if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        return NotImplemented
    if kinds == {int} and not all(fits(each, dtypes.int64) for each in found):
        return NotImplemented
    place: Any = 0
    for arg in args:
        if type(arg) is Choice:
            place = place * len(arg.options) + arg.place
    return chosen(found, place)


def _are_plain(values: Iterable[Any]) -> bool:
    return all(map(_is_plain, values))


def _is_plain(value: Any) -> bool:
    if type(value) is dict:
        return _are_plain(value) and _are_plain(value.values())
    if type(value) in (tuple, list, set, frozenset):
        return _are_plain(value)
    # A method of a text does nothing else than to tell something of it.
    return type(getattr(value, "__self__", value) if type(value) is _METHOD else value) in _PLAIN


def views_of(methods: Choice) -> TaggedUnion | None:
    """The views that methods of several dicts give, `items`, `keys` or `values`; None for others.
    They are read one by one, and join no others.
    """
    for method in methods.options:
        if not isinstance(getattr(method, "__self__", None), dict) or method.__name__ not in _VIEWS:
            return None
    made = [method() for method in methods.options]
    return TaggedUnion(made, methods.place, Mismatch(*_OF_VIEWS))


_VIEWS = frozenset(("items", "keys", "values"))
_OF_VIEWS = (
    "it is a view of one of several dicts",
    "make a list of it where it is used: list(d.items())",
)


def of_texts(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """An operator of two texts, or choices, without a branch for each pair: the text it makes."""
    if not all(each.is_text if type(each) is Choice else type(each) in _TEXT for each in (a, b)):
        return NotImplemented
    return texts.of_operator(function, a, b)


_TEXT = str, texts.Text


def of_method(methods: Choice, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a method of texts where the run makes the text, which has no branch for each:
    of arguments that only the run knows, and of parts that are not as many. NotImplemented for
    others.
    """
    if not all(_is_method_of_text(each) for each in methods.options):
        return NotImplemented
    given = (*args, *kwargs.values())
    if not (_is_of_run(given) or _gives_unlike_parts(methods.options, args, kwargs)):
        return NotImplemented
    text = texts.of_any(Choice(tuple(map(_text_of, methods.options)), methods.place))
    method = getattr(text, methods.options[0].__name__)
    return method(*map(_as_any_text, args), **kwargs)


def _is_of_run(given: tuple[Any, ...]) -> bool:
    """Whether what a method of a text is given, also in a dict, is known to the run only."""
    is_chosen = any(type(item) is Choice for item in given)
    return is_chosen or texts.is_staged(given) or texts.chosen_in(given) is not None


def _is_method_of_text(method: Any) -> bool:
    is_one = type(method) is _METHOD and type(_text_of(method)) is str
    return is_one and f"str.{method.__name__}" in _OF_TEXTS


def _text_of(method: Any) -> Any:
    return method.__self__


def _gives_unlike_parts(options: Iterable[Any], args: Any, kwargs: Any) -> bool:
    try:
        found = [option(*args, **kwargs) for option in options]
    except (TypeError, ValueError):
        return False  # each is raised in a branch
    return len({len(each) for each in found if type(each) is list}) > 1


_OF_TEXTS = frozenset((*TEXTS, *ANSWERS, *PARTS)) - {"str.format", "str.join"}


def unpacked(choice: Choice, count: int) -> list[Any]:
    """The items of what is unpacked into so many names; Python's error, at run time, where it is of
    a kind that has none or others.
    """

    def checked(option: Any) -> None:
        is_number = isinstance(option, Tensor) and option.static_shape == ()
        has_items = isinstance(option, str | bytes | tuple | list | Tensor) and not is_number
        if isinstance(option, Iterable) and not (has_items or is_number):
            # The order of a set is of the whole, others are asked by Python.
            is_union = isinstance(choice, TaggedUnion)
            raise choice.refusal() if is_union else refused(choice, "unpacked")
        if not has_items:
            raise TypeError(f"cannot unpack non-iterable {_kind_of(option)} object")
        size = option.length() if isinstance(option, Growing) else len(option)
        few = texts.make(str.format, _TOO_FEW, count, size)
        check(size < count, few, ValueError)
        many: Any = f"too many values to unpack (expected {count})"
        if _TELLS_SIZES and not isinstance(option, str):
            many = texts.make(str.format, _TOO_MANY, count, size)
        check(size > count, many, ValueError)

    applied(choice, checked)
    return [choice[at] for at in range(count)]


def _kind_of(option: Any) -> str:
    """The name of the class that a number, or None, is of to the user."""
    if isinstance(option, SymbolicNumber):
        return option.type.kind
    if isinstance(option, Tensor):
        if option.dtype.is_bool:
            return "bool"
        return "float" if option.dtype.is_floating else "int"
    return type(option).__name__


_TOO_FEW = "not enough values to unpack (expected {}, got {})"
_TOO_MANY = "too many values to unpack (expected {}, got {})"
_TELLS_SIZES = sys.version_info >= (3, 14)
"""Whether Python tells how many items a list or tuple has that are too many."""

_TEMPLATES = str, bytes, bytearray
_TEXTS = frozenset((print, format, str.format, str.join, operator.mod, repr, ascii))
TAKEN = frozenset((getattr, setattr, delattr))
"""Functions that no backend is asked for."""

_APPLYING = frozenset((map, filter, functools.reduce))
_FINDING = (operator.contains, operator.getitem)


def _fitting_parts(option: Any, cls: Any, *asked: Any) -> Any:
    return matching.parts(option, cls, *asked) if matching.is_instance(option, cls) else None


def of_builtin(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """A builtin with a choice among its arguments: NotImplemented for one that takes it as it
    is.
    """
    if function is operator.is_:
        return identical(*args)
    unions = [at for at, item in enumerate(args) if type(item) is TaggedUnion]
    if unions and function is reversed and _is_list(args[0]):
        return call(function)(call(list)(*args))  # for an iterator is no value of a branch
    if not unions:
        if function in _TEXTS and not _makes_bytes(function, *args):
            return NotImplemented
        if function is operator.contains and type(args[0]) in (list, tuple):
            return NotImplemented  # each item is compared
        if function is operator.getitem and holds_containers(args[0]):
            return NotImplemented  # the run looks for the place of the key
        if function in _FINDING and _has_keys_of_run(args[0]) and args[1].is_text:
            return NotImplemented  # as there: in branches, each would read all of them
        if function in _APPLYING and type(args[0]) is Choice:
            return call(function)(args[0].__call__, *args[1:])
        if function is iter or (isinstance(function, type) and issubclass(function, Iterator)):
            given = [_as_plain(item) for item in args]  # for an iterator is no value of a branch
            if not any(type(item) is Choice for item in given):
                return call(function)(*given, **kwargs)
        if function is list and args[0].is_text and len(set(map(len, args[0].options))) > 1:
            return call(list)(_as_any_text(args[0]))  # one list, to which items are assigned
        unions = [at for at, item in enumerate(args) if type(item) is Choice]
    at = unions[0]
    before, choice, behind = args[:at], args[at], args[at + 1 :]
    known: dict[Callable[..., Any], Callable[..., Any]] = {
        exception: _raise,
        operator.getitem: operators.getitem,
        operator.contains: lambda items, item: operators.compare(item, "in", items),
        getattr: member_of,
        matching.parts: _fitting_parts,
        **{each: functools.partial(texts.make, each) for each in (ascii, str.format)},
    }
    if type(args[0]) in _TEMPLATES:
        known[operator.mod] = operators.mod
    instead = known.get(function, function if function in TAKEN else call(function))

    def result(option: Any, *, _reached: Any = (before, behind, kwargs)) -> Any:
        return instead(*before, option, *behind, **kwargs)

    if not kwargs and (function in _TELLING or type(function) is _METHOD):
        made = told(instead, *args)
        if made is not NotImplemented:
            return made
    return applied(choice, result)


def _has_keys_of_run(items: Any) -> bool:
    """Whether it is a set or dict of which only the run knows the keys."""
    is_found = isinstance(items, Growing) and isinstance(items, set | frozenset | dict)
    return is_found and items.staged is not None


def _makes_bytes(function: Callable[..., Any], template: Any, *_: Any) -> bool:
    return function is operator.mod and not isinstance(template, str)


def _is_list(items: TaggedUnion) -> bool:
    """Whether it is a list in any case."""
    return all(issubclass(option.__class__, list) for option in items.options)


def holds_containers(entries: Any) -> bool:
    """Whether a dict of Python's has lists, dicts or sets as values, which no branches join."""
    return type(entries) in DICTS and any(isinstance(each, CONTAINERS) for each in entries.values())


def _as_plain(item: Any) -> Any:
    """A text or number of the run for one of several."""
    return applied(item, operator.index) if choices.is_number(item) else _as_any_text(item)


def _as_any_text(item: Any) -> Any:
    return texts.of_any(item) if type(item) is Choice and item.is_text else item


def _raise(option: Any, *cause: Any) -> NoReturn:
    if cause:
        raise option from cause[0]
    raise option


def opened(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a builtin that takes no None: texts and such that may be missing are
    there.
    """
    count = 1 if function is operator.contains and type(args[0]) is not str else len(args)
    if not any(isinstance(item, Missing) and _holds_option(item) for item in args[:count]):
        return args
    checked = [present(item) if _holds_option(item) else item for item in args[:count]]
    return (*checked, *args[count:])


def _holds_option(item: Any) -> bool:
    while isinstance(item, Missing):
        item = item.held
    return choices.options_of(item) is not None


def for_loop(
    items: Choice | Missing, body: Block, state: tuple[Any, ...], names: Names, test: Block | None
) -> Any:
    """A loop over what is there, or over each option, in a branch of its own; of many texts, over
    the letters of the one that the run chooses.
    """

    def over(option: Any, *, _reached: Any = (body, test, state)) -> Any:
        return operators.for_loop(option, body, state, test, ", ".join(names))

    if isinstance(items, Missing):
        return over(present(items))
    if items.is_text and len(items.options) > _FEW:
        return over(texts.of_any(items))
    return applied(items, over, names=names)


def set_item(target: Any, key: Choice, value: Any) -> None:
    """`target[key] = value`, of a dict."""

    def put(option: Any, *, items: Any = target, value: Any = value) -> None:
        items[option] = value

    applied(key, put)


def _asks_none(item: Any, name: str, *default: Any) -> bool:
    """Whether `getattr` may be given None, which has the attribute, or does without."""
    return isinstance(item, MaybeNone) and (bool(default) or name.startswith("__"))


def taking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what to call for one of these: it takes choices too."""

    def taken(*args: Any, **kwargs: Any) -> Any:
        return _taken(function, args, kwargs)

    return taken


def print_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for `tf.print`; None for any other function."""
    return _print if function is print_op.print else None


def _print(*inputs: Any, **how: Any) -> Any:
    """Print what the run chooses, and what may be None: each option in a branch of its own. A text
    in a list or the like is shown with its quotes.
    """
    top = set(map(id, inputs))
    leaves = [
        texts.make(repr, leaf) if type(leaf) is texts.Text and id(leaf) not in top else leaf
        for leaf in nest.flatten(inputs)
    ]
    kinds = Choice, MaybeNone
    at = next((at for at, leaf in enumerate(leaves) if isinstance(leaf, kinds)), None)
    if at is None:
        return print_op.print(*nest.pack_sequence_as(inputs, leaves), **how)
    before, behind = leaves[:at], leaves[at + 1 :]

    def shown(option: Any, *, _reached: Any = (before, behind, how)) -> Any:
        return _print(*nest.pack_sequence_as(inputs, [*before, option, *behind]), **how)

    return of_each(shown, leaves[at])


def _taken(function: Callable[..., Any], given: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    owner = getattr(function, "__self__", None)
    for item in given:
        if type(item) is UnknownText:
            item.said()
    if type(owner) is not str and _asks_none(*given):
        return of_each(lambda item: _taken(function, (item, *given[1:]), {}), given[0])
    args = opened(function, given) if type(owner) is str else given
    if any(isinstance(item, Choice) for item in args):
        return of_builtin(function, args, kwargs)
    if type(owner) is str and _is_of_run(args):
        return getattr(texts.unchecked(str, owner), function.__name__)(*args, **kwargs)
    return function(*args, **kwargs)
