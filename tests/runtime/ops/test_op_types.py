"""The names of ops: TensorFlow's, or ours where it has none."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime.core.primitive import TABLE, Primitive
from runtime.graph.format.views import op_type
from runtime.graph.ir import walk

# Of TensorFlow 2.21: what `tf.raw_ops` and the registry of its ops list, as far as it is used.
NAMES = Path(__file__).with_name("tensorflow_ops.txt")
TENSORFLOWS = frozenset(NAMES.read_text().split())

OURS = {
    "ArgSort Sort": "TensorFlow takes them apart: Neg, TopKV2",
    "Eye GatherGrad Gelu LogicalXor Repeat SumTo": "it takes them apart too",
    "Bounded HistogramFixedWidthBins SigmoidCrossEntropy": "and them",
    "Below CheckDefinite Checked CropFraction PositiveSize SegmentIds StatelessFoldIn": (
        "parts of its Python functions"
    ),
    "SetOrder": "it has no sets of staged numbers",
    "UnicodeOffsets": "part of UnicodeDecodeWithOffsets, which makes ragged tensors",
    "Probe": "it has no `try` in graphs: an op that may fail is asked first",
    "StringBytesSplit UnicodeSplit": "it makes ragged tensors, we lists",
    "ResizeAreaGrad": "it has no gradient of ResizeArea",
    "Raise CheckDefined CheckPresent CheckAttribute CheckLength Undefined": (
        "it refuses what Python would raise"
    ),
    "DatasetLength IteratorAdvance IteratorElement MakeDataset": (
        "loops over streams take an element and go on apart; a dataset is made of Python objects"
    ),
    "Called Control Packed Unpacked PackResiduals UnpackResiduals": "what gradients keep",
    "TensorListOf TensorListScatterAdd TensorListClear ListRepeat ListSum TensorListHas": (
        "gradients of lists"
    ),
    "TensorListZeroItems TensorListBehind TensorListClearRowItem": "and these",
    "TensorListCast TensorListDrop TensorListGap TensorListPut TensorListTake": (
        "lists that stand for Python's"
    ),
    "TensorListFind": "keys of dicts and sets that stand for Python's",
    "TensorListLengths": "lists of lists as results of machine code",
    "PyBitCount PyBitLength PyDivmod PyFromEnd PyIsInteger PyRangeLength": (
        "it has no Python numbers"
    ),
    "PowerModulo": "its power takes no modulus",
    "PyText": "it has no texts of Python",
    "PyTextRanks": "it has no texts of Python",
    "PyDraw": "its draws are not those of Python's `random`",
    "LibraryFunction": "its functions of libraries are calls back to Python",
    "PythonLeftShift PythonRightShift": "its shifts take any count",
    "PyCbrt PyComb PyCopysign PyDegrees PyExp2 PyFactorial PyGamma PyGcd PyHypot PyIsclose "
    "PyIsqrt PyLcm PyLdexp PyLog10 PyLog2 PyPerm PyRadians PyRemainder PyTrunc PyUlp": "of `math`",
}
"""Ops that TensorFlow has no name for, and why."""


def primitives() -> Iterator[Primitive]:
    yield from TABLE.values()
    for found in pkgutil.walk_packages(rt.__path__, "runtime."):
        if not found.name.endswith("__main__"):
            for value in vars(importlib.import_module(found.name)).values():
                inner = value.values() if isinstance(value, dict) else [value]
                yield from (item for item in inner if isinstance(item, Primitive))


def test_each_op_has_a_name_that_is_known() -> None:
    ours = {name for names in OURS for name in names.split()}
    made = {row.op_type for row in primitives()}
    assert made - TENSORFLOWS == ours
    assert not ours & TENSORFLOWS


def test_raw_ops_are_tensorflows() -> None:
    assert len(dir(rt.raw_ops)) > 75
    assert set(dir(rt.raw_ops)) < TENSORFLOWS


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda x: rt.raw_ops.AddV2(x=x, y=x), lambda x: x + x),
        (lambda x: rt.raw_ops.Relu(features=-x), lambda x: np.maximum(-x, 0)),
        (lambda x: rt.raw_ops.Atan2(y=x, x=1.0, name="n"), np.arctan),
        (lambda x: rt.raw_ops.RealDiv(x=x, y=2.0), lambda x: x / 2),
        (lambda x: rt.raw_ops.Erf(x=0 * x), lambda x: 0 * x),
    ],
)
def test_raw_ops(made: Any, wanted: Any) -> None:
    x = np.array([-1.5, 0.0, 2.0])
    np.testing.assert_allclose(made(rt.constant(x)), wanted(x))
    np.testing.assert_allclose(rt.function(made)(x), wanted(x))


def test_raw_ops_take_arguments_by_name_alone() -> None:
    with pytest.raises(TypeError, match="0 positional"):
        rt.raw_ops.Abs(1.0)
    with pytest.raises(TypeError, match="features"):
        rt.raw_ops.Abs(features=1.0)


@pytest.mark.parametrize(
    ("number", "tensor"),
    [
        ("py.lt", "less"), ("py.add", "add"), ("py.floordiv", "floordiv"), ("py.mod", "mod"),
        ("py.not", "logical_not"), ("py.truediv", "div"), ("py.max", "maximum"),
        ("print", "print_v2"), ("py.invert", "invert"), ("py.math.log1p", "log1p"),
        ("py.pow", "pow"),
    ],
)  # fmt: skip
def test_an_op_on_numbers_is_called_as_that_on_tensors(number: str, tensor: str) -> None:
    by_name = {row.name: row for row in primitives()}
    assert by_name[number].op_type == by_name[tensor].op_type


@rt.function
def shown(x):
    rt.print(x)
    return x


@rt.function
def doubled(x):
    return x * 2.0


def pure(x):
    if x > 0.0:
        x = doubled(x)
    while x < 9.0:
        x = x * x
    return x


def acting(x):
    if x > 0.0:
        x = shown(x)
    while x < 9.0:
        x = shown(x) * x
    return x


def many(x):
    x = rt.reshape(x, [1, 1])
    y = rt.matmul(x, x) + rt.matmul(x[None], x[None])
    return rt.pad(y, [[0, 0], [1, 1], [1, 1]]), rt.pad(rt.zeros([3]) + x[0], [[1, 1]], "REFLECT")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (pure, {"StatelessIf", "StatelessWhile", "PartitionedCall"}),
        (acting, {"If", "While", "StatefulPartitionedCall"}),
        (many, {"MatMul", "BatchMatMulV2", "PadV2", "MirrorPad"}),
    ],
)
def test_names_that_depend_on_the_node(function: Any, expected: set[str]) -> None:
    graph = rt.function(function).get_concrete_function(rt.TensorSpec([])).graph
    found = {op_type(node) for node in walk(graph.body)}
    assert expected <= found
    assert found <= TENSORFLOWS
    unexpected = {"StatelessIf", "If", "StatelessWhile", "While", "PartitionedCall", "MatMul"}
    assert not (found - expected) & unexpected
