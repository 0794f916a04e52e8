"""pandas, PyTorch, JAX and SciPy take tensors, and tensors take their arrays."""

import operator
from typing import Any

import numpy as np
import pytest

import runtime as rt

pytestmark = pytest.mark.peers
jnp = pytest.importorskip("jax.numpy")
pandas = pytest.importorskip("pandas")
torch = pytest.importorskip("torch")
pytest.importorskip("scipy")
from scipy import optimize, special, stats  # noqa: E402

NUMBERS = [1.0, 2.0, 3.0]
ARRAYS = {
    "Series": pandas.Series(NUMBERS),
    "DataFrame": pandas.DataFrame({"a": [1.0, 1.0, 1.0], "b": NUMBERS, "c": [2.0, 4.0, 8.0]}),
    "torch": torch.tensor(NUMBERS),
    "JAX": jnp.array(NUMBERS),
}
OPERATORS = "add sub mul truediv floordiv mod pow lt le gt ge eq ne"
SHARED = {"torch": torch.tensor(NUMBERS), "Series": pandas.Series(NUMBERS)}


@pytest.mark.parametrize("name", OPERATORS.split())
@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("make", [rt.constant, rt.Variable])
def test_operators_on_either_side_are_the_tensors(name: str, kind: str, make: Any) -> None:
    compute, array = getattr(operator, name), ARRAYS[kind]
    plain, tensor = np.asarray(array, np.float32), make([3.0, 2.0, 1.0])
    for made, expected in (
        (compute(tensor, array), compute(tensor.numpy(), plain)),
        (compute(array, tensor), compute(plain, tensor.numpy())),
    ):
        assert isinstance(made, rt.Tensor)
        np.testing.assert_allclose(made.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("kind", SHARED)
def test_a_change_in_place_is_seen_by_a_function_that_reads_it(kind: str) -> None:
    array = SHARED[kind]
    function = rt.function(lambda x: x + array)
    assert function(rt.zeros(3)).numpy().tolist() == NUMBERS
    array[0] = 10.0
    assert function(rt.zeros(3)).numpy().tolist() == [10.0, 2.0, 3.0]


def test_a_function_has_one_trace_for_all_arrays_of_one_type() -> None:
    function = rt.function(lambda x: rt.reduce_sum(x) * 2.0)
    for values in (NUMBERS, [4.0, 5.0, 6.0]):
        for made in (torch.tensor(values), jnp.array(values), rt.constant(values)):
            assert float(function(made)) == 2 * sum(values)
    assert function.experimental_get_tracing_count() == 1


def test_pandas_objects_stay_what_they_are_in_functions() -> None:
    function = rt.function(lambda frame: rt.reduce_sum(frame["b"]))
    assert float(function(ARRAYS["DataFrame"])) == 6.0


def test_exchange() -> None:
    x, v = rt.constant(NUMBERS), rt.Variable(NUMBERS)
    for given in (x, v):
        for made in (torch.from_dlpack(given), torch.as_tensor(given), jnp.asarray(given)):
            assert np.asarray(made).tolist() == NUMBERS
    dlpack = rt.experimental.dlpack
    assert torch.from_dlpack(dlpack.to_dlpack(x)).tolist() == NUMBERS
    capsule = torch.utils.dlpack.to_dlpack(torch.tensor(NUMBERS))
    assert dlpack.from_dlpack(capsule).numpy().tolist() == NUMBERS
    assert pandas.Series(x).tolist() == NUMBERS
    assert pandas.DataFrame({"a": x})["a"].tolist() == NUMBERS


def test_scipy() -> None:
    @rt.function
    def loss_and_gradient(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            loss = rt.reduce_sum((x - 2.0) ** 2)
        return loss, tape.gradient(loss, x)

    found = optimize.minimize(loss_and_gradient, np.zeros(3), jac=True)
    np.testing.assert_allclose(found.x, [2.0, 2.0, 2.0])
    root = optimize.brentq(lambda x: rt.constant(x, rt.float64) ** 2 - 2.0, 0.0, 2.0)
    np.testing.assert_allclose(root, 2**0.5)
    tensor = rt.constant(NUMBERS)
    np.testing.assert_allclose(special.erf(tensor), special.erf(np.float32(NUMBERS)))
    np.testing.assert_allclose(stats.norm.pdf(rt.Variable(NUMBERS)), stats.norm.pdf(NUMBERS))
