"""Rows of the op table with any dtypes and shapes: the declared type, or a documented error."""

from typing import Any

import numpy as np
import pytest

from runtime import dtypes, errors
from runtime.core.primitive import CLASSES, TABLE, Primitive, bind
from runtime.core.shapes import compatible
from runtime.core.tensor import EagerTensor
from runtime.core.types import TensorType
from runtime.dtypes import BY_NUMPY
from tests.runtime.ops.samples import letters_of

SHAPES = [(), (1,), (2,), (3,), (0,), (2, 3), (3, 3), (1, 3), (2, 0), (2, 3, 3), (2, 1, 4)]
ROWS = [row for row in TABLE.values() if row.samples and not row.effect]
TRIES = 30


def _array(rng: np.random.Generator, dtype: dtypes.DType) -> Any:
    shape = SHAPES[rng.integers(len(SHAPES))]
    if dtype is dtypes.string:
        return np.full(shape, b"ab", object)
    return rng.integers(-3, 9, shape).astype(dtype.np_dtype)


def _dtype(rng: np.random.Generator, letter: str) -> dtypes.DType:
    # What is computed in a wider dtype has tests of its own, and is not here in every process.
    every = {known.np_dtype for known in dtypes.ALL}
    fitting = sorted(every & CLASSES[letter] if rng.uniform() < 0.9 else every, key=str)
    return BY_NUMPY[fitting[rng.integers(len(fitting))]]


def _inputs(row: Primitive, rng: np.random.Generator) -> tuple[list[Any], dict[str, Any]]:
    inputs, params = row.samples[rng.integers(len(row.samples))]
    letters = letters_of(row, len(inputs))
    chosen = {letter: _dtype(rng, letter) for letter in letters}
    return [_array(rng, chosen[letter]) for letter in letters[: len(inputs)]], params


def _compute(row: Primitive, inputs: list[Any], params: dict[str, Any]) -> Any:
    try:
        return bind(row, *map(EagerTensor, inputs), **params)
    except (errors.InvalidArgumentError, errors.ResourceExhaustedError) as error:
        return error


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
@pytest.mark.filterwarnings("error")
def test_any_input_gives_the_declared_type_or_a_documented_error(row: Primitive) -> None:
    rng = np.random.default_rng(len(row.name))
    for _ in range(TRIES):
        inputs, params = _inputs(row, rng)
        types = [TensorType(BY_NUMPY[x.dtype], x.shape) for x in inputs]
        if row.name == "constant":
            params = {"value": np.zeros(2)}
        made = _compute(row, inputs, params)
        if isinstance(made, errors.OpError):
            assert row.op_type in str(made)
            continue
        declared = row.infer(*types, **params)
        pairs = zip(
            made if type(made) is tuple else (made,),
            declared if type(declared) is tuple else (declared,),
            strict=True,
        )
        for output, type_ in pairs:
            assert output.dtype is type_.dtype, types
            assert compatible(output.static_shape, type_.shape), types
