"""`random.Generator`: its state, what it draws, and how generators come from one another."""

import copy
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors
from runtime.random.generator import create_rng_state

Generator = tf.random.Generator


def state(generator: Any) -> list[int]:
    return [int(n) for n in generator.state.numpy()]


def test_each_draw_moves_the_state_on() -> None:
    g = Generator.from_seed(1)
    assert state(g) == [1, 0, 0]
    moves: list[tuple[Any, int]] = [
        (lambda: g.normal([3]), 3),
        (lambda: g.uniform([5]), 5),
        (lambda: g.truncated_normal([2, 2]), 4),
        (lambda: g.uniform([4], 1, 5, "int32"), 4),
        (lambda: g.uniform_full_int([2]), 2),
        (lambda: g.binomial([3], 10, 0.5), 3),
        (lambda: g.skip(7), 7),
        (lambda: g.make_seeds(2), 2),
        (lambda: g.split(2), 2),
    ]
    for move, numbers in moves:
        before = state(g)[0]
        move()
        assert state(g)[0] - before == 256 * numbers


def test_equal_states_draw_equal_numbers() -> None:
    g = Generator.from_seed(5)
    twin = Generator(copy_from=g)
    clone = copy.deepcopy(g)
    first = g.normal([4]).numpy()
    second = g.normal([4]).numpy()
    assert np.array_equal(twin.normal([4]).numpy(), first)
    assert np.array_equal(clone.normal([4]).numpy(), first)
    assert not np.array_equal(first, second)
    g.reset_from_seed(5)
    assert np.array_equal(g.normal([4]).numpy(), first)
    g.reset(twin.state)
    assert np.array_equal(g.normal([4]).numpy(), second)
    g.reset_from_key_counter(0, [5, 0])
    assert np.array_equal(g.normal([4]).numpy(), first)


def test_the_counter_carries() -> None:
    g = Generator.from_key_counter(3, [2**64 - 256, 1])
    assert state(g) == [-256, 1, 3]
    assert g.key.numpy() == 3
    assert g.algorithm == 1
    g.uniform([2])
    assert state(g) == [256, 2, 3]


def test_split_generators_differ() -> None:
    parts = Generator.from_seed(1).split(3)
    keys = Generator.from_seed(1).make_seeds(3).numpy()[0]
    assert [state(part) for part in parts] == [[0, 0, key] for key in keys]
    made = np.stack([part.normal([20000]).numpy() for part in parts])
    assert np.abs(np.corrcoef(made) - np.eye(3)).max() < 5 / np.sqrt(20000)


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda g: g.normal([40000], 2.0, 3.0), 2, 3),
        (lambda g: g.uniform([40000], -1, 1, "float64"), 0, 3**-0.5),
        (lambda g: g.truncated_normal([40000]), 0, 0.8796),
        (lambda g: g.binomial([40000], 10, 0.3), 3, 2.1**0.5),
    ],
)
def test_distributions(draw: Any, mean: float, deviation: float) -> None:
    x = draw(Generator.from_seed(7)).numpy()
    assert abs(x.mean() - mean) < 5 * deviation / 200
    assert abs(x.std() - deviation) < 10 * deviation / 200


def test_a_graph_moves_the_state_in_program_order() -> None:
    g = Generator.from_seed(2)

    @tf.function
    def draw(n: Any) -> Any:
        return g.normal([n]), g.uniform([2])

    eager = Generator.from_seed(2)
    for n in (1, 3):
        for made, expected in zip(
            draw(tf.constant(n)), (eager.normal([n]), eager.uniform([2])), strict=True
        ):
            assert np.array_equal(made.numpy(), expected.numpy())
        assert state(g) == state(eager)


def test_the_global_generator() -> None:
    first = tf.random.get_global_generator()
    assert tf.random.get_global_generator() is first
    mine = Generator.from_seed(1)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine
    tf.random.set_global_generator(first)
    assert state(Generator.from_non_deterministic_state()) != state(
        Generator.from_non_deterministic_state()
    )


