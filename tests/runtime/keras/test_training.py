"""Models train as on TensorFlow: losses, weights and outputs after some steps, from the same
weights and batches. The figures are TensorFlow's; `tests/peers` makes them anew.
"""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras
from tests.support import keras_models

FIGURES = json.loads(Path("fixtures/keras/tensorflow.json").read_text("utf-8"))["cases"]
X = np.random.default_rng(0).standard_normal((12, 4)).astype("f")
Y = np.random.default_rng(1).standard_normal((12, 3)).astype("f")


@pytest.mark.parametrize("name", keras_models.CASES)
def test_trains_as_on_tensorflow(name: str) -> None:
    made = keras_models.train(keras, name)
    for part, expected in FIGURES[name].items():
        np.testing.assert_allclose(made[part], expected, rtol=5e-6, err_msg=part)


def model(**options: Any) -> Any:
    keras.utils.set_random_seed(0)
    made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    made.compile("sgd", "mse", **options)
    return made


def test_one_step_of_gradient_descent() -> None:
    made = model()
    w, b = made.get_weights()
    loss = made.train_on_batch(X, Y)
    errors = X @ w + b - Y
    np.testing.assert_allclose(loss, (errors**2).mean(), rtol=1e-6)
    steps = 0.01 * 2 / errors.size
    for now, expected in zip(
        made.get_weights(), (w - steps * X.T @ errors, b - steps * errors.sum(0)), strict=True
    ):
        np.testing.assert_allclose(now, expected, rtol=1e-5)


def test_words_that_a_loop_reads_are_learned_as_in_eager_steps() -> None:
    words = np.random.default_rng(0).integers(0, 4, (6, 5))

    def learned(*, run_eagerly: bool) -> Any:
        keras.utils.set_random_seed(0)
        layers = [keras.layers.Embedding(4, 3), keras.layers.GRU(2)]
        made = keras.Sequential([keras.Input((5,), dtype="int32"), *layers])
        made.compile(keras.optimizers.Adam(0.1), "mse", run_eagerly=run_eagerly)
        made.fit(words, np.ones((6, 2)), epochs=3, shuffle=False, verbose=0)
        return made.get_weights()[0]

    np.testing.assert_allclose(learned(run_eagerly=False), learned(run_eagerly=True), atol=1e-4)


def test_a_step_is_traced_once_for_each_shape() -> None:
    class Counting(keras.layers.Layer):  # type: ignore[misc]
        calls = 0

        def call(self, x: Any) -> Any:
            Counting.calls += 1
            return x

    made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), Counting()])
    made.compile("sgd", "mse")
    made.fit(X, Y, batch_size=4, epochs=3)
    after = Counting.calls
    made.fit(X, Y, batch_size=4, epochs=3)
    assert Counting.calls == after
    made.fit(X, Y, batch_size=5)  # the rest is a batch of 2: one trace for any size from then on
    relaxed = Counting.calls
    for size in (3, 7, 12):
        made.fit(X, Y, batch_size=size)
    assert Counting.calls == relaxed


@pytest.mark.parametrize("options", [{"run_eagerly": True}, {"steps_per_execution": 3}])
def test_ways_to_run_a_step_give_the_same(options: dict[str, Any]) -> None:
    first, second = model(), model(**options)
    losses = [m.fit(X, Y, batch_size=4, shuffle=False).history["loss"] for m in (first, second)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)
    for a, b in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_evaluate_predict_and_metrics_as_numpy() -> None:
    made = model(metrics=["mae"])
    outputs = made.predict(X, batch_size=5)
    w, b = made.get_weights()
    np.testing.assert_allclose(outputs, X @ w + b, rtol=1e-5, atol=1e-6)
    loss, error = made.evaluate(X, Y, batch_size=5)
    np.testing.assert_allclose(loss, ((outputs - Y) ** 2).mean(), rtol=1e-6)
    np.testing.assert_allclose(error, abs(outputs - Y).mean(), rtol=1e-6)


def test_weights_of_samples_and_validation() -> None:
    weights = np.arange(12, dtype="f")
    made = model()
    history = made.fit(
        X, Y, sample_weight=weights, batch_size=12, validation_data=(X[:4], Y[:4]), epochs=2
    ).history
    w, b = model().get_weights()
    expected = (((X @ w + b - Y) ** 2).mean(1) * weights).mean()
    np.testing.assert_allclose(history["loss"][0], expected, rtol=1e-5)
    np.testing.assert_allclose(history["val_loss"][1], made.evaluate(X[:4], Y[:4]), rtol=1e-6)


