"""The work that statements are counted as."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.graph.executors import estimates, work
from runtime.graph.executors.lowering import ALL, Lowering


class Counted:
    """A number that counts the products that it is in."""

    products = 0

    def __mul__(self, other: object) -> Counted:
        Counted.products += 1
        return self

    def __add__(self, other: object) -> Counted:
        return self


def numbers(*shape: int) -> Any:
    return np.full(shape, Counted(), dtype=object)


def products_of(a: Any, b: Any) -> int:
    Counted.products = 0
    np.matmul(a, b)
    return Counted.products


def windows(image: tuple[int, ...], size: tuple[int, ...], channels: tuple[int, ...]) -> int:
    """The products of a convolution without padding, one by one."""
    places = [range(n - k + 1) for n, k in zip(image, size, strict=True)]
    taps = [range(k) for k in size]
    return sum(1 for _ in itertools.product(*places, *taps, *map(range, channels)))


def spec(*shape: int | None) -> rt.TensorSpec:
    return rt.TensorSpec(list(shape), rt.float32)


def convolution(x: Any, w: Any) -> Any:
    return rt.nn.conv2d(x, w, 1, "VALID")


def depthwise(x: Any, w: Any) -> Any:
    return rt.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID")


ROWS: list[tuple[Any, tuple[Any, ...], int]] = [
    (rt.matmul, (spec(7, 5), spec(5, 3)), products_of(numbers(7, 5), numbers(5, 3))),
    (rt.matmul, (spec(2, 7, 5), spec(5, 3)), products_of(numbers(2, 7, 5), numbers(5, 3))),
    (
        lambda a, b: rt.matmul(a, b, transpose_a=True),
        (spec(5, 7), spec(5, 3)),
        products_of(numbers(7, 5), numbers(5, 3)),
    ),
    (rt.matmul, (spec(None, 5), spec(5, 3)), products_of(numbers(work.UNKNOWN, 5), numbers(5, 3))),
    (convolution, (spec(1, 6, 5, 2), spec(3, 2, 2, 4)), windows((6, 5), (3, 2), (2, 4))),
    (depthwise, (spec(1, 6, 5, 2), spec(3, 2, 2, 4)), windows((6, 5), (3, 2), (2, 4))),
]


@pytest.fixture
def flops(monkeypatch: pytest.MonkeyPatch) -> Callable[..., float]:
    """The work of a function, if nothing but the operations of products is work."""
    for name in ("STATEMENT", "KERNEL", "ELEMENT"):
        monkeypatch.setattr(estimates, name, 0.0)
    monkeypatch.setattr(estimates, "FLOP", 1.0)

    def of(function: Any, given: Any) -> float:
        graph = rt.function(function, autograph=False).get_concrete_function(*given).optimized
        return estimates.work_of(Lowering(graph, contiguous=True).function(ALL).body)

    return of


@pytest.mark.parametrize(("function", "given", "products"), ROWS)
def test_products_are_counted(flops: Any, function: Any, given: Any, products: int) -> None:
    assert flops(lambda *args: function(*args), given) == 2 * products


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(("function", "given", "products"), ROWS[-2:])
def test_gradients_of_convolutions_take_as_many(
    flops: Any, function: Any, given: Any, products: int, at: int
) -> None:
    def gradient(*args: Any) -> Any:
        with rt.GradientTape() as tape:
            tape.watch(args)
            y = function(*args)
        return tape.gradient(y, args[at])

    assert flops(gradient, given) == 2 * products


class Seen(np.ndarray[Any, Any]):
    """An array that counts the elements that NumPy's functions go over: those of whole arrays."""

    elements = 0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **given: Any) -> Any:
        given["out"] = tuple(map(plain, given.get("out") or ())) or None
        made = getattr(ufunc, method)(*map(plain, inputs), **given)
        sizes = [np.size(each) for each in (*inputs, made)]
        Seen.elements += sum(size for size in sizes if size == SIZE)
        return made.view(Seen)


def plain(array: Any) -> Any:
    return array.view(np.ndarray) if isinstance(array, Seen) else array


SIZE = 12 * 5


@pytest.mark.parametrize("op", [rt.nn.softmax, rt.nn.log_softmax])
def test_a_kernel_goes_over_its_elements_as_often_as_its_row_says(op: Any) -> None:
    graph = rt.function(op, autograph=False).get_concrete_function(spec(12, 5)).optimized
    (node,) = graph.nodes
    kernel = node.primitive.kernel
    x = np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32)
    Seen.elements = 0
    found = kernel(x.view(Seen), **node.params, out=None, work=None)
    assert node.primitive.passes == Seen.elements / (2 * SIZE)
    np.testing.assert_allclose(plain(found), op(x).numpy(), 1e-6)
