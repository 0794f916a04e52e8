"""Classes that stand for lists, sets and dicts of the user's, and their items in loops."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

from autograph import register_backend, register_stand_in
from runtime.staging import texts
from runtime.staging.backend import StagingBackend
from runtime.staging.block_recorder import BlockRecorder
from runtime.staging.control import branches, iteration
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.sequences import check
from runtime.staging.tracing import is_symbol

G = TypeVar("G", bound=Growing)


class Items(iteration.Staged):
    """The items of a list of the graph, also those that the loop over it appends."""

    __slots__ = ("items",)
    varies = True

    def __init__(self, items: Any) -> None:
        self.items = items

    def length(self) -> Any:
        return self.items.length()

    def at(self, index: Any) -> Any:
        return self.items.at(index)


def unpacked(names: int, size: Any, at: Callable[[int], Any]) -> Iterator[Any]:
    """The items for so many names, of which there are `size`. ValueError, at run time, for another
    number of items.
    """
    few, many = _expected(names, size)
    if sys.version_info >= (3, 14):
        many = texts.make(str.format, f"{many[:-1]}, got {{}})", size)
    check(size < names, few, ValueError)
    check(size > names, many, ValueError)
    return iter([at(place) for place in range(names)])


def _expected(names: int, size: Any) -> tuple[Any, str]:
    """The words of Python's for too few items for so many names, and for too many."""
    expected = f"values to unpack (expected {names}"
    few = texts.make(str.format, f"not enough {expected}, got {{}})", size)
    return few, f"too many {expected})"


def elements_for(names: int, source: iteration.Staged) -> Iterator[Any]:
    """The elements that a function or an iterator gives for so many names, as Python takes them:
    one after another, and one more to find that there are no others.
    """
    iteration.use(source)
    size = source.length()
    few, many = _expected(names, size)
    found = []
    for place in range(names):
        check(size <= place, few, ValueError)
        found.append(source.at(place))
    called = list(source.functions())
    if is_symbol(size) and called:
        # The default value leads a recorder to what the functions can change.
        def further(*, _reached: Any = called) -> None:
            source.at(names)

        branches.cond(size > names, further, _nothing, (), (), BlockRecorder)
    check(size > names, many, ValueError)
    return iter(found)


def _nothing() -> None:
    pass


class Walk(iteration.Staged):
    """The items that a loop over a set, dict or deque takes; the size may not change meanwhile,
    which `changed` says: the message and class of the error. Of one that has been changed since the
    loop began, `size` is what it was then.
    """

    __slots__ = ("changed", "size", "start", "walked")
    varies = streams = True

    def __init__(
        self, walked: Any, changed: tuple[str, type[Exception]], size: int | None = None
    ) -> None:
        self.walked = walked
        self.changed = changed
        self.start = walked.staged if size is None else None
        self.size = walked.length() if size is None else size

    def has(self, index: Any) -> Any:
        if self.walked.staged is not self.start:
            check(self.walked.length() != self.size, *self.changed)
        return index < self.size

    def length(self) -> Any:
        return self.size


def gathered(source: Any, made: G, put: Callable[[G, Any], Any], words: Sequence[str]) -> G:
    """A list, set or dict with each element of something staged, which `put` puts into it."""

    def one_more(item: Any, made: G) -> G:
        more: G = made.copied()
        put(more, item)
        return more

    left: G = iteration.for_loop(source, one_more, (made,), words)
    return left


class ListBackend(StagingBackend):
    """The lists that are lists of the graph by now."""

    def stages(self, value: Any) -> bool:
        return value.staged is not None

    def shown(self, function: Callable[..., Any], value: Any) -> Callable[[], Any] | None:
        """A loop of the graph over the items, which stages the code that gives their texts."""
        from runtime.staging.lists.shown_items import has_shown, text_of

        is_shown = has_shown(function, value.staged.element)
        return functools.partial(text_of, value) if is_shown else None


_backend = ListBackend()


def let_stand_for(
    of: type,
    kind: type,
    elements: Callable[[Any], iteration.Staged] = Items,
    backend: StagingBackend = _backend,
) -> None:
    """Let objects of `kind` stand for those of a class of Python's while a function is traced."""
    kind.__name__ = kind.__qualname__ = of.__name__  # as Python's own messages name it
    register_backend(kind, backend)
    register_stand_in(kind, of)
    iteration.register_elements(kind, elements, backend.stages)


def give_methods(kind: type, names: Iterable[str], method_of: Callable[[str], Any]) -> None:
    """Give a class a method for each of these names."""
    for name in names:
        method = method_of(name)
        method.__name__ = name
        setattr(kind, name, method)


def leave_out(kind: Any, names: Iterable[str]) -> None:
    """Take from a class attributes that its base, a list, has, and not what it stands for."""
    for name in names:

        def missing(self: Any, name: str = name) -> NoReturn:
            raise AttributeError(f"{kind.plain.__name__!r} object has no attribute {name!r}")

        setattr(kind, name, property(missing))
