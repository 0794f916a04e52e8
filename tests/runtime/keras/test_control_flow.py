"""Control flow of the user's methods and functions that depends on tensors: in `fit` the same as
eagerly, which is plain Python.
"""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras

X = np.random.default_rng(0).standard_normal((12, 2)).astype("f")
Y = np.random.default_rng(1).standard_normal((12, 3)).astype("f")


class Halve(keras.layers.Layer):  # type: ignore[misc]
    def call(self, x: Any) -> Any:
        rounds = 0
        while rt.reduce_sum(rt.abs(x)) > 1.0:
            x = x / 2.0
            rounds = rounds + 1
            if rounds > 5:
                break
        return x


class Steep(keras.losses.Loss):  # type: ignore[misc]
    def call(self, y: Any, outputs: Any) -> Any:
        error = rt.reduce_mean(rt.abs(y - outputs), axis=-1)
        if rt.reduce_mean(error) > 0.5:
            error = error * 2.0
        return error


def steep(y: Any, outputs: Any) -> Any:
    error = rt.reduce_mean(rt.abs(y - outputs), axis=-1)
    for _ in rt.range(3):
        if rt.reduce_mean(error) < 2.0:
            error = error * 2.0
    return error


class Over(keras.metrics.Metric):  # type: ignore[misc]
    def __init__(self, name: str = "over") -> None:
        super().__init__(name=name)
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y: Any, outputs: Any, sample_weight: Any = None) -> None:
        if rt.reduce_mean(outputs) > 0.0:
            self.total.assign_add(1.0)
        else:
            self.total.assign_add(0.5)

    def result(self) -> Any:
        return self.total.value


def capped(x: Any) -> Any:
    if rt.reduce_max(x) > 1.0:
        x = x / rt.reduce_max(x)
    return x


class Clipping(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.halve, self.dense = Halve(), keras.layers.Dense(3)

    def call(self, x: Any) -> Any:
        return self.dense(self.halve(x))

    def train_step(self, data: Any) -> Any:
        x, y = data
        with rt.GradientTape() as tape:
            outputs = self(x, training=True)
            loss = self.compute_loss(x, y, outputs)
        gradients = tape.gradient(loss, self.trainable_variables)
        if rt.linalg.global_norm(gradients) > 0.1:
            gradients, _ = rt.clip_by_global_norm(gradients, 0.1)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, outputs)
        return {metric.name: metric.result() for metric in self.metrics}


def lambdas() -> Any:
    return keras.Sequential([
        keras.Input((2,)), keras.layers.Lambda(capped), keras.layers.Activation(capped),
        keras.layers.Dense(3),
    ])  # fmt: skip


def sized(w: Any) -> Any:
    size = rt.reduce_sum(w * w)
    return size if size > 1.0 else 0.1 * size


def held_by_layers() -> Any:
    held = {"kernel_constraint": capped, "bias_regularizer": sized, "activity_regularizer": sized}
    return keras.Sequential([
        keras.Input((2,)),
        keras.layers.Dense(3, activation=capped, kernel_regularizer=sized, **held),
        keras.layers.Reshape((3, 1)),
        keras.layers.GRU(
            3, activation=capped, recurrent_activation=capped, recurrent_constraint=capped
        ),
    ])  # fmt: skip


@pytest.mark.parametrize("build", [Clipping, lambdas, held_by_layers])
@pytest.mark.parametrize("loss", [Steep(), steep])
def test_trains_as_eagerly(build: Any, loss: Any) -> None:
    found = []
    for eager in (True, False):
        keras.utils.set_random_seed(0)
        model = build()
        model.compile("adam", loss, metrics=[Over(), capped_error], run_eagerly=eager)
        history = model.fit(X, Y, epochs=3, batch_size=4, shuffle=False).history
        found.append([*history.values(), model.get_weights()[0], model.predict(X)])
    for eagerly, staged in zip(*found, strict=True):
        np.testing.assert_allclose(eagerly, staged, rtol=2e-6, atol=1e-7)


