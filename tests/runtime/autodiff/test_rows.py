"""Every row of the op table: its gradient is that of finite differences, as is the gradient's."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import runtime as tf
import runtime.debugging
from runtime import ops
from runtime.core.primitive import TABLE, Primitive, Sample, bind
from runtime.core.state import state
from runtime.core.tensor import EagerTensor
from tests.runtime.ops.samples import arrays, is_open

ops.load_all()

FLOAT64 = np.dtype(np.float64)
COMPLEX128 = np.dtype(np.complex128)
STEP = 1e-5
# Rows that make floats of floats and say that no gradient flows through them.
FLAT = {"stop_gradient"}
# Inputs whose gradient is not known: the order of a function, hardly ever differentiated by.
# Of the incomplete functions, parameters: tests/runtime/ops/test_incomplete.py has that of gamma.
ORDERS = {"polygamma": (0,), "zeta": (0,), "igamma": (0,), "igammac": (0,), "betainc": (0, 1)}
# What a rule refuses with NotImplementedError.
REFUSED = {"svd-1", *(f"svd-{i}-complex" for i in range(4)), "qr-0-complex", "qr-1-complex"}


def cases() -> list[tuple[str, Primitive, Sample, Any]]:
    found = []
    for row in TABLE.values():
        if row.gradient is None or row.name in FLAT:
            continue
        for number, sample in enumerate(row.samples):
            if not sample[0]:
                continue
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
    """A row applied to a sample: a function of its differentiable inputs, weighed to one number."""

    def __init__(self, row: Primitive, sample: Sample, dtype: Any) -> None:
        self.row, self.params = row, sample[1]
        self.inputs = inputs_of(row, sample, dtype)
        self.symmetric = sample[0][0].endswith(":pd") if isinstance(sample[0][0], str) else False
        unknown = ORDERS.get(row.name, ())
        self.places = [
            i for i, x in enumerate(self.inputs) if differentiable(x) and i not in unknown
        ]
        rng = np.random.default_rng(11)
        outputs = self.outputs(self.tensors())
        self.weights = [
            like(y.numpy(), rng) if differentiable(y.numpy()) else None for y in outputs
        ]
        self.second = [like(self.inputs[i], rng) for i in self.places]

    def tensors(self) -> list[EagerTensor]:
        return [EagerTensor(x) for x in self.inputs]

    def outputs(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        first, *rest = tensors
        if self.symmetric:
            first = (first + tf.linalg.adjoint(first)) / 2.0
        made = bind(self.row, first, *rest, **self.params)
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
        found = tape.gradient(outputs, sources, weights) if outputs else [None] * len(sources)
        return [None if g is None else tf.convert_to_tensor(g) for g in found]

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


ACCEPTED = [case for case in CASES if case[0] not in REFUSED]


@pytest.mark.parametrize(
    ("name", "row", "sample", "dtype"), ACCEPTED, ids=[case[0] for case in ACCEPTED]
)
def test_gradient(name: str, row: Primitive, sample: Sample, dtype: Any) -> None:
    case = Case(row, sample, dtype)
    check(case.gradients(case.tensors()), numeric(case, case.value))


@pytest.mark.parametrize(
    ("name", "row", "sample", "dtype"), ACCEPTED, ids=[case[0] for case in ACCEPTED]
)
def test_gradient_of_the_gradient(name: str, row: Primitive, sample: Sample, dtype: Any) -> None:
    case = Case(row, sample, dtype)
    tensors = case.tensors()
    sources = [tensors[i] for i in case.places]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        first = case.gradients(tensors)
    pairs = [(g, w) for g, w in zip(first, case.second, strict=True) if g is not None]
    grads, weights = [g for g, _ in pairs], [w for _, w in pairs]
    found = tape.gradient(grads, sources, weights) if pairs else [None] * len(sources)
    check(found, numeric(case, case.slope))


NARROW = [case for case in ACCEPTED if case[3] is FLOAT64 and is_open(case[1], case[2])]
NARROW = [case for case in NARROW if np.dtype(np.float32) in case[1].accepted]


@pytest.mark.parametrize(
    ("name", "row", "sample", "dtype"), NARROW, ids=[case[0] for case in NARROW]
)
def test_float32_stays_float32(name: str, row: Primitive, sample: Sample, dtype: Any) -> None:
    wide, narrow = Case(row, sample, dtype), Case(row, sample, np.dtype(np.float32))
    pairs = zip(wide.gradients(wide.tensors()), narrow.gradients(narrow.tensors()), strict=True)
    for place, (expected, found) in zip(narrow.places, pairs, strict=True):
        if found is None:
            continue
        assert found.dtype.np_dtype == narrow.inputs[place].dtype
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "row", "sample", "dtype"), [case for case in CASES if case[0] in REFUSED]
)
def test_refused_gradient(name: str, row: Primitive, sample: Sample, dtype: Any) -> None:
    case = Case(row, sample, dtype)
    with pytest.raises(NotImplementedError, match="gradient"):
        case.gradients(case.tensors())


SHORT = [case for case in ACCEPTED if case[1].partials is not None]


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), SHORT, ids=[case[0] for case in SHORT])
def test_the_shortcut_of_elementwise_ops(
    name: str, row: Primitive, sample: Sample, dtype: Any
) -> None:
    """Operators and elementwise functions are recorded in a shorter way, with the same result."""
    case = Case(row, sample, dtype)
    expected = case.gradients(case.tensors())
    tensors = case.tensors()
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        raw = state.quiet(lambda: row.kernel(*[x.raw for x in tensors]))
        record = state.tape.single if len(tensors) == 1 else state.tape.pair
        y = record(row, *tensors, raw)
    found = tape.gradient(y, [tensors[i] for i in case.places], case.weights)
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None)
        assert a is None or (a.numpy() == b.numpy()).all()


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


WITHOUT = [row for row in TABLE.values() if row.gradient is None and makes_floats_of_floats(row)]


@pytest.mark.parametrize("row", WITHOUT, ids=[row.name for row in WITHOUT])
def test_a_row_without_gradient_says_so(row: Primitive) -> None:
    sample = row.samples[0]
    case = Case(row, sample, FLOAT64)
    with pytest.raises(LookupError, match=f"No gradient is defined for the op {row.op_type}"):
        case.gradients(case.tensors())


@pytest.mark.parametrize("name", sorted(FLAT))
def test_flat_rows_have_none(name: str) -> None:
    case = Case(TABLE[name], TABLE[name].samples[0], FLOAT64)
    assert case.gradients(case.tensors()) == [None]
