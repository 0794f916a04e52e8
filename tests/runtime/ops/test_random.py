"""Random numbers: TensorFlow's rules for seeds, and distributions that are what they are called."""

import math
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import errors
from runtime.core.primitive import TABLE
from runtime.core.workspace import Workspace

random = tf.random
N = 40000
KINDS = ["uniform", "normal", "truncated_normal"]
ROW = np.linspace(0.5, 8, 4097)
INTEGERS = ["int32", "int64"]
BOUNDS = [(0, 9), (-5, 1000), (-(2**31), 2**31 - 1)]


@pytest.fixture(autouse=True)
def unseeded() -> Any:
    yield
    random.set_seed(None)


def u(**options: Any) -> float:
    return float(random.uniform([], **options))


def draws(*seeds: int | None) -> list[float]:
    return [u(seed=seed) for seed in seeds]


# Seeds


def test_without_seeds_nothing_repeats() -> None:
    random.set_seed(None)
    found = {u() for _ in range(50)}
    random.set_seed(None)
    assert len(found | {u() for _ in range(50)}) == 100


def test_the_global_seed_starts_one_sequence() -> None:
    random.set_seed(1)
    first = draws(None, None, None)
    random.set_seed(1)
    assert draws(None, None, None) == first
    random.set_seed(2)
    assert not set(draws(None, None, None)) & set(first)
    assert len(set(first)) == 3


def test_an_ops_own_seed_has_a_sequence_of_its_own() -> None:
    random.set_seed(1)
    plain = draws(None, None)
    random.set_seed(1)
    mixed = draws(None, 7, 7, None, 8)
    assert [mixed[0], mixed[3]] == plain
    assert len({*mixed}) == 5
    random.set_seed(1)
    assert draws(7, 7) == mixed[1:3]
    random.set_seed(2)
    assert draws(7, 7) != mixed[1:3]


def test_an_ops_own_seed_alone_repeats_from_program_to_program() -> None:
    program = (
        "import runtime as tf; print(*[float(tf.random.uniform([], seed=3)) for _ in range(2)])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, text=True
        ).stdout
        for _ in range(2)
    ]
    random.set_seed(None)
    assert runs[0] == runs[1]
    assert [float(text) for text in runs[0].split()] == draws(3, 3)


def test_kinds_and_dtypes_count_by_themselves() -> None:
    random.set_seed(1)
    alone = draws(4, 4)
    random.set_seed(1)
    between = [u(seed=4)]
    random.normal([], seed=4)
    random.uniform([], seed=4, dtype="float64")
    assert [*between, u(seed=4)] == alone


def test_the_size_of_a_draw_does_not_change_the_next() -> None:
    random.set_seed(1)
    random.normal([1000])
    after = u()
    random.set_seed(1)
    random.uniform([2], 0, 5, dtype="int32")
    assert u() == after


def pair() -> Any:
    return random.uniform([]), random.uniform([])


def values(tensors: Any) -> list[float]:
    return [float(t) for t in tensors]


def test_a_graph_is_a_program_of_its_own() -> None:
    random.set_seed(1)
    f, g = tf.function(pair), tf.function(lambda: pair())
    first, second = values(f()), values(f())
    assert values(g()) == first
    assert len({*first, *second}) == 4
    random.set_seed(1)
    assert values(f()) == first, "set_seed starts the sequences of graphs anew"
    fresh = u()
    random.set_seed(1)
    assert u() == fresh, "a trace draws nothing from the sequence of eager ops"


def test_equal_seeds_in_a_graph_are_equal_sequences() -> None:
    random.set_seed(1)
    f = tf.function(lambda: (random.uniform([], seed=1), random.uniform([], seed=1)))
    (a, b), (c, d) = values(f()), values(f())
    assert a == b
    assert c == d
    assert a != c
    random.set_seed(1)
    assert values(f()) == [a, b]
    assert draws(1, 1) == [a, c], "the eager op with that seed draws the same"


