"""Arrays of other libraries: as operands, as arguments, and as what functions read from outside.

Stand-ins behave as PyTorch's and pandas' classes do; `tests/peers/test_neighbours.py` has those.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import errors


class Foreign:
    """An array that can change, with operators of its own that know no tensors."""

    def __init__(self, *values: float) -> None:
        self.held = np.array(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.held, dtype)

    def __dlpack__(self, **options: Any) -> Any:
        return self.held.__dlpack__(**options)

    def _refused(self, other: object) -> Any:
        raise AssertionError("a tensor comes first")

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __rfloordiv__ = __rmod__ = _refused
    __gt__ = __lt__ = __ge__ = __le__ = __rmatmul__ = __rdivmod__ = _refused


class Labelled(Foreign):
    """An array that leaves operators to what ranks higher, as pandas does."""

    __dlpack__ = None

    def __add__(self, other: Any) -> Any:
        return NotImplemented if other.__pandas_priority__ > 4000 else self._refused(other)


OPERATORS = "add sub mul truediv floordiv mod pow lt le gt ge eq ne"
SHARED = Foreign(1.0, 2.0)


@rt.function
def plus_shared(x: Any) -> Any:
    return x + SHARED


@rt.function
def doubled(x: Any) -> Any:
    return x * 2.0


@pytest.mark.parametrize("name", OPERATORS.split())
@pytest.mark.parametrize("make", [rt.constant, rt.Variable])
def test_an_array_of_another_library_becomes_a_tensor(name: str, make: Callable[..., Any]) -> None:
    compute = getattr(operator, name)
    made = compute(make([3.0, 4.0]), Foreign(1.0, 2.0))
    assert isinstance(made, rt.Tensor)
    expected = compute(np.array([3.0, 4.0], np.float32), np.array([1.0, 2.0], np.float32))
    assert made.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("make", [rt.constant, rt.Variable])
def test_what_leaves_operators_to_others_leaves_them_to_tensors(make: Callable[..., Any]) -> None:
    made = Labelled(1.0, 2.0) + make([3.0, 4.0])
    assert isinstance(made, rt.Tensor)
    assert made.numpy().tolist() == [4.0, 6.0]


def test_an_integer_takes_no_floats_of_another_library() -> None:
    with pytest.raises(errors.WrongDtypeError, match="dtype int32"):
        rt.constant([1, 2]) + Foreign(1.5, 2.5)


def test_arguments_are_tensors() -> None:
    assert doubled(Foreign(1.0, 2.0)).numpy().tolist() == [2.0, 4.0]
    assert doubled(Foreign(3.0, 4.0)).numpy().tolist() == [6.0, 8.0]
    given = Foreign(5.0, 6.0)
    assert doubled(given).numpy().tolist() == [10.0, 12.0]
    given.held[0] = 7.0
    assert doubled(given).numpy().tolist() == [14.0, 12.0]
    assert doubled.experimental_get_tracing_count() == 1


def test_arguments_are_tensors_inside_of_lists_and_signatures() -> None:
    total = rt.function(lambda xs: rt.add_n(xs))
    assert total([Foreign(1.0), Foreign(2.0)]).numpy().tolist() == [3.0]
    declared = rt.function(lambda x: x + 1.0, input_signature=[rt.TensorSpec([None], "float64")])
    assert declared(Foreign(1.0)).numpy().tolist() == [2.0]
    assert doubled.get_concrete_function(Foreign(1.0))(Foreign(4.0)).numpy().tolist() == [8.0]


def test_a_change_in_place_is_seen() -> None:
    x = rt.constant([0.0, 0.0])
    assert plus_shared(x).numpy().tolist() == [1.0, 2.0]
    SHARED.held[1] = 5.0
    assert plus_shared(x).numpy().tolist() == [1.0, 5.0]


def test_results_are_tensors() -> None:
    assert rt.function(lambda: Foreign(1.0, 2.0))().numpy().tolist() == [1.0, 2.0]


def test_a_symbol_is_no_array_of_another_library() -> None:
    exchanged = rt.function(lambda x: np.from_dlpack(x))
    with pytest.raises(
        errors.OperatorNotAllowedInGraphError, match=r"test_neighbours.py:\d+:\d+: "
    ):
        exchanged(rt.constant(1.0))


def test_variables_are_exchanged_as_copies() -> None:
    v = rt.Variable([1.0, 2.0])
    array = np.from_dlpack(v)
    v.assign([5.0, 6.0])
    assert array.tolist() == [1.0, 2.0]
    assert v.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="given as a copy"):
        v.__dlpack__(copy=False)


def test_capsules() -> None:
    x = rt.constant([[1.0, 2.0]])
    dlpack = rt.experimental.dlpack
    again = dlpack.from_dlpack(dlpack.to_dlpack(x))
    assert again.dtype is rt.float32
    assert again.numpy().tolist() == [[1.0, 2.0]]
    assert dlpack.from_dlpack(np.array([1, 2])).numpy().tolist() == [1, 2]
    with pytest.raises(errors.InvalidArgumentError, match="takes a tensor that has a value"):
        dlpack.to_dlpack(rt.Variable(1.0))
    with pytest.raises(TypeError, match="takes a DLPack capsule or an array, not 3"):
        dlpack.from_dlpack(3)
