"""The values that a node shows or raises when it runs, as data, with slots for those of the run.

`runtime.staging.images` makes them while tracing; whoever runs the graph fills them.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeAlias, cast

import numpy as np

from runtime import dtypes
from runtime.core.convert import decoded
from runtime.core.dataclasses import dataclass
from runtime.core.primitive import structural
from runtime.core.state import call_back
from runtime.core.tensor import Tensor, wrap
from runtime.core.types import ListType, TensorType, Type
from runtime.graph.data import Opaque, Record
from runtime.graph.lists import Elements
from runtime.graph.nodes import NUMBER_TYPES
from runtime.graph.structures import Structure, container_text


@dataclass(frozen=True, slots=True)
class Slot(Record):
    """The place of the next value of the run, which has this type."""

    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Container(Record):
    """A container as it was at one moment; a part of it may be known to the run only."""

    structure: Structure
    children: tuple[Any, ...]

    def parts(self) -> Iterable[Any]:
        """Its children."""
        return self.children


@dataclass(frozen=True, slots=True, eq=False)
class Either(Record):
    """A value that is None where the staged `flag` is false."""

    flag: Slot
    held: Any

    def parts(self) -> Iterable[Any]:
        """The flag, and the value where it is true."""
        return self.flag, self.held


def chosen(place: int, *texts: str) -> str:
    """The text at a place."""
    return texts[place]


def spelled(text: Tensor | bytes) -> str:
    """The text that a tensor holds, or its bytes."""
    held = text if isinstance(text, bytes) else cast(bytes, text.numpy())
    return decoded(held)


def texts(items: Elements) -> list[str]:
    """The texts that the tensors in a list hold."""
    return list(map(spelled, items.items))


def sliced(text: str, *bounds: int | None) -> str:
    """`text[start:stop:step]`."""
    return text[slice(*bounds)]


def place_in(text: str, texts: Sequence[str]) -> int:
    """The place of a text among others; -1 where it is none of them."""
    return texts.index(text) if text in texts else -1


def array(tensor: Tensor) -> Any:
    """NumPy's array, or scalar, of the numbers of a tensor."""
    return np.asarray(tensor)[()]


_MAKING = (
    "capitalize casefold center expandtabs ljust lower lstrip removeprefix removesuffix replace "
    "rjust rstrip strip swapcase title translate upper zfill"
)
_TELLING = (
    "count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower "
    "isnumeric isprintable isspace istitle isupper "
    "rfind rindex startswith"
)
TEXTS: dict[str, Callable[..., str]] = {
    "array": array, "str": str, "repr": repr, "ascii": ascii, "format": format,
    "str.format": str.format, "str.join": str.join, "str.__add__": str.__add__,
    "str.__mul__": str.__mul__,
    "mod": operator.mod, "chosen": chosen, "spelled": spelled, "item": operator.getitem,
    "sliced": sliced, "chr": chr, "bin": bin, "hex": hex, "oct": oct,
    **{f"str.{name}": getattr(str, name) for name in _MAKING.split()},
}  # fmt: skip
"""The functions that make texts of the values of a run, by the names that files have for them."""

ANSWERS: dict[str, Callable[..., float]] = {
    "len": len, "int": int, "float": float, "bool": bool, "ord": ord, "contains": operator.contains,
    "place_in": place_in,
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{f"str.{name}": getattr(str, name) for name in _TELLING.split()},
}  # fmt: skip
"""The functions that tell a number of texts."""

PARTS: dict[str, Callable[..., Sequence[str]]] = {
    f"str.{name}": getattr(str, name)
    for name in ("partition", "rpartition", "rsplit", "split", "splitlines")
}
"""The functions that take a text apart."""

FUNCTIONS: dict[str, Callable[..., Any]] = {**ANSWERS, **PARTS, **TEXTS, "texts": texts}
"""All that a `Written` may name."""


@dataclass(frozen=True, slots=True, eq=False)
class Written(Record):
    """A text that one of `TEXTS` makes of its children, the last of which are for `keywords`; a
    number, for one of `ANSWERS`.
    """

    function: str
    children: tuple[Any, ...]
    keywords: tuple[str, ...] = ()

    def parts(self) -> Iterable[Any]:
        """Its children."""
        return self.children

    def text(self, parts: Sequence[str]) -> str:
        """Returns the call that makes it, with these texts for its children."""
        if self.function == "spelled":
            return parts[0]
        count = len(parts) - len(self.keywords)
        named = [f"{name}={part}" for name, part in zip(self.keywords, parts[count:], strict=True)]
        name = FUNCTIONS[self.function].__name__
        return f"{name}({', '.join([*parts[:count], *named])})"


_PLAIN = frozenset((str, bytes, *NUMBER_TYPES))


def written(function: Callable[..., Any], children: Sequence[Any], keywords: Sequence[str]) -> Any:
    """The text, or the number, that a function makes of its arguments; those of the keywords come
    last.

    A scalar is written as the Python number that it holds, as in an eager f-string.
    """
    items = list(map(_plain, children))
    if not keywords:
        return function(*items)
    count = len(items) - len(keywords)
    named: dict[str, Any] = dict(zip(keywords, items[count:], strict=True))
    return function(*items[:count], **named)


def _plain(item: Any) -> Any:
    if type(item) in _PLAIN:
        return item
    if isinstance(item, Tensor) and item.ndim == 0 and item.dtype is not dtypes.string:
        return item.numpy().item()
    if type(item) in (tuple, list):
        return type(item)([_plain(each) for each in item])
    if type(item) is dict:
        return {key: _plain(each) for key, each in item.items()}
    return item


