"""Names that Keras has under `tf.keras` alone: they compute what NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

from runtime.keras.preprocessing.text import Tokenizer

import runtime.keras as keras

K = keras.backend
X = np.random.default_rng(0).standard_normal((2, 3)).astype("f")
Y = np.random.default_rng(1).standard_normal((2, 3)).astype("f")
P = np.array([[0.2, 0.8], [0.5, 0.5]], "f")
Q = np.array([[0.0, 1.0], [1.0, 0.0]], "f")
CUBE = np.arange(24, dtype="f").reshape(2, 3, 4)

XT, YT = rt.constant(X), rt.constant(Y)

COMPUTED: dict[str, tuple[Callable[[], Any], Any]] = {
    "mean": (lambda: K.mean(XT, axis=-1, keepdims=True), X.mean(-1, keepdims=True)),
    "std": (lambda: K.std(XT, axis=0), X.std(0)),
    "any": (lambda: K.any(X > 0, axis=0), (X > 0).any(0)),
    "argmax": (lambda: K.argmax(X), X.argmax(-1)),
    "clip": (lambda: K.clip(X, -0.5, 0.5), X.clip(-0.5, 0.5)),
    "dot": (lambda: K.dot(XT, rt.transpose(YT)), X @ Y.T),
    "batch_dot": (lambda: K.batch_dot(CUBE, CUBE, axes=2), CUBE @ CUBE.transpose(0, 2, 1)),
    "batch_flatten": (lambda: K.batch_flatten(CUBE), CUBE.reshape(2, 12)),
    "categorical": (lambda: K.categorical_crossentropy(Q, P), -(Q * np.log(P)).sum(-1)),
    "cumprod": (lambda: K.cumprod(X, 1), X.cumprod(1)),
    "foldl": (lambda: K.foldl(lambda a, x: a - x, X), X[0] - X[1]),
    "foldr": (lambda: K.foldr(lambda a, x: a - x, X), X[1] - X[0]),
    "gather": (lambda: K.gather(X, [1, 0]), X[[1, 0]]),
    "hard_sigmoid": (lambda: K.hard_sigmoid(X), (0.2 * X + 0.5).clip(0, 1)),
    "l2_normalize": (lambda: K.l2_normalize(X, 1), X / np.linalg.norm(X, axis=1, keepdims=True)),
    "map_fn": (lambda: K.map_fn(lambda x: x * 2, X), X * 2),
    "one_hot": (lambda: K.one_hot([0, 2], 3), np.eye(3)[[0, 2]]),
    "permute": (lambda: K.permute_dimensions(CUBE, (2, 0, 1)), CUBE.transpose(2, 0, 1)),
    "pool2d": (lambda: K.pool2d(CUBE[None, :2], (2, 2), (2, 2))[0, 0, 0], CUBE[1, 1]),
    "repeat_elements": (lambda: K.repeat_elements(XT, 2, 1), X.repeat(2, 1)),
    "reverse": (lambda: K.reverse(X, 1), X[:, ::-1]),
    "rnn": (
        lambda: K.rnn(lambda x, s: (x + s[0], [x + s[0]]), CUBE, [np.zeros((2, 4), "f")])[1],
        CUBE.cumsum(1),
    ),
    "spatial_2d_padding": (
        lambda: K.spatial_2d_padding(CUBE[..., None]),
        np.pad(CUBE[..., None], [(0, 0), (1, 1), (1, 1), (0, 0)]),
    ),
    "switch": (lambda: K.switch(rt.reduce_sum(X) > 99.0, lambda: X, lambda: Y), Y),
    "losses.mse": (lambda: keras.losses.mse(X, Y), ((X - Y) ** 2).mean(-1)),
    "losses.MAE": (lambda: keras.losses.MAE(X, Y), abs(X - Y).mean(-1)),
    "metrics.kld": (
        lambda: keras.metrics.kld(P, P[::-1]),
        (P * np.log(P / P[::-1])).sum(-1),
    ),
    "rt.losses": (lambda: rt.losses.MSE(X, Y), ((X - Y) ** 2).mean(-1)),
    "rt.initializers": (lambda: rt.initializers.ones()((2, 2)), np.ones((2, 2))),
    "ThresholdedReLU": (
        lambda: keras.layers.ThresholdedReLU(0.1)(X),
        np.where(X > 0.1, X, 0),
    ),
    "sampling table": (
        lambda: len(keras.preprocessing.sequence.make_sampling_table(5)),
        5,
    ),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_a_name_computes_what_numpy_does(name: str) -> None:
    compute, expected = COMPUTED[name]
    np.testing.assert_allclose(compute(), expected, rtol=1e-5, atol=1e-6)


def test_variables_of_the_backend() -> None:
    held = K.variable([1.0, 2.0])
    K.update_add(held, rt.constant([1.0, 1.0]))
    K.set_value(held, 2 * K.get_value(held))
    assert K.batch_get_value([held])[0].tolist() == [4.0, 6.0]


def test_texts_become_numbers() -> None:
    tokens = Tokenizer(num_words=3, oov_token="<other>")
    tokens.fit_on_texts(["a b a", "a c"])
    assert tokens.word_index == {"<other>": 1, "a": 2, "b": 3, "c": 4}
    assert tokens.texts_to_sequences(["a c z"]) == [[2, 1, 1]]


def test_a_users_standardization_is_given_tensors() -> None:
    def marked(texts: Any) -> Any:
        return rt.strings.regex_replace(rt.strings.lower(texts), "[!?]", "")

    layer = keras.layers.TextVectorization(standardize=marked)
    texts = rt.data.Dataset.from_tensor_slices(["To be!", "be?"]).batch(2)
    layer.adapt(texts)
    assert layer.get_vocabulary()[2:] == ["be", "to"]
    (found,) = texts.map(layer)
    assert found.numpy().tolist() == [[3, 2], [2, 0]]


def test_a_name_that_keras_has_nowhere_is_not_here() -> None:
    with pytest.raises(AttributeError, match=r"keras\.losses.*'nothing'"):
        _ = keras.losses.nothing
    with pytest.raises(ImportError, match="nothing"):
        from runtime.keras.preprocessing import nothing  # noqa: F401
