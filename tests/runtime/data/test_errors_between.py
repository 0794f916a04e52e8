"""An iterator goes on behind an error. What comes next is TensorFlow's: the peers try that."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import runtime

# The element 3 fails. What an iterator gives behind it, worked out by hand; E is an error.
E = "E"


def bad(tf: Any, n: int = 8) -> Any:
    return tf.data.Dataset.range(n).map(lambda x: checked(tf, x))


def checked(tf: Any, x: Any) -> Any:
    tf.debugging.assert_none_equal(x, tf.constant(3, tf.int64))
    return x


def zero(tf: Any) -> Any:
    return tf.constant(0, tf.int64)


def total(tf: Any, windows: Any) -> Any:
    return windows.map(lambda w: w.reduce(zero(tf), lambda a, b: a + b))


def D(tf: Any) -> Any:
    return tf.data.Dataset


def quotients(tf: Any) -> Any:
    return D(tf).from_generator(
        lambda: (1 // (x - 2) for x in range(5)), output_signature=tf.TensorSpec([], tf.int32)
    )


def mistyped(tf: Any) -> Any:
    return D(tf).from_generator(
        lambda: iter([1, "a", 3]), output_signature=tf.TensorSpec([], tf.int32)
    )


CASES: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "map": (bad, [0, 1, 2, E, 4, 5, 6, 7]),
    "filter": (
        lambda tf: D(tf).range(8).filter(lambda x: checked(tf, x) < 6), [0, 1, 2, E, 4, 5]
    ),
    "take_while": (
        lambda tf: D(tf).range(8).take_while(lambda x: checked(tf, x) < 6), [0, 1, 2, E, 4, 5]
    ),
    "scan": (
        lambda tf: D(tf).range(6).scan(zero(tf), lambda s, x: (s + x, s + checked(tf, x))),
        [0, 1, 3, E, 7, 12],
    ),
    # A batch of what a function makes is computed as a whole.
    "batch": (lambda tf: bad(tf).batch(3), [[0, 1, 2], E, [6, 7]]),
    "rebatch": (lambda tf: bad(tf).batch(2).rebatch(3), [E, [4, 5, 6], [7]]),
    "padded_batch": (lambda tf: bad(tf).skip(1).padded_batch(3), [E, [4, 5, 6], [7]]),
    # Errors do not count.
    "take": (lambda tf: bad(tf).take(5), [0, 1, 2, E, 4, 5]),
    "skip": (lambda tf: bad(tf).skip(2), [2, E, 4, 5, 6, 7]),
    "shard": (lambda tf: bad(tf).shard(2, 1), [1, E, 4, 6]),
    "repeat": (lambda tf: bad(tf, 5).repeat(2), [0, 1, 2, E, 4] * 2),
    "zip": (
        lambda tf: D(tf).zip(bad(tf, 5), D(tf).range(5)), [(0, 0), (1, 1), (2, 2), E, (4, 4)]
    ),
    "zip behind": (
        lambda tf: D(tf).zip(D(tf).range(5), bad(tf, 5)), [(0, 0), (1, 1), (2, 2), E, (4, 4)]
    ),
    "enumerate": (lambda tf: bad(tf, 5).enumerate(), [(0, 0), (1, 1), (2, 2), E, (4, 4)]),
    "concatenate": (lambda tf: bad(tf, 5).concatenate(bad(tf, 5)), [0, 1, 2, E, 4] * 2),
    "flat_map": (lambda tf: D(tf).range(2).flat_map(lambda x: bad(tf, 5)), [0, 1, 2, E, 4] * 2),
    "interleave": (
        lambda tf: D(tf).range(3).interleave(lambda x: bad(tf, 5), cycle_length=2),
        [0, 0, 1, 1, 2, 2, E, 4, E, 4, 0, 1, 2, E, 4],
    ),
    "interleave of failures": (
        lambda tf: bad(tf, 6).interleave(lambda x: D(tf).from_tensors(x).repeat(2), 2),
        [0, 1, 0, 1, 2, E, 4, 2, 4, 5, 5],
    ),
    "prefetch": (lambda tf: bad(tf).prefetch(2), [0, 1, 2, E, 4, 5, 6, 7]),
    "parallel map": (
        lambda tf: D(tf).range(6).map(lambda x: checked(tf, x), 2), [0, 1, 2, E, 4, 5]
    ),
    "parallel map of failures": (
        lambda tf: bad(tf, 6).map(lambda x: x, num_parallel_calls=2), [0, 1, 2, E, 4, 5]
    ),
    "automatic map": (
        lambda tf: bad(tf, 6).map(lambda x: x, num_parallel_calls=-1), [0, 1, 2, E, 4, 5]
    ),
    "shuffle": (lambda tf: bad(tf).shuffle(2, seed=1), [0, 2, E, 4, 5, 6, 1, 7]),
    "shuffle of all": (lambda tf: bad(tf).shuffle(5, seed=1), [E, 0, 6, 4, 5, 1, 2, 7]),
    "cache": (lambda tf: bad(tf).cache(), [0, 1, 2, E, 4, 5, 6, 7]),
    "window": (lambda tf: total(tf, bad(tf).window(3)), [3, E, 13]),
    "window that shifts": (
        lambda tf: total(tf, bad(tf).window(3, shift=1)), [3, E, E, E, 15, 18, 13, 7]
    ),
    "unbatch": (
        lambda tf: D(tf).range(8).batch(2).map(lambda x: x // (x - 2)).unbatch(),
        [0, -1, E, 2, 1, 1, 1],
    ),
    "unique": (lambda tf: bad(tf, 5).unique(), [0, 1, 2, E, 4]),
    "choose": (
        lambda tf: D(tf).choose_from_datasets(
            [bad(tf), D(tf).range(8)], D(tf).range(8).map(lambda x: x % 2)
        ),
        [0, 0, 1, 1, 2, 2, E, 3],
    ),
    "generator that raises": (quotients, [-1, -1, E]),
    "generator of others": (mistyped, [1, E, 3]),
    "ignore_errors": (lambda tf: bad(tf).ignore_errors(), [0, 1, 2, 4, 5, 6, 7]),
    "group_by_window": (
        lambda tf: bad(tf).group_by_window(lambda x: x % 2, lambda k, d: d.batch(4), 2),
        [[0, 2], E, [1, 5], [4, 6], [7]],
    ),
}  # fmt: skip


def found(tf: Any, data: Any) -> Iterator[Any]:
    iterator = iter(data)
    while True:
        try:
            element = next(iterator)
        except StopIteration:
            return
        except (tf.errors.OpError, ZeroDivisionError):
            yield E
        else:
            yield tf.nest.map_structure(lambda part: part.numpy().tolist(), element)


@pytest.fixture(autouse=True)
def no_global_seed() -> None:
    runtime.random.set_seed(None)


@pytest.mark.parametrize("name", CASES)
def test_what_comes_behind_an_error(name: str) -> None:
    make, expected = CASES[name]
    assert list(found(runtime, make(runtime))) == expected


def test_the_end_stays_the_end() -> None:
    iterator = iter(bad(runtime, 5).batch(2))
    assert list(found(runtime, iterator)) == [[0, 1], E, [4]]
    assert list(found(runtime, iterator)) == []


def test_fit_and_loops_see_the_error() -> None:
    @runtime.function
    def added(data: Any) -> Any:
        s = zero(runtime)
        for x in data:
            s += x
        return s

    with pytest.raises(runtime.errors.InvalidArgumentError):
        added(bad(runtime))
