"""DTypes: their names, what they equal, their limits."""

import pickle
from typing import Any

import numpy as np
import pytest

import runtime as tf
from runtime import dtypes
from runtime.dtypes import DType, as_dtype


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=[dtype.name for dtype in dtypes.ALL])
def test_a_dtype_is_named_by_its_name_and_its_numpy_type(dtype: DType) -> None:
    assert as_dtype(dtype.name) is dtype
    assert as_dtype(dtype.np_dtype) is dtype
    assert as_dtype(dtype.as_numpy_dtype) is dtype
    assert dtype == dtype.name
    assert dtype == dtype.np_dtype
    assert dtype != "nothing"
    assert dtype in {dtype}
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert repr(dtype) == f"tf.{dtype.name}"
    assert str(dtype) == f"<dtype: '{dtype.name}'>"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float, dtypes.float32), (int, dtypes.int32), (bool, dtypes.bool), (str, dtypes.string),
        (bytes, dtypes.string),
        (complex, dtypes.complex128), ("half", dtypes.float16),
        ("double", dtypes.float64), (np.dtype(">f4"), dtypes.float32),
        (np.dtype("U3"), dtypes.string),
        (np.zeros(2, np.uint8), dtypes.uint8), (np.longlong, dtypes.int64), (1, dtypes.float32),
    ],
)  # fmt: skip
def test_other_names(value: Any, expected: DType) -> None:
    assert as_dtype(value) is expected


@pytest.mark.parametrize("value", ["float33", None, object(), 99, np.dtype("M8[s]"), dict])
def test_what_is_no_dtype_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="Cannot convert the argument"):
        as_dtype(value)


def test_kinds() -> None:
    kinds = {
        dtype.name: (
            dtype.is_floating,
            dtype.is_integer,
            dtype.is_unsigned,
            dtype.is_complex,
            dtype.is_bool,
        )
        for dtype in dtypes.ALL
    }
    for name, flags in kinds.items():
        assert flags == (
            name.startswith("float"), "int" in name, name.startswith("uint"),
            name.startswith("complex"), name == "bool",
        )  # fmt: skip
    assert not dtypes.string.is_numeric
    assert dtypes.complex64.real_dtype is dtypes.float32


def test_limits_are_numpys() -> None:
    assert (dtypes.int8.min, dtypes.int8.max) == (-128, 127)
    assert dtypes.uint64.max == 2**64 - 1
    assert dtypes.float32.max == np.finfo(np.float32).max
    with pytest.raises(TypeError, match="Cannot find maximum value"):
        _ = dtypes.complex64.max


def test_limits_of_intensities() -> None:
    """Figures of TensorFlow 2.21."""
    assert dtypes.int8.limits == (0, 127)
    assert dtypes.uint16.limits == (0, 65535)
    assert dtypes.float32.limits == dtypes.bool.limits == (0, 1)
    for other in (dtypes.float16, dtypes.complex64, dtypes.string):
        with pytest.raises(ValueError, match="no limits"):
            _ = other.limits


def test_types_of_python_equal_no_dtype() -> None:
    """As in TensorFlow 2.21."""
    pairs = ((dtypes.int32, int), (dtypes.string, str), (dtypes.complex128, complex))
    assert [dtype == kind for dtype, kind in pairs] == [False] * 3
    pairs = ((dtypes.float32, float), (dtypes.string, object), (dtypes.bool, bool))
    assert [dtype == kind for dtype, kind in pairs] == [True] * 3
    assert (dtypes.string.as_numpy_dtype, dtypes.string.size) == (object, 0)


def test_objects_with_a_dtype() -> None:
    class Named:
        dtype = "f4"

    class Typed:
        dtype = np.dtype(np.complex64)

    assert as_dtype(Named) is as_dtype(Named()) is dtypes.float32
    assert as_dtype(Typed) is dtypes.complex64


def test_ops_that_are_found_here_too() -> None:
    assert dtypes.cast is tf.cast
    assert dtypes.complex is tf.complex
    assert dtypes.saturate_cast is tf.saturate_cast
    with pytest.raises(AttributeError, match="has no attribute 'int31'"):
        dtypes.int31  # noqa: B018
