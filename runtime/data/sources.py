"""The pipelines that elements come from."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runtime import errors
from runtime.core.state import call_back
from runtime.data.pipelines import (
    INFINITE,
    UNKNOWN,
    Element,
    Pipeline,
    Places,
    Resumed,
    Rows,
    in_order,
    invalid,
    row_iterator,
)
from runtime.data.positions import refuse_position
from runtime.data.randomness import SeedGenerator, chosen_seeds, numbers


def counted(start: Any, stop: Any, step: Any, *, dtype: np.dtype[Any]) -> Pipeline:
    """The integers of a range."""
    if not int(step):
        raise invalid("Dataset.range", "step must not be 0")
    found = builtins.range(int(start), int(stop), int(step))

    def at(places: Places) -> Element:
        if type(places) is builtins.range:
            part = found[places.start : places.stop]
            return (np.arange(part.start, part.stop, part.step).astype(dtype, copy=False),)
        return ((found.start + places * found.step).astype(dtype, copy=False),)

    size = max(0, -((found.start - found.stop) // found.step))
    rows = Rows(at, in_order(size), dtype.itemsize)
    return Pipeline(rows.__iter__, size, rows)


def counting(start: Any, step: Any, *, dtype: np.dtype[Any]) -> Pipeline:
    """Integers without end."""

    def elements() -> Iterator[Element]:
        value = dtype.type(start)
        while True:
            yield (value,)
            value = value + step

    return Pipeline(elements, INFINITE)


def single(*components: Any) -> Pipeline:
    """One element."""
    return Pipeline(lambda: iter((components,)), 1)


def each(*components: Any) -> Pipeline:
    """An element of each component."""
    return Pipeline(lambda: iter([(component,) for component in components]), len(components))


def slices(*arrays: Any) -> Pipeline:
    """The rows of arrays of one length."""

    def elements() -> Iterator[Element]:
        return zip(*map(row_iterator, arrays), strict=True)

    def at(places: Places) -> Element:
        if type(places) is builtins.range:
            return tuple([array[places.start : places.stop] for array in arrays])
        return tuple([array.take(places, 0) for array in arrays])

    size = len(arrays[0])
    width = sum([array.nbytes for array in arrays]) // max(size, 1)
    return Pipeline(elements, size, Rows(at, in_order(size), width))


def generated(
    make: Callable[..., Any], take: Callable[[Any], Sequence[Any]], *args: Any
) -> Pipeline:
    """The items of the iterable `make(*args)`, of which `take` gives the components."""

    def elements() -> Iterator[Element]:
        refuse_position("Dataset.from_generator, whose Python generator has a state of its own")
        iterator: Any = None

        def steps() -> Iterator[Element]:
            nonlocal iterator
            if iterator is None:
                iterator = call_back(iter, call_back(make, *args))
            while (item := call_back(_next_of, iterator)) is not _END:
                yield tuple(take(item))

        return Resumed(steps)

    return Pipeline(elements, UNKNOWN)


_END = object()


def _next_of(iterator: Iterator[Any]) -> Any:
    try:
        return next(iterator, _END)
    except errors.InaccessibleTensorError as error:
        error.hint = "give what the generator reads as its arguments: from_generator(..., args=[n])"
        raise


def drawn(seed: Any, *, anew: bool) -> Pipeline:
    """Random integers below 2 ** 32, without end."""
    made = SeedGenerator(chosen_seeds(None if seed is None else int(seed)), anew)

    def elements() -> Iterator[Element]:
        return zip(map(np.int64, numbers(made.next())))

    return Pipeline(elements, INFINITE)
