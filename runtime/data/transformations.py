"""Pipelines made of others: each transformation is an iterator over elements, and a cardinality."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np

from runtime import errors
from runtime.data import threads
from runtime.data.functions import Traced
from runtime.data.pipelines import (
    INFINITE,
    UNKNOWN,
    Element,
    Failure,
    Pipeline,
    Places,
    Resumed,
    Rows,
    attempts,
    invalid,
    least,
    passed,
    positive,
    scaled,
    total,
)
from runtime.data.randomness import SeedGenerator, chosen_seeds, numbers

T = TypeVar("T")

# Elements, by a function


def mapped(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """A function of each element."""

    def elements() -> Iterator[Element]:
        return itertools.starmap(function.runner(outer), source.elements())

    return Pipeline(elements, source.cardinality, is_mapped=True)


def mapped_in_parallel(
    source: Pipeline, count: Any, *outer: Any, function: Traced, ordered: bool
) -> Pipeline:
    """A function of each element, computed by `count` threads."""
    workers = int(count)
    if workers != -1:
        workers = positive(count, function.what, "num_parallel_calls")

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        if workers == -1:
            return threads.mapped_as_needed(source.elements(), run, ordered)
        return threads.mapped(source.elements(), run, workers, ordered)

    return Pipeline(elements, source.cardinality, is_mapped=True)


def filtered(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """The elements that a function accepts."""

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        return filter(lambda element: run(*element)[0], source.elements())

    return Pipeline(elements, UNKNOWN)


def taken_while(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """The elements before the first one that a function does not accept."""

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        return itertools.takewhile(lambda element: run(*element)[0], source.elements())

    return Pipeline(elements, UNKNOWN)


def scanned(source: Pipeline, *rest: Any, function: Traced, size: int) -> Pipeline:
    """The second result of a function, beside a state of `size` components that it hands on."""
    initial, outer = rest[:size], rest[size:]

    def elements() -> Iterator[Element]:
        run, inputs = function.runner(outer), source.elements()
        state = initial

        def steps() -> Iterator[Element]:
            nonlocal state
            for element in inputs:
                made = run(*state, *element)
                state = made[:size]
                yield made[size:]

        return Resumed(steps)

    return Pipeline(elements, source.cardinality)


def reduced(source: Pipeline, *rest: Any, function: Traced, size: int) -> Element:
    """The last state that a function makes of the one before and an element."""
    state, outer = rest[:size], rest[size:]
    run = function.runner(outer)
    for element in source.elements():
        state = run(*state, *element)
    return tuple(state)


def interleaved(
    source: Pipeline, cycle: Any, block: Any, *outer: Any, function: Traced
) -> Pipeline:
    """The elements of the datasets that a function makes, `block` of each of `cycle` in turn."""
    length = positive(cycle, function.what, "cycle_length")
    run_length = positive(block, function.what, "block_length")

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        return in_turn(
            source.elements(), lambda found: run(*found)[0].elements(), length, run_length
        )

    return Pipeline(elements, INFINITE if source.cardinality == INFINITE else UNKNOWN)


def in_turn(
    inputs: Iterator[Element],
    opened: Callable[[Element], Iterator[Element]],
    cycle: int,
    block: int,
) -> Iterator[Element]:
    """`block` elements of each of `cycle` iterators in turn, which `opened` makes of the inputs."""
    slots: list[Iterator[Element] | None] = [None] * cycle
    at, left = 0, block
    ended = False

    def steps() -> Iterator[Element]:
        nonlocal at, left, ended
        while not ended or any(slots):
            if slots[at] is None and not ended:
                found = next(inputs, None)
                ended = found is None
                slots[at] = None if found is None else opened(found)
            for element in slots[at] or ():
                left -= 1
                yield element
                if not left:
                    break
            else:
                slots[at] = None
            at, left = (at + 1) % cycle, block

    return Resumed(steps)


def flattened(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """The elements of the datasets that a function makes, one dataset after another."""

    def elements() -> Iterator[Element]:
        run, inputs = function.runner(outer), source.elements()
        inner: Iterator[Element] = iter(())

        def steps() -> Iterator[Element]:
            nonlocal inner
            yield from inner
            for element in inputs:
                inner = run(*element)[0].elements()
                yield from inner

        return Resumed(steps)

    return Pipeline(elements, UNKNOWN)


# How many, and which


def repeated(source: Pipeline, count: Any) -> Pipeline:
    """The elements again and again; without end where `count` is negative."""
    times = int(count)
    if times == 1:
        return source
    if times == 0:
        return Pipeline(lambda: iter(()), 0)

    def elements() -> Iterator[Element]:
        turns = itertools.count() if times < 0 else iter(range(times - 1))
        inputs, empty = source.elements(), True

        def steps() -> Iterator[Element]:
            nonlocal inputs, empty
            while True:
                for element in inputs:
                    empty = False
                    yield element
                if empty and times < 0:
                    return
                if next(turns, None) is None:
                    break
                inputs, empty = source.elements(), True
            if not source.is_shuffled:
                # TensorFlow begins once more, so that its shuffles draw seeds once more.
                source.elements()

        return Resumed(steps)

    if source.cardinality == 0:
        return Pipeline(elements, 0)
    if times < 0:
        return Pipeline(elements, INFINITE)
    return Pipeline(elements, scaled(source.cardinality, lambda n: n * times))


def taken(source: Pipeline, count: Any) -> Pipeline:
    """The first elements; all where `count` is negative."""
    most = int(count)
    if most < 0:
        return source

    def elements() -> Iterator[Element]:
        inputs = source.elements()
        left = most

        def steps() -> Iterator[Element]:
            nonlocal left
            while left and (found := next(inputs, None)) is not None:
                left -= 1
                yield found

        return Resumed(steps)

    known = most if source.cardinality == INFINITE else source.cardinality
    known = 0 if most == 0 else scaled(known, lambda n: min(n, most))
    if (rows := source.rows) is None:
        return Pipeline(elements, known)
    return Pipeline(elements, known, Rows(rows.at, partial(_first, rows, known), rows.width))


def _first(rows: Rows, count: int, size: int) -> Iterator[Places]:
    """The order of the first `count` rows, `size` at a time."""
    order = rows.order(size)

    def steps() -> Iterator[Places]:
        for left in range(count, 0, -size):
            yield next(order)[:left]

    return steps()


def skipped(source: Pipeline, count: Any) -> Pipeline:
    """The elements behind the first ones; none where `count` is negative."""
    most = int(count)
    if most < 0:
        return Pipeline(lambda: iter(()), 0)

    def elements() -> Iterator[Element]:
        inputs = source.elements()
        begun = False

        def steps() -> Iterator[Element]:
            nonlocal begun
            if not begun:
                next(itertools.islice(inputs, most, most), None)
                begun = True
            yield from inputs

        return Resumed(steps)

    return Pipeline(elements, scaled(source.cardinality, lambda n: max(0, n - most)))


def sharded(source: Pipeline, count: Any, index: Any) -> Pipeline:
    """Each `count`-th element from `index` on."""
    shards = int(count)
    if shards < 1:
        raise invalid("Dataset.shard", f"num_shards must be >= 1, got {shards}")
    at = int(index)
    if not 0 <= at < shards:
        raise invalid(
            "Dataset.shard", f"index must be between 0 and {shards - 1} (num_shards - 1), got {at}"
        )

    def elements() -> Iterator[Element]:
        inputs = source.elements()
        # Errors are in no shard.
        places = itertools.count()

        def steps() -> Iterator[Element]:
            for element in inputs:
                if next(places) % shards == at:
                    yield element

        return Resumed(steps)

    return Pipeline(elements, scaled(source.cardinality, lambda n: max(0, -((at - n) // shards))))


def unique(source: Pipeline) -> Pipeline:
    """Each element once, where it comes first."""

    def elements() -> Iterator[Element]:
        seen: set[Any] = set()

        def is_new(element: Element) -> bool:
            key = element[0].tobytes() if element[0].ndim else element[0].item()
            count = len(seen)
            seen.add(key)
            return len(seen) > count

        return filter(is_new, source.elements())

    return Pipeline(elements, UNKNOWN)


def counted_out(source: Pipeline, count: Any) -> Pipeline:
    """The elements, of which there must be `count`."""
    expected = int(count)

    def elements() -> Iterator[Element]:
        inputs, places = source.elements(), itertools.count(1)
        at = 0

        def steps() -> Iterator[Element]:
            nonlocal at
            for element in inputs:
                at = next(places)
                if at > expected >= 0:
                    raise _miscounted(f"more than {expected}", expected)
                yield element
            if expected == INFINITE or 0 <= at < expected:
                raise _miscounted(str(at), expected)

        return Resumed(steps)

    return Pipeline(elements, expected)


def _miscounted(found: str, expected: int) -> errors.FailedPreconditionError:
    wanted = "infinitely many" if expected == INFINITE else str(expected)
    return errors.FailedPreconditionError(
        f"data.experimental.assert_cardinality: {found} elements, not {wanted}"
    )


def without_failures(source: Pipeline, *, warns: bool) -> Pipeline:
    """The elements without the errors between them."""

    def elements() -> Iterator[Element]:
        for found in attempts(source.elements()):
            if not isinstance(found, Failure):
                yield found
            elif warns:
                warnings.warn(f"Dataset.ignore_errors: {found.error}", stacklevel=2)

    return Pipeline(elements, UNKNOWN)


# Several datasets


def zipped(*sources: Pipeline) -> Pipeline:
    """The components of elements at the same place, side by side."""

    def elements() -> Iterator[Element]:
        iterators = [source.elements() for source in sources]

        def steps() -> Iterator[Element]:
            while True:
                parts: list[Any] = []
                rest = iter(iterators)
                try:
                    for iterator in rest:
                        found = next(iterator, None)
                        if found is None:
                            return
                        parts += found
                except Exception:
                    # The elements beside it go with it.
                    for iterator in rest:
                        passed(iterator)
                    raise
                yield tuple(parts)

        return Resumed(steps)

    return Pipeline(elements, least([source.cardinality for source in sources]))


def enumerated(source: Pipeline, start: Any) -> Pipeline:
    """A number before the components of each element."""
    first = int(start)

    def elements() -> Iterator[Element]:
        # A failure has a number too.
        return map(_numbered, itertools.count(first), source.elements())

    return Pipeline(elements, source.cardinality)


def _numbered(number: int, element: Element) -> Element:
    return np.int64(number), *element


def concatenated(*sources: Pipeline) -> Pipeline:
    """The elements of one after those of another."""

    def elements() -> Iterator[Element]:
        first, *rest = sources
        behind = itertools.chain.from_iterable(source.elements() for source in rest)
        return itertools.chain(first.elements(), behind)

    return Pipeline(elements, total([source.cardinality for source in sources]))


def chosen(choices: Pipeline, *sources: Pipeline, stop: bool) -> Pipeline:
    """The next element of the dataset that each choice is the number of; with `stop`, as far as
    the first one that has none.
    """

    def elements() -> Iterator[Element]:
        iterators = [source.elements() for source in sources]
        inputs = choices.elements()
        open_ = set(range(len(iterators)))

        def steps() -> Iterator[Element]:
            for (choice,) in inputs:
                at = int(choice)
                if not 0 <= at < len(iterators):
                    raise invalid(
                        "Dataset.choose_from_datasets",
                        f"the choice {at} is not in [0, {len(iterators)})",
                    )
                found = next(iterators[at], None)
                if found is not None:
                    yield found
                    continue
                open_.discard(at)
                if stop or not open_:
                    return

        return Resumed(steps)

    return Pipeline(elements, UNKNOWN)


def sampled(weights: Any, seed: Any, *sources: Pipeline, stop: bool, anew: bool) -> Pipeline:
    """The next element of a dataset that is drawn with these weights, or with those of the next
    element of a pipeline; those that have no more are drawn no more, or end it with `stop`.
    """
    drawing = SeedGenerator(chosen_seeds(None if seed is None else int(seed)), anew)
    varies = isinstance(weights, Pipeline)
    if not varies:
        chances = _chances(weights, len(sources))
        if np.count_nonzero(chances) == 1:
            return sources[int(chances.argmax())]

    def elements() -> Iterator[Element]:
        draws = numbers(drawing.next())
        iterators = [source.elements() for source in sources]
        turns = weights.elements() if varies else itertools.repeat((weights,))
        is_open = np.ones(len(sources))

        def steps() -> Iterator[Element]:
            for (given,) in turns:
                bounds = np.cumsum(_chances(given, len(sources)) * is_open)
                if not bounds[-1]:
                    return
                at = int(np.searchsorted(bounds, next(draws) / 2**32 * bounds[-1], side="right"))
                found = next(iterators[at], None)
                if found is not None:
                    yield found
                elif stop:
                    return
                else:
                    is_open[at] = 0

        return Resumed(steps)

    every = [source.cardinality for source in sources]
    return Pipeline(elements, INFINITE if INFINITE in every and not stop else UNKNOWN)


def _chances(weights: Any, count: int) -> Any:
    chances = np.asarray(weights, np.float64)
    if chances.shape != (count,) or (chances < 0).any() or not chances.any():
        raise invalid(
            "Dataset.sample_from_datasets",
            f"weights must be {count} numbers, none negative and not all 0, got {chances}",
        )
    return chances


# Order, threads


def shuffled(source: Pipeline, buffer_size: Any, seed: Any, *, anew: bool) -> Pipeline:
    """A random one of the next `buffer_size` elements each time."""
    what = "Dataset.shuffle"
    size = int(buffer_size)
    if size == -2:
        size = max(source.cardinality, 1)
    size = positive(size, what, "buffer_size")
    seeds = SeedGenerator(chosen_seeds(None if seed is None else int(seed)), anew)

    if source.rows is not None:
        rows = _exchanged(source.rows, size, seeds)
        return Pipeline(rows.__iter__, source.cardinality, rows, is_shuffled=True)

    def elements() -> Iterator[Element]:
        draws = numbers(seeds.next())
        return Resumed(_exchanges(source.elements(), size, draws))

    return Pipeline(elements, source.cardinality, is_shuffled=True)


def _exchanged(rows: Rows, size: int, seeds: SeedGenerator) -> Rows:
    """Rows in another order, of which the places alone go through the buffer."""

    def order(count: int) -> Iterator[Places]:
        draws = numbers(seeds.next())
        found = _exchanges(itertools.chain.from_iterable(rows.order(count)), size, draws)()
        parts = (np.fromiter(itertools.islice(found, count), np.intp) for _ in itertools.count())
        return itertools.takewhile(len, parts)

    return Rows(rows.at, order, rows.width)


def _exchanges(source: Iterator[T], size: int, draws: Iterator[int]) -> Callable[[], Iterator[T]]:
    """The items of a source through a buffer of `size`, from which a random one is taken."""
    # The place of the first one moves round the buffer, as in TensorFlow: so the order is its.
    held: list[T] = []
    count = first = 0

    def steps() -> Iterator[T]:
        nonlocal count, first
        for further in source:
            if len(held) < size:
                held.append(further)
            else:
                held[first - 1] = further
            count += 1
            if count < size:
                continue
            place = (first + next(draws) % size) % size
            found, held[place] = held[place], held[first]
            first, count = first + 1, count - 1
            if first == size:
                first = 0
            yield found
        while count:
            place = (first + next(draws) % count) % len(held)
            found, held[place] = held[place], held[first]
            first, count = (first + 1) % len(held), count - 1
            yield found

    return steps


def prefetched(source: Pipeline, buffer_size: Any) -> Pipeline:
    """The elements, computed by a thread ahead of their use."""
    size = int(buffer_size)
    if size < -1:
        raise invalid("Dataset.prefetch", f"buffer_size must be >= 0 or AUTOTUNE, got {size}")
    if size == 0:
        return source
    ahead = threads.AHEAD if size < 0 else size
    return Pipeline(lambda: threads.ahead(source.elements(), ahead), source.cardinality)
