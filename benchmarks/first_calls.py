"""First calls, which convert, trace, optimise and compile, and later ones: the function of 30 lines
of `conversion`, as TensorFlow takes it too, and by hand in JAX; loops in each other; rounds of a
Python loop that may each be the last one.
"""

import statistics
import tempfile
from collections.abc import Callable
from typing import Any

import runtime as rt
from benchmarks.conversion import SOURCE, copies, timed
from benchmarks.peers import peer, report
from benchmarks.timing import row, title

MOST = 7
GIVEN = (27, 100, 9000)
# TensorFlow refuses a staged exit from a Python loop, and a `return` in a staged one.
FOR_BOTH = "import {library} as tf" + SOURCE.replace("range(6)", "tf.range(6)").replace(
    "return highest + turns", "break"
)


def walk_in_jax(jax: Any, start: Any, steps: Any, ceiling: Any) -> Any:
    where = jax.numpy.where

    def step(state: Any) -> Any:
        i, position, highest, turns, _ = state
        even, fifth = position % 2 == 0, (position % 2 != 0) & (position % 5 == 0)
        moved = where(even, position // 2, 3 * position + 1)
        gain, over = moved * 0, False
        for digit in range(6):
            gain = where(over, gain, gain + moved % (digit + 2))
            over = over | (gain > ceiling)
            if digit > 3:
                gain = where((turns > 2) & ~over, gain - 1, gain)
        outside = (moved <= 0) | (moved >= ceiling)
        higher = moved > highest
        changed = where(higher, 0, where(outside, turns + gain, turns))
        turns = where(fifth, turns + 1, changed)
        highest = where(~fifth & higher, moved, highest)
        position = where(fifth, position, moved)
        return i + 1, position, highest, turns, ~fifth & (turns > 40)

    def proceed(state: Any) -> Any:
        return (state[0] < steps) & ~state[4]

    _, _, highest, _, _ = jax.lax.while_loop(proceed, step, (0, start, start, 0, False))
    return abs(highest - start)


def first_calls(
    label: str, staged: Callable[[Any], Any], tensor: Callable[[Any], Any], library: str = "runtime"
) -> None:
    given = tuple(map(tensor, GIVEN))
    with tempfile.TemporaryDirectory() as folder:
        found = copies(folder, FOR_BOTH.replace("{library}", library))[:MOST]
        times = [timed(lambda f: staged(f)(*given), function) for function in found]
        row(f"{label}: first call, median", statistics.median(times[1:]), "ms")
        run = staged(found[0])
        report(f"{label}: a later call", lambda: int(run(*given)), "us")


def nest(depth: int) -> Callable[[Any], Any]:
    """Loops in each other, `depth` deep."""

    def around(x: Any, inner: Callable[[Any], Any]) -> Any:
        for _ in rt.range(2):
            x = inner(x) if x > 0 else x - 1
        return x

    body: Callable[[Any], Any] = lambda x: x + 1  # noqa: E731
    for _ in range(depth):
        body = lambda x, inner=body: around(x, inner)  # noqa: E731
    return body


def many_rounds(x: Any) -> Any:
    for i in range(2000):
        if x > 10**6:
            break
        x = x + i % 3
    return x


def main() -> None:
    title("first calls, and later ones")
    first_calls("runtime", rt.function, rt.constant)
    tf, jax = peer("tensorflow"), peer("jax")
    if tf is not None:
        first_calls("tensorflow", tf.function, tf.constant, "tensorflow")
    if jax is not None:
        first_calls("jax, by hand", lambda _: in_jax(jax), jax.numpy.asarray)
    for label, function in (("loops 8 deep", nest(8)), ("2,000 rounds with a break", many_rounds)):
        taken = timed(lambda f: rt.function(f)(rt.constant(1)), function)
        row(f"runtime: {label}, first call", taken, "ms")


def in_jax(jax: Any) -> Any:
    compiled = jax.jit(lambda *given: walk_in_jax(jax, *given))
    return lambda *given: compiled(*given).block_until_ready()


if __name__ == "__main__":
    main()
