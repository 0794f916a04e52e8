"""Functions of NumPy and cmath of staged values give what they give for the values of the run."""

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.support import reference

INTS, FLOATS = np.array([4, 1, 3]), np.array([0.5, 2.0, 1.0])
SQUARE, SINGLE = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.5, 2.5], np.float32)
N, X = np.int64(3), np.float64(0.25)

CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    *((function, (value,)) for function in (np.sqrt, np.exp, np.floor) for value in (N, X, SINGLE)),
    *((np.add, pair) for pair in ((N, X), (INTS, FLOATS), (INTS, 2), (SINGLE, 2.0), (SINGLE, X))),
    *((np.sum, (value,)) for value in (INTS, FLOATS, SINGLE, SQUARE, np.array([True, True]))),
    *((np.mean, (value,)) for value in (INTS, SINGLE)),
    (lambda x: np.sum(x, axis=0), (SQUARE,)),
    (lambda x: np.sort(x)[::-1], (INTS,)),
    (lambda x: np.linalg.norm(x, ord=1), (FLOATS,)),
    (lambda x: np.linalg.inv(x) @ x, (SQUARE,)),
    (np.dot, (SQUARE, SQUARE)),
    (np.cross, (INTS, INTS + 1)),
    (np.cumsum, (INTS,)),
    (np.argmax, (FLOATS,)),
    (np.all, (INTS,)),
    (np.power, (INTS, 2)),
    (np.arctan2, (X, N)),
    (lambda x: np.where(x > 1, x, 0), (FLOATS,)),
    (lambda x: np.where(x > 1)[0], (INTS,)),
    (lambda x: np.clip(x, 1, 3), (INTS,)),
    (lambda x: np.concatenate([x, x]), (INTS,)),
    (lambda n: np.zeros((n + 1,)), (N,)),
    (lambda n: np.full((2, n), 7), (N,)),
    (lambda n: np.arange(n), (N,)),
    (lambda n: np.arange(1, n, 0.5), (N,)),
    (lambda n, x: np.linspace(x, 2, n), (N, X)),
    (lambda n: np.eye(n, dtype=int), (N,)),
    (lambda n, x: np.array([n, x, 1]), (N, X)),
    (lambda n: np.array([[n, 2], [0, n]], dtype=np.float32), (N,)),
    (lambda n: np.asarray([n, 2 * n]) - np.array((1, n)), (N,)),
    (lambda x: np.asarray(x) - x, (INTS,)),
    (lambda x: np.float64(x), (N,)),
    (lambda x: np.sqrt(float(x)), (N,)),
    (lambda x: FLOATS * np.sum(x), (FLOATS,)),
    (lambda x: np.allclose(x, x + 1e-12), (FLOATS,)),
    (lambda x: cmath.sqrt(-x), (X,)),
    (lambda n, x: complex(n, x) * complex(x, n), (N, X)),
    (lambda n, x: cmath.rect(n, x) * cmath.exp(x), (N, X)),
]


@pytest.mark.parametrize("at", range(len(CALLS)))
def test_it_is_what_numpy_gives(at: int) -> None:
    function, args = CALLS[at]
    expected = np.asarray(function(*args))
    with reference.compared():
        got = rt.function(lambda *given: function(*given))(*map(rt.constant, args))
    assert got.dtype.np_dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected)


def test_it_is_called_in_branches_and_loops() -> None:
    def euler(y0: Any, step: Any, end: Any) -> Any:
        rounds = int(np.ceil(end / step))
        y = np.zeros((rounds + 1,))
        y[0] = y0
        for k in range(rounds):
            y[k + 1] = y[k] + step * np.sin(y[k]) if y[k] < 1.25 else y[k]
        return y

    args = np.float64(1.0), np.float64(0.25), np.float64(2.0)
    got = rt.function(euler)(*map(rt.constant, args))
    np.testing.assert_allclose(got.numpy(), euler(*args))


def test_a_list_of_the_run_becomes_an_array() -> None:
    def squares(n: Any) -> Any:
        found = []
        for i in range(n):
            found.append(i * i)
        return np.array(found), np.sum(found)

    array, total = rt.function(squares)(rt.constant(4))
    assert array.numpy().tolist() == [0, 1, 4, 9]
    assert (int(total), total.dtype) == (14, rt.int64)


REFUSED: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x: np.add(x, 1, out=np.zeros(3)), autograph.StagingError, "assign its result"),
    (lambda x: np.reshape(x, (3, 1)), TypeError, "use tf.reshape instead of np.reshape"),
    (lambda x: np.unique(x), TypeError, "use tf.unique instead of np.unique"),
    (lambda x: np.meshgrid(x, x), TypeError, "use tf.meshgrid instead of np.meshgrid"),
    (lambda x: np.histogram(x), TypeError, "as a NumPy array"),
    (lambda x: np.array([x, object()]), autograph.StagingError, "it is given a object"),
    (lambda x: np.dot(x, np.ones(2)), ValueError, "not aligned"),
]


@pytest.mark.parametrize("at", range(len(REFUSED)))
def test_what_a_graph_cannot_call_is_refused(at: int) -> None:
    function, kind, words = REFUSED[at]
    with pytest.raises(kind, match=words) as caught:
        rt.function(function)(rt.constant(FLOATS))
    assert __file__ in str(caught.value)


def test_a_type_that_depends_on_the_values_is_an_error_of_the_run() -> None:
    power = rt.function(lambda x, n: np.linspace(0.0, x, n))
    spec = rt.TensorSpec([], rt.float64)
    graph = power.get_concrete_function(spec, rt.TensorSpec([], rt.int64))
    assert graph.output_shapes.as_list() == [None]
    singular = rt.function(lambda m: np.linalg.inv(m))
    with pytest.raises(ValueError, match="Singular matrix"):
        singular(rt.constant([[1.0, 1.0], [1.0, 1.0]]))


def test_a_tuple_of_results_is_one() -> None:
    def parts(x: Any, m: Any) -> Any:
        q, r = np.linalg.qr(m)
        return np.divmod(x, 2), math.modf(x), np.linalg.slogdet(m).sign, q @ r

    quotients, (rest, whole), sign, product = rt.function(parts)(
        rt.constant(7.25, rt.float64), rt.constant(SQUARE)
    )
    assert [float(each) for each in quotients] == [3.0, 1.25]
    assert (float(rest), float(whole), float(sign)) == (0.25, 7.0, 1.0)
    np.testing.assert_allclose(product.numpy(), SQUARE)


def test_a_number_of_pythons_is_one_in_the_graph() -> None:
    def total(x: Any) -> Any:
        return math.fsum([x, 0.1, 1e16, -1e16]) / 2

    got = rt.function(total)(rt.constant(0.5, rt.float64))
    assert float(got) == pytest.approx(total(0.5), rel=1e-7)
    with pytest.raises(ValueError, match="math domain error"):
        rt.function(lambda x: cmath.log(x))(rt.constant(0.0))


def test_a_saved_graph_calls_it(tmp_path: Any) -> None:
    module: Any = rt.Module()
    module.size = rt.function(lambda x: np.linalg.norm(x, ord=1) + np.array([1, 2])[0])
    x = rt.constant(FLOATS)
    expected = module.size(x)
    rt.saved_model.save(module, str(tmp_path))
    assert rt.saved_model.load(str(tmp_path)).size(x).numpy() == expected.numpy()


def test_a_tape_in_the_function_is_told() -> None:
    @rt.function
    def slope(x: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = np.sin(x) * x
        return tape.gradient(y, x)

    with pytest.raises(autograph.StagingError, match="the gradient depends on what `library`"):
        slope(rt.constant(1.0))
