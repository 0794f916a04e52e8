"""Pipelines of several elements at a time, and of parts of one."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime import errors
from runtime.data.functions import Traced
from runtime.data.pipelines import (
    INFINITE,
    UNKNOWN,
    Element,
    Failure,
    Pipeline,
    Raised,
    Resumed,
    attempts,
    invalid,
    passed,
    positive,
    row_iterator,
    scaled,
    transposed,
)


def _group(iterator: Iterator[Element], size: int, whole: bool) -> list[Element]:
    """The next `size` elements, or fewer; behind an error they are gone, all of them if `whole`."""
    group: list[Element] = []
    try:
        group.extend(itertools.islice(iterator, size))
    except Exception:
        if whole:
            for _ in range(len(group) + 1, size):
                passed(iterator)
        raise
    return group


def batched(source: Pipeline, count: Any, *, drop: bool) -> Pipeline:
    """`count` elements at a time, stacked; fewer at the end, unless `drop`."""
    what = "Dataset.batch"
    size = positive(count, what, "batch_size")
    known = scaled(source.cardinality, lambda n: n // size if drop else -(-n // size))

    def elements() -> Iterator[Element]:
        iterator = source.elements()

        def steps() -> Iterator[Element]:
            while group := _group(iterator, size, source.is_mapped):
                if len(group) < size and drop:
                    return
                yield transposed(group, what)

        return Resumed(steps)

    if (rows := source.rows) is None:
        return Pipeline(elements, known)
    return Pipeline(lambda: itertools.islice(rows.blocks(size), known), known)


def batched_in_turn(source: Pipeline, sizes: Any, *, types: Any, drop: bool) -> Pipeline:
    """Batches of these sizes, one after another and again; those of size 0 are empty."""
    what = "Dataset.rebatch"
    if not sizes.ndim:
        return batched(source, sizes, drop=drop)
    wanted = sizes.tolist()
    if not any(wanted) or min(wanted) < 0:
        raise invalid(what, f"batch_size must hold sizes >= 0, and one that is not 0, got {wanted}")

    def elements() -> Iterator[Element]:
        iterator, turns = source.elements(), itertools.cycle(wanted)

        def steps() -> Iterator[Element]:
            for size in turns:
                group = list(itertools.islice(iterator, size))
                if size and (not group or (drop and len(group) < size)):
                    return
                yield transposed(group, what) if group else _empty(types)

        return Resumed(steps)

    return Pipeline(elements, INFINITE if source.cardinality == INFINITE else UNKNOWN)


def _empty(types: Any) -> Element:
    return tuple([np.empty((0, *(n or 0 for n in t.shape or ())), t.dtype.np_dtype) for t in types])


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

        def steps() -> Iterator[Element]:
            while group := list(itertools.islice(iterator, size)):
                if len(group) < size and drop:
                    return
                columns = zip(zip(*group, strict=True), shapes, values, strict=True)
                yield tuple([padded_stack(*each, place) for place, each in enumerate(columns)])

        return Resumed(steps)

    return Pipeline(
        elements, scaled(source.cardinality, lambda n: n // size if drop else -(-n // size))
    )


def unbatched(source: Pipeline, *, size: int | None) -> Pipeline:
    """The rows of the components of each element."""

    def elements() -> Iterator[Element]:
        inputs = source.elements()

        def steps() -> Iterator[Element]:
            for element in inputs:
                lengths = {component.shape[:1] for component in element}
                if len(lengths) > 1:
                    shapes = [list(component.shape) for component in element]
                    raise invalid(
                        "Dataset.unbatch",
                        f"the components of an element have different first dimensions: {shapes}",
                    )
                yield from zip(*map(row_iterator, element), strict=True)

        return Resumed(steps)

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
        return Raised(found(attempts(source.elements())))

    def found(iterator: Iterator[Element | Failure]) -> Iterator[Element | Failure]:
        held: deque[Element | Failure] = deque(itertools.islice(iterator, reach))
        while held and not (drop and len(held) < reach):
            group = list(itertools.islice(held, 0, None, apart))
            yield next((x for x in group if isinstance(x, Failure)), None) or _as_datasets(group)
            for _ in range(min(step, len(held))):
                held.popleft()
            missing = reach - len(held)
            further = itertools.islice(iterator, max(0, step - reach), None)
            held.extend(itertools.islice(further, missing))

    def known(n: int) -> int:
        return max(0, (n - reach) // step + 1) if drop else -(-n // step)

    return Pipeline(elements, scaled(source.cardinality, known))


def _as_datasets(group: list[Any]) -> Element:
    columns = zip(*group, strict=True)
    return tuple([of_list([(item,) for item in column]) for column in columns])


def of_list(items: list[Element]) -> Pipeline:
    return Pipeline(lambda: iter(items), len(items))


def grouped(
    source: Pipeline, *outer: Any, key: Traced, reduce: Traced, size: Traced, counts: Any
) -> Pipeline:
    """The elements of the datasets that `reduce` makes of those of one key, as many at a time as
    `size` says of the key; `counts` are the numbers of outer values of the three.
    """
    what = key.what

    def elements() -> Iterator[Element]:
        ends = list(itertools.accumulate(counts))
        parts = zip((key, reduce, size), [0, *ends], ends, strict=False)
        key_of, made_of, size_of = (each.runner(outer[at:end]) for each, at, end in parts)
        inputs = source.elements()
        held: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        inner: Iterator[Element] = iter(())

        def steps() -> Iterator[Element]:
            nonlocal inner
            yield from inner
            for element in inputs:
                found = int(key_of(*element)[0])
                if found not in sizes:
                    count = size_of(np.int64(found))[0]
                    sizes[found] = positive(count, what, "the window size")
                group = held.setdefault(found, [])
                group.append(element)
                if len(group) == sizes[found]:
                    inner = made_of(np.int64(found), of_list(held.pop(found)))[0].elements()
                    yield from inner
            while held:
                found = min(held)
                inner = made_of(np.int64(found), of_list(held.pop(found)))[0].elements()
                yield from inner

        return Resumed(steps)

    return Pipeline(elements, INFINITE if source.cardinality == INFINITE else UNKNOWN)
