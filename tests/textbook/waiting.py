"""Queues: who waits is served in an order."""

import queue
from queue import LifoQueue, Queue


def hops(rows, start, goal):
    waiting = Queue()
    waiting.put((start, 0))
    seen = [False] * len(rows)
    seen[start] = True
    while not waiting.empty():
        at, count = waiting.get()
        if at == goal:
            return count
        for other in range(len(rows)):
            if rows[at][other] == 1 and not seen[other]:
                seen[other] = True
                waiting.put((other, count + 1))
    return -1


def by_urgency(urgencies):
    waiting = queue.PriorityQueue()
    for place, urgency in enumerate(urgencies):
        if urgency > 0:
            waiting.put((-urgency, place))
    order = []
    while waiting.qsize() > 0:
        order.append(waiting.get()[1])
    return order


def last_first(count):
    plates = LifoQueue()
    for plate in range(count):
        plates.put(plate)
        if plate % 3 == 2:
            plates.get()
    total = 0
    while not plates.empty():
        total = total * 2 + plates.get()
    return total, isinstance(plates, Queue)


def turned_away(arrivals):
    seats = Queue(2)
    away = 0
    for arrival in arrivals:
        if arrival == 0:
            if not seats.empty():
                seats.get()
        elif seats.full():
            away += 1
        else:
            seats.put(arrival)
    try:
        away += 10 * seats.get_nowait()
    except queue.Empty:
        away += 1000
    return away


CASES = [
    (hops, [([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], 0, 2),
            ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 0, 2)]),
    (by_urgency, [([3, 0, 5, 3, 1],), ([0, 0],)]),
    (last_first, [(7,), (0,)]),
    (turned_away, [([1, 2, 3, 0, 4, 5, 0],), ([1, 0],)]),
]  # fmt: skip
