"""Positions of iterators, as a checkpoint keeps them: how many elements were taken, and the random
seeds that were drawn for them. An iterator goes to its position by computing these elements anew.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

Draw = tuple[int, int, int]
"""The seeds of a SeedGenerator, and how many pairs it had drawn before."""

CONSUMER = object()
"""The thread that takes elements from an iterator, whichever it is."""


class Record:
    """The seeds that were drawn for one iterator, in their order.

    refusal: why the elements would not come the same again; empty where they would.
    given: draws that are to be repeated before new ones are made.
    """

    __slots__ = ("_worker", "drawn", "given", "is_open", "refusal")

    def __init__(self, given: list[Draw] | None = None) -> None:
        self.given = deque(given or ())
        self.drawn: list[Draw] = []
        self.refusal = ""
        self.is_open = False
        self._worker: Any = None

    def draws(self, draw: Draw) -> None:
        """Note a draw of the thread that asks."""
        self.drawn.append(draw)
        if not self.is_open:
            return
        if self._worker is None:
            self._worker = _now.worker
        if self._worker is not _now.worker:
            self.refuse("random order on several threads (prefetch, or map with threads)")

    def refuse(self, reason: str) -> None:
        """Note why the elements would not come the same again."""
        self.refusal = self.refusal or reason

    def hand_on(self, inner: Record) -> None:
        """Note that kept elements come from an iteration that only `inner` has recorded."""
        if inner.refusal or inner.drawn:
            self.refuse(inner.refusal or "Dataset.cache of elements in random order")


class _Now(threading.local):
    record: Record | None = None
    worker: Any = CONSUMER


_now = _Now()


def current() -> Record | None:
    """The record of the iterator that computes elements in this thread."""
    return _now.record


def refuse_position(reason: str) -> None:
    """Note why what is opened now has no position that could be kept."""
    if _now.record is not None:
        _now.record.refuse(reason)


def begin_worker(record: Record | None) -> None:
    """Work for the iterator of a record in this thread, which is none that takes elements."""
    _now.record, _now.worker = record, object()


@contextmanager
def recording(record: Record) -> Iterator[None]:
    """Note in a record what is drawn meanwhile."""
    before, _now.record = _now.record, record
    try:
        yield
    finally:
        _now.record = before


def encoded(count: int, record: Record) -> Any:
    """The array of a position."""
    # A thread that computes ahead may append meanwhile.
    return np.array([count, *(part for draw in tuple(record.drawn) for part in draw)], np.int64)


def decoded(array: Any) -> tuple[int, list[Draw]]:
    """The count and the draws of `encoded`."""
    rows = array[1:].reshape(-1, 3).tolist()
    return int(array[0]), [(low, high, at) for low, high, at in rows]
