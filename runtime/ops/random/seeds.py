"""Seeds, and the places of random numbers that they choose.

The numbers come from NumPy's generators over Philox, a counter-based source: 128 bits of key choose
a sequence, 256 bits of counter a place in it. The numbers are not those that TensorFlow draws.

An op's sequence is chosen by the global seed (`set_seed`) and the op's own seed:

- neither: from the operating system, different in every run;
- the global one only: in eager code the op's own is the number of such ops so far since
  `set_seed`, in a graph their number in it, so that the same program draws the same numbers;
- the op's own only: a global seed of 0 stands in;
- both: those two.

Eager ops with equal seeds (and of the same kind and dtype) share one sequence and draw one piece of
it after another; in a graph each op has a sequence of its own, and goes on in it from call to call,
also where a function is traced a second time because it created variables. `set_seed` starts all of
them anew.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.core.primitive import wrong_dtype
from runtime.core.settings import changes_settings
from runtime.core.state import state
from runtime.core.tensor import Tensor
from runtime.dtypes import DType

_MASK = (1 << 64) - 1
_DEFAULT_SEED = 87654321
GREATEST_SEED = (1 << 31) - 1
"""Seeds of TensorFlow's ops are taken modulo this number."""


class _Source(threading.local):
    """One generator for each thread: to place it anew is much faster than to make one."""

    bits: Any = None
    generator: Any = None

    def open(self) -> None:
        """Make it. NumPy imports its random numbers only when they are first asked for."""
        self.bits = np.random.Philox(0)
        self.generator = np.random.Generator(self.bits)


_source = _Source()
_EMPTY = np.zeros(4, np.uint64)


def _at(key: tuple[int, int], counter: tuple[int, int, int]) -> np.random.Generator:
    """This thread's generator, placed in the sequence of `key`. Places that differ never
    overlap.
    """
    if _source.bits is None:
        _source.open()
    _source.bits.state = {
        "bit_generator": "Philox",
        "state": {
            "counter": np.array((0, *counter), np.uint64),
            "key": np.array(key, np.uint64),
        },
        "buffer": _EMPTY, "buffer_pos": 4, "has_uint32": 0, "uinteger": 0,
    }  # fmt: skip
    return _source.generator  # type: ignore[no-any-return]


# Seeds of stateful ops. What chose a sequence is part of its place, so that an op's own seed 3 is
# not the third op without one.
BY_OP, _BY_ORDER, _BY_TRACE, _BY_SYSTEM, _BY_STATE, _BY_SEED = range(6)


class Stream:
    """The sequence of one stateful op, and how many pieces of it are drawn."""

    __slots__ = ("_drawn", "_epoch", "_key", "_kind")
    is_resource = True

    def __init__(self, key: tuple[int, int], kind: int) -> None:
        self._key = key
        self._kind = kind
        self._drawn = 0
        self._epoch = global_seeds.epoch

    @property
    def place(self) -> tuple[tuple[int, int], int] | None:
        """The key of the sequence and the kind of seed that it comes from; None for the system."""
        return None if self._kind == _BY_SYSTEM else (self._key, self._kind)

    @classmethod
    def at(cls, place: tuple[tuple[int, int], int] | None) -> Stream:
        """A stream that begins at such a place."""
        return cls(_system_key(), _BY_SYSTEM) if place is None else cls(*place)

    def generator(self) -> np.random.Generator:
        """A generator at the next piece."""
        with global_seeds.lock:
            if self._epoch != global_seeds.epoch and self._kind != _BY_SYSTEM:
                self._drawn = 0
            self._epoch = global_seeds.epoch
            piece = self._drawn
            self._drawn += 1
        return _at(self._key, (piece, 0, self._kind))

    def __repr__(self) -> str:
        return "<stream of the system>" if self._kind == _BY_SYSTEM else f"<stream {self._key}>"


