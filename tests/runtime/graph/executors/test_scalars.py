"""Scalars as Python numbers: every op on every pair of awkward values is what its kernel gives."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runtime as rt
from runtime import errors
from runtime.core.forms import Form, kind_of
from runtime.core.primitive import CLASSES, TABLE
from runtime.core.types import TensorType
from runtime.functions.function import function
from runtime.graph.executors.program import Program
from runtime.graph.ir import Graph, Node, Region, Value
from tests.autograph.files import import_text

DTYPES = [rt.int8, rt.uint8, rt.int32, rt.int64, rt.uint64]
ROWS = [
    (dtype, name)
    for dtype in (*DTYPES, rt.float32, rt.float64, rt.bool)
    for name, primitive in TABLE.items()
    if isinstance(form := primitive.scalar, Form)
    and form.kinds
    and kind_of(TensorType(dtype, ())) in form.kinds
    and dtype.np_dtype in CLASSES[primitive.letters[-1]]
]


def values(dtype: Any) -> list[Any]:
    make = dtype.np_dtype.type
    if dtype.is_bool:
        return [np.True_, np.False_]
    if dtype.is_floating:
        return [make(v) for v in (0.0, -0.0, 1.5, -3.25, 1e38, np.nan, np.inf, -np.inf)]
    low, high = int(dtype.min), int(dtype.max)
    return [make(v) for v in (0, 1, 3, low, low + 1, high, high - 1, *([-1] if low else []))]


def graph_of(name: str, dtype: Any) -> tuple[Graph, int]:
    """A graph of one op on scalars, and the number of its operands of that dtype."""
    primitive, scalar = TABLE[name], TensorType(dtype, ())
    count = len(primitive.letters)
    types = [TensorType(rt.bool, ()), scalar, scalar] if name == "where" else [scalar] * count
    inputs = tuple(Value(type, f"x{at}") for at, type in enumerate(types))
    made = Value(primitive.infer(*types), "y")
    return Graph("f", Region(inputs, (Node(primitive, inputs, (made,)),), (made,))), count


@pytest.mark.parametrize(("dtype", "name"), ROWS, ids=lambda item: getattr(item, "name", item))
def test_is_what_the_kernel_computes(dtype: Any, name: str) -> None:
    if dtype.is_unsigned and name == "neg":
        return
    graph, _ = graph_of(name, dtype)
    program = Program(graph)
    assert f"k_{name}" not in program.source
    choices = [values(value.type.dtype) for value in graph.parameters]  # type: ignore[union-attr]
    for raws in itertools.product(*choices):
        assert outcome(program.run, raws) == outcome(TABLE[name].kernel, raws), raws


def outcome(run: Any, raws: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            made = run(*raws)
        except (errors.InvalidArgumentError, ZeroDivisionError):
            return "fails"
    raw = np.asarray(made[0] if isinstance(made, tuple) else made)
    return raw.dtype, raw.shape, "nan" if raw.dtype.kind == "f" and raw != raw else raw.tobytes()


@pytest.mark.parametrize("target", [*DTYPES, rt.float32, rt.float64, rt.bool], ids=lambda t: t.name)
@pytest.mark.parametrize("source", [*DTYPES, rt.float32, rt.float64, rt.bool], ids=lambda t: t.name)
def test_casts(source: Any, target: Any) -> None:
    staged = function(lambda x: rt.cast(x, target))
    for raw in values(source):
        if source.is_floating and not target.is_floating and not (raw == raw and abs(raw) < 4):
            continue  # C leaves it open what these become
        got = staged(rt.constant(raw)).numpy()
        expected = rt.cast(rt.constant(raw), target).numpy()
        assert outcome(lambda x: (x,), [got]) == outcome(lambda x: (x,), [expected])


def weak_casts(n, x):
    y = rt.cast(n, x.dtype)
    return x + y, x * y, x - y, x / y, y - x, y / x, y + y, x + rt.cast(n, x.dtype) * y, x < y


@pytest.mark.parametrize("dtype", [rt.float32, rt.float64])
def test_casts_for_arithmetic(dtype: Any) -> None:
    staged = function(weak_casts)
    for n, x in itertools.product([0, 1, -1, 16777217, 2147483647], values(dtype)):
        arguments = rt.constant(n), rt.constant(x)
        for got, expected in zip(staged(*arguments), weak_casts(*arguments), strict=True):
            assert outcome(lambda y: (y,), [got.raw]) == outcome(lambda y: (y,), [expected.raw])


def recurrence(n):
    s = rt.constant(0.0)
    i = 0
    while i < n:
        s = s * 0.5 + rt.cast(i, rt.float32)
        i += 1
    return s


def test_an_integer_that_is_only_added_to_a_float_is_not_converted() -> None:
    assert "s = s * c_1 + i" in function(recurrence).python_source(rt.constant(3))
    assert float(function(recurrence)(rt.constant(4))) == float(recurrence(rt.constant(4)))


def divided(n, d):
    total = 0
    while n > 0:
        total = total + n // d
        n = n - 1
    return total


def test_division_by_zero_is_the_kernels_error() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero") as caught:
        function(divided)(rt.constant(3), rt.constant(0))
    assert "FloorDiv" in str(caught.value)
    assert "int32[], int32[]" in str(caught.value)


def counted(n, step):
    i = 0
    while n > 0:
        i = i + 2_000_000_000
        n = n - step
    return i


def test_a_number_that_does_not_fit_is_an_error_of_the_kernel() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="does not fit into int32"):
        function(counted)(rt.constant(2), rt.constant(1))


def grown(n, x):
    factor = 1
    while n > 0:
        factor = factor * 10_000_000_000
        n = n - 1
    return x * factor


@pytest.mark.parametrize(("dtype", "fit"), [(rt.float32, 3), (rt.float64, 30)])
def test_an_int_that_is_too_large_for_a_float_is_an_error_of_the_kernel(
    dtype: Any, fit: int
) -> None:
    staged, one = function(grown), rt.constant(1.0, dtype)
    assert staged(rt.constant(fit), one).numpy() == dtype.np_dtype.type(10 ** (10 * fit))
    for count in (fit + 1, 40):
        with pytest.raises(errors.InvalidArgumentError, match=f"does not fit into {dtype.name}"):
            staged(rt.constant(count), one)


def test_an_int_that_fits_into_a_float_needs_no_kernel() -> None:
    source = function(lambda n, x: x * int(n)).python_source(rt.constant(3), rt.constant(1.0))
    assert "k_to_tensor" not in source


LOGIC = """
def f{at}(a, b, c, n):
    return ({text})