class Halved(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
    def __call__(self, step: Any) -> Any:
        return 0.1 if step < 4 else 0.05


class OfLargeSlopes(keras.optimizers.SGD):  # type: ignore[misc]
    def update_step(self, gradient: Any, variable: Any, rate: Any) -> None:
        if rt.reduce_max(rt.abs(gradient)) > 0.2:
            self.assign_sub(variable, gradient * rate)


def halved() -> Any:
    return 0.1 if rt.random.uniform([]) < 2.0 else 0.05


@pytest.mark.parametrize("rate", [Halved(), halved])
def test_optimizers_and_their_schedules_train_as_eagerly(rate: Any) -> None:
    found = []
    for eager in (True, False):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
        model.compile(OfLargeSlopes(rate), "mse", run_eagerly=eager)
        model.fit(X, Y, epochs=3, batch_size=4, shuffle=False)
        found.append(model.get_weights()[0])
    np.testing.assert_allclose(*found, rtol=2e-6)


def capped_error(y: Any, outputs: Any) -> Any:
    return capped(rt.reduce_mean(rt.abs(y - outputs), axis=-1))


def test_a_symbolic_model_with_staged_branches() -> None:
    given = keras.Input((2,))
    model = keras.Model(given, Halve()(given))
    assert model.output_shape == (None, 2)
    np.testing.assert_array_equal(model.predict(X), np.asarray(Halve()(X)))


def test_a_function_over_a_model_is_converted_too() -> None:
    halve = Halve()
    staged = rt.function(lambda x: halve(x))
    np.testing.assert_array_equal(staged(X), halve(rt.constant(X)))


class Naming(keras.layers.Layer):  # type: ignore[misc]
    def call(self, x: Any) -> Any:
        return x if rt.reduce_sum(x) > 0.0 else "none"


def test_what_cannot_be_staged_names_the_users_line() -> None:
    layer, given = Naming(), keras.Input((2,))
    with pytest.raises(ValueError, match=r"test_control_flow\.py:\d+"):
        layer(given)


def test_an_error_of_keras_that_names_a_weight_is_raised() -> None:
    optimizer, known, unknown = keras.optimizers.SGD(), keras.Variable(1.0), keras.Variable(2.0)
    optimizer.build([known])
    for function in (optimizer.apply, rt.function(optimizer.apply, autograph=False)):
        with pytest.raises(ValueError, match=r"Unknown variable: <Variable path=variable"):
            function([rt.constant(1.0)], [unknown])


def test_a_built_model_is_first_called_in_a_staged_loop() -> None:
    given = keras.Input((2,))
    for model in (keras.Sequential([given, Halve()]), keras.Model(given, Halve()(given))):

        @rt.function
        def halved(x: Any, times: Any, model: Any = model) -> Any:
            for _ in rt.range(times):
                x = model(x)
            return x

        np.testing.assert_array_equal(halved(X, rt.constant(2)), Halve()(Halve()(X)))


@pytest.mark.parametrize("built", [True, False])
def test_a_staged_loop_builds_layers_and_optimizers(built: bool) -> None:
    def training() -> Any:
        keras.utils.set_random_seed(3)
        layer, optimizer = keras.layers.Dense(2), keras.optimizers.Adam(0.1)
        if built:
            layer(rt.ones([1, 3]))

        def train(x: Any) -> Any:
            loss = rt.constant(0.0)
            for _ in rt.range(3):
                with rt.GradientTape() as tape:
                    loss = rt.reduce_sum(layer(x) ** 2)
                weights = layer.trainable_variables
                optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        return train, layer, optimizer

    eager, staged = training(), training()
    trains = eager[0], rt.function(staged[0])
    for _ in range(2):
        expected, got = (train(rt.ones([2, 3])) for train in trains)
        np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert int(staged[2].iterations) == 6
    for mine, theirs in zip(staged[2].variables, eager[2].variables, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)


class _BuiltByItsCall(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(3)

    def call(self, x: Any) -> Any:
        return self.dense(x)


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_a_staged_block_builds_a_model_once(value: float) -> None:
    def looped(net: Any, x: Any) -> Any:
        for _ in rt.range(2):
            x = net(x)
        return x

    def chosen(net: Any, x: Any) -> Any:
        if rt.reduce_sum(x) > 0.0:
            x = net(x)
        return x

    x = value * rt.ones([2, 3])
    for function in (looped, chosen):
        net = _BuiltByItsCall()
        staged = rt.function(lambda x, function=function, net=net: function(net, x))
        first = staged(x)
        assert len(net.weights) == 2
        for got in (first, staged(x)):
            np.testing.assert_allclose(got, function(net, x), rtol=1e-6)


class _Keeping(keras.layers.Layer):  # type: ignore[misc]
    """Keeps what it computed last, as attention layers keep their scores."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self.last: Any = None

    def call(self, x: Any) -> Any:
        self.last = self.inner(x)
        return x + self.last


class _Stack(keras.Model):  # type: ignore[misc]
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.layers_ = [
            _Keeping(keras.Sequential([keras.layers.Dense(2), keras.layers.Dropout(0.1)]))
            for _ in range(depth)
        ]
        self.last: Any = None

    def call(self, x: Any) -> Any:
        for layer in self.layers_:
            x = layer(x)
        self.last = self.layers_[-1].last
        return x


@pytest.mark.parametrize("depth", [1, 9])
def test_layers_that_keep_what_they_computed_last(depth: int) -> None:
    net = _Stack(depth)
    net.compile(keras.optimizers.SGD(0.01), "mse")
    net.fit(X, X, epochs=1, batch_size=6, verbose=0)
    assert len(net.weights) == 2 * depth
    assert net.last.shape == (6, 2)

    @rt.function
    def repeated(x: Any, times: Any) -> Any:
        for _ in rt.range(times):
            x = net(x)
        return x, net.last

    expected = net(net(X)), net.last
    for got, same in zip(repeated(X, rt.constant(2)), expected, strict=True):
        np.testing.assert_allclose(got, same, rtol=1e-5)
    np.testing.assert_allclose(net.last, expected[1], rtol=1e-5)


@pytest.mark.parametrize("layer", [keras.layers.LSTM, keras.layers.GRU, keras.layers.Dense])
@pytest.mark.parametrize("fitted", [True, False])
def test_a_model_is_called_in_a_staged_loop(layer: Any, fitted: bool) -> None:
    model = keras.Sequential([keras.Input((3, 2)), layer(2)])
    x = np.ones([1, 3, 2], "f")
    if fitted:
        model.compile("sgd", "mse")
        model.fit(x, np.zeros([1, *model.output_shape[1:]]), verbose=0)

    @rt.function
    def repeated(x: Any, n: Any) -> Any:
        total = 0.0
        for _ in rt.range(n):
            total += rt.reduce_sum(model(x))
        return total

    found = repeated(rt.constant(x), rt.constant(3))
    np.testing.assert_allclose(found, 3 * model(x).numpy().sum(), rtol=1e-5)


def test_a_model_of_many_layers_is_called_in_a_staged_branch() -> None:
    model = keras.Sequential([keras.Input((2,)), *[keras.layers.Dense(2) for _ in range(30)]])

    @rt.function
    def either(x: Any) -> Any:
        return model(x) if rt.reduce_sum(x) > 0.0 else x

    x = rt.ones([1, 2])
    np.testing.assert_allclose(either(x), model(x), rtol=1e-5)


class _Inner(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, x: Any) -> Any:
        return self.dense(x)


class _Outer(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.drop = _Inner(), keras.layers.Dropout(0.5)

    def call(self, x: Any) -> Any:
        return self.drop(self.inner(x), training=False)


@pytest.mark.parametrize(
    "made",
    [
        *(_Inner, _Outer, lambda: keras.Sequential([_Inner(), keras.layers.ReLU()])),
        *(keras.layers.ReLU, lambda: keras.layers.Dropout(0.0), keras.layers.UnitNormalization),
        *(lambda: keras.layers.Lambda(lambda x: x * 2.0), lambda: keras.layers.Activation("tanh")),
    ],
)
def test_a_layer_that_a_staged_block_calls_first(made: Any) -> None:
    in_a_loop, in_a_branch = made(), made()

    @rt.function
    def repeated(x: Any, n: Any) -> Any:
        for _ in rt.range(n):
            x = in_a_loop(x)
        return x

    @rt.function
    def either(x: Any, taken: Any) -> Any:
        return in_a_branch(x) if taken else x

    found = repeated(X, rt.constant(2)), either(X, rt.constant(True))
    expected = in_a_loop(in_a_loop(X)), in_a_branch(X)
    for got, same in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, same, rtol=1e-5)


def test_a_model_of_many_layers_is_called_in_a_loop() -> None:
    outputs = inputs = keras.Input((2,))
    for _ in range(450):
        outputs = keras.layers.Activation("relu")(outputs)
    model = keras.Model(inputs, outputs)

    @rt.function
    def doubled(x: Any, n: Any) -> Any:
        for _ in rt.range(n):
            x = model(x) * 2.0
        return x

    assert doubled(rt.constant([[1.0, -1.0]]), rt.constant(3)).numpy().tolist() == [[8.0, 0.0]]


class Scaled(keras.layers.Layer):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.scale, self.table = 2.0, {"shift": 0.0}

    def call(self, x: Any) -> Any:
        return x * self.scale + self.table["shift"]


class Weighted(keras.losses.Loss):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.weight = 1.0

    def call(self, y: Any, outputs: Any) -> Any:
        return self.weight * rt.reduce_mean((y - outputs) ** 2, -1)


def test_attributes_of_layers_and_losses_may_change() -> None:
    found = []
    for eager in (True, False):
        keras.utils.set_random_seed(0)
        layer, loss = Scaled(), Weighted()
        model = keras.Sequential([keras.Input((2,)), layer, keras.layers.Dense(3)])
        model.compile("sgd", loss, run_eagerly=eager)
        function = model if eager else rt.function(lambda x, model=model: model(x))
        told = []
        for scale, shift, weight in ((2.0, 0.0, 1.0), (3.0, 0.0, 2.0), (3.0, 1.0, 2.0)):
            layer.scale, layer.table["shift"], loss.weight = scale, shift, weight
            told += [np.asarray(function(X)), model.predict(X, verbose=0)]
            told.append(np.asarray(model.evaluate(X, Y, verbose=0)))
            told.append(np.asarray(model.fit(X, Y, verbose=0).history["loss"]))
        found.append(told)
    for eagerly, staged in zip(*found, strict=True):
        np.testing.assert_allclose(eagerly, staged, rtol=2e-5)


@pytest.mark.parametrize("activation", [keras.activations.relu, capped])
def test_the_activation_of_a_layer_is_the_one_that_was_given(activation: Any) -> None:
    layer = keras.layers.Dense(3, activation=activation)
    layer.build((None, 2))

    @rt.function
    def function(x: Any) -> Any:
        assert layer.get_config()["units"] == 3
        return layer.activation(x), layer.activation is activation

    found, is_given = function(X)
    np.testing.assert_allclose(found, activation(rt.constant(X)), rtol=1e-6)
    assert is_given