def of_a_dict() -> Any:
    given = {name: keras.Input((2,), name=name) for name in "ab"}
    made = {"sum": keras.layers.Add()([given["a"], given["b"]]), "a": given["a"]}
    return keras.Model(given, made)


PARTS = {"a": np.ones((5, 2), "f"), "b": np.full((5, 2), 2.0, "f")}


class Swapped(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.inner = of_a_dict()

    def call(self, parts: Any) -> Any:
        swapped = {}
        swapped["a"] = parts["b"]
        swapped["b"] = parts["a"]
        if rt.reduce_sum(parts["b"]) > 0.0:
            swapped["b"] = parts["a"] * 3.0
        return self.inner(swapped)


@pytest.mark.parametrize("eagerly", [False, True])
def test_the_loss_of_an_output_is_the_mean_over_batches(eagerly: bool) -> None:
    made = of_a_dict()
    made.compile("sgd", {"sum": "mae", "a": "mae"}, run_eagerly=eagerly)
    rows = {"a": np.float32([[0.0, 0.0]] * 4 + [[8.0, 8.0]]), "b": np.zeros((5, 2), "f")}
    wanted = {"sum": np.zeros((5, 2)), "a": np.zeros((5, 2))}
    found = made.evaluate(rows, wanted, batch_size=4, return_dict=True)
    assert found["a_loss"] == found["sum_loss"] == 4.0
    np.testing.assert_allclose(found["loss"], 3.2, rtol=1e-6)


@pytest.mark.parametrize("eagerly", [False, True])
def test_data_and_outputs_may_be_dicts(eagerly: bool) -> None:
    made = of_a_dict()
    made.compile("sgd", {"sum": "mse", "a": "mae"}, run_eagerly=eagerly)
    wanted = {"sum": PARTS["a"], "a": PARTS["b"]}
    assert made.evaluate(PARTS, wanted, batch_size=2, return_dict=True)["loss"] == 5.0
    found = made.predict(PARTS, batch_size=2)
    assert (found["sum"].tolist(), found["a"].tolist()) == ([[3.0, 3.0]] * 5, [[1.0, 1.0]] * 5)


def test_lists_and_dicts_of_staged_code_are_structures() -> None:
    made = Swapped()
    made.compile()
    found = made.predict(PARTS)
    assert (found["sum"][0].tolist(), found["a"][0].tolist()) == ([5.0, 5.0], [2.0, 2.0])
    staged = rt.function(lambda parts: made.inner(parts)["sum"])
    assert staged({name: rt.constant(part) for name, part in PARTS.items()})[0, 0] == 3.0
    added = rt.function(lambda parts: keras.layers.Add()(parts))
    assert added(list(map(rt.constant, PARTS.values())))[0, 0] == 3.0


class Steps(keras.metrics.Metric):  # type: ignore[misc]
    def __init__(self, error: str = "") -> None:
        super().__init__(name="steps")
        self.steps, self.error = self.add_weight(initializer="zeros", name="steps"), error

    def update_state(self, y: Any, outputs: Any, sample_weight: Any = None) -> None:
        self.steps.assign_add(1.0)
        if self.error:
            raise ValueError(self.error)

    def result(self) -> Any:
        return self.steps


def test_the_result_of_a_metric_may_be_its_variable() -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[Steps()])
    history = model.fit(np.zeros((6, 3)), np.zeros((6, 1)), batch_size=2, epochs=2).history
    assert history["steps"] == [3.0, 3.0]


def test_an_error_behind_an_assignment_is_the_one_that_fit_raises() -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=[Steps("no steps")])
    with pytest.raises(ValueError, match="no steps"):
        model.fit(np.zeros((6, 3)), np.zeros((6, 1)))


def test_callbacks_stop_and_see() -> None:
    seen: list[int] = []
    stop = keras.callbacks.EarlyStopping(monitor="loss", patience=0, min_delta=1e9)
    tell = keras.callbacks.LambdaCallback(on_train_batch_end=lambda step, logs: seen.append(step))
    history = model().fit(X, Y, batch_size=4, epochs=9, callbacks=[stop, tell])
    assert len(history.epoch) == 2
    assert seen == [0, 1, 2] * 2