@dataclass(frozen=True, slots=True, eq=False)
class Raised(Record):
    """An exception: its class, and templates of its arguments and attributes.

    `given` is a template of what the class is called with, None where that is the arguments.
    """

    kind: type[BaseException]
    args: Any
    attributes: Any
    given: Any = None
    cause: Raised | None = None
    suppresses_context: bool = False

    def parts(self) -> Iterable[Any]:
        """All but its class."""
        return self.args, self.attributes, self.given, self.cause

    def text(self, names: Iterable[str]) -> str:
        """Returns the call that makes it, with these names for the values of a run."""
        arguments = text_of(self.args, iter(names))
        inside = arguments.removeprefix("(").removesuffix(")").removesuffix(",")
        # That of a staged `assert` is a class of the library's own.
        is_assertion = issubclass(self.kind, AssertionError)
        return f"{'AssertionError' if is_assertion else self.kind.__name__}({inside})"


Filling: TypeAlias = Callable[[Iterator[Any]], Any]


def filled(template: Any, values: Iterator[Any]) -> Any:
    """The item, with the values of a run in its slots."""
    return filling(template)(values)


def filling(template: Any) -> Filling:
    """The function that fills the slots of a template with the next values of a run: a loop makes a
    text in each round.
    """
    kind = type(template)
    if kind is Slot:
        type_ = template.type
        return lambda values: _taken(type_, next(values))
    if kind is tuple:
        parts = list(map(filling, template))
        return lambda values: tuple([part(values) for part in parts])
    if kind is Container:
        children, build = list(map(filling, template.children)), template.structure.build
        return lambda values: build([child(values) for child in children])
    if kind is Written:
        return _writing(template)
    if kind is Either:
        held = filling(template.held)

        def either(values: Iterator[Any]) -> Any:
            flag, item = next(values), held(values)
            return item if flag else None

        return either
    item = template.item if kind is Opaque else template
    return lambda values: item


def _writing(template: Written) -> Filling:
    function, keywords = FUNCTIONS[template.function], template.keywords
    if function is array:
        (slot,) = template.children
        fill_slot = filling(slot)
        return lambda values: array(fill_slot(values))
    if function is place_in:
        text, among = template.children
        places, fill = {each: at for at, each in enumerate(among)}, filling(text)
        return lambda values: places.get(fill(values), -1)
    arguments = [_argument(child, function is spelled) for child in template.children]
    if keywords:
        return lambda values: written(function, [each(values) for each in arguments], keywords)
    if len(arguments) == 1:
        (only,) = arguments
        return lambda values: function(only(values))
    if len(arguments) == 2:
        first, second = arguments
        return lambda values: function(first(values), second(values))
    return lambda values: function(*[each(values) for each in arguments])


def _argument(template: Any, reads_bytes: bool) -> Filling:
    """As `filling`, for a function of texts: of a scalar its number, or bytes."""
    fill = filling(template)
    if type(template) is Written or type(template) in _PLAIN:
        return fill
    if type(template) is not Slot or isinstance(template.type, ListType):
        return lambda values: _plain(fill(values))
    type_ = template.type

    def taken(values: Iterator[Any]) -> Any:
        value = next(values)
        kind = builtins.type(value)
        if kind in _PLAIN:
            return value
        is_scalar = issubclass(kind, np.generic) or (kind is np.ndarray and not value.ndim)
        if is_scalar and (reads_bytes or not value.dtype.hasobject):
            return value.item()
        return _plain(_taken(type_, value))

    return taken


def _taken(type: Type, value: Any) -> Any:
    if isinstance(type, ListType):
        items = [None if item is None else wrap(item) for item in value]
        return Elements(items, cast(TensorType, type.element))
    return value if builtins.type(value) in NUMBER_TYPES else wrap(value)


def text_of(template: Any, names: Iterator[str]) -> str:
    """The item as text, with the names of values in its slots."""
    kind = type(template)
    if kind is Slot:
        return next(names)
    if kind is tuple:
        inside = ", ".join([text_of(child, names) for child in template])
        return f"({inside}{',' if len(template) == 1 else ''})"
    if kind is Container:
        parts = [text_of(child, names) for child in template.children]
        return container_text(template.structure, parts)
    if kind is Written:
        return cast(Written, template).text([text_of(child, names) for child in template.children])
    if kind is Either:
        flag, held = next(names), text_of(template.held, names)
        return f"{held} if {flag} else None"
    return repr(template)


# Exceptions


def raised(record: Raised, *values: Any) -> BaseException:
    """The user's exception, with the values of a run in its arguments and attributes."""
    return _raised(record, iter(values))


def _raised(record: Raised, left: Iterator[Any]) -> BaseException:
    args, attributes = filled(record.args, left), filled(record.attributes, left)
    given = args if record.given is None else filled(record.given, left)
    made = _new(record.kind, given)
    made.args = args
    made.__dict__.update(attributes)
    made.__cause__ = None if record.cause is None else _raised(record.cause, left)
    made.__suppress_context__ = record.suppresses_context
    return made


def _new(kind: type[BaseException], given: Any) -> BaseException:
    if isinstance(kind.__init__, FunctionType):
        # The class's own constructor may take other arguments than it keeps: it ran while tracing.
        return kind.__new__(kind, *given)
    return kind(*given)


# Python's print


def _print(*values: Any, arguments: Any, options: Mapping[str, Any]) -> None:
    call_back(_write, iter(values), arguments, options)


def _write(values: Iterator[Any], arguments: Any, options: Mapping[str, Any]) -> None:
    shown = filled(arguments, values)
    print(*shown, **{name: filled(value, values) for name, value in options.items()})


PRINT = structural(
    "print", _print, lambda *_, **__: (), op_type="PrintV2", effect=True, calls_back=True
)
