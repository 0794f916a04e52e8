"""Instructions on single numbers compute what the kernels do, bit by bit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import runtime as rt
from runtime import dtypes
from runtime.core.primitive import TABLE, Primitive, bind
from runtime.dtypes import DType
from runtime.graph.executors.native.lowering_rules import ELEMENTWISE
from runtime.graph.executors.native.scalar_ops import letter
from runtime.graph.executors.native.scalars import EXACT
from runtime.graph.executors.native.values import is_native
from tests.support.native import Pair

DTYPES = [dtype for dtype in dtypes.ALL if is_native(dtype)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, 1e30, -1e30, 1e-40, np.inf, -np.inf, np.nan]


def samples(dtype: DType) -> list[Any]:
    kind = dtype.as_numpy_dtype
    if dtype.is_bool:
        return [np.True_, np.False_]
    if dtype.is_floating:
        with np.errstate(over="ignore"):
            return [kind(x) for x in (*FLOATS, np.finfo(kind).max, np.finfo(kind).tiny)]
    low, high = int(dtype.min), int(dtype.max)
    near = [low, low + 1, 0, 1, 2, 3, 7, 8, 33, high - 1, high]
    return [kind(x) for x in (*near, *([-1, -2, -7] if low else []))]


def cases() -> list[tuple[Primitive, DType]]:
    found = [
        (primitive, dtype)
        for primitive in TABLE.values()
        if primitive.is_op and primitive.instruction in {*EXACT, "power"}
        for dtype in DTYPES
        if primitive.instruction in EXACT or not dtype.is_floating
        if letter(dtype) in ELEMENTWISE[primitive.instruction].kinds and takes(primitive, dtype)
    ]
    assert {primitive.instruction for primitive, _ in found} >= EXACT - {"trunc"}
    return found


def takes(primitive: Primitive, dtype: DType) -> bool:
    types = [dtype.np_dtype] * len(primitive.letters)
    if primitive.instruction == "select":
        types[0] = np.dtype(bool)
    return primitive.takes(types)


def given(primitive: Primitive, dtype: DType) -> list[DType]:
    kinds = [dtype] * len(primitive.letters)
    return [dtypes.bool, *kinds[1:]] if primitive.instruction == "select" else kinds


def staged(function: Any, kinds: list[DType]) -> Pair:
    specs = [rt.TensorSpec([], dtype) for dtype in kinds]
    made = rt.function(function, autograph=False).get_concrete_function(*specs)
    return Pair(made.graph)


@pytest.mark.parametrize(("primitive", "dtype"), cases(), ids=lambda x: getattr(x, "name", str(x)))
def test_scalars(primitive: Primitive, dtype: DType) -> None:
    kinds = given(primitive, dtype)
    pair = staged(lambda *xs: bind(primitive, *xs), kinds)
    count = 0
    for raws in itertools.product(*map(samples, kinds)):
        count += 1
        pair.compare(*raws)
    # What steps aside always would be equal, too.
    assert pair.aside < count / 2


CASTS = list(itertools.product(DTYPES, DTYPES))


@pytest.mark.parametrize(("source", "target"), CASTS, ids=str)
def test_casts(source: DType, target: DType) -> None:
    # Of equal dtypes there is no cast; what is behind it keeps it from being the argument itself.
    pair = staged(lambda x: rt.cast(x, target) == rt.cast(x, target), [source])
    cast = staged(lambda x: rt.where(x == x, rt.cast(x, target), rt.cast(0, target)), [source])
    for raw in samples(source):
        pair.compare(raw)
        cast.compare(raw)


def test_arguments_come_in_all_forms() -> None:
    pair = staged(lambda x: x + 1, [dtypes.int32])
    assert pair.compare(np.int32(3)) == pair.compare(np.array(3, np.int32))
    assert pair.aside == 0
    for other in (np.array(3, ">i4"), np.array([3], np.int32), np.array([3], np.int32).reshape(())):
        pair.compare(other)
    assert pair.aside == 2