def loop{at}(a, b, c, n):
    rounds = 0
    while rounds < 3 and ({text}):
        rounds = rounds + 1
    return rounds
"""


def formulas() -> list[str]:
    """Two operators with and without `not` in each place, comparisons and ternaries among them."""
    nots = itertools.product(("", "not "), repeat=4)
    texts = [
        text.format(*signs, one, other)
        for signs in nots
        for one, other in itertools.product(("and", "or"), repeat=2)
        for text in ("{0}({1}a {4} {2}b) {5} {3}c", "{0}a {4} {1}({2}b {5} {3}c)")
    ]
    more = ["not (0 < n < 3) or c", "not (a if b else c) or n > 1", "not (n - 1) * 2 == 2 and a"]
    return [
        *texts,
        *more,
        "1 if not (a and b) or c else 0",
        "(n if a or b else 1) - (2 if c else n) > 0",
    ]


def test_logic_is_written_as_python_computes_it(tmp_path: Path) -> None:
    texts = formulas()
    source = "".join(LOGIC.format(at=at, text=text) for at, text in enumerate(texts))
    made = vars(import_text(tmp_path / "logic.py", source))
    inputs = list(itertools.product((False, True), (False, True), (False, True), (0, 2, 4)))
    for at, text in enumerate(texts):
        for name in (f"f{at}", f"loop{at}"):
            plain, staged = made[name], rt.function(made[name])
            got = [staged(*map(rt.constant, row)).numpy().item() for row in inputs]
            assert got == [plain(*row) for row in inputs], text


@pytest.mark.parametrize("rank", range(1, 7))
def test_an_item_of_an_array_of_any_rank(rank: int) -> None:
    x = rt.constant(np.arange(3.0**rank).reshape((3,) * rank))

    def item(x: Any, i: Any) -> Any:
        return x[tuple(i + at % 2 for at in range(rank))]

    expected = x.numpy()[tuple(1 + at % 2 for at in range(rank))]
    assert function(item)(x, rt.constant(1)).numpy() == expected
