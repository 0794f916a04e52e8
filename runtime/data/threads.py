"""Elements that other threads compute. A thread holds what it computes with, never the iterator
that hands the results on: it ends when that is dropped or closed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import islice, starmap
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from runtime.data.pipelines import Element, Failure, Raised, attempts
from runtime.data.positions import begin_worker, current, refuse_position

AHEAD = 2
"""Elements that `prefetch(AUTOTUNE)` computes ahead."""

_END = object()


def parallelism() -> int:
    """Threads where their number is left open: one for each processor."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Stop:
    """Tells threads to end."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = False


def _started(work: Callable[..., None], *args: Any) -> None:
    record = current()

    def run() -> None:
        begin_worker(record)
        work(*args)

    threading.Thread(target=run, name="runtime.data", daemon=True).start()


def ahead(source: Iterator[Element], size: int) -> Iterator[Element]:
    """The elements of an iterator, of which a thread computes up to `size` ahead."""
    return Raised(_ahead(source, size))


def _ahead(source: Iterator[Element], size: int) -> Iterator[Element | Failure]:
    # Places are handed to the thread, elements come back.
    places: SimpleQueue[Any] = SimpleQueue()
    made: SimpleQueue[Any] = SimpleQueue()
    stop = _Stop()
    for _ in range(size):
        places.put(None)
    _started(_fill, source, places, made, stop)
    del source
    try:
        while (found := made.get()) is not _END:
            places.put(None)
            yield found
    finally:
        stop.asked = True
        places.put(None)


def _fill(
    source: Iterator[Element], places: SimpleQueue[Any], made: SimpleQueue[Any], stop: _Stop
) -> None:
    while True:
        places.get()
        if stop.asked:
            break
        try:
            found: Any = next(source, _END)
        except BaseException as error:  # it is the consumer's
            found = Failure(error)
        made.put(found)
        # An error knows where it was raised: so it would hold the consumer, and this thread.
        del found


_TRIALS = 4
_LONG = 1e-3
"""Seconds: where calls take longer on average, threads are worth their while."""


def mapped_as_needed(
    source: Iterator[Element], run: Callable[..., Element], ordered: bool
) -> Iterator[Element]:
    """`run` of each element: by threads, once the first ones have shown that it takes long."""
    _check_order(ordered)
    return Raised(_as_needed(source, run, ordered))


def _as_needed(
    source: Iterator[Element], run: Callable[..., Element], ordered: bool
) -> Iterator[Element | Failure]:
    spent = 0.0
    made: list[Element | Failure] = []
    for _ in range(_TRIALS):
        start = perf_counter()
        made.extend(islice(attempts(starmap(run, source)), 1))
        spent += perf_counter() - start
        if not made:
            return
        yield made.pop()
    if spent > _TRIALS * _LONG:
        yield from _mapped(source, run, parallelism(), ordered)
    yield from attempts(starmap(run, source))


def mapped(
    source: Iterator[Element], run: Callable[..., Element], workers: int, ordered: bool
) -> Iterator[Element]:
    """`run` of each element, by as many threads; in the order of the elements, or as they come."""
    _check_order(ordered)
    return Raised(_mapped(source, run, workers, ordered))


def _check_order(ordered: bool) -> None:
    if not ordered:
        refuse_position("elements in no fixed order (deterministic=False)")


def _mapped(
    source: Iterator[Element], run: Callable[..., Element], workers: int, ordered: bool
) -> Iterator[Element | Failure]:
    work: SimpleQueue[Any] = SimpleQueue()
    done: SimpleQueue[Any] = SimpleQueue()
    stop = _Stop()
    for _ in range(workers):
        _started(_compute, run, work, done, stop)
    try:
        yield from _results(attempts(source), work, done, 2 * workers, ordered)
    finally:
        stop.asked = True
        for _ in range(workers):
            work.put(None)


def _results(
    source: Iterator[Element | Failure],
    work: SimpleQueue[Any],
    done: SimpleQueue[Any],
    most: int,
    ordered: bool,
) -> Iterator[Element | Failure]:
    sent = given = 0
    ended = False
    waiting: dict[int, Any] = {}
    while True:
        while not ended and sent - given < most:
            found: Any = next(source, _END)
            if found is _END:
                ended = True
                break
            if type(found) is Failure:
                waiting[sent] = found
            else:
                work.put((sent, found))
            found = None
            sent += 1
        if given == sent:
            return
        while given not in waiting:
            place, result = done.get()
            # In no order: the next one that is there is the next one.
            waiting[place if ordered else _first_free(waiting, given)] = result
            result = None
        given += 1
        yield waiting.pop(given - 1)


def _first_free(waiting: dict[int, Any], given: int) -> int:
    while given in waiting:
        given += 1
    return given


def _compute(
    run: Callable[..., Element], work: SimpleQueue[Any], done: SimpleQueue[Any], stop: _Stop
) -> None:
    while True:
        task = work.get()
        if stop.asked or task is None:
            return
        place, element = task
        del task
        try:
            done.put((place, run(*element)))
        except BaseException as error:  # it is the consumer's
            done.put((place, Failure(error)))
        del element
