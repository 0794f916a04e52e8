"""Lists that may grow where a staged value decides."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from autograph.backend import Backend, backend_within, stand_ins

Maker: TypeAlias = Callable[[list[Any]], Any]


def register_stand_in(kind: type, of: type) -> None:
    """Let `type(x)` be `of` where `x` is a `kind`, which a backend makes in place of one.

    >>> class Watched(list):
    ...     pass
    >>> autograph.register_stand_in(Watched, of=list)
    >>> autograph.convert(lambda x: type(x) is list)(Watched())
    True
    """
    stand_ins[kind] = of


_KINDS = frozenset((list, set, frozenset, deque, dict, defaultdict, Counter, OrderedDict))


class _Thread(threading.local):
    def __init__(self) -> None:
        self.maker: Maker | None = None
        self.asking = False
        self.much: set[Any] = set()


_this_thread = _Thread()


def growing(made: Any) -> Any:
    """A list, set, deque or dict just made, or what stands for it while the function is staged."""
    maker = _maker_of(made)
    return made if maker is None else maker(made)


def growing_factory(factory: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what to call for a factory: who calls it has made what it gives, as by a display."""

    def made(*args: Any) -> Any:
        item = factory(*args)
        maker = _maker_of(item)
        return item if maker is None else maker(item)

    return made


def _maker_of(made: Any) -> Maker | None:
    kind = type(made)
    return _this_thread.maker if stand_ins.get(kind, kind) in _KINDS else None


def is_staging() -> bool:
    """Whether a backend stages a function on this thread, and makes its lists."""
    return _this_thread.maker is not None


def found_much() -> set[Any]:
    """The code of blocks whose rounds were found to stage much, of the function that is staged; of
    a `while` with whether Python is to know there of which kinds numbers are.
    """
    return _this_thread.much


def is_asking() -> bool:
    """Whether functions are converted in the form that asks a backend more."""
    return _this_thread.asking


@contextmanager
def asking(asks: bool) -> Iterator[None]:
    """Within it, on this thread, whether functions are converted in the form that asks more."""
    before = _this_thread.asking
    _this_thread.asking = asks
    try:
        yield
    finally:
        _this_thread.asking = before


@contextmanager
def lists_made_by(maker: Maker | None, asks: bool = False) -> Iterator[None]:
    """Within it, on this thread, `maker(made)` stands for each list, set or dict that may grow.

    For backends, while they stage a function. What it makes should be one by class. With `asks`,
    it is given each list that the functions which are called make, and each comparison and each
    read of an item in them asks a backend.

    >>> class Watched(list):
    ...     pass
    >>> def made(n):
    ...     rows = []
    ...     for i in range(n):
    ...         rows.append(i)
    ...     return rows
    >>> with autograph.lists_made_by(Watched):
    ...     type(autograph.convert(made)(2)).__name__
    'Watched'
    """
    before = _this_thread.maker
    _this_thread.maker = maker
    try:
        with asking(asks):
            yield
    finally:
        _this_thread.maker = before
        if before is None:
            _this_thread.much.clear()


def backend_inside(container: Any) -> Backend | None:
    """`backend_within` while a function is staged, else None, which is faster."""
    return None if _this_thread.maker is None else backend_within(container)
