"""`print` of staged values: at run time."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

from runtime.graph import branches
from runtime.graph.missing import MaybeNone, bound, present
from runtime.graph.nodes import NUMBER_TYPES, PRINT
from runtime.graph.scopes import active
from runtime.graph.structures import structure_of
from runtime.graph.tracing import is_symbol
from runtime.tensor import wrap


def _print(
    *args: Any, sep: Any = None, end: Any = None, file: Any = None, flush: bool = False
) -> None:
    """`print`: at run time, with the run's values for the symbols in the arguments."""
    args = tuple([_image(item) for item in args])
    for place, item in enumerate(args):
        if isinstance(item, MaybeNone):
            _print_either(args, place, item, {"sep": sep, "end": end, "file": file, "flush": flush})
            return
    symbols: list[Any] = []
    for item in args:
        _symbols_in(item, symbols)

    def write(*values: Any) -> None:
        found = iter([_shown(value) for value in values])
        texts = [_filled(item, found) for item in args]
        builtins.print(*texts, sep=sep, end=end, file=file, flush=flush)

    trace = active()
    trace.append(PRINT, [trace.value_of(item) for item in symbols], (), {"write": write})


def _print_either(args: tuple[Any, ...], place: int, item: MaybeNone, options: Any) -> None:
    def there() -> None:
        _print(*args[:place], item.held, *args[place + 1 :], **options)

    def absent() -> None:
        _print(*args[:place], None, *args[place + 1 :], **options)

    branches.cond(item.flag, there, absent, (), ())


def _image(item: Any) -> Any:
    """What is printed now: containers as they are at this moment."""
    item = bound(item)
    found = structure_of(item)
    if found is None:
        return item
    structure, children = found
    return structure.build([present(_image(child)) for child in children])


def _symbols_in(item: Any, found: list[Any]) -> None:
    if is_symbol(item):
        found.append(item)
        return
    for child in (structure_of(item) or ((), ()))[1]:
        _symbols_in(child, found)


def _filled(item: Any, values: Iterator[Any]) -> Any:
    if is_symbol(item):
        return next(values)
    found = structure_of(item)
    if found is None:
        return item
    structure, children = found
    return structure.build([_filled(child, values) for child in children])


def _shown(value: Any) -> Any:
    return value if type(value) in NUMBER_TYPES else wrap(value)
