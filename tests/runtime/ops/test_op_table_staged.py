"""Every row of the op table in a graph: results, types and gradients are those of eager code."""

from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.core.primitive import Primitive, bind
from runtime.core.tensor import EagerTensor
from tests.runtime.ops.samples import arrays, cases

CASES = [
    case
    for case in cases(("float64", "int32"))
    if case[1].name != "constant" and not case[1].effect
]
DIFFERENTIABLE = [case for case in CASES if case[1].gradient is not None and case[3].kind == "f"]
# Gradients of these are not there for every shape or output.
NO_GRADIENT = {"svd"}
NEEDS_SIZES = {"qr"}


def ids(table: list[Any]) -> list[str]:
    return [case[0] for case in table]


def tensors(row: Primitive, sample: Any, dtype: Any) -> list[EagerTensor]:
    return [EagerTensor(np.asarray(array)) for array in arrays(row, sample, dtype)]


def specs(inputs: list[EagerTensor], known: str) -> list[tf.TensorSpec]:
    shapes = {
        "shapes": [x.static_shape for x in inputs],
        "ranks": [(None,) * x.ndim for x in inputs],
        "nothing": [None for _ in inputs],
    }[known]
    return [tf.TensorSpec(shape, x.dtype) for shape, x in zip(shapes, inputs, strict=True)]


def outputs(made: Any) -> list[Any]:
    return list(made) if isinstance(made, tuple | list) else [made]


@pytest.mark.parametrize("known", ["shapes", "ranks", "nothing"])
@pytest.mark.parametrize(("name", "row", "sample", "dtype"), CASES, ids=ids(CASES))
def test_rows_in_a_graph(name: str, row: Any, sample: Any, dtype: Any, known: str) -> None:
    inputs = tensors(row, sample, dtype)

    def compute(*xs: Any) -> Any:
        return bind(row, *xs, **sample[1])

    staged = tf.function(compute, input_signature=specs(inputs, known))
    for eager, graph in zip(outputs(compute(*inputs)), outputs(staged(*inputs)), strict=True):
        assert eager.type == graph.type
        np.testing.assert_array_equal(eager.numpy(), graph.numpy())


def gradients(row: Primitive, params: dict[str, Any], xs: Any) -> Any:
    watched = [x for x in xs if x.dtype.is_floating]
    with tf.GradientTape() as tape:
        for x in watched:
            tape.watch(x)
        made = outputs(bind(row, *xs, **params))
        terms = [tf.reduce_sum(tf.sin(y)) for y in made if y.dtype.is_floating]
        total = sum(terms[1:], terms[0])
    made = [g for g in tape.gradient(total, watched) if g is not None]
    return tuple(tf.convert_to_tensor(g) for g in made)


def has_gradient(row: Primitive, sample: Any, dtype: Any) -> bool:
    inputs = tensors(row, sample, dtype)
    made = outputs(bind(row, *inputs, **sample[1]))
    return all(any(x.dtype.is_floating for x in side) for side in (inputs, made))


GRADIENT_CASES = [
    (*case, known)
    for case in DIFFERENTIABLE
    for known in ("shapes", "ranks")
    if case[1].name not in (NO_GRADIENT | NEEDS_SIZES if known == "ranks" else NO_GRADIENT)
    if has_gradient(*case[1:])
]


@pytest.mark.parametrize(
    ("name", "row", "sample", "dtype", "known"),
    GRADIENT_CASES,
    ids=[f"{case[0]}-{case[-1]}" for case in GRADIENT_CASES],
)
def test_gradients_in_a_graph(name: str, row: Any, sample: Any, dtype: Any, known: str) -> None:
    inputs = tensors(row, sample, dtype)

    def compute(*xs: Any) -> Any:
        return gradients(row, sample[1], xs)

    staged = tf.function(compute, input_signature=specs(inputs, known))
    for eager, graph in zip(compute(*inputs), staged(*inputs), strict=True):
        assert eager.type == graph.type
        np.testing.assert_allclose(eager.numpy(), graph.numpy(), rtol=1e-12, atol=1e-12)
