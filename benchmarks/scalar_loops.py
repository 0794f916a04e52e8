"""Loops over scalars: time of one round in plain Python, converted, eager and staged."""

from collections.abc import Callable

import autograph
import runtime as rt
from benchmarks.timing import median, row, title

ROUNDS = 3000


def collatz(limit):
    """Rounds that the numbers below `limit` need to reach 1."""
    rounds = 0
    for start in range(1, limit):
        n = start
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            rounds = rounds + 1
    return rounds


def fizz(n):
    total = 0
    i = 0
    while i < n:
        i = i + 1
        if i % 15 == 0:
            continue
        if i % 3 == 0 or i % 5 == 0:
            total = total + i
    return total


def recurrence(n):
    x = 0.25
    i = 0
    while i < n:
        x = 3.7 * x * (1.0 - x)
        i = i + 1
    return x


def report(function: Callable[..., object], argument: int, rounds: int) -> None:
    tensor = rt.constant(argument)
    converted, staged = autograph.convert(function), rt.function(function)
    ways = {
        "python": lambda: function(argument),
        "converted": lambda: converted(argument),
        "staged": lambda: staged(tensor),
    }
    for way, run in ways.items():
        row(f"{function.__name__}, {way}", median(run) / rounds, "ns", " a round")


def main() -> None:
    title("scalar loops")
    report(fizz, ROUNDS, ROUNDS)
    report(recurrence, ROUNDS, ROUNDS)
    report(collatz, 60, collatz(60))


if __name__ == "__main__":
    main()
