"""Iterators over datasets."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph.users_words import with_article
from runtime import errors
from runtime.core.pickling import refused
from runtime.core.state import state
from runtime.core.types import ObjectHandle, ObjectType
from runtime.data.layouts import Layout, wrapped
from runtime.data.nodes import (
    ADVANCE,
    CURRENT,
    END_OF_SEQUENCE,
    ITERATE,
    NEXT,
    EndOfSequence,
    applied,
)
from runtime.data.optionals import Optional
from runtime.data.pipelines import Cursor
from runtime.graph.structures import Handler, add_handler
from runtime.staging.builtin_functions import end_where
from runtime.staging.control import logic
from runtime.staging.control.branches import cond
from runtime.staging.control.iteration import StreamedIterator
from runtime.staging.refusals import refuse_iteration
from runtime.staging.scopes import active


class Iterator(StreamedIterator):
    """An iterator over a dataset; also as an argument of a graph, which goes on where it stands.

    >>> iterator = iter(rt.data.Dataset.range(2))
    >>> int(next(iterator)), int(next(iterator))
    (0, 1)
    """

    __slots__ = ("__weakref__", "_handle", "_layout", "_take")

    def __init__(self, layout: Layout, handle: Any) -> None:
        self._layout = layout
        self._handle = handle
        self._take = None if type(handle) is not ObjectHandle else handle.raw.__next__

    @property
    def element_spec(self) -> Any:
        """The specs of an element, in its structure."""
        return self._layout.spec

    def get_next(self) -> Any:
        """The next element; OutOfRangeError where there is none.

        >>> int(iter(rt.data.Dataset.range(2)).get_next())
        0
        """
        return self.__next__()

    def next(self) -> Any:
        """The next element; StopIteration where there is none.

        >>> int(iter(rt.data.Dataset.range(2)).next())
        0
        """
        return self.__next__()

    def get_next_as_optional(self) -> Optional:
        """The next element, or none where there is no other.

        >>> iterator = iter(rt.data.Dataset.range(1))
        >>> [bool(iterator.get_next_as_optional().has_value()) for _ in range(2)]
        [True, False]
        """
        if self._take is None or state.trace is not None:
            element = cond(self._advance(), self._current, lambda: None, (), ("element",))
        else:
            element = next(self, None)
        return Optional(self.element_spec, element)

    def __iter__(self) -> Iterator:
        _refuse_if_traced(self)
        return self

    def __next__(self) -> Any:
        if self._take is None or state.trace is not None:
            return self._staged_next()
        try:
            element = self._take()
        except StopIteration:
            raise EndOfSequence(END_OF_SEQUENCE) from None
        return self._layout.pack(element)

    def _staged_next(self) -> Any:
        """The next element, in a graph."""
        if active().attempts:  # a handler may ask for the end
            end_where(logic.not_(self._advance()), EndOfSequence(END_OF_SEQUENCE))
            return self._current()
        return self._layout.pack(applied(NEXT, (self._handle,)), wrapped)

    def _advance(self) -> Any:
        """Fetch the next element, in a graph; a staged bool tells whether there is one."""
        return applied(ADVANCE, (self._handle,))

    def _current(self) -> Any:
        """The element that was fetched, in a graph."""
        return self._layout.pack(applied(CURRENT, (self._handle,)), wrapped)

    def _begin_saving(self) -> bool:
        """Count elements, for a checkpoint; False where some were given before."""
        return type(self._handle) is ObjectHandle and bool(self._handle.raw.begin_counting())

    def _saved_array(self) -> Any:
        """The position, for a checkpoint.

        Raises FailedPreconditionError where it is not known, or does not say which elements follow.
        """
        if not self._begin_saving():
            raise errors.FailedPreconditionError(
                "the position of this iterator is not known: it gave elements before a Checkpoint "
                "held it",
                hint="make the Checkpoint before the first element is taken",
            )
        return self._handle.raw.position()

    def _restore_array(self, array: Any) -> None:
        """Go to a position of `_saved_array`."""
        self._handle.raw.go_to(array)

    def __reduce__(self) -> NoReturn:
        raise refused("an iterator over a Dataset", "make one where it is needed")

    def __repr__(self) -> str:
        return f"<Iterator element_spec={self.element_spec!r}>"


def iterator_over(layout: Layout, handle: Any) -> Iterator:
    """A new iterator over a dataset: in the graph, while one is being traced."""
    if state.trace is not None or type(handle) is not ObjectHandle:
        return Iterator(layout, applied(ITERATE, (handle,)))
    kind = ObjectType("iterator", layout.types)
    return Iterator(layout, ObjectHandle(kind, Cursor(handle.raw)))


def _refuse_if_traced(items: Any) -> None:
    if state.trace is not None:
        raise refuse_iteration(with_article(type(items).__name__))


def _named(spec: Any) -> tuple[str, ...]:
    return ("handle",)


add_handler(
    Iterator,
    Handler(
        lambda iterator: (iterator._layout, [iterator._handle]),
        lambda kind, key, children: Iterator(key, children[0]),
        ".{}",
        _named,
        is_tuple=True,
        describe=lambda layout: str(ObjectType("iterator", layout.types)),
    ),
)