def test_a_loop_in_a_graph_draws_anew_in_each_round() -> None:
    @tf.function
    def walk(n: Any) -> Any:
        found = tf.zeros([0])
        for _ in tf.range(n):
            found = tf.concat([found, [random.uniform([])]], 0)
        return found

    made = walk(tf.constant(6)).numpy()
    assert len(set(made.tolist())) == 6
    assert not set(made.tolist()) & set(walk(tf.constant(6)).numpy().tolist())


def test_threads_draw_from_one_sequence() -> None:
    random.set_seed(1)
    alone = sorted(draws(*[5] * 40))
    random.set_seed(1)
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.extend(draws(*[5] * 10))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == alone


def test_get_seed_tells_what_an_op_would_use() -> None:
    random.set_seed(None)
    assert random.get_seed(None) == (None, None)
    assert random.get_seed(5) == (87654321, 5)
    random.set_seed(9)
    assert random.get_seed(5) == (9, 5)
    assert random.get_seed(None) == (9, 0)


GREATEST = 2**31 - 1


@pytest.mark.parametrize(
    ("of_all", "of_op", "told"),
    [
        (0, 0, (0, GREATEST)),
        (GREATEST, 0, (0, GREATEST)),
        (0, GREATEST, (0, GREATEST)),
        (7, GREATEST, (7, 0)),
        (-3, 2 * GREATEST + 1, (GREATEST - 3, 1)),
    ],
)
def test_seeds_that_are_told_are_below_2_to_31_and_never_both_0(
    of_all: int, of_op: int, told: tuple[int, int]
) -> None:
    random.set_seed(of_all)
    assert random.get_seed(of_op) == told
    random.set_seed(None)


# Distributions: mean and standard deviation within five standard errors, and the range


def check(made: Any, mean: float, deviation: float, low: float, high: float) -> None:
    x = made.numpy().astype("f8")
    error = deviation / math.sqrt(x.size)
    assert abs(x.mean() - mean) <= 5 * error
    assert abs(x.std() - deviation) <= 10 * error
    assert x.min() >= low
    assert x.max() <= high


HALF, INF = 12**-0.5, math.inf
CUT = 0.8796256610342398  # of a normal number cut off at two standard deviations
SHAPES: list[tuple[Any, tuple[float, float, float, float]]] = [
    (lambda: random.uniform([N]), (0.5, HALF, 0, 1 - 2**-24)),
    (lambda: random.uniform([N], -2, 4), (1, 6 * HALF, -2, 4)),
    (lambda: random.uniform([N], dtype="float16"), (0.5, HALF, 0, 1 - 2**-11)),
    (lambda: random.uniform([N], -3, 5, "int32"), (0.5, (63 / 12) ** 0.5, -3, 4)),
    (lambda: random.uniform([N], 0, 2**62, "int64"), (2.0**61, 2**62 * HALF, 0, 2.0**62)),
    (lambda: random.normal([N], 2.0, 3.0), (2, 3, -INF, INF)),
    (lambda: random.normal([N], dtype="float64"), (0, 1, -INF, INF)),
    (lambda: random.normal([N], dtype="float16"), (0, 1, -INF, INF)),
    (lambda: random.truncated_normal([N]), (0, CUT, -2, 2)),
    (lambda: random.truncated_normal([N], 1.0, 2.0, "float64"), (1, 2 * CUT, -3, 5)),
    (lambda: random.gamma([N], 3.0, 2.0), (1.5, 0.75**0.5, 0, INF)),
    (lambda: random.gamma([N], 0.5, dtype="float64"), (0.5, 0.5**0.5, 0, INF)),
    (lambda: random.poisson([N], 4.0), (4, 2, 0, INF)),
    (lambda: random.poisson([N], 0.0, "int32"), (0, 0, 0, 0)),
    (lambda: random.stateless_uniform([N], [1, 2]), (0.5, HALF, 0, 1 - 2**-24)),
    (lambda: random.stateless_normal([N], [1, 2], 1.0), (1, 1, -INF, INF)),
    (lambda: random.stateless_truncated_normal([N], [1, 2]), (0, CUT, -2, 2)),
    (lambda: random.stateless_gamma([N], [1, 2], 3.0, 0.5), (6, 12**0.5, 0, INF)),
    (lambda: random.stateless_poisson([N], [1, 2], 9.0), (9, 3, 0, INF)),
    (lambda: random.stateless_binomial([N], [1, 2], 10, 0.3), (3, 2.1**0.5, 0, 10)),
    (
        lambda: random.stateless_uniform([N], [1, 2], None, None, "uint64") // 2**60,
        (7.5, (255 / 12) ** 0.5, 0, 15),
    ),
]


