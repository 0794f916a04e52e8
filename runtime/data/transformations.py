"""Pipelines made of others: each transformation is an iterator over elements, and a cardinality."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime import errors
from runtime.data import threads
from runtime.data.functions import Traced
from runtime.data.pipelines import (
    INFINITE,
    UNKNOWN,
    Element,
    Pipeline,
    invalid,
    least,
    row_iterator,
    scaled,
    total,
    transposed,
)
from runtime.data.randomness import SeedGenerator, chosen_seeds, numbers


def positive(value: Any, what: str, name: str) -> int:
    """A size; InvalidArgumentError where it is not greater than zero."""
    size = int(value)
    if size <= 0:
        raise invalid(what, f"{name} must be greater than zero, got {size}")
    return size


# Elements, by a function


def mapped(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """A function of each element."""

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        for element in source.elements():
            yield run(*element)

    return Pipeline(elements, source.cardinality)


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

    return Pipeline(elements, source.cardinality)


def filtered(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """The elements that a function accepts."""

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        for element in source.elements():
            if run(*element)[0]:
                yield element

    return Pipeline(elements, UNKNOWN)


def taken_while(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """The elements before the first one that a function does not accept."""

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        for element in source.elements():
            if not run(*element)[0]:
                return
            yield element

    return Pipeline(elements, UNKNOWN)


def scanned(source: Pipeline, *rest: Any, function: Traced, size: int) -> Pipeline:
    """The second result of a function, beside a state of `size` components that it hands on."""
    initial, outer = rest[:size], rest[size:]

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        state = initial
        for element in source.elements():
            made = run(*state, *element)
            state = made[:size]
            yield made[size:]

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
        inputs = source.elements()
        slots: list[Iterator[Element] | None] = [None] * length
        at = 0
        ended = False
        while not ended or any(slots):
            if slots[at] is None and not ended:
                found = next(inputs, None)
                ended = found is None
                slots[at] = None if found is None else run(*found)[0].elements()
            left = run_length
            for element in itertools.islice(slots[at] or (), run_length):
                yield element
                left -= 1
            if left:
                slots[at] = None
            at = (at + 1) % length

    return Pipeline(elements, UNKNOWN)


def flattened(source: Pipeline, *outer: Any, function: Traced) -> Pipeline:
    """The elements of the datasets that a function makes, one dataset after another."""

    def elements() -> Iterator[Element]:
        run = function.runner(outer)
        for element in source.elements():
            yield from run(*element)[0].elements()

    return Pipeline(elements, UNKNOWN)


# How many, and which


def repeated(source: Pipeline, count: Any) -> Pipeline:
    """The elements again and again; without end where `count` is negative."""
    times = int(count)

    def elements() -> Iterator[Element]:
        for _ in itertools.count() if times < 0 else range(times):
            empty = True
            for element in source.elements():
                empty = False
                yield element
            if empty and times < 0:
                return

    if times == 0 or source.cardinality == 0:
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
        return itertools.islice(source.elements(), most)

    known = most if source.cardinality == INFINITE else source.cardinality
    known = 0 if most == 0 else scaled(known, lambda n: min(n, most))
    return Pipeline(elements, known, None if source.rows is None or known < 0 else source.rows)


def skipped(source: Pipeline, count: Any) -> Pipeline:
    """The elements behind the first ones; none where `count` is negative."""
    most = int(count)
    if most < 0:
        return Pipeline(lambda: iter(()), 0)

    def elements() -> Iterator[Element]:
        return itertools.islice(source.elements(), most, None)

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
        return itertools.islice(source.elements(), at, None, shards)

    return Pipeline(elements, scaled(source.cardinality, lambda n: max(0, -((at - n) // shards))))


def unique(source: Pipeline) -> Pipeline:
    """Each element once, where it comes first."""

    def elements() -> Iterator[Element]:
        seen = set()
        for element in source.elements():
            key = element[0].tobytes() if element[0].ndim else element[0].item()
            if key not in seen:
                seen.add(key)
                yield element

    return Pipeline(elements, UNKNOWN)


# Several datasets


def zipped(*sources: Pipeline) -> Pipeline:
    """The components of elements at the same place, side by side."""

    def elements() -> Iterator[Element]:
        for parts in zip(*[source.elements() for source in sources], strict=False):
            yield tuple(itertools.chain.from_iterable(parts))

    return Pipeline(elements, least([source.cardinality for source in sources]))


def enumerated(source: Pipeline, start: Any) -> Pipeline:
    """A number before the components of each element."""
    first = int(start)

    def elements() -> Iterator[Element]:
        for number, element in enumerate(source.elements(), first):
            yield np.int64(number), *element

    return Pipeline(elements, source.cardinality)


def concatenated(*sources: Pipeline) -> Pipeline:
    """The elements of one after those of another."""

    def elements() -> Iterator[Element]:
        for source in sources:
            yield from source.elements()

    return Pipeline(elements, total([source.cardinality for source in sources]))


def chosen(choices: Pipeline, *sources: Pipeline, stop: bool) -> Pipeline:
    """The next element of the dataset that each choice is the number of; with `stop`, as far as
    the first one that has none.
    """

    def elements() -> Iterator[Element]:
        iterators = [source.elements() for source in sources]
        open_ = set(range(len(iterators)))
        for (choice,) in choices.elements():
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

    return Pipeline(elements, UNKNOWN)


def sampled(weights: Any, seed: Any, *sources: Pipeline, stop: bool, anew: bool) -> Pipeline:
    """The next element of a dataset that is drawn with these weights; those that have no more are
    drawn no more, or end it with `stop`.
    """
    drawing = SeedGenerator(chosen_seeds(None if seed is None else int(seed)), anew)
    chances = np.asarray(weights, np.float64)
    if chances.shape != (len(sources),) or (chances < 0).any() or not chances.any():
        raise invalid(
            "Dataset.sample_from_datasets",
            f"weights must be {len(sources)} numbers, none negative and not all 0, got {chances}",
        )

    if np.count_nonzero(chances) == 1:
        return sources[int(chances.argmax())]

    def elements() -> Iterator[Element]:
        draws = numbers(drawing.next())
        iterators = [source.elements() for source in sources]
        left = chances.copy()
        while left.any():
            bounds = np.cumsum(left)
            at = int(np.searchsorted(bounds, next(draws) / 2**32 * bounds[-1], side="right"))
            found = next(iterators[at], None)
            if found is not None:
                yield found
            elif stop:
                return
            else:
                left[at] = 0

    every = [source.cardinality for source in sources]
    return Pipeline(elements, INFINITE if INFINITE in every and not stop else UNKNOWN)


# Groups


def batched(source: Pipeline, count: Any, *, drop: bool) -> Pipeline:
    """`count` elements at a time, stacked; fewer at the end, unless `drop`."""
    what = "Dataset.batch"
    size = positive(count, what, "batch_size")
    known = scaled(source.cardinality, lambda n: n // size if drop else -(-n // size))

    def elements() -> Iterator[Element]:
        iterator = source.elements()
        while group := list(itertools.islice(iterator, size)):
            if len(group) < size and drop:
                return
            yield transposed(group, what)

    def sliced() -> Iterator[Element]:
        rows, end = source.rows, source.cardinality
        assert rows is not None
        for start in range(0, end - size + 1 if drop else end, size):
            yield rows(start, min(start + size, end))

    return Pipeline(elements if source.rows is None else sliced, known)


def padded_stack(column: Any, shape: Any, value: Any, place: int) -> Any:
    """One array of components, padded with a value; None in the shape is the longest of them."""
    what = "Dataset.padded_batch"
    rank = column[0].ndim
    if any(item.ndim != rank for item in column):
        raise invalid(what, f"all elements of component {place} must have one rank")
    wanted = (None,) * rank if shape is None else shape
    if len(wanted) != rank:
        raise invalid(
            what,
            f"the padded shape of component {place} has rank {len(wanted)}, its elements have rank "
            f"{rank}",
        )
    longest = [max(dims) for dims in zip(*[item.shape for item in column], strict=True)]
    dims = [most if dim is None else dim for dim, most in zip(wanted, longest, strict=True)]
    if any(most > dim for dim, most in zip(dims, longest, strict=True)):
        raise errors.DataLossError(
            None,
            None,
            f"{what}: attempted to pad to a smaller size than the input element: component {place} "
            f"is up to {longest}, padded_shapes asks for {dims}",
        )
    made = np.full((len(column), *dims), value[()], column[0].dtype)
    for at, item in enumerate(column):
        inside: tuple[Any, ...] = (at, *map(slice, item.shape))
        made[inside] = item if rank else item[()]
    return made


def padded(source: Pipeline, count: Any, *values: Any, shapes: Any, drop: bool) -> Pipeline:
    """`batched`, of components that are padded with these values to common shapes."""
    what = "Dataset.padded_batch"
    size = positive(count, what, "batch_size")

    def elements() -> Iterator[Element]:
        iterator = source.elements()
        while group := list(itertools.islice(iterator, size)):
            if len(group) < size and drop:
                return
            columns = zip(zip(*group, strict=True), shapes, values, strict=True)
            yield tuple([padded_stack(*each, place) for place, each in enumerate(columns)])

    return Pipeline(
        elements, scaled(source.cardinality, lambda n: n // size if drop else -(-n // size))
    )


def unbatched(source: Pipeline, *, size: int | None) -> Pipeline:
    """The rows of the components of each element."""

    def elements() -> Iterator[Element]:
        for element in source.elements():
            lengths = {component.shape[:1] for component in element}
            if len(lengths) > 1:
                shapes = [list(component.shape) for component in element]
                raise invalid(
                    "Dataset.unbatch",
                    f"the components of an element have different first dimensions: {shapes}",
                )
            yield from zip(*map(row_iterator, element), strict=True)

    known = scaled(source.cardinality, lambda n: UNKNOWN if size is None else n * size)
    return Pipeline(elements, known)


def windows(source: Pipeline, size: Any, shift: Any, stride: Any, *, drop: bool) -> Pipeline:
    """Datasets of `size` elements each, `stride` apart, that begin `shift` elements apart."""
    what = "Dataset.window"
    count = positive(size, what, "size")
    step = count if shift is None else positive(shift, what, "shift")
    apart = positive(stride, what, "stride")
    reach = (count - 1) * apart + 1

    def elements() -> Iterator[Element]:
        iterator = source.elements()
        held: deque[Element] = deque(itertools.islice(iterator, reach))
        while held and not (drop and len(held) < reach):
            yield _as_datasets(list(itertools.islice(held, 0, None, apart)))
            for _ in range(min(step, len(held))):
                held.popleft()
            missing = reach - len(held)
            further = itertools.islice(iterator, max(0, step - reach), None)
            held.extend(itertools.islice(further, missing))

    def known(n: int) -> int:
        return max(0, (n - reach) // step + 1) if drop else -(-n // step)

    return Pipeline(elements, scaled(source.cardinality, known))


def _as_datasets(group: list[Element]) -> Element:
    columns = zip(*group, strict=True)
    return tuple([_of_list([(item,) for item in column]) for column in columns])


def _of_list(items: list[Element]) -> Pipeline:
    return Pipeline(lambda: iter(items), len(items))


def shuffled(source: Pipeline, buffer_size: Any, seed: Any, *, anew: bool) -> Pipeline:
    """A random one of the next `buffer_size` elements each time."""
    what = "Dataset.shuffle"
    size = int(buffer_size)
    if size == -2:
        size = max(source.cardinality, 1)
    size = positive(size, what, "buffer_size")
    seeds = SeedGenerator(chosen_seeds(None if seed is None else int(seed)), anew)

    def elements() -> Iterator[Element]:
        draws = numbers(seeds.next())
        iterator = source.elements()
        # The place of the first one moves round the buffer, as in TensorFlow: so the order is its.
        held = list(itertools.islice(iterator, size))
        count, first = len(held), 0
        while count == size:
            place = (first + next(draws) % size) % size
            found, held[place] = held[place], held[first]
            yield found
            further = next(iterator, None)
            if further is None:
                first, count = (first + 1) % size, count - 1
                break
            held[first] = further
            first = (first + 1) % size
        while count:
            place = (first + next(draws) % count) % len(held)
            found, held[place] = held[place], held[first]
            yield found
            first, count = (first + 1) % len(held), count - 1

    return Pipeline(elements, source.cardinality)


def prefetched(source: Pipeline, buffer_size: Any) -> Pipeline:
    """The elements, computed by a thread ahead of their use."""
    size = int(buffer_size)
    if size < -1:
        raise invalid("Dataset.prefetch", f"buffer_size must be >= 0 or AUTOTUNE, got {size}")
    if size == 0:
        return source
    ahead = threads.AHEAD if size < 0 else size
    return Pipeline(lambda: threads.ahead(source.elements(), ahead), source.cardinality)
