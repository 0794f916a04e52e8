"""Settings of Keras' objects that change between calls: staged functions do what eager ones do, and
are traced again for a change alone.
"""

import gc
import weakref
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras

L = keras.layers
X = np.random.default_rng(0).standard_normal((4, 3)).astype("f")
Y = np.random.default_rng(1).standard_normal((4, 2)).astype("f")
SERIES = X.reshape((2, 2, 3))
IMAGE = np.arange(16, dtype="f").reshape((1, 4, 4, 1))

Case = tuple[Callable[[], Any], list[Callable[[], Any]]]
"""A function, and what is done between calls of it: each of these is a change."""


def to(item: Any, name: str, *values: Any) -> list[Callable[[], Any]]:
    """Each of these values for an attribute."""
    return [lambda value=value: setattr(item, name, value) for value in values]


def calling(layer: Any, x: Any, name: str, *values: Any, training: bool = True) -> Case:
    """A call of a layer for which an attribute changes."""
    options = {"training": training} if layer._call_has_training_arg else {}
    return lambda: [layer(x, **options), *layer.weights], to(layer, name, *values)


def network(**options: Any) -> Any:
    return keras.Sequential(
        [keras.Input((3,)), L.Dense(3, name="a", **options), L.Dense(2, name="b", **options)]
    )


def training(model: Any, weights_of: Callable[[], Any], changes: Any) -> Case:
    """Steps by the user's own code, of the weights that this gives."""

    def step() -> Any:
        with rt.GradientTape() as tape:
            loss = rt.reduce_sum(model(X, training=True) ** 2) + sum(model.losses)
        weights = weights_of()
        for weight, slope in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * slope)
        return [loss, *model.weights]

    return step, changes


def frozen_layer() -> Case:
    model = network()
    return training(
        model, lambda: model.trainable_variables, to(model.get_layer("a"), "trainable", False, True)
    )


def frozen_weight() -> Case:
    model = network()
    weight = model.get_layer("b").kernel
    return training(model, lambda: model.trainable_weights, to(weight, "trainable", False, True))


def frozen_layer_of_a_module() -> Case:
    module, layer = rt.Module(), L.Dense(2)
    module.held = [layer]
    layer.build((None, 3))

    def step() -> Any:
        with rt.GradientTape() as tape:
            loss = rt.reduce_sum(layer(X) ** 2)
        weights = module.trainable_variables
        for weight, slope in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * slope)
        return [loss, *layer.weights]

    return step, to(layer, "trainable", False, True)


def frozen_layers_that_code_asks() -> Case:
    model = network()

    def count() -> Any:
        total = rt.constant(0.0)
        for layer in model.layers:
            if layer.trainable:
                total += rt.reduce_sum(layer.kernel**2)
        return total

    return count, to(model.get_layer("a"), "trainable", False, True)


def frozen_layer_that_code_names() -> Case:
    layer = L.Dense(2)
    return lambda: rt.constant(2.0 if layer.trainable else 1.0), to(layer, "trainable", False, True)


def rate_that_code_asks() -> Case:
    model = keras.Sequential([keras.Input((3,)), L.Dropout(0.5, name="drop"), L.Dense(2)])
    drop = model.get_layer("drop")
    return lambda: rt.constant(model.get_layer("drop").rate), to(drop, "rate", 0.25, 0.5)


def regularizer() -> Case:
    model = network(kernel_regularizer=keras.regularizers.L2(0.5))
    penalty = model.get_layer("a").kernel_regularizer
    return training(model, lambda: model.trainable_variables, to(penalty, "l2", 0.0, 2.0))


def regularizer_of_a_weight() -> Case:
    model = network(kernel_regularizer="l2")
    weight, penalties = model.get_layer("a").kernel, (None, keras.regularizers.L1(3.0))
    return training(model, lambda: model.trainable_variables, to(weight, "regularizer", *penalties))


