"""The functions of `heapq` and `bisect`, written in C, for lists in order with staged items: the
moves of Python's own, so that each item has its place. They are converted as a user's are.

Source: J. W. J. Williams, Algorithm 232 (Heapsort), 1964; R. W. Floyd's, to sink to the bottom and
rise again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from autograph.library_code import converted
from autograph.operators.builtin_calls import by_place
from autograph.operators.comprehensions import of_generator
from runtime.staging.control import iteration
from runtime.staging.lists.list_builtins import holds_staged, listed


@converted
def _algorithms() -> dict[Callable[..., Any], Callable[..., Any]]:
    import bisect
    import heapq

    def is_item_less(x: Any, y: Any) -> Any:
        return (x,) < (y,) if isinstance(x, tuple) else x < y

    def is_less(a: Any, b: Any) -> Any:
        if isinstance(a, tuple):
            for x, y in zip(a, b, strict=False):
                if (x,) != (y,):
                    return is_item_less(x, y)
            return len(a) < len(b)
        return a < b

    def heaps(is_before: Any) -> dict[str, Any]:
        def rise(heap: Any, start: Any, place: Any) -> None:
            item = heap[place]
            while place > start:
                above = (place - 1) // 2
                if not is_before(item, heap[above]):
                    break
                heap[place] = heap[above]
                place = above
            heap[place] = item

        def sink(heap: Any, start: Any) -> None:
            size, place, item = len(heap), start, heap[start]
            below = 2 * place + 1
            while below < size:
                if below + 1 < size and not is_before(heap[below], heap[below + 1]):
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
                return swapped(heap, item)
            return item

        def swapped(heap: Any, item: Any) -> Any:
            top = heap[0]
            heap[0] = item
            sink(heap, 0)
            return top

        def heapify(heap: Any) -> None:
            for place in range(len(heap) // 2 - 1, -1, -1):
                sink(heap, place)

        def replace(heap: Any, item: Any) -> Any:
            if len(heap) == 0:
                raise IndexError("index out of range")
            return swapped(heap, item)

        def push_pop(heap: Any, item: Any) -> Any:
            if len(heap) > 0 and is_before(heap[0], item):
                return swapped(heap, item)
            return item

        return {
            "heappush": push,
            "heappop": pop,
            "heapify": heapify,
            "heapreplace": replace,
            "heappushpop": push_pop,
        }

    def is_greater(a: Any, b: Any) -> Any:
        return is_less(b, a)

    def smallest(n: Any, items: Any, key: Any = None) -> Any:
        return sorted(items, key=key)[: max(n, 0)]

    def largest(n: Any, items: Any, key: Any = None) -> Any:
        return sorted(items, key=key, reverse=True)[: max(n, 0)]

    def halves(items: Any, start: Any, stop: Any, is_before: Any) -> Any:
        if start < 0:
            raise ValueError("lo must be non-negative")
        low, high = start, len(items) if stop is None else stop
        while low < high:
            middle = (low + high) // 2
            if is_before(items[middle]):
                low = middle + 1
            else:
                high = middle
        return low

    def left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
        return halves(a, lo, hi, lambda item: is_less(item if key is None else key(item), x))

    def right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
        return halves(a, lo, hi, lambda item: not is_less(x, item if key is None else key(item)))

    def insert_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
        a.insert(left(a, x if key is None else key(x), lo, hi, key=key), x)

    def insert_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
        a.insert(right(a, x if key is None else key(x), lo, hi, key=key), x)

    def in_turn(first: Any, second: Any, reverse: Any) -> Any:
        made, i, j = [], 0, 0
        while i < len(first) and j < len(second):
            x, y = first[i], second[j]
            if is_less(x[0], y[0]) if reverse else is_less(y[0], x[0]):
                made.append(y)
                j += 1
            else:
                made.append(x)
                i += 1
        return made + first[i:] + second[j:]

    def merge(*iterables: Any, key: Any = None, reverse: Any = False) -> Any:
        merged: list[Any] = []
        for items in iterables:
            pairs = [(item if key is None else key(item), item) for item in items]
            merged = in_turn(merged, pairs, reverse)
        return iter([item for _, item in merged])

    return {
        heapq.merge: merge,
        bisect.bisect_left: left,
        bisect.bisect_right: right,
        bisect.insort_left: insert_left,
        bisect.insort_right: insert_right,
        heapq.nsmallest: smallest,
        heapq.nlargest: largest,
        **{getattr(heapq, name): function for name, function in heaps(is_less).items()},
        **{
            getattr(heapq, name.format(of)): function
            for of, function in heaps(is_greater).items()
            for name in ("_{}_max", "{}_max")
            if hasattr(heapq, name.format(of))
        },
    }


def order_function(function: Any) -> Callable[..., Any] | None:
    """Returns what to call for a function of `heapq` or `bisect`; None for any other."""
    if getattr(function, "__module__", None) not in ("_heapq", "heapq", "_bisect"):
        return None
    return functools.partial(_of_order, function) if function in _algorithms() else None


def _of_order(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    staged = any(map(_is_of_the_run, (*args, *kwargs.values()))) or "key" in kwargs
    # Python merges as far as it is asked to, also what has no end.
    is_endless = function.__name__ == "merge" and any(isinstance(x, Iterator) for x in args)
    if not staged or is_endless:
        return function(*args, **kwargs)
    args, kwargs = by_place(function, args, kwargs)
    if function.__name__ in _READING and type(args[0]) in (list, tuple, range):
        args = listed(args[0]), *args[1:]
    return _algorithms()[function](*args, **kwargs)


def _is_of_the_run(item: Any) -> bool:
    is_iterated = iteration.staged(item) is not None or of_generator(item) is not None
    return is_iterated or holds_staged(item)


_READING = "bisect_left", "bisect_right"
"""Functions that change nothing: what they are given may be a sequence from outside."""