def test_dropout_scales_what_it_keeps_and_is_seeded() -> None:
    x = np.ones((100, 100), "f")
    for layer in (keras.layers.Dropout(0.25, seed=1), keras.layers.SpatialDropout1D(0.25, seed=1)):
        made = np.asarray(layer(x if layer.name[0] == "d" else x[..., None], training=True))
        assert set(np.unique(made)) == {np.float32(0), np.float32(1 / 0.75)}
        assert abs((made == 0).mean() - 0.25) < 0.02
    first, second = (keras.layers.Dropout(0.5, seed=1)(x, training=True) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_mixed_precision_computes_in_half_and_keeps_single_weights() -> None:
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(3)])
    finally:
        keras.mixed_precision.set_global_policy("float32")
    made.compile("adam", "mse")
    assert type(made.optimizer).__name__ == "LossScaleOptimizer"
    losses = made.fit(X, Y, epochs=20, batch_size=12).history["loss"]
    assert losses[-1] < losses[0]
    assert made(X).dtype == rt.float16
    assert {weight.dtype for weight in made.trainable_variables} == {"float32"}


def test_fit_is_quiet_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    made = model()
    made.fit(X, Y)
    made.evaluate(X, Y)
    made.predict(X)
    assert capsys.readouterr().out == ""
    made.fit(X, Y, verbose=1)
    assert "loss" in capsys.readouterr().out
    made.summary()
    assert "Trainable params: 15" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (X, Y[:5], "same number of samples"),
        (X[:, :2], Y, "expected axis -1 of input shape to have value 4"),
        (X, Y[:, :2], "Incompatible shapes"),
    ],
)
def test_data_that_does_not_fit_is_refused(x: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model().fit(x, y)


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.parametrize("is_built", [True, False])
def test_no_data_at_all_is_refused(is_built: bool) -> None:
    data = rt.data.Dataset.from_tensor_slices((X, Y)).batch(4)
    for nothing in (
        (X[:0], Y[:0]), (data.take(0),), (data.filter(lambda x, y: rt.shape(x)[0] > 9),),
    ):  # fmt: skip
        made = model()
        if is_built:
            made.fit(X, Y)
        calls: list[tuple[Any, tuple[Any, ...]]] = [
            (made.fit, nothing), (made.evaluate, nothing), (made.predict, nothing[:1]),
        ]  # fmt: skip
        for call, given in calls:
            with pytest.raises(ValueError, match="there is no batch: the arrays, the dataset or"):
                call(*given)


@pytest.mark.parametrize("eagerly", [True, False])
@pytest.mark.parametrize("label", [-1, 3])
def test_a_label_of_no_class_is_named(label: int, eagerly: bool) -> None:
    made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    made.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=eagerly)
    labels = np.zeros(len(X), int)
    labels[2] = label
    words = rf"the label {label} at \[2\] is no class: there are 3 classes, .* from 0 to 2"
    with pytest.raises(rt.errors.InvalidArgumentError, match=words):
        made.fit(X, labels, batch_size=len(X), shuffle=False)


def test_a_dataset_without_batches_tells_both_shapes() -> None:
    data = rt.data.Dataset.from_tensor_slices((X, Y))
    with pytest.raises(ValueError, match=r"Expected shape \(None, 4\), but .* shape \(4,\)"):
        model().fit(data)


def test_a_dataset_is_split() -> None:
    parts = keras.utils.split_dataset(rt.data.Dataset.range(10), right_size=0.3)
    assert [[int(x) for x in part] for part in parts] == [[*range(7)], [7, 8, 9]]


