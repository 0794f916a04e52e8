"""`queue.Queue`, `LifoQueue` and `PriorityQueue`, made while tracing: their items are a deque or a
list of the graph, so that staged values may decide which there are. Nobody else waits for them.
"""

from __future__ import annotations

import heapq
import queue
from collections import deque
from collections.abc import Callable
from typing import Any

from autograph.library_code import converted


@converted
def _classes() -> dict[type, type]:
    # Subclasses, for `isinstance`, without their locks: where theirs would wait for another thread,
    # these raise what they raise if told not to wait.
    class Queue(queue.Queue):  # type: ignore[type-arg]
        __module__ = queue.__name__  # what their objects hold is looked at

        def __init__(self, maxsize: int = 0) -> None:
            self.maxsize = maxsize
            self._unfinished: Any = []  # a list that grows: of these attributes, they are carried
            self._init(maxsize)

        def _init(self, maxsize: int) -> None:
            self.queue = deque()

        def _put(self, item: Any) -> None:
            self.queue.append(item)

        def _get(self) -> Any:
            return self.queue.popleft()

        def put(self, item: Any, block: bool = True, timeout: Any = None) -> None:
            if self.full():
                raise queue.Full
            self._put(item)
            self._unfinished.append(0)

        def get(self, block: bool = True, timeout: Any = None) -> Any:
            if self.empty():
                raise queue.Empty
            return self._get()

        def put_nowait(self, item: Any) -> None:
            self.put(item)

        def get_nowait(self) -> Any:
            return self.get()

        def qsize(self) -> Any:
            return len(self.queue)

        def empty(self) -> Any:
            return len(self.queue) == 0

        def full(self) -> Any:
            return self.maxsize > 0 and len(self.queue) >= self.maxsize

        def task_done(self) -> None:
            if len(self._unfinished) == 0:
                raise ValueError("task_done() called too many times")
            self._unfinished.pop()

        def join(self) -> None:
            if len(self._unfinished) > 0:
                raise RuntimeError("join() would wait for ever: task_done() was called too seldom")

    class LifoQueue(Queue, queue.LifoQueue):  # type: ignore[type-arg]
        __module__ = queue.__name__

        def _init(self, maxsize: int) -> None:
            self.queue: Any = []

        def _get(self) -> Any:
            return self.queue.pop()

    class PriorityQueue(Queue, queue.PriorityQueue):  # type: ignore[type-arg]
        __module__ = queue.__name__

        def _init(self, maxsize: int) -> None:
            self.queue: Any = []

        def _put(self, item: Any) -> None:
            heapq.heappush(self.queue, item)

        def _get(self) -> Any:
            return heapq.heappop(self.queue)

    return {
        queue.Queue: Queue,
        queue.LifoQueue: LifoQueue,
        queue.PriorityQueue: PriorityQueue,
    }


def queue_class(function: Any) -> Callable[..., Any] | None:
    """Returns the class that stands for one of `queue`; None for any other."""
    is_one = any(function is each for each in _STAGED)
    return _classes()[function] if is_one else None


_STAGED = (queue.Queue, queue.LifoQueue, queue.PriorityQueue)