@pytest.mark.parametrize(("draw", "expected"), SHAPES, ids=[str(i) for i in range(len(SHAPES))])
def test_distributions(draw: Any, expected: tuple[float, float, float, float]) -> None:
    random.set_seed(11)
    check(draw(), *expected)


def test_normal_numbers_are_normal() -> None:
    random.set_seed(4)
    x = np.sort(random.normal([N]).numpy())
    expected = np.array([0.5 * (1 + math.erf(value / math.sqrt(2))) for value in x])
    assert np.abs(expected - (np.arange(N) + 0.5) / N).max() < 1.63 / math.sqrt(N)


def test_neighbouring_draws_and_seeds_are_independent() -> None:
    random.set_seed(0)
    pieces = [random.normal([N]).numpy() for _ in range(2)]
    pieces += [random.stateless_normal([N], [0, n]).numpy() for n in range(3)]
    pieces += [random.normal([N], seed=n).numpy() for n in range(2)]
    correlations = np.corrcoef(pieces) - np.eye(len(pieces))
    assert np.abs(correlations).max() < 5 / math.sqrt(N)


@pytest.mark.parametrize("stateless", [False, True])
def test_categorical(stateless: bool) -> None:
    random.set_seed(2)
    chances = np.array([[0.1, 0.2, 0.7, 0.0], [0.0, 1.0, 0.0, 0.0], [0.25] * 4])
    with np.errstate(divide="ignore"):
        logits = np.log(chances) + 3
    made = (
        random.stateless_categorical(logits, N, [1, 2])
        if stateless
        else random.categorical(logits, N, "int32")
    )
    assert made.shape == (3, N)
    assert made.dtype == ("int64" if stateless else "int32")
    found = np.array([np.bincount(row, minlength=4) for row in made.numpy()]) / N
    assert np.abs(found - chances).max() < 5 * 0.5 / math.sqrt(N)
    assert not found[chances == 0].any()


@pytest.mark.parametrize("stateless", [False, True])
def test_shuffle(stateless: bool) -> None:
    random.set_seed(2)
    x = np.arange(12).reshape(6, 2)

    def shuffled(n: int) -> Any:
        if stateless:
            return random.experimental.stateless_shuffle(x, [n, 0]).numpy()
        return random.shuffle(x).numpy()

    firsts = [shuffled(n)[0, 0] for n in range(600)]
    assert np.array_equal(np.sort(shuffled(0), 0), x)
    assert np.array_equal(shuffled(1)[:, 1], shuffled(1)[:, 0] + 1) or not stateless
    assert np.abs(np.bincount(firsts)[::2] - 100).max() < 5 * math.sqrt(600 * 5 / 36)
    assert random.shuffle(5).numpy() == 5


# Shapes and parameters


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        (lambda: random.normal([]), ()),
        (lambda: random.normal((2, 3)), (2, 3)),
        (lambda: random.normal(tf.constant([2, 0])), (2, 0)),
        (lambda: random.normal(tf.TensorShape([4])), (4,)),
        (lambda: random.normal([1, 3], mean=[[1.0], [2.0]]), (2, 3)),
        (lambda: random.uniform([2], 0, tf.constant([1.0, 5.0])), (2,)),
        (lambda: random.gamma([2, 3], [1.0, 2.0], [[1.0], [2.0]]), (2, 3, 2, 2)),
        (lambda: random.poisson([3], [[1.0, 2.0]]), (3, 1, 2)),
        (lambda: random.stateless_gamma([3, 2], [1, 2], [1.0, 2.0]), (3, 2)),
        (lambda: random.stateless_binomial([3, 2], [1, 2], [4, 5], 0.5), (3, 2)),
        (lambda: random.categorical(np.zeros((0, 3)), 4), (0, 4)),
        (lambda: random.categorical(np.zeros((2, 3)), 0), (2, 0)),
        (lambda: random.split([1, 2], 5), (5, 2)),
        (lambda: random.fold_in([1, 2], 5), (2,)),
    ],
)
def test_shapes(made: Any, shape: tuple[int, ...]) -> None:
    assert made().shape == shape