def test_texts_in_folders_are_a_dataset(tmp_path: Path) -> None:
    for name in ("bad", "good"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(f"a {name} film")
    data = keras.utils.text_dataset_from_directory(tmp_path, shuffle=False, verbose=False)
    assert data.class_names == ["bad", "good"]
    ((texts, labels),) = data.as_numpy_iterator()
    assert (texts.tolist(), labels.tolist()) == ([b"a bad film", b"a good film"], [0, 1])


@pytest.mark.parametrize("is_built", [True, False])
def test_a_loss_without_labels_is_refused(is_built: bool) -> None:
    made = model()
    if is_built:
        made.fit(X, Y)
    for call in (made.fit, made.evaluate):
        with pytest.raises(ValueError, match=r"there is no y: give it as fit\(x, y\)"):
            call(X)
    unsupervised = keras.Sequential([keras.layers.Dense(1, activity_regularizer="l2")])
    unsupervised.compile("sgd")
    unsupervised.fit(X)


def test_what_layers_add_to_the_loss_is_there_in_a_staged_function() -> None:
    made = keras.Sequential([keras.layers.Dense(2, activity_regularizer="l2")])

    def added(x: Any) -> Any:
        y = made(x)
        return y, sum(made.losses)

    staged = rt.function(added)
    for x in (X, X, 2 * X):
        y, loss = staged(x)
        wanted = 0.01 * np.sum(np.square(made(x).numpy())) / len(x)  # Keras divides by the batch
        np.testing.assert_allclose(loss.numpy(), wanted, rtol=1e-5)
        np.testing.assert_allclose(y.numpy(), made(x).numpy(), rtol=1e-6)


def test_adam_takes_each_gathered_row_by_itself() -> None:
    layer = keras.layers.Embedding(4, 1, embeddings_initializer="ones")
    made = keras.Sequential([keras.Input((3,), dtype="int32"), layer, keras.layers.Flatten()])
    made.compile(keras.optimizers.Adam(0.1), "mse")
    x, y = np.array([[1, 1, 2]]), np.array([[0.0, 3.0, 0.0]])
    w, mean, square = np.ones(4), np.zeros(4), np.zeros(4)
    for step in (1, 2):
        made.train_on_batch(x, y)
        g = 2 / 3 * (w[x[0]] - y[0])
        mean, square = 0.9 * mean, 0.999 * square
        np.add.at(mean, x[0], 0.1 * g)
        np.add.at(square, x[0], 0.001 * g**2)
        rate = 0.1 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        w = w - rate * mean / (np.sqrt(square) + 1e-7)
    np.testing.assert_allclose(np.ravel(layer.embeddings), w, rtol=1e-5)


def test_clipnorm_is_of_the_gathered_rows() -> None:
    layer = keras.layers.Embedding(4, 1, embeddings_initializer="ones")
    made = keras.Sequential([keras.Input((3,), dtype="int32"), layer, keras.layers.Flatten()])
    made.compile(keras.optimizers.SGD(1.0, clipnorm=0.5), "mse")
    made.train_on_batch(np.array([[1, 1, 2]]), np.zeros((1, 3)))
    g = 2 / 3 * 0.5 / np.linalg.norm([2 / 3] * 3)
    np.testing.assert_allclose(np.ravel(layer.embeddings), [1, 1 - 2 * g, 1 - g, 1], rtol=1e-5)


class _Penalized(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(3, kernel_initializer="zeros")

    def call(self, x: Any) -> Any:
        self.add_loss(rt.reduce_sum(x * x))
        return self.dense(x)


def test_a_loss_that_a_call_adds() -> None:
    x, y = np.full((2, 2), 0.5, "f"), np.ones((2, 3), "f")
    net = _Penalized()
    net.compile(keras.optimizers.SGD(0.0), "mse")
    history = net.fit(x, y, epochs=2, batch_size=2, verbose=0).history
    assert history["loss"] == [2.0, 2.0]
    net(x)
    assert [float(loss) for loss in net.losses] == [1.0]

    @rt.function
    def looped(x: Any, times: Any) -> Any:
        total = rt.constant(0.0)
        for _ in rt.range(times):
            net(x)
            total += rt.add_n(net.losses)
        return total

    assert float(looped(x, rt.constant(3))) == 3.0


class _OfOthers(keras.Model):  # type: ignore[misc]
    """A model whose step calls other models only."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = keras.Sequential([keras.layers.Dense(3)])
        self.seen = keras.metrics.Mean(name="seen")

    def train_step(self, data: Any) -> Any:
        x, y = data
        with rt.GradientTape() as tape:
            loss = rt.reduce_mean((self.inner(x) - y) ** 2)
        weights = self.inner.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        self.seen.update_state(loss)
        return {"seen": self.seen.result()}


def test_a_model_without_a_call_trains_by_its_own_step() -> None:
    net = _OfOthers()
    net.compile(keras.optimizers.Adam(0.1))
    x, y = np.ones((8, 2), "f"), np.ones((8, 3), "f")
    history = net.fit(x, y, epochs=3, batch_size=4, verbose=0).history
    assert history["seen"][0] > history["seen"][-1]
    assert int(net.optimizer.iterations) == 6