def with_optimizer(optimizer: Any, name: str, *values: Any, **options: Any) -> Case:
    model = network(**options)

    def step() -> Any:
        with rt.GradientTape() as tape:
            loss = rt.reduce_sum(model(X, training=True) ** 2)
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return [loss, *model.weights]

    return step, to(optimizer, name, *values)


def constraint() -> Case:
    held = keras.constraints.MaxNorm(0.5)
    step, _ = with_optimizer(keras.optimizers.SGD(0.1), "", kernel_constraint=held)
    return step, to(held, "max_value", 0.1, 2.0)


def schedule() -> Case:
    decay = keras.optimizers.schedules.ExponentialDecay
    first = decay(0.1, 2, 0.5)
    step, changes = with_optimizer(keras.optimizers.SGD(first), "learning_rate", decay(0.2, 1, 0.5))
    return step, [*to(first, "initial_learning_rate", 0.3), *changes]


def loss() -> Case:
    compared = keras.losses.MeanSquaredError()
    return lambda: compared(Y, Y + X[:, :2]), to(compared, "reduction", "sum", None)


def loss_of_a_model() -> Case:
    model = network()
    model.compile(loss="mse")
    return lambda: model.compute_loss(X, Y, model(X)), [lambda: model.compile(loss="mae")]


def metric() -> Case:
    held = keras.metrics.Precision(thresholds=0.5)

    def precision() -> Any:
        held.reset_state()
        return held(Y > 0.0, X[:, :2] % 1.0)

    return precision, to(held, "thresholds", [0.7], [0.1])


def layer_more_or_less() -> Case:
    model = network()
    return lambda: model(X), [lambda: model.add(L.Dense(2)), model.pop]


class Blocks(L.Layer):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.blocks = [built()]


def built() -> Any:
    layer = L.Dense(3)
    layer.build((None, 3))
    return layer


def list_of_layers() -> Case:
    held, second, third = Blocks(), built(), built()

    def slopes() -> Any:
        with rt.GradientTape() as tape:
            total = sum(rt.reduce_sum(weight**2) for weight in held.trainable_weights)
        return tape.gradient(total, held.trainable_weights)

    return slopes, [lambda: held.blocks.append(second), lambda: held.blocks.append(third)]


def low_rank() -> Case:
    model = network()
    layer = model.get_layer("a")
    changes = [
        lambda: layer.enable_lora(1), lambda: layer.lora_kernel_b.assign(rt.ones([1, 3])),
    ]  # fmt: skip
    return training(model, lambda: model.trainable_variables, changes)


def adapted() -> Case:
    layer = L.Normalization()
    layer.adapt(X)
    return lambda: layer(X), [lambda: layer.adapt(X * 3.0 + 1.0), lambda: layer.adapt(X)]


def adapted_bins() -> Case:
    layer = L.Discretization(num_bins=3)
    layer.adapt(X)
    return lambda: layer(X), [lambda: layer.adapt(X * 3.0 + 1.0)]


def words() -> Case:
    layer, told = L.StringLookup(vocabulary=["a", "b"]), rt.constant(["b", "c"])
    return lambda: layer(told), [lambda: layer.set_vocabulary(["c", "b"])]


def shared_part() -> Case:
    cell = L.LSTMCell(2, dropout=0.0)
    return calling(L.RNN(cell), SERIES, "go_backwards", True, False)


