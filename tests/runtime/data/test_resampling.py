"""`rejection_resample`: classes come as often as they should, each with its element."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import runtime as rt

Dataset = rt.data.Dataset


@pytest.mark.parametrize("initial", [[0.2] * 5, None])
def test_classes_come_as_often_as_they_should(initial: Any) -> None:
    target = [0.9, 0.05, 0.05, 0.0, 0.0]
    data = Dataset.range(20000).map(lambda x: (x * 7919 % 5, rt.strings.as_string(x * 7919 % 5)))
    drawn = data.rejection_resample(lambda kind, text: kind, target, initial, seed=27)
    assert drawn.element_spec == (rt.TensorSpec([], rt.int64), data.element_spec)
    found = [(int(kind), int(copy), int(text.numpy())) for kind, (copy, text) in drawn]
    assert all(a == b == c for a, b, c in found)
    assert len(found) > 3000
    counts = Counter(kind for kind, _, _ in found)
    assert np.allclose([counts[at] / len(found) for at in range(5)], target, atol=0.025)


@pytest.mark.parametrize("initial", [[0.5, 0.5], None])
def test_a_class_is_that_of_its_element_where_their_order_is_drawn(initial: Any) -> None:
    data = Dataset.range(1000).shuffle(200, seed=21)
    drawn = list(data.rejection_resample(lambda x: x % 2, [0.9, 0.1], initial, seed=27))
    assert len(drawn) > 300
    assert all(int(kind) == int(x) % 2 for kind, x in drawn)


def test_nothing_is_left_out_where_nothing_has_to_be() -> None:
    drawn = Dataset.range(8).rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.5, 0.5])
    assert [(int(kind), int(x)) for kind, x in drawn] == [(n % 2, n) for n in range(8)]
    drawn = Dataset.range(8).rejection_resample(lambda x: x % 2, [0.0, 1.0], [0.5, 0.5])
    assert [int(x) for _, x in drawn] == [1, 3, 5, 7]


@pytest.mark.parametrize(
    ("target", "initial"), [("f4", "f8"), ("f8", "f4"), ("f8", "f8"), ("f8", None)]
)
def test_distributions_of_any_floats(target: str, initial: str | None) -> None:
    rt.random.set_seed(3)  # some find none of classes that come by turns
    half = np.array([0.5, 0.5])
    given = None if initial is None else half.astype(initial)
    drawn = Dataset.range(400).rejection_resample(lambda x: x % 2, half.astype(target), given)
    assert int(next(iter(drawn))[0]) in (0, 1)


def test_bad_arguments() -> None:
    data = Dataset.range(4)
    with pytest.raises(TypeError, match="target_dist must be a vector of floats"):
        data.rejection_resample(lambda x: x % 2, [1, 1])
    with pytest.raises(ValueError, match=r"have the shapes \(3,\) and \(2,\)"):
        data.rejection_resample(lambda x: x % 2, [0.5, 0.5], [0.2, 0.3, 0.5])
    with pytest.raises(TypeError, match="class_func must return a scalar integer"):
        data.rejection_resample(lambda x: 1.5, [0.5, 0.5])


def test_weights_may_be_a_dataset() -> None:
    parts = [Dataset.range(3), Dataset.range(10, 13)]
    weights = Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 1.0]])
    drawn = Dataset.sample_from_datasets(parts, weights.repeat(2))
    assert [int(x) for x in drawn] == [0, 10, 1, 11]
    with pytest.raises(ValueError, match="have the shape"):
        Dataset.sample_from_datasets(parts, Dataset.from_tensors([1.0]))
    for ints in ([1, 1], Dataset.from_tensors([1, 1])):
        with pytest.raises(TypeError, match="weights must be floats, not int32"):
            Dataset.sample_from_datasets(parts, ints)
