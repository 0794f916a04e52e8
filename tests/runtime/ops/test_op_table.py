"""Every row of the op table: what it declares is what it computes, and dtypes are strict."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from runtime import dtypes, errors
from runtime.core.primitive import CLASSES, TABLE, Primitive, Sample, bind
from runtime.core.shapes import Shape, compatible
from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.dtypes import BY_NUMPY
from tests.runtime.ops.samples import arrays, cases

CASES = list(cases())
FLOAT_CASES = list(cases(("float64",)))


def ids(table: list[Any]) -> list[str]:
    return [case[0] for case in table]


def compute(primitive: Primitive, inputs: list[Any], params: dict[str, Any]) -> tuple[Any, ...]:
    outputs = bind(primitive, *map(EagerTensor, inputs), **params)
    return outputs if type(outputs) is tuple else (outputs,)


def infer(primitive: Primitive, types: list[TensorType], params: dict[str, Any]) -> Any:
    found = primitive.infer(*types, **params)
    return found if type(found) is tuple else (found,)


def types_of(inputs: list[Any]) -> list[TensorType]:
    return [TensorType(BY_NUMPY[x.dtype], x.shape) for x in inputs]


def parameters(primitive: Primitive, sample: Sample) -> dict[str, Any]:
    if primitive.name == "constant":
        return {"value": np.arange(3.0)}
    return sample[1]


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), CASES, ids=ids(CASES))
def test_declared_types_are_those_computed(name: str, row: Any, sample: Any, dtype: Any) -> None:
    inputs, params = arrays(row, sample, dtype), parameters(row, sample)
    before = [x.copy() for x in inputs]
    outputs = compute(row, inputs, params)
    declared = infer(row, types_of(inputs), params)
    assert len(outputs) == len(declared)
    for output, type_ in zip(outputs, declared, strict=True):
        assert output.dtype is type_.dtype
        assert compatible(output.static_shape, type_.shape)
    assert all(np.array_equal(x, y) for x, y in zip(before, inputs, strict=True))


# The shape of these depends on values, or is what the row is asked to forget.
VALUE_SHAPED = {
    "nonzero", "unique", "strided_slice", "repeat_indices", "range", "bincount",
    "ragged_to_tensor", "ragged_ngrams", "string_split", "bytes_split", "unicode_split",
    "unicode_decode", "unicode_offsets", "transpose_by", "diag_at", "diag_part_at",
}  # fmt: skip


def has_known_shape(row: Any, sample: Any) -> bool:
    params = parameters(row, sample)
    if "?" in str(params) or "None" in str(params.get("shape", "")):
        return False
    return row.name not in VALUE_SHAPED - {"strided_slice"} and "segment" not in row.name


KNOWN_CASES = [case for case in FLOAT_CASES if has_known_shape(*case[1:3])]


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), KNOWN_CASES, ids=ids(KNOWN_CASES))
def test_shapes_are_inferred_in_full(name: str, row: Any, sample: Any, dtype: Any) -> None:
    inputs, params = arrays(row, sample), parameters(row, sample)
    for output, type_ in zip(
        compute(row, inputs, params), infer(row, types_of(inputs), params), strict=True
    ):
        assert type_.shape == output.static_shape


def _blurred(shape: Shape) -> list[Shape]:
    """Less and less of a shape: each dimension unknown, all of them, the rank as well."""
    assert shape is not None
    ones = [tuple(None if i == j else d for j, d in enumerate(shape)) for i in range(len(shape))]
    return list(dict.fromkeys([shape, *ones, (None,) * len(shape), None]))


@pytest.mark.parametrize(("name", "row", "sample", "dtype"), FLOAT_CASES, ids=ids(FLOAT_CASES))
def test_partly_known_shapes_cover_the_real_one(
    name: str, row: Any, sample: Any, dtype: Any
) -> None:
    inputs, params = arrays(row, sample), parameters(row, sample)
    outputs = compute(row, inputs, params)
    for shapes in product(*[_blurred(x.shape) for x in inputs[:3]]):
        types = [TensorType(BY_NUMPY[x.dtype], s) for x, s in zip(inputs, shapes, strict=False)]
        declared = infer(row, types + types_of(inputs[3:]), params)
        for output, type_ in zip(outputs, declared, strict=True):
            assert compatible(output.static_shape, type_.shape), shapes


TYPED = [row for row in TABLE.values() if row.letters and row.samples]


@pytest.mark.parametrize("row", TYPED, ids=[row.name for row in TYPED])
def test_dtypes_outside_of_the_signature_are_refused(row: Primitive) -> None:
    sample = row.samples[0]
    inputs, params = arrays(row, sample), sample[1]
    for place, letter in enumerate(row.letters[: len(inputs)]):
        for dtype in dtypes.ALL:
            if dtype.np_dtype in CLASSES[letter]:
                continue
            wrong = list(inputs)
            wrong[place] = np.full(
                inputs[place].shape, b"" if dtype is dtypes.string else 0, dtype.np_dtype
            )
            with pytest.raises(errors.InvalidArgumentError, match=rf"dtype {dtype.name}"):
                compute(row, wrong, params)
            with pytest.raises(TypeError, match=row.op_type):
                row.infer(*types_of(wrong), **params)


@pytest.mark.parametrize("row", TYPED, ids=[row.name for row in TYPED])
def test_two_dtypes_never_mix(row: Primitive) -> None:
    sample = row.samples[0]
    inputs, params = arrays(row, sample), sample[1]
    for place in range(1, min(len(inputs), len(row.letters))):
        letter = row.letters[place]
        if letter == "i" or letter not in row.letters[:place]:
            continue
        other = (
            next(
                d.np_dtype
                for d in dtypes.ALL
                if d.np_dtype in CLASSES[letter]
                and d.np_dtype != inputs[place].dtype
                and d is not dtypes.string
            )
            if CLASSES[letter] - {inputs[place].dtype}
            else None
        )
        if other is None:
            continue
        wrong = list(inputs)
        wrong[place] = np.ones(inputs[place].shape, other)
        with pytest.raises(errors.InvalidArgumentError, match="must be the same"):
            compute(row, wrong, params)
