"""Textbook programs over lists, dicts, sets and texts: plain Python, and the same function staged.
A call of the staged function is given tensors, and timed once it is machine code.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime as rt
from benchmarks.timing import UNITS, median, title

CALLS = 100
"""After which every program here is machine code."""


def fibonacci(n: Any) -> Any:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def collected(n: Any) -> Any:
    found, total = [], 0
    for i in range(n):
        if i % 3:
            found.append(i * i % 7)
    for each in found:
        total += each
    return total


def knapsack(weights: Any, values: Any, room: Any) -> Any:
    best = [0] * (room + 1)
    for i in range(len(weights)):
        left = room
        while left >= weights[i]:
            best[left] = max(best[left], best[left - weights[i]] + values[i])
            left -= 1
    return best[room]


def stack(n: Any) -> Any:
    items: list[Any] = []
    for i in range(n):
        if i % 5 == 4 and len(items) > 1:
            items.append((items.pop() + items.pop()) % 1000)
        else:
            items.append(i)
    return len(items), items[-1]


def queue(n: Any) -> Any:
    waiting, served = deque([0]), 0
    while waiting and served < n:
        first = waiting.popleft()
        served += 1
        waiting.append(first + 1)
        if first % 2:
            waiting.append(first + 2)
    return len(waiting)


def heap_sort(numbers: Any) -> Any:
    heap: list[Any] = []
    for number in numbers:
        heapq.heappush(heap, number)
    total = 0
    for i in range(len(numbers)):
        total += heapq.heappop(heap) * i
    return total


def most_frequent(numbers: Any) -> Any:
    counts: dict[Any, Any] = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    return max(counts.values())


def seen_before(numbers: Any) -> Any:
    seen, again = set(), 0
    for number in numbers:
        if number in seen:
            again += 1
        seen.add(number)
    return again


def caught(n: Any) -> Any:
    total = 0
    for i in range(n):
        try:
            total += 100 // (i % 7)
        except ZeroDivisionError:
            total -= 1
    return total


def shortest_paths(distances: Any) -> Any:
    size = distances.shape[0]
    for k in range(size):
        for i in range(size):
            for j in range(size):
                through = distances[i, k] + distances[k, j]
                if through < distances[i, j]:
                    distances[i, j] = through
    return distances


def longest_common(a: Any, b: Any, size: Any) -> Any:
    table = [[0] * (size + 1) for _ in range(size + 1)]
    for i in range(1, size + 1):
        for j in range(1, size + 1):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[size][size]


def longest_of_known_sizes(a: Any, b: Any) -> Any:
    return longest_common(a, b, len(a))


def generations(size: Any, steps: Any) -> Any:
    cells = [[i * j % 3 % 2 for j in range(size)] for i in range(size)]
    for _ in range(steps):
        before = [list(row) for row in cells]
        for i in range(size):
            for j in range(size):
                count = 0
                for a in range(i - 1, i + 2):
                    for b in range(j - 1, j + 2):
                        count += before[a % size][b % size]
                cells[i][j] = 1 if count == 3 or (count == 4 and before[i][j] == 1) else 0
    return sum([sum(row) for row in cells])


LETTERS = "".join(np.random.default_rng(3).choice(list("abcde "), 4000))


def words(n: Any) -> Any:
    found, word = [], ""
    for i in range(n):
        letter = LETTERS[i]
        if letter != " ":
            word += letter
        elif word:
            found.append(word)
            word = ""
    return len(found)


def longest_palindrome(n: Any) -> Any:
    best = 0
    for middle in range(n):
        left = right = middle
        while left >= 0 and right < n and LETTERS[left] == LETTERS[right]:
            left -= 1
            right += 1
        best = max(best, right - left - 1)
    return best


def palindromes(n: Any) -> Any:
    count = 0
    for i in range(n):
        text = str(i)
        if text == text[::-1]:
            count += 1
    return count


def programs() -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    draw = np.random.default_rng(0)
    numbers = draw.integers(0, 50, 2000, np.int32)
    weights, values = draw.integers(1, 30, 40, np.int32), draw.integers(1, 99, 40, np.int32)
    return [
        ("fibonacci(22), recursive", fibonacci, (22,)),
        ("a list of 13,333, appended on a path", collected, (20_000,)),
        ("knapsack, 40 things, room for 500", knapsack, (weights, values, 500)),
        ("a stack, 20,000 steps", stack, (20_000,)),
        ("a queue, 5,000 steps", queue, (5_000,)),
        ("heap sort of 2,000", heap_sort, (numbers,)),
        ("a dict that counts 2,000", most_frequent, (numbers,)),
        ("a set that is asked 2,000 times", seen_before, (numbers,)),
        ("try and except, 20,000 rounds", caught, (20_000,)),
        (
            "longest common subsequence, 60 of 60",
            longest_common,
            (numbers[:60], numbers[60:120], 60),
        ),
        ("the same, sizes known", longest_of_known_sizes, (numbers[:60], numbers[60:120])),
        ("life, 20 by 20, 10 steps", generations, (20, 10)),
        ("words of 4,000 letters", words, (4000,)),
        ("the longest palindrome in them", longest_palindrome, (4000,)),
        ("palindromes up to 4,000", palindromes, (4000,)),
        ("shortest paths between 30 points", shortest_paths, (draw.random((30, 30), np.float32),)),
    ]


def in_python(value: Any) -> Any:
    """An argument as plain Python has it: a list of numbers; a matrix stays an array."""
    if not isinstance(value, np.ndarray):
        return value
    return value.tolist() if value.ndim == 1 else value.copy()


def main() -> None:
    title("textbook programs")
    for label, function, given in programs():
        plain, tensors = list(map(in_python, given)), list(map(rt.constant, given))
        staged = rt.function(function)
        for _ in range(CALLS):
            found = staged(*tensors)
        expected = function(*map(in_python, given))
        for one, other in zip(rt.nest.flatten(found), rt.nest.flatten(expected), strict=True):
            np.testing.assert_allclose(one, other, 1e-6)
        times = [median(lambda: function(*plain)), median(lambda: staged(*tensors))]  # noqa: B023
        own, python = (each * UNITS["ms"] for each in reversed(times))
        text = f"ms: own {own:.3g}, Python {python:.3g}; {own / python:.2f} times Python"
        print(f"  {label:<40}{text}", flush=True)


if __name__ == "__main__":
    main()