def test_gradients_flow_to_mean_and_deviation() -> None:
    mean, deviation = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([mean, deviation])
        made = random.normal([5, 2], mean, deviation)
    for_mean, for_deviation = tape.gradient(made, [mean, deviation])
    assert for_mean.numpy().tolist() == [5, 5]
    expected = np.sum((made.numpy() - mean.numpy()) / 3)
    # The sum may be next to zero.
    np.testing.assert_allclose(for_deviation.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_gradients_of_gamma_are_refused_for_alpha() -> None:
    alpha, beta = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([alpha, beta])
        made = random.gamma([5], 2.0, beta)
        other = random.stateless_gamma([5], [1, 2], alpha, beta)
    np.testing.assert_allclose(
        tape.gradient(made, beta).numpy(), -np.sum(made.numpy()) / 3, rtol=1e-5
    )
    with pytest.raises(LookupError, match="Gamma"):
        tape.gradient(other, alpha)


def test_sizes_that_only_the_run_knows() -> None:
    @tf.function
    def draw(n: Any) -> Any:
        return (
            random.normal([n, 2]),
            random.uniform(tf.stack([n, n]), 0, 5, "int32"),
            random.poisson([n], [1.0, 2.0]),
            random.categorical([[0.1, 0.2]], n),
            random.stateless_normal([n], [1, 2]),
        )

    for n in (2, 3):
        shapes = [tuple(t.shape) for t in draw(tf.constant(n))]
        assert shapes == [(n, 2), (n, n), (n, 2), (1, n), (n,)]


def test_seeds_make_stateless_numbers() -> None:
    made = [random.stateless_uniform([3], [1, n]).numpy().tolist() for n in (2, 2, 3)]
    assert made[0] == made[1] != made[2]
    seeds = random.split([5, 6], 100).numpy()
    assert len(np.unique(seeds, axis=0)) == 100
    folded = [random.fold_in([1, 2], n).numpy().tolist() for n in range(10)]
    assert len({tuple(seed) for seed in folded}) == 10
    wide = tf.constant([1, 2], tf.int64)
    assert (
        random.split(wide).dtype == random.fold_in(wide, tf.constant(1, tf.int64)).dtype == "int64"
    )
    assert random.fold_in(wide, 1).dtype == "int32"  # as TensorFlow: the dtype of the number
    random.set_seed(1)
    assert random.stateless_uniform([3], [1, 2]).numpy().tolist() == made[0]


L = np.zeros((2, 3))
INVALID = errors.InvalidArgumentError
BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda: random.set_seed("a"), TypeError, "seed must be a Python integer"),
    (lambda: random.set_seed(1.5), TypeError, "seed"),
    (lambda: random.uniform([1], seed="a"), TypeError, "seed"),
    (lambda: random.uniform([1], dtype="int32"), ValueError, "maxval"),
    (lambda: random.uniform([1], 5, 5, "int32"), INVALID, "minval < maxval"),
    (lambda: random.uniform([1], 1.5, 5, "int32"), TypeError, "int32"),
    (lambda: random.uniform([1], 0, [1, 2], "int32"), INVALID, "scalars"),
    (lambda: random.uniform([1], 0, 2**40, "int32"), ValueError, "does not fit dtype int32"),
    (lambda: random.uniform([-1]), INVALID, "RandomUniform.*negative"),
    (lambda: random.uniform([1.5]), TypeError, "integer"),
    (lambda: random.uniform([None]), ValueError, "None"),
    (lambda: random.uniform([1], dtype="complex64"), ValueError, "complex64"),
    (lambda: random.normal([1], dtype="int32"), ValueError, "int32"),
    (lambda: random.normal([2, 3], mean=[1.0, 2.0]), INVALID, "broadcast"),
    (lambda: random.normal([10**6, 10**6, 10**6]), errors.OpError, "RandomStandardNormal"),
    (lambda: random.gamma([1], -1.0), INVALID, "RandomGamma"),
    (lambda: random.poisson([1], -1.0), INVALID, "RandomPoisson"),
    (lambda: random.poisson([1], [float("nan")]), INVALID, "RandomPoisson"),
    (lambda: random.categorical(L[0], 2), INVALID, "matrix"),
    (lambda: random.categorical(L, -1), INVALID, "non-negative"),
    (lambda: random.categorical(L[:, :0], 2), INVALID, "num_classes"),
    (lambda: random.categorical(L * np.nan, 2), INVALID, "finite"),
    (lambda: random.categorical(L, 2, "float32"), ValueError, "float32"),
    (lambda: random.stateless_uniform([1], [1, 2, 3]), ValueError, r"shape \(2,\)"),
    (lambda: random.stateless_uniform([1], 1), ValueError, r"shape \(2,\)"),
    (lambda: random.stateless_uniform([1], [1.0, 2.0]), INVALID, "float32"),
    (lambda: random.stateless_uniform([1], [1, 2], dtype="uint32"), ValueError, "None"),
    (lambda: random.stateless_uniform([1], [1, 2], None, 4, "int32"), ValueError, "both"),
    (lambda: random.stateless_poisson([3], [1, 2], [1.0, 2.0]), INVALID, "broadcast"),
    (lambda: random.stateless_binomial([1], [1, 2], -1, 0.5), INVALID, "Binomial"),
    (lambda: random.stateless_binomial([1], [1, 2], 3, 1.5), INVALID, "Binomial"),
    (lambda: random.stateless_binomial([1], [1, 2], 2.5, 0.5), INVALID, "whole"),
    (lambda: random.stateless_binomial([1], [1, 2], 2, 1), TypeError, "probs"),
    (lambda: random.split([1, 2], -1), INVALID, "negative"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_arguments_are_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


SIZE = (3, 4097)
FLOATS = ["float16", "float32", "float64"]
DRAWS: list[Any] = [
    *[(f"stateless_{kind}", (), t) for kind in KINDS for t in FLOATS],
    *[("stateless_gamma", (alpha,), t) for alpha in (2.5, ROW) for t in FLOATS],
    *[("stateless_uniform_int", (low, high), t) for low, high in BOUNDS for t in INTEGERS],
    *[("stateless_uniform_full_int", (), t) for t in (*INTEGERS, "uint32", "uint64")],
    *[("stateless_poisson", (rate,), t) for rate in (2.5, ROW) for t in ("float16", "int64")],
    *[("stateless_binomial", (n, ROW / 9), t) for n in (9, ROW.round()) for t in INTEGERS],
    ("stateless_binomial", (9, 0.3), "int32"),
]


@pytest.mark.parametrize(("name", "parameters", "dtype"), DRAWS)
def test_the_same_numbers_are_drawn_to_a_given_array(
    name: str, parameters: tuple[Any, ...], dtype: str
) -> None:
    of_integers, kernel = name == "stateless_binomial", TABLE[name].kernel
    kinds = [np.int32, np.float64] if of_integers else [np.dtype(dtype)] * 2
    given = [np.asarray(x, kind) for x, kind in zip(parameters, kinds, strict=False)]
    seed, params = np.array([1, 2]), {"shape": SIZE, "dtype": tf.as_dtype(dtype)}
    made = kernel(seed, *given, **params)
    out, work = np.full(SIZE, 7, dtype), Workspace()
    for _ in range(2):
        assert kernel(seed, *given, **params, out=out, work=work) is out
        work.grow()
        assert out.tobytes() == made.tobytes()


@pytest.mark.parametrize("shape", [(3, 7000), (7000, 3)])
def test_the_same_classes_are_drawn_to_a_given_array(shape: tuple[int, int]) -> None:
    logits = np.random.default_rng(0).standard_normal((shape[0], 5))
    seed, params = np.array([1, 2]), {"shape": shape[1:], "dtype": tf.int32}
    kernel = TABLE["stateless_categorical"].kernel
    out = np.full(shape, 7, np.int32)
    assert kernel(seed, logits, **params, out=out, work=Workspace()) is out
    assert out.tobytes() == kernel(seed, logits, **params).tobytes()
