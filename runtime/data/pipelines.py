"""A pipeline: what a dataset is when it runs. It gives elements, each a tuple of arrays, anew to
each iterator; a component of an element may be a pipeline itself.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.dataclasses import dataclass
from runtime.data.positions import Draw, Record, current, decoded, encoded, recording

Component = Any
Element = tuple[Component, ...]
Elements = Callable[[], Iterator[Element]]

INFINITE = -1
UNKNOWN = -2


class Resumed:
    """An iterator that goes on behind an error.

    `steps()` makes a generator that goes on with what it shares with the one before, which has
    ended with the error.
    """

    __slots__ = ("_next", "_steps")

    def __init__(self, steps: Callable[[], Iterator[Element]]) -> None:
        self._steps = steps
        self._next = steps().__next__

    def __iter__(self) -> Resumed:
        return self

    def __next__(self) -> Element:
        try:
            return self._next()
        except StopIteration:
            raise
        except Exception:
            self._next = self._steps().__next__
            raise


class Failure:
    """An error in the place of the element that could not be computed."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Raised:
    """An iterator that raises the failures of a generator, which goes on behind them."""

    __slots__ = ("_next",)

    def __init__(self, generator: Iterator[Element | Failure]) -> None:
        self._next = generator.__next__

    def __iter__(self) -> Raised:
        return self

    def __next__(self) -> Element:
        found = self._next()
        if type(found) is Failure:
            raise found.error
        return found  # type: ignore[return-value]


def attempts(source: Iterator[Element]) -> Iterator[Element | Failure]:
    """The elements of an iterator, and the failures between them."""
    # What is handed on is not held here: an error holds all that it was raised through.
    held: list[Element | Failure] = []
    while True:
        try:
            held.extend(itertools.islice(source, 1))
        except Exception as error:  # it is raised where its place is
            held.append(Failure(error))
        if not held:
            return
        yield held.pop()


def passed(iterator: Iterator[Element]) -> bool:
    """Leave an element, or a failure, out; False where there is none."""
    return next(attempts(iterator), None) is not None


Places = range | np.ndarray[Any, Any]