def test_states_from_seeds() -> None:
    assert create_rng_state(5).numpy().tolist() == [5, 0, 0]
    assert create_rng_state(-1).numpy().tolist() == [-1, -1, -1]
    assert create_rng_state(2**64 + 3).numpy().tolist() == [3, 1, 0]
    assert create_rng_state([1, 2]).numpy().tolist() == [0, 1, 2]
    assert create_rng_state(2**64 + 3, "threefry").numpy().tolist() == [3, 1]
    assert create_rng_state([1], "threefry").numpy().tolist() == [0, 1]


@pytest.mark.parametrize("alg", ["threefry", 2, tf.random.Algorithm.THREEFRY, tf.constant(2)])
def test_threefry_has_states_and_draws_nothing(alg: Any) -> None:
    g = Generator.from_seed(5, alg)
    assert (g.algorithm, state(g), int(g.key)) == (2, [5, 0], 0)
    g.reset_from_key_counter(3, [4])
    assert state(g) == [4, 3]
    g.reset_from_seed(7)
    assert state(Generator(copy_from=g)) == state(copy.deepcopy(g)) == [7, 0]
    g.reset([1, 2])
    assert state(Generator.from_state(g.state, g.algorithm)) == [1, 2]
    assert Generator.from_non_deterministic_state(alg).state.shape == [2]
    for draw in (lambda: g.normal([1]), lambda: g.skip(1), lambda: g.split(2)):
        with pytest.raises(errors.UnimplementedError, match="ThreeFry"):
            draw()
    for wrong in ([1], [1, 2, 3]):
        with pytest.raises(ValueError, match="2 integers"):
            g.reset(wrong)
        with pytest.raises(ValueError, match="2 integers"):
            g.reset(tf.constant(wrong, tf.int64))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_integers_from_the_whole_range(dtype: str) -> None:
    made = Generator.from_seed(1).uniform([4000], None, None, dtype)
    assert np.array_equal(made, Generator.from_seed(1).uniform_full_int([4000], dtype))
    limits = np.iinfo(dtype)
    span = limits.max - limits.min
    assert made.dtype == dtype
    places = (made.numpy().astype(float) - limits.min) / span
    assert abs(places.mean() - 0.5) < 5 * (1 / 12 / 4000) ** 0.5
    assert places.min() < 0.01
    assert places.max() > 0.99
    for bounds in ((0, None), (None, 5)):
        with pytest.raises(ValueError, match="maxval"):
            Generator.from_seed(1).uniform([1], *bounds, dtype=dtype)


@pytest.mark.parametrize(
    ("seed", "philox"),
    [
        (5, [5, 0, 0]), (-1, [-1, -1, -1]), ([5], [0, 0, 5]), ([5, 6], [0, 5, 6]),
        ([1, 2, 3, 4], [1, 2, 3]), (np.int64(5), [0, 0, 5]), ([2**63], [0, 0, -(2**63)]),
        ([], [0, 0, 0]),
    ],
)  # fmt: skip
def test_states_of_seeds(seed: Any, philox: list[int]) -> None:
    """What TensorFlow 2.21 gives."""
    assert tf.random.create_rng_state(seed).numpy().tolist() == philox


BAD: list[tuple[Any, type[Exception], str]] = [
    (Generator, ValueError, "from_seed"),
    (lambda: Generator(Generator.from_seed(1), state=[1, 2, 3]), ValueError, "either"),
    (lambda: Generator.from_seed("a"), ValueError, "integer"),
    (lambda: Generator.from_seed([1.5, 2]), ValueError, "vector of integers"),
    (lambda: Generator.from_seed(1, alg="mersenne"), ValueError, "philox"),
    (lambda: Generator.from_state([1, 2]), ValueError, "3 integers"),
    (lambda: Generator.from_key_counter(1, [1]), ValueError, "3 integers"),
    (lambda: Generator.from_seed(1).uniform([1], dtype="int32"), ValueError, "maxval"),
    (lambda: Generator.from_seed(1).normal([-1]), ValueError, "negative"),
    (lambda: Generator.from_seed(1).uniform_full_int([1], "float32"), ValueError, "float32"),
    (lambda: tf.random.set_global_generator(5), TypeError, "Generator"),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
