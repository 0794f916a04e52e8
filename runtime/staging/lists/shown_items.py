"""The texts of lists, deques, tuples and dicts of the graph in which code of the user's gives that
of an item.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from autograph.library_code import converted
from autograph.operators.texts import shows_itself
from autograph.users_words import with_article
from runtime.staging.control.references import is_reference_class
from runtime.staging.control.specs import Same, Spec, Tree, all_in
from runtime.staging.lists.dict_entries import Entries
from runtime.staging.lists.growing import Kind
from runtime.staging.lists.list_places import ListArena
from runtime.staging.refusals import refuse


def has_shown(function: Callable[..., Any], element: Spec) -> bool:
    """Whether code of the user's gives the text of an item, or of something in it."""
    for kind in classes_in_items(element):
        # The graph cannot read the fields of an object that the run chooses when it prints it.
        fields = function is not print or is_reference_class(kind)
        if shows_itself(kind, repr, fields):
            return True
    return False


def classes_in_items(spec: Spec, above: tuple[ListArena, ...] = ()) -> Iterator[type]:
    """The classes of what an item may be, or have in it."""
    for each in all_in(spec):
        if isinstance(each, Same):
            yield type(each.value)
        if not isinstance(each, Tree):
            continue
        yield each.structure.kind
        keys = each.structure.keys
        if isinstance(keys, ListArena) and keys not in above:
            for row in keys.rows.specs():
                yield from classes_in_items(row, (*above, keys))
        kind = keys.kind if isinstance(keys, Entries) else keys
        if isinstance(kind, Kind):
            yield from classes_in_items(kind.element, above)


def text_of(items: Any) -> Any:
    """The text, as Python writes it."""
    kind = items.__class__
    written = _written().get(kind)
    if written is None:
        name = kind.__name__
        raise refuse(
            f"{with_article(name)} of the run is shown, of which code of yours gives the texts of "
            "the items",
            "show a list of its items",
        )
    return written(items)


def text_of_view(view: Any) -> Any:
    """The text of a view of a dict."""
    return type(view).__name__ + "(" + _written()[list](view) + ")"


def text_of_optional(function: Any, value: Any) -> Any:
    """The text of a value that may be None."""
    return _written()[None](str if function is print else function, value, value.held)


@converted
def _written() -> dict[Any, Callable[..., Any]]:
    def listed(items: Any) -> str:
        return "[" + ", ".join([repr(item) for item in items]) + "]"

    def of_tuple(items: Any) -> str:
        comma = "," if len(items) == 1 else ""
        return "(" + ", ".join([repr(item) for item in items]) + comma + ")"

    def of_deque(items: Any) -> str:
        most = "" if items.maxlen is None else f", maxlen={items.maxlen}"
        return "deque(" + listed(items) + most + ")"

    def of_dict(items: Any) -> str:
        return "{" + ", ".join([f"{key!r}: {value!r}" for key, value in items.items()]) + "}"

    def of_optional(function: Any, item: Any, held: Any) -> str:
        return "None" if item is None else function(held)

    return {None: of_optional, list: listed, tuple: of_tuple, deque: of_deque, dict: of_dict}