CASES: dict[str, Callable[[], Case]] = {
    "a step whose layer is frozen": frozen_layer,
    "a step of which one weight is frozen": frozen_weight,
    "a step of a module whose layer is frozen": frozen_layer_of_a_module,
    "code that asks layers by a loop": frozen_layers_that_code_asks,
    "code that asks a layer by its name": frozen_layer_that_code_names,
    "code that asks a layer of a model": rate_that_code_asks,
    "a factor of a regularizer": regularizer,
    "another regularizer": regularizer_of_a_weight,
    "a bound of a constraint": constraint,
    "a learning rate": lambda: with_optimizer(
        keras.optimizers.SGD(0.1), "learning_rate", 0.01, 0.2
    ),
    "a schedule": schedule,
    "a clipped gradient": lambda: with_optimizer(keras.optimizers.SGD(0.1), "clipnorm", 0.1, None),
    "momentum": lambda: with_optimizer(
        keras.optimizers.SGD(0.1, momentum=0.5), "momentum", 0.9, 0.1
    ),
    "decay of weights": lambda: with_optimizer(
        keras.optimizers.AdamW(0.1), "weight_decay", 0.5, None
    ),
    "a loss": loss,
    "the loss of a model": loss_of_a_model,
    "a metric": metric,
    "a layer more or less": layer_more_or_less,
    "a list of layers that grows": list_of_layers,
    "low rank": low_rank,
    "a layer in another": shared_part,
    "Normalization": adapted,
    "Discretization": adapted_bins,
    "StringLookup": words,
    "Dropout": lambda: calling(L.Dropout(0.999999), X, "rate", 0.0),
    "GaussianNoise": lambda: calling(L.GaussianNoise(1e-9), X, "stddev", 0.0),
    "BatchNormalization": lambda: calling(L.BatchNormalization(), X, "trainable", False, True),
    "its momentum": lambda: calling(L.BatchNormalization(), X, "momentum", 0.5, 0.0),
    "its epsilon": lambda: calling(L.BatchNormalization(), X, "epsilon", 1.0, 0.1),
    "LayerNormalization": lambda: calling(L.LayerNormalization(), X, "epsilon", 1.0, 0.1),
    "LeakyReLU": lambda: calling(L.LeakyReLU(), X, "negative_slope", 0.5, 0.1),
    "Softmax": lambda: calling(L.Softmax(), X, "axis", 0, -1),
    "Rescaling": lambda: calling(L.Rescaling(2.0), X, "scale", 3.0, 0.5),
    "pooling": lambda: calling(L.MaxPooling2D(), IMAGE, "strides", (1, 1), (2, 1)),
    "Dense": lambda: calling(L.Dense(2, activation="relu"), X, "activation", keras.ops.tanh, None),
    "its bias": lambda: calling(L.Dense(2, bias_initializer="ones"), X, "bias", None),
    "LSTM": lambda: calling(L.LSTM(2), SERIES, "go_backwards", True, False),
}


