"""Every row of the op table: its gradient is what finite differences give, and so is that of the gradient."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime.primitive import TABLE, Primitive, Sample, bind
from runtime.tensor import EagerTensor
from tests.runtime.samples import arrays, is_open

FLOAT64 = np.dtype(np.float64)
COMPLEX128 = np.dtype(np.complex128)
STEP = 1e-5
# Rows that make floats of floats and through which no gradient flows, and why.
FLAT = {
    "stop_gradient": "that is what it is for",
    "next_after": "its result is its input, but for rounding",
    "string_to_number": "text has no slope",
    "constant": "has no inputs",
    "eig": "the vectors' phases are arbitrary: asking for its gradient is an error",
    "unsorted_segment_prod": "not written",
}


def cases() -> list[tuple[str, Primitive, Sample, Any]]:
    found = []
    for row in TABLE.values():
        if row.gradient is None or row.effect and row.name != "check_numerics":
            continue
        for number, sample in enumerate(row.samples):
            found.append((f"{row.name}-{number}", row, sample, FLOAT64))
            if COMPLEX128 in row.accepted and is_open(row, sample):
                found.append((f"{row.name}-{number}-complex", row, sample, COMPLEX128))
    return found


CASES = cases()


def differentiable(array: Any) -> bool:
    return array.dtype.kind in "fc"


def like(array: Any, rng: np.random.Generator) -> Any:
    """Random numbers with the dtype and shape of an array."""
    made = rng.uniform(-1, 1, array.shape)
    if array.dtype.kind == "c":
        made = made + 1j * rng.uniform(-1, 1, array.shape)
    return made.astype(array.dtype)


def inputs_of(row: Primitive, sample: Sample, dtype: Any) -> list[Any]:
    made = arrays(row, sample, dtype)
    if dtype is COMPLEX128:
        rng = np.random.default_rng(3)
        made = [x + 0.3j * rng.uniform(-1, 1, x.shape) if x.dtype == dtype else x for x in made]
    return [np.asarray(x) for x in made]


class Case:
    """A row applied to a sample as a function of its differentiable inputs, weighed to one real number."""

    def __init__(self, row: Primitive, sample: Sample, dtype: Any) -> None:
        self.row, self.params = row, sample[1]
        self.inputs = inputs_of(row, sample, dtype)
        self.places = [i for i, x in enumerate(self.inputs) if differentiable(x)]
        rng = np.random.default_rng(11)
        outputs = self.outputs(self.tensors())
        self.weights = [like(y.numpy(), rng) if differentiable(y.numpy()) else None for y in outputs]
        self.second = [like(self.inputs[i], rng) for i in self.places]

    def tensors(self) -> list[EagerTensor]:
        return [EagerTensor(x) for x in self.inputs]

    def outputs(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        made = bind(self.row, *tensors, **self.params)
        return made if type(made) is tuple else (made,)

    def chosen(self, outputs: Sequence[Any]) -> list[Any]:
        return [y for y, w in zip(outputs, self.weights, strict=True) if w is not None]

    def gradients(self, tensors: Sequence[Any]) -> list[Any]:
        """Of the weighed sum of the outputs, for the differentiable inputs."""
        sources = [tensors[i] for i in self.places]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = self.chosen(self.outputs(tensors))
        weights = [w for w in self.weights if w is not None]
        return tape.gradient(outputs, sources, weights) if outputs else [None] * len(sources)

    def value(self) -> float:
        outputs = self.chosen(self.outputs(self.tensors()))
        weights = [w for w in self.weights if w is not None]
        return sum(inner(w, y.numpy()) for w, y in zip(weights, outputs, strict=True))

    def slope(self) -> float:
        """The gradients, weighed to one number: what the second order differentiates."""
        found = self.gradients(self.tensors())
        return sum(
            inner(w, g.numpy()) for w, g in zip(self.second, found, strict=True) if g is not None
        )


def inner(weights: Any, values: Any) -> float:
    return float(np.sum(np.conj(weights) * values).real)


def numeric(case: Case, function: Callable[[], float]) -> list[Any]:
    """Central differences of `function` in every differentiable input, real and imaginary."""
    found = []
    for place in case.places:
        x = case.inputs[place]
        slopes = np.zeros_like(x)
        for index in np.ndindex(*x.shape):
            for direction in (1, 1j) if x.dtype.kind == "c" else (1,):
                slopes[index] += direction * difference(case, place, index, direction, function)
        found.append(slopes)
    return found


def difference(
    case: Case, place: int, index: Any, direction: Any, function: Callable[[], float]
) -> float:
    original = case.inputs[place]
    values = []
    for sign in (1, -1):
        moved = original.copy()
        moved[index] += sign * STEP * direction
        case.inputs[place] = moved
        values.append(function())
    case.inputs[place] = original
    return (values[0] - values[1]) / (2 * STEP)


def check(found: Sequence[Any], expected: Sequence[Any]) -> None:
    for gradient, slopes in zip(found, expected, strict=True):
        values = np.zeros_like(slopes) if gradient is None else gradient.numpy()
        assert values.shape == slopes.shape
        assert values.dtype == slopes.dtype
        np.testing.assert_allclose(values, slopes, rtol=2e-5, atol=2e-7)


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), CASES, ids=[c[0] for c in CASES])
def test_first_order(name: str, row: Primitive, sample: Sample, dtype: Any) -> None:
    case = Case(row, sample, dtype)
    check(case.gradients(case.tensors()), numeric(case, case.value))


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), CASES, ids=[c[0] for c in CASES])
def test_second_order(name: str, row: Primitive, sample: Sample, dtype: Any) -> None:
    case = Case(row, sample, dtype)
    tensors = case.tensors()
    sources = [tensors[i] for i in case.places]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        first = case.gradients(tensors)
    pairs = [(g, w) for g, w in zip(first, case.second, strict=True) if g is not None]
    found = (
        tape.gradient([g for g, _ in pairs], sources, [w for _, w in pairs])
        if pairs
        else [None] * len(sources)
    )
    check(found, numeric(case, case.slope))


def makes_floats_of_floats(row: Primitive) -> bool:
    for sample in row.samples:
        inputs = inputs_of(row, sample, FLOAT64)
        if not any(map(differentiable, inputs)):
            continue
        made = bind(row, *map(EagerTensor, inputs), **sample[1])
        outputs = made if type(made) is tuple else (made,)
        if any(y.dtype.is_floating or y.dtype.is_complex for y in outputs):
            return True
    return False


def test_rows_without_gradient_are_known() -> None:
    rows = [row for row in TABLE.values() if row.gradient is None and not row.effect]
    missing = {row.name for row in rows if makes_floats_of_floats(row)}
    assert missing <= set(FLAT)
