"""Views of the dicts that stand for those of the user's, and the loops over them."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, ItemsView, KeysView, ValuesView
from typing import TYPE_CHECKING, Any, cast

from autograph.operators.comprehensions import generator
from runtime.staging.builtin_functions import BUILTINS
from runtime.staging.bytecode import rows_unpacked
from runtime.staging.control import iteration
from runtime.staging.lists.dict_entries import changed_while_iterated, refuse_unknown_keys
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.shown_items import text_of_view
from runtime.staging.lists.walks import ListBackend, Walk, let_stand_for, unpacked
from runtime.staging.scopes import active
from runtime.staging.tracing import is_symbol

if TYPE_CHECKING:
    from runtime.staging.lists.growing_dict import GrowingDict


class View:
    """A view of a dict of the user's, of which `part` gives what is shown of a pair."""

    __slots__ = ()
    _mapping: Any

    @staticmethod
    def part(pair: Any) -> Any:
        """The part of a pair of key and value that is shown."""
        return pair

    def __iter__(self) -> Any:
        entries = self._mapping
        names = None if entries.staged is None else rows_unpacked(sys._getframe(1), None)
        if names is None:
            return super().__iter__()  # type: ignore[misc]
        return unpacked(names, entries.length(), lambda at: self.part(entries.pair_at(at)))

    def __reversed__(self) -> Any:
        if self._mapping.staged is not None:
            raise refuse_unknown_keys("reversed()")
        return map(self.part, reversed([*dict.items(self._mapping)]))

    def __repr__(self) -> str:
        if self._mapping.staged is not None:
            raise refuse_unknown_keys("its text")
        return f"{type(self).__name__}({list(cast(Any, self))!r})"


class KeyView(View, KeysView[Any]):
    __slots__ = ()
    part = operator.itemgetter(0)  # type: ignore[assignment]


class ValueView(View, ValuesView[Any]):
    __slots__ = ()
    part = operator.itemgetter(1)  # type: ignore[assignment]


class ItemView(View, ItemsView[Any, Any]):
    __slots__ = ()


class EntryWalk(Walk):
    """The entries that a loop over a dict takes."""

    __slots__ = ("part",)

    def __init__(self, view: Any) -> None:
        super().__init__(view._mapping, ("dictionary changed size during iteration", RuntimeError))
        self.part = view.part

    def at(self, index: Any) -> Any:
        if is_symbol(index):  # a round; who takes all entries at once is done with the dict
            scope = active().scope
            # By its id: what holds the dict would make it one that existed before a block.
            active().memo.setdefault((Walk, id(scope)), (scope, set()))[1].add(id(self.walked))
        return self.part(self.walked.pair_at(index))


def check_not_walked(entries: GrowingDict) -> None:
    """StagingError where a loop that is being traced runs over the dict."""
    for scope in active().scope.around():
        _, walked = active().memo.get((Walk, id(scope)), (scope, ()))
        if id(entries) in walked:
            raise changed_while_iterated("a dict", "keys")


class _ViewBackend(ListBackend):
    def stages(self, value: Any) -> bool:
        return value._mapping.staged is not None

    def shown(self, function: Callable[..., Any], value: Any) -> Callable[[], Any]:
        """A loop over the entries: the graph has no views to show."""
        return functools.partial(text_of_view, value)


def _in(own: Callable[[Any, Any], Any], container: Any, item: Any) -> Any:
    if isinstance(container, KeyView):
        container = container._mapping
    if isinstance(container, Growing) and isinstance(container, dict):
        return cast(Any, container).has(item)
    source = iteration.staged(container) if isinstance(container, View) else None
    return own(container if source is None else source, item)


def _of_view(own: Callable[..., Any], value: Any) -> Any:
    return own(value._mapping if isinstance(value, View) else value)


def _iter(own: Callable[..., Any], items: Any, *sentinel: Any) -> Any:
    return generator(items, iter) if isinstance(items, View) else own(items, *sentinel)


_contains, _length = BUILTINS[operator.contains], BUILTINS[len]
BUILTINS[iter] = functools.partial(_iter, BUILTINS[iter])
BUILTINS[operator.contains] = lambda container, item: _in(_contains, container, item)
BUILTINS[len] = lambda value: _of_view(_length, value)
_views = _ViewBackend()
for _view, _of in (
    (KeyView, type({}.keys())), (ValueView, type({}.values())), (ItemView, type({}.items())),
):  # fmt: skip
    let_stand_for(_of, _view, EntryWalk, _views)