def results(make: Callable[[], Case], staged: bool) -> Iterator[Any]:
    keras.utils.set_random_seed(0)
    function, changes = make()
    function = rt.function(function) if staged else function
    for number, change in enumerate([lambda: None, *changes]):
        change()
        yield [np.asarray(each) for _ in range(3) for each in rt.nest.flatten(function())]
        if staged:
            assert function.experimental_get_tracing_count() <= number + 1, function.why_retraced()


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_changed_setting_is_seen(make: Callable[[], Case]) -> None:
    eagerly, staged = list(results(make, False)), list(results(make, True))
    for pair in zip(eagerly, staged, strict=True):
        for one, other in zip(*pair, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


class Freezing(keras.callbacks.Callback):  # type: ignore[misc]
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.model.get_layer("a").trainable = epoch == 1


def fitted(change: Callable[[Any], None], again: bool, eager: bool, callbacks: Any = ()) -> Any:
    keras.utils.set_random_seed(0)
    model = network()

    def compiled() -> None:
        model.compile(keras.optimizers.SGD(0.1, momentum=0.5), "mse", run_eagerly=eager)

    compiled()
    told = []
    for changes in (lambda model: None, change, lambda model: setattr(model, "trainable", True)):
        changes(model)
        if again:
            compiled()
        history = model.fit(X, Y, epochs=3, batch_size=2, shuffle=False, callbacks=[*callbacks])
        told += [np.asarray(history.history["loss"]), *model.get_weights()]
    return told


def freeze(model: Any) -> None:
    model.get_layer("a").trainable = False


def freeze_weight(model: Any) -> None:
    model.get_layer("a").kernel.trainable = False


def change_momentum(model: Any) -> None:
    model.optimizer.momentum = 0.9


@pytest.mark.parametrize("again", [False, True], ids=["as it is compiled", "compiled again"])
@pytest.mark.parametrize("change", [freeze, freeze_weight, change_momentum])
def test_fit_sees_what_changed_before(change: Any, again: bool) -> None:
    for one, other in zip(*(fitted(change, again, eager) for eager in (True, False)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_fit_sees_what_a_callback_changes() -> None:
    found = [fitted(freeze, False, eager, [Freezing()]) for eager in (True, False)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_evaluate_sees_another_metric_setting() -> None:
    found = []
    for eager in (True, False):
        precision = keras.metrics.Precision(thresholds=0.5)
        model = keras.Sequential([keras.Input((3,)), L.Rescaling(0.4)])
        model.compile(loss="mse", metrics=[precision], run_eagerly=eager)
        for thresholds in ([0.5], [0.1], [0.3]):
            precision.thresholds = thresholds
            found.append(model.evaluate(X, X > 0.9)[1])
    assert found[:3] == found[3:]
    assert len(set(found)) == 2


def test_what_keras_changes_itself_traces_nothing_again() -> None:
    model = keras.Sequential(
        [keras.Input((3,)), L.Dense(3, name="a"), L.Dropout(0.5), L.BatchNormalization()]
    )
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(X, X, epochs=3)
    function = rt.function(lambda x: model(x, training=True))
    for _ in range(2):
        function(rt.constant(X))
        model(X, training=True), model.losses, model.reset_metrics()
        model.fit(X, X, validation_data=(X, X)), model.evaluate(X, X), model.predict(X)
        keras.Sequential([keras.Input((3,)), model.get_layer("a")])(X)
        model.optimizer.learning_rate = 0.5
        model.set_weights(model.get_weights())
        model.get_layer("a").trainable, model.get_layer("a").note = True, "read by nobody"
    assert function.experimental_get_tracing_count() == 1, function.why_retraced()


def test_a_step_for_frozen_layers_and_one_for_others_are_kept() -> None:
    model = network()
    step = rt.function(training(model, lambda: model.trainable_variables, [])[0])
    for frozen in (True, False) * 3:
        model.get_layer("a").trainable = not frozen
        step()
    assert step.experimental_get_tracing_count() == 2
    told = "model.a.trainable was False, is True, model.a.kernel.trainable was False, is True"
    assert told in step.why_retraced()


def test_what_the_function_changes_itself_is_no_change() -> None:
    layer = L.Dropout(0.5)

    @rt.function
    def function(x: Any) -> Any:
        layer.rate = 0.25
        return layer(x, training=True)

    for _ in range(3):
        function(rt.constant(X))
    assert function.experimental_get_tracing_count() == 1


def test_a_function_that_calls_another_sees_its_settings() -> None:
    layer = L.Rescaling(2.0)
    inner = rt.function(lambda x: layer(x))
    outer = rt.function(lambda x: inner(x) + 1.0)
    for scale in (2.0, 3.0):
        layer.scale = scale
        np.testing.assert_allclose(outer(X), X * scale + 1.0, rtol=1e-6)


def test_a_model_that_traces_used_can_be_collected() -> None:
    model = network(kernel_regularizer="l2")
    function = rt.function(lambda model: model(X))
    function(model)
    gone = [weakref.ref(each) for each in (model, model.layers[0], model.layers[0].kernel)]
    del model
    gc.collect()
    assert [each() for each in gone] == [None] * 3
    function(network())


@pytest.mark.parametrize("eager", [True, False])
def test_an_optimizer_refuses_weights_that_were_frozen_when_it_was_built(eager: bool) -> None:
    model = network()
    freeze(model)
    model.compile("sgd", "mse", run_eagerly=eager)
    model.fit(X, Y)
    model.trainable = True
    with pytest.raises(ValueError, match="Unknown variable"):
        model.fit(X, Y)
    model.compile("sgd", "mse", run_eagerly=eager)
    model.fit(X, Y)