@dataclass(slots=True, eq=False, repr=False)
class Rows:
    """Elements that are rows of arrays at hand, so that many are taken at once.

    at(places): the components of those at some places, stacked.
    order(count): the places of one iteration's elements, `count` at a time; fewer at the end.
    width: the bytes of one.
    """

    at: Callable[[Places], Element]
    order: Callable[[int], Iterator[Places]]
    width: int

    def blocks(self, size: int) -> Iterator[Element]:
        """`size` rows at a time, stacked; fewer at the end."""
        # What is random about the order is drawn now, not with the first row.
        return self._parts(self.order(size * max(1, self._together // size)), size)

    @property
    def _together(self) -> int:
        return max(1, min(_TOGETHER, _TOGETHER_BYTES // (self.width or 1)))

    def _parts(self, order: Iterator[Places], size: int) -> Iterator[Element]:
        for places in order:
            found = self.at(places)
            for start in range(0, len(places), size):
                yield tuple([component[start : start + size] for component in found])

    def __iter__(self) -> Iterator[Element]:
        return itertools.chain.from_iterable(map(_each, self.blocks(self._together)))


_TOGETHER = 1024
"""Rows that are taken at once, where they are no more than `_TOGETHER_BYTES`."""
_TOGETHER_BYTES = 1 << 16


def _each(block: Element) -> Iterator[Element]:
    return zip(*map(row_iterator, block), strict=True)


def in_order(count: int) -> Callable[[int], Iterator[Places]]:
    """The order of rows as they stand."""
    return lambda size: (range(at, min(at + size, count)) for at in range(0, count, size))


@dataclass(slots=True, eq=False, repr=False)
class Pipeline:
    """The elements of a dataset.

    elements(): a new iterator over them.
    cardinality: how many there are, or INFINITE or UNKNOWN.
    rows: the arrays that they are rows of, where they are at hand.
    is_mapped: whether a function makes them, so that a batch of them is computed as a whole.
    is_shuffled: whether it is a shuffle itself, which TensorFlow makes one with a repeat of it.
    """

    elements: Elements
    cardinality: int
    rows: Rows | None = None
    is_mapped: bool = False
    is_shuffled: bool = False

    def __iter__(self) -> Iterator[Element]:
        return self.elements()


class Cursor:
    """An iterator's place in a pipeline; threads may share it.

    A checkpoint keeps the place of one that counts: of its elements, and errors in their places.
    """

    __slots__ = ("_count", "_elements", "_is_begun", "_lock", "_pipeline", "_record", "element")

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._lock = threading.RLock()
        self._is_begun = False
        self._count: int | None = None
        self._open([], current())
        self.element: Element = ()

    def _open(self, draws: list[Draw], outer: Record | None) -> None:
        # What a function of another iterator iterates over belongs to that one.
        self._record = Record(draws) if outer is None else outer
        with recording(self._record):
            self._elements = self._pipeline.elements()
        self._record.is_open |= outer is None

    def __next__(self) -> Element:
        with self._lock:
            if self._count is not None:
                return self._counted(self._count)
            self._is_begun = True
            return next(self._elements)

    def _counted(self, count: int) -> Element:
        with recording(self._record):
            try:
                found = next(self._elements)
            except StopIteration:
                raise
            except Exception:
                self._count = count + 1
                raise
        self._count = count + 1
        return found

    def advance(self) -> bool:
        """Fetch the next element; False at the end."""
        found = next(self, None)
        if found is None:
            return False
        self.element = found
        return True

    def begin_counting(self) -> bool:
        """Count elements from now on; False where some were given before."""
        with self._lock:
            if self._count is None and not self._is_begun:
                self._count = 0
            return self._count is not None

    def position(self) -> Any:
        """The place of an iterator that counts, as an array; FailedPreconditionError where its
        elements would not come the same again.
        """
        with self._lock:
            if self._record.refusal:
                raise errors.FailedPreconditionError(
                    "the position of this iterator cannot be saved, for its elements need not come "
                    f"the same again: {self._record.refusal}",
                    hint="count the steps in a Variable, and go on with dataset.skip(step)",
                )
            return encoded(self._count or 0, self._record)

    def go_to(self, position: Any) -> None:
        """Begin anew, and compute the elements before the place without giving them."""
        count, draws = decoded(position)
        with self._lock:
            # Of the run that was saved itself, also what was drawn since.
            since = self._record.drawn
            self._open(list(since) if since[: len(draws)] == draws else draws, None)
            done = 0
            with recording(self._record):
                while done < count and passed(self._elements):
                    done += 1
            self._count = done


def invalid(what: str, reason: str) -> errors.InvalidValueError:
    """The error of a transformation that is given a bad value."""
    return errors.InvalidValueError(f"{what}: {reason}")


def positive(value: Any, what: str, name: str) -> int:
    """A size; InvalidArgumentError where it is not greater than zero."""
    size = int(value)
    if size <= 0:
        raise invalid(what, f"{name} must be greater than zero, got {size}")
    return size


def scaled(cardinality: int, compute: Callable[[int], int]) -> int:
    """`compute` of a cardinality, if it is a number."""
    return cardinality if cardinality < 0 else compute(cardinality)


def least(cardinalities: Sequence[int]) -> int:
    """The cardinality of a `zip`: infinite ones give way, and one that is unknown decides."""
    if UNKNOWN in cardinalities:
        return UNKNOWN
    finite = [n for n in cardinalities if n != INFINITE]
    return min(finite, default=INFINITE)


def total(cardinalities: Sequence[int]) -> int:
    """The cardinality of datasets one after another."""
    if INFINITE in cardinalities:
        return INFINITE
    return UNKNOWN if UNKNOWN in cardinalities else sum(cardinalities)


# Arrays


def scalar_of_text(item: Any) -> Any:
    """A string as the array of a component."""
    return np.array(item, object)


def row_iterator(array: Any) -> Iterator[Any]:
    """The rows of an array, as components."""
    if array.dtype.hasobject and array.ndim == 1:
        return map(scalar_of_text, array)
    return iter(array)


def stacked(column: Sequence[Any], what: str, place: int = 0) -> Any:
    """One array of components of one shape; InvalidArgumentError where their shapes differ."""
    first = column[0]
    shape, dtype = first.shape, first.dtype
    if not shape and not dtype.hasobject:
        if any(item.shape for item in column):
            raise _ragged(column, what, place)
        return np.array(column, dtype)
    made = np.empty((len(column), *shape), dtype)
    for at, item in enumerate(column):
        if item.shape != shape:
            raise _ragged(column, what, place)
        made[at] = item if shape else item[()]
    return made


def _ragged(column: Sequence[Any], what: str, place: int) -> errors.InvalidValueError:
    shape = list(column[0].shape)
    at, other = next((at, x.shape) for at, x in enumerate(column) if list(x.shape) != shape)
    return invalid(
        what,
        f"cannot batch tensors with different shapes in component {place}: first element had shape "
        f"{shape} and element {at} had shape {list(other)}; use padded_batch, or give all of them "
        "one shape with map",
    )


def transposed(elements: Sequence[Element], what: str) -> Element:
    """The components of some elements, each stacked."""
    columns = enumerate(zip(*elements, strict=True))
    return tuple([stacked(column, what, place) for place, column in columns])
