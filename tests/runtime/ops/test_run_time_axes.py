"""Axes that only the run knows, against NumPy's functions of the same axes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt

X = np.arange(24.0).reshape(2, 3, 4) % 7 + 0.5
ROWS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sum": (rt.reduce_sum, np.sum),
    "sum kept": (lambda x, a: rt.reduce_sum(x, a, True), lambda x, a: np.sum(x, a, keepdims=True)),
    "max": (rt.reduce_max, np.max),
    "prod": (rt.reduce_prod, np.prod),
    "std": (rt.math.reduce_std, np.std),
    "variance": (rt.math.reduce_variance, np.var),
    "logsumexp": (rt.reduce_logsumexp, lambda x, a: np.log(np.sum(np.exp(x), a))),
    "all": (lambda x, a: rt.reduce_all(x > 1, a), lambda x, a: np.all(x > 1, a)),
    "argmax": (rt.argmax, np.argmax),
    "argmin": (rt.argmin, np.argmin),
    "cumsum": (rt.cumsum, np.cumsum),
    "cumprod": (rt.math.cumprod, np.cumprod),
    "reverse": (lambda x, a: rt.reverse(x, [a]), np.flip),
    "concat": (lambda x, a: rt.concat([x, x], a), lambda x, a: np.concatenate([x, x], a)),
    "expand_dims": (rt.expand_dims, np.expand_dims),
    "roll": (lambda x, a: rt.roll(x, 2, a), lambda x, a: np.roll(x, 2, a)),
    "gather": (lambda x, a: rt.gather(x, [[1], [0]], axis=a), lambda x, a: x.take([[1], [0]], a)),
    "gather one": (lambda x, a: rt.gather(x, 1, axis=a), lambda x, a: x.take(1, a)),
}


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("name", ROWS)
def test_an_axis_of_the_run(name: str, axis: int) -> None:
    ours, theirs = ROWS[name]
    staged = rt.function(ours, autograph=False)
    found = staged(rt.constant(X), rt.constant(axis)).numpy()
    np.testing.assert_allclose(found, theirs(X, axis), rtol=1e-12)


@pytest.mark.parametrize("axes", [[0, 2], [2, 1], [-1, 0]])
@pytest.mark.parametrize("name", ["sum", "sum kept", "max", "prod", "variance"])
def test_several_axes_of_the_run(name: str, axes: list[int]) -> None:
    ours, theirs = ROWS[name]
    found = rt.function(ours, autograph=False)(rt.constant(X), rt.constant(axes)).numpy()
    np.testing.assert_allclose(found, theirs(X, tuple(axes)), rtol=1e-12)


def test_split_and_tensordot_at_axes_of_the_run() -> None:
    @rt.function(autograph=False)
    def halves(x: Any, axis: Any) -> Any:
        return rt.split(x, 2, axis=axis)

    for axis in (0, 2):
        for found, wanted in zip(
            halves(rt.constant(X), rt.constant(axis)), np.split(X, 2, axis), strict=True
        ):
            np.testing.assert_array_equal(found.numpy(), wanted)

    @rt.function(autograph=False)
    def dot(x: Any, y: Any, axes: Any) -> Any:
        return rt.tensordot(x, y, axes)

    for axes in ([[2], [0]], [[1, 2], [1, 0]]):
        found = dot(rt.constant(X), rt.constant(X.T), rt.constant(axes)).numpy()
        np.testing.assert_allclose(found, np.tensordot(X, X.T, axes))


def test_gather_with_batches_at_an_axis_of_the_run() -> None:
    places = np.array([[1, 0, 1], [0, 2, 2]])

    @rt.function(autograph=False)
    def taken(x: Any, axis: Any) -> Any:
        return rt.gather(x, places, axis=axis, batch_dims=1)

    for axis in (1, 2):
        wanted = np.stack([x.take(each, axis - 1) for x, each in zip(X, places, strict=True)])
        np.testing.assert_array_equal(taken(rt.constant(X), rt.constant(axis)).numpy(), wanted)
    with pytest.raises(rt.errors.InvalidArgumentError):
        taken(rt.constant(X), rt.constant(0))


@pytest.mark.parametrize("function", [rt.reduce_sum, rt.cumsum, rt.argmax, rt.math.cumprod])
def test_an_axis_of_the_run_that_there_is_not(function: Callable[..., Any]) -> None:
    with pytest.raises(rt.errors.InvalidArgumentError, match="out of range for rank 3"):
        rt.function(function, autograph=False)(rt.constant(X), rt.constant(3))


def test_the_same_axis_twice() -> None:
    with pytest.raises(rt.errors.InvalidArgumentError, match="twice"):
        rt.function(rt.reduce_sum, autograph=False)(rt.constant(X), rt.constant([1, -2]))
    staged = rt.function(lambda x, a: rt.roll(x, [1, 1], a), autograph=False)
    found = staged(rt.constant(X), rt.constant([1, 1])).numpy()
    np.testing.assert_array_equal(found, np.roll(X, 2, 1))
    np.testing.assert_array_equal(rt.roll(X, [1, 1], [1, -2]), np.roll(X, 2, 1))


def test_gradients_through_axes_of_the_run() -> None:
    @rt.function(autograph=False)
    def slopes(x: Any, axis: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = rt.reduce_sum(x * x, axis) ** 2
        return tape.gradient(y, x)

    wanted = 4 * X * np.sum(X * X, 1, keepdims=True)
    np.testing.assert_allclose(slopes(rt.constant(X), rt.constant(1)).numpy(), wanted)


def test_ranks_that_no_one_knows_are_refused() -> None:
    shape = rt.TensorSpec(None, rt.float64), rt.TensorSpec([], rt.int32)
    with pytest.raises(TypeError, match=r"rank of the tensor.*ensure_shape"):
        rt.function(rt.reduce_sum, autograph=False, input_signature=shape)(X, 0)


def test_sizes_stay_known_through_unstack() -> None:
    shapes = []

    @rt.function(autograph=False, input_signature=[rt.TensorSpec([2, None, 4])])
    def f(x: Any) -> Any:
        rows, columns, depth = rt.unstack(rt.shape(x))
        shapes.append(rt.zeros(rt.stack([rows, columns, depth])).shape.as_list())
        shapes.append(rt.zeros([depth, columns]).shape.as_list())
        return rt.zeros([rows * 2])

    f(np.zeros((2, 3, 4), "f"))
    assert shapes == [[2, None, 4], [4, None]]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: rt.repeat(x, 2, axis=1), np.repeat(X, 2, 1)),
        (lambda x: rt.repeat(x, 2, axis=-1), np.repeat(X, 2, -1)),
        (lambda x: rt.slice(x, rt.shape(x) - 1, [1, 1, 1]), X[-1:, -1:, -1:]),
        (lambda x: rt.tensordot(x, rt.ones([4, 2], x.dtype), 1), X @ np.ones((4, 2))),
        (lambda x: rt.tensordot(x, x, [[0, -2], [0, 1]]), np.tensordot(X, X, [[0, 1], [0, 1]])),
        (rt.image.flip_left_right, X[:, ::-1]),
        (rt.image.flip_up_down, X[::-1]),
    ],
)
def test_unknown_ranks(function: Callable[..., Any], wanted: Any) -> None:
    staged = rt.function(
        function, autograph=False, input_signature=[rt.TensorSpec(None, "float64")]
    )
    np.testing.assert_allclose(staged(X).numpy(), wanted)


def test_a_cross_entropy_of_unknown_rank() -> None:
    signature = [rt.TensorSpec(None, rt.int32), rt.TensorSpec(None, rt.float64)]
    loss = rt.nn.sparse_softmax_cross_entropy_with_logits
    staged = rt.function(loss, autograph=False, input_signature=signature)
    labels = np.array([[1, 0, 3], [2, 2, 0]], "i4")
    shares = np.exp(X) / np.exp(X).sum(-1, keepdims=True)
    wanted = -np.log(np.take_along_axis(shares, labels[..., None], -1)[..., 0])
    np.testing.assert_allclose(staged(labels, X).numpy(), wanted)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x, n: rt.strided_slice(x, [0, n], [n, 3], [1, n]), X[0:1, 1:3]),
        (
            lambda x, n: rt.strided_slice(x, [n, 1], [-2, -n], [-n, 1], begin_mask=1),
            X[:-2:-1, 1:-1],
        ),
        (lambda x, n: rt.strided_slice(x, rt.stack([n, 0]), [2, 2], shrink_axis_mask=1), X[1, :2]),
    ],
)
def test_bounds_of_the_run(function: Callable[..., Any], wanted: Any) -> None:
    staged = rt.function(function, autograph=False)
    np.testing.assert_array_equal(staged(rt.constant(X), rt.constant(1)).numpy(), wanted)


def test_a_list_with_a_number_of_the_run_where_none_may_be() -> None:
    staged = rt.function(lambda x, n: rt.squeeze(x, [n]), autograph=False)
    with pytest.raises(TypeError, match="axis must be known while tracing: pass Python numbers"):
        staged(rt.ones([1, 3]), rt.constant(0))
