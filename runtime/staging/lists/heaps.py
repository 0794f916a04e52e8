"""The functions of `heapq`, written in C, for heaps with staged items: the moves of Python's own,
so that each item has its place. They are converted as a user's functions are.

Source: J. W. J. Williams, Algorithm 232 (Heapsort), 1964; R. W. Floyd's, to sink to the bottom and
rise again.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Callable
from typing import Any

import autograph
from runtime.staging.lists.growing import Growing
from runtime.staging.lists.list_builtins import is_staged


def _algorithms() -> dict[Callable[..., Any], Callable[..., Any]]:
    def is_less(a: Any, b: Any) -> Any:
        if isinstance(a, tuple):
            for x, y in zip(a, b, strict=False):
                if x < y:
                    return True
                if y < x:
                    return False
            return len(a) < len(b)
        return a < b

    def rise(heap: Any, start: Any, place: Any) -> None:
        item = heap[place]
        while place > start:
            above = (place - 1) // 2
            if not is_less(item, heap[above]):
                break
            heap[place] = heap[above]
            place = above
        heap[place] = item

    def sink(heap: Any, start: Any) -> None:
        size, place, item = len(heap), start, heap[start]
        below = 2 * place + 1
        while below < size:
            if below + 1 < size and not is_less(heap[below], heap[below + 1]):
                below = below + 1
            heap[place] = heap[below]
            place = below
            below = 2 * place + 1
        heap[place] = item
        rise(heap, start, place)

    def push(heap: Any, item: Any) -> None:
        heap.append(item)
        rise(heap, 0, len(heap) - 1)

    def pop(heap: Any) -> Any:
        if len(heap) == 0:
            raise IndexError("index out of range")
        item = heap.pop()
        if len(heap) > 0:
            top = heap[0]
            heap[0] = item
            sink(heap, 0)
            return top
        return item

    def heapify(heap: Any) -> None:
        for place in range(len(heap) // 2 - 1, -1, -1):
            sink(heap, place)

    def replace(heap: Any, item: Any) -> Any:
        if len(heap) == 0:
            raise IndexError("index out of range")
        top = heap[0]
        heap[0] = item
        sink(heap, 0)
        return top

    def push_pop(heap: Any, item: Any) -> Any:
        if len(heap) > 0 and is_less(heap[0], item):
            top = heap[0]
            heap[0] = item
            sink(heap, 0)
            return top
        return item

    def smallest(n: Any, items: Any, key: Any = None) -> Any:
        return sorted(items, key=key)[: max(n, 0)]

    def largest(n: Any, items: Any, key: Any = None) -> Any:
        return sorted(items, key=key, reverse=True)[: max(n, 0)]

    return {
        heapq.heappush: push,
        heapq.heappop: pop,
        heapq.heapify: heapify,
        heapq.heapreplace: replace,
        heapq.heappushpop: push_pop,
        heapq.nsmallest: smallest,
        heapq.nlargest: largest,
    }


@functools.cache
def _converted() -> dict[Callable[..., Any], Callable[..., Any]]:
    return autograph.convert(_algorithms)()


def heap_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function of `heapq`; None for any other."""
    if getattr(function, "__module__", None) not in ("_heapq", "heapq"):
        return None
    return functools.partial(_of_heap, function) if function in _converted() else None


def _of_heap(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    staged = any(map(_holds_staged, args)) or "key" in kwargs
    return (_converted()[function] if staged else function)(*args, **kwargs)


def _holds_staged(item: Any) -> bool:
    if isinstance(item, Growing) and item.staged is not None:
        return True
    return is_staged(item) or (isinstance(item, list) and any(map(is_staged, item)))
