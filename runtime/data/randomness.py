"""Random numbers of `shuffle` and `random`: Philox 4x32 with 10 rounds, whose seeds and draws are
those of TensorFlow's (J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011).
"""

from __future__ import annotations

import itertools
import os
import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.data.positions import current
from runtime.ops.random.seeds import GREATEST_SEED, global_seeds, pair_of, signed

_FIRST_BLOCK, _GREATEST_BLOCK = 64, 2048
"""Counters that are turned into numbers at once, four numbers each: more from block to block."""

_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10

Seeds = tuple[int, int]


def _block(key: int, high: int, counters: Any) -> list[int]:
    a, b = counters & _LOW, counters >> _SHIFT
    c, d = np.full_like(a, high & 0xFFFFFFFF), np.full_like(a, high >> 32)
    low_key, high_key = key & 0xFFFFFFFF, key >> 32
    for _ in range(_ROUNDS):
        p, q = a * _FACTORS[0], c * _FACTORS[1]
        a = (q >> _SHIFT) ^ b ^ np.uint64(low_key)
        c = (p >> _SHIFT) ^ d ^ np.uint64(high_key)
        b, d = q & _LOW, p & _LOW
        low_key = (low_key + _WEYL[0]) & 0xFFFFFFFF
        high_key = (high_key + _WEYL[1]) & 0xFFFFFFFF
    drawn: list[int] = np.stack([a, b, c, d], 1).ravel().tolist()
    return drawn


def numbers(seeds: Seeds) -> Iterator[int]:
    """Unsigned 32-bit numbers, without end."""
    key, high = (seed % (1 << 64) for seed in seeds)
    return itertools.chain.from_iterable(_block(key, high, each) for each in _counters())


def _counters() -> Iterator[Any]:
    first, size = 0, _FIRST_BLOCK
    while True:
        yield np.arange(first, first + size, dtype=np.uint64)
        first, size = first + size, min(2 * size, _GREATEST_BLOCK)


class SeedGenerator:
    """A pair of seeds for each iteration: drawn anew, or the same ones."""

    def __init__(self, seeds: Seeds, anew: bool) -> None:
        self._seeds = seeds
        self._numbers = numbers(seeds) if anew else None
        self._drawn = 0
        self._lock = threading.Lock()

    def next(self) -> Seeds:
        """The seeds of the next iteration: those that the iterator is to repeat, if any."""
        record = current()
        with self._lock:
            if record is not None:
                if record.given:
                    self._go_to(*record.given.popleft())
                record.draws((*self._seeds, self._drawn))
            if self._numbers is None:
                return self._seeds
            self._drawn += 1
            return next(self._numbers), next(self._numbers)

    def _go_to(self, low: int, high: int, drawn: int) -> None:
        self._seeds = low, high
        if self._numbers is not None:
            self._numbers, self._drawn = numbers(self._seeds), drawn
            for _ in range(2 * drawn):
                next(self._numbers)


class _Order:
    """The seeds of ops that have none of their own, one after another since `set_seed`."""

    def __init__(self) -> None:
        self.epoch = -1
        self.draws = random.Random()

    def next(self, seed: int) -> int:
        if self.epoch != global_seeds.epoch:
            self.epoch = global_seeds.epoch
            self.draws = random.Random(seed)
        return self.draws.randint(0, GREATEST_SEED)


_order = _Order()


def chosen_seeds(seed: int | None) -> Seeds:
    """The pair of seeds for an op's own seed, if it has one, and the global one: drawn from the
    system where there is neither.
    """
    with global_seeds.lock:
        of_all = global_seeds.seed
        if seed is None and of_all is None:
            low, high = np.frombuffer(os.urandom(16), np.int64)
            return int(low), int(high)
        return pair_of(of_all, _order.next(signed(of_all or 0)) if seed is None else seed)
