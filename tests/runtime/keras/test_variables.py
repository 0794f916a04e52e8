"""Keras' variables where tensors and variables of `runtime` are expected, and the reverse."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt

if find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)

import runtime.keras as keras


def test_is_a_tensor_to_ask_and_to_compute_with() -> None:
    v = keras.Variable([1.0, 2.0])
    assert rt.is_tensor(v)
    assert keras.ops.is_tensor(v)
    assert rt.convert_to_tensor(v).numpy().tolist() == [1.0, 2.0]
    assert rt.add(v, 1.0).numpy().tolist() == [2.0, 3.0]
    assert (rt.constant([1.0, 1.0]) * v).numpy().tolist() == [1.0, 2.0]
    assert (v * rt.constant([2.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    assert np.asarray(v).tolist() == [1.0, 2.0]
    assert rt.Variable(v).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("staged", [False, True])
def test_tapes_watch_it_and_take_it_as_a_source(staged: bool) -> None:
    v, frozen = keras.Variable(3.0), keras.Variable(5.0, trainable=False)

    def gradients() -> Any:
        with rt.GradientTape() as tape:
            y = v * v * frozen
        return tape.gradient(y, {"v": v})

    run = rt.function(gradients) if staged else gradients
    assert float(run()["v"]) == 30.0
    with rt.GradientTape() as tape:
        tape.watch(frozen)
        y = v * frozen
    assert float(tape.gradient(y, frozen)) == 3.0
    with rt.GradientTape() as tape:
        y = frozen * 2.0
    assert tape.gradient(y, frozen) is None
    with rt.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * v
    assert tape.watched_variables()[0] is v.value
    assert float(tape.gradient(y, v)) == 6.0


def test_a_branch_joins_it_with_a_tensor() -> None:
    v = keras.Variable(2.0)

    @rt.function
    def chosen(x: Any) -> Any:
        found = v if x > 0.0 else x
        return found * 10.0

    assert float(chosen(rt.constant(1.0))) == 20.0
    assert float(chosen(rt.constant(-1.0))) == -10.0
    v.assign(3.0)
    assert float(chosen(rt.constant(1.0))) == 30.0
    assert float(rt.cond(rt.constant(True), lambda: v, lambda: 1.0)) == 3.0
    assert float(keras.ops.cond(True, lambda: v, lambda: rt.constant(1.0))) == 3.0


def test_a_loop_carries_what_it_is() -> None:
    v = keras.Variable(2.0)

    @rt.function
    def powers(n: Any) -> Any:
        x = v
        while n > 0:
            x = x * v
            n = n - 1
        return x

    assert float(powers(rt.constant(3))) == 16.0


def test_a_join_that_an_assignment_would_change_is_refused() -> None:
    v = keras.Variable(2.0)

    @rt.function
    def late(x: Any) -> Any:
        found = v if x > 0.0 else x
        v.assign(9.0)
        return found + 1.0

    with pytest.raises(ValueError, match="assigned"):
        late(rt.constant(1.0))


def test_variables_of_runtime_are_weights_of_a_layer() -> None:
    class Scale(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.scale = rt.Variable(2.0)
            self.shifts = [rt.Variable(0.0), rt.Variable(1.0)]
            self.count = rt.Variable(0, trainable=False)

        def call(self, x: Any) -> Any:
            return x * self.scale + self.shifts[0] + self.shifts[1]

    model = keras.Sequential([keras.Input((1,)), Scale()])
    layer = model.layers[0]
    assert [w.name for w in layer.trainable_variables] == ["scale", "shifts", "shifts"]
    assert len(layer.non_trainable_variables) == 1
    assert layer.trainable_variables[0].value is layer.scale
    layer.scale = layer.scale
    assert len(layer.weights) == 4
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(np.ones((4, 1), "f"), np.zeros((4, 1), "f"), batch_size=4)
    assert float(layer.scale) == pytest.approx(2 - 0.1 * 2 * 3)  # d/ds (s + 1)^2 at 2
    assert float(layer.shifts[1]) == pytest.approx(1 - 0.1 * 2 * 3)


class Core(rt.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gain = rt.Variable(1.0, name="gain")
        self.layers = [keras.layers.Dense(2), keras.layers.Dense(1)]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x * self.gain


def test_a_module_finds_the_variables_of_its_layers() -> None:
    core, optimizer = Core(), keras.optimizers.SGD(0.01)
    assert len(core.variables) == 1
    core(np.ones((4, 3), "f"))
    assert len(core.variables) == len(core.trainable_variables) == 5

    @rt.function
    def step(x: Any) -> Any:
        with rt.GradientTape() as tape:
            loss = rt.reduce_mean((core(x) - 3.0) ** 2)
        variables = core.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    losses = [float(step(np.ones((4, 3), "f"))) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert not np.allclose(core.layers[0].bias.numpy(), 0)
    core.layers[0].trainable = False
    assert (len(core.trainable_variables), len(core.non_trainable_variables)) == (3, 2)


def test_variables_and_layers_of_a_module_are_weights_of_a_layer(tmp_path: Path) -> None:
    class Outer(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.core, self.more = Core(), [rt.Module()]
            self.more[0].shift = rt.Variable(0.0, name="shift")

        def call(self, x: Any) -> Any:
            return self.core(x) + self.more[0].shift

    model = keras.Sequential([Outer()])
    model.compile("sgd", "mse")
    x = np.ones((4, 3), "f")
    model.fit(x, x[:, :1] * 3, verbose=0)
    outer = model.layers[0]
    assert len(model.trainable_weights) == 6
    assert float(outer.core.gain) != 1.0
    assert float(outer.more[0].shift) != 0.0
    kept = [weight.numpy() for weight in model.weights]
    model.save_weights(tmp_path / "all.weights.h5")
    for weight in model.weights:
        weight.assign(weight * 0)
    model.load_weights(tmp_path / "all.weights.h5")
    assert all(map(np.array_equal, kept, [weight.numpy() for weight in model.weights]))


def test_bidirectional_conversion_keeps_dtypes() -> None:
    assert keras.ops.convert_to_tensor([1, 2]).dtype == rt.int32
    assert keras.ops.add(np.int32(1), 2.5).dtype == rt.float32
    assert keras.ops.convert_to_tensor(np.array([True]), "float32").numpy().tolist() == [1.0]
    assert keras.ops.convert_to_tensor([2**40], "int64").numpy().tolist() == [2**40]
    assert keras.backend.result_type("int32", int) == "int32"
    assert keras.backend.result_type("float64", float) == "float64"


def test_a_variable_that_build_makes_is_made_once_in_fit() -> None:
    class Counting(keras.layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.kernel = self.add_weight(shape=(shape[-1], 1), initializer="ones", name="kernel")
            self.scale = rt.Variable(2.0)
            self.seen = [rt.Variable(rt.zeros([3]), trainable=False)]

        def call(self, x: Any) -> Any:
            self.seen[0].assign_add(rt.reduce_sum(x, axis=0))
            return rt.matmul(x, self.kernel) * self.scale

    class Model(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.counting = Counting()

        def call(self, x: Any) -> Any:
            return self.counting(x)

    model = Model()
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 3), "f"), np.zeros((4, 1), "f"), verbose=0)
    layer = model.counting
    assert [each.name for each in model.weights] == ["kernel", "scale", "seen"]
    assert layer.seen[0].numpy().tolist() == [4.0, 4.0, 4.0]
    # By the kernel 2 * 6 * 2, by the scale 2 * 6 * 3, times the rate of 0.01.
    np.testing.assert_allclose(layer.kernel.numpy(), [[0.76]] * 3, rtol=1e-6)
    np.testing.assert_allclose(layer.scale.numpy(), 1.64, rtol=1e-6)