class _Seeds:
    """The global seed, and what has been drawn since it was set."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.epoch = 0
        self.set(None)

    def set(self, seed: int | None) -> None:
        with self.lock:
            self.epoch += 1
            self.seed = seed
            self.order = itertools.count()
            self.streams: dict[Any, Stream] = {}

    def stream(self, seed: int | None, name: str, dtype: DType) -> Stream:
        """The sequence of an op of this kind with the seed `seed` of its own."""
        trace = state.trace
        if seed is None and self.seed is None:
            return Stream(_system_key(), _BY_SYSTEM)
        of_all = self.seed or 0
        if trace is not None:
            made = _next_of(trace, of_all) if seed is None else Stream((of_all, seed), BY_OP)
            return _shared(made)
        if seed is None:
            return Stream((of_all, next(self.order)), _BY_ORDER)
        with self.lock:
            key = (name, dtype, seed)
            found = self.streams.get(key)
            if found is None:
                found = self.streams[key] = Stream((of_all, seed), BY_OP)
            return found


def _next_of(trace: Any, of_all: int) -> Stream:
    number = trace.memo.get(Stream, 0)
    trace.memo[Stream] = number + 1
    return Stream((of_all, number), _BY_TRACE)


class _Traced(threading.local):
    streams: tuple[tuple[dict[Any, Stream], Counter[Any]], ...] = ()


_traced = _Traced()


@contextmanager
def going_on(streams: dict[Any, Stream]) -> Iterator[None]:
    """Inside this block, in which a function is traced, its ops go on in the `streams` that an
    earlier trace of it has left there; new ones are added.
    """
    before = _traced.streams
    _traced.streams = (streams, Counter()), *before
    try:
        yield
    finally:
        _traced.streams = before


def _shared(made: Stream) -> Stream:
    place = made._key, made._kind
    for streams, seen in _traced.streams:
        seen[place] += 1
        made = streams.setdefault((place, seen[place]), made)
    return made


def _system_key() -> tuple[int, int]:
    entropy = os.urandom(16)
    return int.from_bytes(entropy[:8], "little"), int.from_bytes(entropy[8:], "little")


global_seeds = _Seeds()


def seed_of(seed: Any, what: str = "seed") -> int | None:
    if seed is None:
        return None
    if isinstance(seed, Tensor):
        seed = seed.static_value
    try:
        return int(seed.__index__()) & _MASK
    except (AttributeError, TypeError):
        raise wrong_dtype(f"{what} must be a Python integer or None, not {seed!r}") from None


@changes_settings
def set_seed(seed: Any) -> None:
    """Set the global seed, and start the sequences of all ops anew.

    None: draw from the system again.

    TypeError where `seed` is no integer.

    >>> rt.random.set_seed(1)
    >>> first = rt.random.uniform([])
    >>> rt.random.set_seed(1)
    >>> bool(rt.random.uniform([]) == first)
    True
    """
    global_seeds.set(seed_of(seed, "the global seed"))


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """The global seed and the seed of an op that is given `op_seed`, both below 2**31.

    Both are None where there is neither, and never 0 together. Without a global seed that is
    87654321.

    >>> rt.random.set_seed(1)
    >>> rt.random.get_seed(None)
    (1, 0)
    """
    seed, of_all = seed_of(op_seed), global_seeds.seed
    if seed is None and of_all is None:
        return None, None
    return pair_of(of_all, next(global_seeds.order) if seed is None else seed)


def pair_of(of_all: int | None, own: int) -> tuple[int, int]:
    """The global seed and that of an op, as TensorFlow's ops take them."""
    first = signed(_DEFAULT_SEED if of_all is None else of_all) % GREATEST_SEED
    second = signed(own) % GREATEST_SEED
    return first, second if first or second else GREATEST_SEED


def signed(seed: int) -> int:
    """The number of 64 bits with a sign that has the bits of a seed."""
    bits = seed & _MASK
    return bits - (bits >> 63 << 64)


def seeded(seed: Any) -> np.random.Generator:
    """The generator for a seed of two numbers, or for the state (two of counter, one of key) of a
    Generator.
    """
    values = [int(n) & _MASK for n in seed.tolist()]
    if len(values) == 2:
        return _at((values[0], values[1]), (0, 0, _BY_SEED))
    return _at((values[2], 0), (values[0], values[1], _BY_STATE))
